/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CORPUS_H
#define CORPUS_H

/*
 * What an inference says of trees with faults, held against what is true, and counted.
 * CORPUS_VERBOSE in the environment prints each tree of which not exactly the truth is told.
 *
 * Include it after <cmocka.h>.
 */
#include "analysis/tree/wiring.h"
#include "mkfault.h"

#define FAULTS_MAX 3
#define NAMED_MAX  (8 * TRUTH_MAX)

/*
 * struct named - what is accused, and hosts on spines, which are told
 * @ends: sockets; port 0: a switch, and nobody knows which of its ports
 */
struct named {
	struct tree_end ends[NAMED_MAX];
	unsigned int n, cases;
};

/*
 * struct score - over many trees
 * @complete: exactly the sockets that are true were named
 * @exact: at least half of them, each fault touched, and no other
 * @pair: each fault touched, and no switch that has no part in it
 * @wrong: a switch that has no part in it
 */
struct score {
	unsigned int runs, faults, cases, complete, exact, pair, wrong;
};

/* ---- what is named ---- */

static inline unsigned int tree_switch_of(const struct mktree *t, const struct ibc_node *node)
{
	for (unsigned int i = 0; node && i < t->num_switches; i++)
		if (t->switches[i].guid == node->guid)
			return i;
	return UINT32_MAX; /* a host */
}

static inline void name_end(struct named *named, const struct mktree *t,
                            const struct ibc_node *node, unsigned int port)
{
	struct tree_end end = { tree_switch_of(t, node), port };

	if (end.sw == UINT32_MAX)
		return;
	for (unsigned int i = 0; i < named->n; i++)
		if (same_end(named->ends[i], end))
			return;
	assert_true(named->n < NAMED_MAX);
	named->ends[named->n++] = end;
}

static inline void name_case(struct named *named, const struct mktree *t,
                             const struct wiring_case *k)
{
	named->cases++;
	for (size_t i = 0; i < k->num_found; i++) {
		name_end(named, t, k->found[i]->node, k->found[i]->num);
		name_end(named, t, k->found[i]->peer->node, k->found[i]->peer->num);
	}
	for (size_t i = 0; i < k->num_gaps; i++) {
		name_end(named, t, k->gaps[i].lower.node, k->gaps[i].lower.port);
		name_end(named, t, k->gaps[i].upper.node, k->gaps[i].upper.port);
	}
	for (size_t i = 0; i < k->num_nodes && !k->num_gaps; i++)
		name_end(named, t, k->nodes[i], 0);
}

static inline struct named name_all(const struct mktree *t, const struct ibc_fattree *tree)
{
	struct named named = { .n = 0 };

	for (size_t i = 0; i < tree->num_cases; i++)
		if (tree->cases[i].blamed || tree->cases[i].kind == WIRING_HOST_UP)
			name_case(&named, t, &tree->cases[i]);
	return named;
}

/* Without what was named of the tree before it was broken. */
static inline void forget(struct named *named, const struct named *before)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < named->n; i++) {
		bool old = false;

		for (unsigned int k = 0; k < before->n; k++)
			old |= same_end(named->ends[i], before->ends[k]);
		if (!old)
			named->ends[n++] = named->ends[i];
	}
	named->n = n;
	named->cases -= named->cases < before->cases ? named->cases : before->cases;
}

/* ---- what is true ---- */

static inline bool is_true(const struct truth *f, unsigned int n, struct tree_end end,
                           bool by_switch)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < f[i].n; k++)
			if (same_end(f[i].ends[k], end) || (by_switch && f[i].ends[k].sw == end.sw))
				return true;
	return false;
}

/* How many of the sockets of a fault are named; by switch: how many of its switches. */
static inline unsigned int count_named(const struct named *named, const struct truth *f,
                                       bool by_switch)
{
	unsigned int found = 0;

	for (unsigned int k = 0; k < f->n; k++) {
		bool any = false;

		for (unsigned int i = 0; i < named->n; i++)
			any |= same_end(named->ends[i], f->ends[k]) ||
			       (by_switch && named->ends[i].sw == f->ends[k].sw);
		found += any;
	}
	return found;
}

/* Whether exactly the truth was told, in as many cases as there are faults. */
static inline bool score_run(struct score *score, const struct named *named, const struct truth *f,
                             unsigned int n)
{
	unsigned int all = 0, found = 0;
	bool touched = true, pair_touched = true, only = true, pair_only = true;

	for (unsigned int i = 0; i < n; i++) {
		unsigned int its = count_named(named, &f[i], false);

		all += f[i].n;
		found += its;
		touched &= its > 0;
		pair_touched &= count_named(named, &f[i], true) > 0;
	}
	for (unsigned int i = 0; i < named->n; i++) {
		only &= is_true(f, n, named->ends[i], !named->ends[i].port);
		pair_only &= is_true(f, n, named->ends[i], true);
	}
	score->runs++;
	score->faults += n;
	score->cases += named->cases;
	score->complete += only && found == all;
	score->exact += touched && 2 * found >= all && only;
	score->pair += pair_touched && pair_only;
	score->wrong += !pair_only;
	return only && found == all && named->cases == n;
}

/* ---- telling of it ---- */

static inline void print_case(const struct wiring_case *k)
{
	static const char *const kinds[] = { "same-rank", "missing",   "uneven",    "swapped",
		                             "ports",     "absent",    "host",      "slow",
		                             "rail",      "irregular", "not a tree" };

	printf("#   %s %s:", k->blamed ? "accused" : "told", kinds[k->kind]);
	for (size_t i = 0; i < k->num_found; i++)
		printf(" found %s/%u - %s/%u,", k->found[i]->node->label, k->found[i]->num,
		       k->found[i]->peer->node->label, k->found[i]->peer->num);
	for (size_t i = 0; i < k->num_gaps; i++)
		printf(" gap %s/%u - %s/%u,",
		       k->gaps[i].lower.node ? k->gaps[i].lower.node->label : "?",
		       k->gaps[i].lower.port,
		       k->gaps[i].upper.node ? k->gaps[i].upper.node->label : "?",
		       k->gaps[i].upper.port);
	for (size_t i = 0; i < k->num_nodes; i++)
		printf(" %s,", k->nodes[i]->label);
	printf(" %s\n", k->why ? k->why : "");
}

static inline void print_run(const struct mktree *t, const struct ibc_fattree *tree,
                             const struct truth *f, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		printf("# %s:", fault_names[f[i].kind]);
		for (unsigned int k = 0; k < f[i].n; k++) {
			const struct tree_switch *s = &t->switches[f[i].ends[k].sw];

			printf(" %c-%u-%u-%u-%u/%u", "lsct"[s->tier], s -> rail, s -> region,
			       s -> pod, s -> place, f[i].ends[k].port);
		}
		printf("\n");
	}
	for (size_t i = 0; i < tree->num_cases; i++)
		print_case(&tree->cases[i]);
	printf("#\n");
}

/* Infers a tree with n faults, and ends it; what was named before does not count. */
static inline struct named corpus_run(struct mktree *t, const struct truth *f, unsigned int n,
                                      const struct named *before, struct score *score)
{
	struct tree_switch *switches = malloc(t->num_switches * sizeof(*switches));
	struct mktree kept = *t;
	struct ibc_fattree *tree;
	struct ibc_fabric *fab;
	struct named named;

	assert_non_null(switches);
	memcpy(switches, t->switches, t->num_switches * sizeof(*switches));
	kept.switches = switches;
	fab = mktree_done(t);
	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	named = name_all(&kept, tree);
	if (before)
		forget(&named, before);
	if (!score_run(score, &named, f, n) && getenv("CORPUS_VERBOSE"))
		print_run(&kept, tree, f, n);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
	free(switches);
	return named;
}

/*
 * A fault of a kind, or, of kind FAULTS, n of any kinds but some; how many there are.  A spine
 * goes first, so that no other fault is on its cables.
 */
static inline unsigned int break_tree(struct mktree *t, enum fault_kind kind, unsigned int n,
                                      unsigned int without, struct truth *f)
{
	unsigned int made = 0;

	if (kind != FAULTS)
		return fault_inject(t, kind, f);
	if (!(without & 1u << FAULT_NO_SPINE) && pick(t, FAULTS) < n)
		made += fault_inject(t, FAULT_NO_SPINE, f);
	for (unsigned int attempt = 0; made < n && attempt < 50; attempt++) {
		enum fault_kind any = pick(t, FAULTS);

		if (any != FAULT_NO_SPINE && !(without & 1u << any))
			made += fault_inject(t, any, &f[made]);
	}
	return made;
}

static inline double percent(unsigned int part, unsigned int all)
{
	return all ? 100.0 * part / all : 0;
}

static inline void print_score(const char *fabric, const char *faults, const struct score *s)
{
	printf("# %-16s %-18s %4u runs, complete %5.1f %%, exact %5.1f %%, right switches "
	       "%5.1f %%, others %u, %.2f cases a fault\n",
	       fabric, faults, s->runs, percent(s->complete, s->runs), percent(s->exact, s->runs),
	       percent(s->pair, s->runs), s->wrong,
	       s->faults ? (double)s->cases / s->faults : s->cases);
}

#endif
