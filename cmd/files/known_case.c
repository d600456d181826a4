/* SPDX-License-Identifier: BSD-2-Clause */
/* The case of an ID, for who accepts it, and for who retires what is gone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"
#include "known.h"

bool same_id(const char *a, const char *z)
{
	return !strncmp(a, z, strlen(a) < strlen(z) ? strlen(a) : strlen(z));
}

int known_keep(struct app *app, struct str_list *list, char *text, struct ibc_error *err)
{
	int rc = text ? str_list_add(&app->file.strings, text, err)
	              : cmd_fail(err, -ENOMEM, "out of memory");

	if (rc)
		free(text);
	return rc ? rc : str_list_add(list, text, err);
}

/* Swept once, for however many IDs. */
static int sweep_all(struct app *app, const char *path, struct ibc_error *err)
{
	const struct known_cfg *c = app->cfg;
	int rc;

	if (app->fabric)
		return 0;
	app->memory.looks_back = true;
	rc = all_sweep(app, &c->expect, c->routes, err);
	app->common.known = access(path, F_OK) ? NULL : path;
	if (!rc)
		rc = app_known(app, err);
	app->common.known = NULL;
	if (!rc)
		rc = ibc_report_finish(app->report, err);
	if (!rc)
		rc = app_cases(app, err);
	return rc;
}

int look_for_case(struct app *app, const char *path, const char *id, const struct ibc_case **out,
                  struct ibc_error *err)
{
	struct ibc_near near = { .typed = id };
	int rc = sweep_all(app, path, err);

	*out = rc ? NULL : app_case(app, id, &near);
	if (rc || *out)
		return rc;
	return cmd_fail(err, -EINVAL, "no case %s is found%s", id,
	                *ibc_near_text(&near)
	                    ? ibc_near_text(&near)
	                    : "; --state finds those of gone, --expect and --routes those of "
	                      "topo and routes, --unseen does not look for it");
}
