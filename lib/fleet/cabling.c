/* SPDX-License-Identifier: BSD-2-Clause */
/* The InfiniBand ports of the hosts, from the facts of their reports. */
#include "fleet/cabling.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "fleet/fleet.h"

#define PORTS_MAX 4096 /* of a host: more than 16 HCAs with 128 virtual functions each */

/* What a fact says, of a port, an HCA or the host. */
enum cell { NONE, LINK_LAYER, STATE, NODE_GUID, PORT_GUID, CA_TYPE, PCI, PRODUCT, CELL_KINDS };
static const struct {
	const char *table, *what;
} cells[CELL_KINDS] = {
	[NONE] = { "", "" },
	[LINK_LAYER] = { "host_ports", "link_layer" },
	[STATE] = { "host_ports", "state" },
	[NODE_GUID] = { "host_ports", "node_guid" },
	[PORT_GUID] = { "host_ports", "port_guid" },
	[CA_TYPE] = { "host_ports", "ca_type" },
	[PCI] = { "pci", "pci" },
	[PRODUCT] = { "facts", "product" },
};

/* struct cell_key - of a key: @hca: its number; @num: its port, or how far above it on PCI */
struct cell_key {
	enum cell cell;
	uint32_t hca;
	uint8_t num;
};

/* struct draft_port - a row of host_ports, as far as it was read */
struct draft_port {
	struct cell_key key;
	uint32_t cells[CELL_KINDS];
};

/* struct draft_ports - of one host; @last: what was found last: rows come in one piece */
struct draft_ports {
	struct draft_port *list;
	size_t num, room, last;
};

/* By number of a key of the fleet; things are "mlx5_0/1", "machine". */
static struct cell_key *read_keys(struct ibc_cabling *c)
{
	size_t n = ibc_fleet_num_keys(c->fleet);
	struct cell_key *keys = arena_array(c->tmp, n + 1, sizeof(*keys));

	for (uint32_t i = 1; i < n; i++) {
		struct ibc_fleet_key key = ibc_fleet_key(c->fleet, i);
		const char *slash = strrchr(key.thing, '/');
		enum cell cell = CELL_KINDS;
		uint64_t num = 0;

		while (--cell && (strcmp(cells[cell].what, key.what) != 0 ||
		                  strcmp(cells[cell].table, key.table) != 0))
			;
		if (slash)
			str_u64(slash + 1, 0, UINT8_MAX, &num);
		/* others are of bridges */
		if (cell == NONE || (cell == PCI && num) ||
		    (cell == PRODUCT && strcmp(key.thing, "machine") != 0))
			continue;
		keys[i].cell = cell;
		keys[i].num = (uint8_t)num;
		keys[i].hca = pool_add(&c->hcas, key.thing,
		                       slash ? (size_t)(slash - key.thing) : strlen(key.thing));
	}
	return keys;
}

/* NULL: it has too many. */
static struct draft_port *draft_of(struct ibc_cabling *c, struct draft_ports *d,
                                   struct cell_key key)
{
	struct draft_port *p = d->num ? &d->list[d->last] : NULL;

	if (p && p->key.hca == key.hca && p->key.num == key.num)
		return p;
	for (d->last = 0; d->last < d->num; d->last++)
		if (d->list[d->last].key.hca == key.hca && d->list[d->last].key.num == key.num)
			return &d->list[d->last];
	if (d->num == PORTS_MAX)
		return NULL;
	arena_grow(c->tmp, &d->list, d->num, &d->room, sizeof(*d->list));
	d->list[d->num] = (struct draft_port){ .key = key };
	return &d->list[d->num++];
}

/* Virtual functions (mlx4_pci_table and mlx5_core_pci_table of Linux). */
static bool is_vf(const char *ca_type)
{
	static const char *const vfs[] = {
		"MT4098", "MT4100",                                          /* ConnectX-2, -3 */
		"MT4114", "MT4116",  "MT4118", "MT4120", "MT4122", "MT4124", /* Connect-IB to -6 */
		"MT4126", "MT41683",                                         /* newer; BlueField */
	};

	for (size_t i = 0; i < ARRAY_SIZE(vfs); i++)
		if (!strcmp(ca_type, vfs[i]))
			return true;
	return false;
}

static uint64_t guid_of(const char *text)
{
	uint64_t guid;

	return str_guid(text, &guid) ? 0 : guid;
}

static int by_pci(const void *va, const void *vz)
{
	const struct ibc_fleet_port *a = va, *z = vz;
	int order = *a->pci && *z->pci ? strcmp(a->pci, z->pci) : 0;

	return order ?: strverscmp(a->hca, z->hca) ?: a->num - z->num;
}

/* Addresses of PCI come last: they are of ports that are known then. */
static void take_host(struct ibc_cabling *c, const struct cell_key *keys,
                      struct ibc_fleet_cables *host, struct draft_ports *d)
{
	const struct ibc_fleet_host *h = host->host;
	size_t first = c->num_ports;
	struct ibc_fleet_port *ports;
	bool all = true;

	d->num = d->last = 0;
	for (size_t i = 0; i < 2 * h->num_reports; i++) {
		const struct ibc_fleet_report *r = h->reports[i % h->num_reports];
		bool pci = i >= h->num_reports;

		for (size_t k = 0; !r->superseded && k < r->num_facts; k++) {
			struct cell_key key = keys[r->facts[k].key];
			uint32_t value = r->facts[k].value;
			struct draft_port *p = NULL;

			if (key.cell == NONE || (key.cell == PCI) != pci)
				continue;
			if (key.cell == PRODUCT)
				host->product = ibc_fleet_text(c->fleet, value);
			else if (key.cell != PCI)
				p = draft_of(c, d, key);
			if (p)
				p->cells[key.cell] = value;
			/* all ports of an HCA have it */
			for (size_t n = 0; pci && n < d->num; n++)
				if (d->list[n].key.hca == key.hca)
					d->list[n].cells[PCI] = value;
		}
	}
	for (size_t i = 0; i < d->num; i++) {
		const struct draft_port *p = &d->list[i];
		const char *text[CELL_KINDS];

		for (enum cell cell = NONE; cell < CELL_KINDS; cell++)
			text[cell] = ibc_fleet_text(c->fleet, p->cells[cell]);
		/* what has no cable of its own, or one for Ethernet, is left out */
		if (is_vf(text[CA_TYPE]) ||
		    (*text[LINK_LAYER] && strcmp(text[LINK_LAYER], "InfiniBand") != 0))
			continue;
		arena_grow(c->arena, &c->ports, c->num_ports, &c->room_ports, sizeof(*c->ports));
		c->ports[c->num_ports++] = (struct ibc_fleet_port){
			.hca = pool_text(&c->hcas, p->key.hca),
			.num = p->key.num,
			.pci = text[PCI],
			.state = text[STATE],
			.guid = guid_of(text[NODE_GUID]),
			.port_guid = guid_of(text[PORT_GUID]),
			.rail = IBC_RAIL_UNKNOWN,
			.usual_rail = IBC_RAIL_UNKNOWN,
		};
	}
	ports = c->ports ? c->ports + first : NULL; /* there may be none yet */
	host->num = c->num_ports - first;
	host->reported = host->num;
	for (size_t i = 0; i < h->num_reports; i++)
		host->reported |= !h->reports[i]->trouble &&
		                  !strcmp(h->reports[i]->command, "host");
	/* of all or of none: one that is not known would stand anywhere */
	for (size_t i = 0; i < host->num; i++)
		all &= *ports[i].pci != '\0';
	for (size_t i = 0; i < host->num && !all; i++)
		ports[i].pci = "";
	if (host->num)
		qsort(ports, host->num, sizeof(*ports), by_pci);
}

static void gather_hosts(struct ibc_cabling *c)
{
	const struct cell_key *keys = read_keys(c);
	const struct ibc_fleet_host *host;
	struct draft_ports d = { 0 };
	size_t n = 0;

	while (ibc_fleet_host(c->fleet, n))
		n++;
	c->hosts = arena_array(c->arena, n + 1, sizeof(*c->hosts));
	for (size_t i = 0; (host = ibc_fleet_host(c->fleet, i)); i++) {
		if (!fleet_reported_well(host))
			continue;
		c->hosts[c->num_hosts] = (struct ibc_fleet_cables){ .host = host, .product = "" };
		take_host(c, keys, &c->hosts[c->num_hosts++], &d);
	}
	n = 0; /* they stay where they are from now on */
	for (size_t i = 0; i < c->num_hosts; n += c->hosts[i++].num)
		c->hosts[i].ports = &c->ports[n];
}

/* ---- what others ask ----------------------------------------------------------------------- */

int ibc_cabling_find(const struct ibc_fleet *fleet, const struct ibc_fabric *fab,
                     struct ibc_cabling **out, struct ibc_error *err)
{
	struct arena *arena = arena_new(), *tmp = arena_new();
	struct ibc_cabling *c;

	*out = NULL;
	if (!arena || !tmp || setjmp(*arena_entry(arena))) {
		arena_free(arena);
		arena_free(tmp);
		return fail_nomem(err);
	}
	arena_escape(tmp, arena_entry(arena));
	c = arena_alloc(arena, sizeof(*c));
	*c = (struct ibc_cabling){ .arena = arena, .tmp = tmp, .fleet = fleet, .fab = fab };
	c->hcas.arena = arena;
	gather_hosts(c);
	cabling_join(c);
	cabling_rails(c);
	arena_free(tmp);
	arena_escape(arena, NULL);
	*out = c;
	return 0;
}

void ibc_cabling_free(struct ibc_cabling *cabling)
{
	if (cabling)
		arena_free(cabling->arena);
}

const struct ibc_fleet_cables *ibc_cabling_host(const struct ibc_cabling *cabling, size_t i)
{
	return i < cabling->num_hosts ? &cabling->hosts[i] : NULL;
}

/* Hosts are in the natural order of their names, as those of the fleet are. */
static int name_and_host(const void *name, const void *host)
{
	return strverscmp(name, ((const struct ibc_fleet_cables *)host)->host->name);
}

const struct ibc_fleet_cables *ibc_cabling_of(const struct ibc_cabling *cabling, const char *name)
{
	return bsearch(name, cabling->hosts, cabling->num_hosts, sizeof(*cabling->hosts),
	               name_and_host);
}

const struct ibc_fleet_port *ibc_cabling_port(const struct ibc_fleet_cables *host,
                                              const char *thing)
{
	const struct ibc_fleet_port *found = NULL;
	size_t n = strcspn(thing, "/");
	uint64_t num = 0;

	if (thing[n] && str_u64(thing + n + 1, 1, UINT8_MAX, &num))
		return NULL;
	for (size_t i = 0; i < host->num; i++) {
		const struct ibc_fleet_port *p = &host->ports[i];

		if (strlen(p->hca) != n || strncmp(p->hca, thing, n) != 0 || (num && p->num != num))
			continue;
		if (found)
			return NULL;
		found = p;
	}
	return found;
}

const struct ibc_fleet_kind *ibc_cabling_kind(const struct ibc_cabling *cabling, size_t i)
{
	return i < cabling->num_kinds ? &cabling->kinds[i] : NULL;
}

const struct ibc_fabric *ibc_cabling_fabric(const struct ibc_cabling *cabling)
{
	return cabling->fab;
}
