/* SPDX-License-Identifier: BSD-2-Clause */

/* Fabrics whose physical layer is well but for faults at random places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/planted.h"

#define SMALL "synth:fattree:leaves=4,spines=2,hosts=8,cables=4,speed=NDR"
#define LARGE "synth:fattree:leaves=128,spines=64,hosts=64,speed=NDR"
#define SEED  42

struct site {
	struct ibc_fabric *fab;
	struct model *model;
};

static struct site site_of(const char *spec)
{
	struct site s = { .fab = model_planted_fabric(spec) };

	s.model = model_new(s.fab, NULL);
	model_cables(s.model, s.fab, SEED);
	return s;
}

static void site_free(struct site *s)
{
	model_free(s->model);
	ibc_fabric_free(s->fab);
}

static bool is_well(const struct model_phy *p)
{
	const struct model_phy_counts *c = &p->counts;

	return p->manager == 3 && p->health == 2 && !p->loopback && p->attempts == 1 &&
	       !p->link_downs && !p->unintended && c->seconds >= 86400 && c->uncorrectable < 1e-3 &&
	       c->bins[5] < 1 && c->bits > 1e15;
}

static void cables_are_well_and_each_has_a_number(void **state)
{
	struct site s = site_of(SMALL);
	const struct ibc_port *p;
	size_t links = 0;

	(void)state;
	for (size_t i = 0; (p = ibc_fabric_port(s.fab, i)); i++) {
		const struct model_phy *phy, *peer;

		if (!p->peer)
			continue;
		links++;
		phy = model_phy(s.model, p);
		peer = model_phy(s.model, p->peer);
		assert_true(is_well(phy));
		assert_int_equal(phy->fec, peer->fec);
		assert_ptr_equal(phy->module, peer->module);
		assert_int_equal(memcmp(phy->serial, peer->serial, 16) == 0,
		                 phy->module != &model_optics);
	}
	assert_int_equal(links, 2 * ibc_fabric_count(s.fab).cables);
	site_free(&s);
}

/* What differs from a site without faults, of links and modules. */
static size_t differing(struct site *s, struct site *well)
{
	const struct ibc_port *p;
	size_t n = 0;

	for (size_t i = 0; (p = ibc_fabric_port(s->fab, i)); i++) {
		const struct model_phy *a, *b;

		if (!p->peer)
			continue;
		a = model_phy(s->model, p);
		b = model_phy(well->model, ibc_fabric_port(well->fab, i));
		n += a->module != b->module || memcmp(a->serial, b->serial, 16) ||
		     memcmp(&a->counts, &b->counts, sizeof(a->counts)) ||
		     memcmp(&a->down, &b->down, sizeof(a->down)) || a->fec != b->fec ||
		     a->health != b->health || a->loopback != b->loopback ||
		     a->attempts != b->attempts || a->tenfold_s > 0;
	}
	return n;
}

static void each_fault_is_at_its_port_and_nowhere_else(void **state)
{
	(void)state;
	for (unsigned int what = 0; what < MODEL_HOT_ASIC; what++) {
		struct site well = site_of(SMALL), s = site_of(SMALL);
		struct model_planted at;
		uint64_t seed = SEED + what;
		size_t ends;

		assert_true(model_plant(s.model, s.fab, what, &seed, &at));
		assert_int_equal(at.what, what);
		ends = what == MODEL_FLAPS ? 2 : 1;
		if (what >= MODEL_HOT_MODULE && model_phy(s.model, at.port)->twin)
			ends = 2;
		assert_int_equal(differing(&s, &well), ends);
		assert_true(model_phy(s.model, at.port)->planted);
		site_free(&s);
		site_free(&well);
	}
}

static void faults_share_no_cage(void **state)
{
	struct site s = site_of(SMALL);
	struct model_planted at[3 * MODEL_FAULTS];
	uint64_t seed = SEED;
	size_t n = 0;

	(void)state;
	for (unsigned int i = 0; i < MODEL_HOT_ASIC; i++)
		assert_true(model_plant(s.model, s.fab, i, &seed, &at[n++]));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			assert_ptr_not_equal(at[i].port, at[k].port);
			assert_ptr_not_equal(at[i].port, at[k].port->peer);
			assert_ptr_not_equal(model_phy(s.model, at[i].port)->twin,
			                     model_phy(s.model, at[k].port));
		}
	site_free(&s);
}

static void what_is_full_takes_no_more(void **state)
{
	struct site s = site_of("synth:fattree:leaves=2,spines=1,hosts=1");
	struct model_planted at;
	uint64_t seed = SEED;
	unsigned int n = 0;

	(void)state;
	while (model_plant(s.model, s.fab, MODEL_HOT_ASIC, &seed, &at))
		n++;
	assert_int_equal(n, ibc_fabric_count(s.fab).nodes);
	site_free(&s);
}

static void the_same_seed_plants_the_same(void **state)
{
	struct site a = site_of(SMALL), b = site_of(SMALL);
	uint64_t seed_a = SEED, seed_b = SEED;

	(void)state;
	for (unsigned int i = 0; i < MODEL_FAULTS; i++) {
		struct model_planted at, again;

		assert_true(model_plant(a.model, a.fab, i, &seed_a, &at));
		assert_true(model_plant(b.model, b.fab, i, &seed_b, &again));
		assert_true(at.port->node->guid == again.port->node->guid);
		assert_int_equal(at.port->num, again.port->num);
		assert_int_equal(at.lane, again.lane);
	}
	site_free(&a);
	site_free(&b);
}

static void devices_heat_up_and_lose_fans(void **state)
{
	struct site s = site_of(SMALL);
	struct model_planted at;
	const struct model_registers *r;
	uint64_t seed = SEED;

	(void)state;
	assert_true(model_plant(s.model, s.fab, MODEL_HOT_ASIC, &seed, &at));
	r = model_registers(s.model, at.port->node);
	assert_true(r->asic > r->asic_limit);
	assert_true(model_plant(s.model, s.fab, MODEL_STOPPED_FAN, &seed, &at));
	r = model_registers(s.model, at.port->node);
	assert_int_equal(r->fan_slow, 1 << at.lane);
	assert_int_equal(r->fans[at.lane], 0);
	site_free(&s);
}

static void a_drift_of_a_week_ends_in_lost_blocks(void **state)
{
	struct site s = site_of(SMALL);
	struct model_planted at;
	struct model_phy *p;
	uint64_t seed = SEED;

	(void)state;
	assert_true(model_plant(s.model, s.fab, MODEL_DRIFT, &seed, &at));
	p = model_phy(s.model, at.port);
	model_phy_clear(p);
	model_phy_run(p, 86400);
	assert_true(p->counts.uncorrectable < 1);
	model_phy_run(p, 13 * 86400.0);
	assert_true(p->counts.uncorrectable > 1);
	site_free(&s);
}

/* Modules are shared by all that are equal: only what a fault changed is a module more. */
static void eight_thousand_nodes_have_few_modules(void **state)
{
	struct site s = site_of(LARGE);
	struct model_planted at;
	uint64_t seed = SEED;
	const struct ibc_port *p;
	size_t ports = 0, own = 0, planted = 0;

	(void)state;
	assert_int_equal(ibc_fabric_count(s.fab).nodes, 8384);
	for (unsigned int i = 0; i < 20 * MODEL_FAULTS; i++, planted++)
		assert_true(model_plant(s.model, s.fab, i % MODEL_FAULTS, &seed, &at));
	for (size_t i = 0; (p = ibc_fabric_port(s.fab, i)); i++)
		if (p->peer) {
			ports += p->node->type == IBC_NODE_SWITCH;
			own += model_phy(s.model, p)->own != NULL;
		}
	assert_int_equal(ports, 24576);
	assert_true(own <= planted);
	assert_true(sizeof(struct model_phy) <= 640);
	site_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cables_are_well_and_each_has_a_number),
		cmocka_unit_test(each_fault_is_at_its_port_and_nowhere_else),
		cmocka_unit_test(faults_share_no_cage),
		cmocka_unit_test(what_is_full_takes_no_more),
		cmocka_unit_test(the_same_seed_plants_the_same),
		cmocka_unit_test(devices_heat_up_and_lose_fans),
		cmocka_unit_test(a_drift_of_a_week_ends_in_lost_blocks),
		cmocka_unit_test(eight_thousand_nodes_have_few_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
