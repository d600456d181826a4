/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_FLUID_H
#define MODEL_FLUID_H

/*
 * What traffic does to the counters of a tree of leaves and spines without losses: data flow like
 * water, a link stops when the buffer at its far end is full, and that buffer is shared by all that
 * comes over the link.  So what one host does not take fills the buffers on the way to it, and
 * others wait that send elsewhere.
 *
 *	struct fluid *f = fluid_new(fab);
 *
 *	fluid_flow(f, &(struct fluid_flow){ .from = a, .to = b, .demand = 0.5 });
 *	fluid_host_takes(f, b, 0.2);
 *	fluid_run(f, 5);		PortXmitData and PortXmitWait of fab have risen
 */
#include <ibcheck/fabric.h>

struct fluid;

/*
 * struct fluid_flow - data that a host sends to another
 * @from, @to: ports of hosts
 * @demand: of the data rate of a full link
 * @uplink: its leaf sends all of it by this one, from 0; negative: evenly by all
 */
struct fluid_flow {
	const struct ibc_port *from, *to;
	double demand;
	int uplink;
};

/* Every port with a cable gets counters, all 0, and its device a tick of 8 bytes; aborts on errors.
 */
struct fluid *fluid_new(struct ibc_fabric *fab);
void fluid_free(struct fluid *f);
void fluid_flow(struct fluid *f, const struct fluid_flow *flow);
/* No flow is left; what is in buffers is gone. */
void fluid_stop(struct fluid *f);
/* Of the data rate of a full link; 1 from the start. */
void fluid_host_takes(struct fluid *f, const struct ibc_port *host, double share);
/* So much time goes by. */
void fluid_run(struct fluid *f, double seconds);

#endif
