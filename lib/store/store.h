/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the files of this layer share; each function is in the file that its group names. */
#include <dirent.h>
#include <stdio.h>

#include <ibcheck/counters.h>
#include <ibcheck/store.h>

#include "store/sql.h"

#define BIT(counter) (1u << (counter))
#define HOUR         3600         /* seconds */
#define DAY          86400        /* seconds; days are those of UTC */
#define TIME_LAST    253402300799 /* the end of the year 9999 */

#define SCHEMA_EXPECTS 5 /* of a history: from here on it has what is expected */

#define STORE_HISTORY   "history.db"
#define STORE_LOCK      "lock"
#define STORE_HOOK_LOCK "hook.lock"

/*
 * struct ibc_store - one fabric's part of a state directory
 * @dir: absolute, for messages; @fd: it, open; @mode: of what is made in it
 * @lock_fd: -1 while it is not locked
 * @island_dir: of a fabric without switches whose adapters are in this one; or NULL
 * @damage: sentence, or NULL
 * @run: number of this run, once it is recorded
 * @last_sweep: number of the sweep that counts; 0: none
 * @keeps: name of the sweep that this run keeps for later, once it is committed; or NULL
 * @steady: runs of some weeks say that the clock is right
 * @migrated: the history is of a version that did not know what is expected
 * @gone: of ibc_store_expect(), or NULL; @young: what few runs have seen, sorted
 */
struct ibc_store {
	struct arena *arena;
	struct ibc_store_opts opts;
	const struct ibc_fabric *fabric;
	const struct ibc_fabric *cleared; /* before that; or NULL */
	const char *dir, *island_dir, *damage, *keeps;
	unsigned int mode;
	int fd, island_fd, lock_fd;
	struct sql sql, island; /* the latter from ibc_store_record() to the commit */
	int64_t run, last_sweep;
	bool recorded, steady, migrated;
	struct ibc_gone *gone;
	struct ibc_expect expects;
	struct young *young;
	size_t num_young;
	/* of this run: devices that took the place of another, and a sentence about one */
	size_t num_replaced;
	const char *replaced;
};

/* ---- directory.c ---- */

/* The part of @fab in @dir: found, or made, and locked.  Errors as ibc_store_open(). */
int store_find_fabric(struct ibc_store *store, const char *dir, struct ibc_error *err);
/* A directory in one whose others can be links: none is followed.  Or negative errno. */
int store_open_part(int state, const char *name);
/* What is in a directory, as opendir(); NULL with errno. */
DIR *store_entries(int fd);
/*
 * Calls for each part of @dir, sorted, until one is not 0, which comes back.  -ENOENT: there is
 * none; or as ibc_dir_open().
 */
typedef int store_part(void *ctx, int fd, const char *dir, const char *name, struct ibc_error *err);
int store_each_part(const char *dir, store_part *take, void *ctx, struct ibc_error *err);
/* Opens store->island; false: there is none, or nothing can be done with it. */
bool store_open_island(struct ibc_store *store, struct ibc_error *err);
/* Is a file system of this magic number (statfs) one that hosts share? */
bool store_is_shared(uint32_t magic);
/* A file of this name is locked by *fd, which is to be unlocked also after a failure. */
int store_lock(const struct ibc_store *store, const char *name, unsigned int wait_ms, int *fd,
               struct ibc_error *err);
void store_unlock(int *fd);
/* Keeps DIR/NAME as DIR/NAME.damaged, or NAME.damaged.2 ..., and says so in store->damage. */
int store_set_aside(struct ibc_store *store, const char *name, const char *why,
                    struct ibc_error *err);
/*
 * Opens a file to be written, with the rights of the directory; @anew: one that no other process
 * has open, in the place of what is there.
 */
int store_create(const struct ibc_store *store, const char *name, bool anew, struct ibc_error *err);
bool store_has(const struct ibc_store *store, const char *name);

/* ---- signed.c ---- */

/* @text with a signature of this user and this run; NULL with a sentence. */
const char *store_signed(const struct ibc_store *store, int64_t run, const char *text,
                         struct ibc_error *err);
/* The text in it; NULL: another user wrote it, or another run. */
const char *store_signed_text(const struct ibc_store *store, int64_t run, const char *text);

/* ---- sweeps.c ---- */

/* Reads a sweep of a directory, no link to one; @dir: its name, for messages. */
int store_load_file(struct arena *a, int fd, const char *dir, const char *name,
                    struct ibc_fabric **out, struct ibc_error *err);
/* Likewise "sweep.N". */
int store_load_sweep(struct arena *a, int fd, const char *dir, int64_t number,
                     struct ibc_fabric **out, struct ibc_error *err);
/* Writes a file, whole and synced; of a failure none is left.  0, or what the system said. */
typedef int store_writer(const struct ibc_fabric *fab, const struct ibc_fabric *before, FILE *out,
                         struct ibc_error *err);
store_writer store_write_whole; /* a snapshot; of @before nothing */
int store_write_file(const struct ibc_store *store, const char *name, store_writer *put,
                     const struct ibc_fabric *before, struct ibc_error *err);
/* Writes this sweep as that of store->run; 0, or what the system said. */
int store_write_sweep(struct ibc_store *store, const struct ibc_fabric *before,
                      struct ibc_error *err);
/* Removes all sweeps but that of store->run. */
void store_drop_sweeps(const struct ibc_store *store);
/* The greatest number of a sweep that is there; 0: none; negative: as the system said. */
int64_t store_newest_sweep(const struct ibc_store *store, struct ibc_error *err);

/* ---- keep.c: sweeps of other times ---- */

/* Writes this sweep to be kept, if one is due; 0, or what the system said. */
int store_keep(struct ibc_store *store, struct ibc_error *err);
/* The run is committed: keeps what was written, and removes some of what is too much. */
void store_kept(struct ibc_store *store);
/* It is not, or was before: nothing of it is left. */
void store_unkeep(struct ibc_store *store);

/*
 * Calls for each sweep that is kept of the time from @since on, newest first: @fab lasts until it
 * returns, @from and @until are the times between which the fabric was so.  What cannot be read is
 * passed over.
 */
void store_each_kept(struct ibc_store *store, int64_t since,
                     void (*each)(struct ibc_store *store, const struct ibc_fabric *fab,
                                  int64_t from, int64_t until, void *ctx),
                     void *ctx);

/* ---- earlier.c ---- */

struct ibc_gone;
/* What version 0.3.0 missed for some time already, of the sweeps that it kept. */
void store_missing_earlier(struct ibc_store *store, const struct ibc_fabric *before,
                           struct ibc_gone *gone);
/* ---- incidents.c ---- */

void store_incidents(struct ibc_store *store, const struct ibc_input *in,
                     const struct ibc_fabric *before,
                     const struct ibc_check *(*find_check)(const char *id), struct ibc_report *rep);

/* ---- deltas.c, changes.c, replaced.c: @before may be NULL ---- */

/* More than the greatest number of a port. */
size_t store_port_room(struct sql *sql);

/* @windows: those of the run, or NULL */
void store_deltas(struct ibc_store *store, const struct ibc_windows *windows,
                  const struct ibc_fabric *before, const struct ibc_fabric *now);
void store_changes(struct ibc_store *store, const struct ibc_fabric *before);
/* One of them, of a port, or with @num 0 of a node; texts may be NULL. */
void store_add_change(struct ibc_store *store, const struct ibc_node *node, unsigned int num,
                      const char *what, const char *before, const char *after);
/* Devices that took another's place inherit its history; before store_incidents(). */
void store_replaced(struct ibc_store *store);

/* ---- expected.c ---- */

#define RUNS_TO_EXPECT 3 /* what is there for a test of five minutes is seen by two at the most */

/* ibc_store_expect(), with the escape of the arena. */
void store_expect(struct ibc_store *store, const struct ibc_fabric *before,
                  const struct ibc_expect *how);
/* What is missing since this run, what is back, and what is expected from now on. */
void store_expected(struct ibc_store *store, const struct ibc_fabric *before,
                    struct ibc_report *rep);
/* Is what an incident of a check "gone.*" is about missing still, whether anybody looked or not? */
bool store_still_gone(const struct ibc_store *store, const char *check, const char *thing);

/* ---- traffic.c: data and wait of all ports, by the day ---- */

enum { TRAFFIC_WAIT, TRAFFIC_XMIT, TRAFFIC_RCV, TRAFFIC_COLUMNS };
#define TRAFFIC_PORTS_MAX (1u << 24) /* of a history: 49,151 LIDs, and all that were replaced */

/*
 * struct traffic - the day of this run
 * @codes: by the number of the port in the history
 * @hours: of the day in which ports were read, a set
 */
struct traffic {
	struct ibc_store *store;
	uint64_t *codes[TRAFFIC_COLUMNS];
	size_t n, room;
	int64_t day, hours;
	bool moved;
};

/* @room: more than the greatest number of a port */
void traffic_begin(struct traffic *t, struct ibc_store *store, size_t room);
void traffic_add(struct traffic *t, int64_t port, const struct ibc_delta *delta);
void traffic_end(struct traffic *t);

/* struct traffic_column - one counter of one day, of @n ports; begin with zeros */
struct traffic_column {
	unsigned char *bytes;
	uint64_t *codes;
	size_t n, room;
};

/* False: it is damaged. */
bool traffic_unpack(struct arena *a, sqlite3_stmt *row, int column, struct traffic_column *out);
uint64_t traffic_code(const struct traffic_column *column, size_t port);
struct ibc_amount traffic_amount(uint64_t code);
struct ibc_amount amount_sum(struct ibc_amount a, struct ibc_amount b);

/* ---- looked.c ---- */

/*
 * Does an identity name an end?  A finding about a device is about its ports, one about a port not
 * about the others.
 */
bool names_end_of(const char *thing, const struct ibc_end *end);

/*
 * Did this run look where an incident was?  Its check ran, and all it reads of the thing was
 * answered.  @what: the check, "cable.alarm", or a kind of it; @thing as ibc_subject_identity() has
 * it.
 */
bool store_looked(const struct ibc_input *in, const struct ibc_fabric *before,
                  const struct ibc_check *check, const char *what, const char *thing);

/* incidents.c: what a remembered thing is, of which only its identity and its name are kept. */
struct ibc_subject past_subject(struct arena *a, const char *thing, const char *name);
