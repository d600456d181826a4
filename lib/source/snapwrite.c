/* SPDX-License-Identifier: BSD-2-Clause */
/* Writer of snapshots: one line at a time, so that no size matters. */
#include <endian.h>
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/jsonpack.h"
#include "fabric/attributes.h"
#include "fabric/fabric.h"
#include "source/fields.h"
#include "source/snaprows.h"
#include "source/snapshot.h"
#include "source/source.h"

#define TABLE_LINE (1 << 17) /* a line of a table goes no further */

struct snapshot_writer {
	FILE *out;
	const struct ibc_fabric *before; /* whose counters stand where none were read; or NULL */
	struct json_out json;            /* a line */
	unsigned long crc;
	uint64_t num_tables; /* lines of tables */
};

static int put_summed(struct snapshot_writer *w, const void *bytes, size_t n, struct ibc_error *err)
{
	w->crc = crc32_z(w->crc, bytes, n);
	return fwrite(bytes, 1, n, w->out) == n
	           ? 0
	           : fail(err, -EIO, "cannot write the snapshot: the output failed");
}

/* Of a state: two lengths, the words that are new, the object. */
static int put_record(struct snapshot_writer *w, struct ibc_error *err)
{
	struct json_out *fresh = &w->json.words->fresh;
	struct state_record head = { htole32((uint32_t)fresh->length),
		                     htole32((uint32_t)w->json.length) };
	int rc = put_summed(w, &head, sizeof(head), err);

	if (rc == 0)
		rc = put_summed(w, fresh->text, fresh->length, err);
	fresh->length = 0;
	return rc ? rc : put_summed(w, w->json.text, w->json.length, err);
}

static int put_line(struct snapshot_writer *w, struct ibc_error *err)
{
	int rc;

	if (!w->json.words)
		json_raw(&w->json, "\n");
	if (w->json.failed)
		return fail_nomem(err);
	rc = w->json.words ? put_record(w, err) : put_summed(w, w->json.text, w->json.length, err);
	w->json.length = 0;
	return rc;
}

static void put_whole(struct json_out *o, const char *key, uint64_t value)
{
	json_key(o, key);
	json_put_number(o, (int64_t)value);
}

/* An object of these fields, if there is one. */
static void put_object(struct json_out *o, const char *key, const struct field *table,
                       const void *base)
{
	if (!base)
		return;
	json_key(o, key);
	json_open(o, '{');
	fields_put(o, table, base);
	json_close(o, '}');
}

static void put_port_ref(struct json_out *o, const char *key, const struct ibc_port *port)
{
	if (!port)
		return;
	json_key(o, key);
	json_open(o, '[');
	json_put_number(o, (int64_t)node_order(port->node));
	json_put_number(o, port->num);
	json_close(o, ']');
}

static void put_subnet(struct json_out *o, const struct ibc_subnet *subnet)
{
	json_open(o, '{');
	fields_put(o, subnet_fields, subnet);
	put_port_ref(o, "origin", subnet->origin);
	if (!o->words) { /* a state has no tables */
		put_object(o, "forwarding", forwarding_fields, subnet->forwarding);
		put_object(o, "multicast", multicast_fields, subnet->multicast);
		put_object(o, "sa", sa_fields, subnet->sa);
	}
	put_object(o, "sweep", sweep_fields, &subnet->sweep);
	json_close(o, '}');
}

static void put_header(struct json_out *o, const struct ibc_fabric *fab)
{
	const struct ibc_subnet *subnet;

	json_open(o, '{');
	put_whole(o, SNAPSHOT_SCHEMA_KEY, IBC_SNAPSHOT_SCHEMA);
	json_key(o, "tool");
	json_put_text(o, "ibcheck " IBC_VERSION);
	json_key(o, "subnets");
	json_open(o, '[');
	for (size_t i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++)
		put_subnet(o, subnet);
	json_close(o, ']');
	json_close(o, '}');
}

static void take_answers(struct ibc_answers *to, const struct ibc_answers *from, uint64_t bits)
{
	to->asked = (to->asked & ~bits) | (from->asked & bits);
	to->answered = (to->answered & ~bits) | (from->answered & bits);
	to->unsupported = (to->unsupported & ~bits) | (from->unsupported & bits);
	to->refused = (to->refused & ~bits) | (from->refused & bits);
}

/* What is told in seconds after the subnet's time was so much earlier. */
static double age_of(const struct ibc_port *then, const struct ibc_port *now)
{
	return (double)then->node->subnet->time - (double)now->node->subnet->time;
}

/* What an earlier sweep read of this port, at its own time; @counters has room for it. */
static void take_earlier_counters(const struct snapshot_writer *w, struct ibc_port *port,
                                  struct ibc_counters *counters)
{
	const struct ibc_port *then = NULL;

	if (!port->counters)
		then = fabric_same_port(w->before, port);
	if (!then || !then->counters)
		return;
	*counters = *then->counters;
	counters->at_seconds += age_of(then, port);
	port->counters = counters;
	take_answers(&port->answers, &then->answers,
	             attrs_to_bits(attrs_where(ATTR_CLASS, ATTR_PMA), attr_port_bits));
}

/* Likewise, of the physical layer; what was plugged in goes along. */
static void take_earlier_phy(const struct snapshot_writer *w, struct ibc_port *port,
                             struct ibc_phy *phy)
{
	const struct ibc_port *then = NULL;

	if (!port->phy && !port->module)
		then = fabric_same_port(w->before, port);
	if (!then || !(then->phy || then->module))
		return;
	port->module = then->module;
	take_answers(&port->answers, &then->answers,
	             attrs_to_bits(ibc_attrs_of_group(IBC_ATTRS_PHYSICAL), attr_port_bits));
	if (!then->phy)
		return;
	*phy = *then->phy;
	phy->at_seconds += age_of(then, port);
	port->phy = phy;
}

/* A port that has nothing to say but its number is not written. */
static void put_port(struct snapshot_writer *w, const struct ibc_port *port)
{
	struct json_out *o = &w->json;
	size_t before = o->length, number;
	struct ibc_port told = *port;
	struct ibc_counters counters;
	struct ibc_phy phy;

	if (told.label == model_port_label(port->node, port->num))
		told.label = NULL;
	take_earlier_counters(w, &told, &counters);
	take_earlier_phy(w, &told, &phy);
	json_open(o, '{');
	put_whole(o, "num", port->num);
	number = o->length;
	fields_put(o, port_fields, &told);
	put_port_ref(o, "peer", port->peer);
	if (port->cable && (port->cable->label || port->cable->length))
		put_object(o, "cable", cable_fields, port->cable);
	managed_put(o, port);
	if (told.counters) {
		json_key(o, "counters");
		counters_put(o, told.counters);
	}
	port_phy_put(o, &told);
	vports_put(o, port);
	if (o->length == number)
		o->length = before;
	else
		json_close(o, '}');
}

/* GeneralInfo that nobody asked for this time is what was told before. */
static void keep_general_info(const struct snapshot_writer *w, struct ibc_node *node)
{
	const struct ibc_node *then = w->before ? ibc_fabric_node_by_guid(w->before, node->guid)
	                                        : NULL;

	if (!then || node->firmware || ibc_node_has(node, IBC_ATTR_GENERAL_INFO))
		return;
	node->firmware = then->firmware;
	node->psid = then->psid;
	node->has_gmp_capabilities = then->has_gmp_capabilities;
	memcpy(node->gmp_capabilities, then->gmp_capabilities, sizeof(node->gmp_capabilities));
}

static void put_node(struct snapshot_writer *w, const struct ibc_node *node)
{
	struct json_out *o = &w->json;
	struct ibc_node told = *node;

	keep_general_info(w, &told);
	json_open(o, '{');
	put_whole(o, "subnet", node->subnet->index);
	fields_put(o, node_fields, &told);
	if (strcmp(node->name, node->desc) != 0) {
		json_key(o, "name");
		json_put_text(o, node->name);
	}
	sensors_put(o, node);
	ar_put(o, node);
	node_router_put(o, node);
	json_key(o, "ports");
	json_open(o, '[');
	for (unsigned int i = node_first_port(node); i <= node->num_ports; i++)
		put_port(w, &node->ports[i]);
	json_close(o, ']');
	json_close(o, '}');
}

/* ---- tables -------------------------------------------------------------- */

/* The rows that follow each other from *row on, as far as a line shall go. */
static void put_rows(struct json_out *o, const struct snap_table *table,
                     const struct snap_owner *owner, size_t *row)
{
	char text[SNAP_ROW_MAX];
	size_t end = table->rows(owner), length = 0;

	json_open(o, '[');
	for (; *row < end && length < TABLE_LINE && table->put(owner, *row, text); ++*row) {
		size_t n = strlen(text);

		length += n;
		json_put_plain(o, text, n);
	}
	json_close(o, ']');
}

/* A line of the rows from *row on, of which the first is known. */
static int put_table_line(struct snapshot_writer *w, const struct snap_table *table,
                          const struct snap_owner *owner, size_t *row, struct ibc_error *err)
{
	struct json_out *o = &w->json;

	json_open(o, '{');
	json_key(o, "table");
	json_put_text(o, table->name);
	if (table->of_node)
		put_whole(o, "node", node_order(owner->node));
	else
		put_whole(o, "subnet", owner->subnet->index);
	put_whole(o, "from", *row);
	json_key(o, "rows");
	put_rows(o, table, owner, row);
	json_close(o, '}');
	w->num_tables++;
	return put_line(w, err);
}

static int put_tables(struct snapshot_writer *w, const struct ibc_subnet *subnet,
                      const struct ibc_node *node, struct ibc_error *err)
{
	struct snap_owner owner = snap_owner(subnet, node);
	char text[SNAP_ROW_MAX];
	int rc = 0;

	for (const struct snap_table *table = snap_tables; table->name; table++) {
		size_t end = table->of_node == !!node && !w->json.words ? table->rows(&owner) : 0;

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

static void put_last(struct json_out *o, const struct ibc_fabric *fab,
                     const struct snapshot_writer *w)
{
	struct ibc_fabric_counts n = ibc_fabric_count(fab);

	json_open(o, '{');
	json_key(o, "end");
	json_open(o, '{');
	put_whole(o, "nodes", n.nodes);
	put_whole(o, "ports", n.ports);
	put_whole(o, "cables", n.cables);
	if (w->num_tables)
		put_whole(o, "tables", w->num_tables);
	put_whole(o, "crc32", w->crc);
	json_close(o, '}');
	json_close(o, '}');
}

static int put_nodes(struct snapshot_writer *w, const struct ibc_fabric *fab, struct ibc_error *err)
{
	const struct ibc_node *node;
	int rc = 0;

	for (size_t i = 0; rc == 0 && (node = ibc_fabric_node(fab, i)); i++) {
		put_node(w, node);
		rc = put_line(w, err);
	}
	return rc;
}

static int put_fabric(struct snapshot_writer *w, const struct ibc_fabric *fab,
                      struct ibc_error *err)
{
	const struct ibc_subnet *subnet;
	const struct ibc_node *node;
	int rc;

	if (fab->no_counters)
		return fail(err, -EINVAL, "the fabric was loaded without its counters");
	put_header(&w->json, fab);
	rc = put_line(w, err);
	if (rc == 0)
		rc = put_nodes(w, fab, err);
	for (size_t i = 0; rc == 0 && (subnet = ibc_fabric_subnet(fab, i)); i++)
		rc = put_tables(w, subnet, NULL, err);
	for (size_t i = 0; rc == 0 && (node = ibc_fabric_node(fab, i)); i++)
		rc = put_tables(w, node->subnet, node, err);
	put_last(&w->json, fab, w);
	return rc ? rc : put_line(w, err);
}

int write_snapshot(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err)
{
	struct snapshot_writer w = { .out = out, .json.precision = DBL_DECIMAL_DIG };
	int rc = put_fabric(&w, fab, err);

	free(w.json.text);
	return rc;
}

int write_state(const struct ibc_fabric *fab, const struct ibc_fabric *before, FILE *out,
                struct ibc_error *err)
{
	struct json_words words = { 0 };
	struct snapshot_writer w = { .out = out, .before = before, .json.words = &words };
	int rc = put_summed(&w, STATE_LINE "\n", strlen(STATE_LINE "\n"), err);

	if (rc == 0)
		rc = put_fabric(&w, fab, err);
	free(w.json.text);
	free(words.fresh.text);
	return rc;
}
