/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adapters and GPUs on PCI, and the bridges above them up to the root port (Linux
 * Documentation/ABI/testing/sysfs-bus-pci; PCI Express Base Specification 7.5, 7.7.11).
 * The path of a device below /sys/devices is its place in the tree.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "host/host.h"

#define DEVICES_DIR  "/sys/bus/pci/devices"
#define CONFIG_BYTES 4096 /* PCI Express configuration space */
#define CONFIG_OPEN  64   /* so much of it everybody may read */

#define VENDOR_NVIDIA    0x10de /* PCI-SIG vendor ids */
#define VENDOR_AMD       0x1002 /* likewise */
#define CLASS_BRIDGE     0x0604 /* PCI base class and subclass: PCI-to-PCI bridge */
#define CLASS_INFINIBAND 0x0207 /* network controller, InfiniBand */
#define CLASS_VGA        0x0300 /* display controller, VGA */
#define CLASS_3D         0x0302 /* display controller, 3D: GPUs without a screen */
#define CLASS_DISPLAY    0x0380 /* display controller, other */
#define CLASS_PROCESSING 0x1200 /* processing accelerator */

/* ---- values ------------------------------------------------------------------- */

/* "0x15b3" */
static bool parse_hex16(const char *text, void *out)
{
	uint64_t number;

	if (str_u64(text, 0, UINT16_MAX, &number))
		return false;
	*(uint16_t *)out = (uint16_t)number;
	return true;
}

/* "16.0 GT/s PCIe", "16 GT/s"; "Unknown" stays 0 */
static bool parse_gts(const char *text, void *out)
{
	unsigned int whole, tenths = 0;

	if (!strncmp(text, "Unknown", 7))
		return true;
	if (sscanf(text, "%4u.%1u GT/s", &whole, &tenths) < 1)
		return false;
	*(double *)out = whole + tenths / 10.0;
	return true;
}

/* 0 and 255 mean that there is no such link. */
static bool parse_lanes(const char *text, void *out)
{
	uint32_t lanes;

	if (!parse_u32(text, &lanes))
		return false;
	*(unsigned int *)out = lanes < UINT8_MAX ? lanes : 0;
	return true;
}

static bool parse_numa(const char *text, void *out)
{
	return sscanf(text, "%5d", (int *)out) == 1;
}

#define PCI(member) offsetof(struct ibc_pci, member)

static const struct dir_field fields[] = {
	{ "vendor", false, parse_hex16, PCI(vendor) },
	{ "device", false, parse_hex16, PCI(device) },
	{ "class", false, parse_u32, PCI(class_code) },
	{ "current_link_speed", true, parse_gts, PCI(gts) },
	{ "max_link_speed", true, parse_gts, PCI(max_gts) },
	{ "current_link_width", true, parse_lanes, PCI(lanes) },
	{ "max_link_width", true, parse_lanes, PCI(max_lanes) },
	{ "numa_node", true, parse_numa, PCI(numa) },
	{ "sriov_numvfs", true, parse_u32, PCI(vfs) },
	{ "sriov_totalvfs", true, parse_u32, PCI(vfs_total) },
};

/* ---- configuration space ---------------------------------------------------------- */

static unsigned int word_at(const unsigned char *config, size_t at)
{
	return config[at] | (unsigned int)config[at + 1] << 8;
}

/* Where a capability of the first 256 bytes begins; 0: there is none. */
static size_t find_capability(const unsigned char *config, unsigned int id)
{
	size_t at = config[0x34] & 0xfc;

	for (int steps = 0; at >= 0x40 && at < 0xfe && steps < 48; steps++) {
		if (config[at] == id)
			return at;
		at = config[at + 1] & 0xfc;
	}
	return 0;
}

/* The same beyond them. */
static size_t find_extended(const unsigned char *config, size_t n, unsigned int id)
{
	size_t at = 0x100;

	for (int steps = 0; at >= 0x100 && at + 8 <= n && steps < 1024; steps++) {
		if (word_at(config, at) == id)
			return at;
		at = word_at(config, at + 2) >> 4 & 0xffc;
	}
	return 0;
}

#define CAPABILITY_PCIE 0x10   /* PCI Express Capability */
#define CAPABILITY_ACS  0x000d /* extended: Access Control Services */

static void read_config(const struct dir *dir, struct ibc_pci *pci)
{
	unsigned char config[CONFIG_BYTES];
	ssize_t n = read_some(dir, "config", config, sizeof(config));
	size_t at;

	if (n <= CONFIG_OPEN)
		return;
	memset(config + n, 0, sizeof(config) - (size_t)n);
	pci->config_read = true;
	at = find_capability(config, CAPABILITY_PCIE);
	if (at)
		pci->device_control = (uint16_t)word_at(config, at + 8);
	at = find_extended(config, (size_t)n, CAPABILITY_ACS);
	pci->has_acs = at != 0;
	if (at)
		pci->acs = (uint16_t)word_at(config, at + 6);
}

/* ---- errors ------------------------------------------------------------------------- */

/* A table of names and counts, with its total in the last line ("TOTAL_ERR_COR 0"). */
static uint64_t read_total(const struct dir *dir, const char *name)
{
	char bytes[FILE_BYTES + 1], *total;
	ssize_t n = read_some(dir, name, bytes, FILE_BYTES);
	unsigned long long number;

	if (n < 0)
		return 0;
	bytes[n] = '\0';
	total = strstr(bytes, "TOTAL_ERR");
	return total && sscanf(total, "%*s %llu", &number) == 1 ? number : 0;
}

/* ---- one device ------------------------------------------------------------------------ */

static enum ibc_pci_kind kind_of_function(const struct ibc_host *host, const struct ibc_pci *pci)
{
	const struct ibc_rdma_device *device;
	uint32_t class = pci->class_code >> 8;

	for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
		if (!strcmp(device->pci, pci->name))
			return IBC_PCI_HCA;
	for (size_t i = 0; (device = ibc_host_bridge(host, i)); i++)
		if (!strcmp(device->pci, pci->name))
			return IBC_PCI_OTHER;
	if (class == CLASS_INFINIBAND)
		return IBC_PCI_HCA;
	if (class == CLASS_BRIDGE)
		return IBC_PCI_BRIDGE;
	if (pci->vendor == VENDOR_NVIDIA && (class == CLASS_VGA || class == CLASS_3D))
		return IBC_PCI_GPU;
	if (pci->vendor == VENDOR_AMD && (class == CLASS_DISPLAY || class == CLASS_PROCESSING))
		return IBC_PCI_GPU;
	return IBC_PCI_OTHER;
}

static struct ibc_pci *read_device(struct ibc_host *host, const struct dir *bus, const char *name)
{
	struct ibc_pci *pci = host_new(host, &host->pci, sizeof(*pci));
	struct dir dir = open_dir(host, bus, name);
	struct dir group = { -1, NULL };
	const char *iommu = NULL;

	pci->name = host_text(host, "%s", name);
	pci->driver = pci->iommu = pci->root = "";
	pci->numa = -1;
	if (dir.fd < 0)
		return pci;
	read_fields(host, &dir, fields, ARRAY_SIZE(fields), pci->name, pci);
	pci->driver = read_link_name(host, &dir, "driver");
	if (*read_link_name(host, &dir, "iommu_group"))
		group = open_dir(host, &dir, "iommu_group");
	if (group.fd >= 0)
		iommu = read_text(host, &group, "type", true);
	close_dir(&group);
	pci->iommu = iommu ? iommu : "";
	read_config(&dir, pci);
	pci->aer_correctable = read_total(&dir, "aer_dev_correctable");
	pci->aer_nonfatal = read_total(&dir, "aer_dev_nonfatal");
	pci->aer_fatal = read_total(&dir, "aer_dev_fatal");
	pci->kind = kind_of_function(host, pci);
	close_dir(&dir);
	return pci;
}

/* ---- the tree --------------------------------------------------------------------------- */

/* "0000:17:00.0" */
static bool is_address(const char *text, size_t n)
{
	unsigned int domain, bus, slot, function;
	char name[16];
	int end = 0;

	return str_cut(name, sizeof(name), text, n) &&
	       sscanf(name, "%8x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &end) == 4 &&
	       (size_t)end == n;
}

/* Every address in the path, from the root port to the device itself, is one above the next. */
static void add_with_bridges(struct ibc_host *host, const struct dir *bus, const char *name)
{
	char target[PATH_MAX];
	struct ibc_pci *up = NULL, *pci;
	const char *top = "", *root;
	bool linked = read_link(bus->fd, name, target, sizeof(target));

	if (!linked) /* a captured tree that was copied */
		snprintf(target, sizeof(target), "%s", name);
	root = linked ? strstr(target, "/pci") : NULL;
	/* "pci0000:16", the first part of the path that says so */
	if (root)
		top = host_text(host, "%.*s", (int)strcspn(root + 1, "/"), root + 1);
	for (char *at = target, *part; (part = strsep(&at, "/"));) {
		if (!is_address(part, strlen(part)))
			continue;
		pci = (struct ibc_pci *)ibc_host_pci_by_name(host, part);
		if (!pci)
			pci = read_device(host, bus, part);
		if (linked) {
			pci->up = up;
			pci->root = top;
		}
		up = pci;
	}
}

/* RDMA devices need not be asked for: an adapter whose driver failed is wanted as well. */
static bool is_function_wanted(struct ibc_host *host, const struct dir *bus, const char *name)
{
	struct ibc_pci probe = { .name = name };
	struct dir dir = open_dir(host, bus, name);
	enum ibc_pci_kind kind;

	if (dir.fd < 0)
		return false;
	/* vendor and class */
	read_fields(host, &dir, fields, 3, NULL, &probe);
	close_dir(&dir);
	kind = kind_of_function(host, &probe);
	return kind == IBC_PCI_GPU || kind == IBC_PCI_HCA;
}

static int by_pci_name(const void *a, const void *b)
{
	const struct ibc_pci *x = *(void *const *)a, *y = *(void *const *)b;

	return strcmp(x->name, y->name);
}

void host_read_pci(struct ibc_host *host)
{
	struct dir bus = open_path(host, DEVICES_DIR, true);
	const struct ibc_rdma_device *device;
	struct dir_names names;

	if (bus.fd < 0)
		return;
	for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
		if (is_address(device->pci, strlen(device->pci)))
			add_with_bridges(host, &bus, device->pci);
	list_dir(host, &bus, &names);
	for (size_t i = 0; i < names.n; i++)
		if (is_address(names.items[i], strlen(names.items[i])) &&
		    is_function_wanted(host, &bus, names.items[i]))
			add_with_bridges(host, &bus, names.items[i]);
	for (size_t i = 0; i < host->pci.n; i++) {
		struct ibc_pci *pci = host->pci.items[i];

		pci->vf_of = ibc_host_pci_by_name(
		    host, read_link_name(host, &bus, host_text(host, "%s/physfn", pci->name)));
	}
	close_dir(&bus);
	host_sort(&host->pci, by_pci_name);
}
