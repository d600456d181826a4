/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Who waits for whom.  A port that has data and no credits waits for the buffers at the
 * far end of its cable, and those empty through the ports of that switch: so a port
 * waits for those ports of its peer's switch that wait themselves or are full.  The
 * ports at the ends of such chains are the roots of congestion, all before them are
 * its victims.
 *
 * What comes in by a port goes on only where forwarding tables send what crosses it (onward.h),
 * and a full link is waited for only as far as its feeders can carry what it does (waitedges.c).
 * Without tables every pair of ports of a switch may share traffic; only that what goes
 * down from the cores does not go up again is known.  Cost: for every switch its waiting inputs
 * times its waiting outputs, and its ports for each that is full; the tables once, for the LIDs of
 * waiting ports; memory by ports.
 *
 * What PortXmitWait means in time: NVIDIA, ibdiagnet manual, "Congestion Assessment".
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

struct arena;

enum wait_cause {
	WAIT_UNKNOWN,       /* nothing that is known explains it */
	WAIT_SLOW_RECEIVER, /* an adapter takes less than its link carries */
	WAIT_INCAST,        /* the link of an adapter is full */
	WAIT_RETRAINED,     /* the link went through recovery */
	WAIT_NARROW,        /* the link is slower than its siblings */
	WAIT_UNEVEN,        /* a link between switches is full, its siblings are not */
	WAIT_NOT_ADAPTIVE,  /* the same, where switches route adaptively: not this traffic */
	WAIT_GROUP_SMALL,   /* it is full, as its siblings: like switches have more, and room */
	WAIT_PLANE_LOST,    /* a link of a plane is full: another plane, or a link of it, is gone */
	WAIT_OVERSUBSCRIBED, /* it is full, and so are its siblings */
	WAIT_RING,           /* switches wait for each other, and data moves */
	WAIT_LOOP,           /* they do, and nothing moves */
};

/*
 * struct wait_port - a port that waits, or is full
 * @wait, @util: percent of the time, and of the data rate; @util is negative if unknown
 * @lost: bytes that it could not send while it waited
 * @in_ring: it is one of those that wait for each other
 */
struct wait_port {
	uint64_t guid;
	unsigned int num;
	double wait, util, lost;
	bool in_ring;
};

/*
 * struct wait_others - what carries traffic beside a full link
 * @all, @lost: planes of the link, and those without it; or uplinks of most like switches that
 *	have more, and how many more
 * @util: of the others in percent, negative if unknown
 */
struct wait_others {
	unsigned int all, lost;
	double util;
};

/*
 * struct wait_root - where a chain ends
 * @window: in which it was seen, of several; see windows.h
 * @ports: the port itself, then those of its ring, then victims, @n in all
 * @victims: how many other ports wait for it; of a ring those outside of it
 * @worst_wait, @lost: of the root and its victims: the longest wait, and the sum in bytes
 * @siblings: links beside it, to nodes of the same kind at the same depth
 * @sibling_util: their mean, negative if unknown
 * @sibling_gbps: the fastest of them
 * @others: of WAIT_GROUP_SMALL and WAIT_PLANE_LOST
 * @rival: another root that a victim may wait for as well, as no forwarding tables are known; of
 *	several the one that waits longest; NULL: there is none
 * @rival_cause: its cause
 */
struct wait_root {
	unsigned int window;
	enum wait_cause cause;
	struct wait_port *ports;
	size_t n, victims, siblings;
	double worst_wait, lost, sibling_util, sibling_gbps;
	struct wait_others others;
	const struct wait_port *rival;
	enum wait_cause rival_cause;
};

/* Bytes that the link carries in so much of the time; 0 if the percent are not known. */
double wait_lost_bytes(const struct ibc_port *port, double percent, double seconds);
/* "slow_receiver" */
const struct ibc_word *wait_cause_word(enum wait_cause cause);

/*
 * The cause once it is known which switches route adaptively, as the subnet of the port says: not
 * all sweeps of a run ask.
 */
enum wait_cause wait_cause_settled(enum wait_cause cause, const struct ibc_port *port);

/* All roots; their ports are from @keep, all else from @a.  Both must have an escape. */
struct wait_root *waits_find(struct arena *a, struct arena *keep, const struct ibc_fabric *before,
                             const struct ibc_fabric *now, size_t *n);
