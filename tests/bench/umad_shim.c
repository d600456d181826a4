/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * LD_PRELOADed before libibumad: every program that speaks it finds one HCA port,
 * on a fabric that answers after an exact round trip.
 *
 *	IBBENCH_NET      the fabric: synth:..., or a file
 *	IBBENCH_RTT_US   round trip (100)
 *	IBBENCH_SILENT   so many CAs do not answer (0)
 *	IBBENCH_BUSY     1: every port with a cable has waited and discarded; 2: data and
 *	                 waits go on, 3: discards too (0)
 *	IBBENCH_TABLES   1: its switches have forwarding tables (0)
 *	IBBENCH_LANES    1: its ports have SL2VL and arbitration tables; 2: its switches adaptive
 *			 tables, with IBBENCH_TABLES (0)
 *	IBBENCH_FIRMWARE_US   its ports have cables, and its devices registers, which firmware
 *	                 answers one at a time, each in so long (0: it has none)
 *	IBBENCH_MUTE     so many devices do not answer for registers (0)
 *	IBBENCH_SM       1: the master that all ports name works; 2: it and its SA are silent (0:
 *	                 it alone is)
 *	IBBENCH_LOSS     of the MADs, this part is lost (0)
 *	IBBENCH_STATS    file to append one line of JSON to
 *	IBBENCH_CPU, IBBENCH_SERVER_CPU   where to run the program, and the fabric
 *
 * What a HCA and its driver cost is not modelled: it would be the same for all.
 */
#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/umad.h>

#include "bench/server.h"
#include "wire/mad.h"

#define SHIM_API __attribute__((visibility("default")))
#define CA_NAME  "bench0"
#define PORT_FD  1000

/* On its way back: an answer, or the word that there is none. */
struct event {
	uint64_t due_ns;
	uint32_t cell;
	int status;
};

static struct shared *shared;
static struct event heap[CELLS];
static uint32_t pending, free_cells[CELLS], num_free;
static uint64_t sent_ns[CELLS]; /* by cell */
static uint32_t timeout_ms_of[CELLS], tries_of[CELLS], agent_of[CELLS];
static uint64_t rtt_ns, random_state = 1;
static uint64_t firmware_ns, free_ns[UINT16_MAX + 1]; /* when it is done with all before, by LID */
static double loss;

static struct {
	uint64_t ready_ns, first_ns, last_ns;
	uint64_t sent, answered, timed_out;
	uint64_t waited_ns; /* CPU time, for arrivals: a program with a HCA would sleep */
	uint64_t behind_ns; /* time beyond the round trip, because the fabric was not done yet */
	uint64_t waited_at_end_ns, cpu_first_ns, cpu_last_ns;
	struct rusage at_ready;
} stats;

/* ---- time ------------------------------------------------------------------------ */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/*
 * Sleeping is too coarse for the last stretch.  The CPU time of waiting is counted,
 * not its length: others may run meanwhile.
 */
static void wait_until(uint64_t due_ns)
{
	const uint64_t stretch_ns = 300000, reading_ns = 1000;
	uint64_t start = cpu_ns(), now = now_ns(), left;
	struct timespec pause;

	while (now + reading_ns < due_ns) {
		left = due_ns - now;
		if (left > 2 * stretch_ns) {
			left -= stretch_ns;
			pause.tv_sec = (time_t)(left / 1000000000);
			pause.tv_nsec = (long)(left % 1000000000);
			nanosleep(&pause, NULL);
		}
		now = now_ns();
	}
	stats.waited_ns += cpu_ns() - start;
	while (now_ns() < due_ns)
		;
}

/* ---- what is under way ------------------------------------------------------------ */

static void event_add(uint64_t due_ns, uint32_t cell, int status)
{
	uint32_t i = pending++;

	for (; i && due_ns < heap[(i - 1) / 2].due_ns; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = (struct event){ due_ns, cell, status };
}

static struct event event_take(void)
{
	struct event first = heap[0], last = heap[--pending];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < pending) {
		if (child + 1 < pending && heap[child + 1].due_ns < heap[child].due_ns)
			child++;
		if (heap[child].due_ns >= last.due_ns)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return first;
}

static bool is_lost(void)
{
	if (loss <= 0)
		return false;
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (double)(random_state >> 11) * 0x1p-53 < loss;
}

static uint64_t gives_up_ns(uint32_t cell)
{
	return sent_ns[cell] + (uint64_t)tries_of[cell] * timeout_ms_of[cell] * 1000000;
}

/* What the answer takes beside the round trip. */
static uint64_t served_ns(uint32_t cell, uint64_t arrives_ns)
{
	const struct cell *c = &shared->cell[cell];
	uint64_t *done_ns = &free_ns[c->to.dlid];

	if (!firmware_ns || bytes_get(c->mad + 16, 2) != REGISTERS_ATTRIBUTE ||
	    c->mad[1] != MAD_CLASS_VENDOR)
		return 0;
	*done_ns = (*done_ns > arrives_ns ? *done_ns : arrives_ns) + firmware_ns;
	return *done_ns - arrives_ns;
}

/* The kernel sends again after each time-out; the first that is not lost arrives. */
static void schedule(uint32_t cell)
{
	uint64_t try_ns = (uint64_t)timeout_ms_of[cell] * 1000000;

	for (uint32_t try = 0; try < tries_of[cell]; try++) {
		if (is_lost())
			continue;
		event_add(sent_ns[cell] + try * try_ns + rtt_ns +
		              served_ns(cell, sent_ns[cell] + try * try_ns + rtt_ns / 2),
		          cell, 0);
		return;
	}
	event_add(gives_up_ns(cell), cell, ETIMEDOUT);
}

static void wait_for_server(struct cell *cell)
{
	uint64_t start = cpu_ns(), start_ns = now_ns();

	while (atomic_load_explicit(&cell->device, memory_order_acquire) == CELL_OPEN)
		spin();
	stats.behind_ns += now_ns() - start_ns;
	stats.waited_ns += cpu_ns() - start;
}

/* The first arrival that is due; false: there is none. */
static bool arrival(struct event *out)
{
	while (pending && heap[0].due_ns <= now_ns()) {
		struct event e = event_take();
		struct cell *cell = &shared->cell[e.cell];
		if (atomic_load_explicit(&cell->device, memory_order_acquire) == CELL_OPEN)
			wait_for_server(cell);
		if (e.status == 0 && cell->device == LINE_NOBODY) {
			event_add(gives_up_ns(e.cell), e.cell, ETIMEDOUT);
			continue;
		}
		*out = e;
		return true;
	}
	return false;
}

/* Returns false when nothing arrives in time; timeout_ms < 0: waits for ever. */
static bool wait_for_arrival(int timeout_ms, struct event *out)
{
	uint64_t until_ns = UINT64_MAX;

	if (timeout_ms >= 0)
		until_ns = now_ns() + (uint64_t)timeout_ms * 1000000;
	while (!arrival(out)) {
		uint64_t next_ns = pending ? heap[0].due_ns : UINT64_MAX;

		if (next_ns > until_ns) {
			wait_until(until_ns);
			return false;
		}
		if (next_ns == UINT64_MAX) {
			fprintf(stderr, "umad_shim: waits for ever for nothing\n");
			exit(3);
		}
		wait_until(next_ns);
	}
	return true;
}

/* ---- libibumad: MADs ---------------------------------------------------------------- */

SHIM_API int umad_send(int fd, int agentid, void *umad, int length, int timeout_ms, int retries)
{
	struct ib_user_mad *user = umad;
	struct cell *cell;
	uint32_t i, asked;

	(void)fd;
	if (!num_free || length > MAD_SIZE) {
		errno = ENOMEM;
		return -EIO;
	}
	i = free_cells[--num_free];
	cell = &shared->cell[i];
	cell->to.dlid = be16toh(user->addr.lid);
	cell->to.qpn = be32toh(user->addr.qpn);
	cell->to.qkey = be32toh(user->addr.qkey);
	memcpy(cell->mad, umad_get_mad(umad), (size_t)length);
	cell->device = CELL_OPEN;
	asked = shared->asked;
	shared->turn[asked % CELLS] = i;
	atomic_store_explicit(&shared->asked, asked + 1, memory_order_release);
	sent_ns[i] = now_ns();
	timeout_ms_of[i] = (uint32_t)timeout_ms;
	tries_of[i] = (uint32_t)retries + 1;
	agent_of[i] = (uint32_t)agentid;
	schedule(i);
	if (!stats.sent++) {
		stats.first_ns = sent_ns[i];
		stats.cpu_first_ns = cpu_ns();
	}
	return 0;
}

static void deliver(const struct event *e, void *umad, int *length)
{
	const int header = 24;
	struct ib_user_mad *user = umad;

	*length = e->status ? header : MAD_SIZE;
	memcpy(umad_get_mad(umad), shared->cell[e->cell].mad, (size_t)*length);
	user->status = (uint32_t)e->status;
	user->agent_id = agent_of[e->cell];
	free_cells[num_free++] = e->cell;
	if (e->status)
		stats.timed_out++;
	else
		stats.answered++;
}

/* Cheap enough for every answer only where it may be the last. */
static void note_last(void)
{
	if (pending)
		return;
	stats.last_ns = now_ns();
	stats.cpu_last_ns = cpu_ns();
	stats.waited_at_end_ns = stats.waited_ns;
}

SHIM_API int umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
	struct event e;

	(void)fd;
	if (!(timeout_ms ? wait_for_arrival(timeout_ms, &e) : arrival(&e))) {
		errno = timeout_ms ? ETIMEDOUT : EWOULDBLOCK;
		return -errno;
	}
	deliver(&e, umad, length);
	note_last();
	return (int)((struct ib_user_mad *)umad)->agent_id;
}

SHIM_API int umad_poll(int fd, int timeout_ms)
{
	struct event e;

	(void)fd;
	if (!wait_for_arrival(timeout_ms, &e))
		return -ETIMEDOUT;
	event_add(e.due_ns, e.cell, e.status);
	return 0;
}

SHIM_API int umad_get_fd(int fd)
{
	return fd;
}

/* ---- libibumad: ports ------------------------------------------------------------------ */

SHIM_API int umad_init(void)
{
	return 0;
}

SHIM_API int umad_done(void)
{
	return 0;
}

SHIM_API int umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max)
{
	if (max < 1)
		return 0;
	strcpy(cas[0], CA_NAME);
	return 1;
}

static void fill_port(umad_port_t *port)
{
	memset(port, 0, sizeof(*port));
	strcpy(port->ca_name, CA_NAME);
	strcpy(port->link_layer, "InfiniBand");
	port->portnum = (int)shared->from.port;
	port->base_lid = shared->from.lid;
	port->sm_lid = shared->from.sm_lid;
	port->state = shared->from.state;
	port->phys_state = 5;
	port->rate = 100;
	port->gid_prefix = htobe64(shared->from.prefix);
	port->port_guid = htobe64(shared->from.port_guid);
}

SHIM_API int umad_get_port(const char *ca_name, int portnum, umad_port_t *port)
{
	(void)ca_name;
	(void)portnum;
	fill_port(port);
	return 0;
}

SHIM_API int umad_release_port(umad_port_t *port)
{
	(void)port;
	return 0;
}

SHIM_API int umad_get_ca(const char *ca_name, umad_ca_t *ca)
{
	static umad_port_t port;

	if (ca_name && strcmp(ca_name, CA_NAME))
		return -ENODEV;
	memset(ca, 0, sizeof(*ca));
	fill_port(&port);
	strcpy(ca->ca_name, CA_NAME);
	ca->node_type = shared->from.node_type;
	ca->numports = (int)shared->from.num_ports;
	ca->node_guid = ca->system_guid = htobe64(shared->from.node_guid);
	ca->ports[shared->from.port] = &port;
	return 0;
}

SHIM_API int umad_release_ca(umad_ca_t *ca)
{
	(void)ca;
	return 0;
}

SHIM_API int umad_get_ca_portguids(const char *ca_name, __be64 *portguids, int max)
{
	int n = (int)shared->from.num_ports + 1;

	(void)ca_name;
	if (max < n)
		return -ENOMEM;
	memset(portguids, 0, (size_t)n * sizeof(*portguids));
	portguids[shared->from.port] = htobe64(shared->from.port_guid);
	return n;
}

SHIM_API int umad_open_port(const char *ca_name, int portnum)
{
	(void)ca_name;
	(void)portnum;
	return PORT_FD;
}

SHIM_API int umad_close_port(int fd)
{
	(void)fd;
	return 0;
}

SHIM_API int umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version,
                           long method_mask[16 / sizeof(long)])
{
	static int agents;

	(void)fd;
	(void)mgmt_class;
	(void)mgmt_version;
	(void)rmpp_version;
	(void)method_mask;
	return agents++;
}

SHIM_API int umad_unregister(int fd, int agentid)
{
	(void)fd;
	(void)agentid;
	return 0;
}

/* ibcheck looks for ib_umad by its ABI version. */
SHIM_API int open(const char *path, int flags, ...)
{
	int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT,
	                                                                                  "open");
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	if (strcmp(path, IB_UMAD_ABI_DIR "/" IB_UMAD_ABI_FILE) == 0)
		path = "/dev/null";
	return real_open(path, flags, mode);
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static const char *setting(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu < 0)
		return;
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

__attribute__((constructor)) static void begin(void)
{
	struct server_opts opts = {
		.net = setting("IBBENCH_NET", NULL),
		.silent = strtoul(setting("IBBENCH_SILENT", "0"), NULL, 10),
		.busy = strtoul(setting("IBBENCH_BUSY", "0"), NULL, 10),
		.lanes = atoi(setting("IBBENCH_LANES", "0")),
		.tables = atoi(setting("IBBENCH_TABLES", "0")),
		.refuse_combined = atoi(setting("IBBENCH_REFUSE_COMBINED", "0")),
		.mute = strtoul(setting("IBBENCH_MUTE", "0"), NULL, 10),
		.sm = atoi(setting("IBBENCH_SM", "0")),
		.cpu = atoi(setting("IBBENCH_SERVER_CPU", "-1")),
	};

	if (!opts.net) {
		fprintf(stderr, "umad_shim: IBBENCH_NET is not set\n");
		exit(3);
	}
	rtt_ns = (uint64_t)(strtod(setting("IBBENCH_RTT_US", "100"), NULL) * 1000);
	loss = strtod(setting("IBBENCH_LOSS", "0"), NULL);
	firmware_ns = (uint64_t)(strtod(setting("IBBENCH_FIRMWARE_US", "0"), NULL) * 1000);
	opts.registers = firmware_ns;
	shared = server_start(&opts);
	if (!shared)
		exit(3);
	for (uint32_t i = 0; i < CELLS; i++)
		free_cells[num_free++] = CELLS - 1 - i;
	run_on(atoi(setting("IBBENCH_CPU", "-1")));
	getrusage(RUSAGE_SELF, &stats.at_ready);
	stats.ready_ns = now_ns();
}

static double cpu_s(const struct timeval *at_end, const struct timeval *at_start)
{
	return (double)(at_end->tv_sec - at_start->tv_sec) +
	       (double)(at_end->tv_usec - at_start->tv_usec) / 1e6;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = setting("IBBENCH_STATS", NULL);
	FILE *out = path ? fopen(path, "a") : NULL;
	struct rusage use;

	if (!out || !shared)
		return;
	getrusage(RUSAGE_SELF, &use);
	fprintf(out,
	        "{\"sent\":%lu,\"answered\":%lu,\"timed_out\":%lu,\"sweep_s\":%.6f,\"wall_s\":%.6f,"
	        "\"user_s\":%.6f,\"sys_s\":%.6f,\"waited_s\":%.6f,\"behind_s\":%.6f,"
	        "\"sweep_cpu_s\":%.6f,\"rss_kb\":%ld,\"node_info\":%lu,\"node_desc\":%lu,"
	        "\"switch_info\":%lu,\"port_info\":%lu,\"other\":%lu}\n",
	        stats.sent, stats.answered, stats.timed_out,
	        (double)(stats.last_ns - stats.first_ns) / 1e9,
	        (double)(now_ns() - stats.ready_ns) / 1e9,
	        cpu_s(&use.ru_utime, &stats.at_ready.ru_utime),
	        cpu_s(&use.ru_stime, &stats.at_ready.ru_stime), (double)stats.waited_ns / 1e9,
	        (double)stats.behind_ns / 1e9,
	        (double)(stats.cpu_last_ns - stats.cpu_first_ns - stats.waited_at_end_ns) / 1e9,
	        use.ru_maxrss, shared->counts[MODEL_NODE_INFO], shared->counts[MODEL_NODE_DESC],
	        shared->counts[MODEL_SWITCH_INFO], shared->counts[MODEL_PORT_INFO],
	        shared->counts[MODEL_EXT_PORT_INFO] + shared->counts[MODEL_OTHER]);
	fclose(out);
}
