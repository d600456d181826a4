/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a sweep against an earlier one: a sort of change each. */
#include "check/diff.h"
#include "check/groups.h"

/* A cable that nobody moved on purpose is one that fails, or the wrong one. */
static void check_links(const struct ibc_input *in, struct ibc_sink *out)
{
	diff_cables(in, out);
	diff_changes(in, out, IBC_CHANGE_STATE);
}

/* A link that trained lower than it did has lost a lane, or its margin. */
static void check_speed(const struct ibc_input *in, struct ibc_sink *out)
{
	diff_changes(in, out, IBC_CHANGE_RATE);
}

/* Routes, and what people wrote down, go by LIDs. */
static void check_lid(const struct ibc_input *in, struct ibc_sink *out)
{
	diff_changes(in, out, IBC_CHANGE_LID);
	diff_changes(in, out, IBC_CHANGE_SM);
}

/* What else behaves otherwise since then may do so for this. */
static void check_firmware(const struct ibc_input *in, struct ibc_sink *out)
{
	diff_changes(in, out, IBC_CHANGE_FIRMWARE);
	diff_changes(in, out, IBC_CHANGE_REVISION);
	diff_changes(in, out, IBC_CHANGE_DEVICE);
}

/* ---- the table ----------------------------------------------------------------- */

/* What says who is there and what is cabled; states and rates are told where known. */
#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC

const struct ibc_check ibc_checks_diff[] = {
	{
	    .id = "diff.nodes",
	    .title = "devices that came, went, were replaced or renamed",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .run = diff_nodes,
	    .inputs = IBC_IN_COMPARISON,
	},
	{
	    .id = "diff.links",
	    .title = "cables that came, went or moved; states of ports",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .run = check_links,
	    .inputs = IBC_IN_COMPARISON,
	},
	{
	    .id = "diff.speed",
	    .title = "cables that trained to another width or speed",
	    .needs = IBC_ATTRS(NEEDS, IBC_ATTR_MLNX_EXT_PORT_INFO),
	    .severity = IBC_WARNING,
	    .run = check_speed,
	    .inputs = IBC_IN_COMPARISON,
	},
	{
	    .id = "diff.lid",
	    .title = "other LIDs, and a subnet manager that moved",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .run = check_lid,
	    .inputs = IBC_IN_COMPARISON,
	},
	{
	    .id = "diff.firmware",
	    .title = "other firmware, and other revisions of hardware",
	    .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_GENERAL_INFO),
	    .severity = IBC_WARNING,
	    .run = check_firmware,
	    .inputs = IBC_IN_COMPARISON,
	},
	{
	    .id = "diff.unchecked",
	    .title = "what only one of the two sweeps could see",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_UNKNOWN,
	    .explained_by = (const char *const[]){ "port.silent", NULL },
	    .run = diff_unchecked,
	    .inputs = IBC_IN_COMPARISON,
	},
	{ 0 },
};
