/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkfab.h"
#include "mkrig.h"
#include "wire/mad.h"

#define IS_SM 2u

/* Three hosts on a switch: 2 asks, 3 governs, 4 stands by; 5 has two ports. */
static struct mkfab managed(void)
{
	struct mkfab m = mkfab();
	unsigned int lid = 3;

	mk_switch(m, 1, "leaf", 8);
	mk_ca(m, 2, "host01 mlx5_0", 1);
	mk_ca(m, 3, "host02 mlx5_0", 1);
	mk_ca(m, 4, "host03 mlx5_0", 1);
	mk_ca(m, 5, "host04 mlx4_0", 2);
	cable(m, 1, 1, 2, 1);
	cable(m, 1, 2, 3, 1);
	cable(m, 1, 3, 4, 1);
	cable(m, 1, 4, 5, 1);
	cable(m, 1, 5, 5, 2);
	port(m, 5, 2)->lid = 6;
	for (unsigned int guid = 2; guid <= 5; guid++)
		port(m, guid, 1)->sm_lid = (uint16_t)lid;
	return m;
}

/* Until mk_manager() says otherwise its count grows by one with every answer. */
static struct ibc_sm_info *mk_manager(struct mkfab m, uint64_t guid, unsigned int num,
                                      enum ibc_sm_state state)
{
	struct ibc_sm_info *sm = arena_alloc(fabric_build_arena(m.b), sizeof(*sm));

	assert_non_null(sm);
	*sm = (struct ibc_sm_info){
		.guid = port(m, guid, num)->guid,
		.state = (uint8_t)state,
		.priority = (uint8_t)(guid + 1),
		.act_count = 100,
		.act_count_later = 101,
	};
	port_extra(port(m, guid, num))->sm = sm;
	port(m, guid, num)->cap_mask |= IS_SM;
	return sm;
}

static struct rig managed_rig(struct mkfab m)
{
	struct rig r = rig_of(done(m));

	r.opts.needs = IBC_ATTRS(IBC_ATTR_SM_INFO);
	return r;
}

static struct rig two_managers(void)
{
	struct mkfab m = managed();

	mk_manager(m, 3, 1, IBC_SM_MASTER);
	mk_manager(m, 4, 1, IBC_SM_STANDBY);
	return managed_rig(m);
}

static const struct ibc_port *seen_port(const struct rig *r, uint64_t guid, unsigned int num)
{
	return ibc_node_port(ibc_fabric_node_by_guid(r->seen, guid), num);
}

static const struct ibc_sm_info *seen_sm(const struct rig *r, uint64_t guid)
{
	const struct ibc_sm_info *sm = seen_port(r, guid, 1)->extra->sm;

	assert_non_null(sm);
	return sm;
}

static double seconds(const struct rig *r)
{
	return ibc_fabric_subnet(r->seen, 0)->sweep.duration_seconds;
}

static void every_manager_is_asked_twice(void **state)
{
	struct rig r = two_managers();
	const struct ibc_sm_info *sm;

	(void)state;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	sm = seen_sm(&r, 3);
	assert_int_equal(sm->guid, 4);
	assert_int_equal(sm->state, IBC_SM_MASTER);
	assert_int_equal(sm->state_later, IBC_SM_MASTER);
	assert_int_equal(sm->priority, 4);
	assert_int_equal(sm->act_count, 100);
	assert_int_equal(sm->act_count_later, 101);
	assert_true(sm->act_seconds > 0 && sm->act_seconds < 0.1);
	assert_int_equal(seen_sm(&r, 4)->state, IBC_SM_STANDBY);
	assert_null(seen_port(&r, 2, 1)->extra->sm);
	assert_int_equal(model_asked(r.model, MODEL_SM_INFO), 4);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_SM_INFO).answered, 2);
	assert_int_equal(ibc_fabric_subnet(r.seen, 0)->handovers, 0);
	assert_true(seconds(&r) < 0.1);
	rig_free(&r);
}

static void nobody_is_asked_when_nobody_needs_it(void **state)
{
	struct rig r = two_managers();

	(void)state;
	r.opts.needs = IBC_ATTRS();
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_SM_INFO), 0);
	assert_null(seen_port(&r, 3, 1)->extra->sm);
	rig_free(&r);
}

static void who_shows_no_progress_is_given_time(void **state)
{
	struct rig r = two_managers();

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 3))->sm_idle = 1;
	sweep(&r);
	assert_int_equal(seen_sm(&r, 3)->act_count_later, 101);
	assert_true(seen_sm(&r, 3)->act_seconds >= 1 && seen_sm(&r, 3)->act_seconds < 1.2);
	assert_true(seconds(&r) >= 1 && seconds(&r) < 1.2);
	rig_free(&r);
}

static void who_never_shows_progress_is_asked_after_four_seconds_at_last(void **state)
{
	struct rig r = two_managers();
	const struct ibc_sm_info *sm;

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 3))->sm_idle = 1000;
	sweep(&r);
	sm = seen_sm(&r, 3);
	assert_int_equal(sm->act_count_later, sm->act_count);
	assert_int_equal(sm->state_later, IBC_SM_MASTER);
	assert_true(sm->act_seconds >= 4 && sm->act_seconds < 4.5);
	assert_int_equal(model_asked(r.model, MODEL_SM_INFO), 6);
	rig_free(&r);
}

static void the_deadline_is_no_time_to_wait_in(void **state)
{
	struct rig r = two_managers();

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 3))->sm_idle = 1000;
	r.opts.deadline_seconds = 4;
	sweep(&r);
	/* time for the first wait only */
	assert_true(seen_sm(&r, 3)->act_seconds >= 1 && seen_sm(&r, 3)->act_seconds < 1.2);
	assert_false(ibc_fabric_subnet(r.seen, 0)->cut_short);
	rig_free(&r);
}

static void who_is_not_active_need_not_count(void **state)
{
	struct mkfab m = managed();
	struct rig r;

	(void)state;
	mk_manager(m, 3, 1, IBC_SM_NOT_ACTIVE)->act_count_later = 100;
	r = managed_rig(m);
	sweep(&r);
	assert_true(seconds(&r) < 0.1);
	assert_int_equal(seen_sm(&r, 3)->state, IBC_SM_NOT_ACTIVE);
	rig_free(&r);
}

/* ---- silence ---------------------------------------------------------------------------- */

static void a_manager_that_is_silent_is_a_query_without_an_answer(void **state)
{
	struct rig r = two_managers();

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 3))->silent = IBC_ATTRS(
	    IBC_ATTR_SM_INFO);
	sweep(&r);
	assert_null(seen_port(&r, 3, 1)->extra->sm);
	assert_true(ibc_port_unanswered(seen_port(&r, 3, 1), IBC_ATTR_SM_INFO));
	assert_true(ibc_port_has(seen_port(&r, 3, 1), IBC_ATTR_PORT_INFO));
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_SM_INFO).timed_out, 1);
	rig_free(&r);
}

static void a_manager_that_falls_silent_did_not_answer_later(void **state)
{
	struct rig r = two_managers();

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 3))->sm_answers = 1;
	sweep(&r);
	assert_int_equal(seen_sm(&r, 3)->state, IBC_SM_MASTER);
	assert_int_equal(seen_sm(&r, 3)->state_later, IBC_SM_UNKNOWN);
	assert_true(seen_sm(&r, 3)->act_seconds > 1);
	assert_true(ibc_port_has(seen_port(&r, 3, 1), IBC_ATTR_SM_INFO));
	assert_int_equal(ibc_fabric_subnet(r.seen, 0)->handovers, 0);
	rig_free(&r);
}

/* It had no time to answer again. */
static void the_deadline_ends_no_manager(void **state)
{
	struct rig r = two_managers();

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 3))->sm_answers = 1;
	r.opts.deadline_seconds = 0.5;
	sweep(&r);
	assert_true(ibc_fabric_subnet(r.seen, 0)->cut_short);
	assert_int_equal(ibc_sm_life(seen_sm(&r, 3)), IBC_SM_LIFE_UNKNOWN);
	assert_int_equal(ibc_sm_state_now(seen_sm(&r, 3)), IBC_SM_MASTER);
	rig_free(&r);
}

static int nonsense_of_managers(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	int who = model_answer(model, to, mad);
	struct mad_header h;

	mad_header_get(mad, &h);
	if (h.attribute == SMP_SM_INFO)
		memset(mad + SMP_DATA_OFFSET, 0xff, SMP_DATA_SIZE);
	return who;
}

static void a_state_that_there_is_not_is_a_gap(void **state)
{
	struct rig r = two_managers();

	(void)state;
	r.answer = nonsense_of_managers;
	sweep(&r);
	assert_null(seen_port(&r, 3, 1)->extra->sm);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_SM_INFO).refused, 2);
	rig_free(&r);
}

/* ---- who is asked ------------------------------------------------------------------------ */

static void the_port_that_governs_is_asked_whatever_it_says_it_can(void **state)
{
	struct mkfab m = managed();
	struct rig r;

	(void)state;
	mk_manager(m, 3, 1, IBC_SM_MASTER);
	port(m, 3, 1)->cap_mask = 0;
	r = managed_rig(m);
	sweep(&r);
	assert_int_equal(seen_sm(&r, 3)->state, IBC_SM_MASTER);
	rig_free(&r);
}

static void a_switch_may_govern(void **state)
{
	struct mkfab m = managed();
	struct rig r;

	(void)state;
	mk_manager(m, 1, 0, IBC_SM_MASTER);
	r = managed_rig(m);
	sweep(&r);
	assert_non_null(seen_port(&r, 1, 0)->extra->sm);
	rig_free(&r);
}

/* Each port of an adapter has a manager of its own, and only that port tells of it. */
static void the_second_port_of_an_adapter_is_asked_itself(void **state)
{
	struct mkfab m = managed();
	struct rig r;

	(void)state;
	mk_manager(m, 3, 1, IBC_SM_MASTER);
	mk_manager(m, 5, 1, IBC_SM_STANDBY);
	mk_manager(m, 5, 2, IBC_SM_DISCOVERING);
	r = managed_rig(m);
	sweep(&r);
	assert_int_equal(seen_port(&r, 5, 1)->extra->sm->guid, 6);
	assert_int_equal(seen_port(&r, 5, 2)->extra->sm->guid, 7);
	ibc_fabric_free(r.seen);
	r.opts.directed_only = true;
	sweep(&r);
	assert_int_equal(seen_port(&r, 5, 1)->extra->sm->guid, 6);
	assert_int_equal(seen_port(&r, 5, 2)->extra->sm->guid, 7);
	rig_free(&r);
}

static void the_own_port_may_govern(void **state)
{
	struct mkfab m = managed();
	struct rig r;

	(void)state;
	mk_manager(m, 2, 1, IBC_SM_MASTER);
	r = managed_rig(m);
	sweep(&r);
	assert_int_equal(seen_sm(&r, 2)->state_later, IBC_SM_MASTER);
	rig_free(&r);
}

/* ---- another one takes over --------------------------------------------------------------- */

static struct rig handing_over(struct source_again *again)
{
	struct mkfab m = managed();
	struct rig r;

	mk_manager(m, 3, 1, IBC_SM_MASTER)->state_later = IBC_SM_STANDBY;
	mk_manager(m, 4, 1, IBC_SM_STANDBY)->state_later = IBC_SM_MASTER;
	r = managed_rig(m);
	r.opts.again = again;
	return r;
}

static void a_handover_is_swept_once_more(void **state)
{
	struct source_again again = { 0 };
	struct rig r = handing_over(&again);

	(void)state;
	sweep(&r);
	assert_int_equal(r.rc, -EAGAIN);
	assert_true(again.wanted && !again.directed_only);
	assert_true(again.spent_seconds > 0);
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(ibc_fabric_subnet(r.seen, 0)->handovers, 1);
	assert_int_equal(seen_sm(&r, 4)->state, IBC_SM_MASTER);
	rig_free(&r);
}

static void a_second_handover_is_told_not_swept(void **state)
{
	struct source_again again = { .handed_over = 1 };
	struct rig r = handing_over(&again);

	(void)state;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(ibc_fabric_subnet(r.seen, 0)->handovers, 2);
	rig_free(&r);
}

static void a_handover_without_time_to_sweep_is_told(void **state)
{
	struct source_again again = { 0 };
	struct rig r = handing_over(&again);

	(void)state;
	r.opts.deadline_seconds = 0.5;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(ibc_fabric_subnet(r.seen, 0)->handovers, 2);
	rig_free(&r);
}

static int other_master(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct ibc_port *own = (struct ibc_port *)model_from(model);
	int who = model_answer(model, to, mad);

	if (model_asked(model, MODEL_PORT_INFO) > 4)
		own->sm_lid = 4;
	return who;
}

static void other_orders_for_the_origin_are_a_handover(void **state)
{
	struct source_again again = { 0 };
	struct rig r = two_managers();

	(void)state;
	r.opts.needs = IBC_ATTRS(IBC_ATTR_LFT);
	r.opts.again = &again;
	r.answer = other_master;
	sweep(&r);
	assert_int_equal(r.rc, -EAGAIN);
	sweep(&r);
	assert_int_equal(ibc_fabric_subnet(r.seen, 0)->handovers, 1);
	assert_int_equal(ibc_fabric_subnet(r.seen, 0)->origin->sm_lid, 4);
	rig_free(&r);
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
	struct rig r = two_managers();

	(void)state;
	sweep_short_of_memory(&r);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_manager_is_asked_twice),
		cmocka_unit_test(nobody_is_asked_when_nobody_needs_it),
		cmocka_unit_test(who_shows_no_progress_is_given_time),
		cmocka_unit_test(who_never_shows_progress_is_asked_after_four_seconds_at_last),
		cmocka_unit_test(the_deadline_is_no_time_to_wait_in),
		cmocka_unit_test(who_is_not_active_need_not_count),
		cmocka_unit_test(a_manager_that_is_silent_is_a_query_without_an_answer),
		cmocka_unit_test(a_manager_that_falls_silent_did_not_answer_later),
		cmocka_unit_test(the_deadline_ends_no_manager),
		cmocka_unit_test(a_state_that_there_is_not_is_a_gap),
		cmocka_unit_test(the_port_that_governs_is_asked_whatever_it_says_it_can),
		cmocka_unit_test(a_switch_may_govern),
		cmocka_unit_test(the_second_port_of_an_adapter_is_asked_itself),
		cmocka_unit_test(the_own_port_may_govern),
		cmocka_unit_test(a_handover_is_swept_once_more),
		cmocka_unit_test(a_second_handover_is_told_not_swept),
		cmocka_unit_test(a_handover_without_time_to_sweep_is_told),
		cmocka_unit_test(other_orders_for_the_origin_are_a_handover),
		cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
