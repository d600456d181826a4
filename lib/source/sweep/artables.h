/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The adaptive tables of switches while they are read: artables.c reads, arcalibrate.c judges. */
#include "source/sweep/sweep.h"
#include "wire/adaptive.h"

/* The groups of a switch as blocks: apart from its LIDs, which are read at the same time. */
struct ar_groups {
	struct blocks blocks;
	struct ar_read *of;
};

/*
 * struct ar_read - one switch
 * @lids: blocks of its AR LFT
 * @partial: by block of 64 LIDs: read in part; the others are in the tables of the fabric
 * @masks: of each sub-group of each group, as they came
 * @used: bits of the groups that entries have
 * @compared, @differ: LIDs that the LFT has; with another port there than here
 * @digest, @first_digest: of all that was read, now, and before it was read again
 * @lids_answered, @groups_answered: blocks
 * @again: it was read twice; @settled: no device of its model is to be looked at any more
 * @sampled, @fits: entries that readings were tried on; that agreed, by enum ar_reading
 */
struct ar_read {
	struct blocks lids;
	struct ar_groups groups;
	struct engine_device device;
	struct ar_read *next;
	size_t column;
	struct ar_partial **partial;
	uint8_t (*masks)[AR_MASK_SIZE];
	unsigned int num_groups, sub_groups, top;
	uint64_t used[IBC_AR_GROUPS / 64];
	size_t compared, differ, lids_answered, groups_answered, sampled, fits[AR_READINGS];
	uint64_t digest, first_digest;
	bool again, settled;
	enum ibc_ar_gap gap;
};

static inline bool ar_uses(const struct ar_read *r, unsigned int group)
{
	return group < IBC_AR_GROUPS && r->used[group / 64] >> group % 64 & 1;
}

/*
 * arcalibrate.c: finds out how the devices of each model lay out their groups, and puts these
 * into the tables; a gap where that is not clear.  Those that have a gap already are left out.
 */
void ar_calibrate(struct sweep *s, struct ar_read *all);
