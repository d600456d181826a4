/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* From how much on something is worth a finding: the defaults, and what a site set. */
#include <math.h>

#include <ibcheck/check.h>

#define NEVER    INFINITY
#define PER_HOUR "of events per hour"

struct limits {
	double warning, critical; /* reached, or more; INFINITY: never */
};

/*
 * The limits of a check for one port (NULL: of this host); both INFINITY for a check that has
 * none.
 */
struct limits limits_of(const struct ibc_config *config, const struct ibc_check *check,
                        const struct ibc_port *port);
/* The same of a device that is not in the fabric. */
struct called;
struct limits limits_of_called(const struct ibc_config *config, const struct ibc_check *check,
                               enum ibc_node_type type, const struct called *called);
/* The same of a check that looks at the fabric as a whole. */
struct limits limits_of_fabric(const struct ibc_config *config, const struct ibc_check *check);

/* What a site set, the last first. */
struct limit_setting;

/*
 * Adds the setting that a key like "warning" or "critical.switch" makes, for nodes
 * of a name like the pattern, or all if it is NULL.
 *
 * Return: 0; -ENOENT if that is no such key, and nothing in err; -EINVAL.  The arena of the
 * configuration has an escape.
 */
int limits_set(struct ibc_config *config, const struct ibc_check *check, const char *pattern,
               const char *key, const char *value, struct ibc_error *err);
/* "10", or "off" for NEVER. */
#define LIMIT_TEXT_MAX 16
const char *number_or_off(double limit, char text[LIMIT_TEXT_MAX]);
/* Names the keys a check has, to end a list: ", warning, ..."; "" if it has none. */
const char *limit_keys(const struct ibc_check *check);
