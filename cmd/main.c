/* SPDX-License-Identifier: BSD-2-Clause */
/* ibcheck: from argv to an exit status. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd.h"
#include "lacking.h"

/* A reader that has gone (EPIPE) leaves no sentence: the status says enough. */
static int failed(const struct ibc_error *err)
{
	if (*err->text)
		say_error("%s", err->text);
	return ibc_severity_exit(IBC_UNKNOWN);
}

static int misused(const struct cmd *cmd, const struct ibc_error *err)
{
	say_error("%s", err->text);
	fprintf(stderr, "try ibcheck %s%s-h\n", cmd ? cmd->name : "", cmd ? " " : "");
	return ibc_severity_exit(IBC_UNKNOWN);
}

/* Runs a writer on stdout; a full disk is a failure for help, too. */
static int write_to_stdout(void (*write)(const void *ctx, FILE *out), const void *ctx)
{
	struct ibc_error err = { "" };
	struct out out;
	int rc;

	if (out_open(&out, NULL, &err))
		return failed(&err);
	write(ctx, out.file);
	rc = out_commit(&out, &err);
	return rc && !(rc == -EPIPE && pager_runs()) ? failed(&err) : 0;
}

static void write_help(const void *ctx, FILE *out)
{
	if (ctx)
		help_cmd(all_commands, ctx, out);
	else
		help_all(all_commands, out);
}

static void write_brief(const void *ctx, FILE *out)
{
	if (ctx)
		help_cmd_brief(ctx, out);
	else
		help_all_brief(all_commands, out);
}

/* -h or --help?  @set: of the common options */
static int help_asked(const struct opt_set *set, const struct cmd *cmd)
{
	bool brief = set->by_letter >> (opt_find(set->opts, "help") - set->opts) & 1;

	if (!brief && !((const struct common *)set->into)->no_pager)
		pager_start();
	return write_to_stdout(brief ? write_brief : write_help, cmd);
}

static void write_candidates(const void *ctx, FILE *out)
{
	complete_line(all_commands, ctx, out);
}

/* ---- one command ------------------------------------------------------------------- */

/* The set of common options comes first; its table is in the order of its bits. */
static int check_scope(const struct app *app, const struct opt_set *common, struct ibc_error *err)
{
	for (size_t i = 0; common->opts[i].name; i++) {
		const char *name = common->opts[i].name;

		if (!(common->given >> i & 1))
			continue;
		if (app->cmd->sweeps_by_source && !app->asked.sources.n &&
		    common->opts[i].scope == TAKES_SWEEP)
			return cmd_fail(err, -EINVAL, "%s takes --%s only with --source",
			                app->cmd->name, name);
		if (cmd_takes(app->cmd, &common->opts[i]))
			continue;
		if (opt_find(app->cmd->opts, name))
			return cmd_fail(err, -EINVAL, "--%s of %s goes behind \"%s\"", name,
			                app->cmd->name, app->cmd->name);
		return cmd_fail(err, -EINVAL, "%s does not take --%s", app->cmd->name, name);
	}
	return 0;
}

/* What people type who know other tools: programs of infiniband-diags, of ibutils and others. NULL:
 * there is nothing like it here.  doc/coming-from.md says why; tests/lint/coming compares. */
static const struct {
	const char *tool, *ours;
} tools[] = {
	{ "iblinkinfo", "ports" },
	{ "ibnetdiscover", "snapshot -o FILE.net" },
	{ "ibqueryerrors", "counters --totals" },
	{ "perfquery", "show NAME/PORT" },
	{ "ibstat", "host" },
	{ "ibstatus", "host" },
	{ "smpquery", "show NAME" },
	{ "ibaddr", "show NAME" },
	{ "vendstat", "show NAME" },
	{ "ibportstate", "show NAME/PORT" },
	{ "ibnodes", "ports" },
	{ "ibhosts", "ports --hcas" },
	{ "ibswitches", "ports --switches" },
	{ "ibrouters", "ports" },
	{ "ibtracert", "routes --path FROM TO" },
	{ "ibfindnodesusing", "routes --using NAME/PORT" },
	{ "ibroute", "routes" },
	{ "dump_fts", "routes" },
	{ "dump_lfts", "routes" },
	{ "dump_mfts", "routes --multicast MLID" },
	{ "check_lft_balance", "routes" },
	{ "ibidsverify", "all" },
	{ "sminfo", "sm" },
	{ "saquery", "sm" },
	{ "ibcacheedit", NULL },
	{ "ibccconfig", NULL },
	{ "ibccquery", NULL },
	{ "ibping", NULL },
	{ "ibsysstat", NULL },
	{ "smpdump", NULL },
	{ "ibclearerrors", "counters --clear errors" },
	{ "ibclearcounters", "counters --clear all" },
	{ "ibcheckerrors", "counters --totals" },
	{ "ibcheckwidth", "ports" },
	{ "ibcheckstate", "ports" },
	{ "ibdiagnet", "all --interval 10s" },
	{ "ibdiagpath", "routes --path FROM TO" },
	{ "ibtopodiff", "topo FILE.topo" },
	{ "ibdmchk", "routes --source FILE --tables FILE" },
	{ "ibv_devinfo", "host" },
	{ "rdma", "host" },
	{ "mlxlink", "cables NAME/PORT" },
	{ "mlxcables", "cables" },
	{ "ethtool", "roce" },
};

static int unknown_command(const char *word)
{
	struct ibc_near near = { .typed = word };
	struct ibc_error err;

	const char *part = part_lacking(LACKING_COMMAND, word);

	if (part) {
		say_error("\"%s\"" OF_PART_LACKING, word, part);
		return ibc_severity_exit(IBC_UNKNOWN);
	}
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		if (!strcmp(tools[i].tool, word)) {
			const char *ours = tools[i].ours;

			part = ours ? part_lacking(LACKING_COMMAND, ours) : NULL;
			if (part)
				say_error("\"%s\" is another tool; ibcheck %s" OF_PART_LACKING,
				          word, ours, part);
			else
				say_error("\"%s\" is another tool%s%s", word,
				          ours ? "; here it is: ibcheck "
				               : ", and ibcheck has none like it",
				          ours ?: "");
			return ibc_severity_exit(IBC_UNKNOWN);
		}
	for (const struct cmd *const *c = all_commands; *c; c++)
		ibc_near_offer(&near, (*c)->name);
	cmd_fail(&err, -EINVAL, "unknown command \"%s\"%s", word, ibc_near_text(&near));
	return misused(NULL, &err);
}

/* argv[0] is the command's name */
static int start_cmd(struct app *app, struct opt_set *sets, int argc, char **argv)
{
	const struct addition *a;
	size_t i = 0;
	enum ibc_severity verdict = IBC_UNKNOWN;
	const struct cmd *cmd = app->cmd;
	struct ibc_error err = { "" };
	unsigned int n;
	int used, rc;

	if (opts_parse(sets, 2, argc, argv, false, &used, &err))
		return misused(app->cmd, &err);
	if (app->asked.version)
		return write_to_stdout(write_version, NULL);
	if (app->asked.help)
		return help_asked(&sets[0], app->cmd);
	app->args = argv + used;
	n = (unsigned int)(argc - used);
	rc = check_scope(app, &sets[0], &err);
	if (!rc && n < cmd->min_args)
		rc = cmd_fail(&err, -EINVAL, "%s needs %s", cmd->name, cmd->args);
	else if (!rc && n > cmd->max_args)
		rc = cmd_fail(&err, -EINVAL, "%s does not take \"%s\"", cmd->name,
		              app->args[cmd->max_args]);
	if (rc)
		return misused(cmd, &err);
	app->line.given = sets[0].given;
	app->line.given_own = sets[1].given;
	if (settings_read(app, &err))
		return failed(&err);
	if (cmd->stay) /* gives up capabilities once it listens */
		return cmd->stay(app, &verdict, &err) ? failed(&err) : ibc_severity_exit(verdict);
	capabilities_drop(app);
	app->shown.once = true;
	rc = run_report(app, &err);
	/* monitoring shows what is on stdout */
	if (rc && !app->common.output && !strcmp(app->common.format, "nagios"))
		printf("IBCHECK UNKNOWN - %.*s\n", (int)strcspn(err.text, "|\n"), err.text);
	if (!rc)
		rc = app_render(app, &err);
	if (!rc && cmd->done)
		rc = cmd->done(app, &err);
	while (!rc && (a = addition_next(cmd, &i)))
		if (a->done)
			rc = a->done(app, &err);
	if (!rc)
		rc = run_commit(app, &err);
	if (rc)
		return failed(&err);
	/* what went wrong beside the checks is unknown; critical stays critical while the report
	 * is whole */
	verdict = ibc_report_verdict(app->report);
	if (app->sweep.unrecorded || app->undone ||
	    (app->memory.hook_failed && verdict < IBC_UNKNOWN))
		verdict = IBC_UNKNOWN;
	return ibc_severity_exit(verdict);
}

static int start_command(struct app *app, int argc, char **argv)
{
	struct opt_set sets[2] = { { .opts = common_opts, .into = &app->asked } };
	struct ibc_error err = { "" };
	const char *word;
	int used, status;

	if (opts_parse(sets, 1, argc, argv, true, &used, &err))
		return misused(NULL, &err);
	if (app->asked.version)
		return write_to_stdout(write_version, NULL);
	if (used >= argc && app->asked.help)
		return help_asked(&sets[0], NULL);
	if (used >= argc) {
		help_all(all_commands, stderr);
		return ibc_severity_exit(IBC_UNKNOWN);
	}
	word = argv[used];
	if (!strcmp(word, "help")) { /* "help", "help COMMAND" */
		word = argv[used + 1];
		app->cmd = word ? cmd_find(all_commands, word) : NULL;
		if (word && !app->cmd)
			return unknown_command(word);
		pager_start();
		return write_to_stdout(write_help, app->cmd);
	}
	app->cmd = cmd_find(all_commands, word);
	if (!app->cmd)
		return unknown_command(word);
	sets[1].opts = app->cmd->opts;
	sets[1].into = calloc(1, app->cmd->cfg_size + 1);
	if (!sets[1].into) {
		say_error("out of memory");
		return ibc_severity_exit(IBC_UNKNOWN);
	}
	app->line.own = sets[1].into;
	if (app->cmd->defaults)
		memcpy(sets[1].into, app->cmd->defaults, app->cmd->cfg_size);
	status = start_cmd(app, sets, argc - used, argv + used);
	opts_free(sets[1].opts, sets[1].into);
	free(sets[1].into);
	return status;
}

/*
 * SQLite maps the file that the users of one history share, and each of them can cut it off.  What
 * is missing of it reads as zeros then, which SQLite does not take for an index, instead of ending
 * the program without a report.
 */
static void read_zeros(int sig, siginfo_t *info, void *context)
{
	uintptr_t size = (uintptr_t)getpagesize(), page = (uintptr_t)info->si_addr & ~(size - 1);
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	(void)context;
	/* another reason is broken memory */
	if (info->si_code != BUS_ADRERR ||
	    mmap((void *)page, size, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
		signal(sig, SIG_DFL); /* it happens again at once */
}

int main(int argc, char **argv)
{
	const struct sigaction cut = { .sa_sigaction = read_zeros, .sa_flags = SA_SIGINFO };
	struct app app = { .commands = all_commands,
		           .asked = { .format = FORMAT_TEXT, .hook_seconds = HOOK_SECONDS },
		           .line.words = (const char *const *)argv };
	char **words;
	int status;

	/* a device opened in the place of a closed stdout would be written to */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", O_RDONLY);
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGBUS, &cut, NULL);
	if (argc > 1 && !strcmp(argv[1], COMPLETE_COMMAND))
		return write_to_stdout(write_candidates, argv + 2);
	if (argc > 1 && !strcmp(argv[1], TABLES_COMMAND))
		return write_to_stdout(list_tables, NULL);
	/* opts_parse() moves words: it gets a copy, the report the line as it was. */
	words = calloc((size_t)argc + 1, sizeof(*words));
	if (!words) {
		say_error("out of memory");
		return ibc_severity_exit(IBC_UNKNOWN);
	}
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	status = start_command(&app, argc, words);
	run_free(&app);
	settings_free(&app);
	opts_free(common_opts, &app.asked);
	free(words);
	pager_wait();
	return status;
}
