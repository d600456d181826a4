/* SPDX-License-Identifier: BSD-2-Clause */
/* --state: what this run leaves for the next one, and for a hook. */
#include "cmd.h"

int app_record(struct app *app, struct ibc_error *err)
{
	const struct ibc_input in = app_input(app);
	struct ibc_error why = { "" };
	int rc;

	if (app->store)
		app->recorded = !ibc_store_record(app->store, &in, app->remembered, ibc_check_find,
		                                  app->report, &why);
	rc = hook_compose(app, err);
	if (rc)
		return rc;
	if (app->recorded && app->changes)
		app->recorded = !ibc_store_pend(app->store, app->changes, app->report, &why);
	if (!app->store || app->recorded)
		return 0;
	ibc_check_memory(app->report, IBC_MEMORY_UNWRITTEN, why.text);
	rc = ibc_report_finish(app->report, err);
	if (!rc)
		rc = app_cases(app, err);
	return rc ? rc : hook_compose(app, err); /* it says so now */
}
