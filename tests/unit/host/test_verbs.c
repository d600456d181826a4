/* SPDX-License-Identifier: BSD-2-Clause */
/* What libibverbs would load for a process: libraries, configuration and providers laid out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <rdma/rdma_netlink.h>

#include "base/arena.h"
#include "host/host.h"
#include "host/net/netlink.h"
#include "host/process/resources.h"
#include "mkproc.h"

#define RANK         100
#define MAPPED(path) "7f0000000000-7f0000001000 r-xp 00000000 08:01 1234   " path "\n"
#define SYSTEM       "usr/lib64/libibverbs.so.1"

/* As the linker leaves constants: among other bytes, each ended by NUL. */
#define LIBRARY(etc, dir, abi)                                                                     \
	"\177ELF\0\1junk\0" etc "/libibverbs.d\0fmt %s\0" dir "/lib%s-" abi ".so\0lib%s-" abi      \
	".so\0more"

#define put_library(path, text) put_bytes(path, text, sizeof(text))

/* A rank, with the system's libibverbs and all there is for mlx5 and rxe. */
static void put_all(const char *maps)
{
	put_process(RANK, 1, "rank");
	put(of_process(RANK, "maps"), maps);
	put_library(SYSTEM, LIBRARY("/etc", "/usr/lib64/libibverbs", "rdmav34"));
	put("etc/libibverbs.d/mlx5.driver", "driver mlx5\n");
	put("etc/libibverbs.d/rxe.driver", "driver rxe\n");
	put("usr/lib64/libibverbs/libmlx5-rdmav34.so", "");
	put("usr/lib64/libibverbs/librxe-rdmav34.so", "");
}

static struct ibc_host *host;

static const struct ibc_verbs *read_verbs_of(int pid)
{
	const struct ibc_process *process;

	if (!host)
		host = read_processes(0, NULL);
	process = ibc_host_process_by_pid(host, pid);
	assert_non_null(process);
	return process->verbs;
}

static int forget_root(void **state)
{
	ibc_host_free(host);
	host = NULL;
	return remove_root(state);
}

static void expect_names(const char *const *list, const char *names)
{
	char text[256] = "";

	assert_non_null(list);
	for (; *list; list++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ", *list);
	assert_string_equal(text, names);
}

static void where_it_looks_is_read_from_the_library(void **state)
{
	const struct ibc_verbs *verbs;

	(void)state;
	put_all(MAPPED("/usr/lib64/libibverbs.so.1"));
	verbs = read_verbs_of(RANK);
	assert_non_null(verbs);
	assert_string_equal(verbs->library, "/usr/lib64/libibverbs.so.1");
	assert_string_equal(verbs->abi, "rdmav34");
	assert_string_equal(verbs->directory, "/usr/lib64/libibverbs");
	assert_string_equal(verbs->config, "/etc/libibverbs.d");
	expect_names(verbs->drivers, "mlx5 rxe ");
	expect_names(verbs->providers, "mlx5 rxe ");
	expect_names(verbs->strangers, "");
	assert_null(ibc_host_unread(host, 0));
}

static void a_copy_looks_where_it_was_built_for(void **state)
{
	const struct ibc_verbs *verbs;

	(void)state;
	put_all(MAPPED("/conda/lib/libibverbs.so.1.14.57.0"));
	put_library("conda/lib/libibverbs.so.1.14.57.0",
	            LIBRARY("/conda/etc", "/conda/lib/libibverbs", "rdmav57"));
	put("conda/etc/libibverbs.d/mlx5.driver", "driver mlx5 \n# more\n");
	verbs = read_verbs_of(RANK);
	assert_string_equal(verbs->abi, "rdmav57");
	assert_string_equal(verbs->config, "/conda/etc/libibverbs.d");
	expect_names(verbs->drivers, "mlx5 ");
	expect_names(verbs->providers, "");
}

static void providers_of_another_libibverbs_are_strangers(void **state)
{
	const struct ibc_verbs *verbs;

	(void)state;
	put_all(MAPPED("/usr/lib64/libibverbs.so.1"));
	put_library(SYSTEM, LIBRARY("/etc", "/usr/lib64/libibverbs", "rdmav3"));
	put("usr/lib64/libibverbs/libmlx4-rdmav3.so", "");
	put("usr/lib64/libibverbs/README", "");
	verbs = read_verbs_of(RANK);
	expect_names(verbs->providers, "mlx4 ");
	expect_names(verbs->strangers, "libmlx5-rdmav34.so librxe-rdmav34.so ");
}

static void a_container_has_its_own(void **state)
{
	const struct ibc_verbs *verbs;

	(void)state;
	put_all(MAPPED("/usr/lib64/libibverbs.so.1"));
	put_process(RANK + 1, 1, "rank");
	put(of_process(RANK + 1, "maps"), MAPPED("/usr/lib64/libibverbs.so.1"));
	put_link(of_process(RANK + 1, "root"), "/containers/one");
	put_library("containers/one/" SYSTEM, LIBRARY("/etc", "/usr/lib64/libibverbs", "rdmav34"));
	verbs = read_verbs_of(RANK + 1);
	expect_names(verbs->drivers, "");
	expect_names(verbs->providers, "");
	expect_names(read_verbs_of(RANK)->providers, "mlx5 rxe ");
}

static void ranks_that_see_the_same_share_a_record(void **state)
{
	(void)state;
	put_all(MAPPED("/usr/lib64/libibverbs.so.1"));
	put_process(RANK + 1, 1, "rank");
	put(of_process(RANK + 1, "maps"), MAPPED("/usr/lib64/libibverbs.so.1"));
	assert_non_null(read_verbs_of(RANK));
	assert_ptr_equal(read_verbs_of(RANK), read_verbs_of(RANK + 1));
}

static void a_rank_without_it_would_find_the_systems_or_none(void **state)
{
	(void)state;
	put_all(MAPPED("/usr/lib64/libmpi.so.40"));
	assert_string_equal(read_verbs_of(RANK)->library, "/usr/lib64/libibverbs.so.1");
	ibc_host_free(host);
	host = NULL;
	assert_int_equal(unlink(below_root(SYSTEM)), 0);
	assert_string_equal(read_verbs_of(RANK)->library, "");
	ibc_host_free(host);
	host = NULL;
	put(of_process(RANK, "maps"), ""); /* no rank, and it uses none */
	assert_null(read_verbs_of(RANK));
}

static void a_library_of_another_make_or_that_is_gone_is_unread(void **state)
{
	static const char *const maps[] = {
		MAPPED("/usr/lib64/libibverbs.so.1 (deleted)"),
		MAPPED("/opt/libibverbs.so.1"),  /* it is not there */
		MAPPED("/opt2/libibverbs.so.1"), /* nor is a pattern in this one */
		MAPPED("/opt3/libibverbs.so.1"), /* nor a directory before it */
		MAPPED("/opt4/libibverbs.so.1"), /* nor what would end it */
	};

	(void)state;
	put_all("");
	put_library("opt2/libibverbs.so.1", "\177ELF rdmav2");
	put_library("opt3/libibverbs.so.1", "\177ELF\0/lib%s-rdmav34.so");
	put_bytes("opt4/libibverbs.so.1", "/x/lib%s-rdma", 13);
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		put(of_process(RANK, "maps"), maps[i]);
		assert_null(read_verbs_of(RANK));
		ibc_host_free(host);
		host = NULL;
	}
}

static void two_that_are_mapped_are_told(void **state)
{
	const struct ibc_process *process;

	(void)state;
	put_all(MAPPED("/usr/lib64/libibverbs.so.1") MAPPED("/usr/lib64/libibverbs.so.1")
	            MAPPED("/conda/lib/libibverbs.so.1") MAPPED("/x/libibverbs.so.1"));
	assert_non_null(read_verbs_of(RANK));
	process = ibc_host_process_by_pid(host, RANK);
	assert_string_equal(process->verbs_library, "/usr/lib64/libibverbs.so.1");
	assert_string_equal(process->verbs_other, "/conda/lib/libibverbs.so.1");
}

static void a_rank_that_hides_what_it_has_mapped_is_unread(void **state)
{
	(void)state;
	put_all("");
	put_texts(RANK, "environ", "PMI_RANK=0");
	assert_non_null(read_verbs_of(RANK));
	ibc_host_free(host);
	host = NULL;
	assert_int_equal(unlink(below_root(of_process(RANK, "maps"))), 0);
	assert_null(read_verbs_of(RANK));
}

static void directories_that_are_none_are_unread(void **state)
{
	(void)state;
	put_all(MAPPED("/usr/lib64/libibverbs.so.1"));
	put_library(SYSTEM, LIBRARY("/etc", "/etc/hostname", "rdmav34"));
	put("etc/hostname", "node1\n");
	assert_null(read_verbs_of(RANK));
}

static void running_out_of_memory_is_an_error_wherever_it_happens(void **state)
{
	(void)state;
	put_all(MAPPED("/usr/lib64/libibverbs.so.1") MAPPED("/x/libibverbs.so.1"));
	host = read_failing(IBC_HOST_PROCESSES, NULL);
	expect_names(read_verbs_of(RANK)->providers, "mlx5 rxe ");
}

/* ---- namespaces of devices --------------------------------------------------------- */

static void the_kernel_tells_whether_namespaces_have_devices_of_their_own(void **state)
{
	static const char *const words[] = { "exclusive", "shared" };
	char buf[NETLINK_REQUEST_BYTES];

	(void)state;
	assert_int_equal(read_below(root, &host, NULL), 0);
	for (uint8_t mode = 0; mode < 2; mode++) {
		void *extra;
		struct nlmsghdr *message = netlink_request(buf, 0, 0, 0, &extra);

		assert_int_equal(resources_on_system(message, host), MNL_CB_STOP);
		assert_int_equal(host->facts.n, mode); /* it told nothing */
		mnl_attr_put_u8(message, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, mode);
		resources_on_system(message, host);
		assert_string_equal(ibc_host_fact(host, mode)->value, words[mode]);
	}
}

#define VERBS_TEST(f) cmocka_unit_test_setup_teardown(f, make_root, forget_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		VERBS_TEST(where_it_looks_is_read_from_the_library),
		VERBS_TEST(a_copy_looks_where_it_was_built_for),
		VERBS_TEST(providers_of_another_libibverbs_are_strangers),
		VERBS_TEST(a_container_has_its_own),
		VERBS_TEST(ranks_that_see_the_same_share_a_record),
		VERBS_TEST(a_rank_without_it_would_find_the_systems_or_none),
		VERBS_TEST(a_library_of_another_make_or_that_is_gone_is_unread),
		VERBS_TEST(two_that_are_mapped_are_told),
		VERBS_TEST(a_rank_that_hides_what_it_has_mapped_is_unread),
		VERBS_TEST(directories_that_are_none_are_unread),
		VERBS_TEST(running_out_of_memory_is_an_error_wherever_it_happens),
		VERBS_TEST(the_kernel_tells_whether_namespaces_have_devices_of_their_own),
	};

	return cmocka_run_group_tests_name("verbs", tests, NULL, NULL);
}
