/* SPDX-License-Identifier: BSD-2-Clause */
/* How IPoIB interfaces are set up, and storage that uses them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>

#include "hostfindings.h"

static void an_interface_that_is_well_is_not_told(void **state)
{
	struct ibc_host *now = mk_host();
	struct ibc_rdma_device *device = mk_device(now, "mlx5_0");
	struct ibc_netdev *ib0 = mk_netdev(now, "ib0", device);

	(void)state;
	mk_has_address(now, ib0, "10.1.0.1", 24);
	mk_netdev(now, "eth0", NULL)->ipoib = false;
	expect_host(NULL, now, "ipoib", "");
}

static void no_carrier_on_an_active_port_is_a_group_not_joined(void **state)
{
	struct ibc_host *now = mk_host();
	struct ibc_rdma_device *device = mk_device(now, "mlx5_0"), *down = mk_device(now, "mlx5_1");

	(void)state;
	mk_port(down)->state = IBC_STATE_DOWN;
	mk_netdev(now, "ib0", device)->carrier = false;
	mk_netdev(now, "ib1", down)->carrier = false;
	expect_host(NULL, now, "ipoib.config",
	            "warning ib0: is up without a carrier although its port is Active: it could "
	            "not join the broadcast group\n");
}

static void an_interface_without_an_address_is_a_note(void **state)
{
	struct ibc_host *now = mk_host();
	struct ibc_netdev *ib0 = mk_netdev(now, "ib0", NULL), *ib1 = mk_netdev(now, "ib1", NULL);

	(void)state;
	mk_has_address(now, ib0, "fe80::1", 64);
	mk_has_address(now, ib1, "fe80::2", 64);
	ib1->master = "bond0";
	expect_host(NULL, now, "ipoib.config",
	            "info ib0: has no address: the RDMA connection manager cannot use it\n");
}

static void a_limited_member_is_told_by_the_table_of_its_port(void **state)
{
	static const uint16_t limited[] = { 0xffff, 0x1 }, both[] = { 0x1, 0x8001 };
	struct ibc_host *now = mk_host();
	struct ibc_rdma_device *a = mk_device(now, "mlx5_0"), *b = mk_device(now, "mlx5_1");

	(void)state;
	mk_port(a)->pkeys = limited;
	mk_port(b)->pkeys = both;
	mk_port(a)->num_pkeys = mk_port(b)->num_pkeys = 2;
	mk_netdev(now, "ib0", a);
	mk_netdev(now, "ib0.8001", a)->pkey = 0x8001;
	mk_netdev(now, "ib1.8001", b)->pkey = 0x8001;
	expect_host(NULL, now, "ipoib.config",
	            "warning ib0.8001: is a limited member of its partition (P_Key 0x0001): it "
	            "reaches only full members\n");
}

/* Two interfaces; the second with this address. */
static struct ibc_host *host_of_two(const char *address, unsigned int prefix)
{
	struct ibc_host *now = mk_host();

	mk_has_address(now, mk_netdev(now, "ib0", NULL), "10.1.4.1", prefix);
	mk_has_address(now, mk_netdev(now, "ib1", NULL), address, prefix);
	return now;
}

static void two_of_one_subnet_are_in_one_mode_with_one_mtu(void **state)
{
	struct ibc_host *now = host_of_two("10.1.7.2", 22);
	struct ibc_netdev *ib1 = now->netdevs.items[1];

	(void)state;
	ib1->mode = IBC_IPOIB_CONNECTED;
	ib1->mtu = 65520;
	expect_host(NULL, now, "ipoib.config,ipoib.mtu",
	            "warning ib0: is in datagram mode, ib1 on the same subnet in connected mode\n");
	now = host_of_two("10.1.7.2", 22);
	((struct ibc_netdev *)now->netdevs.items[1])->mtu = 4092;
	expect_host(NULL, now, "ipoib.config,ipoib.mtu",
	            "warning ib0: has an MTU of 2044, ib1 on the same subnet 4092\n");
	now = host_of_two("10.1.8.2", 22); /* the next subnet */
	((struct ibc_netdev *)now->netdevs.items[1])->mtu = 4092;
	expect_host(NULL, now, "ipoib.config,ipoib.mtu", "");
}

static void in_datagram_mode_the_mtu_is_that_of_the_group(void **state)
{
	static const unsigned int mtus[] = { 2044, 4092, 1500, 65520 };
	struct ibc_host *now = mk_host();

	(void)state;
	for (size_t i = 0; i < 4; i++)
		mk_netdev(now, i == 2 ? "ib2" : "ib", NULL)->mtu = mtus[i];
	((struct ibc_netdev *)now->netdevs.items[3])->mode = IBC_IPOIB_CONNECTED;
	mk_netdev(now, "ib4", NULL)->mtu = 1500;
	((struct ibc_netdev *)now->netdevs.items[4])->mode = IBC_IPOIB_UNKNOWN;
	expect_host(
	    NULL, now, "ipoib.mtu",
	    "warning ib2: has an MTU of 1500 in datagram mode, where it must be 2044 or 4092\n");
}

static void one_address_on_two_interfaces_is_told_with_the_namespace(void **state)
{
	struct ibc_host *now = host_of_two("10.1.4.1", 24);
	struct ibc_netns *blue = host_new(now, &now->netns, sizeof(*blue));

	(void)state;
	assert_non_null(blue);
	*blue = (struct ibc_netns){ .inode = 2, .path = "/run/netns/blue" };
	((struct ibc_netdev *)now->netdevs.items[1])->netns = 1;
	expect_host(NULL, now, "ipoib.duplicate-address",
	            "warning ib0: has the address 10.1.4.1, and so has ib1 in /run/netns/blue\n");
	expect_host(NULL, host_of_two("10.1.4.2", 24), "ipoib.duplicate-address", "");
	now = mk_host(); /* link-local addresses may be alike */
	mk_has_address(now, mk_netdev(now, "ib0", NULL), "fe80::1", 64);
	mk_has_address(now, mk_netdev(now, "ib1", NULL), "fe80::1", 64);
	expect_host(NULL, now, "ipoib.duplicate-address", "");
}

static void storage_by_rdma_or_on_ethernet_is_well(void **state)
{
	struct ibc_host *now = mk_host();
	struct ibc_netdev *ib0 = mk_netdev(now, "ib0", NULL);

	(void)state;
	mk_storage(now, "nfs", "rdma", ib0);
	mk_storage(now, "lustre", "o2ib", ib0);
	mk_storage(now, "nvme", "", ib0);
	mk_storage(now, "nfs", "tcp", NULL);
	expect_host(NULL, now, "ipoib.storage", "");
}

static void storage_can_be_meant(void **state)
{
	static const char *const lists[] = { "mount:/scr*", "kind:smb", "subnet:10.1.0.0/24" };

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct ibc_host *now = mk_host();
		struct ibc_config *config;
		struct ibc_report *rep;

		mk_storage(now, "smb", "tcp", mk_netdev(now, "ib0", NULL));
		assert_int_equal(ibc_config_new(&config, NULL), 0);
		assert_int_equal(ibc_config_set(config, "ipoib.storage", "allow", lists[i], NULL),
		                 0);
		rep = report_of_host(NULL, now, "ipoib.storage", config);
		ibc_config_free(config);
		ibc_host_free(now);
		expect_of(rep, "");
	}
}

/* ---- slots of NFS -------------------------------------------------------------------------- */

#define SECONDS 10

/* A mount over ten seconds in which a thousand requests were sent, four of them at a time. */
struct pair {
	struct ibc_host *before, *now;
	struct ibc_storage *was, *is;
};

static struct pair mk_mount(const char *transport, const char *version)
{
	struct pair p = { .before = mk_host(), .now = mk_host() };

	p.was = mk_storage(p.before, "nfs", transport, NULL);
	p.is = mk_storage(p.now, "nfs", transport, NULL);
	p.was->version = p.is->version = version;
	p.was->rpc_known = p.is->rpc_known = true;
	p.was->rpc = p.is->rpc = (struct ibc_rpc){ 1, 5000, 1, 700, 900, 80000, 90000 };
	p.is->rpc.sent += 1000;
	p.is->rpc.rtt_ms += 4 * 1000 * SECONDS;
	p.now->seconds = p.before->seconds + SECONDS;
	return p;
}

static void expect_slots(struct pair p, const char *lines)
{
	expect_host(p.before, p.now, "ipoib.nfs-slots", lines);
}

static void requests_that_wait_for_an_rpc_slot_are_told(void **state)
{
	struct pair p = mk_mount("tcp", "3");

	(void)state;
	p.is->rpc.backlog += 999;
	expect_slots(p, "");
	p = mk_mount("tcp", "3");
	p.is->rpc.backlog += 37500;
	expect_slots(p, "warning /scratch: on average 37.5 requests to 10.1.0.9 wait for an RPC "
	                "slot of the client, while 4.0 are in flight\n");
	/* of each connection the backlog is its own */
	p = mk_mount("rdma", "4.2");
	p.was->rpc.connections = p.is->rpc.connections = 2;
	p.is->rpc.backlog += 1000;
	expect_slots(p,
	             "warning /scratch: on average 2.0 requests to 10.1.0.9 wait for an RPC slot "
	             "of the client, while 4.0 are in flight\n");
}

static void requests_that_are_held_back_lack_a_session_slot_or_a_credit(void **state)
{
	static const struct {
		const char *transport, *version, *lines;
	} cases[] = {
		{ "tcp", "3", "" }, /* what they wait for is not known */
		{ "tcp", "4.0", "" },
		{ "tcp", "4.1",
		  "warning /scratch: on average 16.0 requests to 10.1.0.9 wait for a slot of the "
		  "session, while 4.0 are in flight\n" },
		{ "rdma", "3",
		  "warning /scratch: on average 16.0 requests to 10.1.0.9 wait for a credit of the "
		  "server, while 4.0 are in flight\n" },
		{ "rdma", "4.2",
		  "warning /scratch: on average 16.0 requests to 10.1.0.9 wait for a slot of the "
		  "session, or a credit of the server, while 4.0 are in flight\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair p = mk_mount(cases[i].transport, cases[i].version);

		p.is->rpc.queue_ms += 20 * 1000 * SECONDS;
		p.is->rpc.sending += 4 * 1000; /* wait for their turn alone */
		expect_slots(p, cases[i].lines);
	}
}

static void waits_are_judged_only_where_both_readings_have_them(void **state)
{
	struct pair p;

	(void)state;
	for (int i = 0; i < 6; i++) {
		p = mk_mount("rdma", "4.2");
		p.is->rpc.backlog += i == 5 ? 0 : 37500;
		p.is->rpc.queue_ms += 20 * 1000 * SECONDS;
		if (i == 0)
			p.was->rpc_known = false;
		else if (i == 1)
			p.was->name = "/other";
		else if (i == 2)
			p.is->rpc.sent = p.was->rpc.sent;
		else if (i == 3)
			p.was->rpc.backlog = UINT64_MAX; /* mounted anew */
		else if (i == 4)
			p.now->seconds = p.before->seconds;
		else
			p.is->rpc.connects++; /* they waited for that */
		expect_slots(p, "");
	}
	p = mk_mount("rdma", "4.2");
	p.is->rpc.backlog += 37500;
	ibc_host_free(p.before);
	expect_host(NULL, p.now, "ipoib.nfs-slots", "");
}

static void waits_that_were_not_read_are_unknown(void **state)
{
	struct pair p = mk_mount("tcp", "4.2");

	(void)state;
	p.is->rpc_known = false; /* over UDP nothing is known */
	expect_slots(p, "");
	p = mk_mount("tcp", "4.2");
	p.is->rpc_known = false;
	note_unread(p.now, "/proc/*/mountstats", EACCES);
	expect_slots(p, "unknown node01: how many requests of NFS wait for slots is not known: "
	                "/proc/*/mountstats: Permission denied\n");
}

/* The same mount once more, by another name. */
static void add_mount(struct pair *p, const char *name)
{
	struct ibc_storage *was = mk_storage(p->before, "nfs", "tcp", NULL);
	struct ibc_storage *is = mk_storage(p->now, "nfs", "tcp", NULL);

	*was = *p->was;
	*is = *p->is;
	was->name = is->name = name;
	p->is = is;
}

static void mounts_of_one_server_are_one_fault(void **state)
{
	struct pair p = mk_mount("tcp", "4.2");

	(void)state;
	p.is->rpc.backlog += 2000;
	add_mount(&p, "/scratch2");
	expect_slots(p,
	             "warning /scratch: on average 2.0 requests to 10.1.0.9 wait for an RPC slot "
	             "of the client, while 4.0 are in flight\n");
}

/* Else a lesser fault hides it, and a pause of one mount gives the fault another name. */
static void the_worst_of_the_mounts_counts_and_the_first_names_them(void **state)
{
	struct pair p;

	(void)state;
	for (int busy = 0; busy < 2; busy++) {
		struct ibc_config *config;
		struct ibc_report *rep;

		p = mk_mount("tcp", "4.2");
		p.is->rpc.backlog += busy ? 2000 : 0;
		add_mount(&p, "/scratch2");
		p.is->rpc.backlog = p.was->rpc.backlog + 9000;
		add_mount(&p, "/scratch3");
		p.is->rpc.backlog = p.was->rpc.backlog + 3000;
		assert_int_equal(ibc_config_new(&config, NULL), 0);
		assert_int_equal(ibc_config_set(config, "ipoib.nfs-slots", "critical", "8", NULL),
		                 0);
		rep = report_of_host(p.before, p.now, "ipoib.nfs-slots", config);
		ibc_config_free(config);
		ibc_host_free(p.before);
		ibc_host_free(p.now);
		expect_of(rep, "critical /scratch: on average 9.0 requests to 10.1.0.9 of "
		               "/scratch2, which shares its connections, wait for an RPC slot of "
		               "the client, while 4.0 are in flight\n");
	}
}

static void the_limit_of_waiting_requests_is_the_sites(void **state)
{
	struct pair p = mk_mount("tcp", "4.2");
	struct ibc_config *config;
	struct ibc_report *rep;

	(void)state;
	p.is->rpc.backlog += 2000;
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "ipoib.nfs-slots", "warning", "3", NULL), 0);
	rep = report_of_host(p.before, p.now, "ipoib.nfs-slots", config);
	ibc_config_free(config);
	ibc_host_free(p.before);
	ibc_host_free(p.now);
	expect_of(rep, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interface_that_is_well_is_not_told),
		cmocka_unit_test(no_carrier_on_an_active_port_is_a_group_not_joined),
		cmocka_unit_test(an_interface_without_an_address_is_a_note),
		cmocka_unit_test(a_limited_member_is_told_by_the_table_of_its_port),
		cmocka_unit_test(two_of_one_subnet_are_in_one_mode_with_one_mtu),
		cmocka_unit_test(in_datagram_mode_the_mtu_is_that_of_the_group),
		cmocka_unit_test(one_address_on_two_interfaces_is_told_with_the_namespace),
		cmocka_unit_test(storage_by_rdma_or_on_ethernet_is_well),
		cmocka_unit_test(requests_that_wait_for_an_rpc_slot_are_told),
		cmocka_unit_test(requests_that_are_held_back_lack_a_session_slot_or_a_credit),
		cmocka_unit_test(waits_are_judged_only_where_both_readings_have_them),
		cmocka_unit_test(waits_that_were_not_read_are_unknown),
		cmocka_unit_test(mounts_of_one_server_are_one_fault),
		cmocka_unit_test(the_worst_of_the_mounts_counts_and_the_first_names_them),
		cmocka_unit_test(the_limit_of_waiting_requests_is_the_sites),
		cmocka_unit_test(storage_can_be_meant),
	};

	return cmocka_run_group_tests_name("ipoib_config", tests, NULL, NULL);
}
