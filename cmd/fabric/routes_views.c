/* SPDX-License-Identifier: BSD-2-Clause */
/* One path both ways, the pairs that use a switch or a cable, one multicast tree. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ibcheck/adaptive.h>
#include <ibcheck/names.h>

#include "columns.h"
#include "routes.h"
#include "show.h"

#define PAIRS_OF_TEXT 20 /* one screen */

/* As rates are spelled: 54.5 for 4x FDR; 0: not known. */
static double spelled_gbps(const struct ibc_port *p)
{
	double gbps = ibc_port_is_up(p) ? ibc_link_gbps(p->width_active, p->speed_active) : 0;

	return (double)(uint64_t)(10 * gbps + 0.5) / 10;
}

/* ---- --path --------------------------------------------------------------------------------- */

/* struct hop_row - hop @i of @path, and whether it is the slowest of both routes */
struct hop_row {
	const struct ibc_port *port;
	const struct ibc_path *path;
	size_t i, number;
	const char *direction;
	bool narrowest;
};

static struct ibc_value hop_errors(struct ibc_cell *cell)
{
	const struct ibc_counters *c = ((const struct hop_row *)cell->row)->port->counters;
	uint64_t sum = 0;

	if (!c)
		return ibc_none();
	for (int i = IBC_SYMBOL_ERROR; i <= IBC_EXCESSIVE_BUFFER_OVERRUN; i++)
		if (c->known & 1u << i)
			sum += c->value[i];
	return ibc_u64(sum);
}

static struct ibc_value hop_wait(struct ibc_cell *cell)
{
	const struct ibc_counters *c = ((const struct hop_row *)cell->row)->port->counters;

	return c && c->known & 1u << IBC_XMIT_WAIT ? ibc_u64(c->value[IBC_XMIT_WAIT]) : ibc_none();
}

/* What the arbitration table of the port gives the lane, in the high-priority part or the other. */
static struct ibc_value weight_of(const struct hop_row *h, bool high)
{
	const struct ibc_arbitration *a = h->port->extra->arbitration;
	unsigned int vl = h->path->vl[h->i], end, sum = 0;

	if (!a || vl == IBC_VL_UNKNOWN)
		return ibc_none();
	end = high ? a->num_high : a->num_high + a->num_low;
	for (unsigned int i = high ? 0 : a->num_high; i < end; i++)
		if (a->slots[i].vl == vl)
			sum += a->slots[i].weight;
	return ibc_u64(sum);
}

GETTER(hop_sl, struct hop_row, h, h->path->sl_known ? ibc_u64(h->path->sl) : ibc_none());
GETTER(hop_high, struct hop_row, h, weight_of(h, true));
GETTER(hop_low, struct hop_row, h, weight_of(h, false));
GETTER(hop_width, struct hop_row, h,
       ibc_port_is_up(h->port) ? ibc_enum(ibc_width_word(h->port->width_active)) : ibc_none());
GETTER(hop_speed, struct hop_row, h,
       ibc_port_is_up(h->port) ? ibc_enum(ibc_speed_word(h->port->speed_active)) : ibc_none());
GETTER(hop_vl, struct hop_row, h,
       h->path->vl[h->i] != IBC_VL_UNKNOWN ? ibc_u64(h->path->vl[h->i]) : ibc_none());

static const struct ibc_column hop_columns[] = {
	FIELD("direction", "DIRECTION", struct hop_row, direction),
	FIELD("hop", "HOP", struct hop_row, number),
	PORT_COLUMNS,
	COLUMN("out", "OUT", cell_port_name),
	PEER_COLUMNS,
	COLUMN("in", "IN", cell_peer_name),
	COLUMN("state", "STATE", cell_state),
	COLUMN("width", "WIDTH", hop_width),
	COLUMN("speed", "SPEED", hop_speed),
	COLUMN("rate_gbps", "Gb/s", cell_rate_gbps),
	COLUMN("mtu_bytes", "MTU", cell_mtu_bytes),
	COLUMN("sl", "SL", hop_sl),
	COLUMN("vl", "VL", hop_vl),
	COLUMN("vl_weight_high", NULL, hop_high),
	COLUMN("vl_weight_low", NULL, hop_low),
	COLUMN("errors", "ERRORS", hop_errors),
	COLUMN("xmit_wait", "WAIT", hop_wait),
	FIELD("narrowest", NULL, struct hop_row, narrowest),
	COLUMN("traffic", NULL, cell_traffic),
	{ 0 },
};
const struct ibc_table_type path_type = TABLE("path", hop_columns, NULL);

static void add_hops(struct ibc_table *t, const struct ibc_path *path, const char *direction,
                     double least)
{
	struct hop_row row = { .path = path, .direction = direction };

	for (row.i = 0; row.i < path->num; row.i++) {
		row.port = path->out[row.i];
		row.number = row.i + 1;
		row.narrowest = spelled_gbps(row.port) > 0 && spelled_gbps(row.port) <= least;
		ibc_table_row(t, &row);
	}
}

/*
 * Of both routes: the first port with the lowest rate of those that have one; NULL: no other has
 * more.
 */
static const struct ibc_port *narrowest_of(const struct ibc_path *const paths[2])
{
	const struct ibc_port *narrowest = NULL;
	double least = 0, most = 0;

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < paths[k]->num; i++) {
			double rate = spelled_gbps(paths[k]->out[i]);

			if (rate > 0 && (least <= 0 || rate < least)) {
				least = rate;
				narrowest = paths[k]->out[i];
			}
			most = rate > most ? rate : most;
		}
	return least < most ? narrowest : NULL;
}

static int find_path(const struct app *app, const struct ibc_port *from, const struct ibc_port *to,
                     struct ibc_path *out, struct ibc_error *err)
{
	const struct routes_cfg *c = app->cfg;
	int rc;

	if (!to->lid || !ibc_port_is_here(to))
		return cmd_fail(err, -EINVAL,
		                "%s/%u has no LID in this subnet, so no packet can be sent to it",
		                to->node->label, to->num);
	if (from->node->subnet != to->node->subnet)
		return cmd_fail(err, -EINVAL, "%s and %s are in different subnets",
		                from->node->label, to->node->label);
	rc = ibc_path_find(from, to->lid, out, err);
	if (rc || c->sl == NO_SL)
		return rc;
	/* the lanes of another service level than that of the path */
	out->sl = c->sl;
	out->sl_known = true;
	for (size_t i = 0; i < out->num; i++)
		out->vl[i] = (uint8_t)ibc_switch_vl(
		    out->out[i]->node, i ? out->out[i - 1]->peer->num : 0, out->out[i]->num, c->sl);
	return 0;
}

/* struct choice_row - a choice on the route, which begins with the port it is made at */
struct choice_row {
	struct ibc_ar_hop hop;
	const char *direction;
};

GETTER(choice_share, struct choice_row, w, rounded(w->hop.share, 10000));
GETTER(choice_ends, struct choice_row, w, w->hop.unknown ? ibc_none() : ibc_bool(w->hop.ends));

static const struct ibc_column choice_columns[] = {
	FIELD("direction", "ADAPTIVE", struct choice_row, direction),
	FIELD("hop", "SWITCH", struct choice_row, hop.hop),
	PORT_COLUMNS,
	COLUMN("out", "OUT", cell_port_name),
	PEER_COLUMNS,
	COLUMN("in", "IN", cell_peer_name),
	COLUMN("share", "SHARE", choice_share),
	COLUMN("ends", "LOST", choice_ends),
	{ 0 },
};
const struct ibc_table_type adaptive_path_type = TABLE("adaptive_path", choice_columns,
                                                       "ports that adaptive routing can choose");

/* Of several tables of a switch only the first is known: its choices are not followed then. */
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

static int adaptive_path(struct app *app, const struct ibc_path *there, const struct ibc_path *back,
                         struct ibc_error *err)
{
	size_t limit = app_shows_all(app) ? SIZE_MAX : PAIRS_OF_TEXT, num[2] = { 0 }, left = 0;
	const struct ibc_subnet *subnet = there->src->node->subnet;
	struct ibc_ar_hop *hops[2] = { NULL };
	struct ibc_table *t;
	int rc;

	if (!subnet->forwarding || !subnet->forwarding->ar || conclude_private(app, subnet))
		return 0;
	rc = ibc_ar_path(there->src, there->dlid, &hops[0], &num[0], err);
	if (!rc)
		rc = ibc_ar_path(back->src, back->dlid, &hops[1], &num[1], err);
	if (!rc && num[0] + num[1]) {
		t = app_table(app, &adaptive_path_type);
		for (int i = 0; i < 2; i++) {
			for (size_t k = 0; k < num[i] && k < limit; k++)
				ibc_table_row(
				    t, &(struct choice_row){ hops[i][k], i ? "back" : "there" });
			left += num[i] > limit ? num[i] - limit : 0;
			ibc_check_ar_path(i ? back : there, hops[i], num[i], app->report);
		}
		ibc_table_omit(t, left, NULL);
	}
	free(hops[0]);
	free(hops[1]);
	return rc;
}

int path_view(struct app *app, struct ibc_error *err)
{
	struct ibc_table *t = app_table(app, &path_type);
	const struct ibc_port *a, *b;
	struct ibc_path there, back;
	const struct ibc_path *const both[2] = { &there, &back };
	const struct ibc_port *narrowest;
	char text[IBC_PLACE_TEXT];
	bool mirrored;
	double least;
	int rc = place_find(app->fabric, app->args[0], &a, err);

	if (!rc)
		rc = place_find(app->fabric, app->args[1], &b, err);
	if (!rc && a == b)
		rc = cmd_fail(err, -EINVAL, "--path needs two ends: %s and %s are both %s/%u",
		              app->args[0], app->args[1], a->node->label, a->num);
	if (!rc)
		rc = find_path(app, a, b, &there, err);
	if (!rc)
		rc = find_path(app, b, a, &back, err);
	if (rc)
		return rc;
	narrowest = narrowest_of(both);
	least = narrowest ? spelled_gbps(narrowest) : 0;
	add_hops(t, &there, "there", least);
	add_hops(t, &back, "back", least);
	rc = adaptive_path(app, &there, &back, err);
	if (rc)
		return rc;
	ibc_check_path(&there, app->report);
	ibc_check_path(&back, app->report);
	if (there.end != IBC_ROUTE_ARRIVES || back.end != IBC_ROUTE_ARRIVES)
		return 0;
	mirrored = there.num == back.num;
	for (size_t i = 0; mirrored && i < there.num; i++)
		mirrored = there.out[i]->peer == back.out[back.num - 1 - i];
	ibc_report_conclude(app->report, "%s",
	                    mirrored ? "the return path is the same"
	                             : "the return path differs, which is normal");
	if (narrowest)
		ibc_report_conclude(
		    app->report, "narrowest at %s, %g Gb/s",
		    ibc_place_text((struct ibc_place){ narrowest->node, narrowest->num }, text,
		                   sizeof(text)),
		    least);
	return 0;
}

/* ---- --using ---------------------------------------------------------------------- */

/* struct pair_row - hosts that send through a cable, which they leave by @out */
struct pair_row {
	const struct ibc_port *out, *src, *dst;
	unsigned int dlid;
};

static const struct ibc_column pair_columns[] = {
	COLUMN("out", "LEAVE BY", cell_port_name),
	COLUMN_AT("from_guid", NULL, cell_node_guid, struct pair_row, src),
	COLUMN_AT("from", "FROM", cell_port_name, struct pair_row, src),
	COLUMN_AT("to_guid", NULL, cell_node_guid, struct pair_row, dst),
	COLUMN_AT("to", "TO", cell_port_name, struct pair_row, dst),
	FIELD("dlid", "LID", struct pair_row, dlid),
	COLUMN_AT("traffic", NULL, cell_traffic, struct pair_row, src),
	{ 0 },
};
const struct ibc_table_type using_type = TABLE("using", pair_columns, NULL);

/* What ibc_path_using() finds, put into a table. */
struct port_users {
	struct ibc_table *table;
	const struct ibc_port *out;
	size_t room, left;
};

static void add_pair(void *ctx, const struct ibc_port *src, const struct ibc_port *dst,
                     unsigned int dlid)
{
	struct port_users *u = ctx;

	if (!u->room) {
		u->left++;
		return;
	}
	u->room--;
	ibc_table_row(u->table, &(struct pair_row){ u->out, src, dst, dlid });
}

/* The pairs whose packets a place passes on; by which port they leave it does not matter. */
static int add_pairs_of(struct app *app, const struct ibc_dependents *d, struct ibc_error *err)
{
	struct port_users u = {
		.table = app_table(app, &using_type),
		.room = app_shows_all(app) ? SIZE_MAX : PAIRS_OF_TEXT,
	};

	if (!d->has_routes)
		return cmd_fail(err, -ENODATA, "%s: no linear forwarding tables (LFTs) are known",
		                d->places->node->subnet->source);
	ibc_dependents_each(d, add_pair, &u);
	ibc_table_hide(u.table, "out");
	ibc_table_omit(u.table, u.left, NULL);
	return 0;
}

static int using_port(struct app *app, const struct ibc_port *port, struct ibc_error *err)
{
	const struct ibc_port *sides[2] = { port, port->peer };
	struct port_users u = { .table = app_table(app, &using_type) };

	for (size_t i = 0; i < 2 && sides[i]; i++) {
		char text[IBC_PLACE_TEXT];
		int64_t n;

		u.out = sides[i];
		u.room = app_shows_all(app) ? SIZE_MAX : PAIRS_OF_TEXT;
		n = ibc_path_using(sides[i], add_pair, &u, err);
		if (n < 0)
			return (int)n;
		ibc_report_conclude(app->report, "%" PRId64 " pair%s leave%s by %s", n,
		                    n == 1 ? "" : "s", n == 1 ? "s" : "",
		                    ibc_place_text((struct ibc_place){ u.out->node, u.out->num },
		                                   text, sizeof(text)));
	}
	ibc_table_omit(u.table, u.left, NULL);
	return 0;
}

int using_view(struct app *app, const char *typed, struct ibc_error *err)
{
	struct ibc_dependents *d = NULL;
	const struct ibc_port *port;
	int rc = place_find(app->fabric, typed, &port, err);

	if (rc || port->num)
		return rc ? rc : using_port(app, port, err);
	rc = ibc_dependents_find(app->fabric, NULL, &(struct ibc_place){ port->node, 0 }, 1, &d,
	                         err);
	if (!rc)
		rc = add_pairs_of(app, d, err);
	if (!rc)
		ibc_report_conclude(app->report, "%" PRIu64 " pair%s through %s", d->pairs,
		                    d->pairs == 1 ? " is routed" : "s are routed",
		                    port->node->label);
	ibc_dependents_free(d);
	return rc;
}

/* ---- --multicast ------------------------------------------------------------------ */

/* struct branch - a port that a switch sends a group by; @back: see sends_back() */
struct branch {
	const struct ibc_port *port;
	struct ibc_value back;
};

GETTER(branch_back, struct branch, b, b->back);

static const struct ibc_column tree_columns[] = {
	COLUMN("subnet", NULL, cell_subnet_source),
	PORT_COLUMNS,
	COLUMN("out", "SENDS BY", cell_port_name),
	PEER_COLUMNS,
	COLUMN("to", "TO", cell_peer_name),
	COLUMN("back", "BACK", branch_back),
	{ 0 },
};
const struct ibc_table_type tree_type = TABLE("tree", tree_columns, NULL);

static const uint64_t *ports_of(const struct ibc_multicast *m, unsigned int mlid, size_t column)
{
	return m->ports + ((mlid - IBC_MLID_FIRST) * m->num_switches + column) * 4;
}

static bool sends(const uint64_t *set, unsigned int port)
{
	return set[port / 64] >> port % 64 & 1;
}

/* Does the switch at the far end send this way too?  A host does not. */
static struct ibc_value sends_back(const struct ibc_multicast *m, unsigned int mlid,
                                   const struct ibc_port *far)
{
	for (size_t i = 0; far && i < m->num_switches; i++) {
		if (m->switches[i] != far->node)
			continue;
		if (sends(ports_of(m, mlid, i), far->num))
			return ibc_bool(true);
		return ibc_node_unanswered(far->node, IBC_ATTR_MFT) ? ibc_none() : ibc_bool(false);
	}
	return ibc_none();
}

static size_t add_branches(struct ibc_table *t, const struct ibc_multicast *m, unsigned int mlid,
                           size_t column)
{
	const struct ibc_node *node = m->switches[column];
	const uint64_t *set = ports_of(m, mlid, column);
	size_t n = 0;

	for (unsigned int i = 0; i <= node->num_ports; i++)
		if (sends(set, i)) {
			const struct ibc_port *p = ibc_node_port(node, i);

			ibc_table_row(t, &(struct branch){ p, sends_back(m, mlid, p->peer) });
			n++;
		}
	return n;
}

int tree_view(struct app *app, const char *typed, struct ibc_error *err)
{
	struct ibc_table *t = app_table(app, &tree_type);
	const struct ibc_subnet *subnet;
	const struct ibc_node *node;
	size_t n = 0;
	char *end;
	unsigned long mlid = strtoul(typed, &end, 0);
	bool known = false, lacks_trees = false;

	if (*end || mlid < IBC_MLID_FIRST || mlid > 0xffff)
		return cmd_fail(err, -EINVAL, "--multicast %s: an MLID is 0xc000 to 0xffff", typed);
	for (size_t i = 0; (subnet = ibc_fabric_subnet(app->fabric, i)); i++) {
		const struct ibc_multicast *m = subnet->multicast;

		known |= m != NULL;
		lacks_trees |= subnet->cut_short;
		for (size_t k = 0; m && mlid - IBC_MLID_FIRST < m->num_mlids && k < m->num_switches;
		     k++)
			n += add_branches(t, m, (unsigned int)mlid, k);
	}
	for (size_t i = 0; !lacks_trees && (node = ibc_fabric_node(app->fabric, i)); i++)
		lacks_trees = ibc_node_unanswered(node, IBC_ATTR_MFT);
	if (!n && lacks_trees)
		return cmd_fail(err, -EINVAL,
		                "no switch that reported its multicast forwarding table (MFT) "
		                "sends MLID 0x%lx, but not all switches reported it",
		                mlid);
	if (!known)
		return cmd_fail(err, -EINVAL,
		                "this source does not contain multicast forwarding tables (MFTs)");
	if (!n)
		return cmd_fail(err, -EINVAL, "no switch sends MLID 0x%lx: there is no such group",
		                mlid);
	ibc_report_conclude(app->report, "%zu port%s MLID 0x%lx", n, n == 1 ? " sends" : "s send",
	                    mlid);
	return 0;
}
