/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkfile.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define SWITCH "Switch\t4 \"S-0000000000000010\"\t\t# \"sw\" base port 0 lid 1 lmc 0\n"
#define CA     "Ca\t2 \"H-0000000000000020\"\t\t# \"host mlx5_0\"\n"
#define CABLE  "[1]\t\"H-0000000000000020\"[1](21) \t\t# \"host mlx5_0\" lid 2 4xEDR\n"
#define BACK   "[1](21) \t\"S-0000000000000010\"[1]\t\t# lid 2 lmc 0 \"sw\" lid 1 4xEDR\n"

static struct ibc_fabric *load(const char *text)
{
	return fabric_of(read_netdiscover, text, strlen(text));
}

static void refused(const char *text, const char *why)
{
	expect_refusal(read_netdiscover, text, strlen(text), why);
}

static const struct ibc_node *node_of(const struct ibc_fabric *fab, uint64_t guid)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(fab, guid);

	assert_non_null(node);
	return node;
}

static const struct ibc_node *node_named(const struct ibc_fabric *fab, const char *name)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (!strcmp(node->desc, name))
			return node;
	fail_msg("no node is called %s", name);
	return NULL;
}

static const struct ibc_port *port_of(const struct ibc_fabric *fab, uint64_t guid, unsigned int num)
{
	const struct ibc_port *port = ibc_node_port(node_of(fab, guid), num);

	assert_non_null(port);
	return port;
}

static void expect_cable(const struct ibc_node *a, unsigned int a_port, const struct ibc_node *z,
                         unsigned int z_port)
{
	assert_non_null(ibc_node_port(a, a_port)->peer);
	assert_ptr_equal(ibc_node_port(a, a_port)->peer->node, z);
	assert_int_equal(ibc_node_port(a, a_port)->peer->num, z_port);
}

static void expect_rate(const struct ibc_port *port, enum ibc_width width, enum ibc_speed speed)
{
	assert_true(ibc_port_has(port, IBC_ATTR_LINK));
	assert_int_equal(port->width_active, width);
	assert_int_equal(port->speed_active, speed);
}

static void expect_counts(const struct ibc_fabric *fab, size_t switches, size_t cas, size_t cables)
{
	struct ibc_fabric_counts n = ibc_fabric_count(fab);

	assert_int_equal(n.switches, switches);
	assert_int_equal(n.cas, cas);
	assert_int_equal(n.cables, cables);
}

/* ---- what ibnetdiscover prints ---- */

static void every_field_of_a_block_is_read(void **state)
{
	struct ibc_fabric *fab = load(
	    "#\n"
	    "# Topology file: generated on Thu Jan  1 00:00:00 1970\n"
	    "#\n"
	    "# Initiated from node 0000000000000020 port 0000000000000022\n"
	    "\n"
	    "vendid=0x2c9\n"
	    "devid=0xcf08\n"
	    "sysimgguid=0x13\n"
	    "switchguid=0x10(11)\n"
	    "Switch\t36 \"S-0000000000000010\"\t\t# \"leaf \"01\"\" "
	    "enhanced port 0 lid 7 lmc 2\n"
	    "[36]\t\"H-0000000000000020\"[2](22) \t\t# \"h\" lid 49151 "
	    "2xHDR\n"
	    "\n"
	    "vendid=0x1077\n"
	    "devid=0x7\n"
	    "sysimgguid=0x23\n"
	    "caguid=0x20\n"
	    "Ca\t2 \"H-0000000000000020\"\t\t# \"host01 mlx5_0\"\n"
	    "[2](22) \t\"S-0000000000000010\"[36]\t\t# lid 49151 lmc 3 "
	    "\"leaf \"01\"\" lid 7 2xHDR\n");
	const struct ibc_node *sw = node_of(fab, 0x10), *ca = node_of(fab, 0x20);
	const struct ibc_plane *plane = ibc_fabric_plane(fab, 0);

	(void)state;
	expect_counts(fab, 1, 1, 1);
	assert_string_equal(sw->desc, "leaf \"01\"");
	assert_int_equal(sw->type, IBC_NODE_SWITCH);
	assert_int_equal(sw->num_ports, 36);
	assert_int_equal(sw->vendor_id, 0x2c9);
	assert_int_equal(sw->device_id, 0xcf08);
	assert_int_equal(sw->system_guid, 0x13);
	assert_true(sw->enhanced_port0);
	assert_int_equal(sw->ports[0].guid, 0x11);
	assert_int_equal(sw->ports[0].lid, 7);
	assert_int_equal(sw->ports[0].lmc, 2);
	assert_int_equal(sw->answers.answered, IBC_ATTR_NODE_INFO | IBC_ATTR_NODE_DESC);
	assert_string_equal(ca->desc, "host01 mlx5_0");
	assert_int_equal(ca->type, IBC_NODE_CA);
	assert_int_equal(ca->vendor_id, 0x1077);
	assert_int_equal(ca->device_id, 7);
	assert_int_equal(ca->system_guid, 0x23);
	assert_int_equal(ca->ports[2].guid, 0x22);
	assert_int_equal(ca->ports[2].lid, 49151);
	assert_int_equal(ca->ports[2].lmc, 3);
	assert_string_equal(ca->host_name, "host01");
	expect_cable(sw, 36, ca, 2);
	expect_rate(&sw->ports[36], IBC_WIDTH_2X, IBC_SPEED_HDR);
	expect_rate(&ca->ports[2], IBC_WIDTH_2X, IBC_SPEED_HDR);
	assert_int_equal(sw->ports[36].answers.asked, IBC_ATTR_NODE_INFO | IBC_ATTR_LINK);
	assert_int_equal(sw->ports[35].answers.asked, 0);
	assert_string_equal(plane->kind, "netdiscover");
	assert_string_equal(plane->source, "test");
	assert_string_equal(plane->file, "test");
	assert_int_equal(plane->provides, IBC_ATTR_NODE_INFO | IBC_ATTR_NODE_DESC | IBC_ATTR_LINK);
	assert_ptr_equal(plane->origin, &ca->ports[2]);
	ibc_fabric_free(fab);
}

static void chassis_headers_and_panel_ports_are_passed_over(void **state)
{
	struct ibc_fabric *fab = load(
	    "\nChassis 1 (guid 0x8f10400400e2d)\nHostname: box\n\n# Spine Nodes\n"
	    "vendid=0x8f1\ndevid=0x5a33\nsysimgguid=0x8f10400400e2d\t\t# Chassis 1\n"
	    "switchguid=0x10(10)\t# ISR9288 spine 1 Chip 2\n"
	    "Switch\t24 \"S-0000000000000010\"\t\t# \"spine\" base port 0 lid 5 lmc 0\n"
	    "[23][ext 3]\t\"S-0000000000000011\"[9][ext 12]\t\t# \"line\" lid 6 12xDDR\n"
	    "\n# Line Nodes\nswitchguid=0x11(11)\t# \n"
	    "Switch\t24 \"S-0000000000000011\"\t\t# \"line\" base port 0 lid 6 lmc 0\n"
	    "[9][ext 12]\t\"S-0000000000000010\"[23][ext 3]\t\t# \"spine\" lid 5 12xDDR\n"
	    "[1]\t\"H-0000000000000020\"[1](21) \t\t# \"tca\" lid 9 4xSDR slot 3\n"
	    "\nNon-Chassis Nodes\n\nvendid=0x2c9\ndevid=0x5a44\ncaguid=0x20\n"
	    "Ca\t2 \"H-0000000000000020\"\t\t# \"tca\" (scp)\n"
	    "[1](21) \t\"S-0000000000000011\"[1][ext 7]\t\t# lid 9 lmc 0 \"line\" lid 6 "
	    "4xSDR s=1 w=2 v=4\n"
	    "[2](22) \t\"H-0000000000000030\"[1] (31) \t\t# lid 8 lmc 0 \"peer\" lid 4 "
	    "4xSDR\n");

	(void)state;
	expect_counts(fab, 2, 2, 3);
	expect_cable(node_of(fab, 0x10), 23, node_of(fab, 0x11), 9);
	expect_cable(node_of(fab, 0x20), 1, node_of(fab, 0x11), 1);
	expect_cable(node_of(fab, 0x20), 2, node_of(fab, 0x30), 1);
	assert_string_equal(node_of(fab, 0x20)->desc, "tca");
	ibc_fabric_free(fab);
}

static void routers_have_blocks_of_their_own(void **state)
{
	struct ibc_fabric *fab = load("rtguid=0x30\nRt\t2 \"R-0000000000000030\"\t\t# \"gate\"\n"
	                              "[1](31) \t\"S-0000000000000010\"[1]\t\t# lid 3 lmc 0 \"sw\" "
	                              "lid 1 4xFDR\n" SWITCH);

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).routers, 1);
	expect_cable(node_of(fab, 0x10), 1, node_of(fab, 0x30), 1);
	assert_int_equal(port_of(fab, 0x30, 1)->lid, 3);
	ibc_fabric_free(fab);
}

static void all_widths_and_speeds_are_known(void **state)
{
	static const struct {
		const char *word;
		enum ibc_width width;
		enum ibc_speed speed;
	} rates[] = {
		{ "1xSDR", IBC_WIDTH_1X, IBC_SPEED_SDR },
		{ "2xDDR", IBC_WIDTH_2X, IBC_SPEED_DDR },
		{ "4xQDR", IBC_WIDTH_4X, IBC_SPEED_QDR },
		{ "8xFDR10", IBC_WIDTH_8X, IBC_SPEED_FDR10 },
		{ "12xFDR", IBC_WIDTH_12X, IBC_SPEED_FDR },
		{ "4xEDR", IBC_WIDTH_4X, IBC_SPEED_EDR },
		{ "4xHDR", IBC_WIDTH_4X, IBC_SPEED_HDR },
		{ "4xNDR", IBC_WIDTH_4X, IBC_SPEED_NDR },
		{ "4xXDR", IBC_WIDTH_4X, IBC_SPEED_XDR },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rates); i++) {
		struct ibc_fabric *fab;
		char text[300];

		snprintf(text, sizeof(text),
		         SWITCH "[1]\t\"H-0000000000000020\"[1](21) # \"h\" lid 2 %s\n",
		         rates[i].word);
		fab = load(text);
		expect_rate(port_of(fab, 0x10, 1), rates[i].width, rates[i].speed);
		ibc_fabric_free(fab);
	}
}

static void a_rate_ibnetdiscover_did_not_know_is_a_question_without_an_answer(void **state)
{
	static const char *const words[] = { "?????", "4x???", "??EDR" };

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		struct ibc_fabric *fab;
		char text[300];

		snprintf(text, sizeof(text),
		         SWITCH "[1] \"H-0000000000000020\"[1] # \"h\" lid 2 %s\n", words[i]);
		fab = load(text);
		assert_true(ibc_port_owes(port_of(fab, 0x10, 1), IBC_ATTR_LINK));
		assert_int_equal(ibc_fabric_plane(fab, 0)->provides & IBC_ATTR_LINK, 0);
		ibc_fabric_free(fab);
	}
}

static void a_node_only_named_as_peer_is_what_its_neighbour_says(void **state)
{
	struct ibc_fabric *fab = load(SWITCH CABLE
	                              "[2] \"S-0000000000000011\"[5] # \"other\" lid 9 4xHDR\n"
	                              "[3] \"R-0000000000000012\"[1](13) # \"gate\" lid 8 4xHDR\n"
	                              "[4] \"H-0000000000000020\"[2](22) # \"h\" lid 3 1xSDR\n");
	const struct ibc_node *ca = node_of(fab, 0x20), *other = node_of(fab, 0x11);

	(void)state;
	expect_counts(fab, 2, 1, 4);
	assert_string_equal(ca->desc, "host mlx5_0");
	assert_int_equal(ca->num_ports, 2);
	assert_int_equal(ca->ports[1].guid, 0x21);
	assert_int_equal(ca->ports[2].lid, 3);
	expect_rate(&ca->ports[2], IBC_WIDTH_1X, IBC_SPEED_SDR);
	assert_int_equal(other->type, IBC_NODE_SWITCH);
	assert_int_equal(other->num_ports, 5);
	assert_int_equal(other->ports[0].lid, 9);
	assert_int_equal(other->ports[5].lid, 0);
	assert_int_equal(node_of(fab, 0x12)->type, IBC_NODE_ROUTER);
	ibc_fabric_free(fab);
}

static void both_ends_may_tell_different_widths(void **state)
{
	struct ibc_fabric *fab = load(
	    SWITCH "[1] \"S-0000000000000011\"[1] # \"b\" lid 2 4xSDR\n"
		   "Switch 4 \"S-0000000000000011\" # \"b\" base port 0 lid 2 lmc 0\n"
		   "[1] \"S-0000000000000010\"[1] # \"sw\" lid 1 1xSDR\n");

	(void)state;
	expect_rate(port_of(fab, 0x10, 1), IBC_WIDTH_4X, IBC_SPEED_SDR);
	expect_rate(port_of(fab, 0x11, 1), IBC_WIDTH_1X, IBC_SPEED_SDR);
	ibc_fabric_free(fab);
}

static void messages_that_got_into_the_file_are_passed_over(void **state)
{
	struct ibc_fabric *fab = load(
	    "$ ibnetdiscover 2>&1\n"
	    "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,1,31 Attr 0x11:0) bad "
	    "status 110; Connection timed out\n" SWITCH "ibwarn: [4711] something is slow\n" CABLE);

	(void)state;
	expect_counts(fab, 1, 1, 1);
	ibc_fabric_free(fab);
}

static void the_guid_line_wins_over_the_id(void **state)
{
	struct ibc_fabric *fab = load(SWITCH CABLE "caguid=0x1f\n" CA BACK);

	(void)state;
	expect_cable(node_of(fab, 0x10), 1, node_of(fab, 0x1f), 1);
	assert_null(ibc_fabric_node_by_guid(fab, 0x20));
	ibc_fabric_free(fab);
}

static void two_nodes_may_carry_one_guid(void **state)
{
	struct ibc_fabric *fab = load("caguid=0x20\nCa 1 \"a\"\n[1] \"b\"[1]\n"
	                              "caguid=0x20\nCa 1 \"b\"\n[1] \"a\"[1]\n");

	(void)state;
	expect_counts(fab, 0, 2, 1);
	assert_true(ibc_fabric_node(fab, 0)->duplicate);
	ibc_fabric_free(fab);
}

static void descriptions_come_out_fit_for_a_terminal(void **state)
{
	struct ibc_fabric *fab = load("Ca 1 \"H-0000000000000020\" # \"a\x1b[2J\xff\tb \"q\" \"\n");

	(void)state;
	assert_string_equal(node_of(fab, 0x20)->desc, "a\xef\xbf\xbd[2J\xef\xbf\xbd\xef\xbf\xbd"
	                                              "b \"q\"");
	ibc_fabric_free(fab);
}

static void a_nameless_node_has_an_empty_description(void **state)
{
	struct ibc_fabric *fab = load("Ca 1 \"H-0000000000000020\" # \"\"\n"
	                              "Ca 1 \"H-0000000000000021\"\n");

	(void)state;
	assert_string_equal(node_of(fab, 0x20)->desc, "");
	assert_true(ibc_node_has(node_of(fab, 0x20), IBC_ATTR_NODE_DESC));
	assert_string_equal(node_of(fab, 0x21)->desc, "");
	assert_int_equal(node_of(fab, 0x21)->answers.asked, IBC_ATTR_NODE_INFO);
	ibc_fabric_free(fab);
}

static void a_switch_may_have_255_ports(void **state)
{
	char text[20000] = "Switch 255 \"S-0000000000000010\" # \"big\" base port 0 lid 1 lmc 0\n";
	size_t n = strlen(text);
	struct ibc_fabric *fab;

	(void)state;
	for (unsigned int i = 1; i <= 255; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
		                      "[%u] \"H-%016x\"[1] # \"h\" lid %u 4xEDR\n", i, 0x1000 + i,
		                      i + 1);
	fab = load(text);
	expect_counts(fab, 1, 255, 255);
	expect_cable(node_of(fab, 0x10), 255, node_of(fab, 0x10ff), 1);
	ibc_fabric_free(fab);
}

/* ---- what people write for ibsim ---- */

static void names_stand_for_nodes_and_get_the_guids_ibsim_gives(void **state)
{
	struct ibc_fabric *fab = load("Switch\t8 \"sw1\"\n[1]\t\"Hca1\"[1]\n[2] \"Hca2\" [2]\n"
	                              "Switch 8 \"sw2\" # the other one base port 0\n"
	                              "Hca\t2 \"Hca1\"\n[1]\t\"sw1\"\n"
	                              "Ca 3 \"Hca2\" # some host\n[2] \"sw1\"[2]\n"
	                              "caguid=0x500\nsysimgguid=0x77\nCa 1 \"Hca3\"\n"
	                              "Ca 1 \"Hca4\"\n"
	                              "caguid+0x20\nCa 1 \"Hca5\"\n"
	                              "Rt 1 \"rt\"\n");

	(void)state;
	expect_counts(fab, 2, 5, 2);
	assert_int_equal(node_named(fab, "sw1")->guid, 0x200000);
	assert_int_equal(node_named(fab, "the other one")->guid, 0x200001);
	assert_int_equal(node_named(fab, "Hca1")->guid, 0x100000);
	assert_int_equal(node_named(fab, "some host")->guid, 0x100003);
	assert_int_equal(node_named(fab, "Hca3")->guid, 0x500);
	assert_int_equal(node_named(fab, "Hca4")->guid, 0x502);
	assert_int_equal(node_named(fab, "Hca5")->guid, 0x520);
	assert_int_equal(node_named(fab, "rt")->guid, 0);
	assert_int_equal(node_named(fab, "Hca3")->system_guid, 0x77);
	assert_int_equal(node_named(fab, "Hca4")->system_guid, 0);
	assert_int_equal(node_named(fab, "Hca1")->ports[1].guid, 0x100001);
	assert_int_equal(node_named(fab, "sw1")->ports[0].guid, 0x200000);
	expect_cable(node_named(fab, "sw1"), 1, node_named(fab, "Hca1"), 1);
	expect_cable(node_named(fab, "sw1"), 2, node_named(fab, "some host"), 2);
	assert_int_equal(ibc_fabric_plane(fab, 0)->provides,
	                 IBC_ATTR_NODE_INFO | IBC_ATTR_NODE_DESC);
	ibc_fabric_free(fab);
}

static void one_side_of_a_cable_is_enough(void **state)
{
	struct ibc_fabric *fab = load("Switch 4 \"sw\"\n[3] \"h1\"[2]\n[4] \"h2\"\nCa 2 \"h2\"\n");

	(void)state;
	expect_counts(fab, 1, 2, 2);
	expect_cable(node_named(fab, "sw"), 3, node_named(fab, "h1"), 2);
	assert_int_equal(node_named(fab, "h1")->type, IBC_NODE_CA);
	assert_int_equal(node_named(fab, "h1")->num_ports, 2);
	assert_int_equal(node_named(fab, "h1")->guid, 0x100003);
	expect_cable(node_named(fab, "h2"), 1, node_named(fab, "sw"), 4);
	ibc_fabric_free(fab);
}

static void options_of_a_port_train_the_cable_as_in_ibsim(void **state)
{
	struct ibc_fabric *fab = load("Switch 8 \"a\"\n"
	                              "[1] \"b\"[1] w=11 s=7 # rack 3\n"
	                              "[2] \"b\"[2]\n"
	                              "[3] \"b\"[3] s=7 e=3 v=4\n"
	                              "[4] \"b\"[4] s=0\n"
	                              "[5] \"c\"[1] w=16 e=8\n"
	                              "Switch 8 \"b\"\n"
	                              "[1] \"a\"[1] w=3 s=3\n"
	                              "[2] \"a\"[2]\n"
	                              "[3] \"a\"[3] s=7 e=1\n"
	                              "[4] \"a\"[4] s=4\n");
	const struct ibc_node *a = node_named(fab, "a"), *b = node_named(fab, "b");

	(void)state;
	expect_rate(&a->ports[1], IBC_WIDTH_4X, IBC_SPEED_DDR);
	expect_rate(&b->ports[1], IBC_WIDTH_4X, IBC_SPEED_DDR);
	assert_false(ibc_port_has(&a->ports[2], IBC_ATTR_LINK));
	expect_rate(&a->ports[3], IBC_WIDTH_4X, IBC_SPEED_FDR);
	expect_rate(&b->ports[4], IBC_WIDTH_4X, IBC_SPEED_QDR);
	expect_rate(&a->ports[5], IBC_WIDTH_2X, IBC_SPEED_NDR);
	expect_rate(&node_named(fab, "c")->ports[1], IBC_WIDTH_2X, IBC_SPEED_NDR);
	ibc_fabric_free(fab);
}

static void defaults_hold_for_the_blocks_below_them(void **state)
{
	struct ibc_fabric *fab = load("Switch 4 \"a\"\n[1] \"b\"[1]\n"
	                              "width=8\nspeed=7\nextspeed=3\n"
	                              "Switch 4 \"c\"\n[1] \"d\"[1]\n"
	                              "Switch 4 \"d\"\n[1] \"c\"[1] e=2\n");

	(void)state;
	assert_false(ibc_port_has(&node_named(fab, "a")->ports[1], IBC_ATTR_LINK));
	expect_rate(&node_named(fab, "c")->ports[1], IBC_WIDTH_12X, IBC_SPEED_EDR);
	ibc_fabric_free(fab);
}

static void a_rate_one_end_tells_holds_for_the_other(void **state)
{
	struct ibc_fabric *fab = load("Switch 4 \"a\"\n[1] \"b\"[1] # \"b\" lid 2 4xHDR\n"
	                              "Switch 4 \"b\"\n[1] \"a\"[1]\n");

	(void)state;
	expect_rate(&node_named(fab, "b")->ports[1], IBC_WIDTH_4X, IBC_SPEED_HDR);
	ibc_fabric_free(fab);
}

static void comments_say_nothing_unless_they_look_like_ibnetdiscover(void **state)
{
	struct ibc_fabric *fab = load("# lid 4 4xFOO\n"
	                              "  \t\n"
	                              "Switch 4 \"a\"\t# \n"
	                              "[1] \"b\"[1] # 19\" rack, lid is loose, 4xFOO\n"
	                              "# [2] \"b\"[2]\n"
	                              "[3] \"b\"[3] # \"b\" 2xbigger w=99\n"
	                              "pdebug=1\n");

	(void)state;
	expect_counts(fab, 1, 1, 2);
	ibc_fabric_free(fab);
}

/* ---- include ---- */

static int load_file(const char *path, struct ibc_fabric **out, struct ibc_error *err)
{
	return ibc_fabric_load(&path, 1, NULL, out, err);
}

static void included_files_are_found_beside_the_one_that_names_them(void **state)
{
	static const char main_text[] = "include \"part/a.net\"\ninclude part/b.net # too\n";
	static const char a[] = "include \"b.net\"\nSwitch 4 \"a\"\n[1] \"b\"[1]\n";
	static const char b[] = "width=3\n";
	char *dir = make_dir(), *sub, *files[3];
	struct ibc_fabric *fab = NULL;

	(void)state;
	assert_true(asprintf(&sub, "%s/part", dir) > 0);
	assert_int_equal(mkdir(sub, 0700), 0);
	files[0] = make_file(dir, "main.net", main_text, strlen(main_text));
	files[1] = make_file(sub, "a.net", a, strlen(a));
	files[2] = make_file(sub, "b.net", b, strlen(b));
	assert_int_equal(load_file(files[0], &fab, NULL), 0);
	expect_counts(fab, 1, 1, 1);
	assert_string_equal(ibc_fabric_plane(fab, 0)->file, files[0]);
	ibc_fabric_free(fab);
	for (size_t i = 0; i < COUNT(files); i++)
		drop_file(files[i]);
	drop_dir(sub);
	drop_dir(dir);
}

/* A file of this text is refused with a sentence that ends so. */
static void expect_include_refusal(const char *dir, const char *text, const char *end)
{
	char *path = make_file(dir, "main.net", text, strlen(text));
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	assert_int_equal(load_file(path, &fab, &err), -EINVAL);
	assert_true(strlen(err.text) > strlen(end));
	assert_string_equal(err.text + strlen(err.text) - strlen(end), end);
	drop_file(path);
}

static void what_cannot_be_included_is_an_error_where_it_is_named(void **state)
{
	char *dir = make_dir(), *chain[12], text[40];

	(void)state;
	expect_include_refusal(dir, "\ninclude \"nothing\"\n",
	                       "/nothing: No such file or directory");
	expect_include_refusal(dir, "include \"/dev/null\"\n",
	                       "main.net:1: cannot include /dev/null: not a regular file");
	expect_include_refusal(dir, "\ninclude main.net\n", "main.net:2: the file includes itself");
	for (unsigned int i = 0; i < COUNT(chain); i++) {
		char name[8];

		snprintf(text, sizeof(text), "include %u\n", i + 1);
		snprintf(name, sizeof(name), "%u", i);
		chain[i] = make_file(dir, name, text, strlen(text));
	}
	expect_include_refusal(dir, "include 0\n",
	                       "/7:1: more than 9 files include each other, or 1000 in all");
	for (unsigned int i = 0; i < COUNT(chain); i++)
		drop_file(chain[i]);
	drop_dir(dir);
	refused("include \"x\"\n", "test:1: what is not a file can include none");
}

static void a_file_includes_no_more_than_a_thousand(void **state)
{
	char *dir = make_dir(), *empty = make_file(dir, "empty", "", 0);
	char text[1100 * 14];
	size_t n = 0;

	(void)state;
	for (unsigned int i = 0; i < 1100; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "include empty\n");
	expect_include_refusal(dir, text, "more than 9 files include each other, or 1000 in all");
	drop_file(empty);
	drop_dir(dir);
}

/* ---- what is refused ---- */

static void a_file_without_a_node_is_refused(void **state)
{
	static const char why[] =
	    "test holds no node: it is neither ibnetdiscover text nor a snapshot";

	(void)state;
	refused("", why);
	refused("# nothing\n\n", why);
	refused("Dear all,\nthe fabric is down.\n", why);
}

static void contradictions_are_refused_with_both_their_lines(void **state)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ SWITCH "[1] \"a\"[1]\n[1] \"b\"[1]\n",
		  "test:3: port 1 of \"S-0000000000000010\" once more, it was at test:2" },
		{ SWITCH "[5] \"a\"[1]\n",
		  "test:2: port 5 of \"S-0000000000000010\", whose last is 4" },
		{ SWITCH "[1] \"a\"[2]\nCa 1 \"a\"\n",
		  "test:2: \"a\"[2] does not exist, the last port there is 1" },
		{ SWITCH "[1] \"S-0000000000000010\"[1]\n", "test:2: port 1 is cabled to itself" },
		{ SWITCH "[1] \"a\"[1]\nCa 1 \"a\"\n[1] \"S-0000000000000010\"[2]\n",
		  "test:2: \"a\"[1] is cabled to \"S-0000000000000010\"[2] instead, says test:4" },
		{ SWITCH "[1] \"a\"[1]\n[2] \"a\"[1]\n",
		  "test:3: \"a\"[1] is already cabled to \"S-0000000000000010\"[1], says test:2" },
		{ SWITCH "\n" SWITCH,
		  "test:3: a second block of \"S-0000000000000010\", the first is at test:1" },
		{ "Switch 1 \"a\"\n[1] \"b\"[1] w=1\nSwitch 1 \"b\"\n[1] \"a\"[1] w=8\n",
		  "test:2: the ends enable no width in common, see test:4" },
		{ "Switch 1 \"a\"\n[1] \"b\"[1] s=1\nSwitch 1 \"b\"\n[1] \"a\"[1] s=4\n",
		  "test:2: the ends enable no speed in common, see test:4" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		refused(files[i].text, files[i].why);
}

static void lines_that_cannot_be_read_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ SWITCH "Swit", "test:2: not understood: \"Swit\"" },
		{ SWITCH "[", "test:2: expected a port, \"[1]\" to \"[255]\"" },
		{ SWITCH "[0] \"a\"", "test:2: expected a port, \"[1]\" to \"[255]\"" },
		{ SWITCH "[256] \"a\"", "test:2: expected a port, \"[1]\" to \"[255]\"" },
		{ SWITCH "[1", "test:2: expected a port, \"[1]\" to \"[255]\"" },
		{ SWITCH "[1](2x) \"a\"", "test:2: no port GUID in the parentheses" },
		{ SWITCH "[1](2", "test:2: no port GUID in the parentheses" },
		{ SWITCH "[1]", "test:2: expected the peer's id in quotation marks" },
		{ SWITCH "[1] \"a", "test:2: expected the peer's id in quotation marks" },
		{ SWITCH "[1] \"\"[1]", "test:2: expected the peer's id in quotation marks" },
		{ SWITCH "[1] \"a\"[", "test:2: expected the peer's port, \"[1]\" to \"[255]\"" },
		{ SWITCH "[1] \"a\"[1](zz)", "test:2: no port GUID in the parentheses" },
		{ SWITCH "[1] \"a\"[1] 4xEDR", "test:2: not understood: \"4xEDR\"" },
		{ SWITCH "[1] \"a\"[1] w=", "test:2: w= is not a number from 1 to 31" },
		{ SWITCH "[1] \"a\"[1] w=32", "test:2: w=32 is not a number from 1 to 31" },
		{ SWITCH "[1] \"a\"[1] s=8", "test:2: s=8 is not a number from 0 to 7" },
		{ SWITCH "[1] \"a\"[1] e=-1", "test:2: e=-1 is not a number from 0 to 15" },
		{ SWITCH "[1] \"a\"[1] # \"h\" lid 2 4xE",
		  "test:2: no known width and speed: \"4xE\"" },
		{ SWITCH "[1] \"a\"[1] # \"h\" lid 2 3xEDR",
		  "test:2: no known width and speed: \"3xEDR\"" },
		{ SWITCH "[1] \"a\"[1] # \"h\" lid 65536", "test:2: no LID: \"65536\"" },
		{ SWITCH "[1] \"a\"[1] # \"h",
		  "test:2: the description has no closing quotation mark" },
		{ CA "[1] \"a\"[1] # lid 4 lmc 8 \"x\"", "test:2: no LMC: \"8\"" },
		{ CA "[1] \"a\"[1] # lid 4 lmc 0 \"x",
		  "test:2: the description has no closing quotation mark" },
		{ "Switch \"a\"", "test:1: expected a number of ports, up to 255" },
		{ "Switch 256 \"a\"", "test:1: expected a number of ports, up to 255" },
		{ "Switch 4 a", "test:1: expected the node's id in quotation marks" },
		{ "Switch 4 \"a", "test:1: expected the node's id in quotation marks" },
		{ "Switch 4 \"\"", "test:1: expected the node's id in quotation marks" },
		{ "Switch 4 \"a\" # \"b", "test:1: the description has no closing quotation mark" },
		{ "Switch 4 \"a\" # \"b\" base port 0 lid 70000", "test:1: no LID: \"70000\"" },
		{ "[1] \"a\"[1]", "test:1: a port line that belongs to no node" },
		{ SWITCH "vendid=0x1\n[1] \"a\"[1]",
		  "test:3: a port line that belongs to no node" },
		{ "vendid", "test:1: expected \"=\" behind \"vendid\"" },
		{ "vendid=", "test:1: vendid= takes a number up to 0xffffffff" },
		{ "devid=0x10000", "test:1: devid= takes a number up to 0xffff" },
		{ "devid=7 of 9", "test:1: not understood: \"of 9\"" },
		{ "switchguid=0x10(", "test:1: no port GUID in the parentheses" },
		{ "caguid=0x10(x)", "test:1: no port GUID in the parentheses" },
		{ "caguid=0x10 11", "test:1: not understood: \"11\"" },
		{ "sysimgguid=0x11111111111111111",
		  "test:1: sysimgguid= takes a number up to 0xffffffffffffffff" },
		{ "width=32", "test:1: width= takes a number up to 0x1f" },
		{ "do Unlink \"a\"[1]",
		  "test:1: \"do\": ibsim's commands are not carried out here: take the line out" },
		{ "module=\"m\"", "test:1: \"module\": ibsim's prefixes are not understood here: "
		                  "write ids in full" },
		{ SWITCH "@[1] \"alias\"", "test:2: ibsim's aliases are not understood here" },
		{ SWITCH "<html>", "test:2: not understood: \"<html>\"" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		refused(files[i].text, files[i].why);
}

static void a_file_of_more_ports_than_any_subnet_is_refused(void **state)
{
	char *text = malloc(9000 * 20);
	size_t n = 0;

	(void)state;
	for (unsigned int i = 0; i < 9000; i++)
		n += (size_t)sprintf(text + n, "Switch 255 \"%u\"\n", i);
	expect_refusal(read_netdiscover, text, n,
	               "test:8193: more than 2097152 ports, no subnet has so many");
	free(text);
}

static void any_cut_of_a_file_is_an_error_or_a_fabric_that_holds_together(void **state)
{
	static const char text[] = "vendid=0x2c9\nswitchguid=0x10(10)\n" SWITCH CABLE CA BACK;

	(void)state;
	for (size_t n = 0; n < strlen(text); n++) {
		struct ibc_fabric *fab = NULL;
		struct ibc_error err = { "" };
		int rc = read_bytes(read_netdiscover, text, n, &fab, &err);

		assert_true(rc == 0 || (rc == -EINVAL && *err.text));
		ibc_fabric_free(fab);
	}
}

static void every_allocation_may_fail(void **state)
{
	static const char text[] = SWITCH CABLE "[2] \"named\"[1] # \"x\"\n" CA BACK;
	unsigned long n = 0;
	int rc = -ENOMEM;

	(void)state;
	while (rc == -ENOMEM) {
		struct ibc_fabric *fab = NULL;
		struct ibc_error err = { "" };

		alloc_fail_at(++n);
		rc = read_bytes(read_netdiscover, text, strlen(text), &fab, &err);
		alloc_fail_at(0);
		if (rc)
			assert_string_equal(err.text, "out of memory");
		ibc_fabric_free(fab);
	}
	assert_int_equal(rc, 0);
	assert_true(n > 30);
}

/* ---- writing ---- */

static void what_was_written_reads_back_and_writes_the_same(void **state)
{
	static const char text[] =
	    "switchguid=0x10(11)\nSwitch 255 \"S-0000000000000010\" # \"a \"b\" = \xc3\xa9\" "
	    "enhanced port 0 lid 7 lmc 2\n"
	    "[1] \"H-0000000000000020\"[2](22) # \"h\" lid 3 2xXDR\n"
	    "[2] \"one\"[1](31) # \"twin\" lid 3 4x???\n"
	    "[3] \"two\"[1](31) # \"twin\" lid 4 ?????\n"
	    "[4] \"S-0000000000000010\"[5] # \"a\" lid 7 8xFDR10\n"
	    "[5] \"S-0000000000000010\"[4] # \"a\" lid 7 8xFDR10\n"
	    "[6] \"gate\"[1]\n"
	    "caguid=0x30\nCa 1 \"one\" # \"twin\"\n[1](31) \"S-0000000000000010\"[2] # lid 3 lmc 1 "
	    "\"x\" lid 7 4x???\n"
	    "caguid=0x30\nCa 1 \"two\" # \"twin\"\n"
	    "rtguid=0x40\nRt 1 \"gate\"\n";
	struct ibc_fabric *fab = load(text), *again;
	char *first = bytes_of(fab, "netdiscover", NULL), *second;

	(void)state;
	again = load(first);
	second = bytes_of(again, "netdiscover", NULL);
	assert_string_equal(first, second);
	assert_string_equal(node_of(again, 0x10)->desc, "a \"b\" = \xc3\xa9");
	expect_counts(again, 1, 3, 5);
	assert_true(node_of(again, 0x30)->duplicate);
	expect_rate(port_of(again, 0x10, 4), IBC_WIDTH_8X, IBC_SPEED_FDR10);
	assert_int_equal(port_of(again, 0x10, 2)->width_active, IBC_WIDTH_4X);
	assert_true(ibc_port_owes(port_of(again, 0x10, 2), IBC_ATTR_LINK));
	assert_int_equal(port_of(again, 0x10, 6)->answers.asked, IBC_ATTR_NODE_INFO);
	free(first);
	free(second);
	ibc_fabric_free(fab);
	ibc_fabric_free(again);
}

static void the_text_looks_like_that_of_ibnetdiscover(void **state)
{
	struct ibc_fabric *fab = load("# Initiated from node 0000000000000020 port "
	                              "0000000000000021\n"
	                              "vendid=0x2c9\ndevid=0xcf08\nswitchguid=0x10(10)\n" SWITCH
	                              "[1] \"H-0000000000000020\"[1](21) # \"h\" lid 2 4xEDR\n"
	                              "sysimgguid=0x23\n" CA BACK);
	char *text = bytes_of(fab, "netdiscover", NULL);

	(void)state;
	assert_string_equal(strchr(text + 2, '#'),
	                    "# Topology file: written by ibcheck " IBC_VERSION "\n#\n"
	                    "# Initiated from node 0000000000000020 port 0000000000000021\n"
	                    "\n"
	                    "vendid=0x2c9\n"
	                    "devid=0xcf08\n"
	                    "switchguid=0x10(10)\n"
	                    "Switch\t4 \"S-0000000000000010\"\t\t# \"sw\" base port 0 lid 1 lmc 0\n"
	                    "[1]\t\"H-0000000000000020\"[1](21) \t\t# \"host mlx5_0\" lid 2 4xEDR\n"
	                    "\n"
	                    "vendid=0x0\n"
	                    "devid=0x0\n"
	                    "sysimgguid=0x23\n"
	                    "caguid=0x20\n"
	                    "Ca\t2 \"H-0000000000000020\"\t\t# \"host mlx5_0\"\n"
	                    "[1](21) \t\"S-0000000000000010\"[1]\t\t# lid 2 lmc 0 \"sw\" lid 1 "
	                    "4xEDR\n");
	free(text);
	ibc_fabric_free(fab);
}

static void no_written_line_breaks_ibsim(void **state)
{
	char text[1200], *written, *line, *save = NULL;
	struct ibc_fabric *fab;

	(void)state;
	snprintf(text, sizeof(text),
	         "Switch 255 \"S-0000000000000010\" # \"%0200d\xe2\x82\xac w=9\" base port 0\n"
	         "[255] \"H-0000000000000020\"[255] # \"x\" lid 65535 12xFDR10\n"
	         "Ca 255 \"H-0000000000000020\" # \"\xe2\x82\xac\xe2\x82\xac s=9 %060d\"\n",
	         0, 0);
	fab = load(text);
	written = bytes_of(fab, "netdiscover", NULL);
	for (line = strtok_r(written, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		assert_true(strlen(line) < 254);
		if (*line == '[')
			assert_null(strchr(line, '='));
	}
	free(written);
	ibc_fabric_free(fab);
}

static void what_the_format_cannot_hold_is_refused(void **state)
{
	struct ibc_error err = { "" };
	struct fabric_build *b;
	struct ibc_fabric *fab;
	FILE *out = fopen("/dev/null", "w");

	(void)state;
	assert_int_equal(fabric_build_new(&b, NULL), 0);
	fabric_build_node(b, fabric_build_plane(b, "x", "snapshot"), 1, IBC_NODE_UNKNOWN, 1);
	assert_int_equal(fabric_build_finish(b, &fab, NULL), 0);
	assert_int_equal(ibc_fabric_write(fab, "netdiscover", out, &err), -EINVAL);
	assert_string_equal(err.text,
	                    "0x0000000000000001 is of no type that ibnetdiscover text has: "
	                    "write a snapshot");
	ibc_fabric_free(fab);

	assert_int_equal(fabric_build_new(&b, NULL), 0);
	fabric_build_plane(b, "x", "snapshot");
	fabric_build_plane(b, "y", "snapshot");
	assert_int_equal(fabric_build_finish(b, &fab, NULL), 0);
	assert_int_equal(ibc_fabric_write(fab, "netdiscover", out, &err), -EINVAL);
	assert_string_equal(err.text, "ibnetdiscover text holds one plane and this fabric has 2: "
	                              "write a snapshot");
	ibc_fabric_free(fab);
	fclose(out);
}

static void an_output_that_fails_is_an_error(void **state)
{
	struct ibc_fabric *fab = load(SWITCH CABLE);
	struct ibc_error err = { "" };
	FILE *out = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(out);
	setbuf(out, NULL);
	assert_int_equal(ibc_fabric_write(fab, "netdiscover", out, &err), -EIO);
	assert_string_equal(err.text, "cannot write the fabric: the output failed");
	fclose(out);
	ibc_fabric_free(fab);
}

/* ---- real files ---- */

static void captures_load_and_survive_both_formats(void **state)
{
	static const struct {
		const char *path;
		size_t switches, cas, cables;
	} files[] = {
		{ "manual-samples/sample1.net", 2, 4, 7 },
		{ "manual-samples/sample2.net", 1, 2, 2 },
		{ "manual-samples/sample3.net", 2, 6, 10 },
		{ "manual-samples/sample4.net", 1, 1, 1 },
		{ "plafrim2-1/plafrim2-1.net", 1, 23, 23 },
		{ "psmn-x5/psmn-x5.net", 11, 89, 159 },
		{ "stage-fdr10/stage-fdr10.net", 8, 144, 192 },
		{ "ufm-lab-small/ufm-lab-small.net", 2, 13, 16 },
	};
	size_t skipped = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct ibc_fabric *fab = NULL, *snap, *net;
		char path[200], *first, *bytes, *last;
		size_t n;

		snprintf(path, sizeof(path), "../shared/data/%s", files[i].path);
		if (access(path, R_OK)) {
			print_message("SKIPPED: no %s\n", path);
			skipped++;
			continue;
		}
		assert_int_equal(load_file(path, &fab, NULL), 0);
		expect_counts(fab, files[i].switches, files[i].cas, files[i].cables);
		first = bytes_of(fab, "netdiscover", NULL);
		bytes = bytes_of(fab, "snapshot", &n);
		snap = fabric_of(read_snapshot, bytes, n);
		last = bytes_of(snap, "netdiscover", NULL);
		assert_string_equal(first, last);
		net = load(last);
		expect_counts(net, files[i].switches, files[i].cas, files[i].cables);
		free(first);
		free(bytes);
		free(last);
		ibc_fabric_free(fab);
		ibc_fabric_free(snap);
		ibc_fabric_free(net);
	}
	if (skipped)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_a_block_is_read),
		cmocka_unit_test(chassis_headers_and_panel_ports_are_passed_over),
		cmocka_unit_test(routers_have_blocks_of_their_own),
		cmocka_unit_test(all_widths_and_speeds_are_known),
		cmocka_unit_test(a_rate_ibnetdiscover_did_not_know_is_a_question_without_an_answer),
		cmocka_unit_test(a_node_only_named_as_peer_is_what_its_neighbour_says),
		cmocka_unit_test(both_ends_may_tell_different_widths),
		cmocka_unit_test(messages_that_got_into_the_file_are_passed_over),
		cmocka_unit_test(the_guid_line_wins_over_the_id),
		cmocka_unit_test(two_nodes_may_carry_one_guid),
		cmocka_unit_test(descriptions_come_out_fit_for_a_terminal),
		cmocka_unit_test(a_nameless_node_has_an_empty_description),
		cmocka_unit_test(a_switch_may_have_255_ports),
		cmocka_unit_test(names_stand_for_nodes_and_get_the_guids_ibsim_gives),
		cmocka_unit_test(one_side_of_a_cable_is_enough),
		cmocka_unit_test(options_of_a_port_train_the_cable_as_in_ibsim),
		cmocka_unit_test(defaults_hold_for_the_blocks_below_them),
		cmocka_unit_test(a_rate_one_end_tells_holds_for_the_other),
		cmocka_unit_test(comments_say_nothing_unless_they_look_like_ibnetdiscover),
		cmocka_unit_test(included_files_are_found_beside_the_one_that_names_them),
		cmocka_unit_test(what_cannot_be_included_is_an_error_where_it_is_named),
		cmocka_unit_test(a_file_includes_no_more_than_a_thousand),
		cmocka_unit_test(a_file_without_a_node_is_refused),
		cmocka_unit_test(contradictions_are_refused_with_both_their_lines),
		cmocka_unit_test(lines_that_cannot_be_read_are_refused),
		cmocka_unit_test(a_file_of_more_ports_than_any_subnet_is_refused),
		cmocka_unit_test(any_cut_of_a_file_is_an_error_or_a_fabric_that_holds_together),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(what_was_written_reads_back_and_writes_the_same),
		cmocka_unit_test(the_text_looks_like_that_of_ibnetdiscover),
		cmocka_unit_test(no_written_line_breaks_ibsim),
		cmocka_unit_test(what_the_format_cannot_hold_is_refused),
		cmocka_unit_test(an_output_that_fails_is_an_error),
		cmocka_unit_test(captures_load_and_survive_both_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
