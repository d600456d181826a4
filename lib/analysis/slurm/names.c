/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the lines are called: leaves by their switches, pods and roots by number; each name once.
 */
#include <string.h>

#include "analysis/slurm/slurm.h"
#include "base/arena.h"
#include "base/error.h"

#define NAME_MAX_BYTES 63 /* a name is part of others in Slurm: less than of a host */
#define NUMBER_BYTES   8  /* "-" and a number that makes a name another */

/* struct taken - a name that a line has */
struct taken {
	const char *name;
	UT_hash_handle hh;
};

/* What a name may not have becomes one "-", and nothing at its ends. */
static char *reduce(struct arena *a, const char *label)
{
	char *name = arena_strdup(a, label), *to = name;

	if (!name)
		return NULL;
	for (const char *s = label; *s; s++) {
		if (*s != '-' && strchr(SLURM_NAME_BYTES, *s))
			*to++ = *s;
		else if (to > name && to[-1] != '-')
			*to++ = '-';
	}
	to -= to > name && to[-1] == '-';
	*to = '\0';
	return *name ? name : arena_strdup(a, "switch");
}

/* "leaf01-leaf02", and of more than fit "leaf01-and-7"; NULL: no memory. */
static const char *leaf_name(struct arena *a, const struct ibc_slurm_switch *line)
{
	char *name = reduce(a, line->switches[0]->label);
	const char *first = name;

	for (size_t i = 1; name && i < line->num_switches; i++) {
		const char *next = reduce(a, line->switches[i]->label);

		name = next ? arena_printf(a, "%s-%s", name, next) : NULL;
		if (name && strlen(name) > NAME_MAX_BYTES)
			return arena_printf(a, "%.*s-and-%zu", NAME_MAX_BYTES - 12, first,
			                    line->num_switches - 1);
	}
	return name && strlen(name) > NAME_MAX_BYTES ? arena_strndup(a, name, NAME_MAX_BYTES)
	                                             : name;
}

/* The name, or, if another line has it, with a number; NULL: no memory. */
static const char *take_name(struct slurm_work *w, struct taken **all, const char *name)
{
	struct taken *t;
	const char *one = name;

	for (size_t n = 2; one; n++) {
		HASH_FIND_STR(*all, one, t);
		if (!t)
			break;
		one = arena_printf(w->out->arena, "%.*s-%zu", NAME_MAX_BYTES - NUMBER_BYTES, name,
		                   n);
	}
	t = one ? arena_alloc(w->tmp, sizeof(*t)) : NULL;
	if (!t)
		return NULL;
	t->name = one;
	HASH_ADD_KEYPTR(hh, *all, t->name, strlen(t->name), t);
	return hash_added(t) ? one : NULL;
}

/* "pod3", "tier2-1", "root"; of several "root2" */
static const char *upper_name(struct arena *a, const struct ibc_slurm_switch *line, size_t number,
                              size_t roots)
{
	if (!line->up)
		return roots > 1 ? arena_printf(a, "root%zu", number) : "root";
	return line->tier == 1 ? arena_printf(a, "pod%zu", number)
	                       : arena_printf(a, "tier%u-%zu", line->tier, number);
}

static bool name_lines(struct slurm_work *w, struct taken **taken)
{
	struct ibc_slurm *s = w->out;
	size_t number[RANKS_MAX + 2] = { 0 }, root = 0, roots = 0;

	for (size_t i = s->num_leaves; i < s->num_lines; i++)
		roots += !s->lines[i].up;
	for (size_t i = 0; i < s->num_lines; i++) {
		struct ibc_slurm_switch *line = &s->lines[i];
		size_t *n = line->up ? &number[line->tier] : &root;
		const char *name = line->tier ? upper_name(s->arena, line, ++*n, roots)
		                              : leaf_name(s->arena, line);

		line->name = name ? take_name(w, taken, name) : NULL;
		if (!line->name)
			return false;
	}
	return true;
}

/* Each knows who is above it; names go there in order. */
static void name_children(struct ibc_slurm *s)
{
	for (size_t i = s->num_leaves; i < s->num_lines; i++)
		s->lines[i].num_children = 0;
	for (size_t i = 0; i < s->num_lines; i++) {
		struct ibc_slurm_switch *up = s->lines[i].up ? &s->lines[s->lines[i].up - s->lines]
		                                             : NULL;
		if (up)
			((const char **)up->children)[up->num_children++] = s->lines[i].name;
	}
}

bool slurm_names(struct slurm_work *w)
{
	struct taken *taken = NULL;
	bool ok = name_lines(w, &taken);

	HASH_CLEAR(hh, taken);
	if (ok)
		name_children(w->out);
	return ok;
}

/* ---- the whole ------------------------------------------------------------------------- */

int ibc_slurm_make(const struct ibc_fattree *tree, const struct ibc_slurm_opts *opts,
                   struct ibc_slurm **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct slurm_work w = { .tree = tree, .opts = opts, .tmp = arena_new() };
	bool ok;

	*out = w.out = arena ? arena_alloc(arena, sizeof(*w.out)) : NULL;
	if (w.out)
		w.out->arena = arena;
	else
		arena_free(arena);
	ok = w.out && w.tmp && slurm_hosts(&w) && slurm_leaves(&w) && slurm_pods(&w) &&
	     slurm_names(&w);
	arena_free(w.tmp);
	if (ok)
		return 0;
	ibc_slurm_free(*out);
	*out = NULL;
	return fail_nomem(err);
}

void ibc_slurm_free(struct ibc_slurm *slurm)
{
	if (!slurm)
		return;
	HASH_CLEAR(hh, slurm->nodes);
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
