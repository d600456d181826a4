/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A counter at both ends of every cable: which cables it speaks against, or which device. */
#include "check/counters/rates.h"

/*
 * struct bad_link - a link one end of which, or both, counts more than it may
 * @a, @z: the near end and the other one; @z is NULL where it is not known
 * @at_a, @at_z: what each end counted
 * @explained: of LinkDowned, what restarts of its ends explain; only what is over is judged
 */
struct bad_link {
	const struct ibc_input *in; /* what it was found in */
	const struct ibc_port *a, *z;
	struct count at_a, at_z;
	uint64_t explained;
	const struct ibc_node *blamed; /* the end at fault, with all its links; or NULL */
};

/*
 * totals.c: "SymbolErrorCounter 5000, LinkDownedCounter 5", what the counters of a port without a
 * link have of it, since the last clear; NULL: few, or that is not known.
 */
const char *totals_text(struct ibc_sink *out, const struct ibc_port *p);

/* The end by which each link is visited once. */
bool is_first_end(const struct ibc_port *p);

struct bad_links {
	struct bad_link *links;
	size_t n;
	size_t *of_node; /* bad links by order of nodes */
};

/*
 * restarts.c: how often each device may have been restarted, by order of nodes: as often as each
 * cable of it, or of its host, went down.  Of one cable alone that is how often it went down.
 */
typedef uint64_t (*times_down_fn)(const struct ibc_input *in, const struct ibc_port *port);
uint64_t *restarts_find(const struct ibc_input *in, struct ibc_sink *out, times_down_fn downs);
/* In the time that is judged; 0 where it was no restart, as far as is known. */
uint64_t *restarts_in_window(const struct ibc_input *in, struct ibc_sink *out);
/* How often such restarts may have taken a link down. */
uint64_t restarts_explain(const uint64_t *restarts, const struct ibc_port *port);

/* The links that the limits of the check speak against. */
void links_collect(const struct ibc_input *in, struct ibc_sink *out, enum ibc_counter counter,
                   struct bad_links *all);
/* One finding for a link, with its facts. */
void report_ends(struct ibc_sink *out, const struct bad_link *l, enum ibc_counter counter);
/*
 * All of them: where most of a node's cables are bad, and three at least, one finding says that
 * it is the node.  @finish: advises about any other link, and adds facts.
 */
void report_links(const struct ibc_input *in, struct ibc_sink *out, enum ibc_counter counter,
                  void (*finish)(struct ibc_sink *out, const struct bad_link *l));
