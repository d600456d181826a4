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

/* What a fact tells, of a port, an HCA or the host. */
enum told { NOTHING, LINK_LAYER, STATE, NODE_GUID, PORT_GUID, CA_TYPE, PCI, PRODUCT, TOLD };
static const struct {
	const char *table, *what;
} tells[TOLD] = {
	[NOTHING] = { "", "" },
	[LINK_LAYER] = { "host_ports", "link_layer" },
	[STATE] = { "host_ports", "state" },
	[NODE_GUID] = { "host_ports", "node_guid" },
	[PORT_GUID] = { "host_ports", "port_guid" },
	[CA_TYPE] = { "host_ports", "ca_type" },
	[PCI] = { "pci", "pci" },
	[PRODUCT] = { "facts", "product" },
};

/* struct told_key - of a key: @hca: its number; @num: its port, or how far above it on PCI */
struct told_key {
	enum told told;
	uint32_t hca;
	uint8_t num;
};

/* ---- keys ---------------------------------------------------------------------------------- */

static enum told told_by(struct ibc_fleet_key key)
{
	for (enum told t = LINK_LAYER; t < TOLD; t++)
		if (!strcmp(tells[t].what, key.what) && !strcmp(tells[t].table, key.table))
			return t;
	return NOTHING;
}

/* "mlx5_0/1" */
static struct told_key read_key(struct ibc_cabling *c, struct ibc_fleet_key key)
{
	struct told_key k = { .told = told_by(key) };
	const char *slash = strrchr(key.thing, '/');
	size_t n = slash ? (size_t)(slash - key.thing) : strlen(key.thing);
	uint64_t num = 0;

	if (k.told == NOTHING || (k.told == PRODUCT && strcmp(key.thing, "machine") != 0))
		return (struct told_key){ .told = NOTHING };
	if (slash)
		str_u64(slash + 1, 0, UINT8_MAX, &num);
	k.num = (uint8_t)num;
	k.hca = pool_add(&c->hcas, key.thing, n);
	if (k.told == PCI && k.num)
		k.told = NOTHING; /* a bridge */
	return k;
}

static struct told_key *read_keys(struct ibc_cabling *c, struct arena *tmp)
{
	size_t n = ibc_fleet_num_keys(c->fleet);
	struct told_key *keys = arena_array(tmp, n + 1, sizeof(*keys));

	for (uint32_t i = 1; keys && i < n; i++)
		keys[i] = read_key(c, ibc_fleet_key(c->fleet, i));
	return c->hcas.failed ? NULL : keys;
}

/* ---- ports --------------------------------------------------------------------------------- */

/* struct draft_port - a row of host_ports, as far as it was read */
struct draft_port {
	struct told_key key;
	uint32_t told[TOLD];
};

/* struct draft_ports - of one host; @last: what was found last: rows come in one piece */
struct draft_ports {
	struct draft_port *list;
	size_t num, room, last;
};

static struct draft_port *draft_of(struct draft_ports *d, struct told_key key)
{
	struct draft_port *p = d->num ? &d->list[d->last] : NULL;

	if (p && p->key.hca == key.hca && p->key.num == key.num)
		return p;
	for (d->last = 0; d->last < d->num; d->last++)
		if (d->list[d->last].key.hca == key.hca && d->list[d->last].key.num == key.num)
			return &d->list[d->last];
	if (d->num == PORTS_MAX || !grow(&d->list, d->num, &d->room, sizeof(*d->list)))
		return NULL;
	d->list[d->num] = (struct draft_port){ .key = key };
	return &d->list[d->num++];
}

/* Of an HCA: all of its ports have it. */
static void tell_pci(struct draft_ports *d, uint32_t hca, uint32_t value)
{
	for (size_t i = 0; i < d->num; i++)
		if (d->list[i].key.hca == hca)
			d->list[i].told[PCI] = value;
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

/* What has no cable of its own, or one for Ethernet, is left out. */
static bool take_port(struct ibc_cabling *c, const struct draft_port *d)
{
	const char *told[TOLD];

	for (enum told t = NOTHING; t < TOLD; t++)
		told[t] = ibc_fleet_text(c->fleet, d->told[t]);
	if (is_vf(told[CA_TYPE]) ||
	    (*told[LINK_LAYER] && strcmp(told[LINK_LAYER], "InfiniBand") != 0))
		return true;
	if (!arena_grow(c->arena, &c->ports, c->num_ports, &c->room_ports, sizeof(*c->ports)))
		return false;
	c->ports[c->num_ports++] = (struct ibc_fleet_port){
		.hca = pool_text(&c->hcas, d->key.hca),
		.num = d->key.num,
		.pci = told[PCI],
		.state = told[STATE],
		.guid = guid_of(told[NODE_GUID]),
		.port_guid = guid_of(told[PORT_GUID]),
		.rail = IBC_RAIL_UNKNOWN,
		.usual_rail = IBC_RAIL_UNKNOWN,
	};
	return true;
}

/* ---- hosts --------------------------------------------------------------------------------- */

static bool gather_rows(const struct told_key *keys, struct ibc_fleet_cables *host,
                        const struct ibc_fleet *fleet, struct draft_ports *d)
{
	for (int pci = 0; pci < 2; pci++) /* which is of ports that are known by then */
		for (size_t i = 0; i < host->host->num_reports; i++) {
			const struct ibc_fleet_report *r = host->host->reports[i];

			for (size_t k = 0; !r->superseded && k < r->num_facts; k++) {
				struct told_key key = keys[r->facts[k].key];
				struct draft_port *p;

				if (key.told == NOTHING || (key.told == PCI) != pci)
					continue;
				if (key.told == PRODUCT)
					host->product = ibc_fleet_text(fleet, r->facts[k].value);
				else if (key.told == PCI)
					tell_pci(d, key.hca, r->facts[k].value);
				else if ((p = draft_of(d, key)))
					p->told[key.told] = r->facts[k].value;
				else if (d->num < PORTS_MAX)
					return false;
			}
		}
	return true;
}

static int by_pci(const void *va, const void *vz)
{
	const struct ibc_fleet_port *a = va, *z = vz;
	int order = *a->pci && *z->pci ? strcmp(a->pci, z->pci) : 0;

	return order ?: strverscmp(a->hca, z->hca) ?: a->num - z->num;
}

/* Of all or of none: one that is not told would stand anywhere. */
static void order_ports(struct ibc_fleet_port *ports, size_t n)
{
	bool all = true;

	for (size_t i = 0; i < n; i++)
		all &= *ports[i].pci != '\0';
	for (size_t i = 0; i < n && !all; i++)
		ports[i].pci = "";
	qsort(ports, n, sizeof(*ports), by_pci);
}

static bool has_report_of_host(const struct ibc_fleet_host *host)
{
	for (size_t i = 0; i < host->num_reports; i++)
		if (!host->reports[i]->trouble && !strcmp(host->reports[i]->command, "host"))
			return true;
	return false;
}

static bool take_host(struct ibc_cabling *c, const struct told_key *keys,
                      struct ibc_fleet_cables *host)
{
	struct draft_ports d = { 0 };
	size_t first = c->num_ports;
	bool ok = gather_rows(keys, host, c->fleet, &d);

	for (size_t i = 0; ok && i < d.num; i++)
		ok = take_port(c, &d.list[i]);
	free(d.list);
	host->num = c->num_ports - first;
	host->told = has_report_of_host(host->host) || host->num;
	if (host->num)
		order_ports(&c->ports[first], host->num);
	return ok;
}

static bool gather_hosts(struct ibc_cabling *c, struct arena *tmp)
{
	const struct told_key *keys = read_keys(c, tmp);
	const struct ibc_fleet_host *host;
	size_t n = 0;

	while (ibc_fleet_host(c->fleet, n))
		n++;
	c->hosts = arena_array(c->arena, n + 1, sizeof(*c->hosts));
	for (size_t i = 0; keys && c->hosts && (host = ibc_fleet_host(c->fleet, i)); i++) {
		if (!fleet_reported_well(host))
			continue;
		c->hosts[c->num_hosts] = (struct ibc_fleet_cables){ .host = host, .product = "" };
		if (!take_host(c, keys, &c->hosts[c->num_hosts++]))
			return false;
	}
	n = 0; /* they stay where they are from now on */
	for (size_t i = 0; keys && c->hosts && i < c->num_hosts; n += c->hosts[i++].num)
		c->hosts[i].ports = &c->ports[n];
	return keys && c->hosts;
}

/* ---- what others ask ----------------------------------------------------------------------- */

int ibc_cabling_find(const struct ibc_fleet *fleet, const struct ibc_fabric *fab,
                     struct ibc_cabling **out, struct ibc_error *err)
{
	struct arena *arena = arena_new(), *tmp = arena_new();
	struct ibc_cabling *c = arena && tmp ? arena_alloc(arena, sizeof(*c)) : NULL;
	bool ok = c;

	if (ok) {
		*c = (struct ibc_cabling){ .arena = arena, .fleet = fleet, .fab = fab };
		c->hcas.arena = arena;
		ok = gather_hosts(c, tmp) && cabling_join(c) && cabling_rails(c);
		pool_free(&c->hcas);
	}
	arena_free(tmp);
	if (!ok)
		arena_free(arena);
	*out = ok ? c : NULL;
	return ok ? 0 : fail_nomem(err);
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
