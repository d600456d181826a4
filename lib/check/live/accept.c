/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was seen during an acceptance and is gone at its end, and what it did not look at: the
 * program finds both, by ibc_check_passed() and ibc_check_uncovered().
 */
#include <time.h>

#include "check/groups.h"
#include "check/sink.h"

enum { PASSED, UNCOVERED };

#define WHEN_TEXT 32 /* "2026-01-31 12:00:00", of any year */
static const char *when_text(time_t when, char text[WHEN_TEXT])
{
	struct tm tm;

	if (!gmtime_r(&when, &tm) || !strftime(text, WHEN_TEXT, "%Y-%m-%d %H:%M:%S", &tm))
		return "?";
	return text;
}

void ibc_check_passed(struct ibc_report *rep, const struct ibc_passed *p)
{
	struct ibc_sink out = { .report = rep, .check = &ibc_checks_accept[PASSED] };
	char times[32] = "", when[2][WHEN_TEXT];

	if (p->times > 1)
		snprintf(times, sizeof(times), ", %u times", p->times);
	sink_as(&out, p->severity);
	sink_add(&out, p->subject, "%s: %s; seen from %s to %s UTC%s, and not at the end", p->check,
	         p->message, when_text(p->began, when[0]), when_text(p->last_seen, when[1]), times);
	sink_advise(&out,
	            "%s%sWhat comes and goes comes again: accept the cluster only once it "
	            "has run for the whole time without it.",
	            p->advice ? p->advice : "", p->advice ? " " : "");
	sink_fact(&out, "fault", ibc_str(p->check));
	sink_fact(&out, "times", ibc_u64(p->times));
}

/* The sentence is before, @how, behind. */
static const struct {
	enum ibc_severity severity;
	const char *before, *behind, *advice;
} uncovered[] = {
	[IBC_UNCOVERED_SWEEPS] = { IBC_UNKNOWN, "the fabric was not watched for ", "",
	                           "Find out why no sweep succeeded then, and accept the cluster "
	                           "again." },
	[IBC_UNCOVERED_PAUSE] = { IBC_INFO, "was stopped for ",
	                          ", which was added at the end: counters were compared across "
	                          "it, and nothing else was seen of that time",
	                          "Accept the cluster again if something was done to it "
	                          "meanwhile." },
	[IBC_UNCOVERED_PHYSICAL] = { IBC_INFO,
	                             "the physical layer of no device was read: bit error rates, "
	                             "modules and cables were not looked at",
	                             "",
	                             "Where devices should answer, --physical says which of "
	                             "them did not, and why." },
};

void ibc_check_uncovered(struct ibc_report *rep, enum ibc_uncovered what, const char *how)
{
	struct ibc_sink out = { .report = rep, .check = &ibc_checks_accept[UNCOVERED] };

	sink_as(&out, uncovered[what].severity);
	sink_fabric(&out, "%s%s%s", uncovered[what].before, how ? how : "", uncovered[what].behind);
	sink_advise(&out, "%s", uncovered[what].advice);
}

const struct ibc_check ibc_checks_accept[] = {
	[PASSED] = CHECK("accept.passed", "faults that came and went during an acceptance",
	                 IBC_WARNING, NULL, .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO),
	                 .many = "things|had {fault} during the acceptance, and not at its end"),
	[UNCOVERED] = CHECK("accept.uncovered", "what an acceptance did not look at", IBC_UNKNOWN,
	                    NULL, .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO)),
	{ 0 },
};
