/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD, in ibsim and in what runs under it: sockets that take every MAD a sweep
 * has out, tries and all.  Else, when ibsim is late, both sides can fill the other's socket
 * and wait for ever: the program to send, with the lock held that its receiver needs, and
 * ibsim to answer.
 */
#include <dlfcn.h>
#include <sys/socket.h>

#define ROOM (8 << 20)

__attribute__((visibility("default"))) int socket(int domain, int type, int protocol)
{
	const int room = ROOM;
	int (*make)(int, int, int);
	int s;

	*(void **)&make = dlsym(RTLD_NEXT, "socket");
	s = make(domain, type, protocol);
	/* without the right, as much as there may be */
	if (s >= 0 && domain == AF_UNIX &&
	    setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)))
		setsockopt(s, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	return s;
}
