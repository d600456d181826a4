/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as they arrive: reports one after another, or lines that begin with the label of who wrote
 * them, as srun -l, pdsh, clush and flux exec -l write them.  srun cuts what a task writes each
 * 1024 bytes, wherever that is, and each piece becomes a line: pieces of a label are joined
 * without what divides them, which JSON does not need.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/utf8.h"
#include "fleet/fleet.h"

#define LABEL_MAX 255 /* bytes: of a host name (RFC 1035) */
#define NOISE_MAX 160 /* bytes that are shown of what is no report: two lines of a terminal */

/*
 * struct stream - what one label writes
 * @draft, @push: of the report that is @open
 * @broken: it ended in an error: all is skipped up to the next one
 * @began: the line that it began in, from 1
 * @noise: the first line that is no part of a report, or NULL
 */
struct stream {
	const char *label, *noise;
	struct draft draft;
	struct json_push push;
	bool open, broken;
	size_t reports;
	unsigned long began;
};

/*
 * struct feed - several labels, or none
 * @labels: @streams has that of each number; that of number 0 takes lines without label
 * @line: the number of the one that is read; @rest: its beginning, until it is whole
 * @in_line: some of it was given to the stream @now already, or to nobody
 */
struct feed {
	struct ibc_fleet *fleet;
	const char *name;
	struct pool labels;
	struct stream **streams, *now;
	size_t num, room;
	enum { UNDECIDED, PLAIN, LABELLED } form;
	unsigned long line;
	bool in_line;
	char *rest;
	size_t num_rest;
};

/* ---- one stream ------------------------------------------------------------------------- */

static struct stream *new_stream(struct feed *f, const char *label)
{
	struct stream *s = arena_alloc(f->fleet->arena, sizeof(*s));

	if (!s || !grow(&f->streams, f->num, &f->room, sizeof(struct stream *)))
		return NULL;
	s->label = label;
	s->draft.fleet = f->fleet;
	s->push = (struct json_push){ .take = draft_take, .ctx = &s->draft };
	f->streams[f->num++] = s;
	return s;
}

/* Its label; of lines without the place in the file, where there are several reports. */
static const char *source_of(const struct feed *f, const struct stream *s)
{
	if (f->form == LABELLED && s->label)
		return s->label;
	return s->began > 1 ? arena_printf(f->fleet->arena, "%s, line %lu", f->name, s->began)
	                    : f->name;
}

static int end_report(struct feed *f, struct stream *s, const char *trouble)
{
	const char *source = source_of(f, s);

	s->push = (struct json_push){
		.take = draft_take, .ctx = &s->draft, .text = s->push.text, .room = s->push.room
	};
	s->open = false;
	s->reports++;
	return source ? draft_end(&s->draft, s->label, source, trouble) : -ENOMEM;
}

static const char *clean_line(struct arena *arena, const char *bytes, size_t n)
{
	while (n && isspace((unsigned char)bytes[n - 1]))
		n--;
	return utf8_clean(arena, bytes, n < NOISE_MAX ? n : NOISE_MAX);
}

static int add_noise(struct feed *f, struct stream *s, const char *bytes, size_t n)
{
	while (n && isspace((unsigned char)*bytes)) {
		bytes++;
		n--;
	}
	if (!n || s->noise || s->broken || s->reports)
		return 0;
	s->noise = clean_line(f->fleet->arena, bytes, n);
	return s->noise ? 0 : -ENOMEM;
}

/* 1: the report ended, or what is left of the bytes is none */
static int push_bytes(struct feed *f, struct stream *s, const char *bytes, size_t n, size_t *used)
{
	int rc = json_push(&s->push, bytes, n, used);

	if (rc == 1)
		return end_report(f, s, NULL);
	if (rc != -EINVAL)
		return rc;
	s->broken = true;
	*used = n;
	return end_report(
	    f, s, arena_printf(f->fleet->arena, "its report is damaged: %s", s->push.error));
}

static int stream_bytes(struct feed *f, struct stream *s, const char *bytes, size_t n)
{
	size_t used;
	int rc = 0;

	for (const char *end = bytes + n; !rc && bytes < end && !s->broken; bytes += used) {
		used = 1;
		if (!s->open && isspace((unsigned char)*bytes))
			continue;
		if (!s->open && *bytes != '{')
			return add_noise(f, s, bytes, (size_t)(end - bytes));
		if (!s->open)
			s->began = f->line;
		s->open = true;
		rc = push_bytes(f, s, bytes, (size_t)(end - bytes), &used);
	}
	return rc;
}

/*
 * A report that was cut leaves the next one to be found: it begins a line, where nothing of a
 * report does.  Of a label, whose lines may be cut anywhere, only behind one that is damaged.
 */
static int begin_line(struct feed *f, struct stream *s, const char *bytes)
{
	int rc = 0;

	if (*bytes != '{' || !(s->broken || (s->open && f->form == PLAIN)))
		return 0;
	if (s->open)
		rc = end_report(f, s, "its report ends in the middle");
	s->broken = false;
	return rc;
}

static int end_stream(struct feed *f, struct stream *s)
{
	int rc = 0;

	if (s->open)
		rc = end_report(f, s, "its report ends in the middle");
	else if (!s->reports && (s->noise || s->label))
		rc = end_report(
		    f, s,
		    s->noise ? arena_printf(f->fleet->arena, "wrote no report, but: %s", s->noise)
			     : "wrote nothing");
	json_push_free(&s->push);
	draft_free(&s->draft);
	return rc;
}

/* ---- labels ----------------------------------------------------------------------------- */

/* Behind the label of a line: "n1: {"; NULL: it has none.  Their numbers srun puts in columns. */
static const char *behind_label(const char **label, const char *end)
{
	const char *at = *label, *limit;

	while (at < end && *at == ' ')
		at++;
	*label = at;
	limit = end - at > LABEL_MAX ? at + LABEL_MAX : end;
	for (; at < limit; at++) {
		if (*at == ':' && at > *label && (at + 1 == end || at[1] == ' '))
			return at + 1;
		if (isspace((unsigned char)*at) || strchr("\"{}[],'", *at))
			return NULL;
	}
	return NULL;
}

/* What these say of themselves is no host's: "srun: error: n3: task 2: Exited with exit code 2". */
static bool is_launcher(const char *label, size_t n)
{
	static const char *const names[] = { "srun", "slurmstepd", "pdsh", "clush", "flux-exec" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t length = strlen(names[i]);

		if (n >= length && !memcmp(label, names[i], length) &&
		    (n == length || label[length] == '@' || label[length] == '-'))
			return true;
	}
	return false;
}

static int note_launcher(struct feed *f, const char *line, const char *end)
{
	struct ibc_fleet *fleet = f->fleet;

	if (!fleet->launcher_lines++)
		fleet->launcher = clean_line(fleet->arena, line, (size_t)(end - line));
	return fleet->launcher ? 0 : -ENOMEM;
}

/* NULL: no memory */
static struct stream *labelled_stream(struct feed *f, const char *label, size_t n)
{
	size_t num = f->labels.num + !f->labels.num;
	uint32_t number = pool_add(&f->labels, label, n);

	if (!number)
		return NULL;
	if (number < num)
		return f->streams[number];
	return new_stream(f, pool_text(&f->labels, number));
}

/* ---- lines ------------------------------------------------------------------------------ */

static bool begins_report(const char *behind, const char *end)
{
	while (behind && behind < end && *behind == ' ')
		behind++;
	return behind && behind < end && *behind == '{';
}

/* The first line with the beginning of a report decides for all. */
static void decide_form(struct feed *f, const char *line, const char *behind, const char *end)
{
	if (f->form == LABELLED)
		return;
	if (*line == '{' && f->form == UNDECIDED)
		f->form = PLAIN;
	else if (begins_report(behind, end))
		f->form = LABELLED;
}

/* A line, or as much as there is of it, with what ends it. */
static int begin_bytes(struct feed *f, const char *line, const char *end)
{
	const char *label = line, *behind = f->form == PLAIN && f->streams[0]->open
	                                        ? NULL
	                                        : behind_label(&label, end);
	int rc = 0;

	f->now = f->streams[0];
	decide_form(f, line, behind, end);
	/* as long as there is no report, nobody knows what is a label */
	if (f->form == UNDECIDED)
		rc = add_noise(f, f->now, line, (size_t)(end - line));
	if (rc)
		return rc;
	if (f->form != PLAIN && behind) {
		size_t n = (size_t)(behind - 1 - label);

		/* a host may be called pdsh-gw1: what began a report is none */
		if (is_launcher(label, n) && !begins_report(behind, end) &&
		    !pool_find(&f->labels, label, n)) {
			f->now = NULL;
			return note_launcher(f, line, end);
		}
		f->now = labelled_stream(f, label, n);
		line = behind + (behind < end && *behind == ' ');
	}
	if (!f->now)
		return -ENOMEM;
	if (line < end)
		rc = begin_line(f, f->now, line);
	return rc ? rc : stream_bytes(f, f->now, line, (size_t)(end - line));
}

/* Bytes of one line; @begins: its first ones; @whole: it ends with them, and what ended it. */
static int line_bytes(struct feed *f, const char *bytes, size_t n, bool begins, bool whole)
{
	int rc = 0;

	if (begins)
		rc = begin_bytes(f, bytes, bytes + n);
	else if (f->now)
		rc = stream_bytes(f, f->now, bytes, n);
	if (!whole)
		return rc;
	f->line++;
	/* it divides words, and may stand in no text; but pieces of a label are joined */
	return !rc && f->form == PLAIN ? stream_bytes(f, f->streams[0], "\n", 1) : rc;
}

#define REST_MAX 4096 /* bytes of a line that has not ended: its label is in them */

/* The beginning of a line, for when there is more of it. */
static int keep_rest(struct feed *f, const char *bytes, size_t n)
{
	int rc;

	if (f->num_rest + n > REST_MAX || f->in_line) {
		rc = f->num_rest ? line_bytes(f, f->rest, f->num_rest, !f->in_line, false) : 0;
		f->in_line |= f->num_rest > 0;
		f->num_rest = 0;
		if (!rc && n)
			rc = line_bytes(f, bytes, n, !f->in_line, false);
		f->in_line |= n > 0;
		return rc;
	}
	memcpy(f->rest + f->num_rest, bytes, n);
	f->num_rest += n;
	return 0;
}

static int finish_line(struct feed *f, const char *bytes, size_t n)
{
	int rc;

	if (!f->in_line && f->num_rest + n <= REST_MAX) {
		memcpy(f->rest + f->num_rest, bytes, n);
		rc = line_bytes(f, f->rest, f->num_rest + n, true, true);
	} else {
		rc = keep_rest(f, bytes, n);
		if (!rc)
			rc = line_bytes(f, "", 0, false, true);
	}
	f->in_line = false;
	f->num_rest = 0;
	return rc;
}

int feed_bytes(struct feed *f, const char *bytes, size_t n)
{
	const char *end = bytes + n, *stop;
	int rc = 0;

	for (; !rc && bytes < end && (stop = memchr(bytes, '\n', (size_t)(end - bytes)));
	     bytes = stop + 1) {
		if (f->num_rest || f->in_line)
			rc = finish_line(f, bytes, (size_t)(stop - bytes));
		else
			rc = line_bytes(f, bytes, (size_t)(stop - bytes), true, true);
	}
	return !rc && bytes < end ? keep_rest(f, bytes, (size_t)(end - bytes)) : rc;
}

int feed_end(struct feed *f)
{
	int rc = f->num_rest || f->in_line ? finish_line(f, "", 0) : 0;

	for (size_t i = 0; !rc && i < f->num; i++)
		if (f->form == LABELLED ? i || f->streams[0]->reports || f->streams[0]->open : !i)
			rc = end_stream(f, f->streams[i]);
	return rc;
}

struct feed *feed_new(struct ibc_fleet *fleet, const char *name, const char *label)
{
	struct feed *f = xalloc(sizeof(*f));

	if (!f)
		return NULL;
	*f = (struct feed){ .fleet = fleet, .name = name, .line = 1 };
	f->labels.arena = fleet->arena;
	f->rest = xalloc(REST_MAX);
	if (f->rest && new_stream(f, label))
		return f;
	feed_free(f);
	return NULL;
}

void feed_free(struct feed *f)
{
	for (size_t i = 0; f && i < f->num; i++) {
		json_push_free(&f->streams[i]->push);
		draft_free(&f->streams[i]->draft);
	}
	if (f) {
		pool_free(&f->labels);
		free(f->streams);
		free(f->rest);
	}
	free(f);
}
