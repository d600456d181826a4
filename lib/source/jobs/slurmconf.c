/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of topology.conf (topology/tree), by the rules of slurmctld: keys in any case, "\" at
 * the end of a line goes on in the next one, "#" begins a comment unless a "\" is before it,
 * values with blanks in quotes, lists of names in Slurm's notation, "Include FILE".
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <ibcheck/hostlist.h>
#include <ibcheck/slurm.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/utf8.h"
#include "source/jobs/slurmconf.h"
#include "source/source.h"

#define BLANKS    " \t"
#define INCLUDE   "Include"
#define FILES_MAX 64        /* of one topology: more is a circle */
#define NAMES_MAX (1 << 21) /* in all lists: more ports no file is believed to have */
#define QUOTED    80        /* characters of a line in a message */

enum { SWITCH_NAME, NODES, SWITCHES, LINK_SPEED, KEYS };
static const char *const keys[KEYS] = { "SwitchName", "Nodes", "Switches", "LinkSpeed" };

/* struct slurm_file - what was read; @public comes first */
struct slurm_file {
	struct ibc_slurm_file public;
	struct arena *arena;
	struct ibc_slurm_line *lines;
	struct ibc_slurm_fault *faults;
	size_t lines_room, faults_room, names;
	unsigned int files;
};

/*
 * struct conf_reader - in a file
 * @number: of the line, of several that go on the first
 */
struct conf_reader {
	struct slurm_file *out;
	struct text_file *text;
	const char *file;
	unsigned long number;
	bool failed; /* no memory */
};

/* ---- what is wrong ------------------------------------------------------------------ */

static void add_fault(struct conf_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_fault(struct conf_reader *r, const char *format, ...)
{
	struct slurm_file *f = r->out;
	struct ibc_slurm_fault fault = { .file = r->file, .number = r->number };
	va_list ap;

	va_start(ap, format);
	fault.text = arena_vprintf(f->arena, format, ap);
	va_end(ap);
	if (fault.text && arena_grow(f->arena, &f->faults, f->public.num_faults, &f->faults_room,
	                             sizeof(*f->faults)))
		f->faults[f->public.num_faults++] = fault;
	else
		r->failed = true;
}

/* ---- lists of names ------------------------------------------------------------------ */

/* What our notation has, and slurmctld exits at: NULL: nothing. */
static const char *foreign_to_slurm(const char *list)
{
	const char *close = NULL;

	for (const char *s = list;; s++) {
		if (close && (!*s || *s == ',') && s > close + 1)
			return "slurmctld takes nothing behind the brackets of a name: spell the "
			       "names out";
		if (!*s)
			return NULL;
		if (*s == '[') {
			close = strchr(s, ']');
			if (close && memchr(s, '/', (size_t)(close - s)))
				return "slurmctld knows no steps in brackets";
			s = close ? close : s;
		} else if (*s == ',') {
			close = NULL;
		}
	}
}

/* The names of a value; false: it is none, and that is noted. */
static bool read_list(struct conf_reader *r, const char *key, const char *value,
                      const char *const **names, size_t *n)
{
	const char *why = r->out->names > NAMES_MAX ? "the file has more names than any fabric"
	                                            : foreign_to_slurm(value);
	const char **copies;
	struct ibc_error err = { "" };
	struct ibc_hostlist *list = NULL;
	int rc = why ? 0 : ibc_hostlist_parse(value, &list, &err);

	if (why || rc == -EINVAL)
		add_fault(r, "%s=%.*s: %s", key, QUOTED, value, why ? why : err.text);
	copies = list ? arena_array(r->out->arena, list->num, sizeof(*copies)) : NULL;
	for (size_t i = 0; copies && i < list->num; i++) {
		copies[i] = arena_strdup(r->out->arena, list->names[i]);
		r->failed |= !copies[i];
	}
	r->failed |= (!why && rc == -ENOMEM) || (list && !copies);
	*n = copies ? list->num : 0;
	r->out->names += *n;
	*names = copies;
	ibc_hostlist_free(list);
	return copies;
}

/* ---- a line that defines switches ------------------------------------------------------ */

static void define(struct conf_reader *r, const char *const values[KEYS])
{
	struct ibc_slurm_line line = { .file = r->file, .number = r->number };
	struct slurm_file *f = r->out;
	const char *nodes = values[NODES], *switches = values[SWITCHES];
	const char *name = arena_strdup(f->arena, values[SWITCH_NAME]);
	const char *const *names = &name;
	size_t n = 1;

	if (nodes && switches)
		add_fault(r,
		          "switch %s has both Nodes and Switches: give the nodes a switch of "
		          "their own",
		          values[SWITCH_NAME]);
	else if (!nodes && !switches)
		add_fault(r, "switch %s has neither Nodes nor Switches", values[SWITCH_NAME]);
	r->failed |= !name;
	/* a name with a blank in it, in quotes, is no list */
	if (r->failed ||
	    (strpbrk(name, "[,") && !read_list(r, keys[SWITCH_NAME], name, &names, &n)))
		return;
	if (nodes)
		read_list(r, keys[NODES], nodes, &line.nodes, &line.num_nodes);
	if (switches)
		read_list(r, keys[SWITCHES], switches, &line.switches, &line.num_switches);
	f->names += (line.num_nodes + line.num_switches) * (n - 1);
	if (f->names > NAMES_MAX) {
		add_fault(r, "the file has more names than any fabric");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		line.name = names[i];
		if (!arena_grow(f->arena, &f->lines, f->public.num_lines, &f->lines_room,
		                sizeof(*f->lines))) {
			r->failed = true;
			return;
		}
		f->lines[f->public.num_lines++] = line;
	}
}

/* ---- keys and values -------------------------------------------------------------------- */

/* Behind the "=": terminated, *at goes behind it. */
static char *read_value(char **at)
{
	char *value = *at + strspn(*at, BLANKS);
	bool quoted = *value == '"';
	char *end;

	value += quoted;
	end = value + strcspn(value, quoted ? "\"" : BLANKS);
	*at = end + (*end != '\0');
	*end = '\0';
	return value;
}

/* The values of a line; false: it is none that we know, and that is noted. */
static bool read_pairs(struct conf_reader *r, char *line, const char *values[KEYS])
{
	for (char *at = line + strspn(line, BLANKS); *at; at += strspn(at, BLANKS)) {
		char *word = at;
		size_t length = strcspn(word, BLANKS "="), key = 0;

		while (key < KEYS && (strncasecmp(keys[key], word, length) || keys[key][length]))
			key++;
		at += length + strspn(word + length, BLANKS);
		if (*at != '=') {
			add_fault(r,
			          "not understood: \"%.*s\": expected KEY=VALUE, and no blanks "
			          "in names and lists",
			          QUOTED, word);
			return false;
		}
		at++;
		if (key == KEYS || (word == line + strspn(line, BLANKS)) != (key == SWITCH_NAME)) {
			add_fault(r,
			          "unknown key %.*s: a line is SwitchName=NAME, and Nodes=LIST or "
			          "Switches=LIST",
			          (int)(length < QUOTED ? length : QUOTED), word);
			return false;
		}
		if (values[key])
			add_fault(r, "%s is given twice, and the last counts", keys[key]);
		values[key] = read_value(&at);
		if (!*values[key])
			values[key] = NULL;
	}
	if (!values[SWITCH_NAME])
		add_fault(r, "a switch without a name");
	return values[SWITCH_NAME];
}

static void cut_comment(char *line)
{
	char *to = line;

	for (const char *s = line; *s && *s != '#'; s++) {
		if (s[0] == '\\' && s[1] == '#')
			s++;
		*to++ = *s;
	}
	*to = '\0';
}

/* ---- files ---------------------------------------------------------------------------------- */

static int read_lines(struct slurm_file *out, struct text_file *text, struct ibc_error *err);

/* Relative to the file that names it. */
static int include(struct conf_reader *r, const char *name, struct ibc_error *err)
{
	const char *slash = strrchr(r->file, '/');
	int dir = *name != '/' && slash ? (int)(slash + 1 - r->file) : 0;
	char *path = arena_printf(r->out->arena, "%.*s%s", dir, r->file, name);
	struct ibc_error why = { "" };
	struct text_file *text;
	int rc;

	if (!path)
		return fail_nomem(err);
	/* a path is relative to a file, and standard input is none */
	if (!text_is_on_disk(r->text) || r->out->files == FILES_MAX) {
		add_fault(r, INCLUDE " %s: more than %u files: do they include each other?", name,
		          FILES_MAX);
		return 0;
	}
	rc = text_open(path, &text, &why);
	if (!rc) {
		rc = read_lines(r->out, text, &why);
		text_close(text);
	}
	if (rc == -ENOMEM)
		return fail_nomem(err);
	if (rc)
		add_fault(r, INCLUDE ": %s", why.text);
	return 0;
}

static int read_statement(struct conf_reader *r, char *line, struct ibc_error *err)
{
	const char *values[KEYS] = { NULL };
	size_t blank;

	for (char *s = line; (s = strchr(s, '\t'));)
		*s = ' ';
	cut_comment(line);
	utf8_scrub(line);
	line += strspn(line, BLANKS);
	blank = strcspn(line, BLANKS);
	if (blank == strlen(INCLUDE) && !strncasecmp(line, INCLUDE, blank) && line[blank]) {
		char *at = line + blank;

		return include(r, read_value(&at), err);
	}
	if ((strncmp(line, "- ", 2) == 0 || strcmp(line, "---") == 0) &&
	    !r->out->public.num_lines && !r->out->public.num_faults)
		return fail(err, -EINVAL,
		            "%s: YAML is not read: give the topology.conf of the same switches",
		            r->file);
	if (*line && read_pairs(r, line, values))
		define(r, values);
	return r->failed ? fail_nomem(err) : 0;
}

/* Takes "\\" and LF out, where a line goes on. */
static void join_lines(char *line)
{
	char *to = line;

	for (const char *s = line; *s; s++) {
		if (s[0] == '\\' && s[1] == '\n')
			s++;
		else
			*to++ = *s;
	}
	*to = '\0';
}

static int read_lines(struct slurm_file *out, struct text_file *text, struct ibc_error *err)
{
	struct conf_reader r = { .out = out, .text = text };
	size_t length;
	char *line;
	int rc;

	out->files++;
	r.file = arena_strdup(out->arena, text_name(text));
	if (!r.file)
		return fail_nomem(err);
	while ((rc = text_line(text, &line, &length, err)) == 1) {
		r.number = text_line_number(text);
		while (rc == 1 && length && line[length - 1] == '\\')
			rc = text_line_on(text, &line, &length, err);
		if (rc < 0)
			return rc;
		join_lines(line);
		rc = read_statement(&r, line, err);
		if (rc)
			return rc;
	}
	return rc;
}

int slurm_read_text(struct text_file *text, struct ibc_slurm_file **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct slurm_file *f = arena ? arena_alloc(arena, sizeof(*f)) : NULL;
	int rc = f ? 0 : fail_nomem(err);

	if (f) {
		f->arena = arena;
		f->public.path = arena_strdup(arena, text_name(text));
		rc = f->public.path ? read_lines(f, text, err) : fail_nomem(err);
		f->public.lines = f->lines;
		f->public.faults = f->faults;
	}
	if (rc)
		arena_free(arena);
	*out = rc ? NULL : &f->public;
	return rc;
}

int ibc_slurm_read(const char *path, struct ibc_slurm_file **out, struct ibc_error *err)
{
	struct text_file *text;
	int rc = text_open(path, &text, err);

	*out = NULL;
	if (rc)
		return rc;
	rc = slurm_read_text(text, out, err);
	text_close(text);
	return rc;
}

void ibc_slurm_file_free(struct ibc_slurm_file *file)
{
	if (file)
		arena_free(((struct slurm_file *)file)->arena);
}
