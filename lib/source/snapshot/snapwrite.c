/* SPDX-License-Identifier: BSD-2-Clause */
/* Writer of snapshots: one line at a time, so that no size matters. */
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/jsonwrite.h"
#include "fabric/attributes.h"
#include "fabric/fabric.h"
#include "source/fields.h"
#include "source/pack.h"
#include "source/snapshot/snaprows.h"
#include "source/snapshot/snapshot.h"
#include "source/source.h"

#define TABLE_LINE (1 << 17) /* a line of a table goes no further */

/*
 * struct snapshot_writer - @json: a line; @num_tables: lines of tables
 * @state: without tables; @before: whose counters stand in it where none were read; or NULL
 */
struct snapshot_writer {
	FILE *out;
	bool state;
	const struct ibc_fabric *before;
	struct json_out json;
	unsigned long crc;
	uint64_t num_tables;
};

static int put_line(struct snapshot_writer *w, struct ibc_error *err)
{
	size_t n;

	json_raw(&w->json, "\n");
	if (w->json.failed)
		return fail_nomem(err);
	n = w->json.length;
	w->json.length = 0;
	w->crc = crc32_z(w->crc, (const unsigned char *)w->json.text, n);
	return fwrite(w->json.text, 1, n, w->out) == n
	           ? 0
	           : fail(err, -EIO, "cannot write the snapshot: the output failed");
}

static void put_whole(struct json_out *o, const char *key, uint64_t value)
{
	json_key(o, key);
	json_put_number(o, (int64_t)value);
}

static int put_header(struct snapshot_writer *w, const struct ibc_fabric *fab,
                      struct ibc_error *err)
{
	const struct ibc_subnet *subnet;
	struct json_out *o = &w->json;

	json_open(o, '{');
	put_whole(o, SNAPSHOT_SCHEMA_KEY, IBC_SNAPSHOT_SCHEMA);
	json_key(o, "tool");
	json_put_text(o, "ibcheck " IBC_VERSION);
	json_key(o, "subnets");
	json_open(o, '[');
	for (size_t i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++) {
		struct ibc_subnet kept = *subnet;

		if (w->state) {
			kept.forwarding = NULL;
			kept.multicast = NULL;
			kept.sa = NULL;
		}
		json_open(o, '{');
		fields_put(o, subnet_fields, &kept);
		json_close(o, '}');
	}
	json_close(o, ']');
	json_close(o, '}');
	return put_line(w, err);
}

static void take_answers(struct ibc_answers *to, const struct ibc_answers *from, uint64_t bits)
{
	to->asked = (to->asked & ~bits) | (from->asked & bits);
	to->answered = (to->answered & ~bits) | (from->answered & bits);
	to->unsupported = (to->unsupported & ~bits) | (from->unsupported & bits);
	to->refused = (to->refused & ~bits) | (from->refused & bits);
}

/* Offset between two sweeps, of what is in seconds behind the subnet's time. */
static double age_of(const struct ibc_port *then, const struct ibc_port *now)
{
	return (double)then->node->subnet->time - (double)now->node->subnet->time;
}

/*
 * Where nothing was read of this port, what an earlier sweep read, at its own time: counters,
 * and the physical layer with what was plugged in.  @counters and @phy are room for them.
 */
static void take_earlier(const struct ibc_fabric *before, struct whole_port *kept,
                         struct ibc_counters *counters, struct ibc_phy *phy)
{
	struct ibc_port_extra *extra = &kept->extra;
	struct ibc_port *port = &kept->port;
	const struct ibc_port *then = NULL;

	if (!port->counters || (!extra->phy && !extra->module))
		then = fabric_same_port(before, port);
	if (then && !port->counters && then->counters) {
		*counters = *then->counters;
		counters->at_seconds += age_of(then, port);
		port->counters = counters;
		take_answers(&port->answers, &then->answers,
		             attrs_to_bits(attrs_where(ATTR_CLASS, ATTR_PMA), attr_port_bits));
	}
	if (!then || extra->phy || extra->module || !(then->extra->phy || then->extra->module))
		return;
	extra->module = then->extra->module;
	take_answers(&port->answers, &then->answers,
	             attrs_to_bits(ibc_attrs_of_group(IBC_ATTRS_PHYSICAL), attr_port_bits));
	if (!then->extra->phy)
		return;
	*phy = *then->extra->phy;
	phy->at_seconds += age_of(then, port);
	extra->phy = phy;
}

/* A port that has nothing to say but its number is not written. */
static void put_port(struct snapshot_writer *w, const struct ibc_port *port)
{
	struct json_out *o = &w->json;
	size_t before = o->length, number;
	struct whole_port kept = { *port, *port->extra };
	struct ibc_counters counters;
	struct ibc_phy phy;

	if (kept.extra.cable && !kept.extra.cable->label && !kept.extra.cable->length)
		kept.extra.cable = NULL;
	if (w->before)
		take_earlier(w->before, &kept, &counters, &phy);
	json_open(o, '{');
	put_whole(o, "num", port->num);
	number = o->length;
	fields_put(o, port_fields, &kept);
	if (o->length == number)
		o->length = before;
	else
		json_close(o, '}');
}

static int put_node(struct snapshot_writer *w, const struct ibc_node *node, struct ibc_error *err)
{
	struct json_out *o = &w->json;
	struct ibc_node kept = *node;
	const struct ibc_node *then = w->before ? ibc_fabric_node_by_guid(w->before, node->guid)
	                                        : NULL;

	/* what an earlier sweep read of GeneralInfo stands where it was not asked for this time */
	if (then && !node->firmware && !ibc_node_has(node, IBC_ATTR_GENERAL_INFO)) {
		kept.firmware = then->firmware;
		kept.psid = then->psid;
		kept.has_gmp_capabilities = then->has_gmp_capabilities;
		memcpy(kept.gmp_capabilities, then->gmp_capabilities,
		       sizeof(kept.gmp_capabilities));
	}
	if (strcmp(kept.name, kept.desc) == 0)
		kept.name = NULL;
	json_open(o, '{');
	put_whole(o, "subnet", node->subnet->index);
	fields_put(o, node_fields, &kept);
	json_key(o, "ports");
	json_open(o, '[');
	for (unsigned int i = node_first_port(node); i <= node->num_ports; i++)
		put_port(w, &node->ports[i]);
	json_close(o, ']');
	json_close(o, '}');
	return put_line(w, err);
}

/* ---- tables -------------------------------------------------------------- */

/* A line has the rows from one that is known on, as far as they are, and as far as it shall go. */
static int put_tables(struct snapshot_writer *w, const struct ibc_subnet *subnet,
                      const struct ibc_node *node, struct ibc_error *err)
{
	struct snap_owner owner = snap_owner(subnet, node);
	struct json_out *o = &w->json;
	char text[SNAP_ROW_MAX];
	int rc = 0;

	for (const struct snap_table *table = snap_tables; table->name; table++) {
		size_t row = 0, end, length;

		owner.list = table->list;
		end = table->of_node == !!node ? table->rows(&owner) : 0;
		while (rc == 0 && row < end) {
			if (!table->put(&owner, row, text)) {
				row++;
				continue;
			}
			json_open(o, '{');
			json_key(o, "table");
			json_put_text(o, table->name);
			if (node)
				put_whole(o, "node", node_order(node));
			else
				put_whole(o, "subnet", subnet->index);
			put_whole(o, "from", row);
			json_key(o, "rows");
			json_open(o, '[');
			length = 0;
			do {
				json_put_plain(o, text, strlen(text));
				length += strlen(text);
			} while (++row < end && length < TABLE_LINE &&
			         table->put(&owner, row, text));
			json_close(o, ']');
			json_close(o, '}');
			w->num_tables++;
			rc = put_line(w, err);
		}
	}
	return rc;
}

/* ---- the whole ----------------------------------------------------------- */

static int put_fabric(struct snapshot_writer *w, const struct ibc_fabric *fab,
                      struct ibc_error *err)
{
	struct ibc_fabric_counts n = ibc_fabric_count(fab);
	const struct ibc_subnet *subnet;
	const struct ibc_node *node;
	struct json_out *o = &w->json;
	int rc;

	if (fab->no_counters)
		return fail(err, -EINVAL, "the fabric was loaded without its counters");
	rc = put_header(w, fab, err);
	for (size_t i = 0; rc == 0 && (node = ibc_fabric_node(fab, i)); i++)
		rc = put_node(w, node, err);
	for (size_t i = 0; rc == 0 && !w->state && (subnet = ibc_fabric_subnet(fab, i)); i++)
		rc = put_tables(w, subnet, NULL, err);
	for (size_t i = 0; rc == 0 && !w->state && (node = ibc_fabric_node(fab, i)); i++)
		rc = put_tables(w, node->subnet, node, err);
	if (rc)
		return rc;
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
	return put_line(w, err);
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
	struct snapshot_writer w = { .out = pack_zstd(out),
		                     .state = true,
		                     .before = before,
		                     .json.precision = DBL_DECIMAL_DIG };
	int rc;

	if (!w.out)
		return fail_nomem(err);
	rc = put_fabric(&w, fab, err);
	free(w.json.text);
	if (fclose(w.out) && rc == 0)
		rc = fail(err, -EIO, "cannot write the snapshot: the output failed");
	return rc;
}
