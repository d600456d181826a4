/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The job a process belongs to: by its control group, which it cannot leave, then by what
 * the batch system put into its environment.  Where there is neither a container nor a
 * launcher, processes of one group belong together.
 */
#include <ctype.h>
#include <string.h>

#include "host/process/process.h"

#define ID_BYTES 96 /* a guess: what is longer is no id of a job */

/* The first that a process has counts; what a batch system says before what a container is. */
static const char *const order[] = { "slurm",  "pbs",        "lsf",  "sge",  "kubernetes", "docker",
	                             "podman", "containerd", "crio", "pmix", "pgrp" };

static unsigned int order_of(const char *kind)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(order) && strcmp(order[i], kind) != 0)
		i++;
	return i;
}

void offer_job(struct proc_reader *r, const char *kind, const char *id, size_t n)
{
	unsigned int of_kind = order_of(kind);

	if (!n || n > ID_BYTES || (*r->process->job && r->job_order <= of_kind))
		return;
	r->process->job = text_clean(r->host, id, n);
	r->process->job_kind = order[of_kind];
	r->job_order = of_kind;
}

/* ---- parts of a path ------------------------------------------------------------- */

/* How batch systems name what a job runs in; a part of a path has the id between the two. */
static const struct {
	const char *within; /* somewhere in the path */
	const char *kind, *begin;
	bool digits;      /* the id begins with one */
	const char *ends; /* what cannot be in it */
	size_t cut;       /* bytes behind it */
} batch_systems[] = {
	/* "job_1234" */
	{ "slurm", "slurm", "job_", true, "/", 0 },
	/* "pbspro-1234.server.slice", or what follows "jobid/" or "pbspro/" */
	{ "pbs", "pbs", "pbspro-", false, "/", 6 },
	{ "pbs", "pbs", "", true, "/", 0 },
	/* "job.1234.5678.1700000000": the job, a process, a time */
	{ "/lsf/", "lsf", "job.", false, "./", 0 },
	{ "/UGE/", "sge", "", true, "/", 0 },
	{ "/sge/", "sge", "", true, "/", 0 },
};

static void take_batch(struct proc_reader *r, const char *path, const char *part)
{
	for (size_t i = 0; i < ARRAY_SIZE(batch_systems); i++) {
		const char *id = text_after(part, batch_systems[i].begin);
		size_t n = id ? strcspn(id, batch_systems[i].ends) : 0;

		if (n > batch_systems[i].cut && strstr(path, batch_systems[i].within) &&
		    (!batch_systems[i].digits || isdigit((unsigned char)*id)))
			offer_job(r, batch_systems[i].kind, id, n - batch_systems[i].cut);
	}
}

#define UID_TEXT 36 /* "0b9d2e4c-1d5e-4a52-8f3c-6a0f2f6f5a11" */

/* "pod0b9d2e4c-...", "kubepods-burstable-pod0b9d2e4c_....slice" */
static void take_kubernetes(struct proc_reader *r, const char *part, size_t n)
{
	const char *pod = memmem(part, n, "pod", 3);
	char uid[UID_TEXT + 1];

	while (pod && !isxdigit((unsigned char)pod[3]))
		pod = memmem(pod + 3, n - (size_t)(pod + 3 - part), "pod", 3);
	if (!pod || n - (size_t)(pod + 3 - part) < UID_TEXT)
		return;
	/* systemd has no "-" within a name */
	for (size_t i = 0; i < UID_TEXT; i++)
		uid[i] = pod[3 + i] == '_' ? '-' : pod[3 + i];
	offer_job(r, "kubernetes", uid, UID_TEXT);
}

#define CONTAINER_HEX 64 /* digits of a SHA-256 */
#define CONTAINER_ID  12 /* as the programs print it */

/* "docker-4f1d....scope", "4f1d..." below "docker/" */
static void take_container(struct proc_reader *r, const char *part, size_t n)
{
	static const struct {
		const char *begin, *kind;
	} kinds[] = {
		{ "docker-", "docker" },
		{ "libpod-", "podman" },
		{ "cri-containerd-", "containerd" },
		{ "nerdctl-", "containerd" },
		{ "crio-", "crio" },
		{ "", "docker" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t length = strlen(kinds[i].begin);

		if (!text_after(part, kinds[i].begin))
			continue;
		if (n - length >= CONTAINER_HEX &&
		    strspn(part + length, "0123456789abcdef") == CONTAINER_HEX)
			offer_job(r, kinds[i].kind, part + length, CONTAINER_ID);
		return;
	}
}

void take_cgroup(struct proc_reader *r)
{
	/* "0::/PATH", "5:memory:/PATH" */
	const char *path = strchr(r->stream.item, '/');
	unsigned int before = r->job_order;

	if (cgroup_of(r->stream.item))
		r->group = text_clean(r->host, path, strlen(path));
	if (!path)
		return;
	for (const char *part = path; *part; part += strcspn(part, "/")) {
		part += strspn(part, "/");
		take_batch(r, path, part);
		if (strstr(path, "kubepods"))
			take_kubernetes(r, part, strcspn(part, "/"));
		take_container(r, part, strcspn(part, "/"));
	}
	if (*r->process->cgroup && before == r->job_order)
		return;
	r->process->cgroup = text_clean(r->host, path, strlen(path));
}
