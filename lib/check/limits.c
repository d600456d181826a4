/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/limits.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

#define OFF INFINITY

/* ---- the defaults ------------------------------------------------------------- */

/*
 * Events an hour.  Links with forward error correction (FDR and later) hardly ever
 * show an error, older ones show those that the standard's bit error rate of 10^-12
 * allows: with @ber their warning is what that makes on the link, and their critical
 * limit ten times as much.
 */
static const struct rule {
	const char *id;
	struct limits fec, old;
	double ber;
	const char *unit; /* NULL: of events an hour */
	bool whole;       /* of the fabric, not of its ports */
} rules[] = {
	{ .id = "counters.symbol", .fec = { 0, 10 }, .ber = 1e-12 },
	{ .id = "counters.recovery", .fec = { 1, 3 }, .old = { 1, 3 } },
	{ .id = "counters.downed", .fec = { 1, OFF }, .old = { 1, OFF } },
	{ .id = "counters.flap", .fec = { OFF, 3 }, .old = { OFF, 3 } },
	{ .id = "counters.rcv-errors", .fec = { 1, 10 }, .old = { 1, 10 } },
	{ .id = "counters.remote-physical", .fec = { 1, OFF }, .old = { 1, OFF } },
	{ .id = "counters.discards", .fec = { 1, 10 }, .old = { 1, 10 } },
	{ .id = "counters.constraint", .fec = { OFF, 1 }, .old = { OFF, 1 } },
	{ .id = "counters.integrity", .fec = { OFF, 1 }, .old = { OFF, 1 } },
	{ .id = "counters.overrun", .fec = { OFF, 1 }, .old = { OFF, 1 } },
	{ .id = "counters.vl15", .fec = { 50, OFF }, .old = { 50, OFF } },
	{ .id = "counters.congestion", .fec = { 5, 20 }, .old = { 5, 20 }, .unit = "of percent" },
	{ .id = "counters.slow-receiver",
	  .fec = { 5, 20 },
	  .old = { 5, 20 },
	  .unit = "of percent" },
	{ .id = "sm.sa-slow", .fec = { 100, 1000 }, .unit = "of milliseconds", .whole = true },
	{ .id = "fattree.oversubscribed",
	  .fec = { OFF, OFF },
	  .unit = "(so many to 1)",
	  .whole = true },
	{ .id = "routes.imbalance",
	  .fec = { 1.5, OFF },
	  .unit = "(the most used to the mean)",
	  .whole = true },
};

static const struct rule *rule_of(const struct ibc_check *check)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (strcmp(rules[i].id, check->id) == 0)
			return &rules[i];
	}
	return NULL;
}

static struct limits default_limits(const struct rule *rule, const struct ibc_port *port)
{
	double gbps = ibc_link_gbps(port->width_active, port->speed_active), per_hour;

	/* of a link that is not known the stricter ones */
	if (gbps <= 0 || port->speed_active >= IBC_SPEED_FDR)
		return rule->fec;
	if (rule->ber <= 0)
		return rule->old;
	per_hour = gbps * 1e9 * 3600 * rule->ber;
	return (struct limits){ per_hour, 10 * per_hour };
}

/* ---- what a site set ----------------------------------------------------------- */

static const struct key {
	const char *name;
	bool critical;
	enum ibc_node_type role; /* UNKNOWN: of all nodes */
} keys[] = {
	{ "warning", false, IBC_NODE_UNKNOWN },       { "critical", true, IBC_NODE_UNKNOWN },
	{ "warning.switch", false, IBC_NODE_SWITCH }, { "critical.switch", true, IBC_NODE_SWITCH },
	{ "warning.ca", false, IBC_NODE_CA },         { "critical.ca", true, IBC_NODE_CA },
};

const char *limit_keys(const struct ibc_check *check)
{
	const struct rule *rule = rule_of(check);

	if (!rule)
		return "";
	return rule->whole ? ", warning, critical"
	                   : ", warning, critical, and these with .switch or .ca";
}

struct limit_setting {
	struct limit_setting *next;
	const struct ibc_check *check;
	const struct key *key;
	double value;
	char pattern[]; /* "" for every node */
};

static const struct key *find_key(const char *name)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	}
	return NULL;
}

int limits_set(struct limit_setting **settings, const struct ibc_check *check, const char *pattern,
               const char *key, const char *value, struct ibc_error *err)
{
	const struct rule *rule = rule_of(check);
	const struct key *found = find_key(key);
	size_t length = pattern ? strlen(pattern) : 0;
	struct limit_setting *s;
	double number = OFF;

	if (!rule || !found || (rule->whole && (pattern || found->role != IBC_NODE_UNKNOWN)))
		return -ENOENT;
	if (strcmp(value, "off") != 0 && str_real(value, &number))
		return fail(err, -EINVAL, "%s of %s cannot be \"%s\": it is a number %s, or off",
		            key, check->id, value, rule->unit ? rule->unit : "of events an hour");
	s = xalloc(sizeof(*s) + length + 1);
	if (!s)
		return fail_nomem(err);
	s->check = check;
	s->key = found;
	s->value = number;
	if (length)
		memcpy(s->pattern, pattern, length);
	s->next = *settings;
	*settings = s;
	return 0;
}

void limits_free(struct limit_setting *settings)
{
	while (settings) {
		struct limit_setting *next = settings->next;

		free(settings);
		settings = next;
	}
}

static bool applies(const struct limit_setting *s, const struct ibc_node *node)
{
	if (!node) /* the fabric as a whole has no other settings */
		return true;
	if (s->key->role != IBC_NODE_UNKNOWN && s->key->role != node->type)
		return false;
	return !*s->pattern || fnmatch(s->pattern, node->name, 0) == 0;
}

/* A name tells more of a node than its role, and a role more than nothing. */
static int closeness(const struct limit_setting *s)
{
	return 2 * (*s->pattern != '\0') + (s->key->role != IBC_NODE_UNKNOWN);
}

/* The closest setting wins, and of equal ones the last. */
static void override(double *limit, bool critical, const struct limit_setting *s,
                     const struct ibc_check *check, const struct ibc_node *node)
{
	int closest = -1;

	for (; s; s = s->next) {
		if (s->check != check || s->key->critical != critical || closeness(s) <= closest ||
		    !applies(s, node))
			continue;
		closest = closeness(s);
		*limit = s->value;
	}
}

struct limits limits_of(const struct ibc_config *config, const struct ibc_check *check,
                        const struct ibc_port *port)
{
	const struct limit_setting *settings = config_limits(config);
	const struct rule *rule = rule_of(check);
	struct limits limits;

	if (!rule)
		return (struct limits){ OFF, OFF };
	limits = default_limits(rule, port);
	override(&limits.warning, false, settings, check, port->node);
	override(&limits.critical, true, settings, check, port->node);
	return limits;
}

struct limits limits_of_fabric(const struct ibc_config *config, const struct ibc_check *check)
{
	const struct limit_setting *settings = config_limits(config);
	const struct rule *rule = rule_of(check);
	struct limits limits = { OFF, OFF };

	if (rule)
		limits = rule->fec;
	override(&limits.warning, false, settings, check, NULL);
	override(&limits.critical, true, settings, check, NULL);
	return limits;
}
