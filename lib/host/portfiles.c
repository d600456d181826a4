/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lies in the directories of a port: counters, GID and P_Key tables (Linux
 * Documentation/ABI/stable/sysfs-class-infiniband).  Some drivers have no counters/ at
 * all, and a counter that is no number ("N/A (no PMA)") is one that there is not.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "host/host.h"

/* ---- each port ------------------------------------------------------------------ */

static void each_port(struct ibc_host *host,
                      void (*read)(struct ibc_host *host, const struct dir *dir,
                                   struct ibc_rdma_port *port))
{
	for (size_t i = 0; i < host->devices.n; i++) {
		const struct ibc_rdma_device *device = host->devices.items[i];
		/* made by this layer, and not handed out yet */
		struct ibc_rdma_port *port = (struct ibc_rdma_port *)device->ports;

		for (size_t p = 0; p < device->num_ports; p++, port++) {
			const char *path = host_text(host, "/sys/class/infiniband/%s/ports/%u",
			                             device->name, port->num);
			struct dir dir = open_path(host, path, true);

			if (dir.fd >= 0)
				read(host, &dir, port);
			close_dir(&dir);
		}
	}
}

/*
 * The files of a directory that not every driver has, each read into an item of this size, as
 * far as it is one: *n of them.  NULL: there is no such directory.
 */
static void *read_table(struct ibc_host *host, const struct dir *port, const char *name,
                        bool (*read)(struct ibc_host *host, const struct dir *dir, const char *name,
                                     void *item),
                        size_t size, size_t *n)
{
	struct dir_names names;
	struct dir dir;
	char *items;

	*n = 0;
	if (!has_entry(port, name))
		return NULL;
	dir = open_dir(host, port, name);
	if (dir.fd < 0)
		return NULL;
	list_dir(host, &dir, &names);
	items = host_array(host, names.n, size);
	for (size_t i = 0; items && i < names.n; i++)
		*n += read(host, &dir, names.items[i], items + *n * size);
	close_dir(&dir);
	return items;
}

/* ---- counters ---------------------------------------------------------------------- */

/* For how many milliseconds the driver keeps the firmware's answer: no counter. */
#define NO_COUNTER "lifespan"

static bool read_counter(struct ibc_host *host, const struct dir *dir, const char *name, void *item)
{
	struct ibc_named *out = item;
	const char *text = strcmp(name, NO_COUNTER) ? read_text(host, dir, name, true) : NULL;

	if (!text || !strncmp(text, "N/A", 3))
		return false;
	out->name = name;
	if (!str_u64(text, 0, UINT64_MAX, &out->value))
		return true;
	note_unread(host, path_of(host, dir, name), EBADMSG);
	return false;
}

static void read_port_counters(struct ibc_host *host, const struct dir *dir,
                               struct ibc_rdma_port *port)
{
	port->counters = read_table(host, dir, "counters", read_counter, sizeof(*port->counters),
	                            &port->num_counters);
	port->hw_counters = read_table(host, dir, "hw_counters", read_counter,
	                               sizeof(*port->hw_counters), &port->num_hw_counters);
}

void host_read_counters(struct ibc_host *host)
{
	each_port(host, read_port_counters);
}

/* ---- GIDs and P_Keys ---------------------------------------------------------------- */

#define GID_GROUPS 8 /* of four digits, as sysfs writes a GID */

/* "fe80:0000:0000:0000:0002:c903:007b:78b0" */
static bool parse_gid(const char *text, uint8_t raw[16])
{
	unsigned int g[GID_GROUPS];
	int end = 0;

	if (sscanf(text, "%4x:%4x:%4x:%4x:%4x:%4x:%4x:%4x%n", &g[0], &g[1], &g[2], &g[3], &g[4],
	           &g[5], &g[6], &g[7], &end) != GID_GROUPS ||
	    text[end])
		return false;
	for (size_t i = 0; i < GID_GROUPS; i++) {
		raw[2 * i] = (uint8_t)(g[i] >> 8);
		raw[2 * i + 1] = (uint8_t)g[i];
	}
	return true;
}

/* Of a GID of another namespace the kernel says nothing (EINVAL), which is no fault. */
static const char *read_attribute(struct ibc_host *host, const struct dir *gids, const char *kind,
                                  unsigned int index)
{
	int error;
	const char *text = read_or_error(
	    host, gids, host_text(host, "../gid_attrs/%s/%u", kind, index), &error);

	return text ? text : "";
}

static bool read_gid(struct ibc_host *host, const struct dir *dir, const char *name, void *item)
{
	static const uint8_t zero[16];
	struct ibc_gid *gid = item;
	const char *text;
	uint64_t index;

	if (str_u64(name, 0, UINT16_MAX, &index))
		return false;
	text = read_text(host, dir, name, true);
	if (text && !parse_gid(text, gid->raw))
		note_unread(host, path_of(host, dir, name), EBADMSG);
	if (!text || !memcmp(gid->raw, zero, sizeof(zero)))
		return false;
	gid->index = (unsigned int)index;
	gid->type = read_attribute(host, dir, "types", gid->index);
	gid->netdev = read_attribute(host, dir, "ndevs", gid->index);
	gid->roce_v2 = !strcmp(gid->type, "RoCE v2");
	return true;
}

static bool read_pkey(struct ibc_host *host, const struct dir *dir, const char *name, void *item)
{
	const char *text = read_text(host, dir, name, true);
	uint64_t number = 0;

	if (text && str_u64(text, 0, UINT16_MAX, &number))
		note_unread(host, path_of(host, dir, name), EBADMSG);
	*(uint16_t *)item = (uint16_t)number;
	return number != 0;
}

static void read_port_tables(struct ibc_host *host, const struct dir *dir,
                             struct ibc_rdma_port *port)
{
	port->gids = read_table(host, dir, "gids", read_gid, sizeof(*port->gids), &port->num_gids);
	port->pkeys = read_table(host, dir, "pkeys", read_pkey, sizeof(*port->pkeys),
	                         &port->num_pkeys);
}

void host_read_gids(struct ibc_host *host)
{
	each_port(host, read_port_tables);
}
