/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/umad.h>

#include <ibcheck/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "transport/ports.h"

#define PORTS_MAX (UMAD_MAX_DEVICES * UMAD_CA_MAX_PORTS)

bool local_port_has_link(const struct local_port *p)
{
	return !p->ethernet && p->at.state >= IBC_STATE_INIT;
}

/* ---- what there is ----------------------------------------------------------- */

static void put_port(struct local_port *out, const umad_ca_t *ca, const umad_port_t *port)
{
	snprintf(out->at.ca, sizeof(out->at.ca), "%s", ca->ca_name);
	out->at.port = (unsigned int)port->portnum;
	out->at.node_guid = be64toh(ca->node_guid);
	out->at.guid = be64toh(port->port_guid);
	out->at.subnet_prefix = be64toh(port->gid_prefix);
	out->at.lid = port->base_lid;
	out->at.state = port->state;
	out->ethernet = strcmp(port->link_layer, "Ethernet") == 0;
}

/* A device that goes away meanwhile is no failure. */
static size_t put_device(struct local_port *out, const char *name)
{
	umad_ca_t ca;
	size_t n = 0;

	if (umad_get_ca(name, &ca) < 0)
		return 0;
	for (size_t i = 0; i < UMAD_CA_MAX_PORTS; i++)
		if (ca.ports[i])
			put_port(&out[n++], &ca, ca.ports[i]);
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

struct name_list {
	char bytes[256];
	size_t used;
};

/* What does not fit is left out: a list of many is long enough. */
static void text_item(struct name_list *t, const char *item)
{
	size_t room = sizeof(t->bytes) - t->used;
	int n = snprintf(t->bytes + t->used, room, "%s%s", t->used ? ", " : "", item);

	if (n < 0 || (size_t)n >= room)
		t->bytes[t->used] = '\0';
	else
		t->used += (size_t)n;
}

/* "mlx5_0 port 1, mlx5_0 port 2" of those meant; with_state: "mlx5_0 port 1 is Down". */
static struct name_list list_of(const struct local_port *ports, size_t n, const char *ca,
                                unsigned int port, bool with_state)
{
	struct name_list list = { .used = 0 };
	char item[80];

	for (size_t i = 0; i < n; i++) {
		const struct transport_port *at = &ports[i].at;

		if (!is_meant(&ports[i], ca, port))
			continue;
		if (!with_state)
			snprintf(item, sizeof(item), "%s port %u", at->ca, at->port);
		else if (ports[i].ethernet)
			snprintf(item, sizeof(item), "%s port %u is an Ethernet port", at->ca,
			         at->port);
		else
			snprintf(item, sizeof(item), "%s port %u is %s", at->ca, at->port,
			         ibc_port_state_word(at->state)->name);
		text_item(&list, item);
	}
	return list;
}

static int no_port_will_do(const struct local_port *ports, size_t n, const char *ca,
                           unsigned int port, struct ibc_error *err)
{
	struct name_list list = list_of(ports, n, ca, port, true);
	bool ethernet_only = true;

	for (size_t i = 0; i < n; i++)
		if (is_meant(&ports[i], ca, port))
			ethernet_only = ethernet_only && ports[i].ethernet;
	if (ethernet_only)
		return fail(err, -ENODEV, "%s: a sweep needs a port whose link layer is InfiniBand",
		            list.bytes);
	return fail(err, -ENODEV,
	            "no link to sweep from: %s; plug in the cable, or choose another port "
	            "with -C and -P",
	            list.bytes);
}

static int why_not(const struct local_port *ports, size_t n, const char *ca, unsigned int port,
                   struct ibc_error *err)
{
	struct name_list list;

	for (size_t i = 0; i < n; i++)
		if (is_meant(&ports[i], ca, port))
			return no_port_will_do(ports, n, ca, port, err);
	list = list_of(ports, n, NULL, 0, false);
	if (ca && port)
		return fail(err, -ENODEV, "there is no %s port %u here; this host has %s", ca, port,
		            list.bytes);
	if (ca)
		return fail(err, -ENODEV, "there is no InfiniBand device %s here; this host has %s",
		            ca, list.bytes);
	return fail(err, -ENODEV, "no InfiniBand device here has a port %u; this host has %s", port,
	            list.bytes);
}

int local_port_choose(const struct local_port *ports, size_t n, const char *ca, unsigned int port,
                      const struct local_port **out, struct ibc_error *err)
{
	const struct local_port *best = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct local_port *p = &ports[i];

		if (!is_meant(p, ca, port) || !local_port_has_link(p))
			continue;
		if (!best || (best->at.state < IBC_STATE_ACTIVE && p->at.state == IBC_STATE_ACTIVE))
			best = p;
	}
	*out = best;
	return best ? 0 : why_not(ports, n, ca, port, err);
}
