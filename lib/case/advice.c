/* SPDX-License-Identifier: BSD-2-Clause */
/* One cable, one advice: which end comes first follows from all counters together. */
#include "case/advice.h"

#include <stdio.h>
#include <string.h>

#include <ibcheck/case.h>

#include "base/arena.h"
#include "base/array.h"
#include "fabric/fabric.h"
#include "report/report.h"

/* Checks of errors that count where damage arrives, of what arises at the sender or on the way. */
static const char *const of_damage[] = { "counters.symbol",    "counters.rcv-errors",
	                                 "counters.integrity", "counters.recovery",
	                                 "phy.ber-after-fec",  "phy.fec-uncorrectable" };

static uint64_t count_at(const struct ibc_finding *f, const char *key, bool *unread)
{
	const struct ibc_value *value = finding_fact(f, key);

	if (value && value->kind == IBC_U64)
		return value->num;
	*unread = true;
	return 0;
}

/* What a check of training expected; NULL: it is not that check. */
static const char *expected(const struct ibc_finding *f, const char *check, const char *key)
{
	const struct ibc_value *value = strcmp(f->check, check) ? NULL : finding_fact(f, key);

	return value && value->kind == IBC_ENUM ? value->word->name : NULL;
}

enum ibc_first_end ibc_cable_first_end(const struct ibc_cable_ends *ends)
{
	if (!ends->near_damage == !ends->far_damage)
		return IBC_FIRST_BOTH;
	return ends->near_damage ? IBC_FIRST_FAR : IBC_FIRST_NEAR;
}

/* The end of a known sender; @receiver: the other one. */
static void advise_sender(const struct ibc_cable_ends *ends, const char *flaps, const char *sender,
                          const char *plug, const char *receiver, char text[IBC_ADVICE_MAX])
{
	plug = plug ? plug : "";
	if (ends->unread)
		snprintf(text, IBC_ADVICE_MAX,
		         "%sOnly one end reports all of its errors. Reseat and clean the plug at "
		         "%s%s first, then the other. If the errors continue, replace the cable.",
		         flaps, sender, plug);
	else
		snprintf(text, IBC_ADVICE_MAX,
		         "%sOnly %s receives damaged data: the cable or the transmitter of %s is "
		         "at fault. Reseat and clean the plug at %s%s first, then the other; then "
		         "replace the cable. If the errors continue, %s is at fault.",
		         flaps, receiver, sender, sender, plug, sender);
}

const char *ibc_cable_advice(const struct ibc_cable_ends *ends, char text[IBC_ADVICE_MAX])
{
	const char *flaps = ends->flaps ? "Take the link out of service first: disable the port at "
	                                  "the switch. "
	                                : "";

	switch (ibc_cable_first_end(ends)) {
	case IBC_FIRST_NEAR:
		advise_sender(ends, flaps, ends->near, ends->near_plug, ends->far, text);
		break;
	case IBC_FIRST_FAR:
		advise_sender(ends, flaps, ends->far, ends->far_plug, ends->near, text);
		break;
	case IBC_FIRST_BOTH:
		snprintf(text, IBC_ADVICE_MAX,
		         ends->near_damage
		             ? "%sBoth ends receive damaged data, so the cable is at fault. "
		               "Reseat and clean both plugs. If the errors continue, replace it."
		             : "%sNo damaged data arrives. If neither end was restarted and the "
		               "cable was not touched, reseat it at both ends. If it goes down "
		               "again, replace it.",
		         flaps);
	}
	return text;
}

static const char *place_of(const struct things *t, const struct ibc_end *end, char *buf)
{
	const struct ibc_node *node = thing_node(t, end);

	if (node)
		return ibc_place_text((struct ibc_place){ node, end->port }, buf, IBC_PLACE_TEXT);
	snprintf(buf, IBC_PLACE_TEXT, "%s/%u", end->label ? end->label : "?", end->port);
	return buf;
}

static const char *plug_of(const struct things *t, const struct ibc_end *end, char buf[MODULE_TEXT])
{
	const struct ibc_node *node = thing_node(t, end);
	const struct ibc_port *port = node ? ibc_node_port(node, end->port) : NULL;

	return port ? module_text(port->extra->module, buf, MODULE_TEXT) : NULL;
}

/* Findings of a module are of a port, and their own advice beats all of this. */
const char *cable_advice(const struct things *t, const struct ibc_finding *const *findings,
                         size_t n)
{
	const struct ibc_subject *cable = &findings[0]->subject;
	const char *blaming = NULL;
	char near_plug[MODULE_TEXT], far_plug[MODULE_TEXT];
	char near[IBC_PLACE_TEXT], far[IBC_PLACE_TEXT], text[IBC_ADVICE_MAX];
	struct ibc_cable_ends ends = { .unread = false };
	const char *width = NULL, *speed = NULL; /* it should train to, and does not */
	size_t symptoms = 0;

	/* the devices know who gave the link up: that beats what counters suggest */
	for (size_t i = 0; i < n && !blaming; i++)
		if (!strcmp(findings[i]->check, "phy.link-down-reason"))
			blaming = findings[i]->advice;
	for (size_t i = 0; i < n; i++) {
		const struct ibc_finding *f = findings[i];
		const char *to_width = expected(f, "port.width", "width_expected");
		const char *to_speed = expected(f, "port.speed", "speed_expected");
		bool flaps = !strcmp(f->check, "counters.flap") || !strcmp(f->check, "phy.flap");
		bool damage = false;

		if (f->subject.kind != IBC_SUBJECT_CABLE)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(of_damage); k++)
			damage |= !strcmp(f->check, of_damage[k]);
		if (damage) {
			ends.near_damage += count_at(f, "count", &ends.unread);
			ends.far_damage += count_at(f, "peer_count", &ends.unread);
		}
		ends.flaps |= flaps;
		width = to_width ? to_width : width;
		speed = to_speed ? to_speed : speed;
		symptoms += damage || flaps || !strcmp(f->check, "counters.downed");
		symptoms += to_width || to_speed;
	}
	if (cable->kind != IBC_SUBJECT_CABLE)
		return NULL;
	if (blaming || symptoms < 2 || (!ends.near_damage && !ends.far_damage))
		return blaming;
	ends.near = place_of(t, &cable->near, near);
	ends.far = place_of(t, &cable->far, far);
	ends.near_plug = plug_of(t, &cable->near, near_plug);
	ends.far_plug = plug_of(t, &cable->far, far_plug);
	ibc_cable_advice(&ends, text);
	if (!width && !speed)
		return arena_strdup(t->arena, text);
	return arena_printf(t->arena, "%s It is repaired when it trains to %s%s%s again.", text,
	                    width ? width : "", width && speed ? " " : "", speed ? speed : "");
}
