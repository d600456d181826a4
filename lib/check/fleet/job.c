/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One job on several hosts.  A collective goes as fast as its slowest member: where one host of it
 * uses TCP over IPoIB, those that have their queue pairs wait for it, and look well by themselves.
 */
#include <stdlib.h>
#include <string.h>

#include <ibcheck/fleet.h>

#include "base/arena.h"
#include "check/groups.h"
#include "check/sink.h"

/*
 * struct part - of a job on a host, by what the table "workloads" of its report contains
 * @kind, @job: batch system and id; @verdict: of ipoib.fallback; @queue_pairs: "" not known
 */
struct part {
	const char *host, *thing, *kind, *job, *verdict, *queue_pairs;
};

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
	size_t n = 0, room = 0, num_keys = ibc_fleet_num_keys(in->fleet);
	bool *wanted = sink_array(out, num_keys + 1, sizeof(*wanted)); /* by number of key */
	const struct ibc_fleet_host *h;
	struct part *parts = NULL;

	for (uint32_t key = 1; key < num_keys; key++)
		wanted[key] = !strcmp(ibc_fleet_key(in->fleet, key).table, "workloads");
	for (size_t i = 0; (h = ibc_fleet_host(in->fleet, i)); i++)
		for (size_t k = 0, first = n; k < h->num_reports; k++) {
			const struct ibc_fleet_report *r = h->reports[k];

			for (size_t f = 0; !r->superseded && f < r->num_facts; f++) {
				const char *value;
				struct ibc_fleet_key key;
				size_t at = n;

				if (!wanted[r->facts[f].key])
					continue;
				key = ibc_fleet_key(in->fleet, r->facts[f].key);
				value = ibc_fleet_text(in->fleet, r->facts[f].value);
				/* its facts mostly come one after another */
				while (at > first && strcmp(parts[at - 1].thing, key.thing) != 0)
					at--;
				if (at == first) {
					arena_grow(out->scratch, &parts, n, &room, sizeof(*parts));
					parts[n++] = (struct part){ h->name, key.thing, "",
						                    "",      "",        "" };
					at = n;
				}
				if (!strcmp(key.what, "job"))
					parts[at - 1].job = value;
				else if (!strcmp(key.what, "job_kind"))
					parts[at - 1].kind = value;
				else if (!strcmp(key.what, "verdict"))
					parts[at - 1].verdict = value;
				else
					parts[at - 1].queue_pairs = value;
			}
		}
	if (!n)
		return;
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
