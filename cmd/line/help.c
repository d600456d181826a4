/* SPDX-License-Identifier: BSD-2-Clause */
/* -h, one screen, and --help, all: for the program and for every command, from the tables. */
#include <string.h>

#include "cmd.h"

#define HELP_INDENT 28 /* where explanations of options begin: behind most of them */
#define EXIT_STATUS                                                                                \
	"\nexit status: 0 ok, 1 warning, 2 critical, 3 unknown: not or only partly checked\n"
#define COMMAND_INDENT 12 /* where those of commands begin: behind all of them */
#define CHOICES_MAX    32 /* formats, or tables of a command: half of that */

static const char *const group_titles[CMD_GROUPS] = {
	[CMD_FABRIC] = "fabric, one sweep from this host",
	[CMD_HOST] = "this host",
	[CMD_FILES] = "files",
};

/* ---- options --------------------------------------------------------------------- */

/* "text (default), json, ... or junit"; "findings, cases, ports or links" */
static void fold_choice(struct fold *f, enum opt_hint hint, const struct cmd *cmd)
{
	const struct ibc_table_type *t;
	const char *names[CHOICES_MAX] = { FORMAT_TEXT " (default)" };
	size_t n = 0;
	char word[64];

	if (hint == HINT_FORMAT) {
		for (n = 1; n < CHOICES_MAX && (names[n] = ibc_render_format(n));)
			n++;
	} else {
		names[n++] = FINDINGS;
		names[n++] = IBC_CASES_TABLE;
		for (size_t i = 0; cmd && n < CHOICES_MAX && (t = cmd_shows(cmd, i)); i++)
			names[n++] = t->name;
	}
	for (size_t i = 0; i < n; i++) {
		snprintf(word, sizeof(word), "%s%s%s", i + 1 == n ? "or " : "", names[i],
		         i + 2 < n ? "," : "");
		fold_text(f, word);
	}
}

/* Behind a word of so many columns, or below it. */
static void help_indent(size_t used, FILE *out)
{
	fprintf(out, "%s%*s", used < HELP_INDENT ? "" : "\n",
	        (int)(used < HELP_INDENT ? HELP_INDENT - used : HELP_INDENT), "");
}

static void help_opt(const struct opt *o, const struct cmd *cmd, FILE *out)
{
	struct fold f = { .out = out, .indent = HELP_INDENT, .column = HELP_INDENT };
	char letter[4] = "   ";
	size_t used;

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c,", o->letter);
	used = (size_t)fprintf(out, "  %s --%s%s%s", letter, o->name, o->arg ? " " : "",
	                       o->arg ? o->arg : "");
	help_indent(used, out);
	fold_text(&f, o->help);
	if (o->hint == HINT_FORMAT)
		fputc(':', out);
	if (o->hint == HINT_FORMAT || o->hint == HINT_TABLE)
		fold_choice(&f, o->hint, cmd);
	fputc('\n', out);
}

/* Those that do something for the command. */
static void help_opts(const char *title, const struct opt *opts, const struct cmd *cmd, FILE *out)
{
	fprintf(out, "\n%s\n", title);
	for (; opts->name; opts++)
		if (cmd_offers(cmd, opts))
			help_opt(opts, cmd, out);
}

/* ---- screens ---------------------------------------------------------------------------- */

/* A build can be without any command of a group. */
static bool is_empty(const struct cmd *const *commands, enum cmd_group group)
{
	while (*commands && (*commands)->group != group)
		commands++;
	return !*commands;
}

void help_all(const struct cmd *const *commands, FILE *out)
{
	struct fold f = { .out = out, .indent = COMMAND_INDENT };

	fputs("usage: ibcheck [COMMON OPTIONS] COMMAND [OPTIONS] [ARGS]\n", out);
	for (enum cmd_group g = 0; g < CMD_GROUPS; g++) {
		if (is_empty(commands, g))
			continue;
		fprintf(out, "\n%s\n", group_titles[g]);
		for (const struct cmd *const *c = commands; *c; c++) {
			if ((*c)->group != g)
				continue;
			f.column = (size_t)fprintf(out, "  %-*s", COMMAND_INDENT - 2, (*c)->name);
			fold_text(&f, (*c)->summary);
			fputc('\n', out);
		}
	}
	help_opts("common options", common_opts, NULL, out);
	fputs(EXIT_STATUS
	      "\"ibcheck help COMMAND\" shows the options of a command, with examples.\n"
	      "Coming from other tools? \"ibcheck iblinkinfo\" names ours; ibcheck(8) has all.\n",
	      out);
}

/* Commands by name, and those to start with. */
void help_all_brief(const struct cmd *const *commands, FILE *out)
{
	struct fold f = { .out = out, .indent = 2 };

	fputs("usage: ibcheck [COMMON OPTIONS] COMMAND [OPTIONS] [ARGS]\n\n"
	      "  ibcheck all                  is the fabric as it should be?\n"
	      "  ibcheck show NAME            a host, HCA, switch, port, cable or case\n"
	      "  ibcheck topo PLAN            cabling errors, compared with a plan\n"
	      "  ibcheck counters -i 60       bad cables and congestion, in a minute\n"
	      "  ibcheck explain CHECK        what a check means and what to do\n",
	      out);
	for (enum cmd_group g = 0; g < CMD_GROUPS; g++) {
		if (is_empty(commands, g))
			continue;
		fprintf(out, "\n%s\n  ", group_titles[g]);
		f.column = f.indent;
		for (const struct cmd *const *c = commands; *c; c++)
			if ((*c)->group == g)
				fold_text(&f, (*c)->name);
		fputc('\n', out);
	}
	fputs(EXIT_STATUS "\"ibcheck --help\" says what each command does, \"ibcheck COMMAND -h\" "
	                  "how it is used.\n",
	      out);
}

/* And what it is for, with examples. */
static void help_usage(const struct cmd *cmd, FILE *out)
{
	struct fold f = { .out = out, .indent = strlen("usage: ibcheck ") };
	const char *line = cmd->example;
	const struct addition *a;
	size_t next = 0;
	char word[128];

	f.column = (size_t)fprintf(out, "usage: ibcheck ");
	fold_word(&f, "[COMMON OPTIONS]", strlen("[COMMON OPTIONS]"));
	fold_text(&f, cmd->name);
	for (const struct opt *o = cmd->opts; o && o->name; o++) {
		if (!cmd_offers(cmd, o))
			continue;
		snprintf(word, sizeof(word), "[--%s%s%s]", o->name, o->arg ? " " : "",
		         o->arg ? o->arg : "");
		fold_word(&f, word, strlen(word));
	}
	if (cmd->args)
		fold_text(&f, cmd->args);
	fprintf(out, "\n\n%s\n\nexamples\n", cmd->summary);
	do
		for (; *line; line = strchr(line, '\n') + 1)
			fprintf(out, "  ibcheck %.*s\n", (int)strcspn(line, "\n"), line);
	while ((a = addition_next(cmd, &next)) && (line = a->example ?: ""));
}

/* Headings that say too little alone. */
static void help_columns(const struct cmd *cmd, FILE *out)
{
	const struct ibc_table_type *t;
	const char *title = "\ncolumns (ibcheck-report(5) has all)\n";

	for (size_t i = 0; (t = cmd_shows(cmd, i)); i++)
		for (const struct ibc_column *c = t->columns; c->key; c++) {
			struct fold f = { .out = out,
				          .indent = HELP_INDENT,
				          .column = HELP_INDENT };

			if (!c->legend)
				continue;
			fputs(title, out);
			title = "";
			help_indent((size_t)fprintf(out, "  %s: %s", t->name, c->heading), out);
			fold_text(&f, c->legend);
			fputc('\n', out);
		}
}

void help_cmd_brief(const struct cmd *cmd, FILE *out)
{
	help_usage(cmd, out);
	fprintf(out, EXIT_STATUS "\"ibcheck %s --help\" explains all options.\n", cmd->name);
}

void help_cmd(const struct cmd *const *commands, const struct cmd *cmd, FILE *out)
{
	struct fold f = { .out = out, .indent = 2, .column = 2 };
	const struct ibc_check *check;

	help_usage(cmd, out);
	if (cmd->opts)
		help_opts("options", cmd->opts, cmd, out);
	if (cmd->checks) {
		fputs("\nchecks (\"ibcheck explain ID\" explains one)\n  ", out);
		for (size_t i = 0; (check = ibc_check_at(i)); i++)
			if (cmd_runs(commands, cmd, check))
				fold_text(&f, check->id);
		fputc('\n', out);
	}
	help_columns(cmd, out);
	help_opts("common options", common_opts, cmd, out);
	fputs(EXIT_STATUS, out);
}
