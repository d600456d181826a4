/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of known faults: lines are added, listed and removed. */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ibcheck/files.h>

#include "columns.h"
#include "expect.h"

#define FOR_MAX_SECONDS (366 * 86400) /* a year: what is longer has a date */
#define SECONDS_UP      59            /* UNTIL is in minutes: never less than was said */

struct known_cfg {
	const char *until, *reason, *owner;
	double for_seconds;
	struct str_list expect;
	bool routes, unseen;
};

static const struct opt known_opts[] = {
	OPT_STR(0, "until", "WHEN", struct known_cfg, until,
	        "add: until this day or minute, YYYY-MM-DD or YYYY-MM-DDTHH:MM"),
	OPT_SECONDS(0, "for", "TIME", struct known_cfg, for_seconds, FOR_MAX_SECONDS,
	            "add: for this time from now on (30m, 2h or 7d)"),
	OPT_STR(0, "reason", "TEXT", struct known_cfg, reason, "add: why it is accepted"),
	OPT_STR(0, "owner", "NAME", struct known_cfg, owner,
	        "add: who is responsible (default: the calling user)"),
	OPT_FLAG(0, "unseen", struct known_cfg, unseen,
	         "add: accept the ID of a single fault without looking for it"),
	OPT_LIST(0, "expect", "FILE", struct known_cfg, expect,
	         "add: look for the case as all --expect does", .hint = HINT_FILE),
	OPT_FLAG(0, "routes", struct known_cfg, routes,
	         "add: look for the case as all --routes does"),
	OPT_END,
};

/* ---- the list ------------------------------------------------------------------ */

/* Of a case its name, where the line has it. */
GETTER(line_what, struct ibc_known_line, l,
       ibc_str(l->name ? l->name
               : l->id ? l->id
                       : l->subject));

static const struct ibc_column known_columns[] = {
	FIELD("line", "LINE", struct ibc_known_line, number, .detail = true),
	FIELD("check", "CHECK", struct ibc_known_line, check),
	FIELD("subject", NULL, struct ibc_known_line, subject),
	COLUMN("what", "SUBJECT", line_what),
	FIELD("case", "ID", struct ibc_known_line, id),
	FIELD("until", "UNTIL", struct ibc_known_line, known.until),
	FIELD("expired", "EXPIRED", struct ibc_known_line, known.expired),
	FIELD("owner", "OWNER", struct ibc_known_line, known.owner),
	FIELD("reason", "REASON", struct ibc_known_line, known.reason, .sentence = true),
	{ 0 },
};
static const struct ibc_table_type known_type = TABLE("known", known_columns, NULL);

/*
 * struct known_edit - what becomes of the file
 * @check, @what: lines with this CHECK (NULL: any) and this SUBJECT, or the id in it, are dropped;
 *	@found: and those of its findings
 * @dropped: their numbers
 * @added: a line, or NULL
 * @err: for drop_line()
 */
struct known_edit {
	const char *path, *check, *what;
	const struct ibc_case *found;
	unsigned long *dropped;
	size_t num_dropped;
	char *added;
	struct ibc_error *err;
};

static bool same_id(const char *a, const char *z)
{
	return !strncmp(a, z, strlen(a) < strlen(z) ? strlen(a) : strlen(z));
}

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

static int drop_line(const struct ibc_known_line *line, void *ctx)
{
	struct known_edit *edit = ctx;
	unsigned long *more;
	bool about = !strcmp(line->subject, edit->what);

	if (edit->check && strcmp(line->check, edit->check) != 0)
		return 0;
	if (line->id && ibc_is_case_id(edit->what))
		about |= same_id(line->id, edit->what);
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
		if (edit->added)
			fprintf(out.file, "%s\n", edit->added);
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
	if (!rc && !edit->added && !edit->num_dropped)
		rc = cmd_fail(err, -ENOENT, "no line of %s is for \"%s\"", edit->path, edit->what);
	if (!rc)
		rc = rewrite(edit, err);
	free(edit->dropped);
	free(edit->added);
	return rc;
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

static int compose(const struct known_cfg *c, const char *check, const char *subject, char **line,
                   struct ibc_error *err)
{
	/* in a program linked statically libc would load modules of another, for LDAP or SSSD */
	const struct passwd *user = *IBC_STATIC ? NULL : getpwuid(getuid());
	const char *login = user ? user->pw_name : getenv("LOGNAME");
	const char *sudo = getuid() ? NULL : getenv("SUDO_USER");
	const char *owner = c->owner ? c->owner : sudo && *sudo ? sudo : login ? login : "unknown";
	char until[KNOWN_TIME];
	int rc = c->reason ? 0 : cmd_fail(err, -EINVAL, "add needs --reason");

	if (!rc)
		rc = until_of(c, until, err);
	if (!rc)
		rc = check_text("--node", subject, "\"\r\n", err);
	if (!rc)
		rc = check_text("--owner", owner, "\"\r\n", err);
	if (!rc)
		rc = check_text("--reason", c->reason, "\r\n", err);
	if (!rc && asprintf(line, "%s %s%s%s %s %s%s%s %s", check, quote_of(subject), subject,
	                    quote_of(subject), until, quote_of(owner), owner, quote_of(owner),
	                    c->reason) < 0)
		rc = cmd_fail(err, -ENOMEM, "out of memory");
	return rc;
}

/* ---- the case ------------------------------------------------------------------ */

/* As all finds it, with the lines that are there. */
static int look_for_case(struct app *app, const char *path, const char *id,
                         const struct ibc_case **out, struct ibc_error *err)
{
	const struct known_cfg *c = app->cfg;
	struct ibc_near near = { .typed = id };
	int rc = all_sweep(app, &c->expect, c->routes, err);

	app->common.known = access(path, F_OK) ? NULL : path;
	if (!rc)
		rc = app_known(app, err);
	app->common.known = NULL;
	if (!rc)
		rc = ibc_report_finish(app->report, err);
	if (!rc)
		rc = app_cases(app, err);
	*out = rc ? NULL : app_case(app, id, &near);
	if (rc || *out)
		return rc;
	return cmd_fail(err, -EINVAL, "no case %s is found%s", id,
	                *ibc_near_text(&near)
	                    ? ibc_near_text(&near)
	                    : "; --expect and --routes find those of topo and routes, "
	                      "--unseen does not look for it");
}

/* "7f3a9c10:critical:topo.missing-cable:leaf03/19 - spine02/7"; a name may hold no quote */
static int accept_finding(struct known_edit *edit, const struct known_cfg *c,
                          const struct ibc_finding *f, struct ibc_error *err)
{
	char name[IBC_SUBJECT_TEXT], *subject, *line = NULL, *all;
	int rc;

	ibc_subject_text(&f->subject, name, sizeof(name));
	for (char *at = name; (at = strpbrk(at, "\"\r\n"));)
		*at = '?';
	if (asprintf(&subject, "%s:%s:%s:%s", f->id, ibc_severity_word(f->severity)->word, f->check,
	             name) < 0)
		return cmd_fail(err, -ENOMEM, "out of memory");
	rc = compose(c, IBC_KNOWN_CASE, subject, &line, err);
	free(subject);
	if (!rc && asprintf(&all, "%s%s%s", edit->added ? edit->added : "", edit->added ? "\n" : "",
	                    line) < 0)
		rc = cmd_fail(err, -ENOMEM, "out of memory");
	if (!rc) {
		free(edit->added);
		edit->added = all;
	}
	free(line);
	return rc;
}

/*
 * A line for each thing that has the fault, and for what follows at the same thing: tomorrow they
 * may stand in other cases.  Of a view the member that is named alone.
 */
static int accept_case(struct app *app, const char *path, const char *id, struct ibc_error *err)
{
	const struct known_cfg *c = app->cfg;
	struct known_edit edit = { .path = path, .check = IBC_KNOWN_CASE, .what = id };
	int rc = compose(c, IBC_KNOWN_CASE, id, &edit.added, err);

	if (rc || c->unseen)
		return rc ? rc : edit_file(&edit, err);
	free(edit.added);
	edit.added = NULL;
	rc = look_for_case(app, path, id, &edit.found, err);
	for (size_t i = 0; !rc && i < edit.found->num_findings; i++) {
		const struct ibc_finding *f = edit.found->findings[i];

		if (strcmp(edit.found->id, id) != 0 ? same_id(f->id, id) : !f->follows || f->beside)
			rc = accept_finding(&edit, c, f, err);
	}
	if (strcmp(id, rc ? id : edit.found->id) != 0)
		edit.found = NULL;
	if (rc)
		free(edit.added);
	return rc ? rc : edit_file(&edit, err);
}

/* ---- the command --------------------------------------------------------------- */

static int known_add(struct app *app, const char *path, struct ibc_error *err)
{
	const char *id = app->args[1];

	if (!id == !app->common.node)
		return cmd_fail(err, -EINVAL, "add needs the ID of a case, or --node NAME");
	if (!id) {
		struct known_edit edit = { .path = path, .check = "*", .what = app->common.node };
		int rc = compose(app->cfg, edit.check, edit.what, &edit.added, err);

		return rc ? rc : edit_file(&edit, err);
	}
	if (!ibc_is_case_id(id))
		return cmd_fail(err, -EINVAL,
		                "\"%s\" is not the ID of a case; --node NAME accepts all faults of "
		                "a node",
		                id);
	return accept_case(app, path, id, err);
}

static int known_remove(struct app *app, const char *path, struct ibc_error *err)
{
	struct known_edit edit = { .path = path, .what = app->args[1] };
	int rc;

	if (!edit.what)
		return cmd_fail(err, -EINVAL, "remove needs the ID of a case, or a SUBJECT");
	rc = edit_file(&edit, err);
	if (rc != -ENOENT || !ibc_is_case_id(edit.what))
		return rc;
	edit = (struct known_edit){ .path = path, .what = edit.what };
	rc = look_for_case(app, path, edit.what, &edit.found, err);
	return rc ? rc : edit_file(&edit, err);
}

/* The report is the list: of the sweep that found a case nothing is left in it. */
static int known_run(struct app *app, struct ibc_error *err)
{
	const char *path = app->common.known, *word = app->args[0];
	struct listing listing;
	int rc = 0;

	app->common.known = NULL;
	if (!path)
		rc = cmd_fail(err, -EINVAL,
		              "name the file with --known FILE, or known = FILE in the "
		              "configuration");
	else if (!strcmp(word, "add"))
		rc = known_add(app, path, err);
	else if (!strcmp(word, "remove"))
		rc = known_remove(app, path, err);
	else if (strcmp(word, "list") != 0)
		rc = cmd_fail(err, -EINVAL, "known: there are add, list and remove, not \"%s\"",
		              word);
	else if (app->args[1])
		rc = cmd_fail(err, -EINVAL, "list does not take \"%s\"", app->args[1]);
	if (rc)
		return rc;
	app_select_none(app);
	app->selects = false;
	ibc_report_free(app->report);
	rc = ibc_report_new(&app->report, err);
	if (rc)
		return rc;
	listing = (struct listing){ .table = app_table(app, &known_type) };
	rc = read_known(path, list_line, &listing, err);
	if (!listing.any_expired) /* text has no column that says so */
		ibc_table_hide(listing.table, "expired");
	return rc;
}

const struct cmd cmd_known = {
	.name = "known",
	.summary = "accept faults until a date: add, list or remove them",
	.args = "add|list|remove [ID]",
	.min_args = 1,
	.max_args = 2,
	.arg_words = "add list remove",
	.example = "known add 7f3a9c10 --until 2026-12-31 --reason \"cable is ordered\"\n"
		   "known add --node node0007 --for 2h --reason reboot\n"
		   "known list\n"
		   "known remove 7f3a9c10\n",
	.group = CMD_FILES,
	.takes = TAKES_FABRIC,
	.checks = CHECKS_OF_FABRIC,
	.opts = known_opts,
	.cfg_size = sizeof(struct known_cfg),
	.csv = &known_type,
	.shows = TABLES(&known_type),
	.run = known_run,
};
