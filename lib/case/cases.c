/* SPDX-License-Identifier: BSD-2-Clause */
/* From findings to cases: what is one fault for whoever mends it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/case.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "case/explain.h"
#include "report/report.h"

#define ID_MAX 17 /* 64 bits in hexadecimal */

/* ---- one case ---------------------------------------------------------------------------- */

static uint64_t hash_finding(const struct ibc_finding *f)
{
	char identity[IBC_IDENTITY_MAX];

	return hash_more(hash_more(HASH_BEGIN, f->check),
	                 ibc_subject_identity(&f->subject, identity));
}

/* Of the worst that counts; where none does, of the worst. */
static enum ibc_severity worst_of(const struct ibc_finding *const *f, size_t n)
{
	enum ibc_severity counts = IBC_OK, all = IBC_OK;

	for (size_t i = 0; i < n; i++) {
		if (f[i]->severity > all)
			all = f[i]->severity;
		if (finding_counts(f[i]) && f[i]->severity > counts)
			counts = f[i]->severity;
	}
	return counts ? counts : all;
}

static struct ibc_case case_of(struct ibc_report *rep, const struct ibc_finding *const *f, size_t n)
{
	char id[ID_MAX];

	snprintf(id, sizeof(id), "%08" PRIx32, (uint32_t)(hash_finding(*f) >> 32));
	return (struct ibc_case){
		.id = report_keep(rep, id),
		.severity = worst_of(f, n),
		.subject = (*f)->subject,
		.message = (*f)->message,
		.advice = (*f)->advice,
		.known = (*f)->known,
		.findings = f,
		.num_findings = n,
		.num_members = 1,
	};
}

/* ---- all of them -------------------------------------------------------------------------- */

/* struct seat - where a finding belongs: to the case of its cause, after that one */
struct seat {
	size_t cause, finding;
	enum ibc_severity severity;
};

static int by_case(const void *va, const void *vz)
{
	const struct seat *a = va, *z = vz;
	int order = order_u64(a->cause, z->cause);

	if (!order)
		order = order_u64(a->finding != a->cause, z->finding != z->cause);
	if (!order)
		order = order_u64(z->severity, a->severity);
	return order ? order : order_u64(a->finding, z->finding);
}

static struct seat *find_seats(struct arena *arena, const struct findings *f)
{
	struct seat *seats = arena_array(arena, f->n + 1, sizeof(*seats));

	for (size_t i = 0; seats && i < f->n; i++)
		seats[i] = (struct seat){ f->cause[i], i, f->list[i]->severity };
	if (seats)
		qsort(seats, f->n, sizeof(*seats), by_case);
	return seats;
}

static int compare_cases(const void *left, const void *right)
{
	const struct ibc_case *a = left, *b = right;

	return a->severity != b->severity
	           ? (a->severity < b->severity) - (a->severity > b->severity)
	           : strcmp(a->id, b->id);
}

static void add_cases(struct ibc_report *rep, const struct findings *f, const struct seat *seats)
{
	const struct ibc_finding **list = arena_array(rep->arena, f->n, sizeof(*list));
	struct ibc_case *cases = arena_array(rep->arena, f->n, sizeof(*cases));
	size_t n = 0;

	rep->failed |= f->n && (!list || !cases);
	for (size_t i = 0, end; !rep->failed && i < f->n; i = end) {
		for (end = i; end < f->n && seats[end].cause == seats[i].cause; end++)
			list[end] = f->list[seats[end].finding];
		cases[n++] = case_of(rep, list + i, end - i);
	}
	if (rep->failed)
		return;
	qsort(cases, n, sizeof(*cases), compare_cases);
	rep->cases = cases;
	rep->num_cases = n;
}

/* What follows from a known fault is known. */
static void spread_known(const struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct ibc_finding *cause = f->list[f->cause[i]];

		if (finding_is_known(cause) && !finding_is_known(f->list[i]))
			f->list[i]->known = cause->known;
	}
}

static const struct ibc_check *find_check(const struct ibc_check *(*check_at)(size_t i),
                                          const char *id)
{
	const struct ibc_check *check;

	for (size_t i = 0; (check = check_at(i)); i++)
		if (!strcmp(check->id, id))
			return check;
	return NULL;
}

/* Findings are sorted by check. */
static bool list_findings(struct ibc_report *rep, const struct ibc_check *(*check_at)(size_t i),
                          struct arena *arena, struct findings *f)
{
	struct ibc_finding **list = arena_array(arena, rep->num_findings + 1, sizeof(*list));

	*f = (struct findings){ .list = list, .n = rep->num_findings };
	f->check = arena_array(arena, f->n + 1, sizeof(*f->check));
	f->cause = arena_array(arena, f->n + 1, sizeof(*f->cause));
	if (!list || !f->check || !f->cause)
		return false;
	for (size_t i = 0; i < f->n; i++) {
		list[i] = &rep->findings[rep->sorted[i] - rep->findings];
		f->check[i] = i && !strcmp(list[i]->check, list[i - 1]->check)
		                  ? f->check[i - 1]
		                  : find_check(check_at, list[i]->check);
	}
	return true;
}

static bool find_cases(const struct ibc_input *in, const struct ibc_check *(*check_at)(size_t i),
                       struct arena *arena, struct ibc_report *rep)
{
	struct seat *seats;
	struct findings f;
	struct things t;

	if (!things_init(&t, in, arena) || !list_findings(rep, check_at, arena, &f) ||
	    !explain_findings(&t, &f))
		return false;
	spread_known(&f);
	seats = find_seats(arena, &f);
	if (seats)
		add_cases(rep, &f, seats);
	return seats && !rep->failed;
}

int ibc_cases_find(const struct ibc_input *in, const struct ibc_check *(*check_at)(size_t i),
                   struct ibc_report *rep, struct ibc_error *err)
{
	struct arena *arena = arena_new();

	rep->failed |= !arena || !find_cases(in, check_at, arena, rep);
	arena_free(arena);
	return rep->failed ? fail_nomem(err) : 0;
}
