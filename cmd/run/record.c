/* SPDX-License-Identifier: BSD-2-Clause */
/* --state: what this run leaves for the next one, and for a hook. */
#include <errno.h>

#include "cmd.h"

/* The report, once more: something is to be reported about the state directory. */
static int finish_again(struct app *app, enum ibc_memory what, const char *why,
                        struct ibc_error *err)
{
	int rc;

	ibc_check_memory(app->report, what, why);
	rc = ibc_report_finish(app->report, err);
	return rc ? rc : app_cases(app, err);
}

int app_record(struct app *app, struct ibc_error *err)
{
	const struct ibc_input in = app_input(app);
	struct ibc_error why = { "" };
	int rc = 0, recorded = -ENOENT;

	if (app->memory.looks_back) { /* a look is no run */
		ibc_store_free(app->memory.store);
		app->memory.store = NULL;
	}
	if (app->memory.store)
		recorded = ibc_store_record(app->memory.store, &in, app->memory.last,
		                            ibc_check_find, app->report, &why);
	if (recorded == -EUCLEAN) { /* it is set aside: into the new one, and the report says so */
		rc = finish_again(app, IBC_MEMORY_DAMAGED, why.text, err);
		recorded = ibc_store_record(app->memory.store, &in, app->memory.last,
		                            ibc_check_find, app->report, &why);
	}
	app->memory.recorded = !recorded;
	if (!rc)
		rc = hook_compose(app, err);
	if (rc)
		return rc;
	if (app->memory.recorded && app->memory.changes)
		app->memory.recorded = !ibc_store_pend(app->memory.store, app->memory.changes,
		                                       app->report, &why);
	if (!app->memory.store || app->memory.recorded)
		return 0;
	rc = finish_again(app, IBC_MEMORY_UNWRITTEN, why.text, err);
	return rc ? rc : hook_compose(app, err); /* it says so now */
}
