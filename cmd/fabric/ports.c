/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of ports, and the checks that look at one port or one cable. */
#include <stdlib.h>

#include "columns.h"
#include "counters.h"
#include "ports.h"

static const struct opt ports_opts[] = {
	OPT_FLAG('d', "down", struct ports_cfg, down,
	         "only ports that are down, and uplinks that a fat-tree should have"),
	OPT_FLAG('S', "switches", struct ports_cfg, switches, "only ports of switches"),
	OPT_FLAG('H', "hcas", struct ports_cfg, hcas, "only ports of HCAs"),
	OPT_FLAG('e', "errors-only", struct ports_cfg, errors_only,
	         "only ports that a finding names"),
	OPT_FLAG('l', "local", struct ports_cfg, local,
	         "this host's own ports, as its kernel reports them, instead of a sweep",
	         .part = "host"),
	OPT_END,
};

/* ---- which ports --------------------------------------------------------------- */

/* struct listing - the filters, what findings name, and the table */
struct listing {
	const struct ports_cfg *cfg;
	struct named named;
	struct ibc_table *table;
	uint64_t down;   /* of those that are not shown */
	bool labels;     /* any of those shown has one */
	bool counted;    /* likewise: errors */
	bool everything; /* also what text leaves out: ports without a cable and a finding */
};

static bool is_down(const struct ibc_port *p)
{
	return ibc_port_has(p, IBC_ATTR_PORT_INFO) && p->state == IBC_STATE_DOWN &&
	       !ibc_port_is_fnm(p);
}

static bool is_wanted(const struct ibc_port *p, const struct listing *l)
{
	bool is_switch = p->node->type == IBC_NODE_SWITCH;

	if (l->cfg->down && !is_down(p))
		return false;
	if (named_has(&l->named, p))
		return true;
	if (l->cfg->errors_only)
		return false;
	/* a switch has many ports that nothing is plugged into, and its port 0 */
	return l->everything || l->cfg->down || !is_switch ||
	       ibc_port_unanswered(p, IBC_ATTR_PORT_INFO) ||
	       (p->num && (ibc_port_is_up(p) || p->peer));
}

/* ---- the table ------------------------------------------------------------------ */

/* A row is a pointer to a port. */
static const struct ibc_column ports_columns[] = {
	COLUMN("subnet", "SUBNET", cell_subnet),
	DETAIL("node_guid", "GUID", cell_node_guid),
	DETAIL("node_desc", "NodeDescription", cell_node_desc),
	COLUMN("node_type", NULL, cell_node_type),
	COLUMN("node", "NODE", cell_node),
	COLUMN("port", "PORT", cell_port),
	COLUMN("port_label", "LABEL", cell_port_label),
	LINK_COLUMNS,
	PEER_COLUMNS,
	COLUMN("peer_port_label", NULL, cell_peer_label),
	COLUMN("peer", "PEER", cell_peer_name),
	{ 0 },
};
static const struct ibc_table_type ports_type = { "ports", ports_columns, NULL, "node", NULL };

static void list_port(const struct ibc_port *p, void *ctx)
{
	struct listing *l = ctx;
	const struct ports_cfg *cfg = l->cfg;

	if ((cfg->switches || cfg->hcas) && !(cfg->switches && p->node->type == IBC_NODE_SWITCH) &&
	    !(cfg->hcas && p->node->type == IBC_NODE_CA))
		return;
	if (is_wanted(p, l)) {
		ibc_table_row(l->table, &p);
		l->labels |= ibc_port_label(p) != NULL;
		l->counted |= link_end_of(NULL, NULL, p).errors;
	} else if (is_down(p)) {
		l->down++;
	}
}

/* ---- the command ----------------------------------------------------------------- */

static int ports_run(struct app *app, struct ibc_error *err)
{
	struct ibc_attrs needs = IBC_ATTRS(IBC_ATTR_PORT_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO);
	const struct ports_cfg *cfg = app->cfg;
	int rc;

	if (cfg->down) {
		app->how.down.all = app->how.down.alone = app->shown.down = true;
		ibc_attrs_add(&needs, IBC_ATTR_PORT_COUNTERS);
	}
	rc = app_sweep(app, needs, err);
	return rc ? rc : app_check(app, err);
}

static int ports_tables(struct app *app, struct ibc_error *err)
{
	struct listing l = { .cfg = app->cfg };
	int rc;

	l.everything = app->places || app_shows_all(app);
	rc = named_all(&l.named, app->report, err);
	l.table = app_table(app, &ports_type);
	if (!ibc_fabric_subnet(app->fabric, 1))
		ibc_table_hide(l.table, "subnet");
	if (!rc)
		rc = ports_each(app, list_port, &l, err);
	if (!l.labels)
		ibc_table_hide(l.table, "port_label");
	if (!l.cfg->errors_only)
		ibc_table_omit(l.table, l.down, " that are down");
	free(l.named.keys);
	if (!rc && l.cfg->down && (l.counted || !app_for_people(app)))
		rc = links_table(app, app->fabric, NULL, 0, err);
	return rc;
}

const struct cmd cmd_ports = {
	.name = "ports",
	.summary =
	    "cables that are down, slow or narrow, or whose ends differ; a table of all ports",
	.example = "ports --node leaf03\n"
		   "ports --down\n"
		   "ports -f csv -o ports.csv\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC | TAKES_ROOT | TAKES_STATE | TAKES_UNHEALTHY,
	/* the last says that a port without a peer should have one */
	.checks = "port,gone,fattree.missing-uplink",
	.opts = ports_opts,
	.cfg_size = sizeof(struct ports_cfg),
	.csv = &ports_type,
	.shows = TABLES(&ports_type, &links_type),
	.run = ports_run,
	.tables = ports_tables,
};
