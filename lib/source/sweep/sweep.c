/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of a sweep have in common: time that is left, memory, and whose turn it is. */
#include "source/sweep/sweep.h"

#include "base/arena.h"
#include "source/source.h"
#include "transport/transport.h"

uint64_t sweep_now_ns(const struct sweep *s)
{
	return s->transport->ops->now_ns(s->transport);
}

double sweep_spent_seconds(const struct sweep *s)
{
	const struct ibc_subnet *subnet;
	double sum = 0;

	for (size_t i = 0; (subnet = fabric_build_subnet_at(s->b, i)); i++)
		sum += subnet->sweep.duration_seconds;
	return sum;
}

uint64_t sweep_left_ns(const struct sweep *s)
{
	const struct ibc_source_opts *opts = s->opts;
	double left = opts->deadline_seconds - sweep_spent_seconds(s);

	if (opts->deadline_seconds <= 0)
		return 0;
	if (opts->again)
		left -= opts->again->spent_seconds;
	return left > 1e-9 ? (uint64_t)(left * 1e9) : 1;
}

bool sweep_has_time(const struct sweep *s, uint64_t ns)
{
	uint64_t left_ns = sweep_left_ns(s);

	return !left_ns || left_ns / 2 > ns / 2 + s->opts->timeout_ms * 500000ull;
}

bool sweep_wants(const struct sweep *s, const struct sweep_part *part)
{
	return ibc_attrs_is_empty(part->of) || ibc_attrs_meet(part->of, s->needs);
}

void *sweep_alloc(struct sweep *s, size_t n, size_t size)
{
	return arena_array(s->scratch, n, size);
}

void *sweep_keep(struct sweep *s, size_t n, size_t size)
{
	return arena_array(fabric_build_arena(s->b), n, size);
}

static bool is_due(const struct sweep *s, const struct sweep_part *part)
{
	return (s->counting || !part->put_off) && sweep_wants(s, part);
}

void sweep_at_node(struct sweep *s, struct device *dev)
{
	for (size_t i = 0; i < s->num_parts; i++)
		if (s->parts[i].at_node && is_due(s, &s->parts[i]))
			s->parts[i].at_node(s, dev);
}

void sweep_at_port(struct sweep *s, struct device *dev, struct ibc_port *port)
{
	for (size_t i = 0; i < s->num_parts; i++)
		if (s->parts[i].at_port && is_due(s, &s->parts[i]))
			s->parts[i].at_port(s, dev, port);
}
