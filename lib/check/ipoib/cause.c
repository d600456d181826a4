/* SPDX-License-Identifier: BSD-2-Clause */
/* Why RDMA was of no use to the ranks of a workload. */
#include <string.h>

#include "check/ipoib/workloads.h"

/* Programs that have a reason to use RDMA, and libraries that make them. */
#define RANK_PROGRAMS (IBC_PROGRAM_MPI | IBC_PROGRAM_NCCL | IBC_PROGRAM_UCX | IBC_PROGRAM_OFI)

bool is_rank_program(const struct ibc_process *p)
{
	return p->program & RANK_PROGRAMS && !(p->program & IBC_PROGRAM_DAEMON);
}

/* False as well when what is below /dev could not be read. */
static bool sees_none(const struct ibc_process *p)
{
	return !p->devices_seen && !(p->unread & IBC_PROCESS_ROOT);
}

static bool is_without_devices(struct suspect *s)
{
	return s->p->own_root && sees_none(s->p) &&
	       explain(s,
	               "Give the container the devices: --device /dev/infiniband, with --ulimit "
	               "memlock=-1",
	               "PID %d is in a container without /dev/infiniband", s->p->pid);
}

static bool is_without_uverbs(struct suspect *s)
{
	return !s->p->own_root && sees_none(s->p) &&
	       explain(s,
	               "modprobe ib_uverbs, and check that udev runs with the rules of rdma-core",
	               "%s",
	               lacks_module(s->out, s->host, "ib_uverbs")
	                   ? "ib_uverbs is not loaded, so no program can open a device"
	                   : "this host has no /dev/infiniband/uverbs*");
}

/* Ours are the devices that our network namespace has. */
static bool is_in_other_netns(struct suspect *s)
{
	const char *mode = value_of(s->host, "rdma", "netns_mode");
	const struct ibc_netns *ns = ibc_host_netns(s->host, s->p->netns);

	return mode && !strcmp(mode, "exclusive") && ns && !ns->own &&
	       explain(s,
	               "Move its device there (rdma dev set DEVICE netns NAME), or share all (rdma "
	               "system set netns shared, before there are such namespaces)",
	               "PID %d is in another network namespace than the RDMA devices, each of "
	               "which belongs to one namespace (rdma system: netns exclusive)",
	               s->p->pid);
}

static bool may_open_none(struct suspect *s)
{
	return s->p->devices_seen && !s->p->devices_usable && !(s->p->unread & IBC_PROCESS_ROOT) &&
	       explain(s,
	               "Make /dev/infiniband/uverbs* and rdma_cm readable and writable for its "
	               "user (mode 0666, as the udev rules of rdma-core do)",
	               "PID %d is not allowed to open any of the %u /dev/infiniband/uverbs*",
	               s->p->pid, s->p->devices_seen);
}

/* ---- its control group ----------------------------------------------------------------- */

/* The limit of its control group, or of one above, that keeps it from a device, or NULL. */
static const struct ibc_rdma_limit *spent_limit(const struct ibc_host *host,
                                                const struct ibc_process *p, const char *device)
{
	const struct ibc_rdma_limit *limit;

	for (size_t i = 0; (limit = ibc_host_rdma_limit(host, i)); i++) {
		size_t n = strlen(limit->group);
		bool within = !strncmp(p->rdma_group, limit->group, n) &&
		              (!p->rdma_group[n] || p->rdma_group[n] == '/');
		/* one that has a device open needs no further handle */
		bool needed = !p->verbs_files || strcmp(limit->resource, "hca_handle") != 0;

		if (within && needed && limit->used >= limit->max && !strcmp(limit->device, device))
			return limit;
	}
	return NULL;
}

static bool has_spent_all(struct suspect *s)
{
	const struct ibc_rdma_limit *limit, *first = NULL;
	const struct ibc_rdma_device *device;

	for (size_t i = 0; (device = ibc_host_device(s->host, i)); i++) {
		if (!process_can_use(s->host, s->p, device))
			continue;
		limit = spent_limit(s->host, s->p, device->name);
		if (!limit)
			return false;
		first = first ? first : limit;
	}
	if (!first)
		return false;
	return explain(
	    s,
	    sink_text(s->out, "Raise %s of %s in that file to max", first->resource, first->device),
	    "PID %d gets no %s of %s: %s limits its control group to %llu, and %llu are in use",
	    s->p->pid, first->resource, first->device, first->path, (unsigned long long)first->max,
	    (unsigned long long)first->used);
}

static bool locks_too_little(struct suspect *s)
{
	const struct ibc_process *by = s->p->daemon;

	if (s->p->unread & IBC_PROCESS_LIMITS || s->p->memlock_exempt ||
	    s->p->memlock_bytes >= MEMLOCK_TOO_LITTLE)
		return false;
	return explain(
	    s,
	    by ? sink_text(s->out,
	                   "Set LimitMEMLOCK=infinity in the systemd unit of %s and restart it",
	                   by->comm)
	       : "Raise the limit of locked memory to unlimited (memlock in limits.conf)",
	    "PID %d is allowed to lock only %llu kB of memory%s", s->p->pid,
	    (unsigned long long)(s->p->memlock_bytes / 1024),
	    by ? sink_text(s->out, ", like %s, which started it", by->comm) : "");
}

/* ---- libibverbs and its providers ------------------------------------------------------ */

/* The provider of a device that its libibverbs does not load; NULL: it may load one. */
static const char *lacking_provider(const struct ibc_host *host, const struct ibc_process *p)
{
	const struct ibc_rdma_device *device;
	const char *provider, *first = NULL;
	bool any = false; /* some variable names further ones than the configuration */

	for (size_t i = 0; i < p->num_settings; i++)
		any |= !strcmp(p->settings[i].name, "RDMAV_DRIVERS") ||
		       !strcmp(p->settings[i].name, "IBV_DRIVERS");
	for (size_t i = 0; (device = ibc_host_device(host, i)); i++) {
		if (!process_can_use(host, p, device))
			continue;
		provider = provider_of(device);
		if (!provider || (has_word(p->verbs->providers, provider) &&
		                  (any || has_word(p->verbs->drivers, provider))))
			return NULL;
		first = first ? first : provider;
	}
	return first;
}

static bool has_no_provider(struct suspect *s)
{
	const struct ibc_verbs *verbs = s->p->verbs;
	const char *provider, *other = NULL, *file, *remedy, *begin;

	if (!verbs || !*verbs->library)
		return false;
	provider = lacking_provider(s->host, s->p);
	if (!provider)
		return false;
	/* the file of it that is made for another libibverbs */
	begin = sink_text(s->out, "lib%s-rdmav", provider);
	for (const char *const *stranger = verbs->strangers; stranger && *stranger && !other;
	     stranger++)
		other = !strncmp(*stranger, begin, strlen(begin)) ? *stranger : NULL;
	file = sink_text(s->out, "lib%s-%s.so", provider, verbs->abi);
	remedy = s->p->own_root ? "Install libibverbs and its providers in the container, both of "
	                          "one release (rdma-core, or OFED's)"
	                        : "Install the providers that belong to this libibverbs, or let "
	                          "the program use the system's";
	if (has_word(verbs->providers, provider))
		return explain(s, remedy,
		               "libibverbs of PID %d (%s) does not load the provider %s: no file "
		               "in %s names it",
		               s->p->pid, verbs->library, provider, verbs->config);
	if (other)
		return explain(s, remedy, "libibverbs of PID %d (%s) needs %s, but %s has %s",
		               s->p->pid, verbs->library, file, verbs->directory, other);
	return explain(s, remedy, "libibverbs of PID %d (%s) finds no %s in %s", s->p->pid,
	               verbs->library, file, verbs->directory);
}

static bool has_no_library(struct suspect *s)
{
	return s->p->verbs && !*s->p->verbs->library &&
	       explain(s,
	               s->p->own_root ? "Install rdma-core's libraries in the container"
	                              : "Install rdma-core's libraries (libibverbs1 and providers)",
	               "PID %d finds no libibverbs.so.1", s->p->pid);
}

/* A device that the one has opened, the other knows nothing of. */
static bool has_two_libraries(struct suspect *s)
{
	return *s->p->verbs_other &&
	       explain(s,
	               "Make all its libraries use the same one: remove the other from "
	               "LD_LIBRARY_PATH, or from the environment it was built in (conda, Spack)",
	               "PID %d has loaded two libibverbs, %s and %s", s->p->pid,
	               s->p->verbs_library, s->p->verbs_other);
}

/* ---- the connection manager ------------------------------------------------------------- */

#define NEEDS_MANAGER (IBC_PROGRAM_OFI | IBC_PROGRAM_RDMACM)

/*
 * libfabric's verbs cannot do without; UCX and NCCL have it mapped and connect without.  False as
 * well when what is below /dev could not be read.
 */
static bool needs_manager(const struct ibc_process *p)
{
	return (p->program & NEEDS_MANAGER) == NEEDS_MANAGER &&
	       !(p->program & (IBC_PROGRAM_UCX | IBC_PROGRAM_NCCL)) &&
	       !(p->unread & IBC_PROCESS_ROOT);
}

static bool lacks_manager(struct suspect *s)
{
	static const char lack[] = "so libfabric cannot use verbs";

	if (!needs_manager(s->p) || s->p->manager != IBC_ACCESS_MISSING)
		return false;
	if (s->p->own_root)
		return explain(
		    s, "Give the container all of /dev/infiniband: --device /dev/infiniband",
		    "PID %d is in a container without /dev/infiniband/rdma_cm, %s", s->p->pid,
		    lack);
	/* built into the kernel it is no module */
	return explain(s, "modprobe rdma_ucm, and load it at each boot (rdma-core does)",
	               lacks_module(s->out, s->host, "rdma_ucm")
	                   ? "rdma_ucm is not loaded, %s"
	                   : "this host has no /dev/infiniband/rdma_cm, %s",
	               lack);
}

static bool may_not_open_manager(struct suspect *s)
{
	return needs_manager(s->p) && s->p->manager == IBC_ACCESS_FORBIDDEN &&
	       explain(s,
	               "Make /dev/infiniband/rdma_cm readable and writable for its user (mode "
	               "0666, as the udev rules of rdma-core do)",
	               "PID %d is not allowed to open /dev/infiniband/rdma_cm, so libfabric cannot "
	               "use verbs",
	               s->p->pid);
}

/* ---- all of them ------------------------------------------------------------------------ */

static bool (*const causes[])(struct suspect *s) = {
	is_without_devices, is_without_uverbs, is_in_other_netns,    may_open_none,
	has_no_port,        has_spent_all,     has_no_library,       has_no_provider,
	has_two_libraries,  lacks_manager,     may_not_open_manager, locks_too_little,
};

/* Ranks of one job that use two. */
static bool has_mixed_ranks(struct suspect *s, const struct workload *w)
{
	const struct ibc_process *p, *first = NULL;

	for (size_t i = 0; i < w->num_processes; i++) {
		p = w->processes[i];
		if (!is_rank_program(p) || !*p->verbs_library)
			continue;
		if (!first)
			first = p;
		if (!strcmp(first->verbs_library, p->verbs_library))
			continue;
		return explain(s,
		               "Start all MPI ranks with the same libibverbs: compare their "
		               "LD_LIBRARY_PATH and containers",
		               "PID %d uses %s, and PID %d of the same job %s", first->pid,
		               first->verbs_library, p->pid, p->verbs_library);
	}
	return false;
}

void fallback_find_cause(struct ibc_sink *out, const struct ibc_host *now, struct workload *w)
{
	struct suspect s = { .out = out, .host = now, .cause = &w->cause };

	if (!w->identified || w->qps || host_cause(&s) || !ibc_host_device(now, 0))
		return;
	for (size_t k = 0; k < ARRAY_SIZE(causes); k++) {
		for (size_t i = 0; i < w->num_processes; i++) {
			s.p = w->processes[i];
			/* who has queue pairs, or may have, is well */
			if (is_rank_program(s.p) && !(s.p->qps_unread && s.p->verbs_files) &&
			    causes[k](&s))
				return;
		}
	}
	has_mixed_ranks(&s, w);
}
