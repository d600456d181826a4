/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The RDMA devices of a host, from sysfs (Linux Documentation/ABI/stable/
 * sysfs-class-infiniband).  A device or a file that is odd costs only itself.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ibcheck/host.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/words.h"

#define CLASS_DIR   "/sys/class/infiniband"
#define FILE_BYTES  4096 /* sysfs shows no more than a page */
#define ENTRIES_MAX 1024 /* of a directory; a host has a few dozen devices at the most */
#define PORTS_MAX   255

struct ibc_host {
	struct arena *arena;
	struct ibc_rdma_device *devices;
	struct ibc_unread *unread;
	size_t num_devices, num_unread, unread_room;
	bool out_of_memory;
};

struct dir {
	int fd;
	const char *path;
};

struct names {
	const char *items[ENTRIES_MAX];
	size_t n;
};

/*
 * struct field - a file, and where its value goes
 * @optional: drivers and kernels without it are no fault
 * @parse: from text to what is at offset; false: not understood
 */
struct field {
	const char *file;
	bool optional;
	bool (*parse)(const char *text, void *out);
	size_t offset;
};

/* ---- reading -------------------------------------------------------------- */

static void note_unread(struct ibc_host *host, const char *path, int error)
{
	size_t room = host->unread_room ? 2 * host->unread_room : 16;
	struct ibc_unread *more;

	if (host->num_unread == host->unread_room) {
		more = xrealloc(host->unread, room, sizeof(*more));
		if (!more) {
			host->out_of_memory = true;
			return;
		}
		host->unread = more;
		host->unread_room = room;
	}
	host->unread[host->num_unread++] = (struct ibc_unread){ path, error };
}

/* "" when out of memory, which is remembered */
static const char *path_of(struct ibc_host *host, const struct dir *dir, const char *name)
{
	const char *path = arena_printf(host->arena, "%s/%s", dir->path, name);

	host->out_of_memory |= !path;
	return path ? path : "";
}

/* 0 or errno; what was read ends with a NUL. */
static int read_bytes(int fd, char bytes[FILE_BYTES + 1])
{
	size_t n = 0;
	ssize_t got;

	do {
		got = read(fd, bytes + n, FILE_BYTES - n);
		if (got > 0)
			n += (size_t)got;
	} while ((got > 0 && n < FILE_BYTES) || (got < 0 && errno == EINTR));
	bytes[n] = '\0';
	return got < 0 ? errno : 0;
}

/* The file's first line, fit for the model; NULL: not there, or noted as unread. */
static const char *read_text(struct ibc_host *host, const struct dir *dir, const char *name,
                             bool optional)
{
	char bytes[FILE_BYTES + 1];
	const char *text;
	int error;
	/* not to be held up by a pipe that lies among captured files */
	int fd = openat(dir->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	error = fd < 0 ? errno : read_bytes(fd, bytes);
	if (fd >= 0)
		close(fd);
	if (error) {
		if (error != ENOENT || !optional)
			note_unread(host, path_of(host, dir, name), error);
		return NULL;
	}
	text = utf8_clean(host->arena, bytes, strcspn(bytes, "\n"));
	host->out_of_memory |= !text;
	return text;
}

static void read_fields(struct ibc_host *host, const struct dir *dir, const struct field *fields,
                        size_t n, void *out)
{
	for (size_t i = 0; i < n; i++) {
		const char *text = read_text(host, dir, fields[i].file, fields[i].optional);

		if (text && !fields[i].parse(text, (char *)out + fields[i].offset))
			note_unread(host, path_of(host, dir, fields[i].file), EBADMSG);
	}
}

static struct dir open_dir(struct ibc_host *host, const struct dir *at, const char *name)
{
	struct dir dir = { openat(at->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), NULL };
	int error = errno;

	dir.path = path_of(host, at, name);
	if (dir.fd < 0)
		note_unread(host, dir.path, error);
	return dir;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* The entries of a directory, "mlx5_2" before "mlx5_10". */
static void list(struct ibc_host *host, const struct dir *dir, struct names *names)
{
	int fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	names->n = 0;
	if (!stream) {
		note_unread(host, dir->path, errno);
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(stream)) && names->n < ENTRIES_MAX) {
		if (entry->d_name[0] == '.')
			continue;
		names->items[names->n] = arena_strdup(host->arena, entry->d_name);
		if (names->items[names->n])
			names->n++;
		else
			host->out_of_memory = true;
	}
	if (entry)
		note_unread(host, dir->path, E2BIG);
	closedir(stream);
	qsort(names->items, names->n, sizeof(names->items[0]), by_version);
}

/* ---- from text to values --------------------------------------------------- */

static bool parse_text(const char *text, void *out)
{
	*(const char **)out = text;
	return true;
}

/* The number of "4: ACTIVE". */
static bool parse_enum(const char *text, uint8_t max, uint8_t *out)
{
	size_t length = strcspn(text, ":");
	uint64_t value;
	char number[8];

	if (length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	if (str_u64(number, 1, max, &value))
		return false;
	*out = (uint8_t)value;
	return true;
}

static bool parse_node_type(const char *text, void *out)
{
	uint8_t type;

	if (!parse_enum(text, UINT8_MAX, &type))
		return false;
	/* above the router: RNIC, usNIC, ..., which are no InfiniBand nodes */
	*(uint8_t *)out = type <= IBC_NODE_ROUTER ? type : IBC_NODE_UNKNOWN;
	return true;
}

static bool parse_state(const char *text, void *out)
{
	return parse_enum(text, IBC_STATE_ACTIVE, out);
}

static bool parse_phys_state(const char *text, void *out)
{
	return parse_enum(text, IBC_PHYS_TEST, out);
}

static bool parse_u32(const char *text, void *out)
{
	uint64_t number;

	if (str_u64(text, 0, UINT32_MAX, &number))
		return false;
	*(uint32_t *)out = (uint32_t)number;
	return true;
}

static bool parse_u8(const char *text, void *out)
{
	uint64_t number;

	if (str_u64(text, 0, UINT8_MAX, &number))
		return false;
	*(uint8_t *)out = (uint8_t)number;
	return true;
}

#define GUID_TEXT 19 /* "0002:c903:007b:78b0" */

/* The first GUID_TEXT bytes; the caller knows that there are so many. */
static bool parse_guid_at(const char *text, uint64_t *out)
{
	char digits[17];
	size_t n = 0;

	for (size_t i = 0; i < GUID_TEXT; i++) {
		if (i % 5 == 4 ? text[i] != ':' : !isxdigit((unsigned char)text[i]))
			return false;
		if (i % 5 != 4)
			digits[n++] = text[i];
	}
	digits[n] = '\0';
	return str_guid(digits, out) == 0;
}

static bool parse_guid(const char *text, void *out)
{
	return strlen(text) == GUID_TEXT && parse_guid_at(text, out);
}

static bool parse_gid(const char *text, void *out)
{
	struct ibc_rdma_port *port = out;
	uint64_t prefix, guid;

	if (strlen(text) != 2 * GUID_TEXT + 1 || text[GUID_TEXT] != ':' ||
	    !parse_guid_at(text, &prefix) || !parse_guid_at(text + GUID_TEXT + 1, &guid))
		return false;
	port->subnet_prefix = prefix;
	port->guid = guid;
	return true;
}

/* "100 Gb/sec (4X EDR)", "2.5 Gb/sec (1X SDR)", of older kernels "10 Gb/sec (4X)" */
static bool parse_rate(const char *text, void *out)
{
	struct ibc_rdma_port *port = out;
	unsigned int whole, tenths = 0, lanes;
	char speed[8] = "", width[8];

	if (sscanf(text, "%6u Gb/sec (%2uX %7[0-9A-Z]", &whole, &lanes, speed) < 2 &&
	    sscanf(text, "%6u.%1u Gb/sec (%2uX %7[0-9A-Z]", &whole, &tenths, &lanes, speed) < 3)
		return false;
	snprintf(width, sizeof(width), "%ux", lanes);
	port->rate_gbps = whole + tenths / 10.0;
	port->width = (uint8_t)width_of(width);
	port->speed = (uint16_t)speed_of(speed);
	if (!*speed && 10 * whole + tenths == 25 * lanes)
		port->speed = IBC_SPEED_SDR;
	return port->width && port->speed;
}

#define DEVICE(member) offsetof(struct ibc_rdma_device, member)
#define PORT(member)   offsetof(struct ibc_rdma_port, member)

static const struct field device_fields[] = {
	{ "node_type", false, parse_node_type, DEVICE(type) },
	{ "node_guid", false, parse_guid, DEVICE(node_guid) },
	{ "sys_image_guid", false, parse_guid, DEVICE(sys_image_guid) },
	{ "node_desc", true, parse_text, DEVICE(node_desc) },
	{ "hca_type", true, parse_text, DEVICE(hca_type) },
	{ "fw_ver", true, parse_text, DEVICE(fw_ver) },
	{ "hw_rev", true, parse_text, DEVICE(hw_rev) },
	{ "board_id", true, parse_text, DEVICE(board_id) },
};

static const struct field port_fields[] = {
	{ "link_layer", true, parse_text, PORT(link_layer) },
	{ "state", false, parse_state, PORT(state) },
	{ "phys_state", false, parse_phys_state, PORT(phys_state) },
	{ "rate", false, parse_rate, 0 },
};

static const struct field infiniband_fields[] = {
	{ "lid", false, parse_u32, PORT(lid) },
	{ "lid_mask_count", false, parse_u8, PORT(lmc) },
	{ "sm_lid", false, parse_u32, PORT(sm_lid) },
	{ "sm_sl", false, parse_u8, PORT(sm_sl) },
	{ "cap_mask", false, parse_u32, PORT(cap_mask) },
	{ "gids/0", false, parse_gid, 0 },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- devices and ports ----------------------------------------------------- */

static bool is_port_name(const char *name, unsigned int *num)
{
	uint64_t number;

	if (name[0] == '0' || str_u64(name, 1, PORTS_MAX, &number))
		return false;
	*num = (unsigned int)number;
	return true;
}

static void read_port(struct ibc_host *host, const struct dir *ports, const char *name,
                      struct ibc_rdma_port *port)
{
	struct dir dir = open_dir(host, ports, name);

	port->link_layer = "";
	port->infiniband = true; /* what a kernel older than RoCE need not say */
	if (dir.fd < 0)
		return;
	read_fields(host, &dir, port_fields, COUNT(port_fields), port);
	if (*port->link_layer)
		port->infiniband = !strcmp(port->link_layer, "InfiniBand");
	if (port->infiniband)
		read_fields(host, &dir, infiniband_fields, COUNT(infiniband_fields), port);
	close(dir.fd);
}

static void read_ports(struct ibc_host *host, const struct dir *device_dir,
                       struct ibc_rdma_device *device)
{
	struct dir dir = open_dir(host, device_dir, "ports");
	struct ibc_rdma_port *ports;
	struct names names;

	if (dir.fd < 0)
		return;
	list(host, &dir, &names);
	ports = arena_array(host->arena, names.n + 1, sizeof(*ports));
	host->out_of_memory |= !ports;
	device->ports = ports;
	for (size_t i = 0; ports && i < names.n; i++)
		if (is_port_name(names.items[i], &ports[device->num_ports].num))
			read_port(host, &dir, names.items[i], &ports[device->num_ports++]);
	close(dir.fd);
}

static void read_device(struct ibc_host *host, const struct dir *class_dir, const char *name)
{
	struct ibc_rdma_device *device = &host->devices[host->num_devices++];
	struct dir dir = open_dir(host, class_dir, name);

	*device = (struct ibc_rdma_device){
		.node_desc = "", .hca_type = "", .fw_ver = "", .hw_rev = "", .board_id = ""
	};
	device->name = utf8_clean(host->arena, name, strlen(name));
	host->out_of_memory |= !device->name;
	if (dir.fd < 0)
		return;
	read_fields(host, &dir, device_fields, COUNT(device_fields), device);
	read_ports(host, &dir, device);
	close(dir.fd);
}

/* A file that lies beside the devices is none of them. */
static bool is_file(const struct dir *dir, const char *name)
{
	struct stat st;

	return !fstatat(dir->fd, name, &st, 0) && !S_ISDIR(st.st_mode);
}

static void read_class(struct ibc_host *host, const char *path)
{
	/* by its path, for simulators that put themselves in the place of /sys */
	struct dir dir = { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path };
	struct names names;

	if (dir.fd < 0) {
		if (errno != ENOENT)
			note_unread(host, path, errno);
		return;
	}
	list(host, &dir, &names);
	host->devices = arena_array(host->arena, names.n + 1, sizeof(*host->devices));
	host->out_of_memory |= !host->devices;
	for (size_t i = 0; host->devices && i < names.n; i++)
		if (!is_file(&dir, names.items[i]))
			read_device(host, &dir, names.items[i]);
	close(dir.fd);
}

/* root without its last slashes, and CLASS_DIR below it; NULL when out of memory */
static const char *class_path(struct arena *arena, const char *root)
{
	size_t length = strlen(root);

	while (length && root[length - 1] == '/')
		length--;
	return arena ? arena_printf(arena, "%.*s" CLASS_DIR, (int)length, root) : NULL;
}

int ibc_host_read(const char *root, struct ibc_host **out, struct ibc_error *err)
{
	const char *dir = root ? root : "/", *path;
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct ibc_host *host;

	if (fd < 0)
		return fail(err, -ENOENT, "cannot read the host below \"%s\": %s", dir,
		            strerror(errno));
	close(fd);
	host = xalloc(sizeof(*host));
	if (!host)
		return fail_nomem(err);
	host->arena = arena_new();
	path = class_path(host->arena, dir);
	if (path)
		read_class(host, path);
	if (!path || host->out_of_memory) {
		ibc_host_free(host);
		return fail_nomem(err);
	}
	*out = host;
	return 0;
}

void ibc_host_free(struct ibc_host *host)
{
	if (!host)
		return;
	arena_free(host->arena);
	free(host->unread);
	free(host);
}

const struct ibc_rdma_device *ibc_host_device(const struct ibc_host *host, size_t i)
{
	return i < host->num_devices ? &host->devices[i] : NULL;
}

const struct ibc_unread *ibc_host_unread(const struct ibc_host *host, size_t i)
{
	return i < host->num_unread ? &host->unread[i] : NULL;
}
