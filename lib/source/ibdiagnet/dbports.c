/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ports of ibdiagnet2.db_csv, reported in the codes of PortInfo (IBA 14.2.5.6), but for
 * speeds: there the groups of PortInfo, and what the vendor adds, are bytes of one number.
 */
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "fabric/build.h"
#include "source/ibdiagnet/dbcsv.h"
#include "source/source.h"
#include "wire/smp.h"

/* ---- PORTS -------------------------------------------------------------------- */

struct db_port_row {
	struct db_place at;
	uint64_t guid;
	uint32_t speed_active, speed_enabled, speed_supported;
	uint8_t width_active, width_enabled, width_supported;
	uint8_t enforce_in, enforce_out;
	struct port_info info;
};

#define COLUMN(name, member, type)                                                                 \
	{                                                                                          \
		name, offsetof(struct db_port_row, member), type, false                            \
	}
#define INFO_COLUMN(name, member, type) COLUMN(name, info.member, type)

/* The columns that are looked at one by one. */
enum { PHYS_STATE, WIDTH_ACTIVE, SPEED_ACTIVE, GID_PREFIX, PORT_GUID, ENFORCE_IN = 21 };
#define RATE_COLUMNS (1u << WIDTH_ACTIVE | 1u << SPEED_ACTIVE) /* both, or no rate */

static const struct db_column port_columns[] = {
	[PHYS_STATE] = INFO_COLUMN("PortPhyState", phys_state, FIELD_U8),
	[WIDTH_ACTIVE] = COLUMN("LinkWidthActv", width_active, FIELD_U8),
	[SPEED_ACTIVE] = COLUMN("LinkSpeedActv", speed_active, FIELD_U32),
	[GID_PREFIX] = INFO_COLUMN("GIDPrfx", gid_prefix, FIELD_HEX),
	[PORT_GUID] = COLUMN("PortGuid", guid, FIELD_HEX),
	{ "NodeGuid", offsetof(struct db_port_row, at.node), FIELD_HEX, true },
	{ "PortNum", offsetof(struct db_port_row, at.num), FIELD_U8, true },
	INFO_COLUMN("PortState", state, FIELD_U8),
	COLUMN("LinkWidthEn", width_enabled, FIELD_U8),
	COLUMN("LinkWidthSup", width_supported, FIELD_U8),
	COLUMN("LinkSpeedEn", speed_enabled, FIELD_U32),
	COLUMN("LinkSpeedSup", speed_supported, FIELD_U32),
	INFO_COLUMN("LID", lid, FIELD_U16),
	INFO_COLUMN("LMC", lmc, FIELD_U8),
	INFO_COLUMN("MSMLID", sm_lid, FIELD_U16),
	INFO_COLUMN("MSMSL", sm_sl, FIELD_U8),
	INFO_COLUMN("MTUCap", mtu_cap, FIELD_U8),
	INFO_COLUMN("NMTU", mtu_active, FIELD_U8),
	INFO_COLUMN("VLCap", vl_cap, FIELD_U8),
	INFO_COLUMN("OpVLs", vl_active, FIELD_U8),
	INFO_COLUMN("CapMsk", cap_mask, FIELD_U32),
	/* not of all versions */
	[ENFORCE_IN] = COLUMN("PartEnfInb", enforce_in, FIELD_U8),
	COLUMN("PartEnfOutb", enforce_out, FIELD_U8),
	{ 0 },
};
#define COLUMNS      (ARRAY_SIZE(port_columns) - 3)               /* without the last two */
#define INFO_COLUMNS (((1u << COLUMNS) - 1) & ~(1u << PORT_GUID)) /* all but the GUID */

static struct speed_bits speed_bits(const struct db_port_row *row, unsigned int byte)
{
	return (struct speed_bits){
		(uint8_t)(row->speed_active >> 8 * byte),
		(uint8_t)(row->speed_enabled >> 8 * byte),
		(uint8_t)(row->speed_supported >> 8 * byte),
	};
}

/* FDR10 is the lowest bit of the vendor's speeds. */
static struct mlnx_ext_port_info ext_of(struct speed_bits bits)
{
	return (struct mlnx_ext_port_info){
		bits.active & 1 ? IBC_SPEED_FDR10 : 0,
		bits.enabled & 1 ? IBC_SPEED_FDR10 : 0,
		bits.supported & 1 ? IBC_SPEED_FDR10 : 0,
	};
}

static int read_db_port(struct db_reader *r, const void *at, char *const *cells)
{
	const struct db_port_row *row = at;
	const struct speed_bits bits[SPEED_GROUPS] = {
		[SPEED_BASIC] = speed_bits(row, 0),
		[SPEED_EXT] = speed_bits(row, 1),
		[SPEED_EXT2] = speed_bits(row, 3),
	};
	struct mlnx_ext_port_info ext, before;
	struct port_info info = row->info;
	struct ibc_port *port = r->port;
	bool up;

	(void)cells;
	if (ibc_port_answer(port, IBC_ATTR_PORT_INFO) || ibc_port_answer(port, IBC_ATTR_LINK))
		return db_lose(r, "a second row of this port");
	/* of EXTENDED_PORT_INFO, if that came first */
	before = (struct mlnx_ext_port_info){ port->speed_active, port->speed_enabled,
		                              port->speed_supported };
	port_widths_put(row->width_active, row->width_enabled, row->width_supported, &info);
	port_speeds_put(bits, &info);
	r->enforces |= r->known >> ENFORCE_IN & 1;
	info.pkey_enforce = (uint8_t)((row->enforce_in & 1) << 1 | (row->enforce_out & 1));
	ext = ext_of(speed_bits(row, 2));
	port_put(port, &info);
	ext_port_put(port, &ext);
	ext_port_put(port, &before);
	if (port->node->type != IBC_NODE_SWITCH || port->num == 0)
		port->guid = row->guid;
	/* All that the model has of PortInfo, or it is no answer; trained width and speed alone. */
	up = !(r->known & 1u << PHYS_STATE) || port->phys_state == IBC_PHYS_LINKUP;
	if (ibc_attrs_has(r->provides, IBC_ATTR_PORT_INFO))
		answers_put(port, IBC_ATTR_PORT_INFO,
		            (r->known & INFO_COLUMNS) == INFO_COLUMNS ? ANSWER_OK : ANSWER_NONE);
	if (up && (r->known & RATE_COLUMNS) == RATE_COLUMNS && port->width_active &&
	    port->speed_active)
		answers_put(port, IBC_ATTR_LINK, ANSWER_OK);
	if (ibc_port_has(port, IBC_ATTR_LINK) && r->known & 1u << GID_PREFIX)
		r->subnet->subnet_prefix = info.gid_prefix;
	return 0;
}

const struct db_block db_block_ports = {
	.name = "PORTS",
	.columns = port_columns,
	.known = IBC_ATTR_PORT_INFO,
	.known_in = INFO_COLUMNS,
	.of = DB_PORT,
	.row = read_db_port,
};

/* ---- EXTENDED_PORT_INFO --------------------------------------------------------- */

struct ext_row {
	struct db_place at;
	struct speed_bits speed;
};

static const struct db_column ext_columns[] = {
	{ "NodeGuid", offsetof(struct ext_row, at.node), FIELD_HEX, true },
	{ "PortNum", offsetof(struct ext_row, at.num), FIELD_U8, true },
	{ "LinkSpeedActive", offsetof(struct ext_row, speed.active), FIELD_U8, false },
	{ "LinkSpeedEnabled", offsetof(struct ext_row, speed.enabled), FIELD_U8, false },
	{ "LinkSpeedSupported", offsetof(struct ext_row, speed.supported), FIELD_U8, false },
	{ 0 },
};
/* a bit each */
#define ALL_EXT_COLUMNS ((1u << (ARRAY_SIZE(ext_columns) - 1)) - 1)

static int read_ext_port(struct db_reader *r, const void *at, char *const *cells)
{
	const struct ext_row *row = at;
	struct mlnx_ext_port_info ext = ext_of(row->speed);

	(void)cells;
	if (r->known != ALL_EXT_COLUMNS)
		return 0;
	ext_port_put(r->port, &ext);
	answers_put(r->port, IBC_ATTR_MLNX_EXT_PORT_INFO, ANSWER_OK);
	return 0;
}

const struct db_block db_block_ext_ports = {
	.name = "EXTENDED_PORT_INFO",
	.columns = ext_columns,
	.known = IBC_ATTR_MLNX_EXT_PORT_INFO,
	.known_in = ALL_EXT_COLUMNS,
	.of = DB_PORT,
	.row = read_ext_port,
};

/* ---- SM_INFO --------------------------------------------------------------------- */

struct sm_row {
	struct db_place at;
	uint64_t guid;
	uint32_t act_count;
	uint8_t state, priority;
};

static const struct db_column sm_columns[] = {
	{ "GUID", offsetof(struct sm_row, guid), FIELD_HEX, false },
	{ "ActCount", offsetof(struct sm_row, act_count), FIELD_U32, false },
	{ "SmState", offsetof(struct sm_row, state), FIELD_U8, false },
	{ "Priority", offsetof(struct sm_row, priority), FIELD_U8, false },
	{ "NodeGUID", offsetof(struct sm_row, at.node), FIELD_HEX, true },
	/* called otherwise from version to version */
	{ "PortNumber", offsetof(struct sm_row, at.num), FIELD_U8, false },
	{ "PortNum", offsetof(struct sm_row, at.num), FIELD_U8, false },
	{ 0 },
};
#define SM_INFO_COLUMNS 0x0f /* the first four */
#define SM_PORT_COLUMNS 0x60 /* the last two */

/* The port is looked up only where the row has one. */
static int read_db_sm(struct db_reader *r, const void *at, char *const *cells)
{
	const struct sm_row *row = at;
	struct ibc_sm_info *sm;
	struct ibc_port *port;
	int rc;

	(void)cells;
	if ((r->known & SM_INFO_COLUMNS) != SM_INFO_COLUMNS || !(r->known & SM_PORT_COLUMNS))
		return 0;
	if (row->state > IBC_SM_MASTER - IBC_SM_NOT_ACTIVE)
		return db_lose(r, "invalid value of SmState: %u", row->state);
	rc = db_port(r, row->at.node, row->at.num, &port);
	if (rc)
		return rc;
	sm = arena_alloc(r->arena, sizeof(*sm));
	*sm = (struct ibc_sm_info){
		.guid = row->guid,
		.state = (uint8_t)(row->state + IBC_SM_NOT_ACTIVE),
		.priority = row->priority & 0xf,
		.act_count = row->act_count,
		.act_count_later = row->act_count,
	};
	port_extra(port)->sm = sm;
	answers_put(port, IBC_ATTR_SM_INFO, ANSWER_OK);
	return 0;
}

const struct db_block db_block_sm = {
	.name = "SM_INFO",
	.columns = sm_columns,
	.known = IBC_ATTR_SM_INFO,
	.known_in = SM_INFO_COLUMNS,
	.row = read_db_sm,
};

/* ---- PORT_HIERARCHY_INFO --------------------------------------------------------- */

/* Values of a row that have a column each, in the order of their columns. */
enum { BUS, DEVICE, FUNCTION, ASIC, CAGE, CAGE_PORT, SPLIT, KIND };
enum { PLANES = KIND + 1, PLANE, APORT, TRAY, SLOT, BOARD, VALUES };

struct hierarchy_row {
	struct db_place at;
	const char *label, *extended;
	uint32_t value[VALUES];
};

#define VALUE(which, name)                                                                         \
	[which] = { name, offsetof(struct hierarchy_row, value[which]), FIELD_U32, false }

/* Of all templates: each has those of its own.  Names as in ibdiag_fabric.h (BSD). */
static const struct db_column hierarchy_columns[] = {
	VALUE(BUS, "Bus"),
	VALUE(DEVICE, "Device"),
	VALUE(FUNCTION, "Function"),
	VALUE(ASIC, "ASIC"),
	VALUE(CAGE, "Cage"),
	VALUE(CAGE_PORT, "Port"),
	VALUE(SPLIT, "Split"),
	VALUE(KIND, "PortType"),
	VALUE(PLANES, "NumOfPlanes"),
	VALUE(PLANE, "Plane"),
	VALUE(APORT, "APort"),
	VALUE(TRAY, "TrayIndex"),
	VALUE(SLOT, "ChassisSlotIndex"),
	VALUE(BOARD, "BoardType"),
	{ "NodeGUID", offsetof(struct hierarchy_row, at.node), FIELD_HEX, true },
	{ "PortNum", offsetof(struct hierarchy_row, at.num), FIELD_U8, true },
	{ "Label", offsetof(struct hierarchy_row, label), FIELD_TEXT, false },
	{ "ExtendedLabel", offsetof(struct hierarchy_row, extended), FIELD_TEXT, false },
	{ 0 },
};
enum { FNM1 = 1, FNM = 2 }; /* values of PortType (ibdm/Fabric.h, BSD) */
#define PCI_COLUMNS (1u << BUS | 1u << DEVICE | 1u << FUNCTION)

/* "12/1 plane 2 APort 23", "b8:00.0 tray 3 slot 1"; what a file calls "B184D0F0/0/0/1" is this. */
static const char *hierarchy_label(const struct db_reader *r, const struct hierarchy_row *row)
{
	static const char *const words[VALUES] = { [PLANE] = "plane",
		                                   [APORT] = "APort",
		                                   [TRAY] = "tray",
		                                   [SLOT] = "slot",
		                                   [BOARD] = "board" };
	const char *given = row->label ? row->label : row->extended ? row->extended : "";
	const char *text = r->port->extra->fnm ? "FNM" : given;
	bool has_pci = (r->known & PCI_COLUMNS) == PCI_COLUMNS, is_composed = !*text && !has_pci;

	if (has_pci)
		text = arena_printf(r->arena, "%02x:%02x.%x", row->value[BUS], row->value[DEVICE],
		                    row->value[FUNCTION]);
	for (unsigned int i = ASIC; is_composed && i <= SPLIT; i++)
		if (r->known >> i & 1)
			text = arena_printf(r->arena, "%s%s%u", text, *text ? "/" : "",
			                    row->value[i]);
	/* one plane is none */
	for (unsigned int i = row->value[PLANES] > 1 ? PLANE : TRAY; i < VALUES; i++)
		if (r->known >> i & 1)
			text = arena_printf(r->arena, "%s%s%s %u", text, *text ? " " : "", words[i],
			                    row->value[i]);
	return text;
}

/* What no device can have is not known, as if the column had no value. */
static void forget_impossible(struct db_reader *r, struct hierarchy_row *row)
{
	uint32_t *v = row->value;

	for (unsigned int i = 0; i < VALUES; i++)
		if (v[i] > UINT16_MAX || (i == PLANE && (!v[i] || v[i] > v[PLANES]))) {
			r->known &= ~(1u << i);
			v[i] = 0;
		}
	if ((r->known & PCI_COLUMNS) != PCI_COLUMNS || v[BUS] > 0xff || v[DEVICE] > 0x1f ||
	    v[FUNCTION] > 7) {
		r->known &= ~PCI_COLUMNS;
		v[BUS] = v[DEVICE] = v[FUNCTION] = 0;
	}
}

static int read_hierarchy(struct db_reader *r, const void *at, char *const *cells)
{
	struct hierarchy_row row = *(const struct hierarchy_row *)at;
	struct ibc_port_extra *extra = port_extra(r->port);
	const uint32_t *v = row.value;
	const char *label;

	(void)cells;
	forget_impossible(r, &row);
	extra->fnm = v[KIND] == FNM1 || v[KIND] == FNM;
	extra->pci = v[BUS] << 8 | v[DEVICE] << 3 | v[FUNCTION];
	extra->aport = v[APORT];
	if (v[PLANES] <= UINT8_MAX) {
		extra->plane = (uint8_t)v[PLANE];
		extra->num_planes = (uint8_t)v[PLANES];
	}
	label = hierarchy_label(r, &row);
	fabric_build_label(r->build, r->port, label, strlen(label));
	return 0;
}

const struct db_block db_block_hierarchy = {
	.name = "PORT_HIERARCHY_INFO",
	.columns = hierarchy_columns,
	.of = DB_PORT,
	.row = read_hierarchy,
};

/* ---- PKEY --------------------------------------------------------------------------- */

struct pkey_row {
	struct db_place at;
	uint16_t key;
	uint8_t is_full;
};

static const struct db_column pkey_columns[] = {
	{ "NodeGUID", offsetof(struct pkey_row, at.node), FIELD_HEX, true },
	{ "LocalPortNum", offsetof(struct pkey_row, at.num), FIELD_U8, true },
	{ "PKey", offsetof(struct pkey_row, key), FIELD_U16, true },
	{ "Membership", offsetof(struct pkey_row, is_full), FIELD_U8, true },
	{ 0 },
};
#define PKEY_FULL 0x8000 /* of a full member (IBA 10.9.1) */

/* A row for each key of a port, in the order of its table, without the zeros. */
static int read_pkey(struct db_reader *r, const void *at, char *const *cells)
{
	const struct pkey_row *row = at;
	const struct ibc_pkeys *old = r->port->extra->pkeys;
	struct ibc_pkeys *pkeys = arena_alloc(r->arena, sizeof(*pkeys));
	uint16_t *keys;

	(void)cells;
	*pkeys = old ? *old : (struct ibc_pkeys){ 0 };
	keys = (uint16_t *)pkeys->keys;
	/* room for twice as many, whenever it is full */
	if (!(pkeys->num_keys & (pkeys->num_keys - 1))) {
		keys = arena_array(r->arena, 2 * pkeys->num_keys + 1, sizeof(*keys));
		if (old)
			memcpy(keys, old->keys, old->num_keys * sizeof(*keys));
	}
	keys[pkeys->num_keys++] = row->key | (row->is_full ? PKEY_FULL : 0);
	pkeys->keys = keys;
	port_extra(r->port)->pkeys = pkeys;
	r->has_pkeys = true;
	answers_put(r->port, IBC_ATTR_PKEY_TABLE, ANSWER_OK);
	return 0;
}

const struct db_block db_block_pkeys = {
	.name = "PKEY",
	.columns = pkey_columns,
	.of = DB_PORT,
	.row = read_pkey,
};
