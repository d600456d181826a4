/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * routes SOURCE THREADS BISECTIONS: follows all routes, and tells as one line of JSON what
 * that took, beside what was found; peak memory is that of the whole program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <ibcheck/routes.h>
#include <ibcheck/source.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void tell(const struct ibc_routes *routes, double wall_s, double cpu_s)
{
	const struct ibc_route_sums *sums = ibc_routes_sums(routes, 0);
	size_t loops = 0, faults = 0;
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	while (ibc_routes_credit_loop(routes, loops))
		loops++;
	while (ibc_routes_fault(routes, faults))
		faults++;
	printf("{\"hosts\":%zu,\"switches\":%zu,\"pairs\":%llu,\"routed\":%llu,\"hops\":%.3f,"
	       "\"faults\":%zu,\"loops\":%zu,\"wall_s\":%.6f,\"cpu_s\":%.6f,\"rss_kb\":%ld}\n",
	       sums->hosts, sums->switches, (unsigned long long)sums->pairs,
	       (unsigned long long)sums->routed, sums->hops_mean, faults, loops, wall_s, cpu_s,
	       use.ru_maxrss);
}

int main(int argc, char **argv)
{
	struct ibc_source_opts source = IBC_SOURCE_OPTS_INIT;
	struct ibc_routes_opts opts = IBC_ROUTES_OPTS_INIT;
	const char *spec = argc == 4 ? argv[1] : NULL;
	double start, start_cpu;
	struct ibc_routes *routes;
	struct ibc_fabric *fab;
	struct ibc_error err;

	if (!spec)
		return 3;
	source.needs = ibc_attrs_of_group(IBC_ATTRS_ROUTES);
	opts.threads = (unsigned int)atoi(argv[2]);
	opts.bisections = (unsigned int)atoi(argv[3]);
	opts.shifts = 0;
	if (ibc_fabric_load(&spec, 1, &source, &fab, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	start = now();
	start_cpu = cpu();
	if (ibc_routes_analyze(fab, &opts, &routes, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	tell(routes, now() - start, cpu() - start_cpu);
	ibc_routes_free(routes);
	ibc_fabric_free(fab);
	return 0;
}
