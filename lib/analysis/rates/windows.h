/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Several windows of one run.  Of each that is kept which ends differ from window to window:
 * where ports wait, and which counters rose.  Memory: by ports that did one or the other.
 *
 * Roots of congestion move, and an average over them has edges that no moment had: so each
 * window has a graph of its own (Liu et al., IEMCON 2015, want three samples at least).
 */
#include <ibcheck/congestion.h>

#include "analysis/rates/waits.h"

/* ibc_windows_delta() of those counters only that are @wanted, as ibc_delta_among(). */
#define DELTA_ALL UINT32_MAX
bool windows_delta_among(const struct ibc_windows *w, const struct ibc_fabric *before,
                         const struct ibc_port *now, uint32_t wanted, struct ibc_delta *out);

/* Bit i: it is known what the port counted in window i; in which of them the counter rose. */
uint64_t windows_known(const struct ibc_windows *w, uint64_t guid, unsigned int num);
uint64_t windows_rose(const struct ibc_windows *w, const struct ibc_port *port,
                      enum ibc_counter counter);
/* Those of windows_known() in which it is known how long it waited, too. */
uint64_t windows_clear(const struct ibc_windows *w, uint64_t guid, unsigned int num);
/* How many windows are in such a set. */
unsigned int windows_in(uint64_t set);
/* Is it known of more than half of the windows?  What most show needs so many. */
bool windows_most_known(const struct ibc_windows *w, const struct ibc_port *port);
/* Queries of the sweeps, but the last one, that were repeated or given up. */
uint64_t windows_retries(const struct ibc_windows *w);
/* Is so many of so many windows what lasts? */
bool windows_last(size_t with, unsigned int known);
unsigned int windows_count(const struct ibc_windows *w);

/* The windows in which the port at @at is a root, the worst first; NULL: there is none. */
const struct wait_root *windows_roots(const struct ibc_windows *w, size_t at, size_t *n);
/*
 * What the @n say of their port, @windows: of which it is known whether it is a root.  Such a wait
 * counts as is @limit percent of the time or longer; of those the window speaks for the port that
 * is as bad in 60 % of them, else the worst one.
 */
struct ibc_congestion_root windows_sum_up(uint64_t windows, const struct wait_root *series,
                                          size_t n, double limit);
/* Windows of which it is known whether the port of these @n is a root: theirs are among them. */
uint64_t windows_judged(const struct ibc_windows *w, const struct wait_root *series, size_t n);
/* The port of a root in the last sweep; in the first one if it, or its cable, is gone since. */
const struct ibc_port *wait_root_port(const struct wait_root *root, const struct ibc_fabric *before,
                                      const struct ibc_fabric *now);
