/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <stdlib.h>

#include "base/str.h"
#include "host/host.h"
#include "host/proc.h"

#define PID_MAX (1 << 22) /* Linux: PID_MAX_LIMIT */

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static size_t count_entries(DIR *proc)
{
	size_t n = 0;

	while (readdir(proc))
		n++;
	rewinddir(proc);
	return n;
}

struct pids list_pids(struct ibc_host *host)
{
	struct dir dir = open_path(host, "/proc", false);
	DIR *proc = dir.fd < 0 ? NULL : fdopendir(dir.fd);
	struct pids pids = { NULL, 0 };
	const struct dirent *entry;
	uint64_t number;
	size_t room;

	if (!proc) {
		close_dir(&dir);
		return pids;
	}
	room = count_entries(proc);
	pids.items = host_array(host, room, sizeof(*pids.items));
	while (pids.items && pids.n < room && (entry = readdir(proc)))
		if (!str_u64(entry->d_name, 1, PID_MAX, &number))
			pids.items[pids.n++] = (int)number;
	closedir(proc);
	if (pids.n)
		qsort(pids.items, pids.n, sizeof(*pids.items), by_number);
	return pids;
}
