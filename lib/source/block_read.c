/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tables of many blocks.  A few blocks of each are asked for ahead, enough to keep a
 * single device busy: a subnet of the largest size has millions of them.
 */
#include "source/sweep.h"

#define AHEAD       16 /* blocks: four times what a device may have in flight at first; a guess */
#define IN_VAIN_MAX 8  /* blocks without an answer since the last one: nor will the others have */

enum answer series_outcome(const struct series *series)
{
	static const enum answer worst_first[] = { ANSWER_NONE, ANSWER_REFUSED,
		                                   ANSWER_UNSUPPORTED };

	for (size_t i = 0; i < sizeof(worst_first) / sizeof(worst_first[0]); i++)
		if (series->outcomes[worst_first[i]])
			return worst_first[i];
	return ANSWER_OK;
}

static void series_note(const struct series *series)
{
	struct ibc_node *node = series->site->node;
	enum ibc_attr attr = series->topic->attr;

	if (series->topic->of_port)
		answers_put(fabric_build_port(node, series->port), attr, series_outcome(series));
	else
		answers_put(node, attr, series_outcome(series));
}

static void ask_block(struct sweep *s, struct series *series)
{
	unsigned int block = series->next++;
	struct question *q = question_new(s, series->site, series->topic, series->port);

	if (!q)
		return;
	q->series = series;
	q->block = block;
	q->modifier = series->modifier ? series->modifier(series, block) : block;
	series->open++;
	question_send(q, series->device);
}

static void ask_ahead(struct sweep *s, struct series *series)
{
	while (series->open < AHEAD && series->next < series->end &&
	       series->in_vain < IN_VAIN_MAX && !s->out_of_memory)
		ask_block(s, series);
}

static void go_on(struct sweep *s, struct series *series)
{
	ask_ahead(s, series);
	if (!series->open && series->ended && !series->ended(s, series))
		ask_ahead(s, series);
	if (!series->open)
		series_note(series);
}

void series_start(struct sweep *s, struct series *series)
{
	go_on(s, series);
}

void series_told(struct sweep *s, struct series *series, enum answer outcome)
{
	series->open--;
	series->outcomes[outcome]++;
	series->in_vain = outcome == ANSWER_OK ? 0 : series->in_vain + 1;
	go_on(s, series);
}

void series_cut(struct sweep *s, struct series *series)
{
	if (series->next >= series->end)
		return;
	s->plane->not_asked += series->end - series->next;
	series->next = series->end;
}
