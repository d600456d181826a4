/* SPDX-License-Identifier: BSD-2-Clause */
/* NODES_INFO and GENERAL_INFO_SMP of ibdiagnet2.db_csv: the vendor's two GeneralInfo. */
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "fabric/build.h"
#include "source/ibdiagnet/dbcsv.h"
#include "source/ibdiagnet/phyfile.h"
#include "source/source.h"

struct info_row {
	struct db_place at;
	uint64_t major, minor, sub_minor;
	uint64_t short_major, short_minor, short_sub_minor;
	uint32_t capabilities[4];
	const char *psid;
};

static const struct db_column info_columns[] = {
	{ "FWInfo_Extended_Major", offsetof(struct info_row, major), FIELD_HEX, false },
	{ "FWInfo_Extended_Minor", offsetof(struct info_row, minor), FIELD_HEX, false },
	{ "FWInfo_Extended_SubMinor", offsetof(struct info_row, sub_minor), FIELD_HEX, false },
	/* of a byte each: too few for the versions of today */
	{ "FWInfo_Major", offsetof(struct info_row, short_major), FIELD_HEX, false },
	{ "FWInfo_Minor", offsetof(struct info_row, short_minor), FIELD_HEX, false },
	{ "FWInfo_SubMinor", offsetof(struct info_row, short_sub_minor), FIELD_HEX, false },
	{ "CapabilityMask_0", offsetof(struct info_row, capabilities[0]), FIELD_U32, false },
	{ "CapabilityMask_1", offsetof(struct info_row, capabilities[1]), FIELD_U32, false },
	{ "CapabilityMask_2", offsetof(struct info_row, capabilities[2]), FIELD_U32, false },
	{ "CapabilityMask_3", offsetof(struct info_row, capabilities[3]), FIELD_U32, false },
	{ "FWInfo_PSID", offsetof(struct info_row, psid), FIELD_TEXT, false },
	{ "NodeGUID", offsetof(struct info_row, at.node), FIELD_HEX, true },
	{ 0 },
};
#define LONG_VERSION  0x07  /* the first three columns */
#define SHORT_VERSION 0x38  /* the next three */
#define CAPABILITIES  0x3c0 /* the four behind them */

static uint64_t model_id(const struct ibc_node *node)
{
	return (uint64_t)node->vendor_id << 16 | node->device_id;
}

static bool is_informed(const struct db_reader *r, const struct ibc_node *node)
{
	size_t i = 0;

	while (i < r->num_informed && r->informed[i] != model_id(node))
		i++;
	return i < r->num_informed;
}

static void put_mask(const uint32_t dwords[4], uint64_t mask[2])
{
	mask[0] = dwords[0] | (uint64_t)dwords[1] << 32;
	mask[1] = dwords[2] | (uint64_t)dwords[3] << 32;
}

static int read_info(struct db_reader *r, const void *at, char *const *cells)
{
	const struct info_row *row = at;
	bool is_long = (r->known & LONG_VERSION) == LONG_VERSION;
	struct ibc_node *node = r->node;

	(void)cells;
	/* the answer of the device itself is newer */
	if (r->merges && ibc_node_has(node, IBC_ATTR_GENERAL_INFO))
		return 0;
	if (!is_long && (r->known & SHORT_VERSION) != SHORT_VERSION)
		return 0;
	/* "28.39.2048", as the drivers print it */
	node->firmware = arena_printf(
	    r->arena, "%llu.%llu.%04llu",
	    (unsigned long long)(is_long ? row->major : row->short_major),
	    (unsigned long long)(is_long ? row->minor : row->short_minor),
	    (unsigned long long)(is_long ? row->sub_minor : row->short_sub_minor));
	phy_answered_node(node, IBC_ATTR_GENERAL_INFO);
	ibc_attrs_add(&r->provides, IBC_ATTR_GENERAL_INFO);
	if (!is_informed(r, node)) {
		arena_grow(r->arena, &r->informed, r->num_informed, &r->room_informed,
		           sizeof(*r->informed));
		r->informed[r->num_informed++] = model_id(node);
	}
	if ((r->known & CAPABILITIES) == CAPABILITIES) {
		node->has_gmp_capabilities = true;
		put_mask(row->capabilities, node->gmp_capabilities);
	}
	if (row->psid)
		node->psid = utf8_clean(r->arena, row->psid, strlen(row->psid));
	return 0;
}

const struct db_block db_block_info = {
	.name = "NODES_INFO",
	.columns = info_columns,
	.of = DB_NODE,
	.row = read_info,
	.is_physical = true,
};

/* What devices know of the vendor's in subnet management. */
static int read_smp_info(struct db_reader *r, const void *at, char *const *cells)
{
	(void)cells;
	if ((r->known & CAPABILITIES) != CAPABILITIES)
		return 0;
	put_mask(((const struct info_row *)at)->capabilities, r->node->smp_capabilities);
	answers_put(r->node, IBC_ATTR_GENERAL_INFO_SMP, ANSWER_OK);
	return 0;
}

const struct db_block db_block_smp_info = {
	.name = "GENERAL_INFO_SMP",
	.columns = info_columns,
	.known = IBC_ATTR_GENERAL_INFO_SMP,
	.known_in = CAPABILITIES,
	.of = DB_NODE,
	.row = read_smp_info,
};

/*
 * A model of which no device has it in the file has no such attribute, like aggregation nodes: a
 * sweep of ours comes to the same (firmware.c).
 */
void db_info_unanswered(const struct db_reader *r, struct ibc_node *node)
{
	if (is_informed(r, node))
		db_unanswered(r, node, IBC_ATTR_GENERAL_INFO);
	else if (ibc_attrs_has(r->provides, IBC_ATTR_GENERAL_INFO))
		answers_put(node, IBC_ATTR_GENERAL_INFO, ANSWER_UNSUPPORTED);
}
