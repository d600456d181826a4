/* SPDX-License-Identifier: BSD-2-Clause */
/* What is read of drivers, libraries, counters and devlink, and said of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <linux/devlink.h>
#include <linux/genetlink.h>

#include "base/arena.h"
#include "host/host.h"
#include "host/net/devlink.h"
#include "mkstack.h"

#define HCA  "pci0000:10/0000:10:01.0"
#define PORT CLASS "mlx5_0/ports/1/"
#define LIB  "usr/lib/x86_64-linux-gnu/"

/* All that a program needs to use mlx5_0. */
static void put_stack(void)
{
	put_hca(HCA, "mlx5_0");
	put("sys/module/ib_uverbs/refcnt", "1\n");
	put("sys/module/rdma_ucm/refcnt", "1\n");
	put("sys/module/mlx5_core/srcversion", "533BB7E5866E52F63B9ACCB\n");
	put("sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
	put("sys/module/ib_umad/refcnt", "1\n");
	put("sys/class/infiniband_mad/umad3/ibdev", "mlx5_0\n");
	put("sys/class/infiniband_mad/umad3/port", "1\n");
	put("dev/infiniband/uverbs0", "");
	put("dev/infiniband/rdma_cm", "");
	assert_int_equal(chmod(below_root("dev/infiniband/uverbs0"), 0666), 0);
	assert_int_equal(chmod(below_root("dev/infiniband/rdma_cm"), 0666), 0);
	put_link(LIB "libibverbs.so.1", "libibverbs.so.1.14.44.0");
	put(LIB "libibverbs/libmlx5-rdmav34.so", "");
	put("etc/libibverbs.d/mlx5.driver", "driver mlx5\n");
}

static const char *fact(const struct ibc_host *host, const char *subject, const char *key)
{
	const struct ibc_host_fact *f = ibc_host_fact_of(host, subject, key);

	return f ? f->value : NULL;
}

/* ---- facts ------------------------------------------------------------------------ */

static void the_stack_is_read_as_facts_with_their_paths(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_stack();
	put("proc/sys/kernel/osrelease", "6.1.0-30-amd64\n");
	put("proc/cmdline", "root=/dev/sda1 token=secret iommu=pt quiet\n");
	put("etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian 12\"\n");
	put("proc/self/limits", "Limit  Soft Limit  Hard Limit  Units\n"
	                        "Max locked memory         8388608      unlimited      bytes\n");
	put("usr/bin/ofed_info", "#!/bin/bash\necho \"MLNX_OFED_LINUX-24.04-0.6.6.0 (x):\"\n");
	put("var/lib/dpkg/status", "Package: bash\nVersion: 5\n\nPackage: libibverbs1\n"
	                           "Status: install ok installed\nVersion: 44.0-2\n\n");
	put("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n");
	put("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave\n");
	host = read_whole(NULL);
	assert_string_equal(fact(host, "kernel", "release"), "6.1.0-30-amd64");
	assert_string_equal(fact(host, "kernel", "distribution"), "Debian 12");
	assert_string_equal(fact(host, "kernel", "cmdline iommu"), "pt");
	assert_string_equal(fact(host, "limits", "memlock"), "8388608");
	assert_string_equal(fact(host, "ofed", "version"), "MLNX_OFED_LINUX-24.04-0.6.6.0");
	assert_string_equal(fact(host, "package", "libibverbs1"), "44.0-2");
	assert_string_equal(fact(host, "rdma-core", "libibverbs"), "libibverbs.so.1.14.44.0");
	assert_string_equal(fact(host, "provider mlx5", "rdmav34"), "yes");
	assert_string_equal(fact(host, "provider mlx5", "configured"), "yes");
	assert_string_equal(fact(host, "/dev/infiniband/uverbs0", "mode"), "0666");
	assert_string_equal(fact(host, "tuning", "scaling_governor"), "mixed");
	assert_string_equal(fact(host, "module mlx5_core", "srcversion"),
	                    "533BB7E5866E52F63B9ACCB");
	assert_string_equal(ibc_host_device(host, 0)->uverbs, "uverbs0");
	assert_string_equal(ibc_host_fact_of(host, "kernel", "release")->path,
	                    below_root("proc/sys/kernel/osrelease"));
	assert_null(fact(host, "kernel", "no such key"));
	/* what else stands on the command line is nobody's business */
	for (size_t i = 0; ibc_host_fact(host, i); i++)
		assert_null(strstr(ibc_host_fact(host, i)->value, "secret"));
	ibc_host_free(host);
}

static void empty_huge_and_binary_files_are_survived(void **state)
{
	static const char *const files[] = { "proc/sys/kernel/osrelease",
		                             "etc/os-release",
		                             "proc/cpuinfo",
		                             "proc/cmdline",
		                             "proc/self/limits",
		                             "usr/bin/ofed_info",
		                             "var/lib/dpkg/status",
		                             PORT "hw_counters/odd",
		                             "etc/libibverbs.d/x.driver" };
	static char bytes[1 << 17];
	struct ibc_host *host;
	FILE *f;

	(void)state;
	put_device("mlx5_0");
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 2654435761U >> 13);
	for (size_t n = 0; n <= sizeof(bytes); n += sizeof(bytes)) {
		for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
			put(files[i], "");
			f = fopen(below_root(files[i]), "w");
			assert_non_null(f);
			assert_int_equal(fwrite(bytes, 1, n, f), n);
			assert_int_equal(fclose(f), 0);
		}
		host = read_whole(NULL);
		assert_int_equal(ibc_host_device(host, 0)->ports[0].num_hw_counters, 0);
		ibc_host_free(host);
	}
}

/* ---- counters, GIDs, P_Keys ---------------------------------------------------------- */

static void counters_are_read_by_the_kernels_names(void **state)
{
	const struct ibc_rdma_port *port;
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	make_dirs("proc/");
	put(PORT "counters/port_xmit_data", "18446744073709551615\n");
	put(PORT "counters/symbol_error", "N/A (no PMA)\n");
	put(PORT "hw_counters/lifespan", "10\n");
	put(PORT "hw_counters/packet_seq_err", "7\n");
	put(PORT "hw_counters/odd", "many\n");
	host = read_whole(NULL);
	port = &ibc_host_device(host, 0)->ports[0];
	assert_int_equal(port->num_counters, 1);
	assert_string_equal(port->counters[0].name, "port_xmit_data");
	assert_true(port->counters[0].value == UINT64_MAX);
	assert_int_equal(port->num_hw_counters, 1);
	assert_string_equal(port->hw_counters[0].name, "packet_seq_err");
	assert_int_equal(port->hw_counters[0].value, 7);
	assert_int_equal(ibc_host_unread(host, 0)->error, EBADMSG);
	assert_string_equal(last_part(ibc_host_unread(host, 0)->path), "odd");
	ibc_host_free(host);
}

static void a_driver_without_counters_has_none(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("rxe0");
	make_dirs("proc/");
	host = read_whole(NULL);
	assert_int_equal(ibc_host_device(host, 0)->ports[0].num_counters, 0);
	assert_null(ibc_host_unread(host, 0));
	ibc_host_free(host);
}

static void gids_and_pkeys_leave_out_empty_slots(void **state)
{
	const struct ibc_rdma_port *port;
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	make_dirs("proc/");
	put(PORT "gids/1", "0000:0000:0000:0000:0000:0000:0000:0000\n");
	put(PORT "gids/3", "0000:0000:0000:0000:0000:ffff:0a63:0002\n");
	put(PORT "gid_attrs/types/3", "RoCE v2\n");
	put(PORT "gid_attrs/ndevs/3", "eth4\n");
	put(PORT "pkeys/0", "0xffff\n");
	put(PORT "pkeys/1", "0x0000\n");
	put(PORT "pkeys/2", "0x8001\n");
	host = read_whole(NULL);
	port = &ibc_host_device(host, 0)->ports[0];
	assert_int_equal(port->num_gids, 2);
	assert_int_equal(port->gids[1].index, 3);
	assert_true(port->gids[1].roce_v2);
	assert_string_equal(port->gids[1].netdev, "eth4");
	assert_int_equal(port->gids[1].raw[12], 10);
	assert_string_equal(port->gids[0].type, "");
	assert_int_equal(port->num_pkeys, 2);
	assert_int_equal(port->pkeys[1], 0x8001);
	assert_null(ibc_host_unread(host, 0));
	ibc_host_free(host);
}

/* ---- host.verbs ------------------------------------------------------------------------ */

static void a_whole_stack_is_fine(void **state)
{
	(void)state;
	put_stack();
	says(
	    "host.verbs,host.umad,host.firmware,host.stack-mix,host.sriov,host.memlock,host.tuning",
	    "");
}

static void a_tree_of_a_few_files_blames_nobody(void **state)
{
	(void)state;
	put_device("mlx5_0");
	says("host.verbs,host.umad,host.stack-mix,host.gpudirect,host.pcie", "");
}

static void an_active_port_without_umad_is_told(void **state)
{
	(void)state;
	put_stack();
	assert_int_equal(unlink(below_root("sys/module/ib_umad/refcnt")), 0);
	assert_int_equal(rmdir(below_root("sys/module/ib_umad")), 0);
	says("host.umad", "");
	put("sys/class/infiniband_mad/umad3/port", "2\n");
	/* what only a subnet manager needs */
	put("sys/class/infiniband_mad/issm3/ibdev", "mlx5_0\n");
	put("sys/class/infiniband_mad/issm3/port", "1\n");
	says("host.umad", "warning this host: ib_umad is not loaded: no program can send MADs, so "
	                  "that sweeps, infiniband-diags and OpenSM do not work from here\n");
	/* built into the kernel it is in no list of modules */
	put("sys/class/infiniband_mad/abi_version", "5\n");
	says("host.umad", "warning mlx5_0/1: is Active and has no umad device: no program can send "
	                  "MADs from it\n");
	put_vpd("mlx5_0", VPD_OF_BRIDGE);
	says("host.umad", "");
	put_vpd("mlx5_0", "");
	put(PORT "state", "1: DOWN\n");
	says("host.umad", "");
	put(PORT "state", "4: ACTIVE\n");
	put(PORT "link_layer", "Ethernet\n");
	says("host.umad", "");
}

static void devices_that_cannot_be_listed_are_not_called_missing(void **state)
{
	(void)state;
	put_hca(HCA, "mlx5_0");
	put("sys/module/ib_uverbs/refcnt", "1\n");
	put("sys/module/rdma_ucm/refcnt", "1\n");
	put("dev/infiniband/rdma_cm", "");
	assert_int_equal(chmod(below_root("dev/infiniband/rdma_cm"), 0666), 0);
	/* no directories, so that root fails as well */
	put("sys/class/infiniband_mad", "");
	put("sys/class/infiniband_verbs", "");
	says("host.umad,host.verbs",
	     "unknown this host: which ports have a umad device is not known: "
	     "ROOT/sys/class/infiniband_mad: Not a directory\n"
	     "unknown this host: which HCAs have a uverbs device is not known: "
	     "ROOT/sys/class/infiniband_verbs: Not a directory\n");
	/* whether the module is loaded, or built in, is not known either */
	put_device("mlx5_1");
	assert_int_equal(unlink(below_root("sys/module/ib_uverbs/refcnt")), 0);
	assert_int_equal(rmdir(below_root("sys/module/ib_uverbs")), 0);
	says("host.verbs", "unknown this host: which HCAs have a uverbs device is not known: "
	                   "ROOT/sys/class/infiniband_verbs: Not a directory\n");
}

/* A version that is not read hides no device; whose a device is, is needed for the others. */
static void a_device_file_that_cannot_be_read_hides_what_it_may(void **state)
{
	(void)state;
	put_stack();
	put_device("mlx5_1");
	make_dirs("sys/class/infiniband_verbs/uverbs1/abi_version/x");
	says("host.verbs", "critical mlx5_1: has no uverbs device\n");
	make_dirs("sys/class/infiniband_verbs/uverbs1/ibdev/x");
	says("host.verbs", "unknown this host: which HCAs have a uverbs device is not known: "
	                   "ROOT/sys/class/infiniband_verbs/uverbs1/ibdev: Is a directory\n");
}

static void a_missing_provider_is_named(void **state)
{
	(void)state;
	put_stack();
	assert_int_equal(unlink(below_root("etc/libibverbs.d/mlx5.driver")), 0);
	says("host.verbs", "critical mlx5_0: libibverbs finds no provider for it: "
	                   "/etc/libibverbs.d/mlx5.driver is missing\n");
	assert_int_equal(unlink(below_root(LIB "libibverbs/libmlx5-rdmav34.so")), 0);
	says(
	    "host.verbs",
	    "critical mlx5_0: libibverbs finds no provider for it: libmlx5-rdmav*.so is missing\n");
}

static void devices_that_users_cannot_open_are_told(void **state)
{
	(void)state;
	put_stack();
	assert_int_equal(chmod(below_root("dev/infiniband/uverbs0"), 0600), 0);
	says("host.verbs",
	     "critical mlx5_0: /dev/infiniband/uverbs0 has mode 0600: only root can use it\n");
	assert_int_equal(chmod(below_root("dev/infiniband/uverbs0"), 0660), 0);
	says("host.verbs", "warning mlx5_0: /dev/infiniband/uverbs0 has mode 0660: only users of "
	                   "its group can use it\n");
	assert_int_equal(unlink(below_root("dev/infiniband/uverbs0")), 0);
	says("host.verbs", "critical mlx5_0: /dev/infiniband/uverbs0 is missing: no program can "
	                   "open the device\n");
}

static void modules_that_are_missing_are_named(void **state)
{
	(void)state;
	put_hca(HCA, "mlx5_0");
	put("sys/module/mlx5_core/refcnt", "1\n");
	says("host.verbs",
	     "critical this host: ib_uverbs is not loaded: no program can use an HCA\n");
	put("sys/module/ib_uverbs/refcnt", "1\n");
	says("host.verbs", "critical mlx5_0: has no uverbs device\n"
	                   "warning this host: rdma_ucm is not loaded: programs that use the RDMA "
	                   "connection manager fail\n");
}

static void an_adapter_that_is_no_rdma_device_is_told(void **state)
{
	(void)state;
	put_pci(HCA, "0x020700\n", "0x15b3\n");
	says("host.verbs", "critical 0000:10:01.0: this InfiniBand HCA has no driver\n");
	put_pci_driver(HCA, "mlx5_core");
	says("host.verbs", "critical 0000:10:01.0: this InfiniBand HCA is bound to the driver "
	                   "mlx5_core, but is not an RDMA device\n");
}

static void an_adapter_for_a_virtual_machine_is_no_fault(void **state)
{
	(void)state;
	put_pci(HCA, "0x020700\n", "0x15b3\n");
	put_pci_driver(HCA, "vfio-pci");
	says("host.verbs", "");
}

/* ---- host.firmware ------------------------------------------------------------------------ */

static void the_older_firmware_of_one_board_is_told(void **state)
{
	(void)state;
	put_device("mlx5_0");
	put_device("mlx5_1");
	put(CLASS "mlx5_1/fw_ver", "12.9.1000\n");
	says("host.firmware", "warning mlx5_1: runs firmware 12.9.1000, mlx5_0 of the same board "
	                      "(MT_2180110032) 12.28.2006\n");
	put(CLASS "mlx5_1/board_id", "MT_0000000001\n");
	says("host.firmware", "");
}

/* What devlink would tell. */
static void told(struct ibc_host *host, const char *key, const char *value)
{
	note_fact(host, "0000:10:01.0", key, value, "netlink: DEVLINK_CMD_INFO_GET");
}

static int by_subject(const void *a, const void *b)
{
	const struct ibc_host_fact *x = *(void *const *)a, *y = *(void *const *)b;
	int order = strverscmp(x->subject, y->subject);

	return order ? order : strcmp(x->key, y->key);
}

static void firmware_that_waits_for_a_reset_and_sick_adapters_are_told(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_hca(HCA, "mlx5_0");
	host = read_whole(NULL);
	told(host, "running fw.version", "28.39.1002");
	told(host, "stored fw.version", "28.41.1000");
	told(host, "health fw", "healthy");
	told(host, "health fw_fatal", "error");
	host_sort(&host->facts, by_subject);
	says_over(NULL, host, NULL, "host.firmware",
	          "critical mlx5_0: its driver reports an error state of \"fw_fatal\"\n"
	          "warning mlx5_0: runs firmware 28.39.1002, but 28.41.1000 is stored: it was "
	          "flashed but not reset\n");
	ibc_host_free(host);
}

static void an_adapter_with_rdma_turned_off_is_told(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_pci(HCA, "0x020700\n", "0x15b3\n");
	put_pci_driver(HCA, "mlx5_core");
	host = read_whole(NULL);
	told(host, "enable_rdma", "off");
	host_sort(&host->facts, by_subject);
	says_over(NULL, host, NULL, "host.verbs",
	          "critical 0000:10:01.0: this InfiniBand HCA is bound to the driver mlx5_core, "
	          "but is not an RDMA device: enable_rdma is off in devlink\n");
	ibc_host_free(host);
}

/* ---- devlink's answers -------------------------------------------------------------------- */

static struct nlmsghdr *message(char *buf, uint8_t command)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	genl->cmd = command;
	mnl_attr_put_strz(nlh, DEVLINK_ATTR_BUS_NAME, "pci");
	mnl_attr_put_strz(nlh, DEVLINK_ATTR_DEV_NAME, "0000:10:01.0");
	return nlh;
}

static void put_version(struct nlmsghdr *nlh, uint16_t type, const char *name, const char *value)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, type);

	mnl_attr_put_strz(nlh, DEVLINK_ATTR_INFO_VERSION_NAME, name);
	mnl_attr_put_strz(nlh, DEVLINK_ATTR_INFO_VERSION_VALUE, value);
	mnl_attr_nest_end(nlh, nest);
}

static void devlink_tells_versions_and_health(void **state)
{
	char buf[1024] = { 0 };
	struct ibc_host *host;
	struct nlmsghdr *nlh;
	struct nlattr *nest;

	(void)state;
	host = read_whole(NULL);
	nlh = message(buf, DEVLINK_CMD_INFO_GET);
	put_version(nlh, DEVLINK_ATTR_INFO_VERSION_FIXED, "fw.psid", "MT_0000000838");
	put_version(nlh, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.version", "28.39.1002");
	put_version(nlh, DEVLINK_ATTR_INFO_VERSION_STORED, "fw.version", "28.41.1000");
	assert_int_equal(devlink_on_info(nlh, host), MNL_CB_OK);
	nlh = message(buf, DEVLINK_CMD_HEALTH_REPORTER_GET);
	nest = mnl_attr_nest_start(nlh, DEVLINK_ATTR_HEALTH_REPORTER);
	mnl_attr_put_strz(nlh, DEVLINK_ATTR_HEALTH_REPORTER_NAME, "fw");
	mnl_attr_put_u8(nlh, DEVLINK_ATTR_HEALTH_REPORTER_STATE, 1);
	mnl_attr_put_u64(nlh, DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT, 3);
	mnl_attr_nest_end(nlh, nest);
	assert_int_equal(devlink_on_reporter(nlh, host), MNL_CB_OK);
	host_sort(&host->facts, by_subject);
	assert_string_equal(fact(host, "0000:10:01.0", "fixed fw.psid"), "MT_0000000838");
	assert_string_equal(fact(host, "0000:10:01.0", "running fw.version"), "28.39.1002");
	assert_string_equal(fact(host, "0000:10:01.0", "stored fw.version"), "28.41.1000");
	assert_string_equal(fact(host, "0000:10:01.0", "health fw"), "error");
	assert_string_equal(fact(host, "0000:10:01.0", "health fw errors"), "3");
	ibc_host_free(host);
}

static void put_param(struct nlmsghdr *nlh, const char *name, uint8_t mode, bool on)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, DEVLINK_ATTR_PARAM), *list, *value;

	mnl_attr_put_strz(nlh, DEVLINK_ATTR_PARAM_NAME, name);
	mnl_attr_put(nlh, DEVLINK_ATTR_PARAM_GENERIC, 0, NULL);
	mnl_attr_put_u8(nlh, DEVLINK_ATTR_PARAM_TYPE, MNL_TYPE_FLAG);
	list = mnl_attr_nest_start(nlh, DEVLINK_ATTR_PARAM_VALUES_LIST);
	value = mnl_attr_nest_start(nlh, DEVLINK_ATTR_PARAM_VALUE);
	mnl_attr_put_u8(nlh, DEVLINK_ATTR_PARAM_VALUE_CMODE, mode);
	if (on)
		mnl_attr_put(nlh, DEVLINK_ATTR_PARAM_VALUE_DATA, 0, NULL);
	mnl_attr_nest_end(nlh, value);
	mnl_attr_nest_end(nlh, list);
	mnl_attr_nest_end(nlh, nest);
}

static void devlink_tells_what_the_driver_was_started_without(void **state)
{
	static const struct {
		const char *name;
		uint8_t mode;
		bool on;
		const char *value;
	} cases[] = {
		{ "enable_rdma", DEVLINK_PARAM_CMODE_DRIVERINIT, false, "off" },
		{ "enable_roce", DEVLINK_PARAM_CMODE_DRIVERINIT, true, "on" },
		{ "enable_rdma", DEVLINK_PARAM_CMODE_PERMANENT, false, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_host *host = read_whole(NULL);
		char buf[512] = { 0 };
		struct nlmsghdr *nlh = message(buf, DEVLINK_CMD_PARAM_GET);

		put_param(nlh, cases[i].name, cases[i].mode, cases[i].on);
		assert_int_equal(devlink_on_param(nlh, host), MNL_CB_OK);
		host_sort(&host->facts, by_subject);
		if (cases[i].value)
			assert_string_equal(fact(host, "0000:10:01.0", cases[i].name),
			                    cases[i].value);
		else
			assert_null(ibc_host_fact_of(host, "0000:10:01.0", cases[i].name));
		ibc_host_free(host);
	}
}

/* Every byte of a message changed to every value once, and every length. */
static void damaged_answers_of_devlink_do_no_harm(void **state)
{
	char whole[512] = { 0 }, buf[512];
	struct ibc_host *host;
	struct nlmsghdr *nlh;
	uint32_t length;

	(void)state;
	host = read_whole(NULL);
	nlh = message(whole, DEVLINK_CMD_INFO_GET);
	put_version(nlh, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.version", "28.39.1002");
	put_param(nlh, "enable_rdma", DEVLINK_PARAM_CMODE_DRIVERINIT, true);
	length = nlh->nlmsg_len;
	for (uint32_t at = sizeof(*nlh); at < length; at++) {
		for (unsigned int value = 0; value < 256; value += 5) {
			memcpy(buf, whole, sizeof(buf));
			buf[at] = (char)value;
			devlink_on_info((struct nlmsghdr *)buf, host);
			devlink_on_reporter((struct nlmsghdr *)buf, host);
			devlink_on_param((struct nlmsghdr *)buf, host);
		}
		memcpy(buf, whole, sizeof(buf));
		((struct nlmsghdr *)buf)->nlmsg_len = at;
		devlink_on_info((struct nlmsghdr *)buf, host);
		devlink_on_param((struct nlmsghdr *)buf, host);
	}
	ibc_host_free(host);
}

/* ---- host.stack-mix ----------------------------------------------------------------------- */

#define STATUS(version) "Package: libibverbs1\nVersion: " version "\n"

static void drivers_of_ofed_want_its_libraries(void **state)
{
	(void)state;
	put_stack();
	put("sys/module/mlx_compat/refcnt", "1\n");
	put("var/lib/dpkg/status", STATUS("44.0-2"));
	says("host.stack-mix", "warning this host: runs NVIDIA's drivers (OFED) with the "
	                       "distribution's libraries: libibverbs1 44.0-2\n");
	put("var/lib/dpkg/status", STATUS("2404mlnx51-1.2404066"));
	says("host.stack-mix", "");
}

static void whose_libraries_they_are_without_dpkg_and_ofed_info_is_unknown(void **state)
{
	(void)state;
	put_stack();
	put("sys/module/mlx_compat/refcnt", "1\n");
	says("host.stack-mix",
	     "unknown this host: runs NVIDIA's drivers (OFED), but the origin of its libraries is "
	     "not known: there is neither dpkg's list nor ofed_info\n");
	assert_int_equal(unlink(below_root(LIB "libibverbs.so.1")), 0);
	says("host.stack-mix", ""); /* it has none */
}

static void libraries_of_ofed_want_its_drivers(void **state)
{
	(void)state;
	put_stack();
	put("usr/bin/ofed_info", "echo MLNX_OFED_LINUX-24.04-0.6.6.0:\n");
	says("host.stack-mix", "warning this host: runs the kernel's own drivers with NVIDIA's "
	                       "libraries: MLNX_OFED_LINUX-24.04-0.6.6.0\n");
	put("sys/module/mlx5_core/version", "24.04-0.6.6\n");
	says("host.stack-mix", "");
}

static void old_kernels_versions_are_their_own(void **state)
{
	(void)state;
	put_stack();
	put("sys/module/mlx5_core/version", "5.0-0\n");
	put("var/lib/dpkg/status", STATUS("28.0-1"));
	says("host.stack-mix", "");
}

static void providers_for_two_libraries_are_left_over(void **state)
{
	(void)state;
	put_stack();
	put(LIB "libibverbs/libmlx5-rdmav25.so", "");
	says("host.stack-mix", "warning this host: has provider libraries for two libibverbs: "
	                       "ROOT/usr/lib/x86_64-linux-gnu/libibverbs/libmlx5-rdmav25.so and "
	                       "ROOT/usr/lib/x86_64-linux-gnu/libibverbs/libmlx5-rdmav34.so\n");
}

/* ---- host.sriov --------------------------------------------------------------------------- */

#define SRIOV DEVICES HCA "/sriov/"

static void virtual_functions_want_guids_of_their_own(void **state)
{
	(void)state;
	put_hca(HCA, "mlx5_0");
	put_pci_value(HCA, "sriov_numvfs", "3\n");
	put(SRIOV "0/node", "00:11:22:33:44:55:66:00\n");
	put(SRIOV "0/port", "00:11:22:33:44:55:66:01\n");
	put(SRIOV "0/policy", "Follow\n");
	says("host.sriov", "");
	put(SRIOV "1/node", "00:11:22:33:44:55:66:10\n");
	put(SRIOV "1/port", "00:00:00:00:00:00:00:00\n");
	put(SRIOV "2/node", "00:11:22:33:44:55:66:20\n");
	put(SRIOV "2/port", "00:11:22:33:44:55:66:01\n");
	put(SRIOV "3/node", "00:00:00:00:00:00:00:00\n");
	put(SRIOV "3/port", "00:00:00:00:00:00:00:00\n");
	says("host.sriov", "critical 0000:10:01.0 vf1: has a zero port GUID\n"
	                   "critical 0000:10:01.0 vf2: has the port GUID of 0000:10:01.0 vf0\n");
}

static void a_virtual_function_that_is_kept_down_is_told(void **state)
{
	(void)state;
	put_hca(HCA, "mlx5_0");
	put_pci_value(HCA, "sriov_numvfs", "1\n");
	put(SRIOV "0/node", "odd\n");
	put(SRIOV "0/policy", "Down\n");
	says("host.sriov", "warning 0000:10:01.0 vf0: is held down by its link policy\n");
}

/* ---- host.transport-errors ---------------------------------------------------------------- */

static void expect_errors(const char *name, const char *first, const char *second,
                          const char *lines)
{
	struct ibc_host *before, *host;
	char path[128];

	snprintf(path, sizeof(path), PORT "hw_counters/%s", name);
	put(path, first);
	before = read_whole(NULL);
	put(path, second);
	host = read_whole(before);
	/* as if a window of a minute were between them */
	before->seconds = 100;
	host->seconds = 160;
	says_over(before, host, NULL, "host.transport-errors", lines);
	ibc_host_free(before);
	ibc_host_free(host);
}

static void what_the_transport_counted_in_the_window_is_told(void **state)
{
	(void)state;
	put_device("mlx5_0");
	expect_errors("packet_seq_err", "5", "5", "");
	expect_errors("packet_seq_err", "5", "8",
	              "warning mlx5_0/1: counters rose in 60 s: 3 packet_seq_err\n");
	expect_errors("packet_seq_err", "8", "8", "");
	expect_errors("local_ack_timeout_err", "0", "9",
	              "warning mlx5_0/1: counters rose in 60 s: 9 local_ack_timeout_err\n");
	expect_errors("local_ack_timeout_err", "0", "10",
	              "critical mlx5_0/1: counters rose in 60 s: 10 local_ack_timeout_err\n");
	expect_errors("local_ack_timeout_err", "10", "10", "");
	expect_errors(
	    "req_transport_retries_exceeded", "0", "1",
	    "critical mlx5_0/1: counters rose in 60 s: 1 req_transport_retries_exceeded\n");
}

static void counters_of_32_bits_begin_again(void **state)
{
	(void)state;
	put_device("mlx5_0");
	expect_errors("packet_seq_err", "4294967295", "2",
	              "warning mlx5_0/1: counters rose in 60 s: 3 packet_seq_err\n");
	/* a device that was restarted is no fault */
	expect_errors("packet_seq_err", "1000", "2", "");
	expect_errors("packet_seq_err", "99999999999", "2", "");
}

static void what_was_flushed_at_an_end_is_no_error(void **state)
{
	(void)state;
	put_device("mlx5_0");
	put(PORT "hw_counters/req_cqe_flush_error", "0");
	expect_errors("req_cqe_error", "0", "0", "");
	expect_errors("req_cqe_error", "0", "64",
	              "critical mlx5_0/1: counters rose in 60 s: 64 req_cqe_error\n");
}

static void a_counter_that_is_no_number_makes_it_unknown(void **state)
{
	(void)state;
	put_device("mlx5_0");
	expect_errors("packet_seq_err", "0", "many",
	              "unknown mlx5_0/1: the value of its transport counters is not known: "
	              "ROOT/sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err: it "
	              "holds what no kernel writes\n");
}

static void a_driver_that_counts_other_things_makes_it_unknown(void **state)
{
	(void)state;
	put_device("mlx4_0");
	put_device("mlx5_0");
	put(CLASS "mlx4_0/ports/1/hw_counters/rq_num_lle", "0\n");
	expect_errors("packet_seq_err", "0", "0",
	              "unknown mlx4_0/1: the value of its transport counters is not known: the "
	              "kernel does not report it\n");
	put(CLASS "mlx4_0/ports/1/state", "1: DOWN\n");
	expect_errors("packet_seq_err", "0", "0", "");
}

/* What the driver refused once it refuses again, and the kernel's log is written to each time. */
static void a_file_that_was_refused_is_not_read_again(void **state)
{
	struct ibc_host *before, *host;

	(void)state;
	put_device("mlx5_0");
	put(PORT "hw_counters/packet_seq_err", "1");
	before = read_whole(NULL);
	note_unread(before, host_text(before, "%s", below_root(PORT "hw_counters/packet_seq_err")),
	            EINVAL);
	host = read_whole(before);
	assert_int_equal(ibc_host_device(host, 0)->ports[0].num_hw_counters, 0);
	assert_int_equal(ibc_host_unread(host, 0)->error, EINVAL);
	ibc_host_free(before);
	ibc_host_free(host);
}

/* ---- host.memlock, host.tuning ------------------------------------------------------------ */

static struct ibc_process *add_process(struct ibc_host *host, const char *comm, uint64_t memlock)
{
	struct ibc_process *p = host_new(host, &host->processes, sizeof(*p));

	assert_non_null(p);
	*p = (struct ibc_process){ .pid = 100 + (int)host->processes.n,
		                   .uid = 1000,
		                   .comm = comm,
		                   .memlock_bytes = memlock };
	return p;
}

static void processes_that_may_not_lock_memory_are_told(void **state)
{
	struct ibc_process *slurmd, *rank;
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	host = read_whole(NULL);
	slurmd = add_process(host, "slurmd", 8 << 20);
	slurmd->program = IBC_PROGRAM_DAEMON;
	slurmd->uid = 0;
	rank = add_process(host, "train", 65536);
	rank->program = IBC_PROGRAM_NCCL;
	rank->daemon = slurmd;
	add_process(host, "rank", 1 << 30)->program = IBC_PROGRAM_MPI;
	add_process(host, "free", IBC_UNLIMITED)->program = IBC_PROGRAM_MPI;
	add_process(host, "exempt", 65536)->verbs_files = 1;
	((struct ibc_process *)ibc_host_process(host, 4))->memlock_exempt = true;
	add_process(host, "unread", 0)->program = IBC_PROGRAM_MPI;
	((struct ibc_process *)ibc_host_process(host, 5))->unread = IBC_PROCESS_LIMITS;
	add_process(host, "sshd", 8 << 20)->program = IBC_PROGRAM_DAEMON;
	says_over(NULL, host, NULL, "host.memlock",
	          "warning rank[103]: is allowed to lock only 1 GiB of memory\n"
	          "warning slurmd[101]: is allowed to lock only 8 MiB of memory, and so are the "
	          "jobs that it starts\n"
	          "critical train[102]: is allowed to lock only 64 KiB of memory\n"
	          "unknown unread[106]: its limit of locked memory is not known: the kernel does "
	          "not report it\n");
	ibc_host_free(host);
}

static void habits_of_the_kernel_are_notes(void **state)
{
	(void)state;
	put_hca(HCA, "mlx5_0");
	put_config(HCA, 0x0000 | 1 << 12 | 1, -1);
	put_pci_value(HCA, "numa_node", "-1\n");
	put("sys/devices/system/node/online", "0-1\n");
	put("proc/sys/kernel/numa_balancing", "1\n");
	put("proc/sys/vm/zone_reclaim_mode", "0\n");
	says("host.tuning",
	     "info mlx5_0: is not allowed to use relaxed ordering on PCIe\n"
	     "info mlx5_0: reads memory 256 bytes at a time (MaxReadReq)\n"
	     "info mlx5_0: the firmware of this machine does not report its NUMA node\n"
	     "info this host: the kernel moves memory between NUMA nodes on its own "
	     "(numa_balancing): 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_stack_is_read_as_facts_with_their_paths),
		TEST(empty_huge_and_binary_files_are_survived),
		TEST(counters_are_read_by_the_kernels_names),
		TEST(a_driver_without_counters_has_none),
		TEST(gids_and_pkeys_leave_out_empty_slots),
		TEST(a_whole_stack_is_fine),
		TEST(a_tree_of_a_few_files_blames_nobody),
		TEST(an_active_port_without_umad_is_told),
		TEST(devices_that_cannot_be_listed_are_not_called_missing),
		TEST(a_device_file_that_cannot_be_read_hides_what_it_may),
		TEST(a_missing_provider_is_named),
		TEST(devices_that_users_cannot_open_are_told),
		TEST(modules_that_are_missing_are_named),
		TEST(an_adapter_that_is_no_rdma_device_is_told),
		TEST(an_adapter_for_a_virtual_machine_is_no_fault),
		TEST(the_older_firmware_of_one_board_is_told),
		TEST(firmware_that_waits_for_a_reset_and_sick_adapters_are_told),
		TEST(an_adapter_with_rdma_turned_off_is_told),
		TEST(devlink_tells_versions_and_health),
		TEST(devlink_tells_what_the_driver_was_started_without),
		TEST(damaged_answers_of_devlink_do_no_harm),
		TEST(drivers_of_ofed_want_its_libraries),
		TEST(whose_libraries_they_are_without_dpkg_and_ofed_info_is_unknown),
		TEST(libraries_of_ofed_want_its_drivers),
		TEST(old_kernels_versions_are_their_own),
		TEST(providers_for_two_libraries_are_left_over),
		TEST(virtual_functions_want_guids_of_their_own),
		TEST(a_virtual_function_that_is_kept_down_is_told),
		TEST(what_the_transport_counted_in_the_window_is_told),
		TEST(counters_of_32_bits_begin_again),
		TEST(what_was_flushed_at_an_end_is_no_error),
		TEST(a_counter_that_is_no_number_makes_it_unknown),
		TEST(a_driver_that_counts_other_things_makes_it_unknown),
		TEST(a_file_that_was_refused_is_not_read_again),
		TEST(processes_that_may_not_lock_memory_are_told),
		TEST(habits_of_the_kernel_are_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
