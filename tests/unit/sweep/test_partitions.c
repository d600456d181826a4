/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkfab.h"
#include "mkkeys.h"
#include "wire/mad.h"

#define CAP 40 /* two blocks */

static const uint16_t few_keys[] = { 0xffff, 0x8001 };
static uint16_t many_keys[CAP];

static void mk_keys(struct mkfab m, uint64_t guid, unsigned int num, const uint16_t *keys, size_t n)
{
	struct ibc_pkeys *p = arena_alloc(fabric_build_arena(m.b), sizeof(*p));

	assert_non_null(p);
	*p = (struct ibc_pkeys){ keys, n };
	port_extra(port(m, guid, num))->pkeys = p;
}

/* A switch, whose port 2 lets only members through, with a host of two ports on 2 and 3. */
static struct mkfab partitioned(void)
{
	struct mkfab m = mkfab();

	for (unsigned int i = 0; i < CAP; i++)
		many_keys[i] = (uint16_t)(0x8000 | (i + 1));
	many_keys[3] = many_keys[35] = 0;
	mk_switch(m, 1, "leaf", 4)->pkey_enforce_cap = CAP;
	mk_ca(m, 2, "host01 mlx5_0", 1);
	mk_ca(m, 4, "host02 mlx4_0", 2);
	cable(m, 1, 1, 2, 1);
	cable(m, 1, 2, 4, 1);
	cable(m, 1, 3, 4, 2);
	port(m, 4, 2)->lid = 5;
	fabric_build_find(m.b, m.subnet, 4)->pkey_cap = CAP;
	port(m, 1, 2)->pkey_enforce = 3;
	mk_keys(m, 1, 2, few_keys, 2);
	mk_keys(m, 4, 1, few_keys, 2);
	mk_keys(m, 4, 2, many_keys, CAP);
	return m;
}

static struct rig partitioned_rig(void)
{
	struct rig r = rig_of(done(partitioned()));

	r.opts.needs = IBC_ATTRS(IBC_ATTR_PKEY_TABLE);
	return r;
}

static const struct ibc_port *seen_port(const struct rig *r, uint64_t guid, unsigned int num)
{
	return ibc_node_port(ibc_fabric_node_by_guid(r->seen, guid), num);
}

static void assert_tables_seen(const struct rig *r)
{
	const struct ibc_pkeys *keys = seen_port(r, 4, 2)->extra->pkeys;

	assert_non_null(keys);
	assert_int_equal(keys->num_keys, CAP - 2);
	assert_int_equal(keys->keys[2], 0x8003);
	assert_int_equal(keys->keys[3], 0x8005);
	assert_int_equal(keys->keys[CAP - 3], 0x8028);
	keys = seen_port(r, 4, 1)->extra->pkeys;
	assert_non_null(keys);
	assert_int_equal(keys->num_keys, 2);
	assert_memory_equal(keys->keys, few_keys, sizeof(few_keys));
}

static void hosts_tell_their_keys_without_the_zeros(void **state)
{
	struct rig r = partitioned_rig();

	(void)state;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_tables_seen(&r);
	assert_int_equal(seen_port(&r, 2, 1)->extra->pkeys->num_keys, 1);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_PKEY_TABLE).answered, 4);
	rig_free(&r);
}

static void each_port_of_an_adapter_is_asked_itself_by_directed_routes_too(void **state)
{
	struct rig r = partitioned_rig();

	(void)state;
	r.opts.directed_only = true;
	sweep(&r);
	assert_tables_seen(&r);
	rig_free(&r);
}

static void each_port_of_an_adapter_is_asked_with_its_own_m_key(void **state)
{
	(void)state;
	for (unsigned int directed = 0; directed <= 1; directed++) {
		struct rig r = partitioned_rig();

		protect(&r, 2);
		write_keys(&r, NULL);
		r.opts.directed_only = directed;
		sweep_with_keys(&r);
		assert_int_equal(r.rc, 0);
		assert_tables_seen(&r);
		assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_PKEY_TABLE).answered, 4);
		rig_free(&r);
	}
}

static void a_switch_is_asked_only_where_it_lets_members_through(void **state)
{
	struct rig r = partitioned_rig();

	(void)state;
	sweep(&r);
	assert_int_equal(seen_port(&r, 1, 2)->pkey_enforce, 3);
	assert_int_equal(seen_port(&r, 1, 2)->extra->pkeys->num_keys, 2);
	assert_null(seen_port(&r, 1, 1)->extra->pkeys);
	assert_false(ibc_port_unanswered(seen_port(&r, 1, 1), IBC_ATTR_PKEY_TABLE));
	/* one block of a host, two of the others */
	assert_int_equal(model_asked(r.model, MODEL_PKEYS), 1 + 3 * 2);
	rig_free(&r);
}

static void a_port_that_does_not_tell_all_tells_nothing(void **state)
{
	struct rig r = partitioned_rig();

	(void)state;
	model_tables(r.model, ibc_fabric_node_by_guid(r.real, 4))->silent = IBC_ATTRS(
	    IBC_ATTR_PKEY_TABLE);
	sweep(&r);
	assert_null(seen_port(&r, 4, 1)->extra->pkeys);
	assert_true(ibc_port_unanswered(seen_port(&r, 4, 1), IBC_ATTR_PKEY_TABLE));
	assert_true(ibc_port_unanswered(seen_port(&r, 4, 2), IBC_ATTR_PKEY_TABLE));
	assert_non_null(seen_port(&r, 2, 1)->extra->pkeys);
	assert_int_equal(ibc_fabric_coverage(r.seen, IBC_ATTR_PKEY_TABLE).timed_out, 2);
	rig_free(&r);
}

static void nobody_asks_for_keys_that_nobody_needs(void **state)
{
	struct rig r = partitioned_rig();

	(void)state;
	r.opts.needs = IBC_ATTRS();
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_PKEYS), 0);
	rig_free(&r);
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
	struct rig r = partitioned_rig();

	(void)state;
	sweep_short_of_memory(&r);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_tell_their_keys_without_the_zeros),
		cmocka_unit_test(each_port_of_an_adapter_is_asked_itself_by_directed_routes_too),
		TEST(each_port_of_an_adapter_is_asked_with_its_own_m_key),
		cmocka_unit_test(a_switch_is_asked_only_where_it_lets_members_through),
		cmocka_unit_test(a_port_that_does_not_tell_all_tells_nothing),
		cmocka_unit_test(nobody_asks_for_keys_that_nobody_needs),
		cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
