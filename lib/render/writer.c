/* SPDX-License-Identifier: BSD-2-Clause */
#include "render/writer.h"

#include <errno.h>
#include <string.h>

void give_up(struct writer *w, int error)
{
	if (!w->error)
		w->error = error;
}

void put_bytes(struct writer *w, const char *s, size_t n)
{
	if (w->error)
		return;
	w->begun = w->begun || n;
	errno = 0;
	if (fwrite_unlocked(s, 1, n, w->out) != n)
		give_up(w, errno ? -errno : -EIO);
}

void put(struct writer *w, const char *s)
{
	put_bytes(w, s, strlen(s));
}

void put_blanks(struct writer *w, size_t n)
{
	static const char blanks[] = "                                ";

	for (; n > sizeof(blanks) - 1; n -= sizeof(blanks) - 1)
		put_bytes(w, blanks, sizeof(blanks) - 1);
	put_bytes(w, blanks, n);
}

void put_escaped(struct writer *w, const char *s, const struct escape *escapes)
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
		put_bytes(w, plain, (size_t)(s - plain));
		put(w, e->to);
		s += strlen(e->from);
		plain = s;
	}
	put(w, plain);
}
