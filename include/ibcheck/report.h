/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_REPORT_H
#define IBCHECK_REPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <ibcheck/error.h>
#include <ibcheck/types.h>

#pragma GCC visibility push(default)

/**
 * DOC: the report
 *
 * A report holds findings, typed tables, what was covered, and a verdict.  It
 * copies all it is given and points into nothing else, so it outlives the
 * fabric it speaks of.  Adding has no error path: a failure (out of memory)
 * is sticky, and rendering refuses a report that failed.
 */

enum ibc_severity {
	IBC_OK = 0,   /* a verdict only */
	IBC_INFO = 1, /* a finding only: said, not counted */
	IBC_WARNING = 2,
	IBC_UNKNOWN = 3, /* could not be checked */
	IBC_CRITICAL = 4,
};
const struct ibc_word *ibc_severity_word(enum ibc_severity severity);

/* Exit status of a verdict, as monitoring plugins number it: 0 1 2 3. */
int ibc_severity_exit(enum ibc_severity verdict);

/* ---- values ------------------------------------------------------------- */

enum ibc_kind { IBC_NONE, IBC_BOOL, IBC_U64, IBC_REAL, IBC_STR, IBC_ENUM, IBC_GUID };

struct ibc_value {
	enum ibc_kind kind;
	union {
		bool flag;
		uint64_t num;
		double real;
		const char *str;
		const struct ibc_word *word;
	};
};

static inline struct ibc_value ibc_none(void)
{
	return (struct ibc_value){ .kind = IBC_NONE };
}
static inline struct ibc_value ibc_bool(bool flag)
{
	return (struct ibc_value){ .kind = IBC_BOOL, .flag = flag };
}
static inline struct ibc_value ibc_u64(uint64_t num)
{
	return (struct ibc_value){ .kind = IBC_U64, .num = num };
}
static inline struct ibc_value ibc_real(double real)
{
	return (struct ibc_value){ .kind = IBC_REAL, .real = real };
}
/* Copied when it is added; NULL becomes IBC_NONE. */
static inline struct ibc_value ibc_str(const char *str)
{
	return (struct ibc_value){ .kind = str ? IBC_STR : IBC_NONE, .str = str };
}
/* Not copied: words are static. */
static inline struct ibc_value ibc_enum(const struct ibc_word *word)
{
	return (struct ibc_value){ .kind = word ? IBC_ENUM : IBC_NONE, .word = word };
}
static inline struct ibc_value ibc_guid(uint64_t guid)
{
	return (struct ibc_value){ .kind = IBC_GUID, .num = guid };
}

/* ---- findings ----------------------------------------------------------- */

enum ibc_subject_kind {
	IBC_SUBJECT_FABRIC,
	IBC_SUBJECT_NODE,
	IBC_SUBJECT_PORT,
	IBC_SUBJECT_CABLE,
	IBC_SUBJECT_HOST,
	IBC_SUBJECT_PROCESS,
};
const struct ibc_word *ibc_subject_kind_word(enum ibc_subject_kind kind);

/**
 * struct ibc_end - a node, or one of its ports
 * @guid: node GUID; only if @has_guid
 * @desc: NodeDescription, or NULL
 * @label: how a sentence calls it, or NULL: then @desc, then the GUID
 * @port: port number; only if @has_port
 * @port_label: what is written beside the port, or NULL
 */
struct ibc_end {
	uint64_t guid;
	const char *desc, *label;
	unsigned int port;
	bool has_guid, has_port;
	const char *port_label;
};

/**
 * struct ibc_subject - what a finding is about
 * @kind: NODE uses @near; PORT @near with a port; CABLE both; HOST and PROCESS
 *	  @near.desc; FABRIC none, or of one of several subnets its source as @near.desc
 */
struct ibc_subject {
	enum ibc_subject_kind kind;
	struct ibc_end near, far;
};

/**
 * ibc_subject_identity() - what a subject is, whatever it is called
 *
 * GUIDs and port numbers, and names only where there are none: "0x0002c90300000010/19", of a
 * cable both ends in an order of their own, " - " between them; "fabric", of several
 * subnets with the source of the one.
 *
 * Return: @buf.
 */
#define IBC_IDENTITY_MAX 512 /* two names of 64 bytes, ports and their labels, with room */
const char *ibc_subject_identity(const struct ibc_subject *subject, char buf[IBC_IDENTITY_MAX]);

/* Returns @text, as sentences call it: "leaf03/19 - spine02/7"; what does not fit is cut. */
#define IBC_SUBJECT_TEXT 256 /* bytes that nearly all subjects fit in */
char *ibc_subject_text(const struct ibc_subject *subject, char *text, size_t size);

enum ibc_role { IBC_ROLE_FOUND, IBC_ROLE_PLANNED, IBC_ROLE_VICTIM, IBC_ROLE_CAUSE };
const struct ibc_word *ibc_role_word(enum ibc_role role);

struct ibc_related {
	enum ibc_role role;
	struct ibc_subject subject;
};

struct ibc_fact {
	const char *key; /* lower case; a unit ends it */
	struct ibc_value value;
};

/**
 * struct ibc_known - the line of the file of known faults that covers a finding or a case
 * @until: "2026-12-31", "2026-12-31T08:00"
 * @grown: how it became worse than was accepted, or NULL
 * @expired: the time has passed, or it has grown: it counts again
 * @by_id: the line has an id: what another check finds about the same thing counts
 */
struct ibc_known {
	const char *until, *owner, *reason, *grown;
	bool expired, by_id;
};

/* What a memory of earlier runs makes of a case, or of a finding: enum ibc_case_state. */
enum ibc_case_state {
	IBC_CASE_UNKNOWN, /* nothing is remembered */
	IBC_CASE_NEW,
	IBC_CASE_OPEN,  /* as before */
	IBC_CASE_WORSE, /* more severe, or of more things */
	IBC_CASE_BACK,  /* it was gone, and not for long */
	IBC_CASE_GONE,
	IBC_CASE_UNSETTLED, /* it is too young to be reported as new */
};
/* NULL for IBC_CASE_UNKNOWN. */
const struct ibc_word *ibc_case_state_word(enum ibc_case_state state);

/**
 * struct ibc_cost - what a fault costs, 0 where nothing is known
 * @whole: it is about a subnet as a whole
 * @hosts: that no cable reaches any more, or HCAs
 * @gbps: bandwidth of cables that is lost
 * @errors_per_second: of all its ports
 * @errors: counted, where no rate is known
 *
 * What costs more comes first, compared in this order.
 */
struct ibc_cost {
	bool whole;
	uint64_t hosts;
	double gbps, errors_per_second, errors;
};

/**
 * struct ibc_finding - one fault, with its evidence and its remedy
 * @id: hexadecimal digits of a hash of @check, of its kind and of what it is about: the same in
 *	every run, whatever case it is in; eight or, where two would be the same, sixteen; NULL
 *	before ibc_cases_find()
 * @check: id, "port.width"
 * @message: one sentence without its subject, without a full stop
 * @advice: what to do, or NULL
 * @unanswered: how many queries without an answer this finding reports
 * @known: the accepted fault that covers it, or NULL
 * @case_no: of which fault of the plan of repair it is, as struct ibc_step counts them; 0: none
 * @in_case: the case it is in; NULL before ibc_cases_find()
 * @follows: a consequence of what the others of its case are about; @beside: about the same
 *	thing: who accepts the case accepts it, too
 * @hidden: ibc_report_show() leaves it out of what is shown; it counts all the same
 * @elsewhere: it is not part of the verdict, which is about other things
 * @doubtful: it concludes from what a file does not have, and lines of that were lost, or from what
 *	      a sweep did not reach
 * @state, @since: what is remembered of it, as of a case
 *
 * Read-only for callers; borrowed from the report.
 */
struct ibc_finding {
	const char *id, *check;
	enum ibc_severity severity;
	struct ibc_subject subject;
	const char *message, *advice;
	uint64_t unanswered;
	const struct ibc_known *known;
	size_t case_no;
	const struct ibc_case *in_case;
	bool follows, beside, hidden, elsewhere, doubtful;
	enum ibc_case_state state;
	time_t since;
	const struct ibc_related *related;
	size_t num_related;
	const struct ibc_fact *facts;
	size_t num_facts;
};

/**
 * struct ibc_case - findings that have one cause and one remedy
 * @id: of a single thing the id of its finding; of several, a view of them, one of its own, a
 *	hash of its check and of what they have in common
 * @check: of its first finding
 * @severity: of the worst of its findings that count
 * @subject: what to touch; of many things the place or the class they have in common
 * @message: one sentence without its subject, without a full stop
 * @advice: what to do, or NULL
 * @trait: what the members have in common, beside being alike: "device MT4123, port 36"; or NULL
 * @known: the accepted fault that covers it, of several all of them, or NULL
 * @findings: all of its findings: those of the members first, the consequences after them
 * @num_members: so many things have the fault; of those @findings so many are theirs
 * @state, @since, @times: what is remembered of it: when the oldest of its members began, and
 *	how often it came; unless @state is IBC_CASE_UNKNOWN
 * @settling: of IBC_CASE_UNSETTLED how far it is, "run 1 of 3"; else NULL
 * @cost: what its members cost, as far as that is known; cases of one severity are in its order
 *
 * Every finding of a report is in exactly one case.  Read-only for callers; borrowed from the
 * report.
 */
struct ibc_case {
	const char *id, *check;
	enum ibc_severity severity;
	struct ibc_subject subject;
	const char *message, *advice, *trait;
	const struct ibc_known *known;
	const struct ibc_finding *const *findings;
	size_t num_findings, num_members;
	enum ibc_case_state state;
	time_t since;
	unsigned int times;
	const char *settling;
	struct ibc_cost cost;
};

struct ibc_report;

int ibc_report_new(struct ibc_report **out, struct ibc_error *err);
void ibc_report_free(struct ibc_report *rep);

/**
 * ibc_report_add() - add a finding; the calls below add to it
 * @message: printf format
 *
 * Everything is copied.  The last finding added is the current one.
 */
void ibc_report_add(struct ibc_report *rep, const char *check, enum ibc_severity severity,
                    const struct ibc_subject *subject, const char *message, ...)
    __attribute__((format(printf, 5, 6)));
void ibc_report_vadd(struct ibc_report *rep, const char *check, enum ibc_severity severity,
                     const struct ibc_subject *subject, const char *message, va_list ap)
    __attribute__((format(printf, 5, 0)));
void ibc_report_advise(struct ibc_report *rep, const char *advice, ...)
    __attribute__((format(printf, 2, 3)));
void ibc_report_vadvise(struct ibc_report *rep, const char *advice, va_list ap)
    __attribute__((format(printf, 2, 0)));
void ibc_report_fact(struct ibc_report *rep, const char *key, struct ibc_value value);
void ibc_report_relate(struct ibc_report *rep, enum ibc_role role,
                       const struct ibc_subject *subject);
void ibc_report_unanswered(struct ibc_report *rep, uint64_t queries);
/* The steps of repair of this number mend it. */
void ibc_report_case(struct ibc_report *rep, size_t case_no);

/**
 * ibc_report_finish() - sort the findings; call once, before reading or rendering
 *
 * By check, GUID, port: two runs diff clean.
 *
 * Return: 0, or the sticky failure (-ENOMEM).
 */
int ibc_report_finish(struct ibc_report *rep, struct ibc_error *err);

/**
 * struct ibc_show - what of a report is shown; verdict, sums and exit status are of all of it
 * @least: findings that are at least so severe; IBC_OK: all
 * @guids, @num_guids: node GUIDs: findings that name one of them, and rows of tables about
 *	them; 0: all
 * @case_ids: ended by NULL: the findings of these ids, and of these cases, as well; NULL: none
 * @only_cases: and no other findings
 * @by_node: @guids are those of option --node, which then says why the others are not shown
 * @of_things: the verdict is about the shown things alone, and text says in one line what there
 *	is elsewhere.  What was not answered, and no finding reports, counts wherever it lies
 * @changes: cases that began, got worse, came back or are gone since the last run, unless they
 *	are known or not settled, and in text no tables; of a report that is not remembered, all
 */
struct ibc_show {
	enum ibc_severity least;
	const uint64_t *guids;
	size_t num_guids;
	const char *const *case_ids;
	bool only_cases;
	bool of_things;
	bool changes;
	bool by_node;
};
/*
 * Of a finished report, before the tables are filled.  A case is left out with the last of its
 * findings; text says how many.
 */
void ibc_report_show(struct ibc_report *rep, const struct ibc_show *show);
/* Is anything otherwise than in the last run?  True where that is not known. */
bool ibc_report_changed(const struct ibc_report *rep);

/* NULL past the last.  Sorted once it is finished; before, as added, and until the next is. */
const struct ibc_finding *ibc_report_finding(const struct ibc_report *rep, size_t i);
/* Cases, worst first, then by id; NULL past the last one, and before ibc_cases_find(). */
const struct ibc_case *ibc_report_case_at(const struct ibc_report *rep, size_t i);
/*
 * Cases that are no more, likewise: IBC_CASE_GONE, without findings; they count nowhere.  Of
 * their subjects only what names them is known.
 */
const struct ibc_case *ibc_report_gone_at(const struct ibc_report *rep, size_t i);
/* Findings of a severity that count (known ones do not). */
size_t ibc_report_count(const struct ibc_report *rep, enum ibc_severity severity);

/**
 * ibc_report_verdict() - the one word
 *
 * The worst finding that counts (critical > unknown > warning > ok).  At least
 * IBC_UNKNOWN while queries are open that no finding reports (an info finding
 * settles none, unless it is a known fault), a check was skipped, or memory ran out.
 */
enum ibc_severity ibc_report_verdict(const struct ibc_report *rep);

/**
 * struct ibc_last_run - what is remembered of verdicts
 * @time: when the last run was; 0: there was none, or it is not known
 * @verdict, @command: of that run
 * @open: the worst fault of any run that is still open and was not accepted; or IBC_OK
 */
struct ibc_last_run {
	time_t time;
	enum ibc_severity verdict, open;
	const char *command;
};

/**
 * ibc_report_past() - the report shows what is remembered, and judges nothing
 *
 * In the place of a verdict it shows that of the last run with its time, or the worst fault that
 * is still open, if that is worse; or that there is none.  ibc_report_verdict() stays that of
 * the report itself.
 */
void ibc_report_past(struct ibc_report *rep, const struct ibc_last_run *last);

/* ---- coverage, summary, meta ------------------------------------------- */

/* One row of coverage.attributes; rows of the same name add up. */
void ibc_report_cover(struct ibc_report *rep, const char *attribute,
                      const struct ibc_coverage *coverage);
/* Lines of files that were not understood: what they would have said is not known. */
void ibc_report_lines_lost(struct ibc_report *rep, uint64_t lines);
/* Queries that were due and never asked, because the deadline came first. */
void ibc_report_not_asked(struct ibc_report *rep, uint64_t queries);
/*
 * A check that was run, whatever it found; once or more often.  Here and below, "cable.alarm:bias"
 * of one kind of what it can find.
 */
void ibc_report_ran(struct ibc_report *rep, const char *check);
/* A check that could not be run, and why; the verdict is then at least unknown. */
void ibc_report_skip(struct ibc_report *rep, const char *check, const char *reason);
/* Likewise, not named, and about what not all fabrics have: the verdict is that of the rest. */
void ibc_report_unreported(struct ibc_report *rep, const char *check, const char *reason);
/*
 * A group of checks, "gone", or one of them, that did not run since no option asked for it, and
 * the one that does, "--state": no gap, but in the report.
 */
void ibc_report_unasked(struct ibc_report *rep, const char *what, const char *option);
/*
 * Did the check run, on all there is?  Of "cable.alarm:bias" if that kind, or all of it, did; of
 * "cable.alarm" if all of it did.  Where it is false, nothing follows from what was not found.
 */
bool ibc_report_has_run(const struct ibc_report *rep, const char *what);
/* coverage.mads; several subnets add up (percentiles and peak: the greatest). */
void ibc_report_mads(struct ibc_report *rep, const struct ibc_sweep *sweep);

/* One number of the summary beside the findings: "nodes", 702; said again, it replaces. */
void ibc_report_sum(struct ibc_report *rep, const char *key, uint64_t value);

/*
 * What it comes to, for the line that sums up: "1293 of 1296 cables as planned".  Stands
 * behind the numbers of findings; several follow each other.  Programs read sums.
 */
void ibc_report_conclude(struct ibc_report *rep, const char *phrase, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * struct ibc_report_meta - who asked what, when, of whom; all copied, NULL for unknown
 * @time: 0 for unknown
 * @described: a host was looked at, and no fabric: its name, "" if that is not known; text
 *	       calls it "this host", so that equal reports of many hosts are equal text
 * @headline: the first line of text output, without the label: "702 nodes, ..."
 */
struct ibc_report_meta {
	time_t time;
	const char *host, *command;
	const char *const *arguments; /* NULL-terminated */
	const char *source_kind, *source_ca, *source_file;
	unsigned int source_port;
	double duration_seconds;
	const char *described, *headline;
};
void ibc_report_set_meta(struct ibc_report *rep, const struct ibc_report_meta *meta);

/* ---- tables ------------------------------------------------------------- */

struct ibc_table;
struct ibc_column;
struct ibc_metric_group;

/* Bytes of the longest text that a getter can compose. */
#define IBC_CELL_TEXT 4096

/**
 * struct ibc_cell - what a getter looks at
 * @row: as given to ibc_table_row()
 * @column: the column that is filled, by which one getter can serve several
 * @length, @text: for ibc_cell_text()
 */
struct ibc_cell {
	const void *row;
	const struct ibc_column *column;
	size_t length;
	char text[IBC_CELL_TEXT];
};

/**
 * ibc_cell_text() - add to the text of a cell; what does not fit is cut
 *
 * Return: all of the text, for the getter to return.
 */
struct ibc_value ibc_cell_text(struct ibc_cell *cell, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Gets the value of a cell; it is copied at once, so it may point into the cell. */
typedef struct ibc_value ibc_getter(struct ibc_cell *cell);

/**
 * struct ibc_column - one column
 * @key: in JSON: lower case, the unit ends it; NULL ends an array of columns
 * @heading: in text, or NULL: not shown there; nor is a table without headings
 * @value: gets the value of a row
 * @offset, @arg: for @value alone: where in the row it looks, and for what
 * @detail: text shows it if asked to be verbose
 * @sentence: the last of the shown columns, and the longest
 * @legend: what its heading means, where that says too little: for a help; or NULL
 */
struct ibc_column {
	const char *key;
	const char *heading;
	ibc_getter *value;
	size_t offset;
	unsigned int arg;
	bool detail, sentence;
	const char *legend;
};

/**
 * struct ibc_table_type - what a table is; outlives the report, as all it points to
 * @name: its key under "tables"
 * @columns: ended by an element without key
 * @groups: the metrics it makes, ended by one without prefix; or NULL
 * @headed_by: key of a column; rows that have the same there follow each other, and text writes
 *	it once, above them, with what else they have in common; or NULL
 * @title: what people read in place of the name; or NULL
 */
struct ibc_table_type {
	const char *name;
	const struct ibc_column *columns;
	const struct ibc_metric_group *groups;
	const char *headed_by;
	const char *title;
};

/**
 * ibc_report_table() - add a table, or find it again
 *
 * Return: the table, borrowed; NULL on failure, which the calls below accept.
 */
struct ibc_table *ibc_report_table(struct ibc_report *rep, const struct ibc_table_type *type);
/* Adds a row: what the getters of the columns make of @row, which they know the type of. */
void ibc_table_row(struct ibc_table *table, const void *row);

/* Text leaves this column out, as if it had no heading; one of the first 64. */
void ibc_table_hide(struct ibc_table *table, const char *key);

/* Text writes a line for each value of a row that is known, with its heading in front. */
void ibc_table_upright(struct ibc_table *table);

/*
 * So many rows more there are than were added: text says so, below the last, and with @what
 * what they are: "ports are down", else that -v shows them.  @what is a literal.
 */
void ibc_table_omit(struct ibc_table *table, uint64_t rows, const char *what);

/**
 * ibc_report_sort() - sort the rows of all tables that have a column, once all are there
 * @key: of the column
 * @falling: greatest first
 *
 * Numbers as numbers, words of an enumeration in its order, texts with the numbers in them as
 * numbers (leaf2 before leaf10); what is not known last.  Rows that are equal stay in their order.
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_report_sort(struct ibc_report *rep, const char *key, bool falling, struct ibc_error *err);

/* ---- metrics ------------------------------------------------------------ */

/*
 * IBC_METRIC_INFO: 1 wherever the column has a value; what there is, its labels say.
 * IBC_METRIC_FIGURE: a gauge, one of the few of a whole fabric that performance data of
 * plugins has too.
 */
enum ibc_metric_type { IBC_METRIC_GAUGE, IBC_METRIC_COUNTER, IBC_METRIC_INFO, IBC_METRIC_FIGURE };

/**
 * struct ibc_metric - a column that is also a metric
 * @column: its key; where a row has no value, there is no sample
 * @name: after the prefix, in base units; a counter's gets "_total" at its end
 * @help: after that of the group
 */
struct ibc_metric {
	const char *column, *name, *help;
	enum ibc_metric_type type;
};

/* struct ibc_label - a column that distinguishes samples, and what it is called there */
struct ibc_label {
	const char *name, *column;
};

/**
 * struct ibc_metric_group - some rows of a table, as metrics with the same labels
 * @prefix: of their names: "infiniband_switch_port_"
 * @help: "InfiniBand switch port"
 * @column, @word: only rows whose @column is this word of an enumeration; NULL: all
 * @labels: ended by an element without name
 * @metrics: ended by an element without name
 *
 * Of rows with equal labels the first that has a value is the sample.  A metric
 * belongs to one group of one table.
 */
struct ibc_metric_group {
	const char *prefix, *help;
	const char *column, *word;
	const struct ibc_label *labels;
	const struct ibc_metric *metrics;
};

/* ---- known faults ------------------------------------------------------- */

/**
 * ibc_report_known() - mark findings and cases that a file of known faults covers
 * @path: the file; format in ibcheck-known(5)
 * @now: local time, "2026-01-31T12:00" or "2026-01-31": lines until before it have expired
 * @ran: did the check of this id run, or this kind of it?  A line for one that did not is not
 *stale; say true of an id that no check has, so that a misspelt one comes to light. It is asked
 *about IBC_KNOWN_CASE of a case whose check the line does not name. NULL: ibc_report_has_run()
 *
 * A covered finding stays listed and leaves the verdict alone; an expired line
 * says so and the finding counts; a line that covered nothing becomes an info
 * finding "known.stale".  Call before ibc_report_finish().  Lines for cases are
 * kept until there are some: ibc_cases_find().
 *
 * Return: 0, -EINVAL with file and line, or what the system said.
 */
int ibc_report_known(struct ibc_report *rep, const char *path, const char *now,
                     bool (*ran)(const char *check, void *ctx), void *ctx, struct ibc_error *err);
#define IBC_KNOWN_CASE    "case"    /* CHECK of a line for a case */
#define IBC_KNOWN_RETIRED "retired" /* CHECK of one for what was taken away, at .known.until */

/**
 * struct ibc_known_line - a line of the file of known faults
 * @number: counted from 1
 * @text: as it is written, without blanks before it
 * @id, @name: of a line for a case, and what it is about; or NULL
 */
struct ibc_known_line {
	unsigned long number;
	const char *text, *check, *subject, *id, *name;
	struct ibc_known known;
};

/**
 * ibc_known_read() - read a file of known faults
 * @now: as for ibc_report_known()
 * @each: gets every line in order, borrowed; what it returns beside 0 ends the reading
 *
 * Return: 0, what @each returned, -EINVAL with file and line, or what the system said.
 */
int ibc_known_read(const char *path, const char *now,
                   int (*each)(const struct ibc_known_line *line, void *ctx), void *ctx,
                   struct ibc_error *err);
/* May it be the id of a case? */
bool ibc_is_case_id(const char *text);
/* Is it a date, "2026-12-31", or a time, "2026-12-31T08:00", as UNTIL has them, or with seconds? */
bool ibc_known_is_time(const char *text);

/* ---- rendering ---------------------------------------------------------- */

/**
 * struct ibc_render_opts - how text looks; zero is right for a file
 * @color: use SGR escapes
 * @verbose: show all findings and facts, not one screen
 * @columns: width of the terminal; 0: do not fold
 * @one_screen: of many cases the first ones, a line for each critical one, and how many others
 * @past_url: of pages: what shows the past of the fault whose ID follows it; or NULL
 * @only_tables: leave out everything else: a list, and no verdict
 * @oneline: text has a line for each case, and the sum; @sums: metrics have none for each
 * @table: the table that CSV writes, or IBC_CASES_TABLE; NULL: the findings
 */
struct ibc_render_opts {
	const char *past_url;
	bool color, verbose, only_tables, oneline, one_screen, sums;
	unsigned int columns;
	const char *table;
};
#define IBC_CASES_TABLE   "cases"
#define IBC_REPORT_SCHEMA 2 /* man/ibcheck-report.schema.json; only additions keep it */

/* Names of the formats, NULL past the last one: "text", "json", ... */
const char *ibc_render_format(size_t i);

/**
 * ibc_report_add_picture() - add a drawing; formats other than "html" leave it out
 * @id: letters, digits and "-": one picture of the report has it
 * @title: what it shows, in a line
 * @svg: an <svg> element, which needs nothing outside of itself; it goes into the page as it is,
 *	 so whoever draws it has escaped its texts.  What stands before "<svg" is left out.
 *
 * A page joins its elements of class "cell" and "line" with the rest: "data-row" and "data-col"
 * are the row and the column of a cell, "data-cases" the IDs of its cases, "data-cables" ends of
 * its cables, as ibc_subject_identity() has them: "0x0002c90300000010/19"; blanks between them.
 */
void ibc_report_add_picture(struct ibc_report *rep, const char *id, const char *title,
                            const char *svg);

/**
 * ibc_report_render() - write a finished report whose cases were found
 * @format: one of ibc_render_format()
 * @opts: or NULL
 *
 * Return: 0, -EINVAL for an unknown format or findings without cases, -EIO when @out failed,
 * -ENOMEM, also for a report that is incomplete because memory ran out while it was made.
 */
int ibc_report_render(const struct ibc_report *rep, const char *format,
                      const struct ibc_render_opts *opts, FILE *out, struct ibc_error *err);

#pragma GCC visibility pop

#endif
