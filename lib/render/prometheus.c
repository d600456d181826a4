/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text format of Prometheus, for the textfile collector of its node exporter:
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 *
 * What is not known has no sample.  All that is said of the program itself is of
 * one run, and so a gauge; command and source distinguish it from what another run
 * left in another file of the same directory.
 */
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "base/left_out.h"
#include "base/str.h"
#include "render/metrics.h"
#include "render/say.h"

static const enum ibc_severity severities[] = { IBC_CRITICAL, IBC_WARNING, IBC_UNKNOWN, IBC_INFO };

/* A series that comes and goes costs Prometheus memory; counts are of all. */
#define FINDINGS_MAX 1000
#define CASES_MAX    1000 /* likewise */

/*
 * struct run - a metric of the program, while its samples are written
 * @offset, @count, @of_severity: of the number, where one function writes several
 */
struct run {
	struct writer *w;
	const struct ibc_report *rep;
	struct family family;
	size_t offset;
	size_t (*count)(const struct ibc_report *rep);
	size_t (*of_severity)(const struct ibc_report *rep, enum ibc_severity severity);
};

/* ---- whose samples ------------------------------------------------------------- */

static void begin_run(struct run *r)
{
	const struct ibc_report_meta *m = &r->rep->meta;
	const char *file = m->source_file ? m->source_file : m->source_kind;

	begin_labels(r->w);
	put_label(r->w, "command", m->command ? m->command : "");
	/* "mlx5_0/1", "monday.snap", "umad" where several ports were swept */
	open_label(r->w, "source");
	if (m->source_ca)
		sayf(r->w, "%s/%u", m->source_ca, m->source_port);
	else
		say(r->w, file ? file : "");
	close_label(r->w);
}

static void put_one(struct run *r, uint64_t number)
{
	begin_run(r);
	put_number(r->w, &r->family, number);
}

/* ---- the run --------------------------------------------------------------------- */

static void put_version(struct run *r)
{
	begin_run(r);
	put_label(r->w, "version", ibc_version());
	put_number(r->w, &r->family, 1);
}

/* All verdicts, because an alert needs the 0 as well as the 1. */
static void put_verdict(struct run *r)
{
	static const enum ibc_severity verdicts[] = { IBC_OK, IBC_WARNING, IBC_UNKNOWN,
		                                      IBC_CRITICAL };
	enum ibc_severity verdict;
	time_t time;

	if (!report_shown_verdict(r->rep, &verdict, &time))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++) {
		begin_run(r);
		put_label(r->w, "verdict", ibc_severity_word(verdicts[i])->word);
		put_number(r->w, &r->family, verdict == verdicts[i]);
	}
}

static void put_time(struct run *r)
{
	enum ibc_severity verdict;
	time_t time;

	if (report_shown_verdict(r->rep, &verdict, &time) && time > 0)
		put_one(r, (uint64_t)time);
}

/* No clock here is finer than a microsecond. */
static void put_duration(struct run *r)
{
	double s = r->rep->meta.duration_seconds;

	if (!r->rep->has_meta || !(s >= 0 && s < 1e9))
		return;
	begin_run(r);
	put_real(r->w, &r->family, (double)(uint64_t)(s * 1e6 + 0.5) / 1e6);
}

static void put_counted(struct run *r)
{
	put_one(r, r->count(r->rep));
}

static void put_by_severity(struct run *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(severities); i++) {
		begin_run(r);
		put_label(r->w, "severity", ibc_severity_word(severities[i])->word);
		put_number(r->w, &r->family, r->of_severity(r->rep, severities[i]));
	}
}

/* ---- findings -------------------------------------------------------------------- */

/* How many findings from the @first on are of its check; they are sorted. */
static size_t count_of_check(const struct ibc_report *rep, size_t first)
{
	const char *check = ibc_report_finding(rep, first)->check;
	const struct ibc_finding *f;
	size_t n = 0;

	while ((f = ibc_report_finding(rep, first + n)) && !strcmp(f->check, check))
		n++;
	return n;
}

/* @first and @n: where its findings are */
static void put_check(struct run *r, const char *check, size_t first, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(severities); i++) {
		uint64_t found = 0;

		for (size_t j = first; j < first + n; j++) {
			const struct ibc_finding *finding = ibc_report_finding(r->rep, j);

			found += finding->severity == severities[i] && !finding_is_known(finding);
		}
		if (!found && r->rep->meta.described)
			continue;
		begin_run(r);
		put_label(r->w, "check", check);
		put_label(r->w, "severity", ibc_severity_word(severities[i])->word);
		put_number(r->w, &r->family, found);
	}
}

/*
 * Checks that found nothing say so: a series that ends is no news to an alert.  But those of
 * hosts do not: 60 zeros of each of 20,000 hosts are most of what Prometheus keeps of them.
 */
static void put_checks(struct run *r)
{
	const struct ibc_finding *f;
	size_t n;

	for (size_t i = 0; (f = ibc_report_finding(r->rep, i)); i += n) {
		n = count_of_check(r->rep, i);
		put_check(r, f->check, i, n);
	}
	for (const struct check_note *note = r->rep->ran; note; note = note->next) {
		bool found = note->next &&
		             !strcmp(note->next->check, note->check); /* of its kinds */

		for (size_t i = 0; !found && (f = ibc_report_finding(r->rep, i));
		     i += count_of_check(r->rep, i))
			found = !strcmp(f->check, note->check);
		if (!found)
			put_check(r, note->check, 0, 0);
	}
}

/* Devices and cables that are missed, by their kind; 0 as well, since an alert ends with it. */
static void put_gone(struct run *r)
{
	static const char *const kinds[] = { "gone.switch", "gone.cut",   "gone.host",
		                             "gone.hca",    "gone.cable", "gone.manager" };
	const struct ibc_finding *f;

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		const struct check_note *ran = r->rep->ran;
		uint64_t n = 0;

		while (ran && strcmp(ran->check, kinds[k]) != 0)
			ran = ran->next;
		if (!ran)
			continue;
		for (size_t i = 0; (f = ibc_report_finding(r->rep, i)); i++)
			n += !strcmp(f->check, kinds[k]) && finding_counts(f);
		begin_run(r);
		put_label(r->w, "kind", strchr(kinds[k], '.') + 1);
		put_number(r->w, &r->family, n);
	}
}

static void put_end(struct run *r, const char *guid_name, const char *port_name,
                    const struct ibc_end *end)
{
	char guid[STR_GUID_MAX] = "", port[16] = "";

	if (end->has_guid)
		str_from_guid(guid, end->guid);
	if (end->has_port)
		snprintf(port, sizeof(port), "%u", end->port);
	put_label(r->w, guid_name, guid);
	put_label(r->w, port_name, port);
}

static void collect_fault(struct run *r, const char *check, enum ibc_severity severity,
                          const struct ibc_subject *subject)
{
	put_label(r->w, "check", check);
	put_label(r->w, "severity", ibc_severity_word(severity)->word);
	open_label(r->w, "subject");
	say_subject(r->w, subject);
	close_label(r->w);
	put_end(r, "guid", "port", &subject->near);
	put_end(r, "peer_guid", "peer_port", &subject->far);
}

/* Two findings of one check about one port are one sample: 2. */
static void put_each(struct run *r)
{
	struct severity_walk walk = { .report = r->rep };
	struct label_sets sets = label_sets(r->w);
	const struct ibc_finding *f;
	struct label_set *set;

	for (size_t i = 0; i < FINDINGS_MAX && (f = severity_next(&walk)); i++) {
		begin_run(r);
		collect_fault(r, f->check, f->severity, &f->subject);
		set = label_set(&sets);
		if (set)
			set->count++;
	}
	for (set = sets.first; set; set = label_set_next(set))
		put_count(r->w, &r->family, set);
	label_sets_free(&sets);
}

/* ---- cases ----------------------------------------------------------------------- */

static void put_each_case(struct run *r)
{
	struct severity_walk walk = { .report = r->rep };
	const struct ibc_case *c;

	for (size_t i = 0; i < CASES_MAX && (c = case_next(&walk)); i++) {
		begin_run(r);
		put_label(r->w, "id", c->id);
		collect_fault(r, c->check, c->severity, &c->subject);
		put_number(r->w, &r->family, 1);
	}
}

/* ---- checks ---------------------------------------------------------------------- */

/* ---- coverage -------------------------------------------------------------------- */

static void put_sums(struct run *r)
{
	for (const struct sum *s = r->rep->sums; s; s = s->next) {
		begin_run(r);
		put_label(r->w, "item", s->key);
		put_number(r->w, &r->family, s->value);
	}
}

static void put_coverage(struct run *r)
{
	for (const struct cover *c = r->rep->cover; c; c = c->next) {
		begin_run(r);
		put_label(r->w, "attribute", c->attribute);
		put_number(r->w, &r->family, *(const uint64_t *)((const char *)&c->n + r->offset));
	}
}

static void put_field(struct run *r)
{
	put_one(r, *(const uint64_t *)((const char *)r->rep + r->offset));
}

/* Without an answer there is no time it took. */
static void put_rtt(struct run *r)
{
	if (!r->rep->sweep.answered)
		return;
	begin_run(r);
	put_real(r->w, &r->family,
	         *(const uint32_t *)((const char *)&r->rep->sweep + r->offset) / 1e6);
}

/* ---- all of them ------------------------------------------------------------------- */

static size_t count_ran(const struct ibc_report *rep)
{
	return count_notes(rep->ran);
}

static size_t count_skipped(const struct ibc_report *rep)
{
	return count_notes(rep->skipped);
}

static size_t is_complete(const struct ibc_report *rep)
{
	return report_is_complete(rep);
}

static size_t peak_in_flight(const struct ibc_report *rep)
{
	return rep->sweep.peak_in_flight;
}

#define COVERAGE(field)   put_coverage, .offset = offsetof(struct ibc_coverage, field)
#define REPORT(field)     put_field, .offset = offsetof(struct ibc_report, field)
#define MADS(field)       REPORT(sweep.field)
#define RTT(field)        put_rtt, .offset = offsetof(struct ibc_sweep, field)
#define COUNT(function)   put_counted, .count = (function)
#define EACH_OF(function) put_by_severity, .of_severity = (function)

static const struct {
	const char *name, *help;
	void (*samples)(struct run *r);
	size_t offset;
	size_t (*count)(const struct ibc_report *rep);
	size_t (*of_severity)(const struct ibc_report *rep, enum ibc_severity severity);
} metrics[] = {
	{ "build_info", "The version of ibcheck.", .samples = put_version },
	{ "verdict", "The verdict of the last run: 1 for one of the words, 0 for the others.",
	  .samples = put_verdict },
	{ "complete", "1 if every query was answered and every check ran, else 0.",
	  COUNT(is_complete) },
	{ "last_run_timestamp_seconds", "When the last run ended.", .samples = put_time },
	{ "run_duration_seconds", "How long the last run took.", .samples = put_duration },
	{ "findings", "Findings by severity, without known ones.", EACH_OF(ibc_report_count) },
	{ "known_findings", "Findings that the file of known faults accepts.",
	  COUNT(report_count_known) },
	{ "finding", "Each finding, without known ones.", .samples = put_each },
	{ "check_findings", "Findings of each check that ran, without known ones.",
	  .samples = put_checks },
	{ "gone", "Devices and cables that earlier runs saw and this one misses.",
	  .samples = put_gone },
	{ "cases", "Cases by severity, without known ones.", EACH_OF(report_count_cases) },
	{ "known_cases", "Cases that the file of known faults accepts.",
	  COUNT(report_count_known_cases) },
	{ "case", "Each case, without known ones.", .samples = put_each_case },
	{ "checks_run", "Checks that were run.", COUNT(count_ran) },
	{ "checks_skipped", "Checks that could not be run.", COUNT(count_skipped) },
	{ "size", "How much was checked.", .samples = put_sums },
	{ "coverage_asked", "Queries, by attribute.", COVERAGE(asked) },
	{ "coverage_answered", "Queries answered.", COVERAGE(answered) },
	{ "coverage_unsupported", "Queries that the device does not support.",
	  COVERAGE(unsupported) },
	{ "coverage_refused", "Queries that the device refused.", COVERAGE(refused) },
	{ "coverage_timed_out", "Queries that timed out.", COVERAGE(timed_out) },
	{ "coverage_not_asked", "Queries not sent before the deadline.", REPORT(not_asked) },
	{ "coverage_lines_lost", "Lines of files that were not understood.", REPORT(lines_lost) },
	{ "mads_sent", "MADs sent, retries included.", MADS(sent) },
	{ "mads_answered", "MADs answered.", MADS(answered) },
	{ "mads_unsupported", "MADs answered as unsupported.", MADS(unsupported) },
	{ "mads_refused", "MADs refused.", MADS(refused) },
	{ "mads_retried", "MADs sent again.", MADS(retried) },
	{ "mads_timed_out", "MADs never answered.", MADS(timed_out) },
	{ "mads_dropped_late", "Answers that came too late.", MADS(dropped_late) },
	{ "mads_dropped_mismatch", "Answers that match no query.", MADS(dropped_mismatch) },
	{ "mads_dropped_short", "Answers that were too short.", MADS(dropped_short) },
	{ "mads_peak_in_flight", "Highest number of MADs in flight.", COUNT(peak_in_flight) },
	{ "mads_rtt_p50_seconds", "Round-trip time that half of the MADs stay within.",
	  RTT(rtt_p50_us) },
	{ "mads_rtt_p99_seconds", "Round-trip time that 99 of 100 MADs stay within.",
	  RTT(rtt_p99_us) },
};

static struct run run_of_metric(struct writer *w, const struct ibc_report *rep, const char *name,
                                const char *help)
{
	return (struct run){
		.w = w,
		.rep = rep,
		.family = { .prefix = "ibcheck_",
		            .name = name,
		            .suffix = "",
		            .help = { help },
		            .type = "gauge" },
	};
}

static void render_prometheus(struct writer *w, const struct ibc_report *rep)
{
	struct run duplicates = run_of_metric(w, rep, "duplicate_samples",
	                                      "Samples left out: another has the same labels.");
	uint64_t dropped = 0;

	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		struct run r = run_of_metric(w, rep, metrics[i].name, metrics[i].help);
		void (*samples)(struct run * r) = metrics[i].samples;

		/* what follows from findings and queries, a past has none of */
		if (rep->is_past
		        ? samples != put_version && samples != put_verdict && samples != put_time
		        : w->opts->sums && (samples == put_each || samples == put_each_case))
			continue;
		r.offset = metrics[i].offset;
		r.count = metrics[i].count;
		r.of_severity = metrics[i].of_severity;
		samples(&r);
	}
	for (const struct ibc_table *t = rep->tables; t; t = t->next)
		dropped += put_metrics(w, t);
	put_one(&duplicates, dropped);
}

const struct renderer renderer_prometheus = { "prometheus", render_prometheus };
