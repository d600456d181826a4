/* SPDX-License-Identifier: BSD-2-Clause */
/* RoCE: what keeps this host's RDMA over Ethernet from losing packets. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "columns.h"

struct roce_cfg {
	double interval;
};

static const struct opt roce_opts[] = {
	OPT_SECONDS(
	    'i', "interval", "S", struct roce_cfg, interval, WINDOW_MAX_SECONDS,
	    "read twice, S seconds apart (10, 0.5, 2m or 1h), and judge the counters that rose"),
	OPT_END,
};

static int roce_run(struct app *app, struct ibc_error *err)
{
	const struct roce_cfg *c = app->cfg;
	/* what the tables show is read whatever the checks want */
	const struct ibc_host_opts opts = { .parts = IBC_HOST_ETHERNET | IBC_HOST_COUNTERS };
	int rc = app_host(app, opts, c->interval, err);

	return rc ? rc : app_check(app, err);
}

static void roce_input(const struct app *app, struct ibc_input *in)
{
	(void)app;
	in->untimed = "pause and loss counters";
}

/* ---- ports ------------------------------------------------------------------------------ */

/* struct roce_port_row - @port: of @e; @netns: of its interface, if that is another than ours */
struct roce_port_row {
	struct ibc_ethernet e;
	const struct ibc_rdma_port *port;
	const char *ca, *netns;
	struct ibc_netdev dev; /* its interface; zero: not known */
	struct ibc_gid gid;    /* @e.gid, if there is one */
};

/* "3", "0,3", "none" */
static struct ibc_value priority_list(struct ibc_cell *cell, bool known, unsigned int set)
{
	struct ibc_value text = ibc_str("none");

	for (unsigned int i = 0; i < IBC_PRIORITIES; i++)
		if (set >> i & 1)
			text = ibc_cell_text(cell, "%s%u", cell->length ? "," : "", i);
	return known ? text : ibc_none();
}

static struct ibc_value address_value(struct ibc_cell *cell, const struct ibc_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool v4;

	if (!gid)
		return ibc_none();
	v4 = !memcmp(gid->raw, mapped, sizeof(mapped));
	inet_ntop(v4 ? AF_INET : AF_INET6, gid->raw + (v4 ? sizeof(mapped) : 0), cell->text,
	          sizeof(cell->text));
	return ibc_str(cell->text);
}

static const struct ibc_rdma_port *rdma_port_of(const struct ibc_ethernet *e)
{
	const struct ibc_rdma_port *port = e->device->ports;

	while (port->num != e->port)
		port++;
	return port;
}

static const char *const pauses[] = { "off", "rx", "tx", "rx,tx" };

GETTER(roce_state, struct roce_port_row, p,
       p->port->state ? ibc_enum(ibc_port_state_word(p->port->state)) : ibc_none());
GETTER(roce_rate, struct roce_port_row, p,
       real_or_none(p->port->phys_state == IBC_PHYS_LINKUP ? p->port->rate_gbps : 0));
GETTER(roce_gid, struct roce_port_row, p, address_value(cell, p->e.gid));
GETTER(roce_trust, struct roce_port_row, p,
       ibc_str(!p->e.dcb_known    ? NULL
               : p->e.trusts_dscp ? "dscp"
                                  : "vlan"));
GETTER(roce_pfc, struct roce_port_row, p, priority_list(cell, p->e.dcb_known, p->e.pfc));
GETTER(roce_ecn, struct roce_port_row, p,
       priority_list(cell, p->e.ecn_known, p->e.ecn_np & p->e.ecn_rp));
GETTER(roce_pause, struct roce_port_row, p,
       p->e.pause_known ? ibc_str(pauses[p->e.pause_rx + 2 * p->e.pause_tx]) : ibc_none());
GETTER(roce_peer_pfc, struct roce_port_row, p, priority_list(cell, p->e.peer_known, p->e.peer_pfc));
GETTER(roce_ecn_np, struct roce_port_row, p, priority_list(cell, p->e.ecn_known, p->e.ecn_np));
GETTER(roce_ecn_rp, struct roce_port_row, p, priority_list(cell, p->e.ecn_known, p->e.ecn_rp));

static const struct ibc_column port_columns[] = {
	FIELD("ca", "HCA", struct roce_port_row, ca),
	FIELD("port", "PORT", struct roce_port_row, e.port),
	FIELD("interface", "INTERFACE", struct roce_port_row, dev.name),
	COLUMN("state", "STATE", roce_state),
	COLUMN("rate_gbps", "Gb/s", roce_rate),
	FIELD_IF(e.gid, "gid_index", "GID", struct roce_port_row, gid.index),
	FIELD_OR_NONE("gid_type", "TYPE", struct roce_port_row, gid.type),
	COLUMN("gid", "ADDRESS", roce_gid),
	FIELD_OR_NONE("mtu_bytes", "MTU", struct roce_port_row, dev.mtu),
	FIELD_OR_NONE("rdma_mtu_bytes", "RDMA", struct roce_port_row, e.rdma_mtu),
	COLUMN("trust", "TRUST", roce_trust),
	COLUMN("pfc_priorities", "PFC", roce_pfc),
	COLUMN("ecn_priorities", "ECN", roce_ecn),
	COLUMN("pause", "PAUSE", roce_pause),
	FIELD("traffic_class", NULL, struct roce_port_row, e.traffic_class),
	COLUMN("peer_pfc_priorities", NULL, roce_peer_pfc),
	FIELD_IF(e.dcb_known, "pfc_classes", NULL, struct roce_port_row, e.classes),
	COLUMN("ecn_np_priorities", NULL, roce_ecn_np),
	COLUMN("ecn_rp_priorities", NULL, roce_ecn_rp),
	FIELD_OR_NONE("dcbx", NULL, struct roce_port_row, e.dcbx),
	FIELD("software", NULL, struct roce_port_row, e.software),
	FIELD("namespace", NULL, struct roce_port_row, netns),
	{ 0 },
};
static const struct ibc_table_type ports_type = TABLE("roce_ports", port_columns, "RoCE ports");

/* ---- GIDs --------------------------------------------------------------------------------- */

struct gid_row {
	const char *ca;
	unsigned int port;
	struct ibc_gid gid;
	bool chosen; /* to be sent from */
};

GETTER(gid_address, struct gid_row, row, address_value(cell, &row->gid));

static const struct ibc_column gid_columns[] = {
	FIELD("ca", "HCA", struct gid_row, ca),
	FIELD("port", "PORT", struct gid_row, port),
	FIELD("index", "INDEX", struct gid_row, gid.index),
	COLUMN("gid", "ADDRESS", gid_address),
	FIELD_OR_NONE("type", "TYPE", struct gid_row, gid.type),
	FIELD_OR_NONE("interface", "INTERFACE", struct gid_row, gid.netdev),
	FIELD("chosen", "CHOSEN", struct gid_row, chosen),
	{ 0 },
};
static const struct ibc_table_type gids_type = TABLE("roce_gids", gid_columns, "GIDs");

static void gids_table(struct app *app)
{
	struct ibc_table *table = app_table(app, &gids_type);
	const struct ibc_ethernet *e, *last = NULL;

	for (size_t i = 0; (e = ibc_host_ethernet(app->host, i)); i++) {
		const struct ibc_rdma_port *port = rdma_port_of(e);

		/* members of a bond have one table */
		if (last && port == rdma_port_of(last))
			continue;
		last = e;
		for (size_t k = 0; k < port->num_gids; k++)
			ibc_table_row(table,
			              &(struct gid_row){ e->device->name, e->port, port->gids[k],
			                                 &port->gids[k] == e->gid });
	}
}

/* ---- counts --------------------------------------------------------------------------------- */

/* struct count_row - a counter of a port (@interface is ""), or of the driver of an interface */
struct count_row {
	const char *ca, *interface, *name;
	unsigned int port;
	bool known; /* how much was added */
	uint64_t added, value;
};

static const struct ibc_column count_columns[] = {
	FIELD("ca", "HCA", struct count_row, ca),
	FIELD("port", "PORT", struct count_row, port),
	FIELD_OR_NONE("interface", "INTERFACE", struct count_row, interface),
	FIELD("counter", "COUNTER", struct count_row, name),
	FIELD_IF(known, "added", "ADDED", struct count_row, added),
	FIELD("value", NULL, struct count_row, value),
	{ 0 },
};
static const struct ibc_table_type counts_type = TABLE("roce_counts", count_columns,
                                                       "RoCE counters");

/* struct where - of whom counters are; @all: those that stood still as well */
struct where {
	struct ibc_table *table;
	const struct ibc_ethernet *e;
	bool all;
};

static void add_counts(const struct where *w, const char *interface, const struct ibc_named *now,
                       size_t n, const struct ibc_named *before, size_t num_before)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		bool known;

		while (k < num_before && strcmp(before[k].name, now[i].name) != 0)
			k++;
		known = k < num_before && now[i].value >= before[k].value;
		if (!w->all && (!known || now[i].value == before[k].value))
			continue;
		ibc_table_row(w->table, &(struct count_row){
					    .ca = w->e->device->name,
					    .port = w->e->port,
					    .interface = interface,
					    .name = now[i].name,
					    .known = known,
					    .added = known ? now[i].value - before[k].value : 0,
					    .value = now[i].value,
					});
	}
}

/* In text what rose in a window; for programs, and with -v, all there is. */
static void counts_table(struct app *app)
{
	struct where w = { .all = app_shows_all(app) };
	const struct ibc_rdma_port *last = NULL;

	if (!app->host_before && !w.all)
		return;
	w.table = app_table(app, &counts_type);
	for (size_t i = 0; (w.e = ibc_host_ethernet(app->host, i)); i++) {
		const struct ibc_rdma_port *port = rdma_port_of(w.e), *before;
		const struct ibc_ethernet *was = NULL;

		for (size_t k = 0;
		     app->host_before && (was = ibc_host_ethernet(app->host_before, k)); k++)
			if (!strcmp(was->device->name, w.e->device->name) &&
			    was->port == w.e->port && !was->netdev == !w.e->netdev &&
			    (!w.e->netdev || !strcmp(was->netdev->name, w.e->netdev->name)))
				break;
		before = was ? rdma_port_of(was) : NULL;
		if (port != last)
			add_counts(&w, "", port->hw_counters, port->num_hw_counters,
			           before ? before->hw_counters : NULL,
			           before ? before->num_hw_counters : 0);
		last = port;
		if (w.e->netdev)
			add_counts(&w, w.e->netdev->name, w.e->statistics, w.e->num_statistics,
			           was ? was->statistics : NULL, was ? was->num_statistics : 0);
	}
}

static int roce_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_table *table = app_table(app, &ports_type);
	const struct roce_cfg *cfg = app->cfg;
	char window[TIME_TEXT] = "";
	const struct ibc_ethernet *e;
	size_t ports = 0;

	for (; (e = ibc_host_ethernet(app->host, ports)); ports++) {
		struct roce_port_row row = { .e = *e,
			                     .port = rdma_port_of(e),
			                     .ca = e->device->name };
		const struct ibc_netns *ns = NULL;

		if (e->gid)
			row.gid = *e->gid;
		if (e->netdev) {
			row.dev = *e->netdev;
			ns = ibc_host_netns(app->host, e->netdev->netns);
		}
		row.netns = ns && !ns->own ? ns->path : NULL;
		ibc_table_row(table, &row);
	}
	if (app_shows_all(app))
		gids_table(app);
	counts_table(app);
	if (app_shows_all(app))
		host_facts(app);
	host_unread_table(app);
	if (app->host_before)
		duration_text(cfg->interval, window);
	return app_say(app, err, "%zu RoCE port%s%s%s", ports, ports == 1 ? "" : "s",
	               *window ? "; counters over " : "", window);
}

const struct cmd cmd_roce = {
	.name = "roce",
	.summary = "RoCE ports that drop packets, pause the network or are misconfigured",
	.example = "roce --interval 10s\n",
	.group = CMD_HOST,
	.takes = TAKES_HOST,
	.checks = "roce",
	.opts = roce_opts,
	.cfg_size = sizeof(struct roce_cfg),
	.csv = &ports_type,
	.shows = TABLES(&ports_type, &gids_type, &counts_type, &host_facts_type, &unread_type),
	.run = roce_run,
	.input = roce_input,
	.end = host_end,
	.tables = roce_tables,
};
