/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The tables of a snapshot, a row at a time, as text of hexadecimal digits:
 *
 *   lft	a block of 64 LIDs, 2 digits a port
 *   ar		a block of 64 LIDs, 4 digits each: struct ibc_ar_tables.blocks
 *   ar_groups	a group: digits of a set of ports, the highest first
 *   ar_private	"": there are private tables beside these
 *   ar_gap	1 digit: enum ibc_ar_gap
 *   mft	a block of 32 MLIDs: as many digits for each, a set of ports; "": no ports
 *   sl2vl	an in-port: a digit a virtual lane, '-' where it is not known; 16 of each
 *		out-port, or 16 alone in row 0: one table holds for all
 *   vlarb	a port: 2 digits a lane and 2 its weight, for each slot of the high-priority
 *		table; '/'; of the low-priority one
 *   paths	a service level: SLID, DLID, SL
 *   members	an MCMemberRecord
 *   services	a ServiceRecord
 *
 * A row that is not known is not there.
 */
#include <stdbool.h>
#include <stddef.h>

#include <ibcheck/fabric.h>

struct arena;
struct fabric_build;
struct fabric_forwarding;
struct fabric_multicast;
struct json_item;

#define SNAP_ROW_MAX 4097 /* with NUL: sl2vl of 255 ports and port 0 */

/* Records that are being read. */
struct snap_list {
	void *items;
	size_t num, room;
};

/*
 * struct snap_subnet - a subnet that is being read
 * @forwarding, @multicast: what the header says of them: file, and how many LIDs
 */
struct snap_subnet {
	struct ibc_subnet *subnet;
	bool has_forwarding, has_multicast;
	struct ibc_forwarding forwarding;
	struct ibc_multicast multicast;
	struct fabric_forwarding *lft;
	struct fabric_multicast *mft;
	struct ibc_sa *sa;
	struct snap_list paths, members, services;
};

/* Whose table: of a node, or of the subnet as a whole; to: only where rows are read. */
struct snap_owner {
	const struct ibc_subnet *subnet;
	struct ibc_node *node;
	struct snap_subnet *to;
	struct arena *arena, *scratch; /* of the fabric, and until the end of the snapshot */
	struct fabric_build *build;
	size_t lft_column, mft_column;
	unsigned int list; /* as its table */
};

/*
 * struct snap_table - one kind of table
 * @of_node: a node owns it, else a subnet
 * @rows: how many it can have
 * @put: writes a row into text and terminates it; false: it is not known
 * @get: reads a row; 0 or -EINVAL
 * @list: of a subnet: which of its lists of records
 */
struct snap_table {
	const char *name;
	bool of_node;
	size_t (*rows)(const struct snap_owner *owner);
	bool (*put)(const struct snap_owner *owner, size_t row, char *text);
	int (*get)(const struct snap_owner *owner, size_t row, const char *text, size_t length);
	unsigned int list;
};
extern const struct snap_table snap_tables[]; /* ended by one without a name */

/* Node may be NULL. */
struct snap_owner snap_owner(const struct ibc_subnet *subnet, const struct ibc_node *node);

/*
 * snaptables.c: reading.  0, or -EINVAL with a sentence, in fabric_build_run().  First
 * what the header says of a subnet, by subnet_fields, then, when all nodes are there, its tables
 * are made; a line fills some rows; at the end records come where they belong.  first_node: of the
 * snapshot among those of the fabric.
 */
int snap_subnet_header(struct snap_subnet *p, const struct json_item *const *parts, struct arena *a,
                       struct ibc_error *err);
int snap_subnet_start(struct snap_subnet *p, struct fabric_build *b, struct ibc_error *err);
int snap_table_get(const struct json_item *object, struct snap_subnet *subnets, size_t num_subnets,
                   size_t first_node, struct fabric_build *b, struct arena *scratch,
                   struct ibc_error *err);
int snap_subnet_end(struct snap_subnet *p, struct arena *a, struct ibc_error *err);
