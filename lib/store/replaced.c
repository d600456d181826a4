/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device that took the place of another: it has the name of one that is gone, and a GUID that
 * was not known.  What is remembered of the place goes on under the new GUID.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "report/report.h"
#include "store/store.h"

static void take_over(struct ibc_store *store, const struct ibc_node *was,
                      const struct ibc_node *is)
{
	char old[STR_GUID_MAX], new[STR_GUID_MAX];
	sqlite3_stmt *row = sql_query(&store->sql,
	                              "SELECT id, replace(thing, ?1, ?2) FROM incident"
	                              " WHERE closed IS NULL AND instr(thing, ?1)",
	                              "tt", str_from_guid(old, was->guid),
	                              str_from_guid(new, is->guid));

	while (sql_row(&store->sql, row)) {
		const char *thing = sql_text(&store->sql, store->arena, row, 1);
		const char *dash = thing ? strstr(thing, SEPARATOR) : NULL, *far, *near;

		if (!thing)
			sql_damaged(&store->sql);
		if (dash) {
			near = arena_strndup(store->arena, thing, (size_t)(dash - thing));
			far = dash + strlen(SEPARATOR);
			/* "A - B" has its ends in their order, as ibc_subject_identity() writes it
			 */
			if (strcmp(near, far) > 0)
				thing = arena_printf(store->arena, "%s" SEPARATOR "%s", far, near);
		}
		sql_run(&store->sql, "UPDATE incident SET thing = ? WHERE id = ?", "ti", thing,
		        sqlite3_column_int64(row, 0));
	}
	sql_run(&store->sql, "UPDATE OR IGNORE port SET guid = ? WHERE guid = ?", "ii",
	        (int64_t)is->guid, (int64_t)was->guid);
	store_add_change(store, is, 0, "replaced", old, new);
	store->replaced = is->label;
	store->num_replaced++;
}

static int by_node_label(const void *va, const void *vz)
{
	const struct ibc_node *const *a = va, *const *z = vz;

	return strcmp((*a)->label, (*z)->label);
}

/* Of two of one name that are gone neither counts. */
void store_replaced(struct ibc_store *store, const struct ibc_fabric *before)
{
	const struct ibc_node **gone, **g, *node;
	size_t num = 0;

	if (!before)
		return;
	gone = arena_array(store->arena, ibc_fabric_count(before).nodes + 1, sizeof(node));
	for (size_t i = 0; (node = ibc_fabric_node(before, i)); i++)
		if (!ibc_fabric_node_by_guid(store->fabric, node->guid))
			gone[num++] = node;
	qsort(gone, num, sizeof(node), by_node_label);
	for (size_t i = 0; num && (node = ibc_fabric_node(store->fabric, i)); i++) {
		if (ibc_fabric_node_by_guid(before, node->guid))
			continue;
		g = bsearch(&node, gone, num, sizeof(node), by_node_label);
		if (!g || (g > gone && !by_node_label(g - 1, g)) ||
		    (g + 1 < gone + num && !by_node_label(g, g + 1)))
			continue;
		if ((*g)->type == node->type && *node->desc)
			take_over(store, *g, node);
	}
}
