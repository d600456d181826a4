/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of what is between an adapter and the memory: PCIe links, access control, VFs. */
#include <string.h>

#include "check/groups.h"
#include "check/host/view.h"

/* ---- links ---------------------------------------------------------------------------- */

/*
 * What is left for data of what a link carries after encoding: headers and flow control
 * take about an eighth (126 Gb/s of Gen3 x16 leave 110).
 */
#define USABLE 0.875

/* struct hop - the slowest link between a function and its root port */
struct hop {
	const struct ibc_pci *at; /* its lower end */
	double gbps, gts;         /* what it carries; the most both ends can do */
	unsigned int lanes;
	bool degraded; /* below what both ends can do */
};

/* 0 on one side: it is not known there, and the other side holds. */
static double least(double a, double b)
{
	if (!(a > 0) || !(b > 0))
		return a > b ? a : b;
	return a < b ? a : b;
}

/* Of each link the lower end is read: the function, then the upstream ports of the switches. */
static struct hop narrowest_hop(const struct ibc_pci *pci)
{
	struct hop worst = { .gbps = 0 };

	for (; pci; pci = pci->up ? pci->up->up : NULL) {
		struct hop hop = {
			.at = pci,
			.gbps = USABLE * ibc_pci_gbps(pci->gts, pci->lanes),
			.gts = least(pci->max_gts, pci->up ? pci->up->max_gts : 0),
			.lanes = (unsigned int)least(pci->max_lanes,
			                             pci->up ? pci->up->max_lanes : 0),
		};

		hop.degraded = pci->gts < hop.gts || pci->lanes < hop.lanes;
		if (hop.gbps > 0 && (!worst.at || hop.gbps < worst.gbps ||
		                     (hop.gbps <= worst.gbps && hop.degraded && !worst.degraded)))
			worst = hop;
	}
	return worst;
}

/*
 * What the active ports of the card that a device is on need; *first: it is the first of them.
 * Functions of one card share its link: "0000:17:00" of "0000:17:00.1".
 */
static double need_of(const struct ibc_input *in, const struct ibc_rdma_device *of, bool *first)
{
	const struct ibc_rdma_device *device, *lead = NULL;
	size_t n = strcspn(of->pci, ".");
	double need = 0;

	for (size_t i = 0; (device = ibc_host_device(in->host, i)); i++) {
		if (!*of->pci || strncmp(of->pci, device->pci, n) != 0 || device->pci[n] != '.')
			continue;
		lead = lead ? lead : device;
		for (size_t p = 0; p < device->num_ports && !is_virtual(in->host, device); p++)
			if (is_active(&device->ports[p]))
				need += device->ports[p].rate_gbps;
	}
	*first = lead == of;
	return need;
}

static void evaluate_link(struct ibc_sink *out, const struct ibc_rdma_device *device,
                          const struct ibc_pci *pci, double need)
{
	struct hop hop = narrowest_hop(pci);
	bool half = hop.gbps < 0.5 * need;
	const char *where = hop.at == pci ? "its PCIe link" : "a PCIe link above it";

	if (!hop.at || (!hop.degraded && hop.gbps >= need))
		return;
	if (hop.degraded)
		sink_as(out, half ? IBC_CRITICAL : IBC_WARNING);
	else
		sink_as(out, half ? IBC_WARNING : IBC_INFO);
	if (hop.degraded)
		sink_host(out, device->name,
		          "%s (%s) runs at %g GT/s x%u, both ends can do %g GT/s x%u%s", where,
		          hop.at->name, hop.at->gts, hop.at->lanes, hop.gts, hop.lanes,
		          need > hop.gbps
		              ? sink_text(out, ": about %.0f of %g Gb/s", hop.gbps, need)
		              : "");
	else
		sink_host(
		    out, device->name,
		    "%s (%s) is %g GT/s x%u at the most: about %.0f of the %g Gb/s of its ports",
		    where, hop.at->name, hop.at->gts, hop.at->lanes, hop.gbps, need);
	sink_advise(
	    out, hop.degraded
		     ? "Reseat the card. Try another riser, and check the BIOS settings "
		       "(bifurcation, speed). Then replace the card."
		     : "Put the card into a slot with more lanes, or of a newer PCIe generation.");
	sink_fact(out, "pci", ibc_str(hop.at->name));
	sink_fact(out, "speed_gts", ibc_real(hop.at->gts));
	sink_fact(out, "lanes", ibc_u64(hop.at->lanes));
	sink_fact(out, "max_speed_gts", ibc_real(hop.gts));
	sink_fact(out, "max_lanes", ibc_u64(hop.lanes));
	sink_fact(out, "usable_gbps", ibc_real(hop.gbps));
	sink_fact(out, "needed_gbps", ibc_real(need));
}

/* A card in a worse slot than it needs is slower than its port, and nothing says so. */
static void check_pcie(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_rdma_device *device;
	const struct ibc_pci *pci, *before;
	uint64_t fatal, corrected;
	double need;
	bool first;

	for (size_t i = 0; (device = ibc_host_device(in->host, i)); i++) {
		pci = ibc_host_pci_by_name(in->host, device->pci);
		need = need_of(in, device, &first);
		if (!pci || pci->vf_of || !first)
			continue;
		evaluate_link(out, device, pci, need);
		/* errors that were counted in the window */
		before = in->host_before ? ibc_host_pci_by_name(in->host_before, pci->name) : NULL;
		if (!before || pci->aer_correctable < before->aer_correctable ||
		    pci->aer_nonfatal < before->aer_nonfatal || pci->aer_fatal < before->aer_fatal)
			continue;
		corrected = pci->aer_correctable - before->aer_correctable;
		fatal = pci->aer_nonfatal - before->aer_nonfatal + pci->aer_fatal -
		        before->aer_fatal;
		if (!corrected && !fatal)
			continue;
		sink_host(out, device->name,
		          "its PCIe link (%s) had %llu corrected and %llu uncorrected errors",
		          pci->name, (unsigned long long)corrected, (unsigned long long)fatal);
		sink_advise(out, "Reseat the card. Then replace it, or its riser.");
		sink_fact(out, "corrected", ibc_u64(corrected));
		sink_fact(out, "uncorrected", ibc_u64(fatal));
	}
}

/* ---- access control -------------------------------------------------------------------- */

#define ACS_REDIRECT 0x04 /* P2P Request Redirect Enable, PCI Express 7.7.11.3 */
/* These have a design of their own, in which some of the bits are wanted. */
#define CONNECTX8 "MT4131"

/* Is there a GPU and an adapter below, on different ports of it? */
static bool is_shared(const struct ibc_input *in, const struct ibc_pci *bridge)
{
	const struct ibc_pci *a, *b;

	for (size_t i = 0; (a = ibc_host_pci(in->host, i)); i++)
		for (size_t k = 0; is_used_gpu(a) && (b = ibc_host_pci(in->host, k)); k++)
			if (b->kind == IBC_PCI_HCA && ibc_pci_common(a, b) == bridge)
				return true;
	return false;
}

static bool is_of_own_design(const struct ibc_input *in)
{
	const char *product = value_of(in->host, "machine", "product");
	const struct ibc_rdma_device *device;

	for (size_t i = 0; (device = ibc_host_device(in->host, i)); i++)
		if (!strcmp(device->hca_type, CONNECTX8))
			return true;
	return product && (strstr(product, "GB200") || strstr(product, "GH200") ||
	                   strstr(product, "GB300") || strstr(product, "Grace"));
}

/*
 * Access control services that redirect what GPU and adapter send each other: the switch
 * between them is bypassed, and GPUDirect runs at a fraction of the link.
 */
static void check_acs(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_pci *bridge, *port, *pci;
	bool own_design = is_of_own_design(in);

	for (size_t i = 0; (bridge = ibc_host_pci(in->host, i)); i++) {
		const char *names = NULL, *unread = NULL;
		size_t n = 0, num_unread = 0;

		if (bridge->kind != IBC_PCI_BRIDGE || !is_shared(in, bridge))
			continue;
		for (size_t p = 0; (port = ibc_host_pci(in->host, p)); p++) {
			const struct ibc_pci *up = NULL;

			if (port->up != bridge || port->kind != IBC_PCI_BRIDGE)
				continue;
			/* one that a GPU or an adapter is below */
			for (size_t k = 0; !up && (pci = ibc_host_pci(in->host, k)); k++)
				for (up = is_used_gpu(pci) || pci->kind == IBC_PCI_HCA ? pci->up
				                                                       : NULL;
				     up && up != port; up = up->up)
					;
			if (up && !port->config_read)
				unread = list_with(out, unread, num_unread++, port->name);
			else if (up && port->has_acs && port->acs & ACS_REDIRECT)
				names = list_with(out, names, n++, port->name);
		}
		if (unread) {
			sink_as(out, IBC_UNKNOWN);
			sink_host(
			    out, bridge->name,
			    "cannot check whether this PCIe switch sends traffic between GPU and "
			    "HCA to the CPU: only root can read the configuration space of %s",
			    unread);
			sink_advise(out, "Run ibcheck as root.");
		}
		if (!names)
			continue;
		if (own_design)
			sink_as(out, IBC_INFO);
		sink_host(out, bridge->name,
		          "this PCIe switch sends traffic between GPU and HCA to the CPU and back: "
		          "ACS redirects at %s",
		          names);
		sink_advise(out,
		            own_design
		                ? "Some HCAs and Grace systems require it: run \"rdma_topo check\"."
		                : "On bare metal disable ACS below it (BIOS, or the kernel's "
		                  "pci=config_acs=). In a virtual machine let the HCA use ATS.");
		sink_fact(out, "ports", ibc_str(names));
	}
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_host_pcie[] = {
	CHECK("host.pcie", "PCIe links too slow for the ports behind them", IBC_WARNING, check_pcie,
	      .parts = IBC_HOST_RDMA | IBC_HOST_PCI),
	CHECK("host.acs", "PCIe switches that send GPUDirect traffic through the CPU", IBC_WARNING,
	      check_acs, .parts = IBC_HOST_RDMA | IBC_HOST_PCI | IBC_HOST_STACK),
	{ 0 },
};
