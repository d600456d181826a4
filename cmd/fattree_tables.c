/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a tree: its levels, the rules of its wiring, its narrowest cut. */
#include <string.h>

#include "columns.h"
#include "fattree.h"

/* struct tier_row - @top: there is nothing above it */
struct tier_row {
	struct ibc_tier l;
	bool top;
};

static struct ibc_value ratio(double value)
{
	return value > 0 ? rounded(value, 1000) : ibc_none();
}

static struct ibc_value upward(const struct tier_row *row, struct ibc_value value)
{
	return row->top ? ibc_none() : value;
}

static struct ibc_value of_cut(const struct tier_row *row, double gbps)
{
	return row->l.cut_gbps > 0 ? rounded(gbps, 10) : ibc_none();
}

GETTER(tier_up, struct tier_row, row, upward(row, ibc_u64(row->l.up_cables)));
GETTER(tier_intended_up, struct tier_row, row, upward(row, ibc_u64(row->l.intended_up_cables)));
GETTER(tier_up_gbps, struct tier_row, row, upward(row, rounded(row->l.up_gbps, 10)));
GETTER(tier_intended_up_gbps, struct tier_row, row,
       upward(row, rounded(row->l.intended_up_gbps, 10)));
GETTER(tier_oversubscription, struct tier_row, row, ratio(row->l.oversubscription));
GETTER(tier_cut, struct tier_row, row, of_cut(row, row->l.cut_gbps));
GETTER(tier_intended_cut, struct tier_row, row, of_cut(row, row->l.intended_cut_gbps));

static const struct ibc_column tier_columns[] = {
	FIELD("rank", NULL, struct tier_row, l.rank),
	FIELD("tier", "TIER", struct tier_row, l.name),
	FIELD("switches", "SWITCHES", struct tier_row, l.switches),
	FIELD("hosts", "HOSTS", struct tier_row, l.hosts),
	FIELD("down_cables", "CABLES DOWN", struct tier_row, l.down_cables),
	COLUMN("up_cables", "UP", tier_up),
	COLUMN("intended_up_cables", "INTENDED", tier_intended_up,
	       .legend = "cables upward, according to the rule"),
	COLUMN_AT("down_gbps", "Gb/s DOWN", field_tenths, struct tier_row, l.down_gbps),
	COLUMN("up_gbps", "UP", tier_up_gbps),
	COLUMN("intended_up_gbps", NULL, tier_intended_up_gbps),
	COLUMN("oversubscription", "RATIO", tier_oversubscription,
	       .legend = "bandwidth from below divided by bandwidth upward"),
	COLUMN("cut_gbps", "CUT", tier_cut,
	       .legend = "Gb/s through the narrowest cut above this tier"),
	COLUMN("intended_cut_gbps", NULL, tier_intended_cut),
	FIELD("faults", "FAULTS", struct tier_row, l.faults),
	{ 0 },
};
const struct ibc_table_type tiers_type = { "tiers", tier_columns, NULL, NULL, NULL };

GETTER(rule_name, struct ibc_tree_rule, r, ibc_cell_text(cell, "%s to %s", r->lower, r->upper));
GETTER(rule_kept, struct ibc_tree_rule, r,
       ibc_cell_text(cell, "%zu of %zu", r->conform, r->evaluated));
GETTER(rule_support, struct ibc_tree_rule, r, ratio(r->support));

static const struct ibc_column rule_columns[] = {
	FIELD("rank", NULL, struct ibc_tree_rule, rank),
	COLUMN("cables_of", "CABLES OF", rule_name),
	FIELD("lower", NULL, struct ibc_tree_rule, lower),
	FIELD("upper", NULL, struct ibc_tree_rule, upper),
	FIELD("groups", "GROUPS", struct ibc_tree_rule, groups),
	FIELD("lower_switches", "LOWER", struct ibc_tree_rule, lower_switches),
	FIELD("upper_switches", "UPPER", struct ibc_tree_rule, upper_switches),
	FIELD("uplinks", "UPLINKS", struct ibc_tree_rule, uplinks),
	FIELD_OR_NONE("cables", "TO EACH", struct ibc_tree_rule, cables,
	              .legend = "cables of a lower switch to each upper one"),
	COLUMN("keep_it", "KEEP IT", rule_kept,
	       .legend = "lower switches whose cables follow the rule, of all that were compared"),
	FIELD("conform", NULL, struct ibc_tree_rule, conform),
	FIELD("judged", NULL, struct ibc_tree_rule, evaluated),
	COLUMN("support", "SUPPORT", rule_support,
	       .legend = "share of the cables that follow the rule, 0 to 1"),
	FIELD("holds", "STRICT", struct ibc_tree_rule, holds,
	      .legend = "enough cables follow the rule to report the others as faults"),
	{ 0 },
};
const struct ibc_table_type rules_type = { "rules", rule_columns, NULL, NULL, NULL };

static const struct ibc_column bisection_columns[] = {
	COLUMN_AT("now_gbps", "Gb/s NOW", field_tenths, struct ibc_bisection, now_gbps),
	COLUMN_AT("intended_gbps", "INTENDED", field_tenths, struct ibc_bisection, intended_gbps),
	FIELD("cut", "NARROWEST", struct ibc_bisection, cut,
	      .legend = "between which switches the least bandwidth is"),
	{ 0 },
};
const struct ibc_table_type bisection_type = { "bisection", bisection_columns, NULL, NULL, NULL };

static void add_tiers(struct app *app, bool text)
{
	struct ibc_table *table = app_table(app, &tiers_type);
	size_t n = 0;

	while (ibc_fattree_tier(app->fattree, n))
		n++;
	for (size_t i = 0; i < n; i++) {
		size_t k = text ? n - 1 - i : i;
		struct tier_row row = { *ibc_fattree_tier(app->fattree, k), k + 1 == n };

		ibc_table_row(table, &row);
	}
}

void fattree_tables(struct app *app)
{
	bool text = app_for_people(app);
	struct ibc_bisection cut = ibc_fattree_bisection(app->fattree);
	struct ibc_table *table;
	struct ibc_tree_rule rule;

	if (text && ibc_fattree_family(app->fattree) != IBC_FAMILY_FAT_TREE)
		return;
	add_tiers(app, text);
	table = app_table(app, &rules_type);
	for (size_t i = 0; ibc_fattree_rule(app->fattree, i, &rule); i++)
		ibc_table_row(table, &rule);
	table = app_table(app, &bisection_type);
	if (cut.cut)
		ibc_table_row(table, &cut);
}
