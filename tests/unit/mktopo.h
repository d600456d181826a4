/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKTOPO_H
#define MKTOPO_H

/*
 * What the checks of a plan say of a small tree, with their remedies:
 *
 *	expect_topo(mk_tree(), found, "critical leaf01/3 - spine01/1: is missing; ...\n"
 *				      "  fix: Connect leaf01/3 with spine01/1; ...\n");
 *
 * Include it after <cmocka.h>.
 */
#include <ibcheck/topo.h>

#include "findings.h"

#define LEAF(i)  (0x10u + (i))
#define SPINE(i) (0x20u + (i))
#define HOST(i)  (0x30u + (i))

/*
 * Two leaves with two hosts each, on ports 1 and 2, and two spines: leaf i has spine k at
 * port 2 + k, spine k has leaf i at port i.
 */
static inline struct mkfab mk_bare_tree(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, LEAF(1), "leaf01", 8);
	mk_switch(m, LEAF(2), "leaf02", 8);
	mk_switch(m, SPINE(1), "spine01", 8);
	mk_switch(m, SPINE(2), "spine02", 8);
	mk_ca(m, HOST(1), "host01 mlx5_0", 1);
	mk_ca(m, HOST(2), "host02 mlx5_0", 1);
	mk_ca(m, HOST(3), "host03 mlx5_0", 1);
	mk_ca(m, HOST(4), "host04 mlx5_0", 1);
	return m;
}

/* Its cables, but for those whose ends at a leaf are listed as 103 for leaf01/3; 0 ends. */
#define ALL        0
#define AT(i, num) ((i)*100 + (num))
static inline struct mkfab mk_tree_without(const unsigned int *out)
{
	struct mkfab m = mk_bare_tree();

	for (unsigned int i = 1; i <= 2; i++) {
		for (unsigned int num = 1; num <= 4; num++) {
			const unsigned int *o = out;

			while (*o && *o != AT(i, num))
				o++;
			if (*o)
				continue;
			if (num <= 2)
				cable(m, LEAF(i), num, HOST(2 * i - 2 + num), 1);
			else
				cable(m, LEAF(i), num, SPINE(num - 2), i);
		}
	}
	return m;
}
#define WITHOUT(...) mk_tree_without((const unsigned int[]){ __VA_ARGS__, 0 })

static inline struct mkfab mk_tree(void)
{
	return WITHOUT(ALL);
}

/* Runs a selection over both, and frees them: findings may not point into them. */
static inline struct ibc_report *topo_report(struct mkfab planned, struct mkfab found,
                                             const char *selection)
{
	struct ibc_fabric *plan = done(planned), *fab = done(found);
	struct ibc_comparison *cmp;
	struct ibc_report *rep;

	assert_int_equal(ibc_compare(plan, fab, NULL, &cmp, NULL), 0);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&(struct ibc_input){ .fabric = fab, .comparison = cmp },
	                               selection, rep, NULL),
	                 0);
	ibc_comparison_free(cmp);
	ibc_fabric_free(plan);
	ibc_fabric_free(fab);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static inline void expect_topo(struct mkfab planned, struct mkfab found, const char *lines)
{
	struct ibc_report *rep = topo_report(planned, found, "topo");
	const struct ibc_finding *f;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		print_finding(out, f);
		if (f->advice)
			fprintf(out, "  fix: %s\n", f->advice);
	}
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, lines);
	free(text);
	ibc_report_free(rep);
}

#endif
