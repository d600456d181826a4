/* SPDX-License-Identifier: BSD-2-Clause */
/* Which ports had a link before: known to a sweep before it has found the fabric. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "fabric/fabric.h"
#include "store/store.h"

/* struct linked - the ports of all parts of a directory */
struct linked {
	struct arena *arena;
	struct sql sql;
	struct ibc_port_id *ports;
	size_t num, room;
	bool no_memory;
};

static void add_linked(struct linked *l, uint64_t guid, unsigned int num)
{
	l->no_memory |= !arena_grow(l->arena, &l->ports, l->num, &l->room, sizeof(*l->ports));
	if (!l->no_memory)
		l->ports[l->num++] = (struct ibc_port_id){ guid, num };
}

/* What was counted before a link went is carried from sweep to sweep. */
static void add_swept(struct linked *l, const struct ibc_fabric *fab)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		if (p->num && p->node->type == IBC_NODE_SWITCH && (p->peer || p->counters))
			add_linked(l, p->node->guid, p->num);
}

static void add_missing(struct linked *l)
{
	sqlite3_stmt *row = sql_query(&l->sql,
	                              "SELECT guid, num FROM absent_cable"
	                              " UNION SELECT far_guid, far_num FROM absent_cable",
	                              "");

	while (sql_row(&l->sql, row))
		add_linked(l, (uint64_t)sqlite3_column_int64(row, 0),
		           (unsigned int)sql_between(&l->sql, row, 1, 0, UINT8_MAX));
}

static int read_part(void *ctx, int fd, const char *dir, const char *name, struct ibc_error *err)
{
	struct linked *l = ctx;
	const char *where = arena_printf(l->arena, "%s/%s", dir, name);
	const char *path = arena_printf(l->arena, "%s/" STORE_HISTORY, where);
	struct ibc_fabric *fab = NULL;
	int64_t number = 0;

	if (!where || !path)
		return fail_nomem(err);
	if (faccessat(fd, STORE_HISTORY, F_OK, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (!sql_open_reader(&l->sql, fd, path, NULL) && l->sql.version)
		number = sql_number(&l->sql, "SELECT sweep FROM fabric", "");
	if (l->sql.version >= SCHEMA_EXPECTS)
		add_missing(l);
	sql_close(&l->sql);
	if (number > 0 && !store_load_sweep(l->arena, fd, where, number, &fab, NULL))
		add_swept(l, fab);
	ibc_fabric_free(fab);
	return l->no_memory ? fail_nomem(err) : 0;
}

int ibc_store_linked(const char *dir, struct ibc_port_id **out, size_t *num, struct ibc_error *err)
{
	struct linked l = { .arena = arena_new() };
	int rc = l.arena ? store_each_part(dir, read_part, &l, err) : fail_nomem(err);

	*num = l.num;
	*out = rc == -ENOMEM ? NULL : xrealloc(NULL, l.num + 1, sizeof(**out));
	if (*out && l.num) {
		memcpy(*out, l.ports, l.num * sizeof(**out));
		qsort(*out, l.num, sizeof(**out), by_port_id);
	}
	arena_free(l.arena);
	return *out ? 0 : fail_nomem(err);
}
