/* SPDX-License-Identifier: BSD-2-Clause */
/* whatif --route: OpenSM routes what is left, in the simulator, where no device can be reached. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "columns.h"
#include "whatif.h"

#define ROUTE_SECONDS 300 /* OpenSM takes a minute for some thousand nodes: a guess, with room */
/* what a packet can end or wait for ever at; how even they are is in the table */
#define ROUTE_CHECKS "routes.unreachable,routes.dead-end,routes.loop,routes.credit-loop"

/* ---- the simulator -------------------------------------------------------------------------- */

/* Can no others than root and the caller change it? */
static bool is_trusted(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (!st.st_uid || st.st_uid == geteuid()) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Both of them, from where this program is: no variable and no PATH leads to another. */
static int find_programs(char self[PATH_MAX], char sim[PATH_MAX], struct ibc_error *err)
{
	ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);

	if (n < 0)
		return cmd_fail(err, -errno, "cannot read /proc/self/exe: %s", strerror(errno));
	self[n] = '\0';
	n = strrchr(self, '/') - self;
	if (snprintf(sim, PATH_MAX, "%.*s/ibcheck-sim", (int)n, self) >= PATH_MAX ||
	    access(sim, X_OK))
		return cmd_fail(err, -ENOENT,
		                "--route needs ibcheck-sim beside this program, of the package "
		                "of that name: %s: %s",
		                sim, strerror(errno));
	self[n] = '\0';
	if (!is_trusted(self) || !is_trusted(sim))
		return cmd_fail(err, -EACCES,
		                "%s is not run: others than root and you can change it, "
		                "or its folder",
		                sim);
	self[n] = '/';
	return 0;
}

static bool has_link(const struct ibc_port *port)
{
	return port->peer && (ibc_port_is_up(port) || ibc_port_is_up(port->peer));
}

/* What no cable joins to the rest is not there for OpenSM, nor what is down today. */
static int take_rest(const struct app *app, struct ibc_fabric **rest, struct ibc_error *err)
{
	const struct ibc_dependents *d = whatif_of(app)->lost;
	struct ibc_fabric_counts n = ibc_fabric_count(app->fabric);
	struct ibc_place *places = calloc(n.nodes + n.ports + d->num_places + 1, sizeof(*places));
	const struct ibc_node *node;
	const struct ibc_port *p;
	size_t used = 0;
	int rc;

	if (!places)
		return cmd_fail(err, -ENOMEM, "out of memory");
	if (n.subnets > 1) {
		free(places);
		return cmd_fail(err, -EINVAL, "--route simulates one subnet: give one --source");
	}
	for (size_t i = 0; i < d->num_places; i++)
		places[used++] = d->places[i];
	for (size_t i = 0; (p = ibc_fabric_port(app->fabric, i)); i++)
		if (p->num && p->peer && !has_link(p))
			places[used++] = (struct ibc_place){ p->node, p->num };
	for (size_t i = 0; (node = ibc_fabric_node(app->fabric, i)); i++) {
		unsigned int first = node->type != IBC_NODE_SWITCH;
		bool stays = false;

		for (unsigned int num = first; num <= (first ? node->num_ports : 0); num++)
			stays |= !ibc_dependents_cuts(d, &node->ports[num]) &&
			         (!first || has_link(&node->ports[num]));
		if (!stays)
			places[used++] = (struct ibc_place){ node, 0 };
	}
	rc = ibc_fabric_without(app->fabric, places, used, rest, err);
	free(places);
	return rc;
}

/* The cables go in as text, and a snapshot with tables comes back. */
static int simulate(const struct app *app, const struct ibc_fabric *rest, int output,
                    struct ibc_error *err)
{
	static char script[] =
	    "\"$0\" snapshot --config /dev/null --routes -o rest.snap >/dev/null;"
	    "exec cat rest.snap";
	char self[PATH_MAX], sim[PATH_MAX], limit[32];
	/* its own limits are for the case that this program is killed */
	char *const argv[] = { sim,         "--isolated", "--sm=keep", "--start", limit,
		               "--timeout", limit,        "-",         "--",      "sh",
		               "-c",        script,       self,        NULL };
	double seconds = app->common.deadline_seconds > 0 ? app->common.deadline_seconds
	                                                  : ROUTE_SECONDS;
	int input = memfd_create("ibcheck rest", MFD_CLOEXEC), rc;
	FILE *out = input < 0 ? NULL : fdopen(dup(input), "w");

	rc = out ? find_programs(self, sim, err)
	         : cmd_fail(err, -errno, "cannot write what is left: %s", strerror(errno));
	if (!rc)
		rc = ibc_fabric_write(rest, "netdiscover", out, err);
	if (out && fclose(out) && !rc)
		rc = cmd_fail(err, -EIO, "cannot write what is left: %s", strerror(errno));
	if (!rc) {
		struct ibc_error why = { "" };

		lseek(input, 0, SEEK_SET);
		snprintf(limit, sizeof(limit), "%.0f", seconds + 1);
		rc = run_program(argv, input, output, seconds, false, &why);
		if (rc)
			cmd_fail(err, rc, "%s: %s", sim, why.text);
	}
	if (input >= 0)
		close(input);
	return rc;
}

int whatif_reroute(struct app *app, struct ibc_report **after, struct ibc_error *err)
{
	struct whatif_own *own = whatif_of(app);
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	const struct ibc_route_sums *sums;
	struct ibc_fabric_counts given = { 0 }, found;
	struct ibc_fabric *rest = NULL;
	struct ibc_input in;
	char path[64];
	const char *spec = path;
	int output = memfd_create("ibcheck rerouted", MFD_CLOEXEC);
	int rc = output < 0 ? cmd_fail(err, -errno, "cannot hold what is left: %s", strerror(errno))
	                    : take_rest(app, &rest, err);

	if (!rc) {
		given = ibc_fabric_count(rest);
		if (given.cas < 2)
			ibc_report_conclude(app->report,
			                    "of what is left there are no two HCAs to route");
		else
			rc = simulate(app, rest, output, err);
	}
	ibc_fabric_free(rest);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", output);
	if (!rc && given.cas > 1)
		rc = ibc_fabric_load(&spec, 1, &opts, &own->rerouted, err);
	if (output >= 0)
		close(output);
	if (rc || given.cas < 2)
		return rc;
	found = ibc_fabric_count(own->rerouted);
	if (found.nodes != given.nodes || found.cables != given.cables)
		return cmd_fail(err, -EPROTO,
		                "of %zu nodes and %zu cables that are left OpenSM had %zu "
		                "and %zu",
		                given.nodes, given.cables, found.nodes, found.cables);
	rc = ibc_routes_analyze(own->rerouted, &app->how.following, &own->routes_then, err);
	sums = rc ? NULL : ibc_routes_sums(own->routes_then, 0);
	if (!rc && (!sums || sums->unknown))
		rc = cmd_fail(err, -EPROTO, "the tables of OpenSM were not all read");
	if (!rc && ibc_fabric_subnet(app->fabric, 0)->forwarding)
		rc = app_follow(app, err);
	if (!rc)
		rc = ibc_report_new(after, err);
	if (rc)
		return rc;
	in = (struct ibc_input){ .fabric = own->rerouted,
		                 .config = app->config,
		                 .routes = own->routes_then };
	rc = ibc_check_run(&in, ROUTE_CHECKS, *after, err);
	return rc ? rc : ibc_report_finish(*after, err);
}

/* ---- before and after ----------------------------------------------------------------------- */

struct routed_row {
	const char *when;
	struct ibc_route_sums sums;
	double bandwidth, hottest;
};
#define ROW struct routed_row

static const struct ibc_column routed_columns[] = {
	FIELD("when", "ROUTES", ROW, when),
	FIELD("hosts", "HOSTS", ROW, sums.hosts),
	FIELD("pairs", "PAIRS", ROW, sums.pairs),
	FIELD("routed", "ROUTED", ROW, sums.routed),
	FIELD("credit_loops", "CREDIT LOOPS", ROW, sums.credit_loops),
	FIELD("hops_longest", "LONGEST", ROW, sums.hops_longest),
	COLUMN_AT("bandwidth_percent", "BANDWIDTH %", field_tenths, ROW, bandwidth,
	          .legend = "of its link a host gets, when a random half sends to the other"),
	COLUMN_AT("hottest_flows", "HOTTEST LINK", field_tenths, ROW, hottest,
	          .legend = "flows over the cable between switches that has most"),
	{ 0 },
};
const struct ibc_table_type routed_type = TABLE("routed", routed_columns,
                                                "routes now, and as OpenSM would make them");

static void add_routed(struct ibc_table *t, const char *when, const struct ibc_routes *routes)
{
	const struct ibc_bandwidth *b = routes ? ibc_routes_bandwidth(routes, 0) : NULL;
	const struct ibc_hot_link *hot = routes ? ibc_routes_hot_link(routes, 0) : NULL;
	struct routed_row row = { .when = when };

	if (!routes || !ibc_routes_sums(routes, 0))
		return;
	row.sums = *ibc_routes_sums(routes, 0);
	row.bandwidth = b && b->hosts ? 100 * b->mean : -1;
	row.hottest = hot ? hot->mean : -1;
	ibc_table_row(t, &row);
}

void routed_table(struct app *app)
{
	struct ibc_table *t = app_table(app, &routed_type);

	add_routed(t, "now", app->routes);
	add_routed(t, "then", whatif_of(app)->routes_then);
}
