/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The RDMA devices of a host, from sysfs (Linux Documentation/ABI/stable/
 * sysfs-class-infiniband).  A device or a file that is odd costs only itself.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/vpd.h"
#include "base/words.h"
#include "host/host.h"

#define VPD       "device/vpd"
#define PORTS_MAX 255 /* a port number is a byte */

/* ---- from text to values --------------------------------------------------- */

/* The number of "4: ACTIVE". */
static bool parse_enum(const char *text, uint8_t max, uint8_t *out)
{
	size_t length = strcspn(text, ":");
	uint64_t value;
	char number[8];

	if (!str_cut(number, sizeof(number), text, length) || str_u64(number, 1, max, &value))
		return false;
	*out = (uint8_t)value;
	return true;
}

static bool parse_node_type(const char *text, void *out)
{
	uint8_t type;

	if (!parse_enum(text, UINT8_MAX, &type))
		return false;
	/* above the router: RNIC, usNIC, ..., which are no InfiniBand nodes */
	*(uint8_t *)out = type <= IBC_NODE_ROUTER ? type : IBC_NODE_UNKNOWN;
	return true;
}

static bool parse_state(const char *text, void *out)
{
	return parse_enum(text, IBC_STATE_ACTIVE, out);
}

static bool parse_phys_state(const char *text, void *out)
{
	return parse_enum(text, IBC_PHYS_TEST, out);
}

#define GUID_TEXT 19 /* "0002:c903:007b:78b0" */

/* The first GUID_TEXT bytes; the caller knows that there are so many. */
static bool parse_guid_at(const char *text, uint64_t *out)
{
	char digits[17];
	size_t n = 0;

	for (size_t i = 0; i < GUID_TEXT; i++) {
		if (i % 5 == 4 ? text[i] != ':' : !isxdigit((unsigned char)text[i]))
			return false;
		if (i % 5 != 4)
			digits[n++] = text[i];
	}
	digits[n] = '\0';
	return str_guid(digits, out) == 0;
}

static bool parse_guid(const char *text, void *out)
{
	return strlen(text) == GUID_TEXT && parse_guid_at(text, out);
}

static bool parse_gid(const char *text, void *out)
{
	struct ibc_rdma_port *port = out;
	uint64_t prefix, guid;

	if (strlen(text) != 2 * GUID_TEXT + 1 || text[GUID_TEXT] != ':' ||
	    !parse_guid_at(text, &prefix) || !parse_guid_at(text + GUID_TEXT + 1, &guid))
		return false;
	port->subnet_prefix = prefix;
	port->guid = guid;
	return true;
}

/* "100 Gb/sec (4X EDR)", "2.5 Gb/sec (1X SDR)", of older kernels "10 Gb/sec (4X)" */
static bool parse_rate(const char *text, void *out)
{
	struct ibc_rdma_port *port = out;
	unsigned int whole, tenths = 0, lanes;
	char speed[8] = "", width[8];

	if (sscanf(text, "%6u Gb/sec (%2uX %7[0-9A-Z]", &whole, &lanes, speed) < 2 &&
	    sscanf(text, "%6u.%1u Gb/sec (%2uX %7[0-9A-Z]", &whole, &tenths, &lanes, speed) < 3)
		return false;
	snprintf(width, sizeof(width), "%ux", lanes);
	port->rate_gbps = whole + tenths / 10.0;
	port->width = (uint8_t)width_of(width);
	port->speed = (uint16_t)speed_of(speed);
	if (!*speed && 10 * whole + tenths == 25 * lanes)
		port->speed = IBC_SPEED_SDR;
	return port->width && port->speed;
}

#define DEVICE(member) offsetof(struct ibc_rdma_device, member)
#define PORT(member)   offsetof(struct ibc_rdma_port, member)

static const struct dir_field device_fields[] = {
	{ "node_type", false, parse_node_type, DEVICE(type) },
	{ "node_guid", false, parse_guid, DEVICE(node_guid) },
	{ "sys_image_guid", false, parse_guid, DEVICE(sys_image_guid) },
	{ "node_desc", true, parse_text, DEVICE(node_desc) },
	{ "hca_type", true, parse_text, DEVICE(hca_type) },
	{ "fw_ver", true, parse_text, DEVICE(fw_ver) },
	{ "hw_rev", true, parse_text, DEVICE(hw_rev) },
	{ "board_id", true, parse_text, DEVICE(board_id) },
};

static const struct dir_field port_fields[] = {
	{ "link_layer", true, parse_text, PORT(link_layer) },
	{ "state", false, parse_state, PORT(state) },
	{ "phys_state", false, parse_phys_state, PORT(phys_state) },
	{ "rate", false, parse_rate, 0 },
};

static const struct dir_field infiniband_fields[] = {
	{ "lid", false, parse_u32, PORT(lid) },
	{ "lid_mask_count", false, parse_u8, PORT(lmc) },
	{ "sm_lid", false, parse_u32, PORT(sm_lid) },
	{ "sm_sl", false, parse_u8, PORT(sm_sl) },
	{ "cap_mask", false, parse_u32, PORT(cap_mask) },
	{ "gids/0", false, parse_gid, 0 },
};

/* ---- devices and ports ----------------------------------------------------- */

static void read_rdma_port(struct ibc_host *host, const struct dir *ports, const char *device,
                           const char *name, struct ibc_rdma_port *port)
{
	struct dir dir = open_dir(host, ports, name);
	const char *subject = host_text(host, "%s/%s", device, name);

	port->link_layer = port->umad = "";
	port->infiniband = true; /* what a kernel older than RoCE need not say */
	if (dir.fd < 0)
		return;
	read_fields(host, &dir, port_fields, ARRAY_SIZE(port_fields), subject, port);
	if (*port->link_layer)
		port->infiniband = !strcmp(port->link_layer, "InfiniBand");
	if (port->infiniband)
		read_fields(host, &dir, infiniband_fields, ARRAY_SIZE(infiniband_fields), subject,
		            port);
	close_dir(&dir);
}

static void read_ports(struct ibc_host *host, const struct dir *device_dir,
                       struct ibc_rdma_device *device)
{
	struct dir dir = open_dir(host, device_dir, "ports");
	struct ibc_rdma_port *ports, *port;
	struct dir_names names;
	uint64_t number;

	if (dir.fd < 0)
		return;
	list_dir(host, &dir, &names);
	ports = host_array(host, names.n, sizeof(*ports));
	device->ports = ports;
	for (size_t i = 0; ports && i < names.n; i++) {
		if (names.items[i][0] == '0' || str_u64(names.items[i], 1, PORTS_MAX, &number))
			continue;
		port = &ports[device->num_ports++];
		port->num = (unsigned int)number;
		read_rdma_port(host, &dir, device->name, names.items[i], port);
	}
	close_dir(&dir);
}

/* Only root may read it (Linux drivers/pci/vpd.c); @error: why it was not read, or 0. */
static bool is_nvswitch_bridge(const struct dir *dir, int *error)
{
	unsigned char vpd[VPD_BYTES];
	ssize_t n = dir->fd < 0 ? 0 : read_some(dir, VPD, vpd, sizeof(vpd));

	*error = n < 0 && errno != ENOENT ? errno : 0;
	return n > 0 && vpd_is_nvswitch_bridge(vpd, (size_t)n);
}

static void read_device(struct ibc_host *host, const struct dir *class_dir, const char *name)
{
	struct dir dir = open_dir(host, class_dir, name);
	int error;
	bool bridge = is_nvswitch_bridge(&dir, &error);
	struct ibc_rdma_device *device = host_new(host, bridge ? &host->bridges : &host->devices,
	                                          sizeof(*device));

	device->node_desc = device->hca_type = device->fw_ver = device->hw_rev = "";
	device->board_id = device->pci = device->driver = device->uverbs = "";
	device->name = text_clean(host, name, strlen(name));
	if (dir.fd >= 0) {
		read_fields(host, &dir, device_fields, ARRAY_SIZE(device_fields), device->name,
		            device);
		device->pci = read_link_name(host, &dir, "device");
		device->driver = read_link_name(host, &dir, "device/driver");
		if (bridge)
			note_fact(host, device->name, "kind", "NVSwitch bridge",
			          path_of(host, &dir, VPD));
		if (error)
			note_fact(host, device->name, "vpd", host_text(host, "%s", strerror(error)),
			          path_of(host, &dir, VPD));
		read_ports(host, &dir, device);
	}
	close_dir(&dir);
}

void host_read_rdma(struct ibc_host *host)
{
	each_entry(host, "/sys/class/infiniband", ENTRY_DIRECTORY, read_device);
}
