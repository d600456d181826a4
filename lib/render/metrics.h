/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Samples in the text format of Prometheus.  Labels are collected in w->line, so
 * that two samples with the same ones are recognised; one of them would make a
 * collector refuse the whole file.
 *
 *	begin_labels(w);
 *	put_label(w, "severity", "warning");
 *	put_number(w, &family, 3);
 */
#include "base/hash.h"
#include "render/writer.h"

/*
 * struct family - the samples of one metric
 * @prefix, @name, @suffix: its name, in parts; none is NULL
 * @headed: its heading is written: before the first sample, and only then
 */
struct family {
	const char *prefix, *name, *suffix;
	const char *help[2]; /* both end to end */
	const char *type;
	bool headed;
};

/* ---- labels ----------------------------------------------------------------- */

/* Sets what w->say does: the value of a label is being collected. */
void begin_labels(struct writer *w);
/* Or by hand: open_label(), any number of say()..., close_label(). */
void open_label(struct writer *w, const char *name);
void close_label(struct writer *w);
void put_label(struct writer *w, const char *name, const char *text);

/*
 * struct label_set - labels that several things may have in common
 * @count, @metric: for whoever made it; 0 at first
 */
struct label_set {
	const char *labels;
	uint64_t count;
	const struct ibc_metric *metric;
	UT_hash_handle hh;
};

/* struct label_sets - each once, in the order of their making */
struct label_sets {
	struct writer *w;
	struct arena *arena;
	struct label_set *first;
};
struct label_sets label_sets(struct writer *w);
void label_sets_free(struct label_sets *sets);
/* The set of the labels just collected; NULL, and the writer gives up, when out of memory. */
struct label_set *label_set(struct label_sets *sets);
struct label_set *label_set_next(const struct label_set *set);

/* ---- samples ---------------------------------------------------------------- */

/* With the labels just collected. */
void put_number(struct writer *w, struct family *f, uint64_t number);
void put_real(struct writer *w, struct family *f, double number);
/* With those of a set. */
void put_count(struct writer *w, struct family *f, const struct label_set *set);

/* The metrics of a table; how many rows were left out because others have the same labels. */
uint64_t put_metrics(struct writer *w, const struct ibc_table *t);
/* Those of plugins, as performance data: " pairs_broken=0". */
void put_plugin_metrics(struct writer *w, const struct ibc_table *t);
