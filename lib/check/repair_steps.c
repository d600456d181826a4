/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a repair plan, as one person would tell another. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include <ibcheck/topo.h>

/* What a cable is named by elsewhere: its near end first. */
static bool is_nearer(const struct ibc_place *a, const struct ibc_place *z)
{
	return a->node && z->node && a->node->guid < z->node->guid;
}

/* What is to be done to the cable between a place and the step's peer. */
static void cable_text(const struct ibc_step *step, const struct ibc_place *place, char *buf,
                       size_t size)
{
	bool nearer = is_nearer(place, &step->peer);
	char near_buf[IBC_PLACE_TEXT], far_buf[IBC_PLACE_TEXT];
	const char *near = ibc_place_text(nearer ? *place : step->peer, near_buf, IBC_PLACE_TEXT);
	const char *far = ibc_place_text(nearer ? step->peer : *place, far_buf, IBC_PLACE_TEXT);

	if (step->action == IBC_ACTION_CONNECT)
		snprintf(buf, size, "Connect %s to %s", near, far);
	else if (step->peer.node)
		snprintf(buf, size, "Unplug the cable between %s and %s", near, far);
	else /* to something that does not answer */
		snprintf(buf, size, "Unplug the cable at %s", far);
}

static void put_step(const struct ibc_step *step, char *buf, size_t size)
{
	char from_buf[IBC_PLACE_TEXT], to_buf[IBC_PLACE_TEXT];
	const char *from = ibc_place_text(step->from, from_buf, IBC_PLACE_TEXT);
	const char *to = ibc_place_text(step->to, to_buf, IBC_PLACE_TEXT);

	switch (step->action) {
	case IBC_ACTION_MOVE:
		snprintf(buf, size, "Move the plug from %s to %s", from, to);
		break;
	case IBC_ACTION_EXCHANGE:
		snprintf(buf, size,
		         step->from.port ? "Exchange the two plugs at %s and %s"
		                         : "Exchange %s and %s (or their names)",
		         from, to);
		break;
	case IBC_ACTION_CONNECT:
		cable_text(step, &step->to, buf, size);
		break;
	case IBC_ACTION_REMOVE:
		cable_text(step, &step->from, buf, size);
		break;
	case IBC_ACTION_REPLACE:
		snprintf(buf, size, "Put %s into the plan, with its GUID 0x%016" PRIx64, from,
		         step->from.node ? step->from.node->guid : 0);
		break;
	case IBC_ACTION_RENAME:
		snprintf(buf, size, "Give %s its planned name %s, or correct the plan", from, to);
		break;
	}
}

int ibc_step_text(const struct ibc_step *step, const struct ibc_config *config, char *buf,
                  size_t size)
{
	char cuts[IBC_CUTS_TEXT];
	int rc = ibc_step_cuts(step, config, cuts, sizeof(cuts));
	size_t n;

	if (rc <= 0) {
		put_step(step, buf, size);
		return rc;
	}
	n = (size_t)snprintf(buf, size, "C%s%s: ", cuts + 1,
	                     step->action == IBC_ACTION_REMOVE ? "" : " meanwhile");
	if (n >= size)
		return 0;
	put_step(step, buf + n, size - n);
	buf[n] = (char)tolower((unsigned char)buf[n]);
	return 0;
}
