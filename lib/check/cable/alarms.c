/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of what a module measures of itself, against the alarms in its own memory.  Only what it
 * measures now counts: flags that it once set stay set long after their cause is gone.
 */
#include <math.h>

#include "check/groups.h"
#include "check/limits.h"
#include "check/phy/phy.h"
#include "fabric/fabric.h"
#include "fabric/outside.h"

/* ---- alarms ------------------------------------------------------------------------------ */

/* struct alarm - @scale: from the unit of the model to @unit; @by_lane: only where the link is up
 */
struct alarm {
	enum ibc_ddm ddm;
	double scale;
	const char *what, *unit, *fact, *kind, *advice;
	bool by_lane;
};

/* clang-format off */
static const struct alarm voltage_alarm = {
	IBC_DDM_VOLTAGE, 1, "the supply voltage", "V", "voltage", NULL,
	"reseat the module, then try it in another port. If the fault stays with the port, the switch "
	"is at fault, else replace the module.", false
};
static const struct alarm laser_alarms[] = {
	{ IBC_DDM_BIAS, 1e-3, "the laser current", "mA", "bias_ma", "bias",
	  "replace the module: its laser is near its end.", true },
	{ IBC_DDM_TX_POWER, 1, "the light sent", "uW", "tx_power_uw", "tx-power",
	  "replace the module: its laser sends too little or too much.", true },
};
/* clang-format on */

/* A module is one finding, at the first lane; a laser may be off where there is no link. */
static void evaluate_alarm(struct ibc_sink *out, const struct alarm *alarm, const struct plug *p)
{
	const struct ibc_ddm_reading *r = &p->module->ddm[alarm->ddm];
	unsigned int lanes = alarm->by_lane ? used_lanes(p) : 1, lane = 0;
	double now, limit;

	while (lane < lanes &&
	       ibc_module_alarm(p->module, alarm->ddm, lane) <= IBC_SENSOR_ALARM_NONE)
		lane++;
	if (lane == lanes || (alarm->by_lane && !plug_is_up(p)))
		return;
	now = r->now[lane] * alarm->scale;
	limit = (r->now[lane] > r->high ? r->high : r->low) * alarm->scale;
	sink_add(out, &p->subject, "%s%s is %.4g %s, the module's alarm is at %.4g %s", alarm->what,
	         alarm->by_lane ? sink_text(out, " of lane %u", lane) : "", now, alarm->unit, limit,
	         alarm->unit);
	sink_advise(out, "At %s: %s", plugged_text(out, p), alarm->advice);
	if (alarm->kind)
		sink_fact(out, "kind", ibc_str(alarm->kind));
	sink_fact(out, alarm->fact, ibc_real(now));
	sink_fact(out, "alarm", ibc_real(limit));
	module_facts(out, p->module);
}

static void check_voltage(const struct ibc_input *in, struct ibc_sink *out)
{
	struct plug plug = { 0 };

	while (next_plug(in, out, &plug))
		evaluate_alarm(out, &voltage_alarm, &plug);
}

static bool has_weak_light(const struct ibc_module *m)
{
	for (unsigned int lane = 0; lane < IBC_PHY_LANES; lane++)
		if (m->latched[IBC_LATCH_TX_FAULT] >> lane & 1 &&
		    ibc_module_alarm(m, IBC_DDM_TX_POWER, lane) == IBC_SENSOR_ALARM_LOW)
			return true;
	return false;
}

/*
 * The flag of a transmitter that failed is history: what the module says now must agree with it.
 * That explains the alarms of its laser, and the current the light.
 */
static void check_laser(const struct ibc_input *in, struct ibc_sink *out)
{
	struct plug plug = { 0 };

	while (next_plug(in, out, &plug)) {
		const struct ibc_module *m = plug.module;

		if (m->has_latched && m->latched[IBC_LATCH_TX_FAULT] &&
		    has_reading(m, IBC_DDM_TX_POWER, 0) &&
		    (m->state == IBC_MODULE_FAULT || has_weak_light(m))) {
			sink_add(out, &plug.subject, "a transmitter of the module has failed");
			sink_advise(out, "Replace the module at %s.", plugged_text(out, &plug));
			sink_fact(out, "kind", ibc_str("tx-fault"));
			sink_fact(out, "lanes", ibc_u64(m->latched[IBC_LATCH_TX_FAULT]));
			module_facts(out, m);
		}
		for (size_t i = 0; i < ARRAY_SIZE(laser_alarms); i++)
			evaluate_alarm(out, &laser_alarms[i], &plug);
	}
}

/* ---- temperature ------------------------------------------------------------------------- */

#define ALARM_MARGIN 5   /* degrees: a warm day away from the alarm; a guess */
#define HIGH_ALARM   75  /* with such an alarm 70 degrees are usual: real ones run at 47 to 69 */
#define RISE_DEGREES 10  /* UFM, PDR plugin, D_TMAX: a fan stopped, or a door was opened */
#define RISE_SECONDS 300 /* likewise: slower than that it is the day */

static double temperature_of(const struct ibc_module *m)
{
	return m && has_reading(m, IBC_DDM_TEMPERATURE, 0) ? m->ddm[IBC_DDM_TEMPERATURE].now[0]
	                                                   : NAN;
}

/* By how much it rose in a short time; NaN: not known. */
static double rise_of(const struct ibc_input *in, const struct plug *p)
{
	const struct ibc_module *was = p->was;
	double seconds = p->seconds;

	if (p->port) {
		const struct ibc_port *then = fabric_same_port(in->before, p->port);

		was = then ? then->extra->module : NULL;
		seconds = then ? (double)(p->port->node->subnet->time - then->node->subnet->time)
		               : 0;
	}
	if (!was || !(seconds > 0) || seconds > RISE_SECONDS)
		return NAN;
	return temperature_of(p->module) - temperature_of(was);
}

/* A module that is too hot sends badly, then shuts itself down: that counts as a link down. */
static void check_temperature(const struct ibc_input *in, struct ibc_sink *out)
{
	struct plug p = { 0 };

	while (next_plug(in, out, &p)) {
		const struct ibc_ddm_reading *r = &p.module->ddm[IBC_DDM_TEMPERATURE];
		double now = temperature_of(p.module), rise = rise_of(in, &p),
		       alarm = has_limits(r) ? r->high : NAN;
		enum ibc_severity severity = reached(out, in, p.port, now);

		/* by its own alarm, or by the limits of the site where it has none */
		if (severity == IBC_WARNING && alarm >= HIGH_ALARM)
			severity = IBC_INFO;
		if (severity < IBC_WARNING && (now >= alarm - ALARM_MARGIN || rise >= RISE_DEGREES))
			severity = IBC_WARNING;
		if (now >= alarm)
			severity = IBC_CRITICAL;
		if (!severity)
			continue;
		sink_as(out, severity);
		sink_add(out, &p.subject, "the module has %.0f degrees Celsius%s%s", now,
		         rise >= RISE_DEGREES
		             ? sink_text(out, ", %.0f more than minutes before", rise)
		             : "",
		         isnan(alarm) ? "" : sink_text(out, ", its alarm is at %.0f", alarm));
		sink_advise(out,
		            "Check fans and air flow at %s: blanked cages, the direction of the "
		            "air, its neighbors. If the others beside it are cool, replace the "
		            "module at %s.",
		            p.port ? p.port->node->label : (*outsides)->name(in->host),
		            plugged_text(out, &p));
		sink_fact(out, "temperature", ibc_real(now));
		sink_fact(out, "alarm", isnan(alarm) ? ibc_none() : ibc_real(alarm));
		module_facts(out, p.module);
	}
}

/* ---- state ---------------------------------------------------------------------------------- */

static void check_module_state(const struct ibc_input *in, struct ibc_sink *out)
{
	struct plug p = { 0 };

	while (next_plug(in, out, &p)) {
		const struct ibc_module *m = p.module;
		unsigned int state = p.port ? p.port->phys_state : p.own->phys_state;
		bool fault = m->state == IBC_MODULE_FAULT;
		bool enabled = (!p.port || ibc_port_has_state(p.port)) && state &&
		               state != IBC_PHYS_DISABLED && state != IBC_PHYS_SLEEP;

		if (!fault && (m->state != IBC_MODULE_LOW_POWER || !enabled))
			continue;
		sink_as(out, fault ? IBC_CRITICAL : IBC_WARNING);
		sink_add(out, &p.subject,
		         fault ? "the module reports a fault"
		               : "the module is in low power, and the port is enabled");
		sink_advise(out,
		            fault ? "Reseat the module at %s; if the fault stays, replace it."
		                  : "Reset the port or reseat the module at %s; where it stays in "
		                    "low power, the cage may not give the power it needs.",
		            plugged_text(out, &p));
		sink_fact(out, "state", ibc_enum(ibc_module_state_word(m->state)));
		module_facts(out, m);
	}
}

/* ---- the table ----------------------------------------------------------------------------- */

#define NEEDS IBC_ATTR_PHY_MODULE, IBC_ATTR_PORT_INFO

const struct ibc_check ibc_checks_cable_alarms[] = {
	CHECK("cable.voltage", "modules with a supply voltage beyond their alarm", IBC_CRITICAL,
	      check_voltage, REGISTERS(NEEDS), ON_HOST,
	      .many = "modules|have a supply voltage beyond their alarm"),
	CHECK("cable.alarm", "modules whose laser failed, or is beyond its alarms", IBC_CRITICAL,
	      check_laser, REGISTERS(NEEDS, IBC_ATTR_PHY_MODULE_LATCHES), ON_HOST,
	      .vital = IBC_ATTRS(IBC_ATTR_PHY_MODULE),
	      KINDS({ .word = "bias" }, { .word = "tx-power" },
	            { .word = "tx-fault", .vital = IBC_ATTR_PHY_MODULE_LATCHES }),
	      EXPLAINED_BY(BY_STATE, BY("cable.alarm", AT)),
	      .many = "modules|have a laser that failed, or is beyond its alarms"),
	CHECK("cable.temperature", "modules that are too hot", IBC_CRITICAL, check_temperature,
	      REGISTERS(NEEDS), ON_HOST, .limits = { 70, NEVER, .unit = "of degrees Celsius" },
	      EXPLAINED_BY(BY("device.fan", AT), BY("device.temperature", AT)),
	      .many = "modules|are too hot"),
	CHECK("cable.module-state", "modules in fault or in low power", IBC_CRITICAL,
	      check_module_state, REGISTERS(NEEDS, IBC_ATTR_PORT_STATE), ON_HOST,
	      EXPLAINED_BY(BY("cable.temperature", AT), BY("cable.voltage", AT)),
	      .many = "modules|are in state {state}"),
	{ 0 },
};
