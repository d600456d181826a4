/* SPDX-License-Identifier: BSD-2-Clause */
/* Names near to one that was mistyped, by the number of edits between them. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Levenshtein's distance of the first NEAR_NAME - 1 characters, in one row. */
static unsigned int distance(const char *a, size_t alen, const char *b)
{
	unsigned int row[NEAR_NAME], corner, above;
	size_t blen = strnlen(b, NEAR_NAME - 1);

	if (alen > NEAR_NAME - 1)
		alen = NEAR_NAME - 1;
	for (size_t j = 0; j <= blen; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; i <= alen; i++) {
		corner = row[0];
		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= blen; j++) {
			above = row[j];
			row[j] = least(above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1]));
			corner = above;
		}
	}
	return row[blen];
}

void near_offer(struct near *near, const char *candidate)
{
	size_t length = near->length ? (size_t)near->length : strlen(near->typed);
	bool begins = length > 2 && !strncmp(candidate, near->typed, length);
	unsigned int d = begins ? 1 : distance(near->typed, length, candidate);
	unsigned int at = near->num;

	if (d > 1 + length / 4)
		return;
	while (at > 0 && near->best[at - 1].distance > d)
		at--;
	if (at == NEAR_BEST || (at && !strcmp(near->best[at - 1].name, candidate)))
		return;
	if (near->num < NEAR_BEST)
		near->num++;
	memmove(&near->best[at + 1], &near->best[at], (near->num - at - 1) * sizeof(near->best[0]));
	near->best[at].distance = d;
	snprintf(near->best[at].name, sizeof(near->best[at].name), "%s", candidate);
}

const char *near_text(struct near *near)
{
	size_t at = 0;

	near->text[0] = '\0';
	for (unsigned int i = 0; i < near->num; i++)
		at += (size_t)snprintf(near->text + at, sizeof(near->text) - at, "%s%s",
		                       i == 0               ? "; did you mean "
		                       : i + 1 == near->num ? " or "
		                                            : ", ",
		                       near->best[i].name);
	if (near->num)
		snprintf(near->text + at, sizeof(near->text) - at, "?");
	return near->text;
}
