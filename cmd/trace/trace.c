/* SPDX-License-Identifier: BSD-2-Clause */
/* What a capture of MADs holds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "donate.h"

#define KINDS_MAX     256    /* rows: a sweep has two dozen; what is beyond is in -v */
#define NS_PER_US     1000.0 /* nanoseconds of a microsecond */
#define NS_PER_SECOND 1e9    /* nanoseconds */

static const struct opt trace_opts[] = {
	OPT_FLAG(0, "anonymize", struct trace_cfg, anonymize,
	         "write a copy without names to the file of --output"),
	OPT_STR(0, "donate", "FILE", struct trace_cfg, donate,
	        "write a copy without names to FILE, to be given to the project; without a trace "
	        "sweep now, with the physical layer; FILE is only left if nothing of the site is "
	        "found in it",
	        .hint = HINT_FILE),
	OPT_END,
};

/* ---- tables ------------------------------------------------------------------- */

/* struct mad_row - first: of those of its kind; in seconds from the start of the capture */
struct mad_row {
	struct ibc_mad first;
	const char *outcome;
	double at_seconds;
	uint64_t mads, unanswered, answers;
	double rtt_us, rtt_max_us; /* the mean; < 0: none */
};

enum { OF_CLASS, OF_METHOD, OF_ATTRIBUTE };

/* .arg: its name, else its number */
static struct ibc_value mad_name(struct ibc_cell *cell)
{
	const struct ibc_mad *mad = &((const struct mad_row *)cell->row)->first;
	const char *name = ibc_mad_class_name(mad->mgmt_class);
	unsigned int number = mad->mgmt_class;

	if (cell->column->arg == OF_METHOD) {
		name = ibc_mad_method_name(mad->method);
		number = mad->method;
	} else if (cell->column->arg == OF_ATTRIBUTE) {
		name = ibc_mad_attribute_name(mad->mgmt_class, mad->attribute);
		number = mad->attribute;
	}
	return name ? ibc_str(name) : ibc_cell_text(cell, "0x%02x", number);
}

#define MAD_COLUMNS                                                                                \
	COLUMN_OF(OF_CLASS, "class", "CLASS", mad_name),                                           \
	    COLUMN_OF(OF_METHOD, "method", "METHOD", mad_name),                                    \
	    COLUMN_OF(OF_ATTRIBUTE, "attribute", "ATTRIBUTE", mad_name)

GETTER(mad_status, struct mad_row, row, ibc_cell_text(cell, "0x%04x", row->first.status));
GETTER(mad_modifier, struct mad_row, row, ibc_cell_text(cell, "0x%08x", row->first.modifier));
GETTER(mad_rtt, struct mad_row, row, real_or_none(rounded(row->rtt_us, 10).real));
GETTER(mad_rtt_max, struct mad_row, row, real_or_none(rounded(row->rtt_max_us, 10).real));
GETTER(mad_dlid, struct mad_row, row, ibc_u64(row->first.dlid));
GETTER(mad_at, struct mad_row, row, rounded(row->at_seconds, 1e6));

static const struct ibc_column kind_columns[] = {
	MAD_COLUMNS,
	COLUMN("status", "STATUS", mad_status),
	FIELD("mads", "MADS", struct mad_row, mads),
	FIELD("unanswered", "UNANSWERED", struct mad_row, unanswered),
	COLUMN("rtt_mean_us", "MEAN us", mad_rtt),
	COLUMN("rtt_max_us", "MAX us", mad_rtt_max),
	{ 0 },
};
static const struct ibc_table_type kinds_type = { "mad_kinds", kind_columns, NULL, NULL,
	                                          "MADs by kind" };

static const struct ibc_column mad_columns[] = {
	FIELD("record", "RECORD", struct mad_row, first.record),
	COLUMN("at_seconds", "SECONDS", mad_at),
	FIELD("outcome", "IS", struct mad_row, outcome),
	MAD_COLUMNS,
	COLUMN("modifier", "MODIFIER", mad_modifier),
	COLUMN("dlid", "DLID", mad_dlid),
	COLUMN("status", "STATUS", mad_status),
	COLUMN("rtt_us", "RTT us", mad_rtt),
	{ 0 },
};
static const struct ibc_table_type mads_type = { "mads", mad_columns, NULL, NULL, NULL };

/* struct trace_row - the capture as a whole */
struct trace_row {
	size_t mads, queries, unanswered, others, sweeps;
	double seconds;
};

GETTER(trace_seconds, struct trace_row, row, rounded(row->seconds, 1e6));
GETTER(trace_replays, struct trace_row, row, ibc_bool(row->sweeps > 0));

static const struct ibc_column trace_columns[] = {
	FIELD("mads", "MADS", struct trace_row, mads),
	FIELD("queries", "QUERIES", struct trace_row, queries),
	FIELD("unanswered", "UNANSWERED", struct trace_row, unanswered),
	FIELD("other_records", "OTHER RECORDS", struct trace_row, others),
	COLUMN("seconds", "SECONDS", trace_seconds),
	FIELD("sweeps", "SWEEPS", struct trace_row, sweeps),
	COLUMN("replays", "REPLAYS", trace_replays),
	{ 0 },
};
static const struct ibc_table_type trace_type = { "trace", trace_columns, NULL, NULL, NULL };

/* ---- what it holds -------------------------------------------------------------- */

/* struct held - kinds: in the order in which they first occur */
struct held {
	struct mad_row kinds[KINDS_MAX];
	size_t num_kinds;
	struct trace_row all;
};

/* What a MAD is by its method (IBA 13.4.5): Send and TrapRepress expect no answer. */
static const char *outcome_of(const struct ibc_mad *mad)
{
	if (mad->timed_out)
		return "timed out";
	if (mad->method & 0x80) /* the bit of a response */
		return "answer";
	return mad->method == 0x03 || mad->method == 0x07 ? "message" : "query";
}

/* The row of its kind, or NULL: there are too many kinds for a table. */
static struct mad_row *row_of(struct held *held, const struct ibc_mad *mad)
{
	size_t i;

	for (i = 0; i < held->num_kinds; i++) {
		const struct ibc_mad *first = &held->kinds[i].first;

		if (first->mgmt_class == mad->mgmt_class && first->method == mad->method &&
		    first->attribute == mad->attribute && first->status == mad->status)
			return &held->kinds[i];
	}
	if (i == ARRAY_SIZE(held->kinds))
		return NULL;
	held->num_kinds++;
	held->kinds[i] = (struct mad_row){ .first = *mad, .rtt_us = -1, .rtt_max_us = -1 };
	return &held->kinds[i];
}

static void count_mad(struct held *held, const struct ibc_mad *mad, double us)
{
	bool is_query = !strcmp(outcome_of(mad), "query"), unanswered = is_query && !mad->answered;
	struct mad_row *row;
	double before;

	if (mad->timed_out)
		return; /* its query is there, too */
	held->all.mads++;
	held->all.queries += is_query;
	held->all.unanswered += unanswered;
	row = row_of(held, mad);
	if (!row)
		return;
	row->mads++;
	row->unanswered += unanswered;
	if (us < 0)
		return;
	before = (double)row->answers++;
	row->rtt_us = before > 0 ? (row->rtt_us * before + us) / (before + 1) : us;
	if (us > row->rtt_max_us)
		row->rtt_max_us = us;
}

static int list_capture(struct app *app, const struct ibc_capture *cap, struct ibc_error *err)
{
	const char *table = app->common.table;
	bool wanted = app->common.verbose || (table && !strcmp(table, mads_type.name));
	struct ibc_table *whole = app_table(app, &trace_type);
	struct ibc_table *kinds = app_table(app, &kinds_type);
	struct ibc_table *mads = wanted ? app_table(app, &mads_type) : NULL;
	const struct ibc_mad *first = ibc_capture_mad(cap, 0), *mad;
	struct held *held = calloc(1, sizeof(*held));

	if (!held)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; (mad = ibc_capture_mad(cap, i)); i++) {
		struct mad_row row = {
			.first = *mad,
			.outcome = outcome_of(mad),
			.at_seconds = ((double)mad->time_ns - (double)first->time_ns) /
			              NS_PER_SECOND,
			.rtt_us = mad->rtt_ns ? (double)mad->rtt_ns / NS_PER_US : -1,
		};

		if (row.at_seconds > held->all.seconds)
			held->all.seconds = row.at_seconds;
		count_mad(held, mad, row.rtt_us);
		if (mads)
			ibc_table_row(mads, &row);
	}
	for (size_t i = 0; i < held->num_kinds; i++)
		ibc_table_row(kinds, &held->kinds[i]);
	held->all.others = ibc_capture_others(cap);
	held->all.sweeps = ibc_capture_sweeps(cap);
	ibc_table_row(whole, &held->all);
	free(held);
	return 0;
}

static int trace_run(struct app *app, struct ibc_error *err)
{
	const struct trace_cfg *c = app->cfg;
	struct ibc_capture *cap = NULL;
	struct out out;
	int rc;

	if (c->anonymize && (!app->common.output || c->donate))
		return cmd_fail(err, -EINVAL,
		                "--anonymize needs a file: -o FILE, such as trace.pcap.gz%s",
		                c->donate ? "; --donate does the same, and has its own" : "");
	if (!c->donate && !app->args[0])
		return cmd_fail(err, -EINVAL, "trace needs FILE");
	for (size_t i = 0; !c->donate && common_opts[i].name; i++)
		if (app->line.given >> i & 1 && common_opts[i].scope == TAKES_SWEEP)
			return cmd_fail(err, -EINVAL, "trace takes --%s only with --donate",
			                common_opts[i].name);
	if (c->donate) {
		rc = donate_run(app, &cap, err);
		if (!rc)
			rc = list_capture(app, cap, err);
		ibc_capture_free(cap);
		return rc;
	}
	rc = ibc_capture_load(app->args[0], &cap, err);
	if (rc)
		return rc;
	if (c->anonymize)
		rc = out_open(&out, app->common.output, err);
	if (c->anonymize && !rc) {
		rc = ibc_capture_anonymize(cap, out.file, app->common.output, err);
		rc = out_end(&out, rc, err);
		app->common.output = NULL; /* the report goes to stdout */
	}
	if (!rc)
		rc = list_capture(app, cap, err);
	ibc_capture_free(cap);
	return rc;
}

const struct cmd cmd_trace = {
	.name = "trace",
	.summary = "list recorded MADs, and give them to others",
	.args = "[FILE]",
	.example = "trace sweep.pcap.gz\n"
		   "trace --anonymize -o public.pcap.gz sweep.pcap.gz\n"
		   "trace --donate trace.pcap.zst\n",
	.group = CMD_FILES,
	.takes = TAKES_SWEEP,
	.max_args = 1,
	.arg_hint = HINT_FILE,
	.opts = trace_opts,
	.cfg_size = sizeof(struct trace_cfg),
	.csv = &kinds_type,
	.shows = TABLES(&donated_search_type, &donated_models_type, &trace_type, &kinds_type,
	                &mads_type),
	.run = trace_run,
};
