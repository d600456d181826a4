/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtual ports, and what routers are set to: on the wire, in a sweep, in a snapshot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "mkfab.h"
#include "mkrig.h"
#include "mksnap.h"
#include "model/encode.h"

#define ROUTER 0x50

static const struct ibc_vport some_vports[] = {
	{ .guid = 0x11, .index = 0, .lid = 11, .state = IBC_STATE_ACTIVE },
	{ .guid = 0x100,
	  .index = 1,
	  .lid = 40,
	  .lid_index = 3,
	  .state = IBC_STATE_INIT,
	  .lid_required = true },
	{ .guid = 0, .index = 2, .state = IBC_STATE_DOWN },
	{ .guid = 0x101, .index = 3, .state = IBC_STATE_ARMED },
};
static const struct ibc_vports some = { some_vports, 4, 127, 3, true };
static const struct ibc_vports none = { NULL, 0, 127, 0, false };
static const struct ibc_router ranges = { { 0x8001, 0xbfff }, { 0x9000, 0x9fff }, 2, 8 };

/* ---- the attributes ------------------------------------------------------------------------ */

static void the_attributes_are_read_by_their_offsets(void **state)
{
	static const uint8_t info[64] = { 0x01, 0x02, 0x00, 0x0a, 0x80 };
	static const uint8_t vport[64] = { 0x4c, 0, 0, 0,    0,    0, 0, 0, 0x12, 0x34,
		                           0,    5, 2, 0xc9, 0x03, 0, 0, 0, 0,    0x99 };
	static const uint8_t router[64] = {
		[14] = 3,    [15] = 9,    [24] = 0xff, [25] = 0xf1, [27] = 0x07,
		[30] = 0xbf, [31] = 0xff, [34] = 0x90, [35] = 0x01, [38] = 0x9f
	};
	struct ibc_vports v;
	struct ibc_vport one;
	struct ibc_router r;

	(void)state;
	virtualization_get(info, &v);
	assert_int_equal(v.cap, 0x0102);
	assert_int_equal(v.top, 10);
	assert_true(v.enabled);
	assert_true(vport_get(vport, 7, &one));
	assert_int_equal(one.index, 7);
	assert_int_equal(one.state, IBC_STATE_ACTIVE);
	assert_true(one.lid_required);
	assert_int_equal(one.lid, 0x1234);
	assert_int_equal(one.lid_index, 5);
	assert_int_equal(one.guid, 0x02c9030000000099);
	router_get(router, &r);
	assert_int_equal(r.adjacent_top, 3);
	assert_int_equal(r.adjacent_cap, 9);
	assert_int_equal(r.global.first, 0x10007);
	assert_int_equal(r.global.last, 0xbfff);
	assert_int_equal(r.local.first, 0x9001);
	assert_int_equal(r.local.last, 0x9f00);
}

static void a_state_or_a_lid_that_cannot_be_is_no_virtual_port(void **state)
{
	uint8_t data[64] = { 0 };
	struct ibc_vport v;

	(void)state;
	for (unsigned int s = 0; s < 16; s++) {
		data[0] = (uint8_t)(s << 4);
		assert_int_equal(vport_get(data, 0, &v), s >= 1 && s <= 4);
	}
	data[0] = 0x40;
	data[8] = 0xbf;
	data[9] = 0xff;
	assert_true(vport_get(data, 0, &v));
	data[8] = 0xc0;
	assert_false(vport_get(data, 0, &v));
}

/* Each bit that an answer may have is kept, or one of those nobody uses. */
static void each_bit_arrives(void **state)
{
	uint8_t data[64], again[64];
	struct ibc_vports v;
	struct ibc_vport one;
	struct ibc_router r;

	(void)state;
	for (unsigned int bit = 0; bit < 8 * sizeof(data); bit++) {
		const uint8_t mask = (uint8_t)(0x80 >> bit % 8);
		unsigned int kept[3] = { 0 };

		memset(data, 0, sizeof(data));
		data[bit / 8] = mask;
		virtualization_get(data, &v);
		virtualization_put(again, &v);
		kept[0] = memcmp(data, again, sizeof(data)) == 0;
		vport_get(data, 0, &one);
		vport_put(again, &one);
		kept[1] = memcmp(data, again, sizeof(data)) == 0;
		router_get(data, &r);
		router_put(again, &r);
		kept[2] = memcmp(data, again, sizeof(data)) == 0;
		assert_int_equal(kept[0], bit < 33);
		assert_int_equal(kept[1], bit < 4 || bit == 5 || (bit >= 64 && bit < 160));
		assert_int_equal(kept[2], (bit >= 112 && bit < 128) ||
		                              (bit >= 192 && bit < 320 && bit % 32 >= 12));
	}
}

/* ---- in a sweep ------------------------------------------------------------------------- */

/* Two hosts and a router at a switch; the first may have virtual ports. */
static struct rig three(const struct ibc_vports *vports)
{
	struct mkfab m = mkfab();
	struct ibc_port *host;
	struct rig r;

	mk_switch(m, 1, "sw01", 4);
	mk_ca(m, 0x11, "host01 mlx5_0", 1);
	mk_ca(m, 0x12, "host02 mlx5_0", 1);
	mk_node(m, ROUTER, IBC_NODE_ROUTER, "router01", 1)->router = &ranges;
	cable(m, 1, 1, 0x11, 1);
	cable(m, 1, 2, 0x12, 1);
	cable(m, 1, 3, ROUTER, 1);
	host = port(m, 0x11, 1);
	host->cap_mask |= IBC_CAP_HAS_MASK2;
	host->cap_mask2 |= IBC_CAP2_HAS_VPORTS;
	port_extra(host)->vports = vports;
	r = rig_of(done(m));
	r.opts.needs = IBC_ATTRS(IBC_ATTR_VPORTS, IBC_ATTR_ROUTER_INFO);
	return r;
}

static const struct ibc_node *seen(const struct rig *r, uint64_t guid)
{
	return ibc_fabric_node_by_guid(r->seen, guid);
}

static const struct ibc_port *host01(const struct rig *r)
{
	return ibc_node_port(seen(r, 0x11), 1);
}

static struct model_tables *answers_of(const struct rig *r, uint64_t guid)
{
	return model_tables(r->model, ibc_fabric_node_by_guid(r->real, guid));
}

static void expect_vports(const struct ibc_port *p, size_t n)
{
	assert_non_null(p->extra->vports);
	assert_true(p->extra->vports->enabled);
	assert_int_equal(p->extra->vports->num_vports, n);
}

static void a_port_that_may_have_some_is_asked_and_each_of_its_virtual_ports(void **state)
{
	struct rig r = three(&some);

	(void)state;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_VIRTUALIZATION), 1);
	assert_int_equal(model_asked(r.model, MODEL_VPORTS), 4);
	assert_true(ibc_port_has(host01(&r), IBC_ATTR_VPORTS));
	expect_vports(host01(&r), 4);
	assert_int_equal(host01(&r)->extra->vports->top, 3);
	assert_int_equal(host01(&r)->extra->vports->cap, 127);
	assert_memory_equal(host01(&r)->extra->vports->vports, some_vports, sizeof(some_vports));
	assert_int_equal(ibc_port_answer(ibc_node_port(seen(&r, 0x12), 1), IBC_ATTR_VPORTS),
	                 IBC_NOT_ASKED);
	rig_free(&r);
}

static void one_that_has_not_enabled_them_has_none(void **state)
{
	struct rig r = three(&none);

	(void)state;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_VPORTS), 0);
	assert_true(ibc_port_has(host01(&r), IBC_ATTR_VPORTS));
	assert_false(host01(&r)->extra->vports->enabled);
	assert_int_equal(host01(&r)->extra->vports->num_vports, 0);
	rig_free(&r);
}

static void nobody_asks_for_what_nobody_needs(void **state)
{
	struct rig r = three(&some);

	(void)state;
	r.opts.needs = IBC_ATTRS(IBC_ATTR_LFT);
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_VIRTUALIZATION), 0);
	assert_int_equal(model_asked(r.model, MODEL_ROUTER_INFO), 0);
	assert_null(host01(&r)->extra->vports);
	rig_free(&r);
}

static void silence_and_refusal_are_not_none(void **state)
{
	static const struct ibc_attrs vports = IBC_ATTRS(IBC_ATTR_VPORTS);
	struct rig r = three(&some);

	(void)state;
	answers_of(&r, 0x11)->silent = vports;
	sweep(&r);
	assert_null(host01(&r)->extra->vports);
	assert_int_equal(ibc_port_answer(host01(&r), IBC_ATTR_VPORTS), IBC_SILENT);
	rig_free(&r);

	r = three(&some);
	answers_of(&r, 0x11)->refused = vports;
	sweep(&r);
	assert_null(host01(&r)->extra->vports);
	assert_int_equal(ibc_port_answer(host01(&r), IBC_ATTR_VPORTS), IBC_UNSUPPORTED);
	rig_free(&r);
}

/* The others are known all the same. */
static void one_virtual_port_that_is_silent_leaves_the_answer_open(void **state)
{
	struct rig r = three(&some);

	(void)state;
	answers_of(&r, 0x11)->vport_silent = 2;
	sweep(&r);
	assert_int_equal(ibc_port_answer(host01(&r), IBC_ATTR_VPORTS), IBC_SILENT);
	expect_vports(host01(&r), 3);
	assert_int_equal(host01(&r)->extra->vports->vports[2].index, 3);
	rig_free(&r);
}

/* So it would be, were the modifier not the index. */
static void answers_that_are_all_of_one_virtual_port_are_not_believed(void **state)
{
	struct rig r = three(&some);

	(void)state;
	answers_of(&r, 0x11)->one_vport = true;
	sweep(&r);
	assert_null(host01(&r)->extra->vports);
	assert_int_equal(ibc_port_answer(host01(&r), IBC_ATTR_VPORTS), IBC_REFUSED);
	rig_free(&r);
}

static void a_number_that_no_adapter_has_is_not_believed(void **state)
{
	static const struct ibc_vports many = { NULL, 0, 2000, 1024, true };
	static const struct ibc_vports beyond = { NULL, 0, 3, 4, true };
	static const struct ibc_vports most = { NULL, 0, 1023, 1023, true };
	const struct ibc_vports *const odd[] = { &many, &beyond };
	struct rig r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		r = three(odd[i]);
		sweep(&r);
		assert_int_equal(model_asked(r.model, MODEL_VPORTS), 0);
		assert_int_equal(ibc_port_answer(host01(&r), IBC_ATTR_VPORTS), IBC_REFUSED);
		rig_free(&r);
	}
	r = three(&most);
	sweep(&r);
	expect_vports(host01(&r), 1024);
	rig_free(&r);

	r = three(&some);
	answers_of(&r, 0x11)->garbage = 0xff;
	sweep(&r);
	assert_int_equal(ibc_port_answer(host01(&r), IBC_ATTR_VPORTS), IBC_REFUSED);
	rig_free(&r);
}

/* It names a virtual port that is not there as the one whose LID it has. */
static void a_virtual_port_that_contradicts_the_number_is_refused(void **state)
{
	static const struct ibc_vport one[] = { { .guid = 9, .lid_index = 2, .state = 4 } };
	static const struct ibc_vports odd = { one, 1, 8, 1, true };
	struct rig r = three(&odd);

	(void)state;
	sweep(&r);
	expect_vports(host01(&r), 1);
	assert_int_equal(host01(&r)->extra->vports->vports[0].index, 1);
	assert_int_equal(ibc_port_answer(host01(&r), IBC_ATTR_VPORTS), IBC_REFUSED);
	rig_free(&r);
}

static void a_router_is_asked_once(void **state)
{
	struct rig r = three(&some);

	(void)state;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_ROUTER_INFO), 1);
	assert_memory_equal(seen(&r, ROUTER)->router, &ranges, sizeof(ranges));
	rig_free(&r);

	r = three(&some);
	answers_of(&r, ROUTER)->silent = IBC_ATTRS(IBC_ATTR_ROUTER_INFO);
	sweep(&r);
	assert_null(seen(&r, ROUTER)->router);
	assert_true(ibc_node_unanswered(seen(&r, ROUTER), IBC_ATTR_ROUTER_INFO));
	rig_free(&r);
}

static void a_router_of_another_vendor_is_not_asked(void **state)
{
	struct rig r = three(&some);
	struct ibc_node *router = (struct ibc_node *)ibc_fabric_node_by_guid(r.real, ROUTER);

	(void)state;
	router->vendor_id = 0x1234;
	router->device_id = 1;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_ROUTER_INFO), 0);
	assert_int_equal(ibc_node_answer(seen(&r, ROUTER), IBC_ATTR_ROUTER_INFO), IBC_UNSUPPORTED);
	rig_free(&r);
}

static void garbage_of_a_router_is_kept_as_it_came(void **state)
{
	struct rig r = three(&some);

	(void)state;
	answers_of(&r, ROUTER)->garbage = 0xff;
	sweep(&r);
	assert_int_equal(seen(&r, ROUTER)->router->global.first, 0xfffff);
	rig_free(&r);
}

static void every_allocation_may_fail(void **state)
{
	struct rig r = three(&some);

	(void)state;
	sweep_short_of_memory(&r);
	rig_free(&r);
}

/* ---- in a snapshot ---------------------------------------------------------------------- */

static void they_survive_in_a_snapshot(void **state)
{
	struct rig r = three(&some);

	(void)state;
	answers_of(&r, 0x11)->vport_silent = 2;
	sweep(&r);
	r.seen = reload(r.seen);
	assert_int_equal(ibc_port_answer(host01(&r), IBC_ATTR_VPORTS), IBC_SILENT);
	expect_vports(host01(&r), 3);
	assert_memory_equal(host01(&r)->extra->vports->vports, some_vports,
	                    2 * sizeof(some_vports[0]));
	assert_memory_equal(&host01(&r)->extra->vports->vports[2], &some_vports[3],
	                    sizeof(some_vports[0]));
	assert_memory_equal(seen(&r, ROUTER)->router, &ranges, sizeof(ranges));
	rig_free(&r);
	r = three(&none);
	sweep(&r);
	r.seen = reload(r.seen);
	assert_false(host01(&r)->extra->vports->enabled);
	assert_int_equal(host01(&r)->extra->vports->cap, 127);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_attributes_are_read_by_their_offsets),
		cmocka_unit_test(a_state_or_a_lid_that_cannot_be_is_no_virtual_port),
		cmocka_unit_test(each_bit_arrives),
		cmocka_unit_test(a_port_that_may_have_some_is_asked_and_each_of_its_virtual_ports),
		cmocka_unit_test(one_that_has_not_enabled_them_has_none),
		cmocka_unit_test(nobody_asks_for_what_nobody_needs),
		cmocka_unit_test(silence_and_refusal_are_not_none),
		cmocka_unit_test(one_virtual_port_that_is_silent_leaves_the_answer_open),
		cmocka_unit_test(answers_that_are_all_of_one_virtual_port_are_not_believed),
		cmocka_unit_test(a_number_that_no_adapter_has_is_not_believed),
		cmocka_unit_test(a_virtual_port_that_contradicts_the_number_is_refused),
		cmocka_unit_test(a_router_is_asked_once),
		cmocka_unit_test(a_router_of_another_vendor_is_not_asked),
		cmocka_unit_test(garbage_of_a_router_is_kept_as_it_came),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(they_survive_in_a_snapshot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
