/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "case/words.h"

/*
 * alike.c: as group_findings() and group_words(), of a fleet; of a fabric it adds its groups to
 * those of group_findings().
 */
void group_alike_hosts(const struct things *t, const struct findings *f, struct grouping *out);
struct group_words alike_words(const struct things *t, const struct ibc_finding *const *members,
                               size_t n);

/* What one such finding says, and where its cable leads, if that is known. */
const char *alike_message(struct arena *arena, const struct ibc_finding *f);
