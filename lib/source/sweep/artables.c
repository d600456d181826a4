/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adaptive tables of switches that route adaptively: groups of ports, and for each LID a group.
 * Their LFTs have been read before, and each LID has its static port there too, so both are
 * compared as blocks arrive.  Where they differ, the subnet manager may be writing tables: LFT,
 * groups and LIDs of that switch are read once more.
 */
#include "source/sweep/artables.h"

#include <string.h>

#include "base/hash.h"

#define QUARTERS    (IBC_LFT_BLOCK / AR_LFT_LIDS)
#define AGREED_PART 0.99 /* of LIDs: the others the manager may have written meanwhile */

/* A block of 64 LIDs, of which some have been read. */
struct ar_partial {
	uint16_t entries[IBC_LFT_BLOCK];
	unsigned int answered; /* bit n: LIDs 16 n .. 16 n + 15 */
	struct ar_partial *next_spare;
};

/* ---- private LFTs ------------------------------------------------------------------------ */

static size_t switch_column(const struct sweep *s, const struct device *dev)
{
	const struct ibc_forwarding *f = &s->forwarding->tables;

	return fabric_column(f->switches, f->num_switches, dev->node);
}

static bool learn_private_lfts(struct query *q, const uint8_t *data)
{
	struct sweep *s = q->sweep;

	if (private_lfts_get(data))
		fabric_ar_private(s->b, s->forwarding, switch_column(s, q->dev));
	return true;
}

static const struct handler handler_private_lfts = { SMP_PRIVATE_LFT_INFO, IBC_ATTR_PRIVATE_LFT,
	                                             .learn = learn_private_lfts };

static bool has_tables(const struct sweep *s, const struct device *dev)
{
	return s->forwarding && dev->node->type == IBC_NODE_SWITCH &&
	       ibc_node_has(dev->node, IBC_ATTR_SWITCH_INFO) && ibc_node_adaptive_sls(dev->node);
}

static bool has_private_lfts(const struct ibc_node *node)
{
	return ibc_node_smp_capability(node, IBC_SMP_PRIVATE_LFT) == 1;
}

void ar_private_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next)
		if (has_tables(s, dev) && has_private_lfts(dev->node))
			smp_vendor_ask(s, dev, &handler_private_lfts, 0);
}

/* ---- what comes ---------------------------------------------------------------------------- */

static void digest(struct ar_read *r, uint16_t attribute, unsigned int block, const uint8_t *data)
{
	uint64_t hash = hash_mix((uint64_t)attribute << 32 | block), word;

	for (size_t i = 0; i < SMP_DATA_SIZE; i += sizeof(word)) {
		memcpy(&word, data + i, sizeof(word));
		hash = hash_mix(hash ^ word);
	}
	r->digest += hash; /* blocks come in any order */
}

static bool learn_groups(struct query *q, const uint8_t *data)
{
	struct ar_read *r = ((struct ar_groups *)q->blocks)->of;

	memcpy(r->masks[(size_t)AR_MASKS * q->block], data, SMP_DATA_SIZE);
	digest(r, SMP_AR_GROUPS, q->block, data);
	r->groups_answered++;
	return true;
}

/* Once all of it is there, a block is kept with those that are equal. */
static void put_quarter(struct sweep *s, struct ar_read *r, unsigned int n,
                        const uint16_t entries[AR_LFT_LIDS])
{
	const size_t block = n / QUARTERS;
	struct ar_partial *p = r->partial[block];
	unsigned int there_are = r->lids.end - n / QUARTERS * QUARTERS;

	if (!p) {
		p = s->spare_partial;
		if (p)
			s->spare_partial = p->next_spare;
		else
			p = sweep_alloc(s, 1, sizeof(*p));
		p->answered = 0;
		for (size_t i = 0; i < IBC_LFT_BLOCK; i++)
			p->entries[i] = IBC_AR_ENTRY_STATIC << IBC_AR_ENTRY_SHIFT;
		r->partial[block] = p;
	}
	memcpy(p->entries + n % QUARTERS * AR_LFT_LIDS, entries, AR_LFT_LIDS * sizeof(*entries));
	p->answered |= 1u << n % QUARTERS;
	if (p->answered + 1 != 1u << (there_are < QUARTERS ? there_are : QUARTERS))
		return;
	fabric_ar_block(s->b, s->forwarding, r->column, block, p->entries);
	r->partial[block] = NULL;
	p->next_spare = s->spare_partial;
	s->spare_partial = p;
}

static bool learn_lids(struct query *q, const uint8_t *data)
{
	const struct ibc_forwarding *f = &q->sweep->forwarding->tables;
	struct ar_read *r = (struct ar_read *)q->blocks;
	uint16_t entries[AR_LFT_LIDS];
	uint8_t ports[AR_LFT_LIDS];

	ar_lft_get(data, entries, ports);
	for (unsigned int i = 0; i < AR_LFT_LIDS; i++) {
		unsigned int lid = AR_LFT_LIDS * q->block + i;
		unsigned int group = entries[i] & AR_NO_GROUP, out;

		if (lid > r->top) {
			entries[i] = IBC_AR_ENTRY_STATIC << IBC_AR_ENTRY_SHIFT;
			continue;
		}
		out = f->out[lid * f->stride + r->column];
		r->compared += out != IBC_NO_ENTRY; /* nor is it one that is not known */
		r->differ += out != IBC_NO_ENTRY && out != ports[i];
		if (entries[i] >> IBC_AR_ENTRY_SHIFT != IBC_AR_ENTRY_STATIC &&
		    group < IBC_AR_GROUPS)
			r->used[group / 64] |= 1ull << group % 64;
	}
	put_quarter(q->sweep, r, q->block, entries);
	digest(r, SMP_AR_LFT, q->block, data);
	r->lids_answered++;
	return true;
}

static const struct handler handler_groups = { SMP_AR_GROUPS, IBC_ATTR_AR_GROUPS,
	                                       .learn = learn_groups };
static const struct handler handler_lids = { SMP_AR_LFT, IBC_ATTR_AR_LFT, .learn = learn_lids };

/* ---- reading ------------------------------------------------------------------------------- */

static void start_reading(struct sweep *s, struct ar_read *r)
{
	const unsigned int masks = r->num_groups * r->sub_groups;

	r->groups.of = r;
	r->groups.blocks = (struct blocks){
		.dev = r->lids.dev,
		.handler = &handler_groups,
		.device = &r->device,
		.end = (masks + AR_MASKS - 1) / AR_MASKS,
	};
	r->lids = (struct blocks){
		.dev = r->lids.dev,
		.handler = &handler_lids,
		.device = &r->device,
		.end = r->top / AR_LFT_LIDS + 1,
	};
	blocks_go_on(s, &r->groups.blocks);
	blocks_go_on(s, &r->lids);
}

/* Not of switches with private LFTs: of several tables one says nothing. */
void ar_tables_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		const struct ibc_ar_info *info = dev->node->ar;
		const struct ibc_ar_tables *known;
		struct ar_read *r;

		if (!has_tables(s, dev))
			continue;
		known = s->forwarding->tables.ar;
		if (known && known->switches[switch_column(s, dev)].private_tables)
			continue;
		r = sweep_alloc(s, 1, sizeof(*r));
		r->lids.dev = dev;
		r->column = switch_column(s, dev);
		r->top = forwarding_top(dev->node);
		r->num_groups = info->group_top + 1u;
		r->sub_groups = info->sub_groups ? info->sub_groups : 1;
		r->masks = sweep_alloc(s, (size_t)r->num_groups * r->sub_groups + 1, AR_MASK_SIZE);
		r->partial = sweep_alloc(s, r->top / IBC_LFT_BLOCK + 1, sizeof(*r->partial));
		r->next = s->ar_reads;
		s->ar_reads = r;
		start_reading(s, r);
	}
}

void ar_static_again(struct sweep *s)
{
	for (struct ar_read *r = s->ar_reads; r; r = r->next) {
		r->again = r->differ;
		if (!r->again)
			continue;
		TRACE(s->opts->trace, IBC_TRACE_ROUTES,
		      "0x%016" PRIx64 ": %zu of %zu LIDs have another static port in the adaptive "
		      "table than in the LFT: read once more",
		      r->lids.dev->node->guid, r->differ, r->compared);
		forwarding_again(s, r->lids.dev);
	}
}

void ar_tables_again(struct sweep *s)
{
	for (struct ar_read *r = s->ar_reads; r; r = r->next) {
		if (!r->again)
			continue;
		r->first_digest = r->digest;
		r->digest = r->compared = r->differ = r->lids_answered = r->groups_answered = 0;
		memset(r->used, 0, sizeof(r->used));
		for (size_t i = 0; i <= r->top / IBC_LFT_BLOCK; i++)
			if (r->partial[i])
				r->partial[i]->answered = 0;
		start_reading(s, r);
	}
}

/* ---- in the end ------------------------------------------------------------------------------ */

static enum ibc_ar_gap what_lacks(const struct ar_read *r)
{
	const struct ibc_node *node = r->lids.dev->node;
	const bool number_known = !has_private_lfts(node) ||
	                          ibc_node_has(node, IBC_ATTR_PRIVATE_LFT);

	/* blocks for which no time was left have no outcome */
	if (r->lids_answered < r->top / AR_LFT_LIDS + 1 ||
	    r->groups_answered < (r->num_groups * r->sub_groups + AR_MASKS - 1) / AR_MASKS ||
	    !ibc_node_has(node, IBC_ATTR_LFT) || !number_known)
		return IBC_AR_UNREAD;
	if ((double)(r->compared - r->differ) >= AGREED_PART * (double)r->compared)
		return IBC_AR_NO_GAP;
	return r->again && r->digest != r->first_digest ? IBC_AR_CHANGED : IBC_AR_UNCLEAR;
}

void ar_tables_finish(struct sweep *s)
{
	if (s->lid_conflict || s->endless)
		return;
	for (struct ar_read *r = s->ar_reads; r; r = r->next)
		r->gap = what_lacks(r);
	ar_calibrate(s, s->ar_reads);
	for (struct ar_read *r = s->ar_reads; r; r = r->next)
		if (r->gap)
			fabric_ar_gap(s->b, s->forwarding, r->column, r->gap);
}
