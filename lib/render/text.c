/* SPDX-License-Identifier: BSD-2-Clause */
/* The report for a terminal, or a mail. */
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "render/say.h"

#define CHECK_COLUMNS 16 /* most ids fit; longer ones push the rest */
#define SUM_COLUMNS   96 /* the sum fits 100 columns with its exit status */
#define NARROW        60 /* columns: behind an id no name would have room */
/* With their messages and remedies, a screen of 24 lines. */
#define SCREEN_CASES   7
#define SCREEN_KNOWN   3 /* one screen of 24 lines, with SCREEN_CASES */
#define SCREEN_MEMBERS 5 /* of a case, two lines; -v names all */

static const char *const colors[] = {
	[IBC_OK] = "\033[32m",      [IBC_INFO] = "\033[36m",       [IBC_WARNING] = "\033[33m",
	[IBC_UNKNOWN] = "\033[35m", [IBC_CRITICAL] = "\033[1;31m",
};

/* ---- lines ---------------------------------------------------------------- */

/* An empty line above all but the first. */
static void begin_section(struct writer *w)
{
	put(w, w->begun ? "\n" : "");
}

static void put_padded_label(struct writer *w, const char *label, const char *color)
{
	bool paint = w->opts->color && color;

	put(w, paint ? color : "");
	put(w, label);
	put(w, paint ? "\033[0m" : "");
	put_blanks(w, LABEL_COLUMNS - strlen(label));
}

/* ---- cases ---------------------------------------------------------------- */

static void put_paragraph(struct writer *w)
{
	put_blanks(w, LABEL_COLUMNS);
	put_folded_line(w, LABEL_COLUMNS, LABEL_COLUMNS);
}

/* What a short name stands for. */
static void show_identity(struct writer *w, const struct ibc_end *end)
{
	char name[END_NAME_MAX], guid[STR_GUID_MAX];

	if (!end->has_guid)
		return;
	sayf(w, "node      %s: GUID %s", end_name(end, name), str_from_guid(guid, end->guid));
	if (end->desc && *end->desc && strcmp(end->desc, end_name(end, name)) != 0)
		sayf(w, ", NodeDescription %s", end->desc);
	put_paragraph(w);
}

/* What else belongs to the case, and the facts. */
static void show_evidence(struct writer *w, const struct ibc_finding *f)
{
	char buf[VALUE_MAX];
	size_t n = 0;

	for (size_t i = 0; i < f->num_related; i++) {
		sayf(w, "%-9s ", ibc_role_word(f->related[i].role)->name);
		say_subject(w, &f->related[i].subject);
		put_paragraph(w);
	}
	for (size_t i = 0; i < f->num_facts; i++) {
		if (!fact_is_for_people(&f->facts[i]))
			continue;
		say(w, n++ ? ", " : "");
		sayf(w, "%s %s", f->facts[i].key, value_text(buf, &f->facts[i].value));
	}
	if (n)
		put_paragraph(w);
}

/* All of a case: of several findings those that have the fault, and what follows. */
static void show_details(struct writer *w, const struct ibc_case *c)
{
	show_identity(w, &c->subject.near);
	show_identity(w, &c->subject.far);
	if (c->num_findings == 1)
		show_evidence(w, c->findings[0]);
	for (size_t i = 0; c->num_findings > 1 && i < c->num_findings; i++) {
		const struct ibc_finding *f = c->findings[i];

		if (f->hidden)
			continue;
		say(w, f->follows ? "follows   " : "finding   ");
		say_finding(w, f);
		if (!f->follows && c->num_members > 1)
			sayf(w, " [%s]", f->id);
		if (f->known) {
			say(w, "; known ");
			say_known(w, f->known);
		}
		put_paragraph(w);
		show_evidence(w, f);
	}
}

/* "WARNING   port.width      leaf01/3 - spine01/1  [6860a289]  new" */
static void show_case_head(struct writer *w, const struct ibc_report *rep, const struct ibc_case *c,
                           const char *label, const char *color)
{
	int n = (int)strlen(c->check);

	put_padded_label(w, label, color);
	put(w, c->check);
	put_blanks(w, n < CHECK_COLUMNS - 2 ? CHECK_COLUMNS - n : 2);
	say_head(w, c);
	say_id(w, c, "  ");
	say_past(w, rep, c, "  ", "");
	put_folded_line(w, LABEL_COLUMNS + (n < CHECK_COLUMNS - 2 ? CHECK_COLUMNS : n + 2),
	                w->opts->columns && w->opts->columns < NARROW
	                    ? LABEL_COLUMNS
	                    : LABEL_COLUMNS + CHECK_COLUMNS);
}

static bool is_news(const struct ibc_finding *f)
{
	return !finding_is_known(f) && (f->state == IBC_CASE_NEW || f->state == IBC_CASE_BACK ||
	                                f->state == IBC_CASE_WORSE);
}

/* Of a view some of its members: what repaired, accepted or found one of them may look for. */
static void show_members(struct writer *w, const struct ibc_case *c, const char *word,
                         bool (*picks)(const struct ibc_finding *f))
{
	size_t n = 0;

	for (size_t i = 0; i < c->num_members; i++) {
		const struct ibc_finding *f = c->findings[i];

		if (!picks(f) || (++n > SCREEN_MEMBERS && !w->opts->verbose))
			continue;
		say(w, n == 1 ? word : ", ");
		say_subject(w, &f->subject);
		sayf(w, " [%s]", f->id);
	}
	if (n > SCREEN_MEMBERS && !w->opts->verbose)
		sayf(w, " and %zu more", n - SCREEN_MEMBERS);
	if (n) {
		say(w, ".");
		put_paragraph(w);
	}
}

/* Where things are shown, of a view each the Fix of its own; false: the view is all about them. */
static bool show_own_fixes(struct writer *w, const struct ibc_report *rep, const struct ibc_case *c)
{
	size_t own = 0, n = 0;

	for (size_t i = 0; i < c->num_members; i++)
		own += !c->findings[i]->hidden;
	if (!rep->of_things || !own || own == c->num_members)
		return false;
	for (size_t i = 0; i < c->num_members; i++) {
		const struct ibc_finding *f = c->findings[i];

		if (f->hidden || !f->advice || (++n > SCREEN_MEMBERS && !w->opts->verbose))
			continue;
		say(w, "Fix: ");
		say_subject(w, &f->subject);
		say(w, ": ");
		say_stopped(w, f->advice);
		put_paragraph(w);
	}
	if (n > SCREEN_MEMBERS && !w->opts->verbose) {
		sayf(w, "... and %zu more: -v shows all", n - SCREEN_MEMBERS);
		put_paragraph(w);
	}
	return true;
}

static void show_case(struct writer *w, const struct ibc_report *rep, const struct ibc_case *c)
{
	bool known = case_is_known(c), of_several = c->num_members > 1;

	show_case_head(w, rep, c, known ? "known" : ibc_severity_word(c->severity)->name,
	               known ? NULL : colors[c->severity]);
	say_sentence(w, c->message);
	put_paragraph(w);
	if (of_several && c->state == IBC_CASE_WORSE)
		show_members(w, c, "New: ", is_news);
	if (of_several && !known)
		show_members(w, c, "Known: ", finding_is_known);
	if (say_explained(w, c, "Explains")) {
		say(w, ".");
		put_paragraph(w);
	}
	if (c->advice && !known && !(of_several && show_own_fixes(w, rep, c))) {
		say(w, "Fix: ");
		say_stopped(w, c->advice);
		put_paragraph(w);
	}
	if (c->known) {
		say(w, "Known ");
		say_known(w, c->known);
		put_paragraph(w);
	}
	if (w->opts->verbose)
		show_details(w, c);
}

/* A critical one has its line wherever the screen ends. */
static void show_cases(struct writer *w, const struct ibc_report *rep, bool known)
{
	struct severity_walk walk = { .report = rep, .known = known };
	size_t seen = 0, more = 0, limit = known ? SCREEN_KNOWN : SCREEN_CASES;
	const struct ibc_case *c;

	if (w->opts->verbose || !w->opts->one_screen)
		limit = SIZE_MAX;
	for (; (c = case_next(&walk)); seen++) {
		if (!seen)
			begin_section(w);
		if (seen < limit)
			show_case(w, rep, c);
		else if (!known && c->severity == IBC_CRITICAL)
			show_case_head(w, rep, c, ibc_severity_word(c->severity)->name,
			               colors[c->severity]);
		else
			more++;
	}
	if (!more)
		return;
	sayf(w, "... and %zu more%s: -v shows all", more, known ? " known" : "");
	end_folded(w);
}

static void show_gone(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_case *c;
	struct tm tm;

	for (size_t i = 0; (c = ibc_report_gone_at(rep, i)); i++) {
		char since[32] = "?";

		if (!i)
			begin_section(w);
		show_case_head(w, rep, c, ibc_case_state_word(IBC_CASE_GONE)->name, NULL);
		if (localtime_r(&c->since, &tm)) /* as the clock on the wall has it */
			strftime(since, sizeof(since), "%Y-%m-%d %H:%M", &tm);
		sayf(w, "Last report: %s. The fault began %s.", c->message, since);
		put_paragraph(w);
	}
}

/* ---- the rest ------------------------------------------------------------- */

/* The first table from here on that has something to show in text. */
static const struct ibc_table *next_shown_table(const struct ibc_table *t)
{
	for (; t; t = t->next) {
		for (size_t i = 0; i < t->num_columns; i++)
			if (table_heading(t, i))
				return t;
	}
	return NULL;
}

static void show_tables(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_table *first = next_shown_table(rep->tables);
	bool several = first && next_shown_table(first->next);

	for (const struct ibc_table *t = first; t; t = next_shown_table(t->next)) {
		begin_section(w);
		if (several && t->num_rows) {
			put_table_name(w, t);
			put(w, "\n");
		}
		put_table(w, t);
	}
}

/* "; port.speed 1, port.width 12": what a full screen hides is counted here. */
static void say_totals(struct writer *w, const struct ibc_report *rep)
{
	const char *separator = "; ";
	const struct ibc_finding *f, *next = ibc_report_finding(rep, 0);
	size_t i = 0, n = 0;

	while ((f = next)) {
		n += leads_case(f) && !case_is_known(f->in_case) && !case_is_elsewhere(f->in_case);
		next = ibc_report_finding(rep, ++i);
		if (next && !strcmp(f->check, next->check))
			continue;
		if (n) {
			sayf(w, "%s%s %zu", separator, f->check, n);
			separator = ", ";
		}
		n = 0;
	}
}

/* "CRITICAL: 1 critical, 2 warnings": the first line, and the last. */
static void say_verdict(struct writer *w, const struct ibc_report *rep)
{
	enum ibc_severity verdict = ibc_report_verdict(rep);
	bool paint = w->opts->color;

	put(w, paint ? colors[verdict] : "");
	put(w, ibc_severity_word(verdict)->name);
	put(w, paint ? "\033[0m: " : ": ");
	say_sum(w, rep);
}

static size_t verdict_columns(const struct ibc_report *rep)
{
	return strlen(ibc_severity_word(ibc_report_verdict(rep))->name) + strlen(": ");
}

static void show_sum(struct writer *w, const struct ibc_report *rep)
{
	size_t columns = w->opts->columns, column;
	char status[16];

	if (!columns || columns > SUM_COLUMNS)
		columns = SUM_COLUMNS;
	snprintf(status, sizeof(status), "exit %d", ibc_severity_exit(ibc_report_verdict(rep)));
	begin_section(w);
	say_verdict(w, rep);
	say_totals(w, rep);
	column = put_folded(w, verdict_columns(rep), LABEL_COLUMNS) + strlen(status);
	if (w->opts->columns && column + 2 > w->opts->columns) {
		put(w, "\n");
		column = strlen(status);
	}
	put_blanks(w, column + 2 < columns ? columns - column : 2);
	put(w, status);
	put(w, "\n");
}

/* One line: when and where, never folded.  What many hosts report stays equal text. */
static void show_when(struct writer *w, const struct ibc_report *rep)
{
	char text[32];
	struct tm tm;

	if (rep->meta.described || !rep->meta.time || !gmtime_r(&rep->meta.time, &tm))
		return;
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	put(w, text);
	put(w, rep->meta.host ? " on " : "");
	put(w, rep->meta.host ? rep->meta.host : "");
	put(w, "\n");
}

/* The verdict, and what was looked at. */
static void show_head(struct writer *w, const struct ibc_report *rep)
{
	say_verdict(w, rep);
	put_folded_line(w, verdict_columns(rep), LABEL_COLUMNS);
	if (say_elsewhere(w, rep))
		end_folded(w);
	if (rep->meta.headline) {
		sayf(w, "%s%s", rep->meta.described ? "this host: " : "", rep->meta.headline);
		put_folded_line(w, 0, 0);
	}
	show_when(w, rep);
}

/* It is never folded. */
static void show_line(struct writer *w, const struct ibc_report *rep, const struct ibc_case *c,
                      const char *label, const char *color)
{
	put_padded_label(w, label, color);
	say_case(w, rep, c);
	put_bytes(w, w->line, w->length);
	w->length = 0;
	put(w, "\n");
}

static void show_lines(struct writer *w, const struct ibc_report *rep)
{
	for (int known = 0; known < 2; known++) {
		struct severity_walk walk = { .report = rep, .known = known };
		const struct ibc_case *c;

		while ((c = case_next(&walk)))
			show_line(w, rep, c, known ? "known" : ibc_severity_word(c->severity)->name,
			          known ? NULL : colors[c->severity]);
	}
	for (size_t i = 0; i < report_count_shown_gone(rep); i++)
		show_line(w, rep, &rep->gone[i], ibc_case_state_word(IBC_CASE_GONE)->name, NULL);
}

static void render_text(struct writer *w, const struct ibc_report *rep)
{
	size_t hidden = report_count_hidden_cases(rep);
	char cases[AMOUNT_TEXT];

	w->say = collect_text;
	w->this_host = rep->meta.described;
	if (w->opts->only_tables) {
		if (rep->is_past && rep->tables) {
			say_last_run(w, rep);
			put_folded_line(w, 0, 0);
		}
		show_tables(w, rep);
		return;
	}
	if (w->opts->oneline) {
		show_when(w, rep);
		show_lines(w, rep);
		w->begun = false;
		show_sum(w, rep);
		return;
	}
	show_head(w, rep);
	show_cases(w, rep, false);
	show_cases(w, rep, true);
	show_gone(w, rep);
	if (hidden) { /* what a filter leaves out counts, and so is counted */
		begin_section(w);
		sayf(w, "%s not shown (%s)", str_amount(cases, hidden, "case"), rep->hidden_by);
		end_folded(w);
	}
	if (!rep->only_changes)
		show_tables(w, rep);
	if (report_has_gaps(rep)) {
		begin_section(w);
		say_gaps(w, rep, end_folded);
	}
	show_sum(w, rep);
}

const struct renderer renderer_text = { "text", render_text };
