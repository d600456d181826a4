/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of known faults: lines are added, listed and removed. */
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ibcheck/files.h>

#include "columns.h"
#include "known.h"

#define FOR_MAX_SECONDS (366 * 86400) /* a year: what is longer has a date */
#define VIEW_ID         17            /* the 16 digits of a whole hash */
#define SECONDS_UP      59            /* UNTIL is in minutes: never less than was said */

static const struct opt known_opts[] = {
	OPT_STR(0, "until", "WHEN", struct known_cfg, until,
	        "add: until this day or minute, YYYY-MM-DD or YYYY-MM-DDTHH:MM"),
	OPT_SECONDS(0, "for", "TIME", struct known_cfg, for_seconds, FOR_MAX_SECONDS,
	            "add: for this time from now on (30m, 2h or 7d)"),
	OPT_STR(0, "reason", "TEXT", struct known_cfg, reason,
	        "add, retire: why it is accepted, or taken away"),
	OPT_STR(0, "owner", "NAME", struct known_cfg, owner,
	        "add, retire: who is responsible (default: the calling user)"),
	OPT_FLAG(0, "unseen", struct known_cfg, unseen,
	         "add: accept the ID of a single fault without looking for it"),
	OPT_LIST(0, "expect", "FILE", struct known_cfg, expect,
	         "add: look for the case as all --expect does", .hint = HINT_FILE),
	OPT_FLAG(0, "routes", struct known_cfg, routes,
	         "add: look for the case as all --routes does"),
	OPT_FLAG(0, "gone", struct known_cfg, gone,
	         "retire: all that is gone, as --state remembers it; without --yes it is listed"),
	OPT_FLAG(0, "yes", struct known_cfg, yes, "retire --gone: write the lines"),
	OPT_END,
};

/* ---- the list ------------------------------------------------------------------ */

/*
 * "leaf03/19 - spine02/7 [354a6cf1]", the name in a line for a case: @id is the ID in brackets, by
 * which it was accepted.  Returns the length of the name before it; 0: it has none.
 */
static size_t view_of(const struct ibc_known_line *l, char id[VIEW_ID])
{
	const char *open = l->name ? strrchr(l->name, '[') : NULL;
	size_t n = open ? strlen(open + 1) : 0;

	if (!n || open == l->name || open[-1] != ' ' || open[n] != ']' || n > VIEW_ID)
		return 0;
	snprintf(id, VIEW_ID, "%.*s", (int)n - 1, open + 1);
	return ibc_is_case_id(id) ? (size_t)(open - 1 - l->name) : 0;
}

/* Of a case its name, where the line has it. */
static struct ibc_value line_what(struct ibc_cell *cell)
{
	const struct ibc_known_line *l = cell->row;
	char id[VIEW_ID];
	size_t n = view_of(l, id);

	if (n)
		return ibc_cell_text(cell, "%.*s", (int)n, l->name);
	return ibc_str(l->name ?: l->id ?: l->subject);
}

static struct ibc_value line_view(struct ibc_cell *cell)
{
	char id[VIEW_ID];

	return view_of(cell->row, id) ? ibc_cell_text(cell, "%s", id) : ibc_none();
}

static bool is_retired(const struct ibc_known_line *line)
{
	return !strcmp(line->check, IBC_KNOWN_RETIRED);
}

/* What is retired is so from then on. */
static struct ibc_value line_until(struct ibc_cell *cell)
{
	const struct ibc_known_line *l = cell->row;

	if (!is_retired(l))
		return ibc_str(l->known.until);
	return ibc_cell_text(cell, "since %s", l->known.until);
}

GETTER(line_retired, struct ibc_known_line, l,
       is_retired(l) ? ibc_str(l->known.until) : ibc_none());

static const struct ibc_column known_columns[] = {
	FIELD("line", "LINE", struct ibc_known_line, number, .detail = true),
	FIELD("check", "CHECK", struct ibc_known_line, check),
	FIELD("subject", NULL, struct ibc_known_line, subject),
	COLUMN("what", "SUBJECT", line_what),
	FIELD("case", "ID", struct ibc_known_line, id),
	COLUMN("until", "UNTIL", line_until),
	COLUMN("retired", NULL, line_retired),
	COLUMN("view", NULL, line_view),
	FIELD("expired", "EXPIRED", struct ibc_known_line, known.expired),
	FIELD("owner", "OWNER", struct ibc_known_line, known.owner),
	FIELD("reason", "REASON", struct ibc_known_line, known.reason, .sentence = true),
	{ 0 },
};
static const struct ibc_table_type known_type = TABLE("known", known_columns, NULL);

/*
 * struct known_edit - what becomes of the file
 * @check, @what: lines with this CHECK (NULL: any) and one of these SUBJECTs, or an id of these in
 *	it, are dropped; @found: and those of its findings
 * @until: of lines that are added; @added: these, texts of app->file.strings
 * @dropped: their numbers
 * @missing: what --gone would retire, where --yes is not given
 * @err: for drop_line()
 */
struct known_edit {
	const char *path, *check;
	char until[KNOWN_TIME];
	struct str_list what, added;
	const struct ibc_case *found;
	unsigned long *dropped;
	size_t num_dropped;
	struct missing missing;
	struct ibc_error *err;
};

static int read_known(const char *path, int (*each)(const struct ibc_known_line *line, void *ctx),
                      void *ctx, struct ibc_error *err)
{
	char now[KNOWN_TIME];

	known_time(time(NULL), now);
	return ibc_known_read(path, now, each, ctx, err);
}

struct listing {
	struct ibc_table *table;
	bool any_expired;
};

static int list_line(const struct ibc_known_line *line, void *ctx)
{
	struct listing *listing = ctx;

	ibc_table_row(listing->table, line);
	listing->any_expired = listing->any_expired || line->known.expired;
	return 0;
}

/* ---- the file ------------------------------------------------------------------ */

/* By SUBJECT, by the ID of the fault or by that of the view which it was accepted with. */
static bool is_about(const struct ibc_known_line *line, const char *what)
{
	char view[VIEW_ID];

	if (!strcmp(line->subject, what))
		return true;
	return line->id && ibc_is_case_id(what) &&
	       (same_id(line->id, what) || (view_of(line, view) && same_id(view, what)));
}

static int drop_line(const struct ibc_known_line *line, void *ctx)
{
	struct known_edit *edit = ctx;
	unsigned long *more;
	bool about = false;

	if (edit->check && strcmp(line->check, edit->check) != 0)
		return 0;
	for (size_t i = 0; !about && i < edit->what.n; i++)
		about = is_about(line, edit->what.items[i]);
	for (size_t i = 0; line->id && edit->found && i < edit->found->num_findings; i++)
		about |= same_id(line->id, edit->found->findings[i]->id);
	if (!about)
		return 0;
	more = reallocarray(edit->dropped, edit->num_dropped + 1, sizeof(*more));
	if (!more)
		return cmd_fail(edit->err, -ENOMEM, "out of memory");
	edit->dropped = more;
	more[edit->num_dropped++] = line->number;
	return 0;
}

static int accept_line(const struct ibc_known_line *line, void *ctx)
{
	(void)line;
	(void)ctx;
	return 0;
}

/* A file that is not there yet has no lines.  One that could not be read takes no place. */
static int rewrite(const struct known_edit *edit, struct ibc_error *err)
{
	FILE *in = NULL;
	size_t room = 0, next = 0;
	char written[32], *line = NULL;
	struct out out;
	ssize_t n;
	int rc = ibc_file_read(edit->path, &in, err);

	if (!rc || rc == -ENOENT)
		rc = out_open(&out, edit->path, err);
	if (!rc) {
		/* all lines but those that are dropped, which are in their order */
		for (unsigned long i = 1; in && (n = getline(&line, &room, in)) > 0; i++) {
			if (next < edit->num_dropped && edit->dropped[next] == i) {
				next++;
				continue;
			}
			fwrite(line, 1, (size_t)n, out.file);
			if (line[n - 1] != '\n')
				fputc('\n', out.file);
		}
		free(line);
		for (size_t i = 0; i < edit->added.n; i++)
			fprintf(out.file, "%s\n", edit->added.items[i]);
		rc = in && ferror(in) ? cmd_fail(err, -EIO, "cannot read %s", edit->path) : 0;
		snprintf(written, sizeof(written), "/proc/self/fd/%d", out.fd);
		if (!rc && out.temp && !fflush(out.file))
			rc = read_known(written, accept_line, NULL, err);
		rc = out_end(&out, rc, err);
	}
	if (in)
		fclose(in);
	return rc;
}

static int edit_file(struct known_edit *edit, struct ibc_error *err)
{
	int rc;

	edit->err = err;
	rc = access(edit->path, F_OK) ? 0 : read_known(edit->path, drop_line, edit, err);
	if (!rc && !edit->added.n && !edit->num_dropped)
		rc = cmd_fail(err, -ENOENT, "no line of %s is for \"%s\"", edit->path,
		              edit->what.items[0]);
	return rc ? rc : rewrite(edit, err);
}

static void edit_free(struct known_edit *edit)
{
	free(edit->dropped);
	free(edit->what.items);
	free(edit->added.items);
	free(edit->missing.rows);
}

/* ---- a line -------------------------------------------------------------------- */

/* Fields with blanks in them have quotes. */
static const char *quote_of(const char *text)
{
	return strpbrk(text, " \t") ? "\"" : "";
}

/* What a line cannot hold. */
static int check_text(const char *option, const char *text, const char * not, struct ibc_error *err)
{
	if (!text[strcspn(text, not )])
		return 0;
	return cmd_fail(err, -EINVAL, "%s: a line of known faults cannot hold %s", option,
	                strchr(not, '"') ? "a double quote or a line end" : "a line end");
}

static int until_of(const struct known_cfg *c, char until[KNOWN_TIME], struct ibc_error *err)
{
	char now[KNOWN_TIME];

	if (!c->until == !(c->for_seconds > 0))
		return cmd_fail(err, -EINVAL, "add needs either --until or --for");
	known_time(time(NULL), now);
	if (!c->until) {
		known_time(time(NULL) + (time_t)c->for_seconds + SECONDS_UP, until);
		return 0;
	}
	if (!ibc_known_is_time(c->until))
		return cmd_fail(err, -EINVAL,
		                "--until: \"%s\" is neither YYYY-MM-DD nor YYYY-MM-DDTHH:MM",
		                c->until);
	if (strncmp(c->until, now, strlen(c->until)) < 0)
		return cmd_fail(err, -EINVAL, "--until: %s is over", c->until);
	snprintf(until, KNOWN_TIME, "%s", c->until);
	return 0;
}

static int put_line(struct app *app, struct known_edit *edit, const char *subject,
                    struct ibc_error *err)
{
	const struct known_cfg *c = app->cfg;
	/* in a program linked statically libc would load modules of another, for LDAP or SSSD */
	const struct passwd *user = *IBC_STATIC ? NULL : getpwuid(getuid());
	const char *login = user ? user->pw_name : getenv("LOGNAME");
	const char *sudo = getuid() ? NULL : getenv("SUDO_USER");
	const char *owner = c->owner ? c->owner : sudo && *sudo ? sudo : login ? login : "unknown";
	char *line = NULL;
	int rc = check_text(app->common.node ? "--node" : "SUBJECT", subject, "\"\r\n", err);

	if (!rc)
		rc = check_text("--owner", owner, "\"\r\n", err);
	if (!rc)
		rc = check_text("--reason", c->reason, "\r\n", err);
	if (!rc && asprintf(&line, "%s %s%s%s %s %s%s%s %s", edit->check, quote_of(subject),
	                    subject, quote_of(subject), edit->until, quote_of(owner), owner,
	                    quote_of(owner), c->reason) < 0)
		line = NULL;
	return rc ? rc : known_keep(app, &edit->added, line, err);
}

/* ---- the case ------------------------------------------------------------------ */

/*
 * "7f3a9c10:critical:topo.missing-cable:leaf03/19 - spine02/7 [354a6cf1]": by the ID in brackets
 * it is found again, where another one was asked for.  A name may hold no quote.
 */
static int accept_finding(struct app *app, struct known_edit *edit, const struct ibc_finding *f,
                          struct ibc_error *err)
{
	const char *asked = edit->what.items[0];
	char name[IBC_SUBJECT_TEXT], *subject;
	bool own = same_id(f->id, asked);
	int rc;

	ibc_subject_text(&f->subject, name, sizeof(name));
	for (char *at = name; (at = strpbrk(at, "\"\r\n"));)
		*at = '?';
	if (asprintf(&subject, "%s:%s:%s:%s%s%s%s", f->id, ibc_severity_word(f->severity)->word,
	             f->check, name, own ? "" : " [", own ? "" : asked, own ? "" : "]") < 0)
		return cmd_fail(err, -ENOMEM, "out of memory");
	rc = put_line(app, edit, subject, err);
	free(subject);
	return rc;
}

/*
 * A line for each thing that has the fault, and for what follows at the same thing: tomorrow they
 * may stand in other cases.  Of a view the member that is named alone.
 */
static int accept_case(struct app *app, struct known_edit *edit, const char *id,
                       struct ibc_error *err)
{
	const struct known_cfg *c = app->cfg;
	const struct ibc_case *found;
	bool whole;
	int rc;

	if (c->unseen)
		return put_line(app, edit, id, err);
	rc = look_for_case(app, edit->path, id, &found, err);
	if (rc)
		return rc;
	whole = !strcmp(found->id, id);
	for (size_t i = 0; !rc && i < found->num_findings; i++) {
		const struct ibc_finding *f = found->findings[i];

		if (whole ? !f->follows || f->beside : same_id(f->id, id))
			rc = accept_finding(app, edit, f, err);
	}
	edit->found = whole ? found : NULL;
	return rc;
}

/* ---- the command --------------------------------------------------------------- */

static int known_add(struct app *app, struct known_edit *edit, struct ibc_error *err)
{
	const char *id = app->args[1];
	int rc;

	if (!id == !app->common.node)
		return cmd_fail(err, -EINVAL, "add needs the ID of a case, or --node NAME");
	if (id && !ibc_is_case_id(id))
		return cmd_fail(err, -EINVAL,
		                "\"%s\" is not the ID of a case; --node NAME accepts all faults of "
		                "a node",
		                id);
	edit->check = id ? IBC_KNOWN_CASE : "*";
	rc = str_list_add(&edit->what, id ?: app->common.node, err);
	if (!rc)
		rc = until_of(app->cfg, edit->until, err);
	if (!rc)
		rc = id ? accept_case(app, edit, id, err)
		        : put_line(app, edit, app->common.node, err);
	return rc ? rc : edit_file(edit, err);
}

static int known_remove(struct app *app, struct known_edit *edit, struct ibc_error *err)
{
	const char *what = app->args[1];
	int rc;

	if (!what)
		return cmd_fail(err, -EINVAL, "remove needs the ID of a case, or a SUBJECT");
	rc = str_list_add(&edit->what, what, err);
	if (!rc)
		rc = edit_file(edit, err);
	if (rc != -ENOENT || !ibc_is_case_id(what))
		return rc;
	/* lines that an earlier version wrote for a view do not hold its ID */
	rc = look_for_case(app, edit->path, what, &edit->found, err);
	return rc ? rc : edit_file(edit, err);
}

static int find_missing(struct app *app, struct known_edit *edit, struct ibc_error *err)
{
	const struct known_cfg *c = app->cfg;
	struct missing *m = &edit->missing;
	int rc = missing_find(app, m, err);

	for (size_t i = 0; !rc && i < m->n; i++)
		rc = str_list_add(&edit->what, m->rows[i].subject, err);
	if (rc || c->yes)
		return rc;
	app->undone = true;
	say_error("nothing is written: with --yes these are retired: %zu", m->n);
	return 0;
}

static int known_retire(struct app *app, struct known_edit *edit, struct ibc_error *err)
{
	const struct known_cfg *c = app->cfg;
	time_t now = time(NULL);
	struct tm tm;
	int rc = 0;

	if (c->until || c->for_seconds > 0)
		return cmd_fail(err, -EINVAL,
		                "what is retired has no end: known add accepts a fault for a time");
	if (c->gone == !!app->args[1])
		return cmd_fail(err, -EINVAL, "retire needs either NAME or ID, or --gone");
	if (c->gone)
		rc = find_missing(app, edit, err);
	for (char **arg = app->args + 1; !rc && *arg; arg++)
		rc = retire_find(app, edit->path, *arg, &edit->what, err);
	if (rc || app->undone)
		return rc;
	edit->check = IBC_KNOWN_RETIRED;
	/* to the second: a run a moment later may see it again */
	strftime(edit->until, KNOWN_TIME, "%Y-%m-%dT%H:%M:%S", localtime_r(&now, &tm));
	for (size_t i = 0; !rc && i < edit->what.n; i++)
		rc = put_line(app, edit, edit->what.items[i], err);
	rc = rc ? rc : edit_file(edit, err);
	/* a pattern may be meant for later, a wrong name is of no use ever */
	if (!rc && !c->gone && !app->common.state)
		say_error(
		    "whether anything has these names was not looked up: --state DIR says what "
		    "is expected");
	return rc;
}

static const struct {
	const char *word;
	int (*run)(struct app *app, struct known_edit *edit, struct ibc_error *err);
	bool adds;
	int max_args;
} words[] = {
	{ "add", known_add, true, 1 },
	{ "retire", known_retire, true, INT_MAX },
	{ "remove", known_remove, false, 1 },
	{ "list", NULL, false, 0 },
};

static int run_word(struct app *app, struct known_edit *edit, struct ibc_error *err)
{
	const struct known_cfg *c = app->cfg;
	const char *word = app->args[0];
	size_t i = 0;

	while (i < ARRAY_SIZE(words) && strcmp(word, words[i].word) != 0)
		i++;
	if (i == ARRAY_SIZE(words))
		return cmd_fail(err, -EINVAL,
		                "known: there are add, list, remove and retire, not \"%s\"", word);
	for (int n = 0; app->args[n]; n++)
		if (n > words[i].max_args)
			return cmd_fail(err, -EINVAL, "%s does not take \"%s\"", word,
			                app->args[n]);
	if (words[i].adds && !c->reason && (!c->gone || c->yes))
		return cmd_fail(err, -EINVAL, "%s needs --reason", word);
	return words[i].run ? words[i].run(app, edit, err) : 0;
}

static int show_lines(struct app *app, const char *path, struct ibc_error *err)
{
	struct listing listing = { .table = app_table(app, &known_type) };
	int rc = read_known(path, list_line, &listing, err);

	if (!listing.any_expired) /* text has no column that says so */
		ibc_table_hide(listing.table, "expired");
	return rc;
}

static void show_missing(struct app *app, const struct missing *missing)
{
	struct ibc_table *table = app_table(app, &missing_type);

	for (size_t i = 0; i < missing->n; i++)
		ibc_table_row(table, &missing->rows[i]);
}

/* The report is the list: of the sweep that found a case nothing is left in it. */
static int known_run(struct app *app, struct ibc_error *err)
{
	struct known_edit edit = { .path = app->common.known };
	int rc;

	app->common.known = NULL;
	rc = edit.path ? run_word(app, &edit, err)
	               : cmd_fail(err, -EINVAL,
	                          "name the file with --known FILE, or known = FILE in the "
	                          "configuration");
	app_select_none(app);
	app->selects = false;
	if (!rc) {
		ibc_report_free(app->report);
		app->report = NULL;
		rc = ibc_report_new(&app->report, err);
	}
	if (!rc && app->undone)
		show_missing(app, &edit.missing);
	else if (!rc)
		rc = show_lines(app, edit.path, err);
	edit_free(&edit);
	return rc;
}

const struct cmd cmd_known = {
	.name = "known",
	.summary = "accept faults until a date, retire what was taken away",
	.args = "add|list|remove|retire [ID|NAME...]",
	.min_args = 1,
	.max_args = INT_MAX,
	.arg_words = "add list remove retire",
	.example = "known add 7f3a9c10 --until 2026-12-31 --reason \"cable is ordered\"\n"
		   "known add --node node0007 --for 2h --reason reboot\n"
		   "known list\n"
		   "known remove 7f3a9c10\n"
		   "known retire 'node[0001-0018]' --reason \"rack 7 is sold\"\n",
	.group = CMD_FILES,
	.takes = TAKES_FABRIC | TAKES_HISTORY,
	.checks = CHECKS_OF_FABRIC,
	.opts = known_opts,
	.cfg_size = sizeof(struct known_cfg),
	.csv = &known_type,
	.shows = TABLES(&known_type, &missing_type),
	.run = known_run,
};
