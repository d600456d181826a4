/* SPDX-License-Identifier: BSD-2-Clause */
/* What adaptive routing does, beside what the static tables do. */
#include <inttypes.h>
#include <stdlib.h>

#include <ibcheck/adaptive.h>

#include "columns.h"
#include "routes.h"
#include "show.h"

#define ROWS_OF_TEXT 20 /* one screen */

/* ---- sums --------------------------------------------------------------------------- */

#define SUMS struct ibc_ar_sums

static struct ibc_value part_when(bool there_is, double value)
{
	return there_is ? rounded(value, 10000) : ibc_none();
}

GETTER(sums_arrive, SUMS, s, s->followed ? ibc_u64(s->arrive) : ibc_none());
GETTER(sums_some, SUMS, s, s->followed ? ibc_u64(s->some) : ibc_none());
GETTER(sums_none, SUMS, s, s->followed ? ibc_u64(s->none) : ibc_none());
GETTER(sums_unknown, SUMS, s, s->followed ? ibc_u64(s->unknown) : ibc_none());
GETTER(sums_mean, SUMS, s, part_when(s->bisections.num, s->bisections.mean));
GETTER(sums_error, SUMS, s, part_when(s->bisections.num, s->bisections.error));
GETTER(sums_shift_mean, SUMS, s, part_when(s->shifts.num, s->shifts.mean));
GETTER(sums_shift_worst, SUMS, s, part_when(s->shifts.num, s->shifts.worst));

static const struct ibc_column sums_columns[] = {
	COLUMN_OF(OF_SUBNET, "subnet", NULL, cell_subnet_source),
	FIELD("switches", "ADAPTIVE SWITCHES", SUMS, switches),
	FIELD("private_lft_switches", NULL, SUMS, private_switches),
	COLUMN("arrive", "PAIRS ARRIVE", sums_arrive),
	COLUMN("some", "AT TIMES", sums_some, .legend = "pairs that arrive by some choices only"),
	COLUMN("none", "DO NOT", sums_none, .legend = "pairs that arrive by no choice"),
	COLUMN("unknown", "UNKNOWN", sums_unknown),
	FIELD("bisections", "BISECTIONS", SUMS, bisections.num),
	COLUMN("mean", "MEAN SHARE", sums_mean),
	COLUMN("error", "ERROR", sums_error),
	FIELD("shifts", "SHIFTS", SUMS, shifts.num),
	COLUMN("shift_mean", "MEAN SHARE", sums_shift_mean),
	COLUMN("shift_worst", "WORST", sums_shift_worst),
	{ 0 },
};
const struct ibc_table_type adaptive_type = { "adaptive_routes", sums_columns, NULL, NULL,
	                                      "routes of adaptive routing" };

void adaptive_tables(struct app *app)
{
	const struct ibc_ar_sums *s = ibc_routes_ar_sums(app->routes, 0);
	struct ibc_table *t = s ? app_table(app, &adaptive_type) : NULL;

	for (size_t i = 0; (s = ibc_routes_ar_sums(app->routes, i)); i++)
		ibc_table_row(t, s);
}

void adaptive_conclude(struct app *app)
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
	s = ibc_routes_ar_sums(app->routes, 0);
	if (s->bisections.num && !ibc_routes_ar_sums(app->routes, 1))
		ibc_report_conclude(app->report,
		                    "its effective bisection bandwidth %.1f %% (+- %.1f)",
		                    100 * s->bisections.mean, 100 * s->bisections.error);
}

/* ---- --path --------------------------------------------------------------------------- */

/* struct way_row - a choice on the way, with the port it is made at */
struct way_row {
	const struct ibc_port *port;
	const struct ibc_ar_hop *hop;
	const char *way;
};

GETTER(way_hop, struct way_row, w, ibc_u64(w->hop->hop));
GETTER(way_share, struct way_row, w, rounded(w->hop->share, 10000));
GETTER(way_ends, struct way_row, w, w->hop->unknown ? ibc_none() : ibc_bool(w->hop->ends));

static const struct ibc_column way_columns[] = {
	FIELD("direction", "ADAPTIVE", struct way_row, way),
	COLUMN("hop", "SWITCH", way_hop),
	PORT_COLUMNS,
	COLUMN("out", "OUT", cell_port_name),
	PEER_COLUMNS,
	COLUMN("in", "IN", cell_peer_name),
	COLUMN("share", "SHARE", way_share),
	COLUMN("ends", "LOST", way_ends),
	{ 0 },
};
const struct ibc_table_type adaptive_path_type = { "adaptive_path", way_columns, NULL, NULL,
	                                           "ports that adaptive routing can choose" };

static void add_ways(struct ibc_table *t, const struct ibc_ar_hop *hops, size_t n, size_t limit,
                     const char *way)
{
	for (size_t i = 0; i < n && i < limit; i++)
		ibc_table_row(t, &(struct way_row){ hops[i].out, &hops[i], way });
}

static bool has_adaptive_tables(const struct ibc_subnet *subnet)
{
	return subnet->forwarding && subnet->forwarding->ar;
}

/*
 * Of several tables of a switch only the first is known: nothing can be said, and so it is.
 * Where others are not known, some is missing in what is said.
 */
static bool conclude_private(struct app *app, const struct ibc_subnet *subnet)
{
	const struct ibc_forwarding *lft = subnet->forwarding;
	size_t n = 0, unknown = 0;

	for (size_t i = 0; i < lft->num_switches; i++) {
		n += lft->ar->switches[i].private_tables;
		unknown += lft->ar->switches[i].gap != IBC_AR_NO_GAP;
	}
	if (unknown)
		ibc_report_conclude(
		    app->report,
		    "the adaptive tables of %zu switch%s are not known: packets that leave "
		    "by other ports than their static ones is missing here",
		    unknown, unknown == 1 ? "" : "es");
	if (n)
		ibc_report_conclude(app->report,
		                    "%zu switch%s private LFTs (pLFT): adaptive routes were not "
		                    "followed",
		                    n, n == 1 ? " has" : "es have");
	return n;
}

int adaptive_path(struct app *app, const struct ibc_path *there, const struct ibc_path *back,
                  struct ibc_error *err)
{
	size_t limit = app_shows_all(app) ? SIZE_MAX : ROWS_OF_TEXT, num[2] = { 0 }, left = 0;
	const struct ibc_subnet *subnet = there->src->node->subnet;
	struct ibc_ar_hop *hops[2] = { NULL };
	struct ibc_table *t;
	int rc;

	if (!has_adaptive_tables(subnet) || conclude_private(app, subnet))
		return 0;
	rc = ibc_ar_path(there->src, there->dlid, &hops[0], &num[0], err);
	if (!rc)
		rc = ibc_ar_path(back->src, back->dlid, &hops[1], &num[1], err);
	if (!rc && num[0] + num[1]) {
		t = app_table(app, &adaptive_path_type);
		for (int i = 0; i < 2; i++) {
			add_ways(t, hops[i], num[i], limit, i ? "back" : "there");
			left += num[i] > limit ? num[i] - limit : 0;
			ibc_check_ar_path(i ? back : there, hops[i], num[i], app->report);
		}
		ibc_table_omit(t, left, NULL);
	}
	free(hops[0]);
	free(hops[1]);
	return rc;
}

/* ---- --using -------------------------------------------------------------------------- */

/* struct user_row - hosts that can send by a place, which they leave by @out if it is a port */
struct user_row {
	const struct ibc_port *out, *src, *dst;
	unsigned int dlid;
};

static const struct ibc_column user_columns[] = {
	COLUMN("out", "CAN LEAVE BY", cell_port_name),
	COLUMN_AT("from_guid", NULL, cell_node_guid, struct user_row, src),
	COLUMN_AT("from", "FROM", cell_port_name, struct user_row, src),
	COLUMN_AT("to_guid", NULL, cell_node_guid, struct user_row, dst),
	COLUMN_AT("to", "TO", cell_port_name, struct user_row, dst),
	FIELD("dlid", "LID", struct user_row, dlid),
	{ 0 },
};
const struct ibc_table_type adaptive_using_type = {
	"adaptive_using", user_columns, NULL, NULL,
	"pairs of hosts that adaptive routing can send there"
};

struct users {
	struct ibc_table *table;
	const struct ibc_port *out;
	size_t room, left;
};

static void add_user(void *ctx, const struct ibc_port *src, const struct ibc_port *dst,
                     unsigned int dlid)
{
	struct users *u = ctx;

	if (!u->room) {
		u->left++;
		return;
	}
	u->room--;
	ibc_table_row(u->table, &(struct user_row){ u->out, src, dst, dlid });
}

static int add_users(struct app *app, struct users *u, struct ibc_place place,
                     struct ibc_error *err)
{
	char text[IBC_PLACE_TEXT];
	int64_t n;

	u->out = ibc_node_port(place.node, place.port);
	u->room = app_shows_all(app) ? SIZE_MAX : ROWS_OF_TEXT;
	n = ibc_ar_using(place, add_user, u, err);
	if (n < 0)
		return (int)n;
	ibc_report_conclude(app->report, "%" PRId64 " pair%s can be routed adaptively %s %s", n,
	                    n == 1 ? "" : "s", place.port ? "by" : "through",
	                    ibc_place_text(place, text, sizeof(text)));
	return 0;
}

/* Of a cable both ends that are switches. */
int adaptive_using(struct app *app, struct ibc_place place, struct ibc_error *err)
{
	const struct ibc_port *port = ibc_node_port(place.node, place.port);
	struct users u = { .left = 0 };
	int rc = 0;

	if (!has_adaptive_tables(place.node->subnet) || conclude_private(app, place.node->subnet))
		return 0;
	u.table = app_table(app, &adaptive_using_type);
	if (place.node->type == IBC_NODE_SWITCH)
		rc = add_users(app, &u, place, err);
	if (!rc && place.port && port->peer && port->peer->node->type == IBC_NODE_SWITCH)
		rc = add_users(app, &u, (struct ibc_place){ port->peer->node, port->peer->num },
		               err);
	if (!place.port)
		ibc_table_hide(u.table, "out");
	ibc_table_omit(u.table, u.left, NULL);
	return rc;
}
