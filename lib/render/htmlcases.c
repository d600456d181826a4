/* SPDX-License-Identifier: BSD-2-Clause */
/* Of a page what a report says in sentences: its summary, its cases, what was covered. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/str.h"
#include "render/html.h"

#define SHEET_CASES   6  /* with their remedies, on one sheet of paper with what stands above */
#define SHEET_CHANGES 6  /* likewise */
#define CASE_FINDINGS 20 /* of a case of thousands the first ones show what it is */

/* ---- which cases the page has, and what they name ----------------------------------- */

/* The cases of a report are in an array, worst first. */
static int by_place(const void *va, const void *vz)
{
	const struct named *a = va, *z = vz;

	return order_u64(a->place.guid, z->place.guid)
	    ?: order_u64(a->place.port, z->place.port)
	    ?: order_u64((uintptr_t)a->in_case, (uintptr_t)z->in_case);
}

static void note_subject(struct page *p, size_t *room, const struct ibc_subject *s,
                         const struct ibc_case *c)
{
	const struct ibc_end *ends[] = { &s->near, &s->far };

	for (int i = 0; i < 2; i++) {
		unsigned int port = ends[i]->has_port ? ends[i]->port : WHOLE_NODE;

		if (!ends[i]->has_guid)
			continue;
		arena_grow(p->w->arena, &p->named, p->num_named, room, sizeof(*p->named));
		p->named[p->num_named++] = (struct named){ { ends[i]->guid, port }, c };
	}
}

void find_cards(struct page *p)
{
	size_t room = 0, n = 0;
	const struct ibc_case *c;

	for (size_t i = 0; i < p->report->num_cases; i++) {
		c = &p->report->cases[i];
		if (case_is_hidden(c))
			continue;
		note_subject(p, &room, &c->subject, c);
		for (size_t k = 0; k < c->num_findings; k++) {
			const struct ibc_finding *f = c->findings[k];

			note_subject(p, &room, &f->subject, c);
			for (size_t r = 0; r < f->num_related; r++)
				note_subject(p, &room, &f->related[r].subject, c);
		}
	}
	if (p->num_named)
		qsort(p->named, p->num_named, sizeof(*p->named), by_place);
	/* all critical ones, then the first others, in the order in which they stand there */
	p->cards = arena_array(p->w->arena, p->report->num_cases + 1, sizeof(*p->cards));
	for (int known = 0; known < 2; known++) {
		struct severity_walk walk = { .report = p->report, .known = known };

		while ((c = case_next(&walk)))
			p->cards[c - p->report->cases] = n++ < PAGE_CASES ||
			                                 (c->severity == IBC_CRITICAL && !known);
	}
}

bool has_card(const struct page *p, const struct ibc_case *c)
{
	return c->state == IBC_CASE_GONE ? c - p->report->gone < PAGE_CASES
	                                 : p->cards[c - p->report->cases];
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

size_t cases_of(const struct page *p, const struct place *places, size_t n,
                const struct ibc_case *cases[ROW_CASES])
{
	size_t num = 0, i;

	for (size_t at = 0; at < n; at++) {
		for (size_t k = find_node(p, places[at].guid);
		     k < p->num_named && p->named[k].place.guid == places[at].guid; k++) {
			unsigned int port = p->named[k].place.port;

			if (port != WHOLE_NODE && places[at].port != WHOLE_NODE &&
			    port != places[at].port)
				continue;
			for (i = 0; i < num && cases[i] != p->named[k].in_case; i++)
				;
			if (i == num && num < ROW_CASES)
				cases[num++] = p->named[k].in_case;
		}
	}
	return num;
}

/* ---- pieces ------------------------------------------------------------------------ */

void put_sign(struct writer *w, enum ibc_severity severity)
{
	static const char *const signs[] = {
		[IBC_OK] = "\u2714", [IBC_INFO] = "i",          [IBC_WARNING] = "\u25b2",
		[IBC_UNKNOWN] = "?", [IBC_CRITICAL] = "\u2716",
	};

	putf(w, "<span class=\"sign\" aria-hidden=\"true\">%s</span> ", signs[severity]);
}

/* What is long past, or was accepted, looks alike whatever it was. */
static const char *class_of(const struct ibc_case *c)
{
	return c->state == IBC_CASE_GONE ? "gone"
	       : case_is_known(c)        ? "known"
	                                 : ibc_severity_word(c->severity)->word;
}

/* Is it work?  What is said for information only, or was accepted, is none. */
static bool case_is_work(const struct ibc_case *c)
{
	return c->severity > IBC_INFO && !case_is_known(c) && !case_is_hidden(c);
}

static void put_case_link(const struct page *p, const struct ibc_case *c)
{
	bool link = has_card(p, c);

	if (link)
		putf(p->w, "<a href=\"#case-%s\">", c->id);
	put(p->w, "<bdi>");
	say_head(p->w, c);
	put(p->w, link ? "</bdi></a>" : "</bdi>");
}

static void put_fix(struct writer *w, const struct ibc_case *c)
{
	if (!c->advice || case_is_known(c))
		return;
	put(w, "<p class=\"fix\"><b>Fix:</b> ");
	say_stopped(w, c->advice);
	put(w, "</p>\n");
}

static void put_case_label(struct writer *w, const struct ibc_case *c)
{
	bool past = c->state == IBC_CASE_GONE || case_is_known(c);

	put(w, "<span class=\"label\">");
	if (!past)
		put_sign(w, c->severity);
	putf(w, "%s</span> ", past ? class_of(c) : ibc_severity_word(c->severity)->name);
}

/* ---- for those who decide ----------------------------------------------------------- */

/* What a case costs until it is repaired, and by whom; NULL: it is not known. */
static const struct consequence *consequence_of(const struct page *p, const struct ibc_case *c)
{
	const struct consequence *of = p->report->consequences, *of_check = NULL;

	for (; of && strcmp(of->check, c->id) != 0; of = of->next)
		if (!strcmp(of->check, c->check))
			of_check = of;
	return of ? of : of_check;
}

/* What the verdict means, how much is affected, and who has to act. */
static void put_brief(const struct page *p)
{
	static const char *const meanings[] = {
		[IBC_OK] = "Nothing has to be repaired now.",
		[IBC_WARNING] = "There are faults to repair. None of them is critical.",
		[IBC_UNKNOWN] = "Part of it could not be checked: there may be faults that this "
				"report does not show.",
		[IBC_CRITICAL] = "There are faults to repair now.",
	};

	const struct consequence *all = p->report->consequences, *earlier, *of;
	const char *separator = "<li><b>Who has to act:</b> ";
	char cases[AMOUNT_TEXT];

	if (!p->report->affected)
		return;
	putf(p->w, "<ul class=\"brief\">\n<li>%s</li>\n<li><b>Affected:</b> %s</li>\n",
	     meanings[ibc_report_verdict(p->report)], p->report->affected);
	/* "data centre staff (2 cases), host administrators (1 case)"; a report keeps words once */
	for (const struct consequence *who = all; who; who = who->next) {
		size_t n = 0;

		for (earlier = all; earlier->who != who->who; earlier = earlier->next)
			;
		for (size_t i = 0; earlier == who && i < p->report->num_cases; i++)
			if (case_is_work(&p->report->cases[i]) &&
			    (of = consequence_of(p, &p->report->cases[i])))
				n += of->who == who->who;
		if (!n)
			continue;
		put(p->w, separator);
		putf(p->w, "%s (%s)", who->who, str_amount(cases, n, "case"));
		separator = ", ";
	}
	put(p->w, *separator == ',' ? "</li>\n</ul>\n" : "</ul>\n");
}

/* ---- the summary ------------------------------------------------------------------- */

static void put_tile(struct writer *w, const char *class, uint64_t n, const char *what)
{
	static const struct escape blanks[] = { { "_", " " }, { 0 } };

	putf(w, "<li class=\"%s\"><b>%" PRIu64 "</b> ", class, n);
	put_escaped(w, what, blanks);
	put(w, "</li>\n");
}

static void put_tiles(struct writer *w, const struct ibc_report *rep)
{
	static const enum ibc_severity shown[] = { IBC_CRITICAL, IBC_UNKNOWN, IBC_WARNING,
		                                   IBC_INFO };
	size_t n;

	put(w, "<ul class=\"tiles\">\n");
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		const char *word = ibc_severity_word(shown[i])->word;

		n = report_count_cases(rep, shown[i]);
		if (n || shown[i] != IBC_INFO)
			put_tile(w, n ? word : "none", n, word);
	}
	if ((n = report_count_known_cases(rep)))
		put_tile(w, "known", n, "known");
	if (rep->remembered)
		put_tile(w, "gone", rep->num_gone, ibc_case_state_word(IBC_CASE_GONE)->name);
	for (const struct sum *s = rep->sums; s; s = s->next)
		put_tile(w, "figure", s->value, strcmp(s->key, "links") ? s->key : "cables");
	put(w, "</ul>\n");
}

static void put_worst_case(const struct page *p, const struct ibc_case *c)
{
	const struct consequence *of = consequence_of(p, c);
	struct writer *w = p->w;

	putf(w, "<li class=\"%s\" data-case=\"%s\">", class_of(c), c->id);
	put_case_label(w, c);
	put_case_link(p, c);
	say_past(w, p->report, c, " (", ")");
	put(w, "<p class=\"what\">");
	say_sentence(w, c->message);
	put(w, "</p>\n");
	put_fix(w, c);
	if (of)
		putf(w, "<p class=\"cost\"><b>Who:</b> %s. <b>Until then:</b> %s</p>\n", of->who,
		     of->cost);
	put(w, "</li>\n");
}

/* Returns how many it has put. */
static size_t put_worst(const struct page *p)
{
	struct severity_walk walk = { .report = p->report };
	const struct ibc_case *c;
	size_t n = 0;

	while ((c = case_next(&walk))) {
		if (!case_is_work(c))
			continue;
		if (!n)
			put(p->w, "<h2>What to do first</h2>\n<ol class=\"glance\">\n");
		if (n++ < SHEET_CASES)
			put_worst_case(p, c);
	}
	put(p->w, n ? "</ol>\n" : "");
	if (n <= SHEET_CASES)
		return n;
	putf(p->w, "<p class=\"note\"><a href=\"#cases\">%zu more</a></p>\n", n - SHEET_CASES);
	return SHEET_CASES;
}

static void put_change(const struct page *p, const struct ibc_case *c)
{
	struct writer *w = p->w;

	putf(w, "<p class=\"change\"><span class=\"label\">%s</span> ",
	     ibc_case_state_word(c->state)->name);
	put_case_link(p, c);
	if (c->state == IBC_CASE_GONE)
		say_past(w, p->report, c, ", ", "");
	putf(w, ": %s</p>\n", c->message);
}

/* Not those that the sheet has already: the worst cases, from the first on. */
static void put_changes(const struct page *p, size_t shown)
{
	/* whether cases of a state are news */
	static const struct {
		enum ibc_case_state state;
		bool news;
	} states[] = {
		{ IBC_CASE_NEW, true },  { IBC_CASE_WORSE, true },      { IBC_CASE_BACK, true },
		{ IBC_CASE_GONE, true }, { IBC_CASE_UNSETTLED, false }, { IBC_CASE_OPEN, false },
	};
	const char *separator = "<p>";
	const struct ibc_report *rep = p->report;
	struct severity_walk walk = { .report = rep };
	const struct ibc_case *c;
	struct writer *w = p->w;
	char last[UTC_TEXT];
	size_t n = 0;

	if (!rep->remembered)
		return;
	put(w, "<h2>Since the last run");
	if (utc_text(rep->previous, last))
		putf(w, ", %.10s %.5s UTC</h2>\n", last, last + 11);
	else
		put(w, " (its date is not known, or there was none)</h2>\n");
	/* "1 new, 1 gone, 3 open" */
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		size_t num = states[i].state == IBC_CASE_GONE ? rep->num_gone : 0;

		for (size_t k = 0; k < rep->num_cases; k++)
			num += rep->cases[k].state == states[i].state;
		if (!num && !states[i].news)
			continue;
		put(w, separator);
		putf(w, "%zu %s", num, ibc_case_state_word(states[i].state)->name);
		separator = ", ";
	}
	put(w, ".</p>\n");
	for (size_t i = 0; i < report_count_shown_gone(rep); i++)
		if (n++ < SHEET_CHANGES)
			put_change(p, &rep->gone[i]);
	while ((c = case_next(&walk))) {
		if (case_is_work(c) && shown) {
			shown--;
			continue;
		}
		if ((c->state == IBC_CASE_NEW || c->state == IBC_CASE_WORSE ||
		     c->state == IBC_CASE_BACK) &&
		    n++ < SHEET_CHANGES)
			put_change(p, c);
	}
	if (n > SHEET_CHANGES)
		putf(w, "<p>And %zu more, below.</p>\n", n - SHEET_CHANGES);
}

static void end_gap(struct writer *w)
{
	put(w, ".<br>\n");
}

void put_summary(const struct page *p)
{
	size_t ran = count_notes(p->report->ran);
	bool complete = report_is_complete(p->report);
	char checks[AMOUNT_TEXT];

	put(p->w, "<section id=\"summary\">\n<h2 class=\"only-read\">Summary</h2>\n");
	put_tiles(p->w, p->report);
	put_brief(p);
	put_changes(p, put_worst(p));
	/* who reads no further still sees what is not known */
	put(p->w, "<h2>What was covered</h2>\n<p class=\"covered\">");
	if (ran)
		putf(p->w, "%s ran%s.<br>\n", str_amount(checks, ran, "check"),
		     complete ? ", and every query was answered" : "");
	if (!complete)
		put(p->w, "<strong>Incomplete:</strong><br>\n");
	say_gaps(p->w, p->report, end_gap);
	put(p->w, "<a href=\"#coverage\">Coverage in full</a></p>\n</section>\n");
}

/* ---- a case ------------------------------------------------------------------------ */

static void put_evidence(struct writer *w, const struct ibc_finding *f)
{
	char buf[VALUE_MAX];

	if (f->num_related)
		put(w, "<ul class=\"related\">\n");
	for (size_t i = 0; i < f->num_related && i < CASE_FINDINGS; i++) {
		putf(w, "<li><span class=\"role\">%s</span> <bdi>",
		     ibc_role_word(f->related[i].role)->name);
		say_subject(w, &f->related[i].subject);
		put(w, "</bdi></li>\n");
	}
	if (f->num_related > CASE_FINDINGS)
		putf(w, "<li>and %zu more</li>\n", f->num_related - CASE_FINDINGS);
	put(w, f->num_related ? "</ul>\n" : "");
	if (!f->num_facts)
		return;
	put(w, "<dl class=\"facts\">\n");
	for (size_t i = 0; i < f->num_facts; i++)
		if (f->facts[i].value.kind != IBC_NONE && fact_is_for_people(&f->facts[i]))
			putf(w, "<div><dt>%s</dt><dd>%s</dd></div>\n", f->facts[i].key,
			     value_text(buf, &f->facts[i].value));
	put(w, "</dl>\n");
}

/* Of what is remembered: single faults, not views of several. */
static void put_past_link(struct writer *w, const struct ibc_finding *f)
{
	if (w->opts->past_url && f->since)
		putf(w, " <a href=\"%s%s\">history</a>", w->opts->past_url, f->id);
}

/* What short names stand for. */
static void put_things(struct writer *w, const struct ibc_subject *s)
{
	const struct ibc_end *ends[] = { &s->near, &s->far };
	char name[END_NAME_MAX], guid[STR_GUID_MAX];

	if (!s->near.has_guid)
		return;
	put(w, "<dl class=\"facts\">\n");
	for (int i = 0; i < 2; i++) {
		const struct ibc_end *end = ends[i];
		const char *called = end_name(end, name);

		if (!end->has_guid)
			continue;
		putf(w, "<div><dt><bdi>%s</bdi></dt><dd>GUID %s", called,
		     str_from_guid(guid, end->guid));
		if (end->desc && strcmp(end->desc, called) != 0)
			putf(w, ", NodeDescription <bdi>%s</bdi>", end->desc);
		put(w, "</dd></div>\n");
	}
	put(w, "</dl>\n");
}

static void put_case(const struct page *p, const struct ibc_case *c)
{
	struct writer *w = p->w;
	size_t n = c->num_findings;

	putf(w, "<article class=\"case %s\" id=\"case-%s\" data-case=\"%s\">\n<h3>", class_of(c),
	     c->id, c->id);
	put_case_label(w, c);
	put(w, "<bdi>");
	say_head(w, c);
	putf(w, "</bdi></h3>\n<p class=\"ids\"><code>%s</code> <span class=\"id\">%s</span> ",
	     c->check, c->id);
	if (c->state != IBC_CASE_UNKNOWN) {
		put(w, "<span class=\"since\">");
		say_past(w, p->report, c, "", "");
		put(w, "</span>");
	}
	put(w, "</p>\n<p class=\"what\">");
	say_sentence(w, c->message);
	if (say_explained(w, c, " Explains"))
		put(w, ".");
	if (n == 1)
		put_past_link(w, c->findings[0]);
	put(w, "</p>\n");
	put_fix(w, c);
	if (c->known) {
		put(w, "<p>Known ");
		say_known(w, c->known);
		put(w, "</p>\n");
	}
	put_things(w, &c->subject);
	/* evidence of one finding stands there; that of many unfolds */
	if (n == 1)
		put_evidence(w, c->findings[0]);
	if (n > 1)
		putf(w, "<details>\n<summary>Evidence: %zu findings</summary>\n", n);
	for (size_t i = 0; n > 1 && i < n && i < CASE_FINDINGS; i++) {
		const struct ibc_finding *f = c->findings[i];

		putf(w, "<div class=\"finding%s\">\n<p>%s<code>%s</code> <bdi>",
		     f->follows ? " follows" : "", f->follows ? "follows: " : "", f->check);
		say_subject(w, &f->subject);
		putf(w, "</bdi>: %s", f->message);
		if (f->known) {
			put(w, "; known ");
			say_known(w, f->known);
		}
		put_past_link(w, f);
		put(w, "</p>\n");
		put_evidence(w, f);
		put(w, "</div>\n");
	}
	if (n > CASE_FINDINGS)
		putf(w, "<p>And %zu more: <code>-f json</code> has all.</p>\n", n - CASE_FINDINGS);
	put(w, n > 1 ? "</details>\n</article>\n" : "</article>\n");
}

void put_page_cases(const struct page *p)
{
	const struct ibc_report *rep = p->report;
	size_t gone = report_count_shown_gone(rep), hidden = report_count_hidden_cases(rep);
	size_t more = 0;
	char cases[AMOUNT_TEXT];
	const struct ibc_case *c;

	if (!rep->num_cases && !gone)
		return;
	put(p->w, "<section id=\"cases\">\n<h2>Cases</h2>\n");
	for (int known = 0; known < 2; known++) {
		struct severity_walk walk = { .report = rep, .known = known };

		for (; (c = case_next(&walk)); more += !has_card(p, c))
			if (has_card(p, c))
				put_case(p, c);
	}
	for (size_t i = 0; i < gone; more += !has_card(p, &rep->gone[i++]))
		if (has_card(p, &rep->gone[i]))
			put_case(p, &rep->gone[i]);
	if (more)
		putf(p->w, "<p class=\"note\">And %s: <code>-f json</code> has all.</p>\n",
		     str_amount(cases, more, "more case"));
	if (hidden)
		putf(p->w, "<p class=\"note\">%s not shown (%s).</p>\n",
		     str_amount(cases, hidden, "case"), rep->hidden_by);
	put(p->w, "</section>\n");
}

/* ---- coverage ---------------------------------------------------------------------- */

static void put_notes(struct writer *w, const struct check_note *first, const char *title,
                      bool open)
{
	if (!first)
		return;
	putf(w, "<details%s>\n<summary>%s: %zu</summary>\n<ul class=\"checks\">\n",
	     open ? " open" : "", title, count_notes(first));
	for (const struct check_note *n = first; n; n = n->next)
		putf(w, "<li><code>%s</code>%s%s</li>\n", n->name, n->reason ? ": " : "",
		     n->reason ? n->reason : "");
	put(w, "</ul>\n</details>\n");
}

void put_page_coverage(const struct page *p)
{
	static const char attributes_head[] =
	    "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">attribute</th>"
	    "<th scope=\"col\" class=\"n\">asked</th><th scope=\"col\" class=\"n\">answered</th>"
	    "<th scope=\"col\" class=\"n\">unsupported</th><th scope=\"col\" class=\"n\">refused"
	    "</th><th scope=\"col\" class=\"n\">timed out</th></tr></thead>\n<tbody>\n";
	const struct ibc_report *rep = p->report;
	const struct ibc_sweep *s = &rep->sweep;

	put(p->w, "<section id=\"coverage\">\n<h2>Coverage</h2>\n");
	if (s->sent)
		putf(p->w,
		     "<p>%" PRIu64 " MADs sent, %" PRIu64 " answered, %" PRIu64
		     " repeated, %" PRIu64 " timed out.</p>\n",
		     s->sent, s->answered, s->retried, s->timed_out);
	put(p->w, rep->cover ? attributes_head : "");
	for (const struct cover *c = rep->cover; c; c = c->next) {
		const uint64_t numbers[] = { c->n.asked, c->n.answered, c->n.unsupported,
			                     c->n.refused, c->n.timed_out };

		put(p->w, coverage_open(&c->n) ? "<tr class=\"open\">" : "<tr>");
		putf(p->w, "<td>%s</td>", c->attribute);
		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
			putf(p->w, "<td class=\"n\">%" PRIu64 "</td>", numbers[i]);
		put(p->w, "</tr>\n");
	}
	put(p->w, rep->cover ? "</tbody></table></div>\n" : "");
	put_notes(p->w, rep->skipped, "Checks that could not run", true);
	put_notes(p->w, rep->unreported, "Checks of what this fabric does not report", false);
	put_notes(p->w, rep->unasked, "Checks that no option asked for", false);
	put_notes(p->w, rep->ran, "Checks that ran", false);
	put(p->w, "</section>\n");
}
