/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

/*
 * What reads and writes JSON, measured: each library is a program of its own, for some have
 * functions of the same names.
 */
#include <stddef.h>
#include <stdint.h>

#define ROWS 20000

/* A row of a table. */
struct row {
	char guid[20], name[24], peer_guid[20], peer_name[24];
	int port, peer_port, lid;
	int64_t bytes;
	double gbps;
};

extern struct row rows[ROWS];

/* Every column once: the words are those of the program. */
#define EACH_COLUMN(TEXT, WORD, WHOLE, REAL, NOTHING, NO)                                          \
	TEXT("node_guid", r->guid)                                                                 \
	TEXT("node_desc", r->name)                                                                 \
	WHOLE("port", r->port)                                                                     \
	WORD("state", "active")                                                                    \
	WORD("phys_state", "linkup")                                                               \
	WORD("width", "4x")                                                                        \
	WORD("speed", "hdr")                                                                       \
	REAL("rate_gbps", r->gbps)                                                                 \
	WHOLE("lid", r->lid)                                                                       \
	TEXT("peer_guid", r->peer_guid)                                                            \
	TEXT("peer_desc", r->peer_name)                                                            \
	WHOLE("peer_port", r->peer_port)                                                           \
	NOTHING("label")                                                                           \
	WHOLE("transmit_data_bytes", r->bytes)                                                     \
	NO("expected")

/* The text of all rows. */
struct text {
	char *bytes;
	size_t length, room;
};

void append(struct text *to, const char *bytes, size_t n);

/* What is read. */
struct lines {
	char **line;
	size_t *length;
	size_t num, bytes, longest;
};

/* What is in it, the same whoever reads it. */
struct found {
	uint64_t values, sum, text_bytes;
};

static inline void found_number(struct found *f, int64_t value)
{
	f->values++;
	f->sum += (uint64_t)value;
}

static inline void found_text(struct found *f, size_t length)
{
	f->values++;
	f->text_bytes += length;
}

/* A library; read may be NULL. */
struct library {
	const char *name;
	void (*write)(struct text *to);
	void (*read)(const struct lines *l, struct found *f);
};
extern const struct library library;

/* Ends the program. */
void end(const char *why);

#endif
