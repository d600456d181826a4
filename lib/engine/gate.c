/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/gate.h"

#include "base/array.h"
#include "wire/adaptive.h"
#include "wire/mad.h"
#include "wire/registers.h"
#include "wire/smp.h"
#include "wire/vendor.h"

/* An attribute is asked for with nothing in it; what stands there could be a command. */
static bool is_empty(const uint8_t *bytes, size_t n)
{
	size_t i = 0;

	while (i < n && !bytes[i])
		i++;
	return i == n;
}

/*
 * A Get of a register may clear counters, or reset a maximum: there what is read decides, and
 * each bit of it is compared with what is known to change nothing.
 */
static bool is_harmless_of_vendor(const struct mad_header *h, const uint8_t mad[MAD_SIZE])
{
	if (h->attribute == VENDOR_GENERAL_INFO)
		return is_empty(mad + VENDOR_KEY_END, MAD_SIZE - VENDOR_KEY_END);
	return h->attribute == VENDOR_ACCESS_REGISTER && register_may_leave(mad);
}

/* What vendors added and is asked for, and the greatest modifier whose meaning is known. */
static const struct {
	uint16_t attribute;
	uint32_t modifier_max;
} smp_attributes[] = {
	{ SMP_PRIVATE_LFT_INFO, 0 },
	{ SMP_GENERAL_INFO, GENERAL_INFO_CAPABILITIES },
	{ SMP_AR_INFO, 0 }, /* a bit asks what a switch could, not what it does */
	{ SMP_AR_GROUPS, AR_GROUP_BLOCK_MAX },
	{ SMP_AR_LFT, AR_LFT_BLOCK_MAX },
	{ SMP_MLNX_EXT_PORT_INFO, UINT8_MAX },
	{ SMP_EXT_NODE_INFO, 0 },
	{ SMP_VIRTUALIZATION_INFO, 0 },
	{ SMP_VPORT_INFO, UINT16_MAX },
	{ SMP_ROUTER_INFO, 0 },
};

/* Among them are registers as well, and the memory of the chip. */
static bool is_harmless_of_smp(const struct mad_header *h, const uint8_t mad[MAD_SIZE])
{
	for (size_t i = 0; i < ARRAY_SIZE(smp_attributes); i++)
		if (h->attribute == smp_attributes[i].attribute)
			return h->modifier <= smp_attributes[i].modifier_max &&
			       is_empty(mad + SMP_DATA_OFFSET, SMP_DATA_SIZE);
	return h->attribute < SMP_VENDOR_FIRST;
}

/* What is read of each class; NULL: all of it. */
static const struct {
	uint8_t mgmt_class;
	bool (*is_harmless)(const struct mad_header *h, const uint8_t mad[MAD_SIZE]);
} classes[] = {
	{ MAD_CLASS_SMP, is_harmless_of_smp },
	{ MAD_CLASS_SMP_DIRECTED, is_harmless_of_smp },
	{ MAD_CLASS_SA, NULL },
	{ MAD_CLASS_PERFORMANCE, NULL },
	{ MAD_CLASS_VENDOR, is_harmless_of_vendor },
};

bool gate_is_open(const struct mad_header *h, const uint8_t mad[MAD_SIZE], bool may_clear)
{
	for (size_t i = 0; h->method == MAD_METHOD_GET && i < ARRAY_SIZE(classes); i++)
		if (classes[i].mgmt_class == h->mgmt_class)
			return !classes[i].is_harmless || classes[i].is_harmless(h, mad);
	if (h->method == MAD_METHOD_GET_TABLE)
		return h->mgmt_class == MAD_CLASS_SA;
	return may_clear && h->method == MAD_METHOD_SET && h->mgmt_class == MAD_CLASS_PERFORMANCE;
}
