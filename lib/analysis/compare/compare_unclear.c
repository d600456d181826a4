/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Planned nodes whose name fits several found ones, none of which stands where it was
 * planned: neither is it missing, nor are those unexpected.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/comparison.h"
#include "base/nodename.h"

struct unclear_name {
	const char *text;
	uint32_t node;
};

struct unclear_names {
	struct unclear_name *list;
	size_t n;
};

static int by_text(const void *va, const void *vz)
{
	const struct unclear_name *a = va, *z = vz;
	int order = strcmp(a->text, z->text);

	return order ? order : (a->node > z->node) - (a->node < z->node);
}

/* What all spellings of a node's name have in common. */
static void add_name(struct ibc_comparison *cmp, struct unclear_names *names,
                     const struct side *side, uint32_t node)
{
	const char *name = side_node(side, node)->name;
	char text[NODENAME_MAX];

	if (!name_form(text, name, NAME_HOST))
		return;
	names->list[names->n].text = comparison_text(cmp, "%s", text);
	names->list[names->n++].node = node;
}

/* Those without counterpart; of the planned ones those that are not clear. */
static bool collect_unmatched(struct ibc_comparison *cmp, struct unclear_names *names,
                              const struct side *side, const bool *unclear)
{
	*names = (struct unclear_names){ .n = 0 };
	names->list = comparison_array(cmp, side->num_nodes, sizeof(*names->list));
	for (uint32_t i = 0; i < side->num_nodes && !cmp->failed; i++)
		if (side->counterpart[i] == MATCH_NOBODY && (!unclear || unclear[i]))
			add_name(cmp, names, side, i);
	if (names->n && !cmp->failed)
		qsort(names->list, names->n, sizeof(*names->list), by_text);
	return !cmp->failed;
}

static size_t count_same_name(const struct unclear_names *names, size_t from)
{
	size_t n = 1;

	while (from + n < names->n && !strcmp(names->list[from].text, names->list[from + n].text))
		n++;
	return n;
}

static void mark_common_names(struct ibc_comparison *cmp, const struct unclear_names *planned,
                              const struct unclear_names *found)
{
	size_t p = 0, f = 0;

	while (p < planned->n && f < found->n) {
		size_t ours = count_same_name(planned, p), theirs = count_same_name(found, f);
		int order = strcmp(planned->list[p].text, found->list[f].text);

		for (size_t i = 0; order == 0 && i < ours; i++)
			cmp->unclear[planned->list[p + i].node] = true;
		for (size_t i = 0; order == 0 && i < theirs; i++)
			cmp->may_be[found->list[f + i].node] = true;
		p += order <= 0 ? ours : 0;
		f += order >= 0 ? theirs : 0;
	}
}

void compare_unclear(struct ibc_comparison *cmp)
{
	struct unclear_names planned, found;

	cmp->unclear = comparison_array(cmp, cmp->planned.num_nodes, sizeof(*cmp->unclear));
	cmp->may_be = comparison_array(cmp, cmp->found.num_nodes, sizeof(*cmp->may_be));
	if (!cmp->failed && collect_unmatched(cmp, &planned, &cmp->planned, cmp->match.unclear) &&
	    planned.n && collect_unmatched(cmp, &found, &cmp->found, NULL))
		mark_common_names(cmp, &planned, &found);
}
