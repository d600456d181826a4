/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/phy/phy.h"

#include <math.h>
#include <stdlib.h>

#include "check/collect.h"
#include "check/counters/links.h"
#include "check/limits.h"
#include "fabric/fabric.h"
#include "fabric/outside.h"

/* ---- words ----------------------------------------------------------------------- */

const char *plug_text(struct ibc_sink *out, const struct ibc_port *port)
{
	char name[MODULE_TEXT];

	return sink_text(out, "%s%s", port_text(out, port),
	                 module_text(port->extra->module, name, sizeof(name)));
}

void module_facts(struct ibc_sink *out, const struct ibc_module *m)
{
	if (!m)
		return;
	if (m->vendor)
		sink_fact(out, "vendor", ibc_str(m->vendor));
	if (m->part)
		sink_fact(out, "part", ibc_str(m->part));
	if (m->serial)
		sink_fact(out, "serial", ibc_str(m->serial));
}

struct count phy_count(const struct ibc_phy_delta *d, enum ibc_phy_value value)
{
	if (!(d->known >> value & 1))
		return (struct count){ .known = false };
	return (struct count){
		.n = d->value[value],
		.seconds = d->seconds,
		.known = true,
		.at_least = d->compared && d->cleared,
	};
}

double phy_reading(const struct ibc_port *port, enum ibc_phy_value value)
{
	return port && ibc_phy_knows(port->extra->phy, value)
	           ? (double)port->extra->phy->value[value]
	           : NAN;
}

const char *span_text(struct ibc_sink *out, const struct ibc_phy_delta *d)
{
	const struct count c = { .seconds = d->seconds };

	if (d->compared && !d->cleared)
		return time_text(out, &c);
	return sink_text(out, "%s since the last clear", d->seconds > 0 ? time_text(out, &c) : "");
}

void advise_ends(struct ibc_sink *out, const char *plug)
{
	sink_advise(out,
	            "Reseat and clean the plug at %s, then the one at the other end; if it goes "
	            "on, replace the cable.",
	            plug);
}

void advise_plug(struct ibc_sink *out, const struct ibc_port *receiver,
                 const struct ibc_port *suspect)
{
	const struct ibc_port *other = suspect == receiver ? receiver->peer : receiver;

	if (!suspect || !other)
		advise_ends(out, plug_text(out, receiver));
	else
		sink_advise(out,
		            "Reseat and clean the plug at %s first, then the one at %s; if it goes "
		            "on, replace the cable.",
		            plug_text(out, suspect), plug_text(out, other));
}

enum ibc_severity reached(struct ibc_sink *out, const struct ibc_input *in,
                          const struct ibc_port *port, double value)
{
	const struct limits limits = limits_of(in->config, out->check, port);

	if (value >= limits.critical)
		return IBC_CRITICAL;
	return value >= limits.warning ? IBC_WARNING : IBC_OK;
}

/* ---- links ------------------------------------------------------------------------- */

void evaluate_links(const struct ibc_input *in, struct ibc_sink *out, const struct link_rule *rule)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		struct said a = { .severity = IBC_OK }, z = { .severity = IBC_OK };
		const struct ibc_port *receiver;
		const struct said *worst;

		if (!is_first_end(p))
			continue;
		if (p->extra->phy)
			a = rule->judge(in, out, p);
		if (p->peer && p->peer->extra->phy)
			z = rule->judge(in, out, p->peer);
		if (!a.severity && !z.severity)
			continue;
		receiver = z.severity > a.severity ? p->peer : p;
		worst = z.severity > a.severity ? &z : &a;
		sink_as(out, worst->severity);
		sink_link(out, p, "%s%s%s", a.severity ? a.text : "",
		          a.severity && z.severity ? "; " : "", z.severity ? z.text : "");
		if (rule->advice || worst->advice)
			sink_advise(out, "%s", worst->advice ? worst->advice : rule->advice);
		else
			advise_plug(out, receiver,
			            worst->suspect ? worst->suspect : receiver->peer);
		sink_fact(out, rule->fact, a.value);
		if (p->peer)
			sink_fact(out, sink_text(out, "peer_%s", rule->fact), z.value);
		if (!a.count.known && !z.count.known)
			continue;
		count_facts(out, &a.count);
		if (p->peer)
			sink_fact(out, "peer_count", known_count(&z.count));
	}
}

/* Of a link with so many lanes; 0: not known. */
static unsigned int lanes_of(unsigned int width)
{
	return width && width < IBC_PHY_LANES ? width : IBC_PHY_LANES;
}

unsigned int phy_lanes(const struct ibc_port *port)
{
	return lanes_of(ibc_width_lanes(
	    ibc_port_is_up(port) ? port->width_active : ibc_width_widest(port->width_supported)));
}

/* ---- classes ------------------------------------------------------------------------ */

static uint64_t link_class(const struct ibc_port *port, bool fec)
{
	uint64_t kind = port->extra->module ? port->extra->module->kind : IBC_MODULE_UNKNOWN;

	return (uint64_t)port->speed_active | (uint64_t)port->width_active << 16 |
	       (fec && port->extra->phy ? (uint64_t)port->extra->phy->fec_active << 24 : 0) |
	       kind << 32;
}

static int by_class(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return order_u64(x->class, y->class) ?: (x->value > y->value) - (x->value < y->value)
	           ?: compare_ports(x->port, y->port);
}

struct member *collect_classes(const struct ibc_input *in, struct ibc_sink *out, bool fec,
                               double (*value)(const struct ibc_input *in,
                                               const struct ibc_port *port),
                               size_t *n)
{
	size_t ports = in->fabric ? ibc_fabric_count(in->fabric).ports : 0;
	struct member *all = sink_array(out, ports, sizeof(*all));
	const struct ibc_port *p;
	size_t found = 0;

	*n = 0;
	for (size_t i = 0; ports && (p = ibc_fabric_port(in->fabric, i)); i++) {
		double v = ibc_port_is_up(p) ? value(in, p) : NAN;

		if (!isnan(v))
			all[found++] = (struct member){ .class = link_class(p, fec),
				                        .port = p,
				                        .value = v };
	}
	if (found)
		qsort(all, found, sizeof(*all), by_class);
	for (size_t i = 0, end; i < found; i = end) {
		struct member middle = { .alike = 0 };

		for (end = i + 1; end < found && all[end].class == all[i].class;)
			end++;
		middle.num = end - i;
		middle.median = all[i + middle.num / 2].value;
		for (size_t k = i; k < end; k++)
			if (all[k].value == middle.median) {
				middle.alike++;
				middle.usual = all[k].port;
			}
		for (size_t k = i; middle.num >= CLASS_MIN && k < end; k++) {
			middle.class = all[k].class;
			middle.port = all[k].port;
			middle.value = all[k].value;
			all[(*n)++] = middle;
		}
	}
	return all;
}

/* ---- modules -------------------------------------------------------------------------- */

bool has_limits(const struct ibc_ddm_reading *reading)
{
	return reading->high > reading->low;
}

bool has_reading(const struct ibc_module *m, enum ibc_ddm ddm, unsigned int lane)
{
	return !isnan(ibc_module_reading(m, ddm, lane));
}

/* ---- of a fabric, or of this host ------------------------------------------------------ */

struct plug plug_at(const struct ibc_port *port)
{
	return (struct plug){
		.module = port->extra->module,
		.port = port,
		.subject = { .kind = IBC_SUBJECT_PORT, .near = end_of_port(port) },
	};
}

bool next_place(const struct ibc_input *in, struct ibc_sink *out, struct plug *plug)
{
	size_t next = plug->next;
	const struct ibc_port *p;

	while (in->fabric && (p = ibc_fabric_port(in->fabric, next++))) {
		if (p->extra->module && ibc_module_port(p) != p)
			continue;
		*plug = plug_at(p);
		plug->next = next;
		return true;
	}
	return !in->fabric && in->host && (*outsides)->next_plug(in, out, plug);
}

bool next_plug(const struct ibc_input *in, struct ibc_sink *out, struct plug *plug)
{
	while (next_place(in, out, plug))
		if (plug->module)
			return true;
	return false;
}

const char *plugged_text(struct ibc_sink *out, const struct plug *plug)
{
	char name[MODULE_TEXT];

	return plug->port ? plug_text(out, plug->port)
	                  : sink_text(out, "%s%s", plug->subject.near.desc,
	                              module_text(plug->module, name, sizeof(name)));
}

bool plug_is_up(const struct plug *plug)
{
	return plug->port ? ibc_port_is_up(plug->port) : plug->own->phys_state == IBC_PHYS_LINKUP;
}

unsigned int used_lanes(const struct plug *plug)
{
	const struct ibc_ddm_reading *rx = &plug->module->ddm[IBC_DDM_RX_POWER];
	unsigned int lanes = plug->port         ? phy_lanes(plug->port)
	                     : plug_is_up(plug) ? lanes_of(ibc_width_lanes(plug->own->width))
	                                        : IBC_PHY_LANES;

	for (unsigned int lane = lanes; lane < IBC_PHY_LANES; lane++)
		if (has_reading(plug->module, IBC_DDM_RX_POWER, lane) &&
		    rx->now[lane] > NO_LIGHT_UW)
			return IBC_PHY_LANES;
	return lanes;
}
