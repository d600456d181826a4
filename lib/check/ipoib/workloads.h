/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Does a workload of this host move its data by TCP over IPoIB that it should move by RDMA?
 * Bytes decide, not that a socket exists: every NCCL job opens dozens on ib0 and is well.
 * The evidence is weighed term by term, and each term is shown with its numbers.
 *
 * A workload is what runs under one job id, over a window: two readings of the host.
 */
#include <ibcheck/host.h>

#include "check/allow.h"
#include "check/host/view.h"

enum fallback_term {
	TERM_TRAFFIC,  /* many bytes over IPoIB */
	TERM_LOG,      /* a line in a log that says so */
	TERM_NO_RDMA,  /* nothing of RDMA is held open */
	TERM_SETTING,  /* a variable forces TCP */
	TERM_SHARE,    /* most of what the port carries is IPoIB */
	TERM_CAUSE,    /* RDMA cannot work for these processes */
	TERM_RDMA,     /* more goes by RDMA: TCP is only control */
	TERM_INTENDED, /* the allow list names it */
	FALLBACK_TERMS,
};
extern const char *const fallback_term_words[FALLBACK_TERMS];

enum fallback_verdict {
	FALLBACK_OK,
	FALLBACK_AT_RISK, /* no traffic, but a job started so would fall back */
	FALLBACK_POSSIBLE,
	FALLBACK_LIKELY,
	FALLBACK_CONFIRMED,
	FALLBACK_UNKNOWN, /* whose traffic it is, or what they hold, could not be read */
};
extern const char *const fallback_verdict_words[];

/* Why RDMA was of no use to a process. */
struct fallback_cause {
	const char *what, *remedy; /* sentences without a full stop; NULL: none is known */
};

/*
 * struct workload - the processes of one job, or the sockets without an owner
 * @name: "job 4711 (slurm)", "rsync, PID 812", "the kernel"
 * @comm: of most of its processes
 * @sockets: on IPoIB
 * @bytes_per_second: over IPoIB in the window;  @bytes: since its sockets were connected
 * @most: what its busiest socket moved;  @netdev: the interface of that one
 * @qps: all of its processes, of whatever type
 * @rdma_bytes_per_second: of the host's ports, without IPoIB; negative: not known
 * @share: of the port's bytes that are IPoIB, 0..1; negative: not known
 * @weight: by term; 0: it does not hold
 * @setting: one that forces TCP, or NULL;  @log: the line that decided, or NULL
 * @unread: what was not readable of some of its processes (enum ibc_process_part), and
 *	    @owners_unread: sockets whose owner is not known
 */
struct workload {
	const char *name, *comm, *job, *job_kind;
	const struct ibc_process **processes;
	size_t num_processes, sockets;
	double bytes_per_second, rdma_bytes_per_second, share;
	uint64_t bytes, most;
	unsigned int qps;
	const struct ibc_netdev *netdev;
	int8_t weight[FALLBACK_TERMS];
	int score;
	enum fallback_verdict verdict;
	struct fallback_cause cause;
	const struct ibc_setting *setting;
	const struct ibc_log_line *log;
	uint32_t unread;
	bool owners_unread, identified, kernel, qps_unread;
};

/*
 * The workloads of a host that have sockets on IPoIB or a forced transport, those with most
 * traffic first.  @before can be NULL: then only what was sent in all is judged.  @allow: the
 * allow list, or NULL.  Gathered once in a run.
 */
struct workload *fallback_find(struct ibc_sink *out, const struct ibc_host *before,
                               const struct ibc_host *now, const char *allow, size_t *n);

/* A part of a parallel program, and nothing that starts them. */
bool is_rank_program(const struct ibc_process *p);
/* What one rank can do, all of them can: a workload with queue pairs has no cause. */
void fallback_find_cause(struct ibc_sink *out, const struct ibc_host *now, struct workload *w);

/* struct suspect - a process of which it is asked why RDMA is of no use to it; NULL: any */
struct suspect {
	struct ibc_sink *out;
	const struct ibc_host *host;
	const struct ibc_process *p;
	struct fallback_cause *cause; /* as soon as one is found */
};
/* cause_host.c: that is why; true. */
bool explain(struct suspect *s, const char *remedy, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
/* What holds for all programs; false: nothing that is known. */
bool host_cause(struct suspect *s);
/* No port that it may use is of use. */
bool has_no_port(struct suspect *s);
/* Has it a port that lacks nothing, and may the process open it? */
bool process_can_use(const struct ibc_host *host, const struct ibc_process *p,
                     const struct ibc_rdma_device *device);
/* Is it in the list, which a NULL ends? */
bool has_word(const char *const *list, const char *word);
/* The modules were listed, and it is not among them. */
bool lacks_module(struct ibc_sink *out, const struct ibc_host *host, const char *module);

/* share.c: the port an interface sits on, or NULL. */
const struct ibc_rdma_port *netdev_port(const struct ibc_netdev *dev);

/* Of what an RDMA port carried in the window */
struct port_load {
	const struct ibc_rdma_device *device;
	const struct ibc_rdma_port *port;
	double ipoib_bytes_per_second; /* with the headers that the port counts */
	double bytes_per_second;       /* negative: the port does not count it */
	bool apart; /* the port's counters do not hold IPoIB: it came to more than they say */
};
/* False: there is no such window. */
bool port_load(const struct ibc_host *before, const struct ibc_host *now,
               const struct ibc_rdma_device *device, const struct ibc_rdma_port *port,
               struct port_load *out);
/* Of all it carries, 0..1; negative: not known. */
double port_load_share(const struct port_load *load);
/* Bytes per second that are not IPoIB, of a port that counts. */
double port_load_rdma(const struct port_load *load);
/* Is it more than 1 % of what the port can carry?  Of one that does not count, IPoIB alone. */
bool port_load_counts(const struct port_load *load);
