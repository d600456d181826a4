/* SPDX-License-Identifier: BSD-2-Clause */
/* Text files, line by line, whatever they are compressed with. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "fabric/build.h"
#include "source/codec.h"
#include "source/source.h"

#define BLANKS        " \t"
#define CHUNK         TEXT_CHUNK /* bytes read at a time */
#define UNPACKED_FREE (64 << 20) /* bytes that a packed file may become, whatever its size ... */
/* ... and times its size: the largest fabric by formula, with routes, reaches 380, and 500 where
   it was packed once more; what only repeats, thousands */
#define UNPACKED_RATIO  1000
#define ALIKE_SHOWN     3              /* errors of a kind, one by one: then they are counted */
#define ALIKE_MAX       32             /* kinds of errors: readers have fewer */
#define COMPLAINTS_MAX  1000000        /* then only the beginning of the file is of its format */
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* some editors put it first, and so it comes in between */

/* Raw bytes go from the file (or from memory) into in, decoded ones into out. */
struct text_file {
	char *name;
	int fd; /* -1: bytes in memory */
	const unsigned char *bytes;
	size_t bytes_left, bytes_total;

	const struct codec *codec;
	void *decoder;
	unsigned char in[CHUNK], out[CHUNK];
	size_t in_at, in_end, out_at, out_end;
	unsigned int chunks;   /* read into in since the start */
	uint64_t raw, decoded; /* bytes so far */
	bool raw_ended, whole; /* whole: the decoder is between two streams */

	char *line;
	size_t length, room;
	unsigned long number;
	bool cut, overlong;
	/* a line that cannot be one is no error, but empty, and ... */
	bool lenient, reads;   /* ... where the file is read, not only looked at, reported */
	unsigned long dropped; /* the last of them that was */

	ibc_complain_fn complain;
	void *complain_ctx;
	unsigned long complaints, lines; /* lines: that they are about */
	unsigned long accounted;         /* with has_both, from text_has_both() */
	uint64_t *seen;                  /* those lines of this file, a bit each */
	size_t seen_room, num_alike, alike_room;
	bool has_both, complained; /* complained: the last word is said */
	bool unplaced;             /* one of those lines is not in seen */
	struct complaint {
		struct text_place at;
		struct ibc_error what;
	} first[IBC_LOST_SHOWN];
	struct alike {
		uint64_t hash;
		unsigned long num;
		struct ibc_error last;
	} * alike;
};

int text_take(int fd, const char *name, struct text_file **out, struct ibc_error *err)
{
	struct text_file *f = xalloc(sizeof(*f));

	if (f)
		f->name = xalloc(strlen(name) + 1);
	if (!f || !f->name) {
		free(f);
		if (fd >= 0)
			close(fd);
		return fail_nomem(err);
	}
	strcpy(f->name, name);
	f->fd = fd;
	*out = f;
	return 0;
}

int text_open(const char *path, struct text_file **out, struct ibc_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? fail(err, -errno, "cannot open %s: %s", path, strerror(errno))
	              : text_take(fd, path, out, err);
}

int text_open_bytes(const char *name, const void *bytes, size_t n, struct text_file **out,
                    struct ibc_error *err)
{
	int rc = text_take(-1, name, out, err);

	if (rc == 0) {
		(*out)->bytes = bytes;
		(*out)->bytes_left = (*out)->bytes_total = n;
	}
	return rc;
}

static void stop_decoder(struct text_file *f)
{
	if (f->decoder)
		f->codec->close(f->decoder);
	f->decoder = NULL;
}

void text_close(struct text_file *f)
{
	if (!f)
		return;
	stop_decoder(f);
	if (f->fd >= 0)
		close(f->fd);
	free(f->line);
	free(f->name);
	free(f->alike);
	free(f->seen);
	free(f);
}

const char *text_name(const struct text_file *f)
{
	return f->name;
}

unsigned long text_line_number(const struct text_file *f)
{
	return f->number;
}

struct text_place text_here(const struct text_file *f)
{
	return (struct text_place){ .line = f->number };
}

bool text_is_on_disk(const struct text_file *f)
{
	return f->fd >= 0;
}

bool text_was_cut(const struct text_file *f)
{
	return f->cut;
}

bool text_was_overlong(const struct text_file *f)
{
	return f->overlong;
}

struct ibc_subnet *text_subnet(const struct text_file *f, const char *spec, const char *kind,
                               struct fabric_build *b)
{
	struct ibc_subnet *subnet = fabric_build_subnet(b, spec, kind);

	subnet->file = arena_strdup(fabric_build_arena(b), f->name);
	return subnet;
}

/* ---- complaints --------------------------------------------------------- */

void text_complain_to(struct text_file *f, ibc_complain_fn complain, void *ctx)
{
	f->complain = complain;
	f->complain_ctx = ctx;
	f->lenient = true;
}

void text_read_on(struct text_file *f)
{
	f->lenient = f->reads = true;
}

/* What two errors have in common that differ in numbers and in what they quote. */
static uint64_t hash_of_kind(const char *text)
{
	uint64_t hash = 5381; /* djb2 */
	bool quoted = false;

	for (; *text; text++) {
		quoted ^= *text == '"';
		if (!quoted && !isdigit((unsigned char)*text))
			hash = hash * 33 + (unsigned char)*text;
	}
	return hash;
}

/* How many there were of the same kind, with this one; 0 when out of memory. */
static unsigned long count_alike(struct text_file *f, const struct ibc_error *what)
{
	uint64_t hash = hash_of_kind(what->text);
	struct alike *kind = f->alike, *end = kind + f->num_alike;

	while (kind < end && kind->hash != hash)
		kind++;
	if (kind == end) {
		if (f->num_alike == ALIKE_MAX ||
		    !grow(&f->alike, f->num_alike, &f->alike_room, sizeof(*f->alike)))
			return 0;
		kind = &f->alike[f->num_alike++];
		*kind = (struct alike){ .hash = hash };
	}
	kind->last = *what;
	return ++kind->num;
}

/* Was there a complaint about that line already?  No, when out of memory. */
static bool is_seen(struct text_file *f, struct text_place at)
{
	uint64_t bit = UINT64_C(1) << at.line % 64;
	bool seen;

	f->unplaced |= !at.line || (at.file && at.file != f->name);
	if (!at.line || (at.file && at.file != f->name))
		return false;
	while (f->seen_room <= at.line / 64) {
		size_t before = f->seen_room;

		if (!grow(&f->seen, before, &f->seen_room, sizeof(*f->seen))) {
			f->unplaced = true;
			return false;
		}
		memset(f->seen + before, 0, (f->seen_room - before) * sizeof(*f->seen));
	}
	seen = f->seen[at.line / 64] & bit;
	f->seen[at.line / 64] |= bit;
	return seen;
}

int text_complain(struct text_file *f, struct text_place at, const char *format, ...)
{
	struct ibc_error what;
	struct ibc_complaint c = { at.file ?: f->name, what.text, at.line, at.column, false };
	va_list ap;

	va_start(ap, format);
	vfail(&what, 0, format, ap);
	va_end(ap);
	f->complaints++;
	if (!is_seen(f, at)) {
		if (f->lines < IBC_LOST_SHOWN)
			f->first[f->lines] = (struct complaint){ .at = at, .what = what };
		f->lines++;
	}
	if (f->complain && count_alike(f, &what) <= ALIKE_SHOWN)
		f->complain(f->complain_ctx, &c);
	return -EINVAL;
}

void text_note(const struct text_file *f, struct text_place at, const char *format, ...)
{
	struct ibc_error what = { "" };
	struct ibc_complaint c = { f->name, what.text, at.line, at.column, true };
	va_list ap;

	va_start(ap, format);
	vfail(&what, 0, format, ap);
	va_end(ap);
	if (f->complain)
		f->complain(f->complain_ctx, &c);
}

void text_skip(struct text_skipped *s, struct text_file *f)
{
	/* who copies a part says so; a pager, too */
	if (strstr(f->line, "...") || strstr(f->line, "--More--")) {
		text_complain(f, text_here(f), "lines are left out here");
		return;
	}
	if (!s->num || (f->number != s->last[s->num - 1] + 1 && s->num < SKIPPED_RANGES))
		s->first[s->num++] = f->number;
	s->last[s->num - 1] = f->number;
}

/* How many there were of those that were not reported one by one. */
static void end_complaints(struct text_file *f)
{
	struct ibc_error more = { "" };

	for (size_t i = 0; f->complain && !f->complained && i < f->num_alike; i++) {
		if (f->alike[i].num <= ALIKE_SHOWN)
			continue;
		fail(&more, 0, "and %lu more like this, the last: %s",
		     f->alike[i].num - ALIKE_SHOWN, f->alike[i].last.text);
		f->complain(f->complain_ctx,
		            &(struct ibc_complaint){ .file = f->name, .sentence = more.text });
	}
	f->complained = true;
}

int text_verdict(struct text_file *f, int rc, struct ibc_error *err)
{
	const struct complaint *first = f->first;
	char count[128] = "", column[32] = "";

	if (f->complaints == 0 || (rc && rc != -EINVAL))
		return rc;
	end_complaints(f);
	if (first->at.column)
		snprintf(column, sizeof(column), f->complaints == 1 ? ":%lu" : ", column %lu",
		         first->at.column);
	if (f->complaints == 1 && first->at.line)
		return fail(err, -EINVAL, "%s:%lu%s: %s", first->at.file ?: f->name, first->at.line,
		            column, first->what.text);
	if (f->complaints > 1)
		snprintf(count, sizeof(count),
		         "%lu errors, the first in line %lu%s: ", f->complaints, first->at.line,
		         column);
	return fail(err, -EINVAL, "%s: %s%s", f->name, count, first->what.text);
}

bool text_lost_within(const struct text_file *f, unsigned long first, unsigned long end)
{
	for (unsigned long n = first; n < end && n / 64 < f->seen_room; n++)
		if (f->seen[n / 64] >> n % 64 & 1)
			return true;
	return f->unplaced;
}

void text_has_both(struct text_file *f, unsigned long accounted)
{
	f->has_both = true;
	f->accounted = accounted;
}

int text_end_read(struct text_file *f, int rc, struct fabric_build *b, size_t first,
                  struct ibc_attrs of, struct ibc_error *err)
{
	struct ibc_lost lost[IBC_LOST_SHOWN];
	struct ibc_subnet *subnet;
	size_t n = 0;

	if (rc)
		return text_verdict(f, rc, err);
	if (!f->complaints)
		return 0;
	end_complaints(f);
	if (f->has_both && f->accounted == f->lines)
		of = ibc_attrs_minus(of, IBC_ATTRS(IBC_ATTR_NODE_INFO));
	for (size_t i = 0; i < IBC_LOST_SHOWN && i < f->lines; i++)
		lost[n++] = (struct ibc_lost){ f->first[i].at.file ?: f->name,
			                       f->first[i].what.text, f->first[i].at.line,
			                       f->first[i].at.column };
	/* a line of several subnets may be about any of them; what was added counts once */
	do {
		subnet = fabric_build_subnet_at(b, first++);
		if (subnet)
			fabric_build_lost(b, subnet, f->lines, of, lost, n);
	} while (subnet && ibc_attrs_has(of, IBC_ATTR_NODE_INFO));
	return 0;
}

int text_read(struct text_file *f, reader_fn *read, const char *spec, struct fabric_build *b,
              struct ibc_error *err)
{
	size_t subnets = 0;

	while (fabric_build_subnet_at(b, subnets))
		subnets++;
	text_read_on(f);
	return text_end_read(f, read(f, spec, b, err), b, subnets, IBC_ATTRS(IBC_ATTR_NODE_INFO),
	                     err);
}

int text_fail(struct text_file *f, struct ibc_error *err, const char *format, ...)
{
	struct ibc_error what;
	va_list ap;

	va_start(ap, format);
	vfail(&what, 0, format, ap);
	va_end(ap);
	if (f->complaints > 0)
		text_complain(f, text_here(f), "%s", what.text);
	return fail(err, -EINVAL, "%s:%lu: %s", f->name, f->number, what.text);
}

/* ---- raw bytes ---------------------------------------------------------- */

/* Bytes read, 0 at the end, or negative errno. */
static ssize_t read_raw(struct text_file *f, unsigned char *to, size_t room)
{
	ssize_t n;

	if (f->fd < 0) {
		n = (ssize_t)(f->bytes_left < room ? f->bytes_left : room);
		if (n > 0)
			memcpy(to, f->bytes + f->bytes_total - f->bytes_left, (size_t)n);
		f->bytes_left -= (size_t)n;
		return n;
	}
	do
		n = read(f->fd, to, room);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* The next chunk, as full as it gets: text_rewind() may need it to be the only one. */
static int fill_in(struct text_file *f, struct ibc_error *err)
{
	ssize_t n = 1;

	f->in_at = f->in_end = 0;
	f->chunks++;
	while (n > 0 && f->in_end < CHUNK) {
		n = read_raw(f, f->in + f->in_end, CHUNK - f->in_end);
		if (n < 0)
			return fail(err, n == -EISDIR ? -EISDIR : -EIO, "cannot read %s: %s",
			            f->name, strerror((int)-n));
		f->in_end += (size_t)n;
	}
	f->raw += f->in_end;
	f->raw_ended = n == 0;
	return 0;
}

/* ---- decoded bytes ------------------------------------------------------ */

/* 1: there are bytes in out; 0: the end, and all is whole. */
static int fill_out(struct text_file *f, struct ibc_error *err)
{
	while (f->out_at == f->out_end) {
		int rc = f->in_at == f->in_end && !f->raw_ended ? fill_in(f, err) : 0;
		struct codec_io io;

		if (rc)
			return rc;
		if (!f->decoder) {
			f->codec = codec_of(f->in, f->in_end);
			if (!f->codec->open)
				return fail(err, -EINVAL,
				            "%s is %s: it must be text, plain or in gzip or zstd",
				            f->name, f->codec->name);
			f->decoder = f->codec->open();
			if (!f->decoder)
				return fail_nomem(err);
			f->whole = true;
		}
		io = (struct codec_io){ f->in + f->in_at, f->in_end - f->in_at, f->out, CHUNK,
			                f->whole };
		rc = f->codec->decode(f->decoder, &io);
		if (rc == -ENOMEM)
			return fail_nomem(err);
		f->in_at = f->in_end - io.in_length;
		f->out_at = 0;
		f->out_end = CHUNK - io.out_room;
		f->whole = io.whole;
		f->decoded += f->out_end;
		if (f->decoded > UNPACKED_FREE + f->raw * UNPACKED_RATIO)
			return text_fail(f, err,
			                 "the %s data becomes larger than %d MB and %d times its "
			                 "size together: unpack it first if that is right",
			                 f->codec->name, UNPACKED_FREE >> 20, UNPACKED_RATIO);
		if (rc)
			return text_fail(f, err, "the %s data is damaged", f->codec->name);
		if (f->out_at == f->out_end && f->raw_ended && f->in_at == f->in_end) {
			if (f->whole)
				return 0;
			return text_fail(f, err, "the %s data ends too early: it is cut off",
			                 f->codec->name);
		}
	}
	return 1;
}

/* ---- lines -------------------------------------------------------------- */

static int append_bytes(struct text_file *f, const unsigned char *bytes, size_t n,
                        struct ibc_error *err)
{
	if (n >= LINE_MAX_BYTES - f->length)
		return text_fail(f, err, "the line is longer than %d bytes", LINE_MAX_BYTES);
	while (f->room <= f->length + n)
		if (!grow(&f->line, f->room, &f->room, 1))
			return fail_nomem(err);
	memcpy(f->line + f->length, bytes, n);
	f->length += n;
	f->line[f->length] = '\0';
	return 0;
}

/* Is the line to be reported as damaged?  Once, however often the file is read. */
static bool is_to_report(struct text_file *f)
{
	bool is = f->reads && f->number > f->dropped;

	f->dropped = is ? f->number : f->dropped;
	return is;
}

/* What a file system lost in a crash is a run of NUL bytes: a line that nothing understands. */
static int append_to_line(struct text_file *f, unsigned char *bytes, size_t n,
                          struct ibc_error *err)
{
	char *nul = memchr(bytes, '\0', n);

	if (nul && is_to_report(f))
		text_complain(f, text_here(f), "NUL bytes: what was in their place is lost");
	if (nul && f->number == 1 && !f->lenient)
		return text_fail(f, err, "contains a NUL byte: this is not a text file");
	for (; nul; nul = memchr(nul, '\0', (size_t)((char *)bytes + n - nul)))
		*nul = TEXT_NUL;
	return append_bytes(f, bytes, n, err);
}

/* Puts a line together, behind what is there; 0: there is none. */
static int collect_line(struct text_file *f, struct ibc_error *err)
{
	bool may_drop = f->lenient && f->length == 0, dropped = false;
	unsigned int parts = 0;
	int rc;

	while ((rc = fill_out(f, err)) > 0) {
		unsigned char *from = f->out + f->out_at;
		const unsigned char *end = memchr(from, '\n', f->out_end - f->out_at);
		size_t n = end ? (size_t)(end - from) : f->out_end - f->out_at;

		if (may_drop && n >= LINE_MAX_BYTES - f->length) {
			dropped = f->overlong = true;
			if (is_to_report(f))
				text_complain(f, text_here(f), "the line is longer than %d bytes",
				              LINE_MAX_BYTES);
		}
		if (dropped)
			f->line[f->length = 0] = '\0';
		rc = dropped ? 0 : append_to_line(f, from, n, err);
		f->out_at += n + (end ? 1 : 0);
		if (rc || end)
			return rc ? rc : 1;
		parts++;
	}
	f->cut |= parts > 0;
	return rc < 0 ? rc : parts > 0;
}

/* What is behind @from in the line is the next one of the file. */
static int next_line(struct text_file *f, size_t from, char **line, size_t *length,
                     struct ibc_error *err)
{
	char *here;
	int rc;

	f->number++;
	rc = collect_line(f, err);
	if (rc <= 0) {
		f->number -= rc == 0;
		return rc;
	}
	here = f->line + from;
	if (memchr(here, TEXT_ESCAPE, f->length - from)) {
		take_escapes_out(here);
		f->length = from + strlen(here);
	}
	while (f->length > from && strchr(BLANKS "\r", f->line[f->length - 1]))
		f->line[--f->length] = '\0';
	*line = here + (strncmp(here, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0);
	*length = f->length - (size_t)(*line - f->line);
	return 1;
}

int text_line(struct text_file *f, char **line, size_t *length, struct ibc_error *err)
{
	int rc;

	if (f->complaints > COMPLAINTS_MAX)
		return fail(err, -EINVAL, "%s: more than %u errors", f->name, COMPLAINTS_MAX);
	do {
		f->length = 0;
		rc = next_line(f, 0, line, length, err);
	} while (rc > 0 && is_of_terminal(*line + strspn(*line, BLANKS)));
	return rc;
}

ssize_t text_block(struct text_file *f, size_t n, char **bytes, struct ibc_error *err)
{
	int rc;

	f->length = 0;
	f->number++;
	while (f->length < n && (rc = fill_out(f, err)) != 0) {
		size_t here = f->out_end - f->out_at, left = n - f->length;
		size_t taken = here < left ? here : left;

		if (rc > 0)
			rc = append_bytes(f, f->out + f->out_at, taken, err);
		if (rc)
			return rc;
		f->out_at += taken;
	}
	*bytes = f->line;
	return (ssize_t)f->length;
}

ssize_t text_chunk(struct text_file *f, char **bytes, struct ibc_error *err)
{
	int rc = fill_out(f, err);
	size_t n = f->out_end - f->out_at;

	if (rc <= 0)
		return rc == -EINVAL && f->decoder ? -EBADMSG : rc;
	*bytes = (char *)f->out + f->out_at;
	f->out_at = f->out_end;
	return (ssize_t)n;
}

int text_each_line(struct text_file *f,
                   int (*take)(void *reader, char *line, struct ibc_error *err), void *reader,
                   struct ibc_error *err)
{
	size_t length;
	char *line;
	int rc;

	while ((rc = text_line(f, &line, &length, err)) > 0) {
		rc = take(reader, line, err);
		if (rc)
			break;
	}
	return rc;
}

int text_each_entry(struct text_file *f,
                    int (*take)(void *reader, char *line, struct ibc_error *err), void *reader,
                    struct ibc_error *err)
{
	size_t length;
	char *line;
	int rc;

	while ((rc = text_line(f, &line, &length, err)) > 0) {
		line += strspn(line, BLANKS);
		rc = *line ? take(reader, line, err) : 0;
		if (rc)
			break;
	}
	return rc;
}

int text_line_on(struct text_file *f, char **line, size_t *length, struct ibc_error *err)
{
	size_t skip = f->length - *length, n;
	int rc = append_bytes(f, (const unsigned char *)"\n", 1, err);
	char *added;

	if (rc == 0)
		rc = next_line(f, f->length, &added, &n, err);
	/* more bytes may have moved them all, and the mark stays in front */
	*line = f->line + skip;
	*length = f->length - skip;
	return rc;
}

/* What cannot be read is left to the reader of lines to report. */
bool text_begins(struct text_file *f, bool (*has)(const uint8_t *bytes, size_t n))
{
	struct ibc_error ignored;
	bool found = fill_out(f, &ignored) > 0 && has(f->out, f->out_end);

	return !text_rewind(f, &ignored) && found;
}

int text_rewind(struct text_file *f, struct ibc_error *err)
{
	if (f->chunks > 1 && f->fd >= 0 && lseek(f->fd, 0, SEEK_SET) < 0)
		return fail(err, -EIO, "cannot read %s again: %s", f->name, strerror(errno));
	if (f->chunks > 1) {
		f->bytes_left = f->bytes_total;
		f->in_end = f->chunks = 0;
		f->raw = 0;
		f->raw_ended = false;
	}
	stop_decoder(f);
	f->in_at = f->out_at = f->out_end = f->number = f->decoded = 0;
	f->cut = false;
	return 0;
}
