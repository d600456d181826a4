/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKSTACK_H
#define MKSTACK_H

/*
 * What checks say of a host whose files a test laid out, as lines to compare:
 *
 *	put_device("mlx5_0");
 *	put(CLASS "mlx5_0/ports/1/state", "1: DOWN\n");
 *	says("host.port-state", "critical mlx5_0/1: is Down, ...\n");
 *
 * Include it after <cmocka.h>; it brings mkroot.h.
 */
#include <ibcheck/check.h>
#include <ibcheck/report.h>

#include "mkroot.h"

#define EVERY_PART                                                                                 \
	(IBC_HOST_RDMA | IBC_HOST_COUNTERS | IBC_HOST_GIDS | IBC_HOST_PROCESSES | IBC_HOST_PCI |   \
	 IBC_HOST_STACK)

static inline struct ibc_host *read_whole(const struct ibc_host *before)
{
	const struct ibc_host_opts opts = { .root = root, .parts = EVERY_PART, .before = before };
	struct ibc_host *host;

	assert_int_equal(ibc_host_read(&opts, &host, NULL), 0);
	return host;
}

/* Paths below the root begin with "ROOT": its own name is another each time. */
static inline void print_short(FILE *out, const char *text)
{
	const char *at;

	while ((at = strstr(text, root))) {
		fprintf(out, "%.*sROOT", (int)(at - text), text);
		text = at + strlen(root);
	}
	fprintf(out, "%s\n", text);
}

static inline char *lines_of(const struct ibc_report *rep)
{
	const struct ibc_finding *f;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		fprintf(out, "%s %s: ", ibc_severity_word(f->severity)->word, f->subject.near.desc);
		print_short(out, f->message);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

/* The selection says exactly this; "" for nothing. */
static inline void says_over(const struct ibc_host *before, const struct ibc_host *host,
                             const struct ibc_config *config, const char *selection,
                             const char *lines)
{
	const struct ibc_input in = { .host = host, .host_before = before, .config = config };
	struct ibc_report *rep;
	char *text;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	text = lines_of(rep);
	assert_string_equal(text, lines);
	free(text);
	ibc_report_free(rep);
}

static inline void says(const char *selection, const char *lines)
{
	struct ibc_host *host = read_whole(NULL);

	says_over(NULL, host, NULL, selection, lines);
	ibc_host_free(host);
}

/* The same where a site expects a number of a check. */
static inline void says_with(const char *check, const char *expect, const char *selection,
                             const char *lines)
{
	struct ibc_host *host = read_whole(NULL);
	struct ibc_config *config;

	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, check, "expect", expect, NULL), 0);
	says_over(NULL, host, config, selection, lines);
	ibc_config_free(config);
	ibc_host_free(host);
}

/* ---- PCI ------------------------------------------------------------------- */

#define BUS     "sys/bus/pci/devices/"
#define DEVICES "sys/devices/"

static inline const char *last_part(const char *path)
{
	return strrchr(path, '/') + 1;
}

static inline void put_link(const char *path, const char *target)
{
	make_dirs(path);
	assert_int_equal(symlink(target, below_root(path)), 0);
}

/* One value of a function at "pci0000:00/0000:00:01.0/0000:01:00.0". */
static inline void put_pci_value(const char *where, const char *file, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), DEVICES "%s/%s", where, file);
	put(path, value);
}

static inline void put_pci_driver(const char *where, const char *driver)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), DEVICES "%s/driver", where);
	snprintf(target, sizeof(target), "/bus/pci/drivers/%s", driver);
	put_link(path, target);
}

/* A function there, of that class and vendor, with a link of 16 GT/s x16. */
static inline void put_pci(const char *where, const char *class, const char *vendor)
{
	static const char *const values[][2] = {
		{ "device", "0x1021\n" },
		{ "current_link_speed", "16.0 GT/s PCIe\n" },
		{ "max_link_speed", "16.0 GT/s PCIe\n" },
		{ "current_link_width", "16\n" },
		{ "max_link_width", "16\n" },
		{ "numa_node", "0\n" },
	};
	char path[256], target[256];

	put_pci_value(where, "class", class);
	put_pci_value(where, "vendor", vendor);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		put_pci_value(where, values[i][0], values[i][1]);
	snprintf(path, sizeof(path), BUS "%s", last_part(where));
	snprintf(target, sizeof(target), "../../../devices/%s", where);
	put_link(path, target);
}

static inline void put_bridge(const char *where)
{
	put_pci(where, "0x060400\n", "0x8086\n");
}

static inline void put_gpu(const char *where)
{
	put_pci(where, "0x030200\n", "0x10de\n");
	put_pci_driver(where, "nvidia");
}

/* An adapter there that is the RDMA device of this name. */
static inline void put_hca(const char *where, const char *device)
{
	char path[256], target[256];

	put_pci(where, "0x020700\n", "0x15b3\n");
	put_pci_driver(where, "mlx5_core");
	put_device(device);
	snprintf(path, sizeof(path), CLASS "%s/device", device);
	snprintf(target, sizeof(target), "../../../devices/%s", where);
	put_link(path, target);
}

/* ---- configuration space ------------------------------------------------------ */

#define CONFIG_BYTES 4096

/* With Device Control, and ACS Control unless it is negative. */
static inline void put_config(const char *where, unsigned int device_control, int acs)
{
	unsigned char bytes[CONFIG_BYTES] = { [0x34] = 0x40, [0x40] = 0x10 };
	char path[256];
	FILE *f;

	bytes[0x48] = (unsigned char)device_control;
	bytes[0x49] = (unsigned char)(device_control >> 8);
	if (acs >= 0) {
		bytes[0x100] = 0x01; /* some other capability, the next is at 0x150 */
		bytes[0x103] = 0x15;
		bytes[0x150] = 0x0d;
		bytes[0x156] = (unsigned char)acs;
	}
	snprintf(path, sizeof(path), DEVICES "%s/config", where);
	make_dirs(path);
	f = fopen(below_root(path), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, sizeof(bytes), f), sizeof(bytes));
	assert_int_equal(fclose(f), 0);
}

#endif
