/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tables of many blocks.  A few blocks of each are asked for ahead, enough to keep a
 * single device busy: a subnet of the largest size has millions of them.
 */
#include "source/sweep/sweep.h"

#define AHEAD       16 /* blocks: four times what a device may have in flight at first; a guess */
#define IN_VAIN_MAX 8  /* blocks without an answer since the last one: nor will the others have */

enum answer blocks_outcome(const struct blocks *blocks)
{
	static const enum answer worst_first[] = { ANSWER_NONE, ANSWER_REFUSED,
		                                   ANSWER_UNSUPPORTED };

	for (size_t i = 0; i < sizeof(worst_first) / sizeof(worst_first[0]); i++)
		if (blocks->outcomes[worst_first[i]])
			return worst_first[i];
	return ANSWER_OK;
}

static void ask_ahead(struct sweep *s, struct blocks *blocks)
{
	while (blocks->open < AHEAD && blocks->next < blocks->end &&
	       blocks->in_vain < IN_VAIN_MAX) {
		unsigned int block = blocks->next++;
		struct query *q = query_new(s, blocks->dev, blocks->handler, blocks->port);

		q->blocks = blocks;
		q->block = block;
		q->modifier = blocks->modifier ? blocks->modifier(blocks, block) : block;
		blocks->open++;
		query_send(q, blocks->device);
	}
}

void blocks_go_on(struct sweep *s, struct blocks *blocks)
{
	ask_ahead(s, blocks);
	if (!blocks->open && blocks->ended && !blocks->ended(s, blocks))
		ask_ahead(s, blocks);
	if (!blocks->open) {
		struct ibc_node *node = blocks->dev->node;
		enum ibc_attr attr = blocks->handler->attr;

		if (blocks->handler->of_port)
			answers_put(fabric_build_port(node, blocks->port), attr,
			            blocks_outcome(blocks));
		else
			answers_put(node, attr, blocks_outcome(blocks));
	}
}

void blocks_known(struct sweep *s, struct blocks *blocks, enum answer outcome)
{
	blocks->open--;
	blocks->outcomes[outcome]++;
	blocks->in_vain = outcome == ANSWER_OK ? 0 : blocks->in_vain + 1;
	blocks_go_on(s, blocks);
}

void blocks_cut(struct sweep *s, struct blocks *blocks)
{
	if (blocks->next >= blocks->end)
		return;
	s->subnet->not_asked += blocks->end - blocks->next;
	blocks->next = blocks->end;
}
