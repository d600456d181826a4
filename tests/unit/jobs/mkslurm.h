/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKSLURM_H
#define MKSLURM_H

/*
 * The tree for Slurm of a fabric, as lines of topology.conf, and what checks say of such a file.
 * Include it after <cmocka.h>.
 */
#include <ibcheck/hostlist.h>
#include <ibcheck/slurm.h>

#include "findings.h"
#include "source/jobs/slurmconf.h"
#include "source/source.h"

/* struct mkslurm - ended by mkslurm_free() */
struct mkslurm {
	struct ibc_fabric *fab;
	struct ibc_fattree *tree;
	struct ibc_slurm *slurm;
};

static inline struct mkslurm mkslurm(struct ibc_fabric *fab, const struct ibc_slurm_opts *opts)
{
	const struct ibc_slurm_opts all = { 0 };
	struct mkslurm m = { .fab = fab };

	assert_int_equal(ibc_fattree_infer(fab, NULL, &m.tree, NULL), 0);
	assert_int_equal(ibc_slurm_make(m.tree, opts ? opts : &all, &m.slurm, NULL), 0);
	return m;
}

static inline void mkslurm_free(struct mkslurm *m)
{
	ibc_slurm_free(m->slurm);
	ibc_fattree_free(m->tree);
	ibc_fabric_free(m->fab);
}

/* "leaf01: host[1-2]\n"; to be freed. */
static inline char *slurm_text(const struct ibc_slurm *slurm)
{
	const struct ibc_slurm_switch *line;
	char *text = NULL, *names;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; (line = ibc_slurm_switch(slurm, i)); i++) {
		names = ibc_hostlist_fold(line->children, line->num_children);
		fprintf(out, "%s: %s\n", line->name, names);
		free(names);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Exactly these lines are made of it, and all is freed. */
static inline void expect_lines(struct ibc_fabric *fab, const struct ibc_slurm_opts *opts,
                                const char *lines)
{
	struct mkslurm m = mkslurm(fab, opts);
	char *text = slurm_text(m.slurm);

	assert_string_equal(text, lines);
	free(text);
	mkslurm_free(&m);
}

static inline struct ibc_slurm_file *slurm_file(const char *text)
{
	struct ibc_slurm_file *file;
	struct text_file *f;

	assert_int_equal(text_open_bytes("topology.conf", text, strlen(text), &f, NULL), 0);
	assert_int_equal(slurm_read_text(f, &file, NULL), 0);
	text_close(f);
	return file;
}

/* Of a file, or of what is to be written (NULL); all is freed. */
static inline void expect_of_file(struct ibc_fabric *fab, const struct ibc_slurm_opts *opts,
                                  const char *text, const char *lines)
{
	struct mkslurm m = mkslurm(fab, opts);
	struct ibc_slurm_file *file = text ? slurm_file(text) : NULL;
	struct ibc_input in = { .fabric = fab, .slurm = m.slurm, .slurm_file = file };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, text ? "slurm" : "slurm.hosts", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	ibc_slurm_file_free(file);
	mkslurm_free(&m);
	expect_of(rep, lines);
}

#endif
