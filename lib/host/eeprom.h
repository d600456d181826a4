/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The memory of a plugged module, by pages of 128 bytes as SFF-8636 and CMIS (OIF-CMIS) have
 * them, and what it says.
 */
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/phy.h>

struct ibc_host;

#define EEPROM_PAGE_BYTES 128 /* the upper half of the 256 bytes that I2C can address */

enum eeprom_page {
	EEPROM_LOWER,  /* bytes 0 .. 127 */
	EEPROM_UPPER,  /* page 0, bytes 128 .. 255, as are all that follow */
	EEPROM_LIMITS, /* SFF-8636: page 3; CMIS: page 2 */
	EEPROM_LANES,  /* CMIS: page 0x11 */
	EEPROM_PAGES,
};

struct eeprom {
	uint8_t page[EEPROM_PAGES][EEPROM_PAGE_BYTES];
	bool read[EEPROM_PAGES];
};

enum eeprom_layout { EEPROM_UNKNOWN, EEPROM_SFF_8636, EEPROM_CMIS };
enum eeprom_layout eeprom_layout(const struct eeprom *e);

/* Its number, once the lower page is read; -1: this module has it not. */
int eeprom_number(const struct eeprom *e, enum eeprom_page page);

/* False: the layout is not known, and nothing is.  Texts go into the host. */
bool eeprom_module(struct ibc_host *host, const struct eeprom *e, struct ibc_module *out);
