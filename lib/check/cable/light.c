/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of the light that arrives.  It is judged at the end that receives it: dirt, a bend or a
 * loose plug on the way, or the transmitter at the other end.
 */
#include <math.h>

#include "check/groups.h"
#include "check/phy/phy.h"

#define HALF 0.5 /* 3 dB: about what one dirty plug costs; a guess */

static const struct ibc_ddm_reading *rx_of(const struct plug *plug)
{
	return &plug->module->ddm[IBC_DDM_RX_POWER];
}

/* The lowest and the highest of the lanes in use that have light; false: none has. */
static bool light_range(const struct plug *p, unsigned int *low, unsigned int *high)
{
	const struct ibc_ddm_reading *rx = rx_of(p);
	bool any = false;

	for (unsigned int lane = 0; lane < used_lanes(p); lane++) {
		if (!has_reading(p->module, IBC_DDM_RX_POWER, lane) || rx->now[lane] <= NO_LIGHT_UW)
			continue;
		*low = !any || rx->now[lane] < rx->now[*low] ? lane : *low;
		*high = !any || rx->now[lane] > rx->now[*high] ? lane : *high;
		any = true;
	}
	return any;
}

static void advise_light(struct ibc_sink *out, const struct plug *p)
{
	if (p->port)
		advise_plug(out, p->port, p->port);
	else
		advise_ends(out, plugged_text(out, p));
}

static void finish_light(struct ibc_sink *out, const struct plug *p, double power)
{
	advise_light(out, p);
	sink_fact(out, "rx_power_uw", ibc_real(power));
	module_facts(out, p->module);
}

/* ---- too little ------------------------------------------------------------------------------ */

static bool report_beyond(struct ibc_sink *out, const struct plug *p, unsigned int lane)
{
	const enum ibc_sensor_alarm alarm = ibc_module_alarm(p->module, IBC_DDM_RX_POWER, lane);
	const struct ibc_ddm_reading *rx = rx_of(p);
	double now = rx->now[lane];

	if (alarm <= IBC_SENSOR_ALARM_NONE)
		return false;
	sink_add(out, &p->subject,
	         "lane %u receives %.4g uW of light, the module's alarm is at %.4g uW", lane, now,
	         alarm == IBC_SENSOR_ALARM_LOW ? rx->low : rx->high);
	finish_light(out, p, now);
	return true;
}

/* Its best lane; only of those that are well themselves. */
static double best_lane(const struct ibc_input *in, const struct ibc_port *p)
{
	const struct plug plug = plug_at(p);
	unsigned int low = 0, high = 0;

	(void)in;
	if (!p->extra->module || ibc_module_port(p) != p || !light_range(&plug, &low, &high))
		return NAN;
	return rx_of(&plug)->now[high];
}

static void check_rx_power(const struct ibc_input *in, struct ibc_sink *out)
{
	unsigned int low = 0, high = 0;
	const struct ibc_ddm_reading *rx;
	struct plug plug = { 0 };
	struct member *all;
	size_t n;

	while (next_plug(in, out, &plug)) {
		rx = rx_of(&plug);
		if (!plug_is_up(&plug) || !light_range(&plug, &low, &high) ||
		    report_beyond(out, &plug, low) || report_beyond(out, &plug, high) ||
		    rx->now[low] >= HALF * rx->now[high])
			continue;
		sink_as(out, IBC_WARNING);
		sink_add(out, &plug.subject,
		         "lane %u receives %.4g uW of light, lane %u receives %.4g uW", low,
		         rx->now[low], high, rx->now[high]);
		finish_light(out, &plug, rx->now[low]);
	}
	/* of those that are well themselves, who receives less than others */
	all = collect_classes(in, out, true, best_lane, &n);
	for (size_t i = 0; i < n; i++) {
		plug = plug_at(all[i].port);
		rx = rx_of(&plug);
		light_range(&plug, &low, &high);
		if (all[i].value >= HALF * all[i].median || rx->now[low] < HALF * rx->now[high] ||
		    (has_limits(rx) && rx->now[low] < rx->low))
			continue;
		sink_as(out, IBC_WARNING);
		sink_port(out, all[i].port,
		          "its lanes receive at most %.4g uW of light, the median of %zu such "
		          "modules is %.4g uW",
		          all[i].value, all[i].num, all[i].median);
		sink_compares(out);
		finish_light(out, &plug, all[i].value);
	}
}

/* ---- none -------------------------------------------------------------------------- */

static void check_no_light(const struct ibc_input *in, struct ibc_sink *out)
{
	struct plug p = { 0 };

	while (next_plug(in, out, &p)) {
		unsigned int dark = 0, first = 0, lanes = used_lanes(&p);
		bool all, up = plug_is_up(&p);

		/* a port that waits for a host that is off gets no light either: one end must
		 * expect it */
		if (!up && !(p.port && p.port->peer && ibc_port_has_state(p.port) &&
		             p.port->phys_state == IBC_PHYS_POLLING))
			continue;
		for (unsigned int lane = lanes; lane-- > 0;) {
			if (!has_reading(p.module, IBC_DDM_RX_POWER, lane) ||
			    rx_of(&p)->now[lane] > NO_LIGHT_UW)
				continue;
			dark++;
			first = lane;
		}
		all = dark == lanes;
		if (!dark)
			continue;
		/* a link is not up in the dark: seen at 3 ports of a real fabric, all Active */
		if (all && up) {
			sink_as(out, IBC_INFO);
			sink_add(out, &p.subject,
			         "the module measures no light on any lane, but the link is up");
			sink_advise(out,
			            "The measurement cannot be right, and the light of this module "
			            "is not checked. If errors or link downs come with it, reseat "
			            "the module.");
			module_facts(out, p.module);
			continue;
		}
		if (all)
			sink_add(out, &p.subject, "receives no light");
		else
			sink_add(out, &p.subject, "lane %u receives no light", first);
		if (all && p.port && p.port->peer)
			advise_plug(out, p.port, p.port->peer);
		else
			advise_light(out, &p);
		sink_fact(out, "lane", all ? ibc_none() : ibc_u64(first));
		module_facts(out, p.module);
	}
}

/* ---- the table --------------------------------------------------------------------- */

#define NEEDS IBC_ATTR_PHY_MODULE, IBC_ATTR_PORT_INFO

const struct ibc_check ibc_checks_cable_light[] = {
	CHECK("cable.rx-power", "modules that receive too little or too much light", IBC_CRITICAL,
	      check_rx_power, REGISTERS(NEEDS, IBC_ATTR_PHY_STATE), ON_HOST,
	      EXPLAINED_BY(BY_STATE, BY("cable.alarm", AT), BY("cable.no-light", AT)),
	      .many = "modules|receive too little or too much light"),
	CHECK("cable.no-light", "modules with a lane that receives no light", IBC_CRITICAL,
	      check_no_light, REGISTERS(NEEDS), ON_HOST,
	      EXPLAINED_BY(BY_STATE, BY("cable.alarm", AT)),
	      .many = "modules|have a lane that receives no light"),
	{ 0 },
};
