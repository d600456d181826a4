/* SPDX-License-Identifier: BSD-2-Clause */
/* How IPoIB interfaces are set up, and storage that uses them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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
		cmocka_unit_test(storage_can_be_meant),
	};

	return cmocka_run_group_tests_name("ipoib_config", tests, NULL, NULL);
}
