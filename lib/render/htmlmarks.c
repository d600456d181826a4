/* SPDX-License-Identifier: BSD-2-Clause */
/* What joins the parts of a page: which places cases name, and what is remembered of ports. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "render/html.h"

/* ---- places that cases name -------------------------------------------------------- */

static int compare_places(const struct place *a, const struct place *z)
{
	int order = order_u64(a->guid, z->guid);

	return order ? order : order_u64(a->port, z->port);
}

/* The cases of a report are in an array, worst first. */
static int by_place(const void *va, const void *vz)
{
	const struct named *a = va, *z = vz;
	int order = compare_places(&a->place, &z->place);

	return order ? order : (a->in_case > z->in_case) - (a->in_case < z->in_case);
}

static void note_end(struct page *p, const struct ibc_end *end, const struct ibc_case *c)
{
	unsigned int port = end->has_port ? end->port : WHOLE_NODE;

	if (!end->has_guid)
		return;
	if (!grow(&p->named, p->num_named, &p->room_named, sizeof(*p->named))) {
		give_up(p->w, -ENOMEM);
		return;
	}
	p->named[p->num_named++] = (struct named){ { end->guid, port }, c };
}

static void note_subject(struct page *p, const struct ibc_subject *s, const struct ibc_case *c)
{
	note_end(p, &s->near, c);
	note_end(p, &s->far, c);
}

static void note_case(struct page *p, const struct ibc_case *c)
{
	if (case_is_hidden(c))
		return;
	note_subject(p, &c->subject, c);
	for (size_t i = 0; i < c->num_findings; i++) {
		const struct ibc_finding *f = c->findings[i];

		note_subject(p, &f->subject, c);
		for (size_t k = 0; k < f->num_related; k++)
			note_subject(p, &f->related[k].subject, c);
	}
}

/* The first at this node. */
static size_t find_node(const struct page *p, uint64_t guid)
{
	size_t low = 0, high = p->num_named, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (p->named[middle].place.guid < guid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t join_case(const struct ibc_case *cases[ROW_CASES], size_t n, const struct ibc_case *c)
{
	for (size_t i = 0; i < n; i++)
		if (cases[i] == c)
			return n;
	if (n < ROW_CASES)
		cases[n++] = c;
	return n;
}

size_t cases_of(const struct page *p, const struct place *places, size_t n,
                const struct ibc_case *cases[ROW_CASES])
{
	size_t num = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = find_node(p, places[i].guid);
		     k < p->num_named && p->named[k].place.guid == places[i].guid; k++) {
			unsigned int port = p->named[k].place.port;

			if (port == WHOLE_NODE || places[i].port == WHOLE_NODE ||
			    port == places[i].port)
				num = join_case(cases, num, p->named[k].in_case);
		}
	}
	return num;
}

void collect_places(struct writer *w, const struct place *places, size_t n)
{
	char text[48];

	for (size_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%s0x%016" PRIx64, i ? " " : "", places[i].guid);
		collect_text(w, text);
		snprintf(text, sizeof(text), "/%u", places[i].port);
		collect_text(w, places[i].port == WHOLE_NODE ? "" : text);
	}
}

/* ---- the past of ports ---------------------------------------------------------------- */

static int by_port(const void *va, const void *vz)
{
	const struct past *a = *(const struct past *const *)va,
			  *z = *(const struct past *const *)vz;

	return compare_places(&(struct place){ a->guid, a->port },
	                      &(struct place){ z->guid, z->port });
}

static int place_of_past(const void *place, const void *past)
{
	const struct past *z = *(const struct past *const *)past;

	return compare_places(place, &(struct place){ z->guid, z->port });
}

static void list_pasts(struct page *p)
{
	const struct pasts *pasts = &p->report->pasts;
	size_t n = 0;

	p->pasts = xalloc((pasts->num + 1) * sizeof(*p->pasts));
	if (!p->pasts) {
		give_up(p->w, -ENOMEM);
		return;
	}
	for (const struct past *past = pasts->ports; past; past = past->next)
		p->pasts[n++] = past;
	qsort(p->pasts, n, sizeof(*p->pasts), by_port);
}

bool past_of(const struct page *p, const struct place *places, size_t n,
             double values[IBC_PAST_STEPS])
{
	const struct pasts *pasts = &p->report->pasts;
	bool any = false;

	for (unsigned int i = 0; i < pasts->steps; i++)
		values[i] = -1;
	for (size_t i = 0; i < n && p->pasts; i++) {
		const struct past **past = bsearch(&places[i], p->pasts, pasts->num,
		                                   sizeof(*p->pasts), place_of_past);

		any = any || past;
		for (unsigned int k = 0; past && k < pasts->steps; k++)
			if ((*past)->values[k] >= 0)
				values[k] = (*past)->values[k] + (values[k] > 0 ? values[k] : 0);
	}
	return any;
}

#define PAST_HEIGHT 14 /* of a line of text; a step is 2 wide, and 1 apart */

static void put_past_bars(struct writer *w, const double *values, unsigned int n, double most)
{
	put(w, "<path d=\"");
	for (unsigned int i = 0; i < n; i++) {
		/* what is not known leaves a gap, and nothing a line at the ground */
		double height = values[i] > 0 ? 1.5 + values[i] / most * (PAST_HEIGHT - 1.5) : 0.5;

		if (values[i] < 0)
			continue;
		putf(w, "M%u %dv-%.1fh2v%.1fz", 3 * i, PAST_HEIGHT, height, height);
	}
	put(w, "\"/>");
}

void put_past(const struct page *p, const struct place *places, size_t n)
{
	const struct pasts *pasts = &p->report->pasts;
	double values[IBC_PAST_STEPS], most = 1;
	struct writer *w = p->w;
	char since[UTC_TEXT] = "";

	if (!past_of(p, places, n, values))
		return;
	for (unsigned int i = 0; i < pasts->steps; i++)
		most = values[i] > most ? values[i] : most;
	utc_text(pasts->from, since);
	putf(w, "<svg class=\"past\" role=\"img\" width=\"%u\" height=\"%d\" viewBox=\"0 0 %u %d\"",
	     3 * pasts->steps, PAST_HEIGHT, 3 * pasts->steps, PAST_HEIGHT);
	put(w, " aria-label=\"");
	say(w, pasts->what);
	putf(w, " since %.10s, at most %.10g\">", since, most);
	put_past_bars(w, values, pasts->steps, most);
	put(w, "</svg>");
}

/* ---- all of it ---------------------------------------------------------------------- */

/* The first ones, in the order in which they stand there. */
static void choose_cards(struct page *p)
{
	const struct ibc_case *c;
	size_t n = 0;

	p->cards = xalloc(p->report->num_cases * sizeof(*p->cards) + 1);
	if (!p->cards)
		give_up(p->w, -ENOMEM);
	for (int known = 0; p->cards && known < 2; known++) {
		struct severity_walk walk = { .report = p->report, .known = known };

		while ((c = case_next(&walk)) && n++ < PAGE_ROWS)
			p->cards[c - p->report->cases] = true;
	}
}

bool has_card(const struct page *p, const struct ibc_case *c)
{
	if (c->state == IBC_CASE_GONE)
		return c - p->report->gone < PAGE_ROWS;
	return p->cards && p->cards[c - p->report->cases];
}

void find_marks(struct page *p)
{
	for (size_t i = 0; i < p->report->num_cases; i++)
		note_case(p, &p->report->cases[i]);
	if (p->num_named)
		qsort(p->named, p->num_named, sizeof(*p->named), by_place);
	list_pasts(p);
	choose_cards(p);
}

void free_marks(struct page *p)
{
	free(p->named);
	free(p->pasts);
	free(p->cards);
}
