/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd.h"

struct ports_cfg {
	bool down, switches, hcas, errors_only, local;
};

/* portlist.c: the ports that findings name, sorted, so that looking up costs little */
struct port_key {
	uint64_t guid;
	unsigned int port;
};
struct named {
	struct port_key *keys; /* to be freed */
	size_t n;
};
int named_all(struct named *named, const struct ibc_report *rep, struct ibc_error *err);
bool named_has(const struct named *named, const struct ibc_port *p);

/* The ports of the places that are shown, or of all nodes, in the order in which they are shown. */
typedef void each_port_fn(const struct ibc_port *port, void *ctx);
int ports_each(const struct app *app, each_port_fn *each, void *ctx, struct ibc_error *err);

/* Was anything of the physical layer read, of any port? */
bool cables_known(const struct ibc_fabric *fab);
