/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Discovery: from one local port outwards, every question overlapped with every
 * other.  A NodeInfo answer names a device and the port it was reached through;
 * its ports are asked; each that is LinkUp is asked what lies beyond it, unless
 * the other side has told already.
 *
 * Devices are reached by directed routes until their LID is known.  Directed
 * routes load the SMI of every switch on the way, the host's own leaf above all,
 * so from then on questions go LID-routed, and probes by a combined route: LID to
 * the switch, one directed hop.  Either is given up for good where it does not
 * work.  Should two devices claim a LID over which something was already learned,
 * that may have come from the wrong one: the sweep starts over, directed only.
 */
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/engine.h"
#include "fabric/build.h"
#include "source/kinds.h"
#include "source/source.h"
#include "source/sweep.h"
#include "transport/transport.h"
#include "wire/smp.h"

/* What is asked on demand of subnet management. */
#define ASKED_BY_SMP                                                                               \
	(IBC_ATTR_SM_INFO | IBC_ATTR_PKEY_TABLE | IBC_ATTR_LFT | IBC_ATTR_MFT | IBC_ATTR_SL2VL)

/* ---- devices -------------------------------------------------------------- */

static struct site *site_new(struct sweep *s, const struct node_info *ni, struct question *q)
{
	unsigned int hops = q->site ? q->site->hops + 1u : 0;
	struct site *site = arena_alloc(s->scratch, sizeof(*site) + hops);
	struct ibc_node *node = fabric_build_node(s->b, s->plane, ni->node_guid, ni->type,
	                                          ni->num_ports);

	if (!site || !node) {
		s->out_of_memory = true;
		return NULL;
	}
	node->system_guid = ni->system_guid;
	node->vendor_id = ni->vendor_id;
	node->device_id = ni->device_id;
	node->revision = ni->revision;
	node->pkey_cap = ni->pkey_cap;
	fabric_build_port(node, ni->type == IBC_NODE_SWITCH ? 0 : ni->local_port)->guid =
	    ni->port_guid;
	site->node = node;
	site->first = ni->type == IBC_NODE_SWITCH ? 0 : ni->local_port;
	site->beyond.patient = true;
	site->hops = (uint8_t)hops;
	if (hops) {
		memcpy(site->path, q->site->path, hops - 1);
		site->path[hops - 1] = q->port;
	}
	site->next = s->sites;
	s->sites = site;
	s->num_nodes++;
	return site;
}

/*
 * A device of this GUID is known: the cable ends at it, unless its port there has
 * another cable or no link.  Then this is another device with the same GUID.
 */
static bool is_known_device(struct question *q, const struct ibc_node *node,
                            const struct node_info *ni)
{
	struct ibc_port *far = fabric_build_port(node, ni->local_port);
	bool is_news;

	if (!far || far == port_of(q))
		return far;
	if (far->phys_state != IBC_PHYS_UNKNOWN && far->phys_state != IBC_PHYS_LINKUP)
		return false;
	is_news = !far->peer;
	if (fabric_build_link(port_of(q), far))
		return false;
	if (is_news)
		port_joined(q->sweep, far);
	if (ni->type != IBC_NODE_SWITCH)
		far->guid = ni->port_guid;
	return true;
}

static bool makes_sense(const struct node_info *ni)
{
	if (ni->type < IBC_NODE_CA || ni->type > IBC_NODE_ROUTER || ni->num_ports == 0)
		return false;
	return ni->local_port <= ni->num_ports && (ni->local_port || ni->type == IBC_NODE_SWITCH);
}

static bool learn_node_info(struct question *q, const uint8_t *data)
{
	struct sweep *s = q->sweep;
	struct node_info ni;
	const struct ibc_node *known;
	struct site *site;

	node_info_get(data, &ni);
	if (!makes_sense(&ni))
		return false;
	if (q->site) {
		/* every device of the GUID: duplicates are told apart by their cables */
		for (known = fabric_build_find(s->b, s->plane, ni.node_guid); known;
		     known = fabric_build_find_next(known))
			if (is_known_device(q, known, &ni))
				return true;
		if (q->site->hops == SMP_MAX_HOPS - 1)
			return false;
	}
	site = site_new(s, &ni, q);
	if (!site)
		return true;
	if (q->site)
		fabric_build_link(port_of(q), fabric_build_port(site->node, ni.local_port));
	else
		s->plane->origin = fabric_build_port(site->node, ni.local_port);
	ask(s, site, &topic_port_info, site->first);
	return true;
}

static bool learn_node_desc(struct question *q, const uint8_t *data)
{
	fabric_build_desc(q->sweep->b, q->site->node, (const char *)data, SMP_DATA_SIZE);
	return true;
}

static bool learn_switch_info(struct question *q, const uint8_t *data)
{
	struct ibc_node *node = q->site->node;
	struct switch_info si;

	switch_info_get(data, &si);
	node->lft_cap = si.lft_cap;
	node->lft_top = si.lft_top;
	node->mft_cap = si.mft_cap;
	node->mft_top = si.mft_top;
	node->pkey_enforce_cap = si.pkey_enforce_cap;
	node->enhanced_port0 = si.enhanced_port0;
	return true;
}

const struct topic topic_node_info = {
	.attribute = SMP_NODE_INFO,
	.attr = IBC_ATTR_NODE_INFO,
	.learn = learn_node_info,
};

const struct topic topic_node_desc = {
	.attribute = SMP_NODE_DESC,
	.attr = IBC_ATTR_NODE_DESC,
	.learn = learn_node_desc,
};

const struct topic topic_switch_info = {
	.attribute = SMP_SWITCH_INFO,
	.attr = IBC_ATTR_SWITCH_INFO,
	.learn = learn_switch_info,
};

/* ---- the sweep ------------------------------------------------------------ */

static void tick(void *ctx)
{
	const struct sweep *s = ctx;
	struct ibc_sweep so_far;

	engine_stats(s->engine, &so_far);
	s->opts->progress(s->opts->progress_ctx, so_far.answered, engine_open(s->engine),
	                  s->num_nodes);
}

/* What the sweeps have taken so far: of other planes, and of this one. */
static double spent_seconds(struct fabric_build *b)
{
	const struct ibc_plane *plane;
	double sum = 0;

	for (size_t i = 0; (plane = fabric_build_plane_at(b, i)); i++)
		sum += plane->sweep.duration_seconds;
	return sum;
}

/*
 * The deadline is one for all planes, and for what is swept again; 0: none.  What is
 * past counts as the last moment.
 */
static uint64_t deadline_left_ns(struct fabric_build *b, const struct ibc_source_opts *opts)
{
	double left = opts->deadline_seconds - spent_seconds(b);

	if (opts->deadline_seconds <= 0)
		return 0;
	if (opts->again)
		left -= opts->again->spent_seconds;
	return left > 1e-9 ? (uint64_t)(left * 1e9) : 1;
}

bool sweep_has_time(const struct sweep *s, uint64_t ns)
{
	uint64_t left_ns = deadline_left_ns(s->b, s->opts);

	return !left_ns || left_ns / 2 > ns / 2 + s->opts->timeout_ms * 500000ull;
}

/* ---- the steps of a sweep ------------------------------------------------- */

static void ask_start(struct sweep *s)
{
	ask(s, NULL, &topic_node_info, 0);
}

/* What was put off by a sweep that trusts no LID before it knows all. */
static void ask_put_off(struct sweep *s)
{
	if (s->counting)
		return;
	s->counting = true;
	for (struct site *site = s->sites; site; site = site->next) {
		firmware_ask(s, site);
		for (unsigned int p = 1; p <= site->node->num_ports; p++)
			count_port(s, site, fabric_build_port(site->node, p));
	}
}

/* Counters are cleared when all have been read: attributes share counters. */
static void (*const steps[])(struct sweep *s) = {
	ask_start, sm_ask_rest,       ask_put_off,    forwarding_ask, multicast_ask, partitions_ask,
	lanes_ask, sa_ask_class_info, sa_ask_records, sa_ask_paths,   sm_ask_origin, sm_ask_again,
	sm_wait,   sm_ask_again,      sm_wait_longer, sm_ask_again,   clear_all,
};

/* Runs until all that is asked has an outcome. */
static int ask_all(struct sweep *s, struct ibc_error *err)
{
	void (*on_tick)(void *ctx) = s->opts->progress ? tick : NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (s->misled || s->out_of_memory || engine_cut_short(s->engine))
			break;
		steps[i](s);
		engine_stats(s->engine, &s->plane->sweep);
		engine_set_deadline(s->engine, deadline_left_ns(s->b, s->opts));
		rc = engine_run(s->engine, on_tick, s, err);
	}
	multicast_finish(s);
	sa_finish(s);
	count_finish(s);
	firmware_finish(s);
	kinds_free(s);
	return rc;
}

static int sweep_again(struct sweep *s, struct ibc_error *err, const char *why)
{
	s->opts->again->wanted = true;
	s->opts->again->spent_seconds += spent_seconds(s->b);
	return fail(err, -EAGAIN, "%s", why);
}

/* Once more, by directed routes only, unless that was done before. */
static int judge_misled(struct sweep *s, struct ibc_error *err)
{
	const char *why = "two devices claim one LID";

	if (s->directed_only || !s->opts->again)
		return fail(err, -EAGAIN, "%s", why);
	s->opts->again->directed_only = true;
	return sweep_again(s, err, why);
}

/* Once more if another manager took over, unless that was done before, or cannot be. */
static int judge_handover(struct sweep *s, struct ibc_error *err)
{
	struct source_again *so_far = s->opts->again;
	uint64_t plane = s->plane->index < 64 ? 1ull << s->plane->index : 0;
	uint64_t spent_ns = (uint64_t)(s->plane->sweep.duration_seconds * 1e9);

	s->plane->handovers = so_far && so_far->handed_over & plane;
	if (!sm_handed_over(s) || s->opts->clear)
		return 0;
	if (s->plane->handovers || !so_far || !plane || !sweep_has_time(s, spent_ns)) {
		s->plane->handovers = 2;
		return 0;
	}
	so_far->handed_over |= plane;
	return sweep_again(s, err, "another subnet manager took over");
}

static int sweep_run(struct sweep *s, struct ibc_error *err)
{
	int rc = ask_all(s, err);

	if (rc)
		return rc;
	if (s->out_of_memory)
		return fail_nomem(err);
	engine_stats(s->engine, &s->plane->sweep);
	if (s->misled)
		return judge_misled(s, err);
	s->plane->cut_short = engine_cut_short(s->engine);
	if (!s->plane->origin && !s->plane->cut_short)
		return fail(err, -ETIMEDOUT,
		            "%s port %u does not answer: is its driver alive? "
		            "Try ibstat, and the kernel's log",
		            s->plane->ca, s->plane->ca_port);
	return judge_handover(s, err);
}

/* The plane as it is before the first question. */
static struct ibc_plane *plane_new(struct fabric_build *b, const struct transport_port *from,
                                   const char *spec)
{
	struct ibc_plane *plane = fabric_build_plane(b, spec, "umad");
	char host[HOST_NAME_MAX + 1];

	if (!plane)
		return NULL;
	if (gethostname(host, sizeof(host)) == 0)
		plane->host = arena_strdup(fabric_build_arena(b), host);
	plane->ca = arena_strdup(fabric_build_arena(b), from->ca);
	plane->ca_port = (uint8_t)from->port;
	plane->provides = IBC_ATTR_NODE_INFO | IBC_ATTR_NODE_DESC | IBC_ATTR_SWITCH_INFO |
	                  IBC_ATTR_PORT_INFO | IBC_ATTR_MLNX_EXT_PORT_INFO | IBC_ATTR_LINK;
	return plane->ca ? plane : NULL;
}

/* Counters are asked for all or none; by lane only if somebody wants that. */
static uint32_t counters_needed(uint32_t needs)
{
	return needs & IBC_ATTRS_PERF ? IBC_ATTRS_COUNTERS | (needs & IBC_ATTR_VL_XMIT_WAIT) : 0;
}

static void start_clock(struct sweep *s)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	s->plane->time = (uint64_t)now.tv_sec;
	s->start_fraction = (double)now.tv_nsec / 1e9;
	s->start_ns = s->transport->ops->now_ns(s->transport);
}

/* What a sweep needs beside the engine; false when out of memory. */
static bool sweep_init(struct sweep *s, const struct transport_port *from, const char *spec)
{
	s->plane = plane_new(s->b, from, spec);
	s->scratch = arena_new();
	if (!s->plane || !s->scratch)
		return false;
	s->by_lid = arena_array(s->scratch, UNICAST_LID_MAX + 1, sizeof(struct site *));
	s->nobody = arena_alloc(s->scratch, sizeof(*s->nobody));
	s->needs = counters_needed(s->opts->needs) | (s->opts->needs & ASKED_BY_SMP) |
	           (s->opts->needs & IBC_ATTR_GENERAL_INFO);
	s->needs |= s->opts->needs & ASKED_OF_SA;
	if (s->opts->tables)
		s->needs &= ~(uint32_t)IBC_ATTR_LFT;
	s->plane->provides |= s->needs;
	s->directed_only = s->opts->directed_only ||
	                   (s->opts->again && s->opts->again->directed_only);
	s->counting = !s->directed_only;
	start_clock(s);
	return s->by_lid && s->nobody;
}

int discover(struct transport *t, const struct transport_port *from, const char *spec,
             const struct ibc_source_opts *opts, struct fabric_build *b, struct ibc_error *err)
{
	const struct engine_opts engine_opts = {
		.window = opts->window,
		.per_device = opts->per_device,
		.timeout_ms = opts->timeout_ms,
		.may_clear = opts->clear != 0,
	};
	struct sweep s = { .opts = opts, .b = b, .transport = t };
	int rc;

	if (sweep_init(&s, from, spec))
		rc = engine_new(t, &engine_opts, &s.engine, err);
	else
		rc = fail_nomem(err);
	if (rc == 0)
		rc = sweep_run(&s, err);
	engine_free(s.engine);
	arena_free(s.scratch);
	return rc;
}
