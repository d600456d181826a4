/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a report is shown: the rest counts, and is left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "report/report.h"

static int by_value(const void *va, const void *vz)
{
	return order_u64(*(const uint64_t *)va, *(const uint64_t *)vz);
}

static bool is_asked_for(const struct ibc_report *rep, uint64_t guid)
{
	return bsearch(&guid, rep->shown_guids, rep->num_shown_guids, sizeof(guid), by_value);
}

static bool subject_is_asked_for(const struct ibc_report *rep, const struct ibc_subject *s)
{
	return (s->near.has_guid && is_asked_for(rep, s->near.guid)) ||
	       (s->far.has_guid && is_asked_for(rep, s->far.guid));
}

/* What was not read of all is not known of what is asked for either. */
static bool says_why_unknown(const struct ibc_finding *f)
{
	return f->severity == IBC_UNKNOWN && !f->subject.near.has_guid && !f->num_related;
}

/* What is known is no news, whatever became of it. */
static bool has_changed(const struct ibc_case *c)
{
	if (c->state == IBC_CASE_UNKNOWN)
		return c->severity > IBC_INFO;
	return c->state != IBC_CASE_OPEN && c->state != IBC_CASE_UNSETTLED && !case_is_known(c);
}

bool ibc_report_changed(const struct ibc_report *rep)
{
	bool changed = !rep->remembered || rep->sight_changed || rep->num_gone;

	for (size_t i = 0; i < rep->num_cases; i++)
		changed = changed || has_changed(&rep->cases[i]);
	return changed;
}

static bool is_asked_id(const struct ibc_show *show, const char *id)
{
	for (const char *const *named = show->case_ids; named && *named; named++)
		if (id && report_same_id(id, *named))
			return true;
	return false;
}

/* Those that are shown first, each in their order. */
static void hide_gone(struct ibc_report *rep, const struct ibc_show *show)
{
	struct ibc_case *sorted = arena_array(rep->arena, rep->num_gone + 1, sizeof(*sorted));
	size_t n = 0;

	rep->num_gone_hidden = 0;
	rep->failed |= !sorted;
	for (int hidden = 0; sorted && hidden < 2; hidden++)
		for (size_t i = 0; i < rep->num_gone; i++) {
			const struct ibc_case *c = &rep->gone[i];
			bool asked_for = is_asked_id(show, c->id) ||
			                 (!show->only_cases &&
			                  (!rep->num_shown_guids ||
			                   subject_is_asked_for(rep, &c->subject)));

			if ((c->severity >= show->least && asked_for) == hidden)
				continue;
			rep->num_gone_hidden += (size_t)hidden;
			sorted[n++] = *c;
		}
	if (sorted && n)
		rep->gone = sorted;
}

void ibc_report_show(struct ibc_report *rep, const struct ibc_show *show)
{
	size_t size = show->num_guids * sizeof(*show->guids);

	rep->num_shown_guids = 0;
	if (size) {
		rep->shown_guids = arena_alloc(rep->arena, size);
		rep->failed = rep->failed || !rep->shown_guids;
	}
	if (rep->failed)
		return;
	if (size) {
		memcpy(rep->shown_guids, show->guids, size);
		qsort(rep->shown_guids, show->num_guids, sizeof(*show->guids), by_value);
		rep->num_shown_guids = show->num_guids;
	}
	for (size_t i = 0; i < rep->num_findings; i++) {
		struct ibc_finding *f = &rep->findings[i];
		bool named = !rep->num_shown_guids || says_why_unknown(f) ||
		             subject_is_asked_for(rep, &f->subject);
		bool asked_for;

		for (size_t k = 0; k < f->num_related && !named; k++)
			named = subject_is_asked_for(rep, &f->related[k].subject);
		asked_for = is_asked_id(show, f->id) ||
		            (f->in_case && is_asked_id(show, f->in_case->id)) ||
		            (!show->only_cases && named);
		f->hidden = f->severity < show->least || !asked_for;
		f->elsewhere = show->of_things && !asked_for;
	}
	snprintf(rep->hidden_by, sizeof(rep->hidden_by), "%s%s%s",
	         show->by_node                       ? ", --node"
	         : show->num_guids || show->case_ids ? ", of other things"
	                                             : "",
	         show->least > IBC_INFO ? ", --severity" : "", show->changes ? ", --changes" : "");
	memmove(rep->hidden_by, rep->hidden_by + 2, sizeof(rep->hidden_by) - 2);
	hide_gone(rep, show);
	rep->only_changes = show->changes;
	rep->of_things = show->of_things;
	for (size_t i = 0; show->changes && rep->remembered && i < rep->num_cases; i++) {
		const struct ibc_case *c = &rep->cases[i];

		for (size_t k = 0; k < c->num_findings && !has_changed(c); k++)
			report_own_finding(rep, c->findings[k])->hidden = true;
	}
}

size_t report_count_hidden(const struct ibc_report *rep)
{
	size_t n = 0;

	for (size_t i = 0; i < rep->num_findings; i++)
		n += rep->findings[i].hidden;
	return n;
}

/*
 * A row is about every node that it names, both ends of a cable; below a node's heading it is
 * about that node alone.
 */
bool row_is_shown(const struct ibc_table *table, const struct ibc_value *row)
{
	bool names_one = false, shown = false;

	if (!table->report->num_shown_guids)
		return true;
	for (size_t i = 0; i < table->num_columns; i++) {
		if (row[i].kind != IBC_GUID)
			continue;
		if (table->type->headed_by && strcmp(table->type->columns[i].key, "node_guid"))
			continue;
		names_one = true;
		shown = shown || is_asked_for(table->report, row[i].num);
	}
	return shown || !names_one;
}
