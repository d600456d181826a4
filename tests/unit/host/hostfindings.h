/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOSTFINDINGS_H
#define HOSTFINDINGS_H

/* What checks say of a host that mkhost.h made.  Include it after <cmocka.h>. */
#include "findings.h"
#include "mkhost.h"

static inline struct ibc_report *report_of_host(const struct ibc_host *before,
                                                const struct ibc_host *now, const char *selection,
                                                const struct ibc_config *config)
{
	struct ibc_input in = { .host = now, .host_before = before, .config = config };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

/* Exactly this is said of a host, which is freed, and so is what it was before. */
static inline void expect_host(struct ibc_host *before, struct ibc_host *now, const char *selection,
                               const char *lines)
{
	struct ibc_report *rep = report_of_host(before, now, selection, NULL);

	ibc_host_free(before);
	ibc_host_free(now);
	expect_of(rep, lines);
}

#endif
