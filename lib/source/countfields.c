/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters of a port in a snapshot.  Here 0 is written too: it is not the same
 * as a counter that is not known.  JSON's integers end at 2^63 - 1, which stands for
 * all ones.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <ibcheck/fabric.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "base/jsonwrite.h"
#include "source/fields.h"

#define VLS 16 /* virtual lanes 0 .. 15 */

bool count_get(const struct json_item *value, uint64_t *out)
{
	bool good = json_index(value, INT64_MAX, out);

	if (*out == INT64_MAX)
		*out = UINT64_MAX;
	return good;
}

/* ---- writing ------------------------------------------------------------- */

void count_put(struct json_out *o, uint64_t value)
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
		count_put(o, c->value[i]);
	}
	json_close(o, '}');
}

static void put_saturated(struct json_out *o, const struct ibc_counters *c)
{
	json_open(o, '[');
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (c->known & c->saturated & 1u << i)
			json_put_word(o, ibc_counter_word(i)->word);
	json_close(o, ']');
}

static void put_vl_wait(struct json_out *o, const uint64_t *wait)
{
	json_open(o, '[');
	for (unsigned int vl = 0; vl < VLS; vl++)
		count_put(o, wait[vl]);
	json_close(o, ']');
}

void counters_put(struct json_out *o, const struct ibc_counters *c)
{
	json_open(o, '{');
	json_key(o, c->at_seconds < 0 ? "age_seconds" : "at_seconds");
	json_put_real(o, fabs(c->at_seconds));
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

/* They are written in order, so that the first look finds it. */
static enum ibc_counter counter_of(const char *key, unsigned int first)
{
	for (unsigned int n = 0; n < IBC_COUNTERS; n++) {
		unsigned int i = (first + n) % IBC_COUNTERS;

		if (strcmp(ibc_counter_word(i)->word, key) == 0)
			return i;
	}
	return IBC_COUNTERS;
}

static int get_values(const struct json_item *values, struct ibc_counters *out,
                      struct ibc_error *err)
{
	unsigned int next = 0;

	if (!json_is(values, JSON_MEMBERS))
		return fail(err, -EINVAL, "invalid value of \"values\"");
	for (const struct json_item *key = values + 1; key != json_behind(values);
	     key = json_behind(key + 1)) {
		enum ibc_counter i = counter_of(key->text, next);

		if (i == IBC_COUNTERS)
			return fail(err, -EINVAL, "unknown counter \"%s\"", key->text);
		if (out->known & 1u << i || !count_get(key + 1, &out->value[i]))
			return fail(err, -EINVAL, "invalid value of \"%s\"", key->text);
		out->known |= 1u << i;
		next = i + 1;
	}
	return 0;
}

static bool get_saturated(const struct json_item *list, struct ibc_counters *out)
{
	if (!json_is(list, JSON_LIST))
		return false;
	for (const struct json_item *name = list + 1; name != json_behind(list);
	     name = json_behind(name)) {
		enum ibc_counter counter = name->kind == JSON_TEXT ? counter_of(name->text, 0)
		                                                   : IBC_COUNTERS;

		if (counter == IBC_COUNTERS || !(out->known & 1u << counter))
			return false;
		out->saturated |= 1u << counter;
	}
	return true;
}

static bool get_vl_wait(const struct json_item *list, uint64_t *out)
{
	/* numbers have nothing inside */
	if (!json_is(list, JSON_LIST) || list->size != VLS)
		return false;
	for (size_t vl = 0; vl < VLS; vl++)
		if (!count_get(list + 1 + vl, &out[vl]))
			return false;
	return true;
}

/* What an earlier sweep read has an age: it comes before the subnet's time. */
struct read_at {
	double at_seconds, age_seconds;
};
static const struct field own_fields[] = {
	{ "at_seconds", offsetof(struct read_at, at_seconds), FIELD_REAL },
	{ "age_seconds", offsetof(struct read_at, age_seconds), FIELD_REAL },
	{ NULL, 0, 0 },
};

static int keep(const struct ibc_counters *counters, struct arena *a,
                const struct ibc_counters **out, struct ibc_error *err)
{
	size_t wait_bytes = counters->vl_wait ? VLS * sizeof(*counters->vl_wait) : 0;
	struct ibc_counters *c = arena_alloc(a, sizeof(*c) + wait_bytes);

	if (!c)
		return fail_nomem(err);
	*c = *counters;
	if (wait_bytes)
		c->vl_wait = memcpy(c + 1, counters->vl_wait, wait_bytes);
	*out = c;
	return 0;
}

int counters_get(const struct json_item *from, struct arena *a, const struct ibc_counters **out,
                 struct ibc_error *err)
{
	struct field_other other[] = { { "values", NULL },
		                       { "saturated", NULL },
		                       { "vl_transmit_wait", NULL },
		                       { NULL, NULL } };
	struct read_at when = { 0, 0 };
	struct ibc_counters c = { 0 };
	uint64_t wait[VLS];
	int rc;

	if (!json_is(from, JSON_MEMBERS))
		return fail(err, -EINVAL, "invalid value of \"counters\"");
	rc = fields_get(from, own_fields, &when, other, a, err);
	c.at_seconds = when.at_seconds - when.age_seconds;
	if (rc == 0)
		rc = get_values(other[0].value, &c, err);
	if (rc)
		return rc;
	if (!get_saturated(other[1].value, &c))
		return fail(err, -EINVAL, "invalid value of \"saturated\"");
	if (other[2].value && !get_vl_wait(other[2].value, wait))
		return fail(err, -EINVAL, "invalid value of \"vl_transmit_wait\"");
	c.vl_wait = other[2].value ? wait : NULL;
	return a ? keep(&c, a, out, err) : 0;
}
