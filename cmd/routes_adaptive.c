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
}

/* ---- --path --------------------------------------------------------------------------- */

/* struct choice_row - a choice on the route, with the port it is made at */
struct choice_row {
	const struct ibc_port *port;
	const struct ibc_ar_hop *hop;
	const char *direction;
};

GETTER(choice_hop, struct choice_row, w, ibc_u64(w->hop->hop));
GETTER(choice_share, struct choice_row, w, rounded(w->hop->share, 10000));
GETTER(choice_ends, struct choice_row, w, w->hop->unknown ? ibc_none() : ibc_bool(w->hop->ends));

static const struct ibc_column choice_columns[] = {
	FIELD("direction", "ADAPTIVE", struct choice_row, direction),
	COLUMN("hop", "SWITCH", choice_hop),
	PORT_COLUMNS,
	COLUMN("out", "OUT", cell_port_name),
	PEER_COLUMNS,
	COLUMN("in", "IN", cell_peer_name),
	COLUMN("share", "SHARE", choice_share),
	COLUMN("ends", "LOST", choice_ends),
	{ 0 },
};
const struct ibc_table_type adaptive_path_type = { "adaptive_path", choice_columns, NULL, NULL,
	                                           "ports that adaptive routing can choose" };

static void add_choices(struct ibc_table *t, const struct ibc_ar_hop *hops, size_t n, size_t limit,
                        const char *direction)
{
	for (size_t i = 0; i < n && i < limit; i++)
		ibc_table_row(t, &(struct choice_row){ hops[i].out, &hops[i], direction });
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
			add_choices(t, hops[i], num[i], limit, i ? "back" : "there");
			left += num[i] > limit ? num[i] - limit : 0;
			ibc_check_ar_path(i ? back : there, hops[i], num[i], app->report);
		}
		ibc_table_omit(t, left, NULL);
	}
	free(hops[0]);
	free(hops[1]);
	return rc;
}
