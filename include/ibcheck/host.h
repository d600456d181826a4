/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_HOST_H
#define IBCHECK_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

#pragma GCC visibility push(default)

/**
 * DOC: what this host's kernel says
 *
 * A struct ibc_host is read once from sysfs below one root directory, and
 * never changes.  What could not be read is in it too, with the reason.
 */

/*
 * struct ibc_unread - a file or directory that should be there and could not be read
 * @error: errno; EBADMSG: it was read, and its content is not what the kernel writes
 */
struct ibc_unread {
	const char *path;
	int error;
};

/*
 * struct ibc_rdma_port - /sys/class/infiniband/DEV/ports/N
 *
 * Of a port that is not LinkUp the kernel tells some @width and @speed all the
 * same.  Of an Ethernet port @lid to @subnet_prefix are not read.
 */
struct ibc_rdma_port {
	unsigned int num;
	bool infiniband;    /* link_layer; true if that is unread; false: Ethernet */
	uint8_t state;      /* enum ibc_port_state; UNKNOWN: unread */
	uint8_t phys_state; /* enum ibc_phys_state */
	uint8_t width;      /* enum ibc_width, from "rate" */
	uint16_t speed;     /* enum ibc_speed, from "rate" */
	double rate_gbps;   /* the number in "rate"; 0: unread */
	uint32_t lid, sm_lid, cap_mask;
	uint8_t lmc, sm_sl;
	uint64_t guid; /* from gids/0; 0: unread */
	uint64_t subnet_prefix;
	const char *link_layer; /* as the kernel spells it; "" : unread */
};

/* struct ibc_rdma_device - /sys/class/infiniband/DEV; text is "" where unread */
struct ibc_rdma_device {
	const char *name, *node_desc, *hca_type, *fw_ver, *hw_rev, *board_id;
	uint64_t node_guid, sys_image_guid;
	uint8_t type; /* enum ibc_node_type, from node_type */
	const struct ibc_rdma_port *ports;
	size_t num_ports;
};

struct ibc_host;

/**
 * ibc_host_read() - read the RDMA devices of a host
 * @root: directory in the place of "/"; NULL: "/"
 * @out: to be freed with ibc_host_free()
 *
 * A host without RDMA devices is no failure.
 *
 * Return: 0, -ENOENT when @root is no directory, -ENOMEM.
 */
int ibc_host_read(const char *root, struct ibc_host **out, struct ibc_error *err);
void ibc_host_free(struct ibc_host *host);

/*
 * Walk; NULL past the last one.  Devices in order of name ("mlx5_2" before
 * "mlx5_10"), files in the order they were tried.  Borrowed from @host.
 */
const struct ibc_rdma_device *ibc_host_device(const struct ibc_host *host, size_t i);
const struct ibc_unread *ibc_host_unread(const struct ibc_host *host, size_t i);

#pragma GCC visibility pop

#endif
