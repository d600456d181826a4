/* SPDX-License-Identifier: BSD-2-Clause */
/* A host's own ports in the model: what sysfs tells, and nothing it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <ibcheck/source.h>

#include "base/arena.h"
#include "mkroot.h"

static struct ibc_fabric *load(void)
{
	struct ibc_host *host = read_host();
	struct ibc_fabric *fab;
	struct ibc_error err = { "" };

	if (ibc_fabric_from_host(host, &fab, &err))
		fail_msg("%s", err.text);
	/* the fabric may not point into it */
	ibc_host_free(host);
	assert_int_equal(ibc_fabric_verify(fab, NULL), 0);
	return fab;
}

static void assert_refused(const char *sentence)
{
	struct ibc_host *host = read_host();
	struct ibc_fabric *fab = NULL;
	struct ibc_error err = { "" };

	assert_int_equal(ibc_fabric_from_host(host, &fab, &err), -ENODEV);
	assert_string_equal(err.text, sentence);
	assert_null(fab);
	ibc_host_free(host);
}

static void a_port_becomes_one_of_the_model(void **state)
{
	const struct ibc_node *node;
	const struct ibc_port *port;
	struct ibc_fabric *fab;

	(void)state;
	put_device("mlx5_0");
	fab = load();
	assert_int_equal(ibc_fabric_count(fab).nodes, 1);
	node = ibc_fabric_node(fab, 0);
	assert_true(node->guid == 0x0002c903007b78b0);
	assert_true(node->system_guid == 0x0002c903007b78b1);
	assert_int_equal(node->type, IBC_NODE_CA);
	assert_string_equal(node->desc, "node01 mlx5_0");
	assert_string_equal(node->name, "mlx5_0");
	port = ibc_node_port(node, 1);
	assert_true(ibc_port_is_up(port));
	assert_true(port->guid == 0x0002c903007b78b2);
	assert_int_equal(port->state, IBC_STATE_ACTIVE);
	assert_int_equal(port->phys_state, IBC_PHYS_LINKUP);
	assert_int_equal(port->width_active, IBC_WIDTH_4X);
	assert_int_equal(port->speed_active, IBC_SPEED_EDR);
	assert_int_equal(port->lid, 42);
	assert_int_equal(port->lmc, 1);
	assert_int_equal(port->sm_lid, 1);
	assert_int_equal(port->sm_sl, 3);
	assert_int_equal(port->cap_mask, 0x2651e848);
	assert_true(port->subnet_prefix == 0xfe80000000000001);
	assert_null(port->peer);
	ibc_fabric_free(fab);
}

static void what_sysfs_does_not_tell_stays_not_told(void **state)
{
	const struct ibc_port *port;
	const struct ibc_subnet *subnet;
	struct ibc_fabric *fab;

	(void)state;
	put_device("mlx5_0");
	fab = load();
	subnet = ibc_fabric_subnet(fab, 0);
	port = ibc_fabric_port(fab, 0);
	assert_string_equal(subnet->kind, "local");
	assert_false(ibc_attrs_meet(subnet->provides,
	                            IBC_ATTRS(IBC_ATTR_SWITCH_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO)));
	assert_int_equal(port->width_enabled | port->width_supported, 0);
	assert_int_equal(port->speed_enabled | port->speed_supported, 0);
	assert_int_equal(port->mtu_cap | port->mtu_active, 0);
	assert_int_equal(port->vl_cap | port->vl_active, 0);
	ibc_fabric_free(fab);
}

static void a_port_that_is_down_has_no_width_or_speed(void **state)
{
	const struct ibc_port *port;
	struct ibc_fabric *fab;

	(void)state;
	put_device("mlx5_0");
	put(CLASS "mlx5_0/ports/1/state", "1: DOWN\n");
	put(CLASS "mlx5_0/ports/1/phys_state", "3: Disabled\n");
	put(CLASS "mlx5_0/ports/1/rate", "10 Gb/sec (4X SDR)\n");
	fab = load();
	port = ibc_fabric_port(fab, 0);
	assert_true(ibc_port_has(port, IBC_ATTR_PORT_INFO));
	assert_false(ibc_port_is_up(port));
	assert_int_equal(port->phys_state, IBC_PHYS_DISABLED);
	assert_int_equal(port->width_active, 0);
	assert_int_equal(port->speed_active, 0);
	assert_false(ibc_port_unanswered(port, IBC_ATTR_LINK));
	ibc_fabric_free(fab);
}

static void an_unread_state_is_a_query_without_an_answer(void **state)
{
	static const char *const files[] = { "state", "phys_state" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct ibc_port *port;
		struct ibc_fabric *fab;

		put_device("mlx5_0");
		snprintf(path, sizeof(path), CLASS "mlx5_0/ports/1/%s", files[i]);
		assert_int_equal(unlink(below_root(path)), 0);
		fab = load();
		port = ibc_fabric_port(fab, 0);
		assert_true(ibc_port_unanswered(port, IBC_ATTR_PORT_INFO));
		assert_false(ibc_port_is_up(port));
		assert_int_equal(port->state, IBC_STATE_UNKNOWN);
		assert_int_equal(ibc_fabric_coverage(fab, IBC_ATTR_PORT_INFO).timed_out, 1);
		ibc_fabric_free(fab);
	}
}

static void an_unread_rate_is_a_query_without_an_answer(void **state)
{
	const struct ibc_port *port;
	struct ibc_fabric *fab;

	(void)state;
	put_device("mlx5_0");
	put(CLASS "mlx5_0/ports/1/rate", "N/A\n");
	fab = load();
	port = ibc_fabric_port(fab, 0);
	assert_true(ibc_port_is_up(port));
	assert_true(ibc_port_unanswered(port, IBC_ATTR_LINK));
	ibc_fabric_free(fab);
}

static void an_unread_node_guid_is_not_the_guid_zero(void **state)
{
	struct ibc_fabric *fab;

	(void)state;
	put_device("mlx5_0");
	put_device("mlx5_1");
	assert_int_equal(unlink(below_root(CLASS "mlx5_0/node_guid")), 0);
	assert_int_equal(unlink(below_root(CLASS "mlx5_0/node_desc")), 0);
	fab = load();
	assert_true(ibc_node_unanswered(ibc_fabric_node(fab, 0), IBC_ATTR_NODE_INFO));
	assert_string_equal(ibc_fabric_node(fab, 0)->name, "mlx5_0");
	assert_false(ibc_node_unanswered(ibc_fabric_node(fab, 1), IBC_ATTR_NODE_INFO));
	ibc_fabric_free(fab);
}

static void ethernet_ports_are_left_out(void **state)
{
	struct ibc_fabric *fab;

	(void)state;
	put_device("mlx4_0");
	put(CLASS "mlx4_0/ports/2/link_layer", "Ethernet\n");
	put(CLASS "mlx4_0/ports/2/state", "1: DOWN\n");
	put_device("mlx5_bond_0");
	put(CLASS "mlx5_bond_0/ports/1/link_layer", "Ethernet\n");
	fab = load();
	assert_int_equal(ibc_fabric_count(fab).nodes, 1);
	assert_int_equal(ibc_fabric_count(fab).ports, 1);
	ibc_fabric_free(fab);
}

static void an_ethernet_port_before_an_infiniband_one_is_not_asked(void **state)
{
	struct ibc_fabric *fab;

	(void)state;
	put_device("mlx4_0");
	put(CLASS "mlx4_0/ports/1/link_layer", "Ethernet\n");
	put(CLASS "mlx4_0/ports/2/link_layer", "InfiniBand\n");
	put(CLASS "mlx4_0/ports/2/state", "2: INIT\n");
	put(CLASS "mlx4_0/ports/2/phys_state", "5: LinkUp\n");
	fab = load();
	assert_int_equal(ibc_fabric_port(fab, 0)->answers.asked, 0);
	assert_int_equal(ibc_fabric_port(fab, 1)->state, IBC_STATE_INIT);
	ibc_fabric_free(fab);
}

static void lids_wider_than_the_field_s_are_none(void **state)
{
	struct ibc_fabric *fab;

	(void)state;
	put_device("hfi1_0");
	put(CLASS "hfi1_0/ports/1/lid", "0x10001\n");
	fab = load();
	assert_int_equal(ibc_fabric_port(fab, 0)->lid, 0);
	ibc_fabric_free(fab);
}

static void a_host_without_devices_says_so(void **state)
{
	(void)state;
	assert_refused(
	    "this host has no RDMA device: no HCA is installed, or its driver is not loaded");
}

static void a_host_with_ethernet_alone_says_so(void **state)
{
	(void)state;
	put_device("mlx5_0");
	put(CLASS "mlx5_0/ports/1/link_layer", "Ethernet\n");
	put_device("mlx5_1");
	put(CLASS "mlx5_1/ports/1/link_layer", "Ethernet\n");
	assert_refused("this host has no InfiniBand port: all of its RDMA devices (2, with 2 "
	               "ports) are Ethernet");
}

static void a_host_whose_devices_cannot_be_read_says_why(void **state)
{
	char sentence[PATH_MAX + 128];

	(void)state;
	make_dirs(CLASS);
	assert_int_equal(symlink("nowhere", below_root(CLASS "mlx5_0")), 0);
	snprintf(sentence, sizeof(sentence),
	         "cannot read %s: %s: no port can be checked without it",
	         below_root(CLASS "mlx5_0"), strerror(ENOENT));
	assert_refused(sentence);
}

static void a_host_whose_devices_have_no_ports_says_so(void **state)
{
	(void)state;
	put(CLASS "mlx5_0/node_type", "1: CA\n");
	put(CLASS "mlx5_0/node_guid", "0002:c903:007b:78b0\n");
	put(CLASS "mlx5_0/sys_image_guid", "0002:c903:007b:78b0\n");
	make_dirs(CLASS "mlx5_0/ports/");
	assert_refused("the RDMA devices of this host (1) have no ports");
}

static void running_out_of_memory_is_an_error_wherever_it_happens(void **state)
{
	struct ibc_fabric *fab = NULL;
	struct ibc_host *host;
	unsigned long n = 0;
	int rc;

	(void)state;
	put_device("mlx5_0");
	host = read_host();
	do {
		alloc_fail_at(++n);
		rc = ibc_fabric_from_host(host, &fab, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
	} while (rc);
	assert_true(n > 5);
	ibc_fabric_free(fab);
	ibc_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_port_becomes_one_of_the_model),
		TEST(what_sysfs_does_not_tell_stays_not_told),
		TEST(a_port_that_is_down_has_no_width_or_speed),
		TEST(an_unread_state_is_a_query_without_an_answer),
		TEST(an_unread_rate_is_a_query_without_an_answer),
		TEST(an_unread_node_guid_is_not_the_guid_zero),
		TEST(ethernet_ports_are_left_out),
		TEST(an_ethernet_port_before_an_infiniband_one_is_not_asked),
		TEST(lids_wider_than_the_field_s_are_none),
		TEST(a_host_without_devices_says_so),
		TEST(a_host_with_ethernet_alone_says_so),
		TEST(a_host_whose_devices_cannot_be_read_says_why),
		TEST(a_host_whose_devices_have_no_ports_says_so),
		TEST(running_out_of_memory_is_an_error_wherever_it_happens),
	};

	return cmocka_run_group_tests_name("local", tests, NULL, NULL);
}
