/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_COUNTERS_H
#define IBCHECK_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

#pragma GCC visibility push(default)

/**
 * DOC: counters over time
 *
 * Counters count since somebody last cleared them, which nobody can tell.  What
 * a port does now is the difference of two samples: two fabrics.
 */

/**
 * ibc_samples_fit() - is this an earlier sweep of the same fabric?
 * @before: the earlier fabric
 * @now: the later fabric
 *
 * Return: 0; -ENODATA one of them has no counters, or does not say when it was
 * swept; -EXDEV they have no node in common; -ETIME @before is not the earlier one: the
 * clock stepped backwards, they were exchanged, or are the same.  @err says which.
 */
int ibc_samples_fit(const struct ibc_fabric *before, const struct ibc_fabric *now,
                    struct ibc_error *err);

/**
 * struct ibc_delta - what a port counted between two samples
 * @value:    value[enum ibc_counter]; read only what is in @known
 * @known:    set of 1 << enum ibc_counter: both samples told it
 * @at_least: of @known, lower bounds: the counter is saturated, or was cleared
 *	      in between and tells only what came after that
 * @cleared:  of @known, those that went backwards: somebody cleared them
 * @seconds:  between the samples; 0: there is no earlier sample of this port
 * @fresh:    the earlier fabric does not know this port (a new node, or a device
 *	      that was replaced): nothing is known
 */
struct ibc_delta {
	uint64_t value[IBC_COUNTERS];
	uint32_t known, at_least, cleared;
	double seconds;
	bool fresh;
};

/**
 * ibc_delta_of() - compare a port with itself in an earlier sweep
 * @before: the earlier fabric; the port is looked up by node GUID and number
 * @now: a port of the later fabric
 * @out: filled in every case
 *
 * Return: false if nothing can be compared (no earlier sample, no counters, or
 * the clock went backwards between the two).
 */
bool ibc_delta_of(const struct ibc_fabric *before, const struct ibc_port *now,
                  struct ibc_delta *out);

/*
 * Share of the link's data rate that left the port, and that was lost to waiting
 * for credits, in percent; negative: not known (no rate, no tick, no sample).
 */
double ibc_delta_util_percent(const struct ibc_port *port, const struct ibc_delta *delta);
double ibc_delta_wait_percent(const struct ibc_port *port, const struct ibc_delta *delta);

/**
 * ibc_bit_error_rate() - errors by the bits that a link carried in a time
 * @port: either end
 * @errors: that were counted; 0: the rate is the bound it stays below, with a
 *	    confidence of 95 %: none in n bits tells 3 / n at best
 *
 * Return: negative if it is not known (no rate, no time).
 */
double ibc_bit_error_rate(const struct ibc_port *port, uint64_t errors, double seconds);

#pragma GCC visibility pop

#endif
