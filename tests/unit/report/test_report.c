/* SPDX-License-Identifier: BSD-2-Clause */
#include "mkreport.h"

#include "report/report.h"

/* ---- verdict --------------------------------------------------------------- */

static enum ibc_severity verdict_of(const enum ibc_severity *severities, size_t n)
{
	struct ibc_report *rep = mkreport();
	enum ibc_severity verdict;

	for (size_t i = 0; i < n; i++)
		mkfinding(rep, "port.width", severities[i], i);
	verdict = ibc_report_verdict(rep);
	ibc_report_free(rep);
	return verdict;
}
#define VERDICT_OF(...)                                                                            \
	verdict_of((enum ibc_severity[]){ __VA_ARGS__ },                                           \
	           sizeof((enum ibc_severity[]){ __VA_ARGS__ }) / sizeof(enum ibc_severity))

static void the_worst_finding_is_the_verdict(void **state)
{
	(void)state;
	assert_int_equal(verdict_of(NULL, 0), IBC_OK);
	assert_int_equal(VERDICT_OF(IBC_INFO, IBC_INFO), IBC_OK);
	assert_int_equal(VERDICT_OF(IBC_INFO, IBC_WARNING), IBC_WARNING);
	assert_int_equal(VERDICT_OF(IBC_UNKNOWN, IBC_WARNING), IBC_UNKNOWN);
	assert_int_equal(VERDICT_OF(IBC_UNKNOWN, IBC_CRITICAL, IBC_WARNING), IBC_CRITICAL);
}

static void exit_statuses_are_those_of_monitoring_plugins(void **state)
{
	(void)state;
	assert_int_equal(ibc_severity_exit(IBC_OK), 0);
	assert_int_equal(ibc_severity_exit(IBC_INFO), 0);
	assert_int_equal(ibc_severity_exit(IBC_WARNING), 1);
	assert_int_equal(ibc_severity_exit(IBC_CRITICAL), 2);
	assert_int_equal(ibc_severity_exit(IBC_UNKNOWN), 3);
}

static void every_word_is_there(void **state)
{
	(void)state;
	for (int i = IBC_OK; i <= IBC_CRITICAL; i++)
		assert_non_null(ibc_severity_word(i)->word);
	for (int i = IBC_SUBJECT_FABRIC; i <= IBC_SUBJECT_PROCESS; i++)
		assert_non_null(ibc_subject_kind_word(i)->word);
	for (int i = IBC_ROLE_FOUND; i <= IBC_ROLE_CAUSE; i++)
		assert_non_null(ibc_role_word(i)->word);
}

/* A report with one question of two unanswered. */
static struct ibc_report *with_silence(void)
{
	struct ibc_report *rep = mkreport();

	ibc_report_cover(rep, "PortInfo",
	                 &(struct ibc_coverage){ .asked = 2, .answered = 1, .timed_out = 1 });
	return rep;
}

static void silence_is_unknown_not_ok(void **state)
{
	struct ibc_report *rep = with_silence();

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_false(report_is_complete(rep));
	assert_int_equal(report_unexplained(rep), 1);
	ibc_report_free(rep);
}

static void silence_outranks_a_warning_but_no_critical(void **state)
{
	struct ibc_report *rep = with_silence();

	(void)state;
	mkfinding(rep, "port.width", IBC_WARNING, 1);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	mkfinding(rep, "port.width", IBC_CRITICAL, 2);
	assert_int_equal(ibc_report_verdict(rep), IBC_CRITICAL);
	ibc_report_free(rep);
}

static void silence_that_a_finding_tells_of_counts_once(void **state)
{
	struct ibc_report *rep = with_silence();

	(void)state;
	mkfinding(rep, "port.silent", IBC_WARNING, 1);
	ibc_report_unanswered(rep, 1);
	assert_int_equal(ibc_report_verdict(rep), IBC_WARNING);
	assert_false(report_is_complete(rep));
	ibc_report_not_asked(rep, 1);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
}

static void an_info_finding_settles_no_query(void **state)
{
	struct ibc_report *rep = with_silence();

	(void)state;
	mkfinding(rep, "port.silent", IBC_INFO, 1);
	ibc_report_unanswered(rep, 1);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
}

static void refusal_is_a_gap_and_unsupported_is_not(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_cover(rep, "MlnxExtPortInfo",
	                 &(struct ibc_coverage){ .asked = 3, .answered = 1, .unsupported = 2 });
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	assert_true(report_is_complete(rep));
	ibc_report_cover(rep, "NodeInfo", &(struct ibc_coverage){ .asked = 1, .refused = 1 });
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_int_equal(report_open(rep), 1);
	ibc_report_free(rep);
}

static void more_answers_than_queries_are_no_gap(void **state)
{
	const struct ibc_coverage odd = { .asked = 1, .answered = 2, .unsupported = 1 };

	(void)state;
	assert_int_equal(coverage_open(&odd), 0);
}

static void rows_of_one_attribute_add_up(void **state)
{
	struct ibc_coverage c = { 10, 4, 3, 2, 1 };
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_cover(rep, "PortInfo", &c);
	ibc_report_cover(rep, "NodeInfo", &c);
	ibc_report_cover(rep, "PortInfo", &c);
	assert_string_equal(rep->cover->attribute, "PortInfo");
	assert_int_equal(rep->cover->n.asked, 20);
	assert_int_equal(rep->cover->n.answered, 8);
	assert_int_equal(rep->cover->n.unsupported, 6);
	assert_int_equal(rep->cover->n.refused, 4);
	assert_int_equal(rep->cover->n.timed_out, 2);
	assert_string_equal(rep->cover->next->attribute, "NodeInfo");
	assert_null(rep->cover->next->next);
	ibc_report_free(rep);
}

static void a_check_that_was_skipped_is_unknown(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_ran(rep, "port.width");
	ibc_report_ran(rep, "port.width");
	assert_null(rep->ran->next);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	ibc_report_skip(rep, "port.vl", "no PortInfo in a.net");
	ibc_report_skip(rep, "port.vl", "no PortInfo in a.net");
	ibc_report_skip(rep, "port.vl", "no PortInfo in b.net");
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_false(report_is_complete(rep));
	assert_string_equal(rep->skipped->reason, "no PortInfo in a.net");
	assert_string_equal(rep->skipped->next->reason, "no PortInfo in b.net");
	assert_null(rep->skipped->next->next);
	ibc_report_free(rep);
}

static void what_nobody_asked_for_is_no_gap(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_ran(rep, "port.width");
	assert_false(report_has_gaps(rep));
	ibc_report_unasked(rep, "gone", "--state");
	ibc_report_unasked(rep, "gone", "--state");
	assert_null(rep->unasked->next);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	assert_true(report_is_complete(rep));
	assert_true(report_has_gaps(rep));
	assert_false(ibc_report_has_run(rep, "gone.switch"));
	ibc_report_free(rep);
}

/* ---- findings -------------------------------------------------------------- */

static void findings_are_sorted_by_check_guid_port_and_peer(void **state)
{
	struct ibc_end a = mkend(1, "a", 1), b = mkend(2, "b", 1), c = mkend(2, "b", 2);
	const struct ibc_subject order[] = {
		the_fabric,        mkhost("alpha"),    mkhost("beta"),
		mkport(1, "a", 1), mkcable(a, b),      mkcable(a, c),
		mkport(1, "a", 2), mkport(1, "a", 10), mkport(2, "0", 1),
	};
	const size_t n = sizeof(order) / sizeof(order[0]);
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_add(rep, "port.width", IBC_WARNING, &order[0], "last");
	for (size_t i = n; i > 0; i--)
		ibc_report_add(rep, "port.speed", IBC_WARNING, &order[i - 1], "%zu", i - 1);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(atoi(ibc_report_finding(rep, i)->message), i);
	assert_string_equal(ibc_report_finding(rep, n)->message, "last");
	assert_null(ibc_report_finding(rep, n + 1));
	ibc_report_free(rep);
}

static void findings_of_one_place_are_sorted_by_message_then_stay_in_order(void **state)
{
	struct ibc_subject port = mkport(1, "a", 1);
	struct ibc_report *rep = mkreport();

	(void)state;
	for (unsigned int i = 0; i < 40; i++) {
		ibc_report_add(rep, "x.y", IBC_WARNING, &port, "same");
		ibc_report_fact(rep, "order", ibc_u64(i));
	}
	ibc_report_add(rep, "x.y", IBC_WARNING, &port, "first");
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_string_equal(ibc_report_finding(rep, 0)->message, "first");
	for (unsigned int i = 0; i < 40; i++)
		assert_int_equal(ibc_report_finding(rep, i + 1)->facts[0].value.num, i);
	ibc_report_free(rep);
}

static void findings_can_be_walked_before_they_are_sorted(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	mkfinding(rep, "b.b", IBC_WARNING, 1);
	mkfinding(rep, "a.a", IBC_WARNING, 1);
	assert_string_equal(ibc_report_finding(rep, 0)->check, "b.b");
	assert_null(ibc_report_finding(rep, 2));
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_string_equal(ibc_report_finding(rep, 0)->check, "a.a");
	mkfinding(rep, "0.0", IBC_WARNING, 1);
	assert_string_equal(ibc_report_finding(rep, 2)->check, "0.0");
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_string_equal(ibc_report_finding(rep, 0)->check, "0.0");
	ibc_report_free(rep);
}

static void a_finding_keeps_its_own_copy_of_everything(void **state)
{
	char desc[] = "leaf03", label[] = "leaf three", key[] = "width", text[] = "4x";
	struct ibc_subject port = mkport(1, desc, 1);
	struct ibc_report *rep = mkreport();
	const struct ibc_finding *f;

	(void)state;
	port.near.label = label;
	ibc_report_add(rep, "port.width", IBC_WARNING, &port, "%s is odd", text);
	ibc_report_advise(rep, "replace %s", text);
	ibc_report_fact(rep, key, ibc_str(text));
	ibc_report_relate(rep, IBC_ROLE_PLANNED, &port);
	memset(desc, 'X', sizeof(desc) - 1);
	memset(label, 'X', sizeof(label) - 1);
	memset(key, 'X', sizeof(key) - 1);
	memset(text, 'X', sizeof(text) - 1);
	f = ibc_report_finding(rep, 0);
	assert_string_equal(f->subject.near.desc, "leaf03");
	assert_string_equal(f->subject.near.label, "leaf three");
	assert_string_equal(f->message, "4x is odd");
	assert_string_equal(f->advice, "replace 4x");
	assert_string_equal(f->facts[0].key, "width");
	assert_string_equal(f->facts[0].value.str, "4x");
	assert_int_equal(f->related[0].role, IBC_ROLE_PLANNED);
	assert_string_equal(f->related[0].subject.near.desc, "leaf03");
	ibc_report_free(rep);
}

static void what_is_added_goes_to_the_last_finding(void **state)
{
	struct ibc_report *rep = mkreport();
	const struct ibc_finding *f;

	(void)state;
	ibc_report_advise(rep, "nobody asked");
	ibc_report_fact(rep, "lost", ibc_u64(1));
	ibc_report_relate(rep, IBC_ROLE_FOUND, &the_fabric);
	ibc_report_unanswered(rep, 1);
	mkfinding(rep, "a.a", IBC_WARNING, 1);
	mkfinding(rep, "b.b", IBC_WARNING, 1);
	for (unsigned int i = 0; i < 100; i++) {
		ibc_report_fact(rep, "n", ibc_u64(i));
		ibc_report_relate(rep, IBC_ROLE_VICTIM, &(struct ibc_subject){ .near.port = i });
		ibc_report_unanswered(rep, 2);
	}
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	f = ibc_report_finding(rep, 0);
	assert_int_equal(f->num_facts + f->num_related + f->unanswered, 0);
	f = ibc_report_finding(rep, 1);
	assert_int_equal(f->num_facts, 100);
	assert_int_equal(f->num_related, 100);
	assert_int_equal(f->unanswered, 200);
	for (unsigned int i = 0; i < 100; i++) {
		assert_int_equal(f->facts[i].value.num, i);
		assert_int_equal(f->related[i].subject.near.port, i);
	}
	ibc_report_free(rep);
}

static void text_is_cleaned_at_the_door(void **state)
{
	struct ibc_subject node = mknode(1, "le\033[31maf\xff");
	struct ibc_report *rep = mkreport();
	const struct ibc_finding *f;

	(void)state;
	ibc_report_add(rep, "a.a", IBC_WARNING, &node, "two\nlines");
	ibc_report_fact(rep, "name", ibc_str("\t\xc2\x9b"));
	f = ibc_report_finding(rep, 0);
	assert_string_equal(f->subject.near.desc, "le\xef\xbf\xbd[31maf\xef\xbf\xbd");
	assert_string_equal(f->message, "two\xef\xbf\xbdlines");
	assert_string_equal(f->facts[0].value.str, "\xef\xbf\xbd\xef\xbf\xbd");
	ibc_report_free(rep);
}

static void an_end_is_its_label_else_its_description_else_its_guid(void **state)
{
	struct ibc_end end = { .label = "l", .desc = "d", .guid = 0x2c9, .has_guid = true };
	char buf[END_NAME_MAX];

	(void)state;
	assert_string_equal(end_name(&end, buf), "l");
	end.label = "";
	assert_string_equal(end_name(&end, buf), "d");
	end.desc = NULL;
	assert_string_equal(end_name(&end, buf), "0x00000000000002c9");
	end.has_guid = false;
	assert_string_equal(end_name(&end, buf), "?");
}

/* ---- tables, sums, meta ------------------------------------------------------ */

static const struct ibc_column columns[] = { COLUMN(0, "name", "NAME"),
	                                     COLUMN(1, "n", "N"),
	                                     { 0 } };
static const struct ibc_table_type ports = { "ports", columns, NULL, NULL, NULL };
static const struct ibc_table_type nodes = { "nodes", columns, NULL, NULL, NULL };

static void rows_come_back_in_order_and_strings_are_kept_once(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &ports);
	struct table_walk walk;
	const struct ibc_value *row;
	const char *kept = NULL;
	unsigned int n = 0;

	(void)state;
	for (unsigned int i = 0; i < 1000; i++) {
		char name[] = "leaf";

		ibc_table_row(t, (struct ibc_value[]){ ibc_str(name), ibc_u64(i) });
	}
	for (walk = table_walk(t); (row = table_next(&walk)); n++) {
		kept = kept ? kept : row[0].str;
		assert_ptr_equal(row[0].str, kept);
		assert_int_equal(row[1].num, n);
	}
	assert_string_equal(kept, "leaf");
	assert_int_equal(n, 1000);
	assert_int_equal(t->num_rows, 1000);
	ibc_report_free(rep);
}

static void rows_are_sorted_by_one_column_and_the_unknown_is_last(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &ports);
	struct ibc_error err = { "" };
	struct table_walk walk;
	const struct ibc_value *row;
	char name[16];

	(void)state;
	/* more than one block of them */
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "leaf%u", i / 2);
		ibc_table_row(t, (struct ibc_value[]){ ibc_str(name),
		                                       i % 2 ? ibc_none() : ibc_u64(999 - i) });
	}
	assert_int_equal(ibc_report_sort(rep, "n", false, &err), 0);
	walk = table_walk(t);
	for (unsigned int i = 0; i < 500; i++)
		assert_int_equal(table_next(&walk)[1].num, 1 + 2 * i);
	for (unsigned int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "leaf%u", i);
		row = table_next(&walk);
		assert_int_equal(row[1].kind, IBC_NONE);
		assert_string_equal(row[0].str, name);
	}
	assert_null(table_next(&walk));

	/* leaf10 comes before leaf9 from behind; of equal names the order stays */
	assert_int_equal(ibc_report_sort(rep, "name", true, &err), 0);
	walk = table_walk(t);
	for (unsigned int i = 500; i-- > 0;) {
		snprintf(name, sizeof(name), "leaf%u", i);
		row = table_next(&walk);
		assert_string_equal(row[0].str, name);
		assert_int_equal(row[1].num, 999 - 2 * i);
		row = table_next(&walk);
		assert_string_equal(row[0].str, name);
		assert_int_equal(row[1].kind, IBC_NONE);
	}
	assert_int_equal(ibc_report_sort(rep, "bogus", true, &err), 0);
	ibc_report_free(rep);
}

static void every_kind_of_value_is_kept(void **state)
{
	static const struct ibc_word word = { "linkup", "LinkUp" };
	static const struct ibc_column seven[] = {
		COLUMN(0, "a", ""), COLUMN(1, "b", ""), COLUMN(2, "c", ""), COLUMN(3, "d", ""),
		COLUMN(4, "e", ""), COLUMN(5, "f", ""), COLUMN(6, "g", ""), { 0 },
	};
	static const struct ibc_table_type all = { "all", seven, NULL, NULL, NULL };
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &all);
	const struct ibc_value *row;

	(void)state;
	ibc_table_row(t, (struct ibc_value[]){ ibc_none(), ibc_bool(true), ibc_u64(UINT64_MAX),
	                                       ibc_real(0.5), ibc_str(NULL), ibc_enum(&word),
	                                       ibc_guid(7) });
	row = table_next(&(struct table_walk){ .table = t, .rows = t->first });
	assert_int_equal(row[0].kind, IBC_NONE);
	assert_true(row[1].flag);
	assert_true(row[2].num == UINT64_MAX);
	assert_true(row[3].real == 0.5);
	assert_int_equal(row[4].kind, IBC_NONE);
	assert_ptr_equal(row[5].word, &word);
	assert_int_equal(row[6].kind, IBC_GUID);
	assert_int_equal(ibc_enum(NULL).kind, IBC_NONE);
	ibc_report_free(rep);
}

static struct ibc_value long_text(struct ibc_cell *cell)
{
	for (int i = 0; i < 3 * IBC_CELL_TEXT / 10; i++)
		ibc_cell_text(cell, "0123%s", "456789");
	return ibc_cell_text(cell, "%d", 1);
}

/* What one cell composed does not stand in the next. */
static void a_text_too_long_for_a_cell_is_cut(void **state)
{
	static const struct ibc_column texts[] = {
		{ .key = "a", .value = long_text },
		{ .key = "b", .value = long_text },
		{ 0 },
	};
	static const struct ibc_table_type type = { "texts", texts, NULL, NULL, NULL };
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &type);
	const struct ibc_value *row;

	(void)state;
	ibc_table_row(t, NULL);
	row = table_next(&(struct table_walk){ .table = t, .rows = t->first });
	assert_int_equal(strlen(row[0].str), IBC_CELL_TEXT - 1);
	assert_memory_equal(row[0].str, "01234567890", 11);
	assert_string_equal(row[0].str, row[1].str);
	ibc_report_free(rep);
}

static void a_name_is_one_table(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &ports);

	(void)state;
	assert_ptr_not_equal(ibc_report_table(rep, &nodes), t);
	assert_ptr_equal(ibc_report_table(rep, &ports), t);
	ibc_table_row(NULL, NULL);
	ibc_report_free(rep);
}

static void a_table_without_rows_ends_at_once(void **state)
{
	struct ibc_report *rep = mkreport();
	struct table_walk walk = table_walk(ibc_report_table(rep, &ports));

	(void)state;
	assert_null(table_next(&walk));
	assert_null(table_next(&walk));
	ibc_report_free(rep);
}

static void a_sum_said_again_replaces(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_sum(rep, "nodes", 1);
	ibc_report_sum(rep, "links", 2);
	ibc_report_sum(rep, "nodes", 3);
	assert_int_equal(rep->sums->value, 3);
	assert_int_equal(rep->sums->next->value, 2);
	assert_null(rep->sums->next->next);
	ibc_report_free(rep);
}

static void sweeps_of_several_subnets_add_up(void **state)
{
	struct ibc_sweep a = { .sent = 1,
		               .answered = 1,
		               .unsupported = 1,
		               .refused = 1,
		               .retried = 1,
		               .timed_out = 1,
		               .dropped_late = 1,
		               .dropped_mismatch = 1,
		               .dropped_short = 1,
		               .peak_in_flight = 4,
		               .rtt_p50_us = 30,
		               .rtt_p99_us = 90 };
	struct ibc_sweep b = a;
	struct ibc_report *rep = mkreport();

	(void)state;
	b.peak_in_flight = 128;
	b.rtt_p99_us = 50;
	ibc_report_mads(rep, &a);
	ibc_report_mads(rep, &b);
	assert_int_equal(rep->sweep.sent, 2);
	assert_int_equal(rep->sweep.answered, 2);
	assert_int_equal(rep->sweep.unsupported, 2);
	assert_int_equal(rep->sweep.refused, 2);
	assert_int_equal(rep->sweep.retried, 2);
	assert_int_equal(rep->sweep.timed_out, 2);
	assert_int_equal(rep->sweep.dropped_late, 2);
	assert_int_equal(rep->sweep.dropped_mismatch, 2);
	assert_int_equal(rep->sweep.dropped_short, 2);
	assert_int_equal(rep->sweep.peak_in_flight, 128);
	assert_int_equal(rep->sweep.rtt_p50_us, 30);
	assert_int_equal(rep->sweep.rtt_p99_us, 90);
	ibc_report_free(rep);
}

static void meta_is_copied(void **state)
{
	char command[] = "ports", argument[] = "-v";
	const char *arguments[] = { argument, NULL };
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_set_meta(rep, &(struct ibc_report_meta){ .command = command });
	assert_null(rep->meta.arguments[0]);
	ibc_report_set_meta(
	    rep, &(struct ibc_report_meta){ .command = command, .arguments = arguments });
	memset(command, 'X', sizeof(command) - 1);
	memset(argument, 'X', sizeof(argument) - 1);
	arguments[0] = NULL;
	assert_string_equal(rep->meta.command, "ports");
	assert_string_equal(rep->meta.arguments[0], "-v");
	assert_null(rep->meta.arguments[1]);
	ibc_report_free(rep);
}

/* ---- running out of memory ------------------------------------------------- */

/* Uses every call that allocates; ends where the report says that it failed. */
static int fill(struct ibc_report **rep)
{
	static const char *const arguments[] = { "ports", "-v", NULL };
	const struct ibc_report_meta meta = {
		.host = "h", .command = "ports", .headline = "x", .arguments = arguments
	};
	struct ibc_subject cable = mkcable(mkend(1, "a", 1), mkend(2, "b\n", 2));
	struct ibc_table *t;
	int rc = ibc_report_new(rep, NULL);

	if (rc)
		return rc;
	ibc_report_set_meta(*rep, &meta);
	for (int i = 0; i < 20; i++) {
		ibc_report_add(*rep, "port.width", IBC_CRITICAL, &cable, "message %d", i);
		ibc_report_advise(*rep, "advice");
		ibc_report_fact(*rep, "a", ibc_str("x"));
		ibc_report_relate(*rep, IBC_ROLE_CAUSE, &cable);
		ibc_report_unanswered(*rep, 1);
	}
	ibc_report_cover(*rep, "PortInfo", &(struct ibc_coverage){ .asked = 1, .answered = 1 });
	ibc_report_cover(*rep, "PortInfo", &(struct ibc_coverage){ .asked = 1, .answered = 1 });
	ibc_report_sum(*rep, "nodes", 2);
	ibc_report_sum(*rep, "nodes", 3);
	ibc_report_conclude(*rep, "%d of 3 nodes", 2);
	ibc_report_conclude(*rep, "all of them");
	ibc_report_ran(*rep, "port.width");
	ibc_report_skip(*rep, "port.vl", "reason");
	t = ibc_report_table(*rep, &ports);
	for (int i = 0; i < 300; i++) {
		char name[16];

		snprintf(name, sizeof(name), "n%d", i);
		ibc_table_row(t, (struct ibc_value[]){ ibc_str(name), ibc_none() });
	}
	ibc_report_table(*rep, &nodes);
	ibc_report_table(*rep, &ports);
	return ibc_report_finish(*rep, NULL);
}

static void running_out_of_memory_is_never_ok(void **state)
{
	struct ibc_report *rep;
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		alloc_fail_at(++n);
		rc = fill(&rep);
		alloc_fail_at(0);
		if (rc) {
			assert_int_equal(rc, -ENOMEM);
			assert_true(!rep || ibc_report_verdict(rep) >= IBC_UNKNOWN);
			assert_true(!rep || !report_is_complete(rep));
		}
		ibc_report_free(rep);
	} while (rc);
	assert_in_range(n, 500, 5000);
}

static void nothing_is_added_after_a_failure(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	alloc_fail_at(1);
	mkfinding(rep, "a.a", IBC_WARNING, 1);
	alloc_fail_at(0);
	mkfinding(rep, "a.a", IBC_WARNING, 1);
	ibc_report_fact(rep, "a", ibc_u64(1));
	assert_int_equal(ibc_report_count(rep, IBC_WARNING), 0);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_null(ibc_report_table(rep, &ports));
	assert_int_equal(ibc_report_finish(rep, NULL), -ENOMEM);
	ibc_report_free(rep);
	ibc_report_free(NULL);
}

static void an_identity_has_guids_and_no_names(void **state)
{
	struct ibc_subject s = { .kind = IBC_SUBJECT_CABLE,
		                 .near = { .guid = 0x20, .desc = "spine02", .port = 3 },
		                 .far = { .guid = 0x10, .desc = "leaf01", .port = 19 } };
	char buf[IBC_IDENTITY_MAX];

	(void)state;
	s.near.has_guid = s.near.has_port = s.far.has_guid = s.far.has_port = true;
	assert_string_equal(ibc_subject_identity(&s, buf),
	                    "0x0000000000000010/19 - 0x0000000000000020/3");
	s.kind = IBC_SUBJECT_PORT;
	assert_string_equal(ibc_subject_identity(&s, buf), "0x0000000000000020/3");
	s.kind = IBC_SUBJECT_NODE;
	assert_string_equal(ibc_subject_identity(&s, buf), "0x0000000000000020");
	s.near.has_guid = false;
	assert_string_equal(ibc_subject_identity(&s, buf), "spine02");
	s = (struct ibc_subject){ .kind = IBC_SUBJECT_FABRIC };
	assert_string_equal(ibc_subject_identity(&s, buf), "fabric");
	s.near.desc = "umad:mlx5_1";
	assert_string_equal(ibc_subject_identity(&s, buf), "fabric umad:mlx5_1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worst_finding_is_the_verdict),
		cmocka_unit_test(exit_statuses_are_those_of_monitoring_plugins),
		cmocka_unit_test(every_word_is_there),
		cmocka_unit_test(an_identity_has_guids_and_no_names),
		cmocka_unit_test(silence_is_unknown_not_ok),
		cmocka_unit_test(silence_outranks_a_warning_but_no_critical),
		cmocka_unit_test(silence_that_a_finding_tells_of_counts_once),
		cmocka_unit_test(an_info_finding_settles_no_query),
		cmocka_unit_test(refusal_is_a_gap_and_unsupported_is_not),
		cmocka_unit_test(more_answers_than_queries_are_no_gap),
		cmocka_unit_test(rows_of_one_attribute_add_up),
		cmocka_unit_test(a_check_that_was_skipped_is_unknown),
		cmocka_unit_test(what_nobody_asked_for_is_no_gap),
		cmocka_unit_test(findings_are_sorted_by_check_guid_port_and_peer),
		cmocka_unit_test(findings_of_one_place_are_sorted_by_message_then_stay_in_order),
		cmocka_unit_test(findings_can_be_walked_before_they_are_sorted),
		cmocka_unit_test(a_finding_keeps_its_own_copy_of_everything),
		cmocka_unit_test(what_is_added_goes_to_the_last_finding),
		cmocka_unit_test(text_is_cleaned_at_the_door),
		cmocka_unit_test(an_end_is_its_label_else_its_description_else_its_guid),
		cmocka_unit_test(rows_come_back_in_order_and_strings_are_kept_once),
		cmocka_unit_test(rows_are_sorted_by_one_column_and_the_unknown_is_last),
		cmocka_unit_test(every_kind_of_value_is_kept),
		cmocka_unit_test(a_text_too_long_for_a_cell_is_cut),
		cmocka_unit_test(a_name_is_one_table),
		cmocka_unit_test(a_table_without_rows_ends_at_once),
		cmocka_unit_test(a_sum_said_again_replaces),
		cmocka_unit_test(sweeps_of_several_subnets_add_up),
		cmocka_unit_test(meta_is_copied),
		cmocka_unit_test(running_out_of_memory_is_never_ok),
		cmocka_unit_test(nothing_is_added_after_a_failure),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
