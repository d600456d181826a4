/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switches that are gone, and what lies behind them, which names them as its cause, so that both
 * are one case; what all checks of this group say in the same words.
 */
#include <time.h>

#include "check/collect.h"
#include "check/gone/gone.h"
#include "report/report.h"

const char *gone_when(struct ibc_sink *out, time_t when)
{
	char text[32];
	struct tm tm;

	if (!gmtime_r(&when, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm))
		return "an unknown time";
	return sink_text(out, "%s", text);
}

struct ibc_end gone_end(const struct gone_end *end)
{
	return end->now ? end_of_port(end->now)
	                : (struct ibc_end){ .guid = end->guid,
		                            .has_guid = true,
		                            .desc = end->name,
		                            .label = end->name,
		                            .port = end->num,
		                            .has_port = true };
}

struct ibc_subject gone_node_subject(const struct gone_node *node)
{
	return (struct ibc_subject){ .kind = IBC_SUBJECT_NODE,
		                     .near = { .guid = node->guid,
		                               .has_guid = true,
		                               .desc = node->name,
		                               .label = node->name } };
}

void gone_relate(struct ibc_sink *out, enum ibc_role role, const struct gone_node *node)
{
	struct ibc_subject subject = gone_node_subject(node);

	ibc_report_relate(out->report, role, &subject);
}

bool gone_leads(const struct ibc_gone *g, size_t i)
{
	const struct gone_node *n = &g->nodes[i];

	return n->state == GONE_AWAY && n->lead == i && !n->earlier;
}

/* The one that all of a cut name: the first of those that bind it. */
size_t gone_leader(const struct ibc_gone *g, size_t node)
{
	size_t lead = g->nodes[node].lead;

	return g->nodes[lead].cut == GONE_NONE ? lead : g->nodes[lead].cut;
}

/* ---- gone.switch and gone.cut -------------------------------------------------------- */

/*
 * struct behind - what cannot be reached without some device
 * @partly: hosts of which another adapter was found; @num_hcas: so many of theirs were not
 */
struct behind {
	const char **hosts, **partly, **switches, **peers;
	size_t num_hosts, num_partly, num_hcas, num_switches, num_peers;
	const struct gone_manager *manager;
};

static bool is_behind(const struct ibc_gone *g, size_t i, size_t leader)
{
	return g->nodes[i].state == GONE_AWAY && i != leader && gone_leader(g, i) == leader;
}

static struct behind find_behind(const struct ibc_gone *g, size_t leader, struct ibc_sink *out)
{
	struct behind b = { .hosts = sink_array(out, g->num_nodes, sizeof(*b.hosts)),
		            .partly = sink_array(out, g->num_nodes, sizeof(*b.partly)),
		            .switches = sink_array(out, g->num_nodes, sizeof(*b.switches)),
		            .peers = sink_array(out, g->num_cables, sizeof(*b.peers)) };

	for (size_t i = 0; i < g->num_nodes; i++)
		if (g->nodes[i].type != IBC_NODE_CA && is_behind(g, i, leader))
			b.switches[b.num_switches++] = g->nodes[i].name;
	for (size_t i = 0, end; i < g->num_adapters; i = end) {
		const struct gone_node *n = &g->nodes[g->adapters[i]];
		size_t behind = 0;

		end = gone_host_end(g, i);
		for (size_t k = i; k < end; k++)
			behind += is_behind(g, g->adapters[k], leader);
		if (!behind)
			continue;
		if (n->host_here) {
			b.partly[b.num_partly++] = n->host;
			b.num_hcas += behind;
		} else {
			b.hosts[b.num_hosts++] = gone_host(n);
		}
	}
	for (size_t i = 0; i < g->num_cables; i++) {
		const struct gone_cable *c = &g->cables[i];
		const struct gone_end *seen = c->a.node == GONE_NONE ? &c->a : &c->z;
		const struct gone_end *lost = c->a.node == GONE_NONE ? &c->z : &c->a;

		if (c->state == GONE_AWAY && seen->node == GONE_NONE && lost->node != GONE_NONE &&
		    c->between && gone_leader(g, lost->node) == leader && seen->now)
			b.peers[b.num_peers++] = seen->now->node->label;
	}
	for (size_t i = 0; i < g->num_managers; i++) {
		const struct gone_manager *m = &g->managers[i];

		if (m->at.node != GONE_NONE && m->state == GONE_AWAY &&
		    gone_leader(g, m->at.node) == leader && (!b.manager || m->master))
			b.manager = m;
	}
	return b;
}

/* ", and 18 hosts behind it: node[0019-0036]; its cables to spine[01-18] are down there" */
static const char *behind_text(struct ibc_sink *out, struct behind *b, bool cut)
{
	const char *text = "";
	char amount[AMOUNT_TEXT];

	if (b->num_switches)
		text = sink_text(out, ", %s %s: %s", cut ? "nor can" : "and",
		                 str_amount(amount, b->num_switches, "other switch"),
		                 sink_folded(out, b->switches, b->num_switches));
	if (b->num_hosts)
		text = sink_text(out, "%s, %s %s behind %s: %s", text, cut ? "nor" : "and",
		                 str_amount(amount, b->num_hosts, "host"), cut ? "them" : "it",
		                 sink_folded(out, b->hosts, b->num_hosts));
	if (b->num_partly)
		text = sink_text(out, "%s, %s %s of hosts that are there: %s", text,
		                 cut ? "nor" : "and", str_amount(amount, b->num_hcas, "HCA"),
		                 sink_folded(out, b->partly, b->num_partly));
	if (b->num_peers)
		text = sink_text(out, "%s; %s %s %s down there", text,
		                 cut ? "what led to them from"
		                     : (b->num_peers == 1 ? "its cable to" : "its cables to"),
		                 sink_folded(out, b->peers, b->num_peers),
		                 cut || b->num_peers == 1 ? "is" : "are");
	return text;
}

static void advise_manager(struct ibc_sink *out, const struct behind *b, const char *advice)
{
	if (b->manager && b->manager->master)
		sink_advise(out,
		            "%s The subnet manager was on %s behind it: if that is not back in "
		            "minutes, start one elsewhere, with a lower priority and the same "
		            "M_Key.",
		            advice, b->manager->at.name);
	else
		sink_advise(out, "%s " GONE_ON_PURPOSE, advice);
}

static void relate_behind(const struct ibc_gone *g, size_t leader, struct ibc_sink *out)
{
	for (size_t i = 0; i < g->num_nodes; i++)
		if (is_behind(g, i, leader))
			gone_relate(out, IBC_ROLE_VICTIM, &g->nodes[i]);
}

static void report_away(const struct ibc_gone *g, size_t i, bool cut, const char *advice,
                        struct ibc_sink *out)
{
	const struct gone_node *n = &g->nodes[i];
	struct ibc_subject subject = gone_node_subject(n);
	struct behind b = find_behind(g, i, out);

	sink_add(out, &subject, "%s since %s%s", cut ? "cannot be reached" : "is gone",
	         gone_when(out, n->seen), behind_text(out, &b, cut));
	sink_since(out, n->seen);
	advise_manager(out, &b, advice);
	sink_fact(out, "hosts_cut_off", ibc_u64(b.num_hosts));
	sink_fact(out, "switches_cut_off", ibc_u64(b.num_switches));
	sink_fact(out, "cables_down", ibc_u64(b.num_peers));
	relate_behind(g, i, out);
}

/*
 * A switch that was there and is not any more has no power, or hangs, or all of its cables were
 * pulled.  All that hangs at it is cut off.
 */
void gone_check_switch(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_gone *g = out->report->expected;

	(void)in;
	for (size_t i = 0; i < g->num_nodes; i++)
		if (gone_leads(g, i) && g->nodes[i].type != IBC_NODE_CA &&
		    g->nodes[i].cut == GONE_NONE)
			report_away(g, i, false,
			            "Check its power, then its console and its cables.", out);
}

/*
 * Several devices at the border of a part of the fabric are gone, and all that lies beyond them:
 * they failed at once, which loss of power does, or the cables to them are cut.  What is there is
 * not known: it may work by itself.
 */
void gone_check_cut(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_gone *g = out->report->expected;

	(void)in;
	for (size_t i = 0; i < g->num_nodes; i++)
		if (gone_leads(g, i) && g->nodes[i].cut == i)
			report_away(g, i, true,
			            "Look at the cables that are down, and at the power of the "
			            "switches they lead to. The part may work by itself: sweep it "
			            "from a host in it.",
			            out);
}
