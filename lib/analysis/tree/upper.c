/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Upper switches that are not there, and hosts on those that are.
 *
 * A tree with a spine less is a smaller tree; what shows it are the other pods, and the ports
 * that have uplinks there and are dark on all leaves here.  Where there are no others, ports
 * that are dark on all leaves between those with uplinks are a hint.  So it is with a leaf less.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare.h"
#include "analysis/tree/cases.h"
#include "analysis/tree/overlap.h"
#include "base/arena.h"

/* why each: doc/wiring.md, table 5, part F */
#define GROUPS_MIN   3   /* fewer are no majority */
#define COUNTS_MAX   256 /* columns; groups that have more are not compared */
#define USED_PERCENT 80  /* of the siblings have a cable at a port */
#define HOSTS_MAX    2   /* more of them on one upper switch are there by design */
#define HOSTS_SHARE  10  /* of the other switches have hosts too, in percent, at the most; */
#define HOSTS_FEW    4   /* of so many or more one may */

/* ---- ports that all use, or none ---------------------------------------------------- */

/*
 * struct usage - how many of n switches of a side of groups have something at each port
 * @far: a cable to a rank
 * @any: a link, or it is not known
 * @unread: it is not known where it leads
 */
struct usage {
	uint32_t far[VOTE_PORTS], any[VOTE_PORTS], unread[VOTE_PORTS], n;
};

static void add_usage(const struct ibc_fattree *tree, const struct wiring_group *g, int side,
                      struct usage *usage)
{
	const struct ibc_port *p;

	for (uint32_t i = 0; i < g->num[side]; i++) {
		const struct ibc_node *node = tree->switches.nodes[g->sw[side][i]];

		for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++) {
			uint32_t far = p->peer ? switch_number(&tree->switches, p->peer->node)
			                       : NO_SWITCH;

			usage->far[num] += far != NO_SWITCH &&
			                   tree->rank[far] == g->rank + (side == LOWER);
			usage->any[num] += port_presence(p) != PRESENCE_EMPTY;
			usage->unread[num] += port_presence(p) == PRESENCE_SILENT ||
			                      port_presence(p) == PRESENCE_UNKNOWN;
		}
	}
	usage->n += g->num[side];
}

/* A jack of each switch of a side of a group at each port that is dark. */
static void add_dark_jacks(struct ibc_fattree *tree, struct wiring_case *k,
                           const struct wiring_group *g, const bool *dark, int side)
{
	struct wiring_gap *gaps;
	size_t room = k->num_gaps + 1;

	for (unsigned int port = 0; port < VOTE_PORTS; port++)
		room += dark[port] ? g->num[side] : 0;
	gaps = arena_array(tree->arena, room, sizeof(*gaps));
	if (k->num_gaps)
		memcpy(gaps, k->gaps, k->num_gaps * sizeof(*gaps));
	k->gaps = gaps;
	for (uint32_t i = 0; i < g->num[side]; i++) {
		const struct ibc_node *node = tree->switches.nodes[g->sw[side][i]];

		for (unsigned int port = 1; ibc_node_port(node, port); port++) {
			struct wiring_gap *gap = &gaps[k->num_gaps];

			if (!dark[port])
				continue;
			*(side == LOWER ? &gap->lower : &gap->upper) = (struct wiring_jack){ node,
				                                                             port };
			k->num_gaps++;
		}
	}
}

/* ---- a spine less than other pods have ------------------------------------------------------- */

/*
 * struct peers - what groups that may be held against each other have
 * @n: how many they are
 * @usual: columns of most of them, of @agree at least two thirds; 0: there is no such majority
 */
struct peers {
	size_t n, agree;
	uint32_t usual;
};

static struct peers find_peers(const struct ibc_fattree *tree, const struct wiring_group *g,
                               const uint32_t *columns, const struct sets *trees)
{
	uint32_t have[COUNTS_MAX] = { 0 };
	struct peers peers = { 0 };

	/* the groups of one tree, or of trees side by side that are much alike */
	for (size_t i = 0; i < tree->groups.n; i++) {
		const struct wiring_group *z = &tree->groups.all[i];
		uint32_t fewer = g->num[LOWER] < z->num[LOWER] ? g->num[LOWER] : z->num[LOWER];
		uint32_t more = g->num[LOWER] + z->num[LOWER] - fewer;

		if (g->rank != z->rank ||
		    (set_of(trees, g->sw[LOWER][0]) != set_of(trees, z->sw[LOWER][0]) &&
		     (fewer * 4 < more * 3 || g->rule->cables != z->rule->cables)))
			continue;
		peers.n++;
		if (columns[i] < COUNTS_MAX)
			have[columns[i]]++;
	}
	for (uint32_t n = 1; n < COUNTS_MAX; n++)
		if (have[n] > have[peers.usual])
			peers.usual = n;
	peers.agree = have[peers.usual];
	if (peers.n < GROUPS_MIN || peers.agree * 3 < peers.n * 2)
		peers.usual = 0;
	return peers;
}

/*
 * Where the absent switch would be plugged: those below it, or those above.  If there is a
 * link, it is not known whether it is there.
 */
static void add_side(struct ibc_fattree *tree, struct wiring_case *k, const struct wiring_group *g,
                     int side)
{
	struct usage own = { .n = 0 }, siblings = { .n = 0 };
	bool dark[VOTE_PORTS];

	for (size_t i = 0; i < tree->groups.n; i++) {
		const struct wiring_group *other = &tree->groups.all[i];

		if (other->rank == g->rank)
			add_usage(tree, other, side, other == g ? &own : &siblings);
	}
	for (unsigned int port = 0; port < VOTE_PORTS; port++) {
		bool used = siblings.n && siblings.far[port] * 100ull >= siblings.n * USED_PERCENT;

		dark[port] = used && !own.any[port];
		k->blamed &= !used || !own.unread[port];
	}
	add_dark_jacks(tree, k, g, dark, side);
}

static void add_absent(struct cells *c, const struct wiring_group *g, const struct peers *peers)
{
	struct ibc_fattree *tree = c->tree;
	uint32_t above;
	struct wiring_case *k = wiring_add(tree, WIRING_NO_SPINE, true, NULL);

	add_side(tree, k, g, LOWER);
	above = group_without(tree->tmp, &tree->groups, tree->switches.n,
	                      (uint32_t)(g - tree->groups.all));
	if (above != NO_GROUP)
		add_side(tree, k, &tree->groups.all[above], UPPER);
	k->nodes = arena_array(tree->arena, g->num[LOWER], sizeof(struct ibc_node *));
	for (uint32_t l = 0; l < g->num[LOWER]; l++)
		k->nodes[k->num_nodes++] = tree->switches.nodes[g->sw[LOWER][l]];
	k->rule = g->rule;
	k->why = arena_printf(tree->arena, "has %u upper switch%s, %zu of %zu like it have %u",
	                      peers->usual - 1, peers->usual == 2 ? "" : "es", peers->agree,
	                      peers->n, peers->usual);
}

/* ---- dark ports between used ones --------------------------------------------------------- */

/* The one run of ports that are dark on all, with uplinks on both sides of it; 0: none. */
static unsigned int find_dark_run(const uint32_t *votes, const struct usage *usage,
                                  unsigned int length)
{
	unsigned int found = 0, runs = 0;

	for (unsigned int port = 2; port + length < VOTE_PORTS; port++) {
		bool dark = true;

		for (unsigned int i = 0; i < length; i++)
			dark &= !usage->any[port + i];
		if (!dark || votes[port - 1] == NO_SWITCH || votes[port + length] == NO_SWITCH)
			continue;
		found = port;
		runs++;
	}
	return runs == 1 ? found : 0;
}

static bool leads_to_all(const struct ibc_fattree *tree, const struct wiring_group *g, uint32_t u)
{
	for (uint32_t l = 0; l < g->num[LOWER]; l++)
		if (!trunk_between(&tree->switches, g->sw[LOWER][l], g->sw[UPPER][u]))
			return false;
	return true;
}

static void find_hint(struct cells *c, const struct wiring_group *g)
{
	const uint32_t *votes = votes_of(c, g->sw[LOWER][0], LOWER);
	struct usage usage = { .n = 0 };
	bool dark[VOTE_PORTS] = { false };
	struct wiring_case *k;
	unsigned int port;

	if (!votes || !g->rule->cables)
		return;
	/* who may lack a cable to each may lack it there */
	for (uint32_t u = 0; u < g->num[UPPER]; u++)
		if (g->verdict[UPPER][u] == VERDICT_DOUBTFUL && leads_to_all(c->tree, g, u))
			return;
	add_usage(c->tree, g, LOWER, &usage);
	port = find_dark_run(votes, &usage, g->rule->cables);
	if (!port)
		return;
	for (unsigned int i = 0; i < g->rule->cables; i++)
		dark[port + i] = true;
	k = wiring_add(c->tree, WIRING_NO_SPINE, true, NULL);
	add_dark_jacks(c->tree, k, g, dark, LOWER);
	k->rule = g->rule;
	k->why = arena_printf(c->tree->arena,
	                      "port %u is dark on all %u, between ports with uplinks: a hint", port,
	                      g->num[LOWER]);
}

/* ---- and between two leaves whose names count past one ---------------------------------- */

/* "leaf07" between "leaf06" and "leaf08"; NULL: they do not count so. */
static const char *name_between(struct arena *a, const char *before, const char *after)
{
	unsigned long first, last;
	char *rest, *other;
	size_t same = 0;

	while (before[same] && before[same] == after[same])
		same++;
	while (same && isdigit((unsigned char)before[same - 1]))
		same--;
	first = strtoul(before + same, &rest, 10);
	last = strtoul(after + same, &other, 10);
	if (!isdigit((unsigned char)before[same]) || last != first + 2 || strcmp(rest, other) != 0)
		return NULL;
	return arena_printf(a, "%.*s%0*lu%s", (int)same, before,
	                    (int)(rest - before - (ptrdiff_t)same), first + 1, rest);
}

static bool is_switch_name(const struct switches *sw, const char *name)
{
	uint32_t s = 0;

	while (s < sw->n && strcmp(sw->nodes[s]->label, name) != 0)
		s++;
	return s < sw->n;
}

/*
 * Ports of the upper switches that are dark on all of them, between those of two leaves: nothing
 * was ever there, or a leaf is not.  If the names of the two count past one that no switch has,
 * that is shown, and not blamed: it may be a rack that was not built, as more such places are.
 */
static void find_missing_leaf(struct cells *c, const struct wiring_group *g)
{
	const uint32_t *votes = votes_of(c, g->sw[UPPER][0], UPPER);
	const struct switches *sw = &c->tree->switches;
	struct usage usage = { .n = 0 };
	unsigned int n = g->rule->cables, places = 0, first = 0;
	bool dark[VOTE_PORTS] = { false };
	const char *name = NULL;
	struct wiring_case *k;

	if (g->rank || !votes || !n)
		return;
	add_usage(c->tree, g, UPPER, &usage);
	for (unsigned int port = 2; port + n < VOTE_PORTS; port++) {
		uint32_t before = votes[port - 1], after = votes[port + n];
		const char *between;
		bool all = vote_is_decided(before) && vote_is_decided(after);

		for (unsigned int i = 0; i < n; i++)
			all &= !usage.any[port + i];
		between = all ? name_between(c->tree->arena, sw->nodes[before]->label,
		                             sw->nodes[after]->label)
		              : NULL;
		if (!between || is_switch_name(sw, between))
			continue;
		places++;
		first = port;
		name = between;
	}
	if (places != 1)
		return;
	for (unsigned int i = 0; i < n; i++)
		dark[first + i] = true;
	k = wiring_add(c->tree, WIRING_NO_LEAF, false, NULL);
	add_dark_jacks(c->tree, k, g, dark, UPPER);
	k->rule = g->rule;
	k->name = name;
	k->why = arena_printf(c->tree->arena, "port %u is dark on all %u, between %s and %s", first,
	                      g->num[UPPER], sw->nodes[votes[first - 1]]->label,
	                      sw->nodes[votes[first + n]]->label);
}

void cases_of_absent(struct cells *c)
{
	const struct ibc_fattree *tree = c->tree;
	const struct switches *sw = &tree->switches;
	uint32_t *columns = arena_array(tree->tmp, tree->groups.n + 1, sizeof(*columns));
	struct sets trees;

	sets_of_paths(tree->tmp, &tree->switches, &trees);
	/* upper switches that a good part of the lower ones has cables to */
	for (size_t i = 0; i < tree->groups.n; i++) {
		const struct wiring_group *g = &tree->groups.all[i];

		for (uint32_t u = 0; u < g->num[UPPER]; u++) {
			uint32_t rows = 0, s = g->sw[UPPER][u];

			for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++)
				rows += tree->groups.of[LOWER][p->to] == i;
			columns[i] += rows * 4 >= g->num[LOWER] || g->verdict[UPPER][u];
		}
	}
	for (size_t i = 0; i < tree->groups.n; i++) {
		const struct wiring_group *g = &tree->groups.all[i];
		struct peers peers = find_peers(tree, g, columns, &trees);

		if (g->evaluated && columns[i] && columns[i] + 1 == peers.usual)
			add_absent(c, g, &peers);
		if (peers.n < GROUPS_MIN)
			find_hint(c, g);
		if (g->evaluated)
			find_missing_leaf(c, g);
	}
}

/* ---- hosts on upper switches -------------------------------------------------------------- */

bool hosts_are_few(const struct ibc_fattree *tree, unsigned int rank)
{
	uint32_t all = 0, with = 0, most;

	for (uint32_t s = 0; s < tree->switches.n; s++) {
		all += tree->rank[s] == rank;
		with += tree->rank[s] == rank && tree->switches.hosts[s];
	}
	most = 1 + all * HOSTS_SHARE / 100;
	if (most == 1 && all >= HOSTS_FEW)
		most = 2;
	return with <= most;
}

bool is_host_astray(const struct cells *c, uint32_t s)
{
	uint32_t hosts = c->tree->switches.hosts[s];
	unsigned int rank = c->tree->rank[s];

	return rank && rank < c->tree->tiers && c->few_hosts[rank] && hosts && hosts <= HOSTS_MAX;
}

/* A few hosts on a switch of a rank that has none elsewhere. */
void cases_of_hosts(const struct cells *c)
{
	struct ibc_fattree *tree = c->tree;
	const struct switches *sw = &tree->switches;
	const struct ibc_port *p;

	for (uint32_t s = 0; s < sw->n; s++) {
		struct wiring_case *k;

		if (!is_host_astray(c, s))
			continue;
		k = wiring_add(tree, WIRING_HOST_UP, false, NULL);
		k->found = arena_array(tree->arena, sw->nodes[s]->num_ports + 1u,
		                       sizeof(struct ibc_port *));
		for (unsigned int num = 1; (p = ibc_node_port(sw->nodes[s], num)); num++)
			if (has_host(p) && !wiring_blamed(tree, p)) /* as one that was exchanged */
				k->found[k->num_found++] = p;
		tree->num_cases -= !k->num_found;
	}
}
