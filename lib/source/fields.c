/* SPDX-License-Identifier: BSD-2-Clause */
/* The one writer and reader of objects that a table of fields describes. */
#include "source/fields.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <ibcheck/fabric.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "base/jsonwrite.h"
#include "base/str.h"
#include "base/utf8.h"
#include "fabric/attributes.h"
#include "fabric/fabric.h"

/* ---- numbers of any size ------------------------------------------------- */

unsigned int fields_size(enum field_type type)
{
	static const unsigned int sizes[] = {
		[FIELD_U8] = sizeof(uint8_t),
		[FIELD_U16] = sizeof(uint16_t),
		[FIELD_U32] = sizeof(uint32_t),
		[FIELD_BOOL] = sizeof(bool),
		[FIELD_NONE] = 0,
	};

	return sizes[type] ? sizes[type] : sizeof(uint64_t);
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

void count_put(struct json_out *o, uint64_t value)
{
	json_put_number(o, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

bool count_get(const struct json_item *value, uint64_t *out)
{
	bool good = json_index(value, INT64_MAX, out);

	if (*out == INT64_MAX)
		*out = UINT64_MAX;
	return good;
}

/* ---- writing ------------------------------------------------------------- */

static struct ibc_attrs attrs_at(const void *at, enum field_type type)
{
	if (type == FIELD_ATTRS)
		return *(const struct ibc_attrs *)at;
	return attrs_from_bits(*(const uint64_t *)at,
	                       type == FIELD_NODE_ATTRS ? attr_node_bits : attr_port_bits);
}

static bool is_none(const struct field *f, const void *at)
{
	double real = f->type == FIELD_REAL || f->type >= FIELD_NAN ? *(const double *)at : 0;

	switch (f->type) {
	case FIELD_REAL:
		return real == 0;
	case FIELD_NAN:
		return isnan(real);
	case FIELD_SECONDS:
		return real < 0 || (real == 0 && !(f->flags & FIELD_ZERO));
	case FIELD_AGE:
		return !(real < 0);
	case FIELD_ATTRS:
		return ibc_attrs_is_empty(attrs_at(at, f->type));
	case FIELD_TEXT:
		return !*(const char *const *)at || !**(const char *const *)at;
	case FIELD_PORT:
	case FIELD_OBJECT:
	case FIELD_LIST:
		return !*(const void *const *)at;
	case FIELD_OWN:
		return f->own->is_none && f->own->is_none(at);
	case FIELD_INSIDE:
		return false;
	case FIELD_NONE:
		return true;
	default:
		return fields_number(at, f->type) == 0;
	}
}

/* Of an array: of each. */
static bool has_value(const struct field *f, const char *at, const char *base)
{
	bool found = (f->flags & FIELD_ZERO) && f->type != FIELD_SECONDS;

	if (f->when)
		return base[f->when];
	for (unsigned int i = 0; !found && i < (f->num ? f->num : 1u); i++)
		found = !is_none(f, at + i * fields_size(f->type));
	return found;
}

static void put_object(struct json_out *o, const struct field *table, const void *base)
{
	json_open(o, '{');
	fields_put(o, table, base);
	json_close(o, '}');
}

static void put_value(struct json_out *o, const struct field *f, const void *at, const char *base)
{
	const char *const *pointer = at;
	const struct ibc_port *port;
	struct ibc_attrs set;

	switch (f->type) {
	case FIELD_BOOL:
		json_put_bool(o, fields_number(at, f->type));
		break;
	case FIELD_COUNT:
		count_put(o, *(const uint64_t *)at);
		break;
	case FIELD_HEX:
		json_put_guid(o, fields_number(at, f->type));
		break;
	case FIELD_ATTRS:
	case FIELD_NODE_ATTRS:
	case FIELD_PORT_ATTRS:
		set = attrs_at(at, f->type);
		json_open(o, '[');
		for (enum ibc_attr a = 0; (a = ibc_attrs_next(set, a));)
			json_put_word(o, ibc_attr_name(a));
		json_close(o, ']');
		break;
	case FIELD_REAL:
	case FIELD_NAN:
	case FIELD_SECONDS:
	case FIELD_AGE:
		json_put_real(o, f->type == FIELD_AGE ? -*(const double *)at : *(const double *)at);
		break;
	case FIELD_TEXT:
		json_put_text(o, *pointer);
		break;
	case FIELD_PORT:
		port = *(const struct ibc_port *const *)at;
		json_open(o, '[');
		json_put_number(o, (int64_t)node_order(port->node));
		json_put_number(o, port->num);
		json_close(o, ']');
		break;
	case FIELD_OBJECT:
		put_object(o, f->record->fields, *pointer);
		break;
	case FIELD_INSIDE:
		put_object(o, f->record->fields, at);
		break;
	case FIELD_LIST:
		json_open(o, '[');
		for (size_t i = 0; i < *(const size_t *)(base + f->count); i++)
			put_object(o, f->record->fields, *pointer + i * f->record->size);
		json_close(o, ']');
		break;
	case FIELD_OWN:
		f->own->put(o, at);
		break;
	default:
		json_put_number(o, (int64_t)fields_number(at, f->type));
	}
}

static void put_array(struct json_out *o, const struct field *f, const char *at, const char *base)
{
	unsigned int n = f->count ? (uint8_t)base[f->count] : f->num, size = fields_size(f->type);

	if (n > f->num)
		n = f->num;
	while (f->type == FIELD_NAN && n > 0 && is_none(f, at + (n - 1) * size))
		n--;
	json_open(o, '[');
	for (unsigned int i = 0; i < n; i++)
		put_value(o, f, at + i * size, base);
	json_close(o, ']');
}

void fields_put(struct json_out *o, const struct field *table, const void *base)
{
	for (const struct field *f = table; f->key; f++) {
		const char *at = (const char *)base + f->offset;

		if (!has_value(f, at, base))
			continue;
		json_key(o, f->key);
		if (f->num)
			put_array(o, f, at, base);
		else
			put_value(o, f, at, base);
	}
}

/* ---- reading ------------------------------------------------------------- */

static bool get_real(const struct json_item *value, double *out)
{
	if (value->kind != JSON_NUMBER && value->kind != JSON_REAL_NUMBER)
		return false;
	*out = value->kind == JSON_NUMBER ? (double)value->number : value->real;
	return true;
}

/* What a node cannot be asked, or a port, is no possible value. */
static bool get_attrs(const struct json_item *value, enum field_type type, void *at)
{
	enum ibc_attr attr = IBC_ATTR_NONE, next;
	struct ibc_attrs set = IBC_ATTRS();

	if (value->kind != JSON_LIST)
		return false;
	for (const struct json_item *name = value + 1; name != json_behind(value);
	     name = json_behind(name)) {
		if (name->kind != JSON_TEXT)
			return false;
		/* they are written in order: the one that comes next is not far behind the last */
		for (next = attr + 1; next < IBC_ATTR_COUNT; next++)
			if (strcmp(ibc_attr_name(next), name->text) == 0)
				break;
		attr = next < IBC_ATTR_COUNT ? next : attr_of(name->text);
		if (!attr || ibc_attrs_has(set, attr))
			return false;
		ibc_attrs_add(&set, attr);
	}
	if (type == FIELD_ATTRS) {
		*(struct ibc_attrs *)at = set;
		return true;
	}
	*(uint64_t *)at = attrs_to_bits(set,
	                                type == FIELD_NODE_ATTRS ? attr_node_bits : attr_port_bits);
	return ibc_attrs_is_empty(ibc_attrs_minus(set, attrs_at(at, type)));
}

static bool get_value(const struct json_item *value, enum field_type type, void *at,
                      struct arena *a)
{
	uint64_t number;
	double real;

	switch (type) {
	case FIELD_U8:
	case FIELD_U16:
	case FIELD_U32:
	case FIELD_U64:
		return json_index(value, INT64_MAX, &number) && fields_set_number(at, type, number);
	case FIELD_COUNT:
		return count_get(value, at);
	case FIELD_BOOL:
		*(bool *)at = value->kind == JSON_YES;
		return value->kind == JSON_YES || value->kind == JSON_NO;
	case FIELD_HEX:
		return value->kind == JSON_TEXT && str_guid(value->text, at) == 0;
	case FIELD_NAN:
		*(double *)at = NAN;
		return value->kind == JSON_NOTHING || get_real(value, at);
	case FIELD_REAL:
		return get_real(value, at) && *(double *)at >= 0;
	case FIELD_SECONDS:
	case FIELD_AGE:
		if (!get_real(value, &real) || real < 0)
			return false;
		*(double *)at += type == FIELD_AGE ? -real : real;
		return true;
	case FIELD_TEXT:
		if (value->kind != JSON_TEXT)
			return false;
		*(const char **)at = utf8_clean(a, value->text, value->size);
		return true;
	default:
		return get_attrs(value, type, at);
	}
}

/* Numbers have nothing inside: they follow each other. */
static bool get_array(const struct json_item *list, const struct field *f, char *at, char *base,
                      struct arena *a)
{
	uint8_t *count = f->count ? (uint8_t *)base + f->count : NULL;

	if (!json_is(list, JSON_LIST) || list->size > f->num ||
	    (list->size < f->num && !count && f->type != FIELD_NAN) ||
	    (count && *count && *count != list->size))
		return false;
	if (count)
		*count = (uint8_t)list->size;
	for (unsigned int i = 0; i < f->num && f->type == FIELD_NAN; i++)
		((double *)at)[i] = NAN;
	for (unsigned int i = 0; i < list->size; i++)
		if (!get_value(list + 1 + i, f->type, at + i * fields_size(f->type), a))
			return false;
	return true;
}

static int get_record(const struct json_item *from, const struct record *record, void *object,
                      struct arena *a, struct ibc_error *err)
{
	const char *wrong;
	int rc;

	if (record->clear)
		record->clear(object);
	rc = fields_get(from, record->fields, object, NULL, a, err);
	wrong = rc == 0 && record->wrong ? record->wrong(object) : NULL;
	return wrong ? fail(err, -EINVAL, "invalid value of \"%s\"", wrong) : rc;
}

static int get_field(const struct json_item *value, const struct field *f, char *base,
                     struct arena *a, struct ibc_error *err)
{
	char *at = base + f->offset, *object;
	size_t n = f->type == FIELD_LIST ? json_size(value) : 1;
	int rc = 0;

	if (f->flags & FIELD_MARKS)
		base[f->when] = true;
	if (f->type == FIELD_OWN)
		return f->own->get(value, f->key, at, a, err);
	if (f->type == FIELD_INSIDE)
		return get_record(value, f->record, at, a, err);
	if (f->type != FIELD_OBJECT && f->type != FIELD_LIST) {
		if (f->num ? get_array(value, f, at, base, a) : get_value(value, f->type, at, a))
			return 0;
		return fail(err, -EINVAL, "invalid value of \"%s\"", f->key);
	}
	if (f->type == FIELD_LIST && !json_is(value, JSON_LIST))
		return fail(err, -EINVAL, "invalid value of \"%s\"", f->key);
	*(char **)at = object = arena_array(a, n + 1, f->record->size);
	if (f->type == FIELD_OBJECT)
		return get_record(value, f->record, object, a, err);
	*(size_t *)(base + f->count) = n;
	for (const struct json_item *item = value + 1; rc == 0 && item != json_behind(value);
	     item = json_behind(item), object += f->record->size)
		rc = get_record(item, f->record, object, a, err);
	return rc;
}

static bool is_key(const char *key, const char *wanted)
{
	return wanted && *key == *wanted && strcmp(key, wanted) == 0;
}

int fields_get(const struct json_item *from, const struct field *table, void *base,
               const struct json_item **parts, struct arena *a, struct ibc_error *err)
{
	const struct field *next = table, *f;
	size_t sizes[64]; /* of lists whose length is a field, too */
	uint64_t seen = 0;
	bool needed;
	int rc = 0;

	if (!json_is(from, JSON_MEMBERS))
		return fail(err, -EINVAL, "an object was expected");
	for (const struct json_item *key = from + 1; rc == 0 && key != json_behind(from);
	     key = json_behind(key + 1)) {
		/* fields are written in order: the next one is not far */
		for (f = next; f->key && !is_key(key->text, f->key);)
			f++;
		if (!f->key)
			for (f = table; f->key && !is_key(key->text, f->key);)
				f++;
		if (!f->key)
			return fail(err, -EINVAL, "unknown key \"%s\"", key->text);
		if (seen >> (f - table) & 1)
			return fail(err, -EINVAL, "\"%s\" comes twice", f->key);
		seen |= 1ull << (f - table);
		next = f + 1;
		if (f->count)
			sizes[f - table] = json_size(key + 1);
		if (f->part)
			parts[f->part] = key + 1;
		else
			rc = get_field(key + 1, f, base, a, err);
	}
	for (f = table; rc == 0 && f->key; f++) {
		needed = f->flags & FIELD_NEEDED || (f->when && ((const char *)base)[f->when]);
		if (needed && !(seen >> (f - table) & 1))
			return fail(err, -EINVAL, "invalid value of \"%s\"", f->key);
		if (f->num && f->count && seen >> (f - table) & 1 &&
		    sizes[f - table] != ((const uint8_t *)base)[f->count])
			return fail(err, -EINVAL, "the list \"%s\" has another length", f->key);
	}
	return rc;
}
