/* SPDX-License-Identifier: BSD-2-Clause */
/* What a cell's colour means: one scale for one question, of five shades. */
#include <math.h>
#include <stdio.h>

#include "base/array.h"
#include "draw/matrix.h"

/* The value of a port; NaN: it is not known. */
typedef double colour_getter(const struct ibc_matrix_opts *opts, const struct ibc_port *port);

static struct ibc_delta delta_of(const struct ibc_matrix_opts *opts, const struct ibc_port *port)
{
	struct ibc_delta delta = { .seconds = 0 };

	if (opts->before)
		ibc_windows_delta(opts->windows, opts->before, port, &delta);
	return delta;
}

static double errors_of(const struct ibc_matrix_opts *opts, const struct ibc_port *port)
{
	struct ibc_delta delta = delta_of(opts, port);
	const uint64_t *value = delta.value;
	uint32_t known = delta.known;
	double sum = 0;

	if (!opts->before && port->counters) {
		value = port->counters->value;
		known = port->counters->known;
	}
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (known & IBC_ERROR_COUNTERS & 1u << i)
			sum += (double)value[i];
	return known ? sum : NAN;
}

static double wait_of(const struct ibc_matrix_opts *opts, const struct ibc_port *port)
{
	struct ibc_delta delta = delta_of(opts, port);
	double percent = ibc_delta_wait_percent(port, &delta);

	return percent < 0 ? NAN : percent;
}

static double utilization_of(const struct ibc_matrix_opts *opts, const struct ibc_port *port)
{
	struct ibc_delta delta = delta_of(opts, port);
	double percent = ibc_delta_util_percent(port, &delta);

	return percent < 0 ? NAN : percent;
}

/*
 * struct scale
 * @limits: from which value on it is the next shade; by eye, as all of these
 * @get: of one port; NULL: cables are counted
 * @before, @after, @decimals: how a value is written
 */
static const struct scale {
	struct ibc_word word;
	double limits[SHADES - 2];
	const char *const limit_texts[SHADES];
	colour_getter *get;
	const char *before, *after;
	int decimals;
} scales[] = {
	[IBC_COLOUR_FAULTS] = { { "faults", "cables" },
	                        { 2, 3, 5, 9 },
	                        { "none", "1", "2", "3 - 4", "5 - 8", "9 and more" },
	                        .get = NULL },
	[IBC_COLOUR_ERRORS] = { { "errors", "errors" },
	                        { 1, 10, 100, 1000 },
	                        { "not known", "0", "1 - 9", "10 - 99", "100 - 999",
	                          "1000 and more" },
	                        errors_of,
	                        .before = "",
	                        .after = " errors" },
	[IBC_COLOUR_WAIT] = { { "wait", "time spent waiting for credits" },
	                      { 1, 5, 20, 50 },
	                      { "not known", "< 1 %", "1 - 5 %", "5 - 20 %", "20 - 50 %",
	                        "> 50 %" },
	                      wait_of,
	                      .before = "waited ",
	                      .after = " % of the time",
	                      .decimals = 1 },
	[IBC_COLOUR_UTILIZATION] = { { "utilization", "utilization" },
	                             { 10, 30, 60, 90 },
	                             { "not known", "< 10 %", "10 - 30 %", "30 - 60 %", "60 - 90 %",
	                               "> 90 %" },
	                             utilization_of,
	                             .before = "",
	                             .after = " % of the data rate",
	                             .decimals = 1 },
};

const struct ibc_word *ibc_colour_word(enum ibc_colour colour)
{
	return colour < ARRAY_SIZE(scales) ? &scales[colour].word : NULL;
}

void colour_add(const struct ibc_matrix_opts *opts, const struct ibc_port *port,
                struct matrix_value *value)
{
	const struct scale *scale = &scales[opts->colour];
	double found = scale->get ? scale->get(opts, port) : 0;

	if (isnan(found))
		value->unknown++;
	else if (!value->known++ || found > value->worst)
		value->worst = found;
}

/* Not known is not 0: a cell has the lowest shade only if the values of all its ends are known. */
uint8_t colour_shade(enum ibc_colour colour, const struct matrix_value *value, uint32_t cables)
{
	const struct scale *scale = &scales[colour];
	double found = scale->get ? value->worst : cables;
	uint8_t shade = 1;

	if (scale->get ? !value->known : !cables)
		return 0;
	while (shade < SHADES - 1 && found >= scale->limits[shade - 1])
		shade++;
	return shade == 1 && value->unknown ? 0 : shade;
}

const char *colour_limit_text(enum ibc_colour colour, unsigned int shade)
{
	return scales[colour].limit_texts[shade];
}

void colour_value_text(enum ibc_colour colour, const struct matrix_value *value, char *buf,
                       size_t size)
{
	int n = 0;

	buf[0] = '\0';
	if (!scales[colour].get)
		return;
	if (value->known)
		n = snprintf(buf, size, "%s%.*f%s", scales[colour].before, scales[colour].decimals,
		             value->worst, scales[colour].after);
	if (value->unknown && n >= 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, "%s%u of %u ends not known",
		         value->known ? ", " : "", value->unknown, value->unknown + value->known);
}
