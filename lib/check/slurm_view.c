/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/folded.h"
#include "check/slurm.h"

static int by_entry(const void *va, const void *vz)
{
	const struct slurm_entry *a = va, *z = vz;

	return strcmp(a->name, z->name) ?: order_u64(a->line, z->line);
}

/* The first of its name; NULL: there is none. */
static const struct slurm_entry *find_entry(const struct slurm_entry *all, size_t n,
                                            const char *name)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(all[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && !strcmp(all[low].name, name) ? &all[low] : NULL;
}

const struct ibc_slurm_line *slurm_line(const struct slurm_view *v, const char *name)
{
	const struct slurm_entry *e = find_entry(v->names, v->num_names, name);

	return e ? &v->file->lines[e->line] : NULL;
}

size_t slurm_line_of_host(const struct slurm_view *v, const char *host)
{
	const struct slurm_entry *e = find_entry(v->hosts, v->num_hosts, host);

	return e ? e->line : SIZE_MAX;
}

static bool collect_entries(struct slurm_view *v)
{
	const struct ibc_slurm_file *f = v->file;
	size_t nodes = 0;

	for (size_t i = 0; i < f->num_lines; i++)
		nodes += f->lines[i].num_nodes;
	v->names = sink_array(v->out, f->num_lines + 1, sizeof(*v->names));
	v->hosts = sink_array(v->out, nodes + 1, sizeof(*v->hosts));
	if (!v->names || !v->hosts)
		return false;
	for (size_t i = 0; i < f->num_lines; i++)
		v->names[v->num_names++] = (struct slurm_entry){ f->lines[i].name, i };
	qsort(v->names, v->num_names, sizeof(*v->names), by_entry);
	for (size_t i = 0; i < f->num_lines; i++) {
		/* of a switch that is defined twice the first line counts for both */
		size_t line = (size_t)(slurm_line(v, f->lines[i].name) - f->lines);

		for (size_t k = 0; k < f->lines[i].num_nodes; k++)
			v->hosts[v->num_hosts++] = (struct slurm_entry){ f->lines[i].nodes[k],
				                                         line };
	}
	qsort(v->hosts, v->num_hosts, sizeof(*v->hosts), by_entry);
	return true;
}

/* ---- rings ------------------------------------------------------------------------------ */

/*
 * struct ring_work - what is left of the lines once all that is in no ring is taken away
 * @below: by line: how many of its children are left
 * @parents: those that name a line: parents[first[i]] .. parents[first[i + 1] - 1]
 * @queue: lines that have nothing below them any more
 */
struct ring_work {
	size_t *below, *first, *parents, *queue, queued;
};

static bool collect_parents(struct slurm_view *v, struct ring_work *w)
{
	const struct ibc_slurm_file *f = v->file;
	const struct ibc_slurm_line *child;
	size_t all = 0;

	for (size_t i = 0; i < f->num_lines; i++)
		for (size_t k = 0; k < f->lines[i].num_switches; k++)
			if ((child = slurm_line(v, f->lines[i].switches[k]))) {
				w->first[child - f->lines + 1]++;
				w->below[i]++;
				all++;
			} else {
				v->num_undefined++;
			}
	w->parents = sink_array(v->out, all + 1, sizeof(*w->parents));
	if (!w->parents)
		return false;
	for (size_t i = 0; i < f->num_lines; i++)
		w->first[i + 1] += w->first[i];
	for (size_t i = f->num_lines; i-- > 0;)
		for (size_t k = 0; k < f->lines[i].num_switches; k++)
			if ((child = slurm_line(v, f->lines[i].switches[k])))
				w->parents[--w->first[child - f->lines + 1]] = i;
	/* it counted down from the end of each, which is the start of the next */
	for (size_t i = 0; i < f->num_lines; i++)
		w->first[i] = w->first[i + 1];
	w->first[f->num_lines] = all;
	return true;
}

/* Takes lines away from the bottom up: what stays is in a ring, or above one. */
static void peel(struct slurm_view *v, struct ring_work *w)
{
	for (size_t i = 0; i < v->file->num_lines; i++) {
		v->ring[i] = true;
		if (!w->below[i])
			w->queue[w->queued++] = i;
	}
	for (size_t i = 0; i < w->queued; i++) {
		size_t line = w->queue[i];

		v->ring[line] = false;
		for (size_t k = w->first[line]; k < w->first[line + 1]; k++)
			if (!--w->below[w->parents[k]])
				w->queue[w->queued++] = w->parents[k];
	}
	v->num_ring = v->file->num_lines - w->queued;
}

static bool mark_rings(struct slurm_view *v)
{
	size_t n = v->file->num_lines;
	struct ring_work w = { .below = sink_array(v->out, n + 1, sizeof(size_t)),
		               .first = sink_array(v->out, n + 2, sizeof(size_t)),
		               .queue = sink_array(v->out, n + 1, sizeof(size_t)) };

	v->up = sink_array(v->out, n + 1, sizeof(*v->up));
	v->ring = sink_array(v->out, n + 1, sizeof(*v->ring));
	if (!w.below || !w.first || !w.queue || !v->up || !v->ring || !collect_parents(v, &w))
		return false;
	for (size_t i = 0; i < n; i++)
		v->up[i] = w.first[i] < w.first[i + 1] ? w.parents[w.first[i]] + 1 : 0;
	peel(v, &w);
	return true;
}

bool slurm_view_new(const struct ibc_input *in, struct ibc_sink *out, struct slurm_view *v)
{
	*v = (struct slurm_view){ .out = out, .slurm = in->slurm, .file = in->slurm_file };
	return !v->file || (collect_entries(v) && mark_rings(v));
}

/* ---- words ------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *place_text(const struct slurm_view *v, const char *file, unsigned long number)
{
	return strcmp(file, v->file->path) != 0
	           ? sink_text(v->out, "%s, line %lu", base_name(file), number)
	           : sink_text(v->out, "line %lu", number);
}

const char *slurm_line_text(const struct slurm_view *v, const struct ibc_slurm_line *line)
{
	return sink_text(v->out, "%s (%s)", line->name, place_text(v, line->file, line->number));
}

const char *slurm_hosts_text(struct ibc_sink *out, const char *const *names, size_t n)
{
	const char *text = folded_names(out->scratch, names, n);

	out->failed |= !text;
	return text ? text : "";
}

void slurm_finding(const struct slurm_view *v, const char *file, unsigned long number,
                   const char *message, ...)
{
	struct ibc_subject subject = { .kind = IBC_SUBJECT_FABRIC };
	const char *text;
	va_list ap;

	va_start(ap, message);
	text = sink_vtext(v->out, message, ap);
	va_end(ap);
	if (!v->file) {
		sink_fabric(v->out, "%s", text);
		return;
	}
	subject.near.desc = number ? sink_text(v->out, "%s:%lu", base_name(file), number)
	                           : base_name(v->file->path);
	sink_add(v->out, &subject, "%s: %s",
	         number ? sink_text(v->out, "%s, %s", base_name(v->file->path),
	                            place_text(v, file, number))
	                : base_name(v->file->path),
	         text);
}
