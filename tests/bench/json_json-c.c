/* SPDX-License-Identifier: BSD-2-Clause */
#if __has_include(<json-c/json.h>)
#include <json-c/json.h>
#include <string.h>

#include "json.h"

#define JSONC_TEXT(key, v)  json_object_object_add(o, key, json_object_new_string(v));
#define JSONC_WHOLE(key, v) json_object_object_add(o, key, json_object_new_int64(v));
#define JSONC_REAL(key, v)  json_object_object_add(o, key, json_object_new_double(v));
#define JSONC_NOTHING(key)  json_object_object_add(o, key, NULL);
#define JSONC_NO(key)       json_object_object_add(o, key, json_object_new_boolean(0));

static void jsonc_write(struct text *to)
{
	for (const struct row *r = rows; r < rows + ROWS; r++) {
		struct json_object *o = json_object_new_object();
		const char *text;
		size_t n;

		EACH_COLUMN(JSONC_TEXT, JSONC_TEXT, JSONC_WHOLE, JSONC_REAL, JSONC_NOTHING,
		            JSONC_NO)
		text = json_object_to_json_string_length(o, JSON_C_TO_STRING_PLAIN, &n);
		append(to, text, n);
		json_object_put(o);
	}
}

static void jsonc_look(struct json_object *v, struct found *f);

static void jsonc_look_inside(struct json_object *v, struct found *f)
{
	if (json_object_is_type(v, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(v); i++)
			jsonc_look(json_object_array_get_idx(v, i), f);
		return;
	}
	json_object_object_foreach(v, key, inner)
	{
		found_text(f, strlen(key));
		jsonc_look(inner, f);
	}
}

static void jsonc_look(struct json_object *v, struct found *f)
{
	enum json_type type = json_object_get_type(v);

	if (type == json_type_int)
		found_number(f, json_object_get_int64(v));
	else if (type == json_type_string)
		found_text(f, (size_t)json_object_get_string_len(v));
	else
		f->values++;
	if (type == json_type_array || type == json_type_object)
		jsonc_look_inside(v, f);
}

static void jsonc_read(const struct lines *l, struct found *f)
{
	struct json_tokener *tokener = json_tokener_new();

	for (size_t i = 0; i < l->num; i++) {
		struct json_object *v = json_tokener_parse_ex(tokener, l->line[i],
		                                              (int)l->length[i]);

		if (!v)
			end("json-c: no JSON");
		jsonc_look(v, f);
		json_object_put(v);
		json_tokener_reset(tokener);
	}
	json_tokener_free(tokener);
}

const struct library library = { "json-c " JSON_C_VERSION, jsonc_write, jsonc_read };
#endif
