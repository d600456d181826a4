/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/slurm/slurm.h"

static int by_entry_name(const void *va, const void *vz)
{
	return strcmp(((const struct slurm_entry *)va)->name,
	              ((const struct slurm_entry *)vz)->name);
}

static int by_entry(const void *va, const void *vz)
{
	const struct slurm_entry *a = va, *z = vz;

	return by_entry_name(a, z) ?: order_u64(a->line, z->line);
}

const struct ibc_slurm_line *slurm_line(const struct slurm_view *v, const char *name)
{
	const struct slurm_entry key = { .name = name };
	const struct slurm_entry *e = bsearch(&key, v->names, v->num_names, sizeof(key),
	                                      by_entry_name);

	return e ? &v->file->lines[e->line] : NULL;
}

/* In place, each once. */
static size_t sort_entries(struct slurm_entry *all, size_t n,
                           int (*order)(const void *a, const void *z))
{
	size_t kept = 0;

	qsort(all, n, sizeof(*all), by_entry);
	for (size_t i = 0; i < n; i++)
		if (!kept || order(&all[kept - 1], &all[i]) != 0)
			all[kept++] = all[i];
	return kept;
}

/* Down from each line, to where one is reached again that the walk came from: a ring. */
static void climb_down(struct slurm_view *v)
{
	enum { NEW, OPEN, DONE };
	const struct ibc_slurm_file *f = v->file;
	size_t *from = sink_array(v->out, f->num_lines + 1, sizeof(*from));
	size_t *next = sink_array(v->out, f->num_lines + 1, sizeof(*next));
	uint8_t *state = sink_array(v->out, f->num_lines + 1, sizeof(*state));

	v->up = sink_array(v->out, f->num_lines + 1, sizeof(*v->up));
	v->ring = sink_array(v->out, f->num_lines + 1, sizeof(*v->ring));
	for (size_t i = 0; i < f->num_lines; i++)
		for (size_t k = 0; k < f->lines[i].num_switches; k++) {
			const struct ibc_slurm_line *child = slurm_line(v, f->lines[i].switches[k]);

			v->num_undefined += !child;
			if (child && !v->up[child - f->lines])
				v->up[child - f->lines] = i + 1;
		}
	for (size_t start = 0; start < f->num_lines; start++)
		for (size_t at = start; state[at] != DONE;) {
			const struct ibc_slurm_line *line = &f->lines[at], *child;
			size_t below;

			state[at] = next[at] < line->num_switches ? OPEN : DONE;
			if (state[at] == DONE) {
				at = at == start ? at : from[at];
				continue;
			}
			child = slurm_line(v, line->switches[next[at]++]);
			below = child ? (size_t)(child - f->lines) : at;
			if (child && state[below] == OPEN) {
				for (size_t i = at; i != below; i = from[i])
					v->num_ring++;
				for (size_t i = at, n = v->num_ring++; i != below; i = from[i])
					v->ring[n--] = i;
				v->ring[0] = below;
				return;
			}
			if (child && state[below] == NEW) {
				from[below] = at;
				at = below;
			}
		}
}

struct slurm_view slurm_view(const struct ibc_input *in, struct ibc_sink *out)
{
	struct slurm_view v = { .out = out, .slurm = in->slurm, .file = in->slurm_file };
	const struct ibc_slurm_file *f = v.file;
	size_t nodes = 0;

	if (!f)
		return v;
	v.names = sink_array(v.out, f->num_lines + 1, sizeof(*v.names));
	for (size_t i = 0; i < f->num_lines; i++) {
		v.names[i] = (struct slurm_entry){ f->lines[i].name, i };
		nodes += f->lines[i].num_nodes;
	}
	v.num_names = sort_entries(v.names, f->num_lines, by_entry_name);
	v.hosts = sink_array(v.out, nodes + 1, sizeof(*v.hosts));
	for (size_t i = 0; i < f->num_lines; i++) {
		/* of a switch that is defined twice the first line counts for both */
		size_t line = (size_t)(slurm_line(&v, f->lines[i].name) - f->lines);

		for (size_t k = 0; k < f->lines[i].num_nodes; k++)
			v.hosts[v.num_hosts++] = (struct slurm_entry){ f->lines[i].nodes[k], line };
	}
	v.num_hosts = sort_entries(v.hosts, v.num_hosts, by_entry);
	climb_down(&v);
	return v;
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

void slurm_finding(const struct slurm_view *v, const char *kind, const char *file,
                   unsigned long number, const char *message, ...)
{
	struct ibc_subject subject = { .kind = IBC_SUBJECT_FABRIC };
	const char *text, *base = base_name(v->file->path);
	va_list ap;

	va_start(ap, message);
	text = sink_vtext(v->out, message, ap);
	va_end(ap);
	subject.near.desc = number ? sink_text(v->out, "%s:%lu", base_name(file), number) : base;
	sink_add(v->out, &subject, "%s: %s",
	         number ? sink_text(v->out, "%s, %s", base, place_text(v, file, number)) : base,
	         text);
	sink_fact(v->out, "kind", ibc_str(kind));
}
