/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* vpd.c: Vital Product Data of a PCI function (PCI Local Bus Specification 3.0, appendix I). */

#define VPD_BYTES 4096 /* that sysfs gives at once: ConnectX-7 has less than 512 */

/*
 * Does it name a function through which NVSwitches are managed, as on HGX B200?  It has the model
 * number, the driver and the link layer of an InfiniBand HCA; "SMDL=SW_MNG" in one of its fields
 * (of NVIDIA's keyword VA) is all that sets it apart.  Total: for any n bytes.
 */
bool vpd_is_nvswitch_bridge(const unsigned char *vpd, size_t n);
