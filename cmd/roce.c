/* SPDX-License-Identifier: BSD-2-Clause */
/* RoCE: what keeps this host's RDMA over Ethernet from losing packets. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

struct roce_cfg {
	double window;
};

static const struct opt roce_opts[] = {
	OPT_SECONDS('w', "window", "S", struct roce_cfg, window, WINDOW_MAX_SECONDS,
	            "read twice, S seconds apart (10, 0.5, 2m or 1h), and judge what was counted"),
	OPT_END,
};

static int roce_run(struct app *app, const void *cfg, struct ibc_error *err)
{
	const struct roce_cfg *c = cfg;
	/* what the tables show is read whatever the checks want */
	const struct ibc_host_opts opts = { .parts = IBC_HOST_ETHERNET | IBC_HOST_COUNTERS };
	int rc = app_host(app, opts, c->window, err);

	if (!rc && !app->host_before)
		app->untimed = "counters of pauses and losses";
	return rc ? rc : app_check(app, NULL, err);
}

/* ---- ports ------------------------------------------------------------------------------ */

static const struct ibc_column port_columns[] = {
	{ "ca", "CA" },
	{ "port", "PORT" },
	{ "interface", "INTERFACE" },
	{ "state", "STATE" },
	{ "rate_gbps", "Gb/s" },
	{ "gid_index", "GID" },
	{ "gid_type", "TYPE" },
	{ "gid", "ADDRESS" },
	{ "mtu_bytes", "MTU" },
	{ "rdma_mtu_bytes", "RDMA" },
	{ "trust", "TRUST" },
	{ "pfc_priorities", "PFC" },
	{ "ecn_priorities", "ECN" },
	{ "pause", "PAUSE" },
	{ "traffic_class", NULL },
	{ "peer_pfc_priorities", NULL },
	{ "pfc_classes", NULL },
	{ "ecn_np_priorities", NULL },
	{ "ecn_rp_priorities", NULL },
	{ "dcbx", NULL },
	{ "software", NULL },
	{ "namespace", NULL },
	{ 0 },
};

#define TEXT_BYTES 64

/* "3", "0,3", "none" */
static struct ibc_value priorities(bool known, unsigned int set, char text[TEXT_BYTES])
{
	size_t n = 0;

	if (!known)
		return ibc_none();
	for (unsigned int i = 0; i < IBC_PRIORITIES; i++)
		if (set >> i & 1)
			n += (size_t)snprintf(text + n, TEXT_BYTES - n, "%s%u", n ? "," : "", i);
	return ibc_str(n ? text : "none");
}

static struct ibc_value address(const struct ibc_gid *gid, char text[TEXT_BYTES])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool v4;

	if (!gid)
		return ibc_none();
	v4 = !memcmp(gid->raw, mapped, sizeof(mapped));
	inet_ntop(v4 ? AF_INET : AF_INET6, gid->raw + (v4 ? sizeof(mapped) : 0), text, TEXT_BYTES);
	return ibc_str(text);
}

static struct ibc_value pause(const struct ibc_ethernet *e)
{
	static const char *const words[] = { "off", "rx", "tx", "rx,tx" };

	return e->pause_known ? ibc_str(words[e->pause_rx + 2 * e->pause_tx]) : ibc_none();
}

static struct ibc_value number_or_none(long number)
{
	return number >= 0 ? ibc_u64((uint64_t)number) : ibc_none();
}

static const struct ibc_rdma_port *port_of(const struct ibc_ethernet *e)
{
	const struct ibc_rdma_port *port = e->device->ports;

	while (port->num != e->port)
		port++;
	return port;
}

static struct ibc_value namespace_of(const struct ibc_host *host, const struct ibc_netdev *dev)
{
	const struct ibc_netns *ns = dev ? ibc_host_netns(host, dev->netns) : NULL;

	return ns && !ns->own ? ibc_str(ns->path) : ibc_none();
}

static void add_port(const struct app *app, struct ibc_table *table, const struct ibc_ethernet *e)
{
	const struct ibc_rdma_port *port = port_of(e);
	const struct ibc_netdev *dev = e->netdev;
	bool up = port->phys_state == IBC_PHYS_LINKUP;
	char gid[TEXT_BYTES], pfc[TEXT_BYTES], ecn[TEXT_BYTES], peer[TEXT_BYTES], np[TEXT_BYTES],
	    rp[TEXT_BYTES];

	ibc_table_row(table,
	              (struct ibc_value[]){
			  ibc_str(e->device->name),
			  ibc_u64(e->port),
			  dev ? ibc_str(dev->name) : ibc_none(),
			  port->state ? ibc_enum(ibc_port_state_word(port->state)) : ibc_none(),
			  up && port->rate_gbps > 0 ? ibc_real(port->rate_gbps) : ibc_none(),
			  e->gid ? ibc_u64(e->gid->index) : ibc_none(),
			  text_or_none(e->gid ? e->gid->type : ""),
			  address(e->gid, gid),
			  dev && dev->mtu ? ibc_u64(dev->mtu) : ibc_none(),
			  e->rdma_mtu ? ibc_u64(e->rdma_mtu) : ibc_none(),
			  e->dcb_known ? ibc_str(e->trusts_dscp ? "dscp" : "vlan") : ibc_none(),
			  priorities(e->dcb_known, e->pfc, pfc),
			  priorities(e->ecn_known, e->ecn_np & e->ecn_rp, ecn),
			  pause(e),
			  number_or_none(e->traffic_class),
			  priorities(e->peer_known, e->peer_pfc, peer),
			  e->dcb_known ? ibc_u64(e->classes) : ibc_none(),
			  priorities(e->ecn_known, e->ecn_np, np),
			  priorities(e->ecn_known, e->ecn_rp, rp),
			  e->dcbx ? ibc_u64(e->dcbx) : ibc_none(),
			  ibc_bool(e->software),
			  namespace_of(app->host, dev),
		      });
}

static size_t ports_table(struct app *app)
{
	struct ibc_table *table = ibc_report_table(app->report, "roce_ports", port_columns);
	const struct ibc_ethernet *e;
	size_t n = 0;

	for (; (e = ibc_host_ethernet(app->host, n)); n++)
		add_port(app, table, e);
	return n;
}

/* ---- GIDs --------------------------------------------------------------------------------- */

static const struct ibc_column gid_columns[] = {
	{ "ca", "CA" },         { "port", "PORT" },
	{ "index", "INDEX" },   { "gid", "ADDRESS" },
	{ "type", "TYPE" },     { "interface", "INTERFACE" },
	{ "chosen", "CHOSEN" }, { 0 },
};

static void gids_table(struct app *app)
{
	struct ibc_table *table = ibc_report_table(app->report, "roce_gids", gid_columns);
	const struct ibc_ethernet *e, *last = NULL;
	char text[TEXT_BYTES];

	for (size_t i = 0; (e = ibc_host_ethernet(app->host, i)); i++) {
		const struct ibc_rdma_port *port = port_of(e);

		/* members of a bond have one table */
		if (last && port == port_of(last))
			continue;
		last = e;
		for (size_t k = 0; k < port->num_gids; k++) {
			const struct ibc_gid *gid = &port->gids[k];

			ibc_table_row(table, (struct ibc_value[]){
						 ibc_str(e->device->name),
						 ibc_u64(e->port),
						 ibc_u64(gid->index),
						 address(gid, text),
						 text_or_none(gid->type),
						 text_or_none(gid->netdev),
						 ibc_bool(gid == e->gid),
					     });
		}
	}
}

/* ---- counts --------------------------------------------------------------------------------- */

static const struct ibc_column count_columns[] = {
	{ "ca", "CA" },
	{ "port", "PORT" },
	{ "interface", "INTERFACE" },
	{ "counter", "COUNTER" },
	{ "added", "ADDED" },
	{ "value", NULL },
	{ 0 },
};

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
		ibc_table_row(w->table,
		              (struct ibc_value[]){
				  ibc_str(w->e->device->name),
				  ibc_u64(w->e->port),
				  text_or_none(interface),
				  ibc_str(now[i].name),
				  known ? ibc_u64(now[i].value - before[k].value) : ibc_none(),
				  ibc_u64(now[i].value),
			      });
	}
}

static const struct ibc_ethernet *earlier(const struct app *app, const struct ibc_ethernet *e)
{
	const struct ibc_ethernet *was;

	for (size_t i = 0; app->host_before && (was = ibc_host_ethernet(app->host_before, i)); i++)
		if (!strcmp(was->device->name, e->device->name) && was->port == e->port &&
		    !was->netdev == !e->netdev &&
		    (!e->netdev || !strcmp(was->netdev->name, e->netdev->name)))
			return was;
	return NULL;
}

/* In text what rose in a window; for programs, and with -v, all there is. */
static void counts_table(struct app *app)
{
	struct where w = { .all = app_shows_all(app) };
	const struct ibc_rdma_port *last = NULL;

	if (!app->host_before && !w.all)
		return;
	w.table = ibc_report_table(app->report, "roce_counts", count_columns);
	for (size_t i = 0; (w.e = ibc_host_ethernet(app->host, i)); i++) {
		const struct ibc_ethernet *was = earlier(app, w.e);
		const struct ibc_rdma_port *port = port_of(w.e),
					   *before = was ? port_of(was) : NULL;

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

static int say_headline(struct app *app, const struct roce_cfg *cfg, size_t ports,
                        struct ibc_error *err)
{
	char window[TIME_TEXT] = "";

	if (app->host_before)
		time_text(cfg->window, window);
	return app_say(app, err, "%zu RoCE port%s%s%s", ports, ports == 1 ? "" : "s",
	               *window ? "; counted in " : "", window);
}

static int roce_tables(struct app *app, const void *cfg, struct ibc_error *err)
{
	size_t ports = ports_table(app);

	if (app_shows_all(app))
		gids_table(app);
	counts_table(app);
	if (app_shows_all(app))
		host_facts(app);
	host_unread_table(app);
	return say_headline(app, cfg, ports, err);
}

const struct cmd cmd_roce = {
	.name = "roce",
	.summary = "lossless Ethernet under RoCE",
	.group = CMD_HOST,
	.checks = "roce",
	.opts = roce_opts,
	.cfg_size = sizeof(struct roce_cfg),
	.run = roce_run,
	.tables = roce_tables,
};
