/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of known faults, ibcheck-known(5). */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/called.h"
#include "base/error.h"
#include "base/str.h"
#include "report/report.h"

#define LINE_BYTES 4096  /* a line of the file with two names and a reason */
#define LINES_MAX  10000 /* a file that long is not what it should be */
#define SEPARATOR  " - "

/* struct known_cable - one way to cut "A - B": names may hold the separator, too */
struct known_cable {
	const struct known_cable *next;
	const struct typed *first, *second;
};

struct known_line {
	struct known_line *next;
	unsigned long number;
	const char *text, *check, *subject;
	const struct typed *end;
	const struct known_cable *cables;
	struct ibc_known known;
	bool used;
};

struct known_reader {
	struct ibc_report *rep;
	const char *path, *today;
	unsigned long number;
	struct known_line *first, **end;
	struct ibc_error *err;
};

/* ---- reading -------------------------------------------------------------- */

/* Dates of this one form compare as text. */
static bool is_date(const char *s)
{
	struct tm tm = { 0 };
	char same[40];

	if (!strptime(s, "%Y-%m-%d", &tm))
		return false;
	timegm(&tm); /* makes a day of the next month of one that this month has not */
	snprintf(same, sizeof(same), "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1,
	         tm.tm_mday);
	return !strcmp(same, s);
}

static char *skip_blanks(char *s)
{
	return s + strspn(s, " \t");
}

/*
 * Cuts the next field off *rest, without its quotes.  NULL: there is none, or
 * a quote is not closed, or text follows it at once.
 */
static char *next_field(char **rest)
{
	char *start = skip_blanks(*rest), *end;
	bool quoted = *start == '"';

	start += quoted;
	end = start + strcspn(start, quoted ? "\"" : " \t");
	if (end == start || (quoted && (*end != '"' || !strchr(" \t", end[1]))))
		return NULL;
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return start;
}

/* The rest of the line, without blanks or one pair of quotes around it. */
static char *rest_of_line(char *text)
{
	size_t n;

	text = skip_blanks(text);
	n = strlen(text);
	while (n && strchr(" \t", text[n - 1]))
		text[--n] = '\0';
	if (n < 2 || text[0] != '"' || strchr(text + 1, '"') != text + n - 1)
		return text;
	text[n - 1] = '\0';
	return text + 1;
}

static bool add_cable(struct arena *arena, struct known_line *line, const char *dash)
{
	struct known_cable *cable = arena_alloc(arena, sizeof(*cable));
	const char *first = arena_strndup(arena, line->subject, (size_t)(dash - line->subject));

	if (!cable || !first)
		return false;
	cable->first = typed_new(arena, first);
	cable->second = typed_new(arena, dash + strlen(SEPARATOR));
	cable->next = line->cables;
	line->cables = cable;
	return cable->first && cable->second;
}

static int parse_subject(struct known_reader *r, struct known_line *line)
{
	struct arena *arena = r->rep->arena;
	const char *dash = line->subject;
	bool ok = true;

	line->end = typed_new(arena, line->subject);
	for (; ok && (dash = strstr(dash, SEPARATOR)); dash += strlen(SEPARATOR))
		ok = add_cable(arena, line, dash);
	r->rep->failed = !ok || !line->end;
	return r->rep->failed ? fail_nomem(r->err) : 0;
}

static int parse_fields(struct known_reader *r, struct known_line *line, char *text)
{
	static const char *const names[] = { "CHECK", "SUBJECT", "UNTIL", "OWNER" };
	const char **const fields[] = { &line->check, &line->subject, &line->known.until,
		                        &line->known.owner };

	for (size_t i = 0; i < 4; i++) {
		*fields[i] = report_keep(r->rep, next_field(&text));
		if (r->rep->failed)
			return fail_nomem(r->err);
		if (!*fields[i])
			return fail(
			    r->err, -EINVAL,
			    "%s:%lu: %s is missing or invalid: a line is CHECK SUBJECT UNTIL OWNER "
			    "REASON, with \"quotes\" around fields that contain blanks",
			    r->path, r->number, names[i]);
	}
	if (!is_date(line->known.until))
		return fail(r->err, -EINVAL,
		            "%s:%lu: \"%s\" is not a date: UNTIL, the third field, is YYYY-MM-DD, "
		            "and names that contain blanks need \"quotes\"",
		            r->path, r->number, line->known.until);
	line->known.reason = report_keep(r->rep, rest_of_line(text));
	if (r->rep->failed)
		return fail_nomem(r->err);
	if (!*line->known.reason)
		return fail(r->err, -EINVAL, "%s:%lu: no REASON after the owner, \"%s\"", r->path,
		            r->number, line->known.owner);
	line->known.expired = strcmp(line->known.until, r->today) < 0;
	return parse_subject(r, line);
}

static int parse_line(struct known_reader *r, char *text)
{
	struct known_line *line;

	text[strcspn(text, "\r\n")] = '\0';
	text = skip_blanks(text);
	if (*text == '\0' || *text == '#')
		return 0;
	line = arena_alloc(r->rep->arena, sizeof(*line));
	r->rep->failed = r->rep->failed || !line;
	if (r->rep->failed)
		return fail_nomem(r->err);
	line->number = r->number;
	line->text = report_keep(r->rep, text);
	*r->end = line;
	r->end = &line->next;
	return parse_fields(r, line, text);
}

static int read_known_lines(struct known_reader *r, FILE *in)
{
	char text[LINE_BYTES];
	int error = 0;

	errno = 0;
	while (!error && fgets(text, sizeof(text), in)) {
		if (++r->number > LINES_MAX)
			return fail(r->err, -EINVAL, "%s: more than %d lines", r->path, LINES_MAX);
		if (!strchr(text, '\n') && !feof(in))
			return fail(
			    r->err, -EINVAL,
			    "%s:%lu: the line is longer than %d bytes or contains a NUL byte",
			    r->path, r->number, LINE_BYTES - 2);
		error = parse_line(r, text);
	}
	if (!error && ferror(in)) {
		error = errno ? -errno : -EIO;
		return fail(r->err, error, "cannot read %s: %s", r->path, strerror(-error));
	}
	return error;
}

static int read_known_file(struct known_reader *r)
{
	FILE *in = fopen(r->path, "re");
	int error;

	if (!in) {
		error = -errno;
		return fail(r->err, error, "cannot open %s: %s", r->path, strerror(-error));
	}
	error = read_known_lines(r, in);
	fclose(in);
	return error;
}

/* ---- matching ------------------------------------------------------------- */

/* Text that is the pattern matches it, whatever brackets it holds. */
static bool matches_pattern(const char *pattern, const char *text)
{
	if (!strcmp(pattern, text))
		return true;
	return strpbrk(pattern, "*?[\\") && !fnmatch(pattern, text, 0);
}

/* A cable by both its ends, whichever is written first. */
static bool cable_matches(const struct known_cable *c, const struct called *near,
                          const struct called *far)
{
	for (; c; c = c->next)
		if ((typed_fits(c->first, near) && typed_fits(c->second, far)) ||
		    (typed_fits(c->first, far) && typed_fits(c->second, near)))
			return true;
	return false;
}

static struct called called_of(const struct ibc_end *end)
{
	return (struct called){ .names = { end->label, end->desc },
		                .guid = end->guid,
		                .has_guid = end->has_guid,
		                .port = end->port,
		                .has_port = end->has_port,
		                .port_label = end->port_label };
}

static bool subject_matches(const struct known_line *line, const struct ibc_subject *subject)
{
	const struct called near = called_of(&subject->near), far = called_of(&subject->far);

	if (!strcmp(line->subject, "*"))
		return true;
	if (subject->kind == IBC_SUBJECT_FABRIC)
		return matches_pattern(line->subject, "fabric");
	if (typed_fits(line->end, &near))
		return true;
	return subject->kind == IBC_SUBJECT_CABLE &&
	       (typed_fits(line->end, &far) || cable_matches(line->cables, &near, &far));
}

/* A line that holds wins over one that has expired, then the earlier one. */
static void cover_finding(struct ibc_finding *f, struct known_line *line)
{
	line->used = true;
	if (!f->known || (f->known->expired && !line->known.expired))
		f->known = &line->known;
}

static void match_finding(struct known_line *lines, struct ibc_finding *f)
{
	for (struct known_line *l = lines; l; l = l->next)
		if (matches_pattern(l->check, f->check) && subject_matches(l, &f->subject))
			cover_finding(f, l);
}

/* ---- lines that covered nothing ------------------------------------------- */

static bool has_run(const struct ibc_report *rep, const char *check)
{
	for (const struct check_note *n = rep->ran; n; n = n->next)
		if (matches_pattern(check, n->check))
			return true;
	return false;
}

static void report_stale(struct known_reader *r, const struct known_line *line)
{
	static const struct ibc_subject fabric = { .kind = IBC_SUBJECT_FABRIC };

	ibc_report_add(r->rep, "known.stale", IBC_INFO, &fabric,
	               "line %lu of %s matches no finding: %s", line->number, r->path, line->text);
	ibc_report_advise(r->rep, "remove the line if the fault is repaired, otherwise correct it");
	ibc_report_fact(r->rep, "file", ibc_str(r->path));
	ibc_report_fact(r->rep, "line", ibc_u64(line->number));
	ibc_report_fact(r->rep, "content", ibc_str(line->text));
}

int ibc_report_known(struct ibc_report *rep, const char *path, const char *today,
                     bool (*ran)(const char *check, void *ctx), void *ctx, struct ibc_error *err)
{
	struct known_reader r = { .rep = rep, .path = path, .today = today, .err = err };
	int error;

	if (rep->failed)
		return fail_nomem(err);
	if (!is_date(today))
		return fail(err, -EINVAL, "\"%s\" is not a date YYYY-MM-DD", today);
	r.end = &r.first;
	error = read_known_file(&r);
	if (error)
		return error;
	for (size_t i = 0; i < rep->num_findings; i++)
		match_finding(r.first, &rep->findings[i]);
	for (const struct known_line *l = r.first; l; l = l->next)
		if (!l->used && (ran ? ran(l->check, ctx) : has_run(rep, l->check)))
			report_stale(&r, l);
	return rep->failed ? fail_nomem(err) : 0;
}
