/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "case/map.h"
#include "case/things.h"

/* What things can have in common: places, the smaller ones first, then classes. */
enum trait_kind {
	TRAIT_NONE, /* they are alike, and no more */
	TRAIT_HOST,
	TRAIT_SWITCH, /* ports of it, and what is cabled to it */
	TRAIT_CHASSIS,
	TRAIT_RACK,
	TRAIT_ROW,
	TRAIT_POD,
	TRAIT_MODEL, /* of a device, or of the two at the ends of a cable */
	TRAIT_PART,  /* of the cable, or of the module at an end, where the physical layer was read
	              */
	TRAIT_PSID,  /* of a device, or of one at an end; of one model */
	TRAIT_FIRMWARE,
	TRAIT_SPEED, /* of a link, for what its counters count */
	TRAITS,
};

/*
 * struct trait - one, of one thing
 * @value: of a speed enum ibc_speed
 * @number: of its tally, equal where it is the same
 * @node, @far: who has it, or is it; @far: of a pair of models, else NULL
 * @module: of a part, else NULL: which has its number
 */
struct trait {
	enum trait_kind kind;
	unsigned int value;
	size_t number;
	const struct ibc_node *node, *far;
	const struct ibc_module *module;
};
#define THING_TRAITS_MAX 20 /* two ends: six places, part, PSID, firmware; model, speed */

/*
 * struct tally - how many things there are that have a trait
 * @devices, @findings: of the bucket that group.c looks at, so many have it; @last: of these
 *	the last device; @behind: nodes that are named with them, and have it; @named: a group
 *	has it already
 */
struct tally {
	size_t links, nodes, devices, findings, last, behind;
	bool named;
};

/*
 * struct tallies - those of the traits that things with findings have
 * @number: of @list, by the key of a trait
 * @of_node: by node: what it shares with its links; made when it is asked for
 * @noted: all traits that count are there, and others are none
 */
struct tallies {
	const struct things *things;
	struct map number;
	struct tally *list;
	size_t room;
	struct node_traits *of_node;
	bool noted;
};

static inline bool is_class(enum trait_kind kind)
{
	return kind >= TRAIT_MODEL;
}

/* traits.c: counts for the traits of those findings. */
struct findings;
struct tallies tally_traits(const struct things *t, const struct findings *f);
/* All of a thing that count; their number. */
size_t traits_of(struct tallies *all, const struct thing *thing,
                 struct trait traits[THING_TRAITS_MAX]);
/* The device that it is part of: boards of a chassis, HCAs of a host; 0: it is one by itself. */
uint64_t device_id_of(const struct thing *thing);
bool is_about_link(const struct ibc_subject *subject);

/* What a place or a class is called: "leaf01", "A03", "MQM8700 and MT4115"; cut where it is long.
 */
#define TRAIT_TEXT 192
char *trait_text(const struct things *t, const struct trait *trait, char buf[TRAIT_TEXT]);
