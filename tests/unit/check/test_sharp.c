/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks of SHARP say, and where they say nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "findings.h"
#include "mksm.h"

#define HOSTS  3
#define SWITCH 0x100 /* switch i is SWITCH + i, with HOST + i and aggregation node AN + i */
#define HOST   0x200
#define AN     0x300
#define INNER  41 /* the port of a switch that leads to its aggregation node */

static struct ibc_service services[3];
static struct ibc_sa administration;

/* Switches with a host each; the first host is asked from, the second has the master's LID. */
static struct mkfab fabric(unsigned int switches, unsigned int aggregators)
{
	struct mkfab m = mkfab();
	char name[32];

	for (unsigned int i = 0; i < switches; i++) {
		snprintf(name, sizeof(name), "leaf%02u", i + 1);
		mk_switch(m, SWITCH + i, name, INNER);
		snprintf(name, sizeof(name), "host%02u mlx5_0", i + 1);
		mk_ca(m, HOST + i, name, 2);
		cable(m, SWITCH + i, 1, HOST + i, 1);
		if (i < aggregators) {
			mk_ca(m, AN + i, "Mellanox Technologies Aggregation Node", 1);
			cable(m, SWITCH + i, INNER, AN + i, 1);
		}
	}
	administration = (struct ibc_sa){ .services = services };
	m.subnet->sa = &administration;
	m.subnet->origin = port(m, HOST, 1);
	port(m, HOST, 1)->sm_lid = port(m, HOST + 1, 1)->lid;
	answers_put(port(m, HOST, 1), IBC_ATTR_SA_CLASS_PORT_INFO, ANSWER_OK);
	answers_put(port(m, HOST, 1), IBC_ATTR_SERVICE_RECORD, ANSWER_OK);
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SERVICE_RECORD);
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SA_CLASS_PORT_INFO);
	return m;
}

/* One more manager is registered, at the port of this GUID. */
static void serve(uint64_t guid)
{
	struct ibc_service *s = &services[administration.num_services++];

	*s = (struct ibc_service){ .gid = { 0xfe, 0x80 }, .lease_seconds = 60 };
	for (int i = 0; i < 8; i++)
		s->gid[15 - i] = (uint8_t)(guid >> 8 * i);
}

/* With the aggregation manager where it belongs. */
static struct mkfab served(unsigned int switches, unsigned int aggregators)
{
	struct mkfab m = fabric(switches, aggregators);

	serve(port(m, HOST + 1, 1)->guid);
	return m;
}

static void expect_where_it_is_expected(struct mkfab m, const char *findings)
{
	struct ibc_config *config;

	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "sharp.manager", "expect", "1", NULL), 0);
	expect_of(report_of(m, "sharp", config), findings);
	ibc_config_free(config);
}

/* ---- sharp.manager ---- */

static void a_manager_at_the_master_is_well(void **state)
{
	(void)state;
	expect(served(HOSTS, HOSTS), "sharp", "");
	expect_where_it_is_expected(served(HOSTS, HOSTS), "");
}

static void without_aggregation_nodes_nobody_is_missed(void **state)
{
	(void)state;
	expect(fabric(HOSTS, 0), "sharp", "");
}

static void aggregation_nodes_that_nobody_uses_are_no_fault(void **state)
{
	(void)state;
	expect(fabric(HOSTS, 2), "sharp",
	       "info fabric: no aggregation manager is registered for SHARP; 2 aggregation nodes "
	       "not used\n");
}

static void who_is_expected_is_missed(void **state)
{
	(void)state;
	expect_where_it_is_expected(fabric(HOSTS, 1),
	                            "warning fabric: no aggregation manager is registered for "
	                            "SHARP; 1 aggregation node not used\n");
	expect_where_it_is_expected(fabric(HOSTS, 0),
	                            "warning fabric: no aggregation manager is registered for "
	                            "SHARP; no aggregation nodes were found\n");
}

static void who_keeps_no_such_records_has_none(void **state)
{
	struct mkfab m = fabric(HOSTS, 1);

	(void)state;
	answers_put(port(m, HOST, 1), IBC_ATTR_SERVICE_RECORD, ANSWER_UNSUPPORTED);
	expect(
	    m, "sharp",
	    "info fabric: no aggregation manager is registered for SHARP; 1 aggregation node not "
	    "used\n");
}

#define UNKNOWN "fabric: it is not known whether SHARP has an aggregation manager: "

static void silence_is_no_absence(void **state)
{
	static const struct {
		enum answer answer;
		unsigned int aggregators;
		const char *says;
	} cases[] = {
		{ ANSWER_NONE, 1,
		  "unknown " UNKNOWN "subnet administration (SA) does not answer ServiceRecord\n" },
		{ ANSWER_REFUSED, 1,
		  "unknown " UNKNOWN "subnet administration (SA) refuses ServiceRecord\n" },
		{ ANSWER_REFUSED, 0, "" }, /* who has no SHARP need not hear of it */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mkfab m = fabric(HOSTS, cases[i].aggregators);
		struct ibc_report *rep;

		answers_put(port(m, HOST, 1), IBC_ATTR_SERVICE_RECORD, cases[i].answer);
		rep = report_of(m, "sharp", NULL);
		assert_true(!cases[i].aggregators || ibc_report_finding(rep, 0)->unanswered == 1);
		expect_of(rep, cases[i].says);
	}
}

/* It may be of the kind that was asked for. */
static void what_is_not_known_is_kept_whatever_its_kind(void **state)
{
	struct mkfab m = fabric(HOSTS, 1);

	(void)state;
	answers_put(port(m, HOST, 1), IBC_ATTR_SERVICE_RECORD, ANSWER_NONE);
	expect(m, "sharp.manager:place",
	       "unknown " UNKNOWN "subnet administration (SA) does not answer ServiceRecord\n");
	expect(fabric(HOSTS, 1), "sharp.manager:place", "");
}

static void a_silence_of_all_is_told_once(void **state)
{
	struct mkfab m = fabric(HOSTS, 1);

	(void)state;
	answers_put(port(m, HOST, 1), IBC_ATTR_SERVICE_RECORD, ANSWER_NONE);
	answers_put(port(m, HOST, 1), IBC_ATTR_SA_CLASS_PORT_INFO, ANSWER_NONE);
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SM_INFO);
	expect(m, "sharp,sm.sa-silent",
	       "critical fabric: subnet administration (SA) at LID 513 does not answer\n");
}

static void a_source_that_does_not_tell_says_so(void **state)
{
	struct mkfab m = fabric(HOSTS, 1);

	(void)state;
	m.subnet->sa = NULL;
	m.subnet->origin = NULL;
	m.subnet->provides = ibc_attrs_minus(m.subnet->provides,
	                                     IBC_ATTRS(IBC_ATTR_SERVICE_RECORD));
	expect(m, "sharp", "info " UNKNOWN "the source contains no ServiceRecord\n");
	m = fabric(HOSTS, 0);
	m.subnet->origin = NULL;
	expect_where_it_is_expected(m, "unknown " UNKNOWN "the source contains no ServiceRecord\n");
}

/* ---- where it is ---- */

static void a_manager_on_another_host_is_apart(void **state)
{
	struct mkfab m = fabric(HOSTS, 1);

	(void)state;
	serve(port(m, HOST + 2, 1)->guid);
	expect(m, "sharp",
	       "warning host03 mlx5_0/1: has the aggregation manager of SHARP; the master subnet "
	       "manager is at host02 mlx5_0/1\n");
}

static void another_port_of_its_host_is_a_note(void **state)
{
	struct mkfab m = fabric(HOSTS, 1);

	(void)state;
	port(m, HOST + 1, 2)->guid = 0x1234;
	serve(0x1234);
	expect(m, "sharp",
	       "info host02 mlx5_0/2: has the aggregation manager of SHARP; the master subnet "
	       "manager is at host02 mlx5_0/1, on the same host\n");
}

#define NOWHERE                                                                                    \
	"fabric: the aggregation manager of SHARP is registered at GID fe80:0:0:0:0:0:0:bad, "     \
	"which no port that was found has\n"

static void a_gid_of_nobody_is_told(void **state)
{
	struct mkfab m = fabric(HOSTS, 1);

	(void)state;
	serve(0xbad);
	expect(m, "sharp", "warning " NOWHERE);
	m = fabric(HOSTS, 1);
	serve(0xbad);
	m.subnet->cut_short = true;
	expect(m, "sharp.manager", "unknown " NOWHERE);
}

static void where_the_master_is_not_known_no_place_is_wrong(void **state)
{
	struct mkfab m = fabric(HOSTS, 1);

	(void)state;
	serve(port(m, HOST + 2, 1)->guid);
	port(m, HOST, 1)->sm_lid = 0;
	expect(m, "sharp", "");
	m = fabric(HOSTS, 1);
	serve(port(m, HOST + 2, 1)->guid);
	port(m, HOST, 1)->sm_lid = 4711;
	expect(m, "sharp", "");
}

/* ---- several ---- */

static void two_managers_are_one_too_many(void **state)
{
	struct mkfab m = served(HOSTS, 1);

	(void)state;
	serve(port(m, HOST + 2, 1)->guid);
	serve(0xbad);
	expect(m, "sharp.manager",
	       "warning fabric: 3 aggregation managers are registered for SHARP: host02 mlx5_0/1, "
	       "host03 mlx5_0/1, fe80:0:0:0:0:0:0:bad\n");
}

static void one_manager_may_have_two_records(void **state)
{
	struct mkfab m = served(HOSTS, 1);

	(void)state;
	serve(port(m, HOST + 1, 1)->guid);
	expect(m, "sharp", "");
	m = fabric(HOSTS, 1);
	serve(port(m, HOST + 2, 1)->guid);
	serve(port(m, HOST + 2, 1)->guid);
	expect(m, "sharp",
	       "warning host03 mlx5_0/1: has the aggregation manager of SHARP; the master subnet "
	       "manager is at host02 mlx5_0/1\n");
}

static void records_that_did_not_arrive_are_told(void **state)
{
	struct mkfab m = served(HOSTS, 1);

	(void)state;
	ibc_attrs_add(&administration.cut_short, IBC_ATTR_SERVICE_RECORD);
	expect(m, "sharp",
	       "unknown fabric: only 1 of the records of SHARP's aggregation managers "
	       "arrived\n");
}

/* ---- sharp.an ---- */

static void an_aggregation_node_without_a_link_or_a_lid_is_told(void **state)
{
	struct mkfab m = served(HOSTS, HOSTS);

	(void)state;
	port(m, AN, 1)->state = IBC_STATE_INIT;
	port(m, AN + 1, 1)->lid = 0;
	answers_put(port(m, AN + 2, 1), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	port(m, AN + 2, 1)->state = 0;
	expect(m, "sharp.an",
	       "warning Mellanox Technologies Aggregation Node (0x0000000000000300)/1: is the port "
	       "of an aggregation node, and is not Active but Init\n"
	       "warning Mellanox Technologies Aggregation Node (0x0000000000000301)/1: is the port "
	       "of an aggregation node, and has no LID\n");
	m = fabric(HOSTS, HOSTS);
	port(m, AN, 1)->state = IBC_STATE_INIT;
	expect(m, "sharp.an", "");
}

#define MANY 12

static void one_of_many_switches_without_is_told(void **state)
{
	(void)state;
	expect(served(MANY, MANY - 1), "sharp",
	       "warning leaf12: has no aggregation node; 11 of 12 like switches have one\n");
	/* as many as a site may mean, and where nobody uses them */
	expect(served(MANY, MANY - 2), "sharp", "");
	expect(served(10, 9), "sharp", "");
	expect(fabric(MANY, MANY - 1), "sharp.an", "");
}

/* Root switches have none, which the leaves have: that is a deployment. */
static void other_models_and_other_tiers_are_not_compared(void **state)
{
	struct mkfab m = served(MANY, MANY);

	(void)state;
	mk_switch(m, 0x500, "spine01", INNER);
	cable(m, 0x500, 1, SWITCH, 2);
	expect(m, "sharp", "");
	m = served(MANY, MANY - 1);
	fabric_build_find(m.b, m.subnet, SWITCH + MANY - 1)->device_id++;
	expect(m, "sharp", "");
}

static void a_switch_that_denies_it_is_not_missed(void **state)
{
	(void)state;
	for (unsigned int knows = 0; knows < 2; knows++) {
		struct mkfab m = served(MANY, MANY - 1);
		struct ibc_node *node = fabric_build_find(m.b, m.subnet, SWITCH + MANY - 1);

		answers_put(node, IBC_ATTR_GENERAL_INFO_SMP, ANSWER_OK);
		node->smp_capabilities[0] = knows ? 1u << IBC_SMP_SHARP_AN
		                                  : ~(UINT64_C(1) << IBC_SMP_SHARP_AN);
		expect(m, "sharp",
		       knows ? "warning leaf12: has no aggregation node; 11 of 12 like switches "
		               "have one\n"
		             : "");
	}
}

static void a_port_that_leads_to_nobody_is_told(void **state)
{
	struct ibc_phy phy = { .known = UINT64_C(1) << IBC_PHY_PORT_TYPE };
	struct mkfab m = served(HOSTS, HOSTS - 1);

	(void)state;
	phy.value[IBC_PHY_PORT_TYPE] = IBC_PORT_AGGREGATION;
	port_extra(port(m, SWITCH + HOSTS - 1, INNER))->phy = &phy;
	port_extra(port(m, SWITCH, INNER))->phy = &phy;
	port(m, SWITCH + HOSTS - 1, INNER)->state = IBC_STATE_DOWN;
	expect(m, "sharp",
	       "warning leaf03/41: leads to the aggregation node of its switch, which was not "
	       "found: the port is Down\n");
	m = served(HOSTS, HOSTS - 1);
	port_extra(port(m, SWITCH + HOSTS - 1, INNER))->phy = &phy;
	answers_put(port(m, SWITCH + HOSTS - 1, INNER), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	expect(m, "sharp",
	       "warning leaf03/41: leads to the aggregation node of its switch, which was not "
	       "found: nothing answers there\n");
	m = served(HOSTS, HOSTS - 1);
	phy.value[IBC_PHY_PORT_TYPE] = IBC_PORT_ROUTER;
	port_extra(port(m, SWITCH + HOSTS - 1, INNER))->phy = &phy;
	expect(m, "sharp", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_manager_at_the_master_is_well),
		cmocka_unit_test(without_aggregation_nodes_nobody_is_missed),
		cmocka_unit_test(aggregation_nodes_that_nobody_uses_are_no_fault),
		cmocka_unit_test(who_is_expected_is_missed),
		cmocka_unit_test(who_keeps_no_such_records_has_none),
		cmocka_unit_test(silence_is_no_absence),
		cmocka_unit_test(what_is_not_known_is_kept_whatever_its_kind),
		cmocka_unit_test(a_silence_of_all_is_told_once),
		cmocka_unit_test(a_source_that_does_not_tell_says_so),
		cmocka_unit_test(a_manager_on_another_host_is_apart),
		cmocka_unit_test(another_port_of_its_host_is_a_note),
		cmocka_unit_test(a_gid_of_nobody_is_told),
		cmocka_unit_test(where_the_master_is_not_known_no_place_is_wrong),
		cmocka_unit_test(two_managers_are_one_too_many),
		cmocka_unit_test(one_manager_may_have_two_records),
		cmocka_unit_test(records_that_did_not_arrive_are_told),
		cmocka_unit_test(an_aggregation_node_without_a_link_or_a_lid_is_told),
		cmocka_unit_test(one_of_many_switches_without_is_told),
		cmocka_unit_test(other_models_and_other_tiers_are_not_compared),
		cmocka_unit_test(a_switch_that_denies_it_is_not_missed),
		cmocka_unit_test(a_port_that_leads_to_nobody_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
