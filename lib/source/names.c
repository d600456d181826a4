/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Node-name maps.  The habit is 0x<node GUID> "name", as infiniband-diags read it;
 * sites also copy a node's id out of ibnetdiscover, H-<node GUID>, and leave the
 * quotes out.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "fabric/build.h"
#include "source/source.h"

#define BLANKS " \t"

/* "0x..." or the same digits alone, or after the "H-" of an id. */
static int read_guid(const char *text, size_t length, uint64_t *guid)
{
	char word[STR_GUID_MAX];

	if (length > 2 && strchr("HSR", text[0]) && text[1] == '-') {
		text += 2;
		length -= 2;
	}
	if (length >= sizeof(word))
		return -EINVAL;
	memcpy(word, text, length);
	word[length] = '\0';
	return str_guid(word, guid);
}

/* The name that a rest of a line holds, quoted or bare, or NULL. */
static char *cut_name(char *rest)
{
	char *end;

	if (*rest == '"') {
		end = strchr(++rest, '"');
		if (!end)
			return NULL;
	} else {
		end = rest + strcspn(rest, "#");
		while (end > rest && strchr(BLANKS, end[-1]))
			end--;
	}
	*end = '\0';
	return *rest ? rest : NULL;
}

static int read_name(char *line, struct fabric_build *b)
{
	size_t length = strcspn(line, BLANKS "\"");
	char *rest = line + length, *name;
	uint64_t guid;

	name = cut_name(rest + strspn(rest, BLANKS));
	if (!name || read_guid(line, length, &guid))
		return -EINVAL;
	fabric_build_name(b, guid, name);
	return 0;
}

static int read_name_lines(struct text_file *f, struct fabric_build *b, struct ibc_error *err)
{
	size_t length;
	char *line;
	int rc;

	while ((rc = text_line(f, &line, &length, err)) > 0) {
		line += strspn(line, BLANKS);
		if (*line == '\0' || *line == '#')
			continue;
		if (read_name(line, b))
			return fail(err, -EINVAL, "%s:%lu: expected 0x<node GUID> \"name\"",
			            text_name(f), text_line_number(f));
	}
	if (rc == 0 && fabric_build_failed(b))
		return fail_nomem(err);
	return rc;
}

int read_node_names(const char *path, struct fabric_build *b, struct ibc_error *err)
{
	struct text_file *f;
	int rc = text_open(path, &f, err);

	if (rc)
		return rc;
	rc = read_name_lines(f, b, err);
	text_close(f);
	return rc;
}
