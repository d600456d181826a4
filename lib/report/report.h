/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What is behind struct ibc_report, for this layer and for the renderers: text.c keeps,
 * verdict.c counts, table.c walks its rows.
 */
#include <ibcheck/report.h>

#include "base/called.h"

struct arena;
struct text;

struct cover {
	struct cover *next;
	const char *attribute;
	struct ibc_coverage n;
};

/*
 * A check that ran (reason NULL), was skipped, has nothing reported to it, or was not asked for.
 * @name: "cable.alarm", or of one kind, "cable.alarm:bias", or, not asked for, "cable"; @check: its
 *	id
 * @summary: one reason for several such checks, which the own one of each is a part of; or @reason
 */
struct check_note {
	struct check_note *next;
	const char *name, *check, *reason, *summary;
};

struct sum {
	struct sum *next;
	const char *key;
	uint64_t value;
};

struct picture {
	struct picture *next;
	const char *id, *title, *svg;
};

struct consequence {
	struct consequence *next;
	const char *check, *cost, *who;
};

struct table_rows {
	struct table_rows *next;
	size_t num;
	struct ibc_value values[]; /* row after row */
};

struct ibc_table {
	struct ibc_table *next;
	struct ibc_report *report;
	const struct ibc_table_type *type;
	size_t num_columns, num_rows;
	uint64_t omitted, hidden; /* hidden: a bit for each column that text leaves out */
	const char *omitted_what; /* or NULL */
	bool upright;             /* ibc_table_upright() */
	bool sorted;              /* ibc_report_sort(): rows of a group may lie apart */
	struct table_rows *first, *last;
};

/*
 * struct view - findings that one look found: together, and by themselves, they are one case
 * @first, @n: of ibc_report.findings
 * @subject, @message, @advice: of that case
 */
struct view {
	struct view *next;
	size_t first, n;
	struct ibc_subject subject;
	const char *message, *advice;
};

/*
 * struct known_member - of a case of several that an earlier version had as one incident
 * @case_id: was accepted
 * @finding_id: what that covers, since the first run of this version; NULL: that is this run
 */
struct known_member {
	struct known_member *next;
	const char *case_id, *finding_id;
};

/* An empty meta.arguments is an array without elements, never NULL. */
struct ibc_report {
	struct arena *arena;
	struct text *texts; /* every string of the tables, once */
	bool failed, finished;
	struct ibc_finding *findings;
	const struct ibc_finding **sorted;
	size_t num_findings, room_findings;
	struct view *views;     /* in the arena */
	struct ibc_case *cases; /* in the arena, worst first; lib/case */
	size_t num_cases;
	struct ibc_case *gone;            /* lib/store */
	size_t num_gone, num_gone_hidden; /* ibc_report_show() leaves out those at the end */
	time_t remembered;  /* lib/store: the time of this run; 0: it is not remembered */
	bool sight_changed; /* less is seen than before, or all again, or a device replaced */
	char hidden_by[64]; /* likewise: why cases are not shown */
	const struct ibc_gone *expected; /* ibc_check_expect(), while the checks run */
	struct known_member *members;    /* likewise, and those that are taken; known.c */
	bool only_changes;               /* ibc_report_show(), and the next */
	bool of_things;                  /* the verdict is about some things */
	struct known_line *known_lines;  /* in the arena; known.c */
	const char *known_path;
	struct cover *cover;
	struct check_note *ran, *skipped, *unreported, *unasked;
	struct sum *sums;
	const char *conclusion; /* or NULL */
	uint64_t *shown_guids;  /* sorted; ibc_report_show() */
	size_t num_shown_guids; /* 0: all */
	struct ibc_table *tables;
	struct picture *pictures; /* page.c, and the next */
	const char *affected;     /* "2 cables, 1 host", or NULL */
	time_t previous;          /* when the run before this one began; 0: it is not known */
	struct consequence *consequences;
	uint64_t not_asked, lines_lost;
	struct ibc_sweep sweep;
	struct ibc_report_meta meta;
	bool has_meta;
	bool is_past; /* ibc_report_past() */
	struct ibc_last_run last;
};

/* The text made fit to show (base/utf8.h) and kept; NULL for NULL, and on failure. */
const char *report_keep(struct ibc_report *rep, const char *text);
/* The same for text that comes again and again. */
const char *report_intern(struct ibc_report *rep, const char *text);
struct ibc_value report_keep_value(struct ibc_report *rep, struct ibc_value value);
/* Are two kept values equal?  Strings of a report are kept once. */
static inline bool value_same(const struct ibc_value *a, const struct ibc_value *b)
{
	return a->kind == b->kind && (a->kind == IBC_NONE || a->num == b->num);
}
void report_forget_texts(struct ibc_report *rep);

/* The value of the fact @key; NULL: it has none. */
const struct ibc_value *finding_fact(const struct ibc_finding *f, const char *key);
/* Is it of a check, "port.width", "cable.*", or kind, "cable.alarm:bias", by its fact "kind"? */
bool finding_is_of(const struct ibc_finding *f, const char *check);
/* The last finding may be wrong, as struct ibc_finding.doubtful says: nothing is advised for it. */
void report_doubt(struct ibc_report *rep, const char *what_says_otherwise);
/* The last finding began at this time. */
void report_began(struct ibc_report *rep, time_t since);
/*
 * The findings from the first on are one case, if nothing else explains any of them, with these
 * words; a message and an advice are copied.
 */
void report_view(struct ibc_report *rep, size_t first, const struct ibc_subject *subject,
                 const char *message, const char *advice);
/* Does a line of the known faults that has not expired cover it? */
bool finding_is_known(const struct ibc_finding *f);
/* Does it make the verdict worse than ok? */
bool finding_counts(const struct ibc_finding *f);
size_t report_count_known(const struct ibc_report *rep);
/* Findings that ibc_report_show() left out. */
size_t report_count_hidden(const struct ibc_report *rep);

/* ---- page.c ---- */

/* How much is affected, in a few words or NULL, and when the run before began; 0: not known. */
void report_brief(struct ibc_report *rep, const char *affected, time_t previous);
/*
 * What a fault that @check finds costs until it is repaired, in a sentence or two, and whose work
 * that is: "data centre staff".  A case may have its own, by its id.
 */
void report_consequence(struct ibc_report *rep, const char *check, const char *cost,
                        const char *who);

/* ---- cases.c ---- */

bool case_is_known(const struct ibc_case *c);
/* Is it the one whose check names its case? */
bool leads_case(const struct ibc_finding *f);
/* Is none of its findings shown? */
bool case_is_hidden(const struct ibc_case *c);
/* For qsort(), of pointers to findings: their order in a report. */
int compare_findings(const void *left, const void *right);
/* For qsort(): the order of cases in a report: severity, cost, age, then as findings are. */
int compare_cases(const void *left, const void *right);
/* Again, now that the past of the cases is known. */
void report_sort_cases(struct ibc_report *rep);
/* Those that are not known. */
/* Is it about other things than those that the verdict is about? */
bool case_is_elsewhere(const struct ibc_case *c);
/* Those that are not known; those among them that are about other things. */
size_t report_count_cases(const struct ibc_report *rep, enum ibc_severity severity);
size_t report_count_elsewhere(const struct ibc_report *rep, enum ibc_severity severity);
size_t report_count_known_cases(const struct ibc_report *rep);
size_t report_count_hidden_cases(const struct ibc_report *rep);
/* Of those that are gone. */
size_t report_count_shown_gone(const struct ibc_report *rep);
/* A finding of the report, which may change it. */
static inline struct ibc_finding *report_own_finding(struct ibc_report *rep,
                                                     const struct ibc_finding *f)
{
	return &rep->findings[f - rep->findings];
}
/*
 * rep->cases are there: its findings learn of them, and lines of the known faults are held
 * against them.  True: that found something more; the report is finished again, and its cases
 * are to be found again.
 */
bool report_cases_made(struct ibc_report *rep);

/* ---- known.c ---- */

/* Is one of them as many of the digits of the other as are shown? */
bool report_same_id(const char *a, const char *z);
/* Is it the ID of the case that a look by itself makes of its findings? */
bool view_has_id(const struct ibc_report *rep, const struct view *view, const char *id);
/* Marks findings whose ids lines have. */
void report_known_ids(struct ibc_report *rep);
/* Lines that covered no case become findings; were there any? */
bool report_stale_cases(struct ibc_report *rep);

/* show.c: is a row of the table shown? */
bool row_is_shown(const struct ibc_table *table, const struct ibc_value *row);
/* Checks that ran, or were skipped, whole or in part. */
size_t count_notes(const struct check_note *note);
/* facts.c: ibc_report_skip() with a summary. */
void report_skip_of(struct ibc_report *rep, const char *check, const char *reason,
                    const char *summary);

/* Queries of one attribute that got no answer to use: silence and refusal. */
uint64_t coverage_open(const struct ibc_coverage *n);
/* All of them, and those that were never asked. */
uint64_t report_open(const struct ibc_report *rep);
/* Queries without an answer that no finding reports. */
uint64_t report_unexplained(const struct ibc_report *rep);
/* The verdict to show and its time, of a past those of the last run; false: none is known. */
bool report_shown_verdict(const struct ibc_report *rep, enum ibc_severity *verdict, time_t *time);
/* Was every query asked and answered, and every check run? */
bool report_is_complete(const struct ibc_report *rep);
/* Is anything to be said of what was not checked?  Of changes alone only what could not be. */
bool report_has_gaps(const struct ibc_report *rep);

/*
 * "leaf03", "leaf03/19", "leaf03/19 - spine02/3", "fabric": in parts, so that
 * nothing is allocated.  An end without label, description and GUID is "?".
 */
#define END_NAME_MAX 32
/* Its label, its description, or its GUID, written into buf. */
const char *end_name(const struct ibc_end *end, char buf[END_NAME_MAX]);

/* identity.c: "leaf03/19 - spine02/7" in the arena; NULL: no memory */
const char *subject_name(struct arena *a, const struct ibc_subject *s);
/*
 * Of a finding of a check about a thing, by its identity; with each fact that distinguishes it
 * mixed in, this is its ID.
 */
uint64_t hash_case(const char *check, const char *identity);
uint64_t hash_fact(uint64_t hash, const char *fact);
/* Of an identity "A - B" the far end, and the length of the near one; NULL: it is of one end. */
const char *identity_far(const char *identity, size_t *near);
/*
 * The end that a piece of an identity stands for: its GUID and its port, and nothing else of it.
 * False: it has no GUID, or its port no number.
 */
bool parse_end(const char *text, size_t n, struct ibc_end *end);

/* What people read above it. */
const char *table_title(const struct ibc_table *table);
/* In text; NULL: the column is not shown there. */
const char *table_heading(const struct ibc_table *table, size_t column);

/* Rows in order: for (struct table_walk w = table_walk(t); (row = table_next(&w));) */
struct table_walk {
	const struct ibc_table *table;
	const struct table_rows *rows;
	size_t next;
};
struct table_walk table_walk(const struct ibc_table *table);
const struct ibc_value *table_next(struct table_walk *walk);
