/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CMD_PORTS_H
#define CMD_PORTS_H

#include "cmd.h"

struct ports_cfg {
	bool down, switches, cas, errors_only, local;
};

/* local.c: ports --local */
int local_run(struct app *app, const struct ports_cfg *cfg, struct ibc_error *err);
int local_tables(struct app *app, struct ibc_error *err);

#endif
