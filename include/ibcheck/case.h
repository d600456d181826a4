/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_CASE_H
#define IBCHECK_CASE_H

#include <ibcheck/check.h>
#include <ibcheck/error.h>
#include <ibcheck/report.h>

#pragma GCC visibility push(default)

/**
 * ibc_cases_find() - put findings together that have one cause and one remedy
 * @in: what was checked; its fabric may be NULL
 * @find_check: the table of checks: ibc_check_find()
 * @rep: finished; gets the cases
 *
 * Call again after another ibc_report_finish().
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_cases_find(const struct ibc_input *in,
                   const struct ibc_check *(*find_check)(const char *id), struct ibc_report *rep,
                   struct ibc_error *err);

/**
 * struct ibc_cable_ends - what both ends of a cable counted
 * @near, @far: names of the ports
 * @near_damage, @far_damage: damaged data that arrived there
 * @unread: one end does not report all of it
 * @flaps: it goes down so often that it does harm
 * @near_plug, @far_plug: " (MCP1600-C003, SN MT2012VS00123)", what is plugged in there; NULL or "":
 *			  not known
 */
struct ibc_cable_ends {
	const char *near, *far;
	uint64_t near_damage, far_damage;
	bool unread, flaps;
	const char *near_plug, *far_plug;
};

enum ibc_first_end {
	IBC_FIRST_BOTH, /* neither is more likely: the cable */
	IBC_FIRST_NEAR,
	IBC_FIRST_FAR,
};

/*
 * Which end to touch first, and what to do there, in sentences: what one end receives damaged
 * the other has sent (IBA 16.1.3.5).  The text is cut off at the end of the buffer.
 */
enum ibc_first_end ibc_cable_first_end(const struct ibc_cable_ends *ends);
#define IBC_ADVICE_MAX 1024 /* the longest has four names of ports and 250 characters */
const char *ibc_cable_advice(const struct ibc_cable_ends *ends, char text[IBC_ADVICE_MAX]);

#pragma GCC visibility pop

#endif
