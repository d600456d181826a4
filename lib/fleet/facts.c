/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of facts.  Only what is the same on hosts that were installed alike is in it: what
 * differs by host, or from hour to hour, would make each an outlier.
 */
#include "fleet/facts.h"

#include <string.h>

#include "base/array.h"
#include "base/str.h"

/* clang-format off */
static const struct fleet_fact facts[] = {
	{ "psid", "PSID", "", "host_ports", "*", "board_id", "host", NULL, true },
	{ "firmware", "firmware", "", "host_ports", "*", "firmware", "host", FACT_VERSION, false },
	{ "link-layer", "link layer", "", "host_ports", "*", "link_layer", "host",
	  "InfiniBand Ethernet", false },
	{ "rate", "rate", " Gb/s", "host_ports", "*", "rate_gbps", "host", FACT_NUMBER, false },
	{ "product", "product name", "", "facts", "machine", "product", "host", NULL, false },
	{ "kernel", "kernel", "", "facts", "kernel", "release", "host", FACT_VERSION, false },
	{ "distribution", "distribution", "", "facts", "kernel", "distribution", "host", NULL, false },
	{ "ofed", "MLNX_OFED", "", "facts", "ofed", "version", "host", FACT_VERSION, true },
	{ "driver", "driver version", "", "facts", "module *", "version", "host", NULL, false },
	{ "rdma-core", "rdma-core (libibverbs)", "", "facts", "rdma-core", "libibverbs", "host",
	  FACT_VERSION, false },
	{ "peermem", "module nvidia_peermem loaded", "", "facts", "module nvidia_peermem", "loaded",
	  "host", "yes none", true },
	{ "governor", "CPU frequency governor", "", "facts", "tuning", "scaling_governor", "host", NULL,
	  false },
	{ "memlock", "limit of locked memory", "", "facts", "limits", "memlock", "host",
	  "unlimited " FACT_NUMBER, false },
	{ "pcie-speed", "PCIe speed", " GT/s", "pci", "*", "speed_gts", "host", FACT_NUMBER, false },
	{ "pcie-width", "PCIe width", " lanes", "pci", "*", "lanes", "host", FACT_NUMBER, false },
	{ "acs", "PCIe ACS", "", "pci", "*", "acs", "host", FACT_NUMBER, false },
	{ "nearness", "nearness of GPU and HCA", "", "affinity", "*", "nearness", "host", NULL, false },
	{ "ipoib-mode", "IPoIB mode", "", "interfaces", "*", "mode", "ipoib", "datagram connected",
	  false },
	{ "ipoib-mtu", "MTU", " bytes", "interfaces", "*", "mtu_bytes", "ipoib", FACT_NUMBER, false },
	{ "roce-mtu", "MTU", " bytes", "roce_ports", "*", "mtu_bytes", "roce", FACT_NUMBER, false },
	{ "trust", "QoS trust", "", "roce_ports", "*", "trust", "roce", "dscp vlan", false },
	{ "pfc", "PFC priorities", "", "roce_ports", "*", "pfc_priorities", "roce", NULL, false },
	{ "ecn", "ECN priorities", "", "roce_ports", "*", "ecn_priorities", "roce", NULL, false },
};
/* clang-format on */
_Static_assert(ARRAY_SIZE(facts) <= FACTS_MAX, "a set of facts is full");

/* What is kept beside them: where a cable leads, and what a job does on a host. */
static const struct {
	const char *table, *what;
} others[] = {
	{ "host_ports", "kind" },      { "host_ports", "state" },      { "host_ports", "ca_type" },
	{ "host_ports", "node_guid" }, { "host_ports", "port_guid" },  { "pci", "pci" },
	{ "interfaces", "port" },      { "workloads", "job" },         { "workloads", "job_kind" },
	{ "workloads", "verdict" },    { "workloads", "queue_pairs" },
};
_Static_assert(ARRAY_SIZE(facts) + ARRAY_SIZE(others) <= COLUMNS_MAX, "a row has not enough room");

int fleet_column_of(const char *table, const char *what)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (!strcmp(facts[i].what, what) && !strcmp(facts[i].table, table))
			return (int)i;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i].what, what) && !strcmp(others[i].table, table))
			return (int)(ARRAY_SIZE(facts) + i);
	return -1;
}

const char *fleet_column(size_t number)
{
	return number < ARRAY_SIZE(facts) ? facts[number].what
	                                  : others[number - ARRAY_SIZE(facts)].what;
}

const struct fleet_fact *fleet_fact_at(size_t row)
{
	return row < ARRAY_SIZE(facts) ? &facts[row] : NULL;
}

int fleet_fact_of(struct ibc_fleet_key key)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		size_t n = strcspn(facts[i].thing, "*"), whole = facts[i].thing[n] ? 0 : 1;

		if (!strcmp(facts[i].what, key.what) && !strcmp(facts[i].table, key.table) &&
		    !strncmp(facts[i].thing, key.thing, n + whole))
			return (int)i;
	}
	return -1;
}

int fleet_fact_named(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (strlen(facts[i].key) == n && !strncmp(facts[i].key, name, n))
			return (int)i;
	return -1;
}

bool fleet_values_equal(const char *a, const char *z)
{
	double x, y;

	return !strcmp(a, z) || (!str_real(a, &x) && !str_real(z, &y) && x == y);
}
