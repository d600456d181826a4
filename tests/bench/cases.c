/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * cases SOURCE FINDINGS: makes so many findings of twenty checks at random places of a fabric,
 * half of them at a tenth of its nodes, and tells as one line of JSON how long it took to
 * put them together, without the sorting that a report does anyway.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <ibcheck/case.h>
#include <ibcheck/source.h>

static const char *const checks[] = {
	"port.silent",       "port.physical",       "port.state",         "port.width",
	"port.speed",        "port.rate-odd",       "counters.symbol",    "counters.rcv-errors",
	"counters.recovery", "counters.integrity",  "counters.downed",    "counters.flap",
	"counters.discards", "counters.congestion", "topo.missing-cable", "topo.missing-node",
	"topo.slow",         "fattree.slow-trunk",  "routes.stale",       "routes.imbalance",
};
#define CHECKS (sizeof(checks) / sizeof(*checks))

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct ibc_end end_of(const struct ibc_port *p)
{
	return (struct ibc_end){ .guid = p->node->guid,
		                 .has_guid = true,
		                 .desc = p->node->desc,
		                 .label = p->node->label,
		                 .port = p->num,
		                 .has_port = true };
}

static void add_finding(struct ibc_report *rep, const struct ibc_fabric *fab, size_t nodes,
                        size_t i)
{
	const struct ibc_node *node;
	const struct ibc_port *p;
	struct ibc_subject s = { .kind = IBC_SUBJECT_PORT };

	node = ibc_fabric_node(fab, (size_t)random() % (i % 2 ? nodes : nodes / 10));
	p = ibc_node_port(node, 1 + (unsigned int)random() % node->num_ports);
	s.near = end_of(p);
	if (p->peer && i % 3) {
		p = ibc_port_is_near_end(p) ? p : p->peer;
		s = (struct ibc_subject){ IBC_SUBJECT_CABLE, end_of(p), end_of(p->peer) };
	} else if (i % 7 == 0) {
		s.kind = IBC_SUBJECT_NODE;
		s.near.has_port = false;
	}
	ibc_report_add(rep, checks[i % CHECKS], IBC_WARNING, &s, "is at fault, as number %zu", i);
}

int main(int argc, char **argv)
{
	struct ibc_source_opts source = IBC_SOURCE_OPTS_INIT;
	const char *spec = argc == 3 ? argv[1] : NULL;
	struct ibc_input in = { .fabric = NULL };
	struct ibc_report *rep;
	struct ibc_fabric *fab;
	struct ibc_error err;
	struct rusage use;
	size_t n = 0, nodes;
	double start, start_cpu;

	if (!spec || ibc_fabric_load(&spec, 1, &source, &fab, &err) || ibc_report_new(&rep, &err))
		return 3;
	in.fabric = fab;
	nodes = ibc_fabric_count(fab).nodes;
	for (size_t i = 0; i < (size_t)atol(argv[2]); i++)
		add_finding(rep, fab, nodes, i);
	if (ibc_report_finish(rep, &err))
		return 3;
	start = now(CLOCK_MONOTONIC);
	start_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	if (ibc_cases_find(&in, ibc_check_find, rep, &err))
		return 3;
	start = now(CLOCK_MONOTONIC) - start;
	start_cpu = now(CLOCK_PROCESS_CPUTIME_ID) - start_cpu;
	while (ibc_report_case_at(rep, n))
		n++;
	getrusage(RUSAGE_SELF, &use);
	printf("{\"nodes\":%zu,\"findings\":%s,\"cases\":%zu,\"wall_s\":%.6f,\"cpu_s\":%.6f,"
	       "\"rss_kb\":%ld}\n",
	       nodes, argv[2], n, start, start_cpu, use.ru_maxrss);
	ibc_report_free(rep);
	ibc_fabric_free(fab);
	return 0;
}
