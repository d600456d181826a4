/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a repair plan, as one person would tell another. */
#include <inttypes.h>
#include <stdio.h>

#include <ibcheck/topo.h>

#define PLACE_MAX 256

/* "spine01/7", "leaf03" */
static const char *place_text(char buf[PLACE_MAX], const struct ibc_place *place)
{
	const char *name = place->node ? place->node->label : "?";

	if (place->port)
		snprintf(buf, PLACE_MAX, "%s/%u", name, place->port);
	else
		snprintf(buf, PLACE_MAX, "%s", name);
	return buf;
}

/* As a cable is named elsewhere: near end first. */
static bool is_nearer(const struct ibc_place *a, const struct ibc_place *z)
{
	return a->node && z->node && a->node->guid < z->node->guid;
}

void ibc_step_text(const struct ibc_step *step, char *buf, size_t size)
{
	char from_buf[PLACE_MAX], to_buf[PLACE_MAX], peer_buf[PLACE_MAX];
	const char *from = place_text(from_buf, &step->from);
	const char *to = place_text(to_buf, &step->to);
	const char *peer = place_text(peer_buf, &step->peer);

	switch (step->action) {
	case IBC_ACTION_MOVE:
		snprintf(buf, size, "Move the plug from %s to %s", from, to);
		break;
	case IBC_ACTION_EXCHANGE:
		snprintf(buf, size,
		         step->from.port ? "Exchange the two plugs at %s and %s"
		                         : "Exchange %s and %s, or the names they carry",
		         from, to);
		break;
	case IBC_ACTION_CONNECT:
		snprintf(buf, size, "Connect %s with %s", is_nearer(&step->to, &step->peer) ? to : peer,
		         is_nearer(&step->to, &step->peer) ? peer : to);
		break;
	case IBC_ACTION_REMOVE:
		if (step->peer.node)
			snprintf(buf, size, "Unplug the cable between %s and %s", peer, from);
		else /* to something that does not answer */
			snprintf(buf, size, "Unplug the cable at %s", from);
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
