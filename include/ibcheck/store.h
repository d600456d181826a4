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
#include <ibcheck/gone.h>
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
 *   DIR/FABRIC/hook.lock    held by the run that delivers to a hook
 *   DIR/FABRIC/history.db  SQLite; says which sweep counts
 *   DIR/FABRIC/sweep.N	    the last sweep, left by run N
 *   DIR/FABRIC/kept.*.zst   whole sweeps of other times, with the forwarding tables
 *   DIR/FABRIC/repair.*.zst whole sweeps from before a repair of a link, and from after it
 *   DIR/FABRIC/NAME.damaged  what could not be read, or what no release wrote
 *
 * A fabric is recognised by its subnet prefix and by its switches: at least half of them, or of
 * those that it had, are the same.  Without switches its adapters stand for them.  A fleet is
 * DIR/fleet: a directory is for one.
 */
struct ibc_store;

/**
 * struct ibc_store_opts - start from IBC_STORE_OPTS_INIT
 * @now: when this run is
 * @command: that asks
 * @wait_ms: for another run to end
 * @reopen_seconds: a fault that comes back within this time is the same one
 * @retention_seconds: what ended longer ago is forgotten
 * @settle_runs, @settle_seconds: a fault is reported as new only when so many runs have seen it,
 *	or when it is so old; 0: at once.  One that comes back is reported at once.
 */
struct ibc_store_opts {
	time_t now;
	const char *command;
	unsigned int wait_ms, reopen_seconds, retention_seconds, settle_runs, settle_seconds;
};
#define IBC_STORE_OPTS_INIT                                                                        \
	((struct ibc_store_opts){                                                                  \
	    .wait_ms = 5000, .reopen_seconds = 24 * 3600, .retention_seconds = 400 * 86400 })

/**
 * ibc_store_open() - take what is remembered of a fabric for this run
 * @dir: made if it is not there, but not the directory it is in
 * @fab: the sweep of this run; NULL: of a fleet, which has no sweep, only incidents
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
 * ibc_store_linked() - ports of switches that had a link in an earlier run
 * @dir: a state directory, all fabrics of which count; @out: @num ports for ibc_fabric_load_down(),
 *	 to be freed with free()
 *
 * It is for a sweep that is still to come; what is damaged has none.
 *
 * Return: 0; -ENOMEM.
 */
int ibc_store_linked(const char *dir, struct ibc_port_id **out, size_t *num, struct ibc_error *err);

/**
 * struct ibc_expect - start from IBC_EXPECT_INIT
 * @retired: @num_retired of them: what was taken away on purpose
 * @forget_seconds: a host that stays away for longer is no longer expected
 */
struct ibc_expect {
	const struct ibc_retired *retired;
	size_t num_retired;
	unsigned int forget_seconds;
};
#define IBC_EXPECT_INIT ((struct ibc_expect){ .forget_seconds = 30 * 86400 })

/**
 * ibc_store_expect() - what is expected in this sweep and was not found
 * @before: of ibc_store_sweep(), or NULL
 * @how: stays with @before until ibc_store_free(), as @out does
 * @out: for ibc_check_expect();
 *	 NULL: the history cannot be read, which ibc_store_record() reports
 *
 * Expected is what three runs have seen, or the first run of a new memory.  Where it is not called
 * ibc_store_record() does, with nothing that is retired.
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_store_expect(struct ibc_store *store, const struct ibc_fabric *before,
                     const struct ibc_expect *how, const struct ibc_gone **out,
                     struct ibc_error *err);

/**
 * ibc_store_cleared() - this run cleared counters
 * @until: its sweep before that, borrowed until ibc_store_record() has returned: what was
 *	   counted until then is kept, and what has been since then; so the next run compares
 *	   with what the clearing left
 */
void ibc_store_cleared(struct ibc_store *store, const struct ibc_fabric *until);

/**
 * ibc_store_record() - add this run
 * @in: what was checked; its fabric is that of ibc_store_open()
 * @before: of ibc_store_sweep(), or NULL
 * @find_check: the table of checks: ibc_check_find()
 * @rep: finished, with its cases, which get state, since and times
 *
 * Nothing of it is seen by others before ibc_store_commit(): call that when the report has
 * been written.
 *
 * Return: 0; -EUCLEAN what was there is damaged: it is set aside, the sentence says so, and once
 * the report does, call it again; or what the system said.  Then nothing has been added.
 */
int ibc_store_record(struct ibc_store *store, const struct ibc_input *in,
                     const struct ibc_fabric *before,
                     const struct ibc_check *(*find_check)(const char *id), struct ibc_report *rep,
                     struct ibc_error *err);
/* Does nothing if nothing has been recorded. */
int ibc_store_commit(struct ibc_store *store, struct ibc_error *err);

/**
 * ibc_store_repair_put() - keep the fabric as it is, for a link that is repaired
 * @link: an end of it, in the fabric of ibc_store_open()
 * @after: it is the first sweep after the work; else that before it, and what was kept of the link
 *	   goes
 *
 * It is there at once, whether the run is recorded or not.  Of too many the first one goes.
 *
 * Return: 0, or what the system said.
 */
int ibc_store_repair_put(struct ibc_store *store, const struct ibc_port *link, bool after,
                         struct ibc_error *err);
/**
 * ibc_store_repair_get() - what was kept of a link
 * @link: an end of it: one of both has to be what it was
 * @out: to be freed with ibc_fabric_free(); @then: the link in it
 *
 * Return: 0; -ENOENT nothing is kept; -EUCLEAN it is damaged; or what the system said.
 */
int ibc_store_repair_get(struct ibc_store *store, const struct ibc_port *link, bool after,
                         struct ibc_fabric **out, const struct ibc_port **then,
                         struct ibc_error *err);

/**
 * ibc_store_pend() - keep what changed until a hook has got it
 * @changes: any text; a part of the run: after ibc_store_record(), before ibc_store_commit()
 * @rep: of that run
 *
 * Return: 0, or what the system said: then nothing of the run has been added.
 */
int ibc_store_pend(struct ibc_store *store, const char *changes, struct ibc_report *rep,
                   struct ibc_error *err);

/**
 * ibc_store_deliver() - give what is kept for a hook, of this run and of earlier ones
 * @wait_ms: for another run that gives
 * @give: gets the texts, oldest first, ended by NULL; 0: the hook has got them
 *
 * After ibc_store_commit(), and last: other runs may record meanwhile.  They are forgotten once
 * @give has returned 0; whatever prevents that, they are given again.  Without any, @give is
 * not called.
 *
 * Return: 0; what @give returned; -EBUSY another run gives, or records; -EKEYREJECTED all else is
 * given, and what another user wrote was dropped; or what the system said.
 */
int ibc_store_deliver(struct ibc_store *store, unsigned int wait_ms,
                      int (*give)(const char *const *changes, void *ctx, struct ibc_error *err),
                      void *ctx, struct ibc_error *err);

/* ---- reading it ----------------------------------------------------------- */

/* struct ibc_amount - what was counted; @at_least: or more: a counter was full, or was cleared */
struct ibc_amount {
	bool known, at_least;
	uint64_t n;
};

enum ibc_history_part {
	IBC_HISTORY_INCIDENTS = 1,
	IBC_HISTORY_EVENTS = 2,
	IBC_HISTORY_SERIES = 4,
	IBC_HISTORY_TOP = 8,
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
 * @thing: as ibc_subject_identity() has it; @name: as people call it; @subject: what it is, of
 *	which only what names it is known
 * @ended: 0: it has not
 * @times: how often it came
 * @known: it was an accepted fault when it was last seen
 * @state: "open", "ended", "merged" (another one explains it), "unseen" (no run can look)
 */
struct ibc_incident {
	const char *fabric, *check, *thing, *name, *message, *advice, *case_id, *state;
	struct ibc_subject subject;
	enum ibc_severity severity;
	bool known;
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
 * struct ibc_past_fabric - a fabric of which something is remembered
 * @name: of its directory
 * @sweep: the last one, or NULL
 * @places: in @sweep: what was asked for, and the far ends of its cables
 * @first_run, @last_run: of those that are remembered; 0: there is none
 * @last: the last one, whatever was asked for
 * @runs, @num_runs: when runs began that looked at it, oldest first, from a day before the time
 *	that was asked for on; only with IBC_HISTORY_EVENTS.  What a run reports came after the one
 *	before it
 */
struct ibc_past_fabric {
	const char *name;
	const struct ibc_fabric *sweep;
	const struct ibc_place *places;
	size_t num_places;
	time_t first_run, last_run;
	struct ibc_last_run last;
	const time_t *runs;
	size_t num_runs;
};

/**
 * struct ibc_past_port - a port of which something is remembered
 * @name: "leaf03/19"
 * @port: in the last sweep, or NULL
 */
struct ibc_past_port {
	const struct ibc_past_fabric *fabric;
	const char *name;
	uint64_t guid;
	unsigned int num;
	const struct ibc_port *port;
};

/* struct ibc_port_hour - errors that were read in the hour from @time on */
struct ibc_port_hour {
	const struct ibc_past_port *at;
	time_t time;
	enum ibc_counter counter;
	struct ibc_amount amount;
};

/**
 * struct ibc_port_day - what passed a port, as it was read on the day (of UTC) from @time on
 * @hours: set of 1 << hour of the day in which any port was read
 * @sent, @received: bytes; @waited: ticks of PortXmitWait
 * @wait_percent: of the time, at the rate of the last sweep; below 0: not known
 */
struct ibc_port_day {
	const struct ibc_past_port *at;
	time_t time;
	uint32_t hours;
	struct ibc_amount sent, received, waited;
	double wait_percent;
};

/**
 * struct ibc_worn_cable - errors of a link, at both of its ends
 * @near, @far: as the cable is now; @far is NULL if it is not known
 * @hours: in so many one of the ends counted errors of the link
 * @flaps, @retrains: how often it went down, or through recovery: of both ends the greater
 * @errors: all others of the link, of both ends
 * @at_least: of these numbers some are
 * @near_damage, @far_damage: damaged data that arrived there; @unread: one end was not read
 * @last: the last hour with errors
 * @counters: "leaf01/3 SymbolErrorCounter 40, PortRcvErrors >=12; spine01/1 ..."
 * @device: most cables of this device are such, @bad of @cables; or NULL
 */
struct ibc_worn_cable {
	const struct ibc_past_port *near, *far;
	uint64_t hours, flaps, retrains, errors, near_damage, far_damage;
	bool at_least, unread;
	time_t last;
	const char *counters;
	const struct ibc_node *device;
	size_t bad, cables;
};

/**
 * struct ibc_waiting_port - a port that had data to send and no credits
 * @waited: ticks of PortXmitWait
 * @days: of so many something is known
 * @percent: of the time of those days; below 0: not known, since the length of a tick is not
 * @worst_percent: of the day @worst_day
 */
struct ibc_waiting_port {
	const struct ibc_past_port *at;
	struct ibc_amount waited;
	unsigned int days;
	double percent, worst_percent;
	time_t worst_day;
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
const struct ibc_past_fabric *ibc_history_fabric(const struct ibc_history *history, size_t i);
/* Of the thing that was asked for, by port, then time. */
const struct ibc_port_hour *ibc_history_hour(const struct ibc_history *history, size_t i);
const struct ibc_port_day *ibc_history_day(const struct ibc_history *history, size_t i);
/*
 * Those with damaged data before those that only went down; then by hours with errors, since a
 * burst counts once.
 */
const struct ibc_worn_cable *ibc_history_cable(const struct ibc_history *history, size_t i);
/* Those that waited 1 % of the time on a day, or for an unknown time: the longest first. */
const struct ibc_waiting_port *ibc_history_waiting(const struct ibc_history *history, size_t i);

/**
 * ibc_history_sweep_at() - how a fabric was at a time
 * @fabric: name of its directory: ibc_past_fabric.name
 * @out: to be freed with ibc_fabric_free(): of the sweeps that are kept the latest not after @at,
 *	 else the earliest after it.  If that has no forwarding tables, one that has, and the same
 *	 cabling with no other in between.  Which time it is of, its subnets say
 *
 * A sweep is kept at each change of the cabling or of the routes, and one a day.  What cannot be
 * read is passed over: then @err says so, although 0 is returned, else it is empty.
 *
 * Return: 0; -ENOENT there is none; -ENOMEM; or as ibc_store_open().
 */
int ibc_history_sweep_at(const char *dir, const char *fabric, time_t at, struct ibc_fabric **out,
                         struct ibc_error *err);

/**
 * ibc_history_repairs() - the links of all fabrics of which a repair was started
 * @each: gets an end of it as it was, which is gone afterwards
 *
 * What cannot be read is passed over, as by ibc_history_sweep_at().
 *
 * Return: 0, or as ibc_history_load().
 */
int ibc_history_repairs(const char *dir, void (*each)(const struct ibc_port *link, void *ctx),
                        void *ctx, struct ibc_error *err);

/**
 * ibc_history_forget() - remove all that is remembered of a fabric
 * @fabric: name of its directory
 *
 * Return: 0; -ENOENT there is no such fabric; -EBUSY a run uses it; or what the system said.
 */
int ibc_history_forget(const char *dir, const char *fabric, struct ibc_error *err);

#pragma GCC visibility pop

#endif
