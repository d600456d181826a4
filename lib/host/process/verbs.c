/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What libibverbs can load for a process, as that process sees its files: where it looks for
 * providers, and which it takes, is compiled into it (rdma-core, libibverbs/
 * dynamic_driver.c: "DIRECTORY/lib%s-rdmavNN.so").  Processes with one root directory and one
 * library share a record.
 *
 * Reads the library once (some 100 kB), its configuration, and one directory.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "host/process/process.h"
#include "host/rootfs.h"

#define LIBRARY       "libibverbs.so.1"
#define LIBRARY_BYTES (4 << 20) /* many times the size of libibverbs */
#define PATTERN       "/lib%s-rdmav"
#define CONFIG        "/libibverbs.d"
#define CONFIG_USUAL  "/etc" CONFIG

/* struct verbs - the public part comes first; @key: whose it is;  @known: it was read whole */
struct verbs {
	struct ibc_verbs seen;
	const char *key;
	bool known;
};

/* Where systems have their libraries. */
static const char *const places[] = { "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
	                              "/usr/lib64", "/usr/lib" };

const char *verbs_place(size_t i)
{
	return i < ARRAY_SIZE(places) ? places[i] : NULL;
}

/* ---- the library -------------------------------------------------------------------- */

/* The printable text before @at, if it is a path: the directory of a pattern. */
static const char *path_before(struct ibc_host *host, const char *bytes, const char *at)
{
	const char *begin = at;

	while (begin > bytes && begin[-1] > ' ' && begin[-1] <= '~')
		begin--;
	return *begin == '/' ? text_clean(host, begin, (size_t)(at - begin)) : "";
}

static void search_library(struct ibc_host *host, struct ibc_verbs *verbs, const char *bytes,
                           size_t n)
{
	const char *at = memmem(bytes, n, PATTERN, strlen(PATTERN));

	if (at) {
		const char *abi = at + strlen("/lib%s-"), *end = abi + strlen("rdmav");

		while (end < bytes + n && *end >= '0' && *end <= '9')
			end++;
		verbs->abi = text_clean(host, abi, (size_t)(end - abi));
		verbs->directory = path_before(host, bytes, at);
	}
	at = memmem(bytes, n, CONFIG, sizeof(CONFIG)); /* to the end of the text */
	if (at)
		verbs->config = host_text(host, "%s" CONFIG, path_before(host, bytes, at));
}

/* 0 or errno. */
static int read_library(struct ibc_host *host, int root, struct ibc_verbs *verbs)
{
	int fd = rootfs_file(root, verbs->library);
	size_t got = 0;
	ssize_t n = 1;
	char *bytes;

	if (fd < 0)
		return errno;
	bytes = xalloc(LIBRARY_BYTES);
	host->out_of_memory |= !bytes;
	for (; bytes && n > 0 && got<LIBRARY_BYTES; got += n> 0 ? (size_t)n : 0)
		n = read(fd, bytes + got, LIBRARY_BYTES - got);
	if (bytes && n >= 0)
		search_library(host, verbs, bytes, got);
	free(bytes);
	close(fd);
	return n < 0 ? EIO : 0;
}

/* The one that is mapped, or else the first that systems would find; "": there is none. */
static const char *find_library(struct proc_reader *r)
{
	if (*r->process->verbs_library)
		return r->process->verbs_library;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const char *path = host_text(r->host, "%s/%s", places[i], LIBRARY);
		int fd = rootfs_open(r->root, path, O_PATH);

		if (fd < 0)
			continue;
		close(fd);
		return path;
	}
	return "";
}

/* ---- providers ---------------------------------------------------------------------- */

/* Names in the host's arena, NULL at the end; -1 with errno where there is no such directory. */
static int list_below(struct ibc_host *host, int root, const char *path, struct dir_names *names)
{
	struct dir dir = { rootfs_open(root, path, O_RDONLY | O_DIRECTORY), path };

	names->n = 0;
	if (dir.fd < 0)
		return errno == ENOENT ? 0 : -1;
	list_dir(host, &dir, names);
	close_dir(&dir);
	return 0;
}

static bool read_providers(struct ibc_host *host, int root, struct ibc_verbs *verbs)
{
	const char **own, **others;
	size_t num_own = 0, num_others = 0, n = strlen(verbs->abi);
	struct dir_names names;

	if (list_below(host, root, verbs->directory, &names))
		return false;
	own = host_array(host, names.n + 1, sizeof(*own));
	others = host_array(host, names.n + 1, sizeof(*others));
	for (size_t i = 0; own && others && i < names.n; i++) {
		/* "libmlx5-rdmav34.so": its name, and whether this libibverbs would take it */
		const char *file = names.items[i], *at = strstr(file, "-rdmav");

		if (!at || !text_after(file, "lib") || strcmp(file + strlen(file) - 3, ".so") != 0)
			continue;
		if (!strncmp(at + 1, verbs->abi, n) && !strcmp(at + 1 + n, ".so"))
			own[num_own++] = host_text(host, "%.*s", (int)(at - file - 3), file + 3);
		else
			others[num_others++] = host_text(host, "%s", file);
	}
	verbs->providers = own;
	verbs->strangers = others;
	return true;
}

/* "driver mlx5" in any file of the directory */
static bool read_drivers(struct proc_reader *r, struct ibc_verbs *verbs)
{
	struct dir_names names;
	const char **drivers, *name;
	size_t n = 0;

	if (list_below(r->host, r->root, verbs->config, &names))
		return false;
	drivers = host_array(r->host, names.n + 1, sizeof(*drivers));
	for (size_t i = 0; drivers && i < names.n; i++) {
		const char *path = host_text(r->host, "%s/%s", verbs->config, names.items[i]);

		rootfs_stream(&r->stream, r->root, path);
		name = stream_next(&r->stream) ? text_after(r->stream.item, "driver ") : NULL;
		if (name)
			drivers[n++] = text_clean(r->host, name, strcspn(name, " \t"));
		stream_close(&r->stream);
	}
	verbs->drivers = drivers;
	return true;
}

/* ---- the record ------------------------------------------------------------------------ */

void read_verbs(struct proc_reader *r)
{
	const char *library, *key = "";
	struct verbs *verbs;
	char mounts[64];
	struct stat st;
	ssize_t n;

	/* which one it has mapped is not known, or what was in that */
	if (r->root < 0 || r->verbs_deleted || r->process->unread & IBC_PROCESS_MAPS)
		return;
	library = find_library(r);
	/* what it sees depends on its mounts and on its root directory */
	n = readlinkat(r->dir.fd, "ns/mnt", mounts, sizeof(mounts));
	if (!fstat(r->root, &st))
		key = host_text(r->host, "%.*s %llu %llu %s", n > 0 ? (int)n : 0, mounts,
		                (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
		                library);
	for (size_t i = 0; i < r->host->verbs.n; i++) {
		verbs = r->host->verbs.items[i];
		if (!strcmp(verbs->key, key)) {
			r->process->verbs = verbs->known ? &verbs->seen : NULL;
			return;
		}
	}
	verbs = host_new(r->host, &r->host->verbs, sizeof(*verbs));
	*verbs = (struct verbs){
		.seen = { .library = library, .abi = "", .directory = "", .config = CONFIG_USUAL },
		.key = key
	};
	/* of another make it has no pattern: then where it looks is not known */
	verbs->known = !*library ||
	               (!read_library(r->host, r->root, &verbs->seen) && *verbs->seen.abi &&
	                *verbs->seen.directory && read_providers(r->host, r->root, &verbs->seen) &&
	                read_drivers(r, &verbs->seen));
	r->process->verbs = verbs->known ? &verbs->seen : NULL;
}
