/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKTRACE_H
#define MKTRACE_H

/*
 * A trace that is kept, a line each behind the word of its topic:
 *
 *	struct mktrace t;
 *
 *	mktrace_start(&t);
 *	opts.trace = &t.trace;
 *	...
 *	assert_traced(&t, "engine: limit halved to 2");
 *	mktrace_free(&t);
 *
 * The trace points to where its text is: t stays where it is from the first use on.
 * Include it after <cmocka.h>.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/trace.h>
#include <ibcheck/types.h>

struct mktrace {
	struct ibc_trace trace;
	char *text;
};

static inline void mktrace_line(void *ctx, enum ibc_trace_topic topic, const char *text)
{
	char **all = ctx;
	char *more;

	assert_true(asprintf(&more, "%s%s: %s\n", *all ? *all : "",
	                     ibc_trace_topic_word(topic)->word, text) > 0);
	free(*all);
	*all = more;
}

/* Of all topics. */
static inline void mktrace_start(struct mktrace *t)
{
	*t = (struct mktrace){ .trace = { mktrace_line, &t->text, UINT32_MAX } };
}

static inline void mktrace_free(struct mktrace *t)
{
	free(t->text);
}

static inline void assert_traced(const struct mktrace *t, const char *part)
{
	if (!t->text || !strstr(t->text, part))
		fail_msg("\"%s\" is not in:\n%s", part, t->text ? t->text : "nothing");
}

#endif
