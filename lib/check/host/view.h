/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What checks of a host ask it again and again. */
#include <ibcheck/host.h>

#include "check/sink.h"

#define NAMES_MAX 8 /* of a list in a sentence */

/* sink_named() of a host or what is in it, of a port of this host, of a process: name, message */
#define sink_host(out, ...)     sink_named(out, IBC_SUBJECT_HOST, __VA_ARGS__)
#define sink_own_port(out, ...) sink_named(out, IBC_SUBJECT_PORT, __VA_ARGS__)
#define sink_process(out, ...)  sink_named(out, IBC_SUBJECT_PROCESS, __VA_ARGS__)

/* Its name, or "this host". */
const char *host_name(const struct ibc_input *in);
/* "mlx5_0/1", in the check's memory */
const char *port_name(struct ibc_sink *out, const struct ibc_rdma_device *device,
                      const struct ibc_rdma_port *port);
/* struct port_walk - ports of a host one after the other; zero before the first */
struct port_walk {
	size_t next_device, next_port;
	const struct ibc_rdma_device *device;
};
/* The next port, or NULL. */
const struct ibc_rdma_port *next_host_port(const struct ibc_host *host, struct port_walk *w);
/* By its number, or NULL; so for a NULL device. */
const struct ibc_rdma_port *device_port(const struct ibc_rdma_device *device, unsigned int num);
/* The value of a fact; NULL: not read, or there is no such thing. */
const char *value_of(const struct ibc_host *host, const char *subject, const char *key);
/* Where it was read; "" likewise. */
const char *path_of_fact(const struct ibc_host *host, const char *subject, const char *key);
/* The file with this in its path that could not be read, or NULL. */
const struct ibc_unread *unread_like(const struct ibc_host *host, const char *part);
/* Starts a finding that something is unknown, because a file like this was not read. */
void report_unread(const struct ibc_input *in, struct ibc_sink *out, enum ibc_subject_kind kind,
                   const char *name, const char *what, const char *part);

/* A program of any size registers more memory than this, which locks it. */
#define MEMLOCK_TOO_LITTLE (64ULL << 20)
/* Is its limit that of the jobs it starts?  Logins take theirs from limits.conf (PAM). */
bool passes_memlock_on(const struct ibc_process *process);

/* LinkUp and active: then its rate means something. */
bool is_active(const struct ibc_rdma_port *port);
bool has_infiniband(const struct ibc_rdma_device *device);
/* The device is a virtual function of an adapter. */
bool is_virtual(const struct ibc_host *host, const struct ibc_rdma_device *device);
/* Which provider of rdma-core serves its driver; NULL: not known. */
const char *provider_of(const struct ibc_rdma_device *device);
/* An InfiniBand adapter that is no RDMA device, and should be one of this host. */
bool is_idle_adapter(const struct ibc_host *host, const struct ibc_pci *pci);
/* Of an adapter on PCI: what devlink would turn on, and its driver was started without. */
bool is_turned_off(const struct ibc_host *host, const char *pci, const char *parameter);
#define TURN_ON(parameter)                                                                         \
	"devlink dev param set pci/ADDRESS name " parameter                                        \
	" value true cmode driverinit, then devlink dev reload pci/ADDRESS"
/* GPUs that a driver of their vendor runs. */
bool is_used_gpu(const struct ibc_pci *pci);
/* A machine that is not made of hardware. */
bool is_virtual_machine(const struct ibc_host *host);
/* A new name of a list "a, b, c" in the check's memory; "..." once it is long. */
const char *list_with(struct ibc_sink *out, const char *list, size_t n, const char *name);

/* Counters of a host that have names, in two readings. */
struct counted {
	const struct ibc_named *before, *now;
	size_t num_before, num_now;
};

/* The newer value; NULL: there is no such counter. */
const uint64_t *counted_now(const struct counted *c, const char *name);
/* What was added; 0 for one that was cleared, or is not in both readings. */
uint64_t counted_added(const struct counted *c, const char *name);
