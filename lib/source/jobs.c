/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs and their hosts: lines "JOB HOSTLIST", as squeue -h -o '%A %N' prints them. */
#include <errno.h>
#include <string.h>

#include <ibcheck/hostlist.h>
#include <ibcheck/jobs.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "source/source.h"

/* hosts of all jobs: every LID of the largest subnet (49,151) with 80 jobs at once */
#define HOSTS_MAX (1 << 22)

/* struct jobs - what was read; @public comes first */
struct jobs {
	struct ibc_jobs public;
	struct arena *arena;
	struct text_file *text;
	struct ibc_job *all;
	size_t room, num_hosts;
};

/* A job without hosts is pending, or has given them back. */
static int read_line(void *ctx, char *line, struct ibc_error *err)
{
	struct jobs *jobs = ctx;
	unsigned long number = text_line_number(jobs->text);
	struct ibc_job job = { .id = line + strspn(line, " \t") };
	size_t n = strcspn(job.id, " \t");
	const char *hosts = job.id + n + strspn(job.id + n, " \t");
	struct ibc_error why = { "" };
	struct ibc_hostlist *list;
	const char **names;
	int rc;

	if (!n || *job.id == '#' || !*hosts)
		return 0;
	job.id = utf8_clean(jobs->arena, job.id, n);
	if (!job.id)
		return fail_nomem(err);
	rc = ibc_hostlist_parse(hosts, &list, &why);
	if (rc == -EINVAL && jobs->public.lost++ == 0) {
		jobs->public.first_lost = arena_printf(jobs->arena, "%s: line %lu: job %s: %s",
		                                       text_name(jobs->text), number, job.id,
		                                       why.text);
		return jobs->public.first_lost ? 0 : fail_nomem(err);
	}
	if (rc)
		return rc == -EINVAL ? 0 : fail_nomem(err);
	jobs->num_hosts += list->num;
	names = arena_array(jobs->arena, list->num, sizeof(*names));
	if (jobs->num_hosts > HOSTS_MAX)
		rc = fail(err, -EINVAL,
		          "%s: line %lu: job %s: more than %d hosts of jobs up to here: give fewer "
		          "jobs",
		          text_name(jobs->text), number, job.id, HOSTS_MAX);
	else if (!names || !arena_grow(jobs->arena, &jobs->all, jobs->public.num, &jobs->room,
	                               sizeof(*jobs->all)))
		rc = fail_nomem(err);
	for (; rc == 0 && job.num_hosts < list->num; job.num_hosts++) {
		const char *name = list->names[job.num_hosts];

		names[job.num_hosts] = utf8_clean(jobs->arena, name, strlen(name));
		if (!names[job.num_hosts])
			rc = fail_nomem(err);
	}
	job.hosts = names;
	if (rc == 0)
		jobs->all[jobs->public.num++] = job;
	ibc_hostlist_free(list);
	return rc;
}

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
	int rc;

	*out = NULL;
	if (!jobs) {
		arena_free(arena);
		return fail_nomem(err);
	}
	*jobs = (struct jobs){ .arena = arena, .text = f };
	rc = text_begins(f, is_json)
	         ? fail(err, -EINVAL,
	                "%s: JSON is not read: give the output of squeue -t R,CG -h -o '%%A %%N'",
	                text_name(f))
	         : text_each_line(f, read_line, jobs, err);
	if (!rc && jobs->public.lost && !jobs->public.num)
		rc = fail(err, -EINVAL, "%s", jobs->public.first_lost);
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
