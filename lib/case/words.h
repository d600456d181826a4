/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "case/group.h"

/* words.c: of a finding the facts that a phrase names, as part of what it is. */
uint64_t hash_more_facts(uint64_t hash, const char *many, const struct ibc_finding *f);
/* The same, and of numbers, such as that of a fan: what distinguishes one kind from another. */
uint64_t hash_more_kinds(uint64_t hash, const char *kinds, const struct ibc_finding *f);

/*
 * struct group_words - what is said of a group
 * @identity: of what its things have in common; text, as ibc_subject_identity() has it
 */
struct group_words {
	struct ibc_subject subject;
	const char *message, *advice, *trait, *identity;
};

/* Of members, the first of which spoke for it; the texts are in the arena of the things. */
struct group_words group_words(const struct things *t, const struct group *g,
                               const struct ibc_check *check,
                               const struct ibc_finding *const *members, size_t n);
/* Of several findings of one device, or of one view, or NULL. */
struct group_words device_words(const struct things *t, const struct ibc_check *check,
                                const struct view *view, const struct ibc_finding *const *members,
                                size_t n);
