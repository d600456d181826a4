/* SPDX-License-Identifier: BSD-2-Clause */
/* The physical layer of devices and modules that fall silent, refuse, lie, or know little. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/case.h>
#include <ibcheck/check.h>
#include <ibcheck/report.h>

#include "base/utf8.h"
#include "mkcabled.h"
#include "mkfile.h"
#include "mkkeys.h"
#include "wire/mad.h"

/* ---- devices that fall silent ----------------------------------------------------- */

/* Its switches answer some queries of registers, but for one that is lost, and then none. */
static struct failing {
	uint64_t lost, last;
	const struct ibc_fabric *real;
} failing;

static int answer_for_a_while(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	int who = model_answer(model, to, mad);
	const struct model_registers *r;
	const struct ibc_node *node;

	if (who < 0 || bytes_get(mad + 16, 2) != REGISTERS_ATTRIBUTE)
		return who;
	node = ibc_fabric_node(failing.real, (size_t)who);
	r = model_registers(model, node);
	if (node->type == IBC_NODE_SWITCH && (r->asked == failing.lost || r->asked > failing.last))
		return LINE_NOBODY;
	return who;
}

static double seconds_of_sweep(struct rig *r)
{
	sweep(r);
	assert_int_equal(r->rc, 0);
	return ibc_fabric_subnet(r->seen, 0)->sweep.duration_seconds;
}

/* All of the registers. */
static struct ibc_coverage queries(const struct rig *r)
{
	const struct ibc_attrs all = ibc_attrs_minus(ibc_attrs_of_group(IBC_ATTRS_PHYSICAL),
	                                             IBC_ATTRS(IBC_ATTR_PHY_EXT_PORT));
	struct ibc_coverage sum = { 0 };

	for (enum ibc_attr a = 0; (a = ibc_attrs_next(all, a));) {
		sum.asked += coverage(r, a).asked;
		sum.answered += coverage(r, a).answered;
		sum.unsupported += coverage(r, a).unsupported;
		sum.refused += coverage(r, a).refused;
		sum.timed_out += coverage(r, a).timed_out;
	}
	return sum;
}

/* Firmware that takes its time has queries left when its first loss has been noticed. */
static struct rig rig_of_slow_switches(uint32_t ms)
{
	struct rig r = rig_of_cables();
	const struct ibc_node *n;

	for (size_t i = 0; (n = ibc_fabric_node(r.real, i)); i++)
		if (n->type == IBC_NODE_SWITCH)
			model_registers(r.model, n)->slow_ms.low =
			    model_registers(r.model, n)->slow_ms.high = ms;
	return r;
}

static double seconds_if_well(uint32_t ms)
{
	struct rig r = rig_of_slow_switches(ms);
	double seconds = seconds_of_sweep(&r);

	rig_free(&r);
	return seconds;
}

static void devices_that_fall_silent_cost_two_seconds(void **state)
{
	static const struct {
		uint32_t slow_ms;
		struct failing failing;
	} when[] = {
		{ 0, { .last = 0 } },   { 0, { .last = 1 } },
		{ 0, { .last = 30 } },  { 0, { .lost = 1, .last = 2 } },
		{ 20, { .last = 30 } }, { 20, { .lost = 5, .last = 120 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(when) / sizeof(when[0]); i++) {
		struct rig r = rig_of_slow_switches(when[i].slow_ms);

		failing = when[i].failing;
		failing.real = r.real;
		r.answer = answer_for_a_while;
		/* who lost a query before is asked one by one for a while: a second each */
		assert_true(seconds_of_sweep(&r) <= seconds_if_well(when[i].slow_ms) + 2.01 +
		                                        (when[i].failing.lost ? 2 : 0));
		assert_true(queries(&r).timed_out > 0);
		assert_int_equal(queries(&r).answered + queries(&r).timed_out +
		                     queries(&r).unsupported,
		                 queries(&r).asked);
		rig_free(&r);
	}
}

/* What the checks say of it; every format can print that.  To be freed. */
static struct ibc_report *judged(const struct rig *r)
{
	struct ibc_input in = { .fabric = r->seen, .physical = true };
	FILE *null = fopen("/dev/null", "w");
	struct ibc_report *rep;
	const char *format;

	assert_non_null(null);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "phy,cable,device", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	for (size_t i = 0; (format = ibc_render_format(i)); i++)
		assert_int_equal(ibc_report_render(rep, format, NULL, null, NULL), 0);
	fclose(null);
	return rep;
}

static void expect_verdict(const struct rig *r, enum ibc_severity verdict)
{
	struct ibc_report *rep = judged(r);

	assert_int_equal(ibc_report_verdict(rep), verdict);
	ibc_report_free(rep);
}

/* ---- devices that answer oddly ---------------------------------------------------- */

/* Of all devices, the set of registers that they have not; and whatever else is changed there. */
static void each_device(const struct rig *r, void (*change)(struct model_registers *registers))
{
	const struct ibc_node *n;

	for (size_t i = 0; (n = ibc_fabric_node(r->real, i)); i++)
		change(model_registers(r->model, n));
}

static void know_half(struct model_registers *registers)
{
	registers->unknown |= MODEL_REGISTER(MODEL_PPHCR) | MODEL_REGISTER(MODEL_PRTL) |
	                      MODEL_REGISTER(MODEL_MTMP) | MODEL_REGISTER(MODEL_PDDR);
}

static void cut_short(struct model_registers *registers)
{
	registers->cut = 100;
}

static void be_busy_for_ever(struct model_registers *registers)
{
	registers->busy = UINT8_MAX;
}

static void be_slow(struct model_registers *registers)
{
	registers->slow_ms.low = 50;
	registers->slow_ms.high = 400;
}

static void refuse_general_info(struct model_registers *registers)
{
	registers->general_info = 4;
}

static void lie(struct model_registers *registers)
{
	registers->lies = true;
}

static void expect_nothing(const struct rig *r)
{
	const struct ibc_port *p;

	assert_int_equal(queries(r).answered, 0);
	for (size_t i = 0; (p = ibc_fabric_port(r->seen, i)); i++)
		assert_false(has_registers(p));
}

static void half_of_the_registers_are_half_of_the_answers(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_port *p;

	(void)state;
	each_device(&r, know_half);
	sweep(&r);
	assert_int_equal(queries(&r).answered + queries(&r).unsupported, queries(&r).asked);
	assert_int_equal(coverage(&r, IBC_ATTR_PHY_MODULE).answered, 0);
	p = seen(&r, some_port(&r, IBC_NODE_SWITCH));
	assert_int_equal(ibc_port_answer(p, IBC_ATTR_PHY_STATE), IBC_UNSUPPORTED);
	assert_false(ibc_phy_knows(p->extra->phy, IBC_PHY_LINK_HEALTH));
	assert_true(ibc_phy_knows(p->extra->phy, IBC_PHY_BITS_RECEIVED));
	assert_int_equal(p->extra->phy->histogram->num_bins, 0);
	assert_int_equal(p->extra->phy->fec_active, IBC_FEC_UNKNOWN);
	rig_free(&r);
}

static void answers_cut_short_are_none(void **state)
{
	struct rig r = rig_of_cables();

	(void)state;
	each_device(&r, cut_short);
	sweep(&r);
	expect_nothing(&r);
	assert_int_equal(queries(&r).timed_out, queries(&r).asked);
	expect_verdict(&r, IBC_UNKNOWN);
	rig_free(&r);
}

static void who_is_busy_for_ever_has_refused(void **state)
{
	struct rig r = rig_of_cables();

	(void)state;
	each_device(&r, be_busy_for_ever);
	sweep(&r);
	expect_nothing(&r);
	assert_int_equal(queries(&r).refused, queries(&r).asked);
	expect_verdict(&r, IBC_UNKNOWN);
	rig_free(&r);
}

static void slow_answers_are_waited_for(void **state)
{
	struct rig r = rig_of_cables();

	(void)state;
	each_device(&r, be_slow);
	sweep(&r);
	assert_int_equal(queries(&r).timed_out, 0);
	assert_true(coverage(&r, IBC_ATTR_PHY_MODULE).answered > 0);
	rig_free(&r);
}

static void who_refuses_general_info_is_not_asked(void **state)
{
	struct rig r = rig_of_cables();

	(void)state;
	each_device(&r, refuse_general_info);
	sweep(&r);
	expect_nothing(&r);
	assert_int_equal(model_asked(r.model, MODEL_ACCESS_REGISTER), 0);
	assert_int_equal(queries(&r).unsupported, queries(&r).asked);
	rig_free(&r);
}

/* With the V_Keys of its subnet manager all is read, without them nothing, and not at once. */
static void protected_devices_answer_to_their_keys_only(void **state)
{
	struct rig r = rig_of_cables(), keyless = rig_of_cables();

	(void)state;
	protect(&r, 2);
	write_keys(&r, NULL);
	sweep_with_keys(&r);
	assert_int_equal(queries(&r).timed_out, 0);
	assert_true(coverage(&r, IBC_ATTR_PHY_MODULE).answered > 0);
	rig_free(&r);
	protect(&keyless, 0);
	sweep(&keyless);
	expect_nothing(&keyless);
	assert_int_equal(queries(&keyless).timed_out, queries(&keyless).asked);
	expect_verdict(&keyless, IBC_UNKNOWN);
	rig_free(&keyless);
}

/* Behind the header, which names the source, and without a sum over it. */
static const char *nodes_of(char *snapshot)
{
	*strstr(snapshot, "{\"end\"") = '\0';
	return strchr(snapshot, '\n');
}

static void is_kept_as_it_is(const struct ibc_fabric *fab)
{
	char *bytes = bytes_of(fab, "snapshot", NULL), *again_bytes;
	struct ibc_fabric *again = fabric_of(read_snapshot, bytes, strlen(bytes));

	again_bytes = bytes_of(again, "snapshot", NULL);
	assert_string_equal(nodes_of(bytes), nodes_of(again_bytes));
	ibc_fabric_free(again);
	free(again_bytes);
	free(bytes);
}

static void noise_is_discarded_or_kept_as_it_is(void **state)
{
	struct rig r = rig_of_cables();

	(void)state;
	each_device(&r, lie);
	sweep(&r);
	assert_int_equal(r.rc, 0);
	is_kept_as_it_is(r.seen);
	ibc_report_free(judged(&r));
	rig_free(&r);
}

static void who_answers_for_other_ports_is_named(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_node *leaf = some_port(&r, IBC_NODE_SWITCH)->node;
	const struct ibc_finding *f;
	struct ibc_report *rep;
	bool named = false;

	(void)state;
	model_registers(r.model, leaf)->port_shift = 1;
	sweep(&r);
	rep = judged(&r);
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		bool is_partial = !strcmp(f->check, "phy.partial");

		/* nothing that it said is judged */
		assert_true(is_partial || f->subject.near.guid != leaf->guid);
		named |= is_partial && strstr(f->message, "other ports") &&
		         f->related[0].subject.near.guid == leaf->guid;
	}
	assert_true(named);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
	rig_free(&r);
}

/* Port 65 of a switch with 64 cages: its aggregation node has no registers. */
static void a_port_without_a_cage_leaves_nothing_unread(void **state)
{
	for (unsigned int knows_types = 0; knows_types <= 1; knows_types++) {
		struct rig r = rig_of_cables();
		const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);
		struct ibc_report *rep;

		(void)state;
		model_phy(r.model, real)->no_cage = true;
		model_phy(r.model, real)->special = 0x81;
		model_registers(r.model, real->peer->node)->capabilities[0] = 0;
		if (!knows_types)
			model_registers(r.model, real->node)->smp[0] = 0;
		sweep(&r);
		rep = judged(&r);
		assert_int_not_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
		ibc_report_free(rep);
		rig_free(&r);
		/* with a module at the other end something is missing */
		r = rig_of_cables();
		real = some_port(&r, IBC_NODE_SWITCH);
		model_phy(r.model, real)->no_cage = true;
		if (!knows_types)
			model_registers(r.model, real->node)->smp[0] = 0;
		sweep(&r);
		rep = judged(&r);
		assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
		ibc_report_free(rep);
		rig_free(&r);
	}
}

/* Who only tells ExtendedPortInfo has been read nothing of: that is not well. */
static void extended_port_info_alone_is_nothing_read(void **state)
{
	struct rig r = rig_of_cables();
	const struct ibc_finding *f;
	struct ibc_report *rep;
	bool found = false;

	(void)state;
	each_device(&r, refuse_general_info);
	sweep(&r);
	rep = judged(&r);
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		found |= !strcmp(f->check, "phy.partial") && f->severity == IBC_UNKNOWN &&
		         strstr(f->message, "nothing of the physical layer was read");
	assert_true(found);
	ibc_report_free(rep);
	rig_free(&r);
}

/* ---- modules ------------------------------------------------------------------------ */

/* Swept with this plugged in at the first port of a switch. */
static const struct ibc_module *module_read(struct rig *r)
{
	sweep(r);
	is_kept_as_it_is(r->seen);
	ibc_report_free(judged(r));
	return seen(r, some_port(r, IBC_NODE_SWITCH))->extra->module;
}

static struct model_phy *plugged(struct rig *r, const struct model_module *module,
                                 const char *serial)
{
	struct model_phy *phy;

	*r = rig_of_cables();
	phy = model_phy(r->model, some_port(r, IBC_NODE_SWITCH));
	model_phy_plug(phy, module, serial);
	return phy;
}

static void a_module_of_zeros_says_nothing(void **state)
{
	const struct ibc_module *m;
	struct rig r;

	(void)state;
	plugged(&r, &model_zeros, "");
	m = module_read(&r);
	assert_null(m->vendor);
	assert_null(m->part);
	assert_null(m->serial);
	assert_true(isnan(m->length_m));
	assert_int_equal(m->kind, IBC_MODULE_UNKNOWN);
	assert_int_equal(m->state, 0);
	for (unsigned int i = 0; i < IBC_DDMS; i++) {
		assert_true(isnan(m->ddm[i].now[0]));
		assert_true(isnan(m->ddm[i].high) && isnan(m->ddm[i].low));
	}
	rig_free(&r);
}

static void a_module_of_ones_has_no_limits(void **state)
{
	const struct ibc_module *m;
	struct rig r;

	(void)state;
	plugged(&r, &model_ones,
	        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
	m = module_read(&r);
	assert_int_equal(m->kind, IBC_MODULE_UNKNOWN);
	assert_int_equal(m->state, 0);
	assert_string_equal(m->revision,
	                    UTF8_REPLACEMENT UTF8_REPLACEMENT UTF8_REPLACEMENT UTF8_REPLACEMENT);
	for (unsigned int i = 0; i < IBC_DDMS; i++)
		assert_true(isnan(m->ddm[i].high) && isnan(m->ddm[i].low));
	rig_free(&r);
}

static void a_serial_number_that_is_no_text_brings_no_control_characters(void **state)
{
	const struct ibc_module *m;
	struct rig r;

	(void)state;
	plugged(&r, &model_aoc, "A\xc3\x28\x01\x1b[2J");
	m = module_read(&r);
	assert_string_equal(m->serial,
	                    "A" UTF8_REPLACEMENT "(" UTF8_REPLACEMENT UTF8_REPLACEMENT "[2J");
	rig_free(&r);
}

static void degrees_may_be_below_zero_or_not_measured(void **state)
{
	static const struct {
		int16_t raw;
		bool monitored;
		double degrees;
	} shown[] = {
		{ -3 * 256, true, -3 }, { -3 * 256, false, -3 }, { 0, true, 0 }, { 0, false, NAN }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		struct model_module *m;
		struct rig r;
		double now;

		m = model_phy_module(plugged(&r, &model_aoc, "A"));
		m->temperature = shown[i].raw;
		if (!shown[i].monitored)
			m->monitors &= (uint8_t)~MODEL_MONITORS_TEMPERATURE;
		now = module_read(&r)->ddm[IBC_DDM_TEMPERATURE].now[0];
		assert_true(isnan(shown[i].degrees) ? isnan(now) : now == shown[i].degrees);
		rig_free(&r);
	}
}

static void limits_that_are_equal_are_none(void **state)
{
	const struct ibc_module *read;
	struct model_module *m;
	struct rig r;

	(void)state;
	m = model_phy_module(plugged(&r, &model_optics, "A"));
	m->temperature_alarm.low = m->temperature_alarm.high;
	read = module_read(&r);
	assert_true(isnan(read->ddm[IBC_DDM_TEMPERATURE].high));
	assert_false(isnan(read->ddm[IBC_DDM_VOLTAGE].high));
	rig_free(&r);
}

/* ---- links -------------------------------------------------------------------------- */

static void no_error_seen_is_no_rate(void **state)
{
	const struct ibc_port *p;
	struct rig r = rig_of_cables();
	struct model_phy *phy = model_phy(r.model, some_port(&r, IBC_NODE_SWITCH));

	(void)state;
	model_phy_clear(phy);
	model_phy_noisy(phy, 0);
	model_phy_run(phy, 1000);
	sweep(&r);
	p = seen(&r, some_port(&r, IBC_NODE_SWITCH));
	assert_int_equal(p->extra->phy->known_bers, (1 << IBC_BERS) - 1);
	for (unsigned int i = 0; i < IBC_BERS; i++) {
		assert_int_equal(p->extra->phy->ber[i].magnitude, 255);
		assert_true(ibc_ber_value(p->extra->phy->ber[i]) == 0);
	}
	is_kept_as_it_is(r.seen);
	rig_free(&r);
}

static void histograms_have_the_bins_that_they_say(void **state)
{
	static const uint8_t said[] = { 16, 21, 255 }, kept[] = { 16, 21, 21 };

	(void)state;
	for (size_t i = 0; i < sizeof(said); i++) {
		struct rig r = rig_of_cables();
		const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);

		model_phy(r.model, real)->num_bins = said[i];
		sweep(&r);
		assert_int_equal(seen(&r, real)->extra->phy->histogram->num_bins, kept[i]);
		assert_int_equal(seen(&r, real)->extra->phy->histogram->num_blocks, IBC_FEC_BINS);
		is_kept_as_it_is(r.seen);
		rig_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_that_fall_silent_cost_two_seconds),
		cmocka_unit_test(half_of_the_registers_are_half_of_the_answers),
		cmocka_unit_test(answers_cut_short_are_none),
		cmocka_unit_test(who_is_busy_for_ever_has_refused),
		cmocka_unit_test(slow_answers_are_waited_for),
		cmocka_unit_test(who_refuses_general_info_is_not_asked),
		TEST(protected_devices_answer_to_their_keys_only),
		cmocka_unit_test(noise_is_discarded_or_kept_as_it_is),
		cmocka_unit_test(who_answers_for_other_ports_is_named),
		cmocka_unit_test(a_port_without_a_cage_leaves_nothing_unread),
		cmocka_unit_test(extended_port_info_alone_is_nothing_read),
		cmocka_unit_test(a_module_of_zeros_says_nothing),
		cmocka_unit_test(a_module_of_ones_has_no_limits),
		cmocka_unit_test(a_serial_number_that_is_no_text_brings_no_control_characters),
		cmocka_unit_test(degrees_may_be_below_zero_or_not_measured),
		cmocka_unit_test(limits_that_are_equal_are_none),
		cmocka_unit_test(no_error_seen_is_no_rate),
		cmocka_unit_test(histograms_have_the_bins_that_they_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
