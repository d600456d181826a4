/* SPDX-License-Identifier: BSD-2-Clause */
/* What somebody who decides is told of the cases: how much is affected, the cost, whose work it is.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define COST_SENTENCES 2   /* of a paragraph the first ones say it */
#define COST_MAX       600 /* two of the longest sentences */

/* ---- what is affected ---------------------------------------------------------------------- */

/*
 * struct affected - addresses of what cases name, several times if they do, but for @checks
 * @cut_off: hosts that cannot be named, since they are not there
 */
struct affected {
	const struct ibc_fabric *fabric;
	struct set {
		const void **items;
		size_t n, room;
	} cables, hosts, switches, checks;
	uint64_t cut_off;
	bool failed;
};

static void set_add(struct affected *a, struct set *set, const void *item)
{
	if (set->n == set->room) {
		size_t room = 2 * set->room + 16;
		const void **items = reallocarray(set->items, room, sizeof(*items));

		a->failed = a->failed || !items;
		if (!items)
			return;
		set->items = items;
		set->room = room;
	}
	set->items[set->n++] = item;
}

static int by_address(const void *left, const void *right)
{
	uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;

	return (a > b) - (a < b);
}

static size_t set_count(struct set *set)
{
	size_t different = 0;

	if (set->n)
		qsort(set->items, set->n, sizeof(*set->items), by_address);
	for (size_t i = 0; i < set->n; i++)
		different += !i || set->items[i] != set->items[i - 1];
	return different;
}

static void add_node(struct affected *a, const struct ibc_node *node, bool whole)
{
	if (node && node->type == IBC_NODE_CA)
		set_add(a, &a->hosts, node->host_name ? (const void *)node->host_name : node);
	else if (node && whole)
		set_add(a, &a->switches, node);
}

/* A cable is its end of the lower address; one that is missing has an end where it belongs. */
static void add_cable(struct affected *a, const struct ibc_subject *s, const struct ibc_port *near,
                      const struct ibc_port *far)
{
	const struct ibc_port *end = near ? near : far, *other = end ? end->peer : NULL;

	if (other || (end && s->kind == IBC_SUBJECT_CABLE))
		set_add(a, &a->cables, other && other < end ? other : end);
}

static void add_subject(struct affected *a, const struct ibc_subject *s)
{
	const struct ibc_node *near = s->near.has_guid
	                                  ? ibc_fabric_node_by_guid(a->fabric, s->near.guid)
	                                  : NULL;
	const struct ibc_node *far = s->far.has_guid
	                                 ? ibc_fabric_node_by_guid(a->fabric, s->far.guid)
	                                 : NULL;

	add_node(a, near, s->kind == IBC_SUBJECT_NODE);
	if (s->kind == IBC_SUBJECT_CABLE)
		add_node(a, far, false);
	if (s->kind == IBC_SUBJECT_CABLE || s->kind == IBC_SUBJECT_PORT)
		add_cable(a, s, near && s->near.has_port ? ibc_node_port(near, s->near.port) : NULL,
		          far && s->far.has_port ? ibc_node_port(far, s->far.port) : NULL);
}

static void add_finding(struct affected *a, const struct ibc_finding *f)
{
	add_subject(a, &f->subject);
	for (size_t i = 0; i < f->num_related; i++)
		if (f->related[i].role == IBC_ROLE_FOUND)
			add_subject(a, &f->related[i].subject);
	for (size_t i = 0; i < f->num_facts; i++)
		if (!strcmp(f->facts[i].key, "hosts_cut_off"))
			a->cut_off += f->facts[i].value.num;
}

static bool is_work(const struct ibc_case *c)
{
	return c->severity > IBC_INFO && !(c->known && !c->known->expired);
}

static void add_findings(struct affected *a, const struct ibc_report *rep)
{
	const struct ibc_case *c;

	for (size_t i = 0; (c = ibc_report_case_at(rep, i)); i++)
		for (size_t k = 0; is_work(c) && k < c->num_findings; k++)
			if (!c->findings[k]->follows)
				add_finding(a, c->findings[k]);
}

/* ---- what it costs, and whose work it is --------------------------------------------------- */

/* The last but one paragraph of an explanation is what it costs. */
static const char *cost_paragraph(const char *text)
{
	const char *at = text, *next;

	while ((next = strstr(text, "\n\n"))) {
		const char *after = strstr(next + 2, "\n\n");

		if (!after)
			return at;
		at = next + 2;
		text = at;
	}
	return at;
}

static void write_cost(const char *explanation, char text[COST_MAX])
{
	const char *from = cost_paragraph(explanation);
	size_t n = 0, sentences = 0;

	while (n < COST_MAX - 1 && from[n] && strncmp(from + n, "\n\n", 2) != 0) {
		sentences += from[n] == '.' && strchr(" \n", from[n + 1]);
		text[n] = from[n] == '\n' ? ' ' : from[n];
		n++;
		if (sentences == COST_SENTENCES)
			break;
	}
	text[n] = '\0';
}

#define RACKS          "data centre staff"
#define HOSTS          "administrators of the hosts"
#define SLURM          "administrator of Slurm"
#define SUBNET_MANAGER "administrator of the subnet manager"
#define FABRIC         "fabric administrator"
#define IBCHECK        "whoever runs ibcheck"

/* By the beginning of the check's id; the first that fits. */
static const char *worker(const char *check)
{
	static const struct {
		const char *begins, *who;
	} workers[] = {
		{ "accept.", FABRIC },
		{ "counters.cleared", FABRIC },
		{ "counters.congestion", FABRIC },
		{ "counters.constraint", SUBNET_MANAGER },
		{ "counters.saturated", FABRIC },
		{ "counters.silent", FABRIC },
		{ "counters.slow-receiver", HOSTS },
		{ "counters.state", IBCHECK },
		{ "counters.vl15", SUBNET_MANAGER },
		{ "fattree.family", FABRIC },
		{ "fattree.irregular", FABRIC },
		{ "fattree.opensm-ftree", SUBNET_MANAGER },
		{ "fattree.oversubscribed", FABRIC },
		{ "fattree.rail-host", HOSTS },
		{ "host.vport", SUBNET_MANAGER },
		{ "phy.partial", FABRIC },
		{ "port.guid", FABRIC },
		{ "port.mtu", SUBNET_MANAGER },
		{ "port.name", HOSTS },
		{ "port.silent", FABRIC },
		{ "port.state", SUBNET_MANAGER },
		{ "port.vl", SUBNET_MANAGER },
		{ "topo.plan", FABRIC },
		{ "topo.renamed-node", HOSTS },
		{ "topo.replaced-node", FABRIC },
		{ "topo.unchecked", FABRIC },
		/* the rest of a group: what most of its checks have an operator do */
		{ "cable.", RACKS },
		{ "counters.", RACKS },
		{ "device.", RACKS },
		{ "diff.", FABRIC },
		{ "fabric.", FABRIC },
		{ "fattree.", RACKS },
		{ "phy.", RACKS },
		{ "port.", RACKS },
		{ "topo.", RACKS },
		{ "perf.host", HOSTS },
		{ "perf.pcie", HOSTS },
		{ "perf.setup", HOSTS },
		{ "perf.", FABRIC },
		{ "fleet.", HOSTS },
		{ "host.", HOSTS },
		{ "ipoib.", HOSTS },
		{ "roce.", HOSTS },
		{ "router.", SUBNET_MANAGER },
		{ "ar.recovered", RACKS },
		{ "ar.", SUBNET_MANAGER },
		{ "routes.", SUBNET_MANAGER },
		{ "qos.", SUBNET_MANAGER },
		{ "slurm.", SLURM },
		{ "sm.", SUBNET_MANAGER },
		{ "sharp.", SUBNET_MANAGER },
		{ "state.", IBCHECK },
		{ "", FABRIC }, /* no check: a lint holds that each has one of those above */
	};
	size_t i = 0;

	while (strncmp(check, workers[i].begins, strlen(workers[i].begins)) != 0)
		i++;
	return workers[i].who;
}

static bool set_has(const struct set *set, const void *item)
{
	size_t i = 0;

	while (i < set->n && set->items[i] != item)
		i++;
	return i < set->n;
}

/* "3 hosts are cut off, 800 Gb/s are lost. "; nothing where that is not known. */
static void write_loss(const struct ibc_cost *cost, char text[COST_MAX])
{
	char hosts[64] = "", gbps[64] = "";

	if (cost->hosts)
		snprintf(hosts, sizeof(hosts), "%" PRIu64 " host%s cut off", cost->hosts,
		         cost->hosts == 1 ? " is" : "s are");
	if (cost->gbps > 0)
		snprintf(gbps, sizeof(gbps), "%.10g Gb/s are lost", cost->gbps);
	snprintf(text, COST_MAX, "%s%s%s%s", hosts, *hosts && *gbps ? ", " : "", gbps,
	         *hosts || *gbps ? ". " : "");
}

/* A port is set from where the fabric is managed, whatever else the check finds. */
static const char *worker_of(const struct ibc_case *c)
{
	return c->advice && strstr(c->advice, "ibportstate") ? FABRIC : worker(c->check);
}

/* Once for each check, in the order of its cases; a case with a loss or a worker of its own too. */
static void add_consequences(struct affected *a, struct ibc_report *rep)
{
	const struct ibc_case *c;
	char cost[COST_MAX], whole[2 * COST_MAX];

	for (size_t i = 0; (c = ibc_report_case_at(rep, i)); i++) {
		const struct ibc_check *check = ibc_check_find(c->check);

		if (!check)
			continue;
		write_cost(ibc_check_explain(check), cost);
		if (!set_has(&a->checks, check)) {
			set_add(a, &a->checks, check);
			ibc_report_consequence(rep, c->check, cost, worker(c->check));
		}
		write_loss(&c->cost, whole);
		if (is_work(c) && (*whole || strcmp(worker_of(c), worker(c->check)) != 0)) {
			snprintf(whole + strlen(whole), COST_MAX, "%s", cost);
			ibc_report_consequence(rep, c->id, whole, worker_of(c));
		}
	}
}

int brief_add(struct app *app, time_t previous, struct ibc_error *err)
{
	struct affected a = { .fabric = app->fabric };
	struct ibc_brief brief = { .previous = previous };
	char text[128];

	add_consequences(&a, app->report);
	if (app->fabric) {
		size_t cables, hosts, switches;

		add_findings(&a, app->report);
		cables = set_count(&a.cables);
		hosts = set_count(&a.hosts) + a.cut_off;
		switches = set_count(&a.switches);
		snprintf(text, sizeof(text), "%zu cable%s, %zu host%s, %zu switch%s", cables,
		         cables == 1 ? "" : "s", hosts, hosts == 1 ? "" : "s", switches,
		         switches == 1 ? "" : "es");
		brief.affected = text;
	}
	ibc_report_brief(app->report, &brief);
	free(a.cables.items);
	free(a.hosts.items);
	free(a.switches.items);
	free(a.checks.items);
	return a.failed ? cmd_fail(err, -ENOMEM, "out of memory") : 0;
}
