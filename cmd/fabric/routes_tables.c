/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of all routes: pairs, bandwidth, what is hot, how uplinks are used. */
#include <inttypes.h>
#include <string.h>

#include <ibcheck/adaptive.h>

#include "columns.h"
#include "routes.h"

#define HOT_OF_TEXT 5 /* the rest is in JSON */

/* A double in the row, to four digits behind the point. */
static struct ibc_value field_part(struct ibc_cell *cell)
{
	struct ibc_value value = field_value(cell);

	return value.kind == IBC_REAL ? rounded(value.real, 10000) : value;
}

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

GETTER(pairs_sl_source, ROUTES, s, ibc_enum(ibc_sl_source_word(s->sl_source)));
GETTER(pairs_loops, ROUTES, s, s->routed || s->broken ? ibc_u64(s->credit_loops) : ibc_none());
GETTER(pairs_stale, ROUTES, s, s->routed || s->broken ? ibc_u64(s->stale_entries) : ibc_none());

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
	FIELD_IF_BY(field_part, routed, "hops_mean", "SWITCHES, MEAN", ROUTES, hops_mean),
	FIELD_IF(routed, "hops_longest", "MOST", ROUTES, hops_longest),
	LABEL_AT(OF_PORT, "longest_from", NULL, ROUTES, longest_src),
	LABEL_AT(OF_PORT, "longest_to", NULL, ROUTES, longest_dst),
	COLUMN("sl_source", NULL, pairs_sl_source),
	FIELD("vls", NULL, ROUTES, vls),
	FIELD("sl2vl_tables", NULL, ROUTES, vl_tables),
	COLUMN("credit_loops", NULL, pairs_loops),
	COLUMN("stale_entries", NULL, pairs_stale),
	COLUMN_OF(OF_SUBNET, "traffic", "TRAFFIC", cell_traffic),
	{ 0 },
};

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

const struct ibc_table_type pairs_type = TABLE("routes", pair_columns, NULL, .groups = pair_groups);

/* ---- bandwidth ------------------------------------------------------------------------ */

#define BANDWIDTH struct ibc_bandwidth

#define SHARE(...) FIELD_IF_BY(field_part, __VA_ARGS__)

static const struct ibc_column bandwidth_columns[] = {
	COLUMN_OF(OF_SUBNET, "subnet", NULL, cell_subnet_source),
	FIELD("bisections", "BISECTIONS", BANDWIDTH, bisections),
	SHARE(bisections, "mean", "MEAN SHARE", BANDWIDTH, mean,
	      .legend = "average share of its link rate that a host gets, 0 to 1"),
	SHARE(bisections, "error", "ERROR", BANDWIDTH, error),
	SHARE(bisections, "worst", "WORST", BANDWIDTH, worst,
	      .legend = "the least share in one bisection, or shift"),
	FIELD("shifts", "SHIFTS", BANDWIDTH, shifts),
	SHARE(shifts, "shift_mean", "MEAN SHARE", BANDWIDTH, shift_mean),
	SHARE(shifts, "shift_worst", "WORST", BANDWIDTH, shift_worst),
	FIELD_IF(shifts, "shift_worst_by", "BY", BANDWIDTH, shift_worst_by,
	         .legend = "from sender to receiver in the worst shift, in hosts"),
	SHARE(lowest_from, "lowest", "LEAST LEAF PAIR", BANDWIDTH, lowest,
	      .legend = "least share of bandwidth between two leaves: FROM, TO"),
	LABEL_AT(OF_NODE, "lowest_from", "FROM", BANDWIDTH, lowest_from),
	LABEL_AT(OF_NODE, "lowest_to", "TO", BANDWIDTH, lowest_to),
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

const struct ibc_table_type bandwidth_type = TABLE("bandwidth", bandwidth_columns, NULL,
                                                   .groups = bandwidth_groups);

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
const struct ibc_table_type hot_links_type = TABLE("hot_links", hot_columns,
                                                   "cables with the highest load");

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
	LABEL_AT(OF_NODE, "to", NULL, struct ibc_uplinks, to),
	FIELD("ports", NULL, struct ibc_uplinks, num_ports),
	FIELD_BY(field_part, "mean", NULL, struct ibc_uplinks, mean),
	FIELD("least", NULL, struct ibc_uplinks, least),
	FIELD("most", NULL, struct ibc_uplinks, most),
	COLUMN_OF(OF_NODE, "traffic", NULL, cell_traffic),
	{ 0 },
};
const struct ibc_table_type uplinks_type = TABLE("uplinks", uplink_columns, NULL);

static const struct ibc_column group_columns[] = {
	COLUMN_OF(OF_SUBNET, "subnet", NULL, cell_subnet_source),
	FIELD("mlid", NULL, struct ibc_multicast_group, mlid),
	FIELD("switches", NULL, struct ibc_multicast_group, switches),
	FIELD("hosts", NULL, struct ibc_multicast_group, hosts),
	FIELD("members", NULL, struct ibc_multicast_group, members),
	FIELD("unknown", NULL, struct ibc_multicast_group, unknown),
	{ 0 },
};
const struct ibc_table_type groups_type = TABLE("multicast_groups", group_columns,
                                                "multicast groups");

/* ---- adaptive routing ------------------------------------------------------------------- */

#define SUMS struct ibc_ar_sums

static const struct ibc_column sums_columns[] = {
	COLUMN_OF(OF_SUBNET, "subnet", NULL, cell_subnet_source),
	FIELD("switches", "ADAPTIVE SWITCHES", SUMS, switches),
	FIELD("private_lft_switches", NULL, SUMS, private_switches),
	FIELD_IF(followed, "arrive", "PAIRS ARRIVE", SUMS, arrive),
	FIELD_IF(followed, "some", "AT TIMES", SUMS, some,
	         .legend = "pairs that arrive by some choices only"),
	FIELD_IF(followed, "none", "DO NOT", SUMS, none,
	         .legend = "pairs that arrive by no choice"),
	FIELD_IF(followed, "unknown", "UNKNOWN", SUMS, unknown),
	{ 0 },
};
const struct ibc_table_type adaptive_type = TABLE("adaptive_routes", sums_columns,
                                                  "routes of adaptive routing");

/* ---- all of it -------------------------------------------------------------------------- */

void routes_tables(struct app *app)
{
	const struct ibc_multicast_group *group;
	const struct ibc_route_sums *sums;
	const struct ibc_bandwidth *b;
	const struct ibc_uplinks *u;
	const struct ibc_ar_sums *ar;
	struct ibc_table *t;
	bool text = app_for_people(app);

	if (text && !ibc_routes_sums(app->routes, 0))
		return;
	t = static_table(app, &pairs_type);
	for (size_t i = 0; (sums = ibc_routes_sums(app->routes, i)); i++)
		ibc_table_row(t, sums);
	if (!text || ibc_routes_hot_link(app->routes, 0)) {
		t = static_table(app, &bandwidth_type);
		for (size_t i = 0; (b = ibc_routes_bandwidth(app->routes, i)); i++)
			if (b->subnet && (b->bisections || b->shifts))
				ibc_table_row(t, b);
		add_hot(app);
	}
	t = app_table(app, &uplinks_type);
	for (size_t i = 0; (u = ibc_routes_uplinks(app->routes, i)); i++)
		ibc_table_row(t, u);
	t = app_table(app, &groups_type);
	for (size_t i = 0; (group = ibc_routes_multicast_group(app->routes, i)); i++)
		ibc_table_row(t, group);
	for (size_t i = 0; (ar = ibc_routes_ar_sums(app->routes, i)); i++)
		ibc_table_row(app_table(app, &adaptive_type), ar);
}

/* ---- the last line ----------------------------------------------------------------------- */

void routes_conclude(struct app *app)
{
	uint64_t pairs = 0, routed = 0, unknown = 0, ar_pairs = 0, arrive = 0;
	const struct ibc_ar_sums *ar;
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
	for (size_t i = 0; (ar = ibc_routes_ar_sums(app->routes, i)); i++) {
		ar_pairs += ar->pairs;
		arrive += ar->arrive;
	}
	if (ar_pairs)
		ibc_report_conclude(app->report,
		                    "adaptive routing: %" PRIu64 " of %" PRIu64
		                    " pairs arrive by every choice",
		                    arrive, ar_pairs);
}
