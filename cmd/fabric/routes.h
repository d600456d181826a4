/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd.h"

#define NO_SL 16 /* service levels end at 15 */

struct routes_cfg {
	const char *tables, *paths, *multicast, *using;
	uint64_t sm_key;
	unsigned int bisections, sl;
	bool path;
};

/* routes_tables.c: the figures of all routes; the sums and the last line. */
extern const struct ibc_table_type pairs_type, bandwidth_type, hot_links_type, uplinks_type,
    groups_type, adaptive_type;
void routes_tables(struct app *app);
void routes_conclude(struct app *app);
/* What traffic they are of, where that is known to be less than all, or should be known. */
enum ibc_traffic static_traffic(const struct ibc_fabric *fab);
void routes_limit(struct app *app);

/* routes_views.c: one path both ways, one cable, one multicast tree; without checks. */
extern const struct ibc_table_type path_type, adaptive_path_type, using_type, tree_type;
int path_view(struct app *app, struct ibc_error *err);
int using_view(struct app *app, const char *place, struct ibc_error *err);
int tree_view(struct app *app, const char *mlid, struct ibc_error *err);
