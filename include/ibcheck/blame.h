/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_BLAME_H
#define IBCHECK_BLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>
#include <ibcheck/joblog.h>

#pragma GCC visibility push(default)

/**
 * DOC: why connections of a job broke
 *
 * The lines of struct ibc_joblog name ends; a fabric has their ports and the routes between them;
 * what was seen of links, switches and hosts in that hour is evidence.  Without evidence nothing
 * is blamed: then it is said what was looked at.
 */

/**
 * struct ibc_blame_alias - what is known of a host that its fabric does not say
 * @host: its name
 * @address: of a socket on it, "10.2.0.5"; or NULL
 * @device: of the kernel, "mlx5_3", or NULL; @pci: its address, or NULL
 * @port: of @device; 0: any
 * @guid: of that port, or of its node; 0: not known
 */
struct ibc_blame_alias {
	const char *host, *address, *device, *pci;
	unsigned int port;
	uint64_t guid;
};

/**
 * enum ibc_blame_sign_kind - what was seen of a place, that which breaks connections last
 * @IBC_SIGN_SILENT: the node did not answer, and its link is up: that is no evidence
 * @IBC_SIGN_COUNTED: errors of @counter in that time; LinkDowned is a link that went down
 * @IBC_SIGN_INCIDENT: a fault that began then
 * @IBC_SIGN_DOWN: a link went down
 * @IBC_SIGN_GONE: the node is not there any more
 * @IBC_SIGN_SAID: the host says it of its own port or HCA
 */
enum ibc_blame_sign_kind {
	IBC_SIGN_SILENT = 1,
	IBC_SIGN_COUNTED,
	IBC_SIGN_INCIDENT,
	IBC_SIGN_DOWN,
	IBC_SIGN_GONE,
	IBC_SIGN_SAID,
};

/**
 * struct ibc_blame_sign - one such observation
 * @guid, @port: of the node; port 0: the node as a whole
 * @from, @until: between which times: of a run that saw it, since the one before
 * @counter, @amount: of IBC_SIGN_COUNTED
 * @check, @case_id: of IBC_SIGN_INCIDENT; @case_id: or NULL
 * @text: a few words more, or NULL
 */
struct ibc_blame_sign {
	enum ibc_blame_sign_kind kind;
	uint64_t guid;
	unsigned int port;
	time_t from, until;
	enum ibc_counter counter;
	uint64_t amount;
	const char *check, *case_id, *text;
};

/*
 * Seconds: a sign is evidence if its time overlaps that of the lines, from so much before the first
 * to so much after the last.  An HCA gives up after 7 retries of at most 17 s (timeout 22, IBA
 * 9.7.6.1.3), or twice that: 4 minutes, and a minute more; clocks differ by less than a minute.
 * What spans more is not of that hour.
 */
#define IBC_BLAME_BEFORE 300
#define IBC_BLAME_AFTER  60
#define IBC_BLAME_SPAN   7200
/* Seconds: what people say, and batch systems note, as the time of a beginning or an end. */
#define IBC_BLAME_SLACK 600

/**
 * struct ibc_blame_input - what there is to go by
 * @then: the sweep that is nearest to the lines, not after them if there is one; or NULL
 * @now: a later one, or NULL: one of the two is needed
 * @runs, @num_runs: when runs looked that are remembered, oldest first; @remembers: there is a
 * memory
 * @at: when lines were that have no time, or up to @slack seconds before
 * @hosts: of the job, and @from, @until when it ran: other lines are not of it; 0: any
 */
struct ibc_blame_input {
	const struct ibc_joblog *log;
	const struct ibc_fabric *then, *now;
	const struct ibc_blame_alias *aliases;
	size_t num_aliases;
	const struct ibc_blame_sign *signs;
	size_t num_signs;
	const time_t *runs;
	size_t num_runs;
	bool remembers;
	time_t at, slack;
	const char *const *hosts;
	size_t num_hosts;
	time_t from, until;
};

enum ibc_blame_kind {
	IBC_BLAME_FABRIC = 1, /* a cable or a switch */
	IBC_BLAME_HOST,       /* a host, an HCA or its port */
	IBC_BLAME_SOFTWARE,
	IBC_BLAME_UNSEEN,
};
const struct ibc_word *ibc_blame_kind_word(enum ibc_blame_kind kind);

/**
 * struct ibc_blame_pair - two ends between which connections broke
 * @own, @peer: names: "host07 mlx5_0/1", "host07", "10.2.0.5"; "": none is named
 * @own_port, @peer_port: of the one port that it is; NULL: not known, or one of several
 * @own_ports, @peer_ports: so many may be it; 0: it is not known
 * @status: enum ibc_wc_status of most lines
 * @lines, @first, @last: how many and when; lines without one are of the time to @at
 * @links: cables that its packets may have crossed, both ways
 * @guessed: these are by the cabling, or the end is one of several
 * @cause: its place in ibc_blame.causes
 */
struct ibc_blame_pair {
	const char *own, *peer;
	const struct ibc_port *own_port, *peer_port;
	size_t own_ports, peer_ports;
	int status;
	uint64_t lines;
	time_t first, last;
	size_t links;
	bool guessed;
	size_t cause;
};

/**
 * struct ibc_blame_cause - what explains some of the lines
 * @node, @port: what it is: a switch, an HCA; with @port one end of a cable, or a port of an HCA;
 *	NULL: the host
 * @host: its name; NULL: none
 * @is_cable: it is the cable at @port
 * @status: of most lines
 * @lines, @pairs: that it explains; @share_percent: of all lines
 * @evidence: sentences; of IBC_BLAME_UNSEEN what was seen of @maybe, which its pairs may not have
 *	crossed; or NULL
 * @case_id: that the memory of the fabric has of it, or NULL
 * @maybe: of IBC_BLAME_UNSEEN one end of the cable of @links that it may be: of which something
 *	was seen, else that most pairs cross; or NULL
 * @ends: of IBC_BLAME_UNSEEN: one of its pairs, or NULL
 * @example: one of its lines
 */
struct ibc_blame_cause {
	enum ibc_blame_kind kind;
	const struct ibc_node *node;
	const struct ibc_port *port;
	const char *host;
	bool is_cable;
	int status;
	uint64_t lines, share_percent;
	size_t pairs;
	const char *evidence, *case_id;
	const struct ibc_port *maybe;
	size_t links;
	const struct ibc_blame_pair *ends;
	const struct ibc_log_event *example;
};

/**
 * struct ibc_blame - the answer
 * @causes: those with evidence first, by what they explain, then software, and what was not seen
 * @lines: of faults, without @flushes, which are consequences, and those of @ethernet (RoCE), of
 *	@others (that are not of the job)
 * @sockets: processes that use sockets
 * @unplaced: pairs of which an end is not known
 * @first, @last: of the lines that are explained; @untimed: lines that have no time
 * @guessed: routes of some pairs are by the cabling, since there are no tables
 * @broken: of @lines and @ethernet, those of broken connections: others are of a port or an HCA
 * @doubtful: a line of a kernel about a PCI function of which it is not known whether it is
 *	InfiniBand: it is no cause; NULL: there is none; @doubts: so many
 */
struct ibc_blame {
	const struct ibc_blame_cause *causes;
	size_t num_causes;
	const struct ibc_blame_pair *pairs;
	size_t num_pairs;
	uint64_t lines, flushes, ethernet, others, sockets, untimed;
	size_t unplaced;
	time_t first, last;
	bool guessed;
	uint64_t broken, doubts;
	const struct ibc_log_event *doubtful;
};

/**
 * ibc_blame_span() - when the faults were that the lines of the job report
 * @in: its log, its job, and the time of lines that have none; without any line it is that time
 */
void ibc_blame_span(const struct ibc_blame_input *in, time_t *first, time_t *last);

/**
 * ibc_blame_find() - find the smallest set of causes
 * @in: what there is to go by
 * @out: borrows from all of @in; to be freed with ibc_blame_free()
 *
 * A link with evidence that no route of a pair crosses is no cause, nor is what happened at another
 * time.  Greedy set cover: O(pairs x links).
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_blame_find(const struct ibc_blame_input *in, struct ibc_blame **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_blame_free(struct ibc_blame *blame);

struct ibc_report;
/*
 * Adds each cause as one of blame.fabric, blame.host, blame.software and blame.unseen; as
 * blame.unseen also that no line was recognised, or not all could be read.  0, or -ENOMEM.
 */
int ibc_check_blame(const struct ibc_blame *blame, const struct ibc_blame_input *in,
                    struct ibc_report *rep, struct ibc_error *err);

#pragma GCC visibility pop

#endif
