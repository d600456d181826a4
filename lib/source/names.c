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
	return str_cut(word, sizeof(word), text, length) ? str_guid(word, guid) : -EINVAL;
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

int read_node_names(struct text_file *f, struct fabric_build *b, struct ibc_error *err)
{
	size_t length;
	char *line;
	int rc;

	while ((rc = text_line(f, &line, &length, err)) > 0) {
		line += strspn(line, BLANKS);
		if (*line == '\0' || *line == '#')
			continue;
		if (read_name(line, b))
			return text_fail(f, err, "expected 0x<node GUID> \"name\"");
	}
	return rc == 0 && fabric_build_failed(b) ? fail_nomem(err) : rc;
}
