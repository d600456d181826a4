/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets that an SL2VL table gives a lane which their link has not, or VL 15: they are lost.
 * Tables map SLs that nobody uses as they like, and between ports that no route joins, so a pair
 * of hosts whose packets take that way is looked for.
 */
#include <stdlib.h>

#include "check/collect.h"
#include "check/qos.h"
#include "check/routes.h"

#define VL_DROPS  15    /* IBA 7.6.6: the packet is discarded */
#define TRIES     16    /* ports of a group that are searched; a guess, milliseconds each */
#define PAIRS_MAX 20000 /* pairs that are followed by each of them: some 20 ms */

/* struct lost - a port beyond which an SL has a lane that it has not; the lowest such SL */
struct lost {
	const struct ibc_port *out;
	uint8_t sl, vl;
};

/* struct search - for a pair of hosts whose packets are lost at a port */
struct search {
	const struct lost *lost;
	const struct levels *levels;
	const struct ibc_port *src, *dst;
	unsigned int dlid;
	size_t tried;
	bool found;
};

/* Of lanes, those that packets of a port are lost on. */
static unsigned int bad_lanes(const struct ibc_port *port, unsigned int lanes)
{
	return lanes & ~((1u << vls_count(port->vl_active)) - 1);
}

/* ---- where that may be ---------------------------------------------------------------------- */

static bool find_lost(const struct ibc_port *port, uint16_t used, struct lost *lost)
{
	uint16_t lanes[SLS];

	if (!lanes_beyond(port, lanes))
		return false;
	for (unsigned int sl = 0; sl < SLS; sl++) {
		unsigned int bad = used >> sl & 1 ? bad_lanes(port, lanes[sl]) : 0;

		if (!bad)
			continue;
		*lost = (struct lost){ port, (uint8_t)sl, (uint8_t)__builtin_ctz(bad) };
		return true;
	}
	return false;
}

/* Equal for those that have one cause: one mapping, to links with as many lanes. */
static int by_mapping(const struct lost *a, const struct lost *z)
{
	return order_u64(a->out->node->subnet->index, z->out->node->subnet->index)
	    ?: a->sl - z->sl ?: a->vl - z->vl ?: a->out->vl_active - z->out->vl_active;
}

static int by_mapping_then_port(const void *va, const void *vz)
{
	const struct lost *a = va, *z = vz;

	return by_mapping(a, z) ?: compare_ports(a->out, z->out);
}

/* ---- whether a path leads there ------------------------------------------------------------ */

/* Does the path leave by that port on a lane that it has not? */
static bool is_lost_on(const struct lost *lost, const struct ibc_path *path)
{
	for (size_t i = 0; i < path->num; i++) {
		unsigned int in = i ? path->out[i - 1]->peer->num : 0, vl;

		if (path->out[i] != lost->out)
			continue;
		vl = ibc_switch_vl(lost->out->node, in, lost->out->num, lost->sl);
		return vl != IBC_VL_UNKNOWN && bad_lanes(lost->out, 1u << (vl & 15));
	}
	return false;
}

/* Is the SL that of the path?  One SL alone is that of paths that nobody told of, too. */
static bool has_level(const struct search *s, const struct ibc_path *path)
{
	if (path->sl_known)
		return path->sl == s->lost->sl;
	return s->levels->of_paths == 1u << s->lost->sl;
}

static void try_pair(void *ctx, const struct ibc_port *src, const struct ibc_port *dst,
                     unsigned int dlid)
{
	struct search *s = ctx;
	struct ibc_path path;

	if (s->found || s->tried++ >= PAIRS_MAX || ibc_path_find(src, dlid, &path, NULL))
		return;
	if (!has_level(s, &path) || !is_lost_on(s->lost, &path))
		return;
	s->src = src;
	s->dst = dst;
	s->dlid = dlid;
	s->found = true;
}

/* A report of what was found: by the first pair, of the first port that has one. */
static bool find_pair(struct search *s, const struct lost *group, size_t n)
{
	for (size_t i = 0; i < n && i < TRIES && !s->found; i++) {
		s->lost = &group[i];
		ibc_path_using(group[i].out, try_pair, s, NULL);
	}
	return s->found;
}

/* ---- findings ------------------------------------------------------------------------------ */

static void relate_group(struct ibc_sink *out, const struct search *s, const struct lost *group,
                         size_t n)
{
	struct examples examples = { .count = 0 };

	for (size_t i = 0; i < n; i++)
		if (&group[i] != s->lost)
			examples_add(&examples, group[i].out);
	if (examples.count)
		examples_relate(out, &examples);
}

static void report_group(struct ibc_sink *out, const struct search *s, const struct lost *group,
                         size_t n)
{
	const struct lost *l = s->lost;
	const char *what = "drops packets", *why = "its SL2VL table has VL 15 for them";

	if (l->vl != VL_DROPS) {
		what = "loses packets";
		why = sink_text(out, "they get VL %u, and its link has only %s", l->vl,
		                vls_text(l->out->vl_active));
	}
	sink_as(out, IBC_CRITICAL);
	sink_port(out, l->out, "%s of service level (SL) %u%s: %s; such as from %s to %s%s", what,
	          l->sl, s->levels->known ? "" : ", if all paths use SL 0", why,
	          s->src->node->label, s->dst->node->label,
	          n > 1 ? sink_text(out, "; %zu more port%s such a VL", n - 1,
	                            n == 2 ? " gives them" : "s give them")
	                : "");
	sink_advise(out, "Have OpenSM write tables that fit the virtual lanes (VLs) of each link: "
	                 "start it with -Q, and compare qos_sl2vl, qos_ca_sl2vl, qos_swe_sl2vl and "
	                 "max_op_vls in opensm.conf. Until then no program may use this SL.");
	sink_fact(out, "sl", ibc_u64(l->sl));
	sink_fact(out, "vl", ibc_u64(l->vl));
	sink_fact(out, "operational_vls", ibc_str(vls_text(l->out->vl_active)));
	sink_fact(out, "ports", ibc_u64(n));
	report_witness(out, s->src, s->dst, s->dlid);
	relate_group(out, s, group, n);
}

/* More than were searched, and those in vain. */
static void report_unsearched(struct ibc_sink *out, const struct lost *group, size_t n)
{
	const struct search nobody = { .lost = NULL };

	sink_as(out, IBC_UNKNOWN);
	sink_fabric(out,
	            "%s%zu ports give packets of service level (SL) %u a virtual lane (VL %u) that "
	            "loses them: it was not found out whether a path leads there",
	            subnet_intro(out, group->out->node->subnet), n, group->sl, group->vl);
	sink_advise(out, "Look at the path of two hosts that use this SL: ibcheck routes --path.");
	sink_fact(out, "sl", ibc_u64(group->sl));
	sink_fact(out, "vl", ibc_u64(group->vl));
	sink_fact(out, "ports", ibc_u64(n));
	relate_group(out, &nobody, group, n);
}

/* True: it is told that a path is lost. */
static bool evaluate_group(struct ibc_sink *out, const struct levels *levels,
                           const struct lost *group, size_t n)
{
	struct search s = { .levels = levels };

	if (find_pair(&s, group, n)) {
		report_group(out, &s, group, n);
		return true;
	}
	if (n > TRIES || s.tried > PAIRS_MAX)
		report_unsearched(out, group, n);
	return false;
}

static int by_lost_port(const void *va, const void *vz)
{
	return compare_ports(*(const struct ibc_port *const *)va,
	                     *(const struct ibc_port *const *)vz);
}

struct lost_lanes report_lost_lanes(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t room = ibc_fabric_count(in->fabric).ports, n = 0;
	struct lost *lost = sink_array(out, room, sizeof(*lost));
	struct lost_lanes told = { sink_array(out, room, sizeof(*told.ports)), 0 };
	const struct levels *levels = levels_by_subnet(in, out);
	const struct ibc_port *p;

	if (!lost || !told.ports || !levels)
		return told;
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		n += find_lost(p, levels[p->node->subnet->index].of_paths, &lost[n]);
	if (n)
		qsort(lost, n, sizeof(*lost), by_mapping_then_port);
	for (size_t i = 0, end; i < n; i = end) {
		bool found;

		for (end = i + 1; end < n && !by_mapping(&lost[i], &lost[end]);)
			end++;
		found = evaluate_group(out, &levels[lost[i].out->node->subnet->index], &lost[i],
		                       end - i);
		for (size_t k = i; found && k < end; k++)
			told.ports[told.n++] = lost[k].out;
	}
	if (told.n)
		qsort(told.ports, told.n, sizeof(*told.ports), by_lost_port);
	return told;
}

bool lost_at(const struct lost_lanes *lost, const struct ibc_node *node)
{
	for (size_t i = 0; i < lost->n; i++)
		if (lost->ports[i]->node == node)
			return true;
	return false;
}
