/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkfab.h"
#include "mkrig.h"
#include "wire/mad.h"

#define CAP   256 /* 8 blocks */
#define MLIDS 64  /* in use */
#define PORTS 40  /* of switch 1: three parts of a block */
#define PARTS 3

static struct fabric_multicast *tables;

static uint64_t *set_of(uint64_t guid, unsigned int mlid)
{
	return &tables->ports[((mlid - IBC_MLID_FIRST) * 2 + (guid - 1)) * 4];
}

/* Two switches: 1 with a host, 2 with another; both have groups in the first two blocks. */
static struct mkfab grouped(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, 1, "leaf01", PORTS)->mft_cap = CAP;
	mk_switch(m, 2, "leaf02", 2)->mft_cap = CAP;
	mk_ca(m, 3, "host01 mlx5_0", 1);
	mk_ca(m, 4, "host02 mlx5_0", 1);
	cable(m, 1, 1, 3, 1);
	cable(m, 1, PORTS, 2, 2);
	cable(m, 2, 1, 4, 1);
	tables = fabric_build_multicast(m.b, m.subnet, MLIDS);
	assert_non_null(tables);
	memset(tables->known, 1, 2 * MLIDS / IBC_MFT_BLOCK);
	*set_of(1, 0xc000) = 1ull << 0 | 1ull << 1 | 1ull << PORTS;
	*set_of(2, 0xc000) = 1ull << 1 | 1ull << 2;
	*set_of(1, 0xc021) = 1ull << 17;
	*set_of(2, 0xc03f) = 1ull << 2;
	return m;
}

static struct rig grouped_rig(void)
{
	struct rig r = rig_of(done(grouped()));

	r.opts.needs = IBC_ATTRS(IBC_ATTR_MFT);
	return r;
}

static const struct ibc_multicast *seen(const struct rig *r)
{
	const struct ibc_multicast *t = ibc_fabric_subnet(r->seen, 0)->multicast;

	assert_non_null(t);
	return t;
}

static struct ibc_node *real_switch(const struct rig *r, uint64_t guid)
{
	return (struct ibc_node *)ibc_fabric_node_by_guid(r->real, guid);
}

static void assert_same_sets(const struct rig *r)
{
	const struct ibc_multicast *t = seen(r);

	assert_int_equal(t->num_mlids, MLIDS);
	assert_int_equal(t->num_switches, 2);
	assert_memory_equal(t->ports, tables->ports, (size_t)MLIDS * 2 * 4 * sizeof(*t->ports));
	for (size_t i = 0; i < MLIDS / IBC_MFT_BLOCK * 2; i++)
		assert_int_equal(t->known[i], 1);
	assert_int_equal(ibc_fabric_coverage(r->seen, IBC_ATTR_MFT).answered, 2);
}

static void without_a_top_blocks_are_read_until_one_is_empty(void **state)
{
	struct rig r = grouped_rig();

	(void)state;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_same_sets(&r);
	/* a few are under way when the empty one comes */
	assert_in_range(model_asked(r.model, MODEL_MFT), 3 * PARTS + 3, 8 * PARTS + 8);
	rig_free(&r);
}

static void with_a_top_that_is_the_end(void **state)
{
	struct rig r = grouped_rig();

	(void)state;
	real_switch(&r, 1)->mft_top = real_switch(&r, 2)->mft_top = 0xc03f;
	sweep(&r);
	assert_same_sets(&r);
	assert_int_equal(model_asked(r.model, MODEL_MFT), 2 * PARTS + 2);
	rig_free(&r);
}

static void an_empty_block_below_the_top_is_not_the_end(void **state)
{
	struct rig r = grouped_rig();

	(void)state;
	memset(set_of(1, 0xc000), 0, sizeof(uint64_t));
	real_switch(&r, 1)->mft_top = 0xc03f;
	sweep(&r);
	assert_same_sets(&r);
	rig_free(&r);
}

static void a_top_below_all_groups_means_that_there_is_none(void **state)
{
	struct rig r = grouped_rig();

	(void)state;
	real_switch(&r, 1)->mft_top = real_switch(&r, 2)->mft_top = 0xbfff;
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_MFT), 0);
	assert_int_equal(seen(&r)->num_mlids, 0);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_MFT).answered, 2);
	rig_free(&r);
}

static void ports_that_a_switch_has_not_are_none(void **state)
{
	struct rig r = grouped_rig();

	(void)state;
	*set_of(2, 0xc000) |= 0xfff8;
	*set_of(1, 0xc000) |= ~0ull << (PORTS + 1);
	sweep(&r);
	assert_int_equal(seen(&r)->ports[4], 1ull << 1 | 1ull << 2);
	assert_true(seen(&r)->ports[0] == (1ull << 0 | 1ull << 1 | 1ull << PORTS));
	rig_free(&r);
}

static void lost_parts_are_asked_for_again(void **state)
{
	struct rig r = grouped_rig();

	(void)state;
	r.line.loss = 0.1;
	r.line.seed = 5;
	sweep(&r);
	assert_same_sets(&r);
	rig_free(&r);
}

static int one_part_silent(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct mad_header h;

	mad_header_get(mad, &h);
	if (h.attribute == SMP_MULTICAST_FDB && h.modifier == mft_modifier(2, 0))
		return LINE_NOBODY;
	return model_answer(model, to, mad);
}

static void a_part_without_an_answer_leaves_its_block_unknown(void **state)
{
	struct rig r = grouped_rig();

	(void)state;
	r.answer = one_part_silent;
	sweep(&r);
	assert_true(ibc_node_unanswered(seen(&r)->switches[0], IBC_ATTR_MFT));
	assert_true(ibc_node_has(seen(&r)->switches[1], IBC_ATTR_MFT));
	assert_int_equal(seen(&r)->known[0], 0);
	assert_int_equal(seen(&r)->known[1], 1);
	assert_int_equal(seen(&r)->known[2], 1);
	rig_free(&r);
}

static void a_switch_that_says_nothing_leaves_the_other(void **state)
{
	struct rig r = grouped_rig();

	(void)state;
	model_tables(r.model, real_switch(&r, 1))->silent = IBC_ATTRS(IBC_ATTR_MFT);
	sweep(&r);
	assert_true(ibc_node_unanswered(seen(&r)->switches[0], IBC_ATTR_MFT));
	assert_int_equal(seen(&r)->ports[4], 1ull << 1 | 1ull << 2);
	assert_int_equal(seen(&r)->known[0], 0);
	rig_free(&r);
}

static void nobody_asks_for_groups_that_nobody_needs(void **state)
{
	struct rig r = grouped_rig();

	(void)state;
	r.opts.needs = IBC_ATTRS();
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_MFT), 0);
	assert_null(ibc_fabric_subnet(r.seen, 0)->multicast);
	rig_free(&r);
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
	struct rig r = grouped_rig();

	(void)state;
	sweep_short_of_memory(&r);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_top_blocks_are_read_until_one_is_empty),
		cmocka_unit_test(with_a_top_that_is_the_end),
		cmocka_unit_test(an_empty_block_below_the_top_is_not_the_end),
		cmocka_unit_test(a_top_below_all_groups_means_that_there_is_none),
		cmocka_unit_test(ports_that_a_switch_has_not_are_none),
		cmocka_unit_test(lost_parts_are_asked_for_again),
		cmocka_unit_test(a_part_without_an_answer_leaves_its_block_unknown),
		cmocka_unit_test(a_switch_that_says_nothing_leaves_the_other),
		cmocka_unit_test(nobody_asks_for_groups_that_nobody_needs),
		cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
