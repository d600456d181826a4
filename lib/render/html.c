/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page for a browser, in one file that needs nothing else: no network, and to be read no
 * script.  Whatever came with the report is text in it: escaped, kept apart where it is written
 * from right to left, never in a URL, and of scripts the policy in its head lets run but the
 * one that it brings.
 */
#include <string.h>

#include "render/html.h"

static void say_html(struct writer *w, const char *text)
{
	static const struct escape escapes[] = {
		{ "&", "&amp;" },   { "<", "&lt;" },  { ">", "&gt;" },
		{ "\"", "&quot;" }, { "'", "&#39;" }, { 0 },
	};

	put_escaped(w, text, escapes);
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
	       "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
	if (rep->is_past) {
		say_last_run(w, rep);
	} else {
		putf(w, "%s: ", ibc_severity_word(ibc_report_verdict(rep))->name);
		say_sum(w, rep);
	}
	putf(w, " - ibcheck %s</title>\n<style>\n", rep->meta.command ? rep->meta.command : "");
	put(w, page_style);
	put(w, "</style>\n</head>\n");
}

/* The verdict; what was looked at, when, by whom; not how: arguments may hold keys. */
static void put_banner(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_report_meta *m = &rep->meta;
	enum ibc_severity verdict;
	char text[UTC_TEXT];
	time_t time;
	bool known = report_shown_verdict(rep, &verdict, &time);

	putf(w, "<header class=\"banner %s\">\n<h1>",
	     known ? ibc_severity_word(verdict)->word : "none");
	if (known)
		put_sign(w, verdict);
	putf(w, "<span>%s</span></h1>\n<p class=\"sum\">",
	     known ? ibc_severity_word(verdict)->name : "No verdict");
	if (rep->is_past)
		say_last_run(w, rep);
	else
		say_sum(w, rep);
	put(w, "</p>\n");
	if (m->headline)
		putf(w, "<p class=\"headline\">%s%s</p>\n", m->described ? "this host: " : "",
		     m->headline);
	putf(w, "<p class=\"run\">ibcheck %s", m->command ? m->command : "");
	if (m->host)
		putf(w, " on <bdi>%s</bdi>", m->host);
	if (utc_text(m->time, text))
		putf(w, ", <time datetime=\"%s\">%.10s %.5s UTC</time>", text, text, text + 11);
	if (m->source_file)
		putf(w, ", from <bdi>%s</bdi>", m->source_file);
	put(w, "</p>\n</header>\n");
}

static void render_html(struct writer *w, const struct ibc_report *rep)
{
	struct page page = { .w = w, .report = rep };
	/* a table that only programs see is shown where there is no other */
	bool all = !next_page_table(rep->tables, false);

	w->say = say_html;
	w->this_host = rep->meta.described;
	find_cards(&page);
	put_head(w, rep);
	put(w, "<body>\n");
	put_banner(w, rep);
	put(w, "<nav aria-label=\"parts of the report\">\n");
	if (!rep->is_past)
		put(w, "<a href=\"#summary\">Summary</a>\n");
	if (rep->num_cases || report_count_shown_gone(rep))
		put(w, "<a href=\"#cases\">Cases</a>\n");
	if (rep->pictures)
		put(w, "<a href=\"#pictures\">Pictures</a>\n");
	for (const struct ibc_table *t = rep->tables; (t = next_page_table(t, all)); t = t->next)
		putf(w, "<a href=\"#table-%s\">%s</a>\n", t->type->name, table_title(t));
	if (!rep->is_past)
		put(w, "<a href=\"#coverage\">Coverage</a>\n");
	put(w, "</nav>\n<main>\n");
	if (!rep->is_past)
		put_summary(&page);
	put_page_cases(&page);
	put(w, rep->pictures ? "<section id=\"pictures\">\n<h2>Pictures</h2>\n" : "");
	for (const struct picture *p = rep->pictures; p; p = p->next) {
		const char *svg = strstr(p->svg, "<svg");

		putf(w,
		     "<figure class=\"picture\" id=\"picture-%s\">\n<figcaption>%s</figcaption>\n"
		     "<div class=\"canvas\">\n",
		     p->id, p->title);
		put(w, svg ? svg : p->svg);
		put(w, "</div>\n</figure>\n");
	}
	put(w, rep->pictures ? "</section>\n" : "");
	for (const struct ibc_table *t = rep->tables; (t = next_page_table(t, all)); t = t->next)
		put_page_table(&page, t, all);
	if (!rep->is_past)
		put_page_coverage(&page);
	putf(w, "</main>\n<footer>ibcheck " IBC_VERSION ", exit status %d</footer>\n<script>",
	     ibc_severity_exit(ibc_report_verdict(rep)));
	put(w, page_script);
	put(w, "</script>\n</body>\n</html>\n");
}

const struct renderer renderer_html = { "html", render_html };
