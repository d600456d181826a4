/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CMD_H
#define CMD_H

/* The program: commands and options are tables; nothing here includes lib/. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/ibcheck.h>

/* ---- options are data ---------------------------------------------------- */

enum opt_kind { OPT_KIND_FLAG, OPT_KIND_STR, OPT_KIND_LIST, OPT_KIND_UINT, OPT_KIND_HEX,
		OPT_KIND_SECONDS };

/* What completion offers for an option's value. */
enum opt_hint { HINT_NONE, HINT_FILE, HINT_DIR, HINT_FORMAT, HINT_CHECK, HINT_SOURCE, HINT_CA };

/*
 * struct opt - one option; parsing, -h, completion and the manual's lint read it
 * @letter: 0: none
 * @arg: name of the value in the help, NULL for a flag
 * @offset: where in the command's (or the common) structure it goes
 * @min, @max: of a number
 */
struct opt {
	char letter;
	const char *name, *arg, *help;
	enum opt_kind kind;
	enum opt_hint hint;
	size_t offset;
	uint64_t min, max;
};

/* OPT_KIND_LIST collects into one of these. */
struct str_list {
	const char **items; /* NULL-terminated, or NULL while empty */
	size_t n;
};

/* ---- the common options and what they become ---------------------------- */

struct common {
	struct str_list sources;
	const char *ca, *node_name_map, *format, *output, *config, *known, *root, *checks;
	unsigned int port, timeout_ms;
	uint64_t m_key;
	double deadline_seconds;
	bool quiet, verbose, help, version;
};

struct app {
	struct common common;
	const struct cmd *cmd;
	char **args;		  /* what is left after the options; NULL-terminated */
	int argc;		  /* for meta.arguments: the command line as it was */
	char **argv;
	struct ibc_config *config;
	struct ibc_report *report; /* made before run(); rendered after it */
	struct ibc_fabric *fabric; /* made by app_sweep() */
};

enum cmd_group { CMD_FABRIC, CMD_HOST, CMD_FILES };

/*
 * struct cmd - one command
 * @args: what follows the options, as in a synopsis: "ID", "[FILE]", or NULL
 * @min_args, @max_args: how many of them
 * @checks: selection of checks it runs, and so what the sweep asks; NULL: none
 * @run: fills app->report; prints nothing.  0 or negative errno with @err
 */
struct cmd {
	const char *name, *summary, *args;
	enum cmd_group group;
	unsigned int min_args, max_args;
	enum opt_hint arg_hint;
	const char *checks;
	const struct opt *opts;
	size_t cfg_size;
	int (*run)(struct app *app, const void *cfg, struct ibc_error *err);
};

/* Sweeps (or reads) the sources into app->fabric, with what the checks need. */
int app_sweep(struct app *app, const char *selection, struct ibc_error *err);
/* Runs the command's checks (narrowed by --checks) over app->fabric into app->report. */
int app_check(struct app *app, const char *selection, struct ibc_error *err);

#endif
