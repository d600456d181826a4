/* SPDX-License-Identifier: BSD-2-Clause */
/* What the core asks about this host and about a fleet. */
#include "fabric/outside.h"

#include <string.h>
#include <strings.h>

#include <ibcheck/cabling.h>
#include <ibcheck/fleet.h>

#include "base/str.h"
#include "check/host/view.h"
#include "check/phy/phy.h"

#define MODULE_LABEL "module" /* begins what mlx5 calls them in hwmon: "Module0" */

static const char *own_name(const struct ibc_host *host)
{
	return host_name(&(struct ibc_input){ .host = host });
}

static struct ibc_attrs shows(const struct ibc_host *host)
{
	struct ibc_attrs has = { 0 };
	struct port_walk w = { 0 };
	const struct ibc_rdma_port *port;

	while ((port = next_host_port(host, &w))) {
		if (port->module)
			ibc_attrs_add(&has, IBC_ATTR_PHY_MODULE);
		if (w.device->num_sensors)
			ibc_attrs_add(&has, IBC_ATTR_PHY_TEMPERATURE);
	}
	return has;
}

static bool next_own_plug(const struct ibc_input *in, struct ibc_sink *out, struct plug *plug)
{
	const struct ibc_rdma_port *port, *then;
	struct port_walk w = { 0 };
	size_t i = 0;

	while ((port = next_host_port(in->host, &w)) && i < plug->next)
		i++;
	if (!port)
		return false;
	*plug = (struct plug){
		.next = i + 1,
		.module = port->module,
		.own = port,
		.subject = { .kind = IBC_SUBJECT_PORT,
		             .near.desc = port_name(out, w.device, port) },
	};
	then = in->host_before
	           ? device_port(ibc_host_device_by_name(in->host_before, w.device->name),
	                         port->num)
	           : NULL;
	if (!then)
		return true;
	plug->was = then->module;
	plug->seconds = ibc_host_seconds(in->host) - ibc_host_seconds(in->host_before);
	return true;
}

/* That of a module that was read too: cable.temperature judges it. */
static bool is_of_module(const struct ibc_rdma_device *device, const struct ibc_sensor *s)
{
	bool read = false;

	for (size_t i = 0; i < device->num_ports; i++)
		read |= device->ports[i].module != NULL;
	return read && s->name && !strncasecmp(s->name, MODULE_LABEL, strlen(MODULE_LABEL));
}

static const struct ibc_sensor *sensor(const struct ibc_host *host, size_t i,
                                       struct ibc_subject *of)
{
	const struct ibc_rdma_device *device;

	for (size_t d = 0; (device = ibc_host_device(host, d)); d++)
		for (size_t k = 0; k < device->num_sensors; k++)
			if (!is_of_module(device, &device->sensors[k]) && !i--) {
				*of = (struct ibc_subject){ IBC_SUBJECT_HOST,
					                    .near.desc = device->name };
				return &device->sensors[k];
			}
	return NULL;
}

static bool has_policy(const struct ibc_fleet *fleet)
{
	return ibc_fleet_opts_of(fleet)->policy;
}

/* Were all of its ports found in the fabric, or is it known that they are not there? */
static bool is_joined(const struct ibc_cabling *cabling, const char *name)
{
	const struct ibc_fleet_cables *h = cabling ? ibc_cabling_of(cabling, name) : NULL;

	for (size_t i = 0; h && i < h->num; i++)
		if (h->ports[i].joined < IBC_JOINED_NAME && h->ports[i].joined != IBC_JOINED_ABSENT)
			return false;
	return h && h->reported;
}

/*
 * Of a host: a report of it that counts ran the check; whether it reports well is answered by any
 * report without trouble.  "n1 mlx5_0/1" is of n1.
 */
static bool looked(const struct ibc_input *in, const struct ibc_check *check, const char *what,
                   const char *thing)
{
	const struct ibc_fleet *fleet = in->fleet;
	char name[IBC_IDENTITY_MAX];
	const struct ibc_fleet_host *host;
	bool reported = false;

	if (!str_cut(name, sizeof(name), thing, strcspn(thing, " ")) ||
	    (!strcmp(check->id, "fleet.policy") && !has_policy(fleet)))
		return false;
	host = ibc_fleet_find(fleet, name);
	if (!host)
		return false;
	if (check->inputs & IBC_IN_CABLING)
		return is_joined(in->cabling, name);
	for (size_t i = 0; i < host->num_reports && check->inputs & IBC_IN_FLEET; i++)
		reported |= !host->reports[i]->trouble;
	return check->inputs & IBC_IN_FLEET ? reported : ibc_fleet_ran(fleet, host, what);
}

const struct outside outside_hosts = {
	.name = own_name,
	.parts = ibc_host_parts,
	.shows = shows,
	.hides_modules = ibc_host_modules_denied,
	.next_plug = next_own_plug,
	.sensor = sensor,
	.has_policy = has_policy,
	.fabric = ibc_cabling_fabric,
	.looked = looked,
};
