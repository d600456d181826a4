/* SPDX-License-Identifier: BSD-2-Clause */
/* The DOT language of Graphviz: undirected, ranks from below. */
#include "draw/scene.h"

/* In a quoted string only the quote and the backslash are special. */
static void put_quoted(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void put_box(const struct scene_box *box, size_t i, FILE *out)
{
	fprintf(out, "\tb%zu [label=\"", i);
	put_quoted(box->label, out);
	if (*box->detail) {
		fputs("\\n", out);
		put_quoted(box->detail, out);
	}
	fprintf(out, "\"%s%s];\n", box->lone ? "" : ", peripheries=2",
	        box->hurt ? ", color=\"#c00000\", fontcolor=\"#c00000\"" : "");
}

static void put_ranks(const struct scene *scene, FILE *out)
{
	size_t at = 0;

	for (unsigned int row = 0; row < scene->rows; row++) {
		if (!scene->row_size[row])
			continue;
		fputs("\t{ rank=same;", out);
		for (uint32_t i = 0; i < scene->row_size[row]; i++)
			fprintf(out, " b%zu;", at++);
		fputs(" }\n", out);
	}
}

void draw_dot(const struct scene *scene, FILE *out)
{
	fputs("graph fabric {\n\tlabel=\"", out);
	put_quoted(scene->title, out);
	fputs("\";\n\trankdir=BT;\n\tranksep=2;\n\tnode [shape=box, fontsize=10];\n"
	      "\tedge [color=\"#b0b0b0\"];\n",
	      out);
	for (size_t i = 0; i < scene->num_boxes; i++)
		put_box(&scene->boxes[i], i, out);
	put_ranks(scene, out);
	for (size_t i = 0; i < scene->num_edges; i++) {
		const struct scene_edge *edge = &scene->edges[i];

		fprintf(out, "\tb%u -- b%u", edge->from, edge->to);
		if (edge->cables > 1)
			fprintf(out, " [label=\"%u\"]", edge->cables);
		fputs(";\n", out);
	}
	for (size_t i = 0; i < scene->num_marks; i++) {
		const struct scene_mark *mark = &scene->marks[i];

		fprintf(out,
		        "\tb%u -- b%u [color=\"#c00000\", fontcolor=\"#c00000\", penwidth=2%s"
		        ", label=\"",
		        mark->from, mark->to, mark->absent ? ", style=dashed" : "");
		put_quoted(mark->label, out);
		fputs("\"];\n", out);
	}
	fputs("}\n", out);
}
