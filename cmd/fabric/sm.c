/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the subnet governed: who is master, who follows, and does it answer? */
#include "cmd.h"
#include "columns.h"

struct sm_cfg {
	bool sharp;
};

static const struct opt sm_opts[] = {
	OPT_FLAG(0, "expect-sharp", struct sm_cfg, sharp,
	         "warn if no aggregation manager (SHARP) is registered"),
	OPT_END,
};

static bool sa_answers(const struct ibc_subnet *subnet)
{
	return subnet->sa && subnet->origin &&
	       ibc_port_has(subnet->origin, IBC_ATTR_SA_CLASS_PORT_INFO);
}

static void conclude_managers(struct app *app)
{
	const struct ibc_subnet *subnet = ibc_fabric_subnet(app->fabric, 0);
	const struct ibc_port *p, *master = NULL;
	size_t masters = 0, standbys = 0;
	enum ibc_sm_state state;
	uint64_t guid = 0;

	for (size_t i = 0; (p = ibc_fabric_port(app->fabric, i)); i++) {
		if (!p->extra->sm)
			continue;
		state = ibc_sm_state_now(p->extra->sm);
		standbys += state == IBC_SM_STANDBY;
		masters += state == IBC_SM_MASTER;
		if (state == IBC_SM_MASTER)
			master = p;
	}
	if (masters == 1)
		ibc_report_conclude(app->report, "master %s/%u (priority %u), %zu standby",
		                    master->node->label, master->num, master->extra->sm->priority,
		                    standbys);
	if (ibc_fabric_subnet(app->fabric, 1) || !subnet || !sa_answers(subnet))
		return;
	ibc_report_conclude(app->report, "subnet administration answered in %.1f ms",
	                    subnet->sa->latency_us / 1000.0);
	/* the aggregation manager (SHARP); more than one, and one at no port, are findings */
	for (size_t i = 8; subnet->sa->num_services == 1 && i < 16; i++)
		guid = guid << 8 | subnet->sa->services->gid[i];
	for (size_t i = 0; guid && (p = ibc_fabric_port(app->fabric, i)); i++)
		if (p->guid == guid)
			ibc_report_conclude(app->report, "aggregation manager (SHARP) at %s/%u",
			                    p->node->label, p->num);
}

static int sm_run(struct app *app, struct ibc_error *err)
{
	const struct sm_cfg *c = app->cfg;
	int rc = c->sharp ? ibc_config_set(app->config, "sharp.manager", "expect", "1", err) : 0;

	if (!rc)
		rc = app_sweep(app, IBC_ATTRS(), err);
	if (!rc)
		rc = app_check(app, err);
	if (!rc)
		conclude_managers(app);
	return rc;
}

/* ---- tables ------------------------------------------------------------------- */

/* struct manager_row - a subnet manager: a row of its table */
struct manager_row {
	const struct ibc_port *port;
	struct ibc_sm_info sm;
	enum ibc_sm_state state;
	unsigned int lid;
};

GETTER(manager_state, struct manager_row, m,
       m->state ? ibc_enum(ibc_sm_state_word(m->state)) : ibc_none());
GETTER(manager_guid, struct manager_row, m, ibc_guid(m->sm.guid));
/* Whether its activity count has moved; nothing if it had no time to. */
GETTER(manager_alive, struct manager_row, m,
       ibc_sm_life(&m->sm) ? ibc_bool(ibc_sm_life(&m->sm) == IBC_SM_WORKS) : ibc_none());
GETTER(manager_master, struct manager_row, m,
       m->state ? ibc_bool(m->state == IBC_SM_MASTER) : ibc_none());

static const struct ibc_column manager_columns[] = {
	COLUMN("subnet", NULL, cell_subnet_source),
	NODE_COLUMNS(OF_PORT),
	COLUMN("manager", "MANAGER", cell_port_name),
	COLUMN("port", NULL, cell_port),
	COLUMN("at", "AT", cell_peer_name),
	COLUMN("state", "STATE", manager_state),
	FIELD("priority", "PRIORITY", struct manager_row, sm.priority),
	FIELD("lid", "LID", struct manager_row, lid),
	COLUMN("guid", "GUID", manager_guid),
	FIELD("act_count", NULL, struct manager_row, sm.act_count),
	FIELD_IF(sm.state_later, "act_count_later", NULL, struct manager_row, sm.act_count_later),
	FIELD_OR_NONE("act_seconds", NULL, struct manager_row, sm.act_seconds),
	COLUMN("alive", "ALIVE", manager_alive,
	       .legend = "it counts its activity between two queries"),
	COLUMN("master", NULL, manager_master),
	{ 0 },
};

#define US_PER_SECOND 1e6 /* microseconds */

/* struct sa_row - @sa: zero where it did not answer */
struct sa_row {
	const struct ibc_subnet *subnet;
	unsigned int sm_lid;
	bool answered;
	double latency_seconds;
	struct ibc_sa sa;
};

/* latency in seconds is for metrics, which have base units */
static const struct ibc_column sa_columns[] = {
	COLUMN_OF(OF_SUBNET, "subnet", NULL, cell_subnet_source),
	FIELD("sm_lid", NULL, struct sa_row, sm_lid),
	FIELD("answered", NULL, struct sa_row, answered),
	FIELD_IF(answered, "latency_us", NULL, struct sa_row, sa.latency_us),
	FIELD_IF(answered, "latency_seconds", NULL, struct sa_row, latency_seconds),
	FIELD_IF(answered, "response_us", NULL, struct sa_row, sa.response_us),
	FIELD_IF(answered, "cap_mask", NULL, struct sa_row, sa.cap_mask),
	{ 0 },
};

/* ---- metrics ------------------------------------------------------------------- */

static const struct ibc_label manager_labels[] = {
	{ "subnet", "subnet" },
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

static const struct ibc_metric sa_metrics[] = {
	{ "answered", "up", "answers", IBC_METRIC_GAUGE },
	{ "latency_seconds", "latency_seconds", "time to answer ClassPortInfo", IBC_METRIC_GAUGE },
	{ 0 },
};
static const struct ibc_metric_group sa_groups[] = {
	{ "infiniband_sa_", "InfiniBand subnet administration", NULL, NULL, subnet_label,
	  sa_metrics },
	{ 0 },
};

static const struct ibc_table_type managers_type = TABLE("managers", manager_columns, NULL,
                                                         .groups = manager_groups);
static const struct ibc_table_type sa_type = TABLE(
    "subnet_administration", sa_columns, "subnet administration (SA)", .groups = sa_groups);

/* ---- all of it ------------------------------------------------------------------ */

static int sm_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_table *managers = app_table(app, &managers_type);
	struct ibc_table *sa = app_table(app, &sa_type);
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;

	(void)err;
	for (size_t i = 0; (p = ibc_fabric_port(app->fabric, i)); i++)
		if (p->extra->sm)
			ibc_table_row(managers, &(struct manager_row){
						    p, *p->extra->sm,
						    ibc_sm_state_now(p->extra->sm), p->lid });
	for (size_t i = 0; (subnet = ibc_fabric_subnet(app->fabric, i)); i++) {
		struct sa_row row = { .subnet = subnet, .answered = sa_answers(subnet) };

		if (!subnet->origin ||
		    ibc_port_answer(subnet->origin, IBC_ATTR_SA_CLASS_PORT_INFO) == IBC_NOT_ASKED)
			continue;
		row.sm_lid = subnet->origin->sm_lid;
		if (row.answered) {
			row.sa = *subnet->sa;
			row.latency_seconds = row.sa.latency_us / US_PER_SECOND;
		}
		ibc_table_row(sa, &row);
	}
	return 0;
}

const struct cmd cmd_sm = {
	.name = "sm",
	.summary = "missing, duplicate or hanging subnet managers, slow SA, SHARP",
	.example = "sm\n"
		   "sm --expect-sharp\n"
		   "sm --source fabric.snap\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC | TAKES_STATE,
	.checks = "sm,sharp,port.silent",
	.opts = sm_opts,
	.cfg_size = sizeof(struct sm_cfg),
	.csv = &managers_type,
	.shows = TABLES(&managers_type, &sa_type),
	.run = sm_run,
	.tables = sm_tables,
};
