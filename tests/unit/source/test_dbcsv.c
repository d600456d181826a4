/* SPDX-License-Identifier: BSD-2-Clause */
/* ibdiagnet2.db_csv: what is in it, and what is not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/counters.h>

#include "base/arena.h"
#include "mkattrs.h"
#include "mkdb.h"

static void nodes_are_told_as_nodeinfo_tells_them(void **state)
{
	struct ibc_fabric *fab = load(NODES LINKS);
	const struct ibc_node *leaf = node_of(fab, 0x10), *host = node_of(fab, 0x20);

	(void)state;
	assert_int_equal(leaf->type, IBC_NODE_SWITCH);
	assert_int_equal(leaf->num_ports, 4);
	assert_string_equal(leaf->desc, "MF0;leaf01, left:MQM9700/U1");
	assert_int_equal(leaf->device_id, 54002);
	assert_int_equal(leaf->vendor_id, 713);
	assert_int_equal(leaf->revision, 160);
	assert_int_equal(leaf->ports[0].guid, 0x11);
	assert_int_equal(leaf->line, 3);
	assert_int_equal(host->type, IBC_NODE_CA);
	assert_int_equal(host->system_guid, 0x2f);
	assert_string_equal(host->host_name, "node1");
	assert_string_equal(ibc_fabric_subnet(fab, 0)->kind, "dbcsv");
	ibc_fabric_free(fab);
}

static void links_are_cables(void **state)
{
	struct ibc_fabric *fab = load(NODES LINKS);
	const struct ibc_port *port = port_of(fab, 0x10, 1);

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).cables, 2);
	assert_ptr_equal(port->peer, port_of(fab, 0x20, 1));
	assert_true(ibc_port_has(port, IBC_ATTR_NODE_INFO));
	ibc_fabric_free(fab);
}

/* ---- ports ------------------------------------------------------------------- */

static void ports_are_told_as_portinfo_tells_them(void **state)
{
	struct ibc_fabric *fab = load(NODES PORTS LINKS);
	const struct ibc_port *p = port_of(fab, 0x20, 1);

	(void)state;
	assert_true(ibc_port_has(p, IBC_ATTR_PORT_INFO));
	assert_true(ibc_port_has(p, IBC_ATTR_LINK));
	assert_true(ibc_port_is_up(p));
	assert_int_equal(p->guid, 0x21);
	assert_int_equal(p->state, IBC_STATE_ACTIVE);
	assert_int_equal(p->phys_state, IBC_PHYS_LINKUP);
	assert_int_equal(p->width_active, IBC_WIDTH_4X);
	assert_int_equal(p->width_enabled, IBC_WIDTH_1X | IBC_WIDTH_4X | IBC_WIDTH_2X);
	assert_int_equal(p->width_supported, IBC_WIDTH_1X | IBC_WIDTH_4X | IBC_WIDTH_2X);
	assert_int_equal(p->speed_active, IBC_SPEED_NDR);
	assert_int_equal(p->speed_enabled, IBC_SPEED_SDR | IBC_SPEED_FDR | IBC_SPEED_EDR |
	                                       IBC_SPEED_HDR | IBC_SPEED_NDR);
	assert_int_equal(p->lid, 7);
	assert_int_equal(p->lmc, 0);
	assert_int_equal(p->sm_lid, 1);
	assert_int_equal(p->sm_sl, 0);
	assert_int_equal(ibc_mtu_bytes(p->mtu_active), 4096);
	assert_int_equal(p->vl_cap, 3);
	assert_int_equal(p->vl_active, 2);
	assert_int_equal(p->cap_mask, 2807162954u);
	assert_int_equal(p->subnet_prefix, 0xfe80000000000001);
	assert_int_equal(port_of(fab, 0x10, 1)->guid, 0); /* a switch has one GUID, at port 0 */
	assert_int_equal(port_of(fab, 0x10, 3)->phys_state, IBC_PHYS_POLLING);
	assert_false(ibc_port_has(port_of(fab, 0x10, 3), IBC_ATTR_LINK));
	assert_int_equal(ibc_fabric_subnet(fab, 0)->subnet_prefix, 0xfe80000000000001);
	ibc_fabric_free(fab);
}

static void speeds_are_bytes_of_one_number(void **state)
{
	static const struct {
		const char *number;
		enum ibc_speed speed;
	} speeds[] = {
		{ "1", IBC_SPEED_SDR },        { "2", IBC_SPEED_DDR },
		{ "4", IBC_SPEED_QDR },        { "256", IBC_SPEED_FDR },
		{ "0x200", IBC_SPEED_EDR },    { "1024", IBC_SPEED_HDR },
		{ "2048", IBC_SPEED_NDR },     { "65536", IBC_SPEED_FDR10 },
		{ "65540", IBC_SPEED_FDR10 },  { "16777216", IBC_SPEED_XDR },
		{ "16777217", IBC_SPEED_XDR }, { "4096", IBC_SPEED_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(speeds); i++) {
		char *text = text_of(NODES "START_PORTS\nNodeGuid,PortNum,LinkSpeedActv\n"
		                           "0x20,1,%s\nEND_PORTS\n" LINKS,
		                     speeds[i].number);
		struct ibc_fabric *fab = load(text);

		assert_int_equal(port_of(fab, 0x20, 1)->speed_active, speeds[i].speed);
		ibc_fabric_free(fab);
		free(text);
	}
}

static void what_is_not_told_whole_is_no_portinfo(void **state)
{
	struct ibc_fabric *fab = load(NODES "START_PORTS\n"
	                                    "LinkSpeedActv,PortNum,LinkWidthActv,NODEGUID\n"
	                                    "512,1,2,0x20\n"
	                                    "N/A,1,2,0x10\n"
	                                    "END_PORTS\n" LINKS);
	const struct ibc_port *told = port_of(fab, 0x20, 1), *half = port_of(fab, 0x10, 1);

	(void)state;
	assert_int_equal(ibc_port_answer(told, IBC_ATTR_PORT_INFO), IBC_NOT_ASKED);
	assert_true(ibc_port_has(told, IBC_ATTR_LINK));
	assert_int_equal(told->speed_active, IBC_SPEED_EDR);
	assert_false(ibc_port_has(half, IBC_ATTR_LINK));
	assert_attrs(ibc_fabric_subnet(fab, 0)->provides, IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC,
	             IBC_ATTR_LINK);
	ibc_fabric_free(fab);
}

static void a_value_that_is_missing_is_no_answer(void **state)
{
	struct ibc_fabric *fab = load(
	    NODES PORTS_HEADER
	    "0x20,0x21,1,0xfe80000000000001,1,7,N/A,2,19,19,3841,2048,0,5,4,3841,3,0,5,2,5\n"
	    "END_PORTS\n" LINKS);
	const struct ibc_port *half = port_of(fab, 0x20, 1), *none = port_of(fab, 0x10, 1);

	(void)state;
	assert_true(ibc_port_unanswered(half, IBC_ATTR_PORT_INFO));
	assert_true(ibc_port_has(half, IBC_ATTR_LINK));
	/* a cable leads to it, and no row tells of it */
	assert_true(ibc_port_unanswered(none, IBC_ATTR_PORT_INFO));
	/* nothing leads to it: that it is not listed is not silence */
	assert_false(ibc_port_unanswered(port_of(fab, 0x10, 4), IBC_ATTR_PORT_INFO));
	ibc_fabric_free(fab);
}

static void a_port_that_is_up_without_a_link_has_a_silent_peer(void **state)
{
	struct ibc_fabric *fab = load(NODES PORTS NO_LINKS);

	(void)state;
	assert_true(ibc_port_unanswered(port_of(fab, 0x20, 1), IBC_ATTR_NODE_INFO));
	assert_false(ibc_port_unanswered(port_of(fab, 0x10, 3), IBC_ATTR_NODE_INFO));
	ibc_fabric_free(fab);
}

#define FDR10                                                                                      \
	"START_EXTENDED_PORT_INFO\n"                                                               \
	"NodeGuid,PortGuid,PortNum,LinkSpeedSupported,LinkSpeedEnabled,LinkSpeedActive\n"          \
	"0x20,0x21,1,0x1,0x1,0x1\n0x10,0x11,1,0x1,0x1,N/A\nEND_EXTENDED_PORT_INFO\n"

static void fdr10_is_told_by_the_vendor_in_any_order(void **state)
{
	static const char *const files[] = { NODES FDR10 PORTS LINKS, NODES PORTS FDR10 LINKS };

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct ibc_fabric *fab = load(files[i]);
		const struct ibc_port *p = port_of(fab, 0x20, 1);

		assert_int_equal(p->speed_active, IBC_SPEED_FDR10);
		assert_true(p->speed_enabled & IBC_SPEED_FDR10);
		assert_true(p->speed_supported & IBC_SPEED_FDR10);
		assert_true(ibc_port_has(p, IBC_ATTR_MLNX_EXT_PORT_INFO));
		assert_false(ibc_port_has(port_of(fab, 0x10, 1), IBC_ATTR_MLNX_EXT_PORT_INFO));
		assert_int_equal(port_of(fab, 0x10, 1)->speed_active, IBC_SPEED_NDR);
		ibc_fabric_free(fab);
	}
}

/* ---- nodes ------------------------------------------------------------------- */

static void firmware_is_spelled_as_drivers_do(void **state)
{
	struct ibc_fabric *fab = load(
	    NODES "START_NODES_INFO\nNodeGUID,FWInfo_SubMinor,FWInfo_Minor,FWInfo_Major,"
		  "FWInfo_Extended_Major,FWInfo_Extended_Minor,FWInfo_Extended_SubMinor\n"
		  "0x10,0x0,0x0,0x0,0x1f,0x7dc,0x3f\n0x20,0x1f,14,0x8,N/A,N/A,N/A\n"
		  "0x30,N/A,N/A,N/A,N/A,N/A,N/A\nEND_NODES_INFO\n" LINKS);

	(void)state;
	assert_string_equal(node_of(fab, 0x10)->firmware, "31.2012.0063");
	assert_string_equal(node_of(fab, 0x20)->firmware, "8.20.0031");
	assert_null(node_of(fab, 0x30)->firmware);
	ibc_fabric_free(fab);
}

/* The masks are those of a Quantum-2, and of nothing. */
static void psid_and_capabilities_are_columns_of_their_own(void **state)
{
	struct ibc_fabric *fab = load(
	    NODES
	    "START_NODES_INFO\nNodeGUID,FWInfo_PSID,FWInfo_SubMinor,FWInfo_Minor,FWInfo_Major,"
	    "CapabilityMask_0,CapabilityMask_1,CapabilityMask_2,CapabilityMask_3\n"
	    "0x10,MT_0000000577,1,2,3,0x0d1d01f4,0x00000286,0x00000000,0x00000000\n"
	    "0x20,N/A,1,2,3,0x001d00e0,N/A,N/A,N/A\nEND_NODES_INFO\n" LINKS);

	(void)state;
	assert_string_equal(node_of(fab, 0x10)->psid, "MT_0000000577");
	assert_int_equal(node_of(fab, 0x10)->gmp_capabilities[0], 0x2860d1d01f4);
	assert_int_equal(ibc_node_gmp_capability(node_of(fab, 0x10), IBC_GMP_ACCESS_REGISTER), 1);
	assert_null(node_of(fab, 0x20)->psid);
	assert_int_equal(ibc_node_gmp_capability(node_of(fab, 0x20), IBC_GMP_ACCESS_REGISTER), -1);
	ibc_fabric_free(fab);
}

#define MANAGERS                                                                                   \
	"START_SM_INFO\nNodeGUID,PortGUID,PortNumber,GUID,Sm_Key,ActCount,SmState,Priority\n"      \
	"0x20,0x21,1,0x21,0x0,77,3,14\nEND_SM_INFO\n"
#define LABELS                                                                                     \
	"START_PORT_HIERARCHY_INFO\nNodeGUID,PortGUID,TemplateGUID,PortNum,Label,ExtendedLabel\n"  \
	"0x10,0x11,0x4,1,\"1/1\",\"1/1/1\"\n0x10,0x11,0x4,3,N/A,\"2/1/1\"\n"                       \
	"0x10,0x11,0x4,2,N/A,N/A\nEND_PORT_HIERARCHY_INFO\n"

static void managers_are_told_and_those_that_did_not_answer(void **state)
{
	struct ibc_fabric *fab = load(NODES PORTS LINKS MANAGERS);
	const struct ibc_port *port = ibc_node_port(ibc_fabric_node_by_guid(fab, 0x20), 1);

	(void)state;
	assert_true(ibc_port_has(port, IBC_ATTR_SM_INFO));
	assert_int_equal(port->extra->sm->guid, 0x21);
	assert_int_equal(ibc_sm_state_now(port->extra->sm), IBC_SM_MASTER);
	assert_int_equal(port->extra->sm->priority, 14);
	assert_int_equal(port->extra->sm->act_count, 77);
	assert_int_equal(ibc_sm_life(port->extra->sm), IBC_SM_LIFE_UNKNOWN);
	ibc_fabric_free(fab);
	fab = load(NODES PORTS LINKS
	           "START_SM_INFO\nNodeGUID,PortNum,GUID,ActCount,SmState,Priority\nEND_SM_INFO\n");
	port = ibc_node_port(ibc_fabric_node_by_guid(fab, 0x20), 1);
	assert_true(ibc_port_unanswered(port, IBC_ATTR_SM_INFO) == !!(port->cap_mask & 2));
	ibc_fabric_free(fab);
	/* names of columns that nobody knows say nothing */
	fab = load(NODES PORTS LINKS "START_SM_INFO\nNodeGUID,State\n0x20,3\nEND_SM_INFO\n");
	assert_false(ibc_attrs_has(ibc_fabric_subnet(fab, 0)->provides, IBC_ATTR_SM_INFO));
	ibc_fabric_free(fab);
	loses(NODES PORTS LINKS "START_SM_INFO\nNodeGUID,PortNum,GUID,ActCount,SmState,Priority\n"
	                        "0x20,1,0x21,77,4,14\nEND_SM_INFO\n",
	      "20: invalid value of SmState: 4");
}

static void labels_of_ports_are_kept(void **state)
{
	struct ibc_fabric *fab = load(NODES PORTS LINKS LABELS);
	const struct ibc_node *leaf = ibc_fabric_node_by_guid(fab, 0x10);

	(void)state;
	assert_string_equal(ibc_port_label(&leaf->ports[1]), "1/1");
	assert_string_equal(ibc_port_label(&leaf->ports[3]), "2/1/1");
	assert_null(ibc_port_label(&leaf->ports[2]));
	ibc_fabric_free(fab);
}

#define HIERARCHY                                                                                  \
	"START_PORT_HIERARCHY_INFO\n"                                                              \
	"NodeGUID,PortGUID,PortNum,TemplateGUID,Label,Bus,Device,Function,Type,SlotType,"          \
	"SlotValue,ASIC,Cage,Port,Split,PortType,APort,Plane,NumOfPlanes,ChassisSlotIndex,"        \
	"TrayIndex,BoardType\n"                                                                    \
	"0x10,0x11,1,4,N/A,N/A,N/A,N/A,N/A,N/A,N/A,1,12,2,N/A,3,23,2,4,N/A,N/A,N/A\n"              \
	"0x10,0x11,2,3,\"1/6/2\",N/A,N/A,N/A,N/A,N/A,N/A,1,6,2,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A\n"  \
	"0x10,0x11,4,4,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,2,N/A,N/A,N/A,N/A,N/A,N/A\n"    \
	"0x20,0x21,1,5,\"B184D1F1/0/0/1\",184,1,1,N/A,N/A,N/A,N/A,0,0,1,4,N/A,N/A,N/A,2,0,1\n"     \
	"END_PORT_HIERARCHY_INFO\n"

static void hierarchy_says_what_a_port_is_and_where(void **state)
{
	struct ibc_fabric *fab = load(NODES PORTS LINKS HIERARCHY);
	const struct ibc_port *port = port_of(fab, 0x10, 1);

	(void)state;
	assert_string_equal(ibc_port_label(port), "1/12/2 plane 2 APort 23");
	assert_int_equal(port->extra->plane, 2);
	assert_int_equal(port->extra->num_planes, 4);
	assert_int_equal(port->extra->aport, 23);
	assert_int_equal(port->extra->pci, 0);
	assert_false(ibc_port_is_fnm(port));
	assert_string_equal(ibc_port_label(port_of(fab, 0x10, 2)), "1/6/2");
	assert_string_equal(ibc_port_label(port_of(fab, 0x10, 4)), "FNM");
	assert_true(ibc_port_is_fnm(port_of(fab, 0x10, 4)));
	port = port_of(fab, 0x20, 1);
	assert_string_equal(ibc_port_label(port), "b8:01.1 tray 0 slot 2 board 1");
	assert_int_equal(port->extra->pci, 0xb809);
	ibc_fabric_free(fab);
}

static void what_no_port_can_be_of_is_not_known(void **state)
{
	struct ibc_fabric *fab = load(
	    NODES LINKS "START_PORT_HIERARCHY_INFO\n"
			"NodeGUID,PortNum,Bus,Device,Function,Cage,APort,Plane,NumOfPlanes\n"
			"0x10,1,N/A,N/A,N/A,12,23,0,4\n"
			"0x20,1,184,N/A,1,1,4294967295,4294967295,4\n"
			"0x30,1,4294967295,0,0,2,3,4,4\nEND_PORT_HIERARCHY_INFO\n");

	(void)state;
	assert_string_equal(ibc_port_label(port_of(fab, 0x10, 1)), "12 APort 23");
	assert_string_equal(ibc_port_label(port_of(fab, 0x20, 1)), "1");
	assert_int_equal(port_of(fab, 0x20, 1)->extra->pci, 0);
	assert_int_equal(port_of(fab, 0x20, 1)->extra->plane, 0);
	assert_int_equal(port_of(fab, 0x20, 1)->extra->aport, 0);
	assert_string_equal(ibc_port_label(port_of(fab, 0x30, 1)), "2 plane 4 APort 3");
	assert_int_equal(port_of(fab, 0x30, 1)->extra->pci, 0);
	ibc_fabric_free(fab);
}

static void switchinfo_is_all_of_it_or_no_answer(void **state)
{
	struct ibc_fabric *fab = load(NODES
	                              "START_SWITCHES\nNodeGUID,LinearFDBCap,LinearFDBTop,ENP0\n"
	                              "0x10,49152,78,1\nEND_SWITCHES\n" LINKS),
			  *half = load(NODES "START_SWITCHES\n"
	                                     "NodeGUID,LinearFDBCap,LinearFDBTop,ENP0\n"
	                                     "0x10,49152,N/A,1\nEND_SWITCHES\n" LINKS);
	const struct ibc_node *leaf = node_of(fab, 0x10);

	(void)state;
	assert_true(ibc_node_has(leaf, IBC_ATTR_SWITCH_INFO));
	assert_int_equal(leaf->lft_cap, 49152);
	assert_int_equal(leaf->lft_top, 78);
	assert_true(leaf->enhanced_port0);
	assert_true(ibc_node_unanswered(node_of(half, 0x10), IBC_ATTR_SWITCH_INFO));
	assert_false(ibc_node_unanswered(node_of(half, 0x20), IBC_ATTR_SWITCH_INFO));
	ibc_fabric_free(fab);
	ibc_fabric_free(half);
}

static void the_time_it_was_run_is_the_subnets(void **state)
{
	struct ibc_fabric *fab = load(
	    "# This database file was automatically generated by IBDIAG\n"
	    "# Running timestamp : 2022-08-25 20:45:38 IDT +0300\n\n" NODES "\n\n" LINKS);

	(void)state;
	assert_int_equal(ibc_fabric_subnet(fab, 0)->time, 1661449538);
	ibc_fabric_free(fab);
}

/* ---- what else a sweep reads --------------------------------------------------------- */

#define ENFORCED                                                                                   \
	"START_PORTS\nNodeGuid,PortNum,LinkWidthActv,LinkSpeedActv,PartEnfInb,PartEnfOutb\n"       \
	"0x10,1,2,2048,1,0\n0x20,1,2,2048,0,0\nEND_PORTS\n"
#define KEYS                                                                                       \
	"START_PKEY\nNodeGUID,PortGUID,LocalPortNum,BlockNum,Index,PKey,Membership\n"              \
	"0x10,0x11,1,0,0,0x7fff,1\n0x20,0x21,1,0,0,0x7fff,0\n0x20,0x21,1,0,1,0x0001,1\n"           \
	"0x20,0x21,1,0,2,0x0002,1\n0x20,0x21,1,0,4,0x0003,0\nEND_PKEY\n"

static void partitions_are_tables_of_ports(void **state)
{
	static const uint16_t keys[] = { 0x7fff, 0x8001, 0x8002, 3 };
	struct ibc_fabric *fab = load(NODES ENFORCED LINKS KEYS);
	const struct ibc_pkeys *pkeys = port_of(fab, 0x20, 1)->extra->pkeys;

	(void)state;
	assert_int_equal(pkeys->num_keys, COUNT(keys));
	assert_memory_equal(pkeys->keys, keys, sizeof(keys));
	assert_int_equal(port_of(fab, 0x10, 1)->extra->pkeys->keys[0], 0xffff);
	assert_int_equal(port_of(fab, 0x10, 1)->pkey_enforce, 2);
	assert_true(ibc_attrs_has(ibc_fabric_subnet(fab, 0)->provides, IBC_ATTR_PKEY_TABLE));
	assert_true(ibc_port_unanswered(port_of(fab, 0x30, 1), IBC_ATTR_PKEY_TABLE));
	ibc_fabric_free(fab);
	/* without who enforces them there is nothing to check */
	fab = load(NODES PORTS LINKS KEYS);
	assert_false(ibc_attrs_has(ibc_fabric_subnet(fab, 0)->provides, IBC_ATTR_PKEY_TABLE));
	ibc_fabric_free(fab);
}

static void ticks_and_what_is_known_of_management_are_of_devices(void **state)
{
	struct ibc_fabric *fab = load(
	    NODES PORTS LINKS
	    "START_PM_PORT_SAMPLES_CONTROL\nNodeGUID,PortNumber,Tick\n"
	    "0x10,1,0x07\n0x10,2,0x07\n0x20,1,N/A\n"
	    "END_PM_PORT_SAMPLES_CONTROL\n"
	    "START_GENERAL_INFO_SMP\nNodeGUID,FWInfo_Extended_Major,"
	    "CapabilityMask_0,CapabilityMask_1,CapabilityMask_2,CapabilityMask_3\n"
	    "0x10,0x1f,0x00040002,0x00017000,0x4,0x0\nEND_GENERAL_INFO_SMP\n");
	const struct ibc_node *leaf = node_of(fab, 0x10);

	(void)state;
	assert_true(ibc_node_has(leaf, IBC_ATTR_PORT_SAMPLES_CONTROL));
	assert_int_equal(leaf->xmit_wait_tick, 7);
	assert_true(ibc_node_unanswered(node_of(fab, 0x20), IBC_ATTR_PORT_SAMPLES_CONTROL));
	assert_int_equal(ibc_node_smp_capability(leaf, IBC_SMP_SHARP_AN), 1);
	assert_int_equal(ibc_node_smp_capability(leaf, IBC_SMP_EXT_NODE_INFO), 0);
	assert_int_equal(leaf->smp_capabilities[0], 0x0001700000040002);
	assert_int_equal(leaf->smp_capabilities[1], 4);
	assert_int_equal(ibc_node_smp_capability(node_of(fab, 0x20), IBC_SMP_AR), -1);
	ibc_fabric_free(fab);
}

/* ---- counters that were read twice -------------------------------------------------- */

#define COUNTED_TWICE                                                                              \
	COUNTERS "START_PM_DELTA\nNodeGUID,PortGUID,PortNumber,SymbolErrorCounter,PortXmitData,"   \
		 "PortXmitDataExtended,SymbolErrorCounterExt\n"                                    \
		 "0x10,0x11,1,3,0,64,12\n0x20,0x21,1,5,0xfffffffb,N/A,-1\nEND_PM_DELTA\n"
#define RUN_OF(args)                                                                               \
	"START_RUN_INFO\nIBIS_Version,Date,Args\n\"IBIS 7\",\"2025-03-31 23:43:18 UTC +0000\","    \
	"\"" args "\"\nEND_RUN_INFO\n"

static void what_rose_between_two_readings_is_a_difference(void **state)
{
	struct ibc_fabric *fab = load(RUN_OF("") NODES PORTS LINKS COUNTED_TWICE);
	struct ibc_delta d;

	(void)state;
	assert_int_equal(ibc_fabric_subnet(fab, 0)->time, 1743464598);
	assert_int_equal(ibc_samples_fit(fab, fab, NULL), 0);
	assert_true(ibc_delta_of(fab, port_of(fab, 0x10, 1), &d));
	assert_int_equal(d.value[IBC_SYMBOL_ERROR], 12);
	assert_int_equal(d.value[IBC_XMIT_DATA], 256); /* words of 4 bytes */
	assert_true(d.seconds == 0);
	/* what went backwards was cleared, and what has no row has no difference */
	assert_true(ibc_delta_of(fab, port_of(fab, 0x20, 1), &d));
	assert_int_equal(d.known, 1u << IBC_SYMBOL_ERROR | 1u << IBC_XMIT_DATA);
	assert_int_equal(d.value[IBC_SYMBOL_ERROR], 5);
	assert_int_equal(d.cleared, 1u << IBC_XMIT_DATA);
	assert_true(d.at_least & 1u << IBC_XMIT_DATA);
	assert_int_equal(d.value[IBC_XMIT_DATA], 4000);
	assert_false(ibc_delta_of(fab, port_of(fab, 0x30, 1), &d));
	ibc_fabric_free(fab);
	fab = load(NODES PORTS LINKS COUNTERS);
	assert_int_equal(ibc_samples_fit(fab, fab, NULL), -ENODATA);
	assert_false(ibc_delta_of(fab, port_of(fab, 0x10, 1), &d));
	ibc_fabric_free(fab);
}

static void the_time_between_is_the_pause_that_was_asked_for(void **state)
{
	static const char *const args[] = { "-r --pm_pause_time 600 --pc", "--pm_pause_time=600",
		                            "--pm_pause_time", "--pm_pause_time -r" };

	(void)state;
	for (size_t i = 0; i < COUNT(args); i++) {
		char *text = text_of(RUN_OF("%s") "%s", args[i], NODES PORTS LINKS COUNTED_TWICE);
		struct ibc_fabric *fab = load(text);
		struct ibc_delta d;

		assert_true(ibc_delta_of(fab, port_of(fab, 0x10, 1), &d));
		assert_true(d.seconds == (i < 2 ? 600 : 0));
		ibc_fabric_free(fab);
		free(text);
	}
}

static void what_says_nothing_of_the_model_is_passed_over(void **state)
{
	struct ibc_fabric *fab = load(
	    "START_FILE_INFO\nany\nthing,1\n,,,\nEND_FILE_INFO\n" NODES LINKS
	    "START_STAGE_PERF_INFO\nNodeGUID,Temperature\n0x10,41,7\nEND_STAGE_PERF_INFO\n");

	(void)state;
	assert_int_equal(ibc_fabric_count(fab).nodes, 3);
	ibc_fabric_free(fab);
}

static void blanks_case_and_line_ends_do_not_matter(void **state)
{
	struct ibc_fabric *fab = load(
	    "START_NODES \r\n numports , nodetype,NODEGUID,nodedesc\r\n"
	    " 4 , 2 , 0x10 , \"a \"b\" c\" \r\n1,1,0x20,plain name \r\nEND_NODES\r\n"
	    "START_LINKS\r\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\r\n"
	    "0x10, 0x1, 0x20, 1\r\nEND_LINKS");

	(void)state;
	assert_string_equal(node_of(fab, 0x10)->desc, "a \"b\" c");
	assert_string_equal(node_of(fab, 0x20)->desc, "plain name");
	assert_int_equal(ibc_fabric_count(fab).cables, 1);
	ibc_fabric_free(fab);
}

static void every_allocation_may_fail(void **state)
{
	static const char text[] = NODES PORTS FDR10 LINKS FIRMWARE COUNTERS;
	struct ibc_fabric *fab = NULL;
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		struct ibc_error err = { "" };

		alloc_fail_at(++n);
		rc = read_bytes(read_dbcsv, text, strlen(text), &fab, &err);
		alloc_fail_at(0);
		if (rc)
			assert_int_equal(rc, -ENOMEM);
	} while (rc);
	assert_true(n > 10);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_told_as_nodeinfo_tells_them),
		cmocka_unit_test(links_are_cables),
		cmocka_unit_test(ports_are_told_as_portinfo_tells_them),
		cmocka_unit_test(speeds_are_bytes_of_one_number),
		cmocka_unit_test(what_is_not_told_whole_is_no_portinfo),
		cmocka_unit_test(a_value_that_is_missing_is_no_answer),
		cmocka_unit_test(a_port_that_is_up_without_a_link_has_a_silent_peer),
		cmocka_unit_test(fdr10_is_told_by_the_vendor_in_any_order),
		cmocka_unit_test(firmware_is_spelled_as_drivers_do),
		cmocka_unit_test(psid_and_capabilities_are_columns_of_their_own),
		cmocka_unit_test(managers_are_told_and_those_that_did_not_answer),
		cmocka_unit_test(labels_of_ports_are_kept),
		cmocka_unit_test(hierarchy_says_what_a_port_is_and_where),
		cmocka_unit_test(what_no_port_can_be_of_is_not_known),
		cmocka_unit_test(switchinfo_is_all_of_it_or_no_answer),
		cmocka_unit_test(the_time_it_was_run_is_the_subnets),
		cmocka_unit_test(partitions_are_tables_of_ports),
		cmocka_unit_test(ticks_and_what_is_known_of_management_are_of_devices),
		cmocka_unit_test(what_rose_between_two_readings_is_a_difference),
		cmocka_unit_test(the_time_between_is_the_pause_that_was_asked_for),
		cmocka_unit_test(what_says_nothing_of_the_model_is_passed_over),
		cmocka_unit_test(blanks_case_and_line_ends_do_not_matter),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
