/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What people type for nodes and ports, held against what these are called. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* How a typed name fits one that a node has, the closest first. */
enum name_fit {
	FIT_EXACT,
	FIT_FOLDED, /* but for the case, the model of a switch, the number of an HCA */
	FIT_SHORT,  /* and the domain, or it is the host of an HCA */
	FIT_WILD,   /* as fnmatch(3) reads it */
	FIT_NONE,
};

/*
 * struct reading - a text is a name, or a name and a port: "leaf07/22/2" is three things
 * @folded, @brief: forms of @name; NULL: it has none
 * @start:	    what is in every name that fits, but for FIT_EXACT, in some case
 * @port:	    NULL: the whole node
 * @label:	    @port can only be what is written on the cage, "leaf07 22/2"
 * @wild, @wild_port: each may fit several
 */
struct reading {
	const char *name, *folded, *brief, *start, *port;
	uint64_t guid;
	bool has_guid, label, wild, wild_port;
};

/* struct typed - all that a text can mean; the whole as one name comes first */
#define READINGS 5 /* the port's label may hold two slashes: "core1 L05/U1/1/13/2" */
struct typed {
	struct reading reading[READINGS];
	size_t n;
};

/* NULL: out of memory. */
const struct typed *typed_new(struct arena *arena, const char *whole);

enum name_fit name_fits(const struct reading *r, const char *name);
bool guid_fits(const struct reading *r, uint64_t guid);
bool port_fits(const struct reading *r, unsigned int num, const char *label);

/* struct called - what a node, or one of its ports, is called; NULL: not so */
#define CALLED_NAMES 3 /* label, name, description */
struct called {
	const char *names[CALLED_NAMES];
	uint64_t guid;
	const char *port_label;
	unsigned int port;
	bool has_guid, has_port;
};
/* Between the ends of a cable, as people type it and as its identity has it. */
#define SEPARATOR " - "
/* struct typed_cable - one way to cut "A - B" in two: names may hold the separator, too */
struct typed_cable {
	const struct typed_cable *next;
	const struct typed *first, *second;
};
/* All ways, NULL if there is none; false: out of memory. */
bool typed_cables(struct arena *arena, const char *whole, const struct typed_cable **out);
/* Are these its ends, whichever is written first? */
bool typed_fits_cable(const struct typed_cable *cables, const struct called *a,
                      const struct called *z);
/* Is it meant, by whatever reading?  A node's name means all its ports. */
bool typed_fits(const struct typed *t, const struct called *c);

/*
 * Numbers that two have in common if one is meant by the other: for many texts, sorted by theirs,
 * instead of each against each.
 *
 * Return: how many; 0: a text with wildcards, which has none.
 */
#define TYPED_KEYS  (READINGS * 4)
#define CALLED_KEYS (CALLED_NAMES * 4 + 1)
size_t typed_keys(const struct typed *t, uint64_t keys[TYPED_KEYS]);
size_t called_keys(const struct called *c, uint64_t keys[CALLED_KEYS]);
