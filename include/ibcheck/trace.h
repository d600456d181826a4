/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_TRACE_H
#define IBCHECK_TRACE_H

#pragma GCC visibility push(default)

/**
 * DOC: a trace of decisions
 *
 * Why a query was sent again, a cable was blamed, or was not: sources, analyses and checks report
 * it, a line a decision, to whoever asks.  The lines are for people who look into one run:
 * their words may change, and programs read findings and facts instead.
 */

enum ibc_trace_topic {
	IBC_TRACE_ENGINE,    /* MADs: sent, sent again, limits, breakers, the deadline */
	IBC_TRACE_DISCOVERY, /* devices, cables, LIDs, the parts of a sweep */
	IBC_TRACE_COUNTERS, /* what is read of a port; how counters are judged, and who is blamed */
	IBC_TRACE_TREE,     /* ranks, groups and rules of a tree, and what may be blamed by them */
	IBC_TRACE_MATCH,    /* which planned node is which found one */
	IBC_TRACE_ROUTES,   /* the steps of following routes */
};
#define IBC_TRACE_TOPICS 6 /* members of enum ibc_trace_topic */

struct ibc_word;
/* NULL past the last one. */
const struct ibc_word *ibc_trace_topic_word(enum ibc_trace_topic topic);

/**
 * struct ibc_trace - what gets the lines of a trace
 * @line: called with one line, without its end; what devices and files say is in it as they
 *	  say it; valid until the call returns
 * @ctx: for @line
 * @topics: set of 1 << enum ibc_trace_topic: what is reported; all else costs nothing
 */
struct ibc_trace {
	void (*line)(void *ctx, enum ibc_trace_topic topic, const char *text);
	void *ctx;
	unsigned int topics;
};

#pragma GCC visibility pop

#endif
