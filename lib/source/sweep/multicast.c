/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * MulticastForwardingTables: of each block of MLIDs as many parts as a switch has ports
 * by sixteen.  Where MulticastFDBTop says nothing, blocks are read until one is empty.
 * Most are, so the parts that hold something are kept aside until it is known how many
 * MLIDs there are.
 */

#include "source/sweep/sweep.h"
#include "wire/tables.h"

#define MLID_BLOCKS 512 /* that a modifier can mean */

/* A part of a block that is not empty. */
struct mft_part {
	struct mft_part *next;
	uint16_t sets[IBC_MFT_BLOCK];
	uint16_t block;
	uint8_t position;
};

struct mft {
	struct blocks blocks;
	struct engine_device device;
	struct mft *next;
	struct mft_part *kept;
	unsigned int parts; /* of a block */
	bool endless;       /* MulticastFDBTop does not say where it ends */
	uint8_t known[MLID_BLOCKS];
	bool used[MLID_BLOCKS];
};

static uint32_t part_modifier(const struct blocks *blocks, unsigned int part)
{
	const struct mft *mft = (const struct mft *)blocks;

	return mft_modifier(part % mft->parts, part / mft->parts);
}

static bool learn_mft(struct query *q, const uint8_t *data)
{
	struct mft *mft = (struct mft *)q->blocks;
	unsigned int position = q->block % mft->parts, block = q->block / mft->parts;
	unsigned int left = q->dev->node->num_ports + 1u - MFT_PORTS * position;
	uint16_t mask = left < MFT_PORTS ? (uint16_t)((1u << left) - 1) : 0xffff;
	struct mft_part part = { .block = (uint16_t)block, .position = (uint8_t)position }, *kept;
	bool used = false;

	block_words_get(data, part.sets);
	/* that it sends by ports which it does not have is not believed */
	for (unsigned int i = 0; i < IBC_MFT_BLOCK; i++) {
		part.sets[i] &= mask;
		used |= part.sets[i];
	}
	mft->known[block]++;
	if (!used) {
		if (mft->endless && mft->known[block] == mft->parts && !mft->used[block] &&
		    mft->blocks.end > (block + 1) * mft->parts)
			mft->blocks.end = (block + 1) * mft->parts;
		return true;
	}
	mft->used[block] = true;
	kept = sweep_alloc(q->sweep, 1, sizeof(*kept));
	*kept = part;
	kept->next = mft->kept;
	mft->kept = kept;
	return true;
}

static const struct handler handler_mft = { SMP_MULTICAST_FDB, IBC_ATTR_MFT, .learn = learn_mft };

static void read_mft(struct sweep *s, struct device *dev)
{
	const struct ibc_node *node = dev->node;
	unsigned int first_free = node->mft_top ? node->mft_top + 1u : UINT32_MAX;
	unsigned int mlids = node->mft_cap, blocks;
	struct mft *mft = sweep_alloc(s, 1, sizeof(*mft));

	/* how many blocks there are, or may be */
	if (first_free <= IBC_MLID_FIRST)
		mlids = 0;
	else if (mlids > first_free - IBC_MLID_FIRST)
		mlids = first_free - IBC_MLID_FIRST;
	blocks = (mlids + IBC_MFT_BLOCK - 1) / IBC_MFT_BLOCK;
	mft->blocks = (struct blocks){
		.dev = dev,
		.handler = &handler_mft,
		.device = &mft->device,
		.modifier = part_modifier,
	};
	mft->parts = node->num_ports / MFT_PORTS + 1;
	mft->endless = node->mft_top == 0;
	mft->blocks.end = (blocks < MLID_BLOCKS ? blocks : MLID_BLOCKS) * mft->parts;
	mft->next = s->mfts;
	s->mfts = mft;
	blocks_go_on(s, &mft->blocks);
}

/* Without SwitchInfo it is not known whether there is such a table. */
void multicast_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		if (ibc_node_has(dev->node, IBC_ATTR_SWITCH_INFO))
			read_mft(s, dev);
		else if (dev->node->type == IBC_NODE_SWITCH)
			answers_put(dev->node, IBC_ATTR_MFT, ANSWER_NONE);
	}
}

/* ---- into the model ------------------------------------------------------------- */

void multicast_finish(struct sweep *s)
{
	struct fabric_multicast *m;
	unsigned int blocks = 0;

	if (!s->mfts)
		return;
	for (const struct mft *mft = s->mfts; mft; mft = mft->next)
		for (const struct mft_part *part = mft->kept; part; part = part->next)
			if (part->block >= blocks)
				blocks = part->block + 1u;
	m = fabric_build_multicast(s->b, s->subnet, blocks * IBC_MFT_BLOCK);
	for (const struct mft *mft = s->mfts; mft; mft = mft->next) {
		const struct ibc_multicast *t = &m->tables;
		size_t column = fabric_column(t->switches, t->num_switches, mft->blocks.dev->node);

		for (unsigned int block = 0; block * IBC_MFT_BLOCK < t->num_mlids; block++)
			m->known[block * t->num_switches + column] = mft->known[block] ==
			                                                 mft->parts ||
			                                             block * mft->parts >=
			                                                 mft->blocks.end;
		for (const struct mft_part *part = mft->kept; part; part = part->next) {
			for (size_t i = 0; i < IBC_MFT_BLOCK; i++) {
				size_t mlid = IBC_MFT_BLOCK * part->block + i;
				uint64_t set = part->sets[i];

				m->ports[(mlid * t->num_switches + column) * 4 +
				         part->position / 4] |= set
				                                << part->position % 4 * MFT_PORTS;
			}
		}
	}
}
