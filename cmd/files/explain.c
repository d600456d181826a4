/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "columns.h"

#define READS_MAX 256 /* names of what a check reads; what is longer is cut */

static size_t add_name(char buf[READS_MAX], size_t at, const char *name)
{
	if (at < READS_MAX)
		at += (size_t)snprintf(buf + at, READS_MAX - at, "%s%s", at ? ", " : "", name);
	return at;
}

/* What a check reads: attributes, "NodeInfo, PortInfo", or of a host "RDMA devices, PCI". */
static const char *reads_text(const struct ibc_check *check, char buf[READS_MAX])
{
	static const struct {
		enum ibc_host_part part;
		const char *name;
	} parts[] = {
		{ IBC_HOST_RDMA, "RDMA devices and ports" },
		{ IBC_HOST_COUNTERS, "port counters" },
		{ IBC_HOST_GIDS, "GID and P_Key tables" },
		{ IBC_HOST_NETDEVS, "network interfaces" },
		{ IBC_HOST_SOCKETS, "TCP sockets" },
		{ IBC_HOST_PROCESSES, "processes" },
		{ IBC_HOST_STORAGE, "mounts and block devices" },
		{ IBC_HOST_PCI, "PCI devices" },
		{ IBC_HOST_STACK, "kernel, modules and libraries" },
		{ IBC_HOST_ETHERNET, "Ethernet settings and statistics" },
	};
	const struct ibc_attrs all = ibc_attrs_complete(check->needs);
	uint32_t read = check->parts ? check->parts | IBC_HOST_RDMA : 0;
	size_t at = 0;

	*buf = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (read & parts[i].part)
			at = add_name(buf, at, parts[i].name);
	for (enum ibc_attr a = 0; !read && (a = ibc_attrs_next(all, a));)
		at = add_name(buf, at, ibc_attr_name(a));
	return buf;
}

/* For the other formats: text is written by explain_text(). */
GETTER(check_reads, struct check_row, row, ibc_str(reads_text(row->check, cell->text)));
GETTER(check_keys, struct check_row, row,
       ibc_str(ibc_config_keys(row->check, cell->text, sizeof(cell->text))));

GETTER(check_enabled, struct check_row, row, ibc_bool(ibc_config_enabled(row->config, row->check)));

static const struct ibc_column check_columns[] = {
	COLUMN("check", "CHECK", cell_check),
	COLUMN("severity", "SEVERITY", cell_check_severity),
	COLUMN("enabled", "ENABLED", check_enabled),
	SENTENCE("title", "FINDS", cell_check_title),
	COLUMN("reads", NULL, check_reads),
	COLUMN("keys", NULL, check_keys),
	COLUMN("explained_by", NULL, cell_check_explained_by),
	{ 0 },
};
static const struct ibc_table_type checks_type = { "checks", check_columns, NULL, NULL, NULL };

struct paragraph {
	const char *check, *text;
};
static const struct ibc_column paragraph_columns[] = {
	FIELD("check", NULL, struct paragraph, check),
	FIELD("text", NULL, struct paragraph, text),
	{ 0 },
};
static const struct ibc_table_type paragraphs_type = { "paragraphs", paragraph_columns, NULL, NULL,
	                                               NULL };

/* Without an id, all that --checks has. */
static bool is_asked_for(const struct app *app, const struct ibc_check *check)
{
	for (char **id = app->args; *id; id++)
		if (ibc_check_selected(check, *id))
			return true;
	return !*app->args && ibc_check_selected(check, app->common.checks);
}

static int explain_run(struct app *app, struct ibc_error *err)
{
	for (char **id = app->args; *id; id++)
		if (ibc_check_selection_verify(*id, err))
			return -EINVAL;
	return 0;
}

static int explain_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_table *table = app_table(app, &checks_type);
	struct ibc_table *texts = *app->args ? app_table(app, &paragraphs_type) : NULL;
	struct check_row row = { .config = app->config };

	for (size_t i = 0; (row.check = ibc_check_at(i)); i++) {
		char *copy, *end;

		if (!is_asked_for(app, row.check))
			continue;
		ibc_table_row(table, &row);
		if (!texts)
			continue;
		copy = strdup(ibc_check_explain(row.check));
		if (!copy)
			return cmd_fail(err, -ENOMEM, "out of memory");
		for (char *text = copy; *(text += strspn(text, "\n")); text = end) {
			end = strstr(text, "\n\n");
			end = end ? end : text + strlen(text);
			if (*end)
				*end++ = '\0';
			ibc_table_row(texts, &(struct paragraph){ row.check->id, text });
		}
		free(copy);
	}
	return 0;
}

/* The explainers of @check in @group: none, the id of the only one, or "group.*". */
static bool causes_of(const struct ibc_check *check, const char *group, char buf[64])
{
	size_t length = strlen(group);
	const char *only = NULL;

	for (const struct ibc_explainer *by = check->explained_by; by->check; by++) {
		if (strncmp(by->check, group, length) != 0 || by->check[length] != '.')
			continue;
		if (only && strcmp(only, by->check) != 0) {
			snprintf(buf, 64, "%s.*", group);
			return true;
		}
		only = by->check;
	}
	snprintf(buf, 64, "%s", only ? only : "");
	return only;
}

static void say_explained_by(const struct ibc_check *check, FILE *out)
{
	static const struct {
		const char *groups[2], *what;
	} causes[] = { { { "topo" }, "deviations from the plan" },
		       { { "fattree" }, "cabling errors" },
		       { { "port" }, "ports that are down, slow or silent" },
		       { { "cable", "phy" }, "bad cables or modules" },
		       { { "counters" }, "errors or congestion" },
		       { { "device" }, "fans or temperatures" },
		       { { "diff" }, "devices that were added or removed" },
		       { { "sm" }, "faults of the subnet manager" },
		       { { "qos", "sharp" }, "settings of the fabric" },
		       { { "ipoib", "roce" }, "settings of a host" },
		       { { "perf" }, "a slow host" } };
	struct fold f = { .out = out };
	const char *before = "Often a consequence of";
	char first[64], second[64], text[256];

	for (size_t i = 0; check->explained_by && i < ARRAY_SIZE(causes); i++) {
		const char *const *groups = causes[i].groups;
		bool one = causes_of(check, groups[0], first);
		bool two = groups[1] && causes_of(check, groups[1], second);

		if (!one && !two)
			continue;
		snprintf(text, sizeof(text), "%s %s (%s%s%s)", before, causes[i].what,
		         one ? first : "", one && two ? ", " : "", two ? second : "");
		fold_text(&f, text);
		before = "or of";
	}
	fputs(check->explained_by ? ".\n" : "", out);
}

static bool explain_text(struct app *app, FILE *out)
{
	char keys[IBC_KEYS_MAX], names[READS_MAX];
	const struct ibc_check *check;
	const char *before = "";

	if (!*app->args)
		return false;
	for (size_t i = 0; (check = ibc_check_at(i)); i++) {
		struct fold f = { .out = out };

		if (!is_asked_for(app, check))
			continue;
		fprintf(out, "%s%s: %s\n\n", before, check->id, check->title);
		fold_paragraphs(out, ibc_check_explain(check));
		f.column = (size_t)fprintf(
		    out, "severity %s, reads",
		    ibc_severity_word(ibc_config_severity(app->config, check))->word);
		fold_text(&f, reads_text(check, names));
		f.column = (size_t)fprintf(out, "\nibcheck.conf: [%s]", check->id) - 1;
		fold_text(&f, ibc_config_keys(check, keys, sizeof(keys)));
		fputs("\n", out);
		for (size_t k = 0; check->words && check->words[k].word; k++)
			fprintf(out, "%s%s:%s", k ? ", " : "kinds: ", check->id,
			        check->words[k].word);
		fputs(check->words ? "\n" : "", out);
		say_explained_by(check, out);
		before = "\n";
	}
	return true;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.summary = "the list of checks; the meaning of one, and the remedy",
	.args = "[ID ...]",
	.example = "explain\n"
		   "explain topo.swapped\n"
		   "explain counters\n",
	.group = CMD_FILES,
	.takes = TAKES_SELECTION,
	.max_args = INT_MAX,
	.arg_hint = HINT_CHECK,
	.csv = &checks_type,
	.shows = TABLES(&checks_type, &paragraphs_type),
	.run = explain_run,
	.tables = explain_tables,
	.text = explain_text,
};
