/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The program: commands and options are tables; nothing here includes lib/. */
#include <signal.h>

#include "app.h"

/* ---- the common options and what they become ---------------------------- */

extern const struct opt common_opts[];
/* common.c: does the specification of a source ask for a sweep? */
bool asks_live(const char *spec);
/* Where options may stand in the configuration file; others in a section of their command. */
#define SECTION_COMMON "common"
#define SECTION_ALL    "all" /* for all commands that run all */
#define FORMAT_TEXT    "text"
#define FORMAT_CSV     "csv"
#define FORMAT_JSON    "json"
#define FORMAT_HTML    "html"
#define FINDINGS       "findings" /* what --table calls them */

/* common.c: does any of the sources? */
bool asks_sweep(const struct app *app);

/* What common options are about: a set of these is what a command takes. */
enum {
	TAKES_SWEEP = 1,       /* of a fabric */
	TAKES_NODES = 2,       /* of its nodes */
	TAKES_CHECKS = 4,      /* a verdict, and findings */
	TAKES_ROOT = 8,        /* of this host's files */
	TAKES_SELECTION = 16,  /* of checks */
	TAKES_STATE = 32,      /* what earlier runs found, to compare with and to add to */
	TAKES_HISTORY = 64,    /* the same, to read */
	TAKES_WINDOWS = 128,   /* of time, between several sweeps */
	TAKES_PHYSICAL = 256,  /* of the physical layer, if that is asked for */
	TAKES_UNHEALTHY = 512, /* of ports that the subnet manager calls so */
	TAKES_KNOWN = 1024,    /* faults that are accepted */
	TAKES_ALL_CHECKS = TAKES_CHECKS | TAKES_SELECTION | TAKES_KNOWN,
	TAKES_FABRIC = TAKES_SWEEP | TAKES_NODES | TAKES_ALL_CHECKS,
	TAKES_HOST = TAKES_ALL_CHECKS | TAKES_ROOT,
};

enum cmd_group { CMD_FABRIC, CMD_HOST, CMD_FILES };
#define CMD_GROUPS 3 /* members of enum cmd_group */

/*
 * struct cmd - one command
 * @example: a line or several of them, without "ibcheck"
 * @takes: which common options
 * @args: what follows the options, as in a synopsis: "ID ...", "[FILE]", or NULL
 * @min_args, @max_args: how many of them
 * @arg_words: what the first of them may be, as of HINT_WORDS; @arg_hint: what the others are
 * @checks: selection of checks it runs, and so what the sweep asks; NULL: none
 * @keeps_output: --output is the command's own file, not the report's
 * @defaults: what its options are before they are read; NULL: zero
 * @pictures: a page shows its fabric
 * @sweeps_by_source: only --source makes it sweep
 * @sums: of metrics it has only sums: it may have a finding for each of 20,000 hosts
 * @of_things: its verdict is about the things that its arguments name
 * @simulates: does this run start ibcheck-sim?  NULL: none does
 * @csv: the table that -f csv writes, if --table names no other; NULL: the findings
 * @stay: in place of all that follows: runs until it is stopped; *verdict: the last one
 * @own_size: of app->own; @end: frees what is in it; or NULL
 * @run: sweeps, checks, fills app->report; prints nothing
 * @input: adds to what checks look at what is the command's own; or NULL
 * @shows: the types of all tables that it may add, ended by NULL: TABLES(); NULL: none
 * @tables: adds the tables once the findings are final; or NULL
 * @text: writes the text format itself, where no table can hold it; or NULL, as if it returned
 *	false, having written nothing
 * @done: once the report is where it belongs; or NULL
 */
struct cmd {
	const char *name, *summary, *args, *example;
	enum cmd_group group;
	unsigned int takes;
	unsigned int min_args, max_args;
	enum opt_hint arg_hint;
	const char *arg_words, *checks;
	const struct opt *opts;
	size_t cfg_size, own_size;
	bool keeps_output, pictures, sweeps_by_source, sums, of_things;
	const void *defaults;
	const struct ibc_table_type *const *shows;
	const struct ibc_table_type *csv;
	int (*stay)(struct app *app, enum ibc_severity *verdict, struct ibc_error *err);
	bool (*simulates)(const struct app *app);
	int (*run)(struct app *app, struct ibc_error *err);
	void (*input)(const struct app *app, struct ibc_input *in);
	int (*tables)(struct app *app, struct ibc_error *err);
	bool (*text)(struct app *app, FILE *out);
	int (*done)(struct app *app, struct ibc_error *err);
	void (*end)(struct app *app);
};

/*
 * struct addition - what a part adds to a command that is not its own, which does not name it
 * @cmd: the name of that command; NULL: to all.  Whoever has that name has its app->cfg, too
 * @example, @shows: as of struct cmd, after those; or NULL
 * @verify: refuses options that cannot be meant together, before the command runs; or NULL
 * @wanted: is this run all its own?  Then @run and @tables are in place of the command's; or NULL
 * @more: adds tables after the command's; or NULL
 * @input, @done, @end: as of struct cmd, after those; or NULL
 * @library: says the version of what the part loads, as version_library(); or NULL
 */
struct addition {
	const char *cmd, *example;
	const struct ibc_table_type *const *shows;
	int (*verify)(struct app *app, struct ibc_error *err);
	bool (*wanted)(const struct app *app);
	int (*run)(struct app *app, struct ibc_error *err);
	int (*tables)(struct app *app, struct ibc_error *err);
	int (*more)(struct app *app, struct ibc_error *err);
	void (*input)(const struct app *app, struct ibc_input *in);
	int (*done)(struct app *app, struct ibc_error *err);
	void (*end)(struct app *app);
	void (*library)(FILE *out);
};
/* additions.txt: those that this build has; ended by NULL */
extern const struct addition *const all_additions[];
/* The next one to a command from all_additions[*i] on, with *i behind it; NULL: none is left. */
const struct addition *addition_next(const struct cmd *cmd, size_t *i);
/* The i-th type of the tables that it may add, with what is added to it; NULL: no more. */
const struct ibc_table_type *cmd_shows(const struct cmd *cmd, size_t i);

#define TABLES(...) ((const struct ibc_table_type *const[]){ __VA_ARGS__, NULL })

/* commands.c: every command, ended by NULL, in the order of the help; main.c hands it on. */
extern const struct cmd *const all_commands[];
/*
 * The hidden command that lints ask: a line for each thing of each table, its name, "command",
 * "column" or "metric", and the name or key of that, or "sample" and the name and the labels of a
 * metric, with tabs between.
 */
#define TABLES_COMMAND "__tables"
void list_tables(const void *ctx, FILE *out); /* @ctx: unused */
/* version.c: the first line is "ibcheck VERSION"; @ctx: unused */
void write_version(const void *ctx, FILE *out);
/*
 * A line of it.
 * @version: NULL: the library has no function that says it
 * @symbol: of the library: by it the file is known that it was loaded from
 */
void version_library(FILE *out, const char *name, const char *version, const void *symbol);
const struct cmd *cmd_find(const struct cmd *const *commands, const char *name);
/* Does this common option do anything for the command?  NULL: for some command. */
bool cmd_takes(const struct cmd *cmd, const struct opt *opt);
/* And does a screen of help show it, which leaves out what this build is without? */
bool cmd_offers(const struct cmd *cmd, const struct opt *opt);
/* Does the command run this check (unless --checks or the configuration says no)? */
bool cmd_runs(const struct cmd *const *commands, const struct cmd *cmd,
              const struct ibc_check *check);
/* As struct cmd's checks: those of every fabric command that one sweep is enough for. */
#define CHECKS_OF_FABRIC "*"
/* Not those that read forwarding tables and their like, which take their time. */
#define WITHOUT_ROUTES "-routes,-ar,-qos.sl2vl,-qos.arbitration,-qos.sl-spread,-host.vport,-router"
/* What such a command runs beside: the fabric as a whole has no command of its own. */
#define CHECKS_WITHOUT_COMMAND "fabric"

/* ---- fail.c: errors of the program itself ---------------------------------- */

int cmd_fail(struct ibc_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Closes a stream of open_memstream(); -ENOMEM and a text of NULL where it is not whole. */
int text_end(FILE *out, char **text, struct ibc_error *err);

/* On stderr; it may quote files and arguments: no control character goes to a terminal. */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "who: text" on stderr, likewise. */
void say_line(const char *who, const char *text);

/* ---- settings.c ----------------------------------------------------------------- */

/*
 * From what was asked for, and the configuration file: what can be found wrong before
 * anything is asked of the fabric.
 */
int settings_read(struct app *app, struct ibc_error *err);
void settings_free(struct app *app);
/* The same command with the same options, and nothing of settings or of a run. */
struct app settings_none(const struct app *app);
/* As if @app->asked had this common option from the command line: the file does not change it. */
void settings_give(struct app *app, const char *option);

/* ---- run.c: one run of a command -------------------------------------------------- */

/* Makes the report: sweeps, checks, finds cases, adds to the state, fills the tables. */
int run_report(struct app *app, struct ibc_error *err);
/* Once the report is where it belongs: the run counts, and the hook gets what changed. */
int run_commit(struct app *app, struct ibc_error *err);
/* Frees what belongs to the run, whatever is there, but for app->how.earlier. */
void run_free(struct app *app);

/* ---- capabilities.c ---------------------------------------------------------------- */

/*
 * Before anything is read that others wrote; the second time it does nothing.  Gives up the
 * capabilities that the run does not need, and without --hook new ones for good.  Who starts a
 * thread calls it before: it is of the calling one, and of those it starts.  What fails is said,
 * and the run goes on.  With keys no core is left.
 */
void capabilities_drop(const struct app *app);
/* The same before a fabric is swept or this host read: then -v says which were given up. */
void capabilities_drop_live(const struct app *app);

/* ---- debug.c: --debug ------------------------------------------------------- */

#define DEBUG_ALL "all"

/* What --debug names becomes app->trace, which writes to stderr. */
int app_debug(struct app *app, struct ibc_error *err);

/* ---- place.c: one port by what people call it -------------------------------------- */

/*
 * The one port that a text names (ibc_fabric_find()): of a host the first that has a LID
 * here, of a switch port 0.
 */
int place_find(const struct ibc_fabric *fab, const char *text, const struct ibc_port **out,
               struct ibc_error *err);
/* Adds all places that a text names to those that are shown; as ibc_fabric_find(). */
int app_place(struct app *app, const char *text, struct ibc_error *err);
/* The port of a place; of a whole node the one where packets for it go; NULL: it has none. */
const struct ibc_port *port_of_place(const struct ibc_place *place);
/* As ibc_place_text(); "-" for none. */
const char *place_name(const struct ibc_port *port, char text[IBC_PLACE_TEXT]);

/* ---- app.c, sweep.c: what commands are made of ----------------------------- */

/*
 * Decides which checks run: the enabled ones of the command that --checks names,
 * and that the selection @only names, if it is not NULL.
 */
int app_select(struct app *app, const char *only, struct ibc_error *err);
/* No check runs; what the fabric did not answer is reported all the same. */
void app_select_none(struct app *app);
/* Is the check one of those that run? */
static inline bool app_runs(const struct app *app, const char *id)
{
	return ibc_check_set_has(&app->selection, ibc_check_find(id));
}
/* Sweeps (or reads) the sources into app->fabric: what the checks need, and @needs. */
int app_sweep(struct app *app, struct ibc_attrs needs, struct ibc_error *err);
/* The same for nothing but @needs, whatever the checks read. */
int app_sample(struct app *app, struct ibc_attrs needs, struct ibc_error *err);
/* As app_sweep(), and sets what was read of counters to 0; @what: set of enum ibc_clear. */
int app_clear(struct app *app, unsigned int what, struct ibc_error *err);
/* Reads @n files, a subnet each, whatever their names look like: what others are compared with. */
int app_load(const struct app *app, const char *const *files, size_t n, struct ibc_fabric **out,
             struct ibc_error *err);
/* Writes app->fabric, in the format that the name of the file asks for. */
int app_save(const struct app *app, const char *path, struct ibc_error *err);
/* Puts the trace of --record in its place; what fails is said, and kept in app->sweep.unrecorded.
 */
void app_recorded(struct app *app);
/* Says in the report what app->fabric is, and how long it took; app_sweep() has done so. */
int app_describe(struct app *app, double seconds, struct ibc_error *err);
/* Infers the tree of the fabric into app->fattree, if it was not yet. */
int app_infer(struct app *app, struct ibc_error *err);
/* Follows the routes of the fabric into app->routes, if it was not done yet. */
int app_follow(struct app *app, struct ibc_error *err);
/* ", swept 2026-01-31 12:00:00 UTC on head01", as far as that is known. */
#define SWEEP_TEXT 320 /* the name of a host has 255 at most */
const char *sweep_text(const struct ibc_subnet *subnet, char buf[SWEEP_TEXT]);
/* The first line of the report: replaces the one there is, which may be among the arguments. */
int app_say(struct app *app, struct ibc_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Runs the chosen checks over the fabric, or this host, into app->report. */
int app_check(struct app *app, struct ibc_error *err);
/* Attributes whose silence counts, whatever the checks: app->how.relevant, and what was asked for.
 */
struct ibc_attrs app_relevant(const struct app *app);
/* The fabric, if its source read the counters twice, so that it can be compared with itself. */
const struct ibc_fabric *app_read_twice(const struct app *app);
/* What the checks look at. */
struct ibc_input app_input(struct app *app);
/* Puts the findings of a finished report together. */
int app_cases(struct app *app, struct ibc_error *err);
/* Is it a check of what is gone?  What was not looked at may be there. */
bool is_of_gone(const char *check);
/* The case of this id; NULL: there is none, @near has what is similar. */
const struct ibc_case *app_case(const struct app *app, const char *id, struct ibc_near *near);
/* Adds a table, one of those that the command says it shows, or finds it again. */
struct ibc_table *app_table(struct app *app, const struct ibc_table_type *type);
/* Everything that is known is wanted: -v, or a format that has room for it. */
bool app_shows_all(const struct app *app);
/* Text, or a page: what only programs read is left out. */
bool app_for_people(const struct app *app);
/* Will app_render() write nothing, as cron wants it?  Once the verdict is final. */
bool app_is_silent(const struct app *app);
/* Marks the faults of --known. */
int app_known(struct app *app, struct ibc_error *err);
/* A time as the file of known faults has it. */
#define KNOWN_TIME 32
const char *known_time(time_t when, char text[KNOWN_TIME]);
/* What --severity says; IBC_OK: nothing, or a word that is none. */
enum ibc_severity app_severity(const struct app *app);
/* Are --format, --table, --sort and --severity ones that there are? */
int app_format(const struct app *app, struct ibc_error *err);
/* The finished report shows what --severity and --node let through. */
int app_show(struct app *app, struct ibc_error *err);
/* Writes the finished report where it belongs. */
int app_render(struct app *app, struct ibc_error *err);

#define WINDOW_MAX_SECONDS 86400 /* a day */

/* jobs.c: names of hosts by their part before the first dot, as strcmp() */
int compare_short_names(const char *a, const char *z);

/* ---- samples.c: --interval, --count ----------------------------------------------------- */

/* Is what they ask for possible? */
int samples_verify(const struct app *app, struct ibc_error *err);
/* Do they ask this run for windows of time? */
bool samples_wanted(const struct app *app);
/*
 * As app_sweep(); if they are wanted after as many sweeps of the counters as that takes, the
 * first of which becomes app->before.
 */
int samples_sweep(struct app *app, struct ibc_attrs needs, struct ibc_error *err);
/* Adds the time over which counters were compared to the headline. */
int samples_say(struct app *app, struct ibc_error *err);
/* windows.c: a row for each window */
extern const struct ibc_table_type windows_type;
void windows_table(struct app *app);
int windows_add(struct app *app, const struct ibc_fabric *before, struct ibc_error *err);

/* ---- state.c, record.c: --state ------------------------------------------------------------ */

/* Is it something else than a directory, or not given where it is needed?  -EINVAL */
int app_state_verify(const struct app *app, struct ibc_error *err);
/* Is there one, and does the command use it? */
static inline bool has_state(const struct app *app)
{
	return app->common.state && (app->cmd->takes & TAKES_STATE || app->memory.looks_back);
}
/*
 * Opens it once the fabric is swept, and fills app->memory.last; counters are compared with
 * that unless app->before is set.  If it is of no use, that is a finding.
 */
void app_remember(struct app *app);
/* Over a port of this host, not from a file or by formula? */
static inline bool subnet_is_live(const struct ibc_subnet *subnet)
{
	return *subnet->ca && !*subnet->file;
}
/* Can the source of any subnet provide it? */
bool fabric_provides(const struct ibc_fabric *fab, enum ibc_attr attr);
/* When the fabric was as it is said to be. */
time_t time_of_sweep(const struct ibc_fabric *fab);
/* Adds the finished report to it, and what a hook is to get; likewise. */
int app_record(struct app *app, struct ibc_error *err);

/* ---- hook.c: --hook ---------------------------------------------------------------------- */

#define HOOK_SECONDS 30 /* slow servers answer within that; cron's shortest interval is 60 s */
/*
 * Without a shell, reading and writing @fds; found by PATH if there is no @mask.  Files that
 * whoever called us left open, such as the lock of a job of cron, are not for it.  @mask: it gets a
 * process group of its own and these signals blocked; or NULL.  An errno.
 */
int start_program(char *const *argv, char *const *env, const int fds[2], const sigset_t *mask,
                  pid_t *pid);
/*
 * The same, with the environment that cron gives; waits for its end, and ends it, with all that it
 * started, after so many seconds or by a signal that ends us; @goes_on: SIGHUP does not.  0 if its
 * status is.
 */
int run_program(char *const *argv, int input, int output, double seconds, bool goes_on,
                struct ibc_error *err);

/* Fills app->memory.changes if this run changed something; the report is shown once more for it. */
int hook_compose(struct app *app, struct ibc_error *err);
/* Once the report is out and the run is committed; what fails is said, and app->memory.hook_failed.
 */
void hook_run(struct app *app);

/* ---- hostside.c: this host ---------------------------------------------------- */

/*
 * Reads this host into app->host: what the chosen checks look at, and opts.parts; the
 * root is that of --root.  With a window twice, so far apart, the first time into
 * app->host_before.
 */
int app_host(struct app *app, struct ibc_host_opts opts, double window_seconds,
             struct ibc_error *err);
/* Of whoever has called that, or read app->host: frees them. */
void host_end(struct app *app);
extern const struct ibc_table_type unread_type, host_facts_type;
/*
 * Files that should be there and could not be read: a table, of which text shows the first;
 * how many there are.
 */
size_t host_unread_table(struct app *app);
/* The same, each a gap in what was covered. */
void host_unread(struct app *app);
bool host_has_ports(const struct ibc_host *host);
/* The ports as ibstat has them, as a table of one of these types. */
extern const struct ibc_table_type host_ports_type, local_ports_type;
void host_ports(struct app *app, const struct ibc_table_type *type);
/* All that was read and noted, for comparing hosts, as a table. */
void host_facts(struct app *app);
/* devices.c: which ports a job should use */
extern const struct ibc_table_type devices_type;
void devices_table(struct app *app);
/* "8 RDMA devices, 9 ports" */
int host_headline(struct app *app, struct ibc_error *err);

/* ---- config.c --------------------------------------------------------------- */

#define CONFIG_DEFAULT "/etc/ibcheck/ibcheck.conf"

/* struct config_line - "key = value" of the file, as it is there; texts of app->file.strings */
struct config_line {
	const char *section, *key, *value;
	int line;
};

/* Reads the file of --config, or the default one if it exists. */
int config_read(struct app *app, struct ibc_error *err);

/* ---- ini.c ------------------------------------------------------------------ */

/* Takes one "key = value"; 0, or a negative errno and a sentence without file and line. */
typedef int ini_setter(void *ctx, const char *section, const char *key, const char *value, int line,
                       struct ibc_error *err);
/* Reads a file of sections; what is wrong is an error with its line. */
int ini_read(const char *path, ini_setter *set, void *ctx, struct ibc_error *err);
/* One that is open, which it closes; NULL: errno says why it is not. */
int ini_read_open(FILE *file, const char *path, ini_setter *set, void *ctx, struct ibc_error *err);

/* ---- out.c ------------------------------------------------------------------- */

int out_open(struct out *out, const char *path, struct ibc_error *err);
/* stderr, which stays open. */
int out_open_stderr(struct out *out, struct ibc_error *err);
/* Either ends it, out_commit() also when it fails; a gone reader is -EPIPE without a sentence. */
int out_commit(struct out *out, struct ibc_error *err);
void out_abandon(struct out *out);
/* Signals that end the program, unless it was started to ignore them; and a handler for those. */
void out_deadly(sigset_t *set);
void out_catch(void (*handler)(int), int flags);
/* The one or the other: @rc is what filled it returned; out_commit() returns what a write failed
 * with. */
int out_end(struct out *out, int rc, struct ibc_error *err);
/* How text looks there: colour and width of a terminal. */
struct ibc_render_opts out_looks(const struct out *out);

/* ---- pager.c ------------------------------------------------------------------- */

/* What is written to stdout from here on goes through a pager; false: there is none to start. */
bool pager_start(void);
/* Who quits it has read enough: a write that then fails is no failure. */
bool pager_runs(void);
/* Until it is quit, once nothing else is to be done; or at once. */
void pager_wait(void);

/* ---- progress.c --------------------------------------------------------------- */

/* @stop: ends the sweep if it becomes true; or NULL */
struct progress {
	double started;
	bool terminal, shown;
	const atomic_bool *stop;
};
struct progress progress_start(void);
bool progress_tick(void *ctx, uint64_t answered, uint64_t open, size_t nodes);
void progress_end(struct progress *progress);
/* Seconds of a clock that only goes forward. */
double clock_seconds(void);
void clock_wait(double seconds);
/* So much later by that clock, for who waits until then. */
struct timespec clock_after(clockid_t clock, double seconds);
/*
 * Waits for the end of a window, one of so many, and shows a person how long still.  False: a
 * SIGINT or SIGTERM has come since the first of these waits; the next one ends the program.
 */
bool window_wait(double seconds, unsigned int window, unsigned int of);
/* "10 s", "2.5 min", "1 h", "12 days" */
#define TIME_TEXT 32
const char *duration_text(double seconds, char text[TIME_TEXT]);

/* ---- fold.c ---------------------------------------------------------------------- */

/*
 * struct fold - words flow into lines, all but the first indented
 * @column: where the next word goes; up to @indent: at the start of a line
 */
struct fold {
	FILE *out;
	size_t column, indent;
};
void fold_word(struct fold *f, const char *word, size_t length);
void fold_text(struct fold *f, const char *text);
/* Paragraphs are separated by empty lines; one follows each. */
void fold_paragraphs(FILE *out, const char *text);

/* ---- help.c, complete.c ------------------------------------------------------ */

/* --help, and -h: one screen */
void help_all(const struct cmd *const *commands, FILE *out);
void help_all_brief(const struct cmd *const *commands, FILE *out);
void help_cmd(const struct cmd *const *commands, const struct cmd *cmd, FILE *out);
void help_cmd_brief(const struct cmd *cmd, FILE *out);

/* The hidden command the shells' completions ask; @words: what follows it. */
#define COMPLETE_COMMAND "__complete"
void complete_line(const struct cmd *const *commands, char *const *words, FILE *out);
