/* SPDX-License-Identifier: BSD-2-Clause */
/* Forwarding tables from files: what is read, and what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkfab.h"
#include "mkfile.h"

#define HEAD  "Unicast lids [0x0-0x4] of switch Lid 1 guid 0x0000000000000010 (sw):\n"
#define WORDS "  Lid  Out   Destination\n       Port     Info \n"
#define ROWS                                                                                       \
	"0x0001 000 : (Switch portguid 0x0000000000000010: 'sw')\n"                                \
	"0x0002 003 : (Channel Adapter portguid 0x0000000000000021: 'host')\n"
#define TABLE HEAD WORDS ROWS "2 valid lids dumped \n"
#define FDB                                                                                        \
	"dump_ucast_routes: Switch 0x0000000000000010\nLID    : Port : Hops : Optimal\n"           \
	"0x0001 : 000  : 00   : yes\n0x0002 : 003  : 01   : yes\n"

/* Two switches, of which the first has LID 1. */
static struct mkfab two_switches(void)
{
	struct mkfab m = mkfab();
	struct ibc_node *sw = mk_switch(m, 0x10, "sw", 4);

	mk_switch(m, 0x11, "other", 4);
	fabric_build_port(sw, 0)->lid = 1;
	return m;
}

static int put(struct mkfab m, const char *text, struct ibc_error *err)
{
	struct text_file *f;
	int rc = text_open_bytes("tables", text, strlen(text), &f, err);

	if (rc)
		return rc;
	rc = read_tables(f, m.b, err);
	text_close(f);
	return rc;
}

static void keep_first(void *ctx, const struct ibc_complaint *c)
{
	struct ibc_error *first = ctx;

	if (!*first->text)
		snprintf(first->text, sizeof(first->text), "tables:%lu: %s", c->line, c->sentence);
}

/* The first line that is lost, whether the rest of the file was read; else the error. */
static void put_all(struct mkfab m, const char *text, struct ibc_error *err)
{
	struct ibc_error first = { "" };
	struct text_file *f;

	assert_int_equal(text_open_bytes("tables", text, strlen(text), &f, err), 0);
	text_complain_to(f, keep_first, &first);
	assert_true(read_tables(f, m.b, err) || *first.text);
	if (*first.text)
		*err = first;
	text_close(f);
}

static struct ibc_fabric *with(const char *text)
{
	struct mkfab m = two_switches();
	struct ibc_error err = { "" };

	if (put(m, text, &err))
		fail_msg("%s", err.text);
	return done(m);
}

static void refused(const char *text, const char *why)
{
	struct mkfab m = two_switches();
	struct ibc_error err = { "" };

	put_all(m, text, &err);
	assert_string_equal(err.text, why);
	fabric_build_free(m.b);
}

/* Switch 0x10 sends LID 1 to itself, LID 2 by port 3, and has nothing else. */
static void expect_table(const char *text)
{
	struct ibc_fabric *fab = with(text);
	const struct ibc_subnet *subnet = ibc_fabric_subnet(fab, 0);
	const struct ibc_forwarding *f = subnet->forwarding;

	assert_true(ibc_attrs_has(subnet->provides, IBC_ATTR_LFT));
	assert_string_equal(f->file, "tables");
	assert_int_equal(f->out[1 * f->stride], 0);
	assert_int_equal(f->out[2 * f->stride], 3);
	for (unsigned int lid = 3; lid < f->num_lids; lid++)
		assert_int_equal(f->out[lid * f->stride], IBC_NO_ENTRY);
	assert_true(ibc_node_has(f->switches[0], IBC_ATTR_LFT));
	assert_true(f->known[0]);
	assert_true(ibc_node_unanswered(f->switches[1], IBC_ATTR_LFT));
	assert_false(f->known[1]);
	ibc_fabric_free(fab);
}

static void every_program_that_dumps_tables_is_read(void **state)
{
	char text[1000];
	int n;

	(void)state;
	expect_table(TABLE);
	expect_table("Unicast lids [0x0-0x4] of switch DR path slid 0; dlid 0; 0,1,5 guid "
	             "0x0000000000000010 (sw):\n" WORDS
	             "0x0001 000 \n0x0002 003 \n2 valid lids dumped \n");
	expect_table(HEAD WORDS "0x0000 255 : (path #0 - illegal port)\n" ROWS
	                        "0x0003 255 : (illegal port)\n0x0004 255 : (illegal port)\n"
	                        "5 lids dumped \n");
	expect_table("Unicast lids [0-4] of switch Lid 1 guid 0x0000000000000010 ('sw'):\n"
	             "0x0001 000 # Switch portguid 0x0000000000000010: 'sw'\n"
	             "0x0002 003 # Channel Adapter portguid 0x0000000000000021: 'host'\n"
	             "4 lids dumped\n");
	n = sprintf(text, FDB);
	/* up to the highest LID of the fabric */
	for (unsigned int lid = 3; lid <= 0x11; lid++)
		n += sprintf(text + n, "0x%04x : UNREACHABLE\n", lid);
	expect_table(text);
}

static void what_surrounds_tables_is_passed_over(void **state)
{
	(void)state;
	expect_table("ibwarn: [1] something\n# a comment\n" TABLE
	             "Multicast mlids [0xc000-0xc3ff] of switch Lid 1 guid 0x10 (sw):\n"
	             "     Ports: 0 1 2 3 4 \n MLid\n0xc001         x   x \n"
	             "1 valid mlids dumped \n\n*** WARNING ***: this command has been replaced\n");
}

static void the_table_of_a_switch_that_failed_is_unknown(void **state)
{
	(void)state;
	expect_table(
	    "Unicast lids [0x0-0x9] of switch Lid 17 guid 0x0000000000000011 (other):\n" WORDS
	    "0x0008 001 : (Switch portguid 0x0000000000000011: 'other')\n"
	    "ibwarn: [7] mad_rpc: _do_madrpc failed; dport (Lid 17)\n"
	    "ibroute: iberror: failed: dump tables: linear forwarding table get failed\n" TABLE);
}

static void switches_that_the_fabric_has_not_are_counted(void **state)
{
	struct ibc_fabric *fab = with(
	    TABLE "Unicast lids [0-4] of switch Lid 9 guid 0x99 ('gone'):\n0x0001 200\n"
		  "1 valid lids dumped\n"
		  "Unicast lids [0-4] of switch Lid 8 guid 0x98 ('gone'):\n"
		  "0 valid lids dumped\n");
	const struct ibc_forwarding *f = ibc_fabric_subnet(fab, 0)->forwarding;

	(void)state;
	assert_int_equal(f->foreign, 2);
	assert_int_equal(f->foreign_guid, 0x98);
	ibc_fabric_free(fab);
}

static void a_table_that_is_cut_is_never_a_smaller_table(void **state)
{
	(void)state;
	refused(HEAD WORDS ROWS, "tables:5: the table of sw (0x0000000000000010) is cut off: the "
	                         "line with the number of its LIDs is missing");
	refused(HEAD ROWS TABLE, "tables:4: the table of sw (0x0000000000000010) is cut off: the "
	                         "line with the number of its LIDs is missing");
	refused(HEAD ROWS "3 valid lids dumped\n",
	        "tables:4: the table of sw (0x0000000000000010) is cut off: it has 2 entries, and "
	        "had 3 when it was written");
	refused(FDB "dump_ucast_routes: Switch 0x0000000000000011\n0x0001 : UNREACHABLE\n",
	        "tables:6: the table of other (0x0000000000000011) is cut off: it ends at LID 1, "
	        "others go up to 2");
	/* the only one has none before it */
	refused(FDB, "tables:4: the table of sw (0x0000000000000010) is cut off: it ends at LID 2, "
	             "others go up to 17");
	refused(FDB "0x0003 : UNREACH", "tables:5: not understood: \"0x0003 : UNREACH\"");
	refused(FDB "0x0003 : 001  : 01",
	        "tables:5: the table of sw (0x0000000000000010) is cut off: the last line has no "
	        "end");
	refused("dump_ucast_routes: Switch 0x0000000000000010\n",
	        "tables:1: the table of sw (0x0000000000000010) is cut off: it has no entry");
	refused("dump_ucast_routes: Switch 0x0000000000000010\n0x0001 : 000\n0x0003 : 001\n",
	        "tables:3: LID 0x2 is missing before this line");
}

static void tables_of_another_day_are_told(void **state)
{
	(void)state;
	refused("Unicast lids [0-4] of switch Lid 9 guid 0x99 ('gone'):\n0 valid lids dumped\n",
	        "tables is of another fabric: none of its 1 switches is in this one (the first is "
	        "0x0000000000000099)");
	refused("Unicast lids [0-4] of switch Lid 3 guid 0x10 ('sw'):\n0 valid lids dumped\n",
	        "tables:1: sw (0x0000000000000010) had LID 3 when its table was written and has 1 "
	        "now: the tables were not written at the same time");
	refused(HEAD "0x0001 005\n1 valid lids dumped\n",
	        "tables:2: port 5, but sw (0x0000000000000010) has only 4");
}

static void what_no_program_writes_is_refused_with_its_line(void **state)
{
	(void)state;
	refused("", "tables contains no linear forwarding tables (LFTs): expected the output of "
	            "dump_fts or ibroute, OpenSM's opensm-lfts.dump or opensm.fdbs, or "
	            "ibdiagnet2.far");
	refused("0x0001 002\n", "tables:1: an entry outside of the table of a switch");
	refused(TABLE HEAD "0x0001 001\n1 valid lids dumped\n",
	        "tables:8: LID 0x1 has another port in a table of sw (0x0000000000000010) before: "
	        "neither is used");
	refused(HEAD "0x0005 001\n", "tables:2: LID 0x5 is beyond 0x4, the last this table has");
	refused(HEAD "0x0002 001\n0x0002 001\n",
	        "tables:3: LID 0x2 comes twice, or out of order: the table of sw "
	        "(0x0000000000000010) is not used");
	refused(HEAD "0x0002 1\n", "tables:2: not understood: \"0x0002 1\"");
	refused(HEAD "0x0002 256\n", "tables:2: not understood: \"0x0002 256\"");
	refused(HEAD "0x00G2 001\n", "tables:2: not understood: \"0x00G2 001\"");
	refused(HEAD "what\n", "tables:2: not understood: \"what\"");
	refused("Unicast lids [0x3-0x9] of switch Lid 1 guid 0x10 (sw):\n",
	        "tables:1: the table begins at LID 3: it is needed as a whole");
	refused("Unicast lids [0x0-0xc000] of switch Lid 1 guid 0x10 (sw):\n",
	        "tables:1: expected \"Unicast lids [0x0-TOP] of switch Lid N guid 0x...\", with "
	        "LIDs up to 0xbfff");
	refused("dump_ucast_routes: Switch sw\n",
	        "tables:1: expected \"dump_ucast_routes: Switch 0x...\"");
	refused(FDB "0xC000 : 001\n",
	        "tables:5: LID 0xc000 is beyond 0xbfff, the last there can be");
}

/* The block of the LID is not known, the others are; two captures of one table are one. */
static void a_lost_line_costs_a_block(void **state)
{
	char text[20000];
	size_t n = (size_t)sprintf(text, TABLE "Unicast lids [0x0-0xff] of switch Lid 17 guid 0x11 "
	                                       "(other):\n");
	const struct ibc_forwarding *f;
	struct ibc_fabric *fab;

	(void)state;
	for (unsigned int lid = 1; lid <= 0xff; lid++)
		n += (size_t)sprintf(text + n, lid == 70 ? "0x%04x 0?1\n" : "0x%04x 001\n", lid);
	sprintf(text + n, "255 valid lids dumped\n" TABLE);
	fab = with(text);
	f = ibc_fabric_subnet(fab, 0)->forwarding;
	assert_true(f->known[0] && f->known[1]);
	assert_true(ibc_node_has(f->switches[1], IBC_ATTR_LFT));
	assert_false(f->known[f->stride + 1]);
	assert_true(f->known[2 * f->stride + 1] && f->known[3 * f->stride + 1]);
	ibc_fabric_free(fab);
}

/* The entries of the other switch come behind those of the first. */
static void a_lost_heading_does_not_make_one_table_of_two(void **state)
{
	static const char more[] = "0x0001 : 002  : 00   : yes\n0x0002 : 001  : 01   : yes\n"
				   "0x0003 : 001  : 01   : yes\n";
	char text[1000];
	struct ibc_fabric *fab;

	(void)state;
	snprintf(text, sizeof(text), "%s%s", FDB, more);
	fab = with(text);
	assert_false(
	    ibc_node_has(ibc_fabric_subnet(fab, 0)->forwarding->switches[0], IBC_ATTR_LFT));
	ibc_fabric_free(fab);
}

static void a_table_is_of_one_switch_that_is_one(void **state)
{
	struct ibc_error err = { "" };
	struct mkfab m = two_switches();

	(void)state;
	mk_switch(m, 0x10, "twin", 4);
	assert_int_equal(put(m, TABLE, &err), -EINVAL);
	assert_string_equal(err.text, "tables:1: several switches of this fabric have the GUID "
	                              "0x0000000000000010: the owner of this table is ambiguous");
	fabric_build_free(m.b);
	m = mkfab();
	mk_ca(m, 0x10, "host", 1);
	assert_int_equal(put(m, TABLE, &err), -EINVAL);
	assert_string_equal(err.text,
	                    "tables:1: host (0x0000000000000010) is not a switch in this fabric");
	fabric_build_free(m.b);
}

static void of_several_subnets_none_is_chosen(void **state)
{
	struct ibc_error err = { "" };
	struct mkfab m = two_switches();

	(void)state;
	fabric_build_subnet(m.b, "second", "snapshot");
	assert_int_equal(put(m, TABLE, &err), -EINVAL);
	assert_string_equal(err.text,
	                    "tables: the tables are of one subnet, but this fabric has several");
	fabric_build_free(m.b);
}

static void they_take_the_place_of_those_there_are(void **state)
{
	struct mkfab m = two_switches();
	struct ibc_error err = { "" };
	struct fabric_forwarding *old = fabric_build_forwarding(m.b, m.subnet, 9);
	struct ibc_fabric *fab;

	(void)state;
	answers_put(((struct ibc_node *)old->tables.switches[1]), IBC_ATTR_LFT, ANSWER_REFUSED);
	assert_int_equal(put(m, TABLE, &err), 0);
	fab = done(m);
	assert_int_equal(ibc_fabric_subnet(fab, 0)->forwarding->num_lids, 5);
	assert_int_equal(ibc_fabric_coverage(fab, IBC_ATTR_LFT).answered, 1);
	assert_int_equal(ibc_fabric_coverage(fab, IBC_ATTR_LFT).timed_out, 1);
	ibc_fabric_free(fab);
}

static void running_out_of_memory_is_told(void **state)
{
	int rc = -ENOMEM;

	(void)state;
	for (unsigned long n = 1; rc == -ENOMEM; n++) {
		struct mkfab m = two_switches();

		alloc_fail_at(n);
		rc = put(m, TABLE, NULL);
		alloc_fail_at(0);
		fabric_build_free(m.b);
	}
	assert_int_equal(rc, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_program_that_dumps_tables_is_read),
		cmocka_unit_test(what_surrounds_tables_is_passed_over),
		cmocka_unit_test(the_table_of_a_switch_that_failed_is_unknown),
		cmocka_unit_test(switches_that_the_fabric_has_not_are_counted),
		cmocka_unit_test(a_table_that_is_cut_is_never_a_smaller_table),
		cmocka_unit_test(tables_of_another_day_are_told),
		cmocka_unit_test(what_no_program_writes_is_refused_with_its_line),
		cmocka_unit_test(a_lost_line_costs_a_block),
		cmocka_unit_test(a_lost_heading_does_not_make_one_table_of_two),
		cmocka_unit_test(a_table_is_of_one_switch_that_is_one),
		cmocka_unit_test(of_several_subnets_none_is_chosen),
		cmocka_unit_test(they_take_the_place_of_those_there_are),
		cmocka_unit_test(running_out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
