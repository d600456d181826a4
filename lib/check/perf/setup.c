/* SPDX-License-Identifier: BSD-2-Clause */
/* Measurements of a plan that are missing, or are no evidence. */
#include "check/groups.h"
#include "check/perf/perf.h"

static const char again[] = "Repair it, and measure what is missing: ibcheck perf judge --retest "
			    "writes that plan.";

/* "n007", of one of several rails "n007 rail 2 (mlx5_2/1)" */
const char *perf_end_text(struct ibc_sink *out, const struct ibc_perf_end *end)
{
	const char *rail = *end->rail ? sink_text(out, " rail %s", end->rail) : "";

	return end->device ? sink_text(out, "%s%s (%s)", end->host, rail, end->device)
	                   : sink_text(out, "%s%s", end->host, rail);
}

/* What became of a measurement, behind the name of a host. */
static const char *status_text(struct ibc_sink *out, enum ibc_perf_status status, const char *why,
                               bool reported)
{
	const char *said = why ? sink_text(out, ": %s", why) : "";

	switch (status) {
	case IBC_PERF_SETUP:
		return sink_text(out, "it could not begin%s", said);
	case IBC_PERF_FAILED:
		return sink_text(out, "it broke off%s", said);
	case IBC_PERF_UNREAD:
		return sink_text(out, "it cannot be read%s", said);
	case IBC_PERF_LOOPBACK:
		return "it measured an HCA with itself, which no cable takes part in";
	case IBC_PERF_NO_PARTNER:
		return reported ? "no partner of it answered" : "it did not answer its partners";
	default:
		return "it has printed nothing";
	}
}

/*
 * A host without a measurement is neither good nor slow; a measurement that fails for its own
 * reasons is no evidence about the fabric.
 */
static void check_setup(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_perf_judgement *p = in->perf;
	size_t unjudged = 0;

	/* hosts first, then pairs of hosts that were measured with others */
	for (size_t i = 0; i < p->num_untested; i++) {
		const struct ibc_perf_host *h = &p->untested[i];
		bool silent = h->status == IBC_PERF_NO_PARTNER || h->status == IBC_PERF_ABSENT;

		sink_named(out, IBC_SUBJECT_HOST, h->host, "has not been tested: %s",
		           status_text(out, h->status, h->why, h->ends[0]->reported));
		sink_advise(out,
		            silent
		                ? "See whether it is up, and what ibcheck-perf-run prints there. %s"
		                : "%s",
		            again);
		sink_fact(out, "status", ibc_enum(ibc_perf_status_word(h->status)));
	}
	for (size_t i = 0; i < p->num_gaps; i++) {
		const struct ibc_perf_result *r = p->gaps[i].verdict->result;
		const struct ibc_perf_end *client = &p->results->ends[r->client];
		const struct ibc_perf_end *server = &p->results->ends[r->server];

		sink_named(out, IBC_SUBJECT_HOST, client->host,
		           "has not been measured with %s in round %u: %s",
		           perf_end_text(out, server), r->round,
		           r->status == IBC_PERF_NO_PARTNER && r->by_server ? "it did not come"
		           : r->status == IBC_PERF_NO_PARTNER
		               ? "that did not answer"
		               : status_text(out, r->status, r->why, true));
		sink_advise(out, "%s", again);
		sink_fact(out, "server", ibc_str(server->host));
		sink_fact(out, "status", ibc_enum(ibc_perf_status_word(r->status)));
	}
	for (size_t i = 0; i < p->results->num_flaws; i++) {
		const struct ibc_subject line = { .kind = IBC_SUBJECT_FABRIC,
			                          .near.desc = p->results->flaws[i] };

		sink_add(out, &line, "%s", p->results->flaws[i]);
		sink_advise(out, "Correct the file or leave it out; its measurements are missing.");
	}
	for (size_t i = 0; i < p->results->num; i++)
		unjudged += p->results->all[i].status == IBC_PERF_MEASURED &&
		            p->verdicts[i].level == IBC_PERF_UNJUDGED;
	if (unjudged) {
		sink_fabric(out,
		            "%zu of %zu measurements cannot be judged: the rate of the port is "
		            "unknown, and there are too few to compare them",
		            unjudged, p->measured);
		sink_advise(out,
		            "Measure with ibcheck-perf-run, which prints the rate, or more pairs.");
	}
}

/* The slot a card is in carries less than its port: the port can never be filled. */
static void check_pcie(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_perf_results *r = in->perf->results;

	for (size_t i = 0; i < r->num_ends; i++) {
		const struct ibc_perf_end *e = &r->ends[i];

		if (e->pcie_gbps <= 0 || e->rate_gbps <= 0 || e->pcie_gbps >= e->rate_gbps)
			continue;
		sink_named(out, IBC_SUBJECT_HOST, e->host,
		           "PCIe carries %.4g of the %.4g Gb/s of %s", e->pcie_gbps, e->rate_gbps,
		           e->device ? e->device : "its port");
		sink_advise(out,
		            "See with ibcheck host whether the card runs at the width and speed "
		            "it can; if so, it is in the wrong slot.");
		sink_fact(out, "pcie_gbps", ibc_real(e->pcie_gbps));
		sink_fact(out, "rate_gbps", ibc_real(e->rate_gbps));
	}
}

const struct ibc_check ibc_checks_perf_setup[] = {
	CHECK("perf.setup", "measurements that are missing, failed, or cannot be read", IBC_UNKNOWN,
	      check_setup, .inputs = IBC_IN_PERF, .kinds = "{server}{status}",
	      .many = "hosts|have not been tested"),
	CHECK("perf.pcie", "PCIe links that carry less than the port", IBC_WARNING, check_pcie,
	      .inputs = IBC_IN_PERF,
	      .many = "hosts|have a PCIe link that carries less than the port"),
	{ 0 },
};
