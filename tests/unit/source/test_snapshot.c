/* SPDX-License-Identifier: BSD-2-Clause */
/* What a snapshot keeps. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mksnap.h"

#define PORT_FIELDS(X)                                                                             \
	X(guid)                                                                                    \
	X(state)                                                                                   \
	X(phys_state)                                                                              \
	X(width_active)                                                                            \
	X(width_enabled)                                                                           \
	X(width_supported)                                                                         \
	X(speed_active)                                                                            \
	X(speed_enabled)                                                                           \
	X(speed_supported)                                                                         \
	X(lid)                                                                                     \
	X(sm_lid)                                                                                  \
	X(lmc)                                                                                     \
	X(sm_sl)                                                                                   \
	X(mtu_cap)                                                                                 \
	X(mtu_active)                                                                              \
	X(vl_cap)                                                                                  \
	X(vl_active)                                                                               \
	X(cap_mask)                                                                                \
	X(cap_mask2)                                                                               \
	X(subnet_prefix)                                                                           \
	X(pkey_enforce)                                                                            \
	X(m_key_protect)

#define EXTRA_FIELDS(X)                                                                            \
	X(m_key_violations)                                                                        \
	X(keyed_peer)                                                                              \
	X(keyed_peer_lid)                                                                          \
	X(pci)                                                                                     \
	X(aport)                                                                                   \
	X(plane)                                                                                   \
	X(num_planes)

#define NODE_FIELDS(X)                                                                             \
	X(system_guid)                                                                             \
	X(vendor_id)                                                                               \
	X(revision)                                                                                \
	X(device_id)                                                                               \
	X(lft_cap)                                                                                 \
	X(lft_top)                                                                                 \
	X(perf_cap_mask)                                                                           \
	X(perf_cap_mask2)                                                                          \
	X(xmit_wait_tick)                                                                          \
	X(mft_cap)                                                                                 \
	X(mft_top)                                                                                 \
	X(pkey_cap)                                                                                \
	X(pkey_enforce_cap)

#define SWEEP_FIELDS(X)                                                                            \
	X(sent)                                                                                    \
	X(answered)                                                                                \
	X(unsupported)                                                                             \
	X(refused)                                                                                 \
	X(retried)                                                                                 \
	X(regained)                                                                                \
	X(timed_out)                                                                               \
	X(dropped_late)                                                                            \
	X(dropped_mismatch)                                                                        \
	X(dropped_short)                                                                           \
	X(peak_in_flight)                                                                          \
	X(rtt_p50_us)                                                                              \
	X(rtt_p99_us)

/* Each field gets a value of its own, and must have it again. */
#define SET(field)        to->field = value++;
#define SAME(field)       assert_int_equal(from->field, value++);
#define SET_EXTRA(field)  port_extra(to)->field = value++;
#define SAME_EXTRA(field) assert_int_equal(from->extra->field, value++);

static void every_field_of_a_port_survives(void **state)
{
	struct mkfab m = mkfab();
	const struct ibc_port *from;
	struct ibc_fabric *fab;
	struct ibc_port *to;
	unsigned int value = 200;

	(void)state;
	mk_ca(m, 0x20, "host", 2);
	to = port(m, 0x20, 2);
	PORT_FIELDS(SET)
	EXTRA_FIELDS(SET_EXTRA)
	fabric_build_label(m.b, to, "1/1/2", 5);
	to->answers = (struct ibc_answers){ 0 };
	answers_put(to, IBC_ATTR_NODE_INFO, ANSWER_NONE);
	answers_put(to, IBC_ATTR_PORT_INFO, ANSWER_OK);
	answers_put(to, IBC_ATTR_MLNX_EXT_PORT_INFO, ANSWER_UNSUPPORTED);
	answers_put(to, IBC_ATTR_LINK, ANSWER_REFUSED);
	fab = reload(done(m));
	from = ibc_fabric_port(fab, 1);
	value = 200;
	PORT_FIELDS(SAME)
	EXTRA_FIELDS(SAME_EXTRA)
	assert_string_equal(ibc_port_label(from), "1/1/2");
	assert_int_equal(from->num, 2);
	assert_attrs(ibc_port_attrs(from, IBC_SILENT), IBC_ATTR_NODE_INFO);
	assert_attrs(ibc_port_attrs(from, IBC_ANSWERED), IBC_ATTR_PORT_INFO);
	assert_attrs(ibc_port_attrs(from, IBC_UNSUPPORTED), IBC_ATTR_MLNX_EXT_PORT_INFO);
	assert_attrs(ibc_port_attrs(from, IBC_REFUSED), IBC_ATTR_LINK);
	ibc_fabric_free(fab);
}

/* A later version may know the model better. */
static void a_label_that_the_model_decides_is_not_kept(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;
	size_t n;
	char *bytes;

	(void)state;
	mk_switch(m, 0x10, "leaf01", 65)->device_id = 0xd2f2;
	fab = done(m);
	bytes = bytes_of(fab, "snapshot", &n);
	assert_non_null(ibc_port_label(&ibc_fabric_node(fab, 0)->ports[44]));
	assert_null(strstr(bytes, "label"));
	free(bytes);
	ibc_fabric_free(fab);
}

static void every_field_of_a_node_survives(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_node *to = mk_switch(m, 0xfedcba9876543210, "spine \"1\" \\ \xc3\xa9", 255);
	const struct ibc_node *from;
	struct ibc_fabric *fab;
	unsigned int value = 100;

	(void)state;
	NODE_FIELDS(SET)
	to->enhanced_port0 = true;
	answers_put(to, IBC_ATTR_SWITCH_INFO, ANSWER_REFUSED);
	fab = reload(done(m));
	from = ibc_fabric_node(fab, 0);
	value = 100;
	NODE_FIELDS(SAME)
	assert_true(from->enhanced_port0);
	assert_int_equal(from->guid, 0xfedcba9876543210);
	assert_int_equal(from->type, IBC_NODE_SWITCH);
	assert_int_equal(from->num_ports, 255);
	assert_string_equal(from->desc, "spine \"1\" \\ \xc3\xa9");
	assert_attrs(ibc_node_attrs(from, IBC_ANSWERED), IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC);
	assert_attrs(ibc_node_attrs(from, IBC_REFUSED), IBC_ATTR_SWITCH_INFO);
	ibc_fabric_free(fab);
}

static void subnets_keep_where_and_how_they_were_swept(void **state)
{
	struct mkfab m = mk_subnet(mkfab(), "umad:mlx5_1");
	const struct ibc_subnet *subnet;
	const struct ibc_sweep *from;
	struct ibc_sweep *to = &m.subnet->sweep;
	struct ibc_fabric *fab;
	unsigned int value = 1000;

	(void)state;
	mk_ca(m, 0x20, "host01 mlx5_1", 1);
	m.subnet->ca = "mlx5_1";
	m.subnet->ca_port = 1;
	m.subnet->host = "host01";
	m.subnet->time = 1785931200;
	m.subnet->subnet_prefix = 0xfe80000000000077;
	m.subnet->not_asked = 17;
	m.subnet->handovers = 2;
	m.subnet->cut_short = true;
	m.subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_PORT_INFO);
	m.subnet->origin = port(m, 0x20, 1);
	port(m, 0x20, 1)->subnet_prefix = 0xfe80000000000077;
	SWEEP_FIELDS(SET)
	to->duration_seconds = 0.1;
	fab = reload(done(m));
	assert_int_equal(ibc_fabric_count(fab).subnets, 2);
	subnet = ibc_fabric_subnet(fab, 1);
	from = &subnet->sweep;
	value = 1000;
	SWEEP_FIELDS(SAME)
	assert_true(from->duration_seconds == 0.1);
	assert_string_equal(subnet->ca, "mlx5_1");
	assert_int_equal(subnet->ca_port, 1);
	assert_string_equal(subnet->host, "host01");
	assert_int_equal(subnet->time, 1785931200);
	assert_int_equal(subnet->subnet_prefix, 0xfe80000000000077);
	assert_int_equal(subnet->not_asked, 17);
	assert_int_equal(subnet->handovers, 2);
	assert_true(subnet->cut_short);
	assert_attrs(subnet->provides, IBC_ATTR_NODE_INFO, IBC_ATTR_PORT_INFO);
	assert_ptr_equal(subnet->origin, ibc_node_port(ibc_fabric_node(fab, 0), 1));
	assert_ptr_equal(ibc_fabric_node(fab, 0)->subnet, subnet);
	/* but it is a file now */
	assert_string_equal(subnet->kind, "snapshot");
	assert_string_equal(subnet->source, "test");
	assert_string_equal(subnet->file, "test");
	assert_null(ibc_fabric_subnet(fab, 0)->host);
	ibc_fabric_free(fab);
}

/* That host01/2 is in another subnet, by its cables; host02 by where the sweep began. */
static void a_port_of_another_subnet_stays_there(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 0x10, "leaf01", 2);
	mk_ca(m, 0x20, "host01 mlx4_0", 2);
	cable(m, 0x10, 1, 0x20, 1);
	mk_active(port(m, 0x20, 2));
	port(m, 0x20, 2)->lid = 0x10;
	mk_ca(m, 0x30, "host02 mlx4_0", 2);
	for (unsigned int num = 1; num <= 2; num++)
		mk_active(port(m, 0x30, num));
	m.subnet->origin = port(m, 0x30, 2);
	fab = reload(done(m));
	assert_true(ibc_port_is_here(&ibc_fabric_node_by_guid(fab, 0x20)->ports[1]));
	assert_false(ibc_port_is_here(&ibc_fabric_node_by_guid(fab, 0x20)->ports[2]));
	assert_false(ibc_port_is_here(&ibc_fabric_node_by_guid(fab, 0x30)->ports[1]));
	assert_true(ibc_port_is_here(&ibc_fabric_node_by_guid(fab, 0x30)->ports[2]));
	assert_int_equal(ibc_fabric_port_by_lid(ibc_fabric_subnet(fab, 0), 0x10)->num, 0);
	assert_int_equal(ibc_fabric_port_by_lid(ibc_fabric_subnet(fab, 0), 0x30)->num, 2);
	ibc_fabric_free(fab);
}

static void nodes_of_one_guid_keep_their_own_cables(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_node *first, *second;
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 0x10, "sw", 2);
	first = mk_ca(m, 0x20, "one", 1);
	second = mk_ca(m, 0x20, "two", 1);
	fabric_build_link(port(m, 0x10, 2), fabric_build_port(first, 1));
	fabric_build_link(port(m, 0x10, 1), fabric_build_port(second, 1));
	fab = reload(done(m));
	assert_string_equal(ibc_fabric_node(fab, 0)->ports[1].peer->node->desc, "two");
	assert_string_equal(ibc_fabric_node(fab, 0)->ports[2].peer->node->desc, "one");
	assert_true(ibc_fabric_node(fab, 1)->duplicate);
	ibc_fabric_free(fab);
}

static void two_ports_of_one_node_may_be_cabled(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 0x10, "sw", 4);
	cable(m, 0x10, 2, 0x10, 4);
	fab = reload(done(m));
	assert_int_equal(ibc_fabric_count(fab).cables, 1);
	assert_int_equal(ibc_fabric_node(fab, 0)->ports[4].peer->num, 2);
	ibc_fabric_free(fab);
}

static void names_of_a_map_survive_but_the_map_of_today_wins(void **state)
{
	static const char map[] = "0x20 \"today\"\n";
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct mkfab m = mkfab();
	char *dir = make_dir(), *names = make_file(dir, "names", map, strlen(map)), *bytes, *path;
	const char *specs[1];
	struct ibc_fabric *fab;
	size_t n;

	(void)state;
	mk_ca(m, 0x20, "factory text", 1);
	mk_ca(m, 0x21, "factory text", 1);
	fabric_build_name(m.b, 0x20, "yesterday");
	fabric_build_name(m.b, 0x21, "always");
	fab = reload(done(m));
	assert_string_equal(ibc_fabric_node(fab, 0)->name, "yesterday");
	assert_string_equal(ibc_fabric_node(fab, 0)->desc, "factory text");
	bytes = bytes_of(fab, "snapshot", &n);
	ibc_fabric_free(fab);
	path = make_file(dir, "snapshot", bytes, n);
	specs[0] = path;
	opts.node_name_map = names;
	assert_int_equal(ibc_fabric_load(specs, 1, &opts, &fab, NULL), 0);
	assert_string_equal(ibc_fabric_node(fab, 0)->name, "today");
	assert_string_equal(ibc_fabric_node(fab, 1)->name, "always");
	ibc_fabric_free(fab);
	free(bytes);
	drop_file(path);
	drop_file(names);
	drop_dir(dir);
}

static void a_snapshot_of_a_snapshot_is_the_same(void **state)
{
	struct ibc_fabric *fab = reload(small()), *again;
	char *first = bytes_of(fab, "snapshot", NULL), *second;

	(void)state;
	again = reload(fab);
	second = bytes_of(again, "snapshot", NULL);
	assert_string_equal(first, second);
	free(first);
	free(second);
	ibc_fabric_free(again);
}

static void a_state_holds_what_a_snapshot_holds(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_fabric *fab, *again;
	struct ibc_counters c = { .at_seconds = 0.1, .known = 0xffff };
	struct ibc_port *to;
	char *first, *second, *bytes;
	size_t n;

	(void)state;
	mk_switch(m, 0xfedcba9876543210, "spine \"1\" \xc3\xa9", 3);
	to = port(m, 0xfedcba9876543210, 3);
	for (unsigned int i = 0; i < 16; i++)
		c.value[i] = i % 2 ? UINT64_MAX >> (4 * i) : 11 * i;
	c.saturated = 2;
	answers_put(to, IBC_ATTR_PORT_COUNTERS, ANSWER_OK);
	to->counters = &c;
	fab = reload(done(m));
	first = bytes_of(fab, "snapshot", NULL);
	bytes = state_of(fab, &n);
	again = load(bytes, n);
	second = bytes_of(again, "snapshot", NULL);
	assert_string_equal(first, second);
	ibc_fabric_free(again);
	ibc_fabric_free(fab);
	free(bytes);
	free(first);
	free(second);
}

static void a_fabric_of_no_node_is_kept_too(void **state)
{
	struct ibc_fabric *fab = load(HEADER END, strlen(HEADER END));

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).subnets, 1);
	assert_int_equal(ibc_fabric_count(fab).nodes, 0);
	ibc_fabric_free(fab);
}

static void compressed_snapshots_load_by_their_content(void **state)
{
	static const char *const formats[] = { "snapshot", "snapshot.gz", "snapshot.zst" };
	char *dir = make_dir();

	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		struct ibc_fabric *fab = small(), *again = NULL;
		size_t n;
		char *bytes = bytes_of(fab, formats[i], &n);
		char *path = make_file(dir, "any.name", bytes, n);
		const char *spec = path;

		assert_int_equal(ibc_fabric_load(&spec, 1, NULL, &again, NULL), 0);
		assert_int_equal(ibc_fabric_count(again).cables, 2);
		ibc_fabric_free(fab);
		ibc_fabric_free(again);
		free(bytes);
		drop_file(path);
	}
	drop_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_a_port_survives),
		cmocka_unit_test(a_label_that_the_model_decides_is_not_kept),
		cmocka_unit_test(every_field_of_a_node_survives),
		cmocka_unit_test(subnets_keep_where_and_how_they_were_swept),
		cmocka_unit_test(a_port_of_another_subnet_stays_there),
		cmocka_unit_test(nodes_of_one_guid_keep_their_own_cables),
		cmocka_unit_test(two_ports_of_one_node_may_be_cabled),
		cmocka_unit_test(names_of_a_map_survive_but_the_map_of_today_wins),
		cmocka_unit_test(a_snapshot_of_a_snapshot_is_the_same),
		cmocka_unit_test(a_state_holds_what_a_snapshot_holds),
		cmocka_unit_test(a_fabric_of_no_node_is_kept_too),
		cmocka_unit_test(compressed_snapshots_load_by_their_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
