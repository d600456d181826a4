/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of how a link is set up: its health, its FEC, its training. */
#include <math.h>

#include "check/groups.h"
#include "check/phy/phy.h"
#include "fabric/fabric.h"

/* ---- the device's own opinion ------------------------------------------------------------- */

enum { TROUBLE_SPEED = 34, TROUBLE_SPEED_PEER = 35, TROUBLE_BER = 70 };
#define UNHEALTHY_NONE 1 /* and 0, of devices that do not say */

static struct said judge_health(const struct ibc_input *in, struct ibc_sink *out,
                                const struct ibc_port *port)
{
	const struct ibc_phy *phy = port->extra->phy;
	uint64_t code = ibc_phy_knows(phy, IBC_PHY_WHY_DOWN) ? phy->value[IBC_PHY_WHY_DOWN] : 0;
	struct said said = { .value = ibc_none() };
	const char *why, *verb = "reports";

	(void)in;
	if (ibc_phy_knows(phy, IBC_PHY_UNHEALTHY) &&
	    phy->value[IBC_PHY_UNHEALTHY] > UNHEALTHY_NONE) {
		const struct ibc_phy_code *reason = ibc_phy_unhealthy(
		    phy->value[IBC_PHY_UNHEALTHY]);

		/* a port that is isolated need not have a link: the other end is only down */
		why = reason->text;
		verb = "counts as unhealthy";
		if (reason->class != IBC_PHY_CLASS_QUALITY)
			said.advice = "The plugs are not to blame: see what the log of the subnet "
				      "manager says of this port.";
	} else if (!ibc_port_is_up(port)) {
		return said;
	} else if (code == TROUBLE_SPEED || code == TROUBLE_SPEED_PEER || code == TROUBLE_BER) {
		why = ibc_phy_trouble(code)->text;
	} else if (ibc_phy_knows(phy, IBC_PHY_LINK_HEALTH) &&
	           phy->value[IBC_PHY_LINK_HEALTH] == IBC_LINK_HEALTH_ATTENTION) {
		why = "the link needs attention";
	} else {
		return said;
	}
	said.severity = IBC_WARNING;
	said.value = ibc_str(why);
	said.text = sink_text(out, "%s %s: %s", port_text(out, port), verb, why);
	return said;
}

static struct said judge_loopback(const struct ibc_input *in, struct ibc_sink *out,
                                  const struct ibc_port *port)
{
	static const struct {
		uint64_t bit;
		const char *text;
	} kinds[] = { { 1, "of what the peer sends" },
		      { 2, "inside the device" },
		      { 4, "by a plug that returns what it gets" } };
	struct said said = { .value = ibc_none() };
	const char *kind = "of an unknown kind";
	uint64_t set;

	(void)in;
	if (!ibc_phy_knows(port->extra->phy, IBC_PHY_LOOPBACK))
		return said;
	set = port->extra->phy->value[IBC_PHY_LOOPBACK];
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		kind = set == kinds[i].bit ? kinds[i].text : kind;
	said.severity = set ? IBC_WARNING : IBC_OK;
	said.value = ibc_u64(set);
	said.text = sink_text(out, "%s has a loopback %s", port_text(out, port), kind);
	return said;
}

/* In the order of the checks. */
static const struct link_rule rules[] = {
	{ "health", NULL, judge_health },
	/* Left behind by a test: such a port talks to itself. */
	{ "loopback",
	  "The port is in a test mode: set its loopback to none (mlxlink), or unplug "
	  "the loopback plug.",
	  judge_loopback },
};

static void check_link(const struct ibc_input *in, struct ibc_sink *out)
{
	evaluate_links(in, out, RULE_OF(rules, out, ibc_checks_phy_state));
}

/* ---- error correction ---------------------------------------------------------------------- */

static enum ibc_fec fec_of(const struct ibc_port *port)
{
	return port->extra->phy && ibc_port_is_up(port) ? port->extra->phy->fec_active
	                                                : IBC_FEC_UNKNOWN;
}

static const char *fec_text(enum ibc_fec fec)
{
	return ibc_fec_info(fec)->word.name;
}

static bool fecs_differ(const struct ibc_port *p)
{
	return fec_of(p) && fec_of(p->peer) && fec_of(p) != fec_of(p->peer);
}

static double class_fec(const struct ibc_input *in, const struct ibc_port *port)
{
	(void)in;
	return fec_of(port) && (!port->peer || (ibc_port_is_near_end(port) && !fecs_differ(port)))
	           ? fec_of(port)
	           : NAN;
}

/* Two codes do not understand each other; what runs nevertheless runs with errors. */
static void check_fec(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port *p;
	struct member *all;
	size_t n;

	for (size_t i = 0; (p = fabric_next_cable(in->fabric, &i));) {
		if (!fecs_differ(p))
			continue;
		sink_cable(out, p, "%s uses %s, %s uses %s", port_text(out, p), fec_text(fec_of(p)),
		           port_text(out, p->peer), fec_text(fec_of(p->peer)));
		sink_advise(out, "Set the same FEC at both ends (mlxlink --fec), or let both "
		                 "choose it; then have the link trained again.");
		sink_fact(out, "fec", ibc_enum(&ibc_fec_info(fec_of(p))->word));
		sink_fact(out, "peer_fec", ibc_enum(&ibc_fec_info(fec_of(p->peer))->word));
	}
	all = collect_classes(in, out, false, class_fec, &n);
	for (size_t i = 0; i < n; i++) {
		const struct member *m = &all[i];
		enum ibc_fec usual = (enum ibc_fec)m->median;

		if (m->value == m->median || m->alike * 100 < m->num * MOST_PERCENT)
			continue;
		sink_as(out, IBC_INFO);
		sink_link(out, m->port, "uses %s; %zu of %zu such links use %s",
		          fec_text(fec_of(m->port)), m->alike, m->num, fec_text(usual));
		sink_advise(out, "Compare the cable with those of its kind: its length or its "
		                 "memory makes the devices choose another FEC.");
		sink_fact(out, "fec", ibc_enum(&ibc_fec_info(fec_of(m->port))->word));
		sink_fact(out, "usual_fec", ibc_enum(&ibc_fec_info(usual)->word));
		module_facts(out, m->port->extra->module);
	}
}

/* ---- training ---------------------------------------------------------------------- */

#define SLOW_FACTOR 3    /* times the middle of its class; a guess */
#define SLOW_MS     5000 /* below that three times is nothing; a guess */
#define SLOW_TRIES  3    /* one, and one more, are usual; a guess */

static double class_ms(const struct ibc_input *in, const struct ibc_port *port)
{
	(void)in;
	return phy_reading(port, IBC_PHY_LINK_UP_MS);
}

static double class_tries(const struct ibc_input *in, const struct ibc_port *port)
{
	(void)in;
	return phy_reading(port, IBC_PHY_TRAINING_ATTEMPTS);
}

/* Of one port first what took long, then its attempts. */
static const struct {
	double (*value)(const struct ibc_input *in, const struct ibc_port *port);
	double least;
	const char *verb, *what, *fact;
} trials[] = {
	{ class_ms, SLOW_MS, "took", "ms to come up", "link_up_ms" },
	{ class_tries, SLOW_TRIES, "needed", "attempts to train", "attempts" },
};

/* A link that trains hard has little margin: it is the one that fails next. */
static void check_training(const struct ibc_input *in, struct ibc_sink *out)
{
	for (size_t t = 0; t < ARRAY_SIZE(trials); t++) {
		size_t n;
		struct member *all = collect_classes(in, out, true, trials[t].value, &n);

		for (size_t i = 0; i < n; i++) {
			const struct member *m = &all[i];

			if (m->value < trials[t].least || m->value < SLOW_FACTOR * m->median)
				continue;
			sink_link(out, m->port,
			          "%s %.0f %s at %s, the median of %zu such links is %.0f",
			          trials[t].verb, m->value, trials[t].what, port_text(out, m->port),
			          m->num, m->median);
			sink_advise(out,
			            "It runs now. If it goes down or runs slow, clean and reseat "
			            "the plug at %s first.",
			            plug_text(out, m->port));
			sink_fact(out, trials[t].fact, ibc_u64((uint64_t)m->value));
		}
	}
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_phy_state[] = {
	/* ExtendedPortInfo is asked with all registers; a source without it is no reason to skip */
	CHECK("phy.health", "links that their own device calls unhealthy", IBC_WARNING, check_link,
	      REGISTERS(IBC_ATTR_PHY_STATE, IBC_ATTR_PHY_WHY_DOWN),
	      EXPLAINED_BY(BY_BITS, BY("phy.plr-loss", AT), BY("phy.link-down-reason", AT),
	                   BY("phy.flap", AT)),
	      .many = "links|are called unhealthy by their own device"),
	CHECK("phy.loopback", "ports that are looped back", IBC_WARNING, check_link,
	      REGISTERS(IBC_ATTR_PHY_STATE), .many = "ports|are looped back"),
	CHECK("phy.fec-mismatch", "links whose ends use different FEC", IBC_CRITICAL, check_fec,
	      REGISTERS(IBC_ATTR_PHY_STATE, IBC_ATTR_PORT_INFO, IBC_ATTR_PHY_MODULE),
	      EXPLAINED_BY(BY("cable.eeprom", AT)),
	      .many = "links|use another FEC than others, or than their other end"),
	CHECK("phy.slow-training", "links that train slowly", IBC_INFO, check_training,
	      .vital = IBC_ATTRS(IBC_ATTR_PHY_LINK_UP, IBC_ATTR_PHY_TRAINING),
	      REGISTERS(IBC_ATTR_PHY_LINK_UP, IBC_ATTR_PHY_TRAINING, IBC_ATTR_PHY_STATE,
	                IBC_ATTR_PHY_MODULE, IBC_ATTR_PORT_INFO),
	      EXPLAINED_BY(BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT)),
	      .many = "links|train slowly"),
	{ 0 },
};
