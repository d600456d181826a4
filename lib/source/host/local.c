/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This host's own InfiniBand ports, as its kernel reports them, in the model.
 * sysfs has no enabled or supported sets, no MTU and no VLs: they stay 0.
 */
#include <string.h>

#include <ibcheck/host.h>
#include <ibcheck/source.h>

#include "base/error.h"
#include "fabric/build.h"

static unsigned int last_infiniband_port(const struct ibc_rdma_device *device)
{
	unsigned int last = 0;

	for (size_t i = 0; i < device->num_ports; i++)
		if (device->ports[i].infiniband && device->ports[i].num > last)
			last = device->ports[i].num;
	return last;
}

/* Omni-Path has 32-bit LIDs; what does not fit is no LID of this field. */
static uint16_t lid_of_field(uint32_t lid)
{
	return lid <= UINT16_MAX ? (uint16_t)lid : 0;
}

static void add_local_port(struct ibc_port *port, const struct ibc_rdma_port *from)
{
	bool known = from->state && from->phys_state;

	answers_put(port, IBC_ATTR_PORT_INFO, known ? ANSWER_OK : ANSWER_NONE);
	port->guid = from->guid;
	if (!known)
		return;
	port->state = from->state;
	port->phys_state = from->phys_state;
	port->lid = lid_of_field(from->lid);
	port->sm_lid = lid_of_field(from->sm_lid);
	port->lmc = from->lmc;
	port->sm_sl = from->sm_sl;
	port->cap_mask = from->cap_mask;
	port->subnet_prefix = from->subnet_prefix;
	if (from->phys_state != IBC_PHYS_LINKUP)
		return;
	answers_put(port, IBC_ATTR_LINK, from->width && from->speed ? ANSWER_OK : ANSWER_NONE);
	port->width_active = from->width;
	port->speed_active = from->speed;
}

static void add_device(struct fabric_build *b, struct ibc_subnet *subnet,
                       const struct ibc_rdma_device *device)
{
	const char *desc = *device->node_desc ? device->node_desc : device->name;
	struct ibc_node *node = fabric_build_node(b, subnet, device->node_guid,
	                                          device->type ? device->type : IBC_NODE_CA,
	                                          last_infiniband_port(device));

	if (!node)
		return;
	node->system_guid = device->sys_image_guid;
	fabric_build_desc(b, node, desc, strlen(desc));
	if (device->node_guid)
		fabric_build_name(b, device->node_guid, device->name);
	else
		answers_put(node, IBC_ATTR_NODE_INFO, ANSWER_NONE);
	for (size_t i = 0; i < device->num_ports; i++)
		if (device->ports[i].infiniband)
			add_local_port(fabric_build_port(node, device->ports[i].num),
			               &device->ports[i]);
}

/* Why there is nothing to show. */
static int fail_no_port(const struct ibc_host *host, struct ibc_error *err)
{
	const struct ibc_rdma_device *device;
	const struct ibc_unread *unread = ibc_host_unread(host, 0);
	size_t devices = 0, ports = 0;

	for (; (device = ibc_host_device(host, devices)); devices++)
		ports += device->num_ports;
	if (ports)
		return fail(
		    err, -ENODEV,
		    "this host has no InfiniBand port: all of its RDMA devices (%zu, with %zu "
		    "ports) are Ethernet",
		    devices, ports);
	if (unread)
		return fail(err, -ENODEV, "cannot read %s: %s: no port can be checked without it",
		            unread->path, strerror(unread->error));
	if (devices)
		return fail(err, -ENODEV, "the RDMA devices of this host (%zu) have no ports",
		            devices);
	return fail(
	    err, -ENODEV,
	    "this host has no RDMA device%s: no HCA is installed, or its driver is not loaded",
	    ibc_host_bridge(host, 0) ? " but NVSwitch bridges" : "");
}

int ibc_fabric_from_host(const struct ibc_host *host, struct ibc_fabric **out,
                         struct ibc_error *err)
{
	const struct ibc_rdma_device *device;
	struct fabric_build *b;
	struct ibc_subnet *subnet;
	bool any = false;
	int rc;

	for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
		any |= last_infiniband_port(device) != 0;
	if (!any)
		return fail_no_port(host, err);
	rc = fabric_build_new(&b, err);
	if (rc)
		return rc;
	subnet = fabric_build_subnet(b, "local", "local");
	for (size_t i = 0; subnet && (device = ibc_host_device(host, i)); i++)
		if (last_infiniband_port(device))
			add_device(b, subnet, device);
	if (subnet) {
		subnet->local = true;
		subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC,
		                             IBC_ATTR_PORT_INFO, IBC_ATTR_LINK);
	}
	return fabric_build_finish(b, out, err);
}
