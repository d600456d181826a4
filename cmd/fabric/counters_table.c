/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters as tables and as metrics.  Metrics and labels are named as those of
 * https://github.com/treydock/infiniband_exporter, whose dashboards and rules are in use.
 */
#include <assert.h>

#include <ibcheck/counters.h>

#include "columns.h"
#include "counters.h"

/*
 * struct sample - what a row is about; of a node @port is the first that is up, or NULL
 * @value: of counters, those in @known
 * @no_rate: it is not wanted
 */
struct sample {
	const struct ibc_port *port;
	const struct ibc_node *node;
	struct ibc_delta delta;
	const uint64_t *value;
	uint32_t known;
	bool no_rate;
};

/* ---- the columns --------------------------------------------------------------- */

/* A switch has its LID at port 0. */
static struct ibc_value base_lid_value(const struct ibc_port *p)
{
	if (p && p->node->type == IBC_NODE_SWITCH)
		p = ibc_node_port(p->node, 0);
	return p && p->lid ? ibc_u64(p->lid) : ibc_none();
}

static struct ibc_value bytes_of(const struct ibc_port *p,
                                 double (*gbps)(enum ibc_width width, enum ibc_speed speed))
{
	double rate = p && ibc_port_is_up(p) ? gbps(p->width_active, p->speed_active) : 0;

	return real_or_none(rate * 1e9 / 8);
}

/* "symbol_error,link_downed": what a set of counters has in it. */
static struct ibc_value names_of(struct ibc_cell *cell, bool known, uint32_t set)
{
	struct ibc_value names = ibc_str("");

	for (unsigned int i = 0; known && i < IBC_COUNTERS; i++)
		if (set & 1u << i)
			names = ibc_cell_text(cell, "%s%s", cell->length ? "," : "",
			                      ibc_counter_word(i)->word);
	return known ? names : ibc_none();
}

/* The words that lists of links and the labels of exporters have always had. */
static struct ibc_value sample_uplink_type(struct ibc_cell *cell)
{
	static const char *const types[] = {
		[IBC_NODE_CA] = "CA",
		[IBC_NODE_SWITCH] = "SW",
		[IBC_NODE_ROUTER] = "RT",
	};
	const struct ibc_port *peer = ((const struct sample *)cell->row)->port->peer;
	unsigned int type = peer ? peer->node->type : IBC_NODE_UNKNOWN;

	return ibc_str(type < ARRAY_SIZE(types) ? types[type] : NULL);
}

static struct ibc_value ratio(double percent)
{
	return percent >= 0 ? ibc_real(percent / 100) : ibc_none();
}

/* .arg: which counter */
static struct ibc_value counted(struct ibc_cell *cell)
{
	const struct sample *s = cell->row;
	unsigned int i = cell->column->arg;

	return s->known & 1u << i ? ibc_u64(s->value[i]) : ibc_none();
}

GETTER(sample_lid, struct sample, s, base_lid_value(s->port));
GETTER(sample_rate, struct sample, s, bytes_of(s->no_rate ? NULL : s->port, ibc_link_gbps));
GETTER(sample_raw_rate, struct sample, s,
       bytes_of(s->no_rate ? NULL : s->port, ibc_link_signal_gbps));
/* What no PortInfo and no file reports is neither up nor down. */
GETTER(sample_up, struct sample, s,
       ibc_port_is_up(s->port) || ibc_port_has(s->port, IBC_ATTR_PORT_INFO)
           ? ibc_bool(ibc_port_is_up(s->port))
           : ibc_none());
GETTER(sample_peer_lid, struct sample, s, base_lid_value(s->port->peer));
GETTER(sample_saturated, struct sample, s,
       names_of(cell, s->port->counters, s->port->counters ? s->port->counters->saturated : 0));
GETTER(delta_cleared, struct sample, s, names_of(cell, s->delta.known, s->delta.cleared));
GETTER(delta_at_least, struct sample, s, names_of(cell, s->delta.known, s->delta.at_least));
GETTER(delta_utilization, struct sample, s, ratio(ibc_delta_util_percent(s->port, &s->delta)));
GETTER(delta_wait, struct sample, s, ratio(ibc_delta_wait_percent(s->port, &s->delta)));

/* clang-format off */
#define AT_NODE(k, getter) { .key = (k), .value = (getter), \
	.offset = offsetof(struct sample, node), .arg = OF_NODE }
#define SAMPLE_COLUMNS \
	AT_NODE("subnet", cell_subnet), AT_NODE("node_guid", cell_node_guid), \
	AT_NODE("node_desc", cell_node_desc), AT_NODE("node", cell_node), \
	AT_NODE("node_type", cell_node_type)
#define RATE_COLUMNS \
	COLUMN("rate_bytes_per_second", NULL, sample_rate), \
	COLUMN("raw_rate_bytes_per_second", NULL, sample_raw_rate)
/* clang-format on */

static const struct ibc_column node_columns[] = {
	SAMPLE_COLUMNS,
	COLUMN("lid", NULL, sample_lid),
	RATE_COLUMNS,
	{ 0 },
};

/* The counters follow; filled by fill_counters(). */
#define COLUMNS_MAX (24 + IBC_COUNTERS)
static struct ibc_column port_columns[COLUMNS_MAX] = {
	SAMPLE_COLUMNS,
	COLUMN("lid", NULL, sample_lid),
	COLUMN("port", NULL, cell_port),
	COLUMN("up", NULL, sample_up),
	RATE_COLUMNS,
	COLUMN("peer_guid", NULL, cell_peer_guid),
	COLUMN("peer_desc", NULL, cell_peer_desc),
	COLUMN("peer", NULL, cell_peer_node),
	COLUMN("peer_port", NULL, cell_peer_port),
	COLUMN("peer_lid", NULL, sample_peer_lid),
	COLUMN("uplink_type", NULL, sample_uplink_type),
	COLUMN("saturated", NULL, sample_saturated),
};

static struct ibc_column delta_columns[COLUMNS_MAX] = {
	SAMPLE_COLUMNS,
	COLUMN("port", NULL, cell_port),
	FIELD("fresh", NULL, struct sample, delta.fresh),
	FIELD_OR_NONE("interval_seconds", NULL, struct sample, delta.seconds),
	COLUMN("transmit_utilization_ratio", NULL, delta_utilization),
	COLUMN("transmit_wait_ratio", NULL, delta_wait),
	COLUMN("cleared", NULL, delta_cleared),
	COLUMN("at_least", NULL, delta_at_least),
};

/* ---- the metrics ---------------------------------------------------------------- */

static const struct ibc_label guid_label[] = { { "guid", "node_guid" }, { 0 } };

/* clang-format off */
#define INFO_LABELS(what) { \
	{ "guid", "node_guid" }, { what, "node" }, { "lid", "lid" }, { 0 }, \
}
#define UPLINK_LABELS(what) { \
	{ "guid", "node_guid" }, { "port", "port" }, { what, "node" }, { "uplink", "peer" }, \
	{ "uplink_guid", "peer_guid" }, { "uplink_type", "uplink_type" }, \
	{ "uplink_port", "peer_port" }, { "uplink_lid", "peer_lid" }, { 0 }, \
}
/* clang-format on */

static const struct ibc_label switch_info_labels[] = INFO_LABELS("switch");
static const struct ibc_label hca_info_labels[] = INFO_LABELS("hca");
static const struct ibc_label switch_uplink_labels[] = UPLINK_LABELS("switch");
static const struct ibc_label hca_uplink_labels[] = UPLINK_LABELS("hca");

static const struct ibc_metric node_info[] = {
	{ "node_guid", "info", "information", IBC_METRIC_INFO },
	{ 0 },
};

/* clang-format off */
#define RATES \
	{ "rate_bytes_per_second", "rate_bytes_per_second", "data rate", IBC_METRIC_GAUGE }, \
	{ "raw_rate_bytes_per_second", "raw_rate_bytes_per_second", \
	  "signalling rate", IBC_METRIC_GAUGE }
/* clang-format on */

static const struct ibc_metric node_rates[] = {
	RATES,
	{ 0 },
};

static const struct ibc_metric uplink_info[] = {
	{ "peer_guid", "uplink_info", "uplink information", IBC_METRIC_INFO },
	{ 0 },
};

static const struct ibc_metric delta_metrics[] = {
	{ "transmit_utilization_ratio", "transmit_utilization_ratio",
	  "share of the data rate that was used since the last run", IBC_METRIC_GAUGE },
	{ "transmit_wait_ratio", "transmit_wait_ratio",
	  "share of the data rate that was lost to waiting since the last run", IBC_METRIC_GAUGE },
	{ 0 },
};

/* The counters follow; filled by fill_counters(). */
#define BEFORE_METRICS 3
static struct ibc_metric port_metrics[BEFORE_METRICS + IBC_COUNTERS + 1] = {
	{ "up", "up", "has a trained link", IBC_METRIC_GAUGE },
	RATES,
};

static void append_counters(struct ibc_column columns[COLUMNS_MAX])
{
	size_t n = 0;

	while (columns[n].key)
		n++;
	assert(n + IBC_COUNTERS < COLUMNS_MAX);
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		columns[n + i] = (struct ibc_column)COLUMN_OF(i, ibc_counter_word(i)->word, NULL,
		                                              counted);
}

/* The library has the names of the counters: columns and metrics take them from there. */
__attribute__((constructor)) static void fill_counters(void)
{
	append_counters(port_columns);
	append_counters(delta_columns);
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		const struct ibc_word *word = ibc_counter_word(i);

		port_metrics[BEFORE_METRICS + i] = (struct ibc_metric){
			/* the exporter's spelling of this one */
			.name = i == IBC_DLID_MAPPING ? "dli_mapping_errors" : word->word,
			.column = word->word,
			.help = word->name,
			.type = IBC_METRIC_COUNTER,
		};
	}
}

/* clang-format off */
#define OF_SWITCHES "infiniband_switch_", "InfiniBand switch", "node_type", "switch"
#define OF_SWITCH_PORTS \
	"infiniband_switch_port_", "InfiniBand switch port", "node_type", "switch", port_labels
#define OF_HCAS "infiniband_hca_", "InfiniBand HCA", "node_type", "ca"
#define OF_HCA_PORTS "infiniband_hca_port_", "InfiniBand HCA port", "node_type", "ca", port_labels
/* clang-format on */

static const struct ibc_metric_group node_groups[] = {
	{ OF_SWITCHES, switch_info_labels, node_info },
	{ OF_HCAS, hca_info_labels, node_info },
	{ OF_HCAS, guid_label, node_rates },
	{ 0 },
};

static const struct ibc_metric_group port_groups[] = {
	{ OF_SWITCH_PORTS, port_metrics },
	{ OF_HCA_PORTS, port_metrics },
	{ OF_SWITCHES, switch_uplink_labels, uplink_info },
	{ OF_HCAS, hca_uplink_labels, uplink_info },
	{ 0 },
};

static const struct ibc_metric_group delta_groups[] = {
	{ OF_SWITCH_PORTS, delta_metrics },
	{ OF_HCA_PORTS, delta_metrics },
	{ 0 },
};

/* ---- the tables ------------------------------------------------------------------ */

const struct ibc_table_type nodes_type = TABLE("nodes", node_columns, NULL, .groups = node_groups);
const struct ibc_table_type counters_type = TABLE("counters", port_columns, NULL,
                                                  .groups = port_groups, .headed_by = "node");
const struct ibc_table_type deltas_type = TABLE("deltas", delta_columns, NULL,
                                                .groups = delta_groups, .headed_by = "node");

static bool is_chosen(const struct counters_choice *choice, const struct ibc_node *node)
{
	return !choice->switches || node->type == IBC_NODE_SWITCH;
}

/* Port 0 of a switch is no place for a cable; few have counters there. */
static bool has_row(const struct ibc_port *p)
{
	return p->num || p->counters;
}

static void add_delta(struct app *app, const struct ibc_port *p, const struct ibc_fabric *before)
{
	struct sample s = { .port = p, .node = p->node };

	ibc_windows_delta(app->windows, before, p, &s.delta);
	s.value = s.delta.value;
	s.known = s.delta.known;
	ibc_table_row(app_table(app, &deltas_type), &s);
}

static void add_counters(struct app *app, const struct ibc_port *p, bool no_data)
{
	/* 1 << enum ibc_counter of what is carried, not of what went wrong */
	const uint32_t data = (2u << IBC_MULTICAST_RCV_PKTS) - (1u << IBC_XMIT_DATA);
	const struct ibc_counters *c = p->counters;
	const struct sample s = {
		.node = p->node,
		.port = p,
		.value = c ? c->value : NULL,
		.known = c ? c->known & ~(no_data ? data : 0) : 0,
		.no_rate = no_data,
	};

	ibc_table_row(app_table(app, &counters_type), &s);
}

void counters_of_port(struct app *app, const struct ibc_port *p, const struct ibc_fabric *before)
{
	if (!has_row(p))
		return;
	add_counters(app, p, false);
	if (before)
		add_delta(app, p, before);
}

void deltas_table(struct app *app, const struct ibc_fabric *before,
                  const struct counters_choice *choice)
{
	const struct ibc_port *p;

	app_table(app, &deltas_type);
	for (size_t i = 0; !choice->no_data && (p = ibc_fabric_port(app->fabric, i)); i++)
		if (has_row(p) && is_chosen(choice, p->node))
			add_delta(app, p, before);
}

void counters_tables(struct app *app, const struct ibc_fabric *before,
                     const struct counters_choice *choice)
{
	struct ibc_table *nodes = app_table(app, &nodes_type);
	const struct ibc_node *node;
	const struct ibc_port *p;

	for (size_t i = 0; (node = ibc_fabric_node(app->fabric, i)); i++) {
		struct sample s = { .node = node, .no_rate = choice->no_data };

		if (!is_chosen(choice, node))
			continue;
		/* the port that speaks for its node: the first that is up, which has its LID */
		for (unsigned int k = 1; k <= node->num_ports && !s.port; k++)
			if ((p = ibc_node_port(node, k)) && ibc_port_is_up(p))
				s.port = p;
		if (!s.port)
			s.port = ibc_node_port(node, 1);
		ibc_table_row(nodes, &s);
	}
	app_table(app, &counters_type);
	if (before)
		deltas_table(app, before, choice);
	for (size_t i = 0; (p = ibc_fabric_port(app->fabric, i)); i++)
		if (has_row(p) && is_chosen(choice, p->node))
			add_counters(app, p, choice->no_data);
}
