/* SPDX-License-Identifier: BSD-2-Clause */
/* ibnetdiscover text as it is written. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkattrs.h"
#include "mknet.h"

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
	assert_true(ibc_port_unanswered(port_of(again, 0x10, 2), IBC_ATTR_LINK));
	assert_attrs(asked_of(port_of(again, 0x10, 6)), IBC_ATTR_NODE_INFO);
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
	fabric_build_node(b, fabric_build_subnet(b, "x", "snapshot"), 1, IBC_NODE_UNKNOWN, 1);
	assert_int_equal(fabric_build_finish(b, &fab, NULL), 0);
	assert_int_equal(ibc_fabric_write(fab, "netdiscover", out, &err), -EINVAL);
	assert_string_equal(
	    err.text,
	    "ibnetdiscover text has no node type for 0x0000000000000001: write a snapshot");
	ibc_fabric_free(fab);

	assert_int_equal(fabric_build_new(&b, NULL), 0);
	fabric_build_subnet(b, "x", "snapshot");
	fabric_build_subnet(b, "y", "snapshot");
	assert_int_equal(fabric_build_finish(b, &fab, NULL), 0);
	assert_int_equal(ibc_fabric_write(fab, "netdiscover", out, &err), -EINVAL);
	assert_string_equal(err.text, "ibnetdiscover text holds one subnet and this fabric has 2: "
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
		cmocka_unit_test(what_was_written_reads_back_and_writes_the_same),
		cmocka_unit_test(the_text_looks_like_that_of_ibnetdiscover),
		cmocka_unit_test(no_written_line_breaks_ibsim),
		cmocka_unit_test(what_the_format_cannot_hold_is_refused),
		cmocka_unit_test(an_output_that_fails_is_an_error),
		cmocka_unit_test(captures_load_and_survive_both_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
