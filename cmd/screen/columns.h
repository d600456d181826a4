/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Columns of tables: how they are written, and those that many tables share.  A table is an
 * array of columns over the type of its rows; a column is a getter, or a field of the row:
 *
 *	GETTER(lane_share, struct vl_wait, l, ibc_real(l->waited / l->seconds));
 *	static const struct ibc_column vl_columns[] = {
 *		PORT_COLUMNS,
 *		FIELD("vl", "VL", struct vl_wait, vl),
 *		COLUMN("share", "SHARE", lane_share),
 *		{ 0 },
 *	};
 *	const struct ibc_table_type vls_type = TABLE("vls", vl_columns, NULL);
 *
 * The command lists the type in its .shows.
 */
#include <stddef.h>

#include <ibcheck/check.h>
#include <ibcheck/fabric.h>
#include <ibcheck/report.h>
#include <ibcheck/topo.h>

/* clang-format off */

/* Its name, columns and title; .groups and .headed_by may follow. */
#define TABLE(n, c, t, ...) { .name = (n), .columns = (c), .title = (t), __VA_ARGS__ }

/* A getter in one line: what it makes of a row; "cell" is there for ibc_cell_text(). */
#define GETTER(name, type, row_name, expression) \
	static struct ibc_value name(struct ibc_cell *cell) \
	{ \
		const type *row_name = cell->row; \
		return expression; \
	}

/* What may follow, in this and those below: .legend = "..." */
#define COLUMN(k, title, getter, ...) \
	{ .key = (k), .heading = (title), .value = (getter), __VA_ARGS__ }
/* One that text shows if asked to be verbose; one that it folds. */
#define DETAIL(k, title, getter, ...) \
	{ .key = (k), .heading = (title), .value = (getter), .detail = true, __VA_ARGS__ }
#define SENTENCE(k, title, getter) \
	{ .key = (k), .heading = (title), .value = (getter), .sentence = true }
/* One whose getter looks at a field of the row. */
#define COLUMN_AT(k, title, getter, owner, field, ...) { \
	.key = (k), .heading = (title), .value = (getter), .offset = offsetof(owner, field), \
	__VA_ARGS__ \
}
/* A field of the row as it is: a bool, a number, a text; an int below 0 is not known. */
#define FIELD(k, title, owner, field, ...) \
	FIELD_BY(field_value, k, title, owner, field, __VA_ARGS__)
/* The same, if 0 and "" and what is below 0 say that it is not known. */
#define FIELD_OR_NONE(k, title, owner, field, ...) \
	FIELD_BY(field_or_none, k, title, owner, field, __VA_ARGS__)
#define FIELD_BY(getter, k, title, owner, field, ...) { \
	.key = (k), .heading = (title), .value = (getter), \
	.offset = offsetof(owner, field), .arg = FIELD_TYPE(&((owner *)0)->field), \
	__VA_ARGS__ \
}
/* One that is known only if another field, a flag, a number or a pointer, is not 0. */
#define FIELD_IF(flag, k, title, owner, field, ...) \
	FIELD_IF_BY(field_value, flag, k, title, owner, field, __VA_ARGS__)
#define FIELD_IF_BY(getter, flag, k, title, owner, field, ...) { \
	.key = (k), .heading = (title), .value = (getter), .offset = offsetof(owner, field), \
	.arg = FIELD_TYPE(&((owner *)0)->field) | sizeof(((owner *)0)->flag) << FLAG_SIZE | \
	       offsetof(owner, flag) << FLAG_OFFSET, \
	__VA_ARGS__ \
}

/* What .arg has of a field: of an unsigned number its size; and where its flag is, if it has one. */
enum { FIELD_BOOL = 16, FIELD_INT, FIELD_REAL, FIELD_TEXT, FIELD_WORD, FLAG_SIZE = 8, FLAG_OFFSET = 16 };
#define FIELD_TYPE(x) _Generic((x), \
	bool *: FIELD_BOOL, int *: FIELD_INT, double *: FIELD_REAL, \
	const char **: FIELD_TEXT, char **: FIELD_TEXT, const struct ibc_word **: FIELD_WORD, \
	unsigned char *: 1, unsigned short *: 2, unsigned int *: 4, \
	unsigned long *: 8, unsigned long long *: 8)
_Static_assert(sizeof(long) == 8, "FIELD_TYPE()");

/* clang-format on */

/*
 * What COLUMN_AT() names: a GUID, which is not known if it is 0, and a double in tenths, as
 * rates are spelled (54.5 for 4x FDR), which is not known below 0.
 */
ibc_getter field_guid, field_tenths;
/* Likewise an array of characters; "" is not known. */
ibc_getter field_chars;
ibc_getter field_value, field_or_none;

struct ibc_value text_or_none(const char *text);
struct ibc_value number_or_none(uint64_t number);
struct ibc_value real_or_none(double number);
/* NaN: not known. */
struct ibc_value real_or_unknown(double number);
struct ibc_value rounded(double number, double parts);

/* struct check_row - a check, and what the configuration makes of it */
struct check_row {
	const struct ibc_check *check;
	const struct ibc_config *config;
};
ibc_getter cell_check, cell_check_severity, cell_check_title, cell_check_explained_by;

#define EXPLAINED_MAX 1024 /* room for four dozen ids */

/*
 * A place in the row, which COLUMN_AT() names: GUID and NodeDescription of its node, and its
 * port; null for a node that is known by its name only, no node, and port 0.
 */
ibc_getter place_guid, place_desc, place_port;

/*
 * The getters below look at a pointer in the row, by rule its first member: to a port, a node
 * or a subnet, as .arg says.  What is not there is not known.
 */
enum { OF_PORT, OF_NODE, OF_SUBNET };

/* clang-format off */
#define COLUMN_OF(of, k, title, getter) \
	{ .key = (k), .heading = (title), .value = (getter), .arg = (of) }
/* The label of a node, or of that of a port, that a pointer in the row leads to. */
#define LABEL_AT(of, k, title, owner, field) \
	COLUMN_AT(k, title, cell_node, owner, field, .arg = (of))
#define NODE_COLUMNS(of) \
	COLUMN_OF(of, "node_guid", NULL, cell_node_guid), \
	COLUMN_OF(of, "node_desc", NULL, cell_node_desc)
#define PORT_COLUMNS NODE_COLUMNS(OF_PORT), COLUMN("port", NULL, cell_port)
/* What the link of a port runs at, and its LID. */
#define LINK_COLUMNS \
	COLUMN("state", "STATE", cell_state), COLUMN("phys_state", "PHYS", cell_phys_state), \
	COLUMN("width", "WIDTH", cell_width), COLUMN("speed", "SPEED", cell_speed), \
	COLUMN("rate_gbps", "Gb/s", cell_rate_gbps), COLUMN("mtu_bytes", "MTU", cell_mtu_bytes), \
	COLUMN("lid", "LID", cell_lid)
#define PEER_COLUMNS \
	COLUMN("peer_guid", NULL, cell_peer_guid), COLUMN("peer_desc", NULL, cell_peer_desc), \
	COLUMN("peer_port", NULL, cell_peer_port)
#define PLACE_COLUMNS(guid, desc, port, owner, field) \
	COLUMN_AT(guid, NULL, place_guid, owner, field), \
	COLUMN_AT(desc, NULL, place_desc, owner, field), \
	COLUMN_AT(port, NULL, place_port, owner, field)
/* clang-format on */

/* Of a port, a node or a subnet: index and source of the subnet. */
ibc_getter cell_subnet, cell_subnet_source;
/* Likewise: what goes by its linear forwarding tables. */
ibc_getter cell_traffic;
/* Of a port or a node; cell_node is its label. */
ibc_getter cell_node_guid, cell_node_desc, cell_node_type, cell_node;
/* Of a port; names are "leaf01/5", a cable "leaf01/5 - spine02/3". */
ibc_getter cell_port, cell_lid, cell_port_label, cell_port_name, cell_cable;
ibc_getter cell_peer_guid, cell_peer_desc, cell_peer_port, cell_peer_label, cell_peer_name,
    cell_peer_node;
ibc_getter cell_state, cell_phys_state, cell_width, cell_speed, cell_rate_gbps, cell_mtu_bytes;
/* What cell_cable gets. */
struct ibc_value cable_name(struct ibc_cell *cell, const struct ibc_port *port);

/* Labels of metrics: of a port, of a subnet. */
extern const struct ibc_label port_labels[], subnet_label[];
