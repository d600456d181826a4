/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was counted since the last clear, whose time is not known: no rates, and no
 * more than a pointer to the cables to look at.
 */
#include <inttypes.h>

#include "base/str.h"
#include "check/counters/links.h"
#include "check/groups.h"
#include "fabric/fabric.h"

/*
 * More than this at one port is worth a look: the values that ibqueryerrors of infiniband-diags
 * suggests in its file error_thresholds.  PortRcvSwitchRelayErrors has none here: multicast
 * packets that come back to their sender's switch are counted there, on every healthy fabric.
 */
#define OF_LINK 10 /* what its own cable or connectors do to a port */

static const struct total {
	enum ibc_counter counter;
	uint64_t limit;
} totals[] = {
	{ IBC_SYMBOL_ERROR, OF_LINK },
	{ IBC_LINK_ERROR_RECOVERY, OF_LINK },
	{ IBC_RCV_ERRORS, OF_LINK },
	{ IBC_LOCAL_LINK_INTEGRITY, OF_LINK },
	{ IBC_EXCESSIVE_BUFFER_OVERRUN, OF_LINK },
	{ IBC_LINK_DOWNED, OF_LINK }, /* judged by what is above it */
	{ IBC_RCV_REMOTE_PHYSICAL, 100 },
	{ IBC_XMIT_DISCARDS, 100 },
	{ IBC_XMIT_CONSTRAINT, 100 },
	{ IBC_RCV_CONSTRAINT, 100 },
	{ IBC_VL15_DROPPED, 100 },
	{ IBC_RCV_SWITCH_RELAY, UINT64_MAX },
};

/* What the links come to that are not reported one by one. */
struct sums {
	const uint64_t *restarts; /* by order of nodes */
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

const char *totals_text(struct ibc_sink *out, const struct ibc_port *p)
{
	const char *text = NULL;
	bool excess = false;

	for (size_t i = 0; p && port_is_down(p) && i < ARRAY_SIZE(totals); i++) {
		struct count c = total_of(p, totals[i].counter);

		if (totals[i].limit != OF_LINK || !c.n)
			continue;
		excess |= c.n > OF_LINK;
		text = sink_text(out, "%s%s%s %s", text ? text : "", text ? ", " : "",
		                 counter_name(totals[i].counter), count_text(out, &c));
	}
	return excess ? text : NULL;
}

/* ---- restarts ------------------------------------------------------------------------ */

/* Both ends count it, unless one has lost its counters. */
static uint64_t times_down(const struct ibc_input *in, const struct ibc_port *p)
{
	struct count a = total_of(p, IBC_LINK_DOWNED), z = total_of(p->peer, IBC_LINK_DOWNED);

	(void)in;
	return a.n > z.n ? a.n : z.n;
}

/* How often restarts of either end took the link down: that is no fault of the cable. */
static uint64_t restarts_of(const struct sums *sums, const struct ibc_port *p)
{
	uint64_t near = sums->restarts[node_order(p->node)],
		 far = p->peer ? sums->restarts[node_order(p->peer->node)] : 0;

	return near > far ? near : far;
}

/* ---- a link ---------------------------------------------------------------------------- */

static void judge_link(struct ibc_sink *out, struct sums *sums, const struct ibc_port *p)
{
	const struct ibc_port *const ends[] = { p, p->peer };
	bool to_host = p->node->type == IBC_NODE_CA ||
	               (p->peer && p->peer->node->type == IBC_NODE_CA);
	uint64_t sum[ARRAY_SIZE(totals)] = { 0 }, errors = 0, harmless = 0;
	const char *excess = "";

	for (size_t i = 0; i < ARRAY_SIZE(totals); i++) {
		bool downs = totals[i].counter == IBC_LINK_DOWNED;
		uint64_t explained = downs ? restarts_of(sums, p) : 0;

		/* a host that restarts takes its links down: only with damaged data it is the cable
		 */
		if (downs && !*excess && to_host)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(ends); k++) {
			struct count c = total_of(ends[k], totals[i].counter);

			c.n = c.n > explained ? c.n - explained : 0;
			sum[i] += c.n;
			if (c.n > totals[i].limit)
				excess = sink_text(out, "%s%s%s %s at %s", excess,
				                   *excess ? ", " : "",
				                   counter_name(totals[i].counter),
				                   count_text(out, &c), port_text(out, ends[k]));
		}
		errors += sum[i];
		harmless += totals[i].limit < UINT64_MAX ? 0 : sum[i];
	}
	if (!*excess) {
		sums->links += errors != 0;
		sums->errors += errors;
		sums->restarted += times_down(NULL, p) != 0;
		return;
	}
	sink_link(out, p, "since the last clear: %s", excess);
	sink_advise(out, "These may be years old. Find out whether the counters still rise: run "
	                 "\"ibcheck counters --interval 60\", or \"ibcheck counters --clear "
	                 "errors\" and look again later.");
	/* what counts harmless things, too, makes no cable one of the worst */
	sink_fact(out, "errors", ibc_u64(errors - harmless));
	for (size_t i = 0; i < ARRAY_SIZE(totals); i++)
		if (sum[i])
			sink_fact(out, ibc_counter_word(totals[i].counter)->word, ibc_u64(sum[i]));
}

/* ---- all of them ------------------------------------------------------------------------- */

/*
 * Totals of a fabric without an earlier sweep: counts of years may be one bad hour of
 * the installation, so a cable is never condemned for them.
 */
static void check_totals(const struct ibc_input *in, struct ibc_sink *out)
{
	struct sums sums = { .restarts = restarts_find(in, out, times_down) };
	const char *errors = "", *downs = "";
	char amount[AMOUNT_TEXT];
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		if (p->counters && is_first_end(p))
			judge_link(out, &sums, p);
	if (sums.links)
		errors = sink_text(out,
		                   "%s reported errors, %" PRIu64 " in all, none above its limit",
		                   str_amount(amount, sums.links, "cable"), sums.errors);
	if (sums.restarted)
		downs = sink_text(out, "%s%s went down, most likely with a device that restarted",
		                  sums.links ? "; " : "",
		                  str_amount(amount, sums.restarted, "cable"));
	if (!sums.links && !sums.restarted)
		return;
	sink_as(out, IBC_INFO);
	sink_fabric(out, "since the last clear: %s%s", errors, downs);
	sink_fact(out, "cables", ibc_u64(sums.links));
	sink_fact(out, "errors", ibc_u64(sums.errors));
	sink_fact(out, "cables_downed", ibc_u64(sums.restarted));
}

/* ---- the table ---------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_counters_totals[] = {
	CHECK("counters.totals", "cables with many errors since the last clear", IBC_WARNING,
	      check_totals, .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), .inputs = IBC_IN_TOTALS,
	      EXPLAINED_BY(BY("gone.cable", AT), BY("topo.missing-cable", AT), BY_DAMAGE),
	      .many = "cables|have many errors since the last clear", .together = "errors"),
	{ 0 },
};
