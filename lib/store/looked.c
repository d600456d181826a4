/* SPDX-License-Identifier: BSD-2-Clause */
/* Did a run look at a thing?  Silence is no answer: an incident stays where no run looked. */
#include <stdlib.h>
#include <string.h>

#include <ibcheck/counters.h>

#include "analysis/rates/windows.h"
#include "base/str.h"
#include "fabric/outside.h"
#include "report/report.h"
#include "store/store.h"

/* ---- what it names ----------------------------------------------------------------- */

bool names_end_of(const char *thing, const struct ibc_end *end)
{
	char guid[STR_GUID_MAX];

	if (!end->has_guid)
		return false;
	str_from_guid(guid, end->guid);
	while ((thing = strstr(thing, guid))) {
		thing += strlen(guid);
		if (!end->has_port || *thing != '/' || strtoul(thing + 1, NULL, 10) == end->port)
			return true;
	}
	return false;
}

/* ---- what of it was answered -------------------------------------------------------- */

/* Also its counters, with something to compare them with, if that is needed. */
static bool port_answered(const struct ibc_input *in, const struct ibc_fabric *before,
                          const struct ibc_check *check, const struct ibc_port *port)
{
	struct ibc_delta delta;

	for (enum ibc_attr a = 0; (a = ibc_attrs_next(check->needs, a));)
		if (ibc_port_unanswered(port, a))
			return false;
	if (!ibc_attrs_has(check->needs, IBC_ATTR_PORT_COUNTERS))
		return true;
	if (!port->counters || !(check->inputs & IBC_IN_BEFORE))
		return port->counters;
	return before && ibc_delta_of(before, port, &delta) &&
	       (!in->windows || windows_most_known(in->windows, port));
}

static bool end_answered(const struct ibc_input *in, const struct ibc_fabric *before,
                         const struct ibc_check *check, const struct ibc_end *end)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(in->fabric, end->guid);
	const struct ibc_port *port;

	if (!node)
		return false;
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(check->needs, a));)
		if (ibc_node_unanswered(node, a))
			return false;
	if (end->has_port) {
		port = ibc_node_port(node, end->port);
		return port && port_answered(in, before, check, port);
	}
	/* of a node all ports with a cable */
	for (unsigned int i = 1; (port = ibc_node_port(node, i)); i++)
		if (port->peer && !port_answered(in, before, check, port))
			return false;
	return true;
}

/* What is no place in the fabric: all that the check reads must have been answered. */
static bool all_answered(const struct ibc_fabric *fab, const struct ibc_check *check)
{
	const struct ibc_subnet *subnet;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++)
		if (subnet->cut_short || subnet->not_asked)
			return false;
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(check->needs, a));) {
		struct ibc_coverage c = ibc_fabric_coverage(fab, a);

		if (c.refused || c.timed_out)
			return false;
	}
	return true;
}

bool store_looked(const struct ibc_input *in, const struct ibc_fabric *before,
                  const struct ibc_check *check, const char *what, const char *thing)
{
	size_t n;
	const char *second = identity_far(thing, &n);
	struct ibc_end near, far;

	if (in->fleet)
		return (*outsides)->looked(in, check, what, thing);
	if (!in->fabric || !parse_end(thing, n, &near))
		return in->fabric && all_answered(in->fabric, check);
	if (!end_answered(in, before, check, &near))
		return false;
	if (!second)
		return true;
	if (!parse_end(second, strlen(second), &far)) /* planned, and never there */
		return all_answered(in->fabric, check);
	return end_answered(in, before, check, &far);
}
