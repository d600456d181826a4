/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * What the shim costs: the least a program can do with libibumad.  Asks its own
 * port N times, window W, and looks at nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/umad.h>

#include "wire/smp.h"

static void *buffer_new(void)
{
	void *buffer = calloc(1, umad_size() + MAD_SIZE);

	if (!buffer)
		exit(3);
	return buffer;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 60000, sent = 0, taken = 0;
	unsigned long window = argc > 2 ? strtoul(argv[2], NULL, 10) : 128;
	int fd = umad_open_port(NULL, 0), agent = umad_register(fd, 0x81, 1, 0, NULL), length;
	void *out = buffer_new(), *in = buffer_new();
	struct mad_addr to;

	smp_get_directed(umad_get_mad(out), &to, &(struct smp_query){ SMP_NODE_INFO, 0, 0 }, NULL,
	                 0);
	umad_set_addr(out, to.dlid, 0, 0, 0);
	while (taken < n) {
		while (sent < n && sent - taken < window) {
			if (umad_send(fd, agent, out, MAD_SIZE, 1000, 0))
				return 3;
			sent++;
		}
		length = MAD_SIZE;
		if (umad_recv(fd, in, &length, 0) >= 0)
			taken++;
		else
			umad_poll(fd, 1000);
	}
	free(out);
	free(in);
	return 0;
}
