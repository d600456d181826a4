/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of the registers that a sweep has read, once all have an outcome: ports that have
 * not what was asked for, and answers that are not of the ports that were.
 */
#include <string.h>

#include "fabric/attributes.h"
#include "source/sweep/models.h"
#include "source/sweep/phy.h"

/* ---- ports without a cage ------------------------------------------------------------------ */

/* All but ExtendedPortInfo, which is of subnet management; in the answers of ports, or of nodes. */
static uint64_t register_bits(const uint64_t bits[IBC_ATTR_COUNT])
{
	return attrs_to_bits(ibc_attrs_and(ibc_attrs_of_group(IBC_ATTRS_PHYSICAL),
	                                   attrs_where(ATTR_CLASS, ATTR_VENDOR)),
	                     bits);
}

static bool reads_modules(const struct ibc_node *node)
{
	unsigned int p = 1;

	while (p <= node->num_ports && !ibc_port_has(&node->ports[p], IBC_ATTR_PHY_MODULE))
		p++;
	return p <= node->num_ports;
}

/*
 * A port inside a box, as number 65 of a switch with 64 cages, has nothing to plug into, and its
 * device refuses the registers of that.  Where the device reports the types of its ports they
 * decide.  Else it is a port of which nothing but those registers is refused, at a device that
 * answers them for others; but a cable that has a module at its other end has one here.
 */
static bool has_no_cage(const struct ibc_port *port, uint64_t lacks)
{
	if (ibc_phy_knows(port->extra->phy, IBC_PHY_PORT_TYPE))
		return ibc_phy_is_special(port->extra->phy);
	return !port->extra->module && !(port->peer && port->peer->extra->module) &&
	       !(lacks & ~attrs_to_bits(PHY_OF_CAGE, attr_port_bits)) &&
	       port->answers.answered & register_bits(attr_port_bits) && reads_modules(port->node);
}

/* What such a port has not is not missed: it is as if it had not been asked for. */
static void finish_cages(const struct device *dev)
{
	const uint64_t of_all = attrs_to_bits(dev->phy->firmware->unsupported, attr_port_bits);

	for (unsigned int p = 1; p <= dev->node->num_ports; p++) {
		struct ibc_port *port = fabric_build_port(dev->node, p);
		uint64_t lacks = port->answers.refused | (port->answers.unsupported & ~of_all);

		lacks &= register_bits(attr_port_bits);
		if (lacks && has_no_cage(port, lacks))
			answers_drop(&port->answers, lacks);
	}
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The values of ExtendedPortInfo, which are the last, are of that port: they stay. */
static void discard_phy(struct ibc_port *port)
{
	struct ibc_phy *phy = (struct ibc_phy *)port->extra->phy, kept;

	if (!ibc_port_has(port, IBC_ATTR_PHY_EXT_PORT)) {
		if (phy)
			port_extra(port)->phy = NULL;
		return;
	}
	kept = (struct ibc_phy){ .known = phy->known >> IBC_PHY_RECOVERED << IBC_PHY_RECOVERED };
	memcpy(kept.value, phy->value, sizeof(kept.value));
	*phy = kept;
}

/*
 * How ports are numbered is a matter of the firmware: a device whose numbering is untested has what
 * most others of its firmware have.
 */
static bool is_of_other_ports(const struct device *dev)
{
	const struct phy_firmware *f = dev->phy->firmware;
	enum numbering numbering = phy_numbering(dev->node);

	return numbering == NUMBERING_WRONG ||
	       (numbering == NUMBERING_UNTESTED &&
	        f->numbering[NUMBERING_WRONG] > f->numbering[NUMBERING_RIGHT]);
}

static void finish_sensors(struct device *dev)
{
	struct phy_target *t = dev->phy;

	if (t->fans == ANSWER_OK && t->fans_open)
		answers_put(dev->node, IBC_ATTR_PHY_FANS, ANSWER_NONE);
	for (size_t i = 0; t->has_fan_alarms && i < dev->node->num_sensors; i++) {
		struct ibc_sensor *fan = &t->sensors[i];

		if (fan->kind != IBC_SENSOR_FAN)
			continue;
		fan->alarm = IBC_SENSOR_ALARM_NONE;
		if (t->fans_low >> fan->index & 1)
			fan->alarm = IBC_SENSOR_ALARM_LOW;
		else if (t->fans_high >> fan->index & 1)
			fan->alarm = IBC_SENSOR_ALARM_HIGH;
	}
}

/*
 * GeneralInfo said that it has no registers, or it does not know even that.  Where all of a model
 * are silent about it they pass for devices that do not know it; but they may as well have a
 * V_Key: what was wanted of their registers has no answer.
 */
static void finish_unsupported(const struct device *dev)
{
	const struct model_query *query = &dev->model->firmware;
	struct ibc_node *node = dev->node;

	if (phy_can_be_asked(node) || ibc_node_unanswered(node, IBC_ATTR_GENERAL_INFO) ||
	    (query->missed && query->outcome == ANSWER_NONE))
		return;
	node->answers.unsupported |= register_bits(attr_node_bits) & node->answers.asked;
	for (unsigned int p = 1; p <= node->num_ports; p++) {
		struct ibc_answers *answers = &fabric_build_port(node, p)->answers;

		answers->unsupported |= register_bits(attr_port_bits) & answers->asked;
	}
}

/* After that of GeneralInfo. */
void phy_finish(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		if (!dev->phy)
			continue;
		finish_unsupported(dev);
		finish_sensors(dev);
		finish_cages(dev);
		dev->phy->firmware->numbering[phy_numbering(dev->node)]++;
	}
	/* all are compared before any is gone */
	for (struct device *dev = s->devices; dev; dev = dev->next)
		dev->node->phy_discarded = dev->phy && is_of_other_ports(dev);
	for (struct device *dev = s->devices; dev; dev = dev->next)
		if (dev->node->phy_discarded) {
			const uint64_t all = register_bits(attr_port_bits);

			for (unsigned int p = 1; p <= dev->node->num_ports; p++) {
				struct ibc_port *port = fabric_build_port(dev->node, p);

				port->answers.refused |= port->answers.answered & all;
				port->answers.answered &= ~all;
				discard_phy(port);
				if (port->extra->module)
					port_extra(port)->module = NULL;
			}
		}
}
