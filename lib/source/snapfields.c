/* SPDX-License-Identifier: BSD-2-Clause */
/* What a snapshot keeps of each object of the model: the tables of fields. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/fabric.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "base/jsonwrite.h"
#include "base/phywords.h"
#include "base/str.h"
#include "source/fields.h"
#include "source/snapshot.h"

#define ANSWER_SET(of, name, kind)                                                                 \
	{                                                                                          \
#name, offsetof(of, answers.name), .type = kind                                    \
	}
#define ANSWERS(of, kind)                                                                          \
	ANSWER_SET(of, asked, kind), ANSWER_SET(of, answered, kind),                               \
	    ANSWER_SET(of, unsupported, kind), ANSWER_SET(of, refused, kind)

/* ---- values by name ------------------------------------------------------ */

struct named_values {
	const struct ibc_word *(*word)(unsigned int i);
	unsigned int num;
};

static int fail_key(struct ibc_error *err, const char *key)
{
	return fail(err, -EINVAL, "invalid value of \"%s\"", key);
}

/* They are written in order, so that the first look finds it; .num: there is none. */
static unsigned int find_named(const struct named_values *n, const char *key, unsigned int first)
{
	for (unsigned int tries = 0; tries < n->num; tries++) {
		unsigned int i = (first + tries) % n->num;

		if (strcmp(n->word(i)->word, key) == 0)
			return i;
	}
	return n->num;
}

/* Here 0 is written too: it is not the same as what is not known. */
static void put_named(struct json_out *o, const struct named_values *n, const uint64_t *values,
                      uint64_t known)
{
	json_open(o, '{');
	for (unsigned int i = 0; i < n->num; i++) {
		if (!(known >> i & 1))
			continue;
		json_key(o, n->word(i)->word);
		count_put(o, values[i]);
	}
	json_close(o, '}');
}

static int get_named(const struct json_item *from, const char *what, const struct named_values *n,
                     uint64_t *values, uint64_t *known, struct ibc_error *err)
{
	unsigned int i = UINT_MAX;

	if (!json_is(from, JSON_MEMBERS))
		return fail_key(err, "values");
	for (const struct json_item *key = from + 1; key != json_behind(from);
	     key = json_behind(key + 1)) {
		i = find_named(n, key->text, i + 1);
		if (i == n->num)
			return fail(err, -EINVAL, "unknown %s \"%s\"", what, key->text);
		if (*known >> i & 1 || !count_get(key + 1, &values[i]))
			return fail_key(err, key->text);
		*known |= UINT64_C(1) << i;
	}
	return 0;
}

/* ---- counters ------------------------------------------------------------ */

#define VLS 16 /* virtual lanes 0 .. 15 */

static const struct ibc_word *counter_word(unsigned int i)
{
	return ibc_counter_word(i);
}
static const struct named_values counters = { counter_word, IBC_COUNTERS };

static void put_counters(struct json_out *o, const void *at)
{
	const struct ibc_counters *c = at;

	put_named(o, &counters, c->value, c->known);
}

static int get_counters(const struct json_item *value, const char *key, void *at, struct arena *a,
                        struct ibc_error *err)
{
	struct ibc_counters *c = at;
	uint64_t known = 0;
	int rc = get_named(value, "counter", &counters, c->value, &known, err);

	(void)key, (void)a;
	c->known = (uint32_t)known;
	return rc;
}
static const struct field_own counter_values = { NULL, put_counters, get_counters };

static void put_saturated(struct json_out *o, const void *at)
{
	const struct ibc_counters *c = at;

	json_open(o, '[');
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (c->known & c->saturated & 1u << i)
			json_put_word(o, ibc_counter_word(i)->word);
	json_close(o, ']');
}

/* Of known values: the caller verifies it, as these may follow. */
static int get_saturated(const struct json_item *list, const char *key, void *at, struct arena *a,
                         struct ibc_error *err)
{
	struct ibc_counters *c = at;
	unsigned int i;

	(void)a;
	if (!json_is(list, JSON_LIST))
		return fail_key(err, key);
	for (const struct json_item *name = list + 1; name != json_behind(list);
	     name = json_behind(name)) {
		i = name->kind == JSON_TEXT ? find_named(&counters, name->text, 0) : IBC_COUNTERS;
		if (i == IBC_COUNTERS)
			return fail_key(err, key);
		c->saturated |= 1u << i;
	}
	return 0;
}
static const struct field_own saturated = { NULL, put_saturated, get_saturated };

static bool has_no_wait(const void *at)
{
	return !*(const uint64_t *const *)at;
}

static void put_wait(struct json_out *o, const void *at)
{
	const uint64_t *wait = *(const uint64_t *const *)at;

	json_open(o, '[');
	for (unsigned int vl = 0; vl < VLS; vl++)
		count_put(o, wait[vl]);
	json_close(o, ']');
}

static int get_wait(const struct json_item *list, const char *key, void *at, struct arena *a,
                    struct ibc_error *err)
{
	uint64_t *wait = arena_array(a, VLS, sizeof(*wait));

	*(const uint64_t **)at = wait;
	if (!json_is(list, JSON_LIST) || list->size != VLS)
		return fail_key(err, key);
	for (size_t vl = 0; vl < VLS; vl++)
		if (!count_get(list + 1 + vl, &wait[vl]))
			return fail_key(err, key);
	return 0;
}
static const struct field_own vl_wait = { has_no_wait, put_wait, get_wait };

const struct field counters_fields[] = {
	{ "at_seconds", offsetof(struct ibc_counters, at_seconds), .type = FIELD_SECONDS,
	  .flags = FIELD_ZERO },
	{ "age_seconds", offsetof(struct ibc_counters, at_seconds), .type = FIELD_AGE },
	{ "values", 0, .type = FIELD_OWN, .flags = FIELD_NEEDED, .own = &counter_values },
	{ "saturated", 0, .type = FIELD_OWN, .flags = FIELD_NEEDED, .own = &saturated },
	{ "vl_transmit_wait", offsetof(struct ibc_counters, vl_wait), .type = FIELD_OWN,
	  .own = &vl_wait },
	{ .key = NULL },
};
static const struct record counters_record = { counters_fields,
	                                       .size = sizeof(struct ibc_counters) };

/* ---- the physical layer -------------------------------------------------- */

static const struct field histogram_fields[] = {
	{ "fec_type", offsetof(struct ibc_fec_histogram, fec_type), .type = FIELD_U8 },
	{ "bins", offsetof(struct ibc_fec_histogram, num_bins), .type = FIELD_U8 },
	{ "low", offsetof(struct ibc_fec_histogram, low), .type = FIELD_U8,
	  .flags = FIELD_ZERO | FIELD_NEEDED, .num = IBC_FEC_BINS,
	  .count = offsetof(struct ibc_fec_histogram, num_bins) },
	{ "high", offsetof(struct ibc_fec_histogram, high), .type = FIELD_U8,
	  .flags = FIELD_ZERO | FIELD_NEEDED, .num = IBC_FEC_BINS,
	  .count = offsetof(struct ibc_fec_histogram, num_bins) },
	{ "blocks", offsetof(struct ibc_fec_histogram, blocks), .type = FIELD_COUNT,
	  .flags = FIELD_ZERO | FIELD_NEEDED, .num = IBC_FEC_BINS,
	  .count = offsetof(struct ibc_fec_histogram, num_blocks) },
	{ .key = NULL },
};
static const struct record histogram_record = { histogram_fields,
	                                        .size = sizeof(struct ibc_fec_histogram) };

static const struct ibc_word *phy_word(unsigned int i)
{
	return ibc_phy_value_word(i);
}
static const struct named_values phy_named = { phy_word, IBC_PHY_VALUES };

static void put_phy_values(struct json_out *o, const void *at)
{
	const struct ibc_phy *phy = at;

	put_named(o, &phy_named, phy->value, phy->known);
}

static int get_phy_values(const struct json_item *value, const char *key, void *at, struct arena *a,
                          struct ibc_error *err)
{
	struct ibc_phy *phy = at;

	(void)key, (void)a;
	return get_named(value, "value", &phy_named, phy->value, &phy->known, err);
}
static const struct field_own phy_values = { NULL, put_phy_values, get_phy_values };

static const char *wrong_in_phy(const void *object)
{
	const struct ibc_phy *phy = object;

	return phy->known_bers >> IBC_BERS ? "bers" : NULL;
}

_Static_assert(sizeof(struct ibc_ber) == 2, "bit error rates are lists of bytes");
static const struct field phy_fields[] = {
	{ "at_seconds", offsetof(struct ibc_phy, at_seconds), .type = FIELD_SECONDS },
	{ "age_seconds", offsetof(struct ibc_phy, at_seconds), .type = FIELD_AGE },
	{ "fec_active", offsetof(struct ibc_phy, fec_active), .type = FIELD_U8 },
	{ "fec_requested", offsetof(struct ibc_phy, fec_requested), .type = FIELD_U8 },
	{ "why_down", offsetof(struct ibc_phy, why_down), .type = FIELD_TEXT },
	{ "values", 0, .type = FIELD_OWN, .flags = FIELD_NEEDED, .own = &phy_values },
	{ "known_bers", offsetof(struct ibc_phy, known_bers), .type = FIELD_U8 },
	{ "bers", offsetof(struct ibc_phy, ber), .type = FIELD_U8, .num = 2 * IBC_BERS,
	  .when = offsetof(struct ibc_phy, known_bers) },
	{ "histogram", offsetof(struct ibc_phy, histogram), .type = FIELD_OBJECT,
	  .record = &histogram_record },
	{ .key = NULL },
};
static const struct record phy_record = { phy_fields, .size = sizeof(struct ibc_phy),
	                                  .wrong = wrong_in_phy };

#define READINGS (sizeof(struct ibc_ddm_reading) / sizeof(double))
#define DDM(key, ddm_index)                                                                        \
	{                                                                                          \
		key, offsetof(struct ibc_module, ddm[ddm_index]), .type = FIELD_NAN,               \
								  .num = READINGS                  \
	}

static const struct field module_fields[] = {
	{ "vendor", offsetof(struct ibc_module, vendor), .type = FIELD_TEXT },
	{ "part", offsetof(struct ibc_module, part), .type = FIELD_TEXT },
	{ "revision", offsetof(struct ibc_module, revision), .type = FIELD_TEXT },
	{ "serial", offsetof(struct ibc_module, serial), .type = FIELD_TEXT },
	{ "date", offsetof(struct ibc_module, date), .type = FIELD_TEXT },
	{ "firmware", offsetof(struct ibc_module, firmware), .type = FIELD_TEXT },
	{ "oui", offsetof(struct ibc_module, oui), .type = FIELD_U32 },
	{ "rates", offsetof(struct ibc_module, rates), .type = FIELD_U16 },
	{ "kind", offsetof(struct ibc_module, kind), .type = FIELD_U8 },
	{ "form", offsetof(struct ibc_module, form), .type = FIELD_U8 },
	{ "technology", offsetof(struct ibc_module, technology), .type = FIELD_U8 },
	{ "breakout", offsetof(struct ibc_module, breakout), .type = FIELD_U8 },
	{ "monitored", offsetof(struct ibc_module, monitored), .type = FIELD_U8 },
	{ "rx_average", offsetof(struct ibc_module, rx_average), .type = FIELD_BOOL },
	{ "state", offsetof(struct ibc_module, state), .type = FIELD_U8 },
	{ "config_error", offsetof(struct ibc_module, config_error), .type = FIELD_U8 },
	{ "length_m", offsetof(struct ibc_module, length_m), .type = FIELD_NAN },
	DDM("temperature_celsius", IBC_DDM_TEMPERATURE),
	DDM("voltage_volts", IBC_DDM_VOLTAGE),
	DDM("rx_power_uw", IBC_DDM_RX_POWER),
	DDM("tx_power_uw", IBC_DDM_TX_POWER),
	DDM("bias_ua", IBC_DDM_BIAS),
	{ "data_path", offsetof(struct ibc_module, data_path), .type = FIELD_U8,
	  .num = IBC_PHY_LANES },
	{ "latched", offsetof(struct ibc_module, latched), .type = FIELD_U8, .num = IBC_LATCHES,
	  .flags = FIELD_MARKS, .when = offsetof(struct ibc_module, has_latched) },
	{ .key = NULL },
};

static void clear_module(void *object)
{
	module_clear(object);
}

static const char *wrong_in_module(const void *object)
{
	const struct ibc_module *m = object;

	return m->length_m < 0 ? "length_m" : NULL;
}
static const struct record module_record = { module_fields, .size = sizeof(struct ibc_module),
	                                     .clear = clear_module, .wrong = wrong_in_module };

#define SENSOR_READINGS 4 /* now, max, low, high */
_Static_assert(offsetof(struct ibc_sensor, high) - offsetof(struct ibc_sensor, now) ==
                   (SENSOR_READINGS - 1) * sizeof(double),
               "a list of reals");
static const struct field sensor_fields[] = {
	{ "name", offsetof(struct ibc_sensor, name), .type = FIELD_TEXT },
	{ "index", offsetof(struct ibc_sensor, index), .type = FIELD_U16 },
	{ "kind", offsetof(struct ibc_sensor, kind), .type = FIELD_U8 },
	{ "alarm", offsetof(struct ibc_sensor, alarm), .type = FIELD_U8 },
	{ "readings", offsetof(struct ibc_sensor, now), .type = FIELD_NAN,
	  .flags = FIELD_ZERO | FIELD_NEEDED, .num = SENSOR_READINGS },
	{ .key = NULL },
};
static const struct record sensor_record = { sensor_fields, .size = sizeof(struct ibc_sensor) };

/* ---- management of a port ----------------------------------------------------- */

static const struct field sm_fields[] = {
	{ "guid", offsetof(struct ibc_sm_info, guid), .type = FIELD_HEX },
	{ "state", offsetof(struct ibc_sm_info, state), .type = FIELD_U8 },
	{ "state_later", offsetof(struct ibc_sm_info, state_later), .type = FIELD_U8 },
	{ "priority", offsetof(struct ibc_sm_info, priority), .type = FIELD_U8 },
	{ "act_count", offsetof(struct ibc_sm_info, act_count), .type = FIELD_U32 },
	{ "act_count_later", offsetof(struct ibc_sm_info, act_count_later), .type = FIELD_U32 },
	{ "act_seconds", offsetof(struct ibc_sm_info, act_seconds), .type = FIELD_REAL },
	{ .key = NULL },
};
static const struct record sm_record = { sm_fields, .size = sizeof(struct ibc_sm_info) };

#define KEY_DIGITS 4 /* of a P_Key */

static bool has_no_pkeys(const void *at)
{
	return !*(const struct ibc_pkeys *const *)at;
}

static void put_pkeys(struct json_out *o, const void *at)
{
	const struct ibc_pkeys *pkeys = *(const struct ibc_pkeys *const *)at;
	size_t n = KEY_DIGITS * pkeys->num_keys;
	char *text = xalloc(n + 1);

	o->failed |= !text;
	for (size_t i = 0; text && i < pkeys->num_keys; i++)
		sprintf(text + KEY_DIGITS * i, "%04x", pkeys->keys[i]);
	if (text)
		json_put_plain(o, text, n);
	free(text);
}

static int get_pkeys(const struct json_item *value, const char *key, void *at, struct arena *a,
                     struct ibc_error *err)
{
	struct ibc_pkeys *pkeys = arena_alloc(a, sizeof(*pkeys));
	uint16_t *keys = arena_array(a, value->size / KEY_DIGITS + 1, sizeof(*keys));

	*(const struct ibc_pkeys **)at = pkeys;
	if (value->kind != JSON_TEXT || value->size % KEY_DIGITS ||
	    strspn(value->text, "0123456789abcdef") != value->size)
		return fail_key(err, key);
	pkeys->keys = keys;
	pkeys->num_keys = value->size / KEY_DIGITS;
	for (size_t i = 0; i < pkeys->num_keys; i++) {
		char text[KEY_DIGITS + 1] = "";
		uint64_t number = 0;

		memcpy(text, value->text + KEY_DIGITS * i, KEY_DIGITS);
		str_guid(text, &number);
		keys[i] = (uint16_t)number;
	}
	return 0;
}
static const struct field_own pkeys = { has_no_pkeys, put_pkeys, get_pkeys };

static const struct field vport_fields[] = {
	{ "index", offsetof(struct ibc_vport, index), .type = FIELD_U16 },
	{ "guid", offsetof(struct ibc_vport, guid), .type = FIELD_HEX },
	{ "lid", offsetof(struct ibc_vport, lid), .type = FIELD_U16 },
	{ "lid_index", offsetof(struct ibc_vport, lid_index), .type = FIELD_U16 },
	{ "state", offsetof(struct ibc_vport, state), .type = FIELD_U8 },
	{ "lid_required", offsetof(struct ibc_vport, lid_required), .type = FIELD_BOOL },
	{ .key = NULL },
};
static const struct record vport_record = { vport_fields, .size = sizeof(struct ibc_vport) };

static const char *wrong_in_vports(const void *object)
{
	const struct ibc_vports *v = object;

	for (size_t i = 0; i < v->num_vports; i++) {
		if (v->vports[i].state > IBC_STATE_ACTIVE)
			return "state";
		if (i > 0 && v->vports[i].index <= v->vports[i - 1].index)
			return "index";
	}
	return NULL;
}
static const struct field vports_fields[] = {
	{ "cap", offsetof(struct ibc_vports, cap), .type = FIELD_U16 },
	{ "top", offsetof(struct ibc_vports, top), .type = FIELD_U16 },
	{ "enabled", offsetof(struct ibc_vports, enabled), .type = FIELD_BOOL },
	{ "list", offsetof(struct ibc_vports, vports), .type = FIELD_LIST,
	  .flags = FIELD_ZERO | FIELD_NEEDED, .count = offsetof(struct ibc_vports, num_vports),
	  .record = &vport_record },
	{ .key = NULL },
};
static const struct record vports_record = { vports_fields, .size = sizeof(struct ibc_vports),
	                                     .wrong = wrong_in_vports };

static const struct field cable_fields[] = {
	{ "label", offsetof(struct ibc_cable, label), .type = FIELD_TEXT },
	{ "length", offsetof(struct ibc_cable, length), .type = FIELD_TEXT },
	{ .key = NULL },
};
static const struct record cable_record = { cable_fields, .size = sizeof(struct ibc_cable) };

const struct field port_fields[] = {
	{ "num", 0, .type = FIELD_NONE, .part = PORT_NUM },
	{ "guid", offsetof(struct ibc_port, guid), .type = FIELD_HEX },
	{ "state", offsetof(struct ibc_port, state), .type = FIELD_U8 },
	{ "phys_state", offsetof(struct ibc_port, phys_state), .type = FIELD_U8 },
	{ "width_active", offsetof(struct ibc_port, width_active), .type = FIELD_U8 },
	{ "width_enabled", offsetof(struct ibc_port, width_enabled), .type = FIELD_U8 },
	{ "width_supported", offsetof(struct ibc_port, width_supported), .type = FIELD_U8 },
	{ "speed_active", offsetof(struct ibc_port, speed_active), .type = FIELD_U16 },
	{ "speed_enabled", offsetof(struct ibc_port, speed_enabled), .type = FIELD_U16 },
	{ "speed_supported", offsetof(struct ibc_port, speed_supported), .type = FIELD_U16 },
	{ "lid", offsetof(struct ibc_port, lid), .type = FIELD_U16 },
	{ "lmc", offsetof(struct ibc_port, lmc), .type = FIELD_U8 },
	{ "sm_lid", offsetof(struct ibc_port, sm_lid), .type = FIELD_U16 },
	{ "sm_sl", offsetof(struct ibc_port, sm_sl), .type = FIELD_U8 },
	{ "mtu_cap", offsetof(struct ibc_port, mtu_cap), .type = FIELD_U8 },
	{ "mtu_active", offsetof(struct ibc_port, mtu_active), .type = FIELD_U8 },
	{ "vl_cap", offsetof(struct ibc_port, vl_cap), .type = FIELD_U8 },
	{ "vl_active", offsetof(struct ibc_port, vl_active), .type = FIELD_U8 },
	{ "arb_high_cap", offsetof(struct ibc_port, arb_high_cap), .type = FIELD_U8 },
	{ "arb_low_cap", offsetof(struct ibc_port, arb_low_cap), .type = FIELD_U8 },
	{ "cap_mask", offsetof(struct ibc_port, cap_mask), .type = FIELD_U32 },
	{ "cap_mask2", offsetof(struct ibc_port, cap_mask2), .type = FIELD_U16 },
	{ "subnet_prefix", offsetof(struct ibc_port, subnet_prefix), .type = FIELD_HEX },
	{ "pkey_enforce", offsetof(struct ibc_port, pkey_enforce), .type = FIELD_U8 },
	{ "m_key_protect", offsetof(struct ibc_port, m_key_protect), .type = FIELD_U8 },
	{ "m_key_violations", offsetof(struct ibc_port, m_key_violations), .type = FIELD_U16 },
	{ "label", offsetof(struct ibc_port, label), .type = FIELD_TEXT },
	{ "keyed_peer", offsetof(struct ibc_port, keyed_peer), .type = FIELD_HEX },
	{ "keyed_peer_lid", offsetof(struct ibc_port, keyed_peer_lid), .type = FIELD_U16 },
	{ "m_key_differs", offsetof(struct ibc_port, m_key_differs), .type = FIELD_BOOL },
	ANSWERS(struct ibc_port, FIELD_PORT_ATTRS),
	{ "peer", offsetof(struct ibc_port, peer), .type = FIELD_PORT, .part = PORT_PEER },
	{ "cable", offsetof(struct ibc_port, cable), .type = FIELD_OBJECT,
	  .record = &cable_record },
	{ "pkeys", offsetof(struct ibc_port, pkeys), .type = FIELD_OWN, .own = &pkeys },
	{ "sm", offsetof(struct ibc_port, sm), .type = FIELD_OBJECT, .record = &sm_record },
	{ "counters", offsetof(struct ibc_port, counters), .type = FIELD_OBJECT,
	  .part = PORT_COUNTERS, .record = &counters_record },
	{ "phy", offsetof(struct ibc_port, phy), .type = FIELD_OBJECT, .record = &phy_record },
	{ "module", offsetof(struct ibc_port, module), .type = FIELD_OBJECT,
	  .record = &module_record },
	{ "vports", offsetof(struct ibc_port, vports), .type = FIELD_OBJECT,
	  .record = &vports_record },
	{ .key = NULL },
};

/* ---- nodes --------------------------------------------------------------- */

static const struct field ar_fields[] = {
	{ "flags", offsetof(struct ibc_ar_info, flags), .type = FIELD_U32 },
	{ "group_cap", offsetof(struct ibc_ar_info, group_cap), .type = FIELD_U16 },
	{ "group_top", offsetof(struct ibc_ar_info, group_top), .type = FIELD_U16 },
	{ "group_tables", offsetof(struct ibc_ar_info, group_tables), .type = FIELD_U8 },
	{ "sub_groups", offsetof(struct ibc_ar_info, sub_groups), .type = FIELD_U8 },
	{ "sub_groups_cap", offsetof(struct ibc_ar_info, sub_groups_cap), .type = FIELD_U8 },
	{ "sl_mask", offsetof(struct ibc_ar_info, sl_mask), .type = FIELD_U16 },
	{ "transports_off", offsetof(struct ibc_ar_info, transports_off), .type = FIELD_U8 },
	{ "ageing_us", offsetof(struct ibc_ar_info, ageing_us), .type = FIELD_U32 },
	{ "hbf_sl_mask", offsetof(struct ibc_ar_info, hbf_sl_mask), .type = FIELD_U16 },
	{ .key = NULL },
};
static const struct record ar_record = { ar_fields, .size = sizeof(struct ibc_ar_info) };

static const struct field router_fields[] = {
	{ "global_first", offsetof(struct ibc_router, global.first), .type = FIELD_U32 },
	{ "global_last", offsetof(struct ibc_router, global.last), .type = FIELD_U32 },
	{ "local_first", offsetof(struct ibc_router, local.first), .type = FIELD_U32 },
	{ "local_last", offsetof(struct ibc_router, local.last), .type = FIELD_U32 },
	{ "adjacent_top", offsetof(struct ibc_router, adjacent_top), .type = FIELD_U8 },
	{ "adjacent_cap", offsetof(struct ibc_router, adjacent_cap), .type = FIELD_U8 },
	{ .key = NULL },
};
static const struct record router_record = { router_fields, .size = sizeof(struct ibc_router) };

const struct field node_fields[] = {
	{ "subnet", 0, .type = FIELD_NONE, .part = NODE_SUBNET },
	{ "guid", offsetof(struct ibc_node, guid), .type = FIELD_HEX },
	{ "desc", offsetof(struct ibc_node, desc), .type = FIELD_TEXT },
	{ "type", offsetof(struct ibc_node, type), .type = FIELD_U8 },
	{ "num_ports", offsetof(struct ibc_node, num_ports), .type = FIELD_U8 },
	{ "system_guid", offsetof(struct ibc_node, system_guid), .type = FIELD_HEX },
	{ "vendor_id", offsetof(struct ibc_node, vendor_id), .type = FIELD_U32 },
	{ "device_id", offsetof(struct ibc_node, device_id), .type = FIELD_U16 },
	{ "revision", offsetof(struct ibc_node, revision), .type = FIELD_U32 },
	{ "enhanced_port0", offsetof(struct ibc_node, enhanced_port0), .type = FIELD_BOOL },
	{ "lft_cap", offsetof(struct ibc_node, lft_cap), .type = FIELD_U16 },
	{ "lft_top", offsetof(struct ibc_node, lft_top), .type = FIELD_U16 },
	{ "mft_cap", offsetof(struct ibc_node, mft_cap), .type = FIELD_U16 },
	{ "mft_top", offsetof(struct ibc_node, mft_top), .type = FIELD_U16 },
	{ "pkey_cap", offsetof(struct ibc_node, pkey_cap), .type = FIELD_U16 },
	{ "pkey_enforce_cap", offsetof(struct ibc_node, pkey_enforce_cap), .type = FIELD_U16 },
	{ "perf_cap_mask", offsetof(struct ibc_node, perf_cap_mask), .type = FIELD_U16 },
	{ "perf_cap_mask2", offsetof(struct ibc_node, perf_cap_mask2), .type = FIELD_U32 },
	{ "xmit_wait_tick", offsetof(struct ibc_node, xmit_wait_tick), .type = FIELD_U8 },
	{ "firmware", offsetof(struct ibc_node, firmware), .type = FIELD_TEXT },
	{ "psid", offsetof(struct ibc_node, psid), .type = FIELD_TEXT },
	{ "has_gmp_capabilities", offsetof(struct ibc_node, has_gmp_capabilities),
	  .type = FIELD_BOOL },
	{ "gmp_capabilities", offsetof(struct ibc_node, gmp_capabilities[0]), .type = FIELD_HEX },
	{ "gmp_capabilities_64", offsetof(struct ibc_node, gmp_capabilities[1]),
	  .type = FIELD_HEX },
	{ "smp_capabilities", offsetof(struct ibc_node, smp_capabilities[0]), .type = FIELD_HEX },
	{ "smp_capabilities_64", offsetof(struct ibc_node, smp_capabilities[1]),
	  .type = FIELD_HEX },
	{ "max_planes", offsetof(struct ibc_node, max_planes), .type = FIELD_U8 },
	{ "asymmetric_planes", offsetof(struct ibc_node, asymmetric_planes), .type = FIELD_BOOL },
	{ "named_only", offsetof(struct ibc_node, named_only), .type = FIELD_BOOL },
	{ "rack", offsetof(struct ibc_node, rack), .type = FIELD_TEXT },
	{ "row", offsetof(struct ibc_node, row), .type = FIELD_TEXT },
	{ "pod", offsetof(struct ibc_node, pod), .type = FIELD_TEXT },
	{ "phy_discarded", offsetof(struct ibc_node, phy_discarded), .type = FIELD_BOOL },
	ANSWERS(struct ibc_node, FIELD_NODE_ATTRS),
	{ "name", offsetof(struct ibc_node, name), .type = FIELD_TEXT, .part = NODE_NAME },
	{ "sensors", offsetof(struct ibc_node, sensors), .type = FIELD_LIST,
	  .count = offsetof(struct ibc_node, num_sensors), .record = &sensor_record },
	{ "adaptive_routing", offsetof(struct ibc_node, ar), .type = FIELD_OBJECT,
	  .record = &ar_record },
	{ "router", offsetof(struct ibc_node, router), .type = FIELD_OBJECT,
	  .record = &router_record },
	{ "ports", 0, .type = FIELD_NONE, .part = NODE_PORTS },
	{ .key = NULL },
};

/* ---- subnets ------------------------------------------------------------- */

static const struct field sweep_fields[] = {
	{ "sent", offsetof(struct ibc_sweep, sent), .type = FIELD_U64 },
	{ "answered", offsetof(struct ibc_sweep, answered), .type = FIELD_U64 },
	{ "unsupported", offsetof(struct ibc_sweep, unsupported), .type = FIELD_U64 },
	{ "refused", offsetof(struct ibc_sweep, refused), .type = FIELD_U64 },
	{ "retried", offsetof(struct ibc_sweep, retried), .type = FIELD_U64 },
	{ "regained", offsetof(struct ibc_sweep, regained), .type = FIELD_U64 },
	{ "timed_out", offsetof(struct ibc_sweep, timed_out), .type = FIELD_U64 },
	{ "dropped_late", offsetof(struct ibc_sweep, dropped_late), .type = FIELD_U64 },
	{ "dropped_mismatch", offsetof(struct ibc_sweep, dropped_mismatch), .type = FIELD_U64 },
	{ "dropped_short", offsetof(struct ibc_sweep, dropped_short), .type = FIELD_U64 },
	{ "peak_in_flight", offsetof(struct ibc_sweep, peak_in_flight), .type = FIELD_U32 },
	{ "rtt_p50_us", offsetof(struct ibc_sweep, rtt_p50_us), .type = FIELD_U32 },
	{ "rtt_p99_us", offsetof(struct ibc_sweep, rtt_p99_us), .type = FIELD_U32 },
	{ "duration_seconds", offsetof(struct ibc_sweep, duration_seconds), .type = FIELD_REAL },
	{ .key = NULL },
};

const struct field forwarding_fields[] = {
	{ "lids", offsetof(struct ibc_forwarding, num_lids), .type = FIELD_U32 },
	{ "file", offsetof(struct ibc_forwarding, file), .type = FIELD_TEXT },
	{ "foreign", offsetof(struct ibc_forwarding, foreign), .type = FIELD_U64 },
	{ "foreign_guid", offsetof(struct ibc_forwarding, foreign_guid), .type = FIELD_HEX },
	{ .key = NULL },
};
static const struct record forwarding_record = { forwarding_fields,
	                                         .size = sizeof(struct ibc_forwarding) };

const struct field multicast_fields[] = {
	{ "mlids", offsetof(struct ibc_multicast, num_mlids), .type = FIELD_U32 },
	{ .key = NULL },
};
static const struct record multicast_record = { multicast_fields,
	                                        .size = sizeof(struct ibc_multicast) };

const struct field sa_fields[] = {
	{ "lid", offsetof(struct ibc_sa, lid), .type = FIELD_U16 },
	{ "cap_mask", offsetof(struct ibc_sa, cap_mask), .type = FIELD_U16 },
	{ "latency_us", offsetof(struct ibc_sa, latency_us), .type = FIELD_U32 },
	{ "response_us", offsetof(struct ibc_sa, response_us), .type = FIELD_U32 },
	{ "paths_file", offsetof(struct ibc_sa, paths_file), .type = FIELD_TEXT },
	{ "cut_short", offsetof(struct ibc_sa, cut_short), .type = FIELD_ATTRS },
	{ .key = NULL },
};
static const struct record sa_record = { sa_fields, .size = sizeof(struct ibc_sa) };

static const struct record sweep_record = { sweep_fields, .size = sizeof(struct ibc_sweep) };

const struct field subnet_fields[] = {
	{ "source", offsetof(struct ibc_subnet, source), .type = FIELD_TEXT },
	{ "kind", offsetof(struct ibc_subnet, kind), .type = FIELD_TEXT },
	{ "host", offsetof(struct ibc_subnet, host), .type = FIELD_TEXT },
	{ "ca", offsetof(struct ibc_subnet, ca), .type = FIELD_TEXT },
	{ "ca_port", offsetof(struct ibc_subnet, ca_port), .type = FIELD_U8 },
	{ "file", offsetof(struct ibc_subnet, file), .type = FIELD_TEXT },
	{ "time", offsetof(struct ibc_subnet, time), .type = FIELD_U64 },
	{ "subnet_prefix", offsetof(struct ibc_subnet, subnet_prefix), .type = FIELD_HEX },
	{ "provides", offsetof(struct ibc_subnet, provides), .type = FIELD_ATTRS },
	{ "cut_short", offsetof(struct ibc_subnet, cut_short), .type = FIELD_BOOL },
	{ "not_asked", offsetof(struct ibc_subnet, not_asked), .type = FIELD_U64 },
	{ "handovers", offsetof(struct ibc_subnet, handovers), .type = FIELD_U32 },
	{ "key_files", offsetof(struct ibc_subnet, key_files), .type = FIELD_TEXT },
	{ "keys_time", offsetof(struct ibc_subnet, keys_time), .type = FIELD_U64 },
	{ "origin", offsetof(struct ibc_subnet, origin), .type = FIELD_PORT,
	  .part = SUBNET_ORIGIN },
	{ "forwarding", offsetof(struct ibc_subnet, forwarding), .type = FIELD_OBJECT,
	  .part = SUBNET_FORWARDING, .record = &forwarding_record },
	{ "multicast", offsetof(struct ibc_subnet, multicast), .type = FIELD_OBJECT,
	  .part = SUBNET_MULTICAST, .record = &multicast_record },
	{ "sa", offsetof(struct ibc_subnet, sa), .type = FIELD_OBJECT, .part = SUBNET_SA,
	  .record = &sa_record },
	{ "sweep", offsetof(struct ibc_subnet, sweep), .type = FIELD_INSIDE,
	  .record = &sweep_record },
	{ .key = NULL },
};

const struct field header_fields[] = {
	{ SNAPSHOT_SCHEMA_KEY, 0, FIELD_NONE, .part = HEADER_SCHEMA },
	{ "tool", 0, .type = FIELD_NONE, .part = HEADER_TOOL },
	{ "subnets", 0, .type = FIELD_NONE, .part = HEADER_SUBNETS },
	{ .key = NULL },
};
