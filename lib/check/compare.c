/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second opinion: the verdict stays that of the checks, but what another tool calls critical and
 * they have not found leaves it unknown, and so does a line that was not understood.
 */
#include <ibcheck/opinions.h>

#include "base/words.h"
#include "check/groups.h"
#include "check/sink.h"

static const struct word_entry tool_words[] = {
	{ IBC_TOOL_IBDIAGNET, { "ibdiagnet", "ibdiagnet" } },
	{ IBC_TOOL_OPENSM, { "opensm", "OpenSM" } },
	{ IBC_TOOL_UFM, { "ufm", "UFM" } },
	{ IBC_TOOL_IBQUERYERRORS, { "ibqueryerrors", "ibqueryerrors" } },
	{ IBC_TOOL_IBLINKINFO, { "iblinkinfo", "iblinkinfo" } },
	WORDS_END,
};

const struct ibc_word *ibc_tool_word(enum ibc_tool tool)
{
	return words_find(tool_words, tool);
}

static const struct word_entry who_words[] = {
	{ IBC_ONLY_THEY, { "only_they", "only they" } },
	{ IBC_ONLY_WE, { "only_we", "only we" } },
	{ IBC_AGREE, { "agree", "agree" } },
	WORDS_END,
};
static const struct word_entry why_words[] = {
	{ IBC_WHY_LIMIT, { "limit", "another limit" } },
	{ IBC_WHY_TIME, { "time", "another time" } },
	{ IBC_WHY_UNREAD, { "unread", "not read" } },
	{ IBC_WHY_UNJUDGED, { "unjudged", "not judged" } },
	{ IBC_WHY_UNKNOWN, { "unknown", "not known" } },
	WORDS_END,
};

const struct ibc_word *ibc_contrast_who_word(enum ibc_contrast_who who)
{
	return words_find(who_words, who);
}

const struct ibc_word *ibc_contrast_why_word(enum ibc_contrast_why why)
{
	return why ? words_find(why_words, why) : NULL;
}

enum { ONLY_THEIRS, NOT_UNDERSTOOD };

static void report_only_theirs(const struct ibc_contrast *c, struct ibc_sink *out)
{
	const struct ibc_opinion *o = c->theirs;
	const struct ibc_port *port = c->place.port ? ibc_node_port(c->place.node, c->place.port)
	                                            : NULL;
	struct ibc_subject subject = o->place;
	const char *tool = ibc_tool_word(o->tool)->name, *why = ibc_contrast_why_word(c->why)->name;
	const char *event = *o->event ? o->event : o->check;

	if (port)
		subject = (struct ibc_subject){ IBC_SUBJECT_PORT, .near = end_of_port(port) };
	else if (c->place.node)
		subject = node_subject(c->place.node);
	else if (subject.near.desc)
		subject.near.label = subject.near.desc;
	sink_add(out, &subject, "%s calls it critical, and no check finds it (%s): %s%s%s", tool,
	         why, event, *event ? ": " : "", o->words);
	sink_advise(out,
	            "Look at what %s says; \"ibcheck explain compare.only-theirs\" says what "
	            "the reasons mean.",
	            tool);
	sink_fact(out, "tool", ibc_str(tool));
	sink_fact(out, "statement", ibc_str(*event ? event : o->words));
	sink_fact(out, "reason", ibc_str(why));
	sink_fact(out, "file", ibc_str(o->file));
	sink_fact(out, "line", ibc_u64(o->line));
}

void ibc_check_contrasts(const struct ibc_opinions *opinions, const struct ibc_contrasts *contrasts,
                         struct ibc_report *rep)
{
	struct ibc_sink out = { .report = rep, .check = &ibc_checks_compare[ONLY_THEIRS] };

	for (size_t i = 0; i < contrasts->num; i++) {
		const struct ibc_contrast *c = &contrasts->all[i];

		if (c->who == IBC_ONLY_THEY && c->theirs->severity == IBC_CRITICAL)
			report_only_theirs(c, &out);
	}
	ibc_report_ran(rep, ibc_checks_compare[ONLY_THEIRS].id);
	ibc_report_ran(rep, ibc_checks_compare[NOT_UNDERSTOOD].id);
	out.check = &ibc_checks_compare[NOT_UNDERSTOOD];
	if (opinions->num_strange) {
		sink_fabric(&out, STRANGE_LINES(opinions));
		sink_advise(&out, "These lines are compared with nothing: read them yourself.");
	} else if (opinions->cut) {
		sink_fabric(&out, "a log says that it lists only some of its lines");
		sink_advise(&out,
		            "Give the ibdiagnet2.db_csv of the same run, which has them all.");
	}
}

const struct ibc_check ibc_checks_compare[] = {
	[ONLY_THEIRS] = CHECK("compare.only-theirs",
	                      "faults that another tool calls critical, and no check finds",
	                      IBC_UNKNOWN, NULL, .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO),
	                      .many = "things|are critical to {tool} ({statement}), and no check "
	                              "finds it",
	                      .kinds = "{tool}{statement}"),
	[NOT_UNDERSTOOD] = CHECK("compare.not-understood",
	                         "lines of other tools that were not understood", IBC_UNKNOWN, NULL,
	                         .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO)),
	{ 0 },
};
