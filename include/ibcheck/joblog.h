/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_JOBLOG_H
#define IBCHECK_JOBLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <ibcheck/error.h>
#include <ibcheck/types.h>

#pragma GCC visibility push(default)

/**
 * DOC: what jobs and kernels say of a connection that broke
 *
 * Lines of programs that use RDMA, as they stand in the output of jobs and in system logs, behind
 * whatever prefix.  What a line names is kept as it is written: nothing is looked up here.
 */

enum ibc_log_program {
	IBC_LOG_NCCL = 1,
	IBC_LOG_RCCL,
	IBC_LOG_UCX,
	IBC_LOG_OPENMPI,
	IBC_LOG_MVAPICH,
	IBC_LOG_LIBFABRIC,
	IBC_LOG_LUSTRE,
	IBC_LOG_GPFS,
	IBC_LOG_NFS,
	IBC_LOG_KERNEL,
};
const struct ibc_word *ibc_log_program_word(enum ibc_log_program program);

enum ibc_log_kind {
	IBC_LOG_COMPLETION = 1, /* a work request ended with @status */
	IBC_LOG_LOST,           /* a connection to a peer is gone, or was not made; no status */
	IBC_LOG_PORT_EVENT,     /* its own port went down, or had an error */
	IBC_LOG_DEVICE,         /* its own HCA, or what is plugged into it, failed */
	IBC_LOG_USING,   /* no fault: the ports that a program uses; one line for each port */
	IBC_LOG_SOCKETS, /* no fault: it uses sockets, since it found no port */
};
const struct ibc_word *ibc_log_kind_word(enum ibc_log_kind kind);

/* Numbers of enum ibv_wc_status (libibverbs, verbs.h). */
enum ibc_wc_status {
	IBC_WC_UNKNOWN = -1,
	IBC_WC_LOC_LEN = 1,
	IBC_WC_LOC_PROT = 4,
	IBC_WC_WR_FLUSH = 5,
	IBC_WC_REM_INV_REQ = 9,
	IBC_WC_REM_ACCESS = 10,
	IBC_WC_REM_OP = 11,
	IBC_WC_RETRY_EXC = 12,
	IBC_WC_RNR_RETRY_EXC = 13,
};
/* "IBV_WC_RETRY_EXC_ERR"; NULL: there is no such number. */
const char *ibc_wc_status_name(int status);

/**
 * struct ibc_log_end - one end of a connection, as the line names it
 * @host: name, or ""
 * @address: of a socket ("10.2.0.5"), seldom one of InfiniBand, or ""
 * @device: by the kernel ("mlx5_3"), or ""; @pci: its PCI address ("0000:3b:00.0"), or ""
 * @port: of the device; 0: not known
 * @lid: 0: not known
 * @gid: prefix and GUID; 0, 0: not known.  An IPv4-mapped one is RoCE's
 */
struct ibc_log_end {
	const char *host, *address, *device, *pci;
	unsigned int port, lid;
	uint64_t gid_prefix, gid_guid;
};

/**
 * struct ibc_log_event - lines that say the same of the same two ends within IBC_LOG_BUCKET
 * @status: enum ibc_wc_status, or another number of ibv_wc_status
 * @vendor_error: of the HCA; -1: not known
 * @roce: the line says that the link is Ethernet
 * @process: who reports it, "node07:5776", to find lines of one process; or ""
 * @count: of lines, one at least
 * @first, @last: when, in seconds since 1970; 0: no line has it
 * @file, @line: where the first of them stands
 * @text: the first of them, without its prefix, at most IBC_LOG_TEXT bytes, clean UTF-8
 */
struct ibc_log_event {
	enum ibc_log_program program;
	enum ibc_log_kind kind;
	int status, vendor_error;
	bool roce;
	struct ibc_log_end own, peer;
	const char *process;
	uint64_t count;
	time_t first, last;
	const char *file;
	unsigned long line;
	const char *text;
};
#define IBC_LOG_BUCKET 600 /* seconds: a reboot of a host takes less, and two faults seldom */
#define IBC_LOG_TEXT   400

/**
 * struct ibc_joblog - what was recognised in some files
 * @events: in the order of their first lines
 * @lines, @bytes: that were read
 * @recognised: lines that are of one of the forms
 * @lost: of them, those that could not be parsed; @first_lost: the first, with file and line; NULL
 * @dropped: lines whose events are left out, since there are IBC_LOG_EVENTS others
 * @cut: files that end within a compressed stream: what was read until then counts; NULL: none
 */
struct ibc_joblog {
	const struct ibc_log_event *events;
	size_t num;
	uint64_t lines, bytes, recognised, lost, dropped;
	const char *first_lost, *cut;
};
#define IBC_LOG_EVENTS 65536 /* bounds memory: 100 MB at the most */

/**
 * struct ibc_joblog_opts - start with all zero
 * @now: lines without a year have the last one that is not after it, but for a day, as clocks and
 *	zones differ; 0: as they stand, 1970
 */
struct ibc_joblog_opts {
	time_t now;
};

/**
 * ibc_joblog_read() - read the output of jobs, and system logs
 * @paths: @n files, plain, gzip or zstd by their content; "-": standard input
 * @opts: or NULL
 * @out: to be freed with ibc_joblog_free()
 *
 * Memory is bounded, whatever the files have.  Times without a zone are those of this process.
 *
 * Return: 0, also where nothing is recognised; -ENOMEM; what the system said of a file.
 */
int ibc_joblog_read(const char *const *paths, size_t n, const struct ibc_joblog_opts *opts,
                    struct ibc_joblog **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_joblog_free(struct ibc_joblog *log);

#pragma GCC visibility pop

#endif
