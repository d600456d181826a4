/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands in front of a line, and around it: hosts, processes, times; lines that are wrapped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "mkjoblog.h"

#define NOW    1772600000 /* 4 March 2026, 04:53:20 UTC */
#define EVENT  "NET/IB : Got async event : port error"
#define MARCH3 "1772539898" /* 12:11:38 UTC of the day before */

static const struct {
	const char *line, *said;
} prefixes[] = {
	{ EVENT, "nccl port_event" },
	{ "12: " EVENT, "nccl port_event" },
	{ " 3: n7:5:6 [1] x.cc:9 NCCL WARN " EVENT, "nccl port_event n7 by n7:5" },
	{ "[rank12]: n7:5:6 [1] x.cc:9 NCCL WARN " EVENT, "nccl port_event n7 by n7:5" },
	{ "[default3]:[rank12]:n7:5:6 [1] x.cc:9 NCCL WARN " EVENT, "nccl port_event n7 by n7:5" },
	{ "[1,12]<stderr>:n7:5:6 [1] x.cc:9 NCCL WARN " EVENT, "nccl port_event n7 by n7:5" },
	{ "Tue Mar  3 12:11:38 2026[1,12]<stderr>:n7:5:6 [1] NCCL WARN " EVENT,
	  "nccl port_event n7 by n7:5 at " MARCH3 },
	{ "node07: " EVENT, "nccl port_event node07" },
	{ "node07.site: n7:5:6 [1] x.cc:9 NCCL WARN " EVENT, "nccl port_event n7 by n7:5" },
	{ "3: node07: " EVENT, "nccl port_event node07" },
	{ "2026-03-03T12:11:38Z INFO main[7]: " EVENT, "nccl port_event at " MARCH3 },
	{ "error: " EVENT, "nccl port_event" },
	{ "mlx5_0: " EVENT, "nccl port_event" },
	{ "[train.py:123] " EVENT, "nccl port_event" },
	{ "12:11:38 " EVENT, "nccl port_event" },
	{ "rank3: " EVENT, "nccl port_event" },
	{ "GPU0: " EVENT, "nccl port_event" },
	{ "step12: n9: " EVENT, "nccl port_event n9" },
	{ "gpu3: " EVENT, "nccl port_event gpu3" },
	{ "net.cc:12:13: " EVENT, "nccl port_event" },
	{ "http://n9:80:1 " EVENT, "nccl port_event" },
	{ "n7:5:0:5] ib.c:1 " EVENT, "nccl port_event n7 by n7:5" },
	{ "Mar  3 12:11:38 WARN " EVENT, "nccl port_event at " MARCH3 },
	{ "Mar  3 12:11:38 INFO main: " EVENT, "nccl port_event at " MARCH3 },
	/* by way of another host, and of one that takes the name of the other for a program */
	{ "Mar  3 12:11:38 log1 Mar  3 12:11:38 n9 kernel: " EVENT,
	  "nccl port_event n9 at " MARCH3 },
	{ "Mar  3 12:11:38 log1 n9 kernel: " EVENT, "nccl port_event at " MARCH3 },
	{ "{\"hostname\":\"log1\",\"message\":\"Mar  3 12:11:38 n9 kernel: " EVENT "\"}",
	  "nccl port_event n9 at " MARCH3 },
	{ "\x1b[31;1mn7:5:6 [1] \x1b[0mNCCL WARN " EVENT "\x1b[0m", "nccl port_event n7 by n7:5" },
	{ "step 12\r 50% step 13\rn7:5:6 [1] NCCL WARN " EVENT "\r", "nccl port_event n7 by n7:5" },
	{ "2026-03-03T12:11:38Z " EVENT, "nccl port_event at " MARCH3 },
	{ "2026-03-03T12:11:38 " EVENT, "nccl port_event at " MARCH3 },
	{ "2026-03-03 13:11:38,123 +01:00 " EVENT, "nccl port_event at " MARCH3 },
	{ "2026-03-03T07:11:38.123-0500 " EVENT, "nccl port_event at " MARCH3 },
	{ "[2026-03-03 12:11:38] n7:5:6 [1] NCCL WARN " EVENT,
	  "nccl port_event n7 by n7:5 at " MARCH3 },
	{ "2026/03/03 12:11:38 " EVENT, "nccl port_event at " MARCH3 },
	{ "2026-03-03T12:11:38.5Z stderr F " EVENT, "nccl port_event at " MARCH3 },
	{ "2026-03-03T12:11:38+0000 n9 kernel: " EVENT, "nccl port_event n9 at " MARCH3 },
	{ "2026-03-03T12:11:38+0000 n9 mmfs[77]: " EVENT, "nccl port_event n9 at " MARCH3 },
	{ "Mar  3 12:11:38 n9 kernel: " EVENT, "nccl port_event n9 at " MARCH3 },
	{ "Mar 03 12:11:38.123456 n9 job[7]: " EVENT, "nccl port_event n9 at " MARCH3 },
	{ "<12>Mar  3 12:11:38 n9 job[7]: " EVENT, "nccl port_event n9 at " MARCH3 },
	{ "<34>1 2026-03-03T12:11:38.003Z n9 job 77 ID1 - " EVENT,
	  "nccl port_event n9 at " MARCH3 },
	{ "[12345.678901] " EVENT, "nccl port_event" },
	{ "[Tue Mar  3 12:11:38 2026] " EVENT, "nccl port_event at " MARCH3 },
	{ "[1772539898.123456] [n7:5:0:5] ib.c:1 UCX ERROR " EVENT,
	  "nccl port_event n7 by n7:5 at " MARCH3 },
	{ "{\"log\":\"n7:5:6 [1] NCCL WARN " EVENT "\\n\",\"time\":\"2026-03-03T12:11:38.1Z\"}",
	  "nccl port_event n7 by n7:5 at " MARCH3 },
	{ "{\"__REALTIME_TIMESTAMP\":\"1772539898123456\",\"_HOSTNAME\":\"n9\",\"MESSAGE\":\"" EVENT
	  "\"}",
	  "nccl port_event n9 at " MARCH3 },
	{ "{\"ts\":1772539898.25,\"msg\":\"" EVENT "\",\"kubernetes\":{\"host\":\"n9\"}}",
	  "nccl port_event n9 at " MARCH3 },
	{ "n8: {\"log\":\"" EVENT "\"", "nccl port_event n8" }, /* cut: it is no object */
	{ "{\"log\":\"\\u001b[31mn7:5:6 [1] \\u001b[0mNCCL WARN " EVENT "\"}",
	  "nccl port_event n7 by n7:5" },
	{ "{\"log\":\"x\",\"msg\":\"n7:5:6 [1] " EVENT "\"}", "nccl port_event n7 by n7:5" },
	{ "{\"timestamp\":\"2026-03-03T12:11:38Z\",\"json\":{\"text\":\"x\\nn7:5:6 [1]\\t" EVENT
	  "\"}}",
	  "nccl port_event n7 by n7:5 at " MARCH3 },
	{ "{\"host\":{\"name\":\"n9\"},\"message\":\"" EVENT "\"}", "nccl port_event n9" },
	{ "{\"log\":\"x\\nn7:5:6 [1] " EVENT, "nccl port_event n7 by n7:5" },
	{ "{\"log\":\"\\u001b[31mn7:5:6 [1] " EVENT, "nccl port_event n7 by n7:5" },
	{ "{\"log\":\"\\u001b[31" EVENT, "nccl port_event" },
	{ "{\"log\":\"n6:5:6 [1] step\\n" EVENT "\"}", "nccl port_event" },
	{ "{\"log\":7,\"x\":\"" EVENT "\"}", "nccl port_event" },
};

static void each_prefix_gives_host_process_and_time(void **state)
{
	const struct ibc_joblog_opts opts = { .now = NOW };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		print_message("%s\n", prefixes[i].line);
		assert_string_equal(said_with(prefixes[i].line, &opts), prefixes[i].said);
	}
}

static void a_line_without_a_year_has_the_last_that_was(void **state)
{
	const struct ibc_joblog_opts opts = { .now = NOW };

	(void)state;
	assert_string_equal(said_with("Dec 31 23:59:59 n9 kernel: " EVENT, &opts),
	                    "nccl port_event n9 at 1767225599");
	/* a clock that is a little ahead is not one of a year ago */
	assert_string_equal(said_with("Mar  4 05:00:00 n9 kernel: " EVENT, &opts),
	                    "nccl port_event n9 at 1772600400");
	assert_string_equal(said_with("Feb 29 12:00:00 n9 kernel: " EVENT, &opts),
	                    "nccl port_event n9 at 1709208000");
	assert_string_equal(said("Mar  3 12:11:38 n9 kernel: " EVENT),
	                    "nccl port_event n9 at 5314298");
}

/* A zone that is not known makes it hours wrong, and so does a number that is none. */
static void a_zone_is_known_or_there_is_no_time(void **state)
{
	(void)state;
	assert_string_equal(said("Tue 2026-03-03 12:11:38 UTC n9 kernel: " EVENT),
	                    "nccl port_event n9 at " MARCH3);
	assert_string_equal(said("Tue 2026-03-03 12:11:38 CET n9 kernel: " EVENT),
	                    "nccl port_event n9");
	assert_string_equal(said("2026-03-03 12:11:38 PST " EVENT), "nccl port_event");
	assert_string_equal(said("2026-03-03 12:11:38 WARN " EVENT), "nccl port_event at " MARCH3);
	assert_string_equal(said("2026-03-03 12:11:38 -123 retries " EVENT),
	                    "nccl port_event at " MARCH3);
	assert_string_equal(said("2026-03-03 12:11:38 -10 dB " EVENT),
	                    "nccl port_event at " MARCH3);
	assert_string_equal(said("2026-03-03 13:11:38 +0100 " EVENT), "nccl port_event at " MARCH3);
	assert_string_equal(said("2026-03-03 13:11:38+01 " EVENT), "nccl port_event at " MARCH3);
	assert_string_equal(said("2026-03-03T12:11:38-24:00 " EVENT), "nccl port_event");
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0", 1);
	tzset();
	assert_string_equal(said("Tue 2026-03-03 13:11:38 CET n9 kernel: " EVENT),
	                    "nccl port_event n9 at " MARCH3);
	setenv("TZ", "UTC0", 1);
	tzset();
}

static void a_number_is_a_time_only_if_it_was(void **state)
{
	const struct ibc_joblog_opts opts = { .now = NOW };

	(void)state;
	assert_string_equal(said_with("[4294967295] " EVENT, &opts), "nccl port_event");
	assert_string_equal(said_with("[" MARCH3 "] " EVENT, &opts), "nccl port_event at " MARCH3);
}

static void there_is_no_such_time(void **state)
{
	(void)state;
	assert_string_equal(said("2026-02-30T12:11:38Z " EVENT), "nccl port_event");
	assert_string_equal(said("2026-13-03T12:11:38Z " EVENT), "nccl port_event");
	assert_string_equal(said("2026-03-03T25:11:38Z " EVENT), "nccl port_event");
	assert_string_equal(said("0000-00-00T00:00:00Z " EVENT), "nccl port_event");
}

static void times_of_one_hour_are_right(void **state)
{
	(void)state;
	assert_string_equal(said("2026-03-03 12:11:38 n7:5:6 [1] " EVENT "\n"
	                         "2026-03-03 12:11:39 n7:5:6 [1] " EVENT "\n"
	                         "2026-03-03 12:21:37 n7:5:6 [1] " EVENT "\n"
	                         "2026-03-03 12:21:38 n7:5:6 [1] " EVENT "\n"),
	                    "nccl port_event n7 by n7:5 at " MARCH3 "-1772540497 x3\n"
	                    "nccl port_event n7 by n7:5 at 1772540498");
}

#define WRAPPED                                                                                    \
	"[[31705,1],77][btl_openib_component.c:2951:handle_wc] from gpu07 to: gpu09 error "        \
	"polling LP "                                                                              \
	"CQ with status RETRY EXCEEDED ERROR status number 12 for wr_id 29 opcode 1  vendor "      \
	"error 129 "                                                                               \
	"qp_idx 1"
#define OPENIB "openmpi completion 12 vendor 129 gpu07 > gpu09"

/* At one blank after the other, as mail and schedulers do, and with the prefix that each then has.
 */
static void a_line_may_be_wrapped_at_any_blank(void **state)
{
	static const char *const prefix[] = { "", "3: ", "> ", "node07: " };
	char text[512];

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(prefix); k++)
		for (const char *blank = strchr(WRAPPED, ' '); blank;
		     blank = strchr(blank + 1, ' ')) {
			snprintf(text, sizeof(text), "x\n%s%.*s\n%s%s\nnoise\n", prefix[k],
			         (int)(blank - WRAPPED), WRAPPED, prefix[k], blank + 1);
			print_message("%s", text);
			assert_string_equal(said(text), OPENIB);
		}
}

static void a_wrapped_line_may_have_several_parts_and_optional_ones(void **state)
{
	(void)state;
	assert_string_equal(
	    said("gpu07:1:2 [0] x.cc:1 NCCL WARN NET/IB: Got completion from peer\n"
	         "10.1.1.1<40554> with status=12 opcode=129 len=3 vendor err 129 (Recv)\n"
	         "localGid fe80::a:b:c:1 remoteGids\n"
	         "fe80::a:b:c:2 hca\n"
	         "mlx5_1\n"),
	    "nccl completion 12 vendor 129 gpu07 mlx5_1 fe80000000000000:a000b000c0001 > "
	    "10.1.1.1 fe80000000000000:a000b000c0002 by gpu07:1");
	assert_string_equal(said("gpu07:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB\n"
	                         "[1]mlx5_1:1/IB ; OOB\n"
	                         "eth0:10.2.0.4<0>\n"),
	                    "nccl using gpu07 mlx5_0/1 10.2.0.4 by gpu07:1\n"
	                    "nccl using gpu07 mlx5_1/1 10.2.0.4 by gpu07:1");
}

/* What another line says is never taken for the end of one that was cut. */
static void a_line_that_is_cut_takes_nothing_of_the_next(void **state)
{
	(void)state;
	assert_string_equal(
	    said("[[1,1],7][btl_openib_component.c:2951:handle_wc] from gpu07 to:\n" WRAPPED "\n"),
	    OPENIB "\nlost 1");
	assert_string_equal(said("[[1,1],7][btl_openib_component.c:2951:handle_wc] from gpu07 to: "
	                         "gpu09 error polling LP CQ\nloss 12 step 13\n"),
	                    "lost 1");
}

#define PEER(rest) "NET/IB: Got completion from peer 10.2.0.5<1> with status=" rest

/* A name that is glued to another is not known: none of them is taken for a host or an HCA. */
static void lines_without_a_line_feed_between_are_counted_each(void **state)
{
	(void)state;
	assert_string_equal(
	    said("n7:1:2 [0] " PEER(
		"12 opcode=1 len=1 vendor err 129 hca mlx5_3") "n8:1:2 [0] " PEER("12 opcode=1 "
	                                                                          "len=1 vendor "
	                                                                          "err 129 hca "
	                                                                          "mlx5_4")),
	    "nccl completion 12 vendor 129 n7 > 10.2.0.5 by n7:1\n"
	    "nccl completion 12 vendor 129 mlx5_4 > 10.2.0.5");
	assert_string_equal(
	    said("n7:1:2 [0] " PEER("12 opn8:1:2 [0] ") PEER("12 opcode=1 len=1 vendor err 9")),
	    "nccl completion 12 vendor 9 > 10.2.0.5\nlost 1");
	assert_string_equal(
	    said("n7:1:2 [0] " PEER(
		"12 opcode=1 len=1 vendor err 129") "n8:1:2 [0] " EVENT
	                                            "[n1:7:0:7] ib_mlx5_log.c:177  Transport retry "
	                                            "count exceeded on "
	                                            "mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd "
	                                            "0/0)"),
	    "nccl completion 12 vendor 129 n7 > 10.2.0.5 by n7:1\n"
	    "nccl port_event\nucx completion 12 vendor 129 mlx5_0/1");
}

static void a_text_of_json_may_have_several_lines(void **state)
{
	(void)state;
	assert_string_equal(said("{\"log\":\"n7:5:6 [1] " EVENT "\\nn8:5:6 [1] " EVENT "\\nx\"}"),
	                    "nccl port_event n7 by n7:5\nnccl port_event n8 by n8:5");
	assert_string_equal(said("[{\"log\":\"" EVENT "\"},{\"log\":\"" EVENT "\"}]"),
	                    "nccl port_event x2");
}

/* A process that is killed, a full disk: mlx5_1 was mlx5_10. */
static void a_name_at_the_end_of_a_file_without_a_line_feed_is_not_known(void **state)
{
	static const char text[] = "n7:1:2 [0] " PEER(
	    "12 opcode=1 len=1 vendor err 129 (Recv) localGid "
	    "fe80::1:2:3:4 remoteGids fe80::1:2:3:5 hca mlx5_1");
	static const struct {
		size_t less;
		const char *said;
	} ends[] = {
		{ 0, "nccl completion 12 vendor 129 n7 fe80000000000000:1000200030004 > 10.2.0.5 "
		     "fe80000000000000:1000200030005 by n7:1" },
		{ sizeof(" hca mlx5_1") - 1, "nccl completion 12 vendor 129 n7 "
		                             "fe80000000000000:1000200030004 > 10.2.0.5 by n7:1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct ibc_joblog *log = joblog_of(text, sizeof(text) - 1 - ends[i].less, NULL);

		assert_string_equal(said_of(log), ends[i].said);
		ibc_joblog_free(log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_prefix_gives_host_process_and_time),
		cmocka_unit_test(a_line_without_a_year_has_the_last_that_was),
		cmocka_unit_test(a_zone_is_known_or_there_is_no_time),
		cmocka_unit_test(a_number_is_a_time_only_if_it_was),
		cmocka_unit_test(there_is_no_such_time),
		cmocka_unit_test(times_of_one_hour_are_right),
		cmocka_unit_test(a_line_may_be_wrapped_at_any_blank),
		cmocka_unit_test(a_wrapped_line_may_have_several_parts_and_optional_ones),
		cmocka_unit_test(a_line_that_is_cut_takes_nothing_of_the_next),
		cmocka_unit_test(lines_without_a_line_feed_between_are_counted_each),
		cmocka_unit_test(a_text_of_json_may_have_several_lines),
		cmocka_unit_test(a_name_at_the_end_of_a_file_without_a_line_feed_is_not_known),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
