/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Traces: traceread.c reads captures, tracewrite.c writes the MADs of a sweep, traceplay.c lets a
 * sweep run again over what was recorded, tracemask.c hides who it was, tracesearch.c looks whether
 * it did.
 */
#include <ibcheck/capture.h>

#include "source/source.h"
#include "transport/transport.h"
#include "wire/erf.h"
#include "wire/secrets.h"

struct arena;

/* struct capture_mad - reply, segment: another MAD of the capture; 0: none, else its index + 1 */
struct capture_mad {
	struct ibc_mad mad;
	struct erf_record packet;
	uint64_t tid;
	size_t reply;   /* of a query: its answer, or the record of its time-out */
	size_t segment; /* of an answer that many MADs bring: the next one */
};

/*
 * struct capture_sweep - one sweep of a trace: MADs first to end - 1
 * @run: a command may sweep several times, which this counts from 1
 * @pass: how often the run had started over
 */
struct capture_sweep {
	struct transport_port from;
	unsigned int run, pass;
	size_t first, end;
};

struct ibc_capture {
	char *name;
	uint8_t *bytes;
	size_t size, room;
	struct capture_mad *mads;
	size_t num, mads_room;
	struct capture_sweep *sweeps;
	size_t num_sweeps, sweeps_room;
	size_t records, others;
	unsigned int foreign; /* link type of a packet that is not looked at; 0: none */
};

/* From a file that is open; it stays the caller's. */
int capture_read(struct text_file *f, struct ibc_capture **out, struct ibc_error *err);

/* What many MADs brought, as one: the header of the first, and the data of all; NULL: no memory. */
uint8_t *capture_join(const struct ibc_capture *cap, const struct capture_mad *first,
                      struct arena *arena, size_t *length);

/*
 * tracemask.c: visits what is secret in a copy of each MAD, of a long answer at once, and hands the
 * copies on, in order; each: or NULL.  0, or -ENOMEM.
 */
int capture_secrets(const struct ibc_capture *cap,
                    void (*visit)(void *ctx, enum secret what, uint8_t *bytes, size_t n),
                    void (*each)(void *ctx, size_t i, const uint8_t *mad), void *ctx);

/*
 * tracemask.c: the next word of a text of up to n bytes, *at: 0 to begin with, that is not one of
 * those which descriptions have everywhere.  False: there is no other.
 */
bool next_naming_word(const char *text, size_t n, size_t *at, size_t *length);
/* Where in a field a serial number is; false: it has none, or that of a copy without names. */
bool find_serial(const char *text, size_t n, size_t *at, size_t *length);
/* Are these a subnet and a group that every network has, or that a copy without names has? */
bool is_common_prefix(const uint8_t prefix[8]);
bool is_common_mgid(const uint8_t mgid[16]);

/* What is swept from now on is one run. */
void recording_run(struct ibc_recording *rec);
/* A sweep from this port begins: its transport becomes one that is recorded. */
int recording_wrap(struct ibc_recording *rec, struct transport_port *from, unsigned int pass,
                   struct transport **t, struct ibc_error *err);
/* The comment and the record of a MAD, as they are; failures are kept for the end. */
void recording_comment(struct ibc_recording *rec, const struct capture_sweep *sweep);
void recording_mad(struct ibc_recording *rec, const struct erf_record *r);

#define CAPTURE_COMMENT "ibcheck trace 1 " /* begins that of a sweep */
