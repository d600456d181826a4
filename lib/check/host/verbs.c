/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of whether an ordinary user's program gets at the adapters of this host. */
#include <stdlib.h>
#include <string.h>

#include "check/groups.h"
#include "check/host/view.h"

/* ---- devices ---------------------------------------------------------------------------- */

static void evaluate_provider(const struct ibc_input *in, struct ibc_sink *out,
                              const struct ibc_rdma_device *device)
{
	const char *provider = provider_of(device), *subject;
	const struct ibc_host_fact *fact;
	bool library = false, configured;

	if (!provider || !value_of(in->host, "rdma-core", "libibverbs"))
		return;
	subject = sink_text(out, "provider %s", provider);
	/* for any libibverbs: "rdmav34" is a fact of it */
	for (size_t i = 0; (fact = ibc_host_fact(in->host, i)); i++)
		library |= !strcmp(fact->subject, subject) && !strncmp(fact->key, "rdmav", 5);
	configured = value_of(in->host, subject, "configured") != NULL;
	if (library && configured)
		return;
	sink_host(out, device->name, "libibverbs finds no provider for it: %s is missing",
	          library ? sink_text(out, "/etc/libibverbs.d/%s.driver", provider)
	                  : sink_text(out, "lib%s-rdmav*.so", provider));
	sink_advise(out, "Install the providers that belong to this libibverbs (ibverbs-providers, "
	                 "or rdma-core of the same vendor).");
	sink_fact(out, "provider", ibc_str(provider));
	sink_fact(out, "libibverbs", ibc_str(path_of_fact(in->host, "rdma-core", "libibverbs")));
}

/* A module that is loaded, or built into the kernel: then its class has a version. */
static bool has_module(const struct ibc_input *in, struct ibc_sink *out, const char *module,
                       const char *class)
{
	return value_of(in->host, sink_text(out, "module %s", module), "loaded") ||
	       value_of(in->host, class, "abi_version");
}

#define UVERBS_CLASS "/sys/class/infiniband_verbs"
#define UMAD_CLASS   "/sys/class/infiniband_mad"

/* What was not read of a class, so that not all that it has is known; NULL: nothing. */
static const char *unread_of(const struct ibc_host *host, const char *class)
{
	const struct ibc_unread *unread;
	const char *at;

	for (size_t i = 0; (unread = ibc_host_unread(host, i)); i++) {
		at = strstr(unread->path, class);
		/* a version names no device */
		if (at && !strstr(at, "/abi_version"))
			return unread->path;
	}
	return NULL;
}

#define MODPROBE "modprobe %s, and load it at each boot (rdma-core does)."

#define OTHERS_RW 0006 /* mode of a file: for everybody */
#define GROUP_RW  0060 /* ... and for its group */

/* A file below /dev/infiniband that everybody should be able to open. */
static void evaluate_node(const struct ibc_input *in, struct ibc_sink *out, const char *name,
                          const char *file, const char *why)
{
	const char *path = sink_text(out, "/dev/infiniband/%s", file);
	const char *text = value_of(in->host, path, "mode");
	unsigned long mode;

	if (!text) {
		sink_host(out, name, "%s is missing: %s", path, why);
		sink_advise(out, "Check that udev runs and has the rules of rdma-core. In a "
		                 "container, check that it has /dev/infiniband.");
		return;
	}
	mode = strtoul(text, NULL, 8);
	if ((mode & OTHERS_RW) == OTHERS_RW)
		return;
	if ((mode & GROUP_RW) == GROUP_RW)
		sink_as(out, IBC_WARNING);
	sink_host(out, name, "%s has mode %s: %s", path, text,
	          (mode & GROUP_RW) == GROUP_RW ? "only users of its group can use it"
	                                        : "only root can use it");
	sink_advise(out, "The udev rules of rdma-core set 0666. Look in /etc/udev/rules.d for a "
	                 "rule that changes it.");
	sink_fact(out, "path", ibc_str(path_of_fact(in->host, path, "mode")));
	sink_fact(out, "mode", ibc_str(text));
}

/*
 * libibverbs fails without a word: a device it cannot open is not listed, and the program
 * goes on without it.
 */
static void check_verbs(const struct ibc_input *in, struct ibc_sink *out)
{
	bool loaded = has_module(in, out, "ib_uverbs", "verbs"), missing = false;
	const char *unread = unread_of(in->host, UVERBS_CLASS);
	const struct ibc_rdma_device *device;
	const struct ibc_pci *pci;

	for (size_t i = 0; (device = ibc_host_device(in->host, i)); i++) {
		evaluate_provider(in, out, device);
		missing |= !*device->uverbs;
		if (*device->uverbs) {
			evaluate_node(in, out, device->name, device->uverbs,
			              "no program can open the device");
		} else if (loaded && !unread) {
			/* else it is reported once for all */
			sink_host(out, device->name, "has no uverbs device");
			sink_advise(
			    out,
			    "Reload its driver, and see the kernel log for messages of ib_uverbs.");
		}
	}
	if (missing && unread)
		report_unread(in, out, IBC_SUBJECT_HOST, host_name(in),
		              "which HCAs have a uverbs device", unread);
	for (size_t i = 0; (pci = ibc_host_pci(in->host, i)); i++) {
		bool off = is_turned_off(in->host, pci->name, "enable_rdma");

		/* its driver made no RDMA device of it */
		if (!is_idle_adapter(in->host, pci))
			continue;
		if (*pci->driver)
			sink_host(out, pci->name,
			          "this InfiniBand HCA is bound to the driver %s, but is not an "
			          "RDMA device%s",
			          pci->driver, off ? ": enable_rdma is off in devlink" : "");
		else
			sink_host(out, pci->name, "this InfiniBand HCA has no driver");
		sink_advise(out, off ? TURN_ON("enable_rdma") "."
		                     : "modprobe mlx5_ib (or mlx4_ib). If it does not load, it was "
		                       "built for another kernel: see the kernel log.");
		sink_fact(out, "driver", ibc_str(pci->driver));
	}
	/* what all devices need; nothing is missing in a tree of a few files */
	if (!ibc_host_device(in->host, 0) || !value_of(in->host, "kernel", "modules"))
		return;
	if (missing && !unread && !loaded) {
		sink_host(out, host_name(in), "ib_uverbs is not loaded: no program can use an HCA");
		sink_advise(out, MODPROBE, "ib_uverbs");
		return;
	}
	sink_as(out, IBC_WARNING);
	if (value_of(in->host, "module rdma_ucm", "loaded")) {
		evaluate_node(in, out, host_name(in), "rdma_cm",
		              "programs that use the RDMA connection manager fail");
		return;
	}
	sink_host(out, host_name(in),
	          "rdma_ucm is not loaded: programs that use the RDMA connection manager fail");
	sink_advise(out, MODPROBE, "rdma_ucm");
}

/* ---- management datagrams ----------------------------------------------------------------- */

/*
 * Jobs run without it; what looks after the fabric does not.  The issm beside it is for subnet
 * managers alone, and a port may lack it.
 */
static void check_umad(const struct ibc_input *in, struct ibc_sink *out)
{
	bool loaded = has_module(in, out, "ib_umad", "mad"), missing = false;
	const char *unread = unread_of(in->host, UMAD_CLASS);
	const struct ibc_rdma_port *port;
	struct port_walk w = { 0 };

	while ((port = next_host_port(in->host, &w))) {
		if (!port->infiniband || !is_active(port) || *port->umad)
			continue;
		missing = true;
		if (!loaded || unread)
			break;
		sink_own_port(out, port_name(out, w.device, port),
		              "is Active and has no umad device: no program can send MADs from it");
		sink_advise(out, "modprobe -r ib_umad, then modprobe ib_umad, and see the kernel "
		                 "log for its messages.");
	}
	if (missing && unread) {
		report_unread(in, out, IBC_SUBJECT_HOST, host_name(in),
		              "which ports have a umad device", unread);
	} else if (missing && !loaded && value_of(in->host, "kernel", "modules")) {
		sink_host(out, host_name(in),
		          "ib_umad is not loaded: no program can send MADs, so that sweeps, "
		          "infiniband-diags and OpenSM do not work from here");
		sink_advise(out, MODPROBE, "ib_umad");
	}
}

/* ---- locked memory ------------------------------------------------------------------------- */

/* Registering memory locks it; a program that may not falls back to TCP, or fails. */
static void check_memlock(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_process *p;

	if (!ibc_host_device(in->host, 0))
		return;
	for (size_t i = 0; (p = ibc_host_process(in->host, i)); i++) {
		const char *name = sink_text(out, "%s[%d]", p->comm, p->pid);
		bool uses = p->verbs_files || p->program & (IBC_PROGRAM_MPI | IBC_PROGRAM_NCCL);
		bool rank = uses && p->uid && !p->memlock_exempt;
		unsigned int shift = p->memlock_bytes >= 1ULL << 30   ? 30
		                     : p->memlock_bytes >= 1ULL << 20 ? 20
		                                                      : 10;

		if (!rank && !passes_memlock_on(p))
			continue;
		if (p->unread & IBC_PROCESS_LIMITS)
			report_unread(in, out, IBC_SUBJECT_PROCESS, name,
			              "its limit of locked memory", "/limits");
		if (p->unread & IBC_PROCESS_LIMITS || p->memlock_bytes == IBC_UNLIMITED)
			continue;
		if (p->memlock_bytes >= MEMLOCK_TOO_LITTLE || !rank)
			sink_as(out, p->memlock_bytes < MEMLOCK_TOO_LITTLE || rank ? IBC_WARNING
			                                                           : IBC_INFO);
		sink_process(out, name, "is allowed to lock only %.4g %ciB of memory%s",
		             (double)p->memlock_bytes / (double)(1ULL << shift), " KMG"[shift / 10],
		             rank ? "" : ", and so are the jobs that it starts");
		if (rank && p->daemon)
			sink_advise(out,
			            "Set LimitMEMLOCK=infinity in the systemd unit of %s, which "
			            "started it, then restart that unit.",
			            p->daemon->comm);
		else
			sink_advise(out, "Set LimitMEMLOCK=infinity in the systemd unit of the "
			                 "daemon that starts jobs, then restart it; with Slurm "
			                 "also set PropagateResourceLimitsExcept=MEMLOCK.");
		sink_fact(out, "memlock_bytes", ibc_u64(p->memlock_bytes));
		sink_fact(out, "path", ibc_str(sink_text(out, "/proc/%d/limits", p->pid)));
	}
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_host_verbs[] = {
	CHECK("host.verbs", "HCAs that programs cannot use", IBC_CRITICAL, check_verbs,
	      .parts = IBC_HOST_RDMA | IBC_HOST_PCI | IBC_HOST_STACK),
	CHECK("host.umad", "active ports that no MAD can be sent from", IBC_WARNING, check_umad,
	      .parts = IBC_HOST_RDMA | IBC_HOST_STACK),
	CHECK("host.memlock", "processes that are not allowed to lock enough memory", IBC_CRITICAL,
	      check_memlock, .parts = IBC_HOST_RDMA | IBC_HOST_PROCESSES),
	{ 0 },
};
