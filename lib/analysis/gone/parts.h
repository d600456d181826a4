/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/gone/gone.h"

/*
 * Which of the missing devices are gone, which lie behind those, and where this run did not look.
 * Sets state, lead and cut of those that are GONE_UNSEEN.
 */
void gone_parts(struct ibc_gone *gone);
/* retired.c: the state of what the names of @retired mean, and of what lies behind that. */
void gone_retire(struct ibc_gone *gone);
