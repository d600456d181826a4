/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/phrases.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "analysis/compare/changes.h"
#include "base/array.h"
#include "base/str.h"
#include "check/counters/links.h"

#define STEPS_MAX 3 /* named in a remedy: the rest is in a table */

/* ---- names ------------------------------------------------------------------- */

struct ibc_end end_at(const struct ibc_node *node, unsigned int port)
{
	const struct ibc_port *there = ibc_node_port(node, port);
	struct ibc_end end = there ? end_of_port(there) : end_of_node(node);

	end.port = port;
	end.has_port = true;
	return end;
}

/* As findings are sorted: a GUID that the plan does not know says nothing. */
struct ibc_subject cable_of(struct ibc_end a, struct ibc_end z)
{
	bool nearer = a.guid != z.guid ? a.guid < z.guid : a.port < z.port;

	if (a.has_guid != z.has_guid)
		nearer = a.has_guid;
	return (struct ibc_subject){ IBC_SUBJECT_CABLE, nearer ? a : z, nearer ? z : a };
}

struct ibc_subject cable_between(const struct ibc_place *a, const struct ibc_place *z)
{
	return cable_of(end_at(a->node, a->port), end_at(z->node, z->port));
}

/* Of a cable to what does not answer only the one end is known. */
struct ibc_subject found_cable(const struct ibc_port *found)
{
	if (!found->peer)
		return (struct ibc_subject){ IBC_SUBJECT_PORT, .near = end_of_port(found) };
	return cable_of(end_of_port(found), end_of_port(found->peer));
}

static const char *join_texts(struct ibc_sink *out, const char *const *shown, size_t n,
                              const char *last_word)
{
	size_t last = n < SHOWN_MAX ? n : SHOWN_MAX;
	const char *text = last ? shown[0] : "";

	for (size_t i = 1; i < last; i++)
		text = sink_text(out, "%s%s%s", text, i + 1 == n ? last_word : ", ", shown[i]);
	return n > last ? sink_text(out, "%s and %zu more", text, n - last) : text;
}

const char *list_text(struct ibc_sink *out, const char *const *shown, size_t n)
{
	return join_texts(out, shown, n, " and ");
}

const char *clauses_text(struct ibc_sink *out, const char *const *shown, size_t n)
{
	return join_texts(out, shown, n, ", ");
}

const char *number_text(struct ibc_sink *out, size_t n)
{
	static const char *const words[] = { "no", "one", "two", "three", "four", "five", "six" };

	return n < ARRAY_SIZE(words) ? words[n] : sink_text(out, "%zu", n);
}

const char *amount_text(struct ibc_sink *out, size_t n, const char *what)
{
	char text[AMOUNT_TEXT];

	return sink_text(out, "%s", str_amount(text, n, what));
}

void add_clause(struct ibc_sink *out, struct clauses *c, const struct ibc_end *what,
                const struct ibc_end *where)
{
	if (c->n < SHOWN_MAX)
		c->shown[c->n] = sink_text(out, "%s %son %s", end_text(out, what),
		                           c->n ? "" : "belongs ", end_text(out, where));
	c->n++;
}

/* ---- states ---------------------------------------------------------------------- */

static const char *phys_name(const struct ibc_port *p)
{
	return ibc_phys_state_word(p->phys_state)->name;
}

/* ": leaf03/19 is Polling, spine01/3 is Disabled", as far as that is known */
const char *states_text(struct ibc_sink *out, const struct ibc_port *a, const struct ibc_port *z)
{
	const char *counted = counted_text(out, a, z);

	if (a && z && a->phys_state == z->phys_state)
		return sink_text(out, ": both of its ports are %s%s", phys_name(a), counted);
	if (a && z)
		return sink_text(out, ": %s is %s, %s is %s%s", port_text(out, a), phys_name(a),
		                 port_text(out, z), phys_name(z), counted);
	a = a ? a : z;
	return a ? sink_text(out, ": %s is %s%s", port_text(out, a), phys_name(a), counted) : "";
}

const char *counted_text(struct ibc_sink *out, const struct ibc_port *a, const struct ibc_port *z)
{
	const struct ibc_port *ends[] = { a, z };
	const char *text = "";

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		const char *counted = totals_text(out, ends[i]);

		if (counted)
			text = sink_text(out, "%s; the counters of %s had %s before that", text,
			                 port_text(out, ends[i]), counted);
	}
	return text;
}

void counted_facts(struct ibc_sink *out, const struct ibc_port *a, const struct ibc_port *z)
{
	sink_fact(out, "counted", ibc_str(totals_text(out, a)));
	sink_fact(out, "peer_counted", ibc_str(totals_text(out, z)));
}

void phys_facts(struct ibc_sink *out, const struct ibc_port *a, const struct ibc_port *z)
{
	sink_fact(out, "phys_state", a ? ibc_enum(ibc_phys_state_word(a->phys_state)) : ibc_none());
	sink_fact(out, "peer_phys_state",
	          z ? ibc_enum(ibc_phys_state_word(z->phys_state)) : ibc_none());
	counted_facts(out, a, z);
}

static bool is_disabled(const struct ibc_port *p)
{
	return p && p->phys_state == IBC_PHYS_DISABLED;
}

const char *enable_text(struct ibc_sink *out, const struct ibc_port *a, const struct ibc_port *z)
{
	if (!is_disabled(a) && !is_disabled(z))
		return NULL;
	return sink_text(out,
	                 "Enable %s%s%s again (ibportstate), unless it was disabled on purpose",
	                 is_disabled(a) ? port_text(out, a) : "",
	                 is_disabled(a) && is_disabled(z) ? " and " : "",
	                 is_disabled(z) ? port_text(out, z) : "");
}

const char *mode_text(struct ibc_sink *out, const struct ibc_port *p)
{
	char text[RATE_TEXT_MAX];

	return sink_text(out, "%s", port_rate_text(p, text, sizeof(text)));
}

/* ---- losses --------------------------------------------------------------------- */

void sum_paths(const struct loss *l, uint64_t *lost, uint64_t *planned)
{
	*lost = *planned = 0;
	for (size_t i = 0; i < l->num_switches; i++) {
		*lost += l->switches[i].uplinks_lost;
		*planned += l->switches[i].uplinks_planned;
	}
}

/*
 * "leaf03 and leaf07 each have 17 of their 18 uplinks", "18 switches each have ..."; where they
 * do not all lose the same "leaf03 has 17 of its 18 uplinks, leaf07 has 16 of its 18 uplinks".
 */
const char *paths_text(struct ibc_sink *out, const struct loss *l)
{
	const struct loss_of_switch *first = l->switches;
	const char *names[SHOWN_MAX], *clauses[SHOWN_MAX];
	uint64_t have = 0, planned = 0;
	bool equal = true;

	if (!l->num_switches)
		return "";
	for (size_t i = 0; i < l->num_switches; i++) {
		const struct loss_of_switch *s = &l->switches[i];
		unsigned int left = s->uplinks_planned - s->uplinks_gone;

		equal &= s->uplinks_gone == first->uplinks_gone &&
		         s->uplinks_planned == first->uplinks_planned;
		have += left;
		planned += s->uplinks_planned;
		if (i >= SHOWN_MAX)
			continue;
		names[i] = s->node->label;
		clauses[i] = sink_text(out, "%s has %u of its %u uplinks", names[i], left,
		                       s->uplinks_planned);
	}
	if (equal)
		return sink_text(out, "; %s %s %u of %s %s",
		                 l->num_switches > SHOWN_MAX
		                     ? amount_text(out, l->num_switches, "switch")
		                     : list_text(out, names, l->num_switches),
		                 l->num_switches > 1 ? "each have" : "has",
		                 first->uplinks_planned - first->uplinks_gone,
		                 l->num_switches > 1 ? "their" : "its",
		                 amount_text(out, first->uplinks_planned, "uplink"));
	if (l->num_switches > SHOWN_MAX)
		return sink_text(out,
		                 "; %zu switches have %" PRIu64 " of their %" PRIu64 " uplinks",
		                 l->num_switches, have, planned);
	return sink_text(out, "; %s", clauses_text(out, clauses, l->num_switches));
}

/* ---- steps ---------------------------------------------------------------------- */

const char *steps_list(struct ibc_sink *out, const struct ibc_config *config,
                       const struct ibc_step *const *steps, size_t n)
{
	char one[1024];
	const char *text = NULL;

	for (size_t i = 0; i < n && i < STEPS_MAX; i++) {
		out->failed |= ibc_step_text(steps[i], config, one, sizeof(one)) != 0;
		if (text)
			*one = (char)tolower((unsigned char)*one);
		text = sink_text(out, "%s%s%s", text ? text : "", text ? ", then " : "", one);
	}
	return n > STEPS_MAX ? sink_text(out, "%s, and so on: %zu steps in all", text, n) : text;
}

void advise_steps(struct ibc_sink *out, const char *steps)
{
	if (steps)
		sink_advise(out, "%s", steps);
}

/* ---- evidence -------------------------------------------------------------------- */

void add_text(struct ibc_sink *out, struct texts *all, const char *text)
{
	if (!text)
		return;
	for (size_t i = 0; i < all->n && i < FACTS_MAX; i++)
		if (!strcmp(all->items[i], text))
			return;
	if (all->n < FACTS_MAX) {
		all->items[all->n] = text;
		all->text = sink_text(out, "%s%s%s", all->text ? all->text : "",
		                      all->text ? ", " : "", text);
	}
	all->n++;
}

struct ibc_value texts_value(struct ibc_sink *out, const struct texts *all)
{
	if (all->n <= FACTS_MAX)
		return ibc_str(all->text);
	return ibc_str(sink_text(out, "%s and %zu more", all->text, all->n - FACTS_MAX));
}

const char *subject_text(struct ibc_sink *out, const struct ibc_subject *subject)
{
	if (subject->kind == IBC_SUBJECT_PORT)
		return end_text(out, &subject->near);
	return sink_text(out, "%s - %s", end_text(out, &subject->near),
	                 end_text(out, &subject->far));
}
