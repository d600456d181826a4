/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/left_out.h"

#define COMMAND "cmd_" /* begins the symbol of a command, whose options have a section, too */

const char *left_out_part(const char *name, size_t length)
{
	for (const struct left_out *l = left_out; l->name; l++) {
		const char *own = l->name;

		own += strncmp(own, COMMAND, strlen(COMMAND)) ? 0 : strlen(COMMAND);
		if (!strncmp(own, name, length) && (!own[length] || own[length] == '.'))
			return l->part;
	}
	return NULL;
}
