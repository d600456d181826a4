/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <infiniband/mad.h>

#include <ibcheck/types.h>

#include "base/array.h"
#include "wire/mad.h"
#include "wire/smp.h"

/* ---- queries ------------------------------------------------------------- */

static void put_query(uint8_t *mad, struct mad_addr *to, const struct smp_query *q,
                      enum mad_class mgmt_class, uint16_t dlid)
{
	struct mad_header h = {
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.method = MAD_METHOD_GET,
		.attribute = q->attribute,
		.modifier = q->modifier,
	};

	memset(mad, 0, MAD_SIZE);
	mad_header_put(mad, &h);
	mad_set_field64(mad, 0, IB_MAD_MKEY_F, q->m_key);
	*to = (struct mad_addr){ .dlid = dlid };
}

void smp_get_by_lid(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct smp_query *q,
                    uint16_t lid)
{
	put_query(mad, to, q, MAD_CLASS_SMP, lid);
}

/* Element 0 of the path is unused (IBA 14.2.1.2). */
static void put_path(uint8_t *mad, uint16_t slid, const uint8_t *hops, size_t n)
{
	const size_t path = 128;

	if (n > SMP_MAX_HOPS)
		n = SMP_MAX_HOPS;
	mad_set_field(mad, 0, IB_DRSMP_HOPCNT_F, n);
	mad_set_field(mad, 0, IB_DRSMP_DRSLID_F, slid);
	mad_set_field(mad, 0, IB_DRSMP_DRDLID_F, MAD_LID_PERMISSIVE);
	if (n)
		memcpy(mad + path + 1, hops, n);
}

void smp_get_directed(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct smp_query *q,
                      const uint8_t *hops, size_t n)
{
	put_query(mad, to, q, MAD_CLASS_SMP_DIRECTED, MAD_LID_PERMISSIVE);
	put_path(mad, MAD_LID_PERMISSIVE, hops, n);
}

void smp_get_combined(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct smp_query *q,
                      uint16_t lid, uint16_t own_lid, const uint8_t *hops, size_t n)
{
	put_query(mad, to, q, MAD_CLASS_SMP_DIRECTED, lid);
	put_path(mad, own_lid, hops, n);
}

/* ---- NodeInfo, SwitchInfo ---------------------------------------------------- */

/* libibmad takes its buffers non-const even to read them. */
static uint32_t field(const uint8_t *data, enum MAD_FIELDS f)
{
	return mad_get_field((void *)data, 0, f);
}

static uint64_t field64(const uint8_t *data, enum MAD_FIELDS f)
{
	return mad_get_field64((void *)data, 0, f);
}

/* IBA 14.2.5.3 */
void node_info_get(const uint8_t data[SMP_DATA_SIZE], struct node_info *out)
{
	uint32_t type = field(data, IB_NODE_TYPE_F);

	out->type = type <= IBC_NODE_ROUTER ? type : IBC_NODE_UNKNOWN;
	out->num_ports = field(data, IB_NODE_NPORTS_F);
	out->local_port = field(data, IB_NODE_LOCAL_PORT_F);
	out->system_guid = field64(data, IB_NODE_SYSTEM_GUID_F);
	out->node_guid = field64(data, IB_NODE_GUID_F);
	out->port_guid = field64(data, IB_NODE_PORT_GUID_F);
	out->vendor_id = field(data, IB_NODE_VENDORID_F);
	out->revision = field(data, IB_NODE_REVISION_F);
	out->device_id = field(data, IB_NODE_DEVID_F);
	out->pkey_cap = field(data, IB_NODE_PARTITION_CAP_F);
}

/* IBA 14.2.5.4 */
void switch_info_get(const uint8_t data[SMP_DATA_SIZE], struct switch_info *out)
{
	out->lft_cap = field(data, IB_SW_LINEAR_FDB_CAP_F);
	out->lft_top = field(data, IB_SW_LINEAR_FDB_TOP_F);
	out->mft_cap = field(data, IB_SW_MCAST_FDB_CAP_F);
	out->mft_top = field(data, IB_SW_MCAST_FDB_TOP_F);
	out->pkey_enforce_cap = field(data, IB_SW_PARTITION_ENFORCE_CAP_F);
	out->enhanced_port0 = field(data, IB_SW_ENHANCED_PORT0_F);
}

/* ---- PortInfo: widths -------------------------------------------------------- */

#define WIDTHS_KNOWN       (IBC_WIDTH_1X | IBC_WIDTH_4X | IBC_WIDTH_8X | IBC_WIDTH_12X | IBC_WIDTH_2X)
#define WIDTH_AS_SUPPORTED 255 /* LinkWidthEnabled: "what LinkWidthSupported says" */

/* Active values are single bits: any other is not one that we know. */
static uint32_t single(uint32_t value, uint32_t known)
{
	return (value & known) == value && (value & (value - 1)) == 0 ? value : 0;
}

void port_widths_put(uint8_t active, uint8_t enabled, uint8_t supported, struct port_info *out)
{
	if (enabled == WIDTH_AS_SUPPORTED)
		enabled = supported;
	out->width_supported = supported & WIDTHS_KNOWN;
	out->width_enabled = enabled & WIDTHS_KNOWN;
	out->width_active = single(active, WIDTHS_KNOWN);
}

/* ---- PortInfo: speeds -------------------------------------------------------- */

/*
 * Speeds are in three fields that grew over the years, each with values of
 * LinkSpeed*Enabled that are no set.
 */
struct speed_field {
	uint16_t lowest;      /* the speed that bit 0 means; the next bits follow on */
	uint8_t known;        /* bits that mean a speed */
	uint8_t none;         /* Enabled: none of these */
	uint8_t as_supported; /* Enabled: what Supported says */
};

static const struct speed_field speed_fields[SPEED_GROUPS] = {
	[SPEED_BASIC] = { IBC_SPEED_SDR, 0x7, 0, 15 },
	[SPEED_EXT] = { IBC_SPEED_FDR, 0xf, 30, 31 },
	[SPEED_EXT2] = { IBC_SPEED_XDR, 0x1, 6, 7 },
};

static uint16_t speed_set(const struct speed_field *f, uint8_t bits)
{
	return (bits & f->known) * f->lowest;
}

void port_speeds_put(const struct speed_bits bits[SPEED_GROUPS], struct port_info *out)
{
	out->speed_active = out->speed_enabled = out->speed_supported = 0;
	for (unsigned int i = 0; i < SPEED_GROUPS; i++) {
		const struct speed_field *f = &speed_fields[i];
		uint8_t enabled = bits[i].enabled;

		if (enabled == f->none)
			enabled = 0;
		else if (enabled == f->as_supported)
			enabled = bits[i].supported;
		out->speed_enabled |= speed_set(f, enabled);
		out->speed_supported |= speed_set(f, bits[i].supported);
		/* a newer field with a speed overrules the older ones */
		if (bits[i].active)
			out->speed_active = speed_set(f, single(bits[i].active, f->known));
	}
}

/* IBA 14.2.5.6 */
void port_info_get(const uint8_t data[SMP_DATA_SIZE], struct port_info *out)
{
	uint32_t state = field(data, IB_PORT_STATE_F);
	uint32_t phys = field(data, IB_PORT_PHYS_STATE_F);
	const struct speed_bits bits[SPEED_GROUPS] = {
		[SPEED_BASIC] = {
			field(data, IB_PORT_LINK_SPEED_ACTIVE_F),
			field(data, IB_PORT_LINK_SPEED_ENABLED_F),
			field(data, IB_PORT_LINK_SPEED_SUPPORTED_F),
		},
		[SPEED_EXT] = {
			field(data, IB_PORT_LINK_SPEED_EXT_ACTIVE_F),
			field(data, IB_PORT_LINK_SPEED_EXT_ENABLED_F),
			field(data, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F),
		},
		/* LinkSpeedExt*2 came with XDR; Debian's libibmad does not have them */
		[SPEED_EXT2] = { data[56] >> 5 & 3, data[56] & 7, data[56] >> 3 & 3 },
	};

	out->local_port = field(data, IB_PORT_LOCAL_PORT_F);
	out->state = state <= IBC_STATE_ACTIVE ? state : IBC_STATE_UNKNOWN;
	out->phys_state = phys <= IBC_PHYS_TEST ? phys : IBC_PHYS_UNKNOWN;
	port_widths_put(field(data, IB_PORT_LINK_WIDTH_ACTIVE_F),
	                field(data, IB_PORT_LINK_WIDTH_ENABLED_F),
	                field(data, IB_PORT_LINK_WIDTH_SUPPORTED_F), out);
	port_speeds_put(bits, out);
	out->lid = field(data, IB_PORT_LID_F);
	out->sm_lid = field(data, IB_PORT_SMLID_F);
	out->lmc = field(data, IB_PORT_LMC_F);
	out->sm_sl = field(data, IB_PORT_SMSL_F);
	out->mtu_cap = field(data, IB_PORT_MTU_CAP_F);
	out->mtu_active = field(data, IB_PORT_NEIGHBOR_MTU_F);
	out->vl_cap = field(data, IB_PORT_VL_CAP_F);
	out->vl_active = field(data, IB_PORT_OPER_VLS_F);
	out->arb_high_cap = field(data, IB_PORT_VL_ARBITRATION_HIGH_CAP_F);
	out->arb_low_cap = field(data, IB_PORT_VL_ARBITRATION_LOW_CAP_F);
	out->cap_mask = field(data, IB_PORT_CAPMASK_F);
	out->cap_mask2 = out->cap_mask & IBC_CAP_HAS_MASK2 ? field(data, IB_PORT_CAPMASK2_F) : 0;
	out->gid_prefix = field64(data, IB_PORT_GID_PREFIX_F);
	out->pkey_enforce = field(data, IB_PORT_PART_EN_INB_F) << 1 |
	                    field(data, IB_PORT_PART_EN_OUTB_F);
	out->m_key = field64(data, IB_PORT_MKEY_F);
	out->m_key_protect = field(data, IB_PORT_MKEY_PROT_BITS_F);
	out->m_key_violations = field(data, IB_PORT_MKEY_VIOL_F);
}

/* ---- MlnxExtPortInfo --------------------------------------------------------- */

#define FDR10_BIT 1 /* the only speed of MlnxExtPortInfo (libibmad) */

static uint16_t fdr10(const uint8_t *data, enum MAD_FIELDS f)
{
	return field(data, f) & FDR10_BIT ? IBC_SPEED_FDR10 : 0;
}

void mlnx_ext_port_info_get(const uint8_t data[SMP_DATA_SIZE], struct mlnx_ext_port_info *out)
{
	out->speed_active = fdr10(data, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F);
	out->speed_enabled = fdr10(data, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F);
	out->speed_supported = fdr10(data, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F);
}

#define VENDOR_ANY  0      /* any that uses these chips */
#define VENDOR_BULL 0x119f /* sells them under an id of its own */

/* Device ids of infiniband-diags 44. */
static const struct device_range {
	uint32_t vendor_id;
	uint16_t first, last;
} ext_port_info_devices[] = {
	{ VENDOR_ANY, 0x1003, 0x101b }, /* ConnectX-3 to ConnectX-6 */
	{ VENDOR_ANY, 0xa2d2, 0xa2d2 }, /* BlueField */
	{ VENDOR_ANY, 0xc738, 0xc73b }, /* SwitchX */
	{ VENDOR_ANY, 0xc839, 0xc839 },  { VENDOR_ANY, 0xcb20, 0xcb20 },  /* Switch-IB */
	{ VENDOR_ANY, 0xcf08, 0xcf09 },                                   /* Switch-IB 2 */
	{ VENDOR_ANY, 0xd2f0, 0xd2f0 },                                   /* Quantum */
	{ VENDOR_BULL, 0x1b02, 0x1b02 },                                  /* SwitchX */
	{ VENDOR_BULL, 0x1b50, 0x1b50 }, { VENDOR_BULL, 0x1ba0, 0x1ba0 }, /* Switch-IB */
	{ VENDOR_BULL, 0x1bd0, 0x1bd5 }, { VENDOR_BULL, 0x1bf0, 0x1bf0 }, /* Quantum */
	{ VENDOR_BULL, 0x1b33, 0x1b33 },                                  /* ConnectX-3 */
	{ VENDOR_BULL, 0x1b73, 0x1b73 }, { VENDOR_BULL, 0x1b40, 0x1b41 },
	{ VENDOR_BULL, 0x1b60, 0x1b61 }, { VENDOR_BULL, 0x1b83, 0x1b83 }, /* Connect-IB */
	{ VENDOR_BULL, 0x1b93, 0x1b94 }, { VENDOR_BULL, 0x1bb4, 0x1bb5 }, /* ConnectX-4 */
	{ VENDOR_BULL, 0x1bc4, 0x1bc6 },
};

bool mlnx_ext_port_info_known(uint32_t vendor_id, uint16_t device_id)
{
	for (size_t i = 0; i < ARRAY_SIZE(ext_port_info_devices); i++) {
		const struct device_range *r = &ext_port_info_devices[i];

		if (r->vendor_id != VENDOR_ANY && r->vendor_id != vendor_id)
			continue;
		if (device_id >= r->first && device_id <= r->last)
			return true;
	}
	return false;
}

/* ---- ExtendedNodeInfo --------------------------------------------------------------------- */

#define EXT_NODE_ASYMMETRIC 16 /* byte, its highest bit */
#define EXT_NODE_PLANES     19 /* ASICMaxPlanes */

void ext_node_info_get(const uint8_t data[SMP_DATA_SIZE], struct ext_node_info *out)
{
	*out = (struct ext_node_info){
		.max_planes = data[EXT_NODE_PLANES],
		.asymmetric = data[EXT_NODE_ASYMMETRIC] & 0x80,
	};
}
