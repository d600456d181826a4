/* SPDX-License-Identifier: BSD-2-Clause */
/* What perftest prints, framed or not, with labels or without, and CSV. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/perfresult.h>

#include "base/arena.h"
#include "base/array.h"
#include "source/jobs/perfresults.h"
#include "source/source.h"

#define FRAME_OF(n, test)                                                                          \
	"# ibcheck-perf 1 round 2 server s client " n " rail 1 device mlx5_1/1 rate 200 pcie - "   \
	"test " test "\n"
#define BW(unit)                                                                                   \
	"                    RDMA_Write BW Test\n"                                                 \
	" #bytes     #iterations    BW peak[" unit "]    BW average[" unit "]   MsgRate[Mpps]\n"
#define DASHES "---------------------------------------\n"
#define END    "# ibcheck-perf end ok\n"

static struct ibc_perf_results *read_text(const char *text)
{
	struct ibc_perf_results *r;
	char *copy = strdup(text);
	struct text_file *f;

	assert_int_equal(ibc_perf_results_new(&r, NULL), 0);
	assert_int_equal(text_open_bytes("r", copy, strlen(copy), &f, NULL), 0);
	assert_int_equal(read_perf(f, r, NULL), 0);
	text_close(f);
	free(copy);
	return r;
}

/* "2 c/1 s/1 ib_write_bw 196 Gb/s; ..." and flaws behind "!" */
static const char *results_of(const char *text)
{
	static char out[2048];
	struct ibc_perf_results *r = read_text(text);
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < r->num; i++) {
		const struct ibc_perf_result *p = &r->all[i];
		const struct ibc_perf_end *c = &r->ends[p->client], *s = &r->ends[p->server];

		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%u %s/%s %s/%s %s",
		                      i ? "; " : "", p->round, c->host, c->rail, s->host, s->rail,
		                      p->test);
		if (p->value > 0)
			n += (size_t)snprintf(out + n, sizeof(out) - n, " %.4g%s%s%s", p->value,
			                      p->latency ? " us" : "", p->both_ways ? " both" : "",
			                      p->gpu ? " gpu" : "");
		if (p->status != IBC_PERF_MEASURED)
			n += (size_t)snprintf(out + n, sizeof(out) - n, " %s%s",
			                      ibc_perf_status_word(p->status)->word,
			                      p->by_server ? " by server" : "");
		if (p->why)
			n += (size_t)snprintf(out + n, sizeof(out) - n, " (%s)", p->why);
	}
	for (size_t i = 0; i < r->num_flaws; i++)
		n += (size_t)snprintf(out + n, sizeof(out) - n, "!%s", r->flaws[i]);
	ibc_perf_results_free(r);
	return out;
}

static void each_version_of_the_table_is_read(void **state)
{
	static const char *const texts[][2] = {
		{ FRAME_OF("c", "ib_write_bw") BW("Gb/sec") DASHES
		  " 65536 5000 0.00 196.40 0.37\n" DASHES END,
		  "2 c/1 s/1 ib_write_bw 196.4" },
		/* 2^20 bytes, whatever it is called, in two versions */
		{ FRAME_OF("c", "ib_write_bw")
		      BW("MB/sec") "65536\t5000\t0.00\t23413.00\t0.37\n" END,
		  "2 c/1 s/1 ib_write_bw 196.4" },
		{ FRAME_OF("c", "ib_write_bw") BW("MiB/sec") "65536 5000 0.00 23413.00 0.37\n" END,
		  "2 c/1 s/1 ib_write_bw 196.4" },
		/* of all sizes the largest */
		{ FRAME_OF("c", "ib_write_bw")
		      BW("Gb/sec") "2 5000 0.1 0.1 5\n65536 5000 0.1 196.4 5\n1024 9 1 70 5\n" END,
		  "2 c/1 s/1 ib_write_bw 196.4" },
		{ FRAME_OF("c", "ib_write_bw") "  RDMA_Write Bidirectional BW Test\n" BW(
		      "Gb/sec") "65536 5000 0.1 390.4 5\n" END,
		  "2 c/1 s/1 ib_write_bw 390.4 both (RDMA_Write BW Test)" },
		{ FRAME_OF("c", "ib_write_bw") "initializing CUDA\n" BW(
		      "Gb/sec") "65536 5000 0.1 190 5\n" END,
		  "2 c/1 s/1 ib_write_bw 190 gpu (RDMA_Write BW Test)" },
		{ FRAME_OF("c", "ib_write_lat") " #bytes #iterations    t_min[usec]    t_max[usec] "
		                                " t_typical[usec]    t_avg[usec]"
		                                "    t_stdev[usec]   99% percentile[usec]   99.9% "
		                                "percentile[usec]\n"
		                                " 8 1000 1.1 9.0 1.25 1.4 0.1 2 3\n" END,
		  "2 c/1 s/1 ib_write_lat 1.25 us" },
		{ FRAME_OF("c", "ib_write_lat") " #bytes        #iterations       t_avg[usec]    "
		                                "tps average\n"
		                                " 8 1000 1.31 500\n" END,
		  "2 c/1 s/1 ib_write_lat 1.31 us" },
		/* as it was before 24.01, and as it is; without a unit it is no bandwidth */
		{ FRAME_OF("c", "ib_write_lat") "{\ntest_info: {\n},\nresults: {\nt_min: 1.0,\n"
		                                "t_typical: 1.25,\nt_avg: 1.4,\n},\n}\n" END,
		  "2 c/1 s/1 ib_write_lat 1.25 us (t_avg: 1.4,)" },
		{ FRAME_OF("c", "ib_write_lat") "{\"results\": {\"t_avg\": 1.4}}\n" END,
		  "2 c/1 s/1 ib_write_lat 1.4 us" },
		{ FRAME_OF("c", "ib_write_bw") "results: {\nBW_average: 196.4,\n}\n" END,
		  "2 c/1 s/1 ib_write_bw unread (JSON of perftest has no unit: print its text as "
		  "well)" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char found[2048];

		snprintf(found, sizeof(found), "%s", results_of(texts[i][0]));
		if (!strchr(texts[i][1], '(') && strchr(found, '('))
			found[strcspn(found, "(") - 1] = '\0';
		assert_string_equal(found, texts[i][1]);
	}
}

static void labels_keep_hosts_apart(void **state)
{
	(void)state;
	assert_string_equal(
	    results_of(" 0: " FRAME_OF("c", "ib_write_bw") "11: " FRAME_OF(
		"d", "ib_write_bw") " 0: #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] "
	                            "MsgRate[Mpps]\n"
	                            "11: #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] "
	                            "MsgRate[Mpps]\n"
	                            " 0: 65536 5000 0 100 1\n11: 65536 5000 0 200 1\n"
	                            "11: " END " 0: " END),
	    "2 d/1 s/1 ib_write_bw 200; 2 c/1 s/1 ib_write_bw 100");
}

static void what_fails_is_kept_with_its_reason(void **state)
{
	(void)state;
	assert_string_equal(
	    results_of(FRAME_OF("c", "ib_write_bw") "# ibcheck-perf end no-partner\n"),
	    "2 c/1 s/1 ib_write_bw no_partner");
	assert_string_equal(
	    results_of(
		FRAME_OF("c", "ib_write_bw") "Couldn't allocate MR\n# ibcheck-perf end setup\n"),
	    "2 c/1 s/1 ib_write_bw setup (Couldn't allocate MR)");
	assert_string_equal(
	    results_of(
		"# ibcheck-perf 1 round 1 server s client c rail 0 test x role server\n"
		"no device\n# ibcheck-perf end setup\n"
		"# ibcheck-perf 1 round 1 server s client c rail 0 test x role server\n" END),
	    "1 c/0 s/0 x setup by server (no device)");
	assert_string_equal(
	    results_of(FRAME_OF("c", "ib_write_bw") "# ibcheck-perf end failed 1\n"),
	    "2 c/1 s/1 ib_write_bw failed");
	/* cut off, and nothing at all */
	assert_string_equal(results_of(FRAME_OF("c", "ib_write_bw") BW("Gb/sec")),
	                    "2 c/1 s/1 ib_write_bw unread (the output ends in the middle)");
	assert_string_equal(
	    results_of(FRAME_OF("c", "ib_write_bw") END),
	    "2 c/1 s/1 ib_write_bw unread (there is no result of perftest in the output)");
	assert_string_equal(
	    results_of(FRAME_OF("s", "ib_write_bw") BW("Gb/sec") "1 1 1 99 1\n" END),
	    "2 s/1 s/1 ib_write_bw 99 loopback (RDMA_Write BW Test)");
}

static void two_hcas_of_a_host_are_two_ends(void **state)
{
	(void)state;
	assert_string_equal(
	    results_of("# ibcheck-perf 1 round 1 server h client h rail 0-1 test ib_write_bw\n"
	               " #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n"
	               " 65536 5000 0 100 1\n" END),
	    "1 h/1 h/0 ib_write_bw 100");
}

static void csv_has_units(void **state)
{
	(void)state;
	assert_string_equal(
	    results_of("# a comment\nround,a,b,rail,value,unit,test,rate\n"
	               "1,c,s,0,196,Gb/s,,\n1,c,s,0,24,GB/s,ib_write_bw both-ways,\n"
	               "1,c,s,0,1.5,us,,\n1,c,s,0,1.5,furlongs,,\n"),
	    "1 c/0 s/0  196; 1 c/0 s/0 ib_write_bw 192 both; 1 c/0 s/0  1.5 us"
	    "!r, line 6: the unit is none of Gb/s, GB/s, MB/s, MiB/s and us");
}

static void what_an_end_says_of_itself_is_kept(void **state)
{
	struct ibc_perf_results *r = read_text(FRAME_OF("c", "ib_write_bw")
	                                           BW("Gb/sec") "1 1 1 99 1\n" END);

	(void)state;
	assert_int_equal(r->num_ends, 2);
	for (size_t i = 0; i < 2; i++) {
		bool client = !strcmp(r->ends[i].host, "c");

		assert_int_equal(r->ends[i].reported, client);
		assert_true(r->ends[i].rate_gbps == (client ? 200 : 0));
		assert_true(r->ends[i].pcie_gbps == 0);
	}
	ibc_perf_results_free(r);
}

static void a_plan_tells_what_is_missing(void **state)
{
	static const char plan[] = "# ibcheck perf plan 1\n2 s c all\n2 s d all\n3 s c 1\n";
	struct ibc_perf_results *r = read_text(FRAME_OF("c", "ib_write_bw")
	                                           BW("Gb/sec") "1 1 1 99 1\n" END);
	struct ibc_error err = { "" };
	struct text_file *f;

	(void)state;
	assert_int_equal(text_open_bytes("p", plan, strlen(plan), &f, NULL), 0);
	assert_int_equal(read_perf_plan(f, r, NULL), 0);
	text_close(f);
	assert_int_equal(r->num, 3);
	assert_int_equal(r->all[1].status, IBC_PERF_ABSENT);
	assert_string_equal(r->ends[r->all[1].client].host, "d");
	assert_int_equal(r->all[2].round, 3);
	assert_int_equal(text_open_bytes("p", "1 s\n", 4, &f, NULL), 0);
	assert_int_equal(read_perf_plan(f, r, &err), -EINVAL);
	text_close(f);
	ibc_perf_results_free(r);
}

static void without_memory_nothing_is_read_and_nothing_judged(void **state)
{
	static const char text[] = "l: " FRAME_OF("c", "ib_write_bw") "l: " END
								      "round,a,b,rail,value,unit\n";
	static const char csv[] = "round,a,b,rail,value,unit\n1,a,b,0,90,us\n2,a,b,0,9,us\n"
				  "1,a,b,0,96,Gb/s\n2,c,b,0,96,Gb/s\n3,d,a,0,97,Gb/s\n"
				  "4,d,e,0,50,Gb/s\n5,c,e,0,50,Gb/s\n6,d,e,0,9,Gb/s\n";
	const char *const texts[] = { text, csv };
	unsigned long failures = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		for (unsigned long n = 1; n < 500; n++) {
			struct ibc_perf_judge_opts opts = { .low = 5, .latency_us = 2 };
			struct ibc_perf_results *r;
			struct ibc_perf_judgement *j = NULL;
			struct text_file *f = NULL;
			int rc;

			alloc_fail_at(n);
			rc = ibc_perf_results_new(&r, NULL);
			if (!rc)
				rc = text_open_bytes("r", texts[i], strlen(texts[i]), &f, NULL);
			if (!rc)
				rc = read_perf(f, r, NULL);
			opts.baseline = r;
			if (!rc)
				rc = ibc_perf_judge(r, &opts, &j, NULL);
			alloc_fail_at(0);
			assert_true(!rc || rc == -ENOMEM);
			assert_true(!rc == (j != NULL));
			failures += rc != 0;
			ibc_perf_judgement_free(j);
			text_close(f);
			ibc_perf_results_free(r);
		}
	assert_true(failures > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version_of_the_table_is_read),
		cmocka_unit_test(labels_keep_hosts_apart),
		cmocka_unit_test(what_fails_is_kept_with_its_reason),
		cmocka_unit_test(two_hcas_of_a_host_are_two_ends),
		cmocka_unit_test(csv_has_units),
		cmocka_unit_test(what_an_end_says_of_itself_is_kept),
		cmocka_unit_test(a_plan_tells_what_is_missing),
		cmocka_unit_test(without_memory_nothing_is_read_and_nothing_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
