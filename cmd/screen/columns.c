/* SPDX-License-Identifier: BSD-2-Clause */
/* Getters that the columns of many tables share. */
#include <math.h>
#include <string.h>

#include "columns.h"

const struct ibc_label port_labels[] = { { "guid", "node_guid" }, { "port", "port" }, { 0 } };
const struct ibc_label subnet_label[] = { { "subnet", "subnet" }, { 0 } };

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

struct ibc_value real_or_unknown(double number)
{
	return isnan(number) ? ibc_none() : ibc_real(number);
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

/* Without a flag, or with one that is not 0. */
static bool is_known(const struct ibc_cell *cell)
{
	size_t size = cell->column->arg >> FLAG_SIZE & 0xff;
	const char *flag = (const char *)cell->row + (cell->column->arg >> FLAG_OFFSET);

	return !size || memcmp(flag, &(uint64_t){ 0 }, size) != 0;
}

struct ibc_value field_value(struct ibc_cell *cell)
{
	const void *field = field_of(cell);

	if (!is_known(cell))
		return ibc_none();
	switch (cell->column->arg & 0xff) {
	case FIELD_BOOL:
		return ibc_bool(*(const bool *)field);
	case FIELD_INT:
		return *(const int *)field < 0 ? ibc_none() : ibc_u64(*(const unsigned int *)field);
	case FIELD_REAL:
		return real_or_unknown(*(const double *)field);
	case FIELD_TEXT:
		return ibc_str(*(const char *const *)field);
	case FIELD_WORD:
		return ibc_enum(*(const struct ibc_word *const *)field);
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

	return number < 0 || !is_known(cell) ? ibc_none() : rounded(number, 10);
}

struct ibc_value field_chars(struct ibc_cell *cell)
{
	return text_or_none(field_of(cell));
}

/* ---- checks --------------------------------------------------------------------------- */

/* clang-format off */
#define GETTER_OF(what, name, subject, expression) \
	struct ibc_value name(struct ibc_cell *cell) \
	{ \
		const struct what *subject = what##_at(cell); \
		return subject ? expression : ibc_none(); \
	}
/* clang-format on */

/* "a, b, c" */
static const char *explained_by(const struct ibc_check *check, char buf[EXPLAINED_MAX])
{
	const struct ibc_explainer *by = check->explained_by, *first;
	size_t at = 0;

	if (!by)
		return NULL;
	for (; by->check && at < EXPLAINED_MAX; by++) {
		for (first = check->explained_by; strcmp(first->check, by->check) != 0;)
			first++;
		if (first == by) /* one check can explain another in several ways */
			at += (size_t)snprintf(buf + at, EXPLAINED_MAX - at, "%s%s", at ? ", " : "",
			                       by->check);
	}
	return buf;
}

static const struct check_row *check_row_at(const struct ibc_cell *cell)
{
	return cell->row;
}

GETTER_OF(check_row, cell_check, row, ibc_str(row->check->id))
GETTER_OF(check_row, cell_check_title, row, ibc_str(row->check->title))
GETTER_OF(check_row, cell_check_explained_by, row, ibc_str(explained_by(row->check, cell->text)))
GETTER_OF(check_row, cell_check_severity, row,
          ibc_enum(ibc_severity_word(ibc_config_severity(row->config, row->check))))

/* ---- subnets, nodes, places --------------------------------------------------------------- */

static const struct ibc_port *ibc_port_at(const struct ibc_cell *cell)
{
	return *(const struct ibc_port *const *)field_of(cell);
}

static const struct ibc_node *ibc_node_at(const struct ibc_cell *cell)
{
	if (cell->column->arg == OF_NODE)
		return *(const struct ibc_node *const *)field_of(cell);
	return ibc_port_at(cell) ? ibc_port_at(cell)->node : NULL;
}

static const struct ibc_subnet *ibc_subnet_at(const struct ibc_cell *cell)
{
	if (cell->column->arg == OF_SUBNET)
		return *(const struct ibc_subnet *const *)field_of(cell);
	return ibc_node_at(cell) ? ibc_node_at(cell)->subnet : NULL;
}

static const struct ibc_place *ibc_place_at(const struct ibc_cell *cell)
{
	return field_of(cell);
}

GETTER_OF(ibc_subnet, cell_subnet, subnet, ibc_u64(subnet->index))
GETTER_OF(ibc_subnet, cell_subnet_source, subnet, ibc_str(subnet->source))
GETTER_OF(ibc_subnet, cell_traffic, subnet,
          subnet->static_traffic ? ibc_enum(ibc_traffic_word(subnet->static_traffic)) : ibc_none())
GETTER_OF(ibc_node, cell_node_guid, node, ibc_guid(node->guid))
GETTER_OF(ibc_node, cell_node_desc, node, ibc_str(node->desc))
GETTER_OF(ibc_node, cell_node_type, node, ibc_enum(ibc_node_type_word(node->type)))
GETTER_OF(ibc_node, cell_node, node, ibc_str(node ? node->label : NULL))
GETTER_OF(ibc_place, place_guid, place,
          place->node && !place->node->named_only ? ibc_guid(place->node->guid) : ibc_none())
GETTER_OF(ibc_place, place_desc, place, ibc_str(place->node ? place->node->desc : NULL))
GETTER_OF(ibc_place, place_port, place, number_or_none(place->node ? place->port : 0))

/* ---- ports --------------------------------------------------------------------------- */

static struct ibc_value name_port(struct ibc_cell *cell, const struct ibc_port *port)
{
	char text[IBC_PLACE_TEXT];

	if (!port)
		return ibc_none();
	ibc_place_text((struct ibc_place){ port->node, port->num }, text, sizeof(text));
	return ibc_cell_text(cell, "%s%s", cell->length ? " - " : "", text);
}

GETTER_OF(ibc_port, cell_port, port, ibc_u64(port->num))
GETTER_OF(ibc_port, cell_port_label, port, ibc_str(ibc_port_label(port)))
GETTER_OF(ibc_port, cell_peer_label, port, ibc_str(port->peer ? ibc_port_label(port->peer) : NULL))
GETTER_OF(ibc_port, cell_port_name, port, name_port(cell, port))
GETTER_OF(ibc_port, cell_peer_name, port, name_port(cell, port->peer))
GETTER_OF(ibc_port, cell_peer_guid, port,
          port->peer ? ibc_guid(port->peer->node->guid) : ibc_none())
GETTER_OF(ibc_port, cell_peer_desc, port, ibc_str(port->peer ? port->peer->node->desc : NULL))
GETTER_OF(ibc_port, cell_peer_node, port, ibc_str(port->peer ? port->peer->node->label : NULL))
GETTER_OF(ibc_port, cell_peer_port, port, port->peer ? ibc_u64(port->peer->num) : ibc_none())
GETTER_OF(ibc_port, cell_state, port,
          ibc_port_has_state(port) ? ibc_enum(ibc_port_state_word(port->state)) : ibc_none())
GETTER_OF(ibc_port, cell_phys_state, port,
          ibc_port_has_state(port) ? ibc_enum(ibc_phys_state_word(port->phys_state)) : ibc_none())
GETTER_OF(ibc_port, cell_width, port,
          ibc_port_is_up(port) && port->width_active ? ibc_enum(ibc_width_word(port->width_active))
                                                     : ibc_none())
GETTER_OF(ibc_port, cell_speed, port,
          ibc_port_is_up(port) && port->speed_active ? ibc_enum(ibc_speed_word(port->speed_active))
                                                     : ibc_none())
GETTER_OF(ibc_port, cell_mtu_bytes, port,
          number_or_none(ibc_port_has(port, IBC_ATTR_PORT_INFO) && ibc_port_is_up(port)
                             ? ibc_mtu_bytes(port->mtu_active)
                             : 0))

/* A switch has its LID at port 0; 0 is none, and not known where no source reported it. */
struct ibc_value cell_lid(struct ibc_cell *cell)
{
	const struct ibc_port *p = ibc_port_at(cell), *at = p;

	if (p->node->type == IBC_NODE_SWITCH)
		at = ibc_node_port(p->node, 0);
	if (at->lid)
		return ibc_u64(at->lid);
	if (!ibc_port_has(at, IBC_ATTR_PORT_INFO) || (at == p && !ibc_port_is_up(p)))
		return ibc_none();
	return ibc_u64(0);
}

struct ibc_value cable_name(struct ibc_cell *cell, const struct ibc_port *port)
{
	struct ibc_value near = name_port(cell, port);

	return port->peer ? name_port(cell, port->peer) : near;
}

struct ibc_value cell_cable(struct ibc_cell *cell)
{
	return cable_name(cell, ibc_port_at(cell));
}

struct ibc_value cell_rate_gbps(struct ibc_cell *cell)
{
	const struct ibc_port *port = ibc_port_at(cell);
	double gbps = ibc_link_gbps(port->width_active, port->speed_active);

	return ibc_port_is_up(port) && gbps > 0 ? rounded(gbps, 10) : ibc_none();
}
