/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the hosts of a fleet say of themselves, as findings of the fleet: of the same checks, with
 * the name of the host in front of the thing.
 */
#include <string.h>

#include <ibcheck/cabling.h>

#include "base/error.h"
#include "base/str.h"
#include "check/groups.h"
#include "check/sink.h"

/* ---- where its cable leads ------------------------------------------------------------------ */

/*
 * "leaf03/12, rail 2", the end of the cable at the HCA that the finding is about; of an IPoIB
 * interface at its port, "mlx5_0/1", as the report has it.
 */
static void add_leaf(struct ibc_sink *out, const struct ibc_fleet *fleet,
                     const struct ibc_fleet_cables *cables, const struct ibc_fleet_report *r,
                     const char *thing)
{
	const struct ibc_fleet_port *p;
	const struct ibc_port *leaf;
	const char *of = thing;
	size_t n = strlen(thing);

	for (size_t i = 0; i < r->num_facts && of == thing; i++) {
		struct ibc_fleet_key key = ibc_fleet_key(fleet, r->facts[i].key);

		if (!strcmp(key.what, "port") && !strcmp(key.table, "interfaces") &&
		    !strncmp(key.thing, thing, n) && (!key.thing[n] || key.thing[n] == '/'))
			of = ibc_fleet_text(fleet, r->facts[i].value);
	}
	p = ibc_cabling_port(cables, of);
	if (!p)
		return;
	leaf = p->at ? p->at->peer : NULL;
	ibc_report_fact(out->report, "cable", leaf ? ibc_str(port_text(out, leaf)) : ibc_none());
	ibc_report_fact(out->report, "leaf", leaf ? ibc_str(leaf->node->label) : ibc_none());
	ibc_report_fact(out->report, "rail",
	                p->rail == IBC_RAIL_UNKNOWN ? ibc_none() : ibc_u64((uint64_t)p->rail));
}

/* ---- findings -------------------------------------------------------------------------------- */

/* Notes stay with their host: they count nowhere. */
static void add_report(struct ibc_sink *out, const struct ibc_fleet *fleet,
                       const struct ibc_fleet_cables *cables, const struct ibc_fleet_host *h,
                       const struct ibc_fleet_report *r)
{
	for (size_t i = 0; i < r->num_findings; i++) {
		const struct ibc_fleet_finding *f = &r->findings[i];
		const char *thing = ibc_fleet_text(fleet, f->thing);
		const char *advice = ibc_fleet_text(fleet, f->advice);
		struct ibc_subject subject = { .kind = IBC_SUBJECT_HOST, .near.desc = h->name };
		const struct ibc_check *check = ibc_check_find(ibc_fleet_text(fleet, f->check));
		const char *name, *slash;
		uint64_t port;

		if (f->severity <= IBC_INFO || f->known)
			continue;
		/* NULL: the host itself, by any of the names it goes by */
		if (!*thing || !strcmp(thing, "this host") || !strcmp(thing, r->described) ||
		    !strcmp(thing, h->name))
			thing = NULL;
		for (enum ibc_subject_kind k = IBC_SUBJECT_FABRIC; k <= IBC_SUBJECT_PROCESS; k++)
			if (!strcmp(ibc_subject_kind_word(k)->word, ibc_fleet_text(fleet, f->kind)))
				subject.kind = k;
		/* "n1 mlx5_0" and the port of it, as an HCA of a fabric is called; else "n1 THING"
		 */
		name = thing;
		slash = thing ? strrchr(thing, '/') : NULL;
		if (slash && subject.kind == IBC_SUBJECT_PORT &&
		    !str_u64(slash + 1, 0, UINT8_MAX, &port)) {
			subject.near.port = (unsigned int)port;
			subject.near.has_port = true;
			name = sink_text(out, "%.*s", (int)(slash - thing), thing);
		}
		if (name)
			subject.near.desc = sink_text(out, "%s %s", h->name, name);
		ibc_report_add(out->report, ibc_fleet_text(fleet, f->check), f->severity, &subject,
		               "%s", ibc_fleet_text(fleet, f->message));
		if (*advice)
			ibc_report_advise(out->report, "%s", advice);
		ibc_report_fact(out->report, "host", ibc_str(h->name));
		ibc_report_fact(out->report, "thing", ibc_str(thing));
		if (check && check->words && f->fact_kind) /* part of its ID */
			ibc_report_fact(out->report, "kind",
			                ibc_str(ibc_fleet_text(fleet, f->fact_kind)));
		if (cables && thing)
			add_leaf(out, fleet, cables, r, thing);
	}
}

struct fleet_findings {
	const struct ibc_fleet *fleet;
	const struct ibc_cabling *cabling;
};

static void add_reports(const void *arg, struct ibc_sink *out)
{
	const struct fleet_findings *f = arg;
	const struct ibc_fleet_host *h;

	for (size_t i = 0; (h = ibc_fleet_host(f->fleet, i)); i++) {
		const struct ibc_fleet_cables *cables = f->cabling
		                                            ? ibc_cabling_of(f->cabling, h->name)
		                                            : NULL;

		for (size_t k = 0; k < h->num_reports; k++)
			if (!h->reports[k]->superseded)
				add_report(out, f->fleet, cables, h, h->reports[k]);
	}
}

int ibc_check_fleet(const struct ibc_fleet *fleet, const struct ibc_cabling *cabling,
                    struct ibc_report *rep, struct ibc_error *err)
{
	const struct fleet_findings findings = { fleet, cabling };
	struct ibc_sink out = { .report = rep };
	const struct ibc_check *check;
	int rc = sink_run(&out, add_reports, &findings);
	char name[KIND_NAME_MAX];

	for (size_t i = 0; (check = ibc_check_at(i)); i++) {
		bool whole = ibc_fleet_ran(fleet, NULL, check->id);

		if (whole)
			ibc_report_ran(rep, check->id);
		for (size_t k = 0; !whole && check->words && check->words[k].word; k++)
			if (ibc_fleet_ran(fleet, NULL, kind_name(check, k, name)))
				ibc_report_ran(rep, name);
	}
	return rc ? fail_nomem(err) : 0;
}
