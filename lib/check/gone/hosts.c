/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts and their adapters.  A host comes back from a reboot by itself, an adapter of one that is
 * there does not.
 */
#include "check/collect.h"
#include "check/gone/gone.h"
#include "fabric/fabric.h"
#include "report/report.h"

#define MANY_PERCENT 10 /* of all hosts: what takes so many is no matter of single hosts */
#define MANY_HOSTS   2  /* one host of a small cluster is one host */
#define MANY_LEAVES  2  /* all hosts of one leaf may be one rack that is serviced */
#define LATE_SECONDS 30 /* two runs of cron an hour apart are so, though one began late */

/*
 * struct host - one that is gone
 * @first, @end: of its adapters, of which the first names it also where that was retired;
 * @node: the first that is missing, @num: so many of them
 * @behind: all of them lie behind something that is gone; @due: it has been away for long
 */
struct host {
	size_t first, end, node, num;
	bool behind, due;
};

static bool is_missing(const struct gone_node *n)
{
	return n->type == IBC_NODE_CA && !n->host_here &&
	       (n->state == GONE_AWAY || n->state == GONE_UNSEEN);
}

/*
 * How long it may be away: by its name, as the configuration has it for the check of hosts; NULL if
 * that does not run.
 */
static bool is_due(const struct ibc_input *in, const struct gone_node *n,
                   const struct ibc_check *check, const struct ibc_sink *out)
{
	struct called called = { .names = { n->name, n->host }, .guid = n->guid, .has_guid = true };
	double minutes = check ? limits_of_called(in->config, check, IBC_NODE_CA, &called).warning
	                       : GONE_HOST_MINUTES;

	return difftime(out->report->expected->time, n->host_missed) >= minutes * 60 - LATE_SECONDS;
}

/* Hosts of which no adapter was found and all were looked for: sorted by name. */
static struct host *hosts_away(const struct ibc_input *in, size_t *num, struct ibc_sink *out)
{
	const struct ibc_gone *g = out->report->expected;
	struct host *hosts = sink_array(out, g->num_adapters, sizeof(*hosts));

	*num = 0;
	for (size_t i = 0, end; i < g->num_adapters; i = end) {
		struct host *h = &hosts[*num];
		bool away = true, earlier = true;

		end = gone_host_end(g, i);
		*h = (struct host){ .first = i, .end = end, .behind = true };
		for (size_t k = i; k < end; k++) {
			const struct gone_node *node = &g->nodes[g->adapters[k]];

			if (!is_missing(node))
				continue;
			if (!h->num++)
				h->node = g->adapters[k];
			away &= node->state == GONE_AWAY;
			earlier &= node->earlier;
			h->behind &= node->lead != g->adapters[k] || node->cut != GONE_NONE;
		}
		if (!h->num || !away || earlier)
			continue;
		h->due = is_due(in, &g->nodes[h->node], out->check, out);
		++*num;
	}
	return hosts;
}

/* So many of those that are away that it is no matter of single hosts. */
static bool are_many(const struct ibc_gone *g, const struct host *hosts, size_t num)
{
	size_t due = 0, leaves = 0, all = ibc_fabric_count(g->now).hosts + num;

	for (size_t i = 0; i < num; i++) {
		const struct ibc_node *leaf = g->nodes[hosts[i].node].at;
		bool first = true;

		if (!hosts[i].due || hosts[i].behind)
			continue;
		due++;
		for (size_t k = 0; leaf && k < i; k++)
			first &= g->nodes[hosts[k].node].at != leaf || !hosts[k].due;
		leaves += first && leaf && !has_ca(leaf);
	}
	return (due >= MANY_HOSTS && due * 100 >= all * MANY_PERCENT) || leaves >= MANY_LEAVES;
}

static void report_host(const struct ibc_gone *g, const struct host *h, bool many,
                        struct ibc_sink *out)
{
	const struct gone_node *n = &g->nodes[h->node];
	struct ibc_subject subject = gone_node_subject(&g->nodes[g->adapters[h->first]]);
	bool counts = h->due || h->behind;
	char amount[AMOUNT_TEXT];

	subject.near.label = subject.near.desc = gone_host(n);
	sink_as(out, !counts ? IBC_INFO : many && !h->behind ? IBC_CRITICAL : IBC_WARNING);
	sink_add(out, &subject, "is gone since %s%s%s%s%s", gone_when(out, n->host_seen),
	         h->num > 1 ? ", with " : "", h->num > 1 ? str_amount(amount, h->num, "HCA") : "",
	         n->at ? "; it was at " : "", n->at ? n->at->label : "");
	sink_since(out, n->host_seen);
	sink_fact(out, "hcas", ibc_u64(h->num));
	for (size_t i = h->first; i < h->end; i++)
		if (is_missing(&g->nodes[g->adapters[i]]))
			gone_relate(out, IBC_ROLE_PLANNED, &g->nodes[g->adapters[i]]);
	if (h->behind)
		gone_relate(out, IBC_ROLE_CAUSE, &g->nodes[gone_leader(g, h->node)]);
	else if (counts)
		sink_advise(out, "%sLook at its console and its power. " GONE_ON_PURPOSE,
		            many ? "A tenth of all hosts, or hosts of several leaves, are gone: "
		                   "look first at what they share. "
		                 : "");
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
	const struct ibc_gone *g = out->report->expected;
	size_t num;
	struct host *hosts = hosts_away(in, &num, out);
	bool many = are_many(g, hosts, num);

	for (size_t i = 0; i < num; i++)
		report_host(g, &hosts[i], many, out);
}

/*
 * An adapter that is gone while its host is there fell off the bus, or its cable, or its switch
 * port failed.  It stays a warning while the host, gone as well since, may only be rebooted.
 * Where this run did not look for the others, the host may be off, or be rebooted.
 */
void gone_check_hca(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_check *of_hosts = sink_explained_by(out, "gone.host");
	const struct ibc_gone *g = out->report->expected;

	for (size_t i = 0; i < g->num_nodes; i++) {
		const struct gone_node *n = &g->nodes[i];
		struct ibc_subject subject = gone_node_subject(n);
		bool first = n->missed && n->missed <= n->host_seen && n->host_seen > n->seen &&
		             n->lead == i;
		bool due;

		if (n->type != IBC_NODE_CA || n->state != GONE_AWAY || n->earlier)
			continue;
		due = n->host_here || is_due(in, n, of_hosts, out);
		if (!n->host_here && !n->host_unseen && (!first || (due && of_hosts)))
			continue;
		if (!due && !first && n->lead == i)
			sink_as(out, IBC_INFO);
		sink_add(out, &subject,
		         n->host_here     ? "is gone since %s; other HCAs of %s are there"
		         : n->host_unseen ? "is gone since %s; whether %s is there was not seen"
		                          : "is gone since %s, before the other HCAs of %s",
		         gone_when(out, n->seen), n->host);
		sink_since(out, n->seen);
		if (n->lead != i)
			gone_relate(out, IBC_ROLE_CAUSE, &g->nodes[gone_leader(g, i)]);
		else
			sink_advise(out,
			            "Find out on %s whether it is on the PCIe bus (lspci) and "
			            "whether its port has a link (ibstat); then its "
			            "cable. " GONE_ON_PURPOSE,
			            n->host);
	}
}
