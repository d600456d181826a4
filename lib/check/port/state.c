/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the state a port is in. */
#include "check/collect.h"
#include "check/groups.h"
#include "check/phrases.h"
#include "fabric/fabric.h"

#define USUAL_MIN 3 /* switches with one port Disabled: fewer are no habit */

/* ---- port.state -------------------------------------------------------------- */

static bool is_linkup(const struct ibc_port *p)
{
	return ibc_port_has_state(p) && p->phys_state == IBC_PHYS_LINKUP;
}

/* LinkUp, but not ready for traffic. */
static bool is_waiting(const struct ibc_port *p)
{
	return is_linkup(p) && p->state != IBC_STATE_ACTIVE;
}

/* The end by which each link is visited once; that of a silent peer has but one. */
static bool is_first_end_up(const struct ibc_port *p)
{
	return p->num && is_linkup(p) && ibc_port_is_here(p) &&
	       (!p->peer || ibc_port_is_near_end(p) || !is_linkup(p->peer));
}

struct state_tally {
	size_t links, waiting; /* waiting: at every end we know of */
	bool armed;
	bool unmanaged; /* all but a few wait, which an earlier manager may have left Active */
};

static struct state_tally tally_subnet(const struct ibc_fabric *fab,
                                       const struct ibc_subnet *subnet)
{
	struct state_tally t = { 0 };
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++) {
		if (p->node->subnet != subnet || !is_first_end_up(p))
			continue;
		t.links++;
		if (!is_waiting(p) || (p->peer && is_linkup(p->peer) && !is_waiting(p->peer)))
			continue;
		t.waiting++;
		t.armed |= p->state == IBC_STATE_ARMED;
	}
	t.unmanaged = t.waiting && t.waiting * 10 >= t.links * 9;
	return t;
}

bool subnet_is_unmanaged(const struct ibc_fabric *fab, const struct ibc_subnet *subnet)
{
	return tally_subnet(fab, subnet).unmanaged;
}

static const char *state_name(const struct ibc_port *p)
{
	return ibc_port_state_word(p->state)->name;
}

static void report_waiting(struct ibc_sink *out, const struct ibc_port *p)
{
	const struct ibc_port *z = p->peer;
	bool both = z && is_waiting(p) && is_waiting(z);

	if (!is_waiting(p))
		p = z;
	if (!both)
		sink_port(out, p, "is LinkUp but %s: no subnet manager has activated it",
		          state_name(p));
	else if (p->state == z->state)
		sink_cable(out, p,
		           "is LinkUp but %s at both ends: no subnet manager has activated it",
		           state_name(p));
	else
		sink_cable(
		    out, p,
		    "is LinkUp but %s at %s and %s at %s: no subnet manager has activated it",
		    state_name(p), port_text(out, p), state_name(z), port_text(out, z));
	sink_advise(out, "Look for this port in the log of the subnet manager, and trigger a heavy "
	                 "sweep (SIGHUP to opensm).");
	sink_fact(out, "state", ibc_enum(ibc_port_state_word(p->state)));
	if (both)
		sink_fact(out, "peer_state", ibc_enum(ibc_port_state_word(z->state)));
}

/* Is it, where it leads to, in a subnet that was swept too? */
static bool is_known_there(const struct ibc_fabric *fab, const struct ibc_port *p)
{
	const struct ibc_subnet *subnet;

	for (unsigned int i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++) {
		const struct fabric_node *n = fabric_find(fab, i, p->node->guid);
		const struct ibc_port *there = n ? ibc_node_port(&n->node, p->num) : NULL;

		if (there && subnet != p->node->subnet && ibc_port_is_here(there))
			return true;
	}
	return false;
}

/* A second port of adapters that waits, for the manager of another subnet: one finding. */
static void evaluate_elsewhere(struct ibc_sink *out, const struct ibc_fabric *fab,
                               const struct ibc_subnet *subnet)
{
	struct examples examples = { .count = 0 };
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		if (p->node->subnet == subnet && is_waiting(p) && !ibc_port_is_here(p) &&
		    !is_known_there(fab, p))
			examples_add(&examples, p);
	if (examples.count == 1)
		report_waiting(out, examples.ports[0]);
	if (examples.count < 2)
		return;
	sink_fabric(
	    out, "%s%zu HCA ports lead to another subnet, and no subnet manager has activated them",
	    subnet_intro(out, subnet), examples.count);
	sink_advise(out,
	            "Start the subnet manager of that subnet. Then sweep it from a port in it.");
	sink_fact(out, "ports", ibc_u64(examples.count));
	examples_relate(out, &examples);
}

/*
 * A port that is LinkUp but not Active has a working cable and no traffic: the subnet
 * manager has not set it up, or gave up half way.
 */
static void check_state(const struct ibc_input *in, struct ibc_sink *out)
{
	bool *unmanaged = sink_array(out, ibc_fabric_count(in->fabric).subnets, sizeof(bool));
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++) {
		struct state_tally t = tally_subnet(in->fabric, subnet);

		unmanaged[i] = t.unmanaged;
		if (t.unmanaged) {
			sink_fabric(out,
			            "%sno subnet manager has configured this fabric: %zu of %zu "
			            "links are %s",
			            subnet_intro(out, subnet), t.waiting, t.links,
			            t.armed ? "Init or Armed" : "Init");
			sink_advise(out, "Start a subnet manager: \"systemctl start opensm\" on a "
			                 "host, or the one of a managed switch.");
			sink_fact(out, "links", ibc_u64(t.links));
			sink_fact(out, "links_waiting", ibc_u64(t.waiting));
			if (subnet->origin && is_linkup(subnet->origin))
				sink_fact(out, "sm_lid", ibc_u64(subnet->origin->sm_lid));
		}
		evaluate_elsewhere(out, in->fabric, subnet);
	}
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		if (unmanaged[p->node->subnet->index] || !is_first_end_up(p))
			continue;
		if (is_waiting(p) || (p->peer && is_waiting(p->peer)))
			report_waiting(out, p);
	}
}

/* ---- port.physical ------------------------------------------------------------ */

static bool is_off(const struct ibc_port *p)
{
	return ibc_port_has_state(p) && p->phys_state != IBC_PHYS_LINKUP;
}

/* Down, and no cable known that would explain it: the others of its kind may. */
static bool is_compared(const struct ibc_port *p)
{
	return is_off(p) && !p->peer &&
	       (p->node->type == IBC_NODE_CA || p->phys_state == IBC_PHYS_DISABLED);
}

static const char *phys_name(const struct ibc_port *p)
{
	return ibc_phys_state_word(p->phys_state)->name;
}

static const char *phys_advice(const struct ibc_port *p)
{
	switch (p->phys_state) {
	case IBC_PHYS_POLLING:
		return "Check the other end: is it powered, enabled and plugged in? Then reseat "
		       "the cable, then replace it.";
	case IBC_PHYS_DISABLED:
		return "The port was disabled. If that is no longer wanted, enable it with "
		       "ibportstate.";
	case IBC_PHYS_TRAINING:
		return "Reseat the cable at both ends. If it does not come up within a minute, "
		       "replace it.";
	case IBC_PHYS_ERROR_RECOVERY:
		return "Reseat the cable at both ends. If the state comes back, replace it.";
	default:
		return "Reset the port with ibportstate. If that does not help, reseat the cable.";
	}
}

static void report_cable_down(struct ibc_sink *out, const struct ibc_port *p)
{
	const struct ibc_port *z = p->peer, *off = is_off(p) ? p : z;
	/* where one end is Disabled, the Polling of the other follows from it */
	bool blame_far = is_off(z) && z->phys_state == IBC_PHYS_DISABLED;

	if (is_off(p) && is_off(z))
		sink_cable(out, p, "is down: %s is %s, %s is %s%s", port_text(out, p), phys_name(p),
		           port_text(out, z), phys_name(z), counted_text(out, p, z));
	else
		sink_cable(out, p, "is down: %s is %s%s", port_text(out, off), phys_name(off),
		           counted_text(out, off, NULL));
	sink_advise(out, "%s", phys_advice(blame_far ? z : off));
	if (is_off(p))
		sink_fact(out, "phys_state", ibc_enum(ibc_phys_state_word(p->phys_state)));
	if (is_off(z))
		sink_fact(out, "peer_phys_state", ibc_enum(ibc_phys_state_word(z->phys_state)));
	counted_facts(out, p, z);
}

/* Between Polling and LinkUp: there is a cable, and it does not come up. */
static bool is_struggling(const struct ibc_port *p)
{
	return ibc_port_has_state(p) &&
	       (p->phys_state == IBC_PHYS_TRAINING || p->phys_state == IBC_PHYS_ERROR_RECOVERY);
}

/* ---- CA ports that are down --------------------------------------------------- */

static void report_ca_port(struct ibc_sink *out, const struct ibc_port *p, size_t up, size_t equal)
{
	if (up * 2 >= equal)
		sink_port(out, p, "is %s; on %zu of %zu HCAs of this type port %u is up",
		          phys_name(p), up, equal, p->num);
	else
		sink_port(out, p, "is %s", phys_name(p));
	sink_compares(out);
	sink_advise(out, "%s", phys_advice(p));
	sink_fact(out, "phys_state", ibc_enum(ibc_phys_state_word(p->phys_state)));
	sink_fact(out, "alike", ibc_u64(equal));
	sink_fact(out, "alike_up", ibc_u64(up));
}

/* Up on most of them means meant to be up. */
static void evaluate_ca_slots(struct ibc_sink *out, const struct slot *slots, size_t n)
{
	struct examples down = { .count = 0 };
	size_t up = 0, known = 0;

	for (size_t i = 0; i < n; i++) {
		up += is_linkup(slots[i].port);
		known += ibc_port_has_state(slots[i].port);
	}
	for (size_t i = 0; i < n; i++) {
		const struct ibc_port *p = slots[i].port, *other;
		bool linked = false;

		if (!is_off(p) || p->peer || is_struggling(p))
			continue;
		/* an adapter with any link was not fitted for its second port */
		for (unsigned int num = 1; (other = ibc_node_port(p->node, num)); num++)
			linked |= is_linkup(other);
		if (up * 2 >= known || !linked)
			report_ca_port(out, p, up, known);
		else
			examples_add(&down, p);
	}
	if (!down.count)
		return;
	sink_as(out, IBC_INFO);
	if (down.count == 1) {
		report_ca_port(out, down.ports[0], up, known);
		return;
	}
	sink_fabric(out, "port %u is down on %zu of %zu HCAs of one type: probably not in use",
	            down.ports[0]->num, down.count, known);
	sink_fact(out, "vendor_id", ibc_u64(down.ports[0]->node->vendor_id));
	sink_fact(out, "device_id", ibc_u64(down.ports[0]->node->device_id));
	sink_fact(out, "alike", ibc_u64(known));
	sink_fact(out, "alike_up", ibc_u64(up));
	examples_relate(out, &down);
}

/* ---- switch ports that were switched off ---------------------------------------- */

/* An empty port is Polling.  Disabled is a decision: of the site, if most have it. */
static void evaluate_switch_slots(struct ibc_sink *out, const struct slot *slots, size_t n,
                                  struct examples *usual)
{
	size_t disabled = 0;

	for (size_t i = 0; i < n; i++)
		disabled += is_compared(slots[i].port);
	for (size_t i = 0; disabled && i < n; i++) {
		const struct ibc_port *p = slots[i].port, *management = ibc_node_port(p->node, 0);

		if (!is_compared(p))
			continue;
		if (disabled >= USUAL_MIN && disabled * 2 > n) {
			examples_add(usual, p);
			continue;
		}
		sink_port(out, p, "is Disabled");
		if (ibc_port_has(management, IBC_ATTR_PORT_INFO) && management->lid)
			sink_advise(out, "If it should be in use: \"ibportstate %u %u enable\".",
			            management->lid, p->num);
		else
			sink_advise(out, "If it should be in use, enable it with ibportstate.");
		sink_fact(out, "phys_state", ibc_enum(ibc_phys_state_word(p->phys_state)));
	}
}

/*
 * A port that is not LinkUp although a cable or an adapter behind it says that it
 * should be: a lost link, or a lost host.
 */
static void check_physical(const struct ibc_input *in, struct ibc_sink *out)
{
	struct examples usual = { .count = 0 };
	const struct ibc_port *p;
	struct slot *slots;
	size_t n, equal;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		if (ibc_port_is_near_end(p) && (is_off(p) || is_off(p->peer)))
			report_cable_down(out, p);
		if (p->peer || !is_struggling(p))
			continue;
		sink_port(out, p, "is %s: a cable is plugged in and does not come up%s",
		          phys_name(p), counted_text(out, p, NULL));
		sink_advise(out, "%s", phys_advice(p));
		sink_fact(out, "phys_state", ibc_enum(ibc_phys_state_word(p->phys_state)));
		counted_facts(out, p, NULL);
	}
	if (!any_port(in->fabric, is_compared))
		return;
	slots = collect_slots(out, in->fabric, &n);
	for (; n; slots += equal, n -= equal) {
		equal = slots_equal(slots, n);
		if (slots->port->node->type == IBC_NODE_CA)
			evaluate_ca_slots(out, slots, equal);
		else if (slots->port->node->type == IBC_NODE_SWITCH)
			evaluate_switch_slots(out, slots, equal, &usual);
	}
	if (!usual.count)
		return;
	sink_as(out, IBC_INFO);
	sink_fabric(
	    out,
	    "%zu switch ports are Disabled, as on most switches of their kind: probably by design",
	    usual.count);
	examples_relate(out, &usual);
}

/* ---- the table -------------------------------------------------------------- */

const struct ibc_check ibc_checks_port_state[] = {
	CHECK("port.state", "links that no subnet manager has activated", IBC_CRITICAL, check_state,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_STATE),
	      EXPLAINED_BY(BY("port.silent", AT), BY("port.isolated", AT), BY_PHYSICAL,
	                   BY("counters.flap", AT), BY_MANAGER),
	      .many = "links|are not Active"),
	CHECK("port.physical", "ports that are down and should not be", IBC_WARNING, check_physical,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_STATE),
	      EXPLAINED_BY(BY_ABSENCE(AT), BY_WIRING(AT), BY("diff.nodes", AT), BY_MODULE,
	                   BY("phy.why-down", AT)),
	      .many = "ports|are down"),
	{ 0 },
};
