/* SPDX-License-Identifier: BSD-2-Clause */
/* Are two sweeps of one fabric?  O(nodes + subnets squared). */
#include <errno.h>
#include <inttypes.h>

#include <ibcheck/changes.h>

#include "analysis/compare/compare.h"
#include "base/error.h"

/* What two sweeps have in common. */
struct common_parts {
	bool named, nodes, switches, prefix;
};

static void add_common_node(struct common_parts *c, const struct ibc_comparison *cmp,
                            const struct ibc_node *node)
{
	const struct ibc_node *other = ibc_comparison_counterpart(cmp, node);

	if (!other)
		return;
	if (node->named_only || other->named_only)
		c->named = true;
	else if (node->guid == other->guid)
		c->nodes = true;
	c->switches |= node->type == IBC_NODE_SWITCH && node->guid == other->guid;
}

static bool have_common_prefix(const struct ibc_fabric *before, const struct ibc_fabric *after)
{
	const struct ibc_subnet *a, *z;

	for (size_t i = 0; (a = ibc_fabric_subnet(before, i)); i++)
		for (size_t k = 0; (z = ibc_fabric_subnet(after, k)); k++)
			if (a->subnet_prefix == z->subnet_prefix)
				return true;
	return false;
}

/* What is told of the plan as a whole: next to nothing of it is there. */
static bool is_foreign(const struct ibc_comparison *cmp)
{
	const struct deviation *d;

	for (size_t i = 0; (d = comparison_deviation(cmp, i)); i++)
		if (d->kind == DEVIATION_PLAN && !d->num_planned && !d->num_planned_nodes)
			return true;
	return false;
}

int ibc_changes_fit(const struct ibc_comparison *cmp, struct ibc_error *err)
{
	const struct match *m = comparison_match(cmp);
	struct common_parts c = { .prefix = have_common_prefix(m->planned, m->found) };
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(m->planned, i)); i++)
		add_common_node(&c, cmp, node);
	if (!c.nodes && !c.named)
		return fail(err, -EXDEV,
		            "the earlier sweep is of another fabric: they have no node in common");
	if (is_foreign(cmp))
		return fail(err, -EXDEV,
		            "the earlier sweep is of another fabric: almost nothing of it is here");
	if (c.named || c.switches || c.prefix)
		return 0;
	return fail(err, -EXDEV,
	            "the earlier sweep is of another subnet, 0x%016" PRIx64 " and not 0x%016" PRIx64
	            ": they have no switch in common",
	            ibc_fabric_subnet(m->planned, 0)->subnet_prefix,
	            ibc_fabric_subnet(m->found, 0)->subnet_prefix);
}
