/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks of RoCE look at. */
#include <string.h>

#include "check/roce/roce.h"

/* ---- ports ------------------------------------------------------------------------------ */

const char *roce_name(struct ibc_sink *out, const struct ibc_ethernet *e)
{
	if (!e->netdev)
		return sink_text(out, "%s/%u", e->device->name, e->port);
	return sink_text(out, "%s/%u (%s)", e->device->name, e->port, e->netdev->name);
}

const struct roce_port *roce_ports(const struct ibc_input *in, struct ibc_sink *out, size_t *n)
{
	const struct ibc_ethernet *e;
	const struct ibc_rdma_port *port;
	struct roce_port *ports;
	size_t all = 0;

	while (ibc_host_ethernet(in->host, all))
		all++;
	*n = 0;
	ports = sink_array(out, all, sizeof(*ports));
	for (size_t i = 0; (e = ibc_host_ethernet(in->host, i)); i++) {
		port = device_port(e->device, e->port);
		if (!port || !is_active(port))
			continue;
		ports[*n] = (struct roce_port){ e, port, roce_name(out, e),
			                        !*n || ports[*n - 1].port != port };
		++*n;
	}
	if (*n || out->run->no_roce)
		return ports;
	out->run->no_roce = true;
	sink_as(out, IBC_UNKNOWN);
	sink_host(out, host_name(in), "has no %sRoCE port: there is nothing to check",
	          all ? "active " : "");
	sink_advise(out, all ? "Set an interface up (ip link set dev NAME up), and check its cable."
	                     : "If it should have some, see lspci, and check that the RDMA driver "
	                       "of the NIC is loaded (mlx5_ib, bnxt_re, irdma).");
	return ports;
}

void port_list_add(struct ibc_sink *out, struct port_list *ports, const char *name)
{
	ports->list = list_with(out, ports->list, ports->n, name);
	ports->n++;
}

const char *why_silent(const struct ibc_ethernet *e, const char *otherwise)
{
	if (!e->netdev)
		return "the kernel does not name an interface";
	return e->asked ? otherwise : "the driver was not queried, which needs a live host";
}

void silence_add(struct ibc_sink *out, struct silence *silence, const struct roce_port *p,
                 const char *why)
{
	size_t i = 0;

	while (i < silence->n && strcmp(silence->reasons[i].why, why) != 0)
		i++;
	if (i == REASONS_MAX)
		i--;
	if (i == silence->n)
		silence->reasons[silence->n++].why = why;
	port_list_add(out, &silence->reasons[i].ports, p->name);
}

void silence_report(const struct ibc_input *in, struct ibc_sink *out, const struct silence *silence,
                    const char *what, const char *advice)
{
	for (size_t i = 0; i < silence->n; i++) {
		sink_as(out, IBC_UNKNOWN);
		sink_host(out, host_name(in), "%s of %s is not known: %s", what,
		          silence->reasons[i].ports.list, silence->reasons[i].why);
		sink_advise(out, "%s", advice);
	}
}

/* ---- priorities ------------------------------------------------------------------------- */

const char *priorities_text(struct ibc_sink *out, uint8_t priorities)
{
	unsigned int n = (unsigned int)__builtin_popcount(priorities), left = n;
	const char *text = n == 1 ? "priority " : "priorities ", *between = "";

	for (unsigned int i = 0; i < IBC_PRIORITIES; i++) {
		if (!(priorities >> i & 1))
			continue;
		text = sink_text(out, "%s%s%u", text, between, i);
		between = --left == 1 ? " and " : ", ";
	}
	if (n == IBC_PRIORITIES)
		return "all priorities";
	return n ? text : "no priority";
}

struct ibc_value priorities_value(struct ibc_sink *out, uint8_t priorities)
{
	const char *text = "";

	for (unsigned int i = 0; i < IBC_PRIORITIES; i++)
		if (priorities >> i & 1)
			text = sink_text(out, "%s%s%u", text, *text ? "," : "", i);
	return ibc_str(text);
}

enum ecn ecn_of(const struct roce_port *p, uint8_t priorities)
{
	const struct counted c = { .now = p->port->hw_counters,
		                   .num_now = p->port->num_hw_counters };
	const uint64_t *sent = counted_now(&c, "np_cnp_sent");
	const uint64_t *taken = counted_now(&c, "rp_cnp_handled");

	if (p->e->ecn_known)
		return p->e->ecn_np & p->e->ecn_rp & priorities ? ECN_ON : ECN_OFF;
	/* notices of congestion were sent here, and others taken */
	return sent && taken && *sent && *taken ? ECN_ON : ECN_UNKNOWN;
}

/* ---- over a window ------------------------------------------------------------------------ */

struct roce_counts roce_counts_of(const struct ibc_input *in, const struct roce_port *p)
{
	const struct ibc_rdma_port *port = device_port(
	    ibc_host_device_by_name(in->host_before, p->e->device->name), p->e->port);
	struct roce_counts c = {
		.driver = { .now = p->e->statistics, .num_now = p->e->num_statistics },
		.transport = { .now = p->port->hw_counters, .num_now = p->port->num_hw_counters },
		.basic = { .now = p->port->counters, .num_now = p->port->num_counters },
		.seconds = ibc_host_seconds(in->host) - ibc_host_seconds(in->host_before),
	};
	const struct ibc_ethernet *was;

	for (size_t i = 0; (was = ibc_host_ethernet(in->host_before, i)); i++) {
		const struct ibc_netdev *a = was->netdev, *z = p->e->netdev;

		/* one keeps its index when it is renamed; captured trees may not have it */
		if (strcmp(was->device->name, p->e->device->name) != 0 || was->port != p->e->port ||
		    !a || !z || a->ifindex != z->ifindex ||
		    (!a->ifindex && strcmp(a->name, z->name) != 0))
			continue;
		c.driver.before = was->statistics;
		c.driver.num_before = was->num_statistics;
		c.comparable = true;
	}
	c.comparable |= port && !p->e->netdev;
	if (port) {
		c.transport.before = port->hw_counters;
		c.transport.num_before = port->num_hw_counters;
		c.basic.before = port->counters;
		c.basic.num_before = port->num_counters;
	}
	return c;
}
