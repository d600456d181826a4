/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Nodes of a plan that may be one, which some of its rows call by another name: the names are
 * alike, no port has a cable in the rows of both, and none joins them.
 *
 * Names one edit apart meet in what is left of them without a letter, so that no step looks at
 * all pairs: O(letters log letters).
 */
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

struct arena;

/* Called for a node that a row names, and another that it may be; more than once maybe. */
typedef void twin_note(void *ctx, const struct ibc_node *named, const struct ibc_node *other);

/*
 * @a: has an escape; what is left behind is freed with it
 * @counterpart: by node: what has one is no other name; NULL: any node may be
 */
void twins_find(struct arena *a, const struct ibc_fabric *plan, const uint32_t *counterpart,
                twin_note *note, void *ctx);
