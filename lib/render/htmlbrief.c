/* SPDX-License-Identifier: BSD-2-Clause */
/* Of a page what somebody reads who decides, and does not repair: what it comes to, and whose work
 * it is. */
#include <string.h>

#include "base/array.h"
#include "render/html.h"

bool case_is_work(const struct ibc_case *c)
{
	return c->severity > IBC_INFO && !case_is_known(c) && !case_is_hidden(c);
}

static const struct consequence *consequence_of(const struct page *p, const struct ibc_case *c)
{
	const struct consequence *of = p->report->consequences, *of_check = NULL;

	for (; of && strcmp(of->check, c->id) != 0; of = of->next)
		if (!strcmp(of->check, c->check))
			of_check = of;
	return of ? of : of_check;
}

void put_consequence(const struct page *p, const struct ibc_case *c)
{
	const struct consequence *of = consequence_of(p, c);
	struct writer *w = p->w;

	if (!of)
		return;
	put(w, "<p class=\"cost\"><b>Who:</b> ");
	say(w, of->who);
	put(w, ". <b>Until then:</b> ");
	say(w, of->cost);
	put(w, "</p>\n");
}

/* "data centre staff 2 cases, host administrators 1 case"; words of a report are kept once */
static void put_workers(const struct page *p)
{
	const struct consequence *all = p->report->consequences, *earlier, *of;
	const char *separator = "<li><b>Who has to act:</b> ";
	struct writer *w = p->w;

	for (const struct consequence *who = all; who; who = who->next) {
		size_t n = 0;

		for (earlier = all; earlier->who != who->who; earlier = earlier->next)
			;
		if (earlier != who)
			continue;
		for (size_t i = 0; i < p->report->num_cases; i++)
			if (case_is_work(&p->report->cases[i]) &&
			    (of = consequence_of(p, &p->report->cases[i])))
				n += of->who == who->who;
		if (!n)
			continue;
		put(w, separator);
		say(w, who->who);
		putf(w, " (%zu case%s)", n, n == 1 ? "" : "s");
		separator = ", ";
	}
	put(w, *separator == ',' ? "</li>\n" : "");
}

void put_brief(const struct page *p)
{
	static const char *const meanings[] = {
		[IBC_OK] = "Nothing has to be repaired now.",
		[IBC_WARNING] = "There are faults to repair. None of them is critical.",
		[IBC_UNKNOWN] = "Part of it could not be checked: there may be faults that this "
				"report does not show.",
		[IBC_CRITICAL] = "There are faults to repair now.",
	};
	const struct ibc_brief *brief = &p->report->brief;
	struct writer *w = p->w;

	if (!brief->affected)
		return;
	put(w, "<ul class=\"brief\">\n<li>");
	put(w, meanings[ibc_report_verdict(p->report)]);
	put(w, "</li>\n<li><b>Affected:</b> ");
	say(w, brief->affected);
	put(w, "</li>\n");
	put_workers(p);
	put(w, "</ul>\n");
}
