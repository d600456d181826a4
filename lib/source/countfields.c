/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters of a port in a snapshot.  Here 0 is written too: it is not the same
 * as a counter that is not known.  JSON's integers end at 2^63 - 1, which stands for
 * all ones.
 */
#include <errno.h>
#include <string.h>

#include <ibcheck/fabric.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/jsonwrite.h"
#include "source/fields.h"

#define VLS 16 /* virtual lanes 0 .. 15 */

static bool get_number(const json_t *value, uint64_t *out)
{
	json_int_t number = json_integer_value(value);

	*out = number == INT64_MAX ? UINT64_MAX : (uint64_t)number;
	return json_is_integer(value) && number >= 0;
}

/* ---- writing ------------------------------------------------------------- */

static void put_number(struct json_out *o, uint64_t value)
{
	json_put_number(o, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static void put_values(struct json_out *o, const struct ibc_counters *c)
{
	json_open(o, '{');
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		if (!(c->known & 1u << i))
			continue;
		json_key(o, ibc_counter_word(i)->word);
		put_number(o, c->value[i]);
	}
	json_close(o, '}');
}

static void put_saturated(struct json_out *o, const struct ibc_counters *c)
{
	json_open(o, '[');
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (c->known & c->saturated & 1u << i)
			json_put_text(o, ibc_counter_word(i)->word);
	json_close(o, ']');
}

static void put_vl_wait(struct json_out *o, const uint64_t *wait)
{
	json_open(o, '[');
	for (unsigned int vl = 0; vl < VLS; vl++)
		put_number(o, wait[vl]);
	json_close(o, ']');
}

void counters_put(struct json_out *o, const struct ibc_counters *c)
{
	json_open(o, '{');
	json_key(o, "at_seconds");
	json_put_real(o, c->at_seconds);
	json_key(o, "values");
	put_values(o, c);
	json_key(o, "saturated");
	put_saturated(o, c);
	if (c->vl_wait) {
		json_key(o, "vl_transmit_wait");
		put_vl_wait(o, c->vl_wait);
	}
	json_close(o, '}');
}

/* ---- reading ------------------------------------------------------------- */

static enum ibc_counter counter_of(const char *key)
{
	unsigned int i = 0;

	while (i < IBC_COUNTERS && strcmp(ibc_counter_word(i)->word, key) != 0)
		i++;
	return i;
}

static int get_values(const json_t *values, struct ibc_counters *out, struct ibc_error *err)
{
	const json_t *value;
	const char *key;

	if (!json_is_object(values))
		return fail(err, -EINVAL, "no possible value of \"values\"");
	json_object_foreach((json_t *)values, key, value) {
		enum ibc_counter i = counter_of(key);

		if (i == IBC_COUNTERS)
			return fail(err, -EINVAL, "unknown counter \"%s\"", key);
		if (!get_number(value, &out->value[i]))
			return fail(err, -EINVAL, "no possible value of \"%s\"", key);
		out->known |= 1u << i;
	}
	return 0;
}

static bool get_saturated(const json_t *array, struct ibc_counters *out)
{
	const json_t *name;
	size_t i;

	json_array_foreach(array, i, name) {
		enum ibc_counter counter = IBC_COUNTERS;

		if (json_is_string(name))
			counter = counter_of(json_string_value(name));
		if (counter == IBC_COUNTERS || !(out->known & 1u << counter))
			return false;
		out->saturated |= 1u << counter;
	}
	return json_is_array(array);
}

static bool get_vl_wait(const json_t *array, uint64_t *out)
{
	const json_t *value;
	size_t vl;

	if (json_array_size(array) != VLS)
		return false;
	json_array_foreach(array, vl, value) {
		if (!get_number(value, &out[vl]))
			return false;
	}
	return true;
}

static const struct field own_fields[] = {
	{ "at_seconds", offsetof(struct ibc_counters, at_seconds), FIELD_REAL },
	{ NULL, 0, 0 },
};

int counters_get(const json_t *from, struct arena *a, const struct ibc_counters **out,
                 struct ibc_error *err)
{
	static const char *const other[] = { "values", "saturated", "vl_transmit_wait", NULL };
	const json_t *vl_wait = json_object_get(from, "vl_transmit_wait");
	struct ibc_counters *c = arena_alloc(a, sizeof(*c));
	uint64_t *wait = vl_wait ? arena_array(a, VLS, sizeof(*wait)) : NULL;
	int rc;

	if (!c || (vl_wait && !wait))
		return fail_nomem(err);
	if (!json_is_object(from))
		return fail(err, -EINVAL, "no possible value of \"counters\"");
	rc = fields_get(from, own_fields, c, other, a, err);
	if (rc == 0)
		rc = get_values(json_object_get(from, "values"), c, err);
	if (rc)
		return rc;
	if (!get_saturated(json_object_get(from, "saturated"), c))
		return fail(err, -EINVAL, "no possible value of \"saturated\"");
	if (vl_wait && !get_vl_wait(vl_wait, wait))
		return fail(err, -EINVAL, "no possible value of \"vl_transmit_wait\"");
	c->vl_wait = wait;
	*out = c;
	return 0;
}
