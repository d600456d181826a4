/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_SNAPLINES_H
#define SOURCE_SNAPLINES_H

/* The objects of a snapshot, lines of JSON, or of a state, records: see snapshot.h. */
#include "base/jsonpack.h"
#include "source/source.h"

/* struct snap_lines - begins with text; crc: of what is in front of the last object */
struct snap_lines {
	struct text_file *text;
	struct json_reader json;
	struct json_known words;
	unsigned long crc, next_crc;
	char *line; /* NULL: a record */
	size_t length;
	bool is_state;
};

/* The next object, valid until the next call.  1, 0 at the end, or an error. */
int snap_next(struct snap_lines *l, const struct json_item **out, struct ibc_error *err);
/* The last object is not what it should be: a key that comes twice is told instead. */
void snap_refused(struct snap_lines *l, struct ibc_error *err);
/* 0: nothing follows the last object. */
int snap_ended(struct snap_lines *l, struct ibc_error *err);
void snap_lines_free(struct snap_lines *l);

#endif
