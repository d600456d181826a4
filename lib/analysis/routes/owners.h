/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Whose a LID is that no PortInfo has: of a virtual port (SR-IOV), or a floating
 * one (FLID) that routers know a path for.  What was not read of either is guessed from where the
 * tables send the LID.
 */
#include "analysis/routes/routes.h"

/*
 * struct lid_owners - of one subnet
 * @vports: by LID, the port of an HCA that the virtual port of this LID is in; NULL: none has one
 * @flids: ranges that routers report
 * @router_unread: a router did not report its ranges
 */
struct lid_owners {
	const struct ibc_port **vports;
	struct ibc_flids *flids;
	size_t num_flids;
	bool router_unread;
};

/* Everything from a, which has an escape. */
void owners_find(struct lid_owners *o, const struct route_subnet *p, struct arena *a);
/* Of a LID that no port has; IBC_LID_KINDS: no one's.  O(switches). */
enum ibc_lid_kind owners_kind(const struct lid_owners *o, const struct route_subnet *p,
                              unsigned int lid);
/* The same, with the ports of struct ibc_spared_lids. */
struct ibc_spared_lids owners_example(const struct lid_owners *o, const struct route_subnet *p,
                                      unsigned int lid);
