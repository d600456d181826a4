/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd.h"

struct all_cfg {
	struct str_list expect;
	bool routes;
};

/* clang-format off */
/* The options of "all", for any command that runs it; @at: "field." of its struct all_cfg */
#define EXPECT_OPT(owner, at, text) \
	OPT_LIST(0, "expect", "FILE", owner, at expect, text "; repeat it for several subnets", \
	         .hint = HINT_FILE, .section = SECTION_ALL)
#define ALL_OPTS(owner, at) \
	EXPECT_OPT(owner, at, "compare with a plan of the cabling as well, as topo does"), \
	OPT_FLAG(0, "routes", owner, at routes, \
	         "check linear forwarding tables (LFTs) as well, as routes does; doubles the time " \
	         "on a large fabric", \
	         .section = SECTION_ALL)
/* clang-format on */
#define ALL_TAKES (TAKES_FABRIC | TAKES_STATE | TAKES_PHYSICAL | TAKES_UNHEALTHY)

extern const struct cmd cmd_all;
