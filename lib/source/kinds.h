/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_KINDS_H
#define SOURCE_KINDS_H

/*
 * What the devices of one model, at one revision, have in common: one of them is asked
 * what it can, and the others wait for it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "source/sweep.h"

struct kind {
	struct kind_key {
		uint32_t type, vendor_id, device_id, revision;
	} key;
	UT_hash_handle hh;

	/* counters.c */
	struct target *waiting; /* for one of them to tell */
	struct engine_device samples;
	uint64_t caps;
	uint32_t unsupported;         /* set of enum ibc_attr */
	enum answer class_info, tick; /* NONE: nobody told yet */
	unsigned int tried, missed;   /* devices asked for their ClassPortInfo */
	uint8_t tick_value;
	bool tick_asked;
	bool redirects; /* each to another place: then each is asked */

	/* firmware.c */
	struct firmware_kind {
		struct site *waiting;
		unsigned int tried, missed; /* before one of them told */
		enum answer outcome;
	} firmware;
};

/* Of the node of a site; NULL when out of memory, which the sweep then knows. */
struct kind *kind_of(struct sweep *s, struct site *site);
/* Ends the sweep's table: it holds memory beyond its arena. */
void kinds_free(struct sweep *s);

#endif
