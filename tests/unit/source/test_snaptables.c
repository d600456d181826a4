/* SPDX-License-Identifier: BSD-2-Clause */
/* What a snapshot keeps of subnet managers, partitions and tables. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mksnap.h"

#include "mkattrs.h"
#include "mkroutes.h"

#define LIDS  100 /* two blocks, the second in part */
#define MLIDS 40

static const uint16_t some_keys[] = { 0xffff, 0x7fff, 0x8001 };
static const struct ibc_pkeys keys = { some_keys, 3 }, no_keys = { some_keys, 0 };
static const struct ibc_sm_info manager = {
	.guid = 0x21,
	.act_count = 7,
	.act_count_later = 9,
	.act_seconds = 1.5,
	.state = IBC_SM_MASTER,
	.state_later = IBC_SM_STANDBY,
	.priority = 14,
};
static const struct ibc_path_sl paths[] = { { 0x20, 0x30, 3 }, { 0x30, 0x31, 15 } };
static const struct ibc_mc_member members[] = {
	{ .mgid = { 0xff, 0x12, [15] = 1 },
	  .port_guid = 0x21,
	  .qkey = 0xb1b,
	  .mlid = 0xc000,
	  .pkey = 0xffff,
	  .mtu = 4,
	  .rate = 3,
	  .sl = 2,
	  .join_state = 1 },
	{ .mlid = 0xc001, .port_guid = 0x31 },
};
static const struct ibc_service services[] = {
	{ { 0xfe, 0x80, [15] = 0x20 }, 0x1234567890abcdef, IBC_LEASE_ENDLESS, 0xffff },
	{ { 0xfe, 0x80, [15] = 0x30 }, 1, 60, 0x8001 },
};
static struct ibc_sa sa_client = {
	.latency_us = 71,
	.response_us = 4096,
	.lid = 0x20,
	.cap_mask = 0x2602,
	.paths = paths,
	.num_paths = COUNT(paths),
	.paths_file = "paths.txt",
	.members = members,
	.num_members = COUNT(members),
	.services = services,
	.num_services = COUNT(services),
	.cut_short = IBC_ATTRS(IBC_ATTR_MC_MEMBER_RECORD),
};

static const struct ibc_ar_info adaptive = {
	.flags = 0xff00ff01 & ~IBC_AR_BY_SL,
	.ageing_us = 7,
	.group_cap = 4095,
	.group_top = 2,
	.sl_mask = 0xfffe,
	.hbf_sl_mask = 3,
	.group_tables = 1,
	.sub_groups = 2,
	.sub_groups_cap = 4,
	.transports_off = IBC_AR_UD,
};
static const struct ibc_vl_slot some_slots[] = { { 0, 4 }, { 14, 255 }, { 1, 0 } };
static const struct ibc_arbitration both = { some_slots, 1, 2 }, high = { some_slots, 3, 0 },
				    low = { some_slots, 0, 3 }, neither = { some_slots, 0, 0 };

static uint64_t *set_of(struct fabric_multicast *m, size_t mlid, size_t column)
{
	return &m->ports[(mlid * m->tables.num_switches + column) * 4];
}

static struct ibc_sl2vl *lanes(struct mkfab m, const struct ibc_node *node, bool equal)
{
	struct ibc_sl2vl *t = arena_alloc(fabric_build_arena(m.b), sizeof(*t));
	size_t n = equal ? 16 : (node->num_ports + 1u) * (node->num_ports + 1u) * 16;
	uint8_t *vl = arena_alloc(fabric_build_arena(m.b), n);

	for (size_t i = 0; i < n; i++)
		vl[i] = i % 37 ? i % 16 : IBC_VL_UNKNOWN;
	*t = (struct ibc_sl2vl){ .vl = vl, .width = node->num_ports + 1u, .uniform = equal };
	return t;
}

/* Two switches, a host at each, and all that a snapshot may have beyond nodes and cables. */
static struct ibc_fabric *managed(void)
{
	struct mkfab m = mkfab();
	struct ibc_node *one = mk_switch(m, 0x10, "leaf01", 4),
			*two = mk_switch(m, 0x11, "leaf02", 8);
	struct fabric_multicast *trees;
	struct fabric_forwarding *f;

	mk_ca(m, 0x20, "host01 mlx5_0", 1);
	mk_ca(m, 0x30, "host02 mlx5_0", 1);
	cable(m, 0x10, 1, 0x20, 1);
	cable(m, 0x10, 2, 0x11, 8);
	cable(m, 0x11, 1, 0x30, 1);
	answers_put(port(m, 0x20, 1), IBC_ATTR_SM_INFO, ANSWER_OK);
	port_extra(port(m, 0x20, 1))->sm = &manager;
	answers_put(port(m, 0x20, 1), IBC_ATTR_PKEY_TABLE, ANSWER_OK);
	port_extra(port(m, 0x20, 1))->pkeys = &keys;
	port_extra(port(m, 0x30, 1))->pkeys = &no_keys;
	f = mk_tables(m, LIDS);
	mk_min_hop(m, f);
	f->tables.file = "tables.lfts";
	f->tables.foreign = 2;
	f->tables.foreign_guid = 0x77;
	mk_unread(f, 0x11, 5);
	trees = fabric_build_multicast(m.b, m.subnet, MLIDS);
	memset(trees->known, 1, 3); /* but for the second block of leaf02 */
	set_of(trees, 3, 0)[0] = 0x15;
	set_of(trees, 3, 1)[3] = 1ull << 63 | 1;
	set_of(trees, 39, 0)[1] = 0x80;
	one->sl2vl = lanes(m, one, true);
	two->sl2vl = lanes(m, two, false);
	two->ar = &adaptive;
	answers_put(two, IBC_ATTR_AR_INFO, ANSWER_OK);
	port_extra(port(m, 0x10, 1))->arbitration = &both;
	port_extra(port(m, 0x10, 4))->arbitration = &high;
	port_extra(port(m, 0x11, 8))->arbitration = &low;
	port_extra(port(m, 0x30, 1))->arbitration = &neither;
	port(m, 0x30, 1)->arb_high_cap = 8;
	port(m, 0x30, 1)->arb_low_cap = 16;
	m.subnet->sa = &sa_client;
	m.subnet->origin = port(m, 0x20, 1);
	return done(m);
}

static void adaptive_routing_survives(void **state)
{
	struct ibc_fabric *fab = reload(managed());

	(void)state;
	assert_memory_equal(ibc_fabric_node_by_guid(fab, 0x11)->ar, &adaptive, sizeof(adaptive));
	assert_null(ibc_fabric_node_by_guid(fab, 0x10)->ar);
	assert_int_equal(ibc_fabric_subnet(fab, 0)->static_traffic, IBC_TRAFFIC_UD);
	ibc_fabric_free(fab);
}

static void subnet_managers_and_partitions_survive(void **state)
{
	struct ibc_fabric *fab = reload(managed());
	const struct ibc_port *port = &ibc_fabric_node_by_guid(fab, 0x20)->ports[1];

	(void)state;
	assert_int_equal(port->extra->sm->guid, manager.guid);
	assert_int_equal(port->extra->sm->act_count, 7);
	assert_int_equal(port->extra->sm->act_count_later, 9);
	assert_true(port->extra->sm->act_seconds == 1.5);
	assert_int_equal(port->extra->sm->state, IBC_SM_MASTER);
	assert_int_equal(port->extra->sm->state_later, IBC_SM_STANDBY);
	assert_int_equal(port->extra->sm->priority, 14);
	assert_int_equal(port->extra->pkeys->num_keys, 3);
	assert_memory_equal(port->extra->pkeys->keys, some_keys, sizeof(some_keys));
	port = port->peer;
	assert_null(port->extra->sm);
	assert_null(port->extra->pkeys);
	/* an empty table is a table */
	assert_int_equal(ibc_fabric_node_by_guid(fab, 0x30)->ports[1].extra->pkeys->num_keys, 0);
	ibc_fabric_free(fab);
}

static void arbitration_of(const struct ibc_fabric *fab, uint64_t guid, unsigned int num,
                           const struct ibc_arbitration *was)
{
	const struct ibc_arbitration *is =
	    ibc_fabric_node_by_guid(fab, guid)->ports[num].extra->arbitration;

	assert_int_equal(is->num_high, was->num_high);
	assert_int_equal(is->num_low, was->num_low);
	assert_memory_equal(is->slots, was->slots,
	                    (was->num_high + was->num_low) * sizeof(*was->slots));
}

static void arbitration_survives(void **state)
{
	struct ibc_fabric *fab = reload(managed());

	(void)state;
	arbitration_of(fab, 0x10, 1, &both);
	arbitration_of(fab, 0x10, 4, &high);
	arbitration_of(fab, 0x11, 8, &low);
	arbitration_of(fab, 0x30, 1, &neither);
	assert_null(ibc_fabric_node_by_guid(fab, 0x20)->ports[1].extra->arbitration);
	assert_int_equal(ibc_fabric_node_by_guid(fab, 0x30)->ports[1].arb_high_cap, 8);
	assert_int_equal(ibc_fabric_node_by_guid(fab, 0x30)->ports[1].arb_low_cap, 16);
	ibc_fabric_free(fab);
}

static void forwarding_tables_survive_with_what_is_not_known(void **state)
{
	struct ibc_fabric *before = managed(), *fab = reload(managed());
	const struct ibc_forwarding *was = ibc_fabric_subnet(before, 0)->forwarding;
	const struct ibc_forwarding *is = ibc_fabric_subnet(fab, 0)->forwarding;

	(void)state;
	assert_int_equal(is->num_lids, LIDS);
	assert_int_equal(is->num_switches, 2);
	assert_string_equal(is->file, "tables.lfts");
	assert_int_equal(is->foreign, 2);
	assert_int_equal(is->foreign_guid, 0x77);
	assert_ptr_equal(is->switches[1], ibc_fabric_node_by_guid(fab, 0x11));
	assert_memory_equal(is->out, was->out, LIDS * was->stride);
	assert_int_equal(is->known[0], 1);
	assert_int_equal(is->known[1], 0);
	assert_int_equal(is->known[is->stride], 1);
	assert_int_equal(is->known[is->stride + 1], 1);
	ibc_fabric_free(before);
	ibc_fabric_free(fab);
}

static void multicast_tables_survive(void **state)
{
	struct ibc_fabric *before = managed(), *fab = reload(managed());
	const struct ibc_multicast *was = ibc_fabric_subnet(before, 0)->multicast;
	const struct ibc_multicast *is = ibc_fabric_subnet(fab, 0)->multicast;

	(void)state;
	assert_int_equal(is->num_mlids, MLIDS);
	assert_memory_equal(is->ports, was->ports, MLIDS * 2 * 32);
	assert_memory_equal(is->known, was->known, 4);
	assert_int_equal(is->known[2], 1);
	assert_int_equal(is->known[3], 0);
	ibc_fabric_free(before);
	ibc_fabric_free(fab);
}

static void virtual_lanes_survive(void **state)
{
	struct ibc_fabric *before = managed(), *fab = reload(managed());

	(void)state;
	for (uint64_t guid = 0x10; guid <= 0x11; guid++) {
		const struct ibc_sl2vl *was = ibc_fabric_node_by_guid(before, guid)->sl2vl;
		const struct ibc_sl2vl *is = ibc_fabric_node_by_guid(fab, guid)->sl2vl;

		assert_int_equal(is->uniform, was->uniform);
		assert_int_equal(is->width, was->width);
		assert_memory_equal(is->vl, was->vl,
		                    was->uniform ? 16 : (size_t)was->width * was->width * 16);
	}
	assert_null(ibc_fabric_node_by_guid(fab, 0x20)->sl2vl);
	ibc_fabric_free(before);
	ibc_fabric_free(fab);
}

static void what_subnet_administration_told_survives(void **state)
{
	struct ibc_fabric *fab = reload(managed());
	const struct ibc_sa *sa = ibc_fabric_subnet(fab, 0)->sa;

	(void)state;
	assert_int_equal(sa->latency_us, 71);
	assert_int_equal(sa->response_us, 4096);
	assert_int_equal(sa->lid, 0x20);
	assert_int_equal(sa->cap_mask, 0x2602);
	assert_attrs(sa->cut_short, IBC_ATTR_MC_MEMBER_RECORD);
	assert_string_equal(sa->paths_file, "paths.txt");
	assert_int_equal(sa->num_paths, COUNT(paths));
	assert_memory_equal(sa->paths, paths, sizeof(paths));
	assert_int_equal(sa->num_members, COUNT(members));
	assert_memory_equal(sa->members, members, sizeof(members));
	assert_int_equal(sa->num_services, COUNT(services));
	assert_memory_equal(sa->services, services, sizeof(services));
	ibc_fabric_free(fab);
}

static void nothing_told_stays_nothing(void **state)
{
	struct ibc_fabric *fab = reload(small());
	const struct ibc_subnet *subnet = ibc_fabric_subnet(fab, 0);

	(void)state;
	assert_null(subnet->forwarding);
	assert_null(subnet->multicast);
	assert_null(subnet->sa);
	ibc_fabric_free(fab);
}

static void tables_of_two_subnets_stay_apart(void **state)
{
	struct mkfab m = mkfab();
	const struct ibc_forwarding *f;
	struct fabric_forwarding *second;
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 0x10, "leaf01", 2);
	*mk_entry(mk_tables(m, 64), 0x10, 7) = 1;
	m = mk_subnet(m, "other");
	mk_switch(m, 0x10, "leaf01", 2);
	mk_switch(m, 0x11, "leaf02", 2);
	second = mk_tables(m, 64);
	*mk_entry(second, 0x10, 7) = 2;
	fab = reload(done(m));
	f = ibc_fabric_subnet(fab, 0)->forwarding;
	assert_int_equal(f->num_switches, 1);
	assert_int_equal(f->out[7 * f->stride], 1);
	f = ibc_fabric_subnet(fab, 1)->forwarding;
	assert_int_equal(f->num_switches, 2);
	assert_int_equal(f->out[7 * f->stride], 2);
	ibc_fabric_free(fab);
}

/* The nodes of the second are numbered from 0 in its file. */
static void tables_of_two_snapshots_stay_apart(void **state)
{
	struct fabric_build *b;
	struct ibc_fabric *fab;

	(void)state;
	assert_int_equal(fabric_build_new(&b, NULL), 0);
	for (uint8_t i = 1; i <= 2; i++) {
		struct mkfab m = mkfab();
		struct ibc_fabric *one;
		struct text_file *f;
		char *bytes;
		size_t n;

		mk_switch(m, 0x10, "leaf01", 2);
		mk_switch(m, 0x11, "leaf02", 2);
		*mk_entry(mk_tables(m, 64), 0x11, 7) = i;
		one = done(m);
		bytes = bytes_of(one, "snapshot", &n);
		assert_int_equal(text_open_bytes("x", bytes, n, &f, NULL), 0);
		assert_int_equal(read_snapshot(f, "x", b, NULL), 0);
		text_close(f);
		free(bytes);
		ibc_fabric_free(one);
	}
	assert_int_equal(fabric_build_finish(b, &fab, NULL), 0);
	for (unsigned int i = 0; i < 2; i++) {
		const struct ibc_forwarding *f = ibc_fabric_subnet(fab, i)->forwarding;

		assert_int_equal(f->num_switches, 2);
		assert_int_equal(f->out[7 * f->stride + 1], i + 1);
	}
	ibc_fabric_free(fab);
}

static void large_tables_take_several_lines(void **state)
{
	enum { N = 49152 };
	struct mkfab m = mkfab();
	struct ibc_node *leaf = mk_switch(m, 0x10, "leaf01", 255);
	const struct ibc_forwarding *f;
	struct fabric_forwarding *tables;
	struct fabric_multicast *trees;
	struct ibc_fabric *fab;

	(void)state;
	leaf->sl2vl = lanes(m, leaf, false);
	tables = mk_tables(m, N);
	for (unsigned int lid = 0; lid < N; lid++)
		*mk_entry(tables, 0x10, lid) = (uint8_t)(lid * 7);
	trees = fabric_build_multicast(m.b, m.subnet, 16384);
	memset(trees->known, 1, 512);
	memset(trees->ports, 0xff, 16384 * 32);
	fab = reload(done(m));
	f = ibc_fabric_subnet(fab, 0)->forwarding;
	for (unsigned int lid = 0; lid < N; lid++)
		assert_int_equal(f->out[lid * f->stride], (uint8_t)(lid * 7));
	assert_int_equal(ibc_fabric_subnet(fab, 0)->multicast->ports[16383 * 4 + 3], UINT64_MAX);
	assert_int_equal(ibc_switch_vl(ibc_fabric_node(fab, 0), 255, 255, 15), 15);
	ibc_fabric_free(fab);
}

/* ---- what is refused ---- */

static void a_snapshot_with_tables_cut_anywhere_is_refused(void **state)
{
	struct ibc_fabric *fab = managed(), *cut;
	size_t n;
	char *bytes = bytes_of(fab, "snapshot", &n);

	(void)state;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(read_bytes(read_snapshot, bytes, i, &cut, NULL), -EINVAL);
	free(bytes);
	ibc_fabric_free(fab);
}

static void a_lost_line_of_a_table_is_noticed_without_checksum(void **state)
{
	struct ibc_fabric *fab = managed();
	char *bytes = bytes_of(fab, "snapshot", NULL), *crc = strstr(bytes, ",\"crc32\"");
	char *line = strstr(bytes, "{\"table\":\"lft\""), *next = strchr(line, '\n') + 1;

	(void)state;
	memmove(crc, strchr(crc, '}'), strlen(strchr(crc, '}')) + 1);
	memmove(line, next, strlen(next) + 1);
	refused(bytes, "test:18: 13 tables were written, but 12 are here");
	free(bytes);
	ibc_fabric_free(fab);
}

#define TABLES                                                                                     \
	"{\"ibcheck_snapshot\":1,\"subnets\":[{\"forwarding\":{\"lids\":64},"                      \
	"\"multicast\":{\"mlids\":32},\"sa\":{}}]}\n"
#define SWITCH "{\"subnet\":0,\"guid\":\"0x1\",\"type\":2,\"num_ports\":2,\"ports\":[]}\n"
#define CA     "{\"subnet\":0,\"guid\":\"0x2\",\"type\":1,\"num_ports\":1,\"ports\":[]}\n"
#define OF     "{\"table\":\"lft\",\"node\":0,\"from\":0,\"rows\":"
#define D16    "0123456789abcdef"
#define D128   D16 D16 D16 D16 D16 D16 D16 D16
#define PATHS  "{\"table\":\"paths\",\"subnet\":0,\"from\":0,\"rows\":"

#define ARBITRATION(rest) "{\"table\":\"vlarb\",\"node\":0,\"from\":" rest "}\n"

static const struct {
	const char *text, *why;
} impossible[] = {
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"forwarding\":1}]}\n",
	  "test:1: an object was expected" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"forwarding\":{\"x\":1}}]}\n",
	  "test:1: unknown key \"x\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"multicast\":{\"mlids\":-1}}]}\n",
	  "test:1: invalid value of \"mlids\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"sa\":{\"cut_short\":[\"x\"]}}]}\n",
	  "test:1: invalid value of \"cut_short\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"forwarding\":{\"lids\":49153}}]}\n" SWITCH
	  "{\"end\":{\"nodes\":1,\"ports\":3,\"cables\":0}}\n",
	  "test:3: no subnet has tables of 1 switches and 49153 LIDs" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"multicast\":{\"mlids\":16385}}]}\n" END,
	  "test:2: no subnet has tables of 0 switches and 16385 MLIDs" },
	{ TABLES SWITCH "{\"table\":\"x\"}\n", "test:3: invalid value of \"table\"" },
	{ TABLES SWITCH "{\"table\":1}\n", "test:3: invalid value of \"table\"" },
	{ TABLES SWITCH "{\"table\":\"lft\"}\n", "test:3: a table of an unknown owner" },
	{ TABLES SWITCH "{\"table\":\"lft\",\"node\":1}\n", "test:3: a table of an unknown owner" },
	{ TABLES SWITCH "{\"table\":\"lft\",\"node\":-1}\n",
	  "test:3: a table of an unknown owner" },
	{ TABLES SWITCH "{\"table\":\"paths\",\"subnet\":1}\n",
	  "test:3: a table of an unknown owner" },
	{ HEADER "{\"table\":\"paths\",\"subnet\":0}\n", "test:2: a table of an unknown owner" },
	{ TABLES SWITCH "{\"table\":\"lft\",\"node\":0}\n", "test:3: invalid value of \"from\"" },
	{ TABLES SWITCH "{\"table\":\"lft\",\"node\":0,\"from\":-1}\n",
	  "test:3: invalid value of \"from\"" },
	{ TABLES SWITCH "{\"table\":\"lft\",\"node\":0,\"from\":0}\n",
	  "test:3: invalid value of \"rows\"" },
	{ TABLES SWITCH OF "[]}\n", "test:3: invalid value of \"rows\"" },
	{ TABLES SWITCH OF "[\"" D128 "\"],\"x\":1}\n", "test:3: not a valid table" },
	{ TABLES SWITCH OF "[\"" D128 "\",\"" D128 "\"]}\n",
	  "test:3: rows beyond the end of the table \"lft\"" },
	{ TABLES SWITCH "{\"table\":\"lft\",\"node\":0,\"from\":1,\"rows\":[\"" D128 "\"]}\n",
	  "test:3: rows beyond the end of the table \"lft\"" },
	{ TABLES CA OF "[\"" D128 "\"]}\n", "test:3: rows beyond the end of the table \"lft\"" },
	{ TABLES SWITCH OF "[null]}\n", "test:3: invalid value of row 0 of \"lft\"" },
	{ TABLES SWITCH OF "[\"" D16 "\"]}\n", "test:3: invalid value of row 0 of \"lft\"" },
	{ TABLES SWITCH OF "[\"" D16 D16 D16 D16 D16 D16 D16 "0123456789ABCDEF\"]}\n",
	  "test:3: invalid value of row 0 of \"lft\"" },
	{ TABLES SWITCH OF "[\"" D128 "\"]}\n" OF "[\"" D128 "\"]}\n",
	  "test:4: invalid value of row 0 of \"lft\"" },
	{ TABLES SWITCH OF "[\"" D128 "\"]}\n" CA, "test:4: a node after the tables" },
	{ TABLES SWITCH "{\"table\":\"mft\",\"node\":0,\"from\":0,\"rows\":[\"1\"]}\n",
	  "test:3: invalid value of row 0 of \"mft\"" },
	{ TABLES SWITCH "{\"table\":\"mft\",\"node\":0,\"from\":0,\"rows\":[\"" D16
	                "x123456789abcdef\"]}\n",
	  "test:3: invalid value of row 0 of \"mft\"" },
	{ TABLES SWITCH ARBITRATION("0,\"rows\":[\"00040104\"]"),
	  "test:3: invalid value of row 0 of \"vlarb\"" },
	{ TABLES SWITCH ARBITRATION("0,\"rows\":[\"000/0104\"]"),
	  "test:3: invalid value of row 0 of \"vlarb\"" },
	{ TABLES SWITCH ARBITRATION("0,\"rows\":[\"00/040104\"]"),
	  "test:3: invalid value of row 0 of \"vlarb\"" },
	{ TABLES SWITCH ARBITRATION("0,\"rows\":[\"0004/0g04\"]"),
	  "test:3: invalid value of row 0 of \"vlarb\"" },
	{ TABLES CA ARBITRATION("0,\"rows\":[\"00040104/\"]"),
	  "test:3: invalid value of row 0 of \"vlarb\"" },
	{ TABLES SWITCH ARBITRATION("1,\"rows\":[\"/\"]") ARBITRATION("1,\"rows\":[\"/\"]"),
	  "test:4: invalid value of row 1 of \"vlarb\"" },
	{ TABLES SWITCH "{\"table\":\"sl2vl\",\"node\":0,\"from\":0,\"rows\":[\"0\"]}\n",
	  "test:3: invalid value of row 0 of \"sl2vl\"" },
	{ TABLES SWITCH "{\"table\":\"sl2vl\",\"node\":0,\"from\":1,\"rows\":[\"" D16 "\"]}\n",
	  "test:3: invalid value of row 1 of \"sl2vl\"" },
	{ TABLES SWITCH "{\"table\":\"sl2vl\",\"node\":0,\"from\":0,\"rows\":[\"" D16
	                "\"]}\n{\"table\":\"sl2vl\",\"node\":0,\"from\":0,\"rows\":[\"" D16
	                "\"]}\n",
	  "test:4: invalid value of row 0 of \"sl2vl\"" },
	{ TABLES PATHS "[\"0001\"]}\n", "test:2: invalid value of row 0 of \"paths\"" },
	{ TABLES PATHS "[\"00010002000\"]}\n", "test:2: invalid value of row 0 of \"paths\"" },
	{ TABLES PATHS "[\"000100020g\"]}\n", "test:2: invalid value of row 0 of \"paths\"" },
	{ TABLES "{\"table\":\"paths\",\"subnet\":0,\"from\":1,\"rows\":[\"0001000200\"]}\n",
	  "test:2: invalid value of row 1 of \"paths\"" },
	{ TABLES PATHS "[\"0001000200\",\"0001000200\"]}\n"
	               "{\"end\":{\"nodes\":0,\"ports\":0,\"cables\":0,\"tables\":1}}\n",
	  "test:3: the paths are not in order" },
	{ TABLES "{\"end\":{\"nodes\":0,\"ports\":0,\"cables\":0,\"tables\":1}}\n",
	  "test:2: 1 tables were written, but 0 are here" },
	{ HEADER "{\"subnet\":0,\"guid\":\"0x1\",\"type\":2,\"num_ports\":2,\"asked\":["
	         "\"AdaptiveRoutingInfo\"],\"answered\":[\"AdaptiveRoutingInfo\"],\"ports\":[]}\n",
	  "test:2: AdaptiveRoutingInfo was answered, but is missing here" },
	{ HEADER "{\"subnet\":0,\"guid\":\"0x1\",\"type\":2,\"num_ports\":2,"
	         "\"adaptive_routing\":{},\"ports\":[]}\n",
	  "test:2: AdaptiveRoutingInfo was not answered, but is here" },
	{ HEADER "{\"subnet\":0,\"guid\":\"0x1\",\"type\":3,\"num_ports\":2,\"asked\":["
	         "\"RouterInfo\"],\"answered\":[\"RouterInfo\"],\"ports\":[]}\n",
	  "test:2: RouterInfo was answered, but is missing here" },
	{ HEADER NODE "{\"num\":1,\"asked\":[\"VPortInfo\"],\"answered\":[\"VPortInfo\"]}]}\n",
	  "test:2: port 1: VPortInfo was answered, but is missing here" },
	{ HEADER NODE "{\"num\":1,\"vports\":{}}]}\n",
	  "test:2: port 1: invalid value of \"list\"" },
	{ HEADER NODE "{\"num\":1,\"vports\":{\"list\":[{\"state\":5}]}}]}\n",
	  "test:2: port 1: invalid value of \"state\"" },
	{ HEADER NODE "{\"num\":1,\"vports\":{\"list\":[{\"index\":2},{\"index\":2}]}}]}\n",
	  "test:2: port 1: invalid value of \"index\"" },
	{ HEADER NODE "{\"num\":1,\"asked\":[\"SMInfo\"],\"answered\":[\"SMInfo\"]}]}\n",
	  "test:2: port 1: SMInfo was answered, but is missing here" },
	{ HEADER NODE "{\"num\":1,\"asked\":[\"P_KeyTable\"],\"answered\":[\"P_KeyTable\"]}]}\n",
	  "test:2: port 1: partitions were answered, but are missing here" },
	{ HEADER NODE "{\"num\":1,\"sm\":1}]}\n", "test:2: port 1: an object was expected" },
	{ HEADER NODE "{\"num\":1,\"sm\":{\"priority\":256}}]}\n",
	  "test:2: port 1: invalid value of \"priority\"" },
	{ HEADER NODE "{\"num\":1,\"pkeys\":7}]}\n", "test:2: port 1: invalid value of \"pkeys\"" },
	{ HEADER NODE "{\"num\":1,\"pkeys\":\"fffff\"}]}\n",
	  "test:2: port 1: invalid value of \"pkeys\"" },
	{ HEADER NODE "{\"num\":1,\"pkeys\":\"ffxf\"}]}\n",
	  "test:2: port 1: invalid value of \"pkeys\"" },
};

static void tables_that_cannot_be_are_refused_with_their_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(impossible); i++)
		refused(impossible[i].text, impossible[i].why);
}

static void hostile_tables_cost_little(void **state)
{
	size_t room = 1 << 21, used;
	char *text = malloc(room);

	(void)state;
	used = (size_t)sprintf(text, "{\"ibcheck_snapshot\":1,\"subnets\":"
	                             "[{\"forwarding\":{\"lids\":49152}}]}\n");
	for (unsigned int i = 0; i < 12000; i++)
		used += (size_t)sprintf(text + used, "{\"subnet\":0,\"type\":2,\"ports\":[]}\n");
	strcpy(text + used, "{\"end\":{\"nodes\":12000,\"ports\":12000,\"cables\":0}}\n");
	refused(text, "test:12002: no subnet has tables of 12000 switches and 49152 LIDs");
	free(text);
}

static void every_allocation_may_fail(void **state)
{
	struct ibc_fabric *fab = managed();
	size_t length;
	char *bytes = bytes_of(fab, "snapshot", &length);
	unsigned long n = 0;
	int rc = -ENOMEM;

	(void)state;
	ibc_fabric_free(fab);
	while (rc == -ENOMEM) {
		struct ibc_error err = { "" };

		fab = NULL;
		alloc_fail_at(++n);
		rc = read_bytes(read_snapshot, bytes, length, &fab, &err);
		alloc_fail_at(0);
		if (rc)
			assert_string_equal(err.text, "out of memory");
	}
	assert_int_equal(rc, 0);
	assert_int_equal(ibc_fabric_subnet(fab, 0)->sa->num_paths, 2);
	ibc_fabric_free(fab);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adaptive_routing_survives),
		cmocka_unit_test(subnet_managers_and_partitions_survive),
		cmocka_unit_test(arbitration_survives),
		cmocka_unit_test(forwarding_tables_survive_with_what_is_not_known),
		cmocka_unit_test(multicast_tables_survive),
		cmocka_unit_test(virtual_lanes_survive),
		cmocka_unit_test(what_subnet_administration_told_survives),
		cmocka_unit_test(nothing_told_stays_nothing),
		cmocka_unit_test(tables_of_two_subnets_stay_apart),
		cmocka_unit_test(tables_of_two_snapshots_stay_apart),
		cmocka_unit_test(large_tables_take_several_lines),
		cmocka_unit_test(a_snapshot_with_tables_cut_anywhere_is_refused),
		cmocka_unit_test(a_lost_line_of_a_table_is_noticed_without_checksum),
		cmocka_unit_test(tables_that_cannot_be_are_refused_with_their_place),
		cmocka_unit_test(hostile_tables_cost_little),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
