/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel says of RDMA devices: each test lays out a small root directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/vpd.h"
#include "mkroot.h"

#define CAPTURE "../shared/data/sysfs-h100"
#define TTAR    "../shared/data/sysfs-ttar/fixtures.ttar.infiniband-part"

static const struct ibc_rdma_port *first_port(const struct ibc_host *host)
{
	assert_non_null(ibc_host_device(host, 0));
	assert_true(ibc_host_device(host, 0)->num_ports > 0);
	return &ibc_host_device(host, 0)->ports[0];
}

/* errno of the path that ends so, 0 if it is not among the unread. */
static int unread(const struct ibc_host *host, const char *end)
{
	const struct ibc_unread *u;

	for (size_t i = 0; (u = ibc_host_unread(host, i)); i++)
		if (strlen(u->path) >= strlen(end) &&
		    !strcmp(u->path + strlen(u->path) - strlen(end), end))
			return u->error;
	return 0;
}

static void a_device_is_read_whole(void **state)
{
	const struct ibc_rdma_device *device;
	const struct ibc_rdma_port *port;
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	host = read_host();
	device = ibc_host_device(host, 0);
	assert_string_equal(device->name, "mlx5_0");
	assert_string_equal(device->node_desc, "node01 mlx5_0");
	assert_string_equal(device->hca_type, "MT4115");
	assert_string_equal(device->fw_ver, "12.28.2006");
	assert_string_equal(device->hw_rev, "0");
	assert_string_equal(device->board_id, "MT_2180110032");
	assert_true(device->node_guid == 0x0002c903007b78b0);
	assert_true(device->sys_image_guid == 0x0002c903007b78b1);
	assert_int_equal(device->type, IBC_NODE_CA);
	assert_int_equal(device->num_ports, 1);
	port = &device->ports[0];
	assert_int_equal(port->num, 1);
	assert_true(port->infiniband);
	assert_string_equal(port->link_layer, "InfiniBand");
	assert_int_equal(port->state, IBC_STATE_ACTIVE);
	assert_int_equal(port->phys_state, IBC_PHYS_LINKUP);
	assert_int_equal(port->lid, 42);
	assert_int_equal(port->sm_lid, 1);
	assert_int_equal(port->lmc, 1);
	assert_int_equal(port->sm_sl, 3);
	assert_int_equal(port->cap_mask, 0x2651e848);
	assert_true(port->guid == 0x0002c903007b78b2);
	assert_true(port->subnet_prefix == 0xfe80000000000001);
	assert_null(ibc_host_unread(host, 0));
	assert_null(ibc_host_device(host, 1));
	ibc_host_free(host);
}

static void a_device_that_manages_nvswitches_is_no_hca(void **state)
{
	const struct ibc_host_fact *fact;
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	put_vpd("mlx5_0", "MLX:MN=MLNX:CSKU=V2:UUID=V3:PCI=V0:MODL=CX75310A");
	put_device("mlx5_8");
	put_vpd("mlx5_8", VPD_OF_BRIDGE);
	host = read_host();
	assert_string_equal(ibc_host_device(host, 0)->name, "mlx5_0");
	assert_null(ibc_host_device(host, 1));
	assert_string_equal(ibc_host_bridge(host, 0)->name, "mlx5_8");
	assert_int_equal(ibc_host_bridge(host, 0)->num_ports, 1);
	assert_null(ibc_host_bridge(host, 1));
	assert_null(ibc_host_device_by_name(host, "mlx5_8"));
	fact = ibc_host_fact_of(host, "mlx5_8", "kind");
	assert_string_equal(fact->value, "NVSwitch bridge");
	assert_string_equal(fact->path, below_root(CLASS "mlx5_8/device/vpd"));
	assert_null(ibc_host_fact_of(host, "mlx5_0", "kind"));
	assert_null(ibc_host_unread(host, 0));
	ibc_host_free(host);
}

/* A dead HCA looks like a bridge but for that file. */
static void a_device_whose_vpd_cannot_be_read_is_an_hca(void **state)
{
	const struct ibc_host_fact *fact;
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_8");
	make_dirs(CLASS "mlx5_8/device/vpd/x"); /* no file, so that root fails as well */
	host = read_host();
	assert_non_null(ibc_host_device(host, 0));
	assert_null(ibc_host_bridge(host, 0));
	assert_null(ibc_host_unread(host, 0)); /* which it is, is all that is not known */
	fact = ibc_host_fact_of(host, "mlx5_8", "vpd");
	assert_string_equal(fact->value, "Is a directory");
	assert_string_equal(fact->path, below_root(CLASS "mlx5_8/device/vpd"));
	ibc_host_free(host);
}

static void vpd_is_read_to_its_end_and_no_further(void **state)
{
#define MARK "SMDL=SW_MNG"
	static const struct {
		const char *bytes;
		size_t n;
		bool bridge;
	} cases[] = {
#define VPD_CASE(text, bridge) { text, sizeof(text) - 1, bridge }
		VPD_CASE("", false),
		VPD_CASE("\x90", false),
		VPD_CASE(MARK, false),
		VPD_CASE("\x90\x0e\0VA\x0b" MARK, true),
		VPD_CASE("\x91\x0e\0Y1\x0b" MARK, true),
		/* the name of the product is no field */
		VPD_CASE("\x82\x0b\0" MARK "\x78", false),
		VPD_CASE("\x82\x02\0ab\x90\x11\0PN\0VA\x0b" MARK "\x78", true),
		/* behind the end, between fields, over the end of one */
		VPD_CASE("\x78\x90\x0e\0VA\x0b" MARK, false),
		VPD_CASE("\x90\x03\0PN\0" MARK, false),
		VPD_CASE("\x90\x0e\0VA\x0aSMDL=SW_MNG", false),
		/* lengths beyond what there is */
		VPD_CASE("\x90\xff\xffVA\xff" MARK, true),
		VPD_CASE("\x90\x0e\0VA\x0bSMDL=SW_MN", false),
		VPD_CASE("\x82\xff\xff\x90\x0e\0VA\x0b" MARK, false),
		VPD_CASE("\x90\x04\0VA\x0b" MARK, false),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* what is read beyond the end, sanitizers see */
		unsigned char *bytes = malloc(cases[i].n + !cases[i].n);

		assert_non_null(bytes);
		memcpy(bytes, cases[i].bytes, cases[i].n);
		assert_int_equal(vpd_is_nvswitch_bridge(bytes, cases[i].n), cases[i].bridge);
		free(bytes);
	}
}

static void rates_are_read_as_kernels_write_them(void **state)
{
	static const struct {
		const char *text;
		double gbps;
		unsigned int width, speed;
	} rates[] = {
		{ "2.5 Gb/sec (1X SDR)", 2.5, IBC_WIDTH_1X, IBC_SPEED_SDR },
		{ "10 Gb/sec (4X)", 10, IBC_WIDTH_4X, IBC_SPEED_SDR },
		{ "2.5 Gb/sec (1X)", 2.5, IBC_WIDTH_1X, IBC_SPEED_SDR },
		{ "20 Gb/sec (4X DDR)", 20, IBC_WIDTH_4X, IBC_SPEED_DDR },
		{ "120 Gb/sec (12X QDR)", 120, IBC_WIDTH_12X, IBC_SPEED_QDR },
		{ "40 Gb/sec (4X FDR10)", 40, IBC_WIDTH_4X, IBC_SPEED_FDR10 },
		{ "56 Gb/sec (4X FDR)", 56, IBC_WIDTH_4X, IBC_SPEED_FDR },
		{ "100 Gb/sec (4X EDR)", 100, IBC_WIDTH_4X, IBC_SPEED_EDR },
		{ "100 Gb/sec (2X HDR)", 100, IBC_WIDTH_2X, IBC_SPEED_HDR },
		{ "400 Gb/sec (4X NDR)", 400, IBC_WIDTH_4X, IBC_SPEED_NDR },
		{ "200 Gb/sec (2X NDR)", 200, IBC_WIDTH_2X, IBC_SPEED_NDR },
		{ "800 Gb/sec (4X XDR)", 800, IBC_WIDTH_4X, IBC_SPEED_XDR },
	};

	(void)state;
	put_device("mlx5_0");
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct ibc_host *host;

		put(CLASS "mlx5_0/ports/1/rate", rates[i].text);
		host = read_host();
		assert_float_equal(first_port(host)->rate_gbps, rates[i].gbps, 0.001);
		assert_int_equal(first_port(host)->width, rates[i].width);
		assert_int_equal(first_port(host)->speed, rates[i].speed);
		assert_int_equal(unread(host, "/rate"), 0);
		ibc_host_free(host);
	}
}

static void what_no_kernel_writes_is_unread_not_zero(void **state)
{
	static const char *const odd[][2] = {
		{ "node_guid", "N/A (no PMA)" },
		{ "node_guid", "0002c903007b78b0" },
		{ "node_guid", "0002:c903:007b:78bx" },
		{ "sys_image_guid", "0002:c903:007b-78b1" },
		{ "node_type", "CA" },
		{ "ports/1/state", "" },
		{ "ports/1/state", "5: ACTIVE_DEFER" },
		{ "ports/1/state", "4444444444: ACTIVE" },
		{ "ports/1/phys_state", "0: <unknown>" },
		{ "ports/1/phys_state", "8: what" },
		{ "ports/1/rate", "fast" },
		{ "ports/1/rate", "100 Gb/sec (5X EDR)" },
		{ "ports/1/rate", "100 Gb/sec (4X WDR)" },
		{ "ports/1/rate", "40 Gb/sec (4X)" },
		{ "ports/1/lid", "0x100000000" },
		{ "ports/1/lid", "-1" },
		{ "ports/1/lid_mask_count", "256" },
		{ "ports/1/sm_sl", "high" },
		{ "ports/1/cap_mask", "" },
		{ "ports/1/gids/0", "fe80:0000:0000:0000" },
		{ "ports/1/gids/0", "fe80:0000:0000:0001 0002:c903:007b:78b2" },
		{ "ports/1/gids/0", "fe80:0000:0000:000x:0002:c903:007b:78b2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct ibc_host *host;
		char path[256];

		put_device("mlx5_0");
		snprintf(path, sizeof(path), CLASS "mlx5_0/%s", odd[i][0]);
		put(path, odd[i][1]);
		host = read_host();
		assert_int_equal(unread(host, odd[i][0]), EBADMSG);
		assert_null(ibc_host_unread(host, 1));
		ibc_host_free(host);
	}
}

static void types_beyond_the_field_are_unknown(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("cxgb4_0");
	put(CLASS "cxgb4_0/node_type", "4: RNIC\n");
	host = read_host();
	assert_int_equal(ibc_host_device(host, 0)->type, IBC_NODE_UNKNOWN);
	assert_null(ibc_host_unread(host, 0));
	ibc_host_free(host);
}

static void a_missing_file_is_unread_with_its_path(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	assert_int_equal(unlink(below_root(CLASS "mlx5_0/ports/1/state")), 0);
	host = read_host();
	assert_int_equal(first_port(host)->state, IBC_STATE_UNKNOWN);
	assert_int_equal(unread(host, "mlx5_0/ports/1/state"), ENOENT);
	assert_string_equal(ibc_host_unread(host, 0)->path,
	                    below_root(CLASS "mlx5_0/ports/1/state"));
	ibc_host_free(host);
}

static void files_only_some_drivers_have_are_no_gap(void **state)
{
	static const char *const optional[] = { "node_desc", "hca_type", "fw_ver",
		                                "hw_rev",    "board_id", "ports/1/link_layer" };
	struct ibc_host *host;
	char path[256];

	(void)state;
	put_device("siw0");
	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
		snprintf(path, sizeof(path), CLASS "siw0/%s", optional[i]);
		assert_int_equal(unlink(below_root(path)), 0);
	}
	host = read_host();
	assert_null(ibc_host_unread(host, 0));
	assert_string_equal(ibc_host_device(host, 0)->board_id, "");
	assert_true(first_port(host)->infiniband);
	assert_string_equal(first_port(host)->link_layer, "");
	ibc_host_free(host);
}

static void an_ethernet_port_is_not_asked_for_lids(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_bond_0");
	put(CLASS "mlx5_bond_0/ports/1/link_layer", "Ethernet\n");
	put(CLASS "mlx5_bond_0/ports/1/lid", "nonsense\n");
	host = read_host();
	assert_false(first_port(host)->infiniband);
	assert_int_equal(first_port(host)->state, IBC_STATE_ACTIVE);
	assert_int_equal(first_port(host)->lid, 0);
	assert_null(ibc_host_unread(host, 0));
	ibc_host_free(host);
}

static void one_odd_device_does_not_end_the_listing(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	put_device("mlx5_2");
	put(CLASS "LICENSE", "a file beside the devices");
	assert_int_equal(symlink("nowhere", below_root(CLASS "mlx5_1")), 0);
	host = read_host();
	assert_string_equal(ibc_host_device(host, 0)->name, "mlx5_0");
	assert_string_equal(ibc_host_device(host, 1)->name, "mlx5_1");
	assert_int_equal(ibc_host_device(host, 1)->num_ports, 0);
	assert_string_equal(ibc_host_device(host, 1)->fw_ver, "");
	assert_string_equal(ibc_host_device(host, 2)->name, "mlx5_2");
	assert_null(ibc_host_device(host, 3));
	assert_int_equal(unread(host, "/mlx5_1"), ENOENT);
	assert_null(ibc_host_unread(host, 1));
	ibc_host_free(host);
}

static void a_device_without_ports_says_so(void **state)
{
	struct ibc_host *host;

	(void)state;
	put(CLASS "mlx5_0/node_type", "1: CA\n");
	host = read_host();
	assert_int_equal(ibc_host_device(host, 0)->num_ports, 0);
	assert_int_equal(unread(host, "mlx5_0/ports"), ENOENT);
	assert_int_equal(unread(host, "mlx5_0/node_guid"), ENOENT);
	ibc_host_free(host);
}

static void a_directory_or_a_pipe_in_the_place_of_a_file_is_survived(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	assert_int_equal(unlink(below_root(CLASS "mlx5_0/fw_ver")), 0);
	assert_int_equal(mkdir(below_root(CLASS "mlx5_0/fw_ver"), 0755), 0);
	assert_int_equal(unlink(below_root(CLASS "mlx5_0/ports/1/rate")), 0);
	assert_int_equal(mkfifo(below_root(CLASS "mlx5_0/ports/1/rate"), 0644), 0);
	host = read_host();
	assert_int_equal(unread(host, "mlx5_0/fw_ver"), EISDIR);
	assert_int_equal(unread(host, "mlx5_0/ports/1/rate"), EBADMSG);
	ibc_host_free(host);
}

static void a_read_the_driver_refuses_is_unread(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	assert_int_equal(unlink(below_root(CLASS "mlx5_0/board_id")), 0);
	/* address 0 of this process: opens, and fails to read */
	assert_int_equal(symlink("/proc/self/mem", below_root(CLASS "mlx5_0/board_id")), 0);
	host = read_host();
	assert_int_equal(unread(host, "mlx5_0/board_id"), EIO);
	assert_string_equal(ibc_host_device(host, 0)->board_id, "");
	ibc_host_free(host);
}

static void a_port_that_is_a_file_is_listed_as_unread(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	put(CLASS "mlx5_0/ports/2", "");
	host = read_host();
	assert_int_equal(ibc_host_device(host, 0)->num_ports, 2);
	assert_int_equal(ibc_host_device(host, 0)->ports[1].state, IBC_STATE_UNKNOWN);
	assert_int_equal(unread(host, "mlx5_0/ports/2"), ENOTDIR);
	ibc_host_free(host);
}

static void only_numbers_are_ports(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	put(CLASS "mlx5_0/ports/0/state", "4: ACTIVE");
	put(CLASS "mlx5_0/ports/01/state", "4: ACTIVE");
	put(CLASS "mlx5_0/ports/256/state", "4: ACTIVE");
	put(CLASS "mlx5_0/ports/one/state", "4: ACTIVE");
	host = read_host();
	assert_int_equal(ibc_host_device(host, 0)->num_ports, 1);
	assert_null(ibc_host_unread(host, 0));
	ibc_host_free(host);
}

static void devices_and_ports_come_in_order_of_their_numbers(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_10");
	put_device("mlx5_2");
	put(CLASS "mlx5_2/ports/10/state", "1: DOWN");
	put(CLASS "mlx5_2/ports/2/state", "1: DOWN");
	host = read_host();
	assert_string_equal(ibc_host_device(host, 0)->name, "mlx5_2");
	assert_string_equal(ibc_host_device(host, 1)->name, "mlx5_10");
	assert_int_equal(ibc_host_device(host, 0)->ports[0].num, 1);
	assert_int_equal(ibc_host_device(host, 0)->ports[1].num, 2);
	assert_int_equal(ibc_host_device(host, 0)->ports[2].num, 10);
	ibc_host_free(host);
}

static void text_is_cleaned_where_it_enters(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	put(CLASS "mlx5_0/node_desc", "no\033de\377  \nsecond line\n");
	host = read_host();
	assert_string_equal(ibc_host_device(host, 0)->node_desc, "no\uFFFDde\uFFFD");
	ibc_host_free(host);
}

static void endless_files_are_read_to_their_bound(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	assert_int_equal(unlink(below_root(CLASS "mlx5_0/fw_ver")), 0);
	assert_int_equal(symlink("/dev/zero", below_root(CLASS "mlx5_0/fw_ver")), 0);
	host = read_host();
	assert_string_equal(ibc_host_device(host, 0)->fw_ver, "");
	ibc_host_free(host);
}

static void too_many_entries_are_told(void **state)
{
	struct ibc_host *host;
	char path[64];
	size_t n = 0;

	(void)state;
	for (unsigned int i = 0; i < 1030; i++) {
		snprintf(path, sizeof(path), CLASS "d%u/", i);
		make_dirs(path);
	}
	host = read_host();
	while (ibc_host_device(host, n))
		n++;
	assert_int_equal(n, 1024);
	assert_int_equal(unread(host, "sys/class/infiniband"), E2BIG);
	ibc_host_free(host);
}

static void a_host_without_devices_is_no_failure(void **state)
{
	struct ibc_host *host = read_host();

	(void)state;
	assert_null(ibc_host_device(host, 0));
	assert_null(ibc_host_unread(host, 0));
	ibc_host_free(host);
}

static void a_class_that_is_no_directory_is_unread(void **state)
{
	struct ibc_host *host;

	(void)state;
	put("sys/class/infiniband", "");
	host = read_host();
	assert_null(ibc_host_device(host, 0));
	assert_int_equal(unread(host, "sys/class/infiniband"), ENOTDIR);
	ibc_host_free(host);
}

static void a_root_that_is_not_there_is_an_error_with_its_name(void **state)
{
	struct ibc_host *host = NULL;
	struct ibc_error err;

	(void)state;
	assert_int_equal(read_below(below_root("none"), &host, &err), -ENOENT);
	assert_non_null(strstr(err.text, below_root("none")));
	assert_non_null(strstr(err.text, strerror(ENOENT)));
	put("file", "");
	assert_int_equal(read_below(below_root("file"), &host, &err), -ENOENT);
	assert_non_null(strstr(err.text, strerror(ENOTDIR)));
	assert_null(host);
}

static void the_root_may_end_in_slashes_or_be_left_out(void **state)
{
	struct ibc_host *host;
	char slashes[PATH_MAX];

	(void)state;
	put_device("mlx5_0");
	unlink(below_root(CLASS "mlx5_0/node_guid"));
	snprintf(slashes, sizeof(slashes), "%s//", root);
	assert_int_equal(read_below(slashes, &host, NULL), 0);
	assert_string_equal(ibc_host_unread(host, 0)->path, below_root(CLASS "mlx5_0/node_guid"));
	ibc_host_free(host);
	assert_int_equal(ibc_host_read(NULL, &host, NULL), 0);
	ibc_host_free(host);
	ibc_host_free(NULL);
}

static void running_out_of_memory_is_an_error_wherever_it_happens(void **state)
{
	struct ibc_host *host = NULL;
	struct ibc_error err;
	unsigned long n = 0;
	int rc;

	(void)state;
	put_device("mlx5_0");
	unlink(below_root(CLASS "mlx5_0/ports/1/lid"));
	put_vpd("mlx5_8", VPD_OF_BRIDGE);
	make_dirs(CLASS "mlx5_9/device/vpd/x");
	do {
		alloc_fail_at(++n);
		rc = read_below(root, &host, &err);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
	} while (rc);
	assert_true(n > 3);
	ibc_host_free(host);
}

static void a_capture_of_a_real_host_is_read(void **state)
{
	const struct ibc_rdma_device *device;
	struct ibc_host *host;
	size_t infiniband = 0;
	char *capture = realpath(CAPTURE, NULL);

	(void)state;
	if (!capture) {
		print_message("SKIPPED: no %s here\n", CAPTURE);
		skip();
	}
	make_dirs("sys/class/infiniband");
	assert_int_equal(symlink(capture, below_root("sys/class/infiniband")), 0);
	free(capture);
	host = read_host();
	for (size_t i = 0; (device = ibc_host_device(host, i)); i++) {
		assert_int_equal(device->num_ports, 1);
		assert_int_equal(device->ports[0].state, IBC_STATE_ACTIVE);
		if (device->ports[0].infiniband)
			infiniband++;
		if (!strcmp(device->name, "mlx5_bond_0"))
			assert_string_equal(device->ports[0].link_layer, "Ethernet");
	}
	assert_int_equal(infiniband, 8);
	assert_string_equal(ibc_host_device(host, 0)->name, "mlx5_0");
	assert_int_equal(first_port(host)->speed, IBC_SPEED_NDR);
	assert_int_equal(unread(host, "mlx5_0/node_guid"), ENOENT);
	ibc_host_free(host);
}

/* Lays out the files of a ttar text: "Path: fixtures/...", "Lines: N", N lines. */
static bool unpack_ttar(const char *name)
{
	FILE *f = fopen(name, "r");
	char line[1024], path[512] = "";
	unsigned int lines;

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Path: fixtures/%511s", path) == 1)
			continue;
		if (*path && sscanf(line, "Lines: %u", &lines) == 1) {
			put(path, lines && fgets(line, sizeof(line), f) ? line : "");
			*path = '\0';
		}
	}
	fclose(f);
	return true;
}

static void captures_of_other_drivers_are_read(void **state)
{
	static const char *const names[] = { "hfi1_0", "mlx4_0", "mlx5_0" };
	struct ibc_host *host;

	(void)state;
	if (!unpack_ttar(TTAR)) {
		print_message("SKIPPED: no %s here\n", TTAR);
		skip();
	}
	host = read_host();
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(ibc_host_device(host, i)->name, names[i]);
	assert_int_equal(ibc_host_device(host, 1)->num_ports, 2);
	assert_int_equal(first_port(host)->speed, IBC_SPEED_EDR);
	ibc_host_free(host);
}

static void why_something_was_not_read_is_told_in_words(void **state)
{
	static const struct {
		int error;
		const char *words;
	} cases[] = {
		{ EBADMSG, "it holds what no kernel writes" },
		{ E2BIG, "it holds more than is read" },
		{ EACCES, "Permission denied" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(
		    ibc_unread_reason(&(struct ibc_unread){ "/sys/x", cases[i].error }),
		    cases[i].words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_device_is_read_whole),
		TEST(a_device_that_manages_nvswitches_is_no_hca),
		TEST(a_device_whose_vpd_cannot_be_read_is_an_hca),
		cmocka_unit_test(vpd_is_read_to_its_end_and_no_further),
		TEST(rates_are_read_as_kernels_write_them),
		TEST(what_no_kernel_writes_is_unread_not_zero),
		TEST(types_beyond_the_field_are_unknown),
		TEST(a_missing_file_is_unread_with_its_path),
		TEST(files_only_some_drivers_have_are_no_gap),
		TEST(an_ethernet_port_is_not_asked_for_lids),
		TEST(one_odd_device_does_not_end_the_listing),
		TEST(a_device_without_ports_says_so),
		TEST(a_directory_or_a_pipe_in_the_place_of_a_file_is_survived),
		TEST(a_read_the_driver_refuses_is_unread),
		TEST(a_port_that_is_a_file_is_listed_as_unread),
		TEST(only_numbers_are_ports),
		TEST(devices_and_ports_come_in_order_of_their_numbers),
		TEST(text_is_cleaned_where_it_enters),
		TEST(endless_files_are_read_to_their_bound),
		TEST(too_many_entries_are_told),
		TEST(a_host_without_devices_is_no_failure),
		TEST(a_class_that_is_no_directory_is_unread),
		TEST(a_root_that_is_not_there_is_an_error_with_its_name),
		TEST(the_root_may_end_in_slashes_or_be_left_out),
		TEST(running_out_of_memory_is_an_error_wherever_it_happens),
		TEST(a_capture_of_a_real_host_is_read),
		TEST(captures_of_other_drivers_are_read),
		cmocka_unit_test(why_something_was_not_read_is_told_in_words),
	};

	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
