/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of cables in CSV: what they may look like, and what is told of their errors. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkattrs.h"
#include "mkcables.h"

#define HEADINGS "node_a,port_a,node_b,port_b\n"

static struct ibc_fabric *list(const char *text)
{
	return plan_of(read_cable_list, text);
}

static void complains(const char *text, const char *complaints)
{
	expect_complaints(read_cable_list, text, complaints);
}

/* ---- what it says ---- */

static void a_line_is_a_cable_between_two_named_nodes(void **state)
{
	struct ibc_fabric *fab = list(HEADINGS "leaf01,7,host01 mlx5_0,1\n");
	const struct ibc_node *leaf = node_named(fab, "leaf01");
	const struct ibc_subnet *subnet = ibc_fabric_subnet(fab, 0);

	(void)state;
	expect_counts(fab, 1, 1, 1);
	expect_joined(fab, "leaf01", 7, "host01 mlx5_0", 1);
	assert_string_equal(subnet->kind, "cables");
	assert_string_equal(subnet->file, "test");
	assert_attrs(subnet->provides, IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC);
	assert_true(leaf->named_only);
	assert_int_equal(leaf->num_ports, 7);
	assert_int_equal(leaf->line, 2);
	assert_false(ibc_port_has(&leaf->ports[7], IBC_ATTR_LINK));
	assert_true(ibc_port_has(&leaf->ports[7], IBC_ATTR_NODE_INFO));
	assert_false(ibc_port_has(&leaf->ports[6], IBC_ATTR_NODE_INFO));
	assert_ptr_equal(leaf->ports[7].extra->cable, leaf->ports[7].peer->extra->cable);
	assert_int_equal(leaf->ports[7].extra->cable->line, 2);
	assert_null(leaf->ports[7].extra->cable->label);
	ibc_fabric_free(fab);
}

/* "Row" without an end is what spreadsheets number their lines with. */
static void rows_and_pods_need_a_word_for_the_end(void **state)
{
	struct ibc_fabric *fab = list(
	    "Row,node_a,port_a,Row A,pod_a,node_b,port_b,row_b,Pod B\n1,leaf01,7,R1,P1,spine01,"
	    "9,R2,\n2,leaf01,8,R1,P1,spine02,9,R2,P2\n");

	(void)state;
	assert_string_equal(node_named(fab, "leaf01")->row, "R1");
	assert_string_equal(node_named(fab, "leaf01")->pod, "P1");
	assert_string_equal(node_named(fab, "spine01")->row, "R2");
	assert_null(node_named(fab, "spine01")->pod);
	assert_string_equal(node_named(fab, "spine02")->pod, "P2");
	ibc_fabric_free(fab);
}

static void the_other_columns_are_kept(void **state)
{
	struct ibc_fabric *fab = list(
	    "Rack_A;label;node_a;port_a;width;speed;length;node_b;port_b;rack_b;notes\n"
	    "R1;C-17;leaf01;7;4x;EDR;3 m;spine01;9;R2;\"hot; pink\"\n");
	const struct ibc_node *leaf = node_named(fab, "leaf01");

	(void)state;
	expect_rate(&leaf->ports[7], IBC_WIDTH_4X, IBC_SPEED_EDR);
	expect_rate(leaf->ports[7].peer, IBC_WIDTH_4X, IBC_SPEED_EDR);
	assert_string_equal(leaf->ports[7].extra->cable->label, "C-17");
	assert_string_equal(leaf->ports[7].extra->cable->length, "3 m");
	assert_string_equal(leaf->rack, "R1");
	assert_string_equal(node_named(fab, "spine01")->rack, "R2");
	assert_true(ibc_attrs_has(ibc_fabric_subnet(fab, 0)->provides, IBC_ATTR_LINK));
	ibc_fabric_free(fab);
}

static void half_a_rate_is_no_link(void **state)
{
	struct ibc_fabric *fab = list("node_a,port_a,node_b,port_b,speed\na,1,b,1,EDR\n");
	const struct ibc_port *port = &node_named(fab, "a")->ports[1];

	(void)state;
	assert_false(ibc_port_has(port, IBC_ATTR_LINK));
	assert_int_equal(port->speed_active, IBC_SPEED_EDR);
	assert_false(ibc_attrs_has(ibc_fabric_subnet(fab, 0)->provides, IBC_ATTR_LINK));
	ibc_fabric_free(fab);
}

static void what_spreadsheets_write_is_read(void **state)
{
	static const char *const texts[] = {
		HEADINGS "leaf01,1,host01,1\n",
		"\xef\xbb\xbf" HEADINGS "leaf01,1,host01,1",
		"node_a,port_a,node_b,port_b\r\nleaf01,1,host01,1\r\n\r\n",
		"sep=;\nnode_a;port_a;node_b;port_b\nleaf01;1;host01;1\n",
		"node_a\tport_a\tnode_b\tport_b\nleaf01\t1\thost01\t1\n",
		"# a plan\n\n" HEADINGS "# first, the leaves\nleaf01,1,host01,1\n  # the end\n",
		"NODE_A, Port_A ,node_b,  PORT_B\n  leaf01 ,1, host01,1,,\n,,,\n",
		"port_b,node_b,port_a,node_a\n1,host01,1,leaf01\n",
		"\"node_a\",\"port_a\",\"node_b\",\"port_b\"\n\"leaf01\",\"1\",\" host01 "
		"\",\"1\"\n",
		"Cluster 7,,,\n,,,\n\"as built, 2026\",,,\n" HEADINGS "leaf01,1,host01,1\n",
		"\"node\na\",\"port\na\",node_b,port_b\nleaf01,1,host01,1\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct ibc_fabric *fab = list(texts[i]);

		expect_counts(fab, 1, 1, 1);
		expect_joined(fab, "leaf01", 1, "host01", 1);
		ibc_fabric_free(fab);
	}
}

static void quotation_marks_hold_what_would_end_a_cell(void **state)
{
	struct ibc_fabric *fab = list("label," HEADINGS
	                              "\"3 m, \"\"black\"\"\",\"leaf,01\",1,\"ho\nst\",1\n"
	                              "\"\",leaf\"02\",1,spine02,1\n");
	const struct ibc_node *leaf = node_named(fab, "leaf,01");

	(void)state;
	expect_joined(fab, "leaf,01", 1, "ho st", 1);
	expect_joined(fab, "leaf\"02\"", 1, "spine02", 1);
	assert_string_equal(leaf->ports[1].extra->cable->label, "3 m, \"black\"");
	assert_int_equal(node_named(fab, "spine02")->line, 4);
	ibc_fabric_free(fab);
}

/* ---- headings ---- */

/* A sheet by its headings, with the columns of leaf01/7 and host01 mlx5_0/1, rack R1 and R2. */
static void headings_of_many_hands_are_known(void **state)
{
	static const char *const sheets[] = {
		"Source Device,Source Port,Destination Device,Destination "
		"Port\nleaf01,7,host01,1\n",
		"From,From Port,To,To Port,Cable ID\nleaf01,7,host01,1,C1\n",
		"A-Side,A-Side Port,Z-Side,Z-Side Port\nleaf01,7,host01,1\n",
		"A-Rack,A-U,A-Node Name,A-Type,A-Port,Z-Rack,Z-RU,Z-Node Name,Z-Type,Z-Port\n"
		"R1,2,leaf01,Switch,7,R2,3,host01,Host,1\n",
		"Rack,U,Name,Port,Rack,U,Name,Port\nR1,2,leaf01,7,R2,3,host01,1\n",
		",Source,,,,Destination,,,Cable\n"
		"Rack Group,Rack,Name,Port,Type,Rack "
		"Group,Rack,Name,Port,Type,Label,Length,Details\n"
		"G,R1,leaf01,7,SW,G,R2,host01,1,FI,C1,3,none\n",
		"Switch_Name,vPort,pPort,Target_Name,Target_Port,Device_Type\n"
		"leaf01,7,4,host01,1,Server\n",
		"Hostname,Host Port,Switch,Switch Port\nhost01,1,leaf01,7\n",
		"Leaf Switch,Leaf Switch Port,Server,Server Port\nleaf01,7,host01,1\n",
		"local node,local port,remote node,remote port,cable length "
		"(m)\nleaf01,7,host01,1,3\n",
		"src,src_port,dst,dst_port\nleaf01,7,host01,1\n",
		"Node1,Port1,Node2,Port2\nleaf01,7,host01,1\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(sheets); i++) {
		struct ibc_fabric *fab = list(sheets[i]);

		expect_counts(fab, 1, 1, 1);
		expect_joined(fab, "leaf01", 7, "host01", 1);
		ibc_fabric_free(fab);
	}
}

static void an_hca_is_part_of_the_name(void **state)
{
	static const char *const sheets[] = {
		HEADINGS "leaf01,7,host01,mlx5_2/P1\n",
		HEADINGS "leaf01,7,host01 mlx5_2,1\n",
		"Switch,Switch Port,Host,HCA,HCA Port\nleaf01,7,host01,mlx5_2,1\n",
		"Switch,Switch Port,Host,HCA\nleaf01,7,host01,mlx5_2\n",
		"Name,Name-2,Port,Name,Name-2,Port\nleaf01,,7,host01,mlx5_2,1\n",
		/* there the HCAs of a host are counted */
		"Rack,U,Name,HCA/Port,Rack,U,Name,Port\nR1,2,host01,3,R2,3,leaf01,7\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(sheets); i++) {
		struct ibc_fabric *fab = list(sheets[i]);

		expect_counts(fab, 1, 1, 1);
		expect_joined(fab, "leaf01", 7, "host01 mlx5_2", 1);
		assert_string_equal(node_named(fab, "host01 mlx5_2")->host_name, "host01");
		ibc_fabric_free(fab);
	}
}

static void ports_of_switches_are_not_counted_as_hcas(void **state)
{
	struct ibc_fabric *fab = list("A-Node,A-Type,HCA/Port,Z-Node,Z-Port\n"
	                              "leaf01,switch,3,spine01,1\n"
	                              "host01,host,3,leaf01,7\n"
	                              "host02,host,mlx5_1/P2,leaf01,8\n");

	(void)state;
	expect_joined(fab, "leaf01", 3, "spine01", 1);
	expect_joined(fab, "leaf01", 7, "host01 mlx5_2", 1);
	expect_joined(fab, "leaf01", 8, "host02 mlx5_1", 2);
	ibc_fabric_free(fab);
}

static void headings_that_are_missing_are_named(void **state)
{
	(void)state;
	complains("node_a,node_b\na,b\n",
	          "1:1: no heading names port_a, port_b (headings of this line: \"node_a\", "
	          "\"node_b\"); node_a, port_a, node_b and port_b are required\n");
	complains(
	    "title,,\nSource,SrcPrt,Destination,rack_b\na,1,b,r\n",
	    "2:1: no heading names port_a, port_b (headings of this line: \"Source\", \"SrcPrt\", "
	    "\"Destination\", \"rack_b\"); node_a, port_a, node_b and port_b are required\n");
	complains("a,1,b,1\n", "0:0: no line has the column headings: node_a, port_a, node_b and "
	                       "port_b are required\n");
}

/* The last line tells how many there were. */
static void equal_errors_are_counted(void **state)
{
	static const char port[] = "is not a port; ports are written 7, P7, Port 7, IB1/7, swp7, "
				   "17/2, sw17p2, Blade 16_Port 2/20 or mlx5_2/P1";
	char expected[1024];

	(void)state;
	snprintf(expected, sizeof(expected),
	         "2:3: \"G1\" %s\n3:3: \"G2\" %s\n4:3: \"G3\" %s\n5:5: node_b is missing\n"
	         "0:0: and 2 more like this, the last: \"G5\" %s\n",
	         port, port, port, port);
	complains(HEADINGS "a,G1,b,1\na,G2,b,1\na,G3,b,1\na,4,,1\na,G4,b,1\na,G5,b,1\n", expected);
}

/* UFM's three forms: each cable from one end or from both. */
static void lists_of_ufm_are_read(void **state)
{
	struct ibc_fabric *fab = list("#StartDevice,StartPort,EndDevice,EndPort,LinkType\n"
	                              "LEAF03,Port 21,CORE1-A,Blade 16_Port 2/20,Data\n"
	                              "NODE41,NODE41 ibp75s0f0,LEAF03,Port 3, Data\n"
	                              "# a comment\nLEAF03,Port 3,NODE41,NODE41 ibp75s0f0,Data\n");

	(void)state;
	expect_joined(fab, "LEAF03", 21, "CORE1-A/L16/U2", 20);
	expect_joined(fab, "LEAF03", 3, "NODE41 ibp75s0f0", 1);
	assert_int_equal(node_named(fab, "CORE1-A/L16/U2")->type, IBC_NODE_SWITCH);
	ibc_fabric_free(fab);
	fab = list(",rack #,U height,#Fields:StartDevice,StartPort,StartDeviceLocation,EndDevice,"
	           "EndPort,EndDeviceLocation,U height,LinkType,Speed,,Cable Length\n"
	           ",Rack 1,U41,LEAF03,Port 21,F01C04,CORE1,Blade 1_Port 1/1,F01C09,U25,Data,"
	           "200000,200G HDR cable,10\n");
	expect_joined(fab, "LEAF03", 21, "CORE1/L01/U1", 1);
	assert_string_equal(node_named(fab, "LEAF03")->rack, "Rack 1");
	assert_int_equal(node_named(fab, "LEAF03")->ports[21].speed_active, IBC_SPEED_HDR);
	assert_string_equal(node_named(fab, "LEAF03")->ports[21].extra->cable->length, "10");
	ibc_fabric_free(fab);
	fab = list("rack,U height,StartDevice,StartPort,EndDevice,EndPort,LinkType\n"
	           "R1,U3,Server 1 IB Port 1,IB Port 1,LEAF03,Port 1,Data\n");
	expect_joined(fab, "LEAF03", 1, "Server 1 IB Port 1", 1);
	ibc_fabric_free(fab);
}

/* Its types are those of terminations and of cables, and none of nodes. */
static void exports_of_netbox_are_read(void **state)
{
	static const char *const texts[] = {
		"ID,Label,Type,Termination A Type,Termination A Device,Termination A,"
		"Termination B Type,Termination B Device,Termination B,Length\n"
		"1,C1,dac,dcim.interface,leaf01,swp1,dcim.interface,node01,mlx5_0,3\n"
		"2,C2,dac,dcim.interface,leaf01,swp9,dcim.interface,node02,mlx5_0,3\n",
		"side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,"
		"type,label,length\n"
		"leaf01,dcim.interface,swp1,node01,dcim.interface,mlx5_0,dac,C1,3\n",
		"Switch,Port,Host,NIC,Label,Length\nleaf01,1,node01,mlx5_0,C1,3\n",
	};
	struct ibc_fabric *fab;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		fab = list(texts[i]);
		expect_joined(fab, "leaf01", 1, "node01 mlx5_0", 1);
		assert_int_equal(node_named(fab, "node01 mlx5_0")->type, IBC_NODE_CA);
		assert_int_equal(node_named(fab, "leaf01")->type, IBC_NODE_SWITCH);
		assert_string_equal(node_named(fab, "leaf01")->ports[1].extra->cable->label, "C1");
		ibc_fabric_free(fab);
	}
}

static void two_columns_for_one_thing_are_refused(void **state)
{
	struct ibc_fabric *fab;

	(void)state;
	complains("Name,Port,Name,Port,Name\na,1,b,1,c\n",
	          "1:21: \"Name\" and \"Name\" both name node_b: change one of the two headings\n");
	complains(
	    "node_a,port_a,node_b,port_b,Source\na,1,b,1,c\n",
	    "1:29: \"node_a\" and \"Source\" both name node_a: change one of the two headings\n");
	/* of others the first counts */
	fab = list("node_a,port_a,node_b,port_b,label,Cable ID\na,1,b,1,x,y\n");
	assert_string_equal(node_named(fab, "a")->ports[1].extra->cable->label, "x");
	ibc_fabric_free(fab);
}

/* ---- what nodes are ---- */

static void types_are_told_or_guessed(void **state)
{
	struct ibc_fabric *fab = list("node_a,port_a,node_b,port_b,type_a,type_b\n"
	                              "tor1,1,n1,1,,\n"
	                              "tor1,3,n2,1,,\n"
	                              "box1,1,tor1,4,Switch,\n"
	                              "m1,1,tor1,5,MQM8700,\n"
	                              "m2,40,tor1,6,mqm8700,\n"
	                              "r1,1,tor1,7,router,\n"
	                              "n3,1,m2,39,DGX,\n");

	(void)state;
	assert_int_equal(node_named(fab, "tor1")->type, IBC_NODE_SWITCH);
	assert_int_equal(node_named(fab, "n1")->type, IBC_NODE_CA);
	assert_int_equal(node_named(fab, "box1")->type, IBC_NODE_SWITCH);
	/* like m2, which has many ports */
	assert_int_equal(node_named(fab, "m1")->type, IBC_NODE_SWITCH);
	assert_int_equal(node_named(fab, "r1")->type, IBC_NODE_ROUTER);
	assert_int_equal(node_named(fab, "n3")->type, IBC_NODE_CA);
	ibc_fabric_free(fab);
}

static void a_column_of_switches_tells_their_type(void **state)
{
	struct ibc_fabric *fab = list(
	    "Switch,Switch Port,Host,Host Port\ntor1,1,n1,1\ntor1,2,tor2,2\n"
	    "tor2,1,n2,1\n");

	(void)state;
	expect_counts(fab, 2, 2, 3);
	ibc_fabric_free(fab);
}

static void guids_are_those_told_or_made_up_in_the_order_of_the_file(void **state)
{
	struct ibc_fabric *fab = list("node_a,port_a,node_b,port_b,guid_a,guid_b\n"
	                              "z,1,y,1,,0x200\n"
	                              "x,1,z,2,2c903007b78b0,\n"
	                              "x,2,w,1,0x0002c903007b78b0,\n");

	(void)state;
	assert_int_equal(node_named(fab, "z")->guid, 0x100);
	assert_true(node_named(fab, "z")->named_only);
	assert_int_equal(node_named(fab, "y")->guid, 0x200);
	assert_false(node_named(fab, "y")->named_only);
	assert_int_equal(node_named(fab, "x")->guid, 0x2c903007b78b0);
	assert_int_equal(node_named(fab, "w")->guid, 0x300);
	ibc_fabric_free(fab);
}

static void nodes_of_one_name_go_by_their_guid_as_well(void **state)
{
	struct ibc_fabric *fab = list(HEADINGS "leaf01,1,host (0x0000000000000021),1\n"
	                                       "leaf01,2,host (0x0000000000000022),1\n"
	                                       "leaf01,3,0x0000000000000023,1\n");
	const struct ibc_node *node = ibc_fabric_node_by_guid(fab, 0x22);

	(void)state;
	expect_counts(fab, 1, 3, 3);
	assert_string_equal(node->desc, "host");
	assert_string_equal(node->label, "host (0x0000000000000022)");
	assert_false(node->named_only);
	assert_string_equal(ibc_fabric_node_by_guid(fab, 0x23)->desc, "");
	ibc_fabric_free(fab);
}

/* ---- errors ---- */

static void a_line_counts_once_whatever_is_wrong_with_it(void **state)
{
	struct ibc_fabric *fab = list(HEADINGS
	                              "leaf,1,sw,1\nleaf,0,sw,256\nleaf,1,c,1\nleaf,0,sw,2\n");

	(void)state;
	assert_int_equal(ibc_fabric_lines_lost(fab, NULL), 3);
	assert_int_equal(ibc_fabric_subnet(fab, 0)->num_lost, 3);
	ibc_fabric_free(fab);
}

static void a_short_row_without_an_end_is_cut_off(void **state)
{
	(void)state;
	complains("node_a,port_a,node_b,port_b,speed\nleaf,1,sw,1,EDR\nleaf,2,sw,2",
	          "3:12: the file is cut off: 4 cells in its last line, of 5\n");
	complains("node_a,port_a,node_b,port_b,speed\nleaf,1,sw,1,EDR\nleaf,2,sw,2\n", "");
}

static void a_node_that_only_disputed_rows_name_is_none(void **state)
{
	struct ibc_fabric *fab = list(HEADINGS "~eaf,1,sw,1\nleaf,1,sw,1\nleaf,2,sw,2\n");

	(void)state;
	expect_counts(fab, 2, 0, 1);
	assert_string_equal(node_named(fab, "leaf")->desc, "leaf");
	ibc_fabric_free(fab);
}

static void contradictions_name_the_line_before(void **state)
{
	(void)state;
	complains(HEADINGS "leaf,1,sw,1\nleaf,1,c,1\n", "3:6: leaf/1 is already used in line 2\n");
	complains(HEADINGS "leaf,1,sw,1\nleaf,2,sw,1\n", "3:11: sw/1 is already used in line 2\n");
	complains(HEADINGS "leaf,1,sw,1\nc,1,sw,2\nleaf,1,sw,2\n",
	          "4:6: leaf/1 is already used in line 2\n4:11: sw/2 is already used in line 3\n");
	complains(HEADINGS "leaf,1,h1,1\nleaf,2,h1,1\n",
	          "3:11: h1/1 is already used in line 2; if that host has several HCAs, write "
	          "mlx5_1/P1 for the port of one\n");
	complains(HEADINGS "leaf,1,h1,mlx5_0\nleaf,2,h1,mlx5_0\n",
	          "3:11: h1 mlx5_0/1 is already used in line 2\n");
	complains(HEADINGS "a,1,b,1\nb,1,a,1\n", "3:1: this cable is in line 2 already\n");
	complains(HEADINGS "a,1,a,1\n", "2:7: a/1 is cabled to itself\n");
	complains("rack_a," HEADINGS "R1,a,1,b,1\nR2,a,2,c,1\n",
	          "3:1: a has the rack R2 here, and R1 in line 2\n");
	complains("type_a," HEADINGS "host,a,1,b,1\nSwitch,a,2,c,1\n",
	          "3:1: a has the type Switch here, and host in line 2\n");
	complains(
	    "guid_a," HEADINGS "0x1,a,1,b,1\n0x2,a,2,c,1\n",
	    "3:1: a has the GUID 0x0000000000000002 here, and 0x0000000000000001 in line 2\n");
	complains("guid_a," HEADINGS "0x1,a,1,b,1\n1,c,2,b,2\n",
	          "3:1: GUID 0x0000000000000001 is that of a in line 2\n");
	complains("type_a," HEADINGS "host,a,3,b,1\n",
	          "2:8: port 3 of a, of type host: an HCA has 2 ports; number 3 of the HCAs in a "
	          "host is mlx5_2/P1\n");
}

static void a_cable_between_two_ports_of_a_node_is_one(void **state)
{
	struct ibc_fabric *fab = list(HEADINGS "a,1,a,200\n");

	(void)state;
	expect_joined(fab, "a", 1, "a", 200);
	ibc_fabric_free(fab);
}

static void every_error_of_a_line_is_told(void **state)
{
	(void)state;
	complains("speed,width," HEADINGS "fast,3x,,1,b,\n"
	          "EDR,4x,a,0,b,x\n"
	          "warp,,a,1,b\n",
	          "2:9: node_a is missing\n"
	          "2:14: port_b is missing\n"
	          "2:6: \"3x\" is not a width: use 1x, 2x, 4x, 8x or 12x\n"
	          "3:10: there is no port 0: port numbers start at 1\n"
	          "3:14: \"x\" is not a port; ports are written 7, P7, Port 7, IB1/7, swp7, 17/2, "
	          "sw17p2, Blade 16_Port 2/20 or mlx5_2/P1\n"
	          "4:12: port_b is missing\n"
	          "4:1: \"warp\" is not a speed; speeds are written EDR (SDR, DDR, QDR, FDR10, "
	          "FDR, HDR, NDR, XDR), 4xEDR, HDR100 or 100G\n");
	complains("guid_a,guid_b," HEADINGS "x,0,a,1,b,1\n", "2:1: \"x\" is not a GUID\n"
	                                                     "2:3: \"0\" is not a GUID\n");
	complains("Switch,Switch Port,Host,HCA,HCA Port\na,1,b,mlx5_0,mlx5_1/1\n",
	          "2:7: mlx5_0 and mlx5_1: two HCAs for one port\n");
	complains(
	    HEADINGS "a,1,b,1,x\n",
	    "2:9: cell 5, and there are only 4 headings: a cell that holds the separator must "
	    "be in quotation marks\n");
}

static void columns_count_characters(void **state)
{
	(void)state;
	complains(HEADINGS "\xe2\x82\xac\xc3\xa4,0,b,1\n",
	          "2:4: there is no port 0: port numbers start at 1\n");
	complains(HEADINGS "\"x\ny\",1,\"\xe2\x82\xac\",0\n",
	          "3:10: there is no port 0: port numbers start at 1\n");
}

static void quotation_marks_that_do_not_match_are_told_where_they_begin(void **state)
{
	(void)state;
	complains(HEADINGS "a,1,\"b,1\nc,1,d,0\n", "2:5: the quotation mark is not closed\n");
	complains(HEADINGS "a,1,\"b\"c,1\ne,0,d,1\n",
	          "2:8: text after the closing quotation mark: inside a cell, double each "
	          "quotation mark\n"
	          "3:3: there is no port 0: port numbers start at 1\n");
	/* reading goes on behind it */
	complains(HEADINGS "a,1,\"b,1\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\ne,0,d,1\n",
	          "2:5: the quotation mark is not closed\n"
	          "23:3: there is no port 0: port numbers start at 1\n");
}

static void texts_are_bounded(void **state)
{
	char text[2000];

	(void)state;
	snprintf(text, sizeof(text), HEADINGS "%0300d,1,b,1\n%0250d,mlx5_0/1,c,1\n", 1, 2);
	complains(text, "2:1: a name longer than 255 bytes\n3:1: a name longer than 255 bytes\n");
	snprintf(text, sizeof(text),
	         "rack_a,type_a,label,length," HEADINGS "%0300d,,%0300d,%0256d,a,1,b,1\n"
	         "%0300d,,,,a,1,b,1\n,%0300d,,,a,1,b,1\n",
	         1, 2, 3, 4, 5);
	complains(text, "2:303: a label longer than 255 bytes\n"
	                "2:604: a length longer than 255 bytes\n"
	                "3:1: a rack longer than 255 bytes\n"
	                "4:2: a type longer than 255 bytes\n");
}

static void a_list_without_a_cable_is_an_error(void **state)
{
	(void)state;
	expect_refusal(read_cable_list, HEADINGS, strlen(HEADINGS), "test holds no cable");
}

static void one_error_is_the_error_and_of_more_the_first_is_told(void **state)
{
	static const char one[] = HEADINGS "a,0,b,1\n";
	static const char two[] = HEADINGS "a,1,b,0\na,0,b,1\n";

	(void)state;
	expect_refusal(read_cable_list, one, strlen(one),
	               "test:2:3: there is no port 0: port numbers start at 1");
	expect_refusal(read_cable_list, two, strlen(two),
	               "test: 2 errors, the first in line 2, column 7: there is no port 0: port "
	               "numbers start at 1");
}

static void what_ends_reading_is_the_last_complaint(void **state)
{
	static const char start[] = HEADINGS "a,0,b,1\n";
	size_t n = strlen(start) + LINE_MAX_BYTES;
	char *text = malloc(n);
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	struct complained all;

	(void)state;
	memset(text, 'x', n);
	memcpy(text, start, strlen(start));
	assert_int_equal(read_plan(read_cable_list, text, n, &fab, &all, &err), -EINVAL);
	assert_string_equal(all.text, "2:3: there is no port 0: port numbers start at 1\n"
	                              "3:0: the line is longer than 1048576 bytes\n");
	assert_int_equal(
	    read_plan(read_cable_list, text + strlen(start), LINE_MAX_BYTES, &fab, &all, &err),
	    -EINVAL);
	assert_memory_equal(all.text, "1:0: the line is longer than 1048576 bytes\n", 43);
	free(text);
}

/* ---- hostile and large files ---- */

static void hundred_thousand_errors_are_counted(void **state)
{
	enum { LINES = 100000, LENGTH = 8 };
	size_t n = strlen(HEADINGS);
	char *text = malloc(n + LINES * LENGTH + 1);
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	struct complained all;

	(void)state;
	assert_non_null(text);
	memcpy(text, HEADINGS, n);
	for (size_t i = 0; i < LINES; i++)
		memcpy(text + n + i * LENGTH, "a,0,b,1\n", LENGTH);
	assert_int_equal(read_plan(read_cable_list, text, n + LINES * LENGTH, &fab, &all, &err),
	                 -EINVAL);
	assert_int_equal(all.num, 4); /* three, and how many more */
	assert_string_equal(err.text, "test: 100000 errors, the first in line 2, column 3: there "
	                              "is no port 0: port numbers start at 1");
	free(text);
}

static void a_million_columns_are_too_many(void **state)
{
	enum { COLUMNS = 1000000 };
	char *text = malloc(COLUMNS + 1);
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	struct complained all;

	(void)state;
	assert_non_null(text);
	memset(text, ',', COLUMNS);
	assert_int_equal(read_plan(read_cable_list, text, COLUMNS, &fab, &all, &err), -EINVAL);
	assert_string_equal(all.text, "1:257: more than 256 cells in a line\n"
	                              "0:0: no line has the column headings: node_a, port_a, "
	                              "node_b and port_b are required\n");
	free(text);
}

static void more_ports_than_a_subnet_has_are_not_believed(void **state)
{
	enum { NODES = 8300 };
	size_t n = strlen(HEADINGS), room = n + NODES * 32;
	char *text = malloc(room);
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	struct complained all;

	(void)state;
	assert_non_null(text);
	memcpy(text, HEADINGS, n);
	for (unsigned int i = 0; i < NODES; i += 2)
		n += (size_t)snprintf(text + n, room - n, "n%u,255,n%u,255\n", i, i + 1);
	assert_int_equal(read_plan(read_cable_list, text, n, &fab, &all, &err), 0);
	ibc_fabric_free(fab);
	assert_string_equal(all.text,
	                    "4098:1: more than 2097152 ports, which no subnet can have\n");
	free(text);
}

static void every_allocation_may_fail(void **state)
{
	static const char text[] = "label,rack_a,type_a,guid_a," HEADINGS
				   "C1,R1,leaf,0x1,a,1,\"b\nb\",mlx5_0/1\n"
				   "C2,R1,leaf,0x1,a,200,\"b\",mlx5_0/1\n";
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	int rc = -ENOMEM;

	(void)state;
	for (unsigned long n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = read_bytes(read_cable_list, text, strlen(text), &fab, &err);
		alloc_fail_at(0);
		if (rc)
			assert_int_equal(rc, -ENOMEM);
	}
	expect_counts(fab, 1, 2, 2);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_a_cable_between_two_named_nodes),
		cmocka_unit_test(rows_and_pods_need_a_word_for_the_end),
		cmocka_unit_test(the_other_columns_are_kept),
		cmocka_unit_test(half_a_rate_is_no_link),
		cmocka_unit_test(what_spreadsheets_write_is_read),
		cmocka_unit_test(quotation_marks_hold_what_would_end_a_cell),
		cmocka_unit_test(headings_of_many_hands_are_known),
		cmocka_unit_test(an_hca_is_part_of_the_name),
		cmocka_unit_test(ports_of_switches_are_not_counted_as_hcas),
		cmocka_unit_test(headings_that_are_missing_are_named),
		cmocka_unit_test(equal_errors_are_counted),
		cmocka_unit_test(lists_of_ufm_are_read),
		cmocka_unit_test(exports_of_netbox_are_read),
		cmocka_unit_test(two_columns_for_one_thing_are_refused),
		cmocka_unit_test(types_are_told_or_guessed),
		cmocka_unit_test(a_column_of_switches_tells_their_type),
		cmocka_unit_test(guids_are_those_told_or_made_up_in_the_order_of_the_file),
		cmocka_unit_test(nodes_of_one_name_go_by_their_guid_as_well),
		cmocka_unit_test(a_line_counts_once_whatever_is_wrong_with_it),
		cmocka_unit_test(a_short_row_without_an_end_is_cut_off),
		cmocka_unit_test(a_node_that_only_disputed_rows_name_is_none),
		cmocka_unit_test(contradictions_name_the_line_before),
		cmocka_unit_test(a_cable_between_two_ports_of_a_node_is_one),
		cmocka_unit_test(every_error_of_a_line_is_told),
		cmocka_unit_test(columns_count_characters),
		cmocka_unit_test(quotation_marks_that_do_not_match_are_told_where_they_begin),
		cmocka_unit_test(texts_are_bounded),
		cmocka_unit_test(a_list_without_a_cable_is_an_error),
		cmocka_unit_test(one_error_is_the_error_and_of_more_the_first_is_told),
		cmocka_unit_test(what_ends_reading_is_the_last_complaint),
		cmocka_unit_test(hundred_thousand_errors_are_counted),
		cmocka_unit_test(a_million_columns_are_too_many),
		cmocka_unit_test(more_ports_than_a_subnet_has_are_not_believed),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
