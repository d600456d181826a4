/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Did every host report, once, lately, and the whole of it?  What is not heard of a host is
 * unknown, never well.
 */
#include <stdio.h>
#include <string.h>

#include <ibcheck/fleet.h>

#include "base/str.h"
#include "check/groups.h"
#include "check/sink.h"

/* struct report_walk - reports of all hosts; @counted: only those that count; @host: of the last */
struct report_walk {
	const struct ibc_fleet *fleet;
	bool counted;
	const struct ibc_fleet_host *host;
	size_t next_host, next;
};

static const struct ibc_fleet_report *next_report(struct report_walk *w)
{
	for (;;) {
		while (w->host && w->next < w->host->num_reports) {
			const struct ibc_fleet_report *r = w->host->reports[w->next++];

			if (!w->counted || (!r->superseded && !r->trouble))
				return r;
		}
		w->host = ibc_fleet_host(w->fleet, w->next_host++);
		w->next = 0;
		if (!w->host)
			return NULL;
	}
}

/* ---- fleet.missing --------------------------------------------------------------------------- */

/* A host that is down or drained runs nothing, and so reports nothing. */
static void check_missing(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_fleet_host *h;

	for (size_t i = 0; (h = ibc_fleet_host(in->fleet, i)); i++) {
		if (h->num_reports || h->came_as)
			continue;
		sink_named(out, IBC_SUBJECT_HOST, h->name, "did not report");
		sink_advise(
		    out, "Check whether the host is up or drained (sinfo -R). srun does not reach "
			 "drained hosts; clush and pdsh do.");
	}
}

/* ---- fleet.report ---------------------------------------------------------------------------- */

/* A damaged report says nothing of its host; nor does one of which a part is not known. */
static void check_report(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_fleet_report *r;
	struct report_walk w = { .fleet = in->fleet };

	while ((r = next_report(&w))) {
		enum ibc_severity worst =
		    IBC_OK; /* of its findings, which its verdict follows from */

		if (r->trouble) {
			sink_named(out, IBC_SUBJECT_HOST, w.host->name, "%s", r->trouble);
			sink_advise(out, "Run ibcheck host -f json there, and look at what it "
			                 "writes, and at its errors.");
			sink_fact(out, "source", ibc_str(r->source));
			continue;
		}
		if (r->too_many && !r->superseded) {
			sink_named(out, IBC_SUBJECT_HOST, w.host->name,
			           "its report has more than %d facts or findings: it was not "
			           "compared with others or a policy, and its last findings were "
			           "not read",
			           IBC_FLEET_FACTS);
			sink_advise(out,
			            "See what it reports so often (ibcheck %s there), and whether "
			            "ibcheck wrote that report.",
			            r->command);
			sink_fact(out, "source", ibc_str(r->source));
		}
		for (size_t i = 0; i < r->num_findings; i++) {
			enum ibc_severity s = r->findings[i].severity;

			if (!r->findings[i].known && s > IBC_INFO && s > worst)
				worst = s;
		}
		if (r->superseded || worst >= r->verdict)
			continue;
		sink_as(out, r->verdict);
		if (r->verdict == IBC_UNKNOWN)
			sink_named(out, IBC_SUBJECT_HOST, w.host->name, "could not check all: %s",
			           *r->gap ? r->gap : "its report does not say why");
		else
			sink_named(out, IBC_SUBJECT_HOST, w.host->name,
			           "its report is %s, and no finding in it says why",
			           ibc_severity_word(r->verdict)->word);
		sink_advise(out,
		            "Run ibcheck %s -v there, as root: it lists what it could not read.",
		            r->command);
		sink_fact(out, "source", ibc_str(r->source));
	}
}

/* ---- fleet.stale ----------------------------------------------------------------------------- */

#define MINUTE 60            /* seconds */
#define HOUR   (60 * MINUTE) /* of 60 */
#define DAY    (24 * HOUR)   /* of 24 */

static const char *age_text(struct ibc_sink *out, time_t seconds)
{
	if (seconds >= 2 * DAY)
		return sink_text(out, "%ld days", (long)(seconds / DAY));
	if (seconds >= 2 * HOUR)
		return sink_text(out, "%ld hours", (long)(seconds / HOUR));
	return sink_text(out, "%ld minutes", (long)((seconds + MINUTE - 1) / MINUTE));
}

/* What was well yesterday need not be today. */
static void check_stale(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_fleet_opts *opts = ibc_fleet_opts_of(in->fleet);
	struct report_walk w = { .fleet = in->fleet, .counted = true };
	time_t newest = ibc_fleet_time(in->fleet);
	const struct ibc_fleet_report *r;

	while ((r = next_report(&w))) {
		if (!r->time) {
			sink_named(out, IBC_SUBJECT_HOST, w.host->name,
			           "does not say when its report was made");
			sink_advise(out, "Collect its report again.");
		} else if (opts->now && r->time > opts->now + IBC_FLEET_CLOCK_SECONDS) {
			sink_named(out, IBC_SUBJECT_HOST, w.host->name,
			           "its report is dated %s in the future: its clock is wrong",
			           age_text(out, r->time - opts->now));
			sink_advise(
			    out, "Set its clock (chronyc tracking), and collect its report again.");
		} else if (opts->max_age_seconds && newest - r->time > opts->max_age_seconds) {
			sink_named(out, IBC_SUBJECT_HOST, w.host->name,
			           "its report is %s older than the newest, and possibly no longer "
			           "true",
			           age_text(out, newest - r->time));
			sink_advise(out, "Collect its report again; if none comes, the host is "
			                 "possibly down.");
		} else {
			continue;
		}
		sink_fact(out, "source", ibc_str(r->source));
	}
}

/* ---- fleet.version --------------------------------------------------------------------------- */

#define VERSIONS_MAX 32 /* that are counted: a site has two or three */

struct version_count {
	const char *version;
	size_t n;
};

/* Another version checks other things: that it finds nothing does not say the same. */
static void check_version(const struct ibc_input *in, struct ibc_sink *out)
{
	struct version_count list[VERSIONS_MAX] = { 0 }, *usual = list;
	struct report_walk w = { .fleet = in->fleet, .counted = true };
	const struct ibc_fleet_report *r;
	size_t n = 0, all = 0;

	for (; (r = next_report(&w)); all++) {
		size_t i = 0;

		while (i < n && strcmp(list[i].version, r->version) != 0)
			i++;
		if (i == VERSIONS_MAX)
			continue;
		list[i].version = r->version;
		list[i].n++;
		n = i < n ? n : n + 1;
	}
	/* most have it; of two that as many have, the newer one */
	for (size_t i = 1; i < n; i++)
		if (list[i].n > usual->n ||
		    (list[i].n == usual->n &&
		     str_version_order(list[i].version, usual->version) > 0))
			usual = &list[i];
	w = (struct report_walk){ .fleet = in->fleet, .counted = true };
	while (n > 1 && (r = next_report(&w))) {
		if (!strcmp(r->version, usual->version))
			continue;
		sink_named(out, IBC_SUBJECT_HOST, w.host->name,
		           "its report is of ibcheck %s; %zu of %zu reports are of %s", r->version,
		           usual->n, all, usual->version);
		sink_advise(out, "Install the same version on all hosts.");
		sink_fact(out, "found", ibc_str(r->version));
		sink_fact(out, "expected", ibc_str(usual->version));
	}
}

/* ---- fleet.duplicate ------------------------------------------------------------------------- */

/* Two hosts of one name hide each other: of one of them nothing is known. */
static void check_duplicate(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_fleet_report *newest = NULL, *r;
	struct report_walk w = { .fleet = in->fleet };
	const struct ibc_fleet_host *h;

	for (size_t i = 0; (h = ibc_fleet_host(in->fleet, i)); i++) {
		if (!h->came_as)
			continue;
		sink_named(out, IBC_SUBJECT_HOST, h->name, "calls itself %s", h->came_as);
		sink_advise(out, "Correct its host name: a cloned image may have left it that of "
		                 "another host.");
		sink_fact(out, "found", ibc_str(h->came_as));
	}
	while ((r = next_report(&w))) {
		bool both, same, relabelled;

		if (!r->superseded) {
			newest = r;
			continue;
		}
		/* an older one of the same command, which follows the newest */
		both = newest->adapters && r->adapters;
		same = both && newest->adapters == r->adapters;
		relabelled = strcmp(newest->label ? newest->label : newest->source,
		                    r->label ? r->label : r->source) != 0;
		if (!relabelled && (!both || same))
			continue;
		sink_as(out, same ? IBC_INFO : IBC_UNKNOWN);
		sink_named(
		    out, IBC_SUBJECT_HOST, w.host->name, "reported twice, as %s and %s%s",
		    newest->source, r->source,
		    same ? ", with the same node GUIDs: the newer report counts"
		    : both
			? ", with different node GUIDs: two hosts have this name, and only the "
			  "newer report counts"
			: ": possibly two hosts have this name, and only the newer report counts");
		if (!same)
			sink_advise(out, "Look at the host names of both (a cloned image?), and "
			                 "give each its own.");
		sink_fact(out, "newer", ibc_str(newest->source));
		sink_fact(out, "older", ibc_str(r->source));
	}
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Findings of hosts are put together by what they say: lib/case/alike.c. */
const struct ibc_check ibc_checks_fleet[] = {
	CHECK("fleet.missing", "expected hosts that did not report", IBC_UNKNOWN, check_missing,
	      .inputs = IBC_IN_FLEET),
	CHECK("fleet.report", "hosts whose report is damaged or incomplete", IBC_UNKNOWN,
	      check_report, .inputs = IBC_IN_FLEET),
	CHECK("fleet.stale", "hosts whose report is too old, or of the future", IBC_UNKNOWN,
	      check_stale, .inputs = IBC_IN_FLEET),
	CHECK("fleet.version", "hosts with another version of ibcheck than most", IBC_WARNING,
	      check_version, .inputs = IBC_IN_FLEET),
	CHECK("fleet.duplicate", "two hosts under one name, or one under two", IBC_WARNING,
	      check_duplicate, .inputs = IBC_IN_FLEET),
	{ 0 },
};
