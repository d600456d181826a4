/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Where what leaves by a port can go on to, as the forwarding tables have it: of each LID that the
 * port is the way to, and that a host's route there crosses it, the entry of the switch at the far
 * end.  Routes are followed for LIDs of waiting ports alone, each switch once a LID: no more
 * steps than the tables have entries, however many ports wait.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

struct arena;

/* struct onward - @by: a bit each port of the switch at the far end; all, where it is not known */
struct onward {
	const struct ibc_port *port;
	bool known;
	uint64_t by[4];
};

/* Of @n ports with peers; those of subnets without tables, or with adaptive routing, get all. */
void onward_find(struct arena *a, const struct ibc_fabric *fab, struct onward *ports, size_t n);

static inline bool goes_on_by(const struct onward *o, unsigned int num)
{
	return o->by[num / 64 % 4] >> num % 64 & 1;
}
