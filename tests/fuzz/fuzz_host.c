/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device whose files hold what the input says, one line each, and its VPD the rest: it is
 * listed as an HCA or as an NVSwitch bridge, and becomes a fabric that holds together, or is said
 * to have no port.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>

#include <ibcheck/host.h>
#include <ibcheck/source.h>

#include "tree.h"

#define DEVICE "sys/class/infiniband/mlx5_0/"
#define PORT   DEVICE "ports/1/"
#define VPD    DEVICE "device/vpd"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const dirs[] = { "sys",
	                            "sys/class",
	                            "sys/class/infiniband",
	                            "sys/class/infiniband/mlx5_0",
	                            "sys/class/infiniband/mlx5_0/device",
	                            "sys/class/infiniband/mlx5_0/ports",
	                            "sys/class/infiniband/mlx5_0/ports/1",
	                            "sys/class/infiniband/mlx5_0/ports/1/gids" };
static const char *const files[] = {
	PORT "state",       PORT "phys_state",      PORT "rate",        PORT "gids/0",
	PORT "lid",         PORT "lid_mask_count",  PORT "sm_lid",      PORT "sm_sl",
	PORT "cap_mask",    PORT "link_layer",      DEVICE "node_guid", DEVICE "node_type",
	DEVICE "node_desc", DEVICE "sys_image_guid"
};

static void remove_root(void)
{
	for (size_t i = 0; i < COUNT(files); i++)
		unlinkat(root_fd, files[i], 0);
	unlinkat(root_fd, VPD, 0);
	for (size_t i = COUNT(dirs); i-- > 0;)
		unlinkat(root_fd, dirs[i], AT_REMOVEDIR);
	rmdir(root);
}

static void make_root(void)
{
	open_root();
	for (size_t i = 0; i < COUNT(dirs); i++)
		assert(mkdirat(root_fd, dirs[i], 0755) == 0);
	atexit(remove_root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	struct ibc_host *host;
	int rc;

	if (root_fd < 0)
		make_root();
	put_lines(files, COUNT(files), &data, &size);
	put(VPD, data, size);
	assert(ibc_host_read(&(struct ibc_host_opts){ .root = root }, &host, &err) == 0);
	assert(!ibc_host_device(host, 0) != !ibc_host_bridge(host, 0));
	assert(!ibc_host_device(host, 1) && !ibc_host_bridge(host, 1));
	rc = ibc_fabric_from_host(host, &fab, &err);
	assert(rc == 0 || (rc == -ENODEV && *err.text));
	ibc_fabric_free(fab);
	ibc_host_free(host);
	return 0;
}
