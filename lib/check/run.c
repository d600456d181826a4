/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the checks of a selection and says what their verdict rests on. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <ibcheck/changes.h>
#include <ibcheck/host.h>

#include "base/arena.h"
#include "base/error.h"
#include "check/groups.h"
#include "check/lines.h"
#include "check/settings.h"
#include "check/sink.h"
#include "fabric/attributes.h"
#include "fabric/outside.h"
#include "report/report.h"

/* Attributes a check needs and this subnet's source does not contain. */
static struct ibc_attrs missing_attributes(const struct ibc_subnet *subnet,
                                           const struct ibc_check *check)
{
	struct ibc_attrs seen = ibc_attrs_or(subnet->provides, attrs_where(ATTR_OPTIONAL, true));

	/* PortInfo says more */
	if (ibc_attrs_has(seen, IBC_ATTR_PORT_INFO))
		seen = ibc_attrs_or(seen, IBC_ATTRS(IBC_ATTR_LINK, IBC_ATTR_PORT_STATE));
	/* without all that it reads, a check that needs none of it would say that all is well */
	if (ibc_attrs_is_empty(ibc_attrs_minus(check->needs, attrs_where(ATTR_OPTIONAL, true))))
		seen = subnet->provides;
	return ibc_attrs_minus(check->needs, seen);
}

#define ATTRIBUTES_SHOWN 3 /* of what a source lacks, in the sentence for all checks */

/* "FILE (snapshot) does not contain PortInfo, SMInfo", and how many more. */
static void lack_text(char *text, size_t size, const struct ibc_subnet *subnet,
                      struct ibc_attrs lacks, unsigned int most)
{
	unsigned int shown = 0, all = ibc_attrs_count(lacks);
	size_t n = (size_t)snprintf(text, size, "%.300s (%s) does not contain", subnet->source,
	                            subnet->kind);

	for (enum ibc_attr a = 0; shown < most && (a = ibc_attrs_next(lacks, a)) && n < size;)
		n += (size_t)snprintf(text + n, size - n, "%s %s", shown++ ? "," : "",
		                      ibc_attr_name(a));
	if (shown < all && n < size)
		snprintf(text + n, size - n, " and %u more attributes", all - shown);
}

/*
 * Why a check is skipped for want of an input; of counters without IBC_IN_BEFORE add_untimed()
 * says it once.
 */
static const struct {
	enum ibc_input_kind kind;
	const char *reason;
} wanted[] = {
	{ IBC_IN_HOST_BEFORE, "it needs two readings (--interval 10s)" },
	{ IBC_IN_COMPARISON, "there is nothing to compare with" },
	{ IBC_IN_PLAN, "there is no plan" },
	{ IBC_IN_TREE, "no tree has been inferred" },
	{ IBC_IN_ROUTES, "no routes have been computed" },
	{ IBC_IN_PERF, "there are no measurements: ibcheck perf judge has them" },
	{ IBC_IN_PHYSICAL, "the physical layer was not read: a file gets it by --phy, a snapshot "
	                   "by --physical when it is made" },
	{ IBC_IN_ADAPTIVE, "the source does not contain AdaptiveRoutingInfo" },
	{ IBC_IN_VPORTS, "the source does not contain VPortInfo" },
	{ IBC_IN_ROUTERS, "the source does not contain RouterInfo" },
	{ IBC_IN_BEFORE, "it needs two readings" },
	{ IBC_IN_FLEET, "there are no reports of hosts" },
	{ IBC_IN_POLICY, "there is no policy: --policy FILE has one" },
	{ IBC_IN_UNHEALTHY, "there is no list of the subnet manager: --unhealthy FILE has one" },
	{ IBC_IN_GONE, "nothing is expected without a memory: --state DIR has one" },
	{ IBC_IN_CABLING, "there is no fabric to find the hosts in: --source names one" },
	{ IBC_IN_SLURM, "no tree for Slurm has been made" },
	{ IBC_IN_SLURM_FILE, "there is no topology.conf to compare with" },
};

#define TOTALS_WANTED "it needs the totals since the last clear (--totals)"

static bool provides_any(const struct ibc_fabric *fab, struct ibc_attrs attrs)
{
	const struct ibc_subnet *subnet;

	for (size_t i = 0; fab && (subnet = ibc_fabric_subnet(fab, i)); i++)
		if (ibc_attrs_meet(subnet->provides, attrs))
			return true;
	return false;
}

static unsigned int inputs_there(const struct ibc_input *in, const struct ibc_report *rep)
{
	return (in->before ? IBC_IN_BEFORE : 0) | (in->totals ? IBC_IN_TOTALS : 0) |
	       (in->host_before ? IBC_IN_HOST_BEFORE : 0) |
	       (in->comparison ? IBC_IN_COMPARISON : 0) |
	       (in->comparison || in->checks_file ? IBC_IN_PLAN : 0) |
	       (in->fattree ? IBC_IN_TREE : 0) | (in->routes ? IBC_IN_ROUTES : 0) |
	       (in->fleet ? IBC_IN_FLEET : 0) |
	       (in->fleet && (*outsides)->has_policy(in->fleet) ? IBC_IN_POLICY : 0) |
	       (in->slurm ? IBC_IN_SLURM : 0) | (in->perf ? IBC_IN_PERF : 0) |
	       (in->cabling ? IBC_IN_CABLING : 0) | (in->unhealthy ? IBC_IN_UNHEALTHY : 0) |
	       (rep->expected ? IBC_IN_GONE : 0) |
	       (in->slurm && in->slurm_file ? IBC_IN_SLURM_FILE : 0) |
	       (provides_any(in->fabric, ibc_attrs_of_group(IBC_ATTRS_PHYSICAL)) ? IBC_IN_PHYSICAL
	                                                                         : 0) |
	       (provides_any(in->fabric, IBC_ATTRS(IBC_ATTR_AR_INFO)) ? IBC_IN_ADAPTIVE : 0) |
	       (provides_any(in->fabric, IBC_ATTRS(IBC_ATTR_VPORTS)) ? IBC_IN_VPORTS : 0) |
	       (provides_any(in->fabric, IBC_ATTRS(IBC_ATTR_ROUTER_INFO)) ? IBC_IN_ROUTERS : 0);
}

/*
 * A check that judges fabrics looks at this host: there is no fabric, and something was read of the
 * physical layer.
 */
static bool judges_host(const struct ibc_input *in, const struct ibc_check *check)
{
	return !in->fabric && in->host && check->host_parts &&
	       !(check->host_parts & ~(*outsides)->parts(in->host)) &&
	       ibc_attrs_meet(check->needs, (*outsides)->shows(in->host));
}

/* Why a check cannot be run on what there is, whatever the fabric; NULL: it can. */
static const char *why_not(const struct ibc_input *in, const struct ibc_check *check,
                           const struct ibc_report *rep)
{
	unsigned int lacks = check->inputs & ~inputs_there(in, rep);

	if (check->parts & ~(in->host ? (*outsides)->parts(in->host) : 0))
		return "this host was not read for it";
	if (lacks & IBC_IN_PHYSICAL && !in->fabric)
		return "this host shows no module or sensor";
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (lacks & wanted[i].kind)
			return wanted[i].reason;
	if (!ibc_attrs_is_empty(check->needs) && (!in->fabric || !ibc_fabric_subnet(in->fabric, 0)))
		return "there is no fabric to check";
	return NULL;
}

static bool is_named(const struct ibc_input *in, const struct ibc_check *check)
{
	return in->named && ibc_check_selected(check, in->named);
}

/* What a source has of such unasked is judged, what it has not is no gap. */
static bool is_unasked(const struct ibc_input *in, const struct ibc_check *check,
                       const struct run_memory *run)
{
	return check->inputs & run->unasked && !is_named(in, check);
}

/* Can it run on any subnet?  Records those on which it cannot. */
static bool is_possible(const struct ibc_input *in, const struct ibc_check *check,
                        const struct run_memory *run, struct ibc_report *rep)
{
	const char *reason = judges_host(in, check) ? NULL : why_not(in, check, rep);
	const struct ibc_subnet *subnet;
	bool possible = ibc_attrs_is_empty(check->needs) || judges_host(in, check);

	if (reason && !is_unasked(in, check, run))
		ibc_report_skip(rep, check->id, reason);
	if (reason)
		return false;
	for (size_t i = 0; in->fabric && (subnet = ibc_fabric_subnet(in->fabric, i)); i++) {
		struct ibc_attrs lacks = missing_attributes(subnet, check);

		if (ibc_attrs_is_empty(lacks))
			possible = true;
		else if (!is_unasked(in, check, run)) {
			/* The summary has what all checks of the run lack in this subnet. */
			struct ibc_attrs all = lacks;
			char why[1024], summary[512];

			for (size_t k = 0; run->checks[k]; k++)
				if (!(run->checks[k]->inputs & run->unasked))
					all = ibc_attrs_or(
					    all, missing_attributes(subnet, run->checks[k]));
			lack_text(why, sizeof(why), subnet, lacks, IBC_ATTR_COUNT);
			lack_text(summary, sizeof(summary), subnet, all, ATTRIBUTES_SHOWN);
			report_skip_of(rep, check->id, why, summary);
		}
	}
	return possible;
}

#define UNLESS_ASKED (IBC_IN_PHYSICAL | IBC_IN_ADAPTIVE | IBC_IN_VPORTS | IBC_IN_ROUTERS)

/* struct unheard - how many were asked for what a check judges, and do not report it */
struct unheard {
	enum ibc_attr attr;
	uint64_t silent, asked;
	bool all; /* none does, so that nothing was checked */
};

/* Many checks read the same attributes, and a sum walks every port. */
static struct ibc_coverage coverage_of(const struct ibc_fabric *fab, enum ibc_attr attr,
                                       struct run_memory *run)
{
	if (!ibc_attrs_has(run->covered, attr)) {
		run->coverage[attr] = ibc_fabric_coverage(fab, attr);
		ibc_attrs_add(&run->covered, attr);
	}
	return run->coverage[attr];
}

/*
 * Devices with a capability bit in what SMPs read are asked: that none was asked means that none
 * has it.  The other classes are asked of devices known to have them, which says nothing of the
 * rest.
 */
static struct unheard find_unheard(const struct ibc_fabric *fab, const struct ibc_check *check,
                                   struct ibc_attrs vital, struct run_memory *run)
{
	struct ibc_attrs musts = ibc_attrs_minus(check->needs, attrs_where(ATTR_OPTIONAL, true));
	struct ibc_attrs of_smp = attrs_where(ATTR_CLASS, ATTR_SMP);
	struct unheard u = { .attr = IBC_ATTR_NONE };
	bool heard;

	if (ibc_attrs_is_empty(vital) &&
	    (ibc_attrs_is_empty(musts) || check->inputs & UNLESS_ASKED))
		vital = ibc_attrs_minus(check->needs, musts);
	heard = ibc_attrs_is_empty(vital);
	if (ibc_attrs_meet(musts, IBC_ATTRS(IBC_ATTR_LINK, IBC_ATTR_PORT_STATE)))
		ibc_attrs_add(&musts, IBC_ATTR_PORT_INFO); /* where it is asked, it contains them */
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(musts, a));) {
		struct ibc_coverage c = coverage_of(fab, a, run);

		/* the other gaps leave the verdict open, unless a finding is about them */
		if (c.asked && c.unsupported == c.asked)
			return (struct unheard){ a, c.asked, c.asked, true };
	}
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(vital, a));) {
		struct ibc_coverage c = coverage_of(fab, a, run);

		heard |= c.answered || (!c.asked && ibc_attrs_has(of_smp, a));
		if (u.attr == IBC_ATTR_NONE || c.asked > u.asked)
			u = (struct unheard){ a, c.asked - c.answered, c.asked, false };
	}
	u.all = !heard;
	return u;
}

/* The bit of the kind of a finding; 0: it has none. */
static unsigned int kind_of(const struct ibc_check *check, const struct ibc_finding *f)
{
	const struct ibc_value *kind = check->words ? finding_fact(f, "kind") : NULL;
	unsigned int bit = kind ? kind_bit(check, kind->str, strlen(kind->str)) : 0;

	assert(bit || !kind);
	return bit;
}

/*
 * A check, or one of its kinds, that found nothing (from @first on) since no device answered:
 * whoever named it must not read that all is well.  What all devices must report leaves the
 * verdict open in any case.  True: no device answered.
 */
static bool record_unheard(const struct ibc_input *in, const struct ibc_check *check,
                           const struct ibc_check_kind *kind, size_t first, struct run_memory *run,
                           struct ibc_report *rep)
{
	struct unheard u = { .attr = IBC_ATTR_NONE };
	bool optional, has_found = false, named = is_named(in, check);
	unsigned int bit = kind ? 1u << (kind - check->words) : 0, by_id;
	char reason[256], name[KIND_NAME_MAX];
	const char *what = check->id;

	if (kind) {
		what = kind_name(check, (size_t)(kind - check->words), name);
		selected_kinds(check, in->named, &by_id);
		named = by_id & bit;
	}
	for (size_t i = first; i < rep->num_findings; i++)
		has_found |= rep->findings[i].severity > IBC_INFO &&
		             (!kind || kind_of(check, &rep->findings[i]) == bit);
	if (in->fabric && ibc_fabric_subnet(in->fabric, 0))
		u = find_unheard(in->fabric, check, kind ? IBC_ATTRS(kind->vital) : check->vital,
		                 run);
	if (u.attr == IBC_ATTR_NONE || (!u.all && (!u.silent || check->inputs & UNLESS_ASKED)))
		return false;
	optional = ibc_attrs_has(attrs_where(ATTR_OPTIONAL, true), u.attr);
	if (u.asked)
		snprintf(reason, sizeof(reason), "%ju of %ju %ss did not report %s",
		         (uintmax_t)u.silent, (uintmax_t)u.asked,
		         attr_node_bits[u.attr] ? "device" : "port", ibc_attr_name(u.attr));
	else
		snprintf(reason, sizeof(reason), "no device offers %s", ibc_attr_name(u.attr));
	if (u.all && (named || !optional) && !has_found)
		ibc_report_skip(rep, what, reason);
	else if ((is_named(in, check) || (u.asked && !(check->inputs & UNLESS_ASKED))) &&
	         !has_found)
		ibc_report_unreported(rep, what, reason);
	return u.all;
}

/* Of what a check found, what of other kinds is known goes; the rest is as severe as is set. */
static void keep_kinds(const struct ibc_input *in, const struct ibc_check *check,
                       unsigned int kinds, size_t first, struct ibc_report *rep)
{
	size_t kept = first;

	for (size_t i = first; check->words && i < rep->num_findings; i++) {
		struct ibc_finding *f = &rep->findings[i];
		unsigned int kind = kind_of(check, f);
		enum ibc_severity set = config_override(in->config, check, kind);

		if ((f->severity != IBC_UNKNOWN || f->doubtful) && kind & ~kinds)
			continue;
		if (set && f->severity != IBC_INFO && !f->doubtful)
			f->severity = set;
		rep->findings[kept++] = *f;
	}
	if (check->words)
		rep->num_findings = kept;
}

/* Names it whole, or each kind: with a reason as skipped, else as what ran. */
static void note_kinds(const struct ibc_check *check, unsigned int kinds, const char *reason,
                       struct ibc_report *rep)
{
	bool whole = kinds == all_kinds(check);
	char name[KIND_NAME_MAX];

	for (size_t k = 0; kinds >> k && !(whole && k); k++) {
		const char *what = whole ? check->id : kind_name(check, k, name);

		if (kinds >> k & 1 && reason)
			ibc_report_skip(rep, what, reason);
		else if (kinds >> k & 1)
			ibc_report_ran(rep, what);
	}
}

static void run_check(const void *in, struct ibc_sink *out)
{
	if (out->check->run) /* else the program alone knows */
		out->check->run(in, out);
}

/* Says once that rates were not judged, which need a time between two readings. */
static void add_untimed(struct ibc_report *rep)
{
	struct ibc_sink out = { .report = rep, .check = ibc_checks_counters_state };
	const struct ibc_finding *f;

	/* has the program said already why there is nothing to compare with? */
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		if (strcmp(f->check, out.check->id) == 0)
			return;
	sink_as(&out, IBC_INFO);
	sink_fabric(&out, "counters.*: lifetime totals are not judged: use --interval, --state or "
	                  "--since");
}

static bool has_check(const struct run_memory *run, const char *id)
{
	size_t i = 0;

	while (run->checks[i] && strcmp(run->checks[i]->id, id) != 0)
		i++;
	return run->checks[i];
}

/*
 * A check that was named, and lacks a reading or a policy that is otherwise said once or not at
 * all.  Rates and totals are alternatives: a group that has both is checked by either.
 */
static bool is_wanting(const struct ibc_input *in, const struct ibc_check *check, unsigned int once)
{
	const unsigned int either = IBC_IN_BEFORE | IBC_IN_TOTALS;

	/* whoever names all of ports has no list in mind */
	if (check->inputs & IBC_IN_UNHEALTHY && in->named && !strstr(in->named, check->id))
		return false;
	return is_named(in, check) && check->inputs & once &&
	       (!(check->inputs & either) || (once & either) == either);
}

/* What needs two readings of the physical layer, phy.partial says once. */
static bool is_left_out(const struct run_memory *run, const struct ibc_check *check,
                        unsigned int once)
{
	/* whoever asks for nothing else reads that it was not run */
	if (check->inputs & once & (IBC_IN_TOTALS | IBC_IN_POLICY | IBC_IN_UNHEALTHY | IBC_IN_GONE))
		return check->inputs & IBC_IN_TOTALS || run->checks[1];
	return check->inputs & IBC_IN_PHYSICAL && check->inputs & once & IBC_IN_BEFORE &&
	       has_check(run, "phy.partial");
}

static int run_all(const struct ibc_input *in, struct run_memory *run, struct ibc_report *rep,
                   struct ibc_error *err)
{
	/* what checks lack that is reported once for all of them, and skips none */
	unsigned int once = IBC_IN_BEFORE | IBC_IN_TOTALS | IBC_IN_POLICY | IBC_IN_UNHEALTHY |
	                    IBC_IN_GONE,
		     all = UNLESS_ASKED;
	const struct ibc_check *check, *host_untimed = NULL;
	bool untimed = false;
	int rc = 0;

	for (size_t i = 0; (check = run->checks[i]); i++) {
		all &= check->inputs;
		if (in->untimed && !(check->inputs & IBC_IN_HOST_BEFORE))
			once |= IBC_IN_HOST_BEFORE;
	}
	once &= ~inputs_there(in, rep);
	/* a run of nothing but checks of the physical layer, or of adaptive routing, asks for it */
	run->unasked = UNLESS_ASKED & ~all & ~(in->physical ? IBC_IN_PHYSICAL : 0);
	for (size_t i = 0; !rc && (check = run->checks[i]); i++) {
		if (is_wanting(in, check, once)) {
			ibc_report_skip(rep, check->id, why_not(in, check, rep) ?: TOTALS_WANTED);
			continue;
		}
		if (is_left_out(run, check, once))
			continue;
		if (check->inputs & once & IBC_IN_BEFORE && !(check->inputs & IBC_IN_PHYSICAL))
			untimed = !in->totals;
		else if (check->inputs & once & IBC_IN_HOST_BEFORE)
			host_untimed = host_untimed ? host_untimed : check;
		else if (is_possible(in, check, run, rep)) {
			struct ibc_sink out = {
				.report = rep,
				.check = check,
				.configured = check->words ? IBC_OK /* keep_kinds() */
				                           : config_override(in->config, check, 0),
				.run = run,
			};
			size_t before = rep->num_findings;
			/* fabric.lines runs whatever is selected */
			unsigned int kinds = run->set->kinds[check_number(check)]
			                         ?: all_kinds(check);
			const struct ibc_check_kind *kind = check->words;

			rc = sink_run(&out, run_check, in);
			keep_kinds(in, check, kinds, before, rep);
			note_kinds(check, kinds, NULL, rep);
			if (record_unheard(in, check, NULL, before, run, rep))
				continue;
			for (; kind && kind->word; kind++, kinds >>= 1)
				if (kinds & 1 && kind->vital)
					record_unheard(in, check, kind, before, run, rep);
		}
	}
	if (rc)
		return fail_nomem(err);
	if (untimed)
		add_untimed(rep);
	if (host_untimed) {
		struct ibc_sink out = { .report = rep, .check = host_untimed };

		sink_as(&out, IBC_INFO);
		sink_named(&out, IBC_SUBJECT_HOST, (*outsides)->name(in->host),
		           "%s are not judged: their rates need two readings (--interval 10s)",
		           in->untimed);
	}
	if (!in->fabric && in->host && (*outsides)->hides_modules(in->host) &&
	    has_check(run, "cable.eeprom")) {
		/* What is plugged in only root can read: it must not look checked. */
		struct ibc_sink out = { .report = rep, .check = ibc_check_find("cable.eeprom") };

		sink_as(&out, IBC_INFO);
		sink_named(&out, IBC_SUBJECT_HOST, (*outsides)->name(in->host),
		           "modules and cables are not judged: the kernel lets only root read "
		           "their memory");
		sink_advise(&out, "Run it as root, or with CAP_NET_ADMIN.");
	}
	return 0;
}

int ibc_check_run(const struct ibc_input *in, const char *selection, struct ibc_report *rep,
                  struct ibc_error *err)
{
	const struct ibc_check_set set = ibc_check_select(selection, in->config);

	return ibc_check_run_set(in, &set, rep, err);
}

int ibc_check_run_set(const struct ibc_input *in, const struct ibc_check_set *set,
                      struct ibc_report *rep, struct ibc_error *err)
{
	struct run_memory run = { .arena = arena_new(),
		                  .set = set,
		                  .needs = ibc_check_needs(*set) };
	struct ibc_attrs relevant = ibc_attrs_or(ibc_check_relevant(*set), in->relevant);
	const struct ibc_subnet *subnet;
	const struct ibc_check *check;
	struct ibc_fabric_counts n;
	size_t num = 0;
	int rc;

	if (run.arena)
		run.checks = arena_array(run.arena, IBC_CHECKS_MAX + 1,
		                         sizeof(const struct ibc_check *));
	run.lacks_lines = lines_lost(in, rep, run.lost);
	/* whatever is selected, what is lost is reported */
	for (size_t i = 0; run.checks && (check = ibc_check_at(i)); i++)
		if (set->kinds[i] || (run.lacks_lines && check == ibc_checks_lines))
			run.checks[num++] = check;
	rc = run.checks ? run_all(in, &run, rep, err) : fail_nomem(err);
	for (size_t i = 0; (check = ibc_check_at(i)); i++)
		note_kinds(check, set->disabled[i], "the configuration disables it", rep);
	arena_free(run.arena);
	ibc_changes_free(run.changes);
	if (rc || !in->fabric)
		return rc;
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(relevant, a));) {
		struct ibc_coverage c = coverage_of(in->fabric, a, &run);

		if (c.asked)
			ibc_report_cover(rep, ibc_attr_name(a), &c);
	}
	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++) {
		ibc_report_not_asked(rep, subnet->not_asked);
		ibc_report_mads(rep, &subnet->sweep);
	}
	n = ibc_fabric_count(in->fabric);
	ibc_report_sum(rep, "nodes", n.nodes);
	ibc_report_sum(rep, "switches", n.switches);
	ibc_report_sum(rep, "links", n.cables);
	ibc_report_sum(rep, "hosts", n.hosts);
	ibc_report_sum(rep, "subnets", n.subnets);
	return 0;
}
