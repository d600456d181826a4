/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKCAUSE_H
#define MKCAUSE_H

/*
 * A job that has fallen back, and what is injected into its first rank or the host.
 * Include it after <cmocka.h>.
 */
#include "mkscene.h"

static const struct scene fallen = { "", MPI, "slurm", 4, 4, .tcp = 900 };

struct cause {
	void (*inject)(struct ibc_host *h, struct ibc_process *p);
	const char *what, *remedy; /* how it begins */
};

/* The job with this in it. */
static inline struct told told_with(void (*inject)(struct ibc_host *h, struct ibc_process *p))
{
	struct ibc_host *before = host_of(&fallen, 0), *now = host_of(&fallen, SECONDS);

	inject(now, now->processes.items[0]);
	return told_of(before, now, NULL);
}

static inline void expect_named(const struct cause *causes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct cause *c = &causes[i];
		struct told t = told_with(c->inject);

		assert_true(t.n >= 1);
		if (!t.all[0].cause.what)
			fail_msg("not named: %s", c->what);
		assert_string_equal(t.all[0].cause.what, c->what);
		assert_memory_equal(t.all[0].cause.remedy, c->remedy, strlen(c->remedy));
		assert_int_equal(t.all[0].weight[TERM_CAUSE], 2);
		assert_int_equal(t.all[0].verdict, FALLBACK_CONFIRMED);
		forget(&t);
	}
}

static inline void expect_none(void (*const none[])(struct ibc_host *h, struct ibc_process *p),
                               size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct told t = told_with(none[i]);

		if (t.all[0].cause.what)
			fail_msg("%zu: %s", i, t.all[0].cause.what);
		assert_null(t.all[0].cause.remedy);
		assert_int_equal(t.all[0].weight[TERM_CAUSE], 0);
		forget(&t);
	}
}

#endif
