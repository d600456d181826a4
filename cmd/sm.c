/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the subnet governed: who is master, who follows, and does it answer? */
#include <stdio.h>

#include "cmd.h"

static int sm_run(struct app *app, const void *cfg, struct ibc_error *err)
{
	int rc = app_sweep(app, IBC_ATTRS(), err);

	(void)cfg;
	return rc ? rc : app_check(app, app->fabric, err);
}

/* ---- tables ------------------------------------------------------------------- */

static const struct ibc_column columns[] = {
	{ "plane", NULL },       { "node_guid", NULL },
	{ "node_desc", NULL },   { "manager", "MANAGER" },
	{ "port", NULL },        { "at", "AT" },
	{ "state", "STATE" },    { "priority", "PRIORITY" },
	{ "lid", "LID" },        { "guid", "GUID" },
	{ "act_count", NULL },   { "act_count_later", NULL },
	{ "act_seconds", NULL }, { "alive", "ALIVE" },
	{ "master", NULL },      { 0 },
};

/* Whether its activity count has moved; nothing if it had no time to. */
static struct ibc_value is_alive(const struct ibc_sm_info *sm)
{
	enum ibc_sm_life life = ibc_sm_life(sm);

	return life ? ibc_bool(life == IBC_SM_WORKS) : ibc_none();
}

static struct ibc_value later_count(const struct ibc_sm_info *sm)
{
	return sm->state_later ? ibc_u64(sm->act_count_later) : ibc_none();
}

static void add_manager(struct ibc_table *table, const struct ibc_port *p)
{
	const struct ibc_sm_info *sm = p->sm;
	enum ibc_sm_state state = ibc_sm_state_now(sm);
	char name[256], at[256];

	snprintf(name, sizeof(name), "%s/%u", p->node->label, p->num);
	if (p->peer)
		snprintf(at, sizeof(at), "%s/%u", p->peer->node->label, p->peer->num);
	ibc_table_row(table, (struct ibc_value[]){
				 ibc_str(p->node->plane->source),
				 ibc_guid(p->node->guid),
				 ibc_str(p->node->desc),
				 ibc_str(name),
				 ibc_u64(p->num),
				 ibc_str(p->peer ? at : NULL),
				 state ? ibc_enum(ibc_sm_state_word(state)) : ibc_none(),
				 ibc_u64(sm->priority),
				 ibc_u64(p->lid),
				 ibc_guid(sm->guid),
				 ibc_u64(sm->act_count),
				 later_count(sm),
				 sm->act_seconds > 0 ? ibc_real(sm->act_seconds) : ibc_none(),
				 is_alive(sm),
				 state ? ibc_bool(state == IBC_SM_MASTER) : ibc_none(),
			     });
}

/* latency in seconds is for metrics, which have base units */
static const struct ibc_column sa_columns[] = {
	{ "plane", NULL },           { "sm_lid", NULL },
	{ "answered", NULL },        { "latency_us", NULL },
	{ "latency_seconds", NULL }, { "response_us", NULL },
	{ "cap_mask", NULL },        { 0 },
};

#define US_PER_SECOND 1e6

static const struct ibc_value *sa_values(const struct ibc_plane *plane, struct ibc_value v[7])
{
	const struct ibc_port *origin = plane->origin;
	bool answered = plane->sa && ibc_port_has(origin, IBC_ATTR_SA_CLASS_PORT_INFO);

	for (size_t i = 0; i < 7; i++)
		v[i] = ibc_none();
	v[0] = ibc_str(plane->source);
	v[1] = ibc_u64(origin->sm_lid);
	v[2] = ibc_bool(answered);
	if (answered) {
		v[3] = ibc_u64(plane->sa->latency_us);
		v[4] = ibc_real(plane->sa->latency_us / US_PER_SECOND);
		v[5] = ibc_u64(plane->sa->response_us);
		v[6] = ibc_u64(plane->sa->cap_mask);
	}
	return v;
}

/* ---- metrics ------------------------------------------------------------------- */

static const struct ibc_label manager_labels[] = {
	{ "plane", "plane" },
	{ "guid", "guid" },
	{ "manager", "manager" },
	{ "node", "node_desc" },
	{ 0 },
};
static const struct ibc_metric manager_metrics[] = {
	{ "priority", "priority", "priority", IBC_METRIC_GAUGE },
	{ "alive", "alive", "raises its activity count", IBC_METRIC_GAUGE },
	{ "master", "master", "is master", IBC_METRIC_GAUGE },
	{ 0 },
};
static const struct ibc_metric_group manager_groups[] = {
	{ "infiniband_sm_", "InfiniBand subnet manager", NULL, NULL, manager_labels,
	  manager_metrics },
	{ 0 },
};

static const struct ibc_label plane_label[] = { { "plane", "plane" }, { 0 } };
static const struct ibc_metric sa_metrics[] = {
	{ "answered", "up", "answers", IBC_METRIC_GAUGE },
	{ "latency_seconds", "latency_seconds", "time to answer ClassPortInfo", IBC_METRIC_GAUGE },
	{ 0 },
};
static const struct ibc_metric_group sa_groups[] = {
	{ "infiniband_sa_", "InfiniBand subnet administration", NULL, NULL, plane_label,
	  sa_metrics },
	{ 0 },
};

/* ---- all of it ------------------------------------------------------------------ */

static void conclude(struct app *app)
{
	const struct ibc_plane *plane = ibc_fabric_plane(app->fabric, 0);
	const struct ibc_port *p, *master = NULL;
	size_t masters = 0, standbys = 0;
	enum ibc_sm_state state;

	for (size_t i = 0; (p = ibc_fabric_port(app->fabric, i)); i++) {
		if (!p->sm)
			continue;
		state = ibc_sm_state_now(p->sm);
		standbys += state == IBC_SM_STANDBY;
		masters += state == IBC_SM_MASTER;
		if (state == IBC_SM_MASTER)
			master = p;
	}
	if (masters == 1)
		ibc_report_conclude(app->report, "master %s/%u (priority %u), %zu standby",
		                    master->node->label, master->num, master->sm->priority,
		                    standbys);
	if (!ibc_fabric_plane(app->fabric, 1) && plane && plane->sa && plane->origin &&
	    ibc_port_has(plane->origin, IBC_ATTR_SA_CLASS_PORT_INFO))
		ibc_report_conclude(app->report, "subnet administration answered in %.1f ms",
		                    plane->sa->latency_us / 1000.0);
}

static int sm_tables(struct app *app, const void *cfg, struct ibc_error *err)
{
	struct ibc_table *managers = ibc_report_table(app->report, "managers", columns);
	struct ibc_table *sa = ibc_report_table(app->report, "subnet_administration", sa_columns);
	const struct ibc_plane *plane;
	const struct ibc_port *p;
	struct ibc_value values[7];

	(void)cfg;
	(void)err;
	ibc_table_measure(managers, manager_groups);
	ibc_table_measure(sa, sa_groups);
	for (size_t i = 0; (p = ibc_fabric_port(app->fabric, i)); i++)
		if (p->sm)
			add_manager(managers, p);
	for (size_t i = 0; (plane = ibc_fabric_plane(app->fabric, i)); i++)
		if (plane->origin &&
		    ibc_port_answer(plane->origin, IBC_ATTR_SA_CLASS_PORT_INFO) != IBC_NOT_ASKED)
			ibc_table_row(sa, sa_values(plane, values));
	conclude(app);
	return 0;
}

const struct cmd cmd_sm = {
	.name = "sm",
	.summary = "subnet manager and administration",
	.group = CMD_FABRIC,
	.checks = "sm,port.silent",
	.run = sm_run,
	.tables = sm_tables,
};
