/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Congestion over time: tier by tier how long ports wait, and of each root that lasts a strip with
 * a box a window.
 */
#include <ibcheck/congestion.h>

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "draw/matrix.h"

#define TIERS_MAX  8   /* words of depths that struct ibc_wait_tiers may have */
#define STRIPS_MAX 20  /* roots; by eye, as all of these */
#define CELL       56  /* of the tiers, with a number in it */
#define BOX        14  /* of a strip */
#define NAME       300 /* pixels that the name of a root takes */
#define NAME_CHARS 40  /* of it */
#define EDGE       20  /* around the picture */
#define FONT       11  /* of all text */
#define TITLE      40  /* pixels for the title of a part */

struct congestion_page {
	const struct ibc_congestion *c;
	const char *tiers[TIERS_MAX];
	size_t num_tiers, windows, strips;
	FILE *out;
};

static size_t tier_place(struct congestion_page *p, const char *word)
{
	size_t i = 0;

	while (i < p->num_tiers && strcmp(p->tiers[i], word) != 0)
		i++;
	if (i == p->num_tiers && i < TIERS_MAX)
		p->tiers[p->num_tiers++] = word;
	return i;
}

/* Percent of the time; negative: not known. */
static unsigned int shade_of(double percent)
{
	const struct matrix_value value = { .worst = percent, .known = percent >= 0 };

	return colour_shade(IBC_COLOUR_WAIT, &value, 1);
}

static void put_words(const struct congestion_page *p, double x, double y, const char *text)
{
	svgf(p->out, "<text x=\"%g\" y=\"%g\" font-size=\"%d\">%s</text>\n", x, y, FONT, text);
}

static void put_shade(const struct congestion_page *p, double x, double y, double side,
                      unsigned int shade)
{
	fprintf(p->out,
	        "<rect class=\"s%u\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"></rect>\n", shade,
	        x, y, side - 1, side - 1);
}

/* ---- tier by tier --------------------------------------------------------------------------- */

static void put_tiers(struct congestion_page *p)
{
	put_words(p, EDGE, EDGE + FONT, "Mean wait, from (down) and to (across)");
	for (size_t i = 0; i < p->num_tiers; i++) {
		put_words(p, EDGE + CELL * (1 + (double)i) + 4, EDGE + TITLE + 10, p->tiers[i]);
		put_words(p, EDGE, EDGE + TITLE + CELL * (1 + (double)i) + 4, p->tiers[i]);
	}
	for (size_t i = 0; i < p->c->num_tiers; i++) {
		const struct ibc_wait_tiers *r = &p->c->tiers[i];
		double x = EDGE + CELL * (1 + (double)tier_place(p, r->to));
		double y = EDGE + TITLE + CELL / 2 + CELL * (double)tier_place(p, r->from);
		char text[16] = "-";

		if (r->mean_percent >= 0)
			snprintf(text, sizeof(text), "%.1f %%", r->mean_percent);
		svgf(p->out, "<g><title>%s to %s", r->from, r->to);
		fprintf(p->out, ": %zu ports, %zu of them 15 %% or longer, %zu not known</title>\n",
		        r->ports, r->long_waits, r->unknown);
		put_shade(p, x, y, CELL, shade_of(r->mean_percent));
		fprintf(p->out,
		        "<rect class=\"paper\" x=\"%g\" y=\"%g\" width=\"%d\" "
		        "height=\"16\"></rect>\n",
		        x + 6, y + CELL / 2.0 - 10, CELL - 13);
		put_words(p, x + 9, y + CELL / 2.0 + 2, text);
		fputs("</g>\n", p->out);
	}
}

/* ---- strips of time -------------------------------------------------------------------------- */

/* What each character of a strip means at the least. */
static double percent_of(char c)
{
	return c == '.' ? 0 : c == '-' ? 1 : c == '+' ? 5 : c == '#' ? 20 : -1;
}

static double strips_top(const struct congestion_page *p)
{
	return EDGE + TITLE + CELL * ((double)p->num_tiers + 1);
}

static void put_strips(const struct congestion_page *p)
{
	double y = strips_top(p) + 12;
	size_t row = 0;

	if (p->strips)
		put_words(p, EDGE, strips_top(p),
		          "Roots that last, window by window; darker: not known, no root, waits "
		          "below 5 %, "
		          "below 20 %, longer");
	for (size_t i = 0; i < p->c->num_roots && row < p->strips; i++) {
		const struct ibc_congestion_root *root = &p->c->roots[i];
		char name[SHORT_TEXT], text[3 * SHORT_TEXT];

		if (!root->lasts)
			continue;
		snprintf(text, sizeof(text), "%s/%u, %s", root->port->node->label, root->port->num,
		         root->kind->name);
		put_words(p, EDGE, y + FONT, svg_short(text, NAME_CHARS, name));
		for (size_t k = 0; root->strip[k]; k++)
			put_shade(p, EDGE + NAME + BOX * (double)k, y, BOX,
			          shade_of(percent_of(root->strip[k])));
		y += BOX;
		row++;
	}
}

int ibc_congestion_svg(const struct ibc_congestion *congestion, FILE *out, struct ibc_error *err)
{
	struct congestion_page p = { .c = congestion, .out = out };
	double width;

	for (size_t i = 0; i < congestion->num_tiers; i++)
		tier_place(&p, congestion->tiers[i].from);
	for (size_t i = 0; i < congestion->num_tiers; i++)
		tier_place(&p, congestion->tiers[i].to);
	p.windows = congestion->num_roots ? strlen(congestion->roots->strip) : 0;
	p.strips = congestion->lasting < STRIPS_MAX ? congestion->lasting : STRIPS_MAX;
	width = 2 * EDGE + NAME + BOX * (double)p.windows;
	svg_open("ibc-congestion", "waiting tier by tier, and roots of congestion over time",
	         width < CELL * (TIERS_MAX + 2) ? CELL * (TIERS_MAX + 2) : width,
	         strips_top(&p) + 12 + EDGE + BOX * (double)p.strips, "", out);
	put_tiers(&p);
	put_strips(&p);
	svg_close(out);
	return ferror(out) ? fail(err, -EIO, "cannot write the picture") : 0;
}
