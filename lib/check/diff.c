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
	CHECK("diff.nodes", "devices that are new, gone, replaced or renamed", IBC_WARNING,
	      diff_nodes, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_COMPARISON,
	      EXPLAINED_BY(BY("port.silent", AT), BY("port.silent", BEHIND)),
	      .many = "devices|are new, gone, replaced or renamed"),
	CHECK("diff.links", "cables that are new, gone or moved; changed port states", IBC_WARNING,
	      check_links, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_COMPARISON,
	      EXPLAINED_BY(BY("port.silent", AT), BY("diff.nodes", AT), BY("port.physical", AT),
	                   BY("port.state", AT)),
	      .many = "cables|are new, gone or moved, or changed their state"),
	CHECK("diff.speed", "cables that trained to another width or speed", IBC_WARNING,
	      check_speed, .needs = IBC_ATTRS(NEEDS, IBC_ATTR_MLNX_EXT_PORT_INFO),
	      .inputs = IBC_IN_COMPARISON,
	      EXPLAINED_BY(BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT)),
	      .many = "cables|trained to another width or speed"),
	CHECK("diff.lid", "changed LIDs, and a subnet manager that moved", IBC_WARNING, check_lid,
	      .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_COMPARISON),
	CHECK("diff.firmware", "changed firmware and hardware revisions", IBC_WARNING,
	      check_firmware, .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_GENERAL_INFO),
	      .vital = IBC_ATTRS(IBC_ATTR_GENERAL_INFO), .inputs = IBC_IN_COMPARISON,
	      .many = "devices|have another firmware or hardware revision than before"),
	CHECK("diff.unchecked", "what only one of the two sweeps could see", IBC_UNKNOWN,
	      diff_unchecked, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_COMPARISON,
	      EXPLAINED_BY(BY("port.silent", AT), BY("port.silent", BEHIND))),
	{ 0 },
};
