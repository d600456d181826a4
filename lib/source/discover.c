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
#include "base/str.h"
#include "engine/engine.h"
#include "fabric/build.h"
#include "source/source.h"
#include "wire/smp.h"

#define UNICAST_LID_MAX 0xbfff

/* A way to send that a fabric, or a simulator, may refuse. */
enum trust { UNTRIED, TRYING, TRUSTED, REFUSED };
enum way { DIRECTED, BY_LID, COMBINED };

/* A device while it is explored: what the model has no room for. */
struct site {
	struct ibc_node *node;
	struct site *next;           /* all of them, newest first */
	struct engine_device sma;    /* questions to it */
	struct engine_device beyond; /* probes through it */
	uint16_t lid;                /* 0: none, or not to be used */
	bool lid_used;
	uint8_t first; /* the port asked first: it tells the LID */
	uint8_t hops;
	uint8_t path[]; /* the port to leave by, hop by hop */
};

struct sweep {
	const struct ibc_source_opts *opts;
	struct fabric_build *b;
	struct ibc_plane *plane;
	struct engine *engine;
	struct arena *scratch;
	struct question *spare;
	struct engine_device start; /* of the question that starts it all */
	struct site *sites;
	struct site **by_lid; /* UNICAST_LID_MAX + 1 */
	size_t num_nodes;
	uint16_t own_lid; /* 0: directed routes only */
	enum trust trust[COMBINED + 1];
	bool out_of_memory, misled;
};

struct question {
	struct engine_ask ask;
	struct sweep *sweep;
	struct site *site; /* who is asked; of a probe: the switch it leaves by; NULL: the start */
	const struct topic *topic;
	struct question *next_spare;
	uint8_t port; /* attribute modifier; of a probe: the port it leaves by */
	uint8_t way, first_way;
};

/*
 * What can be asked.  learn() puts an answer into the model; false if it makes no
 * sense.
 */
struct topic {
	uint16_t attribute;
	enum ibc_attr attr;
	bool of_port;
	bool (*learn)(struct question *q, const uint8_t *data);
};

static const struct topic topic_node_info, topic_node_desc, topic_switch_info, topic_port_info,
    topic_ext_port_info;

static struct ibc_port *port_of(const struct question *q)
{
	return fabric_build_port(q->site->node, q->port);
}

static bool is_probe(const struct question *q)
{
	return q->topic == &topic_node_info && q->site;
}

/* ---- sending -------------------------------------------------------------- */

static void recycle(struct question *q)
{
	q->next_spare = q->sweep->spare;
	q->sweep->spare = q;
}

/* One question tries a new way; the others wait for what becomes of it. */
static bool may_use(enum trust *trust)
{
	if (*trust != UNTRIED)
		return *trust == TRUSTED;
	*trust = TRYING;
	return true;
}

/* The first try takes the cheap way where there is one, the others the sure one. */
static enum way choose_way(struct question *q, unsigned int try)
{
	struct sweep *s = q->sweep;
	enum way cheap = is_probe(q) ? COMBINED : BY_LID;

	if (try > 0 || !s->own_lid || !q->site || !q->site->lid || q->site->hops == 0)
		return DIRECTED;
	return may_use(&s->trust[cheap]) ? cheap : DIRECTED;
}

/* The far side told in the meantime, or the sweep is to start over. */
static bool is_moot(const struct question *q)
{
	return q->sweep->misled || (is_probe(q) && port_of(q)->peer);
}

/* The hops of the directed part; a probe takes one more. */
static size_t hops_of(const struct question *q, uint8_t hops[SMP_MAX_HOPS])
{
	size_t n = 0;

	if (q->site && q->way == DIRECTED) {
		n = q->site->hops;
		memcpy(hops, q->site->path, n);
	}
	if (is_probe(q))
		hops[n++] = q->port;
	return n;
}

static bool question_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                           uint8_t mad[MAD_SIZE])
{
	struct question *q = (struct question *)ask_;
	const struct smp_question smp = {
		.attribute = q->topic->attribute,
		.modifier = q->topic->of_port ? q->port : 0,
		.m_key = q->sweep->opts->m_key,
	};
	uint8_t hops[SMP_MAX_HOPS];
	size_t n;

	if (is_moot(q)) {
		recycle(q);
		return false;
	}
	q->way = (uint8_t)choose_way(q, try);
	if (try == 0)
		q->first_way = q->way;
	n = hops_of(q, hops);
	if (q->way != DIRECTED)
		q->site->lid_used = true;
	if (q->way == BY_LID)
		smp_get_by_lid(mad, to, &smp, q->site->lid);
	else if (q->way == COMBINED)
		smp_get_combined(mad, to, &smp, q->site->lid, q->sweep->own_lid, hops, n);
	else
		smp_get_directed(mad, to, &smp, hops, n);
	return true;
}

static void question_done(struct engine_ask *ask_, enum engine_outcome outcome,
                          const uint8_t mad[MAD_SIZE]);

/* port is 0 for what is asked of a node; the port to leave by for a probe. */
static void ask(struct sweep *s, struct site *site, const struct topic *topic, unsigned int port)
{
	struct question *q = s->spare;

	if (q)
		s->spare = q->next_spare;
	else
		q = arena_alloc(s->scratch, sizeof(*q));
	if (!q) {
		s->out_of_memory = true;
		return;
	}
	*q = (struct question){
		.ask = { .device = &s->start, .route = question_route, .done = question_done },
		.sweep = s,
		.site = site,
		.topic = topic,
		.port = (uint8_t)port,
	};
	if (site)
		q->ask.device = is_probe(q) ? &site->beyond : &site->sma;
	engine_ask(s->engine, &q->ask);
}

/* All but the first PortInfo, once that has told the LID, or will not. */
static void ask_the_rest(struct sweep *s, struct site *site)
{
	const struct ibc_node *node = site->node;

	ask(s, site, &topic_node_desc, 0);
	if (node->type == IBC_NODE_SWITCH)
		ask(s, site, &topic_switch_info, 0);
	for (unsigned int p = 1; p <= node->num_ports; p++)
		if (p != site->first)
			ask(s, site, &topic_port_info, p);
}

/* ---- outcomes ------------------------------------------------------------- */

/* What the outcome tells of the way the first try took. */
static void judge_way(struct question *q, bool answered)
{
	enum trust *trust = &q->sweep->trust[q->first_way];
	bool worked = q->way == q->first_way;

	if (*trust == TRYING)
		*trust = !answered ? UNTRIED : worked ? TRUSTED : REFUSED;
	if (answered && !worked)
		q->site->lid = 0;
}

static void note(struct question *q, enum answer outcome)
{
	struct ibc_answers *answers = NULL;

	if (is_probe(q) || q->topic->of_port)
		answers = &port_of(q)->answers;
	else if (q->site)
		answers = &q->site->node->answers;
	if (answers)
		answers_put(answers, q->topic->attr, outcome);
}

static void question_done(struct engine_ask *ask_, enum engine_outcome outcome,
                          const uint8_t mad[MAD_SIZE])
{
	static const enum answer as_answer[] = {
		[ENGINE_ANSWERED] = ANSWER_OK,
		[ENGINE_UNSUPPORTED] = ANSWER_UNSUPPORTED,
		[ENGINE_REFUSED] = ANSWER_REFUSED,
		[ENGINE_SILENT] = ANSWER_NONE,
	};
	struct question *q = (struct question *)ask_;
	struct sweep *s = q->sweep;

	if (outcome == ENGINE_NOT_ASKED) {
		s->plane->not_asked++;
	} else if (!s->misled) {
		if (q->first_way != DIRECTED)
			judge_way(q, outcome != ENGINE_SILENT);
		if (outcome == ENGINE_ANSWERED && !q->topic->learn(q, smp_data(mad)))
			outcome = ENGINE_REFUSED;
		note(q, as_answer[outcome]);
		if (q->topic == &topic_port_info && q->port == q->site->first)
			ask_the_rest(s, q->site);
	}
	recycle(q);
}

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

	if (!far || far == port_of(q))
		return far;
	if (far->phys_state != IBC_PHYS_UNKNOWN && far->phys_state != IBC_PHYS_LINKUP)
		return false;
	if (fabric_build_link(port_of(q), far))
		return false;
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
	struct switch_info si;

	switch_info_get(data, &si);
	q->site->node->lft_cap = si.lft_cap;
	q->site->node->lft_top = si.lft_top;
	q->site->node->enhanced_port0 = si.enhanced_port0;
	return true;
}

/* ---- ports ---------------------------------------------------------------- */

static void port_put(struct ibc_port *port, const struct port_info *pi)
{
	port->state = pi->state;
	port->phys_state = pi->phys_state;
	port->width_active = pi->width_active;
	port->width_enabled = pi->width_enabled;
	port->width_supported = pi->width_supported;
	port->speed_active = pi->speed_active;
	port->speed_enabled = pi->speed_enabled;
	port->speed_supported = pi->speed_supported;
	port->lid = pi->lid;
	port->sm_lid = pi->sm_lid;
	port->lmc = pi->lmc;
	port->sm_sl = pi->sm_sl;
	port->mtu_cap = pi->mtu_cap;
	port->mtu_active = pi->mtu_active;
	port->vl_cap = pi->vl_cap;
	port->vl_active = pi->vl_active;
	port->cap_mask = pi->cap_mask;
	port->subnet_prefix = pi->gid_prefix;
}

/*
 * A LID two devices claim is used for neither.  If one of them was already asked
 * over it, some answers may be the other's, cables among them.
 */
static void claim_lid(struct sweep *s, struct site *site, const struct ibc_port *port)
{
	unsigned int end = port->lid + (1u << port->lmc);

	if (port->lid == 0 || end > UNICAST_LID_MAX + 1u)
		return;
	site->lid = port->lid;
	for (unsigned int lid = port->lid; lid < end; lid++) {
		struct site *other = s->by_lid[lid];

		s->by_lid[lid] = site;
		if (!other || other == site)
			continue;
		s->misled |= other->lid_used;
		other->lid = 0;
		site->lid = 0;
	}
}

/* What the port the sweep started at tells of the subnet, and of our own LID. */
static void learn_origin(struct sweep *s, const struct ibc_port *port)
{
	s->plane->subnet_prefix = port->subnet_prefix;
	if (!s->opts->directed_only && port->state == IBC_STATE_ACTIVE)
		s->own_lid = port->lid;
}

static bool leads_on(const struct sweep *s, const struct ibc_port *port)
{
	if (port->num == 0 || port->phys_state != IBC_PHYS_LINKUP || port->peer)
		return false;
	return port->node->type == IBC_NODE_SWITCH || port == s->plane->origin;
}

/* FDR10 shows as QDR in PortInfo; only these devices tell it apart. */
static bool may_be_fdr10(const struct ibc_port *port)
{
	const struct ibc_node *node = port->node;

	return port->phys_state == IBC_PHYS_LINKUP && port->speed_active == IBC_SPEED_QDR &&
	       mlnx_ext_port_info_known(node->vendor_id, node->device_id);
}

static bool learn_port_info(struct question *q, const uint8_t *data)
{
	struct sweep *s = q->sweep;
	struct ibc_port *port = port_of(q);
	struct port_info pi;

	port_info_get(data, &pi);
	port_put(port, &pi);
	if (port->phys_state == IBC_PHYS_LINKUP)
		answers_put(&port->answers, IBC_ATTR_LINK, ANSWER_OK);
	if (port == s->plane->origin)
		learn_origin(s, port);
	if (q->port == q->site->first)
		claim_lid(s, q->site, port);
	if (may_be_fdr10(port))
		ask(s, q->site, &topic_ext_port_info, q->port);
	if (leads_on(s, port))
		ask(s, q->site, &topic_node_info, q->port);
	return true;
}

static bool learn_ext_port_info(struct question *q, const uint8_t *data)
{
	struct ibc_port *port = port_of(q);
	struct mlnx_ext_port_info ext;

	mlnx_ext_port_info_get(data, &ext);
	port->speed_enabled |= ext.speed_enabled;
	port->speed_supported |= ext.speed_supported;
	if (ext.speed_active)
		port->speed_active = ext.speed_active;
	return true;
}

static const struct topic topic_node_info = { SMP_NODE_INFO, IBC_ATTR_NODE_INFO, false,
	                                      learn_node_info };
static const struct topic topic_node_desc = { SMP_NODE_DESC, IBC_ATTR_NODE_DESC, false,
	                                      learn_node_desc };
static const struct topic topic_switch_info = { SMP_SWITCH_INFO, IBC_ATTR_SWITCH_INFO, false,
	                                        learn_switch_info };
static const struct topic topic_port_info = { SMP_PORT_INFO, IBC_ATTR_PORT_INFO, true,
	                                      learn_port_info };
static const struct topic topic_ext_port_info = { SMP_MLNX_EXT_PORT_INFO,
	                                          IBC_ATTR_MLNX_EXT_PORT_INFO, true,
	                                          learn_ext_port_info };

/* ---- the sweep ------------------------------------------------------------ */

static void tick(void *ctx)
{
	const struct sweep *s = ctx;
	struct ibc_sweep so_far;

	engine_stats(s->engine, &so_far);
	s->opts->progress(s->opts->progress_ctx, so_far.answered, engine_open(s->engine),
	                  s->num_nodes);
}

static int sweep_run(struct sweep *s, struct ibc_error *err)
{
	int rc;

	ask(s, NULL, &topic_node_info, 0);
	rc = engine_run(s->engine, s->opts->progress ? tick : NULL, s, err);
	if (rc)
		return rc;
	if (s->out_of_memory)
		return fail_nomem(err);
	if (s->misled)
		return fail(err, -EAGAIN, "two devices claim one LID");
	engine_stats(s->engine, &s->plane->sweep);
	s->plane->cut_short = engine_cut_short(s->engine);
	if (!s->plane->origin && !s->plane->cut_short)
		return fail(err, -ETIMEDOUT,
		            "%s port %u does not answer: is its driver alive? "
		            "Try ibstat, and the kernel's log",
		            s->plane->ca, s->plane->ca_port);
	return 0;
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
	plane->time = (uint64_t)time(NULL);
	plane->provides = IBC_ATTR_NODE_INFO | IBC_ATTR_NODE_DESC | IBC_ATTR_SWITCH_INFO |
	                  IBC_ATTR_PORT_INFO | IBC_ATTR_MLNX_EXT_PORT_INFO | IBC_ATTR_LINK;
	return plane->ca ? plane : NULL;
}

/* The deadline is one for all planes; 0: none.  What is past counts as the last moment. */
static uint64_t deadline_left_ns(struct fabric_build *b, double deadline_seconds)
{
	const struct ibc_plane *plane;

	if (deadline_seconds <= 0)
		return 0;
	for (size_t i = 0; (plane = fabric_build_plane_at(b, i)); i++)
		deadline_seconds -= plane->sweep.duration_seconds;
	return deadline_seconds > 1e-9 ? (uint64_t)(deadline_seconds * 1e9) : 1;
}

int discover(struct transport *t, const struct transport_port *from, const char *spec,
             const struct ibc_source_opts *opts, struct fabric_build *b, struct ibc_error *err)
{
	const struct engine_opts engine_opts = {
		.window = opts->window,
		.per_device = opts->per_device,
		.timeout_ms = opts->timeout_ms,
		.deadline_ns = deadline_left_ns(b, opts->deadline_seconds),
	};
	struct sweep s = { .opts = opts, .b = b };
	int rc = -ENOMEM;

	s.plane = plane_new(b, from, spec);
	s.scratch = arena_new();
	if (s.plane && s.scratch)
		s.by_lid = arena_array(s.scratch, UNICAST_LID_MAX + 1, sizeof(struct site *));
	if (!s.by_lid)
		rc = fail_nomem(err);
	else
		rc = engine_new(t, &engine_opts, &s.engine, err);
	if (rc == 0)
		rc = sweep_run(&s, err);
	engine_free(s.engine);
	arena_free(s.scratch);
	return rc;
}
