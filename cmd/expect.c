/* SPDX-License-Identifier: BSD-2-Clause */
#include "expect.h"

/* How much of the plan is as it should be: what the findings come to. */
static void conclude_plan(struct app *app)
{
	struct ibc_comparison_counts n = ibc_comparison_count(app->comparison);

	size_t as_planned = n.cables_right - n.cables_below;

	ibc_report_sum(app->report, "cables_planned", n.cables);
	ibc_report_sum(app->report, "cables_as_planned", as_planned);
	ibc_report_sum(app->report, "cables_unchecked", n.cables_unread);
	ibc_report_sum(app->report, "cables_outside_plan", n.cables_outside);
	if (n.cables_unread)
		ibc_report_conclude(app->report, "%zu of %zu cables as planned, %zu unchecked",
		                    as_planned, n.cables, n.cables_unread);
	else
		ibc_report_conclude(app->report, "%zu of %zu cables as planned", as_planned,
		                    n.cables);
	if (n.no_hosts || n.no_trunks)
		ibc_report_conclude(app->report,
		                    "the plan lists no cables %s: these are not compared",
		                    n.no_hosts ? "of hosts" : "between switches");
	if (n.cables_outside)
		ibc_report_conclude(app->report, "%zu cable%s of the fabric outside the plan",
		                    n.cables_outside, n.cables_outside == 1 ? "" : "s");
}

int expect_run(struct app *app, const char *const *files, size_t n, struct ibc_error *err)
{
	int rc = app_load(app, files, n, &app->planned, err);

	if (!rc)
		rc = samples_sweep(app, IBC_ATTRS(), err);
	if (!rc)
		rc = ibc_compare(app->planned, app->fabric, &app->trace, &app->comparison, err);
	if (!rc)
		rc = app_check(app, err);
	if (!rc)
		conclude_plan(app);
	return rc;
}
