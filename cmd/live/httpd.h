/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * libmicrohttpd, loaded by who serves: with gnutls, which it brings, it would take half of the
 * start of every other command.
 */
#include <microhttpd.h>

#include <ibcheck/error.h>

#define HTTPD_FUNCTIONS(F)                                                                         \
	F(add_response_header)                                                                     \
	F(create_response_from_buffer)                                                             \
	F(create_response_from_callback)                                                           \
	F(create_response_from_iovec)                                                              \
	F(destroy_response)                                                                        \
	F(get_connection_info)                                                                     \
	F(get_version)                                                                             \
	F(lookup_connection_value)                                                                 \
	F(queue_response)                                                                          \
	F(resume_connection)                                                                       \
	F(run_wait)                                                                                \
	F(start_daemon)                                                                            \
	F(stop_daemon)                                                                             \
	F(suspend_connection)

/* mhd.run_wait is MHD_run_wait(), and so on; after httpd_load() */
#define HTTPD_POINTER(name) __typeof__(MHD_##name) *name;
extern struct httpd {
	HTTPD_FUNCTIONS(HTTPD_POINTER)
} mhd;

/* -ENOENT: it is not installed, or not one that fits. */
int httpd_load(struct ibc_error *err);
