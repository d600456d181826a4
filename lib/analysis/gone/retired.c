/* SPDX-License-Identifier: BSD-2-Clause */
/* What was taken away on purpose: names that were typed, and may be many, as the devices may. */
#include <stdlib.h>

#include "analysis/gone/parts.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/called.h"

/* struct name - one that was typed, read once */
struct name {
	const struct typed *end;
	const struct typed_cable *cables;
};

/* struct key - one of a name's keys: without it nothing is meant by that name */
struct key {
	uint64_t key;
	size_t name;
};

/* struct names - @keys: sorted, @wild: those without keys */
struct names {
	const struct ibc_gone *gone;
	struct name *all;
	struct key *keys;
	size_t *wild;
	size_t num_keys, room_keys, num_wild;
};

static int by_name_key(const void *va, const void *vz)
{
	const struct key *a = va, *z = vz;

	return order_u64(a->key, z->key);
}

static void add_keys(struct names *names, size_t i, const struct typed *typed)
{
	uint64_t keys[TYPED_KEYS];
	size_t n = typed_keys(typed, keys);

	for (size_t k = 0; k < n; k++) {
		arena_grow(names->gone->arena, &names->keys, names->num_keys, &names->room_keys,
		           sizeof(*names->keys));
		names->keys[names->num_keys++] = (struct key){ keys[k], i };
	}
}

static struct names read_names(const struct ibc_gone *g)
{
	struct names names = { .gone = g,
		               .all = arena_array(g->arena, g->num_retired + 1, sizeof(*names.all)),
		               .wild = arena_array(g->arena, g->num_retired + 1,
		                                   sizeof(*names.wild)) };
	uint64_t keys[TYPED_KEYS];

	for (size_t i = 0; i < g->num_retired; i++) {
		struct name *name = &names.all[i];

		name->end = typed_new(g->arena, g->retired[i].subject);
		typed_cables(g->arena, g->retired[i].subject, &name->cables);
		if (!typed_keys(name->end, keys)) {
			names.wild[names.num_wild++] = i;
			continue;
		}
		add_keys(&names, i, name->end);
		for (const struct typed_cable *c = name->cables; c; c = c->next)
			add_keys(&names, i, c->first);
	}
	if (names.num_keys)
		qsort(names.keys, names.num_keys, sizeof(*names.keys), by_name_key);
	return names;
}

/* A device, or with @far a cable, also by one of its ends. */
static bool retires_it(const struct names *names, size_t i, time_t seen, const struct called *near,
                       const struct called *far)
{
	const struct name *name = &names->all[i];

	return seen <= names->gone->retired[i].when &&
	       (typed_fits(name->end, near) ||
	        (far && (typed_fits(name->end, far) || typed_fits_cable(name->cables, near, far))));
}

static bool is_meant_by_key(const struct names *names, const struct called *one, time_t seen,
                            const struct called *near, const struct called *far)
{
	uint64_t keys[CALLED_KEYS];
	size_t n = called_keys(one, keys);

	for (size_t k = 0; k < n; k++) {
		const struct key wanted = { .key = keys[k] };
		size_t i = lower_bound(&wanted, names->keys, names->num_keys, sizeof(wanted),
		                       by_name_key);

		for (; i < names->num_keys && names->keys[i].key == keys[k]; i++)
			if (retires_it(names, names->keys[i].name, seen, near, far))
				return true;
	}
	return false;
}

static bool is_retired(const struct names *names, time_t seen, const struct called *near,
                       const struct called *far)
{
	if (names->num_keys && (is_meant_by_key(names, near, seen, near, far) ||
	                        (far && is_meant_by_key(names, far, seen, near, far))))
		return true;
	for (size_t i = 0; i < names->num_wild; i++)
		if (retires_it(names, names->wild[i], seen, near, far))
			return true;
	return false;
}

static struct called called_end(const struct gone_end *end)
{
	return (struct called){ .names = { end->name },
		                .guid = end->guid,
		                .has_guid = true,
		                .port = end->num,
		                .has_port = true };
}

void gone_retire(struct ibc_gone *g)
{
	struct names names = read_names(g);

	for (size_t i = 0; i < g->num_nodes; i++) {
		struct gone_node *n = &g->nodes[i];
		struct called called = { .names = { n->name, n->host },
			                 .guid = n->guid,
			                 .has_guid = true };

		if (!is_retired(&names, n->seen, &called, NULL))
			continue;
		n->was_retired = n->state == GONE_BACK && n->kept;
		if (n->state != GONE_BACK && n->state != GONE_REPLACED)
			n->state = GONE_RETIRED;
	}
	for (size_t i = 0; i < g->num_cables; i++) {
		struct gone_cable *c = &g->cables[i];
		struct called near = called_end(&c->a), far = called_end(&c->z);

		if (c->state != GONE_BACK && is_retired(&names, c->seen, &near, &far))
			c->state = GONE_RETIRED;
	}
	/* and what lies behind it */
	for (size_t i = 0; i < g->num_nodes; i++)
		if (g->nodes[i].state == GONE_AWAY && g->nodes[i].lead != i &&
		    g->nodes[g->nodes[i].lead].state == GONE_RETIRED)
			g->nodes[i].state = GONE_RETIRED;
}
