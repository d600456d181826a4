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

const struct ibc_check ibc_checks_state[] = {
	{
	    .id = "counters.state",
	    .title = "nothing to compare the counters with",
	    .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO),
	    .severity = IBC_UNKNOWN,
	    .explain =
		"Counters count since somebody last cleared them, which no port can tell. What "
		"goes wrong now is the difference of two sweeps: two in one run (counters "
		"--interval), the sweep of the last run (--state), or a snapshot (--since). "
		"This says that the earlier one was of no use, and why.\n"
		"\n"
		"A state file that is damaged is kept beside its place, with \".damaged\" behind "
		"its name; one of another fabric, which has no node in common with this one, "
		"with \".other\". A file that another run holds is left alone. If the clock was "
		"set back, the earlier sweep seems to be the later one, and there is no time to "
		"divide by. In all these cases the new sweep is reported, and what can be is "
		"kept for the next run.\n"
		"\n"
		"No rate is known for this one time, so the verdict is unknown: errors of the "
		"interval may have gone unseen. The totals of the counters are shown as they "
		"are, and --totals judges them.\n"
		"\n"
		"Mostly the next run is fine again. If it is not: see that the directory of the "
		"state file can be written and has room, that each fabric has a state file of "
		"its own, and that runs are further apart than they take.",
	    .run = check_state,
	},
	{ 0 }
};
