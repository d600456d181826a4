/* SPDX-License-Identifier: BSD-2-Clause */
/* The objects of a snapshot or a state, one by one, with their checksum. */
#include "source/snaplines.h"

#include <endian.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "source/snapshot.h"

static void add_sum(struct snap_lines *l, const void *bytes, size_t n)
{
	l->next_crc = crc32_z(l->next_crc, bytes, n);
}

/* ---- lines --------------------------------------------------------------- */

/* jansson finds the words and the place; 0: to it, the line is an object. */
static int fail_json(const struct snap_lines *l, struct ibc_error *err)
{
	json_error_t why;
	json_t *same = json_loadb(l->line, l->length, JSON_REJECT_DUPLICATES, &why);
	bool is_object = json_is_object(same);

	json_decref(same);
	if (is_object)
		return 0;
	if (same)
		return text_fail(l->text, err, "not an object");
	if (text_was_cut(l->text))
		return text_fail(l->text, err, "the snapshot is cut off in this line");
	if (json_error_code(&why) == json_error_out_of_memory)
		return fail_nomem(err);
	return fail(err, -EINVAL, "%s:%lu:%d: not valid JSON: %s", text_name(l->text),
	            text_line_number(l->text), why.column, why.text);
}

void snap_refused(struct snap_lines *l, struct ibc_error *err)
{
	if (!l->line)
		return;
	json_unread(l->line, l->length);
	fail_json(l, err);
}

static int parse_line(struct snap_lines *l, const struct json_item **out, struct ibc_error *err)
{
	int rc;

	add_sum(l, l->line, l->length);
	add_sum(l, "\n", 1);
	*out = json_read(&l->json, l->line, l->length);
	if (*out)
		return 1;
	if (l->json.no_memory)
		return fail_nomem(err);
	json_unread(l->line, l->length);
	rc = fail_json(l, err);
	return rc ? rc : text_fail(l->text, err, "not valid JSON");
}

/* ---- records ------------------------------------------------------------- */

/* 0: all n bytes are there. */
static int take_bytes(struct snap_lines *l, size_t n, char **bytes, struct ibc_error *err)
{
	ssize_t there = n < LINE_MAX_BYTES ? text_block(l->text, n, bytes, err)
	                                   : text_fail(l->text, err, "the state is damaged here");

	if (there < 0)
		return (int)there;
	if ((size_t)there < n)
		return text_fail(l->text, err, "the state is cut off here");
	add_sum(l, *bytes, n);
	return 0;
}

static int take_words(struct snap_lines *l, size_t n, struct ibc_error *err)
{
	char *bytes;
	int rc = n ? take_bytes(l, n, &bytes, err) : 0;

	if (rc || n == 0)
		return rc;
	rc = json_learn(&l->words, bytes, n);
	if (rc == -ENOMEM)
		return fail_nomem(err);
	return rc ? text_fail(l->text, err, "the state is damaged here") : 0;
}

static int parse_record(struct snap_lines *l, const struct json_item **out, struct ibc_error *err)
{
	struct state_record head;
	char *bytes;
	int rc = take_bytes(l, sizeof(head), &bytes, err);
	size_t length;

	if (rc)
		return rc;
	memcpy(&head, bytes, sizeof(head));
	length = le32toh(head.object);
	rc = take_words(l, le32toh(head.words), err);
	if (rc == 0)
		rc = take_bytes(l, length, &bytes, err);
	if (rc)
		return rc;
	*out = unpack_object(&l->json, &l->words, bytes, length);
	if (*out)
		return 1;
	return l->json.no_memory ? fail_nomem(err)
	                         : text_fail(l->text, err, "the state is damaged here");
}

/* ---- either -------------------------------------------------------------- */

static bool is_state_line(const char *line)
{
	return strncmp(line, STATE_BEGIN, strlen(STATE_BEGIN)) == 0;
}

/* JSON, or a state; nothing else that is read begins like them. */
bool is_snapshot_line(const char *line)
{
	return *line == '{' || is_state_line(line);
}

static int begin_state(struct snap_lines *l, struct ibc_error *err)
{
	if (strcmp(l->line, STATE_LINE))
		return text_fail(l->text, err, "a state of another version of ibcheck");
	l->is_state = true;
	add_sum(l, STATE_LINE "\n", strlen(STATE_LINE "\n"));
	l->crc = l->next_crc;
	l->line = NULL;
	return 0;
}

int snap_next(struct snap_lines *l, const struct json_item **out, struct ibc_error *err)
{
	int rc;

	l->crc = l->next_crc;
	if (!l->is_state) {
		rc = text_line(l->text, &l->line, &l->length, err);
		if (rc <= 0)
			return rc;
		if (text_line_number(l->text) > 1 || !is_state_line(l->line))
			return parse_line(l, out, err);
		rc = begin_state(l, err);
		if (rc)
			return rc;
	}
	return parse_record(l, out, err);
}

int snap_ended(struct snap_lines *l, struct ibc_error *err)
{
	ssize_t rc = l->is_state ? text_block(l->text, 1, &l->line, err)
	                         : text_line(l->text, &l->line, &l->length, err);

	return rc > 0 ? text_fail(l->text, err, "something follows the end of the snapshot")
	              : (int)rc;
}

void snap_lines_free(struct snap_lines *l)
{
	json_reader_free(&l->json);
	json_known_free(&l->words);
}
