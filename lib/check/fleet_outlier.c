/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts that are not as others of their kind, and not as the site's policy demands.  Nobody has
 * to tell what is right: what most have is, unless a policy says else.  Majorities are found by
 * the vote of Boyer and Moore, in one walk over the facts of a group and without a list of values.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/folded.h"
#include "check/fleet_facts.h"
#include "check/groups.h"

#define FEW      4  /* of fewer hosts none is usual: two against one says nothing */
#define MAJORITY 60 /* percent: what fewer have are two ways to be */

/* ---- majorities ------------------------------------------------------------------------------ */

/*
 * struct vote - a fact in a group of hosts
 * @value: that which may have the majority;  @balance: of the vote
 * @known: hosts that tell it;  @count: that have @value
 */
struct vote {
	uint32_t value;
	size_t balance, known, count;
};

/* struct electing - hosts that are compared: @voters[0] to @voters[num - 1]; @votes: by slot */
struct electing {
	const struct compared *c;
	struct vote *votes;
	struct compared_host *const *voters;
	size_t num, listed;
};

static const struct fleet_fact *slot_fact(const struct compared *c, size_t slot)
{
	return fleet_fact_at((size_t)c->slots[slot].row);
}

static const char *slot_thing(const struct compared *c, size_t slot)
{
	return ibc_fleet_key(c->fleet, c->slots[slot].key).thing;
}

static void vote(struct vote *v, uint32_t value)
{
	if (!v->balance)
		v->value = value;
	if (v->value == value)
		v->balance++;
	else
		v->balance--;
	v->known++;
}

/* Two walks: who can have the majority, and who has it. */
static void elect(struct electing *e)
{
	memset(e->votes, 0, e->c->num_slots * sizeof(*e->votes));
	e->listed = 0;
	for (size_t i = 0; i < e->num; i++) {
		for (size_t k = 0; k < e->voters[i]->num; k++)
			vote(&e->votes[e->c->slot_of[e->voters[i]->facts[k].key]],
			     e->voters[i]->facts[k].value);
		e->listed += e->voters[i]->listed;
	}
	for (size_t i = 0; i < e->num; i++)
		for (size_t k = 0; k < e->voters[i]->num; k++) {
			const struct ibc_fleet_fact *f = &e->voters[i]->facts[k];
			struct vote *v = &e->votes[e->c->slot_of[f->key]];

			v->count += v->value == f->value;
		}
	for (size_t slot = 1; slot < e->c->num_slots; slot++) {
		struct vote *v = &e->votes[slot];
		size_t lack = e->listed > v->known ? e->listed - v->known : 0;

		if (!slot_fact(e->c, slot)->may_lack || !v->known || !lack)
			continue;
		v->known += lack;
		if (lack > v->count) {
			v->count = lack;
			v->value = 0;
		}
	}
}

static bool is_elected(const struct vote *v)
{
	return v->known >= FEW && v->count * 100 >= v->known * MAJORITY;
}

/* ---- outliers -------------------------------------------------------------------------------- */

static void compare_value(const struct electing *e, const struct compared_host *h, size_t slot,
                          uint32_t value, struct deviations *all)
{
	const struct vote *v = &e->votes[slot];
	const struct compared *c = e->c;

	if (!is_elected(v) || v->value == value ||
	    demanding_rule(c, h, c->slots[slot].row, slot_thing(c, slot)))
		return;
	deviation_add(c, all,
	              (struct deviation){ .host = (size_t)(h - c->hosts),
	                                  .row = c->slots[slot].row,
	                                  .count = v->count,
	                                  .of = v->known,
	                                  .thing = slot_thing(c, slot),
	                                  .value = ibc_fleet_text(c->fleet, value),
	                                  .usual = ibc_fleet_text(c->fleet, v->value) });
}

static void compare_host(const struct electing *e, const struct compared_host *h,
                         struct deviations *all)
{
	const struct compared *c = e->c;

	for (size_t i = 0; i < h->num; i++)
		compare_value(e, h, c->slot_of[h->facts[i].key], h->facts[i].value, all);
	for (size_t slot = 1; h->listed && slot < c->num_slots; slot++)
		if (slot_fact(c, slot)->may_lack && e->votes[slot].value &&
		    !compared_fact(h, c->slots[slot].key))
			compare_value(e, h, slot, 0, all);
}

/* ---- no majority ----------------------------------------------------------------------------- */

#define VALUES_MAX 4 /* that a sentence names */

/* struct camp - hosts that have a value */
struct camp {
	uint32_t value;
	size_t num;
};

static int by_size(const void *va, const void *vz)
{
	const struct camp *a = va, *z = vz;

	return order_u64(z->num, a->num) ?: order_u64(a->value, z->value);
}

static int by_camp_value(const void *va, const void *vz)
{
	const struct camp *a = va, *z = vz;

	return order_u64(a->value, z->value);
}

/* The values of a fact, the most frequent first; *n of them. */
static struct camp *list_camps(const struct electing *e, size_t slot, size_t *n)
{
	struct camp *list = sink_array(e->c->out, e->num + 1, sizeof(*list));
	size_t all = 0;

	*n = 0;
	for (size_t i = 0; list && i < e->num; i++) {
		const struct ibc_fleet_fact *f = compared_fact(e->voters[i], e->c->slots[slot].key);

		if (f)
			list[all++] = (struct camp){ f->value, 1 };
	}
	if (!all)
		return list;
	qsort(list, all, sizeof(*list), by_camp_value);
	for (size_t i = 0; i < all; i++)
		if (*n && list[*n - 1].value == list[i].value)
			list[*n - 1].num++;
		else
			list[(*n)++] = list[i];
	qsort(list, *n, sizeof(*list), by_size);
	return list;
}

static const char *camp_hosts(const struct electing *e, size_t slot, uint32_t value)
{
	const char **names = sink_array(e->c->out, e->num + 1, sizeof(*names)), *list;
	size_t n = 0;

	for (size_t i = 0; names && i < e->num; i++) {
		const struct ibc_fleet_fact *f = compared_fact(e->voters[i], e->c->slots[slot].key);

		if (f && f->value == value)
			names[n++] = e->voters[i]->host->name;
	}
	list = names ? folded_names(e->c->out->scratch, names, n) : NULL;
	e->c->out->failed |= !list;
	return list ? list : "";
}

static const char *voters_text(const struct compared *c, struct compared_host *const *voters,
                               size_t num)
{
	const char **names = sink_array(c->out, num + 1, sizeof(*names)), *list;

	for (size_t i = 0; names && i < num; i++)
		names[i] = voters[i]->host->name;
	list = names ? folded_names(c->out->scratch, names, num) : NULL;
	c->out->failed |= !list;
	return list ? list : "";
}

static void tell_camps(const struct electing *e, size_t slot, size_t others)
{
	struct ibc_sink *out = e->c->out;
	size_t n;
	const struct camp *camps = list_camps(e, slot, &n);
	const char *text = "";

	for (size_t i = 0; camps && i < n && i < VALUES_MAX; i++)
		text = sink_text(out, "%s%s%s on %zu (%s)", text, i ? ", " : "",
		                 fact_value_text(out, e->c->slots[slot].row,
		                                 ibc_fleet_text(e->c->fleet, camps[i].value)),
		                 camps[i].num, camp_hosts(e, slot, camps[i].value));
	sink_as(out, IBC_INFO);
	sink_named(out, IBC_SUBJECT_HOST, voters_text(e->c, e->voters, e->num),
	           "%s%s%s%s: no value has a majority of %d %%: %s%s", slot_fact(e->c, slot)->name,
	           strchr(slot_fact(e->c, slot)->thing, '*') ? " of " : "",
	           strchr(slot_fact(e->c, slot)->thing, '*') ? slot_thing(e->c, slot) : "",
	           others ? sink_text(out, " (and of %zu more)", others) : "", MAJORITY, text,
	           n > VALUES_MAX ? ", and others" : "");
	sink_advise(out, "State in --policy what it must be, or split the hosts by --group.");
	sink_fact(out, "fact", ibc_str(slot_fact(e->c, slot)->key));
}

/* Of a fact that several things have, the first one is told. */
static void tell_undecided(const struct electing *e)
{
	size_t first[FACTS_MAX] = { 0 }, others[FACTS_MAX] = { 0 };
	const struct compared *c = e->c;

	for (size_t slot = 1; slot < c->num_slots; slot++) {
		const struct vote *v = &e->votes[slot];
		int row = c->slots[slot].row;

		if (v->known < FEW || is_elected(v) ||
		    demanding_rule(c, e->voters[0], row, slot_thing(c, slot)))
			continue;
		if (first[row])
			others[row]++;
		else
			first[row] = slot;
	}
	for (size_t row = 0; row < FACTS_MAX; row++)
		if (first[row])
			tell_camps(e, first[row], others[row]);
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

static void tell_few(const struct compared *c, struct compared_host *const *voters, size_t num)
{
	if (!num)
		return;
	sink_as(c->out, IBC_INFO);
	sink_named(c->out, IBC_SUBJECT_HOST, voters_text(c, voters, num),
	           "not compared: fewer than %d hosts %s%s%s", FEW,
	           c->num < FEW ? "reported" : "are of this kind",
	           c->num >= FEW && c->num_parts && *voters[0]->part[0] ? ": " : "",
	           c->num >= FEW && c->num_parts ? voters[0]->part[0] : "");
	sink_advise(c->out, "%sstate in --policy what they must be.",
	            c->num < FEW ? "Give it the reports of more hosts, or "
	                         : "Group them otherwise by --group, or ");
}

/* How many from the first have its part. */
static size_t count_alike(struct compared_host *const *voters, size_t num, size_t part)
{
	size_t n = 1;

	while (n < num && !strcmp(voters[n]->part[part], voters[0]->part[part]))
		n++;
	return n;
}

static void judge_group(struct electing *e, struct compared_host *const *voters, size_t num,
                        struct deviations *all)
{
	e->voters = voters;
	e->num = num;
	elect(e);
	for (size_t i = 0; i < num; i++)
		compare_host(e, voters[i], all);
	tell_undecided(e);
}

/*
 * Groups within a group, by the next part.  One that is too small is compared with all that it is
 * among: a host whose only link is slow is of no kind of its own.
 */
static void judge_parts(struct electing *e, struct compared_host *const *voters, size_t num,
                        size_t part, struct deviations *all)
{
	const struct compared *c = e->c;
	bool elected = false;

	if (part == c->num_parts) {
		judge_group(e, voters, num, all);
		return;
	}
	for (size_t i = 0, n; i < num; i += n) {
		n = count_alike(voters + i, num - i, part);
		if (n >= FEW)
			judge_parts(e, voters + i, n, part + 1, all);
	}
	for (size_t i = 0, n; i < num; i += n) {
		n = count_alike(voters + i, num - i, part);
		if (n >= FEW)
			continue;
		if (!part || num < FEW) {
			tell_few(c, voters + i, n);
			continue;
		}
		e->voters = voters;
		e->num = num;
		if (!elected) {
			elect(e);
			tell_undecided(e);
		}
		elected = true;
		for (size_t k = i; k < i + n; k++)
			compare_host(e, voters[k], all);
	}
}

static void check_outlier(const struct ibc_input *in, struct ibc_sink *out)
{
	struct compared_host **voters;
	struct deviations all = { 0 };
	struct electing e;
	struct compared c;

	if (!compared_gather(out, in->fleet, &c))
		return;
	voters = sink_array(out, c.num + 1, sizeof(struct compared_host *));
	e = (struct electing){ .c = &c,
		               .votes = sink_array(out, c.num_slots, sizeof(struct vote)) };
	if (!voters || !e.votes || !c.num)
		return;
	for (size_t i = 0; i < c.num; i++)
		voters[i] = &c.hosts[i];
	qsort(voters, c.num, sizeof(struct compared_host *), by_part);
	if (c.num >= FEW)
		judge_parts(&e, voters, c.num, 0, &all);
	else
		tell_few(&c, voters, c.num);
	deviations_tell(&c, &all);
}

/* ---- fleet.policy ---------------------------------------------------------------------------- */

static bool tells(const struct compared *c, const struct compared_host *h, int row)
{
	for (size_t i = 0; i < h->num; i++)
		if (c->slots[c->slot_of[h->facts[i].key]].row == row)
			return true;
	return h->listed && fleet_fact_at((size_t)row)->may_lack;
}

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

/* What a host does not tell is not as it must be, nor is it not. */
static void demand_told(const struct compared *c, const struct compared_host *h)
{
	const struct fleet_fact *fact;

	for (int row = 0; (fact = fleet_fact_at((size_t)row)); row++) {
		const struct policy_rule *rule = tells(c, h, row) ? NULL
		                                                  : demanding_rule(c, h, row, "");

		if (!rule)
			continue;
		sink_as(c->out, IBC_UNKNOWN);
		sink_named(c->out, IBC_SUBJECT_HOST, h->host->name,
		           "%s must be %s, and its report does not contain it", fact->name,
		           rule->values);
		sink_advise(c->out, "Collect the report of ibcheck %s -f json there, as root.",
		            fact->command);
		sink_fact(c->out, "deviation", ibc_str(fact->key));
		sink_fact(c->out, "expected", ibc_str(rule->values));
	}
}

/* Of what may be lacking as a whole: without any OFED, none is the value. */
static bool lacks(const struct compared *c, const struct compared_host *h, int row)
{
	return h->listed && fleet_fact_at((size_t)row)->may_lack && !*compared_value(c, h, row);
}

static void demand_facts(const struct compared *c, const struct compared_host *h,
                         struct deviations *all)
{
	for (size_t i = 0; i < h->num; i++) {
		uint32_t key = h->facts[i].key;

		demand(c, h, c->slots[c->slot_of[key]].row, ibc_fleet_key(c->fleet, key).thing,
		       ibc_fleet_text(c->fleet, h->facts[i].value), all);
	}
	for (int row = 0; fleet_fact_at((size_t)row); row++)
		if (lacks(c, h, row))
			demand(c, h, row, "", "", all);
	demand_told(c, h);
}

/* A section has a rule for each of its lines. */
static bool is_section_told(const struct ibc_policy *policy, size_t rule)
{
	size_t i = 0;

	while (strcmp(policy->rules[i].section, policy->rules[rule].section) != 0)
		i++;
	return i < rule;
}

/* What nobody is in demands nothing: as often as not its pattern is mistyped. */
static void tell_unused(const struct compared *c, const struct ibc_policy *policy)
{
	for (size_t i = 0; c->num && i < policy->num; i++) {
		const struct policy_rule *rule = &policy->rules[i];
		struct ibc_subject subject = { .kind = IBC_SUBJECT_FABRIC,
			                       .near.desc = rule->section };

		if (is_section_told(policy, i) || compared_selects(c, rule))
			continue;
		sink_add(c->out, &subject,
		         "section [%s] of the policy is for none of the %zu hosts that were "
		         "compared: nothing in it was checked",
		         rule->section, c->num);
		sink_advise(c->out, "Correct its pattern, or take it out; unless the hosts that it "
		                    "is for are not among these.");
	}
}

static void check_policy(const struct ibc_input *in, struct ibc_sink *out)
{
	struct deviations all = { 0 };
	struct compared c;

	if (!compared_gather(out, in->fleet, &c))
		return;
	tell_unused(&c, ibc_fleet_opts_of(in->fleet)->policy);
	for (size_t i = 0; i < c.num; i++)
		demand_facts(&c, &c.hosts[i], &all);
	deviations_tell(&c, &all);
}

const struct ibc_check ibc_checks_fleet_outlier[] = {
	CHECK("fleet.outlier", "hosts that differ from most of their kind", IBC_WARNING,
	      check_outlier, .inputs = IBC_IN_FLEET, .kinds = "{deviation}{fact}"),
	CHECK("fleet.policy", "hosts that are not as the policy demands", IBC_WARNING, check_policy,
	      .inputs = IBC_IN_FLEET | IBC_IN_POLICY, .kinds = "{deviation}{fact}"),
	{ 0 },
};
