/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How near two PCI functions are, in the terms of nvidia-smi topo, and what a link
 * carries (PCI Express Base Specification 4.2: 8b/10b up to 5 GT/s, 128b/130b up to 32,
 * flits of 242 in 256 bytes beyond).
 */
#include <string.h>

#include <ibcheck/host.h>

/* Its downstream port and its upstream port are the bridges of one switch. */
#define BRIDGES_OF_SWITCH 2

static const struct ibc_word words[] = {
	[IBC_NEAR_UNKNOWN] = { "unknown", "?" }, [IBC_NEAR_PIX] = { "pix", "PIX" },
	[IBC_NEAR_PXB] = { "pxb", "PXB" },       [IBC_NEAR_PHB] = { "phb", "PHB" },
	[IBC_NEAR_NODE] = { "node", "NODE" },    [IBC_NEAR_SYS] = { "sys", "SYS" },
};

const struct ibc_word *ibc_nearness_word(enum ibc_nearness nearness)
{
	return &words[nearness];
}

/* How many bridges above a function this one is; 0: it is not. */
static unsigned int steps_to(const struct ibc_pci *from, const struct ibc_pci *bridge)
{
	unsigned int steps = 1;

	for (const struct ibc_pci *up = from->up; up; up = up->up, steps++)
		if (up == bridge)
			return steps;
	return 0;
}

const struct ibc_pci *ibc_pci_common(const struct ibc_pci *a, const struct ibc_pci *b)
{
	for (const struct ibc_pci *up = a->up; up; up = up->up)
		if (steps_to(b, up))
			return up;
	return NULL;
}

enum ibc_nearness ibc_pci_nearness(const struct ibc_pci *a, const struct ibc_pci *b)
{
	const struct ibc_pci *common = ibc_pci_common(a, b);

	if (common)
		return steps_to(a, common) <= BRIDGES_OF_SWITCH &&
		               steps_to(b, common) <= BRIDGES_OF_SWITCH
		           ? IBC_NEAR_PIX
		           : IBC_NEAR_PXB;
	if (!*a->root || !*b->root)
		return IBC_NEAR_UNKNOWN;
	if (!strcmp(a->root, b->root))
		return IBC_NEAR_PHB;
	if (a->numa < 0 || b->numa < 0)
		return IBC_NEAR_UNKNOWN;
	return a->numa == b->numa ? IBC_NEAR_NODE : IBC_NEAR_SYS;
}

double ibc_pci_gbps(double gts, unsigned int lanes)
{
	double share = gts > 32 ? 242.0 / 256 : gts > 5 ? 128.0 / 130 : 0.8;

	return gts * lanes * share;
}
