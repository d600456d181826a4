/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What other tools call nodes and ports: exactly a description, a short name, a host, or the GUID
 * of a system.  Unlike ibc_fabric_find(), which takes what people type, no pattern and no LID; and
 * O(log n) a name.
 */
#include "check/called.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/str.h"

/* What a text means is decided by the first of these that any node has. */
enum { NAME_DESC, NAME_LABEL, NAME_SHORT, NAME_SYSTEM };

struct name {
	const char *text;
	unsigned int level;
	const struct ibc_node *node;
};

/* struct name_index - in their order */
struct name_index {
	struct arena *arena;
	struct name *all;
	size_t n, room;
};

static int by_text_level(const void *left, const void *right)
{
	const struct name *a = left, *z = right;

	return strcmp(a->text, z->text) ?: order_u64(a->level, z->level)
	    ?: order_u64(a->node ? a->node->guid : 0, z->node ? z->node->guid : 0);
}

static void add_name(struct name_index *names, const char *text, unsigned int level,
                     const struct ibc_node *node)
{
	if (!text || !*text)
		return;
	arena_grow(names->arena, &names->all, names->n, &names->room, sizeof(*names->all));
	names->all[names->n++] = (struct name){ text, level, node };
}

struct name_index *name_index_new(struct arena *arena, const struct ibc_fabric *fab)
{
	struct name_index *names = arena_alloc(arena, sizeof(*names));
	const struct ibc_node *node;
	char guid[STR_GUID_MAX];

	*names = (struct name_index){ .arena = arena };
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		add_name(names, node->desc, NAME_DESC, node);
		add_name(names, node->label, NAME_LABEL, node);
		add_name(names, node->name, NAME_SHORT, node);
		add_name(names, node->host_name, NAME_SHORT, node);
		add_name(names, arena_strdup(arena, str_from_guid(guid, node->system_guid)),
		         NAME_SYSTEM, node);
	}
	if (names->n)
		qsort(names->all, names->n, sizeof(struct name), by_text_level);
	return names;
}

static bool is_labelled(const struct ibc_port *port, const char *typed)
{
	const char *label = ibc_port_label(port) ?: "";
	size_t n = strcspn(label, " "); /* "12/1" of "12/1 plane 2 APort 23" */

	return !strcasecmp(label, typed) || (strlen(typed) == n && !strncasecmp(label, typed, n));
}

void places_add(struct arena *arena, struct places *out, const struct ibc_node *node,
                const struct ibc_end *end)
{
	const struct ibc_port *port;

	for (unsigned int num = end->port_label ? 1 : end->has_port ? end->port : 0;; num++) {
		port = ibc_node_port(node, num);
		if (end->port_label ? port && is_labelled(port, end->port_label)
		                    : end->has_guid || !num || port) {
			arena_grow(arena, &out->all, out->n, &out->room, sizeof(*out->all));
			out->all[out->n++] = (struct ibc_place){ node, num };
		}
		if (!end->port_label || !port)
			return;
	}
}

bool name_find(struct arena *arena, const struct name_index *names, const char *text,
               const struct ibc_end *end, struct places *out)
{
	const struct name key = { .text = text }, *first, *last, *past;
	const char *host;
	size_t had = out->n;

	if (!names->n)
		return false;
	past = names->all + names->n;
	for (first = names->all, last = past; first < last;) {
		const struct name *middle = first + (last - first) / 2;

		if (by_text_level(middle, &key) < 0)
			first = middle + 1;
		else
			last = middle;
	}
	for (; last < past && !strcmp(last->text, text) && last->level == first->level; last++) {
		host = last->node->host_name;
		/* a host is one thing with all its HCAs, unless a port of one is named */
		if (last->node->guid != first->node->guid && last->level < NAME_SYSTEM &&
		    (end->has_port || end->port_label || !host || host != first->node->host_name)) {
			out->n = had;
			return false;
		}
		if (last == first || last->node != last[-1].node)
			places_add(arena, out, last->node, end);
	}
	return out->n > had;
}
