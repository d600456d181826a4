/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd.h"

/*
 * whatif_route.c: what is left of app->fabric, as OpenSM routes it in the simulator, into
 * app->rerouted and app->routes_then; what is wrong with that into a report of its own.
 */
int whatif_reroute(struct app *app, struct ibc_report **after, struct ibc_error *err);
extern const struct ibc_table_type routed_type;
void routed_table(struct app *app);
