/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts that are not as others of their kind, and not as the site's policy demands.  What
 * most have is right, unless a policy says otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/peers.h"
#include "base/array.h"
#include "check/fleet/facts.h"
#include "check/groups.h"

#define FEW      4  /* of fewer hosts none is usual: two against one says nothing */
#define MAJORITY 60 /* percent: what fewer have are two ways to be */

/* ---- outliers -------------------------------------------------------------------------------- */

static const struct fleet_fact *slot_fact(const struct compared *c, size_t slot)
{
	return fleet_fact_at((size_t)c->slots[slot].row);
}

static const char *slot_thing(const struct compared *c, size_t slot)
{
	return ibc_fleet_key(c->fleet, c->slots[slot].key).thing;
}

/* struct group - hosts that are compared: @voters[0] to @voters[num - 1]; @peers: room for them */
struct group {
	const struct compared *c;
	struct compared_host *const *voters;
	size_t num;
	struct peer *peers;
};

/*
 * What each has of a fact, 0 if it lacks that; how many have or lack it: 0 if none has it.  Slots
 * are asked for in rising order, from one on that restart_voters() was called before.
 */
static size_t gather_values(const struct group *g, size_t slot)
{
	bool may_lack = slot_fact(g->c, slot)->may_lack, any = false;
	uint32_t key = g->c->slots[slot].key;
	size_t n = 0;

	for (size_t i = 0; i < g->num; i++) {
		struct compared_host *h = g->voters[i];
		bool has;

		while (h->next < h->num && h->facts[h->next].key < key)
			h->next++;
		has = h->next < h->num && h->facts[h->next].key == key;
		any |= has;
		if (has || (may_lack && h->listed))
			g->peers[n++] = (struct peer){ .value = has ? h->facts[h->next].value : 0,
				                       .row = i };
	}
	if (any)
		peers_sort(g->peers, n);
	return any ? n : 0;
}

static void restart_voters(const struct group *g)
{
	for (size_t i = 0; i < g->num; i++)
		g->voters[i]->next = 0;
}

/* ---- no majority ----------------------------------------------------------------------------- */

#define VALUES_MAX 4 /* that a sentence names */

/* struct camp - hosts that have a value, of those that are compared */
struct camp {
	const struct peer *peers;
	size_t num;
};

static int by_size(const void *va, const void *vz)
{
	const struct camp *a = va, *z = vz;

	return order_u64(z->num, a->num) ?: order_u64(a->peers->value, z->peers->value);
}

/* Folded, of @num peers; NULL: of all voters. */
static const char *voters_text(const struct group *g, const struct peer *peers, size_t num)
{
	const char **names = sink_array(g->c->out, num, sizeof(*names));

	for (size_t i = 0; i < num; i++)
		names[i] = g->voters[peers ? peers[i].row : i]->host->name;
	return sink_folded(g->c->out, names, num);
}

static void report_camps(const struct group *g, size_t slot, size_t others)
{
	const struct compared *c = g->c;
	const struct fleet_fact *fact = slot_fact(c, slot);
	struct ibc_sink *out = c->out;
	struct camp *camps = sink_array(out, g->num, sizeof(*camps));
	const char *text = "";
	size_t all, n = 0;

	restart_voters(g);
	all = gather_values(g, slot);
	for (size_t i = 0; i < all; i++)
		if (n && camps[n - 1].peers->value == g->peers[i].value)
			camps[n - 1].num++;
		else if (g->peers[i].value)
			camps[n++] = (struct camp){ &g->peers[i], 1 };
	qsort(camps, n, sizeof(*camps), by_size);
	for (size_t i = 0; i < n && i < VALUES_MAX; i++) {
		const char *value = ibc_fleet_text(c->fleet, (uint32_t)camps[i].peers->value);

		text = sink_text(out, "%s%s%s on %zu (%s)", text, i ? ", " : "",
		                 fact_value_text(out, c->slots[slot].row, value), camps[i].num,
		                 voters_text(g, camps[i].peers, camps[i].num));
	}
	sink_as(out, IBC_INFO);
	sink_named(out, IBC_SUBJECT_HOST, voters_text(g, NULL, g->num),
	           "%s%s%s%s: no value has a majority of %d %%: %s%s", fact->name,
	           strchr(fact->thing, '*') ? " of " : "",
	           strchr(fact->thing, '*') ? slot_thing(c, slot) : "",
	           others ? sink_text(out, " (and of %zu more)", others) : "", MAJORITY, text,
	           n > VALUES_MAX ? ", and others" : "");
	sink_advise(out, "State in --policy what it must be, or split the hosts by --group.");
	sink_fact(out, "fact", ibc_str(fact->key));
}

/*
 * Compares voters @first to @end - 1 with all of the group.  Where nothing is usual, and a policy
 * says nothing, that is reported if @report, of the first of several things that have the fact.
 */
static void compare_hosts(const struct group *g, size_t first, size_t end, bool report,
                          struct deviations *all)
{
	size_t undecided[FACTS_MAX] = { 0 }, others[FACTS_MAX] = { 0 };
	const struct compared *c = g->c;

	restart_voters(g);
	for (size_t slot = 1; slot < c->num_slots; slot++) {
		struct peer_group peers = { .few = FEW, .percent = MAJORITY };
		const char *thing = slot_thing(c, slot);
		int row = c->slots[slot].row;

		if (!peers_next(g->peers, gather_values(g, slot), &peers))
			continue;
		for (size_t i = 0; peers.usual && i < peers.num; i++) {
			const struct peer *p = &peers.peers[i];
			struct compared_host *h = g->voters[p->row];

			if (p->value == peers.norm || p->row < first || p->row >= end ||
			    demanding_rule(c, h, row, thing))
				continue;
			deviation_add(c, all,
			              (struct deviation){
					  .host = (size_t)(h - c->hosts),
					  .row = row,
					  .count = peers.count,
					  .of = peers.num,
					  .thing = thing,
					  .value = ibc_fleet_text(c->fleet, (uint32_t)p->value),
					  .usual = ibc_fleet_text(c->fleet, (uint32_t)peers.norm),
				      });
		}
		if (!report || peers.usual || peers.num < FEW ||
		    demanding_rule(c, g->voters[0], row, thing))
			continue;
		others[row] += undecided[row] > 0;
		undecided[row] = undecided[row] ? undecided[row] : slot;
	}
	for (size_t row = 0; row < FACTS_MAX; row++)
		if (undecided[row])
			report_camps(g, undecided[row], others[row]);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int by_part(const void *va, const void *vz)
{
	const struct compared_host *a = *(struct compared_host *const *)va;
	const struct compared_host *z = *(struct compared_host *const *)vz;
	int order = 0;

	for (size_t i = 0; !order && i < GROUP_PARTS && a->part[i]; i++)
		order = strcmp(a->part[i], z->part[i]);
	return order ?: strcmp(a->host->name, z->host->name);
}

static void report_few(const struct group *g)
{
	const struct compared *c = g->c;

	if (!g->num)
		return;
	sink_as(c->out, IBC_INFO);
	sink_named(c->out, IBC_SUBJECT_HOST, voters_text(g, NULL, g->num),
	           "not compared: fewer than %d hosts %s%s%s", FEW,
	           c->num < FEW ? "reported" : "are of this kind",
	           c->num >= FEW && c->num_parts && *g->voters[0]->part[0] ? ": " : "",
	           c->num >= FEW && c->num_parts ? g->voters[0]->part[0] : "");
	sink_advise(c->out, "%sstate in --policy what they must be.",
	            c->num < FEW ? "Give it the reports of more hosts, or "
	                         : "Group them otherwise by --group, or ");
}

/* The hosts of a group that have the part of one of them, from that one on. */
static struct group part_of(const struct group *g, size_t first, size_t part)
{
	struct group within = *g;

	within.voters = g->voters + first;
	for (within.num = 1; first + within.num < g->num; within.num++)
		if (strcmp(within.voters[within.num]->part[part], within.voters[0]->part[part]))
			break;
	return within;
}

/*
 * Groups within a group, by the next part.  One that is too small is compared with all that it is
 * among: a host whose only link is slow is of no kind of its own.
 */
static void compare_parts(const struct group *g, size_t part, struct deviations *all)
{
	struct group within;
	bool first = true;

	if (part == g->c->num_parts) {
		compare_hosts(g, 0, g->num, true, all);
		return;
	}
	for (size_t i = 0; i < g->num; i += within.num) {
		within = part_of(g, i, part);
		if (within.num >= FEW)
			compare_parts(&within, part + 1, all);
	}
	for (size_t i = 0; i < g->num; i += within.num) {
		within = part_of(g, i, part);
		if (within.num >= FEW)
			continue;
		if (!part || g->num < FEW) {
			report_few(&within);
			continue;
		}
		compare_hosts(g, i, i + within.num, first, all);
		first = false;
	}
}

static void check_outlier(const struct ibc_input *in, struct ibc_sink *out)
{
	struct compared_host **voters;
	struct deviations all = { 0 };
	struct compared c;
	struct group g;

	compared_gather(out, in->fleet, &c);
	voters = sink_array(out, c.num, sizeof(struct compared_host *));
	g = (struct group){ .c = &c,
		            .voters = voters,
		            .num = c.num,
		            .peers = sink_array(out, c.num, sizeof(struct peer)) };
	for (size_t i = 0; i < c.num; i++)
		voters[i] = &c.hosts[i];
	qsort(voters, c.num, sizeof(struct compared_host *), by_part);
	if (c.num >= FEW)
		compare_parts(&g, 0, &all);
	else
		report_few(&g);
	deviations_report(&c, &all);
}

/* ---- fleet.policy ---------------------------------------------------------------------------- */

static void demand(const struct compared *c, const struct compared_host *h, int row,
                   const char *thing, const char *value, struct deviations *all)
{
	const struct policy_rule *rule = demanding_rule(c, h, row, thing);

	if (rule && !policy_allows(rule, value))
		deviation_add(c, all,
		              (struct deviation){ .host = (size_t)(h - c->hosts),
		                                  .row = row,
		                                  .thing = thing,
		                                  .value = value,
		                                  .usual = rule->values });
}

static void check_policy(const struct ibc_input *in, struct ibc_sink *out)
{
	struct deviations all = { 0 };
	struct compared c;
	const struct ibc_policy *policy = ibc_fleet_opts_of(in->fleet)->policy;

	compared_gather(out, in->fleet, &c);
	/* a section that no host is in demands nothing: as often as not its pattern is mistyped */
	for (size_t i = 0; c.num && i < policy->num; i++) {
		const struct policy_rule *rule = &policy->rules[i];
		struct ibc_subject subject = { .kind = IBC_SUBJECT_FABRIC,
			                       .near.desc = rule->section };
		size_t first = 0; /* a section has a rule for each of its lines */

		while (strcmp(policy->rules[first].section, rule->section) != 0)
			first++;
		if (first < i || compared_selects(&c, rule))
			continue;
		sink_add(c.out, &subject,
		         "section [%s] of the policy is for none of the %zu hosts that were "
		         "compared: nothing in it was checked",
		         rule->section, c.num);
		sink_advise(c.out, "Correct its pattern, or take it out; unless the hosts that it "
		                   "is for are not among these.");
	}
	for (const struct compared_host *h = c.hosts; h < c.hosts + c.num; h++) {
		const struct fleet_fact *fact;

		for (size_t i = 0; i < h->num; i++) {
			uint32_t key = h->facts[i].key;

			demand(&c, h, c.slots[c.slot_of[key]].row,
			       ibc_fleet_key(c.fleet, key).thing,
			       ibc_fleet_text(c.fleet, h->facts[i].value), &all);
		}
		/* of what may be lacking as a whole: without any OFED, none is the value */
		for (int row = 0; (fact = fleet_fact_at((size_t)row)); row++)
			if (h->listed && fact->may_lack && !*compared_value(&c, h, row))
				demand(&c, h, row, "", "", &all);
		/* What a host does not report may be as it must be, or not. */
		for (int row = 0; (fact = fleet_fact_at((size_t)row)); row++) {
			bool has = h->listed && fact->may_lack;
			const struct policy_rule *rule;

			for (size_t i = 0; !has && i < h->num; i++)
				has = c.slots[c.slot_of[h->facts[i].key]].row == row;
			rule = has ? NULL : demanding_rule(&c, h, row, "");
			if (!rule)
				continue;
			sink_as(c.out, IBC_UNKNOWN);
			sink_named(c.out, IBC_SUBJECT_HOST, h->host->name,
			           "%s must be %s, and its report does not contain it", fact->name,
			           rule->values);
			sink_advise(c.out,
			            "Collect the report of ibcheck %s -f json there, as root.",
			            fact->command);
			sink_fact(c.out, "deviation", ibc_str(fact->key));
			sink_fact(c.out, "expected", ibc_str(rule->values));
		}
	}
	deviations_report(&c, &all);
}

const struct ibc_check ibc_checks_fleet_outlier[] = {
	CHECK("fleet.outlier", "hosts that differ from most of their kind", IBC_WARNING,
	      check_outlier, .inputs = IBC_IN_FLEET, .kinds = "{deviation}{fact}"),
	CHECK("fleet.policy", "hosts that are not as the policy demands", IBC_WARNING, check_policy,
	      .inputs = IBC_IN_FLEET | IBC_IN_POLICY, .kinds = "{deviation}{fact}"),
	{ 0 },
};
