/* SPDX-License-Identifier: BSD-2-Clause */
/* The physical layer in a sweep, over the model, whose registers were written independently. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkcabled.h"

static void who_does_not_ask_for_it_reads_nothing(void **state)
{
	struct rig r = rig_of_cables();

	(void)state;
	r.opts.physical = false;
	sweep(&r);
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(ibc_attrs_of_group(IBC_ATTRS_PHYSICAL), a));)
		assert_int_equal(coverage(&r, a).asked, 0);
	assert_false(ibc_attrs_meet(ibc_fabric_subnet(r.seen, 0)->provides,
	                            ibc_attrs_of_group(IBC_ATTRS_PHYSICAL)));
	rig_free(&r);
}

static void all_of_it_is_read(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *p;
	size_t links = 0;

	(void)state;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	for (size_t i = 0; (p = ibc_fabric_port(r.seen, i)); i++) {
		if (!p->num || !p->peer)
			continue;
		links++;
		assert_true(ibc_port_has(p, IBC_ATTR_PHY_ERRORS));
		assert_true(ibc_port_has(p, IBC_ATTR_PHY_MODULE));
		assert_true(ibc_port_has(p, IBC_ATTR_PHY_LAST_DOWN));
		assert_true(ibc_phy_knows(p->extra->phy, IBC_PHY_BITS_RECEIVED));
		assert_true(p->extra->phy->value[IBC_PHY_BITS_RECEIVED] > 0);
		assert_int_equal(p->extra->phy->value[IBC_PHY_MANAGER], IBC_PHY_MANAGER_ACTIVE);
		assert_int_equal(p->extra->phy->fec_active, p->peer->extra->phy->fec_active);
		assert_non_null(p->extra->module->serial);
		assert_non_null(p->extra->phy->histogram);
		assert_true(p->extra->phy->histogram->num_bins > 0);
	}
	assert_int_equal(coverage(&r, IBC_ATTR_PHY_ERRORS).answered, links);
	assert_int_equal(coverage(&r, IBC_ATTR_PHY_MODULE).timed_out, 0);
	rig_free(&r);
}

static void devices_have_sensors(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_node *n;

	(void)state;
	sweep(&r);
	for (size_t i = 0; (n = ibc_fabric_node(r.seen, i)); i++) {
		assert_true(n->num_sensors >= 1);
		assert_int_equal(n->sensors[0].kind, IBC_SENSOR_TEMPERATURE);
		assert_true(n->sensors[0].now > 0 && n->sensors[0].now < 100);
		assert_false(n->phy_discarded);
		if (n->type != IBC_NODE_SWITCH)
			continue;
		assert_true(ibc_node_has(n, IBC_ATTR_PHY_FANS));
		assert_int_equal(n->num_sensors, 1 + REGISTERS_FANS);
		assert_int_equal(n->sensors[1].alarm, IBC_SENSOR_ALARM_NONE);
		assert_true(n->sensors[1].now > 0);
	}
	rig_free(&r);
}

static void a_dark_lane_and_a_hot_module_are_seen(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH), *p;
	struct model_phy *phy = model_phy(r.model, real);

	(void)state;
	model_phy_plug(phy, &model_optics, "MT0001");
	model_phy_heat(phy, 75.5);
	model_phy_darken(phy, 2);
	model_phy_drop(phy, 3, 1, 2, 25);
	sweep(&r);
	p = seen(&r, real);
	assert_string_equal(p->extra->module->serial, "MT0001");
	assert_int_equal(p->extra->module->kind, IBC_MODULE_OPTICAL);
	assert_true(p->extra->module->ddm[IBC_DDM_TEMPERATURE].now[0] == 75.5);
	assert_true(p->extra->module->ddm[IBC_DDM_RX_POWER].now[2] == 0);
	assert_true(p->extra->module->ddm[IBC_DDM_RX_POWER].now[1] > 0);
	assert_int_equal(p->extra->phy->value[IBC_PHY_DOWN_REASON], 25);
	assert_int_equal(p->extra->phy->value[IBC_PHY_DOWN_BLAME], IBC_PHY_BLAME_LOCAL);
	assert_int_equal(p->extra->phy->value[IBC_PHY_LINK_DOWNS], 3);
	rig_free(&r);
}

static void a_firmware_without_a_register_is_asked_for_it_a_few_times(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_node *n;

	(void)state;
	for (size_t i = 0; (n = ibc_fabric_node(r.real, i)); i++)
		model_registers(r.model, n)->unknown = MODEL_REGISTER(MODEL_PDDR);
	sweep(&r);
	assert_int_equal(coverage(&r, IBC_ATTR_PHY_MODULE).answered, 0);
	assert_int_equal(coverage(&r, IBC_ATTR_PHY_MODULE).unsupported,
	                 coverage(&r, IBC_ATTR_PHY_MODULE).asked);
	assert_true(coverage(&r, IBC_ATTR_PHY_ERRORS).answered > 0);
	assert_null(seen(&r, some_port(&r, IBC_NODE_SWITCH))->extra->module);
	rig_free(&r);
}

static void a_device_without_the_bit_is_not_asked(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_CA), *p;

	(void)state;
	model_registers(r.model, real->node)->capabilities[0] = 0;
	sweep(&r);
	p = seen(&r, real);
	assert_int_equal(ibc_port_answer(p, IBC_ATTR_PHY_ERRORS), IBC_UNSUPPORTED);
	assert_false(has_registers(p));
	assert_true(has_registers(p->peer));
	rig_free(&r);
}

static void silence_is_no_answer_and_never_zero(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);

	(void)state;
	model_registers(r.model, real->node)->silent = true;
	sweep(&r);
	assert_int_equal(ibc_port_answer(seen(&r, real), IBC_ATTR_PHY_ERRORS), IBC_SILENT);
	assert_false(has_registers(seen(&r, real)));
	assert_true(ibc_fabric_subnet(r.seen, 0)->sweep.duration_seconds < 4);
	rig_free(&r);
}

static void who_is_busy_is_asked_again(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);

	(void)state;
	model_registers(r.model, real->node)->busy = 2;
	sweep(&r);
	assert_true(ibc_port_has(seen(&r, real), IBC_ATTR_PHY_ERRORS));
	rig_free(&r);
}

static void answers_for_other_ports_are_discarded(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);
	const struct ibc_node *node = real->node;

	(void)state;
	/* its registers say of all ports that they poll, though each has a link */
	for (unsigned int p = 1; p <= node->num_ports; p++)
		model_phy(r.model, &node->ports[p])->manager = 2;
	sweep(&r);
	assert_true(seen(&r, real)->node->phy_discarded);
	assert_false(has_registers(seen(&r, real)));
	assert_null(seen(&r, real)->extra->module);
	assert_int_equal(ibc_port_answer(seen(&r, real), IBC_ATTR_PHY_ERRORS), IBC_REFUSED);
	assert_false(seen(&r, real)->peer->node->phy_discarded);
	rig_free(&r);
}

/* It takes IB port numbers for its own: the serial numbers of its cables are those of others. */
static void a_device_that_numbers_its_ports_otherwise_is_found_by_its_cables(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);

	(void)state;
	model_registers(r.model, real->node)->port_shift = 1;
	sweep(&r);
	assert_true(seen(&r, real)->node->phy_discarded);
	assert_null(seen(&r, real)->extra->module);
	rig_free(&r);
}

static void one_port_that_differs_is_no_reason_to_discard(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);

	(void)state;
	model_phy(r.model, real)->manager = 2;
	sweep(&r);
	assert_false(seen(&r, real)->node->phy_discarded);
	assert_non_null(seen(&r, real)->extra->phy);
	rig_free(&r);
}

/* Two ports of a cage have it, a quarter of the cables of this switch. */
static void a_number_that_cannot_be_read_is_no_reason_to_discard(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);
	struct model_phy *phy = model_phy(r.model, real);

	(void)state;
	memcpy(phy->serial, "\xc3\x28\x01", 3);
	memcpy(phy->twin->serial, phy->serial, sizeof(phy->serial));
	sweep(&r);
	assert_false(seen(&r, real)->node->phy_discarded);
	assert_non_null(seen(&r, real)->extra->module);
	rig_free(&r);
}

/* ---- ExtendedPortInfo ----------------------------------------------------------------- */

static void a_port_tells_why_it_is_unhealthy_and_what_it_is_for(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);
	struct model_phy *phy = model_phy(r.model, real);
	const uint64_t *value;

	(void)state;
	phy->unhealthy = 4;
	phy->was_recovered = true;
	phy->special = 0x81;
	phy->ooo = 0x7fff;
	phy->adaptive = 0x0102;
	sweep(&r);
	assert_int_equal(coverage(&r, IBC_ATTR_PHY_EXT_PORT).answered,
	                 coverage(&r, IBC_ATTR_PHY_EXT_PORT).asked);
	value = seen(&r, real)->extra->phy->value;
	assert_int_equal(value[IBC_PHY_UNHEALTHY], 4);
	assert_int_equal(value[IBC_PHY_RECOVERED], 1);
	assert_int_equal(value[IBC_PHY_PORT_TYPE], IBC_PORT_AGGREGATION);
	assert_int_equal(value[IBC_PHY_OOO_SL_MASK], 0x7fff);
	assert_int_equal(value[IBC_PHY_ADAPTIVE_TIMEOUT_SL_MASK], 0x0102);
	value = seen(&r, real->peer)->extra->phy->value;
	assert_int_equal(value[IBC_PHY_UNHEALTHY], 1);
	assert_int_equal(value[IBC_PHY_RECOVERED], 0);
	assert_int_equal(value[IBC_PHY_PORT_TYPE], IBC_PORT_ORDINARY);
	rig_free(&r);
}

static void nobody_asks_for_it_without_the_physical_layer(void **state)
{
	struct rig r = rig_of_cables();

	(void)state;
	r.opts.physical = false;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_SMP_GENERAL_INFO), 0);
	assert_int_equal(model_asked(r.model, MODEL_EXT_PORT_INFO), 0);
	rig_free(&r);
}

/* Whatever its GeneralInfo over LIDs, or its kind, says. */
static void who_lacks_the_capability_is_not_asked_for_it(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_node *n;

	(void)state;
	for (size_t i = 0; (n = ibc_fabric_node(r.real, i)); i++)
		model_registers(r.model, n)->smp[0] = i % 2 ? 0 : 1u << 8 | 1u << 10;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_EXT_PORT_INFO), 0);
	assert_int_equal(coverage(&r, IBC_ATTR_PHY_EXT_PORT).unsupported,
	                 coverage(&r, IBC_ATTR_PHY_EXT_PORT).asked);
	assert_true(has_registers(seen(&r, some_port(&r, IBC_NODE_SWITCH))));
	rig_free(&r);
}

static void silence_about_capabilities_is_no_no(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);

	(void)state;
	model_registers(r.model, real->node)->mute = true;
	sweep(&r);
	assert_int_equal(ibc_node_answer(seen(&r, real)->node, IBC_ATTR_GENERAL_INFO_SMP),
	                 IBC_SILENT);
	assert_int_equal(ibc_port_answer(seen(&r, real), IBC_ATTR_PHY_EXT_PORT), IBC_SILENT);
	assert_true(has_registers(seen(&r, real)));
	rig_free(&r);
}

/* An aggregation node refuses GeneralInfo over LIDs, and knows that of subnet management. */
static void it_is_asked_of_devices_without_registers(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_CA);

	(void)state;
	model_registers(r.model, real->node)->general_info = 4;
	sweep(&r);
	assert_int_equal(seen(&r, real)->extra->phy->value[IBC_PHY_UNHEALTHY], 1);
	assert_false(has_registers(seen(&r, real)));
	rig_free(&r);
}

/* ---- ports without a cage --------------------------------------------------------------- */

/* Both ends of the first link of a switch are inside a box. */
static const struct ibc_port *take_cage(struct rig *r)
{
	const struct ibc_port *real = some_port(r, IBC_NODE_SWITCH);

	model_phy(r->model, real)->no_cage = model_phy(r->model, real->peer)->no_cage = true;
	model_registers(r->model, real->peer->node)->capabilities[0] = 0;
	return real;
}

static void a_special_port_is_not_asked_for_a_module(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH), *p;

	(void)state;
	model_phy(r.model, real)->special = 0x81;
	sweep(&r);
	p = seen(&r, real);
	assert_null(p->extra->module); /* though it would have answered */
	assert_int_equal(ibc_port_answer(p, IBC_ATTR_PHY_MODULE), IBC_NOT_ASKED);
	assert_int_equal(ibc_port_answer(p, IBC_ATTR_PHY_MODULE_LATCHES), IBC_NOT_ASKED);
	assert_true(ibc_port_has(p, IBC_ATTR_PHY_ERRORS));
	rig_free(&r);
}

static void what_a_port_of_no_type_alone_refuses_is_no_gap(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = take_cage(&r);

	(void)state;
	model_registers(r.model, real->node)->smp[0] = 0;
	sweep(&r);
	assert_int_equal(ibc_port_answer(seen(&r, real), IBC_ATTR_PHY_MODULE), IBC_NOT_ASKED);
	assert_int_equal(ibc_port_answer(seen(&r, real), IBC_ATTR_PHY_MODULE_LATCHES),
	                 IBC_NOT_ASKED);
	assert_int_equal(coverage(&r, IBC_ATTR_PHY_MODULE).refused, 0);
	rig_free(&r);
}

/* It has a cage, by its type or by the module at the other end of its cable. */
static void what_a_port_with_a_cage_refuses_is_a_gap(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = take_cage(&r);

	(void)state;
	sweep(&r);
	assert_int_equal(ibc_port_answer(seen(&r, real), IBC_ATTR_PHY_MODULE), IBC_REFUSED);
	rig_free(&r);
	r = rig_of_cables();
	real = some_port(&r, IBC_NODE_SWITCH);
	model_phy(r.model, real)->no_cage = true;
	model_registers(r.model, real->node)->smp[0] = 0;
	sweep(&r);
	assert_int_equal(ibc_port_answer(seen(&r, real), IBC_ATTR_PHY_MODULE), IBC_REFUSED);
	rig_free(&r);
}

/* Nothing tells that it is the port: it may be the firmware. */
static void what_all_ports_refuse_is_a_gap(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = take_cage(&r);

	(void)state;
	model_registers(r.model, real->node)->smp[0] = 0;
	for (unsigned int p = 1; p <= real->node->num_ports; p++)
		model_phy(r.model, &real->node->ports[p])->no_cage = true;
	sweep(&r);
	assert_int_equal(ibc_port_answer(seen(&r, real), IBC_ATTR_PHY_MODULE), IBC_REFUSED);
	rig_free(&r);
}

/* ---- how ports are numbered ---------------------------------------------------------------- */

/* All are modules of their own, with a fibre between them: no number is at both ends. */
static void plug_optics(struct rig *r)
{
	const struct ibc_port *p;
	char serial[17];

	for (size_t i = 0; (p = ibc_fabric_port(r->real, i)); i++) {
		if (!p->num || !p->peer)
			continue;
		snprintf(serial, sizeof(serial), "MT%06u", (unsigned int)i);
		model_phy_plug(model_phy(r->model, p), &model_optics, serial);
	}
}

static void shift_ports(struct rig *r, const struct ibc_node *node)
{
	model_registers(r->model, node)->port_shift = 1;
}

static void with_separate_optics_the_partners_tell_of_other_numbers(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);
	const struct ibc_node *n;

	(void)state;
	plug_optics(&r);
	shift_ports(&r, real->node);
	sweep(&r);
	for (size_t i = 0; (n = ibc_fabric_node(r.seen, i)); i++)
		assert_int_equal(n->phy_discarded, n == seen(&r, real)->node);
	assert_int_equal(seen(&r, real)->extra->phy->value[IBC_PHY_UNHEALTHY], 1);
	rig_free(&r);
}

/* Of a spine all partners are of one model: what the leaves show is true of its firmware. */
static void a_device_that_tells_nothing_has_the_numbers_of_its_firmware(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_node *n;

	(void)state;
	plug_optics(&r);
	for (size_t i = 0; (n = ibc_fabric_node(r.real, i)); i++)
		if (n->type == IBC_NODE_SWITCH)
			shift_ports(&r, n);
	sweep(&r);
	for (size_t i = 0; (n = ibc_fabric_node(r.seen, i)); i++)
		assert_int_equal(n->phy_discarded, n->type == IBC_NODE_SWITCH);
	rig_free(&r);
}

/* Codes of a newer table: all differ, and one port on all differ too. */
static void codes_of_partners_that_mean_something_else_discard_nothing(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *p;

	(void)state;
	plug_optics(&r);
	for (size_t i = 0; (p = ibc_fabric_port(r.real, i)); i++)
		if (p->num && p->peer)
			model_phy(r.model, p)->remote_device = 10;
	sweep(&r);
	for (size_t i = 0; (p = ibc_fabric_port(r.seen, i)); i++)
		assert_false(p->node->phy_discarded);
	rig_free(&r);
}

static void out_of_memory_anywhere_ends_the_sweep(void **state)
{
	struct rig r = rig_of(model_planted_fabric("synth:fattree:leaves=1,spines=1,hosts=1"));

	(void)state;
	model_cables(r.model, r.real, 1);
	r.opts.needs = ibc_attrs_of_group(IBC_ATTRS_PHYSICAL);
	r.opts.physical = true;
	sweep_short_of_memory(&r);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_does_not_ask_for_it_reads_nothing),
		cmocka_unit_test(all_of_it_is_read),
		cmocka_unit_test(devices_have_sensors),
		cmocka_unit_test(a_dark_lane_and_a_hot_module_are_seen),
		cmocka_unit_test(a_firmware_without_a_register_is_asked_for_it_a_few_times),
		cmocka_unit_test(a_device_without_the_bit_is_not_asked),
		cmocka_unit_test(silence_is_no_answer_and_never_zero),
		cmocka_unit_test(who_is_busy_is_asked_again),
		cmocka_unit_test(answers_for_other_ports_are_discarded),
		cmocka_unit_test(a_device_that_numbers_its_ports_otherwise_is_found_by_its_cables),
		cmocka_unit_test(one_port_that_differs_is_no_reason_to_discard),
		cmocka_unit_test(a_number_that_cannot_be_read_is_no_reason_to_discard),
		cmocka_unit_test(a_port_tells_why_it_is_unhealthy_and_what_it_is_for),
		cmocka_unit_test(nobody_asks_for_it_without_the_physical_layer),
		cmocka_unit_test(who_lacks_the_capability_is_not_asked_for_it),
		cmocka_unit_test(silence_about_capabilities_is_no_no),
		cmocka_unit_test(it_is_asked_of_devices_without_registers),
		cmocka_unit_test(a_special_port_is_not_asked_for_a_module),
		cmocka_unit_test(what_a_port_of_no_type_alone_refuses_is_no_gap),
		cmocka_unit_test(what_a_port_with_a_cage_refuses_is_a_gap),
		cmocka_unit_test(what_all_ports_refuse_is_a_gap),
		cmocka_unit_test(with_separate_optics_the_partners_tell_of_other_numbers),
		cmocka_unit_test(a_device_that_tells_nothing_has_the_numbers_of_its_firmware),
		cmocka_unit_test(codes_of_partners_that_mean_something_else_discard_nothing),
		cmocka_unit_test(out_of_memory_anywhere_ends_the_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
