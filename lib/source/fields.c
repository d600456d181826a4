/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a snapshot's fields, and the one writer and reader of them. */
#include "source/fields.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <ibcheck/fabric.h>

#include "base/error.h"
#include "base/jsonread.h"
#include "base/jsonwrite.h"
#include "base/str.h"
#include "base/utf8.h"
#include "fabric/attributes.h"
#include "fabric/fabric.h"

#define ANSWERS(type, field)                                                                       \
	{ "asked", offsetof(type, answers.asked), field },                                         \
	    { "answered", offsetof(type, answers.answered), field },                               \
	    { "unsupported", offsetof(type, answers.unsupported), field },                         \
	{                                                                                          \
		"refused", offsetof(type, answers.refused), field                                  \
	}

const struct field subnet_fields[] = {
	{ "source", offsetof(struct ibc_subnet, source), FIELD_TEXT },
	{ "kind", offsetof(struct ibc_subnet, kind), FIELD_TEXT },
	{ "host", offsetof(struct ibc_subnet, host), FIELD_TEXT },
	{ "ca", offsetof(struct ibc_subnet, ca), FIELD_TEXT },
	{ "ca_port", offsetof(struct ibc_subnet, ca_port), FIELD_U8 },
	{ "file", offsetof(struct ibc_subnet, file), FIELD_TEXT },
	{ "time", offsetof(struct ibc_subnet, time), FIELD_U64 },
	{ "subnet_prefix", offsetof(struct ibc_subnet, subnet_prefix), FIELD_HEX },
	{ "provides", offsetof(struct ibc_subnet, provides), FIELD_ATTRS },
	{ "cut_short", offsetof(struct ibc_subnet, cut_short), FIELD_BOOL },
	{ "not_asked", offsetof(struct ibc_subnet, not_asked), FIELD_U64 },
	{ "handovers", offsetof(struct ibc_subnet, handovers), FIELD_U32 },
	{ "key_files", offsetof(struct ibc_subnet, key_files), FIELD_TEXT },
	{ "keys_time", offsetof(struct ibc_subnet, keys_time), FIELD_U64 },
	{ NULL, 0, 0 },
};

const struct field sweep_fields[] = {
	{ "sent", offsetof(struct ibc_sweep, sent), FIELD_U64 },
	{ "answered", offsetof(struct ibc_sweep, answered), FIELD_U64 },
	{ "unsupported", offsetof(struct ibc_sweep, unsupported), FIELD_U64 },
	{ "refused", offsetof(struct ibc_sweep, refused), FIELD_U64 },
	{ "retried", offsetof(struct ibc_sweep, retried), FIELD_U64 },
	{ "regained", offsetof(struct ibc_sweep, regained), FIELD_U64 },
	{ "timed_out", offsetof(struct ibc_sweep, timed_out), FIELD_U64 },
	{ "dropped_late", offsetof(struct ibc_sweep, dropped_late), FIELD_U64 },
	{ "dropped_mismatch", offsetof(struct ibc_sweep, dropped_mismatch), FIELD_U64 },
	{ "dropped_short", offsetof(struct ibc_sweep, dropped_short), FIELD_U64 },
	{ "peak_in_flight", offsetof(struct ibc_sweep, peak_in_flight), FIELD_U32 },
	{ "rtt_p50_us", offsetof(struct ibc_sweep, rtt_p50_us), FIELD_U32 },
	{ "rtt_p99_us", offsetof(struct ibc_sweep, rtt_p99_us), FIELD_U32 },
	{ "duration_seconds", offsetof(struct ibc_sweep, duration_seconds), FIELD_REAL },
	{ NULL, 0, 0 },
};

const struct field node_fields[] = {
	{ "guid", offsetof(struct ibc_node, guid), FIELD_HEX },
	{ "desc", offsetof(struct ibc_node, desc), FIELD_TEXT },
	{ "type", offsetof(struct ibc_node, type), FIELD_U8 },
	{ "num_ports", offsetof(struct ibc_node, num_ports), FIELD_U8 },
	{ "system_guid", offsetof(struct ibc_node, system_guid), FIELD_HEX },
	{ "vendor_id", offsetof(struct ibc_node, vendor_id), FIELD_U32 },
	{ "device_id", offsetof(struct ibc_node, device_id), FIELD_U16 },
	{ "revision", offsetof(struct ibc_node, revision), FIELD_U32 },
	{ "enhanced_port0", offsetof(struct ibc_node, enhanced_port0), FIELD_BOOL },
	{ "lft_cap", offsetof(struct ibc_node, lft_cap), FIELD_U16 },
	{ "lft_top", offsetof(struct ibc_node, lft_top), FIELD_U16 },
	{ "mft_cap", offsetof(struct ibc_node, mft_cap), FIELD_U16 },
	{ "mft_top", offsetof(struct ibc_node, mft_top), FIELD_U16 },
	{ "pkey_cap", offsetof(struct ibc_node, pkey_cap), FIELD_U16 },
	{ "pkey_enforce_cap", offsetof(struct ibc_node, pkey_enforce_cap), FIELD_U16 },
	{ "perf_cap_mask", offsetof(struct ibc_node, perf_cap_mask), FIELD_U16 },
	{ "perf_cap_mask2", offsetof(struct ibc_node, perf_cap_mask2), FIELD_U32 },
	{ "xmit_wait_tick", offsetof(struct ibc_node, xmit_wait_tick), FIELD_U8 },
	{ "firmware", offsetof(struct ibc_node, firmware), FIELD_TEXT },
	{ "psid", offsetof(struct ibc_node, psid), FIELD_TEXT },
	{ "has_gmp_capabilities", offsetof(struct ibc_node, has_gmp_capabilities), FIELD_BOOL },
	{ "gmp_capabilities", offsetof(struct ibc_node, gmp_capabilities[0]), FIELD_HEX },
	{ "gmp_capabilities_64", offsetof(struct ibc_node, gmp_capabilities[1]), FIELD_HEX },
	{ "smp_capabilities", offsetof(struct ibc_node, smp_capabilities[0]), FIELD_HEX },
	{ "smp_capabilities_64", offsetof(struct ibc_node, smp_capabilities[1]), FIELD_HEX },
	{ "max_planes", offsetof(struct ibc_node, max_planes), FIELD_U8 },
	{ "asymmetric_planes", offsetof(struct ibc_node, asymmetric_planes), FIELD_BOOL },
	{ "named_only", offsetof(struct ibc_node, named_only), FIELD_BOOL },
	{ "rack", offsetof(struct ibc_node, rack), FIELD_TEXT },
	{ "row", offsetof(struct ibc_node, row), FIELD_TEXT },
	{ "pod", offsetof(struct ibc_node, pod), FIELD_TEXT },
	{ "phy_discarded", offsetof(struct ibc_node, phy_discarded), FIELD_BOOL },
	ANSWERS(struct ibc_node, FIELD_NODE_ATTRS),
	{ NULL, 0, 0 },
};

const struct field port_fields[] = {
	{ "guid", offsetof(struct ibc_port, guid), FIELD_HEX },
	{ "state", offsetof(struct ibc_port, state), FIELD_U8 },
	{ "phys_state", offsetof(struct ibc_port, phys_state), FIELD_U8 },
	{ "width_active", offsetof(struct ibc_port, width_active), FIELD_U8 },
	{ "width_enabled", offsetof(struct ibc_port, width_enabled), FIELD_U8 },
	{ "width_supported", offsetof(struct ibc_port, width_supported), FIELD_U8 },
	{ "speed_active", offsetof(struct ibc_port, speed_active), FIELD_U16 },
	{ "speed_enabled", offsetof(struct ibc_port, speed_enabled), FIELD_U16 },
	{ "speed_supported", offsetof(struct ibc_port, speed_supported), FIELD_U16 },
	{ "lid", offsetof(struct ibc_port, lid), FIELD_U16 },
	{ "lmc", offsetof(struct ibc_port, lmc), FIELD_U8 },
	{ "sm_lid", offsetof(struct ibc_port, sm_lid), FIELD_U16 },
	{ "sm_sl", offsetof(struct ibc_port, sm_sl), FIELD_U8 },
	{ "mtu_cap", offsetof(struct ibc_port, mtu_cap), FIELD_U8 },
	{ "mtu_active", offsetof(struct ibc_port, mtu_active), FIELD_U8 },
	{ "vl_cap", offsetof(struct ibc_port, vl_cap), FIELD_U8 },
	{ "vl_active", offsetof(struct ibc_port, vl_active), FIELD_U8 },
	{ "arb_high_cap", offsetof(struct ibc_port, arb_high_cap), FIELD_U8 },
	{ "arb_low_cap", offsetof(struct ibc_port, arb_low_cap), FIELD_U8 },
	{ "cap_mask", offsetof(struct ibc_port, cap_mask), FIELD_U32 },
	{ "cap_mask2", offsetof(struct ibc_port, cap_mask2), FIELD_U16 },
	{ "subnet_prefix", offsetof(struct ibc_port, subnet_prefix), FIELD_HEX },
	{ "pkey_enforce", offsetof(struct ibc_port, pkey_enforce), FIELD_U8 },
	{ "m_key_protect", offsetof(struct ibc_port, m_key_protect), FIELD_U8 },
	{ "m_key_violations", offsetof(struct ibc_port, m_key_violations), FIELD_U16 },
	{ "label", offsetof(struct ibc_port, label), FIELD_TEXT },
	{ "keyed_peer", offsetof(struct ibc_port, keyed_peer), FIELD_HEX },
	{ "keyed_peer_lid", offsetof(struct ibc_port, keyed_peer_lid), FIELD_U16 },
	{ "m_key_differs", offsetof(struct ibc_port, m_key_differs), FIELD_BOOL },
	ANSWERS(struct ibc_port, FIELD_PORT_ATTRS),
	{ NULL, 0, 0 },
};

const struct field cable_fields[] = {
	{ "label", offsetof(struct ibc_cable, label), FIELD_TEXT },
	{ "length", offsetof(struct ibc_cable, length), FIELD_TEXT },
	{ NULL, 0, 0 },
};

const struct field forwarding_fields[] = {
	{ "lids", offsetof(struct ibc_forwarding, num_lids), FIELD_U32 },
	{ "file", offsetof(struct ibc_forwarding, file), FIELD_TEXT },
	{ "foreign", offsetof(struct ibc_forwarding, foreign), FIELD_U64 },
	{ "foreign_guid", offsetof(struct ibc_forwarding, foreign_guid), FIELD_HEX },
	{ NULL, 0, 0 },
};

const struct field multicast_fields[] = {
	{ "mlids", offsetof(struct ibc_multicast, num_mlids), FIELD_U32 },
	{ NULL, 0, 0 },
};

const struct field sa_fields[] = {
	{ "lid", offsetof(struct ibc_sa, lid), FIELD_U16 },
	{ "cap_mask", offsetof(struct ibc_sa, cap_mask), FIELD_U16 },
	{ "latency_us", offsetof(struct ibc_sa, latency_us), FIELD_U32 },
	{ "response_us", offsetof(struct ibc_sa, response_us), FIELD_U32 },
	{ "paths_file", offsetof(struct ibc_sa, paths_file), FIELD_TEXT },
	{ "cut_short", offsetof(struct ibc_sa, cut_short), FIELD_ATTRS },
	{ NULL, 0, 0 },
};

/* ---- numbers of any size ------------------------------------------------- */

unsigned int fields_size(enum field_type type)
{
	static const unsigned int sizes[] = {
		[FIELD_U8] = sizeof(uint8_t),          [FIELD_U16] = sizeof(uint16_t),
		[FIELD_U32] = sizeof(uint32_t),        [FIELD_U64] = sizeof(uint64_t),
		[FIELD_BOOL] = sizeof(bool),           [FIELD_REAL] = sizeof(double),
		[FIELD_HEX] = sizeof(uint64_t),        [FIELD_ATTRS] = sizeof(struct ibc_attrs),
		[FIELD_NODE_ATTRS] = sizeof(uint64_t), [FIELD_PORT_ATTRS] = sizeof(uint64_t),
		[FIELD_TEXT] = sizeof(char *),
	};

	return sizes[type];
}

uint64_t fields_number(const void *at, enum field_type type)
{
	switch (fields_size(type)) {
	case sizeof(uint8_t):
		return *(const uint8_t *)at;
	case sizeof(uint16_t):
		return *(const uint16_t *)at;
	case sizeof(uint32_t):
		return *(const uint32_t *)at;
	default:
		return *(const uint64_t *)at;
	}
}

bool fields_set_number(void *at, enum field_type type, uint64_t value)
{
	switch (fields_size(type)) {
	case sizeof(uint8_t):
		*(uint8_t *)at = (uint8_t)value;
		break;
	case sizeof(uint16_t):
		*(uint16_t *)at = (uint16_t)value;
		break;
	case sizeof(uint32_t):
		*(uint32_t *)at = (uint32_t)value;
		break;
	default:
		*(uint64_t *)at = value;
	}
	return fields_number(at, type) == value;
}

/* ---- writing ------------------------------------------------------------- */

static const uint64_t *bits_of(enum field_type type)
{
	return type == FIELD_NODE_ATTRS ? attr_node_bits : attr_port_bits;
}

static struct ibc_attrs attrs_at(const void *at, enum field_type type)
{
	if (type == FIELD_ATTRS)
		return *(const struct ibc_attrs *)at;
	return attrs_from_bits(*(const uint64_t *)at, bits_of(type));
}

static void put_attrs(struct json_out *o, struct ibc_attrs set)
{
	json_open(o, '[');
	for (enum ibc_attr a = 0; (a = ibc_attrs_next(set, a));)
		json_put_word(o, ibc_attr_name(a));
	json_close(o, ']');
}

static void put_value(struct json_out *o, const void *at, enum field_type type)
{
	switch (type) {
	case FIELD_U8:
	case FIELD_U16:
	case FIELD_U32:
	case FIELD_U64:
		json_put_number(o, (int64_t)fields_number(at, type));
		break;
	case FIELD_BOOL:
		json_put_bool(o, fields_number(at, type));
		break;
	case FIELD_HEX:
		json_put_guid(o, fields_number(at, type));
		break;
	case FIELD_ATTRS:
	case FIELD_NODE_ATTRS:
	case FIELD_PORT_ATTRS:
		put_attrs(o, attrs_at(at, type));
		break;
	case FIELD_REAL:
		json_put_real(o, *(const double *)at);
		break;
	case FIELD_TEXT:
		json_put_text(o, *(const char *const *)at);
	}
}

static bool is_empty(const void *at, enum field_type type)
{
	if (type == FIELD_REAL)
		return *(const double *)at == 0;
	if (type == FIELD_ATTRS)
		return ibc_attrs_is_empty(attrs_at(at, type));
	if (type == FIELD_TEXT)
		return !*(const char *const *)at || !**(const char *const *)at;
	return fields_number(at, type) == 0;
}

void fields_put(struct json_out *o, const struct field *table, const void *base)
{
	for (const struct field *f = table; f->key; f++) {
		const char *at = (const char *)base + f->offset;

		if (is_empty(at, f->type))
			continue;
		json_key(o, f->key);
		put_value(o, at, f->type);
	}
}

/* ---- reading ------------------------------------------------------------- */

static bool get_number(const struct json_item *value, void *at, enum field_type type)
{
	uint64_t number;

	return json_index(value, INT64_MAX, &number) && fields_set_number(at, type, number);
}

static bool get_bool(const struct json_item *value, bool *at)
{
	*at = value->kind == JSON_YES;
	return *at || value->kind == JSON_NO;
}

static bool get_hex(const struct json_item *value, uint64_t *at)
{
	if (value->kind == JSON_GUID)
		*at = (uint64_t)value->number;
	if (value->kind == JSON_GUID)
		return true;
	return value->kind == JSON_TEXT && str_guid(value->text, at) == 0;
}

static bool get_real(const struct json_item *value, double *at)
{
	if (value->kind != JSON_NUMBER && value->kind != JSON_REAL_NUMBER)
		return false;
	*at = value->kind == JSON_NUMBER ? (double)value->number : value->real;
	return *at >= 0;
}

/* They are written in order: the one that comes next is not far behind the last. */
static enum ibc_attr attr_behind(enum ibc_attr last, const char *name)
{
	for (enum ibc_attr a = last + 1; a < IBC_ATTR_COUNT; a++)
		if (strcmp(ibc_attr_name(a), name) == 0)
			return a;
	return attr_of(name);
}

static bool get_attrs(const struct json_item *value, struct ibc_attrs *set)
{
	enum ibc_attr attr = IBC_ATTR_NONE;

	*set = IBC_ATTRS();
	if (value->kind != JSON_LIST)
		return false;
	for (const struct json_item *name = value + 1; name != json_behind(value);
	     name = json_behind(name)) {
		attr = name->kind == JSON_TEXT ? attr_behind(attr, name->text) : IBC_ATTR_NONE;
		if (!attr || ibc_attrs_has(*set, attr))
			return false;
		ibc_attrs_add(set, attr);
	}
	return true;
}

/* What a node cannot be asked, or a port, is no possible value. */
static bool get_answers(const struct json_item *value, enum field_type type, uint64_t *at)
{
	struct ibc_attrs set;

	if (!get_attrs(value, &set))
		return false;
	*at = attrs_to_bits(set, bits_of(type));
	return ibc_attrs_is_empty(ibc_attrs_minus(set, attrs_at(at, type)));
}

static int get_text(const struct json_item *value, const char **at, struct arena *a)
{
	const char *text;

	if (value->kind != JSON_TEXT)
		return -EINVAL;
	text = utf8_clean(a, value->text, value->size);
	if (!text)
		return -ENOMEM;
	*at = text;
	return 0;
}

static int get_value(const struct json_item *value, void *at, enum field_type type, struct arena *a)
{
	bool good = false;

	switch (type) {
	case FIELD_U8:
	case FIELD_U16:
	case FIELD_U32:
	case FIELD_U64:
		good = get_number(value, at, type);
		break;
	case FIELD_BOOL:
		good = get_bool(value, at);
		break;
	case FIELD_REAL:
		good = get_real(value, at);
		break;
	case FIELD_HEX:
		good = get_hex(value, at);
		break;
	case FIELD_ATTRS:
		good = get_attrs(value, at);
		break;
	case FIELD_NODE_ATTRS:
	case FIELD_PORT_ATTRS:
		good = get_answers(value, type, at);
		break;
	case FIELD_TEXT:
		return get_text(value, at, a);
	}
	return good ? 0 : -EINVAL;
}

static bool is_key(const char *key, const char *wanted)
{
	return wanted && *key == *wanted && strcmp(key, wanted) == 0;
}

/* Fields are written in order: the next one is at hint or not far behind. */
static const struct field *find_field(const struct field *table, const struct field *hint,
                                      const char *key)
{
	for (; hint->key; hint++)
		if (is_key(key, hint->key))
			return hint;
	for (; table->key; table++)
		if (is_key(key, table->key))
			return table;
	return NULL;
}

static struct field_other *find_other(struct field_other *other, const char *key)
{
	for (; other && other->key; other++)
		if (is_key(key, other->key))
			return other;
	return NULL;
}

static int get_field(const struct field *f, const struct json_item *value, void *base,
                     struct arena *a, struct ibc_error *err)
{
	int rc = get_value(value, (char *)base + f->offset, f->type, a);

	if (rc == -ENOMEM)
		return fail_nomem(err);
	return rc ? fail(err, rc, "invalid value of \"%s\"", f->key) : 0;
}

static int fail_twice(const char *key, struct ibc_error *err)
{
	return fail(err, -EINVAL, "\"%s\" comes twice", key);
}

static int get_other(struct field_other *other, const struct json_item *value,
                     struct ibc_error *err)
{
	if (other->value)
		return fail_twice(other->key, err);
	other->value = value;
	return 0;
}

static void forget_others(struct field_other *other)
{
	for (; other && other->key; other++)
		other->value = NULL;
}

int fields_get(const struct json_item *from, const struct field *table, void *base,
               struct field_other *other, struct arena *a, struct ibc_error *err)
{
	const struct field *next = table;
	uint64_t seen = 0;
	int rc = 0;

	if (!json_is(from, JSON_MEMBERS))
		return fail(err, -EINVAL, "an object was expected");
	forget_others(other);
	for (const struct json_item *key = from + 1; rc == 0 && key != json_behind(from);
	     key = json_behind(key + 1)) {
		const bool is_next = is_key(key->text, next->key);
		struct field_other *o = is_next ? NULL : find_other(other, key->text);
		const struct field *f = o ? NULL : find_field(table, next, key->text);

		if (o)
			rc = get_other(o, key + 1, err);
		else if (!f)
			rc = fail(err, -EINVAL, "unknown key \"%s\"", key->text);
		else if (seen >> (f - table) & 1)
			rc = fail_twice(f->key, err);
		else
			rc = get_field(f, key + 1, base, a, err);
		if (f) {
			seen |= 1ull << (f - table);
			next = f + 1;
		}
	}
	return rc;
}

void fields_copy(const struct field *table, const void *from, void *to)
{
	for (; table->key; table++)
		memcpy((char *)to + table->offset, (const char *)from + table->offset,
		       fields_size(table->type));
}
