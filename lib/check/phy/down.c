/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of links that went down, or stay down: which end gave up, and why. */
#include <ibcheck/topo.h>

#include "check/collect.h"
#include "check/counters/links.h"
#include "check/groups.h"
#include "check/limits.h"
#include "check/phy/phy.h"
#include "fabric/fabric.h"

#define RECENT_SECONDS 86400 /* one reading has no time: the last may be long ago */

static uint64_t phy_value(const struct ibc_port *port, enum ibc_phy_value value)
{
	return ibc_phy_knows(port->extra->phy, value) ? port->extra->phy->value[value] : 0;
}

/* Times that a link went down unintended. */
static struct count downs_of(const struct ibc_phy_delta *d)
{
	struct count own = phy_count(d, IBC_PHY_LINK_DOWNS),
		     other = phy_count(d, IBC_PHY_DOWNS_UNINTENDED);

	return other.n > own.n || !own.known ? other : own;
}

/* ---- restarts ---------------------------------------------------------------------------- */

#define RESTART_SECONDS 600 /* UFM, link_flapping: its ports begin anew within it */

/* Did all of its ports begin to count anew in the time, and together? */
static bool has_restarted(const struct ibc_input *in, const struct ibc_node *node)
{
	double youngest = 0, oldest = 0;
	const struct ibc_port *p;
	bool any = false;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++) {
		struct ibc_phy_delta d;

		if (!p->extra->phy || !ibc_phy_knows(p->extra->phy, IBC_PHY_CLEAR_AGE_MS))
			continue;
		if (!ibc_phy_delta_of(in->before, p, &d) || !d.cleared)
			return false;
		youngest = !any || d.seconds < youngest ? d.seconds : youngest;
		oldest = d.seconds > oldest ? d.seconds : oldest;
		any = true;
	}
	return any && oldest - youngest <= RESTART_SECONDS;
}

/* ---- why it went down ------------------------------------------------------------------- */

enum {
	REASON_TOO_HOT = 25, /* the module shut itself down */
	REASON_NO_POWER = 27,
};

/* What the side that gave the link up has to say. */
static uint64_t reason_of(const struct ibc_port *port)
{
	return phy_value(port, phy_value(port, IBC_PHY_DOWN_BLAME) == IBC_PHY_BLAME_REMOTE
	                           ? IBC_PHY_DOWN_REMOTE_REASON
	                           : IBC_PHY_DOWN_REASON);
}

static enum ibc_severity judge_reason(const struct ibc_port *port, uint64_t reason)
{
	if (phy_value(port, IBC_PHY_DOWN_INTENT) != IBC_PHY_UNINTENDED)
		return IBC_OK;
	if (reason == REASON_TOO_HOT || reason == REASON_NO_POWER)
		return IBC_CRITICAL;
	return ibc_phy_reason(reason)->class == IBC_PHY_CLASS_QUALITY ? IBC_WARNING : IBC_OK;
}

/* The reason has no time: it is that of the downs that were just counted. */
static bool is_recent(const struct ibc_phy_delta *d)
{
	return downs_of(d).n && (d->compared || (d->seconds > 0 && d->seconds < RECENT_SECONDS));
}

/* Does the other end say itself that it gave up?  Then its word is enough. */
static bool peer_says_so(const struct ibc_input *in, const struct ibc_port *port)
{
	const struct ibc_port *peer = port->peer;
	struct ibc_phy_delta d;

	if (!peer || phy_value(port, IBC_PHY_DOWN_BLAME) != IBC_PHY_BLAME_REMOTE ||
	    phy_value(peer, IBC_PHY_DOWN_BLAME) != IBC_PHY_BLAME_LOCAL)
		return false;
	ibc_phy_delta_of(in->before, peer, &d);
	return judge_reason(peer, reason_of(peer)) && is_recent(&d);
}

/* Errors are seen by the receiver: the plug that sends to it comes first. */
static struct said judge_down_reason(const struct ibc_input *in, struct ibc_sink *out,
                                     const struct ibc_port *port)
{
	const uint64_t reason = reason_of(port), blame = phy_value(port, IBC_PHY_DOWN_BLAME);
	const struct ibc_port *giver = blame == IBC_PHY_BLAME_LOCAL    ? port
	                               : blame == IBC_PHY_BLAME_REMOTE ? port->peer
	                                                               : NULL;
	struct said said = { .severity = judge_reason(port, reason), .value = ibc_u64(reason) };
	struct ibc_phy_delta d;

	ibc_phy_delta_of(in->before, port, &d);
	if (!said.severity || !is_recent(&d) || peer_says_so(in, port) ||
	    (said.severity < IBC_CRITICAL && port->peer && has_restarted(in, port->peer->node)))
		return (struct said){ .value = said.value };
	said.count = downs_of(&d);
	/* a module that shut down is itself at fault, at the end whose reason it is */
	if ((blame == IBC_PHY_BLAME_REMOTE) != (said.severity == IBC_CRITICAL))
		said.suspect = port;
	said.text = sink_text(out, "went down %s time%s%s, %s%s%s: %s",
	                      count_text(out, &said.count), said.count.n == 1 ? "" : "s",
	                      span_text(out, &d), giver ? "the receiver of " : "",
	                      port_text(out, giver ? giver : port),
	                      giver ? " gave it up" : " reports", ibc_phy_reason(reason)->text);
	return said;
}

static const struct link_rule reason_rule = { "reason", NULL, judge_down_reason };

static void check_down_reason(const struct ibc_input *in, struct ibc_sink *out)
{
	evaluate_links(in, out, &reason_rule);
}

/* ---- flaps -------------------------------------------------------------------------------- */

/* Taken down on purpose, or by the peer (disabled, reset): no fault of the link. */
static bool was_meant(const struct ibc_port *port)
{
	uint8_t class = ibc_phy_reason(phy_value(port, IBC_PHY_DOWN_REASON))->class;

	return phy_value(port, IBC_PHY_DOWN_INTENT) == IBC_PHY_INTENDED ||
	       class == IBC_PHY_CLASS_INTENDED || class == IBC_PHY_CLASS_OTHER_SIDE;
}

struct down_end {
	const struct ibc_port *port;
	struct ibc_phy_delta d;
	struct count downs;
};

static struct down_end down_end(const struct ibc_input *in, const struct ibc_port *port)
{
	struct down_end e = { .port = port };

	if (port->extra->phy && ibc_phy_delta_of(in->before, port, &e.d))
		e.downs = downs_of(&e.d);
	return e;
}

static void check_flap(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = fabric_next_cable(in->fabric, &i));) {
		struct down_end a = down_end(in, p), z = down_end(in, p->peer);
		const struct down_end *more = z.downs.n > a.downs.n ? &z : &a;
		const struct down_end *other = more == &a ? &z : &a;
		enum ibc_severity severity;

		if (!more->downs.n || was_meant(p) || was_meant(p->peer))
			continue;
		/* of one end alone they are a flap if the other one is known not to have restarted
		 */
		if (!other->downs.n &&
		    (!other->downs.known || has_restarted(in, other->port->node)))
			continue;
		severity = reached(out, in, p, (double)more->downs.n);
		if (!severity)
			continue;
		sink_as(out, severity);
		sink_link(out, p, "went down %s time%s%s: %s at %s, %s at %s",
		          count_text(out, &more->downs), more->downs.n == 1 ? "" : "s",
		          span_text(out, &more->d), count_text(out, &a.downs), port_text(out, p),
		          count_text(out, &z.downs), port_text(out, p->peer));
		sink_advise(out,
		            "Reseat the plugs at %s and %s. If it goes down again, disable the "
		            "port at the switch and replace the cable.",
		            plug_text(out, p), plug_text(out, p->peer));
		count_facts(out, &a.downs);
		sink_fact(out, "peer_count", ibc_u64(z.downs.n));
	}
}

/* ---- why it stays down ------------------------------------------------------------------- */

static const char *down_advice(const struct ibc_phy_code *code)
{
	switch (code->class) {
	case IBC_PHY_CLASS_QUALITY:
		return "Clean and reseat the plugs at both ends; if it stays down, replace the "
		       "cable.";
	case IBC_PHY_CLASS_MODULE:
		return "Reseat what is plugged in there; if it stays down, replace it by a part "
		       "the switch supports.";
	case IBC_PHY_CLASS_INTENDED:
		return "Enable the port again, unless it was disabled on purpose (ibportstate).";
	case IBC_PHY_CLASS_OTHER_SIDE:
		return "See to the other end first: is it powered, is the cable plugged in there, "
		       "is the port enabled?";
	case IBC_PHY_CLASS_TRAINING:
		return "Compare speed and FEC of both ends, then reseat the cable; try another "
		       "one.";
	case IBC_PHY_CLASS_DEVICE:
		return "Reset the port; if it stays down, the device at fault is the one that "
		       "reports this: compare its firmware.";
	default:
		return "Check the cable and what it leads to.";
	}
}

/* A port that never comes up counts nothing; its device knows why. */
static void check_why_down(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port *p, *before, *planned;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		const struct ibc_phy_code *code;
		const struct ibc_node *node;
		uint64_t number;
		bool broken;

		if (!p->num || !ibc_phy_knows(p->extra->phy, IBC_PHY_WHY_DOWN) ||
		    !ibc_port_has_state(p) || p->phys_state == IBC_PHYS_LINKUP)
			continue;
		number = p->extra->phy->value[IBC_PHY_WHY_DOWN];
		code = ibc_phy_trouble(number);
		/* what is broken is so, whoever expects the link: it is plugged in, and cannot work
		 */
		broken = number != IBC_PHY_NOTHING_PLUGGED &&
		         (code->class == IBC_PHY_CLASS_QUALITY ||
		          code->class == IBC_PHY_CLASS_MODULE);
		/* else a link is expected by the peer, the plan, or what was there before */
		before = fabric_same_port(in->before, p);
		node = in->comparison ? ibc_comparison_counterpart(in->comparison, p->node) : NULL;
		planned = node ? ibc_node_port(node, p->num) : NULL;
		if (!number || (!broken && !p->peer && !(before && before->peer) &&
		                !(planned && planned->peer)))
			continue;
		sink_port(out, p, "is down: %s%s", code->text,
		          p->extra->phy->why_down
		              ? sink_text(out, " (\"%s\")", p->extra->phy->why_down)
		              : "");
		sink_advise(out, "%s", down_advice(code));
		sink_fact(out, "code", ibc_u64(number));
		sink_fact(out, "class", ibc_enum(ibc_phy_class_word(code->class)));
		module_facts(out, p->extra->module);
	}
}

/* ---- the table -------------------------------------------------------------------------- */

#define NEEDS IBC_ATTR_PHY_ERRORS, IBC_ATTR_PHY_FEC_BLOCKS, IBC_ATTR_PHY_RECOVERIES

const struct ibc_check ibc_checks_phy_down[] = {
	CHECK("phy.link-down-reason", "links that went down for bad signals or modules",
	      IBC_WARNING, check_down_reason, REGISTERS(NEEDS, IBC_ATTR_PHY_LAST_DOWN),
	      .vital = IBC_ATTRS(IBC_ATTR_PHY_LAST_DOWN, IBC_ATTR_PHY_RECOVERIES),
	      EXPLAINED_BY(BY_BITS, BY("phy.plr-loss", AT)),
	      .many = "links|went down for bad signals or modules"),
	CHECK("phy.flap", "links that go down, and no restart explains it", IBC_CRITICAL,
	      check_flap, .needs = IBC_ATTRS(NEEDS, IBC_ATTR_PHY_LAST_DOWN),
	      .inputs = IBC_IN_PHYSICAL | IBC_IN_BEFORE,
	      .limits = { NEVER, 1, .unit = "of downs between two sweeps" },
	      EXPLAINED_BY(BY_BITS, BY("phy.plr-loss", AT), BY("phy.link-down-reason", AT)),
	      .many = "links|went down"),
	CHECK("phy.why-down", "ports that say why they are down", IBC_WARNING, check_why_down,
	      REGISTERS(IBC_ATTR_PHY_WHY_DOWN, IBC_ATTR_PORT_STATE),
	      EXPLAINED_BY(BY_ABSENCE(AT), BY_WIRING(AT), BY("diff.nodes", AT), BY_MODULE),
	      .many = "ports|are down ({class})"),
	{ 0 },
};
