/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of ibnetdiscover text, such that ibsim loads it too.  What that asks
 * for: lines below 255 bytes, both ends of a cable, and no "=" behind a port,
 * which it would take for an option.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "fabric/fabric.h"
#include "source/source.h"

#define HEADER_DESC_MAX 160 /* of a header line that ibsim reads; a guess */
#define PORT_DESC_MAX   64  /* a NodeDescription has 64 bytes */

static const struct kind {
	enum ibc_node_type type;
	const char *word, *guid_word;
	char letter;
} kinds[] = {
	{ IBC_NODE_SWITCH, "Switch", "switchguid", 'S' },
	{ IBC_NODE_CA, "Ca", "caguid", 'H' },
	{ IBC_NODE_ROUTER, "Rt", "rtguid", 'R' },
};

static const struct kind *kind_of_net_node(const struct ibc_node *node)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].type == node->type)
			return &kinds[i];
	return NULL;
}

/* "S-0002c903007b78b0"; of nodes that share a GUID each gets an id of its own. */
static void put_id(const struct ibc_node *node, FILE *out)
{
	fprintf(out, "\"%c-%016" PRIx64, kind_of_net_node(node)->letter, node->guid);
	if (node->duplicate)
		fprintf(out, ".%zu", node_order(node));
	fputc('"', out);
}

/* The start of a text that takes at most max bytes and ends between characters. */
static int fit_text(const char *text, size_t max)
{
	size_t n = strnlen(text, max);

	while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return (int)n;
}

/* The port that has the LID of a cable's end. */
static const struct ibc_port *lid_port(const struct ibc_port *port)
{
	return port->node->type == IBC_NODE_SWITCH ? &port->node->ports[0] : port;
}

static void put_port(const struct ibc_port *port, FILE *out)
{
	const struct ibc_port *peer = port->peer;
	bool on_switch = port->node->type == IBC_NODE_SWITCH;

	fprintf(out, "[%u]", port->num);
	if (!on_switch && port->guid)
		fprintf(out, "(%" PRIx64 ") ", port->guid);
	fputc('\t', out);
	put_id(peer->node, out);
	fprintf(out, "[%u]", peer->num);
	if (peer->node->type != IBC_NODE_SWITCH && peer->guid)
		fprintf(out, "(%" PRIx64 ") ", peer->guid);
	fputs("\t\t#", out);
	if (!on_switch)
		fprintf(out, " lid %u lmc %u", port->lid, port->lmc);
	fputs(" \"", out);
	for (int i = 0, n = fit_text(peer->node->desc, PORT_DESC_MAX); i < n; i++)
		fputc(peer->node->desc[i] == '=' ? '-' : peer->node->desc[i], out);
	fputc('"', out);
	fprintf(out, " lid %u", lid_port(peer)->lid);
	/* what was asked and is not known is "??" and "???", as ibnetdiscover has it */
	if (ibc_port_answer(port, IBC_ATTR_PORT_INFO) || ibc_port_answer(port, IBC_ATTR_LINK))
		fprintf(out, " %s%s",
		        port->width_active ? ibc_width_word(port->width_active)->name : "??",
		        port->speed_active ? ibc_speed_word(port->speed_active)->name : "???");
	fputc('\n', out);
}

static void put_header(const struct ibc_node *node, FILE *out)
{
	const struct kind *kind = kind_of_net_node(node);

	fprintf(out, "\nvendid=0x%x\ndevid=0x%x\n", node->vendor_id, node->device_id);
	if (node->system_guid)
		fprintf(out, "sysimgguid=0x%" PRIx64 "\n", node->system_guid);
	fprintf(out, "%s=0x%" PRIx64, kind->guid_word, node->guid);
	if (node->type == IBC_NODE_SWITCH && node->ports[0].guid)
		fprintf(out, "(%" PRIx64 ")", node->ports[0].guid);
	fprintf(out, "\n%s\t%u ", kind->word, node->num_ports);
	put_id(node, out);
	fprintf(out, "\t\t# \"%.*s\"", fit_text(node->desc, HEADER_DESC_MAX), node->desc);
	if (node->type == IBC_NODE_SWITCH)
		fprintf(out, " %s port 0 lid %u lmc %u", node->enhanced_port0 ? "enhanced" : "base",
		        node->ports[0].lid, node->ports[0].lmc);
	fputc('\n', out);
}

int write_netdiscover(const struct ibc_fabric *fab, FILE *out, struct ibc_error *err)
{
	const struct ibc_subnet *subnet = ibc_fabric_subnet(fab, 0);
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (!kind_of_net_node(node))
			return fail(err, -EINVAL,
			            "ibnetdiscover text has no node type for %s: write a snapshot",
			            node->label);
	fprintf(out, "#\n# Topology file: written by ibcheck %s\n#\n", IBC_VERSION);
	if (subnet && subnet->origin)
		fprintf(out, "# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n",
		        subnet->origin->node->guid, lid_port(subnet->origin)->guid);
	for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
			if (node->type != kinds[kind].type)
				continue;
			put_header(node, out);
			for (unsigned int num = 1; num <= node->num_ports; num++)
				if (node->ports[num].peer)
					put_port(&node->ports[num], out);
		}
	return 0;
}
