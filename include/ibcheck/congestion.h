/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_CONGESTION_H
#define IBCHECK_CONGESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <ibcheck/counters.h>
#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

#pragma GCC visibility push(default)

/**
 * DOC: congestion over the windows of a run
 *
 * Where chains of waiting ports end, window by window: which of these roots last, since when, and
 * whom they cost how much.  Between switches of which depth data waits.  What is not known of it.
 */

/* struct ibc_congestion_host - a host with a port that waits; @lost_bytes: in all windows */
struct ibc_congestion_host {
	const char *name;
	double lost_bytes;
};
struct wait_root; /* of the library */

/**
 * struct ibc_congestion_root - a port for which others wait, or that waits for a host
 * @port: of the last sweep; of the first one if it, or its cable, is gone since
 * @kind: "slow_receiver", ...: the fact "cause" of counters.congestion
 * @windows: in which it is known how long it waited; @with: of these, those in which it, or a
 *	victim, waits IBC_ROOT_PERCENT or longer
 * @onset: the first of @with, from 1
 * @lasts: @with are at least 60 % of @windows, in a run of two windows or more
 * @wait_percent, @util_percent: its own, in the window that speaks for it; negative: not known
 * @worst_percent: the longest wait of its victims and itself in that window
 * @lost_bytes: that it and its victims could not send while they waited, in all windows
 * @victims: ports that wait for it in that window
 * @lost_percent: of what was lost to waiting anywhere; negative: nothing was
 * @hosts: with a port that waits for it in any window, or that is it, by name
 * @host_names: of them all, folded; NULL: there are none
 * @strip: a character a window: '.' no root, '-' the longest wait of its victims and itself is up
 *	to 5 % of the time, '+' up to 20 %, '#' more, '?' not known
 */
struct ibc_congestion_root {
	const struct ibc_port *port;
	const struct ibc_word *kind;
	unsigned int windows, with, onset;
	bool lasts;
	double wait_percent, util_percent, worst_percent, lost_bytes, lost_percent;
	size_t victims;
	const struct ibc_congestion_host *hosts;
	size_t num_hosts;
	const char *host_names;
	const struct wait_root *seen; /* that window, for the library */
	char strip[IBC_WINDOWS_MAX + 1];
};

#define IBC_ROOT_PERCENT 5 /* of the time; the limit of counters.congestion */

/**
 * struct ibc_wait_tiers - ports that send from nodes of one depth to those of another
 * @from, @to: "host", "leaf", "spine", "core", or "tier 5": so many hops from hosts; "other"
 * @between_switches: of all depths
 * @ports: whose wait is known; @unknown: the others with a cable
 * @long_waits: of @ports, those that waited IBC_LONG_WAIT_PERCENT of the time or longer
 * @mean_percent, @worst_percent: of @ports; negative: of none it is known
 * @util_percent: their mean; negative: likewise
 * @worst: the port with the longest wait; NULL: none waited
 */
struct ibc_wait_tiers {
	const char *from, *to;
	bool between_switches;
	size_t ports, unknown, long_waits;
	double mean_percent, worst_percent, util_percent, lost_bytes;
	const struct ibc_port *worst;
};
#define IBC_LONG_WAIT_PERCENT 15 /* where a link begins to slow programs (a guess) */

/* Why less is known of the waiting of a port than could be. */
enum ibc_wait_gap {
	IBC_WAIT_UNREAD,     /* its counters were not read in each window: no wait, or not of all */
	IBC_WAIT_NONE,       /* it has no PortXmitWait */
	IBC_WAIT_NO_TICK,    /* how long a tick is its device does not say */
	IBC_WAIT_NO_SPEED,   /* of its link: how long a tick is depends on it */
	IBC_WAIT_IMPOSSIBLE, /* longer than all of the time: it is not what it seems */
	IBC_WAIT_32_BITS,    /* it stops at 32 bits, within seconds of congestion */
	IBC_WAIT_CLEARED,    /* it was cleared in between */
	IBC_WAIT_HCA_TICK,   /* ticks of HCAs are taken to be as those of switches */
	IBC_WAIT_GAPS,
};
const struct ibc_word *ibc_wait_gap_word(enum ibc_wait_gap gap);

/**
 * struct ibc_congestion - @roots: those with a window, by @lost_bytes, the most first
 * @lost_bytes: of all ports that waited, in all windows
 * @lasting: of @roots; @lasting_bytes: lost because of them
 * @tiers: by depth of @from, then of @to
 * @gaps: ports by enum ibc_wait_gap, of those with a cable now or in the first sweep; @gap_at: the
 *	first of them
 */
struct ibc_congestion {
	const struct ibc_congestion_root *roots;
	size_t num_roots, lasting;
	double lost_bytes, lasting_bytes;
	const struct ibc_wait_tiers *tiers;
	size_t num_tiers;
	size_t gaps[IBC_WAIT_GAPS];
	const struct ibc_port *gap_at[IBC_WAIT_GAPS];
};

/**
 * ibc_congestion_find() - what the windows of a run show
 * @windows: of the sweeps from @before to @now
 * @out: borrows from all three; to be freed with ibc_congestion_free()
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_congestion_find(const struct ibc_windows *windows, const struct ibc_fabric *before,
                        const struct ibc_fabric *now, struct ibc_congestion **out,
                        struct ibc_error *err);
/*
 * As SVG, one element without anything from elsewhere: mean waits tier by tier, and of the roots
 * that last a box for each window.  0, or -EIO.
 */
int ibc_congestion_svg(const struct ibc_congestion *congestion, FILE *out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_congestion_free(struct ibc_congestion *congestion);

#pragma GCC visibility pop

#endif
