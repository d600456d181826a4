/* SPDX-License-Identifier: BSD-2-Clause */
/* What this build is without, and the part that has it. */
#include "lacking.h"

#include <stdio.h>
#include <string.h>

const char *part_lacking(const char *kind, const char *name)
{
	size_t n = strlen(kind), length = strcspn(name, " ");

	for (const struct lacking *l = lacking; l->name; l++)
		if (!strncmp(l->name, kind, n) && !strncmp(l->name + n, name, length) &&
		    !l->name[n + length])
			return l->part;
	return NULL;
}

bool is_part_lacking(const char *part)
{
	const struct lacking *l = lacking;

	while (part && l->name && strcmp(l->part, part) != 0)
		l++;
	return part && l->name;
}

void list_lacking(FILE *out)
{
	const char *last = "";

	for (const struct lacking *l = lacking; l->name; last = l++->part)
		if (strcmp(l->part, last) != 0)
			fprintf(out, "%s %s", *last ? "," : "built without", l->part);
	if (*last)
		putc('\n', out);
}
