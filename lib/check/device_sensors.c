/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the sensors of a device: of its chip and its air, and of its fans. */
#include <math.h>

#include "check/groups.h"
#include "check/phy/phy.h"
#include "fabric/outside.h"

#define MARGIN       5  /* degrees below its own limit: a warm day away; a guess */
#define FIRST_MODULE 64 /* MTMP numbers sensors of modules from here on: those are cables' */

static const char *sensor_text(struct ibc_sink *out, const struct ibc_sensor *s)
{
	return s->name ? sink_text(out, " (%s)", s->name) : "";
}

static void evaluate_temperature(struct ibc_sink *out, const struct ibc_subject *device,
                                 const struct ibc_sensor *s)
{
	if (s->kind != IBC_SENSOR_TEMPERATURE || s->index >= FIRST_MODULE ||
	    !(s->now >= s->high - MARGIN))
		return;
	sink_as(out, s->now >= s->high ? IBC_CRITICAL : IBC_WARNING);
	sink_add(out, device, "sensor %u%s has %.0f degrees Celsius, its limit is %.0f", s->index,
	         sensor_text(out, s), s->now, s->high);
	sink_advise(out, "Check its fans, the air in front of it and its neighbors in the rack: a "
	                 "device that gets hotter shuts down with all of its links.");
	sink_fact(out, "temperature", ibc_real(s->now));
	sink_fact(out, "limit", ibc_real(s->high));
}

static void evaluate_fan(struct ibc_sink *out, const struct ibc_subject *device,
                         const struct ibc_sensor *s)
{
	bool slow = s->alarm == IBC_SENSOR_ALARM_LOW || s->now == 0;

	if (s->kind != IBC_SENSOR_FAN || (!slow && s->alarm != IBC_SENSOR_ALARM_HIGH))
		return;
	sink_as(out, slow ? IBC_CRITICAL : IBC_WARNING);
	sink_add(out, device, "fan %u%s %s", s->index, sensor_text(out, s),
	         s->now == 0 ? "stands still"
	         : slow      ? "is too slow"
	                     : "is too fast");
	sink_advise(out, slow ? "Replace the fan module before the device overheats."
	                      : "The device cools as hard as it can: check its air flow and its "
	                        "other fans.");
	sink_fact(out, "fan", ibc_u64(s->index));
	sink_fact(out, "rpm", isnan(s->now) ? ibc_none() : ibc_real(s->now));
}

enum { TEMPERATURE, FAN };

static void (*const rules[])(struct ibc_sink *out, const struct ibc_subject *device,
                             const struct ibc_sensor *s) = {
	[TEMPERATURE] = evaluate_temperature,
	[FAN] = evaluate_fan,
};

static void check_sensors(const struct ibc_input *in, struct ibc_sink *out)
{
	void (*rule)(struct ibc_sink *, const struct ibc_subject *,
	             const struct ibc_sensor *) = *RULE_OF(rules, out, ibc_checks_device_sensors);
	const struct ibc_sensor *s;
	const struct ibc_node *node;
	struct ibc_subject own;

	for (size_t i = 0; in->fabric && (node = ibc_fabric_node(in->fabric, i)); i++) {
		const struct ibc_subject of = node_subject(node);

		for (size_t k = 0; k < node->num_sensors; k++)
			rule(out, &of, &node->sensors[k]);
	}
	for (size_t i = 0; !in->fabric && (s = (*outsides)->sensor(in->host, i, &own)); i++)
		rule(out, &own, s);
}

/* ---- the table ---------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_device_sensors[] = {
	[TEMPERATURE] = CHECK("device.temperature", "devices that are too hot", IBC_CRITICAL,
	                      check_sensors, .needs = IBC_ATTRS(IBC_ATTR_PHY_TEMPERATURE),
	                      .inputs = IBC_IN_PHYSICAL, ON_HOST,
	                      EXPLAINED_BY(BY("device.fan", AT)), .many = "devices|are too hot"),
	[FAN] = CHECK("device.fan", "fans that stand still or are too slow", IBC_CRITICAL,
	              check_sensors, .needs = IBC_ATTRS(IBC_ATTR_PHY_FANS, IBC_ATTR_PHY_FAN_ALARMS),
	              .inputs = IBC_IN_PHYSICAL, .kinds = "{fan}",
	              .many = "fans|stand still or are too slow"),
	{ 0 },
};
