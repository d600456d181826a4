/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports that the subnet manager calls unhealthy, and may have taken out of use. */
#include <string.h>

#include <ibcheck/opinions.h>

#include "check/groups.h"
#include "check/sink.h"

/* What OpenSM's conditions mean, with its defaults (osm_hm_cond_type of osm_subnet.h). */
static const struct {
	const char *condition, *meaning, *repair;
} conditions[] = {
	{ "REBOOT", "its node rebooted more than 10 times in 15 min",
	  "Find out why the node reboots." },
	{ "FLAPPING", "its link trained again and again, in 5 of 10 sweeps",
	  "Clean and reseat both plugs; if the link still goes down, replace the cable." },
	{ "UNRESPONSIVE", "it did not answer SMPs in 5 of 7 sweeps",
	  "Reset the device behind it; if it stays silent, look at its firmware and its power." },
	{ "NOISY", "it sent more than 250 traps in a row",
	  "Look at its link and its firmware: both ends may see errors all the time." },
	{ "SET_ERR", "it refused what the subnet manager set",
	  "Update its firmware; opensm.log names the attribute that it refused." },
	{ "ILLEGAL", "it sent SMPs with illegal fields",
	  "Update its firmware; opensm.log has the SMP." },
	{ "MANUAL", "an operator marked it so", "Ask whoever marked it." },
	{ "CREDIT_WATCHDOG", "its link ran out of credits",
	  "Clean and reseat both plugs; if it comes again, replace the cable." },
	{ "BER", "its bit error rate was too high",
	  "Clean and reseat both plugs; if it stays high, replace the cable." },
};

static const struct ibc_port *listed_port(const struct ibc_fabric *fab, const struct ibc_end *end)
{
	const struct ibc_node *node = end->has_guid ? ibc_fabric_node_by_guid(fab, end->guid)
	                                            : NULL;

	return node && end->has_port ? ibc_node_port(node, end->port) : NULL;
}

/* As the fabric has it, else as the list names it. */
static struct ibc_end end_as_found(const struct ibc_port *port, const struct ibc_end *listed)
{
	struct ibc_end end = port ? end_of_port(port) : *listed;

	end.label = end.label ? end.label : end.desc;
	return end;
}

static void report_unhealthy(const struct ibc_fabric *fab, const struct ibc_opinion *o,
                             struct ibc_sink *out)
{
	const struct ibc_port *port = listed_port(fab, &o->place.near);
	const struct ibc_port *far = listed_port(fab, &o->place.far);
	struct ibc_subject subject = { .kind = far ? IBC_SUBJECT_CABLE : IBC_SUBJECT_PORT };
	const char *verb = "is isolated", *meaning = "", *repair = "Find out what made it so.";
	/* port 0 of a switch has no cable: it is in use if the switch was found */
	bool used = port && (!port->num || (port->peer && (!ibc_port_has_state(port) ||
	                                                   port->state == IBC_STATE_ACTIVE)));

	for (size_t i = 0; i < ARRAY_SIZE(conditions) && !*meaning; i++)
		if (strstr(o->check, conditions[i].condition)) {
			meaning = conditions[i].meaning;
			repair = conditions[i].repair;
		}
	/* the list says what the port did, and not what the subnet manager did with it */
	if (used)
		verb = !port->num || ibc_port_has_state(port)
		           ? "is still in use, and called unhealthy"
		           : "is called unhealthy";
	sink_as(out, used || o->severity < IBC_CRITICAL ? IBC_WARNING : IBC_CRITICAL);
	if (port && port->peer) {
		sink_cable(out, port, "%s by the subnet manager: %s%s%s", verb, o->check,
		           *meaning ? ", " : "", meaning);
	} else {
		subject.near = end_as_found(port, &o->place.near);
		if (far)
			subject.far = end_of_port(far);
		sink_add(out, &subject, "%s by the subnet manager: %s%s%s", verb, o->check,
		         *meaning ? ", " : "", meaning);
	}
	sink_advise(out,
	            "%s Then have the subnet manager take it back: in UFM mark it as healthy "
	            "(Unhealthy Ports); with OpenSM alone in the file that "
	            "hm_ports_health_policy_file of opensm.conf names.",
	            repair);
	sink_fact(out, "condition", ibc_str(o->check));
	sink_fact(out, "isolated", ibc_bool(!used));
	if (*o->words)
		sink_fact(out, "listed", ibc_str(o->words));
}

/*
 * A port that the subnet manager has isolated is cabled, lit and not used: routes and hosts behind
 * it are gone, and whoever looks for the cable finds it where it belongs.
 */
static void check_isolated(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_opinions *listed = in->unhealthy;

	for (size_t i = 0; i < listed->num; i++)
		report_unhealthy(in->fabric, &listed->all[i], out);
	if (!listed->num_strange)
		return;
	sink_as(out, IBC_UNKNOWN);
	sink_fabric(out, STRANGE_LINES(listed));
}

const struct ibc_check ibc_checks_isolated[] = {
	CHECK("port.isolated", "ports that the subnet manager calls unhealthy", IBC_CRITICAL,
	      check_isolated, .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO), .inputs = IBC_IN_UNHEALTHY,
	      EXPLAINED_BY(BY("port.silent", AT)),
	      .many = "ports|are called unhealthy by the subnet manager: {condition}"),
	{ 0 },
};
