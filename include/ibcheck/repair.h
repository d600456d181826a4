/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_REPAIR_H
#define IBCHECK_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/error.h>

#pragma GCC visibility push(default)

struct ibc_config;
struct ibc_fabric;
struct ibc_port;
struct ibc_report;
struct ibc_word;

/**
 * DOC: did a repair help?
 *
 * A link is swept before the work, and again until as much has passed without too many errors
 * that the limit of the check that found it is excluded.
 */

enum ibc_repair_verdict {
	IBC_REPAIR_UNKNOWN, /* something that it takes was not read */
	IBC_REPAIR_MENDED,
	IBC_REPAIR_SAME,
	IBC_REPAIR_WORSE,
	IBC_REPAIR_WAIT,        /* neither can be said yet */
	IBC_REPAIR_OTHER_CABLE, /* likewise, and another cable is in place */
};
const struct ibc_word *ibc_repair_word(enum ibc_repair_verdict verdict);

/**
 * struct ibc_repair_count - what a link counted since the work, at one end
 * @passed: bits, or hours; @limit: errors in one of them; @before: likewise before the work, or NaN
 */
struct ibc_repair_count {
	uint64_t errors;
	double passed, limit, before;
};

/**
 * ibc_repair_judge() - what such a count shows
 * @missing: how much more has to pass if no error comes: then it is mended
 *
 * By the Poisson distribution.  However often one looks, of links that are at the limit at most
 * 5 % are called mended, and of those below it as many the same: the part for n errors is
 * 4 % for none, and 1.5 % / (n + 1)^2 for more, a sum of less than 5 %.  So without an error
 * 3.22 / limit has to pass; the 3 / limit of 95 % hold for who looks once.
 *
 * Return: IBC_REPAIR_MENDED, _SAME, _WORSE (the rate before is exceeded, too) or _WAIT.
 */
enum ibc_repair_verdict ibc_repair_judge(const struct ibc_repair_count *count, double *missing);

/* The checks of links, as for ibc_check_select(). */
#define IBC_REPAIR_CHECKS "port,counters,phy,cable"

/**
 * struct ibc_repair - a link, before the work and now
 * @start: swept before the work; @link: an end of it there
 * @after: swept since the work; NULL: this is the first time
 * @check: whose limit counts; NULL: those of all checks of links
 * @flap_seconds: usually between two times that it went down; 0: not known
 */
struct ibc_repair {
	const struct ibc_fabric *start, *after, *now;
	const struct ibc_port *link;
	const struct ibc_config *config;
	const char *check;
	double flap_seconds;
};

/* Does this check judge links, so that it can be run again for one?  Those that @repair may name.
 */
bool ibc_repair_has_check(const char *check);
/*
 * The link of an end of an earlier sweep: by GUID and number; of a device that was replaced by its
 * name; of a plug that was moved by the other end.  NULL: nothing of it answers.
 */
const struct ibc_port *ibc_repair_find(const struct ibc_port *then, const struct ibc_fabric *now);

/**
 * ibc_check_repair() - adds the verdict as repair.link
 * @begins: from this sweep on is counted: it becomes @after
 *
 * The check runs again: what it still finds is never mended.  Errors since @start are of the time
 * before the work as well: they show that a link is mended, and not that it is the same.
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_check_repair(const struct ibc_repair *repair, struct ibc_report *rep, bool *begins,
                     struct ibc_error *err);

#pragma GCC visibility pop

#endif
