/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a sweep reads of the physical layer: registers, over LIDs, of devices that say in
 * GeneralInfo that they have them, and only if the sweep shall read it.
 *
 * Firmware answers, in its own time: it gets few queries at once, and none where its silence
 * goes on.  A register that one device has not, no other of its firmware is asked for.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/phywords.h"
#include "base/utf8.h"
#include "source/sweep/keys.h"
#include "source/sweep/models.h"
#include "source/sweep/phy.h"
#include "wire/registers.h"
#include "wire/vendor.h"

#define PER_DEVICE 2 /* queries at once: mlxlink has one; more would only wait in the firmware */
#define AGAIN      1 /* repeats of a lost query */
#define SILENT_MAX 3 /* in a row, two at once and then one: two seconds, and no more are asked */

/* What is asked of a port by its link. */
enum when { WITH_LINK = 1, WITHOUT_LINK = 2, PLUGGED = 4, OF_SWITCH = 8, OF_NODE = 16 };

/* One register, or a page of it; the handler comes first. */
struct phy_row {
	struct handler handler;
	uint8_t select, when;
};

static const struct phy_row rows[], row_fan_speed;

/* ---- sending ------------------------------------------------------------------------ */

/* Not sent, and yet it has an outcome. */
static void note(const struct device *dev, const struct handler *handler, unsigned int port,
                 enum answer outcome)
{
	if (handler->of_port)
		answers_put(fabric_build_port(dev->node, port), handler->attr, outcome);
	else if (handler->attr)
		answers_put(dev->node, handler->attr, outcome);
}

static bool phy_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                      uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask_;
	struct register_query query = {
		.id = q->handler->attribute,
		.port = q->handler->of_port ? q->port : 0,
		.select = (uint8_t)q->modifier,
	};
	bool is_missing = ibc_attrs_has(q->dev->phy->firmware->unsupported, q->handler->attr);
	uint64_t v_key = 0;

	(void)try;
	if (is_missing || q->sweep->lid_conflict) {
		note(q->dev, q->handler, q->port, is_missing ? ANSWER_UNSUPPORTED : ANSWER_NONE);
		query_free(q);
		return false;
	}
	v_key_of(q->sweep, q->dev, &v_key);
	register_get(mad, to, &query, gsi_lid(q->sweep, q->dev, port_of(q)), v_key);
	return true;
}

static void phy_done(struct engine_ask *ask_, enum engine_outcome outcome,
                     const uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask_;

	if (outcome == ENGINE_ANSWERED && q->handler->attr)
		ibc_attrs_add(&q->dev->phy->firmware->known, q->handler->attr);
	query_end(q, outcome, mad ? register_data(mad) : NULL);
}

static void phy_send(struct sweep *s, struct device *dev, const struct phy_row *row,
                     unsigned int port, unsigned int select)
{
	struct query *q = query_new(s, dev, &row->handler, port);

	q->modifier = select;
	q->ask.route = phy_route;
	q->ask.done = phy_done;
	q->ask.device = &dev->phy->device;
	q->ask.slow = true;
	q->ask.again = AGAIN;
	engine_ask(s->engine, &q->ask);
}

/* ---- what is to be asked -------------------------------------------------------------- */

/* What is due at a port, or at a node, is sent; or it is silent, if there is no way to it. */
static void ask_rows(struct sweep *s, struct device *dev, unsigned int port, unsigned int when)
{
	const struct ibc_port *of = fabric_build_port(dev->node, port);
	bool has_way = gsi_lid(s, dev, of);

	for (const struct phy_row *row = rows; row->when; row++) {
		if (!(row->when & when) || !ibc_attrs_has(s->needs, row->handler.attr) ||
		    (ibc_attrs_has(PHY_OF_CAGE, row->handler.attr) &&
		     ibc_phy_is_special(of->extra->phy)))
			continue;
		if (has_way && phy_can_be_asked(dev->node))
			phy_send(s, dev, row, port, row->select);
		else
			note(dev, &row->handler, port, ANSWER_NONE);
	}
}

void phy_ask(struct sweep *s)
{
	if (!ibc_attrs_meet(s->needs, ibc_attrs_of_group(IBC_ATTRS_PHYSICAL)))
		return;
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		const struct ibc_node *node = dev->node;
		const char *version = node->firmware ? node->firmware : "";
		bool is_switch = node->type == IBC_NODE_SWITCH;
		struct model *model = model_of(s, dev);
		struct phy_firmware *f = model->phy;

		while (f && strcmp(f->version, version) != 0)
			f = f->next;
		if (!f) {
			f = sweep_alloc(s, 1, sizeof(*f));
			f->version = version;
			f->next = model->phy;
			model->phy = f;
		}
		dev->phy = sweep_alloc(s, 1, sizeof(*dev->phy));
		dev->phy->device.limit_max = PER_DEVICE;
		dev->phy->device.silent_max = SILENT_MAX;
		dev->phy->firmware = f;
		dev->lid_used = true;
		ask_rows(s, dev, dev->first, is_switch ? OF_NODE | OF_SWITCH : OF_NODE);
		for (unsigned int p = 1; p <= node->num_ports; p++) {
			const struct ibc_port *port = fabric_build_port(dev->node, p);

			if (!ibc_port_has(port, IBC_ATTR_PORT_INFO))
				continue;
			if (port->phys_state == IBC_PHYS_LINKUP)
				ask_rows(s, dev, p, WITH_LINK);
			/* a host's port without a link cannot be reached: a switch's can */
			else if (is_switch)
				ask_rows(s, dev, p, WITHOUT_LINK);
		}
	}
}

/* ---- answers of a port ------------------------------------------------------------------ */

/* Writable until the sweep ends. */
struct ibc_phy *phy_of(const struct query *q)
{
	struct ibc_port *port = port_of(q);

	if (!port->extra->phy)
		port_extra(port)->phy = sweep_keep(q->sweep, 1, sizeof(*port->extra->phy));
	return (struct ibc_phy *)port->extra->phy;
}

static struct ibc_module *module_of(const struct query *q)
{
	struct ibc_port *port = port_of(q);
	struct ibc_module *m = (struct ibc_module *)port->extra->module;

	if (!m) {
		port_extra(port)->module = m = sweep_keep(q->sweep, 1, sizeof(*m));
		module_clear(m);
	}
	return m;
}

/* NULL: it is empty. */
static const char *cleaned_text(struct sweep *s, const uint8_t *data, enum register_text_id id)
{
	struct register_text t = register_text_get(data, id);

	return t.length ? utf8_clean(fabric_build_arena(s->b), t.bytes, t.length) : NULL;
}

static bool learn_values(struct query *q, const uint8_t *data)
{
	const struct register_query query = { q->handler->attribute, q->port,
		                              (uint8_t)q->modifier };

	phy_values_get(&query, data, phy_of(q));
	return true;
}

static bool learn_errors(struct query *q, const uint8_t *data)
{
	struct sweep *s = q->sweep;

	phy_of(q)->at_seconds = s->start_fraction + (double)(sweep_now_ns(s) - s->start_ns) / 1e9;
	return learn_values(q, data);
}

static bool learn_why_down(struct query *q, const uint8_t *data)
{
	struct ibc_phy *phy = phy_of(q);

	phy->why_down = cleaned_text(q->sweep, data, TEXT_WHY_DOWN);
	learn_values(q, data);
	if (phy->value[IBC_PHY_WHY_DOWN] != IBC_PHY_NOTHING_PLUGGED)
		ask_rows(q->sweep, q->dev, q->port, PLUGGED);
	return true;
}

static bool learn_histogram(struct query *q, const uint8_t *data)
{
	struct ibc_phy *phy = phy_of(q);
	struct ibc_fec_histogram *h = (struct ibc_fec_histogram *)phy->histogram;

	if (!h)
		phy->histogram = h = sweep_keep(q->sweep, 1, sizeof(*h));
	if (q->handler->attr == IBC_ATTR_PHY_FEC_BINS)
		fec_bins_get(data, h);
	else
		fec_blocks_get(data, h);
	return true;
}

static bool learn_module(struct query *q, const uint8_t *data)
{
	struct module_version v = module_version_get(data);
	struct ibc_module *m = module_of(q);
	struct sweep *s = q->sweep;

	module_get(data, m);
	m->vendor = cleaned_text(s, data, TEXT_VENDOR);
	m->part = cleaned_text(s, data, TEXT_PART);
	m->revision = cleaned_text(s, data, TEXT_REVISION);
	m->serial = cleaned_text(s, data, TEXT_SERIAL);
	m->date = cleaned_text(s, data, TEXT_DATE);
	if (v.major || v.minor || v.build)
		m->firmware = arena_printf(fabric_build_arena(s->b), "%u.%u.%u", v.major, v.minor,
		                           v.build);
	return true;
}

static bool learn_latches(struct query *q, const uint8_t *data)
{
	module_latches_get(data, module_of(q));
	return true;
}

/* ---- answers of a device ---------------------------------------------------------------- */

/* The next of its sensors, of which nothing is known. */
static struct ibc_sensor *sensor_new(const struct query *q)
{
	struct ibc_node *node = q->dev->node;
	struct phy_target *t = q->dev->phy;
	struct ibc_sensor *sensor;

	if (!t->sensors)
		node->sensors = t->sensors = sweep_keep(q->sweep, 1 + FANS_MAX, sizeof(*sensor));
	sensor = &t->sensors[node->num_sensors++];
	*sensor = (struct ibc_sensor){ .now = NAN, .max = NAN, .low = NAN, .high = NAN };
	return sensor;
}

static bool learn_temperature(struct query *q, const uint8_t *data)
{
	struct ibc_sensor *sensor = sensor_new(q);

	temperature_get(data, sensor);
	sensor->name = cleaned_text(q->sweep, data, TEXT_SENSOR);
	return true;
}

static bool learn_fans(struct query *q, const uint8_t *data)
{
	const uint16_t in_use = fans_in_use_get(data);

	q->dev->phy->fans = ANSWER_OK;
	for (unsigned int fan = 0; fan < FANS_MAX; fan++) {
		if (!(in_use >> fan & 1))
			continue;
		q->dev->phy->fans_open++;
		phy_send(q->sweep, q->dev, &row_fan_speed, q->dev->first, fan);
	}
	return true;
}

/* All fans are one attribute: it was answered if each of them was. */
static bool learn_fan_speed(struct query *q, const uint8_t *data)
{
	struct ibc_sensor *sensor = sensor_new(q);

	q->dev->phy->fans_open--;
	sensor->kind = IBC_SENSOR_FAN;
	sensor->index = (uint16_t)q->modifier;
	sensor->now = fan_speed_get(data);
	return true;
}

static bool learn_fan_alarms(struct query *q, const uint8_t *data)
{
	struct phy_target *t = q->dev->phy;

	fan_alarms_get(data, &t->fans_low, &t->fans_high);
	t->has_fan_alarms = true;
	return true;
}

static void register_missed(struct query *q, enum answer outcome)
{
	struct phy_firmware *f = q->dev->phy->firmware;

	/* else it is this port that has none */
	if (outcome == ANSWER_UNSUPPORTED && q->handler->attr &&
	    !ibc_attrs_has(f->known, q->handler->attr))
		ibc_attrs_add(&f->unsupported, q->handler->attr);
}

/* ---- the registers ------------------------------------------------------------------------ */

#define ROW(id, reg, sel, learned, of_a_port, when_asked)                                          \
	{                                                                                          \
		.handler = { .attribute = REGISTER_##reg,                                          \
			     .attr = IBC_ATTR_PHY_##id,                                            \
			     .of_port = (of_a_port),                                               \
			     .learn = (learned),                                                   \
			     .missed = register_missed },                                          \
		.select = (sel), .when = (when_asked),                                             \
	}

/* In this order they are asked; ended by one that is never. */
static const struct phy_row rows[] = {
	ROW(TEMPERATURE, MTMP, 0, learn_temperature, false, OF_NODE),
	ROW(FANS, MFCR, 0, learn_fans, false, OF_SWITCH),
	ROW(FAN_ALARMS, FORE, 0, learn_fan_alarms, false, OF_SWITCH),
	ROW(ERRORS, PPCNT, 0x16, learn_errors, true, WITH_LINK),
	ROW(FEC_BLOCKS, PPCNT, 0x12, learn_values, true, WITH_LINK),
	ROW(RECOVERIES, PPCNT, 0x1a, learn_values, true, WITH_LINK),
	ROW(PLR, PPCNT, 0x22, learn_values, true, WITH_LINK),
	ROW(FEC_HISTOGRAM, PPCNT, 0x23, learn_histogram, true, WITH_LINK),
	ROW(FEC_BINS, PPHCR, 0, learn_histogram, true, WITH_LINK),
	ROW(STATE, PDDR, 0, learn_values, true, WITH_LINK | WITHOUT_LINK),
	ROW(WHY_DOWN, PDDR, 1, learn_why_down, true, WITHOUT_LINK),
	ROW(TRAINING, PDDR, 2, learn_values, true, WITH_LINK | WITHOUT_LINK),
	ROW(MODULE, PDDR, 3, learn_module, true, WITH_LINK | PLUGGED),
	ROW(LAST_DOWN, PDDR, 6, learn_values, true, WITH_LINK | PLUGGED),
	ROW(LINK_UP, PDDR, 8, learn_values, true, WITH_LINK),
	ROW(MODULE_LATCHES, PDDR, 9, learn_latches, true, WITH_LINK | PLUGGED),
	ROW(LENGTH, PRTL, 0, learn_values, true, WITH_LINK),
	{ .when = 0 },
};

/* Of one fan, once it is known which there are. */
static const struct phy_row row_fan_speed = {
	.handler = { .attribute = REGISTER_MFSM,
	             .learn = learn_fan_speed,
	             .missed = register_missed },
};
