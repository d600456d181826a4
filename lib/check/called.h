/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Nodes and ports by what other tools call them. */
#include <stdbool.h>
#include <stddef.h>

#include <ibcheck/fabric.h>
#include <ibcheck/report.h>

struct arena;
struct name_index;

struct places {
	struct ibc_place *all;
	size_t n, room;
};

struct name_index *name_index_new(struct arena *arena, const struct ibc_fabric *fab);
/* Adds the node, or those of its ports that the end names. */
void places_add(struct arena *arena, struct places *out, const struct ibc_node *node,
                const struct ibc_end *end);
/* Adds what is called so exactly; false: nothing is, or several things are. */
bool name_find(struct arena *arena, const struct name_index *names, const char *text,
               const struct ibc_end *end, struct places *out);
