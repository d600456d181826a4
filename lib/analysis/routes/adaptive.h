/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_ADAPTIVE_H
#define ANALYSIS_ADAPTIVE_H

/*
 * What is found by following all choices (adaptive.c), destination by destination, in parts
 * of a file each: what does not arrive (arfaults.c), dependencies of channels (archannels.c),
 * what groups have and lack (argroups.c).
 */
#include <ibcheck/adaptive.h>

#include "analysis/routes/choices.h"

struct ar_fault;
struct ar_group;

/* struct ar_waiting - LIDs that left by these links, and are not counted there yet */
struct ar_waiting {
	struct ibc_port_set links;
	uint64_t lids;
};

/*
 * struct ar_found - what one thread found
 * @carried: column * width + port: LIDs of hosts that leave by it, each shared by the choices
 *	     it has; in parts of AR_PARTS
 * @groups: by column: its groups by number, or NULL
 * @waiting: by column; @beyond: of ar_channels_put()
 */
struct ar_found {
	struct choices c;
	struct arena *a;
	struct ibc_ar_sums sums;
	struct ar_fault *faults; /* hashed */
	struct ar_group **groups;
	uint64_t *carried;
	struct ar_waiting *waiting;
	struct ibc_port_set *beyond;
	bool failed;
};
#define AR_PARTS (1u << 24) /* a port may take 2^16 LIDs, and a share be 1 of 255 */

/* Of what was followed, which holds for so many LIDs. */
bool ar_faults_count(struct ar_found *f, size_t lids);
void ar_faults_free(struct ar_found *f);
/* Adds all of @from; then reports. */
bool ar_faults_merge(struct ar_found *f, const struct ar_found *from);
bool ar_faults_report(struct ar_found *f, struct route_subnet *p);

/* What hosts on leaves, or all, wait for on the way; beyond: room for a set by column. */
void ar_channels_put(struct channels *ch, const struct choices *c, struct ibc_port_set *beyond,
                     enum ibc_loop_cause layer);

bool ar_groups_see(struct ar_found *f);
bool ar_groups_merge(struct ar_found *f, const struct ar_found *from);
bool ar_groups_report(const struct ar_found *f, struct route_subnet *p);

#endif
