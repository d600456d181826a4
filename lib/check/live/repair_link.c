/* SPDX-License-Identifier: BSD-2-Clause */
/* What became of a link that was repaired: mended.c finds out. */
#include <ibcheck/repair.h>

#include "base/words.h"
#include "check/groups.h"

static const struct word_entry verdict_words[] = {
	{ IBC_REPAIR_MENDED, { "mended", "mended" } },
	{ IBC_REPAIR_SAME, { "same", "the same" } },
	{ IBC_REPAIR_WORSE, { "worse", "worse" } },
	{ IBC_REPAIR_WAIT, { "wait", "wait" } },
	{ IBC_REPAIR_OTHER_CABLE, { "other_cable", "another cable is in place" } },
	{ IBC_REPAIR_UNKNOWN, { "unknown", "not known" } },
};

const struct ibc_word *ibc_repair_word(enum ibc_repair_verdict verdict)
{
	return words_find(verdict_words, verdict);
}

const struct ibc_check ibc_checks_repair_link[] = {
	CHECK("repair.link", "what became of a link that was repaired", IBC_UNKNOWN, NULL,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_INFO)),
	{ 0 },
};
