/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The parts of the reader of ibdiagnet2.db_csv: cells of a row (dbcells.c), GeneralInfo
 * (dbinfo.c), ports (dbports.c), counters (dbcounters.c), the physical layer (dbphy.c), and the
 * file as a whole (dbcsv.c).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

#include "source/fields.h"
#include "source/source.h"

struct db_reader;
struct fabric_build;
struct phy_file;
struct text_file;

#define DB_CELLS_MAX   512 /* of a line; a guess, with room for releases to come */
#define DB_COLUMNS_MAX 32  /* of a section that we read: a bit each of a word */
#define DB_BLOCKS      17  /* sections that are read */

/*
 * One column that is read: a number, decimal or with 0x (FIELD_HEX: hexadecimal in any
 * case), or a text, valid as long as the line.
 */
struct db_column {
	const char *name; /* in any case; NULL ends a table */
	size_t offset;    /* in the struct of a row */
	enum field_type type;
	bool needed; /* without it, and without a value in it, a row says nothing */
};

/* Where the columns of a table are in the block at hand. */
struct db_header {
	const struct db_column *columns;
	uint16_t cell[DB_COLUMNS_MAX]; /* 1 + its number; 0: the block does not have it */
	uint32_t here;                 /* set of those it has */
};

/* A cell that has a counter. */
struct db_counter {
	uint16_t cell;
	uint8_t counter;   /* enum ibc_counter */
	uint8_t attribute; /* that it is of, see dbcounters.c */
};

/* What the struct of a row begins with. */
struct db_place {
	uint64_t node;
	uint8_t num;
};
#define DB_ROW_MAX 256 /* bytes of such a struct */

/*
 * struct db_reader
 * @arena: of the fabric, with an escape
 * @informed: vendor and device ids of those with GeneralInfo, each once
 * @seen: the lines in which blocks begin; 0: not yet
 * @name: of the block at hand; "": there is none; @began: its line
 * @block: NULL: it is passed over
 * @num_cells: of every row; 0: the header comes
 * @keys: of CABLE_INFO: the headings that are facts of a module, or ""
 * @known: set of columns that have a value in the row at hand; @node, @port: what it speaks of
 * @merges: into a fabric that is there, the blocks that are physical
 * @enforces: ports say whether they enforce partitions; @has_pkeys: and which they have
 * @early: blocks began before the nodes that they speak of; @again: these are read now, and the
 *	others passed over
 */
struct db_reader {
	struct text_file *text;
	struct fabric_build *build;
	struct arena *arena;
	struct ibc_subnet *subnet;
	struct ibc_error *err;
	struct ibc_attrs provides;
	size_t num_ports;
	uint64_t *informed;
	size_t num_informed, room_informed;
	unsigned long seen[DB_BLOCKS];

	char name[128];
	unsigned long began;
	const struct db_block *block;
	size_t num_cells;
	struct db_header header;
	struct db_counter counters[DB_CELLS_MAX];
	size_t num_counters;
	const char **keys;

	uint32_t known;
	struct ibc_node *node;
	struct ibc_port *port;

	struct phy_file *phy;
	struct text_skipped outside;
	bool merges, early, again, has_second, enforces, has_pkeys;
};

/*
 * struct db_block - what stands between START_name and END_name
 * @known, @known_in: enum ibc_attr that it has if it has these columns
 * @of: what a row speaks of: it is looked up by its struct db_place
 * @header: more to do with the header, or NULL
 * @row: has the struct of a row
 * @is_physical: it can be merged into another fabric
 */
struct db_block {
	const char *name;
	const struct db_column *columns;
	enum ibc_attr known;
	uint32_t known_in;
	enum { DB_ROW, DB_NODE, DB_PORT } of;
	int (*header)(struct db_reader *r, char *const *cells, size_t num_cells);
	int (*row)(struct db_reader *r, const void *row, char *const *cells);
	bool is_physical;
};
/* dbinfo.c, dbports.c, dbcounters.c, dbphy.c */
extern const struct db_block db_block_info, db_block_ports, db_block_ext_ports, db_block_sm,
    db_block_hierarchy, db_block_counters, db_block_differences, db_block_ticks, db_block_smp_info,
    db_block_pkeys, db_block_fec, db_block_temperature, db_block_cables;

/* What is not understood in a line is skipped and counted: -EINVAL. */
#define db_lose(r, ...) text_complain((r)->text, text_here((r)->text), __VA_ARGS__)

/* A cabled port whose counters are not in a file that has those of others. */
void db_counters_unanswered(const struct db_reader *r, struct ibc_port *port);
/* What a row speaks of; -EINVAL if the block NODES has no such thing. */
int db_node(const struct db_reader *r, uint64_t guid, struct ibc_node **out);
int db_port(const struct db_reader *r, uint64_t guid, unsigned int num, struct ibc_port **out);
/* dbinfo.c: of a node that the block does not have. */
void db_info_unanswered(const struct db_reader *r, struct ibc_node *node);
/* What the file has of others and not of this one was not answered. */
void db_unanswered(const struct db_reader *r, struct ibc_node *node, enum ibc_attr attr);
/* ---- dbcells.c: a line, and what its cells are -------------------------------- */

/*
 * Cuts a line at its commas, in place: blanks around a cell and quotation marks go.
 * The number of cells, or 0 if there are more than DB_CELLS_MAX.
 */
size_t db_cells(char *line, char *cells[DB_CELLS_MAX]);
/* "N/A", "-1", "": the device has it not, or was not asked. */
bool db_is_none(const char *cell);
/*
 * When ibdiagnet ran, "2022-08-25 17:45:38 UTC +0000", behind "Running timestamp" of older files
 * and of a log, else in the block RUN_INFO; 0: the line does not have it.
 */
uint64_t db_time(const char *line);
#define DB_RUN "RUN_INFO"
/* Looks for the columns of a table: r->header. */
int db_header(struct db_reader *r, const struct db_column *columns, char *const *cells,
              size_t num_cells);
/* Fills the struct of a row, zeroed; *known: set of the columns that have a value. */
int db_row(const struct db_reader *r, char *const *cells, void *row, uint32_t *known);
