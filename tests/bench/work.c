/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The same work every time, for tests/bench/guard to count the instructions of: each
 * count_ function below is one row.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ibcheck/case.h>
#include <ibcheck/check.h>
#include <ibcheck/fattree.h>
#include <ibcheck/routes.h>
#include <ibcheck/source.h>
#include <ibcheck/store.h>

#include "fabric/build.h"
#include "model/line.h"
#include "model/model.h"
#include "source/source.h"

#define FABRIC "synth:fattree:leaves=36,spines=18,hosts=18,cables=1"
#define TORUS  "synth:torus:size=8x8x8,hosts=1"
#define HYPERX "synth:hyperx:size=12x8,hosts=4"
#define FILE_  "fabric.snap" /* in the working directory, so that its name is as long everywhere */
#define STATE  "state"       /* likewise */
#define RTT_NS 50000

#define COUNTED static __attribute__((noinline)) void

static void must(bool did, const struct ibc_error *err)
{
	if (did)
		return;
	fprintf(stderr, "%s\n", err->text);
	exit(3);
}

static struct ibc_source_opts everything(void)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;

	opts.needs = ibc_attrs_or(ibc_attrs_of_group(IBC_ATTRS_COUNTERS),
	                          ibc_attrs_of_group(IBC_ATTRS_ROUTES));
	return opts;
}

static struct ibc_fabric *load(const char *spec)
{
	struct ibc_source_opts opts = everything();
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	must(!ibc_fabric_load(&spec, 1, &opts, &fab, &err), &err);
	return fab;
}

static void save(const struct ibc_fabric *fab)
{
	struct ibc_error err = { "" };
	FILE *out = fopen(FILE_, "w");

	must(out && !ibc_fabric_write(fab, "snapshot", out, &err) && !fclose(out), &err);
}

/* Every MAD is answered by the model, on a clock that is not of this world. */
COUNTED count_sweep(const struct ibc_fabric *real, struct model *model)
{
	const struct line_opts line_is = { .rtt_ns = RTT_NS, .whole = model_whole };
	const struct transport_port from = { .ca = "sim0", .port = 1 };
	struct line *line = line_new(&line_is, model_answer, model);
	struct ibc_source_opts opts = everything();
	struct ibc_error err = { "" };
	struct fabric_build *b;
	struct ibc_fabric *seen;

	must(!fabric_build_new(&b, &err), &err);
	must(!discover_subnet(line_transport(line), &from, "umad", &opts, b, &err), &err);
	must(!fabric_build_finish(b, &seen, &err), &err);
	if (ibc_fabric_count(seen).cables != ibc_fabric_count(real).cables)
		exit(3);
	ibc_fabric_free(seen);
	line_free(line);
}

COUNTED count_load(void)
{
	ibc_fabric_free(load(FILE_));
}

static void infer(const struct ibc_fabric *fab)
{
	struct ibc_error err = { "" };
	struct ibc_fattree *tree;

	must(!ibc_fattree_infer(fab, NULL, &tree, &err), &err);
	ibc_fattree_free(tree);
}

COUNTED count_fattree(const struct ibc_fabric *fab)
{
	infer(fab);
}

COUNTED count_lattice(const struct ibc_fabric *torus, const struct ibc_fabric *hyperx)
{
	infer(torus);
	infer(hyperx);
}

COUNTED count_routes(const struct ibc_fabric *fab)
{
	struct ibc_routes_opts opts = IBC_ROUTES_OPTS_INIT;
	struct ibc_error err = { "" };
	struct ibc_routes *routes;

	opts.threads = 1;
	must(!ibc_routes_analyze(fab, &opts, &routes, &err), &err);
	ibc_routes_free(routes);
}

/* What a state adds to a run: it is opened, what is expected is looked for, and all is written. */
static void remember(const struct ibc_fabric *fab)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_expect expects = IBC_EXPECT_INIT;
	const struct ibc_input in = { .fabric = fab };
	struct ibc_error err = { "" };
	struct ibc_fabric *before = NULL;
	const struct ibc_gone *gone;
	struct ibc_report *rep;
	struct ibc_store *store;

	must(!ibc_report_new(&rep, &err), &err);
	must(!ibc_store_open(STATE, fab, &opts, &store, &err), &err);
	ibc_store_sweep(store, &before, &err);
	must(!ibc_store_expect(store, before, &expects, &gone, &err), &err);
	ibc_check_expect(rep, gone);
	must(!ibc_check_run(&in, "gone", rep, &err), &err);
	must(!ibc_report_finish(rep, &err), &err);
	must(!ibc_cases_find(&in, ibc_check_find, rep, &err), &err);
	must(!ibc_store_record(store, &in, before, ibc_check_find, rep, &err), &err);
	must(!ibc_store_commit(store, &err), &err);
	ibc_store_free(store);
	ibc_report_free(rep);
	ibc_fabric_free(before);
}

COUNTED count_state(const struct ibc_fabric *fab)
{
	remember(fab);
}

int main(void)
{
	struct ibc_fabric *fab = load(FABRIC), *torus = load(TORUS), *hyperx = load(HYPERX);
	struct model *model;

	save(fab);
	model = model_new(fab, NULL);
	count_sweep(fab, model);
	count_load();
	count_fattree(fab);
	count_lattice(torus, hyperx);
	count_routes(fab);
	remember(fab);
	count_state(fab);
	model_free(model);
	ibc_fabric_free(torus);
	ibc_fabric_free(hyperx);
	ibc_fabric_free(fab);
	return 0;
}
