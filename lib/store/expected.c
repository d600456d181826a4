/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the memory expects: all that the last sweep has but what is young, and what is missing since
 * an earlier one.  Only these exceptions are rows, so that a run in which nothing is missing reads
 * and writes none.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/gone/gone.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "fabric/fabric.h"
#include "report/report.h"
#include "store/store.h"

/* ---- what few runs have seen --------------------------------------------------------- */

/* struct young - a device, with the numbers of no port, or a cable, the lower end first */
struct young {
	uint64_t guid, far_guid;
	unsigned int num, far_num;
	int64_t runs;
};

static int by_identity(const void *va, const void *vz)
{
	const struct young *a = va, *z = vz;

	return order_u64(a->guid, z->guid) ?: order_u64(a->far_guid, z->far_guid)
	           ?: order_u64(a->num, z->num) ?: order_u64(a->far_num, z->far_num);
}

static struct young young_node(const struct ibc_node *node)
{
	return (struct young){ .guid = node->guid };
}

static struct young young_cable(const struct ibc_port *near)
{
	return (struct young){ near->node->guid, near->peer->node->guid, near->num, near->peer->num,
		               0 };
}

/* NULL: many runs have seen it, or none. */
static const struct young *find_young(const struct ibc_store *store, struct young wanted)
{
	return store->num_young
	           ? bsearch(&wanted, store->young, store->num_young, sizeof(wanted), by_identity)
	           : NULL;
}

static void load_young(struct ibc_store *store)
{
	sqlite3_stmt *row = sql_query(&store->sql,
	                              "SELECT guid, far_guid, num, far_num, runs FROM young", "");
	size_t room = 0;

	store->num_young = 0;
	while (sql_row(&store->sql, row)) {
		arena_grow(store->arena, &store->young, store->num_young, &room,
		           sizeof(*store->young));
		store->young[store->num_young++] = (struct young){
			(uint64_t)sqlite3_column_int64(row, 0),
			(uint64_t)sqlite3_column_int64(row, 1),
			(unsigned int)sql_between(&store->sql, row, 2, 0, UINT8_MAX),
			(unsigned int)sql_between(&store->sql, row, 3, 0, UINT8_MAX),
			sql_between(&store->sql, row, 4, 1, RUNS_TO_EXPECT),
		};
	}
	if (store->num_young)
		qsort(store->young, store->num_young, sizeof(*store->young), by_identity);
}

/* ---- what is missing ----------------------------------------------------------------- */

static void load_missing(struct ibc_store *store, struct ibc_gone *g)
{
	struct sql *sql = &store->sql;
	sqlite3_stmt *row = sql_query(
	    sql, "SELECT guid, type, name, host, seen, missed, earlier FROM absent_node", "");

	while (sql_row(sql, row))
		gone_add_node(
		    g, (struct gone_node){ .guid = (uint64_t)sqlite3_column_int64(row, 0),
		                           .type = (enum ibc_node_type)sql_between(
					       sql, row, 1, IBC_NODE_UNKNOWN, IBC_NODE_ROUTER),
		                           .name = sql_text(sql, g->arena, row, 2) ?: "",
		                           .host = sql_text(sql, g->arena, row, 3),
		                           .seen = sql_between(sql, row, 4, 0, TIME_LAST),
		                           .missed = sql_between(sql, row, 5, 0, TIME_LAST),
		                           .earlier = sqlite3_column_int(row, 6),
		                           .kept = true });
	row = sql_query(sql,
	                "SELECT guid, num, name, far_guid, far_num, far_name, seen, missed,"
	                " earlier FROM absent_cable",
	                "");
	while (sql_row(sql, row))
		gone_add_cable(
		    g, (struct gone_cable){
			   .a = { .guid = (uint64_t)sqlite3_column_int64(row, 0),
		                  .num = (unsigned int)sql_between(sql, row, 1, 0, UINT8_MAX),
		                  .name = sql_text(sql, g->arena, row, 2) ?: "" },
			   .z = { .guid = (uint64_t)sqlite3_column_int64(row, 3),
		                  .num = (unsigned int)sql_between(sql, row, 4, 0, UINT8_MAX),
		                  .name = sql_text(sql, g->arena, row, 5) ?: "" },
			   .seen = sql_between(sql, row, 6, 0, TIME_LAST),
			   .missed = sql_between(sql, row, 7, 0, TIME_LAST),
			   .earlier = sqlite3_column_int(row, 8),
			   .kept = true });
}

/* And what may become some: what was accepted and is still one incident. */
static void load_members(struct ibc_store *store, struct ibc_gone *g)
{
	sqlite3_stmt *row = sql_query(&store->sql,
	                              "SELECT case_id, finding_id FROM member UNION ALL"
	                              " SELECT case_id, NULL FROM incident"
	                              " WHERE closed IS NULL AND known",
	                              "");

	while (sql_row(&store->sql, row)) {
		struct known_member *m = arena_alloc(g->arena, sizeof(*m));

		*m = (struct known_member){ g->members, sql_text(&store->sql, g->arena, row, 0),
			                    sql_text(&store->sql, g->arena, row, 1) };
		g->members = m;
	}
}

/* Of the last sweep; the rows, which are sorted, have what it had and an earlier run missed. */
static void find_lost(struct ibc_store *store, const struct ibc_fabric *before, struct ibc_gone *g)
{
	size_t nodes = g->num_nodes, cables = g->num_cables;
	/* of a file that does not say when it was swept */
	time_t last = sql_number(&store->sql, "SELECT max(begun) FROM run", "");
	const struct ibc_node *node;
	const struct ibc_port *port;

	if (nodes)
		qsort(g->nodes, nodes, sizeof(*g->nodes), gone_by_guid);
	if (cables)
		qsort(g->cables, cables, sizeof(*g->cables), gone_by_ends);
	for (size_t i = 0; (node = ibc_fabric_node(before, i)); i++) {
		struct gone_node lost = { .guid = node->guid,
			                  .type = node->type,
			                  .name = node->label,
			                  .host = node->host_name,
			                  .seen = (time_t)node->subnet->time ?: last,
			                  .earlier = store->migrated };

		if (!node->named_only && !ibc_fabric_node_by_guid(store->fabric, node->guid) &&
		    !find_young(store, young_node(node)) &&
		    !(nodes && bsearch(&lost, g->nodes, nodes, sizeof(lost), gone_by_guid)))
			gone_add_node(g, lost);
	}
	for (size_t i = 0; (port = fabric_next_cable(before, &i));) {
		struct gone_cable lost = { .a = gone_end_of(port),
			                   .z = gone_end_of(port->peer),
			                   .seen = (time_t)port->node->subnet->time ?: last,
			                   .earlier = store->migrated };

		if (!port->node->named_only &&
		    !port_keeps_peer(port, fabric_same_port(store->fabric, port)) &&
		    !find_young(store, young_cable(port)) &&
		    !(cables && bsearch(&lost, g->cables, cables, sizeof(lost), gone_by_ends)))
			gone_add_cable(g, lost);
	}
}

static void load_managers(struct ibc_store *store, struct ibc_gone *g)
{
	sqlite3_stmt *row = sql_query(&store->sql,
	                              "SELECT guid, num, name, master, seen FROM sm"
	                              " WHERE runs >= ?",
	                              "i", (int64_t)RUNS_TO_EXPECT);

	while (sql_row(&store->sql, row)) {
		arena_grow(g->arena, &g->managers, g->num_managers, &g->room_managers,
		           sizeof(*g->managers));
		g->managers[g->num_managers++] = (struct gone_manager){
			.at = { .guid = (uint64_t)sqlite3_column_int64(row, 0),
			        .num = (unsigned int)sql_between(&store->sql, row, 1, 0, UINT8_MAX),
			        .name = sql_text(&store->sql, g->arena, row, 2) ?: "" },
			.master = sqlite3_column_int(row, 3),
			.seen = sql_between(&store->sql, row, 4, 0, TIME_LAST),
		};
	}
}

/* struct plug - a port where a cable that was moved is or was */
struct plug {
	uint64_t guid;
	unsigned int num;
	size_t cable;
};

static int by_plug(const void *va, const void *vz)
{
	const struct plug *a = va, *z = vz;

	return order_u64(a->guid, z->guid);
}

/* Of all moved cables, sorted. */
static struct plug *find_plugs(const struct ibc_gone *g, size_t *n)
{
	struct plug *plugs = arena_array(g->arena, 4 * g->num_cables + 1, sizeof(*plugs));

	*n = 0;
	for (size_t i = 0; i < g->num_cables; i++) {
		const struct gone_cable *c = &g->cables[i];

		if (c->state != GONE_MOVED)
			continue;
		const struct ibc_port *ports[] = { c->a.now, c->z.now, c->a.now->peer,
			                           c->z.now->peer };

		for (size_t k = 0; k < ARRAY_SIZE(ports); k++)
			if (ports[k])
				plugs[(*n)++] = (struct plug){ ports[k]->node->guid, ports[k]->num,
					                       i };
	}
	qsort(plugs, *n, sizeof(*plugs), by_plug);
	return plugs;
}

/* The cables with a plug at an end, or, where the end has no port, at the device. */
static void mark_mending(struct ibc_gone *g, const struct plug *plugs, size_t n,
                         const struct ibc_end *end)
{
	const struct plug wanted = { .guid = end->guid };
	size_t i = lower_bound(&wanted, plugs, n, sizeof(wanted), by_plug);

	for (; i < n && plugs[i].guid == end->guid; i++)
		g->cables[plugs[i].cable].mends |= !end->has_port || plugs[i].num == end->port;
}

/*
 * A plug that was moved where a fault was known was moved to mend it: an open incident of the
 * cabling names the port.
 */
static void find_mending(struct ibc_store *store, struct ibc_gone *g)
{
	sqlite3_stmt *row = sql_query(&store->sql,
	                              "SELECT thing FROM incident WHERE closed IS NULL AND"
	                              " (check_id GLOB 'topo.*' OR check_id GLOB 'fattree.*')",
	                              "");
	size_t num, n;
	const struct plug *plugs = find_plugs(g, &num);

	while (sql_row(&store->sql, row)) {
		const char *thing = sql_text(&store->sql, g->arena, row, 0), *next;

		for (; thing; thing = next) {
			struct ibc_end end;

			next = identity_far(thing, &n);
			if (parse_end(thing, n, &end))
				mark_mending(g, plugs, num, &end);
		}
	}
}

void store_expect(struct ibc_store *store, const struct ibc_fabric *before,
                  const struct ibc_expect *how)
{
	struct ibc_gone *g = arena_alloc(store->arena, sizeof(*g));

	*g = (struct ibc_gone){ .arena = store->arena,
		                .now = store->fabric,
		                .before = before,
		                .time = store->opts.now,
		                .retired = how->retired,
		                .num_retired = how->num_retired };
	store->expects = *how;
	load_young(store);
	load_missing(store, g);
	load_members(store, g);
	if (before)
		find_lost(store, before, g);
	if (before && store->migrated)
		store_missing_earlier(store, before, g);
	load_managers(store, g);
	gone_judge(g);
	find_mending(store, g);
	store->gone = g;
}

int ibc_store_expect(struct ibc_store *store, const struct ibc_fabric *before,
                     const struct ibc_expect *how, const struct ibc_gone **out,
                     struct ibc_error *err)
{
	*out = NULL;
	if (setjmp(*arena_entry(store->arena))) {
		arena_escape(store->arena, NULL);
		return fail_nomem(err);
	}
	store_expect(store, before, how);
	arena_escape(store->arena, NULL);
	if (store->sql.failed)
		store->gone = NULL;
	*out = store->gone;
	return 0;
}

/* ---- recording ----------------------------------------------------------------------- */

/* It is missing since this run, if that looked. */
static int64_t missed_since(const struct ibc_store *store, bool looked, time_t missed)
{
	return missed || !looked ? (int64_t)missed : (int64_t)store->opts.now;
}

/* Behind what is gone no run can look. */
static int64_t node_missed(const struct ibc_store *store, size_t i)
{
	const struct gone_node *n = &store->gone->nodes[i];

	return missed_since(store, n->state != GONE_UNSEEN && n->lead == i, n->missed);
}

/*
 * Only hosts are, once they were not seen for long, and not while what leads to them is gone; where
 * no run could miss them for so long, their time begins when one does.
 */
static bool is_forgotten(const struct ibc_store *store, size_t i)
{
	const struct gone_node *n = &store->gone->nodes[i];
	time_t long_ago = store->opts.now - (time_t)store->expects.forget_seconds;

	return n->type == IBC_NODE_CA && n->state == GONE_AWAY && n->lead == i &&
	       n->cut == GONE_NONE && !n->host_here && n->host_seen < long_ago &&
	       (n->host_missed < long_ago ||
	        n->host_missed - n->host_seen < (time_t)store->expects.forget_seconds);
}

/* One whose device is gone is not missing by itself. */
static int64_t cable_missed(const struct ibc_store *store, const struct gone_cable *c)
{
	bool looked = c->state != GONE_UNSEEN && c->a.node == GONE_NONE && c->z.node == GONE_NONE;

	return missed_since(store, looked, c->missed);
}

static void record_nodes(struct ibc_store *store, struct ibc_report *rep)
{
	const struct ibc_gone *g = store->gone;
	const char *back = NULL;
	size_t num_back = 0;

	for (size_t i = 0; i < g->num_nodes; i++) {
		const struct gone_node *n = &g->nodes[i];

		if (n->state == GONE_BACK || n->state == GONE_REPLACED || is_forgotten(store, i)) {
			if (n->kept)
				sql_run(&store->sql, "DELETE FROM absent_node WHERE guid = ?", "i",
				        (int64_t)n->guid);
			continue;
		}
		if (n->kept && !n->renamed && node_missed(store, i) == (int64_t)n->missed)
			continue;
		sql_run(&store->sql,
		        "INSERT OR REPLACE INTO absent_node VALUES(?, ?, ?, ?, ?, ?, ?)", "iittiii",
		        (int64_t)n->guid, (int64_t)n->type, n->name, n->host, (int64_t)n->seen,
		        node_missed(store, i), (int64_t)n->earlier);
	}
	/* it was retired, and is expected again */
	for (size_t i = 0; i < g->num_nodes; i++) {
		if (!g->nodes[i].was_retired)
			continue;
		back = g->nodes[i].name;
		num_back++;
	}
	if (num_back == 1)
		ibc_report_conclude(rep, "%s was retired, is back, and is expected again", back);
	else if (num_back)
		ibc_report_conclude(
		    rep, "%zu devices were retired, are back, and are expected again", num_back);
}

static void record_cables(struct ibc_store *store)
{
	const struct ibc_gone *g = store->gone;

	for (size_t i = 0; i < g->num_cables; i++) {
		const struct gone_cable *c = &g->cables[i];
		size_t node = c->a.node != GONE_NONE ? c->a.node : c->z.node;
		bool forgotten = node != GONE_NONE && is_forgotten(store, node);

		if (c->state == GONE_BACK || forgotten || (c->state == GONE_MOVED && c->mends)) {
			if (c->kept)
				sql_run(&store->sql,
				        "DELETE FROM absent_cable WHERE guid = ? AND num = ? AND"
				        " far_guid = ? AND far_num = ?",
				        "iiii", (int64_t)c->a.guid, (int64_t)c->a.num,
				        (int64_t)c->z.guid, (int64_t)c->z.num);
			continue;
		}
		if (c->kept && cable_missed(store, c) == (int64_t)c->missed)
			continue;
		sql_run(&store->sql,
		        "INSERT OR REPLACE INTO absent_cable VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
		        "iitiitiii", (int64_t)c->a.guid, (int64_t)c->a.num, c->a.name,
		        (int64_t)c->z.guid, (int64_t)c->z.num, c->z.name, (int64_t)c->seen,
		        cable_missed(store, c), (int64_t)c->earlier);
	}
}

static void drop_young(struct ibc_store *store, const struct young *y)
{
	sql_run(&store->sql,
	        "DELETE FROM young WHERE guid = ? AND far_guid = ? AND num = ? AND far_num = ?",
	        "iiii", (int64_t)y->guid, (int64_t)y->far_guid, (int64_t)y->num,
	        (int64_t)y->far_num);
}

static void grow_up(struct ibc_store *store, struct young y)
{
	const struct young *was = find_young(store, y);
	int64_t runs = was ? was->runs + 1 : 1;

	if (runs >= RUNS_TO_EXPECT)
		drop_young(store, &y);
	else
		sql_run(&store->sql, "INSERT OR REPLACE INTO young VALUES(?, ?, ?, ?, ?)", "iiiii",
		        (int64_t)y.guid, (int64_t)y.far_guid, (int64_t)y.num, (int64_t)y.far_num,
		        runs);
}

static bool is_expected(const struct ibc_gone *g, const struct ibc_node *node)
{
	return gone_find(g, node->guid) != GONE_NONE || gone_replaces(g, node);
}

static bool is_expected_cable(const struct ibc_gone *g, const struct ibc_port *near)
{
	const struct gone_cable ends = { .a = gone_end_of(near), .z = gone_end_of(near->peer) };

	return gone_find_cable(g, &ends) != GONE_NONE || gone_replaces(g, near->node) ||
	       gone_replaces(g, near->peer->node);
}

/* What the last sweep did not have, and what it had and is young. */
static void record_young(struct ibc_store *store, const struct ibc_fabric *before)
{
	const struct ibc_node *node;
	const struct ibc_port *port;

	for (size_t i = 0; (node = ibc_fabric_node(store->fabric, i)); i++)
		if (ibc_fabric_node_by_guid(before, node->guid)
		        ? find_young(store, young_node(node)) != NULL
		        : !node->named_only && !is_expected(store->gone, node))
			grow_up(store, young_node(node));
	for (size_t i = 0; (port = fabric_next_cable(store->fabric, &i));)
		if (port_keeps_peer(port, fabric_same_port(before, port))
		        ? find_young(store, young_cable(port)) != NULL
		        : !port->node->named_only && !is_expected_cable(store->gone, port))
			grow_up(store, young_cable(port));
	/* what went before it was expected */
	for (size_t i = 0; i < store->num_young; i++) {
		const struct young *y = &store->young[i];
		const struct ibc_port *at = fabric_port_at(store->fabric, y->guid, y->num);

		if (y->far_guid ? !at || !at->peer || at->peer->num != y->far_num ||
		                      at->peer->node->guid != y->far_guid
		                : !ibc_fabric_node_by_guid(store->fabric, y->guid))
			drop_young(store, y);
	}
}

/* @first: of a new state: what is there is expected */
static void record_managers(struct ibc_store *store, bool first)
{
	const struct ibc_gone *g = store->gone;
	const struct ibc_port *port;

	for (size_t i = 0; (port = ibc_fabric_port(store->fabric, i)); i++) {
		const struct ibc_sm_info *sm = port->extra->sm;

		if (!sm || ibc_sm_state_now(sm) == IBC_SM_NOT_ACTIVE)
			continue;
		sql_run(&store->sql,
		        "INSERT INTO sm VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
		        " ON CONFLICT DO UPDATE SET runs = min(runs + 1, ?7), name = ?3,"
		        " master = ?4, seen = ?5",
		        "iitiiii", (int64_t)port->node->guid, (int64_t)port->num, port->node->label,
		        (int64_t)(ibc_sm_state_now(sm) == IBC_SM_MASTER), (int64_t)store->opts.now,
		        (int64_t)(first ? RUNS_TO_EXPECT : 1), (int64_t)RUNS_TO_EXPECT);
	}
	for (size_t i = 0; i < g->num_managers; i++)
		if (g->managers[i].state == GONE_RETIRED || g->managers[i].state == GONE_REPLACED)
			sql_run(&store->sql, "DELETE FROM sm WHERE guid = ? AND num = ?", "ii",
			        (int64_t)g->managers[i].at.guid, (int64_t)g->managers[i].at.num);
}

void store_expected(struct ibc_store *store, const struct ibc_fabric *before,
                    struct ibc_report *rep)
{
	record_nodes(store, rep);
	record_cables(store);
	if (before && !store->gone->partial)
		record_young(store, before);
	record_managers(store, !before);
	for (const struct known_member *m = rep->members; m; m = m->next)
		if (m->finding_id)
			sql_run(&store->sql, "INSERT OR IGNORE INTO member VALUES(?, ?)", "tt",
			        m->case_id, m->finding_id);
}

/* ---- what became of an incident ------------------------------------------------------ */

static bool is_missing(enum gone_state state)
{
	return state == GONE_AWAY || state == GONE_UNSEEN || state == GONE_MOVED;
}

static bool has_earlier(const struct ibc_gone *g)
{
	bool any = false;

	for (size_t i = 0; i < g->num_nodes; i++)
		any |= g->nodes[i].earlier && is_missing(g->nodes[i].state);
	for (size_t i = 0; i < g->num_cables; i++)
		any |= g->cables[i].earlier && is_missing(g->cables[i].state);
	return any;
}

bool store_still_gone(const struct ibc_store *store, const char *check, const char *thing)
{
	const struct ibc_gone *g = store->gone;
	struct gone_cable ends = { .state = GONE_BACK };
	struct ibc_end near, far;
	size_t at, n;
	const char *second = identity_far(thing, &n);

	if (!parse_end(thing, n, &near))
		return !strcmp(check, "gone.earlier") && has_earlier(g);
	for (size_t i = 0; !strcmp(check, "gone.manager") && i < g->num_managers; i++)
		if (g->managers[i].at.guid == near.guid && g->managers[i].at.num == near.port)
			return is_missing(g->managers[i].state);
	if (!strcmp(check, "gone.manager"))
		return false;
	at = second ? GONE_NONE : gone_find(g, near.guid);
	if (at != GONE_NONE)
		return is_missing(g->nodes[at].state) && !is_forgotten(store, at) &&
		       !(g->nodes[at].host_here && !strcmp(check, "gone.host"));
	if (!second || !parse_end(second, strlen(second), &far))
		return false;
	ends.a = (struct gone_end){ .guid = near.guid, .num = near.port };
	ends.z = (struct gone_end){ .guid = far.guid, .num = far.port };
	at = gone_find_cable(g, &ends);
	if (at == GONE_NONE) {
		struct gone_end a = ends.a;

		ends.a = ends.z;
		ends.z = a;
		at = gone_find_cable(g, &ends);
	}
	return at != GONE_NONE && is_missing(g->cables[at].state) &&
	       !(g->cables[at].state == GONE_MOVED && g->cables[at].mends);
}
