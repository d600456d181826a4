/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of service levels of paths, in the form that the credit loop check of ibutils
 * reads (ibdmchk -c): a line a path, "0x<node GUID of the sender> <DLID> <SL>".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "fabric/build.h"
#include "source/source.h"

#define BLANKS  " \t"
#define LID_MAX 0xbfff /* unicast (IBA 4.1) */

struct path_reader {
	struct text_file *text;
	struct ibc_error *err;
	struct arena *arena;
	struct fabric_build *build;
	struct ibc_subnet *subnet;
	struct ibc_path_sl *paths;
	size_t num, room;
	size_t lines, foreign; /* of nodes that the subnet has not */
	uint64_t first_foreign;
};

static int read_path_line(void *reader, char *line, struct ibc_error *err)
{
	struct path_reader *r = reader;
	char *rest, *guid = strtok_r(line, BLANKS, &rest), *dlid, *sl;
	const struct ibc_node *node;
	uint64_t from, to, level;
	bool is_switch;

	(void)err;
	if (!guid || *guid == '#')
		return 0;
	dlid = strtok_r(NULL, BLANKS, &rest);
	sl = strtok_r(NULL, BLANKS, &rest);
	if (!sl || strtok_r(NULL, BLANKS, &rest) || str_guid(guid, &from) ||
	    str_u64(dlid, 1, LID_MAX, &to) || str_u64(sl, 0, 15, &level)) {
		text_complain(r->text, (struct text_place){ text_line_number(r->text), 0, NULL },
		              "expected the node GUID of the sender, the LID of the receiver "
		              "(1 .. %u) and a service level (0 .. 15)",
		              LID_MAX);
		return 0;
	}
	r->lines++;
	node = fabric_build_find(r->build, r->subnet, from);
	if (!node) {
		if (r->foreign++ == 0)
			r->first_foreign = from;
		return 0;
	}
	/* of each port that the node sends by */
	is_switch = node->type == IBC_NODE_SWITCH;
	for (unsigned int num = !is_switch; num <= (is_switch ? 0 : node->num_ports); num++) {
		const struct ibc_port *port = &node->ports[num];

		if (!port->lid || !ibc_port_is_here(port))
			continue;
		arena_grow(r->arena, &r->paths, r->num, &r->room, sizeof(*r->paths));
		r->paths[r->num++] = (struct ibc_path_sl){ port->lid, (uint16_t)to,
			                                   (uint8_t)level };
	}
	return 0;
}

int by_dlid(const void *va, const void *vz)
{
	const struct ibc_path_sl *a = va, *z = vz;

	return a->dlid != z->dlid ? a->dlid - z->dlid : a->slid - z->slid;
}

/* What was asked does not count any more. */
static int read_levels(void *reader)
{
	struct path_reader *r = reader;
	struct arena *a = fabric_build_arena(r->build);
	const char *name = text_name(r->text);
	struct ibc_path_sl *paths;
	struct ibc_sa *sa;
	int rc = text_each_line(r->text, read_path_line, r, r->err);
	size_t n = 0;

	if (rc)
		return rc;
	/* in order, and each path once; of one that has two levels none is known */
	if (r->num)
		qsort(r->paths, r->num, sizeof(*r->paths), by_dlid);
	for (size_t i = 0, same; i < r->num; i += same) {
		const struct ibc_path_sl *path = &r->paths[i];
		bool agree = true;

		for (same = 1; i + same < r->num && by_dlid(path, path + same) == 0; same++)
			agree &= path[same].sl == path->sl;
		if (agree)
			r->paths[n++] = *path;
		else
			text_complain(r->text, (struct text_place){ 0 },
			              "the path from LID %u to LID %u has two service "
			              "levels: neither is used",
			              path->slid, path->dlid);
	}
	r->num = n;
	if (r->lines == 0)
		return fail(r->err, -EINVAL, "%s contains no service levels of paths", name);
	if (r->foreign == r->lines)
		return fail(r->err, -EINVAL,
		            "%s is of another fabric: no sender is in this one (the first is "
		            "0x%016llx)",
		            name, (unsigned long long)r->first_foreign);
	if (r->num == 0)
		return fail(r->err, -EINVAL, "%s: no sender has a LID in this fabric", name);
	sa = arena_alloc(a, sizeof(*sa));
	paths = arena_array(a, r->num, sizeof(*paths));
	if (r->subnet->sa)
		*sa = *r->subnet->sa;
	memcpy(paths, r->paths, r->num * sizeof(*paths));
	sa->paths = paths;
	sa->num_paths = r->num;
	sa->cut_short = ibc_attrs_minus(sa->cut_short, IBC_ATTRS(IBC_ATTR_PATH_RECORD));
	sa->paths_file = arena_strdup(a, name);
	r->subnet->sa = sa;
	return 0;
}

int read_paths(struct text_file *f, struct fabric_build *b, struct ibc_error *err)
{
	struct path_reader r = {
		.text = f, .err = err, .build = b, .subnet = fabric_build_subnet_at(b, 0)
	};
	int rc;

	if (!r.subnet || fabric_build_subnet_at(b, 1))
		return fail(err, -EINVAL,
		            "%s: the paths are of one subnet, but this fabric has several",
		            text_name(f));
	r.arena = arena_new();
	rc = fabric_build_run(b, r.arena, read_levels, &r);
	arena_free(r.arena);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
