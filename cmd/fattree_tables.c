/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a tree: its levels, the rules of its wiring, its narrowest cut. */
#include <stdio.h>

#include "fattree.h"

static const struct ibc_column level_columns[] = {
	{ "rank", NULL },
	{ "level", "LEVEL" },
	{ "switches", "SWITCHES" },
	{ "hosts", "HOSTS" },
	{ "down_cables", "CABLES DOWN" },
	{ "up_cables", "UP" },
	{ "intended_up_cables", "INTENDED" },
	{ "down_gbps", "Gb/s DOWN" },
	{ "up_gbps", "UP" },
	{ "intended_up_gbps", NULL },
	{ "oversubscription", "RATIO" },
	{ "cut_gbps", "CUT" },
	{ "intended_cut_gbps", NULL },
	{ "faults", "FAULTS" },
	{ 0 },
};

static const struct ibc_column rule_columns[] = {
	{ "rank", NULL },
	{ "cables_of", "CABLES OF" },
	{ "lower", NULL },
	{ "upper", NULL },
	{ "groups", "GROUPS" },
	{ "lower_switches", "LOWER" },
	{ "upper_switches", "UPPER" },
	{ "uplinks", "UPLINKS" },
	{ "cables", "TO EACH" },
	{ "keep_it", "KEEP IT" },
	{ "conform", NULL },
	{ "judged", NULL },
	{ "support", "SUPPORT" },
	{ "holds", "STRICT" },
	{ 0 },
};

static const struct ibc_column bisection_columns[] = {
	{ "now_gbps", "Gb/s NOW" },
	{ "intended_gbps", "INTENDED" },
	{ "cut", "NARROWEST" },
	{ 0 },
};

/* Rates as they are spelled: 54.5 for 4x FDR. */
static struct ibc_value rate(double gbps)
{
	return ibc_real((double)(uint64_t)(10 * gbps + 0.5) / 10);
}

static struct ibc_value ratio(double value)
{
	return value > 0 ? ibc_real((double)(uint64_t)(1000 * value + 0.5) / 1000) : ibc_none();
}

static void add_level(struct ibc_table *table, const struct ibc_level *l, bool top)
{
	ibc_table_row(table, (struct ibc_value[]){
				 ibc_u64(l->rank),
				 ibc_str(l->name),
				 ibc_u64(l->switches),
				 ibc_u64(l->hosts),
				 ibc_u64(l->down_cables),
				 top ? ibc_none() : ibc_u64(l->up_cables),
				 top ? ibc_none() : ibc_u64(l->intended_up_cables),
				 rate(l->down_gbps),
				 top ? ibc_none() : rate(l->up_gbps),
				 top ? ibc_none() : rate(l->intended_up_gbps),
				 ratio(l->oversubscription),
				 l->cut_gbps > 0 ? rate(l->cut_gbps) : ibc_none(),
				 l->cut_gbps > 0 ? rate(l->intended_cut_gbps) : ibc_none(),
				 ibc_u64(l->faults),
			     });
}

static void add_levels(struct ibc_report *rep, const struct ibc_fattree *tree, bool text)
{
	struct ibc_table *table = ibc_report_table(rep, "levels", level_columns);
	size_t n = 0;

	while (ibc_fattree_level(tree, n))
		n++;
	for (size_t i = 0; i < n; i++) {
		size_t k = text ? n - 1 - i : i;

		add_level(table, ibc_fattree_level(tree, k), k + 1 == n);
	}
}

static void add_rule(struct ibc_table *table, const struct ibc_tree_rule *r)
{
	char name[64], keep[64];

	snprintf(name, sizeof(name), "%s to %s", r->lower, r->upper);
	snprintf(keep, sizeof(keep), "%zu of %zu", r->conform, r->judged);
	ibc_table_row(table, (struct ibc_value[]){
				 ibc_u64(r->rank),
				 ibc_str(name),
				 ibc_str(r->lower),
				 ibc_str(r->upper),
				 ibc_u64(r->groups),
				 ibc_u64(r->lower_switches),
				 ibc_u64(r->upper_switches),
				 ibc_u64(r->uplinks),
				 r->cables ? ibc_u64(r->cables) : ibc_none(),
				 ibc_str(keep),
				 ibc_u64(r->conform),
				 ibc_u64(r->judged),
				 ratio(r->support),
				 ibc_bool(r->holds),
			     });
}

static void add_rules(struct ibc_report *rep, const struct ibc_fattree *tree)
{
	struct ibc_table *table = ibc_report_table(rep, "rules", rule_columns);
	struct ibc_tree_rule rule;

	for (size_t i = 0; ibc_fattree_rule(tree, i, &rule); i++)
		add_rule(table, &rule);
}

static void add_bisection(struct ibc_report *rep, const struct ibc_fattree *tree)
{
	struct ibc_table *table = ibc_report_table(rep, "bisection", bisection_columns);
	struct ibc_bisection b = ibc_fattree_bisection(tree);

	if (b.cut)
		ibc_table_row(table, (struct ibc_value[]){ rate(b.now_gbps), rate(b.intended_gbps),
		                                           ibc_str(b.cut) });
}

void fattree_tables(struct ibc_report *rep, const struct ibc_fattree *tree, bool text)
{
	if (text && ibc_fattree_family(tree) != IBC_FAMILY_FAT_TREE)
		return;
	add_levels(rep, tree, text);
	add_rules(rep, tree);
	add_bisection(rep, tree);
}
