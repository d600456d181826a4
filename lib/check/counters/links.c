/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/counters/links.h"

#include <inttypes.h>

#include "base/trace.h"
#include "check/collect.h"
#include "fabric/fabric.h"

/* bad links of one device: two may be one bundle, or chance; and most of its links */
#define AGGREGATE 3

/* ---- what there is to look at -------------------------------------------------- */

bool is_first_end(const struct ibc_port *p)
{
	return p->num && (!p->peer || ibc_port_is_near_end(p));
}

/* What the limits make of what is more than was @explained. */
static enum ibc_severity severity_over(const struct ibc_input *in, const struct ibc_check *check,
                                       const struct ibc_port *p, struct count count,
                                       uint64_t explained)
{
	count.n -= count.n < explained ? count.n : explained;
	return evaluate_count(in, check, p, &count);
}

void links_collect(const struct ibc_input *in, struct ibc_sink *out, enum ibc_counter counter,
                   struct bad_links *all)
{
	struct ibc_fabric_counts sizes = ibc_fabric_count(in->fabric);
	const uint64_t *restarts = counter == IBC_LINK_DOWNED ? restarts_in_window(in, out) : NULL;
	const struct ibc_port *p;

	all->n = 0;
	all->links = sink_array(out, sizes.ports, sizeof(*all->links));
	all->of_node = sink_array(out, sizes.nodes, sizeof(*all->of_node));
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		struct bad_link l = { .in = in, .a = p, .z = p->peer };

		/* what one that is down counted before is evidence in the case of its cable */
		if (!p->peer && port_is_down(p))
			continue;
		if (!is_first_end(p) || (!may_have_risen(in, p, COUNTER_BIT(counter)) &&
		                         !may_have_risen(in, p->peer, COUNTER_BIT(counter))))
			continue;
		l.at_a = count_of(in, out->check, p, counter);
		l.at_z = count_of(in, out->check, p->peer, counter);
		if (restarts && (l.explained = restarts_explain(restarts, p))) {
			l.at_a.severity = severity_over(in, out->check, p, l.at_a, l.explained);
			l.at_z.severity = severity_over(in, out->check, p, l.at_z, l.explained);
		}
		if (!l.at_a.severity && !l.at_z.severity)
			continue;
		l.at_a.rose = l.at_z.rose = l.at_a.rose | l.at_z.rose; /* that of the link */
		l.at_a.windows = l.at_z.windows = l.at_a.windows | l.at_z.windows;
		all->links[all->n++] = l;
		all->of_node[node_order(p->node)]++;
		if (p->peer && p->peer->node != p->node)
			all->of_node[node_order(p->peer->node)]++;
	}
}

/* ---- a device ------------------------------------------------------------------- */

static bool is_suspect(const struct bad_links *all, const struct ibc_node *node)
{
	size_t bad = all->of_node[node_order(node)];

	return bad >= AGGREGATE && bad * 2 > cabled_ports(node);
}

/* Where most of a node's cables are bad, and three at least, it is the node. */
static void links_blame(const struct ibc_input *in, struct bad_links *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct bad_link *l = &all->links[i];
		const struct ibc_node *near = l->a->node, *far = l->z ? l->z->node : near;
		bool blame_near = is_suspect(all, near), blame_far = is_suspect(all, far);

		/* of two suspects the one with more bad links */
		if (blame_near && blame_far)
			blame_far = all->of_node[node_order(far)] > all->of_node[node_order(near)];
		if (!blame_near && !blame_far)
			continue;
		l->blamed = blame_far ? far : near;
		TRACE(in->trace, IBC_TRACE_COUNTERS,
		      "link of %s/%u: %s blamed, %zu of its %zu links are bad", l->a->node->label,
		      l->a->num, l->blamed->label, all->of_node[node_order(l->blamed)],
		      cabled_ports(l->blamed));
	}
}

static enum ibc_severity worse(enum ibc_severity a, enum ibc_severity b)
{
	return a > b ? a : b;
}

/* One finding for all the links a node is blamed of; nothing when that was reported already. */
static void report_device(struct ibc_sink *out, const struct bad_links *all,
                          const struct ibc_node *node, enum ibc_counter counter)
{
	enum ibc_severity severity = IBC_OK;
	struct count sum = { .known = false };
	struct examples examples = { .count = 0 };

	if (!all->of_node[node_order(node)])
		return;
	all->of_node[node_order(node)] = 0; /* reported */
	for (size_t i = 0; i < all->n; i++) {
		const struct bad_link *l = &all->links[i];

		if (l->blamed != node)
			continue;
		severity = worse(severity, worse(l->at_a.severity, l->at_z.severity));
		sum = count_add(sum, count_add(l->at_a, l->at_z));
		examples_add(&examples, l->a->node == node || !l->z ? l->a : l->z);
	}
	sink_as(out, severity);
	sink_node(out, node, "%s rose on %zu of its %zu cables, by %s%s", counter_name(counter),
	          examples.count, cabled_ports(node), count_text(out, &sum), time_text(out, &sum));
	sink_advise(out, "So many cables do not fail at once. Check the device itself: its power, "
	                 "temperature and firmware. Reset or replace it before any cable.");
	sink_fact(out, "counter", ibc_str(counter_name(counter)));
	count_facts(out, &sum);
	sink_fact(out, "cables", ibc_u64(examples.count));
	examples_relate(out, &examples);
}

/* ---- a cable -------------------------------------------------------------------- */

/* "rose by 12 at leaf01/3", "is not known at leaf01/3" */
static const char *count_at_text(struct ibc_sink *out, const struct count *count,
                                 const struct ibc_port *p)
{
	if (!count->known)
		return sink_text(out, "is not known at %s", port_text(out, p));
	return sink_text(out, "rose by %s at %s", count_text(out, count), port_text(out, p));
}

/* A device of the same name and another GUID was replaced, at the same cable. */
static bool is_other_place(const struct ibc_port *was, const struct ibc_port *is)
{
	return was->num != is->num || (was->node->guid != is->node->guid &&
	                               strcmp(was->node->label, is->node->label) != 0);
}

/* Between the sweeps: "leaf03/2 led to spine01/1 before"; NULL: it is the cable that was there. */
static const char *exchanged_text(struct ibc_sink *out, const struct bad_link *l)
{
	const struct ibc_port *const ends[] = { l->a, l->z };

	for (size_t i = 0; i < ARRAY_SIZE(ends) && l->z && l->in->before; i++) {
		const struct ibc_port *was = fabric_same_port(l->in->before, ends[i]);
		const char *serial = port_serial(was), *now = port_serial(ends[i]);

		if (was && was->peer && is_other_place(was->peer, ends[i]->peer))
			return sink_text(out, "%s led to %s before", port_text(out, ends[i]),
			                 port_text(out, was->peer));
		if (serial && now && strcmp(serial, now) != 0)
			return sink_text(out, "SN %s at %s, before SN %s", now,
			                 port_text(out, ends[i]), serial);
	}
	return NULL;
}

void report_ends(struct ibc_sink *out, const struct bad_link *l, enum ibc_counter counter)
{
	const char *time = time_text(out, l->at_a.known ? &l->at_a : &l->at_z);
	const char *exchanged = exchanged_text(out, l);

	if (l->explained)
		time = sink_text(out, "%s; a restart explains up to %" PRIu64 " of them", time,
		                 l->explained);
	if (exchanged)
		time = sink_text(out, "%s; the cable was exchanged in between: %s", time,
		                 exchanged);
	sink_as(out, worse(l->at_a.severity, l->at_z.severity));
	if (!l->z)
		sink_port(out, l->a, "%s rose by %s%s", counter_name(counter),
		          count_text(out, &l->at_a), time);
	else if (l->at_a.known && l->at_z.known)
		sink_cable(out, l->a, "%s %s, %s at %s%s", counter_name(counter),
		           count_at_text(out, &l->at_a, l->a), count_text(out, &l->at_z),
		           port_text(out, l->z), time);
	else
		sink_cable(out, l->a, "%s %s and %s%s", counter_name(counter),
		           count_at_text(out, &l->at_a, l->a), count_at_text(out, &l->at_z, l->z),
		           time);
	sink_fact(out, "counter", ibc_str(counter_name(counter)));
	count_facts(out, &l->at_a);
	if (l->z)
		sink_fact(out, "peer_count", known_count(&l->at_z));
	if (l->at_z.seconds > 0)
		sink_fact(out, "peer_count_per_hour", ibc_real(count_per_hour(&l->at_z)));
}

void report_links(const struct ibc_input *in, struct ibc_sink *out, enum ibc_counter counter,
                  void (*finish)(struct ibc_sink *out, const struct bad_link *l))
{
	struct bad_links all;

	links_collect(in, out, counter, &all);
	links_blame(in, &all);
	for (size_t i = 0; i < all.n; i++) {
		if (all.links[i].blamed) {
			report_device(out, &all, all.links[i].blamed, counter);
			continue;
		}
		report_ends(out, &all.links[i], counter);
		if (exchanged_text(out, &all.links[i]))
			sink_advise(out,
			            "These may be errors of the cable that was here before: leave "
			            "the new one, and look whether it has errors, too (ibcheck "
			            "counters --interval 60)");
		else
			finish(out, &all.links[i]);
	}
}
