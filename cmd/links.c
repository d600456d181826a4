/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of links that counted something bad, worst first, both ends on one line. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ibcheck/counters.h>

#include "counters.h"

/* Text shows those with a heading; what is longest is last, where a narrow terminal cuts. */
static const struct ibc_column columns[] = {
	{ "plane", NULL },
	{ "node_guid", NULL },
	{ "node_desc", NULL },
	{ "port", NULL },
	{ "peer_guid", NULL },
	{ "peer_desc", NULL },
	{ "peer_port", NULL },
	{ "seconds", NULL },
	{ "errors", "ERRORS" },
	{ "errors_per_hour", "PER HOUR" },
	{ "wait_percent", "WAIT %" },
	{ "util_percent", "UTIL %" },
	{ "bit_error_rate", NULL },
	{ "bit_error_rate_is_bound", NULL },
	{ "ber", "BER" },
	{ "cable", "CABLE" },
	{ "counted", "COUNTED" },
	{ 0 },
};

/* What the field's own tools call errors; the first counters of the enumeration. */
#define ERROR_COUNTERS (IBC_QP1_DROPPED + 1)
/* Shown, but no reason to be first: they count where all is well. */
#define HARMLESS (1u << IBC_RCV_SWITCH_RELAY | 1u << IBC_VL15_DROPPED)

/* struct end - what one end of a link counted: since the earlier sweep, or in its life */
struct end {
	const struct ibc_port *port;
	struct ibc_delta delta;
	uint64_t errors;
	double wait, util; /* percent; negative: not known */
};

struct link {
	struct end near, far;
	uint64_t errors;
	double per_hour, wait, util;
};

/* ---- one end -------------------------------------------------------------------- */

/* The totals of a port, as if they had been counted since nobody knows when. */
static void read_totals(const struct ibc_port *port, struct ibc_delta *out)
{
	const struct ibc_counters *c = port->counters;

	if (!c)
		return;
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		out->value[i] = c->value[i];
	out->known = c->known;
	out->at_least = c->saturated;
}

static struct end end_of(const struct ibc_fabric *before, const struct ibc_port *port)
{
	struct end end = { .port = port, .wait = -1, .util = -1 };

	if (!port)
		return end;
	if (!before) {
		read_totals(port, &end.delta);
	} else if (ibc_delta_of(before, port, &end.delta)) {
		end.wait = ibc_delta_wait_percent(port, &end.delta);
		end.util = ibc_delta_util_percent(port, &end.delta);
	}
	for (unsigned int i = 0; i < ERROR_COUNTERS; i++)
		if (end.delta.known & ~HARMLESS & 1u << i)
			end.errors += end.delta.value[i];
	return end;
}

/* "spine02/3: PortRcvErrors 12, SymbolErrorCounter >=65535", or nothing */
static void say_end(const struct end *end, const char *separator, FILE *out)
{
	bool first = true;

	for (unsigned int i = 0; i < ERROR_COUNTERS; i++) {
		const struct ibc_delta *d = &end->delta;

		if (!(d->known & 1u << i) || !d->value[i])
			continue;
		if (first)
			fprintf(out, "%s%s/%u: ", separator, end->port->node->label,
			        end->port->num);
		fprintf(out, "%s%s %s%" PRIu64, first ? "" : ", ", ibc_counter_word(i)->name,
		        d->at_least & 1u << i ? ">=" : "", d->value[i]);
		first = false;
	}
}

/* ---- a link ------------------------------------------------------------------------ */

static double greater(double a, double b)
{
	return a > b ? a : b;
}

static struct link link_of(const struct ibc_fabric *before, const struct ibc_port *port)
{
	struct link l = { .near = end_of(before, port), .far = end_of(before, port->peer) };
	double seconds = greater(l.near.delta.seconds, l.far.delta.seconds);

	l.errors = l.near.errors + l.far.errors;
	l.per_hour = seconds > 0 ? (double)l.errors * 3600 / seconds : -1;
	l.wait = greater(l.near.wait, l.far.wait);
	l.util = greater(l.near.util, l.far.util);
	return l;
}

/* Waiting for less than this share of the time is no news. */
#define WAIT_PERCENT 1

static bool is_bad(const struct link *l)
{
	return l->errors || l->wait >= WAIT_PERCENT;
}

static int worse_first(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->errors != y->errors)
		return x->errors < y->errors ? 1 : -1;
	return (x->wait < y->wait) - (x->wait > y->wait);
}

/* ---- all of them -------------------------------------------------------------------- */

/* struct links - those that counted something bad */
struct links {
	struct link *all;
	size_t n, room;
};

static int add_link(struct links *links, const struct link *l, struct ibc_error *err)
{
	struct link *all;

	if (links->n == links->room) {
		links->room = links->room ? 2 * links->room : 64;
		all = reallocarray(links->all, links->room, sizeof(*all));
		if (!all)
			return cmd_fail(err, -ENOMEM, "out of memory");
		links->all = all;
	}
	links->all[links->n++] = *l;
	return 0;
}

/* A port whose peer did not answer speaks for itself. */
static int gather(struct links *links, const struct ibc_fabric *now,
                  const struct ibc_fabric *before, struct ibc_error *err)
{
	const struct ibc_port *port;
	struct link l;
	int rc = 0;

	for (size_t i = 0; !rc && (port = ibc_fabric_port(now, i)); i++) {
		if (port->peer && !ibc_port_is_near_end(port))
			continue;
		l = link_of(before, port);
		if (is_bad(&l))
			rc = add_link(links, &l, err);
	}
	return rc;
}

/*
 * Symbol errors by the bits that were carried, of the worse end.  None in a time tells
 * only what the rate is below.
 */
struct ber {
	double rate; /* negative: not known */
	bool is_bound;
	char text[32];
};

static struct ber ber_of(const struct link *l)
{
	const struct end *end = &l->near;
	struct ber ber = { .rate = -1 };
	uint32_t symbols = 1u << IBC_SYMBOL_ERROR;

	if (!(end->delta.known & symbols) ||
	    (l->far.delta.known & symbols &&
	     l->far.delta.value[IBC_SYMBOL_ERROR] > end->delta.value[IBC_SYMBOL_ERROR]))
		end = &l->far;
	if (!(end->delta.known & symbols))
		return ber;
	ber.is_bound = !end->delta.value[IBC_SYMBOL_ERROR];
	ber.rate = ibc_bit_error_rate(end->port, end->delta.value[IBC_SYMBOL_ERROR],
	                              end->delta.seconds);
	if (ber.rate >= 0)
		snprintf(ber.text, sizeof(ber.text), "%s%.1e", ber.is_bound ? "<" : "", ber.rate);
	return ber;
}

/* With one digit behind the point. */
static struct ibc_value rounded(double x)
{
	return x < 0 ? ibc_none() : ibc_real((double)(uint64_t)(10 * x + 0.5) / 10);
}

static int add_row(struct ibc_table *table, const struct link *l, struct ibc_error *err)
{
	const struct ibc_port *p = l->near.port, *peer = p->peer;
	double seconds = greater(l->near.delta.seconds, l->far.delta.seconds);
	struct ber ber = ber_of(l);
	bool rated = ber.rate >= 0;
	char cable[1024], *counted;
	size_t size;
	FILE *out = open_memstream(&counted, &size);

	if (!out)
		return cmd_fail(err, -ENOMEM, "out of memory");
	say_end(&l->near, "", out);
	say_end(&l->far, ftell(out) ? "; " : "", out);
	if (fclose(out))
		return cmd_fail(err, -ENOMEM, "out of memory");
	snprintf(cable, sizeof(cable), peer ? "%s/%u - %s/%u" : "%s/%u", p->node->label, p->num,
	         peer ? peer->node->label : "", peer ? peer->num : 0);
	ibc_table_row(table, (struct ibc_value[]){
				 ibc_u64(p->node->plane->index),
				 ibc_guid(p->node->guid),
				 ibc_str(p->node->desc),
				 ibc_u64(p->num),
				 peer ? ibc_guid(peer->node->guid) : ibc_none(),
				 peer ? ibc_str(peer->node->desc) : ibc_none(),
				 peer ? ibc_u64(peer->num) : ibc_none(),
				 seconds > 0 ? ibc_real(seconds) : ibc_none(),
				 ibc_u64(l->errors),
				 rounded(l->per_hour),
				 rounded(l->wait),
				 rounded(l->util),
				 rated ? ibc_real(ber.rate) : ibc_none(),
				 rated ? ibc_bool(ber.is_bound) : ibc_none(),
				 rated ? ibc_str(ber.text) : ibc_none(),
				 ibc_str(cable),
				 ibc_str(counted),
			     });
	free(counted);
	return 0;
}

int links_table(struct ibc_report *rep, const struct ibc_fabric *now,
                const struct ibc_fabric *before, size_t top, struct ibc_error *err)
{
	struct ibc_table *table = ibc_report_table(rep, "links", columns);
	struct links links = { 0 };
	int rc = gather(&links, now, before, err);

	if (!rc && links.n)
		qsort(links.all, links.n, sizeof(*links.all), worse_first);
	for (size_t i = 0; !rc && i < links.n && (!top || i < top); i++)
		rc = add_row(table, &links.all[i], err);
	free(links.all);
	return rc;
}
