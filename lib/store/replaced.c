/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device that took the place of another (lib/analysis/gone): what is remembered of the place goes
 * on under the new GUID.
 */
#include <string.h>

#include "analysis/gone/gone.h"
#include "base/arena.h"
#include "base/str.h"
#include "report/report.h"
#include "store/store.h"

static void take_over(struct ibc_store *store, const struct gone_node *was)
{
	const struct ibc_node *is = was->is;
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
	store->replaced = arena_printf(store->arena,
	                               strcmp(was->name, is->label) ? "%s is in the place of %s"
	                                                            : "%s was replaced",
	                               is->label, was->name);
	store->num_replaced++;
}

void store_replaced(struct ibc_store *store)
{
	const struct ibc_gone *g = store->gone;

	for (size_t i = 0; g && i < g->num_nodes; i++)
		if (g->nodes[i].state == GONE_REPLACED)
			take_over(store, &g->nodes[i]);
}
