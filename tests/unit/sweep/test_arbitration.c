/* SPDX-License-Identifier: BSD-2-Clause */
/* VLArbitrationTables of ports, and SLtoVLMappingTables of HCAs, read by a sweep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkfab.h"
#include "mkrig.h"
#include "wire/mad.h"

#define SLOTS 128

static struct ibc_vl_slot slots[SLOTS];
static const struct ibc_arbitration small = { slots, 8, 8 }, large = { slots, 64, 33 },
				    odd = { slots, 33, 64 }, only_low = { slots, 0, 9 };
static uint8_t of_ports[3 * 3 * SMP_SLS];
static const struct ibc_sl2vl hca_lanes = { of_ports, 3, false };

static void give(struct mkfab m, uint64_t guid, unsigned int num, const struct ibc_arbitration *a)
{
	struct ibc_port *p = port(m, guid, num);

	port_extra(p)->arbitration = a;
	p->arb_high_cap = a->num_high;
	p->arb_low_cap = a->num_low;
}

/* A switch with a host of one port, and with one of two that is cabled to two switches. */
static struct rig two_switches_with(const struct ibc_arbitration *between)
{
	struct mkfab m = mkfab();
	struct rig r;

	for (unsigned int i = 0; i < SLOTS; i++)
		slots[i] = (struct ibc_vl_slot){ i % 15, (uint8_t)(i + 1) };
	for (unsigned int i = 0; i < sizeof(of_ports); i++)
		of_ports[i] = (uint8_t)(i % 16 % (2 + i / 16));
	mk_switch(m, 1, "leaf01", 4);
	mk_switch(m, 2, "leaf02", 4);
	mk_ca(m, 11, "host01 mlx5_0", 1);
	mk_ca(m, 20, "host02 mlx5_0", 2);
	cable(m, 1, 1, 11, 1);
	cable(m, 1, 2, 2, 2);
	cable(m, 1, 3, 20, 1);
	cable(m, 2, 3, 20, 2);
	port(m, 20, 2)->lid = 30;
	fabric_build_find(m.b, m.subnet, 20)->sl2vl = &hca_lanes;
	give(m, 1, 1, &small);
	give(m, 1, 2, &small);
	give(m, 1, 3, &small);
	give(m, 1, 4, &small); /* no link */
	give(m, 2, 2, between);
	give(m, 2, 3, &small);
	give(m, 20, 1, &only_low);
	give(m, 20, 2, &small);
	r = rig_of(done(m));
	r.opts.needs = IBC_ATTRS(IBC_ATTR_VL_ARBITRATION, IBC_ATTR_HCA_SL2VL);
	return r;
}

static struct rig two_switches(void)
{
	return two_switches_with(&large);
}

static const struct ibc_port *seen(const struct rig *r, uint64_t guid, unsigned int num)
{
	return &ibc_fabric_node_by_guid(r->seen, guid)->ports[num];
}

static void is(const struct ibc_port *p, const struct ibc_arbitration *a)
{
	assert_true(ibc_port_has(p, IBC_ATTR_VL_ARBITRATION));
	assert_int_equal(p->extra->arbitration->num_high, a->num_high);
	assert_int_equal(p->extra->arbitration->num_low, a->num_low);
	assert_memory_equal(p->extra->arbitration->slots, a->slots,
	                    (a->num_high + a->num_low) * sizeof(*a->slots));
}

static void every_port_with_a_link_and_tables_tells_them_in_blocks(void **state)
{
	struct rig r = two_switches();

	(void)state;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	is(seen(&r, 1, 1), &small);
	is(seen(&r, 1, 2), &small);
	is(seen(&r, 2, 2), &large);
	is(seen(&r, 20, 1), &only_low);
	is(seen(&r, 20, 2), &small);
	assert_null(seen(&r, 1, 4)->extra->arbitration);
	assert_null(seen(&r, 11, 1)->extra->arbitration); /* says that it has none */
	assert_false(ibc_port_unanswered(seen(&r, 11, 1), IBC_ATTR_VL_ARBITRATION));
	/* 5 ports of two blocks, 64 and 33 slots of four, and one block of a low table alone */
	assert_int_equal(model_asked(r.model, MODEL_ARBITRATION), 5 * 2 + 4 + 1);
	rig_free(&r);
}

static void equal_tables_are_kept_once(void **state)
{
	struct rig r = two_switches();

	(void)state;
	sweep(&r);
	assert_ptr_equal(seen(&r, 1, 1)->extra->arbitration, seen(&r, 1, 2)->extra->arbitration);
	rig_free(&r);
}

static void a_port_with_one_lane_is_not_asked(void **state)
{
	struct rig r = two_switches();

	(void)state;
	real_port(&r, 1, 2)->vl_active = real_port(&r, 2, 2)->vl_active = 1;
	real_port(&r, 20, 1)->vl_active = real_port(&r, 20, 2)->vl_active = 1;
	sweep(&r);
	assert_null(seen(&r, 2, 2)->extra->arbitration);
	assert_false(ibc_port_unanswered(seen(&r, 2, 2), IBC_ATTR_VL_ARBITRATION));
	assert_null(seen(&r, 20, 1)->node->sl2vl);
	assert_int_equal(model_asked(r.model, MODEL_ARBITRATION), 3 * 2);
	rig_free(&r);
}

static void an_hca_tells_the_lanes_of_each_of_its_ports(void **state)
{
	struct rig r = two_switches();
	const struct ibc_node *hca;

	(void)state;
	sweep(&r);
	hca = ibc_fabric_node_by_guid(r.seen, 20);
	assert_true(ibc_node_has(hca, IBC_ATTR_HCA_SL2VL));
	for (unsigned int num = 1; num <= 2; num++)
		for (unsigned int sl = 0; sl < SMP_SLS; sl++)
			assert_int_equal(ibc_switch_vl(hca, 0, num, sl), sl % (2 + num));
	rig_free(&r);
}

/* ---- what is not told ---------------------------------------------------------------- */

static void a_device_that_arbitrates_and_refuses_its_tables_is_a_gap(void **state)
{
	struct rig r = two_switches();

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 20))->refused = IBC_ATTRS(
	    IBC_ATTR_VL_ARBITRATION, IBC_ATTR_HCA_SL2VL);
	sweep(&r);
	assert_null(seen(&r, 20, 1)->extra->arbitration);
	assert_int_equal(ibc_port_answer(seen(&r, 20, 1), IBC_ATTR_VL_ARBITRATION), IBC_REFUSED);
	assert_int_equal(ibc_switch_vl(seen(&r, 20, 1)->node, 0, 1, 0), IBC_VL_UNKNOWN);
	rig_free(&r);
}

static int silent_about_the_low_table(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct mad_header h;

	mad_header_get(mad, &h);
	if (h.attribute == SMP_VL_ARBITRATION && h.modifier >> 16 == ARBITRATION_LOW)
		return LINE_NOBODY;
	return model_answer(model, to, mad);
}

/* The second block of a high table is lost once, and comes after those of the low one. */
static int slow_with_a_high_table(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	static unsigned int asked;
	struct mad_header h;

	mad_header_get(mad, &h);
	if (h.attribute == SMP_VL_ARBITRATION && h.modifier >> 16 == ARBITRATION_HIGH + 1 &&
	    !(asked++ & 1))
		return LINE_NOBODY;
	return model_answer(model, to, mad);
}

static void a_block_that_comes_late_writes_its_own_slots(void **state)
{
	struct rig r = two_switches_with(&odd);

	(void)state;
	r.answer = slow_with_a_high_table;
	sweep(&r);
	is(seen(&r, 2, 2), &odd);
	rig_free(&r);
}

static void half_a_table_is_none(void **state)
{
	struct rig r = two_switches();

	(void)state;
	r.answer = silent_about_the_low_table;
	sweep(&r);
	assert_null(seen(&r, 1, 2)->extra->arbitration);
	assert_true(ibc_port_unanswered(seen(&r, 1, 2), IBC_ATTR_VL_ARBITRATION));
	assert_true(ibc_fabric_coverage(r.seen, IBC_ATTR_VL_ARBITRATION).timed_out > 0);
	rig_free(&r);
}

static void an_hca_that_is_silent_at_one_port_has_not_told(void **state)
{
	struct rig r = two_switches();
	const struct ibc_node *hca;

	(void)state;
	of_ports[2 * SMP_SLS] = IBC_VL_UNKNOWN;
	sweep(&r);
	hca = ibc_fabric_node_by_guid(r.seen, 20);
	assert_int_equal(ibc_switch_vl(hca, 0, 1, 1), 1);
	assert_int_equal(ibc_switch_vl(hca, 0, 2, 1), IBC_VL_UNKNOWN);
	assert_true(ibc_node_unanswered(hca, IBC_ATTR_HCA_SL2VL));
	rig_free(&r);
}

static void nobody_asks_for_what_nobody_needs(void **state)
{
	struct rig r = two_switches();

	(void)state;
	r.opts.needs = IBC_ATTRS();
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_ARBITRATION), 0);
	assert_int_equal(model_asked(r.model, MODEL_SL2VL), 0);
	assert_null(seen(&r, 1, 1)->extra->arbitration);
	rig_free(&r);
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
	struct rig r = two_switches();

	(void)state;
	sweep_short_of_memory(&r);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_port_with_a_link_and_tables_tells_them_in_blocks),
		cmocka_unit_test(equal_tables_are_kept_once),
		cmocka_unit_test(a_port_with_one_lane_is_not_asked),
		cmocka_unit_test(an_hca_tells_the_lanes_of_each_of_its_ports),
		cmocka_unit_test(a_device_that_arbitrates_and_refuses_its_tables_is_a_gap),
		cmocka_unit_test(a_block_that_comes_late_writes_its_own_slots),
		cmocka_unit_test(half_a_table_is_none),
		cmocka_unit_test(an_hca_that_is_silent_at_one_port_has_not_told),
		cmocka_unit_test(nobody_asks_for_what_nobody_needs),
		cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
