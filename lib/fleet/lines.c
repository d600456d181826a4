/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as they arrive: reports one after another, or lines that begin with the label of who wrote
 * them, as srun -l, pdsh, clush and flux exec -l write them.  srun cuts what a task writes each
 * 1024 bytes, wherever that is, and each piece becomes a line: pieces of a label are joined
 * without what divides them, which JSON does not need.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/utf8.h"
#include "fleet/fleet.h"

#define LABEL_MAX 255 /* bytes: of a host name (RFC 1035) */
#define NOISE_MAX 160 /* bytes that are shown of what is no report: two lines of a terminal */

/*
 * struct stream - what one label writes
 * @draft: of the report that is open, or NULL
 * @broken: it ended in an error: all is skipped up to the next one
 * @began: the line that it began in, from 1
 * @noise: the first line that is no part of a report, or NULL
 */
struct stream {
	const char *label, *noise;
	struct draft *draft;
	bool broken;
	size_t reports;
	unsigned long began;
};

static struct stream *new_stream(struct ibc_fleet *fleet, const char *label)
{
	struct feed *f = &fleet->feed;
	struct stream *s = arena_alloc(fleet->arena, sizeof(*s));

	arena_grow(fleet->arena, &f->streams, f->num, &f->room, sizeof(struct stream *));
	s->label = label;
	f->streams[f->num++] = s;
	return s;
}

/* ---- one stream ------------------------------------------------------------------------- */

static void end_report(struct ibc_fleet *fleet, struct stream *s, const char *trouble)
{
	const struct feed *f = &fleet->feed;
	const char *source = f->name;

	/* its label; of lines without the place in the file, where there are several reports */
	if (f->form == LABELLED && s->label)
		source = s->label;
	else if (s->began > 1)
		source = arena_printf(fleet->arena, "%s, line %lu", f->name, s->began);
	s->reports++;
	draft_end(s->draft ? s->draft : draft_new(fleet), s->label, source, trouble);
	s->draft = NULL;
}

static const char *clean_line(struct arena *arena, const char *bytes, size_t n)
{
	/* the magic numbers of zstd (RFC 8878) and gzip (RFC 1952): no sentence of a host */
	if (n > 3 && (!memcmp(bytes, "\x28\xb5\x2f\xfd", 4) || !memcmp(bytes, "\x1f\x8b", 2)))
		return "bytes that are compressed: unpack them first";
	while (n && isspace((unsigned char)bytes[n - 1]))
		n--;
	return utf8_clean(arena, bytes, n < NOISE_MAX ? n : NOISE_MAX);
}

static void add_noise(struct ibc_fleet *fleet, struct stream *s, const char *bytes, size_t n)
{
	while (n && isspace((unsigned char)*bytes)) {
		bytes++;
		n--;
	}
	if (n && !s->noise && !s->broken && !s->reports)
		s->noise = clean_line(fleet->arena, bytes, n);
}

static void stream_bytes(struct ibc_fleet *fleet, struct stream *s, const char *bytes, size_t n)
{
	size_t used;
	int rc;

	for (const char *end = bytes + n; bytes < end && !s->broken; bytes += used) {
		used = 1;
		if (!s->draft && isspace((unsigned char)*bytes))
			continue;
		if (!s->draft && *bytes != '{') {
			add_noise(fleet, s, bytes, (size_t)(end - bytes));
			return;
		}
		if (!s->draft) {
			s->began = fleet->feed.line;
			s->draft = draft_new(fleet);
		}
		rc = json_push(&s->draft->push, bytes, (size_t)(end - bytes), &used);
		if (rc == -ENOMEM)
			longjmp(fleet->escape, 1);
		s->broken = rc == -EINVAL;
		if (rc)
			end_report(fleet, s,
			           rc == 1 ? NULL
			                   : arena_printf(fleet->arena, "its report is damaged: %s",
			                                  s->draft->push.error));
	}
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

static bool begins_report(const char *behind, const char *end)
{
	while (behind && behind < end && *behind == ' ')
		behind++;
	return behind && behind < end && *behind == '{';
}

/*
 * What these say of themselves is no host's: "srun: error: n3: task 2: Exited with exit code 2".  A
 * host may be called pdsh-gw1: what began a report is none.
 */
static bool is_launcher(const struct feed *f, const char *label, size_t n)
{
	static const char *const names[] = { "srun", "slurmstepd", "pdsh", "clush", "flux-exec" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t length = strlen(names[i]);

		if (n >= length && !memcmp(label, names[i], length) &&
		    (n == length || label[length] == '@' || label[length] == '-'))
			return !pool_find(&f->labels, label, n);
	}
	return false;
}

/* ---- lines ------------------------------------------------------------------------------ */

/* A line, or its beginning, with its label. */
static void begin_line(struct ibc_fleet *fleet, const char *line, const char *end)
{
	struct feed *f = &fleet->feed;
	bool in_report = f->form == PLAIN && f->streams[0]->draft;
	const char *label = line, *behind = in_report ? NULL : behind_label(&label, end);
	size_t n = (size_t)(end - line);
	struct stream *s;
	uint32_t number;

	f->in_line = true;
	f->now = f->streams[0];
	/* the first line with the beginning of a report decides for all */
	if (f->form == UNDECIDED && n && *line == '{')
		f->form = PLAIN;
	else if (begins_report(behind, end))
		f->form = LABELLED;
	/* as long as there is no report, what is a label is not known */
	if (f->form == UNDECIDED)
		add_noise(fleet, f->now, line, n);
	if (f->form != PLAIN && behind) {
		size_t length = (size_t)(behind - 1 - label);

		if (is_launcher(f, label, length) && !begins_report(behind, end)) {
			f->now = NULL;
			if (!fleet->launcher_lines++)
				fleet->launcher = clean_line(fleet->arena, line, n);
			return;
		}
		number = pool_add(&f->labels, label, length);
		f->now = number < f->num ? f->streams[number]
		                         : new_stream(fleet, pool_text(&f->labels, number));
		line = behind + (behind < end && *behind == ' ');
	}
	s = f->now;
	/*
	 * A report that was cut leaves the next one to be found: it begins a line, where nothing of
	 * a report does.  Of a label, whose lines may be cut anywhere, only behind a damaged one.
	 */
	if (line < end && *line == '{' && (s->broken || (s->draft && f->form == PLAIN))) {
		if (s->draft)
			end_report(fleet, s, "its report ends in the middle");
		s->broken = false;
	}
	stream_bytes(fleet, s, line, (size_t)(end - line));
}

static void finish_line(struct ibc_fleet *fleet)
{
	struct feed *f = &fleet->feed;

	f->in_line = false;
	f->num_rest = 0;
	f->line++;
	/* it divides words, and may stand in no text; but pieces of a label are joined */
	if (f->form == PLAIN)
		stream_bytes(fleet, f->streams[0], "\n", 1);
}

void feed_bytes(struct ibc_fleet *fleet, const char *bytes, size_t n)
{
	struct feed *f = &fleet->feed;

	for (const char *end = bytes + n; bytes < end;) {
		const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
		const char *stop = newline ? newline : end;

		if (!f->in_line && newline && !f->num_rest) {
			begin_line(fleet, bytes, stop);
			bytes = stop;
		} else if (!f->in_line) {
			size_t more = (size_t)(stop - bytes), room = REST_MAX - f->num_rest;

			more = more < room ? more : room;
			memcpy(f->rest + f->num_rest, bytes, more);
			f->num_rest += more;
			bytes += more;
			if (newline || f->num_rest == REST_MAX)
				begin_line(fleet, f->rest, f->rest + f->num_rest);
		}
		if (f->in_line && f->now)
			stream_bytes(fleet, f->now, bytes, (size_t)(stop - bytes));
		if (newline)
			finish_line(fleet);
		bytes = stop + (newline != NULL);
	}
}

void feed_begin(struct ibc_fleet *fleet, const char *name, const char *label)
{
	fleet->feed = (struct feed){ .name = name, .line = 1, .labels.arena = fleet->arena };
	new_stream(fleet, label);
}

void feed_end(struct ibc_fleet *fleet)
{
	struct feed *f = &fleet->feed;
	bool any;

	if (f->num_rest && !f->in_line)
		begin_line(fleet, f->rest, f->rest + f->num_rest);
	if (f->in_line)
		finish_line(fleet);
	any = f->streams[0]->reports || f->streams[0]->draft;
	for (size_t i = 0; i < f->num; i++) {
		struct stream *s = f->streams[i];

		if (f->form == LABELLED ? !i && !any : i > 0)
			continue;
		if (s->draft)
			end_report(fleet, s, "its report ends in the middle");
		else if (!s->reports && (s->noise || s->label))
			end_report(fleet, s,
			           s->noise ? arena_printf(fleet->arena, "wrote no report, but: %s",
			                                   s->noise)
			                    : "wrote nothing");
	}
}
