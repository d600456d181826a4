/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Are registers those of the ports that were asked for?  A device may not know IB port numbers,
 * and answer for the port that has this number in its own order.  What subnet management says
 * of a port goes by IB numbers: whether it has a link, and to whom; and the cable has a serial
 * number at its other end too.
 *
 * Where all ports have links to devices of one model, with fibres that are plugged into modules
 * of their own, nothing distinguishes one port from the next: such a device is not tested.
 * Partners are compared only with what they would be one port on, since the codes that
 * registers have for devices are known of a few: where all of them differ it is the codes.
 */
#include <string.h>

#include "base/array.h"
#include "source/sweep/sweep.h"

/*
 * 1: what registers say contradicts what is known of a port; 0: it does not; -1: nothing can be
 * compared.  They were answered for the port @of.
 */
typedef int contradicts(const struct ibc_port *port, const struct ibc_port *of);

static int contradicts_state(const struct ibc_port *port, const struct ibc_port *of)
{
	bool is_up = port->phys_state == IBC_PHYS_LINKUP;
	uint64_t state;

	if (is_up && of->extra->module && of->extra->module->kind == IBC_MODULE_UNPLUGGED)
		return 1;
	if (!ibc_phy_knows(of->extra->phy, IBC_PHY_MANAGER))
		return -1;
	state = of->extra->phy->value[IBC_PHY_MANAGER];
	return (state == IBC_PHY_MANAGER_ACTIVE || state == IBC_PHY_MANAGER_UP) != is_up;
}

/* Of mstflint's table for PDDR page 2, those whose NodeInfo.DeviceID is known as well. */
static const struct partner {
	uint16_t device_id;
	uint8_t code;
} partners[] = {
	{ 0x1021, 8 },   /* ConnectX-7 */
	{ 0x1023, 10 },  /* ConnectX-8 */
	{ 0xd2f0, 103 }, /* Quantum */
	{ 0xd2f2, 106 }, /* Quantum-2 */
	{ 0xd2f4, 108 }, /* Quantum-3 */
};

static int contradicts_partner(const struct ibc_port *port, const struct ibc_port *of)
{
	const struct partner *expected = NULL, *reported = NULL;

	if (!port->peer || !ibc_phy_knows(of->extra->phy, IBC_PHY_REMOTE_DEVICE))
		return -1;
	for (const struct partner *p = partners; p < partners + ARRAY_SIZE(partners); p++) {
		if (p->device_id == port->peer->node->device_id)
			expected = p;
		if (p->code == of->extra->phy->value[IBC_PHY_REMOTE_DEVICE])
			reported = p;
	}
	return expected && reported ? expected != reported : -1;
}

static bool is_cable(const struct ibc_module *m)
{
	return m && m->serial &&
	       (m->kind == IBC_MODULE_ACTIVE_CABLE || m->kind == IBC_MODULE_PASSIVE_COPPER);
}

static bool is_end_of(const struct ibc_port *port, const char *serial)
{
	return port->peer && is_cable(port->peer->extra->module) &&
	       strcmp(port->peer->extra->module->serial, serial) == 0;
}

/*
 * A port that has the number of a cable that leads to another port.  A number that no cable has
 * is that of a memory that cannot be read, and no matter of ports.
 */
static int contradicts_cable(const struct ibc_port *port, const struct ibc_port *of)
{
	const struct ibc_node *node = port->node;
	const char *serial;

	if (!is_cable(of->extra->module) || !port->peer || !is_cable(port->peer->extra->module))
		return -1;
	serial = of->extra->module->serial;
	if (is_end_of(port, serial))
		return 0;
	for (unsigned int p = 1; p <= node->num_ports; p++)
		if (is_end_of(&node->ports[p], serial))
			return 1;
	return -1;
}

/* ---- all ports of a device ------------------------------------------------------------ */

struct tally {
	unsigned int compared, wrong;
};

/* If answers are those of ports so many numbers on: 0: of those that were asked for. */
static struct tally compare(const struct ibc_node *node, contradicts *test, int shift)
{
	struct tally t = { 0 };

	for (int p = 1; p <= node->num_ports; p++) {
		int result = p - shift < 1 || p - shift > node->num_ports
		                 ? -1
		                 : test(&node->ports[p], &node->ports[p - shift]);

		t.compared += result >= 0;
		t.wrong += result > 0;
	}
	return t;
}

/* One port may have changed meanwhile, or have a cable whose ends differ; many have not. */
static bool are_many(struct tally t)
{
	return t.wrong >= 2 && t.wrong * 4 >= t.compared;
}

/*
 * With few that are wrong: are all of them right one port on?  @least: a link that went down at
 * the end of a row of ports is just like that, so one is too few where links are compared.
 */
static enum numbering by_shift(const struct ibc_node *node, contradicts *test, unsigned int least)
{
	const struct tally asked = compare(node, test, 0);
	bool excluded = !asked.wrong;

	for (int shift = -1; shift <= 1; shift += 2) {
		const struct tally t = compare(node, test, shift);

		if (asked.wrong >= least && !t.wrong && t.compared * 2 > asked.compared)
			return NUMBERING_WRONG;
		excluded = excluded && t.wrong >= least;
	}
	return excluded ? NUMBERING_RIGHT : NUMBERING_UNTESTED;
}

enum numbering phy_numbering(const struct ibc_node *node)
{
	const struct tally cables = compare(node, contradicts_cable, 0);
	const enum numbering by_state = by_shift(node, contradicts_state, 2),
			     by_partner = by_shift(node, contradicts_partner, 1);

	if (are_many(cables) || are_many(compare(node, contradicts_state, 0)) ||
	    by_state == NUMBERING_WRONG || by_partner == NUMBERING_WRONG)
		return NUMBERING_WRONG;
	if ((cables.compared && !cables.wrong) || by_state == NUMBERING_RIGHT ||
	    by_partner == NUMBERING_RIGHT)
		return NUMBERING_RIGHT;
	return NUMBERING_UNTESTED;
}
