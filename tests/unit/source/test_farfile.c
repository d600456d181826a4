/* SPDX-License-Identifier: BSD-2-Clause */
/* ibdiagnet2.far: what is read of adaptive tables, what is refused, and what snapshots keep. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkfab.h"
#include "mkfile.h"

#define VERSION "File version: 1\n"
#define HEAD    "Switch 0x0000000000000010 some switch\n"
#define GROUPS                                                                                     \
	"Groups Definition:\nGroup  Sub Group  WHBF  Ports\n-----\n"                               \
	"0      0          0     1,2,3,\n1      0          0     \n3      0          0     2,\n"   \
	"3      1          0     4\n"
#define LFT                                                                                        \
	"LFT Definition:\nPLFT_NUM: 0, top: 0x46\nLID     Static Port  Lid State  Group\n-----\n"
#define ROWS                                                                                       \
	"0x0001  0            Static     0\n0x0002  3            Free       3\n"                   \
	"0x0005  1            HBF        1\n0x0046  2            Bounded    0\n"
#define FAR VERSION "\n" HEAD GROUPS LFT ROWS

/* Two switches, of which the second has 70 ports. */
static struct mkfab two_switches(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, 0x10, "sw", 4);
	mk_switch(m, 0x11, "other", 70);
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

static const struct ibc_forwarding *tables_of(const struct ibc_fabric *fab)
{
	return ibc_fabric_subnet(fab, 0)->forwarding;
}

static void expect_entry(const struct ibc_forwarding *f, size_t column, unsigned int lid,
                         unsigned int port, enum ibc_ar_entry state, unsigned int group)
{
	assert_int_equal(f->out[lid * f->stride + column], port);
	assert_int_equal(f->ar->blocks[lid / 64 * f->stride + column][lid % 64],
	                 state << IBC_AR_ENTRY_SHIFT | group);
}

static void expect_far(const struct ibc_fabric *fab)
{
	const struct ibc_forwarding *f = tables_of(fab);
	const struct ibc_ar_switch *sw = &f->ar->switches[0];

	assert_int_equal(f->num_lids, 0x47);
	assert_true(ibc_node_has(f->switches[0], IBC_ATTR_LFT));
	expect_entry(f, 0, 1, 0, IBC_AR_ENTRY_STATIC, 0);
	expect_entry(f, 0, 2, 3, IBC_AR_ENTRY_FREE, 3);
	expect_entry(f, 0, 3, IBC_NO_ENTRY, IBC_AR_ENTRY_STATIC, 0);
	expect_entry(f, 0, 5, 1, IBC_AR_ENTRY_HASH, 1);
	expect_entry(f, 0, 0x46, 2, IBC_AR_ENTRY_BOUNDED, 0);
	assert_int_equal(sw->groups[0]->words[0], 0xe);
	assert_int_equal(sw->groups[1]->words[0], 0);
	assert_null(sw->groups[2]);
	assert_int_equal(sw->groups[3]->words[0], 1 << 2 | 1 << 4);
	assert_false(sw->private_tables);
	assert_null(f->ar->blocks[1]);
	assert_int_equal(f->ar->switches[1].num_groups, 0);
	assert_false(ibc_node_has(f->switches[1], IBC_ATTR_LFT));
}

static void groups_and_both_tables_are_read(void **state)
{
	struct ibc_fabric *fab = with(FAR);

	(void)state;
	expect_far(fab);
	ibc_fabric_free(fab);
}

static void columns_that_some_versions_lack_are_not_needed(void **state)
{
	struct ibc_fabric *fab = with(
	    VERSION HEAD
	    "Groups Definition:\nGroup  Sub Group  Ports\n-----\n0 0 1, 2, 3,\n3 0 2 4\n1 "
	    "0\n" LFT
	    "0x0001  0  static\n0x0002  3  FREE  3\n0x0005  1  hbf  1\n0x0046 2 Bounded 0\n");

	(void)state;
	expect_far(fab);
	ibc_fabric_free(fab);
}

static void equal_blocks_and_sets_are_kept_once(void **state)
{
	struct ibc_fabric *fab = with(FAR "Switch 0x0000000000000011\n" GROUPS LFT ROWS);
	const struct ibc_forwarding *f = tables_of(fab);

	(void)state;
	assert_ptr_equal(f->ar->blocks[0], f->ar->blocks[1]);
	assert_ptr_equal(f->ar->blocks[f->stride], f->ar->blocks[f->stride + 1]);
	assert_ptr_not_equal(f->ar->blocks[0], f->ar->blocks[f->stride]);
	assert_ptr_equal(f->ar->switches[0].groups[3], f->ar->switches[1].groups[3]);
	ibc_fabric_free(fab);
}

/* More equal values than the first slots hold. */
static void many_different_blocks_are_told_apart(void **state)
{
	struct mkfab m = two_switches();
	struct fabric_forwarding *f = fabric_build_forwarding(m.b, m.subnet, 0xc000);
	uint16_t entries[64] = { 0 };
	struct ibc_fabric *fab;

	(void)state;
	for (unsigned int i = 0; i < 700; i++) {
		entries[63] = (uint16_t)i;
		assert_true(fabric_ar_block(m.b, f, 0, i, entries));
		assert_true(fabric_ar_block(m.b, f, 1, i, entries));
	}
	fab = done(m);
	for (unsigned int i = 0; i < 700; i++) {
		const uint16_t *const *block = &tables_of(fab)->ar->blocks[i * f->tables.stride];

		assert_int_equal(block[0][63], i);
		assert_ptr_equal(block[0], block[1]);
	}
	ibc_fabric_free(fab);
}

static void of_private_tables_the_first_is_read(void **state)
{
	struct ibc_fabric *fab = with(FAR
	                              "PLFT_NUM: 1, top: 0x1\nLID Static Port\n-----\nanything\n"
	                              "Switch 0x0000000000000011\n" GROUPS LFT ROWS);

	(void)state;
	assert_true(tables_of(fab)->ar->switches[0].private_tables);
	assert_false(tables_of(fab)->ar->switches[1].private_tables);
	expect_entry(tables_of(fab), 0, 2, 3, IBC_AR_ENTRY_FREE, 3);
	ibc_fabric_free(fab);
}

static void a_file_that_is_cut_is_never_a_smaller_table(void **state)
{
	(void)state;
	refused(VERSION, "tables contains no linear forwarding tables (LFTs): expected "
	                 "ibdiagnet2.far with tables of switches");
	refused(VERSION HEAD GROUPS,
	        "tables:9: the table of sw (0x0000000000000010) is cut off: it has no entry");
	refused(VERSION HEAD GROUPS LFT,
	        "tables:13: the table of sw (0x0000000000000010) is cut off: it has no entry");
	refused(VERSION HEAD GROUPS LFT "0x0001 1 Static 0",
	        "tables:14: the table of sw (0x0000000000000010) is cut off: the last line has no "
	        "end");
	refused(FAR "Switch 0x0000000000000011\n" GROUPS LFT "0x0001 1 Static 0\n",
	        "tables:31: the table of other (0x0000000000000011) is cut off: it ends at LID 1, "
	        "and its top is 70");
}

static void what_cannot_be_is_refused_with_its_line(void **state)
{
	(void)state;
	refused(VERSION "Switch leaf01\n", "tables:2: expected \"Switch 0x...\"");
	refused(VERSION "hello\n", "tables:2: not understood: \"hello\"");
	refused(VERSION HEAD "LFT Definition:\n0x1 1 Static\n",
	        "tables:4: not understood: \"0x1 1 Static\"");
	refused(VERSION HEAD "PLFT_NUM: 0, top: 0x46\n",
	        "tables:3: not understood: \"PLFT_NUM: 0, top: 0x46\"");
	refused(VERSION HEAD "LFT Definition:\nPLFT_NUM: 0\n",
	        "tables:4: not understood: \"PLFT_NUM: 0\"");
	refused(VERSION HEAD "LFT Definition:\nPLFT_NUM: 0, top: all\n",
	        "tables:4: not understood: \"PLFT_NUM: 0, top: all\"");
	refused(VERSION HEAD "Groups Definition:\nGroup Sub Group WHBF Ports\n4096 0 0 1,\n",
	        "tables:5: group 4096, but a switch has 4096 at the most");
	refused(VERSION HEAD "Groups Definition:\nGroup Sub Group WHBF Ports\n1 0 0 1,5,\n",
	        "tables:5: a group has port 5, but sw (0x0000000000000010) has ports 1 to 4");
	refused(VERSION HEAD "Groups Definition:\nGroup Sub Group WHBF Ports\n1 0 0 0,\n",
	        "tables:5: a group has port 0, but sw (0x0000000000000010) has ports 1 to 4");
	refused(VERSION HEAD "Groups Definition:\nGroup Sub Group WHBF Ports\n1 0 0 1;2\n",
	        "tables:5: not understood: \"1;2\"");
	refused(VERSION HEAD "Groups Definition:\nGroup Sub Group WHBF Ports\n1 x\n",
	        "tables:5: not understood: \"1 x\"");
	refused(VERSION HEAD LFT "0x0001 1 Moving 0\n",
	        "tables:7: not understood: \"0x0001 1 Moving 0\"");
	refused(VERSION HEAD LFT "0x0001 1 Free\n", "tables:7: not understood: \"0x0001 1 Free\"");
	refused(VERSION HEAD LFT "0x0001 1 Free 9999\n",
	        "tables:7: not understood: \"0x0001 1 Free 9999\"");
	refused(VERSION HEAD LFT "0x0001 1 Free 1 2\n",
	        "tables:7: not understood: \"0x0001 1 Free 1 2\"");
	refused(VERSION HEAD LFT "0x0001 5 Free 1\n",
	        "tables:7: port 5, but sw (0x0000000000000010) has only 4");
	refused(VERSION HEAD LFT "0x0047 1 Free 1\n",
	        "tables:7: LID 0x47 is beyond 0x46, the last this table has");
	refused(VERSION HEAD LFT "0x0002 1 Static\n0x0002 1 Static\n",
	        "tables:8: LID 0x2 comes twice, or out of order: the table of sw "
	        "(0x0000000000000010) is not used");
	refused(VERSION HEAD GROUPS LFT "0x0002 1 Free 1\n0x0003 1 Free 2\n",
	        "tables:15: LID 0x3 has group 2, which is not defined");
	refused(FAR "Switch 0x0000000000000011\n" LFT "0x0002 1 Static 3\n0x0003 1 HBF 3\n",
	        "tables:25: LID 0x3 has group 3, which is not defined");
	refused(FAR HEAD,
	        "tables:19: the table of sw (0x0000000000000010) is cut off: it has no entry");
}

static void headings_and_versions_that_are_not_known_are_refused(void **state)
{
	static const char *const headings[] = { "Group  Sub Group  HBF  Ports",
		                                "Group  Sub Group  WHBF  Weight  Ports", "Group",
		                                "Groups" };
	char text[256], why[128];

	(void)state;
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
		snprintf(text, sizeof(text), VERSION HEAD "Groups Definition:\n%s\n0 0 0 1,\n",
		         headings[i]);
		snprintf(why, sizeof(why), "tables:4: not understood: \"%s\"", headings[i]);
		refused(text, why);
	}
	refused("File version: 999\n" HEAD,
	        "tables:1: \"File version: 999\", but only version 1 is understood");
	refused("File version:\n" HEAD,
	        "tables:1: \"File version:\", but only version 1 is understood");
}

static bool is_known(const struct ibc_fabric *fab, size_t column, size_t block)
{
	const struct ibc_forwarding *f = tables_of(fab);

	return f->known[block * f->stride + column];
}

/* Without a table that went up to its top, the last of a file may have lost lines. */
static void what_the_last_table_lacks_is_not_known(void **state)
{
#define BEYOND "LFT Definition:\nPLFT_NUM: 0, top: 0xbfff\n"
	struct ibc_fabric *fab = with(VERSION HEAD BEYOND "0x1 1 Static\n0x90 1 Static\n"
	                                                  "Switch 0x0000000000000011\n" BEYOND
	                                                  "0x1 1 Static\n0x44 1 Static\n");

	(void)state;
	assert_true(is_known(fab, 0, 0) && is_known(fab, 0, 2));
	assert_true(is_known(fab, 1, 0));
	assert_false(is_known(fab, 1, 1) || is_known(fab, 1, 2));
	expect_entry(tables_of(fab), 1, 0x44, 1, IBC_AR_ENTRY_STATIC, 0);
	ibc_fabric_free(fab);
	/* one before it that ends early is followed by another; as far as others is whole */
	fab = with(VERSION HEAD BEYOND "0x1 1 Static\nSwitch 0x0000000000000011\n" BEYOND
	                               "0x1 1 Static\n0x44 1 Static\n");
	assert_true(is_known(fab, 0, 1) && is_known(fab, 1, 1));
	ibc_fabric_free(fab);
}

static void switches_of_other_fabrics_are_passed_over(void **state)
{
	struct ibc_fabric *fab = with(FAR "Switch 0x0000000000000099\n"
	                                  "Groups Definition:\nGroup Sub Group WHBF Ports\n"
	                                  "0 0 0 1,\n1 0 0 77,\n3 0 0 1,\n" LFT ROWS);

	(void)state;
	expect_far(fab);
	assert_int_equal(tables_of(fab)->foreign, 1);
	ibc_fabric_free(fab);
}

static void snapshots_keep_them(void **state)
{
	struct ibc_fabric *fab = with(
	    FAR "PLFT_NUM: 1, top: 0x1\nSwitch 0x0000000000000099\n" GROUPS LFT ROWS);
	struct ibc_fabric *again;
	size_t n;
	char *bytes = bytes_of(fab, "snapshot", &n);

	(void)state;
	again = fabric_of(read_snapshot, bytes, n);
	assert_true(tables_of(again)->ar->switches[0].private_tables);
	((struct ibc_ar_switch *)tables_of(again)->ar->switches)[0].private_tables = false;
	expect_far(again);
	free(bytes);
	ibc_fabric_free(again);
	ibc_fabric_free(fab);
}

static void running_out_of_memory_is_told(void **state)
{
	int rc = -ENOMEM;

	(void)state;
	for (unsigned long n = 1; rc == -ENOMEM; n++) {
		struct mkfab m = two_switches();

		alloc_fail_at(n);
		rc = put(m, FAR "PLFT_NUM: 1, top: 0x1\n", NULL);
		alloc_fail_at(0);
		fabric_build_free(m.b);
	}
	assert_int_equal(rc, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_and_both_tables_are_read),
		cmocka_unit_test(columns_that_some_versions_lack_are_not_needed),
		cmocka_unit_test(equal_blocks_and_sets_are_kept_once),
		cmocka_unit_test(many_different_blocks_are_told_apart),
		cmocka_unit_test(of_private_tables_the_first_is_read),
		cmocka_unit_test(a_file_that_is_cut_is_never_a_smaller_table),
		cmocka_unit_test(what_cannot_be_is_refused_with_its_line),
		cmocka_unit_test(headings_and_versions_that_are_not_known_are_refused),
		cmocka_unit_test(what_the_last_table_lacks_is_not_known),
		cmocka_unit_test(switches_of_other_fabrics_are_passed_over),
		cmocka_unit_test(snapshots_keep_them),
		cmocka_unit_test(running_out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
