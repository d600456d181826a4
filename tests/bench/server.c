/* SPDX-License-Identifier: BSD-2-Clause */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <ibcheck/ibcheck.h>

#include "bench/server.h"
#include "fabric/build.h"
#include "model/planted.h"
#include "model/sa.h"

static void describe(struct shared *sh, const struct ibc_port *from)
{
	const struct ibc_port *base = from;

	sh->from.node_guid = from->node->guid;
	sh->from.port_guid = base->guid;
	sh->from.prefix = base->subnet_prefix ? base->subnet_prefix : 0xfe80000000000000;
	sh->from.lid = base->lid;
	sh->from.sm_lid = base->sm_lid;
	sh->from.state = base->state ? base->state : IBC_STATE_ACTIVE;
	sh->from.node_type = from->node->type;
	sh->from.num_ports = from->node->num_ports;
	sh->from.port = from->num;
}

/* The normal state of a fabric in use: XmitWait and XmitDiscards everywhere. */
static struct ibc_counters busy = {
	.value = { [IBC_XMIT_WAIT] = 100000,
	           [IBC_XMIT_DISCARDS] = 7,
	           [IBC_XMIT_DATA] = 1ull << 40,
	           [IBC_RCV_DATA] = 1ull << 40,
	           [IBC_SW_HOQ_DISCARDS] = 7 },
	.known = UINT32_MAX,
};

static void make_busy(const struct ibc_fabric *fab)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		if (p->peer)
			((struct ibc_port *)p)->counters = &busy;
}

/* Spread evenly over switches and hosts. */
static void give_registers(struct model *m, const struct ibc_fabric *fab, size_t mute)
{
	size_t nodes = ibc_fabric_count(fab).nodes;

	model_cables(m, fab, 1);
	for (size_t i = 0; i < mute; i++)
		model_registers(m, ibc_fabric_node(fab, nodes * (2 * i + 1) / (2 * mute)))->silent =
		    true;
}

static struct ibc_fabric *load(struct shared *sh, const struct server_opts *opts)
{
	struct ibc_source_opts how = IBC_SOURCE_OPTS_INIT;
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;

	if (opts->registers)
		return model_planted_fabric(opts->net);
	how.needs = opts->tables ? IBC_ATTRS(IBC_ATTR_GENERAL_INFO, IBC_ATTR_LFT)
	                         : IBC_ATTRS(IBC_ATTR_GENERAL_INFO);
	if (ibc_fabric_load(&opts->net, 1, &how, &fab, &err)) {
		snprintf(sh->failure, sizeof(sh->failure), "%s", err.text);
		return NULL;
	}
	return fab;
}

/* One table for all, and one weight. */
static void give_lanes(const struct ibc_fabric *fab)
{
	static const uint8_t vl[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7 };
	static const struct ibc_sl2vl lanes = { vl, 256, true };
	static const struct ibc_vl_slot slots[16] = {
		{ 0, 4 }, [8] = { 1, 4 }, { 2, 4 }, { 3, 4 }, { 4, 4 }, { 5, 4 }, { 6, 4 }, { 7, 4 }
	};
	static const struct ibc_arbitration arbitration = { slots, 8, 8 };
	const struct ibc_port *port;

	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++) {
		struct ibc_port *p = (struct ibc_port *)port;

		((struct ibc_node *)p->node)->sl2vl = &lanes;
		p->arb_high_cap = p->arb_low_cap = 8;
		port_extra(p)->arbitration = &arbitration;
	}
}

/* A group is the ports to one switch, by the lowest of them. */
static const struct ibc_port_set *const *groups_of(const struct ibc_node *sw)
{
	const struct ibc_port_set **groups = calloc(256, sizeof(*groups));
	struct ibc_port_set *sets = calloc(256, sizeof(*sets));

	for (unsigned int p = 1; groups && sets && p <= sw->num_ports; p++) {
		const struct ibc_port *far = sw->ports[p].peer;

		groups[p] = &sets[p];
		for (unsigned int k = 1; far && k <= sw->num_ports; k++)
			if (sw->ports[k].peer && sw->ports[k].peer->node == far->node)
				sets[p].words[k / 64] |= 1ull << k % 64;
	}
	return groups;
}

static void fill_block(const struct ibc_forwarding *f, size_t column, size_t block,
                       uint16_t *entries)
{
	const struct ibc_node *sw = f->switches[column];

	for (size_t i = 0; i < 64; i++) {
		unsigned int out = f->out[(64 * block + i) * f->stride + column];
		const struct ibc_port *far = out && out <= sw->num_ports ? sw->ports[out].peer
		                                                         : NULL;

		entries[i] = (uint16_t)(far && far->node->type == IBC_NODE_SWITCH
		                            ? IBC_AR_ENTRY_FREE << 14 | out
		                            : IBC_AR_ENTRY_STATIC << 14);
	}
}

static void give_adaptive(struct model *m, const struct ibc_fabric *fab)
{
	static const struct ibc_ar_info on = {
		.flags = IBC_AR_ENABLED, .group_cap = 2048, .group_top = 255, .sub_groups = 1
	};
	struct ibc_forwarding *f = (struct ibc_forwarding *)ibc_fabric_subnet(fab, 0)->forwarding;
	size_t blocks = (f->num_lids + 63) / 64;
	struct ibc_ar_switch *switches = calloc(f->num_switches, sizeof(*switches));
	const uint16_t **all = calloc(blocks * f->stride, sizeof(*all));
	struct ibc_ar_tables *ar = calloc(1, sizeof(*ar));

	for (size_t s = 0; switches && all && ar && s < f->num_switches; s++) {
		struct ibc_node *sw = (struct ibc_node *)f->switches[s];
		uint16_t(*own)[64] = calloc(blocks, sizeof(*own));

		switches[s].groups = groups_of(sw);
		switches[s].num_groups = 256;
		for (size_t b = 0; own && b < blocks; b++) {
			fill_block(f, s, b, own[b]);
			all[b * f->stride + s] = own[b];
		}
		sw->ar = &on;
		model_registers(m, sw)->smp[0] = 1u << IBC_SMP_AR_REV1;
	}
	*ar = (struct ibc_ar_tables){ switches, all };
	f->ar = ar;
}

/* At the port that all name as their master, as OpenSM would; or none, and no SA, any more. */
static void give_manager(struct model *m, const struct ibc_fabric *fab, int how)
{
	static struct ibc_sm_info master = {
		.act_count = 1, .act_count_later = 2, .priority = 14, .state = IBC_SM_MASTER
	};
	unsigned int lid = model_from(m)->sm_lid;
	const struct ibc_port *port = ibc_fabric_port_by_lid(ibc_fabric_subnet(fab, 0), lid);

	model_sa(m)->silent = how == 2;
	if (how != 1 || !port)
		return;
	master.guid = port->guid;
	((struct ibc_port *)port)->cap_mask |= 2; /* IsSM */
	port_extra((struct ibc_port *)port)->sm = &master;
}

static struct model *build(struct shared *sh, const struct server_opts *opts)
{
	struct ibc_fabric *fab = load(sh, opts);
	struct model *m;

	if (!fab)
		return NULL;
	if (opts->busy)
		make_busy(fab);
	if (opts->lanes == 1)
		give_lanes(fab);
	m = model_new(fab, NULL);
	if (opts->sm)
		give_manager(m, fab, opts->sm);
	if (opts->lanes == 2)
		give_adaptive(m, fab);
	if (opts->registers)
		give_registers(m, fab, opts->mute);
	model_silence_cas(m, opts->silent);
	if (opts->refuse_combined)
		model_refuse_combined(m);
	describe(sh, model_from(m));
	return m;
}

/* With each answer: so many thousands until the same port is asked again. */
static void go_on(unsigned long how)
{
	if (how > 1) {
		busy.value[IBC_XMIT_DATA] += 1 << 20;
		busy.value[IBC_RCV_DATA] += 1 << 20;
		busy.value[IBC_XMIT_WAIT] += 100;
	}
	if (how > 2)
		busy.value[IBC_XMIT_DISCARDS]++;
}

/* Never sleeps: a pause here would be latency that nobody asked for. */
static void serve(struct shared *sh, struct model *m, unsigned long busy_how)
{
	for (uint32_t next = 0;; next++) {
		struct cell *cell;
		int device;

		while (atomic_load_explicit(&sh->asked, memory_order_acquire) == next)
			spin();
		cell =
		    &sh->cell[atomic_load_explicit(&sh->turn[next % CELLS], memory_order_relaxed)];
		go_on(busy_how);
		device = model_answer(m, &cell->to, cell->mad);
		for (size_t i = 0; i < MODEL_COUNTS; i++)
			sh->counts[i] = model_asked(m, i);
		atomic_store_explicit(&cell->device, device, memory_order_release);
	}
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (cpu >= 0)
		sched_setaffinity(0, sizeof(set), &set);
}

struct shared *server_start(const struct server_opts *opts)
{
	struct shared *sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
	                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct model *m;

	if (sh == MAP_FAILED) {
		perror("umad_shim: mmap");
		return NULL;
	}
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(opts->cpu);
		m = build(sh, opts);
		sh->ready = m ? 1 : -1;
		if (m)
			serve(sh, m, opts->busy);
		_exit(1);
	}
	while (!sh->ready)
		usleep(1000);
	if (sh->ready == 1)
		return sh;
	fprintf(stderr, "umad_shim: %s\n", sh->failure);
	return NULL;
}
