/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <ibcheck/check.h>

/*
 * The tables of checks in the order of tables.def, one a file and called by its name: an array
 * ibc_checks_NAME[] in NAME.c, ended by an element without id.  After the last one: NULL.
 */
#define TABLE(name) extern const struct ibc_check ibc_checks_##name[];
#include "check/tables.def"
#undef TABLE
extern const struct ibc_check *const check_tables[];

/* clang-format off */
/* A row of such a table: what every check has, then other fields of struct ibc_check by name. */
#define CHECK(check_id, text, level, function, ...) { \
	.id = (check_id), .title = (text), .severity = (level), .run = (function), __VA_ARGS__ \
}

/* It judges this host's modules and sensors by the same rules. */
#define ON_HOST .host_parts = IBC_HOST_STACK

/* Several findings of a check about one thing differ by kind: rows of struct ibc_check_kind. */
#define KINDS(...) \
	.kinds = "{kind}", .words = (const struct ibc_check_kind[]){ __VA_ARGS__, { .word = NULL } }

/*
 * What explains the findings of a check, from the ground up.  All lists keep to one order,
 * so that what lies deepest is the cause, whichever check asks; a unit test holds it.
 */
#define EXPLAINED_BY(...) \
	.explained_by = (const struct ibc_explainer[]){ __VA_ARGS__, { .check = NULL } }
#define BY(check_id, how) { (check_id), IBC_##how }
/* What the memory expects and is gone. */
#define BY_GONE(how) \
	BY("gone.cut", how), BY("gone.switch", how), BY("gone.host", how), BY("gone.hca", how), \
	BY("gone.cable", how)
/* Also what the subnet manager took out of use. */
#define BY_ABSENCE(how) \
	BY("port.silent", how), BY("port.isolated", how), BY_GONE(how), BY("topo.missing-node", how)
#define BY_PLAN(how) \
	BY("topo.missing-cable", how), BY("topo.miswired", how), BY("topo.swapped", how), \
	BY("topo.wrong-port", how), BY("topo.unexpected-cable", how)
#define BY_WIRING(how) \
	BY_PLAN(how), BY("fattree.same-rank-link", how), BY("fattree.missing-uplink", how), \
	BY("fattree.uneven-uplinks", how), BY("fattree.swapped", how)
/* What a module says of itself: what its light does, and what may be behind that. */
#define BY_STATE \
	BY("cable.temperature", AT), BY("cable.voltage", AT), BY("cable.module-state", AT)
#define BY_LIGHT \
	BY("cable.alarm", AT), BY("cable.no-light", AT), BY("cable.rx-power", AT)
#define BY_MODULE BY_STATE, BY("cable.eeprom", AT), BY_LIGHT
/* Bits that are wrong, and whoever gave the link up for them. */
#define BY_SIGNAL \
	BY("phy.lane", AT), BY("phy.ber-after-fec", AT), BY("phy.ber-since-clear", AT), \
	BY("phy.fec-uncorrectable", AT)
#define BY_BITS \
	BY_MODULE, BY("phy.fec-mismatch", AT), BY_SIGNAL, BY("phy.fec-margin", AT), \
	BY("phy.raw-ber", AT)
#define BY_PHYSICAL \
	BY_BITS, BY("phy.plr-loss", AT), BY("phy.link-down-reason", AT), BY("phy.flap", AT), \
	BY("phy.health", AT)
/* Errors of a cable: what it loses, and how it trains, follows. */
#define BY_DAMAGE \
	BY_PHYSICAL, \
	BY("counters.symbol", AT), BY("counters.rcv-errors", AT), BY("counters.integrity", AT), \
	BY("counters.recovery", AT), BY("counters.flap", AT), BY("counters.downed", AT)
#define BY_MANAGER \
	BY("sm.stalled", IN_SUBNET), BY("sm.none", IN_SUBNET), BY("sm.multiple", IN_SUBNET)
/* clang-format on */

/* Arguments of sink_fabric(): how many lines of struct ibc_opinions were not understood. */
#define STRANGE_LINES(o)                                                                           \
	"%zu line%s not understood, the first is line %lu of %s: \"%.80s\"", (o)->num_strange,     \
	    (o)->num_strange == 1 ? " is" : "s are", (o)->strange[0].line, (o)->strange[0].file,   \
	    (o)->strange[0].text

/* The texts of explain/, made a table by the build; ended by an element without id. */
extern const struct explanation {
	const char *id, *text;
} explanations[];

/* registry.c: its place among ibc_check_at(). */
size_t check_number(const struct ibc_check *check);

/* ---- kinds.c ---- */

#define KINDS_MAX 15 /* of a check: they are bits of 16, one of which is NAMED_WHOLE */
/* A bit for each kind; without kinds the first. */
unsigned int all_kinds(const struct ibc_check *check);
/* The bit of a kind; 0: there is none. */
unsigned int kind_bit(const struct ibc_check *check, const char *kind, size_t length);
/* "cable.alarm:bias"; of a check without kinds its id */
#define KIND_NAME_MAX 128 /* twice as long as any */
const char *kind_name(const struct ibc_check *check, size_t kind, char name[KIND_NAME_MAX]);

/* ---- selection.c ---- */

/* Those that a selection has; @named: those that it names by the id, or NAMED_WHOLE. */
unsigned int selected_kinds(const struct ibc_check *check, const char *selection,
                            unsigned int *named);
#define NAMED_WHOLE (1u << KINDS_MAX) /* the check, by its id alone */
/* fail() with -EINVAL: nothing is called so; names what comes near. */
int no_such_check(const char *word, size_t length, struct ibc_error *err);
