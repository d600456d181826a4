/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tree in the language of Graphviz: boxes in rows, the cables between them, and what findings
 * name in red.  A box is a switch, or in a row of many switches those of one pod that no finding
 * names, or if there are too many pods all of them.  O(cables + switches).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/draw.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "draw/draw.h"
#include "fabric/fabric.h"

#define NO_BOX     UINT32_MAX
#define ROW_MAX    12 /* switches of one row that can be read on a screen */
#define GROUPS_MAX 12 /* the same of boxes that stand for many */
#define MARKS_MAX  64 /* more red lines than these are a red haze */

/* struct box - @label, @detail: two lines, @detail may be ""; @hurt: a finding names it */
struct box {
	const char *label, *detail;
	unsigned int row;
	bool hurt, lone;
};

/* struct edge - so many cables between two boxes, from the lower row */
struct edge {
	uint32_t from, to, cables;
};

/* struct red_edge - a cable that a finding names; @absent: it should be there */
struct red_edge {
	uint32_t from, to;
	const char *label;
	bool absent;
};

/* struct dot - @boxes: by row; @hurt, @box_of: by node; @group: by switch, of like ones in its row
 */
struct dot {
	struct arena *a;
	const struct ibc_fattree *tree;
	const struct switches *sw;
	struct box *boxes;
	size_t num_boxes, num_edges, num_red;
	struct edge *edges;
	struct red_edge red[MARKS_MAX];
	bool *hurt;
	uint32_t *box_of, *group;
};

/* Hosts are below the leaves, switches without a rank above all. */
static unsigned int row_of(const struct dot *d, uint32_t s)
{
	return 1 + (d->tree->rank[s] == RANK_NONE ? d->tree->tiers : d->tree->rank[s]);
}

static void hurt_subject(void *ctx, const struct ibc_finding *f, const struct ibc_subject *subject)
{
	struct dot *d = ctx;
	const struct ibc_node *near = named_end_node(d->tree->fab, &subject->near);
	const struct ibc_node *far = named_end_node(d->tree->fab, &subject->far);

	(void)f;
	if (subject->kind == IBC_SUBJECT_HOST || subject->kind == IBC_SUBJECT_PROCESS)
		return;
	if (near)
		d->hurt[node_order(near)] = true;
	if (far && subject->kind == IBC_SUBJECT_CABLE)
		d->hurt[node_order(far)] = true;
}

/* ---- boxes --------------------------------------------------------------------------------- */

static struct box *add_box(struct dot *d, const struct ibc_node *node, unsigned int row)
{
	struct box *box = &d->boxes[d->num_boxes];

	*box = (struct box){ node->label, "", row, d->hurt[node_order(node)], true };
	d->box_of[node_order(node)] = (uint32_t)d->num_boxes++;
	return box;
}

static const char *hosts_text(const struct dot *d, uint32_t hosts)
{
	char text[AMOUNT_TEXT];

	return hosts ? arena_strdup(d->a, str_amount(text, hosts, "host")) : "";
}

/* Of order[0] .. order[n - 1] those that no finding names share a box. */
static void add_switches(struct dot *d, const uint32_t *order, uint32_t n)
{
	struct box *shared = NULL;
	const struct ibc_node *last = NULL;
	uint32_t in_it = 0, hosts = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct ibc_node *node = d->sw->nodes[order[i]];

		if (d->hurt[node_order(node)] || !shared) {
			struct box *box = add_box(d, node, row_of(d, order[i]));

			box->detail = hosts_text(d, d->sw->hosts[order[i]]);
			if (box->hurt)
				continue;
			shared = box;
		}
		d->box_of[node_order(node)] = (uint32_t)(shared - d->boxes);
		hosts += d->sw->hosts[order[i]];
		last = node;
		in_it++;
	}
	if (in_it < 2)
		return;
	shared->lone = false;
	shared->label = arena_printf(d->a, "%s .. %s", shared->label, last->label);
	shared->detail = arena_printf(d->a, "%u switches%s%s", in_it, hosts ? ", " : "",
	                              hosts_text(d, hosts));
}

static int by_row_and_group(const void *x, const void *y, void *ctx)
{
	const struct dot *d = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return order_u64(row_of(d, a), row_of(d, b))
	    ?: order_u64(d->group[a], d->group[b])
	    ?: strverscmp(d->sw->nodes[a]->label, d->sw->nodes[b]->label);
}

static void make_boxes(struct dot *d)
{
	const struct wiring_groups *groups = &d->tree->groups;
	const struct switches *sw = d->sw;
	uint32_t *order = arena_array(d->a, sw->n + 1, sizeof(*order));
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(d->tree->fab, i)); i++)
		if (d->hurt[i] && node->type != IBC_NODE_SWITCH)
			add_box(d, node, 0);
	/* what stands for each other: of one pod, or at the top of one place */
	for (uint32_t s = 0; s < sw->n; s++) {
		order[s] = s;
		d->group[s] = !groups->n                         ? 0
		              : groups->of[LOWER][s] != NO_GROUP ? groups->of[LOWER][s]
		                                                 : groups->of[UPPER][s];
	}
	qsort_r(order, sw->n, sizeof(*order), by_row_and_group, d);
	for (uint32_t first = 0, end; first < sw->n; first = end) {
		unsigned int row = row_of(d, order[first]);
		uint32_t in_groups = 1, next;

		for (end = first + 1; end < sw->n && row_of(d, order[end]) == row; end++)
			in_groups += d->group[order[end]] != d->group[order[end - 1]];
		for (uint32_t i = first; i < end; i = next) {
			next = end - first > ROW_MAX && in_groups > GROUPS_MAX ? end : i + 1;
			while (end - first > ROW_MAX && next < end &&
			       d->group[order[next]] == d->group[order[i]])
				next++;
			add_switches(d, &order[i], next - i);
		}
	}
}

/* ---- cables -------------------------------------------------------------------------------- */

static int by_ends(const void *x, const void *y)
{
	const struct edge *a = x, *b = y;

	return order_u64(a->from, b->from) ?: order_u64(a->to, b->to);
}

static void make_edges(struct dot *d)
{
	const struct switches *sw = d->sw;
	struct edge *all = arena_array(d->a, sw->first_pair[sw->n] + 1, sizeof(*all));
	size_t n = 0;

	for (uint32_t s = 0; s < sw->n; s++) {
		for (uint32_t k = sw->first_pair[s]; k < sw->first_pair[s + 1]; k++) {
			uint32_t from = d->box_of[node_order(sw->nodes[s])];
			uint32_t to = d->box_of[node_order(sw->nodes[sw->pairs[k].to])];
			bool down = d->boxes[from].row > d->boxes[to].row;

			if (s < sw->pairs[k].to && from != to)
				all[n++] = (struct edge){ down ? to : from, down ? from : to,
					                  sw->pairs[k].count };
		}
	}
	qsort(all, n, sizeof(*all), by_ends);
	d->edges = all;
	for (size_t i = 0; i < n; i++) {
		if (d->num_edges && !by_ends(&all[d->num_edges - 1], &all[i]))
			all[d->num_edges - 1].cables += all[i].cables;
		else
			all[d->num_edges++] = all[i];
	}
}

static const char *red_end_text(const struct dot *d, const struct ibc_node *node,
                                const struct ibc_end *end)
{
	return end->has_port ? arena_printf(d->a, "%s/%u", node->label, end->port) : node->label;
}

/* From the lower box, so that a cable is called the same whichever end a finding is about. */
static void add_red(void *ctx, const struct ibc_finding *f, const struct ibc_subject *subject)
{
	struct dot *d = ctx;
	const struct ibc_node *near = named_end_node(d->tree->fab, &subject->near);
	const struct ibc_node *far = named_end_node(d->tree->fab, &subject->far);
	struct red_edge red;
	const char *a, *z;
	bool down;

	(void)f;
	if (subject->kind != IBC_SUBJECT_CABLE || !near || !far || d->num_red == MARKS_MAX)
		return;
	red.from = d->box_of[node_order(near)];
	red.to = d->box_of[node_order(far)];
	if (red.from == NO_BOX || red.to == NO_BOX)
		return;
	down = d->boxes[red.from].row != d->boxes[red.to].row
	           ? d->boxes[red.from].row > d->boxes[red.to].row
	           : red.from > red.to;
	a = red_end_text(d, near, &subject->near);
	z = red_end_text(d, far, &subject->far);
	red = (struct red_edge){ down ? red.to : red.from, down ? red.from : red.to,
		                 arena_printf(d->a, "%s - %s", down ? z : a, down ? a : z),
		                 !named_is_there(near, subject, far) };
	for (size_t i = 0; i < d->num_red; i++)
		if (!strcmp(d->red[i].label, red.label))
			return;
	d->red[d->num_red++] = red;
}

/* ---- the language -------------------------------------------------------------------------- */

/* In a quoted string only the quote and the backslash are special. */
static void put_quoted(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void put_dot(const struct dot *d, const char *title, FILE *out)
{
	fputs("graph fabric {\n\tlabel=\"", out);
	put_quoted(title, out);
	fputs("\";\n\trankdir=BT;\n\tranksep=2;\n\tnode [shape=box, fontsize=10];\n"
	      "\tedge [color=\"#b0b0b0\"];\n",
	      out);
	for (size_t i = 0; i < d->num_boxes; i++) {
		const struct box *box = &d->boxes[i];

		fprintf(out, "\tb%zu [label=\"", i);
		put_quoted(box->label, out);
		fputs(*box->detail ? "\\n" : "", out);
		put_quoted(box->detail, out);
		fprintf(out, "\"%s%s];\n", box->lone ? "" : ", peripheries=2",
		        box->hurt ? ", color=\"#c00000\", fontcolor=\"#c00000\"" : "");
	}
	for (size_t i = 0; i < d->num_boxes;) {
		unsigned int row = d->boxes[i].row;

		fputs("\t{ rank=same;", out);
		for (; i < d->num_boxes && d->boxes[i].row == row; i++)
			fprintf(out, " b%zu;", i);
		fputs(" }\n", out);
	}
	for (size_t i = 0; i < d->num_edges; i++) {
		fprintf(out, "\tb%u -- b%u", d->edges[i].from, d->edges[i].to);
		if (d->edges[i].cables > 1)
			fprintf(out, " [label=\"%u\"]", d->edges[i].cables);
		fputs(";\n", out);
	}
	for (size_t i = 0; i < d->num_red; i++) {
		fprintf(out,
		        "\tb%u -- b%u [color=\"#c00000\", fontcolor=\"#c00000\", penwidth=2%s"
		        ", label=\"",
		        d->red[i].from, d->red[i].to, d->red[i].absent ? ", style=dashed" : "");
		put_quoted(d->red[i].label, out);
		fputs("\"];\n", out);
	}
	fputs("}\n", out);
}

int ibc_fattree_dot(const struct ibc_fattree *tree, const struct ibc_report *rep, FILE *out,
                    struct ibc_error *err)
{
	size_t nodes = ibc_fabric_count(tree->fab).nodes;
	struct arena *a = arena_new();
	struct dot *d;

	if (!a || setjmp(*arena_entry(a))) {
		arena_free(a);
		return fail_nomem(err);
	}
	errno = 0;
	d = arena_alloc(a, sizeof(*d));
	d->a = a;
	d->tree = tree;
	d->sw = &tree->switches;
	d->boxes = arena_array(a, nodes + 1, sizeof(*d->boxes));
	d->hurt = arena_array(a, nodes + 1, sizeof(*d->hurt));
	d->box_of = arena_array(a, nodes + 1, sizeof(*d->box_of));
	d->group = arena_array(a, d->sw->n + 1, sizeof(*d->group));
	memset(d->box_of, 0xff, nodes * sizeof(*d->box_of));
	named_each(rep, hurt_subject, d);
	make_boxes(d);
	make_edges(d);
	named_each(rep, add_red, d);
	put_dot(d, drawing_title(a, tree->fab), out);
	arena_free(a);
	return drawing_end(out, err);
}
