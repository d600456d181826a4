/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Hosts in a fabric: cabling.c reads their ports, cabled.c finds these, rails.c numbers rails. */
#include <ibcheck/cabling.h>

#include "fleet/pool.h"

/*
 * struct ibc_cabling
 * @hcas: names of HCAs
 * @hosts, @ports: theirs, those of a host side by side
 * @arena: what stays; @tmp: what goes once all is found.  Both have an escape until then
 */
struct ibc_cabling {
	struct arena *arena, *tmp;
	const struct ibc_fleet *fleet;
	const struct ibc_fabric *fab;
	struct pool hcas;
	struct ibc_fleet_cables *hosts;
	struct ibc_fleet_port *ports;
	size_t num_hosts, num_ports, room_ports;
	struct ibc_fleet_kind *kinds;
	size_t num_kinds;
};

/* cabled.c: fills .joined, .at and .other */
void cabling_join(struct ibc_cabling *c);
/* cabled_rails.c: fills the kinds, and what ports have of rails and subnets */
void cabling_rails(struct ibc_cabling *c);
