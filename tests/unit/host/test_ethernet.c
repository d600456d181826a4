/* SPDX-License-Identifier: BSD-2-Clause */
/* What is read of RoCE ports: from a captured tree, and what netlink and ethtool answer. */
#include <errno.h>
#include <linux/ethtool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/net/dcb.h"
#include "host/net/ethtool.h"
#include "mkdcb.h"
#include "mkhost.h"
#include "mkstack.h"

#define NET "sys/class/net/"

static int read_all(struct ibc_host **host)
{
	const struct ibc_host_opts opts = { .root = root, .parts = IBC_HOST_ETHERNET };

	return ibc_host_read(&opts, host, NULL);
}

static struct ibc_host *read_roce(void)
{
	struct ibc_host *host;

	assert_int_equal(read_all(&host), 0);
	return host;
}

static void put_in(const char *class_dir, const char *name, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s%s/%s", class_dir, name, file);
	put(path, text);
}

static void put_gid(const char *device, unsigned int index, const char *gid, const char *type,
                    const char *interface)
{
	static const char *const files[] = { "gids", "gid_attrs/types", "gid_attrs/ndevs" };
	const char *const texts[] = { gid, type, interface };
	char file[64];

	for (size_t i = 0; i < 3; i++) {
		snprintf(file, sizeof(file), "ports/1/%s/%u", files[i], index);
		put_in(CLASS, device, file, texts[i]);
	}
}

static void put_interface(const char *name, const char *mtu)
{
	put_in(NET, name, "type", "1\n");
	put_in(NET, name, "mtu", mtu);
	put_in(NET, name, "operstate", "up\n");
}

#define LINK_LOCAL "fe80:0000:0000:0000:0e42:a1ff:fe00:0001\n"
#define IPV4       "0000:0000:0000:0000:0000:ffff:0a02:0001\n"

static void put_roce(const char *device, const char *interface)
{
	put_device(device);
	put_in(CLASS, device, "ports/1/link_layer", "Ethernet\n");
	put_gid(device, 0, LINK_LOCAL, "IB/RoCE v1\n", interface);
	put_gid(device, 1, LINK_LOCAL, "RoCE v2\n", interface);
	put_gid(device, 2, IPV4, "IB/RoCE v1\n", interface);
	put_gid(device, 3, IPV4, "RoCE v2\n", interface);
	put_interface(interface, "9000\n");
}

static void put_ecn(const char *interface, const char *point, const char *text)
{
	char file[64];

	for (unsigned int i = 0; i < IBC_PRIORITIES; i++) {
		snprintf(file, sizeof(file), "ecn/%s/enable/%u", point, i);
		put_in(NET, interface, file, text);
	}
}

/* ---- ports ------------------------------------------------------------------------------ */

static void a_port_has_its_interface_its_gid_and_its_mtu(void **state)
{
	const struct ibc_ethernet *e;
	struct ibc_host *host;

	(void)state;
	put_roce("mlx5_0", "ens1f0");
	host = read_roce();
	e = ibc_host_ethernet(host, 0);
	assert_non_null(e);
	assert_string_equal(e->device->name, "mlx5_0");
	assert_int_equal(e->port, 1);
	assert_string_equal(e->netdev->name, "ens1f0");
	assert_int_equal(e->gid->index, 3);
	assert_int_equal(e->rdma_mtu, 4096);
	assert_false(e->dcb_known || e->pause_known || e->ecn_known || e->software);
	assert_int_equal(e->dcb_error, 0);
	assert_int_equal(e->traffic_class, -1);
	assert_int_equal(e->cm_tos, -1);
	assert_string_equal(e->cm_mode, "");
	assert_null(ibc_host_ethernet(host, 1));
	ibc_host_free(host);
}

static void infiniband_and_iwarp_are_no_roce(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	put_roce("irdma0", "ens1f0");
	put(CLASS "irdma0/node_type", "4: RNIC\n");
	put_device("efa_0");
	put(CLASS "efa_0/ports/1/link_layer", "Unspecified\n");
	host = read_roce();
	assert_null(ibc_host_ethernet(host, 0));
	ibc_host_free(host);
}

static void without_gids_the_device_says_which_interface(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	put(CLASS "mlx5_0/ports/1/link_layer", "Ethernet\n");
	put(CLASS "mlx5_0/device/net/ens1f1/dev_port", "1\n");
	put(CLASS "mlx5_0/device/net/ens1f0/dev_port", "0\n");
	put(CLASS "mlx5_0/device/net/ens1f9/dev_port", "\xff\n");
	put_interface("ens1f0", "1500\n");
	put_interface("ens1f1", "1500\n");
	host = read_roce();
	assert_string_equal(ibc_host_ethernet(host, 0)->netdev->name, "ens1f0");
	assert_int_equal(ibc_host_ethernet(host, 0)->rdma_mtu, 1024);
	ibc_host_free(host);
}

static void a_port_whose_interface_is_elsewhere_is_a_port(void **state)
{
	const struct ibc_ethernet *e;
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	put(CLASS "mlx5_0/ports/1/link_layer", "Ethernet\n");
	put_gid("mlx5_0", 0, IPV4, "RoCE v2\n", "net1\n");
	host = read_roce();
	e = ibc_host_ethernet(host, 0);
	assert_true(e && !e->netdev);
	assert_int_equal(e->gid->index, 0);
	assert_int_equal(e->rdma_mtu, 0);
	ibc_host_free(host);
}

static void members_of_a_bond_stand_for_it(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_roce("mlx5_bond_0", "bond0");
	put_interface("ens1f0", "9000\n");
	put_interface("ens1f1", "9000\n");
	put_link(NET "ens1f0/master", "../bond0");
	put_link(NET "ens1f1/master", "../bond0");
	host = read_roce();
	assert_string_equal(ibc_host_ethernet(host, 0)->netdev->name, "ens1f0");
	assert_string_equal(ibc_host_ethernet(host, 1)->netdev->name, "ens1f1");
	assert_null(ibc_host_ethernet(host, 2));
	ibc_host_free(host);
}

static void rxe_is_software(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_roce("rxe0", "eth0");
	put(CLASS "rxe0/parent", "eth0\n");
	host = read_roce();
	assert_true(ibc_host_ethernet(host, 0)->software);
	ibc_host_free(host);
}

static void the_best_gid_is_v2_with_an_address_of_ours(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_roce("mlx5_0", "ens1f0");
	put_gid("mlx5_0", 3, IPV4, "RoCE v2\n", "elsewhere\n");
	put_gid("mlx5_0", 5, "2001:0db8:0000:0000:0000:0000:0000:0001\n", "RoCE v2\n", "ens1f0\n");
	put_gid("mlx5_0", 7, IPV4, "RoCE v2\n", "ens1f0\n");
	host = read_roce();
	assert_int_equal(ibc_host_ethernet(host, 0)->gid->index, 7);
	ibc_host_free(host);
}

static void rdma_gets_the_power_of_two_that_fits(void **state)
{
	static const struct {
		const char *mtu;
		unsigned int rdma;
	} cases[] = { { "9000\n", 4096 }, { "4200\n", 4096 }, { "4192\n", 4096 },
		      { "4191\n", 2048 }, { "1500\n", 1024 }, { "352\n", 256 },
		      { "351\n", 0 },     { "0\n", 0 },       { "4294967295\n", 4096 },
		      { "lots\n", 0 } };
	struct ibc_host *host;

	(void)state;
	put_roce("mlx5_0", "ens1f0");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put(NET "ens1f0/mtu", cases[i].mtu);
		host = read_roce();
		assert_int_equal(ibc_host_ethernet(host, 0)->rdma_mtu, cases[i].rdma);
		ibc_host_free(host);
	}
}

/* ---- ECN, traffic classes ------------------------------------------------------------------ */

static void ecn_is_told_by_priority(void **state)
{
	const struct ibc_ethernet *e;
	struct ibc_host *host;

	(void)state;
	put_roce("mlx5_0", "ens1f0");
	put_ecn("ens1f0", "roce_np", "1\n");
	put_ecn("ens1f0", "roce_rp", "0\n");
	put(NET "ens1f0/ecn/roce_rp/enable/3", "1\n");
	host = read_roce();
	e = ibc_host_ethernet(host, 0);
	assert_true(e->ecn_known);
	assert_int_equal(e->ecn_np, 0xff);
	assert_int_equal(e->ecn_rp, 1 << 3);
	assert_string_equal(ibc_host_fact_of(host, "ens1f0", "ecn_rp_priorities")->value, "3");
	ibc_host_free(host);
}

static void ecn_that_one_file_does_not_tell_is_not_known(void **state)
{
	static const char *const texts[] = { "", "\n", "2\n", "on\n", "\xff\xfe", "11\n" };
	struct ibc_host *host;

	(void)state;
	put_roce("mlx5_0", "ens1f0");
	put_ecn("ens1f0", "roce_np", "1\n");
	put_ecn("ens1f0", "roce_rp", "1\n");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		put(NET "ens1f0/ecn/roce_np/enable/7", texts[i]);
		host = read_roce();
		assert_false(ibc_host_ethernet(host, 0)->ecn_known);
		ibc_host_free(host);
	}
	assert_int_equal(unlink(below_root(NET "ens1f0/ecn/roce_np/enable/7")), 0);
	host = read_roce();
	assert_false(ibc_host_ethernet(host, 0)->ecn_known);
	ibc_host_free(host);
}

static void the_class_that_the_driver_forces_is_read(void **state)
{
	static const struct {
		const char *text;
		int class;
	} cases[] = { { "Global tclass=106\n", 106 },
		      { "", -1 },
		      { "Global tclass=256\n", -1 },
		      { "106\n", -1 },
		      { "\xff\x01", -1 },
		      { "Global tclass=\n", -1 },
		      { "tclass=96 src=10.0.0.1\n", -1 } };
	struct ibc_host *host;

	(void)state;
	put_roce("mlx5_0", "ens1f0");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put(CLASS "mlx5_0/tc/1/traffic_class", cases[i].text);
		host = read_roce();
		assert_int_equal(ibc_host_ethernet(host, 0)->traffic_class, cases[i].class);
		ibc_host_free(host);
	}
}

static void the_connection_manager_is_read_where_somebody_set_it_up(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_roce("mlx5_0", "ens1f0");
	put("sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode", "IB/RoCE v1\n");
	put("sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos", "106\n");
	host = read_roce();
	assert_string_equal(ibc_host_ethernet(host, 0)->cm_mode, "IB/RoCE v1");
	assert_int_equal(ibc_host_ethernet(host, 0)->cm_tos, 106);
	ibc_host_free(host);
}

static void files_of_any_content_do_no_harm(void **state)
{
	static char huge[65536];
	struct ibc_host *host;

	(void)state;
	memset(huge, 'x', sizeof(huge) - 1);
	put_roce("mlx5_0", "ens1f0");
	put_gid("mlx5_0", 1, huge, huge, huge);
	put_gid("mlx5_0", 2, "\xff\xff\n", "\x1b[2J\n", "\n");
	put(CLASS "mlx5_0/node_type", huge);
	put(CLASS "mlx5_0/tc/1/traffic_class", huge);
	put_ecn("ens1f0", "roce_np", huge);
	host = read_roce();
	assert_null(ibc_host_ethernet(host, 0)); /* what type it is, is not what a kernel writes */
	ibc_host_free(host);
	put(CLASS "mlx5_0/node_type", "");
	host = read_roce();
	assert_int_equal(ibc_host_ethernet(host, 0)->gid->index, 3);
	assert_false(ibc_host_ethernet(host, 0)->ecn_known);
	ibc_host_free(host);
}

static void running_out_of_memory_is_an_error(void **state)
{
	struct ibc_host *host = NULL;
	int rc = -ENOMEM;

	(void)state;
	put_roce("mlx5_0", "bond0");
	put_interface("ens1f0", "1500\n");
	put_link(NET "ens1f0/master", "../bond0");
	put_ecn("ens1f0", "roce_np", "1\n");
	put_ecn("ens1f0", "roce_rp", "1\n");
	for (unsigned int n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = read_all(&host);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
	}
	ibc_host_free(host);
}

/* ---- DCB ------------------------------------------------------------------------------------ */

static void dcb_is_taken_whole(void **state)
{
	struct ibc_host *host = mk_host();
	struct ibc_ethernet e = { 0 };
	char buf[DCB_BYTES];

	(void)state;
	dcb_take(host, mk_dcb_whole(buf), &e);
	assert_true(e.dcb_known && e.peer_known && e.trusts_dscp);
	assert_int_equal(e.pfc, 1 << 3);
	assert_int_equal(e.classes, 8);
	assert_int_equal(e.peer_pfc, 1 << 4);
	assert_int_equal(e.dcbx, DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE);
	assert_int_equal(e.bandwidth[3], 50);
	assert_int_equal(e.class_of[7], 7);
	assert_int_equal(e.num_apps, 2);
	assert_int_equal(e.apps[0].selector, IBC_DCB_DSCP);
	assert_int_equal(e.apps[0].protocol, 26);
	assert_int_equal(e.apps[0].priority, 3);
	assert_int_equal(e.apps[1].priority, 6);
	ibc_host_free(host);
}

static void a_second_answer_takes_the_place_of_the_first(void **state)
{
	struct ibc_host *host = mk_host();
	struct ibc_ethernet e = { 0 };
	char buf[DCB_BYTES];

	(void)state;
	dcb_take(host, mk_dcb_whole(buf), &e);
	dcb_take(host, mk_dcb_whole(buf), &e);
	assert_int_equal(e.num_apps, 2);
	assert_int_equal(e.apps[1].protocol, 48);
	ibc_host_free(host);
}

static void an_answer_without_flow_control_leaves_it_unknown(void **state)
{
	struct ibc_host *host = mk_host();
	struct ibc_ethernet e = { 0 };
	char buf[DCB_BYTES];
	struct nlmsghdr *nlh = mk_dcb(buf);
	struct nlattr *ieee = mnl_attr_nest_start(nlh, DCB_ATTR_IEEE);

	(void)state;
	mnl_attr_put_u8(nlh, DCB_ATTR_IEEE_PFC, 8); /* shorter than it is */
	mnl_attr_nest_end(nlh, ieee);
	dcb_take(host, nlh, &e);
	assert_false(e.dcb_known || e.peer_known || e.trusts_dscp);
	assert_int_equal(e.num_apps, 0);
	ibc_host_free(host);
}

static void a_table_of_trust_outweighs_the_entries(void **state)
{
	struct ibc_host *host = mk_host();
	struct ibc_ethernet e = { 0 };
	char buf[DCB_BYTES];
	struct nlmsghdr *nlh = mk_dcb(buf);
	struct nlattr *ieee = mnl_attr_nest_start(nlh, DCB_ATTR_IEEE), *nest;

	(void)state;
	nest = mnl_attr_nest_start(nlh, DCB_ATTR_IEEE_APP_TABLE);
	mk_dcb_app(nlh, IEEE_8021QAZ_APP_SEL_DSCP, 26, 3);
	mnl_attr_nest_end(nlh, nest);
	nest = mnl_attr_nest_start(nlh, DCB_TRUST_TABLE);
	mnl_attr_put_u8(nlh, 2, 255); /* the PCP of a VLAN tag */
	mnl_attr_nest_end(nlh, nest);
	mnl_attr_nest_end(nlh, ieee);
	dcb_take(host, nlh, &e);
	assert_false(e.trusts_dscp);
	ibc_host_free(host);
}

/* Every byte of a message changed, and every length. */
static void damaged_answers_do_no_harm(void **state)
{
	char whole[DCB_BYTES], buf[DCB_BYTES];
	struct nlmsghdr *nlh = mk_dcb_whole(whole);
	struct ibc_host *host = mk_host();
	uint32_t first = sizeof(*nlh) + sizeof(struct dcbmsg);

	(void)state;
	for (uint32_t at = first; at < nlh->nlmsg_len; at++) {
		for (unsigned int value = 0; value < 256; value += 5) {
			struct ibc_ethernet e = { 0 };

			memcpy(buf, whole, sizeof(buf));
			buf[at] = (char)value;
			dcb_take(host, (struct nlmsghdr *)buf, &e);
			assert_true(e.num_apps <= DCB_BYTES / sizeof(struct nlattr));
		}
		memcpy(buf, whole, sizeof(buf));
		((struct nlmsghdr *)buf)->nlmsg_len = at;
		dcb_take(host, (struct nlmsghdr *)buf, &(struct ibc_ethernet){ 0 });
	}
	ibc_host_free(host);
}

/* ---- statistics --------------------------------------------------------------------------- */

static bool is_wanted(const char *statistic)
{
	return !strncmp(statistic, "tx_pause", 8);
}

/* Names in places of 32 bytes, which need no end. */
static struct ethtool_gstrings *names_of(const char *const *names, uint32_t n)
{
	struct ethtool_gstrings *all = calloc(1, sizeof(*all) + (size_t)n * ETH_GSTRING_LEN);

	assert_non_null(all);
	all->len = n;
	for (uint32_t i = 0; i < n; i++)
		memcpy(all->data + (size_t)i * ETH_GSTRING_LEN, names[i],
		       strnlen(names[i], ETH_GSTRING_LEN));
	return all;
}

static void statistics_are_taken_by_name(void **state)
{
	static const char *const texts[] = { "rx_packets", "tx_pause_storm_warning_events ",
		                             "tx_pause_\xff", "tx_pause_of_a_name_of_32_letters",
		                             "" };
	struct ethtool_gstrings *names = names_of(texts, ARRAY_SIZE(texts));
	struct ethtool_stats *values = calloc(1, sizeof(*values) +
	                                             ARRAY_SIZE(texts) * sizeof(uint64_t));
	struct ibc_host *host = mk_host();
	struct ibc_named out[ARRAY_SIZE(texts)];

	(void)state;
	assert_non_null(values);
	values->n_stats = ARRAY_SIZE(texts);
	for (uint32_t i = 0; i < ARRAY_SIZE(texts); i++)
		values->data[i] = 100 + i;
	assert_int_equal(ethtool_take(host, names, values, is_wanted, out), 3);
	assert_string_equal(out[0].name, "tx_pause_storm_warning_events");
	assert_int_equal(out[0].value, 101);
	assert_string_not_equal(out[1].name, "tx_pause_\xff"); /* fit for a terminal */
	assert_string_equal(out[2].name, "tx_pause_of_a_name_of_32_letters");
	values->n_stats = 2;
	assert_int_equal(ethtool_take(host, names, values, is_wanted, out), 1);
	free(names);
	free(values);
	ibc_host_free(host);
}

/* ---- a real host -------------------------------------------------------------------------- */

#define CAPTURE "../shared/data/sysfs-h100"

/* Of its one bond the capture has neither GIDs nor an interface. */
static void what_a_capture_lacks_is_unknown(void **state)
{
	const struct ibc_host_opts opts = {
		.root = root, .parts = ibc_check_parts(ibc_check_select("roce", NULL))
	};
	char *capture = realpath(CAPTURE, NULL);
	struct ibc_host *host;

	(void)state;
	if (!capture) {
		print_message("SKIPPED: there is no " CAPTURE "\n");
		skip();
	}
	put_link("sys/class/infiniband", capture);
	free(capture);
	assert_int_equal(ibc_host_read(&opts, &host, NULL), 0);
	says_over(host, host, NULL, "roce",
	          "unknown this host: ECN of mlx5_bond_0/1 is not known: only the vendor's mlx5 "
	          "driver reports it (/sys/class/net/INTERFACE/ecn), and no notification was sent "
	          "or handled yet\n"
	          "unknown mlx5_bond_0/1: whether it has a RoCE v2 GID is not known: the kernel "
	          "does not report it\n"
	          "unknown this host: global pause of mlx5_bond_0/1 is not known: the kernel "
	          "does not name an interface\n"
	          "unknown this host: the MTU of mlx5_bond_0/1 is not known: the kernel does not "
	          "name an interface\n"
	          "unknown this host: pauses of mlx5_bond_0/1 is not known: the kernel does not "
	          "name an interface\n"
	          "unknown this host: flow control (PFC) of mlx5_bond_0/1 is not known: the "
	          "kernel does not name an interface\n");
	ibc_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_port_has_its_interface_its_gid_and_its_mtu),
		TEST(infiniband_and_iwarp_are_no_roce),
		TEST(without_gids_the_device_says_which_interface),
		TEST(a_port_whose_interface_is_elsewhere_is_a_port),
		TEST(members_of_a_bond_stand_for_it),
		TEST(rxe_is_software),
		TEST(the_best_gid_is_v2_with_an_address_of_ours),
		TEST(rdma_gets_the_power_of_two_that_fits),
		TEST(ecn_is_told_by_priority),
		TEST(ecn_that_one_file_does_not_tell_is_not_known),
		TEST(the_class_that_the_driver_forces_is_read),
		TEST(the_connection_manager_is_read_where_somebody_set_it_up),
		TEST(files_of_any_content_do_no_harm),
		TEST(running_out_of_memory_is_an_error),
		TEST(dcb_is_taken_whole),
		TEST(a_second_answer_takes_the_place_of_the_first),
		TEST(an_answer_without_flow_control_leaves_it_unknown),
		TEST(a_table_of_trust_outweighs_the_entries),
		TEST(damaged_answers_do_no_harm),
		TEST(statistics_are_taken_by_name),
		TEST(what_a_capture_lacks_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
