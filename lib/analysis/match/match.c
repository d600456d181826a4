/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/match/match.h"

#include <string.h>

#include "analysis/match/match_work.h"
#include "base/arena.h"
#include "fabric/fabric.h"

#define REPEATS 4 /* of what may change places only once others have */

/* ---- cables by numbers, 8 bytes a port: matching looks at each of them often --------------- */

static void wire_up(struct arena *a, const struct ibc_fabric *fab, struct wiring *out)
{
	const struct ibc_node *node;
	uint32_t sum = 0;
	size_t i;

	out->first = arena_array(a, ibc_fabric_count(fab).nodes + 1, sizeof(*out->first));
	for (i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		out->first[i] = sum;
		sum += node->num_ports;
	}
	out->first[i] = sum;
	out->wire = arena_array(a, sum + 1u, sizeof(*out->wire));
	sum = 0;
	for (i = 0; (node = ibc_fabric_node(fab, i)); i++)
		for (unsigned int num = 1; num <= node->num_ports; num++) {
			const struct ibc_port *peer = node->ports[num].peer;

			out->wire[sum++] = peer ? (struct wire){ (uint32_t)node_order(peer->node),
				                                 peer->num }
			                        : (struct wire){ MATCH_NONE, 0 };
		}
}

/* ---- the steps ----------------------------------------------------------------------------- */

static uint32_t *new_nobodies(struct arena *a, size_t n)
{
	uint32_t *all = arena_array(a, n + 1, sizeof(*all));

	return all ? memset(all, 0xff, n * sizeof(*all)) : NULL;
}

/* Devices that changed places are known by neighbours, and they by their places, and so on. */
static void run_steps(struct match *m, const struct ibc_trace *trace, struct arena *scratch)
{
	struct matching w = {
		.m = m,
		.trace = trace,
		.scratch = scratch,
		.subnet_of = new_nobodies(scratch, ibc_fabric_count(m->planned).subnets),
		.votes = arena_array(scratch, m->num_found + 1, sizeof(*w.votes)),
	};
	bool changed = true;

	wire_up(scratch, m->planned, &w.planned);
	wire_up(scratch, m->found, &w.found);
	match_names(&w);
	for (unsigned int i = 0; i < REPEATS && changed; i++) {
		changed = match_exchanges(&w) || i == 0;
		if (changed)
			match_places(&w);
	}
	for (unsigned int i = 0; i < REPEATS && match_aliases(&w); i++)
		;
	match_shapes(&w);
	/* what found its counterpart in another way was clear after all */
	for (size_t i = 0; i < m->num_planned; i++)
		if (m->how[i] != MATCH_NOT && m->how[i] != MATCH_ASSUMED)
			m->unclear[i] = false;
}

bool match_nodes(struct arena *a, const struct ibc_fabric *planned, const struct ibc_fabric *found,
                 const struct ibc_trace *trace, struct match *out)
{
	const size_t num_planned = ibc_fabric_count(planned).nodes;
	const size_t num_found = ibc_fabric_count(found).nodes;
	struct arena *scratch = arena_new();

	*out = (struct match){
		.planned = planned,
		.found = found,
		.num_planned = num_planned,
		.num_found = num_found,
		.found_of = new_nobodies(a, num_planned),
		.planned_of = new_nobodies(a, num_found),
		.exchanged = new_nobodies(a, num_planned),
		.also = new_nobodies(a, num_planned),
		.how = arena_array(a, num_planned + 1, sizeof(*out->how)),
		.unclear = arena_array(a, num_planned + 1, sizeof(*out->unclear)),
	};
	if (!out->found_of || !out->planned_of || !out->exchanged || !out->also || !out->how ||
	    !out->unclear || !scratch || setjmp(*arena_entry(scratch))) {
		arena_free(scratch);
		return false;
	}
	run_steps(out, trace, scratch);
	arena_free(scratch);
	return true;
}
