/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* trace --donate: what trace.c and donate.c share. */
#include "cmd.h"

struct trace_cfg {
	const char *donate;
	bool anonymize;
};

extern const struct ibc_table_type donated_search_type, donated_models_type;
/* Writes the file and adds the tables; *copy: it, read again, to be freed whatever is returned. */
int donate_run(struct app *app, struct ibc_capture **copy, struct ibc_error *err);
