/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>
#include <uthash.h>

#include "model/encode.h"
#include "model/model.h"
#include "model/vendor.h"
#include "wire/mad.h"
#include "wire/sa.h"

#define STATUS_UNSUPPORTED 0x0c
#define STATUS_INVALID     0x1c
#define GETS_PROTECTED     2 /* M_KeyProtectBits */

/* What the model adds to a node. */
struct device {
	const struct ibc_node *node;
	int number;
	struct model_pma pma;
	struct model_tables tables;
	struct model_registers *registers;
	struct model_keys *keys; /* by port; NULL: it has none */
	uint8_t way_in;          /* the port a LID-routed packet comes in by */
	bool reached, silent;
	const int *speeds_status; /* of a PortInfo that shows them; NULL: all do */
	UT_hash_handle hh;
};

struct model {
	const struct ibc_fabric *fab;
	const struct ibc_port *from;
	struct device *devices, *by_node;
	size_t num_devices;
	struct device *by_lid[UINT16_MAX + 1];
	bool refuses_combined;
	struct model_sa sa;
	uint64_t asked[MODEL_COUNTS];
	struct line *clock;
	uint64_t now_ns, clock_ns; /* when the clock was at clock_ns, it was now_ns */
	/* of the last answer */
	struct line_fate fate;
	size_t cut;
};

/* Where a query ended up. */
struct place {
	struct device *device;
	uint8_t in_port;
};

/* ---- the fabric, as far as packets care ----------------------------------------------- */

static bool is_up(const struct ibc_port *p)
{
	return !ibc_port_has(p, IBC_ATTR_PORT_INFO) || p->phys_state == IBC_PHYS_LINKUP;
}

static bool is_linked(const struct ibc_port *p)
{
	return p->peer && is_up(p) && is_up(p->peer);
}

static bool is_active(const struct ibc_port *p)
{
	return !ibc_port_has(p, IBC_ATTR_PORT_INFO) || p->state == IBC_STATE_ACTIVE;
}

static struct device *device_of(const struct model *m, const struct ibc_node *node)
{
	struct device *d;

	HASH_FIND_PTR(m->by_node, &node, d);
	assert(d);
	return d;
}

/* An adapter may have ports in several subnets. */
static bool is_reached(const struct model *m, const struct device *d, const struct ibc_port *p)
{
	if (p->num == 0 || p == m->from)
		return d->reached;
	return is_linked(p) && device_of(m, p->peer->node)->reached;
}

static void claim_lids(struct model *m, struct device *d, const struct ibc_port *p)
{
	uint32_t end = p->lid + (1u << p->lmc);

	if (!is_reached(m, d, p))
		return;
	for (uint32_t lid = p->lid; p->lid && lid < end && lid <= UINT16_MAX; lid++)
		m->by_lid[lid] = d;
}

static const struct ibc_port *default_from(const struct ibc_fabric *fab)
{
	const struct ibc_port *p, *port0 = NULL;

	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++) {
		if (p->node->type == IBC_NODE_CA && is_linked(p))
			return p;
		if (!port0 && p->num == 0)
			port0 = p;
	}
	return port0;
}

/* Breadth first from the start: the way in is the last hop of a shortest path. */
static void find_ways(struct model *m)
{
	struct device **queue = calloc(m->num_devices, sizeof(struct device *));
	size_t head = 0, tail = 0;

	assert(queue);
	queue[tail++] = device_of(m, m->from->node);
	queue[0]->reached = true;
	queue[0]->way_in = m->from->num;
	while (head < tail) {
		const struct device *d = queue[head++];

		for (unsigned int i = 0; i <= d->node->num_ports; i++) {
			const struct ibc_port *p = &d->node->ports[i];
			struct device *next;

			if ((d->node->type != IBC_NODE_SWITCH && p != m->from) || !is_linked(p))
				continue;
			next = device_of(m, p->peer->node);
			if (next->reached)
				continue;
			next->reached = true;
			next->way_in = p->peer->num;
			queue[tail++] = next;
		}
	}
	free(queue);
}

struct model *model_new(const struct ibc_fabric *fab, const struct ibc_port *from)
{
	struct model *m = calloc(1, sizeof(*m));
	const struct ibc_port *p;

	assert(m);
	m->fab = fab;
	m->fate.times = 1;
	m->from = from ? from : default_from(fab);
	assert(m->from);
	m->num_devices = ibc_fabric_count(fab).nodes;
	m->devices = calloc(m->num_devices, sizeof(*m->devices));
	assert(m->devices);
	for (size_t i = 0; i < m->num_devices; i++) {
		struct device *d = &m->devices[i];

		d->node = ibc_fabric_node(fab, i);
		d->number = (int)i;
		HASH_ADD_PTR(m->by_node, node, d);
	}
	find_ways(m);
	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		claim_lids(m, device_of(m, p->node), p);
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	HASH_CLEAR(hh, m->by_node);
	for (size_t i = 0; i < m->num_devices; i++) {
		free(m->devices[i].keys);
		model_registers_free(m->devices[i].registers);
	}
	free(m->devices);
	free(m->sa.reply);
	free(m);
}

const struct ibc_port *model_from(const struct model *m)
{
	return m->from;
}

void model_silence(struct model *m, const struct ibc_node *node)
{
	device_of(m, node)->silent = true;
}

void model_hide_speeds(struct model *m, const struct ibc_node *node, const int *status)
{
	device_of(m, node)->speeds_status = status;
}

void model_silence_cas(struct model *m, size_t n)
{
	size_t cas = ibc_fabric_count(m->fab).cas, seen = 0, done = 0;

	for (size_t i = 0; i < m->num_devices && done < n; i++) {
		struct device *d = &m->devices[i];

		if (d->node->type != IBC_NODE_CA || d->node == m->from->node)
			continue;
		if (seen++ * n < done * (cas - 1))
			continue;
		d->silent = true;
		done++;
	}
}

void model_refuse_combined(struct model *m)
{
	m->refuses_combined = true;
}

struct model_keys *model_keys(struct model *m, const struct ibc_port *port)
{
	struct device *d = device_of(m, port->node);

	if (!d->keys)
		d->keys = calloc(d->node->num_ports + 1u, sizeof(*d->keys));
	assert(d->keys);
	return &d->keys[port->num];
}

struct model_pma *model_pma(struct model *m, const struct ibc_node *node)
{
	return &device_of(m, node)->pma;
}

struct model_tables *model_tables(struct model *m, const struct ibc_node *node)
{
	return &device_of(m, node)->tables;
}

struct model_sa *model_sa(struct model *m)
{
	return &m->sa;
}

struct model_registers *model_registers(struct model *m, const struct ibc_node *node)
{
	struct device *d = device_of(m, node);

	if (d->registers)
		return d->registers;
	d->registers = model_registers_new(model_device_kind(node->device_id), node->num_ports);
	for (unsigned int i = 0; node->has_gmp_capabilities && i < 4; i++)
		d->registers->capabilities[i] = (uint32_t)(node->gmp_capabilities[i / 2] >>
		                                           32 * (i % 2));
	return d->registers;
}

struct model_phy *model_phy(struct model *m, const struct ibc_port *port)
{
	return &model_registers(m, port->node)->ports[port->num];
}

static uint64_t now(struct model *m)
{
	uint64_t clock_ns = m->clock ? line_now_ns(m->clock) : 0;

	if (m->clock && clock_ns > m->clock_ns) {
		m->now_ns += clock_ns - m->clock_ns;
		m->clock_ns = clock_ns;
	}
	return m->now_ns;
}

void model_clock(struct model *m, struct line *line)
{
	now(m);
	m->clock = line;
	m->clock_ns = line ? line_now_ns(line) : 0;
}

void model_pass(struct model *m, uint64_t ns)
{
	now(m);
	m->now_ns += ns;
}

/* What is cut short ends before MAD_SIZE: no byte of it is read. */
const uint8_t *model_whole(void *model, size_t *length)
{
	static const uint8_t cut[MAD_SIZE];
	const struct model *m = model;

	*length = m->cut ? m->cut : m->sa.length;
	if (m->cut)
		return cut;
	return *length ? m->sa.reply : NULL;
}

struct line_fate model_fate(void *model)
{
	return ((const struct model *)model)->fate;
}

/* ---- the way there ------------------------------------------------------------------------ */

/* The port that a LID-routed packet comes in by: of a channel adapter the one of the LID. */
static uint8_t way_in(const struct device *d, uint16_t lid)
{
	for (unsigned int i = 1; d->node->type != IBC_NODE_SWITCH && i <= d->node->num_ports; i++) {
		const struct ibc_port *p = &d->node->ports[i];

		if (lid >= p->lid && lid < p->lid + (1u << p->lmc))
			return p->num;
	}
	return d->way_in;
}

/* A LID-routed packet needs the link of the start, and of the end, to be Active. */
static bool by_lid(const struct model *m, uint16_t lid, struct place *at)
{
	struct device *d = m->by_lid[lid];
	uint8_t in = d ? way_in(d, lid) : 0;

	if (!d || !d->reached || !is_active(m->from) || !is_active(&d->node->ports[in]))
		return false;
	*at = (struct place){ d, in };
	return true;
}

/* Only switches, and the device the SMP starts at, pass a directed SMP on. */
static bool by_hops(const struct model *m, const uint8_t *path, size_t hops, struct place *at)
{
	for (size_t i = 1; i <= hops; i++) {
		const struct ibc_node *node = at->device->node;
		const struct ibc_port *p = ibc_node_port(node, path[i]);

		if (at->device->silent || !p || !is_linked(p))
			return false;
		if (node->type != IBC_NODE_SWITCH && (i > 1 || p != m->from))
			return false;
		*at = (struct place){ device_of(m, p->peer->node), p->peer->num };
	}
	return true;
}

static bool find_place(const struct model *m, const struct mad_addr *to, uint8_t *mad,
                       struct place *at)
{
	const size_t path = 128;

	bool gmp = mad[1] == MAD_CLASS_PERFORMANCE || mad[1] == MAD_CLASS_VENDOR ||
	           mad[1] == MAD_CLASS_SA;

	if (mad[1] == MAD_CLASS_SMP || (gmp && to->qpn != 0))
		return by_lid(m, to->dlid, at);
	if (mad[1] != MAD_CLASS_SMP_DIRECTED)
		return false;
	*at = (struct place){ device_of(m, m->from->node), m->from->num };
	if (to->dlid != MAD_LID_PERMISSIVE && (m->refuses_combined || !by_lid(m, to->dlid, at) ||
	                                       at->device->node->type != IBC_NODE_SWITCH))
		return false;
	return by_hops(m, mad + path, mad_get_field(mad, 0, IB_DRSMP_HOPCNT_F) & SMP_MAX_HOPS, at);
}

/* ---- attributes --------------------------------------------------------------------------- */

static int give_node_info(const struct place *at, uint32_t modifier, uint8_t *data)
{
	const struct ibc_node *node = at->device->node;
	unsigned int port = node->type == IBC_NODE_SWITCH ? 0 : at->in_port;
	struct node_info ni = {
		.type = node->type,
		.num_ports = node->num_ports,
		.local_port = at->in_port,
		.system_guid = node->system_guid,
		.node_guid = node->guid,
		.port_guid = node->ports[port].guid,
		.vendor_id = node->vendor_id,
		.revision = node->revision,
		.device_id = node->device_id,
		.pkey_cap = node->pkey_cap,
	};

	(void)modifier;
	node_info_put(data, &ni);
	return 0;
}

static int give_node_desc(const struct place *at, uint32_t modifier, uint8_t *data)
{
	size_t n = strlen(at->device->node->desc);

	(void)modifier;
	memset(data, 0, SMP_DATA_SIZE);
	memcpy(data, at->device->node->desc, n < SMP_DATA_SIZE ? n : SMP_DATA_SIZE);
	return 0;
}

static int give_switch_info(const struct place *at, uint32_t modifier, uint8_t *data)
{
	const struct ibc_node *node = at->device->node;
	struct switch_info si = {
		.lft_cap = node->lft_cap,
		.lft_top = node->lft_top,
		.mft_cap = node->mft_cap,
		.mft_top = node->mft_top,
		.pkey_enforce_cap = node->pkey_enforce_cap,
		.enhanced_port0 = node->enhanced_port0,
	};

	(void)modifier;
	if (node->type != IBC_NODE_SWITCH)
		return STATUS_UNSUPPORTED;
	switch_info_put(data, &si);
	return 0;
}

/* The port a modifier means: 0 of a CA is the one the query came in by. */
static const struct ibc_port *port_meant(const struct place *at, uint32_t modifier)
{
	const struct ibc_node *node = at->device->node;

	if (modifier == 0 && node->type != IBC_NODE_SWITCH)
		modifier = at->in_port;
	return modifier <= node->num_ports ? &node->ports[modifier] : NULL;
}

static void make_up(const struct ibc_port *p, struct port_info *pi)
{
	bool up = p->peer || p->num == 0;

	pi->state = up ? IBC_STATE_ACTIVE : IBC_STATE_DOWN;
	pi->phys_state = up ? IBC_PHYS_LINKUP : IBC_PHYS_POLLING;
	pi->width_enabled = pi->width_supported = p->width_active;
	pi->speed_enabled = pi->speed_supported = p->speed_active;
}

#define ASKER_KNOWS    (1u << 31)
#define CAP_EXT_SPEEDS (1u << 14)

/* QDR stands for what is faster. */
static void hide_speeds(struct port_info *pi)
{
	pi->cap_mask |= CAP_EXT_SPEEDS;
	pi->speed_supported &= IBC_SPEED_FDR - 1;
	pi->speed_enabled &= IBC_SPEED_FDR - 1;
	if (pi->speed_active >= IBC_SPEED_FDR)
		pi->speed_active = IBC_SPEED_QDR;
}

static int give_port_info(const struct place *at, uint32_t modifier, uint8_t *data)
{
	const struct ibc_port *p = port_meant(at, modifier & ~ASKER_KNOWS);
	const int *status = at->device->speeds_status;
	struct port_info pi;

	if (!p)
		return STATUS_INVALID;
	if (modifier & ASKER_KNOWS && (!status || *status))
		return status ? *status : STATUS_INVALID;
	pi = (struct port_info){
		.local_port = at->in_port,
		.state = p->state,
		.phys_state = p->phys_state,
		.width_active = p->width_active,
		.width_enabled = p->width_enabled,
		.width_supported = p->width_supported,
		.speed_active = p->speed_active,
		.speed_enabled = p->speed_enabled,
		.speed_supported = p->speed_supported,
		.lid = p->lid,
		.sm_lid = p->sm_lid,
		.lmc = p->lmc,
		.sm_sl = p->sm_sl,
		.mtu_cap = p->mtu_cap,
		.mtu_active = p->mtu_active,
		.vl_cap = p->vl_cap,
		.vl_active = p->vl_active,
		.arb_high_cap = p->arb_high_cap,
		.arb_low_cap = p->arb_low_cap,
		.cap_mask = p->cap_mask,
		.cap_mask2 = p->cap_mask2,
		.gid_prefix = p->subnet_prefix,
		.pkey_enforce = p->pkey_enforce,
		.m_key_protect = p->m_key_protect,
		.m_key_violations = p->extra->m_key_violations,
	};
	if (!ibc_port_has(p, IBC_ATTR_PORT_INFO))
		make_up(p, &pi);
	if (status && !(modifier & ASKER_KNOWS))
		hide_speeds(&pi);
	port_info_put(data, &pi);
	return 0;
}

/* Who has registers says more than speeds. */
static int give_ext_port(const struct place *at, uint32_t modifier, uint8_t *data)
{
	const struct ibc_port *p = port_meant(at, modifier);
	struct mlnx_ext_port_info ext;

	if (!p)
		return STATUS_INVALID;
	ext = (struct mlnx_ext_port_info){ p->speed_active, p->speed_enabled, p->speed_supported };
	mlnx_ext_port_info_put(data, &ext);
	if (ibc_port_has(p, IBC_ATTR_MLNX_EXT_PORT_INFO))
		return 0;
	return at->device->registers ? model_ext_port(at->device->registers, p->num, data)
	                             : STATUS_INVALID;
}

static int give_smp_info(const struct place *at, uint32_t modifier, uint8_t *data)
{
	const struct model_registers *r = at->device->registers;
	const struct ibc_node *node = at->device->node;
	struct model_registers as_fabric = { 0 };

	for (unsigned int i = 0; i < 4; i++)
		as_fabric.smp[i] = (uint32_t)(node->smp_capabilities[i / 2] >> 32 * (i % 2));
	if (!r || (!r->mute && ibc_node_has(node, IBC_ATTR_GENERAL_INFO_SMP)))
		r = &as_fabric;
	return model_smp_general_info(r, modifier, data);
}

static int give_ext_node(const struct place *at, uint32_t modifier, uint8_t *data)
{
	const struct ibc_node *node = at->device->node;

	if (modifier || !ibc_node_has(node, IBC_ATTR_EXT_NODE_INFO))
		return STATUS_UNSUPPORTED;
	data[16] = node->asymmetric_planes ? 0x80 : 0;
	data[19] = node->max_planes;
	return 0;
}

/* ---- answers ------------------------------------------------------------------------------ */

static const struct given {
	uint16_t attribute;
	enum model_count count;
	/* returns the status, or TABLES_SAY_NOTHING; NULL: see model/tables.h */
	int (*give)(const struct place *at, uint32_t modifier, uint8_t *data);
} attributes[] = {
	{ SMP_PORT_INFO, MODEL_PORT_INFO, give_port_info },
	{ SMP_NODE_INFO, MODEL_NODE_INFO, give_node_info },
	{ SMP_NODE_DESC, MODEL_NODE_DESC, give_node_desc },
	{ SMP_SWITCH_INFO, MODEL_SWITCH_INFO, give_switch_info },
	{ SMP_MLNX_EXT_PORT_INFO, MODEL_EXT_PORT_INFO, give_ext_port },
	{ 0xff17, MODEL_SMP_GENERAL_INFO, give_smp_info },
	{ SMP_SM_INFO, MODEL_SM_INFO, NULL },
	{ SMP_PKEY_TABLE, MODEL_PKEYS, NULL },
	{ SMP_LINEAR_FDB, MODEL_LFT, NULL },
	{ SMP_MULTICAST_FDB, MODEL_MFT, NULL },
	{ SMP_SL2VL_TABLE, MODEL_SL2VL, NULL },
	{ 0xff10, MODEL_PRIVATE_LFT, NULL },
	{ 0xff20, MODEL_AR_INFO, NULL },
	{ 0xffb0, MODEL_VIRTUALIZATION, NULL },
	{ 0xffb1, MODEL_VPORTS, NULL },
	{ 0xffd0, MODEL_ROUTER_INFO, NULL },
	{ 0xff91, MODEL_EXT_NODE_INFO, give_ext_node },
	{ 0xff21, MODEL_AR_GROUPS, NULL },
	{ 0xff23, MODEL_AR_LFT, NULL },
	{ SMP_VL_ARBITRATION, MODEL_ARBITRATION, NULL },
	{ 0, MODEL_OTHER, NULL },
};

static const struct given *given_of(uint16_t attribute)
{
	const struct given *g = attributes;

	while (g->attribute && g->attribute != attribute)
		g++;
	return g;
}

/* ---- keys ------------------------------------------------------------------------------- */

/* A switch has those of port 0, whatever port a query comes in by. */
static unsigned int keyed_port(const struct place *at)
{
	return at->device->node->type == IBC_NODE_SWITCH ? 0 : at->in_port;
}

static struct model_keys keys_of(const struct place *at)
{
	return at->device->keys ? at->device->keys[keyed_port(at)] : (struct model_keys){ 0 };
}

static bool is_refused(const struct place *at, uint64_t sent)
{
	uint64_t m_key = keys_of(at).m_key;

	return m_key && sent != m_key &&
	       at->device->node->ports[keyed_port(at)].m_key_protect >= GETS_PROTECTED;
}

/* PortInfo of the port that has the key. */
static void show_key(const struct place *at, const struct mad_header *h, uint64_t sent,
                     uint8_t *mad)
{
	const struct ibc_port *p = &at->device->node->ports[keyed_port(at)];
	uint64_t m_key = keys_of(at).m_key;

	if (h->attribute == SMP_PORT_INFO && h->modifier == p->num &&
	    (p->m_key_protect == 0 || sent == m_key))
		mad_set_field64(mad + SMP_DATA_OFFSET, 0, IB_PORT_MKEY_F, m_key);
}

static int answer_smp(struct model *m, const struct place *at, struct mad_header *h, uint8_t *mad)
{
	const struct given *given = given_of(h->attribute);
	const struct table_place where = { at->device->node, at->in_port };
	uint64_t sent = mad_get_field64(mad, 0, IB_MAD_MKEY_F);
	int status;

	m->asked[given->count]++;
	if (at->device->silent || is_refused(at, sent))
		return LINE_NOBODY;
	status = given->give ? given->give(at, h->modifier, mad + SMP_DATA_OFFSET)
	                     : model_tables_answer(&at->device->tables, &where, h->attribute,
	                                           h->modifier, mad + SMP_DATA_OFFSET);
	if (status == TABLES_SAY_NOTHING)
		return LINE_NOBODY;
	show_key(at, h, sent, mad);
	h->status = (uint16_t)status;
	return at->device->number;
}

static enum model_count count_of_pma(uint16_t attribute)
{
	static const struct {
		uint16_t attribute;
		enum model_count count;
	} counts[] = {
		{ PMA_CLASS_PORT_INFO, MODEL_CLASS_INFO },
		{ PMA_PORT_SAMPLES_CONTROL, MODEL_SAMPLES },
		{ PMA_PORT_COUNTERS, MODEL_COUNTERS },
		{ PMA_PORT_COUNTERS_EXT, MODEL_COUNTERS_EXT },
		{ PMA_RCV_ERROR_DETAILS, MODEL_RCV_ERRORS },
		{ PMA_XMIT_DISCARD_DETAILS, MODEL_XMIT_DISCARDS },
		{ PMA_VL_XMIT_WAIT, MODEL_VL_WAIT },
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (counts[i].attribute == attribute)
			return counts[i].count;
	return MODEL_OTHER;
}

static int answer_pma(struct model *m, const struct place *at, const struct mad_addr *to,
                      struct mad_header *h, uint8_t *mad)
{
	const struct pma_place where = { at->device->node, to };
	int status;

	m->asked[count_of_pma(h->attribute)]++;
	if (at->device->silent)
		return LINE_NOBODY;
	status = model_pma_answer(&at->device->pma, &where, h->attribute, mad + PMA_DATA_OFFSET);
	if (status == PMA_SAYS_NOTHING)
		return LINE_NOBODY;
	h->status = (uint16_t)status;
	return at->device->number;
}

/* What the device says of itself, then what its registers add. */
static int answer_general_info(const struct place *at, uint8_t *mad)
{
	const struct model_registers *r = at->device->registers;
	int status;

	if (r && r->general_info)
		return r->general_info;
	status = model_vendor_answer(at->device->node, VENDOR_GENERAL_INFO,
	                             mad + VENDOR_DATA_OFFSET);
	if (status == 0 && r)
		model_capabilities_put(r, mad);
	return status;
}

static int answer_registers(struct model *m, const struct place *at, uint8_t *mad)
{
	struct model_registers *r = at->device->registers;
	struct registers_answer how = { 0 };
	int status = model_registers_answer(r, now(m), mad, &how);

	m->fate.late_ns = how.late_ns;
	m->cut = r->cut;
	return status;
}

static int answer_vendor(struct model *m, const struct place *at, struct mad_header *h,
                         uint8_t *mad)
{
	const struct model_registers *r = at->device->registers;
	uint64_t v_key = keys_of(at).v_key;
	int status;

	m->asked[h->attribute == VENDOR_GENERAL_INFO   ? MODEL_GENERAL_INFO
	         : h->attribute == REGISTERS_ATTRIBUTE ? MODEL_ACCESS_REGISTER
	                                               : MODEL_OTHER]++;
	if (at->device->silent)
		return LINE_NOBODY;
	if (v_key && bytes_get(mad + VENDOR_DATA_OFFSET, 8) != v_key)
		status = r && r->wrong_key ? r->wrong_key : VENDOR_SAYS_NOTHING;
	else if (h->attribute == VENDOR_GENERAL_INFO)
		status = answer_general_info(at, mad);
	else if (r && h->attribute == REGISTERS_ATTRIBUTE)
		status = answer_registers(m, at, mad);
	else
		status = model_vendor_answer(at->device->node, h->attribute,
		                             mad + VENDOR_DATA_OFFSET);
	if (status == VENDOR_SAYS_NOTHING)
		return LINE_NOBODY;
	h->status = (uint16_t)status;
	return at->device->number;
}

static int answer_sa(struct model *m, const struct place *at, const struct mad_addr *to,
                     struct mad_header *h, uint8_t *mad)
{
	const struct sa_place where = { at->device->node->subnet, to, h->method };
	enum model_count count = h->attribute == SA_PATH_RECORD        ? MODEL_PATHS
	                         : h->attribute == SA_MC_MEMBER_RECORD ? MODEL_MEMBERS
	                         : h->attribute == SA_SERVICE_RECORD   ? MODEL_SERVICES
	                                                               : MODEL_SA_CLASS_INFO;
	int status;

	m->asked[count]++;
	if (at->device->silent)
		return LINE_NOBODY;
	status = model_sa_answer(&m->sa, &where, h->attribute, mad);
	if (status == SA_SAYS_NOTHING)
		return LINE_NOBODY;
	h->status = (uint16_t)status;
	return at->device->number;
}

static bool is_query(const struct mad_header *h)
{
	return h->method == MAD_METHOD_GET ||
	       (h->method == MAD_METHOD_GET_TABLE && h->mgmt_class == MAD_CLASS_SA);
}

int model_answer(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	struct model *m = model;
	struct mad_header h;
	struct place at;
	int who;

	mad_header_get(mad, &h);
	m->sa.length = 0;
	m->cut = 0;
	m->fate = (struct line_fate){ .times = 1 };
	if (h.mgmt_class == MAD_CLASS_VENDOR)
		model_registers_guard(mad);
	if (!is_query(&h) || !find_place(m, to, mad, &at))
		return LINE_NOBODY;
	if (h.mgmt_class == MAD_CLASS_PERFORMANCE)
		who = answer_pma(m, &at, to, &h, mad);
	else if (h.mgmt_class == MAD_CLASS_VENDOR)
		who = answer_vendor(m, &at, &h, mad);
	else if (h.mgmt_class == MAD_CLASS_SA)
		who = answer_sa(m, &at, to, &h, mad);
	else
		who = answer_smp(m, &at, &h, mad);
	if (who == LINE_NOBODY)
		return LINE_NOBODY;
	h.method = h.method == MAD_METHOD_GET ? MAD_METHOD_GET_RESP : MAD_METHOD_GET_TABLE_RESP;
	mad_header_put(mad, &h);
	if (h.mgmt_class == MAD_CLASS_SMP_DIRECTED)
		mad_set_field(mad, 0, IB_DRSMP_DIRECTION_F, 1);
	return who;
}

uint64_t model_asked(const struct model *m, enum model_count what)
{
	return m->asked[what];
}

uint64_t model_asked_total(const struct model *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < MODEL_COUNTS; i++)
		sum += m->asked[i];
	return sum;
}
