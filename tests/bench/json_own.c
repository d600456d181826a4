/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/jsonwrite.h"
#include "json.h"

#define OWN_TEXT(key, v)  json_key(&o, key), json_put_text(&o, v);
#define OWN_WORD(key, v)  json_key(&o, key), json_put_word(&o, v);
#define OWN_WHOLE(key, v) json_key(&o, key), json_put_number(&o, v);
#define OWN_REAL(key, v)  json_key(&o, key), json_put_real(&o, v);
#define OWN_NOTHING(key)  json_key(&o, key), json_put_null(&o);
#define OWN_NO(key)       json_key(&o, key), json_put_bool(&o, false);

static void own_write(struct text *to)
{
	struct json_out o = { .precision = 17 };

	for (const struct row *r = rows; r < rows + ROWS; r++) {
		json_open(&o, '{');
		EACH_COLUMN(OWN_TEXT, OWN_WORD, OWN_WHOLE, OWN_REAL, OWN_NOTHING, OWN_NO)
		json_close(&o, '}');
		append(to, o.text, o.length);
		o.length = 0;
	}
	free(o.text);
}

static void own_look(const struct json_item *item, struct found *f)
{
	const struct json_item *last = json_behind(item);

	for (; item < last; item++) {
		if (item->kind == JSON_NUMBER)
			found_number(f, item->number);
		else if (item->kind == JSON_TEXT)
			found_text(f, item->size);
		else
			f->values++;
	}
}

/* It changes the line, as the others do not: the copy is on its account. */
static void own_read(const struct lines *l, struct found *f)
{
	struct json_reader r = { 0 };
	char *copy = malloc(l->longest);

	for (size_t i = 0; i < l->num; i++) {
		const struct json_item *object;

		memcpy(copy, l->line[i], l->length[i] + 1);
		object = json_read(&r, copy, l->length[i]);
		if (!object)
			end("own: no JSON");
		own_look(object, f);
	}
	free(copy);
	json_reader_free(&r);
}

const struct library library = { "our own", own_write, own_read };
