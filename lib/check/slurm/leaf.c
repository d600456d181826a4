/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slurm.leaf: hosts that are cabled to another leaf than they are below in Slurm's topology.  Names
 * do not matter to Slurm, so lines and leaves are matched by their hosts: a line is the one of
 * the leaf that it has most of.  What is between leaves and roots is not compared: a file that has
 * fewer pods, or more of them, is coarse or fine, and not wrong.  O(n log n) of the hosts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/phrases.h"
#include "check/slurm/slurm.h"

/* ---- slurm.leaf ----------------------------------------------------------------------------- */

/* struct placed_host - where it is as cabled, and in the file */
struct placed_host {
	const char *name;
	const struct ibc_slurm_switch *leaf;
	size_t line;
};

static int by_leaf_and_line(const void *va, const void *vz)
{
	const struct placed_host *a = va, *z = vz;

	return order_u64((uintptr_t)a->leaf, (uintptr_t)z->leaf) ?: order_u64(a->line, z->line)
	    ?: strverscmp(a->name, z->name);
}

/* Of the hosts of one leaf, which are in order, those that are not in its own line. */
static void report_leaf(const struct slurm_view *v, const struct placed_host *hosts, size_t num,
                        const struct ibc_slurm_line *own)
{
	const struct ibc_slurm_switch *leaf = hosts->leaf;
	const char *shown[SHOWN_MAX], **names = sink_array(v->out, num, sizeof(*names)), *text;
	size_t n = 0, lines = 0, last = SIZE_MAX;

	for (size_t i = 0; i < num; i++) {
		const struct ibc_slurm_line *line = &v->file->lines[hosts[i].line];

		if (line == own)
			continue;
		names[n++] = hosts[i].name;
		if (hosts[i].line != last && lines++ < SHOWN_MAX)
			shown[lines - 1] = slurm_line_text(v, line);
		last = hosts[i].line;
	}
	if (!n)
		return;
	text = sink_folded(v->out, names, n);
	sink_node(v->out, leaf->switches[0], "%s %s cabled to it, and below %s in Slurm's topology",
	          text, n == 1 ? "is" : "are", list_text(v->out, shown, lines));
	if (own)
		sink_advise(v->out, "If the cables are right, move %s to %s", text,
		            slurm_line_text(v, own));
	else
		sink_advise(v->out, "Give them a line of their own: SwitchName=%s Nodes=%s",
		            leaf->name, text);
	sink_fact(v->out, "hosts", ibc_u64(n));
	for (size_t i = 1; i < leaf->num_switches; i++)
		sink_relate_node(v->out, IBC_ROLE_FOUND, leaf->switches[i]);
}

void check_slurm_leaf(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct slurm_view v = slurm_view(in, out);
	struct placed_host *hosts = sink_array(out, v.num_hosts, sizeof(*hosts));
	size_t *most = sink_array(out, v.file->num_lines, sizeof(*most)); /* hosts of one leaf */
	const struct ibc_slurm_switch **of = sink_array(out, v.file->num_lines, sizeof(*of));
	size_t n = 0;

	for (size_t i = 0; i < v.num_hosts; i++) {
		const struct slurm_entry *e = &v.hosts[i];
		const struct ibc_slurm_host *h = ibc_slurm_host_by_name(v.slurm, e->name);

		if (h && (!i || strcmp(e[-1].name, e->name) != 0))
			hosts[n++] = (struct placed_host){ h->name, h->leaf, e->line };
	}
	qsort(hosts, n, sizeof(*hosts), by_leaf_and_line);
	for (size_t i = 0, end; i < n; i = end) {
		size_t line = hosts[i].line;

		for (end = i;
		     end < n && hosts[end].leaf == hosts[i].leaf && hosts[end].line == line;)
			end++;
		if (end - i <= most[line])
			continue;
		most[line] = end - i;
		of[line] = hosts[i].leaf;
	}
	for (size_t i = 0, end; i < n; i = end) {
		size_t own = SIZE_MAX;

		/* of several lines that are the leaf's its own is the fullest */
		for (end = i; end < n && hosts[end].leaf == hosts[i].leaf; end++) {
			size_t line = hosts[end].line;

			if (of[line] == hosts[i].leaf &&
			    (own == SIZE_MAX || most[line] > most[own]))
				own = line;
		}
		report_leaf(&v, &hosts[i], end - i, own < SIZE_MAX ? &v.file->lines[own] : NULL);
	}
}

/* ---- roots ---------------------------------------------------------------------------------- */

/* struct root_pair - the root of a host in the file, and as it is cabled */
struct root_pair {
	const struct ibc_slurm_line *file;
	const struct ibc_slurm_switch *cabled;
};

static int by_cabled_root(const void *va, const void *vz)
{
	const struct root_pair *a = va, *z = vz;

	return order_u64((uintptr_t)a->cabled, (uintptr_t)z->cabled)
	           ?: order_u64((uintptr_t)a->file, (uintptr_t)z->file);
}

static int by_file_root(const void *va, const void *vz)
{
	const struct root_pair *a = va, *z = vz;

	return order_u64((uintptr_t)a->file, (uintptr_t)z->file)
	           ?: order_u64((uintptr_t)a->cabled, (uintptr_t)z->cabled);
}

/* Lines side by side where one fabric has all their hosts; one line above what nothing joins. */
void check_slurm_roots(const struct slurm_view *v)
{
	struct root_pair *pairs = sink_array(v->out, v->num_hosts, sizeof(*pairs));
	const char *shown[SHOWN_MAX];
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < v->num_hosts; i++) {
		const struct ibc_slurm_host *h = ibc_slurm_host_by_name(v->slurm, v->hosts[i].name);
		const struct ibc_slurm_switch *root = h ? h->leaf : NULL;
		size_t line = v->hosts[i].line;

		while (v->up[line])
			line = v->up[line] - 1;
		while (root && root->up)
			root = root->up;
		if (root)
			pairs[n++] = (struct root_pair){ &v->file->lines[line], root };
	}
	qsort(pairs, n, sizeof(*pairs), by_cabled_root);
	for (size_t i = 0; i < n; i++)
		if (!kept || by_cabled_root(&pairs[kept - 1], &pairs[i]))
			pairs[kept++] = pairs[i]; /* each once */
	n = kept;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && pairs[end].cabled == pairs[i].cabled; end++)
			if (end - i < SHOWN_MAX)
				shown[end - i] = slurm_line_text(v, pairs[end].file);
		if (end - i < 2)
			continue;
		slurm_finding(v, "apart", pairs[i].file->file, pairs[i].file->number,
		              "no switch is above all of %s: jobs do not span them, though cables "
		              "join them",
		              list_text(v->out, shown, end - i));
		sink_advise(v->out, "Add a line SwitchName=root Switches=LIST with all of them");
		sink_fact(v->out, "roots", ibc_u64(end - i));
	}
	qsort(pairs, n, sizeof(*pairs), by_file_root);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && pairs[end].file == pairs[i].file; end++)
			if (end - i < SHOWN_MAX)
				shown[end - i] = pairs[end].cabled->name;
		if (end - i < 2)
			continue;
		slurm_finding(v, "joined", pairs[i].file->file, pairs[i].file->number,
		              "%s joins what no cable joins: as cabled, the roots are %s",
		              pairs[i].file->name, list_text(v->out, shown, end - i));
		sink_advise(v->out, "Give each fabric a root of its own, so that Slurm starts no "
		                    "job across them");
		sink_fact(v->out, "roots", ibc_u64(end - i));
	}
}
