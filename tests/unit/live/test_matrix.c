/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix: every cable is in a cell, damage in just the cells that it touched. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/ibcheck.h>

#include "base/arena.h"
#include "draw/matrix.h"
#include "mkfab.h"

#define HUGE  "synth:fattree:levels=3,pods=44,leaves=32,spines=32,uplinks=32,hosts=32"
#define BROAD "synth:fattree:levels=3,pods=32,leaves=16,spines=8,uplinks=8,hosts=2"
#define DEEP  "synth:fattree:levels=3,pods=16,leaves=8,spines=8,uplinks=8,hosts=8"

/* A fabric with its tree, a report on it, and the matrix of them. */
struct sheet {
	struct ibc_fabric *fab;
	struct ibc_fattree *tree;
	struct ibc_report *rep;
	struct ibc_matrix *m;
	char *svg;
	size_t size;
};

static struct ibc_fabric *load(const char *spec)
{
	struct ibc_fabric *fab;

	assert_int_equal(ibc_fabric_load(&spec, 1, NULL, &fab, NULL), 0);
	return fab;
}

static struct sheet sheet_of(struct ibc_fabric *fab)
{
	struct sheet s = { .fab = fab };

	assert_int_equal(ibc_fattree_infer(fab, NULL, &s.tree, NULL), 0);
	assert_int_equal(ibc_report_new(&s.rep, NULL), 0);
	return s;
}

/* What differs from a plan becomes findings and cases. */
static void compare_with(struct sheet *s, const struct ibc_fabric *plan)
{
	struct ibc_input in = { .fabric = s->fab };
	struct ibc_comparison *cmp;

	assert_int_equal(ibc_compare(plan, s->fab, NULL, &cmp, NULL), 0);
	in.comparison = cmp;
	assert_int_equal(ibc_check_run(&in, "topo", s->rep, NULL), 0);
	assert_int_equal(ibc_report_finish(s->rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, s->rep, NULL), 0);
	ibc_comparison_free(cmp);
}

static void draw_as(struct sheet *s, const struct ibc_matrix_opts *opts)
{
	FILE *out = open_memstream(&s->svg, &s->size);

	assert_non_null(out);
	assert_int_equal(ibc_matrix_build(s->fab, s->tree, s->rep, opts, &s->m, NULL), 0);
	assert_int_equal(ibc_matrix_svg(s->m, out, NULL), 0);
	assert_int_equal(fclose(out), 0);
}

static void draw(struct sheet *s, enum ibc_colour colour, const struct ibc_fabric *before)
{
	draw_as(s, &(struct ibc_matrix_opts){ .colour = colour, .before = before });
}

static struct sheet drawn(const char *spec)
{
	struct sheet s = sheet_of(load(spec));

	assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
	draw(&s, IBC_COLOUR_FAULTS, NULL);
	return s;
}

static void put_away(struct sheet *s)
{
	ibc_matrix_free(s->m);
	ibc_report_free(s->rep);
	ibc_fattree_free(s->tree);
	ibc_fabric_free(s->fab);
	free(s->svg);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* ---- twins -------------------------------------------------------------------------------- */

#define CELLS_MAX 2000
#define CELL_TEXT 512

/* struct cell - @name: "leaf03 - spine02"; @cables: near ends; @mark: "" if it has none */
struct cell {
	char name[CELL_TEXT], cables[2048], mark[64];
};

static const char *attribute(const char *at, const char *name, char *out, size_t size)
{
	const char *begin = strstr(at, name), *end;

	assert_non_null(begin);
	begin += strlen(name);
	end = strchr(begin, '"');
	assert_true((size_t)(end - begin) < size);
	memcpy(out, begin, (size_t)(end - begin));
	out[end - begin] = '\0';
	return end;
}

/* A finding on a switch itself. */
static void read_line(const char *at, struct cell *cell)
{
	char node[CELL_TEXT / 2];

	attribute(at, "data-node=\"", node, sizeof(node));
	snprintf(cell->name, sizeof(cell->name), "%s itself", node);
	snprintf(cell->mark, sizeof(cell->mark), "named");
}

static int by_name(const void *a, const void *z)
{
	return strcmp(((const struct cell *)a)->name, ((const struct cell *)z)->name);
}

/* But for those of rails, whose rows are named by many hosts. */
static size_t read_cells(char *svg, struct cell *cells)
{
	char *rails = strstr(svg, ">hosts to rails<");
	size_t n = 0;

	if (rails)
		*rails = '\0';
	for (const char *at = svg; (at = strstr(at, "<g class=\"line\"")); at++)
		read_line(at, &cells[n++]);
	for (const char *at = svg; (at = strstr(at, "<g class=\"cell\""));) {
		char row[CELL_TEXT / 2 - 2], col[CELL_TEXT / 2 - 2];
		const char *end = strstr(at, "</g>\n"), *glyph;
		struct cell *cell = &cells[n++];

		assert_true(n < CELLS_MAX);
		at = attribute(at, "data-row=\"", row, sizeof(row));
		at = attribute(at, "data-col=\"", col, sizeof(col));
		snprintf(cell->name, sizeof(cell->name), "%s - %s", row, col);
		at = attribute(at, "data-cables=\"", cell->cables, sizeof(cell->cables));
		glyph = strstr(at, "class=\"k-");
		cell->mark[0] = '\0';
		if (glyph && glyph < end)
			attribute(glyph, "class=\"k-", cell->mark, sizeof(cell->mark));
	}
	qsort(cells, n, sizeof(*cells), by_name);
	return n;
}

/* A line for each cell that is another in the twin, or is marked there. */
static void print_difference(FILE *out, const struct cell *clean, size_t n, const struct cell *twin,
                             size_t m)
{
	size_t i = 0, k = 0;

	while (i < n || k < m) {
		int order = i == n ? 1 : k == m ? -1 : by_name(&clean[i], &twin[k]);

		if (order < 0)
			fprintf(out, "%s: gone\n", clean[i].name);
		else if (order > 0)
			fprintf(out, "%s: more, %s\n", twin[k].name, twin[k].mark);
		else if (strcmp(clean[i].cables, twin[k].cables) != 0)
			fprintf(out, "%s: other, %s\n", twin[k].name, twin[k].mark);
		else if (*twin[k].mark)
			fprintf(out, "%s: %s\n", twin[k].name, twin[k].mark);
		i += order <= 0;
		k += order >= 0;
	}
}

static char *difference_of(const char *plan, const char *found)
{
	struct sheet a = drawn(plan), z = sheet_of(load(found));
	struct cell *cells = calloc(2 * CELLS_MAX, sizeof(*cells));
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_true(cells && out);
	compare_with(&z, a.fab);
	draw(&z, IBC_COLOUR_FAULTS, NULL);
	print_difference(out, cells, read_cells(a.svg, cells), cells + CELLS_MAX,
	                 read_cells(z.svg, cells + CELLS_MAX));
	assert_int_equal(fclose(out), 0);
	free(cells);
	put_away(&a);
	put_away(&z);
	return text;
}

static void a_twin_differs_in_just_the_damaged_cells(void **state)
{
	static const struct {
		const char *base, *fault, *cells;
	} twins[] = {
		{ "dual-rail", "replaced-hca", "leaf04 - hosts: misplaced\n" },
		{ "dual-rail", "swapped",
		  "leaf01 - hosts: misplaced\n"
		  "leaf02 - hosts: misplaced\n" },
		{ "ft-36x18", "swapped",
		  "leaf03 - spine01: other, missing\n"
		  "leaf03 - spine02: other, misplaced\n"
		  "leaf07 - spine01: other, misplaced\n"
		  "leaf07 - spine02: other, missing\n" },
		{ "half-populated", "leaf-leaf",
		  "leaf03 - spine02: other, missing\n"
		  "leaf04 - leaf03: more, misplaced\n" },
		{ "half-populated", "miswired",
		  "leaf02 - spine01: other, misplaced\n"
		  "leaf02 - spine02: other, missing\n" },
		{ "half-populated", "unexpected-cable", "leaf01 - spine02: other, misplaced\n" },
		{ "half-populated", "wrong-port", "leaf01 - spine01: misplaced\n" },
		{ "oversubscribed-2to1", "exchanged-leaves",
		  "leaf02 itself: more, named\n"
		  "leaf05 itself: more, named\n" },
		{ "oversubscribed-2to1", "slow", "leaf04 - spine01: slow\n" },
		{ "three-level", "narrow", "spine03 - core001: slow\n" },
		{ "two-level-small", "missing-cable", "leaf04 - spine02: other, missing\n" },
		{ "two-level-small", "missing-host",
		  "leaf03 - hosts: other, \n"
		  "leaf03 - no peer: more, missing\n" },
		{ "two-level-small", "renamed-node",
		  "leaf-03 - hosts: more, \n"
		  "leaf-03 - spine01: more, \n"
		  "leaf-03 - spine02: more, \n"
		  "leaf-03 itself: more, named\n"
		  "leaf03 - hosts: gone\n"
		  "leaf03 - spine01: gone\n"
		  "leaf03 - spine02: gone\n" },
		{ "two-level-small", "rotated",
		  "leaf01 - spine01: misplaced\n"
		  "leaf02 - spine01: other, missing\n"
		  "leaf02 - spine02: other, misplaced\n"
		  "leaf03 - spine01: other, misplaced\n"
		  "leaf03 - spine02: other, missing\n" },
		{ "two-level-small", "slow-links",
		  "leaf02 - spine02: slow\n"
		  "leaf03 - spine01: slow\n"
		  "leaf04 - hosts: slow\n" },
		{ "two-level-small", "swapped",
		  "leaf01 - spine01: other, missing\n"
		  "leaf01 - spine02: other, misplaced\n"
		  "leaf03 - spine01: other, misplaced\n"
		  "leaf03 - spine02: other, missing\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(twins) / sizeof(*twins); i++) {
		char plan[128], found[128], *text;

		snprintf(plan, sizeof(plan), "topologies/%s.net", twins[i].base);
		snprintf(found, sizeof(found), "topologies/%s+%s.net", twins[i].base,
		         twins[i].fault);
		text = difference_of(plan, found);
		assert_string_equal(text, twins[i].cells);
		free(text);
	}
}

/* Its column is gone, and each leaf misses a cable to it. */
static void a_missing_spine_is_missed_by_every_leaf(void **state)
{
	char *text = difference_of("topologies/ft-36x18.net",
	                           "topologies/ft-36x18+missing-spine.net");

	(void)state;
	assert_int_equal(count(text, " - spine07: gone\n"), 36);
	assert_int_equal(count(text, " - no peer: more, missing\n"), 36);
	assert_int_equal(count(text, "\n"), 72);
	free(text);
}

/* ---- what there is to see ------------------------------------------------------------------ */

/* Cables among switches, and in cells that are no sums. */
static void every_cable_is_in_one_cell(void **state)
{
	static const char *const specs[] = {
		"topologies/ft-36x18.net",
		"topologies/half-populated+leaf-leaf.net",
		"topologies/dual-rail.net",
		"topologies/three-level.net",
		DEEP,
		HUGE,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct sheet s = drawn(specs[i]);
		size_t there = 0, shown = 0;
		const struct ibc_port *p;

		for (size_t k = 0; (p = ibc_fabric_port(s.fab, k)); k++)
			there += p->peer && ibc_port_is_near_end(p);
		for (size_t k = 0; k < s.m->num_tiles; k++)
			shown += s.m->tiles[k].overview ? 0 : s.m->tiles[k].cables;
		assert_int_equal(shown, there);
		put_away(&s);
	}
}

static void blocks_that_are_equal_are_drawn_once(void **state)
{
	struct sheet s = drawn(DEEP);

	(void)state;
	assert_int_equal(count(s.svg, "<g class=\"tile\""), 3);
	assert_int_equal(count(s.svg, ">overview: "), 1);
	assert_int_equal(count(s.svg, ">16 like this<"), 1);
	assert_int_equal(count(s.svg, ">8 like this<"), 1);
	put_away(&s);
}

static struct ibc_end end_of(const struct ibc_port *port)
{
	return (struct ibc_end){ .guid = port->node->guid,
		                 .has_guid = true,
		                 .label = port->node->label,
		                 .port = port->num,
		                 .has_port = true };
}

/* The first cable of a switch that leads to another. */
static struct ibc_subject some_cable(const struct sheet *s)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(s->fab, i)); i++)
		if (p->peer && p->node->type == IBC_NODE_SWITCH &&
		    p->peer->node->type == IBC_NODE_SWITCH)
			return (struct ibc_subject){ IBC_SUBJECT_CABLE, end_of(p),
				                     end_of(p->peer) };
	fail_msg("no cable");
	return (struct ibc_subject){ .kind = IBC_SUBJECT_FABRIC };
}

static void a_block_with_a_fault_stands_alone_and_in_the_overview(void **state)
{
	struct sheet s = sheet_of(load(DEEP));
	struct ibc_subject cable = some_cable(&s);

	(void)state;
	ibc_report_add(s.rep, "counters.symbol", IBC_WARNING, &cable, "has errors");
	assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
	draw(&s, IBC_COLOUR_FAULTS, NULL);
	assert_int_equal(count(s.svg, "<g class=\"tile\""), 4);
	assert_int_equal(count(s.svg, ">15 like this<"), 1);
	/* in its block, in the overview, in the legend */
	assert_int_equal(count(s.svg, "class=\"k-errors\""), 3);
	put_away(&s);
}

/* With errors on so many of its cables, and every block once more, alone. */
static struct sheet drawn_with_errors(const char *spec, size_t cables)
{
	struct ibc_matrix_opts opts = { .colour = IBC_COLOUR_FAULTS, .details = true };
	struct sheet s = sheet_of(load(spec));
	const struct ibc_port *p;

	for (size_t i = 0; cables && (p = ibc_fabric_port(s.fab, i)); i++) {
		if (!p->peer || !ibc_port_is_near_end(p) || p->peer->node->type != p->node->type)
			continue;
		ibc_report_add(
		    s.rep, "counters.symbol", IBC_WARNING,
		    &(struct ibc_subject){ IBC_SUBJECT_CABLE, end_of(p), end_of(p->peer) },
		    "has errors");
		cables--;
	}
	assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
	draw_as(&s, &opts);
	return s;
}

/* Fewer cells than are too many, and more marks; and both. */
static void thousands_of_marks_are_a_path_a_kind(void **state)
{
	struct sheet few = drawn_with_errors(BROAD, 4500), many = drawn_with_errors(HUGE, 40000);

	(void)state;
	assert_null(strstr(few.svg, "(null)"));
	assert_true(count(few.svg, "class=\"cell\"") > 3000);
	assert_true(count(few.svg, "data-marks=") > 0);
	assert_true(few.size < 5000000);
	assert_null(strstr(many.svg, "(null)"));
	assert_true(count(many.svg, "class=\"cell\"") < 12000);
	assert_true(many.size < 5000000); /* a page has two, and at most 20 MB */
	/* four pods without errors, the spines of a rank, one pod with errors */
	assert_non_null(strstr(many.svg, "no room here: 37, with marks: 1."));
	put_away(&few);
	put_away(&many);
}

/* What a text names, drawn. */
static struct sheet drawn_of(const char *spec, const char *named)
{
	struct sheet s = sheet_of(load(spec));
	struct ibc_matrix_opts opts = { .colour = IBC_COLOUR_FAULTS };
	struct ibc_place *places;

	assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
	assert_int_equal(ibc_fabric_find(s.fab, named, &places, &opts.num_places, NULL), 0);
	opts.places = places;
	draw_as(&s, &opts);
	free(places);
	return s;
}

static void what_is_asked_for_is_drawn_alone(void **state)
{
	static const struct {
		const char *named, *block;
		size_t blocks;
	} cases[] = {
		{ "leaf011", "leaf009 .. leaf016", 1 },  /* one of 16 that are like it */
		{ "node0081", "leaf009 .. leaf016", 1 }, /* a host there */
		{ "leaf0[0-1]*", "leaf001 .. leaf008", 3 },
		{ "spine001", "spine001 .. spine121", 2 }, /* in its pod, and below the cores */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sheet s = drawn_of(DEEP, cases[i].named);
		char block[64], others[64];

		snprintf(block, sizeof(block), "data-name=\"%s\"", cases[i].block);
		snprintf(others, sizeof(others), "Blocks of other switches: %zu.",
		         25 - cases[i].blocks);
		assert_int_equal(count(s.svg, "<g class=\"tile\""), cases[i].blocks);
		assert_non_null(strstr(s.svg, block));
		assert_non_null(strstr(s.svg, others));
		assert_null(strstr(s.svg, " like this"));
		put_away(&s);
	}
}

/* In the picture with names, or once more, hidden. */
static void a_page_has_every_block_with_its_names(void **state)
{
	static const char *const specs[] = { "topologies/dual-rail.net", DEEP, HUGE };

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct sheet s = sheet_of(load(specs[i]));
		char name[128];

		assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
		draw_as(&s, &(struct ibc_matrix_opts){ .details = true });
		for (size_t k = 0; k < s.m->num_tiles; k++) {
			snprintf(name, sizeof(name), "data-no=\"%zu\"", k);
			/* what stands for others is there under its own name too */
			assert_int_equal(count(s.svg, name), s.m->tiles[k].alike > 1 ? 2 : 1);
			snprintf(name, sizeof(name), ">%s</text>", s.m->tiles[k].rows[0].name);
			assert_non_null(strstr(s.svg, name));
		}
		assert_true(s.size < 1500000); /* of four pictures a page may have 20 MB */
		put_away(&s);
	}
}

static void names_are_text(void **state)
{
	struct mkfab m = mkfab();
	struct sheet s;

	(void)state;
	mk_switch(m, 1, "<a&\"b\\>", 2);
	mk_switch(m, 2, "plain", 2);
	cable(m, 1, 1, 2, 1);
	s = sheet_of(done(m));
	assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
	draw(&s, IBC_COLOUR_FAULTS, NULL);
	assert_non_null(strstr(s.svg, ">&lt;a&amp;&quot;b\\&gt;<"));
	assert_null(strstr(s.svg, "<a&"));
	put_away(&s);
}

static void what_has_no_place_is_counted(void **state)
{
	struct ibc_subject fabric = { .kind = IBC_SUBJECT_FABRIC };
	struct sheet s = sheet_of(load("topologies/two-level-small.net"));

	(void)state;
	ibc_report_add(s.rep, "sm.none", IBC_CRITICAL, &fabric, "there is none");
	ibc_report_add(s.rep, "fattree.family", IBC_INFO, &fabric, "is a note");
	assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
	draw(&s, IBC_COLOUR_FAULTS, NULL);
	assert_non_null(strstr(s.svg, "nothing that is drawn here: 1."));
	put_away(&s);
}

static void what_is_not_known_has_no_shade(void **state)
{
	struct sheet s = sheet_of(load("topologies/two-level-small.net"));

	(void)state;
	assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
	draw(&s, IBC_COLOUR_ERRORS, NULL);
	assert_int_equal(count(s.svg, "</title><path class=\"s0\""), 12);
	assert_int_equal(count(s.svg, "2 of 2 ends not known"), 8);
	put_away(&s);
}

static void a_colour_shows_the_worst_end(void **state)
{
	struct sheet s = sheet_of(load("tests/golden/fixtures/counted-later.snap"));
	struct ibc_fabric *before = load("tests/golden/fixtures/counted.snap");

	(void)state;
	assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
	draw(&s, IBC_COLOUR_ERRORS, before);
	assert_non_null(strstr(s.svg, "<title>leaf01 - spine01: 1 cable, 53 errors</title>"
	                              "<path class=\"s3\""));
	put_away(&s);
	ibc_fabric_free(before);
}

/* Hosts on the same switches are one row; one whose two adapters are exchanged is another. */
static void hosts_with_rails_are_rows_by_adapters(void **state)
{
	struct sheet s = drawn("topologies/dual-rail+swapped.net");
	const char *rails = strstr(s.svg, ">hosts to rails<");

	(void)state;
	assert_non_null(rails);
	assert_int_equal(count(rails, "<g class=\"cell\""), 6);
	assert_non_null(strstr(rails, "<title>node0001 .. node0004 - mlx5_0 to leaf01: 3 cables<"));
	assert_non_null(strstr(rails, "<title>node0003 - mlx5_0 to leaf02: 1 cable<"));
	put_away(&s);
}

/* A ring of eight: no tree, so each cable is in the row of the later switch. */
static void what_is_no_tree_is_switch_by_switch(void **state)
{
	struct mkfab m = mkfab();
	struct sheet s;

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		char name[64];

		snprintf(name, sizeof(name), "<s&\"%u>", i);
		mk_switch(m, 0x10 + i, name, 4);
	}
	for (unsigned int i = 0; i < 8; i++)
		cable(m, 0x10 + i, 1, 0x10 + (i + 1) % 8, 2);
	s = sheet_of(done(m));
	assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
	draw(&s, IBC_COLOUR_FAULTS, NULL);
	assert_int_equal(count(s.svg, "<g class=\"cell\""), 8);
	assert_non_null(strstr(s.svg, "data-row=\"&lt;s&amp;&quot;7&gt;\" "
	                              "data-col=\"&lt;s&amp;&quot;0&gt;\""));
	assert_null(strstr(s.svg, "<s&"));
	put_away(&s);
}

/* Pods of a plan come before names; a gap is between them. */
static void pods_of_a_plan_are_groups(void **state)
{
	struct mkfab m = mkfab();
	struct sheet s;
	const struct matrix_tile *tile;

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		char name[16];

		snprintf(name, sizeof(name), "s%u", i);
		mk_switch(m, 0x10 + i, name, 4)->pod = i % 2 ? "b" : "a";
	}
	for (unsigned int i = 0; i < 8; i++)
		cable(m, 0x10 + i, 1, 0x10 + (i + 1) % 8, 2);
	s = sheet_of(done(m));
	assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
	draw(&s, IBC_COLOUR_FAULTS, NULL);
	tile = &s.m->tiles[0];
	assert_string_equal(tile->rows[3].name, "s6");
	assert_string_equal(tile->rows[4].name, "s1");
	assert_int_equal(tile->rows[3].gaps, 0);
	assert_int_equal(tile->rows[4].gaps, 1);
	put_away(&s);
}

#define GROUPS  25
#define MEMBERS 8

/* Each group is a clique, and every two groups have a cable: too many switches for one block. */
static void groups_of_a_large_dragonfly_are_found_by_their_cables(void **state)
{
	struct mkfab m = mkfab();
	unsigned int used[GROUPS][MEMBERS] = { { 0 } };
	struct sheet s;

	(void)state;
	for (unsigned int g = 0; g < GROUPS; g++)
		for (unsigned int i = 0; i < MEMBERS; i++) {
			char name[16];

			snprintf(name, sizeof(name), "g%02us%u", g, i);
			mk_switch(m, 0x100 * (g + 1) + i, name, 20);
			for (unsigned int k = 0; k < i; k++)
				cable(m, 0x100 * (g + 1) + i, ++used[g][i], 0x100 * (g + 1) + k,
				      ++used[g][k]);
		}
	for (unsigned int g = 0; g < GROUPS; g++)
		for (unsigned int h = 0; h < g; h++) {
			unsigned int i = h % MEMBERS, k = g % MEMBERS;

			cable(m, 0x100 * (g + 1) + i, ++used[g][i], 0x100 * (h + 1) + k,
			      ++used[h][k]);
		}
	s = sheet_of(done(m));
	assert_int_equal(ibc_report_finish(s.rep, NULL), 0);
	draw(&s, IBC_COLOUR_FAULTS, NULL);
	/* the groups, which are equal, and how they are joined */
	assert_int_equal(s.m->num_tiles, 1 + GROUPS);
	assert_int_equal(count(s.svg, "<g class=\"tile\""), 2);
	assert_int_equal(s.m->tiles[0].num_cells, GROUPS + GROUPS * (GROUPS - 1) / 2);
	put_away(&s);
}

/* ---- failures ----------------------------------------------------------------------------------
 */

static void a_picture_without_memory_is_an_error(void **state)
{
	struct sheet s = sheet_of(load("topologies/dual-rail+swapped.net"));
	const struct ibc_place place = { ibc_fabric_node(s.fab, 0), 0 };
	const struct ibc_matrix_opts opts = { .places = &place, .num_places = 1 };
	struct ibc_fattree *trees[] = { s.tree, NULL };
	struct ibc_fabric *plan = load("topologies/dual-rail.net");

	(void)state;
	compare_with(&s, plan);
	for (int i = 0; i < 2; i++) {
		unsigned long n = 0;
		int rc;

		do {
			alloc_fail_at(++n);
			rc = ibc_matrix_build(s.fab, trees[i], s.rep, &opts, &s.m, NULL);
			alloc_fail_at(0);
			assert_true(rc == 0 || (rc == -ENOMEM && !s.m));
		} while (rc);
		assert_true(n > 1);
		ibc_matrix_free(s.m);
	}
	s.m = NULL;
	put_away(&s);
	ibc_fabric_free(plan);
}

static void a_full_disk_is_no_picture(void **state)
{
	struct sheet s = drawn("topologies/two-level-small.net");
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(ibc_matrix_svg(s.m, full, NULL), -EIO);
	fclose(full);
	put_away(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_twin_differs_in_just_the_damaged_cells),
		cmocka_unit_test(a_missing_spine_is_missed_by_every_leaf),
		cmocka_unit_test(every_cable_is_in_one_cell),
		cmocka_unit_test(blocks_that_are_equal_are_drawn_once),
		cmocka_unit_test(a_block_with_a_fault_stands_alone_and_in_the_overview),
		cmocka_unit_test(thousands_of_marks_are_a_path_a_kind),
		cmocka_unit_test(what_is_asked_for_is_drawn_alone),
		cmocka_unit_test(a_page_has_every_block_with_its_names),
		cmocka_unit_test(names_are_text),
		cmocka_unit_test(what_has_no_place_is_counted),
		cmocka_unit_test(what_is_not_known_has_no_shade),
		cmocka_unit_test(a_colour_shows_the_worst_end),
		cmocka_unit_test(hosts_with_rails_are_rows_by_adapters),
		cmocka_unit_test(what_is_no_tree_is_switch_by_switch),
		cmocka_unit_test(pods_of_a_plan_are_groups),
		cmocka_unit_test(groups_of_a_large_dragonfly_are_found_by_their_cables),
		cmocka_unit_test(a_picture_without_memory_is_an_error),
		cmocka_unit_test(a_full_disk_is_no_picture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
