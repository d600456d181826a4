/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CORPUS_H
#define CORPUS_H

/*
 * What an inference says of trees with faults, held against what is true, and counted.
 *
 * Include it after <cmocka.h>.
 */
#include "analysis/wiring.h"
#include "mkfault.h"

/*
 * struct score - over many trees
 * @complete: exactly the sockets that are true were named
 * @exact: at least half of them, each fault touched, and no other (port 0 is any of a switch)
 * @hit: the same, whatever else was named
 * @pair: each fault touched, and no switch that has no part in it
 */
struct score {
	unsigned int runs, faults, cases, complete, exact, hit, pair;
};

struct named {
	struct tree_end ends[4 * TRUTH_MAX];
	unsigned int n, cases;
};

static inline unsigned int tree_switch_of(const struct mktree *t, const struct ibc_node *node)
{
	for (unsigned int i = 0; i < t->num_switches; i++)
		if (t->switches[i].guid == node->guid)
			return i;
	return UINT32_MAX; /* a host */
}

static inline void name_end(struct named *named, const struct mktree *t,
                            const struct ibc_node *node, unsigned int port)
{
	struct tree_end end = { node ? tree_switch_of(t, node) : UINT32_MAX, port };

	if (!node || end.sw == UINT32_MAX)
		return;
	for (unsigned int i = 0; i < named->n; i++)
		if (same_end(named->ends[i], end))
			return;
	assert_true(named->n < sizeof(named->ends) / sizeof(named->ends[0]));
	named->ends[named->n++] = end;
}

/* All that is accused, and hosts on spines, which are told. */
static inline struct named name_all(const struct mktree *t, const struct ibc_fattree *tree)
{
	struct named named = { .n = 0 };

	for (size_t i = 0; i < tree->num_cases; i++) {
		const struct wiring_case *k = &tree->cases[i];

		if (!k->accused && k->kind != WIRING_HOST_UP)
			continue;
		named.cases++;
		for (size_t p = 0; p < k->num_found; p++) {
			name_end(&named, t, k->found[p]->node, k->found[p]->num);
			name_end(&named, t, k->found[p]->peer->node, k->found[p]->peer->num);
		}
		for (size_t p = 0; p < k->num_gaps; p++) {
			name_end(&named, t, k->gaps[p].lower.node, k->gaps[p].lower.port);
			name_end(&named, t, k->gaps[p].upper.node, k->gaps[p].upper.port);
		}
		for (size_t p = 0; p < k->num_nodes && !k->num_gaps; p++)
			name_end(&named, t, k->nodes[p], 0);
	}
	return named;
}

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

static inline void score_run(struct score *score, const struct named *named, const struct truth *f,
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
	score->complete += only && found == all && n > 0;
	score->hit += touched && 2 * found >= all;
	score->exact += touched && 2 * found >= all && only;
	score->pair += pair_touched && pair_only;
}

static inline void print_case(const struct wiring_case *k)
{
	static const char *const kinds[] = { "same-rank", "missing",   "uneven",  "swapped",
		                             "ports",     "no spine",  "host up", "slow",
		                             "rail",      "irregular", "not tree" };

	printf("  %s %s%s%s", k->accused ? "CASE" : "info", kinds[k->kind], k->why ? ": " : "",
	       k->why ? k->why : "");
	for (size_t p = 0; p < k->num_found; p++)
		printf("; found %s/%u - %s/%u", k->found[p]->node->label, k->found[p]->num,
		       k->found[p]->peer->node->label, k->found[p]->peer->num);
	for (size_t p = 0; p < k->num_gaps; p++)
		printf("; gap %s/%u - %s/%u",
		       k->gaps[p].lower.node ? k->gaps[p].lower.node->label : "?",
		       k->gaps[p].lower.port,
		       k->gaps[p].upper.node ? k->gaps[p].upper.node->label : "?",
		       k->gaps[p].upper.port);
	for (size_t p = 0; p < k->num_nodes; p++)
		printf("; node %s", k->nodes[p]->label);
	printf("\n");
}

/* Infers a tree with n faults, and ends it. */
static inline void corpus_run(struct mktree *t, const struct truth *f, unsigned int n,
                              struct score *score)
{
	struct mktree kept = *t;
	struct ibc_fattree *tree;
	struct ibc_fabric *fab;
	struct named named;
	unsigned int before = score->complete;

	kept.switches = malloc(t->num_switches * sizeof(*t->switches));
	memcpy(kept.switches, t->switches, t->num_switches * sizeof(*t->switches));
	fab = mktree_done(t);
	assert_int_equal(ibc_fattree_infer(fab, &tree, NULL), 0);
	named = name_all(&kept, tree);
	score_run(score, &named, f, n);
	if (getenv("CORPUS_VERBOSE") && (score->complete == before || named.cases != n) &&
	    (n || named.cases)) {
		for (unsigned int i = 0; i < n; i++) {
			printf("  true %s", fault_names[f[i].kind]);
			for (unsigned int k = 0; k < f[i].n && k < 8; k++) {
				const struct tree_switch *s = &kept.switches[f[i].ends[k].sw];

				printf(" %c-%u-%u-%u-%u/%u", "lsct"[s->tier], s -> rail,
				       s -> region, s -> pod, s -> place, f[i].ends[k].port);
			}
			printf("\n");
		}
		for (size_t i = 0; i < tree->num_cases; i++)
			print_case(&tree->cases[i]);
		for (uint32_t i = 0; i < tree->switches.n; i++)
			if (getenv("CORPUS_RANKS"))
				printf("  %s rank %d group %d hosts %u\n",
				       tree->switches.nodes[i]->label, tree->rank[i],
				       (int)tree->groups.as_lower[i], tree->switches.hosts[i]);
		printf("\n");
	}
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
	free(kept.switches);
}

#endif
