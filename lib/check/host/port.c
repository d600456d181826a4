/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of this host's ports: are they up, as many and as fast as they should be. */
#include <string.h>

#include "base/arena.h"
#include "check/groups.h"
#include "check/host/view.h"
#include "check/settings.h"

/* Places in the table of checks: of those whose expectations others read as well. */
enum place { PORT_COUNT = 1, RATE };

/* The next InfiniBand port, or NULL. */
static const struct ibc_rdma_port *next_port(const struct ibc_input *in, struct port_walk *w)
{
	const struct ibc_rdma_port *port;

	while ((port = next_host_port(in->host, w)))
		if (port->infiniband)
			return port;
	return NULL;
}

/* ---- up? --------------------------------------------------------------------------- */

static const struct remedy {
	uint8_t phys_state, state; /* 0: any */
	const char *text;
} remedies[] = {
	{ IBC_PHYS_LINKUP, IBC_STATE_INIT,
	  "The cable works, but no subnet manager has configured the port. Check that one runs "
	  "(ibcheck sm)." },
	{ IBC_PHYS_LINKUP, IBC_STATE_ARMED,
	  "The subnet manager began to configure the port and did not finish. See its log." },
	{ IBC_PHYS_POLLING, 0,
	  "Nothing responds at the other end. Reseat the cable at both ends, check that the peer "
	  "is powered on, then replace the cable." },
	{ IBC_PHYS_DISABLED, 0,
	  "The port was disabled. Enable it at the switch (ibportstate LID PORT enable), or "
	  "restart the driver." },
	{ IBC_PHYS_TRAINING, 0,
	  "The link does not finish training. Reseat the cable, then replace it." },
	{ IBC_PHYS_ERROR_RECOVERY, 0,
	  "The link goes down and up. Reseat the cable, then replace it." },
	{ 0, 0, "See the kernel log for messages of its driver." },
};

static unsigned int count_active(const struct ibc_input *in, double gbps, unsigned int *unread)
{
	struct port_walk w = { 0 };
	const struct ibc_rdma_port *port;
	unsigned int n = 0;

	*unread = 0;
	while ((port = next_port(in, &w))) {
		bool known = port->state && port->phys_state &&
		             (!is_active(port) || port->rate_gbps > 0);

		n += is_active(port) && port->rate_gbps > 0 && port->rate_gbps >= gbps;
		*unread += !known;
	}
	return n;
}

/* What a check is to find, as the site said; 0: nothing said. */
static double expected(const struct ibc_input *in, enum place place)
{
	return config_expects(in->config, &ibc_checks_host_port[place]);
}

/* As many ports as were expected are up without it, or its adapter is in use by another. */
static enum ibc_severity severity_without(const struct ibc_input *in,
                                          const struct ibc_rdma_device *device)
{
	double count = expected(in, PORT_COUNT);
	unsigned int unread;

	if (count > 0)
		return count_active(in, expected(in, RATE), &unread) >= count ? IBC_INFO
		                                                              : IBC_CRITICAL;
	for (size_t i = 0; i < device->num_ports; i++)
		if (is_active(&device->ports[i]))
			return IBC_WARNING;
	return IBC_CRITICAL;
}

/* A port that is not up carries nothing, and most libraries pass over it without a word. */
static void check_port_state(const struct ibc_input *in, struct ibc_sink *out)
{
	struct port_walk w = { 0 };
	const struct ibc_rdma_port *port;

	while ((port = next_port(in, &w))) {
		const char *name = port_name(out, w.device, port);
		const struct remedy *r = remedies;

		if (!port->state || !port->phys_state) {
			report_unread(in, out, IBC_SUBJECT_PORT, name, "its state",
			              sink_text(out, "/%s/ports/%u/%s", w.device->name, port->num,
			                        port->state ? "phys_state" : "state"));
			continue;
		}
		if (!is_active(port)) {
			sink_as(out, severity_without(in, w.device));
			sink_own_port(out, name, "is %s, physically %s",
			              ibc_port_state_word(port->state)->name,
			              ibc_phys_state_word(port->phys_state)->name);
			while ((r->phys_state && r->phys_state != port->phys_state) ||
			       (r->state && r->state != port->state))
				r++;
			sink_advise(out, "%s", r->text);
		} else if (!port->lid &&
		           !unread_like(in->host, sink_text(out, "/%s/ports/%u/lid", w.device->name,
		                                            port->num))) {
			sink_own_port(out, name, "is active without a LID");
			sink_advise(out, "No packet can reach it. Restart the driver, and see the "
			                 "log of the subnet manager.");
		} else {
			continue;
		}
		sink_fact(out, "state", ibc_enum(ibc_port_state_word(port->state)));
		sink_fact(out, "phys_state", ibc_enum(ibc_phys_state_word(port->phys_state)));
		sink_fact(out, "lid", ibc_u64(port->lid));
	}
}

/* ---- as many as there should be? ------------------------------------------------------ */

#define CONNECTX7     "MT4129"
#define VENDOR_NVIDIA 0x10de /* pci.ids */

/* NVSwitches are managed through what looks like an HCA: beside GPUs only VPD shows which it is. */
static void note_doubtful(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_rdma_device *device;
	const struct ibc_pci *pci;
	const char **names = NULL, *reason = NULL;
	bool nvidia = false;
	size_t n = 0, room = 0;

	for (size_t i = 0; (pci = ibc_host_pci(in->host, i)); i++)
		nvidia |= pci->kind == IBC_PCI_GPU && pci->vendor == VENDOR_NVIDIA;
	for (size_t i = 0; nvidia && (device = ibc_host_device(in->host, i)); i++) {
		const char *unread = value_of(in->host, device->name, "vpd");

		if (!unread || strcmp(device->hca_type, CONNECTX7) != 0 || !has_infiniband(device))
			continue;
		reason = unread;
		arena_grow(out->scratch, &names, n, &room, sizeof(*names));
		names[n++] = device->name;
	}
	if (!n)
		return;
	sink_as(out, IBC_INFO);
	sink_host(out, host_name(in),
	          "%s may manage NVSwitches and be no HCA%s: VPD, which shows it, is not read: %s",
	          sink_folded(out, names, n), n == 1 ? "" : "s", reason);
	sink_advise(out, "Run it as root to find out.");
}

/*
 * A host that lost an adapter looks healthy port by port: only the number shows it.  Without
 * any device there is nothing to be called healthy.
 */
static void check_port_count(const struct ibc_input *in, struct ibc_sink *out)
{
	double want = expected(in, PORT_COUNT), gbps = expected(in, RATE);
	unsigned int unread, active = count_active(in, gbps, &unread);

	note_doubtful(in, out);
	if (!(want > 0) && !ibc_host_device(in->host, 0)) {
		sink_as(out, IBC_UNKNOWN);
		sink_host(out, host_name(in), "has no RDMA device%s: there is nothing to check",
		          ibc_host_bridge(in->host, 0) ? " but NVSwitch bridges" : "");
		sink_advise(out,
		            "If it should have some, see lspci -d 15b3: and check that the driver "
		            "is loaded (mlx5_ib). Give the expected number with --expect-ports.");
	}
	if (!(want > 0) || active >= want)
		return;
	if (active + unread >= want)
		sink_as(out, IBC_UNKNOWN);
	sink_host(out, host_name(in), "has %u active InfiniBand port%s%s, expected %.0f%s", active,
	          active == 1 ? "" : "s",
	          gbps > 0 ? sink_text(out, " of %g Gb/s or more", gbps) : "", want,
	          unread ? sink_text(out, "; the state of %u is not known", unread) : "");
	sink_advise(out, "See host.port-state for ports that are down. For ports that are not "
	                 "listed at all, see lspci -d 15b3: and the kernel log.");
	sink_fact(out, "expected", ibc_real(want));
	sink_fact(out, "active", ibc_u64(active));
	sink_fact(out, "unread", ibc_u64(unread));
}

/* ---- as fast as they should be? --------------------------------------------------------- */

/* A link that trained lower than it could works, and is slower than its neighbours. */
static void check_rate(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_rdma_port *port, *other;
	struct port_walk w = { 0 };
	double want = expected(in, RATE);

	while ((port = next_port(in, &w))) {
		const struct ibc_rdma_device *device = w.device;
		const char *name = port_name(out, device, port);
		const char *model = *device->board_id ? device->board_id : device->hca_type;
		struct port_walk all = { 0 };
		double best = 0;

		if (!is_active(port))
			continue;
		/* the fastest port of an adapter of the same model */
		while ((other = next_port(in, &all))) {
			const char *its = *all.device->board_id || *device->board_id
			                      ? all.device->board_id
			                      : all.device->hca_type;

			if (is_active(other) && *model && !strcmp(its, model) &&
			    other->rate_gbps > best)
				best = other->rate_gbps;
		}
		if (!(port->rate_gbps > 0)) {
			report_unread(in, out, IBC_SUBJECT_PORT, name, "its rate",
			              sink_text(out, "/%s/ports/%u/rate", device->name, port->num));
			continue;
		}
		if (want > 0)
			best = want;
		if (port->rate_gbps < want) {
			sink_as(out, IBC_CRITICAL);
			sink_own_port(out, name, "runs at %g Gb/s (%s %s), expected %g",
			              port->rate_gbps, ibc_width_word(port->width)->name,
			              ibc_speed_word(port->speed)->name, want);
		} else if (want > 0) {
			continue; /* as the site wants it */
		} else if (port->rate_gbps < best) {
			sink_own_port(out, name,
			              "runs at %g Gb/s (%s %s), another port of a %s at %g",
			              port->rate_gbps, ibc_width_word(port->width)->name,
			              ibc_speed_word(port->speed)->name,
			              *device->hca_type ? device->hca_type : "similar HCA", best);
		} else if (port->width == IBC_WIDTH_1X) {
			best = 0;
			sink_own_port(out, name, "runs on one lane, at %g Gb/s", port->rate_gbps);
		} else {
			continue;
		}
		sink_advise(out, "Reseat the cable, then replace it. Check at the switch whether "
		                 "its port is split or limited (ibcheck ports).");
		sink_fact(out, "rate_gbps", ibc_real(port->rate_gbps));
		sink_fact(out, "expected_gbps", best > 0 ? ibc_real(best) : ibc_none());
		sink_fact(out, "width", ibc_enum(ibc_width_word(port->width)));
		sink_fact(out, "speed", ibc_enum(ibc_speed_word(port->speed)));
	}
}

/* ---- by what name? ------------------------------------------------------------------------ */

#define DESC_BYTES 64 /* of a NodeDescription (IBA 14.2.5.2) */

/*
 * The name by which the fabric knows this host.  With another one every report about it
 * goes to the wrong place.
 */
static void check_name(const struct ibc_input *in, struct ibc_sink *out)
{
	const char *name = ibc_host_name(in->host);
	const char *shorter = sink_text(out, "%.*s", (int)strcspn(name, "."), name);
	const struct ibc_rdma_device *device;

	for (size_t i = 0; (device = ibc_host_device(in->host, i)); i++) {
		const char *desc = device->node_desc;

		/* a name that is longer than a NodeDescription is in none */
		if (!*name || !*desc || !has_infiniband(device) || strlen(shorter) >= DESC_BYTES ||
		    strcasestr(desc, shorter))
			continue;
		/* before anybody sets it, it names the model */
		if (strstr(desc, "ConnectX") || strstr(desc, "Mellanox") ||
		    strstr(desc, "Connect-IB") ||
		    (*device->hca_type && strstr(desc, device->hca_type)))
			sink_host(out, device->name, "has no name: its NodeDescription is \"%s\"",
			          desc);
		else
			sink_host(
			    out, device->name,
			    "has the NodeDescription \"%s\", which is not the name of this host",
			    desc);
		sink_advise(out, "Start rdma-ndd (systemctl enable --now rdma-ndd). It sets the "
		                 "NodeDescription to the host name.");
		sink_fact(out, "node_desc", ibc_str(desc));
		sink_fact(out, "host", ibc_str(name));
	}
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_host_port[] = {
	CHECK("host.port-state", "InfiniBand ports of this host that are not up", IBC_CRITICAL,
	      check_port_state, .parts = IBC_HOST_RDMA),
	[PORT_COUNT] = CHECK("host.port-count", "fewer active ports than this host should have",
	                     IBC_CRITICAL, check_port_count, .parts = IBC_HOST_RDMA | IBC_HOST_PCI,
	                     .expects = "active InfiniBand ports"),
	[RATE] = CHECK("host.rate", "ports of this host that run slower than they should",
	               IBC_WARNING, check_rate, .parts = IBC_HOST_RDMA,
	               .expects = "Gb/s of a port"),
	CHECK("host.name", "HCAs whose NodeDescription is not the host name", IBC_WARNING,
	      check_name, .parts = IBC_HOST_RDMA),
	{ 0 },
};
