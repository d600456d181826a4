/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COMPARED_H
#define COMPARED_H

/*
 * What a comparison says, as lines: a deviation with the nodes and cables it is about, and
 * the steps of its fault; cables as planned or as found, "+" before what is surplus:
 *
 *	"swapped leaf01/1-spine01/1 leaf02/1-spine02/1 +leaf01/1-spine02/1 +...\n"
 *	"  exchange spine01/1 of leaf02/1 and spine02/1 of leaf01/1\n"
 *
 * Include it after <cmocka.h>; it brings mkfab.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare/compare.h"
#include "base/arena.h"
#include "mkfab.h"

static inline void print_place(FILE *out, const struct ibc_place *at)
{
	if (at->node && at->port)
		fprintf(out, "%s/%u", at->node->label, at->port);
	else
		fputs(at->node ? at->node->label : "?", out);
}

static inline void print_step(FILE *out, const struct ibc_step *s)
{
	const struct ibc_place *places[] = { &s->from, &s->peer, &s->to, &s->to_peer };
	const char *const words[] = { "", " of ", " to ", " of " };
	bool any = false;

	fprintf(out, "  %s ", ibc_action_word(s->action)->word);
	for (size_t i = 0; i < 4; i++) {
		if (!places[i]->node)
			continue;
		fputs(any ? words[i] : "", out);
		print_place(out, places[i]);
		any = true;
	}
	fputc('\n', out);
}

static inline void print_ends(FILE *out, const char *mark, const struct ibc_port *p)
{
	fprintf(out, " %s%s/%u", mark, p->node->label, p->num);
	if (p->peer)
		fprintf(out, "-%s/%u", p->peer->node->label, p->peer->num);
}

static inline void print_deviation(FILE *out, const struct ibc_comparison *cmp,
                                   const struct deviation *d)
{
	static const char *const kinds[] = {
		[DEVIATION_MISSING_NODE] = "missing-node",
		[DEVIATION_UNEXPECTED_NODE] = "unexpected-node",
		[DEVIATION_REPLACED_NODE] = "replaced-node",
		[DEVIATION_RENAMED_NODE] = "renamed-node",
		[DEVIATION_TWO_NAMES] = "two-names",
		[DEVIATION_EXCHANGED_NODES] = "exchanged-nodes",
		[DEVIATION_MISSING_CABLE] = "missing-cable",
		[DEVIATION_UNEXPECTED_CABLE] = "unexpected-cable",
		[DEVIATION_MISWIRED] = "miswired",
		[DEVIATION_SWAPPED] = "swapped",
		[DEVIATION_WRONG_PORT] = "wrong-port",
		[DEVIATION_SLOW] = "slow",
		[DEVIATION_NARROW] = "narrow",
		[DEVIATION_UNCHECKED] = "unchecked",
		[DEVIATION_PLAN] = "plan",
	};
	const struct ibc_step *s;

	fputs(kinds[d->kind], out);
	for (size_t i = 0; i < d->num_planned_nodes; i++)
		fprintf(out, " %s", d->planned_nodes[i]->label);
	for (size_t i = 0; i < d->num_found_nodes; i++)
		fprintf(out, " +%s", d->found_nodes[i]->label);
	for (size_t i = 0; i < d->num_planned; i++)
		print_ends(out, "", d->planned[i]);
	for (size_t i = 0; i < d->num_found; i++)
		print_ends(out, "+", d->found[i]);
	if (d->why)
		fprintf(out, ": %s", d->why);
	if (d->waits_for)
		fprintf(out, ": waits for %s", d->waits_for->label);
	fputc('\n', out);
	for (size_t i = 0; (s = ibc_comparison_step(cmp, i)); i++) {
		if (d->fault && s->fault == d->fault)
			print_step(out, s);
	}
}

/* To be freed by the caller. */
static inline char *compared_text(const struct ibc_comparison *cmp)
{
	const struct deviation *d;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; (d = comparison_deviation(cmp, i)); i++)
		print_deviation(out, cmp, d);
	fclose(out);
	return text;
}

/* Two fabrics and what they are to each other, to be freed together. */
struct compared {
	struct ibc_fabric *plan, *found;
	struct ibc_comparison *cmp;
};

static inline struct compared compared(struct mkfab planned, struct mkfab found)
{
	struct compared c = { .plan = done(planned), .found = done(found) };

	assert_int_equal(ibc_compare(c.plan, c.found, NULL, &c.cmp, NULL), 0);
	return c;
}

static inline void compared_free(struct compared *c)
{
	ibc_comparison_free(c->cmp);
	ibc_fabric_free(c->plan);
	ibc_fabric_free(c->found);
}

static inline void expect_compared(struct mkfab planned, struct mkfab found, const char *text)
{
	struct compared c = compared(planned, found);
	char *said = compared_text(c.cmp);

	assert_string_equal(said, text);
	free(said);
	compared_free(&c);
}

/* Whichever allocation fails, and those after it: that is told, and nothing breaks. */
static inline void expect_no_memory_told(struct mkfab planned, struct mkfab found)
{
	struct ibc_fabric *plan = done(planned), *fab = done(found);
	struct ibc_comparison *cmp;
	unsigned long n = 0;
	int rc;

	do {
		struct ibc_error err = { "" };

		alloc_fail_at(++n);
		rc = ibc_compare(plan, fab, NULL, &cmp, &err);
		alloc_fail_at(0);
		assert_true(rc == 0 || (rc == -ENOMEM && *err.text));
	} while (rc);
	assert_true(n > 20);
	ibc_comparison_free(cmp);
	ibc_fabric_free(plan);
	ibc_fabric_free(fab);
}

#endif
