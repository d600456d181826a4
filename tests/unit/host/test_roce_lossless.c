/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of flow control, ECN and pause under RoCE, and of the traffic that needs them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mkroce.h"

#define ALL "roce.pfc,roce.ecn,roce.global-pause,roce.lossy"

/* A host with one port, which the test may spoil. */
static struct ibc_host *one(struct ibc_ethernet **e)
{
	struct ibc_host *h = mk_roce_host();

	*e = mk_roce(h, "mlx5_0", "ens1f0");
	return h;
}

/* ---- flow control ---------------------------------------------------------------------- */

static void flow_control_everywhere_is_critical(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pfc = 0xff;
	expect_host(NULL, h, ALL,
	            "critical mlx5_0/1 (ens1f0): has flow control on all priorities: one slow "
	            "receiver stops all traffic\n");
}

static void several_priorities_are_a_note(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pfc = PRIORITY(1) | PRIORITY(3) | PRIORITY(4);
	expect_host(NULL, h, ALL,
	            "info mlx5_0/1 (ens1f0): has flow control on priorities 1, 3 and 4\n");
}

static void more_priorities_than_buffers_are_a_warning(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pfc = PRIORITY(3) | PRIORITY(4);
	e->classes = 1;
	expect_host(NULL, h, ALL,
	            "warning mlx5_0/1 (ens1f0): has flow control on priorities 3 and 4, but "
	            "buffers for only 1\n");
}

static void a_switch_of_another_mind_is_critical(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->peer_known = true;
	e->peer_pfc = PRIORITY(4);
	expect_host(NULL, h, ALL,
	            "critical mlx5_0/1 (ens1f0): has flow control on priority 3, the switch on "
	            "priority 4 (by DCBX)\n");
}

static void a_switch_that_agrees_is_fine(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->peer_known = true;
	e->peer_pfc = e->pfc;
	expect_host(NULL, h, ALL, "");
}

static void flow_control_that_no_dscp_reaches_is_a_warning(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pfc = PRIORITY(5);
	expect_host(
	    NULL, h, ALL,
	    "warning mlx5_0/1 (ens1f0): has flow control on priority 5, but no DSCP maps to it\n");
}

static void the_priority_of_all_else_leads_somewhere_too(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pfc = PRIORITY(5);
	mk_dscp(e, 0, 5);
	((struct ibc_dcb_app *)e->apps)[1].selector = IBC_DCB_ETHERTYPE;
	expect_host(NULL, h, ALL, "");
}

static void trust_in_tags_without_a_vlan_is_a_warning(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->trusts_dscp = false;
	e->num_apps = 0;
	expect_host(NULL, h, ALL,
	            "warning mlx5_0/1 (ens1f0): takes priorities from VLAN tags but has no VLAN: "
	            "no traffic uses priority 3, where flow control is\n");
}

static void trust_in_tags_with_a_vlan_is_fine(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);
	struct ibc_netdev *vlan = mk_netdev(h, "ens1f0.100", NULL);

	(void)state;
	e->trusts_dscp = false;
	e->num_apps = 0;
	vlan->kind = "vlan";
	mk_gid(e, 5, "10.3.0.1", "RoCE v2");
	((struct ibc_gid *)e->gid)->netdev = "ens1f0.100";
	expect_host(NULL, h, ALL, "");
}

static void ports_that_differ_are_one_warning(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e = mk_roce(h, "mlx5_1", "ens2f0");
	e->pfc = PRIORITY(4);
	mk_dscp(e, 27, 4);
	mk_roce(h, "mlx5_2", "ens3f0");
	expect_host(NULL, h, ALL,
	            "warning node01: has flow control on different priorities: priority 3 on "
	            "mlx5_0/1 (ens1f0), mlx5_2/1 (ens3f0); priority 4 on mlx5_1/1 (ens2f0)\n");
}

static void a_port_that_is_blamed_is_not_told_to_differ(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e = mk_roce(h, "mlx5_1", "ens2f0");
	e->pfc = e->ecn_np = e->ecn_rp = 0;
	expect_host(
	    NULL, h, ALL,
	    "warning mlx5_1/1 (ens2f0): has neither flow control nor ECN on any priority\n");
}

static void a_driver_without_dcb_is_unknown(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->dcb_known = false;
	e->dcb_error = EOPNOTSUPP;
	e = mk_roce(h, "mlx5_1", "ens2f0");
	e->dcb_known = false;
	e->dcb_error = EPERM;
	e = mk_roce(h, "mlx5_2", "ens3f0");
	e->dcb_known = e->asked = false;
	e = mk_roce(h, "mlx5_3", "ens4f0");
	e->dcb_known = false;
	e->netdev = NULL;
	e = mk_roce(h, "mlx5_4", "ens5f0");
	e->dcb_known = false;
	e->dcb_error = EOPNOTSUPP;
	e = mk_roce(h, "mlx5_5", "ens6f0");
	e->dcb_known = false;
	/* there is room for so many reasons */
	expect_host(
	    NULL, h, "roce.pfc",
	    "unknown node01: flow control (PFC) of mlx5_0/1 (ens1f0), mlx5_4/1 (ens5f0) is not "
	    "known: the driver has no DCB (for a virtual function, ask its physical function)\n"
	    "unknown node01: flow control (PFC) of mlx5_1/1 (ens2f0) is not known: Operation not "
	    "permitted\n"
	    "unknown node01: flow control (PFC) of mlx5_2/1 (ens3f0) is not known: the driver was "
	    "not queried, which needs a live host\n"
	    "unknown node01: flow control (PFC) of mlx5_3/1, mlx5_5/1 (ens6f0) is not known: the "
	    "kernel does not name an interface\n");
}

/* ---- traffic classes ------------------------------------------------------------------------ */

static void a_class_of_the_lossless_priority_is_fine(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	mk_setting(h, mk_nccl(h, 42), "NCCL_IB_TC", "106", IBC_EFFECT_NONE);
	mk_process(h, 43, "ucp")->program = IBC_PROGRAM_UCX;
	expect_host(NULL, h, ALL, "");
}

static void a_class_of_another_priority_is_told_with_its_program(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	mk_roce(h, "mlx5_1", "ens2f0");
	mk_setting(h, mk_nccl(h, 42), "NCCL_IB_TC", "128", IBC_EFFECT_NONE);
	expect_host(NULL, h, ALL,
	            "warning python, PID 42: sends with traffic class 128 (NCCL_IB_TC=128, "
	            "environ), which maps to priority 0 on mlx5_0/1 (ens1f0), mlx5_1/1 (ens2f0); "
	            "flow control is on priority 3\n");
}

static void without_a_class_nccl_takes_0_and_ucx_takes_106(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);
	struct ibc_process *p;

	(void)state;
	mk_nccl(h, 42);
	p = mk_process(h, 43, "ucp");
	p->program = IBC_PROGRAM_UCX;
	p->qps = 1;
	expect_host(NULL, h, ALL,
	            "warning python, PID 42: sends with traffic class 0 (no NCCL_IB_TC), which "
	            "maps to priority 0 on mlx5_0/1 (ens1f0); flow control is on priority 3\n");
}

static void a_daemon_that_sets_it_sends_nothing_itself(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);
	struct ibc_process *p = mk_process(h, 42, "slurmd");

	(void)state;
	p->program = IBC_PROGRAM_DAEMON;
	mk_setting(h, p, "NCCL_IB_TC", "0", IBC_EFFECT_NONE);
	expect_host(NULL, h, ALL, "");
}

static void what_the_driver_forces_counts_instead(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->traffic_class = 106;
	mk_nccl(h, 42);
	expect_host(NULL, h, ALL, "");
}

static void a_class_without_flow_control_and_ecn_is_lossy(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->ecn_np = e->ecn_rp = PRIORITY(3);
	mk_nccl(h, 42);
	expect_host(
	    NULL, h, ALL,
	    "warning python, PID 42: sends with traffic class 0 (no NCCL_IB_TC), which maps to "
	    "priority 0 on mlx5_0/1 (ens1f0), without flow control and without ECN\n");
}

/* ---- ECN ------------------------------------------------------------------------------------ */

static void a_point_that_is_off_is_a_warning(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->ecn_np = PRIORITY(1);
	expect_host(
	    NULL, h, ALL,
	    "warning mlx5_0/1 (ens1f0): does not react to congestion on priority 3: it notifies "
	    "senders on priority 1 (roce_np) and slows down on all priorities (roce_rp)\n");
}

static void the_other_point_as_well(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pfc = PRIORITY(3) | PRIORITY(4);
	e->ecn_rp = PRIORITY(3);
	expect_host(
	    NULL, h, "roce.ecn",
	    "warning mlx5_0/1 (ens1f0): does not react to congestion on priority 4: it notifies "
	    "senders on all priorities (roce_np) and slows down on priority 3 (roce_rp)\n");
}

static void without_dcb_any_priority_will_do(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->dcb_known = false;
	e->ecn_np = e->ecn_rp = PRIORITY(3);
	expect_host(NULL, h, "roce.ecn", "");
	h = one(&e);
	e->dcb_known = false;
	e->ecn_np = e->ecn_rp = 0;
	expect_host(
	    NULL, h, "roce.ecn",
	    "warning mlx5_0/1 (ens1f0): does not react to congestion on any priority: it notifies "
	    "senders on no priority (roce_np) and slows down on no priority (roce_rp)\n");
}

static void a_driver_that_does_not_tell_is_unknown(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->ecn_known = false;
	mk_counts(e, "np_cnp_sent", 7);
	expect_host(NULL, h, "roce.ecn",
	            "unknown node01: ECN of mlx5_0/1 (ens1f0) is not known: only the vendor's mlx5 "
	            "driver reports it (/sys/class/net/INTERFACE/ecn), and no notification was "
	            "sent or handled yet\n");
}

static void notifications_on_both_sides_show_that_it_works(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->ecn_known = false;
	mk_counts(e, "np_cnp_sent", 7);
	mk_counts(e, "rp_cnp_handled", 1);
	expect_host(NULL, h, ALL, "");
}

static void notifications_that_were_ignored_are_a_warning(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *was = one(&e), *h = one(&e);

	(void)state;
	mk_counts(e, "rp_cnp_ignored", 12);
	expect_host(
	    was, h, "roce.ecn",
	    "warning mlx5_0/1 (ens1f0): ignored 12 congestion notifications (rp_cnp_ignored)\n");
}

/* ---- global pause ------------------------------------------------------------------------- */

static void global_pause_beside_flow_control_is_a_warning(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pause_rx = true;
	expect_host(NULL, h, ALL,
	            "warning mlx5_0/1 (ens1f0): has global pause (received) in addition to flow "
	            "control on priority 3: only one of them works\n");
}

static void global_pause_in_its_place_is_a_note(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pfc = 0;
	e->pause_rx = e->pause_tx = true;
	expect_host(NULL, h, "roce.global-pause",
	            "info mlx5_0/1 (ens1f0): has global pause (sent and received), which stops all "
	            "traffic of the port, not only RoCE\n");
}

static void pause_that_is_not_told_is_unknown(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pause_known = false;
	expect_host(NULL, h, ALL,
	            "unknown node01: global pause of mlx5_0/1 (ens1f0) is not known: the driver "
	            "does not report it\n");
}

/* ---- lossy -------------------------------------------------------------------------------- */

static void neither_flow_control_nor_ecn_is_a_warning(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pfc = e->ecn_rp = 0;
	e->pause_rx = e->pause_tx = true;
	expect_host(NULL, h, "roce.pfc,roce.ecn,roce.lossy",
	            "warning mlx5_0/1 (ens1f0): has neither flow control nor ECN on any priority, "
	            "only global pause\n");
}

static void ecn_alone_is_a_note(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pfc = 0;
	expect_host(NULL, h, ALL,
	            "info mlx5_0/1 (ens1f0): has no flow control on any priority, and relies on "
	            "ECN alone\n");
}

static void no_flow_control_and_ecn_unread_is_unknown(void **state)
{
	struct ibc_ethernet *e;
	struct ibc_host *h = one(&e);

	(void)state;
	e->pfc = 0;
	e->ecn_known = false;
	expect_host(NULL, h, "roce.lossy",
	            "unknown node01: protection against drops of mlx5_0/1 (ens1f0) is not known: "
	            "no priority has flow control, and the driver does not report ECN\n");
}

static void software_has_none_of_it_and_that_is_a_note(void **state)
{
	struct ibc_host *h = mk_roce_host();
	struct ibc_ethernet *e = mk_roce(h, "rxe0", "eth0");

	(void)state;
	e->software = true;
	e->dcb_known = e->ecn_known = e->pause_known = false;
	e->dcb_error = EOPNOTSUPP;
	expect_host(NULL, h, ALL,
	            "info rxe0/1 (eth0): is software RoCE: nothing protects its packets from being "
	            "dropped\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flow_control_everywhere_is_critical),
		cmocka_unit_test(several_priorities_are_a_note),
		cmocka_unit_test(more_priorities_than_buffers_are_a_warning),
		cmocka_unit_test(a_switch_of_another_mind_is_critical),
		cmocka_unit_test(a_switch_that_agrees_is_fine),
		cmocka_unit_test(flow_control_that_no_dscp_reaches_is_a_warning),
		cmocka_unit_test(the_priority_of_all_else_leads_somewhere_too),
		cmocka_unit_test(trust_in_tags_without_a_vlan_is_a_warning),
		cmocka_unit_test(trust_in_tags_with_a_vlan_is_fine),
		cmocka_unit_test(ports_that_differ_are_one_warning),
		cmocka_unit_test(a_port_that_is_blamed_is_not_told_to_differ),
		cmocka_unit_test(a_driver_without_dcb_is_unknown),
		cmocka_unit_test(a_class_of_the_lossless_priority_is_fine),
		cmocka_unit_test(a_class_of_another_priority_is_told_with_its_program),
		cmocka_unit_test(without_a_class_nccl_takes_0_and_ucx_takes_106),
		cmocka_unit_test(a_daemon_that_sets_it_sends_nothing_itself),
		cmocka_unit_test(what_the_driver_forces_counts_instead),
		cmocka_unit_test(a_class_without_flow_control_and_ecn_is_lossy),
		cmocka_unit_test(a_point_that_is_off_is_a_warning),
		cmocka_unit_test(the_other_point_as_well),
		cmocka_unit_test(without_dcb_any_priority_will_do),
		cmocka_unit_test(a_driver_that_does_not_tell_is_unknown),
		cmocka_unit_test(notifications_on_both_sides_show_that_it_works),
		cmocka_unit_test(notifications_that_were_ignored_are_a_warning),
		cmocka_unit_test(global_pause_beside_flow_control_is_a_warning),
		cmocka_unit_test(global_pause_in_its_place_is_a_note),
		cmocka_unit_test(pause_that_is_not_told_is_unknown),
		cmocka_unit_test(neither_flow_control_nor_ecn_is_a_warning),
		cmocka_unit_test(ecn_alone_is_a_note),
		cmocka_unit_test(no_flow_control_and_ecn_unread_is_unknown),
		cmocka_unit_test(software_has_none_of_it_and_that_is_a_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
