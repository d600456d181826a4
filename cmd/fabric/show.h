/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd.h"

/* identity.c: what a node is, where it hangs, and how the subnet manager reaches it */
extern const struct ibc_table_type identity_type;
int identity_table(struct app *app, struct ibc_error *err);

/* ends.c: both ends of the cables of what is shown, and what the near ones counted */
extern const struct ibc_table_type ends_type, activity_type;
void ends_table(struct app *app);
void activity_table(struct app *app);

/* dependents.c: what depends on a place, as a row of its table */
extern const struct ibc_table_type dependents_type;
void dependents_row(struct app *app, const struct ibc_dependents *d);

/*
 * jobs.c: the jobs of a file whose hosts any of these takes with it
 */
extern const struct ibc_table_type jobs_type;
int jobs_table(struct app *app, const struct ibc_jobs *jobs, struct ibc_dependents *const *all,
               size_t n, struct ibc_error *err);
/* Concludes how many of their hosts the fabric does not have: the list is of another cluster. */
int jobs_conclude_foreign(struct app *app, const struct ibc_jobs *jobs, struct ibc_error *err);
