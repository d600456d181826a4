/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines around and between the records of a file, which do not belong to its format. */
#include <stdio.h>

#include <ibcheck/error.h>

#include "source/source.h"

void text_go_on(struct text_skipped *s, struct text_file *f)
{
	if (!s->in_front)
		s->in_front = s->num + 1;
	for (; s->num >= s->in_front; s->num--)
		for (unsigned long n = s->first[s->num - 1]; n <= s->last[s->num - 1]; n++)
			text_complain(f, (struct text_place){ .line = n }, "not understood");
}

void text_skipped(const struct text_skipped *s, struct text_file *f, const char *format)
{
	bool several = s->num > 1 || (s->num && s->first[0] < s->last[0]);
	char lines[IBC_ERROR_MAX / 2] = "";
	size_t n = 0;

	if (!s->num)
		return;
	for (size_t i = 0; i < s->num; i++) {
		const char *between = i + 1 == s->num ? " and " : ", ";

		n += (size_t)snprintf(lines + n, sizeof(lines) - n, "%s%lu", i ? between : "",
		                      s->first[i]);
		if (s->last[i] > s->first[i])
			n += (size_t)snprintf(lines + n, sizeof(lines) - n, "-%lu", s->last[i]);
	}
	text_note(f, (struct text_place){ 0 }, "line%s %s %s not %s: skipped", several ? "s" : "",
	          lines, several ? "are" : "is", format);
}
