/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts of a command line: lists, and files of them. */
#include <stdlib.h>
#include <string.h>

#include <ibcheck/hostlist.h>

#include "base/array.h"
#include "base/error.h"
#include "source/source.h"

/* struct host_reader - lists that were read, with commas between them */
struct host_reader {
	struct text_file *text;
	char *all;
	size_t length, room;
};

static int add_list(struct host_reader *r, const char *list, struct ibc_error *err)
{
	size_t n = strlen(list);

	while (r->room < r->length + n + 2)
		if (!grow(&r->all, r->room, &r->room, 1))
			return fail_nomem(err);
	if (r->length)
		r->all[r->length++] = ',';
	memcpy(r->all + r->length, list, n + 1);
	r->length += n;
	return 0;
}

/* Each line is read by itself, too: its mistake has its number. */
static int read_list(void *ctx, char *line, struct ibc_error *err)
{
	struct host_reader *r = ctx;
	struct ibc_hostlist *list;
	struct ibc_error why = { "" };
	int rc;

	line[strcspn(line, "#")] = '\0';
	if (!line[strspn(line, " \t")])
		return 0;
	rc = ibc_hostlist_parse(line, &list, &why);
	if (rc)
		return fail(err, rc, "%s: line %lu: %s", text_name(r->text),
		            text_line_number(r->text), why.text);
	ibc_hostlist_free(list);
	return add_list(r, line, err);
}

static int list_of(struct host_reader *r, int rc, const char *from, struct ibc_hostlist **out,
                   struct ibc_error *err)
{
	*out = NULL;
	if (!rc)
		rc = r->length ? ibc_hostlist_parse(r->all, out, err)
		               : fail(err, -EINVAL, "there is no host in %s", from);
	free(r->all);
	return rc;
}

int read_hostfile(struct text_file *f, struct ibc_hostlist **out, struct ibc_error *err)
{
	struct host_reader r = { .text = f };

	return list_of(&r, text_each_line(f, read_list, &r, err), text_name(f), out, err);
}

int ibc_hostlist_read(const char *const *lists, size_t n, struct ibc_hostlist **out,
                      struct ibc_error *err)
{
	struct host_reader r = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		if (*lists[i] != '@') {
			rc = add_list(&r, lists[i], err);
			continue;
		}
		rc = text_open(lists[i] + 1, &r.text, err);
		if (rc)
			break;
		rc = text_each_line(r.text, read_list, &r, err);
		text_close(r.text);
	}
	return list_of(&r, rc, n ? lists[0] : "the list", out, err);
}
