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

#define BLANKS    " \t"
#define NOTES_MAX 3 /* the lines past those are counted */

/* "0x..." or the same digits alone, or after the "H-" of an id; and a name, quoted or bare. */
static int read_name(char *line, struct fabric_build *b)
{
	size_t length = strcspn(line, BLANKS "\"");
	char *name = line + length + strspn(line + length, BLANKS), *end;
	char word[STR_GUID_MAX];
	uint64_t guid;

	if (length > 2 && strchr("HSR", line[0]) && line[1] == '-') {
		line += 2;
		length -= 2;
	}
	if (!str_cut(word, sizeof(word), line, length) || str_guid(word, &guid))
		return -EINVAL;
	if (*name == '"') {
		end = strchr(++name, '"');
	} else {
		end = name + strcspn(name, "#");
		while (end > name && strchr(BLANKS, end[-1]))
			end--;
	}
	if (!end || end == name)
		return -EINVAL;
	*end = '\0';
	fabric_build_name(b, guid, name);
	return 0;
}

/* A line that is not understood names a device less: nothing else. */
int read_node_names(struct text_file *f, struct fabric_build *b, struct ibc_error *err)
{
	unsigned long named = 0, lost = 0, first = 0;
	size_t length;
	char *line;
	int rc;

	while ((rc = text_line(f, &line, &length, err)) > 0) {
		line += strspn(line, BLANKS);
		if (*line == '\0' || *line == '#')
			continue;
		if (read_name(line, b) == 0) {
			named++;
			continue;
		}
		first = lost ? first : text_line_number(f);
		if (lost++ < NOTES_MAX)
			text_note(f, text_here(f), "expected 0x<node GUID> \"name\": skipped");
	}
	if (rc == 0 && lost && !named)
		return fail(err, -EINVAL, "%s:%lu: expected 0x<node GUID> \"name\"", text_name(f),
		            first);
	if (rc == 0 && lost > NOTES_MAX)
		text_note(f, (struct text_place){ 0 }, "and %lu more lines that are skipped",
		          lost - NOTES_MAX);
	return rc == 0 && fabric_build_failed(b) ? fail_nomem(err) : rc;
}
