/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd.h"

/*
 * struct whatif_own - of one run
 * @lost: what depends on the things
 * @rerouted, @routes_then: what is left, as OpenSM routes it; or NULL
 */
struct whatif_own {
	struct ibc_dependents *lost;
	struct ibc_fabric *rerouted;
	struct ibc_routes *routes_then;
};

static inline struct whatif_own *whatif_of(const struct app *app)
{
	return app->own;
}

/*
 * whatif_route.c: what is left of app->fabric, as OpenSM routes it in the simulator, into
 * its rerouted and routes_then; what is wrong with that into a report of its own.
 */
int whatif_reroute(struct app *app, struct ibc_report **after, struct ibc_error *err);
extern const struct ibc_table_type routed_type;
void routed_table(struct app *app);
