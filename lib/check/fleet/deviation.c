/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deviations as findings.  Hosts that deviate in several facts alike, as after half an upgrade,
 * have one fault: what they have in common is one sentence, and one case.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "check/fleet/facts.h"

#define SHOWN_FACTS 4         /* facts that a sentence names: more is a list */
#define NAMED_MAX   FACTS_MAX /* that a case is known by: each fact, where a host has one of each */

void deviation_add(const struct compared *c, struct deviations *all, struct deviation one)
{
	arena_grow(c->out->scratch, &all->list, all->num, &all->room, sizeof(one));
	all->list[all->num++] = one;
}

/* The same of several things of a host, and then of several hosts, side by side. */
static int by_fact(const void *va, const void *vz)
{
	const struct deviation *a = va, *z = vz;
	int order = order_u64((uint64_t)a->row, (uint64_t)z->row);

	order = order ?: strcmp(a->value, z->value);
	order = order ?: strcmp(a->usual, z->usual);
	order = order ?: order_u64(a->host, z->host);
	return order ?: strcmp(a->thing, z->thing);
}

/*
 * struct shared - a fact that hosts share in which they deviate
 * @first, @end: its deviations, by host;  @at: those of the host that is reported next
 * @hosts: a hash of which they are
 * @next: another one of the same hosts, or NULL; @follows: it is such
 */
struct shared {
	const struct deviation *first, *at, *end;
	uint64_t hosts;
	struct shared *next;
	bool follows;
};

static int by_hosts(const void *va, const void *vz)
{
	const struct shared *a = *(struct shared *const *)va, *z = *(struct shared *const *)vz;

	return order_u64(a->hosts, z->hosts) ?: order_u64((uintptr_t)a, (uintptr_t)z);
}

/* Facts with their deviations, *n of them; those of the same hosts follow the first of them. */
static struct shared *list_shared(const struct compared *c, struct deviations *all, size_t *n)
{
	struct shared *list = sink_array(c->out, all->num, sizeof(*list));
	struct shared **order = sink_array(c->out, all->num, sizeof(struct shared *));

	*n = 0;
	qsort(all->list, all->num, sizeof(*all->list), by_fact);
	for (size_t i = 0, end; i < all->num; i = end) {
		const struct deviation *first = &all->list[i], *d = first;
		uint64_t hosts = 0;

		for (; d < &all->list[all->num] && d->row == first->row &&
		       !strcmp(d->value, first->value) && !strcmp(d->usual, first->usual);
		     d++)
			if (d == first || d->host != d[-1].host)
				hosts = hash_mix(hosts ^ d->host);
		end = (size_t)(d - all->list);
		list[*n] = (struct shared){ .first = first, .at = first, .end = d, .hosts = hosts };
		order[*n] = &list[*n];
		++*n;
	}
	qsort(order, *n, sizeof(struct shared *), by_hosts);
	for (size_t i = 1; i < *n; i++) {
		order[i]->follows = order[i]->hosts == order[i - 1]->hosts;
		if (order[i]->follows)
			order[i - 1]->next = order[i];
	}
	return list;
}

/* ---- sentences ------------------------------------------------------------------------------- */

const char *fact_value_text(struct ibc_sink *out, int row, const char *value)
{
	const struct fleet_fact *fact = fleet_fact_at((size_t)row);
	size_t n = strlen(value);

	if (!n)
		return "none";
	if (fact->words && strstr(fact->words, FACT_NUMBER) && n > 2 &&
	    !strcmp(value + n - 2, ".0")) /* "400.0" */
		n -= 2;
	return sink_text(out, "%.*s%s", (int)n, value, fact->unit);
}

/* What the next host has of this fact; " of mlx5_0/1 and 7 more", if it is one of several things.
 */
static const char *next_sentence(struct ibc_sink *out, struct shared *s)
{
	const struct deviation *first = s->at;
	const struct fleet_fact *fact = fleet_fact_at((size_t)first->row);
	const char *value = fact_value_text(out, first->row, first->value), *of = "";
	size_t n = 0;

	for (; s->at < s->end && s->at->host == first->host; s->at++)
		n++;
	if (strchr(fact->thing, '*'))
		of = n > 1 ? sink_text(out, " of %s and %zu more", first->thing, n - 1)
		           : sink_text(out, " of %s", first->thing);
	if (first->count)
		return sink_text(out, "%s%s is %s (%zu of %zu hosts: %s)", fact->name, of, value,
		                 first->count, first->of,
		                 fact_value_text(out, first->row, first->usual));
	return sink_text(out, "%s%s is %s (must be %s)", fact->name, of, value, first->usual);
}

/* What most have is not right for being older. */
static bool is_newer(const struct deviation *d)
{
	const char *words = fleet_fact_at((size_t)d->row)->words;

	return d->count && words && !strcmp(words, FACT_VERSION) && *d->value && *d->usual &&
	       str_version_order(d->value, d->usual) > 0;
}

void deviations_report(const struct compared *c, struct deviations *all)
{
	struct ibc_sink *out = c->out;
	struct shared *list;
	size_t num;

	if (!all->num)
		return;
	list = list_shared(c, all, &num);
	for (size_t i = 0; i < num; i++) {
		/* "firmware 28.38.1000, kernel 5.15": by which a case of many hosts is known again
		 */
		const char *name = "";
		size_t facts = 0;

		if (list[i].follows)
			continue;
		for (const struct shared *s = &list[i]; s && facts < NAMED_MAX;
		     s = s->next, facts++)
			name = sink_text(out, "%s%s%s %s", name, *name ? ", " : "",
			                 fleet_fact_at((size_t)s->first->row)->key,
			                 fact_value_text(out, s->first->row, s->first->value));
		while (list[i].at < list[i].end) {
			const struct deviation *first = list[i].at;
			const struct fleet_fact *fact = fleet_fact_at((size_t)first->row);
			const char *text = "", *newer = "", *one;
			size_t n = 0;

			for (struct shared *s = &list[i]; s; s = s->next, n++) {
				if (is_newer(s->at))
					newer = sink_text(out, "%s%s%s", newer, *newer ? ", " : "",
					                  fleet_fact_at((size_t)s->at->row)->name);
				one = next_sentence(out, s);
				if (n < SHOWN_FACTS)
					text = sink_text(out, "%s%s%s", text, n ? "; " : "", one);
			}
			if (n > SHOWN_FACTS)
				text = sink_text(out, "%s; and %zu other facts", text,
				                 n - SHOWN_FACTS);
			sink_named(out, IBC_SUBJECT_HOST, c->hosts[first->host].host->name, "%s",
			           text);
			sink_advise(out,
			            *newer ? "Newer here: %s. Update the others, or state in "
			                     "--policy what must be."
			            : first->count
			                ? "Bring %s to the state of the others, or state in "
			                  "--policy what it must be."
			                : "Bring %s to what the policy demands, or correct "
			                  "the policy.",
			            *newer  ? newer
			            : n > 1 ? "these facts"
			                    : fact->name);
			sink_fact(out, "deviation", ibc_str(name));
			sink_fact(out, "fact", ibc_str(fact->key));
			sink_fact(out, "found",
			          ibc_str(fact_value_text(out, first->row, first->value)));
			sink_fact(out, "expected",
			          ibc_str(first->count
			                      ? fact_value_text(out, first->row, first->usual)
			                      : first->usual));
		}
	}
}
