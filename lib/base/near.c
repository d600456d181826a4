/* SPDX-License-Identifier: BSD-2-Clause */
/* Names near to one that was mistyped, by the number of edits between them: Levenshtein's distance.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <ibcheck/error.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t ibc_text_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[IBC_TEXT_DISTANCE_MAX + 1];

	na = least(na, IBC_TEXT_DISTANCE_MAX);
	nb = least(nb, IBC_TEXT_DISTANCE_MAX);
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t above = row[j];

			row[j] = least(diagonal + (a[i - 1] != b[j - 1]),
			               1 + least(above, row[j - 1]));
			diagonal = above;
		}
	}
	return row[nb];
}

void ibc_near_offer(struct ibc_near *near, const char *candidate)
{
	size_t length = near->length ? (size_t)near->length : strlen(near->typed);
	bool begins = length > 2 && !strncmp(candidate, near->typed, length);
	size_t d = begins ? 1
	                  : ibc_text_distance(near->typed, length, candidate, strlen(candidate));
	unsigned int at = near->num;

	for (unsigned int i = 0; i < near->num; i++)
		if (!strcmp(near->best[i].name, candidate))
			return;
	if (d > 1 + length / 4)
		return;
	/* of equals the shorter: --nod is rather --node than --node-name-map */
	while (at > 0 && (d < near->best[at - 1].distance ||
	                  (d == near->best[at - 1].distance &&
	                   strlen(candidate) < strlen(near->best[at - 1].name))))
		at--;
	if (at == IBC_NEAR_BEST)
		return;
	if (near->num < IBC_NEAR_BEST)
		near->num++;
	memmove(&near->best[at + 1], &near->best[at], (near->num - at - 1) * sizeof(near->best[0]));
	near->best[at].distance = d;
	snprintf(near->best[at].name, sizeof(near->best[at].name), "%s", candidate);
}

const char *ibc_near_text(struct ibc_near *near)
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
