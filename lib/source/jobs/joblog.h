/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Lines of jobs and kernels: joblog.c reads files and keeps events, joblogscan.c finds the lines in
 * them, joblogforms.c is the table of their forms, joblogline.c what stands in front of a line,
 * lib/base/joblogwords.c has the words of all that.
 */
#include <ibcheck/joblog.h>

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/jsonread.h"

#define LOG_NAME_MAX 255 /* bytes of a host, the longest of names (RFC 1035 2.3.4) */

/* Words, one of which is in every line that has a form. */
#define LOG_EACH_ANCHOR(X)                                                                         \
	X(NET_IB, "NET/IB")                                                                        \
	X(NET_SOCKET, "NET/Socket")                                                                \
	X(UCX, "ib_mlx5_log.c")                                                                    \
	X(UCX_EVENT, "IB Async event on")                                                          \
	X(OPENIB, "btl_openib_component.c")                                                        \
	X(MVAPICH, "code=0x")                                                                      \
	X(FI, "fi_cq_readerr")                                                                     \
	X(LUSTRE, "o2iblnd")                                                                       \
	X(GPFS, "VERBS RDMA")                                                                      \
	X(RPCRDMA, "rpcrdma:")                                                                     \
	X(SVCRDMA, "svcrdma:")                                                                     \
	X(MLX5, "mlx5_core")                                                                       \
	X(MLX4, "mlx4_core")                                                                       \
	X(WC_ERROR, "WC error: ")                                                                  \
	X(IPOIB, "vend_err")                                                                       \
	X(IPOIB_QUEUE, "transmit timeout: latency")
#define LOG_ANCHOR_NAME(name, text) LOG_A_##name,
#define LOG_ANCHOR_TEXT(name, text) text,
enum log_anchor { LOG_EACH_ANCHOR(LOG_ANCHOR_NAME) LOG_ANCHORS };
extern const char *const log_anchors[LOG_ANCHORS];

struct log_span {
	const char *at;
	size_t n; /* 0: not known */
};

enum log_text {
	LOG_OWN_HOST,
	LOG_OWN_ADDRESS,
	LOG_OWN_DEVICE,
	LOG_OWN_PCI,
	LOG_PEER_HOST,
	LOG_PEER_ADDRESS,
	LOG_PROCESS,
	LOG_TEXTS,
};

/*
 * struct log_fact - what one line says
 * @event: all of it but its texts
 * @text: those, within the line
 * @begins, @ends: what the form has of it, behind its prefix
 * @rest: where it may name another port, or NULL
 * @short_of: it ended where some form goes on
 * @second: it goes on with what an earlier line of its process says
 */
struct log_fact {
	struct ibc_log_event event;
	struct log_span text[LOG_TEXTS];
	const struct log_form *form;
	const char *begins, *ends, *rest;
	bool short_of, second;
};

enum log_outcome { LOG_NOT_OURS, LOG_UNPARSED, LOG_PARSED };

/*
 * joblogforms.c: the first form of a line that has an anchor, which begins in its first @n bytes;
 * @cut: the file ends with the line, without a line feed.  A line of NCCL names several ports:
 * log_next_port() has the next one while fact->rest is not NULL.
 */
enum log_outcome log_form(enum log_anchor anchor, const char *line, size_t n, bool cut,
                          struct log_fact *fact);
bool log_next_port(const char **rest, struct log_fact *fact);

/*
 * joblogline.c: struct log_origin - who wrote a line, and when, by what is around its message
 * @host, @process: as of the events
 * @zoned: it has a zone: such a time is better than another
 */
struct log_origin {
	struct log_span host, process;
	time_t time;
	bool zoned;
};
/* struct log_clock - @now: as of struct ibc_joblog_opts; @at: what @last was, of this zone */
struct log_clock {
	time_t now, at;
	struct tm last;
};
/* Of what stands in front of a message, from @line to @begins; what is known already stays. */
void log_prefix(const char *line, const char *begins, struct log_clock *clock,
                struct log_origin *origin);
/* The text of a line of JSON that has the anchor, valid as long as the line, else the line. */
char *log_unwrap(struct json_reader *json, const char *anchor, char *line, struct log_clock *clock,
                 struct log_origin *origin);

/*
 * joblogscan.c: the first anchor at or behind @at that is whole within @n bytes; @n: there is none.
 * A scanner is of the arena, which escapes.
 */
struct log_scanner;
struct log_scanner *log_scanner_new(struct arena *arena);
size_t log_scan(const struct log_scanner *s, const char *bytes, size_t at, size_t n,
                enum log_anchor *anchor);

/* Of a character of hosts and interfaces. */
static inline bool log_is_name(unsigned char c)
{
	return isalnum(c) || c == '_' || c == '-' || c == '.';
}

static inline size_t log_name_length(const char *text)
{
	size_t n = 0;

	while (log_is_name((unsigned char)text[n]))
		n++;
	return n;
}

static inline bool log_is(struct log_span span, const char *text)
{
	return span.n == strlen(text) && !memcmp(span.at, text, span.n);
}
