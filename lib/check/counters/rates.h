/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* How often something was counted in the time that is judged, and what to think of it. */
#include <ibcheck/counters.h>

#include "check/sink.h"

/* What the checks of counters over time read. */
#define COUNTED .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), .inputs = IBC_IN_BEFORE
/* A set of counters, for masks. */
#define COUNTER_BIT(counter) (1u << (counter))

/*
 * struct count - what one counter of a port says of the time that is judged
 * @known: the port reports it; else all is 0
 * @at_least: @n is a lower bound
 * @seconds: the time; 0: since the counter was last cleared, or not known: there is no rate
 * @severity: what the limits of the check make of it; IBC_OK: nothing
 * @windows: a set of those of this run in which it is known; @rose: of these, where it rose
 */
struct count {
	uint64_t n, windows, rose;
	double seconds;
	bool known, at_least;
	enum ibc_severity severity;
};

/* The difference to the earlier sweep.  False: there is nothing to judge. */
bool window_of(const struct ibc_input *in, const struct ibc_port *port, struct ibc_delta *out);
/* In which windows the counter rose goes into the count. */
void count_windows(const struct ibc_input *in, const struct ibc_port *port,
                   enum ibc_counter counter, struct count *count);
/*
 * Can one of these counters have risen?  Most of them are 0 at most ports, and for those the
 * earlier sweep, which waits for memory, is not looked at.
 */
bool may_have_risen(const struct ibc_input *in, const struct ibc_port *port, uint32_t counters);
/* NULL for the port: not known. */
struct count count_of(const struct ibc_input *in, const struct ibc_check *check,
                      const struct ibc_port *port, enum ibc_counter counter);
/* Counts that are one case; known only if both are. */
struct count count_add(struct count a, struct count b);
/* The counter in a window, without opinion. */
struct count count_in(const struct ibc_delta *window, enum ibc_counter counter);
/* What the limits of the check make of a count at a port. */
enum ibc_severity evaluate_count(const struct ibc_input *in, const struct ibc_check *check,
                                 const struct ibc_port *port, const struct count *count);
double count_per_hour(const struct count *count);
/* As a fact: none where it is not known. */
struct ibc_value known_count(const struct count *count);

/* "12", "at least 12" */
const char *count_text(struct ibc_sink *out, const struct count *count);
/* " in 10 s", " in 2.5 h", " in 60 s, rising in 2 of 6 windows"; or that it is not known */
const char *time_text(struct ibc_sink *out, const struct count *count);
/* How many there are, in how long, how many that is an hour, and in how many windows they came. */
void count_facts(struct ibc_sink *out, const struct count *count);

/* The field's name of a counter. */
const char *counter_name(enum ibc_counter counter);
/* Of a set of counters: "SymbolErrorCounter, PortRcvErrors". */
const char *counter_names(struct ibc_sink *out, uint32_t counters);
/* The finding that is started next is about the cable of a port, or the port if it has none. */
void sink_link(struct ibc_sink *out, const struct ibc_port *port, const char *message, ...)
    __attribute__((format(printf, 3, 4)));
