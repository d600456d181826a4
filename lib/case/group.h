/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "case/explain.h"
#include "case/traits.h"

/*
 * struct group - findings of one check that are one case
 * @kind: what their things have in common; TRAIT_NONE: nothing
 * @values: each of it that counts, in the order of findings; of a class one
 * @things: how many there are, whatever they have
 * @devices: how many of them are put together; 0: one
 * @hosts: by alike.c, which has its words
 */
struct group {
	enum trait_kind kind;
	struct trait *values;
	size_t num_values, things, devices;
	bool hosts;
};

#define LIST_MIN 5 /* more than a screen should repeat */

/*
 * struct grouping - which finding speaks for which
 * @lead: by finding that has no cause: the first of its case
 * @group: by such a first one; NULL: it is one thing's
 */
struct grouping {
	size_t *lead;
	const struct group **group;
};

/* group.c: puts together what is alike. */
void group_findings(const struct things *t, const struct findings *f, struct grouping *out);
