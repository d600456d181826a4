/* SPDX-License-Identifier: BSD-2-Clause */
/* -h, for the program and for every command: written from the tables. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

#define HELP_INDENT 28 /* where explanations of options begin: behind the longest of them */

static const char *const group_titles[CMD_GROUPS] = {
	[CMD_FABRIC] = "fabric, one sweep from this host",
	[CMD_HOST] = "this host",
	[CMD_FILES] = "files",
};

/* ---- options --------------------------------------------------------------------- */

/* "text (default), json, ... or junit" */
static void fold_formats(struct fold *f)
{
	const char *name;
	char word[64];

	for (size_t i = 0; (name = ibc_render_format(i)); i++) {
		bool last = !ibc_render_format(i + 1);
		bool comma = !last && ibc_render_format(i + 2);

		snprintf(word, sizeof(word), "%s%s%s%s", i && last ? "or " : "", name,
		         i ? "" : " (default)", comma ? "," : "");
		fold_text(f, word);
	}
}

static void help_opt(const struct opt *o, FILE *out)
{
	struct fold f = { .out = out, .indent = HELP_INDENT, .column = HELP_INDENT };
	char letter[4] = "    ";
	size_t used;

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c,", o->letter);
	else
		letter[3] = '\0';
	used = (size_t)fprintf(out, "  %s --%s%s%s", letter, o->name, o->arg ? " " : "",
	                       o->arg ? o->arg : "");
	fprintf(out, "%s%*s", used < HELP_INDENT ? "" : "\n",
	        (int)(used < HELP_INDENT ? HELP_INDENT - used : HELP_INDENT), "");
	fold_text(&f, o->help);
	if (o->hint == HINT_FORMAT) {
		fputc(':', out);
		fold_formats(&f);
	}
	fputc('\n', out);
}

static void help_opts(const char *title, const struct opt *opts, FILE *out)
{
	fprintf(out, "\n%s\n", title);
	for (; opts->name; opts++)
		help_opt(opts, out);
}

/* ---- the commands, a column for each group ------------------------------------------ */

static const struct cmd *nth_of_group(const struct cmd *const *c, enum cmd_group group, size_t n)
{
	for (; *c; c++)
		if ((*c)->group == group && n-- == 0)
			return *c;
	return NULL;
}

static size_t longest_name(const struct cmd *const *commands, enum cmd_group group)
{
	const struct cmd *c;
	size_t most = 0, length;

	for (size_t i = 0; (c = nth_of_group(commands, group, i)); i++) {
		length = strlen(c->name);
		most = length > most ? length : most;
	}
	return most;
}

/* One cell: "" past the last command. */
static void group_cell(const struct cmd *const *commands, enum cmd_group group, size_t row,
                       char *buf, size_t size)
{
	const struct cmd *c = row ? nth_of_group(commands, group, row - 1) : NULL;

	*buf = '\0';
	if (!row)
		snprintf(buf, size, "%s", group_titles[group]);
	if (c)
		snprintf(buf, size, "  %-*s  %s", (int)longest_name(commands, group), c->name,
		         c->summary);
}

static size_t group_width(const struct cmd *const *commands, enum cmd_group group)
{
	size_t most = 0, length;
	char buf[128];

	for (size_t row = 0; !row || nth_of_group(commands, group, row - 1); row++) {
		group_cell(commands, group, row, buf, sizeof(buf));
		length = strlen(buf);
		most = length > most ? length : most;
	}
	return most;
}

/* One row of all columns; false past the last. */
static bool help_row(const struct cmd *const *commands, size_t row, FILE *out)
{
	char line[512] = "", buf[128];
	size_t at = 0, next = 0;
	bool any = false;

	for (enum cmd_group g = 0; g < CMD_GROUPS; g++) {
		if (!nth_of_group(commands, g, 0))
			continue;
		group_cell(commands, g, row, buf, sizeof(buf));
		if (*buf) {
			at += (size_t)snprintf(line + at, sizeof(line) - at, "%*s%s",
			                       (int)(next - at), "", buf);
			any = true;
		}
		next += group_width(commands, g) + 3;
	}
	if (any)
		fprintf(out, "%s\n", line);
	return any;
}

/* ---- screens ---------------------------------------------------------------------------- */

void help_all(const struct cmd *const *commands, FILE *out)
{
	fputs("usage: ibcheck [COMMON OPTIONS] COMMAND [OPTIONS] [ARGS]\n\n", out);
	for (size_t row = 0; help_row(commands, row, out); row++)
		;
	help_opts("common options", common_opts, out);
	fputs("\nexit status: 0 ok, 1 warning, 2 critical, 3 unknown: not or only partly checked\n"
	      "\"ibcheck COMMAND -h\" shows the options of a command.\n",
	      out);
}

static void help_usage(const struct cmd *cmd, FILE *out)
{
	struct fold f = { .out = out, .indent = strlen("usage: ibcheck ") };
	char word[128];

	f.column = (size_t)fprintf(out, "usage: ibcheck ");
	fold_word(&f, "[COMMON OPTIONS]", strlen("[COMMON OPTIONS]"));
	fold_text(&f, cmd->name);
	for (const struct opt *o = cmd->opts; o && o->name; o++) {
		snprintf(word, sizeof(word), "[--%s%s%s]", o->name, o->arg ? " " : "",
		         o->arg ? o->arg : "");
		fold_word(&f, word, strlen(word));
	}
	if (cmd->args)
		fold_text(&f, cmd->args);
	fputc('\n', out);
}

static void help_checks(const struct cmd *const *commands, const struct cmd *cmd, FILE *out)
{
	struct fold f = { .out = out, .indent = 2, .column = 2 };
	const struct ibc_check *check;

	fputs("\nchecks (\"ibcheck explain ID\" tells of one)\n  ", out);
	for (size_t i = 0; (check = ibc_check_at(i)); i++)
		if (cmd_runs(commands, cmd, check))
			fold_text(&f, check->id);
	fputc('\n', out);
}

void help_cmd(const struct cmd *const *commands, const struct cmd *cmd, FILE *out)
{
	help_usage(cmd, out);
	fprintf(out, "\n%s\n", cmd->summary);
	if (cmd->opts)
		help_opts("options", cmd->opts, out);
	if (cmd->checks)
		help_checks(commands, cmd, out);
	help_opts("common options", common_opts, out);
}
