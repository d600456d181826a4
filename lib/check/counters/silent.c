/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that were asked for and not told: one finding a cause.  As in lib/check/port/silent.c
 * the counts given to sink_unanswered() add up to all such queries.
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

/* ---- who does not tell what ---------------------------------------------------------------- */

/* What one node and its ports were asked of their counters, and did not tell. */
struct device {
	const struct ibc_node *node;
	const struct ibc_node *leaf; /* of a CA: the switch it hangs from, or NULL */
	uint64_t asked, open, refused;
	bool no_lid;   /* nowhere to send the query to */
	bool reported; /* in a finding */
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

	for (unsigned int num = 0; num <= node->num_ports; num++) {
		p = ibc_node_port(node, num);
		if (p && node->type != IBC_NODE_SWITCH && p->peer &&
		    p->answers.asked & queries.port) {
			d.no_lid |= lacks_lid(p);
			d.leaf = p->peer->node;
		}
	}
	if (node->type == IBC_NODE_SWITCH)
		d.no_lid = lacks_lid(ibc_node_port(node, 0));
	d.no_lid |= origin && lacks_lid(origin);
	return d;
}

static struct device *collect_devices(const struct ibc_input *in, struct ibc_sink *out, size_t *n)
{
	const struct query_bits queries = query_bits(attrs_where(ATTR_CLASS, ATTR_PMA));
	struct device *devices = sink_array(out, ibc_fabric_count(in->fabric).nodes,
	                                    sizeof(*devices));
	const struct ibc_node *node;

	*n = 0;
	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++)
		devices[(*n)++] = device_of(node, queries);
	return devices;
}

/* ---- what to tell ------------------------------------------------------------------- */

/* Devices with one cause. */
struct counter_silence {
	struct examples examples; /* a port of each */
	uint64_t open, refused;
	bool no_lid;
};

static void silence_add_device(struct counter_silence *s, struct device *d)
{
	const struct ibc_port *p = ibc_node_port(d->node, 0);

	examples_add(&s->examples, p ? p : ibc_node_port(d->node, 1));
	s->open += d->open;
	s->refused += d->refused;
	s->no_lid |= d->no_lid;
	d->reported = true;
}

static const char lid_advice[] =
    "Counters are read by LID, and these ports have none. Start a subnet manager, or find out why "
    "it leaves these ports out (port.state).";
static const char silence_advice[] =
    "Sweep again. If it stays silent, its firmware does not answer performance management: compare "
    "it with that of similar devices, and reset the device when its jobs allow it.";

static void end_silence(struct ibc_sink *out, const struct counter_silence *s)
{
	sink_advise(out, "%s", s->no_lid ? lid_advice : silence_advice);
	sink_fact(out, "questions", ibc_u64(s->open));
	sink_fact(out, "refused", ibc_u64(s->refused));
	sink_fact(out, "devices", ibc_u64(s->examples.count));
	sink_unanswered(out, s->open);
}

/* ---- by subnet, by leaf, by device ---------------------------------------------------- */

struct devices {
	struct device *list;
	size_t n;
	const struct ibc_subnet *subnet; /* whose turn it is */
};

static bool unanswered(const struct devices *all, const struct device *d)
{
	return d->node->subnet == all->subnet && d->open && !d->reported;
}

/* All that are silent, or all without a LID, or many: one finding. */
static void report_silent_devices(struct ibc_sink *out, struct devices *all, bool only_no_lid,
                                  size_t min)
{
	struct counter_silence s = { .open = 0 };
	size_t devices = 0, count = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct device *d = &all->list[i];

		devices += d->node->subnet == all->subnet && d->asked;
		count += unanswered(all, d) && (d->no_lid || !only_no_lid);
	}
	if (count < 2 || count < (min ? min : devices))
		return;
	for (size_t i = 0; i < all->n; i++) {
		struct device *d = &all->list[i];

		if (unanswered(all, d) && (d->no_lid || !only_no_lid))
			silence_add_device(&s, d);
	}
	sink_fabric(out, "%s%zu of %zu devices do not report their counters%s",
	            subnet_intro(out, all->subnet), s.examples.count, devices,
	            s.no_lid ? ": they have no LID, so they were not queried" : "");
	end_silence(out, &s);
	for (size_t i = 0; i < s.examples.count && i < RELATED_MAX; i++)
		sink_relate_node(out, IBC_ROLE_FOUND, s.examples.ports[i]->node);
}

/* Adapters below one switch, by order of nodes. */
struct leaf {
	size_t asked, silent;
};

static void report_leaf(struct ibc_sink *out, struct devices *all, const struct ibc_node *leaf)
{
	struct device *own = &all->list[node_order(leaf)];
	struct counter_silence s = { .open = 0 };
	bool with_leaf = unanswered(all, own);
	size_t hosts = 0;

	for (size_t i = 0; i < all->n; i++) {
		struct device *d = &all->list[i];

		if (!unanswered(all, d) || d->leaf != leaf)
			continue;
		silence_add_device(&s, d);
		hosts++;
	}
	if (with_leaf)
		silence_add_device(&s, own);
	sink_node(out, leaf, "none of the %zu HCAs at this switch reports its counters%s", hosts,
	          with_leaf ? ", nor does the switch" : "");
	end_silence(out, &s);
	examples_relate(out, &s.examples);
}

static void report_leaves(struct ibc_sink *out, struct devices *all)
{
	struct leaf *leaves = sink_array(out, all->n, sizeof(*leaves));

	for (size_t i = 0; i < all->n; i++) {
		const struct device *d = &all->list[i];

		if (d->node->subnet != all->subnet || !d->leaf || !d->asked)
			continue;
		leaves[node_order(d->leaf)].asked++;
		leaves[node_order(d->leaf)].silent += unanswered(all, d);
	}
	for (size_t i = 0; i < all->n; i++)
		if (leaves[i].silent > 1 && leaves[i].silent == leaves[i].asked)
			report_leaf(out, all, all->list[i].node);
}

static void evaluate_subnet(struct ibc_sink *out, struct devices *all)
{
	report_silent_devices(out, all, false, 0);
	report_silent_devices(out, all, true, 2);
	report_leaves(out, all);
	report_silent_devices(out, all, false, AGGREGATE + 1);
	for (size_t i = 0; i < all->n; i++) {
		struct counter_silence s = { .open = 0 };
		struct device *d = &all->list[i];

		if (!unanswered(all, d))
			continue;
		silence_add_device(&s, d);
		sink_node(out, d->node, "%s %" PRIu64 " of %" PRIu64 " counter queries%s",
		          d->refused == d->open ? "refuses" : "does not answer", d->open, d->asked,
		          d->no_lid ? ": it has no LID" : "");
		end_silence(out, &s);
	}
}

/* ---- the earlier sweep ---------------------------------------------------------------- */

/* Ports that tell their counters, and cannot be compared with what they told before. */
struct gaps {
	struct examples fresh, silent_then, silent_between, not_later;
};

static void add_gap(struct gaps *gaps, const struct ibc_input *in, const struct ibc_port *p)
{
	const struct ibc_fabric *before = in->before;
	const struct ibc_port *then;
	struct ibc_delta delta;

	if (!p->counters)
		return;
	if (ibc_delta_among(before, p, 0, &delta)) {
		if (in->windows && !windows_most_known(in->windows, p))
			examples_add(&gaps->silent_between, p);
		return;
	}
	then = fabric_same_port(before, p);
	if (!then || (!then->counters && !then->peer))
		examples_add(&gaps->fresh, p); /* a node, or a cable, that was not there */
	else if (!then->counters)
		examples_add(&gaps->silent_then, p);
	else
		examples_add(&gaps->not_later, p);
}

static void report_gap(struct ibc_sink *out, const struct examples *gap, const char *text,
                       const char *advice)
{
	if (!gap->count)
		return;
	if (!advice)
		sink_as(out, IBC_INFO);
	sink_fabric(out, "%s", text);
	if (advice)
		sink_advise(out, "%s", advice);
	examples_relate(out, gap);
}

static void report_gaps(struct ibc_sink *out, const struct gaps *gaps)
{
	report_gap(out, &gaps->not_later,
	           sink_text(out,
	                     "the earlier sweep is not older than this one: %s cannot be compared",
	                     amount_text(out, gaps->not_later.count, "port")),
	           "The clock was set back, or the two samples were exchanged. Compare again after "
	           "the next sweep.");
	report_gap(out, &gaps->silent_then,
	           sink_text(out,
	                     "%s did not report counters in the earlier sweep: the increase since "
	                     "then is not known",
	                     amount_text(out, gaps->silent_then.count, "port")),
	           "They can be compared from the next sweep on.");
	report_gap(out, &gaps->silent_between,
	           sink_text(out,
	                     "%s did not report counters in half of the windows or more: how often "
	                     "data waited there is not known",
	                     amount_text(out, gaps->silent_between.count, "port")),
	           silence_advice);
	report_gap(out, &gaps->fresh,
	           sink_text(out,
	                     "new since the earlier sweep, and compared from the next one on: %s",
	                     amount_text(out, gaps->fresh.count, "port")),
	           NULL);
}

/*
 * A port that does not tell its counters may count any number of errors: it is not
 * known to be well.
 */
static void check_silent(const struct ibc_input *in, struct ibc_sink *out)
{
	struct devices all = { .subnet = NULL };
	struct gaps gaps = { .fresh.count = 0 };
	const struct ibc_port *p;

	all.list = collect_devices(in, out, &all.n);
	for (size_t i = 0; (all.subnet = ibc_fabric_subnet(in->fabric, i)); i++)
		evaluate_subnet(out, &all);
	/* if it is none of this fabric at all, another check says so */
	if (!in->before || (sink_explained_by(out, "counters.state") &&
	                    ibc_samples_fit(in->before, in->fabric, NULL)))
		return;
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		add_gap(&gaps, in, p);
	report_gaps(out, &gaps);
}

/* ---- the table ------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_counters_silent[] = {
	CHECK("counters.silent", "devices that do not report their counters", IBC_UNKNOWN,
	      check_silent, .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS),
	      EXPLAINED_BY(BY_ABSENCE(AT), BY_ABSENCE(ACROSS), BY_WIRING(ACROSS),
	                   BY("port.physical", ACROSS), BY("sm.lid", BESIDE),
	                   BY("port.state", BESIDE), BY("port.state", ACROSS),
	                   BY("port.state", OF_SUBNET), BY("counters.state", SAME)),
	      .many = "devices|do not report their counters"),
	{ 0 },
};
