/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries that point to where nothing is: of any switch, whether they are used or not.
 * A look at each byte of the tables, O(LIDs x switches), shared by threads by LIDs.
 */
#include "analysis/routes/owners.h"
#include "analysis/routes/routes.h"
#include "base/arena.h"
#include "fabric/fabric.h"

#define BLOCK 64 /* LIDs that a thread takes at a time */

/*
 * struct stale_place - entries by column and port; of port 0: of LIDs that no port has; then LIDs
 * by enum ibc_lid_kind
 */
struct stale_place {
	uint32_t entries, first_lid;
};

/*
 * struct stale
 * @down: by column: the set of its ports that are down, so many as an entry can name
 * @places: by thread: column * width + port, then kinds of LIDs
 */
struct stale {
	struct route_subnet *p;
	struct lid_owners owners;
	uint64_t (*down)[4];
	struct stale_place **places;
};

/* ---- looking ------------------------------------------------------------------------ */

static void see_entry(struct stale_place *place, unsigned int lid)
{
	if (!place->entries++ || lid < place->first_lid)
		place->first_lid = lid;
}

static size_t cells_of(const struct route_subnet *p)
{
	return (size_t)p->n * p->width;
}

static void see_ownerless(const struct stale *stale, struct stale_place *places, unsigned int lid)
{
	const struct route_subnet *p = stale->p;
	const enum ibc_lid_kind kind = owners_kind(&stale->owners, p, lid);
	const uint8_t *row = route_row(p, lid);

	if (kind < IBC_LID_KINDS) {
		see_entry(&places[cells_of(p) + kind], lid);
		return;
	}
	for (uint32_t s = 0; s < p->n; s++)
		if (row[s] != IBC_NO_ENTRY && lid <= p->top[s])
			see_entry(&places[(size_t)s * p->width], lid);
}

static void see_block(void *ctx, unsigned int thread, size_t item)
{
	const struct stale *stale = ctx;
	const struct route_subnet *p = stale->p;
	struct stale_place *places = stale->places[thread];
	unsigned int end = (unsigned int)(item + 1) * BLOCK;
	const uint8_t *row;

	for (unsigned int lid = (unsigned int)item * BLOCK; lid < end; lid++) {
		if (!lid || lid >= UNICAST_LIDS || !route_has_row(p, lid))
			continue;
		if (!p->silent && !ibc_fabric_port_by_lid(p->subnet, lid)) {
			see_ownerless(stale, places, lid);
			continue;
		}
		row = route_row(p, lid);
		for (uint32_t s = 0; s < p->n; s++)
			if (stale->down[s][row[s] / 64] >> row[s] % 64 & 1 && lid <= p->top[s])
				see_entry(&places[(size_t)s * p->width + row[s]], lid);
	}
}

/* ---- reporting ---------------------------------------------------------------------- */

/* Of hosts, that are sent to a port that is down. */
static uint64_t pairs_of(const struct route_subnet *p, const struct ibc_node *node,
                         unsigned int port)
{
	for (size_t i = 0; i < p->num_faults; i++)
		if (p->faults[i].end == IBC_ROUTE_DOWN && p->faults[i].at == node &&
		    p->faults[i].port == port)
			return p->faults[i].pairs;
	return 0;
}

static void report_stale_entries(struct route_subnet *p, const struct stale_place *places)
{
	size_t cells = cells_of(p), n = 0;

	for (size_t i = 0; i < cells; i++)
		n += places[i].entries != 0;
	p->stale = arena_array(p->routes->arena, n + 1, sizeof(*p->stale));
	for (size_t i = 0; i < cells; i++) {
		const struct ibc_node *node = p->lft->switches[i / p->width];
		unsigned int port = (unsigned int)(i % p->width);

		if (!places[i].entries)
			continue;
		p->stale[p->num_stale++] = (struct ibc_stale_entries){
			.node = node,
			.port = port,
			.entries = places[i].entries,
			.first_lid = places[i].first_lid,
			.pairs = port ? pairs_of(p, node, port) : 0,
		};
		p->sums.stale_entries += places[i].entries;
	}
}

void routes_stale(struct route_subnet *p)
{
	struct stale stale = { .p = p };
	const struct parallel job = { see_block, &stale, (p->lft->num_lids + BLOCK - 1) / BLOCK,
		                      NULL };
	unsigned int threads = parallel_threads(p->routes->opts.threads, job.items);
	size_t cells = cells_of(p), places = cells + IBC_LID_KINDS;
	struct stale_place *sum;

	owners_find(&stale.owners, p, p->tmp);
	stale.down = arena_array(p->tmp, p->n + 1u, sizeof(*stale.down));
	stale.places = arena_array(p->tmp, threads, sizeof(*stale.places));
	for (unsigned int i = 0; i < threads; i++)
		stale.places[i] = arena_array(p->tmp, places, sizeof(**stale.places));
	for (uint32_t s = 0; s < p->n; s++)
		for (unsigned int num = 1; num < p->width; num++)
			if (p->next_hop[(size_t)s * p->width + num] == HOP_DOWN)
				stale.down[s][num / 64] |= 1ull << num % 64;
	parallel_run(&job, threads);
	sum = stale.places[0];
	/* LIDs of virtual ports that are beyond all tables */
	for (unsigned int lid = p->lft->num_lids;
	     !p->silent && stale.owners.vports && lid < UNICAST_LIDS; lid++)
		if (stale.owners.vports[lid] && !ibc_fabric_port_by_lid(p->subnet, lid) &&
		    owners_kind(&stale.owners, p, lid) == IBC_LID_LOST)
			see_entry(&sum[cells + IBC_LID_LOST], lid);
	for (unsigned int t = 1; t < threads; t++)
		for (size_t i = 0; i < places; i++) {
			const struct stale_place *place = &stale.places[t][i];

			if (place->entries &&
			    (!sum[i].entries || place->first_lid < sum[i].first_lid))
				sum[i].first_lid = place->first_lid;
			sum[i].entries += place->entries;
		}
	for (unsigned int kind = 0; kind < IBC_LID_KINDS; kind++) {
		const struct stale_place *place = &sum[cells + kind];

		if (place->entries)
			p->sums.spared[kind] = owners_example(&stale.owners, p, place->first_lid);
		p->sums.spared[kind].num = place->entries;
	}
	report_stale_entries(p, sum);
}
