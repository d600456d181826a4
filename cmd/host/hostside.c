/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands about this host have in common: reading it, once or over a window. */
#include <string.h>

#include "cmd.h"
#include "columns.h"

GETTER(unread_reason, struct ibc_unread, u, ibc_str(ibc_unread_reason(u)));

static const struct ibc_column unread_columns[] = {
	FIELD("path", "NOT READ", struct ibc_unread, path),
	SENTENCE("reason", "REASON", unread_reason),
	{ 0 },
};
const struct ibc_table_type unread_type = TABLE("unread", unread_columns, NULL);

#define ROWS_OF_TEXT 10 /* half a screen: there are several such tables */

int app_host(struct app *app, struct ibc_host_opts opts, double window_seconds,
             struct ibc_error *err)
{
	int rc = 0;

	opts.root = app->common.root;
	opts.parts |= ibc_check_parts(app->selection);
	app->meta.source_kind = "host";
	app->meta.source_file = app->common.root;
	capabilities_drop_live(app);
	if (window_seconds > 0) {
		rc = ibc_host_read(&opts, &app->host_before, err);
		if (rc)
			return rc;
		clock_wait(window_seconds);
		opts.before = app->host_before;
	}
	rc = ibc_host_read(&opts, &app->host, err);
	if (!rc)
		app->meta.described = ibc_host_name(app->host);
	return rc;
}

void host_end(struct app *app)
{
	ibc_host_free(app->host);
	ibc_host_free(app->host_before);
}

size_t host_unread_table(struct app *app)
{
	struct ibc_table *table = app_table(app, &unread_type);
	size_t shown = app_shows_all(app) ? SIZE_MAX : ROWS_OF_TEXT;
	const struct ibc_unread *unread;
	size_t n = 0;

	for (; (unread = ibc_host_unread(app->host, n)); n++)
		if (n < shown)
			ibc_table_row(table, unread);
	ibc_table_omit(table, n > shown ? n - shown : 0, NULL);
	return n;
}

void host_unread(struct app *app)
{
	size_t n = host_unread_table(app), answered = 0;
	struct ibc_coverage gaps = { .refused = n };

	while (ibc_host_fact(app->host, answered))
		answered++;
	gaps.answered = answered;
	gaps.asked = answered + n;

	ibc_report_cover(app->report, "sysfs", &gaps);
}

/* ---- ports ------------------------------------------------------------------- */

struct host_port_row {
	struct ibc_rdma_device device;
	struct ibc_rdma_port port;
	bool bridge;
};

/* The kernel has some width, speed and rate of a port that is down, too. */
static bool is_linked(const struct host_port_row *row)
{
	return row->port.phys_state == IBC_PHYS_LINKUP;
}

static const struct ibc_word bridge_word = { "nvswitch-bridge", "NVSwitch bridge" };

GETTER(host_port_kind, struct host_port_row, row,
       row->bridge ? ibc_enum(&bridge_word) : ibc_none());
GETTER(host_port_state, struct host_port_row, row,
       row->port.state ? ibc_enum(ibc_port_state_word(row->port.state)) : ibc_none());
GETTER(host_port_phys, struct host_port_row, row,
       row->port.phys_state ? ibc_enum(ibc_phys_state_word(row->port.phys_state)) : ibc_none());
GETTER(host_port_width, struct host_port_row, row,
       is_linked(row) && row->port.width ? ibc_enum(ibc_width_word(row->port.width)) : ibc_none());
GETTER(host_port_speed, struct host_port_row, row,
       is_linked(row) && row->port.speed ? ibc_enum(ibc_speed_word(row->port.speed)) : ibc_none());
GETTER(host_port_rate, struct host_port_row, row,
       real_or_none(is_linked(row) ? row->port.rate_gbps : 0));

/* What differs on every host stands last, for who asks: equal hosts print equal text. */
static const struct ibc_column port_columns[] = {
	FIELD("ca", "HCA", struct host_port_row, device.name),
	FIELD("port", "PORT", struct host_port_row, port.num),
	COLUMN("kind", "KIND", host_port_kind),
	FIELD_OR_NONE("link_layer", "LINK", struct host_port_row, port.link_layer),
	COLUMN("state", "STATE", host_port_state),
	COLUMN("phys_state", "PHYS", host_port_phys),
	COLUMN("width", "WIDTH", host_port_width),
	COLUMN("speed", "SPEED", host_port_speed),
	COLUMN("rate_gbps", "Gb/s", host_port_rate),
	FIELD_OR_NONE("lid", "LID", struct host_port_row, port.lid, .detail = true),
	FIELD_OR_NONE("sm_lid", "SM LID", struct host_port_row, port.sm_lid),
	FIELD_OR_NONE("ca_type", "TYPE", struct host_port_row, device.hca_type),
	FIELD_OR_NONE("firmware", "FIRMWARE", struct host_port_row, device.fw_ver),
	FIELD_OR_NONE("board_id", "PSID", struct host_port_row, device.board_id),
	FIELD_OR_NONE("hw_rev", NULL, struct host_port_row, device.hw_rev),
	FIELD_OR_NONE("node_desc", NULL, struct host_port_row, device.node_desc),
	COLUMN_AT("node_guid", "NODE GUID", field_guid, struct host_port_row, device.node_guid,
	          .detail = true),
	COLUMN_AT("sys_image_guid", NULL, field_guid, struct host_port_row, device.sys_image_guid),
	COLUMN_AT("port_guid", "PORT GUID", field_guid, struct host_port_row, port.guid,
	          .detail = true),
	FIELD_OR_NONE("cap_mask", NULL, struct host_port_row, port.cap_mask),
	{ 0 },
};
const struct ibc_table_type host_ports_type = TABLE("host_ports", port_columns,
                                                    "ports of this host");
const struct ibc_table_type local_ports_type = TABLE("local_ports", port_columns,
                                                     "ports of this host");

static size_t count_ports(const struct ibc_host *host)
{
	const struct ibc_rdma_device *d;
	size_t n = 0;

	for (size_t i = 0; (d = ibc_host_device(host, i)); i++)
		n += d->num_ports;
	return n;
}

bool host_has_ports(const struct ibc_host *host)
{
	return count_ports(host) != 0;
}

void host_ports(struct app *app, const struct ibc_table_type *type)
{
	struct ibc_table *table = app_table(app, type);
	const struct ibc_rdma_device *d;

	for (size_t i = 0; (d = ibc_host_device(app->host, i)); i++)
		for (size_t p = 0; p < d->num_ports; p++)
			ibc_table_row(table, &(struct host_port_row){ *d, d->ports[p], false });
	for (size_t i = 0; (d = ibc_host_bridge(app->host, i)); i++)
		for (size_t p = 0; p < d->num_ports; p++)
			ibc_table_row(table, &(struct host_port_row){ *d, d->ports[p], true });
}

int host_headline(struct app *app, struct ibc_error *err)
{
	size_t devices = 0, bridges = 0, ports = count_ports(app->host);
	int rc;

	while (ibc_host_device(app->host, devices))
		devices++;
	while (ibc_host_bridge(app->host, bridges))
		bridges++;
	rc = app_say(app, err, "%zu RDMA device%s, %zu port%s", devices, devices == 1 ? "" : "s",
	             ports, ports == 1 ? "" : "s");
	if (rc || !bridges)
		return rc;
	return app_say(app, err, "%s, %zu NVSwitch bridge%s", app->headline, bridges,
	               bridges == 1 ? "" : "s");
}

/* ---- facts ----------------------------------------------------------------------- */

static const struct ibc_column fact_columns[] = {
	FIELD("subject", "SUBJECT", struct ibc_host_fact, subject),
	FIELD("key", "FACT", struct ibc_host_fact, key),
	FIELD("value", "VALUE", struct ibc_host_fact, value),
	FIELD("path", "READ FROM", struct ibc_host_fact, path),
	{ 0 },
};
const struct ibc_table_type host_facts_type = TABLE("facts", fact_columns, NULL);

void host_facts(struct app *app)
{
	struct ibc_table *table = app_table(app, &host_facts_type);
	const struct ibc_host_fact *fact;

	for (size_t i = 0; (fact = ibc_host_fact(app->host, i)); i++)
		ibc_table_row(table, fact);
}
