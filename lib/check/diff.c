/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a sweep against an earlier one: a sort of change each. */
#include "check/diff.h"
#include "check/groups.h"

/* Nodes that came, went or were exchanged are what explains most other changes. */
static void check_nodes(const struct ibc_input *in, struct ibc_sink *out)
{
	diff_nodes(in, out);
}

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

/* What one of the two did not see is neither as it was nor changed. */
static void check_unchecked(const struct ibc_input *in, struct ibc_sink *out)
{
	diff_unchecked(in, out);
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
	    .explain =
		"A switch, an adapter or a router is gone or new since the earlier sweep, is "
		"another device in the same place, has another name, or stands where another "
		"one stood.\n"
		"\n"
		"The devices of the two sweeps are told by GUID, then by name, then by the cables "
		"of their neighbours. A GUID that is new in the place of one that is gone is a "
		"device that was replaced, one finding; a leaf that is gone takes its hosts "
		"and cables along, and they are no findings of their own. What only one of the "
		"two sweeps could see is left to diff.unchecked.\n"
		"\n"
		"Of itself a change is neither good nor bad, so it is a warning: whoever made it "
		"knows, and nobody else should have to find out from its consequences.\n"
		"\n"
		"If it was meant, take a new snapshot to compare with. If not: of a device that "
		"is gone look at power and cables; of one that was replaced, tell its new GUID to "
		"whatever is keyed on the old one.",
	    .run = check_nodes,
	    .compares = true,
	},
	{
	    .id = "diff.links",
	    .title = "cables that came, went or moved; states of ports",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .explain =
		"A cable is gone or new since the earlier sweep, or an end of it is elsewhere; or "
		"a port is in another state, its cable as before: Active, Init, Disabled.\n"
		"\n"
		"Cables are compared port by port between devices that both sweeps have. Those "
		"that changed places among themselves are one finding, with the way back. A "
		"cable whose ports are down is gone, and the physical states of its two ports are "
		"told. Whether a free port sleeps or polls changes by itself and does not "
		"count; that it was disabled does. What only one of the two sweeps could see is "
		"left to diff.unchecked, and a file that tells no states is said to.\n"
		"\n"
		"A host without its only cable is cut off; a leaf without one of its uplinks has "
		"a path less. A port that stays in Init was not configured by the subnet "
		"manager: no traffic passes it.\n"
		"\n"
		"If it was meant, take a new snapshot to compare with. If not, put the plug back "
		"as said, reseat or replace the cable, or enable the port (ibportstate).",
	    .run = check_links,
	    .compares = true,
	},
	{
	    .id = "diff.speed",
	    .title = "cables that trained to another width or speed",
	    .needs = IBC_ATTRS(NEEDS, IBC_ATTR_MLNX_EXT_PORT_INFO),
	    .severity = IBC_WARNING,
	    .explain =
		"A cable joins the same two ports as in the earlier sweep, and has trained to "
		"another width or speed: lower or higher, with both told.\n"
		"\n"
		"The modes in use are compared, cable by cable. port.width and port.speed ask "
		"whether a link runs as fast as its ends could; this asks whether it runs as it "
		"did, so it also sees a whole row of cables that somebody set to another speed.\n"
		"\n"
		"A link that trained lower carries less, and everything routed over it gets "
		"slower. It mostly happened when the link last came up: a cable that aged or "
		"was touched, a reboot, another firmware at one end.\n"
		"\n"
		"Reseat the cable at both ends, then replace it. If many changed at once, look "
		"at diff.firmware and at the settings of the ports instead.",
	    .run = check_speed,
	    .compares = true,
	},
	{
	    .id = "diff.lid",
	    .title = "other LIDs, and a subnet manager that moved",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .explain =
		"A port has another LID, or another LMC, than in the earlier sweep, or the "
		"subnet manager runs on another node.\n"
		"\n"
		"The LIDs of port 0 of switches and of the ports of adapters are compared, where "
		"both sweeps tell them. A device that was replaced is left out: its LID is new "
		"because it is. The manager's node is the one that has the LID which the ports "
		"of the subnet name as their master's. \"ibcheck diff\" runs this check only with "
		"--only or --checks.\n"
		"\n"
		"Managers keep LIDs as they are, even over a restart; when many are others, its "
		"cache was lost, or another manager took over with a cache of its own. "
		"Connections that were set up before hang on the old LIDs until they are set up "
		"anew.\n"
		"\n"
		"Look at the log of the manager that was, then at that of the one that is. Keep "
		"their caches (guid2lid of opensm) in step.",
	    .run = check_lid,
	    .compares = true,
	},
	{
	    .id = "diff.firmware",
	    .title = "other firmware, and other revisions of hardware",
	    .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_GENERAL_INFO),
	    .severity = IBC_WARNING,
	    .explain =
		"A device runs another firmware than in the earlier sweep, or tells another "
		"hardware revision or device id.\n"
		"\n"
		"Revision and device id are part of NodeInfo. The firmware's version is not: it "
		"comes from ibdiagnet2.db_csv, or from the vendor's GeneralInfo (management class "
		"0x0A), which NVIDIA's devices are asked for, a question each over their LID. A "
		"kind of devices none of which answers it, nor others of its kind, has it not: "
		"that is a note, and revision and device id are compared alone. Many that went "
		"from the one version to the other are one finding.\n"
		"\n"
		"An update that was meant to reach all and reached some is seen here, and so is a "
		"board that was swapped under the same GUID.\n"
		"\n"
		"If it was meant, take a new snapshot to compare with. If something else changed "
		"at the same time (rates, errors), this is the first suspect: see the release "
		"notes, or go back.",
	    .run = check_firmware,
	    .compares = true,
	},
	{
	    .id = "diff.unchecked",
	    .title = "what only one of the two sweeps could see",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_UNKNOWN,
	    .explain =
		"Something did not answer in one of the two sweeps, so that nobody can tell "
		"whether it has changed.\n"
		"\n"
		"What leads to a port with a link behind which nobody answers is not gone; what "
		"is found now where the earlier sweep met with silence, or was cut short, may "
		"have been there all the time. Neither counts as a change, nor as unchanged. "
		"Devices that left questions of the earlier sweep open are named; what is "
		"silent now port.silent tells of.\n"
		"\n"
		"The verdict is unknown, and so is the exit status.\n"
		"\n"
		"Find out why it does not answer, and sweep again. If it is the earlier sweep "
		"that has gaps, take a new snapshot to compare with.",
	    .run = check_unchecked,
	    .compares = true,
	},
	{ 0 }
};
