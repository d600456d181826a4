/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of known faults, ibcheck-known(5). */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <ibcheck/files.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/called.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "report/report.h"

#define LINE_BYTES 4096  /* a line of the file with two names and a reason */
#define LINES_MAX  10000 /* a file that long is not what it should be */

/* Hexadecimal digits of the id of a case, whose hash has 64 bits. */
#define CASE_ID_MIN 8
#define CASE_ID_MAX 16 /* all of the hash */

/*
 * struct accepted_case - the SUBJECT of a line for a case: ID[:SEVERITY[:CHECK[:NAME]]]
 * @severity: no worse; IBC_OK: any
 * @check: by which it is known whether anybody looked; or NULL
 * NAME is for people, and may hold colons; an ID in brackets may end it.
 */
struct accepted_case {
	const char *id, *check;
	enum ibc_severity severity;
};

/* @of_case: only for a line for a case; @looked: what it is about would have been found */
struct known_line {
	struct known_line *next;
	struct ibc_known_line as;
	const struct typed *end;
	const struct typed_cable *cables;
	const struct accepted_case *of_case;
	bool used, looked;
};

struct known_reader {
	struct ibc_report *rep;
	const char *path, *now;
	unsigned long number;
	struct known_line *first, **end;
	struct ibc_error *err;
};

/* ---- reading -------------------------------------------------------------- */

/* Dates, and times, of these forms compare as text, as far as both go. */
bool ibc_known_is_time(const char *text)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);
	char same[64];

	if (end && *end == 'T')
		end = strptime(end + 1, "%H:%M", &tm);
	if (end && *end == ':')
		end = strptime(end + 1, "%S", &tm);
	if (!end || *end)
		return false;
	timegm(&tm); /* makes a day of the next month of one that this month has not */
	snprintf(same, sizeof(same), "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900,
	         tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	return !strncmp(same, text, strlen(text));
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

/* The next part of a subject like "7f3a9c10:3:critical"; NULL: there is none. */
static const char *next_part(struct arena *arena, const char **rest)
{
	const char *start = *rest;
	size_t n = start ? strcspn(start, ":") : 0;

	if (!start)
		return NULL;
	*rest = start[n] ? start + n + 1 : NULL;
	return arena_strndup(arena, start, n);
}

bool ibc_is_case_id(const char *text)
{
	size_t n = strspn(text, "0123456789abcdef");

	return n >= CASE_ID_MIN && n <= CASE_ID_MAX && !text[n];
}

static int parse_case(struct known_reader *r, struct known_line *line)
{
	struct arena *arena = r->rep->arena;
	const char *rest = line->as.subject, *severity;
	struct accepted_case *c = arena_alloc(arena, sizeof(*c));

	if (!c)
		return fail_nomem(r->err);
	c->id = next_part(arena, &rest);
	severity = next_part(arena, &rest);
	c->check = next_part(arena, &rest);
	if (severity) /* a word of none: IBC_OK */
		for (c->severity = IBC_CRITICAL;
		     c->severity && strcmp(ibc_severity_word(c->severity)->word, severity) != 0;)
			c->severity--;
	line->of_case = c;
	line->as.known.by_id = true;
	line->as.id = c->id;
	line->as.name = rest;
	if (!c->id)
		return fail_nomem(r->err);
	if (!ibc_is_case_id(c->id) || (severity && !c->severity))
		return fail(r->err, -EINVAL,
		            "%s:%lu: \"%s\" is not a case: the SUBJECT is "
		            "ID[:SEVERITY[:CHECK[:NAME]]], such as 7f3a9c10:critical",
		            r->path, r->number, line->as.subject);
	return 0;
}

static int parse_subject(struct known_reader *r, struct known_line *line)
{
	struct arena *arena = r->rep->arena;

	if (!strcmp(line->as.check, IBC_KNOWN_CASE))
		return parse_case(r, line);
	line->end = typed_new(arena, line->as.subject);
	r->rep->failed = !line->end || !typed_cables(arena, line->as.subject, &line->cables);
	return r->rep->failed ? fail_nomem(r->err) : 0;
}

static int parse_fields(struct known_reader *r, struct known_line *line, char *text)
{
	static const char *const names[] = { "CHECK", "SUBJECT", "UNTIL", "OWNER" };
	struct ibc_known *known = &line->as.known;
	size_t n;
	const char **const fields[] = { &line->as.check, &line->as.subject, &known->until,
		                        &known->owner };

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
	if (!ibc_known_is_time(known->until))
		return fail(r->err, -EINVAL,
		            "%s:%lu: \"%s\" is not a date: UNTIL, the third field, is YYYY-MM-DD "
		            "or YYYY-MM-DDTHH:MM, and names that contain blanks need \"quotes\"",
		            r->path, r->number, known->until);
	known->reason = report_keep(r->rep, rest_of_line(text));
	if (r->rep->failed)
		return fail_nomem(r->err);
	if (!*known->reason)
		return fail(r->err, -EINVAL, "%s:%lu: no REASON after the owner, \"%s\"", r->path,
		            r->number, known->owner);
	n = strlen(known->until) < strlen(r->now) ? strlen(known->until) : strlen(r->now);
	/* a line for what is retired is not about findings, and has no end */
	line->used = !strcmp(line->as.check, IBC_KNOWN_RETIRED);
	known->expired = !line->used && strncmp(known->until, r->now, n) < 0;
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
	line->as.number = r->number;
	line->as.text = report_keep(r->rep, text);
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

/* ---- matching ------------------------------------------------------------- */

/* Text that is the pattern matches it, whatever brackets it holds. */
static bool matches_pattern(const char *pattern, const char *text)
{
	if (!strcmp(pattern, text))
		return true;
	return strpbrk(pattern, "*?[\\") && !fnmatch(pattern, text, 0);
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

	if (!strcmp(line->as.subject, "*"))
		return true;
	if (subject->kind == IBC_SUBJECT_FABRIC)
		return matches_pattern(line->as.subject, "fabric");
	if (typed_fits(line->end, &near))
		return true;
	if (subject->kind != IBC_SUBJECT_CABLE)
		return false;
	if (typed_fits(line->end, &far))
		return true;
	return typed_fits_cable(line->cables, &near, &far);
}

/* A line that holds wins over one that has expired, then the earlier one. */
static void cover(const struct ibc_known **known, struct known_line *line)
{
	line->used = true;
	if (!*known || ((*known)->expired && !line->as.known.expired))
		*known = &line->as.known;
}

bool finding_is_of(const struct ibc_finding *f, const char *check)
{
	const struct ibc_value *kind = finding_fact(f, "kind");
	size_t n = strcspn(check, ":");
	char id[64];

	if (!check[n])
		return matches_pattern(check, f->check);
	snprintf(id, sizeof(id), "%.*s", (int)n, check);
	return matches_pattern(id, f->check) && kind && kind->kind == IBC_STR &&
	       !strcmp(kind->str, check + n + 1);
}

/* ---- cases ------------------------------------------------------------------ */

bool report_same_id(const char *a, const char *z)
{
	size_t n = strlen(a) < strlen(z) ? strlen(a) : strlen(z);

	return n >= CASE_ID_MIN && !strncmp(a, z, n);
}

/* Is it worse than was accepted?  Then the line no longer covers it, and says why. */
static void compare_severity(struct ibc_report *rep, struct known_line *line,
                             const struct ibc_finding *f)
{
	enum ibc_severity accepted = line->of_case->severity;

	if (line->as.known.expired || !accepted || f->severity <= accepted)
		return;
	line->as.known.grown = arena_printf(rep->arena, "it was %s and is %s",
	                                    ibc_severity_word(accepted)->word,
	                                    ibc_severity_word(f->severity)->word);
	rep->failed |= !line->as.known.grown;
	line->as.known.expired = true;
}

bool view_has_id(const struct ibc_report *rep, const struct view *view, const char *id)
{
	char identity[IBC_IDENTITY_MAX], all[STR_GUID_MAX];

	if (rep->findings[view->first].severity == IBC_UNKNOWN)
		return false; /* what was not seen is no part of what an earlier version saw */
	str_from_guid(all, hash_case(rep->findings[view->first].check,
	                             ibc_subject_identity(&view->subject, identity)));
	return report_same_id(all + strlen("0x"), id);
}

/* An ID that an earlier version had as that of one fault is now that of several: of these. */
static void take_members(struct ibc_report *rep, const char *case_id)
{
	const struct known_member *was = rep->members;

	while (was && (was->finding_id || !report_same_id(was->case_id, case_id)))
		was = was->next;
	for (const struct view *v = rep->views; was && v; v = v->next)
		for (size_t i = 0; i < v->n && view_has_id(rep, v, case_id); i++) {
			struct known_member *m = arena_alloc(rep->arena, sizeof(*m));

			rep->failed |= !m;
			if (rep->failed)
				return;
			*m = (struct known_member){ rep->members, case_id,
				                    rep->findings[v->first + i].id };
			rep->members = m;
		}
}

static bool is_member(const struct ibc_report *rep, const char *case_id, const char *finding_id)
{
	const struct known_member *m = rep->members;

	while (m && !(m->finding_id && report_same_id(m->case_id, case_id) &&
	              report_same_id(m->finding_id, finding_id)))
		m = m->next;
	return m;
}

void report_known_ids(struct ibc_report *rep)
{
	for (struct known_line *l = rep->known_lines; l; l = l->next) {
		if (l->of_case)
			take_members(rep, l->of_case->id);
		for (size_t i = 0; l->of_case && i < rep->num_findings; i++) {
			if (!report_same_id(l->of_case->id, rep->findings[i].id) &&
			    !is_member(rep, l->of_case->id, rep->findings[i].id))
				continue;
			compare_severity(rep, l, &rep->findings[i]);
			cover(&rep->findings[i].known, l);
		}
	}
}

/* ---- lines that covered nothing ------------------------------------------- */

static void report_stale(struct ibc_report *rep, const struct ibc_known_line *line)
{
	const struct ibc_subject fabric = { .kind = IBC_SUBJECT_FABRIC, .near.desc = line->text };
	const char *path = rep->known_path;
	size_t view = 0;

	while (line->id && view < rep->num_cases && !report_same_id(line->id, rep->cases[view].id))
		view++;
	ibc_report_add(rep, "known.stale", IBC_INFO, &fabric,
	               "line %lu of %s matches no finding: %s", line->number, path, line->text);
	/* the ID of a view accepts nothing: its members have lines */
	if (line->id && view < rep->num_cases)
		ibc_report_advise(rep,
		                  "%s is the ID of several faults, each of which has a line of its "
		                  "own: replace this one by ibcheck known add %s",
		                  line->id, line->id);
	else
		ibc_report_advise(
		    rep, "find out whether the fault is repaired, or has another name now");
	ibc_report_fact(rep, "file", ibc_str(path));
	ibc_report_fact(rep, "line", ibc_u64(line->number));
	ibc_report_fact(rep, "content", ibc_str(line->text));
}

/* Lines for cases, or those for findings; each once. */
static bool report_all_stale(struct ibc_report *rep, bool cases)
{
	bool any = false;

	for (struct known_line *l = rep->known_lines; l; l = l->next) {
		if (l->used || !l->looked || cases != (l->of_case != NULL))
			continue;
		report_stale(rep, &l->as);
		l->used = any = true;
	}
	return any;
}

bool report_stale_cases(struct ibc_report *rep)
{
	return report_all_stale(rep, true);
}

/* ---- the file ------------------------------------------------------------------ */

static int read_lines(struct ibc_report *rep, const char *path, const char *now,
                      struct ibc_error *err)
{
	struct known_reader r = { .rep = rep, .path = path, .now = now, .err = err };
	FILE *in;
	int error;

	if (rep->failed)
		return fail_nomem(err);
	if (!ibc_known_is_time(now))
		return fail(err, -EINVAL, "\"%s\" is not a date YYYY-MM-DD", now);
	r.end = &r.first;
	error = ibc_file_read(path, &in, err);
	if (!error) {
		error = read_known_lines(&r, in);
		fclose(in);
	}
	rep->known_lines = r.first;
	rep->known_path = report_keep(rep, path);
	return error;
}

#define NO_END "9999-12-31"

/* The symmetry of a tree misses what was taken away on purpose, too. */
static void cover_retired(struct ibc_report *rep, const struct known_line *l)
{
	struct ibc_known *known = arena_alloc(rep->arena, sizeof(*known));

	rep->failed |= !known;
	if (rep->failed)
		return;
	*known = l->as.known;
	known->until = NO_END;
	for (size_t i = 0; i < rep->num_findings; i++)
		if (!rep->findings[i].known && finding_is_of(&rep->findings[i], "fattree.*") &&
		    strcmp(l->as.subject, "fabric") != 0 &&
		    subject_matches(l, &rep->findings[i].subject))
			rep->findings[i].known = known;
}

int ibc_report_known(struct ibc_report *rep, const char *path, const char *now,
                     bool (*ran)(const char *check, void *ctx), void *ctx, struct ibc_error *err)
{
	int error = read_lines(rep, path, now, err);

	if (error)
		return error;
	for (struct known_line *l = rep->known_lines; l; l = l->next) {
		const char *of = l->of_case && l->of_case->check ? l->of_case->check : l->as.check;

		for (size_t i = 0; i < rep->num_findings && !l->of_case; i++)
			if (finding_is_of(&rep->findings[i], l->as.check) &&
			    subject_matches(l, &rep->findings[i].subject))
				cover(&rep->findings[i].known, l);
		if (!strcmp(l->as.check, IBC_KNOWN_RETIRED))
			cover_retired(rep, l);
		/* each is asked for: an ID that is gone is an error */
		l->looked = ran ? ran(of, ctx) : ibc_report_has_run(rep, of);
		for (const struct check_note *n = rep->ran; n && !ran; n = n->next)
			l->looked |= matches_pattern(of, n->name) &&
			             ibc_report_has_run(rep, n->name);
		/* a line that was lost of a file may have the fault */
		l->looked &= !rep->lines_lost;
		/* until a time of day: what it is for, a reboot say, may still be to come */
		if (strchr(l->as.known.until, 'T') && !l->as.known.expired)
			l->looked = false;
	}
	report_all_stale(rep, false);
	return rep->failed ? fail_nomem(err) : 0;
}

int ibc_known_read(const char *path, const char *now,
                   int (*each)(const struct ibc_known_line *line, void *ctx), void *ctx,
                   struct ibc_error *err)
{
	struct ibc_report *rep;
	int rc = ibc_report_new(&rep, err);

	if (rc)
		return rc;
	rc = read_lines(rep, path, now, err);
	for (struct known_line *l = rep->known_lines; !rc && l; l = l->next)
		rc = each(&l->as, ctx);
	ibc_report_free(rep);
	return rc;
}
