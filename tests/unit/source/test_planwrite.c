/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of cables and .topo files as they are written, and what is read of them again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkcables.h"

/* All that a plan tells of the cables, a line each, in an order that depends on it alone. */
struct lines {
	char **line;
	size_t num;
};

static int by_text(const void *a, const void *z)
{
	return strcmp(*(char *const *)a, *(char *const *)z);
}

/* What the ends tell is not always the same: the near one counts. */
static char *line_of(const struct ibc_port *a, const struct ibc_port *z)
{
	const struct ibc_port *near = ibc_port_is_near_end(a) ? a : z;
	const struct ibc_cable *c = a->extra->cable;
	char *text;

	assert_true(asprintf(&text, "%s|%u|%u|%s|%u|%u|%u|%u|%s|%s|%s|%s", a->node->label, a->num,
	                     a->node->type, z->node->label, z->num, z->node->type,
	                     near->width_active, near->speed_active, c && c->label ? c->label : "",
	                     c && c->length ? c->length : "", a->node->rack ? a->node->rack : "",
	                     z->node->rack ? z->node->rack : "") > 0);
	return text;
}

static struct lines lines_of(const struct ibc_fabric *fab)
{
	struct lines l = { malloc(ibc_fabric_count(fab).cables * sizeof(char *)), 0 };
	const struct ibc_port *port;

	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++) {
		if (!ibc_port_is_near_end(port))
			continue;
		l.line[l.num++] = strcmp(port->node->label, port->peer->node->label) <= 0
		                      ? line_of(port, port->peer)
		                      : line_of(port->peer, port);
	}
	qsort(l.line, l.num, sizeof(char *), by_text);
	return l;
}

/* Written and read again, the cables are the same. */
static void expect_same(const struct ibc_fabric *fab, const char *format, reader_fn *read)
{
	size_t n;
	char *text = bytes_of(fab, format, &n);
	struct ibc_fabric *again = fabric_of(read, text, n);
	struct lines first = lines_of(fab), second = lines_of(again);

	assert_int_equal(first.num, second.num);
	for (size_t i = 0; i < first.num; i++) {
		assert_string_equal(first.line[i], second.line[i]);
		free(first.line[i]);
		free(second.line[i]);
	}
	free(first.line);
	free(second.line);
	free(text);
	ibc_fabric_free(again);
}

static void expect_text(const struct ibc_fabric *fab, const char *format, const char *text)
{
	char *written = bytes_of(fab, format, NULL);

	assert_string_equal(written, text);
	free(written);
}

static void expect_no_write(const struct ibc_fabric *fab, const char *format, const char *why)
{
	struct ibc_error err = { "" };
	FILE *out = fopen("/dev/null", "w");

	assert_int_equal(ibc_fabric_write(fab, format, out, &err), -EINVAL);
	assert_string_equal(err.text, why);
	fclose(out);
}

/* ---- CSV ---- */

static void a_list_has_a_line_for_each_cable(void **state)
{
	struct ibc_fabric *fab = load(SWITCH CABLE
	                              "[2]\t\"S-0000000000000011\"[3] # \"leaf02\" lid 4\n"
	                              "Switch 4 \"S-0000000000000011\" # \"leaf02\"\n" CA BACK);

	(void)state;
	expect_text(fab, "cables",
	            "node_a,port_a,node_b,port_b,width,speed,label,length,rack_a,rack_b\n"
	            "sw,1,host mlx5_0,1,4x,EDR,,,,\n"
	            "sw,2,leaf02,3,,,,,,\n");
	ibc_fabric_free(fab);
}

static void any_text_comes_back(void **state)
{
	static const char text[] =
	    "node_a,port_a,node_b,port_b,width,speed,label,length,rack_a,rack_b\n"
	    "\"leaf,01\",1,\"say \"\"hi\"\"\",1,4x,EDR,\"C,1\",\"3 m, \"\"black\"\"\",R;1,\"#2\"\n"
	    "\"leaf,01\",2,k\xc3\xb6ln-\xe2\x82\xac mlx5_0,1,2x,HDR,#7,3 m,R;1,\n"
	    "\"leaf,01\",3,x;y,2,,,,,R;1,\n";
	struct ibc_fabric *fab = plan_of(read_cable_list, text);
	char *written = bytes_of(fab, "cables", NULL);

	(void)state;
	assert_non_null(strstr(written, "\"leaf,01\",1,\"say \"\"hi\"\"\",1,4x,EDR,\"C,1\","));
	assert_non_null(strstr(written, ",\"#7\",3 m,R;1,\n"));
	assert_null(strstr(written, "type_a"));
	expect_same(fab, "cables", read_cable_list);
	free(written);
	ibc_fabric_free(fab);
}

static void nodes_of_one_name_keep_their_guids(void **state)
{
	struct ibc_fabric *fab = load("Switch 4 \"S-0000000000000010\" # \"leaf\"\n"
	                              "[1] \"H-0000000000000020\"[1] # \"x\" lid 1 4xEDR\n"
	                              "[2] \"H-0000000000000030\"[1] # \"x\" lid 2 4xEDR\n"
	                              "[3] \"H-0000000000000040\"[1] # lid 2 4xEDR\n");

	(void)state;
	expect_same(fab, "cables", read_cable_list);
	ibc_fabric_free(fab);
}

static void types_that_nobody_would_guess_are_told(void **state)
{
	struct ibc_fabric *fab = load("Switch 4 \"S-0000000000000010\" # \"x\"\n"
	                              "[1] \"H-0000000000000020\"[3] # \"y\" lid 1 4xEDR\n"
	                              "Ca 4 \"H-0000000000000020\" # \"y\"\n");

	(void)state;
	expect_text(fab, "cables",
	            "node_a,port_a,node_b,port_b,width,speed,label,length,rack_a,rack_b,type_a,"
	            "type_b\n"
	            "x,1,y,3,4x,EDR,,,,,switch,ca\n");
	expect_same(fab, "cables", read_cable_list);
	ibc_fabric_free(fab);
}

/* ---- .topo ---- */

static void a_topo_has_a_system_for_each_host(void **state)
{
	struct ibc_fabric *fab = plan_of(read_cable_list,
	                                 "node_a,port_a,node_b,port_b,speed,width\n"
	                                 "leaf01,3,h1,mlx5_0/P1,HDR,2x\n"
	                                 "leaf01,4,h1,mlx5_1/P1,,\n"
	                                 "leaf01,5,leaf02,5,FDR10,\n"
	                                 "h2,1,h1,mlx5_0/P2,,4x\n"
	                                 "h2,2,h1,mlx5_1/P2,,4x\n");

	(void)state;
	expect_text(fab, "topo",
	            "# written by ibcheck " IBC_VERSION "\n"
	            "\nSWITCH leaf01\n"
	            "\tP3 -2x-50G-> HCA h1 mlx5_0/P1\n"
	            "\tP4 -> HCA h1 mlx5_1/P1\n"
	            "\tP5 -FDR10-> SWITCH leaf02 P5\n"
	            "\nHCA h1\n"
	            "\tmlx5_0/P2 -4x-> HCA h2 P1\n"
	            "\tmlx5_1/P2 -4x-> HCA h2 P2\n");
	expect_same(fab, "topo", read_topo);
	ibc_fabric_free(fab);
}

static void names_with_blanks_do_not_fit_a_topo(void **state)
{
	struct ibc_fabric *fab = plan_of(read_cable_list,
	                                 "node_a,port_a,node_b,port_b\nleaf 01,3,h1,1\n");

	(void)state;
	expect_no_write(fab, "topo",
	                "a .topo cannot hold a name such as \"leaf 01\": write a .csv");
	ibc_fabric_free(fab);
	fab = plan_of(read_cable_list, "node_a,port_a,node_b,port_b\nleaf01,3,#1,1\n");
	expect_no_write(fab, "topo", "a .topo cannot hold a name such as \"#1\": write a .csv");
	ibc_fabric_free(fab);
}

/* ---- both ---- */

static void what_names_cannot_tell_is_refused(void **state)
{
	static const char *const specs[] = { "synth:fattree:leaves=2,spines=1,hosts=1",
		                             "synth:fattree:leaves=2,spines=2,hosts=1" };
	struct ibc_fabric *fab = NULL;
	char text[600];

	(void)state;
	assert_int_equal(ibc_fabric_load(specs, 2, NULL, &fab, NULL), 0);
	expect_no_write(
	    fab, "cables",
	    "a list of cables holds one subnet and this fabric has 2: write a snapshot");
	expect_no_write(fab, "topo",
	                "a .topo holds one subnet and this fabric has 2: write a snapshot");
	ibc_fabric_free(fab);

	fab = load("Switch 2 \"x\" # \"leaf\"\n[1] \"y\"[1] # \"h\" lid 1\n"
	           "caguid=0x20\nCa 1 \"y\" # \"h\"\ncaguid=0x20\nCa 1 \"z\" # \"h\"\n");
	expect_no_write(fab, "cables",
	                "two nodes h (0x0000000000000020) have the same GUID, which a list of "
	                "cables cannot represent: write a snapshot");
	ibc_fabric_free(fab);

	snprintf(text, sizeof(text), "Switch 2 \"x\" # \"%0300d\"\n", 1);
	fab = load(text);
	snprintf(text, sizeof(text), "the name %060d... is too long for a .topo", 0);
	expect_no_write(fab, "topo", text);
	ibc_fabric_free(fab);
}

static void an_output_that_fails_is_an_error(void **state)
{
	static const char *const formats[] = { "cables", "topo" };
	struct ibc_fabric *fab = plan_of(read_cable_list,
	                                 "node_a,port_a,node_b,port_b\nleaf01,3,h1,1\n");

	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		struct ibc_error err = { "" };
		FILE *out = fopen("/dev/full", "w");

		assert_non_null(out);
		setbuf(out, NULL);
		assert_int_equal(ibc_fabric_write(fab, formats[i], out, &err), -EIO);
		assert_string_equal(err.text, "cannot write the fabric: the output failed");
		fclose(out);
	}
	ibc_fabric_free(fab);
}

static void a_plan_becomes_a_topology_for_the_simulator(void **state)
{
	struct ibc_fabric *fab = plan_of(read_topo, "S leaf01\n P3 -4x-25G-> H h1 mlx5_0/P1\n"),
			  *net;
	size_t n;
	char *text = bytes_of(fab, "netdiscover", &n);

	(void)state;
	net = fabric_of(read_netdiscover, text, n);
	expect_joined(net, "leaf01", 3, "h1 mlx5_0", 1);
	expect_rate(&node_named(net, "leaf01")->ports[3], IBC_WIDTH_4X, IBC_SPEED_EDR);
	assert_false(node_named(net, "leaf01")->named_only);
	free(text);
	ibc_fabric_free(net);
	ibc_fabric_free(fab);
}

static void a_snapshot_keeps_what_a_plan_tells(void **state)
{
	struct ibc_fabric *fab = plan_of(read_cable_list,
	                                 "node_a,port_a,node_b,port_b,label,length,rack_a,guid_b\n"
	                                 "leaf01,3,h1,1,C1,3 m,R1,0x20\nleaf01,4,h2,1,,,,\n");
	const struct ibc_node *leaf;
	struct ibc_fabric *again;
	size_t n;
	char *text = bytes_of(fab, "snapshot", &n);

	(void)state;
	again = fabric_of(read_snapshot, text, n);
	leaf = node_named(again, "leaf01");
	assert_true(leaf->named_only);
	assert_false(node_named(again, "h1")->named_only);
	assert_ptr_equal(leaf->ports[3].extra->cable, leaf->ports[3].peer->extra->cable);
	assert_null(leaf->ports[4].extra->cable);
	expect_same(fab, "snapshot", read_snapshot);
	free(text);
	ibc_fabric_free(again);
	ibc_fabric_free(fab);
}

static void the_name_of_a_file_tells_the_format(void **state)
{
	(void)state;
	assert_string_equal(ibc_fabric_format("plan.csv"), "cables");
	assert_string_equal(ibc_fabric_format("plan.csv.gz"), "cables.gz");
	assert_string_equal(ibc_fabric_format("plan.csv.zst"), "cables.zst");
	assert_string_equal(ibc_fabric_format("a.net.topo"), "topo");
	assert_string_equal(ibc_fabric_format("a.topo.gz"), "topo.gz");
	assert_string_equal(ibc_fabric_format("a.topo.zst"), "topo.zst");
	assert_string_equal(ibc_fabric_format("csv"), "snapshot");
}

static void captures_come_back_by_their_names(void **state)
{
	static const struct {
		const char *path;
		bool topo;
	} files[] = {
		{ "manual-samples/sample1.net", false },
		{ "plafrim2-1/plafrim2-1.net", false },
		{ "psmn-x5/psmn-x5.net", false },
		{ "stage-fdr10/stage-fdr10.net", true },
		{ "ufm-lab-small/ufm-lab-small.net", false },
	};
	size_t skipped = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct ibc_fabric *fab = NULL;
		char path[200];

		snprintf(path, sizeof(path), "../shared/data/%s", files[i].path);
		if (access(path, R_OK)) {
			print_message("SKIPPED: no %s\n", path);
			skipped++;
			continue;
		}
		assert_int_equal(load_file(path, &fab, NULL), 0);
		expect_same(fab, "cables", read_cable_list);
		if (files[i].topo)
			expect_same(fab, "topo", read_topo);
		ibc_fabric_free(fab);
	}
	if (skipped)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_has_a_line_for_each_cable),
		cmocka_unit_test(any_text_comes_back),
		cmocka_unit_test(nodes_of_one_name_keep_their_guids),
		cmocka_unit_test(types_that_nobody_would_guess_are_told),
		cmocka_unit_test(a_topo_has_a_system_for_each_host),
		cmocka_unit_test(names_with_blanks_do_not_fit_a_topo),
		cmocka_unit_test(what_names_cannot_tell_is_refused),
		cmocka_unit_test(an_output_that_fails_is_an_error),
		cmocka_unit_test(a_plan_becomes_a_topology_for_the_simulator),
		cmocka_unit_test(a_snapshot_keeps_what_a_plan_tells),
		cmocka_unit_test(the_name_of_a_file_tells_the_format),
		cmocka_unit_test(captures_come_back_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
