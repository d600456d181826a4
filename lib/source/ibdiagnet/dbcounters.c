/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters of ibdiagnet2.db_csv, blocks PM_INFO and PM_DELTA: a column for each counter that an
 * attribute of performance management has (IBA 16.1.3.5, 16.1.4), called as there.  What
 * PortCounters has as well ends in Ext or Extended if it is of PortCountersExtended.
 */
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/str.h"
#include "fabric/attributes.h"
#include "fabric/build.h"
#include "source/ibdiagnet/dbcsv.h"
#include "source/source.h"
#include "wire/pma.h"

/* Of two that have a counter the later one is believed: it has more bits. */
static const struct {
	enum pma_attribute attribute;
	enum ibc_attr attr;
} attributes[] = {
	{ PMA_PORT_COUNTERS, IBC_ATTR_PORT_COUNTERS },
	{ PMA_PORT_COUNTERS_EXT, IBC_ATTR_PORT_COUNTERS_EXT },
	{ PMA_RCV_ERROR_DETAILS, IBC_ATTR_RCV_ERROR_DETAILS },
	{ PMA_XMIT_DISCARD_DETAILS, IBC_ATTR_XMIT_DISCARD_DETAILS },
};
#define EXTENDED 1 /* index of PortCountersExtended in attributes[] */

/* ---- the header ---------------------------------------------------------------- */

/* The attribute that such a column is of, or ARRAY_SIZE(attributes). */
static size_t attribute_of(enum ibc_counter counter, const char *suffix)
{
	size_t i = 0;

	if (strcasecmp(suffix, "Ext") == 0 || strcasecmp(suffix, "Extended") == 0)
		return pma_has_counter(PMA_PORT_COUNTERS_EXT, counter) ? EXTENDED
		                                                       : ARRAY_SIZE(attributes);
	while (i < ARRAY_SIZE(attributes) &&
	       (*suffix || !pma_has_counter(attributes[i].attribute, counter)))
		i++;
	return i;
}

/* False if the column is no counter's. */
static bool find_counter(const char *name, struct db_counter *out)
{
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		const char *of = ibc_counter_word(i)->name;
		size_t n = strlen(of);

		if (strncasecmp(name, of, n) != 0)
			continue;
		out->counter = (uint8_t)i;
		out->attribute = (uint8_t)attribute_of(i, name + n);
		if (out->attribute < ARRAY_SIZE(attributes))
			return true;
	}
	return false;
}

static int find_counters(struct db_reader *r, char *const *cells, size_t num_cells)
{
	struct db_counter found;

	r->num_counters = 0;
	for (size_t a = 0; a < ARRAY_SIZE(attributes); a++)
		for (size_t i = 0; i < num_cells; i++) {
			if (!find_counter(cells[i], &found) || found.attribute != a)
				continue;
			found.cell = (uint16_t)i;
			r->counters[r->num_counters++] = found;
			ibc_attrs_add(&r->provides, attributes[a].attr);
		}
	return 0;
}

/* ---- rows ---------------------------------------------------------------------- */

static const struct db_column place_columns[] = {
	{ "NodeGUID", offsetof(struct db_place, node), FIELD_HEX, true },
	{ "PortNumber", offsetof(struct db_place, num), FIELD_U8, true },
	{ 0 },
};

/*
 * Adds the attributes of the cells that have a value to *seen.  Of differences @saturated are those
 * that went backwards.
 */
static int put_counters(const struct db_reader *r, char *const *cells, bool is_difference,
                        struct ibc_counters *out, struct ibc_attrs *seen)
{
	uint32_t backwards = 0;

	for (size_t i = 0; i < r->num_counters; i++) {
		const struct db_counter *of = &r->counters[i];
		const char *cell = cells[of->cell];
		uint32_t bit = 1u << of->counter;
		uint64_t value;
		int rc;

		if (db_is_none(cell))
			continue;
		rc = str_u64(cell, 0, UINT64_MAX, &value);
		/*
		 * 2^64 - 2 stands for a counter that the device does not have, others above 2^63
		 * are numbers below 0, which no counter can have
		 */
		if (!rc && value == UINT64_MAX - 1)
			continue;
		if (!rc && is_difference &&
		    value > (of->attribute == EXTENDED ? INT64_MAX : INT32_MAX)) {
			backwards |= bit;
			ibc_attrs_add(seen, attributes[of->attribute].attr);
			continue;
		}
		if (!rc && value > INT64_MAX && value < UINT64_MAX)
			continue;
		if (rc ||
		    !pma_counter_put(attributes[of->attribute].attribute, of->counter, value, out))
			return db_lose(r, "invalid value of %s: \"%.40s\"",
			               ibc_counter_word(of->counter)->name, cell);
		backwards &= ~bit;
		ibc_attrs_add(seen, attributes[of->attribute].attr);
	}
	if (is_difference) {
		out->known |= backwards;
		out->saturated = backwards;
	}
	return 0;
}

static bool has_counter_answer(const struct ibc_port *port)
{
	size_t a = 0;

	while (a < ARRAY_SIZE(attributes) && !ibc_port_answer(port, attributes[a].attr))
		a++;
	return a < ARRAY_SIZE(attributes);
}

void db_counters_unanswered(const struct db_reader *r, struct ibc_port *port)
{
	for (size_t a = 0; a < ARRAY_SIZE(attributes) && !has_counter_answer(port); a++)
		if (ibc_attrs_has(r->provides, attributes[a].attr))
			answers_put(port, attributes[a].attr, ANSWER_NONE);
}

static int read_counters(struct db_reader *r, const void *at, char *const *cells)
{
	struct ibc_counters *c;
	struct ibc_port *port = r->port;
	struct ibc_attrs seen = IBC_ATTRS();
	int rc;

	(void)at;
	if (port->num == 0)
		return 0;
	if (has_counter_answer(port))
		return db_lose(r, "a second row of this port");
	c = arena_alloc(r->arena, sizeof(*c));
	rc = put_counters(r, cells, false, c, &seen);
	/* no counter: unanswered; some: the device does not have the others */
	if (ibc_attrs_is_empty(seen)) {
		db_counters_unanswered(r, port);
		return rc;
	}
	port->counters = c;
	for (size_t a = 0; a < ARRAY_SIZE(attributes); a++)
		if (ibc_attrs_has(seen, attributes[a].attr))
			answers_put(port, attributes[a].attr, ANSWER_OK);
		else if (ibc_attrs_has(r->provides, attributes[a].attr) &&
		         attr_port_bits[attributes[a].attr] & attr_port_optional)
			answers_put(port, attributes[a].attr, ANSWER_UNSUPPORTED);
	return rc;
}

const struct db_block db_block_counters = {
	.name = "PM_INFO",
	.columns = place_columns,
	.of = DB_PORT,
	.header = find_counters,
	.row = read_counters,
};

/* ---- PM_DELTA: by how much they rose until they were read again --------------------------- */

static int find_differences(struct db_reader *r, char *const *cells, size_t num_cells)
{
	const struct ibc_attrs provides = r->provides;
	int rc = find_counters(r, cells, num_cells);
	uint32_t found = 0;

	r->provides = provides;
	for (size_t i = 0; i < r->num_counters; i++)
		found |= 1u << r->counters[i].counter;
	/* who has traffic alone does not know by how much errors rose */
	if (!(found & IBC_ERROR_COUNTERS))
		r->num_counters = 0;
	return rc;
}

static int read_differences(struct db_reader *r, const void *at, char *const *cells)
{
	struct ibc_counters *c = arena_alloc(r->arena, sizeof(*c));
	struct ibc_attrs seen = IBC_ATTRS();
	int rc = put_counters(r, cells, true, c, &seen);

	(void)at;
	if (r->port->num == 0 || ibc_attrs_is_empty(seen))
		return rc;
	if (r->port->extra->rose)
		return db_lose(r, "a second row of this port");
	port_extra(r->port)->rose = c;
	r->subnet->read_twice = true;
	return rc;
}

const struct db_block db_block_differences = {
	.name = "PM_DELTA",
	.columns = place_columns,
	.of = DB_PORT,
	.header = find_differences,
	.row = read_differences,
};

/* ---- PM_PORT_SAMPLES_CONTROL: how long a tick of PortXmitWait is --------------------------- */

struct tick_row {
	struct db_place at;
	uint8_t tick;
};

#define TICK 0 /* index of its column below */

static const struct db_column tick_columns[] = {
	[TICK] = { "Tick", offsetof(struct tick_row, tick), FIELD_U8, false },
	{ "NodeGUID", offsetof(struct tick_row, at.node), FIELD_HEX, true },
	{ 0 },
};

static int read_tick(struct db_reader *r, const void *at, char *const *cells)
{
	(void)cells;
	if (!(r->known & 1u << TICK))
		return 0;
	r->node->xmit_wait_tick = ((const struct tick_row *)at)->tick;
	answers_put(r->node, IBC_ATTR_PORT_SAMPLES_CONTROL, ANSWER_OK);
	return 0;
}

const struct db_block db_block_ticks = {
	.name = "PM_PORT_SAMPLES_CONTROL",
	.columns = tick_columns,
	.known = IBC_ATTR_PORT_SAMPLES_CONTROL,
	.known_in = 1u << TICK,
	.of = DB_NODE,
	.row = read_tick,
};
