/* SPDX-License-Identifier: BSD-2-Clause */
/* Adaptive tables as switches tell them: on the wire, how they are read, and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "findings.h"
#include "mkclos.h"
#include "mkrig.h"
#include "mksnap.h"
#include "model/encode.h"
#include "wire/mad.h"

#include "mkadaptive.h"

#define GROUP_CAP 256
#define KNOWS     (1u << IBC_SMP_AR_REV1)
#define TABLES    IBC_ATTRS(IBC_ATTR_AR_GROUPS, IBC_ATTR_AR_LFT)

static const struct clos tree = { .leaves = 4, .spines = 3, .hosts = 4, .cables = 2 };

/* Of all switches; of LIDs beyond CLOS_LIDS there is nothing. */
static struct ibc_ar_info ar;

/* ---- on the wire -------------------------------------------------------------------------- */

static void an_entry_is_read_by_its_offsets(void **state)
{
	static const uint8_t data[64] = { 0x40, 9, 0x0a, 0xbc, 0x00, 17, 0x00, 0x03,
		                          0x80, 3, 0x12, 0x34, 0xc0, 4,  0x00, 0x01,
		                          0x41, 5, 0x00, 0x02, 0x40, 6,  0x10, 0x00 };
	uint16_t entries[AR_LFT_LIDS];
	uint8_t ports[AR_LFT_LIDS];

	(void)state;
	ar_lft_get(data, entries, ports);
	assert_int_equal(entries[0], IBC_AR_ENTRY_FREE << 14 | 0xabc);
	assert_int_equal(entries[1], IBC_AR_ENTRY_BOUNDED << 14 | 3);
	assert_int_equal(entries[2], IBC_AR_ENTRY_STATIC << 14);
	assert_int_equal(entries[3], IBC_AR_ENTRY_HASH << 14 | 1);
	assert_int_equal(entries[4], IBC_AR_ENTRY_FREE << 14 | AR_NO_GROUP);
	assert_int_equal(entries[5], IBC_AR_ENTRY_FREE << 14 | AR_NO_GROUP);
	assert_int_equal(ports[0], 9);
	assert_int_equal(ports[1], 17);
	assert_int_equal(ports[5], 6);
}

/* Each port, in each reading, comes back, and is one bit. */
static void a_set_of_ports_is_read_as_it_was_written(void **state)
{
	for (unsigned int reading = 0; reading < AR_READINGS; reading++) {
		for (unsigned int port = 1; port < 256; port++) {
			struct ibc_port_set set = { { 0 } }, again;
			uint8_t mask[AR_MASK_SIZE] = { 0 };

			set.words[port / 64] |= 1ull << port % 64;
			ar_mask_put(mask, reading, &set, 0, 1);
			assert_true(ar_mask_get(mask, reading, &again));
			assert_memory_equal(&again, &set, sizeof(set));
		}
	}
	(void)state;
}

static void port_256_is_none(void **state)
{
	struct ibc_port_set set;
	uint8_t mask[AR_MASK_SIZE] = { [AR_MASK_SIZE - 1] = 0x80 };

	(void)state;
	assert_true(ar_mask_get(mask, 0, &set));
	assert_int_equal(set.words[3], 1ull << 63);
	assert_false(ar_mask_get(mask, AR_FROM_ONE, &set));
	assert_true(ar_mask_get(mask, AR_FROM_ONE | AR_LAST_FIRST, &set));
	assert_int_equal(set.words[0], 1 << 8);
}

static void several_tables_are_a_mode(void **state)
{
	uint8_t data[64] = { 4, 3, 2, 0, 1 };

	(void)state;
	assert_false(private_lfts_get(data));
	data[3] = 1;
	assert_true(private_lfts_get(data));
}

/* ---- a fabric ------------------------------------------------------------------------------ */

struct made {
	struct mkfab m;
	struct fabric_forwarding *f;
};

static struct made made_of(const struct clos *c)
{
	struct made made = { .m = mkfab() };

	ar = (struct ibc_ar_info){ .flags = IBC_AR_ENABLED,
		                   .group_cap = GROUP_CAP,
		                   .group_top = (uint16_t)(c->leaves + c->spines - 1),
		                   .sub_groups = 1 };
	mk_clos(made.m, c);
	made.f = mk_d_mod_k(made.m, c);
	mk_adaptive(made.m, made.f);
	for (size_t i = 0; i < made.f->tables.num_switches; i++) {
		struct ibc_node *node = (struct ibc_node *)made.f->tables.switches[i];

		node->ar = &ar;
		node->lft_top = CLOS_LIDS - 1;
		answers_put(node, IBC_ATTR_AR_INFO, ANSWER_OK);
	}
	return made;
}

static struct made made(void)
{
	return made_of(&tree);
}

static struct model_tables *tables(struct rig *r, uint64_t guid)
{
	return model_tables(r->model, ibc_fabric_node_by_guid(r->real, guid));
}

static struct rig rig_made(struct made made, unsigned int reading)
{
	struct rig r = rig_of(done(made.m));
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(r.real, i)); i++) {
		if (node->type != IBC_NODE_SWITCH)
			continue;
		model_registers(r.model, node)->smp[0] = KNOWS;
		model_tables(r.model, node)->ar_reading = reading;
	}
	r.opts.needs = IBC_ATTRS(IBC_ATTR_AR_LFT);
	return r;
}

static const struct ibc_forwarding *seen(const struct rig *r)
{
	return ibc_fabric_subnet(r->seen, 0)->forwarding;
}

static const struct ibc_ar_switch *seen_switch(const struct rig *r, uint64_t guid)
{
	const struct ibc_forwarding *f = seen(r);

	return &f->ar->switches[fabric_column(f->switches, f->num_switches,
	                                      ibc_fabric_node_by_guid(r->seen, guid))];
}

static const struct ibc_port_set *group_at(const struct ibc_ar_switch *sw, unsigned int group)
{
	return group < sw->num_groups ? sw->groups[group] : NULL;
}

/* Entries, and the groups they have, are those of the switches. */
static void expect_same_tables(const struct rig *r)
{
	const struct ibc_forwarding *real = ibc_fabric_subnet(r->real, 0)->forwarding;
	const struct ibc_forwarding *f = seen(r);
	size_t groups = 0;

	assert_int_equal(f->num_switches, real->num_switches);
	for (size_t s = 0; s < f->num_switches; s++) {
		assert_int_equal(f->ar->switches[s].gap, IBC_AR_NO_GAP);
		for (unsigned int lid = 1; lid < CLOS_LIDS; lid++) {
			const size_t at = lid / 64 * f->stride + s;
			const unsigned int entry = real->ar->blocks[at][lid % 64];

			assert_int_equal(f->ar->blocks[at][lid % 64], entry);
			if (entry >> IBC_AR_ENTRY_SHIFT == IBC_AR_ENTRY_STATIC)
				continue;
			groups++;
			assert_memory_equal(group_at(&f->ar->switches[s], entry & AR_NO_GROUP),
			                    group_at(&real->ar->switches[s], entry & AR_NO_GROUP),
			                    sizeof(struct ibc_port_set));
		}
	}
	assert_true(groups > 50);
}

static char *findings_of(struct ibc_fabric *fab)
{
	struct ibc_routes *routes = analyze(fab, 1);
	struct ibc_input in = { .fabric = fab, .routes = routes };
	struct ibc_report *rep;
	char *text;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "ar.dead-way,ar.loop", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	text = findings_text(rep);
	ibc_report_free(rep);
	ibc_routes_free(routes);
	return text;
}

static void expect_findings(struct rig *r, const char *lines)
{
	char *text = findings_of(r->seen);

	assert_string_equal(text, lines);
	free(text);
}

/* ---- read ----------------------------------------------------------------------------------- */

static void every_order_of_bits_is_found_out(void **state)
{
	(void)state;
	for (unsigned int reading = 0; reading < AR_READINGS; reading++) {
		struct rig r = rig_made(made(), reading);

		sweep(&r);
		assert_int_equal(r.rc, 0);
		expect_same_tables(&r);
		assert_int_equal(ibc_fabric_subnet(r.seen, 0)->static_traffic, IBC_TRAFFIC_UD);
		expect_findings(&r, "");
		rig_free(&r);
	}
}

static void each_block_is_asked_for_once(void **state)
{
	struct rig r = rig_made(made(), 0);

	(void)state;
	sweep(&r);
	/* 7 groups, two a block; LIDs up to the greatest, 16 a block */
	assert_int_equal(model_asked(r.model, MODEL_AR_GROUPS), 7 * 4);
	assert_int_equal(model_asked(r.model, MODEL_AR_LFT),
	                 7 * (ibc_fabric_node_by_guid(r.seen, 1)->lft_top / 16 + 1));
	assert_int_equal(model_asked(r.model, MODEL_PRIVATE_LFT), 0);
	rig_free(&r);
}

static void sub_groups_are_one_group(void **state)
{
	(void)state;
	for (unsigned int subs = 2; subs <= 3; subs++) {
		for (unsigned int reading = 0; reading < AR_READINGS; reading++) {
			struct made made_up = made();
			struct rig r;

			ar.sub_groups = (uint8_t)subs;
			r = rig_made(made_up, reading);
			sweep(&r);
			expect_same_tables(&r);
			rig_free(&r);
		}
	}
}

static void who_has_it_off_or_cannot_is_not_asked(void **state)
{
	static const struct ibc_ar_info off = { .group_cap = GROUP_CAP };
	static const struct ibc_ar_info cannot = { .flags = IBC_AR_ENABLED };
	struct made made_up = made();
	struct rig r;

	(void)state;
	for (size_t i = 0; i < made_up.f->tables.num_switches; i++)
		((struct ibc_node *)made_up.f->tables.switches[i])->ar = i % 2 ? &off : &cannot;
	r = rig_made(made_up, 0);
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_AR_INFO), 7);
	assert_int_equal(model_asked(r.model, MODEL_AR_GROUPS), 0);
	assert_int_equal(model_asked(r.model, MODEL_AR_LFT), 0);
	assert_null(seen(&r)->ar);
	rig_free(&r);

	r = rig_made(made(), 0);
	r.opts.needs = IBC_ATTRS(IBC_ATTR_LFT, IBC_ATTR_AR_INFO);
	sweep(&r);
	assert_int_equal(model_asked(r.model, MODEL_AR_LFT), 0);
	rig_free(&r);
}

/* ---- faults are found by it, as by a file ---------------------------------------------------- */

/* Leaf 1 can send the hosts of leaf 2 by its port to a host of its own; one cable is cut. */
static struct made broken(void)
{
	struct made made_up = made();
	struct ibc_port *up = port(made_up.m, clos_leaf(3), clos_up(&tree, 1, 1));
	struct ibc_port *down = port(made_up.m, clos_spine(1), clos_down(&tree, 3, 1));

	mk_group(made_up.m, made_up.f, clos_leaf(0),
	         (unsigned int)mk_column(made_up.f, clos_leaf(1)))
	    ->words[0] |= 1 << 1;
	up->state = down->state = IBC_STATE_DOWN;
	return made_up;
}

static void faults_are_those_of_the_same_tables_of_a_file(void **state)
{
	char *of_file, *of_switches;

	(void)state;
	for (unsigned int reading = 0; reading < AR_READINGS; reading++) {
		struct rig r = rig_made(broken(), reading);

		sweep(&r);
		of_file = findings_of(r.real);
		of_switches = findings_of(r.seen);
		assert_string_equal(of_file, of_switches);
		assert_non_null(
		    strstr(of_file, "critical leaf01: sends 4 LIDs of hosts to host01 mlx5_0/1, "));
		free(of_file);
		free(of_switches);
		rig_free(&r);
	}
}

/* ---- what is not told ------------------------------------------------------------------------ */

#define UNTOLD(name, more)                                                                         \
	"unknown " name ": routes adaptively, and did not answer for all of its tables of it" more \
	"\n"

static void silence_and_refusal_leave_the_routes_unknown(void **state)
{
	static const enum ibc_attr attrs[] = { IBC_ATTR_AR_GROUPS, IBC_ATTR_AR_LFT };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct rig r = rig_made(made(), 0);
		struct model_tables *t = tables(&r, clos_leaf(1));

		*(i % 2 ? &t->silent : &t->refused) = IBC_ATTRS(attrs[i / 2]);
		sweep(&r);
		assert_int_equal(seen_switch(&r, clos_leaf(1))->gap, IBC_AR_UNREAD);
		assert_int_equal(seen_switch(&r, clos_leaf(0))->gap, IBC_AR_NO_GAP);
		expect_findings(&r, UNTOLD("leaf02", ""));
		rig_free(&r);
	}
}

static void half_a_table_is_none(void **state)
{
	struct rig r = rig_made(made(), 0);

	(void)state;
	tables(&r, clos_spine(0))->ar_blocks = 3;
	sweep(&r);
	assert_int_equal(seen_switch(&r, clos_spine(0))->gap, IBC_AR_UNREAD);
	assert_null(
	    seen(&r)->ar->blocks[fabric_column(seen(&r)->switches, seen(&r)->num_switches,
	                                       ibc_fabric_node_by_guid(r.seen, clos_spine(0)))]);
	expect_findings(&r, UNTOLD("spine01", ""));
	rig_free(&r);
}

/* Whether it routes adaptively is not known: ar.mixed tells, and its routes are not. */
static void one_that_does_not_say_what_it_does_is_not_static(void **state)
{
	struct rig r = rig_made(made(), 0);

	(void)state;
	tables(&r, clos_spine(0))->silent = IBC_ATTRS(IBC_ATTR_AR_INFO);
	sweep(&r);
	assert_true(
	    ibc_node_unanswered(ibc_fabric_node_by_guid(r.seen, clos_spine(0)), IBC_ATTR_AR_INFO));
	expect_findings(&r, "unknown fabric: 192 pairs of hosts can be routed adaptively over a "
	                    "switch whose tables are not known\n");
	rig_free(&r);
}

static void where_no_switch_tells_nothing_is_followed(void **state)
{
	struct rig r = rig_made(made(), 0);
	const struct ibc_node *node;

	(void)state;
	for (size_t i = 0; (node = ibc_fabric_node(r.real, i)); i++)
		model_tables(r.model, node)->refused = TABLES;
	sweep(&r);
	expect_findings(&r, UNTOLD("leaf01", "; 7 switches did not"));
	assert_int_equal(ibc_fabric_subnet(r.seen, 0)->static_traffic, IBC_TRAFFIC_UD);
	rig_free(&r);
}

/* ---- what is not understood ------------------------------------------------------------------ */

#define UNCLEAR(name, more)                                                                        \
	"unknown " name ": has adaptive tables that are not understood" more "\n"

static void garbage_of_one_is_not_believed(void **state)
{
	(void)state;
	for (unsigned int byte = 1; byte < 256; byte++) {
		struct rig r = rig_made(made(), byte % AR_READINGS);

		tables(&r, clos_leaf(2))->ar_garbage = (uint8_t)byte;
		sweep(&r);
		assert_int_equal(seen_switch(&r, clos_leaf(2))->gap, IBC_AR_UNCLEAR);
		expect_findings(&r, UNCLEAR("leaf03", ""));
		rig_free(&r);
	}
}

/* Bits in an order of its own: the static ports agree, and the groups do not. */
static void a_switch_that_differs_from_its_model_is_not_blamed(void **state)
{
	static const struct clos large = { .leaves = 24, .spines = 3, .hosts = 4, .cables = 2 };
	struct rig r = rig_made(made_of(&large), AR_LAST_FIRST);

	(void)state;
	tables(&r, clos_leaf(2))->ar_reading = 0;
	sweep(&r);
	expect_findings(&r, UNCLEAR("leaf03", ""));
	rig_free(&r);
}

/* Half of the switches one way, half another: no reading holds for 95 % of the entries. */
static void without_a_reading_nothing_is_followed(void **state)
{
	struct rig r = rig_made(made(), AR_LAST_FIRST);
	const struct ibc_node *node;

	(void)state;
	for (size_t i = 0; (node = ibc_fabric_node(r.real, i)); i++)
		if (node->type == IBC_NODE_SWITCH && i % 2)
			model_tables(r.model, node)->ar_reading = 0;
	sweep(&r);
	expect_findings(&r, UNCLEAR("leaf01", "; 7 switches have such tables"));
	rig_free(&r);
}

/* The chips of another model may be made another way. */
static void each_model_has_its_own_reading(void **state)
{
	struct rig r = rig_made(made(), AR_FROM_ONE | AR_LAST_FIRST);
	const struct ibc_node *node;

	(void)state;
	for (size_t i = 0; (node = ibc_fabric_node(r.real, i)); i++) {
		if (node->type != IBC_NODE_SWITCH || node->guid > clos_leaf(3))
			continue;
		((struct ibc_node *)node)->device_id = 0xd2f2;
		model_registers(r.model, node)->smp[0] = KNOWS;
		model_tables(r.model, node)->ar_reading = 0;
	}
	sweep(&r);
	expect_same_tables(&r);
	rig_free(&r);
}

/* Floating LIDs go to any router: here to those on the first ports of two leaves. */
static void groups_of_ports_to_routers_are_believed(void **state)
{
	static const struct ibc_port_set routers = { { 0x1e } };
	struct made made_up = made();
	struct rig r;

	(void)state;
	for (unsigned int l = 0; l < 2; l++) {
		const size_t column = mk_column(made_up.f, clos_leaf(l));

		assert_true(fabric_ar_group(made_up.m.b, made_up.f, column, (unsigned int)column,
		                            &routers));
		for (unsigned int i = 0; i < tree.hosts; i++) {
			const uint64_t guid = clos_host(&tree, l, i);

			mk_ar_entry(made_up.m, made_up.f, clos_leaf(l), (unsigned int)guid,
			            IBC_AR_ENTRY_FREE, (unsigned int)column);
			fabric_build_find(made_up.m.b, made_up.m.subnet, guid)->type =
			    IBC_NODE_ROUTER;
		}
	}
	r = rig_made(made_up, AR_LAST_FIRST);
	sweep(&r);
	assert_int_equal(r.rc, 0);
	expect_same_tables(&r);
	rig_free(&r);
}

/* Spines that send by any of ports 1 to 9, and by 1 never statically: it may be 2 to 10. */
static struct made made_doubtful(void)
{
	struct made made_up = made();
	const struct ibc_forwarding *f = &made_up.f->tables;

	for (unsigned int k = 0; k < tree.spines; k++) {
		for (unsigned int i = 0; i < tree.hosts; i++)
			*mk_entry(made_up.f, clos_spine(k), 101 + i) = 2;
		for (unsigned int l = 0; l < tree.leaves; l++)
			mk_group(made_up.m, made_up.f, clos_spine(k),
			         (unsigned int)mk_column(made_up.f, clos_leaf(l)))
			    ->words[0] = 0x3fe;
	}
	assert_int_equal(f->num_switches, 7);
	return made_up;
}

static void of_several_readings_none_is_chosen(void **state)
{
	struct rig r = rig_made(made_doubtful(), 0);
	const struct ibc_node *node;

	(void)state;
	sweep(&r); /* leaves of the same model have one reading */
	assert_int_equal(seen_switch(&r, clos_spine(0))->gap, IBC_AR_NO_GAP);
	rig_free(&r);

	r = rig_made(made_doubtful(), 0);
	for (size_t i = 0; (node = ibc_fabric_node(r.real, i)); i++) {
		if (node->type != IBC_NODE_SWITCH || node->guid > clos_leaf(3))
			continue;
		((struct ibc_node *)node)->device_id = 0xd2f2;
		model_registers(r.model, node)->smp[0] = KNOWS;
	}
	sweep(&r);
	assert_int_equal(seen_switch(&r, clos_leaf(0))->gap, IBC_AR_NO_GAP);
	expect_findings(&r, UNCLEAR("spine01", "; 3 switches have such tables"));
	rig_free(&r);
}

/* ---- private LFTs ---------------------------------------------------------------------------- */

static void private_tables_are_asked_for_and_told(void **state)
{
	for (unsigned int mode = 0; mode < 2; mode++) {
		struct made made_up = made();
		struct rig r;

		if (mode)
			assert_true(fabric_ar_private(made_up.m.b, made_up.f,
			                              mk_column(made_up.f, clos_leaf(1))));
		r = rig_made(made_up, 0);
		model_registers(r.model, ibc_fabric_node_by_guid(r.real, clos_leaf(1)))->smp[0] |=
		    1u << IBC_SMP_PRIVATE_LFT;
		sweep(&r);
		assert_int_equal(model_asked(r.model, MODEL_PRIVATE_LFT), 1);
		assert_int_equal(seen_switch(&r, clos_leaf(1))->private_tables, mode);
		expect_findings(&r, mode ? "unknown fabric: 1 switch has private LFTs (pLFT): the "
		                           "routes of adaptive routing were not followed\n"
		                         : "");
		rig_free(&r);
	}
	(void)state;
}

static void who_does_not_say_how_many_tables_it_has_is_not_followed(void **state)
{
	struct rig r = rig_made(made(), 0);

	(void)state;
	model_registers(r.model, ibc_fabric_node_by_guid(r.real, clos_leaf(1)))->smp[0] |=
	    1u << IBC_SMP_PRIVATE_LFT;
	tables(&r, clos_leaf(1))->refused = IBC_ATTRS(IBC_ATTR_PRIVATE_LFT);
	sweep(&r);
	expect_findings(&r, UNTOLD("leaf02", ""));
	rig_free(&r);
}

/* ---- written meanwhile ------------------------------------------------------------------------
 */

static unsigned int rewrites; /* LFTs that are still to be written behind an adaptive table */

/* With the first block of an adaptive table the manager gives leaf 1 other routes up. */
static int rewritten(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct mad_header h;
	int device = model_answer(model, to, mad);
	struct ibc_forwarding *f;

	mad_header_get(mad, &h);
	if (h.attribute != SMP_AR_LFT || h.modifier != 0 || !rewrites)
		return device;
	f = (struct ibc_forwarding *)model_from(model)->node->subnet->forwarding;
	for (unsigned int lid = 101; lid < 101 + 16 && rewrites; lid++) {
		uint8_t *out = (uint8_t *)&f->out[lid * f->stride];

		if (f->switches[0]->guid == clos_leaf(0) && *out > tree.hosts)
			*out = (uint8_t)(tree.hosts + 1 +
			                 (*out - tree.hosts) % (tree.spines * tree.cables));
	}
	rewrites--;
	return device;
}

static void what_was_written_meanwhile_is_read_again(void **state)
{
	struct rig r = rig_made(made(), AR_LAST_FIRST);

	(void)state;
	rewrites = 1;
	r.answer = rewritten;
	sweep(&r);
	expect_same_tables(&r);
	expect_findings(&r, "");
	assert_int_equal(seen(&r)->out[105 * seen(&r)->stride],
	                 ibc_fabric_subnet(r.real, 0)->forwarding->out[105 * seen(&r)->stride]);
	rig_free(&r);
}

static bool read_again; /* LFTs are asked for after adaptive tables */

/*
 * LIDs 96 .. 111 of all tables are lost until then, and leaf 1, alone read again, sends those
 * behind them by static routes from then on.
 */
static int lost_at_first(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct ibc_forwarding *f;
	uint16_t *entries;
	struct mad_header h;

	mad_header_get(mad, &h);
	if (h.attribute == SMP_AR_LFT && h.modifier == 96 / 16 && !read_again)
		return LINE_NOBODY;
	f = (struct ibc_forwarding *)model_from(model)->node->subnet->forwarding;
	entries = (uint16_t *)f->ar->blocks[f->stride]; /* of LIDs 64 .. 127 */
	read_again |= h.attribute == SMP_LINEAR_FDB && !rewrites;
	for (unsigned int i = 112 - 64; i < 64 && read_again; i++)
		entries[i] = IBC_AR_ENTRY_STATIC << IBC_AR_ENTRY_SHIFT;
	return rewritten(model, to, mad);
}

static void of_what_was_read_before_nothing_is_left(void **state)
{
	struct rig r = rig_made(made(), AR_LAST_FIRST);

	(void)state;
	rewrites = 1;
	r.answer = lost_at_first;
	sweep(&r);
	assert_true(read_again);
	assert_int_equal(seen_switch(&r, clos_leaf(0))->gap, IBC_AR_NO_GAP);
	for (unsigned int i = 96 - 64; i < 64; i++)
		assert_int_equal(
		    seen(&r)->ar->blocks[seen(&r)->stride][i],
		    ibc_fabric_subnet(r.real, 0)->forwarding->ar->blocks[seen(&r)->stride][i]);
	rig_free(&r);
}

static void what_changes_twice_is_told(void **state)
{
	struct rig r = rig_made(made(), AR_LAST_FIRST);

	(void)state;
	rewrites = UINT_MAX;
	r.answer = rewritten;
	sweep(&r);
	assert_int_equal(seen_switch(&r, clos_leaf(0))->gap, IBC_AR_CHANGED);
	expect_findings(&r, "unknown leaf01: got other adaptive tables while they were read, "
	                    "twice\n");
	rig_free(&r);
}

/* ---- snapshots ---------------------------------------------------------------------------------
 */

static void snapshots_keep_what_is_not_known(void **state)
{
	struct rig r = rig_made(made(), 0);
	struct ibc_fabric *again;
	char *bytes;
	size_t n;

	(void)state;
	tables(&r, clos_leaf(1))->refused = TABLES;
	sweep(&r);
	bytes = bytes_of(r.seen, "snapshot", &n);
	again = fabric_of(read_snapshot, bytes, n);
	free(bytes);
	ibc_fabric_free(r.seen);
	r.seen = again;
	expect_findings(&r, UNTOLD("leaf02", ""));
	rig_free(&r);
}

/* The digit that an enumerator is written by. */
static char *gap_of(char *bytes)
{
	char *at = strstr(bytes, "ar_gap");

	assert_non_null(at);
	return at + strcspn(at, "1");
}

static void a_gap_that_is_none_is_refused(void **state)
{
	static const char wrong[] = { '0', '4', 'x' };
	struct rig r = rig_made(made(), 0);
	struct ibc_fabric *again;
	struct ibc_error err;
	char *bytes;
	size_t n;

	(void)state;
	tables(&r, clos_leaf(1))->refused = TABLES;
	sweep(&r);
	bytes = bytes_of(r.seen, "snapshot", &n);
	for (size_t i = 0; i < sizeof(wrong); i++) {
		char *copy = memcpy(malloc(n + 1), bytes, n + 1);

		*gap_of(copy) = wrong[i];
		assert_int_equal(read_bytes(read_snapshot, copy, n, &again, &err), -EINVAL);
		free(copy);
	}
	free(bytes);
	rig_free(&r);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void running_out_of_memory_ends_the_sweep(void **state)
{
	struct rig r = rig_made(made(), 0);

	(void)state;
	sweep_short_of_memory(&r);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_is_read_by_its_offsets),
		cmocka_unit_test(a_set_of_ports_is_read_as_it_was_written),
		cmocka_unit_test(port_256_is_none),
		cmocka_unit_test(several_tables_are_a_mode),
		cmocka_unit_test(every_order_of_bits_is_found_out),
		cmocka_unit_test(each_block_is_asked_for_once),
		cmocka_unit_test(sub_groups_are_one_group),
		cmocka_unit_test(who_has_it_off_or_cannot_is_not_asked),
		cmocka_unit_test(faults_are_those_of_the_same_tables_of_a_file),
		cmocka_unit_test(silence_and_refusal_leave_the_routes_unknown),
		cmocka_unit_test(half_a_table_is_none),
		cmocka_unit_test(one_that_does_not_say_what_it_does_is_not_static),
		cmocka_unit_test(where_no_switch_tells_nothing_is_followed),
		cmocka_unit_test(garbage_of_one_is_not_believed),
		cmocka_unit_test(a_switch_that_differs_from_its_model_is_not_blamed),
		cmocka_unit_test(without_a_reading_nothing_is_followed),
		cmocka_unit_test(each_model_has_its_own_reading),
		cmocka_unit_test(groups_of_ports_to_routers_are_believed),
		cmocka_unit_test(of_several_readings_none_is_chosen),
		cmocka_unit_test(private_tables_are_asked_for_and_told),
		cmocka_unit_test(who_does_not_say_how_many_tables_it_has_is_not_followed),
		cmocka_unit_test(what_was_written_meanwhile_is_read_again),
		cmocka_unit_test(of_what_was_read_before_nothing_is_left),
		cmocka_unit_test(what_changes_twice_is_told),
		cmocka_unit_test(snapshots_keep_what_is_not_known),
		cmocka_unit_test(a_gap_that_is_none_is_refused),
		cmocka_unit_test(running_out_of_memory_ends_the_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
