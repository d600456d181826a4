/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CASE_TRAITS_H
#define CASE_TRAITS_H

#include "case/things.h"

/* What things can have in common: places, the smaller ones first, then classes. */
enum trait_kind {
	TRAIT_NONE, /* they are alike, and no more */
	TRAIT_HOST,
	TRAIT_SWITCH, /* ports of it, and what is cabled to it */
	TRAIT_CHASSIS,
	TRAIT_RACK,
	TRAIT_MODEL, /* of a device, or of the two at the ends of a cable */
	TRAITS,
};

/*
 * struct trait - one, of one thing
 * @key: equal where it is the same
 * @node, @far: who has it, or is it; @far: of a pair of models, else NULL
 */
struct trait {
	enum trait_kind kind;
	uint64_t key;
	const struct ibc_node *node, *far;
};
#define THING_TRAITS_MAX 16 /* two ends of four kinds of places, a model, and room */

/* traits.c: all of a finding's thing; their number. */
size_t traits_of(const struct things *t, const struct ibc_subject *subject,
                 struct trait traits[THING_TRAITS_MAX]);
/* The device that it is part of: boards of a chassis, HCAs of a host; 0: it is one by itself. */
uint64_t device_id_of(const struct things *t, const struct ibc_subject *subject);
bool is_about_link(const struct ibc_subject *subject);

/* What a place or a class is called: "leaf01", "A03", "MQM8700 and MT4115"; cut where it is long.
 */
#define TRAIT_TEXT 192
char *trait_text(const struct things *t, const struct trait *trait, char buf[TRAIT_TEXT]);

/* struct tally - how many things there are that have a trait */
struct tally {
	uint64_t key;
	size_t links, nodes;
};
struct tallies {
	struct tally *slots; /* a hash table; key 0: free */
	size_t mask, n;
};

/* Counts for the traits of those findings; false: no memory. */
struct findings;
bool tally_traits(const struct things *t, const struct findings *f, struct tallies *out);
const struct tally *find_tally(const struct tallies *tallies, uint64_t key);

#endif
