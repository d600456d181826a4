/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/trace.h"

#include <stdarg.h>
#include <stdio.h>

#include <ibcheck/types.h>

#include "base/array.h"

static const struct ibc_word topics[IBC_TRACE_TOPICS] = {
	[IBC_TRACE_ENGINE] = { "engine", "queries" },
	[IBC_TRACE_DISCOVERY] = { "discovery", "devices, cables and LIDs" },
	[IBC_TRACE_COUNTERS] = { "counters", "counters read, and judged" },
	[IBC_TRACE_TREE] = { "tree", "the tree that is inferred" },
	[IBC_TRACE_MATCH] = { "match", "which planned node is which" },
	[IBC_TRACE_ROUTES] = { "routes", "routes that are followed" },
};

const struct ibc_word *ibc_trace_topic_word(enum ibc_trace_topic topic)
{
	return topic < ARRAY_SIZE(topics) ? &topics[topic] : NULL;
}

void trace_line(const struct ibc_trace *trace, enum ibc_trace_topic topic, const char *format, ...)
{
	char text[TRACE_LINE_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	trace->line(trace->ctx, topic, text);
}
