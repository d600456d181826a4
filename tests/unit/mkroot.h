/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKROOT_H
#define MKROOT_H

/*
 * A root directory for tests of what a host's kernel says: made before each
 * test, removed after it.  A test lays out the files it is about.
 *
 *	TEST(a_port_without_state_is_unread)
 *
 *	put_device("mlx5_0");
 *	assert_int_equal(unlink(below_root(CLASS "mlx5_0/ports/1/state")), 0);
 *	host = read_host();
 *
 * Include it after <cmocka.h>.
 */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ibcheck/host.h>

#include "base/arena.h"

#define CLASS   "sys/class/infiniband/"
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)

static char root[] = "/tmp/ibcheck-host-XXXXXX";

static inline int make_root(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st, (void)type, (void)walk;
	return remove(path);
}

static inline int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline const char *below_root(const char *path)
{
	static char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	return full;
}

static inline void make_dirs(const char *path)
{
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%s", below_root(path));
	for (char *slash = dir + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		assert_true(mkdir(dir, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
}

static inline void put(const char *path, const char *text)
{
	FILE *f;

	make_dirs(path);
	f = fopen(below_root(path), "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* A whole device with one port, as mlx5 shows it. */
static inline void put_device(const char *name)
{
	static const char *const files[][2] = {
		{ "node_type", "1: CA\n" },
		{ "node_guid", "0002:c903:007b:78b0\n" },
		{ "sys_image_guid", "0002:c903:007b:78b1\n" },
		{ "node_desc", "node01 mlx5_0\n" },
		{ "hca_type", "MT4115\n" },
		{ "fw_ver", "12.28.2006\n" },
		{ "hw_rev", "0\n" },
		{ "board_id", "MT_2180110032\n" },
		{ "ports/1/link_layer", "InfiniBand\n" },
		{ "ports/1/state", "4: ACTIVE\n" },
		{ "ports/1/phys_state", "5: LinkUp\n" },
		{ "ports/1/rate", "100 Gb/sec (4X EDR)\n" },
		{ "ports/1/lid", "0x2a\n" },
		{ "ports/1/lid_mask_count", "1\n" },
		{ "ports/1/sm_lid", "0x1\n" },
		{ "ports/1/sm_sl", "3\n" },
		{ "ports/1/cap_mask", "0x2651e848\n" },
		{ "ports/1/gids/0", "fe80:0000:0000:0001:0002:c903:007b:78b2\n" },
	};
	char path[256];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), CLASS "%s/%s", name, files[i][0]);
		put(path, files[i][1]);
	}
}

/* VPD of a device: a name, then its fields VA (of NVIDIA's cards) and RV. */
static inline void put_vpd(const char *device, const char *va)
{
	char path[256], bytes[512];
	int length = (int)strlen(va), n;
	FILE *f;

	n = snprintf(bytes, sizeof(bytes), "\x82%c%cCX7\x90%c%cVA%c%sRV%c%c\x78", 3, 0, length + 7,
	             0, length, va, 1, 0);
	snprintf(path, sizeof(path), CLASS "%s/device/vpd", device);
	put(path, "");
	f = fopen(below_root(path), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, (size_t)n, f), n);
	assert_int_equal(fclose(f), 0);
}

#define VPD_OF_BRIDGE "MLX:MN=MLNX:CSKU=V2:UUID=V3:PCI=V0:MODL=C7010Z:SMDL=SW_MNG"

static inline int read_below(const char *dir, struct ibc_host **host, struct ibc_error *err)
{
	const struct ibc_host_opts opts = { .root = dir };

	return ibc_host_read(&opts, host, err);
}

static inline struct ibc_host *read_host(void)
{
	struct ibc_host *host;

	assert_int_equal(read_below(root, &host, NULL), 0);
	return host;
}

/* What is read at last, after each allocation has failed once. */
static inline struct ibc_host *read_failing(uint32_t parts, const struct ibc_host *before)
{
	const struct ibc_host_opts opts = { .root = root, .parts = parts, .before = before };
	struct ibc_host *host;
	unsigned long n = 0;
	int rc;

	do {
		alloc_fail_at(++n);
		rc = ibc_host_read(&opts, &host, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
	} while (rc);
	assert_true(n > 20);
	return host;
}

#endif
