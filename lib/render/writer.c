/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "render/writer.h"

void give_up(struct writer *w, int error)
{
	if (!w->error)
		w->error = error;
}

void put_bytes(struct writer *w, const char *s, size_t n)
{
	if (w->error || !n)
		return;
	w->begun = true;
	errno = 0;
	if (fwrite_unlocked(s, 1, n, w->out) != n)
		give_up(w, errno ? -errno : -EIO);
}

void put(struct writer *w, const char *s)
{
	put_bytes(w, s, strlen(s));
}

void end_line(struct writer *w)
{
	put(w, "\n");
}

void put_blanks(struct writer *w, size_t n)
{
	static const char blanks[] = "                                ";

	for (; n > sizeof(blanks) - 1; n -= sizeof(blanks) - 1)
		put_bytes(w, blanks, sizeof(blanks) - 1);
	put_bytes(w, blanks, n);
}

static void put_with_escapes(struct writer *w, const char *s, const struct escape *escapes,
                             void (*emit)(struct writer *w, const char *s, size_t n))
{
	const char *plain = s;

	while (*s) {
		const struct escape *e = escapes;

		while (e->from && strncmp(s, e->from, strlen(e->from)))
			e++;
		if (!e->from) {
			s++;
			continue;
		}
		emit(w, plain, (size_t)(s - plain));
		emit(w, e->to, strlen(e->to));
		s += strlen(e->from);
		plain = s;
	}
	emit(w, plain, (size_t)(s - plain));
}

void put_escaped(struct writer *w, const char *s, const struct escape *escapes)
{
	put_with_escapes(w, s, escapes, put_bytes);
}

static void collect_bytes(struct writer *w, const char *s, size_t n)
{
	size_t room = 2 * w->room + n + 80;
	char *more;

	if (w->length + n >= w->room) {
		more = xrealloc(w->line, room, 1);
		if (!more) {
			give_up(w, -ENOMEM);
			return;
		}
		w->line = more;
		w->room = room;
	}
	memcpy(w->line + w->length, s, n);
	w->length += n;
	w->line[w->length] = '\0';
}

void collect_text(struct writer *w, const char *text)
{
	collect_bytes(w, text, strlen(text));
}

void collect_escaped(struct writer *w, const char *s, const struct escape *escapes)
{
	put_with_escapes(w, s, escapes, collect_bytes);
}

static void put_part(void *writer, const char *part, bool is_text)
{
	(is_text ? say : put)(writer, part);
}

static void say_part(void *writer, const char *part, bool is_text)
{
	(void)is_text;
	say(writer, part);
}

void putf(struct writer *w, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	str_each_part(format, &ap, put_part, w);
	va_end(ap);
}

void say(struct writer *w, const char *text)
{
	w->say(w, text);
}

void sayf(struct writer *w, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	str_each_part(format, &ap, say_part, w);
	va_end(ap);
}

const char *utc_text(time_t when, char text[UTC_TEXT])
{
	struct tm tm;

	if (!when || !gmtime_r(&when, &tm) || !strftime(text, UTC_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return NULL;
	return text;
}
