/* SPDX-License-Identifier: BSD-2-Clause */
/* What was covered, and the one word that follows from it and from the findings. */
#include "report/report.h"

#include <string.h>

bool finding_is_known(const struct ibc_finding *f)
{
	return f->known && !f->known->expired;
}

bool finding_counts(const struct ibc_finding *f)
{
	return f->severity > IBC_INFO && !finding_is_known(f) && !f->elsewhere;
}

size_t ibc_report_count(const struct ibc_report *rep, enum ibc_severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < rep->num_findings; i++)
		if (rep->findings[i].severity == severity && !finding_is_known(&rep->findings[i]))
			n++;
	return n;
}

size_t report_count_known(const struct ibc_report *rep)
{
	size_t n = 0;

	for (size_t i = 0; i < rep->num_findings; i++)
		n += finding_is_known(&rep->findings[i]);
	return n;
}

size_t count_notes(const struct check_note *note)
{
	size_t n = 0;

	for (; note; note = note->next) /* the kinds of a check stand together */
		n += !note->next || strcmp(note->next->check, note->check) != 0;
	return n;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

uint64_t coverage_open(const struct ibc_coverage *n)
{
	return minus(minus(n->asked, n->answered), n->unsupported);
}

uint64_t report_open(const struct ibc_report *rep)
{
	uint64_t open = rep->not_asked;

	for (const struct cover *c = rep->cover; c; c = c->next)
		open += coverage_open(&c->n);
	return open;
}

/* A finding that neither counts nor was accepted would let silence pass as ok. */
uint64_t report_unexplained(const struct ibc_report *rep)
{
	uint64_t reported = 0;

	for (size_t i = 0; i < rep->num_findings; i++) {
		const struct ibc_finding *f = &rep->findings[i];

		if (f->severity > IBC_INFO || finding_is_known(f))
			reported += f->unanswered;
	}
	return minus(report_open(rep), reported);
}

bool report_is_complete(const struct ibc_report *rep)
{
	return !rep->failed && !rep->skipped && !rep->lines_lost && !report_open(rep);
}

bool report_has_gaps(const struct ibc_report *rep)
{
	return !report_is_complete(rep) || rep->unreported || (rep->unasked && !rep->only_changes);
}

enum ibc_severity ibc_report_verdict(const struct ibc_report *rep)
{
	enum ibc_severity worst = IBC_OK;

	if (rep->failed || rep->skipped || rep->lines_lost || report_unexplained(rep))
		worst = IBC_UNKNOWN;
	for (size_t i = 0; i < rep->num_findings; i++) {
		const struct ibc_finding *f = &rep->findings[i];

		if (finding_counts(f) && f->severity > worst)
			worst = f->severity;
	}
	return worst;
}

void ibc_report_past(struct ibc_report *rep, const struct ibc_last_run *last)
{
	rep->is_past = true;
	rep->last = *last;
	rep->last.command = report_keep(rep, last->command);
}

bool report_shown_verdict(const struct ibc_report *rep, enum ibc_severity *verdict, time_t *time)
{
	const struct ibc_last_run *last = &rep->last;

	*verdict = !rep->is_past                ? ibc_report_verdict(rep)
	           : last->open > last->verdict ? last->open
	                                        : last->verdict;
	*time = rep->is_past ? last->time : rep->meta.time;
	return !rep->is_past || last->time;
}
