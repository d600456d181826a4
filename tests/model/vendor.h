/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_VENDOR_H
#define MODEL_VENDOR_H

/* GeneralInfo of one device, as node->firmware, ->psid and ->gmp_capabilities say. */
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

#include "wire/vendor.h"

/*
 * longer: with room for numbers of more than a byte, and with capabilities; else as the first
 * devices have it.
 */
void general_info_put(uint8_t data[VENDOR_DATA_SIZE], const struct general_info *info, bool longer);

#define VENDOR_SAYS_NOTHING (-1)
/*
 * Writes the answer; returns its status, or VENDOR_SAYS_NOTHING of a node without
 * firmware.  One that is called "" does not know the attribute.
 */
int model_vendor_answer(const struct ibc_node *node, uint16_t attribute,
                        uint8_t data[VENDOR_DATA_SIZE]);

#endif
