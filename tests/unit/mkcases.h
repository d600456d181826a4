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
#include "mkroutes.h"

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

/* struct swept - what the checks of a site look at, and what they say */
struct swept {
	struct ibc_fabric *planned, *before, *now;
	struct ibc_comparison *cmp;
	struct ibc_fattree *tree;
	struct ibc_routes *routes;
	struct ibc_input in;
	struct ibc_report *rep;
};

/* Those checks; without cases.  Since the earlier sweep, or in total. */
static inline struct swept sweep_site_for(struct site s, const char *selection, bool totals)
{
	struct swept w = { .routes = NULL };

	s.before.subnet->time = 1000000;
	s.now.subnet->time = s.before.subnet->time + HOUR;
	w.planned = done(s.planned);
	w.before = done(s.before);
	w.now = done(s.now);
	assert_int_equal(ibc_compare(w.planned, w.now, NULL, &w.cmp, NULL), 0);
	assert_int_equal(ibc_fattree_infer(w.now, NULL, &w.tree, NULL), 0);
	if (strstr(selection, "routes"))
		w.routes = analyze(w.now, 1);
	w.in = (struct ibc_input){ .fabric = w.now,
		                   .before = totals ? NULL : w.before,
		                   .totals = totals,
		                   .comparison = w.cmp,
		                   .fattree = w.tree,
		                   .routes = w.routes };
	assert_int_equal(ibc_report_new(&w.rep, NULL), 0);
	assert_int_equal(ibc_check_run(&w.in, selection, w.rep, NULL), 0);
	assert_int_equal(ibc_report_finish(w.rep, NULL), 0);
	return w;
}

/* All checks of fabrics but those of routes. */
static inline struct swept sweep_site(struct site s)
{
	return sweep_site_for(s, "port,counters,topo,fattree,sm", false);
}

static inline void swept_free(struct swept *w)
{
	ibc_routes_free(w->routes);
	ibc_fattree_free(w->tree);
	ibc_comparison_free(w->cmp);
	ibc_fabric_free(w->planned);
	ibc_fabric_free(w->before);
	ibc_fabric_free(w->now);
}

/* Its report, with cases. */
static inline struct ibc_report *report_of_site(struct site s)
{
	struct swept w = sweep_site(s);

	assert_int_equal(ibc_cases_find(&w.in, ibc_check_find, w.rep, NULL), 0);
	swept_free(&w);
	return w.rep;
}

static inline void expect_cases_of(struct ibc_report *rep, const char *lines)
{
	char *text = cases_text(rep, false);

	assert_string_equal(text, lines);
	free(text);
	ibc_report_free(rep);
}

static inline void expect_cases(struct site s, const char *lines)
{
	expect_cases_of(report_of_site(s), lines);
}

#endif
