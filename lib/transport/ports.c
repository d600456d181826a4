/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/umad.h>

#include <ibcheck/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vpd.h"
#include "transport/ports.h"

#define PORTS_MAX (UMAD_MAX_DEVICES * UMAD_CA_MAX_PORTS)

bool local_port_has_link(const struct local_port *p)
{
	return !p->ethernet && p->at.state >= IBC_STATE_INIT;
}

bool local_port_is_of_bridge(const struct local_port *p)
{
	char path[sizeof(SYS_INFINIBAND "//device/vpd") + sizeof(p->at.ca)];
	unsigned char vpd[VPD_BYTES];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), SYS_INFINIBAND "/%s/device/vpd", p->at.ca);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, vpd, sizeof(vpd));
	close(fd);
	return n > 0 && vpd_is_nvswitch_bridge(vpd, (size_t)n);
}

/* ---- what there is ----------------------------------------------------------- */

/* The ports of a device; one that goes away meanwhile is no failure. */
static size_t put_device(struct local_port *out, const char *name)
{
	umad_ca_t ca;
	size_t n = 0;

	if (umad_get_ca(name, &ca) < 0)
		return 0;
	for (size_t i = 0; i < UMAD_CA_MAX_PORTS; i++) {
		const umad_port_t *port = ca.ports[i];
		struct local_port *p = &out[n];

		if (!port)
			continue;
		snprintf(p->at.ca, sizeof(p->at.ca), "%s", ca.ca_name);
		p->at.port = (unsigned int)port->portnum;
		p->at.node_guid = be64toh(ca.node_guid);
		p->at.guid = be64toh(port->port_guid);
		p->at.subnet_prefix = be64toh(port->gid_prefix);
		p->at.lid = port->base_lid;
		p->at.state = port->state;
		p->ethernet = strcmp(port->link_layer, "Ethernet") == 0;
		n++;
	}
	umad_release_ca(&ca);
	return n;
}

int local_ports(struct local_port **out, size_t *n, struct ibc_error *err)
{
	char names[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
	int devices = umad_get_cas_names(names, UMAD_MAX_DEVICES);

	*n = 0;
	*out = xalloc(PORTS_MAX * sizeof(**out));
	if (!*out)
		return fail_nomem(err);
	for (int i = 0; i < devices; i++)
		*n += put_device(*out + *n, names[i]);
	if (*n)
		return 0;
	return fail(
	    err, -ENODEV,
	    "this host has no InfiniBand device: if an HCA is installed, load its driver (for "
	    "NVIDIA: modprobe mlx5_ib); ibstat lists the devices that the system knows");
}

/* ---- which one is meant -------------------------------------------------------- */

static bool is_meant(const struct local_port *p, const char *ca, unsigned int port)
{
	return (!ca || strcmp(p->at.ca, ca) == 0) && (!port || p->at.port == port);
}

/*
 * "mlx5_0 port 1, mlx5_0 port 2" of those meant; with_state: "mlx5_0 port 1 is Down".  What does
 * not fit is left out: a list of many is long enough.
 */
static void list_ports(char *text, size_t size, const struct local_port *ports, size_t n,
                       const char *ca, unsigned int port, bool with_state)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < n; i++) {
		const struct local_port *p = &ports[i];
		const char *state = p->ethernet ? "an Ethernet port"
		                    : !ca && with_state && local_port_is_of_bridge(p)
		                        ? "an NVSwitch bridge"
		                        : ibc_port_state_word(p->at.state)->name;
		int length;

		if (!is_meant(p, ca, port))
			continue;
		length = snprintf(text + used, size - used, "%s%s port %u%s%s", used ? ", " : "",
		                  p->at.ca, p->at.port, with_state ? " is " : "",
		                  with_state ? state : "");
		if (length < 0 || (size_t)length >= size - used)
			text[used] = '\0';
		else
			used += (size_t)length;
	}
}

int local_port_choose(const struct local_port *ports, size_t n, const char *ca, unsigned int port,
                      const struct local_port **out, struct ibc_error *err)
{
	const struct local_port *best = NULL;
	size_t meant = 0, ethernet = 0;
	char list[256];

	for (size_t i = 0; i < n; i++) {
		const struct local_port *p = &ports[i];

		if (!is_meant(p, ca, port))
			continue;
		meant++;
		ethernet += p->ethernet;
		if (!local_port_has_link(p) || (best && (best->at.state == IBC_STATE_ACTIVE ||
		                                         p->at.state < IBC_STATE_ACTIVE)))
			continue;
		/* its subnet is that of NVSwitches: it must be named.  VPD takes long to read */
		if (ca || !local_port_is_of_bridge(p))
			best = p;
	}
	*out = best;
	if (best)
		return 0;
	list_ports(list, sizeof(list), ports, n, meant ? ca : NULL, meant ? port : 0, meant > 0);
	if (meant && meant == ethernet)
		return fail(err, -ENODEV, "%s: a sweep needs a port whose link layer is InfiniBand",
		            list);
	if (meant)
		return fail(err, -ENODEV,
		            "no link to sweep from: %s; plug in the cable, or choose another port "
		            "with -C and -P",
		            list);
	if (ca && port)
		return fail(err, -ENODEV, "there is no %s port %u here; this host has %s", ca, port,
		            list);
	if (ca)
		return fail(err, -ENODEV, "there is no InfiniBand device %s here; this host has %s",
		            ca, list);
	return fail(err, -ENODEV, "no InfiniBand device here has a port %u; this host has %s", port,
	            list);
}
