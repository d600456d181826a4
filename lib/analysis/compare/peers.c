/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/compare/peers.h"

#include <stdlib.h>

#include "base/array.h"

static int by_class(const void *va, const void *vz)
{
	const struct peer *a = va, *z = vz;

	return order_u64(a->subnet, z->subnet) ?: order_u64(a->class, z->class)
	    ?: order_u64(a->value, z->value) ?: order_u64(a->row, z->row);
}

void peers_sort(struct peer *peers, size_t n)
{
	if (n)
		qsort(peers, n, sizeof(*peers), by_class);
}

bool peers_next(const struct peer *peers, size_t n, struct peer_group *g)
{
	const struct peer *first = g->peers ? g->peers + g->num : peers, *end = peers + n;
	size_t same = 0;

	if (!n || first >= end)
		return false;
	g->peers = first;
	g->num = g->count = 0;
	for (const struct peer *p = first;
	     p < end && p->subnet == first->subnet && p->class == first->class; p++, g->num++) {
		same = p > first && p->value == p[-1].value ? same + 1 : 1;
		if (same > g->count) {
			g->count = same;
			g->norm = p->value;
		}
	}
	g->usual = g->num >= g->few && g->count * 100 >= g->num * g->percent;
	return true;
}
