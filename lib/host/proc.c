/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/str.h"
#include "host/host.h"

#define PID_MAX (1 << 22) /* Linux: PID_MAX_LIMIT */

struct pids list_pids(struct ibc_host *host)
{
	struct dir dir = open_path(host, "/proc", false);
	DIR *proc = entries_of(dir.fd);
	struct pids pids = { NULL, 0 };
	const struct dirent *entry;
	size_t room = 0;
	uint64_t number;
	int error;

	if (!proc)
		return pids;
	while ((entry = next_entry(proc, &error))) {
		if (str_u64(entry->d_name, 1, PID_MAX, &number))
			continue;
		if (!arena_grow(host->arena, &pids.items, pids.n, &room, sizeof(*pids.items))) {
			host->out_of_memory = true;
			break;
		}
		pids.items[pids.n++] = (int)number;
	}
	if (error)
		note_unread(host, dir.path, error);
	closedir(proc);
	if (pids.n)
		qsort(pids.items, pids.n, sizeof(*pids.items), by_u32);
	return pids;
}
