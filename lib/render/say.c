/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/say.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "base/utf8.h"

#define HEAD_SUBJECTS 3  /* named in the head line; the rest is counted */
#define HEAD_COUNTED  20 /* a check may relate only some of a crowd */

const char *value_text(char buf[VALUE_MAX], const struct ibc_value *v)
{
	switch (v->kind) {
	case IBC_NONE:
		return "-";
	case IBC_BOOL:
		return v->flag ? "yes" : "no";
	case IBC_U64:
		snprintf(buf, VALUE_MAX, "%" PRIu64, v->num);
		return buf;
	case IBC_REAL:
		snprintf(buf, VALUE_MAX, "%.10g", v->real);
		return buf;
	case IBC_STR:
		return v->str;
	case IBC_ENUM:
		return v->word->name;
	case IBC_GUID:
		return str_from_guid(buf, v->num);
	}
	return "-";
}

static void say_end(struct writer *w, const struct ibc_end *end)
{
	char buf[END_NAME_MAX];

	say(w, end_name(end, buf));
	if (end->has_port)
		sayf(w, "/%u", end->port);
	if (end->port_label)
		sayf(w, " (%s)", end->port_label);
}

void say_subject(struct writer *w, const struct ibc_subject *subject)
{
	if (subject->kind == IBC_SUBJECT_FABRIC) {
		say(w, "fabric");
		return;
	}
	if (subject->kind == IBC_SUBJECT_HOST && w->this_host &&
	    !strcmp(subject->near.desc, w->this_host)) {
		say(w, "this host");
		return;
	}
	say_end(w, &subject->near);
	if (subject->kind != IBC_SUBJECT_CABLE)
		return;
	say(w, " - ");
	say_end(w, &subject->far);
}

void say_finding(struct writer *w, const struct ibc_finding *f)
{
	sayf(w, "%s ", f->check);
	say_subject(w, &f->subject);
	sayf(w, ": %s", f->message);
}

/*
 * The other subjects of one case stand beside the first, as far as they were
 * found; of a finding about the fabric they are all there is to name.
 */
void say_head(struct writer *w, const struct ibc_case *c)
{
	const struct ibc_finding *f = c->num_findings ? c->findings[0] : NULL;
	bool named = c->subject.kind != IBC_SUBJECT_FABRIC;
	size_t said = 0, more = 0;

	if (named)
		say_subject(w, &c->subject);
	said += named;
	for (size_t i = 0; f && c->num_members == 1 && i < f->num_related; i++) {
		enum ibc_subject_kind kind = f->subject.kind;

		/* another of those that are at fault, not evidence of another kind */
		if (f->related[i].role != IBC_ROLE_FOUND ||
		    (kind != f->related[i].subject.kind && kind != IBC_SUBJECT_FABRIC))
			continue;
		if (said == HEAD_SUBJECTS) {
			more++;
			continue;
		}
		say(w, said++ ? "  and  " : "");
		say_subject(w, &f->related[i].subject);
	}
	if (!said)
		say_subject(w, &c->subject);
	/* the sentence has the number of all */
	if (more > HEAD_COUNTED || (more && !named))
		say(w, "  and more");
	else if (more)
		sayf(w, "  and %zu more", more);
}

void say_stopped(struct writer *w, const char *sentence)
{
	size_t n = strlen(sentence);

	say(w, sentence);
	if (n && !strchr(".!?", sentence[n - 1]))
		say(w, ".");
}

void say_sentence(struct writer *w, const char *sentence)
{
	size_t n = strspn(sentence, "abcdefghijklmnopqrstuvwxyz");

	/* a plain word; "leaf03" and "mlx5_0" keep their spelling */
	if (n && (!sentence[n] || strchr(" ,:;", sentence[n])))
		sayf(w, "%c", toupper((unsigned char)*sentence++));
	say_stopped(w, sentence);
}

/* The check among the consequences that follows @last in the alphabet, and how many it has. */
static const char *next_explained(const struct ibc_case *c, const char *last, size_t *num)
{
	const char *next = NULL;

	*num = 0;
	for (size_t i = c->num_members; i < c->num_findings; i++) {
		const char *check = c->findings[i]->check;

		if (strcmp(check, last) <= 0 || (next && strcmp(check, next) > 0))
			continue;
		*num = next && !strcmp(check, next) ? *num + 1 : 1;
		next = check;
	}
	return next;
}

bool say_explained(struct writer *w, const struct ibc_case *c, const char *verb)
{
	size_t total, n;
	const char *check = "", *separator = ": ";
	char findings[AMOUNT_TEXT];

	if (c->num_findings <= c->num_members)
		return false;
	total = c->num_findings - c->num_members;
	sayf(w, "%s %s", verb, str_amount(findings, total, "finding"));
	while ((check = next_explained(c, check, &n))) {
		say(w, separator);
		if (total > 1)
			sayf(w, "%zu ", n);
		say(w, check);
		separator = ", ";
	}
	return true;
}

/* An id contains the host's name, and equal hosts should have equal reports: it is left out. */
void say_id(struct writer *w, const struct ibc_case *c, const char *before)
{
	if (w->this_host)
		return;
	sayf(w, "%s[%s]", before, c->id);
}

/* "3 days": so long before the run that is remembered. */
static void say_age(struct writer *w, const struct ibc_report *rep, time_t since)
{
	static const struct {
		time_t seconds, until; /* twice the next */
		const char *unit;
	} units[] = { { 60, 7200, "min" }, { 3600, 172800, "h" }, { 86400, 0, "days" } };
	time_t age = rep->remembered - since;
	size_t i = 0;

	if (age < units[0].seconds) {
		say(w, "less than 1 min");
		return;
	}
	while (units[i].until && age >= units[i].until)
		i++;
	sayf(w, "%ju %s", (uintmax_t)(age / units[i].seconds), units[i].unit);
}

void say_past(struct writer *w, const struct ibc_report *rep, const struct ibc_case *c,
              const char *before, const char *after)
{
	static const char *const endings[] = { "th", "st", "nd", "rd" };
	static const struct {
		const char *word, *until_now;
	} pasts[] = {
		[IBC_CASE_NEW] = { "new", NULL },         [IBC_CASE_OPEN] = { "", "for " },
		[IBC_CASE_WORSE] = { "worse, ", "for " }, [IBC_CASE_BACK] = { "back, ", "for " },
		[IBC_CASE_GONE] = { "", "after " },       [IBC_CASE_UNSETTLED] = { "", NULL },
	};

	if (c->state == IBC_CASE_UNKNOWN)
		return;
	sayf(w, "%s%s", before, pasts[c->state].word);
	if (c->settling)
		sayf(w, "not settled, %s", c->settling);
	if (pasts[c->state].until_now) {
		unsigned int digit = c->times / 10 % 10 == 1 ? 0 : c->times % 10;

		if (c->times > 1) /* "2nd", "13th" */
			sayf(w, "%u%s time in ", c->times,
			     endings[digit < ARRAY_SIZE(endings) ? digit : 0]);
		else
			say(w, pasts[c->state].until_now);
		say_age(w, rep, c->since);
	}
	say(w, after);
}

void say_case(struct writer *w, const struct ibc_report *rep, const struct ibc_case *c)
{
	sayf(w, "%s ", c->check);
	say_subject(w, &c->subject);
	say_id(w, c, " ");
	say_past(w, rep, c, " (", ")");
	sayf(w, ": %s", c->message);
	say_explained(w, c, "; explains");
}

void say_known(struct writer *w, const struct ibc_known *known)
{
	bool grown = known->grown != NULL;

	sayf(w, "until %s (%s: %s)%s%s", known->until, known->owner, known->reason,
	     grown            ? ": "
	     : known->expired ? ": expired"
	                      : "",
	     grown ? known->grown : "");
}

/* ---- lines ---------------------------------------------------------------- */

size_t put_folded(struct writer *w, size_t column, size_t indent)
{
	char *at = w->length ? w->line : "", *word, *end, after;
	size_t width;

	for (; *at; at = end) {
		word = at + strspn(at, " ");
		end = word + strcspn(word, " ");
		after = *end;
		*end = '\0';
		width = utf8_width(at);
		if (w->opts->columns && column > indent && column + width > w->opts->columns) {
			put(w, "\n");
			put_blanks(w, indent);
			column = indent;
			at = word;
			width = utf8_width(at);
		}
		put(w, at);
		column += width;
		*end = after;
	}
	w->length = 0;
	return column;
}

void put_folded_line(struct writer *w, size_t column, size_t indent)
{
	put_folded(w, column, indent);
	put(w, "\n");
}

void end_folded(struct writer *w)
{
	put_folded_line(w, 0, LABEL_COLUMNS);
}

/* ---- sums ----------------------------------------------------------------- */

#define SKIPPED_SHOWN 3 /* a line says why, not all of what; -v has the rest */
#define UNASKED_SHOWN 1 /* all options are to fit into it */

static const enum ibc_severity ranks[] = { IBC_CRITICAL, IBC_UNKNOWN, IBC_WARNING, IBC_INFO };

const struct ibc_finding *severity_next(struct severity_walk *walk)
{
	const struct ibc_finding *f;

	for (; walk->rank < ARRAY_SIZE(ranks); walk->rank++) {
		while ((f = ibc_report_finding(walk->report, walk->next++)))
			if (f->severity == ranks[walk->rank] && !f->hidden &&
			    finding_is_known(f) == walk->known)
				return f;
		walk->next = 0;
	}
	return NULL;
}

const struct ibc_case *case_next(struct severity_walk *walk)
{
	const struct ibc_case *c;

	for (; walk->rank < ARRAY_SIZE(ranks); walk->rank++) {
		while ((c = ibc_report_case_at(walk->report, walk->next++)))
			if (c->severity == ranks[walk->rank] && case_is_known(c) == walk->known &&
			    !case_is_hidden(c))
				return c;
		walk->next = 0;
	}
	return NULL;
}

static void say_count(struct writer *w, size_t n, const char *what, const char **separator)
{
	if (!n)
		return;
	sayf(w, "%s%zu %s", *separator, n, what);
	*separator = ", ";
}

/* " (for 3 days)" of a single case, " (1 new, 2 back)" of several; those as before are the rest. */
static void say_pasts(struct writer *w, const struct ibc_report *rep, enum ibc_severity severity,
                      size_t n)
{
	static const enum ibc_case_state states[] = { IBC_CASE_NEW, IBC_CASE_WORSE, IBC_CASE_BACK,
		                                      IBC_CASE_UNSETTLED };
	size_t num[IBC_CASE_UNSETTLED + 1] = { 0 };
	const char *separator = " (";

	for (size_t i = 0; i < rep->num_cases; i++) {
		const struct ibc_case *c = &rep->cases[i];

		if (c->severity != severity || case_is_known(c) || case_is_elsewhere(c))
			continue;
		num[c->state]++;
		if (n == 1)
			say_past(w, rep, c, " (", ")");
	}
	for (size_t i = 0; n > 1 && i < ARRAY_SIZE(states); i++) {
		const char *word = ibc_case_state_word(states[i])->name;

		if (num[states[i]] == n)
			sayf(w, " (all %s)", word);
		else
			say_count(w, num[states[i]], word, &separator);
	}
	if (*separator == ',')
		say(w, ")");
}

/* The other severities are adjectives. */
static const char *severity_noun(enum ibc_severity severity, size_t n)
{
	return severity == IBC_WARNING && n != 1 ? "warnings" : ibc_severity_word(severity)->word;
}

void say_last_run(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_last_run *last = &rep->last;
	char time[UTC_TEXT];

	if (!last->time || !utc_text(last->time, time)) {
		say(w, "no verdict: nothing was checked");
		return;
	}
	sayf(w, "last run: %s, %.10s %.8s UTC, %s", ibc_severity_word(last->verdict)->name, time,
	     time + 11, last->command ? last->command : "");
	if (last->open > last->verdict)
		sayf(w, "; still open: %s", ibc_severity_word(last->open)->name);
}

bool say_elsewhere(struct writer *w, const struct ibc_report *rep)
{
	const char *separator = "elsewhere in the fabric: ";
	size_t n;

	for (size_t i = 0; rep->of_things && i < ARRAY_SIZE(ranks); i++) {
		n = report_count_elsewhere(rep, ranks[i]);
		say_count(w, n, severity_noun(ranks[i], n), &separator);
	}
	return *separator == ',';
}

void say_sum(struct writer *w, const struct ibc_report *rep)
{
	const char *separator = "";
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(ranks); i++) {
		n = report_count_cases(rep, ranks[i]) - report_count_elsewhere(rep, ranks[i]);
		say_count(w, n, severity_noun(ranks[i], n), &separator);
		say_pasts(w, rep, ranks[i], n);
	}
	say_count(w, report_count_known_cases(rep), "known", &separator);
	say_count(w, rep->num_gone, ibc_case_state_word(IBC_CASE_GONE)->name, &separator);
	if (!report_is_complete(rep)) {
		sayf(w, "%sincomplete", separator);
		separator = ", ";
	}
	/* where nothing was found: what was looked for */
	n = rep->num_findings ? 0 : count_notes(rep->ran);
	say_count(w, n, n == 1 ? "check passed" : "checks passed", &separator);
	if (rep->conclusion)
		sayf(w, "%s%s", *separator ? "; " : "", rep->conclusion);
	else if (!*separator)
		say(w, "no findings");
}

bool fact_is_for_people(const struct ibc_fact *fact)
{
	static const char *const inner[] = { "row_support", "column_support", "rule_support",
		                             "gate", "case" };

	for (size_t i = 0; i < ARRAY_SIZE(inner); i++)
		if (!strcmp(fact->key, inner[i]))
			return false;
	return strcmp(fact->key, "unknown") != 0 || fact->value.kind != IBC_U64 || fact->value.num;
}

/* ---- gaps ----------------------------------------------------------------- */

/* Whoever asks for all reads the reason of each, others what they have in common. */
static const char *reason_of(const struct writer *w, const struct check_note *n)
{
	const char *reason = w->opts->verbose ? n->reason : n->summary;

	return reason ? reason : "no reason given";
}

/* The checks that share the reason of @of; @most of them, unless asked for all. */
static void say_notes(struct writer *w, const struct check_note *list, const struct check_note *of,
                      size_t most, const char *separator)
{
	size_t n = 0;

	for (const struct check_note *note = list; note; note = note->next) {
		if (strcmp(reason_of(w, note), reason_of(w, of)) != 0)
			continue;
		if (++n > most && !w->opts->verbose)
			continue;
		sayf(w, "%s%s", separator, note->name);
		separator = ", ";
	}
	if (n > most && !w->opts->verbose)
		sayf(w, " and %zu more", n - most);
	say(w, " (");
	say(w, reason_of(w, of));
	say(w, ")");
}

/* Each reason once, with its checks: one line, or with all checks a line for each. */
static void say_unchecked(struct writer *w, const struct check_note *list, size_t most,
                          void (*line_end)(struct writer *w))
{
	const char *separator = "not checked: ";

	for (const struct check_note *n = list; n; n = n->next) {
		const struct check_note *first = list;

		while (strcmp(reason_of(w, first), reason_of(w, n)) != 0)
			first = first->next;
		if (first != n)
			continue;
		say_notes(w, list, n, most, separator);
		if (w->opts->verbose)
			line_end(w);
		else
			separator = "; ";
	}
	if (list && !w->opts->verbose)
		line_end(w);
}

void say_gaps(struct writer *w, const struct ibc_report *rep, void (*line_end)(struct writer *w))
{
	const char *separator = "not answered: ";
	char queries[AMOUNT_TEXT];

	for (const struct cover *c = rep->cover; c; c = c->next) {
		if (!coverage_open(&c->n))
			continue;
		sayf(w, "%s%s %" PRIu64 " of %" PRIu64, separator, c->attribute,
		     coverage_open(&c->n), c->n.asked);
		if (c->n.refused)
			sayf(w, " (%" PRIu64 " refused)", c->n.refused);
		separator = ", ";
	}
	if (*separator == ',')
		line_end(w);
	if (rep->not_asked) {
		sayf(w, "not sent before the deadline: %s",
		     str_amount(queries, rep->not_asked, "query"));
		line_end(w);
	}
	if (rep->lines_lost) {
		sayf(w, "not understood: %s", str_amount(queries, rep->lines_lost, "line"));
		line_end(w);
	}
	say_unchecked(w, rep->skipped, SKIPPED_SHOWN, line_end);
	say_unchecked(w, rep->unreported, SKIPPED_SHOWN, line_end);
	if (!rep->only_changes)
		say_unchecked(w, rep->unasked, UNASKED_SHOWN, line_end);
}
