/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands about this host have in common: reading it, once or over a window. */
#include <errno.h>
#include <string.h>

#include "cmd.h"

static const struct ibc_column unread_columns[] = {
	{ "path", "NOT READ" },
	{ "reason", "REASON" },
	{ 0 },
};

#define ROWS_OF_TEXT 10

int app_host(struct app *app, struct ibc_host_opts opts, double window_seconds,
             struct ibc_error *err)
{
	int rc = 0;

	opts.root = app->common.root;
	opts.parts |= ibc_check_parts(app->selection, app->config);
	app->meta.source_kind = "host";
	app->meta.of_host = true;
	app->meta.source_file = app->common.root;
	if (window_seconds > 0) {
		rc = ibc_host_read(&opts, &app->host_before, err);
		if (rc)
			return rc;
		clock_wait(window_seconds);
		opts.before = app->host_before;
	}
	return ibc_host_read(&opts, &app->host, err);
}

bool app_shows_all(const struct app *app)
{
	return app->common.verbose || strcmp(app->common.format, FORMAT_TEXT) != 0;
}

size_t host_unread_table(struct app *app)
{
	struct ibc_table *table = ibc_report_table(app->report, "unread", unread_columns);
	size_t shown = app_shows_all(app) ? SIZE_MAX : ROWS_OF_TEXT;
	const struct ibc_unread *unread;
	size_t n = 0;

	for (; (unread = ibc_host_unread(app->host, n)); n++)
		if (n < shown)
			ibc_table_row(table, (struct ibc_value[]){
						 ibc_str(unread->path),
						 ibc_str(ibc_unread_reason(unread)),
					     });
	ibc_table_omit(table, n > shown ? n - shown : 0);
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

static const struct ibc_column port_columns[] = {
	{ "ca", "CA" },
	{ "port", "PORT" },
	{ "link_layer", "LINK" },
	{ "state", "STATE" },
	{ "phys_state", "PHYS" },
	{ "width", "WIDTH" },
	{ "speed", "SPEED" },
	{ "rate_gbps", "Gb/s" },
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
struct ibc_value text_or_none(const char *text)
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

bool host_has_ports(const struct ibc_host *host)
{
	return count_ports(host) != 0;
}

void host_ports(struct app *app, const char *name)
{
	struct ibc_table *table = ibc_report_table(app->report, name, port_columns);
	const struct ibc_rdma_device *d;

	for (size_t i = 0; (d = ibc_host_device(app->host, i)); i++)
		for (size_t p = 0; p < d->num_ports; p++)
			add_row(table, d, &d->ports[p]);
}

int host_headline(struct app *app, struct ibc_error *err)
{
	size_t devices = 0, ports = count_ports(app->host);

	while (ibc_host_device(app->host, devices))
		devices++;
	return app_say(app, err, "%zu RDMA device%s, %zu port%s", devices, devices == 1 ? "" : "s",
	               ports, ports == 1 ? "" : "s");
}

/* ---- facts ----------------------------------------------------------------------- */

static const struct ibc_column fact_columns[] = {
	{ "subject", "SUBJECT" },
	{ "key", "FACT" },
	{ "value", "VALUE" },
	{ "path", "READ FROM" },
	{ 0 },
};

void host_facts(struct app *app)
{
	struct ibc_table *table = ibc_report_table(app->report, "facts", fact_columns);
	const struct ibc_host_fact *fact;

	for (size_t i = 0; (fact = ibc_host_fact(app->host, i)); i++)
		ibc_table_row(table, (struct ibc_value[]){
					 ibc_str(fact->subject),
					 ibc_str(fact->key),
					 ibc_str(fact->value),
					 ibc_str(fact->path),
				     });
}
