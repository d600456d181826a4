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
#include "base/error.h"
#include "base/jsonread.h"
#include "base/jsonwrite.h"
#include "base/phywords.h"
#include "base/str.h"
#include "source/fields.h"
#include "source/snapshot/snapshot.h"

/* A value that has the key as its name. */
#define F(of, name, kind)                                                                          \
	{                                                                                          \
#name, offsetof(struct ibc_##of, name), .type = FIELD_##kind                       \
	}
#define OBJECT(of, name)                                                                           \
	{                                                                                          \
#name, offsetof(struct ibc_##of, name), .type = FIELD_OBJECT,                      \
							.record = &name##_record                   \
	}
#define EXTRA(name, kind, ...)                                                                     \
	{                                                                                          \
#name, offsetof(struct whole_port, extra.name), .type = FIELD_##kind,              \
								##__VA_ARGS__                      \
	}
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

static bool is_null(const void *at)
{
	return !*(const void *const *)at;
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
static const struct field_own vl_wait = { is_null, put_wait, get_wait };

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
	F(fec_histogram, fec_type, U8),
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
	F(phy, at_seconds, SECONDS),
	{ "age_seconds", offsetof(struct ibc_phy, at_seconds), .type = FIELD_AGE },
	F(phy, fec_active, U8),
	F(phy, fec_requested, U8),
	F(phy, why_down, TEXT),
	{ "values", 0, .type = FIELD_OWN, .flags = FIELD_NEEDED, .own = &phy_values },
	F(phy, known_bers, U8),
	{ "bers", offsetof(struct ibc_phy, ber), .type = FIELD_U8, .num = 2 * IBC_BERS,
	  .when = offsetof(struct ibc_phy, known_bers) },
	OBJECT(phy, histogram),
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
	F(module, vendor, TEXT),
	F(module, part, TEXT),
	F(module, revision, TEXT),
	F(module, serial, TEXT),
	F(module, date, TEXT),
	F(module, firmware, TEXT),
	F(module, oui, U32),
	F(module, rates, U16),
	F(module, kind, U8),
	F(module, form, U8),
	F(module, technology, U8),
	F(module, breakout, U8),
	F(module, monitored, U8),
	F(module, rx_average, BOOL),
	F(module, state, U8),
	F(module, config_error, U8),
	F(module, length_m, NAN),
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
	F(sensor, name, TEXT),
	F(sensor, index, U16),
	F(sensor, kind, U8),
	F(sensor, alarm, U8),
	{ "readings", offsetof(struct ibc_sensor, now), .type = FIELD_NAN,
	  .flags = FIELD_ZERO | FIELD_NEEDED, .num = SENSOR_READINGS },
	{ .key = NULL },
};
static const struct record sensor_record = { sensor_fields, .size = sizeof(struct ibc_sensor) };

/* ---- management of a port ----------------------------------------------------- */

static const struct field sm_fields[] = {
	F(sm_info, guid, HEX),         F(sm_info, state, U8),
	F(sm_info, state_later, U8),   F(sm_info, priority, U8),
	F(sm_info, act_count, U32),    F(sm_info, act_count_later, U32),
	F(sm_info, act_seconds, REAL), { .key = NULL },
};
static const struct record sm_record = { sm_fields, .size = sizeof(struct ibc_sm_info) };

#define KEY_DIGITS 4 /* of a P_Key */

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
static const struct field_own pkeys = { is_null, put_pkeys, get_pkeys };

static const struct field vport_fields[] = {
	F(vport, index, U16),     F(vport, guid, HEX), F(vport, lid, U16),
	F(vport, lid_index, U16), F(vport, state, U8), F(vport, lid_required, BOOL),
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
	F(vports, cap, U16),
	F(vports, top, U16),
	F(vports, enabled, BOOL),
	{ "list", offsetof(struct ibc_vports, vports), .type = FIELD_LIST,
	  .flags = FIELD_ZERO | FIELD_NEEDED, .count = offsetof(struct ibc_vports, num_vports),
	  .record = &vport_record },
	{ .key = NULL },
};
static const struct record vports_record = { vports_fields, .size = sizeof(struct ibc_vports),
	                                     .wrong = wrong_in_vports };

static const struct field cable_fields[] = {
	F(cable, label, TEXT),
	F(cable, length, TEXT),
	{ .key = NULL },
};
static const struct record cable_record = { cable_fields, .size = sizeof(struct ibc_cable) };

const struct field port_fields[] = {
	{ "num", 0, .type = FIELD_NONE, .part = PORT_NUM },
	F(port, guid, HEX),
	F(port, state, U8),
	F(port, phys_state, U8),
	F(port, width_active, U8),
	F(port, width_enabled, U8),
	F(port, width_supported, U8),
	F(port, speed_active, U16),
	F(port, speed_enabled, U16),
	F(port, speed_supported, U16),
	F(port, lid, U16),
	F(port, lmc, U8),
	F(port, sm_lid, U16),
	F(port, sm_sl, U8),
	F(port, mtu_cap, U8),
	F(port, mtu_active, U8),
	F(port, vl_cap, U8),
	F(port, vl_active, U8),
	F(port, arb_high_cap, U8),
	F(port, arb_low_cap, U8),
	F(port, cap_mask, U32),
	F(port, cap_mask2, U16),
	F(port, subnet_prefix, HEX),
	F(port, pkey_enforce, U8),
	F(port, m_key_protect, U8),
	EXTRA(m_key_violations, U16),
	EXTRA(label, TEXT),
	EXTRA(pci, U32),
	EXTRA(aport, U32),
	EXTRA(fnm, BOOL),
	EXTRA(plane, U8),
	EXTRA(num_planes, U8),
	EXTRA(keyed_peer, HEX),
	EXTRA(keyed_peer_lid, U16),
	EXTRA(m_key_differs, BOOL),
	ANSWERS(struct ibc_port, FIELD_PORT_ATTRS),
	{ "peer", offsetof(struct ibc_port, peer), .type = FIELD_PORT, .part = PORT_PEER },
	EXTRA(cable, OBJECT, .record = &cable_record),
	EXTRA(pkeys, OWN, .own = &pkeys),
	EXTRA(sm, OBJECT, .record = &sm_record),
	{ "counters", offsetof(struct ibc_port, counters), .type = FIELD_OBJECT,
	  .part = PORT_COUNTERS, .record = &counters_record },
	EXTRA(rose, OBJECT, .record = &counters_record),
	EXTRA(phy, OBJECT, .record = &phy_record),
	EXTRA(module, OBJECT, .record = &module_record),
	EXTRA(vports, OBJECT, .record = &vports_record),
	{ .key = NULL },
};

/* ---- nodes --------------------------------------------------------------- */

static const struct field ar_fields[] = {
	F(ar_info, flags, U32),
	F(ar_info, group_cap, U16),
	F(ar_info, group_top, U16),
	F(ar_info, group_tables, U8),
	F(ar_info, sub_groups, U8),
	F(ar_info, sub_groups_cap, U8),
	F(ar_info, sl_mask, U16),
	F(ar_info, transports_off, U8),
	F(ar_info, ageing_us, U32),
	F(ar_info, hbf_sl_mask, U16),
	{ .key = NULL },
};
static const struct record ar_record = { ar_fields, .size = sizeof(struct ibc_ar_info) };

static const struct field router_fields[] = {
	{ "global_first", offsetof(struct ibc_router, global.first), .type = FIELD_U32 },
	{ "global_last", offsetof(struct ibc_router, global.last), .type = FIELD_U32 },
	{ "local_first", offsetof(struct ibc_router, local.first), .type = FIELD_U32 },
	{ "local_last", offsetof(struct ibc_router, local.last), .type = FIELD_U32 },
	F(router, adjacent_top, U8),
	F(router, adjacent_cap, U8),
	{ .key = NULL },
};
static const struct record router_record = { router_fields, .size = sizeof(struct ibc_router) };

const struct field node_fields[] = {
	{ "subnet", 0, .type = FIELD_NONE, .part = NODE_SUBNET },
	F(node, guid, HEX),
	F(node, desc, TEXT),
	F(node, type, U8),
	F(node, num_ports, U8),
	F(node, system_guid, HEX),
	F(node, vendor_id, U32),
	F(node, device_id, U16),
	F(node, revision, U32),
	F(node, enhanced_port0, BOOL),
	F(node, lft_cap, U16),
	F(node, lft_top, U16),
	F(node, mft_cap, U16),
	F(node, mft_top, U16),
	F(node, pkey_cap, U16),
	F(node, pkey_enforce_cap, U16),
	F(node, perf_cap_mask, U16),
	F(node, perf_cap_mask2, U32),
	F(node, xmit_wait_tick, U8),
	F(node, firmware, TEXT),
	F(node, psid, TEXT),
	F(node, has_gmp_capabilities, BOOL),
	{ "gmp_capabilities", offsetof(struct ibc_node, gmp_capabilities[0]), .type = FIELD_HEX },
	{ "gmp_capabilities_64", offsetof(struct ibc_node, gmp_capabilities[1]),
	  .type = FIELD_HEX },
	{ "smp_capabilities", offsetof(struct ibc_node, smp_capabilities[0]), .type = FIELD_HEX },
	{ "smp_capabilities_64", offsetof(struct ibc_node, smp_capabilities[1]),
	  .type = FIELD_HEX },
	F(node, max_planes, U8),
	F(node, asymmetric_planes, BOOL),
	F(node, named_only, BOOL),
	F(node, rack, TEXT),
	F(node, row, TEXT),
	F(node, pod, TEXT),
	F(node, phy_discarded, BOOL),
	ANSWERS(struct ibc_node, FIELD_NODE_ATTRS),
	{ "name", offsetof(struct ibc_node, name), .type = FIELD_TEXT, .part = NODE_NAME },
	{ "sensors", offsetof(struct ibc_node, sensors), .type = FIELD_LIST,
	  .count = offsetof(struct ibc_node, num_sensors), .record = &sensor_record },
	{ "adaptive_routing", offsetof(struct ibc_node, ar), .type = FIELD_OBJECT,
	  .record = &ar_record },
	OBJECT(node, router),
	{ "ports", 0, .type = FIELD_NONE, .part = NODE_PORTS },
	{ .key = NULL },
};

/* ---- subnets ------------------------------------------------------------- */

static const struct field sweep_fields[] = {
	F(sweep, sent, U64),
	F(sweep, answered, U64),
	F(sweep, unsupported, U64),
	F(sweep, refused, U64),
	F(sweep, retried, U64),
	F(sweep, regained, U64),
	F(sweep, timed_out, U64),
	F(sweep, dropped_late, U64),
	F(sweep, dropped_mismatch, U64),
	F(sweep, dropped_short, U64),
	F(sweep, peak_in_flight, U32),
	F(sweep, rtt_p50_us, U32),
	F(sweep, rtt_p99_us, U32),
	F(sweep, duration_seconds, REAL),
	{ .key = NULL },
};

const struct field forwarding_fields[] = {
	{ "lids", offsetof(struct ibc_forwarding, num_lids), .type = FIELD_U32 },
	F(forwarding, file, TEXT),
	F(forwarding, foreign, U64),
	F(forwarding, foreign_guid, HEX),
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
	F(sa, lid, U16),         F(sa, cap_mask, U16),    F(sa, latency_us, U32),
	F(sa, response_us, U32), F(sa, paths_file, TEXT), F(sa, cut_short, ATTRS),
	{ .key = NULL },
};
static const struct record sa_record = { sa_fields, .size = sizeof(struct ibc_sa) };

static const struct record sweep_record = { sweep_fields, .size = sizeof(struct ibc_sweep) };

static const struct field lost_fields[] = {
	F(lost, file, TEXT),  F(lost, why, TEXT), F(lost, line, U64),
	F(lost, column, U64), { .key = NULL },
};
static const struct record lost_record = { lost_fields, .size = sizeof(struct ibc_lost) };

const struct field subnet_fields[] = {
	F(subnet, source, TEXT),
	F(subnet, kind, TEXT),
	F(subnet, host, TEXT),
	F(subnet, ca, TEXT),
	F(subnet, ca_port, U8),
	F(subnet, file, TEXT),
	F(subnet, time, U64),
	F(subnet, subnet_prefix, HEX),
	F(subnet, provides, ATTRS),
	F(subnet, cut_short, BOOL),
	F(subnet, read_twice, BOOL),
	F(subnet, pause_seconds, REAL),
	F(subnet, not_asked, U64),
	F(subnet, lines_lost, U64),
	F(subnet, lost_of, ATTRS),
	{ "lost", offsetof(struct ibc_subnet, lost), .type = FIELD_LIST,
	  .count = offsetof(struct ibc_subnet, num_lost), .record = &lost_record },
	F(subnet, handovers, U32),
	F(subnet, key_files, TEXT),
	F(subnet, keys_time, U64),
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
