/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was counted since the last clear, of which nobody knows when it was: no rates, and no
 * more than a pointer to the cables to look at.
 */
#include <inttypes.h>

#include "base/array.h"
#include "check/counters/links.h"
#include "check/groups.h"
#include "check/phrases.h"
#include "fabric/fabric.h"

/*
 * More than this at one port is worth a look: the values that ibqueryerrors of infiniband-diags
 * suggests in its file error_thresholds.  PortRcvSwitchRelayErrors has none here: multicast
 * packets that come back to their sender's switch are counted there, on every healthy fabric.
 */
static const struct total {
	enum ibc_counter counter;
	uint64_t limit;
} totals[] = {
	{ IBC_SYMBOL_ERROR, 10 },
	{ IBC_LINK_ERROR_RECOVERY, 10 },
	{ IBC_RCV_ERRORS, 10 },
	{ IBC_LOCAL_LINK_INTEGRITY, 10 },
	{ IBC_EXCESSIVE_BUFFER_OVERRUN, 10 },
	{ IBC_LINK_DOWNED, 10 }, /* judged by what is above it */
	{ IBC_RCV_REMOTE_PHYSICAL, 100 },
	{ IBC_XMIT_DISCARDS, 100 },
	{ IBC_XMIT_CONSTRAINT, 100 },
	{ IBC_RCV_CONSTRAINT, 100 },
	{ IBC_VL15_DROPPED, 100 },
	{ IBC_RCV_SWITCH_RELAY, UINT64_MAX },
};

/* What the links come to that are not reported one by one. */
struct sums {
	uint64_t *restarts; /* by order of nodes */
	size_t links, restarted;
	uint64_t errors;
};

static struct count total_of(const struct ibc_port *p, enum ibc_counter counter)
{
	const struct ibc_counters *c = p ? p->counters : NULL;

	if (!c || !(c->known & COUNTER_BIT(counter)))
		return (struct count){ .known = false };
	return (struct count){ .n = c->value[counter],
		               .known = true,
		               .at_least = c->saturated & COUNTER_BIT(counter) };
}

/* ---- restarts ------------------------------------------------------------------------ */

/* Both ends count it, unless one has lost its counters. */
static uint64_t times_down(const struct ibc_port *p)
{
	struct count a = total_of(p, IBC_LINK_DOWNED), z = total_of(p->peer, IBC_LINK_DOWNED);

	return a.n > z.n ? a.n : z.n;
}

/* As often as each cable of a device went down, the device may have been restarted. */
static uint64_t fewest_downs(const struct ibc_node *node, uint64_t least)
{
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++)
		if (p->peer && times_down(p) < least)
			least = times_down(p);
	return least;
}

static void find_restarts(const struct ibc_input *in, struct ibc_sink *out, struct sums *sums)
{
	const struct ibc_fabric_host *host;
	const struct ibc_node *node;

	sums->restarts = sink_array(out, ibc_fabric_count(in->fabric).nodes,
	                            sizeof(*sums->restarts));
	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++)
		sums->restarts[node_order(node)] = fewest_downs(node, UINT64_MAX);
	for (size_t i = 0; (host = ibc_fabric_host(in->fabric, i)); i++) {
		uint64_t least = UINT64_MAX;

		for (size_t k = 0; k < host->num_nodes; k++)
			least = fewest_downs(host->nodes[k], least);
		for (size_t k = 0; k < host->num_nodes; k++)
			sums->restarts[node_order(host->nodes[k])] = least;
	}
}

static uint64_t restarts_of(const struct sums *sums, const struct ibc_port *p)
{
	uint64_t a = p ? sums->restarts[node_order(p->node)] : 0;

	return a == UINT64_MAX ? 0 : a;
}

/* Without what restarts of either end explain: that is no fault of the cable. */
static struct count own_downs(const struct sums *sums, const struct ibc_port *p)
{
	struct count downs = total_of(p, IBC_LINK_DOWNED);
	uint64_t near = restarts_of(sums, p), far = restarts_of(sums, p ? p->peer : NULL),
		 explained = near > far ? near : far;

	downs.n = downs.n > explained ? downs.n - explained : 0;
	return downs;
}

static bool leads_to_host(const struct ibc_port *p)
{
	return p->node->type == IBC_NODE_CA || (p->peer && p->peer->node->type == IBC_NODE_CA);
}

/* ---- a link ---------------------------------------------------------------------------- */

/*
 * struct link - what both ends of a link counted
 * @excess: "SymbolErrorCounter 4711 at leaf01/3": each that is more than its limit
 */
struct link {
	const struct ibc_port *p;
	uint64_t sum[ARRAY_SIZE(totals)], errors;
	const char *excess;
};

static void add_end(struct ibc_sink *out, struct link *l, size_t i, const struct ibc_port *p,
                    struct count count)
{
	l->sum[i] += count.n;
	l->errors += count.n;
	if (count.n > totals[i].limit)
		l->excess = sink_text(out, "%s%s%s %s at %s", l->excess, *l->excess ? ", " : "",
		                      counter_name(totals[i].counter), count_text(out, &count),
		                      port_text(out, p));
}

/* What counts harmless things, too, makes no cable one of the worst. */
static void report_link(struct ibc_sink *out, const struct link *l)
{
	uint64_t errors = 0;

	for (size_t i = 0; i < ARRAY_SIZE(totals); i++)
		errors += totals[i].limit < UINT64_MAX ? l->sum[i] : 0;
	sink_link(out, l->p, "since the last clear: %s", l->excess);
	sink_advise(out,
	            "These may be years old. Find out whether the counters still rise: run "
	            "\"ibcheck counters --interval 60\", or \"ibcheck counters --clear errors\" "
	            "and look again later.");
	sink_fact(out, "errors", ibc_u64(errors));
	for (size_t i = 0; i < ARRAY_SIZE(totals); i++)
		if (l->sum[i])
			sink_fact(out, ibc_counter_word(totals[i].counter)->word,
			          ibc_u64(l->sum[i]));
}

static void judge_link(struct ibc_sink *out, struct sums *sums, const struct ibc_port *p)
{
	struct link l = { .p = p, .excess = "" };

	for (size_t i = 0; i < ARRAY_SIZE(totals); i++) {
		enum ibc_counter counter = totals[i].counter;
		bool downs = counter == IBC_LINK_DOWNED;

		/* a host that restarts takes its links down: only with damaged data it is the cable
		 */
		if (downs && !*l.excess && leads_to_host(p))
			continue;
		add_end(out, &l, i, p, downs ? own_downs(sums, p) : total_of(p, counter));
		add_end(out, &l, i, p->peer,
		        downs ? own_downs(sums, p->peer) : total_of(p->peer, counter));
	}
	if (*l.excess) {
		report_link(out, &l);
		return;
	}
	sums->links += l.errors != 0;
	sums->errors += l.errors;
	sums->restarted += times_down(p) != 0;
}

/* ---- all of them ------------------------------------------------------------------------- */

static void report_rest(struct ibc_sink *out, const struct sums *sums)
{
	const char *errors = "", *downs = "";

	if (!sums->links && !sums->restarted)
		return;
	if (sums->links)
		errors = sink_text(out,
		                   "%s reported errors, %" PRIu64 " in all, none above its limit",
		                   amount_text(out, sums->links, "cable"), sums->errors);
	if (sums->restarted)
		downs = sink_text(out, "%s%s went down, most likely with a device that restarted",
		                  sums->links ? "; " : "",
		                  amount_text(out, sums->restarted, "cable"));
	sink_as(out, IBC_INFO);
	sink_fabric(out, "since the last clear: %s%s", errors, downs);
	sink_fact(out, "cables", ibc_u64(sums->links));
	sink_fact(out, "errors", ibc_u64(sums->errors));
	sink_fact(out, "cables_downed", ibc_u64(sums->restarted));
}

/*
 * A first look at a fabric that nobody has watched: counts of years may be one bad hour of
 * the installation, so a cable is never condemned for them.
 */
static void check_totals(const struct ibc_input *in, struct ibc_sink *out)
{
	struct sums sums = { .restarts = NULL };
	const struct ibc_port *p;

	find_restarts(in, out, &sums);
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		if (p->counters && is_first_end(p))
			judge_link(out, &sums, p);
	report_rest(out, &sums);
}

/* ---- the table ---------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_counters_totals[] = {
	CHECK("counters.totals", "cables with many errors since the last clear", IBC_WARNING,
	      check_totals, .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), .inputs = IBC_IN_TOTALS,
	      EXPLAINED_BY(BY_DAMAGE), .many = "cables|have many errors since the last clear",
	      .together = "errors"),
	{ 0 },
};
