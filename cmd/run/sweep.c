/* SPDX-License-Identifier: BSD-2-Clause */
/* From the common options to a fabric, and the first line that says what it is. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

static const char *const name_maps[] = {
	"/etc/infiniband-diags/ib-node-name-map",
	"/etc/rdma/ib-node-name-map",
};

/* ---- the headline ---------------------------------------------------------- */

/* "6 switches", "1 query"; nothing for none, but for the first. */
static void say_count(FILE *out, uint64_t n, const char *one, const char *many)
{
	if (n || !ftell(out))
		fprintf(out, "%s%" PRIu64 " %s", ftell(out) ? ", " : "", n, n == 1 ? one : many);
}

const char *sweep_text(const struct ibc_subnet *subnet, char buf[SWEEP_TEXT])
{
	time_t when = (time_t)subnet->time;
	struct tm tm;
	size_t n;

	*buf = '\0';
	if (!when || !gmtime_r(&when, &tm))
		return buf;
	n = strftime(buf, SWEEP_TEXT, ", swept %Y-%m-%d %H:%M:%S UTC", &tm);
	if (subnet->host)
		snprintf(buf + n, SWEEP_TEXT - n, " on %s", subnet->host);
	return buf;
}

/* What is missing of the answers that the checks mind. */
static void say_answers(const struct app *app, FILE *out)
{
	const struct ibc_attrs attrs = ibc_attrs_or(ibc_check_relevant(app->selection),
	                                            app_relevant(app));
	uint64_t asked = 0, open = 0, not_asked = 0, lost = 0;
	bool cut_short = false, whole = true;
	const struct ibc_subnet *subnet;

	for (enum ibc_attr a = 0; (a = ibc_attrs_next(attrs, a));) {
		struct ibc_coverage c = ibc_fabric_coverage(app->fabric, a);

		asked += c.asked;
		open += c.refused + c.timed_out;
	}
	for (size_t i = 0; (subnet = ibc_fabric_subnet(app->fabric, i)); i++) {
		not_asked += subnet->not_asked;
		cut_short |= ibc_subnet_ended_early(subnet);
		lost += subnet->lines_lost;
		whole &= ibc_attrs_has(subnet->provides, IBC_ATTR_PORT_INFO);
	}
	if (open)
		fprintf(out, ", %" PRIu64 " of %" PRIu64 " queries not answered", open, asked);
	if (cut_short)
		fprintf(out, ", cut short by the deadline: %" PRIu64 " quer%s not sent", not_asked,
		        not_asked == 1 ? "y" : "ies");
	if (lost)
		fprintf(out, ", %" PRIu64 " line%s not understood", lost, lost == 1 ? "" : "s");
	if (asked && whole && !open && !cut_short && !lost)
		fputs(", all queries answered", out);
}

int app_describe(struct app *app, double seconds, struct ibc_error *err)
{
	struct ibc_fabric_counts n = ibc_fabric_count(app->fabric);
	const struct ibc_subnet *first = ibc_fabric_subnet(app->fabric, 0), *subnet;
	struct ibc_report_meta *meta = &app->meta;
	const char *last = "";
	char when[SWEEP_TEXT];
	bool live = false;
	size_t size;
	FILE *out;

	free(app->headline); /* of the first of two sweeps */
	app->headline = NULL;
	out = open_memstream(&app->headline, &size);
	if (!out)
		return cmd_fail(err, -ENOMEM, "out of memory");
	say_count(out, n.switches, "switch", "switches");
	say_count(out, n.routers, "router", "routers");
	say_count(out, n.cas, "HCA", "HCAs");
	if (n.hosts)
		fprintf(out, " on %zu host%s", n.hosts, n.hosts == 1 ? "" : "s");
	say_count(out, n.cables, "cable", "cables");
	if (n.subnets > 1)
		say_count(out, n.subnets, "subnet", "subnets");
	/* one source is named in full; of several only what they have in common */
	if (first)
		meta->source_kind = first->kind;
	if (n.subnets == 1) {
		meta->source_ca = *first->ca ? first->ca : NULL;
		meta->source_file = *first->file ? first->file : NULL;
		meta->source_port = first->ca_port;
	}
	for (size_t i = 0; (subnet = ibc_fabric_subnet(app->fabric, i)); i++) {
		live |= subnet_is_live(subnet);
		if (strcmp(subnet->kind, first->kind) != 0)
			meta->source_kind = NULL;
		if (subnet_is_live(subnet) ||
		    !strcmp(subnet->source, last)) /* a file is named once */
			continue;
		fprintf(out, "; %s %s%s", *subnet->file ? "read from" : "made by", subnet->source,
		        sweep_text(subnet, when));
		last = subnet->source;
	}
	if (live)
		fprintf(out, "; swept in %.2f s", seconds);
	say_answers(app, out);
	if (text_end(out, &app->headline, err))
		return -ENOMEM;
	meta->headline = app->headline;
	return 0;
}

/* ---- the sweep --------------------------------------------------------------- */

#define COMPLAINTS_SHOWN 10 /* a mistake in every line is one mistake */

/* What is wrong in files: of a load that fails all there is to read, else fabric.lines reports it.
 */
struct complaints {
	unsigned long n;
	struct ibc_error first[COMPLAINTS_SHOWN];
};

static void complain(void *ctx, const struct ibc_complaint *c)
{
	struct complaints *all = ctx;
	char line[32] = "", column[32] = "";
	struct ibc_error text;

	if (c->line)
		snprintf(line, sizeof(line), "%lu:", c->line);
	if (c->column)
		snprintf(column, sizeof(column), "%lu:", c->column);
	cmd_fail(&text, 0, "%s:%s%s %s", c->file, line, column, c->sentence);
	if (c->note)
		say_error("%s", text.text);
	else if (all->n++ < COMPLAINTS_SHOWN)
		all->first[all->n - 1] = text;
}

/* Of a load that failed by them, makes of the error what is left to say. */
static int complaints_end(const struct app *app, const struct complaints *all, int rc,
                          struct ibc_error *err)
{
	bool failed = rc == -EINVAL && all->n;

	for (unsigned long i = 0; i < all->n && i < COMPLAINTS_SHOWN; i++)
		if (failed || app->how.checks_file)
			say_error("%s", all->first[i].text);
	if (!failed && app->how.checks_file && all->n > COMPLAINTS_SHOWN)
		say_error("... and %lu more", all->n - COMPLAINTS_SHOWN);
	if (!failed)
		return rc;
	if (all->n <= COMPLAINTS_SHOWN)
		return cmd_fail(err, rc, "%s", "");
	return cmd_fail(err, rc, "... and %lu more", all->n - COMPLAINTS_SHOWN);
}

static struct ibc_source_opts source_opts(const struct app *app, struct ibc_attrs needs,
                                          struct progress *progress, struct complaints *complaints)
{
	const struct common *c = &app->common;
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;

	opts.ca = c->ca;
	opts.ca_port = c->port;
	if (c->timeout_ms)
		opts.timeout_ms = c->timeout_ms;
	opts.m_key = c->m_key;
	opts.vs_key = c->vs_key;
	opts.key_files = c->key_files;
	opts.needs = needs;
	opts.deadline_seconds = c->deadline_seconds;
	opts.node_name_map = c->node_name_map;
	for (size_t i = 0; !opts.node_name_map && i < ARRAY_SIZE(name_maps); i++)
		if (!access(name_maps[i], F_OK))
			opts.node_name_map = name_maps[i];
	opts.progress = progress ? progress_tick : NULL;
	opts.progress_ctx = progress;
	opts.complain = complain;
	opts.complain_ctx = complaints;
	opts.trace = &app->trace;
	return opts;
}

void app_recorded(struct app *app)
{
	struct ibc_error err = { "" };
	int rc;

	if (!app->sweep.recording)
		return;
	rc = ibc_recording_end(app->sweep.recording, &err);
	app->sweep.recording = NULL;
	rc = out_end(&app->sweep.out, rc, &err);
	app->sweep.unrecorded = rc;
	if (rc)
		say_error("%s",
		          *err.text ? err.text : "cannot write the trace: its reader has gone");
}

/* Of a live sweep that reads counters, where the memory knows of a link, unless all are read. */
static int find_linked(struct app *app, struct ibc_attrs needs, const char *const *specs, size_t n,
                       struct ibc_error *err)
{
	bool live = false;

	for (size_t i = 0; i < n; i++)
		live |= asks_live(specs[i]);
	if (!live || app->sweep.linked || app->how.down.all || !has_state(app) ||
	    !ibc_attrs_has(needs, IBC_ATTR_PORT_COUNTERS))
		return 0;
	if (ibc_store_linked(app->common.state, &app->sweep.linked, &app->how.down.num_ports, err))
		return -ENOMEM;
	app->how.down.ports = app->sweep.linked;
	return 0;
}

static int sweep_sources(struct app *app, struct ibc_attrs needs, unsigned int clear,
                         struct ibc_error *err)
{
	static const char *const umad[] = { "umad" };
	const struct str_list *sources = &app->common.sources;
	struct progress progress = progress_start();
	struct complaints complaints = { .n = 0 };
	struct ibc_source_opts opts;
	const char *const *specs;
	size_t n;
	int rc = 0;

	if (app->common.unhealthy && !app->unhealthy)
		rc = ibc_opinions_read(&app->common.unhealthy, 1, &app->unhealthy, err);
	if (rc)
		return rc;
	if (app->unhealthy && app->unhealthy->tools != 1U << IBC_TOOL_OPENSM)
		return cmd_fail(err, -EINVAL, "--unhealthy %s: it is no list of unhealthy ports",
		                app->common.unhealthy);
	progress.stop = app->stop;
	opts = source_opts(app, needs, &progress, &complaints);
	opts.tables = app->how.tables;
	opts.paths = app->how.paths;
	opts.sm_key = app->how.sm_key;
	opts.phy = app->common.phy.items;
	opts.num_phy = app->common.phy.n;
	opts.run = ++app->sweep.begun;
	opts.physical = app->how.physical;
	opts.no_counters = app->how.no_counters && !ibc_attrs_has(needs, IBC_ATTR_PORT_COUNTERS);
	specs = sources->n ? sources->items : umad;
	n = sources->n ? sources->n : 1;
	/* a second sweep of the same run goes into the same trace */
	if (app->common.record && !app->sweep.recording) {
		for (size_t i = 0; i < n; i++)
			if (!asks_live(specs[i]))
				return cmd_fail(
				    err, -EINVAL,
				    "--record needs a live sweep: %s has no MADs to record",
				    specs[i]);
		rc = out_open(&app->sweep.out, app->common.record, err);
		if (rc)
			return rc;
		rc = ibc_recording_new(app->sweep.out.file, app->common.record,
		                       &app->sweep.recording, err);
		if (rc) {
			out_abandon(&app->sweep.out);
			return rc;
		}
	}
	opts.record = app->sweep.recording;
	capabilities_drop_live(app);
	rc = find_linked(app, needs, specs, n, err);
	if (rc)
		return rc;
	rc = clear && app->how.num_clear_only
	         ? ibc_counters_clear_ports(specs, n, &opts, clear, app->how.clear_only,
	                                    app->how.num_clear_only, &app->fabric, err)
	     : clear ? ibc_counters_clear(specs, n, &opts, clear, &app->fabric, err)
	             : ibc_fabric_load_down(specs, n, &opts, &app->how.down, &app->fabric, err);
	progress_end(&progress);
	if (app->stop && *app->stop)
		return cmd_fail(err, -ECANCELED, "stopped");
	if (rc)
		return complaints_end(app, &complaints, rc, err);
	return app_describe(app, clock_seconds() - progress.started, err);
}

int app_sweep(struct app *app, struct ibc_attrs needs, struct ibc_error *err)
{
	if (app->how.physical)
		needs = ibc_attrs_or(needs, ibc_attrs_of_group(IBC_ATTRS_PHYSICAL));
	if (app->how.keeps_routes)
		ibc_attrs_add(&needs, IBC_ATTR_LFT);
	if (app->selects)
		needs = ibc_attrs_or(needs, ibc_check_needs(app->selection));
	return sweep_sources(app, needs, 0, err);
}

int app_sample(struct app *app, struct ibc_attrs needs, struct ibc_error *err)
{
	return sweep_sources(app, needs, 0, err);
}

int app_clear(struct app *app, unsigned int what, struct ibc_error *err)
{
	return sweep_sources(app, ibc_check_needs(app->selection), what, err);
}

/* ---- files ------------------------------------------------------------------- */

int app_load(const struct app *app, const char *const *files, size_t n, struct ibc_fabric **out,
             struct ibc_error *err)
{
	struct complaints complaints = { .n = 0 };
	struct ibc_source_opts opts = source_opts(app, IBC_ATTRS(), NULL, &complaints);
	char **specs = calloc(n, sizeof(*specs));
	size_t made = 0;
	int rc;

	/* what would be taken for a source of another kind is made a path */
	for (; specs && made < n; made++) {
		bool other = asks_live(files[made]) || !strncmp(files[made], "synth:", 6);

		if (asprintf(&specs[made], "%s%s", other ? "./" : "", files[made]) < 0)
			break;
	}
	opts.join_plans = true;
	rc = specs && made == n ? ibc_fabric_load((const char *const *)specs, n, &opts, out, err)
	                        : cmd_fail(err, -ENOMEM, "out of memory");
	while (made-- > 0)
		free(specs[made]);
	free(specs);
	return complaints_end(app, &complaints, rc, err);
}

int app_save(const struct app *app, const char *path, struct ibc_error *err)
{
	struct out out;
	int rc;

	rc = out_open(&out, path, err);
	if (rc)
		return rc;
	rc = ibc_fabric_write(app->fabric, ibc_fabric_format(path), out.file, err);
	return out_end(&out, rc, err);
}
