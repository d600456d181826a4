/* SPDX-License-Identifier: BSD-2-Clause */
/* Key files, and sweeps of fabrics whose ports are protected. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings.h"
#include "mkfile.h"
#include "mkkeys.h"
#include "mktrace.h"

/* ---- the files ---- */

#define GUID "0x0002c90300000001"
#define KEY  "0x00000000deadbeef"

static int parse(enum key_file file, const char *text, const struct keys **out, struct arena *arena,
                 struct ibc_error *err)
{
	struct keys *keys = keys_new(arena, "dir");
	struct text_file *f;
	int rc;

	assert_int_equal(text_open_bytes("file", text, strlen(text), &f, err), 0);
	rc = keys_parse(keys, file, f, err);
	text_close(f);
	*out = keys;
	return rc;
}

static void refused_as(enum key_file file, const char *text, const char *why)
{
	struct arena *arena = arena_new();
	struct ibc_error err = { "" };
	const struct keys *keys;

	assert_int_equal(parse(file, text, &keys, arena, &err), -EINVAL);
	assert_string_equal(err.text, why);
	arena_free(arena);
}

static void a_key_is_found_by_the_guid_of_its_port(void **state)
{
	struct arena *arena = arena_new();
	const struct keys *keys;
	uint64_t key = 0;

	(void)state;
	assert_int_equal(parse(KEYS_M,
	                       "0x0002C90300000002 0x0000000000000000\n\n" GUID "\t" KEY
	                       "\r\n\n" GUID " " KEY,
	                       &keys, arena, NULL),
	                 0);
	assert_true(keys_find(keys, KEYS_M, 0x2c90300000001, 0, &key));
	assert_int_equal(key, 0xdeadbeef);
	assert_true(keys_find(keys, KEYS_M, 0x2c90300000002, 0, &key));
	assert_int_equal(key, 0);
	assert_false(keys_find(keys, KEYS_M, 0x2c90300000003, 0, &key));
	assert_false(keys_find(keys, KEYS_M, 0, 0, &key));
	assert_false(keys_find(keys, KEYS_NEIGHBORS, 0x2c90300000001, 0, &key));
	assert_false(keys_find(NULL, KEYS_M, 0x2c90300000001, 0, &key));
	arena_free(arena);
}

static void a_neighbor_is_found_by_port_guid_and_number(void **state)
{
	struct arena *arena = arena_new();
	const struct keys *keys;
	uint64_t guid = 0;

	(void)state;
	assert_int_equal(parse(KEYS_NEIGHBORS,
	                       GUID ":2 0x0002c90300000009:1\n\n" GUID ":1 0x0002c90300000008:1\n",
	                       &keys, arena, NULL),
	                 0);
	assert_true(keys_find(keys, KEYS_NEIGHBORS, 0x2c90300000001, 2, &guid));
	assert_int_equal(guid, 0x2c90300000009);
	assert_false(keys_find(keys, KEYS_NEIGHBORS, 0x2c90300000001, 3, &guid));
	arena_free(arena);
}

#define EXPECTED_KEY "expected a port GUID and its key, each 0x and 16 hexadecimal digits"
#define EXPECTED_ENDS                                                                              \
	"expected two port GUIDs of 16 hexadecimal digits with a port number each, "               \
	"0x0002c90300000001:1"

static void what_is_no_key_is_refused_with_its_line_and_never_quoted(void **state)
{
	static const char *const lines[] = {
		GUID,
		GUID " 0xdeadbeef",
		GUID " 0x00000000deadbeef0",
		GUID " 00000000deadbeef",
		GUID " " KEY " " KEY,
		GUID " 0x00000000deadbeeg",
		GUID ":1 " KEY,
		("0x2c90300000001 " KEY),
		"# of the manager",
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		snprintf(text, sizeof(text), GUID " " KEY "\n\n%s", lines[i]);
		refused_as(KEYS_M, text, "file:3: " EXPECTED_KEY);
		refused_as(KEYS_VENDOR, text, "file:3: " EXPECTED_KEY);
	}
}

static void what_is_no_neighbor_is_refused(void **state)
{
	static const char *const lines[] = {
		GUID ":1",
		GUID " " GUID,
		GUID ":1 " GUID,
		GUID ":1 " GUID ":255",
		GUID ":x " GUID ":1",
		GUID ":1 " GUID ":1:1",
		":1 " GUID ":1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		refused_as(KEYS_NEIGHBORS, lines[i], "file:1: " EXPECTED_ENDS);
}

static void what_is_no_lid_is_refused(void **state)
{
	static const char *const lines[] = {
		GUID,
		GUID " 0x0006",
		GUID " 0x0006 0x0005",
		GUID " 0x0000 0x0000",
		GUID " 0x0006 0xc000",
		GUID " 0x0006 0x0006 0x0006",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		refused_as(
		    KEYS_LIDS, lines[i],
		    "file:1: expected a port GUID of 16 hexadecimal digits, and its first and "
		    "last LID");
}

static void two_keys_of_one_port_are_refused(void **state)
{
	(void)state;
	refused_as(KEYS_M, GUID " " KEY "\n\n" GUID " 0x00000000deadbeee\n",
	           "file: lines 1 and 3 contradict each other");
	refused_as(KEYS_NEIGHBORS,
	           GUID ":1 " GUID ":1\n" GUID ":1 " GUID ":2\n" GUID ":1 0x0002c90300000007:1",
	           "file: lines 2 and 3 contradict each other");
}

static void an_empty_file_of_keys_is_refused(void **state)
{
	struct arena *arena = arena_new();
	const struct keys *keys;

	(void)state;
	refused_as(KEYS_M, "\n\n", "file is empty");
	refused_as(KEYS_NEIGHBORS, "", "file is empty");
	assert_int_equal(parse(KEYS_VENDOR, "", &keys, arena, NULL), 0);
	arena_free(arena);
}

/* ---- the directory ---- */

static int read_root(const struct keys **out, struct arena *arena, struct ibc_error *err)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;

	opts.key_files = root;
	return keys_read(&opts, arena, out, err);
}

static void only_the_v_keys_may_be_missing(void **state)
{
	struct arena *arena = arena_new();
	struct ibc_error err = { "" };
	const struct keys *keys;

	(void)state;
	assert_int_equal(read_root(&keys, arena, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/guid2mkey"));
	put("guid2mkey", GUID " " KEY "\n\n");
	assert_int_equal(read_root(&keys, arena, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/neighbors"));
	put("neighbors", GUID ":1 " GUID ":2\n\n");
	assert_int_equal(read_root(&keys, arena, &err), 0);
	assert_string_equal(keys_directory(keys), root);
	assert_true(keys_time(keys) > 0);
	put("guid2vskey", "?");
	assert_int_equal(read_root(&keys, arena, &err), -EINVAL);
	assert_non_null(strstr(err.text, "/guid2vskey:1: " EXPECTED_KEY));
	arena_free(arena);
}

static void remember_note(void *ctx, const struct ibc_complaint *complaint)
{
	assert_true(complaint->note);
	assert_string_equal(complaint->file, root);
	++*(unsigned int *)ctx;
}

static void keys_that_everybody_can_read_are_noted(void **state)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct arena *arena = arena_new();
	const struct keys *keys;
	unsigned int notes = 0;

	(void)state;
	put("guid2mkey", GUID " " KEY "\n");
	put("neighbors", GUID ":1 " GUID ":2\n");
	opts.key_files = root;
	opts.complain = remember_note;
	opts.complain_ctx = &notes;
	assert_int_equal(keys_read(&opts, arena, &keys, NULL), 0);
	assert_int_equal(notes, 0);
	assert_int_equal(chmod(root, 0755), 0);
	assert_int_equal(keys_read(&opts, arena, &keys, NULL), 0);
	assert_int_equal(notes, 1);
	arena_free(arena);
}

/* ---- protected fabrics ---- */

static struct ibc_attrs wanted(void)
{
	return IBC_ATTRS(IBC_ATTR_GENERAL_INFO, IBC_ATTR_PORT_COUNTERS, IBC_ATTR_SM_INFO,
	                 IBC_ATTR_LFT, IBC_ATTR_PKEY_TABLE);
}

/* All is told, and all devices are of the vendor. */
static struct rig rig_of_vendor(void)
{
	struct rig r = rig_needing(TWO_TIER, wanted());
	const struct ibc_node *n;

	for (size_t i = 0; (n = ibc_fabric_node(r.real, i)); i++) {
		((struct ibc_node *)n)->vendor_id = 0x2c9;
		((struct ibc_node *)n)->firmware = "27.2012.4036";
	}
	return r;
}

static struct rig protected_rig(unsigned int level)
{
	struct rig r = rig_of_vendor();

	protect(&r, level);
	return r;
}

static char *report_text(const struct ibc_fabric *fab, const char *selection)
{
	struct ibc_input in = { .fabric = fab };
	struct ibc_report *rep;
	char *text;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	text = findings_text(rep);
	ibc_report_free(rep);
	return text;
}

static void expect_found(const struct rig *r, const char *selection, const char *lines)
{
	char *text = report_text(r->seen, selection);

	assert_string_equal(text, lines);
	free(text);
}

/* Nothing is known less, and nothing else is said. */
static void expect_same_fabric(const struct ibc_fabric *a, const struct ibc_fabric *z)
{
	char *said_a = report_text(a, NULL), *said_z = report_text(z, NULL);
	const struct ibc_port *p, *q;

	assert_string_equal(said_a, said_z);
	free(said_a);
	free(said_z);
	for (enum ibc_attr attr = 0; attr < IBC_ATTR_COUNT; attr++) {
		struct ibc_coverage x = ibc_fabric_coverage(a, attr);
		struct ibc_coverage y = ibc_fabric_coverage(z, attr);

		assert_memory_equal(&x, &y, sizeof(x));
	}
	for (size_t i = 0; (p = ibc_fabric_port(a, i)); i++) {
		q = ibc_fabric_port(z, i);
		assert_non_null(q);
		assert_int_equal(p->node->guid, q->node->guid);
		assert_true(!p->peer == !q->peer);
	}
	assert_null(ibc_fabric_port(z, ibc_fabric_count(a).ports));
}

static void with_its_keys_a_protected_fabric_is_as_an_open_one(void **state)
{
	(void)state;
	for (unsigned int level = 0; level <= 3; level++) {
		struct rig open = rig_of_vendor(), r = protected_rig(level);
		const struct ibc_node *n;

		write_keys(&r, NULL);
		sweep(&open);
		sweep_with_keys(&r);
		assert_int_equal(r.rc, 0);
		expect_same_fabric(open.seen, r.seen);
		for (size_t i = 0; (n = ibc_fabric_node(r.seen, i)); i++)
			assert_string_equal(n->firmware, "27.2012.4036");
		rig_free(&open);
		rig_free(&r);
	}
}

static void without_keys_a_protected_port_says_so(void **state)
{
	struct rig r = protected_rig(2);

	(void)state;
	sweep(&r);
	assert_int_equal(r.rc, -ETIMEDOUT);
	assert_string_equal(r.err.text,
	                    "sim0 port 1 does not answer: check its driver with ibstat, and see "
	                    "the kernel log; or an M_Key protects it: give --key-files, or the "
	                    "key with -y");
	rig_free(&r);
}

/* Our own port is open: its key alone is known, by -y, or it has none. */
static void without_keys_the_first_link_is_unknown(void **state)
{
	struct rig r = protected_rig(2);

	(void)state;
	model_keys(r.model, model_from(r.model))->m_key = 0;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, 1);
	expect_found(&r, "port.silent,sm.mkey",
	             "unknown node0001 mlx5_0/1: is LinkUp, its peer does not answer\n");
	rig_free(&r);
}

static void without_keys_level_1_hides_nothing(void **state)
{
	struct rig r = protected_rig(1);

	(void)state;
	sweep(&r);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, 33);
	expect_found(&r, "port.silent,sm.mkey", "");
	rig_free(&r);
}

/* A host behind a leaf, not the one the sweep starts from. */
static struct ibc_port *some_host(struct rig *r)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(r->real, i)); i++)
		if (p->node->type == IBC_NODE_CA && p->node != model_from(r->model)->node)
			return (struct ibc_port *)p;
	fail();
	return NULL;
}

static void one_key_that_does_not_fit_is_named_with_its_port_and_file(void **state)
{
	struct rig r = protected_rig(2);
	const struct ibc_port *host = some_host(&r);
	char line[512];

	(void)state;
	write_keys(&r, host);
	sweep_with_keys(&r);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, 32);
	snprintf(line, sizeof(line),
	         "unknown %s/%u: is LinkUp, its peer answers at LID %u, but not to the M_Key of "
	         "0x%016" PRIx64 " in %s/guid2mkey\n",
	         host->peer->node->label, host->peer->num, host->lid, host->guid, root);
	expect_found(&r, "port.silent,sm.mkey", line);
	rig_free(&r);
}

/* Of a device that is silent altogether, whatever the reason. */
static void expect_maybe_dead(const struct rig *r, const struct ibc_port *host)
{
	char line[512];

	snprintf(line, sizeof(line),
	         "unknown %s/%u: is LinkUp, its peer does not answer to the M_Key of 0x%016" PRIx64
	         " in %s/guid2mkey\n",
	         host->peer->node->label, host->peer->num, host->guid, root);
	expect_found(r, "port.silent,sm.mkey", line);
}

static void without_its_lid_a_key_that_does_not_fit_may_be_a_dead_device(void **state)
{
	struct rig r = protected_rig(2);
	const struct ibc_port *host = some_host(&r);

	(void)state;
	write_keys(&r, host);
	assert_int_equal(unlink(below_root("guid2lid")), 0);
	sweep_with_keys(&r);
	expect_maybe_dead(&r, host);
	rig_free(&r);
}

/* Nor does the answer of another device make it one that works. */
static void a_lid_that_another_device_has_by_now_is_not_asked(void **state)
{
	struct rig r = protected_rig(2);
	const struct ibc_port *host = some_host(&r);
	char text[64];

	(void)state;
	write_keys(&r, host);
	snprintf(text, sizeof(text), "0x%016" PRIx64 " 0x%04x 0x%04x\n", host->guid,
	         model_from(r.model)->lid, model_from(r.model)->lid);
	put("guid2lid", text);
	sweep_with_keys(&r);
	expect_maybe_dead(&r, host);
	rig_free(&r);
}

/* Keys of three hosts that the files have not. */
static void change_three_keys(struct rig *r)
{
	const struct ibc_port *p;
	unsigned int n = 0;

	for (size_t i = 0; (p = ibc_fabric_port(r->real, i)) && n < 3; i++)
		if (p->node->type == IBC_NODE_CA && p->node != model_from(r->model)->node) {
			model_keys(r->model, p)->m_key++;
			n++;
		}
}

static void keys_that_have_changed_are_one_finding_besides(void **state)
{
	struct rig r = protected_rig(2);
	char *found;

	(void)state;
	write_keys(&r, NULL);
	change_three_keys(&r);
	sweep_with_keys(&r);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, 30);
	expect_found(&r, "sm.mkey",
	             "info fabric: 3 devices work, but do not answer to their M_Keys in guid2mkey: "
	             "the keys have changed since\n");
	found = report_text(r.seen, "port.silent");
	assert_non_null(strstr(found, " but not to the M_Key of 0x"));
	free(found);
	rig_free(&r);
}

static void without_lids_keys_have_probably_changed(void **state)
{
	struct rig r = protected_rig(2);

	(void)state;
	write_keys(&r, NULL);
	assert_int_equal(unlink(below_root("guid2lid")), 0);
	change_three_keys(&r);
	sweep_with_keys(&r);
	expect_found(&r, "sm.mkey",
	             "info fabric: 3 devices behind Active links do not answer to their M_Keys in "
	             "guid2mkey: probably the keys have changed since\n");
	rig_free(&r);
}

/* The fabric is open still, or answers other keys, and so shows that the files are old. */
static void keys_that_differ_are_seen_before_they_are_needed(void **state)
{
	(void)state;
	for (unsigned int level = 0; level <= 1; level++) {
		struct rig r = protected_rig(level);
		const struct ibc_port *host = some_host(&r);

		write_keys(&r, host);
		sweep_with_keys(&r);
		assert_int_equal(ibc_fabric_count(r.seen).nodes, 33);
		expect_found(
		    &r, "port.silent,sm.mkey",
		    "info fabric: 1 port shows another M_Key than it has in guid2mkey: the "
		    "keys have changed since\n");
		rig_free(&r);
	}
}

static void swap_neighbors(struct ibc_port *a, struct ibc_port *b)
{
	const struct ibc_port *far = a->peer;

	((struct ibc_port *)a->peer)->peer = b;
	((struct ibc_port *)b->peer)->peer = a;
	a->peer = b->peer;
	b->peer = far;
}

static void cables_that_were_moved_are_seen_where_keys_do_not_matter(void **state)
{
	struct rig r = protected_rig(1);
	struct ibc_port *a = some_host(&r), *b = NULL;
	const struct ibc_port *p;

	(void)state;
	for (size_t i = 0; (p = ibc_fabric_port(r.real, i)); i++)
		if (p->node->type == IBC_NODE_CA)
			b = (struct ibc_port *)p;
	write_keys(&r, NULL);
	swap_neighbors(a, b);
	sweep_with_keys(&r);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, 33);
	expect_found(
	    &r, "port.silent,sm.mkey",
	    "info fabric: 2 cables lead to other ports than neighbors says: they were moved "
	    "since\n");
	rig_free(&r);
}

static void the_files_of_another_fabric_are_told_at_once(void **state)
{
	struct rig r = protected_rig(2),
		   other = rig("synth:fattree:leaves=2,spines=1,hosts=1,seed=7");
	char expected[512];

	(void)state;
	write_keys(&other, NULL);
	sweep_with_keys(&r);
	assert_int_equal(r.rc, -ETIMEDOUT);
	snprintf(expected, sizeof(expected),
	         "sim0 port 1 does not answer, and %s/guid2mkey has no M_Key for its port GUID "
	         "0x%016" PRIx64 ": the files are of another fabric or too old, or see ibstat",
	         root, model_from(r.model)->guid);
	assert_string_equal(r.err.text, expected);
	rig_free(&other);
	rig_free(&r);
}

static void our_own_key_may_have_changed(void **state)
{
	struct rig r = protected_rig(2);

	(void)state;
	write_keys(&r, model_from(r.model));
	sweep_with_keys(&r);
	assert_int_equal(r.rc, -ETIMEDOUT);
	assert_non_null(strstr(r.err.text, "sim0 port 1 does not answer to its M_Key in "));
	rig_free(&r);
}

/* A line of the file is taken out, as of a host that came since. */
static void forget_key(const struct ibc_port *port)
{
	char text[1 << 16], guid[24], *line;
	FILE *f = fopen(below_root("guid2mkey"), "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	snprintf(guid, sizeof(guid), "0x%016" PRIx64, port->guid);
	line = strstr(text, guid);
	assert_non_null(line);
	memset(line, ' ', strlen(GUID " " KEY));
	put("guid2mkey", text);
}

static void what_the_files_lack_is_asked_with_the_key_of_y(void **state)
{
	struct rig r = protected_rig(2);
	const struct ibc_port *host = some_host(&r);
	char line[512];

	(void)state;
	write_keys(&r, NULL);
	forget_key(host);
	sweep_with_keys(&r);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, 32);
	snprintf(line, sizeof(line),
	         "unknown %s/%u: is LinkUp, its peer does not answer, and the key files have no "
	         "M_Key for it\n",
	         host->peer->node->label, host->peer->num);
	expect_found(&r, "port.silent,sm.mkey", line);
	ibc_fabric_free(r.seen);
	r.opts.m_key = m_key_for(host);
	sweep_with_keys(&r);
	assert_int_equal(ibc_fabric_count(r.seen).nodes, 33);
	expect_found(&r, "port.silent,sm.mkey", "");
	rig_free(&r);
}

/* With the keys of all, a device that is silent is at fault. */
static void a_dead_host_is_not_taken_for_a_protected_one(void **state)
{
	struct rig r = protected_rig(2);

	(void)state;
	write_keys(&r, NULL);
	model_silence(r.model, some_host(&r)->node);
	sweep_with_keys(&r);
	expect_maybe_dead(&r, some_host(&r));
	rig_free(&r);
}

static void a_wrong_v_key_is_an_answer_that_is_missing(void **state)
{
	struct rig r = protected_rig(2);
	const struct ibc_port *host = some_host(&r);
	const struct ibc_node *n;

	(void)state;
	write_keys(&r, NULL);
	model_keys(r.model, host)->v_key++;
	sweep_with_keys(&r);
	for (size_t i = 0; (n = ibc_fabric_node(r.seen, i)); i++)
		assert_int_equal(ibc_node_answer(n, IBC_ATTR_GENERAL_INFO),
		                 n->guid == host->node->guid ? IBC_SILENT : IBC_ANSWERED);
	rig_free(&r);
}

/* Without an own one in the files; a wrong one does not make of silence that they know it not. */
static void one_v_key_goes_to_whom_the_files_have_none_for(void **state)
{
	struct rig r = protected_rig(2);
	const struct ibc_port *p;
	const struct ibc_node *n;

	(void)state;
	write_keys(&r, NULL);
	put("guid2vskey", "");
	for (size_t i = 0; (p = ibc_fabric_port(r.real, i)); i++)
		model_keys(r.model, p)->v_key = 0x77;
	for (r.opts.vs_key = 0x77; r.opts.vs_key <= 0x78; r.opts.vs_key++) {
		sweep_with_keys(&r);
		for (size_t i = 0; (n = ibc_fabric_node(r.seen, i)); i++)
			assert_int_equal(ibc_node_answer(n, IBC_ATTR_GENERAL_INFO),
			                 r.opts.vs_key == 0x77 ? IBC_ANSWERED : IBC_SILENT);
		ibc_fabric_free(r.seen);
		r.seen = NULL;
	}
	rig_free(&r);
}

/* Four of a kind are silent: that is no rule for those that have a key. */
static void old_v_keys_of_some_do_not_hide_the_rest(void **state)
{
	struct rig r = protected_rig(2);
	const struct ibc_port *p;
	uint64_t told = 0, silent = 0, keyless = 0;
	const struct ibc_node *n;

	(void)state;
	write_keys(&r, NULL);
	for (size_t i = 0; (p = ibc_fabric_port(r.real, i)); i++)
		if (p->node->type == IBC_NODE_CA && keyless < 20) {
			model_keys(r.model, p)->v_key++;
			keyless++;
		}
	sweep_with_keys(&r);
	for (size_t i = 0; (n = ibc_fabric_node(r.seen, i)); i++) {
		told += ibc_node_answer(n, IBC_ATTR_GENERAL_INFO) == IBC_ANSWERED;
		silent += ibc_node_answer(n, IBC_ATTR_GENERAL_INFO) == IBC_SILENT;
	}
	assert_int_equal(silent, keyless);
	assert_int_equal(told, 33 - keyless);
	rig_free(&r);
}

static void no_key_gets_into_a_snapshot_a_report_or_the_log(void **state)
{
	struct rig r = protected_rig(2);
	struct mktrace t;
	size_t size;
	char *text;

	(void)state;
	write_keys(&r, some_host(&r));
	mktrace_start(&t);
	r.opts.trace = &t.trace;
	sweep_with_keys(&r);
	assert_false(holds_key(&r, t.text, strlen(t.text)));
	text = bytes_of(r.seen, "snapshot", &size);
	assert_non_null(strstr(text, "\"key_files\""));
	assert_non_null(strstr(text, "\"keyed_peer\""));
	assert_false(holds_key(&r, text, size));
	free(text);
	text = report_text(r.seen, NULL);
	assert_false(holds_key(&r, text, strlen(text)));
	free(text);
	mktrace_free(&t);
	rig_free(&r);
}

static void a_sweep_with_keys_survives_without_memory(void **state)
{
	struct rig r = rig("synth:fattree:leaves=2,spines=1,hosts=1");
	struct arena *arena = arena_new();
	unsigned long n = 0;
	int rc;

	(void)state;
	protect(&r, 2);
	write_keys(&r, NULL);
	r.opts.key_files = root;
	do {
		alloc_fail_at(++n);
		rc = keys_read(&r.opts, arena, &r.opts.keys, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
	} while (rc);
	sweep_short_of_memory(&r);
	arena_free(arena);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_found_by_the_guid_of_its_port),
		cmocka_unit_test(a_neighbor_is_found_by_port_guid_and_number),
		cmocka_unit_test(what_is_no_key_is_refused_with_its_line_and_never_quoted),
		cmocka_unit_test(what_is_no_neighbor_is_refused),
		cmocka_unit_test(what_is_no_lid_is_refused),
		cmocka_unit_test(two_keys_of_one_port_are_refused),
		cmocka_unit_test(an_empty_file_of_keys_is_refused),
		TEST(only_the_v_keys_may_be_missing),
		TEST(keys_that_everybody_can_read_are_noted),
		TEST(with_its_keys_a_protected_fabric_is_as_an_open_one),
		TEST(without_keys_a_protected_port_says_so),
		TEST(without_keys_the_first_link_is_unknown),
		TEST(without_keys_level_1_hides_nothing),
		TEST(one_key_that_does_not_fit_is_named_with_its_port_and_file),
		TEST(without_its_lid_a_key_that_does_not_fit_may_be_a_dead_device),
		TEST(a_lid_that_another_device_has_by_now_is_not_asked),
		TEST(keys_that_have_changed_are_one_finding_besides),
		TEST(without_lids_keys_have_probably_changed),
		TEST(keys_that_differ_are_seen_before_they_are_needed),
		TEST(cables_that_were_moved_are_seen_where_keys_do_not_matter),
		TEST(the_files_of_another_fabric_are_told_at_once),
		TEST(our_own_key_may_have_changed),
		TEST(what_the_files_lack_is_asked_with_the_key_of_y),
		TEST(a_dead_host_is_not_taken_for_a_protected_one),
		TEST(a_wrong_v_key_is_an_answer_that_is_missing),
		TEST(one_v_key_goes_to_whom_the_files_have_none_for),
		TEST(old_v_keys_of_some_do_not_hide_the_rest),
		TEST(no_key_gets_into_a_snapshot_a_report_or_the_log),
		TEST(a_sweep_with_keys_survives_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
