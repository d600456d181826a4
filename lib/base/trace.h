/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* One line of a trace for each decision, where its topic was asked for. */
#include <stdbool.h>
#include <stddef.h>

#include <ibcheck/trace.h>

#define TRACE_LINE_MAX 512 /* longer ones are cut */

static inline bool trace_wants(const struct ibc_trace *trace, enum ibc_trace_topic topic)
{
	return trace && trace->topics & 1u << topic;
}

/* TRACE(tree->trace, IBC_TRACE_TREE, "%zu groups", n): the rest is not evaluated if unwanted. */
#define TRACE(trace, topic, ...)                                                                   \
	do {                                                                                       \
		if (__builtin_expect(trace_wants((trace), (topic)), 0))                            \
			trace_line((trace), (topic), __VA_ARGS__);                                 \
	} while (0)

void trace_line(const struct ibc_trace *trace, enum ibc_trace_topic topic, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));
