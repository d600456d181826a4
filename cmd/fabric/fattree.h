/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd.h"

struct fattree_cfg {
	const char *max_oversubscription, *dot, *svg, *plan_csv;
	bool require;
};
