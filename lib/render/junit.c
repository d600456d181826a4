/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JUnit XML for CI: a test case a check, or a kind of one that ran in part, and one
 * for the coverage, so that what was not answered is not green.  A case has one
 * outcome and its text names all findings, because many readers look at the first
 * element only.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "render/say.h"

enum outcome { PASSED, FAILED, ERRED, SKIPPED };
#define NUM_OUTCOMES 4 /* passed, failure, error, skipped */
static const char *const elements[] = { NULL, "failure", "error", "skipped" };

/*
 * struct test - @name: of a check or one of its kinds, "cable.alarm:bias"
 * @reason: why it was skipped, or NULL
 * @worst: of the findings that count
 */
struct test {
	const char *name, *reason;
	enum ibc_severity worst;
	size_t num_findings, num_known;
	const struct ibc_finding *first;
};

/* @of: the test of each finding */
struct suite {
	struct test *tests, **of;
	size_t num;
	size_t outcomes[NUM_OUTCOMES];
};

/* ---- what there is to say -------------------------------------------------- */

static enum outcome outcome_of(const struct test *t)
{
	if (t->worst == IBC_UNKNOWN)
		return ERRED;
	if (t->worst != IBC_OK)
		return FAILED;
	return t->reason || t->num_known ? SKIPPED : PASSED;
}

static struct test *test_of(struct suite *s, const char *name)
{
	for (size_t i = s->num; i > 0; i--)
		if (!strcmp(s->tests[i - 1].name, name))
			return &s->tests[i - 1];
	s->tests[s->num].name = name;
	return &s->tests[s->num++];
}

/* That of its kind, if there is one. */
static struct test *test_of_finding(struct suite *s, const struct ibc_finding *f)
{
	for (size_t i = 0; i < s->num; i++)
		if (strchr(s->tests[i].name, ':') && finding_is_of(f, s->tests[i].name))
			return &s->tests[i];
	return test_of(s, f->check);
}

/* What counts is named before what is known. */
static int weight(const struct ibc_finding *f)
{
	return (finding_counts(f) ? IBC_CRITICAL : 0) + (int)f->severity;
}

static void collect_tests(struct writer *w, struct suite *s, const struct ibc_report *rep)
{
	size_t room = count_notes(rep->ran) + count_notes(rep->skipped);
	const struct ibc_finding *f;

	for (size_t i = 0; i < rep->num_findings; i++)
		room += !i || strcmp(rep->sorted[i]->check, rep->sorted[i - 1]->check);
	s->tests = arena_array(w->arena, room, sizeof(*s->tests));
	s->of = arena_array(w->arena, rep->num_findings, sizeof(*s->of));
	for (const struct check_note *c = rep->ran; c; c = c->next)
		test_of(s, c->name);
	for (const struct check_note *c = rep->skipped; c; c = c->next)
		test_of(s, c->name)->reason = c->reason ? c->reason : "no reason given";
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		struct test *t = s->of[i] = test_of_finding(s, f);

		t->num_findings++;
		t->num_known += finding_is_known(f);
		if (!t->first || weight(f) > weight(t->first))
			t->first = f;
		if (finding_counts(f) && f->severity > t->worst)
			t->worst = f->severity;
	}
	for (size_t i = 0; i < s->num; i++)
		s->outcomes[outcome_of(&s->tests[i])]++;
}

/* ---- XML ------------------------------------------------------------------- */

/* Text of a report holds no control characters; of the rest XML forbids two. */
static void say_xml(struct writer *w, const char *text)
{
	static const struct escape escapes[] = {
		{ "&", "&amp;" },
		{ "<", "&lt;" },
		{ ">", "&gt;" },
		{ "\"", "&quot;" },
		{ "\xef\xbf\xbe", "\xef\xbf\xbd" },
		{ "\xef\xbf\xbf", "\xef\xbf\xbd" },
		{ 0 },
	};

	put_escaped(w, text, escapes);
}

static void put_totals(struct writer *w, const struct ibc_report *rep, const struct suite *s)
{
	putf(w, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
	     s->num + 1, s->outcomes[FAILED], s->outcomes[ERRED], s->outcomes[SKIPPED],
	     rep->meta.duration_seconds);
}

/* ---- test cases ------------------------------------------------------------ */

static void say_failure(struct writer *w, const struct ibc_finding *f)
{
	say_subject(w, &f->subject);
	if (!f->follows) /* as text has it; and it is what "known add" takes */
		sayf(w, " [%s]", f->in_case->id);
	sayf(w, ": %s", f->message);
	if (f->follows) {
		sayf(w, "; follows from case %s: ", f->in_case->id);
		say_subject(w, &f->in_case->subject);
		sayf(w, ": %s", f->in_case->message);
	}
	if (!f->known)
		return;
	say(w, "; known ");
	say_known(w, f->known);
}

static void put_test(struct writer *w, const struct ibc_report *rep, const struct suite *s,
                     const struct test *t)
{
	const char *element = elements[outcome_of(t)];
	const struct ibc_finding *f;
	char class[64];

	/* "ibcheck.port" for "port.width": readers fold by it */
	snprintf(class, sizeof(class), "ibcheck.%.*s", (int)strcspn(t->name, "."), t->name);
	putf(w, "    <testcase classname=\"%s\" name=\"%s\">\n", class, t->name);
	if (element) {
		putf(w, "      <%s", element);
		if (t->worst != IBC_OK)
			putf(w, " type=\"%s\"", ibc_severity_word(t->worst)->word);
		/* the sentence that readers show in their lists */
		put(w, " message=\"");
		if (t->reason)
			sayf(w, "not checked: %s", t->reason);
		if (t->reason && t->first)
			say(w, "; ");
		if (t->num_findings > 1)
			sayf(w, "%zu findings, the first: ", t->num_findings);
		if (t->first)
			say_failure(w, t->first);
		put(w, "\">");
	} else if (t->first) {
		element = "system-out";
		put(w, "      <system-out>");
	}
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		if (s->of[i] != t)
			continue;
		sayf(w, "%s ", ibc_severity_word(f->severity)->name);
		say_failure(w, f);
		end_line(w);
		if (f->advice) {
			sayf(w, "Fix: %s", f->advice);
			end_line(w);
		}
	}
	if (element)
		putf(w, "</%s>\n", element);
	put(w, "    </testcase>\n");
}

static void render_junit(struct writer *w, const struct ibc_report *rep)
{
	bool gap = rep->skipped || report_unexplained(rep);
	struct suite s = { 0 };
	struct tm tm;
	char time[32];

	w->say = say_xml;
	collect_tests(w, &s, rep);
	s.outcomes[gap ? ERRED : PASSED]++;
	put(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ibcheck\"");
	put_totals(w, rep, &s);
	putf(w, ">\n  <testsuite name=\"ibcheck%s%s\"", rep->meta.command ? " " : "",
	     rep->meta.command ? rep->meta.command : "");
	put_totals(w, rep, &s);
	/* the format knows no zone */
	if (rep->meta.time && gmtime_r(&rep->meta.time, &tm) &&
	    strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S", &tm))
		putf(w, " timestamp=\"%s\"", time);
	if (rep->meta.host)
		putf(w, " hostname=\"%s\"", rep->meta.host);
	put(w, ">\n");
	for (size_t i = 0; i < s.num; i++)
		put_test(w, rep, &s, &s.tests[i]);
	put(w, "    <testcase classname=\"ibcheck\" name=\"coverage\">\n");
	if (report_has_gaps(rep)) {
		put(w, gap ? "      <error type=\"unknown\" message=\"incomplete\">"
		           : "      <system-out>");
		say_gaps(w, rep, end_line);
		put(w, gap ? "</error>\n" : "</system-out>\n");
	}
	put(w, "    </testcase>\n  </testsuite>\n</testsuites>\n");
}

const struct renderer renderer_junit = { "junit", render_junit };
