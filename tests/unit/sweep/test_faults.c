/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One fault is one case, with its remedy; two that have nothing to do with each other are two.
 * Each is put into a fabric that answers MADs, which is swept and judged as "all --expect
 * --routes" does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkfaults.h"

#define EDR_HOUR (100e9 / 8 * 3600) /* bytes */

/* ---- of devices ---- */

static void silent_spine(struct scene *s)
{
	model_silence(s->model, node_of(s, "spine02"));
}

static void leaf_off(struct scene *s)
{
	switch_off(node_of(s, "leaf05"));
}

/* Two in each of ten racks. */
static void hosts_off(struct scene *s)
{
	for (unsigned int rack = 0; rack < 12; rack++) {
		if (rack == 5 || rack == 7)
			continue;
		for (unsigned int host = 6 * rack + 4; host < 6 * rack + 6; host++) {
			unplug(hca(s, host, 0));
			unplug(hca(s, host, 1));
		}
	}
}

static void host_off(struct scene *s)
{
	unplug(hca(s, 8, 0));
	unplug(hca(s, 8, 1));
}

static void hca_down(struct scene *s)
{
	unplug(hca(s, 9, 1));
}

static void rack_dark(struct scene *s)
{
	switch_off(node_of(s, "leaf15"));
	switch_off(node_of(s, "leaf16"));
	for (unsigned int i = 43; i <= 48; i++) {
		unplug(hca(s, i, 0));
		unplug(hca(s, i, 1));
	}
}

static void line_card_dark(struct scene *s)
{
	switch_off(node_of(s, "spine05"));
	switch_off(node_of(s, "spine06"));
}

static void locked_switch(struct scene *s)
{
	struct ibc_port *p = port_of(s, "leaf06", 0);

	p->m_key_protect = 2;
	model_keys(s->model, p)->m_key = 0x1234;
}

/* ---- of cables ---- */

static void noisy_cable(struct scene *s)
{
	struct ibc_port *p = port_of(s, "leaf03", 10);

	count_at(s, p, IBC_SYMBOL_ERROR, 4000);
	count_at(s, p, IBC_RCV_ERRORS, 200);
	count_at(s, p, IBC_LINK_ERROR_RECOVERY, 4);
	count_at(s, p, IBC_LINK_DOWNED, 5);
	count_at(s, peer_of(p), IBC_XMIT_DISCARDS, 70);
}

static void cable_pulled(struct scene *s)
{
	unplug(port_of(s, "leaf04", 9));
}

/* And nobody has told the switches. */
static void cable_pulled_unnoticed(struct scene *s)
{
	unplug(port_of(s, "leaf20", 9));
}

static void swapped_pair(struct scene *s)
{
	swap_plugs(port_of(s, "spine03", 7), port_of(s, "spine04", 8));
}

static void wrong_port(struct scene *s)
{
	move_plug(port_of(s, "spine01", 10), port_of(s, "spine01", 30));
}

static void wrong_switch(struct scene *s)
{
	move_plug(port_of(s, "spine01", 18), port_of(s, "spine03", 30));
}

static void narrow_link(struct scene *s)
{
	run_at(port_of(s, "leaf09", 10), IBC_WIDTH_1X, IBC_SPEED_EDR);
}

/* Two HCAs each of six hosts, of a type that no other has. */
static void slow_class(struct scene *s)
{
	for (unsigned int i = 31; i <= 36; i++) {
		for (unsigned int rail = 0; rail < 2; rail++) {
			struct ibc_port *p = hca(s, i, rail);

			run_at(p, IBC_WIDTH_4X, IBC_SPEED_QDR);
			((struct ibc_node *)p->node)->device_id = 0x1003;
		}
	}
}

/* One of these six hosts. */
static void slower_one(struct scene *s)
{
	run_at(hca(s, 33, 1), IBC_WIDTH_4X, IBC_SPEED_DDR);
}

static void flapping(struct scene *s)
{
	count_at(s, port_of(s, "leaf10", 3), IBC_LINK_DOWNED, 9);
}

/* ---- of the subnet ---- */

static void no_manager(struct scene *s)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(s->real, i)); i++) {
		port_extra((struct ibc_port *)p)->sm = NULL;
		((struct ibc_port *)p)->cap_mask &= ~2u; /* IsSM */
	}
	model_sa(s->model)->silent = true;
}

static void killed_manager(struct scene *s)
{
	model_tables(s->model, node_of(s, "node0001 mlx5_0"))->sm_answers = 1;
	model_sa(s->model)->silent = true;
}

static void hung_manager(struct scene *s)
{
	model_tables(s->model, node_of(s, "node0001 mlx5_0"))->sm_idle = 100000;
	model_sa(s->model)->silent = true;
}

/* Of two managers; the other does its work. */
static void hung_standby(struct scene *s)
{
	static const struct ibc_sm_info standby = {
		.guid = 0x77, .act_count = 1000, .act_count_later = 1001, .state = IBC_SM_STANDBY
	};
	struct ibc_port *p = hca(s, 2, 0);

	port_extra(p)->sm = &standby;
	p->cap_mask |= 2u; /* IsSM */
	model_tables(s->model, p->node)->sm_idle = 100000;
}

/* A device that works otherwise, behind no other fault. */
static void mute_counters(struct scene *s)
{
	model_pma(s->model, node_of(s, "leaf22"))->silent = true;
}

static void init_port(struct scene *s)
{
	put_state(port_of(s, "leaf13", 2), IBC_STATE_INIT, IBC_PHYS_LINKUP);
	put_state(peer_of(port_of(s, "leaf13", 2)), IBC_STATE_INIT, IBC_PHYS_LINKUP);
}

static void same_lid(struct scene *s)
{
	hca(s, 25, 0)->lid = hca(s, 26, 0)->lid;
}

static void same_lid_switch(struct scene *s)
{
	port_of(s, "leaf12", 0)->lid = node_of(s, "leaf13")->ports[0].lid;
}

static void credit_loop(struct scene *s)
{
	unsigned int x = hca(s, 37, 0)->lid, y = hca(s, 37, 1)->lid; /* at leaf13, leaf14 */

	*entry_of(s->real, node_of(s, "leaf12"), x) = 7;
	*entry_of(s->real, node_of(s, "spine01"), x) = 11;
	*entry_of(s->real, node_of(s, "leaf11"), x) = 9;
	*entry_of(s->real, node_of(s, "spine03"), x) = 13;
	*entry_of(s->real, node_of(s, "leaf11"), y) = 9;
	*entry_of(s->real, node_of(s, "spine03"), y) = 12;
	*entry_of(s->real, node_of(s, "leaf12"), y) = 7;
	*entry_of(s->real, node_of(s, "spine01"), y) = 14;
}

static void stale_route(struct scene *s)
{
	unsigned int x = hca(s, 20, 0)->lid;

	*entry_of(s->real, node_of(s, "spine03"), x) = 29;
}

/* And the uplink by which the leaves beside it send to it. */
static void slow_receiver(struct scene *s)
{
	struct ibc_port *p = port_of(s, "leaf08", 3);

	count_at(s, p, IBC_XMIT_WAIT, (uint64_t)(EDR_HOUR / 8 * .4));
	count_at(s, p, IBC_XMIT_DATA, (uint64_t)(EDR_HOUR * .1));
	if (!p->peer)
		return;
	p = port_of(s, "leaf08", *entry_of(s->real, node_of(s, "leaf07"), p->peer->lid));
	if (!p->peer)
		return;
	count_at(s, peer_of(p), IBC_XMIT_WAIT, (uint64_t)(EDR_HOUR / 8 * .3));
	count_at(s, peer_of(p), IBC_XMIT_DATA, (uint64_t)(EDR_HOUR * .15));
}

static void other_mtu(struct scene *s)
{
	port_of(s, "leaf02", 10)->mtu_active = 4;
}

/*
 * struct fault - one that somebody can repair
 * @put: puts it into the fabric before it is routed; @late: after that; @hush: into what answers
 * @manager: it is one of the subnet manager, which comes before what a manager mends
 * @mended: that is one of these
 * @standby: it is one of a manager that waits for its turn, where there is another
 * @absence: something that was planned is not there
 * @cases: what is reported that is more than information, with the remedies
 */
struct fault {
	const char *name;
	void (*put)(struct scene *s), (*late)(struct scene *s), (*hush)(struct scene *s);
	bool manager, mended, standby, absence;
	const char *cases;
};

static const struct fault faults[] = {
	{ .name = "a switch that does not answer",
	  .hush = silent_spine,
	  .cases = "unknown port.silent leaf01/8: is LinkUp, its peer spine02 does not answer, "
	           "nor on 23 other links\n"
	           "  fix: Check switch spine02. If it hangs, power-cycle it. If it works, an "
	           "M_Key can protect it: give the key with --key-files or -y.\n" },
	{ .name = "a switch with another M_Key",
	  .hush = locked_switch,
	  .cases = "unknown port.silent spine01/6: is LinkUp, its peer leaf06 does not answer, "
	           "nor on 5 other links\n"
	           "  fix: Check switch leaf06. If it hangs, power-cycle it. If it works, an "
	           "M_Key can protect it: give the key with --key-files or -y.\n" },
	{ .name = "a leaf that is off",
	  .put = leaf_off,
	  .absence = true,
	  .cases = "critical topo.missing-node leaf05: is missing, and 6 nodes behind it: all of "
	           "their 12 cables are missing\n"
	           "  fix: Check that it is powered and running, in rack A03, and that its cables "
	           "are plugged in\n" },
	{ .name = "20 hosts that are off",
	  .put = hosts_off,
	  .absence = true,
	  .cases = "critical topo.missing-node fabric: 20 planned devices are missing: "
	           "node[0004-0005,0010-0011,0016-0017,0022-0023,0028-0029,0040-0041,0052-0053,"
	           "0058-0059,0064-0065,0070-0071]\n"
	           "  fix: One after the other. node0004: Check that it is powered and running, "
	           "in rack A01, and that its cable is plugged in\n" },
	{ .name = "a host that is off",
	  .put = host_off,
	  .absence = true,
	  .cases = "critical topo.missing-node node0008: 2 planned devices are missing: node0008\n"
	           "  fix: Check that it is powered and running, in rack A02, and that its cable "
	           "is plugged in\n" },
	{ .name = "one HCA of a host",
	  .put = hca_down,
	  .absence = true,
	  .cases = "critical topo.missing-node node0009 mlx5_1: is missing: it belongs on "
	           "leaf04/3 (Polling)\n"
	           "  fix: Its host is up: node0009 mlx5_0 answers. Reseat the cable at both "
	           "ends; if the port stays down, check on the host whether the HCA is there "
	           "(lspci, ibstat)\n" },
	{ .name = "a rack without power",
	  .put = rack_dark,
	  .absence = true,
	  .cases = "critical topo.missing-node fabric: 2 planned devices in rack A08 are missing: "
	           "leaf[15-16]\n"
	           "  fix: All are in rack A08: look there first. Check that it is powered and "
	           "running, in rack A08, and that its cables are plugged in\n" },
	{ .name = "a line card without power",
	  .put = line_card_dark,
	  .absence = true,
	  .cases = "critical topo.missing-node fabric: 2 planned devices of the chassis of "
	           "spine05 are missing: spine[05-06]\n"
	           "  fix: All are of the chassis of spine05: look there first. Check that it is "
	           "powered and running, in rack B01, and that its cables are plugged in\n" },
	{ .name = "a noisy cable",
	  .put = noisy_cable,
	  .cases =
	      "critical counters.symbol leaf03/10: SymbolErrorCounter rose by 4000 at "
	      "leaf03/10, 0 at spine04/3 in 1 h\n"
	      "  fix: Take the link out of service first: disable the port at the switch. "
	      "Only leaf03/10 receives damaged data: the cable or the transmitter of "
	      "spine04/3 is at fault. Reseat and clean the plug at spine04/3 first, then the "
	      "other; then replace the cable. If the errors continue, spine04/3 is at fault.\n" },
	{ .name = "a flapping link",
	  .put = flapping,
	  .cases = "critical counters.flap leaf10/3: LinkDownedCounter rose by 9 at leaf10/3, 0 "
	           "at node0027 mlx5_1/1 in 1 h\n"
	           "  fix: Take the link out of service now: disable the port at the switch, then "
	           "replace the cable. If the link still goes down, one of its two ports is "
	           "faulty.\n" },
	{ .name = "a cable that trained narrow",
	  .put = narrow_link,
	  .cases =
	      "warning port.width leaf09/10: runs at 1x, both ends enable 4x\n"
	      "  fix: Reseat the cable at both ends. If it trains to 1x again, replace it.\n" },
	{ .name = "a class that is slow by design",
	  .put = slow_class,
	  .cases = "warning port.speed fabric: 12 of 12 cables between MT4099 and MT53000 run at "
	           "QDR, expected is EDR: leaf[11-12]\n"
	           "  fix: So many of one type have one reason: a setting, the firmware, or the "
	           "design. If it is intended, accept it (ibcheck known add). Otherwise: Reseat "
	           "the cable at both ends. If it trains to QDR again, replace it.\n" },
	{ .name = "one that is slower yet",
	  .put = slower_one,
	  .cases =
	      "warning port.speed leaf12/3: runs at DDR, both ends enable EDR\n"
	      "  fix: Reseat the cable at both ends. If it trains to DDR again, replace it.\n" },
	{ .name = "a missing uplink",
	  .put = cable_pulled,
	  .cases = "critical topo.missing-cable leaf04/9: is missing: both of its ports are "
	           "Polling; leaf04 has 5 of its 6 uplinks\n"
	           "  fix: Connect leaf04/9 to spine03/4; if it is plugged in, reseat it at both "
	           "ends, then replace it\n" },
	{ .name = "a cable just pulled",
	  .late = cable_pulled_unnoticed,
	  .cases = "critical topo.missing-cable leaf20/9: is missing: both of its ports are "
	           "Polling; leaf20 has 5 of its 6 uplinks\n"
	           "  fix: Connect leaf20/9 to spine03/20; if it is plugged in, reseat it at both "
	           "ends, then replace it\n" },
	{ .name = "two cables exchanged",
	  .put = swapped_pair,
	  .cases = "critical topo.swapped leaf07/9: two cables are exchanged: leaf07/9 belongs on "
	           "spine03/7, leaf08/10 on spine04/8; leaf07 and leaf08 each have 5 of their 6 "
	           "uplinks\n"
	           "  fix: Exchange the two plugs at spine03/7 and spine04/8\n" },
	{ .name = "a plug at another port",
	  .put = wrong_port,
	  .cases = "warning topo.wrong-port leaf10/7: joins the right devices at another port: "
	           "leaf10/7 belongs on spine01/10, and is on spine01/30\n"
	           "  fix: Move the plug from spine01/30 to spine01/10; if it does not matter "
	           "here, correct the plan\n" },
	{ .name = "a plug at another switch",
	  .put = wrong_switch,
	  .cases = "critical topo.miswired leaf18/7: leaf18/7 belongs on spine01/18, and is on "
	           "spine03/30; leaf18 has 5 of its 6 uplinks\n"
	           "  fix: Move the plug from spine03/30 to spine01/18\n" },
	{ .name = "no subnet manager",
	  .hush = no_manager,
	  .manager = true,
	  .cases = "critical sm.none fabric: no subnet manager is master; node0001 mlx5_0/1, "
	           "where all ports look for it, has none\n"
	           "  fix: Start a subnet manager: \"systemctl start opensm\" on a host, or the "
	           "one of a managed switch.\n" },
	{ .name = "a subnet manager that was killed",
	  .hush = killed_manager,
	  .manager = true,
	  .cases = "critical sm.stalled node0001 mlx5_0/1: has a subnet manager that answered "
	           "SMInfo, but no longer does\n"
	           "  fix: See its log, check whether the process is alive, and restart it.\n" },
	{ .name = "a subnet manager that hangs",
	  .hush = hung_manager,
	  .manager = true,
	  .cases = "critical sm.stalled node0001 mlx5_0/1: has a subnet manager that is idle: its "
	           "activity count (ActCount) stayed at 1000 for 5.3 s\n"
	           "  fix: See its log, check whether the process is alive, and restart it. A "
	           "standby takes over only from one that does not answer at all.\n" },
	{ .name = "a standby that hangs",
	  .hush = hung_standby,
	  .standby = true,
	  .cases = "warning sm.stalled node0002 mlx5_0/1: has a subnet manager that is idle: its "
	           "activity count (ActCount) stayed at 1000 for 4.0 s\n"
	           "  fix: See its log, check whether the process is alive, and restart it. A "
	           "standby takes over only from one that does not answer at all.\n" },
	{ .name = "a device without its counters",
	  .hush = mute_counters,
	  .cases = "unknown counters.silent leaf22: does not answer 12 of 14 counter queries\n"
	           "  fix: Sweep again. If it stays silent, its firmware does not answer "
	           "performance management: compare it with that of similar devices, and reset "
	           "the device when its jobs allow it.\n" },
	{ .name = "a port that nobody activates",
	  .put = init_port,
	  .mended = true,
	  .cases = "critical port.state leaf13/2: is LinkUp but Init at both ends: no subnet "
	           "manager has activated it\n"
	           "  fix: Look for this port in the log of the subnet manager, and trigger a "
	           "heavy sweep (SIGHUP to opensm).\n" },
	{ .name = "two HCAs with one LID",
	  .late = same_lid,
	  .mended = true,
	  .cases = "critical sm.lid node0025 mlx5_0/1: has LID 80, and so has node0026 mlx5_0/1\n"
	           "  fix: Packets for one port arrive at the other. Make the subnet manager "
	           "assign new LIDs once (opensm -r). The cause is two masters, or two fabrics "
	           "joined by a cable.\n" },
	{ .name = "two switches with one LID",
	  .late = same_lid_switch,
	  .mended = true,
	  .cases = "critical sm.lid leaf12/0: has LID 13, and so has leaf13/0\n"
	           "  fix: Packets for one port arrive at the other. Make the subnet manager "
	           "assign new LIDs once (opensm -r). The cause is two masters, or two fabrics "
	           "joined by a cable.\n" },
	{ .name = "a credit loop",
	  .late = credit_loop,
	  .cases = "critical routes.credit-loop leaf11/9: is in a ring of 4 buffers on VL 0 that "
	           "can wait for each other: leaf11/9 > spine03/12 > leaf12/7 > spine01/11 > back\n"
	           "  fix: Configure a routing engine without such rings: updn, dnup or ftree on "
	           "trees, dfsssp, lash or nue elsewhere (opensm -R). Until then a loaded network "
	           "can deadlock.\n" },
	{ .name = "a stale route",
	  .late = stale_route,
	  .mended = true,
	  .cases = "warning routes.stale spine03/29: is down, and 1 LID still goes there; no pair "
	           "of hosts uses it\n"
	           "  fix: Trigger a heavy sweep (SIGHUP to opensm), which routes around it; find "
	           "out why the port is down.\n" },
	{ .name = "a slow receiver",
	  .late = slow_receiver,
	  .cases = "critical counters.slow-receiver leaf08/3: node0021 is a slow receiver: "
	           "leaf08/3 waits 40 % of the time at 10 % utilization; 1 port waits behind it, "
	           "up to 40 % of the time\n"
	           "  fix: The cause is node0021, not the fabric: check the PCIe width and speed "
	           "of its HCA, programs or file systems that hang, memory and power settings.\n" },
	{ .name = "two ends with other MTUs",
	  .put = other_mtu,
	  .cases = "warning port.mtu leaf02/10: has an MTU of 2048 at leaf02/10 and of 4096 at "
	           "spine04/2\n"
	           "  fix: Trigger a heavy sweep (SIGHUP to opensm). If it persists, look for a "
	           "second subnet manager or a tool that configures ports by itself.\n" },
};

/* ---- what is reported of them ------------------------------------------------------------ */

#define NUM_FAULTS (sizeof(faults) / sizeof(faults[0]))

/* Of one fault, or of two that are there at once; NULL: of none. */
static struct ibc_report *faulty_report(const struct fault *one, const struct fault *two)
{
	const struct fault *there[] = { one, two };
	struct scene s = scene();
	struct ibc_report *rep;

	for (int i = 0; i < 2; i++)
		if (there[i] && there[i]->put)
			there[i]->put(&s);
	reroute(s.real);
	for (int i = 0; i < 2; i++)
		if (there[i] && there[i]->late)
			there[i]->late(&s);
	s.model = scene_model(s.real);
	for (int i = 0; i < 2; i++)
		if (there[i] && there[i]->hush)
			there[i]->hush(&s);
	rep = scene_report(&s);
	scene_free(&s);
	return rep;
}

/* Those that are more than information. */
static size_t count_cases(const struct ibc_report *rep)
{
	const struct ibc_case *c;
	size_t n = 0;

	for (size_t i = 0; (c = ibc_report_case_at(rep, i)); i++)
		n += c->severity > IBC_INFO;
	return n;
}

static bool has_case(const struct ibc_report *rep, const char *id)
{
	const struct ibc_case *c;

	for (size_t i = 0; (c = ibc_report_case_at(rep, i)); i++)
		if (!strcmp(c->id, id))
			return true;
	return false;
}

static bool has_cases_of(const struct ibc_report *rep, const struct ibc_report *one)
{
	const struct ibc_case *c;

	for (size_t i = 0; (c = ibc_report_case_at(one, i)); i++)
		if (c->severity > IBC_INFO && !has_case(rep, c->id))
			return false;
	return true;
}

static void one_fault_is_one_case_with_its_remedy(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_FAULTS; i++) {
		struct ibc_report *rep = faulty_report(&faults[i], NULL);
		char *text = cases_text(rep, true);

		assert_string_equal(text, faults[i].cases);
		free(text);
		ibc_report_free(rep);
	}
}

static void without_a_fault_there_is_no_case(void **state)
{
	struct ibc_report *rep = faulty_report(NULL, NULL);

	(void)state;
	assert_null(ibc_report_case_at(rep, 0));
	ibc_report_free(rep);
}

/* Hosts off beside a host, or a switch, that is off as well: what they have in common differs. */
static bool may_meet(const struct fault *one, const struct fault *two)
{
	return one->absence && two->absence;
}

static void expect_both(size_t i, size_t k, struct ibc_report *const *alone)
{
	const struct fault *one = &faults[i], *two = &faults[k];
	struct ibc_report *rep = faulty_report(one, two);
	bool hidden = one->manager && two->mended;
	size_t expected = count_cases(alone[i]) + (hidden ? 0 : count_cases(alone[k]));

	if (count_cases(rep) != expected ||
	    (!may_meet(one, two) &&
	     (!has_cases_of(rep, alone[i]) || has_cases_of(rep, alone[k]) == hidden)))
		fail_msg("%s, and %s:\n%s", one->name, two->name, cases_text(rep, true));
	ibc_report_free(rep);
}

static void two_faults_are_two_cases_unless_one_hides_the_other(void **state)
{
	struct ibc_report *alone[NUM_FAULTS];

	(void)state;
	for (size_t i = 0; i < NUM_FAULTS; i++)
		alone[i] = faulty_report(&faults[i], NULL);
	for (size_t i = 0; i < NUM_FAULTS; i++)
		for (size_t k = i + 1; k < NUM_FAULTS; k++)
			if (!faults[i].manager || !(faults[k].manager || faults[k].standby))
				expect_both(i, k, alone);
	for (size_t i = 0; i < NUM_FAULTS; i++)
		ibc_report_free(alone[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_fault_there_is_no_case),
		cmocka_unit_test(one_fault_is_one_case_with_its_remedy),
		cmocka_unit_test(two_faults_are_two_cases_unless_one_hides_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
