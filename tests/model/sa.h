/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_SA_H
#define MODEL_SA_H

/* Subnet administration, as subnet->sa says; without one there are no groups, and all paths have SL
 * 0. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

#include "base/mad.h"

/*
 * struct model_sa - how it answers
 * @silent:	  not at all
 * @silent_after: not any more, after so many queries; 0: for ever
 * @only_first:   of an answer of many MADs the first comes, as ibsim has it
 * @trusted:	  who sends this as SM_Key is told of all members, others of the groups; 0: all are
 * @status:	  of the answers for records, if not 0
 * @odd_path:	  tells of another path than was asked for
 * @stranger:	  tells of a service of another name as well
 * @narrow:	  says that its ServiceRecords are half as long
 * @services_after: so many questions for services find none
 * @redirect:	  sends whoever asks elsewhere; dlid 0: nobody
 * @reply:	  of the last answer of records, allocated
 */
struct model_sa {
	bool silent, only_first, odd_path, stranger, narrow;
	unsigned int services_after, services_asked;
	unsigned int silent_after, asked;
	uint64_t trusted;
	uint16_t status;
	struct mad_addr redirect;
	uint8_t *reply;
	size_t length;
};

struct sa_place {
	const struct ibc_subnet *subnet;
	const struct mad_addr *to;
	uint8_t method;
};

#define SA_SAYS_NOTHING (-1)
/* Turns the query into the answer; returns its status, or SA_SAYS_NOTHING. */
int model_sa_answer(struct model_sa *sa, const struct sa_place *at, uint16_t attribute,
                    uint8_t mad[MAD_SIZE]);

#endif
