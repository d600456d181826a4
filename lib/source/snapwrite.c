/* SPDX-License-Identifier: BSD-2-Clause */
/* Writer of snapshots: one line at a time, so that no size matters. */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "fabric/fabric.h"
#include "source/fields.h"
#include "source/snaprows.h"
#include "source/snapshot.h"
#include "source/source.h"

#define TABLE_LINE (1 << 17) /* a line of a table goes no further */

struct snapshot_writer {
	FILE *out;
	unsigned long crc;
	uint64_t num_tables; /* lines of tables */
};

static int write_bytes(const char *bytes, size_t n, void *ctx)
{
	struct snapshot_writer *w = ctx;

	w->crc = crc32_z(w->crc, (const unsigned char *)bytes, n);
	return fwrite(bytes, 1, n, w->out) == n ? 0 : -1;
}

/* Consumes the object, NULL when memory ran out while it was made. */
static int put_line(struct snapshot_writer *w, json_t *object, struct ibc_error *err)
{
	int failed;

	if (!object)
		return fail_nomem(err);
	failed = json_dump_callback(object, write_bytes, w, JSON_COMPACT) ||
	         write_bytes("\n", 1, w);
	json_decref(object);
	if (!failed)
		return 0;
	return ferror(w->out) ? fail(err, -EIO, "cannot write the snapshot: the output failed")
	                      : fail_nomem(err);
}

/* Adds value; either may be NULL.  Drops the object if that fails. */
static json_t *with_member(json_t *object, const char *key, json_t *value)
{
	if (!json_object_set_new_nocheck(object, key, value))
		return object;
	json_decref(object);
	return NULL;
}

static json_t *with_fields(json_t *object, const struct field *table, const void *base)
{
	if (object && fields_put(object, table, base)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *port_ref(const struct ibc_port *port)
{
	return json_pack("[i,i]", (int)node_order(port->node), (int)port->num);
}

/* Adds an object of these fields, if there is one. */
static json_t *with_object(json_t *object, const char *key, const struct field *table,
                           const void *base)
{
	return base ? with_member(object, key, with_fields(json_object(), table, base)) : object;
}

static json_t *subnet_json(const struct ibc_subnet *subnet)
{
	json_t *object = with_fields(json_object(), subnet_fields, subnet);

	if (subnet->origin)
		object = with_member(object, "origin", port_ref(subnet->origin));
	object = with_object(object, "forwarding", forwarding_fields, subnet->forwarding);
	object = with_object(object, "multicast", multicast_fields, subnet->multicast);
	object = with_object(object, "sa", sa_fields, subnet->sa);
	return with_object(object, "sweep", sweep_fields, &subnet->sweep);
}

static json_t *header_json(const struct ibc_fabric *fab)
{
	json_t *object = json_object(), *subnets = json_array();
	const struct ibc_subnet *subnet;

	object = with_member(object, SNAPSHOT_SCHEMA_KEY, json_integer(SNAPSHOT_SCHEMA));
	object = with_member(object, "tool", json_string("ibcheck " IBC_VERSION));
	for (size_t i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++)
		subnets = json_with_item(subnets, subnet_json(subnet));
	return with_member(object, "subnets", subnets);
}

/* NULL when out of memory; an object with the number alone if there is nothing to say. */
static json_t *port_json(const struct ibc_port *port)
{
	json_t *object = with_member(json_object(), "num", json_integer(port->num));
	struct ibc_port told = *port;

	if (told.label == model_port_label(port->node, port->num))
		told.label = NULL;
	object = with_fields(object, port_fields, &told);
	if (port->peer)
		object = with_member(object, "peer", port_ref(port->peer));
	if (port->cable && (port->cable->label || port->cable->length))
		object = with_object(object, "cable", cable_fields, port->cable);
	if (object && managed_put(object, port)) {
		json_decref(object);
		return NULL;
	}
	return port->counters ? with_member(object, "counters", counters_json(port->counters))
	                      : object;
}

static json_t *ports_json(const struct ibc_node *node)
{
	json_t *array = json_array();

	for (unsigned int i = node_first_port(node); i <= node->num_ports; i++) {
		json_t *port = port_json(&node->ports[i]);

		if (port && json_object_size(port) == 1)
			json_decref(port);
		else
			array = json_with_item(array, port);
	}
	return array;
}

static json_t *node_json(const struct ibc_node *node)
{
	json_t *object = with_member(json_object(), "subnet", json_integer(node->subnet->index));

	object = with_fields(object, node_fields, node);
	if (strcmp(node->name, node->desc) != 0)
		object = with_member(object, "name", json_string(node->name));
	return with_member(object, "ports", ports_json(node));
}

/* ---- tables -------------------------------------------------------------- */

/* The rows that follow each other from *row on, as far as a line shall go; NULL: no memory. */
static json_t *rows_json(const struct snap_table *table, const struct snap_owner *owner,
                         size_t *row)
{
	json_t *rows = json_array();
	char text[SNAP_ROW_MAX];
	size_t end = table->rows(owner), length = 0;

	for (; *row < end && length < TABLE_LINE && table->put(owner, *row, text); ++*row) {
		length += strlen(text);
		rows = json_with_item(rows, json_string_nocheck(text));
	}
	return rows;
}

/* A line of the rows from *row on, of which the first is known. */
static int put_table_line(struct snapshot_writer *w, const struct snap_table *table,
                          const struct snap_owner *owner, size_t *row, struct ibc_error *err)
{
	json_t *object = with_member(json_object(), "table", json_string(table->name));

	object = table->of_node ? with_member(object, "node",
	                                      json_integer((json_int_t)node_order(owner->node)))
	                        : with_member(object, "subnet", json_integer(owner->subnet->index));
	object = with_member(object, "from", json_integer((json_int_t)*row));
	object = with_member(object, "rows", rows_json(table, owner, row));
	w->num_tables++;
	return put_line(w, object, err);
}

static int put_tables(struct snapshot_writer *w, const struct ibc_subnet *subnet,
                      const struct ibc_node *node, struct ibc_error *err)
{
	struct snap_owner owner = snap_owner(subnet, node);
	char text[SNAP_ROW_MAX];
	int rc = 0;

	for (const struct snap_table *table = snap_tables; table->name; table++) {
		size_t end = table->of_node == !!node ? table->rows(&owner) : 0;

		for (size_t row = 0; rc == 0 && row < end;) {
			if (table->put(&owner, row, text))
				rc = put_table_line(w, table, &owner, &row, err);
			else
				row++;
		}
	}
	return rc;
}

/* ---- the whole ----------------------------------------------------------- */

static json_t *end_json(const struct ibc_fabric *fab, const struct snapshot_writer *w)
{
	struct ibc_fabric_counts n = ibc_fabric_count(fab);
	json_t *sums = json_pack("{s:I,s:I,s:I}", "nodes", (json_int_t)n.nodes, "ports",
	                         (json_int_t)n.ports, "cables", (json_int_t)n.cables);

	if (w->num_tables)
		sums = with_member(sums, "tables", json_integer((json_int_t)w->num_tables));
	sums = with_member(sums, "crc32", json_integer((json_int_t)w->crc));
	return with_member(json_object(), "end", sums);
}

int write_snapshot(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err)
{
	struct snapshot_writer w = { .out = out, .crc = crc32_z(0, NULL, 0) };
	const struct ibc_subnet *subnet;
	const struct ibc_node *node;
	int rc = put_line(&w, header_json(fab), err);

	for (size_t i = 0; rc == 0 && (node = ibc_fabric_node(fab, i)); i++)
		rc = put_line(&w, node_json(node), err);
	for (size_t i = 0; rc == 0 && (subnet = ibc_fabric_subnet(fab, i)); i++)
		rc = put_tables(&w, subnet, NULL, err);
	for (size_t i = 0; rc == 0 && (node = ibc_fabric_node(fab, i)); i++)
		rc = put_tables(&w, node->subnet, node, err);
	if (rc == 0)
		rc = put_line(&w, end_json(fab, &w), err);
	return rc;
}
