/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_LINE_H
#define MODEL_LINE_H

/*
 * A transport without a fabric: MADs are answered by a callback, after a round
 * trip, and go astray as told.  On a virtual clock, which moves only while recv
 * waits, hours of time-outs take no time; on the real one the latency is exact.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/transport.h"

/*
 * Turns the query in mad into its answer.  Returns the number of the device
 * that answers, or LINE_NOBODY.
 */
#define LINE_NOBODY (-1)
typedef int line_answer_fn(void *ctx, const struct mad_addr *to, uint8_t mad[MAD_SIZE]);

/* What is said to the sender of a MAD that nobody answers. */
enum line_silence {
	LINE_SAYS_NOTHING,
	LINE_SAYS_TIMED_OUT, /* after the time-out of the MAD: the kernel */
	LINE_SAYS_AT_ONCE,   /* ibsim */
};

/*
 * struct line_fate - what becomes of an answer on its way
 * @late_ns: it comes so much later
 * @times: it comes so often
 */
struct line_fate {
	uint64_t late_ns;
	unsigned int times;
};

struct line_opts {
	uint64_t rtt_ns;
	bool real_time;
	enum line_silence silence;
	double loss; /* of MADs, on the way there */
	uint64_t seed;
	/* of a device: each MAD takes so long; with more than so many waiting it drops (0: never)
	 */
	uint64_t service_ns;
	unsigned int device_queue;
	/* every nth answer (0: none) ... */
	unsigned int duplicate_every, shorten_every, late_every;
	uint64_t late_ns; /* ... comes so much later */
	/* ... or is changed */
	void (*mangle)(uint8_t mad[MAD_SIZE]);
	/* the last answer, where it is not MAD_SIZE long; else NULL, or not called if NULL */
	const uint8_t *(*whole)(void *ctx, size_t *length);
	unsigned int mangle_every;
	/* of the last answer, likewise */
	struct line_fate (*fate)(void *ctx);
	/* the host does something else for so long when every nth answer is there (0: never) */
	unsigned int stall_every;
	uint64_t stall_ns;
	/* the nth send and all later ones fail, the nth arrival (0: none) */
	unsigned int fail_send_at, fail_recv_at;
	int failure; /* negative errno */
};

struct line_counts {
	uint64_t sent, answers, lost, overflowed;
	size_t peak_in_flight; /* sent and neither answered nor given up */
};

struct line;

struct line *line_new(const struct line_opts *opts, line_answer_fn *answer, void *ctx);
void line_free(struct line *l);
struct transport *line_transport(struct line *l);
/* To be changed in the middle of a run. */
struct line_opts *line_opts(struct line *l);
const struct line_counts *line_counts(const struct line *l);
uint64_t line_now_ns(struct line *l);
/* The host does something else meanwhile; virtual clock only. */
void line_stall(struct line *l, uint64_t ns);
/* When the next MAD arrives; UINT64_MAX: none is under way. */
uint64_t line_next_ns(const struct line *l);

#endif
