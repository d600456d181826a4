/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of this host's ports, and of its adapters' names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mkstack.h"

static void port_file(const char *device, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), CLASS "%s/ports/1/%s", device, file);
	put(path, text);
}

static void take_down(const char *device)
{
	port_file(device, "state", "1: DOWN\n");
	port_file(device, "phys_state", "2: Polling\n");
}

static void an_active_port_is_fine(void **state)
{
	(void)state;
	put_device("mlx5_0");
	says("host.port-state,host.port-count,host.rate", "");
}

static void a_port_that_is_down_is_critical(void **state)
{
	(void)state;
	put_device("mlx5_0");
	put_device("mlx5_1");
	take_down("mlx5_1");
	says("host.port-state", "critical mlx5_1/1: is Down, physically Polling\n");
}

static void a_second_port_that_nobody_uses_is_a_warning(void **state)
{
	(void)state;
	put_device("mlx4_0");
	put(CLASS "mlx4_0/ports/2/state", "1: DOWN\n");
	put(CLASS "mlx4_0/ports/2/phys_state", "2: Polling\n");
	says("host.port-state", "warning mlx4_0/2: is Down, physically Polling\n");
}

static void a_port_beyond_those_expected_is_a_note(void **state)
{
	(void)state;
	put_device("mlx5_0");
	put_device("mlx5_1");
	take_down("mlx5_1");
	says_with("host.port-count", "1", "host.port-state",
	          "info mlx5_1/1: is Down, physically Polling\n");
	says_with("host.port-count", "2", "host.port-state",
	          "critical mlx5_1/1: is Down, physically Polling\n");
}

static void a_port_without_subnet_manager_is_told_so(void **state)
{
	(void)state;
	put_device("mlx5_0");
	port_file("mlx5_0", "state", "2: INIT\n");
	says("host.port-state", "critical mlx5_0/1: is Init, physically LinkUp\n");
}

static void an_active_port_without_a_lid_is_critical(void **state)
{
	(void)state;
	put_device("mlx5_0");
	port_file("mlx5_0", "lid", "0x0\n");
	says("host.port-state", "critical mlx5_0/1: is active without a LID\n");
	port_file("mlx5_0", "lid", "what\n");
	says("host.port-state", "");
}

static void a_state_that_cannot_be_read_is_unknown_with_its_path(void **state)
{
	(void)state;
	put_device("mlx5_0");
	port_file("mlx5_0", "state", "4711\n");
	says("host.port-state",
	     "unknown mlx5_0/1: its state is not known: "
	     "ROOT/sys/class/infiniband/mlx5_0/ports/1/state: it holds what no kernel writes\n");
}

static void ethernet_ports_are_left_to_roce(void **state)
{
	(void)state;
	put_device("mlx5_0");
	port_file("mlx5_0", "link_layer", "Ethernet\n");
	take_down("mlx5_0");
	says("host.port-state,host.rate,host.name", "");
}

static void fewer_ports_than_expected_are_critical(void **state)
{
	(void)state;
	put("etc/hostname", "node01\n");
	put_device("mlx5_0");
	says_with("host.port-count", "2", "host.port-count",
	          "critical node01: has 1 active InfiniBand port, expected 2\n");
	says_with("host.port-count", "1", "host.port-count", "");
}

static void ports_that_may_be_up_make_the_count_unknown(void **state)
{
	(void)state;
	put_device("mlx5_0");
	put_device("mlx5_1");
	port_file("mlx5_1", "phys_state", "\n");
	says_with(
	    "host.port-count", "2", "host.port-count",
	    "unknown this host: has 1 active InfiniBand port, expected 2; the state of 1 is not "
	    "known\n");
}

static void a_slow_port_does_not_count(void **state)
{
	struct ibc_host *host;
	struct ibc_config *config;

	(void)state;
	put_device("mlx5_0");
	host = read_whole(NULL);
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "host.port-count", "expect", "1", NULL), 0);
	assert_int_equal(ibc_config_set(config, "host.rate", "expect", "200", NULL), 0);
	says_over(
	    NULL, host, config, "host.port-count,host.rate",
	    "critical this host: has 0 active InfiniBand ports of 200 Gb/s or more, expected 1\n"
	    "critical mlx5_0/1: runs at 100 Gb/s (4x EDR), expected 200\n");
	ibc_config_free(config);
	ibc_host_free(host);
}

static void a_host_without_devices_is_not_healthy(void **state)
{
	(void)state;
	says("host", "unknown this host: has no RDMA device: there is nothing to check\n");
}

static void a_port_slower_than_its_like_is_a_warning(void **state)
{
	(void)state;
	put_device("mlx5_0");
	put_device("mlx5_1");
	port_file("mlx5_1", "rate", "50 Gb/sec (2X EDR)\n");
	says("host.rate", "warning mlx5_1/1: runs at 50 Gb/s (2x EDR), another port of a MT4115 at "
	                  "100\n");
	put(CLASS "mlx5_1/board_id", "OTHER\n");
	says("host.rate", "");
	says_with("host.rate", "50", "host.rate", "");
}

static void one_lane_is_a_warning(void **state)
{
	(void)state;
	put_device("mlx5_0");
	port_file("mlx5_0", "rate", "25 Gb/sec (1X EDR)\n");
	says("host.rate", "warning mlx5_0/1: runs on one lane, at 25 Gb/s\n");
}

static void a_rate_that_cannot_be_read_is_unknown(void **state)
{
	(void)state;
	put_device("mlx5_0");
	assert_int_equal(unlink(below_root(CLASS "mlx5_0/ports/1/rate")), 0);
	says("host.rate", "unknown mlx5_0/1: its rate is not known: "
	                  "ROOT/sys/class/infiniband/mlx5_0/ports/1/rate: No such file or "
	                  "directory\n");
}

static void a_name_is_this_hosts_or_told(void **state)
{
	(void)state;
	put("etc/hostname", "node01.example.org\n");
	put_device("mlx5_0");
	says("host.name", "");
	put(CLASS "mlx5_0/node_desc", "MT4115 ConnectX-4 Mellanox Technologies\n");
	says("host.name", "warning mlx5_0: has no name: its NodeDescription is \"MT4115 ConnectX-4 "
	                  "Mellanox Technologies\"\n");
	put(CLASS "mlx5_0/node_desc", "node07 HCA-1\n");
	says("host.name", "warning mlx5_0: has the NodeDescription \"node07 HCA-1\", which is not "
	                  "the name of this host\n");
}

static void without_a_host_name_no_name_is_wrong(void **state)
{
	(void)state;
	put_device("mlx5_0");
	says("host.name", "");
}

#define GPU "sys/bus/pci/devices/0000:15:00.0/"

/* Nothing of the sort is said of a host that has no GPUs of NVIDIA, or another HCA. */
static void what_may_manage_nvswitches_is_a_note(void **state)
{
	static const char *const names[] = { "mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3" };
	char path[256];

	(void)state;
	for (int i = 0; i < 4; i++) {
		put_device(names[i]);
		snprintf(path, sizeof(path), CLASS "%s/hca_type", names[i]);
		put(path, i < 3 ? "MT4129\n" : "MT4131\n");
		snprintf(path, sizeof(path), CLASS "%s/device/vpd/x", names[i]);
		if (i != 2)
			make_dirs(path); /* no file, so that root fails as well */
	}
	put_vpd("mlx5_2", "");
	says("host.port-count,host.port-state", "");
	put(GPU "vendor", "0x1002\n");
	put(GPU "device", "0x74a1\n");
	put(GPU "class", "0x120000\n");
	says("host.port-count", "");
	put(GPU "vendor", "0x10de\n");
	put(GPU "device", "0x2330\n");
	put(GPU "class", "0x030200\n");
	says_with("host.port-count", "4", "host.port-count",
	          "info this host: mlx5_[0-1] may manage NVSwitches and be no HCAs: VPD, which "
	          "shows it, is not read: Is a directory\n");
	port_file("mlx5_1", "link_layer", "Ethernet\n");
	says("host.port-count",
	     "info this host: mlx5_0 may manage NVSwitches and be no HCA: VPD, which shows it, "
	     "is not read: Is a directory\n");
}

#define CAPTURE "../shared/data/sysfs-h100"

/* A host with eight ports of 400 Gb/s, as its kernel showed them. */
static void a_captured_training_host_has_what_it_should(void **state)
{
	char *capture = realpath(CAPTURE, NULL);

	(void)state;
	if (!capture) {
		print_message(CAPTURE " is not there: skipped\n");
		skip();
	}
	put_link("sys/class/infiniband", capture);
	free(capture);
	says("host.port-state,host.rate,host.name,host.firmware,host.pcie", "");
	says_with("host.port-count", "8", "host.port-count", "");
	says_with("host.rate", "400", "host.rate", "");
	says_with("host.port-count", "9", "host.port-count",
	          "critical this host: has 8 active InfiniBand ports, expected 9\n");
}

static void an_expectation_is_a_number_of_some_checks(void **state)
{
	struct ibc_config *config;
	struct ibc_error err;

	(void)state;
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "host.rate", "expect", "much", &err), -EINVAL);
	assert_string_equal(err.text, "expect of host.rate cannot be \"much\": use a number");
	assert_int_equal(ibc_config_set(config, "host.name", "expect", "1", &err), -EINVAL);
	assert_string_equal(err.text,
	                    "host.name has no key \"expect\": its keys are enabled, severity");
	ibc_config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_active_port_is_fine),
		TEST(a_port_that_is_down_is_critical),
		TEST(a_second_port_that_nobody_uses_is_a_warning),
		TEST(a_port_beyond_those_expected_is_a_note),
		TEST(a_port_without_subnet_manager_is_told_so),
		TEST(an_active_port_without_a_lid_is_critical),
		TEST(a_state_that_cannot_be_read_is_unknown_with_its_path),
		TEST(ethernet_ports_are_left_to_roce),
		TEST(fewer_ports_than_expected_are_critical),
		TEST(ports_that_may_be_up_make_the_count_unknown),
		TEST(a_slow_port_does_not_count),
		TEST(a_host_without_devices_is_not_healthy),
		TEST(a_port_slower_than_its_like_is_a_warning),
		TEST(one_lane_is_a_warning),
		TEST(a_rate_that_cannot_be_read_is_unknown),
		TEST(a_name_is_this_hosts_or_told),
		TEST(without_a_host_name_no_name_is_wrong),
		TEST(what_may_manage_nvswitches_is_a_note),
		TEST(a_captured_training_host_has_what_it_should),
		TEST(an_expectation_is_a_number_of_some_checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
