/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/gate.h"

#include "wire/mad.h"
#include "wire/registers.h"
#include "wire/vendor.h"

/*
 * A Get of a register may clear counters, or reset a maximum: there what is read decides, and
 * each bit of it is compared with what is known to change nothing.
 */
static bool is_harmless_of_vendor(const struct mad_header *h, const uint8_t mad[MAD_SIZE])
{
	if (h->method != MAD_METHOD_GET)
		return false;
	return h->attribute == VENDOR_GENERAL_INFO ||
	       (h->attribute == VENDOR_ACCESS_REGISTER && register_may_leave(mad));
}

bool gate_is_open(const struct mad_header *h, const uint8_t mad[MAD_SIZE], bool may_clear)
{
	if (h->mgmt_class == MAD_CLASS_VENDOR)
		return is_harmless_of_vendor(h, mad);
	if (h->method == MAD_METHOD_GET)
		return true;
	if (h->method == MAD_METHOD_GET_TABLE)
		return h->mgmt_class == MAD_CLASS_SA;
	return may_clear && h->method == MAD_METHOD_SET && h->mgmt_class == MAD_CLASS_PERFORMANCE;
}
