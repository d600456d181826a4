/* SPDX-License-Identifier: BSD-2-Clause */
/* Is what the counters are compared with an earlier sweep of this fabric? */
#include <ibcheck/counters.h>

#include "check/groups.h"
#include "check/sink.h"

/* What is wrong with the file itself only the program knows: below. */
static void check_state(const struct ibc_input *in, struct ibc_sink *out)
{
	struct ibc_error why;

	if (!in->before || !in->fabric || !ibc_samples_fit(in->before, in->fabric, &why))
		return;
	sink_fabric(out, "there is nothing to compare with: %s", why.text);
	sink_advise(out, "Compare with an earlier sweep of this fabric.");
}

/* ---- what the program knows of the samples ------------------------------------------ */

/* The sentence is before, @where, behind. */
static const struct {
	enum ibc_severity severity;
	const char *before, *behind, *advice;
} samples[] = {
	[IBC_SAMPLES_NONE] = { IBC_UNKNOWN,
	                       "the counters were read once, and rates need two readings", "",
	                       "Use --interval 10s, --state DIR or --since SNAPSHOT; or --totals "
	                       "to judge the lifetime totals." },
	[IBC_SAMPLES_FIRST] = { IBC_INFO, "first sample: ",
	                        " has no counters of this fabric yet, and nothing is compared",
	                        "Run it again: each run compares with the run before." },
	[IBC_SAMPLES_EMPTY] = { IBC_UNKNOWN, "nothing is compared: this sweep holds no counters",
	                        "", "See port.silent and counters.silent." },
	[IBC_SAMPLES_CUT] = { IBC_UNKNOWN, "ended early by a signal, after ", "",
	                      "This report covers the time until then. Run the command again for "
	                      "the whole time." },
};

void ibc_check_samples(struct ibc_report *rep, enum ibc_samples why, const char *where)
{
	struct ibc_sink out = { .report = rep, .check = ibc_checks_counters_state };

	sink_as(&out, samples[why].severity);
	sink_fabric(&out, "%s%s%s", samples[why].before, where ? where : "", samples[why].behind);
	sink_advise(&out, "%s", samples[why].advice);
}

/* ---- the table ---------------------------------------------------------------------- */

const struct ibc_check ibc_checks_counters_state[] = {
	CHECK("counters.state", "nothing to compare the counters with", IBC_UNKNOWN, check_state,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO)),
	{ 0 },
};
