/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees for Graphviz: what is a box, what is red, and that no name breaks the format. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/ibcheck.h>

#include "base/arena.h"
#include "mkfab.h"

#define SMALL "synth:fattree:leaves=4,spines=2,hosts=3"
#define LARGE "synth:fattree:levels=3,pods=16,leaves=8,spines=8,uplinks=8,hosts=8"

/* A fabric, its tree, a report to fill, and the drawing of them. */
struct easel {
	struct ibc_fabric *fab;
	struct ibc_fattree *tree;
	struct ibc_report *rep;
	char *text;
	size_t size;
};

static struct easel easel(const char *spec)
{
	struct easel e = { .text = NULL };

	assert_int_equal(ibc_fabric_load(&spec, 1, NULL, &e.fab, NULL), 0);
	assert_int_equal(ibc_fattree_infer(e.fab, NULL, &e.tree, NULL), 0);
	assert_int_equal(ibc_report_new(&e.rep, NULL), 0);
	return e;
}

static const char *draw(struct easel *e)
{
	FILE *out = open_memstream(&e->text, &e->size);

	assert_int_equal(ibc_report_finish(e->rep, NULL), 0);
	assert_int_equal(ibc_fattree_dot(e->tree, e->rep, out, NULL), 0);
	assert_int_equal(fclose(out), 0);
	return e->text;
}

static void put_away(struct easel *e)
{
	ibc_report_free(e->rep);
	ibc_fattree_free(e->tree);
	ibc_fabric_free(e->fab);
	free(e->text);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static const struct ibc_node *named(const struct easel *e, const char *name)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(e->fab, i)); i++)
		if (!strcmp(node->name, name))
			return node;
	fail_msg("no node %s", name);
	return NULL;
}

static struct ibc_end end(const struct ibc_node *node, unsigned int port)
{
	return (struct ibc_end){ .guid = node->guid,
		                 .has_guid = true,
		                 .label = node->label,
		                 .port = port,
		                 .has_port = true };
}

/* A finding on the cable at a switch's port, and on one that should be between two others. */
static void blame(struct easel *e, enum ibc_severity severity)
{
	const struct ibc_node *leaf = named(e, "leaf01"), *spine = named(e, "spine02");
	const struct ibc_port *port = ibc_node_port(leaf, 4);
	struct ibc_subject cable = { .kind = IBC_SUBJECT_CABLE, .near = end(leaf, 4) };
	struct ibc_subject planned = { .kind = IBC_SUBJECT_CABLE,
		                       .near = end(leaf, 4),
		                       .far = end(spine, 40) };

	cable.far = end(port->peer->node, port->peer->num);
	ibc_report_add(e->rep, "topo.miswired", severity, &cable, "is elsewhere");
	ibc_report_relate(e->rep, IBC_ROLE_PLANNED, &planned);
}

static void every_switch_of_a_small_tree_is_a_box(void **state)
{
	struct easel e = easel(SMALL);

	(void)state;
	draw(&e);
	assert_int_equal(strncmp(e.text, "graph fabric {\n", 15), 0);
	assert_int_equal(count(e.text, " [label="), 6);
	assert_int_equal(count(e.text, "\\n3 hosts\"];"), 4);
	assert_int_equal(count(e.text, " -- b"), 8);
	assert_int_equal(count(e.text, "rank=same"), 2);
	assert_int_equal(count(e.text, "#c00000"), 0);
	put_away(&e);
}

static void what_a_finding_names_is_red_and_labelled(void **state)
{
	struct easel e = easel(SMALL);

	(void)state;
	blame(&e, IBC_CRITICAL);
	draw(&e);
	assert_int_equal(count(e.text, " -- b"), 10);
	assert_int_equal(count(e.text, "penwidth=2"), 2);
	assert_int_equal(count(e.text, "style=dashed"), 1);
	assert_int_equal(count(e.text, "\", color=\"#c00000\""), 3);
	assert_non_null(strstr(e.text, "label=\"leaf01\\n3 hosts\", color=\"#c00000\""));
	assert_non_null(strstr(e.text, "penwidth=2, label=\"leaf01/4 - spine01/1\""));
	assert_non_null(strstr(e.text, "style=dashed, label=\"leaf01/4 - spine02/40\""));
	put_away(&e);
}

static void a_note_is_not_red(void **state)
{
	struct easel e = easel(SMALL);

	(void)state;
	blame(&e, IBC_INFO);
	draw(&e);
	assert_int_equal(count(e.text, "#c00000"), 0);
	put_away(&e);
}

static void what_is_equal_is_one_box_in_a_large_tree(void **state)
{
	struct easel e = easel(LARGE);

	(void)state;
	draw(&e);
	assert_true(count(e.text, "peripheries=2") > 1);
	assert_true(count(e.text, "peripheries=2") <= 30);
	assert_non_null(strstr(e.text, "128 switches, 1024 hosts"));
	assert_true(e.size < 20000);
	put_away(&e);
}

static void a_hurt_switch_of_a_large_tree_stands_alone(void **state)
{
	struct easel e = easel(LARGE);
	struct ibc_subject node = { .kind = IBC_SUBJECT_NODE };

	(void)state;
	node.near = end(named(&e, "leaf017"), 1);
	ibc_report_add(e.rep, "fattree.missing-uplink", IBC_CRITICAL, &node, "lacks an uplink");
	draw(&e);
	assert_int_equal(count(e.text, "[label=\"leaf017\\n8 hosts\", color=\"#c00000\""), 1);
	assert_non_null(strstr(e.text, "127 switches, 1016 hosts"));
	put_away(&e);
}

static void names_cannot_break_the_format(void **state)
{
	struct mkfab m = mkfab();
	struct easel e = { .text = NULL };

	(void)state;
	mk_switch(m, 1, "<a&\"b\\>", 2);
	mk_switch(m, 2, "plain", 2);
	cable(m, 1, 1, 2, 1);
	e.fab = done(m);
	assert_int_equal(ibc_fattree_infer(e.fab, NULL, &e.tree, NULL), 0);
	assert_int_equal(ibc_report_new(&e.rep, NULL), 0);
	draw(&e);
	assert_non_null(strstr(e.text, "label=\"<a&\\\"b\\\\>\""));
	put_away(&e);
}

static void a_full_disk_is_an_error(void **state)
{
	struct easel e = easel(SMALL);
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(ibc_report_finish(e.rep, NULL), 0);
	assert_int_equal(ibc_fattree_dot(e.tree, e.rep, full, NULL), -EIO);
	fclose(full);
	put_away(&e);
}

static void running_out_of_memory_is_an_error(void **state)
{
	struct easel e = easel(SMALL);
	unsigned long n = 0;
	FILE *out;
	int rc;

	(void)state;
	blame(&e, IBC_CRITICAL);
	assert_int_equal(ibc_report_finish(e.rep, NULL), 0);
	do {
		out = open_memstream(&e.text, &e.size);
		alloc_fail_at(++n);
		rc = ibc_fattree_dot(e.tree, e.rep, out, NULL);
		alloc_fail_at(0);
		fclose(out);
		assert_true(rc == 0 || rc == -ENOMEM);
		if (rc)
			free(e.text);
	} while (rc);
	assert_true(n > 1);
	put_away(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_switch_of_a_small_tree_is_a_box),
		cmocka_unit_test(what_a_finding_names_is_red_and_labelled),
		cmocka_unit_test(a_note_is_not_red),
		cmocka_unit_test(what_is_equal_is_one_box_in_a_large_tree),
		cmocka_unit_test(a_hurt_switch_of_a_large_tree_stands_alone),
		cmocka_unit_test(names_cannot_break_the_format),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(running_out_of_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
