/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What a log says, a line for each event; include it after <cmocka.h>:
 *
 *	assert_string_equal(said("n1:7:8 [0] NCCL WARN NET/IB : Got async event : port error\n"),
 *	                    "nccl port_event n1 by n1:7");
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ibcheck/joblog.h>

/* A file that is gone once it is closed; its path in @path. */
static inline int joblog_file(const void *bytes, size_t n, char path[64])
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static inline struct ibc_joblog *joblog_of(const void *bytes, size_t n,
                                           const struct ibc_joblog_opts *opts)
{
	char path[64];
	const char *paths[] = { path };
	int fd = joblog_file(bytes, n, path);
	struct ibc_error err = { "" };
	struct ibc_joblog *log;

	if (ibc_joblog_read(paths, 1, opts, &log, &err))
		fail_msg("%s", err.text);
	close(fd);
	return log;
}

static inline void print_log_end(FILE *to, const struct ibc_log_end *end)
{
	fprintf(to, "%s%s%s%s%s", *end->host ? " " : "", end->host, *end->device ? " " : "",
	        end->device, "");
	if (end->port)
		fprintf(to, "/%u", end->port);
	fprintf(to, "%s%s%s%s", *end->pci ? " " : "", end->pci, *end->address ? " " : "",
	        end->address);
	if (end->lid)
		fprintf(to, " lid %u", end->lid);
	if (end->gid_prefix || end->gid_guid)
		fprintf(to, " %llx:%llx", (unsigned long long)end->gid_prefix,
		        (unsigned long long)end->gid_guid);
}

/*
 * "PROGRAM KIND[ STATUS][ vendor N][ roce] OWN[ > PEER][ by PROCESS][ at FIRST[-LAST]][ xCOUNT]"
 * for each event, and behind them what was lost, dropped, cut.
 */
static inline const char *said_of(const struct ibc_joblog *log)
{
	static char out[16384];
	FILE *to = fmemopen(out, sizeof(out), "w");

	*out = '\0';
	for (size_t i = 0; i < log->num; i++) {
		const struct ibc_log_event *e = &log->events[i];
		const struct ibc_log_end *p = &e->peer;

		fprintf(to, "%s%s %s", i ? "\n" : "", ibc_log_program_word(e->program)->word,
		        ibc_log_kind_word(e->kind)->word);
		if (e->status >= 0)
			fprintf(to, " %d", e->status);
		if (e->vendor_error >= 0)
			fprintf(to, " vendor %d", e->vendor_error);
		fputs(e->roce ? " roce" : "", to);
		print_log_end(to, &e->own);
		fputs(*p->host || *p->address || p->lid || p->gid_guid ? " >" : "", to);
		print_log_end(to, p);
		fprintf(to, "%s%s", *e->process ? " by " : "", e->process);
		if (e->first)
			fprintf(to, " at %lld", (long long)e->first);
		if (e->last != e->first)
			fprintf(to, "-%lld", (long long)e->last);
		if (e->count != 1)
			fprintf(to, " x%llu", (unsigned long long)e->count);
	}
	if (log->lost)
		fprintf(to, "%slost %llu", log->num ? "\n" : "", (unsigned long long)log->lost);
	fclose(to);
	return out;
}

/* Of a file that ends with a line feed. */
static inline const char *said_with(const char *text, const struct ibc_joblog_opts *opts)
{
	char whole[4096];
	size_t n = strlen(text), lf = !n || text[n - 1] != '\n';
	struct ibc_joblog *log;
	const char *said;

	assert_true(n + 2 < sizeof(whole));
	memcpy(whole, text, n);
	whole[n] = '\n';
	log = joblog_of(whole, n + lf, opts);
	said = said_of(log);
	ibc_joblog_free(log);
	return said;
}

static inline const char *said(const char *text)
{
	return said_with(text, NULL);
}
