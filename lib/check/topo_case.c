/* SPDX-License-Identifier: BSD-2-Clause */
/* What the findings of group topo have in common: names, losses, remedies, evidence. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "check/topo.h"

#define FACTS_MAX   8  /* cables in one fact */
#define RELATED_MAX 64 /* the cables of a switch */
#define STEPS_MAX   3  /* told in a remedy: the rest is in the plan */

/* ---- names ------------------------------------------------------------------- */

const struct ibc_node *node_in_place(const struct telling *t, const struct ibc_node *planned)
{
	const struct ibc_node *found = ibc_comparison_counterpart(t->cmp, planned);

	return found ? found : planned;
}

static struct ibc_end end_at(const struct ibc_node *node, unsigned int port)
{
	struct ibc_end end = end_of_node(node);

	end.port = port;
	end.has_port = true;
	return end;
}

struct ibc_end planned_end(const struct telling *t, const struct ibc_port *planned)
{
	return end_at(node_in_place(t, planned->node), planned->num);
}

/* As findings are sorted: a GUID that the plan does not know says nothing. */
static bool is_nearer(const struct ibc_end *a, const struct ibc_end *z)
{
	if (a->has_guid != z->has_guid)
		return a->has_guid;
	return a->guid != z->guid ? a->guid < z->guid : a->port < z->port;
}

static struct ibc_subject cable_of(struct ibc_end a, struct ibc_end z)
{
	bool nearer = is_nearer(&a, &z);

	return (struct ibc_subject){
		.kind = IBC_SUBJECT_CABLE,
		.near = nearer ? a : z,
		.far = nearer ? z : a,
	};
}

struct ibc_subject cable_between(const struct ibc_place *a, const struct ibc_place *z)
{
	return cable_of(end_at(a->node, a->port), end_at(z->node, z->port));
}

struct ibc_subject planned_cable(const struct telling *t, const struct ibc_port *planned)
{
	return cable_of(planned_end(t, planned), planned_end(t, planned->peer));
}

/* Of a cable to what does not answer only the one end is known. */
struct ibc_subject found_cable(const struct ibc_port *found)
{
	if (!found->peer)
		return (struct ibc_subject){ IBC_SUBJECT_PORT, .near = end_of_port(found) };
	return cable_of(end_of_port(found), end_of_port(found->peer));
}

const char *end_text(const struct telling *t, const struct ibc_end *end)
{
	return sink_text(t->out, "%s/%u", end->label, end->port);
}

static const char *join(const struct telling *t, const char *const *shown, size_t n,
                        const char *last_word)
{
	size_t last = n < SHOWN_MAX ? n : SHOWN_MAX;
	const char *text = last ? shown[0] : "";

	for (size_t i = 1; i < last; i++)
		text = sink_text(t->out, "%s%s%s", text, i + 1 == n ? last_word : ", ", shown[i]);
	return n > last ? sink_text(t->out, "%s and %zu more", text, n - last) : text;
}

const char *list_text(const struct telling *t, const char *const *shown, size_t n)
{
	return join(t, shown, n, " and ");
}

const char *clauses_text(const struct telling *t, const char *const *shown, size_t n)
{
	return join(t, shown, n, ", ");
}

const char *number_text(const struct telling *t, size_t n)
{
	static const char *const words[] = { "no", "one", "two", "three", "four", "five", "six" };

	return n < sizeof(words) / sizeof(*words) ? words[n] : sink_text(t->out, "%zu", n);
}

const char *amount_text(const struct telling *t, size_t n, const char *what)
{
	return sink_text(t->out, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

/* ---- losses --------------------------------------------------------------------- */

static const char *host_text(const struct ibc_node *node)
{
	return node->host_name ? node->host_name : node->label;
}

static const char *hosts_text(const struct telling *t)
{
	const struct loss *l = &t->d->loss;
	const char *shown[SHOWN_MAX];

	if (!l->hosts_cut_off)
		return "";
	for (size_t i = 0; i < l->num_hosts && i < SHOWN_MAX; i++)
		shown[i] = host_text(l->hosts[i]);
	if (l->hosts_cut_off > SHOWN_MAX || l->num_hosts < l->hosts_cut_off)
		return sink_text(t->out, "; %zu hosts are cut off", l->hosts_cut_off);
	return sink_text(t->out, "; %s %s cut off", list_text(t, shown, l->hosts_cut_off),
	                 l->hosts_cut_off == 1 ? "is" : "are");
}

/* Do all of them lose the same? */
static bool is_alike(const struct loss *l)
{
	for (size_t i = 1; i < l->num_switches; i++) {
		if (l->switches[i].uplinks_lost != l->switches[0].uplinks_lost ||
		    l->switches[i].uplinks_planned != l->switches[0].uplinks_planned)
			return false;
	}
	return true;
}

static void sum_paths(const struct loss *l, uint64_t *lost, uint64_t *planned)
{
	*lost = *planned = 0;
	for (size_t i = 0; i < l->num_switches; i++) {
		*lost += l->switches[i].uplinks_lost;
		*planned += l->switches[i].uplinks_planned;
	}
}

/* "leaf03 and leaf07 each lose 1 of 18 paths", "18 switches each lose ..." */
static const char *alike_text(const struct telling *t)
{
	const struct loss *l = &t->d->loss;
	const struct loss_of_switch *s = &l->switches[0];
	const char *shown[SHOWN_MAX], *who;

	for (size_t i = 0; i < l->num_switches && i < SHOWN_MAX; i++)
		shown[i] = l->switches[i].node->label;
	if (l->num_switches > SHOWN_MAX)
		who = sink_text(t->out, "%zu switches", l->num_switches);
	else
		who = list_text(t, shown, l->num_switches);
	return sink_text(t->out, "; %s %s %u of %u path%s", who,
	                 l->num_switches > 1 ? "each lose" : "loses", s->uplinks_lost,
	                 s->uplinks_planned, s->uplinks_planned == 1 ? "" : "s");
}

static const char *paths_text(const struct telling *t)
{
	const struct loss *l = &t->d->loss;
	const char *shown[SHOWN_MAX];
	uint64_t lost, planned;

	if (!l->num_switches)
		return "";
	if (is_alike(l))
		return alike_text(t);
	sum_paths(l, &lost, &planned);
	if (l->num_switches > SHOWN_MAX)
		return sink_text(t->out, "; %zu switches lose %" PRIu64 " of %" PRIu64 " paths",
		                 l->num_switches, lost, planned);
	for (size_t i = 0; i < l->num_switches; i++)
		shown[i] = sink_text(t->out, "%s loses %u of %u%s", l->switches[i].node->label,
		                     l->switches[i].uplinks_lost, l->switches[i].uplinks_planned,
		                     i ? "" : " paths");
	return sink_text(t->out, "; %s", clauses_text(t, shown, l->num_switches));
}

const char *loss_text(const struct telling *t)
{
	return sink_text(t->out, "%s%s", hosts_text(t), paths_text(t));
}

static void add_losses(const struct telling *t)
{
	const struct loss *l = &t->d->loss;
	uint64_t lost, planned;

	sum_paths(l, &lost, &planned);
	sink_fact(t->out, "hosts_cut_off", ibc_u64(l->hosts_cut_off));
	sink_fact(t->out, "paths_lost", ibc_u64(lost));
	sink_fact(t->out, "paths_planned", ibc_u64(planned));
	sink_fact(t->out, "lost_gbps", ibc_real(l->gbps));
	for (size_t i = 0; i < l->num_hosts && i < RELATED_MAX; i++)
		sink_relate_node(t->out, IBC_ROLE_VICTIM, l->hosts[i]);
	for (size_t i = 0; i < l->num_switches && i < RELATED_MAX; i++)
		sink_relate_node(t->out, IBC_ROLE_VICTIM, l->switches[i].node);
}

/* ---- remedies -------------------------------------------------------------------- */

const struct ibc_step **steps_of(const struct telling *t, size_t *n)
{
	size_t low = 0, high = t->num_steps, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->steps[mid]->fault < t->d->fault)
			low = mid + 1;
		else
			high = mid;
	}
	*n = 0;
	while (low + *n < t->num_steps && t->steps[low + *n]->fault == t->d->fault)
		++*n;
	return t->steps + low;
}

const char *steps_text(const struct telling *t)
{
	const struct ibc_step **steps;
	char one[1024];
	const char *text = NULL;
	size_t n;

	steps = steps_of(t, &n);
	for (size_t i = 0; i < n && i < STEPS_MAX; i++) {
		ibc_step_text(steps[i], one, sizeof(one));
		if (text)
			*one = (char)tolower((unsigned char)*one);
		text = sink_text(t->out, "%s%s%s", text ? text : "", text ? ", then " : "", one);
	}
	if (n > STEPS_MAX)
		text = sink_text(t->out, "%s, and so on: %zu steps in all", text, n);
	return text;
}

/* ---- evidence -------------------------------------------------------------------- */

/* Texts, each once, with commas between them; NULL while there is none. */
struct texts {
	const char *text, *items[FACTS_MAX];
	size_t n;
};

static void add_text(const struct telling *t, struct texts *all, const char *text)
{
	if (!text)
		return;
	for (size_t i = 0; i < all->n && i < FACTS_MAX; i++) {
		if (!strcmp(all->items[i], text))
			return;
	}
	if (all->n < FACTS_MAX) {
		all->items[all->n] = text;
		all->text = sink_text(t->out, "%s%s%s", all->text ? all->text : "",
		                      all->text ? ", " : "", text);
	}
	all->n++;
}

static struct ibc_value texts_value(const struct telling *t, const struct texts *all)
{
	if (all->n <= FACTS_MAX)
		return ibc_str(all->text);
	return ibc_str(sink_text(t->out, "%s and %zu more", all->text, all->n - FACTS_MAX));
}

static const char *subject_text(const struct telling *t, const struct ibc_subject *subject)
{
	if (subject->kind == IBC_SUBJECT_PORT)
		return end_text(t, &subject->near);
	return sink_text(t->out, "%s - %s", end_text(t, &subject->near),
	                 end_text(t, &subject->far));
}

/* The first cable is the subject where nothing but cables is wrong. */
static bool is_about_cables(const struct deviation *d)
{
	return d->kind >= DEVIATION_MISSING_CABLE && d->kind <= DEVIATION_NARROW;
}

void add_cables(const struct telling *t)
{
	const struct deviation *d = t->d;
	struct texts expected = { .n = 0 }, found = { .n = 0 };
	struct ibc_subject cable;

	for (size_t i = 0; i < d->num_found; i++) {
		cable = found_cable(d->found[i]);
		add_text(t, &found, subject_text(t, &cable));
	}
	for (size_t i = 0; i < d->num_planned; i++) {
		cable = planned_cable(t, d->planned[i]);
		add_text(t, &expected, subject_text(t, &cable));
	}
	sink_fact(t->out, "expected", texts_value(t, &expected));
	sink_fact(t->out, "found", texts_value(t, &found));
}

static void relate_cables(const struct telling *t)
{
	const struct deviation *d = t->d;
	bool about = is_about_cables(d);
	struct ibc_subject cable;

	for (size_t i = about; i < d->num_found && i < RELATED_MAX; i++) {
		cable = found_cable(d->found[i]);
		ibc_report_relate(t->out->report, IBC_ROLE_FOUND, &cable);
	}
	for (size_t i = about && !d->num_found; i < d->num_planned && i < RELATED_MAX; i++) {
		cable = planned_cable(t, d->planned[i]);
		ibc_report_relate(t->out->report, IBC_ROLE_PLANNED, &cable);
	}
}

void add_nodes(const struct telling *t)
{
	const struct deviation *d = t->d;
	struct texts expected = { .n = 0 }, found = { .n = 0 };

	for (size_t i = 0; i < d->num_planned_nodes; i++)
		add_text(t, &expected, d->planned_nodes[i]->label);
	for (size_t i = 0; i < d->num_found_nodes; i++)
		add_text(t, &found, d->found_nodes[i]->label);
	sink_fact(t->out, "expected", texts_value(t, &expected));
	sink_fact(t->out, "found", texts_value(t, &found));
}

/* The first is the subject where nodes are at fault, unless it is a crowd. */
static bool is_about_node(const struct deviation *d)
{
	bool crowd = d->kind == DEVIATION_REPLACED_NODE || d->kind == DEVIATION_RENAMED_NODE;

	if (d->kind == DEVIATION_UNCHECKED)
		return true;
	return d->kind <= DEVIATION_EXCHANGED_NODES && !(crowd && d->num_found_nodes > 1);
}

static void relate_nodes(const struct telling *t, enum ibc_role role,
                         const struct ibc_node *const *nodes, size_t n, size_t from)
{
	for (size_t i = from; i < n && i < RELATED_MAX; i++)
		sink_relate_node(t->out, role, nodes[i]);
}

static void relate_all_nodes(const struct telling *t)
{
	const struct deviation *d = t->d;
	size_t first = is_about_node(d);

	relate_nodes(t, IBC_ROLE_FOUND, d->found_nodes, d->num_found_nodes, first);
	if (!d->num_found_nodes) /* else these are in the place of those */
		relate_nodes(t, IBC_ROLE_PLANNED, d->planned_nodes, d->num_planned_nodes, first);
}

/* What the plan says of the cables that should be there, and of where they are. */
static void add_plan(const struct telling *t)
{
	struct texts labels = { .n = 0 }, lengths = { .n = 0 }, racks = { .n = 0 };
	const struct deviation *d = t->d;

	for (size_t i = 0; i < d->num_planned_nodes; i++)
		add_text(t, &racks, d->planned_nodes[i]->rack);
	for (size_t i = 0; i < d->num_planned; i++) {
		const struct ibc_port *p = d->planned[i];

		add_text(t, &labels, p->cable ? p->cable->label : NULL);
		add_text(t, &lengths, p->cable ? p->cable->length : NULL);
		add_text(t, &racks, p->node->rack);
		add_text(t, &racks, p->peer->node->rack);
	}
	sink_fact(t->out, "label", texts_value(t, &labels));
	sink_fact(t->out, "length", texts_value(t, &lengths));
	sink_fact(t->out, "rack", texts_value(t, &racks));
}

void add_case(const struct telling *t)
{
	size_t moves;

	relate_all_nodes(t);
	relate_cables(t);
	steps_of(t, &moves);
	sink_fact(t->out, "moves", ibc_u64(moves));
	add_losses(t);
	add_plan(t);
}
