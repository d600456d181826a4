/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of ibdiagnet with facts of the physical layer: of which port each is, and what is skipped.
 */
#include "source/ibdiagnet/phyfile.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "fabric/attributes.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

/* ---- what is passed over ------------------------------------------------------------ */

static const struct {
	const char *one, *many; /* many: NULL: each is lost, and that is no note */
} skip_words[PHY_SKIPS] = {
	[PHY_UNKNOWN_KEY] = { "key is not known", "keys are not known" },
	[PHY_BAD_VALUE] = { "not understood", NULL },
	[PHY_FOREIGN] = { "entry is of a GUID that is not in this fabric",
	                  "entries are of GUIDs that are not in this fabric" },
	[PHY_NO_PORT] = { "entry is of a port that its node does not have",
	                  "entries are of ports that their nodes do not have" },
	[PHY_KNOWN] = { "entry is of a module that is known already",
	                "entries are of modules that are known already" },
	[PHY_NO_FACTS] = { "module has no value at all", "modules have no value at all" },
	[PHY_UNIT] = { "number has no unit", "numbers have no unit" },
	[PHY_NUMBERED] = { "section has columns without names",
	                   "sections have columns without names" },
};

void phy_skip(struct phy_file *pf, enum phy_skip why, const char *what)
{
	if (!skip_words[why].many)
		phy_lose(pf, "%s: \"%.60s\"", skip_words[why].one, what);
	if (!skip_words[why].many || pf->skips[why].num++)
		return;
	pf->skips[why].first.line = text_line_number(pf->text);
	snprintf(pf->skips[why].what, sizeof(pf->skips[why].what), "%s", what);
}

void phy_report(struct phy_file *pf)
{
	size_t cabled = 0, unknown = 0;
	struct ibc_node *node;

	for (unsigned int i = 0; i < PHY_SKIPS; i++) {
		size_t num = pf->skips[i].num;

		if (num)
			text_note(pf->text, pf->skips[i].first, "%zu %s, skipped%s: %s", num,
			          num == 1 ? skip_words[i].one : skip_words[i].many,
			          num == 1 ? "" : "; the first", pf->skips[i].what);
	}
	/* A cable whose module is in no file may have none that can be read, or was not asked. */
	for (size_t i = 0; (node = fabric_build_node_at(pf->build, i)); i++)
		for (unsigned int p = 1; p <= node->num_ports; p++) {
			cabled += node->ports[p].peer != NULL;
			unknown += node->ports[p].peer && !node->ports[p].extra->module;
		}
	if (unknown && pf->modules)
		text_note(pf->text, (struct text_place){ 0 },
		          "of %zu of %zu ports with a cable no module is known", unknown, cabled);
}

/* ---- whose facts ----------------------------------------------------------------------- */

struct port_guid {
	uint64_t guid;
	struct ibc_node *node;
	UT_hash_handle hh;
};

/* Only ports of hosts have a GUID of their own; where it is the node's, that is found first. */
static void index_ports(struct phy_file *pf)
{
	struct ibc_node *node;
	struct port_guid *entry;

	for (size_t i = 0; (node = fabric_build_node_at(pf->build, i)); i++)
		for (unsigned int p = node_first_port(node); p <= node->num_ports; p++) {
			if (!node->ports[p].guid)
				continue;
			entry = arena_alloc(pf->arena, sizeof(*entry));
			entry->guid = node->ports[p].guid;
			entry->node = node;
			HASH_ADD(hh, pf->by_guid, guid, sizeof(entry->guid), entry);
			fabric_build_need(pf->build, hash_added(entry));
		}
}

/* NULL: there is none, or several have this GUID. */
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

void phy_node(struct phy_file *pf, uint64_t guid, struct ibc_node **out)
{
	char text[STR_GUID_MAX];
	struct port_guid *p;

	*out = find_node(pf, guid);
	if (!*out) {
		if (!pf->by_guid)
			index_ports(pf);
		HASH_FIND(hh, pf->by_guid, &guid, sizeof(guid), p);
		*out = p ? p->node : NULL;
	}
	if (!*out)
		phy_skip(pf, PHY_FOREIGN, str_from_guid(text, guid));
	pf->found += *out != NULL;
}

void phy_port(struct phy_file *pf, uint64_t guid, unsigned int num, struct ibc_port **out)
{
	struct ibc_node *node;
	char text[64];

	phy_node(pf, guid, &node);
	*out = node && num > 0 ? fabric_build_port(node, num) : NULL;
	if (node && !*out) {
		snprintf(text, sizeof(text), "port %u of 0x%016llx", num, (unsigned long long)guid);
		phy_skip(pf, PHY_NO_PORT, text);
	}
}

/* ---- facts ------------------------------------------------------------------------------- */

/* The model hands out const: it is writable until the fabric is finished. */
static void provide(const struct ibc_node *node, enum ibc_attr attr)
{
	ibc_attrs_add(&((struct ibc_subnet *)node->subnet)->provides, attr);
}

void phy_answered(struct ibc_port *port, enum ibc_attr attr)
{
	answers_drop(&port->answers, attr_port_bits[attr]);
	answers_put(port, attr, ANSWER_OK);
	provide(port->node, attr);
}

void phy_answered_node(struct ibc_node *node, enum ibc_attr attr)
{
	answers_drop(&node->answers, attr_node_bits[attr]);
	answers_put(node, attr, ANSWER_OK);
	provide(node, attr);
}

struct ibc_phy *phy_of_port(struct fabric_build *b, struct ibc_port *port)
{
	if (!port->extra->phy)
		port_extra(port)->phy = arena_alloc(fabric_build_arena(b),
		                                    sizeof(*port->extra->phy));
	return (struct ibc_phy *)port->extra->phy;
}

void phy_fec(struct fabric_build *b, struct ibc_port *port, enum ibc_fec fec)
{
	if (fec == IBC_FEC_UNKNOWN || (port->extra->phy && port->extra->phy->fec_active))
		return;
	phy_of_port(b, port)->fec_active = (uint8_t)fec;
	phy_answered(port, IBC_ATTR_PHY_STATE);
}

static int run_file(void *ctx)
{
	struct phy_file *pf = ctx;

	return pf->read(pf, pf->err);
}

int phy_run(struct text_file *f, struct fabric_build *b,
            int (*read)(struct phy_file *pf, struct ibc_error *err), const char *spec,
            struct ibc_error *err)
{
	struct phy_file pf = {
		.text = f, .build = b, .arena = arena_new(), .spec = spec, .read = read, .err = err
	};
	int rc = fabric_build_run(b, pf.arena, run_file, &pf);

	HASH_CLEAR(hh, pf.by_guid);
	arena_free(pf.arena);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
