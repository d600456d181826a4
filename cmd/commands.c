/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands.  They are handed it: none of them looks into this file. */
#include "cmd.h"

extern const struct cmd cmd_all, cmd_show, cmd_ports, cmd_counters, cmd_topo, cmd_fattree,
    cmd_routes, cmd_sm, cmd_cables, cmd_known, cmd_snapshot, cmd_diff, cmd_trace, cmd_host,
    cmd_ipoib, cmd_roce, cmd_explain, cmd_history, cmd_watch, cmd_serve, cmd_accept, cmd_fleet,
    cmd_perf, cmd_config, cmd_compare, cmd_blame, cmd_repair, cmd_whatif;

const struct cmd *const all_commands[] = {
	&cmd_all,    &cmd_show,   &cmd_ports,   &cmd_counters, &cmd_topo,   &cmd_fattree,
	&cmd_routes, &cmd_whatif, &cmd_sm,      &cmd_cables,   &cmd_repair, &cmd_history,
	&cmd_watch,  &cmd_serve,  &cmd_accept,  &cmd_host,     &cmd_ipoib,  &cmd_roce,
	&cmd_fleet,  &cmd_perf,   &cmd_known,   &cmd_snapshot, &cmd_diff,   &cmd_compare,
	&cmd_trace,  &cmd_blame,  &cmd_explain, &cmd_config,   NULL,
};

/* What the metrics of a table read of it must be a column, too; and what they are called. */
static void list_metrics(const char *table, const struct ibc_metric_group *g, FILE *out)
{
	for (; g && g->prefix; g++) {
		if (g->column)
			fprintf(out, "%s\tmetric\t%s\n", table, g->column);
		for (const struct ibc_label *l = g->labels; l->name; l++)
			fprintf(out, "%s\tmetric\t%s\n", table, l->column);
		for (const struct ibc_metric *m = g->metrics; m->name; m++) {
			fprintf(out, "%s\tmetric\t%s\n%s\tsample\t%s%s%s", table, m->column, table,
			        g->prefix, m->name, m->type == IBC_METRIC_COUNTER ? "_total" : "");
			for (const struct ibc_label *l = g->labels; l->name; l++)
				fprintf(out, " %s", l->name);
			fputc('\n', out);
		}
	}
}

void list_tables(const void *ctx, FILE *out)
{
	(void)ctx;
	for (const struct cmd *const *c = all_commands; *c; c++)
		for (const struct ibc_table_type *const *t = (*c)->shows; t && *t; t++) {
			fprintf(out, "%s\tcommand\t%s\n", (*t)->name, (*c)->name);
			for (const struct ibc_column *k = (*t)->columns; k->key; k++)
				fprintf(out, "%s\tcolumn\t%s\n", (*t)->name, k->key);
			list_metrics((*t)->name, (*t)->groups, out);
		}
}
