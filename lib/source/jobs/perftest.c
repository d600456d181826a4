/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table names its unit, in every version; "[MB/sec]", since 4.6 "[MiB/sec]", are 2^20 bytes.
 * Before it are lines of the setup.  Columns are those of version 4.1 (2017) and all later:
 *
 *	#bytes #iterations BW-peak BW-average MsgRate ...
 *	#bytes #iterations t_min t_max t_typical t_avg ...
 *	#bytes #iterations t_avg tps				(with -D)
 *
 * JSON came with 4.5 and was none until 24.01 (keys without quotation marks, commas behind the
 * last member), so that it is searched for members, not parsed.  It has no unit.
 */
#include "source/jobs/perftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"

#define MIB_TO_GBIT (8.0 * (1 << 20) / 1e9) /* Gb/s in a MiB/s */

double perftest_unit(const char *unit)
{
	static const struct {
		const char *name;
		double gbps;
	} units[] = {
		{ "Gb/sec", 1 },
		{ "MB/sec", MIB_TO_GBIT },
		{ "MiB/sec", MIB_TO_GBIT },
		{ "Gb/s", 1 },
		{ "Gbit/s", 1 },
		{ "Gbps", 1 },
		{ "MiB/s", MIB_TO_GBIT },
		{ "GB/s", 8 },
		{ "MB/s", 8e-3 },
		{ "GiB/s", 1.024 * 8.388608 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].name, unit))
			return units[i].gbps;
	return 0;
}

/* ---- the table ---------------------------------------------------------------------- */

/* Units are in brackets behind a heading. */
static void take_head(struct perftest *p, const char *line)
{
	static const struct {
		const char *name;
		unsigned int column;
	} headings[] = { { "BW average[", 4 }, { "t_typical[", 5 }, { "t_avg[", 3 } };
	char unit[16];

	p->column = 0;
	p->latency = !strstr(line, headings[0].name);
	for (size_t i = 0; i < ARRAY_SIZE(headings); i++) {
		const char *at = strstr(line, headings[i].name);

		if (at)
			at += strlen(headings[i].name);
		if (!at || !str_cut(unit, sizeof(unit), at, strcspn(at, "]")))
			continue;
		p->factor = i == 0 ? perftest_unit(unit) : !strcmp(unit, "usec");
		if (p->factor > 0)
			p->column = headings[i].column;
		else
			p->fault = "its table has a unit that is not known";
		return;
	}
	p->fault = "its table has neither BW average nor t_typical nor t_avg";
}

/* The n-th word, from 1, as a number. */
static bool number_at(const char *line, unsigned int n, double *out)
{
	char *end;

	while (--n) {
		line += strspn(line, " \t");
		line += strcspn(line, " \t");
	}
	*out = strtod(line, &end);
	return end != line && strchr(" \t", *end) && isfinite(*out);
}

/*
 * Of several sizes of messages the largest counts for bandwidth, the smallest for latency; of
 * several rows of one size the last.  False: this is no row.
 */
static bool take_row(struct perftest *p, const char *line)
{
	double bytes, value;

	if (!number_at(line, 1, &bytes) || !number_at(line, 2, &value))
		return false;
	if (!number_at(line, p->column, &value) || value <= 0 || bytes < 1 || bytes > 1e15) {
		p->fault = "its table has a row without a value";
		return true;
	}
	if (p->of_table && (p->latency ? bytes > (double)p->bytes : bytes < (double)p->bytes))
		return true;
	p->of_table = p->found = true;
	p->bytes = (uint64_t)bytes;
	p->value = value * p->factor;
	return true;
}

/* ---- JSON --------------------------------------------------------------------------- */

/* A member of this key, with quotation marks or without, wherever it stands in the line. */
static bool member_of(const char *line, const char *key, double *out)
{
	size_t n = strlen(key);
	char *end;

	for (const char *at = line; (at = strstr(at, key)); at += n) {
		const char *value = at + n + strspn(at + n, "\" \t");

		if ((at > line && !strchr("{,\" \t", at[-1])) || *value != ':')
			continue;
		value += 1 + strspn(value + 1, " \t\"");
		*out = strtod(value, &end);
		return end != value && isfinite(*out) && *out > 0;
	}
	return false;
}

static void take_json(struct perftest *p, const char *line)
{
	double value;

	if (member_of(line, "t_typical", &value) ||
	    (!p->found && member_of(line, "t_avg", &value))) {
		p->found = p->latency = true;
		p->value = value;
	} else if (member_of(line, "BW_average", &value)) {
		p->found = perftest_unit(p->unit) > 0;
		p->value = value * perftest_unit(p->unit);
		p->fault = p->found ? NULL : "JSON of perftest has no unit: print its text as well";
	}
}

/* ---- a line ---------------------------------------------------------------------------- */

void perftest_line(struct perftest *p, const char *line)
{
	const char *text = line + strspn(line, " \t");

	p->both_ways = p->both_ways || strstr(line, "Bidirectional");
	p->gpu = p->gpu || strcasestr(line, "CUDA") || strcasestr(line, "ROCm");
	if (!strncmp(text, "#bytes", 6)) {
		take_head(p, line);
		return;
	}
	if (p->column && take_row(p, text))
		return;
	if (!p->of_table)
		take_json(p, line);
	if (!*text || *text == '-' || *text == '{' || *text == '}' || strstr(text, "address:"))
		return;
	if (!str_cut(p->said, sizeof(p->said), text, strcspn(text, "\r\n")))
		str_cut(p->said, sizeof(p->said), text, sizeof(p->said) - 1);
}
