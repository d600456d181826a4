/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts whose HCAs are not cabled as those of their like.  A collective runs over each rail by
 * itself: an HCA on a wrong one sends all of its traffic over the spines, and the job waits.
 */
#include <string.h>

#include <ibcheck/cabling.h>

#include "check/groups.h"
#include "check/phrases.h"
#include "check/sink.h"

#define SHOWN_PORTS 4 /* that a sentence names, as of fleet.outlier */

static const char *called_port(struct ibc_sink *out, const struct ibc_fleet_port *p)
{
	return p->num ? sink_text(out, "%s/%u", p->hca, p->num) : p->hca;
}

/* ---- in another rail, or subnet ------------------------------------------------------------ */

static bool is_astray(const struct ibc_fleet_port *p)
{
	return p->usual_subnet && p->at && p->at->node->subnet != p->usual_subnet;
}

static bool is_off_rail(const struct ibc_fleet_port *p)
{
	return p->of && p->rail != IBC_RAIL_UNKNOWN && p->rail != p->usual_rail && !is_astray(p);
}

static void evaluate_strays(struct ibc_sink *out, const struct ibc_fleet_cables *h)
{
	const struct ibc_fleet_port *first = NULL, *second = NULL;
	const char *text = "", *name = "";
	size_t num = 0;

	for (size_t i = 0; i < h->num; i++) {
		const struct ibc_fleet_port *p = &h->ports[i];
		const char *called = called_port(out, p), *one, *place;

		if (is_astray(p)) {
			one = sink_text(out, "%s is in subnet %s (%u of %u hosts: %s)", called,
			                p->at->node->subnet->source, p->in, p->in_of,
			                p->usual_subnet->source);
			place = sink_text(out, "%s subnet %s", called, p->at->node->subnet->source);
		} else if (is_off_rail(p)) {
			one = sink_text(
			    out, "%s is cabled to %s, on rail %d (%u of %u hosts: rail %d)", called,
			    port_text(out, p->at->peer), p->rail, p->usual, p->of, p->usual_rail);
			place = sink_text(out, "%s rail %d", called, p->rail);
		} else {
			continue;
		}
		if (!num)
			first = p;
		else if (num == 1)
			second = p;
		if (num < SHOWN_PORTS)
			text = sink_text(out, "%s%s%s", text, num ? "; " : "", one);
		/* "mlx5_1/1 rail 2": by which a case of many hosts is known again */
		name = sink_text(out, "%s%s%s", name, num ? ", " : "", place);
		num++;
	}
	if (!num)
		return;
	if (num > SHOWN_PORTS)
		text = sink_text(out, "%s; and %zu other ports", text, num - SHOWN_PORTS);
	sink_named(out, IBC_SUBJECT_HOST, h->host->name, "%s", text);
	if (num == 2 && is_off_rail(first) && is_off_rail(second) &&
	    first->rail == second->usual_rail && second->rail == first->usual_rail)
		sink_advise(out,
		            "Exchange the two plugs at the leaf switches, unless the host numbers "
		            "its HCAs otherwise: compare PCI addresses (ibcheck host -v there, "
		            "table pci).");
	else if (is_astray(first))
		sink_advise(out,
		            "Move its cable to a leaf switch of the other subnet, if it is not "
		            "intended to be here.");
	else
		sink_advise(out,
		            "Move the cable to a leaf switch of rail %d, unless the host numbers "
		            "its HCAs otherwise: compare PCI addresses (ibcheck host -v there, "
		            "table pci).",
		            first->usual_rail);
	sink_fact(out, "deviation", ibc_str(name));
}

/* ---- not in the fabric --------------------------------------------------------------------- */

/* Its link is up, or it is not known to be down. */
static bool may_be_up(const struct ibc_fleet_port *p)
{
	return strcmp(p->state, "down") != 0;
}

static const char *state_text(const struct ibc_fleet_port *p)
{
	for (enum ibc_port_state s = IBC_STATE_DOWN; s <= IBC_STATE_ACTIVE; s++)
		if (!strcmp(ibc_port_state_word(s)->word, p->state))
			return ibc_port_state_word(s)->name;
	return "in a state that is not known";
}

/* A port that is down, of a host that is there, is in its own report. */
static void evaluate_absence(struct ibc_sink *out, const struct ibc_fleet_cables *h, bool whole)
{
	const struct ibc_fleet_port *first = NULL, *other = NULL;
	size_t joined = 0 /* or that is not known */, absent = 0, up = 0;
	const char *text, *called;

	for (size_t i = 0; i < h->num; i++) {
		const struct ibc_fleet_port *p = &h->ports[i];
		bool gone = p->joined == IBC_JOINED_ABSENT ||
		            (p->at && !p->at->peer && may_be_up(p));

		joined += p->joined != IBC_JOINED_ABSENT;
		absent += gone;
		up += gone && may_be_up(p);
		if (gone && (!first || (may_be_up(p) && !may_be_up(first))))
			first = p;
		if (p->other && !other)
			other = p;
	}
	if (!absent || (joined && !up))
		return;
	called = called_port(out, first);
	if (!joined)
		text = sink_text(out, "is not in the fabric: of %s no GUID is there (%s is %s)",
		                 amount_text(out, absent, "port"), called, state_text(first));
	else
		text = sink_text(out, "%s is %s, and %s in the fabric", called, state_text(first),
		                 first->at ? "nothing is cabled to it" : "its GUID is nowhere");
	if (joined && up > 1)
		text = sink_text(out, "%s (and %zu more are not there)", text, up - 1);
	if (other)
		text = sink_text(out, "%s; the fabric has another GUID for its %s", text,
		                 other->hca);
	if (!whole)
		sink_as(out, IBC_UNKNOWN);
	sink_named(out, IBC_SUBJECT_HOST, h->host->name, "%s%s", text,
	           whole ? "" : "; the fabric was not read whole");
	sink_advise(
	    out, !whole  ? "Sweep the fabric again: see the coverage of ibcheck all."
		 : other ? "If an HCA was replaced, the fabric or the report is older than that: "
			   "sweep again, and collect the report again."
		 : up    ? "Was the fabric swept since the cable was moved, and is it the one "
			   "that the host is in? Repeat --source for each subnet."
			 : "Look at the cable and at the state of the ports (ibstat) there.");
	sink_fact(out, "deviation",
	          ibc_str(joined ? sink_text(out, "%s absent", called) : "absent"));
	sink_fact(out, "hca", ibc_str(called));
	sink_fact(out, "guid", first->guid ? ibc_guid(first->guid) : ibc_none());
	sink_fact(out, "state", ibc_str(first->state));
}

/* ---- not joined ---------------------------------------------------------------------------- */

/* Where its HCAs are is not known: silence is not "as it should be". */
static void evaluate_unjoined(struct ibc_sink *out, const struct ibc_fleet_cables *h)
{
	static const struct {
		enum ibc_joined joined;
		bool has_guid; /* its report has its GUID, of those that are not known otherwise */
		const char *before, *behind, *advice;
	} gaps[] = {
		{ IBC_JOINED_NO_GUID, false, "its report does not contain the GUID of ",
		  ", and the fabric does not contain its name",
		  "Collect the report of ibcheck host -f json there, with this version." },
		{ IBC_JOINED_NO_GUID, true, "the fabric contains no GUIDs, and not the name of ",
		  "",
		  "Call HCAs there as the reports do (n017 mlx5_2), or give the output of "
		  "ibnetdiscover or a sweep to --source." },
		{ IBC_JOINED_CLONED, true, "the report of another host has the same GUID as ", "",
		  "Look at both hosts: a GUID set by hand, or one host that reported under two "
		  "names." },
		{ IBC_JOINED_TWICE, true, "the fabric contains the GUID or the name twice of ", "",
		  "Run ibcheck ports on this fabric: it says which devices have the same GUID." },
	};

	if (!h->reported) {
		sink_as(out, IBC_UNKNOWN);
		sink_named(out, IBC_SUBJECT_HOST, h->host->name,
		           "there is no report of ibcheck host: where its HCAs are cabled is not "
		           "known");
		sink_advise(out, "Collect the report of ibcheck host -f json there as well.");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
		const struct ibc_fleet_port *p = h->ports, *end = p + h->num;

		while (p < end && (p->joined != gaps[i].joined ||
		                   (p->joined == IBC_JOINED_NO_GUID &&
		                    gaps[i].has_guid != (p->guid || p->port_guid))))
			p++;
		if (p == end)
			continue;
		sink_as(out, IBC_UNKNOWN);
		sink_named(out, IBC_SUBJECT_HOST, h->host->name,
		           "%s%s%s: where it is cabled is not known", gaps[i].before,
		           called_port(out, p), gaps[i].behind);
		sink_advise(out, "%s", gaps[i].advice);
		sink_fact(out, "deviation",
		          ibc_str(sink_text(out, "%s %s", called_port(out, p),
		                            ibc_joined_word(p->joined)->word)));
		sink_fact(out, "hca", ibc_str(called_port(out, p)));
	}
}

/* ---- kinds without a majority -------------------------------------------------------------- */

static const char *kind_names(struct ibc_sink *out, const struct ibc_fleet_kind *kind, size_t slot,
                              int rail)
{
	const char **names = sink_array(out, kind->num, sizeof(*names));
	size_t n = 0;

	for (size_t h = 0; h < kind->num; h++)
		if (rail == IBC_RAIL_UNKNOWN || kind->hosts[h]->ports[slot].rail == rail)
			names[n++] = kind->hosts[h]->host->name;
	return sink_folded(out, names, n);
}

/* "0 on 2 (n[1-2]), 1 on 2 (n[3-4])" */
static const char *rails_text(struct ibc_sink *out, const struct ibc_fleet_kind *kind, size_t slot)
{
	const char *text = "";
	int last = 0;

	for (int rail = 0; rail <= last; rail++) {
		size_t n = 0;

		for (size_t h = 0; h < kind->num; h++) {
			int at = kind->hosts[h]->ports[slot].rail;

			n += at == rail;
			last = at > last ? at : last;
		}
		if (n)
			text = sink_text(out, "%s%s%d on %zu (%s)", text, *text ? ", " : "", rail,
			                 n, kind_names(out, kind, slot, rail));
	}
	return text;
}

static void report_uncompared_kind(struct ibc_sink *out, const struct ibc_fleet_kind *kind,
                                   const char *why)
{
	sink_as(out, IBC_INFO);
	sink_named(out, IBC_SUBJECT_HOST, kind_names(out, kind, 0, IBC_RAIL_UNKNOWN),
	           "rails are not compared: %s", why);
	sink_advise(out, "The table cabling (-v) has the leaf switches of each port.");
}

/* Kinds are sorted: those that differ by nothing but PCI addresses are neighbours. */
static bool are_neighbours(const struct ibc_fleet_kind *a, const struct ibc_fleet_kind *z)
{
	return a && z && a->ports == z->ports &&
	       !strcmp(a->hosts[0]->product, z->hosts[0]->product);
}

static void report_kinds(const struct ibc_cabling *cabling, struct ibc_sink *out)
{
	const struct ibc_fleet_kind *kind;

	for (size_t i = 0; (kind = ibc_cabling_kind(cabling, i)); i++) {
		const struct ibc_fleet_cables *first = kind->hosts[0];
		const char *pci = "";

		if (are_neighbours(kind, ibc_cabling_kind(cabling, i + 1)) ||
		    are_neighbours(kind, i ? ibc_cabling_kind(cabling, i - 1) : NULL))
			pci = *first->ports[0].pci ? " and report PCI addresses"
			                           : " and report no PCI addresses";
		if (kind->num < IBC_CABLING_FEW && kind->ports > 1)
			report_uncompared_kind(
			    out, kind,
			    sink_text(out, "fewer than %d hosts have %zu InfiniBand ports%s%s%s",
			              IBC_CABLING_FEW, kind->ports, pci,
			              *first->product ? " and are of this product: " : "",
			              first->product));
		if (kind->mixed)
			report_uncompared_kind(out, kind,
			                       sink_text(out,
			                                 "fewer than %d %% of these hosts have "
			                                 "each port on leaf switches of its own",
			                                 IBC_CABLING_MAJORITY));
		for (size_t slot = 0; kind->rails && slot < kind->ports; slot++) {
			size_t known = 0;

			for (size_t k = 0; k < kind->num; k++)
				known += kind->hosts[k]->ports[slot].rail != IBC_RAIL_UNKNOWN;
			if (known < IBC_CABLING_FEW || first->ports[slot].of)
				continue;
			sink_as(out, IBC_INFO);
			sink_named(out, IBC_SUBJECT_HOST,
			           kind_names(out, kind, 0, IBC_RAIL_UNKNOWN),
			           "rail of %s: none has a majority of %d %%: %s",
			           called_port(out, &first->ports[slot]), IBC_CABLING_MAJORITY,
			           rails_text(out, kind, slot));
			sink_advise(out,
			            "Decide which rail is intended, and recable the other hosts.");
		}
	}
}

/* ---- the check ----------------------------------------------------------------------------- */

static void check_rail(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_fabric *fab = ibc_cabling_fabric(in->cabling);
	struct ibc_coverage nodes = ibc_fabric_coverage(fab, IBC_ATTR_NODE_INFO);
	struct ibc_coverage ports = ibc_fabric_coverage(fab, IBC_ATTR_PORT_INFO);
	bool whole = !nodes.refused && !nodes.timed_out && !ports.refused && !ports.timed_out;
	const struct ibc_fleet_cables *h;
	const struct ibc_subnet *subnet;

	/* of a fabric that was not read whole, what is not seen there need not be missing */
	for (size_t i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++)
		whole &= !subnet->cut_short && !subnet->not_asked;
	for (size_t i = 0; (h = ibc_cabling_host(in->cabling, i)); i++) {
		const struct ibc_fleet_port *first = NULL;
		size_t num = 0;

		evaluate_strays(out, h);
		evaluate_absence(out, h, whole);
		evaluate_unjoined(out, h);
		/* of its kind too few are on this leaf, or those of several rails */
		for (size_t k = 0; k < h->num; k++) {
			const struct ibc_fleet_port *p = &h->ports[k];

			if (!p->of || !p->at || !p->at->peer || p->rail != IBC_RAIL_UNKNOWN ||
			    is_astray(p))
				continue;
			first = first ? first : p;
			num++;
		}
		if (!num)
			continue;
		sink_as(out, IBC_UNKNOWN);
		sink_named(
		    out, IBC_SUBJECT_HOST, h->host->name,
		    "%s is cabled to %s, whose rail is not known: too few ports of such hosts are "
		    "there, or they are of several rails (%u of %u hosts: rail %d)%s",
		    called_port(out, first), port_text(out, first->at->peer), first->usual,
		    first->of, first->usual_rail,
		    num > 1 ? sink_text(out, "; and %zu more", num - 1) : "");
		sink_advise(out,
		            "Compare it with the plan: if the leaf switch is not of rail %d, move "
		            "the cable.",
		            first->usual_rail);
		sink_fact(out, "deviation",
		          ibc_str(sink_text(out, "%s rail unknown", called_port(out, first))));
	}
	report_kinds(in->cabling, out);
}

const struct ibc_check ibc_checks_fleet_rail[] = {
	CHECK("fleet.rail", "hosts that are not cabled as similar hosts are", IBC_WARNING,
	      check_rail, .absence = IBC_ABSENT_THERE, .inputs = IBC_IN_FLEET | IBC_IN_CABLING),
	{ 0 },
};
