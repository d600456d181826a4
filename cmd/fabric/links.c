/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of links that counted something bad, worst first, both ends on one line. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/counters.h>

#include "columns.h"
#include "counters.h"

/* What the field's own tools call errors; the first counters of the enumeration. */
#define ERROR_COUNTERS (IBC_QP1_DROPPED + 1)

/* One error in a second is not 3,600 an hour: shorter windows have a count, and no such rate. */
#define RATE_SECONDS 600

/*
 * struct link - a cable
 * @ber: symbol errors by the bits that were carried, of the worse end, if @ber_known; none in a
 *	time gives only an upper bound of the rate
 */
struct link {
	struct link_end near, far;
	uint64_t errors;
	double seconds, per_hour, wait, util, ber;
	bool ber_known, ber_is_bound;
};

/* ---- one end -------------------------------------------------------------------- */

static struct link_end counted_end(const struct ibc_port *port, const struct ibc_delta *delta)
{
	struct link_end end = { .port = port, .delta = *delta, .wait = -1, .util = -1 };

	if (delta->seconds > 0) {
		end.wait = ibc_delta_wait_percent(port, delta);
		end.util = ibc_delta_util_percent(port, delta);
	}
	for (unsigned int i = 0; i < ERROR_COUNTERS; i++)
		if (delta->known & IBC_ERROR_COUNTERS & 1u << i)
			end.errors += delta->value[i];
	return end;
}

struct link_end link_end_of(const struct ibc_windows *windows, const struct ibc_fabric *before,
                            const struct ibc_port *port)
{
	struct ibc_delta delta = { .known = 0 };

	if (port && before)
		ibc_windows_delta(windows, before, port, &delta);
	/* the totals of a port, as if counted since a time that is not known */
	if (port && !before && port->counters) {
		memcpy(delta.value, port->counters->value, sizeof(delta.value));
		delta.known = port->counters->known;
		delta.at_least = port->counters->saturated;
	}
	return counted_end(port, &delta);
}

struct link_end link_end_among(const struct ibc_fabric *before, const struct ibc_port *port,
                               uint32_t wanted)
{
	struct ibc_delta delta;

	ibc_delta_among(before, port, wanted, &delta);
	return counted_end(port, &delta);
}

/* The largest first. */
void link_end_text(const struct link_end *end, struct ibc_cell *cell)
{
	const struct ibc_delta *d = &end->delta;
	uint32_t left = d->known;
	const char *separator = "";

	for (;;) {
		unsigned int most = ERROR_COUNTERS;

		for (unsigned int i = 0; i < ERROR_COUNTERS; i++)
			if (left & 1u << i && d->value[i] &&
			    (most == ERROR_COUNTERS || d->value[i] > d->value[most]))
				most = i;
		if (most == ERROR_COUNTERS)
			return;
		ibc_cell_text(cell, "%s%s %s%" PRIu64, separator, ibc_counter_word(most)->name,
		              d->at_least & 1u << most ? ">=" : "", d->value[most]);
		left &= ~(1u << most);
		separator = ", ";
	}
}

/* "spine02/3: PortRcvErrors 12", or nothing */
static void say_end(const struct link_end *end, struct ibc_cell *cell)
{
	size_t before = cell->length, named;

	if (!end->port)
		return;
	ibc_cell_text(cell, "%s%s/%u: ", before ? "; " : "", end->port->node->label,
	              end->port->num);
	named = cell->length;
	link_end_text(end, cell);
	if (cell->length > named)
		return;
	cell->length = before;
	cell->text[before] = '\0';
}

/* ---- a link ------------------------------------------------------------------------ */

static double greater(double a, double b)
{
	return a > b ? a : b;
}

static struct link link_of(const struct app *app, const struct ibc_fabric *before,
                           const struct ibc_port *port)
{
	struct link l = { .near = link_end_of(app->windows, before, port),
		          .far = link_end_of(app->windows, before, port->peer) };

	l.seconds = greater(l.near.delta.seconds, l.far.delta.seconds);
	l.errors = l.near.errors + l.far.errors;
	l.per_hour = l.seconds >= RATE_SECONDS ? (double)l.errors * 3600 / l.seconds : -1;
	l.wait = greater(l.near.wait, l.far.wait);
	l.util = greater(l.near.util, l.far.util);
	return l;
}

static int worse_first(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->errors != y->errors)
		return x->errors < y->errors ? 1 : -1;
	return (x->wait < y->wait) - (x->wait > y->wait);
}

/* ---- the columns ------------------------------------------------------------------------ */

static void find_ber(struct link *l)
{
	const uint32_t symbols = 1u << IBC_SYMBOL_ERROR;
	const struct ibc_delta *near = &l->near.delta, *far = &l->far.delta;
	bool is_far = !(near->known & symbols) ||
	              (far->known & symbols &&
	               far->value[IBC_SYMBOL_ERROR] > near->value[IBC_SYMBOL_ERROR]);
	const struct link_end *end = is_far ? &l->far : &l->near;
	uint64_t errors = end->delta.value[IBC_SYMBOL_ERROR];

	if (!(end->delta.known & symbols))
		return;
	l->ber = ibc_bit_error_rate(end->port, errors, end->delta.seconds);
	l->ber_known = l->ber >= 0;
	l->ber_is_bound = !errors;
}

static struct ibc_value link_counted(struct ibc_cell *cell)
{
	const struct link *l = cell->row;

	say_end(&l->near, cell);
	say_end(&l->far, cell);
	return ibc_cell_text(cell, "%s", "");
}

GETTER(link_ber_text, struct link, l,
       l->ber_known ? ibc_cell_text(cell, "%s%.1e", l->ber_is_bound ? "<" : "", l->ber)
                    : ibc_none());

/* Text shows those with a heading; what is longest is last, where a narrow terminal wraps. */
static const struct ibc_column link_columns[] = {
	COLUMN("subnet", NULL, cell_subnet),
	PORT_COLUMNS,
	PEER_COLUMNS,
	FIELD_OR_NONE("seconds", NULL, struct link, seconds),
	FIELD("errors", "ERRORS", struct link, errors),
	COLUMN_AT("errors_per_hour", "PER HOUR", field_tenths, struct link, per_hour),
	COLUMN_AT("wait_percent", "WAIT %", field_tenths, struct link, wait,
	          .legend = "data rate lost to waiting, at the worse end"),
	COLUMN_AT("util_percent", "UTIL %", field_tenths, struct link, util,
	          .legend = "data rate used, at the worse end"),
	FIELD_IF(ber_known, "bit_error_rate", NULL, struct link, ber),
	FIELD_IF(ber_known, "bit_error_rate_is_bound", NULL, struct link, ber_is_bound),
	COLUMN("ber", "BER", link_ber_text,
	       .legend = "bit errors by bits transferred; < where there were none"),
	COLUMN("cable", "CABLE", cell_cable),
	COLUMN("counted", "COUNTED", link_counted),
	{ 0 },
};
const struct ibc_table_type links_type = TABLE("links", link_columns, "counters of both ends");

/* ---- all of them -------------------------------------------------------------------- */

/*
 * Those that counted something bad; a port whose peer did not answer speaks for itself.  Of one
 * that is down all that it counted came before.
 */
int links_table(struct app *app, const struct ibc_fabric *now, const struct ibc_fabric *before,
                size_t top, struct ibc_error *err)
{
	struct ibc_table *table = app_table(app, &links_type);
	const struct ibc_port *port;
	struct link *all = NULL;
	size_t n = 0, room = 0;

	for (size_t i = 0; (port = ibc_fabric_port(now, i)); i++) {
		bool up = ibc_port_is_up(port) || (port->peer && ibc_port_is_up(port->peer));
		struct link l;

		if ((port->peer && !ibc_port_is_near_end(port)) || (up && app->shown.down))
			continue;
		l = link_of(app, up ? before : NULL, port);
		if (!l.errors && l.wait < WAIT_PERCENT)
			continue;
		if (rows_grow(&all, n, &room, sizeof(*all), err)) {
			free(all);
			return -ENOMEM;
		}
		all[n++] = l;
	}
	if (n)
		qsort(all, n, sizeof(*all), worse_first);
	for (size_t i = 0; i < n && (!top || i < top); i++) {
		find_ber(&all[i]);
		ibc_table_row(table, &all[i]);
	}
	free(all);
	return 0;
}
