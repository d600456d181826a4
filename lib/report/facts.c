/* SPDX-License-Identifier: BSD-2-Clause */
/* What a report contains beside its findings: coverage, sums, who asked. */
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "report/report.h"

const struct ibc_value *finding_fact(const struct ibc_finding *f, const char *key)
{
	for (size_t i = 0; i < f->num_facts; i++)
		if (!strcmp(f->facts[i].key, key))
			return &f->facts[i].value;
	return NULL;
}

static void *alloc_in_report(struct ibc_report *rep, size_t size)
{
	void *p = rep->failed ? NULL : arena_alloc(rep->arena, size);

	rep->failed = !p;
	return p;
}

void ibc_report_cover(struct ibc_report *rep, const char *attribute,
                      const struct ibc_coverage *coverage)
{
	struct cover **at = &rep->cover, *c;

	if (rep->failed)
		return;
	while (*at && strcmp((*at)->attribute, attribute))
		at = &(*at)->next;
	c = *at ? *at : alloc_in_report(rep, sizeof(*c));
	if (!c)
		return;
	if (!*at)
		c->attribute = report_keep(rep, attribute);
	*at = c;
	c->n.asked += coverage->asked;
	c->n.answered += coverage->answered;
	c->n.unsupported += coverage->unsupported;
	c->n.refused += coverage->refused;
	c->n.timed_out += coverage->timed_out;
}

void ibc_report_lines_lost(struct ibc_report *rep, uint64_t lines)
{
	rep->lines_lost += lines;
}

void ibc_report_not_asked(struct ibc_report *rep, uint64_t queries)
{
	rep->not_asked += queries;
}

static void add_note(struct ibc_report *rep, struct check_note **at, const char *name,
                     const char *reason, const char *summary)
{
	struct check_note *n;

	if (rep->failed)
		return;
	for (; *at; at = &(*at)->next)
		if (!strcmp((*at)->name, name) &&
		    (!reason || !(*at)->reason || !strcmp((*at)->reason, reason)))
			return;
	n = alloc_in_report(rep, sizeof(*n));
	if (!n)
		return;
	n->name = report_keep(rep, name);
	n->check = arena_strndup(rep->arena, name, strcspn(name, ":"));
	rep->failed |= !n->check;
	n->reason = report_keep(rep, reason);
	n->summary = summary ? report_keep(rep, summary) : n->reason;
	*at = rep->failed ? NULL : n;
}

void ibc_report_ran(struct ibc_report *rep, const char *check)
{
	add_note(rep, &rep->ran, check, NULL, NULL);
}

void ibc_report_skip(struct ibc_report *rep, const char *check, const char *reason)
{
	add_note(rep, &rep->skipped, check, reason, NULL);
}

void report_skip_of(struct ibc_report *rep, const char *check, const char *reason,
                    const char *summary)
{
	add_note(rep, &rep->skipped, check, reason, summary);
}

void ibc_report_unreported(struct ibc_report *rep, const char *check, const char *reason)
{
	add_note(rep, &rep->unreported, check, reason, NULL);
}

void ibc_report_unasked(struct ibc_report *rep, const char *what, const char *option)
{
	add_note(rep, &rep->unasked, what, option, NULL);
}

/* "cable.alarm:bias" is of "cable.alarm", too. */
static bool is_of(const char *what, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(what, name, n) && (!what[n] || what[n] == ':');
}

bool ibc_report_has_run(const struct ibc_report *rep, const char *what)
{
	const struct check_note *n, *gaps[] = { rep->skipped, rep->unreported };
	bool ran = false;

	/* what a line has that was lost of a file is not known */
	for (n = rep->lines_lost ? NULL : rep->ran; n && !ran; n = n->next)
		ran = is_of(what, n->name);
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++)
		for (n = gaps[i]; n && ran; n = n->next)
			ran = !is_of(what, n->name) && !is_of(n->name, what);
	return ran;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

void ibc_report_mads(struct ibc_report *rep, const struct ibc_sweep *sweep)
{
	struct ibc_sweep *s = &rep->sweep;

	s->sent += sweep->sent;
	s->answered += sweep->answered;
	s->unsupported += sweep->unsupported;
	s->refused += sweep->refused;
	s->retried += sweep->retried;
	s->timed_out += sweep->timed_out;
	s->dropped_late += sweep->dropped_late;
	s->dropped_mismatch += sweep->dropped_mismatch;
	s->dropped_short += sweep->dropped_short;
	s->peak_in_flight = greater(s->peak_in_flight, sweep->peak_in_flight);
	s->rtt_p50_us = greater(s->rtt_p50_us, sweep->rtt_p50_us);
	s->rtt_p99_us = greater(s->rtt_p99_us, sweep->rtt_p99_us);
}

void ibc_report_sum(struct ibc_report *rep, const char *key, uint64_t value)
{
	struct sum **at = &rep->sums;
	struct sum *s;

	if (rep->failed)
		return;
	while (*at && strcmp((*at)->key, key))
		at = &(*at)->next;
	if (*at) {
		(*at)->value = value;
		return;
	}
	s = alloc_in_report(rep, sizeof(*s));
	if (!s)
		return;
	s->key = report_keep(rep, key);
	s->value = value;
	*at = s;
}

void ibc_report_conclude(struct ibc_report *rep, const char *phrase, ...)
{
	const char *before = rep->conclusion, *text;
	va_list ap;

	if (rep->failed)
		return;
	va_start(ap, phrase);
	text = arena_vprintf(rep->arena, phrase, ap);
	va_end(ap);
	if (text && before)
		text = arena_printf(rep->arena, "%s; %s", before, text);
	rep->failed = !text;
	rep->conclusion = report_keep(rep, text);
}

void ibc_report_set_meta(struct ibc_report *rep, const struct ibc_report_meta *meta)
{
	struct ibc_report_meta *m = &rep->meta;
	const char **arguments;
	size_t n = 0;

	*m = *meta;
	m->host = report_keep(rep, meta->host);
	m->described = report_keep(rep, meta->described);
	m->command = report_keep(rep, meta->command);
	m->source_kind = report_keep(rep, meta->source_kind);
	m->source_ca = report_keep(rep, meta->source_ca);
	m->source_file = report_keep(rep, meta->source_file);
	m->headline = report_keep(rep, meta->headline);
	while (meta->arguments && meta->arguments[n])
		n++;
	m->arguments = arguments = alloc_in_report(rep, (n + 1) * sizeof(*arguments));
	for (size_t i = 0; arguments && i < n; i++)
		arguments[i] = report_keep(rep, meta->arguments[i]);
	rep->has_meta = true;
}
