/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_JOBS_H
#define IBCHECK_JOBS_H

#include <stddef.h>

#include <ibcheck/error.h>

#pragma GCC visibility push(default)

/* struct ibc_job - one job that holds hosts */
struct ibc_job {
	const char *id;
	const char *const *hosts;
	size_t num_hosts;
};

/**
 * struct ibc_jobs - those of a file, in its order
 * @lost: lines that are not understood, and left out
 * @first_lost: what is wrong with the first of them, with file and line; or NULL
 */
struct ibc_jobs {
	const struct ibc_job *jobs;
	size_t num, lost;
	const char *first_lost;
};

/**
 * ibc_jobs_read() - the jobs of a batch system
 * @path: lines of a job and its list of hosts; a job without hosts is left out
 * @out: to be freed with ibc_jobs_free()
 *
 * Return: 0; -EINVAL: no line is understood, with the first; -ENOMEM; what the system said.
 */
int ibc_jobs_read(const char *path, struct ibc_jobs **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_jobs_free(struct ibc_jobs *jobs);

#pragma GCC visibility pop

#endif
