/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What programs need to get at a device, as facts: the libraries of rdma-core with their
 * packages and providers (rdma-core libibverbs/dynamic_driver.c has how they are found),
 * and the files below /dev/infiniband.
 */
#include <string.h>
#include <sys/stat.h>

#include "host/process/process.h"

/* ---- packages and libraries --------------------------------------------------------------- */

/* dpkg's own list; what rpm knows is no text. */
static void read_packages(struct ibc_host *host)
{
	static const char *const packages[] = { "libibverbs1", "ibverbs-providers", "rdma-core" };
	struct stream s;
	const char *path = lines_open(host, &s, "/var/lib/dpkg/status"), *name = NULL, *value;

	while (stream_next(&s)) {
		value = text_after(s.item, "Package: ");
		if (value) {
			name = NULL;
			for (size_t i = 0; i < ARRAY_SIZE(packages); i++)
				name = strcmp(value, packages[i]) ? name : packages[i];
		}
		value = name ? text_after(s.item, "Version: ") : NULL;
		if (value)
			note_fact(host, "package", name, text_clean(host, value, strlen(value)),
			          path);
	}
	lines_close(host, &s, path);
}

#define LIBRARY "libibverbs.so.1"

/* "libmlx5-rdmav34.so": which libibverbs it was built for is the number. */
static void read_providers(struct ibc_host *host, const struct dir *lib)
{
	struct dir dir = open_dir(host, lib, "libibverbs");
	struct dir_names names;

	list_dir(host, &dir, &names);
	for (size_t i = 0; i < names.n; i++) {
		const char *file = names.items[i], *abi = strstr(file, "-rdmav");

		if (abi && !strncmp(file, "lib", 3) && !strcmp(file + strlen(file) - 3, ".so"))
			note_fact(host,
			          host_text(host, "provider %.*s", (int)(abi - file - 3), file + 3),
			          host_text(host, "rdmav%.*s", (int)strspn(abi + 6, "0123456789"),
			                    abi + 6),
			          "yes", path_of(host, &dir, file));
	}
	close_dir(&dir);
}

static void read_libraries(struct ibc_host *host)
{
	const char *place;
	bool found = false;

	for (size_t i = 0; !found && (place = verbs_place(i)); i++) {
		struct dir dir = open_path(host, place, true);

		found = dir.fd >= 0 && has_entry(&dir, LIBRARY);
		if (found) {
			note_fact(host, "rdma-core", "libibverbs",
			          read_link_name(host, &dir, LIBRARY),
			          path_of(host, &dir, LIBRARY));
			if (has_entry(&dir, "libibverbs"))
				read_providers(host, &dir);
		}
		close_dir(&dir);
	}
}

/* "driver mlx5": libibverbs looks for that provider. */
static void read_drivers(struct ibc_host *host)
{
	struct dir dir = open_path(host, "/etc/libibverbs.d", true);
	struct dir_names names;
	const char *text, *name;

	list_dir(host, &dir, &names);
	for (size_t i = 0; i < names.n; i++) {
		text = read_text(host, &dir, names.items[i], true);
		name = text ? text_after(text, "driver ") : NULL;
		if (name)
			note_fact(host, host_text(host, "provider %s", name), "configured", "yes",
			          path_of(host, &dir, names.items[i]));
	}
	close_dir(&dir);
}

/* ---- device nodes --------------------------------------------------------------------------- */

static void take_mode(struct ibc_host *host, const struct dir *dir, const char *name)
{
	struct stat st;

	if (fstatat(dir->fd, name, &st, 0))
		return;
	note_fact(host, host_text(host, "/dev/infiniband/%s", name), "mode",
	          host_text(host, "%04o", (unsigned int)st.st_mode & 07777),
	          path_of(host, dir, name));
}

/* Whose character device it is, or NULL. */
static struct ibc_rdma_device *owner_of(struct ibc_host *host, const struct dir *all,
                                        const char *name)
{
	const char *of = read_text(host, all, host_text(host, "%s/ibdev", name), true);

	return of ? (struct ibc_rdma_device *)ibc_host_device_by_name(host, of) : NULL;
}

static void read_umad(struct ibc_host *host, const struct dir *all, const char *name)
{
	/* beside them are those of subnet managers, issm */
	struct ibc_rdma_device *device = text_after(name, "umad") ? owner_of(host, all, name)
	                                                          : NULL;
	const char *num = device ? read_text(host, all, host_text(host, "%s/port", name), false)
	                         : NULL;
	uint32_t port;

	if (!num || !parse_u32(num, &port))
		return;
	for (size_t i = 0; i < device->num_ports; i++)
		if (device->ports[i].num == port)
			((struct ibc_rdma_port *)&device->ports[i])->umad = name;
}

static void read_uverbs(struct ibc_host *host, const struct dir *all, const char *name)
{
	struct ibc_rdma_device *device = owner_of(host, all, name);
	const char *abi, *file;

	if (!device)
		return;
	device->uverbs = name;
	file = host_text(host, "%s/abi_version", name);
	abi = read_text(host, all, file, true);
	if (abi)
		note_fact(host, device->name, "uverbs_abi", abi, path_of(host, all, file));
}

void host_read_userland(struct ibc_host *host)
{
	read_packages(host);
	read_libraries(host);
	read_drivers(host);
	each_entry(host, "/sys/class/infiniband_verbs", ENTRY_DIRECTORY, read_uverbs);
	each_entry(host, "/sys/class/infiniband_mad", ENTRY_DIRECTORY, read_umad);
	each_entry(host, "/dev/infiniband", ENTRY_FILE, take_mode);
}
