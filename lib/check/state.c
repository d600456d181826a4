/* SPDX-License-Identifier: BSD-2-Clause */
/* Is what the counters are compared with an earlier sweep of this fabric? */
#include <ibcheck/counters.h>

#include "check/groups.h"
#include "check/sink.h"

/* What is wrong with the file itself only the program can tell, under the same id. */
static void check_state(const struct ibc_input *in, struct ibc_sink *out)
{
	struct ibc_error why;

	if (!in->before || !in->fabric || !ibc_samples_fit(in->before, in->fabric, &why))
		return;
	sink_fabric(out, "there is nothing to compare with: %s", why.text);
	sink_advise(out, "Compare with an earlier sweep of this fabric.");
}

const struct ibc_check ibc_checks_state[] = { {
						  .id = "counters.state",
						  .title = "nothing to compare the counters with",
						  .needs = IBC_ATTR_NODE_INFO,
						  .severity = IBC_UNKNOWN,
						  .run = check_state,
					      },
	                                      { 0 } };
