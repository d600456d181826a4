/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_OPINIONS_H
#define IBCHECK_OPINIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/check.h>
#include <ibcheck/error.h>
#include <ibcheck/report.h>
#include <ibcheck/types.h>

#pragma GCC visibility push(default)

/**
 * DOC: what other tools say of a fabric
 *
 * Their statements are read as they are, and judged by nothing but the checks of this library:
 * a second opinion is put beside our findings, and never among them.
 */

enum ibc_tool {
	IBC_TOOL_IBDIAGNET =
	    1,           /* WARNINGS_* and ERRORS_* of a db_csv; lines -W- and -E- of a log */
	IBC_TOOL_OPENSM, /* opensm-unhealthy-ports.dump */
	IBC_TOOL_UFM,    /* its table "Ports" in CSV: cables, and ports that are Critical */
	IBC_TOOL_IBQUERYERRORS, /* text */
	IBC_TOOL_IBLINKINFO,    /* text */
};
const struct ibc_word *ibc_tool_word(enum ibc_tool tool);

/**
 * struct ibc_opinion - one statement of another tool
 * @file, @line: where it stands
 * @severity: IBC_CRITICAL: the tool calls it an error, or is a subnet manager that calls the port
 *	      unhealthy; IBC_WARNING; IBC_INFO: it is listed, and not called a fault
 * @check: what the tool calls it: "FW_CHECK", "SymbolErrorCounter", "FLAPPING"
 * @event: a narrower word for it, or ""
 * @words: its sentence, or a value
 * @time: when the tool looked, in seconds since 1970; 0: not known
 * @place: what it is about, as the tool names it: near.guid is a GUID of a node or of a port;
 *	   near.desc a name; of a port its number, or near.port_label. FABRIC: it names nothing
 */
struct ibc_opinion {
	enum ibc_tool tool;
	const char *file;
	unsigned long line;
	enum ibc_severity severity;
	const char *check, *event, *words;
	uint64_t time;
	struct ibc_subject place;
};

/* struct ibc_strange_line - a line that was not understood */
struct ibc_strange_line {
	const char *file, *text;
	unsigned long line;
};
#define IBC_STRANGE_SHOWN 3

/**
 * struct ibc_opinions - those of some files, in their order
 * @tools: set of 1 << enum ibc_tool: whose files were read
 * @num_strange: lines that were not understood; @strange has the first of them
 * @fabric: the first file that is a fabric as well (a db_csv), or NULL
 * @cut: a log says that it lists only some of its statements
 * @first, @last: when the tools looked, in seconds since 1970; 0: no file says it
 */
struct ibc_opinions {
	const struct ibc_opinion *all;
	size_t num;
	unsigned int tools;
	size_t num_strange;
	struct ibc_strange_line strange[IBC_STRANGE_SHOWN];
	const char *fabric;
	bool cut;
	uint64_t first, last;
};

/**
 * ibc_opinions_read() - what the files of other tools say
 * @paths: @n files, each recognized by its content; an empty one with "unhealthy" in its name is a
 *	   list of no port, another is not understood
 * @out: to be freed with ibc_opinions_free()
 *
 * Return: 0; -EINVAL a file is of none of these tools; -ENOMEM; what the system said.
 */
int ibc_opinions_read(const char *const *paths, size_t n, struct ibc_opinions **out,
                      struct ibc_error *err);
/* NULL has no effect. */
void ibc_opinions_free(struct ibc_opinions *opinions);

/* ---- beside our findings ----------------------------------------------------- */

enum ibc_contrast_who { IBC_ONLY_THEY = 1, IBC_ONLY_WE, IBC_AGREE };
const struct ibc_word *ibc_contrast_who_word(enum ibc_contrast_who who);

/**
 * enum ibc_contrast_why - why only one of the two says it, what says least first
 * @IBC_WHY_UNJUDGED: the other does not judge such a thing
 * @IBC_WHY_LIMIT: it compares with another limit
 * @IBC_WHY_TIME: it looked at another time
 * @IBC_WHY_UNREAD: the other did not read it
 */
enum ibc_contrast_why {
	IBC_WHY_NONE, /* both say it */
	IBC_WHY_UNJUDGED,
	IBC_WHY_LIMIT,
	IBC_WHY_TIME,
	IBC_WHY_UNREAD,
	IBC_WHY_UNKNOWN,
};
/* NULL for IBC_WHY_NONE. */
const struct ibc_word *ibc_contrast_why_word(enum ibc_contrast_why why);

/**
 * struct ibc_contrast - one thing, and what they and we say of it
 * @kind: of statement: "firmware"; that of a check of ours that no such tool has is its id
 * @theirs: NULL: only we; @ours: NULL: only they
 * @where: as they, else as we call the place, or NULL: the fabric
 * @place: its node and port; zero where it is not in the fabric
 */
struct ibc_contrast {
	const char *kind;
	enum ibc_contrast_who who;
	enum ibc_contrast_why why;
	const struct ibc_opinion *theirs;
	const struct ibc_finding *ours;
	const char *where;
	struct ibc_place place;
};

/* struct ibc_contrasts - only they, only we, then what both say; of each the worst first */
struct ibc_contrasts {
	const struct ibc_contrast *all;
	size_t num;
};

/**
 * ibc_contrasts_find() - put their statements beside our findings, by place and kind
 * @in: what was checked; its fabric is needed
 * @rep: with the findings of all checks that ran
 *
 * What two files of one tool say alike is one statement.
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_contrasts_find(const struct ibc_opinions *opinions, const struct ibc_input *in,
                       const struct ibc_report *rep, struct ibc_contrasts **out,
                       struct ibc_error *err);
void ibc_contrasts_free(struct ibc_contrasts *contrasts);

/*
 * Adds as compare.only-theirs each fault that they call critical and we have not, and as
 * compare.not-understood the lines that were not understood, and that a log is cut.  Before
 * ibc_report_finish(), after which @contrasts has lost its findings.
 */
void ibc_check_contrasts(const struct ibc_opinions *opinions, const struct ibc_contrasts *contrasts,
                         struct ibc_report *rep);

#pragma GCC visibility pop

#endif
