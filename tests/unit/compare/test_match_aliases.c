/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan some rows of which have a name that is wrong: what is it taken for? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/nodename.h"
#include "compared.h"
#include "mkmatch.h"

/* ---- plans with a slip ---- */

/* So many of the cables of a node, from the first, are of another name; all: it has that name. */
static void misspell(struct wires *plan, uint32_t node, const char *name, size_t cables)
{
	uint32_t slip = (uint32_t)plan->num_nodes;
	size_t all = 0;

	for (size_t i = 0; i < plan->num_cables; i++)
		for (int e = 0; e < 2; e++)
			all += plan->cables[i].end[e].node == node;
	if (cables >= all) {
		snprintf(plan->nodes[node].desc, sizeof(plan->nodes[node].desc), "%s", name);
		return;
	}
	plan->nodes = realloc(plan->nodes, (slip + 1u) * sizeof(*plan->nodes));
	assert_non_null(plan->nodes);
	plan->nodes[slip] = plan->nodes[node];
	plan->nodes[slip].guid = slip + 1;
	snprintf(plan->nodes[slip].desc, sizeof(plan->nodes[slip].desc), "%s", name);
	plan->num_nodes++;
	for (size_t i = 0; i < plan->num_cables; i++)
		for (int e = 0; e < 2 && cables; e++)
			if (plan->cables[i].end[e].node == node) {
				plan->cables[i].end[e].node = slip;
				cables--;
			}
}

static struct pair named_pair(const char *spec)
{
	struct pair p = pair_of(spec);

	wires_name_only(&p.plan);
	return p;
}

/* What is said of it; to be freed. */
static char *said_of(const struct pair *p)
{
	struct compared c = { .plan = wires_done(&p->plan), .found = wires_done(&p->real) };
	char *text;

	assert_int_equal(ibc_compare(c.plan, c.found, NULL, &c.cmp, NULL), 0);
	text = compared_text(c.cmp);
	compared_free(&c);
	return text;
}

static void expect_said(struct pair *p, const char *text)
{
	char *said = said_of(p);

	assert_string_equal(said, text);
	free(said);
	wires_free(&p->plan);
	wires_free(&p->real);
}

#define LEAF(p) wires_named(&(p).plan, "leaf03")

static void a_slip_in_one_row_is_a_second_name(void **state)
{
	static const char *const slips[] = { "leaf3",  "LEAF03", "leaf-03", "leaf003",
		                             "leef03", "lea03",  "laef03",  "leaf037" };

	(void)state;
	for (size_t i = 0; i < sizeof(slips) / sizeof(slips[0]); i++) {
		struct pair p = named_pair(SMALL);
		char text[64];

		misspell(&p.plan, LEAF(p), slips[i], 1);
		snprintf(text, sizeof(text), "two-names %s +leaf03\n", slips[i]);
		expect_said(&p, text);
	}
}

static void a_slip_in_some_rows_is_a_second_name(void **state)
{
	(void)state;
	for (size_t cables = 2; cables < 6; cables++) {
		struct pair p = named_pair(SMALL);

		misspell(&p.plan, LEAF(p), "leef03", cables);
		expect_said(&p, "two-names leef03 +leaf03\n");
	}
}

static void a_slip_in_all_rows_is_another_name(void **state)
{
	struct pair p = named_pair(SMALL);

	(void)state;
	misspell(&p.plan, LEAF(p), "leef03", 100);
	expect_said(&p, "renamed-node leef03 +leaf03\n  rename leaf03 to leef03\n");
}

static void two_slips_in_all_rows_are_two_names(void **state)
{
	struct pair p = named_pair(SMALL);

	(void)state;
	misspell(&p.plan, LEAF(p), "leef03", 2);
	misspell(&p.plan, LEAF(p), "laef03", 100);
	expect_said(&p, "renamed-node laef03 +leaf03\n  rename leaf03 to laef03\n"
	                "two-names leef03 +leaf03\n");
}

static void three_cables_at_their_ports_make_any_name_a_second_one(void **state)
{
	struct pair p = named_pair(SMALL);

	(void)state;
	misspell(&p.plan, LEAF(p), "rack 7 middle", 3);
	expect_said(&p, "two-names rack 7 middle +leaf03\n");
}

static void a_slip_in_a_host_is_another_name(void **state)
{
	struct pair p = named_pair(SMALL);

	(void)state;
	misspell(&p.plan, wires_named(&p.plan, "node0005 mlx5_0"), "node005 mlx5_0", 1);
	expect_said(&p, "renamed-node node005 mlx5_0 +node0005 mlx5_0\n"
	                "  rename node0005 mlx5_0 to node005 mlx5_0\n");
}

/* Both ends of one cable: no neighbour of theirs is known. */
static void two_slips_in_a_row_vouch_for_each_other(void **state)
{
	struct pair p = named_pair(SMALL);
	uint32_t cable = 0, slip = (uint32_t)p.plan.num_nodes;

	(void)state;
	while (!wires_is_trunk(&p.plan, cable))
		cable++;
	p.plan.nodes = realloc(p.plan.nodes, (slip + 2u) * sizeof(*p.plan.nodes));
	assert_non_null(p.plan.nodes);
	for (int e = 0; e < 2; e++) {
		struct wire_node *n = &p.plan.nodes[slip];

		*n = p.plan.nodes[p.plan.cables[cable].end[e].node];
		n->guid = slip + 1u;
		n->desc[1] = 'x';
		p.plan.cables[cable].end[e].node = slip++;
	}
	p.plan.num_nodes = slip;
	expect_said(&p, "two-names lxaf01 +leaf01\ntwo-names sxine01 +spine01\n");
}

/* ---- what is none ---- */

static void a_name_exchanged_with_another_is_no_slip(void **state)
{
	struct pair p = named_pair(SMALL);
	uint32_t third = LEAF(p), fourth = wires_named(&p.plan, "leaf04");
	struct wire_end *a = NULL, *z = NULL;
	char *said;

	(void)state;
	for (size_t i = 0; i < p.plan.num_cables; i++)
		for (int e = 0; e < 2; e++) {
			struct wire_end *end = &p.plan.cables[i].end[e];

			a = !a && end->node == third ? end : a;
			z = !z && end->node == fourth ? end : z;
		}
	a->node = fourth;
	z->node = third;
	said = said_of(&p);
	assert_non_null(strstr(said, "swapped "));
	assert_null(strstr(said, "two-names"));
	free(said);
	wires_free(&p.plan);
	wires_free(&p.real);
}

static void a_missing_switch_with_a_name_like_another_is_missing(void **state)
{
	struct pair p = named_pair(SMALL);
	uint32_t leaf = LEAF(p);
	char *said;

	(void)state;
	strcpy(p.plan.nodes[leaf].desc, "leaf4");
	wires_remove(&p.real, leaf);
	said = said_of(&p);
	assert_ptr_equal(strstr(said, "missing-node leaf4 "), said);
	assert_null(strstr(said, "two-names"));
	free(said);
	wires_free(&p.plan);
	wires_free(&p.real);
}

/* A plug of another switch is in the place of one that is missing. */
static void what_is_in_the_place_of_a_missing_switch_stays_plugged_in(void **state)
{
	struct pair p = named_pair(SMALL);
	uint32_t leaf = LEAF(p), fourth = wires_named(&p.plan, "leaf04"), cable = 0;
	char *said;

	(void)state;
	while (!wires_is_trunk(&p.real, cable) || p.real.cables[cable].end[0].node != leaf)
		cable++;
	wires_remove(&p.real, leaf);
	p.real.cables[cable].gone = false;
	p.real.cables[cable].end[0] = (struct wire_end){ fourth, 30 };
	said = said_of(&p);
	assert_non_null(strstr(said, "missing-node leaf03 "));
	assert_non_null(strstr(said, "unexpected-cable +leaf04/30-spine01/3: waits for leaf03\n"));
	assert_null(strstr(said, "  remove"));
	free(said);
	wires_free(&p.plan);
	wires_free(&p.real);
}

/* ---- any slip of any name of any plan ---- */

/* One letter of the name, up to that of its HCA; false: it would be somebody else's. */
static bool slip_of(struct wires *w, uint32_t node, char out[64])
{
	const char *name = w->nodes[node].desc;
	size_t length = strcspn(name, " "), at = wires_random(w, length);
	char letter = "abcxyz0179"[wires_random(w, 10)];

	switch (wires_random(w, 4)) {
	case 0: /* another one */
		snprintf(out, 64, "%.*s%c%s", (int)at, name, letter, name + at + 1);
		break;
	case 1: /* one too many */
		snprintf(out, 64, "%.*s%c%s", (int)at, name, letter, name + at);
		break;
	case 2: /* one too few */
		snprintf(out, 64, "%.*s%s", (int)at, name, name + at + 1);
		break;
	default: /* two change places */
		at = at ? at - 1 : 0;
		snprintf(out, 64, "%.*s%c%c%s", (int)at, name, name[at + 1], name[at],
		         name + at + 2);
	}
	for (uint32_t i = 0; i < w->num_nodes; i++)
		if (!strcmp(w->nodes[i].desc, out) ||
		    (i != node && names_compare(w->nodes[i].desc, out) == NAMES_EQUAL))
			return false;
	return true;
}

static void try_slips(const char *shape, unsigned int seed)
{
	struct pair p = named_pair(shape);
	const uint32_t nodes = (uint32_t)p.plan.num_nodes;
	uint32_t gone = MATCH_NONE, node[2];
	char slip[2][64], *said, text[160];

	p.plan.random = seed;
	for (int i = 0; i < 2; i++) {
		do
			node[i] = wires_random(&p.plan, nodes);
		while ((i && node[1] == node[0]) || !slip_of(&p.plan, node[i], slip[i]));
		misspell(&p.plan, node[i], slip[i], 1 + wires_random(&p.plan, 6));
	}
	while (seed % 2 && (gone == MATCH_NONE || gone == node[0] || gone == node[1] ||
	                    p.plan.nodes[gone].type != IBC_NODE_SWITCH))
		gone = wires_random(&p.plan, nodes);
	if (gone != MATCH_NONE)
		wires_remove(&p.real, gone);
	said = said_of(&p);
	snprintf(text, sizeof(text), "missing-node %s ",
	         gone == MATCH_NONE ? "" : p.plan.nodes[gone].desc);
	if (strstr(said, "  remove ") || strstr(said, "  move ") ||
	    !strstr(said, "missing-node ") != (gone == MATCH_NONE) ||
	    (gone != MATCH_NONE && !strstr(said, text)))
		fail_msg("%s, seed %u: %s", shape, seed, said);
	/* a host may be lost with its leaf, and then its name tells nothing */
	for (int i = 0; i < 2 && gone == MATCH_NONE; i++) {
		snprintf(text, sizeof(text), " %s +%s\n", slip[i], p.real.nodes[node[i]].desc);
		if (!strstr(said, text))
			fail_msg("%s, seed %u: not%s: %s", shape, seed, text, said);
	}
	free(said);
	wires_free(&p.plan);
	wires_free(&p.real);
}

static void whatever_name_is_wrong_it_is_named_and_nothing_is_unplugged(void **state)
{
	static const char *const shapes[] = {
		SMALL,
		"synth:fattree:leaves=12,spines=6,hosts=8,radix=36",
		"synth:fattree:leaves=8,spines=4,cables=2,hosts=6,radix=36",
		"synth:fattree:levels=3,pods=4,leaves=4,spines=4,uplinks=2,hosts=4,radix=36",
	};

	(void)state;
	for (size_t shape = 0; shape < sizeof(shapes) / sizeof(shapes[0]); shape++)
		for (unsigned int seed = 0; seed < 100; seed++)
			try_slips(shapes[shape], seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slip_in_one_row_is_a_second_name),
		cmocka_unit_test(a_slip_in_some_rows_is_a_second_name),
		cmocka_unit_test(a_slip_in_all_rows_is_another_name),
		cmocka_unit_test(two_slips_in_all_rows_are_two_names),
		cmocka_unit_test(three_cables_at_their_ports_make_any_name_a_second_one),
		cmocka_unit_test(a_slip_in_a_host_is_another_name),
		cmocka_unit_test(two_slips_in_a_row_vouch_for_each_other),
		cmocka_unit_test(a_name_exchanged_with_another_is_no_slip),
		cmocka_unit_test(a_missing_switch_with_a_name_like_another_is_missing),
		cmocka_unit_test(what_is_in_the_place_of_a_missing_switch_stays_plugged_in),
		cmocka_unit_test(whatever_name_is_wrong_it_is_named_and_nothing_is_unplugged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
