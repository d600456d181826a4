/* SPDX-License-Identifier: BSD-2-Clause */
/* One report: of what passes, what hosts are compared by is kept, and the rest is forgotten. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "fleet/fleet.h"

#define SCHEMA_KNOWN "2" /* man/ibcheck-report.schema.json */

/* What is kept of a report as a whole; FINDINGS and TABLES are members of it, too. */
enum { FINDINGS = HEADS, TABLES, MEMBERS };
static const struct {
	const char *member, *key;
} members[MEMBERS] = {
	[HEAD_SCHEMA] = { "schema", NULL },
	[HEAD_VERDICT] = { "verdict", NULL },
	[HEAD_TOOL] = { "tool", "name" },
	[HEAD_VERSION] = { "tool", "version" },
	[HEAD_TIME] = { "meta", "time" },
	[HEAD_HOST] = { "meta", "host" },
	[HEAD_DESCRIBED] = { "meta", "described" },
	[HEAD_COMMAND] = { "meta", "command" },
	[HEAD_COMPLETE] = { "coverage", "complete" },
	[HEAD_SKIPPED] = { "coverage", "skipped" },
	[HEAD_RAN] = { "coverage", "ran" },
	[FINDINGS] = { "findings", NULL },
	[TABLES] = { "tables", NULL },
};

/* The keys of a finding, and of what is in it. */
enum { CHECK, SEVERITY, SUBJECT, MESSAGE, ADVICE, KNOWN, KIND, THING, EXPIRED };
static const char *const finding_keys[] = { "check", "severity", "subject",   "message", "advice",
	                                    "known", "kind",     "node_desc", "expired" };

/* Depths of keys: of a report, of a member of it, of a finding, and of a row. */
enum { IN_REPORT = 1, IN_MEMBER, IN_FINDING, IN_ROW };

/*
 * struct kept_table - a table whose rows are facts
 * @things: so many of its first columns say what the row is about
 * @named: the next one says what the fact is, and the one behind it has the value
 */
struct kept_table {
	const char *name;
	unsigned int things;
	bool named;
	const char *columns[CELLS_MAX];
};

/* What differs from run to run, as counters do, is no fact to compare hosts by. */
static const struct kept_table kept_tables[] = {
	{ "facts", 1, true, { "subject", "key", "value" } },
	{ "host_ports",
	  2,
	  false,
	  { "ca", "port", "link_layer", "state", "phys_state", "width", "speed", "rate_gbps",
	    "ca_type", "firmware", "board_id", "hw_rev", "node_guid", "port_guid" } },
	{ "pci",
	  2,
	  false,
	  { "device", "hop", "pci", "speed_gts", "max_speed_gts", "lanes", "max_lanes", "numa",
	    "driver", "iommu", "acs", "device_control" } },
	{ "affinity", 2, false, { "gpu", "device", "nearness", "gpu_numa", "device_numa" } },
	{ "modules",
	  2,
	  false,
	  { "device", "port", "vendor", "part", "revision", "serial", "kind", "length_m" } },
	{ "interfaces",
	  2,
	  false,
	  { "interface", "namespace", "port", "driver", "mode", "mtu_bytes", "pkey", "carrier",
	    "enhanced" } },
	{ "workloads",
	  1,
	  false,
	  { "workload", "verdict", "job", "job_kind", "interface", "queue_pairs",
	    "ipoib_bytes_per_second" } },
	{ "roce_ports",
	  2,
	  false,
	  { "ca", "port", "interface", "state", "rate_gbps", "gid_type", "mtu_bytes",
	    "rdma_mtu_bytes", "trust", "pfc_priorities", "ecn_priorities", "pause", "traffic_class",
	    "dcbx" } },
};

static int find_word(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (words[i] && !strcmp(words[i], word))
			return (int)i;
	return -1;
}

/* ---- where it is -------------------------------------------------------------------------- */

/* The first whose name this is; below a member, of those. */
static int find_member(const char *member, const char *key)
{
	for (int i = 0; i < MEMBERS; i++)
		if (!strcmp(members[i].member, member) &&
		    (!key || (members[i].key && !strcmp(members[i].key, key))))
			return i;
	return -1;
}

static int find_kept_table(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept_tables); i++)
		if (!strcmp(kept_tables[i].name, name))
			return (int)i;
	return -1;
}

/* Columns come in the order of the table: the one behind the last is tried first. */
static int find_kept_column(const struct draft *d, const char *key)
{
	const char *const *columns = kept_tables[d->at[IN_MEMBER]].columns;
	int next = d->at[IN_ROW] + 1;

	if (next < CELLS_MAX && columns[next] && !strcmp(columns[next], key))
		return next;
	return find_word(columns, CELLS_MAX, key);
}

static int find_below_member(const struct draft *d, const char *key)
{
	int member = d->at[IN_REPORT];

	return member == TABLES ? find_kept_table(key) : find_member(members[member].member, key);
}

static int find_in_row(const struct draft *d, const char *key)
{
	switch (d->at[IN_REPORT]) {
	case FINDINGS:
		return d->at[IN_FINDING] == SUBJECT || d->at[IN_FINDING] == KNOWN
		           ? find_word(finding_keys, ARRAY_SIZE(finding_keys), key)
		           : -1;
	case TABLES:
		return d->at[IN_MEMBER] < 0 ? -1 : find_kept_column(d, key);
	default: /* of what was left out the first reason is told */
		return d->at[IN_MEMBER] == HEAD_SKIPPED && !strcmp(key, "reason") ? HEAD_SKIPPED
		                                                                  : -1;
	}
}

static void take_key(struct draft *d, unsigned int depth, const char *key)
{
	int at = -1;

	if (depth > IN_ROW)
		return;
	if (depth == IN_REPORT)
		at = find_member(key, NULL);
	else if (d->at[IN_REPORT] < 0)
		return;
	else if (depth == IN_MEMBER)
		at = find_below_member(d, key);
	else if (depth == IN_FINDING && d->at[IN_REPORT] == FINDINGS)
		at = find_word(finding_keys, ARRAY_SIZE(finding_keys), key);
	else if (depth == IN_ROW)
		at = find_in_row(d, key);
	d->at[depth] = (signed char)at;
}

/* ---- values ------------------------------------------------------------------------------- */

static enum ibc_severity severity_of(const char *word)
{
	for (enum ibc_severity s = IBC_OK; s <= IBC_CRITICAL; s++)
		if (!strcmp(ibc_severity_word(s)->word, word))
			return s;
	return IBC_UNKNOWN;
}

static void take_of_finding(struct draft *d, unsigned int depth, const char *text, size_t length)
{
	struct ibc_fleet_finding *f = &d->finding;
	uint32_t *const fields[] = {
		[CHECK] = &f->check, [MESSAGE] = &f->message, [ADVICE] = &f->advice,
		[KIND] = &f->kind,   [THING] = &f->thing,     [EXPIRED] = NULL
	};
	int at = d->at[depth];

	if ((at >= KIND) != (depth == IN_ROW))
		return;
	if (at == SEVERITY)
		f->severity = severity_of(text);
	else if (at == EXPIRED)
		f->known = !strcmp(text, "false");
	else if (fields[at])
		*fields[at] = pool_add(&d->fleet->texts, text, length);
}

/* Those beyond what is counted ran nowhere: their incidents stay. */
static void take_ran(struct draft *d, const char *check, size_t length)
{
	uint32_t number = pool_add(&d->fleet->checks, check, length);

	if (number && number < IBC_FLEET_CHECKS)
		d->ran[number / 64] |= UINT64_C(1) << number % 64;
}

static void take_value(struct draft *d, unsigned int depth, const char *text, size_t length)
{
	struct pool *texts = &d->fleet->texts;
	int member = d->at[IN_REPORT], at = depth <= IN_ROW ? d->at[depth] : -1;

	if (depth == IN_FINDING && member >= 0 && member < HEADS && d->at[IN_MEMBER] == HEAD_RAN)
		take_ran(d, text, length);
	if (member < 0 || at < 0)
		return;
	if (member == FINDINGS && depth >= IN_FINDING)
		take_of_finding(d, depth, text, length);
	else if (member == TABLES && depth == IN_ROW)
		d->row[at] = pool_add(texts, text, length);
	else if (at < HEADS && !d->head[at] && (depth == IN_REPORT) == !members[at].key)
		d->head[at] = pool_add(texts, text, length);
}

/* ---- what becomes of it ------------------------------------------------------------------ */

/* What costs one report more than others have is not paid for. */
static bool is_full(struct draft *d, size_t n)
{
	d->too_many |= n >= IBC_FLEET_FACTS;
	return n >= IBC_FLEET_FACTS;
}

static int add_finding(struct draft *d)
{
	if (is_full(d, d->num_findings))
		return 0;
	if (!grow(&d->findings, d->num_findings, &d->room_findings, sizeof(*d->findings)))
		return -ENOMEM;
	d->findings[d->num_findings++] = d->finding;
	d->finding = (struct ibc_fleet_finding){ 0 };
	return 0;
}

#define FACT_NAME_MAX 512 /* bytes: a table, a thing and a key have less; else it is cut */

/* "table", NUL, "thing", NUL, "what" */
static uint32_t key_number(struct draft *d, const char *thing, const char *more, const char *what)
{
	char name[FACT_NAME_MAX], *at = name, *end = name + sizeof(name) - 2;
	const char *const parts[] = {
		kept_tables[d->at[IN_MEMBER]].name, "", thing, *more ? "/" : "", more, "", what
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t n = strlen(parts[i]), room = at < end ? (size_t)(end - at) : 0;

		if (!n && (i == 1 || i == 5))
			*at++ = '\0';
		n = n < room ? n : room;
		memcpy(at, parts[i], n);
		at += n;
	}
	return pool_add(&d->fleet->keys, name, (size_t)(at - name));
}

static int add_fact(struct draft *d, const char *what, uint32_t value)
{
	const struct kept_table *t = &kept_tables[d->at[IN_MEMBER]];
	const struct pool *texts = &d->fleet->texts;
	const char *more = t->things > 1 ? pool_text(texts, d->row[1]) : "";
	uint32_t key;

	if (is_full(d, d->num_facts))
		return 0;
	if (!grow(&d->facts, d->num_facts, &d->room_facts, sizeof(*d->facts)))
		return -ENOMEM;
	key = key_number(d, pool_text(texts, d->row[0]), more, what);
	d->facts[d->num_facts++] = (struct ibc_fleet_fact){ key, value };
	if (!strcmp(what, "node_guid") && value) {
		const struct pool_text *guid = &texts->texts[value];

		/* a sum: neither the order nor the names of the adapters count */
		d->adapters += hash_mix((uint64_t)guid->hash << 32 | guid->length);
	}
	return 0;
}

/* A cell that is null is no fact. */
static int add_facts(struct draft *d)
{
	const struct kept_table *t = &kept_tables[d->at[IN_MEMBER]];
	int rc = 0;

	if (t->named && d->row[t->things + 1])
		rc = add_fact(d, pool_text(&d->fleet->texts, d->row[t->things]),
		              d->row[t->things + 1]);
	for (size_t i = t->things; !rc && !t->named && i < CELLS_MAX && t->columns[i]; i++)
		if (d->row[i])
			rc = add_fact(d, t->columns[i], d->row[i]);
	memset(d->row, 0, sizeof(d->row));
	return rc;
}

static int take_end(struct draft *d, unsigned int depth)
{
	if (depth == IN_MEMBER && d->at[IN_REPORT] == FINDINGS)
		return add_finding(d);
	if (depth == IN_FINDING && d->at[IN_REPORT] == TABLES && d->at[IN_MEMBER] >= 0)
		return add_facts(d);
	return 0;
}

int draft_take(void *ctx, enum json_event event, unsigned int depth, const char *text,
               size_t length)
{
	struct draft *d = ctx;
	int rc = 0;

	if (event == JSON_KEY)
		take_key(d, depth, text);
	else if (event == JSON_STRING || (event == JSON_WORD && strcmp(text, "null") != 0))
		take_value(d, depth, text, length);
	else if (event == JSON_END)
		rc = take_end(d, depth);
	else if (depth <= IN_ROW)
		d->at[depth] = -1;
	return d->fleet->texts.failed || d->fleet->keys.failed || d->fleet->checks.failed ? -ENOMEM
	                                                                                  : rc;
}

/* ---- its end ------------------------------------------------------------------------------ */

static time_t time_of(const char *text)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);

	return end && !*end ? timegm(&tm) : 0;
}

static bool is_host_command(const char *command)
{
	static const char *const commands[] = { "host", "ipoib", "roce" };

	return find_word(commands, ARRAY_SIZE(commands), command) >= 0;
}

/* Why it is none that hosts are judged by; NULL: it is one. */
static const char *refusal(struct draft *d)
{
	struct arena *arena = d->fleet->arena;
	const char *head[HEADS];

	for (size_t i = 0; i < HEADS; i++)
		head[i] = pool_text(&d->fleet->texts, d->head[i]);
	if (strcmp(head[HEAD_TOOL], "ibcheck") != 0)
		return "wrote JSON that is no report of ibcheck";
	if (strcmp(head[HEAD_SCHEMA], SCHEMA_KNOWN) != 0)
		return arena_printf(
		    arena, "its report has schema %s, of ibcheck %s; this version reads schema %s",
		    *head[HEAD_SCHEMA] ? head[HEAD_SCHEMA] : "none", head[HEAD_VERSION],
		    SCHEMA_KNOWN);
	if (!is_host_command(head[HEAD_COMMAND]))
		return arena_printf(
		    arena, "its report is one of \"ibcheck %s\", not of host, ipoib or roce",
		    head[HEAD_COMMAND]);
	return *head[HEAD_VERDICT] ? NULL : "its report has no verdict";
}

static int by_key(const void *va, const void *vz)
{
	const struct ibc_fleet_fact *a = va, *z = vz;

	return order_u64(a->key, z->key);
}

/* They stay, in no more room than they take. */
static void keep_rows(struct draft *d, struct ibc_fleet_report *r)
{
	struct arena *arena = d->fleet->arena;
	struct ibc_fleet_finding *findings = arena_array(arena, d->num_findings + 1,
	                                                 sizeof(*findings));
	struct ibc_fleet_fact *facts = arena_array(arena, d->num_facts + 1, sizeof(*facts));

	if (!findings || !facts)
		return;
	if (d->num_findings)
		memcpy(findings, d->findings, d->num_findings * sizeof(*findings));
	if (d->num_facts) {
		memcpy(facts, d->facts, d->num_facts * sizeof(*facts));
		qsort(facts, d->num_facts, sizeof(*facts), by_key);
	}
	r->findings = findings;
	r->num_findings = d->num_findings;
	r->facts = facts;
	/* of a part of them a host would seem to lack the others */
	r->num_facts = d->too_many ? 0 : d->num_facts;
	r->too_many = d->too_many;
	r->adapters = d->adapters;
	memcpy(r->ran, d->ran, sizeof(r->ran));
}

static const char *head_text(const struct draft *d, unsigned int head)
{
	return pool_text(&d->fleet->texts, d->head[head]);
}

static const char *reason_of_gap(const struct draft *d)
{
	const char *reason = head_text(d, HEAD_SKIPPED);

	if (strcmp(head_text(d, HEAD_COMPLETE), "false") != 0)
		return "";
	return *reason ? reason : "not all that it asked for could be read";
}

int draft_end(struct draft *d, const char *label, const char *source, const char *trouble)
{
	struct ibc_fleet *fleet = d->fleet;
	struct ibc_fleet_report *r = arena_alloc(fleet->arena, sizeof(*r));

	if (!r || !grow(&fleet->reports, fleet->num_reports, &fleet->room_reports,
	                sizeof(*fleet->reports)))
		return -ENOMEM;
	*r = (struct ibc_fleet_report){
		.label = label,
		.source = source,
		.described = head_text(d, d->head[HEAD_DESCRIBED] || label ? HEAD_DESCRIBED
		                                                           : HEAD_HOST),
		.command = head_text(d, HEAD_COMMAND),
		.version = head_text(d, HEAD_VERSION),
		.gap = reason_of_gap(d),
		.trouble = trouble ? trouble : refusal(d),
		.time = time_of(head_text(d, HEAD_TIME)),
		.verdict = severity_of(head_text(d, HEAD_VERDICT)),
	};
	if (r->trouble)
		r->verdict = IBC_UNKNOWN;
	else
		keep_rows(d, r);
	fleet->reports[fleet->num_reports++] = r;
	draft_free(d);
	*d = (struct draft){ .fleet = fleet };
	return !r->trouble && !r->facts ? -ENOMEM : 0;
}

void draft_free(struct draft *d)
{
	free(d->findings);
	free(d->facts);
	d->findings = NULL;
	d->facts = NULL;
}
