/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a program that stays says to the service manager that started it: sd_notify(3). */
#include <ibcheck/error.h>

/* "READY=1", several with a newline between them; outside of a service it has no effect. */
void service_say(const char *what);

/* Seconds after which the service manager wants to hear "WATCHDOG=1" at the latest; 0: never. */
double service_watchdog(void);

/*
 * The socket that it has opened for this process (systemd.socket(5)); -1: none.  -EINVAL for
 * several, or for one that does not listen.
 */
int service_listener(int *fd, struct ibc_error *err);
