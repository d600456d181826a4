/* SPDX-License-Identifier: BSD-2-Clause */
/* --state: what earlier runs left, and what this one leaves. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <ibcheck/counters.h>

#include "cmd.h"

int app_state_verify(const struct app *app, struct ibc_error *err)
{
	struct stat st;

	if (app->common.changes && !app->common.state)
		return cmd_fail(err, -EINVAL, "--changes needs --state DIR");
	if (app->common.hook && !app->common.state && app->cmd->takes & TAKES_STATE)
		return cmd_fail(err, -EINVAL, "--hook needs --state DIR");
	if (!has_state(app) || stat(app->common.state, &st) || S_ISDIR(st.st_mode))
		return 0;
	return cmd_fail(err, -EINVAL, "--state %s is a file: use --since FILE, or name a directory",
	                app->common.state);
}

/* ---- before the checks --------------------------------------------------------------- */

bool fabric_provides(const struct ibc_fabric *fab, enum ibc_attr attr)
{
	const struct ibc_subnet *subnet;
	bool some = false;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++)
		some |= ibc_attrs_has(subnet->provides, attr);
	return some;
}

time_t time_of_sweep(const struct ibc_fabric *fab)
{
	const struct ibc_subnet *subnet;
	uint64_t last = 0;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++)
		last = subnet->time > last ? subnet->time : last;
	return last ? (time_t)last : time(NULL);
}

/*
 * Where counters are one of many things that are checked, no earlier sweep is no news.  Totals are
 * judged beside what rose: what is above its limit in one run is so in the next.
 */
static void compare_counters(struct app *app)
{
	struct ibc_attrs needs = ibc_check_needs(app->selection);
	bool one_of_many = app->how.spares_counters, fits;
	const struct ibc_port *port;
	struct ibc_phy_delta delta;

	if ((app->before && !app->windows) || !app->memory.last ||
	    !(ibc_check_inputs(app->selection) & IBC_IN_BEFORE || app_runs(app, "counters.state")))
		return;
	fits = !(one_of_many || app->windows) ||
	       !ibc_samples_fit(app->memory.last, app->fabric, NULL);
	/* rates of the physical layer need no counters, where no check misses them */
	if (!ibc_attrs_has(needs, IBC_ATTR_PORT_COUNTERS))
		for (size_t i = 0; !fits && (port = ibc_fabric_port(app->fabric, i)); i++)
			fits = ibc_phy_delta_of(app->memory.last, port, &delta);
	if (!fits)
		return;
	ibc_fabric_free(app->before); /* the first of this run: errors count from the last run on */
	app->before = app->memory.last;
}

/* ---- what was taken away on purpose --------------------------------------------------- */

struct retiring {
	struct app *app;
	struct ibc_error *err;
};

/* Of a day all of it; of a minute likewise; or the second. */
static time_t retired_when(const char *text)
{
	struct tm tm = { .tm_hour = 23, .tm_min = 59, .tm_sec = 59, .tm_isdst = -1 };

	sscanf(text, "%d-%d-%dT%d:%d:%d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
	       &tm.tm_min, &tm.tm_sec);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return mktime(&tm);
}

static int add_retired(const struct ibc_known_line *line, void *ctx)
{
	struct app *app = ((struct retiring *)ctx)->app;
	struct ibc_retired *more;
	char *subject;

	if (strcmp(line->check, IBC_KNOWN_RETIRED) != 0)
		return 0;
	more = reallocarray(app->memory.retired, app->memory.num_retired + 1, sizeof(*more));
	app->memory.retired = more ? more : app->memory.retired;
	subject = more ? strdup(line->subject) : NULL;
	if (!subject)
		return cmd_fail(((struct retiring *)ctx)->err, -ENOMEM, "out of memory");
	app->memory.retired[app->memory.num_retired++] = (struct ibc_retired){
		subject, retired_when(line->known.until)
	};
	return 0;
}

/* A file that cannot be read is reported by app_known(). */
static int find_gone(struct app *app, struct ibc_error *err)
{
	struct ibc_expect expects = IBC_EXPECT_INIT;
	struct retiring retiring = { app, err };
	const struct ibc_gone *gone;
	struct ibc_error ignored;
	int rc;

	/* whether a line has expired is of no matter here */
	if (app->common.known && ibc_known_read(app->common.known, "1970-01-01", add_retired,
	                                        &retiring, &ignored) == -ENOMEM)
		return -ENOMEM;
	expects.retired = app->memory.retired;
	expects.num_retired = app->memory.num_retired;
	if (app->common.forget_seconds > 0)
		expects.forget_seconds = (unsigned int)app->common.forget_seconds;
	rc = ibc_store_expect(app->memory.store, app->memory.last, &expects, &gone, err);
	ibc_check_expect(app->report, gone);
	return rc;
}

void app_remember(struct app *app)
{
	const struct ibc_subnet *first = app->fabric ? ibc_fabric_subnet(app->fabric, 0) : NULL;
	const struct common *c = &app->common;
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_error why = { "" };
	int rc;

	/* without a memory: the sweep before, of this process */
	if (!app->before && app->how.earlier && !has_state(app) &&
	    !ibc_samples_fit(app->how.earlier, app->fabric, NULL))
		app->before = app->how.earlier;
	/* what this host alone says is no sweep */
	if (!has_state(app) || app->memory.asked ||
	    !(app->memory.newest || (first && !first->local)))
		return;
	app->memory.asked = true;
	/* of a fleet's newest report: whoever reads it later remembers the same */
	opts.now = app->memory.newest ?: time_of_sweep(app->fabric);
	opts.command = app->cmd->name;
	if (c->reopen_seconds > 0)
		opts.reopen_seconds = (unsigned int)c->reopen_seconds;
	if (c->retention_seconds > 0)
		opts.retention_seconds = (unsigned int)c->retention_seconds;
	opts.settle_runs = c->settle.runs;
	opts.settle_seconds = (unsigned int)c->settle.seconds;
	rc = ibc_store_open(c->state, app->fabric, &opts, &app->memory.store, &why);
	if (!rc && app->fabric) {
		rc = ibc_store_sweep(app->memory.store, &app->memory.last, &why);
		rc = rc == -ENOENT ? 0 : rc;
	}
	if (!rc && app->fabric)
		rc = find_gone(app, &why);
	if (rc)
		ibc_check_memory(app->report,
		                 rc == -EBUSY    ? IBC_MEMORY_BUSY
		                 : rc == -EPROTO ? IBC_MEMORY_NEWER
		                                 : IBC_MEMORY_CLOSED,
		                 why.text);
	/*
	 * Two runs at once, and the other one was quicker: it has reported what was counted until
	 * then, and this sweep in its place would report it again.
	 */
	if (!rc && app->memory.last && !strcmp(first->kind, "umad") &&
	    ibc_samples_overlap(app->memory.last, app->fabric, time(NULL))) {
		ibc_store_free(app->memory.store);
		ibc_fabric_free(app->memory.last);
		app->memory.store = NULL;
		ibc_check_expect(app->report, NULL);
		app->memory.last = NULL;
		ibc_check_memory(app->report, IBC_MEMORY_BUSY,
		                 "another run swept the fabric at the same time");
	}
	if (!app->memory.store)
		return;
	if (ibc_store_damage(app->memory.store))
		ibc_check_memory(app->report, IBC_MEMORY_DAMAGED,
		                 ibc_store_damage(app->memory.store));
	compare_counters(app);
}
