/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of a snapshot that was damaged, changed, or made up. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mksnap.h"

/* ---- damage ---- */

static void a_snapshot_cut_at_any_byte_is_refused(void **state)
{
	struct ibc_fabric *fab = small(), *again;
	size_t n, end;
	char *bytes = bytes_of(fab, "snapshot", &end);

	(void)state;
	for (n = 0; n < end; n++) {
		struct ibc_error err = { "" };

		assert_int_equal(read_bytes(read_snapshot, bytes, n, &again, &err), -EINVAL);
		assert_non_null(
		    strstr(err.text, n ? "cut off" : "test:0: the snapshot is cut off"));
	}
	free(bytes);
	ibc_fabric_free(fab);
}

static void a_compressed_snapshot_cut_at_any_byte_is_refused(void **state)
{
	static const char *const formats[] = { "snapshot.gz", "snapshot.zst" };
	struct ibc_fabric *fab = small(), *again;

	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		size_t end;
		char *bytes = bytes_of(fab, formats[i], &end);

		for (size_t n = 0; n < end; n++)
			assert_int_equal(read_bytes(read_snapshot, bytes, n, &again, NULL),
			                 -EINVAL);
		free(bytes);
	}
	ibc_fabric_free(fab);
}

static void no_flipped_bit_passes(void **state)
{
	struct ibc_fabric *fab = small(), *again = NULL;
	size_t n;
	char *bytes = bytes_of(fab, "snapshot", &n);

	(void)state;
	for (size_t bit = 0; bit < n * 8; bit++) {
		struct ibc_error err = { "" };

		bytes[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(read_bytes(read_snapshot, bytes, n, &again, &err), -EINVAL);
		assert_int_equal(strncmp(err.text, "test:", 5), 0);
		bytes[bit / 8] ^= (char)(1 << bit % 8);
	}
	free(bytes);
	ibc_fabric_free(fab);
}

/* Some bits of what zstd writes mean nothing: then all is as it was. */
static void a_state_cut_or_with_a_flipped_bit_is_refused(void **state)
{
	struct ibc_fabric *fab = small(), *again = NULL;
	size_t n, passed = 0;
	char *bytes = state_of(fab, &n), *whole, *same;

	(void)state;
	again = load(bytes, n);
	whole = bytes_of(again, "snapshot", NULL);
	ibc_fabric_free(again);
	for (size_t end = 0; end < n; end++)
		assert_int_equal(read_bytes(read_snapshot, bytes, end, &again, NULL), -EINVAL);
	for (size_t bit = 0; bit < n * 8; bit++) {
		bytes[bit / 8] ^= (char)(1 << bit % 8);
		if (read_bytes(read_snapshot, bytes, n, &again, NULL) == 0) {
			same = bytes_of(again, "snapshot", NULL);
			assert_string_equal(same, whole);
			free(same);
			ibc_fabric_free(again);
			passed++;
		}
		bytes[bit / 8] ^= (char)(1 << bit % 8);
	}
	assert_true(passed < n);
	free(whole);
	free(bytes);
	ibc_fabric_free(fab);
}

static void lines_lost_or_doubled_are_noticed(void **state)
{
	struct ibc_fabric *fab = small();
	char *bytes = bytes_of(fab, "snapshot", NULL), *node = strchr(bytes, '\n') + 1;
	char *end = strstr(bytes, "{\"end\""), *next = strchr(node, '\n') + 1, *text;

	(void)state;
	assert_true(asprintf(&text, "%.*s%s", (int)(node - bytes), bytes, next) > 0);
	refused(text, "test:2: port 1: invalid value of \"peer\"");
	free(text);
	assert_true(asprintf(&text, "%.*s%s", (int)(next - bytes), bytes, end) > 0);
	refused(text, "test:3: 3 nodes were written, but 1 are here");
	free(text);
	assert_true(asprintf(&text, "%s%s", bytes, end) > 0);
	refused(text, "test:6: something follows the end of the snapshot");
	free(text);
	free(bytes);
	ibc_fabric_free(fab);
}

static void a_hand_may_change_it_if_it_takes_the_checksum_out(void **state)
{
	struct ibc_fabric *fab = small();
	char *bytes = bytes_of(fab, "snapshot", NULL), *crc;

	(void)state;
	memcpy(strstr(bytes, "host01"), "HOST01", 6);
	refused(bytes, "test:5: the checksum of the lines above does not match: the file is "
	               "damaged, or was edited by hand (then remove \"crc32\" from this line)");
	crc = strstr(bytes, ",\"crc32\"");
	memmove(crc, strchr(crc, '}'), strlen(strchr(crc, '}')) + 1);
	ibc_fabric_free(fab);
	fab = load(bytes, strlen(bytes));
	assert_string_equal(ibc_fabric_node(fab, 1)->desc, "HOST01 mlx5_0");
	free(bytes);
	ibc_fabric_free(fab);
}

/* ---- what is refused ---- */

static void another_schema_is_refused_with_the_remedy(void **state)
{
	(void)state;
	refused("{\"ibcheck_snapshot\":2,\"what\":\"ever\"}\n",
	        "test:1: a snapshot of schema 2; this is ibcheck " IBC_VERSION
	        ", which reads schema 1: use a newer one");
	refused("{\"ibcheck_snapshot\":0}\n",
	        "test:1: a snapshot of schema 0; this is ibcheck " IBC_VERSION
	        ", which reads schema 1: use an older one");
	refused("{\"schema\":1,\"tool\":{}}\n", "test:1: JSON, but not a snapshot of ibcheck");
}

/* The sentence begins so: jansson's own words differ from version to version. */
static void expect_refusal_like(const char *text, const char *why)
{
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	assert_int_equal(read_bytes(read_snapshot, text, strlen(text), &fab, &err), -EINVAL);
	assert_int_equal(strncmp(err.text, why, strlen(why)), 0);
}

static void what_is_no_json_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ "{\n", "test:1:1: not valid JSON: " },
		{ HEADER "[]\n", "test:2: not an object" },
		{ HEADER "null\n", "test:2:4: not valid JSON: " },
		{ HEADER "\n", "test:2:0: not valid JSON: " },
		{ HEADER "{} {}\n", "test:2:4: not valid JSON: " },
		{ HEADER "{\"a\":1,\"a\":2}\n", "test:2:10: not valid JSON: duplicate object key" },
		{ HEADER "{\"a\":\"\xff\"}\n",
		  "test:2:6: not valid JSON: unable to decode byte 0xff" },
		{ HEADER "{\"a\":\"\\u0000\"}\n",
		  "test:2:13: not valid JSON: \\u0000 is not allowed" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct ibc_error err = { "" };
		struct ibc_fabric *fab;

		assert_int_equal(
		    read_bytes(read_snapshot, files[i].text, strlen(files[i].text), &fab, &err),
		    -EINVAL);
		assert_int_equal(strncmp(err.text, files[i].why, strlen(files[i].why)), 0);
	}
}

static const struct {
	const char *text, *why;
} impossible[] = {
	{ "{\"ibcheck_snapshot\":1}\n", "test:1: invalid value of \"subnets\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[]}\n", "test:1: invalid value of \"subnets\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{}],\"x\":1}\n", "test:1: unknown key \"x\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[7]}\n", "test:1: an object was expected" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"x\":1}]}\n", "test:1: unknown key \"x\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"ca\":1}]}\n",
	  "test:1: invalid value of \"ca\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"cut_short\":1}]}\n",
	  "test:1: invalid value of \"cut_short\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"origin\":[1]}]}\n",
	  "test:1: invalid value of \"origin\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"origin\":[0,256]}]}\n",
	  "test:1: invalid value of \"origin\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"sweep\":[]}]}\n",
	  "test:1: an object was expected" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"sweep\":{\"sent\":-1}}]}\n",
	  "test:1: invalid value of \"sent\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"sweep\":{\"duration_seconds\":-0.5}}]}\n",
	  "test:1: invalid value of \"duration_seconds\"" },
	{ "{\"ibcheck_snapshot\":1,\"subnets\":[{\"origin\":[0,1]}]}\n" END,
	  "test:2: subnet 0 begins at a port that does not exist" },
	{ HEADER "{\"guid\":\"0x1\"}\n", "test:2: invalid value of \"subnet\"" },
	{ HEADER "{\"subnet\":1}\n", "test:2: invalid value of \"subnet\"" },
	{ HEADER "{\"subnet\":0,\"name\":1}\n", "test:2: invalid value of \"name\"" },
	{ HEADER "{\"subnet\":0,\"guid\":1}\n", "test:2: invalid value of \"guid\"" },
	{ HEADER "{\"subnet\":0,\"guid\":\"leaf\"}\n", "test:2: invalid value of \"guid\"" },
	{ HEADER "{\"subnet\":0,\"num_ports\":256}\n", "test:2: invalid value of \"num_ports\"" },
	{ HEADER "{\"subnet\":0,\"num_ports\":1.0}\n", "test:2: invalid value of \"num_ports\"" },
	{ HEADER "{\"subnet\":0,\"asked\":\"NodeInfo\"}\n", "test:2: invalid value of \"asked\"" },
	{ HEADER "{\"subnet\":0,\"asked\":[\"Fortune\"]}\n", "test:2: invalid value of \"asked\"" },
	{ HEADER "{\"subnet\":0,\"asked\":[\"NodeInfo\",\"NodeInfo\"]}\n",
	  "test:2: invalid value of \"asked\"" },
	{ HEADER "{\"subnet\":0,\"answered\":[\"NodeInfo\"],\"ports\":[]}\n",
	  "test:2: an answer without a query, or two for one" },
	{ HEADER "{\"subnet\":0,\"lid\":1}\n", "test:2: unknown key \"lid\"" },
	{ HEADER "{\"subnet\":0}\n", "test:2: invalid value of \"ports\"" },
	{ HEADER NODE "{}]}\n", "test:2: a port without a valid \"num\"" },
	{ HEADER NODE "7]}\n", "test:2: a port without a valid \"num\"" },
	{ HEADER NODE "{\"num\":3}]}\n", "test:2: a port without a valid \"num\"" },
	{ HEADER NODE "{\"num\":1},{\"num\":1}]}\n", "test:2: a port without a valid \"num\"" },
	{ HEADER "{\"subnet\":0,\"type\":1,\"num_ports\":1,\"ports\":[{\"num\":0}]}\n",
	  "test:2: a port without a valid \"num\"" },
	{ HEADER NODE "{\"num\":1,\"lid\":65536}]}\n", "test:2: port 1: invalid value of \"lid\"" },
	{ HEADER NODE "{\"num\":1,\"lids\":1}]}\n", "test:2: port 1: unknown key \"lids\"" },
	{ HEADER NODE "{\"num\":1,\"asked\":[\"Link\"],\"answered\":[\"Link\"],"
	              "\"refused\":[\"Link\"]}]}\n",
	  "test:2: port 1: an answer without a query, or two for one" },
	{ HEADER NODE "{\"num\":1,\"peer\":1}]}\n", "test:2: port 1: invalid value of \"peer\"" },
	{ HEADER NODE "{\"num\":1,\"peer\":[0,1]}]}\n",
	  "test:2: port 1: invalid value of \"peer\"" },
	{ HEADER NODE "{\"num\":1,\"peer\":[0,0]}]}\n",
	  "test:2: port 1: invalid value of \"peer\"" },
	{ HEADER NODE "{\"num\":0,\"peer\":[0,1]}]}\n",
	  "test:2: port 0: invalid value of \"peer\"" },
	{ HEADER NODE "{\"num\":2,\"peer\":[0,1]}]}\n",
	  "test:2: port 2: node 0 does not have it as the peer of its port 1" },
	{ HEADER NODE "{\"num\":1,\"peer\":[5,1]}]}\n"
	              "{\"end\":{\"nodes\":1,\"ports\":3,\"cables\":0}}\n",
	  "test:3: 1 cables are given at only one end" },
	{ HEADER "{\"end\":1}\n", "test:2: not a valid end of a snapshot" },
	{ HEADER "{\"end\":{}}\n", "test:2: not a valid end of a snapshot" },
	{ HEADER "{\"end\":{\"nodes\":0,\"ports\":0,\"cables\":0},\"x\":1}\n",
	  "test:2: not a valid end of a snapshot" },
	{ HEADER "{\"end\":{\"nodes\":0,\"ports\":0,\"cable\":0}}\n",
	  "test:2: invalid value of \"cables\"" },
	{ HEADER "{\"end\":{\"nodes\":0,\"ports\":0,\"cables\":1}}\n",
	  "test:2: 1 cables were written, but 0 are here" },
};

static void values_that_cannot_be_are_refused_with_their_key(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(impossible); i++)
		refused(impossible[i].text, impossible[i].why);
}

static void a_cable_between_subnets_is_refused(void **state)
{
	(void)state;
	refused("{\"ibcheck_snapshot\":1,\"subnets\":[{},{\"origin\":[0,1]}]}\n"
	        "{\"subnet\":0,\"num_ports\":1,\"ports\":[{\"num\":1,\"peer\":[1,1]}]}\n"
	        "{\"subnet\":1,\"num_ports\":1,\"ports\":[{\"num\":1,\"peer\":[0,1]}]}\n",
	        "test:3: port 1: the peer is in another subnet");
	refused("{\"ibcheck_snapshot\":1,\"subnets\":[{},{\"origin\":[0,1]}]}\n"
	        "{\"subnet\":0,\"num_ports\":1,\"ports\":[]}\n"
	        "{\"end\":{\"nodes\":1,\"ports\":1,\"cables\":0}}\n",
	        "test:3: subnet 1 begins at a port of another subnet");
}

static void texts_are_cleaned_where_they_enter(void **state)
{
	static const char text[] =
	    "{\"ibcheck_snapshot\":1,\"subnets\":[{\"host\":\"a\\u001bb\"}]}\n"
	    "{\"subnet\":0,\"desc\":\"x\\ny\\u202e\",\"ports\":[]}\n"
	    "{\"end\":{\"nodes\":1,\"ports\":0,\"cables\":0}}\n";
	struct ibc_fabric *fab = load(text, strlen(text));

	(void)state;
	assert_string_equal(ibc_fabric_subnet(fab, 0)->host, "a\xef\xbf\xbd"
	                                                     "b");
	assert_string_equal(ibc_fabric_node(fab, 0)->desc, "x\xef\xbf\xbdy\xef\xbf\xbd");
	ibc_fabric_free(fab);
}

static void hostile_files_cost_little(void **state)
{
	const size_t n = 900000;
	char *text = malloc(n + 100);
	size_t used;

	(void)state;
	/* nested as deep as a line is long */
	used = (size_t)sprintf(text, HEADER "{\"a\":");
	memset(text + used, '[', n);
	text[used + n] = '\0';
	strcat(text, "\n");
	expect_refusal_like(text, "test:2:2053: not valid JSON: maximum parsing depth");

	used = (size_t)sprintf(text, "{\"ibcheck_snapshot\":1,\"subnets\":[{}");
	for (unsigned int i = 0; i < 256; i++)
		used += (size_t)sprintf(text + used, ",{}");
	strcpy(text + used, "]}\n");
	refused(text, "test:1: more than 256 subnets");

	used = (size_t)sprintf(text, HEADER);
	for (unsigned int i = 0; i < 8300; i++)
		used += (size_t)sprintf(text + used,
		                        "{\"subnet\":0,\"num_ports\":255,\"ports\":[]}\n");
	refused(text, "test:8226: more than 2097152 ports, which no subnet can have");
	free(text);
}

static void an_output_that_fails_is_an_error(void **state)
{
	struct ibc_fabric *fab = small();
	struct ibc_error err = { "" };
	FILE *out = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(out);
	setbuf(out, NULL);
	assert_int_equal(ibc_fabric_write(fab, "snapshot", out, &err), -EIO);
	assert_string_equal(err.text, "cannot write the snapshot: the output failed");
	fclose(out);
	ibc_fabric_free(fab);
}

static void every_allocation_may_fail(void **state)
{
	struct ibc_fabric *fab = small();
	size_t length;
	char *bytes = bytes_of(fab, "snapshot", &length);
	unsigned long n = 0;
	int rc = -ENOMEM;

	(void)state;
	ibc_fabric_free(fab);
	while (rc == -ENOMEM) {
		struct ibc_error err = { "" };

		fab = NULL;
		alloc_fail_at(++n);
		rc = read_bytes(read_snapshot, bytes, length, &fab, &err);
		alloc_fail_at(0);
		if (rc)
			assert_string_equal(err.text, "out of memory");
		ibc_fabric_free(fab);
	}
	assert_int_equal(rc, 0);
	assert_true(n > 30);
	free(bytes);
}

/* What says how long a list is may follow it, and what a list is about may, too. */
static void a_list_is_as_long_as_is_said_in_any_order(void **state)
{
#define PHY(what) HEADER NODE "{\"num\":1,\"phy\":{\"values\":{}," what "}}]}\n" END
#define LISTS     "\"histogram\":{\"low\":[1],\"high\":[2],\"blocks\":[3],\"bins\":"
	(void)state;
	refused(PHY(LISTS "255}"), "test:2: port 1: the list \"low\" has another length");
	refused(PHY(LISTS "0}"), "test:2: port 1: the list \"low\" has another length");
	refused(HEADER NODE "{\"num\":1,\"asked\":[\"PortCounters\"],\"answered\":["
	                    "\"PortCounters\"],\"counters\":{\"saturated\":["
	                    "\"PortRcvErrors\"],\"values\":{}}}]}\n" END,
	        "test:2: port 1: invalid value of \"saturated\"");
#undef LISTS
#undef PHY
}

static void bit_error_rates_without_a_mask_stay_unknown(void **state)
{
	static const char text[] = HEADER NODE
	    "{\"num\":1,\"phy\":{\"values\":{},\"bers\":[0,0,0,0,0,0]}}]}\n"
	    "{\"end\":{\"nodes\":1,\"ports\":3,\"cables\":0}}\n";
	struct ibc_fabric *fab;

	(void)state;
	fab = load(text, sizeof(text) - 1);
	assert_int_equal(ibc_node_port(ibc_fabric_node(fab, 0), 1)->extra->phy->known_bers, 0);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_as_long_as_is_said_in_any_order),
		cmocka_unit_test(bit_error_rates_without_a_mask_stay_unknown),
		cmocka_unit_test(a_snapshot_cut_at_any_byte_is_refused),
		cmocka_unit_test(a_compressed_snapshot_cut_at_any_byte_is_refused),
		cmocka_unit_test(no_flipped_bit_passes),
		cmocka_unit_test(a_state_cut_or_with_a_flipped_bit_is_refused),
		cmocka_unit_test(lines_lost_or_doubled_are_noticed),
		cmocka_unit_test(a_hand_may_change_it_if_it_takes_the_checksum_out),
		cmocka_unit_test(another_schema_is_refused_with_the_remedy),
		cmocka_unit_test(what_is_no_json_is_refused_with_its_place),
		cmocka_unit_test(values_that_cannot_be_are_refused_with_their_key),
		cmocka_unit_test(a_cable_between_subnets_is_refused),
		cmocka_unit_test(texts_are_cleaned_where_they_enter),
		cmocka_unit_test(hostile_files_cost_little),
		cmocka_unit_test(an_output_that_fails_is_an_error),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
