/* SPDX-License-Identifier: BSD-2-Clause */
#if __has_include(<yajl/yajl_gen.h>)
#include <string.h>
#include <yajl/yajl_gen.h>
#include <yajl/yajl_parse.h>

#include "json.h"

#define YAJL_KEY(key)      yajl_gen_string(g, (const unsigned char *)(key), strlen(key))
#define YAJL_TEXT(key, v)  YAJL_KEY(key), YAJL_KEY(v);
#define YAJL_WHOLE(key, v) YAJL_KEY(key), yajl_gen_integer(g, v);
#define YAJL_REAL(key, v)  YAJL_KEY(key), yajl_gen_double(g, v);
#define YAJL_NOTHING(key)  YAJL_KEY(key), yajl_gen_null(g);
#define YAJL_NO(key)       YAJL_KEY(key), yajl_gen_bool(g, 0);

static void yajl_write(struct text *to)
{
	yajl_gen g = yajl_gen_alloc(NULL);

	for (const struct row *r = rows; r < rows + ROWS; r++) {
		const unsigned char *text;
		size_t n;

		yajl_gen_map_open(g);
		EACH_COLUMN(YAJL_TEXT, YAJL_TEXT, YAJL_WHOLE, YAJL_REAL, YAJL_NOTHING, YAJL_NO)
		yajl_gen_map_close(g);
		yajl_gen_get_buf(g, &text, &n);
		append(to, (const char *)text, n);
		yajl_gen_clear(g);
		yajl_gen_reset(g, NULL);
	}
	yajl_gen_free(g);
}

static int yajl_other(void *f)
{
	((struct found *)f)->values++;
	return 1;
}

static int yajl_bool(void *f, int value)
{
	(void)value;
	return yajl_other(f);
}

static int yajl_whole(void *f, long long value)
{
	found_number(f, value);
	return 1;
}

static int yajl_real(void *f, double value)
{
	(void)value;
	return yajl_other(f);
}

static int yajl_text(void *f, const unsigned char *text, size_t n)
{
	(void)text;
	found_text(f, n);
	return 1;
}

static int yajl_end(void *f)
{
	(void)f;
	return 1;
}

static void yajl_read(const struct lines *l, struct found *f)
{
	static const yajl_callbacks calls = { yajl_other, yajl_bool,  yajl_whole, yajl_real,
		                              NULL,       yajl_text,  yajl_other, yajl_text,
		                              yajl_end,   yajl_other, yajl_end };
	yajl_handle h = yajl_alloc(&calls, NULL, f);

	yajl_config(h, yajl_allow_multiple_values, 1);
	for (size_t i = 0; i < l->num; i++)
		if (yajl_parse(h, (const unsigned char *)l->line[i], l->length[i]) !=
		    yajl_status_ok)
			end("yajl: no JSON");
	yajl_free(h);
}

const struct library library = { "yajl 2", yajl_write, yajl_read };
#endif
