/* SPDX-License-Identifier: BSD-2-Clause */
/* From findings to cases: what is one fault for whoever mends it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/case.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/report.h"

#define ID_MAX 17 /* 64 bits in hexadecimal */

/* FNV-1a of 64 bits (Fowler, Noll, Vo): the same on every host, and in every version. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return hash;
}

static uint64_t hash_finding(const struct ibc_finding *f)
{
	char identity[IBC_IDENTITY_MAX];

	return hash_text(hash_text(0xcbf29ce484222325, f->check),
	                 ibc_subject_identity(&f->subject, identity));
}

static struct ibc_case case_of(struct ibc_report *rep, const struct ibc_finding *const *f)
{
	char id[ID_MAX];

	snprintf(id, sizeof(id), "%08" PRIx32, (uint32_t)(hash_finding(*f) >> 32));
	return (struct ibc_case){
		.id = report_keep(rep, id),
		.severity = (*f)->severity,
		.subject = (*f)->subject,
		.message = (*f)->message,
		.advice = (*f)->advice,
		.known = (*f)->known,
		.findings = f,
		.num_findings = 1,
		.num_members = 1,
	};
}

static int compare_cases(const void *left, const void *right)
{
	const struct ibc_case *a = left, *b = right;

	return a->severity != b->severity
	           ? (a->severity < b->severity) - (a->severity > b->severity)
	           : strcmp(a->id, b->id);
}

int ibc_cases_find(const struct ibc_input *in, const struct ibc_check *(*check_at)(size_t i),
                   struct ibc_report *rep, struct ibc_error *err)
{
	struct ibc_case *cases = arena_array(rep->arena, rep->num_findings, sizeof(*cases));

	(void)in;
	(void)check_at;
	if (!cases && rep->num_findings) {
		rep->failed = true;
		return fail_nomem(err);
	}
	for (size_t i = 0; i < rep->num_findings; i++)
		cases[i] = case_of(rep, &rep->sorted[i]);
	qsort(cases, rep->num_findings, sizeof(*cases), compare_cases);
	rep->cases = cases;
	rep->num_cases = rep->num_findings;
	if (report_cases_made(rep))
		return ibc_cases_find(in, check_at, rep, err);
	return rep->failed ? fail_nomem(err) : 0;
}
