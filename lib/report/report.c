/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings: added, sorted, walked; and the report that holds them. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "report/report.h"

int ibc_report_new(struct ibc_report **out, struct ibc_error *err)
{
	struct ibc_report *rep = xalloc(sizeof(*rep));

	*out = NULL;
	if (!rep)
		return fail_nomem(err);
	rep->arena = arena_new();
	if (!rep->arena) {
		free(rep);
		return fail_nomem(err);
	}
	*out = rep;
	return 0;
}

void ibc_report_free(struct ibc_report *rep)
{
	if (!rep)
		return;
	report_forget_texts(rep);
	arena_free(rep->arena);
	free(rep->findings);
	free(rep->sorted);
	free(rep);
}

/* The finding that was added last, or NULL while there is none or memory ran out. */
static struct ibc_finding *last_finding(struct ibc_report *rep)
{
	if (rep->failed || !rep->num_findings)
		return NULL;
	return &rep->findings[rep->num_findings - 1];
}

static struct ibc_end keep_end(struct ibc_report *rep, struct ibc_end end)
{
	end.desc = report_intern(rep, end.desc);
	end.label = report_intern(rep, end.label);
	end.port_label = report_intern(rep, end.port_label);
	return end;
}

static struct ibc_subject keep_subject(struct ibc_report *rep, const struct ibc_subject *subject)
{
	return (struct ibc_subject){
		.kind = subject->kind,
		.near = keep_end(rep, subject->near),
		.far = keep_end(rep, subject->far),
	};
}

static const char *keep_vprintf(struct ibc_report *rep, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));
static const char *keep_vprintf(struct ibc_report *rep, const char *format, va_list ap)
{
	const char *text = arena_vprintf(rep->arena, format, ap);

	rep->failed = rep->failed || !text;
	return report_keep(rep, text);
}

void ibc_report_vadd(struct ibc_report *rep, const char *check, enum ibc_severity severity,
                     const struct ibc_subject *subject, const char *message, va_list ap)
{
	struct ibc_finding *f;

	rep->failed = rep->failed ||
	              !grow(&rep->findings, rep->num_findings, &rep->room_findings, sizeof(*f));
	if (rep->failed)
		return;
	rep->finished = false;
	f = &rep->findings[rep->num_findings++];
	memset(f, 0, sizeof(*f));
	f->check = report_intern(rep, check);
	f->severity = severity;
	f->subject = keep_subject(rep, subject);
	f->message = keep_vprintf(rep, message, ap);
}

void report_began(struct ibc_report *rep, time_t since)
{
	struct ibc_finding *f = last_finding(rep);

	if (f)
		f->since = since;
}

void report_doubt(struct ibc_report *rep, const char *what_says_otherwise)
{
	struct ibc_finding *f = last_finding(rep);

	if (!f)
		return;
	f->doubtful = true;
	if (f->severity == IBC_UNKNOWN)
		return;
	f->severity = IBC_UNKNOWN;
	f->message = arena_printf(rep->arena, "%s, unless %s says otherwise", f->message,
	                          what_says_otherwise);
	rep->failed |= !f->message;
}

void ibc_report_add(struct ibc_report *rep, const char *check, enum ibc_severity severity,
                    const struct ibc_subject *subject, const char *message, ...)
{
	va_list ap;

	va_start(ap, message);
	ibc_report_vadd(rep, check, severity, subject, message, ap);
	va_end(ap);
}

void ibc_report_vadvise(struct ibc_report *rep, const char *advice, va_list ap)
{
	struct ibc_finding *f = last_finding(rep);

	if (f && !f->doubtful)
		f->advice = keep_vprintf(rep, advice, ap);
}

void ibc_report_advise(struct ibc_report *rep, const char *advice, ...)
{
	va_list ap;

	va_start(ap, advice);
	ibc_report_vadvise(rep, advice, ap);
	va_end(ap);
}

/* An array with room for one more; its size doubles, so it is full at powers of two. */
static void *room_for_one(struct ibc_report *rep, const void *array, size_t n, size_t size)
{
	void *more;

	if (n & (n - 1))
		return (void *)array;
	more = arena_array(rep->arena, n ? 2 * n : 1, size);
	if (!more)
		rep->failed = true;
	else if (n)
		memcpy(more, array, n * size);
	return more;
}

void ibc_report_fact(struct ibc_report *rep, const char *key, struct ibc_value value)
{
	struct ibc_finding *f = last_finding(rep);
	struct ibc_fact *facts;

	if (!f)
		return;
	facts = room_for_one(rep, f->facts, f->num_facts, sizeof(*facts));
	if (!facts)
		return;
	facts[f->num_facts].key = report_intern(rep, key);
	facts[f->num_facts++].value = report_keep_value(rep, value);
	f->facts = facts;
}

void ibc_report_relate(struct ibc_report *rep, enum ibc_role role,
                       const struct ibc_subject *subject)
{
	struct ibc_finding *f = last_finding(rep);
	struct ibc_related *related;

	if (!f)
		return;
	related = room_for_one(rep, f->related, f->num_related, sizeof(*related));
	if (!related)
		return;
	related[f->num_related].role = role;
	related[f->num_related++].subject = keep_subject(rep, subject);
	f->related = related;
}

void ibc_report_unanswered(struct ibc_report *rep, uint64_t queries)
{
	struct ibc_finding *f = last_finding(rep);

	if (f)
		f->unanswered += queries;
}

void ibc_report_case(struct ibc_report *rep, size_t case_no)
{
	struct ibc_finding *f = last_finding(rep);

	if (f)
		f->case_no = case_no;
}

void report_view(struct ibc_report *rep, size_t first, const struct ibc_subject *subject,
                 const char *message, const char *advice)
{
	struct view *view = rep->failed ? NULL : arena_alloc(rep->arena, sizeof(*view));

	if (!view) {
		rep->failed = true;
		return;
	}
	*view = (struct view){ .next = rep->views,
		               .first = first,
		               .n = rep->num_findings - first,
		               .subject = keep_subject(rep, subject),
		               .message = report_keep(rep, message),
		               .advice = report_keep(rep, advice) };
	rep->views = view;
}

/* ---- order ---------------------------------------------------------------- */

static int compare_ends(const struct ibc_end *a, const struct ibc_end *b)
{
	int order = order_u64(a->guid, b->guid);

	if (!order && !a->has_guid && !b->has_guid)
		order = strcmp(a->desc ? a->desc : "", b->desc ? b->desc : "");
	if (!order)
		order = order_u64(a->port, b->port);
	return order;
}

/* Equal findings stay in the order they were added. */
int compare_findings(const void *left, const void *right)
{
	const struct ibc_finding *a = *(const struct ibc_finding *const *)left;
	const struct ibc_finding *b = *(const struct ibc_finding *const *)right;
	return strcmp(a->check, b->check)
	           ?: compare_ends(&a->subject.near, &b->subject.near)
	           ?: compare_ends(&a->subject.far, &b->subject.far)
	           ?: strcmp(a->message, b->message)
	           ?: (a > b) - (a < b);
}

int ibc_report_finish(struct ibc_report *rep, struct ibc_error *err)
{
	if (rep->failed)
		return fail_nomem(err);
	free(rep->sorted);
	rep->sorted = xalloc(rep->num_findings * sizeof(*rep->sorted));
	if (!rep->sorted) {
		rep->failed = true;
		return fail_nomem(err);
	}
	for (size_t i = 0; i < rep->num_findings; i++) {
		rep->sorted[i] = &rep->findings[i];
		rep->findings[i].in_case = NULL;
	}
	qsort(rep->sorted, rep->num_findings, sizeof(*rep->sorted), compare_findings);
	rep->num_cases = 0;
	rep->finished = true;
	return 0;
}

const struct ibc_finding *ibc_report_finding(const struct ibc_report *rep, size_t i)
{
	if (i >= rep->num_findings)
		return NULL;
	return rep->finished ? rep->sorted[i] : &rep->findings[i];
}

const struct ibc_case *ibc_report_case_at(const struct ibc_report *rep, size_t i)
{
	return i < rep->num_cases ? &rep->cases[i] : NULL;
}

const struct ibc_case *ibc_report_gone_at(const struct ibc_report *rep, size_t i)
{
	return i < rep->num_gone ? &rep->gone[i] : NULL;
}

const char *end_name(const struct ibc_end *end, char buf[END_NAME_MAX])
{
	if (end->label && *end->label)
		return end->label;
	if (end->desc && *end->desc)
		return end->desc;
	return end->has_guid ? str_from_guid(buf, end->guid) : "?";
}
