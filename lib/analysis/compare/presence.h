/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_PRESENCE_H
#define ANALYSIS_PRESENCE_H

/* What is known of what is, or is not, at the other end of a port. */
#include <ibcheck/fabric.h>

/* What can be told of a jack. */
enum presence {
	PRESENCE_EMPTY,   /* no link, or one to itself */
	PRESENCE_JOINED,  /* to a node that is known */
	PRESENCE_SILENT,  /* there is a link, nobody answers behind it */
	PRESENCE_UNKNOWN, /* it did not tell, or nobody asked it */
	PRESENCE_NO_PORT, /* the device has no such port */
};

enum presence port_presence(const struct ibc_port *port);

#endif
