/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets that an SL2VL table gives a lane which their link has not, or VL 15: they are lost.
 * Tables map SLs that no path uses as they like, and between ports that no route joins, so a pair
 * of hosts whose packets go there is looked for.
 */
#include <errno.h>
#include <stdlib.h>

#include "check/collect.h"
#include "check/qos/qos.h"
#include "check/routes/routes.h"
#include "fabric/fabric.h"

#define TRIES     16    /* ports of a group that are searched; a guess, milliseconds each */
#define PAIRS_MAX 20000 /* pairs that are followed by each of them: some 20 ms */

/*
 * struct lost - a port beyond which SLs of paths have lanes that it has not
 * @vl: by SL; 0: none, since each link has that
 * @sl: the one that is looked at
 * @reported: by a finding
 */
struct lost {
	const struct ibc_port *out;
	uint8_t vl[SLS], sl;
	bool reported;
};

/*
 * struct search - for a pair of hosts whose packets are lost at a port
 * @skipped: a port has more pairs than were tried
 * @unsure: packets of a path that leads there are lost if it has the SL, which is not known
 */
struct search {
	const struct lost *lost;
	const struct levels *levels;
	const struct ibc_port *src, *dst;
	unsigned int dlid;
	size_t tried;
	bool found, skipped, unsure;
};

/* ---- where that may be ---------------------------------------------------------------------- */

static bool find_lost(const struct ibc_port *port, uint16_t used, struct lost *lost)
{
	uint16_t lanes[SLS];
	bool some = false;

	if (!lanes_beyond(port, lanes))
		return false;
	*lost = (struct lost){ .out = port };
	for (unsigned int sl = 0; sl < SLS; sl++) {
		unsigned int bad = used >> sl & 1 ? bad_lanes(port, lanes[sl]) : 0;

		lost->vl[sl] = bad ? (uint8_t)__builtin_ctz(bad) : 0;
		some |= bad;
	}
	return some;
}

/* Equal for those that have one cause: one mapping, to links with as many lanes. */
static int by_mapping(const struct lost *a, const struct lost *z)
{
	return a->reported - z->reported
	    ?: order_u64(a->out->node->subnet->index, z->out->node->subnet->index)
	    ?: a->vl[a->sl] - z->vl[z->sl] ?: a->out->vl_active - z->out->vl_active;
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

/* Is the SL that of the path?  One SL alone is that of unknown paths, too. */
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

	if (s->found || s->tried++ >= PAIRS_MAX || ibc_path_find(src, dlid, &path, NULL) ||
	    !is_lost_on(s->lost, &path))
		return;
	s->found = has_level(s, &path);
	s->unsure |= !s->found && !path.sl_known;
	s->src = src;
	s->dst = dst;
	s->dlid = dlid;
}

/* A report of what was found: by the first pair, of the first port that has one. */
static bool find_pair(struct ibc_sink *out, struct search *s, const struct lost *group, size_t n)
{
	for (size_t i = 0; i < n && i < TRIES && !s->found; i++) {
		s->lost = &group[i];
		s->tried = 0;
		if (ibc_path_using(group[i].out, try_pair, s, NULL) == -ENOMEM)
			out->failed = true;
		s->skipped |= s->tried > PAIRS_MAX;
	}
	return s->found;
}

/* ---- findings ------------------------------------------------------------------------------ */

/* The rest of a group of which a finding names one port, or none. */
static void relate_group(struct ibc_sink *out, const struct lost *but, const struct lost *group,
                         size_t n)
{
	struct examples examples = { .count = 0 };

	for (size_t i = 0; i < n; i++)
		if (&group[i] != but)
			examples_add(&examples, group[i].out);
	examples_relate(out, &examples);
}

static void report_group(struct ibc_sink *out, const struct search *s, const struct lost *group,
                         size_t n)
{
	const struct lost *l = s->lost;
	unsigned int vl = l->vl[l->sl];
	const char *vls = vls_text(l->out->vl_active);

	sink_as(out, IBC_CRITICAL);
	sink_port(out, l->out, "%s packets of service level (SL) %u%s: %s; such as from %s to %s%s",
	          vl == VL_DROPS ? "drops" : "loses", l->sl,
	          s->levels->known ? "" : ", if all paths use SL 0",
	          vl == VL_DROPS
	              ? "its SL2VL table has VL 15 for them"
	              : sink_text(out, "they get VL %u, and its link has only %s", vl, vls),
	          s->src->node->label, s->dst->node->label,
	          n > 1 ? sink_text(out, "; %zu more port%s such a VL", n - 1,
	                            n == 2 ? " gives them" : "s give them")
	                : "");
	sink_advise(out, LANES_ADVICE);
	sink_fact(out, "sl", ibc_u64(l->sl));
	sink_fact(out, "vl", ibc_u64(vl));
	sink_fact(out, "operational_vls", ibc_str(vls));
	sink_fact(out, "ports", ibc_u64(n));
	report_witness(out, s->src, s->dst, s->dlid);
	relate_group(out, l, group, n);
}

/* More than were searched, or SLs of paths are not known; and the others in vain. */
static void report_unsearched(struct ibc_sink *out, const struct lost *group, size_t n)
{
	unsigned int sl = group->sl, vl = group->vl[sl];
	const char *text = sink_text(
	    out,
	    "packets of service level (SL) %u a virtual lane (VL %u) that loses them: whether a "
	    "path with this SL leads there is not known",
	    sl, vl);

	sink_as(out, IBC_UNKNOWN);
	if (n == 1)
		sink_port(out, group->out, "gives %s", text);
	else
		sink_fabric(out, "%s%zu ports give %s", subnet_intro(out, group->out->node->subnet),
		            n, text);
	sink_advise(out,
	            "Give the service levels of all paths with --paths, or look at the path of two "
	            "hosts that may use this one: ibcheck routes --path A B --sl %u.",
	            sl);
	sink_fact(out, "sl", ibc_u64(sl));
	sink_fact(out, "vl", ibc_u64(vl));
	sink_fact(out, "ports", ibc_u64(n));
	if (n > 1)
		relate_group(out, NULL, group, n);
}

/* Ports that are reported for one SL are not for the next: one cause, one finding. */
static void evaluate_level(struct ibc_sink *out, const struct levels *levels, struct lost *lost,
                           size_t n, unsigned int sl)
{
	for (size_t i = 0; i < n; i++)
		lost[i].sl = (uint8_t)sl;
	if (n)
		qsort(lost, n, sizeof(*lost), by_mapping_then_port);
	for (size_t i = 0, end; i < n && !lost[i].reported; i = end) {
		struct search s = { .levels = &levels[lost[i].out->node->subnet->index] };

		for (end = i + 1; end < n && !by_mapping(&lost[i], &lost[end]);)
			end++;
		if (!lost[i].vl[sl])
			continue;
		if (find_pair(out, &s, &lost[i], end - i)) {
			report_group(out, &s, &lost[i], end - i);
			for (size_t k = i; k < end; k++)
				lost[k].reported = true;
		} else if (end - i > TRIES || s.skipped || s.unsure) {
			report_unsearched(out, &lost[i], end - i);
		}
	}
}

const bool *report_lost_lanes(const struct ibc_input *in, struct ibc_sink *out)
{
	struct ibc_fabric_counts room = ibc_fabric_count(in->fabric);
	struct lost *lost = sink_array(out, room.ports, sizeof(*lost));
	bool *reported = sink_array(out, room.nodes, sizeof(*reported));
	const struct levels *levels = levels_by_subnet(in, out);
	const struct ibc_port *p;
	size_t n = 0;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		n += find_lost(p, levels[p->node->subnet->index].of_paths, &lost[n]);
	for (unsigned int sl = 0; sl < SLS; sl++)
		evaluate_level(out, levels, lost, n, sl);
	for (size_t i = 0; i < n; i++)
		reported[node_order(lost[i].out->node)] |= lost[i].reported;
	return reported;
}
