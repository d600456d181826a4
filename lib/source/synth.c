/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fat-trees by formula: healthy, fully answered, of any size one subnet holds.
 *
 * Layout, which expected topologies and tests count on (ports from 1):
 *   leaf   hosts first, then @cables to spine 1 of its pod, to spine 2, ...
 *   spine  @cables to leaf 1 of its pod, to leaf 2, ..., then its uplinks
 *   core   one port a pod; uplink u of the spine at position s goes to core
 *	    s * uplinks + u, whatever the pod
 *
 * With rails=R, R leaves next to each other make a group: HCA r of every host
 * of the group sits on its leaf r.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/words.h"
#include "fabric/build.h"
#include "source/source.h"
#include "source/synth.h"

#define PREFIX "synth:fattree:"

#define SWITCH_PORTS_MAX 254    /* NodeInfo.NumPorts; 255 is the permissive port (IBA 14.2.5.3) */
#define LIDS_MAX         0xbfff /* unicast LIDs 1 .. 0xbfff (IBA 4.1) */

/* Leaves room for the port GUIDs of a CA, which follow its node GUID. */
#define GUID_BASE      0x0200000000000000ull
#define GUID_STEP      0x10                  /* a CA and its ports */
#define DEFAULT_PREFIX 0xfe80000000000000ull /* fe80::/64 */

#define VENDOR_ID       0x2c9 /* the devices most fabrics are made of: MT4115, SwitchIB-2 */
#define DEVICE_CA       4115  /* MT4115 */
#define DEVICE_SWITCH   53000 /* SwitchIB-2 */
#define FIRMWARE_CA     "12.28.2006"
#define FIRMWARE_SWITCH "15.2010.5042"
#define CAP_MASK_CA     0x2651e848 /* as ibstat shows it of such a CA */
#define CAP_MASK_SWITCH 0x42504848 /* of port 0 of such a switch */
#define CAP_MASK_IS_SM  0x2        /* PortInfo.CapabilityMask: IsSM (IBA 14.2.5.6) */
#define LFT_CAP         49152      /* all unicast LIDs */
#define MTU_4096        5          /* MTUCap code 5 (IBA 14.2.5.6) */
#define VLS_8           4          /* VLCap code 4: VL0-7 (IBA 14.2.5.6) */

/* For which number of levels a key is needed, or may not be given. */
enum { NEEDED_BY_2 = 1, NEEDED_BY_3 = 2, NEEDED = 3, NOT_FOR_2 = 4 };

static const struct synth_key {
	const char *name;
	size_t offset;
	uint64_t min, max, fallback;
	unsigned int rule;
} keys[] = {
	{ "levels", offsetof(struct shape, levels), 2, 3, 2, 0 },
	{ "pods", offsetof(struct shape, pods), 1, SWITCH_PORTS_MAX, 1, NEEDED_BY_3 | NOT_FOR_2 },
	{ "leaves", offsetof(struct shape, leaves), 1, SWITCH_PORTS_MAX, 0, NEEDED },
	{ "spines", offsetof(struct shape, spines), 1, SWITCH_PORTS_MAX, 0, NEEDED },
	{ "uplinks", offsetof(struct shape, uplinks), 1, SWITCH_PORTS_MAX, 0,
	  NEEDED_BY_3 | NOT_FOR_2 },
	{ "hosts", offsetof(struct shape, hosts), 1, SWITCH_PORTS_MAX, 0, NEEDED },
	{ "cables", offsetof(struct shape, cables), 1, SWITCH_PORTS_MAX, 1, 0 },
	{ "rails", offsetof(struct shape, rails), 1, SWITCH_PORTS_MAX, 1, 0 },
	{ "radix", offsetof(struct shape, radix), 1, SWITCH_PORTS_MAX, 0, 0 },
	{ "seed", offsetof(struct shape, seed), 0, UINT64_MAX, 0, 0 },
	{ "speed", 0, 0, 0, 0, 0 }, /* max 0: a word */
};

/* What it tells of: all that is asked by SMPs, counters and firmware if they are. */
#define SMPS                                                                                       \
	IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC, IBC_ATTR_SWITCH_INFO,                    \
	          IBC_ATTR_PORT_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO, IBC_ATTR_LINK)

/* ---- reading a specification --------------------------------------------- */

static uint64_t *field(struct shape *shape, const struct synth_key *key)
{
	return (uint64_t *)((char *)shape + key->offset);
}

static const struct synth_key *find_key(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strlen(keys[i].name) == length && !memcmp(keys[i].name, name, length))
			return &keys[i];
	return NULL;
}

static int fail_unknown_key(const char *name, int length, struct ibc_error *err)
{
	char known[128];
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
		                         keys[i].name);
	return fail(err, -EINVAL, "synth: unknown key \"%.*s\"; known are %s", length, name, known);
}

static int read_speed(struct shape *shape, const char *value, struct ibc_error *err)
{
	shape->speed = speed_of(value);
	if (shape->speed == IBC_SPEED_UNKNOWN)
		return fail(
		    err, -EINVAL,
		    "synth: speed=%s is not one of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR",
		    value);
	return 0;
}

/* One "key=value" of length bytes. */
static int read_pair(struct shape *shape, const char *pair, size_t length, struct ibc_error *err)
{
	const char *equals = memchr(pair, '=', length);
	size_t name_length = equals ? (size_t)(equals - pair) : length;
	const struct synth_key *key = find_key(pair, name_length);
	char value[32] = "";
	int written;

	if (!key)
		return fail_unknown_key(pair, name_length > 40 ? 40 : (int)name_length, err);
	if (shape->given & 1u << (key - keys))
		return fail(err, -EINVAL, "synth: %s= is given twice", key->name);
	shape->given |= 1u << (key - keys);
	written = equals ? snprintf(value, sizeof(value), "%.*s", (int)(length - name_length - 1),
	                            equals + 1)
	                 : 0;
	if (!key->max)
		return read_speed(shape, value, err);
	if (written >= (int)sizeof(value) || str_u64(value, key->min, key->max, field(shape, key)))
		return fail(err, -EINVAL, "synth: %s=%s is not a number from %llu to %llu",
		            key->name, value, (unsigned long long)key->min,
		            (unsigned long long)key->max);
	return 0;
}

/* Are the right keys there for this number of levels? */
static int check_keys(const struct shape *shape, struct ibc_error *err)
{
	unsigned int needed = shape->levels == 2 ? NEEDED_BY_2 : NEEDED_BY_3;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		bool given = shape->given & 1u << i;

		if (!given && (keys[i].rule & needed))
			return fail(err, -EINVAL, "synth: %s= is missing", keys[i].name);
		if (given && (keys[i].rule & NOT_FOR_2) && shape->levels == 2)
			return fail(err, -EINVAL, "synth: %s= needs levels=3", keys[i].name);
	}
	if (shape->leaves % shape->rails)
		return fail(err, -EINVAL, "synth: leaves=%llu is not a multiple of rails=%llu",
		            (unsigned long long)shape->leaves, (unsigned long long)shape->rails);
	return 0;
}

static uint64_t leaf_ports(const struct shape *s)
{
	return s->hosts + s->spines * s->cables;
}

static uint64_t spine_ports(const struct shape *s)
{
	return s->leaves * s->cables + s->uplinks;
}

static uint64_t switch_count(const struct shape *s)
{
	return s->pods * (s->leaves + s->spines) + s->spines * s->uplinks;
}

static uint64_t node_count(const struct shape *s)
{
	return switch_count(s) + s->pods * s->leaves * s->hosts;
}

/* Does it fit switches and a subnet as they are? */
static int check_limits(const struct shape *s, struct ibc_error *err)
{
	const struct {
		const char *name, *sum;
		uint64_t ports;
	} tiers[] = {
		{ "leaf", "hosts + spines * cables", leaf_ports(s) },
		{ "spine", "leaves * cables + uplinks", spine_ports(s) },
		{ "core", "pods", s->uplinks ? s->pods : 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(tiers); i++) {
		if (tiers[i].ports > SWITCH_PORTS_MAX)
			return fail(err, -EINVAL,
			            "synth: a %s needs %llu ports (%s), a switch has at most %d",
			            tiers[i].name, (unsigned long long)tiers[i].ports, tiers[i].sum,
			            SWITCH_PORTS_MAX);
		if (s->radix && tiers[i].ports > s->radix)
			return fail(err, -EINVAL, "synth: radix=%llu: a %s needs %llu ports (%s)",
			            (unsigned long long)s->radix, tiers[i].name,
			            (unsigned long long)tiers[i].ports, tiers[i].sum);
	}
	if (node_count(s) > LIDS_MAX)
		return fail(err, -EINVAL, "synth: %llu nodes need a LID each, a subnet has %d",
		            (unsigned long long)node_count(s), LIDS_MAX);
	return 0;
}

static int read_shape(struct shape *shape, const char *spec, struct ibc_error *err)
{
	const char *pair = spec + strlen(PREFIX), *end;
	int rc;

	if (strncmp(spec, PREFIX, strlen(PREFIX)))
		return fail(err, -EINVAL, "%.60s: the only shape is \"" PREFIX "KEY=N,...\"", spec);
	*shape = (struct shape){ .speed = IBC_SPEED_EDR };
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].max)
			*field(shape, &keys[i]) = keys[i].fallback;
	for (; *pair; pair = *end ? end + 1 : end) {
		end = strchrnul(pair, ',');
		rc = read_pair(shape, pair, (size_t)(end - pair), err);
		if (rc)
			return rc;
	}
	rc = check_keys(shape, err);
	return rc ? rc : check_limits(shape, err);
}

/* ---- GUIDs and LIDs ------------------------------------------------------ */

/* splitmix64: the same numbers everywhere, unlike rand(). */
static uint64_t next_random(uint64_t *state)
{
	return hash_mix(*state += 0x9e3779b97f4a7c15);
}

/* 0 .. n-1, shuffled (Fisher, Yates) unless state is NULL. */
static uint16_t *new_permutation(size_t n, uint64_t *state)
{
	uint16_t *p = xalloc(n * sizeof(*p));

	for (size_t i = 0; p && i < n; i++) {
		size_t j = state ? next_random(state) % (i + 1) : i;

		p[i] = p[j];
		p[j] = (uint16_t)i;
	}
	return p;
}

static uint16_t lid_of_made(const struct tree *t, unsigned int made)
{
	return (uint16_t)(t->lids[made] + 1);
}

/* ---- making nodes and cables --------------------------------------------- */

static uint16_t speeds_up_to(enum ibc_speed speed)
{
	unsigned int set = (speed << 1) - 1;

	return (uint16_t)(speed == IBC_SPEED_FDR10 ? set : set & ~IBC_SPEED_FDR10);
}

static uint8_t widths_at(enum ibc_speed speed)
{
	return IBC_WIDTH_1X | IBC_WIDTH_4X | (speed >= IBC_SPEED_HDR ? IBC_WIDTH_2X : 0);
}

static void make_port(const struct tree *t, struct ibc_port *port)
{
	answers_put(port, IBC_ATTR_PORT_INFO, ANSWER_OK);
	if (t->shape.speed == IBC_SPEED_FDR10)
		answers_put(port, IBC_ATTR_MLNX_EXT_PORT_INFO, ANSWER_OK);
	port->state = IBC_STATE_DOWN;
	port->phys_state = IBC_PHYS_POLLING;
	port->width_supported = port->width_enabled = widths_at(t->shape.speed);
	port->speed_supported = port->speed_enabled = speeds_up_to(t->shape.speed);
	port->mtu_cap = MTU_4096;
	port->vl_cap = VLS_8;
}

/* Nothing was ever sent, and nothing went wrong. */
static void make_counters(const struct tree *t, struct ibc_port *port)
{
	if (!t->counters)
		return;
	answers_put(port, IBC_ATTR_PORT_COUNTERS, ANSWER_OK);
	answers_put(port, IBC_ATTR_PORT_COUNTERS_EXT, ANSWER_OK);
	port->counters = t->counters;
}

static void bring_up(const struct tree *t, struct ibc_port *port)
{
	port->state = IBC_STATE_ACTIVE;
	port->phys_state = IBC_PHYS_LINKUP;
	port->width_active = IBC_WIDTH_4X;
	port->speed_active = t->shape.speed;
	port->mtu_active = MTU_4096;
	port->vl_active = VLS_8;
}

/* What only a port that packets end at has: a LID, a GUID, capabilities. */
static void make_endport(const struct tree *t, struct ibc_port *port, unsigned int made)
{
	bool is_switch = port->node->type == IBC_NODE_SWITCH;

	port->guid = port->node->guid + port->num;
	port->lid = lid_of_made(t, made);
	port->sm_lid = t->sm_lid;
	port->cap_mask = is_switch ? CAP_MASK_SWITCH : CAP_MASK_CA;
	if (port->lid == t->sm_lid)
		port->cap_mask |= CAP_MASK_IS_SM;
	port->subnet_prefix = DEFAULT_PREFIX;
}

static void make_switch_info(struct ibc_node *node, unsigned int lids)
{
	answers_put(node, IBC_ATTR_SWITCH_INFO, ANSWER_OK);
	node->device_id = DEVICE_SWITCH;
	node->lft_cap = LFT_CAP;
	node->lft_top = (uint16_t)lids;
}

/* One version for each of the two models. */
static void make_general_info(const struct tree *t, struct ibc_node *node)
{
	if (!ibc_attrs_has(t->subnet->provides, IBC_ATTR_GENERAL_INFO))
		return;
	answers_put(node, IBC_ATTR_GENERAL_INFO, ANSWER_OK);
	node->firmware = node->type == IBC_NODE_SWITCH ? FIRMWARE_SWITCH : FIRMWARE_CA;
}

/* NULL when out of memory, which the builder remembers. */
static struct ibc_node *make_node(struct tree *t, enum ibc_node_type type, unsigned int num_ports,
                                  const char *desc)
{
	unsigned int made = t->made++, first = type != IBC_NODE_SWITCH;
	struct ibc_node *node = fabric_build_node(
	    t->build, t->subnet, GUID_BASE + GUID_STEP * (t->guids[made] + 1ull), type, num_ports);

	if (!node)
		return NULL;
	fabric_build_desc(t->build, node, desc, strlen(desc));
	node->system_guid = node->guid;
	node->vendor_id = VENDOR_ID;
	node->device_id = DEVICE_CA;
	if (type == IBC_NODE_SWITCH)
		make_switch_info(node, (unsigned int)node_count(&t->shape));
	make_general_info(t, node);
	for (unsigned int i = first; i <= num_ports; i++)
		make_port(t, fabric_build_port(node, i));
	make_endport(t, fabric_build_port(node, first), made);
	if (type == IBC_NODE_SWITCH)
		bring_up(t, fabric_build_port(node, 0));
	return node;
}

static void join_ports(const struct tree *t, struct ibc_node *a, uint64_t a_num, struct ibc_node *z,
                       uint64_t z_num)
{
	struct ibc_port *a_port, *z_port;

	if (!a || !z)
		return;
	a_port = fabric_build_port(a, (unsigned int)a_num);
	z_port = fabric_build_port(z, (unsigned int)z_num);
	fabric_build_link(a_port, z_port);
	bring_up(t, a_port);
	bring_up(t, z_port);
	make_counters(t, a_port);
	make_counters(t, z_port);
}

/* Decimal digits of n, at least min: names of a tier are equally long. */
static int digits(uint64_t n, int min)
{
	int width = snprintf(NULL, 0, "%llu", (unsigned long long)n);

	return width > min ? width : min;
}

static struct ibc_node **make_tier(struct tree *t, const char *name, int min_digits, uint64_t n,
                                   uint64_t ports)
{
	struct ibc_node **tier = xalloc((n ? n : 1) * sizeof(struct ibc_node *));
	char desc[32];

	for (uint64_t i = 0; tier && i < n; i++) {
		snprintf(desc, sizeof(desc), "%s%0*llu", name, digits(n, min_digits),
		         (unsigned long long)i + 1);
		tier[i] = make_node(t, IBC_NODE_SWITCH,
		                    (unsigned int)(t->shape.radix ? t->shape.radix : ports), desc);
	}
	return tier;
}

/* HCA r of each host of a group of leaves sits on its leaf r. */
static void wire_hosts(struct tree *t)
{
	const struct shape *s = &t->shape;
	uint64_t leaves = s->pods * s->leaves, hosts = leaves / s->rails * s->hosts;
	char desc[48];

	for (uint64_t leaf = 0; leaf < leaves; leaf++)
		for (uint64_t h = 0; h < s->hosts; h++) {
			uint64_t host = leaf / s->rails * s->hosts + h;

			snprintf(desc, sizeof(desc), "node%0*llu mlx5_%llu", digits(hosts, 4),
			         (unsigned long long)host + 1,
			         (unsigned long long)(leaf % s->rails));
			join_ports(t, t->leaves[leaf], h + 1, make_node(t, IBC_NODE_CA, 1, desc),
			           1);
		}
}

static void wire_pod(struct tree *t, uint64_t pod)
{
	const struct shape *s = &t->shape;

	for (uint64_t leaf = 0; leaf < s->leaves; leaf++)
		for (uint64_t spine = 0; spine < s->spines; spine++)
			for (uint64_t c = 1; c <= s->cables; c++)
				join_ports(t, t->leaves[pod * s->leaves + leaf],
				           s->hosts + spine * s->cables + c,
				           t->spines[pod * s->spines + spine],
				           leaf * s->cables + c);
	for (uint64_t spine = 0; spine < s->spines; spine++)
		for (uint64_t u = 0; u < s->uplinks; u++)
			join_ports(t, t->spines[pod * s->spines + spine],
			           s->leaves * s->cables + u + 1, t->cores[spine * s->uplinks + u],
			           pod + 1);
}

static int make_tree(struct tree *t)
{
	const struct shape *s = &t->shape;
	uint64_t random = s->seed;

	t->guids = new_permutation(node_count(s), s->seed ? &random : NULL);
	t->lids = new_permutation(node_count(s), s->seed ? &random : NULL);
	if (!t->guids || !t->lids)
		return -ENOMEM;
	t->sm_lid = lid_of_made(t, (unsigned int)switch_count(s)); /* the first host */
	t->leaves = make_tier(t, "leaf", 2, s->pods * s->leaves, leaf_ports(s));
	t->spines = make_tier(t, "spine", 2, s->pods * s->spines, spine_ports(s));
	t->cores = make_tier(t, "core", 3, s->spines * s->uplinks, s->pods);
	if (!t->leaves || !t->spines || !t->cores)
		return -ENOMEM;
	wire_hosts(t);
	for (uint64_t pod = 0; pod < s->pods; pod++)
		wire_pod(t, pod);
	return 0;
}

/* What a device counts; details follow only where their parent did. */
static bool want_counters(struct tree *t, struct ibc_attrs needs)
{
	if (!ibc_attrs_has(needs, IBC_ATTR_PORT_COUNTERS))
		return true;
	ibc_attrs_add(&t->subnet->provides, IBC_ATTR_PORT_COUNTERS);
	ibc_attrs_add(&t->subnet->provides, IBC_ATTR_PORT_COUNTERS_EXT);
	t->counters = arena_alloc(fabric_build_arena(t->build), sizeof(*t->counters));
	if (t->counters)
		t->counters->known = (1u << IBC_LOCAL_PHYSICAL) - 1;
	return t->counters;
}

int source_synth(const char *spec, const struct ibc_source_opts *opts, struct fabric_build *b,
                 struct ibc_error *err)
{
	const struct ibc_attrs needs = opts ? opts->needs : IBC_ATTRS();
	struct tree t = { .build = b };
	int rc = read_shape(&t.shape, spec, err);

	if (rc)
		return rc;
	t.subnet = fabric_build_subnet(b, spec, "synth");
	if (!t.subnet)
		return fail_nomem(err);
	t.subnet->provides = SMPS;
	if (ibc_attrs_has(needs, IBC_ATTR_GENERAL_INFO))
		ibc_attrs_add(&t.subnet->provides, IBC_ATTR_GENERAL_INFO);
	if (!want_counters(&t, needs))
		return fail_nomem(err);
	rc = make_tree(&t);
	if (rc == 0 && !fabric_build_failed(b))
		rc = synth_govern(&t, needs);
	free(t.leaves);
	free(t.spines);
	free(t.cores);
	free(t.guids);
	free(t.lids);
	return rc || fabric_build_failed(b) ? fail_nomem(err) : 0;
}
