/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_GONE_H
#define IBCHECK_GONE_H

#include <time.h>

#pragma GCC visibility push(default)

/**
 * DOC: what a memory expects and a sweep did not find
 *
 * ibc_store_expect() makes it, and the checks of the group "gone" read it: struct ibc_input.gone.
 * Expected is what three runs have seen, or the first run of a new state directory.
 */
struct ibc_gone;

/**
 * struct ibc_retired - something that was taken away on purpose
 * @subject: what people type for it: a node, a host, "NODE/PORT", or both ends of a cable,
 *	     "A/P - B/Q"; may have wildcards
 * @when: it is retired unless a run saw it later than this
 */
struct ibc_retired {
	const char *subject;
	time_t when;
};

#pragma GCC visibility pop

#endif
