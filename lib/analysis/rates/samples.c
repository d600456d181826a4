/* SPDX-License-Identifier: BSD-2-Clause */
/* Are two sweeps two samples of one fabric?  O(nodes + ports). */
#include <time.h>

#include <ibcheck/counters.h>

#include "base/error.h"

static bool have_common_node(const struct ibc_fabric *a, const struct ibc_fabric *b)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(a, i)); i++)
		if (ibc_fabric_node_by_guid(b, node->guid))
			return true;
	return false;
}

/* When the last of its subnets was swept; 0: not known. */
static time_t time_of(const struct ibc_fabric *fab)
{
	const struct ibc_subnet *subnet;
	uint64_t last = 0;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++)
		last = subnet->time > last ? subnet->time : last;
	return (time_t)last;
}

/* When the first and the last counters were read, in seconds since 1970; negative: none were. */
struct reading {
	double first, last;
};

static struct reading reading_of(const struct ibc_fabric *fab)
{
	struct reading r = { -1, -1 };
	const struct ibc_port *port;
	double read;

	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++) {
		if (!port->counters)
			continue;
		read = (double)port->node->subnet->time + port->counters->at_seconds;
		r.first = r.first < 0 || read < r.first ? read : r.first;
		r.last = read > r.last ? read : r.last;
	}
	return r;
}

bool ibc_samples_overlap(const struct ibc_fabric *before, const struct ibc_fabric *now,
                         time_t clock)
{
	double last = reading_of(before).last, first = reading_of(now).first;

	return first >= 0 && first <= last && (time_t)last <= clock;
}

static int fail_time(time_t before, time_t now, struct ibc_error *err)
{
	char texts[2][32] = { "", "" };
	struct tm tm;

	if (before == now)
		return fail(err, -ETIME, "both sweeps have the same time");
	if (gmtime_r(&before, &tm))
		strftime(texts[0], sizeof(texts[0]), "%Y-%m-%d %H:%M:%S", &tm);
	if (gmtime_r(&now, &tm))
		strftime(texts[1], sizeof(texts[1]), "%Y-%m-%d %H:%M:%S", &tm);
	return fail(
	    err, -ETIME,
	    "the earlier sweep is of %s UTC, and this one of %s: the clock stepped backwards",
	    texts[0], texts[1]);
}

int ibc_samples_fit(const struct ibc_fabric *before, const struct ibc_fabric *now,
                    struct ibc_error *err)
{
	double then = reading_of(before).last, later = reading_of(now).last;
	const struct ibc_subnet *subnet;

	for (size_t i = 0; before == now && (subnet = ibc_fabric_subnet(now, i)); i++)
		if (subnet->read_twice)
			return 0;
	if (!have_common_node(before, now))
		return fail(err, -EXDEV,
		            "the earlier sweep is of another fabric: they have no node in common");
	if (then < 0 || later < 0)
		return fail(err, -ENODATA, "%s sweep contains no counters",
		            then < 0 ? "the earlier" : "this");
	if (!time_of(before) || !time_of(now))
		return fail(err, -ENODATA, "%s sweep does not contain its time",
		            time_of(before) ? "this" : "the earlier");
	return later <= then ? fail_time(time_of(before), time_of(now), err) : 0;
}
