/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of snapshots.  Nothing is believed: whatever a cut, a flipped bit or a
 * hand did to the file, the result is an error with its line, or the fabric
 * that was written.
 */
#include "source/snapshot.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "fabric/attributes.h"
#include "fabric/build.h"
#include "fabric/fabric.h"
#include "source/fields.h"
#include "source/snaplines.h"
#include "source/snaprows.h"
#include "source/source.h"

#define SUBNETS_MAX 256 /* no site has so many; a file that says so is damaged */
/* [NODE, PORT] */
struct ref {
	size_t node;
	unsigned int port;
};

/* A node line; claims: the peers of its ports, port 0 where there is none. */
struct seen_node {
	struct ibc_node *node;
	struct ref *claims;
};

/* What a port has besides its fields. */
enum {
	PART_NUM,
	PART_PEER,
	PART_CABLE,
	PART_COUNTERS,
	PART_SM,
	PART_PKEYS,
	PART_PHY,
	PART_MODULE,
	PART_VPORTS,
	PART_END,
};

struct snapshot_reader {
	struct text_file *text;
	struct snap_lines lines;
	struct fabric_build *build;
	struct ibc_error *err;
	uint64_t counting; /* answers that tell counters */
	struct snap_subnet subnets[SUBNETS_MAX];
	struct ref origins[SUBNETS_MAX]; /* read before the nodes are */
	bool has_origin[SUBNETS_MAX];
	size_t num_subnets;
	size_t first_node;   /* of those of the fabric: there may be another source before */
	uint64_t num_tables; /* lines of tables; all nodes are there when the first comes */
	struct seen_node *nodes;
	size_t num_nodes, room;
	uint64_t num_ports, num_cables, num_loose; /* loose: claims the peer has yet to confirm */
};

/* Says where, if what failed was the line. */
static int at_line(const struct snapshot_reader *r, int rc, const struct ibc_error *what)
{
	if (rc == -ENOMEM)
		return fail_nomem(r->err);
	return rc ? text_fail(r->text, r->err, "%s", what->text) : 0;
}

static int read_object_fields(const struct snapshot_reader *r, const struct json_item *from,
                              const struct field *table, void *base, struct field_other *other)
{
	struct ibc_error what;
	int rc = fields_get(from, table, base, other, fabric_build_arena(r->build), &what);

	return at_line(r, rc, &what);
}

static bool get_ref(const struct json_item *value, struct ref *out)
{
	uint64_t node, port;

	/* numbers have nothing inside */
	if (!json_is(value, JSON_LIST) || value->size != 2 ||
	    !json_index(value + 1, SIZE_MAX, &node) || !json_index(value + 2, UINT8_MAX, &port))
		return false;
	*out = (struct ref){ node, (unsigned int)port };
	return true;
}

/* ---- header -------------------------------------------------------------- */

static int read_subnet(struct snapshot_reader *r, const struct json_item *object, const char *spec)
{
	struct field_other other[] = { { "origin", NULL },    { "forwarding", NULL },
		                       { "multicast", NULL }, { "sa", NULL },
		                       { "sweep", NULL },     { NULL, NULL } };
	const struct json_item *origin = json_member(object, "origin");
	const struct json_item *sweep = json_member(object, "sweep");
	struct ibc_subnet *subnet = text_subnet(r->text, spec, "snapshot", r->build);
	size_t i = r->num_subnets;
	struct ibc_error what;
	struct ibc_subnet seen;
	int rc;

	if (!subnet)
		return fail_nomem(r->err);
	if (i == SUBNETS_MAX)
		return text_fail(r->text, r->err, "more than %d subnets", SUBNETS_MAX);
	r->num_subnets++;
	r->subnets[i].subnet = subnet;
	r->has_origin[i] = origin != NULL;
	if (origin && !get_ref(origin, &r->origins[i]))
		return text_fail(r->text, r->err, "invalid value of \"origin\"");
	seen = *subnet;
	rc = read_object_fields(r, object, subnet_fields, &seen, other);
	if (rc)
		return rc;
	rc = snap_subnet_header(&r->subnets[i], object, fabric_build_arena(r->build), &what);
	if (rc)
		return at_line(r, rc, &what);
	/* it comes from this file now, whatever it came from then */
	seen.source = subnet->source;
	seen.kind = subnet->kind;
	seen.file = subnet->file;
	fields_copy(subnet_fields, &seen, subnet);
	return sweep ? read_object_fields(r, sweep, sweep_fields, &subnet->sweep, NULL) : 0;
}

static int verify_schema(const struct snapshot_reader *r, const struct json_item *header)
{
	const struct json_item *schema = json_member(header, SNAPSHOT_SCHEMA_KEY);
	int64_t number = json_is(schema, JSON_NUMBER) ? schema->number : 0;

	if (!schema)
		return text_fail(r->text, r->err, "JSON, but not a snapshot of ibcheck");
	if (number != IBC_SNAPSHOT_SCHEMA)
		return text_fail(r->text, r->err,
		                 "a snapshot of schema %lld; this is ibcheck %s, which reads "
		                 "schema %d: use %s one",
		                 (long long)number, IBC_VERSION, IBC_SNAPSHOT_SCHEMA,
		                 number > IBC_SNAPSHOT_SCHEMA ? "a newer" : "an older");
	return 0;
}

static int read_header(struct snapshot_reader *r, const struct json_item *header, const char *spec)
{
	static const struct field none[] = { { NULL, 0, 0 } };
	struct field_other keys[] = {
		{ SNAPSHOT_SCHEMA_KEY, NULL }, { "tool", NULL }, { "subnets", NULL }, { NULL, NULL }
	};
	const struct json_item *subnets = json_member(header, "subnets");
	int rc = verify_schema(r, header);

	if (rc == 0)
		rc = read_object_fields(r, header, none, NULL, keys);
	if (rc)
		return rc;
	if (!json_is(subnets, JSON_LIST) || subnets->size == 0)
		return text_fail(r->text, r->err, "invalid value of \"subnets\"");
	for (const struct json_item *subnet = subnets + 1;
	     rc == 0 && subnet != json_behind(subnets); subnet = json_behind(subnet))
		rc = read_subnet(r, subnet, spec);
	return rc;
}

/* ---- cables -------------------------------------------------------------- */

static struct ref *claim_at(const struct snapshot_reader *r, struct ref at)
{
	if (at.node >= r->num_nodes || at.port > r->nodes[at.node].node->num_ports)
		return NULL;
	return &r->nodes[at.node].claims[at.port];
}

static bool is_ref(const struct ref *a, struct ref z)
{
	return a && a->node == z.node && a->port == z.port;
}

static bool comes_later(struct ref a, struct ref than)
{
	return a.node != than.node ? a.node > than.node : a.port > than.port;
}

/* The port at says that peer is its peer.  Whoever of the two is read last lays the cable. */
static int read_peer(struct snapshot_reader *r, struct ref at, const struct json_item *value)
{
	struct ibc_node *node = r->nodes[at.node].node, *peer_node;
	struct ibc_port *a, *z;
	struct ref peer;
	int rc;

	if (!get_ref(value, &peer) || peer.port == 0 || at.port == 0 || is_ref(&peer, at))
		return text_fail(r->text, r->err, "port %u: invalid value of \"peer\"", at.port);
	if (comes_later(peer, at)) {
		*claim_at(r, at) = peer;
		r->num_loose++;
		return 0;
	}
	if (!is_ref(claim_at(r, peer), at))
		return text_fail(r->text, r->err,
		                 "port %u: node %zu does not have it as the peer of its port %u",
		                 at.port, peer.node, peer.port);
	peer_node = r->nodes[peer.node].node;
	if (peer_node->subnet != node->subnet)
		return text_fail(r->text, r->err, "port %u: the peer is in another subnet",
		                 at.port);
	a = fabric_build_port(node, at.port);
	z = fabric_build_port(peer_node, peer.port);
	rc = fabric_build_link(a, z);
	assert(rc == 0); /* nobody else can have claimed either */
	a->cable = z->cable;
	r->num_loose--;
	r->num_cables++;
	return rc;
}

/* ---- nodes --------------------------------------------------------------- */

/* Says where, if what failed was the line. */
static int at_port(const struct snapshot_reader *r, const struct ibc_port *port, int rc,
                   const struct ibc_error *what)
{
	if (rc == -ENOMEM)
		return fail_nomem(r->err);
	return rc ? text_fail(r->text, r->err, "port %u: %s", port->num, what->text) : 0;
}

/* Counters are there if, and only if, something that tells them was answered. */
static int read_counters(const struct snapshot_reader *r, struct ibc_port *port,
                         const struct json_item *from)
{
	struct arena *a = fabric_build_has_counters(r->build) ? fabric_build_arena(r->build) : NULL;
	struct ibc_error what;
	int rc;

	if (!from == !!(port->answers.answered & r->counting))
		return text_fail(r->text, r->err, "port %u: %s", port->num,
		                 from ? "counters that no device reported"
		                      : "counters were answered, but are missing here");
	if (!from)
		return 0;
	rc = counters_get(from, a, &port->counters, &what);
	return at_port(r, port, rc, &what);
}

/* Both ends tell it; that which is read last has what the first one told. */
static int read_cable(struct snapshot_reader *r, struct ibc_port *port,
                      const struct json_item *from)
{
	struct ibc_cable *cable;

	if (!from)
		return 0;
	cable = arena_alloc(fabric_build_arena(r->build), sizeof(*cable));
	if (!cable)
		return fail_nomem(r->err);
	port->cable = cable;
	return read_object_fields(r, from, cable_fields, cable, NULL);
}

/* Its subnet manager, partitions, physical layer, virtual ports: there, if something told them. */
static int read_told(const struct snapshot_reader *r, struct ibc_port *port,
                     const struct field_other *parts)
{
	struct arena *a = fabric_build_arena(r->build);
	struct ibc_error what;
	int rc = managed_get(parts[PART_SM].value, parts[PART_PKEYS].value, port, a, &what);

	if (rc == 0)
		rc = port_phy_get(parts[PART_PHY].value, parts[PART_MODULE].value, port, a, &what);
	if (rc == 0)
		rc = vports_get(parts[PART_VPORTS].value, port, a, &what);
	return at_port(r, port, rc, &what);
}

/* What belongs to a port besides its fields. */
static int read_port_parts(struct snapshot_reader *r, struct ref at, struct ibc_port *port,
                           const struct field_other *parts)
{
	int rc = read_counters(r, port, parts[PART_COUNTERS].value);

	if (rc == 0)
		rc = read_told(r, port, parts);
	if (rc == 0)
		rc = read_cable(r, port, parts[PART_CABLE].value);
	if (rc == 0 && parts[PART_PEER].value)
		rc = read_peer(r, at, parts[PART_PEER].value);
	return rc;
}

static int read_port_object(struct snapshot_reader *r, size_t index, const struct json_item *object,
                            unsigned int first)
{
	struct field_other parts[] = {
		[PART_NUM] = { "num", NULL },       [PART_PEER] = { "peer", NULL },
		[PART_CABLE] = { "cable", NULL },   [PART_COUNTERS] = { "counters", NULL },
		[PART_SM] = { "sm", NULL },         [PART_PKEYS] = { "pkeys", NULL },
		[PART_PHY] = { "phy", NULL },       [PART_MODULE] = { "module", NULL },
		[PART_VPORTS] = { "vports", NULL }, [PART_END] = { NULL, NULL },
	};
	struct ibc_node *node = r->nodes[index].node;
	struct ibc_port *port;
	uint64_t num;
	int rc;

	if (!json_index(json_member(object, "num"), node->num_ports, &num) || num < first)
		return text_fail(r->text, r->err, "a port without a valid \"num\"");
	port = fabric_build_port(node, (unsigned int)num);
	rc = read_object_fields(r, object, port_fields, port, parts);
	if (rc == 0 && !answers_hold(&port->answers))
		rc = text_fail(r->text, r->err,
		               "port %u: an answer without a query, or two for one", port->num);
	answers_settle(&port->answers, attr_port_optional);
	if (rc == 0)
		rc = read_port_parts(r, (struct ref){ index, port->num }, port, parts);
	return rc ? rc : (int)num;
}

static int read_ports(struct snapshot_reader *r, size_t index, const struct json_item *ports)
{
	int num = (int)node_first_port(r->nodes[index].node) - 1;

	if (!json_is(ports, JSON_LIST))
		return text_fail(r->text, r->err, "invalid value of \"ports\"");
	for (const struct json_item *port = ports + 1; port != json_behind(ports);
	     port = json_behind(port)) {
		num = read_port_object(r, index, port, (unsigned int)(num + 1));
		if (num < 0)
			return num;
	}
	return 0;
}

static int add_seen_node(struct snapshot_reader *r, const struct ibc_node *fields,
                         struct ibc_subnet *subnet)
{
	struct ibc_node *node;
	struct seen_node *seen;

	r->num_ports += fields->num_ports + (fields->type == IBC_NODE_SWITCH);
	if (r->num_ports > FILE_MAX_PORTS)
		return text_fail(r->text, r->err, "more than %d ports, which no subnet can have",
		                 FILE_MAX_PORTS);
	if (!grow(&r->nodes, r->num_nodes, &r->room, sizeof(*r->nodes)))
		return fail_nomem(r->err);
	seen = &r->nodes[r->num_nodes];
	node = fabric_build_node(r->build, subnet, fields->guid, fields->type, fields->num_ports);
	seen->claims = xalloc((fields->num_ports + 1u) * sizeof(*seen->claims));
	seen->node = node;
	if (!node || !seen->claims) {
		free(seen->claims);
		return fail_nomem(r->err);
	}
	r->num_nodes++;
	fields_copy(node_fields, fields, node);
	return 0;
}

/* What belongs to a node besides its fields and ports. */
static int read_node_parts(const struct snapshot_reader *r, struct ibc_node *node,
                           const struct json_item *object)
{
	struct arena *a = fabric_build_arena(r->build);
	struct ibc_error what;
	int rc = sensors_get(json_member(object, "sensors"), node, a, &what);

	if (rc == 0)
		rc = ar_get(json_member(object, "adaptive_routing"), node, a, &what);
	if (rc == 0)
		rc = node_router_get(json_member(object, "router"), node, a, &what);
	return at_line(r, rc, &what);
}

static int read_node(struct snapshot_reader *r, const struct json_item *object)
{
	struct field_other other[] = {
		{ "subnet", NULL },
		{ "name", NULL },
		{ "ports", NULL },
		{ "sensors", NULL },
		{ "adaptive_routing", NULL },
		{ "router", NULL },
		{ NULL, NULL },
	};
	const struct json_item *name = json_member(object, "name");
	struct ibc_node fields = { .desc = "" };
	uint64_t subnet;
	int rc;

	if (!json_index(json_member(object, "subnet"), r->num_subnets - 1, &subnet))
		return text_fail(r->text, r->err, "invalid value of \"subnet\"");
	if (name && name->kind != JSON_TEXT)
		return text_fail(r->text, r->err, "invalid value of \"name\"");
	rc = read_object_fields(r, object, node_fields, &fields, other);
	if (rc == 0 && !answers_hold(&fields.answers))
		rc = text_fail(r->text, r->err, "an answer without a query, or two for one");
	answers_settle(&fields.answers, attr_node_optional);
	if (rc == 0)
		rc = add_seen_node(r, &fields, r->subnets[subnet].subnet);
	if (rc == 0 && name)
		fabric_build_name(r->build, fields.guid, name->text);
	if (rc == 0)
		rc = read_node_parts(r, r->nodes[r->num_nodes - 1].node, object);
	return rc ? rc : read_ports(r, r->num_nodes - 1, other[2].value);
}

/* ---- tables -------------------------------------------------------------- */

/* No node comes any more. */
static int start_tables(struct snapshot_reader *r)
{
	struct ibc_error what;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->num_subnets; i++)
		rc = snap_subnet_start(&r->subnets[i], r->build, &what);
	return at_line(r, rc, &what);
}

static int read_table(struct snapshot_reader *r, const struct json_item *object)
{
	struct ibc_error what;
	int rc = r->num_tables++ ? 0 : start_tables(r);

	if (rc)
		return rc;
	rc = snap_table_get(object, r->subnets, r->num_subnets, r->first_node, r->build, &what);
	return at_line(r, rc, &what);
}

static int end_tables(struct snapshot_reader *r)
{
	struct ibc_error what;
	int rc = r->num_tables ? 0 : start_tables(r);

	if (rc)
		return rc;
	for (size_t i = 0; rc == 0 && i < r->num_subnets; i++)
		rc = snap_subnet_end(&r->subnets[i], fabric_build_arena(r->build), &what);
	return at_line(r, rc, &what);
}

/* ---- end ----------------------------------------------------------------- */

static int set_origins(struct snapshot_reader *r)
{
	for (size_t i = 0; i < r->num_subnets; i++) {
		struct ibc_subnet *subnet = r->subnets[i].subnet;
		const struct ibc_node *node;

		if (!r->has_origin[i])
			continue;
		if (!claim_at(r, r->origins[i]))
			return text_fail(r->text, r->err,
			                 "subnet %zu begins at a port that does not exist", i);
		node = r->nodes[r->origins[i].node].node;
		subnet->origin = fabric_build_port(node, r->origins[i].port);
		if (!subnet->origin || node->subnet != subnet)
			return text_fail(r->text, r->err,
			                 "subnet %zu begins at a port of another subnet", i);
	}
	return 0;
}

static int verify_counts(const struct snapshot_reader *r, const struct json_item *end)
{
	const struct {
		const char *key;
		uint64_t found;
	} sums[] = {
		{ "nodes", r->num_nodes },
		{ "ports", r->num_ports },
		{ "cables", r->num_cables },
		{ "tables", r->num_tables }, /* if there are any */
	};
	size_t n = ARRAY_SIZE(sums) - (r->num_tables == 0 && !json_member(end, "tables"));
	size_t keys = n + (json_member(end, "crc32") != NULL);
	uint64_t known;

	if (json_size(end) != keys)
		return text_fail(r->text, r->err, "not a valid end of a snapshot");
	for (size_t i = 0; i < n; i++) {
		if (!json_index(json_member(end, sums[i].key), INT64_MAX, &known))
			return text_fail(r->text, r->err, "invalid value of \"%s\"", sums[i].key);
		if (known != sums[i].found)
			return text_fail(r->text, r->err, "%llu %s were written, but %llu are here",
			                 (unsigned long long)known, sums[i].key,
			                 (unsigned long long)sums[i].found);
	}
	return 0;
}

static int verify_crc(const struct snapshot_reader *r, const struct json_item *end)
{
	const struct json_item *crc = json_member(end, "crc32");

	if (!crc || (crc->kind == JSON_NUMBER && crc->number == (int64_t)r->lines.crc))
		return 0;
	return text_fail(r->text, r->err,
	                 "the checksum of the lines above does not match: the file is damaged, or "
	                 "was edited by hand (then remove \"crc32\" from this line)");
}

static int read_end(struct snapshot_reader *r, const struct json_item *object)
{
	int rc = json_size(object) == 1
	             ? verify_counts(r, json_member(object, "end"))
	             : text_fail(r->text, r->err, "not a valid end of a snapshot");

	if (rc == 0 && r->num_loose)
		rc = text_fail(r->text, r->err, "%llu cables are given at only one end",
		               (unsigned long long)r->num_loose);
	if (rc == 0)
		rc = verify_crc(r, json_member(object, "end"));
	if (rc == 0)
		rc = set_origins(r);
	if (rc == 0)
		rc = end_tables(r);
	if (rc == 0 && text_was_cut(r->text))
		rc = text_fail(r->text, r->err, "the snapshot is cut off in this line");
	return rc;
}

/* ---- the whole ----------------------------------------------------------- */

/* 1: there is more to come; 0: that was the end. */
static int read_object(struct snapshot_reader *r, const struct json_item *object, const char *spec)
{
	int rc;

	if (r->num_subnets == 0)
		rc = read_header(r, object, spec);
	else if (json_member(object, "end"))
		return read_end(r, object);
	else if (json_member(object, "table"))
		rc = read_table(r, object);
	else if (r->num_tables)
		rc = text_fail(r->text, r->err, "a node after the tables");
	else
		rc = read_node(r, object);
	return rc ? rc : 1;
}

static int read_objects(struct snapshot_reader *r, const char *spec)
{
	const struct json_item *object;
	int rc, more = 1;

	while (more > 0) {
		rc = snap_next(&r->lines, &object, r->err);
		if (rc == 0)
			return text_fail(r->text, r->err,
			                 "the snapshot is cut off after this line");
		more = rc < 0 ? rc : read_object(r, object, spec);
		if (rc > 0 && more == -EINVAL)
			snap_refused(&r->lines, r->err);
	}
	return more < 0 ? more : snap_ended(&r->lines, r->err);
}

int read_snapshot(struct text_file *f, const char *spec, struct fabric_build *b,
                  struct ibc_error *err)
{
	struct snapshot_reader r = { .text = f, .lines.text = f, .build = b, .err = err };
	int rc;

	r.counting = attrs_to_bits(attrs_where(ATTR_CLASS, ATTR_PMA), attr_port_bits);
	while (fabric_build_node_at(b, r.first_node))
		r.first_node++;
	rc = read_objects(&r, spec);
	if (rc == 0 && fabric_build_failed(b))
		rc = fail_nomem(err);
	for (size_t i = 0; i < r.num_nodes; i++)
		free(r.nodes[i].claims);
	for (size_t i = 0; i < r.num_subnets; i++)
		snap_subnet_free(&r.subnets[i]);
	free(r.nodes);
	snap_lines_free(&r.lines);
	return rc;
}
