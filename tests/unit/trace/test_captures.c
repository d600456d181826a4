/* SPDX-License-Identifier: BSD-2-Clause */
/* All checks over captures of real fabrics, which are kept beside the project. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/source.h>

#include "findings.h"

#define CAPTURES "../shared/data/"

static struct ibc_report *report_of_file(const char *path, const char *selection)
{
	const char *specs[] = { path };
	struct ibc_input in = { 0 };
	struct ibc_fabric *fab;
	struct ibc_report *rep;
	struct ibc_error err = { "" };

	if (ibc_fabric_load(specs, 1, NULL, &fab, &err))
		fail_msg("%s", err.text);
	in.fabric = fab;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	ibc_fabric_free(fab);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

static glob_t captures(void)
{
	glob_t found;

	if (glob(CAPTURES "*/*.net", 0, NULL, &found) == 0)
		return found;
	print_message("SKIPPED: no captures in " CAPTURES "\n");
	skip();
	return found;
}

static bool has_capture(const char *path)
{
	glob_t found;
	bool has = glob(path, 0, NULL, &found) == 0;

	globfree(&found);
	if (!has)
		print_message("SKIPPED: there is no %s\n", path);
	return has;
}

static void text_without_port_info_is_never_ok(void **state)
{
	glob_t found = captures();

	(void)state;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct ibc_report *rep = report_of_file(found.gl_pathv[i], NULL);

		assert_true(ibc_report_verdict(rep) >= IBC_UNKNOWN);
		ibc_report_free(rep);
	}
	globfree(&found);
}

static void no_capture_has_a_critical_finding(void **state)
{
	static const char selection[] = "port.guid,port.name,port.rate-odd,port.silent";
	glob_t found = captures();

	(void)state;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct ibc_report *rep = report_of_file(found.gl_pathv[i], selection);

		assert_true(ibc_report_verdict(rep) <= IBC_WARNING);
		ibc_report_free(rep);
	}
	globfree(&found);
}

/* What one capture gives; skips where it is absent. */
static void expect_of_file(const char *path, const char *selection, const char *lines)
{
	if (!has_capture(path))
		skip();
	expect_of(report_of_file(path, selection), lines);
}

static void the_one_slow_host_is_found(void **state)
{
	(void)state;
	expect_of_file(CAPTURES "plafrim2-1/plafrim2-1.net", "port.rate-odd",
	               "warning switchIB-MLX01/35 - bright mlx4_0/1: runs at 4x SDR; 22 of 23 HCA "
	               "ports of its type run at 4x QDR\n");
}

static void a_site_without_names_gets_a_note_for_each_description(void **state)
{
	(void)state;
	expect_of_file(CAPTURES "psmn-x5/psmn-x5.net", "port.name",
	               "info fabric: 2 of 11 switches have the factory's description "
	               "\"Infiniscale-IV Mellanox Technologies\"\n"
	               "info fabric: 4 of 11 switches have the factory's description \"Voltaire "
	               "4036 - 36 QDR ports switch\"\n"
	               "info fabric: 89 of 89 HCAs have the factory's description \"MT25408 "
	               "ConnectX Mellanox Technologies\"\n");
}

static void cables_to_themselves_and_aggregation_nodes_are_no_fault(void **state)
{
	(void)state;
	expect_of_file(CAPTURES "ufm-lab-small/ufm-lab-small.net",
	               "port.guid,port.name,port.rate-odd,port.silent", "");
}

static void hosts_of_one_rate_on_faster_trunks_are_no_fault(void **state)
{
	(void)state;
	expect_of_file(CAPTURES "stage-fdr10/stage-fdr10.net",
	               "port.guid,port.name,port.rate-odd,port.silent", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_without_port_info_is_never_ok),
		cmocka_unit_test(no_capture_has_a_critical_finding),
		cmocka_unit_test(the_one_slow_host_is_found),
		cmocka_unit_test(a_site_without_names_gets_a_note_for_each_description),
		cmocka_unit_test(cables_to_themselves_and_aggregation_nodes_are_no_fault),
		cmocka_unit_test(hosts_of_one_rate_on_faster_trunks_are_no_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
