/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs and their hosts: of the output of "squeue --json", whichever version of its schema
 * (the keys read here are the same in all of them), or of lines "JOB HOSTLIST".
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/hostlist.h>
#include <ibcheck/jobs.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/jsonpull.h"
#include "base/utf8.h"
#include "source/source.h"

#define CHUNK 65536 /* bytes read at a time */

/* struct jobs - what was read; @public comes first */
struct jobs {
	struct ibc_jobs public;
	struct arena *arena;
	const char *file;
	struct ibc_job *all;
	size_t room;
};

/* ---- one job ------------------------------------------------------------------------- */

static bool copy_hosts(struct jobs *jobs, struct ibc_job *job, const struct ibc_hostlist *list)
{
	const char **names = arena_array(jobs->arena, list->num, sizeof(*names));

	for (size_t i = 0; names && i < list->num; i++) {
		names[i] = utf8_clean(jobs->arena, list->names[i], strlen(list->names[i]));
		if (!names[i])
			return false;
	}
	job->hosts = names;
	job->num_hosts = list->num;
	return names;
}

static int add_job(struct jobs *jobs, struct ibc_job *job, const char *hosts, unsigned long line,
                   struct ibc_error *err)
{
	struct ibc_error why = { "" };
	struct ibc_hostlist *list;
	int rc = ibc_hostlist_parse(hosts, &list, &why);

	if (rc)
		return fail(err, rc, "%s: line %lu: job %s: %s", jobs->file, line, job->id,
		            why.text);
	if (!copy_hosts(jobs, job, list) ||
	    !arena_grow(jobs->arena, &jobs->all, jobs->public.num, &jobs->room, sizeof(*jobs->all)))
		rc = fail_nomem(err);
	else
		jobs->all[jobs->public.num++] = *job;
	ibc_hostlist_free(list);
	return rc;
}

/* ---- squeue --json ---------------------------------------------------------------------- */

/* Those in which a job holds its hosts; one that is done may be "COMPLETING" as well. */
static bool holds_hosts(const char *state)
{
	static const char *const states[] = { "RUNNING",   "COMPLETING", "CONFIGURING",
		                              "SUSPENDED", "STOPPED",    "SIGNALING",
		                              "RESIZING",  "STAGE_OUT",  "POWER_UP_NODE" };

	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (!strcmp(states[i], state))
			return true;
	return false;
}

/* A word, in older versions, or an array of them. */
static bool read_states(struct pull *j, struct arena *a)
{
	bool holds = false;

	if (pull_peek(j) != '[')
		return holds_hosts(pull_text(j, a));
	pull_open(j, '[');
	while (pull_element(j))
		holds |= holds_hosts(pull_text(j, a));
	return holds;
}

static int read_job(struct jobs *jobs, struct pull *j, struct ibc_error *err)
{
	unsigned long line = pull_line(j);
	struct ibc_job job = { .id = "?" };
	const char *nodes = "";
	char key[JSON_KEY_BYTES];
	bool holds = true;

	if (!pull_open(j, '{'))
		return 0;
	while (pull_member(j, key)) {
		if (!strcmp(key, "job_id"))
			job.id = pull_text(j, jobs->arena);
		else if (!strcmp(key, "user_name"))
			job.user = pull_text(j, jobs->arena);
		else if (!strcmp(key, "name"))
			job.name = pull_text(j, jobs->arena);
		else if (!strcmp(key, "nodes"))
			nodes = pull_text(j, jobs->arena);
		else if (!strcmp(key, "job_state"))
			holds = read_states(j, jobs->arena);
		else
			pull_skip(j);
	}
	return j->error || !*nodes || !holds ? 0 : add_job(jobs, &job, nodes, line, err);
}

static int read_array(struct jobs *jobs, struct pull *j, struct ibc_error *err)
{
	int rc = 0;

	if (pull_open(j, '['))
		while (!rc && pull_element(j))
			rc = read_job(jobs, j, err);
	return rc;
}

/* Its member "jobs", or an array of jobs alone. */
static int read_json(struct jobs *jobs, const char *text, size_t n, struct ibc_error *err)
{
	struct pull j = pull_of(text, n);
	char key[JSON_KEY_BYTES];
	bool found = pull_peek(&j) == '[';
	int rc = 0;

	if (found)
		rc = read_array(jobs, &j, err);
	else if (pull_open(&j, '{'))
		while (!rc && pull_member(&j, key)) {
			found |= !strcmp(key, "jobs");
			if (!strcmp(key, "jobs"))
				rc = read_array(jobs, &j, err);
			else
				pull_skip(&j);
		}
	if (!rc && j.error)
		return fail(err, -EINVAL, "%s: line %lu: this is no whole JSON: %s", jobs->file,
		            pull_line(&j), j.error);
	if (!rc && !found)
		return fail(err, -EINVAL,
		            "%s: it has no \"jobs\": give the output of \"squeue --json\"",
		            jobs->file);
	return rc;
}

/* ---- lines ------------------------------------------------------------------------------- */

static int read_line(struct jobs *jobs, char *line, unsigned long number, struct ibc_error *err)
{
	struct ibc_job job = { .id = line + strspn(line, " \t\r") };
	size_t n = strcspn(job.id, " \t\r");
	const char *hosts = job.id + n;

	if (!n || *job.id == '#')
		return 0;
	hosts += strspn(hosts, " \t\r");
	job.id = utf8_clean(jobs->arena, job.id, n);
	if (!job.id)
		return fail_nomem(err);
	if (!*hosts)
		return fail(err, -EINVAL,
		            "%s: line %lu: expected a job and its hosts, as \"1234 node[01-16]\"",
		            jobs->file, number);
	return add_job(jobs, &job, hosts, number, err);
}

static int read_lines(struct jobs *jobs, char *text, struct ibc_error *err)
{
	unsigned long number = 0;
	char *line;
	int rc = 0;

	while (!rc && (line = strsep(&text, "\n")))
		rc = read_line(jobs, line, ++number, err);
	return rc;
}

/* ---- the file ------------------------------------------------------------------------------ */

int jobs_from_text(const char *file, char *text, size_t n, struct ibc_jobs **out,
                   struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct jobs *jobs = arena ? arena_alloc(arena, sizeof(*jobs)) : NULL;
	int rc;

	*out = NULL;
	if (!jobs) {
		arena_free(arena);
		return fail_nomem(err);
	}
	jobs->arena = arena;
	jobs->file = file;
	if (strlen(text) != n)
		rc = fail(err, -EINVAL, "%s: it has NUL bytes", file);
	else if (strchr("{[", text[strspn(text, " \t\r\n")]) && n)
		rc = read_json(jobs, text, n, err);
	else
		rc = read_lines(jobs, text, err);
	jobs->public.jobs = jobs->all;
	if (rc)
		arena_free(arena);
	else
		*out = &jobs->public;
	return rc;
}

/* NUL-terminated, to be freed. */
static int read_whole(FILE *in, const char *path, char **out, size_t *n, struct ibc_error *err)
{
	size_t room = 0;
	char *text = NULL, *more;

	*n = 0;
	do {
		room += CHUNK;
		more = xrealloc(text, room + 1, 1);
		if (!more) {
			free(text);
			return fail_nomem(err);
		}
		text = more;
		*n += fread(text + *n, 1, room - *n, in);
		text[*n] = '\0';
	} while (*n == room);
	*out = text;
	if (!ferror(in))
		return 0;
	free(text);
	return fail(err, -EIO, "cannot read %s", path);
}

int ibc_jobs_read(const char *path, struct ibc_jobs **out, struct ibc_error *err)
{
	FILE *in = fopen(path, "re");
	char *text = NULL;
	size_t n;
	int rc;

	*out = NULL;
	if (!in)
		return fail(err, -errno, "cannot open %s: %s", path, strerror(errno));
	rc = read_whole(in, path, &text, &n, err);
	fclose(in);
	if (rc)
		return rc;
	rc = jobs_from_text(path, text, n, out, err);
	free(text);
	return rc;
}

void ibc_jobs_free(struct ibc_jobs *jobs)
{
	if (jobs)
		arena_free(((struct jobs *)jobs)->arena);
}
