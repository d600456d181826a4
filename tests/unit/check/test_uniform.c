/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/case.h>

#include "findings.h"
#include "report/report.h"

#define PSID "MT_0000000838"
#define OLD  "28.36.1010"
#define NEW  "28.40.1000"

static struct ibc_node *node(struct mkfab m, uint64_t guid)
{
	return fabric_build_find(m.b, m.subnet, guid);
}

static void tell(struct mkfab m, uint64_t guid, const char *firmware, const char *psid)
{
	struct ibc_node *n = node(m, guid);

	n->vendor_id = 0x2c9;
	n->device_id = n->type == IBC_NODE_SWITCH ? 54002 : 4129;
	n->firmware = firmware;
	n->psid = psid;
	answers_put(n, IBC_ATTR_GENERAL_INFO, firmware ? ANSWER_OK : ANSWER_NONE);
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_GENERAL_INFO);
}

/* Hosts of one PSID, the first of them with the old version. */
static struct mkfab mk_hosts(unsigned int old, unsigned int all)
{
	struct mkfab m = mk_leaf(all);

	for (unsigned int i = 1; i <= all; i++)
		tell(m, host(i), i <= old ? OLD : NEW, PSID);
	return m;
}

static void expect_firmware(struct mkfab m, const char *text)
{
	expect(m, "fabric.firmware", text);
}

/* ---- firmware ------------------------------------------------------------------------------- */

static void one_version_is_uniform(void **state)
{
	(void)state;
	expect_firmware(mk_hosts(0, 12), "");
}

static void who_missed_an_update_is_named_with_both_versions(void **state)
{
	struct ibc_report *rep = report_of(mk_hosts(1, 5), "fabric.firmware", NULL);

	(void)state;
	assert_string_equal(ibc_report_finding(rep, 0)->advice,
	                    "Update to " NEW
	                    ", and reset the device, so that it runs that version. If "
	                    "the others are those to be updated, finish that first.");
	expect_of(rep,
	          "warning host01 mlx5_0: runs firmware " OLD "; 4 of 5 devices of type MT4129 "
	          "(" PSID ") run " NEW "\n");
}

static void the_others_are_advised_up_to_the_newest(void **state)
{
	struct mkfab m = mk_hosts(0, 8);
	struct ibc_report *rep;

	(void)state;
	tell(m, host(1), "28.42.1000", PSID);
	tell(m, host(2), "28.44.1000", PSID);
	rep = report_of(m, "fabric.firmware", NULL);
	for (size_t i = 0; i < 2; i++)
		assert_non_null(
		    strstr(ibc_report_finding(rep, i)->advice, "Update the others to 28.44.1000."));
	ibc_report_free(rep);
}

/* 28.40.968 is older than 28.40.1000: versions are compared by their numbers. */
static void who_is_newer_than_most_is_never_advised_down(void **state)
{
	struct mkfab m = mk_hosts(0, 5);
	struct ibc_report *rep;

	(void)state;
	tell(m, host(1), "28.40.1068", PSID);
	for (unsigned int i = 2; i <= 5; i++)
		tell(m, host(i), "28.40.968", PSID);
	rep = report_of(m, "fabric.firmware", NULL);
	assert_string_equal(ibc_report_finding(rep, 0)->advice,
	                    "Update the others to 28.40.1068. If this site keeps 28.40.968 for a "
	                    "reason, allow 28.40.1068 in the configuration, or read in the release "
	                    "notes whether this device may go back.");
	expect_of(rep, "warning host01 mlx5_0: runs newer firmware 28.40.1068; 4 of 5 devices of "
	               "type MT4129 (" PSID ") run 28.40.968\n");
}

static void sixty_percent_of_four_are_a_norm_and_less_is_a_list(void **state)
{
	(void)state;
	expect_firmware(mk_hosts(1, 4), "warning host01 mlx5_0: runs firmware " OLD "; 3 of 4 "
	                                "devices of type MT4129 (" PSID ") run " NEW "\n");
	expect_firmware(mk_hosts(2, 5), "warning host01 mlx5_0: runs firmware " OLD
	                                "; 3 of 5 devices of type MT4129 "
	                                "(" PSID ") run " NEW "\n"
	                                "warning host02 mlx5_0: runs firmware " OLD
	                                "; 3 of 5 devices of type MT4129 "
	                                "(" PSID ") run " NEW "\n");
	expect_firmware(mk_hosts(5, 12), "info fabric: 12 devices of type MT4129 (" PSID
	                                 ") run different firmware: 5 have " OLD
	                                 " (host[01-05]); 7 have " NEW " (host[06-12])\n");
	expect_firmware(mk_hosts(1, 3), "info fabric: 3 devices of type MT4129 (" PSID
	                                ") run different firmware: 1 has " OLD
	                                " (host01); 2 have " NEW " (host[02-03])\n");
}

static void devices_of_another_psid_are_not_compared(void **state)
{
	struct mkfab m = mk_hosts(0, 8);

	(void)state;
	tell(m, host(1), OLD, "DEL0000000010");
	tell(m, 1, "31.2012.1024", "MT_0000000577");
	expect_firmware(m, "");
}

static void without_a_psid_the_device_id_is_the_class(void **state)
{
	struct mkfab m = mk_hosts(0, 8);

	(void)state;
	for (unsigned int i = 1; i <= 4; i++)
		tell(m, host(i), i == 1 ? OLD : NEW, NULL);
	expect_firmware(m, "warning host01 mlx5_0: runs firmware " OLD
	                   "; 3 of 4 devices of type MT4129 run " NEW "\n");
}

static void boards_of_a_chassis_are_one_device(void **state)
{
	struct mkfab m = mk_hosts(3, 8);

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		node(m, host(i))->system_guid = 0x777;
	expect_firmware(m, "warning host01 mlx5_0: runs firmware " OLD
	                   " on 3 of its boards; 5 of 6 devices of type MT4129 (" PSID ") run " NEW
	                   "\n");
}

static void a_board_unlike_the_others_of_its_chassis_is_found(void **state)
{
	struct mkfab m = mk_hosts(1, 8);

	(void)state;
	for (unsigned int i = 1; i <= 4; i++)
		node(m, host(i))->system_guid = 0x777;
	expect_firmware(m, "warning host01 mlx5_0: runs firmware " OLD
	                   "; 5 of 6 devices of type MT4129 (" PSID ") run " NEW "\n");
}

static void silence_is_unknown_and_not_uniform(void **state)
{
	struct mkfab m = mk_hosts(0, 8);
	struct ibc_report *rep;

	(void)state;
	tell(m, host(3), NULL, NULL);
	rep = report_of(m, "fabric.firmware", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "");
}

static void what_was_told_before_and_not_now_is_not_judged(void **state)
{
	struct mkfab m = mk_hosts(1, 8);

	(void)state;
	answers_put(node(m, host(1)), IBC_ATTR_GENERAL_INFO, ANSWER_NONE);
	expect_firmware(m, "");
}

/* A text file of cables knows no firmware: that the check ran would mean that all is well. */
static void a_source_without_general_info_skips_the_check(void **state)
{
	struct ibc_report *rep = report_of(mk_leaf(4), "fabric.firmware,fabric.psid", NULL);

	(void)state;
	assert_null(rep->ran);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "");
}

/* ---- what is intended ------------------------------------------------------------------------ */

static void expect_allowed(const char *allow, const char *text)
{
	struct ibc_config *config;

	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "fabric.firmware", "allow", allow, NULL), 0);
	expect_of(report_of(mk_hosts(1, 5), "fabric.firmware", config), text);
	ibc_config_free(config);
}

static void an_intended_version_is_not_compared(void **state)
{
	static const char found[] = "warning host01 mlx5_0: runs firmware " OLD
				    "; 4 of 5 devices of type MT4129 (" PSID ") run " NEW "\n";

	(void)state;
	expect_allowed("28.36.*", "");
	expect_allowed("28.35.*, " PSID ":28.36.*", "");
	expect_allowed(NEW, "");
	expect_allowed("MT_0000000577:28.36.*", found);
	expect_allowed("28.3", found);
}

/* ---- PSID ------------------------------------------------------------------------------------ */

static void different_psids_are_a_note(void **state)
{
	struct mkfab m = mk_hosts(0, 6);

	(void)state;
	tell(m, host(2), NEW, "DEL0000000010");
	tell(m, host(3), NEW, "LNV0000000002");
	expect(m, "fabric.psid",
	       "info fabric: 6 devices of type MT4129 have different PSIDs: 1 has DEL0000000010 "
	       "(host02); 1 has LNV0000000002 (host03); 4 have " PSID "\n");
}

static void an_unknown_psid_is_no_other_psid(void **state)
{
	struct mkfab m = mk_hosts(0, 6);

	(void)state;
	tell(m, host(2), NEW, NULL);
	expect(m, "fabric.psid", "");
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void expect_cases(struct mkfab m, const char *const *messages)
{
	struct ibc_fabric *fab = done(m);
	struct ibc_input in = { .fabric = fab };
	const struct ibc_case *c;
	struct ibc_report *rep;
	size_t i = 0;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "fabric", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	for (; (c = ibc_report_case_at(rep, i)); i++) {
		assert_non_null(messages[i]);
		assert_string_equal(c->message, messages[i]);
	}
	assert_null(messages[i]);
	ibc_report_free(rep);
	ibc_fabric_free(fab);
}

static void a_model_is_one_case(void **state)
{
	struct mkfab m = mk_hosts(2, 20);

	(void)state;
	for (unsigned int i = 13; i <= 20; i++)
		tell(m, host(i), i < 16 ? "16.35.2000" : "16.35.3006", "MT_0000000224");
	expect_cases(m,
	             (const char *const[]){
			 "2 devices of type MT4129 (MT_0000000838) run older firmware than most: "
			 "host[01-02]",
			 "3 devices of type MT4129 (MT_0000000224) run older firmware than most: "
			 "host[13-15]",
			 "20 devices of type MT4129 have different PSIDs: 8 have MT_0000000224 "
			 "(host[13-20]); 12 have MT_0000000838",
			 NULL });
}

static void a_single_device_speaks_for_itself(void **state)
{
	(void)state;
	expect_cases(mk_hosts(1, 5),
	             (const char *const[]){ "runs firmware " OLD
	                                    "; 4 of 5 devices of type MT4129 (" PSID ") run " NEW,
	                                    NULL });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_version_is_uniform),
		cmocka_unit_test(who_missed_an_update_is_named_with_both_versions),
		cmocka_unit_test(the_others_are_advised_up_to_the_newest),
		cmocka_unit_test(who_is_newer_than_most_is_never_advised_down),
		cmocka_unit_test(sixty_percent_of_four_are_a_norm_and_less_is_a_list),
		cmocka_unit_test(devices_of_another_psid_are_not_compared),
		cmocka_unit_test(without_a_psid_the_device_id_is_the_class),
		cmocka_unit_test(boards_of_a_chassis_are_one_device),
		cmocka_unit_test(a_board_unlike_the_others_of_its_chassis_is_found),
		cmocka_unit_test(silence_is_unknown_and_not_uniform),
		cmocka_unit_test(what_was_told_before_and_not_now_is_not_judged),
		cmocka_unit_test(a_source_without_general_info_skips_the_check),
		cmocka_unit_test(an_intended_version_is_not_compared),
		cmocka_unit_test(different_psids_are_a_note),
		cmocka_unit_test(an_unknown_psid_is_no_other_psid),
		cmocka_unit_test(a_model_is_one_case),
		cmocka_unit_test(a_single_device_speaks_for_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
