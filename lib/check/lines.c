/* SPDX-License-Identifier: BSD-2-Clause */
/* What files say that was not understood. */
#include "check/lines.h"

#include "analysis/compare/compare.h"
#include "check/groups.h"
#include "check/phrases.h"
#include "check/sink.h"
#include "fabric/outside.h"

#define SIDES 4 /* of list_sides() */

/* What this run looks at, each once; NULL: there is none. */
static void list_sides(const struct ibc_input *in, const struct ibc_fabric *sides[SIDES])
{
	sides[0] = in->fabric;
	sides[1] = in->comparison ? comparison_match(in->comparison)->planned : NULL;
	sides[2] = in->before == sides[1] ? NULL : in->before;
	sides[3] = in->cabling ? (*outsides)->fabric(in->cabling) : NULL;
}

bool lines_lost(const struct ibc_input *in, struct ibc_report *rep, struct ibc_attrs lost[2])
{
	const struct ibc_fabric *sides[SIDES];
	const struct ibc_subnet *subnet;
	uint64_t lines = 0;

	list_sides(in, sides);
	for (size_t i = 0; i < SIDES; i++)
		for (size_t k = 0; sides[i] && (subnet = ibc_fabric_subnet(sides[i], k)); k++) {
			lines += subnet->lines_lost;
			lost[i > 0] = ibc_attrs_or(lost[i > 0], subnet->lost_of);
			/* a file of a release that did not keep of what */
			if (subnet->cut_short && ibc_attrs_is_empty(subnet->lost_of))
				ibc_attrs_add(&lost[i > 0], IBC_ATTR_NODE_INFO);
		}
	ibc_report_lines_lost(rep, lines);
	return lines;
}

static void report_lost(struct ibc_sink *out, const struct ibc_subnet *subnet, bool checks_file)
{
	uint64_t n = subnet->lines_lost, more = n - subnet->num_lost;
	const char *text = "";

	for (size_t i = 0; i < subnet->num_lost; i++)
		text = sink_text(out, "%s%s%s:%ju: %s", text, i ? "; " : ": ", subnet->lost[i].file,
		                 (uintmax_t)subnet->lost[i].line, subnet->lost[i].why);
	if (more)
		text = sink_text(out, "%s; and %ju more", text, (uintmax_t)more);
	if (checks_file)
		sink_as(out, IBC_CRITICAL);
	sink_named(out, IBC_SUBJECT_FABRIC, subnet->source, "%s not understood, and skipped%s",
	           n == 1 ? "1 line is" : sink_text(out, "%ju lines are", (uintmax_t)n), text);
	sink_advise(out, "Write the file again, or correct the lines: what seems to be missing may "
	                 "be in them.");
	sink_fact(out, "lines", ibc_u64(n));
	if (!subnet->num_lost)
		return;
	sink_fact(out, "file", ibc_str(subnet->lost->file));
	sink_fact(out, "line", ibc_u64(subnet->lost->line));
}

/*
 * A line that was damaged on its way, or is of a release that is not known here, may be the cable
 * that seems to be missing.
 */
static void check_lines(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_fabric *sides[SIDES];
	const struct ibc_subnet *subnet;

	list_sides(in, sides);
	for (size_t k = 0; k < SIDES; k++)
		for (size_t i = 0; sides[k] && (subnet = ibc_fabric_subnet(sides[k], i)); i++)
			if (subnet->lines_lost)
				report_lost(out, subnet, in->checks_file);
}

/* ---- the table ------------------------------------------------------------------- */

const struct ibc_check ibc_checks_lines[] = {
	CHECK("fabric.lines", "lines of files that are not understood", IBC_UNKNOWN, check_lines,
	      .needs = IBC_ATTRS()),
	{ 0 },
};
