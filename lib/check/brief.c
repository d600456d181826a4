/* SPDX-License-Identifier: BSD-2-Clause */
/* What cases come to for those who decide: how much is affected, the cost, whose work it is. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/check.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "report/report.h"

#define COST_SENTENCES 2   /* of a paragraph the first ones say it */
#define COST_MAX       600 /* two of the longest sentences */

/* ---- what is affected ---------------------------------------------------------------------- */

/* struct set - addresses, some of them several times */
struct set {
	const void **items;
	size_t n, room;
};

/* struct affected - what cases name; @cut_off: hosts that cannot be named, as they are not there */
struct affected {
	struct arena *a;
	const struct ibc_fabric *fabric;
	struct set cables, hosts, switches;
	uint64_t cut_off;
};

static void set_add(struct affected *a, struct set *set, const void *item)
{
	arena_grow(a->a, &set->items, set->n, &set->room, sizeof(*set->items));
	set->items[set->n++] = item;
}

static int by_address(const void *left, const void *right)
{
	return order_u64(*(const uintptr_t *)left, *(const uintptr_t *)right);
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

/* A cable is its end of the lower address; one that is missing has an end where it belongs. */
static void add_subject(struct affected *a, const struct ibc_subject *s)
{
	const struct ibc_end *ends[] = { &s->near, &s->far };
	bool cable = s->kind == IBC_SUBJECT_CABLE;
	const struct ibc_port *end = NULL;

	for (int i = 0; i < 1 + cable; i++) {
		const struct ibc_node *node = ends[i]->has_guid ? ibc_fabric_node_by_guid(
								      a->fabric, ends[i]->guid)
		                                                : NULL;
		if (node && node->type == IBC_NODE_CA)
			set_add(a, &a->hosts,
			        node->host_name ? (const void *)node->host_name : node);
		if (s->kind == IBC_SUBJECT_NODE && node && node->type == IBC_NODE_SWITCH)
			set_add(a, &a->switches, node);
		if (!end && node && ends[i]->has_port)
			end = ibc_node_port(node, ends[i]->port);
	}
	if (end && (cable || (s->kind == IBC_SUBJECT_PORT && end->peer)))
		set_add(a, &a->cables, end->peer && end->peer < end ? end->peer : end);
}

static bool is_work(const struct ibc_case *c)
{
	return c->severity > IBC_INFO && !case_is_known(c);
}

/* ---- what it costs, and whose work it is --------------------------------------------------- */

/* Of an explanation the last but one paragraph is what it costs: its first sentences. */
static void write_cost(const char *text, char cost[COST_MAX])
{
	const char *from = text, *next, *after;
	size_t n = 0, sentences = 0;

	while ((next = strstr(text, "\n\n")) && (after = strstr(next + 2, "\n\n")))
		from = text = next + 2;
	while (n < COST_MAX - 1 && from[n] && strncmp(from + n, "\n\n", 2) != 0 &&
	       sentences < COST_SENTENCES) {
		sentences += from[n] == '.' && strchr(" \n", from[n + 1]);
		cost[n] = from[n] == '\n' ? ' ' : from[n];
		n++;
	}
	cost[n] = '\0';
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
		{ "counters.constraint", SUBNET_MANAGER },
		{ "counters.c", FABRIC },
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
		{ "port.isolated", SUBNET_MANAGER },
		{ "port.mtu", SUBNET_MANAGER },
		{ "port.name", HOSTS },
		{ "port.silent", FABRIC },
		{ "port.state", SUBNET_MANAGER },
		{ "port.vl", SUBNET_MANAGER },
		{ "topo.plan", FABRIC },
		{ "topo.renamed-node", HOSTS },
		{ "topo.replaced-node", FABRIC },
		{ "topo.two-names", FABRIC },
		{ "topo.unchecked", FABRIC },
		/* the rest of a group: what most of its checks have an operator do */
		{ "cable.", RACKS },
		{ "blame.fabric", RACKS },
		{ "blame.host", HOSTS },
		{ "blame.software", HOSTS },
		{ "blame.", FABRIC },
		{ "compare.", FABRIC },
		{ "repair.", RACKS },
		{ "counters.", RACKS },
		{ "device.", RACKS },
		{ "diff.", FABRIC },
		{ "fabric.", FABRIC },
		{ "fattree.", RACKS },
		{ "gone.hca", HOSTS },
		{ "gone.host", HOSTS },
		{ "gone.manager", SUBNET_MANAGER },
		{ "gone.", RACKS },
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
		{ "whatif.sm", SUBNET_MANAGER },
		{ "whatif.ftree", SUBNET_MANAGER },
		{ "whatif.", FABRIC },
		{ "", FABRIC }, /* no check: a lint holds that each has one of those above */
	};
	size_t i = 0;

	while (strncmp(check, workers[i].begins, strlen(workers[i].begins)) != 0)
		i++;
	return workers[i].who;
}

/* Once for each check, in the order of its cases; a case with a loss or a worker of its own too. */
static void add_consequences(struct arena *a, struct ibc_report *rep)
{
	const struct ibc_case *c;

	for (size_t i = 0; (c = ibc_report_case_at(rep, i)); i++) {
		const struct ibc_check *check = ibc_check_find(c->check);
		const char *of_check = worker(c->check), *loss = "";
		/* a port is set from where the fabric is managed, whatever else the check finds */
		const char *who = c->advice && strstr(c->advice, "ibportstate") ? FABRIC : of_check;
		const struct consequence *known = rep->consequences;
		char cost[COST_MAX], amount[AMOUNT_TEXT];

		if (!check)
			continue;
		/* "3 hosts are cut off, 800 Gb/s are lost. " */
		if (c->cost.hosts)
			loss = arena_printf(
			    a, "%s %s cut off%s", str_amount(amount, c->cost.hosts, "host"),
			    c->cost.hosts == 1 ? "is" : "are", c->cost.gbps > 0 ? ", " : ". ");
		if (c->cost.gbps > 0)
			loss = arena_printf(a, "%s%.10g Gb/s are lost. ", loss, c->cost.gbps);
		write_cost(ibc_check_explain(check), cost);
		while (known && strcmp(known->check, c->check) != 0)
			known = known->next;
		if (!known)
			report_consequence(rep, c->check, cost, of_check);
		if (is_work(c) && (*loss || strcmp(who, of_check) != 0))
			report_consequence(rep, c->id, arena_printf(a, "%s%s", loss, cost), who);
	}
}

int ibc_check_brief(const struct ibc_fabric *fabric, time_t previous, struct ibc_report *rep,
                    struct ibc_error *err)
{
	struct arena *a = arena_new();
	struct affected all = { .a = a, .fabric = fabric };
	char cables[AMOUNT_TEXT], hosts[AMOUNT_TEXT], switches[AMOUNT_TEXT];
	const char *affected = NULL;
	const struct ibc_case *c;

	if (!a || setjmp(*arena_entry(a))) {
		arena_free(a);
		return fail_nomem(err);
	}
	add_consequences(a, rep);
	for (size_t i = 0; fabric && (c = ibc_report_case_at(rep, i)); i++) {
		for (size_t k = 0; is_work(c) && k < c->num_findings; k++) {
			const struct ibc_finding *f = c->findings[k];
			const struct ibc_value *cut_off = finding_fact(f, "hosts_cut_off");

			if (f->follows)
				continue;
			add_subject(&all, &f->subject);
			for (size_t m = 0; m < f->num_related; m++)
				if (f->related[m].role == IBC_ROLE_FOUND)
					add_subject(&all, &f->related[m].subject);
			all.cut_off += cut_off ? cut_off->num : 0;
		}
	}
	if (fabric)
		affected = arena_printf(
		    a, "%s, %s, %s", str_amount(cables, set_count(&all.cables), "cable"),
		    str_amount(hosts, set_count(&all.hosts) + all.cut_off, "host"),
		    str_amount(switches, set_count(&all.switches), "switch"));
	report_brief(rep, affected, previous);
	arena_free(a);
	return 0;
}
