/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_FAULTS_H
#define ANALYSIS_FAULTS_H

/*
 * Pairs that do not arrive, by where they end.  Destinations come in order, all those on
 * one switch in the same set.
 */
#include "analysis/routes/walk.h"

struct faults {
	struct arena *a;
	struct fault *table; /* hashed */
};

/*
 * Adds the pairs of a destination all senders were walked to; *broken and *unknown get how
 * many.  False: out of memory.
 */
bool faults_count(struct faults *f, struct walk *w, uint64_t *broken, uint64_t *unknown);
/* Adds those of another set.  False: out of memory. */
bool faults_merge(struct faults *f, const struct faults *from, const struct route_subnet *p);
/* Writes p->faults.  False: out of memory. */
bool faults_write(struct faults *f, struct route_subnet *p);
/* What the hash table took beside the arena. */
void faults_free(struct faults *f);

#endif
