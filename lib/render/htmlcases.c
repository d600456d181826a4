/* SPDX-License-Identifier: BSD-2-Clause */
/* Of a page what a report says in sentences: its summary, its cases, what was covered. */
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "render/html.h"

#define SHEET_CASES   6  /* with their remedies, on one sheet of paper with what stands above */
#define SHEET_CHANGES 6  /* likewise */
#define CASE_FINDINGS 20 /* of a case of thousands the first ones tell what it is */

/* ---- pieces ------------------------------------------------------------------------ */

/* What is long past, or was accepted, looks alike whatever it was. */
static const char *class_of(const struct ibc_case *c)
{
	return c->state == IBC_CASE_GONE ? "gone"
	       : case_is_known(c)        ? "known"
	                                 : ibc_severity_word(c->severity)->word;
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
	say(w, past ? class_of(c) : ibc_severity_word(c->severity)->name);
	put(w, "</span> ");
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
	static const enum ibc_severity told[] = { IBC_CRITICAL, IBC_UNKNOWN, IBC_WARNING,
		                                  IBC_INFO };
	size_t n;

	put(w, "<ul class=\"tiles\">\n");
	for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
		const char *word = ibc_severity_word(told[i])->word;

		n = report_count_cases(rep, told[i]);
		if (n || told[i] != IBC_INFO)
			put_tile(w, n ? word : "none", n, word);
	}
	if ((n = report_count_known_cases(rep)))
		put_tile(w, "known", n, "known");
	if (rep->remembered)
		put_tile(w, "gone", rep->num_gone, "gone");
	for (const struct sum *s = rep->sums; s; s = s->next)
		put_tile(w, "figure", s->value, strcmp(s->key, "links") ? s->key : "cables");
	put(w, "</ul>\n");
}

static void put_worst_case(const struct page *p, const struct ibc_case *c)
{
	struct writer *w = p->w;

	putf(w, "<li class=\"%s\" data-case=\"%s\">", class_of(c), c->id);
	put_case_label(w, c);
	put_case_link(p, c);
	say_past(w, p->report, c, " (", ")");
	put(w, "<p class=\"what\">");
	say_sentence(w, c->message);
	put(w, "</p>\n");
	put_fix(w, c);
	put_consequence(p, c);
	put(w, "</li>\n");
}

/* Returns how many it has put. */
static size_t put_worst(const struct page *p)
{
	struct severity_walk walk = { .report = p->report };
	struct writer *w = p->w;
	size_t n = 0;
	const struct ibc_case *c;

	while ((c = case_next(&walk))) {
		if (!case_is_work(c))
			continue;
		if (!n)
			put(w, "<h2>What to do first</h2>\n<ol class=\"glance\">\n");
		if (n++ < SHEET_CASES)
			put_worst_case(p, c);
	}
	put(w, n ? "</ol>\n" : "");
	if (n > SHEET_CASES)
		putf(w, "<p class=\"note\"><a href=\"#cases\">%zu more</a></p>\n", n - SHEET_CASES);
	return n < SHEET_CASES ? n : SHEET_CASES;
}

static void put_change(const struct page *p, const struct ibc_case *c)
{
	struct writer *w = p->w;

	put(w, "<p class=\"change\">");
	put_element(w, "span", "label", ibc_case_state_word(c->state)->name);
	put(w, " ");
	put_case_link(p, c);
	if (c->state == IBC_CASE_GONE)
		say_past(w, p->report, c, ", ", "");
	put(w, ": ");
	say(w, c->message);
	put(w, "</p>\n");
}

/* The words of a state, and whether cases of it are news. */
static const struct {
	enum ibc_case_state state;
	bool news;
} states[] = {
	{ IBC_CASE_NEW, true },  { IBC_CASE_WORSE, true },      { IBC_CASE_BACK, true },
	{ IBC_CASE_GONE, true }, { IBC_CASE_UNSETTLED, false }, { IBC_CASE_OPEN, false },
};

/* "1 new, 1 gone, 3 open" */
static void put_state_counts(struct writer *w, const struct ibc_report *rep)
{
	const char *separator = "<p>";

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		size_t n = states[i].state == IBC_CASE_GONE ? rep->num_gone : 0;

		for (size_t k = 0; k < rep->num_cases; k++)
			n += rep->cases[k].state == states[i].state;
		if (!n && !states[i].news)
			continue;
		putf(w, "%s%zu %s", separator, n, ibc_case_state_word(states[i].state)->name);
		separator = ", ";
	}
	put(w, ".</p>\n");
}

/* Not those that the sheet has already: the worst cases, from the first on. */
static void put_changes(const struct page *p, size_t told)
{
	const struct ibc_report *rep = p->report;
	struct severity_walk walk = { .report = rep };
	struct writer *w = p->w;
	const struct ibc_case *c;
	char last[UTC_TEXT];
	size_t n = 0;

	if (!rep->remembered)
		return;
	put(w, "<h2>Since the last run");
	if (utc_text(rep->brief.previous, last))
		putf(w, ", %.10s %.5s UTC", last, last + 11);
	else
		put(w, " (its date is not known, or there was none)");
	put(w, "</h2>\n");
	put_state_counts(w, rep);
	for (size_t i = 0; i < report_count_shown_gone(rep); i++)
		if (n++ < SHEET_CHANGES)
			put_change(p, &rep->gone[i]);
	while ((c = case_next(&walk))) {
		if (case_is_work(c) && told) {
			told--;
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

/* Who reads no further still sees what is not known. */
static void put_gaps(struct writer *w, const struct ibc_report *rep)
{
	size_t ran = count_notes(rep->ran);

	put(w, "<h2>What was covered</h2>\n<p class=\"covered\">");
	if (ran) {
		putf(w, "%zu check%s ran%s", ran, ran == 1 ? "" : "s",
		     report_is_complete(rep) ? ", and every query was answered" : "");
		end_gap(w);
	}
	if (!report_is_complete(rep))
		put(w, "<strong>Incomplete:</strong><br>\n");
	say_gaps(w, rep, end_gap);
	put(w, "<a href=\"#coverage\">Coverage in full</a></p>\n");
}

void put_summary(const struct page *p)
{
	put(p->w, "<section id=\"summary\">\n<h2 class=\"only-read\">Summary</h2>\n");
	put_tiles(p->w, p->report);
	put_brief(p);
	put_changes(p, put_worst(p));
	put_gaps(p->w, p->report);
	put(p->w, "</section>\n");
}

/* ---- a case ------------------------------------------------------------------------ */

static void put_facts(struct writer *w, const struct ibc_finding *f)
{
	char buf[VALUE_MAX];

	if (!f->num_facts)
		return;
	put(w, "<dl class=\"facts\">\n");
	for (size_t i = 0; i < f->num_facts; i++) {
		if (f->facts[i].value.kind == IBC_NONE || !fact_is_for_people(&f->facts[i]))
			continue;
		put(w, "<div>");
		put_element(w, "dt", NULL, f->facts[i].key);
		put_element(w, "dd", NULL, value_text(buf, &f->facts[i].value));
		put(w, "</div>\n");
	}
	put(w, "</dl>\n");
}

static void put_related(struct writer *w, const struct ibc_finding *f)
{
	if (!f->num_related)
		return;
	put(w, "<ul class=\"related\">\n");
	for (size_t i = 0; i < f->num_related && i < CASE_FINDINGS; i++) {
		put(w, "<li>");
		put_element(w, "span", "role", ibc_role_word(f->related[i].role)->name);
		put(w, " <bdi>");
		say_subject(w, &f->related[i].subject);
		put(w, "</bdi></li>\n");
	}
	if (f->num_related > CASE_FINDINGS)
		putf(w, "<li>and %zu more</li>\n", f->num_related - CASE_FINDINGS);
	put(w, "</ul>\n");
}

static void put_evidence(struct writer *w, const struct ibc_finding *f)
{
	put_related(w, f);
	put_facts(w, f);
}

/* Of what is remembered: single faults, not views of several. */
static void put_past_link(struct writer *w, const struct ibc_finding *f)
{
	if (w->opts->past_url && f->since)
		putf(w, " <a href=\"%s%s\">history</a>", w->opts->past_url, f->id);
}

static void put_case_finding(struct writer *w, const struct ibc_finding *f)
{
	putf(w, "<div class=\"finding%s\">\n<p>", f->follows ? " follows" : "");
	if (f->follows)
		put(w, "follows: ");
	put_element(w, "code", NULL, f->check);
	put(w, " <bdi>");
	say_subject(w, &f->subject);
	put(w, "</bdi>: ");
	say(w, f->message);
	if (f->known) {
		say(w, "; known ");
		say_known(w, f->known);
	}
	put_past_link(w, f);
	put(w, "</p>\n");
	put_evidence(w, f);
	put(w, "</div>\n");
}

/* Evidence of one finding stands there; that of many unfolds. */
static void put_findings(struct writer *w, const struct ibc_case *c)
{
	size_t n = c->num_findings;

	if (n == 1)
		put_evidence(w, c->findings[0]);
	if (n <= 1)
		return;
	putf(w, "<details>\n<summary>Evidence: %zu findings</summary>\n", n);
	for (size_t i = 0; i < n && i < CASE_FINDINGS; i++)
		put_case_finding(w, c->findings[i]);
	if (n > CASE_FINDINGS)
		putf(w, "<p>And %zu more: <code>-f json</code> has all.</p>\n", n - CASE_FINDINGS);
	put(w, "</details>\n");
}

static size_t put_identity(struct writer *w, const struct ibc_end *end, struct place *place)
{
	char name[END_NAME_MAX], guid[STR_GUID_MAX];

	if (!end->has_guid)
		return 0;
	*place = (struct place){ end->guid, end->has_port ? end->port : WHOLE_NODE };
	put(w, "<div><dt><bdi>");
	say(w, end_name(end, name));
	putf(w, "</bdi></dt><dd>GUID %s", str_from_guid(guid, end->guid));
	if (end->desc && strcmp(end->desc, end_name(end, name)) != 0) {
		put(w, ", NodeDescription ");
		put_element(w, "bdi", NULL, end->desc);
	}
	put(w, "</dd></div>\n");
	return 1;
}

/* What short names stand for, and how it went. */
static void put_things(const struct page *p, const struct ibc_case *c)
{
	struct place places[2];
	size_t n;

	if (!c->subject.near.has_guid)
		return;
	put(p->w, "<dl class=\"facts\">\n");
	n = put_identity(p->w, &c->subject.near, &places[0]);
	n += put_identity(p->w, &c->subject.far, &places[n]);
	if (c->subject.kind == IBC_SUBJECT_PORT || c->subject.kind == IBC_SUBJECT_CABLE) {
		double values[IBC_PAST_STEPS];

		if (past_of(p, places, n, values)) {
			put(p->w, "<div><dt>");
			say(p->w, p->report->pasts.what);
			put(p->w, "</dt><dd>");
			put_past(p, places, n);
			put(p->w, "</dd></div>\n");
		}
	}
	put(p->w, "</dl>\n");
}

static void put_case_head(const struct page *p, const struct ibc_case *c)
{
	struct writer *w = p->w;

	putf(w, "<article class=\"case %s\" id=\"case-%s\" data-case=\"%s\">\n<h3>", class_of(c),
	     c->id, c->id);
	put_case_label(w, c);
	put(w, "<bdi>");
	say_head(w, c);
	put(w, "</bdi></h3>\n<p class=\"ids\">");
	put_element(w, "code", NULL, c->check);
	putf(w, " <span class=\"id\">%s</span> ", c->id);
	if (c->state != IBC_CASE_UNKNOWN) {
		put(w, "<span class=\"since\">");
		say_past(w, p->report, c, "", "");
		put(w, "</span>");
	}
	put(w, "</p>\n");
}

static void put_case(const struct page *p, const struct ibc_case *c)
{
	struct writer *w = p->w;

	put_case_head(p, c);
	put(w, "<p class=\"what\">");
	say_sentence(w, c->message);
	if (say_explained(w, c, " Explains"))
		say(w, ".");
	if (c->num_findings == 1)
		put_past_link(w, c->findings[0]);
	put(w, "</p>\n");
	put_fix(w, c);
	if (c->known) {
		put(w, "<p>Known ");
		say_known(w, c->known);
		put(w, "</p>\n");
	}
	put_things(p, c);
	put_findings(w, c);
	put(w, "</article>\n");
}

/* What the page has no room for, or was asked to leave out. */
static void put_left_out(struct writer *w, size_t more, size_t hidden, const char *hidden_by)
{
	if (more)
		putf(w,
		     "<p class=\"note\">And %zu more case%s: <code>-f json</code> has all.</p>\n",
		     more, more == 1 ? "" : "s");
	if (hidden)
		putf(w, "<p class=\"note\">%zu case%s not shown (%s).</p>\n", hidden,
		     hidden == 1 ? "" : "s", hidden_by);
}

void put_page_cases(const struct page *p)
{
	const struct ibc_report *rep = p->report;
	size_t gone = report_count_shown_gone(rep), more = 0;
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
	put_left_out(p->w, more, report_count_hidden_cases(rep), rep->hidden_by);
	put(p->w, "</section>\n");
}

/* ---- coverage ---------------------------------------------------------------------- */

static void put_attribute_row(struct writer *w, const struct cover *c)
{
	const uint64_t numbers[] = { c->n.asked, c->n.answered, c->n.unsupported, c->n.refused,
		                     c->n.timed_out };

	putf(w, "<tr%s>", coverage_open(&c->n) ? " class=\"open\"" : "");
	put_element(w, "td", NULL, c->attribute);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		putf(w, "<td class=\"n\">%" PRIu64 "</td>", numbers[i]);
	put(w, "</tr>\n");
}

static void put_attributes(struct writer *w, const struct ibc_report *rep)
{
	if (!rep->cover)
		return;
	put(w, "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">attribute</th>");
	for (const char *const *h = (const char *const[]){ "asked", "answered", "unsupported",
	                                                   "refused", "timed out", NULL };
	     *h; h++)
		putf(w, "<th scope=\"col\" class=\"n\">%s</th>", *h);
	put(w, "</tr></thead>\n<tbody>\n");
	for (const struct cover *c = rep->cover; c; c = c->next)
		put_attribute_row(w, c);
	put(w, "</tbody></table></div>\n");
}

static void put_notes(struct writer *w, const struct check_note *first, const char *title,
                      bool open)
{
	if (!first)
		return;
	putf(w, "<details%s>\n<summary>%s: %zu</summary>\n<ul class=\"checks\">\n",
	     open ? " open" : "", title, count_notes(first));
	for (const struct check_note *n = first; n; n = n->next) {
		put(w, "<li>");
		put_element(w, "code", NULL, n->check);
		if (n->reason) {
			put(w, ": ");
			say(w, n->reason);
		}
		put(w, "</li>\n");
	}
	put(w, "</ul>\n</details>\n");
}

void put_page_coverage(const struct page *p)
{
	const struct ibc_report *rep = p->report;
	const struct ibc_sweep *s = &rep->sweep;

	put(p->w, "<section id=\"coverage\">\n<h2>Coverage</h2>\n");
	if (s->sent)
		putf(p->w,
		     "<p>%" PRIu64 " MADs sent, %" PRIu64 " answered, %" PRIu64
		     " repeated, %" PRIu64 " timed out.</p>\n",
		     s->sent, s->answered, s->retried, s->timed_out);
	put_attributes(p->w, rep);
	put_notes(p->w, rep->skipped, "Checks that could not run", true);
	put_notes(p->w, rep->unreported, "Checks of what this fabric does not report", false);
	put_notes(p->w, rep->ran, "Checks that ran", false);
	put(p->w, "</section>\n");
}
