/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What readers of forwarding tables share (tableread.c).  A file is read twice: first to see
 * whether it is whole, and up to which LID it goes; then into the tables.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

#include "source/source.h"

struct arena;
struct fabric_build;
struct seen_switch;
struct table_reader;
struct text_file;

#define TABLE_BLANKS  " \t"
#define TABLE_LID_MAX 0xbfff /* unicast (IBA 4.1) */

/*
 * struct table_format - one syntax
 * @contents: "... contains no linear forwarding tables (LFTs): expected @contents"
 * @take: a line, as of text_each_line()
 * @end: the file ends, in both readings
 */
struct table_format {
	const char *contents;
	int (*take)(void *reader, char *line, struct ibc_error *err);
	void (*end)(struct table_reader *r);
};

/*
 * struct table_reader
 * @out: NULL: the first time
 * @inside: what the lines are in, as the format counts them; 0: in no table
 * @cut: the last line had no end
 * @again: the switch had a table before; what they both say is used
 * @gap: a line was lost behind the last entry, and which LIDs it was about is not known
 * @skip: the rest of this table, which is not used
 * @behind: for the format: a line that was passed over behind the last entry
 * @lost: lines of this table; @unread: its blocks that lack one
 * @node: whose entries come; NULL: the subnet has it not
 * @top: the last LID the table may have; @last: the last it had; 0: none yet
 * @ends: for the format: the last LID that tables before had; 0 at the start of a reading
 * @entries: of this table, kept or not
 * @num_lids and what follows: of the file
 */
struct table_reader {
	const struct table_format *format;
	struct text_file *text;
	struct ibc_error *err;
	struct fabric_build *build;
	struct ibc_subnet *subnet;
	struct arena *arena;
	struct fabric_forwarding *out;
	struct seen_switch *seen;
	unsigned int inside;
	bool cut, again, gap, skip;
	unsigned long behind;
	size_t lost;
	bool unread[TABLE_LID_MAX / IBC_LFT_BLOCK + 1];
	const struct ibc_node *node;
	uint64_t guid;
	size_t column;
	unsigned int top, last, ends;
	size_t entries;
	unsigned int num_lids;
	size_t tables, ours, foreign;
	uint64_t lowest_foreign;
};

/* Both readings, in fabric_build_run().  0, -EINVAL with a sentence, or -ENOMEM. */
int tables_read(struct table_reader *r, struct text_file *f, struct fabric_build *b,
                struct ibc_error *err);
/* Behind @word in the line, a GUID. */
bool table_guid(const char *line, const char *word, uint64_t *guid);
/* The table of r->guid; lid: that of its switch, or 0. */
int table_begin(struct table_reader *r, unsigned int inside, unsigned int top, uint64_t lid,
                struct ibc_error *err);
int table_entry(struct table_reader *r, uint64_t lid, unsigned int port);
/* The last line is not understood; it is reported in the first reading. */
#define table_lose(r, ...)                                                                         \
	((r)->gap = true, (r)->lost++,                                                             \
	 (r)->out ? -EINVAL                                                                        \
	          : text_complain((r)->text,                                                       \
	                          (struct text_place){ text_line_number((r)->text), 0, NULL },     \
	                          __VA_ARGS__))
/*
 * It was read up to a LID.  Below known it says of every LID where it goes or that it has no
 * entry; 0: it could not be read.
 */
#define TABLE_WHOLE UINT_MAX
void table_end(struct table_reader *r, unsigned int top, unsigned int known);
/* "the table of ... is cut off: how": it is known below that LID. */
void table_end_cut(struct table_reader *r, const char *how, unsigned int known);
/* "leaf01 (0x...)", or the GUID alone; returns text */
const char *table_name(const struct table_reader *r, char text[128]);
