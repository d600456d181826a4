/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKREPORT_H
#define MKREPORT_H

/* What the tests of reports have in common. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/report.h>

#include "base/arena.h"
#include "report/report.h"

static const struct ibc_subject the_fabric = { .kind = IBC_SUBJECT_FABRIC };

static inline struct ibc_end mkend(uint64_t guid, const char *desc, unsigned int port)
{
	return (struct ibc_end){
		.guid = guid, .has_guid = true, .desc = desc, .port = port, .has_port = true
	};
}

static inline struct ibc_subject mknode(uint64_t guid, const char *desc)
{
	return (struct ibc_subject){
		.kind = IBC_SUBJECT_NODE,
		.near = { .guid = guid, .has_guid = true, .desc = desc },
	};
}

static inline struct ibc_subject mkport(uint64_t guid, const char *desc, unsigned int port)
{
	return (struct ibc_subject){ .kind = IBC_SUBJECT_PORT, .near = mkend(guid, desc, port) };
}

static inline struct ibc_subject mkcable(struct ibc_end near, struct ibc_end far)
{
	return (struct ibc_subject){ .kind = IBC_SUBJECT_CABLE, .near = near, .far = far };
}

static inline struct ibc_subject mkhost(const char *name)
{
	return (struct ibc_subject){ .kind = IBC_SUBJECT_HOST, .near = { .desc = name } };
}

static inline struct ibc_report *mkreport(void)
{
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	return rep;
}

/* A row of a test is an array of values; column @i shows the one of that number. */
static inline struct ibc_value nth_value(struct ibc_cell *cell)
{
	return ((const struct ibc_value *)cell->row)[cell->column->arg];
}

/* clang-format off */
#define COLUMN(i, k, title) { .key = (k), .heading = (title), .value = nth_value, .arg = (i) }
/* clang-format on */

/* A finding of a severity about port 1 of a node of this GUID. */
static inline void mkfinding(struct ibc_report *rep, const char *check, enum ibc_severity severity,
                             uint64_t guid)
{
	struct ibc_subject subject = mkport(guid, "leaf", 1);

	ibc_report_add(rep, check, severity, &subject, "is not as it should be");
}

/*
 * Of a finished report, cases by hand: findings from @first on, @num of them, of which @members
 * have the fault and the others follow from it.
 */
static inline struct ibc_case mkcase(struct ibc_report *rep, size_t first, size_t num,
                                     size_t members)
{
	const struct ibc_finding *f = rep->sorted[first];
	char id[32];

	snprintf(id, sizeof(id), "%08zx", 0xc0ffee + first);
	return (struct ibc_case){
		.id = report_keep(rep, id),
		.severity = f->severity,
		.subject = f->subject,
		.message = f->message,
		.advice = f->advice,
		.known = f->known,
		.findings = &rep->sorted[first],
		.num_findings = num,
		.num_members = members,
	};
}

/* What report_cases_made() says. */
static inline bool mkcases(struct ibc_report *rep, const struct ibc_case *cases, size_t n)
{
	struct ibc_case *kept = arena_alloc(rep->arena, (n + 1) * sizeof(*cases));

	if (!kept)
		return false;
	memcpy(kept, cases, n * sizeof(*cases));
	rep->cases = kept;
	rep->num_cases = n;
	for (size_t i = 0; i < rep->num_findings; i++)
		if (!rep->findings[i].id)
			rep->findings[i].id = "00c0ffee";
	return report_cases_made(rep);
}

/* Each finding a case of its own, worst first. */
static inline void mkcases_alone(struct ibc_report *rep)
{
	static const enum ibc_severity ranks[] = { IBC_CRITICAL, IBC_UNKNOWN, IBC_WARNING,
		                                   IBC_INFO };
	struct ibc_case *cases = calloc(rep->num_findings + 1, sizeof(*cases));
	size_t n = 0;

	assert_non_null(cases);
	for (size_t r = 0; r < 4; r++)
		for (size_t i = 0; i < rep->num_findings; i++)
			if (rep->sorted[i]->severity == ranks[r])
				cases[n++] = mkcase(rep, i, 1, 1);
	mkcases(rep, cases, n);
	free(cases);
}

/* What may be rendered. */
static inline void mkfinished(struct ibc_report *rep)
{
	if (!rep->finished)
		assert_int_equal(ibc_report_finish(rep, NULL), 0);
	if (!rep->num_cases)
		mkcases_alone(rep);
}

#endif
