/* SPDX-License-Identifier: BSD-2-Clause */
/* Many hosts: what their reports come to, and which did not report. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "columns.h"
#include "history.h"

#define MAX_AGE_DEFAULT 3600 /* an hour: twelve times the interval of HealthCheckProgram */
#define AGE_MAX         (3650 * 86400.) /* ten years: older than any host */

struct fleet_cfg {
	const char *expected, *list, *policy, *group;
	double max_age;
};

/*
 * struct fleet_own - of one run
 * @fleet, @expected, @policy: many hosts, those that shall be there, and what they shall have
 * @around, @cabling: the fabric that they are in, and they there; or NULL
 */
struct fleet_own {
	struct ibc_fleet *fleet;
	struct ibc_hostlist *expected;
	struct ibc_policy *policy;
	struct ibc_fabric *around;
	struct ibc_cabling *cabling;
};

static struct fleet_own *its(const struct app *app)
{
	return app->own;
}

static const struct opt fleet_opts[] = {
	OPT_STR(
	    0, "expect-hosts", "LIST", struct fleet_cfg, expected,
	    "hosts that must report: n[001-100],login1, or @FILE, which has such lists in lines"),
	OPT_SECONDS(0, "max-age", "AGE", struct fleet_cfg, max_age, AGE_MAX,
	            "a report is stale if it is more than AGE older than the newest (default 1h)"),
	OPT_STR(0, "policy", "FILE", struct fleet_cfg, policy,
	        "the required firmware, drivers and settings, in place of the values of most hosts",
	        .hint = HINT_FILE),
	OPT_STR(0, "group", "FACTS", struct fleet_cfg, group,
	        "compare hosts that have these facts in common, or all, or name: their names "
	        "without the number (default " IBC_FLEET_GROUP ")"),
	OPT_STR(
	    0, "list", "WHICH", struct fleet_cfg, list,
	    "print nothing but the folded list of hosts that are ok, warning, unknown, critical or "
	    "missing (several with commas), or all",
	    .hint = HINT_WORDS, .words = "ok warning unknown critical missing all"),
	OPT_END,
};

static int set_policy(void *policy, const char *section, const char *key, const char *value,
                      int line, struct ibc_error *err)
{
	(void)line;
	return ibc_policy_set(policy, section, key, value, err);
}

/* ---- hosts and their verdicts ---------------------------------------------------------------- */

/*
 * struct host_row - a host
 * @worst: the finding that its verdict follows from, or NULL; @findings: that count
 */
struct host_row {
	struct ibc_fleet_host host;
	const struct ibc_finding *worst;
	enum ibc_severity verdict;
	unsigned long findings;
};

static int name_and_row(const void *name, const void *row)
{
	return strverscmp(name, ((const struct host_row *)row)->host.name);
}

/* The verdict of the fleet's report, host by host: what is known does not count. */
static struct host_row *judge_all(const struct app *app, size_t *n)
{
	const struct ibc_fleet_host *h;
	const struct ibc_finding *f;
	struct host_row *rows, *row;

	for (*n = 0; ibc_fleet_host(its(app)->fleet, *n);)
		++*n;
	rows = calloc(*n + 1, sizeof(*rows));
	for (size_t i = 0; rows && (h = ibc_fleet_host(its(app)->fleet, i)); i++) {
		bool reported = h->num_reports || h->came_as;

		for (size_t k = 0; k < h->num_reports; k++)
			reported &= !h->reports[k]->trouble;
		/* who did not report is unknown, also where that is accepted or not checked */
		rows[i] = (struct host_row){ .host = *h,
			                     .verdict = reported ? IBC_OK : IBC_UNKNOWN };
	}
	for (size_t i = 0; rows && (f = ibc_report_finding(app->report, i)); i++) {
		const char *host = f->subject.near.desc ? f->subject.near.desc : "";

		/* of what a host says of itself, the fact "host"; else the subject is it */
		for (size_t k = f->num_facts; k-- > 0;)
			if (!strcmp(f->facts[k].key, "host") && f->facts[k].value.kind == IBC_STR)
				host = f->facts[k].value.str;
		row = bsearch(host, rows, *n, sizeof(*rows), name_and_row);
		if (!row || f->severity == IBC_INFO || (f->known && !f->known->expired))
			continue;
		row->findings++;
		if (f->severity > row->verdict || (!row->worst && f->severity == row->verdict)) {
			row->verdict = f->severity;
			row->worst = f;
		}
	}
	return rows;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static struct ibc_value host_row_commands(struct ibc_cell *cell)
{
	const struct host_row *h = cell->row;
	struct ibc_value text = ibc_none();
	size_t n = 0;

	for (size_t i = 0; i < h->host.num_reports; i++) {
		const struct ibc_fleet_report *r = h->host.reports[i];

		if (!r->superseded && !r->trouble)
			text = ibc_cell_text(cell, "%s%s", n++ ? "," : "", r->command);
	}
	return text;
}

GETTER(host_row_verdict, struct host_row, h, ibc_enum(ibc_severity_word(h->verdict)));
GETTER(host_row_check, struct host_row, h, ibc_str(h->worst ? h->worst->check : NULL));
GETTER(host_row_finding, struct host_row, h, ibc_str(h->worst ? h->worst->message : NULL));
GETTER(host_row_alias, struct host_row, h,
       ibc_str(h->host.came_as ? h->host.came_as : h->host.alias));
GETTER(host_row_version, struct host_row, h,
       text_or_none(h->host.num_reports ? h->host.reports[0]->version : NULL));
GETTER(host_row_time, struct host_row, h, time_value(cell, false, h->host.time));

static const struct ibc_column host_columns[] = {
	FIELD("host", "HOST", struct host_row, host.name),
	COLUMN("verdict", "VERDICT", host_row_verdict),
	COLUMN("check", "CHECK", host_row_check),
	FIELD("findings", "FINDINGS", struct host_row, findings),
	COLUMN("alias", "ALSO", host_row_alias),
	COLUMN("commands", NULL, host_row_commands),
	FIELD("expected", NULL, struct host_row, host.expected),
	COLUMN("version", "VERSION", host_row_version),
	COLUMN("time", "TIME", host_row_time),
	SENTENCE("finding", "FIRST FINDING", host_row_finding),
	{ 0 },
};
static const struct ibc_table_type hosts_type = { "hosts", host_columns, NULL, NULL, NULL };

/* struct verdict_row - hosts of one verdict, and their folded list */
struct verdict_row {
	enum ibc_severity verdict;
	unsigned long hosts;
	const char *list;
};

GETTER(verdict_word, struct verdict_row, v, ibc_enum(ibc_severity_word(v->verdict)));

static const struct ibc_column verdict_columns[] = {
	COLUMN("verdict", "VERDICT", verdict_word),
	FIELD("hosts", "HOSTS", struct verdict_row, hosts),
	FIELD_OR_NONE("list", "LIST", struct verdict_row, list),
	{ 0 },
};
static const struct ibc_label verdict_labels[] = { { "verdict", "verdict" }, { 0 } };
static const struct ibc_metric verdict_metrics[] = {
	{ "hosts", "hosts", "hosts of this verdict", IBC_METRIC_GAUGE },
	{ 0 },
};
static const struct ibc_metric_group verdict_groups[] = {
	{ "ibcheck_fleet_", "Fleet:", NULL, NULL, verdict_labels, verdict_metrics },
	{ 0 },
};
static const struct ibc_table_type verdicts_type = { "verdicts", verdict_columns, verdict_groups,
	                                             NULL, NULL };

/* ---- cabling ------------------------------------------------------------------------------- */

/* struct cabling_row - a port of a host, and where its cable leads */
struct cabling_row {
	const char *host;
	struct ibc_fleet_port port;
	const struct ibc_port *leaf;
};

GETTER(cabling_joined, struct cabling_row, c, ibc_enum(ibc_joined_word(c->port.joined)));
GETTER(cabling_leaf, struct cabling_row, c, ibc_str(c->leaf ? c->leaf->node->label : NULL));
GETTER(cabling_leaf_guid, struct cabling_row, c,
       c->leaf && !c->leaf->node->named_only ? ibc_guid(c->leaf->node->guid) : ibc_none());
GETTER(cabling_leaf_port, struct cabling_row, c, c->leaf ? ibc_u64(c->leaf->num) : ibc_none());
GETTER(cabling_subnet, struct cabling_row, c,
       ibc_str(c->port.at ? c->port.at->node->subnet->source : NULL));

static const struct ibc_column cabling_columns[] = {
	FIELD("host", "HOST", struct cabling_row, host),
	FIELD("hca", "HCA", struct cabling_row, port.hca),
	FIELD_OR_NONE("port", "PORT", struct cabling_row, port.num),
	FIELD_OR_NONE("pci", "PCI", struct cabling_row, port.pci),
	FIELD_OR_NONE("state", "STATE", struct cabling_row, port.state),
	FIELD("rail", "RAIL", struct cabling_row, port.rail),
	FIELD("usual_rail", "USUAL", struct cabling_row, port.usual_rail,
	      .legend = "rail of most hosts of this kind"),
	COLUMN("switch", "SWITCH", cabling_leaf),
	COLUMN("switch_guid", NULL, cabling_leaf_guid),
	COLUMN("switch_port", "PORT", cabling_leaf_port),
	COLUMN("joined", "JOINED BY", cabling_joined,
	       .legend = "how the port was found in the fabric, or why not"),
	COLUMN_AT("hca_guid", NULL, field_guid, struct cabling_row, port.guid),
	COLUMN("subnet", NULL, cabling_subnet),
	{ 0 },
};
static const struct ibc_table_type cabling_type = { "cabling", cabling_columns, NULL, NULL, NULL };

/* ---- lists ----------------------------------------------------------------------------------- */

/* What --list takes: a set of 1 << enum ibc_severity; "missing" is one more. */
#define LIST_MISSING (1u << (IBC_CRITICAL + 1))
static const struct {
	const char *word;
	unsigned int set;
} lists[] = {
	{ "ok", 1u << IBC_OK },           { "warning", 1u << IBC_WARNING },
	{ "unknown", 1u << IBC_UNKNOWN }, { "critical", 1u << IBC_CRITICAL },
	{ "missing", LIST_MISSING },      { "all", ~0u },
};

static bool is_missing(const struct ibc_fleet_host *h)
{
	return !h->num_reports && !h->came_as;
}

/* To be freed; *n: how many.  What only has a place, and no name, is no host to a scheduler. */
static char *list_hosts(const struct host_row *rows, size_t num, unsigned int set, size_t *n)
{
	const char **names = calloc(num + 1, sizeof(*names));
	char *list;

	*n = 0;
	for (size_t i = 0; names && i < num; i++)
		if ((set & 1u << rows[i].verdict ||
		     (set & LIST_MISSING && is_missing(&rows[i].host))) &&
		    rows[i].host.is_name)
			names[(*n)++] = rows[i].host.name;
	list = names ? ibc_hostlist_fold(names, *n) : NULL;
	free(names);
	return list;
}

static int list_set(const char *words, unsigned int *set, struct ibc_error *err)
{
	*set = 0;
	for (size_t n; *words; words += n + (words[n] == ',')) {
		unsigned int of_word = 0;

		n = strcspn(words, ",");
		for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
			if (strlen(lists[i].word) == n && !strncmp(words, lists[i].word, n))
				of_word = lists[i].set;
		if ((*set | of_word) == *set)
			return cmd_fail(
			    err, -EINVAL,
			    "--list %s: there are ok, warning, unknown, critical, missing and all",
			    words);
		*set |= of_word;
	}
	return *set ? 0 : cmd_fail(err, -EINVAL, "--list names nothing");
}

static int verdicts_table(struct app *app, const struct host_row *rows, size_t n,
                          struct ibc_error *err)
{
	static const enum ibc_severity order[] = { IBC_CRITICAL, IBC_UNKNOWN, IBC_WARNING, IBC_OK };
	struct ibc_table *table = app_table(app, &verdicts_type);

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		size_t hosts = 0, named;
		char *list = list_hosts(rows, n, 1u << order[i], &named);

		if (!list)
			return cmd_fail(err, -ENOMEM, "out of memory");
		for (size_t k = 0; k < n; k++)
			hosts += rows[k].verdict == order[i];
		ibc_table_row(table, &(struct verdict_row){ order[i], hosts, list });
		free(list);
	}
	return 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Of hosts that shall be there, and that came: of which there may be more. */
static int say_hosts(struct app *app, struct ibc_error *err)
{
	size_t expected = 0, came = 0, others = 0;
	const struct ibc_fleet_host *h;
	time_t newest = ibc_fleet_time(its(app)->fleet);
	char when[64] = "", more[64] = "";
	struct tm tm;

	for (size_t i = 0; (h = ibc_fleet_host(its(app)->fleet, i)); i++) {
		expected += h->expected;
		came += h->expected && !is_missing(h);
		others += !h->expected;
	}
	ibc_report_sum(app->report, "hosts", came + others);
	if (newest && gmtime_r(&newest, &tm))
		strftime(when, sizeof(when), ", the newest of %Y-%m-%d %H:%M:%S UTC", &tm);
	if (!its(app)->expected)
		return app_say(app, err, "%zu host%s reported%s", others, others == 1 ? "" : "s",
		               when);
	ibc_report_sum(app->report, "hosts_expected", expected);
	if (others)
		snprintf(more, sizeof(more), ", and %zu other%s", others, others == 1 ? "" : "s");
	return app_say(app, err, "%zu of %zu expected hosts reported%s%s", came, expected, more,
	               when);
}

/* How many have a port there: those that have none at all may have another kind of network. */
static int say_cabling(struct app *app, struct ibc_error *err)
{
	const struct ibc_subnet *subnet = ibc_fabric_subnet(its(app)->around, 0);
	size_t joined = 0, by_name = 0, portless = 0;
	const struct ibc_fleet_cables *h;
	char names[64] = "", without[64] = "";

	for (size_t i = 0; (h = ibc_cabling_host(its(app)->cabling, i)); i++) {
		bool there = false, named = false;

		for (size_t k = 0; k < h->num; k++) {
			there |= h->ports[k].at != NULL;
			named |= h->ports[k].joined == IBC_JOINED_NAME;
		}
		joined += there;
		by_name += named;
		portless += h->reported && !h->num;
	}
	ibc_report_sum(app->report, "hosts_joined", joined);
	if (by_name)
		snprintf(names, sizeof(names), ", %zu by name alone", by_name);
	if (portless)
		snprintf(without, sizeof(without), "; %zu without an InfiniBand port", portless);
	return app_say(app, err, "%s; %zu found in the fabric %s%s%s%s", app->headline, joined,
	               subnet ? subnet->source : "",
	               ibc_fabric_subnet(its(app)->around, 1) ? " and others" : "", names, without);
}

static int fleet_run(struct app *app, struct ibc_error *err)
{
	const struct fleet_cfg *c = app->cfg;
	struct ibc_fleet_opts opts = { .now = time(NULL),
		                       .max_age_seconds = (unsigned int)c->max_age,
		                       .group = c->group };
	struct ibc_error why;
	unsigned int set;
	size_t n = 0, lines;
	const char *first, *checks = app->common.checks;
	int rc = 0;

	while (app->args[n])
		n++;
	if (c->list && strcmp(app->common.format, FORMAT_TEXT) != 0)
		return cmd_fail(err, -EINVAL, "--list prints names alone: it takes no --format");
	if (c->list)
		rc = list_set(c->list, &set, err);
	if (!rc && c->expected) {
		rc = ibc_hostlist_read(&c->expected, 1, &its(app)->expected, &why);
		if (rc)
			return cmd_fail(err, rc, "--expect-hosts: %s", why.text);
	}
	if (!rc && c->policy)
		rc = ibc_policy_new(&its(app)->policy, err);
	if (!rc && c->policy)
		rc = ini_read(c->policy, set_policy, its(app)->policy, err);
	if (!rc && c->group)
		rc = ibc_fleet_group_verify(c->group, err);
	opts.expected = its(app)->expected;
	opts.policy = its(app)->policy;
	if (!rc)
		rc = ibc_fleet_load((const char *const *)app->args, n, &opts, &its(app)->fleet,
		                    err);
	/*
	 * Only a source of the command line: one that the configuration has for sweeps must not
	 * make of each merge a sweep.  The fabric is no input of the checks: they look at hosts.
	 */
	if (!rc) /* whoever reads them later remembers the same */
		app->memory.newest = ibc_fleet_time(its(app)->fleet) ?: time(NULL);
	if (!rc && app->asked.sources.n) {
		app->how.no_counters = true;
		rc = app_sweep(app, IBC_ATTRS(), err);
		its(app)->around = app->fabric;
		app->fabric = NULL;
		if (!rc)
			rc = ibc_cabling_find(its(app)->fleet, its(app)->around, &its(app)->cabling,
			                      err);
	} else if (!rc && !(checks && strstr(checks, "fleet.rail"))) {
		/* asked for by name, it says what it lacks */
		rc = app_select(app, "-fleet.rail", err);
	}
	if (!rc)
		rc = app_check(app, err);
	if (!rc)
		rc = ibc_check_fleet(its(app)->fleet, its(app)->cabling, app->report, err);
	if (!rc)
		rc = say_hosts(app, err);
	if (!rc && its(app)->cabling)
		rc = say_cabling(app, err);
	if (rc)
		return rc;
	lines = ibc_fleet_launcher_lines(its(app)->fleet, &first);
	return !lines ? 0
	              : app_say(app, err, "%s; %zu line%s of the launcher itself, the first: %s",
	                        app->headline, lines, lines == 1 ? "" : "s", first);
}

static int fleet_tables(struct app *app, struct ibc_error *err)
{
	const struct fleet_cfg *c = app->cfg;
	const struct ibc_fleet_cables *h;
	size_t n, named;
	struct host_row *rows = judge_all(app, &n);
	unsigned int set = 0;
	int rc;

	if (!rows)
		return cmd_fail(err, -ENOMEM, "out of memory");
	if (c->list) {
		rc = list_set(c->list, &set, err);
		app->shown.list = rc ? NULL : list_hosts(rows, n, set, &named);
	} else {
		rc = verdicts_table(app, rows, n, err);
	}
	if (rc || c->list || !app_shows_all(app)) {
		free(rows);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		ibc_table_row(app_table(app, &hosts_type), &rows[i]);
	free(rows);
	for (size_t i = 0; its(app)->cabling && (h = ibc_cabling_host(its(app)->cabling, i)); i++)
		for (const struct ibc_fleet_port *p = h->ports; p < h->ports + h->num; p++)
			ibc_table_row(
			    app_table(app, &cabling_type),
			    &(struct cabling_row){ h->host->name, *p, p->at ? p->at->peer : NULL });
	return 0;
}

/* The list alone; and nothing at all where no host is in it. */
static bool fleet_list(struct app *app, FILE *out)
{
	if (!app->shown.list)
		return false;
	if (*app->shown.list)
		fprintf(out, "%s\n", app->shown.list);
	return true;
}

static void fleet_input(const struct app *app, struct ibc_input *in)
{
	in->fleet = its(app)->fleet;
	in->cabling = its(app)->cabling;
}

static void fleet_end(struct app *app)
{
	ibc_cabling_free(its(app)->cabling);
	ibc_fabric_free(its(app)->around);
	ibc_fleet_free(its(app)->fleet);
	ibc_hostlist_free(its(app)->expected);
	ibc_policy_free(its(app)->policy);
}

const struct cmd cmd_fleet = {
	.name = "fleet",
	.summary = "the reports of many hosts: common values, outliers, missing hosts",
	.args = "FILE|DIR|- ...",
	.example = "fleet reports/\n"
		   "fleet --expect-hosts 'n[0001-4096]' -\n"
		   "fleet --list critical reports/\n"
		   "fleet --source fabric.snap reports/\n",
	.group = CMD_FILES,
	.takes = TAKES_ALL_CHECKS | TAKES_STATE | TAKES_SWEEP,
	.min_args = 1,
	.max_args = INT_MAX,
	.arg_hint = HINT_FILE,
	.checks = "fleet",
	.opts = fleet_opts,
	.cfg_size = sizeof(struct fleet_cfg),
	.own_size = sizeof(struct fleet_own),
	.defaults = &(const struct fleet_cfg){ .max_age = MAX_AGE_DEFAULT },
	.csv = &hosts_type,
	.shows = TABLES(&verdicts_type, &hosts_type, &cabling_type),
	.run = fleet_run,
	.input = fleet_input,
	.end = fleet_end,
	.tables = fleet_tables,
	.sums = true,
	.sweeps_by_source = true,
	.text = fleet_list,
};
