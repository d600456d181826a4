/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of cables, switches, hosts and planes that break the symmetry. */
#include "check/counters/rates.h"
#include "check/fattree/fattree.h"
#include "check/gone/gone.h"

#include "report/report.h"

/* The port of a jack that has answered; NULL: it is not known, or has not. */
static const struct ibc_port *known_jack(const struct wiring_jack *jack)
{
	const struct ibc_port *p = jack->node && jack->port ? ibc_node_port(jack->node, jack->port)
	                                                    : NULL;

	return p && ibc_port_has(p, IBC_ATTR_PORT_INFO) ? p : NULL;
}

/* The first is the subject, unless the whole is. */
static void relate_nodes(const struct tree_report *g)
{
	for (size_t i = 0; i < g->c->num_nodes && i < CABLES_MAX; i++)
		sink_relate_node(g->out, IBC_ROLE_FOUND, g->c->nodes[i]);
}

/* ---- missing -------------------------------------------------------------------------- */

/* Whether it is there is not known. */
static bool gap_is_unread(const struct wiring_gap *gap)
{
	return jack_is_unread(&gap->lower) || jack_is_unread(&gap->upper);
}

static bool is_same_jack(const struct wiring_jack *a, const struct wiring_jack *z)
{
	return a->node == z->node && a->port == z->port;
}

/* Does a step connect the two jacks of a gap? */
static bool is_step_of(const struct ibc_step *step, const struct wiring_gap *gap)
{
	const struct wiring_jack to = { step->to.node, step->to.port };
	const struct wiring_jack peer = { step->peer.node, step->peer.port };
	bool turned = is_same_jack(&gap->upper, &to);

	return is_same_jack(turned ? &gap->upper : &gap->lower, &to) &&
	       is_same_jack(turned ? &gap->lower : &gap->upper, &peer);
}

/* How many of the first n gaps read like this one? */
static unsigned int count_alike(const struct wiring_gap *gaps, size_t n,
                                const struct wiring_gap *gap)
{
	unsigned int alike = 0;

	for (size_t i = 0; i < n; i++)
		alike += is_same_jack(&gaps[i].lower, &gap->lower) &&
		         is_same_jack(&gaps[i].upper, &gap->upper);
	return alike;
}

/* The same over all cases: it distinguishes cables without ports. */
static unsigned int ordinal_of(const struct tree_report *g, size_t i)
{
	unsigned int n = count_alike(g->c->gaps, i, &g->c->gaps[i]) + 1;

	for (const struct wiring_case *c = g->tree->cases; c < g->c; c++)
		n += c->kind == WIRING_MISSING ? count_alike(c->gaps, c->num_gaps, &g->c->gaps[i])
		                               : 0;
	return n;
}

/* The part of a case that is about one of its missing cables. */
static struct wiring_case cable_of_case(const struct ibc_fattree *tree, const struct wiring_case *c,
                                        size_t i)
{
	struct wiring_case cable = *c;
	unsigned int before = count_alike(c->gaps, i, &c->gaps[i]);

	cable.gaps = &c->gaps[i];
	cable.num_gaps = 1;
	cable.gbps_lost /= (double)c->num_gaps;
	cable.num_steps = 0;
	for (size_t k = 0; k < c->num_steps && !cable.num_steps; k++)
		if (is_step_of(&tree->steps[c->first_step + k], cable.gaps) && !before--) {
			cable.first_step = c->first_step + k;
			cable.num_steps = 1;
		}
	return cable;
}

/* The end of an advice about what may be intended. */
#define IF_INTENDED                                                                                \
	"If it is intended, say so: with a plan (--expect), or accept it (ibcheck known add)"

/*
 * One cable that is not there, of a case that may have several.  What is not connected is missing;
 * what does not answer is not known.
 */
static void report_one_cable(const struct tree_report *g, unsigned int ordinal)
{
	const struct wiring_gap *gap = &g->c->gaps[0];
	const struct ibc_port *a = known_jack(&gap->lower), *z = known_jack(&gap->upper);
	struct ibc_subject subject = gap_subject(gap);
	bool at_upper = subject.kind != IBC_SUBJECT_CABLE && !gap->lower.port && gap->upper.port;
	const struct wiring_jack *far = at_upper ? &gap->lower : &gap->upper;
	const char *enable = enable_text(g->out, a, z), *moves = moves_text(g);
	bool unread = gap_is_unread(gap);

	if (unread) {
		sink_as(g->out, IBC_UNKNOWN);
		sink_add(g->out, &subject,
		         "the cable from %s to %s is not checked: one of its ports does not "
		         "answer, or leads to a device that does not",
		         jack_text(g->out, &gap->lower), jack_text(g->out, &gap->upper));
		sink_advise(g->out, "See port.silent first");
	} else {
		/* no line that was lost has it */
		if (node_was_read(gap->lower.node) && node_was_read(gap->upper.node))
			sink_proven(g->out);
		if (subject.kind == IBC_SUBJECT_CABLE)
			sink_add(g->out, &subject, "is missing%s%s", states_text(g->out, a, z),
			         lost_paths(g));
		else
			sink_add(g->out, &subject,
			         "has no cable to %s; similar switches have one%s%s",
			         jack_text(g->out, far), states_text(g->out, a, z), lost_paths(g));
		sink_advise(g->out, enable ? "%s" : "%s; if it is plugged in, reseat it at both "
		                                    "ends, then replace it",
		            enable ?: moves ?: "Plug it in");
		phys_facts(g->out, a, z);
	}
	sink_fact(g->out, "unknown", ibc_u64(unread));
	if (subject.kind == IBC_SUBJECT_NODE) {
		struct ibc_subject other = node_subject(far->node);
		char identity[IBC_IDENTITY_MAX];

		sink_fact(g->out, "far", ibc_str(ibc_subject_identity(&other, identity)));
		sink_fact(g->out, "ordinal", ibc_u64(ordinal));
	}
	add_evidence(g);
}

/* Of the cables of one case, those that are not known are one view, the others another. */
static void report_missing_cables(const struct tree_report *g, bool unread)
{
	size_t first = g->out->report->num_findings, n = 0;
	const struct wiring_gap *gaps = g->c->gaps;
	const char *far[SHOWN_MAX] = { NULL }, *moves = moves_text(g), *label, *last = NULL;
	size_t num_far = 0;
	bool lower = true;
	struct ibc_subject subject;

	for (size_t i = 0; i < g->c->num_gaps; i++)
		lower &= gaps[i].lower.node == gaps[0].lower.node;
	for (size_t i = 0; i < g->c->num_gaps; i++) {
		struct wiring_case cable = cable_of_case(g->tree, g->c, i);
		struct tree_report one = *g;

		if (gap_is_unread(&gaps[i]) != unread)
			continue;
		n++;
		label = (lower ? gaps[i].upper : gaps[i].lower).node->label;
		if (label != last && num_far++ < SHOWN_MAX)
			far[num_far - 1] = label;
		last = label;
		one.c = &cable;
		report_one_cable(&one, ordinal_of(g, i));
	}
	if (n < 2)
		return;
	subject = node_subject((lower ? gaps->lower : gaps->upper).node);
	report_view(g->out->report, first, &subject,
	            sink_text(g->out, "%zu cables to %s switches are %s: %s%s", n,
	                      rank_word(g, (lower ? gaps->upper : gaps->lower).node),
	                      unread ? "not checked" : "missing", list_text(g->out, far, num_far),
	                      unread ? "" : lost_paths(g)),
	            unread ? "See port.silent first"
	                   : sink_text(g->out,
	                               "%s; so many at once point to one cause: a line card, a "
	                               "cable bundle, the switch",
	                               moves ? moves : "Plug them in"));
}

/* What is missing was there, each of it, and is gone: that is the cause. */
static void relate_gone(const struct tree_report *g)
{
	size_t n = g->c->num_gaps;
	struct ibc_subject *cables = sink_array(g->out, n, sizeof(*cables));

	for (size_t i = 0; i < n; i++) {
		const struct wiring_gap *gap = &g->c->gaps[i];

		if (!gone_between(g->out->report->expected, gap->lower.node, gap->upper.node,
		                  count_alike(g->c->gaps, i, gap), &cables[i]))
			return;
	}
	for (size_t i = 0; i < n; i++)
		ibc_report_relate(g->out->report, IBC_ROLE_CAUSE, &cables[i]);
}

/* Nobody knows whether it lacks so many; who accepts it accepts no further loss. */
static void report_doubtful(const struct tree_report *g)
{
	const struct ibc_node *node = g->c->nodes[0];
	const struct wiring_gap *gap = &g->c->gaps[0];
	struct ibc_subject cable = gap_subject(gap);

	if (jack_is_unread(&(struct wiring_jack){ .node = node }))
		sink_as(g->out, IBC_UNKNOWN);
	else if (g->out->check->severity > IBC_WARNING)
		sink_as(g->out, IBC_WARNING);
	if (cable.kind == IBC_SUBJECT_CABLE && g->c->num_gaps == 1)
		sink_add(g->out, &cable, "seems to be missing: %s %s", node->label, g->c->why);
	else
		sink_node(g->out, node, "%s", g->c->why);
	sink_advise(g->out, "%s. " IF_INTENDED,
	            g->c->num_gaps == 1 && cable.kind == IBC_SUBJECT_CABLE
	                ? sink_text(g->out, "Connect %s to %s", jack_text(g->out, &gap->lower),
	                            jack_text(g->out, &gap->upper))
	                : "Look at its dark ports, and at what its cables have in common: a line "
	                  "card, a bundle, a power supply");
	sink_fact(g->out, "cables", ibc_u64(g->c->num_gaps));
	relate_gone(g);
	add_evidence(g);
}

static void report_missing_uplink(const struct tree_report *g)
{
	if (g->c->doubtful) {
		report_doubtful(g);
		return;
	}
	report_missing_cables(g, false);
	report_missing_cables(g, true);
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

static void report_same_rank(const struct tree_report *g)
{
	const struct ibc_port *p = g->c->found[0];
	const char *near = rank_word(g, p->node), *far = rank_word(g, p->peer->node);
	const char *moves = moves_text(g);
	struct ibc_subject cable = found_cable(p);

	if (near == far)
		sink_add(g->out, &cable, "joins two %s switches: %s%s%s", near,
		         g->c->num_gaps
		             ? belongs_text(g)
		             : "hardly any other cable does, and none is missing in its place",
		         lost_paths(g), slow_text(g));
	else
		sink_add(g->out, &cable, "joins a %s and a %s switch: %s%s%s", near, far,
		         belongs_text(g), lost_paths(g), slow_text(g));
	if (g->c->num_gaps || !moves)
		advise_steps(g->out, moves);
	else
		sink_advise(g->out, "%s. " IF_INTENDED, moves);
	add_evidence(g);
}

static void report_uneven(const struct tree_report *g)
{
	const struct ibc_port *p = g->c->found[0];
	struct ibc_subject cable = found_cable(p);

	const char *paths = lost_paths(g);

	sink_add(g->out, &cable, "%s between %s and %s: %s%s%s%s",
	         *paths ? "one cable too many" : "a cable at the wrong port", p->node->label,
	         p->peer->node->label, belongs_text(g), tied_text(g), paths, slow_text(g));
	advise_steps(g->out, moves_text(g));
	add_evidence(g);
}

static void report_exchanged(const struct tree_report *g)
{
	struct ibc_subject cable = found_cable(g->c->found[0]);
	size_t n = g->c->num_found;

	sink_add(g->out, &cable, "%s cables are %s: %s%s%s%s", number_text(g->out, n),
	         n == 2 ? "exchanged" : "rotated", belongs_text(g), tied_text(g), lost_paths(g),
	         slow_text(g));
	advise_steps(g->out, moves_text(g));
	add_evidence(g);
}

/* ---- slow ---------------------------------------------------------------------------------- */

/* Nobody knows whether that is meant, but of a class; who accepts it accepts no more. */
static void report_slow_switch(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;
	const char *shown[SHOWN_MAX] = { NULL };

	for (size_t i = 1; i < c->num_nodes && i <= SHOWN_MAX; i++)
		shown[i - 1] = c->nodes[i]->label;
	if (!c->blamed) {
		sink_node(g->out, c->nodes[0], "%s; so have %s: it seems to be intended", c->why,
		          list_text(g->out, shown, c->num_nodes - 1));
		for (size_t i = 1; i < c->num_nodes && i < CABLES_MAX; i++)
			sink_relate_node(g->out, IBC_ROLE_FOUND, c->nodes[i]);
		return;
	}
	sink_node(g->out, c->nodes[0], "%s", c->why);
	sink_advise(g->out, "Look at what its cables have in common: a speed limit that is set on "
	                    "the switch, its firmware, a batch of cables. " IF_INTENDED);
	sink_fact(g->out, "cables", ibc_u64(c->num_found));
	sink_fact(g->out, "lost_gbps", ibc_real(c->gbps_lost));
	for (size_t i = 0; i < c->num_found && i < CABLES_MAX; i++)
		sink_relate(g->out, IBC_ROLE_FOUND, c->found[i]);
}

/* What the cable lacks to those beside it is the loss of the case. */
static void report_slow_trunk(const struct tree_report *g)
{
	bool known = sink_explained_by(g->out, "port.width") &&
	             sink_explained_by(g->out, "port.speed");
	const struct ibc_port *p = g->c->found[0];
	double gbps = ibc_link_gbps(p->width_active, p->speed_active);

	/* reported already, with better evidence */
	for (size_t i = 0; i < g->c->num_found; i++)
		known &= is_already_reported(g->slow, g->c->found[i]);
	if (known)
		return;
	if (g->c->num_nodes) {
		report_slow_switch(g);
		return;
	}
	sink_cable(g->out, p, "trained to %s, the cables beside it to %.4g Gb/s",
	           mode_text(g->out, p), gbps + g->c->gbps_lost);
	sink_advise(g->out, "Reseat the cable at both ends, then replace it");
	sink_fact(g->out, "gbps", ibc_real(gbps));
	sink_fact(g->out, "siblings_gbps", ibc_real(gbps + g->c->gbps_lost));
	sink_fact(g->out, "lost_gbps", ibc_real(g->c->gbps_lost));
}

/* ---- ports out of order --------------------------------------------------------------- */

static void report_ports(const struct tree_report *g)
{
	const char *shown[SHOWN_MAX] = { NULL };
	size_t n = g->c->num_found;

	for (size_t i = 0; i < n && i < SHOWN_MAX; i++)
		shown[i] = port_text(g->out, g->c->found[i]);
	sink_node(g->out, g->c->nodes[0],
	          "%s join%s the right switches at other ports than on similar switches: %s",
	          amount_text(g->out, n, "cable"), n == 1 ? "s" : "", list_text(g->out, shown, n));
	for (size_t i = 0; i < n && i < CABLES_MAX; i++)
		sink_relate(g->out, IBC_ROLE_FOUND, g->c->found[i]);
}

/* ---- absent switches ------------------------------------------------------------------- */

static void report_absent(const struct tree_report *g)
{
	bool leaf = g->c->kind == WIRING_NO_LEAF;
	const char *shown[SHOWN_MAX] = { NULL }, *beside = "some switches";
	struct texts states = { .n = 0 };
	const struct ibc_node *last = NULL;
	char identity[IBC_IDENTITY_MAX];
	struct ibc_subject below;
	unsigned int port = 0;
	size_t n = 0;

	for (size_t i = 0; i < g->c->num_gaps; i++) {
		const struct wiring_gap *gap = &g->c->gaps[i];
		const struct ibc_node *node = leaf ? gap->upper.node : gap->lower.node;
		const struct ibc_port *p = known_jack(node && !leaf ? &gap->lower : &gap->upper);

		/* whether what should be there has power */
		add_text(g->out, &states, p ? ibc_phys_state_word(p->phys_state)->word : NULL);
		if (!i)
			port = leaf ? gap->upper.port : gap->lower.port;
		if (!node || node == last)
			continue;
		if (n < SHOWN_MAX)
			shown[n] = node->label;
		n++;
		last = node;
	}
	if (n)
		beside = list_text(g->out, shown, n);
	if (leaf)
		sink_fabric(g->out, "a leaf switch, %s, seems to be missing below %s: %s",
		            g->c->name, beside, g->c->why);
	else
		sink_fabric(g->out, "a %s switch above %s seems to be missing: %s",
		            rank_name(g->c->rule->lower_rank + 1, g->tree->tiers), beside,
		            g->c->why);
	sink_advise(g->out, "Look for a switch without power or with all cables unplugged; if "
	                    "there never was one, nothing is wrong");
	sink_fact(g->out, "phys_state", texts_value(g->out, &states));
	if (leaf) {
		sink_fact(g->out, "name", ibc_str(g->c->name));
	} else {
		below = node_subject(g->c->num_nodes ? g->c->nodes[0] : g->c->gaps[0].lower.node);
		sink_fact(g->out, "below", ibc_str(ibc_subject_identity(&below, identity)));
	}
	sink_fact(g->out, "port", ibc_u64(port));
	add_evidence(g);
}

/* ---- hosts ------------------------------------------------------------------------------- */

static void report_host_up(const struct tree_report *g)
{
	const struct ibc_port *p = g->c->found[0];
	const struct ibc_node *ca = p->peer->node;

	sink_cable(g->out, p,
	           "%s is cabled to a %s switch; hardly any other switch of that tier has hosts",
	           ca->host_name ? ca->host_name : ca->label, rank_word(g, p->node));
	sink_advise(g->out, "Move it to a leaf switch, unless it is there on purpose: routing "
	                    "engines for trees can refuse the fabric (fattree.opensm-ftree)");
	for (size_t i = 1; i < g->c->num_found; i++)
		sink_relate(g->out, IBC_ROLE_FOUND, g->c->found[i]);
}

/* An exchange is a fault; one adapter alone may be meant to be where it is. */
static void report_rail(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;
	struct ibc_subject cable;

	if (c->num_found) {
		const char *moves = moves_text(g);

		cable = found_cable(c->found[0]);
		sink_add(g->out, &cable, "%s HCAs are %s: %s; %s",
		         number_text(g->out, c->num_found),
		         c->num_found == 2 ? "exchanged" : "rotated", belongs_text(g), c->why);
		sink_advise(g->out, "%s", moves ? moves : "Exchange the two plugs");
		add_evidence(g);
		return;
	}
	if (c->num_nodes == 1) {
		sink_node(g->out, c->nodes[0], "is %s", c->why);
		return;
	}
	sink_fabric(g->out, "%zu HCAs are %s", c->num_nodes, c->why);
	relate_nodes(g);
}

static void report_rail_parts(const struct tree_report *g)
{
	static const char advice[] =
	    "Look for cables to the spine switches of this rail that are missing or down. Until "
	    "then its HCAs do not reach those of the other part";
	const struct ibc_subject fabric = { .kind = IBC_SUBJECT_FABRIC };
	size_t first = g->out->report->num_findings, n = g->c->num_nodes;

	for (size_t i = 0; i < n; i++) {
		sink_node(g->out, g->c->nodes[i], "has %s", g->c->why);
		sink_advise(g->out, advice);
	}
	if (n > 1)
		report_view(g->out->report, first, &fabric,
		            sink_text(g->out, "%zu leaf switches have %s", n, g->c->why), advice);
}

static void report_rail_host(const struct tree_report *g)
{
	size_t n = g->c->lacking;

	sink_node(g->out, g->c->nodes[0], "is on a host that lacks %s HCA%s in the fabric: %s",
	          number_text(g->out, n), n == 1 ? "" : "s", g->c->why);
	sink_advise(g->out, "Run \"ibcheck host\" there: %s down or unplugged",
	            n == 1 ? "the HCA is gone, or its cable is"
	                   : "the HCAs are gone, or their cables are");
	if (n > 1) /* who accepts it accepts no further loss */
		sink_fact(g->out, "hcas", ibc_u64(n));
}

/* ---- planes of an XDR port ------------------------------------------------------------- */

/* A whole plane that was not swept is not known. */
static void report_plane(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;

	if (c->unread)
		sink_as(g->out, IBC_UNKNOWN);
	if (c->num_siblings) {
		struct ibc_subject subject = gap_subject(&c->gaps[0]);
		struct texts all = { .n = 0 };
		const char *text = ""; /* "leaf01-p1/5 - spine01-p1/1, ..." */

		for (size_t i = 0; i < c->num_siblings; i++) {
			struct ibc_subject cable = found_cable(c->siblings[i]);
			const char *one = subject_text(g->out, &cable);

			add_text(g->out, &all, one);
			text = sink_text(g->out, "%s%s%s", text, i ? ", " : "", one);
		}
		sink_add(g->out, &subject, "is a cable that one plane lacks: %s", c->why);
		sink_fact(g->out, "siblings", texts_value(g->out, &all));
		sink_advise(g->out,
		            "Plug in or replace it: until then this uplink has less than its full "
		            "rate. It belongs beside %s",
		            text);
		for (size_t i = 0; i < c->num_siblings; i++)
			sink_relate(g->out, IBC_ROLE_FOUND, c->siblings[i]);
		add_evidence(g);
	} else if (c->num_nodes) {
		sink_node(g->out, c->nodes[0], "%s", c->why);
		sink_advise(g->out, "Check power, cables and link of what is named. Until then the "
		                    "other planes carry its share");
		if (c->num_gaps)
			add_evidence(g);
	} else {
		sink_fabric(g->out, "%s", c->why);
		if (c->blamed)
			sink_advise(g->out, c->unread
			                        ? "Sweep that plane too: name a port of each plane "
			                          "with a --source of its own"
			                        : "Look for what all of that plane has in common: "
			                          "power, its subnet manager, its switches");
		else if (c->unread)
			sink_advise(g->out, "The HCAs report several planes (ExtendedNodeInfo). "
			                    "Compare what the ports of a few of them lead to: port "
			                    "1 of all shall be on switches of one plane, port 2 on "
			                    "those of the next");
	}
}

/* ---- each kind -------------------------------------------------------------------------- */

void report_tree_case(const struct tree_report *g)
{
	static void (*const reports[])(const struct tree_report *g) = {
		[WIRING_SAME_RANK] = report_same_rank,   [WIRING_MISSING] = report_missing_uplink,
		[WIRING_UNEVEN] = report_uneven,         [WIRING_SWAPPED] = report_exchanged,
		[WIRING_PORTS] = report_ports,           [WIRING_NO_SPINE] = report_absent,
		[WIRING_NO_LEAF] = report_absent,        [WIRING_HOST_UP] = report_host_up,
		[WIRING_SLOW] = report_slow_trunk,       [WIRING_RAIL] = report_rail,
		[WIRING_RAIL_PARTS] = report_rail_parts, [WIRING_RAIL_HOST] = report_rail_host,
		[WIRING_PLANE] = report_plane,
	};

	reports[g->c->kind](g);
}
