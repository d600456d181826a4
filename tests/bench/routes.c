/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * routes SOURCE THREADS BISECTIONS [adaptive]: follows all routes, and tells as one line of
 * JSON what that took, beside what was found; peak memory is that of the whole program.
 * adaptive: each switch has a group of all ports that lead nearer to a leaf, for its hosts.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ibcheck/adaptive.h>
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

/* Of now: what making the tables took does not count.  Linux 4.0 and later. */
static void forget_peak(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");

	if (f) {
		fputs("5", f);
		fclose(f);
	}
}

/* In kB, since that was forgotten. */
static long peak_kb(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

static void tell(const struct ibc_routes *routes, double wall_s, double cpu_s)
{
	const struct ibc_route_sums *sums = ibc_routes_sums(routes, 0);
	size_t loops = 0, faults = 0;
	const struct ibc_ar_sums *ar = ibc_routes_ar_sums(routes, 0);

	while (ibc_routes_credit_loop(routes, loops))
		loops++;
	while (ibc_routes_fault(routes, faults))
		faults++;
	printf("{\"hosts\":%zu,\"switches\":%zu,\"pairs\":%llu,\"routed\":%llu,\"hops\":%.3f,"
	       "\"faults\":%zu,\"loops\":%zu,\"adaptive\":%llu,\"wall_s\":%.6f,\"cpu_s\":%.6f,"
	       "\"rss_kb\":%ld}\n",
	       sums->hosts, sums->switches, (unsigned long long)sums->pairs,
	       (unsigned long long)sums->routed, sums->hops_mean, faults, loops,
	       (unsigned long long)(ar ? ar->arrive : 0), wall_s, cpu_s, peak_kb());
}

/* ---- adaptive tables ------------------------------------------------------------------ */

struct groups {
	struct ibc_port_set sets[256];
	const struct ibc_port_set *list[256];
};

/*
 * struct made - what is made of a fabric
 * @far: by column and port: the column beyond; UINT32_MAX: no switch
 * @group: by column: of the leaf at hand
 */
struct made {
	const struct ibc_forwarding *lft;
	size_t n;
	uint32_t (*far)[256], *queue;
	uint8_t *hops, *group;
	struct ibc_ar_switch *switches;
	uint16_t *entries; /* column * num_lids + lid */
};

static size_t column_of(const struct made *m, uint64_t guid)
{
	size_t first = 0, end = m->n;

	while (first + 1 < end) {
		size_t middle = (first + end) / 2;

		*(m->lft->switches[middle]->guid <= guid ? &first : &end) = middle;
	}
	return first;
}

static void find_far(struct made *m)
{
	for (size_t s = 0; s < m->n; s++)
		for (unsigned int num = 0; num < 256; num++) {
			const struct ibc_port *port = ibc_node_port(m->lft->switches[s], num);
			const struct ibc_port *peer = port ? port->peer : NULL;

			m->far[s][num] = peer && peer->node->type == IBC_NODE_SWITCH
			                     ? (uint32_t)column_of(m, peer->node->guid)
			                     : UINT32_MAX;
		}
}

static void find_hops(struct made *m, uint32_t to)
{
	size_t n = 0;

	memset(m->hops, 255, m->n);
	m->hops[to] = 0;
	m->queue[n++] = to;
	for (size_t i = 0; i < n; i++)
		for (unsigned int num = 1; num < 256; num++) {
			uint32_t far = m->far[m->queue[i]][num];

			if (far == UINT32_MAX || m->hops[far] != 255)
				continue;
			m->hops[far] = (uint8_t)(m->hops[m->queue[i]] + 1);
			m->queue[n++] = far;
		}
}

/* The number of the group with these ports. */
static uint8_t group_of(struct ibc_ar_switch *sw, const struct ibc_port_set *set)
{
	struct groups *groups = NULL;
	unsigned int i = 0;

	if (sw->groups)
		groups = (struct groups *)((char *)sw->groups - offsetof(struct groups, list));
	else if ((groups = calloc(1, sizeof(*groups))))
		sw->groups = groups->list;
	else
		exit(3);
	while (i < sw->num_groups && memcmp(&groups->sets[i], set, sizeof(*set)) != 0)
		i++;
	groups->sets[i] = *set;
	groups->list[i] = &groups->sets[i];
	sw->num_groups = i < sw->num_groups ? sw->num_groups : i + 1;
	return (uint8_t)i;
}

static void put_leaf(struct made *m, uint32_t leaf)
{
	const struct ibc_node *dst = m->lft->switches[leaf];

	find_hops(m, leaf);
	for (size_t s = 0; s < m->n; s++) {
		struct ibc_port_set set = { { 0 } };

		for (unsigned int num = 1; num < 256; num++)
			if (m->far[s][num] != UINT32_MAX &&
			    m->hops[m->far[s][num]] + 1 == m->hops[s])
				set.words[num / 64] |= 1ull << num % 64;
		m->group[s] = s == leaf ? 0 : group_of(&m->switches[s], &set);
	}
	for (unsigned int num = 1; num <= dst->num_ports; num++) {
		const struct ibc_port *host = dst->ports[num].peer;

		for (size_t s = 0; host && host->node->type != IBC_NODE_SWITCH && s < m->n; s++)
			if (s != leaf)
				m->entries[s * m->lft->num_lids + host->lid] =
				    (uint16_t)(IBC_AR_ENTRY_FREE << IBC_AR_ENTRY_SHIFT |
				               m->group[s]);
	}
}

/* Equal blocks of a switch, and of the one before it, are the same. */
static void share_blocks(struct made *m, const uint16_t **blocks)
{
	size_t lids = m->lft->num_lids, num = (lids + 63) / 64;

	for (size_t s = 0; s < m->n; s++)
		for (size_t b = 0; b < num; b++) {
			uint16_t entries[64] = { 0 };
			size_t left = lids - b * 64 < 64 ? lids - b * 64 : 64, i = 0;
			uint16_t *own;

			memcpy(entries, &m->entries[s * lids + b * 64], left * sizeof(*entries));
			blocks[b * m->lft->stride + s] = s ? blocks[b * m->lft->stride + s - 1]
			                                   : NULL;
			if (s && !memcmp(blocks[b * m->lft->stride + s], entries, sizeof(entries)))
				continue;
			while (i < b && memcmp(blocks[i * m->lft->stride + s], entries,
			                       sizeof(entries)) != 0)
				i++;
			own = i < b ? NULL : malloc(sizeof(entries));
			if (own)
				memcpy(own, entries, sizeof(entries));
			blocks[b * m->lft->stride + s] = own ? own : blocks[i * m->lft->stride + s];
		}
}

static void make_adaptive(const struct ibc_fabric *fab)
{
	struct ibc_forwarding *lft = (struct ibc_forwarding *)ibc_fabric_subnet(fab, 0)->forwarding;
	struct made m = { .lft = lft, .n = lft->num_switches };
	struct ibc_ar_tables *ar = calloc(1, sizeof(*ar));
	size_t cells = m.n * lft->num_lids;

	m.far = calloc(m.n, sizeof(*m.far));
	m.queue = calloc(m.n, sizeof(*m.queue));
	m.hops = calloc(m.n, 1);
	m.group = calloc(m.n, 1);
	m.switches = calloc(m.n, sizeof(*m.switches));
	m.entries = malloc(cells * sizeof(*m.entries));
	ar->blocks = calloc((lft->num_lids / 64 + 1) * lft->stride, sizeof(*ar->blocks));
	ar->switches = m.switches;
	for (size_t i = 0; i < cells; i++)
		m.entries[i] = IBC_AR_ENTRY_STATIC << IBC_AR_ENTRY_SHIFT;
	find_far(&m);
	for (uint32_t s = 0; s < m.n; s++)
		put_leaf(&m, s);
	share_blocks(&m, (const uint16_t **)ar->blocks);
	lft->ar = ar;
	free(m.far);
	free(m.queue);
	free(m.hops);
	free(m.group);
	free(m.entries);
}

int main(int argc, char **argv)
{
	struct ibc_source_opts source = IBC_SOURCE_OPTS_INIT;
	struct ibc_routes_opts opts = IBC_ROUTES_OPTS_INIT;
	const char *spec = argc == 4 || argc == 5 ? argv[1] : NULL;
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
	if (argc == 5) {
		make_adaptive(fab);
		forget_peak();
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
