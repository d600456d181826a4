/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that were asked for and not answered: one finding a cause.  As in
 * lib/check/port/silent.c the counts given to sink_unanswered() add up to all such queries.
 */
#include <inttypes.h>

#include "analysis/rates/windows.h"
#include "check/collect.h"
#include "check/counters/rates.h"
#include "check/groups.h"
#include "check/phrases.h"
#include "fabric/attributes.h"
#include "fabric/fabric.h"

#define AGGREGATE 20 /* more silent devices than this are one finding */

/* ---- who did not answer what ----------------------------------------------------------------- */

/* What one node and its ports were asked of their counters, and did not answer. */
struct device {
	const struct ibc_node *node;
	const struct ibc_node *leaf; /* of a CA: the switch it hangs from, or NULL */
	uint64_t asked, open, refused;
	bool no_lid;   /* nowhere to send the query to */
	bool reported; /* in a finding */
};

struct devices {
	const struct ibc_input *in;
	struct silent_peers peers;
	struct device *list; /* by order of nodes */
	size_t n;
	const struct ibc_subnet *subnet; /* whose turn it is */
};

/* Management of performance goes by LID, from a LID: there is none without a subnet manager. */
static bool lacks_lid(const struct ibc_port *p)
{
	return ibc_port_has(p, IBC_ATTR_PORT_INFO) && !p->lid;
}

static struct device device_of(const struct ibc_node *node, struct query_bits queries)
{
	const struct ibc_port *origin = node->subnet->origin, *p;
	const struct unanswered u = unanswered_by(node, queries);
	struct device d = { .node = node, .asked = u.asked, .open = u.open, .refused = u.refused };

	d.no_lid = origin && lacks_lid(origin);
	if (node->type == IBC_NODE_SWITCH) {
		d.no_lid |= lacks_lid(ibc_node_port(node, 0));
		return d;
	}
	for (unsigned int num = 0; num <= node->num_ports; num++) {
		p = ibc_node_port(node, num);
		if (!p || !p->peer || !(p->answers.asked & queries.port))
			continue;
		d.no_lid |= lacks_lid(p);
		d.leaf = p->peer->node;
	}
	return d;
}

static bool is_unreported(const struct devices *all, const struct device *d)
{
	return d->node->subnet == all->subnet && d->open && !d->reported;
}

/* ---- by subnet, by leaf, by device ---------------------------------------------------- */

/* Devices with one cause. */
struct silence {
	struct examples examples; /* a port of each */
	uint64_t open, refused;
	bool no_lid, everybody;
	struct way way; /* its share: their sum */
};

/* Did it answer in part?  Then the way to it works. */
static bool has_counters(const struct ibc_node *node)
{
	const struct ibc_port *p;

	for (unsigned int num = 0; num <= node->num_ports; num++)
		if ((p = ibc_node_port(node, num)) && p->counters)
			return true;
	return false;
}

static void add_silent(struct silence *s, const struct devices *all, struct device *d)
{
	const struct ibc_port *p = ibc_node_port(d->node, 0);
	const struct way way = has_counters(d->node) ? (struct way){ 0 }
	                                             : way_of(&all->peers, d->node);

	examples_add(&s->examples, p ? p : ibc_node_port(d->node, 1));
	s->open += d->open;
	s->refused += d->refused;
	s->no_lid |= d->no_lid;
	s->way.share += way.share;
	s->way.several |= way.several || (s->way.over && way.over && s->way.over != way.over);
	s->way.over = s->way.over ?: way.over;
	d->reported = true;
}

#define IF_IT_STAYS                                                                                \
	"its firmware does not answer performance management: compare it with that of similar "    \
	"devices, and reset the device when its jobs allow it."

static void end_silence(struct ibc_sink *out, const struct devices *all, const struct silence *s)
{
	struct way way = s->refused < s->open ? s->way : (struct way){ 0 };

	way.share /= (double)s->examples.count;
	if (s->no_lid)
		sink_advise(out, "Counters are read by LID, and these ports have none. Start a "
		                 "subnet manager, or find out why it leaves these ports out "
		                 "(port.state).");
	else if (s->everybody && !s->refused)
		sink_advise(out, "Not one answers: suspect the partition (P_Key) of the port that "
		                 "asked, or the route from it, before any device. \"ibcheck sm\" "
		                 "reads both.");
	else
		advise_silent(all->in, out, way, IF_IT_STAYS);
	sink_fact(out, "questions", ibc_u64(s->open));
	sink_fact(out, "refused", ibc_u64(s->refused));
	sink_fact(out, "devices", ibc_u64(s->examples.count));
	sink_unanswered(out, s->open);
}

/* All that are silent, or all without a LID, or many (@min; 0: all that were asked): one finding.
 */
static void report_devices(struct ibc_sink *out, struct devices *all, bool only_no_lid, size_t min)
{
	struct silence s = { .open = 0 };
	size_t asked = 0, count = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct device *d = &all->list[i];

		asked += d->node->subnet == all->subnet && d->asked;
		count += is_unreported(all, d) && (d->no_lid || !only_no_lid);
	}
	if (count < 2 || count < (min ? min : asked))
		return;
	s.everybody = count == asked;
	for (size_t i = 0; i < all->n; i++)
		if (is_unreported(all, &all->list[i]) && (all->list[i].no_lid || !only_no_lid))
			add_silent(&s, all, &all->list[i]);
	sink_fabric(out, "%s%zu of %zu devices do not report their counters%s",
	            subnet_intro(out, all->subnet), count, asked,
	            s.no_lid ? ": they have no LID, so they were not queried" : "");
	end_silence(out, all, &s);
	for (size_t i = 0; i < count && i < RELATED_MAX; i++)
		sink_relate_node(out, IBC_ROLE_FOUND, s.examples.ports[i]->node);
}

/* Switches all of whose adapters are silent, of two or more. */
static void report_leaves(struct ibc_sink *out, struct devices *all)
{
	struct {
		size_t asked, silent; /* adapters */
	} *leaves = sink_array(out, all->n, sizeof(*leaves));

	for (size_t i = 0; i < all->n; i++) {
		const struct device *d = &all->list[i];

		if (d->node->subnet != all->subnet || !d->leaf || !d->asked)
			continue;
		leaves[node_order(d->leaf)].asked++;
		leaves[node_order(d->leaf)].silent += is_unreported(all, d);
	}
	for (size_t i = 0; i < all->n; i++) {
		struct device *leaf = &all->list[i];
		bool with_leaf = is_unreported(all, leaf);
		struct silence s = { .open = 0 };

		if (leaves[i].silent < 2 || leaves[i].silent < leaves[i].asked)
			continue;
		for (size_t k = 0; k < all->n; k++)
			if (is_unreported(all, &all->list[k]) && all->list[k].leaf == leaf->node)
				add_silent(&s, all, &all->list[k]);
		if (with_leaf)
			add_silent(&s, all, leaf);
		sink_node(out, leaf->node,
		          "none of the %zu HCAs at this switch reports its counters%s",
		          leaves[i].silent, with_leaf ? ", nor does the switch" : "");
		end_silence(out, all, &s);
		examples_relate(out, &s.examples);
	}
}

static void evaluate_subnet(struct ibc_sink *out, struct devices *all)
{
	report_devices(out, all, false, 0);
	report_devices(out, all, true, 2);
	report_leaves(out, all);
	report_devices(out, all, false, AGGREGATE + 1);
	for (size_t i = 0; i < all->n; i++) {
		struct silence s = { .open = 0 };
		struct device *d = &all->list[i];

		if (!is_unreported(all, d))
			continue;
		add_silent(&s, all, d);
		sink_node(out, d->node, "%s %" PRIu64 " of %" PRIu64 " counter queries%s",
		          d->refused == d->open ? "refuses" : "does not answer", d->open, d->asked,
		          d->no_lid ? ": it has no LID" : "");
		end_silence(out, all, &s);
	}
}

/* ---- the earlier sweep ---------------------------------------------------------------- */

/* Why ports with counters cannot be compared with what they counted before. */
enum gap { NOT_LATER, SILENT_THEN, SILENT_BETWEEN, READ_ONCE, FRESH, GAPS };

/* The sentence is before, how many ports, behind.  Without an advice it is a note. */
static const struct {
	const char *before, *behind, *advice;
} gap_words[GAPS] = {
	[NOT_LATER] = { "the earlier sweep is not older than this one: ", " cannot be compared",
	                "The clock was set back, or the two samples were exchanged. Compare again "
	                "after the next sweep." },
	[SILENT_THEN] = { "",
	                  " did not report counters in the earlier sweep: the increase since then "
	                  "is not known",
	                  "They can be compared from the next sweep on." },
	[SILENT_BETWEEN] = { "",
	                     " did not report counters in half of the windows or more: how often "
	                     "data waited there is not known",
	                     "Sweep again. If it stays silent, " IF_IT_STAYS },
	[READ_ONCE] = { "",
	                " reported error counters in one of two readings only: by how much they "
	                "rose is not known",
	                "Read all counters twice, or compare with a later reading of them." },
	[FRESH] = { "new since the earlier sweep, and compared from the next one on: ", "", NULL },
};

static void report_gaps(const struct ibc_input *in, struct ibc_sink *out)
{
	struct examples gaps[GAPS] = { 0 };
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		const struct ibc_port *then;
		struct ibc_delta delta;

		if (!p->counters || (!p->peer && port_is_down(p)))
			continue;
		if (ibc_delta_among(in->before, p, IBC_ERROR_COUNTERS, &delta)) {
			if (in->before == in->fabric &&
			    p->counters->known & IBC_ERROR_COUNTERS & ~delta.known)
				examples_add(&gaps[READ_ONCE], p);
			if (in->windows && !windows_most_known(in->windows, p))
				examples_add(&gaps[SILENT_BETWEEN], p);
			continue;
		}
		then = fabric_same_port(in->before, p);
		if (then == p)
			examples_add(&gaps[READ_ONCE], p);
		else if (then && then->counters)
			examples_add(&gaps[NOT_LATER], p);
		else /* a node, or a cable, that was not there is new */
			examples_add(&gaps[then && then->peer ? SILENT_THEN : FRESH], p);
	}
	for (enum gap g = 0; g < GAPS; g++) {
		if (!gaps[g].count)
			continue;
		if (!gap_words[g].advice)
			sink_as(out, IBC_INFO);
		sink_fabric(out, "%s%s%s", gap_words[g].before,
		            amount_text(out, gaps[g].count, "port"), gap_words[g].behind);
		if (gap_words[g].advice)
			sink_advise(out, "%s", gap_words[g].advice);
		examples_relate(out, &gaps[g]);
	}
}

/*
 * A port that does not report its counters may count any number of errors: it is not
 * known to be well.
 */
static void check_silent(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct query_bits queries = query_bits(attrs_where(ATTR_CLASS, ATTR_PMA));
	struct devices all = { .in = in,
		               .peers = find_silent_peers(in, out),
		               .n = ibc_fabric_count(in->fabric).nodes };

	all.list = sink_array(out, all.n, sizeof(*all.list));
	for (size_t i = 0; i < all.n; i++)
		all.list[i] = device_of(ibc_fabric_node(in->fabric, i), queries);
	for (size_t i = 0; (all.subnet = ibc_fabric_subnet(in->fabric, i)); i++)
		evaluate_subnet(out, &all);
	/* if it is none of this fabric at all, another check says so */
	if (in->before && (!sink_explained_by(out, "counters.state") ||
	                   !ibc_samples_fit(in->before, in->fabric, NULL)))
		report_gaps(in, out);
}

/* ---- the table ------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_counters_silent[] = {
	CHECK("counters.silent", "devices that do not report their counters", IBC_UNKNOWN,
	      check_silent, .absence = IBC_ABSENT_HERE | IBC_ABSENT_THERE,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS),
	      EXPLAINED_BY(BY("sm.pkey", OF_SUBNET), BY_ABSENCE(AT), BY_ABSENCE(ACROSS),
	                   BY_WIRING(ACROSS), BY("port.physical", ACROSS), BY("sm.lid", BESIDE),
	                   BY("port.state", BESIDE), BY("port.state", ACROSS),
	                   BY("port.state", OF_SUBNET), BY("counters.state", SAME)),
	      .many = "devices|do not report their counters"),
	{ 0 },
};
