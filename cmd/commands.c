/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of all commands.  What is in all_commands is said in commands.txt. */
#include "cmd.h"

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
	const struct ibc_table_type *t;

	(void)ctx;
	for (const struct cmd *const *c = all_commands; *c; c++)
		for (size_t i = 0; (t = cmd_shows(*c, i)); i++) {
			fprintf(out, "%s\tcommand\t%s\n", t->name, (*c)->name);
			for (const struct ibc_column *k = t->columns; k->key; k++)
				fprintf(out, "%s\tcolumn\t%s\n", t->name, k->key);
			list_metrics(t->name, t->groups, out);
		}
}
