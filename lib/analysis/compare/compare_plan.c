/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where it is the plan that cannot be right: of another fabric, or of ports that do not exist.  Are
 * two sweeps of one fabric?  O(nodes + subnets squared).
 */
#include <errno.h>
#include <inttypes.h>

#include <ibcheck/changes.h>

#include "analysis/compare/comparison.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "fabric/fabric.h"

/* Percent of nodes that are known by GUID or name, and of cables that are right. */
#define KNOWN_CHANCE 10  /* less is chance: every fabric has a leaf01 ... */
#define KNOWN_PART   50  /* ... and many have nothing but such names */
#define RIGHT_CHANCE 10  /* below: of another fabric, if few names are known */
#define RIGHT_PART   25  /* below: likewise, if most names are not known */
#define RIGHT_SHAPE  50  /* of nodes that are known by their places alone */
#define CABLES_FEW   20  /* so few may all be wrong */
#define CABLES_MANY  100 /* so many by chance are no mistake; doc/wiring.md, table 6 */

/* struct fit - how much of a plan there is; of two fabrics the smaller can be known whole */
struct fit {
	size_t nodes, most_nodes, cables;
	size_t known, by_guid, right;
	size_t planned, invalid; /* cables, those at ports that do not exist */
};

static struct fit fit_of(const struct ibc_comparison *cmp)
{
	size_t planned = cmp->planned.num_nodes, found = cmp->found.num_nodes;
	size_t known = cmp->counts.cables - cmp->counts.cables_unread;
	size_t cables = ibc_fabric_count(cmp->found.fab).cables;
	struct fit fit = {
		.nodes = planned < found ? planned : found,
		.most_nodes = planned < found ? found : planned,
		.cables = known < cables ? known : cables,
		.right = cmp->counts.cables_right,
		.planned = cmp->counts.cables,
		.invalid = cmp->num_invalid,
	};

	for (size_t i = 0; i < planned; i++) {
		fit.by_guid += cmp->match.how[i] == MATCH_GUID;
		fit.known += cmp->match.how[i] == MATCH_GUID || cmp->match.how[i] == MATCH_NAME;
	}
	return fit;
}

static bool is_below_percent(size_t part, size_t percent, size_t whole)
{
	return part * 100 < whole * percent;
}

static bool is_foreign(const struct fit *fit)
{
	if (is_below_percent(fit->known, KNOWN_CHANCE, fit->nodes))
		return fit->right * 100 <= fit->cables * RIGHT_SHAPE;
	if (fit->invalid * 2 > fit->planned)
		return true;
	if (fit->cables < CABLES_FEW || !is_below_percent(fit->by_guid, KNOWN_PART, fit->nodes))
		return false;
	if (is_below_percent(fit->known, KNOWN_PART, fit->most_nodes))
		return is_below_percent(fit->right, RIGHT_PART, fit->cables);
	return fit->cables >= CABLES_MANY &&
	       is_below_percent(fit->right, RIGHT_CHANCE, fit->cables);
}

/* Ports that the device does not have, and the plan has cables at. */
static void report_beyond(struct ibc_comparison *cmp, const struct ibc_node *planned,
                          const struct ibc_node *found)
{
	struct deviation *d = NULL;
	const struct ibc_port *p;
	char ports[AMOUNT_TEXT];

	for (unsigned int num = found->num_ports + 1u; (p = ibc_node_port(planned, num)); num++) {
		if (cmp->cable_fate[side_port(&cmp->planned, p)] != CABLE_INVALID)
			continue;
		if (!d) {
			d = comparison_add(cmp, DEVIATION_PLAN);
			d->planned = arena_array(cmp->arena, planned->num_ports,
			                         sizeof(*d->planned));
			d->why = arena_printf(
			    cmp->arena, "%s has %s, the plan has a cable at port %u", found->label,
			    str_amount(ports, found->num_ports, "port"), num);
			if (p->extra->cable && p->extra->cable->line)
				d->why = arena_printf(cmp->arena, "line %lu: %s",
				                      p->extra->cable->line, d->why);
		}
		d->planned[d->num_planned++] = p;
	}
}

void compare_plan(struct ibc_comparison *cmp)
{
	const struct fit fit = fit_of(cmp);
	const struct ibc_node *node;

	if (is_foreign(&fit)) {
		cmp->foreign = true;
		cmp->counts.cables_unread = cmp->counts.cables - cmp->counts.cables_right;
		comparison_add(cmp, DEVIATION_PLAN)->why = arena_printf(
		    cmp->arena,
		    "the plan does not match this fabric: of its %zu nodes %zu are found by GUID "
		    "or "
		    "name, and of its %zu cables %zu exist",
		    cmp->counts.nodes, fit.known, cmp->counts.cables, fit.right);
		return;
	}
	for (uint32_t i = 0; (node = side_node(&cmp->planned, i)); i++)
		if (cmp->match.found_of[i] != MATCH_NONE)
			report_beyond(cmp, node, side_node(&cmp->found, cmp->match.found_of[i]));
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

int ibc_changes_fit(const struct ibc_comparison *cmp, struct ibc_error *err)
{
	const struct match *m = comparison_match(cmp);
	bool named = false, nodes = false, switches = false;
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(m->planned, i)); i++) {
		const struct ibc_node *other = ibc_comparison_counterpart(cmp, node);

		if (!other)
			continue;
		if (node->named_only || other->named_only)
			named = true;
		else if (node->guid == other->guid)
			nodes = true;
		switches |= node->type == IBC_NODE_SWITCH && node->guid == other->guid;
	}
	if (!nodes && !named)
		return fail(err, -EXDEV,
		            "the earlier sweep is of another fabric: they have no node in common");
	if (cmp->foreign)
		return fail(err, -EXDEV,
		            "the earlier sweep is of another fabric: almost nothing of it is here");
	if (named || switches || have_common_prefix(m->planned, m->found))
		return 0;
	return fail(err, -EXDEV,
	            "the earlier sweep is of another subnet, 0x%016" PRIx64 " and not 0x%016" PRIx64
	            ": they have no switch in common",
	            ibc_fabric_subnet(m->planned, 0)->subnet_prefix,
	            ibc_fabric_subnet(m->found, 0)->subnet_prefix);
}
