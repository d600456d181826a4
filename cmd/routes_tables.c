/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of all routes: ways, bandwidth, what is hot, how uplinks are used. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "routes.h"

#define HOT_OF_TEXT 5 /* the rest is in JSON */

static struct ibc_value part(double value)
{
	return ibc_real((double)(int64_t)(10000 * value + 0.5) / 10000);
}

static struct ibc_value when(bool there_is, double value)
{
	return there_is ? part(value) : ibc_none();
}

static struct ibc_value count_when(bool there_is, uint64_t count)
{
	return there_is ? ibc_u64(count) : ibc_none();
}

static struct ibc_value label_of(const struct ibc_node *node)
{
	return ibc_str(node ? node->label : NULL);
}

/* ---- ways -------------------------------------------------------------------------- */

static const struct ibc_column way_columns[] = {
	{ "plane", NULL },          { "hosts", "HOSTS" },      { "switches", "SWITCHES" },
	{ "pairs", "PAIRS" },       { "routed", "ARRIVE" },    { "broken", "DO NOT" },
	{ "unknown", "UNKNOWN" },   { "longer", "LONGER" },    { "hops_mean", "SWITCHES, MEAN" },
	{ "hops_longest", "MOST" }, { "longest_from", NULL },  { "longest_to", NULL },
	{ "sl_source", NULL },      { "lanes", NULL },         { "lane_tables", NULL },
	{ "credit_loops", NULL },   { "stale_entries", NULL }, { 0 },
};

static const struct ibc_label plane_label[] = { { "plane", "plane" }, { 0 } };
static const struct ibc_metric way_metrics[] = {
	{ "pairs", "pairs", "pairs of hosts", IBC_METRIC_GAUGE },
	{ "routed", "pairs_routed", "pairs of hosts that reach each other", IBC_METRIC_GAUGE },
	{ "broken", "pairs_broken", "pairs of hosts that do not reach each other",
	  IBC_METRIC_FIGURE },
	{ "unknown", "pairs_unknown", "pairs of hosts that could not be judged",
	  IBC_METRIC_FIGURE },
	{ "hops_longest", "hops_longest", "switches on the longest way", IBC_METRIC_FIGURE },
	{ "credit_loops", "credit_loops", "rings of buffers that traffic of hosts makes",
	  IBC_METRIC_FIGURE },
	{ "stale_entries", "stale_entries", "entries that point to where nothing is",
	  IBC_METRIC_FIGURE },
	{ 0 },
};
static const struct ibc_metric_group way_groups[] = {
	{ "infiniband_routes_", "InfiniBand routes:", NULL, NULL, plane_label, way_metrics },
	{ 0 },
};

static void add_ways(struct app *app)
{
	struct ibc_table *t = ibc_report_table(app->report, "routes", way_columns);
	const struct ibc_route_sums *s;

	ibc_table_measure(t, way_groups);
	for (size_t i = 0; (s = ibc_routes_sums(app->routes, i)); i++)
		ibc_table_row(t, (struct ibc_value[]){
				     ibc_str(s->plane->source),
				     ibc_u64(s->hosts),
				     ibc_u64(s->switches),
				     ibc_u64(s->pairs),
				     ibc_u64(s->routed),
				     ibc_u64(s->broken),
				     ibc_u64(s->unknown),
				     ibc_u64(s->longer),
				     when(s->routed, s->hops_mean),
				     count_when(s->routed, s->hops_longest),
				     label_of(s->longest_src ? s->longest_src->node : NULL),
				     label_of(s->longest_dst ? s->longest_dst->node : NULL),
				     ibc_enum(ibc_sl_source_word(s->sl_source)),
				     ibc_u64(s->vls),
				     ibc_u64(s->vl_tables),
				     count_when(s->routed || s->broken, s->credit_loops),
				     count_when(s->routed || s->broken, s->stale_entries),
				 });
}

/* ---- bandwidth ------------------------------------------------------------------------ */

static const struct ibc_column bandwidth_columns[] = {
	{ "plane", NULL },
	{ "bisections", "BISECTIONS" },
	{ "mean", "MEAN SHARE" },
	{ "error", "ERROR" },
	{ "worst", "WORST" },
	{ "shifts", "SHIFTS" },
	{ "shift_mean", "MEAN SHARE" },
	{ "shift_worst", "WORST" },
	{ "shift_worst_by", "BY" },
	{ "lowest", "LEAST LEAF PAIR" },
	{ "lowest_from", "FROM" },
	{ "lowest_to", "TO" },
	{ 0 },
};

static const struct ibc_metric bandwidth_metrics[] = {
	{ "mean", "bisection_ratio", "share of their link that hosts get in random bisections",
	  IBC_METRIC_FIGURE },
	{ "shift_worst", "worst_shift_ratio",
	  "share of their link that hosts get in the worst shift simulated", IBC_METRIC_GAUGE },
	{ 0 },
};
static const struct ibc_metric_group bandwidth_groups[] = {
	{ "infiniband_routes_", "InfiniBand routes:", NULL, NULL, plane_label, bandwidth_metrics },
	{ 0 },
};

static void add_bandwidth(struct app *app)
{
	struct ibc_table *t = ibc_report_table(app->report, "bandwidth", bandwidth_columns);
	const struct ibc_bandwidth *b;

	ibc_table_measure(t, bandwidth_groups);
	for (size_t i = 0; (b = ibc_routes_bandwidth(app->routes, i)); i++) {
		if (!b->plane || !(b->bisections || b->shifts))
			continue;
		ibc_table_row(t, (struct ibc_value[]){
				     ibc_str(b->plane->source),
				     ibc_u64(b->bisections),
				     when(b->bisections, b->mean),
				     when(b->bisections, b->error),
				     when(b->bisections, b->worst),
				     ibc_u64(b->shifts),
				     when(b->shifts, b->shift_mean),
				     when(b->shifts, b->shift_worst),
				     count_when(b->shifts, b->shift_worst_by),
				     when(b->lowest_from, b->lowest),
				     label_of(b->lowest_from),
				     label_of(b->lowest_to),
				 });
	}
}

/* ---- cables ----------------------------------------------------------------------------- */

static const struct ibc_column hot_columns[] = {
	{ "plane", NULL },         { "node_guid", NULL }, { "node_desc", NULL },
	{ "port", NULL },          { "hot", "HOTTEST" },  { "peer_guid", NULL },
	{ "peer_desc", NULL },     { "peer_port", NULL }, { "peer", "TO" },
	{ "mean", "FLOWS, MEAN" }, { "most", "MOST" },    { 0 },
};

static void add_hot(struct app *app, bool text)
{
	struct ibc_table *t = ibc_report_table(app->report, "hot_links", hot_columns);
	size_t limit = text && !app->common.verbose ? HOT_OF_TEXT : SIZE_MAX;
	const struct ibc_plane *plane = NULL;
	const struct ibc_hot_link *h;
	char near[256], far[256];
	size_t n = 0;

	for (size_t i = 0; (h = ibc_routes_hot_link(app->routes, i)); i++) {
		const struct ibc_port *p = h->port, *q = p->peer;

		n = p->node->plane == plane ? n + 1 : 1;
		plane = p->node->plane;
		if (n > limit)
			continue;
		snprintf(near, sizeof(near), "%s/%u", p->node->label, p->num);
		if (q)
			snprintf(far, sizeof(far), "%s/%u", q->node->label, q->num);
		ibc_table_row(t, (struct ibc_value[]){
				     ibc_str(p->node->plane->source),
				     ibc_guid(p->node->guid),
				     ibc_str(p->node->desc),
				     ibc_u64(p->num),
				     ibc_str(near),
				     q ? ibc_guid(q->node->guid) : ibc_none(),
				     ibc_str(q ? q->node->desc : NULL),
				     q ? ibc_u64(q->num) : ibc_none(),
				     ibc_str(q ? far : NULL),
				     part(h->mean),
				     ibc_u64(h->most),
				 });
	}
}

/* For programs: a row a switch, and one more for each trunk of it. */
static const struct ibc_column uplink_columns[] = {
	{ "plane", NULL },     { "node_guid", NULL },
	{ "node_desc", NULL }, { "rank", NULL },
	{ "to", NULL },        { "ports", NULL },
	{ "mean", NULL },      { "least", NULL },
	{ "most", NULL },      { 0 },
};

static void add_uplinks(struct app *app)
{
	struct ibc_table *t = ibc_report_table(app->report, "uplinks", uplink_columns);
	const struct ibc_uplinks *u;

	for (size_t i = 0; (u = ibc_routes_uplinks(app->routes, i)); i++)
		ibc_table_row(t, (struct ibc_value[]){
				     ibc_str(u->node->plane->source),
				     ibc_guid(u->node->guid),
				     ibc_str(u->node->desc),
				     ibc_u64(u->rank),
				     label_of(u->to),
				     ibc_u64(u->num_ports),
				     part(u->mean),
				     ibc_u64(u->least),
				     ibc_u64(u->most),
				 });
}

static const struct ibc_column group_columns[] = {
	{ "plane", NULL },
	{ "mlid", NULL },
	{ "switches", NULL },
	{ "hosts", NULL },
	{ "members", NULL },
	{ "unknown", NULL },
	{ 0 },
};

static void add_groups(struct app *app)
{
	struct ibc_table *t = ibc_report_table(app->report, "multicast_groups", group_columns);
	const struct ibc_multicast_group *g;

	for (size_t i = 0; (g = ibc_routes_multicast_group(app->routes, i)); i++)
		ibc_table_row(t, (struct ibc_value[]){
				     ibc_str(g->plane->source),
				     ibc_u64(g->mlid),
				     ibc_u64(g->switches),
				     ibc_u64(g->hosts),
				     ibc_u64(g->members),
				     ibc_u64(g->unknown),
				 });
}

void routes_tables(struct app *app)
{
	bool text = !strcmp(app->common.format, FORMAT_TEXT);

	if (text && !ibc_routes_sums(app->routes, 0))
		return;
	add_ways(app);
	if (!text || ibc_routes_hot_link(app->routes, 0)) {
		add_bandwidth(app);
		add_hot(app, text);
	}
	add_uplinks(app);
	add_groups(app);
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
}
