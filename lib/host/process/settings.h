/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Settings as they are found, of the table of variables and no other.  Of several with one
 * name the first counts: who reads begins with what the library prefers.
 */
#include "host/process/variables.h"

#define SETTINGS_MAX 80 /* a guess: of a process, of those that variables.c knows */

struct stream;

struct settings {
	struct ibc_host *host;
	struct ibc_setting found[SETTINGS_MAX];
	size_t n;
};

void settings_add(struct settings *s, const struct variable *variable, const char *value,
                  const char *where);

/*
 * struct command_line - where in a command line the reading is
 * @expect: what the next argument is, by the one before it
 */
struct command_line {
	enum { EXPECT_ANY, EXPECT_PARAMETER, EXPECT_NAME, EXPECT_VALUE } expect;
	const struct variable *variable;
};
/* The next argument: "--mca btl tcp", "-x NAME=VALUE", "-genv NAME VALUE", "--export=...". */
void settings_argument(struct settings *s, struct command_line *line, const char *argument);

/* A file of lines "NAME = VALUE", by its path below the directory root; its names lack the
   prefix.  One that is not there says nothing. */
void settings_read_file(struct settings *s, int root, const char *path, const char *prefix);
/* What several of them mean together; then they are the model's. */
const struct ibc_setting *settings_settle(struct settings *s);
