/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of the physical layer at random places of simulated fabrics, swept twice and judged: each
 * is found where it is, and nothing is found that is not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings.h"
#include "mkrig.h"
#include "model/planted.h"
#include "model/registers.h"

#define SPEC   "synth:fattree:leaves=6,spines=3,hosts=18,speed=NDR"
#define CHECKS "phy,cable,device,-phy.partial" /* the model has no PRTL */
#define HOUR   3600

struct site {
	struct rig r;
	struct ibc_fabric *before;
};

static struct ibc_fabric *sweep_at(struct rig *r, uint64_t seconds)
{
	sweep(r);
	assert_int_equal(r->rc, 0);
	((struct ibc_subnet *)ibc_fabric_subnet(r->seen, 0))->time = seconds;
	return r->seen;
}

static struct site site_of(uint64_t seed)
{
	struct site s = { .r = rig_of(model_planted_fabric(SPEC)) };

	model_cables(s.r.model, s.r.real, seed);
	s.r.opts.needs = ibc_attrs_of_group(IBC_ATTRS_PHYSICAL);
	s.r.opts.physical = true;
	s.before = sweep_at(&s.r, 1000000);
	return s;
}

/* An hour later. */
static struct ibc_report *report_later(struct site *s)
{
	struct ibc_input in = { .before = s->before };
	const struct ibc_port *p;
	struct ibc_report *rep;

	for (size_t i = 0; (p = ibc_fabric_port(s->r.real, i)); i++)
		if (p->num && p->peer)
			model_phy_run(model_phy(s->r.model, p), HOUR);
	in.fabric = sweep_at(&s->r, 1000000 + HOUR);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, CHECKS, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static void site_free(struct site *s)
{
	ibc_fabric_free(s->before);
	rig_free(&s->r);
}

/* ---- what is well --------------------------------------------------------------------- */

static void nothing_is_found_where_nothing_is(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct site s = site_of(seed);
		struct ibc_report *rep = report_later(&s);

		assert_int_equal(ibc_report_verdict(rep), IBC_OK);
		expect_of(rep, "");
		site_free(&s);
	}
}

/* ---- what is not ------------------------------------------------------------------------ */

/* The check that names it; "module": the port is that with the fault, or its twin. */
static const struct {
	const char *check;
	bool module;
} expected[MODEL_FAULTS] = {
	[MODEL_DIRTY_LANE] = { "phy.lane", false },
	[MODEL_NOISE] = { "phy.raw-ber", false },
	[MODEL_DRIFT] = { "phy.raw-ber", false },
	[MODEL_LOST_BLOCKS] = { "phy.fec-uncorrectable", false },
	[MODEL_SLOW_TRAINING] = { "phy.slow-training", false },
	[MODEL_LOOPBACK] = { "phy.loopback", false },
	[MODEL_FEC_MISMATCH] = { "phy.fec-mismatch", false },
	[MODEL_FLAPS] = { "phy.link-down-reason", false },
	[MODEL_UNHEALTHY] = { "phy.health", false },
	[MODEL_HOT_MODULE] = { "cable.temperature", true },
	[MODEL_DARK_LANE] = { "cable.no-light", true },
	[MODEL_MODULE_FAULT] = { "cable.module-state", true },
	[MODEL_ODD_SERIAL] = { "cable.eeprom", true },
	[MODEL_HOT_ASIC] = { "device.temperature", false },
	[MODEL_STOPPED_FAN] = { "device.fan", false },
};

static bool is_end(const struct ibc_end *end, const struct ibc_port *port, bool cage)
{
	unsigned int a = end->port, z = port->num;

	if (end->guid != port->node->guid)
		return false;
	return !end->has_port || a == z || (cage && (a - 1) / 2 == (z - 1) / 2);
}

/* Is it about this fault, whatever else of it is seen? */
static bool is_about(const struct ibc_finding *f, const struct model_planted *at)
{
	bool cage = expected[at->what].module;

	return is_end(&f->subject.near, at->port, cage) ||
	       is_end(&f->subject.near, at->port->peer, false) ||
	       (f->subject.kind == IBC_SUBJECT_CABLE &&
	        (is_end(&f->subject.far, at->port, cage) ||
	         is_end(&f->subject.far, at->port->peer, false)));
}

static bool is_found(const struct ibc_report *rep, const struct model_planted *at)
{
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		if (!strcmp(f->check, expected[at->what].check) && is_about(f, at))
			return true;
	return false;
}

static void expect_planted(const struct ibc_report *rep, const struct model_planted *planted,
                           uint64_t seed)
{
	const struct ibc_finding *f;

	for (unsigned int i = 0; i < MODEL_FAULTS; i++)
		if (!is_found(rep, &planted[i]))
			fail_msg("seed %ju: no %s at %s/%u", (uintmax_t)seed, expected[i].check,
			         planted[i].port->node->desc, planted[i].port->num);
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		bool about = false;

		for (unsigned int k = 0; k < MODEL_FAULTS; k++)
			about |= is_about(f, &planted[k]);
		if (!about)
			fail_msg("seed %ju: %s at %s/%u was not planted: %s", (uintmax_t)seed,
			         f->check, f->subject.near.label, f->subject.near.port, f->message);
	}
}

/* Each fault once in each fabric. */
static void each_fault_is_found_where_it_is_and_nothing_else(void **state)
{
	(void)state;
	for (uint64_t first = 1; first <= 60; first++) {
		struct model_planted planted[MODEL_FAULTS];
		struct site s = site_of(first);
		uint64_t seed = first;
		struct ibc_report *rep;

		for (unsigned int i = 0; i < MODEL_FAULTS; i++)
			assert_true(model_plant(s.r.model, s.r.real, i, &seed, &planted[i]));
		/* it grows for days */
		model_phy_run(model_phy(s.r.model, planted[MODEL_DRIFT].port), 5 * 86400.0);
		rep = report_later(&s);
		expect_planted(rep, planted, first);
		ibc_report_free(rep);
		site_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_found_where_nothing_is),
		cmocka_unit_test(each_fault_is_found_where_it_is_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
