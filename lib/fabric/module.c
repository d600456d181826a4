/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules that two ports share. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ibcheck/fabric.h>

#include "fabric/fabric.h"

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Without a serial number nothing distinguishes one module from another. */
static bool is_same_module(const struct ibc_module *a, const struct ibc_module *b)
{
	return a && b && a->serial && is_same_text(a->serial, b->serial) &&
	       is_same_text(a->part, b->part) && is_same_text(a->vendor, b->vendor);
}

const struct ibc_port *ibc_module_port(const struct ibc_port *port)
{
	const struct ibc_node *node = port->node;

	for (unsigned int i = node_first_port(node); i < port->num; i++)
		if (port->peer != &node->ports[i] &&
		    is_same_module(node->ports[i].extra->module, port->extra->module))
			return &node->ports[i];
	return port;
}

double ibc_module_reading(const struct ibc_module *m, enum ibc_ddm ddm, unsigned int lane)
{
	double now = m->ddm[ddm].now[lane];

	if (m->kind != IBC_MODULE_ACTIVE_CABLE && m->kind != IBC_MODULE_OPTICAL)
		return NAN;
	if (!(m->monitored >> ddm & 1))
		return NAN;
	return now == 0 && (ddm == IBC_DDM_TEMPERATURE || ddm == IBC_DDM_VOLTAGE) ? NAN : now;
}

enum ibc_sensor_alarm ibc_module_alarm(const struct ibc_module *m, enum ibc_ddm ddm,
                                       unsigned int lane)
{
	const struct ibc_ddm_reading *r = &m->ddm[ddm];
	double now = ibc_module_reading(m, ddm, lane);

	if (isnan(now) || !(r->high > r->low))
		return IBC_SENSOR_ALARM_UNKNOWN;
	if (now > r->high || (now == r->high && ddm == IBC_DDM_TEMPERATURE))
		return IBC_SENSOR_ALARM_HIGH;
	return now < r->low ? IBC_SENSOR_ALARM_LOW : IBC_SENSOR_ALARM_NONE;
}

char *module_text(const struct ibc_module *m, char *buf, size_t size)
{
	const char *part = m && m->part ? m->part : "", *serial = m && m->serial ? m->serial : "";

	*buf = '\0';
	if (*part || *serial)
		snprintf(buf, size, " (%s%s%s%s)", part, *part && *serial ? ", " : "",
		         *serial ? "SN " : "", serial);
	return buf;
}

const char *port_serial(const struct ibc_port *p)
{
	const struct ibc_module *m = p && p->extra->module ? p->extra->module : NULL;

	return m && m->serial && *m->serial ? m->serial : NULL;
}
