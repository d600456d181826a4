/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fewest causes: suspects by how many pairs they explain and how much they broke (greedy set
 * cover), then what programs said of themselves, and of the rest what it has in common: that is no
 * cause, and only says where to look.  O(picks x suspects x pairs).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/blame.h>

#include "analysis/blame/blame.h"
#include "base/str.h"
#include "fabric/fabric.h"

#define LINK_CHECKS "cable.|counters.|fattree.|phy.|port.|topo."

#define PICKS_MAX  12 /* causes with evidence: more are no few, and no screen has room */
#define UNSEEN_MAX 4  /* findings about what was not seen; the last has all that is left */
#define HUB_SHARE  4  /* of what is left a quarter: else it is one end of many */
#define HUB_PEERS  3  /* so many ends break with one and not with each other: it is that one */
/* Seconds: what processes that die take with them breaks within the retries of IBC_BLAME_BEFORE. */
#define SOFTWARE_LEAD 60

/* ---- a cause ------------------------------------------------------------------------ */

static struct ibc_blame_cause *add_cause(struct blame *b, enum ibc_blame_kind kind)
{
	arena_grow(b->arena, &b->causes, b->num_causes, &b->room_causes, sizeof(*b->causes));
	b->causes[b->num_causes] = (struct ibc_blame_cause){ .kind = kind };
	return &b->causes[b->num_causes++];
}

/* Causes are numbered from 1 here: 0 is none yet. */
static void give(struct blame *b, struct blame_pair *p, size_t *most)
{
	struct ibc_blame_cause *c = &b->causes[b->num_causes - 1];

	p->public.cause = b->num_causes;
	c->lines += p->public.lines;
	c->pairs++;
	if (p->public.lines > *most) {
		*most = p->public.lines;
		c->status = p->public.status;
		c->example = p->example;
		c->ends = &p->public;
	}
}

/* ---- with evidence ------------------------------------------------------------------ */

static size_t gain_of(const struct blame *b, const struct suspect *s)
{
	size_t n = 0;

	for (size_t i = 0; i < b->num_pairs; i++)
		n += s->covers[i] && !b->pairs[i].public.cause;
	return n;
}

/* Of pairs without a cause: how many a host is an end of, and with how many others. */
struct hub {
	size_t pairs, peers;
};

static struct hub hub_of(const struct blame *b, size_t host)
{
	bool *seen = arena_array(b->arena, b->num_hosts + 1, sizeof(*seen));
	struct hub hub = { 0, 0 };

	for (size_t i = 0; i < b->num_pairs; i++) {
		const struct blame_pair *p = &b->pairs[i];
		size_t own = p->ends[0]->host, peer = p->ends[1]->host;
		size_t other = own == host ? peer : own;

		if (p->public.cause || p->answered || (own != host && peer != host))
			continue;
		hub.pairs++;
		hub.peers += other && other != host && !seen[other];
		seen[other] = true;
	}
	return hub;
}

/*
 * A few errors on a cable explain less than a host that is an end of all its pairs, and of as many
 * that do not cross it: that host is one cause for all of them.
 */
static bool a_host_explains_more(const struct blame *b, const struct suspect *s, size_t gain)
{
	size_t common[2] = { 0 };
	bool first = true;

	if (s->weight > WEIGHT_ERRORS)
		return false;
	for (size_t i = 0; i < b->num_pairs; i++) {
		const struct blame_pair *p = &b->pairs[i];

		if (!s->covers[i] || p->public.cause)
			continue;
		for (int k = 0; k < 2; k++) {
			size_t host = first ? p->ends[k]->host : common[k];

			common[k] = p->ends[0]->host == host || p->ends[1]->host == host ? host : 0;
		}
		first = false;
	}
	for (int k = 0; k < 2; k++) {
		struct hub hub = common[k] ? hub_of(b, common[k]) : (struct hub){ 0, 0 };

		if (hub.peers >= HUB_PEERS && hub.pairs >= 2 * gain)
			return true;
	}
	return false;
}

/* "2026-03-03 12:00 to 12:15 UTC" */
static const char *when_text(struct arena *a, const struct ibc_blame_sign *s)
{
	time_t times[] = { s->from, s->until };
	char text[2][32];
	struct tm tm[2];

	for (int i = 0; i < 2; i++) {
		if (!gmtime_r(&times[i], &tm[i]))
			return "?";
		strftime(text[i], sizeof(text[i]),
		         i && tm[0].tm_yday == tm[1].tm_yday ? "%H:%M" : "%F %H:%M", &tm[i]);
	}
	return s->from == s->until ? arena_printf(a, "%s UTC", text[0])
	                           : arena_printf(a, "%s to %s UTC", text[0], text[1]);
}

static const char *sign_text(struct blame *b, const struct ibc_blame_sign *s)
{
	const struct ibc_port *port = s->port ? blame_port(b, s->guid, s->port) : NULL;
	const struct ibc_node *node = blame_node(b, s->guid);
	const char *when = when_text(b->arena, s);
	char place[IBC_PLACE_TEXT] = "";

	if (port)
		ibc_place_text((struct ibc_place){ port->node, port->num }, place, sizeof(place));
	switch (s->kind) {
	case IBC_SIGN_SILENT:
		return arena_printf(b->arena, "%s did not answer, %s",
		                    node ? node->label : "a node", when);
	case IBC_SIGN_COUNTED:
		return arena_printf(b->arena, "%s %" PRIu64 " at %s, %s",
		                    ibc_counter_word(s->counter)->name, s->amount, place, when);
	case IBC_SIGN_INCIDENT:
		return arena_printf(b->arena, "%s began, %s", s->check, when);
	case IBC_SIGN_DOWN:
		if (s->text)
			return arena_printf(b->arena, "%s, %s", s->text, when);
		return arena_printf(b->arena, "the link went down at %s, %s", place, when);
	case IBC_SIGN_GONE:
		return arena_printf(b->arena, "it is gone, %s", when);
	case IBC_SIGN_SAID:
		return arena_printf(b->arena, "\"%s\"", s->text);
	}
	return "";
}

/* The same of the same place, as two sources have it. */
static bool is_repeated(const struct suspect *s, size_t i)
{
	const struct ibc_blame_sign *a = s->signs[i];

	for (size_t k = 0; k < i; k++) {
		const struct ibc_blame_sign *z = s->signs[k];

		if (a->kind == z->kind && a->guid == z->guid && a->port == z->port &&
		    a->counter == z->counter &&
		    !strcmp(a->check ? a->check : "", z->check ? z->check : "") &&
		    !strcmp(a->text ? a->text : "", z->text ? z->text : ""))
			return true;
	}
	return false;
}

/* The signs that weigh most, and no more than are read. */
#define SIGNS_SHOWN 3
static const char *evidence_of(struct blame *b, const struct suspect *s)
{
	const char *text = "";
	size_t shown = 0;

	for (int kind = IBC_SIGN_SAID; kind >= IBC_SIGN_SILENT; kind--)
		for (size_t i = 0; i < s->num && shown < SIGNS_SHOWN; i++)
			if ((int)s->signs[i]->kind == kind && !is_repeated(s, i))
				text = arena_printf(b->arena, "%s%s%s", text, shown++ ? "; " : "",
				                    sign_text(b, s->signs[i]));
	return text;
}

/* The HCA at a cable's end, or NULL: both ends are switches. */
static const struct ibc_port *hca_end(const struct ibc_port *link)
{
	if (link->node->type != IBC_NODE_SWITCH)
		return link;
	return link->peer && link->peer->node->type != IBC_NODE_SWITCH ? link->peer : NULL;
}

/* Was it looked for later, and the link to it down?  Else it may only not have answered. */
static bool is_gone(const struct blame *b, const struct ibc_port *hca)
{
	const struct ibc_node *node = hca->node;
	const struct ibc_port *leaf = b->in->now && hca->peer
	                                  ? fabric_same_port(b->in->now, hca->peer)
	                                  : NULL;

	return leaf && ibc_port_has_state(leaf) && leaf->state == IBC_STATE_DOWN &&
	       b->in->now != node->subnet->fabric && !fabric_was_cut_short(b->in->now) &&
	       !fabric_lacks_lines(b->in->now) && !ibc_fabric_node_by_guid(b->in->now, node->guid);
}

static void blame_suspect_one(struct blame *b, const struct suspect *s)
{
	const struct ibc_port *hca = s->link ? hca_end(s->link) : NULL;
	bool is_host = s->host || (s->node && s->node->type != IBC_NODE_SWITCH) ||
	               (hca && (!s->from_fabric || is_gone(b, hca)));
	struct ibc_blame_cause *c = add_cause(b, is_host ? IBC_BLAME_HOST : IBC_BLAME_FABRIC);
	size_t most = 0;

	c->port = is_host ? hca : s->link;
	c->node = c->port ? c->port->node : s->node;
	c->is_cable = !is_host && s->link && s->link->peer;
	c->host = c->node ? c->node->host_name : NULL;
	for (size_t i = 0; s->host && i < b->num_ends; i++)
		if (b->ends[i].host == s->host)
			c->host = b->ends[i].host_name;
	c->evidence = evidence_of(b, s);
	for (size_t i = 0; i < s->num && !c->case_id; i++)
		c->case_id = s->signs[i]->case_id;
	/* a lesser fault of the link is its case, too */
	for (size_t i = 0; s->link && !c->case_id && i < b->in->num_signs; i++) {
		const struct ibc_blame_sign *sign = &b->in->signs[i];
		const struct ibc_port *port = blame_port(b, sign->guid, sign->port);

		if (sign->case_id && port && blame_link(b, port) == s->link &&
		    str_any(sign->check, LINK_CHECKS, false))
			c->case_id = sign->case_id;
	}
	for (size_t i = 0; i < b->num_pairs; i++)
		if (s->covers[i] && !b->pairs[i].public.cause)
			give(b, &b->pairs[i], &most);
}

static void pick_suspects(struct blame *b)
{
	for (int picks = 0; picks < PICKS_MAX; picks++) {
		const struct suspect *best = NULL;
		size_t most = 0;

		for (size_t i = 0; i < b->num_suspects; i++) {
			const struct suspect *s = &b->suspects[i];
			/* what only some ports cross, and perhaps not theirs, is no evidence */
			size_t gain = s->num && s->sure && !s->excused ? gain_of(b, s) : 0;

			if (gain * s->weight > most && !a_host_explains_more(b, s, gain)) {
				best = s;
				most = gain * s->weight;
			}
		}
		if (!best)
			return;
		blame_suspect_one(b, best);
	}
}

/* ---- what programs say of themselves ------------------------------------------------ */

/* By host: the first line whose program's fault ends its process.  Who has no buffer lives on. */
static void find_deaths(struct blame *b)
{
	b->deaths = arena_array(b->arena, b->num_hosts + 1, sizeof(*b->deaths));
	for (size_t i = 0; i < b->num_pairs; i++)
		for (size_t n = 0; b->pairs[i].software && n < b->pairs[i].num_events; n++) {
			const struct line_pair *line = &b->pairs[i].events[n];
			const struct ibc_log_event *e = line->event;
			bool both = e->status == IBC_WC_REM_ACCESS ||
			            e->status == IBC_WC_REM_INV_REQ;

			for (int k = 0; k < (both ? 2 : 1); k++) {
				const struct ibc_log_event **death =
				    &b->deaths[line->ends[k]->host];

				if (line->ends[k]->host &&
				    (!*death || event_first(b->in, e) < event_first(b->in, *death)))
					*death = e;
			}
		}
}

/*
 * The fault of a program that a line may be a consequence of, or NULL: others no longer reach its
 * host, from then on, or the same process reports more.  What another process of that host reports
 * of others it does not explain.
 */
static const struct ibc_log_event *excuse_of(const struct blame *b, const struct line_pair *line)
{
	const struct ibc_log_event *e = line->event, *own = b->deaths[line->ends[0]->host];
	const struct ibc_log_event *peer = b->deaths[line->ends[1]->host];
	time_t last;

	if (e->kind != IBC_LOG_COMPLETION && e->kind != IBC_LOG_LOST)
		return NULL;
	if (own && e > own && *own->process && !strcmp(own->process, e->process))
		return own;
	if (!peer || !peer->first != !e->first)
		return NULL;
	last = event_last(b->in, peer);
	return event_first(b->in, e) >= event_first(b->in, peer) - SOFTWARE_LEAD &&
	               event_first(b->in, e) <= last + IBC_LOG_BUCKET
	           ? peer
	           : NULL;
}

/* A pair needs an excuse for each of its lines. */
static void find_excuses(struct blame *b)
{
	find_deaths(b);
	for (size_t i = 0; i < b->num_pairs; i++) {
		struct blame_pair *p = &b->pairs[i];

		for (size_t n = 0; !p->software && n < p->num_events; n++) {
			p->excuse = excuse_of(b, &p->events[n]);
			if (!p->excuse)
				break;
		}
	}
}

static void blame_software(struct blame *b)
{
	for (size_t i = 0; i < b->num_pairs; i++) {
		int status = b->pairs[i].public.status;
		struct ibc_blame_cause *c;
		size_t most = 0;

		if (!b->pairs[i].software || b->pairs[i].public.cause)
			continue;
		c = add_cause(b, IBC_BLAME_SOFTWARE);
		c->host = b->pairs[i].ends[0]->host_name;
		for (size_t k = i; k < b->num_pairs; k++)
			if (b->pairs[k].software && b->pairs[k].public.status == status) {
				if (strcasecmp(b->pairs[k].ends[0]->host_name, c->host) != 0)
					c->host = "";
				give(b, &b->pairs[k], &most);
			}
		most = UINT64_MAX; /* those that follow are no example */
		for (size_t k = 0; k < b->num_pairs; k++) {
			struct blame_pair *p = &b->pairs[k];

			if (p->excuse && p->excuse->status == status && !p->doubted &&
			    !p->public.cause)
				give(b, p, &most);
		}
		c->status = status;
	}
}

/* ---- what is left ------------------------------------------------------------------- */

static bool is_at_link(const struct suspect *s, const struct ibc_port *link)
{
	return s->link == link ||
	       (s->node && (s->node == link->node || (link->peer && s->node == link->peer->node)));
}

/* With signs of it, at the time of a pair of the last cause that may have crossed it. */
static const struct suspect *suspect_at(const struct blame *b, const struct ibc_port *link)
{
	for (size_t i = 0; i < b->num_suspects; i++)
		for (size_t k = 0; is_at_link(&b->suspects[i], link) && k < b->num_pairs; k++)
			if (b->suspects[i].num && b->suspects[i].covers[k] &&
			    b->pairs[k].public.cause == b->num_causes)
				return &b->suspects[i];
	return NULL;
}

/*
 * Of the cables that the pairs of the last cause may cross one with signs, although it is not known
 * whether they did, else the one that most of them do.
 */
static void find_maybe(struct blame *b)
{
	struct ibc_blame_cause *c = &b->causes[b->num_causes - 1];
	const struct ibc_port *link = NULL;
	size_t pairs = 0, most = 0;

	for (size_t i = 0; i < b->num_crossings; i++) {
		const struct crossing *x = &b->crossings[i];
		const struct suspect *s;

		if (b->pairs[x->pair].public.cause != b->num_causes)
			continue;
		pairs = link == x->link ? pairs + 1 : 1;
		c->links += link != x->link;
		s = !c->evidence && link != x->link ? suspect_at(b, x->link) : NULL;
		link = x->link;
		if (s)
			c->evidence = evidence_of(b, s);
		if (s || (!c->evidence && pairs > most)) {
			c->maybe = link;
			most = pairs;
		}
	}
}

/* The host that most of the pairs without a cause have in common; 0: none stands out. */
static size_t find_hub(const struct blame *b, size_t left)
{
	size_t *count = arena_array(b->arena, b->num_hosts + 1, sizeof(*count)), best = 0;
	struct hub hub;

	for (size_t i = 0; i < b->num_pairs; i++) {
		const struct blame_pair *p = &b->pairs[i];

		if (p->public.cause)
			continue;
		count[p->ends[0]->host]++;
		count[p->ends[1]->host] += p->ends[0]->host != p->ends[1]->host;
	}
	for (size_t h = 1; h <= b->num_hosts; h++)
		best = !best || count[h] > count[best] ? h : best;
	hub = hub_of(b, best);
	if ((hub.peers >= HUB_PEERS && hub.pairs * HUB_SHARE >= left) ||
	    (hub.peers >= 2 && hub.pairs == left))
		return best;
	return 0;
}

/* Where the peer answered that it could not, it is something of the peer: by host. */
static void leave_answered(struct blame *b)
{
	for (size_t i = 0; i < b->num_pairs; i++) {
		struct ibc_blame_cause *c;
		size_t peer = b->pairs[i].ends[1]->host, most = 0;

		if (!b->pairs[i].answered || b->pairs[i].ethernet || b->pairs[i].public.cause)
			continue;
		c = add_cause(b, IBC_BLAME_UNSEEN);
		c->host = b->pairs[i].ends[1]->host_name;
		for (size_t k = i; k < b->num_pairs; k++)
			if (b->pairs[k].answered && !b->pairs[k].ethernet &&
			    !b->pairs[k].public.cause && b->pairs[k].ends[1]->host == peer)
				give(b, &b->pairs[k], &most);
		c->ends = NULL;
	}
}

static void leave_unseen(struct blame *b)
{
	for (int i = 1; i <= UNSEEN_MAX; i++) {
		struct ibc_blame_cause *c;
		size_t left = 0, hub, most = 0;

		for (size_t k = 0; k < b->num_pairs; k++)
			left += !b->pairs[k].public.cause;
		if (!left)
			return;
		hub = i < UNSEEN_MAX ? find_hub(b, left) : 0;
		c = add_cause(b, IBC_BLAME_UNSEEN);
		for (size_t k = 0; k < b->num_pairs; k++) {
			struct blame_pair *p = &b->pairs[k];
			size_t own = p->ends[0]->host, peer = p->ends[1]->host;

			if (p->public.cause || (hub && own != hub && peer != hub))
				continue;
			give(b, p, &most);
			if (hub || (left == 1 && own == peer && own))
				c->host = p->ends[own == hub ? 0 : 1]->host_name;
		}
		if (c->pairs != 1)
			c->ends = NULL;
		find_maybe(b);
	}
}

/* ---- all ---------------------------------------------------------------------------- */

/*
 * A suspect needs a pair that no program's own fault explains.  Where both may have broken a pair
 * neither is blamed for it.
 */
static void doubt(struct blame *b)
{
	for (size_t i = 0; i < b->num_suspects; i++) {
		struct suspect *s = &b->suspects[i];

		s->excused = true;
		for (size_t k = 0; k < b->num_pairs; k++) {
			s->excused &= !s->covers[k] || b->pairs[k].excuse;
			b->pairs[k].doubted |= s->covers[k] && s->weight;
		}
	}
}

/* What no program explains is for who looks after those links. */
static void drop_ethernet(struct blame *b)
{
	for (size_t i = 0; i < b->num_pairs; i++) {
		struct blame_pair *p = &b->pairs[i];

		if (!p->ethernet || p->public.cause)
			continue;
		b->public.ethernet += p->public.lines;
		b->public.lines -= p->public.lines;
		p->public.cause = NO_CAUSE;
	}
}

void blame_cover(struct blame *b)
{
	find_excuses(b);
	doubt(b);
	pick_suspects(b);
	blame_software(b);
	leave_answered(b);
	drop_ethernet(b);
	leave_unseen(b);
}
