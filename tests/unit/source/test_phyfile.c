/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of ibdiagnet that tell of the physical layer: what is read, and what is passed over. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/array.h"
#include "mkphyfile.h"

#define UNTOLD "0:0: of 1 of 2 ports with a cable no module is known\n"

static const struct ibc_port *port_in(const struct ibc_fabric *fab, uint64_t guid, unsigned int num)
{
	return ibc_node_port(ibc_fabric_node_by_guid(fab, guid), num);
}

/* What one line in place of another makes of the module at leaf01/1. */
static struct ibc_fabric *changed(const char *block, const char *line, const char *by,
                                  const char *notes)
{
	const char *at = strstr(block, line);
	struct ibc_fabric *fab;
	char *text;

	assert_non_null(at);
	assert_true(asprintf(&text, AT("1", "0x10") "%.*s%s%s" CLOSED, (int)(at - block), block, by,
	                     at + strlen(line)) > 0);
	fab = merged_into(leaf_and_host(), text, notes);
	free(text);
	return fab;
}

static void expect_near(double is, double shall)
{
	assert_true(fabs(is - shall) < 1e-3 * fabs(shall) + 1e-9);
}

/* ---- ibdiagnet2.cables --------------------------------------------------------------- */

static void a_module_is_what_the_file_says(void **state)
{
	struct ibc_fabric *fab = merged_into(leaf_and_host(), BEGUN AT("1", "0x10") OPTIC CLOSED,
	                                     UNTOLD);
	const struct ibc_port *port = port_in(fab, 0x10, 1);
	const struct ibc_module *m = port->extra->module;

	(void)state;
	assert_true(ibc_port_has(port, IBC_ATTR_PHY_MODULE));
	assert_true(ibc_attrs_has(port->node->subnet->provides, IBC_ATTR_PHY_MODULE));
	assert_string_equal(m->vendor, "Example Optics");
	assert_string_equal(m->part, "EX-SR4");
	assert_string_equal(m->serial, "EX0001");
	assert_string_equal(m->revision, "A1");
	assert_string_equal(m->firmware, "1.8.0");
	assert_string_equal(m->date, "250118");
	assert_int_equal(m->oui, 0xabcd);
	assert_int_equal(m->kind, IBC_MODULE_OPTICAL);
	assert_int_equal(m->form, IBC_FORM_OSFP);
	assert_int_equal(m->technology, IBC_TECHNOLOGY_VCSEL_850);
	assert_true(isnan(m->length_m));
	assert_true(m->rx_average);
	assert_int_equal(m->rates, 0);
	assert_int_equal(m->monitored, (1 << IBC_DDMS) - 1);
	expect_near(m->ddm[IBC_DDM_TEMPERATURE].now[0], 58);
	expect_near(m->ddm[IBC_DDM_TEMPERATURE].high, 80);
	expect_near(m->ddm[IBC_DDM_TEMPERATURE].low, -5);
	expect_near(m->ddm[IBC_DDM_VOLTAGE].now[0], 3.3034);
	expect_near(m->ddm[IBC_DDM_VOLTAGE].low, 2.97);
	assert_false(ibc_port_has(port_in(fab, 0x20, 1), IBC_ATTR_PHY_MODULE));
	ibc_fabric_free(fab);
}

static void powers_are_signed_dbm_printed_without_a_sign(void **state)
{
	struct ibc_fabric *fab = merged_into(leaf_and_host(), AT("1", "0x10") OPTIC, UNTOLD);
	const struct ibc_ddm_reading *rx =
	    &port_in(fab, 0x10, 1)->extra->module->ddm[IBC_DDM_RX_POWER];

	(void)state;
	expect_near(rx->now[0], 1000);     /* "-999.999 mW, 0.000 dBm" */
	expect_near(rx->now[1], 1584.893); /* 2 dBm */
	expect_near(rx->now[2], 0.1);      /* 65496: -40 dBm */
	expect_near(rx->now[3], 630.957);  /* 65534: -2 dBm */
	assert_true(isnan(rx->now[4]));
	expect_near(rx->high, 2511.886);
	expect_near(rx->low, 251.189); /* 65530: -6 dBm */
	ibc_fabric_free(fab);
}

static void limits_of_bias_are_in_units_of_two_microamperes(void **state)
{
	struct ibc_fabric *fab = merged_into(leaf_and_host(), AT("1", "0x10") OPTIC, UNTOLD);
	const struct ibc_ddm_reading *bias =
	    &port_in(fab, 0x10, 1)->extra->module->ddm[IBC_DDM_BIAS];

	(void)state;
	expect_near(bias->now[0], 7242);
	expect_near(bias->now[3], 0);
	expect_near(bias->high, 13000);
	expect_near(bias->low, 3000);
	ibc_fabric_free(fab);
}

static void passive_copper_measures_nothing(void **state)
{
	struct ibc_fabric *fab = merged_into(leaf_and_host(), AT("1", "0x10") COPPER, UNTOLD);
	const struct ibc_module *m = port_in(fab, 0x10, 1)->extra->module;

	(void)state;
	assert_int_equal(m->kind, IBC_MODULE_PASSIVE_COPPER);
	assert_int_equal(m->technology, IBC_TECHNOLOGY_COPPER);
	expect_near(m->length_m, 2);
	assert_int_equal(m->rates, IBC_SPEED_SDR | IBC_SPEED_EDR | IBC_SPEED_HDR | IBC_SPEED_NDR);
	assert_string_equal(m->date, "09071000");
	assert_null(m->firmware);
	assert_int_equal(m->monitored, 0);
	for (unsigned int i = 0; i < IBC_DDMS; i++)
		assert_true(isnan(m->ddm[i].now[0]) && isnan(m->ddm[i].low) &&
		            isnan(m->ddm[i].high));
	ibc_fabric_free(fab);
}

static void flags_are_of_lanes_and_alarm_words_are_not_taken(void **state)
{
	struct ibc_fabric *fab = merged_into(leaf_and_host(), AT("1", "0x10") OPTIC, UNTOLD);
	const struct ibc_port *port = port_in(fab, 0x10, 1);
	const uint8_t *latched = port->extra->module->latched;

	(void)state;
	assert_true(ibc_port_has(port, IBC_ATTR_PHY_MODULE_LATCHES));
	assert_true(port->extra->module->has_latched);
	assert_int_equal(latched[IBC_LATCH_RX_LOS], 4);
	assert_int_equal(latched[IBC_LATCH_TX_LOS], 0);
	assert_int_equal(latched[IBC_LATCH_RX_LOL], 0xf);
	assert_int_equal(latched[IBC_LATCH_TX_LOL], 2);
	assert_int_equal(latched[IBC_LATCH_TEMPERATURE], 0);
	assert_int_equal(latched[IBC_LATCH_BIAS_LOW], 0);
	ibc_fabric_free(fab);
}

static void a_temperature_of_zero_is_none_and_one_below_is_one(void **state)
{
	static const struct {
		const char *line;
		double celsius;
	} cases[] = { { "Temperature: 0C", NAN },
		      { "Temperature: N/A", NAN },
		      { "Temperature: NA", NAN },
		      { "Temperature: -3C", -3 },
		      { "Temperature: 81C", 81 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ibc_fabric *fab = changed(OPTIC, "Temperature: 58C", cases[i].line, UNTOLD);
		const struct ibc_module *m = port_in(fab, 0x10, 1)->extra->module;
		double now = m->ddm[IBC_DDM_TEMPERATURE].now[0];

		assert_true(isnan(cases[i].celsius) ? isnan(now) : now == cases[i].celsius);
		assert_int_equal(m->monitored & 1, !isnan(cases[i].celsius));
		ibc_fabric_free(fab);
	}
}

static void what_cannot_be_a_value_is_unknown_and_reported(void **state)
{
	static const struct {
		const char *line, *by, *note;
		enum ibc_ddm ddm;
	} cases[] = {
		{ "Temperature: 58C", "Temperature: hot",
		  "14:0: not understood: \"Temperature: \"hot\"\"\n", IBC_DDM_TEMPERATURE },
		{ "Temperature: 58C", "Temperature: 58",
		  "14:0: 1 number has no unit, skipped: Temperature: \"58\"\n",
		  IBC_DDM_TEMPERATURE },
		{ "RX1 Power: -999.999 mW, 0.000 dBm", "RX1 Power: nan mW, nan dBm",
		  "18:0: not understood: \"RX1 Power: \"nan mW, nan dBm\"\"\n", IBC_DDM_RX_POWER },
		{ "RX1 Power: -999.999 mW, 0.000 dBm", "RX1 Power: inf mW, 30000.000 dBm",
		  "18:0: not understood: \"RX1 Power: \"inf mW, 30000.000 dBm\"\"\n",
		  IBC_DDM_RX_POWER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *notes;
		struct ibc_fabric *fab;

		assert_true(asprintf(&notes, "%s" UNTOLD, cases[i].note) > 0);
		fab = changed(OPTIC, cases[i].line, cases[i].by, notes);
		assert_true(isnan(port_in(fab, 0x10, 1)->extra->module->ddm[cases[i].ddm].now[0]));
		ibc_fabric_free(fab);
		free(notes);
	}
}

static void a_lane_without_any_light_may_be_said_in_milliwatts(void **state)
{
	struct ibc_fabric *fab = changed(OPTIC, "RX1 Power: -999.999 mW, 0.000 dBm",
	                                 "RX1 Power: 0.000 mW, -inf dBm", UNTOLD);

	(void)state;
	assert_true(port_in(fab, 0x10, 1)->extra->module->ddm[IBC_DDM_RX_POWER].now[0] == 0);
	ibc_fabric_free(fab);
}

static void kinds_follow_from_technology_and_length(void **state)
{
	struct ibc_fabric *fab = changed(OPTIC, "Length: NA", "Length: 20 m", UNTOLD);

	(void)state;
	assert_int_equal(port_in(fab, 0x10, 1)->extra->module->kind, IBC_MODULE_ACTIVE_CABLE);
	ibc_fabric_free(fab);
	fab = changed(COPPER, "Transmitter Technology: 0x0a", "Transmitter Technology: 0xd0",
	              UNTOLD);
	assert_int_equal(port_in(fab, 0x10, 1)->extra->module->kind, IBC_MODULE_ACTIVE_CABLE);
	ibc_fabric_free(fab);
	fab = changed(COPPER, "Transmitter Technology: 0x0a", "Transmitter Technology: N/A",
	              UNTOLD);
	assert_int_equal(port_in(fab, 0x10, 1)->extra->module->kind, IBC_MODULE_PASSIVE_COPPER);
	ibc_fabric_free(fab);
}

/* ---- whose it is ------------------------------------------------------------------------ */

static void a_guid_may_be_that_of_a_node_or_of_a_port(void **state)
{
	struct ibc_fabric *fab = merged_into(leaf_and_host(),
	                                     AT("1", "0x10") OPTIC AT("1", "0x21") COPPER, "");

	(void)state;
	assert_string_equal(port_in(fab, 0x10, 1)->extra->module->serial, "EX0001");
	assert_string_equal(port_in(fab, 0x20, 1)->extra->module->serial, "EX0002");
	ibc_fabric_free(fab);
}

static void what_the_fabric_has_not_is_reported_once_with_a_number(void **state)
{
	struct ibc_fabric *fab = merged_into(
	    leaf_and_host(),
	    AT("1", "0x99") OPTIC AT("9", "0x10") OPTIC AT("1", "0x98") COPPER AT("1", "0x10")
		COPPER AT("1", "0x10") OPTIC AT("2", "0x10") "Vendor: N/A\nFuture: 1\n",
	    "209:0: 1 key is not known, skipped: Future: \"1\"\n"
	    "2:0: 2 entries are of GUIDs that are not in this fabric, skipped; the first: "
	    "0x0000000000000099\n"
	    "48:0: 1 entry is of a port that its node does not have, skipped: port 9 of "
	    "0x0000000000000010\n"
	    "206:0: 1 entry is of a module that is known already, skipped: port 1 of "
	    "0x0000000000000010\n"
	    "209:0: 1 module has no value at all, skipped: port 2 of 0x0000000000000010\n" UNTOLD);

	(void)state;
	assert_string_equal(port_in(fab, 0x10, 1)->extra->module->serial, "EX0002");
	assert_null(port_in(fab, 0x10, 2)->extra->module);
	assert_false(ibc_port_has(port_in(fab, 0x10, 2), IBC_ATTR_PHY_MODULE));
	ibc_fabric_free(fab);
}

static void what_the_device_told_itself_stays(void **state)
{
	static const struct ibc_module own = { .serial = "OWN" };
	struct mkfab m = leaf_and_host();
	struct ibc_fabric *fab;

	(void)state;
	port_extra(port(m, 0x10, 1))->module = &own;
	answers_put(port(m, 0x10, 1), IBC_ATTR_PHY_MODULE, ANSWER_OK);
	answers_put(port(m, 0x20, 1), IBC_ATTR_PHY_MODULE, ANSWER_NONE);
	fab = merged_into(m, AT("1", "0x10") OPTIC AT("1", "0x20") COPPER,
	                  "48:0: 1 entry is of a module that is known already, skipped: port 1 of "
	                  "0x0000000000000010\n");
	assert_string_equal(port_in(fab, 0x10, 1)->extra->module->serial, "OWN");
	assert_true(ibc_port_has(port_in(fab, 0x20, 1), IBC_ATTR_PHY_MODULE));
	ibc_fabric_free(fab);
}

#define DUMP_HEAD                                                                                  \
	"# remark\nTy : # : #IB : GUID : LID : FEC mode : RTR : Raw BER : Effective BER : "        \
	"Symbol BER : Symbol Err : Effective Err : Node Desc\n"

/* What it lacks is lost; what it has is read. */
static void a_file_that_is_cut_says_less(void **state)
{
	struct ibc_fabric *fab = merged_into(
	    leaf_and_host(), BEGUN AT("1", "0x10") OPTIC,
	    "49:0: the file is cut off: the line \"# File closed at\" is missing\n" UNTOLD);

	(void)state;
	assert_non_null(port_in(fab, 0x10, 1)->extra->module);
	ibc_fabric_free(fab);
	fab = merged_into(leaf_and_host(), AT("1", "0x10") "Vendor: Exam",
	                  "4:0: the file is cut off: the line \"# File closed at\" is "
	                  "missing\n" UNTOLD);
	ibc_fabric_free(fab);
	fab = merged_into(leaf_and_host(),
	                  DUMP_HEAD "SW : 1 : 1 : 0x10 : 7\n"
	                            "SW : 1 : 1 : 0x10 : 7 : N/A : NO-RTR :  :  :  :  :  : \"le",
	                  "3:0: not understood: \"SW\"\n"
	                  "4:0: the file is cut off: its last line has no end\n");
	ibc_fabric_free(fab);
}

static void a_file_of_another_fabric_is_refused(void **state)
{
	(void)state;
	expect_unmerged(AT("1", "0x98") OPTIC AT("1", "0x99") OPTIC CLOSED,
	                "test is of another fabric: none of its 2 GUIDs is in this one (the first "
	                "is 0x0000000000000098)");
	expect_unmerged("Port=x Lid=0x1 GUID=0x10 Port Name=\n",
	                "test:1: expected \"Port=N Lid=0x... GUID=0x... Port Name=...\"");
	expect_unmerged("what is this\n",
	                "test is neither ibdiagnet2.cables, ibdiagnet2.db_csv nor "
	                "ibdiagnet2.net_dump_ext");
	expect_unmerged("", "test is neither ibdiagnet2.cables, ibdiagnet2.db_csv nor "
	                    "ibdiagnet2.net_dump_ext");
}

static void text_that_is_not_ascii_stays_text(void **state)
{
	struct ibc_fabric *fab = changed(OPTIC, "SN: EX0001", "SN: \xff\xff\xff\x01", UNTOLD);

	(void)state;
	assert_string_equal(port_in(fab, 0x10, 1)->extra->module->serial,
	                    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	ibc_fabric_free(fab);
}

/* ---- ibdiagnet2.db_csv ------------------------------------------------------------------- */

#define FEC_MODE                                                                                   \
	"START_FEC_MODE\nNodeGuid,PortGuid,PortNum,FECActv,EDRFECSup\n0x10,0x10,1,14,0x000d\n"     \
	"0x20,0x21,1,4,0x000d\n0x10,0x10,2,255,0x000d\n0x10,0x10,3,N/A,N/A\nEND_FEC_MODE\n"
#define TEMPERATURES                                                                               \
	"START_TEMP_SENSING\nNodeGUID,CurrentTemperature\n0x10,46\n0x20,0\n0x77,40\n"              \
	"END_TEMP_SENSING\n"

static void sections_of_db_csv_are_merged(void **state)
{
	struct ibc_fabric *fab = merged_into(
	    leaf_and_host(), "START_NODES\nanything\nEND_NODES\n" FEC_MODE TEMPERATURES,
	    "15:0: 1 entry is of a GUID that is not in this fabric, skipped: 0x0000000000000077\n");
	const struct ibc_node *leaf = ibc_fabric_node_by_guid(fab, 0x10);

	(void)state;
	assert_int_equal(port_in(fab, 0x10, 1)->extra->phy->fec_active, IBC_FEC_RS_271_PLR);
	assert_int_equal(port_in(fab, 0x20, 1)->extra->phy->fec_active, IBC_FEC_RS_544);
	assert_true(ibc_port_has(port_in(fab, 0x10, 1), IBC_ATTR_PHY_STATE));
	assert_null(port_in(fab, 0x10, 2)->extra->phy);
	assert_false(ibc_port_has(port_in(fab, 0x10, 2), IBC_ATTR_PHY_STATE));
	assert_int_equal(leaf->num_sensors, 1);
	assert_true(leaf->sensors[0].now == 46);
	assert_int_equal(leaf->sensors[0].kind, IBC_SENSOR_TEMPERATURE);
	assert_true(ibc_node_has(leaf, IBC_ATTR_PHY_TEMPERATURE));
	assert_int_equal(ibc_fabric_node_by_guid(fab, 0x20)->num_sensors, 0);
	ibc_fabric_free(fab);
}

static void cable_info_is_read_by_its_headings(void **state)
{
	struct ibc_fabric *fab = merged_into(
	    leaf_and_host(),
	    "START_CABLE_INFO\n"
	    "NodeGuid,PortGuid,PortNum,Vendor,OUI,PN,SN,Rev,LengthDesc,Identifier,Type,TypeDesc,"
	    "Temperature,RX1Power,RX2Power,SupplyVoltageReporting,AlarmTemperatureHighThresh,"
	    "AlarmTemperatureLowThresh,NewColumn\n"
	    "0x10,0x10,1,\"Example, Inc\",0xabcd,EX-AOC,EX0003,A1,20 m,24,12,\"850 nm VCSEL\","
	    "58C,65496,\"1.585 mW, 2.000 dBm\",3300000uV,80C,-5C,7\nEND_CABLE_INFO\n",
	    "2:0: 1 key is not known, skipped: NewColumn\n"
	    "3:0: 1 number has no unit, skipped: RX1Power: \"65496\"\n" UNTOLD);
	const struct ibc_module *m = port_in(fab, 0x10, 1)->extra->module;

	(void)state;
	assert_string_equal(m->vendor, "Example, Inc");
	assert_string_equal(m->serial, "EX0003");
	assert_int_equal(m->technology, IBC_TECHNOLOGY_VCSEL_850);
	assert_int_equal(m->kind, IBC_MODULE_ACTIVE_CABLE);
	expect_near(m->length_m, 20);
	expect_near(m->ddm[IBC_DDM_TEMPERATURE].now[0], 58);
	assert_true(isnan(m->ddm[IBC_DDM_RX_POWER].now[0]));
	expect_near(m->ddm[IBC_DDM_RX_POWER].now[1], 1584.893);
	ibc_fabric_free(fab);
}

static void sections_with_numbered_columns_are_passed_over_and_reported(void **state)
{
	struct ibc_fabric *fab = merged_into(
	    leaf_and_host(), TEMPERATURES "START_PHY_DB16\nNodeGuid,field0\n0x10,5\nEND_PHY_DB16\n",
	    "5:0: 1 entry is of a GUID that is not in this fabric, skipped: 0x0000000000000077\n"
	    "7:0: 1 section has columns without names, skipped: PHY_DB16\n");

	(void)state;
	assert_null(port_in(fab, 0x10, 1)->extra->phy);
	ibc_fabric_free(fab);
}

/* What is left of a damaged one is merged. */
static void a_db_csv_without_such_sections_is_refused(void **state)
{
	struct ibc_fabric *fab;

	(void)state;
	expect_unmerged("START_NODES\nanything\nEND_NODES\n",
	                "test contains nothing of the physical layer");
	fab = merged_into(leaf_and_host(),
	                  "START_FEC_MODE\nNodeGuid,PortNum,FECActv\n0x10,1,RS\n0x10,1,4\n",
	                  "3:0: invalid value of FECActv: \"RS\"\n"
	                  "4:0: the block FEC_MODE, which begins in line 1, does not end\n");
	assert_int_equal(port_in(fab, 0x10, 1)->extra->phy->fec_active, IBC_FEC_RS_544);
	ibc_fabric_free(fab);
}

/* ---- ibdiagnet2.net_dump_ext ---------------------------------------------------------------- */

static void a_dump_tells_error_rates(void **state)
{
	struct ibc_fabric *fab = merged_into(
	    leaf_and_host(),
	    DUMP_HEAD "SW : 1 : 1 : 0x10 : 7 (0x7) : STD-RS : NO-RTR : 1.5e-08 : 15E-255 : 3e-15 : "
		      "12 : 0 : \"a: b\"\n"
		      "SW : 2 : 2 : 0x10 : 7 (0x7) : N/A : NO-RTR :  :  :  :  :  : \"leaf01\"\n"
		      "CA : 1 : 1 : 0x20 : 8 (0x8) : XX : NO-RTR : 2 :  : 0 :  :  : \"host01\"\n",
	    "5:0: not understood: \"2\"\n5:0: not understood: \"XX\"\n");
	const struct ibc_phy *phy = port_in(fab, 0x10, 1)->extra->phy;

	(void)state;
	assert_int_equal(phy->fec_active, IBC_FEC_RS_528);
	assert_int_equal(phy->known_bers, 7);
	expect_near(ibc_ber_value(phy->ber[IBC_BER_RAW]), 1.5e-8);
	assert_int_equal(phy->ber[IBC_BER_EFFECTIVE].coefficient, 15);
	assert_int_equal(phy->ber[IBC_BER_EFFECTIVE].magnitude, 255);
	assert_true(ibc_ber_value(phy->ber[IBC_BER_EFFECTIVE]) == 0);
	assert_true(fabs(ibc_ber_value(phy->ber[IBC_BER_SYMBOL]) - 3e-15) < 1e-17);
	assert_true(ibc_phy_knows(phy, IBC_PHY_SYMBOL_ERRORS));
	assert_int_equal(phy->value[IBC_PHY_SYMBOL_ERRORS], 12);
	assert_true(ibc_phy_knows(phy, IBC_PHY_EFFECTIVE_ERRORS));
	assert_false(ibc_phy_knows(phy, IBC_PHY_BITS_RECEIVED));
	assert_true(ibc_port_has(port_in(fab, 0x10, 1), IBC_ATTR_PHY_ERRORS));
	assert_false(ibc_port_has(port_in(fab, 0x10, 2), IBC_ATTR_PHY_ERRORS));
	phy = port_in(fab, 0x20, 1)->extra->phy;
	assert_int_equal(phy->known_bers, 1 << IBC_BER_SYMBOL);
	assert_int_equal(phy->fec_active, IBC_FEC_UNKNOWN);
	ibc_fabric_free(fab);
}

static void a_dump_of_which_nothing_is_understood_is_refused(void **state)
{
	(void)state;
	expect_unmerged(DUMP_HEAD "SW : 1 : 1 : 0x10 : 7\n", "test:3: not understood: \"SW\"");
	expect_unmerged(DUMP_HEAD, "test contains nothing of the physical layer");
}

/* ---- the snapshot ------------------------------------------------------------------------------
 */

static void a_snapshot_keeps_what_was_merged(void **state)
{
	struct mkfab m = leaf_and_host();
	struct ibc_fabric *fab, *again, *third;
	struct complained all;
	const struct ibc_port *leaf, *host;
	char *first, *second, *last;
	size_t n;

	(void)state;
	assert_int_equal(merge(m, FEC_MODE TEMPERATURES, strlen(FEC_MODE TEMPERATURES), &all, NULL),
	                 0);
	fab = merged_into(m, AT("1", "0x10") OPTIC AT("1", "0x21") COPPER, "");
	first = bytes_of(fab, "snapshot", &n);
	again = fabric_of(read_snapshot, first, n);
	leaf = port_in(again, 0x10, 1);
	host = port_in(again, 0x20, 1);
	assert_memory_equal(&port_in(fab, 0x10, 1)->answers, &leaf->answers, sizeof(leaf->answers));
	assert_int_equal(leaf->extra->phy->fec_active, IBC_FEC_RS_271_PLR);
	assert_true(leaf->node->sensors[0].now == 46);
	assert_string_equal(host->extra->module->part, "EX-DAC2");
	/* the first differs by the name of the file */
	second = bytes_of(again, "snapshot", &n);
	third = fabric_of(read_snapshot, second, n);
	last = bytes_of(third, "snapshot", &n);
	assert_string_equal(second, last);
	free(first);
	free(second);
	free(last);
	ibc_fabric_free(fab);
	ibc_fabric_free(again);
	ibc_fabric_free(third);
}

static void running_out_of_memory_is_reported(void **state)
{
	static const char *const texts[] = {
		AT("1", "0x10") OPTIC AT("1", "0x21") COPPER AT("1", "0x99"),
		FEC_MODE TEMPERATURES "START_CABLE_INFO\nNodeGuid,PortNum,SN\n0x21,1,S1\n"
				      "END_CABLE_INFO\n",
		DUMP_HEAD "SW : 1 : 1 : 0x10 : 7 : STD-RS : NO-RTR : 1e-8 :  :  :  :  : x\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		int rc = -ENOMEM;

		for (unsigned long n = 1; rc == -ENOMEM; n++) {
			struct mkfab m = leaf_and_host();
			struct complained all;

			alloc_fail_at(n);
			rc = merge(m, texts[i], strlen(texts[i]), &all, NULL);
			alloc_fail_at(0);
			fabric_build_free(m.b);
		}
		assert_int_equal(rc, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_module_is_what_the_file_says),
		cmocka_unit_test(powers_are_signed_dbm_printed_without_a_sign),
		cmocka_unit_test(limits_of_bias_are_in_units_of_two_microamperes),
		cmocka_unit_test(passive_copper_measures_nothing),
		cmocka_unit_test(flags_are_of_lanes_and_alarm_words_are_not_taken),
		cmocka_unit_test(a_temperature_of_zero_is_none_and_one_below_is_one),
		cmocka_unit_test(what_cannot_be_a_value_is_unknown_and_reported),
		cmocka_unit_test(a_lane_without_any_light_may_be_said_in_milliwatts),
		cmocka_unit_test(kinds_follow_from_technology_and_length),
		cmocka_unit_test(a_guid_may_be_that_of_a_node_or_of_a_port),
		cmocka_unit_test(what_the_fabric_has_not_is_reported_once_with_a_number),
		cmocka_unit_test(what_the_device_told_itself_stays),
		cmocka_unit_test(a_file_that_is_cut_says_less),
		cmocka_unit_test(a_file_of_another_fabric_is_refused),
		cmocka_unit_test(text_that_is_not_ascii_stays_text),
		cmocka_unit_test(sections_of_db_csv_are_merged),
		cmocka_unit_test(cable_info_is_read_by_its_headings),
		cmocka_unit_test(sections_with_numbered_columns_are_passed_over_and_reported),
		cmocka_unit_test(a_db_csv_without_such_sections_is_refused),
		cmocka_unit_test(a_dump_tells_error_rates),
		cmocka_unit_test(a_dump_of_which_nothing_is_understood_is_refused),
		cmocka_unit_test(a_snapshot_keeps_what_was_merged),
		cmocka_unit_test(running_out_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
