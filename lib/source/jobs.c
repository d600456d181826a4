/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs and their hosts: of the output of "squeue --json", whichever version of its schema
 * (the keys read here are the same in all of them), or of lines "JOB HOSTLIST".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ibcheck/hostlist.h>
#include <ibcheck/jobs.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/jsonfeed.h"
#include "base/utf8.h"
#include "source/source.h"

#define CHUNK 65536 /* bytes read at a time */
/* hosts of all jobs: every LID of the largest subnet (49,151) with 80 jobs at once */
#define HOSTS_MAX (1 << 22)
#define MOST      (1 << 29) /* bytes of a job: some list every core of thousands of hosts */

/* struct jobs - what was read; @public comes first */
struct jobs {
	struct ibc_jobs public;
	struct arena *arena;
	const char *file;
	struct ibc_job *all;
	size_t room, num_hosts;
};

/* struct reading - @has_jobs: JSON has a member of that name, or is an array */
struct reading {
	struct jobs *jobs;
	struct text_file *text;
	struct json_feed feed;
	struct ibc_error *err;
	bool has_jobs;
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
	jobs->num_hosts += list->num;
	if (jobs->num_hosts > HOSTS_MAX)
		rc = fail(err, -EINVAL,
		          "%s: line %lu: job %s: more than %d hosts of jobs up to here: give fewer "
		          "jobs",
		          jobs->file, line, job->id, HOSTS_MAX);
	else if (!copy_hosts(jobs, job, list) ||
	         !arena_grow(jobs->arena, &jobs->all, jobs->public.num, &jobs->room,
	                     sizeof(*jobs->all)))
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
static bool has_hosts(const struct json_item *state)
{
	bool holds = !state;

	if (json_is(state, JSON_TEXT))
		return holds_hosts(state->text);
	if (json_is(state, JSON_LIST))
		for (const struct json_item *i = state + 1; i != json_behind(state);
		     i = json_behind(i))
			holds |= json_is(i, JSON_TEXT) && holds_hosts(i->text);
	return holds;
}

/* A text, or a number; what else there may be is "".  false when out of memory. */
static bool keep_text(struct jobs *jobs, const struct json_item *job, const char *key,
                      const char **to)
{
	const struct json_item *item = json_member(job, key);
	char digits[24] = "";

	if (!item)
		return true;
	if (json_is(item, JSON_NUMBER))
		snprintf(digits, sizeof(digits), "%" PRId64, item->number);
	*to = json_is(item, JSON_TEXT) ? utf8_clean(jobs->arena, item->text, item->size)
	                               : arena_strdup(jobs->arena, digits);
	return *to;
}

static int read_job(struct reading *r, const struct json_item *item)
{
	struct ibc_job job = { .id = "?" };
	const char *nodes = "";

	if (!keep_text(r->jobs, item, "job_id", &job.id) ||
	    !keep_text(r->jobs, item, "user_name", &job.user) ||
	    !keep_text(r->jobs, item, "name", &job.name) ||
	    !keep_text(r->jobs, item, "nodes", &nodes))
		return fail_nomem(r->err);
	if (!*nodes || !has_hosts(json_member(item, "job_state")))
		return 0;
	return add_job(r->jobs, &job, nodes, r->feed.line, r->err);
}

/* Of the member "jobs", or of an array of jobs alone. */
static int take_part(void *ctx, const struct json_item *part)
{
	const char *key = part[1].text;
	struct reading *r = ctx;

	if (*key && strcmp(key, "jobs") != 0)
		return 0;
	r->has_jobs = true;
	return read_job(r, part + 2);
}

static int read_json(struct reading *r)
{
	const char *file = r->jobs->file;
	ssize_t n;
	char *bytes;
	int rc = 0;

	while (!rc && (n = text_block(r->text, CHUNK, &bytes, r->err)) != 0)
		rc = n < 0 ? (int)n : json_feed(&r->feed, bytes, (size_t)n);
	if (!rc)
		rc = json_feed_end(&r->feed);
	if (r->feed.error)
		return fail(r->err, -EINVAL, "%s: line %lu: this is no whole JSON: %s", file,
		            r->feed.line, r->feed.error);
	if (rc == -ENOMEM)
		return fail_nomem(r->err);
	if (!rc && !r->has_jobs)
		return fail(r->err, -EINVAL,
		            "%s: it has no \"jobs\": give the output of \"squeue --json\"", file);
	return rc;
}

/* ---- lines ------------------------------------------------------------------------------- */

static int read_line(void *ctx, char *line, struct ibc_error *err)
{
	struct reading *r = ctx;
	unsigned long number = text_line_number(r->text);
	struct ibc_job job = { .id = line + strspn(line, " \t") };
	size_t n = strcspn(job.id, " \t");
	const char *hosts = job.id + n;

	if (!n || *job.id == '#')
		return 0;
	hosts += strspn(hosts, " \t");
	job.id = utf8_clean(r->jobs->arena, job.id, n);
	if (!job.id)
		return fail_nomem(err);
	if (!*hosts)
		return fail(err, -EINVAL,
		            "%s: line %lu: expected a job and its hosts, as \"1234 node[01-16]\"",
		            r->jobs->file, number);
	return add_job(r->jobs, &job, hosts, number, err);
}

/* ---- the file ------------------------------------------------------------------------------ */

static bool is_json(const uint8_t *bytes, size_t n)
{
	size_t i = 0;

	while (i < n && strchr(" \t\r\n", bytes[i]) && bytes[i])
		i++;
	return i < n && (bytes[i] == '{' || bytes[i] == '[');
}

int read_jobs(struct text_file *f, struct ibc_jobs **out, struct ibc_error *err)
{
	struct arena *arena = arena_new();
	struct jobs *jobs = arena ? arena_alloc(arena, sizeof(*jobs)) : NULL;
	struct reading r = { .jobs = jobs, .text = f, .err = err };
	int rc;

	*out = NULL;
	if (!jobs) {
		arena_free(arena);
		return fail_nomem(err);
	}
	jobs->arena = arena;
	jobs->file = text_name(f);
	r.feed = (struct json_feed){ .take = take_part, .ctx = &r, .most = MOST };
	r.feed.reader.lenient = true;
	rc = text_begins(f, is_json) ? read_json(&r) : text_each_line(f, read_line, &r, err);
	json_feed_free(&r.feed);
	jobs->public.jobs = jobs->all;
	if (rc)
		arena_free(arena);
	else
		*out = &jobs->public;
	return rc;
}

int ibc_jobs_read(const char *path, struct ibc_jobs **out, struct ibc_error *err)
{
	struct text_file *f;
	int rc = text_open(path, &f, err);

	*out = NULL;
	if (rc)
		return rc;
	rc = read_jobs(f, out, err);
	text_close(f);
	return rc;
}

void ibc_jobs_free(struct ibc_jobs *jobs)
{
	if (jobs)
		arena_free(((struct jobs *)jobs)->arena);
}
