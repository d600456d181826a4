/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts and their adapters.  A host comes back from a reboot by itself, an adapter of one that is
 * there does not.
 */
#include <stdlib.h>
#include <string.h>

#include "check/collect.h"
#include "check/gone/gone.h"
#include "fabric/fabric.h"
#include "report/report.h"

#define MANY_PERCENT 10 /* of all hosts: what takes so many is no matter of single hosts */
#define MANY_HOSTS   2  /* one host of a small cluster is one host */
#define MANY_LEAVES  2  /* all hosts of one leaf may be one rack that is serviced */

/*
 * struct host - one that is gone
 * @node: its first adapter that is missing, @num: so many of them
 * @behind: all of them lie behind something that is gone; @due: it has been away for long
 * @leaf: a switch that is there and to which it was cabled, or NULL
 */
struct host {
	const char *name;
	size_t node, num;
	bool behind, due;
	const struct ibc_node *leaf;
};

/* struct adapter - one that is missing, by its host */
struct adapter {
	const char *host;
	size_t node;
};

static int by_host(const void *va, const void *vz)
{
	const struct adapter *a = va, *z = vz;

	return strcmp(a->host, z->host) ?: order_u64(a->node, z->node);
}

static bool is_missing(const struct gone_node *n)
{
	return n->type == IBC_NODE_CA && !n->host_here &&
	       (n->state == GONE_AWAY || n->state == GONE_UNSEEN);
}

static const struct ibc_node *leaf_of(const struct ibc_gone *g, size_t node)
{
	for (size_t i = 0; i < g->num_cables; i++) {
		const struct gone_cable *c = &g->cables[i];

		if (c->a.node == node && c->z.now)
			return c->z.now->node;
		if (c->z.node == node && c->a.now)
			return c->a.now->node;
	}
	return NULL;
}

/* How long it may be away: by its name, as the configuration has it. */
static bool is_due(const struct ibc_input *in, const struct gone_node *n, time_t missed,
                   const struct ibc_sink *out)
{
	struct called called = { .names = { n->name, n->host }, .guid = n->guid, .has_guid = true };
	struct limits limits = limits_of_called(in->config, out->check, IBC_NODE_CA, &called);

	return difftime(out->report->expected->time, missed) >= limits.warning * 60;
}

/* Hosts of which no adapter was found and all were looked for: sorted by name. */
static struct host *hosts_away(const struct ibc_input *in, size_t *num, struct ibc_sink *out)
{
	const struct ibc_gone *g = out->report->expected;
	struct adapter *all = sink_array(out, g->num_nodes, sizeof(*all));
	struct host *hosts = sink_array(out, g->num_nodes, sizeof(*hosts));
	size_t n = 0;

	for (size_t i = 0; i < g->num_nodes; i++)
		if (is_missing(&g->nodes[i]))
			all[n++] = (struct adapter){ g->nodes[i].host ?: g->nodes[i].name, i };
	if (n)
		qsort(all, n, sizeof(*all), by_host);
	*num = 0;
	for (size_t i = 0, end; i < n; i = end) {
		struct host *h = &hosts[*num];
		bool away = true, earlier = true;
		*h = (struct host){ .name = all[i].host, .node = all[i].node, .behind = true };
		for (end = i; end < n && !strcmp(all[end].host, all[i].host); end++) {
			const struct gone_node *node = &g->nodes[all[end].node];

			away &= node->state == GONE_AWAY;
			earlier &= node->earlier;
			h->behind &= node->lead != all[end].node || node->cut != GONE_NONE;
			h->num++;
		}
		if (!away || earlier)
			continue;
		h->due = is_due(in, &g->nodes[h->node], g->nodes[h->node].host_missed, out);
		h->leaf = leaf_of(g, h->node);
		++*num;
	}
	return hosts;
}

/* So many of those that are away that it is no matter of single hosts. */
static bool are_many(const struct ibc_input *in, const struct host *hosts, size_t num)
{
	size_t due = 0, leaves = 0, all = ibc_fabric_count(in->fabric).hosts + num;

	for (size_t i = 0; i < num; i++) {
		bool first = true;

		if (!hosts[i].due || hosts[i].behind)
			continue;
		due++;
		for (size_t k = 0; hosts[i].leaf && k < i; k++)
			first &= hosts[k].leaf != hosts[i].leaf || !hosts[k].due;
		leaves += first && hosts[i].leaf && !has_ca(hosts[i].leaf);
	}
	return (due >= MANY_HOSTS && due * 100 >= all * MANY_PERCENT) || leaves >= MANY_LEAVES;
}

static void report_host(const struct ibc_gone *g, const struct host *h, bool many,
                        struct ibc_sink *out)
{
	const struct gone_node *n = &g->nodes[h->node];
	struct ibc_subject subject = gone_node_subject(n);
	bool counts = h->due || h->behind;
	char amount[AMOUNT_TEXT];

	subject.near.label = subject.near.desc = h->name;
	sink_as(out, !counts ? IBC_INFO : many && !h->behind ? IBC_CRITICAL : IBC_WARNING);
	sink_add(out, &subject, "is gone since %s%s%s%s%s", gone_when(out, n->host_seen),
	         h->num > 1 ? ", with " : "", h->num > 1 ? str_amount(amount, h->num, "HCA") : "",
	         h->leaf ? "; it was at " : "", h->leaf ? h->leaf->label : "");
	sink_since(out, n->host_seen);
	sink_fact(out, "hcas", ibc_u64(h->num));
	for (size_t i = 0; i < g->num_nodes; i++)
		if (is_missing(&g->nodes[i]) &&
		    !strcmp(g->nodes[i].host ?: g->nodes[i].name, h->name))
			gone_relate(out, IBC_ROLE_PLANNED, &g->nodes[i]);
	if (h->behind)
		gone_relate(out, IBC_ROLE_CAUSE, &g->nodes[gone_leader(g, h->node)]);
	else if (counts)
		sink_advise(out, "Look at its console and its power. If it was taken away on "
		                 "purpose, say so: \"ibcheck known retire\" with this ID.");
	if (!counts)
		sink_advise(out,
		            "A host that was rebooted comes back by itself; one that stays away "
		            "becomes a warning.");
}

/*
 * A host that does not answer any more is off, hangs, or lost its adapter.  One that was rebooted
 * is back soon: it is a fault once it has been missed for an hour.
 */
void gone_check_host(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t num;
	struct host *hosts = hosts_away(in, &num, out);
	bool many = are_many(in, hosts, num);

	for (size_t i = 0; i < num; i++)
		report_host(out->report->expected, &hosts[i], many, out);
}

/*
 * An adapter that is gone while its host is there fell off the bus, or its cable, or its switch
 * port failed.
 */
void gone_check_hca(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_gone *g = out->report->expected;

	(void)in;
	for (size_t i = 0; i < g->num_nodes; i++) {
		const struct gone_node *n = &g->nodes[i];
		struct ibc_subject subject = gone_node_subject(n);

		if (n->type != IBC_NODE_CA || !n->host_here || n->state != GONE_AWAY || n->earlier)
			continue;
		sink_add(out, &subject, "is gone since %s; other HCAs of %s are there",
		         gone_when(out, n->seen), n->host);
		sink_since(out, n->seen);
		if (n->lead != i)
			gone_relate(out, IBC_ROLE_CAUSE, &g->nodes[gone_leader(g, i)]);
		else
			sink_advise(out,
			            "Find out on %s whether it is on the PCIe bus (lspci) and "
			            "whether its port has a link (ibstat); then its cable. If "
			            "it was taken away on purpose, say so: \"ibcheck known "
			            "retire\" with this ID.",
			            n->host);
	}
}
