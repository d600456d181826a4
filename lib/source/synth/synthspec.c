/* SPDX-License-Identifier: BSD-2-Clause */
/* "synth:SHAPE:KEY=VALUE,...": what fabric by formula is wanted. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "base/words.h"
#include "source/synth/synth.h"

#define PREFIX     "synth:"
#define PORTS_MAX  254    /* NodeInfo.NumPorts; 255 is the permissive port (IBA 14.2.5.3) */
#define PLANES_MAX 8      /* of one HCA: twice as many as there are (a guess) */
#define LIDS_MAX   0xbfff /* unicast LIDs 1 .. 0xbfff (IBA 4.1) */

static const char *const kinds[] = {
	[SYNTH_FATTREE] = "fattree",
	[SYNTH_TORUS] = "torus",
	[SYNTH_HYPERX] = "hyperx",
	[SYNTH_DRAGONFLY] = "dragonfly",
	[SYNTH_DRAGONFLY_PLUS] = "dragonfly-plus",
};

/* Which shapes take a key; fat-trees differ by their levels. */
enum {
	TREES = 1 << SYNTH_FATTREE,
	LATTICES = 1 << SYNTH_TORUS | 1 << SYNTH_HYPERX,
	PLAIN = 1 << SYNTH_DRAGONFLY,
	PLUS = 1 << SYNTH_DRAGONFLY_PLUS,
	ALL = TREES | LATTICES | PLAIN | PLUS,
};

/* For which number of levels a key is needed, or may not be given. */
enum { NEEDED_BY_2 = 1, NEEDED_BY_3 = 2, NEEDED = 3, NOT_FOR_2 = 4 };

static int read_speed(struct shape *shape, const char *value, struct ibc_error *err);
static int read_size(struct shape *shape, const char *value, struct ibc_error *err);

/* struct synth_key - one of a number, or one that is read by a function */
static const struct synth_key {
	const char *name;
	unsigned int shapes;
	size_t offset;
	uint64_t min, max, fallback;
	unsigned int rule;
	int (*read)(struct shape *shape, const char *value, struct ibc_error *err);
} keys[] = {
	{ "levels", TREES, offsetof(struct shape, levels), 2, 3, 2, 0, NULL },
	{ "pods", TREES, offsetof(struct shape, pods), 1, PORTS_MAX, 1, NEEDED_BY_3 | NOT_FOR_2,
	  NULL },
	{ "size", LATTICES, 0, 0, 0, 0, NEEDED, read_size },
	{ "groups", PLAIN | PLUS, offsetof(struct shape, pods), 3, LIDS_MAX, 1, NEEDED, NULL },
	{ "switches", PLAIN, offsetof(struct shape, leaves), 2, PORTS_MAX, 0, NEEDED, NULL },
	{ "leaves", TREES | PLUS, offsetof(struct shape, leaves), 1, PORTS_MAX, 0, NEEDED, NULL },
	{ "spines", TREES | PLUS, offsetof(struct shape, spines), 1, PORTS_MAX, 0, NEEDED, NULL },
	{ "links", PLAIN | PLUS, offsetof(struct shape, links), 1, PORTS_MAX, 0, NEEDED, NULL },
	{ "uplinks", TREES, offsetof(struct shape, uplinks), 1, PORTS_MAX, 0,
	  NEEDED_BY_3 | NOT_FOR_2, NULL },
	{ "hosts", ALL, offsetof(struct shape, hosts), 1, PORTS_MAX, 0, NEEDED, NULL },
	{ "cables", ALL, offsetof(struct shape, cables), 1, PORTS_MAX, 1, 0, NULL },
	{ "rails", TREES, offsetof(struct shape, rails), 1, PORTS_MAX, 1, 0, NULL },
	{ "planes", TREES, offsetof(struct shape, planes), 1, PLANES_MAX, 1, 0, NULL },
	{ "radix", ALL, offsetof(struct shape, radix), 1, PORTS_MAX, 0, 0, NULL },
	{ "seed", ALL, offsetof(struct shape, seed), 0, UINT64_MAX, 0, 0, NULL },
	{ "speed", ALL, 0, 0, 0, 0, 0, read_speed },
};

/* ---- one key -------------------------------------------------------------- */

static uint64_t *field(struct shape *shape, const struct synth_key *key)
{
	return (uint64_t *)((char *)shape + key->offset);
}

static bool takes(const struct shape *shape, const struct synth_key *key)
{
	return key->shapes & 1u << shape->kind;
}

static int read_speed(struct shape *shape, const char *value, struct ibc_error *err)
{
	shape->speed = speed_of(value);
	if (shape->speed == IBC_SPEED_UNKNOWN)
		return fail(
		    err, -EINVAL,
		    "synth: speed=%s is not one of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR",
		    value);
	return 0;
}

/* "4x4x3" */
static int read_size(struct shape *shape, const char *value, struct ibc_error *err)
{
	const char *at = value, *end;
	char number[8];

	shape->leaves = 1;
	for (;; at = end + 1) {
		end = strchrnul(at, 'x');
		if (shape->dims == SYNTH_DIMS_MAX ||
		    !str_cut(number, sizeof(number), at, (size_t)(end - at)) ||
		    str_u64(number, 2, PORTS_MAX, &shape->size[shape->dims]))
			return fail(err, -EINVAL,
			            "synth: size=%s is not up to %d numbers from 2 to %d, as 4x4x3",
			            value, SYNTH_DIMS_MAX, PORTS_MAX);
		shape->leaves *= shape->size[shape->dims++];
		if (shape->leaves > LIDS_MAX)
			return fail(err, -EINVAL,
			            "synth: size=%s is more switches than a subnet has LIDs",
			            value);
		if (!*end)
			return 0;
	}
}

/* One "key=value" of length bytes. */
static int read_pair(struct shape *shape, const char *pair, size_t length, struct ibc_error *err)
{
	const char *equals = memchr(pair, '=', length);
	size_t name_length = equals ? (size_t)(equals - pair) : length;
	const struct synth_key *key = keys, *end = keys + ARRAY_SIZE(keys);
	char value[32] = "", known[128];
	size_t used = 0;
	int written;

	while (key < end && (!takes(shape, key) || strlen(key->name) != name_length ||
	                     memcmp(key->name, pair, name_length) != 0))
		key++;
	for (size_t i = 0; key == end && i < ARRAY_SIZE(keys); i++)
		if (takes(shape, &keys[i]))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
			                         used ? ", " : "", keys[i].name);
	if (key == end)
		return fail(err, -EINVAL, "synth: unknown key \"%.*s\"; known are %s",
		            name_length > 40 ? 40 : (int)name_length, pair, known);
	if (shape->given & 1u << (key - keys))
		return fail(err, -EINVAL, "synth: %s= is given twice", key->name);
	shape->given |= 1u << (key - keys);
	written = equals ? snprintf(value, sizeof(value), "%.*s", (int)(length - name_length - 1),
	                            equals + 1)
	                 : 0;
	if (key->read && written >= (int)sizeof(value))
		return fail(err, -EINVAL, "synth: %s=%s... is too long", key->name, value);
	if (key->read)
		return key->read(shape, value, err);
	if (written >= (int)sizeof(value) || str_u64(value, key->min, key->max, field(shape, key)))
		return fail(err, -EINVAL, "synth: %s=%s is not a number from %llu to %llu",
		            key->name, value, (unsigned long long)key->min,
		            (unsigned long long)key->max);
	return 0;
}

/* ---- all of them ----------------------------------------------------------- */

/* Are the right keys there for this shape, and this number of levels? */
static int check_keys(const struct shape *shape, struct ibc_error *err)
{
	unsigned int needed = shape->levels == 2 ? NEEDED_BY_2 : NEEDED_BY_3;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		bool given = shape->given & 1u << i;

		if (!given && takes(shape, &keys[i]) && (keys[i].rule & needed))
			return fail(err, -EINVAL, "synth: %s= is missing", keys[i].name);
		if (given && (keys[i].rule & NOT_FOR_2) && shape->levels == 2)
			return fail(err, -EINVAL, "synth: %s= needs levels=3", keys[i].name);
	}
	if (shape->leaves % shape->rails)
		return fail(err, -EINVAL, "synth: leaves=%llu is not a multiple of rails=%llu",
		            (unsigned long long)shape->leaves, (unsigned long long)shape->rails);
	return 0;
}

static uint64_t group_links(const struct shape *s)
{
	return s->links * (s->kind == SYNTH_DRAGONFLY_PLUS ? s->spines : s->leaves);
}

uint64_t synth_along(const struct shape *s, unsigned int dim)
{
	if (s->kind == SYNTH_DRAGONFLY && dim == 0)
		return 0;
	if (s->kind == SYNTH_TORUS)
		return s->size[dim] == 2 ? 1 : 2;
	return s->size[dim] - 1;
}

uint64_t synth_leaf_ports(const struct shape *s)
{
	uint64_t others = s->dims ? 0 : s->spines;

	for (unsigned int d = 0; d < s->dims; d++)
		others += synth_along(s, d);
	return s->hosts + others * s->cables + (s->kind == SYNTH_DRAGONFLY ? s->links : 0);
}

uint64_t synth_spine_ports(const struct shape *s)
{
	return s->leaves * s->cables + s->uplinks + s->links;
}

uint64_t synth_switches(const struct shape *s)
{
	return s->planes * (s->pods * (s->leaves + s->spines) + s->spines * s->uplinks);
}

uint64_t synth_nodes(const struct shape *s)
{
	return synth_switches(s) + s->planes * s->pods * s->leaves * s->hosts;
}

/* Does it fit switches and a subnet as they are? */
static int check_limits(const struct shape *s, struct ibc_error *err)
{
	bool tree = s->kind == SYNTH_FATTREE, plus = s->kind == SYNTH_DRAGONFLY_PLUS;
	const struct {
		const char *name, *sum;
		uint64_t ports;
	} tiers[] = {
		{ s->dims ? "switch" : "leaf",
		  s->dims ? "hosts, neighbours, links" : "hosts + spines * cables",
		  synth_leaf_ports(s) },
		{ "spine", tree ? "leaves * cables + uplinks" : "leaves * cables + links",
		  tree || plus ? synth_spine_ports(s) : 0 },
		{ "core", "pods", s->uplinks ? s->pods : 0 },
	};

	if (s->links && group_links(s) < s->pods - 1)
		return fail(err, -EINVAL,
		            "synth: groups=%llu: the %llu links of a group do not reach "
		            "all others",
		            (unsigned long long)s->pods, (unsigned long long)group_links(s));
	for (size_t i = 0; i < ARRAY_SIZE(tiers); i++) {
		if (tiers[i].ports > PORTS_MAX)
			return fail(err, -EINVAL,
			            "synth: a %s needs %llu ports (%s), a switch has at most %d",
			            tiers[i].name, (unsigned long long)tiers[i].ports, tiers[i].sum,
			            PORTS_MAX);
		if (s->radix && tiers[i].ports > s->radix)
			return fail(err, -EINVAL, "synth: radix=%llu: a %s needs %llu ports (%s)",
			            (unsigned long long)s->radix, tiers[i].name,
			            (unsigned long long)tiers[i].ports, tiers[i].sum);
	}
	if (synth_nodes(s) > LIDS_MAX)
		return fail(err, -EINVAL, "synth: %llu nodes need a LID each, a subnet has %d",
		            (unsigned long long)synth_nodes(s), LIDS_MAX);
	return 0;
}

int synth_read(struct shape *shape, const char *spec, struct ibc_error *err)
{
	const char *name = spec + strlen(PREFIX), *pair = NULL, *end;
	int rc;

	*shape = (struct shape){ .speed = IBC_SPEED_EDR };
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !strncmp(spec, PREFIX, strlen(PREFIX)); i++) {
		size_t length = strlen(kinds[i]);

		if (!strncmp(name, kinds[i], length) && name[length] == ':') {
			shape->kind = (enum synth_kind)i;
			pair = name + length + 1;
		}
	}
	if (!pair)
		return fail(err, -EINVAL,
		            "%.60s: expected \"" PREFIX "SHAPE:KEY=N,...\" with the shape fattree, "
		            "torus, hyperx, dragonfly or dragonfly-plus",
		            spec);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].max)
			*field(shape, &keys[i]) = keys[i].fallback;
	for (; *pair; pair = *end ? end + 1 : end) {
		end = strchrnul(pair, ',');
		rc = read_pair(shape, pair, (size_t)(end - pair), err);
		if (rc)
			return rc;
	}
	rc = check_keys(shape, err);
	if (rc == 0 && shape->kind == SYNTH_DRAGONFLY) {
		shape->size[0] = shape->pods;
		shape->size[1] = shape->leaves;
		shape->dims = 2;
	}
	return rc ? rc : check_limits(shape, err);
}
