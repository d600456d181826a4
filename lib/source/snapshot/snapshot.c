/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of snapshots.  Nothing is believed: whatever a cut, a flipped bit or a
 * hand did to the file, the result is an error with its line, or the fabric
 * that was written.
 */
#include "source/snapshot/snapshot.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "base/str.h"
#include "fabric/attributes.h"
#include "fabric/build.h"
#include "fabric/fabric.h"
#include "source/fields.h"
#include "source/snapshot/snaprows.h"
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

/*
 * struct snapshot_reader
 * @arena: of the fabric; @scratch: of what is needed until the end is read
 * @crc: of what is in front of the line; @next_crc: and of the line
 * @counting: attributes that have counters
 * @origins: read before the nodes are
 * @first_node: of those of the fabric: there may be another source before
 * @num_tables: lines of tables; all nodes are there when the first comes
 * @num_loose: claims the peer has yet to confirm
 */
struct snapshot_reader {
	struct text_file *text;
	const char *spec;
	struct fabric_build *build;
	struct arena *arena, *scratch;
	struct ibc_error *err;
	struct json_reader json;
	char *line;
	size_t length;
	unsigned long crc, next_crc;
	uint64_t counting;
	struct snap_subnet subnets[SUBNETS_MAX];
	struct ref origins[SUBNETS_MAX];
	bool has_origin[SUBNETS_MAX];
	size_t num_subnets, first_node;
	struct seen_node *nodes;
	size_t num_nodes, room;
	uint64_t num_tables, num_ports, num_cables, num_loose;
};

/* ---- lines --------------------------------------------------------------- */

bool is_snapshot_line(const char *line)
{
	return *line == '{' && strchr("\"}", line[1 + strspn(line + 1, " \t")]);
}

/* jansson finds the words and the place; 0: to it, the line is an object. */
static int fail_json(const struct snapshot_reader *r, struct ibc_error *err)
{
	json_error_t why;
	json_t *same = json_loadb(r->line, r->length, JSON_REJECT_DUPLICATES, &why);
	bool is_object = json_is_object(same);

	json_decref(same);
	if (is_object)
		return 0;
	if (same)
		return text_fail(r->text, err, "not an object");
	if (text_was_cut(r->text))
		return text_fail(r->text, err, "the snapshot is cut off in this line");
	if (json_error_code(&why) == json_error_out_of_memory)
		return fail_nomem(err);
	return fail(err, -EINVAL, "%s:%lu:%d: not valid JSON: %s", text_name(r->text),
	            text_line_number(r->text), why.column, why.text);
}

/* The object of the next line, valid until the next call.  1, 0 at the end, or an error. */
static int next_object(struct snapshot_reader *r, const struct json_item **out)
{
	int rc;

	r->crc = r->next_crc;
	rc = text_line(r->text, &r->line, &r->length, r->err);
	if (rc <= 0)
		return rc;
	r->next_crc = crc32_z(r->next_crc, (const unsigned char *)r->line, r->length);
	r->next_crc = crc32_z(r->next_crc, (const unsigned char *)"\n", 1);
	*out = json_read(&r->json, r->line, r->length);
	if (*out)
		return 1;
	if (r->json.no_memory)
		return fail_nomem(r->err);
	json_unread(r->line, r->length);
	rc = fail_json(r, r->err);
	return rc ? rc : text_fail(r->text, r->err, "not valid JSON");
}

/* Says where, if what failed was the line. */
static int at_line(const struct snapshot_reader *r, int rc, const struct ibc_error *what)
{
	if (rc == -ENOMEM)
		return fail_nomem(r->err);
	return rc ? text_fail(r->text, r->err, "%s", what->text) : 0;
}

/* @port: whose fields they are, or NULL */
static int get_fields(const struct snapshot_reader *r, const struct json_item *from,
                      const struct field *table, void *base, const struct json_item **parts,
                      const struct ibc_port *port)
{
	struct ibc_error what;
	int rc = fields_get(from, table, base, parts, r->arena, &what);

	if (rc && port)
		return text_fail(r->text, r->err, "port %u: %s", port->num, what.text);
	return at_line(r, rc, &what);
}

/* ---- references ---------------------------------------------------------- */

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

static int read_subnet(struct snapshot_reader *r, const struct json_item *object)
{
	const struct json_item *parts[SUBNET_PARTS] = { NULL };
	struct ibc_subnet *subnet = text_subnet(r->text, r->spec, "snapshot", r->build);
	struct snap_subnet *p = &r->subnets[r->num_subnets];
	struct ibc_error what;
	struct ibc_subnet now;
	int rc;

	if (r->num_subnets == SUBNETS_MAX)
		return text_fail(r->text, r->err, "more than %d subnets", SUBNETS_MAX);
	now = *subnet;
	rc = get_fields(r, object, subnet_fields, subnet, parts, NULL);
	if (rc)
		return rc;
	/* it comes from this file now, whatever it came from then */
	subnet->source = now.source;
	subnet->kind = now.kind;
	subnet->file = now.file;
	p->subnet = subnet;
	r->has_origin[r->num_subnets] = parts[SUBNET_ORIGIN];
	if (parts[SUBNET_ORIGIN] && !get_ref(parts[SUBNET_ORIGIN], &r->origins[r->num_subnets]))
		return text_fail(r->text, r->err, "invalid value of \"origin\"");
	rc = snap_subnet_header(p, parts, r->arena, &what);
	r->num_subnets++;
	return at_line(r, rc, &what);
}

static int read_header(struct snapshot_reader *r, const struct json_item *header)
{
	const struct json_item *parts[HEADER_PARTS] = { NULL };
	const struct json_item *schema = json_member(header, SNAPSHOT_SCHEMA_KEY), *subnets;
	int64_t number = json_is(schema, JSON_NUMBER) ? schema->number : 0;
	int rc;

	if (!schema)
		return text_fail(r->text, r->err, "JSON, but not a snapshot of ibcheck");
	if (number != IBC_SNAPSHOT_SCHEMA)
		return text_fail(r->text, r->err,
		                 "a snapshot of schema %lld; this is ibcheck %s, which reads "
		                 "schema %d: use %s one",
		                 (long long)number, IBC_VERSION, IBC_SNAPSHOT_SCHEMA,
		                 number > IBC_SNAPSHOT_SCHEMA ? "a newer" : "an older");
	rc = get_fields(r, header, header_fields, NULL, parts, NULL);
	if (rc)
		return rc;
	subnets = parts[HEADER_SUBNETS];
	if (!json_is(subnets, JSON_LIST) || subnets->size == 0)
		return text_fail(r->text, r->err, "invalid value of \"subnets\"");
	for (const struct json_item *subnet = subnets + 1;
	     rc == 0 && subnet != json_behind(subnets); subnet = json_behind(subnet))
		rc = read_subnet(r, subnet);
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

/* The port at says that peer is its peer.  Whoever of the two is read last lays the cable. */
static int read_peer(struct snapshot_reader *r, struct ref at, const struct json_item *value)
{
	struct ibc_node *node = r->nodes[at.node].node, *peer_node;
	struct ibc_port *a, *z;
	struct ref peer;
	int rc;

	if (!get_ref(value, &peer) || peer.port == 0 || at.port == 0 || is_ref(&peer, at))
		return text_fail(r->text, r->err, "port %u: invalid value of \"peer\"", at.port);
	if (peer.node > at.node || (peer.node == at.node && peer.port > at.port)) {
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
	assert(rc == 0); /* no other port can have claimed either */
	if (z->extra->cable)
		port_extra(a)->cable = z->extra->cable;
	r->num_loose--;
	r->num_cables++;
	return rc;
}

/* ---- nodes --------------------------------------------------------------- */

/* What a check reads that finds an attribute answered: a sentence says what is missing; or NULL. */
static const char *missing_of(const struct ibc_port *port)
{
	const struct ibc_attrs of_module = IBC_ATTRS(IBC_ATTR_PHY_MODULE,
	                                             IBC_ATTR_PHY_MODULE_LATCHES);
	struct ibc_attrs all = ibc_attrs_and(ibc_port_attrs(port, IBC_ANSWERED),
	                                     ibc_attrs_of_group(IBC_ATTRS_PHYSICAL));

	if (!port->extra->sm && ibc_port_has(port, IBC_ATTR_SM_INFO))
		return "SMInfo was answered, but is missing here";
	if (!port->extra->pkeys && ibc_port_has(port, IBC_ATTR_PKEY_TABLE))
		return "partitions were answered, but are missing here";
	if (!port->extra->phy && !ibc_attrs_is_empty(ibc_attrs_minus(all, of_module)))
		return "\"phy\" was answered, but is missing here";
	if (!port->extra->module && ibc_attrs_meet(all, of_module))
		return "\"module\" was answered, but is missing here";
	if (!port->extra->vports && ibc_port_has(port, IBC_ATTR_VPORTS))
		return "VPortInfo was answered, but is missing here";
	return NULL;
}

/* They are there if, and only if, an attribute that has counters was answered. */
static int read_counters(const struct snapshot_reader *r, struct ibc_port *port,
                         const struct json_item *from)
{
	bool answered = port->answers.answered & r->counting;
	struct ibc_counters counters = { 0 }, *kept;
	int rc;

	if (!from == answered)
		return text_fail(r->text, r->err, "port %u: %s", port->num,
		                 from ? "counters that no device reported"
		                      : "counters were answered, but are missing here");
	if (!from)
		return 0;
	if (!json_is(from, JSON_MEMBERS))
		return text_fail(r->text, r->err, "port %u: invalid value of \"counters\"",
		                 port->num);
	rc = get_fields(r, from, counters_fields, &counters, NULL, port);
	if (!rc && counters.saturated & ~counters.known)
		rc = text_fail(r->text, r->err, "port %u: invalid value of \"saturated\"",
		               port->num);
	if (rc || !fabric_build_has_counters(r->build))
		return rc;
	kept = arena_alloc(r->arena, sizeof(*kept));
	*kept = counters;
	port->counters = kept;
	return 0;
}

/* Ports come in order; *num: of the last one. */
static int read_port(struct snapshot_reader *r, size_t index, const struct json_item *object,
                     int *last)
{
	const struct json_item *parts[PORT_PARTS] = { NULL };
	struct ibc_node *node = r->nodes[index].node;
	struct whole_port whole;
	const char *missing;
	struct ibc_port *port;
	uint64_t num;
	int rc;

	if (!json_index(json_member(object, "num"), node->num_ports, &num) || (int)num <= *last)
		return text_fail(r->text, r->err, "a port without a valid \"num\"");
	*last = (int)num;
	port = fabric_build_port(node, (unsigned int)num);
	whole = (struct whole_port){ *port, *port->extra };
	rc = get_fields(r, object, port_fields, &whole, parts, port);
	if (rc)
		return rc;
	*port = whole.port;
	if (memcmp(&whole.extra, port->extra, sizeof(whole.extra)) != 0)
		*port_extra(port) = whole.extra;
	if (!answers_hold(&port->answers))
		return text_fail(r->text, r->err,
		                 "port %u: an answer without a query, or two for one", port->num);
	answers_settle(&port->answers, attr_port_optional);
	rc = read_counters(r, port, parts[PORT_COUNTERS]);
	if (rc)
		return rc;
	missing = missing_of(port);
	if (missing)
		return text_fail(r->text, r->err, "port %u: %s", port->num, missing);
	if (!parts[PORT_PEER])
		return 0;
	return read_peer(r, (struct ref){ index, port->num }, parts[PORT_PEER]);
}

static int read_node(struct snapshot_reader *r, const struct json_item *object)
{
	const struct json_item *parts[NODE_PARTS] = { NULL }, *ports;
	const struct json_item *guid = json_member(object, "guid");
	uint64_t subnet, num_ports, type, key = 0;
	struct ibc_node *node;
	int rc, last;

	if (!json_index(json_member(object, "subnet"), r->num_subnets - 1, &subnet))
		return text_fail(r->text, r->err, "invalid value of \"subnet\"");
	/* a value that cannot be is an error when all fields are read */
	if (!json_index(json_member(object, "num_ports"), UINT8_MAX, &num_ports))
		num_ports = 0;
	if (!json_index(json_member(object, "type"), UINT8_MAX, &type))
		type = 0;
	if (json_is(guid, JSON_TEXT))
		str_guid(guid->text, &key);
	r->num_ports += num_ports + (type == IBC_NODE_SWITCH);
	if (r->num_ports > FILE_MAX_PORTS)
		return text_fail(r->text, r->err, "more than %d ports, which no subnet can have",
		                 FILE_MAX_PORTS);
	node = fabric_build_node(r->build, r->subnets[subnet].subnet, key, type,
	                         (unsigned int)num_ports);
	node->answers = (struct ibc_answers){ 0 };
	arena_grow(r->scratch, &r->nodes, r->num_nodes, &r->room, sizeof(*r->nodes));
	r->nodes[r->num_nodes++] = (struct seen_node){ node, arena_array(r->scratch, num_ports + 1,
		                                                         sizeof(struct ref)) };
	rc = get_fields(r, object, node_fields, node, parts, NULL);
	if (rc)
		return rc;
	if (parts[NODE_NAME] && parts[NODE_NAME]->kind != JSON_TEXT)
		return text_fail(r->text, r->err, "invalid value of \"name\"");
	if (!answers_hold(&node->answers))
		return text_fail(r->text, r->err, "an answer without a query, or two for one");
	answers_settle(&node->answers, attr_node_optional);
	if (!node->ar != !ibc_node_has(node, IBC_ATTR_AR_INFO))
		return text_fail(r->text, r->err,
		                 "AdaptiveRoutingInfo was%s answered, but is%s here",
		                 node->ar ? " not" : "", node->ar ? "" : " missing");
	if (!node->router != !ibc_node_has(node, IBC_ATTR_ROUTER_INFO))
		return text_fail(r->text, r->err, "RouterInfo was%s answered, but is%s here",
		                 node->router ? " not" : "", node->router ? "" : " missing");
	if (parts[NODE_NAME])
		fabric_build_name(r->build, node->guid, parts[NODE_NAME]->text);
	ports = parts[NODE_PORTS];
	if (!json_is(ports, JSON_LIST))
		return text_fail(r->text, r->err, "invalid value of \"ports\"");
	last = (int)node_first_port(node) - 1;
	for (const struct json_item *port = ports + 1; rc == 0 && port != json_behind(ports);
	     port = json_behind(port))
		rc = read_port(r, r->num_nodes - 1, port, &last);
	return rc;
}

/* ---- tables and the end ---------------------------------------------------------- */

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
	rc = snap_table_get(object, r->subnets, r->num_subnets, r->first_node, r->build, r->scratch,
	                    &what);
	return at_line(r, rc, &what);
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

static int read_end(struct snapshot_reader *r, const struct json_item *object)
{
	const struct json_item *end = json_member(object, "end"), *crc = json_member(end, "crc32");
	struct ibc_error what;
	int rc = json_size(object) == 1
	             ? verify_counts(r, end)
	             : text_fail(r->text, r->err, "not a valid end of a snapshot");

	if (rc)
		return rc;
	if (r->num_loose)
		return text_fail(r->text, r->err, "%llu cables are given at only one end",
		                 (unsigned long long)r->num_loose);
	if (crc && (crc->kind != JSON_NUMBER || crc->number != (int64_t)r->crc))
		return text_fail(r->text, r->err,
		                 "the checksum of the lines above does not match: the file is "
		                 "damaged, or was edited by hand (then remove \"crc32\" from "
		                 "this line)");
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
	if (r->num_tables == 0)
		rc = start_tables(r);
	if (rc)
		return rc;
	for (size_t i = 0; rc == 0 && i < r->num_subnets; i++)
		rc = snap_subnet_end(&r->subnets[i], r->arena, &what);
	if (rc == 0 && text_was_cut(r->text))
		return text_fail(r->text, r->err, "the snapshot is cut off in this line");
	return at_line(r, rc, &what);
}

/* ---- the whole ----------------------------------------------------------- */

static int read_objects(void *reader)
{
	struct snapshot_reader *r = reader;
	const struct json_item *object = NULL, *end = NULL;
	int rc = 0;

	while (rc == 0 && !end) {
		rc = next_object(r, &object);
		if (rc < 0)
			return rc;
		if (rc == 0)
			return text_fail(r->text, r->err,
			                 "the snapshot is cut off after this line");
		end = r->num_subnets ? json_member(object, "end") : NULL;
		if (r->num_subnets == 0)
			rc = read_header(r, object);
		else if (end)
			rc = read_end(r, object);
		else if (json_member(object, "table"))
			rc = read_table(r, object);
		else if (r->num_tables)
			rc = text_fail(r->text, r->err, "a node after the tables");
		else
			rc = read_node(r, object);
	}
	if (rc == -EINVAL) { /* a key that comes twice is reported instead */
		json_unread(r->line, r->length);
		fail_json(r, r->err);
	}
	if (rc)
		return rc;
	rc = text_line(r->text, &r->line, &r->length, r->err);
	return rc > 0 ? text_fail(r->text, r->err, "something follows the end of the snapshot")
	              : rc;
}

int read_snapshot(struct text_file *f, const char *spec, struct fabric_build *b,
                  struct ibc_error *err)
{
	struct arena *scratch = arena_new();
	struct snapshot_reader *r = scratch ? arena_alloc(scratch, sizeof(*r)) : NULL;
	int rc = -ENOMEM;

	if (r) {
		r->text = f;
		r->spec = spec;
		r->build = b;
		r->arena = fabric_build_arena(b);
		r->scratch = scratch;
		r->err = err;
		r->counting = attrs_to_bits(attrs_where(ATTR_CLASS, ATTR_PMA), attr_port_bits);
		while (fabric_build_node_at(b, r->first_node))
			r->first_node++;
		rc = fabric_build_run(b, scratch, read_objects, r);
		json_reader_free(&r->json);
	}
	arena_free(scratch);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
