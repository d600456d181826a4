/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts against each other and against a policy; and a site of 500 hosts with planted faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <ibcheck/check.h>

#include "base/arena.h"
#include "base/array.h"
#include "fleet/policy.h"
#include "fleet_of.h"

/* ---- hosts ------------------------------------------------------------------------------- */

#define ADAPTERS 4

/* struct box - a host as it was installed; NULL: it does not tell */
struct box {
	const char *name, *label, *psid, *firmware[ADAPTERS], *rate, *kernel, *library, *memlock;
	const char *lanes, *acs, *nearness;
	size_t adapters;
	bool peermem, unlisted;
	unsigned int guid;
};

static const struct box usual = {
	.psid = "MT_1",
	.firmware = { "28.39", "28.39", "28.39", "28.39" },
	.rate = "400.0",
	.kernel = "6.1",
	.library = "1.14",
	.memlock = "unlimited",
	.lanes = "16",
	.acs = "0",
	.nearness = "pix",
	.adapters = ADAPTERS,
	.peermem = true,
};

static void put_fact(FILE *out, const char *subject, const char *key, const char *value)
{
	if (value)
		fprintf(out, ", {\"subject\": \"%s\", \"key\": \"%s\", \"value\": \"%s\"}", subject,
		        key, value);
}

static void put_tables(FILE *out, const struct box *b)
{
	fprintf(out, "\"host_ports\": [");
	for (size_t i = 0; i < b->adapters; i++)
		fprintf(out,
		        "%s{\"ca\": \"mlx5_%zu\", \"port\": 1, \"rate_gbps\": %s, \"firmware\": "
		        "\"%s\", \"board_id\": \"%s\", \"node_guid\": \"0x%x\"}",
		        i ? ", " : "", i, b->rate ? b->rate : "null", b->firmware[i], b->psid,
		        16 * b->guid + (unsigned int)i);
	fprintf(out,
	        "], \"pci\": [{\"device\": \"mlx5_0\", \"hop\": 0, \"lanes\": %s, \"acs\": %s}], "
	        "\"affinity\": [{\"gpu\": \"0000:15:00.0\", \"device\": \"mlx5_0\", "
	        "\"nearness\": \"%s\"}], \"facts\": [{\"subject\": \"x\", \"key\": \"y\", "
	        "\"value\": \"%s\"}",
	        b->lanes, b->acs, b->nearness, b->name);
	put_fact(out, "kernel", "modules", b->unlisted ? NULL : "listed");
	put_fact(out, "kernel", "release", b->kernel);
	put_fact(out, "rdma-core", "libibverbs", b->library);
	put_fact(out, "limits", "memlock", b->memlock);
	put_fact(out, "module nvidia_peermem", "loaded", b->peermem ? "yes" : NULL);
	fprintf(out, "]");
}

static void put_box(FILE *out, const struct box *b)
{
	fprintf(out,
	        "%s%s{\"schema\": 2, \"tool\": {\"name\": \"ibcheck\", \"version\": \"1.0\"}, "
	        "\"meta\": {\"time\": \"2026-01-31T12:00:00Z\", \"described\": \"%s\", "
	        "\"command\": \"host\"}, \"verdict\": \"ok\", \"tables\": {",
	        b->label ? b->label : "", b->label ? ": " : "", b->name);
	put_tables(out, b);
	fprintf(out, "}}\n");
}

static char *text_of(const struct box *boxes, size_t n)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; i < n; i++)
		put_box(out, &boxes[i]);
	fclose(out);
	return text;
}

/* ---- findings ---------------------------------------------------------------------------- */

static const char *fact_of(const struct ibc_finding *f, const char *key)
{
	for (size_t i = 0; i < f->num_facts; i++)
		if (!strcmp(f->facts[i].key, key))
			return f->facts[i].value.str;
	return "-";
}

static int by_text(const void *a, const void *z)
{
	return strcmp(*(char *const *)a, *(char *const *)z);
}

/* struct lines - texts, to be freed */
struct lines {
	char *list[4096];
	size_t n;
};

static void add_line(struct lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_line(struct lines *lines, const char *format, ...)
{
	va_list ap;

	assert_true(lines->n < ARRAY_SIZE(lines->list));
	va_start(ap, format);
	assert_true(vasprintf(&lines->list[lines->n++], format, ap) >= 0);
	va_end(ap);
}

static void free_lines(struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->list[i]);
	lines->n = 0;
}

static struct ibc_report *judged(const struct ibc_fleet *fleet)
{
	const struct ibc_input in = { .fleet = fleet };
	struct ibc_report *rep = NULL;
	int rc = ibc_report_new(&rep, NULL);

	if (!rc)
		rc = ibc_check_run(&in, "fleet", rep, NULL);
	if (!rc)
		return rep;
	assert_int_equal(rc, -ENOMEM);
	ibc_report_free(rep);
	return NULL;
}

/* "fleet.outlier warning n5 kernel 5.15", sorted */
static void judge(const char *text, const struct ibc_fleet_opts *opts, struct lines *out)
{
	struct ibc_fleet *fleet = load(NULL, text, 4096, opts);
	struct ibc_report *rep = judged(fleet);
	const struct ibc_finding *f;

	out->n = 0;
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		add_line(out, "%s %s %s %s", f->check, ibc_severity_word(f->severity)->word,
		         f->subject.near.desc, fact_of(f, "deviation"));
	qsort(out->list, out->n, sizeof(char *), by_text);
	ibc_report_free(rep);
	ibc_fleet_free(fleet);
}

/* What is said of some boxes, joined by "; ". */
static const char *said(const struct box *boxes, size_t n, const struct ibc_policy *policy,
                        const char *group)
{
	static char told[16384];
	struct lines lines;
	char *text = text_of(boxes, n);

	judge(text, &(struct ibc_fleet_opts){ .policy = policy, .group = group }, &lines);
	*told = '\0';
	for (size_t i = 0; i < lines.n; i++)
		snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s%s", i ? "; " : "",
		         lines.list[i]);
	free_lines(&lines);
	free(text);
	return told;
}

#define BOXES 10
static char names[BOXES][8];

/* n0 to n9, all alike */
static void alike(struct box boxes[BOXES])
{
	for (unsigned int i = 0; i < BOXES; i++) {
		boxes[i] = usual;
		snprintf(names[i], sizeof(names[i]), "n%u", i);
		boxes[i].name = names[i];
		boxes[i].guid = i + 1;
	}
}

/* ---- each by itself ---------------------------------------------------------------------- */

static void hosts_that_are_alike_are_no_finding(void **state)
{
	struct box boxes[BOXES];

	(void)state;
	alike(boxes);
	assert_string_equal(said(boxes, BOXES, NULL, NULL), "");
	assert_string_equal(said(boxes, 1, NULL, NULL), "fleet.outlier info n0 -");
	boxes[1].kernel = "7";
	assert_string_equal(said(boxes, 3, NULL, NULL), "fleet.outlier info n[0-2] -");
	assert_string_equal(said(boxes, 4, NULL, NULL), "fleet.outlier warning n1 kernel 7");
}

static void a_majority_is_sixty_percent(void **state)
{
	struct box boxes[BOXES];

	(void)state;
	alike(boxes);
	for (size_t i = 0; i < 4; i++)
		boxes[i].kernel = "7";
	assert_string_equal(said(boxes, BOXES, NULL, NULL),
	                    "fleet.outlier warning n0 kernel 7; fleet.outlier warning n1 kernel 7; "
	                    "fleet.outlier warning n2 kernel 7; fleet.outlier warning n3 kernel 7");
	boxes[4].kernel = "8";
	assert_string_equal(said(boxes, BOXES, NULL, NULL), "fleet.outlier info n[0-9] -");
}

static void what_is_not_told_is_not_compared(void **state)
{
	struct box boxes[BOXES];

	(void)state;
	alike(boxes);
	boxes[0].kernel = NULL;
	boxes[1].rate = NULL;
	assert_string_equal(said(boxes, BOXES, NULL, NULL), "");
	for (size_t i = 0; i < 7; i++)
		boxes[i].kernel = NULL;
	boxes[7].kernel = "7";
	assert_string_equal(said(boxes, BOXES, NULL, NULL), "");
}

static void what_is_not_there_is_told_of_who_lists_it(void **state)
{
	struct box boxes[BOXES];

	(void)state;
	alike(boxes);
	boxes[2].adapters = 3;
	boxes[3].peermem = false;
	boxes[4].peermem = false;
	boxes[4].unlisted = true;
	assert_string_equal(said(boxes, BOXES, NULL, NULL),
	                    "fleet.outlier warning n2 psid none; "
	                    "fleet.outlier warning n3 peermem none");
	for (size_t i = 0; i < BOXES; i++)
		boxes[i].adapters = i == 5 ? 4 : 3;
	assert_string_equal(said(boxes, 4, NULL, NULL), "fleet.outlier warning n3 peermem none");
	assert_string_equal(said(boxes + 4, 6, NULL, NULL), "fleet.outlier warning n5 psid MT_1");
}

static void facts_of_the_same_hosts_are_told_together(void **state)
{
	struct box boxes[BOXES];

	(void)state;
	alike(boxes);
	boxes[1].kernel = boxes[2].kernel = "5";
	boxes[1].library = boxes[2].library = "1.11";
	boxes[2].lanes = "8";
	boxes[3].firmware[0] = boxes[3].firmware[2] = "28.38";
	boxes[4].nearness = "sys";
	boxes[4].acs = "29";
	boxes[4].memlock = "65536";
	assert_string_equal(said(boxes, BOXES, NULL, NULL),
	                    "fleet.outlier warning n1 kernel 5, rdma-core 1.11; "
	                    "fleet.outlier warning n2 kernel 5, rdma-core 1.11; "
	                    "fleet.outlier warning n2 pcie-width 8 lanes; "
	                    "fleet.outlier warning n3 firmware 28.38; "
	                    "fleet.outlier warning n4 memlock 65536, acs 29, nearness sys");
}

/* What @boxes[1] is advised, alone among others. */
static void expect_advice(struct box *boxes, const char *advice)
{
	char *text = text_of(boxes, BOXES);
	struct ibc_fleet *fleet = load(NULL, text, 4096, &(struct ibc_fleet_opts){ 0 });
	struct ibc_report *rep = judged(fleet);

	assert_string_equal(ibc_report_finding(rep, 0)->advice, advice);
	ibc_report_free(rep);
	ibc_fleet_free(fleet);
	free(text);
}

static void newer_versions_are_never_advised_down(void **state)
{
	struct box boxes[BOXES];

	(void)state;
	alike(boxes);
	boxes[1].kernel = "5.15";
	expect_advice(boxes, "Bring kernel to the state of the others, or state in --policy what "
	                     "it must be.");
	boxes[1].kernel = "6.10"; /* no decimal number */
	boxes[1].memlock = "65536";
	expect_advice(boxes,
	              "Newer here: kernel. Update the others, or state in --policy what must "
	              "be.");
}

static void hosts_are_compared_with_their_kind(void **state)
{
	struct box boxes[BOXES];

	(void)state;
	alike(boxes);
	for (size_t i = 0; i < 4; i++)
		boxes[i].psid = "MT_2";
	boxes[0].kernel = boxes[5].kernel = "7";
	assert_string_equal(said(boxes, BOXES, NULL, NULL),
	                    "fleet.outlier warning n0 kernel 7; fleet.outlier warning n5 kernel 7");
	/* three of a kind are no kind, and a slow port makes none */
	boxes[3].psid = "MT_1";
	boxes[9].rate = "100.0";
	assert_string_equal(said(boxes, BOXES, NULL, NULL),
	                    "fleet.outlier info n[0-2] -; fleet.outlier warning n5 kernel 7; "
	                    "fleet.outlier warning n9 rate 100 Gb/s");
	assert_string_equal(
	    said(boxes, BOXES, NULL, "name"),
	    "fleet.outlier warning n0 kernel 7; fleet.outlier warning n0 psid MT_2; "
	    "fleet.outlier warning n1 psid MT_2; fleet.outlier warning n2 psid "
	    "MT_2; fleet.outlier warning n5 kernel 7; "
	    "fleet.outlier warning n9 rate 100 Gb/s");
}

static void a_policy_overrides_the_majority(void **state)
{
	static const char *const lines[][3] = {
		{ "all", "kernel", "7, 8.*" },         { "psid MT_2", "firmware", "28.40" },
		{ "host n[0-3]", "rate", "400" },      { "host n9", "rate", "100, 50" },
		{ "host n8", "ofed", "24.04" },        { "host n7", "roce-mtu", "9000" },
		{ "all", "peermem", "yes, none" },     { "host n6", "peermem", "none" },
		{ "host n5", "memlock", "unlimited" },
	};
	struct ibc_policy *policy;
	struct box boxes[BOXES];

	(void)state;
	alike(boxes);
	assert_int_equal(ibc_policy_new(&policy, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_int_equal(
		    ibc_policy_set(policy, lines[i][0], lines[i][1], lines[i][2], NULL), 0);
	for (size_t i = 4; i < BOXES; i++)
		boxes[i].kernel = i % 2 ? "7" : "8.1";
	boxes[9].rate = "200.0";
	boxes[4].rate = "200.0"; /* no rule is for it: most have 400 */
	boxes[5].memlock = NULL;
	assert_string_equal(
	    said(boxes, BOXES, policy, "all"),
	    "fleet.outlier warning n4 rate 200 Gb/s; fleet.policy unknown n5 memlock; "
	    "fleet.policy unknown n7 roce-mtu; fleet.policy warning n0 kernel 6.1; "
	    "fleet.policy warning n1 kernel 6.1; fleet.policy warning n2 kernel 6.1; "
	    "fleet.policy warning n3 kernel 6.1; fleet.policy warning n6 peermem yes; "
	    "fleet.policy warning n8 ofed none; fleet.policy warning n9 rate 200 Gb/s; "
	    "fleet.policy warning psid MT_2 -");
	ibc_policy_free(policy);
}

static void a_section_that_is_for_nobody_is_told_once(void **state)
{
	static const char *const lines[][3] = {
		{ "all", "kernel", "6.1" },      { "psid MT_9", "firmware", "28.40" },
		{ "psid MT_9", "rate", "400" },  { "host x*", "rate", "400" },
		{ "psid MT_?", "rate", "400" },  { "host n[2]", "rate", "400" },
		{ "firmware 7", "rate", "400" }, { "ofed *", "rate", "400" },
	};
	struct ibc_policy *policy;
	struct box boxes[BOXES];

	(void)state;
	alike(boxes);
	boxes[5].firmware[3] = "7"; /* one adapter of one host is enough */
	assert_int_equal(ibc_policy_new(&policy, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_int_equal(
		    ibc_policy_set(policy, lines[i][0], lines[i][1], lines[i][2], NULL), 0);
	assert_string_equal(said(boxes, BOXES, policy, "all"),
	                    "fleet.outlier warning n5 firmware 7; "
	                    "fleet.policy warning host x* -; fleet.policy warning psid MT_9 -");
	assert_string_equal(said(boxes, 0, policy, "all"), "");
	ibc_policy_free(policy);
}

/* It reported too much to be compared, or has not reported at all: its section is for somebody. */
static void a_section_for_a_host_that_is_not_compared_is_used(void **state)
{
	static const char *const missing[] = { "n77" };
	const struct ibc_hostlist expected = { missing, 1 };
	struct ibc_policy *policy;
	struct box boxes[BOXES];
	struct lines found;
	char *text;

	(void)state;
	alike(boxes);
	text = text_of(boxes, BOXES);
	assert_int_equal(ibc_policy_new(&policy, NULL), 0);
	assert_int_equal(ibc_policy_set(policy, "host n77", "rate", "400", NULL), 0);
	judge(text, &(struct ibc_fleet_opts){ .policy = policy, .expected = &expected }, &found);
	for (size_t i = 0; i < found.n; i++)
		assert_null(strstr(found.list[i], "host n77"));
	free_lines(&found);
	ibc_policy_free(policy);
	free(text);
}

/* A workload of "ibcheck ipoib"; and a report with some. */
#define WORKLOAD(name, job, verdict, pairs)                                                        \
	"{\"workload\": \"" name "\", \"verdict\": \"" verdict "\", \"job\": \"" job               \
	"\", \"job_kind\": \"slurm\", \"queue_pairs\": " pairs "}"
#define RUNS(host, workloads)                                                                      \
	"{\"schema\": 2, \"tool\": {\"name\": \"ibcheck\", \"version\": \"1.0\"}, \"meta\": "      \
	"{\"time\": \"2026-01-31T12:00:00Z\", \"described\": \"" host                              \
	"\", \"command\": \"ipoib\"}, \"verdict\": \"ok\", \"tables\": {\"workloads\": "           \
	"[" workloads "]}}\n"

static const char *jobs_of(const char *text)
{
	struct ibc_fleet *fleet = load(NULL, text, 4096, &(struct ibc_fleet_opts){ 0 });
	struct ibc_report *rep = judged(fleet);
	const struct ibc_finding *f;
	static char told[1024];

	*told = '\0';
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		if (f->severity > IBC_INFO)
			snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s %s %s; ",
			         f->check, f->subject.near.desc, f->message);
	ibc_report_free(rep);
	ibc_fleet_free(fleet);
	return told;
}

static void a_job_waits_for_the_host_that_falls_back(void **state)
{
	(void)state;
	assert_string_equal(
	    jobs_of(RUNS("n1", WORKLOAD("a", "7", "ok", "4")) RUNS(
		"n2", WORKLOAD("a", "7", "ok", "0") ", " WORKLOAD(
			  "b", "7", "likely", "0") ", " WORKLOAD("c", "7", "likely", "0"))),
	    "fleet.job n2 its part of job 7 (slurm) uses TCP over IPoIB; RDMA is used on 1 other "
	    "host (n1), which waits for it; ");
	/* another job, another verdict, queue pairs that are not known, no job at all */
	assert_string_equal(jobs_of(RUNS("n1", WORKLOAD("a", "7", "ok", "4"))
	                                RUNS("n2", WORKLOAD("a", "8", "likely", "0"))),
	                    "");
	assert_string_equal(jobs_of(RUNS("n1", WORKLOAD("a", "7", "ok", "4"))
	                                RUNS("n2", WORKLOAD("a", "7", "possible", "0"))),
	                    "");
	assert_string_equal(jobs_of(RUNS("n1", WORKLOAD("a", "7", "ok", "null"))
	                                RUNS("n2", WORKLOAD("a", "7", "likely", "0"))),
	                    "");
	assert_string_equal(jobs_of(RUNS("n1", WORKLOAD("a", "", "ok", "4"))
	                                RUNS("n2", WORKLOAD("a", "", "likely", "0"))),
	                    "");
}

static void without_memory_there_is_no_report(void **state)
{
	struct ibc_policy *policy = NULL;
	struct ibc_report *rep = NULL;
	struct ibc_fleet *fleet;
	struct box boxes[BOXES];
	char *text;

	(void)state;
	for (unsigned long n = 1; !policy || !policy->num; n++) {
		ibc_policy_free(policy);
		policy = NULL;
		alloc_fail_at(n);
		if (!ibc_policy_new(&policy, NULL))
			assert_true(ibc_policy_set(policy, "all", "rate", "200", NULL) <= 0);
		alloc_fail_at(0);
	}
	alike(boxes);
	boxes[1].kernel = "7";
	for (size_t i = 0; i < 5; i++)
		boxes[i].library = "1.11";
	text = text_of(boxes, BOXES);
	fleet = load(NULL, text, 4096, &(struct ibc_fleet_opts){ .policy = policy });
	for (unsigned long n = 1; !rep; n++) {
		alloc_fail_at(n);
		rep = judged(fleet);
		alloc_fail_at(0);
	}
	assert_int_equal(ibc_report_count(rep, IBC_WARNING), BOXES + 1);
	assert_int_equal(ibc_report_count(rep, IBC_INFO), 1);
	ibc_report_free(rep);
	ibc_fleet_free(fleet);
	ibc_policy_free(policy);
	free(text);
}

/* ---- a site ------------------------------------------------------------------------------ */

#define SITE       500
#define GPU_HOSTS  100 /* the last ones: half of an upgrade is done there */
#define PLANTS     24  /* faults, each on one host or several */
#define PLANT_MOST 5   /* hosts */

/* struct site - what was installed, and what must be found */
struct site {
	struct box boxes[SITE];
	char names[SITE][8], values[PLANTS][16];
	bool taken[SITE], gone[SITE];
	struct lines expected;
	uint64_t seed;
};

static unsigned int random_below(struct site *s, unsigned int n)
{
	s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(s->seed >> 33) % n;
}

#define KERNELS 1 /* a kind of fault */
#define KINDS   8

/*
 * A host that has no other fault: what is wrong with it is then one thing.  The kernels of GPU
 * hosts are the policy's.
 */
static struct box *pick(struct site *s, unsigned int kind)
{
	unsigned int n = kind == KERNELS ? SITE - GPU_HOSTS : SITE, i = random_below(s, n);

	while (s->taken[i])
		i = (i + 1) % n;
	s->taken[i] = true;
	return &s->boxes[i];
}

/* Of the same kind the same fact, with a value of its own. */
static void plant(struct site *s, struct box *b, unsigned int kind, const char *value)
{
	const char *n = b->name, *all = "fleet.outlier warning";

	switch (kind) {
	case 0:
		b->firmware[random_below(s, ADAPTERS)] = value;
		add_line(&s->expected, "%s %s firmware %s", all, n, value);
		break;
	case KERNELS:
		b->kernel = b->library = value;
		add_line(&s->expected, "%s %s kernel %s, rdma-core %s", all, n, value, value);
		break;
	case 2:
		b->nearness = "sys";
		add_line(&s->expected, "%s %s nearness sys", all, n);
		break;
	case 3:
		b->lanes = "8";
		add_line(&s->expected, "%s %s pcie-width 8 lanes", all, n);
		break;
	case 4:
		b->adapters--;
		add_line(&s->expected, "%s %s psid none", all, n);
		break;
	case 5:
		b->peermem = false;
		add_line(&s->expected, "%s %s peermem none", all, n);
		break;
	case 6:
		b->memlock = value;
		add_line(&s->expected, "%s %s memlock %s", all, n, value);
		break;
	default:
		s->gone[b - s->boxes] = true;
		add_line(&s->expected, "fleet.missing unknown %s -", n);
	}
}

/* Compute nodes with one kind of HCA, GPU hosts with another. */
static void install(struct site *s)
{
	for (unsigned int i = 0; i < SITE; i++) {
		bool gpu = i >= SITE - GPU_HOSTS;

		s->boxes[i] = usual;
		snprintf(s->names[i], sizeof(s->names[i]), "%c%03u", gpu ? 'g' : 'n', i);
		s->boxes[i].name = s->boxes[i].label = s->names[i];
		s->boxes[i].guid = i + 1;
		s->boxes[i].psid = gpu ? "MT_2" : "MT_1";
	}
}

/* Of the GPU hosts most still have the old kernel. */
static void upgrade_some(struct site *s)
{
	for (unsigned int i = SITE - GPU_HOSTS; i < SITE; i++) {
		if (i % 3 == 0)
			s->boxes[i].kernel = "6.8";
		else if (!s->gone[i])
			add_line(&s->expected, "fleet.policy warning %s kernel 6.1", s->names[i]);
	}
}

/* The image of one host is on another, too. */
static void clone_one(struct site *s)
{
	struct box *from = &s->boxes[0], *to = &s->boxes[1];

	s->taken[0] = s->taken[1] = true;
	to->name = from->name;
	add_line(&s->expected, "fleet.duplicate unknown %s -", s->names[0]);
	add_line(&s->expected, "fleet.duplicate warning %s -", s->names[1]);
}

static char *site_text(const struct site *s)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < SITE; i++)
		if (!s->gone[i])
			put_box(out, &s->boxes[i]);
	fclose(out);
	return text;
}

static void compare(struct lines *found, struct lines *expected, unsigned long seed)
{
	qsort(expected->list, expected->n, sizeof(char *), by_text);
	for (size_t i = 0; i < found->n || i < expected->n; i++) {
		const char *a = i < found->n ? found->list[i] : "nothing";
		const char *z = i < expected->n ? expected->list[i] : "nothing";

		if (strcmp(a, z) != 0)
			fail_msg("seed %lu: found \"%s\", planted \"%s\"", seed, a, z);
	}
}

static void judge_site(unsigned long seed, const struct ibc_policy *policy)
{
	struct site *s = calloc(1, sizeof(*s));
	const char *all[SITE];
	const struct ibc_hostlist hosts = { all, SITE };
	struct lines found;
	char *text;

	assert_non_null(s);
	s->seed = seed;
	install(s);
	clone_one(s);
	for (unsigned int i = 0; i < PLANTS; i++) {
		unsigned int kind = random_below(s, KINDS), n = 1 + random_below(s, PLANT_MOST);

		snprintf(s->values[i], sizeof(s->values[i]), "%u", 1000 + i);
		while (n--)
			plant(s, pick(s, kind), kind, s->values[i]);
	}
	upgrade_some(s);
	for (size_t i = 0; i < SITE; i++)
		all[i] = s->names[i];
	text = site_text(s);
	judge(text, &(struct ibc_fleet_opts){ .policy = policy, .expected = &hosts }, &found);
	compare(&found, &s->expected, seed);
	free_lines(&found);
	free_lines(&s->expected);
	free(text);
	free(s);
}

/* FLEET_SEEDS: as many sites as that */
static void every_planted_fault_is_found_and_none_invented(void **state)
{
	const char *seeds = getenv("FLEET_SEEDS");
	unsigned long n = seeds ? strtoul(seeds, NULL, 10) : 5;
	struct ibc_policy *policy;

	(void)state;
	assert_int_equal(ibc_policy_new(&policy, NULL), 0);
	assert_int_equal(ibc_policy_set(policy, "psid MT_2", "kernel", "6.8", NULL), 0);
	for (unsigned long seed = 1; seed <= n; seed++)
		judge_site(seed, policy);
	ibc_policy_free(policy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_that_are_alike_are_no_finding),
		cmocka_unit_test(a_majority_is_sixty_percent),
		cmocka_unit_test(what_is_not_told_is_not_compared),
		cmocka_unit_test(what_is_not_there_is_told_of_who_lists_it),
		cmocka_unit_test(facts_of_the_same_hosts_are_told_together),
		cmocka_unit_test(newer_versions_are_never_advised_down),
		cmocka_unit_test(hosts_are_compared_with_their_kind),
		cmocka_unit_test(a_policy_overrides_the_majority),
		cmocka_unit_test(a_section_that_is_for_nobody_is_told_once),
		cmocka_unit_test(a_section_for_a_host_that_is_not_compared_is_used),
		cmocka_unit_test(a_job_waits_for_the_host_that_falls_back),
		cmocka_unit_test(without_memory_there_is_no_report),
		cmocka_unit_test(every_planted_fault_is_found_and_none_invented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
