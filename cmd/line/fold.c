/* SPDX-License-Identifier: BSD-2-Clause */
/* Words flow into lines. */
#include <string.h>

#include "cmd.h"

#define FOLD_WIDTH 80 /* columns of a terminal */
#define BLANKS     " \n"

void fold_word(struct fold *f, const char *word, size_t length)
{
	bool fresh = f->column <= f->indent;

	if (!fresh && f->column + 1 + length > FOLD_WIDTH) {
		fprintf(f->out, "\n%*s", (int)f->indent, "");
		f->column = f->indent;
		fresh = true;
	}
	f->column += (size_t)fprintf(f->out, "%s%.*s", fresh ? "" : " ", (int)length, word);
}

static void fold_part(struct fold *f, const char *text, const char *end)
{
	size_t length;

	for (text += strspn(text, BLANKS); text < end; text += strspn(text, BLANKS)) {
		length = strcspn(text, BLANKS);
		fold_word(f, text, length);
		text += length;
	}
}

void fold_text(struct fold *f, const char *text)
{
	fold_part(f, text, text + strlen(text));
}

void fold_paragraphs(FILE *out, const char *text)
{
	struct fold f = { .out = out };
	const char *end;

	for (; *text; text = end + strspn(end, "\n")) {
		end = strstr(text, "\n\n");
		if (!end)
			end = text + strlen(text);
		f.column = 0;
		fold_part(&f, text, end);
		fputs("\n\n", out);
	}
}
