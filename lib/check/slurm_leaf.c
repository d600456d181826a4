/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slurm.leaf: hosts that are cabled to another leaf than they are below in Slurm's topology.  Names
 * do not matter to Slurm, so lines and leaves are matched by their hosts: a line is the one of
 * the leaf that it has most of.  What is above the leaves is not compared: a file that has
 * fewer pods, or more of them, is coarse or fine, and not wrong.  O(n log n) of the hosts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/phrases.h"
#include "check/slurm.h"

#define LINES_SHOWN SHOWN_MAX

/* struct placed_host - where it is as cabled, and in the file: numbers of leaf and line */
struct placed_host {
	const char *name;
	size_t leaf, line;
};

/* struct overlap_pair - so many things that are both below @cabled and below @line */
struct overlap_pair {
	size_t cabled, line, n;
};

/*
 * struct leaf_work - at work
 * @line_of: by leaf: the line that is its own, from 1; 0: none
 */
struct leaf_work {
	struct slurm_view v;
	struct placed_host *hosts;
	size_t num_hosts, num_switches;
	size_t *line_of;
};

static int by_leaf_and_line(const void *va, const void *vz)
{
	const struct placed_host *a = va, *z = vz;

	return order_u64(a->leaf, z->leaf) ?: order_u64(a->line, z->line)
	    ?: strverscmp(a->name, z->name);
}

static size_t switch_index(const struct leaf_work *w, const struct ibc_slurm_switch *s)
{
	return (size_t)(s - ibc_slurm_switch(w->v.slurm, 0));
}

/* Hosts that both have. */
static bool collect_hosts(struct leaf_work *w)
{
	const struct ibc_slurm_host *h;

	w->hosts = sink_array(w->v.out, w->v.num_hosts + 1, sizeof(*w->hosts));
	for (size_t i = 0; w->hosts && i < w->v.num_hosts; i++) {
		const struct slurm_entry *e = &w->v.hosts[i];

		if (i && !strcmp(e[-1].name, e->name))
			continue;
		h = ibc_slurm_host_by_name(w->v.slurm, e->name);
		if (h)
			w->hosts[w->num_hosts++] = (struct placed_host){ h->name,
				                                         switch_index(w, h->leaf),
				                                         e->line };
	}
	if (w->hosts)
		qsort(w->hosts, w->num_hosts, sizeof(*w->hosts), by_leaf_and_line);
	while (ibc_slurm_switch(w->v.slurm, w->num_switches))
		w->num_switches++;
	w->line_of = sink_array(w->v.out, w->num_switches + 1, sizeof(*w->line_of));
	return w->hosts && w->line_of;
}

/* ---- leaves --------------------------------------------------------------------------------- */

/* A line is that of the leaf it has most of; of several lines a leaf's own is the fullest. */
static bool match_leaves(struct leaf_work *w)
{
	size_t lines = w->v.file->num_lines, n = 0;
	struct overlap_pair *pairs = sink_array(w->v.out, w->num_hosts + 1, sizeof(*pairs));
	size_t *best = sink_array(w->v.out, lines + 1, sizeof(*best)); /* pair of a line, from 1 */

	if (!pairs || !best)
		return false;
	for (size_t i = 0, end; i < w->num_hosts; i = end) {
		const struct placed_host *h = &w->hosts[i];

		for (end = i; end < w->num_hosts && w->hosts[end].leaf == h->leaf &&
		              w->hosts[end].line == h->line;)
			end++;
		pairs[n++] = (struct overlap_pair){ h->leaf, h->line, end - i };
		if (!best[h->line] || pairs[best[h->line] - 1].n < end - i)
			best[h->line] = n;
	}
	for (size_t i = 0; i < n; i++) {
		size_t own = w->line_of[pairs[i].cabled];

		if (best[pairs[i].line] == i + 1 &&
		    (!own || pairs[best[own - 1] - 1].n < pairs[i].n))
			w->line_of[pairs[i].cabled] = pairs[i].line + 1;
	}
	return true;
}

/* Of the hosts of one leaf those that are not in its own line, which are in so many others. */
static void report_leaf(const struct leaf_work *w, const struct placed_host *hosts, size_t num)
{
	const struct ibc_slurm_switch *leaf = ibc_slurm_switch(w->v.slurm, hosts->leaf);
	const struct ibc_slurm_line *own = w->line_of[hosts->leaf]
	                                       ? &w->v.file->lines[w->line_of[hosts->leaf] - 1]
	                                       : NULL;
	const char *shown[LINES_SHOWN], **names = sink_array(w->v.out, num, sizeof(*names)), *text;
	size_t n = 0, lines = 0, last = SIZE_MAX;

	for (size_t i = 0; names && i < num; i++) {
		const struct ibc_slurm_line *line = &w->v.file->lines[hosts[i].line];

		if (line == own)
			continue;
		names[n++] = hosts[i].name;
		if (hosts[i].line != last && lines++ < LINES_SHOWN)
			shown[lines - 1] = slurm_line_text(&w->v, line);
		last = hosts[i].line;
	}
	if (!n)
		return;
	text = slurm_hosts_text(w->v.out, names, n);
	sink_node(w->v.out, leaf->switches[0],
	          "%s %s cabled to it, and below %s in Slurm's topology", text,
	          n == 1 ? "is" : "are", list_text(w->v.out, shown, lines));
	if (own)
		sink_advise(w->v.out, "If the cables are right, move %s to %s", text,
		            slurm_line_text(&w->v, own));
	else
		sink_advise(w->v.out, "Give them a line of their own: SwitchName=%s Nodes=%s",
		            leaf->name, text);
	sink_fact(w->v.out, "hosts", ibc_u64(n));
	for (size_t i = 1; i < leaf->num_switches; i++)
		sink_relate_node(w->v.out, IBC_ROLE_FOUND, leaf->switches[i]);
}

static void report_leaves(const struct leaf_work *w)
{
	for (size_t i = 0, end; i < w->num_hosts; i = end) {
		for (end = i; end < w->num_hosts && w->hosts[end].leaf == w->hosts[i].leaf;)
			end++;
		report_leaf(w, &w->hosts[i], end - i);
	}
}

void check_slurm_leaf(const struct ibc_input *in, struct ibc_sink *out)
{
	struct leaf_work w = { .num_hosts = 0 };

	if (!slurm_view_new(in, out, &w.v) || !collect_hosts(&w) || !match_leaves(&w))
		return;
	report_leaves(&w);
}
