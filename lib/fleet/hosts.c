/* SPDX-License-Identifier: BSD-2-Clause */
/* Which report is of which host: one rule for all, doc/architecture.md has it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int by_short_name(const void *va, const void *vz)
{
	const struct named *a = va, *z = vz;
	int order = memcmp(a->full, z->full, a->length < z->length ? a->length : z->length);

	return order ?: order_u64(a->length, z->length) ?: strcmp(a->full, z->full);
}

/* Two domains of one name are two hosts; who has none is of that of the others.  Sorts them. */
static void name_all(struct ibc_fleet *fleet, struct named *list, size_t n)
{
	qsort(list, n, sizeof(*list), by_short_name);
	for (size_t i = 0, end; i < n; i = end) {
		const char *name, *domain = NULL;
		bool full = false;

		for (end = i; end < n && list[i].length == list[end].length &&
		              !memcmp(list[i].full, list[end].full, list[i].length);
		     end++) {
			const char *other = list[end].full + list[end].length;

			full |= *other && domain && strcmp(domain, other) != 0;
			domain = *other ? other : domain;
		}
		name = full ? NULL : arena_strndup(fleet->arena, list[i].full, list[i].length);
		for (size_t k = i; k < end; k++)
			list[k].name = full ? list[k].full : name;
	}
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

/* Of its reports the newest of each command counts, and what is no report. */
static void add_host(struct ibc_fleet *fleet, const struct named *first, const struct named *end)
{
	struct ibc_fleet_report **reports = arena_array(fleet->arena, (size_t)(end - first) + 1,
	                                                sizeof(*reports));
	struct ibc_fleet_host *h = &fleet->hosts[fleet->num_hosts++];
	size_t length = strlen(first->name);

	*h = (struct ibc_fleet_host){ .name = first->name,
		                      .reports = (const struct ibc_fleet_report *const *)reports };
	for (; first < end; first++) {
		h->is_name |= first->is_name;
		h->expected |= !first->report;
		if (first->report)
			reports[h->num_reports++] = first->report;
	}
	if (!h->num_reports)
		h->verdict = IBC_UNKNOWN;
	qsort(reports, h->num_reports, sizeof(*reports), by_command);
	for (size_t i = 0; i < h->num_reports; i++) {
		struct ibc_fleet_report *r = reports[i];

		r->superseded = i && !r->trouble && !strcmp(r->command, reports[i - 1]->command);
		/* "n1.host" is n1 still, and "n10" is not */
		if (!h->alias && r->label && !is_rank(r->label) &&
		    (strncmp(r->label, h->name, length) != 0 ||
		     isalnum((unsigned char)r->label[length])))
			h->alias = r->label;
		if (r->superseded)
			continue;
		if (r->verdict > h->verdict)
			h->verdict = r->verdict;
		if (r->time && (!h->time || r->time < h->time))
			h->time = r->time;
	}
}

/* ---- hosts ------------------------------------------------------------------------------- */

/* struct came - a label, and the host that its report is of */
struct came {
	const char *label, *name;
};

static int by_label(const void *va, const void *vz)
{
	const struct came *a = va, *z = vz;

	return strcmp(a->label, z->label);
}

/* One that is expected, and whose label came with a report of another name, is not missing. */
static void join_labels(struct ibc_fleet *fleet)
{
	struct came *list = arena_array(fleet->arena, fleet->num_reports + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < fleet->num_hosts; i++) {
		const struct ibc_fleet_host *h = &fleet->hosts[i];

		for (size_t k = 0; k < h->num_reports; k++)
			if (h->reports[k]->label)
				list[n++] = (struct came){ h->reports[k]->label, h->name };
	}
	qsort(list, n, sizeof(*list), by_label);
	for (size_t i = 0; i < fleet->num_hosts; i++) {
		struct ibc_fleet_host *h = &fleet->hosts[i];
		size_t low = 0, high = n, length = strlen(h->name);

		if (h->num_reports)
			continue;
		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (strcmp(list[middle].label, h->name) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		/* "n2" is what came as "n2.site", too: clush may have labels with the domain */
		for (; !h->came_as && low < n && !strncmp(list[low].label, h->name, length); low++)
			if (!list[low].label[length] || list[low].label[length] == '.')
				h->came_as = list[low].name;
	}
}

static int by_host_name(const void *va, const void *vz)
{
	const struct ibc_fleet_host *a = va, *z = vz;

	return strverscmp(a->name, z->name);
}

void fleet_join(struct ibc_fleet *fleet)
{
	const struct ibc_hostlist *expected = fleet->opts.expected;
	size_t n = fleet->num_reports, num = n + (expected ? expected->num : 0);
	struct named *list = arena_array(fleet->arena, num + 1, sizeof(*list));
	time_t limit = fleet->opts.now + IBC_FLEET_CLOCK_SECONDS;

	for (size_t i = 0; i < n; i++) {
		struct ibc_fleet_report *r = fleet->reports[i];
		bool ranked = r->label && is_rank(r->label);
		const char *full = *r->described ? r->described : r->label ? r->label : r->source;
		time_t when = r->time;

		/* a number does not say which host it was: "label 17" */
		if (ranked && !*r->described)
			full = arena_printf(fleet->arena, "label %s", r->label);
		list[i] = (struct named){ .report = r,
			                  .full = full,
			                  .length = short_length(full),
			                  .is_name = *r->described || (r->label && !ranked) };
		if (when > fleet->newest && (!fleet->opts.now || when <= limit))
			fleet->newest = when;
	}
	for (size_t i = n; i < num; i++)
		list[i] = (struct named){ .full = expected->names[i - n],
			                  .length = short_length(expected->names[i - n]),
			                  .is_name = true };
	name_all(fleet, list, num);
	fleet->hosts = arena_array(fleet->arena, num + 1, sizeof(*fleet->hosts));
	for (size_t i = 0, end; i < num; i = end) {
		for (end = i + 1; end < num && !strcmp(list[i].name, list[end].name);)
			end++;
		add_host(fleet, list + i, list + end);
	}
	qsort(fleet->hosts, fleet->num_hosts, sizeof(*fleet->hosts), by_host_name);
	join_labels(fleet);
}

/* ---- what others ask --------------------------------------------------------------------- */

struct ibc_fleet *fleet_new(const struct ibc_fleet_opts *opts)
{
	struct ibc_fleet *fleet = xalloc(sizeof(*fleet));

	if (!fleet)
		return NULL;
	fleet->opts = *opts;
	fleet->fd = -1;
	fleet->arena = fleet->texts.arena = fleet->keys.arena = fleet->checks.arena = arena_new();
	if (fleet->arena) {
		arena_escape(fleet->arena, &fleet->escape);
		return fleet;
	}
	free(fleet);
	return NULL;
}

void ibc_fleet_free(struct ibc_fleet *fleet)
{
	if (!fleet)
		return;
	if (fleet->fd >= 0)
		close(fleet->fd);
	for (int i = 0; i < fleet->num_files; i++)
		free(fleet->files[i]);
	free(fleet->files);
	for (struct draft *d = fleet->drafts; d; d = d->made)
		json_push_free(&d->push);
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
	const size_t lengths[] = { strlen(check), strcspn(check, ":") }; /* a kind, or all of it */
	bool ran = false;

	for (size_t k = 0; k < ARRAY_SIZE(lengths); k++) {
		uint32_t number = pool_find(&fleet->checks, check, lengths[k]);

		ran |= number && !host;
		for (size_t i = 0;
		     number && number < IBC_FLEET_CHECKS && host && i < host->num_reports; i++)
			ran |= !host->reports[i]->superseded &&
			       host->reports[i]->ran[number / 64] >> number % 64 & 1;
	}
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
