/* SPDX-License-Identifier: BSD-2-Clause */
/* What a cell's colour tells: one scale for one question, of five shades. */
#include <math.h>
#include <stdio.h>

#include "base/array.h"
#include "draw/matrix.h"

/* What a port tells; NaN: nothing. */
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

static double age_of(const struct ibc_matrix_opts *opts, const struct ibc_port *port)
{
	struct ibc_delta delta = delta_of(opts, port);
	struct ibc_phy_delta phy;

	if (delta.seconds > 0)
		return delta.seconds;
	ibc_phy_delta_of(NULL, port, &phy);
	return phy.seconds > 0 ? phy.seconds : NAN;
}

static double port_gbps(const struct ibc_matrix_opts *opts, const struct ibc_port *port)
{
	double gbps = ibc_port_is_up(port) ? ibc_link_gbps((enum ibc_width)port->width_active,
	                                                   (enum ibc_speed)port->speed_active)
	                                   : 0;

	(void)opts;
	return gbps > 0 ? gbps : NAN;
}

/*
 * struct scale
 * @limits: from which value on it is the next shade; by eye, as all of these
 * @get: of one port; NULL: cables are counted
 * @least: the least value is the worst
 * @before, @after, @decimals: how a value is written
 */
static const struct scale {
	struct ibc_word word;
	double limits[SHADES - 2];
	const char *const limit_texts[SHADES];
	colour_getter *get;
	bool least;
	const char *before, *after;
	int decimals;
	enum ibc_attr needs;
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
	                        .after = " errors",
	                        .needs = IBC_ATTR_PORT_COUNTERS },
	[IBC_COLOUR_WAIT] = { { "wait", "time spent waiting for credits" },
	                      { 1, 5, 20, 50 },
	                      { "not known", "< 1 %", "1 - 5 %", "5 - 20 %", "20 - 50 %",
	                        "> 50 %" },
	                      wait_of,
	                      .before = "waited ",
	                      .after = " % of the time",
	                      .decimals = 1,
	                      .needs = IBC_ATTR_PORT_COUNTERS },
	[IBC_COLOUR_UTILIZATION] = { { "utilization", "utilization" },
	                             { 10, 30, 60, 90 },
	                             { "not known", "< 10 %", "10 - 30 %", "30 - 60 %", "60 - 90 %",
	                               "> 90 %" },
	                             utilization_of,
	                             .before = "",
	                             .after = " % of the data rate",
	                             .decimals = 1,
	                             .needs = IBC_ATTR_PORT_COUNTERS },
	[IBC_COLOUR_AGE] = { { "age", "time over which the counters rose" },
	                     { 60, 3600, 86400, 604800 },
	                     { "not known", "< 1 min", "< 1 h", "< 1 day", "< 1 week",
	                       "1 week and more" },
	                     age_of,
	                     .least = true,
	                     .before = "counters of ",
	                     .after = " s",
	                     .needs = IBC_ATTR_PORT_COUNTERS },
	[IBC_COLOUR_SPEED] = { { "speed", "Gb/s of the slowest cable" },
	                       { 40, 100, 200, 400 },
	                       { "not known", "< 40", "40 - 99", "100 - 199", "200 - 399",
	                         "400 and more" },
	                       port_gbps,
	                       .least = true,
	                       .before = "",
	                       .after = " Gb/s",
	                       .decimals = 1,
	                       .needs = IBC_ATTR_PORT_INFO },
};

const struct ibc_word *ibc_colour_word(enum ibc_colour colour)
{
	return colour < ARRAY_SIZE(scales) ? &scales[colour].word : NULL;
}

struct ibc_attrs ibc_colour_needs(enum ibc_colour colour)
{
	return scales[colour].get ? IBC_ATTRS(scales[colour].needs) : IBC_ATTRS();
}

void colour_add(const struct ibc_matrix_opts *opts, const struct ibc_port *port,
                struct matrix_value *value)
{
	const struct scale *scale = &scales[opts->colour];
	double found = scale->get ? scale->get(opts, port) : 0;

	if (isnan(found))
		value->unknown++;
	else if (!value->known++ || (scale->least ? found < value->worst : found > value->worst))
		value->worst = found;
}

/* What is not told is not taken for nothing: the lowest shade is for what all ends tell. */
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
