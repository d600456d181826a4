/* SPDX-License-Identifier: BSD-2-Clause */
/* What the switches form. */
#include "analysis/wiring.h"

bool wiring_family(struct ibc_fattree *tree)
{
	tree->family = tree->levels > 1 ? IBC_FAMILY_FAT_TREE : IBC_FAMILY_NONE;
	return true;
}
