/* SPDX-License-Identifier: BSD-2-Clause */
/* counters --clear: read, clear, and read again. */
#include <errno.h>
#include <string.h>

#include "counters.h"

/* The verification looks for gaps only: what was counted is gone. */
#define CHECKS_AFTER "counters.silent"

int clear_run(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	bool all = !strcmp(cfg->clear, "all");
	struct ibc_fabric *before;
	unsigned int what = 0;
	uint32_t chosen = 0; /* a set of 1 << enum ibc_counter */
	int rc;

	if (app->asked.interval_seconds > 0 || cfg->since || cfg->totals || cfg->vl)
		return cmd_fail(err, -EINVAL,
		                "--clear cannot be combined with --interval, --since, --totals or "
		                "--vl");
	what |= all || !strcmp(cfg->clear, "errors") ? IBC_CLEAR_ERRORS : 0;
	what |= all || !strcmp(cfg->clear, "data") ? IBC_CLEAR_DATA : 0;
	if (!what)
		return cmd_fail(err, -EINVAL, "--clear: \"%s\" is not one of errors, data and all",
		                cfg->clear);
	rc = app_select(app, CHECKS_AFTER, err);
	if (!rc)
		rc = app_clear(app, what, err);
	if (rc)
		return rc;
	/* PortXmitWait goes with the errors, as other tools have it; details with their parents */
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		bool is_data = i >= IBC_XMIT_DATA && i <= IBC_MULTICAST_RCV_PKTS;

		if (what & (is_data ? IBC_CLEAR_DATA : IBC_CLEAR_ERRORS))
			chosen |= 1u << i;
	}
	app->before = before = app->fabric;
	app->fabric = NULL;
	rc = app_sweep(app, IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), err);
	if (!rc)
		rc = ibc_check_clearing(before, app->fabric, chosen, app->report, err);
	if (rc)
		return rc;
	/* the checks see one sweep alone: that it counted less than before is no news */
	app->before = NULL;
	rc = app_check(app, err);
	app->before = before;
	if (app->store)
		ibc_store_cleared(app->store, before);
	return rc;
}
