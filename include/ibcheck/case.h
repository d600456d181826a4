/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_CASE_H
#define IBCHECK_CASE_H

#include <ibcheck/check.h>
#include <ibcheck/error.h>
#include <ibcheck/report.h>

#pragma GCC visibility push(default)

/**
 * ibc_cases_find() - put findings together that have one cause and one remedy
 * @in: what was checked; its fabric may be NULL
 * @check_at: the table of checks, as ibc_check_at() walks it
 * @rep: finished; gets the cases
 *
 * Call again after another ibc_report_finish().
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_cases_find(const struct ibc_input *in, const struct ibc_check *(*check_at)(size_t i),
                   struct ibc_report *rep, struct ibc_error *err);

#pragma GCC visibility pop

#endif
