/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of cables that break the symmetry. */
#include "check/counters_rates.h"
#include "check/fattree.h"

/* ---- what the ports do not tell ------------------------------------------------------ */

/* A cable may be there, and lead to what does not answer. */
static bool is_silent(const struct ibc_port *p)
{
	return ibc_port_unanswered(p, IBC_ATTR_PORT_INFO) || (port_is_linkup(p) && !p->peer);
}

bool jack_is_unread(const struct wiring_jack *s)
{
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(s->node, num)); num++)
		if ((!s->port || s->port == num) && is_silent(p))
			return true;
	return false;
}

static size_t count_unread(const struct wiring_case *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->num_gaps; i++)
		n += jack_is_unread(&c->gaps[i].lower) || jack_is_unread(&c->gaps[i].upper);
	return n;
}

/* ---- missing -------------------------------------------------------------------------- */

/* The switches at the far ends of the gaps: "spine01, spine02 and 3 more". */
static const char *far_text(const struct tree_report *g, bool upper)
{
	const char *shown[SHOWN_MAX] = { NULL };
	size_t n = 0;

	for (size_t i = 0; i < g->c->num_gaps; i++) {
		const struct wiring_gap *gap = &g->c->gaps[i];

		if (n < SHOWN_MAX)
			shown[n] = (upper ? gap->upper : gap->lower).node->label;
		n++;
	}
	return list_text(g->out, shown, n);
}

/* A case of several is about one switch, the lower or the upper one. */
static bool is_of_lower(const struct wiring_case *c)
{
	for (size_t i = 1; i < c->num_gaps; i++)
		if (c->gaps[i].lower.node != c->gaps[0].lower.node)
			return false;
	return true;
}

static void report_unread_cable(const struct tree_report *g)
{
	const struct wiring_gap *gap = &g->c->gaps[0];
	struct ibc_subject subject = gap_subject(gap);

	sink_as(g->out, IBC_UNKNOWN);
	sink_add(g->out, &subject,
	         "the cable from %s to %s is not checked: one of its ports does not answer, or "
	         "leads to a device that does not",
	         jack_text(g->out, &gap->lower), jack_text(g->out, &gap->upper));
	sink_advise(g->out, "See port.silent first");
}

static void report_one_missing(const struct tree_report *g)
{
	const struct wiring_gap *gap = &g->c->gaps[0];
	const struct ibc_port *a = known_jack(&gap->lower), *z = known_jack(&gap->upper);
	struct ibc_subject subject = gap_subject(gap);
	const char *enable = enable_text(g->out, a, z), *moves = moves_text(g);

	if (subject.kind == IBC_SUBJECT_CABLE)
		sink_add(g->out, &subject, "is missing%s%s", states_text(g->out, a, z),
		         lost_paths(g));
	else
		sink_add(g->out, &subject, "has no cable to %s; similar switches have one%s%s",
		         jack_text(g->out, &gap->upper), states_text(g->out, a, z), lost_paths(g));
	sink_advise(g->out,
	            enable ? "%s"
	                   : "%s; if it is plugged in, reseat it at both ends, "
	                     "then replace it",
	            enable  ? enable
	            : moves ? moves
	                    : "Plug it in");
	sink_fact(g->out, "phys_state",
	          a ? ibc_enum(ibc_phys_state_word(a->phys_state)) : ibc_none());
	sink_fact(g->out, "peer_phys_state",
	          z ? ibc_enum(ibc_phys_state_word(z->phys_state)) : ibc_none());
}

static void report_several_missing(const struct tree_report *g)
{
	bool lower = is_of_lower(g->c);
	const struct wiring_gap *gap = &g->c->gaps[0];
	const struct ibc_node *node = lower ? gap->lower.node : gap->upper.node;
	const char *moves = moves_text(g);

	sink_node(g->out, node, "%zu cables to %s switches are missing: %s%s", g->c->num_gaps,
	          rank_word(g, lower ? gap->upper.node : gap->lower.node), far_text(g, lower),
	          lost_paths(g));
	sink_advise(
	    g->out,
	    "%s; so many at once point to one cause: a line card, a cable bundle, the switch",
	    moves ? moves : "Plug them in");
}

/* What has no cable, its like have; what does not answer is told to be not known. */
void report_missing_uplink(const struct tree_report *g)
{
	size_t unread = count_unread(g->c);

	if (unread == g->c->num_gaps)
		report_unread_cable(g);
	else if (g->c->num_gaps == 1)
		report_one_missing(g);
	else
		report_several_missing(g);
	sink_fact(g->out, "unknown", ibc_u64(unread));
	add_evidence(g);
}

/* ---- elsewhere -------------------------------------------------------------------------- */

/* " (slow as well)": of cables that are in the wrong place */
static const char *slow_text(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;

	if (!c->num_slow)
		return "";
	return sink_text(g->out, "; %s is slow as well, %s", port_text(g->out, c->slow[0]),
	                 mode_text(g->out, c->slow[0]));
}

/* Any of several cables may be the wrong one. */
static const char *tied_text(const struct tree_report *g)
{
	size_t n = g->c->num_tied;

	if (!n)
		return "";
	return sink_text(g->out, "; the ports do not distinguish it from %s beside it",
	                 amount_text(g->out, n, "cable"));
}

static void advise_moves(const struct tree_report *g)
{
	const char *moves = moves_text(g);

	if (moves)
		sink_advise(g->out, "%s", moves);
}

void report_same_rank(const struct tree_report *g)
{
	const struct ibc_port *p = g->c->found[0];
	const char *near = rank_word(g, p->node), *far = rank_word(g, p->peer->node);
	struct ibc_subject cable = found_cable(p);

	if (near == far)
		sink_add(g->out, &cable, "joins two %s switches: %s%s%s", near, belongs_text(g),
		         lost_paths(g), slow_text(g));
	else
		sink_add(g->out, &cable, "joins a %s and a %s switch: %s%s%s", near, far,
		         belongs_text(g), lost_paths(g), slow_text(g));
	advise_moves(g);
	add_evidence(g);
}

void report_uneven(const struct tree_report *g)
{
	const struct ibc_port *p = g->c->found[0];
	struct ibc_subject cable = found_cable(p);

	sink_add(g->out, &cable, "one cable too many between %s and %s: %s%s%s%s", p->node->label,
	         p->peer->node->label, belongs_text(g), tied_text(g), lost_paths(g), slow_text(g));
	advise_moves(g);
	add_evidence(g);
}

void report_exchanged(const struct tree_report *g)
{
	struct ibc_subject cable = found_cable(g->c->found[0]);
	size_t n = g->c->num_found;

	sink_add(g->out, &cable, "%s cables are %s: %s%s%s%s", number_text(g->out, n),
	         n == 2 ? "exchanged" : "rotated", belongs_text(g), tied_text(g), lost_paths(g),
	         slow_text(g));
	advise_moves(g);
	add_evidence(g);
}

/* ---- slow ---------------------------------------------------------------------------------- */

/* Is the cable told of already, and with better evidence? */
static bool is_cable_reported(const struct tree_report *g, const struct ibc_port *p)
{
	return sink_explained_by(g->out, "port.width") && sink_explained_by(g->out, "port.speed") &&
	       is_already_reported(g->slow, p);
}

/* What the cable lacks to those beside it is the loss of the case. */
void report_slow_trunk(const struct tree_report *g)
{
	const struct ibc_port *p = g->c->found[0];
	double gbps = ibc_link_gbps(p->width_active, p->speed_active);

	if (is_cable_reported(g, p))
		return;
	sink_cable(g->out, p, "trained to %s, the cables beside it to %.4g Gb/s",
	           mode_text(g->out, p), gbps + g->c->gbps_lost);
	sink_advise(g->out, "Reseat the cable at both ends, then replace it");
	sink_fact(g->out, "gbps", ibc_real(gbps));
	sink_fact(g->out, "siblings_gbps", ibc_real(gbps + g->c->gbps_lost));
	sink_fact(g->out, "lost_gbps", ibc_real(g->c->gbps_lost));
}
