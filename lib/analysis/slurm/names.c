/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the lines are called: leaves by their switches, pods and roots by number; each name once.
 */
#include <string.h>

#include "analysis/slurm/slurm.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"

#define NAME_MAX_BYTES 63 /* a name is part of others in Slurm: less than of a host */
#define NUMBER_BYTES   8  /* "-" and a number that makes a name another */

/* What a name may not have becomes one "-", and nothing at its ends. */
static char *reduce(struct arena *a, const char *label)
{
	char *name = arena_strdup(a, label), *to = name;

	for (const char *s = label; *s; s++)
		if (*s != '-' && strchr(SLURM_NAME_BYTES, *s))
			*to++ = *s;
		else if (to > name && to[-1] != '-')
			*to++ = '-';
	to -= to > name && to[-1] == '-';
	*to = '\0';
	return *name ? name : arena_strdup(a, "switch");
}

/* "leaf01-leaf02", and of more than fit "leaf01-and-7". */
static const char *leaf_name(struct arena *a, const struct ibc_slurm_switch *line)
{
	const char *first = reduce(a, line->switches[0]->label), *name = first;

	for (size_t i = 1; i < line->num_switches; i++) {
		name = arena_printf(a, "%s-%s", name, reduce(a, line->switches[i]->label));
		if (strlen(name) > NAME_MAX_BYTES)
			return arena_printf(a, "%.*s-and-%zu", NAME_MAX_BYTES - 12, first,
			                    line->num_switches - 1);
	}
	return arena_strndup(a, name, NAME_MAX_BYTES);
}

/* The place of a name in a table of names that is never full: itself, or one that is free. */
static const char **name_slot(const char **names, size_t room, const char *name)
{
	size_t i = hash_of_text(name) % room;

	while (names[i] && strcmp(names[i], name) != 0)
		i = (i + 1) % room;
	return &names[i];
}

void slurm_names(struct slurm_work *w)
{
	struct ibc_slurm *s = w->out;
	size_t number[RANKS_MAX + 2] = { 0 }, root = 0, roots = 0, room = 2 * s->num_lines + 1;
	const char **taken = arena_array(w->tmp, room, sizeof(*taken));

	for (size_t i = s->num_leaves; i < s->num_lines; i++) {
		roots += !s->lines[i].up;
		s->lines[i].num_children = 0;
	}
	for (size_t i = 0; i < s->num_lines; i++) {
		struct ibc_slurm_switch *line = &s->lines[i];
		size_t *n = line->up ? &number[line->tier] : &root;
		const char *name;

		*n += line->tier > 0;
		if (!line->tier)
			name = leaf_name(s->arena, line);
		else if (!line->up)
			name = roots > 1 ? arena_printf(s->arena, "root%zu", *n) : "root";
		else if (line->tier == 1)
			name = arena_printf(s->arena, "pod%zu", *n);
		else
			name = arena_printf(s->arena, "tier%u-%zu", line->tier, *n);
		line->name = name;
		for (size_t k = 2; *name_slot(taken, room, line->name); k++)
			line->name = arena_printf(s->arena, "%.*s-%zu",
			                          NAME_MAX_BYTES - NUMBER_BYTES, name, k);
		*name_slot(taken, room, line->name) = line->name;
	}
	/* each knows who is above it; names go there in order */
	for (size_t i = 0; i < s->num_lines; i++)
		if (s->lines[i].up) {
			struct ibc_slurm_switch *up = &s->lines[s->lines[i].up - s->lines];

			((const char **)up->children)[up->num_children++] = s->lines[i].name;
		}
}

/* ---- the whole ------------------------------------------------------------------------- */

int ibc_slurm_make(const struct ibc_fattree *tree, const struct ibc_slurm_opts *opts,
                   struct ibc_slurm **out, struct ibc_error *err)
{
	struct arena *arena = arena_new(), *tmp = arena_new();
	struct slurm_work w = { .tree = tree, .opts = opts, .tmp = tmp };

	*out = NULL;
	if (!arena || !tmp || setjmp(*arena_entry(arena))) {
		arena_free(arena);
		arena_free(tmp);
		return fail_nomem(err);
	}
	arena_escape(tmp, arena_entry(arena));
	w.out = arena_alloc(arena, sizeof(*w.out));
	w.out->arena = arena;
	slurm_hosts(&w);
	slurm_leaves(&w);
	slurm_pods(&w);
	slurm_names(&w);
	arena_escape(arena, NULL);
	arena_free(tmp);
	*out = w.out;
	return 0;
}

void ibc_slurm_free(struct ibc_slurm *slurm)
{
	if (slurm)
		arena_free(slurm->arena);
}

const struct ibc_slurm_switch *ibc_slurm_switch(const struct ibc_slurm *s, size_t i)
{
	return i < s->num_lines ? &s->lines[i] : NULL;
}

const struct ibc_slurm_host *ibc_slurm_host(const struct ibc_slurm *s, size_t i)
{
	return i < s->num_hosts ? &s->hosts[i] : NULL;
}

const struct ibc_port *ibc_slurm_nameless(const struct ibc_slurm *s, size_t i)
{
	return i < s->num_nameless ? s->nameless[i] : NULL;
}

const char *const *ibc_slurm_missing(const struct ibc_slurm *s, size_t *n)
{
	*n = s->num_missing;
	return s->missing;
}
