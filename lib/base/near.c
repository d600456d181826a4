/* SPDX-License-Identifier: BSD-2-Clause */
/* Names near to one that was mistyped, by the number of edits between them. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <ibcheck/error.h>

static bool is_offered(const struct ibc_near *near, const char *candidate)
{
	for (unsigned int i = 0; i < near->num; i++)
		if (!strcmp(near->best[i].name, candidate))
			return true;
	return false;
}

/* Of equals the shorter: --nod is rather --node than --node-name-map. */
static bool is_nearer(const char *a, size_t distance_a, const char *z, size_t distance_z)
{
	return distance_a < distance_z || (distance_a == distance_z && strlen(a) < strlen(z));
}

void ibc_near_offer(struct ibc_near *near, const char *candidate)
{
	size_t length = near->length ? (size_t)near->length : strlen(near->typed);
	bool begins = length > 2 && !strncmp(candidate, near->typed, length);
	size_t d = begins ? 1
	                  : ibc_text_distance(near->typed, length, candidate, strlen(candidate));
	unsigned int at = near->num;

	if (d > 1 + length / 4 || is_offered(near, candidate))
		return;
	while (at > 0 &&
	       is_nearer(candidate, d, near->best[at - 1].name, near->best[at - 1].distance))
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
