/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <ibcheck/source.h>

#include "base/arena.h"
#include "mkfab.h"

/* ---- a directory for each test ------------------------------------------------------ */

static char dir[64];

static int enter(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_state.XXXXXX");
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || system(command);
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

/* ---- fabrics and states --------------------------------------------------------------- */

/* As many switches, so that its size can be told apart. */
static struct ibc_fabric *fabric(unsigned int switches)
{
	struct mkfab m = mkfab();

	for (unsigned int i = 1; i <= switches; i++)
		mk_switch(m, i, "leaf", 2);
	return done(m);
}

static struct ibc_state *take(const char *path)
{
	struct ibc_error err = { "" };
	struct ibc_state *state;

	if (ibc_state_open(path, &state, &err))
		fail_msg("%s", err.text);
	return state;
}

static int write_fabric(struct ibc_state *state, unsigned int switches, struct ibc_error *err)
{
	struct ibc_fabric *fab = fabric(switches);
	int rc = ibc_state_write(state, fab, err);

	ibc_fabric_free(fab);
	return rc;
}

/* One run that leaves a fabric of so many switches. */
static void run(const char *path, unsigned int switches)
{
	struct ibc_state *state = take(path);

	assert_int_equal(write_fabric(state, switches, NULL), 0);
	assert_int_equal(ibc_state_commit(state, NULL), 0);
	ibc_state_free(state);
}

/* Switches of the fabric that the next run finds, or what loading it returns. */
static int found(const char *path)
{
	struct ibc_state *state = take(path);
	struct ibc_fabric *fab = NULL;
	int rc = ibc_state_load(state, NULL, &fab, NULL);

	if (!rc)
		rc = (int)ibc_fabric_count(fab).switches;
	ibc_fabric_free(fab);
	ibc_state_free(state);
	return rc;
}

/* ---- runs -------------------------------------------------------------------------------- */

static void the_first_run_finds_nothing(void **state)
{
	(void)state;
	assert_int_equal(found("st"), -ENOENT);
}

static void a_run_finds_what_the_last_one_left(void **state)
{
	(void)state;
	run("st", 2);
	assert_int_equal(found("st"), 2);
	run("st", 3);
	assert_int_equal(found("st"), 3);
	assert_false(exists("st.new"));
}

static void a_name_may_ask_for_compression_but_for_no_other_format(void **state)
{
	static const char *const names[] = { "st.zst", "st.gz", "st.net", "st.net.gz" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		run(names[i], 2);
		assert_int_equal(found(names[i]), 2);
	}
}

static void what_was_not_committed_is_gone(void **state)
{
	struct ibc_state *st;

	(void)state;
	run("st", 2);
	st = take("st");
	assert_int_equal(write_fabric(st, 3, NULL), 0);
	assert_true(exists("st.new"));
	ibc_state_free(st);
	assert_false(exists("st.new"));
	assert_int_equal(found("st"), 2);
}

static void without_a_write_a_commit_does_nothing(void **state)
{
	struct ibc_state *st = take("st");

	(void)state;
	assert_int_equal(ibc_state_commit(st, NULL), 0);
	ibc_state_free(st);
	assert_false(exists("st"));
	ibc_state_free(NULL);
}

/* The child is killed with the new state written, and with no time to tidy up. */
static void a_run_that_is_killed_loses_no_interval(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	run("st", 2);
	pid = fork();
	if (!pid) {
		write_fabric(take("st"), 3, NULL);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_true(exists("st.new"));
	assert_int_equal(found("st"), 2);
	run("st", 4);
	assert_int_equal(found("st"), 4);
	assert_false(exists("st.new"));
}

static void a_new_state_may_be_read_by_whom_the_old_one_might(void **state)
{
	struct stat st;

	(void)state;
	run("st", 1);
	assert_int_equal(chmod("st", 0640), 0);
	run("st", 2);
	assert_int_equal(stat("st", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void a_link_stays_a_link(void **state)
{
	struct stat st;

	(void)state;
	run("real", 1);
	assert_int_equal(symlink("real", "link"), 0);
	run("link", 2);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(found("real"), 2);
}

static void a_state_named_like_a_source_is_a_file(void **state)
{
	(void)state;
	run("umad", 2);
	assert_int_equal(found("umad"), 2);
}

/* ---- two runs at once ------------------------------------------------------------------- */

static void a_second_run_is_told_who_has_it(void **state)
{
	struct ibc_error err = { "" };
	struct ibc_state *first = take("st"), *second;
	char pid[32];

	(void)state;
	assert_int_equal(symlink("st", "other-name"), 0);
	assert_int_equal(ibc_state_open("st", &second, &err), -EBUSY);
	snprintf(pid, sizeof(pid), "(pid %ld)", (long)getpid());
	assert_non_null(strstr(err.text, "in use by another run"));
	assert_non_null(strstr(err.text, pid));
	/* and by any name of it */
	assert_int_equal(write_fabric(first, 1, NULL), 0);
	assert_int_equal(ibc_state_commit(first, NULL), 0);
	assert_int_equal(ibc_state_open("other-name", &second, NULL), -EBUSY);
	ibc_state_free(first);
	assert_int_equal(found("st"), 1);
}

static void a_holder_that_left_no_number_is_another_run(void **state)
{
	struct ibc_error err = { "" };
	struct ibc_state *first = take("st"), *second;

	(void)state;
	assert_int_equal(truncate("st.lock", 0), 0);
	assert_int_equal(ibc_state_open("st", &second, &err), -EBUSY);
	assert_null(strstr(err.text, "pid"));
	ibc_state_free(first);
}

/* ---- damage --------------------------------------------------------------------------------- */

static void cut_anywhere_it_is_damaged_and_never_smaller(void **state)
{
	struct stat st;
	int rc;

	(void)state;
	run("st", 2);
	assert_int_equal(stat("st", &st), 0);
	for (off_t size = st.st_size - 1; size >= 0; size--) {
		assert_int_equal(truncate("st", size), 0);
		rc = found("st");
		if (rc != -EINVAL)
			fail_msg("cut to %ld bytes: %d", (long)size, rc);
	}
}

static void set_aside_it_is_kept_and_so_is_the_one_before(void **state)
{
	struct ibc_state *st = take("st");
	const char *kept;

	(void)state;
	assert_int_equal(write_fabric(st, 1, NULL), 0);
	assert_int_equal(ibc_state_commit(st, NULL), 0);
	assert_int_equal(ibc_state_set_aside(st, "damaged", &kept, NULL), 0);
	assert_string_equal(strrchr(kept, '/'), "/st.damaged");
	assert_false(exists("st"));
	assert_int_equal(write_fabric(st, 2, NULL), 0);
	assert_int_equal(ibc_state_commit(st, NULL), 0);
	assert_int_equal(ibc_state_set_aside(st, "damaged", &kept, NULL), 0);
	assert_string_equal(strrchr(kept, '/'), "/st.damaged.2");
	assert_int_equal(ibc_state_set_aside(st, "damaged", &kept, NULL), -ENOENT);
	ibc_state_free(st);
	assert_int_equal(found("st.damaged"), 1);
	assert_int_equal(found("st.damaged.2"), 2);
}

/* ---- what the system refuses -------------------------------------------------------------- */

static void only_a_file_is_a_state(void **state)
{
	struct ibc_error err = { "" };
	struct ibc_state *st;

	(void)state;
	assert_int_equal(mkdir("sub", 0755), 0);
	assert_int_equal(mkfifo("pipe", 0644), 0);
	assert_int_equal(ibc_state_open("sub", &st, &err), -EINVAL);
	assert_non_null(strstr(err.text, "a directory"));
	assert_int_equal(ibc_state_open("sub/", &st, &err), -EINVAL);
	assert_int_equal(ibc_state_open("pipe", &st, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a file"));
	assert_int_equal(ibc_state_open("/dev/null", &st, &err), -EINVAL);
}

static void a_directory_that_is_missing_is_said(void **state)
{
	struct ibc_error err = { "" };
	struct ibc_state *st;

	(void)state;
	assert_int_equal(ibc_state_open("missing/st", &st, &err), -ENOENT);
	assert_non_null(strstr(err.text, "missing/st"));
	assert_int_equal(ibc_state_open("missing/", &st, NULL), -ENOENT);
}

static void a_name_that_is_too_long_is_said(void **state)
{
	char *name = malloc(5000);
	struct ibc_state *st;

	(void)state;
	assert_non_null(name);
	memset(name, 'x', 4999);
	name[4999] = '\0';
	assert_int_equal(ibc_state_open(name, &st, NULL), -ENAMETOOLONG);
	free(name);
}

static void a_lock_that_is_a_link_is_not_followed(void **state)
{
	struct ibc_state *st;

	(void)state;
	assert_int_equal(symlink("victim", "st.lock"), 0);
	assert_int_equal(ibc_state_open("st", &st, NULL), -ELOOP);
	assert_false(exists("victim"));
}

/* A limit on the size of files stands for a disk that fills. */
static void a_disk_that_fills_leaves_the_old_state(void **state)
{
	const struct rlimit small = { 512, RLIM_INFINITY };
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct ibc_error err = { "" };
	struct ibc_state *st;

	(void)state;
	run("st", 2);
	st = take("st");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(write_fabric(st, 20, &err), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_non_null(strstr(err.text, strerror(EFBIG)));
	assert_int_equal(ibc_state_commit(st, NULL), 0);
	ibc_state_free(st);
	assert_false(exists("st.new"));
	assert_int_equal(found("st"), 2);
}

static void a_place_that_is_gone_is_said(void **state)
{
	struct ibc_state *st;

	(void)state;
	assert_int_equal(mkdir("sub", 0755), 0);
	st = take("sub/st");
	assert_int_equal(rename("sub", "moved"), 0);
	assert_int_equal(write_fabric(st, 1, NULL), -ENOENT);
	assert_int_equal(rename("moved", "sub"), 0);
	assert_int_equal(write_fabric(st, 1, NULL), 0);
	assert_int_equal(rename("sub", "moved"), 0);
	assert_int_equal(ibc_state_commit(st, NULL), -ENOENT);
	ibc_state_free(st);
}

static void without_memory_it_fails_and_leaves_nothing(void **state)
{
	struct ibc_fabric *fab = fabric(1);
	int rc = -ENOMEM;

	(void)state;
	for (unsigned long n = 1; rc; n++) {
		struct ibc_state *st = NULL;

		alloc_fail_at(n);
		rc = ibc_state_open("st", &st, NULL);
		if (!rc)
			rc = ibc_state_write(st, fab, NULL);
		alloc_fail_at(0);
		assert_true(!rc || rc == -ENOMEM);
		ibc_state_free(st);
		assert_false(exists("st.new"));
	}
	ibc_fabric_free(fab);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_run_finds_nothing),
		TEST(a_run_finds_what_the_last_one_left),
		TEST(a_name_may_ask_for_compression_but_for_no_other_format),
		TEST(what_was_not_committed_is_gone),
		TEST(without_a_write_a_commit_does_nothing),
		TEST(a_run_that_is_killed_loses_no_interval),
		TEST(a_new_state_may_be_read_by_whom_the_old_one_might),
		TEST(a_link_stays_a_link),
		TEST(a_state_named_like_a_source_is_a_file),
		TEST(a_second_run_is_told_who_has_it),
		TEST(a_holder_that_left_no_number_is_another_run),
		TEST(cut_anywhere_it_is_damaged_and_never_smaller),
		TEST(set_aside_it_is_kept_and_so_is_the_one_before),
		TEST(only_a_file_is_a_state),
		TEST(a_directory_that_is_missing_is_said),
		TEST(a_name_that_is_too_long_is_said),
		TEST(a_lock_that_is_a_link_is_not_followed),
		TEST(a_disk_that_fills_leaves_the_old_state),
		TEST(a_place_that_is_gone_is_said),
		TEST(without_memory_it_fails_and_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
