/* SPDX-License-Identifier: BSD-2-Clause */
/* Getters that the columns of many tables share. */
#include "columns.h"

/* ---- values ----------------------------------------------------------------------- */

/* What could not be read is "" or 0 in the models, and null in a report. */
struct ibc_value text_or_none(const char *text)
{
	return ibc_str(text && *text ? text : NULL);
}

struct ibc_value number_or_none(uint64_t number)
{
	return number ? ibc_u64(number) : ibc_none();
}

struct ibc_value real_or_none(double number)
{
	return number > 0 ? ibc_real(number) : ibc_none();
}

struct ibc_value rounded(double number, double parts)
{
	return ibc_real((double)(int64_t)(parts * number + 0.5) / parts);
}

/* ---- fields of the row -------------------------------------------------------------- */

static const void *field_of(const struct ibc_cell *cell)
{
	return (const char *)cell->row + cell->column->offset;
}

struct ibc_value field_value(struct ibc_cell *cell)
{
	const void *field = field_of(cell);

	switch (cell->column->arg) {
	case FIELD_BOOL:
		return ibc_bool(*(const bool *)field);
	case FIELD_INT:
		return *(const int *)field < 0 ? ibc_none() : ibc_u64(*(const unsigned int *)field);
	case FIELD_REAL:
		return ibc_real(*(const double *)field);
	case FIELD_TEXT:
		return ibc_str(*(const char *const *)field);
	case 1:
		return ibc_u64(*(const uint8_t *)field);
	case 2:
		return ibc_u64(*(const uint16_t *)field);
	case 4:
		return ibc_u64(*(const uint32_t *)field);
	default:
		return ibc_u64(*(const uint64_t *)field);
	}
}

struct ibc_value field_or_none(struct ibc_cell *cell)
{
	struct ibc_value value = field_value(cell);

	if (value.kind == IBC_U64)
		return number_or_none(value.num);
	if (value.kind == IBC_STR)
		return text_or_none(value.str);
	return value.kind == IBC_REAL ? real_or_none(value.real) : value;
}

struct ibc_value field_guid(struct ibc_cell *cell)
{
	uint64_t guid = *(const uint64_t *)field_of(cell);

	return guid ? ibc_guid(guid) : ibc_none();
}

struct ibc_value field_tenths(struct ibc_cell *cell)
{
	double number = *(const double *)field_of(cell);

	return number < 0 ? ibc_none() : rounded(number, 10);
}

/* ---- checks --------------------------------------------------------------------------- */

struct ibc_value cell_check(struct ibc_cell *cell)
{
	return ibc_str(((const struct check_row *)cell->row)->check->id);
}

struct ibc_value cell_check_severity(struct ibc_cell *cell)
{
	const struct check_row *row = cell->row;

	return ibc_enum(ibc_severity_word(ibc_config_severity(row->config, row->check)));
}

struct ibc_value cell_check_title(struct ibc_cell *cell)
{
	return ibc_str(((const struct check_row *)cell->row)->check->title);
}

/* ---- planes and nodes ------------------------------------------------------------------ */

static const struct ibc_port *port_at(const struct ibc_cell *cell)
{
	return *(const struct ibc_port *const *)field_of(cell);
}

static const struct ibc_node *node_at(const struct ibc_cell *cell)
{
	if (cell->column->arg == OF_NODE)
		return *(const struct ibc_node *const *)field_of(cell);
	return port_at(cell)->node;
}

static const struct ibc_plane *plane_at(const struct ibc_cell *cell)
{
	if (cell->column->arg == OF_PLANE)
		return *(const struct ibc_plane *const *)field_of(cell);
	return node_at(cell)->plane;
}

struct ibc_value cell_plane(struct ibc_cell *cell)
{
	return ibc_u64(plane_at(cell)->index);
}

struct ibc_value cell_plane_source(struct ibc_cell *cell)
{
	return ibc_str(plane_at(cell)->source);
}

struct ibc_value cell_node_guid(struct ibc_cell *cell)
{
	return ibc_guid(node_at(cell)->guid);
}

struct ibc_value cell_node_desc(struct ibc_cell *cell)
{
	return ibc_str(node_at(cell)->desc);
}

struct ibc_value cell_node_type(struct ibc_cell *cell)
{
	return ibc_enum(ibc_node_type_word(node_at(cell)->type));
}

struct ibc_value cell_node(struct ibc_cell *cell)
{
	const struct ibc_node *node = node_at(cell);

	return ibc_str(node ? node->label : NULL);
}

/* ---- ports --------------------------------------------------------------------------- */

static struct ibc_value name_port(struct ibc_cell *cell, const struct ibc_port *port)
{
	return port ? ibc_cell_text(cell, "%s/%u", port->node->label, port->num) : ibc_none();
}

struct ibc_value cell_port(struct ibc_cell *cell)
{
	return ibc_u64(port_at(cell)->num);
}

struct ibc_value cell_port_name(struct ibc_cell *cell)
{
	return name_port(cell, port_at(cell));
}

struct ibc_value cell_cable(struct ibc_cell *cell)
{
	const struct ibc_port *port = port_at(cell), *peer = port->peer;
	struct ibc_value near = name_port(cell, port);

	return peer ? ibc_cell_text(cell, " - %s/%u", peer->node->label, peer->num) : near;
}

struct ibc_value cell_peer_guid(struct ibc_cell *cell)
{
	const struct ibc_port *peer = port_at(cell)->peer;

	return peer ? ibc_guid(peer->node->guid) : ibc_none();
}

struct ibc_value cell_peer_desc(struct ibc_cell *cell)
{
	const struct ibc_port *peer = port_at(cell)->peer;

	return ibc_str(peer ? peer->node->desc : NULL);
}

struct ibc_value cell_peer_port(struct ibc_cell *cell)
{
	const struct ibc_port *peer = port_at(cell)->peer;

	return peer ? ibc_u64(peer->num) : ibc_none();
}

struct ibc_value cell_peer_name(struct ibc_cell *cell)
{
	return name_port(cell, port_at(cell)->peer);
}

struct ibc_value cell_state(struct ibc_cell *cell)
{
	const struct ibc_port *port = port_at(cell);
	bool told = ibc_port_has(port, IBC_ATTR_PORT_INFO);

	return told ? ibc_enum(ibc_port_state_word(port->state)) : ibc_none();
}

struct ibc_value cell_rate_gbps(struct ibc_cell *cell)
{
	const struct ibc_port *port = port_at(cell);
	double gbps = ibc_port_is_up(port) ? ibc_link_gbps(port->width_active, port->speed_active)
	                                   : 0;

	return gbps > 0 ? rounded(gbps, 10) : ibc_none();
}

struct ibc_value cell_mtu_bytes(struct ibc_cell *cell)
{
	const struct ibc_port *port = port_at(cell);
	bool told = ibc_port_has(port, IBC_ATTR_PORT_INFO) && ibc_port_is_up(port);

	return number_or_none(told ? ibc_mtu_bytes(port->mtu_active) : 0);
}
