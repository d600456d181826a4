/* SPDX-License-Identifier: BSD-2-Clause */
/* What one plane lacks of the several that an XDR port is made of. */
#include "check/fattree.h"

/* "leaf01-p1/5 - spine01-p1/1, ..." */
static const char *siblings_text(const struct tree_report *g)
{
	struct texts all = { .n = 0 };
	const char *text = NULL;

	for (size_t i = 0; i < g->c->num_siblings; i++) {
		struct ibc_subject cable = found_cable(g->c->siblings[i]);
		const char *one = subject_text(g->out, &cable);

		add_text(g->out, &all, one);
		text = text ? sink_text(g->out, "%s, %s", text, one) : one;
	}
	sink_fact(g->out, "siblings", texts_value(g->out, &all));
	return text;
}

static void report_plane_cable(const struct tree_report *g)
{
	const struct wiring_gap *gap = &g->c->gaps[0];
	struct ibc_subject subject = gap_subject(gap);

	sink_add(g->out, &subject, "is a cable that one plane lacks: %s", g->c->why);
	sink_advise(g->out,
	            "Plug in or replace it: until then this uplink has less than its full rate. "
	            "It belongs beside %s",
	            siblings_text(g));
	for (size_t i = 0; i < g->c->num_siblings; i++)
		sink_relate(g->out, IBC_ROLE_FOUND, g->c->siblings[i]);
	add_evidence(g);
}

/* Of a whole plane that nobody swept, nothing is known. */
void report_plane(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;

	if (c->unread)
		sink_as(g->out, IBC_UNKNOWN);
	if (c->num_siblings) {
		report_plane_cable(g);
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
