/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of known faults, ibcheck-known(5). */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "report/report.h"

#define LINE_BYTES 4096  /* a line of the file with two names and a reason */
#define LINES_MAX  10000 /* a file that long is not what it should be */
#define SEPARATOR  " - "

struct known_line {
	struct known_line *next;
	unsigned long number;
	const char *text, *check, *subject;
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
			return fail(r->err, -EINVAL,
			            "%s:%lu: no proper %s: a line is CHECK SUBJECT UNTIL OWNER "
			            "REASON, with \"quotes\" around what holds blanks",
			            r->path, r->number, names[i]);
	}
	if (!is_date(line->known.until))
		return fail(r->err, -EINVAL,
		            "%s:%lu: \"%s\" is no date: UNTIL, the third field, is YYYY-MM-DD, "
		            "and names that hold blanks need \"quotes\"",
		            r->path, r->number, line->known.until);
	line->known.reason = report_keep(r->rep, rest_of_line(text));
	if (r->rep->failed)
		return fail_nomem(r->err);
	if (!*line->known.reason)
		return fail(r->err, -EINVAL, "%s:%lu: no REASON after the owner, \"%s\"", r->path,
		            r->number, line->known.owner);
	line->known.expired = strcmp(line->known.until, r->today) < 0;
	return 0;
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
			return fail(r->err, -EINVAL,
			            "%s:%lu: longer than %d bytes, or a NUL byte in it", r->path,
			            r->number, LINE_BYTES - 2);
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

/*
 * All that a file may call one end: label, description, GUID, each with and
 * without its port.  NULL where memory ran out.
 */
#define NAMES_MAX 6
struct subject_names {
	const char *text[NAMES_MAX];
	size_t num;
	const struct ibc_end *end;
};

static void add_name(struct arena *scratch, struct subject_names *names, const char *name)
{
	if (!name || !*name)
		return;
	names->text[names->num++] = arena_strdup(scratch, name);
	if (names->end->has_port)
		names->text[names->num++] = arena_printf(scratch, "%s/%u", name, names->end->port);
}

static bool collect_names(struct arena *scratch, struct subject_names *names,
                          const struct ibc_end *end)
{
	char guid[STR_GUID_MAX];

	*names = (struct subject_names){ .end = end };
	add_name(scratch, names, end->label);
	add_name(scratch, names, end->desc);
	add_name(scratch, names, end->has_guid ? str_from_guid(guid, end->guid) : NULL);
	for (size_t i = 0; i < names->num; i++)
		if (!names->text[i])
			return false;
	return true;
}

/* "0x2c90" and "0x2c90/3": the leading zeros of a GUID may be left out. */
static bool is_guid_of(const char *pattern, const struct ibc_end *end)
{
	char *port;

	if (!end->has_guid || strncasecmp(pattern, "0x", 2))
		return false;
	if (strtoull(pattern, &port, 16) != end->guid)
		return false;
	if (*port != '/')
		return !*port;
	return end->has_port && !port[1 + strspn(port + 1, "0123456789")] &&
	       strtoul(port + 1, NULL, 10) == end->port;
}

static bool end_matches(const char *pattern, const struct subject_names *names)
{
	for (size_t i = 0; i < names->num; i++)
		if (matches_pattern(pattern, names->text[i]))
			return true;
	return is_guid_of(pattern, names->end);
}

/* "A - B", whichever end is written first; a name may hold the separator, too. */
static bool cable_matches(const char *pattern, const struct subject_names *near,
                          const struct subject_names *far)
{
	const char *dash = pattern;
	char first[LINE_BYTES];

	while ((dash = strstr(dash, SEPARATOR))) {
		const char *second = dash + strlen(SEPARATOR);

		snprintf(first, sizeof(first), "%.*s", (int)(dash - pattern), pattern);
		if (end_matches(first, near) && end_matches(second, far))
			return true;
		if (end_matches(first, far) && end_matches(second, near))
			return true;
		dash = second;
	}
	return false;
}

static bool subject_matches(const char *pattern, const struct ibc_subject *subject,
                            const struct subject_names *near, const struct subject_names *far)
{
	if (!strcmp(pattern, "*"))
		return true;
	if (subject->kind == IBC_SUBJECT_FABRIC)
		return matches_pattern(pattern, "fabric");
	if (end_matches(pattern, near))
		return true;
	if (subject->kind != IBC_SUBJECT_CABLE)
		return false;
	return end_matches(pattern, far) || cable_matches(pattern, near, far);
}

/* A line that holds wins over one that has expired, then the earlier one. */
static void cover_finding(struct ibc_finding *f, struct known_line *line)
{
	line->used = true;
	if (!f->known || (f->known->expired && !line->known.expired))
		f->known = &line->known;
}

static bool match_finding(struct known_line *lines, struct ibc_finding *f)
{
	struct arena *scratch = arena_new();
	struct subject_names near, far;
	bool ok = scratch && collect_names(scratch, &near, &f->subject.near) &&
	          collect_names(scratch, &far, &f->subject.far);

	for (struct known_line *l = lines; ok && l; l = l->next)
		if (matches_pattern(l->check, f->check) &&
		    subject_matches(l->subject, &f->subject, &near, &far))
			cover_finding(f, l);
	arena_free(scratch);
	return ok;
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
	               "line %lu of %s covers nothing that was found: %s", line->number, r->path,
	               line->text);
	ibc_report_advise(r->rep, "remove the line if the fault is mended, else correct it");
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
		return fail(err, -EINVAL, "\"%s\" is no date YYYY-MM-DD", today);
	r.end = &r.first;
	error = read_known_file(&r);
	if (error)
		return error;
	for (size_t i = 0; r.first && i < rep->num_findings; i++) {
		if (!match_finding(r.first, &rep->findings[i])) {
			rep->failed = true;
			return fail_nomem(err);
		}
	}
	for (const struct known_line *l = r.first; l; l = l->next)
		if (!l->used && (ran ? ran(l->check, ctx) : has_run(rep, l->check)))
			report_stale(&r, l);
	return rep->failed ? fail_nomem(err) : 0;
}
