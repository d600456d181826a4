/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FINDINGS_H
#define FINDINGS_H

/*
 * What checks say of a tiny fabric, as lines to compare:
 *
 *	expect(m, "port.width", "warning leaf01/1 - host01/1: runs at 1x, ...\n");
 *
 * Include it after <cmocka.h>; it brings mkfab.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ibcheck/check.h>
#include <ibcheck/report.h>

#include "mkfab.h"

/* Runs a selection over m, and frees the fabric: findings may not point into it. */
static inline struct ibc_report *report_of(struct mkfab m, const char *selection,
                                           const struct ibc_config *config)
{
	struct ibc_fabric *fab = done(m);
	struct ibc_input in = { .fabric = fab, .config = config };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	ibc_fabric_free(fab);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static inline void print_end(FILE *out, const struct ibc_end *end)
{
	fputs(end->label ? end->label : end->desc, out);
	if (end->has_port)
		fprintf(out, "/%u", end->port);
}

static inline void print_finding(FILE *out, const struct ibc_finding *f)
{
	fprintf(out, "%s ", ibc_severity_word(f->severity)->word);
	if (f->subject.kind == IBC_SUBJECT_FABRIC)
		fputs("fabric", out);
	else
		print_end(out, &f->subject.near);
	if (f->subject.kind == IBC_SUBJECT_CABLE) {
		fputs(" - ", out);
		print_end(out, &f->subject.far);
	}
	fprintf(out, ": %s\n", f->message);
}

/* To be freed by the caller. */
static inline char *findings_text(const struct ibc_report *rep)
{
	const struct ibc_finding *f;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		print_finding(out, f);
	assert_int_equal(fclose(out), 0);
	return text;
}

/*
 * "warning port.width leaf01/1, 2 of 3: ...", members and findings; or each with its remedy.  Those
 * that only inform are left out.
 */
static inline char *cases_text(const struct ibc_report *rep, bool remedies)
{
	const struct ibc_case *c;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; (c = ibc_report_case_at(rep, i)); i++) {
		if (c->severity <= IBC_INFO)
			continue;
		fprintf(out, "%s %s ", ibc_severity_word(c->severity)->word, c->check);
		if (c->subject.kind == IBC_SUBJECT_FABRIC)
			fputs("fabric", out);
		else
			print_end(out, &c->subject.near);
		if (remedies)
			fprintf(out, ": %s\n  fix: %s\n", c->message, c->advice);
		else
			fprintf(out, ", %zu of %zu: %s\n", c->num_members, c->num_findings,
			        c->message);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

static inline void expect_of(struct ibc_report *rep, const char *lines)
{
	char *text = findings_text(rep);

	assert_string_equal(text, lines);
	free(text);
	ibc_report_free(rep);
}

/* The selection says exactly this of m, line by line; "" for nothing. */
static inline void expect(struct mkfab m, const char *selection, const char *lines)
{
	expect_of(report_of(m, selection, NULL), lines);
}

/* A leaf switch (GUID 1, ports 1 .. hosts for hosts) with so many hosts (GUIDs from 0x101). */
static inline struct mkfab mk_leaf(unsigned int hosts)
{
	struct mkfab m = mkfab();
	char name[32];

	mk_switch(m, 1, "leaf01", hosts + 4);
	for (unsigned int i = 1; i <= hosts; i++) {
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, 0x100 + i * 16, name, 1);
		cable(m, 1, i, 0x100 + i * 16, 1);
	}
	return m;
}
/* The GUID of host i (from 1), and its port. */
static inline uint64_t host(unsigned int i)
{
	return 0x100 + i * 16;
}

#endif
