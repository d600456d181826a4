/* SPDX-License-Identifier: BSD-2-Clause */
/* How sources make a fabric: subnets, nodes, cables, names; then finish.c takes over. */
#include "fabric/build.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "fabric/attributes.h"
#include "fabric/fabric.h"

#define DEFAULT_SUBNET_PREFIX 0xfe80000000000000 /* the default GID prefix, fe80::/64 */

/* A line of a node-name map. */
struct node_name {
	uint64_t guid;
	const char *name;
	UT_hash_handle hh;
};

static const struct ibc_port_extra no_extra;

struct fabric_build {
	struct ibc_fabric *fab;
	size_t node_room, subnet_room;
	struct node_name *names;
	bool failed;
	jmp_buf *escape; /* of fabric_build_run(), or NULL */
};

int fabric_build_new(struct fabric_build **out, struct ibc_error *err)
{
	struct fabric_build *b = xalloc(sizeof(*b));

	if (!b)
		return fail_nomem(err);
	b->fab = xalloc(sizeof(*b->fab));
	if (b->fab)
		b->fab->arena = arena_new();
	if (!b->fab || !b->fab->arena) {
		fabric_build_free(b);
		return fail_nomem(err);
	}
	*out = b;
	return 0;
}

void fabric_build_free(struct fabric_build *b)
{
	if (!b)
		return;
	HASH_CLEAR(hh, b->names);
	ibc_fabric_free(b->fab);
	free(b);
}

struct arena *fabric_build_arena(struct fabric_build *b)
{
	return b->fab->arena;
}

bool fabric_build_failed(const struct fabric_build *b)
{
	return b->failed;
}

void fabric_build_no_counters(struct fabric_build *b)
{
	b->fab->no_counters = true;
}

bool fabric_build_has_counters(const struct fabric_build *b)
{
	return !b->fab->no_counters;
}

int fabric_build_run(struct fabric_build *b, struct arena *scratch, int (*run)(void *ctx),
                     void *ctx)
{
	volatile int rc = -ENOMEM;
	jmp_buf escape;

	if (scratch && !setjmp(escape)) {
		b->escape = &escape;
		arena_escape(b->fab->arena, &escape);
		arena_escape(scratch, &escape);
		rc = run(ctx);
		arena_escape(scratch, NULL);
	}
	b->escape = NULL;
	arena_escape(b->fab->arena, NULL);
	return rc == 0 && b->failed ? -ENOMEM : rc;
}

void fabric_build_need(struct fabric_build *b, bool had)
{
	b->failed |= !had;
	if (!had && b->escape)
		longjmp(*b->escape, 1);
}

/* Passes p through, and remembers when it is NULL. */
static void *sticky(struct fabric_build *b, void *p)
{
	fabric_build_need(b, p);
	return p;
}

/* What comes next in a list of pointers, which has room for it then; or NULL. */
static void *new_element(struct fabric_build *b, void *list, size_t n, size_t *room, size_t size)
{
	bool fits = grow(list, n, room, sizeof(void *));

	return sticky(b, fits ? arena_alloc(b->fab->arena, size) : NULL);
}

/* Bytes of others as text fit for the model; "" when memory ran out. */
static const char *clean_for_model(struct fabric_build *b, const char *bytes, size_t n)
{
	const char *text = utf8_clean(b->fab->arena, bytes, n);

	fabric_build_need(b, text);
	return text ? text : "";
}

/* Such of a string; NULL is one that there was no memory for. */
static const char *clean_string(struct fabric_build *b, const char *s)
{
	fabric_build_need(b, s);
	return s ? clean_for_model(b, s, strlen(s)) : "";
}

/* ---- subnets and nodes ---- */

struct ibc_subnet *fabric_build_subnet(struct fabric_build *b, const char *source, const char *kind)
{
	struct ibc_fabric *fab = b->fab;
	struct fabric_subnet *p;

	p = new_element(b, &fab->subnets, fab->num_subnets, &b->subnet_room, sizeof(*p));
	if (!p)
		return NULL;
	p->subnet = (struct ibc_subnet){
		.fabric = fab,
		.source = clean_string(b, source),
		.kind = clean_string(b, kind),
		.ca = "",
		.file = "",
		.subnet_prefix = DEFAULT_SUBNET_PREFIX,
		.index = (unsigned int)fab->num_subnets,
	};
	fab->subnets[fab->num_subnets++] = p;
	return &p->subnet;
}

struct ibc_subnet *fabric_build_subnet_at(struct fabric_build *b, size_t i)
{
	return i < b->fab->num_subnets ? &b->fab->subnets[i]->subnet : NULL;
}

void fabric_build_lost(struct fabric_build *b, struct ibc_subnet *subnet, uint64_t lines,
                       struct ibc_attrs of, const struct ibc_lost *first, size_t n)
{
	struct ibc_lost *lost = arena_array(b->fab->arena, IBC_LOST_SHOWN, sizeof(struct ibc_lost));

	fabric_build_need(b, lost);
	if (!lines)
		return;
	subnet->cut_short |= ibc_attrs_has(of, IBC_ATTR_NODE_INFO);
	subnet->lost_of = ibc_attrs_or(subnet->lost_of, of);
	subnet->lines_lost += lines;
	for (size_t i = 0; lost && i < subnet->num_lost; i++)
		lost[i] = subnet->lost[i];
	for (size_t i = 0; lost && i < n && subnet->num_lost < IBC_LOST_SHOWN; i++) {
		struct ibc_lost *to = &lost[subnet->num_lost++];

		*to = first[i];
		to->file = clean_string(b, first[i].file);
		to->why = clean_string(b, first[i].why);
	}
	subnet->lost = lost;
}

struct ibc_node *fabric_build_node(struct fabric_build *b, struct ibc_subnet *subnet, uint64_t guid,
                                   enum ibc_node_type type, unsigned int num_ports)
{
	/* with its ports behind it: only a switch has a port 0 */
	unsigned int first = type == IBC_NODE_SWITCH ? 0 : 1;
	struct ibc_fabric *fab = b->fab;
	struct fabric_node *n, *twin;
	struct ibc_port *ports;

	assert(num_ports <= UINT8_MAX);
	if (b->failed)
		return NULL;
	n = new_element(b, &fab->nodes, fab->num_nodes, &b->node_room,
	                sizeof(*n) + (num_ports + 1 - first) * sizeof(*ports));
	if (!n)
		return NULL;
	ports = (struct ibc_port *)(n + 1) - first;
	for (unsigned int i = first; i <= num_ports; i++) {
		ports[i].node = &n->node;
		ports[i].num = (uint8_t)i;
		ports[i].extra = &no_extra;
	}
	n->node = (struct ibc_node){
		.subnet = subnet,
		.guid = guid,
		.type = type,
		.num_ports = (uint8_t)num_ports,
		.desc = "",
		.name = "",
		.ports = ports,
	};
	n->order = (uint32_t)fab->num_nodes;
	answers_put(&n->node, IBC_ATTR_NODE_INFO, ANSWER_OK);
	fab->nodes[fab->num_nodes++] = n;
	/* several nodes of one GUID: the first is found by it, and all are marked */
	twin = fabric_find(fab, subnet->index, guid);
	if (twin) {
		twin->node.duplicate = n->node.duplicate = true;
		n->twin = twin->twin;
		twin->twin = n;
		return &n->node;
	}
	HASH_ADD(hh, fab->subnets[subnet->index]->by_guid, node.guid, sizeof(guid), n);
	fabric_build_need(b, hash_added(n));
	return b->failed ? NULL : &n->node;
}

struct ibc_node *fabric_build_node_at(struct fabric_build *b, size_t i)
{
	return i < b->fab->num_nodes ? &b->fab->nodes[i]->node : NULL;
}

struct ibc_node *fabric_build_find(struct fabric_build *b, const struct ibc_subnet *subnet,
                                   uint64_t guid)
{
	struct fabric_node *n = subnet ? fabric_find(b->fab, subnet->index, guid) : NULL;

	return n ? &n->node : NULL;
}

struct ibc_node *fabric_build_find_next(const struct ibc_node *node)
{
	/* every node of the model is the first member of its fabric_node */
	const struct fabric_node *twin = ((const struct fabric_node *)node)->twin;

	return twin ? (struct ibc_node *)&twin->node : NULL;
}

struct ibc_port *fabric_build_port(const struct ibc_node *node, unsigned int num)
{
	/* const only for those who get the fabric when it is built */
	return node ? (struct ibc_port *)ibc_node_port(node, num) : NULL;
}

struct ibc_port_extra *port_extra(struct ibc_port *port)
{
	if (port->extra == &no_extra)
		port->extra = arena_alloc(port->node->subnet->fabric->arena, sizeof(*port->extra));
	return (struct ibc_port_extra *)port->extra;
}

/* ---- names ---- */

void fabric_build_desc(struct fabric_build *b, struct ibc_node *node, const char *bytes, size_t n)
{
	if (!node)
		return;
	node->desc = clean_for_model(b, bytes, n);
	answers_put(node, IBC_ATTR_NODE_DESC, ANSWER_OK);
}

void fabric_build_label(struct fabric_build *b, struct ibc_port *port, const char *bytes, size_t n)
{
	if (port && n)
		port_extra(port)->label = clean_for_model(b, bytes, n);
}

void fabric_build_name(struct fabric_build *b, uint64_t guid, const char *name)
{
	struct node_name *entry;

	HASH_FIND(hh, b->names, &guid, sizeof(guid), entry);
	if (entry)
		return;
	entry = sticky(b, arena_alloc(b->fab->arena, sizeof(*entry)));
	if (!entry)
		return;
	entry->guid = guid;
	entry->name = clean_string(b, name);
	HASH_ADD(hh, b->names, guid, sizeof(entry->guid), entry);
	fabric_build_need(b, hash_added(entry));
}

/* ---- cables and answers ---- */

int fabric_build_link(struct ibc_port *a, struct ibc_port *z)
{
	if (!a || !z || a == z || a->num == 0 || z->num == 0)
		return -EINVAL;
	assert(a->node->subnet == z->node->subnet);
	if ((a->peer && a->peer != z) || (z->peer && z->peer != a))
		return -EEXIST;
	a->peer = z;
	z->peer = a;
	return 0;
}

void fabric_build_whole(struct ibc_node *node)
{
	((struct fabric_node *)node)->whole = true;
}

void answers_drop(struct ibc_answers *a, uint64_t bit)
{
	a->asked &= ~bit;
	a->answered &= ~bit;
	a->unsupported &= ~bit;
	a->refused &= ~bit;
}

void answers_settle(struct ibc_answers *a, uint64_t optional)
{
	a->refused |= a->unsupported & ~optional;
	a->unsupported &= optional;
}

static void answers_mark(struct ibc_answers *a, uint64_t bit, enum answer outcome)
{
	uint64_t *const sets[ANSWERS] = {
		[ANSWER_OK] = &a->answered,
		[ANSWER_UNSUPPORTED] = &a->unsupported,
		[ANSWER_REFUSED] = &a->refused,
	};

	assert(bit);
	answers_drop(a, bit);
	a->asked |= bit;
	if (sets[outcome])
		*sets[outcome] |= bit;
}

void answers_put_node(struct ibc_node *node, enum ibc_attr attr, enum answer outcome)
{
	answers_mark(&node->answers, attr_node_bits[attr], outcome);
	answers_settle(&node->answers, attr_node_optional);
}

void answers_put_port(struct ibc_port *port, enum ibc_attr attr, enum answer outcome)
{
	answers_mark(&port->answers, attr_port_bits[attr], outcome);
	answers_settle(&port->answers, attr_port_optional);
}

/* ---- the end ---- */

/* struct freezing - a fabric that is finished, and memory until it is */
struct freezing {
	struct fabric_build *build;
	struct arena *scratch;
};

static int freeze_fabric(void *ctx)
{
	struct freezing *f = ctx;
	struct fabric_build *b = f->build;

	/* where a subnet came from is for its source to fill in; its texts come from others too */
	for (size_t i = 0; i < b->fab->num_subnets; i++) {
		struct ibc_subnet *p = &b->fab->subnets[i]->subnet;

		p->ca = clean_string(b, p->ca);
		p->file = clean_string(b, p->file);
		if (p->host)
			p->host = clean_string(b, p->host);
	}
	for (size_t i = 0; i < b->fab->num_nodes; i++) {
		struct ibc_node *node = &b->fab->nodes[i]->node;
		struct node_name *entry;

		HASH_FIND(hh, b->names, &node->guid, sizeof(node->guid), entry);
		node->name = entry && *entry->name ? entry->name : node->desc;
	}
	fabric_index(b->fab);
	fabric_label(b->fab, f->scratch);
	fabric_join_hosts(b->fab, f->scratch);
	return 0;
}

int fabric_build_finish(struct fabric_build *b, struct ibc_fabric **out, struct ibc_error *err)
{
	struct freezing f = { b, arena_new() };
	int rc = b->failed ? -ENOMEM : fabric_build_run(b, f.scratch, freeze_fabric, &f);

	arena_free(f.scratch);
	if (rc) {
		fail_nomem(err);
	} else {
		rc = ibc_fabric_verify(b->fab, err);
		assert(rc == 0);
		*out = b->fab;
		b->fab = NULL;
	}
	fabric_build_free(b);
	return rc;
}
