/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_PAGE_H
#define IBCHECK_PAGE_H

#include <stdint.h>
#include <time.h>

#include <ibcheck/report.h>

#pragma GCC visibility push(default)

/* What of a report only a page shows; other formats leave it out. */

/**
 * ibc_report_add_picture() - add a drawing; formats other than "html" leave it out
 * @id: letters, digits and "-": one picture of the report has it
 * @title: what it shows, in a line
 * @svg: an <svg> element, which needs nothing outside of itself; it goes into the page as it is,
 *	 so whoever draws it has escaped its texts.  What stands before "<svg" is left out.
 *
 * A page joins its elements of class "cell" and "line" with the rest: "data-row" and "data-col"
 * are the row and the column of a cell, "data-cases" the IDs of its cases, "data-cables" ends of
 * its cables, as ibc_subject_identity() has them: "0x0002c90300000010/19"; blanks between them.
 */
void ibc_report_add_picture(struct ibc_report *rep, const char *id, const char *title,
                            const char *svg);

/* How the past of ports is told; likewise, once.  @what: of a step, "errors a day". */
#define IBC_PAST_STEPS 60 /* at most */
void ibc_report_remember(struct ibc_report *rep, const char *what, time_t from,
                         unsigned int step_seconds, unsigned int steps);
/* One port, at most once. @values: so many as there are steps; below 0: not known. */
void ibc_report_remember_port(struct ibc_report *rep, uint64_t guid, unsigned int port,
                              const double *values);

/**
 * struct ibc_brief - what somebody who decides is told before the cases
 * @affected: "2 cables, 1 host", or NULL
 * @previous: when the run before this one began; 0: it is not known
 */
struct ibc_brief {
	const char *affected;
	time_t previous;
};
void ibc_report_brief(struct ibc_report *rep, const struct ibc_brief *brief);

/**
 * ibc_report_consequence() - what a fault that a check finds costs until it is repaired
 * @check: id of a check, or of a case, which has its own in place of that; each at most once
 * @cost: a sentence or two
 * @who: whose work the repair is: "data centre staff"
 */
void ibc_report_consequence(struct ibc_report *rep, const char *check, const char *cost,
                            const char *who);

#pragma GCC visibility pop

#endif
