/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of what a cable says it is: vendor, part and serial number. */
#include <ibcheck/topo.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/collect.h"
#include "check/groups.h"
#include "check/phy/phy.h"
#include "fabric/fabric.h"

static int compare_words(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* A number alone is not unique: vendors, and parts, begin at 1. */
static int compare_modules(const struct ibc_module *a, const struct ibc_module *b)
{
	return compare_words(a->serial, b->serial) ?: compare_words(a->part, b->part)
	           ?: compare_words(a->vendor, b->vendor);
}

static const char *module_words(struct ibc_sink *out, const struct ibc_module *m)
{
	return sink_text(out, "%s %s, serial %s", m->vendor ? m->vendor : "unknown vendor",
	                 m->part ? m->part : "unknown part", m->serial ? m->serial : "unknown");
}

/* ---- one number, two cables ------------------------------------------------------------- */

static int by_identity(const void *a, const void *b)
{
	const struct ibc_port *x = *(const struct ibc_port *const *)a;
	const struct ibc_port *y = *(const struct ibc_port *const *)b;

	return compare_modules(x->extra->module, y->extra->module) ?: compare_ports(x, y);
}

/* Does a port of the plug lead to a port of the other one? */
static bool leads_to(const struct ibc_port *plug, const struct ibc_port *other)
{
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(plug->node, num)); num++)
		if (p->extra->module && p->peer && p->peer->extra->module &&
		    p->peer->node == other->node && ibc_module_port(p) == plug &&
		    ibc_module_port(p->peer) == other)
			return true;
	return false;
}

/* Two plugs belong to one cable: one leads to the other, or both to a third one that splits. */
static bool is_one_cable(const struct ibc_port *a, const struct ibc_port *b)
{
	const struct ibc_port *p;

	if (leads_to(a, b))
		return true;
	for (unsigned int num = 1; (p = ibc_node_port(a->node, num)); num++)
		if (p->extra->module && p->peer && p->peer->extra->module &&
		    ibc_module_port(p) == a && a->extra->module->kind != IBC_MODULE_OPTICAL &&
		    leads_to(b, ibc_module_port(p->peer)))
			return true;
	return false;
}

#define PLUGS_MAX 8 /* of one cable that splits, with room; more of one number are no cable */

/* Plugs of one number: are there any that no cable joins to the first, or to one that is? */
static const struct ibc_port *find_stranger(const struct ibc_port *const *plugs, size_t n)
{
	bool joined[PLUGS_MAX] = { true }, more = true;

	if (n > PLUGS_MAX)
		return plugs[n - 1];
	while (more) {
		more = false;
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < n; k++)
				if (joined[i] && !joined[k] &&
				    (is_one_cable(plugs[i], plugs[k]) ||
				     is_one_cable(plugs[k], plugs[i])))
					joined[k] = more = true;
	}
	for (size_t i = 0; i < n; i++)
		if (!joined[i])
			return plugs[i];
	return NULL;
}

static void evaluate_doubles(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port **plugs = sink_array(out, ibc_fabric_count(in->fabric).ports,
	                                           sizeof(const struct ibc_port *));
	const struct ibc_port *p, *stranger;
	struct plug plug = { 0 };
	size_t n = 0, same;

	/* the other end of a cable carries its number too: if it was not read, nothing is known */
	while (next_plug(in, out, &plug))
		if (plug.module->serial && (plug.module->kind == IBC_MODULE_OPTICAL ||
		                            (plug.port->peer && plug.port->peer->extra->module)))
			plugs[n++] = plug.port;
	if (n)
		qsort(plugs, n, sizeof(const struct ibc_port *), by_identity);
	for (size_t i = 0; i < n; i += same) {
		struct examples others = { .count = 0 };

		p = plugs[i];
		for (same = 1; i + same < n; same++) {
			if (compare_modules(p->extra->module, plugs[i + same]->extra->module))
				break;
			examples_add(&others, plugs[i + same]);
		}
		stranger = same > 1 ? find_stranger(&plugs[i], same) : NULL;
		if (!stranger)
			continue;
		sink_port(out, p, "%s is also plugged in at %s%s",
		          module_words(out, p->extra->module), port_text(out, stranger),
		          same > 2 ? sink_text(out, " (%zu plugs in all)", same) : "");
		sink_advise(out, "Two cables cannot have one serial number: one is copied, or its "
		                 "memory was written wrong. Compare the labels at both places.");
		sink_fact(out, "plugs", ibc_u64(same));
		module_facts(out, p->extra->module);
		examples_relate(out, &others);
	}
}

/* ---- one cable, two numbers ----------------------------------------------------------------- */

#define PLUG_SUFFIX_MAX 3 /* a dash, and up to two digits or letters */

/*
 * The number of a cable without what differs from plug to plug: of one that splits, vendors append
 * "-1" and "-2" (seen on 87 of 87 cables of a real fabric).
 */
static size_t stem_length(const char *serial)
{
	const char *dash = strrchr(serial, '-');

	return dash && strlen(dash) <= PLUG_SUFFIX_MAX ? (size_t)(dash - serial) : strlen(serial);
}

static bool say_one_cable(const struct ibc_module *a, const struct ibc_module *z)
{
	size_t n = stem_length(a->serial);

	return n == stem_length(z->serial) && !strncmp(a->serial, z->serial, n) &&
	       !compare_words(a->part, z->part) && !compare_words(a->vendor, z->vendor);
}

static bool is_whole_cable(const struct ibc_module *m)
{
	return m && m->serial &&
	       (m->kind == IBC_MODULE_ACTIVE_CABLE || m->kind == IBC_MODULE_PASSIVE_COPPER);
}

static void check_identity(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port *p;

	evaluate_doubles(in, out);
	for (size_t i = 0; (p = fabric_next_cable(in->fabric, &i));) {
		const struct ibc_module *a = p->extra->module, *z = p->peer->extra->module;

		if (!is_whole_cable(a) || !is_whole_cable(z) || say_one_cable(a, z))
			continue;
		sink_as(out, IBC_WARNING);
		sink_cable(out, p, "%s is %s, %s is %s", port_text(out, p), module_words(out, a),
		           port_text(out, p->peer), module_words(out, z));
		sink_advise(out,
		            "The two ends of a cable carry one number: follow the cable, and see "
		            "whether it is one. Else its memory was written wrong: replace it.");
		module_facts(out, a);
		sink_fact(out, "peer_serial", ibc_str(z->serial));
	}
}

/* ---- another than planned ---------------------------------------------------------- */

/* The comparison may be there or not: without one nothing was planned. */
static void check_plan(const struct ibc_input *in, struct ibc_sink *out)
{
	struct plug plug = { 0 };

	while (in->comparison && next_plug(in, out, &plug)) {
		const struct ibc_port *p = plug.port, *planned;
		const struct ibc_node *node = ibc_comparison_counterpart(in->comparison, p->node);
		const struct ibc_module *was, *is = p->extra->module;

		planned = node ? ibc_node_port(node, p->num) : NULL;
		was = planned ? planned->extra->module : NULL;
		if (!was || !was->serial || !is->serial || !compare_modules(was, is))
			continue;
		sink_port(out, p, "holds %s, expected is %s", module_words(out, is),
		          module_words(out, was));
		sink_advise(out, "If the cable was replaced, take a new snapshot as the plan; else "
		                 "cables were exchanged: look for the serial number.");
		module_facts(out, is);
		sink_fact(out, "expected_serial", ibc_str(was->serial));
		sink_fact(out, "expected_part", was->part ? ibc_str(was->part) : ibc_none());
	}
}

/* ---- one of another make ----------------------------------------------------------- */

/* By IEEE number: names of one vendor differ over the years. */
static double class_vendor(const struct ibc_input *in, const struct ibc_port *p)
{
	(void)in;
	if (!p->extra->module || !p->extra->module->oui || !p->extra->module->vendor ||
	    ibc_module_port(p) != p)
		return NAN;
	return p->extra->module->oui;
}

static void check_mixed(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t n;
	struct member *all = collect_classes(in, out, true, class_vendor, &n);

	for (size_t i = 0; i < n; i++) {
		const struct member *m = &all[i];

		if (m->value == m->median || m->alike * 100 < m->num * MOST_PERCENT)
			continue;
		sink_port(out, m->port, "holds a part of %s, %zu of %zu such are of %s",
		          m->port->extra->module->vendor, m->alike, m->num,
		          m->usual->extra->module->vendor);
		sink_advise(out, "Nothing is wrong with that; if this link fails alone, try a part "
		                 "of the usual vendor.");
		module_facts(out, m->port->extra->module);
		sink_fact(out, "usual_vendor", ibc_str(m->usual->extra->module->vendor));
	}
}

/* ---- not made for this, or not readable -------------------------------------------- */

static bool has_trouble(const struct ibc_port *p, uint64_t first, uint64_t last)
{
	return ibc_phy_knows(p->extra->phy, IBC_PHY_WHY_DOWN) &&
	       p->extra->phy->value[IBC_PHY_WHY_DOWN] >= first &&
	       p->extra->phy->value[IBC_PHY_WHY_DOWN] <= last;
}

/* Codes of PDDR 1. */
enum { LONG_RANGE = 1025, I2C_STUCK = 1026, BAD_MEMORY = 1027, NOT_LISTED = 1028, UNSUPPORTED };

static const char *why_unsupported(struct ibc_sink *out, const struct plug *plug)
{
	const struct ibc_module *m = plug->module;
	const struct ibc_port *p = plug->port;
	/* 0: an Ethernet port of this host, of which modules state other rates */
	unsigned int speed = p ? p->speed_active : plug->own->infiniband ? plug->own->speed : 0;

	if (p &&
	    (has_trouble(p, LONG_RANGE, LONG_RANGE) || has_trouble(p, NOT_LISTED, UNSUPPORTED)))
		return ibc_phy_trouble(p->extra->phy->value[IBC_PHY_WHY_DOWN])->text;
	if (m && m->rates && speed && plug_is_up(plug) && !(m->rates & speed))
		return sink_text(out, "the cable does not state that it is made for %s",
		                 ibc_speed_word(speed)->name);
	return NULL;
}

static bool is_ascii(const char *text)
{
	for (; text && *text; text++)
		if ((unsigned char)*text >= 0x7f || (unsigned char)*text < ' ')
			return false;
	return true;
}

static const char *why_unreadable(struct ibc_sink *out, const struct plug *plug)
{
	const struct ibc_module *m = plug->module;
	const struct ibc_port *p = plug->port;

	(void)out;
	if (p && has_trouble(p, I2C_STUCK, BAD_MEMORY))
		return ibc_phy_trouble(p->extra->phy->value[IBC_PHY_WHY_DOWN])->text;
	if (!m)
		return NULL;
	if (!is_ascii(m->vendor) || !is_ascii(m->part) || !is_ascii(m->serial))
		return "the name or number in the module's memory is no text";
	return m->vendor && m->part && !m->serial ? "the module has no serial number" : NULL;
}

/* In the order of the checks. */
static const struct why_rule {
	const char *(*why)(struct ibc_sink *out, const struct plug *plug);
	const char *advice;
} why_rules[] = {
	{ why_unsupported, "it may work. If this link has errors or stays down, use a part "
	                   "that the vendor of the switch lists." },
	{ why_unreadable, "reseat the plug. If its memory stays unreadable, replace it: the "
	                  "devices set their signals by what they read there." },
};

static void check_why(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct why_rule *rule = RULE_OF(why_rules, out, ibc_checks_cable_identity);
	struct plug plug = { 0 };

	while (next_place(in, out, &plug)) {
		const char *why = rule->why(out, &plug);

		if (!why)
			continue;
		sink_add(out, &plug.subject, "%s", why);
		sink_advise(out, "At %s: %s", plugged_text(out, &plug), rule->advice);
		module_facts(out, plug.module);
	}
}

/* ---- the table --------------------------------------------------------------------- */

#define NEEDS IBC_ATTR_PHY_MODULE

const struct ibc_check ibc_checks_cable_identity[] = {
	CHECK("cable.unsupported", "cables not made for this port or speed", IBC_INFO, check_why,
	      REGISTERS(NEEDS, IBC_ATTR_PHY_WHY_DOWN, IBC_ATTR_PORT_INFO), ON_HOST,
	      .many = "plugs|are not made for their port or speed"),
	CHECK("cable.eeprom", "cables whose memory cannot be read", IBC_WARNING, check_why,
	      REGISTERS(NEEDS, IBC_ATTR_PHY_WHY_DOWN), ON_HOST,
	      .many = "plugs|have a memory that cannot be read"),
	CHECK("cable.identity", "cables with the serial number of another", IBC_CRITICAL,
	      check_identity, REGISTERS(NEEDS), .absence = IBC_ABSENT_HERE,
	      .many = "plugs|have a serial number that does not fit"),
	CHECK("cable.plan", "cables replaced or exchanged since the plan", IBC_CRITICAL, check_plan,
	      REGISTERS(NEEDS), EXPLAINED_BY(BY_PLAN(AT)),
	      .many = "plugs|were replaced or exchanged"),
	CHECK("cable.mixed", "cables of another vendor than their siblings", IBC_INFO, check_mixed,
	      REGISTERS(NEEDS, IBC_ATTR_PHY_STATE, IBC_ATTR_PORT_INFO), .absence = IBC_ABSENT_HERE,
	      .many = "plugs|are of {vendor}"),
	{ 0 },
};
