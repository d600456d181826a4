/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters in snapshots. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mksnap.h"

/* small(), with counters at port 1 of the switch. */
static struct ibc_fabric *with_counters(const struct ibc_counters *c)
{
	struct mkfab m = mkfab();
	struct ibc_port *p;

	m.subnet->provides = ibc_attrs_or(m.subnet->provides,
	                                  ibc_attrs_of_group(IBC_ATTRS_COUNTERS));
	mk_switch(m, 0x10, "leaf01", 3);
	mk_ca(m, 0x20, "host01 mlx5_0", 1);
	cable(m, 0x10, 1, 0x20, 1);
	p = port(m, 0x10, 1);
	answers_put(p, IBC_ATTR_PORT_COUNTERS_EXT, ANSWER_OK);
	p->counters = c;
	return done(m);
}

static const struct ibc_counters *counters_of(const struct ibc_fabric *fab)
{
	return ibc_fabric_node_by_guid(fab, 0x10)->ports[1].counters;
}

static void every_counter_survives(void **state)
{
	static const uint64_t wait[16] = { 1, 2, 3, [15] = 65535 };
	struct ibc_counters in = { .known = UINT32_MAX, .at_seconds = 0.25, .vl_wait = wait };
	const struct ibc_counters *out;
	struct ibc_fabric *fab;

	(void)state;
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		in.value[i] = (1ull << 60) + i;
	in.saturated = 1u << IBC_LINK_DOWNED | 1u << IBC_SW_HOQ_DISCARDS;
	fab = reload(with_counters(&in));
	out = counters_of(fab);
	assert_int_equal(out->known, in.known);
	assert_int_equal(out->saturated, in.saturated);
	assert_true(out->at_seconds == 0.25);
	assert_memory_equal(out->value, in.value, sizeof(in.value));
	assert_memory_equal(out->vl_wait, wait, sizeof(wait));
	assert_true(ibc_attrs_is_empty(ibc_attrs_minus(ibc_attrs_of_group(IBC_ATTRS_COUNTERS),
	                                               ibc_fabric_subnet(fab, 0)->provides)));
	ibc_fabric_free(fab);
}

static void zero_stays_known_and_absent_stays_absent(void **state)
{
	struct ibc_counters in = { .known = 1u << IBC_SYMBOL_ERROR };
	const struct ibc_counters *out;
	struct ibc_fabric *fab;

	(void)state;
	fab = reload(with_counters(&in));
	out = counters_of(fab);
	assert_int_equal(out->known, 1u << IBC_SYMBOL_ERROR);
	assert_int_equal(out->value[IBC_SYMBOL_ERROR], 0);
	assert_null(out->vl_wait);
	assert_null(ibc_fabric_node_by_guid(fab, 0x20)->ports[1].counters);
	ibc_fabric_free(fab);
}

static void all_ones_of_64_bits_survive(void **state)
{
	struct ibc_counters in = {
		.known = 1u << IBC_XMIT_DATA,
		.saturated = 1u << IBC_XMIT_DATA,
	};
	struct ibc_fabric *fab;

	(void)state;
	in.value[IBC_XMIT_DATA] = UINT64_MAX;
	fab = reload(with_counters(&in));
	assert_true(counters_of(fab)->value[IBC_XMIT_DATA] == UINT64_MAX);
	assert_int_equal(counters_of(fab)->saturated, 1u << IBC_XMIT_DATA);
	ibc_fabric_free(fab);
}

/* A switch whose port 1 answered PortCounters, and has these counters. */
#define COUNTED                                                                                    \
	HEADER NODE "{\"num\":1,\"asked\":[\"PortCounters\"],\"answered\":[\"PortCounters\"],"     \
		    "\"counters\":"
#define TAIL "}]}\n"

static const struct {
	const char *text, *why;
} impossible[] = {
	{ COUNTED "7" TAIL, "test:2: port 1: invalid value of \"counters\"" },
	{ COUNTED "{}" TAIL, "test:2: port 1: invalid value of \"values\"" },
	{ COUNTED "{\"x\":1}" TAIL, "test:2: port 1: unknown key \"x\"" },
	{ COUNTED "{\"at_seconds\":-1}" TAIL, "test:2: port 1: invalid value of \"at_seconds\"" },
	{ COUNTED "{\"values\":[]}" TAIL, "test:2: port 1: invalid value of \"values\"" },
	{ COUNTED "{\"values\":{\"x\":1},\"saturated\":[]}" TAIL,
	  "test:2: port 1: unknown counter \"x\"" },
	{ COUNTED "{\"values\":{\"link_downed\":-1},\"saturated\":[]}" TAIL,
	  "test:2: port 1: invalid value of \"link_downed\"" },
	{ COUNTED "{\"values\":{\"link_downed\":1.5},\"saturated\":[]}" TAIL,
	  "test:2: port 1: invalid value of \"link_downed\"" },
	{ COUNTED "{\"values\":{}}" TAIL, "test:2: port 1: invalid value of \"saturated\"" },
	{ COUNTED "{\"values\":{},\"saturated\":[\"link_downed\"]}" TAIL,
	  "test:2: port 1: invalid value of \"saturated\"" },
	{ COUNTED "{\"values\":{},\"saturated\":[1]}" TAIL,
	  "test:2: port 1: invalid value of \"saturated\"" },
	{ COUNTED "{\"values\":{},\"saturated\":[\"x\"]}" TAIL,
	  "test:2: port 1: invalid value of \"saturated\"" },
	{ COUNTED "{\"values\":{},\"saturated\":[],\"vl_transmit_wait\":[1]}" TAIL,
	  "test:2: port 1: invalid value of \"vl_transmit_wait\"" },
	{ COUNTED "{\"values\":{},\"saturated\":[],\"vl_transmit_wait\":"
	          "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-1]}" TAIL,
	  "test:2: port 1: invalid value of \"vl_transmit_wait\"" },
	{ HEADER NODE "{\"num\":1,\"counters\":{\"values\":{},\"saturated\":[]}" TAIL,
	  "test:2: port 1: counters that no device reported" },
	{ HEADER NODE
	  "{\"num\":1,\"asked\":[\"PortCounters\"],\"answered\":[\"PortCounters\"]" TAIL,
	  "test:2: port 1: counters were answered, but are missing here" },
};

static void counters_that_cannot_be_are_refused_with_their_port(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(impossible); i++)
		refused(impossible[i].text, impossible[i].why);
}

static void a_snapshot_with_counters_cut_anywhere_is_refused(void **state)
{
	static const uint64_t wait[16] = { 1 };
	struct ibc_counters in = {
		.known = 1u << IBC_SYMBOL_ERROR,
		.at_seconds = 1.5,
		.vl_wait = wait,
	};
	struct ibc_fabric *fab = with_counters(&in), *cut;
	size_t n;
	char *bytes = bytes_of(fab, "snapshot", &n);

	(void)state;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(read_bytes(read_snapshot, bytes, i, &cut, NULL), -EINVAL);
	free(bytes);
	ibc_fabric_free(fab);
}

/* What somebody who does not look at counters asks for: half the memory. */
static void counters_that_nobody_wants_are_verified_and_not_kept(void **state)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct ibc_counters in = { .known = 3, .saturated = 1 };
	struct ibc_fabric *fab = with_counters(&in), *read;
	char *bytes = bytes_of(fab, "snapshot", NULL), *dir = make_dir();
	char *path = make_file(dir, "fab.snap", bytes, strlen(bytes));
	const char *spec = path;
	struct ibc_error err;

	(void)state;
	opts.no_counters = true;
	assert_int_equal(ibc_fabric_load(&spec, 1, &opts, &read, NULL), 0);
	assert_null(counters_of(read));
	assert_true(ibc_port_has(&ibc_fabric_node_by_guid(read, 0x10)->ports[1],
	                         IBC_ATTR_PORT_COUNTERS_EXT));
	assert_int_equal(ibc_fabric_write(read, "snapshot", NULL, &err), -EINVAL);
	assert_string_equal(err.text, "the fabric was loaded without its counters");
	ibc_fabric_free(read);
	ibc_fabric_free(fab);
	free(bytes);
	drop_file(path);
	drop_dir(dir);
}

static void every_allocation_may_fail(void **state)
{
	static const uint64_t wait[16] = { 1 };
	struct ibc_counters in = { .known = 3, .saturated = 1, .vl_wait = wait };
	struct ibc_fabric *fab = with_counters(&in);
	size_t length;
	char *bytes = bytes_of(fab, "snapshot", &length);
	unsigned long n = 0;
	int rc = -ENOMEM;

	(void)state;
	ibc_fabric_free(fab);
	while (rc == -ENOMEM) {
		fab = NULL;
		alloc_fail_at(++n);
		rc = read_bytes(read_snapshot, bytes, length, &fab, NULL);
		alloc_fail_at(0);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(counters_of(fab)->known, 3);
	ibc_fabric_free(fab);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_counter_survives),
		cmocka_unit_test(zero_stays_known_and_absent_stays_absent),
		cmocka_unit_test(all_ones_of_64_bits_survive),
		cmocka_unit_test(counters_that_cannot_be_are_refused_with_their_port),
		cmocka_unit_test(a_snapshot_with_counters_cut_anywhere_is_refused),
		cmocka_unit_test(counters_that_nobody_wants_are_verified_and_not_kept),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
