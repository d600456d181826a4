/* SPDX-License-Identifier: BSD-2-Clause */
/* What a terminal leaves in a text that was copied from it. */
#include <string.h>

#include "source/source.h"

/* Takes escape sequences out (ECMA-48): colours, the title of a window. */
void take_escapes_out(char *line)
{
	char *to = line;

	while (*line) {
		if (*line != TEXT_ESCAPE) {
			*to++ = *line++;
			continue;
		}
		line++;
		if (*line == ']') {
			line += strcspn(line, (char[]){ '\a', TEXT_ESCAPE, '\0' });
			line += *line == '\a';
			continue;
		}
		line += *line == '[';
		while (*line >= ' ' && *line < '@')
			line++;
		line += *line != '\0';
	}
	*to = '\0';
}

/*
 * What is around an output that was copied from a terminal: the prompt, with the command or
 * without, as shells have it, "[root@node01 ~]# ", "root@node01:~# ", "node01:~ # ", "$ ", and the
 * lines of script(1).
 */
bool is_of_terminal(const char *line)
{
	const char *colon = line + strcspn(line, ": \t,;\"[]"), *mark = NULL;

	if (*line == '$')
		mark = line;
	else if (*line == '[' && line[1 + strcspn(line + 1, "@ \t,;\"]")] == '@')
		mark = line + strcspn(line, "]") + (strchr(line, ']') != NULL);
	else if (strncmp(colon, ":~", 2) == 0 || strncmp(colon, ":/", 2) == 0)
		mark = colon + strcspn(colon, "#$,;\"\t");
	else
		return strncmp(line, "Script started on ", 18) == 0 ||
		       strncmp(line, "Script done on ", 15) == 0;
	return (*mark == '#' || *mark == '$') && (mark[1] == '\0' || mark[1] == ' ');
}
