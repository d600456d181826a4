/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of the GIDs and the MTU of RoCE ports. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mkroce.h"

#define PORT(e) ((struct ibc_rdma_port *)(e)->device->ports)

static void a_port_as_it_should_be_is_fine(void **state)
{
	struct ibc_host *h = mk_roce_host(), *was = mk_roce_host();

	(void)state;
	mk_roce(h, "mlx5_0", "ens1f0");
	mk_roce(was, "mlx5_0", "ens1f0");
	h->seconds = 10;
	expect_host(was, h, "roce", "");
}

static void a_host_without_roce_is_not_healthy(void **state)
{
	struct ibc_host *h = mk_roce_host();

	(void)state;
	mk_device(h, "mlx5_0");
	expect_host(NULL, h, "roce,-roce.loss,-roce.pause-storm",
	            "unknown node01: has no RoCE port: there is nothing to check\n");
}

static void whatever_check_is_chosen_says_that_there_is_none(void **state)
{
	(void)state;
	expect_host(NULL, mk_roce_host(), "roce.ecn,roce.lossy",
	            "unknown node01: has no RoCE port: there is nothing to check\n");
}

static void a_host_whose_ports_are_all_down_is_not_healthy(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");

	(void)state;
	PORT(e)->state = IBC_STATE_DOWN;
	PORT(e)->phys_state = IBC_PHYS_DISABLED;
	expect_host(NULL, h, "roce.gid,roce.mtu",
	            "info mlx5_0/1 (ens1f0): is Down, physically Disabled, and is not checked\n"
	            "unknown node01: has no active RoCE port: there is nothing to check\n");
}

static void a_port_that_is_down_is_a_note(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e;

	(void)state;
	mk_roce(h, "mlx5_0", "ens1f0");
	e = mk_roce(h, "mlx5_1", "ens2f0");
	PORT(e)->state = IBC_STATE_DOWN;
	PORT(e)->phys_state = IBC_PHYS_POLLING;
	e->rdma_mtu = 1024;
	expect_host(NULL, h, "roce.gid,roce.mtu",
	            "info mlx5_1/1 (ens2f0): is Down, physically Polling, and is not checked\n");
}

static void a_state_that_was_not_read_is_unknown(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e;

	(void)state;
	mk_roce(h, "mlx5_0", "ens1f0");
	e = mk_roce(h, "mlx5_1", "ens2f0");
	PORT(e)->state = 0;
	note_unread(h, "/sys/class/infiniband/mlx5_1/ports/1/state", EACCES);
	expect_host(NULL, h, "roce.gid",
	            "unknown mlx5_1/1 (ens2f0): its state is not known: "
	            "/sys/class/infiniband/mlx5_1/ports/1/state: Permission denied\n");
}

/* ---- GIDs ---------------------------------------------------------------------------- */

static void a_port_without_gids_is_critical(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");

	(void)state;
	PORT(e)->num_gids = 0;
	expect_host(NULL, h, "roce.gid",
	            "critical mlx5_0/1 (ens1f0): has no GID: no program can use it\n");
}

static void a_port_with_roce_v1_only_is_critical(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");

	(void)state;
	PORT(e)->num_gids = 1;
	expect_host(NULL, h, "roce.gid",
	            "critical mlx5_0/1 (ens1f0): has no RoCE v2 GID, only 1 of RoCE v1, which no "
	            "router forwards\n");
}

static void gids_whose_type_is_not_told_are_unknown(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");

	(void)state;
	PORT(e)->num_gids = 0;
	mk_gid(e, 0, "10.2.0.1", "");
	expect_host(NULL, h, "roce.gid",
	            "unknown mlx5_0/1 (ens1f0): whether it has a RoCE v2 GID is not known: the "
	            "kernel does not report it\n");
}

static void a_gid_table_that_is_not_there_is_unknown(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");

	(void)state;
	PORT(e)->gids = NULL;
	PORT(e)->num_gids = 0;
	note_unread(h, "/sys/class/infiniband/mlx5_0/ports/1/gids", EACCES);
	expect_host(NULL, h, "roce.gid",
	            "unknown mlx5_0/1 (ens1f0): whether it has a RoCE v2 GID is not known: "
	            "/sys/class/infiniband/mlx5_0/ports/1/gids: Permission denied\n");
}

static void a_link_local_address_alone_is_a_warning(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");

	(void)state;
	PORT(e)->num_gids = 2;
	expect_host(NULL, h, "roce.gid",
	            "warning mlx5_0/1 (ens1f0): has a RoCE v2 GID of its link-local address only: "
	            "programs that look for an IPv4 address do not find it\n");
}

static void ipv6_alone_is_a_note(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");

	(void)state;
	PORT(e)->num_gids = 2;
	mk_gid(e, 2, "2001:db8::1", "RoCE v2");
	expect_host(NULL, h, "roce.gid",
	            "info mlx5_0/1 (ens1f0): has RoCE v2 GIDs of IPv6 addresses only: NCCL needs "
	            "NCCL_IB_ADDR_FAMILY=AF_INET6\n");
}

static void a_connection_manager_of_v1_is_a_warning(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");

	(void)state;
	e->cm_mode = "IB/RoCE v1";
	expect_host(NULL, h, "roce.gid",
	            "warning mlx5_0/1 (ens1f0): uses RoCE v1 for programs that connect by the RDMA "
	            "connection manager\n");
}

/* ---- the GID that somebody chose --------------------------------------------------------- */

static void an_index_of_v1_is_told_with_its_program(void **state)
{
	struct ibc_host *h = mk_roce_host();

	(void)state;
	mk_roce(h, "mlx5_0", "ens1f0");
	mk_setting(h, mk_nccl(h, 42), "NCCL_IB_GID_INDEX", "2", IBC_EFFECT_NONE);
	expect_host(NULL, h, "roce.gid",
	            "warning python, PID 42: sends from GID 2 (NCCL_IB_GID_INDEX=2, environ), "
	            "which is RoCE v1 on mlx5_0/1 (ens1f0)\n");
}

static void ranks_of_one_mind_are_one_finding(void **state)
{
	struct ibc_host *h = mk_roce_host();

	(void)state;
	mk_roce(h, "mlx5_0", "ens1f0");
	mk_roce(h, "mlx5_1", "ens2f0");
	for (int pid = 42; pid < 50; pid++)
		mk_setting(h, mk_nccl(h, pid), "NCCL_IB_GID_INDEX", "5", IBC_EFFECT_NONE);
	expect_host(NULL, h, "roce.gid",
	            "critical python, PID 42 and 7 more: sends from GID 5 (NCCL_IB_GID_INDEX=5, "
	            "environ), which is empty on mlx5_0/1 (ens1f0), mlx5_1/1 (ens2f0)\n");
}

static void what_is_wrong_with_one_index_is_one_finding(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e;

	(void)state;
	mk_roce(h, "mlx5_0", "ens1f0");
	e = mk_roce(h, "mlx5_1", "ens2f0");
	PORT(e)->num_gids = 2;
	mk_gid(e, 4, "10.2.0.2", "RoCE v2");
	mk_setting(h, mk_nccl(h, 42), "NCCL_IB_GID_INDEX", "2", IBC_EFFECT_NONE);
	expect_host(NULL, h, "roce.gid",
	            "critical python, PID 42: sends from GID 2 (NCCL_IB_GID_INDEX=2, environ), "
	            "which is empty on mlx5_1/1 (ens2f0), and RoCE v1 on mlx5_0/1 (ens1f0)\n");
}

static void an_index_of_v2_is_fine(void **state)
{
	struct ibc_host *h = mk_roce_host();

	(void)state;
	mk_roce(h, "mlx5_0", "ens1f0");
	mk_setting(h, mk_nccl(h, 42), "NCCL_IB_GID_INDEX", "3", IBC_EFFECT_NONE);
	mk_setting(h, mk_nccl(h, 43), "UCX_IB_GID_INDEX", "auto", IBC_EFFECT_NONE);
	mk_setting(h, mk_nccl(h, 44), "NCCL_IB_GID_INDEX", "-1", IBC_EFFECT_NONE);
	expect_host(NULL, h, "roce.gid", "");
}

static void devices_that_a_program_leaves_out_do_not_count(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e;
	struct ibc_process *p;
	struct ibc_setting *s;

	(void)state;
	mk_roce(h, "mlx5_0", "ens1f0");
	e = mk_roce(h, "mlx5_9", "ens9f0");
	PORT(e)->num_gids = 2;
	mk_gid(e, 5, "10.2.0.9", "RoCE v2");
	p = mk_nccl(h, 42);
	s = host_array(h, 2, sizeof(*s));
	assert_non_null(s);
	s[0] = (struct ibc_setting){ .name = "NCCL_IB_GID_INDEX",
		                     .value = "3",
		                     .where = "environ" };
	s[1] = (struct ibc_setting){ .name = "NCCL_IB_HCA",
		                     .value = "^mlx5_9",
		                     .where = "environ" };
	p->settings = s;
	p->num_settings = 2;
	expect_host(NULL, h, "roce.gid", "");
}

static void a_file_that_every_program_reads_is_told_of_the_host(void **state)
{
	static const struct ibc_setting setting = { .name = "NCCL_IB_GID_INDEX",
		                                    .value = "0",
		                                    .where = "/etc/nccl.conf:3",
		                                    .meaning = "" };
	struct ibc_host *h = mk_roce_host();

	(void)state;
	mk_roce(h, "mlx5_0", "ens1f0");
	h->settings = &setting;
	h->num_settings = 1;
	expect_host(NULL, h, "roce.gid",
	            "warning node01: sends from GID 0 (NCCL_IB_GID_INDEX=0, /etc/nccl.conf:3), "
	            "which is RoCE v1 on mlx5_0/1 (ens1f0)\n");
}

static void variables_that_may_not_be_read_are_unknown(void **state)
{
	static const char lines[] =
	    "unknown python, PID 42: uses RDMA, like 1 more, but its GID and traffic class are not "
	    "known: its environment cannot be read\n";
	struct ibc_host *h;

	(void)state;
	for (int i = 0; i < 2; i++) {
		h = mk_roce_host();
		mk_roce(h, "mlx5_0", "ens1f0");
		mk_nccl(h, 42)->unread = IBC_PROCESS_ENVIRON;
		mk_nccl(h, 43)->unread = IBC_PROCESS_ENVIRON;
		mk_process(h, 44, "bash")->unread = IBC_PROCESS_ENVIRON;
		expect_host(NULL, h, i ? "roce.pfc" : "roce.gid,roce.pfc", lines);
	}
}

/* ---- MTU ---------------------------------------------------------------------------------- */

static void an_mtu_of_1500_is_a_warning(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");

	(void)state;
	((struct ibc_netdev *)e->netdev)->mtu = 1500;
	e->rdma_mtu = 1024;
	expect_host(NULL, h, "roce.mtu",
	            "warning mlx5_0/1 (ens1f0): has an MTU of 1500: RDMA sends 1024 bytes per "
	            "packet, 4096 are possible\n");
}

static void of_software_it_is_a_note(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "rxe0", "eth0");

	(void)state;
	((struct ibc_netdev *)e->netdev)->mtu = 1500;
	e->rdma_mtu = 1024;
	e->software = true;
	expect_host(NULL, h, "roce.mtu",
	            "info rxe0/1 (eth0): has an MTU of 1500: RDMA sends 1024 bytes per packet, "
	            "4096 are possible\n");
}

static void an_mtu_without_room_is_critical(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");

	(void)state;
	((struct ibc_netdev *)e->netdev)->mtu = 300;
	e->rdma_mtu = 0;
	expect_host(
	    NULL, h, "roce.mtu",
	    "critical mlx5_0/1 (ens1f0): has an MTU of 300, too small for any RDMA packet\n");
}

static void an_interface_that_is_not_told_is_unknown(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_0", "ens1f0");

	(void)state;
	e->netdev = NULL;
	expect_host(NULL, h, "roce.mtu",
	            "unknown node01: the MTU of mlx5_0/1 is not known: the kernel does not name an "
	            "interface\n");
}

static void members_of_a_bond_are_one_port(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "mlx5_bond_0", "ens1f0"), *other;

	(void)state;
	other = host_new(h, &h->ethernet, sizeof(*other));
	assert_non_null(other);
	*other = *e;
	other->netdev = mk_netdev(h, "ens1f1", e->device);
	e->rdma_mtu = other->rdma_mtu = 1024;
	((struct ibc_netdev *)e->netdev)->mtu = 1500;
	PORT(e)->num_gids = 2;
	expect_host(NULL, h, "roce.gid,roce.mtu",
	            "warning mlx5_bond_0/1 (ens1f0): has a RoCE v2 GID of its link-local address "
	            "only: programs that look for an IPv4 address do not find it\n"
	            "warning mlx5_bond_0/1 (ens1f0): has an MTU of 1500: RDMA sends 1024 bytes per "
	            "packet, 4096 are possible\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_as_it_should_be_is_fine),
		cmocka_unit_test(a_host_without_roce_is_not_healthy),
		cmocka_unit_test(whatever_check_is_chosen_says_that_there_is_none),
		cmocka_unit_test(a_host_whose_ports_are_all_down_is_not_healthy),
		cmocka_unit_test(a_port_that_is_down_is_a_note),
		cmocka_unit_test(a_state_that_was_not_read_is_unknown),
		cmocka_unit_test(a_port_without_gids_is_critical),
		cmocka_unit_test(a_port_with_roce_v1_only_is_critical),
		cmocka_unit_test(gids_whose_type_is_not_told_are_unknown),
		cmocka_unit_test(a_gid_table_that_is_not_there_is_unknown),
		cmocka_unit_test(a_link_local_address_alone_is_a_warning),
		cmocka_unit_test(ipv6_alone_is_a_note),
		cmocka_unit_test(a_connection_manager_of_v1_is_a_warning),
		cmocka_unit_test(an_index_of_v1_is_told_with_its_program),
		cmocka_unit_test(ranks_of_one_mind_are_one_finding),
		cmocka_unit_test(what_is_wrong_with_one_index_is_one_finding),
		cmocka_unit_test(an_index_of_v2_is_fine),
		cmocka_unit_test(devices_that_a_program_leaves_out_do_not_count),
		cmocka_unit_test(a_file_that_every_program_reads_is_told_of_the_host),
		cmocka_unit_test(variables_that_may_not_be_read_are_unknown),
		cmocka_unit_test(an_mtu_of_1500_is_a_warning),
		cmocka_unit_test(of_software_it_is_a_note),
		cmocka_unit_test(an_mtu_without_room_is_critical),
		cmocka_unit_test(an_interface_that_is_not_told_is_unknown),
		cmocka_unit_test(members_of_a_bond_are_one_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
