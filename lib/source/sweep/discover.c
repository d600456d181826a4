/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Discovery: from one local port outwards, every query overlapped with every
 * other.  A NodeInfo answer names a device and the port it was reached through;
 * its ports are asked; each that is LinkUp is asked what lies beyond it, unless
 * the other side has answered that already.
 *
 * Devices are reached by directed routes until their LID is known.  Directed
 * routes load the SMI of every switch on the way, the host's own leaf above all,
 * so from then on queries go LID-routed, and probes by a combined route: LID to
 * the switch, one directed hop.  Either is given up for good where it does not
 * work.  Should two devices claim a LID over which something was already learned,
 * that may have come from the wrong one: the sweep starts over, directed only.
 */
#include <limits.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/engine.h"
#include "fabric/build.h"
#include "source/source.h"
#include "source/sweep/keys.h"
#include "source/sweep/models.h"
#include "source/sweep/sweep.h"
#include "transport/transport.h"
#include "wire/smp.h"

/*
 * struct discovery - a sweep, and what it is begun with
 * @from, @spec: as of discover_subnet()
 */
struct discovery {
	struct sweep sweep;
	const struct transport_port *from;
	const char *spec;
};

/* ---- the steps of a sweep ------------------------------------------------- */

static void report_progress(void *ctx)
{
	const struct sweep *s = ctx;
	struct ibc_sweep so_far;

	engine_stats(s->engine, &so_far);
	if (!s->opts->progress(s->opts->progress_ctx, so_far.answered, engine_open(s->engine),
	                       s->num_nodes))
		engine_stop(s->engine);
}

/*
 * A subnet manager that is gone is silent as the SA as well, and a device that is may be its host:
 * while one query waits out its time the other one does, too.
 */
static void ask_in_silence(void *ctx)
{
	struct sweep *s = ctx;
	const struct ibc_port *origin = s->subnet->origin;

	if (origin && ibc_port_has(origin, IBC_ATTR_PORT_INFO) &&
	    ibc_attrs_has(s->needs, IBC_ATTR_SA_CLASS_PORT_INFO))
		sa_ask_class_info(s);
}

static void ask_start(struct sweep *s)
{
	query_ask(s, NULL, &handler_node_info, 0);
}

/* What was put off by a sweep that trusts no LID before it knows all. */
static void ask_put_off(struct sweep *s)
{
	if (s->counting)
		return;
	s->counting = true;
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		sweep_at_node(s, dev);
		for (unsigned int p = 1; p <= dev->node->num_ports; p++)
			sweep_at_port(s, dev, fabric_build_port(dev->node, p));
	}
}

/*
 * Who asks for what, in the order of the steps; every attribute is in a row.  Counters are
 * cleared when all have been read: attributes share counters.
 */
const struct sweep_part sweep_parts[] = {
	{
	    IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC, IBC_ATTR_SWITCH_INFO,
	              IBC_ATTR_PORT_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO, IBC_ATTR_LINK,
	              IBC_ATTR_PORT_STATE),
	    .step = ask_start,
	},
	{
	    IBC_ATTRS(IBC_ATTR_GENERAL_INFO),
	    .put_off = true,
	    .at_node = firmware_ask,
	    .finish = firmware_finish,
	},
	{
	    IBC_ATTRS(IBC_ATTR_PERF_CLASS_PORT_INFO, IBC_ATTR_PORT_COUNTERS,
	              IBC_ATTR_PORT_COUNTERS_EXT, IBC_ATTR_RCV_ERROR_DETAILS,
	              IBC_ATTR_XMIT_DISCARD_DETAILS, IBC_ATTR_PORT_SAMPLES_CONTROL,
	              IBC_ATTR_VL_XMIT_WAIT),
	    .put_off = true,
	    .at_port = count_port,
	    .finish = count_finish,
	},
	{ IBC_ATTRS(IBC_ATTR_GENERAL_INFO_SMP), .at_node = smp_info_at_node },
	{ IBC_ATTRS(IBC_ATTR_SM_INFO), .at_port = sm_port, .step = sm_ask_rest },
	{ .step = ask_put_off },
	{ .step = alive_ask },
	{ IBC_ATTRS(IBC_ATTR_LFT), .step = forwarding_ask },
	{ IBC_ATTRS(IBC_ATTR_MFT), .step = multicast_ask, .finish = multicast_finish },
	{ IBC_ATTRS(IBC_ATTR_PKEY_TABLE), .step = partitions_ask },
	{ IBC_ATTRS(IBC_ATTR_SL2VL), .step = sl2vl_ask },
	{ IBC_ATTRS(IBC_ATTR_AR_INFO), .step = ar_ask },
	{ IBC_ATTRS(IBC_ATTR_VPORTS), .step = vports_ask },
	{ IBC_ATTRS(IBC_ATTR_ROUTER_INFO), .step = routers_ask },
	{ IBC_ATTRS(IBC_ATTR_EXT_NODE_INFO), .at_node = planes_at_node, .step = ext_node_ask },
	{ IBC_ATTRS(IBC_ATTR_PRIVATE_LFT), .step = ar_private_ask },
	{
	    IBC_ATTRS(IBC_ATTR_AR_GROUPS, IBC_ATTR_AR_LFT),
	    .step = ar_tables_ask,
	    .finish = ar_tables_finish,
	},
	{ IBC_ATTRS(IBC_ATTR_AR_LFT), .step = ar_static_again },
	{ IBC_ATTRS(IBC_ATTR_AR_LFT), .step = ar_tables_again },
	{ IBC_ATTRS(IBC_ATTR_HCA_SL2VL), .step = hca_sl2vl_ask },
	{ IBC_ATTRS(IBC_ATTR_VL_ARBITRATION), .step = arbitration_ask },
	{
	    IBC_ATTRS(IBC_ATTR_SA_CLASS_PORT_INFO, IBC_ATTR_PATH_RECORD, IBC_ATTR_MC_MEMBER_RECORD,
	              IBC_ATTR_SERVICE_RECORD),
	    .step = sa_ask_class_info,
	    .finish = sa_finish,
	},
	{
	    IBC_ATTRS(IBC_ATTR_PATH_RECORD, IBC_ATTR_MC_MEMBER_RECORD, IBC_ATTR_SERVICE_RECORD),
	    .step = sa_ask_records,
	},
	{ IBC_ATTRS(IBC_ATTR_PATH_RECORD), .step = sa_ask_paths },
	{
	    IBC_ATTRS(IBC_ATTR_PHY_ERRORS, IBC_ATTR_PHY_FEC_BLOCKS, IBC_ATTR_PHY_RECOVERIES,
	              IBC_ATTR_PHY_PLR, IBC_ATTR_PHY_FEC_HISTOGRAM, IBC_ATTR_PHY_FEC_BINS,
	              IBC_ATTR_PHY_LENGTH),
	    .put_off = true,
	},
	{
	    IBC_ATTRS(IBC_ATTR_PHY_STATE, IBC_ATTR_PHY_WHY_DOWN, IBC_ATTR_PHY_TRAINING,
	              IBC_ATTR_PHY_LAST_DOWN, IBC_ATTR_PHY_LINK_UP),
	    .put_off = true,
	},
	{ IBC_ATTRS(IBC_ATTR_PHY_MODULE, IBC_ATTR_PHY_MODULE_LATCHES), .put_off = true },
	{
	    IBC_ATTRS(IBC_ATTR_PHY_TEMPERATURE, IBC_ATTR_PHY_FANS, IBC_ATTR_PHY_FAN_ALARMS),
	    .put_off = true,
	},
	/* which ports have a cage, before registers of what is in it are asked for */
	{ IBC_ATTRS(IBC_ATTR_PHY_EXT_PORT), .step = ext_port_ask },
	{ .step = phy_ask, .finish = phy_finish },
	{ .step = sm_ask_origin },
	{ .step = sm_ask_again },
	{ .step = sm_wait },
	{ .step = sm_ask_again },
	{ .step = sm_wait_longer },
	{ .step = sm_ask_again },
	{ IBC_ATTRS(IBC_ATTR_SERVICE_RECORD), .step = sa_ask_services_again },
	{ .step = clear_all },
};
const size_t sweep_num_parts = sizeof(sweep_parts) / sizeof(sweep_parts[0]);

/*
 * The deadline came in this part: some of it was not read, and nothing of what comes later.  Who
 * governs is looked at until the end.
 */
static void note_lost(struct sweep *s, size_t part)
{
	struct ibc_attrs lost = IBC_ATTRS(IBC_ATTR_SM_INFO);

	for (size_t i = 0; i < s->num_parts; i++)
		if (i >= part || s->parts[i].put_off)
			lost = ibc_attrs_or(lost, s->parts[i].of);
	s->subnet->lost_of = ibc_attrs_and(lost, s->needs);
}

/* Runs until all that is asked has an outcome. */
static int ask_all(struct sweep *s)
{
	void (*on_tick)(void *ctx) = s->opts->progress ? report_progress : NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->num_parts; i++) {
		const struct sweep_part *part = &s->parts[i];
		char names[256] = "";
		size_t n = 0;

		if (s->lid_conflict || s->endless || engine_cut_short(s->engine))
			break;
		if (!part->step || !sweep_wants(s, part))
			continue;
		for (enum ibc_attr a = 0; (a = ibc_attrs_next(part->of, a)) && n < sizeof(names);)
			n += (size_t)snprintf(names + n, sizeof(names) - n, " %s",
			                      ibc_attr_name(a));
		TRACE(s->opts->trace, IBC_TRACE_DISCOVERY, "part %zu of %zu begun:%s", i + 1,
		      s->num_parts, n ? names : " a step of its own");
		part->step(s);
		engine_stats(s->engine, &s->subnet->sweep);
		engine_set_deadline(s->engine, sweep_left_ns(s));
		engine_when_silent(s->engine, ask_in_silence, s);
		rc = engine_run(s->engine, on_tick, s, s->err);
		if (engine_cut_short(s->engine))
			note_lost(s, i);
	}
	for (size_t i = 0; i < s->num_parts; i++)
		if (s->parts[i].finish)
			s->parts[i].finish(s);
	return rc;
}

static int sweep_again(struct sweep *s, const char *why)
{
	TRACE(s->opts->trace, IBC_TRACE_DISCOVERY, "sweep again: %s", why);
	s->opts->again->wanted = true;
	s->opts->again->spent_seconds += sweep_spent_seconds(s);
	return fail(s->err, -EAGAIN, "%s", why);
}

/* A device that gives wrong answers has no end; what was seen of the others is no subnet either. */
static int fail_endless(const struct sweep *s, struct ibc_error *err)
{
	const struct ibc_port *at = s->endless_at;
	const char *desc = at->node->desc ?: "", *blank = *desc ? " " : "";

	if (s->led_to.node_guid)
		return fail(err, -E2BIG,
		            "0x%016" PRIx64 "/%u%s%s led to 0x%016" PRIx64 "/%u, and when asked "
		            "again to 0x%016" PRIx64 "/%u: sweep again; if this comes again, and "
		            "no cable was moved, one of these devices gives wrong answers",
		            at->node->guid, at->num, blank, desc, at->peer->node->guid,
		            at->peer->num, s->led_to.node_guid, s->led_to.local_port);
	return fail(err, -E2BIG,
	            "the fabric has no end: after %zu devices with %zu ports there are still more, "
	            "the last behind 0x%016" PRIx64 "/%u%s%s; a subnet has at most %u LIDs: a "
	            "device answers for others, or for itself again and again",
	            s->num_nodes, s->num_ports, at->node->guid, at->num, blank, desc,
	            UNICAST_LID_MAX);
}

/* What came of it: 0, or why the subnet is not complete. */
static int sweep_verdict(struct sweep *s)
{
	struct ibc_error *err = s->err;
	struct source_again *so_far;
	uint64_t subnet, spent_ns;

	engine_stats(s->engine, &s->subnet->sweep);
	if (s->endless)
		return fail_endless(s, err);
	if (s->lid_conflict) {
		const char *why = "two devices claim one LID";

		/* Once more, by directed routes only, unless that was done before. */
		if (s->directed_only || !s->opts->again)
			return fail(err, -EAGAIN, "%s", why);
		s->opts->again->directed_only = true;
		return sweep_again(s, why);
	}
	s->subnet->cut_short = engine_cut_short(s->engine);
	if (!s->subnet->origin && !s->subnet->cut_short) {
		const char *ca = s->subnet->ca;
		unsigned int port = s->subnet->ca_port;
		uint64_t key;

		/* Nothing else can be asked; a protected port is silent to its own host as well. */
		if (!s->opts->keys)
			return fail(
			    err, -ETIMEDOUT,
			    "%s port %u does not answer: check its driver with ibstat, and see the "
			    "kernel log; or an M_Key protects it: give --key-files, or the key "
			    "with -y",
			    ca, port);
		if (keys_find(s->opts->keys, KEYS_M, s->own_guid, 0, &key))
			return fail(
			    err, -ETIMEDOUT,
			    "%s port %u does not answer to its M_Key in %s/guid2mkey: the key was "
			    "changed since, or see ibstat and the kernel log",
			    ca, port, keys_directory(s->opts->keys));
		return fail(
		    err, -ETIMEDOUT,
		    "%s port %u does not answer, and %s/guid2mkey has no M_Key for its port GUID "
		    "0x%016" PRIx64 ": the files are of another fabric or too old, or see ibstat",
		    ca, port, keys_directory(s->opts->keys), s->own_guid);
	}
	/* Once more if another manager took over, unless that was done before, or cannot be. */
	so_far = s->opts->again;
	subnet = s->subnet->index < 64 ? 1ull << s->subnet->index : 0;
	spent_ns = (uint64_t)(s->subnet->sweep.duration_seconds * 1e9);
	s->subnet->handovers = so_far && so_far->handed_over & subnet;
	if (!sm_handed_over(s) || s->opts->clear)
		return 0;
	if (s->subnet->handovers || !so_far || !subnet || !sweep_has_time(s, spent_ns)) {
		s->subnet->handovers = 2;
		return 0;
	}
	so_far->handed_over |= subnet;
	return sweep_again(s, "another subnet manager took over");
}

/* The subnet before the first query, and what a sweep of it needs beside the engine. */
static void sweep_init(struct sweep *s, const struct transport_port *from, const char *spec)
{
	const struct ibc_attrs physical = ibc_attrs_of_group(IBC_ATTRS_PHYSICAL);
	struct timespec now = { (time_t)(from->wall_ns / 1000000000),
		                (long)(from->wall_ns % 1000000000) };
	struct arena *a = fabric_build_arena(s->b);
	struct ibc_subnet *subnet = fabric_build_subnet(s->b, spec, "umad");
	char host[HOST_NAME_MAX + 1];

	s->subnet = subnet;
	if (*from->host)
		subnet->host = arena_strdup(a, from->host);
	else if (gethostname(host, sizeof(host)) == 0)
		subnet->host = arena_strdup(a, host);
	subnet->ca = arena_strdup(a, from->ca);
	subnet->ca_port = (uint8_t)from->port;
	s->by_lid = arena_array(s->scratch, UNICAST_LID_MAX + 1, sizeof(struct device *));
	s->claimed_twice = arena_alloc(s->scratch, sizeof(*s->claimed_twice));
	s->needs = ibc_attrs_or(ibc_attrs_complete(s->opts->needs),
	                        ibc_attrs_of_group(IBC_ATTRS_ALWAYS));
	ibc_attrs_add(&s->needs, IBC_ATTR_LINK);
	if (s->opts->tables)
		s->needs = ibc_attrs_minus(s->needs, IBC_ATTRS(IBC_ATTR_LFT, IBC_ATTR_AR_LFT));
	/* these are nothing without each other */
	if (ibc_attrs_has(s->needs, IBC_ATTR_AR_LFT))
		s->needs = ibc_attrs_or(s->needs,
		                        IBC_ATTRS(IBC_ATTR_LFT, IBC_ATTR_AR_INFO,
		                                  IBC_ATTR_PRIVATE_LFT, IBC_ATTR_AR_GROUPS));
	if (!s->opts->physical)
		s->needs = ibc_attrs_minus(s->needs, physical);
	else if (ibc_attrs_meet(s->needs, physical))
		/* they say which devices can be asked */
		s->needs = ibc_attrs_or(
		    s->needs, IBC_ATTRS(IBC_ATTR_GENERAL_INFO, IBC_ATTR_GENERAL_INFO_SMP));
	if (ibc_attrs_has(s->needs, IBC_ATTR_AR_INFO))
		ibc_attrs_add(&s->needs, IBC_ATTR_GENERAL_INFO_SMP);
	subnet->provides = s->needs;
	s->directed_only = s->opts->directed_only ||
	                   (s->opts->again && s->opts->again->directed_only);
	s->counting = !s->directed_only;
	s->own_guid = from->guid;
	s->asks_once = from->asks_once;
	s->is_replay = from->is_replay;
	if (!from->wall_ns)
		clock_gettime(CLOCK_REALTIME, &now);
	subnet->time = (uint64_t)now.tv_sec;
	s->start_fraction = (double)now.tv_nsec / 1e9;
	s->start_ns = sweep_now_ns(s);
	if (s->opts->keys) {
		subnet->keys_time = keys_time(s->opts->keys);
		subnet->key_files = arena_strdup(a, keys_directory(s->opts->keys));
	}
}

static int run_discovery(void *ctx)
{
	struct discovery *d = ctx;
	struct sweep *s = &d->sweep;
	const struct engine_opts engine_opts = {
		.window = s->opts->window,
		.per_device = s->opts->per_device,
		.timeout_ms = s->opts->timeout_ms,
		.may_clear = s->opts->clear != 0,
		.trace = s->opts->trace,
	};
	int rc;

	sweep_init(s, d->from, d->spec);
	rc = engine_new(s->transport, &engine_opts, &s->engine, s->err);
	if (rc == 0)
		rc = ask_all(s);
	return rc ? rc : sweep_verdict(s);
}

/* Where memory ends it is left from anywhere in the sweep: what arenas do not hold is here. */
int discover_subnet(struct transport *t, const struct transport_port *from, const char *spec,
                    const struct ibc_source_opts *opts, struct fabric_build *b,
                    struct ibc_error *err)
{
	struct discovery d = {
		.sweep = {
			.opts = opts,
			.b = b,
			.transport = t,
			.scratch = arena_new(),
			.err = err,
			.parts = sweep_parts,
			.num_parts = sweep_num_parts,
		},
		.from = from,
		.spec = spec,
	};
	int rc = fabric_build_run(b, d.sweep.scratch, run_discovery, &d);

	HASH_CLEAR(hh, d.sweep.models);
	HASH_CLEAR(hh, d.sweep.by_node);
	engine_free(d.sweep.engine);
	arena_free(d.sweep.scratch);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
