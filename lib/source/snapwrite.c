/* SPDX-License-Identifier: BSD-2-Clause */
/* Writer of snapshots: one line at a time, so that no size matters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "fabric/fabric.h"
#include "source/fields.h"
#include "source/snapshot.h"
#include "source/source.h"

struct writer {
	FILE *out;
	unsigned long crc;
};

static int put_bytes(const char *bytes, size_t n, void *ctx)
{
	struct writer *w = ctx;

	w->crc = crc32_z(w->crc, (const unsigned char *)bytes, n);
	return fwrite(bytes, 1, n, w->out) == n ? 0 : -1;
}

/* Consumes the object, NULL when memory ran out while it was made. */
static int put_line(struct writer *w, json_t *object, struct ibc_error *err)
{
	int failed;

	if (!object)
		return fail_nomem(err);
	failed = json_dump_callback(object, put_bytes, w, JSON_COMPACT) || put_bytes("\n", 1, w);
	json_decref(object);
	if (!failed)
		return 0;
	return ferror(w->out) ? fail(err, -EIO, "cannot write the snapshot: the output failed")
	                      : fail_nomem(err);
}

/* Adds value, which may be NULL; drops the object if that fails. */
static json_t *with(json_t *object, const char *key, json_t *value)
{
	if (!object) {
		json_decref(value);
		return NULL;
	}
	if (json_object_set_new_nocheck(object, key, value)) {
		json_decref(object);
		return NULL;
	}
	return object;
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

static json_t *plane_json(const struct ibc_plane *plane)
{
	json_t *object = with_fields(json_object(), plane_fields, plane);

	if (plane->origin)
		object = with(object, "origin", port_ref(plane->origin));
	return with(object, "sweep", with_fields(json_object(), sweep_fields, &plane->sweep));
}

static json_t *header_json(const struct ibc_fabric *fab)
{
	json_t *object = json_object(), *planes = json_array();
	const struct ibc_plane *plane;

	object = with(object, SNAPSHOT_SCHEMA_KEY, json_integer(SNAPSHOT_SCHEMA));
	object = with(object, "tool", json_string("ibcheck " IBC_VERSION));
	for (size_t i = 0; (plane = ibc_fabric_plane(fab, i)); i++)
		if (json_array_append_new(planes, plane_json(plane))) {
			json_decref(planes);
			planes = NULL;
		}
	return with(object, "planes", planes);
}

/* NULL when out of memory; an object with the number alone if there is nothing to say. */
static json_t *port_json(const struct ibc_port *port)
{
	json_t *object = with(json_object(), "num", json_integer(port->num));

	object = with_fields(object, port_fields, port);
	if (port->peer)
		object = with(object, "peer", port_ref(port->peer));
	if (port->cable && (port->cable->label || port->cable->length))
		object = with(object, "cable",
		              with_fields(json_object(), cable_fields, port->cable));
	return port->counters ? with(object, "counters", counters_json(port->counters)) : object;
}

static json_t *ports_json(const struct ibc_node *node)
{
	json_t *array = json_array();

	for (unsigned int i = node_first_port(node); i <= node->num_ports; i++) {
		json_t *port = port_json(&node->ports[i]);

		if (port && json_object_size(port) == 1) {
			json_decref(port);
			continue;
		}
		if (json_array_append_new(array, port)) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *node_json(const struct ibc_node *node)
{
	json_t *object = with(json_object(), "plane", json_integer(node->plane->index));

	object = with_fields(object, node_fields, node);
	if (strcmp(node->name, node->desc) != 0)
		object = with(object, "name", json_string(node->name));
	return with(object, "ports", ports_json(node));
}

static json_t *end_json(const struct ibc_fabric *fab, unsigned long crc)
{
	struct ibc_fabric_counts n = ibc_fabric_count(fab);

	return json_pack("{s:{s:I,s:I,s:I,s:I}}", "end", "nodes", (json_int_t)n.nodes, "ports",
	                 (json_int_t)n.ports, "cables", (json_int_t)n.cables, "crc32",
	                 (json_int_t)crc);
}

int write_snapshot(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err)
{
	struct writer w = { out, crc32_z(0, NULL, 0) };
	const struct ibc_node *node;
	int rc = put_line(&w, header_json(fab), err);

	for (size_t i = 0; rc == 0 && (node = ibc_fabric_node(fab, i)); i++)
		rc = put_line(&w, node_json(node), err);
	if (rc == 0)
		rc = put_line(&w, end_json(fab, w.crc), err);
	return rc;
}
