/* SPDX-License-Identifier: BSD-2-Clause */
/* Reader of the tables of a snapshot: a line is a run of rows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "fabric/build.h"
#include "source/fields.h"
#include "source/snaprows.h"
#include "source/source.h"

#define TABLE_MAX_BYTES (1u << 29) /* no subnet has so large a table */
#define LIDS_MAX        0xc000     /* unicast LIDs end below (IBA 4.1) */
#define MLIDS_MAX       0x4000     /* 0xc000 .. 0xffff */
#define MLID_BYTES      32         /* a bit for each of 256 ports */

/* ---- what the header tells ----------------------------------------------- */

static int get_object(const json_t *from, const struct field *table, void *base, struct arena *a,
                      struct ibc_error *err)
{
	return from ? fields_get(from, table, base, NULL, a, err) : 0;
}

int snap_subnet_header(struct snap_subnet *p, const json_t *subnet, struct arena *a,
                       struct ibc_error *err)
{
	const json_t *lft = json_object_get(subnet, "forwarding");
	const json_t *mft = json_object_get(subnet, "multicast");
	const json_t *sa = json_object_get(subnet, "sa");
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
	if (!sa->paths || !sa->members)
		return fail_nomem(err);
	sa->num_paths = p->paths.num;
	sa->num_members = p->members.num;
	p->subnet->sa = sa;
	return 0;
}

void snap_subnet_free(struct snap_subnet *p)
{
	free(p->paths.items);
	free(p->members.items);
}

/* ---- lines --------------------------------------------------------------- */

static const struct snap_table *find_table(const json_t *name)
{
	const struct snap_table *table = snap_tables;

	while (json_is_string(name) && table->name &&
	       strcmp(table->name, json_string_value(name)) != 0)
		table++;
	return json_is_string(name) && table->name ? table : NULL;
}

/* Whose table it is; false: there is no such node or subnet. */
static bool find_owner(const json_t *object, const struct snap_table *table,
                       struct snap_subnet *subnets, size_t num_subnets, struct fabric_build *b,
                       struct snap_owner *out)
{
	const json_t *value = json_object_get(object, table->of_node ? "node" : "subnet");
	size_t i = (size_t)json_integer_value(value);
	const struct ibc_node *node = table->of_node ? fabric_build_node_at(b, i) : NULL;

	if (!json_is_integer(value) || (table->of_node ? !node : i >= num_subnets))
		return false;
	if (node)
		i = node->subnet->index - subnets[0].subnet->index;
	*out = snap_owner(subnets[i].subnet, node);
	out->to = &subnets[i];
	out->arena = fabric_build_arena(b);
	return table->of_node || subnets[i].sa;
}

static int get_rows(const json_t *rows, const struct snap_table *table,
                    const struct snap_owner *owner, size_t from, struct ibc_error *err)
{
	const json_t *row;
	size_t i;
	int rc;

	if (table->of_node && (json_array_size(rows) > table->rows(owner) ||
	                       from > table->rows(owner) - json_array_size(rows)))
		return fail(err, -EINVAL, "rows beyond the end of the table \"%s\"", table->name);
	json_array_foreach(rows, i, row) {
		rc = json_is_string(row) ? table->get(owner, from + i, json_string_value(row),
		                                      json_string_length(row))
		                         : -EINVAL;
		if (rc == -ENOMEM)
			return fail_nomem(err);
		if (rc)
			return fail(err, rc, "invalid value of row %zu of \"%s\"", from + i,
			            table->name);
	}
	return 0;
}

int snap_table_get(const json_t *object, struct snap_subnet *subnets, size_t num_subnets,
                   struct fabric_build *b, struct ibc_error *err)
{
	const struct snap_table *table = find_table(json_object_get(object, "table"));
	const json_t *from = json_object_get(object, "from");
	const json_t *rows = json_object_get(object, "rows");
	struct snap_owner owner;

	if (!table)
		return fail(err, -EINVAL, "invalid value of \"table\"");
	if (!find_owner(object, table, subnets, num_subnets, b, &owner))
		return fail(err, -EINVAL, "a table of an unknown owner");
	if (!json_is_integer(from) || json_integer_value(from) < 0)
		return fail(err, -EINVAL, "invalid value of \"from\"");
	if (json_array_size(rows) == 0)
		return fail(err, -EINVAL, "invalid value of \"rows\"");
	if (json_object_size(object) != 4)
		return fail(err, -EINVAL, "not a valid table");
	return get_rows(rows, table, &owner, (size_t)json_integer_value(from), err);
}
