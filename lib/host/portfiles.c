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
#include "base/utf8.h"
#include "host/host.h"

/* ---- each port ------------------------------------------------------------------ */

static void each_port(struct ibc_host *host,
                      void (*read)(struct ibc_host *host, const struct dir *dir,
                                   struct ibc_rdma_port *port))
{
	for (size_t i = 0; i < host->devices.n; i++) {
		const struct ibc_rdma_device *device = host->devices.items[i];
		/* made by this layer, and not handed out yet */
		struct ibc_rdma_port *ports = (struct ibc_rdma_port *)device->ports;

		for (size_t p = 0; p < device->num_ports; p++) {
			struct dir dir = open_path(host,
			                           host_text(host,
			                                     "/sys/class/infiniband/%s/ports/%u",
			                                     device->name, ports[p].num),
			                           true);

			if (dir.fd >= 0)
				read(host, &dir, &ports[p]);
			close_dir(&dir);
		}
	}
}

/* A directory that not every driver has. */
static struct dir open_optional(struct ibc_host *host, const struct dir *at, const char *name)
{
	return has_entry(at, name) ? open_dir(host, at, name) : (struct dir){ -1, name };
}

/* ---- counters ---------------------------------------------------------------------- */

/* For how many milliseconds the driver keeps what the firmware told: no counter. */
#define NO_COUNTER "lifespan"

static bool read_counter(struct ibc_host *host, const struct dir *dir, const char *name,
                         struct ibc_named *out)
{
	const char *text = strcmp(name, NO_COUNTER) ? read_text(host, dir, name, true) : NULL;

	if (!text || !strncmp(text, "N/A", 3))
		return false;
	out->name = name;
	if (!str_u64(text, 0, UINT64_MAX, &out->value))
		return true;
	note_unread(host, path_of(host, dir, name), EBADMSG);
	return false;
}

static const struct ibc_named *read_counters(struct ibc_host *host, const struct dir *port,
                                             const char *name, size_t *n)
{
	struct dir dir = open_optional(host, port, name);
	struct ibc_named *counters;
	struct names names;

	*n = 0;
	if (dir.fd < 0)
		return NULL;
	list(host, &dir, &names);
	counters = host_array(host, names.n, sizeof(*counters));
	for (size_t i = 0; counters && i < names.n; i++)
		*n += read_counter(host, &dir, names.items[i], &counters[*n]);
	close_dir(&dir);
	return counters;
}

static void read_port_counters(struct ibc_host *host, const struct dir *dir,
                               struct ibc_rdma_port *port)
{
	port->counters = read_counters(host, dir, "counters", &port->num_counters);
	port->hw_counters = read_counters(host, dir, "hw_counters", &port->num_hw_counters);
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

/* Of a GID of another namespace the kernel refuses to tell (EINVAL), which is no fault. */
static const char *read_attribute(struct ibc_host *host, const struct dir *port, const char *kind,
                                  unsigned int index)
{
	int error;
	const char *text = read_or_error(host, port,
	                                 host_text(host, "gid_attrs/%s/%u", kind, index), &error);

	return text ? text : "";
}

static bool read_gid(struct ibc_host *host, const struct dir *port, const struct dir *dir,
                     const char *name, struct ibc_gid *gid)
{
	static const uint8_t zero[16];
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
	gid->type = read_attribute(host, port, "types", gid->index);
	gid->netdev = read_attribute(host, port, "ndevs", gid->index);
	gid->roce_v2 = !strcmp(gid->type, "RoCE v2");
	return true;
}

static void read_port_gids(struct ibc_host *host, const struct dir *port_dir,
                           struct ibc_rdma_port *port)
{
	struct dir dir = open_optional(host, port_dir, "gids");
	struct ibc_gid *gids;
	struct names names;

	if (dir.fd < 0)
		return;
	list(host, &dir, &names);
	gids = host_array(host, names.n, sizeof(*gids));
	for (size_t i = 0; gids && i < names.n; i++)
		port->num_gids += read_gid(host, port_dir, &dir, names.items[i],
		                           &gids[port->num_gids]);
	port->gids = gids;
	close_dir(&dir);
}

static bool read_pkey(struct ibc_host *host, const struct dir *dir, const char *name,
                      uint16_t *pkey)
{
	const char *text = read_text(host, dir, name, true);
	uint64_t number = 0;

	if (text && str_u64(text, 0, UINT16_MAX, &number))
		note_unread(host, path_of(host, dir, name), EBADMSG);
	*pkey = (uint16_t)number;
	return number != 0;
}

static void read_port_pkeys(struct ibc_host *host, const struct dir *port_dir,
                            struct ibc_rdma_port *port)
{
	struct dir dir = open_optional(host, port_dir, "pkeys");
	struct names names;
	uint16_t *pkeys;

	if (dir.fd < 0)
		return;
	list(host, &dir, &names);
	pkeys = host_array(host, names.n, sizeof(*pkeys));
	for (size_t i = 0; pkeys && i < names.n; i++)
		port->num_pkeys += read_pkey(host, &dir, names.items[i], &pkeys[port->num_pkeys]);
	port->pkeys = pkeys;
	close_dir(&dir);
}

static void read_port_tables(struct ibc_host *host, const struct dir *dir,
                             struct ibc_rdma_port *port)
{
	read_port_gids(host, dir, port);
	read_port_pkeys(host, dir, port);
}

void host_read_gids(struct ibc_host *host)
{
	each_port(host, read_port_tables);
}
