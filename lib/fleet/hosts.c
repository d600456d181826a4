/* SPDX-License-Identifier: BSD-2-Clause */
/* Which report is of which host: one rule for all, doc/architecture.md has it. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "fleet/fleet.h"

/* ---- names ------------------------------------------------------------------------------- */

/*
 * struct named - a report, or a host that is expected (@report is NULL)
 * @full: as it was written; of it the first @length bytes are without the domain
 * @is_name: false: nothing but where the report was
 */
struct named {
	struct ibc_fleet_report *report;
	const char *full, *name;
	size_t length;
	bool is_name;
};

/* "0", "17": the number of a task or a rank. */
static bool is_rank(const char *label)
{
	return strspn(label, "0123456789") == strlen(label);
}

/* An address has no domain. */
static size_t short_length(const char *name)
{
	bool address = strspn(name, "0123456789.") == strlen(name) || strchr(name, ':');

	return address ? strlen(name) : strcspn(name, ".");
}

/* A number tells nobody which host it was: "label 17". */
static struct named named_of(struct arena *arena, struct ibc_fleet_report *r)
{
	bool labelled = r->label && !is_rank(r->label);
	const char *full = *r->described ? r->described
	                   : r->label && is_rank(r->label)
	                       ? arena_printf(arena, "label %s", r->label)
	                   : r->label ? r->label
	                              : r->source;

	return (struct named){ .report = r,
		               .full = full,
		               .length = full ? short_length(full) : 0,
		               .is_name = *r->described || labelled };
}

static int by_short_name(const void *va, const void *vz)
{
	const struct named *a = va, *z = vz;
	int order = memcmp(a->full, z->full, a->length < z->length ? a->length : z->length);

	return order ?: order_u64(a->length, z->length) ?: strcmp(a->full, z->full);
}

static bool shares_short(const struct named *a, const struct named *z)
{
	return a->length == z->length && !memcmp(a->full, z->full, a->length);
}

/* Two domains of one name are two hosts; where none is told it is that of the others. */
static bool has_domains(const struct named *first, const struct named *end)
{
	const char *domain = NULL;

	for (; first < end; first++) {
		const char *other = first->full + first->length;

		if (*other && domain && strcmp(domain, other) != 0)
			return true;
		domain = *other ? other : domain;
	}
	return false;
}

/* Sorted; every one gets the name that the fleet has for it. */
static int name_all(struct ibc_fleet *fleet, struct named *list, size_t n)
{
	qsort(list, n, sizeof(*list), by_short_name);
	for (size_t i = 0, end; i < n; i = end) {
		const char *name;
		bool full;

		for (end = i + 1; end < n && shares_short(&list[i], &list[end]);)
			end++;
		full = has_domains(list + i, list + end);
		name = full ? NULL : arena_strndup(fleet->arena, list[i].full, list[i].length);
		if (!full && !name)
			return -ENOMEM;
		for (size_t k = i; k < end; k++)
			list[k].name = full ? list[k].full : name;
	}
	return 0;
}

/* ---- reports of a host -------------------------------------------------------------------- */

static int by_command(const void *va, const void *vz)
{
	const struct ibc_fleet_report *a = *(struct ibc_fleet_report *const *)va;
	const struct ibc_fleet_report *z = *(struct ibc_fleet_report *const *)vz;
	int order = order_u64(a->trouble != NULL, z->trouble != NULL);

	order = order ?: strcmp(a->command, z->command);
	order = order ?: order_u64((uint64_t)z->time, (uint64_t)a->time);
	return order ?: strcmp(a->source, z->source);
}

static const char *alias_of(const struct ibc_fleet_report *r, const char *name)
{
	size_t n = strlen(name);

	if (!r->label || is_rank(r->label))
		return NULL;
	/* "n1.host" is n1 still, and "n10" is not */
	return strncmp(r->label, name, n) != 0 || isalnum((unsigned char)r->label[n]) ? r->label
	                                                                              : NULL;
}

/* The newest of each command counts, and what is no report. */
static void sum_up(struct ibc_fleet_host *h, struct ibc_fleet_report **reports)
{
	for (size_t i = 0; i < h->num_reports; i++) {
		struct ibc_fleet_report *r = reports[i];

		r->superseded = i && !r->trouble && !strcmp(r->command, reports[i - 1]->command);
		if (!h->alias)
			h->alias = alias_of(r, h->name);
		if (r->superseded)
			continue;
		if (r->verdict > h->verdict)
			h->verdict = r->verdict;
		if (r->time && (!h->time || r->time < h->time))
			h->time = r->time;
	}
	if (!h->num_reports)
		h->verdict = IBC_UNKNOWN;
}

static int add_host(struct ibc_fleet *fleet, const struct named *first, const struct named *end)
{
	struct ibc_fleet_report **reports = arena_array(fleet->arena, (size_t)(end - first) + 1,
	                                                sizeof(*reports));
	struct ibc_fleet_host *h;

	if (!reports ||
	    !grow(&fleet->hosts, fleet->num_hosts, &fleet->room_hosts, sizeof(*fleet->hosts)))
		return -ENOMEM;
	h = &fleet->hosts[fleet->num_hosts++];
	*h = (struct ibc_fleet_host){ .name = first->name,
		                      .reports = (const struct ibc_fleet_report *const *)reports };
	for (; first < end; first++) {
		h->is_name |= first->is_name;
		h->expected |= !first->report;
		if (first->report)
			reports[h->num_reports++] = first->report;
	}
	qsort(reports, h->num_reports, sizeof(*reports), by_command);
	sum_up(h, reports);
	return 0;
}

/* ---- hosts ------------------------------------------------------------------------------- */

static time_t newest_time(const struct ibc_fleet *fleet)
{
	time_t newest = 0, limit = fleet->opts.now + IBC_FLEET_CLOCK_SECONDS;

	for (size_t i = 0; i < fleet->num_reports; i++) {
		time_t when = fleet->reports[i]->time;

		if (when > newest && (!fleet->opts.now || when <= limit))
			newest = when;
	}
	return newest;
}

/* struct came - a label, and the host that its report is of */
struct came {
	const char *label, *name;
};

static int by_label(const void *va, const void *vz)
{
	const struct came *a = va, *z = vz;

	return strcmp(a->label, z->label);
}

/* "n2" is what came as "n2.site", too: clush may have labels with the domain. */
static const struct came *find_label(const struct came *list, size_t n, const char *name)
{
	size_t low = 0, high = n, length = strlen(name);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(list[middle].label, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n && !strncmp(list[low].label, name, length); low++)
		if (!list[low].label[length] || list[low].label[length] == '.')
			return &list[low];
	return NULL;
}

/* Sorted by their labels; NULL: no memory. */
static struct came *list_labels(const struct ibc_fleet *fleet, size_t *n)
{
	struct came *list = arena_array(fleet->arena, fleet->num_reports + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; list && i < fleet->num_hosts; i++) {
		const struct ibc_fleet_host *h = &fleet->hosts[i];

		for (size_t k = 0; k < h->num_reports; k++)
			if (h->reports[k]->label)
				list[(*n)++] = (struct came){ h->reports[k]->label, h->name };
	}
	if (list)
		qsort(list, *n, sizeof(*list), by_label);
	return list;
}

/* One that is expected, and whose label came with a report of another name, is not missing. */
static int join_labels(struct ibc_fleet *fleet)
{
	size_t n;
	const struct came *list = list_labels(fleet, &n), *came;

	for (size_t i = 0; list && i < fleet->num_hosts; i++) {
		struct ibc_fleet_host *h = &fleet->hosts[i];

		came = h->num_reports ? NULL : find_label(list, n, h->name);
		h->came_as = came ? came->name : NULL;
	}
	return list ? 0 : -ENOMEM;
}

static int by_host_name(const void *va, const void *vz)
{
	const struct ibc_fleet_host *a = va, *z = vz;

	return strverscmp(a->name, z->name);
}

int fleet_join(struct ibc_fleet *fleet)
{
	const struct ibc_hostlist *expected = fleet->opts.expected;
	size_t n = fleet->num_reports, num = n + (expected ? expected->num : 0);
	struct named *list = arena_array(fleet->arena, num + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		list[i] = named_of(fleet->arena, fleet->reports[i]);
		if (!list[i].full)
			return -ENOMEM;
	}
	for (size_t i = n; i < num; i++)
		list[i] = (struct named){ .full = expected->names[i - n],
			                  .length = short_length(expected->names[i - n]),
			                  .is_name = true };
	if (name_all(fleet, list, num))
		return -ENOMEM;
	for (size_t i = 0, end; i < num; i = end) {
		for (end = i + 1; end < num && !strcmp(list[i].name, list[end].name);)
			end++;
		if (add_host(fleet, list + i, list + end))
			return -ENOMEM;
	}
	if (fleet->num_hosts)
		qsort(fleet->hosts, fleet->num_hosts, sizeof(*fleet->hosts), by_host_name);
	fleet->newest = newest_time(fleet);
	return join_labels(fleet);
}

/* ---- what others ask --------------------------------------------------------------------- */

struct ibc_fleet *fleet_new(const struct ibc_fleet_opts *opts)
{
	struct ibc_fleet *fleet = xalloc(sizeof(*fleet));

	if (!fleet)
		return NULL;
	fleet->opts = *opts;
	fleet->arena = fleet->texts.arena = fleet->keys.arena = fleet->checks.arena = arena_new();
	if (fleet->arena)
		return fleet;
	free(fleet);
	return NULL;
}

void ibc_fleet_free(struct ibc_fleet *fleet)
{
	if (!fleet)
		return;
	pool_free(&fleet->texts);
	pool_free(&fleet->keys);
	pool_free(&fleet->checks);
	free(fleet->reports);
	free(fleet->hosts);
	arena_free(fleet->arena);
	free(fleet);
}

const struct ibc_fleet_host *ibc_fleet_host(const struct ibc_fleet *fleet, size_t i)
{
	return i < fleet->num_hosts ? &fleet->hosts[i] : NULL;
}

const struct ibc_fleet_host *ibc_fleet_find(const struct ibc_fleet *fleet, const char *name)
{
	const struct ibc_fleet_host wanted = { .name = name };

	return fleet->num_hosts ? bsearch(&wanted, fleet->hosts, fleet->num_hosts,
	                                  sizeof(*fleet->hosts), by_host_name)
	                        : NULL;
}

bool ibc_fleet_ran(const struct ibc_fleet *fleet, const struct ibc_fleet_host *host,
                   const char *check)
{
	uint32_t number = pool_find(&fleet->checks, check, strlen(check));
	bool ran = number && !host;

	for (size_t i = 0; number && number < IBC_FLEET_CHECKS && host && i < host->num_reports;
	     i++)
		ran |= !host->reports[i]->superseded &&
		       host->reports[i]->ran[number / 64] >> number % 64 & 1;
	return ran;
}

const char *ibc_fleet_text(const struct ibc_fleet *fleet, uint32_t number)
{
	return pool_text(&fleet->texts, number);
}

bool fleet_reported_well(const struct ibc_fleet_host *host)
{
	bool any = false;

	for (size_t i = 0; i < host->num_reports; i++) {
		if (host->reports[i]->too_many && !host->reports[i]->superseded)
			return false;
		any |= !host->reports[i]->trouble;
	}
	return any;
}

struct ibc_fleet_key ibc_fleet_key(const struct ibc_fleet *fleet, uint32_t key)
{
	struct ibc_fleet_key k = { .table = pool_text(&fleet->keys, key) };

	k.thing = k.table + strlen(k.table) + 1;
	k.what = k.thing + strlen(k.thing) + 1;
	return k;
}

size_t ibc_fleet_num_keys(const struct ibc_fleet *fleet)
{
	return fleet->keys.num;
}

time_t ibc_fleet_time(const struct ibc_fleet *fleet)
{
	return fleet->newest;
}

const struct ibc_fleet_opts *ibc_fleet_opts_of(const struct ibc_fleet *fleet)
{
	return &fleet->opts;
}

size_t ibc_fleet_launcher_lines(const struct ibc_fleet *fleet, const char **first)
{
	*first = fleet->launcher;
	return fleet->launcher_lines;
}
