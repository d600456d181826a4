/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device that took the place of another: it has the name of one that is gone, and a GUID that
 * nobody knew.  What is remembered of the place goes on under the new GUID.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "report/report.h"
#include "store/store.h"

/* A node of the last sweep that is not there, by its name; of two of one name neither counts. */
struct gone_node {
	UT_hash_handle hh;
	const struct ibc_node *node;
	bool twice;
};

static bool add_gone_node(struct arena *a, struct gone_node **gone, const struct ibc_node *node)
{
	struct gone_node *g;

	HASH_FIND_STR(*gone, node->label, g);
	if (g) {
		g->twice = true;
		return true;
	}
	g = arena_alloc(a, sizeof(*g));
	if (!g)
		return false;
	g->node = node;
	HASH_ADD_KEYPTR(hh, *gone, node->label, strlen(node->label), g);
	return hash_added(g);
}

static void rename_things(struct ibc_store *store, const char *old, const char *new)
{
	sqlite3_stmt *row = sql_query(&store->sql,
	                              "SELECT id, replace(thing, ?1, ?2) FROM incident"
	                              " WHERE closed IS NULL AND instr(thing, ?1)",
	                              "tt", old, new);

	while (sql_row(&store->sql, row)) {
		const char *thing = sql_text(&store->sql, store->arena, row, 1);
		const char *dash = thing ? strstr(thing, SEPARATOR) : NULL, *ordered = thing;
		const char *far = dash ? dash + strlen(SEPARATOR) : NULL;
		const char *near = dash ? arena_strndup(store->arena, thing, (size_t)(dash - thing))
		                        : NULL;

		/* "A - B" has its ends in their order, as ibc_subject_identity() writes it */
		if (near && strcmp(near, far) > 0)
			ordered = arena_printf(store->arena, "%s" SEPARATOR "%s", far, near);
		if (!thing)
			sql_damaged(&store->sql);
		else if (!ordered)
			sql_no_memory(&store->sql);
		sql_run(&store->sql, "UPDATE incident SET thing = ? WHERE id = ?", "ti", ordered,
		        sqlite3_column_int64(row, 0));
	}
}

static void take_over(struct ibc_store *store, const struct ibc_node *was,
                      const struct ibc_node *is)
{
	char old[STR_GUID_MAX], new[STR_GUID_MAX];

	str_from_guid(old, was->guid);
	str_from_guid(new, is->guid);
	rename_things(store, old, new);
	sql_run(&store->sql, "UPDATE OR IGNORE port SET guid = ? WHERE guid = ?", "ii",
	        (int64_t)is->guid, (int64_t)was->guid);
	store_add_change(store, is, 0, "replaced", old, new);
	store->replaced = is->label;
	store->num_replaced++;
}

void store_replaced(struct ibc_store *store, const struct ibc_fabric *before)
{
	struct gone_node *gone = NULL, *g;
	const struct ibc_node *node;

	for (size_t i = 0; before && (node = ibc_fabric_node(before, i)); i++)
		if (!ibc_fabric_node_by_guid(store->fabric, node->guid) &&
		    !add_gone_node(store->arena, &gone, node))
			sql_no_memory(&store->sql);
	for (size_t i = 0; gone && (node = ibc_fabric_node(store->fabric, i)); i++) {
		if (ibc_fabric_node_by_guid(before, node->guid))
			continue;
		HASH_FIND_STR(gone, node->label, g);
		if (g && !g->twice && g->node->type == node->type && *node->desc)
			take_over(store, g->node, node);
	}
	HASH_CLEAR(hh, gone);
}
