/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what lies below a host's root, and remembers what it could not. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/utf8.h"
#include "host/host.h"

#define PID_MAX (1 << 22) /* Linux: PID_MAX_LIMIT */

void note_unread(struct ibc_host *host, const char *path, int error)
{
	const struct ibc_unread *last = ibc_host_unread(host, host->unread.n - 1);
	struct ibc_unread *unread;

	if (host->out_of_memory || (last && last->error == error && !strcmp(last->path, path)))
		return; /* two parts of the host looked */
	unread = host_new(host, &host->unread, sizeof(*unread));
	*unread = (struct ibc_unread){ path, error };
}

void note_unread_once(struct ibc_host *host, const char *path, int error)
{
	const struct ibc_unread *unread;

	for (size_t i = 0; (unread = ibc_host_unread(host, i)); i++)
		if (!strcmp(unread->path, path))
			return;
	note_unread(host, path, error);
}

void note_fact(struct ibc_host *host, const char *subject, const char *key, const char *value,
               const char *path)
{
	struct ibc_host_fact *fact;

	if (host->out_of_memory)
		return;
	fact = host_new(host, &host->facts, sizeof(*fact));
	*fact = (struct ibc_host_fact){ subject, key, value, path };
}

const char *host_text(struct ibc_host *host, const char *format, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, format);
	text = arena_vprintf(host->arena, format, ap);
	va_end(ap);
	host->out_of_memory |= !text;
	return text ? text : "";
}

const char *path_of(struct ibc_host *host, const struct dir *dir, const char *name)
{
	return host_text(host, "%s/%s", dir->path, name);
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

/* ---- files ---------------------------------------------------------------- */

/* Was this file refused in an earlier reading?  Each time the kernel's log is written to. */
static bool was_refused(const struct ibc_host *host, const struct dir *dir, const char *name)
{
	const struct ibc_unread *unread;
	size_t n = strlen(dir->path);

	for (size_t i = 0; host->opts.before && (unread = ibc_host_unread(host->opts.before, i));
	     i++)
		if (unread->error == EINVAL && !strncmp(unread->path, dir->path, n) &&
		    unread->path[n] == '/' && !strcmp(unread->path + n + 1, name))
			return true;
	return false;
}

/* A descriptor, or -1 and errno; not to be held up by a pipe that lies among captured files. */
static int open_file(const struct dir *dir, const char *name)
{
	return openat(dir->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

ssize_t read_some(const struct dir *dir, const char *name, void *bytes, size_t size)
{
	int fd = open_file(dir, name);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, size);

	if (fd >= 0)
		close(fd);
	return n;
}

const char *read_or_error(struct ibc_host *host, const struct dir *dir, const char *name,
                          int *error)
{
	char bytes[FILE_BYTES + 1];
	const char *text;
	ssize_t got;
	size_t n = 0;
	int fd;

	*error = EINVAL;
	if (was_refused(host, dir, name))
		return NULL;
	fd = open_file(dir, name);
	*error = errno;
	if (fd < 0)
		return NULL;
	do {
		got = read(fd, bytes + n, FILE_BYTES - n);
		if (got > 0)
			n += (size_t)got;
	} while ((got > 0 && n < FILE_BYTES) || (got < 0 && errno == EINTR));
	*error = got < 0 ? errno : 0;
	close(fd);
	if (*error)
		return NULL;
	bytes[n] = '\0';
	text = utf8_clean(host->arena, bytes, strcspn(bytes, "\n"));
	host->out_of_memory |= !text;
	return text;
}

const char *read_text(struct ibc_host *host, const struct dir *dir, const char *name, bool optional)
{
	int error;
	const char *text = read_or_error(host, dir, name, &error);

	if (error && (error != ENOENT || !optional))
		note_unread(host, path_of(host, dir, name), error);
	return text;
}

void read_fields(struct ibc_host *host, const struct dir *dir, const struct dir_field *fields,
                 size_t n, const char *subject, void *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct dir_field *f = &fields[i];
		const char *text = read_text(host, dir, f->file, f->optional);

		if (!text)
			continue;
		if (!f->parse(text, (char *)out + f->offset))
			note_unread(host, path_of(host, dir, f->file), EBADMSG);
		else if (subject)
			note_fact(host, subject, f->file, text, path_of(host, dir, f->file));
	}
}

const char *read_lone(struct ibc_host *host, const char *path, const char *name)
{
	struct dir dir = open_path(host, path, true);
	const char *text = dir.fd < 0 ? NULL : read_text(host, &dir, name, true);

	close_dir(&dir);
	return text;
}

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

bool read_link(int dir, const char *name, char *target, size_t size)
{
	ssize_t n = readlinkat(dir, name, target, size - 1);

	if (n >= 0)
		target[n] = '\0';
	return n >= 0;
}

const char *read_link_name(struct ibc_host *host, const struct dir *dir, const char *name)
{
	char target[PATH_MAX], *slash;

	if (!read_link(dir->fd, name, target, sizeof(target)))
		return "";
	slash = strrchr(target, '/');
	return host_text(host, "%s", slash ? slash + 1 : target);
}

/* ---- directories ------------------------------------------------------------ */

struct dir open_path(struct ibc_host *host, const char *path, bool optional)
{
	/* by its path, for simulators that put themselves in the place of /sys */
	const char *below = host_text(host, "%s%s", host->root, path);
	struct dir dir = { open(below, O_RDONLY | O_DIRECTORY | O_CLOEXEC), below };

	if (dir.fd < 0 && !(optional && errno == ENOENT))
		note_unread(host, below, errno);
	return dir;
}

struct dir open_dir(struct ibc_host *host, const struct dir *at, const char *name)
{
	const char *path = path_of(host, at, name);
	struct dir dir = { openat(at->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path };

	if (dir.fd < 0)
		note_unread(host, path, errno);
	return dir;
}

void close_dir(struct dir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	dir->fd = -1;
}

bool has_entry(const struct dir *dir, const char *name)
{
	return faccessat(dir->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int by_version(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

DIR *entries_of(int fd)
{
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	int error = errno;

	if (!entries && fd >= 0)
		close(fd);
	errno = error;
	return entries;
}

const struct dirent *next_entry(DIR *stream, int *error)
{
	const struct dirent *entry;

	errno = 0; /* an end leaves it alone */
	entry = readdir(stream);
	*error = entry ? 0 : errno;
	return entry;
}

void list_dir(struct ibc_host *host, const struct dir *dir, struct dir_names *names)
{
	const struct dirent *entry;
	DIR *stream;
	int error = 0;

	names->n = 0;
	if (dir->fd < 0)
		return;
	stream = entries_of(openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (!stream) {
		note_unread(host, dir->path, errno);
		return;
	}
	while ((entry = next_entry(stream, &error)) && names->n < ENTRIES_MAX) {
		if (entry->d_name[0] == '.')
			continue;
		names->items[names->n] = arena_strdup(host->arena, entry->d_name);
		if (names->items[names->n])
			names->n++;
		else
			host->out_of_memory = true;
	}
	if (entry || error)
		note_unread(host, dir->path, entry ? E2BIG : error);
	closedir(stream);
	qsort(names->items, names->n, sizeof(names->items[0]), by_version);
}

void each_entry(struct ibc_host *host, const char *path, enum entry which,
                void (*read)(struct ibc_host *host, const struct dir *all, const char *name))
{
	struct dir all = open_path(host, path, true);
	struct dir_names names;
	struct stat st;

	list_dir(host, &all, &names);
	for (size_t i = 0; i < names.n; i++) {
		bool file = !fstatat(all.fd, names.items[i], &st, 0) && !S_ISDIR(st.st_mode);

		if (file == (which == ENTRY_FILE))
			read(host, &all, names.items[i]);
	}
	close_dir(&all);
}

void each_beside(struct ibc_host *host, const char *directory,
                 void (*read)(struct ibc_host *host, const struct dir *all, const char *name,
                              struct ibc_rdma_device *device))
{
	for (size_t i = 0; i < host->devices.n; i++) {
		struct ibc_rdma_device *device = host->devices.items[i];
		const char *path = host_text(host, "/sys/class/infiniband/%s/device/%s",
		                             device->name, directory);
		struct dir all = open_path(host, path, true);
		struct dir_names names;

		list_dir(host, &all, &names);
		for (size_t k = 0; k < names.n; k++)
			read(host, &all, names.items[k], device);
		close_dir(&all);
	}
}

/* ---- processes ------------------------------------------------------------- */

struct pids list_pids(struct ibc_host *host)
{
	struct dir dir = open_path(host, "/proc", false);
	DIR *proc = entries_of(dir.fd);
	struct pids pids = { NULL, 0 };
	const struct dirent *entry;
	size_t room = 0;
	uint64_t number;
	int error;

	if (!proc) {
		if (dir.fd >= 0)
			note_unread(host, dir.path, errno);
		return pids;
	}
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

/* ---- values ---------------------------------------------------------------- */

bool parse_text(const char *text, void *out)
{
	*(const char **)out = text;
	return true;
}

bool parse_u32(const char *text, void *out)
{
	uint64_t number;

	if (str_u64(text, 0, UINT32_MAX, &number))
		return false;
	*(uint32_t *)out = (uint32_t)number;
	return true;
}

bool parse_u8(const char *text, void *out)
{
	uint64_t number;

	if (str_u64(text, 0, UINT8_MAX, &number))
		return false;
	*(uint8_t *)out = (uint8_t)number;
	return true;
}

bool parse_u64(const char *text, void *out)
{
	return str_u64(text, 0, UINT64_MAX, out) == 0;
}
