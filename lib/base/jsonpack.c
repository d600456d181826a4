/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/jsonpack.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/utf8.h"

#define VARIABLE_MAX 10 /* bytes of a number of 64 bits, 7 in each */
#define DEPTH_MAX    32 /* nothing that is written goes so deep */

/* ---- words ---------------------------------------------------------------- */

int json_learn(struct json_known *known, const char *fresh, size_t length)
{
	for (size_t n; length; fresh += n, length -= n) {
		n = strnlen(fresh, length) + 1;
		if (n > length || known->num == PACK_WORDS)
			return -EINVAL;
		if (!grow(&known->words, known->num, &known->room, sizeof(*known->words)))
			return -ENOMEM;
		known->words[known->num] = xalloc(n);
		if (!known->words[known->num])
			return -ENOMEM;
		memcpy(known->words[known->num++], fresh, n);
	}
	return 0;
}

void json_known_free(struct json_known *known)
{
	for (size_t i = 0; i < known->num; i++)
		free(known->words[i]);
	free(known->words);
}

/* ---- reading -------------------------------------------------------------- */

/* struct unpacker - readers are true as long as what they read can be */
struct unpacker {
	struct json_reader *to;
	const struct json_known *known;
	const unsigned char *at, *end;
};

static bool get_byte(struct unpacker *u, unsigned int *out)
{
	if (u->at == u->end)
		return false;
	*out = *u->at++;
	return true;
}

static bool get_variable(struct unpacker *u, uint64_t *out)
{
	unsigned int byte = 0x80;

	*out = 0;
	for (unsigned int shift = 0; byte & 0x80; shift += 7) {
		if (shift >= 7 * VARIABLE_MAX || !get_byte(u, &byte))
			return false;
		*out |= (uint64_t)(byte & 0x7f) << shift;
	}
	return true;
}

static bool get_fixed(struct unpacker *u, uint64_t *out)
{
	if ((size_t)(u->end - u->at) < sizeof(*out))
		return false;
	memcpy(out, u->at, sizeof(*out));
	*out = le64toh(*out);
	u->at += sizeof(*out);
	return true;
}

static bool get_real(struct unpacker *u, struct json_item *item)
{
	uint64_t bits;

	if (!get_fixed(u, &bits))
		return false;
	memcpy(&item->real, &bits, sizeof(bits));
	return isfinite(item->real);
}

static bool is_utf8(const char *text, size_t n)
{
	uint32_t c;

	for (size_t i = 0, taken; i < n; i += taken) {
		taken = utf8_character(text + i, n - i, &c);
		if (taken == 0)
			return false;
	}
	return true;
}

static bool get_text(struct unpacker *u, struct json_item *item)
{
	uint64_t n;

	if (!get_variable(u, &n) || n >= (size_t)(u->end - u->at))
		return false;
	item->text = (const char *)u->at;
	item->size = (uint32_t)n;
	u->at += n + 1;
	return strnlen(item->text, n + 1) == n && is_utf8(item->text, n);
}

static bool get_word(struct unpacker *u, uint64_t id, struct json_item *item)
{
	if (id == 0 || id > u->known->num)
		return false;
	item->kind = JSON_TEXT;
	item->text = u->known->words[id - 1];
	item->size = (uint32_t)strlen(item->text);
	return true;
}

static bool get_number(struct unpacker *u, struct json_item *item)
{
	uint64_t value;

	if (!get_variable(u, &value) || value > INT64_MAX)
		return false;
	item->number = (int64_t)value;
	return true;
}

static bool get_guid(struct unpacker *u, struct json_item *item)
{
	uint64_t value;

	if (!get_fixed(u, &value))
		return false;
	item->number = (int64_t)value;
	return true;
}

static bool get_named(struct unpacker *u, struct json_item *item)
{
	uint64_t id;

	return get_variable(u, &id) && get_word(u, id, item);
}

static bool get_value(struct unpacker *u, unsigned int tag, unsigned int depth);

static bool get_items(struct unpacker *u, unsigned int depth, uint32_t *size)
{
	unsigned int tag;

	for (; get_byte(u, &tag); ++*size) {
		if (tag == PACK_END)
			return true;
		if (!get_value(u, tag, depth))
			return false;
	}
	return false;
}

static bool get_members(struct unpacker *u, unsigned int depth, uint32_t *size)
{
	struct json_item *key;
	unsigned int tag;
	uint64_t id;

	for (; get_variable(u, &id); ++*size) {
		if (id == 0)
			return true;
		key = json_add(u->to, JSON_TEXT);
		if (!key || !get_word(u, id, key) || !get_byte(u, &tag) ||
		    !get_value(u, tag, depth))
			return false;
	}
	return false;
}

static bool get_inside(struct unpacker *u, enum json_kind kind, unsigned int depth)
{
	size_t self = u->to->num - 1;
	uint32_t size = 0;

	if (depth == DEPTH_MAX || !(kind == JSON_LIST ? get_items(u, depth + 1, &size)
	                                              : get_members(u, depth + 1, &size)))
		return false;
	u->to->items[self].size = size;
	u->to->items[self].span = u->to->num - self - 1;
	return true;
}

static bool get_value(struct unpacker *u, unsigned int tag, unsigned int depth)
{
	static const struct {
		enum json_kind kind;
		bool (*get)(struct unpacker *u, struct json_item *item);
	} kinds[] = {
		{ JSON_NUMBER, get_number }, { JSON_REAL_NUMBER, get_real },
		{ JSON_GUID, get_guid },     { JSON_TEXT, get_text },
		{ JSON_TEXT, get_named },    { JSON_MEMBERS, NULL },
		{ JSON_LIST, NULL },         { JSON_NOTHING, NULL },
		{ JSON_NOTHING, NULL },      { JSON_NO, NULL },
		{ JSON_YES, NULL },
	};
	struct json_item *item;
	enum json_kind kind;

	if (tag >= PACK_NUMBER + ARRAY_SIZE(kinds) || tag == PACK_END)
		return false;
	kind = tag < PACK_NUMBER ? JSON_NUMBER : kinds[tag - PACK_NUMBER].kind;
	item = json_add(u->to, kind);
	if (!item)
		return false;
	if (tag < PACK_NUMBER)
		item->number = tag;
	else if (kinds[tag - PACK_NUMBER].get)
		return kinds[tag - PACK_NUMBER].get(u, item);
	return kind < JSON_LIST || get_inside(u, kind, depth);
}

const struct json_item *unpack_object(struct json_reader *r, const struct json_known *known,
                                      const char *bytes, size_t length)
{
	const unsigned char *at = (const unsigned char *)bytes;
	struct unpacker u = { r, known, at, at + length };
	unsigned int tag;

	r->num = 0;
	r->no_memory = false;
	if (!get_byte(&u, &tag) || tag != PACK_MEMBERS || !get_value(&u, tag, 0))
		return NULL;
	return u.at == u.end ? r->items : NULL;
}
