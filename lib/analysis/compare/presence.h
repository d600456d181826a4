/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_PRESENCE_H
#define ANALYSIS_PRESENCE_H

/* What is known of what is, or is not, at the other end of a port. */
#include <ibcheck/fabric.h>

/* What can be told of a socket. */
enum sight {
	SIGHT_EMPTY,  /* no link, or one to itself */
	SIGHT_JOINED, /* to a node that is known */
	SIGHT_SILENT, /* there is a link, nobody answers behind it */
	SIGHT_NONE,   /* it did not tell, or nobody asked it */
	SIGHT_BEYOND, /* the device has no such port */
};

enum sight port_sight(const struct ibc_port *port);

#endif
