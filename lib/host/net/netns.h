/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Network namespaces: those of processes, and those that something mounted (kernel sockets
 * can live in one that holds no process).  A socket belongs to the namespace it was opened
 * in, so a thread of its own enters, opens, and ends; the caller never moves.
 */
#include <ibcheck/host.h>

struct mnl_socket;

/* struct netns_door - sockets opened in a namespace; NULL and -1: not to be had */
struct netns_door {
	struct mnl_socket *route, *diag;
	int inet; /* for ioctls of ethtool */
};

struct netns {
	struct ibc_netns seen; /* the public part comes first */
	struct netns_door door;
};

/* The number in "net:[4026531840]"; 0: it is none. */
uint64_t netns_inode(const char *text);
/* Fills host->netns; our own namespace is the first.  Only of a live host. */
void host_find_netns(struct ibc_host *host);
/* Closes what the doors hold. */
void host_close_netns(struct ibc_host *host);
