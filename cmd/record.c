/* SPDX-License-Identifier: BSD-2-Clause */
/* --state: what this run leaves for the next one. */
#include "cmd.h"

int app_record(struct app *app, struct ibc_error *err)
{
	const struct ibc_input in = app_input(app);
	struct ibc_error why = { "" };
	int rc;

	if (!app->store ||
	    !ibc_store_record(app->store, &in, app->remembered, ibc_check_at, app->report, &why))
		return 0;
	ibc_check_memory(app->report, IBC_MEMORY_UNWRITTEN, why.text);
	rc = ibc_report_finish(app->report, err);
	return rc ? rc : app_cases(app, err);
}
