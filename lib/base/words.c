/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/words.h"

#include <strings.h>

/* A table ends with the unknown value. */
struct entry {
	unsigned int value;
	struct ibc_word word;
};

#define UNKNOWN                                                                                    \
	{                                                                                          \
		0,                                                                                 \
		{                                                                                  \
			"unknown", "unknown"                                                       \
		}                                                                                  \
	}

static const struct entry node_types[] = {
	{ IBC_NODE_CA, { "ca", "CA" } },
	{ IBC_NODE_SWITCH, { "switch", "Switch" } },
	{ IBC_NODE_ROUTER, { "router", "Router" } },
	UNKNOWN,
};

static const struct entry port_states[] = {
	{ IBC_STATE_DOWN, { "down", "Down" } },
	{ IBC_STATE_INIT, { "init", "Init" } },
	{ IBC_STATE_ARMED, { "armed", "Armed" } },
	{ IBC_STATE_ACTIVE, { "active", "Active" } },
	UNKNOWN,
};

static const struct entry phys_states[] = {
	{ IBC_PHYS_SLEEP, { "sleep", "Sleep" } },
	{ IBC_PHYS_POLLING, { "polling", "Polling" } },
	{ IBC_PHYS_DISABLED, { "disabled", "Disabled" } },
	{ IBC_PHYS_TRAINING, { "training", "Training" } },
	{ IBC_PHYS_LINKUP, { "linkup", "LinkUp" } },
	{ IBC_PHYS_ERROR_RECOVERY, { "error_recovery", "ErrorRecovery" } },
	{ IBC_PHYS_TEST, { "test", "Test" } },
	UNKNOWN,
};

static const struct entry widths[] = {
	{ IBC_WIDTH_1X, { "1x", "1x" } },    { IBC_WIDTH_2X, { "2x", "2x" } },
	{ IBC_WIDTH_4X, { "4x", "4x" } },    { IBC_WIDTH_8X, { "8x", "8x" } },
	{ IBC_WIDTH_12X, { "12x", "12x" } }, UNKNOWN,
};

static const struct entry speeds[] = {
	{ IBC_SPEED_SDR, { "SDR", "SDR" } }, { IBC_SPEED_DDR, { "DDR", "DDR" } },
	{ IBC_SPEED_QDR, { "QDR", "QDR" } }, { IBC_SPEED_FDR10, { "FDR10", "FDR10" } },
	{ IBC_SPEED_FDR, { "FDR", "FDR" } }, { IBC_SPEED_EDR, { "EDR", "EDR" } },
	{ IBC_SPEED_HDR, { "HDR", "HDR" } }, { IBC_SPEED_NDR, { "NDR", "NDR" } },
	{ IBC_SPEED_XDR, { "XDR", "XDR" } }, UNKNOWN,
};

static const struct entry attrs[] = {
	{ IBC_ATTR_NODE_INFO, { "node_info", "NodeInfo" } },
	{ IBC_ATTR_NODE_DESC, { "node_description", "NodeDescription" } },
	{ IBC_ATTR_SWITCH_INFO, { "switch_info", "SwitchInfo" } },
	{ IBC_ATTR_PORT_INFO, { "port_info", "PortInfo" } },
	{ IBC_ATTR_MLNX_EXT_PORT_INFO, { "mlnx_ext_port_info", "MlnxExtPortInfo" } },
	{ IBC_ATTR_LINK, { "link", "Link" } },
	UNKNOWN,
};

static const struct ibc_word *word_of(const struct entry *e, unsigned int value)
{
	while (e->value && e->value != value)
		e++;
	return &e->word;
}

static unsigned int value_of(const struct entry *e, const char *text)
{
	while (e->value && strcasecmp(e->word.word, text) != 0 &&
	       strcasecmp(e->word.name, text) != 0)
		e++;
	return e->value;
}

const struct ibc_word *ibc_node_type_word(enum ibc_node_type type)
{
	return word_of(node_types, type);
}

const struct ibc_word *ibc_port_state_word(enum ibc_port_state state)
{
	return word_of(port_states, state);
}

const struct ibc_word *ibc_phys_state_word(enum ibc_phys_state state)
{
	return word_of(phys_states, state);
}

const struct ibc_word *ibc_width_word(enum ibc_width width)
{
	return word_of(widths, width);
}

const struct ibc_word *ibc_speed_word(enum ibc_speed speed)
{
	return word_of(speeds, speed);
}

const char *ibc_attr_name(enum ibc_attr attr)
{
	return word_of(attrs, attr)->name;
}

enum ibc_node_type node_type_of(const char *text)
{
	return value_of(node_types, text);
}

enum ibc_port_state port_state_of(const char *text)
{
	return value_of(port_states, text);
}

enum ibc_phys_state phys_state_of(const char *text)
{
	return value_of(phys_states, text);
}

enum ibc_width width_of(const char *text)
{
	return value_of(widths, text);
}

enum ibc_speed speed_of(const char *text)
{
	return value_of(speeds, text);
}

enum ibc_attr attr_of(const char *name)
{
	return value_of(attrs, name);
}
