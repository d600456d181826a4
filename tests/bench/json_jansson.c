/* SPDX-License-Identifier: BSD-2-Clause */
#include <jansson.h>
#include <string.h>

#include "json.h"

#define JANSSON_TEXT(key, v)  json_object_set_new(o, key, json_string(v));
#define JANSSON_WHOLE(key, v) json_object_set_new(o, key, json_integer(v));
#define JANSSON_REAL(key, v)  json_object_set_new(o, key, json_real(v));
#define JANSSON_NOTHING(key)  json_object_set_new(o, key, json_null());
#define JANSSON_NO(key)       json_object_set_new(o, key, json_false());

static int jansson_append(const char *bytes, size_t n, void *to)
{
	append(to, bytes, n);
	return 0;
}

static void jansson_write(struct text *to)
{
	for (const struct row *r = rows; r < rows + ROWS; r++) {
		json_t *o = json_object();

		EACH_COLUMN(JANSSON_TEXT, JANSSON_TEXT, JANSSON_WHOLE, JANSSON_REAL,
		            JANSSON_NOTHING, JANSSON_NO)
		json_dump_callback(o, jansson_append, to, JSON_COMPACT);
		json_decref(o);
	}
}

static void jansson_look(json_t *v, struct found *f)
{
	const char *key;
	json_t *inner;
	size_t i;

	if (json_is_integer(v))
		found_number(f, json_integer_value(v));
	else if (json_is_string(v))
		found_text(f, json_string_length(v));
	else
		f->values++;
	json_array_foreach(v, i, inner)
		jansson_look(inner, f);
	json_object_foreach(v, key, inner) {
		found_text(f, strlen(key));
		jansson_look(inner, f);
	}
}

static void jansson_read(const struct lines *l, struct found *f)
{
	for (size_t i = 0; i < l->num; i++) {
		json_t *v = json_loadb(l->line[i], l->length[i], 0, NULL);

		if (!v)
			end("jansson: no JSON");
		jansson_look(v, f);
		json_decref(v);
	}
}

const struct library library = { "jansson " JANSSON_VERSION, jansson_write, jansson_read };
