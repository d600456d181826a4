/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the checks of a selection and says what their verdict rests on. */
#include <stdio.h>
#include <string.h>

#include <ibcheck/host.h>

#include "base/arena.h"
#include "base/error.h"
#include "check/gather.h"
#include "check/groups.h"
#include "check/sink.h"
#include "fabric/attributes.h"

/* Attributes a check needs and this plane's source cannot tell. */
static struct ibc_attrs missing(const struct ibc_plane *plane, const struct ibc_check *check)
{
	struct ibc_attrs seen = ibc_attrs_or(plane->provides, attrs_where(ATTR_OPTIONAL, true));

	if (ibc_attrs_has(seen, IBC_ATTR_PORT_INFO))
		ibc_attrs_add(&seen, IBC_ATTR_LINK); /* PortInfo says more */
	return ibc_attrs_minus(check->needs, seen);
}

static void record_skip(const struct ibc_plane *plane, const struct ibc_check *check,
                        struct ibc_attrs lacks, struct ibc_report *rep)
{
	char reason[1024], list[512] = ""; /* all names take half of it */
	size_t n = 0;

	for (enum ibc_attr a = 0; (a = ibc_attrs_next(lacks, a));)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "",
		                      ibc_attr_name(a));
	snprintf(reason, sizeof(reason), "%.300s (%s) does not tell %s", plane->source, plane->kind,
	         list);
	ibc_report_skip(rep, check->id, reason);
}

static bool is_possible_on_host(const struct ibc_input *in, const struct ibc_check *check,
                                struct ibc_report *rep)
{
	uint32_t lacks = in->host ? check->parts & ~ibc_host_parts(in->host) : check->parts;

	if (lacks)
		ibc_report_skip(rep, check->id, "this host has not been read for it");
	else if (check->over_time && !in->host_before)
		ibc_report_skip(rep, check->id, "it takes two readings, a window apart");
	else
		return true;
	return false;
}

/* Can it run on any plane?  Records those on which it cannot. */
static bool is_possible(const struct ibc_input *in, const struct ibc_check *check,
                        struct ibc_report *rep)
{
	const struct ibc_plane *plane;
	bool possible = false;

	if (check->parts)
		return is_possible_on_host(in, check, rep);
	if (check->compares && !in->comparison) {
		ibc_report_skip(rep, check->id, "there is nothing to compare with");
		return false;
	}
	if (check->infers && !in->fattree) {
		ibc_report_skip(rep, check->id, "no tree has been inferred");
		return false;
	}
	if (check->follows && !in->routes) {
		ibc_report_skip(rep, check->id, "no routes have been followed");
		return false;
	}
	if (ibc_attrs_is_empty(check->needs))
		return true;
	if (!in->fabric || !ibc_fabric_plane(in->fabric, 0))
		ibc_report_skip(rep, check->id, "there is no fabric to look at");
	for (size_t i = 0; in->fabric && (plane = ibc_fabric_plane(in->fabric, i)); i++) {
		struct ibc_attrs lacks = missing(plane, check);

		if (ibc_attrs_is_empty(lacks))
			possible = true;
		else
			record_skip(plane, check, lacks, rep);
	}
	return possible;
}

static int run_one(const struct ibc_input *in, const struct ibc_check *check, const char *selection,
                   struct run_memory *run, struct ibc_report *rep, struct ibc_error *err)
{
	struct ibc_sink out = {
		.report = rep,
		.check = check,
		.config = in->config,
		.selection = selection,
		.configured = config_override(in->config, check),
		.scratch = arena_new(),
		.run = run,
	};

	if (!out.scratch)
		return fail_nomem(err);
	check->run(in, &out);
	arena_free(out.scratch);
	ibc_report_ran(rep, check->id);
	return out.failed ? fail_nomem(err) : 0;
}

static void add_coverage(const struct ibc_fabric *fab, struct ibc_attrs attrs,
                         struct ibc_report *rep)
{
	const struct ibc_plane *plane;

	for (enum ibc_attr a = 0; (a = ibc_attrs_next(attrs, a));) {
		struct ibc_coverage c = ibc_fabric_coverage(fab, a);

		if (c.asked)
			ibc_report_cover(rep, ibc_attr_name(a), &c);
	}
	for (size_t i = 0; (plane = ibc_fabric_plane(fab, i)); i++) {
		ibc_report_not_asked(rep, plane->not_asked);
		ibc_report_mads(rep, &plane->sweep);
	}
}

static void add_sums(const struct ibc_fabric *fab, struct ibc_report *rep)
{
	struct ibc_fabric_counts n = ibc_fabric_count(fab);

	ibc_report_sum(rep, "nodes", n.nodes);
	ibc_report_sum(rep, "switches", n.switches);
	ibc_report_sum(rep, "links", n.cables);
	ibc_report_sum(rep, "hosts", n.hosts);
	ibc_report_sum(rep, "planes", n.planes);
}

/* Why there is nothing to compare with, the program may have told already. */
static bool is_told(const struct ibc_report *rep, const char *id)
{
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		if (strcmp(f->check, id) == 0)
			return true;
	}
	return false;
}

/* Says once that nothing was judged that needs a time to be told. */
static void add_untimed(struct ibc_report *rep)
{
	static const char id[] = "counters.state";
	const struct ibc_subject fabric = { .kind = IBC_SUBJECT_FABRIC };

	if (is_told(rep, id))
		return;
	ibc_report_add(rep, id, IBC_INFO, &fabric,
	               "counters.*: lifetime totals are not judged: use --interval, --state or "
	               "--since");
}

static int run_all(const struct ibc_input *in, const char *selection, struct run_memory *run,
                   struct ibc_report *rep, struct ibc_error *err)
{
	const struct ibc_check *check;
	bool untimed = false;
	int rc = 0;

	for (size_t i = 0; !rc && (check = ibc_check_at(i)); i++) {
		if (!ibc_check_selected(check, selection) || !ibc_config_enabled(in->config, check))
			continue;
		if (check->over_time && !check->parts && !in->before && !in->totals) {
			untimed = true;
			continue;
		}
		if (is_possible(in, check, rep))
			rc = run_one(in, check, selection, run, rep, err);
	}
	if (!rc && untimed)
		add_untimed(rep);
	return rc;
}

int ibc_check_run(const struct ibc_input *in, const char *selection, struct ibc_report *rep,
                  struct ibc_error *err)
{
	struct run_memory run = { .arena = arena_new() };
	int rc = run.arena ? run_all(in, selection, &run, rep, err) : fail_nomem(err);

	arena_free(run.arena);
	if (!rc && in->fabric) {
		add_coverage(in->fabric,
		             ibc_attrs_or(ibc_check_minds(selection, in->config), in->minds), rep);
		add_sums(in->fabric, rep);
	}
	return rc;
}
