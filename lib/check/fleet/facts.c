/* SPDX-License-Identifier: BSD-2-Clause */
/* The facts of each host, once each, and what it is grouped by. */
#include "check/fleet/facts.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "fleet/fleet.h"

/* ---- facts of a host ------------------------------------------------------------------------- */

static int by_key(const void *va, const void *vz)
{
	const struct ibc_fleet_fact *a = va, *z = vz;

	return order_u64(a->key, z->key);
}

/* Found once: a policy asks for each of many things. */
const char *compared_value(const struct compared *c, const struct compared_host *h, int row)
{
	uint32_t *found = &h->most[row], best = 0;
	size_t most = 0;

	for (size_t i = 0; !*found && i < h->num; i++) {
		size_t n = 0;

		if (c->slots[c->slot_of[h->facts[i].key]].row != row)
			continue;
		for (size_t k = 0; k < h->num; k++)
			n += h->facts[k].value == h->facts[i].value &&
			     c->slots[c->slot_of[h->facts[k].key]].row == row;
		best = n > most ? h->facts[i].value : best;
		most = n > most ? n : most;
	}
	if (!*found)
		*found = 1 + best;
	return ibc_fleet_text(c->fleet, *found - 1);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void find_parts(struct compared *c, struct compared_host *h, const char *group)
{
	const char *name = h->host->name;
	size_t n = 0, prefix = strlen(name);

	/* "n001" is of "n", and "r1n01" of "r1n" */
	while (prefix && strchr("0123456789", name[prefix - 1]))
		prefix--;
	for (size_t length; *group && n < GROUP_PARTS; group += length + (group[length] == ',')) {
		int row;

		length = strcspn(group, ",");
		row = fleet_fact_named(group, length);
		if (row >= 0)
			h->part[n++] = compared_value(c, h, row);
		else if (!strncmp(group, "name", 4))
			h->part[n++] = sink_text(c->out, "%.*s", (int)prefix, name);
	}
	c->num_parts = n;
}

void compared_gather(struct ibc_sink *out, const struct ibc_fleet *fleet, struct compared *c)
{
	const char *group = ibc_fleet_opts_of(fleet)->group ?: IBC_FLEET_GROUP;
	const struct ibc_fleet_host *host;
	size_t n = 0, num_keys = ibc_fleet_num_keys(fleet);
	uint32_t modules = 0;

	*c = (struct compared){ .out = out, .fleet = fleet };
	while (ibc_fleet_host(fleet, n))
		n++;
	c->hosts = sink_array(out, n + 1, sizeof(*c->hosts));
	c->slot_of = sink_array(out, num_keys + 1, sizeof(*c->slot_of));
	c->slots = sink_array(out, num_keys + 1, sizeof(*c->slots));
	c->num_slots = 1; /* 0 is FACT_NONE */
	for (uint32_t key = 1; key < num_keys; key++) {
		struct ibc_fleet_key k = ibc_fleet_key(fleet, key);
		int row = fleet_fact_of(k);

		if (!modules && !strcmp(k.what, "modules") && !strcmp(k.thing, "kernel") &&
		    !strcmp(k.table, "facts"))
			modules = key;
		if (row < 0)
			continue;
		c->slot_of[key] = (uint32_t)c->num_slots;
		c->slots[c->num_slots++] = (struct fact_slot){ key, row };
	}
	for (size_t i = 0; (host = ibc_fleet_host(fleet, i)); i++) {
		struct compared_host *h = &c->hosts[c->num];
		struct ibc_fleet_fact *facts = NULL;
		size_t room = 0;

		h->host = host;
		if (!fleet_reported_well(host))
			continue;
		/* of a fact that several reports have, the first one's counts: "host" before
		 * "ipoib" */
		h->most = sink_array(out, FACTS_MAX, sizeof(*h->most));
		for (size_t k = 0; k < host->num_reports; k++) {
			const struct ibc_fleet_report *r = host->reports[k];
			size_t end = h->num, known = h->num;

			for (size_t f = 0; !r->superseded && f < r->num_facts; f++) {
				const struct ibc_fleet_fact *fact = &r->facts[f];

				h->listed |= modules && fact->key == modules;
				if (c->slot_of[fact->key] == FACT_NONE ||
				    (known && bsearch(fact, facts, known, sizeof(*facts), by_key)))
					continue;
				arena_grow(out->scratch, &facts, end, &room, sizeof(*facts));
				facts[end++] = *fact;
			}
			if (end)
				qsort(facts, end, sizeof(*facts), by_key);
			h->num = 0; /* one host has one vote */
			for (size_t f = 0; f < end; f++)
				if (!h->num || facts[h->num - 1].key != facts[f].key)
					facts[h->num++] = facts[f];
		}
		h->facts = facts;
		find_parts(c, h, group);
		c->num++;
	}
}

/* ---- the policy ------------------------------------------------------------------------------ */

/*
 * By what the thing's own device reports, else by what most of the host do; "mlx5_0/1" and
 * "mlx5_0/0" are of one device.
 */
static bool is_selected(const struct compared *c, const struct compared_host *h,
                        const struct policy_rule *rule, const char *thing)
{
	size_t device = strcspn(thing, "/");

	if (rule->selector == SELECT_ALL)
		return true;
	if (rule->selector == SELECT_HOST)
		return !fnmatch(rule->pattern, h->host->name, 0);
	for (size_t i = 0; *thing && i < h->num; i++) {
		uint32_t key = h->facts[i].key;
		const char *other = ibc_fleet_key(c->fleet, key).thing;

		if (c->slots[c->slot_of[key]].row == rule->selector &&
		    strcspn(other, "/") == device && !strncmp(other, thing, device))
			return !fnmatch(rule->pattern, ibc_fleet_text(c->fleet, h->facts[i].value),
			                0);
	}
	return !fnmatch(rule->pattern, compared_value(c, h, rule->selector), 0);
}

const struct policy_rule *demanding_rule(const struct compared *c, const struct compared_host *h,
                                         int row, const char *thing)
{
	const struct ibc_policy *policy = ibc_fleet_opts_of(c->fleet)->policy;

	if (!policy || !(policy->rows >> row & 1))
		return NULL;
	for (size_t i = policy->num; i > 0; i--)
		if (policy->rules[i - 1].row == row &&
		    is_selected(c, h, &policy->rules[i - 1], thing))
			return &policy->rules[i - 1];
	return NULL;
}

bool compared_selects(const struct compared *c, const struct policy_rule *rule)
{
	const struct ibc_fleet_host *host;

	for (size_t i = 0; rule->selector == SELECT_HOST && (host = ibc_fleet_host(c->fleet, i));
	     i++)
		if (!fnmatch(rule->pattern, host->name, 0))
			return true;
	for (size_t i = 0; i < c->num; i++) {
		const struct compared_host *h = &c->hosts[i];

		if (is_selected(c, h, rule, ""))
			return true;
		for (size_t k = 0; rule->selector >= 0 && k < h->num; k++)
			if (c->slots[c->slot_of[h->facts[k].key]].row == rule->selector &&
			    !fnmatch(rule->pattern, ibc_fleet_text(c->fleet, h->facts[k].value), 0))
				return true;
	}
	return false;
}
