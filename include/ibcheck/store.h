/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_STORE_H
#define IBCHECK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <ibcheck/check.h>
#include <ibcheck/error.h>
#include <ibcheck/fabric.h>
#include <ibcheck/report.h>

#pragma GCC visibility push(default)

/**
 * DOC: what a program remembers of the runs before
 *
 * A state directory has a directory for each fabric, which holds the sweep of the last run
 * and a history of incidents.  Whatever kills a run, the next one finds what was there
 * before it, whole.
 *
 *   DIR/FABRIC/fabric	    prefix and switches, by which it is recognised
 *   DIR/FABRIC/lock	    held by the run that writes
 *   DIR/FABRIC/history.db  SQLite; says which sweep counts
 *   DIR/FABRIC/sweep.N	    the last sweep, left by run N
 *
 * A fabric is recognised by its subnet prefix and by its switches: at least half of them, or of
 * those that it had, are the same.  Without switches its adapters stand for them.
 */
struct ibc_store;

/**
 * struct ibc_store_opts - start from IBC_STORE_OPTS_INIT
 * @now: when this run is
 * @command: that asks
 * @wait_ms: for another run to end
 * @reopen_seconds: a fault that comes back within this time is the same one
 * @retention_seconds: what ended longer ago is forgotten
 */
struct ibc_store_opts {
	time_t now;
	const char *command;
	unsigned int wait_ms, reopen_seconds, retention_seconds;
};
#define IBC_STORE_OPTS_INIT                                                                        \
	((struct ibc_store_opts){                                                                  \
	    .wait_ms = 5000, .reopen_seconds = 24 * 3600, .retention_seconds = 400 * 86400 })

/**
 * ibc_store_open() - take what is remembered of a fabric for this run
 * @dir: made if it is not there, but not the directory it is in
 * @fab: the sweep of this run
 * @out: to be freed with ibc_store_free()
 *
 * What it makes has the access rights of @dir.
 *
 * Return: 0; -ENOTDIR @dir is something else; -EBUSY another run has it; -EREMOTE it is on
 * a file system that several hosts share, which no lock holds for; -EPROTO a newer ibcheck
 * wrote it; or what the system said.
 */
int ibc_store_open(const char *dir, const struct ibc_fabric *fab, const struct ibc_store_opts *opts,
                   struct ibc_store **out, struct ibc_error *err);
/* Lets go of it; what was not committed is forgotten.  NULL has no effect. */
void ibc_store_free(struct ibc_store *store);

/* What was found damaged, and where it is kept: a sentence, or NULL. */
const char *ibc_store_damage(const struct ibc_store *store);

/**
 * ibc_store_sweep() - the last sweep of this fabric
 * @out: to be freed with ibc_fabric_free()
 *
 * Counters that a sweep did not read are those of an earlier one, with their own time.
 *
 * Return: 0; -ENOENT there is none, ibc_store_damage() may say why; -ENOMEM.
 */
int ibc_store_sweep(struct ibc_store *store, struct ibc_fabric **out, struct ibc_error *err);

/**
 * ibc_store_record() - add this run
 * @in: what was checked; its fabric is that of ibc_store_open()
 * @before: of ibc_store_sweep(), or NULL
 * @check_at: the table of checks, as ibc_check_at() walks it
 * @rep: finished, with its cases, which get state, since and times
 *
 * Nothing of it is seen by others before ibc_store_commit(): call that when the report has
 * been written.
 *
 * Return: 0, or what the system said: then nothing has been added.
 */
int ibc_store_record(struct ibc_store *store, const struct ibc_input *in,
                     const struct ibc_fabric *before, const struct ibc_check *(*check_at)(size_t i),
                     struct ibc_report *rep, struct ibc_error *err);
/* Does nothing if nothing has been recorded. */
int ibc_store_commit(struct ibc_store *store, struct ibc_error *err);

/* ---- reading it ----------------------------------------------------------- */

enum ibc_history_part {
	IBC_HISTORY_INCIDENTS = 1,
	IBC_HISTORY_EVENTS = 2,
	IBC_HISTORY_PORTS = 4,
};

/**
 * struct ibc_history_opts - what to look for, in all fabrics
 * @parts: set of enum ibc_history_part
 * @since: incidents that were open at that time or later, and what happened from then on
 * @check: id, or NULL
 * @thing: a name or GUID of a device, "NAME/PORT", or the id of a case; may have wildcards
 * @open: only incidents that have not ended
 */
struct ibc_history_opts {
	unsigned int parts;
	time_t since;
	const char *check, *thing;
	bool open;
};

/**
 * struct ibc_incident - a fault, from its beginning to its end
 * @fabric: name of its directory
 * @thing: as ibc_subject_identity() has it; @name: as people call it
 * @ended: 0: it has not
 * @times: how often it came
 * @state: "open", "ended", "merged" (another one explains it), "unseen" (no run can look)
 */
struct ibc_incident {
	const char *fabric, *check, *thing, *name, *message, *advice, *case_id, *state;
	enum ibc_severity severity;
	time_t began, last_seen, ended;
	unsigned int times;
};

/**
 * struct ibc_happening - one thing that happened: to an incident, or to the fabric
 * @what: "opened", "worse", "better", "closed", "reopened", "merged", "not-looked"; or
 *	"link-down", "link-up", "moved", "rate", "name", "firmware", "lid", "replaced"
 * @check: of the incident, or NULL
 * @message: of an incident; @before, @after: of a change; or NULL
 */
struct ibc_happening {
	time_t time;
	const char *fabric, *what, *check, *name, *message, *before, *after;
};

/**
 * struct ibc_worn_port - what a port counted
 * @peer: at the other end, as far as it is known
 * @counters: "PortRcvErrors 12, SymbolErrorCounter >=65535", the most frequent first
 * @hours: in so many it counted errors
 * @last: the last of them
 */
struct ibc_worn_port {
	const char *fabric, *name, *peer, *counters;
	uint64_t hours, errors;
	bool at_least;
	time_t last;
};

struct ibc_history;

/**
 * ibc_history_load() - read what is remembered; needs no right to write
 * @out: to be freed with ibc_history_free()
 *
 * Return: 0; -ENOENT there is nothing in @dir; or as ibc_store_open().
 */
int ibc_history_load(const char *dir, const struct ibc_history_opts *opts, struct ibc_history **out,
                     struct ibc_error *err);
void ibc_history_free(struct ibc_history *history);

/* Walk; NULL past the last one.  By fabric; incidents newest first, events oldest first. */
const struct ibc_incident *ibc_history_incident(const struct ibc_history *history, size_t i);
const struct ibc_happening *ibc_history_happening(const struct ibc_history *history, size_t i);
/* Those that had errors in most hours first: a burst counts once. */
const struct ibc_worn_port *ibc_history_port(const struct ibc_history *history, size_t i);

/**
 * ibc_history_forget() - remove all that is remembered of a fabric
 * @fabric: name of its directory
 *
 * Return: 0; -ENOENT there is no such fabric; -EBUSY a run uses it; or what the system said.
 */
int ibc_history_forget(const char *dir, const char *fabric, struct ibc_error *err);

#pragma GCC visibility pop

#endif
