/* SPDX-License-Identifier: BSD-2-Clause */
/* The subnet manager of a port, and its partitions, in a snapshot. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/fabric.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "base/jsonwrite.h"
#include "base/str.h"
#include "source/fields.h"

#define KEY_DIGITS 4 /* of a P_Key */

static const struct field sm_fields[] = {
	{ "guid", offsetof(struct ibc_sm_info, guid), FIELD_HEX },
	{ "state", offsetof(struct ibc_sm_info, state), FIELD_U8 },
	{ "state_later", offsetof(struct ibc_sm_info, state_later), FIELD_U8 },
	{ "priority", offsetof(struct ibc_sm_info, priority), FIELD_U8 },
	{ "act_count", offsetof(struct ibc_sm_info, act_count), FIELD_U32 },
	{ "act_count_later", offsetof(struct ibc_sm_info, act_count_later), FIELD_U32 },
	{ "act_seconds", offsetof(struct ibc_sm_info, act_seconds), FIELD_REAL },
	{ NULL, 0, 0 },
};

/* ---- writing ------------------------------------------------------------- */

static void put_pkeys(struct json_out *o, const struct ibc_pkeys *pkeys)
{
	size_t n = KEY_DIGITS * pkeys->num_keys;
	char *text = xalloc(n + 1);

	o->failed |= !text;
	for (size_t i = 0; text && i < pkeys->num_keys; i++)
		sprintf(text + KEY_DIGITS * i, "%04x", pkeys->keys[i]);
	json_key(o, "pkeys");
	if (text)
		json_put_plain(o, text, n);
	free(text);
}

void managed_put(struct json_out *o, const struct ibc_port *port)
{
	if (port->pkeys)
		put_pkeys(o, port->pkeys);
	if (!port->sm)
		return;
	json_key(o, "sm");
	json_open(o, '{');
	fields_put(o, sm_fields, port->sm);
	json_close(o, '}');
}

/* ---- reading ------------------------------------------------------------- */

static bool are_pkeys(const struct json_item *value)
{
	return value->kind == JSON_TEXT && value->size % KEY_DIGITS == 0 &&
	       strspn(value->text, "0123456789abcdef") == value->size;
}

/* NULL when out of memory. */
static struct ibc_pkeys *get_pkeys(const struct json_item *value, struct arena *a)
{
	size_t n = value->size / KEY_DIGITS;
	struct ibc_pkeys *pkeys = arena_alloc(a, sizeof(*pkeys));
	uint16_t *keys = arena_array(a, n + 1, sizeof(*keys));

	if (!pkeys || !keys)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		char text[KEY_DIGITS + 1] = "";
		uint64_t key = 0;

		memcpy(text, value->text + KEY_DIGITS * i, KEY_DIGITS);
		str_guid(text, &key);
		keys[i] = (uint16_t)key;
	}
	*pkeys = (struct ibc_pkeys){ .keys = keys, .num_keys = n };
	return pkeys;
}

static int get_sm(const struct json_item *value, struct ibc_port *port, struct arena *a,
                  struct ibc_error *err)
{
	struct ibc_sm_info *sm = arena_alloc(a, sizeof(*sm));

	if (!sm)
		return fail_nomem(err);
	port->sm = sm;
	return fields_get(value, sm_fields, sm, NULL, a, err);
}

int managed_get(const struct json_item *sm, const struct json_item *pkeys, struct ibc_port *port,
                struct arena *a, struct ibc_error *err)
{
	if (ibc_port_has(port, IBC_ATTR_SM_INFO) && !sm)
		return fail(err, -EINVAL, "SMInfo was answered, but is missing here");
	if (ibc_port_has(port, IBC_ATTR_PKEY_TABLE) && !pkeys)
		return fail(err, -EINVAL, "partitions were answered, but are missing here");
	if (pkeys && !are_pkeys(pkeys))
		return fail(err, -EINVAL, "invalid value of \"pkeys\"");
	port->pkeys = pkeys ? get_pkeys(pkeys, a) : NULL;
	if (pkeys && !port->pkeys)
		return fail_nomem(err);
	return sm ? get_sm(sm, port, a, err) : 0;
}
