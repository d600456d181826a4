/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKRENDER_H
#define MKRENDER_H

/*
 * Reports rendered, and what becomes of them:
 *
 *	struct ibc_report *rep = mkreport();
 *
 *	add_swap(rep);
 *	assert_contains(rep, "text", &verbose, "topo.swapped");
 */
#include <sys/wait.h>
#include <unistd.h>

#include "mkreport.h"

/* The tests run in a directory of their own; this is where they came from. */
static char top[4096], own[] = "/tmp/ibcheck-render-XXXXXX";

static inline int enter(void **state)
{
	(void)state;
	return getcwd(top, sizeof(top)) && mkdtemp(own) ? chdir(own) : -1;
}

static inline int leave(void **state)
{
	(void)state;
	unlink("known.txt");
	unlink("report.json");
	unlink("report.xml");
	return chdir(top) || rmdir(own);
}

/* Finishes the report, renders it, frees it; the text is the caller's. */
static inline char *rendered(struct ibc_report *rep, const char *format,
                             const struct ibc_render_opts *opts)
{
	struct ibc_error err = { "" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	mkfinished(rep);
	if (ibc_report_render(rep, format, opts, out, &err))
		fail_msg("%s", err.text);
	assert_int_equal(fclose(out), 0);
	ibc_report_free(rep);
	return text;
}

static inline void assert_rendered(struct ibc_report *rep, const char *format,
                                   const struct ibc_render_opts *opts, const char *expected)
{
	char *text = rendered(rep, format, opts);

	assert_string_equal(text, expected);
	free(text);
}

static inline void assert_contains(struct ibc_report *rep, const char *format,
                                   const struct ibc_render_opts *opts, const char *expected)
{
	char *text = rendered(rep, format, opts);

	if (!strstr(text, expected))
		fail_msg("no \"%s\" in:\n%s", expected, text);
	free(text);
}

static const struct ibc_render_opts verbose = { .verbose = true };
static const struct ibc_render_opts one_screen = { .one_screen = true };

static const struct ibc_word linkup = { "linkup", "LinkUp" };

/* Says that a finding is known, as a line "port.width LINE" of a file would. */
static inline void accept_finding(struct ibc_report *rep, const char *line)
{
	FILE *file = fopen("known.txt", "w");

	assert_non_null(file);
	fprintf(file, "%s\n", line);
	fclose(file);
	assert_int_equal(ibc_report_known(rep, "known.txt", "2026-01-31", NULL, NULL, NULL), 0);
}

static inline void add_slow(struct ibc_report *rep)
{
	struct ibc_subject cable = mkcable(mkend(11, "leaf11", 25), mkend(108, "spine08", 11));

	ibc_report_add(rep, "topo.slow", IBC_WARNING, &cable,
	               "trained 4x FDR (54.5 Gb/s), planned 4x EDR (100 Gb/s)");
	ibc_report_advise(rep, "reseat, then replace the cable");
	ibc_report_fact(rep, "found_gbps", ibc_real(54.5));
	ibc_report_fact(rep, "state", ibc_enum(&linkup));
}

static inline void add_swap(struct ibc_report *rep)
{
	struct ibc_end leaf3 = mkend(3, "leaf03", 19), leaf7 = mkend(7, "leaf07", 20);
	struct ibc_end spine1 = mkend(101, "spine01", 7), spine2 = mkend(102, "spine02", 3);
	struct ibc_subject first = mkcable(leaf3, spine2), second = mkcable(leaf7, spine1);
	struct ibc_subject planned = mkcable(leaf3, mkend(101, "spine01", 3));

	ibc_report_add(rep, "topo.swapped", IBC_CRITICAL, &first,
	               "two cables are exchanged: leaf03/19 belongs on spine01/3");
	ibc_report_advise(rep, "exchange the two plugs at spine01/7 and spine02/3.");
	ibc_report_relate(rep, IBC_ROLE_FOUND, &second);
	ibc_report_relate(rep, IBC_ROLE_PLANNED, &planned);
}

static const struct ibc_column columns[] = {
	COLUMN(0, "node_guid", NULL),   COLUMN(1, "node", "NODE"),
	COLUMN(2, "port", "PORT"),      COLUMN(3, "state", "STATE"),
	COLUMN(4, "rate_gbps", "Gb/s"), COLUMN(5, "split", "SPLIT"),
	COLUMN(6, "peer", "PEER"),      { 0 },
};
static const struct ibc_table_type plugs = { "plugs", columns, NULL, NULL, NULL };
static const struct ibc_table_type empty = { "empty", columns, NULL, NULL, NULL };

static const struct ibc_column one_column[] = { COLUMN(0, "n", "N"), { 0 } };
static const struct ibc_table_type one = { "t", one_column, NULL, NULL, NULL };

static const struct ibc_column two_columns[] = { COLUMN(0, "a", "A"), COLUMN(1, "b", "B"), { 0 } };
static const struct ibc_table_type two = { "t", two_columns, NULL, NULL, NULL };

static inline void add_table(struct ibc_report *rep)
{
	struct ibc_table *t = ibc_report_table(rep, &plugs);

	ibc_table_row(t, (struct ibc_value[]){ ibc_guid(0x2c9), ibc_str("leaf03"), ibc_u64(1),
	                                       ibc_enum(&linkup), ibc_real(54.5), ibc_bool(true),
	                                       ibc_str("spine01/3") });
	ibc_table_row(t,
	              (struct ibc_value[]){ ibc_guid(0x2c9), ibc_str("caf\xc3\xa9"), ibc_u64(12),
	                                    ibc_none(), ibc_none(), ibc_bool(false), ibc_none() });
	ibc_table_row(t, (struct ibc_value[]){ ibc_guid(UINT64_MAX), ibc_str("\xe6\xa9\x9f"),
	                                       ibc_u64(3), ibc_enum(&linkup), ibc_real(100),
	                                       ibc_none(), ibc_str("") });
}

static inline void add_gaps(struct ibc_report *rep)
{
	ibc_report_cover(rep, "NodeInfo", &(struct ibc_coverage){ .asked = 9, .answered = 9 });
	ibc_report_cover(rep, "PortInfo", &(struct ibc_coverage){ 2593, 2581, 0, 3, 9 });
	ibc_report_cover(rep, "SwitchInfo",
	                 &(struct ibc_coverage){ .asked = 54, .answered = 53, .timed_out = 1 });
	ibc_report_not_asked(rep, 30);
	ibc_report_skip(rep, "port.vl", "a.net does not tell PortInfo");
	ibc_report_skip(rep, "port.mtu", NULL);
}

/* One of everything. */
static inline struct ibc_report *full_report(void)
{
	static const char *const arguments[] = { "topo", "-v", NULL };
	static const struct ibc_sweep sweep = { .sent = 9123,
		                                .answered = 9000,
		                                .peak_in_flight = 128,
		                                .rtt_p50_us = 31,
		                                .rtt_p99_us = 90 };
	struct ibc_subject node = mknode(9, "host09 <&\"'> | \xef\xbf\xbe");
	struct ibc_report *rep = mkreport();

	ibc_report_set_meta(rep, &(struct ibc_report_meta){ .time = 1769860800,
	                                                    .host = "head",
	                                                    .command = "topo",
	                                                    .arguments = arguments,
	                                                    .source_kind = "umad",
	                                                    .source_ca = "mlx5_0",
	                                                    .source_port = 1,
	                                                    .duration_seconds = 0.12,
	                                                    .headline = "702 nodes, 54 switches" });
	add_slow(rep);
	add_swap(rep);
	ibc_report_add(rep, "port.silent", IBC_UNKNOWN, &node, "does not answer | at all");
	ibc_report_unanswered(rep, 13);
	ibc_report_add(rep, "port.width", IBC_WARNING, &node, "is known");
	accept_finding(rep, "port.width * 2026-12-31 alice is on order");
	ibc_report_ran(rep, "port.width");
	ibc_report_ran(rep, "port.state");
	accept_finding(rep, "port.width nothing 2026-12-31 alice r");
	accept_finding(rep, "topo.slow * 2026-01-01 bob was on order");
	ibc_report_sum(rep, "nodes", 702);
	ibc_report_sum(rep, "switches", 54);
	ibc_report_sum(rep, "links", 1296);
	ibc_report_sum(rep, "subnets", 1);
	add_gaps(rep);
	ibc_report_mads(rep, &sweep);
	add_table(rep);
	ibc_report_table(rep, &empty);
	return rep;
}

static inline struct ibc_report *partly_shown(struct ibc_show show)
{
	struct ibc_report *rep = mkreport();

	add_slow(rep);
	add_swap(rep);
	mkfinding(rep, "a.a", IBC_INFO, 1);
	mkfinished(rep);
	ibc_report_show(rep, &show);
	return rep;
}

/* leaf03 does not answer: two of its ports say so, and what cannot be reached behind it. */
static inline struct ibc_report *report_with_a_case(void)
{
	struct ibc_report *rep = mkreport();
	struct ibc_case cases[2];

	mkfinding(rep, "a.silent", IBC_CRITICAL, 1);
	mkfinding(rep, "a.silent", IBC_CRITICAL, 2);
	mkfinding(rep, "b.unread", IBC_UNKNOWN, 2);
	mkfinding(rep, "b.unread", IBC_UNKNOWN, 3);
	mkfinding(rep, "c.cut-off", IBC_WARNING, 3);
	mkfinding(rep, "z.else", IBC_WARNING, 9);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	cases[0] = mkcase(rep, 0, 5, 2);
	cases[0].subject = mknode(1, "leaf03");
	cases[0].message = "does not answer";
	cases[0].advice = "look at its power";
	cases[0].trait = "switch leaf03";
	cases[1] = mkcase(rep, 5, 1, 1);
	mkcases(rep, cases, 2);
	return rep;
}

#endif
