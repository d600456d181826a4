/* SPDX-License-Identifier: BSD-2-Clause */
/* Two sweeps: what has changed from the one to the other. */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "columns.h"

#define UNCHECKED                                                                                  \
	"diff.unchecked,port.silent" /* what could not be compared is reported in any case */

struct diff_cfg {
	const char *only;
};

static const struct opt diff_opts[] = {
	OPT_STR(0, "only", "LIST", struct diff_cfg, only,
	        "report only changes of these: nodes, links, speed, lid, firmware, separated by "
	        "commas (default: all but lid)",
	        .hint = HINT_WORDS, .words = "nodes links speed lid firmware"),
	OPT_END,
};

/*
 * What each check looks at: the rows of the table, and what their number is called.
 */
static const struct {
	const char *check, *one, *many;
	uint32_t kinds;
} sorts[] = {
	{ "diff.nodes", "node", "nodes",
	  1u << IBC_CHANGE_NODE_GONE | 1u << IBC_CHANGE_NODE_NEW | 1u << IBC_CHANGE_NODE_REPLACED |
	      1u << IBC_CHANGE_NODE_RENAMED | 1u << IBC_CHANGE_NODE_EXCHANGED },
	{ "diff.links", "cable", "cables",
	  1u << IBC_CHANGE_CABLE_GONE | 1u << IBC_CHANGE_CABLE_NEW | 1u << IBC_CHANGE_CABLE_MOVED },
	{ "diff.links", "port state", "port states", 1u << IBC_CHANGE_STATE },
	{ "diff.speed", "rate", "rates", 1u << IBC_CHANGE_RATE },
	{ "diff.lid", "LID", "LIDs", 1u << IBC_CHANGE_LID },
	{ "diff.lid", "subnet manager", "subnet managers", 1u << IBC_CHANGE_SM },
	{ "diff.firmware", "firmware version", "firmware versions", 1u << IBC_CHANGE_FIRMWARE },
	{ "diff.firmware", "device", "devices",
	  1u << IBC_CHANGE_REVISION | 1u << IBC_CHANGE_DEVICE },
};

/* ---- what to look for -------------------------------------------------------------- */

/* "links,nodes" as the checks' ids. */
static int select_changes(struct app *app, const char *only, struct ibc_error *err)
{
	char ids[256] = UNCHECKED; /* and all of sorts[] once */
	size_t i, length;

	/* checks that are named are meant */
	if (!only)
		return app_select(app, app->common.checks ? NULL : "-diff.lid", err);
	for (const char *word = only;; word += length + 1) {
		struct ibc_near near = { .typed = word };

		length = strcspn(word, ",");
		near.length = (int)length;
		if (!length)
			return cmd_fail(
			    err, -EINVAL,
			    "--only has an empty word: use nodes, links, speed, lid or firmware");
		for (i = 0; i < ARRAY_SIZE(sorts); i++) {
			const char *name = strchr(sorts[i].check, '.') + 1;

			if (strlen(name) == length && !strncmp(name, word, length))
				break;
			ibc_near_offer(&near, name);
		}
		if (i == ARRAY_SIZE(sorts))
			return cmd_fail(err, -EINVAL,
			                "--only %.*s: use nodes, links, speed, lid or firmware%s",
			                (int)length, word, ibc_near_text(&near));
		if (!strstr(ids, sorts[i].check)) {
			strcat(ids, ",");
			strcat(ids, sorts[i].check);
		}
		if (!word[length])
			return app_select(app, ids, err);
	}
}

/* ---- the two sweeps ---------------------------------------------------------------- */

static int sweep_one(struct app *app, const char *spec, struct ibc_error *err)
{
	const struct str_list asked = app->common.sources;
	const char *items[] = { spec, NULL };
	int rc;

	app->common.sources = (struct str_list){ items, 1 };
	rc = app_sweep(app, IBC_ATTRS(), err);
	app->common.sources = asked;
	return rc;
}

/* ---- what it comes to ---------------------------------------------------------------- */

#define CHANGES_TEXT 512 /* more than all of sorts[] with a number each */

/* "2 nodes, 3 cables and 1 rate changed" */
static void conclude_changes(struct app *app, const struct ibc_changes *changes)
{
	struct ibc_comparison_counts cables = ibc_comparison_count(app->comparison);
	size_t n[ARRAY_SIZE(sorts)] = { 0 }, last = ARRAY_SIZE(sorts), at = 0, plugs = 0;
	const struct ibc_finding *f;
	const struct ibc_change *c;
	char text[CHANGES_TEXT];

	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		for (size_t k = 0; (c = ibc_changes_at(changes, k)); k++)
			n[i] += sorts[i].kinds >> c->kind & 1;
		last = n[i] ? i : last;
	}
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		const char *before = !at ? "" : i == last ? " and " : ", ";

		if (n[i])
			at += (size_t)snprintf(text + at, CHANGES_TEXT - at, "%s%zu %s", before,
			                       n[i], n[i] == 1 ? sorts[i].one : sorts[i].many);
	}
	snprintf(text + at, CHANGES_TEXT - at, "%s", at ? " changed" : "no change");
	ibc_report_sum(app->report, "cables_before", cables.cables);
	ibc_report_sum(app->report, "cables_as_before", cables.cables_right);
	ibc_report_sum(app->report, "cables_unchecked", cables.cables_unread);
	/* of the physical layer the check compares, so the changes have none of it */
	for (size_t i = 0; (f = ibc_report_finding(app->report, i)); i++)
		plugs += !strcmp(f->check, "cable.plan");
	if (plugs)
		ibc_report_conclude(app->report, "%zu plug%s replaced or exchanged", plugs,
		                    plugs == 1 ? "" : "s");
	ibc_report_conclude(app->report, "%s%s, %zu of %zu cables as before",
	                    plugs ? "otherwise " : "", text, cables.cables_right, cables.cables);
}

/* ---- the table ------------------------------------------------------------------------ */

/* struct change_row - @port: one end of what it is about, or NULL; @peer: the other end, if any */
struct change_row {
	const struct ibc_change *change;
	const struct ibc_port *port;
	struct ibc_place node, peer;
};

/* "leaf03/19 - spine01/3", "leaf03/19", "leaf03" */
static struct ibc_value change_where(struct ibc_cell *cell)
{
	const struct change_row *c = cell->row;
	struct ibc_value where = ibc_cell_text(cell, "%s", c->node.node->label);

	if (c->port)
		where = ibc_cell_text(cell, "/%u", c->port->num);
	if (c->peer.node)
		where = ibc_cell_text(cell, " - %s/%u", c->peer.node->label, c->peer.port);
	return where;
}

/* .arg: as it was before? */
static struct ibc_value change_side(struct ibc_cell *cell)
{
	const struct change_row *c = cell->row;

	ibc_change_text(c->change, cell->column->arg, cell->text, sizeof(cell->text));
	return text_or_none(cell->text);
}

GETTER(change_kind, struct change_row, c, ibc_enum(ibc_change_word(c->change->kind)));
GETTER(change_port, struct change_row, c, c->port ? ibc_u64(c->port->num) : ibc_none());

static const struct ibc_column change_columns[] = {
	COLUMN("change", "CHANGE", change_kind),
	COLUMN_AT("node_guid", NULL, place_guid, struct change_row, node),
	COLUMN_AT("node_desc", NULL, place_desc, struct change_row, node),
	COLUMN("port", NULL, change_port),
	PLACE_COLUMNS("peer_guid", "peer_desc", "peer_port", struct change_row, peer),
	COLUMN("where", "WHERE", change_where),
	COLUMN_OF(true, "before", "BEFORE", change_side),
	COLUMN_OF(false, "after", "AFTER", change_side),
	{ 0 },
};
static const struct ibc_table_type changes_type = { "changes", change_columns, NULL, NULL, NULL };

static int diff_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_table *table = NULL;
	struct ibc_changes *changes;
	const struct ibc_change *c;
	uint32_t kinds = 0;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++)
		if (app_runs(app, sorts[i].check))
			kinds |= sorts[i].kinds;
	rc = ibc_changes_find(app->comparison, kinds, &changes, err);
	if (rc)
		return rc;
	conclude_changes(app, changes);
	/* text shows the findings, and each change of many only if asked for everything */
	if (strcmp(app->common.format, FORMAT_TEXT) ||
	    (app->common.verbose && ibc_changes_at(changes, 0)))
		table = app_table(app, &changes_type);
	for (size_t i = 0; table && (c = ibc_changes_at(changes, i)); i++) {
		const struct ibc_port *port = c->is ? c->port_is : c->port_was;
		const struct ibc_port *peer = port && c->kind != IBC_CHANGE_LID ? port->peer : NULL;
		struct change_row row = { .change = c,
			                  .port = port,
			                  .node.node = c->is ? c->is : c->was };

		if (peer)
			row.peer = (struct ibc_place){ peer->node, peer->num };
		ibc_table_row(table, &row);
	}
	ibc_changes_free(changes);
	return 0;
}

/* ---- all of it -------------------------------------------------------------------------- */

static int diff_run(struct app *app, struct ibc_error *err)
{
	const struct diff_cfg *c = app->cfg;
	const char *after = app->args[1];
	const struct ibc_subnet *subnet;
	struct ibc_error why = { "" };
	char when[SWEEP_TEXT];
	int rc;

	if (after && (app->asked.sources.n || app->common.phy.n))
		return cmd_fail(err, -EINVAL, "diff compares %s with %s and takes no %s %s",
		                app->args[0], after, app->asked.sources.n ? "--source" : "--phy",
		                app->asked.sources.n ? app->asked.sources.items[0]
		                                     : app->common.phy.items[0]);
	app->how.no_counters = true;
	rc = select_changes(app, c->only, err);
	if (!rc)
		rc = sweep_one(app, app->args[0], err);
	if (rc)
		return rc;
	app->before = app->fabric;
	app->fabric = NULL;
	rc = after ? sweep_one(app, after, err) : app_sweep(app, IBC_ATTRS(), err);
	if (rc)
		return rc;
	/* what it was compared with belongs to what was swept */
	subnet = ibc_fabric_subnet(app->before, 0);
	rc = app_say(app, err, "%s; compared with %s%s", app->headline, subnet->source,
	             sweep_text(subnet, when));
	if (!rc)
		rc = ibc_compare(app->before, app->fabric, &app->trace, &app->comparison, err);
	if (rc)
		return rc;
	/* one line, and not ten thousand that say no more */
	rc = ibc_changes_fit(app->comparison, &why);
	return rc ? cmd_fail(err, rc, "%s: %s", app->args[0], why.text) : app_check(app, err);
}

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "changes between two sweeps: cables, devices, rates, firmware",
	.args = "A [B]",
	.example = "diff before.snap.zst\n"
		   "diff before.snap.zst after.snap.zst\n"
		   "diff --only links,speed monday.snap tuesday.snap\n",
	.group = CMD_FILES,
	.takes = TAKES_FABRIC | TAKES_PHYSICAL,
	.min_args = 1,
	.max_args = 2,
	.arg_hint = HINT_SOURCE,
	.checks = "diff,cable.plan,port.silent",
	.opts = diff_opts,
	.cfg_size = sizeof(struct diff_cfg),
	.csv = &changes_type,
	.shows = TABLES(&changes_type),
	.run = diff_run,
	.tables = diff_tables,
};
