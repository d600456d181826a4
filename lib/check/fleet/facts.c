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

static size_t count_compared(const struct compared *c, const struct ibc_fleet_host *host)
{
	size_t n = 0;

	for (size_t i = 0; i < host->num_reports; i++)
		for (size_t k = 0; !host->reports[i]->superseded && k < host->reports[i]->num_facts;
		     k++)
			n += c->slot_of[host->reports[i]->facts[k].key] != FACT_NONE;
	return n;
}

/* Of a fact that several reports have, the first one's counts: "host" before "ipoib". */
static void gather_facts(struct compared *c, struct compared_host *h, uint32_t modules)
{
	struct ibc_fleet_fact *facts = sink_array(c->out, count_compared(c, h->host),
	                                          sizeof(*facts));

	h->facts = facts;
	h->most = sink_array(c->out, FACTS_MAX, sizeof(*h->most));
	for (size_t i = 0; i < h->host->num_reports; i++) {
		const struct ibc_fleet_report *r = h->host->reports[i];
		size_t n = h->num, known = h->num;

		for (size_t k = 0; !r->superseded && k < r->num_facts; k++) {
			const struct ibc_fleet_fact *f = &r->facts[k];

			h->listed |= modules && f->key == modules;
			if (c->slot_of[f->key] != FACT_NONE &&
			    !(known && bsearch(f, facts, known, sizeof(*facts), by_key)))
				facts[n++] = *f;
		}
		qsort(facts, n, sizeof(*facts), by_key);
		h->num = 0; /* one host has one vote */
		for (size_t k = 0; k < n; k++)
			if (!h->num || facts[h->num - 1].key != facts[k].key)
				facts[h->num++] = facts[k];
	}
}

static uint32_t find_value(const struct compared *c, const struct compared_host *h, int row)
{
	uint32_t best = 0;
	size_t most = 0;

	for (size_t i = 0; i < h->num; i++) {
		size_t n = 0;

		if (c->slots[c->slot_of[h->facts[i].key]].row != row)
			continue;
		for (size_t k = 0; k < h->num; k++)
			n += h->facts[k].value == h->facts[i].value &&
			     c->slots[c->slot_of[h->facts[k].key]].row == row;
		best = n > most ? h->facts[i].value : best;
		most = n > most ? n : most;
	}
	return best;
}

/* Found once: a policy asks for each of many things. */
const char *compared_value(const struct compared *c, const struct compared_host *h, int row)
{
	uint32_t *most = &h->most[row];

	if (!*most)
		*most = 1 + find_value(c, h, row);
	return ibc_fleet_text(c->fleet, *most - 1);
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

		h->host = host;
		if (!fleet_reported_well(host))
			continue;
		gather_facts(c, h, modules);
		find_parts(c, h, group);
		c->num++;
	}
}

/* ---- the policy ------------------------------------------------------------------------------ */

/* "mlx5_0/1" and "mlx5_0/0" are of one device. */
static bool same_device(const char *a, const char *z)
{
	size_t n = strcspn(a, "/");

	return n == strcspn(z, "/") && !strncmp(a, z, n);
}

/* What the thing's own device reports counts, else what most of the host do. */
static const char *selecting_value(const struct compared *c, const struct compared_host *h,
                                   int selector, const char *thing)
{
	for (size_t i = 0; *thing && i < h->num; i++) {
		uint32_t key = h->facts[i].key;

		if (c->slots[c->slot_of[key]].row == selector &&
		    same_device(ibc_fleet_key(c->fleet, key).thing, thing))
			return ibc_fleet_text(c->fleet, h->facts[i].value);
	}
	return compared_value(c, h, selector);
}

static bool is_selected(const struct compared *c, const struct compared_host *h,
                        const struct policy_rule *rule, const char *thing)
{
	if (rule->selector == SELECT_ALL)
		return true;
	return !fnmatch(rule->pattern,
	                rule->selector == SELECT_HOST
	                    ? h->host->name
	                    : selecting_value(c, h, rule->selector, thing),
	                0);
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
