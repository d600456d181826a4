/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/called.h"
#include "base/error.h"
#include "base/str.h"
#include "check/settings.h"
#include "fabric/fabric.h"

/* ---- what a site set ----------------------------------------------------------- */

static const struct limit_key {
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
	if (!check->limits.unit)
		return "";
	return check->limits.whole ? ", warning, critical"
	                           : ", warning, critical, and these with .switch or .ca";
}

const char *number_or_off(double limit, char text[LIMIT_TEXT_MAX])
{
	if (isinf(limit))
		return "off";
	snprintf(text, LIMIT_TEXT_MAX, "%g", limit);
	return text;
}

struct limit_setting {
	struct limit_setting *next;
	const struct ibc_check *check;
	const struct limit_key *key;
	double value;
	const struct typed *for_name; /* NULL: for every node */
};

int limits_set(struct ibc_config *config, const struct ibc_check *check, const char *pattern,
               const char *key, const char *value, struct ibc_error *err)
{
	const struct ibc_limits *own = &check->limits;
	const struct limit_key *found = NULL;
	struct limit_setting *s;
	double number = NEVER;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].name, key))
			found = &keys[i];
	if (!own->unit || !found || (own->whole && (pattern || found->role != IBC_NODE_UNKNOWN)))
		return -ENOENT;
	if (strcmp(value, "off") != 0 && str_real(value, &number))
		return fail(err, -EINVAL, "%s of %s cannot be \"%s\": use a number %s, or off", key,
		            check->id, value, own->unit);
	s = arena_alloc(config->arena, sizeof(*s));
	*s = (struct limit_setting){
		.next = config->limits, .check = check, .key = found, .value = number
	};
	if (pattern && *pattern)
		s->for_name = typed_new(config->arena, pattern);
	config->limits = s;
	return 0;
}

/*
 * struct owner - whose limits they are: a port, or a device by what it is called, or neither: the
 * fabric as a whole, which has no others, or a port of this host, which is a CA's
 */
struct owner {
	enum ibc_node_type type;
	const struct ibc_port *port;
	const struct called *called;
};

static bool is_owner(const struct owner *own, const struct typed *name)
{
	return own->port ? port_is_typed(own->port, name)
	                 : own->called && typed_fits(name, own->called);
}

/*
 * A name is closer to a node than its role, and a role closer than nothing.  The closest setting
 * wins, and of equal ones the last.
 */
static void override_limit(double *limit, bool critical, const struct limit_setting *s,
                           const struct ibc_check *check, const struct owner *own)
{
	int closest = -1;

	for (; s; s = s->next) {
		enum ibc_node_type role = s->key->role;
		int closeness = 2 * (s->for_name != NULL) + (role != IBC_NODE_UNKNOWN);

		if (s->check != check || s->key->critical != critical || closeness <= closest ||
		    (role != IBC_NODE_UNKNOWN && role != own->type) ||
		    (s->for_name && !is_owner(own, s->for_name)))
			continue;
		closest = closeness;
		*limit = s->value;
	}
}

/*
 * Links with forward error correction (FDR and later) hardly ever show an error, older ones show
 * those that the standard's bit error rate of 10^-12 allows; one that is not known the stricter
 * ones.
 */
struct limits limits_of(const struct ibc_config *config, const struct ibc_check *check,
                        const struct ibc_port *port)
{
	const struct limit_setting *set = config ? config->limits : NULL;
	const struct ibc_limits *own = &check->limits;
	struct limits limits = { own->warning, own->critical };
	double gbps = port ? ibc_link_gbps(port->width_active, port->speed_active) : 0;
	const struct owner owner = { port ? port->node->type : IBC_NODE_CA, port, NULL };

	if (!own->unit)
		return (struct limits){ NEVER, NEVER };
	if (gbps > 0 && port->speed_active < IBC_SPEED_FDR && own->ber > 0) {
		limits.warning = gbps * 1e9 * 3600 * own->ber;
		limits.critical = 10 * limits.warning;
	}
	override_limit(&limits.warning, false, set, check, &owner);
	override_limit(&limits.critical, true, set, check, &owner);
	return limits;
}

struct limits limits_of_called(const struct ibc_config *config, const struct ibc_check *check,
                               enum ibc_node_type type, const struct called *called)
{
	const struct limit_setting *set = config ? config->limits : NULL;
	struct limits limits = { check->limits.warning, check->limits.critical };
	const struct owner owner = { type, NULL, called };

	override_limit(&limits.warning, false, set, check, &owner);
	override_limit(&limits.critical, true, set, check, &owner);
	return limits;
}

struct limits limits_of_fabric(const struct ibc_config *config, const struct ibc_check *check)
{
	return limits_of(config, check, NULL);
}
