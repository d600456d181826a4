/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What the devices of one model, at one revision, have in common: one of them is asked
 * what it can, and the others wait for it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "source/sweep/sweep.h"

/*
 * struct model_query - a query that one device of a model is asked for all of them
 * @waiting: devices, newest first
 * @tried, @missed: those that were asked, and of them those that brought nothing
 * @outcome: what one of them answered; NONE: none has answered yet
 */
struct model_query {
	struct model_query_entry *waiting;
	unsigned int tried, missed;
	enum answer outcome;
};

struct model {
	struct model_key {
		uint32_t type, vendor_id, device_id, revision;
	} key;
	UT_hash_handle hh;

	/* counters.c */
	struct model_query class_info;
	struct engine_device samples;
	uint64_t caps;
	struct ibc_attrs unsupported;
	enum answer tick; /* NONE: none has answered yet */
	uint8_t tick_value;
	bool tick_asked;
	bool redirects; /* each to another place: then each is asked */

	/* firmware.c */
	struct model_query firmware;

	bool knows_smp_info; /* smpinfo.c: one of them answered */

	/* phy.c */
	struct phy_firmware *phy; /* those met so far */
};

/* Of a device's node. */
struct model *model_of(struct sweep *s, struct device *dev);

/*
 * One of a model is asked and the others wait for its answer.  Should it not answer at once
 * a few others are asked, and so on with each that brings nothing; where too many have,
 * no other one is asked.  While any device waits, another one is being asked.
 *
 * struct model_query_rule - how that is done
 * @query: offset of the struct model_query in struct model
 * @tries_max: devices that are asked before one of them has answered
 * @ask: sends the query; its retries end in _hurry(), its outcome in _known() or _missed()
 * @settled: what becomes of one that need not be asked for the others any more
 */
struct model_query_rule {
	size_t query;
	unsigned int tries_max;
	void (*ask)(struct sweep *s, struct device *dev);
	void (*settled)(struct sweep *s, struct device *dev);
};

/* Of a device whose model is known: asked, settled, or to wait. */
void model_query_start(struct sweep *s, const struct model_query_rule *rule, struct device *dev);
/* Asked for itself, whatever is known of others. */
void model_query_try(struct sweep *s, const struct model_query_rule *rule, struct device *dev);
/* One that was asked does not answer at once. */
void model_query_hurry(struct sweep *s, const struct model_query_rule *rule, struct model *model);
/* It speaks for all if it is the first; or nothing came. */
void model_query_known(struct sweep *s, const struct model_query_rule *rule, struct model *model,
                       enum answer outcome);
void model_query_missed(struct sweep *s, const struct model_query_rule *rule, struct model *model);
/* Did so many bring nothing that no other one is asked? */
bool model_query_is_vain(const struct model_query_rule *rule, struct model *model);
/* Who waits still was not asked. */
void model_query_finish(struct sweep *s, const struct model_query_rule *rule);
