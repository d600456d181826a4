/* SPDX-License-Identifier: BSD-2-Clause */
/* Reader of the tables of a snapshot: a line is a run of rows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "fabric/build.h"
#include "source/fields.h"
#include "source/snaprows.h"
#include "source/source.h"

#define TABLE_MAX_BYTES (1u << 29) /* no subnet has so large a table */
#define LIDS_MAX        0xc000     /* unicast LIDs end below (IBA 4.1) */
#define MLIDS_MAX       0x4000     /* 0xc000 .. 0xffff */
#define MLID_BYTES      32         /* a bit for each of 256 ports */

/* ---- what the header tells ----------------------------------------------- */

static int get_object(const struct json_item *from, const struct field *table, void *base,
                      struct arena *a, struct ibc_error *err)
{
	return from ? fields_get(from, table, base, NULL, a, err) : 0;
}

int snap_subnet_header(struct snap_subnet *p, const struct json_item *subnet, struct arena *a,
                       struct ibc_error *err)
{
	const struct json_item *lft = json_member(subnet, "forwarding");
	const struct json_item *mft = json_member(subnet, "multicast");
	const struct json_item *sa = json_member(subnet, "sa");
	int rc;

	p->has_forwarding = lft != NULL;
	p->has_multicast = mft != NULL;
	p->sa = sa ? arena_alloc(a, sizeof(*p->sa)) : NULL;
	if (sa && !p->sa)
		return fail_nomem(err);
	rc = get_object(lft, forwarding_fields, &p->forwarding, a, err);
	if (rc == 0)
		rc = get_object(mft, multicast_fields, &p->multicast, a, err);
	return rc ? rc : get_object(sa, sa_fields, p->sa, a, err);
}

/* ---- before and behind the tables ---------------------------------------- */

static size_t count_switches(struct fabric_build *b, const struct ibc_subnet *subnet)
{
	const struct ibc_node *node;
	size_t n = 0;

	for (size_t i = 0; (node = fabric_build_node_at(b, i)); i++)
		n += node->subnet == subnet && node->type == IBC_NODE_SWITCH;
	return n;
}

int snap_subnet_start(struct snap_subnet *p, struct fabric_build *b, struct ibc_error *err)
{
	unsigned int lids = p->forwarding.num_lids, mlids = p->multicast.num_mlids;
	size_t n = count_switches(b, p->subnet);

	if (lids > LIDS_MAX || n * lids > TABLE_MAX_BYTES)
		return fail(err, -EINVAL, "no subnet has tables of %zu switches and %u LIDs", n,
		            lids);
	if (mlids > MLIDS_MAX || n * mlids * MLID_BYTES > TABLE_MAX_BYTES)
		return fail(err, -EINVAL, "no subnet has tables of %zu switches and %u MLIDs", n,
		            mlids);
	if (p->has_forwarding) {
		p->lft = fabric_build_forwarding(b, p->subnet, lids);
		if (!p->lft)
			return fail_nomem(err);
		p->lft->tables.file = p->forwarding.file;
		p->lft->tables.foreign = p->forwarding.foreign;
		p->lft->tables.foreign_guid = p->forwarding.foreign_guid;
	}
	if (p->has_multicast) {
		p->mft = fabric_build_multicast(b, p->subnet, mlids);
		if (!p->mft)
			return fail_nomem(err);
	}
	return 0;
}

/* Those that look paths up rely on their order. */
static bool paths_are_in_order(const struct ibc_path_sl *paths, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (by_dlid(&paths[i - 1], &paths[i]) >= 0)
			return false;
	return true;
}

/* The records of a list as they stay; NULL when out of memory. */
static void *list_keep(const struct snap_list *list, size_t size, struct arena *a)
{
	void *items = arena_array(a, list->num + 1, size);

	if (items && list->num)
		memcpy(items, list->items, list->num * size);
	return items;
}

int snap_subnet_end(struct snap_subnet *p, struct arena *a, struct ibc_error *err)
{
	struct ibc_sa *sa = p->sa;

	if (!sa)
		return 0;
	if (!paths_are_in_order(p->paths.items, p->paths.num))
		return fail(err, -EINVAL, "the paths are not in order");
	sa->paths = list_keep(&p->paths, sizeof(*sa->paths), a);
	sa->members = list_keep(&p->members, sizeof(*sa->members), a);
	sa->services = list_keep(&p->services, sizeof(*sa->services), a);
	if (!sa->paths || !sa->members || !sa->services)
		return fail_nomem(err);
	sa->num_paths = p->paths.num;
	sa->num_members = p->members.num;
	sa->num_services = p->services.num;
	p->subnet->sa = sa;
	return 0;
}

void snap_subnet_free(struct snap_subnet *p)
{
	free(p->paths.items);
	free(p->members.items);
	free(p->services.items);
}

/* ---- lines --------------------------------------------------------------- */

static const struct snap_table *find_table(const struct json_item *name)
{
	const struct snap_table *table = snap_tables;

	if (!json_is(name, JSON_TEXT))
		return NULL;
	while (table->name && strcmp(table->name, name->text) != 0)
		table++;
	return table->name ? table : NULL;
}

/* Whose table it is; false: there is no such node or subnet. */
static bool find_owner(const struct json_item *object, const struct snap_table *table,
                       struct snap_subnet *subnets, size_t num_subnets, size_t first_node,
                       struct fabric_build *b, struct snap_owner *out)
{
	const struct json_item *value = json_member(object, table->of_node ? "node" : "subnet");
	const struct ibc_node *node = NULL;
	uint64_t i;

	if (!json_index(value, SIZE_MAX - first_node, &i))
		return false;
	if (table->of_node)
		node = fabric_build_node_at(b, first_node + i);
	if (table->of_node ? !node : i >= num_subnets)
		return false;
	if (node)
		i = node->subnet->index - subnets[0].subnet->index;
	*out = snap_owner(subnets[i].subnet, node);
	out->to = &subnets[i];
	out->arena = fabric_build_arena(b);
	out->build = b;
	return table->of_node || subnets[i].sa;
}

static int get_rows(const struct json_item *rows, const struct snap_table *table,
                    const struct snap_owner *owner, size_t from, struct ibc_error *err)
{
	size_t i = from;
	int rc;

	if (table->of_node &&
	    (rows->size > table->rows(owner) || from > table->rows(owner) - rows->size))
		return fail(err, -EINVAL, "rows beyond the end of the table \"%s\"", table->name);
	for (const struct json_item *row = rows + 1; row != json_behind(rows);
	     row = json_behind(row), i++) {
		rc = row->kind == JSON_TEXT ? table->get(owner, i, row->text, row->size) : -EINVAL;
		if (rc == -ENOMEM)
			return fail_nomem(err);
		if (rc)
			return fail(err, rc, "invalid value of row %zu of \"%s\"", i, table->name);
	}
	return 0;
}

int snap_table_get(const struct json_item *object, struct snap_subnet *subnets, size_t num_subnets,
                   size_t first_node, struct fabric_build *b, struct ibc_error *err)
{
	const struct snap_table *table = find_table(json_member(object, "table"));
	const struct json_item *rows = json_member(object, "rows");
	struct snap_owner owner;
	uint64_t from;

	if (!table)
		return fail(err, -EINVAL, "invalid value of \"table\"");
	if (!find_owner(object, table, subnets, num_subnets, first_node, b, &owner))
		return fail(err, -EINVAL, "a table of an unknown owner");
	if (!json_index(json_member(object, "from"), SIZE_MAX, &from))
		return fail(err, -EINVAL, "invalid value of \"from\"");
	if (!json_is(rows, JSON_LIST) || rows->size == 0)
		return fail(err, -EINVAL, "invalid value of \"rows\"");
	if (json_size(object) != 4)
		return fail(err, -EINVAL, "not a valid table");
	return get_rows(rows, table, &owner, from, err);
}
