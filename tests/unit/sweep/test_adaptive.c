/* SPDX-License-Identifier: BSD-2-Clause */
/* What switches say of adaptive routing: on the wire, in a sweep, in the model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "mkfab.h"
#include "mkrig.h"
#include "model/encode.h"

/* ---- the attribute ------------------------------------------------------------------------- */

static const struct ibc_ar_info all_bits = {
	.flags = 0xc2d27e3f,
	.ageing_us = 0x01020304,
	.group_cap = 0xabc,
	.group_top = 0x123,
	.sl_mask = 0x8001,
	.hbf_sl_mask = 0x7ffe,
	.group_tables = 5,
	.sub_groups = 3,
	.sub_groups_cap = 4,
	.transports_off = IBC_AR_UD | IBC_AR_UC,
};

static void the_attribute_is_read_by_its_offsets(void **state)
{
	static const uint8_t data[64] = { 0x18, 0, 0xa2, 0x11, 0x11, 0x03, 0xf4, 0x00, 0x00, 0xfe,
		                          4,    2, 0,    0,    0,    0x05, 0,    0,    0x4,  0,
		                          0xc2, 0, 0x90, 0,    0,    0,    0x12, 0x34 };
	struct ibc_ar_info ar;

	(void)state;
	ar_info_get(data, &ar);
	assert_true(ar.flags & IBC_AR_ENABLED && ar.flags & IBC_AR_FR && ar.flags & IBC_AR_BY_SL);
	assert_true(ar.flags & IBC_AR_HBF && ar.flags & IBC_AR_PFRN && ar.flags & IBC_AR_BY_SL_CAP);
	assert_false(ar.flags & (IBC_AR_ARN | IBC_AR_FRN | IBC_AR_WHBF | IBC_AR_RN_XMIT));
	assert_int_equal(ar.group_cap, 0x400);
	assert_int_equal(ar.group_top, 0x03f);
	assert_int_equal(ar.group_tables, 1);
	assert_int_equal(ar.sub_groups, 2);
	assert_int_equal(ar.sub_groups_cap, 4);
	assert_int_equal(ar.sl_mask, 0x00fe);
	assert_int_equal(ar.transports_off, 5);
	assert_int_equal(ar.ageing_us, 1024);
	assert_int_equal(ar.hbf_sl_mask, 0x1234);
}

/* Each bit that an answer may have is kept, or one of those nobody uses. */
static void each_bit_arrives(void **state)
{
	struct ibc_ar_info ar;
	uint8_t data[64], again[64];

	(void)state;
	ar_info_put(data, &all_bits);
	ar_info_get(data, &ar);
	assert_memory_equal(&ar, &all_bits, sizeof(ar));
	for (unsigned int bit = 0; bit < 8 * sizeof(data); bit++) {
		memset(data, 0, sizeof(data));
		data[bit / 8] = (uint8_t)(0x80 >> bit % 8);
		ar_info_get(data, &ar);
		ar_info_put(again, &ar);
		for (unsigned int i = 0; i < sizeof(data); i++)
			assert_true(again[i] == data[i] || again[i] == 0);
	}
}

/* ---- which service levels -------------------------------------------------------------- */

static uint16_t sls_of(struct ibc_ar_info ar)
{
	const struct ibc_node node = { .ar = &ar };

	return ibc_node_adaptive_sls(&node);
}

static void service_levels_are_those_of_the_mask_if_it_counts(void **state)
{
	(void)state;
	assert_int_equal(ibc_node_adaptive_sls(&(struct ibc_node){ 0 }), 0);
	assert_int_equal(sls_of((struct ibc_ar_info){ .group_cap = 9, .sl_mask = 1 }), 0);
	assert_int_equal(sls_of((struct ibc_ar_info){ .flags = IBC_AR_ENABLED }), 0);
	assert_int_equal(sls_of((struct ibc_ar_info){ .flags = IBC_AR_ENABLED, .group_cap = 9 }),
	                 0xffff);
	assert_int_equal(sls_of((struct ibc_ar_info){ .flags = IBC_AR_ENABLED | IBC_AR_BY_SL_CAP,
	                                              .group_cap = 9,
	                                              .sl_mask = 1 }),
	                 0xffff);
	assert_int_equal(sls_of((struct ibc_ar_info){ .flags = IBC_AR_ENABLED | IBC_AR_BY_SL,
	                                              .group_cap = 9,
	                                              .sl_mask = 0xfe }),
	                 0xfe);
	assert_int_equal(sls_of((struct ibc_ar_info){ .flags = IBC_AR_ENABLED,
	                                              .group_cap = 9,
	                                              .transports_off = IBC_AR_RC }),
	                 0xffff);
	assert_int_equal(sls_of((struct ibc_ar_info){ .flags = IBC_AR_ENABLED,
	                                              .group_cap = 9,
	                                              .transports_off = IBC_AR_RC | IBC_AR_DC }),
	                 0);
}

/* ---- in a sweep ------------------------------------------------------------------------- */

static const struct ibc_ar_info on = { .flags = IBC_AR_ENABLED, .group_cap = 256 };
static const struct ibc_ar_info off = { .group_cap = 256 };
static const struct ibc_ar_info by_sl = { .flags = IBC_AR_ENABLED | IBC_AR_BY_SL,
	                                  .group_cap = 256,
	                                  .sl_mask = 0x00fe };

#define KNOWS (1u << IBC_SMP_AR_REV1)

/* Two switches, which know the attribute, and a host at each. */
static struct rig two(const struct ibc_ar_info *one, const struct ibc_ar_info *other)
{
	const struct ibc_ar_info *const ars[] = { one, other };
	struct mkfab m = mkfab();
	struct rig r;

	for (unsigned int i = 0; i < 2; i++) {
		struct ibc_node *node = mk_switch(m, 1 + i, i ? "sw02" : "sw01", 4);

		node->ar = ars[i];
		mk_ca(m, 11 + i, i ? "host02 mlx5_0" : "host01 mlx5_0", 1);
		cable(m, 1 + i, 1, 11 + i, 1);
	}
	cable(m, 1, 2, 2, 2);
	r = rig_of(done(m));
	for (unsigned int i = 0; i < 2; i++)
		model_registers(r.model, ibc_fabric_node_by_guid(r.real, 1 + i))->smp[0] = KNOWS;
	r.opts.needs = IBC_ATTRS(IBC_ATTR_AR_INFO);
	return r;
}

static const struct ibc_node *seen(const struct rig *r, uint64_t guid)
{
	return ibc_fabric_node_by_guid(r->seen, guid);
}

static enum ibc_traffic traffic(const struct rig *r)
{
	return ibc_fabric_subnet(r->seen, 0)->static_traffic;
}

static struct model_registers *registers(const struct rig *r, uint64_t guid)
{
	return model_registers(r->model, ibc_fabric_node_by_guid(r->real, guid));
}

static void a_switch_that_knows_it_is_asked_once(void **state)
{
	struct rig r = two(&all_bits, &on);

	(void)state;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_AR_INFO), 2);
	assert_int_equal(model_asked(r.model, MODEL_SMP_GENERAL_INFO), 2);
	assert_memory_equal(seen(&r, 1)->ar, &all_bits, sizeof(all_bits));
	assert_true(ibc_node_has(seen(&r, 2), IBC_ATTR_AR_INFO));
	assert_int_equal(traffic(&r), IBC_TRAFFIC_UD_OR_SLS);
	rig_free(&r);
}

static void either_bit_of_the_capabilities_will_do(void **state)
{
	struct rig r = two(&on, &on);

	(void)state;
	registers(&r, 1)->smp[0] = 1u << IBC_SMP_AR;
	registers(&r, 2)->smp[0] = ~(1u << IBC_SMP_AR | 1u << IBC_SMP_AR_REV1);
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_AR_INFO), 1);
	assert_true(ibc_node_has(seen(&r, 1), IBC_ATTR_AR_INFO));
	assert_int_equal(ibc_node_answer(seen(&r, 2), IBC_ATTR_AR_INFO), IBC_UNSUPPORTED);
	rig_free(&r);
}

static void nobody_asks_for_what_nobody_needs(void **state)
{
	struct rig r = two(&on, &on);

	(void)state;
	r.opts.needs = IBC_ATTRS(IBC_ATTR_LFT);
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_AR_INFO), 0);
	assert_int_equal(model_asked(r.model, MODEL_SMP_GENERAL_INFO), 0);
	assert_int_equal(traffic(&r), IBC_TRAFFIC_UNKNOWN);
	rig_free(&r);
}

static void other_vendors_have_none(void **state)
{
	struct rig r = two(&on, &on);

	(void)state;
	for (uint64_t guid = 1; guid <= 2; guid++) {
		struct ibc_node *node = (struct ibc_node *)ibc_fabric_node_by_guid(r.real, guid);

		node->vendor_id = 0x1234;
		node->device_id = 1;
	}
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_SMP_GENERAL_INFO), 0);
	assert_int_equal(ibc_node_answer(seen(&r, 1), IBC_ATTR_AR_INFO), IBC_UNSUPPORTED);
	assert_int_equal(traffic(&r), IBC_TRAFFIC_ALL);
	rig_free(&r);
}

static void silence_and_refusal_are_not_off(void **state)
{
	static const struct ibc_attrs ar = IBC_ATTRS(IBC_ATTR_AR_INFO);
	struct rig r = two(&off, &off);

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 1))->silent = ar;
	sweep(&r);
	assert_null(seen(&r, 1)->ar);
	assert_true(ibc_node_unanswered(seen(&r, 1), IBC_ATTR_AR_INFO));
	assert_int_equal(traffic(&r), IBC_TRAFFIC_UNKNOWN);
	rig_free(&r);

	r = two(&off, &off);
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 1))->refused = ar;
	sweep(&r);
	assert_int_equal(ibc_node_answer(seen(&r, 1), IBC_ATTR_AR_INFO), IBC_UNSUPPORTED);
	assert_int_equal(traffic(&r), IBC_TRAFFIC_ALL);
	rig_free(&r);

	r = two(&off, &off);
	registers(&r, 2)->mute = true;
	sweep(&r);
	assert_int_equal(ibc_node_answer(seen(&r, 2), IBC_ATTR_AR_INFO), IBC_SILENT);
	assert_int_equal(traffic(&r), IBC_TRAFFIC_UNKNOWN);
	rig_free(&r);
}

/* As those of ibsim, and old ones: nobody of that kind knows of GeneralInfo. */
static void a_kind_of_which_all_are_silent_has_none_as_far_as_is_known(void **state)
{
	struct rig r = two(&on, &on);

	(void)state;
	registers(&r, 1)->mute = registers(&r, 2)->mute = true;
	sweep(&r);
	assert_int_equal(ibc_node_answer(seen(&r, 1), IBC_ATTR_AR_INFO), IBC_UNSUPPORTED);
	assert_int_equal(traffic(&r), IBC_TRAFFIC_UNKNOWN);
	rig_free(&r);
}

static void garbage_is_kept_as_it_came(void **state)
{
	struct rig r = two(&on, &off);

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 1))->garbage = 0xff;
	sweep(&r);
	assert_int_equal(seen(&r, 1)->ar->group_cap, 0xfff);
	assert_int_equal(ibc_node_adaptive_sls(seen(&r, 1)), 0);
	assert_int_equal(traffic(&r), IBC_TRAFFIC_ALL);
	rig_free(&r);
}

static void one_switch_is_enough_and_a_mask_is_told(void **state)
{
	struct rig r = two(&off, &on);

	(void)state;
	sweep(&r);
	assert_int_equal(traffic(&r), IBC_TRAFFIC_UD);
	rig_free(&r);
	r = two(&on, &by_sl);
	sweep(&r);
	assert_int_equal(traffic(&r), IBC_TRAFFIC_UD_OR_SLS);
	rig_free(&r);
	r = two(&by_sl, &on);
	sweep(&r);
	assert_int_equal(traffic(&r), IBC_TRAFFIC_UD_OR_SLS);
	rig_free(&r);
	/* who is silent changes nothing in what is known */
	r = two(&on, &off);
	registers(&r, 2)->mute = true;
	sweep(&r);
	assert_int_equal(traffic(&r), IBC_TRAFFIC_UD);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_attribute_is_read_by_its_offsets),
		cmocka_unit_test(each_bit_arrives),
		cmocka_unit_test(service_levels_are_those_of_the_mask_if_it_counts),
		cmocka_unit_test(a_switch_that_knows_it_is_asked_once),
		cmocka_unit_test(either_bit_of_the_capabilities_will_do),
		cmocka_unit_test(nobody_asks_for_what_nobody_needs),
		cmocka_unit_test(other_vendors_have_none),
		cmocka_unit_test(silence_and_refusal_are_not_off),
		cmocka_unit_test(a_kind_of_which_all_are_silent_has_none_as_far_as_is_known),
		cmocka_unit_test(garbage_is_kept_as_it_came),
		cmocka_unit_test(one_switch_is_enough_and_a_mask_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
