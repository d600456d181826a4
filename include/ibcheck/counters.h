/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_COUNTERS_H
#define IBCHECK_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

#pragma GCC visibility push(default)

/**
 * DOC: counters over time
 *
 * Counters count since they were last cleared, a time that is not known.  What
 * a port does now is the difference of two samples: two fabrics.
 */

/**
 * ibc_samples_fit() - is this an earlier sweep of the same fabric?
 * @before: the earlier fabric
 * @now: the later fabric
 *
 * A fabric fits itself if its source has read the counters twice.
 *
 * Return: 0; -ENODATA one of them has no counters, or does not say when it was
 * swept; -EXDEV they have no node in common; -ETIME @before is not the earlier one: the
 * clock stepped backwards, they were exchanged, or are the same.  @err says which.
 */
int ibc_samples_fit(const struct ibc_fabric *before, const struct ibc_fabric *now,
                    struct ibc_error *err);
/*
 * Was @before still read when @now was already, by another run at the same time?  A @before that
 * is later than @clock, the time of day, was not: the clock stepped backwards.
 */
bool ibc_samples_overlap(const struct ibc_fabric *before, const struct ibc_fabric *now,
                         time_t clock);

/**
 * struct ibc_delta - what a port counted between two samples
 * @value:    value[enum ibc_counter]; read only what is in @known
 * @known:    set of 1 << enum ibc_counter: both samples have it
 * @at_least: of @known, lower bounds: the counter is saturated, or was cleared
 *	      in between and has only what came after that
 * @cleared:  of @known, those that went backwards: they were cleared
 * @seconds:  between the samples; 0: there is no earlier sample of this port, or the time
 *	      between two readings of the source is not known
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
 * @before: the earlier fabric; the port is looked up by node GUID and number.  The fabric of
 *	    @now itself: between the two readings of its source
 * @now: a port of the later fabric
 * @out: filled in every case
 *
 * Return: false if nothing can be compared (no earlier sample, no counters, or
 * the clock went backwards between the two).
 */
bool ibc_delta_of(const struct ibc_fabric *before, const struct ibc_port *now,
                  struct ibc_delta *out);
/*
 * Of those counters only that are @wanted, a set of 1 << enum ibc_counter: whoever looks at few
 * counters of every port waits for less memory.
 */
bool ibc_delta_among(const struct ibc_fabric *before, const struct ibc_port *now, uint32_t wanted,
                     struct ibc_delta *out);

/**
 * struct ibc_windows - the windows of one run: each is the time between two of its sweeps
 *
 * What an average hides: how often a port had congestion, how often a counter rose, and what
 * was counted before it was cleared.  The sweeps in between need not be kept.
 */
struct ibc_windows;
#define IBC_WINDOWS_MAX 64 /* in one run: a bit each in a mask; an hour, if each is a minute */

int ibc_windows_new(struct ibc_windows **out, struct ibc_error *err);
void ibc_windows_free(struct ibc_windows *windows);

/**
 * ibc_windows_add() - add the time between two sweeps, which may be freed afterwards
 * @before: the sweep at its beginning, which is the one at the end of the window before it
 * @now: the sweep at its end
 *
 * Return: 0; -ENOMEM; -EINVAL there are IBC_WINDOWS_MAX already.
 */
int ibc_windows_add(struct ibc_windows *windows, const struct ibc_fabric *before,
                    const struct ibc_fabric *now, struct ibc_error *err);

/*
 * ibc_delta_of() over all of the windows, or from earlier on, with what was counted before a
 * counter was cleared in between.  @windows: NULL: there were no sweeps in between.
 */
bool ibc_windows_delta(const struct ibc_windows *windows, const struct ibc_fabric *before,
                       const struct ibc_port *now, struct ibc_delta *out);

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
 *	    confidence of 95 %: none in n bits: 3 / n at best
 *
 * Return: negative if it is not known (no rate, no time).
 */
double ibc_bit_error_rate(const struct ibc_port *port, uint64_t errors, double seconds);

/**
 * struct ibc_phy_delta - what the physical layer of a port counted, and in which time
 * @value: value[enum ibc_phy_value]; read only what is in @known
 * @known: set of UINT64_C(1) << enum ibc_phy_value: of counts only, not of states or codes
 * @seconds: the time; 0: not known
 * @compared: it is the time since the earlier sample; else that since the last clear
 * @cleared: the counters were cleared in between, so both are the same
 * @then: the earlier sample; NULL: there is none
 */
struct ibc_phy_delta {
	uint64_t value[IBC_PHY_VALUES];
	uint64_t known;
	double seconds;
	bool compared, cleared;
	const struct ibc_phy *then;
};

/**
 * ibc_phy_delta_of() - compare the physical layer of a port with an earlier sweep
 * @before: the earlier fabric, or NULL; the port is looked up by node GUID and number
 * @now: a port of the later fabric
 * @out: filled in every case
 *
 * Return: @out->compared.
 */
bool ibc_phy_delta_of(const struct ibc_fabric *before, const struct ibc_port *now,
                      struct ibc_phy_delta *out);

/**
 * struct ibc_phy_ber - errors by the bits that came
 * @rate: of 1 bit; NaN: not known
 * @is_bound: none was seen, which means only that it is below that: 3 / bits, at 95 %
 */
struct ibc_phy_ber {
	double rate;
	bool is_bound;
};
/* By what was counted; where nothing is, the rate that the device reports, since the last clear. */
struct ibc_phy_ber ibc_phy_ber_of(const struct ibc_port *port, const struct ibc_phy_delta *delta,
                                  enum ibc_ber_stage stage);
/* Raw errors of one lane by its share of the bits, which all lanes of a link carry alike. */
struct ibc_phy_ber ibc_phy_lane_ber_of(const struct ibc_port *port,
                                       const struct ibc_phy_delta *delta, unsigned int lane);

/**
 * struct ibc_fec_most - how much the error correction had to do
 * @symbols: corrected in one code word, at the most
 * @of: it can correct so many; 0: not known
 * @blocks: code words of that bin of the histogram; 0: none needed more than none
 */
struct ibc_fec_most {
	unsigned int symbols, of;
	uint64_t blocks;
};
/* False: there is no histogram, or not what its bins are. */
bool ibc_fec_most_of(const struct ibc_port *port, const struct ibc_phy_delta *delta,
                     struct ibc_fec_most *out);
/* Code words of a bin, in the time of the delta. */
uint64_t ibc_fec_bin_of(const struct ibc_port *port, const struct ibc_phy_delta *delta,
                        unsigned int bin);

#pragma GCC visibility pop

#endif
