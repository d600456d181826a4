/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "case/things.h"

/*
 * struct findings - those of a report in its order, and what comes of them
 * @check: by finding, or NULL
 * @thing: by finding: what it is about
 * @view: by finding: of several that are one case by themselves; or NULL
 * @hash: by finding: of its check, of its kind and of what it is about; its first digits are the id
 * @cause: by finding: the finding that it is a consequence of in the end; itself if of none
 */
struct findings {
	struct ibc_finding *const *list;
	const struct ibc_check **check;
	struct thing *thing;
	size_t *cause;
	const struct view **view;
	uint64_t *hash;
	size_t n;
};

/* explain.c: fills @cause. */
void explain_findings(const struct things *t, struct findings *f);
