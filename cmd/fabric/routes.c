/* SPDX-License-Identifier: BSD-2-Clause */
/* What the forwarding tables do: who reaches whom, by which routes, and how evenly. */
#include <errno.h>

#include "routes.h"
#include "show.h"

#define MANY 1000000 /* a typing error beyond */
#define PATH_NEEDS                                                                                 \
	IBC_ATTRS(IBC_ATTR_LFT, IBC_ATTR_SL2VL, IBC_ATTR_HCA_SL2VL, IBC_ATTR_VL_ARBITRATION,       \
	          IBC_ATTR_PATH_RECORD, IBC_ATTR_PORT_COUNTERS, IBC_ATTR_AR_INFO, IBC_ATTR_AR_LFT)

static const struct opt routes_opts[] = {
	OPT_STR(0, "tables", "FILE", struct routes_cfg, tables,
	        "read linear forwarding tables (LFTs) from a file of dump_fts, ibroute or OpenSM, "
	        "not from the switches",
	        .hint = HINT_FILE),
	OPT_STR(0, "paths", "FILE", struct routes_cfg, paths,
	        "read service levels of paths from a file in the format of ibdmchk -c, not from "
	        "the subnet manager (SM)",
	        .hint = HINT_FILE),
	OPT_HEX(0, "sm-key", "HEX", struct routes_cfg, sm_key,
	        "SM_Key for queries to subnet administration (SA)", .secret = true),
	OPT_UINT(0, "bisections", "N", struct routes_cfg, bisections, 0, MANY,
	         "simulate N random bisections, and shifts (default 200; 0: neither)"),
	OPT_FLAG(0, "path", struct routes_cfg, path,
	         "show the routes from A to B and back, hop by hop; A and B are hosts, NODE/PORT, "
	         "GUIDs or LIDs"),
	OPT_UINT(0, "sl", "N", struct routes_cfg, sl, 0, 15,
	         "with --path: show the virtual lanes (VLs) of service level (SL) N, not of the "
	         "path's own"),
	OPT_STR(0, "using", "THING", struct routes_cfg, using,
	        "show which pairs of hosts send through a switch or a cable"),
	OPT_STR(0, "multicast", "MLID", struct routes_cfg, multicast,
	        "show the tree of a multicast group"),
	OPT_END,
};

static const struct routes_cfg defaults = { .bisections = 200, .sl = NO_SL };

/* Of a path it is shown where a table is missing; all other views may lack something then. */
static int view_routes(struct app *app, const struct routes_cfg *c, struct ibc_error *err)
{
	int rc;

	app_select_none(app);
	if (!c->path)
		app->how.relevant = c->multicast ? IBC_ATTRS(IBC_ATTR_MFT)
		                                 : IBC_ATTRS(IBC_ATTR_LFT, IBC_ATTR_AR_INFO,
		                                             IBC_ATTR_AR_LFT);
	rc = app_sweep(app, c->path ? PATH_NEEDS : app->how.relevant, err);
	if (!rc)
		rc = app_check(app, err);
	if (rc)
		return rc;
	if (c->multicast)
		return tree_view(app, c->multicast, err);
	if (c->path)
		rc = path_view(app, err);
	else
		rc = using_view(app, c->using, err);
	if (!rc)
		routes_limit(app);
	return rc;
}

/*
 * That a file of unicast tables has no multicast is no gap: so it was asked for.  Nor is it one
 * that a file of cables, or an older snapshot, has no lanes.
 */
static int routes_run(struct app *app, struct ibc_error *err)
{
	const struct routes_cfg *c = app->cfg;
	int views = c->path + (c->using != NULL) + (c->multicast != NULL);
	bool unicast_only, without_qos;
	int rc;

	/* A and B belong to --path, and of the views there is one */
	if (views > 1)
		return cmd_fail(err, -EINVAL, "--path, --using and --multicast cannot be combined");
	if (c->path && (!app->args[0] || !app->args[1]))
		return cmd_fail(err, -EINVAL, "--path needs two ends: --path node0001 node0002");
	if (!c->path && app->args[0])
		return cmd_fail(err, -EINVAL, "routes takes \"%s\" only with --path", app->args[0]);
	if (c->sl != NO_SL && !c->path)
		return cmd_fail(
		    err, -EINVAL,
		    "--sl shows the virtual lanes (VLs) of a path: give it with --path");
	app->how.tables = c->tables;
	app->how.paths = c->paths;
	app->how.sm_key = c->sm_key;
	app->how.following.bisections = c->bisections;
	if (!c->bisections)
		app->how.following.shifts = 0;
	if (views)
		return view_routes(app, c, err);
	rc = app_sweep(app, IBC_ATTRS(IBC_ATTR_LFT, IBC_ATTR_AR_INFO, IBC_ATTR_AR_LFT), err);
	unicast_only = !rc && c->tables && !app->common.checks &&
	               !fabric_provides(app->fabric, IBC_ATTR_MFT);
	without_qos = !rc && !app->common.checks &&
	              !fabric_provides(app->fabric, IBC_ATTR_VL_ARBITRATION);
	if (unicast_only || without_qos)
		rc = app_select(app,
		                !without_qos   ? "-routes.multicast"
		                : unicast_only ? "-routes.multicast,-qos"
		                               : "-qos",
		                err);
	if (!rc)
		rc = app_follow(app, err);
	if (!rc)
		rc = app_check(app, err);
	if (!rc)
		routes_conclude(app);
	if (!rc && unicast_only)
		ibc_report_conclude(app->report, "multicast was not checked");
	if (!rc && without_qos)
		ibc_report_conclude(app->report, "QoS was not checked");
	return rc;
}

static int add_tables(struct app *app, struct ibc_error *err)
{
	(void)err;
	if (app->routes)
		routes_tables(app);
	return 0;
}

const struct cmd cmd_routes = {
	.name = "routes",
	.summary = "unreachable hosts, credit loops and uneven load of the routes",
	.args = "[A B]",
	.max_args = 2,
	.example = "routes\n"
		   "routes --path node0001 node0640\n"
		   "routes --using leaf03/19\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC | TAKES_STATE,
	.checks = "routes,qos,ar,host.vport,router,port.silent",
	.opts = routes_opts,
	.cfg_size = sizeof(struct routes_cfg),
	.defaults = &defaults,
	.shows = TABLES(&pairs_type, &bandwidth_type, &hot_links_type, &uplinks_type, &groups_type,
	                &path_type, &using_type, &tree_type, &adaptive_type, &adaptive_path_type),
	.run = routes_run,
	.tables = add_tables,
};
