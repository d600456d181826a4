/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The inside of struct ibc_blame: lines become pairs of ends, ends become ports (ends.c), pairs get
 * the cables of their routes (crossings.c), signs become suspects (suspects.c), and of these the
 * fewest that explain the pairs are causes (cover.c).
 */
#include <ibcheck/blame.h>

#include "base/arena.h"
#include "base/array.h"

/*
 * struct blame_end - what lines call one end
 * @key: all that they say of it
 * @raw: as the first of them has it
 * @ports: that it may be, by node and number; @num: 0: not known
 * @set: the same for ends with the same @ports; without any, for those with the same @key
 * @one_host: they are all of one host
 * @name: for people
 * @host: number of its host, or of what stands for it; 0: it has none
 */
struct blame_end {
	const char *key;
	const struct ibc_log_end *raw;
	const struct ibc_port **ports;
	size_t num, room, set;
	bool one_host;
	const char *name, *host_name;
	size_t host;
};

/* struct line_pair - an event, and its two ends */
struct line_pair {
	const struct ibc_log_event *event;
	struct blame_end *ends[2];
};

/*
 * struct blame_pair - @public comes first; @ends: own and peer, as of the first line
 * @events, @num_events: its lines
 * @excuse: the fault of a program that may have broken it, or NULL; @doubted: something else was
 * seen that may have
 * @answered: it is no link of this fabric: the peer or the program refused, or it is @ethernet
 * @num_ways: so many two ports it may be; more than WAYS_MAX: not all were looked at
 */
struct blame_pair {
	struct ibc_blame_pair public;
	struct blame_end *ends[2];
	const struct ibc_log_event *example, *excuse;
	const struct line_pair *events;
	size_t num_events;
	bool software, ethernet, answered, doubted;
	unsigned int num_ways;
};

/*
 * struct crossing - a pair may cross this cable, by its end in ibc_blame_input.then if it is there
 * @ways: a bit for each two of its ports between which it does
 */
struct crossing {
	const struct ibc_port *link;
	uint32_t pair;
	uint64_t ways;
};
#define NO_CAUSE SIZE_MAX /* and needs none: it is not of this fabric */
#define WAYS_MAX 64       /* hosts with 8 HCAs each */

/*
 * struct suspect - a place with signs
 * @link, @node, @host: which one of them; the others are NULL or 0
 * @signs, @num: those of it; @weight: of the strongest
 * @covers: by pair: it may have broken it, at that time; @sure: some pair, whichever ports it has
 * @from_fabric: not only what hosts say
 * @excused: a program's own fault explains all of its pairs
 */
struct suspect {
	const struct ibc_port *link;
	const struct ibc_node *node;
	size_t host;
	const struct ibc_blame_sign **signs;
	size_t num, room;
	unsigned int weight;
	bool *covers;
	bool sure, from_fabric, excused;
};
enum { WEIGHT_NONE, WEIGHT_ERRORS, WEIGHT_DOWN, WEIGHT_GONE };

/*
 * struct blame - the work
 * @said: signs that lines are, beside those of the caller
 */
struct blame {
	struct ibc_blame public;
	struct arena *arena;
	const struct ibc_blame_input *in;
	struct end_index *index[2]; /* of then and now; NULL: there is none */
	struct alias_index *alias_index;
	struct ibc_blame_alias *aliases;
	size_t num_aliases, room_aliases;
	struct blame_end *ends;
	size_t num_ends;
	struct blame_pair *pairs;
	size_t num_pairs;
	struct crossing *crossings;
	size_t num_crossings, room_crossings;
	struct said *said;
	size_t num_said, room_said;
	struct suspect *suspects;
	size_t num_suspects, room_suspects;
	uint64_t *ways; /* by pair: those that the cables of a switch take */
	struct ibc_blame_cause *causes;
	size_t num_causes, room_causes;
	size_t num_hosts;
	const struct ibc_log_event **deaths; /* by host: what ended a process of it, or NULL */
	bool failed;                         /* what has memory of its own ran out of it */
};

/* struct said - a line that is itself a sign: of an end */
struct said {
	struct ibc_blame_sign sign;
	struct blame_end *end;
	bool of_port;
};

/* When its lines were; of those without a time, all the time that they may be of. */
static inline time_t event_first(const struct ibc_blame_input *in, const struct ibc_log_event *e)
{
	return e->first ? e->first : in->at - in->slack;
}

static inline time_t event_last(const struct ibc_blame_input *in, const struct ibc_log_event *e)
{
	return e->last ? e->last : in->at;
}

/* ends.c */
void blame_index(struct blame *b);
void blame_resolve(struct blame *b);
/* The port of an input fabric, that of the time first; NULL: it is in none. */
const struct ibc_port *blame_port(const struct blame *b, uint64_t guid, unsigned int num);
const struct ibc_node *blame_node(const struct blame *b, uint64_t guid);
/*
 * Of a line of a kernel that names no more than a PCI function: is that an HCA of this fabric, by
 * the reports of the host?  1 yes, 0 no, -1: there is no report.
 */
int blame_is_hca(const struct blame *b, const struct blame_end *end);
/* pairs.c */
void blame_pairs(struct blame *b);
/* crossings.c; those of one cable, @n of them */
void blame_cross(struct blame *b);
const struct crossing *crossings_of(const struct blame *b, const struct ibc_port *link, size_t *n);
/* One end for both: that in the sweep of the time. */
const struct ibc_port *blame_link(const struct blame *b, const struct ibc_port *port);
/* suspects.c */
void blame_suspect(struct blame *b);
/* cover.c */
void blame_cover(struct blame *b);
