/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables that are gone, or lead elsewhere. */
#include <stdlib.h>
#include <string.h>

#include "check/collect.h"
#include "check/gone/gone.h"
#include "check/phrases.h"
#include "report/report.h"

/* ---- gone.cable ---------------------------------------------------------------------- */

static struct ibc_subject cable_subject(const struct gone_cable *c)
{
	return (struct ibc_subject){ .kind = IBC_SUBJECT_CABLE,
		                     .near = gone_end(&c->a),
		                     .far = gone_end(&c->z) };
}

bool gone_between(const struct ibc_gone *g, const struct ibc_node *a, const struct ibc_node *z,
                  size_t number, struct ibc_subject *subject)
{
	for (size_t i = 0; g && i < g->num_cables; i++) {
		const struct gone_cable *c = &g->cables[i];
		bool between = (c->a.guid == a->guid && c->z.guid == z->guid) ||
		               (c->a.guid == z->guid && c->z.guid == a->guid);

		if (c->state != GONE_AWAY || !between || number--)
			continue;
		*subject = cable_subject(c);
		return true;
	}
	return false;
}

static const char *moved_text(struct ibc_sink *out, const struct gone_cable *c)
{
	const struct ibc_port *a = c->a.now, *z = c->z.now;

	if (a->peer && z->peer)
		return sink_text(out, "%s leads to %s now, and %s to %s", port_text(out, a),
		                 port_text(out, a->peer), port_text(out, z),
		                 port_text(out, z->peer));
	return sink_text(out, "its plug of %s is in %s now", port_text(out, a->peer ? z : a),
	                 port_text(out, (a->peer ?: z->peer)));
}

/* What puts it back: at the switch, where the other end is a host's. */
static const char *back_text(struct ibc_sink *out, const struct gone_cable *c)
{
	const struct ibc_port *a = c->a.now, *z = c->z.now;
	bool far = a->peer && !(z->peer && z->node->type == IBC_NODE_CA);
	const struct ibc_port *from = far ? a->peer : z->peer, *to = far ? z : a;

	return sink_text(out,
	                 c->partner == GONE_NONE ? "Move the plug in %s back to %s"
	                                         : "Exchange the plugs in %s and %s",
	                 port_text(out, from), port_text(out, to));
}

static void report_moved(const struct ibc_gone *g, size_t i, const struct ibc_subject *subject,
                         struct ibc_sink *out)
{
	const struct gone_cable *c = &g->cables[i];
	struct ibc_subject related;

	if (c->partner != GONE_NONE && c->partner < i)
		return;
	sink_as(out, c->mends ? IBC_INFO : IBC_WARNING);
	sink_add(out, subject, "was %s since %s: %s",
	         c->partner == GONE_NONE ? "moved" : "exchanged with another",
	         gone_when(out, c->seen), moved_text(out, c));
	sink_since(out, c->seen);
	sink_fact(out, "kind", ibc_str("moved"));
	if (c->mends)
		return;
	sink_advise(out, "%s; if it was intended, say so: \"ibcheck known retire\" with this ID.",
	            back_text(out, c));
	if (c->partner == GONE_NONE)
		return;
	related = cable_subject(&g->cables[c->partner]);
	ibc_report_relate(out->report, IBC_ROLE_PLANNED, &related);
}

static const char *state_text(const struct ibc_port *port)
{
	return port && ibc_port_has_state(port) ? ibc_phys_state_word(port->phys_state)->name
	                                        : "without a link";
}

/* A cable whose devices are both there, and that led from one to the other. */
static void report_cable(const struct ibc_gone *g, size_t i, struct ibc_sink *out)
{
	const struct gone_cable *c = &g->cables[i];
	struct ibc_subject subject = cable_subject(c);

	if (c->state == GONE_MOVED) {
		report_moved(g, i, &subject, out);
		return;
	}
	sink_as(out, c->between ? IBC_CRITICAL : IBC_WARNING);
	sink_add(out, &subject, "has no link since %s: %s is %s, %s is %s%s",
	         gone_when(out, c->seen), end_text(out, &subject.near), state_text(c->a.now),
	         end_text(out, &subject.far), state_text(c->z.now),
	         counted_text(out, c->a.now, c->z.now));
	sink_since(out, c->seen);
	sink_advise(out, "Reseat it at both ends, then replace it. " GONE_ON_PURPOSE);
	sink_fact(out, "kind", ibc_str("down"));
	counted_facts(out, c->a.now, c->z.now);
}

/* One that leads from a switch that was found to one that is gone. */
static void report_end(const struct ibc_gone *g, const struct gone_cable *c, struct ibc_sink *out)
{
	const struct gone_end *lost = c->a.node == GONE_NONE ? &c->z : &c->a;
	const struct gone_node *node = &g->nodes[gone_leader(g, lost->node)];
	struct ibc_subject subject = cable_subject(c);

	sink_add(out, &subject, "has no link since %s: %s is gone", gone_when(out, c->seen),
	         lost->name);
	sink_since(out, c->seen);
	sink_fact(out, "kind", ibc_str("down"));
	gone_relate(out, IBC_ROLE_CAUSE, node);
}

void gone_check_cable(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_gone *g = out->report->expected;

	(void)in;
	for (size_t i = 0; i < g->num_cables; i++) {
		const struct gone_cable *c = &g->cables[i];
		size_t lost = c->a.node == GONE_NONE ? c->z.node : c->a.node;

		if (c->earlier || (c->state != GONE_AWAY && c->state != GONE_MOVED))
			continue;
		if (lost == GONE_NONE)
			report_cable(g, i, out);
		else if (c->between && g->nodes[lost].state == GONE_AWAY && !g->nodes[lost].earlier)
			report_end(g, c, out);
	}
}
