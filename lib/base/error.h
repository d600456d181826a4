/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>
#include <stdarg.h>

#include <ibcheck/error.h>

/*
 * return fail(err, -EINVAL, "%s: line %u: ...", ...): stores the sentence if
 * there is a place for it, and returns the code.  Control characters and invalid
 * UTF-8 in the arguments become "?".
 */
int fail(struct ibc_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int vfail(struct ibc_error *err, int code, const char *format, va_list ap)
    __attribute__((format(printf, 3, 0)));
/* fail() with -ENOMEM and the sentence for it. */
int fail_nomem(struct ibc_error *err);
