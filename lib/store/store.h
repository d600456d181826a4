/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STORE_STORE_H
#define STORE_STORE_H

/* What the files of this layer share; each function is in the file that its group names. */
#include <ibcheck/store.h>

#include "store/sql.h"

struct arena;

#define STORE_HISTORY "history.db"

/*
 * struct ibc_store - one fabric's part of a state directory
 * @dir: absolute; @mode: of what is made in it
 * @lock_fd: -1 while it is not locked
 * @damage: sentence, or NULL
 * @run: number of this run, once it is recorded
 * @last_sweep: number of the sweep that counts; 0: none
 */
struct ibc_store {
	struct arena *arena;
	struct ibc_store_opts opts;
	const struct ibc_fabric *fabric;
	const char *dir, *damage;
	unsigned int mode;
	int lock_fd;
	struct sql sql;
	int64_t run, last_sweep;
	bool recorded;
	/* of this run: devices that took another's place, and the name of one of them */
	size_t num_replaced;
	const char *replaced;
};

/* ---- directory.c ---- */

/* The part of @fab in @dir: found, or made; store->dir is set.  Errors as ibc_store_open(). */
int store_find_fabric(struct ibc_store *store, const char *dir, struct ibc_error *err);
/* Is a file system of this magic number (statfs) one that hosts share? */
bool store_is_shared(uint32_t magic);
int store_lock(struct ibc_store *store, struct ibc_error *err);
/* Keeps DIR/NAME as DIR/NAME.damaged, or NAME.damaged.2 ..., and says so in store->damage. */
int store_set_aside(struct ibc_store *store, const char *name, const char *why,
                    struct ibc_error *err);
/* Opens a file to be written, with the rights of the directory; or negative errno. */
int store_create(const struct ibc_store *store, const char *path);

/* ---- sweeps.c ---- */

/* Writes this sweep as that of store->run; 0, or what the system said. */
int store_write_sweep(struct ibc_store *store, const struct ibc_fabric *before,
                      struct ibc_error *err);
/* Removes all sweeps but that of store->run. */
void store_drop_sweeps(const struct ibc_store *store);
/* The greatest number of a sweep that is there; 0: none. */
int64_t store_newest_sweep(const struct ibc_store *store);

/* ---- incidents.c ---- */

void store_incidents(struct ibc_store *store, const struct ibc_input *in,
                     const struct ibc_fabric *before, const struct ibc_check *(*check_at)(size_t i),
                     struct ibc_report *rep);

/* ---- deltas.c, changes.c, replaced.c: @before may be NULL ---- */

void store_deltas(struct ibc_store *store, const struct ibc_fabric *before);
/* The number of a port in the history; 0 after a failure. */
int64_t store_port(struct ibc_store *store, const struct ibc_port *port);
void store_changes(struct ibc_store *store, const struct ibc_fabric *before);
/* Devices that took another's place inherit its history; before store_incidents(). */
void store_replaced(struct ibc_store *store, const struct ibc_fabric *before);

/* ---- looked.c ---- */

/*
 * Did this run look where an incident was?  Its check ran, and all it reads of the thing was
 * answered.  @thing as ibc_subject_identity() has it.
 */
bool store_looked(const struct ibc_input *in, const struct ibc_fabric *before,
                  const struct ibc_check *check, const char *thing);

#endif
