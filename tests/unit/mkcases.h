/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKCASES_H
#define MKCASES_H

/*
 * A fabric as it was planned, as it was an hour ago, and as it is, and the cases of it:
 *
 *	struct site s = site();
 *
 *	count(s.now, LEAF(1), 1, IBC_SYMBOL_ERROR, 57);
 *	expect_cases(s, "warning leaf01/1 - host01 mlx5_0/1, 1 of 1: SymbolErrorCounter ...\n");
 *
 * Include it after <cmocka.h>; it brings mkplan.h and mkcount.h.
 */
#include <ibcheck/case.h>
#include <ibcheck/fattree.h>
#include <ibcheck/topo.h>

#include "mkcount.h"
#include "mkplan.h"

struct site {
	struct mkfab planned, before, now;
};

static inline struct mkfab mk_counting_plan(const unsigned int *out)
{
	struct mkfab m = mk_cabled(mk_uncabled(), out);

	mk_all_counting(m);
	return m;
}

/* A fabric that lacks cables at these ports of leaves (AT()). */
#define site_without(...) site_of((const unsigned int[]){ __VA_ARGS__, 0 })
static inline struct site site_of(const unsigned int *out)
{
	static const unsigned int all[] = { 0 };

	return (struct site){
		.planned = mk_cabled(mk_uncabled(), all),
		.before = mk_counting_plan(out),
		.now = mk_counting_plan(out),
	};
}

static inline struct site site(void)
{
	return site_without(0);
}

/* The report of all checks of fabrics, with its cases. */
static inline struct ibc_report *report_of_site(struct site s)
{
	struct ibc_fabric *planned = done(s.planned), *before, *now;
	struct ibc_input in = { .fabric = NULL };
	struct ibc_comparison *cmp;
	struct ibc_fattree *tree;
	struct ibc_report *rep;

	s.before.subnet->time = 1000000;
	s.now.subnet->time = s.before.subnet->time + HOUR;
	in.before = before = done(s.before);
	in.fabric = now = done(s.now);
	assert_int_equal(ibc_compare(planned, now, NULL, &cmp, NULL), 0);
	assert_int_equal(ibc_fattree_infer(now, NULL, &tree, NULL), 0);
	in.comparison = cmp;
	in.fattree = tree;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "port,counters,topo,fattree,sm", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_at, rep, NULL), 0);
	ibc_fattree_free(tree);
	ibc_comparison_free(cmp);
	ibc_fabric_free(planned);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
	return rep;
}

/* "warning leaf01, 2 of 3: ...", members and findings; those that only inform are left out. */
static inline char *cases_text(const struct ibc_report *rep)
{
	const struct ibc_case *c;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; (c = ibc_report_case_at(rep, i)); i++) {
		if (c->severity <= IBC_INFO)
			continue;
		fprintf(out, "%s %s ", ibc_severity_word(c->severity)->word, (*c->findings)->check);
		if (c->subject.kind == IBC_SUBJECT_FABRIC)
			fputs("fabric", out);
		else
			print_end(out, &c->subject.near);
		fprintf(out, ", %zu of %zu: %s\n", c->num_members, c->num_findings, c->message);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

static inline void expect_cases_of(struct ibc_report *rep, const char *lines)
{
	char *text = cases_text(rep);

	assert_string_equal(text, lines);
	free(text);
	ibc_report_free(rep);
}

static inline void expect_cases(struct site s, const char *lines)
{
	expect_cases_of(report_of_site(s), lines);
}

#endif
