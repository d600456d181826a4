/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sweep asks of subnet administration, and what it makes of the answers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mkfab.h"
#include "mkrig.h"

#include "wire/mad.h"
#include "wire/sa.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ALL                                                                                        \
	IBC_ATTR_SA_CLASS_PORT_INFO, IBC_ATTR_PATH_RECORD, IBC_ATTR_MC_MEMBER_RECORD,              \
	    IBC_ATTR_SERVICE_RECORD
#define MANY 300

static struct ibc_path_sl path_table[64];
static struct ibc_mc_member member_table[MANY];
static struct ibc_sa sa_client;

/* Three leaves with two hosts each at a spine, whose LID is that of the subnet manager. */
static struct ibc_fabric *fabric(void)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	mk_switch(m, 1, "spine01", 8);
	for (uint64_t leaf = 0; leaf < 3; leaf++) {
		mk_switch(m, 0x10 + leaf, "leaf", 4);
		cable(m, 1, 1 + (unsigned int)leaf, 0x10 + leaf, 4);
		for (unsigned int i = 1; i <= 2; i++) {
			mk_ca(m, 0x20 + leaf * 16 + i, "host mlx5_0", 1);
			cable(m, 0x10 + leaf, i, 0x20 + leaf * 16 + i, 1);
			port(m, 0x20 + leaf * 16 + i, 1)->sm_sl = 3;
		}
	}
	fab = done(m);
	memset(&sa_client, 0, sizeof(sa_client));
	((struct ibc_subnet *)ibc_fabric_subnet(fab, 0))->sa = &sa_client;
	return fab;
}

static struct rig sa_rig(void)
{
	struct rig r = rig_of(fabric());

	r.opts.needs = IBC_ATTRS(ALL);
	return r;
}

static const struct ibc_port *origin_of(const struct rig *r)
{
	return ibc_fabric_subnet(r->seen, 0)->origin;
}

/* What became of the questions to subnet administration. */
static struct ibc_attrs that_were(const struct rig *r, enum ibc_answer answer)
{
	return ibc_attrs_and(ibc_port_attrs(origin_of(r), answer),
	                     attrs_where(ATTR_CLASS, ATTR_SA));
}

static const struct ibc_sa *told(struct rig *r)
{
	sweep(r);
	assert_int_equal(r->rc, 0);
	assert_true(ibc_attrs_is_empty(that_were(r, IBC_NOT_ASKED)));
	assert_attrs(ibc_attrs_and(ibc_fabric_subnet(r->seen, 0)->provides, IBC_ATTRS(ALL)), ALL);
	assert_non_null(ibc_fabric_subnet(r->seen, 0)->sa);
	return ibc_fabric_subnet(r->seen, 0)->sa;
}

/* Service levels that differ, of all pairs of hosts. */
static void differ(void)
{
	static const uint16_t lids[] = { 0x21, 0x22, 0x31, 0x32, 0x41, 0x42 };
	size_t n = 0;

	for (size_t z = 0; z < COUNT(lids); z++)
		for (size_t a = 0; a < COUNT(lids); a++)
			if (a != z)
				path_table[n++] = (struct ibc_path_sl){ lids[a], lids[z],
					                                (a + 3 * z) % 5 };
	sa_client.paths = path_table;
	sa_client.num_paths = n;
}

static void groups(size_t n)
{
	for (size_t i = 0; i < n; i++)
		member_table[i] = (struct ibc_mc_member){
			.mgid = { 0xff, 0x12, [14] = (uint8_t)(i / 3 >> 8), (uint8_t)(i / 3) },
			.port_guid = 0x1000 + i % 3,
			.qkey = 0x12345678,
			.mlid = (uint16_t)(0xc000 + i / 3),
			.pkey = 0x8001,
			.mtu = 4,
			.rate = 7,
			.sl = 9,
			.join_state = 5,
		};
	sa_client.members = member_table;
	sa_client.num_members = n;
}

/* ---- ClassPortInfo ---- */

static void how_long_it_took_is_measured_to_the_microsecond(void **state)
{
	struct rig r = sa_rig();
	const struct ibc_sa *sa;

	(void)state;
	r.line.rtt_ns = 7123000;
	sa = told(&r);
	assert_int_equal(sa->latency_us, 7123);
	assert_int_equal(sa->response_us, 268435);
	assert_int_equal(sa->cap_mask, 0x2602);
	assert_int_equal(sa->lid, 1);
	assert_attrs(that_were(&r, IBC_ANSWERED), ALL);
	rig_free(&r);
}

static void a_slow_one_is_waited_for(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	r.opts.needs = IBC_ATTRS(IBC_ATTR_SA_CLASS_PORT_INFO);
	r.line.rtt_ns = 700000000;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(ibc_fabric_subnet(r.seen, 0)->sa->latency_us, 700000);
	rig_free(&r);
}

static void a_silent_one_is_asked_for_nothing_else(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	model_sa(r.model)->silent = true;
	told(&r);
	assert_true(ibc_attrs_is_empty(that_were(&r, IBC_ANSWERED)));
	assert_true(ibc_attrs_is_empty(that_were(&r, IBC_REFUSED)));
	assert_int_equal(model_asked(r.model, MODEL_PATHS), 0);
	assert_int_equal(model_asked(r.model, MODEL_MEMBERS), 0);
	assert_in_range(model_asked(r.model, MODEL_SA_CLASS_INFO), 3, 4);
	rig_free(&r);
}

/* It is not known that the SA is silent as well before it was asked. */
static void a_dead_manager_costs_one_wait_and_not_two(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	ibc_attrs_add(&r.opts.needs, IBC_ATTR_SM_INFO);
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 1))->silent = IBC_ATTRS(
	    IBC_ATTR_SM_INFO);
	model_sa(r.model)->silent = true;
	told(&r);
	assert_true(ibc_attrs_is_empty(that_were(&r, IBC_ANSWERED)));
	assert_true(ibc_fabric_subnet(r.seen, 0)->sweep.duration_seconds < 1.4);
	rig_free(&r);
}

static void without_a_subnet_manager_nobody_is_asked(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	for (uint64_t guid = 0x21; guid <= 0x42; guid++)
		if (ibc_fabric_node_by_guid(r.real, guid))
			((struct ibc_port *)ibc_node_port(ibc_fabric_node_by_guid(r.real, guid), 1))
			    ->sm_lid = 0;
	told(&r);
	assert_true(ibc_attrs_is_empty(that_were(&r, IBC_ANSWERED)));
	assert_int_equal(model_asked(r.model, MODEL_SA_CLASS_INFO), 0);
	rig_free(&r);
}

static void who_sends_us_elsewhere_is_followed_once(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	model_sa(r.model)->redirect = (struct mad_addr){ .dlid = 1, .qpn = 77, .qkey = 0x80010000 };
	told(&r);
	assert_attrs(that_were(&r, IBC_ANSWERED), ALL);
	assert_int_equal(model_asked(r.model, MODEL_SA_CLASS_INFO), 2);
	rig_free(&r);
}

static uint64_t key_sent;
static uint8_t level_sent;

static int listen(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	if (mad[1] == MAD_CLASS_SA) {
		key_sent = 0;
		for (int i = 0; i < 8; i++)
			key_sent = key_sent << 8 | mad[36 + i];
		level_sent = to->sl;
	}
	return model_answer(model, to, mad);
}

static void it_is_asked_on_its_service_level_and_with_the_key(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	r.answer = listen;
	r.opts.sm_key = 0x123456789abcdef0;
	told(&r);
	assert_int_equal(key_sent, r.opts.sm_key);
	assert_int_equal(level_sent, 3);
	rig_free(&r);
}

/* ---- MCMemberRecord ---- */

static void an_answer_of_many_mads_is_read_whole(void **state)
{
	struct rig r = sa_rig();
	const struct ibc_sa *sa;

	(void)state;
	groups(MANY);
	sa = told(&r);
	assert_int_equal(sa->num_members, MANY);
	for (size_t i = 0; i < MANY; i++)
		assert_memory_equal(&sa->members[i], &member_table[i], sizeof(member_table[i]));
	assert_true(ibc_attrs_is_empty(sa->cut_short));
	assert_true(ibc_port_has(origin_of(&r), IBC_ATTR_MC_MEMBER_RECORD));
	rig_free(&r);
}

static void members_are_in_order_whatever_the_answer(void **state)
{
	struct rig r = sa_rig();
	const struct ibc_sa *sa;
	struct ibc_mc_member last;

	(void)state;
	groups(9);
	last = member_table[8];
	member_table[8] = member_table[0];
	member_table[0] = last;
	sa = told(&r);
	assert_int_equal(sa->members[0].mlid, 0xc000);
	assert_int_equal(sa->members[0].port_guid, 0x1000);
	assert_int_equal(sa->members[8].mlid, 0xc002);
	rig_free(&r);
}

static void no_groups_are_an_answer(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	assert_int_equal(told(&r)->num_members, 0);
	assert_true(ibc_port_has(origin_of(&r), IBC_ATTR_MC_MEMBER_RECORD));
	rig_free(&r);
}

static void an_answer_that_was_cut_short_is_none(void **state)
{
	struct rig r = sa_rig();
	const struct ibc_sa *sa;

	(void)state;
	groups(MANY);
	model_sa(r.model)->only_first = true;
	sa = told(&r);
	assert_attrs(sa->cut_short, IBC_ATTR_MC_MEMBER_RECORD);
	assert_int_equal(sa->num_members, 3);
	assert_false(ibc_port_has(origin_of(&r), IBC_ATTR_MC_MEMBER_RECORD));
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_MC_MEMBER_RECORD).timed_out, 1);
	rig_free(&r);
}

static void what_fits_into_one_mad_is_not_cut_short(void **state)
{
	struct rig r = sa_rig();
	const struct ibc_sa *sa;

	(void)state;
	groups(3);
	model_sa(r.model)->only_first = true;
	sa = told(&r);
	assert_true(ibc_attrs_is_empty(sa->cut_short));
	assert_int_equal(sa->num_members, 3);
	assert_true(ibc_port_has(origin_of(&r), IBC_ATTR_MC_MEMBER_RECORD));
	rig_free(&r);
}

static void who_knows_the_key_is_told_all_members(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	groups(9);
	model_sa(r.model)->trusted = 1;
	assert_int_equal(told(&r)->num_members, 3);
	ibc_fabric_free(r.seen);
	r.seen = NULL;
	r.opts.sm_key = 1;
	assert_int_equal(told(&r)->num_members, 9);
	rig_free(&r);
}

static void a_refusal_is_no_answer(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	model_sa(r.model)->status = 0x0700; /* ERR_REQ_DENIED */
	told(&r);
	assert_attrs(that_were(&r, IBC_REFUSED), IBC_ATTR_PATH_RECORD, IBC_ATTR_MC_MEMBER_RECORD,
	             IBC_ATTR_SERVICE_RECORD);
	assert_in_range(model_asked(r.model, MODEL_PATHS), 8, 16);
	rig_free(&r);
}

/* ---- ServiceRecord ---- */

static struct ibc_service service_table[3];

/* Managers of SHARP at so many hosts. */
static struct rig served(size_t n)
{
	struct rig r = sa_rig();

	for (size_t i = 0; i < n; i++)
		service_table[i] = (struct ibc_service){
			.gid = { 0xfe, 0x80, [15] = (uint8_t)(0x21 + i) },
			.id = 0x1234567890abcdef,
			.lease_seconds = 60,
			.pkey = 0x8001,
		};
	sa_client.services = service_table;
	sa_client.num_services = n;
	return r;
}

static void a_manager_of_sharp_is_looked_for_once(void **state)
{
	struct rig r = served(1);
	const struct ibc_sa *sa;

	(void)state;
	model_sa(r.model)->stranger = true;
	sa = told(&r);
	assert_int_equal(sa->num_services, 1);
	assert_memory_equal(&sa->services[0], &service_table[0], sizeof(service_table[0]));
	assert_int_equal(model_asked(r.model, MODEL_SERVICES), 1);
	rig_free(&r);
}

static void who_is_not_just_one_is_looked_for_again(void **state)
{
	(void)state;
	for (size_t n = 0; n <= 3; n++) {
		struct rig r = served(n);
		struct ibc_service first = service_table[0];
		const struct ibc_sa *sa;

		service_table[0] = service_table[n == 3 ? 2 : 0];
		service_table[2] = n == 3 ? first : service_table[2];
		sa = told(&r);
		assert_int_equal(sa->num_services, n);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(sa->services[i].gid[15], 0x21 + i);
		assert_true(ibc_port_has(origin_of(&r), IBC_ATTR_SERVICE_RECORD));
		assert_int_equal(model_asked(r.model, MODEL_SERVICES), n == 1 ? 1 : 2);
		rig_free(&r);
	}
}

static void a_lease_that_was_renewed_meanwhile_is_seen(void **state)
{
	struct rig r = served(1);

	(void)state;
	model_sa(r.model)->services_after = 1;
	assert_int_equal(told(&r)->num_services, 1);
	rig_free(&r);
}

static void of_records_that_did_not_all_arrive_the_first_is_known(void **state)
{
	struct rig r = served(2);
	const struct ibc_sa *sa;

	(void)state;
	model_sa(r.model)->only_first = true;
	sa = told(&r);
	assert_int_equal(sa->num_services, 1);
	assert_attrs(sa->cut_short, IBC_ATTR_SERVICE_RECORD);
	assert_true(ibc_port_has(origin_of(&r), IBC_ATTR_SERVICE_RECORD));
	rig_free(&r);
}

static void records_that_are_too_short_are_no_answer(void **state)
{
	struct rig r = served(1);

	(void)state;
	model_sa(r.model)->narrow = true;
	assert_int_equal(told(&r)->num_services, 0);
	assert_true(ibc_port_answer(origin_of(&r), IBC_ATTR_SERVICE_RECORD) == IBC_REFUSED);
	rig_free(&r);
}

/* ---- PathRecord ---- */

static void one_level_of_a_sample_is_the_level(void **state)
{
	struct rig r = sa_rig();
	const struct ibc_sa *sa;

	(void)state;
	sa = told(&r);
	assert_in_range(sa->num_paths, 12, 30);
	assert_int_equal(model_asked(r.model, MODEL_PATHS), sa->num_paths);
	for (size_t i = 0; i < sa->num_paths; i++)
		assert_int_equal(sa->paths[i].sl, 0);
	rig_free(&r);
}

static void a_sample_spreads_over_all_leaves_and_no_pair_twice(void **state)
{
	struct rig r = rig("synth:fattree:leaves=100,spines=2,hosts=3");
	uint8_t *seen = calloc(1, 65536);
	const struct ibc_sa *sa;
	size_t hosts = 0;

	(void)state;
	r.opts.needs = IBC_ATTRS(ALL);
	sa = told(&r);
	assert_in_range(sa->num_paths, 200, 256);
	for (size_t i = 0; i < sa->num_paths; i++) {
		seen[sa->paths[i].slid] = 1;
		assert_true(i == 0 || sa->paths[i - 1].dlid < sa->paths[i].dlid ||
		            sa->paths[i - 1].slid < sa->paths[i].slid);
	}
	for (size_t i = 0; i < 65536; i++)
		hosts += seen[i];
	assert_true(hosts >= 100);
	free(seen);
	rig_free(&r);
}

static void levels_that_differ_are_asked_of_every_pair(void **state)
{
	struct rig r = sa_rig();
	const struct ibc_sa *sa;

	(void)state;
	differ();
	sa = told(&r);
	assert_int_equal(sa->num_paths, 30);
	assert_int_equal(model_asked(r.model, MODEL_PATHS), 30);
	for (size_t i = 0; i < 30; i++) {
		assert_int_equal(sa->paths[i].dlid, path_table[i].dlid);
		assert_int_equal(sa->paths[i].slid, path_table[i].slid);
		assert_int_equal(sa->paths[i].sl, path_table[i].sl);
	}
	assert_true(ibc_port_has(origin_of(&r), IBC_ATTR_PATH_RECORD));
	rig_free(&r);
}

static void who_falls_silent_is_not_asked_on(void **state)
{
	struct rig r = sa_rig();
	const struct ibc_sa *sa;

	(void)state;
	differ();
	model_sa(r.model)->silent_after = 6;
	sa = told(&r);
	assert_in_range(sa->num_paths, 1, 6);
	assert_false(ibc_port_has(origin_of(&r), IBC_ATTR_PATH_RECORD));
	assert_int_not_equal(ibc_port_answer(origin_of(&r), IBC_ATTR_PATH_RECORD), IBC_REFUSED);
	assert_true(model_asked(r.model, MODEL_PATHS) < 60);
	rig_free(&r);
}

static void another_path_than_was_asked_for_is_no_answer(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	model_sa(r.model)->odd_path = true;
	assert_int_equal(told(&r)->num_paths, 0);
	assert_int_equal(ibc_port_answer(origin_of(&r), IBC_ATTR_PATH_RECORD), IBC_REFUSED);
	rig_free(&r);
}

static void what_nobody_needs_is_not_asked(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	r.opts.needs = IBC_ATTRS();
	sweep(&r);
	assert_null(ibc_fabric_subnet(r.seen, 0)->sa);
	assert_int_equal(model_asked(r.model, MODEL_SA_CLASS_INFO), 0);
	rig_free(&r);
}

static void a_deadline_leaves_queries_open(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	r.opts.deadline_seconds = 0.1;
	model_sa(r.model)->silent = true;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_true(ibc_fabric_subnet(r.seen, 0)->cut_short);
	assert_true(ibc_attrs_is_empty(that_were(&r, IBC_ANSWERED)));
	assert_true(ibc_attrs_is_empty(that_were(&r, IBC_NOT_ASKED)));
	rig_free(&r);
}

static void every_allocation_may_fail(void **state)
{
	struct rig r = sa_rig();

	(void)state;
	differ();
	groups(9);
	sweep_short_of_memory(&r);
	rig_free(&r);
}

/* ---- bytes ---- */

static void records_never_reach_beyond_the_answer(void **state)
{
	uint8_t mad[512] = { 0 };
	struct sa_records records;

	(void)state;
	assert_true(sa_records_get(mad, SA_HEADER_SIZE, SA_MEMBER_SIZE, &records));
	assert_int_equal(records.num, 0);
	mad[45] = 6;
	assert_false(sa_records_get(mad, MAD_SIZE, SA_MEMBER_SIZE, &records));
	mad[45] = 7;
	assert_true(sa_records_get(mad, SA_HEADER_SIZE + 107, SA_MEMBER_SIZE, &records));
	assert_int_equal(records.num, 1);
	assert_true(records.cut_short);
	assert_true(sa_records_get(mad, SA_HEADER_SIZE + 108, SA_MEMBER_SIZE, &records));
	assert_int_equal(records.num, 2); /* the second without what fills it up */
	assert_false(records.cut_short);
	assert_true(sa_records_get(mad, MAD_SIZE, SA_MEMBER_SIZE, &records));
	assert_int_equal(records.num, 3);
	assert_true(records.cut_short);
	mad[25] = 1;
	assert_true(sa_records_get(mad, sizeof(mad), SA_MEMBER_SIZE, &records));
	assert_int_equal(records.num, 8);
	assert_true(records.cut_short); /* 456 bytes are eight records and 8 bytes */
	assert_true(sa_records_get(mad, SA_HEADER_SIZE + 448, SA_MEMBER_SIZE, &records));
	assert_int_equal(records.num, 8);
	assert_false(records.cut_short);
	mad[44] = 0xff;
	assert_true(sa_records_get(mad, sizeof(mad), SA_MEMBER_SIZE, &records));
	assert_int_equal(records.num, 0);
	assert_true(records.cut_short);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(how_long_it_took_is_measured_to_the_microsecond),
		cmocka_unit_test(a_slow_one_is_waited_for),
		cmocka_unit_test(a_silent_one_is_asked_for_nothing_else),
		cmocka_unit_test(a_dead_manager_costs_one_wait_and_not_two),
		cmocka_unit_test(without_a_subnet_manager_nobody_is_asked),
		cmocka_unit_test(who_sends_us_elsewhere_is_followed_once),
		cmocka_unit_test(it_is_asked_on_its_service_level_and_with_the_key),
		cmocka_unit_test(an_answer_of_many_mads_is_read_whole),
		cmocka_unit_test(members_are_in_order_whatever_the_answer),
		cmocka_unit_test(no_groups_are_an_answer),
		cmocka_unit_test(an_answer_that_was_cut_short_is_none),
		cmocka_unit_test(what_fits_into_one_mad_is_not_cut_short),
		cmocka_unit_test(who_knows_the_key_is_told_all_members),
		cmocka_unit_test(a_refusal_is_no_answer),
		cmocka_unit_test(a_manager_of_sharp_is_looked_for_once),
		cmocka_unit_test(who_is_not_just_one_is_looked_for_again),
		cmocka_unit_test(a_lease_that_was_renewed_meanwhile_is_seen),
		cmocka_unit_test(of_records_that_did_not_all_arrive_the_first_is_known),
		cmocka_unit_test(records_that_are_too_short_are_no_answer),
		cmocka_unit_test(one_level_of_a_sample_is_the_level),
		cmocka_unit_test(a_sample_spreads_over_all_leaves_and_no_pair_twice),
		cmocka_unit_test(levels_that_differ_are_asked_of_every_pair),
		cmocka_unit_test(who_falls_silent_is_not_asked_on),
		cmocka_unit_test(another_path_than_was_asked_for_is_no_answer),
		cmocka_unit_test(what_nobody_needs_is_not_asked),
		cmocka_unit_test(a_deadline_leaves_queries_open),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(records_never_reach_beyond_the_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
