/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKFAULT_H
#define MKFAULT_H

/*
 * Faults of wiring, at random places of a tree, with what is true of them: the sockets that
 * a plug is in and should not be, or should be in and is not.
 *
 * Include it after <cmocka.h>.
 */
#include "mktree.h"

enum fault_kind {
	FAULT_UNPLUGGED,   /* an uplink */
	FAULT_CROSSED,     /* two uplinks of different switches, to different switches */
	FAULT_ROTATED,     /* three */
	FAULT_LOWER_LOWER, /* two uplink ports of different switches are joined */
	FAULT_TO_LOWER,    /* an uplink ends in a spare port of a like switch */
	FAULT_DOUBLED,     /* an uplink goes where its switch has one already */
	FAULT_HOST_UP,     /* a host is on a spine */
	FAULT_NO_SPINE,
	FAULT_SLOW,
	FAULTS,
};

static const char *const fault_names[FAULTS] = {
	"unplugged", "crossed",       "rotated",       "leaf to leaf", "uplink in a leaf",
	"doubled",   "host on spine", "spine removed", "slow",
};

#define TRUTH_MAX 256

struct truth {
	enum fault_kind kind;
	struct tree_end ends[TRUTH_MAX];
	unsigned int n;
};

static inline void true_end(struct truth *f, struct tree_end end)
{
	assert_true(f->n < TRUTH_MAX);
	f->ends[f->n++] = end;
}

static inline bool same_end(struct tree_end a, struct tree_end z)
{
	return a.sw == z.sw && a.port == z.port;
}

static inline bool is_port_free(const struct mktree *t, struct tree_end end)
{
	for (unsigned int i = 0; i < t->num_links; i++)
		if (same_end(t->links[i].end[0], end) || same_end(t->links[i].end[1], end))
			return false;
	for (unsigned int i = 0; i < t->num_hosts; i++)
		if (same_end(t->hosts[i].at, end))
			return false;
	return true;
}

/* The last port of a switch that never had a cable; port 0: all have. */
static inline struct tree_end free_port(const struct mktree *t, unsigned int sw)
{
	struct tree_end end = { sw, t->switches[sw].ports };

	while (end.port && !is_port_free(t, end))
		end.port--;
	return end;
}

static inline bool is_whole(const struct mktree *t, const struct tree_link *l)
{
	return !l->gone && !l->touched && !t->switches[l->end[0].sw].gone &&
	       !t->switches[l->end[1].sw].gone;
}

/* Cables that can change their ends: of one tier and subnet, with no switch in common. */
static inline bool are_apart(const struct mktree *t, const struct tree_link *a,
                             const struct tree_link *z)
{
	const struct tree_switch *x = &t->switches[a->end[0].sw], *y = &t->switches[z->end[0].sw];

	return x->tier == y->tier && x->rail == y->rail && a->end[0].sw != z->end[0].sw &&
	       a->end[1].sw != z->end[1].sw;
}

/* n whole uplinks, each apart from the others; false: there are none. */
static inline bool pick_links(struct mktree *t, unsigned int n, struct tree_link **out)
{
	for (unsigned int attempt = 0; attempt < 2000; attempt++) {
		bool fits = true;

		for (unsigned int i = 0; i < n; i++) {
			out[i] = &t->links[pick(t, t->num_links)];
			fits &= is_whole(t, out[i]);
			for (unsigned int k = 0; k < i; k++)
				fits &= are_apart(t, out[i], out[k]);
		}
		if (!fits)
			continue;
		for (unsigned int i = 0; i < n; i++)
			out[i]->touched = true;
		return true;
	}
	return false;
}

static inline void true_link(struct truth *f, const struct tree_link *l)
{
	true_end(f, l->end[0]);
	true_end(f, l->end[1]);
}

static inline bool fault_turn(struct mktree *t, struct truth *f, unsigned int n)
{
	struct tree_link *l[3];
	struct tree_end first;

	if (!pick_links(t, n, l))
		return false;
	for (unsigned int i = 0; i < n; i++)
		true_link(f, l[i]);
	first = l[0]->end[1];
	for (unsigned int i = 0; i + 1 < n; i++)
		l[i]->end[1] = l[i + 1]->end[1];
	l[n - 1]->end[1] = first;
	return true;
}

static inline bool fault_lower_lower(struct mktree *t, struct truth *f)
{
	struct tree_link *l[2];

	if (!pick_links(t, 2, l))
		return false;
	true_link(f, l[0]);
	true_link(f, l[1]);
	l[0]->end[1] = l[1]->end[0];
	l[1]->gone = true;
	return true;
}

/* The upper end of an uplink moves to a free port of another switch. */
static inline bool fault_move(struct mktree *t, struct truth *f, bool to_lower)
{
	struct tree_link *l;

	for (unsigned int attempt = 0; attempt < 2000; attempt++) {
		const struct tree_link *other = &t->links[pick(t, t->num_links)];
		struct tree_end end;

		l = &t->links[pick(t, t->num_links)];
		end = free_port(t, other->end[to_lower ? 0 : 1].sw);
		if (!is_whole(t, l) || !is_whole(t, other) || !end.port)
			continue;
		if (to_lower ? !are_apart(t, l, other)
		             : l->end[0].sw != other->end[0].sw || l->end[1].sw == end.sw)
			continue;
		true_link(f, l);
		true_end(f, end);
		l->end[1] = end;
		l->touched = true;
		return true;
	}
	return false;
}

static inline bool is_upper(const struct mktree *t, unsigned int sw)
{
	return t->switches[sw].tier == TIER_SPINE || t->switches[sw].tier == TIER_CORE;
}

static inline bool fault_host_up(struct mktree *t, struct truth *f)
{
	for (unsigned int attempt = 0; attempt < 2000; attempt++) {
		struct tree_host *h = &t->hosts[pick(t, t->num_hosts)];
		struct tree_end end = free_port(t, pick(t, t->num_switches));

		if (!is_upper(t, end.sw) || !end.port || h->touched || h->gone || h->aggregator ||
		    t->switches[end.sw].gone || t->switches[h->at.sw].tier != TIER_LEAF)
			continue;
		true_end(f, end);
		h->at = end;
		h->touched = true;
		return true;
	}
	return false;
}

/*
 * Of a single tree, or of two side by side, only ports between others tell: its first and its
 * last spine are none to take away.
 */
static inline bool fault_no_spine(struct mktree *t, struct truth *f)
{
	bool compared = t->spec.pods * t->spec.regions * t->spec.rails > 2;
	unsigned int spine;

	if (t->spec.spines < (compared ? 1 : 3))
		return false;
	do
		spine = pick(t, t->num_switches);
	while (t->switches[spine].tier != TIER_SPINE || t->switches[spine].gone ||
	       (!compared &&
	        (t->switches[spine].place == 0 || t->switches[spine].place + 1 == t->spec.spines)));
	t->switches[spine].gone = true;
	for (unsigned int i = 0; i < t->num_links; i++) {
		const struct tree_link *l = &t->links[i];

		if (l->end[0].sw == spine)
			true_end(f, l->end[1]);
		if (l->end[1].sw == spine)
			true_end(f, l->end[0]);
	}
	return true;
}

/* Breaks a tree once more; false: there is no place for such a fault. */
static inline bool fault_inject(struct mktree *t, enum fault_kind kind, struct truth *f)
{
	struct tree_link *l;

	*f = (struct truth){ .kind = kind };
	switch (kind) {
	case FAULT_UNPLUGGED:
	case FAULT_SLOW:
		if (!pick_links(t, 1, &l))
			return false;
		true_link(f, l);
		l->gone = kind == FAULT_UNPLUGGED;
		l->speed = IBC_SPEED_SDR;
		return true;
	case FAULT_CROSSED:
		return fault_turn(t, f, 2);
	case FAULT_ROTATED:
		return fault_turn(t, f, 3);
	case FAULT_LOWER_LOWER:
		return fault_lower_lower(t, f);
	case FAULT_TO_LOWER:
		return fault_move(t, f, true);
	case FAULT_DOUBLED:
		return fault_move(t, f, false);
	case FAULT_HOST_UP:
		return fault_host_up(t, f);
	case FAULT_NO_SPINE:
		return fault_no_spine(t, f);
	case FAULTS:
		break;
	}
	return false;
}

#endif
