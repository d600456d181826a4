/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Devices whose registers a sweep reads: what phy.c notes of them, and phyfinish.c ends. */
#include "source/sweep/sweep.h"

/*
 * struct phy_firmware - what devices of one firmware have in common
 * @known: registers that one of them has answered; @unsupported: those that none has
 * @numbering: how many devices are so
 */
struct phy_firmware {
	const char *version;
	struct ibc_attrs known, unsupported;
	unsigned int numbering[NUMBERING_WRONG + 1];
	struct phy_firmware *next;
};

/* A device whose registers are read. */
struct phy_target {
	struct engine_device device;
	struct phy_firmware *firmware;
	struct ibc_sensor *sensors;
	unsigned int fans_open;
	enum answer fans;
	uint16_t fans_low, fans_high;
	bool has_fan_alarms;
};

/* Without a mask of capabilities it is not known whether a device has registers. */
static inline bool phy_can_be_asked(const struct ibc_node *node)
{
	return ibc_node_gmp_capability(node, IBC_GMP_ACCESS_REGISTER) == 1;
}

/* Registers that only a port with a cage has. */
#define PHY_OF_CAGE IBC_ATTRS(IBC_ATTR_PHY_MODULE, IBC_ATTR_PHY_MODULE_LATCHES, IBC_ATTR_PHY_LENGTH)
