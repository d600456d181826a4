/* SPDX-License-Identifier: BSD-2-Clause */
/* What the switches form: trees however odd, and what is no tree. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "mktree.h"

#define FIRST 0x1000 /* GUID of switch 0 */
#define MANY  64     /* ports of a switch */

/*
 * A network by switch numbers: edges that may be taken out before it is made.  Of each period,
 * if there is one, the first half has hosts.
 */
struct net {
	unsigned int n, edges, hosts, period;
	unsigned int (*ends)[2];
};

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	return z ^ z >> 29;
}

static void join(struct net *net, unsigned int a, unsigned int z)
{
	for (unsigned int i = 0; i < net->edges; i++)
		if ((net->ends[i][0] == a && net->ends[i][1] == z) ||
		    (net->ends[i][0] == z && net->ends[i][1] == a))
			return;
	net->ends = realloc(net->ends, (net->edges + 1) * sizeof(*net->ends));
	assert_non_null(net->ends);
	net->ends[net->edges][0] = a;
	net->ends[net->edges++][1] = z;
}

static void cut(struct net *net, unsigned int edge)
{
	net->ends[edge][0] = net->ends[net->edges - 1][0];
	net->ends[edge][1] = net->ends[--net->edges][1];
}

static struct ibc_fabric *net_done(struct net *net)
{
	struct mkfab m = mkfab();
	unsigned int used[4096] = { 0 };
	char name[32];

	for (unsigned int i = 0; i < net->n; i++) {
		snprintf(name, sizeof(name), "sw%u", i);
		mk_switch(m, FIRST + i, name, MANY);
	}
	for (unsigned int i = 0; i < net->n * net->hosts; i++) {
		unsigned int sw = i / net->hosts;

		if (net->period && sw % net->period >= net->period / 2)
			continue;
		snprintf(name, sizeof(name), "host%u mlx5_0", i);
		mk_ca(m, 0x100000 + 16 * i, name, 1);
		cable(m, FIRST + sw, ++used[sw], 0x100000 + 16 * i, 1);
	}
	for (unsigned int i = 0; i < net->edges; i++) {
		unsigned int a = net->ends[i][0], z = net->ends[i][1];

		cable(m, FIRST + a, ++used[a], FIRST + z, ++used[z]);
	}
	free(net->ends);
	return done(m);
}

static struct net torus(const unsigned int *sizes, unsigned int dims)
{
	struct net net = { .n = 1, .hosts = 3 };
	unsigned int stride = 1;

	for (unsigned int d = 0; d < dims; d++)
		net.n *= sizes[d];
	for (unsigned int d = 0; d < dims; d++) {
		for (unsigned int v = 0; v < net.n; v++) {
			unsigned int at = v / stride % sizes[d];
			unsigned int next = (at + 1) % sizes[d];

			if (next != at)
				join(&net, v, v - at * stride + next * stride);
		}
		stride *= sizes[d];
	}
	return net;
}

static struct net mesh(unsigned int n)
{
	struct net net = { .n = n, .hosts = 4 };

	for (unsigned int v = 0; v < n; v++)
		for (unsigned int u = 0; u < v; u++)
			join(&net, v, u);
	return net;
}

/* Groups of a routers with h global cables each, as many groups as that joins. */
static struct net dragonfly(unsigned int a, unsigned int h)
{
	unsigned int groups = a * h + 1;
	struct net net = { .n = groups * a, .hosts = 2 };

	for (unsigned int g = 0; g < groups; g++) {
		for (unsigned int v = 0; v < a; v++)
			for (unsigned int u = 0; u < v; u++)
				join(&net, g * a + v, g * a + u);
		for (unsigned int k = 0; k < a * h; k++) {
			unsigned int far = (g + k + 1) % groups, back = a * h - 1 - k;

			join(&net, g * a + k / h, far * a + back / h);
		}
	}
	return net;
}

static void expect_of_fabric(struct ibc_fabric *fab, enum ibc_family family, const char *why)
{
	struct ibc_fattree *tree;

	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	if (ibc_fattree_family(tree) != family)
		fail_msg("%s instead of %s: %s", ibc_family_word(ibc_fattree_family(tree))->word,
		         ibc_family_word(family)->word, tree->why);
	if (why)
		assert_string_equal(tree->why, why);
	if (family != IBC_FAMILY_FAT_TREE)
		assert_int_equal(tree->tiers, 0);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

static void expect(struct net net, enum ibc_family family, const char *why)
{
	expect_of_fabric(net_done(&net), family, why);
}

/* Whole, and with every cable in turn, and with two, taken out. */
static void expect_worn(struct net (*make)(unsigned int x, unsigned int y), unsigned int x,
                        unsigned int y, enum ibc_family family)
{
	unsigned int edges;
	struct net net = make(x, y);

	edges = net.edges;
	expect(net, family, NULL);
	for (unsigned int i = 0; i < edges; i += 1 + edges / 12) {
		net = make(x, y);
		cut(&net, i);
		expect(net, family, NULL);
		net = make(x, y);
		cut(&net, i);
		cut(&net, (i * 7 + 3) % (edges - 1));
		expect(net, family, NULL);
	}
}

static struct net torus_2d(unsigned int x, unsigned int y)
{
	return torus((unsigned int[]){ x, y }, 2);
}

static struct net torus_3d(unsigned int x, unsigned int y)
{
	return torus((unsigned int[]){ x, y, y }, 3);
}

static struct net hypercube(unsigned int dims, unsigned int unused)
{
	static const unsigned int twos[] = { 2, 2, 2, 2, 2, 2, 2, 2 };

	(void)unused;
	return torus(twos, dims);
}

static struct net mesh_of(unsigned int n, unsigned int unused)
{
	(void)unused;
	return mesh(n);
}

/* ---- what is no tree ---- */

static void a_torus_is_told_by_its_dimensions(void **state)
{
	(void)state;
	expect(torus((unsigned int[]){ 4, 4, 3 }, 3), IBC_FAMILY_TORUS,
	       "48 switches in a torus of 4x4x3");
	expect(torus((unsigned int[]){ 6, 5 }, 2), IBC_FAMILY_TORUS,
	       "30 switches in a torus of 6x5");
	expect(torus((unsigned int[]){ 8 }, 1), IBC_FAMILY_TORUS, "8 switches in a ring");
	expect(torus((unsigned int[]){ 2, 2, 2, 2 }, 4), IBC_FAMILY_TORUS,
	       "16 switches in a hypercube of 4 dimensions, or torus of 4x4");
}

static void a_torus_with_cables_missing_is_still_one(void **state)
{
	(void)state;
	for (unsigned int x = 3; x <= 8; x++)
		for (unsigned int y = x; y <= 8; y += 2)
			expect_worn(torus_2d, x, y, IBC_FAMILY_TORUS);
	for (unsigned int x = 2; x <= 5; x++)
		expect_worn(torus_3d, x, x + 1, IBC_FAMILY_TORUS);
	expect_worn(torus_3d, 3, 3, IBC_FAMILY_TORUS);
	expect_worn(torus_3d, 8, 4, IBC_FAMILY_TORUS);
}

static void a_hypercube_with_cables_missing_is_still_one(void **state)
{
	(void)state;
	for (unsigned int dims = 3; dims <= 8; dims++)
		expect_worn(hypercube, dims, 0, IBC_FAMILY_TORUS);
}

static void a_ring_with_a_gap_is_a_row(void **state)
{
	struct net net = torus((unsigned int[]){ 6 }, 1);

	(void)state;
	cut(&net, 2);
	expect(net, IBC_FAMILY_TORUS, "6 switches in a row: a ring with a gap, or a line");
}

static void a_full_mesh_is_told(void **state)
{
	(void)state;
	expect(mesh(5), IBC_FAMILY_MESH, "5 switches, 10 of 10 pairs of them cabled to each other");
	expect(mesh(2), IBC_FAMILY_MESH, "two switches cabled to each other");
	for (unsigned int n = 5; n <= 16; n += 3)
		expect_worn(mesh_of, n, 0, IBC_FAMILY_MESH);
}

static void a_dragonfly_is_told_by_its_groups(void **state)
{
	(void)state;
	expect(dragonfly(4, 2), IBC_FAMILY_DRAGONFLY,
	       "a dragonfly of 9 groups of 4 switches, 36 of 36 pairs of groups joined");
	expect(dragonfly(3, 1), IBC_FAMILY_DRAGONFLY, NULL);
	expect_worn(dragonfly, 4, 1, IBC_FAMILY_DRAGONFLY);
	expect_worn(dragonfly, 4, 2, IBC_FAMILY_DRAGONFLY);
	expect_worn(dragonfly, 6, 3, IBC_FAMILY_DRAGONFLY);
	expect_worn(dragonfly, 8, 4, IBC_FAMILY_DRAGONFLY);
}

/* Groups of leaves below as many spines, each of which leads to k other groups. */
static struct net dragonfly_plus(unsigned int side, unsigned int k)
{
	unsigned int groups = side * k + 1, period = 2 * side;
	struct net net = { .n = groups * period, .hosts = 4, .period = period };

	for (unsigned int g = 0; g < groups; g++)
		for (unsigned int v = 0; v < side; v++)
			for (unsigned int u = 0; u < side; u++)
				join(&net, g * period + v, g * period + side + u);
	for (unsigned int g = 0; g < groups; g++)
		for (unsigned int j = 0; j < side * k; j++) {
			unsigned int far = (g + j + 1) % groups, back = side * k - 1 - j;

			join(&net, g * period + side + j / k, far * period + side + back / k);
		}
	return net;
}

/* Though most of its cables are those of a tree, and its leaves share their spines. */
static void leaves_and_spines_in_groups_are_a_dragonfly(void **state)
{
	(void)state;
	expect(dragonfly_plus(4, 1), IBC_FAMILY_DRAGONFLY,
	       "a dragonfly+ of 5 groups of 8 switches in two tiers, 10 of 10 pairs of groups "
	       "joined");
	expect(dragonfly_plus(2, 1), IBC_FAMILY_DRAGONFLY, NULL);
	expect_worn(dragonfly_plus, 4, 1, IBC_FAMILY_DRAGONFLY);
	expect_worn(dragonfly_plus, 4, 3, IBC_FAMILY_DRAGONFLY);
}

static struct net hyperx_of(const unsigned int *sizes, unsigned int dims)
{
	struct net net = { .n = 1, .hosts = 2 };
	unsigned int stride = 1;

	for (unsigned int d = 0; d < dims; d++)
		net.n *= sizes[d];
	for (unsigned int d = 0; d < dims; stride *= sizes[d++])
		for (unsigned int v = 0; v < net.n; v++)
			for (unsigned int to = v / stride % sizes[d] + 1; to < sizes[d]; to++)
				join(&net, v, v + (to - v / stride % sizes[d]) * stride);
	return net;
}

static struct net hyperx_2d(unsigned int x, unsigned int y)
{
	return hyperx_of((unsigned int[]){ x, y }, 2);
}

static struct net hyperx_3d(unsigned int x, unsigned int y)
{
	return hyperx_of((unsigned int[]){ x, y, y }, 3);
}

static void a_hyperx_is_told_by_its_lines(void **state)
{
	(void)state;
	expect(hyperx_2d(4, 4), IBC_FAMILY_HYPERX, "16 switches in a HyperX of 4x4");
	expect(hyperx_2d(8, 12), IBC_FAMILY_HYPERX, "96 switches in a HyperX of 12x8");
	expect(hyperx_3d(6, 6), IBC_FAMILY_HYPERX, "216 switches in a HyperX of 6x6x6");
	expect(hyperx_2d(6, 2), IBC_FAMILY_HYPERX, "12 switches in a HyperX of 6x2");
	expect_worn(hyperx_2d, 4, 4, IBC_FAMILY_HYPERX);
	expect_worn(hyperx_2d, 8, 8, IBC_FAMILY_HYPERX);
	expect_worn(hyperx_3d, 4, 3, IBC_FAMILY_HYPERX);
}

/* Rings of four are squares of a hypercube, and rings of three are full meshes. */
static void what_has_two_names_is_told_by_both(void **state)
{
	(void)state;
	expect(torus_2d(4, 4), IBC_FAMILY_TORUS,
	       "16 switches in a hypercube of 4 dimensions, or torus of 4x4");
	expect(hyperx_2d(3, 3), IBC_FAMILY_TORUS,
	       "9 switches in a torus or HyperX of 3x3, which are the same");
	expect(hyperx_of((unsigned int[]){ 2, 2, 2 }, 3), IBC_FAMILY_TORUS,
	       "8 switches in a hypercube of 3 dimensions, or torus of 4x2");
}

/* Takes a switch out. */
static struct net without(struct net net, unsigned int gone)
{
	for (unsigned int i = 0; i < net.edges;)
		if (net.ends[i][0] == gone || net.ends[i][1] == gone) {
			cut(&net, i);
		} else {
			for (unsigned int k = 0; k < 2; k++)
				net.ends[i][k] -= net.ends[i][k] > gone;
			i++;
		}
	net.n--;
	return net;
}

static void sizes_that_do_not_multiply_to_the_switches_are_almost_it(void **state)
{
	(void)state;
	expect(without(torus_2d(5, 5), 7), IBC_FAMILY_TORUS, "24 switches, almost a torus of 5x5");
	expect(without(hyperx_2d(4, 4), 3), IBC_FAMILY_HYPERX,
	       "15 switches, almost a HyperX of 4x4");
	expect(without(without(hyperx_2d(8, 8), 60), 3), IBC_FAMILY_HYPERX,
	       "62 switches, almost a HyperX of 8x8");
}

/* Exchanges the far ends of two cables between four switches. */
static void swap(struct net *net, uint64_t *random)
{
	unsigned int a, b, c, d, x, y;

	do {
		x = (unsigned int)(next_random(random) % net->edges);
		y = (unsigned int)(next_random(random) % net->edges);
		a = net->ends[x][0];
		b = net->ends[x][1];
		c = net->ends[y][0];
		d = net->ends[y][1];
	} while (a == c || a == d || b == c || b == d);
	net->ends[x][1] = d;
	net->ends[y][1] = b;
}

struct made {
	struct net (*make)(unsigned int x, unsigned int y);
	unsigned int x, y;
	enum ibc_family family;
};

/* Is it named right?  In no case otherwise, and in none is a cable blamed. */
static bool is_named(const struct made *made, bool swaps, unsigned int faults, uint64_t seed)
{
	struct net net = made->make(made->x, made->y);
	struct ibc_fabric *fab;
	struct ibc_fattree *tree;
	bool named;

	for (unsigned int n = 0; n < faults; n++)
		if (swaps)
			swap(&net, &seed);
		else
			cut(&net, (unsigned int)(next_random(&seed) % net.edges));
	fab = net_done(&net);
	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	named = tree->family == made->family;
	if (!named && tree->family != IBC_FAMILY_NONE)
		fail_msg("%ux%u, %u faults: %s", made->x, made->y, faults, tree->why);
	assert_int_equal(tree->num_cases, 0);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
	return named;
}

/*
 * One to three cables missing, or exchanged.  Three exchanges are twelve ends: of the switches
 * of the smallest that is most, and one in forty may then be of no known family.
 */
static void damage_makes_no_other_network(void **state)
{
	static const struct made nets[] = {
		{ torus_2d, 5, 5, IBC_FAMILY_TORUS },
		{ torus_2d, 6, 6, IBC_FAMILY_TORUS },
		{ torus_3d, 4, 4, IBC_FAMILY_TORUS },
		{ torus_3d, 8, 8, IBC_FAMILY_TORUS },
		{ hyperx_2d, 4, 4, IBC_FAMILY_HYPERX },
		{ hyperx_2d, 12, 8, IBC_FAMILY_HYPERX },
		{ hyperx_3d, 6, 6, IBC_FAMILY_HYPERX },
		{ dragonfly, 4, 2, IBC_FAMILY_DRAGONFLY },
		{ dragonfly, 6, 3, IBC_FAMILY_DRAGONFLY },
		{ dragonfly, 8, 4, IBC_FAMILY_DRAGONFLY },
		{ dragonfly_plus, 4, 1, IBC_FAMILY_DRAGONFLY },
		{ dragonfly_plus, 4, 2, IBC_FAMILY_DRAGONFLY },
		{ dragonfly_plus, 8, 1, IBC_FAMILY_DRAGONFLY },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++)
		for (unsigned int faults = 1; faults <= 3; faults++)
			for (int swaps = 0; swaps < 2; swaps++) {
				unsigned int named = 0;

				for (uint64_t seed = 0; seed < 40; seed++)
					named += is_named(&nets[i], swaps, faults, seed);
				if (named + (swaps && faults == 3) < 40)
					fail_msg("%ux%u, %u faults: %u of 40 named", nets[i].x,
					         nets[i].y, faults, named);
			}
}

static void few_switches_have_no_family(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	expect_of_fabric(done(m), IBC_FAMILY_NONE, "no switch was found");
	m = mkfab();
	mk_switch(m, 1, "sw", 4);
	expect_of_fabric(done(m), IBC_FAMILY_SINGLE, "one switch");
	m = mkfab();
	mk_ca(m, 1, "a mlx5_0", 1);
	mk_ca(m, 2, "b mlx5_0", 1);
	cable(m, 1, 1, 2, 1);
	expect_of_fabric(done(m), IBC_FAMILY_BACK_TO_BACK,
	                 "no switch, HCAs are cabled to each other");
}

static void what_is_no_shape_is_none(void **state)
{
	struct net net = { .n = 9, .hosts = 2 };

	(void)state;
	for (unsigned int v = 1; v < 9; v++) {
		join(&net, v, v / 2);
		join(&net, v, v * 5 % 7);
	}
	expect(net, IBC_FAMILY_NONE,
	       "9 switches that form no known tree, torus, HyperX, dragonfly or mesh");
}

/* ---- trees ---- */

static void expect_tree(struct mktree *t)
{
	expect_of_fabric(mktree_done(t), IBC_FAMILY_FAT_TREE, NULL);
}

static const struct tree_spec specs[] = {
	{ .leaves = 2, .spines = 1, .hosts = 2 },
	{ .leaves = 3, .spines = 2, .hosts = 4 },
	{ .leaves = 12, .spines = 6, .hosts = 6 },
	{ .leaves = 8, .spines = 4, .cables = 2, .hosts = 16 },
	{ .pods = 2, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 4 },
	{ .pods = 4, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 4 },
	{ .rails = 4, .leaves = 4, .spines = 4, .hosts = 8 },
	{ .regions = 3, .tops = 2, .pods = 3, .leaves = 3, .spines = 3, .uplinks = 2, .hosts = 3 },
};
#define SPECS (sizeof(specs) / sizeof(specs[0]))

static void trees_are_trees(void **state)
{
	struct mktree t = mktree(&specs[2], 1);

	(void)state;
	expect_of_fabric(mktree_done(&t), IBC_FAMILY_FAT_TREE, "12 leaf, 6 spine switches");
	for (size_t i = 0; i < SPECS; i++) {
		t = mktree(&specs[i], i);
		expect_tree(&t);
	}
}

/* A random fault: a cable gone, two crossed, one to a leaf, a host moved up, a spine gone. */
static void damage(struct mktree *t, unsigned int nth)
{
	struct tree_link *a = &t->links[pick(t, t->num_links)];
	struct tree_link *z = &t->links[pick(t, t->num_links)];
	struct tree_end upper = a->end[1];

	switch (pick(t, 5)) {
	case 0:
		a->gone = true;
		break;
	case 1:
		a->end[1] = z->end[1];
		z->end[1] = upper;
		break;
	case 2:
		a->end[1] = (struct tree_end){ z->end[0].sw,
			                       t->switches[z->end[0].sw].ports - nth };
		a->gone |= a->end[1].sw == a->end[0].sw;
		break;
	case 3:
		t->hosts[0].at = (struct tree_end){ upper.sw, t->switches[upper.sw].ports - nth };
		break;
	default:
		t->switches[upper.sw].gone = t->num_switches > 8;
		break;
	}
}

static void damage_makes_no_other_family_of_a_tree(void **state)
{
	(void)state;
	for (size_t i = 2; i < SPECS; i++)
		for (uint64_t seed = 0; seed < 40; seed++) {
			struct mktree t = mktree(&specs[i], seed);

			for (unsigned int faults = 0; faults <= seed % 2; faults++)
				damage(&t, faults);
			expect_tree(&t);
		}
}

static void hosts_on_every_spine_make_no_other_family(void **state)
{
	struct mktree t = mktree(&specs[2], 3);

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		unsigned int spine = tree_find(&t, TIER_SPINE, 0, 0, 0, i);

		for (unsigned int h = 0; h < 2; h++)
			tree_host(&t, (struct tree_end){ spine, t.switches[spine].ports - h },
			          1000 + 2 * i + h, 0);
	}
	expect_tree(&t);
}

static void leaves_without_hosts_make_no_other_family(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct mktree t = mktree(&specs[5], seed);

		for (unsigned int i = 0; i < t.num_hosts; i++)
			t.hosts[i].gone = t.hosts[i].at.sw % 3 != 0;
		expect_tree(&t);
	}
}

/* ---- several fabrics ---- */

static void a_tree_beside_a_ring_is_a_tree_and_the_ring_has_no_ranks(void **state)
{
	struct mktree t = mktree(&specs[2], 5);
	unsigned int first = t.num_switches;
	struct ibc_fabric *fab;
	struct ibc_fattree *tree;
	const struct ibc_node *node;

	(void)state;
	for (unsigned int i = 0; i < 30; i++) {
		tree_switch(&t, (struct tree_switch){ TIER_TOP, 9, 0, 0, i, 8, 0x9000 + i, false });
		tree_host(&t, (struct tree_end){ first + i, 1 }, 5000 + i, 0);
	}
	for (unsigned int i = 0; i < 30; i++)
		tree_link(&t, (struct tree_end){ first + i, 2 },
		          (struct tree_end){ first + (i + 1) % 30, 3 });
	fab = mktree_done(&t);
	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	assert_int_equal(ibc_fattree_family(tree), IBC_FAMILY_FAT_TREE);
	assert_string_equal(tree->why, "12 leaf, 6 spine switches");
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (node->type == IBC_NODE_SWITCH && node->guid >= 0x9000)
			assert_int_equal(ibc_fattree_rank(tree, node), -1);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

static void memory_may_run_out_anywhere(void **state)
{
	struct net nets[] = { torus((unsigned int[]){ 4, 3 }, 2), dragonfly(4, 1) };
	struct ibc_fattree *tree;
	int rc;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct ibc_fabric *fab = net_done(&nets[i]);

		for (unsigned long n = 1;; n++) {
			alloc_fail_at(n);
			rc = ibc_fattree_infer(fab, NULL, &tree, NULL);
			alloc_fail_at(0);
			ibc_fattree_free(tree);
			if (!rc)
				break;
			assert_int_equal(rc, -ENOMEM);
		}
		ibc_fabric_free(fab);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_torus_is_told_by_its_dimensions),
		cmocka_unit_test(a_torus_with_cables_missing_is_still_one),
		cmocka_unit_test(a_hypercube_with_cables_missing_is_still_one),
		cmocka_unit_test(a_ring_with_a_gap_is_a_row),
		cmocka_unit_test(a_full_mesh_is_told),
		cmocka_unit_test(a_dragonfly_is_told_by_its_groups),
		cmocka_unit_test(leaves_and_spines_in_groups_are_a_dragonfly),
		cmocka_unit_test(a_hyperx_is_told_by_its_lines),
		cmocka_unit_test(what_has_two_names_is_told_by_both),
		cmocka_unit_test(sizes_that_do_not_multiply_to_the_switches_are_almost_it),
		cmocka_unit_test(damage_makes_no_other_network),
		cmocka_unit_test(few_switches_have_no_family),
		cmocka_unit_test(what_is_no_shape_is_none),
		cmocka_unit_test(trees_are_trees),
		cmocka_unit_test(damage_makes_no_other_family_of_a_tree),
		cmocka_unit_test(hosts_on_every_spine_make_no_other_family),
		cmocka_unit_test(leaves_without_hosts_make_no_other_family),
		cmocka_unit_test(a_tree_beside_a_ring_is_a_tree_and_the_ring_has_no_ranks),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
