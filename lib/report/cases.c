/* SPDX-License-Identifier: BSD-2-Clause */
/* What the cases of a report come to, and whose findings they are. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/report.h"

bool case_is_known(const struct ibc_case *c)
{
	return c->known && !c->known->expired;
}

bool leads_case(const struct ibc_finding *f)
{
	return f->in_case->findings[0] == f;
}

/* The dearer first. */
static int compare_costs(const struct ibc_cost *a, const struct ibc_cost *b)
{
	const double values[][2] = { { b->whole, a->whole },
		                     { (double)b->hosts, (double)a->hosts },
		                     { b->gbps, a->gbps },
		                     { b->errors_per_second, a->errors_per_second },
		                     { b->errors, a->errors } };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (values[i][0] < values[i][1] || values[i][0] > values[i][1])
			return values[i][0] < values[i][1] ? -1 : 1;
	return 0;
}

/* What costs the same: the oldest first, then by what was found, as findings are sorted. */
int compare_cases(const void *left, const void *right)
{
	const struct ibc_case *a = left, *b = right;
	int order = order_u64(b->severity, a->severity) ?: compare_costs(&a->cost, &b->cost);

	if (!order) /* of an unknown beginning: 0, after all others */
		order = order_u64((uint64_t)a->since - 1, (uint64_t)b->since - 1);
	if (!order && a->num_findings && b->num_findings)
		order = compare_findings(&a->findings[0], &b->findings[0]);
	return order ? order : strcmp(a->id, b->id);
}

bool case_is_hidden(const struct ibc_case *c)
{
	for (size_t i = 0; i < c->num_findings; i++)
		if (!c->findings[i]->hidden)
			return false;
	return true;
}

bool case_is_elsewhere(const struct ibc_case *c)
{
	for (size_t i = 0; i < c->num_findings; i++)
		if (!c->findings[i]->elsewhere)
			return false;
	return c->num_findings;
}

size_t report_count_cases(const struct ibc_report *rep, enum ibc_severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < rep->num_cases; i++)
		n += rep->cases[i].severity == severity && !case_is_known(&rep->cases[i]);
	return n;
}

size_t report_count_elsewhere(const struct ibc_report *rep, enum ibc_severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < rep->num_cases; i++)
		n += rep->cases[i].severity == severity && !case_is_known(&rep->cases[i]) &&
		     case_is_elsewhere(&rep->cases[i]);
	return n;
}

size_t report_count_known_cases(const struct ibc_report *rep)
{
	size_t n = 0;

	for (size_t i = 0; i < rep->num_cases; i++)
		n += case_is_known(&rep->cases[i]) && !case_is_elsewhere(&rep->cases[i]);
	return n;
}

size_t report_count_shown_gone(const struct ibc_report *rep)
{
	return rep->num_gone - rep->num_gone_hidden;
}

size_t report_count_hidden_cases(const struct ibc_report *rep)
{
	size_t n = rep->num_gone_hidden;

	for (size_t i = 0; i < rep->num_cases; i++)
		n += case_is_hidden(&rep->cases[i]) && !case_is_elsewhere(&rep->cases[i]);
	return n;
}

static void link_case(struct ibc_report *rep, struct ibc_case *c)
{
	c->check = c->findings[0]->check;
	for (size_t i = 0; i < c->num_findings; i++) {
		struct ibc_finding *f = report_own_finding(rep, c->findings[i]);

		f->in_case = c;
		f->follows = i >= c->num_members;
	}
}

void report_sort_cases(struct ibc_report *rep)
{
	if (rep->num_cases)
		qsort(rep->cases, rep->num_cases, sizeof(*rep->cases), compare_cases);
	for (size_t i = 0; i < rep->num_cases; i++)
		link_case(rep, &rep->cases[i]);
}

bool report_cases_made(struct ibc_report *rep)
{
	for (size_t i = 0; i < rep->num_cases; i++)
		link_case(rep, &rep->cases[i]);
	return report_stale_cases(rep) && !ibc_report_finish(rep, NULL);
}
