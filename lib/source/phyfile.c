/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of ibdiagnet that tell of the physical layer: whose facts they are, what is passed over. */
#include "source/phyfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/phywords.h"
#include "fabric/attributes.h"
#include "fabric/build.h"

/* ---- what is passed over ------------------------------------------------------------ */

static const struct {
	const char *one, *many;
} skip_words[PHY_SKIPS] = {
	[PHY_UNKNOWN_KEY] = { "key is not known", "keys are not known" },
	[PHY_BAD_VALUE] = { "value was not understood", "values were not understood" },
	[PHY_FOREIGN] = { "entry is of a GUID that is not in this fabric",
	                  "entries are of GUIDs that are not in this fabric" },
	[PHY_NO_PORT] = { "entry is of a port that its node does not have",
	                  "entries are of ports that their nodes do not have" },
	[PHY_TOLD] = { "entry is of a module that is known already",
	               "entries are of modules that are known already" },
	[PHY_NO_FACTS] = { "module has no value at all", "modules have no value at all" },
	[PHY_UNIT] = { "number has no unit", "numbers have no unit" },
	[PHY_NUMBERED] = { "section has columns without names",
	                   "sections have columns without names" },
};

void phy_skip(struct phy_file *pf, enum phy_skip why, const char *what)
{
	if (pf->skips[why].num++)
		return;
	pf->skips[why].first.line = text_line_number(pf->text);
	snprintf(pf->skips[why].what, sizeof(pf->skips[why].what), "%s", what);
}

/* A cable whose module no file told of may have none that can be read, or was not asked. */
static void report_untold(const struct phy_file *pf)
{
	size_t cabled = 0, untold = 0;
	struct ibc_node *node;

	for (size_t i = 0; (node = fabric_build_node_at(pf->build, i)); i++)
		for (unsigned int p = 1; p <= node->num_ports; p++) {
			cabled += node->ports[p].peer != NULL;
			untold += node->ports[p].peer && !node->ports[p].module;
		}
	if (untold && pf->modules)
		text_note(pf->text, (struct text_place){ 0 },
		          "of %zu of %zu ports with a cable no module is known", untold, cabled);
}

void phy_report(struct phy_file *pf)
{
	for (unsigned int i = 0; i < PHY_SKIPS; i++) {
		size_t num = pf->skips[i].num;

		if (num)
			text_note(pf->text, pf->skips[i].first, "%zu %s, skipped%s: %s", num,
			          num == 1 ? skip_words[i].one : skip_words[i].many,
			          num == 1 ? "" : "; the first", pf->skips[i].what);
	}
	report_untold(pf);
}

/* ---- whose facts ----------------------------------------------------------------------- */

struct port_guid {
	uint64_t guid;
	struct ibc_port *port;
	UT_hash_handle hh;
};

void phy_file_free(struct phy_file *pf)
{
	struct port_guid *p, *next;

	HASH_ITER(hh, pf->by_guid, p, next) {
		HASH_DEL(pf->by_guid, p);
		free(p);
	}
}

static int add_port_guid(struct phy_file *pf, struct ibc_port *port)
{
	struct port_guid *p = xalloc(sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->guid = port->guid;
	p->port = port;
	HASH_ADD(hh, pf->by_guid, guid, sizeof(p->guid), p);
	if (hash_added(p))
		return 0;
	free(p);
	return -ENOMEM;
}

/* Only ports of hosts have a GUID of their own; where it is the node's, that is found first. */
static int index_ports(struct phy_file *pf)
{
	struct ibc_node *node;
	int rc = 0;

	for (size_t i = 0; (node = fabric_build_node_at(pf->build, i)); i++)
		for (unsigned int p = 0; rc == 0 && p <= node->num_ports; p++)
			if (node->ports[p].guid)
				rc = add_port_guid(pf, fabric_build_port(node, p));
	return rc;
}

/* NULL: there is none, or several have this GUID, and none can be told from the others. */
static struct ibc_node *find_node(const struct phy_file *pf, uint64_t guid)
{
	struct ibc_node *found = NULL, *node;
	struct ibc_subnet *subnet;

	for (size_t i = 0; (subnet = fabric_build_subnet_at(pf->build, i)); i++) {
		node = fabric_build_find(pf->build, subnet, guid);
		if (node && (found || fabric_build_find_next(node)))
			return NULL;
		if (node)
			found = node;
	}
	return found;
}

static void skip_guid(struct phy_file *pf, uint64_t guid, enum phy_skip why, unsigned int num)
{
	char text[64];

	if (why == PHY_NO_PORT)
		snprintf(text, sizeof(text), "port %u of 0x%016llx", num, (unsigned long long)guid);
	else
		snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)guid);
	phy_skip(pf, why, text);
}

static int find_by_port_guid(struct phy_file *pf, uint64_t guid, struct ibc_node **out)
{
	struct port_guid *p;
	int rc = pf->by_guid ? 0 : index_ports(pf);

	HASH_FIND(hh, pf->by_guid, &guid, sizeof(guid), p);
	*out = p ? (struct ibc_node *)p->port->node : NULL;
	return rc;
}

int phy_node(struct phy_file *pf, uint64_t guid, struct ibc_node **out)
{
	int rc = 0;

	*out = find_node(pf, guid);
	if (!*out)
		rc = find_by_port_guid(pf, guid, out);
	if (rc == 0 && !*out)
		skip_guid(pf, guid, PHY_FOREIGN, 0);
	pf->found += *out != NULL;
	return rc;
}

int phy_port(struct phy_file *pf, uint64_t guid, unsigned int num, struct ibc_port **out)
{
	struct ibc_node *node;
	int rc = phy_node(pf, guid, &node);

	*out = node && num > 0 ? fabric_build_port(node, num) : NULL;
	if (node && !*out)
		skip_guid(pf, guid, PHY_NO_PORT, num);
	return rc;
}

/* ---- facts ------------------------------------------------------------------------------- */

/* The model hands out const: it is writable until the fabric is finished. */
static void provide(const struct ibc_node *node, enum ibc_attr attr)
{
	ibc_attrs_add(&((struct ibc_subnet *)node->subnet)->provides, attr);
}

void phy_told(struct ibc_port *port, enum ibc_attr attr)
{
	answers_drop(&port->answers, attr_port_bits[attr]);
	answers_put(port, attr, ANSWER_OK);
	provide(port->node, attr);
}

void phy_told_node(struct ibc_node *node, enum ibc_attr attr)
{
	answers_drop(&node->answers, attr_node_bits[attr]);
	answers_put(node, attr, ANSWER_OK);
	provide(node, attr);
}

struct ibc_phy *phy_of_port(struct fabric_build *b, struct ibc_port *port)
{
	if (!port->phy)
		port->phy = arena_alloc(fabric_build_arena(b), sizeof(*port->phy));
	return (struct ibc_phy *)port->phy;
}

int phy_fec(struct fabric_build *b, struct ibc_port *port, enum ibc_fec fec)
{
	struct ibc_phy *phy;

	if (fec == IBC_FEC_UNKNOWN || (port->phy && port->phy->fec_active))
		return 0;
	phy = phy_of_port(b, port);
	if (!phy)
		return -ENOMEM;
	phy->fec_active = (uint8_t)fec;
	phy_told(port, IBC_ATTR_PHY_STATE);
	return 0;
}
