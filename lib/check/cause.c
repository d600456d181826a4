/* SPDX-License-Identifier: BSD-2-Clause */
/* Why RDMA was of no use to the ranks of a workload. */
#include "check/fallback.h"

/* Programs that have a reason to use RDMA, and libraries that make them. */
#define RANK_PROGRAMS (IBC_PROGRAM_MPI | IBC_PROGRAM_NCCL | IBC_PROGRAM_UCX | IBC_PROGRAM_OFI)

bool is_rank_program(const struct ibc_process *p)
{
	return p->program & RANK_PROGRAMS && !(p->program & IBC_PROGRAM_DAEMON);
}

static const char *kilobytes(struct ibc_sink *out, uint64_t bytes)
{
	return sink_text(out, "%llu kB", (unsigned long long)(bytes / 1024));
}

/* False as well when what is below /dev could not be read. */
static bool sees_none(const struct ibc_process *p)
{
	return !p->devices_seen && !(p->unread & IBC_PROCESS_ROOT);
}

static bool is_without_devices(struct ibc_sink *out, const struct ibc_process *p,
                               struct fallback_cause *cause)
{
	if (!p->own_root || !sees_none(p))
		return false;
	cause->what = sink_text(out, "PID %d is in a container without /dev/infiniband", p->pid);
	cause->remedy = "Give the container the devices: --device /dev/infiniband, with "
			"--ulimit memlock=-1";
	return true;
}

static bool is_without_uverbs(struct ibc_sink *out, const struct ibc_process *p,
                              struct fallback_cause *cause)
{
	(void)out;
	if (p->own_root || !sees_none(p))
		return false;
	cause->what = "this host has no /dev/infiniband/uverbs*";
	cause->remedy = "modprobe ib_uverbs, and see that udev runs with the rules of rdma-core";
	return true;
}

static bool may_open_none(struct ibc_sink *out, const struct ibc_process *p,
                          struct fallback_cause *cause)
{
	if (!p->devices_seen || p->devices_usable || p->unread & IBC_PROCESS_ROOT)
		return false;
	cause->what = sink_text(out, "PID %d may open none of the %u /dev/infiniband/uverbs*",
	                        p->pid, p->devices_seen);
	cause->remedy = "Make /dev/infiniband/uverbs* and rdma_cm readable and writable for its "
			"user (mode 0666, as the udev rules of rdma-core do)";
	return true;
}

static bool locks_too_little(struct ibc_sink *out, const struct ibc_process *p,
                             struct fallback_cause *cause)
{
	const struct ibc_process *by = p->daemon;

	if (p->unread & IBC_PROCESS_LIMITS || p->memlock_exempt ||
	    p->memlock_bytes >= MEMLOCK_TOO_LITTLE)
		return false;
	cause->what = sink_text(out, "PID %d may lock %s of memory only%s", p->pid,
	                        kilobytes(out, p->memlock_bytes),
	                        by ? sink_text(out, ", as %s that started it", by->comm) : "");
	cause->remedy =
	    by ? sink_text(out, "Set LimitMEMLOCK=infinity in the unit of %s and restart it",
	                   by->comm)
	       : "Raise the limit of locked memory to unlimited (memlock in limits.conf)";
	return true;
}

static bool (*const causes[])(struct ibc_sink *out, const struct ibc_process *p,
                              struct fallback_cause *cause) = {
	is_without_devices,
	is_without_uverbs,
	may_open_none,
	locks_too_little,
};

/* Ports whose state could not be read may be Active. */
static bool may_be_active(const struct ibc_rdma_device *device)
{
	for (size_t i = 0; i < device->num_ports; i++)
		if (device->ports[i].state == IBC_STATE_ACTIVE ||
		    device->ports[i].state == IBC_STATE_UNKNOWN)
			return true;
	return false;
}

static bool has_active_port(const struct ibc_host *host)
{
	const struct ibc_rdma_device *device;

	for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
		if (may_be_active(device))
			return true;
	return false;
}

/* A rank that RDMA may not work for: who has queue pairs, or may have, is well. */
static bool is_in_doubt(const struct ibc_process *p)
{
	return is_rank_program(p) && !(p->qps_untold && p->verbs_files);
}

void fallback_find_cause(struct ibc_sink *out, const struct ibc_host *now, struct workload *w)
{
	if (!w->identified || w->qps || !ibc_host_device(now, 0))
		return;
	if (!has_active_port(now)) {
		w->cause.what = "no port of an RDMA device is Active";
		w->cause.remedy = "See ibcheck host: what the ports lack is told there";
		return;
	}
	for (size_t k = 0; k < sizeof(causes) / sizeof(causes[0]); k++)
		for (size_t i = 0; i < w->num_processes; i++)
			if (is_in_doubt(w->processes[i]) &&
			    causes[k](out, w->processes[i], &w->cause))
				return;
}
