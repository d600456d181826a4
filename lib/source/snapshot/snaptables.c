/* SPDX-License-Identifier: BSD-2-Clause */
/* Reader of the tables of a snapshot: a line is a run of rows. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "fabric/build.h"
#include "source/fields.h"
#include "source/snapshot/snaprows.h"
#include "source/source.h"

#define TABLE_MAX_BYTES (1u << 29) /* no subnet has so large a table */
#define LIDS_MAX        0xc000     /* unicast LIDs end below (IBA 4.1) */
#define MLIDS_MAX       0x4000     /* 0xc000 .. 0xffff */
#define MLID_BYTES      32         /* a bit for each of 256 ports */

/* ---- what the header says ----------------------------------------------- */

int snap_subnet_header(struct snap_subnet *p, const struct json_item *const *parts, struct arena *a,
                       struct ibc_error *err)
{
	const struct json_item *lft = parts[SUBNET_FORWARDING], *mft = parts[SUBNET_MULTICAST];
	const struct json_item *sa = parts[SUBNET_SA];
	int rc = 0;

	p->has_forwarding = lft;
	p->has_multicast = mft;
	if (lft)
		rc = fields_get(lft, forwarding_fields, &p->forwarding, NULL, a, err);
	if (rc == 0 && mft)
		rc = fields_get(mft, multicast_fields, &p->multicast, NULL, a, err);
	if (rc || !sa)
		return rc;
	p->sa = arena_alloc(a, sizeof(*p->sa));
	return fields_get(sa, sa_fields, p->sa, NULL, a, err);
}

/* ---- before and behind the tables ---------------------------------------- */

int snap_subnet_start(struct snap_subnet *p, struct fabric_build *b, struct ibc_error *err)
{
	unsigned int lids = p->forwarding.num_lids, mlids = p->multicast.num_mlids;
	const struct ibc_node *node;
	size_t n = 0;

	for (size_t i = 0; (node = fabric_build_node_at(b, i)); i++)
		n += node->subnet == p->subnet && node->type == IBC_NODE_SWITCH;
	if (lids > LIDS_MAX || n * lids > TABLE_MAX_BYTES)
		return fail(err, -EINVAL, "no subnet has tables of %zu switches and %u LIDs", n,
		            lids);
	if (mlids > MLIDS_MAX || n * mlids * MLID_BYTES > TABLE_MAX_BYTES)
		return fail(err, -EINVAL, "no subnet has tables of %zu switches and %u MLIDs", n,
		            mlids);
	if (p->has_forwarding) {
		p->lft = fabric_build_forwarding(b, p->subnet, lids);
		p->lft->tables.file = p->forwarding.file;
		p->lft->tables.foreign = p->forwarding.foreign;
		p->lft->tables.foreign_guid = p->forwarding.foreign_guid;
	}
	if (p->has_multicast)
		p->mft = fabric_build_multicast(b, p->subnet, mlids);
	return 0;
}

/* The records of a list as they stay. */
static void *keep_list(const struct snap_list *list, size_t size, struct arena *a)
{
	void *items = arena_array(a, list->num + 1, size);

	if (list->num)
		memcpy(items, list->items, list->num * size);
	return items;
}

int snap_subnet_end(struct snap_subnet *p, struct arena *a, struct ibc_error *err)
{
	const struct ibc_path_sl *paths = p->paths.items;

	if (!p->sa)
		return 0;
	/* those that look paths up rely on their order */
	for (size_t i = 1; i < p->paths.num; i++)
		if (by_dlid(&paths[i - 1], &paths[i]) >= 0)
			return fail(err, -EINVAL, "the paths are not in order");
	p->sa->paths = keep_list(&p->paths, sizeof(*p->sa->paths), a);
	p->sa->members = keep_list(&p->members, sizeof(*p->sa->members), a);
	p->sa->services = keep_list(&p->services, sizeof(*p->sa->services), a);
	p->sa->num_paths = p->paths.num;
	p->sa->num_members = p->members.num;
	p->sa->num_services = p->services.num;
	p->subnet->sa = p->sa;
	return 0;
}

/* ---- lines --------------------------------------------------------------- */

int snap_table_get(const struct json_item *object, struct snap_subnet *subnets, size_t num_subnets,
                   size_t first_node, struct fabric_build *b, struct arena *scratch,
                   struct ibc_error *err)
{
	const struct json_item *name = json_member(object, "table");
	const struct json_item *rows = json_member(object, "rows");
	const struct snap_table *table = snap_tables;
	const struct json_item *whose;
	struct snap_owner owner;
	struct ibc_node *node = NULL;
	bool found;
	uint64_t i;
	int rc;

	while (table->name && (!json_is(name, JSON_TEXT) || strcmp(table->name, name->text) != 0))
		table++;
	if (!table->name)
		return fail(err, -EINVAL, "invalid value of \"table\"");
	whose = json_member(object, table->of_node ? "node" : "subnet");
	found = json_index(whose, SIZE_MAX - first_node, &i);
	if (found && table->of_node) {
		node = fabric_build_node_at(b, first_node + i);
		found = node;
		i = node ? node->subnet->index - subnets[0].subnet->index : 0;
	} else if (found) {
		found = i < num_subnets && subnets[i].sa;
	}
	if (!found)
		return fail(err, -EINVAL, "a table of an unknown owner");
	owner = snap_owner(subnets[i].subnet, node);
	owner.to = &subnets[i];
	owner.arena = fabric_build_arena(b);
	owner.scratch = scratch;
	owner.build = b;
	owner.list = table->list;
	if (!json_index(json_member(object, "from"), SIZE_MAX, &i))
		return fail(err, -EINVAL, "invalid value of \"from\"");
	if (!json_is(rows, JSON_LIST) || rows->size == 0)
		return fail(err, -EINVAL, "invalid value of \"rows\"");
	if (json_size(object) != 4)
		return fail(err, -EINVAL, "not a valid table");
	if (table->of_node &&
	    (rows->size > table->rows(&owner) || i > table->rows(&owner) - rows->size))
		return fail(err, -EINVAL, "rows beyond the end of the table \"%s\"", table->name);
	for (const struct json_item *row = rows + 1; row != json_behind(rows);
	     row = json_behind(row), i++) {
		rc = row->kind == JSON_TEXT ? table->get(&owner, i, row->text, row->size) : -EINVAL;
		if (rc)
			return fail(err, rc, "invalid value of row %zu of \"%s\"", (size_t)i,
			            table->name);
	}
	return 0;
}
