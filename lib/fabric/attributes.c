/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/attributes.h"

#include <strings.h>

enum { NODE = 1, PORT = 2, BOTH = NODE | PORT };

static const struct attribute_row {
	const char *name;
	uint8_t keys[ATTR_KEYS];
} rows[IBC_ATTR_COUNT] = {
	[IBC_ATTR_NONE] = { .name = "unknown" },
#define ATTRIBUTE(id, name, class, of, group, optional)                                            \
	[IBC_ATTR_##id] = { name, { ATTR_##class, IBC_ATTRS_##group, optional } },
#include "fabric/attributes.def"
};

/* ---- the bits of answers ------------------------------------------------------------- */

/*
 * Few attributes belong to a node, and few to a port, so that 64 bits do for either: this
 * is what every port of a large fabric has.  A row without a bit leaves its place to the next.
 */
enum place {
	ROW_NONE,
#define ATTRIBUTE(id, name, class, of, group, optional) ROW_##id,
#include "fabric/attributes.def"
	ROWS,
	NODES_BEGIN = -1,
#define ATTRIBUTE(id, name, class, of, group, optional)                                            \
	NODE_##id, NODE_##id##_END = NODE_##id - !((of)&NODE),
#include "fabric/attributes.def"
	NODE_PLACES,
	PORTS_BEGIN = -1,
#define ATTRIBUTE(id, name, class, of, group, optional)                                            \
	PORT_##id, PORT_##id##_END = PORT_##id - !((of)&PORT),
#include "fabric/attributes.def"
	PORT_PLACES,
};
_Static_assert((int)ROWS == (int)IBC_ATTR_COUNT, "an attribute without a row");
_Static_assert(NODE_PLACES <= 64 && PORT_PLACES <= 64, "struct ibc_answers is full");

const uint64_t attr_node_bits[IBC_ATTR_COUNT] = {
#define ATTRIBUTE(id, name, class, of, group, optional)                                            \
	[IBC_ATTR_##id] = (of)&NODE ? UINT64_C(1) << NODE_##id : 0,
#include "fabric/attributes.def"
};

const uint64_t attr_port_bits[IBC_ATTR_COUNT] = {
#define ATTRIBUTE(id, name, class, of, group, optional)                                            \
	[IBC_ATTR_##id] = (of)&PORT ? UINT64_C(1) << PORT_##id : 0,
#include "fabric/attributes.def"
};

const uint64_t attr_node_optional =
#define ATTRIBUTE(id, name, class, of, group, optional)                                            \
	((of)&NODE && (optional) ? UINT64_C(1) << NODE_##id : 0) |
#include "fabric/attributes.def"
    0;

const uint64_t attr_port_optional =
#define ATTRIBUTE(id, name, class, of, group, optional)                                            \
	((of)&PORT && (optional) ? UINT64_C(1) << PORT_##id : 0) |
#include "fabric/attributes.def"
    0;

struct ibc_attrs attrs_from_bits(uint64_t from, const uint64_t bits[IBC_ATTR_COUNT])
{
	struct ibc_attrs set = IBC_ATTRS();

	for (unsigned int i = 0; from && i < IBC_ATTR_COUNT; i++) {
		if (from & bits[i])
			ibc_attrs_add(&set, i);
		from &= ~bits[i];
	}
	return set;
}

uint64_t attrs_to_bits(struct ibc_attrs set, const uint64_t bits[IBC_ATTR_COUNT])
{
	uint64_t to = 0;

	for (enum ibc_attr a = 0; (a = ibc_attrs_next(set, a));)
		to |= bits[a];
	return to;
}

/* ---- sets ------------------------------------------------------------------------------ */

struct ibc_attrs attrs_where(enum attr_key key, unsigned int value)
{
	struct ibc_attrs set = IBC_ATTRS();

	for (unsigned int i = IBC_ATTR_NONE + 1; i < IBC_ATTR_COUNT; i++)
		if (rows[i].keys[key] == value)
			ibc_attrs_add(&set, i);
	return set;
}

struct ibc_attrs ibc_attrs_of_group(enum ibc_attr_group group)
{
	return attrs_where(ATTR_GROUP, group);
}

struct ibc_attrs ibc_attrs_complete(struct ibc_attrs set)
{
	if (!ibc_attrs_meet(set, attrs_where(ATTR_CLASS, ATTR_PMA)))
		return set;
	return ibc_attrs_or(set, ibc_attrs_of_group(IBC_ATTRS_COUNTERS));
}

enum ibc_attr ibc_attrs_next(struct ibc_attrs set, enum ibc_attr attr)
{
	unsigned int from = attr + 1u, word = from / 64;
	uint64_t rest = word < 2 ? set.bits[word] >> from % 64 << from % 64 : 0;

	if (!rest && word == 0)
		rest = set.bits[++word];
	return rest ? word * 64 + (unsigned int)__builtin_ctzll(rest) : IBC_ATTR_NONE;
}

unsigned int ibc_attrs_count(struct ibc_attrs set)
{
	return (unsigned int)(__builtin_popcountll(set.bits[0]) +
	                      __builtin_popcountll(set.bits[1]));
}

/* ---- names ----------------------------------------------------------------------------- */

const char *ibc_attr_name(enum ibc_attr attr)
{
	return rows[attr < IBC_ATTR_COUNT ? attr : IBC_ATTR_NONE].name;
}

enum ibc_attr attr_of(const char *name)
{
	unsigned int i = IBC_ATTR_COUNT - 1;

	while (i != IBC_ATTR_NONE && strcasecmp(rows[i].name, name) != 0)
		i--;
	return i;
}
