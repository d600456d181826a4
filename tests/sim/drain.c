/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD, over libumad2sim, which crashes at an answer that nobody is registered for
 * any more, and can wait for itself if one comes while the program exits: registrations are
 * kept until no answer has come for a while.
 */
#include <dlfcn.h>
#include <stdint.h>

#include <infiniband/umad.h>

#define QUIET_MS 500

__attribute__((visibility("default"))) int umad_unregister(int fd, int agent)
{
	static _Alignas(8) uint8_t umad[1024];
	int length = 256, (*unregister)(int, int);

	while (umad_recv(fd, umad, &length, QUIET_MS) >= 0)
		length = 256;
	*(void **)&unregister = dlsym(RTLD_NEXT, "umad_unregister");
	return unregister(fd, agent);
}
