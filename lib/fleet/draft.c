/* SPDX-License-Identifier: BSD-2-Clause */
/* One report: of what passes, what hosts are compared by is kept, and the rest is forgotten. */
#include <stdio.h>
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
enum { CHECK, SEVERITY, SUBJECT, MESSAGE, ADVICE, KNOWN, FACTS, KIND, THING, EXPIRED, FACT_KIND };
static const char *const finding_keys[] = {
	"check", "severity", "subject", "message",   "advice",
	"known", "facts",    "kind",    "node_desc", "expired"
};

/* Depths of keys: of a report, of a member of it, of a finding, and of a row. */
enum { IN_REPORT = 1, IN_MEMBER, IN_FINDING, IN_ROW };

/*
 * Tables whose rows are facts, by the columns that say what a row is about; of the table "facts"
 * the second one says what the fact is, and "value" has it.  Which columns are kept facts.c knows.
 */
static const struct {
	const char *name, *thing, *more;
} tables[] = {
	{ "facts", "subject", "key" },
	{ "host_ports", "ca", "port" },
	{ "pci", "device", "hop" },
	{ "affinity", "gpu", "device" },
	{ "interfaces", "interface", "namespace" },
	{ "workloads", "workload", "" },
	{ "roce_ports", "ca", "port" },
};
#define TABLE_FACTS 0 /* its place in tables */

/* ---- where it is -------------------------------------------------------------------------- */

static int find_word(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(words[i], word))
			return (int)i;
	return -1;
}

/* The first whose name this is; below a member, of those. */
static int find_member(const char *member, const char *key)
{
	for (int i = 0; i < MEMBERS; i++)
		if (!strcmp(members[i].member, member) &&
		    (!key || (members[i].key && !strcmp(members[i].key, key))))
			return i;
	return -1;
}

static int find_of_key(const struct draft *d, unsigned int depth, const char *key)
{
	const size_t num = ARRAY_SIZE(finding_keys);
	int member = d->at[IN_REPORT], in = d->at[IN_MEMBER], table = ARRAY_SIZE(tables), column;

	if (depth == IN_REPORT)
		return find_member(key, NULL);
	if (member < 0)
		return -1;
	if (depth == IN_MEMBER && member == TABLES) {
		while (table-- && strcmp(tables[table].name, key) != 0)
			;
		return table;
	}
	if (depth == IN_MEMBER)
		return find_member(members[member].member, key);
	if (depth == IN_FINDING)
		return member == FINDINGS ? find_word(finding_keys, num, key) : -1;
	if (member == FINDINGS && d->at[IN_FINDING] == FACTS)
		return strcmp(key, "kind") ? -1 : FACT_KIND;
	if (member == FINDINGS)
		return d->at[IN_FINDING] == SUBJECT || d->at[IN_FINDING] == KNOWN
		           ? find_word(finding_keys, num, key)
		           : -1;
	/* of what was left out the first reason is kept */
	if (member != TABLES)
		return in == HEAD_SKIPPED && !strcmp(key, "reason") ? HEAD_SKIPPED : -1;
	if (in < 0)
		return -1;
	if (!strcmp(tables[in].thing, key))
		return CELL_THING;
	if (!strcmp(tables[in].more, key))
		return CELL_MORE;
	if (in == TABLE_FACTS)
		return strcmp(key, "value") ? -1 : CELL_VALUE;
	column = fleet_column_of(tables[in].name, key);
	return column < 0 ? -1 : CELL_COLUMNS + column;
}

/* ---- values ------------------------------------------------------------------------------- */

static enum ibc_severity severity_of(const char *word)
{
	for (enum ibc_severity s = IBC_OK; s <= IBC_CRITICAL; s++)
		if (!strcmp(ibc_severity_word(s)->word, word))
			return s;
	return IBC_UNKNOWN;
}

static void take_value(struct draft *d, unsigned int depth, const char *text, size_t length)
{
	struct ibc_fleet *fleet = d->fleet;
	int member = d->at[IN_REPORT], at = depth <= IN_ROW ? d->at[depth] : -1;

	if (depth == IN_FINDING && member >= 0 && member < HEADS && d->at[IN_MEMBER] == HEAD_RAN) {
		uint32_t number = pool_add(&fleet->checks, text, length);

		/* those beyond what is counted ran nowhere: their incidents stay */
		if (number && number < IBC_FLEET_CHECKS)
			d->ran[number / 64] |= UINT64_C(1) << number % 64;
	}
	if (member < 0 || at < 0)
		return;
	if (member == FINDINGS && depth >= IN_FINDING) {
		struct ibc_fleet_finding *f = &d->finding;
		uint32_t *const fields[] = {
			[CHECK] = &f->check, [MESSAGE] = &f->message, [ADVICE] = &f->advice,
			[KIND] = &f->kind,   [THING] = &f->thing,     [FACT_KIND] = &f->fact_kind
		};

		if ((at >= KIND) != (depth == IN_ROW))
			return;
		if (at == SEVERITY)
			f->severity = severity_of(text);
		else if (at == EXPIRED)
			f->known = !strcmp(text, "false");
		else if (fields[at])
			*fields[at] = pool_add(&fleet->texts, text, length);
	} else if (member == TABLES && depth == IN_ROW) {
		d->row[at] = pool_add(&fleet->texts, text, length);
	} else if (at < HEADS && !d->head[at] && (depth == IN_REPORT) == !members[at].key) {
		d->head[at] = pool_add(&fleet->texts, text, length);
	}
}

/* ---- what becomes of it ------------------------------------------------------------------ */

/* What costs one report more than others have is not paid for. */
static bool is_full(struct draft *d, size_t n)
{
	d->too_many |= n >= IBC_FLEET_FACTS;
	return n >= IBC_FLEET_FACTS;
}

static void add_finding(struct draft *d)
{
	if (is_full(d, d->num_findings))
		return;
	arena_grow(d->fleet->arena, &d->findings, d->num_findings, &d->room_findings,
	           sizeof(*d->findings));
	d->findings[d->num_findings++] = d->finding;
	d->finding = (struct ibc_fleet_finding){ 0 };
}

#define NAME_MAX_BYTES 512 /* of a key: a table, a thing and a column have less; else it is cut */

static void add_fact(struct draft *d, const char *more, const char *what, uint32_t value)
{
	const struct pool *texts = &d->fleet->texts;
	char name[NAME_MAX_BYTES];
	int n;

	if (!value || is_full(d, d->num_facts))
		return; /* a cell that is null is no fact */
	n = snprintf(name, sizeof(name), "%s%c%.250s%s%.100s%c%.128s",
	             tables[d->at[IN_MEMBER]].name, '\0', pool_text(texts, d->row[CELL_THING]),
	             *more ? "/" : "", more, '\0', what);
	arena_grow(d->fleet->arena, &d->facts, d->num_facts, &d->room_facts, sizeof(*d->facts));
	d->facts[d->num_facts++] = (struct ibc_fleet_fact){
		pool_add(&d->fleet->keys, name, (size_t)n), value
	};
	if (!strcmp(what, "node_guid")) {
		const struct pool_text *guid = pool_at(texts, value);

		/* a sum: neither the order nor the names of the adapters count */
		d->adapters += hash_mix((uint64_t)guid->hash << 32 | guid->length);
	}
}

static void add_facts(struct draft *d)
{
	const char *more = pool_text(&d->fleet->texts, d->row[CELL_MORE]);
	size_t kind = CELL_COLUMNS + (size_t)fleet_column_of("host_ports", "kind");
	/* an NVSwitch bridge: a host has its own number of them, and none is an HCA */
	bool left_out = d->row[kind] != 0;

	if (d->at[IN_MEMBER] == TABLE_FACTS)
		add_fact(d, "", more, d->row[CELL_VALUE]);
	for (size_t i = CELL_COLUMNS; i < CELLS && !left_out; i++)
		if (d->row[i])
			add_fact(d, more, fleet_column(i - CELL_COLUMNS), d->row[i]);
	memset(d->row, 0, sizeof(d->row));
}

/* For struct json_push. */
static int draft_take(void *ctx, enum json_event event, unsigned int depth, const char *text,
                      size_t length)
{
	struct draft *d = ctx;

	if (event == JSON_KEY && depth <= IN_ROW)
		d->at[depth] = (signed char)find_of_key(d, depth, text);
	else if (event == JSON_STRING || (event == JSON_WORD && strcmp(text, "null") != 0))
		take_value(d, depth, text, length);
	else if (event == JSON_END && depth == IN_MEMBER && d->at[IN_REPORT] == FINDINGS)
		add_finding(d);
	else if (event == JSON_END && depth == IN_FINDING && d->at[IN_REPORT] == TABLES &&
	         d->at[IN_MEMBER] >= 0)
		add_facts(d);
	else if ((event == JSON_BEGIN_OBJECT || event == JSON_BEGIN_LIST) && depth <= IN_ROW)
		d->at[depth] = -1;
	return 0;
}

/* ---- its beginning and its end ----------------------------------------------------------- */

struct draft *draft_new(struct ibc_fleet *fleet)
{
	struct draft *d = fleet->spare;

	if (d) {
		fleet->spare = d->spare;
		return d;
	}
	d = arena_alloc(fleet->arena, sizeof(*d));
	*d = (struct draft){ .fleet = fleet,
		             .made = fleet->drafts,
		             .push = { .take = draft_take, .ctx = d } };
	fleet->drafts = d;
	return d;
}

/* Why it is none that hosts are judged by; NULL: it is one. */
static const char *refusal(struct arena *arena, const char *const head[HEADS])
{
	static const char *const commands[] = { "host", "ipoib", "roce" };

	if (strcmp(head[HEAD_TOOL], "ibcheck") != 0)
		return "wrote JSON that is no report of ibcheck";
	if (strcmp(head[HEAD_SCHEMA], SCHEMA_KNOWN) != 0)
		return arena_printf(
		    arena, "its report has schema %s, of ibcheck %s; this version reads schema %s",
		    *head[HEAD_SCHEMA] ? head[HEAD_SCHEMA] : "none", head[HEAD_VERSION],
		    SCHEMA_KNOWN);
	if (find_word(commands, ARRAY_SIZE(commands), head[HEAD_COMMAND]) < 0)
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

void draft_end(struct draft *d, const char *label, const char *source, const char *trouble)
{
	struct ibc_fleet *fleet = d->fleet;
	struct ibc_fleet_report *r = arena_alloc(fleet->arena, sizeof(*r));
	struct ibc_fleet_finding *findings;
	struct ibc_fleet_fact *facts;
	const char *head[HEADS], *end;
	struct tm tm = { 0 };

	for (size_t i = 0; i < HEADS; i++)
		head[i] = pool_text(&fleet->texts, d->head[i]);
	*r = (struct ibc_fleet_report){
		.label = label,
		.source = source,
		.described = d->head[HEAD_DESCRIBED] || label ? head[HEAD_DESCRIBED]
		                                              : head[HEAD_HOST],
		.command = head[HEAD_COMMAND],
		.version = head[HEAD_VERSION],
		.gap = "",
		.trouble = trouble ? trouble : refusal(fleet->arena, head),
		.verdict = severity_of(head[HEAD_VERDICT]),
	};
	end = strptime(head[HEAD_TIME], "%Y-%m-%dT%H:%M:%SZ", &tm);
	r->time = end && !*end ? timegm(&tm) : 0;
	if (!strcmp(head[HEAD_COMPLETE], "false"))
		r->gap = *head[HEAD_SKIPPED] ? head[HEAD_SKIPPED]
		                             : "not all that it asked for could be read";
	if (r->trouble) {
		r->verdict = IBC_UNKNOWN;
	} else { /* its rows stay, in no more room than they take */
		findings = arena_array(fleet->arena, d->num_findings + 1, sizeof(*findings));
		facts = arena_array(fleet->arena, d->num_facts + 1, sizeof(*facts));
		if (d->num_findings)
			memcpy(findings, d->findings, d->num_findings * sizeof(*findings));
		if (d->num_facts)
			memcpy(facts, d->facts, d->num_facts * sizeof(*facts));
		qsort(facts, d->num_facts, sizeof(*facts), by_key);
		r->findings = findings;
		r->num_findings = d->num_findings;
		r->facts = facts;
		/* of a part of them a host would seem to lack the others */
		r->num_facts = d->too_many ? 0 : d->num_facts;
		r->too_many = d->too_many;
		r->adapters = d->adapters;
		memcpy(r->ran, d->ran, sizeof(r->ran));
	}
	arena_grow(fleet->arena, &fleet->reports, fleet->num_reports, &fleet->room_reports,
	           sizeof(*fleet->reports));
	fleet->reports[fleet->num_reports++] = r;
	/* the next report has its room */
	*d = (struct draft){
		.fleet = fleet,
		.made = d->made,
		.spare = fleet->spare,
		.push = { .take = draft_take,
		          .ctx = d,
		          .text = d->push.text,
		          .room = d->push.room },
		.findings = d->findings,
		.room_findings = d->room_findings,
		.facts = d->facts,
		.room_facts = d->room_facts,
	};
	fleet->spare = d;
}
