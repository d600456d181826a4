/* SPDX-License-Identifier: BSD-2-Clause */
/* counters --clear: read, clear, and read again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/names.h>

#include "counters.h"

/* The verification looks for gaps only: what was counted is gone. */
#define CHECKS_AFTER "counters.silent"

/* struct named - ports that are to be cleared, of a sweep before that */
struct named {
	struct ibc_fabric *fabric;
	struct ibc_place *ports;
	size_t num;
};

/* What one name means is written out before anything is changed. */
static int add_named(struct named *named, const char *text, struct ibc_error *err)
{
	struct ibc_place *found = NULL, *more;
	char place[IBC_PLACE_TEXT];
	size_t n, ports = 0;
	int rc;

	if (text[strcspn(text, "*?[")])
		return cmd_fail(err, -EINVAL,
		                "--clear takes no wildcards: name each port or node, \"%s\"", text);
	rc = ibc_fabric_find(named->fabric, text, &found, &n, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		ports += found[i].port ? 1 : found[i].node->num_ports;
	more = reallocarray(named->ports, named->num + ports, sizeof(*more));
	if (more)
		named->ports = more;
	for (size_t i = 0; more && i < n; i++) {
		unsigned int first = found[i].port ? found[i].port : 1;
		unsigned int last = found[i].port ? found[i].port : found[i].node->num_ports;

		ibc_place_text(found[i], place, sizeof(place));
		if (!found[i].port)
			say_error("clears all %u ports of %s", last, place);
		for (unsigned int p = first; p <= last; p++)
			more[named->num++] = (struct ibc_place){ found[i].node, p };
	}
	free(found);
	return more ? 0 : cmd_fail(err, -ENOMEM, "out of memory");
}

/* All names, before the first counter is set: one that is wrong clears nothing. */
static int find_named(struct app *app, struct named *named, struct ibc_error *err)
{
	int rc = *app->args ? app_sweep(app, IBC_ATTRS(), err) : 0;

	named->fabric = app->fabric;
	app->fabric = NULL;
	for (size_t i = 0; !rc && app->args[i]; i++)
		rc = add_named(named, app->args[i], err);
	app->how.clear_only = named->ports;
	app->how.num_clear_only = named->num;
	return rc;
}

static int clear_and_verify(struct app *app, unsigned int what, struct ibc_error *err)
{
	uint32_t chosen = 0; /* a set of 1 << enum ibc_counter */
	struct ibc_fabric *before;
	int rc = app_clear(app, what, err);

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
		rc = ibc_check_clearing_ports(before, app->fabric, chosen, app->how.clear_only,
		                              app->how.num_clear_only, app->report, err);
	if (rc)
		return rc;
	/* the checks see one sweep alone: that it counted less than before is no news */
	app->before = NULL;
	rc = app_check(app, err);
	app->before = before;
	if (app->memory.store)
		ibc_store_cleared(app->memory.store, before);
	return rc;
}

int clear_run(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err)
{
	bool all = !strcmp(cfg->clear, "all");
	struct named named = { .num = 0 };
	unsigned int what = 0;
	int rc;

	if (app->asked.interval_seconds > 0 || cfg->since || cfg->totals || cfg->vl)
		return cmd_fail(err, -EINVAL,
		                "--clear cannot be combined with --interval, --since, --totals or "
		                "--vl");
	if (app->common.node || app->common.severity)
		return cmd_fail(err, -EINVAL,
		                "--clear is not narrowed by %s, which only filters what is shown: "
		                "name the ports, as in --clear errors leaf03/2",
		                app->common.node ? "--node" : "--severity");
	what |= all || !strcmp(cfg->clear, "errors") ? IBC_CLEAR_ERRORS : 0;
	what |= all || !strcmp(cfg->clear, "data") ? IBC_CLEAR_DATA : 0;
	if (!what)
		return cmd_fail(err, -EINVAL, "--clear: \"%s\" is not one of errors, data and all",
		                cfg->clear);
	rc = app_select(app, CHECKS_AFTER, err);
	if (!rc)
		rc = find_named(app, &named, err);
	if (!rc)
		rc = clear_and_verify(app, what, err);
	app->how.clear_only = NULL;
	app->how.num_clear_only = 0;
	free(named.ports);
	ibc_fabric_free(named.fabric);
	return rc;
}
