/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of GPUs and the ports they send through. */
#include <stdio.h>
#include <string.h>

#include "check/groups.h"
#include "check/host/view.h"

/* ---- nearness --------------------------------------------------------------------------- */

/* struct gpu - one that programs use, and what it can send through */
struct gpu {
	const struct ibc_pci *pci;
	enum ibc_nearness nearest; /* UNKNOWN: of no active port */
	size_t num_ports;          /* active ones as near as that */
	size_t port;               /* the one that is left to it, plus 1; 0: none */
};

struct affinity {
	struct gpu *gpus;
	const struct ibc_pci **ports; /* functions with an active port */
	size_t num_gpus, num_ports;
	bool *visited; /* by port: marks of one search */
};

static bool collect_affinity(const struct ibc_input *in, struct ibc_sink *out, struct affinity *a)
{
	const struct ibc_rdma_device *device;
	const struct ibc_pci *pci;
	size_t n = 0, devices = 0;

	while (ibc_host_pci(in->host, n))
		n++;
	while (ibc_host_device(in->host, devices)) /* several can be on one function */
		devices++;
	*a = (struct affinity){ .gpus = sink_array(out, n, sizeof(*a->gpus)),
		                .ports = sink_array(out, devices, sizeof(*a->ports)),
		                .visited = sink_array(out, devices, sizeof(*a->visited)) };
	for (size_t i = 0; (pci = ibc_host_pci(in->host, i)); i++)
		if (is_used_gpu(pci))
			a->gpus[a->num_gpus++].pci = pci;
	for (size_t i = 0; (device = ibc_host_device(in->host, i)); i++) {
		bool active = false;

		for (size_t p = 0; p < device->num_ports; p++)
			active |= is_active(&device->ports[p]);
		pci = ibc_host_pci_by_name(in->host, device->pci);
		if (active && pci && !pci->vf_of && has_infiniband(device))
			a->ports[a->num_ports++] = pci;
	}
	return a->num_gpus && a->num_ports;
}

static bool can_take(const struct gpu *gpu, const struct ibc_pci *port)
{
	return gpu->nearest && ibc_pci_nearness(gpu->pci, port) == gpu->nearest;
}

/*
 * Gives the GPU a port of its own, if need be by moving others (augmenting paths: the
 * number of GPUs times that of ports, and both are small).
 */
static bool find_port(struct affinity *a, struct gpu *gpu)
{
	for (size_t i = 0; i < a->num_ports; i++) {
		struct gpu *holder = NULL;

		if (a->visited[i] || !can_take(gpu, a->ports[i]))
			continue;
		a->visited[i] = true;
		for (size_t k = 0; k < a->num_gpus; k++)
			if (a->gpus[k].port == i + 1)
				holder = &a->gpus[k];
		if (holder && !find_port(a, holder))
			continue;
		gpu->port = i + 1;
		return true;
	}
	return false;
}

static bool is_close(enum ibc_nearness near)
{
	return near == IBC_NEAR_PIX || near == IBC_NEAR_PXB;
}

static void report_far(struct ibc_sink *out, const struct gpu *gpu, bool others_close)
{
	if (!others_close && gpu->nearest != IBC_NEAR_SYS)
		sink_as(out, IBC_INFO);
	sink_host(out, gpu->pci->name, "the nearest active port to this GPU is %s away: %s",
	          ibc_nearness_word(gpu->nearest)->name,
	          gpu->nearest == IBC_NEAR_SYS    ? "at another NUMA node"
	          : gpu->nearest == IBC_NEAR_NODE ? "below another host bridge"
	                                          : "through the CPU");
	sink_advise(out,
	            others_close
	                ? "Other GPUs of this host have a port behind their own PCIe switch. Check "
	                  "that the HCA of this GPU is present and up (host.port-state)."
	                : "Put an HCA behind the PCIe switch of the GPU, or below the same CPU.");
	sink_fact(out, "nearness", ibc_enum(ibc_nearness_word(gpu->nearest)));
}

static void report_shared(struct ibc_sink *out, const struct affinity *a, const struct gpu *gpu)
{
	const char *rivals = "";
	size_t n = 0;

	for (size_t i = 0; i < a->num_gpus; i++) {
		bool rival = false;

		for (size_t p = 0; p < a->num_ports; p++)
			rival |= can_take(gpu, a->ports[p]) && can_take(&a->gpus[i], a->ports[p]);
		if (rival && &a->gpus[i] != gpu)
			rivals = list_with(out, rivals, n++, a->gpus[i].pci->name);
	}
	sink_host(out, gpu->pci->name,
	          "this GPU has no port of its own: it shares %zu port%s with %s", gpu->num_ports,
	          gpu->num_ports == 1 ? "" : "s", rivals);
	sink_advise(out, "Each GPU needs one active port behind its own PCIe switch. Check whether "
	                 "an HCA is missing, down (host.port-state) or in the wrong slot.");
	sink_fact(out, "nearness", ibc_enum(ibc_nearness_word(gpu->nearest)));
	sink_fact(out, "ports", ibc_u64(gpu->num_ports));
	sink_fact(out, "shared_with", ibc_str(rivals));
}

/* Each GPU of a training job sends as much as its port takes, at the same moment. */
static void check_affinity(const struct ibc_input *in, struct ibc_sink *out)
{
	struct affinity a;
	bool any_close = false;

	if (!collect_affinity(in, out, &a) || is_virtual_machine(in->host))
		return;
	for (size_t i = 0; i < a.num_gpus; i++) {
		struct gpu *gpu = &a.gpus[i];

		for (size_t p = 0; p < a.num_ports; p++) {
			enum ibc_nearness near = ibc_pci_nearness(gpu->pci, a.ports[p]);

			if (!near || (gpu->nearest && near > gpu->nearest))
				continue;
			gpu->num_ports = near == gpu->nearest ? gpu->num_ports + 1 : 1;
			gpu->nearest = near;
		}
		any_close |= is_close(gpu->nearest);
	}
	/* far ports are no matter of sharing: all of the host go through the CPU to them */
	for (size_t i = 0; i < a.num_gpus; i++) {
		struct gpu *gpu = &a.gpus[i];

		memset(a.visited, 0, a.num_ports * sizeof(*a.visited));
		if (gpu->nearest && !is_close(gpu->nearest))
			report_far(out, gpu, any_close);
		else if (gpu->nearest && !find_port(&a, gpu))
			report_shared(out, &a, gpu);
	}
}

/* ---- GPUDirect ----------------------------------------------------------------------------- */

static const char *const peermem[][2] = {
	{ "module nvidia_peermem", "loaded" },
	{ "module nv_peer_mem", "loaded" },
	{ "peermem", "nv_mem" },
	{ "peermem", "nv_mem_nc" },
};

/* The kernel's own way, from 5.12 on; of NVIDIA's modules only the open ones take it. */
static bool has_dmabuf(const struct ibc_host *host)
{
	const char *release = value_of(host, "kernel", "release");
	const char *driver = value_of(host, "nvidia", "version");
	unsigned int major, minor;

	return release && driver && sscanf(release, "%4u.%4u", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 12)) && strstr(driver, "Open Kernel Module");
}

static void evaluate_modules(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_pci *pci;
	bool nvidia = false, has_peermem = false;

	for (size_t i = 0; (pci = ibc_host_pci(in->host, i)); i++)
		nvidia |= is_used_gpu(pci) && !strcmp(pci->driver, "nvidia");
	for (size_t i = 0; i < ARRAY_SIZE(peermem); i++)
		has_peermem |= value_of(in->host, peermem[i][0], peermem[i][1]) != NULL;
	if (!nvidia || has_peermem || has_dmabuf(in->host))
		return;
	if (!value_of(in->host, "kernel", "modules")) {
		sink_as(out, IBC_UNKNOWN);
		sink_host(out, host_name(in),
		          "cannot check GPUDirect RDMA: /sys/module could not be read");
		return;
	}
	sink_host(out, host_name(in),
	          "GPUDirect RDMA is off: nvidia_peermem is not loaded and dma-buf cannot be used");
	sink_advise(out, "modprobe nvidia_peermem, and load it at each boot. If it does not load, "
	                 "build it against the running drivers (host.stack-mix).");
	sink_fact(out, "kernel", ibc_str(value_of(in->host, "kernel", "release")));
	sink_fact(out, "gpu_driver", ibc_str(value_of(in->host, "nvidia", "version")));
}

/* Without it all that GPUs send is copied through the memory of the host. */
static void check_gpudirect(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_pci *pci;
	const char *names = "";
	struct affinity a;
	size_t n = 0;

	if (!collect_affinity(in, out, &a))
		return;
	evaluate_modules(in, out);
	/* between GPU and adapter each address would be translated by the CPU */
	for (size_t i = 0; !is_virtual_machine(in->host) && (pci = ibc_host_pci(in->host, i)); i++)
		if ((is_used_gpu(pci) || (pci->kind == IBC_PCI_HCA && !pci->vf_of)) &&
		    !strncmp(pci->iommu, "DMA", 3))
			names = list_with(out, names, n++, pci->name);
	if (!n)
		return;
	sink_host(out, host_name(in), "the IOMMU translates the DMA of GPUs or HCAs: %s", names);
	sink_advise(
	    out, "Boot the kernel with iommu=pt, unless devices are passed to virtual machines.");
	sink_fact(out, "devices", ibc_str(names));
	sink_fact(out, "cmdline_iommu", ibc_str(value_of(in->host, "kernel", "cmdline iommu")));
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_host_gpu[] = {
	CHECK("host.gpu-affinity", "GPUs without an active port of their own nearby", IBC_WARNING,
	      check_affinity, .parts = IBC_HOST_RDMA | IBC_HOST_PCI | IBC_HOST_STACK),
	CHECK("host.gpudirect", "GPUDirect RDMA that is off, or translated by the IOMMU",
	      IBC_WARNING, check_gpudirect, .parts = IBC_HOST_RDMA | IBC_HOST_PCI | IBC_HOST_STACK),
	{ 0 },
};
