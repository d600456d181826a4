/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the formats for people have in common; all of it goes through w->say. */
#include "render/writer.h"

/* "12", "LinkUp", "-"; @buf holds what has no text of its own. */
#define VALUE_MAX 32
const char *value_text(char buf[VALUE_MAX], const struct ibc_value *v);
/* "leaf03/19 - spine02/3" */
void say_subject(struct writer *w, const struct ibc_subject *subject);
/* The same of a case, with others that are as much at fault: "leaf03/19 - spine02/3  and  ..." */
void say_head(struct writer *w, const struct ibc_case *c);
/* A message as a sentence: with its full stop, and one with a capital, unless that is a name. */
void say_stopped(struct writer *w, const char *sentence);
void say_sentence(struct writer *w, const char *sentence);
/* "port.width leaf03/19 - spine02/3: 1 lane of 4 is up" */
void say_finding(struct writer *w, const struct ibc_finding *f);
/* "port.silent leaf03 [7f3a9c10] (new): does not answer; explains 6 findings: ..." */
void say_case(struct writer *w, const struct ibc_report *rep, const struct ibc_case *c);
/* "new", "for 3 days", "back, 4th time in 3 days", "not settled, run 1 of 3"; nothing where nothing
 * is remembered */
void say_past(struct writer *w, const struct ibc_report *rep, const struct ibc_case *c,
              const char *before, const char *after);
/* "[7f3a9c10]"; nothing where one host is "this host" */
void say_id(struct writer *w, const struct ibc_case *c, const char *before);
/*
 * "explains 6 findings: 4 counters.silent, 2 routes.unreachable", begun with @verb; false: it
 * explains none, and nothing was said
 */
bool say_explained(struct writer *w, const struct ibc_case *c, const char *verb);
/*
 * What was collected becomes a line, folded between words where the terminal ends; a word is
 * never cut.  Returns the column where the line ends.
 */
size_t put_folded(struct writer *w, size_t column, size_t indent);
void put_folded_line(struct writer *w, size_t column, size_t indent);
#define LABEL_COLUMNS 10 /* "CRITICAL  " */
void end_folded(struct writer *w);
/* "until 2026-12-31 (alice: waiting for a cable)", and that it has expired */
void say_known(struct writer *w, const struct ibc_known *known);
/* "1 critical (new), 1 known, 1 gone, incomplete; 7 of 9 cables as planned", "37 checks passed" */
void say_sum(struct writer *w, const struct ibc_report *rep);
/* Numbers of an inference are for --debug tree and for programs, and none unread is no news. */
bool fact_is_for_people(const struct ibc_fact *fact);
/* "last run: CRITICAL, 2026-01-31 12:00:00 UTC, all", of a report that judges nothing */
void say_last_run(struct writer *w, const struct ibc_report *rep);
/* "elsewhere in the fabric: 1 critical", where the verdict is about some things; else false */
bool say_elsewhere(struct writer *w, const struct ibc_report *rep);
/* What was not answered, not asked, not checked: @line_end is called after each. */
void say_gaps(struct writer *w, const struct ibc_report *rep, void (*line_end)(struct writer *w));

/*
 * Shown findings, or cases, that are known, or those that are not: by severity, then in the
 * order of findings, a case in the place of its first.
 */
struct severity_walk {
	const struct ibc_report *report;
	bool known;
	size_t rank, next;
};
const struct ibc_finding *severity_next(struct severity_walk *walk);
const struct ibc_case *case_next(struct severity_walk *walk);
