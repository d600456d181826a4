/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One job on several hosts.  A collective goes as fast as its slowest member: where one host of it
 * uses TCP over IPoIB, those that have their queue pairs wait for it, and look well by themselves.
 */
#include <stdlib.h>
#include <string.h>

#include <ibcheck/fleet.h>

#include "base/array.h"
#include "check/groups.h"
#include "check/sink.h"

/*
 * struct part - of a job on a host, by what the table "workloads" of its report contains
 * @kind, @job: batch system and id; @verdict: of ipoib.fallback; @queue_pairs: "" not known
 */
struct part {
	const char *host, *thing, *kind, *job, *verdict, *queue_pairs;
};

/* The workloads of a host behind the @n of others; how many there are then. */
static size_t take_parts(const struct ibc_fleet *fleet, const bool *wanted,
                         const struct ibc_fleet_host *h, struct part *parts, size_t n)
{
	size_t first = n;

	for (size_t i = 0; i < h->num_reports; i++) {
		const struct ibc_fleet_report *r = h->reports[i];

		for (size_t k = 0; !r->superseded && k < r->num_facts; k++) {
			struct ibc_fleet_key key;
			const char *value;
			struct part *p;

			if (!wanted[r->facts[k].key])
				continue;
			key = ibc_fleet_key(fleet, r->facts[k].key);
			value = ibc_fleet_text(fleet, r->facts[k].value);
			/* its facts mostly come one after another */
			for (p = parts + n; p > parts + first && strcmp(p[-1].thing, key.thing);)
				p--;
			if (p == parts + first)
				parts[n++] = (struct part){ h->name, key.thing, "", "", "", "" };
			p = p == parts + first ? &parts[n - 1] : p - 1;
			if (!strcmp(key.what, "job"))
				p->job = value;
			else if (!strcmp(key.what, "job_kind"))
				p->kind = value;
			else if (!strcmp(key.what, "verdict"))
				p->verdict = value;
			else
				p->queue_pairs = value;
		}
	}
	return n;
}

/* By number of key: is it one of a workload?  NULL: no host has such a table. */
static bool *find_keys(struct ibc_sink *out, const struct ibc_fleet *fleet)
{
	size_t num = ibc_fleet_num_keys(fleet);
	bool *wanted = sink_array(out, num + 1, sizeof(*wanted)), any = false;

	for (uint32_t key = 1; key < num; key++) {
		wanted[key] = !strcmp(ibc_fleet_key(fleet, key).table, "workloads");
		any |= wanted[key];
	}
	return any ? wanted : NULL;
}

static size_t count_wanted(const struct ibc_fleet *fleet, const bool *wanted)
{
	const struct ibc_fleet_host *h;
	size_t n = 0;

	for (size_t i = 0; (h = ibc_fleet_host(fleet, i)); i++)
		for (size_t k = 0; k < h->num_reports; k++)
			for (size_t f = 0; f < h->reports[k]->num_facts; f++)
				n += wanted[h->reports[k]->facts[f].key];
	return n;
}

static int by_job(const void *va, const void *vz)
{
	const struct part *a = va, *z = vz;

	return strcmp(a->kind, z->kind) ?: strcmp(a->job, z->job) ?: strcmp(a->host, z->host);
}

static bool falls_back(const struct part *p)
{
	return !strcmp(p->verdict, "likely") || !strcmp(p->verdict, "confirmed");
}

static void evaluate_job(struct ibc_sink *out, const struct part *parts, size_t n)
{
	const char **waiting = sink_array(out, n, sizeof(*waiting)), *list, *last = "";
	size_t num = 0;

	for (size_t i = 0, end; i < n; i = end) {
		bool without = false, uses = false; /* RDMA, some part of it on this host */

		for (end = i; end < n && !strcmp(parts[end].host, parts[i].host); end++) {
			const char *pairs = parts[end].queue_pairs;

			without |= falls_back(&parts[end]);
			uses |= !strcmp(parts[end].verdict, "ok") && *pairs &&
			        strcmp(pairs, "0") != 0;
		}
		if (uses && !without)
			waiting[num++] = parts[i].host;
	}
	if (!num)
		return;
	list = sink_folded(out, waiting, num);
	for (size_t i = 0; i < n; i++) {
		if (!falls_back(&parts[i]) || !strcmp(parts[i].host, last))
			continue;
		last = parts[i].host;
		sink_named(out, IBC_SUBJECT_HOST, parts[i].host,
		           "its part of job %s (%s) uses TCP over IPoIB; RDMA is used on %zu other "
		           "host%s (%s), which wait%s for it",
		           parts[i].job, parts[i].kind, num, num == 1 ? "" : "s", list,
		           num == 1 ? "s" : "");
		sink_advise(out, "Run ibcheck ipoib there: it shows why RDMA is not used.");
		sink_fact(out, "job", ibc_str(parts[i].job));
		sink_fact(out, "job_kind", ibc_str(parts[i].kind));
		sink_fact(out, "deviation", ibc_str(sink_text(out, "job %s", parts[i].job)));
	}
}

static void check_job(const struct ibc_input *in, struct ibc_sink *out)
{
	const bool *wanted = find_keys(out, in->fleet);
	const struct ibc_fleet_host *h;
	struct part *parts;
	size_t n = 0;

	if (!wanted)
		return;
	parts = sink_array(out, count_wanted(in->fleet, wanted), sizeof(*parts));
	for (size_t i = 0; (h = ibc_fleet_host(in->fleet, i)); i++)
		n = take_parts(in->fleet, wanted, h, parts, n);
	qsort(parts, n, sizeof(*parts), by_job);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !strcmp(parts[i].kind, parts[end].kind) &&
		                  !strcmp(parts[i].job, parts[end].job);)
			end++;
		if (*parts[i].job)
			evaluate_job(out, parts + i, end - i);
	}
}

const struct ibc_check ibc_checks_fleet_job[] = {
	CHECK("fleet.job", "jobs whose hosts wait for one without RDMA", IBC_WARNING, check_job,
	      .inputs = IBC_IN_FLEET),
	{ 0 },
};
