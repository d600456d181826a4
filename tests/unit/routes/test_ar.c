/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks of adaptive routing say, each of its own cause and of nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "findings.h"

#define SWITCHES  5
#define HOST      100 /* of switch i HOST + i */
#define GROUP_CAP 256

static struct ibc_ar_info ar[SWITCHES + 1];
static struct ibc_phy phy[SWITCHES + 1], switch_phy;

static void know(struct ibc_phy *p, enum ibc_phy_value value, uint64_t number)
{
	p->value[value] = number;
	p->known |= UINT64_C(1) << value;
}

/* Switches in a row, each with a host; all route adaptively, on all service levels. */
static struct mkfab row(void)
{
	struct mkfab m = mkfab();
	char name[32];

	switch_phy = (struct ibc_phy){ 0 };
	for (unsigned int i = 1; i <= SWITCHES; i++) {
		struct ibc_node *node;

		snprintf(name, sizeof(name), "leaf%02u", i);
		node = mk_switch(m, i, name, 4);
		ar[i] = (struct ibc_ar_info){ .flags = IBC_AR_ENABLED | IBC_AR_FR,
			                      .group_cap = GROUP_CAP };
		node->ar = &ar[i];
		answers_put(node, IBC_ATTR_AR_INFO, ANSWER_OK);
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, HOST + i, name, 1);
		cable(m, i, 1, HOST + i, 1);
		if (i > 1)
			cable(m, i - 1, 3, i, 2);
		phy[i] = (struct ibc_phy){ 0 };
		know(&phy[i], IBC_PHY_OOO_SL_MASK, 0xffff);
		know(&phy[i], IBC_PHY_PORT_TYPE, IBC_PORT_ORDINARY);
		port_extra(port(m, HOST + i, 1))->phy = &phy[i];
	}
	port_extra(port(m, 1, 3))->phy = &switch_phy;
	m.subnet->provides = ibc_attrs_or(m.subnet->provides,
	                                  IBC_ATTRS(IBC_ATTR_AR_INFO, IBC_ATTR_PHY_EXT_PORT));
	return m;
}

static void set_all(uint32_t flags, uint16_t sl_mask, uint16_t ooo)
{
	for (unsigned int i = 1; i <= SWITCHES; i++) {
		ar[i].flags = flags;
		ar[i].sl_mask = sl_mask;
		know(&phy[i], IBC_PHY_OOO_SL_MASK, ooo);
	}
}

static void all_alike_and_on_is_well(void **state)
{
	(void)state;
	expect(row(), "ar", "");
}

/* A fabric without it, or a source that does not tell, has no finding of it. */
static void without_it_there_is_nothing_to_say(void **state)
{
	struct mkfab m = row();
	struct ibc_report *rep;

	(void)state;
	know(&switch_phy, IBC_PHY_RECOVERED, 1);
	know(&phy[1], IBC_PHY_OOO_SL_MASK, 0);
	for (unsigned int i = 1; i <= SWITCHES; i++) {
		struct ibc_node *node = fabric_build_find(m.b, m.subnet, i);

		node->ar = NULL;
		node->answers = (struct ibc_answers){ 0 };
		answers_put(node, IBC_ATTR_AR_INFO, ANSWER_UNSUPPORTED);
	}
	expect(m, "ar", "");

	m = row();
	m.subnet->provides = ibc_attrs_minus(m.subnet->provides, IBC_ATTRS(IBC_ATTR_AR_INFO));
	rep = report_of(m, "ar,-ar.dead-way,-ar.loop,port.guid", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "");
}

/* Who asks for nothing else is told that it could not be checked. */
static void a_source_that_does_not_tell_leaves_the_verdict_open(void **state)
{
	struct mkfab m = row();
	struct ibc_report *rep;

	(void)state;
	m.subnet->provides = ibc_attrs_minus(m.subnet->provides, IBC_ATTRS(IBC_ATTR_AR_INFO));
	rep = report_of(m, "ar.mixed,ar.off", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
}

/* ---- ar.mixed ------------------------------------------------------------------------------ */

static void one_that_is_off_among_others_is_named(void **state)
{
	struct mkfab m = row();

	(void)state;
	ar[3] = (struct ibc_ar_info){ .group_cap = GROUP_CAP, .sl_mask = 7 };
	expect(m, "ar",
	       "warning leaf03: has adaptive routing off; 4 of 5 such switches have it on\n");
}

static void each_setting_is_compared(void **state)
{
	struct mkfab m = row();

	(void)state;
	ar[1].flags &= ~(uint32_t)IBC_AR_FR;
	ar[2].flags |= IBC_AR_ARN;
	ar[3].flags |= IBC_AR_FRN;
	ar[4].flags |= IBC_AR_HBF;
	ar[5].transports_off = IBC_AR_UD;
	expect(
	    m, "ar",
	    "warning leaf01: has fast recovery off; 4 of 5 such switches have it on\n"
	    "warning leaf02: has adaptive routing notification (ARN) on; 4 of 5 such switches "
	    "have it off\n"
	    "warning leaf03: has fault routing notification (FRN) on; 4 of 5 such switches have "
	    "it off\n"
	    "warning leaf04: has hash-based forwarding on; 4 of 5 such switches have it off\n"
	    "warning leaf05: has the mask of transports without adaptive routing 0x1; 4 of 5 such "
	    "switches have it 0x0\n");
}

static void a_mask_that_does_not_count_is_none(void **state)
{
	struct mkfab m = row();

	(void)state;
	ar[2].sl_mask = 0x0f;
	expect(m, "ar.mixed", "");
	m = row();
	ar[2].flags |= IBC_AR_BY_SL;
	ar[2].sl_mask = 0x0f;
	expect(
	    m, "ar.mixed",
	    "warning leaf02: has the mask of SLs with adaptive routing 0xf; 4 of 5 such switches "
	    "have it 0xffff\n");
}

static void of_two_halves_that_which_is_on_is_right(void **state)
{
	struct mkfab m = row();

	(void)state;
	ar[1].flags = ar[2].flags = 0;
	ar[5].group_cap = 0;
	expect(m, "ar.mixed",
	       "warning leaf01: has adaptive routing off; 2 of 4 such switches have it on\n"
	       "warning leaf02: has adaptive routing off; 2 of 4 such switches have it on\n");
}

static void other_types_ranks_and_those_not_set_up_are_not_compared(void **state)
{
	struct mkfab m = row();

	(void)state;
	ar[1].flags = ar[2].flags = ar[3].flags = ar[4].flags = 0;
	fabric_build_find(m.b, m.subnet, 1)->device_id = 54000;
	for (unsigned int p = 1; p <= 4; p++)
		port(m, 2, p)->state = IBC_STATE_INIT;
	ar[3].group_cap = 0;
	port(m, 4, 1)->peer = NULL;
	port(m, HOST + 4, 1)->peer = NULL;
	expect(m, "ar.mixed", "");
}

static void silence_is_told(void **state)
{
	struct mkfab m = row();

	(void)state;
	for (unsigned int i = 2; i <= 3; i++) {
		struct ibc_node *node = fabric_build_find(m.b, m.subnet, i);

		node->ar = NULL;
		node->answers = (struct ibc_answers){ 0 };
		answers_put(node, IBC_ATTR_AR_INFO, i == 2 ? ANSWER_NONE : ANSWER_REFUSED);
	}
	expect(m, "ar",
	       "unknown leaf02: does not report whether it routes adaptively; 2 switches do not\n");
}

/* ---- ar.off -------------------------------------------------------------------------------- */

static void what_nobody_uses_is_a_note(void **state)
{
	struct mkfab m = row();

	(void)state;
	set_all(0, 0, 0);
	expect(m, "ar", "info fabric: adaptive routing is off, and 5 switches can do it\n");
	m = row();
	set_all(0, 0, 0);
	for (unsigned int i = 1; i <= SWITCHES; i++)
		ar[i].group_cap = 0;
	expect(m, "ar", "");
}

/* ---- ar.sl --------------------------------------------------------------------------------- */

static void sl_0_outside_of_the_mask_is_what_programs_run_into(void **state)
{
	struct mkfab m = row();

	(void)state;
	set_all(IBC_AR_ENABLED | IBC_AR_BY_SL, 0x00f2, 0x00f2);
	expect(
	    m, "ar",
	    "warning leaf01: routes adaptively on SLs 1, 4-7, and paths use 0; 5 switches do so\n");
	m = row();
	set_all(IBC_AR_ENABLED | IBC_AR_BY_SL, 0x0003, 0x0003);
	expect(m, "ar", "");
}

static void on_for_no_sl_is_not_off(void **state)
{
	struct mkfab m = row();

	(void)state;
	set_all(IBC_AR_ENABLED | IBC_AR_BY_SL, 0, 0xffff);
	expect(m, "ar",
	       "warning leaf01: has adaptive routing on, but for no SL (EnableBySLMask 0); 5 "
	       "switches have it so\n");
	m = row();
	set_all(IBC_AR_ENABLED | IBC_AR_BY_SL, 0, 0xffff);
	for (unsigned int i = 2; i <= SWITCHES; i++)
		ar[i].sl_mask = 1;
	expect(m, "ar.off,ar.sl",
	       "warning leaf01: has adaptive routing on, but for no SL (EnableBySLMask 0)\n"
	       "warning host01 mlx5_0: accepts packets out of order on SLs 0-15, and switches "
	       "route adaptively on 0; so it is with 5 of 5 HCAs\n");
	m = row();
	set_all(IBC_AR_BY_SL, 0, 0xffff);
	expect(m, "ar.sl", "");
}

static void paths_say_which_sls_are_used(void **state)
{
	static const struct {
		uint8_t sls[2];
		const char *text;
	} cases[] = {
		{ { 4, 5 }, "" },
		{ { 4, 2 }, "" },
		{ { 2, 3 },
		  "warning leaf01: routes adaptively on SLs 4-7, and paths use 2-3; 5 switches do "
		  "so\n" },
		{ { 0, 4 },
		  "warning leaf01: routes adaptively on SLs 4-7, and paths use 0, 4; 5 switches do "
		  "so\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct ibc_path_sl paths[] = { { 1, 2, cases[i].sls[0] },
			                             { 2, 1, cases[i].sls[1] } };
		const struct ibc_sa sa = { .paths = paths, .num_paths = 2 };
		struct mkfab m = row();

		set_all(IBC_AR_ENABLED | IBC_AR_BY_SL, 0x00f0, 0x00f0);
		m.subnet->sa = &sa;
		expect(m, "ar", cases[i].text);
	}
}

static void hcas_that_disagree_are_told_once(void **state)
{
	struct mkfab m = row();

	(void)state;
	know(&phy[2], IBC_PHY_OOO_SL_MASK, 0x00ff);
	know(&phy[4], IBC_PHY_OOO_SL_MASK, 0x000f);
	expect(m, "ar",
	       "warning host02 mlx5_0: accepts packets out of order on SLs 0-7, and switches route "
	       "adaptively on 0-15; so it is with 2 of 5 HCAs\n");
}

/* ---- ar.hca -------------------------------------------------------------------------------- */

static struct mkfab many_hosts(unsigned int without)
{
	static struct ibc_phy all = { .known = UINT64_C(1) << IBC_PHY_OOO_SL_MASK };
	static struct ibc_phy none = { .known = UINT64_C(1) << IBC_PHY_OOO_SL_MASK };
	struct mkfab m = row();
	struct ibc_node *big = mk_switch(m, 9, "big", 10);
	char name[32];

	all.value[IBC_PHY_OOO_SL_MASK] = 0xffff;
	big->ar = &ar[1];
	answers_put(big, IBC_ATTR_AR_INFO, ANSWER_OK);
	for (unsigned int i = 1; i <= 10; i++) {
		snprintf(name, sizeof(name), "node%02u mlx5_0", i);
		mk_ca(m, 1000 + i, name, 1)->firmware = "28.33.0800";
		fabric_build_find(m.b, m.subnet, 1000 + i)->device_id = 4129;
		cable(m, 9, i, 1000 + i, 1);
		port_extra(port(m, 1000 + i, 1))->phy = i <= without ? &none : &all;
	}
	return m;
}

static void one_in_ten_without_is_a_fault_and_two_are_not(void **state)
{
	(void)state;
	expect(many_hosts(0), "ar", "");
	expect(many_hosts(1), "ar",
	       "warning node01 mlx5_0: accepts no packets out of order (OOOSLMask 0), and so no "
	       "adaptive routing; 9 of 10 HCAs of its type do\n");
	expect(many_hosts(2), "ar", "");
}

static void ports_not_set_up_and_aggregation_nodes_are_left_out(void **state)
{
	struct mkfab m = many_hosts(1);

	(void)state;
	port(m, 1001, 1)->state = IBC_STATE_INIT;
	expect(m, "ar", "");
	m = many_hosts(1);
	fabric_build_desc(m.b, fabric_build_find(m.b, m.subnet, 1001), "big Aggregation Node",
	                  sizeof("big Aggregation Node") - 1);
	expect(m, "ar", "");
}

/* ---- ar.recovered -------------------------------------------------------------------------- */

static void a_port_that_was_recovered_is_told_unless_it_is_unhealthy(void **state)
{
	struct mkfab m = row();

	(void)state;
	know(&switch_phy, IBC_PHY_RECOVERED, 1);
	expect(m, "ar", "warning leaf01/3: was recovered after a fault, its device says\n");
	m = row();
	know(&switch_phy, IBC_PHY_RECOVERED, 0);
	expect(m, "ar", "");
	m = row();
	know(&switch_phy, IBC_PHY_RECOVERED, 1);
	know(&switch_phy, IBC_PHY_UNHEALTHY, 4);
	expect(m, "ar", "");
	m = row();
	know(&switch_phy, IBC_PHY_RECOVERED, 1);
	know(&switch_phy, IBC_PHY_UNHEALTHY, 1);
	expect(m, "ar", "warning leaf01/3: was recovered after a fault, its device says\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_alike_and_on_is_well),
		cmocka_unit_test(without_it_there_is_nothing_to_say),
		cmocka_unit_test(a_source_that_does_not_tell_leaves_the_verdict_open),
		cmocka_unit_test(one_that_is_off_among_others_is_named),
		cmocka_unit_test(each_setting_is_compared),
		cmocka_unit_test(a_mask_that_does_not_count_is_none),
		cmocka_unit_test(of_two_halves_that_which_is_on_is_right),
		cmocka_unit_test(other_types_ranks_and_those_not_set_up_are_not_compared),
		cmocka_unit_test(silence_is_told),
		cmocka_unit_test(what_nobody_uses_is_a_note),
		cmocka_unit_test(sl_0_outside_of_the_mask_is_what_programs_run_into),
		cmocka_unit_test(on_for_no_sl_is_not_off),
		cmocka_unit_test(paths_say_which_sls_are_used),
		cmocka_unit_test(hcas_that_disagree_are_told_once),
		cmocka_unit_test(one_in_ten_without_is_a_fault_and_two_are_not),
		cmocka_unit_test(ports_not_set_up_and_aggregation_nodes_are_left_out),
		cmocka_unit_test(a_port_that_was_recovered_is_told_unless_it_is_unhealthy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
