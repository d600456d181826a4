/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sockets may be of processes that nobody may look into, and which are the kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/host.h"
#include "mkproc.h"

#define JOB   "sys/fs/cgroup/system.slice/job/cgroup.procs"
#define OTHER "sys/fs/cgroup/unified/init.scope/cgroup.procs"

static uint64_t inode_above(const char *path)
{
	char dir[PATH_MAX];
	struct stat st;

	snprintf(dir, sizeof(dir), "%s", below_root(path));
	*strrchr(dir, '/') = '\0';
	assert_int_equal(stat(dir, &st), 0);
	return st.st_ino;
}

/* A root with a process 100 of user 1000 that may not be looked into. */
static struct ibc_host *host_with(const char *cgroup)
{
	struct ibc_host *host;
	struct dir proc;

	put(JOB, "");
	put(OTHER, "");
	put_process(100, 1, "rank");
	put(of_process(100, "cgroup"), cgroup);
	assert_int_equal(read_below(root, &host, NULL), 0);
	proc = open_path(host, "/proc", false);
	add_denied(host, &proc, 100);
	add_denied(host, &proc, 100); /* another like it */
	close_dir(&proc);
	assert_int_equal(host->denied.n, 1);
	return host;
}

static bool may_be(const struct ibc_host *host, unsigned int uid, uint64_t cgroup)
{
	const struct ibc_socket socket = { .uid = uid, .cgroup = cgroup };

	return may_be_denied(host, &socket);
}

static void a_socket_of_another_user_is_not_of_the_process(void **state)
{
	struct ibc_host *host = host_with("0::/system.slice/job\n");

	(void)state;
	assert_true(may_be(host, 1000, inode_above(JOB)));
	assert_true(may_be(host, 1000, 0));
	assert_false(may_be(host, 0, inode_above(JOB)));
	assert_false(may_be(host, 0, 0));
	ibc_host_free(host);
}

static void a_socket_of_another_control_group_is_not_either(void **state)
{
	struct ibc_host *host = host_with("4:memory:/\n0::/init.scope\n");

	(void)state;
	assert_true(may_be(host, 1000, inode_above(OTHER)));
	assert_false(may_be(host, 1000, inode_above(JOB)));
	ibc_host_free(host);
}

static void who_has_no_group_that_is_known_may_have_any(void **state)
{
	struct ibc_host *host = host_with("4:memory:/job\n0::/gone\n");

	(void)state;
	assert_true(may_be(host, 1000, inode_above(JOB)));
	assert_false(may_be(host, 0, inode_above(JOB)));
	ibc_host_free(host);
}

static void who_tells_no_user_may_have_any_socket(void **state)
{
	struct ibc_host *host;
	struct dir proc;

	(void)state;
	put("proc/100/status", "Name:\trank\n");
	assert_int_equal(read_below(root, &host, NULL), 0);
	proc = open_path(host, "/proc", false);
	add_denied(host, &proc, 4711); /* it has ended */
	assert_false(may_be(host, 0, 0));
	add_denied(host, &proc, 100);
	close_dir(&proc);
	assert_true(may_be(host, 0, 0));
	ibc_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_socket_of_another_user_is_not_of_the_process),
		TEST(a_socket_of_another_control_group_is_not_either),
		TEST(who_has_no_group_that_is_known_may_have_any),
		TEST(who_tells_no_user_may_have_any_socket),
	};

	return cmocka_run_group_tests_name("denied", tests, NULL, NULL);
}
