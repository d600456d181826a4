/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a build is without (PARTS), and which part has it; the whole is without nothing. */
#include <stddef.h>

#include <ibcheck/ibcheck.h>

/* struct left_out - @name: "blame.fabric", an id of a check, or a symbol, as lib/left-out has them
 */
struct left_out {
	const char *name, *part;
};
/* Made by the build; ended by NULL. */
extern const struct left_out left_out[];
/* The part that has a check, a group of them, a command or a symbol; NULL: none that is left out.
 */
const char *left_out_part(const char *name, size_t length);
/* Arguments of fail() behind a name: the part is one more. */
#define OF_PART_LEFT_OUT " is of the part %s, which this ibcheck was built without"
