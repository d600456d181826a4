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
#include "source/fields.h"

#define VLS 16 /* virtual lanes 0 .. 15 */

static json_t *number_json(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static bool get_number(const json_t *value, uint64_t *out)
{
	json_int_t number = json_integer_value(value);

	*out = number == INT64_MAX ? UINT64_MAX : (uint64_t)number;
	return json_is_integer(value) && number >= 0;
}

/* ---- writing ------------------------------------------------------------- */

static int put_values(json_t *values, json_t *saturated, const struct ibc_counters *c)
{
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		const char *key = ibc_counter_word(i)->word;

		if (!(c->known & 1u << i))
			continue;
		if (json_object_set_new_nocheck(values, key, number_json(c->value[i])))
			return -1;
		if (c->saturated & 1u << i &&
		    json_array_append_new(saturated, json_string_nocheck(key)))
			return -1;
	}
	return 0;
}

static int put_vl_wait(json_t *to, const uint64_t *wait)
{
	json_t *array = json_array();

	for (unsigned int vl = 0; vl < VLS; vl++)
		array = json_with_item(array, number_json(wait[vl]));
	return json_object_set_new_nocheck(to, "vl_transmit_wait", array);
}

json_t *counters_json(const struct ibc_counters *c)
{
	json_t *object = json_object(), *values = json_object(), *saturated = json_array();
	int failed = put_values(values, saturated, c);

	failed |= json_object_set_new_nocheck(object, "at_seconds", json_real(c->at_seconds));
	failed |= json_object_set_new_nocheck(object, "values", values);
	failed |= json_object_set_new_nocheck(object, "saturated", saturated);
	if (c->vl_wait)
		failed |= put_vl_wait(object, c->vl_wait);
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
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
		return fail(err, -EINVAL, "invalid value of \"values\"");
	json_object_foreach((json_t *)values, key, value) {
		enum ibc_counter i = counter_of(key);

		if (i == IBC_COUNTERS)
			return fail(err, -EINVAL, "unknown counter \"%s\"", key);
		if (!get_number(value, &out->value[i]))
			return fail(err, -EINVAL, "invalid value of \"%s\"", key);
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
		return fail(err, -EINVAL, "invalid value of \"counters\"");
	rc = fields_get(from, own_fields, c, other, a, err);
	if (rc == 0)
		rc = get_values(json_object_get(from, "values"), c, err);
	if (rc)
		return rc;
	if (!get_saturated(json_object_get(from, "saturated"), c))
		return fail(err, -EINVAL, "invalid value of \"saturated\"");
	if (vl_wait && !get_vl_wait(vl_wait, wait))
		return fail(err, -EINVAL, "invalid value of \"vl_transmit_wait\"");
	c->vl_wait = wait;
	*out = c;
	return 0;
}
