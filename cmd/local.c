/* SPDX-License-Identifier: BSD-2-Clause */
/* ports --local: this host's ports as its kernel tells of them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ports.h"

/* The kernel tells of this end alone, and not what its port is allowed to do. */
#define LOCAL_CHECKS "port.state,port.physical,port.silent,port.guid,port.name,port.rate-odd"

static const struct ibc_column local_columns[] = {
	{ "ca", "CA" },
	{ "port", "PORT" },
	{ "link_layer", "LINK" },
	{ "state", "STATE" },
	{ "phys_state", "PHYS" },
	{ "width", "WIDTH" },
	{ "speed", "SPEED" },
	{ "rate_gbps", "GB/S" },
	{ "lid", "LID" },
	{ "sm_lid", "SM LID" },
	{ "ca_type", "TYPE" },
	{ "firmware", "FIRMWARE" },
	{ "board_id", "PSID" },
	{ "hw_rev", NULL },
	{ "node_desc", NULL },
	{ "node_guid", NULL },
	{ "sys_image_guid", NULL },
	{ "port_guid", NULL },
	{ "cap_mask", NULL },
	{ 0 },
};

/* What could not be read is "" or 0 in the model, and null here. */
static struct ibc_value text_or_none(const char *text)
{
	return *text ? ibc_str(text) : ibc_none();
}

static struct ibc_value number_or_none(uint64_t number)
{
	return number ? ibc_u64(number) : ibc_none();
}

static struct ibc_value guid_or_none(uint64_t guid)
{
	return guid ? ibc_guid(guid) : ibc_none();
}

static void add_row(struct ibc_table *table, const struct ibc_rdma_device *d,
                    const struct ibc_rdma_port *p)
{
	bool up = p->phys_state == IBC_PHYS_LINKUP;

	ibc_table_row(table,
	              (struct ibc_value[]){
			  ibc_str(d->name),
			  ibc_u64(p->num),
			  text_or_none(p->link_layer),
			  p->state ? ibc_enum(ibc_port_state_word(p->state)) : ibc_none(),
			  p->phys_state ? ibc_enum(ibc_phys_state_word(p->phys_state)) : ibc_none(),
			  up && p->width ? ibc_enum(ibc_width_word(p->width)) : ibc_none(),
			  up && p->speed ? ibc_enum(ibc_speed_word(p->speed)) : ibc_none(),
			  up && p->rate_gbps > 0 ? ibc_real(p->rate_gbps) : ibc_none(),
			  number_or_none(p->lid),
			  number_or_none(p->sm_lid),
			  text_or_none(d->hca_type),
			  text_or_none(d->fw_ver),
			  text_or_none(d->board_id),
			  text_or_none(d->hw_rev),
			  text_or_none(d->node_desc),
			  guid_or_none(d->node_guid),
			  guid_or_none(d->sys_image_guid),
			  guid_or_none(p->guid),
			  number_or_none(p->cap_mask),
		      });
}

static size_t count_ports(const struct ibc_host *host)
{
	const struct ibc_rdma_device *d;
	size_t n = 0;

	for (size_t i = 0; (d = ibc_host_device(host, i)); i++)
		n += d->num_ports;
	return n;
}

/* Ethernet ports are listed, and nothing is said of their health. */
static int skip_checks(struct app *app, const struct ibc_error *why)
{
	const struct ibc_check *check;

	for (size_t i = 0; (check = ibc_check_at(i)); i++)
		if (ibc_check_selected(check, app->selection))
			ibc_report_skip(app->report, check->id, why->text);
	return 0;
}

static int refuse_filters(const struct app *app, const struct ports_cfg *cfg, struct ibc_error *err)
{
	if (app->common.sources.n)
		return cmd_fail(err, -EINVAL, "--local reads this host: it takes no --source");
	if (cfg->node || cfg->down || cfg->switches || cfg->cas || cfg->errors_only)
		return cmd_fail(err, -EINVAL,
		                "--local shows every port of this host: it takes "
		                "no other option of ports");
	return 0;
}

int local_run(struct app *app, const struct ports_cfg *cfg, struct ibc_error *err)
{
	int rc;

	rc = refuse_filters(app, cfg, err);
	if (!rc)
		rc = app_select(app, LOCAL_CHECKS, err);
	if (!rc)
		rc = ibc_host_read(&(struct ibc_host_opts){ .root = app->common.root }, &app->host,
		                   err);
	if (rc)
		return rc;
	app->meta.source_kind = "local";
	rc = ibc_fabric_from_host(app->host, &app->fabric, err);
	if (rc == -ENODEV && count_ports(app->host))
		return skip_checks(app, err);
	return rc ? rc : app_check(app, app->fabric, err);
}

int local_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_table *table = ibc_report_table(app->report, "local_ports", local_columns);
	const struct ibc_rdma_device *d;
	size_t devices = 0;

	for (; (d = ibc_host_device(app->host, devices)); devices++)
		for (size_t i = 0; i < d->num_ports; i++)
			add_row(table, d, &d->ports[i]);
	host_unread(app);
	return app_say(app, err, "this host: %zu RDMA device%s, %zu port%s", devices,
	               devices == 1 ? "" : "s", count_ports(app->host),
	               count_ports(app->host) == 1 ? "" : "s");
}
