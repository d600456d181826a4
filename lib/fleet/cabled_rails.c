/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rails, as hosts of a kind have them: their ports are numbered by PCI address, and a leaf switch
 * is of the rail of most ports that are on it (analysis/tree/railvotes.h).  Ports that most hosts
 * have on one leaf are of one rail, as where two HCAs share a leaf.
 *
 * Without rails the ports of a host are on leaves as it happens: no majority must be made of that.
 * So a leaf counts with a majority of at least four ports, or if all of two or more agree, and a
 * kind has rails if a majority of its hosts has all ports where they belong.  Each kind numbers its
 * own: only one without rails has the numbers of others.
 *
 * O(ports times ports of a host), and leaves times rails for each kind.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/peers.h"
#include "analysis/rails/railvotes.h"
#include "analysis/tree/switches.h"
#include "base/arena.h"
#include "base/array.h"
#include "fleet/cabling.h"

#define SLOTS_MAX                                                                                  \
	64 /* ports of a host: four times as many as any has; of more there are no rails */
#define NO_RAIL UINT32_MAX

/* struct leaf_rail - of a leaf switch: as the kind with most ports there has it */
struct leaf_rail {
	int rail;
	uint32_t ports;
};

/* struct railing - @leaves: by number of switch */
struct railing {
	struct ibc_cabling *c;
	struct switches sw;
	struct leaf_rail *leaves;
};

static bool is_majority(size_t n, size_t of)
{
	return of >= IBC_CABLING_FEW && n * 100 >= of * IBC_CABLING_MAJORITY;
}

static struct ibc_fleet_port *kind_port(const struct railing *r, const struct ibc_fleet_kind *kind,
                                        size_t host, size_t slot)
{
	return &r->c->ports[kind->hosts[host]->ports - r->c->ports + (ptrdiff_t)slot];
}

/* NO_SWITCH: it is on none, or that is not known. */
static uint32_t leaf_of(const struct railing *r, const struct ibc_fleet_port *p)
{
	return p->at && p->at->peer ? switch_number(&r->sw, p->at->peer->node) : NO_SWITCH;
}

/* ---- kinds --------------------------------------------------------------------------------- */

/* Ports in the order of their names are not those in the order of their slots. */
static bool reports_pci(const struct ibc_fleet_cables *host)
{
	return *host->ports[0].pci;
}

static int by_likeness(const void *va, const void *vz)
{
	const struct ibc_fleet_cables *a = *(const struct ibc_fleet_cables *const *)va;
	const struct ibc_fleet_cables *z = *(const struct ibc_fleet_cables *const *)vz;

	return strcmp(a->product, z->product) ?: order_u64(a->num, z->num)
	    ?: reports_pci(a) - reports_pci(z) ?: strcmp(a->host->name, z->host->name);
}

static void list_kinds(struct ibc_cabling *c)
{
	const struct ibc_fleet_cables **hosts = arena_array(c->arena, c->num_hosts + 1,
	                                                    sizeof(*hosts));
	size_t n = 0;

	c->kinds = arena_array(c->arena, c->num_hosts + 1, sizeof(*c->kinds));
	for (size_t i = 0; i < c->num_hosts; i++)
		if (c->hosts[i].num)
			hosts[n++] = &c->hosts[i];
	qsort(hosts, n, sizeof(*hosts), by_likeness);
	for (size_t i = 0; i < n; i++) {
		struct ibc_fleet_kind *last = i ? &c->kinds[c->num_kinds - 1] : NULL;

		if (last && hosts[i]->num == last->ports &&
		    reports_pci(hosts[i]) == reports_pci(last->hosts[0]) &&
		    !strcmp(hosts[i]->product, last->hosts[0]->product))
			last->num++;
		else
			c->kinds[c->num_kinds++] = (struct ibc_fleet_kind){
				.hosts = &hosts[i], .num = 1, .ports = hosts[i]->num
			};
	}
}

/* ---- rails of a kind ----------------------------------------------------------------------- */

static bool share_leaves(const struct railing *r, const struct ibc_fleet_kind *kind, size_t a,
                         size_t z)
{
	size_t both = 0, same = 0;

	for (size_t h = 0; h < kind->num; h++) {
		uint32_t one = leaf_of(r, kind_port(r, kind, h, a));
		uint32_t other = leaf_of(r, kind_port(r, kind, h, z));

		both += one != NO_SWITCH && other != NO_SWITCH;
		same += one != NO_SWITCH && one == other;
	}
	return is_majority(same, both);
}

static void find_rails(const struct railing *r, struct ibc_fleet_kind *kind)
{
	uint32_t rail_of[SLOTS_MAX], *homes; /* by port of a host; by leaf, or NO_RAIL */
	struct rail_votes votes;
	size_t at_home = 0, of = 0;

	kind->rails = 0;
	if (kind->num < IBC_CABLING_FEW || kind->ports < 2 || kind->ports > SLOTS_MAX)
		return;
	/* from 0, in the order of the ports that are first of each */
	for (size_t slot = 0; slot < kind->ports; slot++) {
		size_t like = 0;

		while (like < slot && !share_leaves(r, kind, like, slot))
			like++;
		rail_of[slot] = like < slot ? rail_of[like] : (uint32_t)kind->rails++;
	}
	if (kind->rails < 2) {
		kind->rails = 0;
		return;
	}
	homes = arena_array(r->c->tmp, r->sw.n + 1u, sizeof(*homes));
	rail_votes_init(&votes, r->c->tmp, r->sw.n, (uint32_t)kind->rails);
	for (size_t h = 0; h < kind->num; h++)
		for (size_t slot = 0; slot < kind->ports; slot++) {
			uint32_t leaf = leaf_of(r, kind_port(r, kind, h, slot));

			if (leaf != NO_SWITCH)
				++*rail_votes_of(&votes, leaf, rail_of[slot]);
		}
	rail_votes_count(&votes);
	for (uint32_t leaf = 0; leaf < votes.leaves; leaf++) {
		uint32_t all = rail_votes_sum(&votes, leaf), rail = votes.usual[leaf];
		uint32_t n = *rail_votes_of(&votes, leaf, rail);

		/* of a small leaf all must agree: that one port is alone there says nothing */
		homes[leaf] = is_majority(n, all) || (all > 1 && n == all) ? rail : NO_RAIL;
	}
	/* do most hosts have all ports where they belong? */
	for (size_t h = 0; h < kind->num; h++) {
		bool placed = false, strays = false;

		for (size_t slot = 0; slot < kind->ports; slot++) {
			uint32_t leaf = leaf_of(r, kind_port(r, kind, h, slot));

			placed |= leaf != NO_SWITCH;
			strays |= leaf != NO_SWITCH && homes[leaf] != rail_of[slot];
		}
		of += placed;
		at_home += placed && !strays;
	}
	kind->mixed = of >= IBC_CABLING_FEW && !is_majority(at_home, of);
	if (!is_majority(at_home, of)) {
		kind->rails = 0;
		return;
	}
	for (uint32_t leaf = 0; leaf < votes.leaves; leaf++) {
		uint32_t ports = rail_votes_sum(&votes, leaf);

		if (homes[leaf] != NO_RAIL && ports > r->leaves[leaf].ports)
			r->leaves[leaf] = (struct leaf_rail){ (int)homes[leaf], ports };
	}
	/* as the kind itself numbers them: another with fewer HCAs may call the third its second */
	for (size_t h = 0; h < kind->num; h++)
		for (size_t slot = 0; slot < kind->ports; slot++) {
			struct ibc_fleet_port *p = kind_port(r, kind, h, slot);
			uint32_t leaf = leaf_of(r, p);

			if (leaf != NO_SWITCH && homes[leaf] != NO_RAIL)
				p->rail = (int)homes[leaf];
		}
}

/* ---- what is usual ------------------------------------------------------------------------- */

/* Of a port that all hosts of a kind have: the rail, and the subnet, of most of them. */
static void find_usual(const struct railing *r, const struct ibc_fleet_kind *kind, size_t slot,
                       struct peer *peers)
{
	struct peer_group rails = { .few = IBC_CABLING_FEW, .percent = IBC_CABLING_MAJORITY };
	struct peer_group subnets = rails;
	size_t n = 0;

	for (size_t h = 0; kind->rails && h < kind->num; h++) {
		const struct ibc_fleet_port *p = kind_port(r, kind, h, slot);

		if (p->rail != IBC_RAIL_UNKNOWN)
			peers[n++] = (struct peer){ .value = (uint64_t)p->rail };
	}
	peers_sort(peers, n);
	peers_next(peers, n, &rails);
	n = 0;
	for (size_t h = 0; ibc_fabric_count(r->c->fab).subnets > 1 && h < kind->num; h++) {
		const struct ibc_fleet_port *p = kind_port(r, kind, h, slot);

		if (p->at)
			peers[n++] = (struct peer){ .value = p->at->node->subnet->index };
	}
	peers_sort(peers, n);
	peers_next(peers, n, &subnets);
	for (size_t h = 0; h < kind->num; h++) {
		struct ibc_fleet_port *p = kind_port(r, kind, h, slot);

		if (rails.usual) {
			p->usual_rail = (int)rails.norm;
			p->usual = (uint32_t)rails.count;
			p->of = (uint32_t)rails.num;
		}
		if (subnets.usual) {
			p->usual_subnet = ibc_fabric_subnet(r->c->fab, subnets.norm);
			p->in = (uint32_t)subnets.count;
			p->in_of = (uint32_t)subnets.num;
		}
	}
}

void cabling_rails(struct ibc_cabling *c)
{
	struct railing r = { .c = c };
	struct peer *peers = arena_array(c->tmp, c->num_hosts + 1, sizeof(*peers));

	list_kinds(c);
	switches_collect(c->tmp, c->tmp, c->fab, &r.sw);
	r.leaves = arena_array(c->tmp, r.sw.n + 1u, sizeof(*r.leaves));
	for (size_t i = 0; i < c->num_kinds; i++)
		find_rails(&r, &c->kinds[i]);
	/* of a kind without rails, what others have there */
	for (size_t i = 0; i < c->num_kinds; i++)
		for (size_t k = 0; !c->kinds[i].rails && k < c->kinds[i].num * c->kinds[i].ports;
		     k++) {
			struct ibc_fleet_port *p = kind_port(
			    &r, &c->kinds[i], k / c->kinds[i].ports, k % c->kinds[i].ports);
			uint32_t leaf = leaf_of(&r, p);

			if (leaf != NO_SWITCH && r.leaves[leaf].ports)
				p->rail = r.leaves[leaf].rail;
		}
	for (size_t i = 0; i < c->num_kinds; i++)
		for (size_t slot = 0; slot < c->kinds[i].ports; slot++)
			find_usual(&r, &c->kinds[i], slot, peers);
}
