/* SPDX-License-Identifier: BSD-2-Clause */
/* counters --clear: read, clear, and read again. */
#include <errno.h>
#include <string.h>

#include "counters.h"

/* The verification looks for gaps only: what was counted is gone. */
#define CHECKS_AFTER "counters.silent"

/* ---- what to clear ---------------------------------------------------------------- */

static const struct {
	const char *word;
	unsigned int what;
} choices[] = {
	{ "errors", IBC_CLEAR_ERRORS },
	{ "data", IBC_CLEAR_DATA },
	{ "all", IBC_CLEAR_ERRORS | IBC_CLEAR_DATA },
};

static int parse_choice(const char *word, unsigned int *what, struct ibc_error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		if (!strcmp(choices[i].word, word)) {
			*what = choices[i].what;
			return 0;
		}
	return cmd_fail(err, -EINVAL, "--clear: \"%s\" is not one of errors, data and all", word);
}

/* PortXmitWait goes with the errors, as other tools have it; details with their parents. */
static bool is_data(enum ibc_counter counter)
{
	return counter >= IBC_XMIT_DATA && counter <= IBC_MULTICAST_RCV_PKTS;
}

/* Set of 1 << enum ibc_counter. */
static uint32_t chosen_by(unsigned int what)
{
	uint32_t chosen = 0;

	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (what & (is_data(i) ? IBC_CLEAR_DATA : IBC_CLEAR_ERRORS))
			chosen |= 1u << i;
	return chosen;
}

/* The checks see one sweep alone: that it counted less than before is no news. */
static int check_after(struct app *app, struct ibc_error *err)
{
	struct ibc_fabric *before = app->before;
	int rc;

	app->before = NULL;
	rc = app_check(app, err);
	app->before = before;
	if (app->store)
		ibc_store_cleared(app->store, before);
	return rc;
}

/* ---- the command ------------------------------------------------------------------ */

int clear_run(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	unsigned int what = 0;
	int rc;

	if (app->asked_interval || cfg->since || cfg->totals || cfg->vl)
		return cmd_fail(err, -EINVAL,
		                "--clear cannot be combined with --interval, --since, --totals or "
		                "--vl");
	rc = parse_choice(cfg->clear, &what, err);
	if (!rc)
		rc = app_select(app, CHECKS_AFTER, err);
	if (!rc)
		rc = app_clear(app, what, err);
	if (rc)
		return rc;
	app->before = app->fabric;
	app->fabric = NULL;
	rc = app_sweep(app, IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), err);
	if (!rc)
		rc = ibc_check_clearing(app->before, app->fabric, chosen_by(what), app->report,
		                        err);
	return rc ? rc : check_after(app, err);
}
