/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters as tables and as metrics.  Metrics and labels are named as those of
 * https://github.com/treydock/infiniband_exporter, whose dashboards and rules are in use.
 */
#include <stdio.h>
#include <string.h>

#include <ibcheck/counters.h>

#include "counters_table.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Room for the names of all counters. */
#define NAMES_MAX (IBC_COUNTERS * 48)

/*
 * struct sample - what a row tells of; of a node it is the first port that is up
 * @names: two texts for lists of counters, to be used until the row is added
 */
struct sample {
	const struct ibc_node *node;
	const struct ibc_port *port;
	const struct ibc_delta *delta;
	char (*names)[NAMES_MAX];
};

/* struct field - a column, and how a sample fills it */
struct field {
	const char *key;
	struct ibc_value (*value)(const struct sample *s);
};

/* ---- the columns --------------------------------------------------------------- */

static struct ibc_value plane(const struct sample *s)
{
	return ibc_u64(s->node->plane->index);
}

static struct ibc_value node_guid(const struct sample *s)
{
	return ibc_guid(s->node->guid);
}

static struct ibc_value node_desc(const struct sample *s)
{
	return ibc_str(s->node->desc);
}

static struct ibc_value node_label(const struct sample *s)
{
	return ibc_str(s->node->label);
}

static struct ibc_value node_type(const struct sample *s)
{
	return ibc_enum(ibc_node_type_word(s->node->type));
}

/* A switch has its LID at port 0. */
static struct ibc_value lid_of(const struct ibc_port *p)
{
	if (p && p->node->type == IBC_NODE_SWITCH)
		p = ibc_node_port(p->node, 0);
	return p && p->lid ? ibc_u64(p->lid) : ibc_none();
}

static struct ibc_value lid(const struct sample *s)
{
	return lid_of(s->port);
}

static struct ibc_value bytes_of(const struct ibc_port *p,
                                 double (*gbps)(enum ibc_width width, enum ibc_speed speed))
{
	double rate = p && ibc_port_is_up(p) ? gbps(p->width_active, p->speed_active) : 0;

	return rate > 0 ? ibc_real(rate * 1e9 / 8) : ibc_none();
}

static struct ibc_value rate(const struct sample *s)
{
	return bytes_of(s->port, ibc_link_gbps);
}

static struct ibc_value raw_rate(const struct sample *s)
{
	return bytes_of(s->port, ibc_link_signal_gbps);
}

static struct ibc_value port_num(const struct sample *s)
{
	return ibc_u64(s->port->num);
}

/* What no PortInfo and no file tells of is neither up nor down. */
static struct ibc_value port_up(const struct sample *s)
{
	bool up = ibc_port_is_up(s->port);

	return up || ibc_port_has(s->port, IBC_ATTR_PORT_INFO) ? ibc_bool(up) : ibc_none();
}

static struct ibc_value peer_guid(const struct sample *s)
{
	return s->port->peer ? ibc_guid(s->port->peer->node->guid) : ibc_none();
}

static struct ibc_value peer_desc(const struct sample *s)
{
	return ibc_str(s->port->peer ? s->port->peer->node->desc : NULL);
}

static struct ibc_value peer_label(const struct sample *s)
{
	return ibc_str(s->port->peer ? s->port->peer->node->label : NULL);
}

static struct ibc_value peer_port(const struct sample *s)
{
	return s->port->peer ? ibc_u64(s->port->peer->num) : ibc_none();
}

static struct ibc_value peer_lid(const struct sample *s)
{
	return lid_of(s->port->peer);
}

/* The words that lists of links and the labels of exporters have always had. */
static struct ibc_value uplink_type(const struct sample *s)
{
	static const char *const types[] = {
		[IBC_NODE_CA] = "CA",
		[IBC_NODE_SWITCH] = "SW",
		[IBC_NODE_ROUTER] = "RT",
	};
	unsigned int type = s->port->peer ? s->port->peer->node->type : IBC_NODE_UNKNOWN;

	return ibc_str(type < COUNT(types) ? types[type] : NULL);
}

/* "symbol_error,link_downed": what a set of counters has in it. */
static struct ibc_value names_of(uint32_t set, char names[NAMES_MAX])
{
	size_t at = 0;

	*names = '\0';
	for (unsigned int i = 0; i < IBC_COUNTERS && at < NAMES_MAX; i++) {
		if (set & 1u << i)
			at += (size_t)snprintf(names + at, NAMES_MAX - at, "%s%s", at ? "," : "",
			                       ibc_counter_word(i)->word);
	}
	return ibc_str(names);
}

static struct ibc_value saturated(const struct sample *s)
{
	const struct ibc_counters *c = s->port->counters;

	return c ? names_of(c->saturated, s->names[0]) : ibc_none();
}

static struct ibc_value cleared(const struct sample *s)
{
	return s->delta->known ? names_of(s->delta->cleared, s->names[0]) : ibc_none();
}

static struct ibc_value at_least(const struct sample *s)
{
	return s->delta->known ? names_of(s->delta->at_least, s->names[1]) : ibc_none();
}

static struct ibc_value interval(const struct sample *s)
{
	return s->delta->seconds > 0 ? ibc_real(s->delta->seconds) : ibc_none();
}

static struct ibc_value fresh(const struct sample *s)
{
	return ibc_bool(s->delta->fresh);
}

static struct ibc_value ratio(double percent)
{
	return percent >= 0 ? ibc_real(percent / 100) : ibc_none();
}

static struct ibc_value utilization(const struct sample *s)
{
	return ratio(ibc_delta_util_percent(s->port, s->delta));
}

static struct ibc_value wait(const struct sample *s)
{
	return ratio(ibc_delta_wait_percent(s->port, s->delta));
}

/* clang-format off */
#define NODE_FIELDS \
	{ "plane", plane }, { "node_guid", node_guid }, { "node_desc", node_desc }, \
	{ "node", node_label }, { "node_type", node_type }
/* clang-format on */

static const struct field node_fields[] = {
	NODE_FIELDS,
	{ "lid", lid },
	{ "rate_bytes_per_second", rate },
	{ "raw_rate_bytes_per_second", raw_rate },
};

static const struct field port_fields[] = {
	NODE_FIELDS,
	{ "lid", lid },
	{ "port", port_num },
	{ "up", port_up },
	{ "rate_bytes_per_second", rate },
	{ "raw_rate_bytes_per_second", raw_rate },
	{ "peer_guid", peer_guid },
	{ "peer_desc", peer_desc },
	{ "peer", peer_label },
	{ "peer_port", peer_port },
	{ "peer_lid", peer_lid },
	{ "uplink_type", uplink_type },
	{ "saturated", saturated },
};

static const struct field delta_fields[] = {
	NODE_FIELDS,
	{ "port", port_num },
	{ "fresh", fresh },
	{ "interval_seconds", interval },
	{ "transmit_utilization_ratio", utilization },
	{ "transmit_wait_ratio", wait },
	{ "cleared", cleared },
	{ "at_least", at_least },
};

/* ---- the metrics ---------------------------------------------------------------- */

static const struct ibc_label port_labels[] = {
	{ "guid", "node_guid" },
	{ "port", "port" },
	{ 0 },
};

static const struct ibc_label guid_label[] = {
	{ "guid", "node_guid" },
	{ 0 },
};

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

/* The counters follow; filled by fill_metrics(). */
#define BEFORE_COUNTERS 3
static struct ibc_metric port_metrics[BEFORE_COUNTERS + IBC_COUNTERS + 1] = {
	{ "up", "up", "has a trained link", IBC_METRIC_GAUGE },
	RATES,
};

static void fill_metrics(void)
{
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		const struct ibc_word *word = ibc_counter_word(i);

		port_metrics[BEFORE_COUNTERS + i] = (struct ibc_metric){
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

#define COLUMNS_MAX (COUNT(port_fields) + IBC_COUNTERS)

/*
 * struct layout - a table: its fields, then the counters if it has any
 * @columns: room for all; filled by add_table()
 */
struct layout {
	const char *name;
	const struct field *fields;
	size_t num_fields;
	bool has_counters;
	const struct ibc_metric_group *groups;
	struct ibc_column *columns;
};

static struct ibc_column node_columns[COLUMNS_MAX + 1], port_columns[COLUMNS_MAX + 1],
    delta_columns[COLUMNS_MAX + 1];

static const struct layout of_nodes = {
	"nodes", node_fields, COUNT(node_fields), false, node_groups, node_columns,
};
static const struct layout of_ports = {
	"counters", port_fields, COUNT(port_fields), true, port_groups, port_columns,
};
static const struct layout of_deltas = {
	"deltas", delta_fields, COUNT(delta_fields), true, delta_groups, delta_columns,
};

static struct ibc_table *add_table(struct ibc_report *rep, const struct layout *l)
{
	struct ibc_column *column = l->columns;
	struct ibc_table *table;

	for (size_t i = 0; i < l->num_fields; i++)
		*column++ = (struct ibc_column){ .key = l->fields[i].key };
	for (unsigned int i = 0; l->has_counters && i < IBC_COUNTERS; i++)
		*column++ = (struct ibc_column){ .key = ibc_counter_word(i)->word };
	table = ibc_report_table(rep, l->name, l->columns);
	ibc_table_measure(table, l->groups);
	return table;
}

/* @value: IBC_COUNTERS of them, those in @known to be told; or NULL */
static void add_row(struct ibc_table *table, const struct layout *l, const struct sample *s,
                    const uint64_t *value, uint32_t known)
{
	struct ibc_value row[COLUMNS_MAX];
	size_t n = 0;

	while (n < l->num_fields) {
		row[n] = l->fields[n].value(s);
		n++;
	}
	for (unsigned int i = 0; l->has_counters && i < IBC_COUNTERS; i++)
		row[n++] = known & 1u << i ? ibc_u64(value[i]) : ibc_none();
	ibc_table_row(table, row);
}

/* The port that speaks for its node: the one with its LID, as a rule. */
static const struct ibc_port *first_up(const struct ibc_node *node)
{
	for (unsigned int i = 1; i <= node->num_ports; i++) {
		const struct ibc_port *p = ibc_node_port(node, i);

		if (p && ibc_port_is_up(p))
			return p;
	}
	return ibc_node_port(node, 1);
}

static void add_nodes(const struct ibc_fabric *fab, struct ibc_report *rep)
{
	struct ibc_table *table = add_table(rep, &of_nodes);
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		struct sample s = { .node = node, .port = first_up(node) };

		add_row(table, &of_nodes, &s, NULL, 0);
	}
}

/* Port 0 of a switch is no place for a cable; few have counters there. */
static bool has_row(const struct ibc_port *p)
{
	return p->num || p->counters;
}

static void add_ports(const struct ibc_fabric *fab, struct ibc_report *rep)
{
	struct ibc_table *table = add_table(rep, &of_ports);
	const struct ibc_port *p;
	char names[1][NAMES_MAX];

	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++) {
		const struct ibc_counters *c = p->counters;
		struct sample s = { .node = p->node, .port = p, .names = names };

		if (has_row(p))
			add_row(table, &of_ports, &s, c ? c->value : NULL, c ? c->known : 0);
	}
}

static void add_deltas(const struct ibc_fabric *now, const struct ibc_fabric *before,
                       struct ibc_report *rep)
{
	struct ibc_table *table = add_table(rep, &of_deltas);
	const struct ibc_port *p;
	struct ibc_delta delta;
	char names[2][NAMES_MAX];

	for (size_t i = 0; (p = ibc_fabric_port(now, i)); i++) {
		struct sample s = { .node = p->node, .port = p, .delta = &delta, .names = names };

		if (!has_row(p))
			continue;
		ibc_delta_of(before, p, &delta);
		add_row(table, &of_deltas, &s, delta.value, delta.known);
	}
}

void counters_tables(const struct ibc_fabric *now, const struct ibc_fabric *before,
                     struct ibc_report *rep)
{
	fill_metrics();
	add_nodes(now, rep);
	add_ports(now, rep);
	if (before)
		add_deltas(now, before, rep);
}
