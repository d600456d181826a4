/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKCABLES_H
#define MKCABLES_H

/* Plans from text, and what is wrong with them.  Include it after <cmocka.h>. */
#include "mknet.h"

/* What a reader complained of, "2:5: sentence" a line. */
struct complained {
	char text[4096];
	size_t length;
	unsigned long num, lines, last; /* lines: where the one before is of another */
};

static inline void note_complaint(void *ctx, const struct ibc_complaint *c)
{
	struct complained *all = ctx;
	int n;

	assert_string_equal(c->file, "test");
	all->num++;
	all->lines += !c->line || c->line != all->last;
	all->last = c->line;
	n = snprintf(all->text + all->length, sizeof(all->text) - all->length, "%lu:%lu: %s\n",
	             c->line, c->column, c->sentence);
	all->length += (size_t)n;
	if (all->length >= sizeof(all->text))
		all->length = sizeof(all->text) - 1;
}

/* As read_bytes(), with its complaints. */
static inline int read_plan(reader_fn *read, const char *text, size_t n, struct ibc_fabric **out,
                            struct complained *all, struct ibc_error *err)
{
	struct fabric_build *b;
	struct text_file *f;
	int rc;

	*all = (struct complained){ 0 };
	assert_int_equal(fabric_build_new(&b, NULL), 0);
	assert_int_equal(text_open_bytes("test", text, n, &f, NULL), 0);
	text_complain_to(f, note_complaint, all);
	rc = text_read(f, read, "test", b, err);
	text_close(f);
	if (rc) {
		fabric_build_free(b);
		return rc;
	}
	return fabric_build_finish(b, out, err);
}

/* These are the complaints: the text is refused, or the fabric knows of them. */
static inline void expect_complaints(reader_fn *read, const char *text, const char *complaints)
{
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	struct complained all;
	int rc = read_plan(read, text, strlen(text), &fab, &all, &err);

	assert_string_equal(all.text, complaints);
	if (rc)
		assert_string_not_equal(err.text, "");
	else
		assert_true(ibc_fabric_lines_lost(fab, NULL) >= all.lines);
	assert_true(!rc || rc == -EINVAL);
	ibc_fabric_free(fab);
}

static inline struct ibc_fabric *plan_of(reader_fn *read, const char *text)
{
	return fabric_of(read, text, strlen(text));
}

/* Both ends, "leaf01/1" and "host01 mlx5_0/1". */
static inline void expect_joined(const struct ibc_fabric *fab, const char *a, unsigned int a_port,
                                 const char *z, unsigned int z_port)
{
	expect_cable(node_named(fab, a), a_port, node_named(fab, z), z_port);
}

#endif
