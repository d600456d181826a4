/* SPDX-License-Identifier: BSD-2-Clause */
/* Symmetry without a file: what most of the like switches do, and which cables do not. */
#include <errno.h>

#include "columns.h"
#include "expect.h"
#include "fattree.h"

static const struct opt fattree_opts[] = {
	OPT_STR(
	    0, "max-oversubscription", "R", struct fattree_cfg, max_oversubscription,
	    "warn if the downlinks of a tier have more than R times the bandwidth of its uplinks"),
	OPT_FLAG(0, "require-fat-tree", struct fattree_cfg, require,
	         "report it as critical if the switches do not form a fat-tree"),
	OPT_STR(0, "dot", "FILE", struct fattree_cfg, dot,
	        "draw the switches by tier, faulty cables in red, for Graphviz", .hint = HINT_FILE,
	        .part = "live"),
	OPT_STR(0, "plan-csv", "FILE", struct fattree_cfg, plan_csv,
	        "write the repair steps as a work order, for a spreadsheet", .hint = HINT_FILE),
	OPT_STR(0, "svg", "FILE", struct fattree_cfg, svg,
	        "draw the fabric for a browser: a matrix of its switches", .hint = HINT_FILE,
	        .part = "live"),
	OPT_END,
};

/* As rates are spelled: with a tenth where it is not whole. */
static int tenths(double gbps)
{
	return gbps != (double)(uint64_t)gbps;
}

static void fattree_input(const struct app *app, struct ibc_input *in)
{
	in->require_fattree = ((const struct fattree_cfg *)app->cfg)->require;
}

static int fattree_run(struct app *app, struct ibc_error *err)
{
	const struct fattree_cfg *c = app->cfg;
	const char *ratio = c->max_oversubscription;
	struct ibc_bisection b;
	int rc = plan_refuse_stdout(c->plan_csv, err);

	if (rc)
		return rc;
	/* options say what the configuration could say, and win */
	if (ratio)
		rc = ibc_config_set(app->config, "fattree.oversubscribed", "warning", ratio, NULL);
	if (rc == -EINVAL)
		rc = cmd_fail(err, rc,
		              "--max-oversubscription %s: give a ratio, e.g. 2 for two to one",
		              ratio);
	if (!rc)
		rc = app_sweep(app, IBC_ATTRS(), err);
	if (!rc)
		rc = app_infer(app, err);
	if (!rc)
		rc = app_check(app, err);
	if (rc || ibc_fattree_family(app->fattree) != IBC_FAMILY_FAT_TREE)
		return rc;
	b = ibc_fattree_bisection(app->fattree);
	ibc_report_conclude(app->report, "a fat-tree of %s", ibc_fattree_why(app->fattree));
	if (b.cut)
		ibc_report_conclude(app->report, "bisection %.*f of %.*f Gb/s", tenths(b.now_gbps),
		                    b.now_gbps, tenths(b.intended_gbps), b.intended_gbps);
	return 0;
}

/* ---- tables: its levels, the rules of its wiring, its narrowest cut ------------------- */

/* struct tier_row - @has_above: a tier; @has_cut: it is known */
struct tier_row {
	struct ibc_tier l;
	bool has_above, has_cut;
};

static struct ibc_value ratio(double value)
{
	return value > 0 ? rounded(value, 1000) : ibc_none();
}

GETTER(tier_oversubscription, struct tier_row, row, ratio(row->l.oversubscription));

#define TIER         struct tier_row
#define GBPS_IF(...) FIELD_IF_BY(field_tenths, __VA_ARGS__)

static const struct ibc_column tier_columns[] = {
	FIELD("rank", NULL, TIER, l.rank),
	FIELD("tier", "TIER", TIER, l.name),
	FIELD("switches", "SWITCHES", TIER, l.switches),
	FIELD("hosts", "HOSTS", TIER, l.hosts),
	FIELD("down_cables", "CABLES DOWN", TIER, l.down_cables),
	FIELD_IF(has_above, "up_cables", "UP", TIER, l.up_cables),
	FIELD_IF(has_above, "intended_up_cables", "INTENDED", TIER, l.intended_up_cables,
	         .legend = "cables upward, according to the rule"),
	COLUMN_AT("down_gbps", "Gb/s DOWN", field_tenths, TIER, l.down_gbps),
	GBPS_IF(has_above, "up_gbps", "UP", TIER, l.up_gbps),
	GBPS_IF(has_above, "intended_up_gbps", NULL, TIER, l.intended_up_gbps),
	COLUMN("oversubscription", "RATIO", tier_oversubscription,
	       .legend = "bandwidth from below divided by bandwidth upward"),
	GBPS_IF(has_cut, "cut_gbps", "CUT", TIER, l.cut_gbps,
	        .legend = "Gb/s through the narrowest cut above this tier"),
	GBPS_IF(has_cut, "intended_cut_gbps", NULL, TIER, l.intended_cut_gbps),
	FIELD("faults", "FAULTS", TIER, l.faults),
	{ 0 },
};
static const struct ibc_table_type tiers_type = TABLE("tiers", tier_columns, NULL);

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
static const struct ibc_table_type rules_type = TABLE("rules", rule_columns, NULL);

static const struct ibc_column bisection_columns[] = {
	COLUMN_AT("now_gbps", "Gb/s NOW", field_tenths, struct ibc_bisection, now_gbps),
	COLUMN_AT("intended_gbps", "INTENDED", field_tenths, struct ibc_bisection, intended_gbps),
	FIELD("cut", "NARROWEST", struct ibc_bisection, cut,
	      .legend = "between which switches the least bandwidth is"),
	{ 0 },
};
static const struct ibc_table_type bisection_type = TABLE("bisection", bisection_columns, NULL);

/* Text has the top level first, as one draws it. */
static void add_figures(struct app *app)
{
	bool text = app_for_people(app);
	struct ibc_bisection cut = ibc_fattree_bisection(app->fattree);
	struct ibc_table *table;
	struct ibc_tree_rule rule;
	size_t n = 0;

	if (text && ibc_fattree_family(app->fattree) != IBC_FAMILY_FAT_TREE)
		return;
	table = app_table(app, &tiers_type);
	while (ibc_fattree_tier(app->fattree, n))
		n++;
	for (size_t i = 0; i < n; i++) {
		size_t k = text ? n - 1 - i : i;
		const struct ibc_tier *tier = ibc_fattree_tier(app->fattree, k);

		ibc_table_row(table, &(TIER){ *tier, k + 1 < n, tier->cut_gbps > 0 });
	}
	table = app_table(app, &rules_type);
	for (size_t i = 0; ibc_fattree_rule(app->fattree, i, &rule); i++)
		ibc_table_row(table, &rule);
	table = app_table(app, &bisection_type);
	if (cut.cut)
		ibc_table_row(table, &cut);
}

static int add_tables(struct app *app, struct ibc_error *err)
{
	(void)err;
	add_figures(app);
	return 0;
}

/* The report goes first, as that of topo. */
static int write_plan(struct app *app, struct ibc_error *err)
{
	const struct fattree_cfg *c = app->cfg;

	return c->plan_csv ? plan_write(app, c->plan_csv, err) : 0;
}

const struct cmd cmd_fattree = {
	.name = "fattree",
	.summary = "cabling errors of a fat-tree, found without a plan",
	.example = "fattree\n"
		   "fattree --require-fat-tree --max-oversubscription 2\n"
		   "fattree --source fabric.net --plan-csv repair.csv\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC | TAKES_STATE | TAKES_UNHEALTHY,
	.checks = "fattree,gone,port.silent,port.isolated",
	.opts = fattree_opts,
	.cfg_size = sizeof(struct fattree_cfg),
	.shows = TABLES(&tiers_type, &rules_type, &bisection_type, &plan_type),
	.pictures = true,
	.run = fattree_run,
	.input = fattree_input,
	.tables = add_tables,
	.done = write_plan,
};

/* Its steps come after all else that is said of the tree. */
const struct addition addition_steps = { .cmd = "fattree", .more = plan_table };
