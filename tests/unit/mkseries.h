/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKSERIES_H
#define MKSERIES_H

/*
 * Sweeps of a leaf with three hosts, an hour apart; what is counted in one stays:
 *
 *	struct series s = series(4);
 *
 *	waits(&s, 2, 1, 40);	in window 2, leaf01/1 waits 40 % of the time for host01
 *
 * Include it after <cmocka.h>.
 */
#include "mkcount.h"

struct series {
	struct mkfab sweeps[IBC_WINDOWS_MAX + 1];
	unsigned int windows;
};

static inline struct series series(unsigned int windows)
{
	struct series s = { .windows = windows };

	for (unsigned int i = 0; i <= windows; i++) {
		s.sweeps[i] = mk_leaf(3);
		mk_all_counting(s.sweeps[i]);
		s.sweeps[i].subnet->time = 1000000 + (uint64_t)i * HOUR;
	}
	return s;
}

/* Counts at a port in window 1 ... */
static inline void rises(struct series *s, unsigned int window, unsigned int num,
                         enum ibc_counter counter, uint64_t by)
{
	for (unsigned int i = window; i <= s->windows; i++)
		counters_of(s->sweeps[i], 1, num)->value[counter] += by;
}

static inline void waits(struct series *s, unsigned int window, unsigned int num, double percent)
{
	rises(s, window, num, IBC_XMIT_WAIT, (uint64_t)(percent / 100 * EDR_4X_HOUR / 8));
}

/* Somebody clears a counter right before the sweep at the end of a window. */
static inline void is_cleared(struct series *s, unsigned int window, unsigned int num,
                              enum ibc_counter counter)
{
	for (unsigned int i = window; i <= s->windows; i++)
		counters_of(s->sweeps[i], 1, num)->value[counter] = 0;
}

static inline void is_silent(struct series *s, unsigned int sweep, unsigned int num)
{
	port(s->sweeps[sweep], 1, num)->counters = NULL;
}

/* Somebody pulls the cable before that sweep, for good. */
static inline void is_unplugged(struct series *s, unsigned int sweep, unsigned int num)
{
	for (unsigned int i = sweep; i <= s->windows; i++) {
		struct ibc_port *p = port(s->sweeps[i], 1, num);

		((struct ibc_port *)p->peer)->peer = NULL;
		p->peer = NULL;
		p->counters = NULL;
	}
}

/* What the checks look at, and what frees it; nothing may point into the sweeps between. */
static inline struct ibc_input finish_series(struct series *s, struct ibc_windows **windows)
{
	struct ibc_fabric *before, *now = done(s->sweeps[0]);
	struct ibc_input in = { .before = now };

	assert_int_equal(ibc_windows_new(windows, NULL), 0);
	for (unsigned int i = 1; i <= s->windows; i++) {
		before = now;
		now = done(s->sweeps[i]);
		assert_int_equal(ibc_windows_add(*windows, before, now, NULL), 0);
		if (before != in.before)
			ibc_fabric_free(before);
	}
	in.fabric = now;
	in.windows = *windows;
	return in;
}

static inline void free_series(struct ibc_input *in, struct ibc_windows *windows)
{
	ibc_fabric_free((struct ibc_fabric *)in->before);
	ibc_fabric_free((struct ibc_fabric *)in->fabric);
	ibc_windows_free(windows);
}

#endif
