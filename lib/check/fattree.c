/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a fat-tree against what most of its like switches do. */
#include "check/fattree.h"

#include "check/groups.h"

/* A check for each kind of case, in their order; the others look at the whole. */
static void (*const tell[])(const struct growth *g) = {
	[WIRING_SAME_RANK] = tell_same_rank, [WIRING_MISSING] = tell_missing_uplink,
	[WIRING_UNEVEN] = tell_uneven,       [WIRING_SWAPPED] = tell_exchanged,
	[WIRING_PORTS] = tell_ports,         [WIRING_NO_SPINE] = tell_no_spine,
	[WIRING_HOST_UP] = tell_host_up,     [WIRING_SLOW] = tell_slow_trunk,
	[WIRING_RAIL] = tell_rail,
};

/* The checks stand in the order of the kinds, so one walk does for all of them. */
static void check_kind(const struct ibc_input *in, struct ibc_sink *out)
{
	enum wiring_kind kind = (enum wiring_kind)(out->check - ibc_checks_fattree);
	struct accused slow = { .fab = in->fabric, .out = out };
	struct growth g = { .tree = in->fattree, .out = out, .slow = &slow };

	if (plan_speaks(in, out))
		return;
	for (size_t i = 0; i < g.tree->num_cases; i++) {
		g.c = &g.tree->cases[i];
		if (g.c->kind != kind)
			continue;
		if (!g.c->accused)
			sink_as(out, IBC_INFO);
		tell[kind](&g);
	}
}

/* ---- the table ----------------------------------------------------------------- */

/* Who is there and what is cabled; states and rates are told where they are known. */
#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC

#define HOW                                                                                        \
	"What was meant is told from what most of the like switches do: switches are put into "    \
	"ranks from the hosts upward, lower switches that share their upper ones form groups, "    \
	"and in each group the rule is how many cables most lower switches have to each upper "    \
	"one. Switches that follow no rule at all (service leaves, half-cabled spines) have no "   \
	"vote, and where too few agree nobody is accused; the finding tells how many do."

const struct ibc_check ibc_checks_fattree[] = {
	[WIRING_SAME_RANK] = {
	    .id = "fattree.same-rank-link",
	    .title = "cables between two leaves, or two spines",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_CRITICAL,
	    .explain =
		"A cable of a fat-tree goes from one rank of switches to the next: from a leaf to a "
		"spine, from a spine to a core. This one joins two switches of the same rank, or "
		"passes one over, and one of its ends, or both, are missing where they belong.\n"
		"\n"
		HOW
		" A cable between like switches is held against nobody unless an uplink is missing "
		"at one of its ends: pairs of leaves may be cabled by design.\n"
		"\n"
		"Each of the two switches has lost a path to the rank above. Routing that goes up "
		"and then down cannot use the cable at all, and engines that demand a tree refuse "
		"the fabric.\n"
		"\n"
		"Move the plugs as the finding says. Where two sockets are named, a second cable is "
		"needed for the second one.",
	    .run = check_kind,
	    .infers = true,
	},
	[WIRING_MISSING] = {
	    .id = "fattree.missing-uplink",
	    .title = "uplinks that the like switches have",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_CRITICAL,
	    .explain =
		"A switch has fewer cables to the rank above than its like: one that should be "
		"there has no link.\n"
		"\n"
		HOW
		" Where the ports are in order, the finding names the two sockets and their physical "
		"state; else the two switches. A port that did not answer, or that is up and leads "
		"to something silent, may hold the cable: that is unknown, not missing.\n"
		"\n"
		"The hosts below have a path less, and the narrowest cut of the fabric is narrower "
		"by one cable. Nothing else shows it: all hosts still reach each other, and what "
		"blocks looks like congestion.\n"
		"\n"
		"Polling at both ends: plug the cable in, or replace it if it is plugged in. "
		"Disabled: somebody, or the subnet manager, switched the port off. A missing cable "
		"and one that is dead look alike from here.",
	    .run = check_kind,
	    .infers = true,
	},
	[WIRING_UNEVEN] = {
	    .id = "fattree.uneven-uplinks",
	    .title = "uplinks that are double here and absent there",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_CRITICAL,
	    .explain =
		"A switch has as many cables upward as its like, but not one to each spine: to one "
		"there is one too many, to another one too few. Or a spine has a cable too many "
		"from one leaf that another leaf lacks.\n"
		"\n"
		HOW
		" Of parallel cables the one is named that is off the ports its like use; where "
		"ports tell nothing, any of them will do, and the others are listed.\n"
		"\n"
		"The number of cables is right, and so is what simple counts tell. But the traffic "
		"through the spine with the missing cable has a path less, and the doubled one "
		"cannot be filled: half of the second cable's traffic finds no way down.\n"
		"\n"
		"Move the one plug that the finding names.",
	    .run = check_kind,
	    .infers = true,
	},
	[WIRING_SWAPPED] = {
	    .id = "fattree.swapped",
	    .title = "cables that are exchanged",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_CRITICAL,
	    .explain =
		"Two cables (or three, in a circle) go where the other one should: exchanging their "
		"plugs at one side restores the symmetry.\n"
		"\n"
		HOW
		" Cables too many and cables too few that form a circle through rows and columns of "
		"a group are one exchange, the shortest circle first.\n"
		"\n"
		"Each of the leaves has two cables to one spine and none to another. Everything is "
		"connected, and every count of links is right; but half of the affected paths are "
		"gone from the narrowest cut, and engines that demand a pure tree refuse the "
		"fabric.\n"
		"\n"
		"Exchange the two plugs that the finding names. No other cable has to be touched, "
		"and only those two lose their link meanwhile.",
	    .run = check_kind,
	    .infers = true,
	},
	[WIRING_PORTS] = {
	    .id = "fattree.port-pattern",
	    .title = "right switches at other ports than usual",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_INFO,
	    .explain =
		"The cables of a switch go to the right switches, but through other ports than "
		"those of its like do.\n"
		"\n"
		HOW
		" Ports vote apart from that, each side for itself: what most leaves reach through "
		"port 19, and what most spines reach through port 3. Where at least 80 percent "
		"conform, the others are told of here, one line a switch.\n"
		"\n"
		"It costs no bandwidth. It costs time: labels and plans made by a rule are wrong "
		"for these cables, and some routing engines balance by port order.\n"
		"\n"
		"Nothing needs to be done. If the fabric is cabled by a plan, compare with that "
		"(ibcheck topo).",
	    .run = check_kind,
	    .infers = true,
	},
	[WIRING_NO_SPINE] = {
	    .id = "fattree.missing-spine",
	    .title = "a spine that seems to be absent",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .explain =
		"A whole switch of an upper rank seems to be absent: a pod has one spine less than "
		"the other pods, or a port is dark on all leaves, between ports that have uplinks.\n"
		"\n"
		"A tree with one spine less is a smaller tree, as regular as before. So with three "
		"levels the other pods tell; with two, only that the same port is dark everywhere, "
		"which is a hint and no more. Its place can be named, its GUID cannot.\n"
		"\n"
		"Every leaf below it has lost a path, the pod its share of the bandwidth upward.\n"
		"\n"
		"Look at the sockets that are named, and whether the switch at the other end of "
		"those cables has power. If it was never there, nothing is wrong.",
	    .run = check_kind,
	    .infers = true,
	},
	[WIRING_HOST_UP] = {
	    .id = "fattree.host-on-spine",
	    .title = "hosts on a spine or core, where others have none",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_INFO,
	    .explain =
		"One or two hosts are cabled to a switch above the leaves, where the other switches "
		"of that rank have none.\n"
		"\n"
		"It is told where at most two hosts are on that switch, and at most one in ten of "
		"its siblings has any. Hosts on all spines (storage, gateways) are a design. "
		"Aggregation nodes, the reduction engines inside of switches, are no hosts.\n"
		"\n"
		"It often is a subnet manager, or a host plugged in where a port was free. Its "
		"traffic to its own spine's leaves competes with theirs, and OpenSM's ftree engine "
		"refuses such a fabric (fattree.opensm-ftree).\n"
		"\n"
		"Move it to a leaf, unless it is meant to be there.",
	    .run = check_kind,
	    .infers = true,
	},
	[WIRING_SLOW] = {
	    .id = "fattree.slow-trunk",
	    .title = "cables slower than those beside them",
	    .needs = IBC_ATTRS(NEEDS, IBC_ATTR_LINK),
	    .severity = IBC_WARNING,
	    .explain =
		"A cable between two ranks runs slower, or with fewer lanes, than its siblings.\n"
		"\n"
		"It is slower than at least 60 percent of the other uplinks of its lower switch and "
		"than at least 60 percent of the other cables down from its upper switch. Both must "
		"speak against it: leaves or spines of an older generation are slow on purpose. "
		"Other than port.speed and port.width this needs no word of what the ends could "
		"do, so it works on fabrics read from text, too.\n"
		"\n"
		"Routing treats it like the others, so all that is sent through it waits for it.\n"
		"\n"
		"Reseat the cable at both ends and clean it; if it stays slow, replace it, and look "
		"at port.speed for a setting that holds it back.",
	    .run = check_kind,
	    .infers = true,
	},
	[WIRING_RAIL] = {
	    .id = "fattree.rail",
	    .title = "adapters exchanged between rails",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .explain =
		"Hosts with several adapters have each in a rail of its own: adapter 0 of all on "
		"the same leaf, adapter 1 on the next. Here two adapters are each where the other "
		"belongs.\n"
		"\n"
		"Hosts that have adapters of the same names vote together, since login and storage "
		"nodes number theirs otherwise. If nine in ten adapters are on leaves where most of "
		"that name are, that is the rule. Within a rail, the other adapters of a host tell "
		"on which of its leaves it belongs; that takes three rails, as two cannot tell "
		"which of two hosts has moved. One adapter that deviates alone is for "
		"information.\n"
		"\n"
		"Traffic that should stay within a leaf crosses the spines, and a collective "
		"operation is as slow as its slowest rail.\n"
		"\n"
		"Exchange the two plugs at the leaves that the finding names.",
	    .run = check_kind,
	    .infers = true,
	},
	{
	    .id = "fattree.oversubscribed",
	    .title = "more bandwidth from below than upward",
	    .needs = IBC_ATTRS(NEEDS, IBC_ATTR_LINK),
	    .severity = IBC_WARNING,
	    .explain =
		"The switches of a rank can take more from below than they can pass on upward: the "
		"data rates of all cables to hosts, or to the rank below, against those to the rank "
		"above.\n"
		"\n"
		"The ratio is a decision of whoever built the fabric, so there is no limit unless "
		"one is given: by --max-oversubscription, or in the configuration as warning and "
		"critical of [fattree.oversubscribed], both ratios (2 for 2 to 1). Beyond it, the "
		"finding tells of the rank as a whole; the table of levels has the figures in any "
		"case.\n"
		"\n"
		"When all hosts send at once to hosts elsewhere, each gets its share of what goes "
		"upward, not of what its adapter can do.\n"
		"\n"
		"Mend what is missing or slow first. If the ratio is as built, it takes more cables, "
		"or jobs placed so that they stay below their leaves.",
	    .run = check_oversubscribed,
	    .infers = true,
	},
	{
	    .id = "fattree.opensm-ftree",
	    .title = "what OpenSM's ftree routing engine would refuse",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_WARNING,
	    .explain =
		"OpenSM's routing engine ftree demands a pure tree. Where something is not as it "
		"wants it, it gives up with a line in the log of opensm, and the fabric is routed "
		"by the next engine of the list, or by the default one: traffic patterns for which "
		"the tree was built then block.\n"
		"\n"
		"The check does what opensm 3.3.23 does without a file of roots: ranks from the "
		"adapters, roots farthest away from them, all adapters on the last rank, the same "
		"number of neighbours above and below on every switch of a rank, and the same "
		"number of cables to each. It names the fault of the other findings that breaks "
		"this. Where it is the design that does (storage on spines, aggregation nodes, "
		"pruned trees), that is for information.\n"
		"\n"
		"Which engine is in use no fabric tells: ask the log of opensm, or \"opensm -R\" of "
		"its command line. With updn, dor or minhop nothing is lost.\n"
		"\n"
		"Mend the fault; or name the roots in a file (root_guid_file), then ftree takes the "
		"fabric as it is.",
	    .run = check_opensm,
	    .infers = true,
	},
	{
	    .id = "fattree.irregular",
	    .title = "switches that follow no rule",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_INFO,
	    .explain =
		"A switch, or a rank as a whole, is cabled otherwise than its like, in a way that "
		"tells of no fault: fewer uplinks by far, only some of the spines, cables to its "
		"own rank or to itself.\n"
		"\n"
		HOW "\n\n"
		"Service leaves, gateways, fabrics that grow, and directors seen as their chips "
		"look so by design. It is told in one line a switch, so that nobody wonders why "
		"nothing else is said of it.\n"
		"\n"
		"Nothing, if it is meant so. Against a plan every one of these cables is judged "
		"(ibcheck topo).",
	    .run = check_irregular,
	    .infers = true,
	},
	{
	    .id = "fattree.family",
	    .title = "what the switches form, where it is no fat-tree",
	    .needs = IBC_ATTRS(NEEDS),
	    .severity = IBC_INFO,
	    .explain =
		"The switches form no fat-tree, so its symmetry cannot be judged, and no other "
		"check of this group says anything.\n"
		"\n"
		"Switches that hang together are a tree if they fall into ranks, nearly all cables "
		"go from one rank to the next, and leaves reach each other by going up and then "
		"down. Else it is looked for a torus (rings and hypercubes too, by the distances "
		"between switches), a dragonfly (groups that are all joined), a full mesh; one "
		"switch, and adapters cabled to each other, are told as such.\n"
		"\n"
		"It costs nothing. Where a fat-tree was meant, something is badly wrong: say so "
		"with --require-fat-tree, or with severity = critical of [fattree.family] in the "
		"configuration, and it becomes a fault.\n"
		"\n"
		"For other shapes write the fabric down as it should be and compare with that: "
		"\"ibcheck topo --write FILE\".",
	    .run = check_family,
	    .infers = true,
	},
	{ 0 },
};
