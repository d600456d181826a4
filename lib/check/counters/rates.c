/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/counters/rates.h"

#include <inttypes.h>

#include "analysis/rates/windows.h"
#include "base/trace.h"
#include "check/limits.h"

/*
 * A short time makes a high rate of few events.  A rate is believed when as many
 * were seen as the limit allows in an hour, or this many.
 */
#define SURE 10

bool window_of(const struct ibc_input *in, const struct ibc_port *port, struct ibc_delta *out)
{
	return in->before && ibc_windows_delta(in->windows, in->before, port, out);
}

struct count count_in(const struct ibc_delta *window, enum ibc_counter counter)
{
	uint32_t bit = COUNTER_BIT(counter);

	if (!(window->known & bit))
		return (struct count){ .known = false };
	return (struct count){
		.n = window->value[counter],
		.seconds = window->seconds,
		.known = true,
		.at_least = window->at_least & bit,
	};
}

double count_per_hour(const struct count *count)
{
	return count->seconds > 0 ? (double)count->n * 3600 / count->seconds : 0;
}

struct ibc_value known_count(const struct count *count)
{
	return count->known ? ibc_u64(count->n) : ibc_none();
}

static bool reaches(const struct count *count, double limit)
{
	if (!count->n || (double)count->n < (limit < SURE ? limit : SURE))
		return false;
	/* in a time that is not known: as many as may be in an hour */
	return (count->seconds > 0 ? count_per_hour(count) : (double)count->n) >= limit;
}

enum ibc_severity evaluate_count(const struct ibc_input *in, const struct ibc_check *check,
                                 const struct ibc_port *port, const struct count *count)
{
	struct limits limits;

	if (!count->known || !count->n)
		return IBC_OK;
	limits = limits_of(in->config, check, port);
	if (reaches(count, limits.critical))
		return IBC_CRITICAL;
	return reaches(count, limits.warning) ? IBC_WARNING : IBC_OK;
}

void count_windows(const struct ibc_input *in, const struct ibc_port *port,
                   enum ibc_counter counter, struct count *count)
{
	if (!in->windows)
		return;
	count->windows = windows_known(in->windows, port->node->guid, port->num);
	count->rose = windows_rose(in->windows, port, counter);
}

bool may_have_risen(const struct ibc_input *in, const struct ibc_port *port, uint32_t counters)
{
	if (!in->before || !port || !port->counters)
		return false;
	for (; counters; counters &= counters - 1)
		if (port->counters->value[__builtin_ctz(counters)])
			return true;
	return in->windows; /* it was cleared in between */
}

struct count count_of(const struct ibc_input *in, const struct ibc_check *check,
                      const struct ibc_port *port, enum ibc_counter counter)
{
	struct count count = { .known = false };
	struct ibc_delta window;
	struct limits limits;

	if (!port || !port->counters || !(port->counters->known & COUNTER_BIT(counter)) ||
	    !windows_delta_among(in->windows, in->before, port, COUNTER_BIT(counter), &window))
		return count;
	count = count_in(&window, counter);
	count_windows(in, port, counter, &count);
	count.severity = evaluate_count(in, check, port, &count);
	if (!count.n || !trace_wants(in->trace, IBC_TRACE_COUNTERS))
		return count;
	limits = limits_of(in->config, check, port);
	trace_line(in->trace, IBC_TRACE_COUNTERS,
	           "%s: %s %" PRIu64
	           " at %s/%u in %.4g s, %.3g per hour; warning from %.3g, critical from %.3g: %s",
	           check->id, counter_name(counter), count.n, port->node->label, port->num,
	           count.seconds, count_per_hour(&count), limits.warning, limits.critical,
	           count.severity == IBC_CRITICAL  ? "critical"
	           : count.severity == IBC_WARNING ? "warning"
	                                           : "nothing");
	return count;
}

struct count count_add(struct count a, struct count b)
{
	if (!a.known || !b.known)
		return a.known ? a : b;
	a.n += b.n;
	a.at_least |= b.at_least;
	a.windows |= b.windows;
	a.rose |= b.rose;
	return a;
}

/* ---- words ---------------------------------------------------------------------- */

const char *count_text(struct ibc_sink *out, const struct count *count)
{
	return sink_text(out, "%s%" PRIu64, count->at_least ? "at least " : "", count->n);
}

const char *time_text(struct ibc_sink *out, const struct count *count)
{
	static const struct {
		double from, unit;
		const char *name;
	} units[] = {
		{ 2 * 86400, 86400, "days" }, { 3600, 3600, "h" }, { 120, 60, "min" }, { 0, 1, "s" }
	};
	const char *text;
	size_t i = 0;

	if (!(count->seconds > 0))
		return " between two readings, at times that are not known";
	while (i + 1 < ARRAY_SIZE(units) && !(count->seconds >= units[i].from))
		i++;
	text = sink_text(out, " in %.3g %s", count->seconds / units[i].unit, units[i].name);
	if (windows_in(count->windows) < 2)
		return text;
	return sink_text(out, "%s, rising in %u of %u windows", text, windows_in(count->rose),
	                 windows_in(count->windows));
}

void count_facts(struct ibc_sink *out, const struct count *count)
{
	sink_fact(out, "count", known_count(count));
	if (count->at_least)
		sink_fact(out, "count_is_at_least", ibc_bool(true));
	if (count->seconds <= 0)
		return;
	sink_fact(out, "window_seconds", ibc_real(count->seconds));
	sink_fact(out, "count_per_hour", ibc_real(count_per_hour(count)));
	if (!count->windows)
		return;
	sink_fact(out, "windows", ibc_u64(windows_in(count->windows)));
	sink_fact(out, "windows_with", ibc_u64(windows_in(count->rose)));
}

const char *counter_name(enum ibc_counter counter)
{
	return ibc_counter_word(counter)->name;
}

const char *counter_names(struct ibc_sink *out, uint32_t counters)
{
	const char *text = "";

	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (counters & COUNTER_BIT(i))
			text = sink_text(out, "%s%s%s", text, *text ? ", " : "", counter_name(i));
	return text;
}

void sink_link(struct ibc_sink *out, const struct ibc_port *port, const char *message, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, message);
	text = sink_vtext(out, message, ap);
	va_end(ap);
	(port->peer ? sink_cable : sink_port)(out, port, "%s", text);
}
