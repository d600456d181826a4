/* SPDX-License-Identifier: BSD-2-Clause */
/* The page: what is in it, what is not, and that nothing of a fabric becomes more than text. */
#include "mkrender.h"

#include <jansson.h>

static void assert_lacks(const char *text, const char *word)
{
	if (strstr(text, word))
		fail_msg("\"%s\" in:\n%s", word, strstr(text, word));
}

static void assert_has(const char *text, const char *word)
{
	if (!strstr(text, word))
		fail_msg("no \"%s\" in:\n%s", word, text);
}

static size_t count_in(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* From "<main>" on: neither style nor script. */
static char *page_of(struct ibc_report *rep)
{
	char *text = rendered(rep, "html", NULL), *body = strstr(text, "<body>");

	assert_non_null(body);
	*strstr(body, "</footer>") = '\0';
	memmove(text, body, strlen(body) + 1);
	return text;
}

/* ---- what is in it ------------------------------------------------------------------ */

static void a_page_begins_with_the_verdict_and_ends_whole(void **state)
{
	char *text = rendered(full_report(), "html", NULL);

	(void)state;
	assert_true(!strncmp(text, "<!DOCTYPE html>\n<html lang=\"en\">\n", 33));
	assert_has(text, "<title>CRITICAL: 1 critical, 1 unknown, ");
	assert_has(text, "<header class=\"banner critical\">\n<h1><span class=\"sign\"");
	assert_string_equal(text + strlen(text) - 16, "</body>\n</html>\n");
	free(text);
}

static void the_policy_of_a_page_lets_nothing_run_but_its_script(void **state)
{
	char *text = rendered(mkreport(), "html", NULL);

	(void)state;
	assert_has(text,
	           "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-");
	assert_int_equal(count_in(text, "<script>"), 1);
	assert_lacks(text, "http-equiv=\"refresh");
	assert_lacks(text, " src=");
	assert_lacks(text, "<link");
	free(text);
}

static void what_is_not_known_is_said_in_the_summary(void **state)
{
	char *text = page_of(full_report()), *gaps = strstr(text, "<strong>Incomplete:</strong>");

	(void)state;
	assert_non_null(gaps);
	assert_has(gaps, "not answered: PortInfo 12 of 2593 (3 refused), SwitchInfo 1 of 54.<br>");
	assert_has(gaps, "not sent before the deadline: 30 queries.<br>");
	assert_has(
	    gaps,
	    "not checked: port.vl (a.net does not tell PortInfo); port.mtu (no reason given).<br>");
	assert_lacks(text, "every query was answered");
	free(text);
}

static void a_case_has_its_evidence_and_what_follows(void **state)
{
	char *text = page_of(report_with_a_case());

	(void)state;
	assert_has(text, "<article class=\"case critical\" id=\"case-");
	assert_has(text, "Does not answer. Explains 3 findings: 2 b.unread, 1 c.cut-off.</p>");
	assert_has(text, "<summary>Evidence: 5 findings</summary>");
	assert_has(text, "<div class=\"finding follows\">");
	free(text);
}

static void arguments_which_may_hold_keys_are_left_out(void **state)
{
	static const char *const arguments[] = { "all", "-y", "0x5ec2e7", NULL };
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	ibc_report_set_meta(rep,
	                    &(struct ibc_report_meta){ .command = "all", .arguments = arguments });
	text = rendered(rep, "html", NULL);
	assert_lacks(text, "5ec2e7");
	free(text);
}

/* ---- tables ------------------------------------------------------------------------ */

static void add_numbers(struct ibc_report *rep, const struct ibc_table_type *type, size_t n)
{
	struct ibc_table *t = ibc_report_table(rep, type);

	for (size_t i = 1; i <= n; i++)
		ibc_table_row(t, (struct ibc_value[]){ ibc_u64(i) });
}

static json_t *data_of(const char *text)
{
	const char *data = strstr(text, "<script type=\"application/json\">");
	json_error_t error;
	json_t *rows;

	assert_non_null(data);
	rows = json_loads(strchr(data, '>') + 1, JSON_DISABLE_EOF_CHECK, &error);
	if (!rows)
		fail_msg("line %d: %s", error.line, error.text);
	return rows;
}

static void fifty_rows_are_written_and_the_rest_is_data(void **state)
{
	struct ibc_report *rep = mkreport();
	json_t *rows;
	char *text;

	(void)state;
	add_numbers(rep, &one, 12345);
	text = page_of(rep);
	assert_int_equal(count_in(text, "<tr><td"), 50);
	assert_has(text, "<p class=\"extent\" data-rows=\"12345\">12345 rows.</p>");
	assert_has(text, "<noscript><p>12295 more need the script.</p>");
	rows = data_of(text);
	assert_int_equal(json_array_size(rows), 12345 - 50);
	assert_int_equal(json_integer_value(json_array_get(json_array_get(rows, 0), 2)), 51);
	json_decref(rows);
	free(text);
}

static const struct ibc_column port_columns[] = { COLUMN(0, "node_guid", NULL),
	                                          COLUMN(1, "port", "PORT"),
	                                          { 0 } };
static const struct ibc_table_type ports = { "ports", port_columns, NULL, NULL, NULL };

static void a_table_that_is_too_long_has_the_rows_that_a_case_names(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &ports);
	char *text;

	(void)state;
	add_slow(rep);
	for (unsigned int i = 0; i < 20001; i++)
		ibc_table_row(t, (struct ibc_value[]){ ibc_guid(i / 36), ibc_u64(i % 36) });
	text = page_of(rep);
	assert_int_equal(count_in(text, "<tr data-ends="), 2);
	assert_has(text, "<tr data-ends=\"0x000000000000000b/25\" data-cases=");
	assert_has(text, "<tr data-ends=\"0x000000000000006c/11\" data-cases=");
	assert_has(text,
	           ">Of 20001 rows the 2 that a case names; -f csv and -f json have all.</p>");
	free(text);
}

/* Beyond those that the page has room for, cases are counted, and their rows still name them. */
static void five_hundred_cases_are_there_and_the_rows_of_all(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &ports);
	json_t *rows;
	char *text;

	(void)state;
	for (unsigned int i = 1; i <= 505; i++) {
		struct ibc_subject node = mknode(i, "leaf");

		ibc_report_add(rep, "a.check", IBC_WARNING, &node, "is odd");
		ibc_table_row(t, (struct ibc_value[]){ ibc_guid(i), ibc_u64(1) });
	}
	text = page_of(rep);
	assert_int_equal(count_in(text, "<article class=\"case warning\""), 500);
	assert_has(text, ">And 5 more cases: <code>-f json</code> has all.</p>");
	assert_int_equal(count_in(text, "<tr data-ends="), 50);
	rows = data_of(text);
	assert_int_equal(json_array_size(rows), 455);
	assert_true(json_string_length(json_array_get(json_array_get(rows, 454), 1)) > 0);
	json_decref(rows);
	free(text);
}

static void critical_cases_are_all_there(void **state)
{
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	for (unsigned int i = 1; i <= 1010; i++) {
		struct ibc_subject node = mknode(i, "leaf");

		ibc_report_add(rep, "a.check", i % 2 ? IBC_CRITICAL : IBC_WARNING, &node, "is odd");
	}
	text = page_of(rep);
	assert_int_equal(count_in(text, "<article class=\"case critical\""), 505);
	assert_int_equal(count_in(text, "<article class=\"case warning\""), 0);
	assert_has(text, ">And 505 more cases: <code>-f json</code> has all.</p>");
	free(text);
}

static void a_table_that_no_case_names_says_so(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_numbers(rep, &one, 20001);
	assert_contains(rep, "html", NULL, "No case names one of the 20001 rows; -f csv and");
}

static void a_table_for_programs_is_shown_where_there_is_no_other(void **state)
{
	static const struct ibc_column bare[] = { COLUMN(0, "n", NULL), { 0 } };
	static const struct ibc_table_type facts = { "facts", bare, NULL, NULL, NULL };
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	add_numbers(rep, &facts, 1);
	text = page_of(rep);
	assert_has(text, "<th scope=\"col\" class=\"n\">n</th>");
	free(text);
	rep = mkreport();
	add_numbers(rep, &facts, 1);
	add_numbers(rep, &one, 1);
	text = page_of(rep);
	assert_lacks(text, "facts");
	free(text);
}

/* ---- pictures, and the brief ------------------------------------------------------------- */

static void a_picture_stands_in_the_page_and_nowhere_else(void **state)
{
	static const char svg[] = "<?xml version=\"1.0\"?>\n<svg><text>a&amp;b</text></svg>\n";
	const char *format;

	(void)state;
	for (size_t i = 0; (format = ibc_render_format(i)); i++) {
		struct ibc_report *rep = mkreport();
		char *text;

		ibc_report_add_picture(rep, "fabric", "Leaves & spines", svg);
		text = rendered(rep, format, NULL);
		assert_int_equal(count_in(text, "<svg><text>a&amp;b</text></svg>"),
		                 !strcmp(format, "html"));
		assert_lacks(text, "<?xml version=\"1.0\"?>");
		if (!strcmp(format, "html"))
			assert_has(text, "<figcaption>Leaves &amp; spines</figcaption>");
		free(text);
	}
}

static void who_decides_reads_what_is_affected_the_cost_and_whose_work_it_is(void **state)
{
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	add_slow(rep);
	report_brief(rep, "1 cable & 2 hosts", 1769817600);
	report_consequence(rep, "topo.slow", "Jobs <wait>.", "data centre staff");
	report_consequence(rep, "sm.none", "Nothing moves.", "host administrators");
	text = page_of(rep);
	assert_has(text, "<li>There are faults to repair. None of them is critical.</li>");
	assert_has(text, "<b>Affected:</b> 1 cable &amp; 2 hosts</li>");
	assert_has(text, "<b>Who has to act:</b> data centre staff (1 case)</li>");
	assert_has(text, "<b>Until then:</b> Jobs &lt;wait&gt;.</p>");
	assert_lacks(text, "Nothing moves.");
	assert_lacks(text, "host administrators");
	free(text);
}

static void a_consequence_without_memory_is_not_there_and_the_report_has_failed(void **state)
{
	size_t known, n = 0;

	(void)state;
	do {
		struct ibc_report *rep = mkreport();
		char text[700];

		alloc_fail_at(++n);
		for (int i = 0; i < 100; i++) {
			snprintf(text, sizeof(text), "Jobs wait. %0600d", i);
			report_consequence(rep, "topo.slow", text, "data centre staff");
		}
		alloc_fail_at(0);
		known = 0;
		for (const struct consequence *c = rep->consequences; c; c = c->next, known++)
			assert_true(c->check && c->cost && c->who);
		assert_int_equal(known < 100, rep->failed);
		ibc_report_free(rep);
	} while (known < 100);
	assert_true(n > 2);
}

static void of_no_fabric_nothing_is_said_to_be_affected(void **state)
{
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	add_slow(rep);
	text = page_of(rep);
	assert_lacks(text, "Affected:");
	assert_lacks(text, "Until then:");
	free(text);
}

/* ---- what came from others -------------------------------------------------------------- */

#define HOSTILE "<script>alert(1)</script>\"' onload=x </script><!-- &amp; \xe2\x80\xae\x1b[31m\x07"

static struct ibc_report *hostile_report(void)
{
	struct ibc_subject node = mknode(9, HOSTILE);
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &two);

	ibc_report_set_meta(rep, &(struct ibc_report_meta){ .host = HOSTILE,
	                                                    .command = "all",
	                                                    .source_file = HOSTILE,
	                                                    .headline = HOSTILE });
	ibc_report_add(rep, "a.a", IBC_WARNING, &node, "%s", HOSTILE);
	ibc_report_advise(rep, "%s", HOSTILE);
	ibc_report_fact(rep, "found", ibc_str(HOSTILE));
	ibc_report_relate(rep, IBC_ROLE_CAUSE, &node);
	ibc_report_skip(rep, "b.b", HOSTILE);
	ibc_report_conclude(rep, "%s", HOSTILE);
	ibc_report_add_picture(rep, "p", HOSTILE, "<svg></svg>");
	for (int i = 0; i < 600; i++)
		ibc_table_row(t, (struct ibc_value[]){ ibc_str(HOSTILE), ibc_u64(1) });
	return rep;
}

static void names_are_inert(void **state)
{
	char *text = page_of(hostile_report());
	json_t *rows = data_of(text);

	(void)state;
	assert_lacks(text, "<script>");
	assert_lacks(text, "<!--");
	assert_lacks(text, "\x1b");
	assert_lacks(text, "\xe2\x80\xae");
	assert_has(text, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39; onload=x");
	/* the data of the table, which ends where it is meant to */
	assert_int_equal(count_in(text, "</script>"), 1);
	assert_int_equal(json_array_size(rows), 550);
	assert_int_equal(
	    strncmp(json_string_value(json_array_get(json_array_get(rows, 549), 2)), HOSTILE, 25),
	    0);
	json_decref(rows);
	*strstr(text, "<script type=\"application/json\">") = '\0';
	assert_lacks(text, "\"' onload");
	free(text);
}

static void no_memory_is_a_failure_of_the_whole(void **state)
{
	struct ibc_report *rep = hostile_report();
	struct ibc_error err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = -ENOMEM;

	(void)state;
	mkfinished(rep);
	for (unsigned long i = 1; rc == -ENOMEM && i < 1000; i++) {
		rewind(out);
		alloc_fail_at(i);
		rc = ibc_report_render(rep, "html", NULL, out, &err);
		alloc_fail_at(0);
	}
	assert_int_equal(rc, 0);
	fclose(out);
	free(text);
	ibc_report_free(rep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_begins_with_the_verdict_and_ends_whole),
		cmocka_unit_test(the_policy_of_a_page_lets_nothing_run_but_its_script),
		cmocka_unit_test(what_is_not_known_is_said_in_the_summary),
		cmocka_unit_test(a_case_has_its_evidence_and_what_follows),
		cmocka_unit_test(arguments_which_may_hold_keys_are_left_out),
		cmocka_unit_test(fifty_rows_are_written_and_the_rest_is_data),
		cmocka_unit_test(a_table_that_is_too_long_has_the_rows_that_a_case_names),
		cmocka_unit_test(five_hundred_cases_are_there_and_the_rows_of_all),
		cmocka_unit_test(critical_cases_are_all_there),
		cmocka_unit_test(a_table_that_no_case_names_says_so),
		cmocka_unit_test(a_table_for_programs_is_shown_where_there_is_no_other),
		cmocka_unit_test(a_picture_stands_in_the_page_and_nowhere_else),
		cmocka_unit_test(who_decides_reads_what_is_affected_the_cost_and_whose_work_it_is),
		cmocka_unit_test(
		    a_consequence_without_memory_is_not_there_and_the_report_has_failed),
		cmocka_unit_test(of_no_fabric_nothing_is_said_to_be_affected),
		cmocka_unit_test(names_are_inert),
		cmocka_unit_test(no_memory_is_a_failure_of_the_whole),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
