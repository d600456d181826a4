/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of logs: several, compressed, cut, damaged, hostile; events that are counted. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkjoblog.h"

#define EVENT "[n7:5:0:5] NET/IB : Got async event : port error\n"
#define SAID  "nccl port_event n7 by n7:5"

static void nothing_that_is_recognised_is_no_error(void **state)
{
	static const char text[] = "loss 12\nloss 11";
	struct ibc_joblog *log = joblog_of(text, sizeof(text) - 1, NULL);

	(void)state;
	assert_int_equal(log->num, 0);
	assert_int_equal(log->lines, 2);
	assert_int_equal(log->bytes, sizeof(text) - 1);
	assert_int_equal(log->recognised, 0);
	assert_null(log->first_lost);
	assert_null(log->cut);
	ibc_joblog_free(log);
	assert_string_equal(said(""), "");
}

static void several_files_are_one_log(void **state)
{
	char a[64], z[64];
	int one = joblog_file("x\n" EVENT, sizeof("x\n" EVENT) - 1, a);
	int two = joblog_file("y\n" EVENT EVENT, sizeof("y\n" EVENT EVENT) - 1, z);
	const char *paths[] = { a, z };
	struct ibc_joblog *log;

	(void)state;
	assert_int_equal(ibc_joblog_read(paths, 2, NULL, &log, NULL), 0);
	assert_string_equal(said_of(log), SAID " x3");
	assert_int_equal(log->lines, 5);
	assert_string_equal(log->events[0].file, a);
	assert_int_equal(log->events[0].line, 2);
	assert_string_equal(log->events[0].text, "NET/IB : Got async event : port error");
	ibc_joblog_free(log);
	close(one);
	close(two);
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
	static const char *const paths[] = { "/nowhere/job.log" };
	struct ibc_error err = { "" };
	struct ibc_joblog *log;

	(void)state;
	assert_int_equal(ibc_joblog_read(paths, 1, NULL, &log, &err), -ENOENT);
	assert_null(log);
	assert_non_null(strstr(err.text, "/nowhere/job.log"));
	ibc_joblog_free(NULL);
}

static void a_dash_is_standard_input(void **state)
{
	static const char *const paths[] = { "-" };
	int in = dup(STDIN_FILENO), pipes[2];
	struct ibc_joblog *log;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], EVENT, strlen(EVENT)), strlen(EVENT));
	close(pipes[1]);
	dup2(pipes[0], STDIN_FILENO);
	close(pipes[0]);
	assert_int_equal(ibc_joblog_read(paths, 1, NULL, &log, NULL), 0);
	dup2(in, STDIN_FILENO);
	close(in);
	assert_string_equal(said_of(log), SAID);
	assert_string_equal(log->events[0].file, "standard input");
	ibc_joblog_free(log);
}

/* What a compressed stream has until it ends too early, or is damaged, counts. */
static void a_compressed_file_that_is_cut_is_named_and_read(void **state)
{
	char text[20000], path[64];
	unsigned char packed[40000];
	const char *paths[] = { path };
	size_t n = 0;
	z_stream z = { 0 };
	struct ibc_joblog *log;

	(void)state;
	n = (size_t)snprintf(text, sizeof(text), EVENT);
	for (; n < sizeof(text); n++)
		text[n] = (char)(' ' + (n * 2654435761U >> 13) % 90);
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
	                 Z_OK);
	z.next_in = (unsigned char *)text;
	z.avail_in = sizeof(text);
	z.next_out = packed;
	z.avail_out = sizeof(packed);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	for (size_t cut = 0; cut <= z.total_out / 2; cut += z.total_out / 2) {
		int fd = joblog_file(packed, z.total_out - cut, path);
		struct ibc_error err = { "" };

		assert_int_equal(ibc_joblog_read(paths, 1, NULL, &log, &err), 0);
		assert_string_equal(err.text, "");
		assert_string_equal(said_of(log), SAID);
		assert_true(cut ? log->cut && !strcmp(log->cut, path) : !log->cut);
		assert_true(cut ? log->bytes < sizeof(text) : log->bytes == sizeof(text));
		ibc_joblog_free(log);
		close(fd);
	}
	deflateEnd(&z);
}

static void what_is_no_text_is_an_error(void **state)
{
	char path[64];
	const char *paths[] = { path };
	int fd = joblog_file("\xfd"
	                     "7zXZ\0",
	                     6, path);
	struct ibc_joblog *log;

	(void)state;
	assert_int_equal(ibc_joblog_read(paths, 1, NULL, &log, NULL), -EINVAL);
	close(fd);
}

/* The same of the same two ends within ten minutes is one event, in whatever order it comes. */
static void events_are_counted_by_what_they_say_and_when(void **state)
{
	(void)state;
	setenv("TZ", "UTC0", 1);
	assert_string_equal(said("2026-03-03T12:09:59Z " EVENT "2026-03-03T12:10:01Z " EVENT),
	                    SAID " at 1772539799-1772539801 x2");
	assert_string_equal(said("2026-03-03T12:10:01Z " EVENT "2026-03-03T12:09:59Z " EVENT),
	                    SAID " at 1772539799-1772539801 x2");
	assert_string_equal(said("2026-03-03T12:00:01Z " EVENT "2026-03-03T12:10:01Z " EVENT),
	                    SAID " at 1772539201\n" SAID " at 1772539801");
	/* those of none are farther apart, whatever their order */
	assert_string_equal(said("2026-03-03T12:00:10Z " EVENT "2026-03-03T11:50:20Z " EVENT
	                         "2026-03-03T12:08:20Z " EVENT),
	                    SAID " at 1772538620-1772539210 x2\n" SAID " at 1772539700");
	assert_string_equal(said("2026-03-03T12:00:01Z " EVENT EVENT EVENT),
	                    SAID " at 1772539201\n" SAID " x2");
	assert_string_equal(
	    said("[n7:5:0:5] NET/IB : mlx5_0:1 Got async event : port error\n"
	         "[n7:5:0:5] NET/IB : mlx5_0:2 Got async event : port error\n"
	         "[n7:6:0:5] NET/IB : mlx5_0:2 Got async event : port error\n"),
	    "nccl port_event n7 mlx5_0/1 by n7:5\nnccl port_event n7 mlx5_0/2 by n7:5\n"
	    "nccl port_event n7 mlx5_0/2 by n7:6");
}

/* NCCL to 2.18 names neither GID nor HCA; what it uses it said before. */
static void what_a_process_said_of_its_ports_holds_for_its_later_lines(void **state)
{
#define USING "NCCL INFO NET/IB : Using "
#define GOT                                                                                        \
	"NCCL WARN NET/IB : Got completion from peer 10.2.0.5<3> with error 12, opcode 0, len 0, " \
	"vendor err 129\n"
	(void)state;
	assert_non_null(
	    strstr(said("n1:7:8 [0] " USING "[0]mlx5_0:1/RoCE [RO]; OOB eth0:10.2.0.4<0>\n"
	                "n1:7:9 [0] " GOT),
	           "nccl completion 12 vendor 129 roce n1 >"));
	/* another process of that host, and one that uses both */
	assert_null(strstr(said("n1:7:8 [0] " USING "[0]mlx5_0:1/RoCE ; OOB eth0:10.2.0.4<0>\n"
	                        "n1:77:9 [0] " GOT),
	                   "129 roce"));
	assert_null(strstr(said("n1:7:8 [0] " USING
	                        "[0]mlx5_0:1/RoCE [1]mlx5_1:1/IB ; OOB eth0:10.2.0.4<0>\n"
	                        "n1:7:9 [0] " GOT),
	                   "129 roce"));
	/* of which the line names one */
	assert_non_null(strstr(
	    said("n1:7:8 [0] " USING "[0]mlx5_0:1/RoCE [1]mlx5_1:1/IB ; OOB eth0:10.2.0.4<0>\n"
	         "n1:7:9 [0] NCCL WARN NET/IB : mlx5_0:1 Got async event : port error\n"),
	    "nccl port_event roce n1 mlx5_0/1"));
	assert_non_null(strstr(
	    said("n1:7:8 [0] " USING "[0]mlx5_0:1/RoCE [1]mlx5_1:1/IB ; OOB eth0:10.2.0.4<0>\n"
	         "n1:7:9 [0] NCCL WARN NET/IB : mlx5_1:1 Got async event : port error\n"),
	    "nccl port_event n1 mlx5_1/1"));
}

static void there_is_a_bound_to_events_and_what_is_above_is_counted(void **state)
{
	size_t n = 0, size = 100 * (IBC_LOG_EVENTS + 10);
	char *text = malloc(size);
	struct ibc_joblog *log;

	(void)state;
	for (int i = 0; i < IBC_LOG_EVENTS + 7; i++)
		n += (size_t)sprintf(text + n,
		                     "[n%d:5:0:5] NET/IB : Got async event : port error\n", i);
	log = joblog_of(text, n, NULL);
	assert_int_equal(log->num, IBC_LOG_EVENTS);
	assert_int_equal(log->dropped, 7);
	assert_string_equal(log->events[9].own.host, "n9");
	ibc_joblog_free(log);
	free(text);
}

/* At every place of the blocks in which a file is read. */
static void a_line_is_found_wherever_it_stands(void **state)
{
	size_t room = (1 << 18) + 4096, n = strlen(EVENT);
	char *text = malloc(room);

	(void)state;
	for (size_t at = 0; at + n<room; at += at % 65536> 64 && at % 65536 < 65000 ? 4099 : 7) {
		struct ibc_joblog *log;

		memset(text, '\n', at);
		memcpy(text + at, EVENT, n);
		log = joblog_of(text, at + n, NULL);
		assert_string_equal(said_of(log), SAID);
		assert_int_equal(log->events[0].line, at + 1);
		assert_int_equal(log->lines, at + 1);
		ibc_joblog_free(log);
	}
	free(text);
}

static void long_lines_and_nul_bytes_hide_nothing(void **state)
{
	size_t size = 3 << 20, n = strlen(EVENT);
	char *text = malloc(size);
	struct ibc_joblog *log;

	(void)state;
	memset(text, 'x', size);
	memset(text + 100, '\0', 1000);
	memcpy(text + size / 2, EVENT, n - 1);
	memcpy(text + size - n, EVENT, n);
	log = joblog_of(text, size, NULL);
	assert_int_equal(log->num, 1);
	assert_int_equal(log->events[0].count, 2);
	assert_int_equal(log->lines, 1);
	ibc_joblog_free(log);
	free(text);
	log = joblog_of("a\0NET/IB : Got async event : port error\0\n", 42, NULL);
	assert_string_equal(said_of(log), "nccl port_event");
	assert_string_equal(log->events[0].text, "NET/IB : Got async event : port error?");
	ibc_joblog_free(log);
}

static void texts_are_clean_and_bounded(void **state)
{
	char text[2048] =
	    "n7:5:6 [1] NCCL INFO NET/Socket : Using [0]eth0:10.2.0.4<0> \x1b[31mred\x07\xff ";
	struct ibc_joblog *log;
	size_t n = strlen(text);

	(void)state;
	while (n + 3 < sizeof(text)) {
		memcpy(text + n, "\xc3\xa4", 3);
		n += 2;
	}
	log = joblog_of(text, n, NULL);
	assert_int_equal(log->num, 1);
	assert_true(strlen(log->events[0].text) <= IBC_LOG_TEXT);
	assert_true(strlen(log->events[0].text) > IBC_LOG_TEXT - 4);
	assert_non_null(strstr(log->events[0].text, "red?"));
	assert_null(strpbrk(log->events[0].text, "\x1b\x07"));
	ibc_joblog_free(log);
}

static void words_are_those_of_libibverbs(void **state)
{
	(void)state;
	assert_string_equal(ibc_wc_status_name(IBC_WC_RETRY_EXC), "IBV_WC_RETRY_EXC_ERR");
	assert_string_equal(ibc_wc_status_name(IBC_WC_RNR_RETRY_EXC), "IBV_WC_RNR_RETRY_EXC_ERR");
	assert_string_equal(ibc_wc_status_name(IBC_WC_REM_OP), "IBV_WC_REM_OP_ERR");
	assert_null(ibc_wc_status_name(IBC_WC_UNKNOWN));
	assert_null(ibc_wc_status_name(24));
	assert_string_equal(ibc_log_program_word(IBC_LOG_OPENMPI)->name, "Open MPI");
	assert_string_equal(ibc_log_kind_word(99)->word, "unknown");
}

static void out_of_memory_is_told_wherever_it_happens(void **state)
{
	static const char text[] =
	    "{\"log\":\"\\u0041 NET/IB : Got async event : port error\"}\n" EVENT
	    "[n1:7:0:7] ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_0:1/IB (synd "
	    "0x15 vend "
	    "0x81 hw_synd 0/0)\n"
	    "[n1:7:0:7] ib_mlx5_log.c:177  DCI QP 0xd16 wqe[6]: SEND s-e [rqpn 0x17de rlid 7] [va "
	    "0x7]\n"
	    "NET/IB : Got completion from peer 1\n";
	char path[64];
	const char *paths[] = { path };
	int fd = joblog_file(text, sizeof(text) - 1, path), rc;
	struct ibc_joblog *log;
	unsigned long n = 0;

	(void)state;
	do {
		alloc_fail_at(++n);
		rc = ibc_joblog_read(paths, 1, NULL, &log, NULL);
		alloc_fail_at(0);
		assert_true(rc ? rc == -ENOMEM && !log : log->num == 3 && log->lost == 1);
	} while (rc);
	assert_true(n > 10);
	ibc_joblog_free(log);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_that_is_recognised_is_no_error),
		cmocka_unit_test(several_files_are_one_log),
		cmocka_unit_test(a_file_that_is_not_there_is_an_error),
		cmocka_unit_test(a_dash_is_standard_input),
		cmocka_unit_test(a_compressed_file_that_is_cut_is_named_and_read),
		cmocka_unit_test(what_is_no_text_is_an_error),
		cmocka_unit_test(events_are_counted_by_what_they_say_and_when),
		cmocka_unit_test(what_a_process_said_of_its_ports_holds_for_its_later_lines),
		cmocka_unit_test(there_is_a_bound_to_events_and_what_is_above_is_counted),
		cmocka_unit_test(a_line_is_found_wherever_it_stands),
		cmocka_unit_test(long_lines_and_nul_bytes_hide_nothing),
		cmocka_unit_test(texts_are_clean_and_bounded),
		cmocka_unit_test(words_are_those_of_libibverbs),
		cmocka_unit_test(out_of_memory_is_told_wherever_it_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
