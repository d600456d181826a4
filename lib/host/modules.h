/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* One page of a module's memory, as the kernel answers it; and for tests its answers. */
#include <libmnl/libmnl.h>

#include "host/eeprom.h"

struct module_page {
	uint8_t bytes[EEPROM_PAGE_BYTES];
	bool read;
};
int module_on_page(const struct nlmsghdr *message, void *ctx);
