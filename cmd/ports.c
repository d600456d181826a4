/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of ports, and the checks that look at one port or one cable. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "ports.h"

static const struct opt ports_opts[] = {
	OPT_FLAG('d', "down", struct ports_cfg, down, "only ports that are down"),
	OPT_FLAG('S', "switches", struct ports_cfg, switches, "only ports of switches"),
	OPT_FLAG('H', "cas", struct ports_cfg, cas, "only ports of channel adapters"),
	OPT_FLAG('e', "errors-only", struct ports_cfg, errors_only,
	         "only ports that a finding names"),
	OPT_FLAG('l', "local", struct ports_cfg, local,
	         "this host's own ports, as its kernel reports them, instead of a sweep"),
	OPT_END,
};

/* ---- the ports that findings name --------------------------------------------- */

struct port_key {
	uint64_t guid;
	unsigned int port;
};

/* struct named - sorted once it is complete, so that looking up costs little */
struct named {
	struct port_key *keys;
	size_t n, room;
	bool failed;
};

static void name_end(struct named *named, const struct ibc_end *end)
{
	struct port_key *keys;

	if (!end->has_guid || !end->has_port || named->failed)
		return;
	if (named->n == named->room) {
		named->room = named->room ? 2 * named->room : 64;
		keys = reallocarray(named->keys, named->room, sizeof(*keys));
		named->failed = !keys;
		if (!keys)
			return;
		named->keys = keys;
	}
	named->keys[named->n++] = (struct port_key){ end->guid, end->port };
}

static int by_port(const void *a, const void *b)
{
	const struct port_key *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->port > y->port) - (x->port < y->port);
}

static int name_all(struct named *named, const struct ibc_report *rep, struct ibc_error *err)
{
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		name_end(named, &f->subject.near);
		name_end(named, &f->subject.far);
		for (size_t j = 0; j < f->num_related; j++) {
			name_end(named, &f->related[j].subject.near);
			name_end(named, &f->related[j].subject.far);
		}
	}
	if (named->failed)
		return cmd_fail(err, -ENOMEM, "out of memory");
	if (named->n)
		qsort(named->keys, named->n, sizeof(*named->keys), by_port);
	return 0;
}

static bool is_named(const struct named *named, const struct ibc_port *p)
{
	struct port_key key = { p->node->guid, p->num };

	return named->n && bsearch(&key, named->keys, named->n, sizeof(key), by_port);
}

/* ---- which ports --------------------------------------------------------------- */

/* struct wanted - the filters, and what findings name */
struct wanted {
	const struct ports_cfg *cfg;
	struct named named;
	uint64_t down;   /* of those that are not shown */
	bool labels;     /* any of those shown has one */
	bool everything; /* also what text leaves out: ports without a cable and a finding */
};

static bool node_wanted(const struct ibc_node *node, const struct ports_cfg *cfg)
{
	if (!cfg->switches && !cfg->cas)
		return true;
	return (cfg->switches && node->type == IBC_NODE_SWITCH) ||
	       (cfg->cas && node->type == IBC_NODE_CA);
}

static bool is_down(const struct ibc_port *p)
{
	return ibc_port_has(p, IBC_ATTR_PORT_INFO) && p->state == IBC_STATE_DOWN;
}

/* A switch has many ports that nothing is plugged into, and its port 0. */
static bool is_idle(const struct ibc_port *p)
{
	if (p->node->type != IBC_NODE_SWITCH || ibc_port_unanswered(p, IBC_ATTR_PORT_INFO))
		return false;
	return p->num == 0 || !(ibc_port_is_up(p) || p->peer);
}

static bool port_wanted(const struct ibc_port *p, const struct wanted *w)
{
	if (w->cfg->down && !is_down(p))
		return false;
	if (is_named(&w->named, p))
		return true;
	if (w->cfg->errors_only)
		return false;
	return w->everything || w->cfg->down || !is_idle(p);
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
static const struct ibc_table_type ports_type = { "ports", ports_columns, NULL, "node" };

/* "leaf2" before "leaf10", switches first: people look for a heading by eye. */
static int by_type_and_name(const void *va, const void *vz)
{
	const struct ibc_place *a = va, *z = vz;
	bool ca = a->node->type == IBC_NODE_CA;
	int order = (int)a->node->subnet->index - (int)z->node->subnet->index;

	if (!order && ca != (z->node->type == IBC_NODE_CA))
		return ca ? 1 : -1;
	if (!order)
		order = strverscmp(a->node->label, z->node->label);
	return order ? order : (int)a->port - (int)z->port;
}

static void add_ports_of(struct ibc_table *table, struct ibc_place place, struct wanted *w)
{
	unsigned int last = place.port ? place.port : place.node->num_ports;
	const struct ibc_port *p;

	for (unsigned int num = place.port; num <= last; num++) {
		p = ibc_node_port(place.node, num);
		if (p && port_wanted(p, w)) {
			ibc_table_row(table, &p);
			w->labels |= p->label != NULL;
		} else if (p && is_down(p)) {
			w->down++;
		}
	}
}

/* The places that --node names, or all nodes, in the order in which they are shown. */
static int list_ports(const struct app *app, struct ibc_table *table, struct wanted *w,
                      struct ibc_error *err)
{
	size_t n = app->places ? app->num_places : ibc_fabric_count(app->fabric).nodes, wanted = 0;
	struct ibc_place *places = calloc(n + 1, sizeof(*places));

	if (!places)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		places[wanted] = app->places
		                     ? app->places[i]
		                     : (struct ibc_place){ ibc_fabric_node(app->fabric, i), 0 };
		wanted += node_wanted(places[wanted].node, w->cfg);
	}
	qsort(places, wanted, sizeof(*places), by_type_and_name);
	for (size_t i = 0; i < wanted; i++)
		add_ports_of(table, places[i], w);
	free(places);
	return 0;
}

/* ---- the command ----------------------------------------------------------------- */

static int ports_run(struct app *app, struct ibc_error *err)
{
	const struct ports_cfg *cfg = app->cfg;
	int rc;

	if (cfg->local)
		return local_run(app, cfg, err);
	rc = app_sweep(app, IBC_ATTRS(IBC_ATTR_PORT_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO), err);
	return rc ? rc : app_check(app, err);
}

static int ports_tables(struct app *app, struct ibc_error *err)
{
	struct wanted w = { .cfg = app->cfg };
	struct ibc_table *table;
	int rc;

	if (w.cfg->local)
		return local_tables(app, err);
	w.everything = app->places || app->common.verbose ||
	               strcmp(app->common.format, FORMAT_TEXT) != 0;
	rc = name_all(&w.named, app->report, err);
	table = app_table(app, &ports_type);
	if (!ibc_fabric_subnet(app->fabric, 1))
		ibc_table_hide(table, "subnet");
	if (!rc)
		rc = list_ports(app, table, &w, err);
	if (!w.labels)
		ibc_table_hide(table, "port_label");
	if (!w.cfg->errors_only)
		ibc_table_omit(table, w.down, " that are down");
	free(w.named.keys);
	return rc;
}

const struct cmd cmd_ports = {
	.name = "ports",
	.summary = "links that are down, slow, narrow or disagree; all ports in a table",
	.example = "ports --node leaf03\n"
		   "ports --down\n"
		   "ports -f csv -o ports.csv\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC | TAKES_ROOT | TAKES_STATE,
	.checks = "port",
	.opts = ports_opts,
	.cfg_size = sizeof(struct ports_cfg),
	.csv = &ports_type,
	.shows = TABLES(&ports_type, &local_ports_type, &unread_type),
	.run = ports_run,
	.tables = ports_tables,
};
