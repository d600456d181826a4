/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <errno.h>

#include <ibcheck/case.h>
#include <ibcheck/check.h>
#include <ibcheck/fattree.h>
#include <ibcheck/routes.h>

#include "fabric/build.h"
#include "model/swept.h"
#include "source/source.h"

struct ibc_source_opts swept_opts(bool all)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;

	if (all)
		opts.needs = ibc_check_needs(ibc_check_select(SWEPT_CHECKS, NULL));
	return opts;
}

struct ibc_fabric *swept_real(const char *spec)
{
	struct ibc_source_opts opts = swept_opts(true);
	struct fabric_build *b;
	struct ibc_fabric *fab;

	assert(fabric_build_new(&b, NULL) == 0);
	assert(source_synth(spec, &opts, b, NULL) == 0);
	assert(fabric_build_finish(b, &fab, NULL) == 0);
	return fab;
}

int swept(struct line *line, const struct ibc_source_opts *opts, struct ibc_fabric **out,
          struct ibc_error *err)
{
	const struct transport_port from = { .ca = "sim0", .port = 1 };
	struct ibc_source_opts how = *opts;
	struct source_again again = { 0 };
	struct fabric_build *b;
	int rc;

	how.again = &again;
	do {
		again.wanted = false;
		assert(fabric_build_new(&b, err) == 0);
		rc = discover_subnet(line_transport(line), &from, "umad", &how, b, err);
		if (rc)
			fabric_build_free(b);
	} while (rc == -EAGAIN && again.wanted && ++again.pass);
	return rc ? rc : fabric_build_finish(b, out, err);
}

struct ibc_report *swept_report(const struct ibc_fabric *fab)
{
	const struct ibc_routes_opts following = { .threads = 1, .bisections = 2, .shifts = 2 };
	struct ibc_input in = { .fabric = fab, .totals = true };
	struct ibc_fattree *tree;
	struct ibc_routes *routes;
	struct ibc_report *rep;

	assert(ibc_fattree_infer(fab, NULL, &tree, NULL) == 0);
	assert(ibc_routes_analyze(fab, &following, &routes, NULL) == 0);
	in.fattree = tree;
	in.routes = routes;
	assert(ibc_report_new(&rep, NULL) == 0);
	assert(ibc_check_run(&in, SWEPT_CHECKS, rep, NULL) == 0);
	assert(ibc_report_finish(rep, NULL) == 0);
	assert(ibc_cases_find(&in, ibc_check_find, rep, NULL) == 0);
	ibc_routes_free(routes);
	ibc_fattree_free(tree);
	return rep;
}
