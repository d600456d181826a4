/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_SERVER_H
#define BENCH_SERVER_H

/*
 * The model in a process of its own, so that neither its memory nor its CPU time
 * is the client's.  Questions and answers pass through shared memory.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mad.h"
#include "model/model.h"

#define CELLS     8192
#define CELL_OPEN (-100) /* cell.device: not answered yet */

/* In loops that wait for another CPU: leaves the core to its other thread. */
static inline void spin(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

/* A question, which its answer replaces. */
struct cell {
	_Atomic int device; /* who answered, LINE_NOBODY, or CELL_OPEN */
	struct mad_addr to;
	uint8_t mad[MAD_SIZE];
};

struct shared {
	struct ibc_port_facts {
		uint64_t node_guid, port_guid, prefix;
		uint32_t lid, sm_lid, state, node_type, num_ports, port;
	} from;
	_Atomic int ready; /* 1: yes; -1: it failed */
	char failure[256];
	_Atomic uint32_t asked;       /* how many entries of turn are filled */
	_Atomic uint32_t turn[CELLS]; /* cells, in the order of asking */
	uint64_t counts[MODEL_COUNTS];
	struct cell cell[CELLS];
};

struct server_opts {
	const char *net; /* for ibc_fabric_load() */
	size_t silent;
	unsigned long
	    busy; /* 1: every port with a cable has waited and discarded; see umad_shim.c */
	bool refuse_combined;
	bool tables;    /* switches have forwarding tables */
	int lanes;      /* 1: ports have SL2VL and arbitration tables; 2: switches adaptive ones */
	bool registers; /* ports have cables, and devices registers */
	size_t mute;    /* so many of these do not answer for them */
	int sm;         /* 1: a subnet manager works; 2: it has died, and its SA with it */
	int cpu;        /* to run on, or -1 */
};

/* Starts it and waits until it can answer.  NULL with a message on stderr. */
struct shared *server_start(const struct server_opts *opts);

#endif
