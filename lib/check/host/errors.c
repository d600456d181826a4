/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the transport of this host's adapters counted in a window of time.  The counters
 * are those of mlx5 (Linux drivers/infiniband/hw/mlx5/counters.c), 32 bits wide.
 */
#include <inttypes.h>
#include <string.h>

#include "check/groups.h"
#include "check/host/view.h"

/*
 * struct error - a counter that should stand still
 * @but: counts the harmless part of it, or NULL
 * @per_minute: from so many on it is critical; 0: any is
 */
static const struct error {
	const char *name, *but;
	double per_minute;
	const char *remedy;
} errors[] = {
	{ "req_transport_retries_exceeded", NULL, 0,
	  "Connections broke because a peer did not answer. Check that the peer is up, then the "
	  "cables and switches on the path (ibcheck counters)." },
	{ "req_rnr_retries_exceeded", NULL, 0,
	  "Connections broke because a peer was never ready to receive. Check the program there." },
	{ "req_remote_access_errors", NULL, 0,
	  "A program reads or writes memory that its peer did not grant. Check the program." },
	{ "resp_remote_access_errors", NULL, 0,
	  "A peer reads or writes memory that was not granted to it. Check the program." },
	{ "req_cqe_error", "req_cqe_flush_error", 0, "Requests failed. See the program's log." },
	{ "resp_cqe_error", "resp_cqe_flush_error", 0, "Receives failed. See the program's log." },
	{ "local_ack_timeout_err", NULL, 10,
	  "Packets or their acknowledgements were lost, or a peer is overloaded. Check the cables "
	  "and switches on the path (ibcheck counters)." },
	{ "packet_seq_err", NULL, 1e18,
	  "Packets were lost on the path and sent again. Check its cables and switches (ibcheck "
	  "counters)." },
	{ "implied_nak_seq_err", NULL, 1e18,
	  "Answers to reads were lost on the path. Check its cables and switches (ibcheck "
	  "counters)." },
};

static uint64_t count_faults(const struct counted *c, const struct error *e)
{
	uint64_t all = counted_added(c, e->name);
	uint64_t harmless = e->but ? counted_added(c, e->but) : 0;

	return all > harmless ? all - harmless : 0;
}

/* The wire may be clean and the transport not: a peer that is gone, packets that were dropped. */
static void check_transport(const struct ibc_input *in, struct ibc_sink *out)
{
	double seconds = ibc_host_seconds(in->host) - ibc_host_seconds(in->host_before);
	const struct ibc_rdma_port *before, *now;
	struct port_walk w = { 0 };

	while ((now = next_host_port(in->host, &w))) {
		struct counted c = { .now = now->hw_counters, .num_now = now->num_hw_counters };
		const char *part = sink_text(out, "/%s/ports/%u/hw_counters/", w.device->name,
		                             now->num);
		const char *name = port_name(out, w.device, now), *list = "";
		const struct error *worst = NULL;
		bool counts = false; /* other drivers count other things */
		bool critical = false;

		if (!now->infiniband)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
			counts |= counted_now(&c, errors[i].name) != NULL;
		if (unread_like(in->host, part) || (is_active(now) && !counts))
			report_unread(in, out, IBC_SUBJECT_PORT, name,
			              "the value of its transport counters", part);
		before = device_port(ibc_host_device_by_name(in->host_before, w.device->name),
		                     now->num);
		if (!before)
			continue;
		c.before = before->hw_counters;
		c.num_before = before->num_hw_counters;
		for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
			uint64_t n = count_faults(&c, &errors[i]);

			if (!n)
				continue;
			worst = worst ? worst : &errors[i];
			critical |= (double)n >= errors[i].per_minute * (seconds / 60);
			list = sink_text(out, "%s%s%" PRIu64 " %s", list, *list ? ", " : "", n,
			                 errors[i].name);
		}
		if (!worst)
			continue;
		sink_as(out, critical ? IBC_CRITICAL : IBC_WARNING);
		sink_own_port(out, name, "counters rose in %.3g s: %s", seconds, list);
		sink_advise(out, "%s", worst->remedy);
		for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
			if (counted_now(&c, errors[i].name))
				sink_fact(out, errors[i].name,
				          ibc_u64(count_faults(&c, &errors[i])));
	}
}

/* ---- tuning -------------------------------------------------------------------------------- */

/* struct error_habit - what costs latency now and then, unless it is as wanted */
static const struct error_habit {
	const char *key, *wanted, *message, *advice;
} habits[] = {
	{ "numa_balancing", "0",
	  "the kernel moves memory between NUMA nodes on its own (numa_balancing)",
	  "sysctl kernel.numa_balancing=0. Balancing interrupts programs to find out where they "
	  "use their memory." },
	{ "scaling_governor", "performance", "processors do not always run at full speed",
	  "cpupower frequency-set -g performance." },
	{ "no_turbo", "0", "processors are not allowed to use turbo",
	  "Write 0 to /sys/devices/system/cpu/intel_pstate/no_turbo, unless this is intended." },
	{ "zone_reclaim_mode", "0",
	  "the kernel empties caches before it uses memory of another NUMA node",
	  "sysctl vm.zone_reclaim_mode=0." },
};

#define RELAXED_ORDERING 0x0010 /* PCI Express Device Control, bit 4 */
#define READ_REQUEST(dc) (128u << ((dc) >> 12 & 7))
#define READ_REQUEST_MIN 512 /* bytes: the reset value of PCI Express; less was configured */

/* Settings that administrators may choose: shown, and not judged. */
static void check_tuning(const struct ibc_input *in, struct ibc_sink *out)
{
	const char *nodes = value_of(in->host, "machine", "numa_nodes");
	const struct ibc_rdma_device *device;

	if (!ibc_host_device(in->host, 0))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(habits); i++) {
		const struct error_habit *h = &habits[i];
		const struct ibc_host_fact *fact = ibc_host_fact_of(in->host, "tuning", h->key);

		if (!fact || !strcmp(fact->value, h->wanted))
			continue;
		sink_host(out, host_name(in), "%s: %s", h->message, fact->value);
		sink_advise(out, "%s", h->advice);
		sink_fact(out, "key", ibc_str(h->key));
		sink_fact(out, "value", ibc_str(fact->value));
		sink_fact(out, "path", ibc_str(fact->path));
	}
	for (size_t i = 0; (device = ibc_host_device(in->host, i)); i++) {
		const struct ibc_pci *pci = ibc_host_pci_by_name(in->host, device->pci);
		unsigned int control = pci ? pci->device_control : 0;

		if (!pci || pci->vf_of)
			continue;
		if (pci->numa < 0 && nodes && strpbrk(nodes, "-,")) {
			sink_host(out, device->name,
			          "the firmware of this machine does not report its NUMA node");
			sink_advise(out, "Look for a BIOS setting. Until then bind programs to a "
			                 "NUMA node by hand.");
		}
		if (!pci->config_read || !control)
			continue;
		if (READ_REQUEST(control) < READ_REQUEST_MIN) {
			sink_host(out, device->name, "reads memory %u bytes at a time (MaxReadReq)",
			          READ_REQUEST(control));
			sink_advise(out, "Set it to 4096 in the BIOS, or with setpci.");
			sink_fact(out, "max_read_request_bytes", ibc_u64(READ_REQUEST(control)));
		}
		if (!(control & RELAXED_ORDERING)) {
			sink_host(out, device->name,
			          "is not allowed to use relaxed ordering on PCIe");
			sink_advise(out, "Enable it in the BIOS or with setpci where the CPU "
			                 "benefits from it (AMD, and Intel with GPUs).");
		}
	}
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_host_errors[] = {
	CHECK("host.transport-errors", "transport retries and failures of the HCAs of this host",
	      IBC_WARNING, check_transport, .parts = IBC_HOST_RDMA | IBC_HOST_COUNTERS,
	      .inputs = IBC_IN_HOST_BEFORE),
	CHECK("host.tuning", "settings of this host that cost latency", IBC_INFO, check_tuning,
	      .parts = IBC_HOST_RDMA | IBC_HOST_PCI | IBC_HOST_STACK),
	{ 0 },
};
