/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/utf8.h"
#include "host/host.h"

const char *lines_open(struct ibc_host *host, struct stream *s, const char *file)
{
	const char *path = host_text(host, "%s%s", host->root, file);

	stream_open(s, AT_FDCWD, path, '\n');
	return path;
}

void lines_close(struct ibc_host *host, struct stream *s, const char *path)
{
	int error = stream_close(s);

	if (error && error != ENOENT)
		note_unread(host, path, error);
}

const char *text_clean(struct ibc_host *host, const char *text, size_t n)
{
	const char *cleaned = utf8_clean(host->arena, text, n);

	host->out_of_memory |= !cleaned;
	return cleaned ? cleaned : "";
}

const char *text_after(const char *line, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(line, prefix, n) ? NULL : line + n;
}
