/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device whose files hold what the input says, one line each: it is listed,
 * becomes a fabric that holds together, or is said to have no port.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ibcheck/host.h>
#include <ibcheck/source.h>

#define PORT "ports/1/"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const dirs[] = { "sys",
	                            "sys/class",
	                            "sys/class/infiniband",
	                            "sys/class/infiniband/mlx5_0",
	                            "sys/class/infiniband/mlx5_0/ports",
	                            "sys/class/infiniband/mlx5_0/ports/1",
	                            "sys/class/infiniband/mlx5_0/ports/1/gids" };
static const char *const files[] = { PORT "state",      PORT "phys_state", PORT "rate",
	                             PORT "gids/0",     PORT "lid",        PORT "lid_mask_count",
	                             PORT "sm_lid",     PORT "sm_sl",      PORT "cap_mask",
	                             PORT "link_layer", "node_guid",       "node_type",
	                             "node_desc",       "sys_image_guid" };
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char root[] = "/tmp/ibcheck-fuzz-XXXXXX";
static int root_fd = -1, device_fd = -1;

static void remove_root(void)
{
	for (size_t i = 0; i < COUNT(files); i++)
		unlinkat(device_fd, files[i], 0);
	for (size_t i = COUNT(dirs); i-- > 0;)
		unlinkat(root_fd, dirs[i], AT_REMOVEDIR);
	rmdir(root);
}

static void make_root(void)
{
	assert(mkdtemp(root));
	root_fd = open(root, O_RDONLY | O_DIRECTORY);
	for (size_t i = 0; i < COUNT(dirs); i++)
		assert(mkdirat(root_fd, dirs[i], 0755) == 0);
	device_fd = openat(root_fd, "sys/class/infiniband/mlx5_0", O_RDONLY | O_DIRECTORY);
	assert(device_fd >= 0);
	atexit(remove_root);
}

static void put(const char *file, const uint8_t *bytes, size_t n)
{
	int fd = openat(device_fd, file, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	struct ibc_host *host;
	int rc;

	if (root_fd < 0)
		make_root();
	for (size_t i = 0; i < COUNT(files); i++) {
		const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
		size_t n = end ? (size_t)(end - data) + 1 : size;

		put(files[i], data, n);
		data += n;
		size -= n;
	}
	assert(ibc_host_read(&(struct ibc_host_opts){ .root = root }, &host, &err) == 0);
	assert(ibc_host_device(host, 0) && !ibc_host_device(host, 1));
	rc = ibc_fabric_from_host(host, &fab, &err);
	assert(rc == 0 || (rc == -ENODEV && *err.text));
	ibc_fabric_free(fab);
	ibc_host_free(host);
	return 0;
}
