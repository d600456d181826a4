/* SPDX-License-Identifier: BSD-2-Clause */
/* What the verdicts on IPoIB rest on: sockets, allow lists, the share of a port. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mkscene.h"

static void rdma_may_use_other_ports_than_tcp(void **state)
{
	struct scene s = { "", NCCL, "slurm", 8, 40, 400, .qps = 8, .files = 1 };
	struct ibc_host *before = host_of(&s, 0), *now = host_of(&s, SECONDS);
	struct told t;

	(void)state;
	mk_device(before, "mlx5_1");
	mk_carried(mk_device(now, "mlx5_1"), 20e9 * SECONDS);
	t = told_of(before, now, NULL);
	assert_int_equal(t.all[0].weight[TERM_RDMA], -3);
	assert_int_equal(t.all[0].verdict, FALLBACK_POSSIBLE);
	assert_int_equal(t.all[0].score, 3);
	forget(&t);
}

static void a_host_that_talks_to_itself_crosses_no_fabric(void **state)
{
	struct ibc_host *now = host_of(&forced, SECONDS);
	struct told t;

	(void)state;
	for (size_t i = 0; i < now->sockets.n; i++) {
		struct ibc_socket *s = now->sockets.items[i];

		s->remote = s->local;
	}
	t = told_of(host_of(&forced, 0), now, NULL);
	assert_int_equal(t.all[0].sockets, 0);
	assert_int_equal(t.all[0].verdict, FALLBACK_AT_RISK);
	forget(&t);
}

static void sockets_are_followed_by_inode(void **state)
{
	struct ibc_host *before = mk_host(), *now = mk_host();
	struct told t;

	(void)state;
	mk_process(now, FIRST, "rank");
	mk_socket(before, NULL, FIRST, 1e6); /* closed since */
	mk_socket(before, NULL, FIRST, 2e6);
	mk_socket(before, NULL, FIRST, 9e6); /* closed, its inode used again */
	mk_socket(now, NULL, FIRST, 0)->inode = 102;
	((struct ibc_socket *)now->sockets.items[0])->sent = 5000000;
	mk_socket(now, NULL, FIRST, 1e6)->inode = 103;
	mk_socket(now, NULL, FIRST, 4e6)->inode = 110; /* new */
	now->seconds = 1;
	t = told_of(before, now, NULL);
	assert_float_equal(t.all[0].bytes_per_second, 8e6, 1);
	assert_int_equal(t.all[0].bytes, 10000000);
	forget(&t);
}

static void the_interface_is_that_of_the_busiest_socket(void **state)
{
	struct ibc_host *now = mk_host();
	struct ibc_netdev *ib0 = mk_netdev(now, "ib0", NULL), *ib1 = mk_netdev(now, "ib1", NULL);
	struct told t;

	(void)state;
	mk_process(now, FIRST, "rank");
	mk_socket(now, ib1, FIRST, 10);
	mk_socket(now, ib0, FIRST, 9e9);
	mk_socket(now, ib1, FIRST, 10);
	t = told_of(NULL, now, NULL);
	assert_ptr_equal(t.all[0].netdev, ib0);
	assert_int_equal(t.all[0].weight[TERM_TRAFFIC], 2);
	forget(&t);
}

static void workloads_are_named_by_job_group_or_process(void **state)
{
	static const struct {
		const char *kind;
		int n;
		const char *name;
	} names[] = {
		{ "slurm", 2, "job 4711 (slurm)" },
		{ "pgrp", 2, "program, process group 4711" },
		{ "pgrp", 1, "program, PID 100" },
		{ NULL, 0, "the kernel itself" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct scene s = { "", 0, names[i].kind, names[i].n, 2, .tcp = 1 };
		struct told t = told_of_scene(&s);

		assert_string_equal(t.all[0].name, names[i].name);
		forget(&t);
	}
}

static void processes_without_a_job_are_a_workload_each(void **state)
{
	struct scene s = { "", MPI, "", 2, 2, .tcp = 900 };
	struct ibc_host *now = host_of(&s, SECONDS);
	struct told t;

	(void)state;
	for (size_t i = 0; i < now->processes.n; i++)
		((struct ibc_process *)now->processes.items[i])->job = "";
	t = told_of(host_of(&s, 0), now, NULL);
	assert_int_equal(t.n, 2);
	assert_string_equal(t.all[0].name, "program, PID 100");
	assert_string_equal(t.all[1].name, "program, PID 101");
	forget(&t);
}

static void an_allow_list_names_by_kind(void **state)
{
	static const char list[] = " comm:rsync* ,job:4711,user:0";

	(void)state;
	assert_true(allow_names(list, "comm", "rsync-ssl"));
	assert_true(allow_names(list, "job", "4711"));
	assert_true(allow_names(list, "user", "0"));
	assert_false(allow_names(list, "comm", "scp"));
	assert_false(allow_names(list, "job", "47110"));
	assert_false(allow_names(list, "mount", "rsync"));
	assert_false(allow_names(NULL, "comm", "rsync"));
	assert_false(allow_names("", "comm", ""));
	assert_false(allow_names(" , ,", "comm", "rsync"));
}

static void an_allow_list_names_subnets_by_the_bit(void **state)
{
	static const struct {
		const char *list, *address;
		bool named;
	} subnets[] = {
		{ "subnet:10.1.0.0/16", "10.1.255.1", true },
		{ "subnet:10.1.0.0/16", "10.2.0.1", false },
		{ "subnet:10.1.4.0/22", "10.1.7.255", true },
		{ "subnet:10.1.4.0/22", "10.1.8.0", false },
		{ "subnet:10.1.0.9", "10.1.0.9", true },
		{ "subnet:10.1.0.9", "10.1.0.8", false },
		{ "subnet:0.0.0.0/0", "10.1.0.8", true },
		{ "subnet:0.0.0.0/0", "fd00::1", false },
		{ "subnet:fd00::/8", "fdff::1", true },
		{ "subnet:fd00::/8", "fe80::1", false },
		{ "job:1,subnet:fd00::/8", "fdff::1", true },
		/* what is no subnet is not everything */
		{ "subnet:10.1.0.0/", "10.1.0.9", false },
		{ "subnet:10.1.0.0/x", "10.1.0.9", false },
		{ "subnet:10.1.0.0/33", "10.1.0.0", false },
		{ "subnet:ib0", "10.1.0.9", false },
		{ "comm:10.1.0.0/16", "10.1.0.9", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(subnets) / sizeof(subnets[0]); i++) {
		struct ibc_address address = mk_address(subnets[i].address, 0);

		assert_int_equal(allow_names_address(subnets[i].list, &address), subnets[i].named);
	}
	assert_false(allow_names_address(NULL, &(struct ibc_address){ 0 }));
}

/* ---- the share of a port ------------------------------------------------------------- */

static struct port_load load_of(const struct scene *s)
{
	struct ibc_host *before = host_of(s, 0), *now = host_of(s, SECONDS);
	const struct ibc_rdma_device *d = ibc_host_device(now, 0);
	struct port_load load;

	assert_true(port_load(before, now, d, &d->ports[0], &load));
	assert_false(port_load(NULL, now, d, &d->ports[0], &load));
	assert_false(port_load(now, now, d, &d->ports[0], &load));
	assert_true(port_load(before, now, d, &d->ports[0], &load));
	load.device = NULL;
	load.port = NULL;
	ibc_host_free(before);
	ibc_host_free(now);
	return load;
}

static void the_share_is_of_all_that_a_port_carries(void **state)
{
	struct scene s = { "", .tcp = 250, .rdma = 750 };
	struct port_load load = load_of(&s);

	(void)state;
	assert_float_equal(load.bytes_per_second, 1e9, 1);
	assert_float_equal(port_load_share(&load), 0.25, 0.01);
	assert_false(load.apart);
	s.rdma = 0;
	load = load_of(&s);
	assert_float_equal(port_load_share(&load), 1, 0.001);
	assert_float_equal(port_load_rdma(&load), 0, 0.001);
	s.tcp = 0;
	load = load_of(&s);
	assert_float_equal(port_load_share(&load), 0, 0.001);
}

static void ports_that_do_not_count_ipoib_are_added(void **state)
{
	struct scene s = { "", .sockets = 1, .tcp = 900, .rdma = -800 };
	struct port_load load = load_of(&s);

	(void)state;
	assert_true(load.apart);
	assert_float_equal(port_load_share(&load), 0.9, 0.01);
	assert_float_equal(port_load_rdma(&load), 100e6, 1);
	expect_scene(&s, "ipoib.share",
	             "warning mlx5_0/1: carries 914 MB/s of IPoIB, 90 % of all its traffic\n");
}

static void a_port_is_told_by_its_share_unless_a_workload_is(void **state)
{
	struct scene s = { "", .tcp = 300, .rdma = 700 };

	(void)state;
	expect_scene(&s, "ipoib.share",
	             "info mlx5_0/1: carries 305 MB/s of IPoIB, 30 % of all its traffic\n");
	s.tcp = 20;
	s.rdma = 0; /* too little to matter */
	expect_scene(&s, "ipoib.share", "");
	s.tcp = 90;
	s.rdma = 5000;
	expect_scene(&s, "ipoib.share", "");
	expect_scene(&forced, "ipoib.share", "");
}

static void a_port_without_counters_has_no_share(void **state)
{
	struct ibc_host *before = host_of(&forced, 0), *now = host_of(&forced, SECONDS);
	const struct ibc_rdma_device *d = ibc_host_device(now, 0);
	struct port_load load;
	struct told t;

	(void)state;
	mk_port(before->devices.items[0])->num_counters = 0;
	assert_true(port_load(before, now, d, &d->ports[0], &load));
	assert_true(port_load_share(&load) < 0);
	t = told_of(before, now, NULL);
	assert_true(t.all[0].share < 0);
	assert_true(t.all[0].rdma_bytes_per_second < 0);
	assert_int_equal(t.all[0].weight[TERM_SHARE], 0);
	forget(&t);
}

/* udev gives devices other names ("ibp65s0"), perhaps between two readings. */
static void a_device_that_was_renamed_in_the_window_has_no_share(void **state)
{
	struct ibc_host *before = host_of(&forced, 0), *now = host_of(&forced, SECONDS);
	struct ibc_rdma_device *device = now->devices.items[0];
	struct port_load load;
	struct told t;

	(void)state;
	device->name = "ibp65s0";
	assert_false(port_load(before, now, device, &device->ports[0], &load) &&
	             load.bytes_per_second >= 0);
	t = told_of(before, now, NULL);
	assert_true(t.all[0].share < 0);
	assert_int_equal(t.all[0].verdict, FALLBACK_CONFIRMED);
	forget(&t);
}

static void what_a_bond_carries_is_counted_once(void **state)
{
	struct scene s = { "", .tcp = 250, .rdma = 750 };
	struct ibc_host *before = host_of(&s, 0), *now = host_of(&s, SECONDS);
	const struct ibc_rdma_device *d = ibc_host_device(now, 0);
	struct ibc_netdev *bond;
	struct port_load load;

	(void)state;
	mk_netdev(before, "bond0", ibc_host_device(before, 0))->kind = "bond";
	bond = mk_netdev(now, "bond0", d);
	bond->kind = "bond";
	bond->tx_bytes = 2500000000;
	assert_true(port_load(before, now, d, &d->ports[0], &load));
	assert_float_equal(port_load_share(&load), 0.25, 0.01);
	ibc_host_free(before);
	ibc_host_free(now);
}

static void traffic_that_is_meant_is_no_share_to_tell(void **state)
{
	struct scene s = { "", 0, "pgrp", 1, 1, .tcp = 900 };
	struct ibc_host *before = host_of(&s, 0), *now = host_of(&s, SECONDS);
	struct ibc_config *config;
	struct ibc_report *rep;

	(void)state;
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "ipoib.fallback", "allow", "comm:program", NULL),
	                 0);
	rep = report_of_host(before, now, "ipoib", config);
	ibc_config_free(config);
	ibc_host_free(before);
	ibc_host_free(now);
	expect_of(rep, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rdma_may_use_other_ports_than_tcp),
		cmocka_unit_test(a_host_that_talks_to_itself_crosses_no_fabric),
		cmocka_unit_test(sockets_are_followed_by_inode),
		cmocka_unit_test(the_interface_is_that_of_the_busiest_socket),
		cmocka_unit_test(workloads_are_named_by_job_group_or_process),
		cmocka_unit_test(processes_without_a_job_are_a_workload_each),
		cmocka_unit_test(an_allow_list_names_by_kind),
		cmocka_unit_test(an_allow_list_names_subnets_by_the_bit),
		cmocka_unit_test(the_share_is_of_all_that_a_port_carries),
		cmocka_unit_test(ports_that_do_not_count_ipoib_are_added),
		cmocka_unit_test(a_port_is_told_by_its_share_unless_a_workload_is),
		cmocka_unit_test(a_port_without_counters_has_no_share),
		cmocka_unit_test(a_device_that_was_renamed_in_the_window_has_no_share),
		cmocka_unit_test(what_a_bond_carries_is_counted_once),
		cmocka_unit_test(traffic_that_is_meant_is_no_share_to_tell),
	};

	return cmocka_run_group_tests_name("fallback", tests, NULL, NULL);
}
