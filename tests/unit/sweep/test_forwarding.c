/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkfab.h"
#include "mkrig.h"
#include "mkroutes.h"
#include "wire/mad.h"

/* Two leaves, two hosts on each, two spines; tables of LIDs 0 .. 199. */
#define TOP      199
#define BLOCKS   4
#define SWITCHES 4

static struct mkfab tree(struct fabric_forwarding **f)
{
	struct mkfab m = mkfab();

	for (unsigned int leaf = 1; leaf <= 2; leaf++) {
		mk_switch(m, leaf, leaf == 1 ? "leaf01" : "leaf02", 4)->lft_top = TOP;
		mk_ca(m, 0x10 + leaf, "host01 mlx5_0", 1);
		mk_ca(m, 0x20 + leaf, "host02 mlx5_0", 1);
		cable(m, leaf, 1, 0x10 + leaf, 1);
		cable(m, leaf, 2, 0x20 + leaf, 1);
	}
	for (unsigned int spine = 3; spine <= 4; spine++) {
		mk_switch(m, spine, spine == 3 ? "spine01" : "spine02", 2)->lft_top = TOP;
		cable(m, 1, spine, spine, 1);
		cable(m, 2, spine, spine, 2);
	}
	port(m, 0x22, 1)->lid = TOP; /* a LID of the last block */
	*f = mk_tables(m, TOP + 1);
	mk_min_hop(m, *f);
	return m;
}

static struct rig tree_rig(void)
{
	struct fabric_forwarding *f;
	struct rig r = rig_of(done(tree(&f)));

	r.opts.needs = IBC_ATTRS(IBC_ATTR_LFT);
	return r;
}

static const struct ibc_forwarding *tables_of(const struct ibc_fabric *fab)
{
	return ibc_fabric_subnet(fab, 0)->forwarding;
}

static void assert_same_tables(const struct rig *r)
{
	const struct ibc_forwarding *real = tables_of(r->real), *seen = tables_of(r->seen);

	assert_int_equal(r->rc, 0);
	assert_non_null(seen);
	assert_int_equal(seen->num_lids, real->num_lids);
	assert_int_equal(seen->num_switches, real->num_switches);
	for (size_t i = 0; i < seen->num_switches; i++) {
		assert_int_equal(seen->switches[i]->guid, real->switches[i]->guid);
		assert_true(ibc_node_has(seen->switches[i], IBC_ATTR_LFT));
		for (unsigned int lid = 0; lid < seen->num_lids; lid++) {
			assert_int_equal(seen->out[lid * seen->stride + i],
			                 real->out[lid * real->stride + i]);
			assert_true(seen->known[lid / IBC_LFT_BLOCK * seen->stride + i]);
		}
	}
}

static void tables_are_read_as_they_are(void **state)
{
	struct rig r = tree_rig();

	(void)state;
	sweep(&r);
	assert_same_tables(&r);
	assert_int_equal(model_asked(r.model, MODEL_LFT), BLOCKS * SWITCHES);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_LFT).answered, SWITCHES);
	assert_true(ibc_attrs_has(ibc_fabric_subnet(r.seen, 0)->provides, IBC_ATTR_LFT));
	rig_free(&r);
}

static void nobody_asks_for_tables_that_nobody_needs(void **state)
{
	struct rig r = tree_rig();

	(void)state;
	r.opts.needs = IBC_ATTRS();
	sweep(&r);
	assert_null(tables_of(r.seen));
	assert_int_equal(model_asked(r.model, MODEL_LFT), 0);
	assert_false(ibc_attrs_has(ibc_fabric_subnet(r.seen, 0)->provides, IBC_ATTR_LFT));
	rig_free(&r);
}

static void tables_are_read_by_directed_routes_too(void **state)
{
	struct rig r = tree_rig();

	(void)state;
	r.opts.directed_only = true;
	sweep(&r);
	assert_same_tables(&r);
	rig_free(&r);
}

static void lost_blocks_are_asked_for_again(void **state)
{
	struct rig r = tree_rig();

	(void)state;
	r.line.loss = 0.05;
	r.line.seed = 3;
	sweep(&r);
	assert_same_tables(&r);
	rig_free(&r);
}

static void all_that_a_manager_wrote_is_read_though_one_mad_in_a_hundred_is_lost(void **state)
{
	static const enum ibc_attr attrs[] = { IBC_ATTR_SM_INFO, IBC_ATTR_PKEY_TABLE, IBC_ATTR_LFT,
		                               IBC_ATTR_MFT };
	struct rig r = rig_needing(
	    TWO_TIER, IBC_ATTRS(IBC_ATTR_SM_INFO, IBC_ATTR_PKEY_TABLE, IBC_ATTR_LFT, IBC_ATTR_MFT));

	(void)state;
	r.line.loss = 0.01;
	r.line.seed = 11;
	sweep(&r);
	assert_same_tables(&r);
	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		struct ibc_coverage c = ibc_fabric_coverage(r.seen, attrs[i]);

		assert_true(c.answered > 0);
		assert_int_equal(c.answered, c.asked);
	}
	rig_free(&r);
}

/* Beyond its own LinearFDBTop a switch has no entry, whatever it says there. */
static void entries_beyond_the_top_are_none(void **state)
{
	struct rig r = tree_rig();
	const struct ibc_forwarding *t;

	(void)state;
	((struct ibc_node *)ibc_fabric_node_by_guid(r.real, 2))->lft_top = 0x21;
	sweep(&r);
	t = tables_of(r.seen);
	assert_int_equal(t->num_lids, TOP + 1);
	assert_int_equal(t->out[0x21 * t->stride + 1], 2 + 1);
	assert_int_equal(t->out[0x22 * t->stride + 1], IBC_NO_ENTRY);
	assert_int_equal(t->out[TOP * t->stride + 1], IBC_NO_ENTRY);
	assert_int_equal(t->known[(BLOCKS - 1) * t->stride + 1], 1);
	assert_true(ibc_node_has(t->switches[1], IBC_ATTR_LFT));
	assert_int_equal(model_asked(r.model, MODEL_LFT), BLOCKS * (SWITCHES - 1) + 1);
	rig_free(&r);
}

static void a_top_beyond_the_table_is_the_end_of_the_table(void **state)
{
	struct rig r = tree_rig();

	(void)state;
	for (unsigned int guid = 1; guid <= SWITCHES; guid++) {
		((struct ibc_node *)ibc_fabric_node_by_guid(r.real, guid))->lft_top = 0xffff;
		((struct ibc_node *)ibc_fabric_node_by_guid(r.real, guid))->lft_cap = 128;
	}
	sweep(&r);
	assert_int_equal(tables_of(r.seen)->num_lids, 128);
	rig_free(&r);
}

static void a_top_among_multicast_lids_is_the_last_unicast_lid(void **state)
{
	struct rig r = tree_rig();

	(void)state;
	((struct ibc_node *)ibc_fabric_node_by_guid(r.real, 1))->lft_cap = 0xffff;
	((struct ibc_node *)ibc_fabric_node_by_guid(r.real, 1))->lft_top = 0xfffe;
	sweep(&r);
	assert_int_equal(tables_of(r.seen)->num_lids, 0xc000);
	rig_free(&r);
}

/* ---- what is not told -------------------------------------------------------------- */

static void one_block_without_an_answer_leaves_the_others(void **state)
{
	struct fabric_forwarding *f;
	struct mkfab m = tree(&f);
	const struct ibc_forwarding *t;
	struct rig r;

	(void)state;
	mk_unread(f, 3, 100);
	r = rig_of(done(m));
	r.opts.needs = IBC_ATTRS(IBC_ATTR_LFT);
	sweep(&r);
	t = tables_of(r.seen);
	assert_true(ibc_node_unanswered(t->switches[2], IBC_ATTR_LFT));
	assert_int_equal(t->known[0 * t->stride + 2], 1);
	assert_int_equal(t->known[1 * t->stride + 2], 0);
	assert_int_equal(t->known[3 * t->stride + 2], 1);
	assert_int_equal(t->out[TOP * t->stride + 2], 2);
	assert_int_equal(t->out[100 * t->stride + 2], IBC_NO_ENTRY);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_LFT).timed_out, 1);
	rig_free(&r);
}

static void a_switch_silent_on_its_whole_table_costs_two_seconds(void **state)
{
	struct rig r = tree_rig();
	const struct ibc_node *leaf = ibc_fabric_node_by_guid(r.real, 2);
	const struct ibc_forwarding *t;

	(void)state;
	((struct ibc_node *)leaf)->lft_top = 0xbfff;
	model_tables(r.model, leaf)->silent = IBC_ATTRS(IBC_ATTR_LFT);
	sweep(&r);
	t = tables_of(r.seen);
	assert_int_equal(t->num_lids, 0xc000);
	assert_true(ibc_node_unanswered(t->switches[1], IBC_ATTR_LFT));
	assert_true(ibc_node_has(t->switches[0], IBC_ATTR_LFT));
	assert_int_equal(t->known[0 * t->stride + 1], 0);
	assert_true(ibc_fabric_subnet(r.seen, 0)->sweep.duration_seconds < 2);
	assert_true(model_asked(r.model, MODEL_LFT) < 100);
	rig_free(&r);
}

static int answer_first_blocks(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct mad_header h;

	mad_header_get(mad, &h);
	if (h.attribute == SMP_LINEAR_FDB && h.modifier >= 40)
		return LINE_NOBODY;
	return model_answer(model, to, mad);
}

/* Of a switch that answered before, silence is not believed at once. */
static void switches_that_fall_silent_among_their_blocks_are_not_waited_for(void **state)
{
	struct rig r = tree_rig();
	const struct ibc_forwarding *t;

	(void)state;
	for (unsigned int guid = 1; guid <= SWITCHES; guid++)
		((struct ibc_node *)ibc_fabric_node_by_guid(r.real, guid))->lft_top = 0xbfff;
	r.answer = answer_first_blocks;
	sweep(&r);
	t = tables_of(r.seen);
	for (unsigned int i = 0; i < SWITCHES; i++) {
		assert_true(ibc_node_unanswered(t->switches[i], IBC_ATTR_LFT));
		assert_int_equal(t->known[39 * t->stride + i], 1);
		assert_int_equal(t->known[40 * t->stride + i], 0);
	}
	assert_true(ibc_fabric_subnet(r.seen, 0)->sweep.duration_seconds < 5);
	rig_free(&r);
}

static void a_table_that_is_refused_is_refused(void **state)
{
	struct rig r = tree_rig();

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 2))->refused = IBC_ATTRS(
	    IBC_ATTR_LFT);
	sweep(&r);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_LFT).refused, 1);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_LFT).answered, SWITCHES - 1);
	rig_free(&r);
}

static int no_switch_info(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct mad_header h;

	mad_header_get(mad, &h);
	return h.attribute == SMP_SWITCH_INFO ? LINE_NOBODY : model_answer(model, to, mad);
}

static void without_switch_info_the_table_is_owed(void **state)
{
	struct rig r = tree_rig();

	(void)state;
	r.answer = no_switch_info;
	sweep(&r);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_LFT).timed_out, SWITCHES);
	assert_int_equal(tables_of(r.seen)->num_lids, 0);
	rig_free(&r);
}

static void the_deadline_leaves_the_blocks_that_are_known(void **state)
{
	struct rig r = tree_rig();
	const struct ibc_subnet *subnet;

	(void)state;
	for (unsigned int guid = 1; guid <= SWITCHES; guid++)
		((struct ibc_node *)ibc_fabric_node_by_guid(r.real, guid))->lft_top = 0xbfff;
	r.opts.per_device = 1;
	r.opts.deadline_seconds = 60 * RTT_NS / 1e9;
	sweep(&r);
	subnet = ibc_fabric_subnet(r.seen, 0);
	assert_true(subnet->cut_short);
	assert_true(subnet->not_asked > 4 * 700 && subnet->not_asked < 4 * 768);
	assert_int_equal(subnet->forwarding->known[0], 1);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_LFT).asked, 0);
	rig_free(&r);
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
	struct rig r = tree_rig();

	(void)state;
	sweep_short_of_memory(&r);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_read_as_they_are),
		cmocka_unit_test(nobody_asks_for_tables_that_nobody_needs),
		cmocka_unit_test(tables_are_read_by_directed_routes_too),
		cmocka_unit_test(lost_blocks_are_asked_for_again),
		cmocka_unit_test(
		    all_that_a_manager_wrote_is_read_though_one_mad_in_a_hundred_is_lost),
		cmocka_unit_test(entries_beyond_the_top_are_none),
		cmocka_unit_test(a_top_beyond_the_table_is_the_end_of_the_table),
		cmocka_unit_test(a_top_among_multicast_lids_is_the_last_unicast_lid),
		cmocka_unit_test(one_block_without_an_answer_leaves_the_others),
		cmocka_unit_test(a_switch_silent_on_its_whole_table_costs_two_seconds),
		cmocka_unit_test(switches_that_fall_silent_among_their_blocks_are_not_waited_for),
		cmocka_unit_test(a_table_that_is_refused_is_refused),
		cmocka_unit_test(without_switch_info_the_table_is_owed),
		cmocka_unit_test(the_deadline_leaves_the_blocks_that_are_known),
		cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
