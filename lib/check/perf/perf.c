/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of measurements between hosts.  Who is to blame is decided by ibc_perf_judge(): each
 * result is of one finding at the most.  doc/perf.md has the reasons of the limits.
 */
#include <stdlib.h>
#include <string.h>

#include "check/groups.h"
#include "check/limits.h"
#include "check/perf/perf.h"

static const enum ibc_severity severities[] = {
	[IBC_PERF_UNJUDGED] = IBC_UNKNOWN,
	[IBC_PERF_GOOD] = IBC_INFO,
	[IBC_PERF_LOW] = IBC_WARNING,
	[IBC_PERF_POOR] = IBC_CRITICAL,
};

static const char look_at_host[] =
    "Run ibcheck host there: width and speed of PCIe, NUMA, the cable of the HCA, other "
    "programs. Then measure it again (ibcheck perf judge --retest).";

/* "142 of 200 Gb/s (71 %)", "142 Gb/s (71 % of the median of 200)", "3.4 us (median 1.6)" */
static const char *perf_value(struct ibc_sink *out, double value, double expected, double median,
                              bool latency)
{
	if (latency)
		return sink_text(out, "%.3g us, where the median is %.3g us", value, median);
	if (expected > 0)
		return sink_text(out, "%.4g of %.4g Gb/s (%.0f %%)", value, expected,
		                 100 * value / expected);
	return sink_text(out, "%.4g Gb/s, where the median is %.4g Gb/s", value, median);
}

static void value_facts(struct ibc_sink *out, double value, double expected, double median,
                        bool latency)
{
	sink_fact(out, latency ? "latency_us" : "bandwidth_gbps", ibc_real(value));
	if (expected > 0 && !latency)
		sink_fact(out, "expected_gbps", ibc_real(expected));
	sink_fact(out, latency ? "median_us" : "median_gbps", ibc_real(median));
}

/* ", on rail 2 (mlx5_2/1)" where not all of the host is meant */
static const char *rails_text(struct ibc_sink *out, const struct ibc_perf_host *h)
{
	const char *text = "";

	for (size_t i = 0; !h->all && i < h->num_ends; i++)
		text = sink_text(out, "%s%s rail %s%s%s%s", text, i ? "," : " on", h->ends[i]->rail,
		                 h->ends[i]->device ? " (" : "",
		                 h->ends[i]->device ? h->ends[i]->device : "",
		                 h->ends[i]->device ? ")" : "");
	return text;
}

/* ---- hosts --------------------------------------------------------------------------------- */

static int by_port_rate(const void *va, const void *vz)
{
	const double *a = va, *z = vz;

	return (*a > *z) - (*a < *z);
}

/* The rate of each port is its own measure above: one that came up slower fills it, too. */
static void report_slow_ports(const struct ibc_perf_results *r, struct ibc_sink *out)
{
	double *rates = sink_array(out, r->num_ends + 1, sizeof(*rates)), usual;
	size_t n = 0;

	for (size_t i = 0; i < r->num_ends; i++)
		if (r->ends[i].rate_gbps > 0)
			rates[n++] = r->ends[i].rate_gbps;
	if (!n)
		return;
	qsort(rates, n, sizeof(*rates), by_port_rate);
	usual = rates[n / 4]; /* a quarter may be others on purpose: a guess */
	for (size_t i = 0; i < r->num_ends; i++) {
		const struct ibc_perf_end *e = &r->ends[i];

		if (e->rate_gbps <= 0 || e->rate_gbps >= usual)
			continue;
		sink_as(out, IBC_WARNING);
		sink_named(out, IBC_SUBJECT_HOST, e->host,
		           "%s runs at %.4g Gb/s, and three of four that were measured at %.4g",
		           e->device ? e->device : "its port", e->rate_gbps, usual);
		sink_advise(out, "See width and speed of its cable: ibcheck host there, ibcheck "
		                 "ports.");
		sink_fact(out, "rate_gbps", ibc_real(e->rate_gbps));
	}
}

/* With whomever it measures, it is slow: the fault is in it, or at its port. */
static void check_host(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_perf_judgement *p = in->perf;

	report_slow_ports(p->results, out);
	for (size_t i = 0; i < p->num_hosts; i++) {
		const struct ibc_perf_host *h = &p->hosts[i];

		if (h->latency)
			continue;
		sink_as(out, severities[h->level]);
		sink_named(out, IBC_SUBJECT_HOST, h->host,
		           "gets at most %s%s in %zu measurements with hosts that are good",
		           perf_value(out, h->best, h->expected, h->median, false),
		           rails_text(out, h), h->results);
		sink_advise(out, "%s", look_at_host);
		value_facts(out, h->best, h->expected, h->median, false);
		if (h->leaf)
			sink_fact(out, "leaf", ibc_str(h->leaf->label));
	}
}

/* ---- cables and switches --------------------------------------------------------------------- */

static const char *lost_cable_text(struct ibc_sink *out, const struct ibc_port *port)
{
	return sink_text(out, "%s - %s", port_text(out, port),
	                 port->peer ? port_text(out, port->peer) : "nothing");
}

static void report_alternatives(struct ibc_sink *out, const struct ibc_perf_link *l)
{
	const char *list = lost_cable_text(out, l->port);

	for (size_t i = 0; i < l->num_others; i++)
		list = sink_text(out, "%s, %s", list, lost_cable_text(out, l->others[i]));
	sink_fabric(out,
	            "one of %zu cables is slow, all of which %zu bad measurements went over: %s",
	            l->num_others + 1, l->results, list);
	sink_advise(out,
	            "Measure again: ibcheck perf judge --retest has a pair of hosts for each of "
	            "them.");
	sink_relate(out, IBC_ROLE_CAUSE, l->port);
	for (size_t i = 0; i < l->num_others; i++)
		sink_relate(out, IBC_ROLE_CAUSE, l->others[i]);
}

static void report_slow_link(struct ibc_sink *out, const struct ibc_perf_link *l)
{
	const char *most = perf_value(out, l->best, l->expected, l->expected, false);

	if (l->port && l->port->peer)
		sink_cable(out, l->port,
		           "all %zu measurements over it from %s are slow: at most %s", l->results,
		           port_text(out, l->port), most);
	else
		sink_node(out, l->node, "all %zu %s it are slow: at most %s",
		          l->hosts ? l->hosts : l->results,
		          l->hosts ? "hosts measured below" : "measurements through", most);
	sink_advise(out, l->port
	                     ? "See width, speed and errors of the cable (ibcheck ports, counters, "
	                       "phy); reseat it, then replace it."
	                     : "See the switch with ibcheck show: the rates of its cables, what "
	                       "they count, its temperature.");
	sink_fact(out, "bandwidth_gbps", ibc_real(l->best));
	sink_fact(out, "expected_gbps", ibc_real(l->expected));
	sink_fact(out, "measurements", ibc_u64(l->results));
}

/* Bad measurements went over it, and no good one did. */
static void check_link(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_perf_judgement *p = in->perf;

	for (size_t i = 0; i < p->num_links; i++) {
		sink_as(out, severities[p->links[i].level]);
		(p->links[i].num_others ? report_alternatives : report_slow_link)(out,
		                                                                  &p->links[i]);
	}
	if (p->adaptive) {
		sink_as(out, IBC_INFO);
		sink_fabric(out,
		            "no cable can be blamed: with adaptive routing it is unknown which "
		            "cables the data used");
		sink_advise(out, "See errors and PortXmitWait of the cables: ibcheck counters.");
	}
	if (in->fabric && p->unplaced) {
		sink_as(out, IBC_INFO);
		sink_fabric(out,
		            "%zu of %zu measured ports are not in this fabric by name: no cable "
		            "on their routes can be blamed",
		            p->unplaced, p->results->num_ends);
	}
}

#define PAIRS_SHOWN 8 /* more have a reason in common, and fill a screen */

/* ---- pairs ----------------------------------------------------------------------------------- */

static void report_pairs(struct ibc_sink *out, const struct ibc_perf_judgement *p, bool latency)
{
	const struct ibc_perf_pair *worst = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->num_slow_pairs; i++) {
		const struct ibc_perf_pair *pair = &p->slow_pairs[i];
		const struct ibc_perf_verdict *v = pair->verdict;

		if (v->result->latency != latency)
			continue;
		n++;
		if (!worst || (latency ? v->result->value > worst->verdict->result->value
		                       : v->result->value < worst->verdict->result->value))
			worst = pair;
	}
	if (n > PAIRS_SHOWN) { /* no fault of one of them explains so many */
		const struct ibc_perf_verdict *v = worst->verdict;

		sink_fabric(
		    out,
		    "%zu pairs of hosts are slow with each other, and no host or cable can be "
		    "blamed; the worst are %s and %s: %s",
		    n, perf_end_text(out, &p->results->ends[v->result->client]),
		    perf_end_text(out, &p->results->ends[v->result->server]),
		    perf_value(out, v->result->value, v->expected, v->median, latency));
		sink_advise(out, "Many pairs measured at once share cables. Measure these alone "
		                 "with ibcheck perf judge --retest; with --source and linear "
		                 "forwarding tables (LFTs) it calculates which cables they share.");
		sink_fact(out, "pairs", ibc_u64(n));
	}
	for (size_t i = 0; n <= PAIRS_SHOWN && i < p->num_slow_pairs; i++) {
		const struct ibc_perf_verdict *v = p->slow_pairs[i].verdict;
		const struct ibc_perf_end *client = &p->results->ends[v->result->client];
		const struct ibc_perf_end *server = &p->results->ends[v->result->server];

		if (v->result->latency != latency)
			continue;
		sink_as(out, severities[v->level]);
		sink_named(out, IBC_SUBJECT_HOST, client->host, "with %s%s%s: %s",
		           perf_end_text(out, server),
		           p->slow_pairs[i].results > 1 ? ", several times" : "",
		           latency && v->hops ? sink_text(out, ", %u switches away", v->hops) : "",
		           perf_value(out, v->result->value, v->expected, v->median, latency));
		sink_advise(out,
		            "From these measurements it is unknown which of them it is, or what is "
		            "between them. Measure again with ibcheck perf judge --retest; with "
		            "--source and linear forwarding tables (LFTs) cables are judged, too.");
		value_facts(out, v->result->value, v->expected, v->median, latency);
		sink_fact(out, "server", ibc_str(server->host));
	}
}

/* Two hosts are slow with each other, and good with others, or too little is known of them. */
static void check_bandwidth(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_perf_judgement *p = in->perf;

	for (size_t i = 0; i < p->num_groups; i++) {
		const struct ibc_perf_group *g = &p->groups[i];
		const struct ibc_perf_verdict *v = g->example;

		if (g->slow <= IBC_PERF_GOOD)
			continue;
		sink_as(out, severities[g->slow]);
		sink_fabric(out, "half of %zu measurements%s%s get less than %s", g->num,
		            *v->result->test ? " by " : "", v->result->test,
		            perf_value(out, g->median, v->expected, v->expected, false));
		sink_advise(out,
		            "So many are not slow for a fault of one: see how it was measured "
		            "(size of messages, queue pairs, NUMA), then firmware and BIOS "
		            "settings that all have. Single hosts are compared with the median.");
		value_facts(out, g->median, v->expected, g->median, false);
	}
	report_pairs(out, p, false);
	if (p->num_unproven) { /* nothing good is known of them, and nothing bad */
		const char **names = sink_array(out, p->num_unproven, sizeof(*names));

		for (size_t i = 0; i < p->num_unproven; i++)
			names[i] = p->unproven[i].host;
		sink_as(out, IBC_UNKNOWN);
		sink_fabric(out,
		            "%zu hosts shared a cable with others in each of their measurements, "
		            "so that they could not reach full speed: %s",
		            p->num_unproven, sink_folded(out, names, p->num_unproven));
		sink_advise(out, "Measure them alone: ibcheck perf judge --retest.");
	}
}

/* Compared among pairs that are as far from each other: each switch costs its time. */
static void check_latency(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_perf_judgement *p = in->perf;

	for (size_t i = 0; i < p->num_hosts; i++) {
		const struct ibc_perf_host *h = &p->hosts[i];

		if (!h->latency)
			continue;
		sink_named(out, IBC_SUBJECT_HOST, h->host, "needs at least %s%s",
		           perf_value(out, h->best, 0, h->median, true), rails_text(out, h));
		sink_advise(out,
		            "See power saving and frequency of the CPU, NUMA, and PCIe settings "
		            "there (ibcheck host).");
		value_facts(out, h->best, 0, h->median, true);
	}
	report_pairs(out, p, true);
}

/* The same pair, measured again, differs without a reason that is known. */
static void check_unstable(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_perf_judgement *p = in->perf;

	for (size_t i = 0; i < p->num_unstable; i++) {
		const struct ibc_perf_pair *pair = &p->unstable[i];
		const struct ibc_perf_result *r = pair->verdict->result;
		const char *unit = r->latency ? "us" : "Gb/s";

		sink_named(out, IBC_SUBJECT_HOST, p->results->ends[r->client].host,
		           "with %s: between %.4g and %.4g %s in %zu measurements",
		           perf_end_text(out, &p->results->ends[r->server]),
		           r->latency ? pair->best : pair->worst,
		           r->latency ? pair->worst : pair->best, unit, pair->results);
		sink_advise(out,
		            "Look for a link that goes up and down (ibcheck history, counters), "
		            "for heat, and for other programs on the two hosts.");
		sink_fact(out, "server", ibc_str(p->results->ends[r->server].host));
	}
}

/* ---- the baseline ---------------------------------------------------------------------------- */

static void worse_facts(struct ibc_sink *out, double now, double before, bool latency)
{
	sink_fact(out, latency ? "latency_us" : "bandwidth_gbps", ibc_real(now));
	sink_fact(out, latency ? "before_us" : "before_gbps", ibc_real(before));
}

/* Worse than it was, though it may still be within the limits. */
static void check_regression(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_perf_judgement *p = in->perf;

	for (size_t i = 0; i < p->num_groups; i++) {
		const struct ibc_perf_group *g = &p->groups[i];
		const struct ibc_perf_result *r = g->example->result;

		if (g->before <= 0)
			continue;
		sink_fabric(out,
		            "all of %zu measurements%s%s are worse: the median is %.4g instead of "
		            "%.4g %s",
		            g->num, *r->test ? " by " : "", r->test, g->median, g->before,
		            r->latency ? "us" : "Gb/s");
		sink_advise(out, "Something changed for all: firmware, driver, BIOS, or how it was "
		                 "measured. If that is intended, store a new baseline.");
		worse_facts(out, g->median, g->before, r->latency);
	}
	if (p->uncompared) {
		sink_as(out, IBC_UNKNOWN);
		sink_fabric(
		    out,
		    "%zu measured ports are not in the baseline by host, rail and test, and "
		    "were not compared",
		    p->uncompared);
		sink_advise(out, "Compare with a baseline of the same hosts and test, or store a "
		                 "new one.");
	}
	for (size_t i = 0; i < p->num_worse; i++) {
		const struct ibc_perf_host *h = &p->worse[i];

		sink_named(out, IBC_SUBJECT_HOST, h->host, "gets %.4g %s at best%s, and got %.4g",
		           h->best, h->latency ? "us" : "Gb/s", rails_text(out, h), h->before);
		sink_advise(out, "%s", look_at_host);
		worse_facts(out, h->best, h->before, h->latency);
	}
	for (size_t i = 0; i < p->num_worse_pairs; i++) {
		const struct ibc_perf_pair *pair = &p->worse_pairs[i];
		const struct ibc_perf_result *r = pair->verdict->result;

		sink_named(out, IBC_SUBJECT_HOST, p->results->ends[r->client].host,
		           "with %s: %.4g %s, and it was %.4g",
		           perf_end_text(out, &p->results->ends[r->server]), pair->best,
		           r->latency ? "us" : "Gb/s", pair->before);
		sink_advise(out, "Measure it again alone: ibcheck perf judge --retest.");
		worse_facts(out, pair->best, pair->before, r->latency);
		sink_fact(out, "server", ibc_str(p->results->ends[r->server].host));
	}
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Percent; the reasons are in doc/perf.md. */
#define LOW_BELOW  5   /* framing takes 0.6, good hosts reach 96.6 (EDR) and 97 (HDR) */
#define POOR_BELOW 10  /* what NVIDIA's own suite takes for broken */
#define OUTLIER    7   /* of the median: ClusterKit has 93 % of the best */
#define SPREAD     10  /* between two measurements of one pair; a guess */
#define WORSE      5   /* than the baseline: SuperBench has the same */
#define LATENCY    2.5 /* us, of a write over up to five switches: NVIDIA's own suite */

static struct limits limits_by_id(const struct ibc_config *config, const char *id)
{
	const struct ibc_check *check = ibc_checks_perf;

	while (strcmp(check->id, id) != 0)
		check++;
	return limits_of_fabric(config, check);
}

void ibc_check_perf_limits(const struct ibc_config *config, struct ibc_perf_judge_opts *opts)
{
	opts->low = limits_by_id(config, "perf.bandwidth").warning;
	opts->poor = limits_by_id(config, "perf.bandwidth").critical;
	opts->outlier = limits_by_id(config, "perf.host").warning;
	opts->spread = limits_by_id(config, "perf.unstable").warning;
	opts->regression = limits_by_id(config, "perf.regression").warning;
	opts->latency_us = limits_by_id(config, "perf.latency").warning;
}

#define PERF_LIMITS(low, poor, what)                                                               \
	.inputs = IBC_IN_PERF, .limits = { (low), (poor), .unit = (what), .whole = true }

const struct ibc_check ibc_checks_perf[] = {
	CHECK("perf.host", "hosts that are slow with every partner", IBC_WARNING, check_host,
	      PERF_LIMITS(OUTLIER, NEVER, "of percent below the median of like measurements"),
	      .many = "hosts|are slow with every partner", EXPLAINED_BY(BY("perf.pcie", SAME))),
	CHECK("perf.link", "cables and switches that only slow measurements went over", IBC_WARNING,
	      check_link, .absence = IBC_ABSENT_HERE, .inputs = IBC_IN_PERF,
	      .many = "cables|are slow"),
	CHECK("perf.bandwidth", "pairs of hosts that are slow, and no host or cable to blame",
	      IBC_WARNING, check_bandwidth,
	      PERF_LIMITS(LOW_BELOW, POOR_BELOW,
	                  "of percent below what the slower of port and PCIe carries"),
	      .many = "pairs of hosts|are slow"),
	CHECK("perf.latency", "hosts and pairs with a high latency", IBC_WARNING, check_latency,
	      PERF_LIMITS(LATENCY, NEVER, "of microseconds"), .many = "hosts|have a high latency",
	      EXPLAINED_BY(BY("perf.host", SAME))),
	CHECK("perf.unstable", "pairs that differ from time to time", IBC_WARNING, check_unstable,
	      PERF_LIMITS(SPREAD, NEVER, "of percent between the best and the worst"),
	      .many = "pairs of hosts|differ from time to time"),
	CHECK("perf.regression", "results that are worse than the baseline", IBC_WARNING,
	      check_regression, PERF_LIMITS(WORSE, NEVER, "of percent worse than the baseline"),
	      .kinds = "{server}{rail}", .many = "hosts|are worse than in the baseline"),
	{ 0 },
};
