/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page for a browser, in one file that needs nothing else: no network, and to be read no
 * script.  Whatever came with the report is text in it: escaped, kept apart where it is written
 * from right to left, never in a URL, and of scripts the policy in its head lets run but the
 * one that it brings.
 */
#include <string.h>

#include "render/html.h"

/* ---- head -------------------------------------------------------------------------- */

static void put_title(struct writer *w, const struct ibc_report *rep)
{
	put(w, "<title>");
	if (rep->is_past) {
		say_last_run(w, rep);
	} else {
		say(w, ibc_severity_word(ibc_report_verdict(rep))->name);
		put(w, ": ");
		say_sum(w, rep);
	}
	put(w, " - ibcheck ");
	say(w, rep->meta.command ? rep->meta.command : "");
	put(w, "</title>\n");
}

static void put_head(struct writer *w, const struct ibc_report *rep)
{
	put(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	       "style-src 'unsafe-inline'; script-src '");
	put(w, page_script_hash);
	put(w, "'; base-uri 'none'; form-action 'none'\">\n"
	       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	       "<meta name=\"color-scheme\" content=\"light dark\">\n"
	       "<meta name=\"referrer\" content=\"no-referrer\">\n");
	put_title(w, rep);
	put(w, "<style>\n");
	put(w, page_style);
	put(w, "</style>\n</head>\n");
}

/* What was looked at, when, by whom; not how: arguments may hold keys. */
static void put_run(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_report_meta *m = &rep->meta;
	char time[UTC_TEXT];

	put(w, "<p class=\"run\">ibcheck ");
	say(w, m->command ? m->command : "");
	if (m->host) {
		put(w, " on ");
		put_element(w, "bdi", NULL, m->host);
	}
	if (utc_text(m->time, time)) {
		putf(w, ", <time datetime=\"%s\">%.10s %.5s UTC</time>", time, time, time + 11);
	}
	if (m->source_file) {
		put(w, ", from ");
		put_element(w, "bdi", NULL, m->source_file);
	}
	put(w, "</p>\n");
}

static void put_banner(struct writer *w, const struct ibc_report *rep)
{
	enum ibc_severity verdict;
	time_t time;
	bool known = report_shown_verdict(rep, &verdict, &time);

	putf(w, "<header class=\"banner %s\">\n<h1>",
	     known ? ibc_severity_word(verdict)->word : "none");
	if (known)
		put_sign(w, verdict);
	put_element(w, "span", NULL, known ? ibc_severity_word(verdict)->name : "No verdict");
	put(w, "</h1>\n<p class=\"sum\">");
	if (rep->is_past)
		say_last_run(w, rep);
	else
		say_sum(w, rep);
	put(w, "</p>\n");
	if (rep->meta.headline) {
		put(w, "<p class=\"headline\">");
		say(w, rep->meta.described ? "this host: " : "");
		say(w, rep->meta.headline);
		put(w, "</p>\n");
	}
	put_run(w, rep);
	put(w, "</header>\n");
}

/* ---- pictures ---------------------------------------------------------------------- */

static void put_picture(struct writer *w, const struct picture *picture)
{
	const char *svg = strstr(picture->svg, "<svg");

	put(w, "<figure class=\"picture\" id=\"picture-");
	put(w, picture->id);
	put(w, "\">\n");
	put_element(w, "figcaption", NULL, picture->title);
	put(w, "\n<div class=\"canvas\">\n");
	put(w, svg ? svg : picture->svg);
	put(w, "</div>\n</figure>\n");
}

static void put_pictures(struct writer *w, const struct ibc_report *rep)
{
	if (!rep->pictures)
		return;
	put(w, "<section id=\"pictures\">\n<h2>Pictures</h2>\n");
	for (const struct picture *p = rep->pictures; p; p = p->next)
		put_picture(w, p);
	put(w, "</section>\n");
}

/* ---- the page ---------------------------------------------------------------------- */

/* A table that only programs see is shown where there is no other. */
static bool shows_all(const struct ibc_report *rep)
{
	return !next_page_table(rep->tables, false);
}

static void put_link(struct writer *w, const char *id, const char *name)
{
	putf(w, "<a href=\"#%s\">", id);
	say(w, name);
	put(w, "</a>\n");
}

static void put_links(struct writer *w, const struct ibc_report *rep)
{
	bool all = shows_all(rep);

	put(w, "<nav aria-label=\"parts of the report\">\n");
	if (!rep->is_past)
		put_link(w, "summary", "Summary");
	if (rep->num_cases || report_count_shown_gone(rep))
		put_link(w, "cases", "Cases");
	if (rep->pictures)
		put_link(w, "pictures", "Pictures");
	for (const struct ibc_table *t = rep->tables; (t = next_page_table(t, all)); t = t->next) {
		char id[64];

		snprintf(id, sizeof(id), "table-%s", t->type->name);
		put_link(w, id, table_title(t));
	}
	if (!rep->is_past)
		put_link(w, "coverage", "Coverage");
	put(w, "</nav>\n");
}

static void put_main(const struct page *p)
{
	const struct ibc_report *rep = p->report;
	bool all = shows_all(rep);

	put(p->w, "<main>\n");
	if (!rep->is_past)
		put_summary(p);
	put_page_cases(p);
	put_pictures(p->w, rep);
	for (const struct ibc_table *t = rep->tables; (t = next_page_table(t, all)); t = t->next)
		put_page_table(p, t, all);
	if (!rep->is_past)
		put_page_coverage(p);
	put(p->w, "</main>\n");
}

static void put_foot(struct writer *w, const struct ibc_report *rep)
{
	putf(w, "<footer>ibcheck " IBC_VERSION ", exit status %d</footer>\n<script>",
	     ibc_severity_exit(ibc_report_verdict(rep)));
	put(w, page_script);
	put(w, "</script>\n</body>\n</html>\n");
}

void render_html(struct writer *w, const struct ibc_report *rep)
{
	struct page page = { .w = w, .report = rep };

	w->say = say_html;
	w->this_host = rep->meta.described;
	find_marks(&page);
	put_head(w, rep);
	put(w, "<body>\n");
	put_banner(w, rep);
	put_links(w, rep);
	put_main(&page);
	put_foot(w, rep);
	free_marks(&page);
}
