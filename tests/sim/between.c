/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD: before the first question to a subnet administration is sent, which a sweep
 * does when all ports have answered, runs the command in BETWEEN; and again when another one
 * is asked.  So what is to happen during a sweep does so, on any machine.  Another class of
 * questions than that of subnet administration is named by BETWEEN_CLASS, a number.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include <infiniband/mad.h>
#include <infiniband/umad.h>

__attribute__((visibility("default"))) int umad_send(int fd, int agent, void *umad, int length,
                                                     int timeout_ms, int retries)
{
	static uint16_t asked;
	int (*send)(int, int, void *, int, int, int);
	uint16_t lid = umad_get_mad_addr(umad)->lid;
	const char *command = getenv("BETWEEN"), *class = getenv("BETWEEN_CLASS");
	uint32_t awaited = class ? (uint32_t)atoi(class) : IB_SA_CLASS;

	*(void **)&send = dlsym(RTLD_NEXT, "umad_send");
	if (command && mad_get_field(umad_get_mad(umad), 0, IB_MAD_MGMTCLASS_F) == awaited &&
	    lid != asked) {
		asked = lid;
		if (system(command))
			abort();
	}
	return send(fd, agent, umad, length, timeout_ms, retries);
}
