/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A build can be without parts (the file PARTS): what people ask of them is refused by name. */
#include <stdbool.h>
#include <stdio.h>

/* struct lacking - @name: a symbol or the id of a check, as lib/left-out has them; @part: has it */
struct lacking {
	const char *name, *part;
};
/* Made by the build, part by part; ended by NULL. */
extern const struct lacking lacking[];

/* What list a name is of. */
#define LACKING_COMMAND "cmd_"
#define LACKING_FORMAT  "renderer_"
#define LACKING_CHECK   ""
/* The part that has what is called by the first word of @name; NULL: not known, or in this build.
 */
const char *part_lacking(const char *kind, const char *name);
/* @part: NULL: the core, which never is */
bool is_part_lacking(const char *part);
/* "built without host, jobs"; nothing of a whole build */
void list_lacking(FILE *out);
/* Arguments of cmd_fail() behind a name: the part is one more. */
#define OF_PART_LACKING " is of the part %s, which this ibcheck was built without"
