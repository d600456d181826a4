/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/array.h"
#include "mkslurm.h"
#include "mktree.h"

#define TREE(...) mktree(&(struct tree_spec){ __VA_ARGS__ }, 1)

static struct ibc_fabric *tree_of(struct mktree t)
{
	return mktree_done(&t);
}

/* ---- the tree ---- */

static void leaves_are_below_one_root(void **state)
{
	(void)state;
	expect_lines(tree_of(TREE(.leaves = 2, .spines = 2, .hosts = 3)), NULL,
	             "leaf-0-0-0-0: host[00000-00002]\n"
	             "leaf-0-0-0-1: host[00003-00005]\n"
	             "root: leaf-0-0-0-[0-1]\n");
}

static void pods_are_between_and_spines_are_no_lines(void **state)
{
	(void)state;
	expect_lines(tree_of(TREE(.pods = 2, .leaves = 2, .spines = 2, .uplinks = 2, .hosts = 2)),
	             NULL,
	             "leaf-0-0-0-0: host[00000-00001]\n"
	             "leaf-0-0-0-1: host[00002-00003]\n"
	             "leaf-0-0-1-0: host[00004-00005]\n"
	             "leaf-0-0-1-1: host[00006-00007]\n"
	             "pod1: leaf-0-0-0-[0-1]\n"
	             "pod2: leaf-0-0-1-[0-1]\n"
	             "root: pod[1-2]\n");
}

static void four_tiers_have_two_between(void **state)
{
	struct mkslurm m = mkslurm(tree_of(TREE(.regions = 2, .pods = 2, .leaves = 2, .spines = 2,
	                                        .uplinks = 2, .tops = 2, .hosts = 4)),
	                           NULL);
	const struct ibc_slurm_switch *line = ibc_slurm_host(m.slurm, 31)->leaf;

	(void)state;
	assert_string_equal(line->name, "leaf-0-1-1-1");
	assert_string_equal(line->up->name, "pod4");
	assert_string_equal(line->up->up->name, "tier2-2");
	assert_string_equal(line->up->up->up->name, "root");
	assert_int_equal(line->up->up->up->tier, 3);
	assert_null(line->up->up->up->up);
	mkslurm_free(&m);
}

static void leaves_of_the_same_hosts_are_one_line(void **state)
{
	(void)state;
	expect_lines(tree_of(TREE(.leaves = 2, .spines = 2, .hosts = 4, .rails = 2)), NULL,
	             "leaf-0-0-0-0-leaf-1-0-0-0: host[00000-00003]\n"
	             "leaf-0-0-0-1-leaf-1-0-0-1: host[00004-00007]\n"
	             "root: leaf-0-0-0-0-leaf-1-0-0-0,leaf-0-0-0-1-leaf-1-0-0-1\n");
}

/* One of four hosts has lost a rail: the leaves go together still, and it is in the line. */
static void a_rail_that_is_down_divides_nothing(void **state)
{
	struct mktree t = TREE(.leaves = 2, .spines = 2, .hosts = 4, .rails = 2);

	(void)state;
	t.hosts[t.num_hosts - 1].gone = true;
	expect_lines(mktree_done(&t), NULL,
	             "leaf-0-0-0-0-leaf-1-0-0-0: host[00000-00003]\n"
	             "leaf-0-0-0-1-leaf-1-0-0-1: host[00004-00007]\n"
	             "root: leaf-0-0-0-0-leaf-1-0-0-0,leaf-0-0-0-1-leaf-1-0-0-1\n");
}

static void names_of_many_rails_are_cut_and_stay_unique(void **state)
{
	struct mkslurm m = mkslurm(tree_of(TREE(.leaves = 2, .spines = 2, .hosts = 4, .rails = 8)),
	                           NULL);

	(void)state;
	assert_string_equal(ibc_slurm_switch(m.slurm, 0)->name, "leaf-0-0-0-0-and-7");
	assert_string_equal(ibc_slurm_switch(m.slurm, 1)->name, "leaf-0-0-0-1-and-7");
	assert_int_equal(ibc_slurm_switch(m.slurm, 0)->num_switches, 8);
	mkslurm_free(&m);
}

/* Two leaves, and between them a spine which has a host as well. */
static struct mkfab mk_tree(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, 1, "MF0;ib1:SX6036/U1", 8);
	mk_switch(m, 2, "leaf 2 # old", 8);
	mk_switch(m, 3, "spine", 8);
	cable(m, 1, 7, 3, 1);
	cable(m, 2, 7, 3, 2);
	for (unsigned int i = 0; i < 4; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%u mlx5_0", i + 1);
		mk_ca(m, 0x100 + 16 * i, name, 2);
		cable(m, i < 2 ? 1 : 2, i + 1, 0x100 + 16 * i, 1);
	}
	return m;
}

#define TREE_CONF                                                                                  \
	"SwitchName=a Nodes=n[1-2]\n"                                                              \
	"SwitchName=b Nodes=n[3-4]\n"                                                              \
	"SwitchName=root Switches=a,b\n"

static void names_are_what_slurm_takes(void **state)
{
	(void)state;
	expect_lines(done(mk_tree()), NULL,
	             "ib1: n[1-2]\n"
	             "leaf-2-old: n[3-4]\n"
	             "root: ib1,leaf-2-old\n");
}

static void equal_names_get_a_number(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_switch(m, 1, "root", 8);
	mk_switch(m, 2, "a b", 8);
	mk_switch(m, 3, "a#b", 8);
	for (unsigned int i = 1; i <= 3; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%u mlx5_0", i);
		mk_ca(m, 0x100 + 16 * i, name, 2);
		cable(m, i, 1, 0x100 + 16 * i, 1);
		cable(m, i, 2, i % 3 + 1, 3);
	}
	expect_lines(done(m), NULL,
	             "a-b: n2\n"
	             "a-b-2: n3\n"
	             "root: n1\n"
	             "root-2: a-b,a-b-2,root\n");
}

static void a_host_on_a_spine_has_a_line_of_its_own(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	mk_ca(m, 0x200, "login mlx5_0", 1);
	cable(m, 3, 8, 0x200, 1);
	expect_lines(done(m), NULL,
	             "ib1: n[1-2]\n"
	             "leaf-2-old: n[3-4]\n"
	             "spine: login\n"
	             "root: ib1,leaf-2-old,spine\n");
}

static void what_no_cable_joins_has_roots_of_its_own(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	mk_switch(m, 4, "alone", 8);
	mk_ca(m, 0x200, "login mlx5_0", 1);
	cable(m, 4, 8, 0x200, 1);
	expect_lines(done(m), NULL,
	             "alone: login\n"
	             "ib1: n[1-2]\n"
	             "leaf-2-old: n[3-4]\n"
	             "root: ib1,leaf-2-old\n");
}

static void one_switch_is_a_leaf_and_no_more(void **state)
{
	(void)state;
	expect_lines(done(mk_leaf(3)), NULL, "leaf01: host[01-03]\n");
}

/* A ring of six: ranks say nothing, so there are leaves and a root. */
static void a_torus_has_no_pods(void **state)
{
	struct mkfab m = mkfab();
	char name[32];

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "sw%u", i);
		mk_switch(m, i + 1, name, 8);
	}
	for (unsigned int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "n%u mlx5_0", i);
		mk_ca(m, 0x100 + 16 * i, name, 1);
		cable(m, i + 1, 1, 0x100 + 16 * i, 1);
		cable(m, i + 1, 2, (i + 1) % 6 + 1, 3);
	}
	expect_lines(done(m), NULL,
	             "sw0: n0\nsw1: n1\nsw2: n2\nsw3: n3\nsw4: n4\nsw5: n5\n"
	             "root: sw[0-5]\n");
}

static void without_a_host_there_is_no_line(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_switch(m, 1, "leaf01", 4);
	expect_lines(done(m), NULL, "");
	expect_lines(done(mkfab()), NULL, "");
}

/* ---- what counts ---- */

static void only_what_slurm_knows_is_a_host_by_its_short_name_too(void **state)
{
	const char *const nodes[] = { "n1", "n3", "n9" };
	struct mkfab m = mk_tree();
	struct mkslurm s;
	size_t n;

	(void)state;
	mk_ca(m, 0x200, "n9.site mlx5_0", 1);
	cable(m, 2, 5, 0x200, 1);
	s = mkslurm(done(m), &(struct ibc_slurm_opts){ .nodes = nodes, .num_nodes = 3 });
	assert_non_null(ibc_slurm_host_by_name(s.slurm, "n9"));
	assert_null(ibc_slurm_host_by_name(s.slurm, "n2"));
	assert_null(ibc_slurm_host(s.slurm, 3));
	assert_true(ibc_slurm_knows(s.slurm, "n1"));
	assert_false(ibc_slurm_knows(s.slurm, "n2"));
	ibc_slurm_missing(s.slurm, &n);
	assert_int_equal(n, 0);
	mkslurm_free(&s);
}

static void a_list_without_nodes_leaves_no_line(void **state)
{
	const char *const nodes[] = { "other" };

	(void)state;
	expect_lines(done(mk_tree()), &(struct ibc_slurm_opts){ .nodes = nodes, .num_nodes = 1 },
	             "");
}

/* Of each host a second HCA is on a switch for storage, which has a host of its own. */
static struct mkfab mk_storage(void)
{
	struct mkfab m = mk_tree();
	char name[32];

	mk_switch(m, 9, "storage", 8);
	for (unsigned int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "n%u mlx5_1", i + 1);
		mk_ca(m, 0x300 + 16 * i, name, 2);
		cable(m, 9, i + 1, 0x300 + 16 * i, 2);
	}
	mk_ca(m, 0x400, "oss1 mlx5_0", 1);
	cable(m, 9, 5, 0x400, 1);
	return m;
}

static void a_host_on_two_kinds_of_leaves_is_below_the_first(void **state)
{
	(void)state;
	expect_lines(done(mk_storage()), NULL,
	             "ib1: n[1-2]\nleaf-2-old: n[3-4]\nstorage: oss1\nroot: ib1,leaf-2-old\n");
	expect_of_file(
	    done(mk_storage()), NULL, NULL,
	    "warning fabric: n[1-4] are cabled to leaves that other hosts do not share: "
	    "each is written below the leaf of most of its ports, or of the first\n"
	    "info fabric: no cable joins storage and root: each is the root of a tree of "
	    "its own, and jobs do not span them\n");
}

static void a_rail_or_a_skipped_leaf_decides_what_counts(void **state)
{
	const char *const skip[] = { "stor*" };
	const struct ibc_slurm_opts skipping = { .skip = skip, .num_skip = 1 };

	(void)state;
	expect_lines(done(mk_storage()), &skipping,
	             "ib1: n[1-2]\nleaf-2-old: n[3-4]\nroot: ib1,leaf-2-old\n");
	expect_of_file(done(mk_storage()), &skipping, NULL, "");
	expect_lines(done(mk_storage()), &(struct ibc_slurm_opts){ .rail = "mlx5_1/2" },
	             "storage: n[1-4]\n");
	expect_lines(done(mk_storage()), &(struct ibc_slurm_opts){ .rail = "mlx5_1" }, "");
}

/* ---- what cannot be written ---- */

static void hosts_that_are_not_cabled_are_told(void **state)
{
	const char *const nodes[] = { "n1", "n2", "n3", "n4", "n5", "n6" };

	(void)state;
	expect_of_file(done(mk_tree()), &(struct ibc_slurm_opts){ .nodes = nodes, .num_nodes = 6 },
	               NULL,
	               "warning fabric: n[5-6] are on no leaf, and in no line: Slurm gives them to "
	               "no job that needs other nodes as well\n");
}

static void an_hca_that_names_no_host_is_told_while_somebody_may_be_missing(void **state)
{
	const char *const nodes[] = { "n1", "n2", "n3", "n4", "n5" };
	struct ibc_slurm_opts opts = { .nodes = nodes, .num_nodes = 4 };
	static const char *const descriptions[] = { "MT4123 ConnectX6 Mellanox Technologies",
		                                    "node#5 mlx5_0" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct mkfab m = mk_tree();

		mk_ca(m, 0x200, descriptions[i], 1);
		cable(m, 2, 5, 0x200, 1);
		expect_of_file(done(m), NULL, NULL,
		               "warning fabric: 1 HCA on leaf 2 # old/5: the description names no "
		               "host that Slurm could know, so it is in no line\n");
		m = mk_tree();
		mk_ca(m, 0x200, descriptions[i], 1);
		cable(m, 2, 5, 0x200, 1);
		opts.num_nodes = 4;
		expect_of_file(done(m), &opts, NULL, "");
	}
}

/* ---- out of memory ---- */

static void running_out_of_memory_is_an_error_at_any_time(void **state)
{
	const char *const nodes[] = { "n1", "n2", "n3", "n4", "n5" };
	const struct ibc_slurm_opts opts = { .nodes = nodes, .num_nodes = 5 };
	struct ibc_fabric *fab = done(mk_storage());
	struct ibc_fattree *tree;
	struct ibc_slurm *slurm;
	int rc = -ENOMEM;

	(void)state;
	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	for (unsigned long n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = ibc_slurm_make(tree, &opts, &slurm, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
		assert_true(n < 1000);
	}
	ibc_slurm_free(slurm);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

/* ---- what is there ---- */

static void a_file_as_cabled_has_no_finding_whatever_its_names(void **state)
{
	(void)state;
	expect_of_file(done(mk_tree()), NULL, TREE_CONF, "");
}

static void a_host_below_another_leaf_is_critical(void **state)
{
	(void)state;
	expect_of_file(done(mk_tree()), NULL,
	               "SwitchName=a Nodes=n[1-3]\n"
	               "SwitchName=b Nodes=n4\n"
	               "SwitchName=root Switches=a,b\n",
	               "critical leaf 2 # old: n3 is cabled to it, and below a (line 1) in "
	               "Slurm's topology\n");
}

static void two_leaves_in_one_line_are_one_finding(void **state)
{
	(void)state;
	expect_of_file(done(mk_tree()), NULL, "SwitchName=a Nodes=n[1-4]\n",
	               "critical leaf 2 # old: n[3-4] are cabled to it, and below a (line 1) in "
	               "Slurm's topology\n");
}

static void other_pods_than_are_cabled_are_no_fault(void **state)
{
	static const char *const above[] = {
		"SwitchName=r Switches=l[1-4]\n",
		"SwitchName=p1 Switches=l[1-2]\nSwitchName=p2 Switches=l3\nSwitchName=p3 "
		"Switches=l4\n"
		"SwitchName=r Switches=p[1-3]\n",
		"SwitchName=p1 Switches=l[1-4]\nSwitchName=r Switches=p1\n",
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(above); i++) {
		snprintf(text, sizeof(text),
		         "SwitchName=l1 Nodes=host[00000-00001]\n"
		         "SwitchName=l2 Nodes=host[00002-00003]\n"
		         "SwitchName=l3 Nodes=host[00004-00005]\n"
		         "SwitchName=l4 Nodes=host[00006-00007]\n%s",
		         above[i]);
		expect_of_file(
		    tree_of(TREE(.pods = 2, .leaves = 2, .spines = 2, .uplinks = 2, .hosts = 2)),
		    NULL, text, "");
	}
}

static void roots_side_by_side_and_fabrics_joined_are_warnings(void **state)
{
	struct mkfab m = mk_tree();

	(void)state;
	expect_of_file(
	    done(mk_tree()), NULL, "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\n",
	    "warning fabric: topology.conf, line 1: no switch is above all of a (line 1) "
	    "and b (line 2): jobs do not span them, though cables join them\n");
	mk_switch(m, 4, "alone", 8);
	mk_ca(m, 0x200, "n5 mlx5_0", 1);
	cable(m, 4, 8, 0x200, 1);
	expect_of_file(done(m), NULL,
	               "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\n"
	               "SwitchName=c Nodes=n5\nSwitchName=r Switches=a,b,c\n",
	               "warning fabric: topology.conf, line 4: r joins what no cable joins: as "
	               "cabled, the roots are alone and root\n");
}

static void nodes_that_are_nowhere_are_told_by_where_they_lack(void **state)
{
	const char *const nodes[] = { "n1", "n2", "n3", "n4", "n5" };
	const struct ibc_slurm_opts opts = { .nodes = nodes, .num_nodes = 5 };

	(void)state;
	expect_of_file(done(mk_tree()), &opts,
	               "SwitchName=a Nodes=n[1-2]\n"
	               "SwitchName=b Nodes=n[4-6]\n"
	               "SwitchName=root Switches=a,b\n",
	               "warning fabric: topology.conf: Slurm has no node n6\n"
	               "warning fabric: topology.conf: n3 is in no line\n"
	               "warning fabric: topology.conf: n5 was not found on any leaf, so that the "
	               "leaf in the file was not checked\n");
	/* nobody says what Slurm has: a cabled host is expected */
	expect_of_file(done(mk_tree()), NULL,
	               "SwitchName=a Nodes=n[1-2]\n"
	               "SwitchName=b Nodes=n4\n"
	               "SwitchName=root Switches=a,b\n",
	               "warning fabric: topology.conf: n3 is in no line\n");
}

static void a_node_below_two_leaves_is_a_warning_and_twice_in_one_is_none(void **state)
{
	(void)state;
	expect_of_file(done(mk_tree()), NULL,
	               "SwitchName=a Nodes=n[1-2],n1\n"
	               "SwitchName=b Nodes=n[2-4]\n"
	               "SwitchName=root Switches=a,b,a\n",
	               "warning fabric: topology.conf, line 2: n2 is below more than one leaf: a "
	               "(line 1) and b (line 2)\n");
}

static void rings_are_critical_and_two_ways_up_a_warning(void **state)
{
	(void)state;
	expect_of_file(done(mk_tree()), NULL, TREE_CONF "SwitchName=core Switches=root,core\n",
	               "critical fabric: topology.conf, line 4: not a tree: core (line 4) is below "
	               "itself\n");
	expect_of_file(done(mk_tree()), NULL,
	               TREE_CONF "SwitchName=x Switches=y\n"
	                         "SwitchName=y Switches=root,x\n"
	                         "SwitchName=z Switches=x\n",
	               "critical fabric: topology.conf, line 4: not a tree: x (line 4) and y (line "
	               "5) are each below the others\n");
	expect_of_file(done(mk_tree()), NULL, TREE_CONF "SwitchName=root2 Switches=a,b\n",
	               "warning fabric: topology.conf, line 1: a (line 1) and b (line 2) are below "
	               "more than one switch\n");
}

static void a_switch_that_is_defined_twice_or_nowhere_is_the_only_finding(void **state)
{
	(void)state;
	expect_of_file(
	    done(mk_tree()), NULL, TREE_CONF "SwitchName=b Nodes=n[3-4]\n",
	    "critical fabric: topology.conf, line 4: b is defined already: b (line 2)\n");
	expect_of_file(done(mk_tree()), NULL,
	               "SwitchName=a Nodes=n[1-2]\n"
	               "SwitchName=b Nodes=n[3-4]\n"
	               "SwitchName=root Switches=a,c\n",
	               "critical fabric: topology.conf, line 3: no line defines c, below root\n");
}

static void yaml_is_refused(void **state)
{
	static const char text[] = "# of Slurm 25.05\n---\n- topology: flat\n  flat: true\n";
	struct ibc_slurm_file *file;
	struct ibc_error err = { "" };
	struct text_file *f;

	(void)state;
	assert_int_equal(text_open_bytes("t.yaml", text, strlen(text), &f, NULL), 0);
	assert_int_equal(slurm_read_text(f, &file, &err), -EINVAL);
	assert_string_equal(err.text, "t.yaml: YAML is not read: give the topology.conf of the "
	                              "same switches");
	assert_null(file);
	text_close(f);
}

/* A file that includes itself 63 times over has no more to correct than one that does it once. */
static void of_many_lines_alike_the_first_are_told(void **state)
{
	char conf[2048] = TREE_CONF "#\n#\n#\n#\n#\n#\n", expected[4096];

	(void)state;
	strcpy(expected, "critical fabric: topology.conf: 2 more lines define a switch that is "
	                 "defined already\n");
	for (int i = 10; i < 22; i++) {
		strcat(conf, "SwitchName=b Nodes=n[3-4]\n");
		if (i < 20)
			snprintf(expected + strlen(expected), 128,
			         "critical fabric: topology.conf, line %d: b is defined already: "
			         "b (line 2)\n",
			         i);
	}
	expect_of_file(done(mk_tree()), NULL, conf, expected);
	strcpy(conf, "#\n#\n#\n#\n#\n#\n#\nSwitchName=a Nodes=n[1-2]\n"
	             "SwitchName=b Nodes=n[3-4]\n");
	strcpy(expected, "critical fabric: topology.conf: 1 more line names switches that no line "
	                 "defines\n");
	for (int i = 10; i < 21; i++) {
		snprintf(conf + strlen(conf), 64, "SwitchName=r%d Switches=x%d\n", i, i);
		if (i < 20)
			snprintf(expected + strlen(expected), 128,
			         "critical fabric: topology.conf, line %d: no line defines x%d, "
			         "below r%d\n",
			         i, i, i);
	}
	expect_of_file(done(mk_tree()), NULL, conf, expected);
}

/* Neither are its hosts missing, nor what is above it a root. */
static void a_line_that_is_not_understood_is_the_only_finding(void **state)
{
	(void)state;
	expect_of_file(done(mk_tree()), NULL,
	               "SwitchName=a Nodes=n[1-2]\n"
	               "SwitchName=b Nodes=n[3-4]x\n"
	               "Switch=root Switches=a,b\n",
	               "critical fabric: topology.conf, line 2: Nodes=n[3-4]x: slurmctld takes "
	               "nothing behind the brackets of a name: spell the names out\n"
	               "critical fabric: topology.conf, line 3: unknown key Switch: a line is "
	               "SwitchName=NAME, and Nodes=LIST or Switches=LIST\n");
}

static void an_empty_file_is_critical(void **state)
{
	(void)state;
	expect_of_file(done(mk_tree()), NULL, "# to do\n",
	               "critical fabric: topology.conf: it defines no switch\n"
	               "warning fabric: topology.conf: n[1-4] are in no line\n");
}

static void what_is_behind_wrong_lines_is_read(void **state)
{
	struct ibc_slurm_file *file;
	char text[4096] = "";

	(void)state;
	for (int i = 0; i < 100; i++)
		strcat(text, "x\n");
	strcat(text, TREE_CONF);
	file = slurm_file(text);
	assert_int_equal(file->num_faults, 100);
	assert_int_equal(file->num_lines, 3);
	assert_int_equal(file->lines[0].number, 101);
	ibc_slurm_file_free(file);
}

/* What is read of a line: "NAME line NUMBER: NODES|SWITCHES", or the fault. */
static void expect_read(const char *text, const char *what)
{
	struct ibc_slurm_file *file = slurm_file(text);
	char got[1024] = "";
	size_t n = 0;

	for (size_t i = 0; i < file->num_lines; i++) {
		const struct ibc_slurm_line *l = &file->lines[i];
		char *nodes = ibc_hostlist_fold(l->nodes, l->num_nodes);
		char *switches = ibc_hostlist_fold(l->switches, l->num_switches);

		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s %lu %s|%s\n", l->name,
		                      l->number, nodes, switches);
		free(nodes);
		free(switches);
	}
	for (size_t i = 0; i < file->num_faults; i++)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%lu: %s\n", file->faults[i].number,
		                      file->faults[i].text);
	assert_string_equal(got, what);
	ibc_slurm_file_free(file);
}

static void lines_are_read_as_slurmctld_does(void **state)
{
	(void)state;
	expect_read("SWITCHNAME=a\tnodes = n[1-2],n1 LinkSpeed=9\r\n", "a 1 n[1-2]|\n");
	expect_read("# x\n\n SwitchName=a\\#1 \\\nSwitches=\"b,c\" # y\n", "a#1 3 |b,c\n");
	expect_read("SwitchName=a[1-2] Nodes=n1", "a1 1 n1|\na2 1 n1|\n");
	expect_read("SwitchName=\"a b\" Nodes=n1\nSwitchName=b \\\n\\\n Nodes=n2\\",
	            "a b 1 n1|\nb 2 n2|\n");
	expect_read("", "");
}

static void what_is_wrong_is_told_with_its_line(void **state)
{
	static const struct {
		const char *text, *what;
	} of[] = {
		{ "\nNodes=n1\n", "2: unknown key Nodes: a line is SwitchName=NAME, and Nodes=LIST "
		                  "or Switches=LIST\n" },
		{ "SwitchName=a SwitchName=b Nodes=n1\n",
		  "1: unknown key SwitchName: a line is SwitchName=NAME, and Nodes=LIST or "
		  "Switches=LIST\n" },
		{ "SwitchName= Nodes=n1\n",
		  "Nodes=n1 1 |\n1: switch Nodes=n1 has neither Nodes nor Switches\n" },
		{ "SwitchName=a Nodes=n[1-2\n",
		  "a 1 |\n1: Nodes=n[1-2: host list, column 2: a [ without its ]\n" },
		{ "SwitchName=a Nodes=n[1-8/2]\n",
		  "a 1 |\n1: Nodes=n[1-8/2]: slurmctld knows no steps in brackets\n" },
		{ "SwitchName=a Nodes=n[1-2]x\n",
		  "a 1 |\n1: Nodes=n[1-2]x: slurmctld takes nothing behind the brackets of a name: "
		  "spell the names out\n" },
		{ "SwitchName=a Nodes=n[1-2],m[1-2]x,o\n",
		  "a 1 |\n1: Nodes=n[1-2],m[1-2]x,o: slurmctld takes nothing behind the brackets "
		  "of "
		  "a name: spell the names out\n" },
		{ "SwitchName=a Nodes=r[1-2]n[1-2]\n", "a 1 r1n[1-2],r2n[1-2]|\n" },
		{ "SwitchName=a Nodes=n1 Nodes=n2\n",
		  "a 1 n2|\n1: Nodes is given twice, and the last counts\n" },
		{ "Include /nowhere/x\n",
		  "1: Include /nowhere/x: more than 64 files: do they include each other?\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		expect_read(of[i].text, of[i].what);
}

static void reading_runs_out_of_memory_at_any_time(void **state)
{
	static const char text[] = "SwitchName=a[1-2] Nodes=n[1-2]\nSwitchName=b Nodes=x[\n?\n";
	struct ibc_slurm_file *file = NULL;
	int rc = -ENOMEM;

	(void)state;
	for (unsigned long n = 1; rc; n++) {
		struct text_file *f;

		assert_int_equal(text_open_bytes("x", text, strlen(text), &f, NULL), 0);
		alloc_fail_at(n);
		rc = slurm_read_text(f, &file, NULL);
		alloc_fail_at(0);
		text_close(f);
		assert_true(rc == 0 || rc == -ENOMEM);
		assert_true(n < 1000);
	}
	assert_int_equal(file->num_lines, 3);
	assert_int_equal(file->num_faults, 2);
	ibc_slurm_file_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_are_below_one_root),
		cmocka_unit_test(pods_are_between_and_spines_are_no_lines),
		cmocka_unit_test(four_tiers_have_two_between),
		cmocka_unit_test(leaves_of_the_same_hosts_are_one_line),
		cmocka_unit_test(a_rail_that_is_down_divides_nothing),
		cmocka_unit_test(names_of_many_rails_are_cut_and_stay_unique),
		cmocka_unit_test(names_are_what_slurm_takes),
		cmocka_unit_test(equal_names_get_a_number),
		cmocka_unit_test(a_host_on_a_spine_has_a_line_of_its_own),
		cmocka_unit_test(what_no_cable_joins_has_roots_of_its_own),
		cmocka_unit_test(one_switch_is_a_leaf_and_no_more),
		cmocka_unit_test(a_torus_has_no_pods),
		cmocka_unit_test(without_a_host_there_is_no_line),
		cmocka_unit_test(only_what_slurm_knows_is_a_host_by_its_short_name_too),
		cmocka_unit_test(a_list_without_nodes_leaves_no_line),
		cmocka_unit_test(a_host_on_two_kinds_of_leaves_is_below_the_first),
		cmocka_unit_test(a_rail_or_a_skipped_leaf_decides_what_counts),
		cmocka_unit_test(hosts_that_are_not_cabled_are_told),
		cmocka_unit_test(an_hca_that_names_no_host_is_told_while_somebody_may_be_missing),
		cmocka_unit_test(running_out_of_memory_is_an_error_at_any_time),
		cmocka_unit_test(a_file_as_cabled_has_no_finding_whatever_its_names),
		cmocka_unit_test(a_host_below_another_leaf_is_critical),
		cmocka_unit_test(two_leaves_in_one_line_are_one_finding),
		cmocka_unit_test(other_pods_than_are_cabled_are_no_fault),
		cmocka_unit_test(roots_side_by_side_and_fabrics_joined_are_warnings),
		cmocka_unit_test(nodes_that_are_nowhere_are_told_by_where_they_lack),
		cmocka_unit_test(a_node_below_two_leaves_is_a_warning_and_twice_in_one_is_none),
		cmocka_unit_test(rings_are_critical_and_two_ways_up_a_warning),
		cmocka_unit_test(a_switch_that_is_defined_twice_or_nowhere_is_the_only_finding),
		cmocka_unit_test(yaml_is_refused),
		cmocka_unit_test(of_many_lines_alike_the_first_are_told),
		cmocka_unit_test(a_line_that_is_not_understood_is_the_only_finding),
		cmocka_unit_test(an_empty_file_is_critical),
		cmocka_unit_test(what_is_behind_wrong_lines_is_read),
		cmocka_unit_test(lines_are_read_as_slurmctld_does),
		cmocka_unit_test(what_is_wrong_is_told_with_its_line),
		cmocka_unit_test(reading_runs_out_of_memory_at_any_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
