/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What files of ibdiagnet contain about the physical layer, merged into a fabric that is there:
 * which file it is (phyformats.c), where its facts go (phyfile.c), and readers of ibdiagnet2.cables
 * (cablesfile.c), ibdiagnet2.net_dump_ext (netdumpext.c) and ibdiagnet2.db_csv (dbphy.c).
 *
 * What was read from the devices stays; a file adds what is missing.  What it passes over
 * is reported once for each reason, with its first line and how often.
 */
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

#include "source/source.h"

enum phy_skip {
	PHY_UNKNOWN_KEY,
	PHY_BAD_VALUE,
	PHY_FOREIGN,  /* a GUID that the fabric does not have */
	PHY_NO_PORT,  /* a port that the node does not have */
	PHY_KNOWN,    /* a port whose module is known already */
	PHY_NO_FACTS, /* a module without any value */
	PHY_UNIT,     /* a number without its unit */
	PHY_NUMBERED, /* PHY_DB */
	PHY_SKIPS,
};

/*
 * struct phy_file - a file that is read
 * @arena: until it is; it and that of the fabric have an escape
 * @by_guid: ports by their own GUID, once one was looked for
 */
struct phy_file {
	struct text_file *text;
	const char *spec;
	int (*read)(struct phy_file *pf, struct ibc_error *err);
	struct ibc_error *err;
	struct fabric_build *build;
	struct arena *arena;
	struct port_guid *by_guid;
	size_t found, modules;
	struct {
		size_t num;
		struct text_place first;
		char what[64];
	} skips[PHY_SKIPS];
};

/* Calls read() with one, and returns what that does, or -ENOMEM. */
int phy_run(struct text_file *f, struct fabric_build *b,
            int (*read)(struct phy_file *pf, struct ibc_error *err), const char *spec,
            struct ibc_error *err);
void phy_skip(struct phy_file *pf, enum phy_skip why, const char *what);
/* The last line, or this in it, is not understood. */
#define phy_lose(pf, ...)                                                                          \
	text_complain((pf)->text, (struct text_place){ text_line_number((pf)->text), 0, NULL },    \
	              __VA_ARGS__)
/* Reports what was passed over. */
void phy_report(struct phy_file *pf);

/*
 * What a GUID speaks of, that of a node or of a port; *out is NULL if the fabric has no such,
 * which is noted.
 */
void phy_port(struct phy_file *pf, uint64_t guid, unsigned int num, struct ibc_port **out);
void phy_node(struct phy_file *pf, uint64_t guid, struct ibc_node **out);

/* The link's facts, writable. */
struct ibc_phy *phy_of_port(struct fabric_build *b, struct ibc_port *port);
/* The port was answered that: by a file, whatever became of it on the wire. */
void phy_answered(struct ibc_port *port, enum ibc_attr attr);
void phy_answered_node(struct ibc_node *node, enum ibc_attr attr);
/* The code that is active, unless it is known already. */
void phy_fec(struct fabric_build *b, struct ibc_port *port, enum ibc_fec fec);

/* ---- modulekeys.c: a module, by keys and values ----------------------------------- */

/*
 * struct module_text - a module that is being read
 * @bare: a number without a unit is of the unit that ibdiagnet2.cables has there
 * @known: values that said something
 * @date, @lot: phy_module_end() makes one of them
 * @next: of the table of keys: they come in order
 */
struct module_text {
	struct ibc_module module;
	struct arena *arena;
	bool bare;
	unsigned int known;
	const char *date;
	uint16_t lot;
	unsigned int next;
};
void module_begin(struct module_text *t, struct arena *a, bool bare);
/*
 * A key, as ibdiagnet2.cables spells it or as a heading of CABLE_INFO; what is not understood is
 * noted.
 */
void phy_module_key(struct phy_file *pf, struct module_text *t, const char *key, const char *value);
bool module_has_key(struct module_text *t, const char *key);
/* What follows from all of it; to the port. */
void phy_module_end(struct phy_file *pf, struct module_text *t, struct ibc_port *port);

/* ---- the formats -------------------------------------------------------------------- */

int read_cables_file(struct phy_file *pf, struct ibc_error *err);
int read_net_dump_ext(struct phy_file *pf, struct ibc_error *err);
/* dbcsv.c: only its blocks of the physical layer */
int merge_dbcsv(struct phy_file *pf, struct ibc_error *err);
bool is_cables_file_line(const char *line);
bool is_net_dump_ext_line(const char *line);
