/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of ports, and the checks that look at one port or one cable. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "ports.h"

static const struct opt ports_opts[] = {
	OPT_STR('n', "node", "NAME|GUID", struct ports_cfg, node,
	        "only the ports of this node, or of the host of this name"),
	OPT_FLAG('d', "down", struct ports_cfg, down, "only ports that are down"),
	OPT_FLAG('S', "switches", struct ports_cfg, switches, "only ports of switches"),
	OPT_FLAG('H', "cas", struct ports_cfg, cas, "only ports of channel adapters"),
	OPT_FLAG('e', "errors-only", struct ports_cfg, errors_only,
	         "only ports that a finding names"),
	OPT_FLAG('l', "local", struct ports_cfg, local,
	         "this host's own ports, as its kernel tells of them, instead of a sweep"),
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

/* struct wanted - the filters, resolved against the fabric */
struct wanted {
	const struct ports_cfg *cfg;
	struct named named;
	uint64_t guid; /* of --node, if it was one */
	bool by_guid;
	bool everything; /* also what text leaves out: ports without a cable and a finding */
};

static bool is_called(const struct ibc_node *node, const char *name)
{
	return !strcmp(node->name, name) || !strcmp(node->desc, name) ||
	       !strcmp(node->label, name) || (node->host_name && !strcmp(node->host_name, name));
}

static bool node_wanted(const struct ibc_node *node, const struct wanted *w)
{
	const struct ports_cfg *cfg = w->cfg;

	if (cfg->switches || cfg->cas)
		if (!(cfg->switches && node->type == IBC_NODE_SWITCH) &&
		    !(cfg->cas && node->type == IBC_NODE_CA))
			return false;
	if (w->by_guid)
		return node->guid == w->guid;
	return !cfg->node || is_called(node, cfg->node);
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

static int unknown_node(const struct ibc_fabric *fab, const char *typed, bool guid,
                        struct ibc_error *err)
{
	struct near near = { .typed = typed };

	near_nodes(&near, fab, guid);
	return cmd_fail(err, -EINVAL, "--node: no node has the %s %s%s", guid ? "GUID" : "name",
	                typed, near_text(&near));
}

/* What begins with 0x is meant as a GUID, be it one or not. */
static int resolve_node(struct wanted *w, const struct ibc_fabric *fab, struct ibc_error *err)
{
	const char *typed = w->cfg->node;
	const struct ibc_node *node;
	size_t digits;

	if (!typed)
		return 0;
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (is_called(node, typed))
			return 0;
	if (strncmp(typed, "0x", 2) != 0)
		return unknown_node(fab, typed, false, err);
	digits = strspn(typed + 2, "0123456789abcdefABCDEF");
	if (!digits || digits > 16 || typed[2 + digits])
		return unknown_node(fab, typed, true, err);
	w->guid = strtoull(typed, NULL, 16);
	w->by_guid = true;
	return ibc_fabric_node_by_guid(fab, w->guid) ? 0 : unknown_node(fab, typed, true, err);
}

/* ---- the table ------------------------------------------------------------------ */

/* A switch has its LID at port 0. */
static struct ibc_value lid_or_zero(const struct ibc_port *p)
{
	const struct ibc_port *at = p;

	if (p->node->type == IBC_NODE_SWITCH)
		at = ibc_node_port(p->node, 0);
	if (at->lid)
		return ibc_u64(at->lid);
	if (!ibc_port_has(at, IBC_ATTR_PORT_INFO) || (at == p && !ibc_port_is_up(p)))
		return ibc_none();
	return ibc_u64(0);
}

GETTER(ports_lid, struct ibc_port *const, p, lid_or_zero(*p));

/* A row is a pointer to a port. */
static const struct ibc_column ports_columns[] = {
	COLUMN("subnet", "SUBNET", cell_subnet),
	DETAIL("node_guid", "GUID", cell_node_guid),
	COLUMN("node_desc", NULL, cell_node_desc),
	COLUMN("node_type", NULL, cell_node_type),
	COLUMN("node", "NODE", cell_node),
	COLUMN("port", "PORT", cell_port),
	COLUMN("state", "STATE", cell_state),
	COLUMN("phys_state", "PHYS", cell_phys_state),
	COLUMN("width", "WIDTH", cell_width),
	COLUMN("speed", "SPEED", cell_speed),
	COLUMN("rate_gbps", "Gb/s", cell_rate_gbps),
	COLUMN("mtu_bytes", "MTU", cell_mtu_bytes),
	COLUMN("lid", "LID", ports_lid),
	PEER_COLUMNS,
	COLUMN("peer", "PEER", cell_peer_name),
	{ 0 },
};
static const struct ibc_table_type ports_type = { "ports", ports_columns, NULL, "node" };

/* struct shown - the nodes that have ports to show; what is left out is counted */
struct shown {
	const struct ibc_node **nodes;
	size_t n;
	uint64_t down;
};

static bool has_wanted_port(const struct ibc_node *node, const struct wanted *w, uint64_t *down)
{
	const struct ibc_port *p;
	bool wanted = false;

	for (unsigned int num = 0; num <= node->num_ports; num++) {
		p = ibc_node_port(node, num);
		wanted = wanted || (p && port_wanted(p, w));
		*down += p && is_down(p) && !port_wanted(p, w);
	}
	return wanted;
}

/* "leaf2" before "leaf10", switches first: people look for a heading by eye. */
static int by_type_and_name(const void *va, const void *vz)
{
	const struct ibc_node *a = *(const struct ibc_node *const *)va;
	const struct ibc_node *z = *(const struct ibc_node *const *)vz;
	bool ca = a->type == IBC_NODE_CA;
	int order = a->subnet->index < z->subnet->index ? -1 : a->subnet->index > z->subnet->index;

	if (!order && ca != (z->type == IBC_NODE_CA))
		return ca ? 1 : -1;
	return order ? order : strverscmp(a->label, z->label);
}

static int find_shown(struct shown *s, const struct ibc_fabric *fab, const struct wanted *w,
                      struct ibc_error *err)
{
	const struct ibc_node *node;

	s->nodes = calloc(ibc_fabric_count(fab).nodes + 1, sizeof(*s->nodes));
	if (!s->nodes)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (node_wanted(node, w) && has_wanted_port(node, w, &s->down))
			s->nodes[s->n++] = node;
	qsort(s->nodes, s->n, sizeof(*s->nodes), by_type_and_name);
	return 0;
}

static void add_ports_of(struct ibc_table *table, const struct ibc_node *node,
                         const struct wanted *w)
{
	const struct ibc_port *p;

	for (unsigned int num = 0; num <= node->num_ports; num++) {
		p = ibc_node_port(node, num);
		if (p && port_wanted(p, w))
			ibc_table_row(table, &p);
	}
}

/* ---- the command ----------------------------------------------------------------- */

static int ports_run(struct app *app, struct ibc_error *err)
{
	struct wanted w = { .cfg = app->cfg };
	int rc;

	if (w.cfg->local)
		return local_run(app, app->cfg, err);
	rc = app_sweep(app, IBC_ATTRS(IBC_ATTR_PORT_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO), err);
	if (!rc)
		rc = resolve_node(&w, app->fabric, err);
	return rc ? rc : app_check(app, err);
}

static int ports_tables(struct app *app, struct ibc_error *err)
{
	struct wanted w = { .cfg = app->cfg };
	struct shown shown = { 0 };
	struct ibc_table *table;
	int rc;

	if (w.cfg->local)
		return local_tables(app, err);
	w.everything = w.cfg->node || app->common.verbose ||
	               strcmp(app->common.format, FORMAT_TEXT) != 0;
	rc = resolve_node(&w, app->fabric, err);
	if (!rc)
		rc = name_all(&w.named, app->report, err);
	table = app_table(app, &ports_type);
	if (!ibc_fabric_subnet(app->fabric, 1))
		ibc_table_hide(table, "subnet");
	if (!rc)
		rc = find_shown(&shown, app->fabric, &w, err);
	for (size_t i = 0; i < shown.n; i++)
		add_ports_of(table, shown.nodes[i], &w);
	if (!w.cfg->errors_only)
		ibc_table_omit(table, shown.down, " that are down");
	free(shown.nodes);
	free(w.named.keys);
	return rc;
}

const struct cmd cmd_ports = {
	.name = "ports",
	.summary = "state, width, speed, MTU",
	.example = "ports --node leaf03\n"
		   "ports --down\n"
		   "ports -f csv -o ports.csv\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC | TAKES_ROOT,
	.checks = "port",
	.opts = ports_opts,
	.cfg_size = sizeof(struct ports_cfg),
	.csv = &ports_type,
	.shows = TABLES(&ports_type, &local_ports_type, &unread_type),
	.run = ports_run,
	.tables = ports_tables,
};
