/* SPDX-License-Identifier: BSD-2-Clause */
#if __has_include(<yyjson.h>)
#include <stdlib.h>
#include <yyjson.h>

#include "json.h"

#define YYJSON_TEXT(key, v)  yyjson_mut_obj_add_str(doc, o, key, v);
#define YYJSON_WHOLE(key, v) yyjson_mut_obj_add_int(doc, o, key, v);
#define YYJSON_REAL(key, v)  yyjson_mut_obj_add_real(doc, o, key, v);
#define YYJSON_NOTHING(key)  yyjson_mut_obj_add_null(doc, o, key);
#define YYJSON_NO(key)       yyjson_mut_obj_add_bool(doc, o, key, false);

static void yy_write(struct text *to)
{
	for (const struct row *r = rows; r < rows + ROWS; r++) {
		yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
		yyjson_mut_val *o = yyjson_mut_obj(doc);
		char *text;
		size_t n;

		yyjson_mut_doc_set_root(doc, o);
		EACH_COLUMN(YYJSON_TEXT, YYJSON_TEXT, YYJSON_WHOLE, YYJSON_REAL, YYJSON_NOTHING,
		            YYJSON_NO)
		text = yyjson_mut_write(doc, 0, &n);
		append(to, text, n);
		free(text);
		yyjson_mut_doc_free(doc);
	}
}

/* Values stand in a row, as ours do. */
static void yy_read(const struct lines *l, struct found *f)
{
	for (size_t i = 0; i < l->num; i++) {
		yyjson_doc *doc = yyjson_read(l->line[i], l->length[i], 0);
		yyjson_val *v = yyjson_doc_get_root(doc);

		if (!doc)
			end("yyjson: no JSON");
		for (size_t n = yyjson_doc_get_val_count(doc); n; n--, v++) {
			if (yyjson_is_int(v))
				found_number(f, yyjson_get_sint(v));
			else if (yyjson_is_str(v))
				found_text(f, yyjson_get_len(v));
			else
				f->values++;
		}
		yyjson_doc_free(doc);
	}
}

const struct library library = { "yyjson " YYJSON_VERSION_STRING, yy_write, yy_read };
#endif
