/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switches that are gone, and what lies behind them, which names them as its cause, so that both
 * are one case; what all checks of this group say in the same words.
 */
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
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

/* struct led - a place among those of a kind, of something that cannot be reached without @leader
 */
struct led {
	size_t leader, at;
};

/*
 * struct behind - what cannot be reached without some device
 * @nodes: all of it
 * @partly: hosts of which another adapter was found; @num_hcas: so many of theirs were not
 */
struct behind {
	const struct led *nodes;
	const char **hosts, **partly, **switches, **peers;
	size_t num_nodes, num_hosts, num_partly, num_hcas, num_switches, num_peers;
	const struct gone_manager *manager;
};

/*
 * struct all_led - all of these, sorted by their leaders, then by their places
 * @nodes, @adapters: places in those of struct ibc_gone; @cables: those of switches
 */
struct all_led {
	struct led *nodes, *adapters, *cables;
	size_t num_nodes, num_adapters, num_cables;
};

static int by_leader(const void *va, const void *vz)
{
	const struct led *a = va, *z = vz;

	return order_u64(a->leader, z->leader) ?: order_u64(a->at, z->at);
}

/* The end of a cable, from a switch that is there to one that is not, that was seen; else NULL. */
static const struct gone_end *seen_end(const struct gone_cable *c, size_t *lost)
{
	const struct gone_end *seen = c->a.node == GONE_NONE ? &c->a : &c->z;

	*lost = c->a.node == GONE_NONE ? c->z.node : c->a.node;
	return c->state == GONE_AWAY && c->between && seen->node == GONE_NONE &&
	               *lost != GONE_NONE && seen->now
	           ? seen
	           : NULL;
}

static struct all_led find_led(const struct ibc_gone *g, struct ibc_sink *out)
{
	struct all_led l = { .nodes = sink_array(out, g->num_nodes, sizeof(struct led)),
		             .adapters = sink_array(out, g->num_nodes, sizeof(struct led)),
		             .cables = sink_array(out, g->num_cables, sizeof(struct led)) };
	size_t lost;

	for (size_t i = 0; i < g->num_nodes; i++)
		if (g->nodes[i].state == GONE_AWAY && gone_leader(g, i) != i)
			l.nodes[l.num_nodes++] = (struct led){ gone_leader(g, i), i };
	for (size_t k = 0, i; k < g->num_adapters; k++)
		if (i = g->adapters[k], g->nodes[i].state == GONE_AWAY && gone_leader(g, i) != i)
			l.adapters[l.num_adapters++] = (struct led){ gone_leader(g, i), k };
	for (size_t i = 0; i < g->num_cables; i++)
		if (seen_end(&g->cables[i], &lost))
			l.cables[l.num_cables++] = (struct led){ gone_leader(g, lost), i };
	qsort(l.nodes, l.num_nodes, sizeof(*l.nodes), by_leader);
	qsort(l.adapters, l.num_adapters, sizeof(*l.adapters), by_leader);
	qsort(l.cables, l.num_cables, sizeof(*l.cables), by_leader);
	return l;
}

/* Those of a leader, *n of them. */
static const struct led *led_by(size_t leader, const struct led *all, size_t num, size_t *n)
{
	const struct led first = { leader, 0 }, end = { leader + 1, 0 };
	size_t i = lower_bound(&first, all, num, sizeof(first), by_leader);

	*n = lower_bound(&end, all, num, sizeof(end), by_leader) - i;
	return all + i;
}

static void find_hosts_behind(const struct ibc_gone *g, const struct led *adapters, size_t num,
                              struct behind *b)
{
	for (size_t i = 0, end; i < num; i = end) {
		const struct gone_node *n = &g->nodes[g->adapters[adapters[i].at]];
		size_t host_end = gone_host_end(g, adapters[i].at);

		for (end = i + 1; end < num && adapters[end].at < host_end;)
			end++;
		if (n->host_here) {
			b->partly[b->num_partly++] = n->host;
			b->num_hcas += end - i;
		} else {
			b->hosts[b->num_hosts++] = gone_host(n);
		}
	}
}

static struct behind find_behind(const struct ibc_gone *g, const struct all_led *l, size_t leader,
                                 struct ibc_sink *out)
{
	struct behind b = { .manager = NULL };
	const struct led *adapters, *cables;
	size_t num_adapters, num_cables, lost;

	b.nodes = led_by(leader, l->nodes, l->num_nodes, &b.num_nodes);
	adapters = led_by(leader, l->adapters, l->num_adapters, &num_adapters);
	cables = led_by(leader, l->cables, l->num_cables, &num_cables);
	b.switches = sink_array(out, b.num_nodes, sizeof(*b.switches));
	b.hosts = sink_array(out, num_adapters, sizeof(*b.hosts));
	b.partly = sink_array(out, num_adapters, sizeof(*b.partly));
	b.peers = sink_array(out, num_cables, sizeof(*b.peers));
	for (size_t i = 0; i < b.num_nodes; i++)
		if (g->nodes[b.nodes[i].at].type != IBC_NODE_CA)
			b.switches[b.num_switches++] = g->nodes[b.nodes[i].at].name;
	find_hosts_behind(g, adapters, num_adapters, &b);
	for (size_t i = 0; i < num_cables; i++)
		b.peers[b.num_peers++] =
		    seen_end(&g->cables[cables[i].at], &lost)->now->node->label;
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

static void report_away(const struct ibc_gone *g, const struct all_led *l, size_t i, bool cut,
                        const char *advice, struct ibc_sink *out)
{
	const struct gone_node *n = &g->nodes[i];
	struct ibc_subject subject = gone_node_subject(n);
	struct behind b = find_behind(g, l, i, out);

	sink_add(out, &subject, "%s since %s%s", cut ? "cannot be reached" : "is gone",
	         gone_when(out, n->seen), behind_text(out, &b, cut));
	sink_since(out, n->seen);
	advise_manager(out, &b, advice);
	sink_fact(out, "hosts_cut_off", ibc_u64(b.num_hosts));
	sink_fact(out, "switches_cut_off", ibc_u64(b.num_switches));
	sink_fact(out, "cables_down", ibc_u64(b.num_peers));
	for (size_t k = 0; k < b.num_nodes; k++)
		gone_relate(out, IBC_ROLE_VICTIM, &g->nodes[b.nodes[k].at]);
}

/*
 * A switch that was there and is not any more has no power, or hangs, or all of its cables were
 * pulled.  All that hangs at it is cut off.
 */
void gone_check_switch(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_gone *g = out->report->expected;
	struct all_led l = find_led(g, out);

	(void)in;
	for (size_t i = 0; i < g->num_nodes; i++)
		if (gone_leads(g, i) && g->nodes[i].type != IBC_NODE_CA &&
		    g->nodes[i].cut == GONE_NONE)
			report_away(g, &l, i, false,
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
	struct all_led l = find_led(g, out);

	(void)in;
	for (size_t i = 0; i < g->num_nodes; i++)
		if (gone_leads(g, i) && g->nodes[i].cut == i)
			report_away(g, &l, i, true,
			            "Look at the cables that are down, and at the power of the "
			            "switches they lead to. The part may work by itself: sweep it "
			            "from a host in it.",
			            out);
}
