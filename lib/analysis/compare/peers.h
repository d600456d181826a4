/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Who has another value than most of its like: sorted into classes, each with the value that most
 * of it have.
 *
 *	struct peer_group g = { .few = 4, .percent = 60 };
 *
 *	peers_sort(peers, n);
 *	while (peers_next(peers, n, &g))
 *		for (size_t i = 0; g.usual && i < g.num; i++)
 *			if (g.peers[i].value != g.norm)
 *				...
 *
 * O(n log n).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* struct peer - one that is compared, with those of its subnet and class; @row: what it is */
struct peer {
	uint64_t subnet, class, value;
	size_t row;
};

/*
 * struct peer_group - begins as zeros, but for @few and @percent
 * @few: of fewer none is usual; @percent: that must have a value which is
 * @peers, @num: of one class, in the order of their values, then of their rows
 * @norm: the value that most have, of several the least; @count: that have it
 * @usual: these are enough
 */
struct peer_group {
	size_t few;
	unsigned int percent;
	const struct peer *peers;
	size_t num, count;
	uint64_t norm;
	bool usual;
};

/* peers.c: by subnet, class, value and row */
void peers_sort(struct peer *peers, size_t n);
/* The next class; false: there is none. */
bool peers_next(const struct peer *peers, size_t n, struct peer_group *g);
