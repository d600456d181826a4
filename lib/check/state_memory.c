/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Can what earlier runs found be read, and what this one finds be kept?  The program finds out, and
 * says so by ibc_check_memory().
 */
#include "check/groups.h"
#include "check/sink.h"

/* The sentence is before, what the system says, behind. */
static const struct {
	const char *before, *advice;
} memories[] = {
	[IBC_MEMORY_CLOSED] = { "nothing of earlier runs is known, and this one is not remembered",
	                        "Name a directory on a local disk that this user may write to: "
	                        "--state DIR." },
	[IBC_MEMORY_NEWER] = { "nothing of earlier runs is known, and this one is not remembered",
	                       "Use the newer version of ibcheck here too, or another directory: "
	                       "--state DIR." },
	[IBC_MEMORY_BUSY] = { "nothing of earlier runs is known, and this one is not remembered",
	                      "Run it less often: a run takes longer than the time between two "
	                      "runs." },
	[IBC_MEMORY_DAMAGED] = { "a part of what earlier runs found is lost",
	                         "The next runs know this one.  Look at the disk, then remove the "
	                         "file that is kept." },
	[IBC_MEMORY_UNWRITTEN] = { "this run is not remembered, and the next one compares with an "
	                           "older one",
	                           "Free some space, or choose another directory: --state DIR." },
};

void ibc_check_memory(struct ibc_report *rep, enum ibc_memory what, const char *why)
{
	struct ibc_sink out = { .report = rep, .check = ibc_checks_state_memory };

	sink_fabric(&out, "%s: %s", memories[what].before, why);
	sink_advise(&out, "%s", memories[what].advice);
}

const struct ibc_check ibc_checks_state_memory[] = {
	CHECK("state.memory", "earlier runs that nothing is known of", IBC_UNKNOWN, NULL,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO)),
	{ 0 },
};
