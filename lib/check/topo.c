/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the fabric against its plan: a kind of deviation each. */
#include "check/topo.h"

#include <stdlib.h>

#include "check/groups.h"

static void (*const tell[])(const struct telling *t) = {
	[DEVIATION_MISSING_NODE] = tell_missing_node,
	[DEVIATION_UNEXPECTED_NODE] = tell_unexpected_node,
	[DEVIATION_REPLACED_NODE] = tell_replaced_node,
	[DEVIATION_RENAMED_NODE] = tell_renamed_node,
	[DEVIATION_EXCHANGED_NODES] = tell_exchanged_nodes,
	[DEVIATION_MISSING_CABLE] = tell_missing_cable,
	[DEVIATION_UNEXPECTED_CABLE] = tell_unexpected_cable,
	[DEVIATION_MISWIRED] = tell_miswired,
	[DEVIATION_SWAPPED] = tell_swapped,
	[DEVIATION_WRONG_PORT] = tell_wrong_port,
	[DEVIATION_SLOW] = tell_slow,
	[DEVIATION_NARROW] = tell_narrow,
	[DEVIATION_UNCHECKED] = tell_unchecked,
	[DEVIATION_PLAN] = tell_plan,
};

static int by_fault(const void *a, const void *b)
{
	const struct ibc_step *x = *(const struct ibc_step *const *)a;
	const struct ibc_step *y = *(const struct ibc_step *const *)b;

	if (x->fault != y->fault)
		return x->fault < y->fault ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* The whole plan by fault: each finding tells the steps that mend it. */
bool telling_begin(struct telling *t)
{
	while (ibc_comparison_step(t->cmp, t->num_steps))
		t->num_steps++;
	t->steps = sink_array(t->out, t->num_steps, sizeof(*t->steps));
	if (!t->steps)
		return false;
	for (size_t i = 0; i < t->num_steps; i++)
		t->steps[i] = ibc_comparison_step(t->cmp, i);
	qsort(t->steps, t->num_steps, sizeof(*t->steps), by_fault);
	return true;
}

/* The checks stand in the order of the kinds, so one walk does for all of them. */
static void check_kind(const struct ibc_input *in, struct ibc_sink *out)
{
	enum deviation_kind kind = (enum deviation_kind)(out->check - ibc_checks_topo);
	struct telling t = { .cmp = in->comparison, .out = out };

	if (kind == DEVIATION_SLOW || kind == DEVIATION_NARROW)
		skip_untold_rates(&t);
	for (size_t i = 0; (t.d = comparison_deviation(t.cmp, i)); i++) {
		if (t.d->kind != kind || (!t.steps && !telling_begin(&t)))
			continue;
		tell[kind](&t);
		add_case(&t);
	}
}

/* ---- the table ----------------------------------------------------------------- */

/* What says who is there and what is cabled; states and rates are told where known. */
#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC

const struct ibc_check ibc_checks_topo[] = {
	[DEVIATION_MISSING_NODE] = {
	    .id = "topo.missing-node",
	    .title = "planned devices that are not there",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_CRITICAL,
	    .explain =
		"The plan has a switch, an adapter or a router that was not found, nor anything "
		"else in its place.\n"
		"\n"
		"Devices of the plan are looked for by GUID, where the plan has GUIDs; by name, "
		"where it is unique; and by the cables of their neighbours. A device behind one "
		"that did not answer is not missing but unchecked. All cables that lead to a "
		"missing device are part of the one finding.\n"
		"\n"
		"A missing host takes no part in anything; a missing leaf cuts off its hosts, and "
		"a missing spine takes a path from every leaf: how many is said with it.\n"
		"\n"
		"Look at power and boot state first; then at the ports where it should be: "
		"Polling means that nothing answers at the far end of the cable, Disabled that "
		"somebody switched the port off. If it was taken out for good, take it out of "
		"the plan.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_UNEXPECTED_NODE] = {
	    .id = "topo.unexpected-node",
	    .title = "devices that nobody planned",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .explain =
		"The fabric has a switch, an adapter or a router of which the plan knows "
		"nothing: neither its GUID, nor its name, nor anything in its place.\n"
		"\n"
		"What is left over once all devices that can be matched are matched is "
		"unexpected. Its cables, and what is only reached through it, are part of the one "
		"finding. Hosts are none of these where the plan has switches alone, nor are "
		"in-network aggregation nodes inside of switches.\n"
		"\n"
		"A new host does no harm by itself; a switch that nobody planned may make the "
		"fabric irregular, and some routing engines then fall back to a worse one.\n"
		"\n"
		"If it is meant to be there, put it into the plan: \"ibcheck topo --write FILE\" "
		"saves the fabric as it is. If not, unplug it.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_REPLACED_NODE] = {
	    .id = "topo.replaced-node",
	    .title = "another device in the place of a planned one",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .explain =
		"In the place of a planned device, at the same ports of the same neighbours, is "
		"another one, with another GUID: a switch or an adapter was replaced.\n"
		"\n"
		"The check runs where the plan has GUIDs. The planned GUID is nowhere in the "
		"fabric, and the new one nowhere in the plan; the cables tell that the one "
		"stands where the other was.\n"
		"\n"
		"The fabric works. But what is keyed on GUIDs does not know the new device: the "
		"node-name map, partitions, the subnet manager's lists of root nodes, topology "
		"files of the scheduler.\n"
		"\n"
		"If it was replaced on purpose, put the new GUID into the plan and into those "
		"files. If nobody knows of it, find out where the planned device went.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_RENAMED_NODE] = {
	    .id = "topo.renamed-node",
	    .title = "planned devices under another name",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .explain =
		"A device is where it was planned, and is called otherwise: by its "
		"NodeDescription, or by the node-name map.\n"
		"\n"
		"It is the planned device by its GUID, or, where the plan has no GUIDs, by its "
		"cables.\n"
		"\n"
		"Traffic does not mind names. People do: they pull the cable of the device whose "
		"name they read. An adapter that is called by its vendor's default usually sits "
		"in a host whose rdma-ndd does not run.\n"
		"\n"
		"Give it its planned name, or correct the plan.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_EXCHANGED_NODES] = {
	    .id = "topo.exchanged-nodes",
	    .title = "devices in each other's place",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_CRITICAL,
	    .explain =
		"Two devices of one type, or more, stand in each other's place: each has the "
		"cables that were planned for another.\n"
		"\n"
		"If two or three devices each have most of the planned neighbours of another, "
		"the devices are taken as exchanged rather than all of their cables; the "
		"comparison then goes on as if each had the other's name. What is still wrong "
		"is told as well.\n"
		"\n"
		"The fabric has the planned shape, with the wrong names on it: whoever acts on "
		"one of these devices acts on another. Between hosts, jobs run in another place "
		"than the scheduler believes.\n"
		"\n"
		"Exchange the names (NodeDescription, node-name map) if the devices are alike, "
		"else the devices. Moving the cables is more work than either.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_MISSING_CABLE] = {
	    .id = "topo.missing-cable",
	    .title = "planned cables that are not there",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_CRITICAL,
	    .explain =
		"The plan has a cable between two ports, both devices are there, and there is no "
		"link between them: it is unplugged, broken or switched off. A sweep cannot "
		"tell these apart, but the physical states of the two ports help.\n"
		"\n"
		"Both ports are free: otherwise a cable was moved, and topo.miswired tells of "
		"it. Polling at both ports means no cable, or one that is dead; Training and "
		"LinkErrorRecovery that there is a cable and it does not come up; Disabled that "
		"somebody switched the port off. What lies behind a device that did not answer "
		"is unchecked, not missing.\n"
		"\n"
		"A host without its only cable is cut off. Between switches, a leaf has one path "
		"less, and those that are left are shared by more.\n"
		"\n"
		"Plug it in, reseat it at both ends, replace it, in this order; enable the port "
		"with ibportstate if it is Disabled. If the plan has a label or a length, they "
		"are in the remedy.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_UNEXPECTED_CABLE] = {
	    .id = "topo.unexpected-cable",
	    .title = "cables that nobody planned",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .explain =
		"Two planned devices are joined by a cable that the plan does not have, and no "
		"planned cable is absent at either port.\n"
		"\n"
		"A cable that took the place of a planned one is none of these: topo.miswired "
		"tells where it belongs.\n"
		"\n"
		"It may be harmless, such as a spare, or not: a cable between two leaves, or "
		"two levels apart, makes a fat-tree irregular, and can close a loop of credits.\n"
		"\n"
		"Unplug it, or put it into the plan.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_MISWIRED] = {
	    .id = "topo.miswired",
	    .title = "cables with an end at the wrong place",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_CRITICAL,
	    .explain =
		"One end of a cable is where it was planned and the other elsewhere; or several "
		"cables, each in the socket of the next, that begin or end at a free socket.\n"
		"\n"
		"Planned cables that are absent and found ones that are not planned are "
		"followed from socket to socket. What hangs together is one case, and the "
		"remedy is the shortest there is: the fewest plugs to move. If the chain closes "
		"to a ring it is topo.swapped.\n"
		"\n"
		"A leaf that has two cables to one spine and none to another sends twice as "
		"much over the one as was meant, and loses a path. A host on another leaf "
		"is not where its neighbours are.\n"
		"\n"
		"Move the plugs as said, one step after the other. \"ibcheck topo --plan-csv "
		"FILE\" writes the steps of the whole fabric as a work order.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_SWAPPED] = {
	    .id = "topo.swapped",
	    .title = "cables in each other's place",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_CRITICAL,
	    .explain =
		"Two cables have changed places at one end, or three and more in turn: every "
		"socket is taken, and each cable ends in the socket of another.\n"
		"\n"
		"Planned cables that are absent and found ones that are not planned are "
		"followed from socket to socket; a chain that closes to a ring is one finding, "
		"and takes one exchange less than it has cables.\n"
		"\n"
		"No port is down and no counter rises: nothing else shows it. A leaf with two "
		"cables to one spine has lost a path to another, and the routes over the doubled "
		"one are shared. Two swapped hosts answer under each other's place in "
		"the scheduler's topology.\n"
		"\n"
		"Exchange the two plugs as said: for the moment it takes both cables are out, "
		"all others stay in service.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_WRONG_PORT] = {
	    .id = "topo.wrong-port",
	    .title = "cables between the right devices, at other ports",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .explain =
		"A cable joins the two devices that it should, at another port of one of them, "
		"or of both.\n"
		"\n"
		"It is told apart from topo.miswired because the fabric has the planned shape. "
		"Ports of one switch that are all shifted alike are one finding.\n"
		"\n"
		"Traffic does not mind. Whoever looks for the cable by the plan finds another "
		"one, and labels lie; where several planes or rails count ports, so do they.\n"
		"\n"
		"Move the plug when there is work at this switch anyway, or correct the plan.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_SLOW] = {
	    .id = "topo.slow",
	    .title = "cables slower than planned",
	    .needs = IBC_ATTRS(NEEDS, IBC_ATTR_MLNX_EXT_PORT_INFO),
	    .severity = IBC_WARNING,
	    .explain =
		"The cable is where it was planned and trained to a lower speed than the plan "
		"has for it: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR a lane.\n"
		"\n"
		"The check compares the speed in use with that of the plan, where the plan tells "
		"one. Unlike port.speed it needs no siblings, and sees that a whole row of "
		"devices is slower than what was bought: if more than 10 cables, and a quarter "
		"of the fabric, are slower in the same way, they are one finding.\n"
		"\n"
		"Every route over the cable has that much less bandwidth.\n"
		"\n"
		"If an end cannot do the planned speed, or does not enable it, the remedy says "
		"which. Else reseat the cable, then replace it.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_NARROW] = {
	    .id = "topo.narrow",
	    .title = "cables narrower than planned",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .explain =
		"The cable is where it was planned and trained to fewer lanes than the plan has "
		"for it: 1x or 2x instead of 4x.\n"
		"\n"
		"The check compares the width in use with that of the plan, where the plan tells "
		"one.\n"
		"\n"
		"A link at 1x has a quarter of the bandwidth, and slows whatever is routed over "
		"it.\n"
		"\n"
		"If an end cannot do the planned width, or does not enable it, the remedy says "
		"which. Else a lane has failed: reseat the cable, then replace it. A split cable "
		"(2x) where none was planned is a matter of the port's configuration.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_UNCHECKED] = {
	    .id = "topo.unchecked",
	    .title = "planned things behind what did not answer",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_UNKNOWN,
	    .explain =
		"Some of the plan lies behind a device that did not answer: whether it is there, "
		"and cabled as planned, is not known.\n"
		"\n"
		"Where a port has a link and what is behind it keeps silent, the planned cable at "
		"that port is neither right nor wrong, and a planned device that could only be "
		"reached through there is not missing. They are told once for each silent "
		"device, and not counted as \"as planned\".\n"
		"\n"
		"The verdict is unknown, and so is the exit status, until they answer.\n"
		"\n"
		"Find out why it does not answer: a host that hangs, a firmware that died, an "
		"M_Key that protects it (give it with -y). Then sweep again.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_PLAN] = {
	    .id = "topo.plan",
	    .title = "a plan that cannot be right",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_UNKNOWN,
	    .explain =
		"The plan and the fabric do not belong together, or the plan says what cannot "
		"be: a port that the device does not have, a name that fits two devices.\n"
		"\n"
		"If next to nothing of the plan is found, it is the plan of another fabric, and "
		"that is all that is said: thousands of missing cables would say no more. A port "
		"number beyond what a found device has is an error of the plan, not of the "
		"fabric. What is wrong in the file alone is told when it is read, with line and "
		"column.\n"
		"\n"
		"What the plan gets wrong cannot be compared; the verdict is unknown.\n"
		"\n"
		"Correct the plan. \"ibcheck topo --check FILE\" looks at the file without a "
		"fabric, \"ibcheck topo --write FILE\" makes one of the fabric as it is.",
	    .run = check_kind,
	    .compares = true,
	},
	[DEVIATION_PLAN + 1] = { 0 },
};
