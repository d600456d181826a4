/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Between the files of the command serve. */
#include <pthread.h>
#include <time.h>

#include "again.h"
#include "web.h"

struct serve_cfg {
	struct all_cfg all;
	const char *listen;
	double interval;
	bool insecure;
};

/*
 * struct serve - both threads
 * @app: as it was started
 * @state: the directory, or NULL
 * @lock: of what follows it
 * @wake: stop or reload may have changed
 * @problem: why the last round gave no sample, or ""
 * @sampled, @sampled_at: when the last sample was whole: the time, and by clock_seconds()
 * @began: when the round that runs began; 0: none does
 * @interval: seconds
 * @failed: what ended it: a mistake in what was asked for
 */
struct serve {
	const struct app *app;
	const char *state;
	struct again *again;
	struct web *web;
	pthread_t sampler;
	int held; /* the state directory; -1: none */

	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct ibc_error problem;
	time_t sampled;
	double sampled_at, began, interval, took;
	enum ibc_severity verdict;
	uint64_t rounds, failures;
	int failed;

	double made_at; /* the past of a thing was read; of the thread that serves */
};

/* ---- serve_paths.c: what is served -------------------------------------------------------- */

/* What each sample becomes, in the order of the paths that keep something. */
enum { BODY_METRICS, BODY_JSON, BODY_PAGE, BODY_INCIDENTS, BODY_TOP, BODIES };

/* Of the last round, which gets more tables by that. */
int render_sample(const struct serve *s, struct app *app, struct kept *bodies[BODIES],
                  struct ibc_error *err);
/* ctx: the struct serve */
extern const struct web_path serve_paths[];
void describe_event(void *ctx, FILE *out);

extern const struct cmd cmd_history;

/* live/: the page around the report, which renews it */
extern const char page_index_html[], page_live_css[], page_live_js[];
