/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of all routes: pairs, bandwidth, what is hot, how uplinks are used. */
#include <inttypes.h>
#include <string.h>

#include <ibcheck/adaptive.h>

#include "columns.h"
#include "routes.h"

#define HOT_OF_TEXT 5 /* the rest is in JSON */

/* To four digits behind the point. */
static struct ibc_value part(double value)
{
	return rounded(value, 10000);
}

static struct ibc_value when(bool there_is, double value)
{
	return there_is ? part(value) : ibc_none();
}

static struct ibc_value count_when(bool there_is, uint64_t count)
{
	return there_is ? ibc_u64(count) : ibc_none();
}

/* A double in the row. */
static struct ibc_value field_part(struct ibc_cell *cell)
{
	return part(field_value(cell).real);
}

/* clang-format off */
/* The label of a node that a pointer in the row leads to; NULL is not known. */
#define LABEL_AT(k, title, owner, field) { \
	.key = (k), .heading = (title), .value = cell_node, \
	.offset = offsetof(owner, field), .arg = OF_NODE, \
}
/* clang-format on */

/* ---- what they are of --------------------------------------------------------------- */

/* A table of results that go by the tables of switches; text says so only where that is not all. */
static struct ibc_table *static_table(struct app *app, const struct ibc_table_type *type)
{
	struct ibc_table *t = app_table(app, type);

	if (!ibc_traffic_is_part(static_traffic(app->fabric)))
		ibc_table_hide(t, "traffic");
	return t;
}

enum ibc_traffic static_traffic(const struct ibc_fabric *fab)
{
	const struct ibc_subnet *subnet;
	enum ibc_traffic traffic = IBC_TRAFFIC_ALL;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++)
		if (!ibc_traffic_is_part(traffic) && subnet->static_traffic != IBC_TRAFFIC_ALL)
			traffic = subnet->static_traffic;
	return traffic;
}

void routes_limit(struct app *app)
{
	enum ibc_traffic traffic = static_traffic(app->fabric);
	struct ibc_coverage c = ibc_fabric_coverage(app->fabric, IBC_ATTR_AR_INFO);

	if (ibc_traffic_is_part(traffic))
		ibc_report_conclude(app->report, "static routes: %s",
		                    ibc_traffic_word(traffic)->name);
	else if (c.timed_out || c.refused)
		ibc_report_conclude(app->report,
		                    "static routes: whether RC and DC use them is not known");
}

/* ---- pairs ------------------------------------------------------------------------- */

#define ROUTES struct ibc_route_sums

GETTER(pairs_mean, ROUTES, s, when(s->routed, s->hops_mean));
GETTER(pairs_longest, ROUTES, s, count_when(s->routed, s->hops_longest));
GETTER(pairs_from, ROUTES, s, ibc_str(s->longest_src ? s->longest_src->node->label : NULL));
GETTER(pairs_to, ROUTES, s, ibc_str(s->longest_dst ? s->longest_dst->node->label : NULL));
GETTER(pairs_sl_source, ROUTES, s, ibc_enum(ibc_sl_source_word(s->sl_source)));
GETTER(pairs_loops, ROUTES, s, count_when(s->routed || s->broken, s->credit_loops));
GETTER(pairs_stale, ROUTES, s, count_when(s->routed || s->broken, s->stale_entries));

static const struct ibc_column pair_columns[] = {
	COLUMN_OF(OF_SUBNET, "subnet", NULL, cell_subnet_source),
	FIELD("hosts", "HOSTS", ROUTES, hosts),
	FIELD("switches", "SWITCHES", ROUTES, switches),
	FIELD("pairs", "PAIRS", ROUTES, pairs),
	FIELD("routed", "ARRIVE", ROUTES, routed),
	FIELD("broken", "DO NOT", ROUTES, broken,
	      .legend = "pairs of hosts whose packets do not arrive"),
	FIELD("unknown", "UNKNOWN", ROUTES, unknown),
	FIELD("longer", "LONGER", ROUTES, longer,
	      .legend = "pairs whose route is longer than the shortest one"),
	COLUMN("hops_mean", "SWITCHES, MEAN", pairs_mean),
	COLUMN("hops_longest", "MOST", pairs_longest),
	COLUMN("longest_from", NULL, pairs_from),
	COLUMN("longest_to", NULL, pairs_to),
	COLUMN("sl_source", NULL, pairs_sl_source),
	FIELD("vls", NULL, ROUTES, vls),
	FIELD("sl2vl_tables", NULL, ROUTES, vl_tables),
	COLUMN("credit_loops", NULL, pairs_loops),
	COLUMN("stale_entries", NULL, pairs_stale),
	COLUMN_OF(OF_SUBNET, "traffic", "TRAFFIC", cell_traffic),
	{ 0 },
};

static const struct ibc_label subnet_label[] = { { "subnet", "subnet" }, { 0 } };
static const struct ibc_metric pair_metrics[] = {
	{ "pairs", "pairs", "pairs of hosts", IBC_METRIC_GAUGE },
	{ "routed", "pairs_routed", "pairs of hosts that reach each other", IBC_METRIC_GAUGE },
	{ "broken", "pairs_broken", "pairs of hosts that do not reach each other",
	  IBC_METRIC_FIGURE },
	{ "unknown", "pairs_unknown", "pairs of hosts that could not be checked",
	  IBC_METRIC_FIGURE },
	{ "hops_longest", "hops_longest", "switches on the longest route", IBC_METRIC_FIGURE },
	{ "credit_loops", "credit_loops", "rings of buffers that host traffic can deadlock",
	  IBC_METRIC_FIGURE },
	{ "stale_entries", "stale_entries", "entries that lead to a port without a device",
	  IBC_METRIC_FIGURE },
	{ 0 },
};
static const struct ibc_metric_group pair_groups[] = {
	{ "infiniband_routes_", "InfiniBand routes:", NULL, NULL, subnet_label, pair_metrics },
	{ 0 },
};

const struct ibc_table_type pairs_type = { "routes", pair_columns, pair_groups, NULL, NULL };

static void add_pairs(struct app *app)
{
	struct ibc_table *t = static_table(app, &pairs_type);
	const struct ibc_route_sums *s;

	for (size_t i = 0; (s = ibc_routes_sums(app->routes, i)); i++)
		ibc_table_row(t, s);
}

/* ---- bandwidth ------------------------------------------------------------------------ */

#define BANDWIDTH struct ibc_bandwidth

GETTER(share_mean, BANDWIDTH, b, when(b->bisections, b->mean));
GETTER(share_error, BANDWIDTH, b, when(b->bisections, b->error));
GETTER(share_worst, BANDWIDTH, b, when(b->bisections, b->worst));
GETTER(shift_mean, BANDWIDTH, b, when(b->shifts, b->shift_mean));
GETTER(shift_worst, BANDWIDTH, b, when(b->shifts, b->shift_worst));
GETTER(shift_worst_by, BANDWIDTH, b, count_when(b->shifts, b->shift_worst_by));
GETTER(share_lowest, BANDWIDTH, b, when(b->lowest_from, b->lowest));

static const struct ibc_column bandwidth_columns[] = {
	COLUMN_OF(OF_SUBNET, "subnet", NULL, cell_subnet_source),
	FIELD("bisections", "BISECTIONS", BANDWIDTH, bisections),
	COLUMN("mean", "MEAN SHARE", share_mean,
	       .legend = "average share of its link rate that a host gets, 0 to 1"),
	COLUMN("error", "ERROR", share_error),
	COLUMN("worst", "WORST", share_worst,
	       .legend = "the least share in one bisection, or shift"),
	FIELD("shifts", "SHIFTS", BANDWIDTH, shifts),
	COLUMN("shift_mean", "MEAN SHARE", shift_mean),
	COLUMN("shift_worst", "WORST", shift_worst),
	COLUMN("shift_worst_by", "BY", shift_worst_by,
	       .legend = "from sender to receiver in the worst shift, in hosts"),
	COLUMN("lowest", "LEAST LEAF PAIR", share_lowest,
	       .legend = "least share of bandwidth between two leaves: FROM, TO"),
	LABEL_AT("lowest_from", "FROM", BANDWIDTH, lowest_from),
	LABEL_AT("lowest_to", "TO", BANDWIDTH, lowest_to),
	COLUMN_OF(OF_SUBNET, "traffic", "TRAFFIC", cell_traffic),
	{ 0 },
};

static const struct ibc_metric bandwidth_metrics[] = {
	{ "mean", "bisection_ratio", "share of link bandwidth that hosts get in random bisections",
	  IBC_METRIC_FIGURE },
	{ "shift_worst", "worst_shift_ratio",
	  "share of link bandwidth that hosts get in the worst simulated shift", IBC_METRIC_GAUGE },
	{ 0 },
};
static const struct ibc_metric_group bandwidth_groups[] = {
	{ "infiniband_routes_", "InfiniBand routes:", NULL, NULL, subnet_label, bandwidth_metrics },
	{ 0 },
};

const struct ibc_table_type bandwidth_type = { "bandwidth", bandwidth_columns, bandwidth_groups,
	                                       NULL, NULL };

static void add_bandwidth(struct app *app)
{
	struct ibc_table *t = static_table(app, &bandwidth_type);
	const struct ibc_bandwidth *b;

	for (size_t i = 0; (b = ibc_routes_bandwidth(app->routes, i)); i++)
		if (b->subnet && (b->bisections || b->shifts))
			ibc_table_row(t, b);
}

/* ---- cables ----------------------------------------------------------------------------- */

static const struct ibc_column hot_columns[] = {
	COLUMN("subnet", NULL, cell_subnet_source),
	PORT_COLUMNS,
	COLUMN("hot", "HOTTEST", cell_port_name),
	PEER_COLUMNS,
	COLUMN("peer", "TO", cell_peer_name),
	FIELD_BY(field_part, "mean", "FLOWS, MEAN", struct ibc_hot_link, mean),
	FIELD("most", "MOST", struct ibc_hot_link, most),
	COLUMN("traffic", "TRAFFIC", cell_traffic),
	{ 0 },
};
const struct ibc_table_type hot_links_type = { "hot_links", hot_columns, NULL, NULL,
	                                       "cables with the highest load" };

static void add_hot(struct app *app)
{
	struct ibc_table *t = static_table(app, &hot_links_type);
	size_t limit = app_shows_all(app) ? SIZE_MAX : HOT_OF_TEXT;
	const struct ibc_subnet *subnet = NULL;
	const struct ibc_hot_link *h;
	size_t n = 0;

	for (size_t i = 0; (h = ibc_routes_hot_link(app->routes, i)); i++) {
		n = h->port->node->subnet == subnet ? n + 1 : 1;
		subnet = h->port->node->subnet;
		if (n <= limit)
			ibc_table_row(t, h);
	}
}

/* For programs: a row a switch, and one more for each trunk of it. */
static const struct ibc_column uplink_columns[] = {
	COLUMN_OF(OF_NODE, "subnet", NULL, cell_subnet_source),
	NODE_COLUMNS(OF_NODE),
	FIELD("rank", NULL, struct ibc_uplinks, rank),
	LABEL_AT("to", NULL, struct ibc_uplinks, to),
	FIELD("ports", NULL, struct ibc_uplinks, num_ports),
	FIELD_BY(field_part, "mean", NULL, struct ibc_uplinks, mean),
	FIELD("least", NULL, struct ibc_uplinks, least),
	FIELD("most", NULL, struct ibc_uplinks, most),
	COLUMN_OF(OF_NODE, "traffic", NULL, cell_traffic),
	{ 0 },
};
const struct ibc_table_type uplinks_type = { "uplinks", uplink_columns, NULL, NULL, NULL };

static void add_uplinks(struct app *app)
{
	struct ibc_table *t = app_table(app, &uplinks_type);
	const struct ibc_uplinks *u;

	for (size_t i = 0; (u = ibc_routes_uplinks(app->routes, i)); i++)
		ibc_table_row(t, u);
}

static const struct ibc_column group_columns[] = {
	COLUMN_OF(OF_SUBNET, "subnet", NULL, cell_subnet_source),
	FIELD("mlid", NULL, struct ibc_multicast_group, mlid),
	FIELD("switches", NULL, struct ibc_multicast_group, switches),
	FIELD("hosts", NULL, struct ibc_multicast_group, hosts),
	FIELD("members", NULL, struct ibc_multicast_group, members),
	FIELD("unknown", NULL, struct ibc_multicast_group, unknown),
	{ 0 },
};
const struct ibc_table_type groups_type = { "multicast_groups", group_columns, NULL, NULL,
	                                    "multicast groups" };

static void add_groups(struct app *app)
{
	struct ibc_table *t = app_table(app, &groups_type);
	const struct ibc_multicast_group *g;

	for (size_t i = 0; (g = ibc_routes_multicast_group(app->routes, i)); i++)
		ibc_table_row(t, g);
}

/* ---- adaptive routing ------------------------------------------------------------------- */

#define SUMS struct ibc_ar_sums

GETTER(sums_arrive, SUMS, s, s->followed ? ibc_u64(s->arrive) : ibc_none());
GETTER(sums_some, SUMS, s, s->followed ? ibc_u64(s->some) : ibc_none());
GETTER(sums_none, SUMS, s, s->followed ? ibc_u64(s->none) : ibc_none());
GETTER(sums_unknown, SUMS, s, s->followed ? ibc_u64(s->unknown) : ibc_none());

static const struct ibc_column sums_columns[] = {
	COLUMN_OF(OF_SUBNET, "subnet", NULL, cell_subnet_source),
	FIELD("switches", "ADAPTIVE SWITCHES", SUMS, switches),
	FIELD("private_lft_switches", NULL, SUMS, private_switches),
	COLUMN("arrive", "PAIRS ARRIVE", sums_arrive),
	COLUMN("some", "AT TIMES", sums_some, .legend = "pairs that arrive by some choices only"),
	COLUMN("none", "DO NOT", sums_none, .legend = "pairs that arrive by no choice"),
	COLUMN("unknown", "UNKNOWN", sums_unknown),
	{ 0 },
};
const struct ibc_table_type adaptive_type = { "adaptive_routes", sums_columns, NULL, NULL,
	                                      "routes of adaptive routing" };

static void add_adaptive(struct app *app)
{
	const struct ibc_ar_sums *s = ibc_routes_ar_sums(app->routes, 0);
	struct ibc_table *t = s ? app_table(app, &adaptive_type) : NULL;

	for (size_t i = 0; (s = ibc_routes_ar_sums(app->routes, i)); i++)
		ibc_table_row(t, s);
}

static void conclude_adaptive(struct app *app)
{
	const struct ibc_ar_sums *s;
	uint64_t pairs = 0, arrive = 0;

	for (size_t i = 0; (s = ibc_routes_ar_sums(app->routes, i)); i++) {
		pairs += s->pairs;
		arrive += s->arrive;
	}
	if (!pairs)
		return;
	ibc_report_conclude(app->report,
	                    "adaptive routing: %" PRIu64 " of %" PRIu64
	                    " pairs arrive by every choice",
	                    arrive, pairs);
}

/* ---- all of it -------------------------------------------------------------------------- */

void routes_tables(struct app *app)
{
	bool text = app_for_people(app);

	if (text && !ibc_routes_sums(app->routes, 0))
		return;
	add_pairs(app);
	if (!text || ibc_routes_hot_link(app->routes, 0)) {
		add_bandwidth(app);
		add_hot(app);
	}
	add_uplinks(app);
	add_groups(app);
	add_adaptive(app);
}

/* ---- the last line ----------------------------------------------------------------------- */

void routes_conclude(struct app *app)
{
	uint64_t pairs = 0, routed = 0, unknown = 0;
	const struct ibc_route_sums *s;
	const struct ibc_bandwidth *b = ibc_routes_bandwidth(app->routes, 0);

	for (size_t i = 0; (s = ibc_routes_sums(app->routes, i)); i++) {
		pairs += s->pairs;
		routed += s->routed;
		unknown += s->unknown;
	}
	ibc_report_sum(app->report, "pairs", pairs);
	ibc_report_sum(app->report, "pairs_routed", routed);
	ibc_report_sum(app->report, "pairs_unknown", unknown);
	if (!pairs)
		return;
	ibc_report_conclude(app->report, "%" PRIu64 " of %" PRIu64 " pairs of hosts arrive", routed,
	                    pairs);
	if (unknown)
		ibc_report_conclude(app->report, "%" PRIu64 " unknown", unknown);
	if (b && b->bisections && !ibc_routes_bandwidth(app->routes, 1))
		ibc_report_conclude(app->report, "effective bisection bandwidth %.1f %% (+- %.1f)",
		                    100 * b->mean, 100 * b->error);
	routes_limit(app);
	conclude_adaptive(app);
}
