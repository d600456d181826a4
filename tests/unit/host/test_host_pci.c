/* SPDX-License-Identifier: BSD-2-Clause */
/* What is read of PCI, and said of links, switches and GPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "hostfindings.h"
#include "mkstack.h"

/* A root port, a switch with two ports below it, and what is plugged in. */
#define ROOT_PORT "pci0000:10/0000:10:01.0"
#define UPSTREAM  ROOT_PORT "/0000:11:00.0"
#define PORT_A    UPSTREAM "/0000:12:00.0"
#define PORT_B    UPSTREAM "/0000:12:01.0"
#define PORT_C    UPSTREAM "/0000:12:02.0"
#define BELOW_A   PORT_A "/0000:13:00.0"
#define BELOW_B   PORT_B "/0000:14:00.0"
#define BELOW_C   PORT_C "/0000:15:00.0"

static void put_switch(void)
{
	put_bridge(ROOT_PORT);
	put_bridge(UPSTREAM);
	put_bridge(PORT_A);
	put_bridge(PORT_B);
}

/* Another root port at another CPU. */
#define FAR_PORT "pci0000:80/0000:80:01.0"
#define FAR      FAR_PORT "/0000:81:00.0"

static const struct ibc_pci *pci_of(const struct ibc_host *host, const char *name)
{
	const struct ibc_pci *pci = ibc_host_pci_by_name(host, name);

	assert_non_null(pci);
	return pci;
}

/* ---- reading ---------------------------------------------------------------------- */

static void the_tree_is_read_from_the_adapter_to_the_root(void **state)
{
	const struct ibc_pci *hca;
	struct ibc_host *host;

	(void)state;
	put_switch();
	put_hca(BELOW_A, "mlx5_0");
	host = read_whole(NULL);
	hca = pci_of(host, "0000:13:00.0");
	assert_int_equal(hca->kind, IBC_PCI_HCA);
	assert_int_equal(hca->vendor, 0x15b3);
	assert_string_equal(hca->driver, "mlx5_core");
	assert_string_equal(hca->root, "pci0000:10");
	assert_float_equal(hca->gts, 16, 0.01);
	assert_int_equal(hca->lanes, 16);
	assert_string_equal(hca->up->name, "0000:12:00.0");
	assert_string_equal(hca->up->up->name, "0000:11:00.0");
	assert_string_equal(hca->up->up->up->name, "0000:10:01.0");
	assert_null(hca->up->up->up->up);
	/* a port that nothing of ours is below is not read */
	assert_null(ibc_host_pci_by_name(host, "0000:12:01.0"));
	ibc_host_free(host);
}

static void registers_are_found_in_configuration_space(void **state)
{
	const struct ibc_pci *hca;
	struct ibc_host *host;

	(void)state;
	put_hca("pci0000:10/0000:10:01.0", "mlx5_0");
	put_config("pci0000:10/0000:10:01.0", 0x5936, 0x1d);
	host = read_whole(NULL);
	hca = pci_of(host, "0000:10:01.0");
	assert_true(hca->config_read);
	assert_true(hca->has_acs);
	assert_int_equal(hca->acs, 0x1d);
	assert_int_equal(hca->device_control, 0x5936);
	ibc_host_free(host);
}

/* Whoever is not root reads 64 bytes. */
static void a_short_configuration_space_tells_nothing(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_hca("pci0000:10/0000:10:01.0", "mlx5_0");
	put_config("pci0000:10/0000:10:01.0", 0x5936, 0x1d);
	assert_int_equal(truncate(below_root("sys/devices/pci0000:10/0000:10:01.0/config"), 64), 0);
	host = read_whole(NULL);
	assert_false(pci_of(host, "0000:10:01.0")->config_read);
	assert_false(pci_of(host, "0000:10:01.0")->has_acs);
	ibc_host_free(host);
}

/* Who copied a tree may have copied them so; nobody writes into one. */
static void a_pipe_in_a_captured_tree_holds_nobody_up(void **state)
{
	static const char *const files[] = { "config", "aer_dev_fatal", "numa_node" };
	struct ibc_host *host;
	char path[256];

	(void)state;
	put_hca("pci0000:10/0000:10:01.0", "mlx5_0");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "sys/devices/pci0000:10/0000:10:01.0/%s", files[i]);
		unlink(below_root(path));
		assert_int_equal(mkfifo(below_root(path), 0600), 0);
	}
	host = read_whole(NULL);
	assert_false(pci_of(host, "0000:10:01.0")->config_read);
	ibc_host_free(host);
}

static void links_that_are_not_told_are_zero(void **state)
{
	const struct ibc_pci *hca;
	struct ibc_host *host;

	(void)state;
	put_hca("pci0000:10/0000:10:01.0", "mlx5_0");
	put_pci_value("pci0000:10/0000:10:01.0", "current_link_speed", "Unknown\n");
	put_pci_value("pci0000:10/0000:10:01.0", "current_link_width", "255\n");
	put_pci_value("pci0000:10/0000:10:01.0", "numa_node", "-1\n");
	host = read_whole(NULL);
	hca = pci_of(host, "0000:10:01.0");
	assert_float_equal(hca->gts, 0, 0.01);
	assert_int_equal(hca->lanes, 0);
	assert_int_equal(hca->numa, -1);
	ibc_host_free(host);
}

/* Some tools copy what links lead to: the place in the tree is lost, and nothing is guessed. */
static void without_links_nothing_is_near_or_far(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_device("mlx5_0");
	put_link(CLASS "mlx5_0/device", "/bus/pci/devices/0000:13:00.0");
	put(BUS "0000:13:00.0/vendor", "0x15b3\n");
	put(BUS "0000:13:00.0/device", "0x1021\n");
	put(BUS "0000:13:00.0/class", "0x020700\n");
	put(BUS "0000:14:00.0/vendor", "0x10de\n");
	put(BUS "0000:14:00.0/device", "0x2330\n");
	put(BUS "0000:14:00.0/class", "0x030200\n");
	host = read_whole(NULL);
	assert_int_equal(
	    ibc_pci_nearness(pci_of(host, "0000:13:00.0"), pci_of(host, "0000:14:00.0")),
	    IBC_NEAR_UNKNOWN);
	ibc_host_free(host);
}

static void nearness_is_told_as_nvidia_smi_does(void **state)
{
	static const char *const deep = PORT_B "/0000:14:00.0/0000:16:00.0/0000:17:00.0";
	struct ibc_host *host;
	const struct ibc_pci *hca;

	(void)state;
	put_switch();
	put_bridge(PORT_C);
	put_bridge(BELOW_B);
	put_bridge(PORT_B "/0000:14:00.0/0000:16:00.0");
	put_bridge(FAR_PORT);
	put_hca(BELOW_A, "mlx5_0");
	put_gpu(BELOW_C);
	put_gpu(deep);
	put_gpu("pci0000:10/0000:10:02.0");
	put_gpu("pci0000:20/0000:20:01.0");
	put_gpu(FAR);
	put_pci_value(FAR, "numa_node", "1\n");
	host = read_whole(NULL);
	hca = pci_of(host, "0000:13:00.0");
	assert_int_equal(ibc_pci_nearness(hca, pci_of(host, "0000:15:00.0")), IBC_NEAR_PIX);
	assert_int_equal(ibc_pci_nearness(hca, pci_of(host, "0000:17:00.0")), IBC_NEAR_PXB);
	assert_int_equal(ibc_pci_nearness(hca, pci_of(host, "0000:10:02.0")), IBC_NEAR_PHB);
	assert_int_equal(ibc_pci_nearness(hca, pci_of(host, "0000:20:01.0")), IBC_NEAR_NODE);
	assert_int_equal(ibc_pci_nearness(hca, pci_of(host, "0000:81:00.0")), IBC_NEAR_SYS);
	assert_ptr_equal(ibc_pci_common(hca, pci_of(host, "0000:17:00.0")),
	                 pci_of(host, "0000:11:00.0"));
	assert_string_equal(ibc_nearness_word(IBC_NEAR_PXB)->name, "PXB");
	ibc_host_free(host);
}

static void what_a_link_carries(void **state)
{
	(void)state;
	assert_float_equal(ibc_pci_gbps(8, 16), 126.03, 0.01);
	assert_float_equal(ibc_pci_gbps(2.5, 1), 2, 0.01);
	assert_float_equal(ibc_pci_gbps(64, 16), 968, 0.01);
	assert_float_equal(ibc_pci_gbps(0, 16), 0, 0.01);
}

/* ---- host.pcie ---------------------------------------------------------------------- */

static void a_whole_link_is_fine(void **state)
{
	(void)state;
	put_switch();
	put_hca(BELOW_A, "mlx5_0");
	says("host.pcie,host.acs,host.gpu-affinity,host.gpudirect", "");
}

static void a_link_below_what_both_ends_can_do_is_told(void **state)
{
	(void)state;
	put_switch();
	put_hca(BELOW_A, "mlx5_0");
	put_pci_value(BELOW_A, "current_link_speed", "8.0 GT/s PCIe\n");
	says("host.pcie", "warning mlx5_0: its PCIe link (0000:13:00.0) runs at 8 GT/s x16, both "
	                  "ends can do 16 GT/s x16\n");
	put_pci_value(BELOW_A, "current_link_width", "2\n");
	says("host.pcie", "critical mlx5_0: its PCIe link (0000:13:00.0) runs at 8 GT/s x2, both "
	                  "ends can do 16 GT/s x16: about 14 of 100 Gb/s\n");
}

static void a_link_farther_up_is_told_as_well(void **state)
{
	(void)state;
	put_switch();
	put_hca(BELOW_A, "mlx5_0");
	put_pci_value(UPSTREAM, "current_link_width", "8\n");
	put_pci_value(UPSTREAM, "current_link_speed", "8.0 GT/s PCIe\n");
	says("host.pcie", "warning mlx5_0: a PCIe link above it (0000:11:00.0) runs at 8 GT/s x8, "
	                  "both ends can do 16 GT/s x16: about 55 of 100 Gb/s\n");
}

static void a_slot_that_can_do_no_more_is_a_note(void **state)
{
	(void)state;
	put_bridge("pci0000:10/0000:10:01.0");
	put_hca("pci0000:10/0000:10:01.0/0000:11:00.0", "mlx5_0");
	put_pci_value("pci0000:10/0000:10:01.0/0000:11:00.0", "current_link_width", "4\n");
	put_pci_value("pci0000:10/0000:10:01.0", "max_link_width", "4\n");
	says("host.pcie", "info mlx5_0: its PCIe link (0000:11:00.0) is 16 GT/s x4 at the most: "
	                  "about 55 of the 100 Gb/s of its ports\n");
	put(CLASS "mlx5_0/ports/1/rate", "200 Gb/sec (4X HDR)\n");
	says("host.pcie", "warning mlx5_0: its PCIe link (0000:11:00.0) is 16 GT/s x4 at the most: "
	                  "about 55 of the 200 Gb/s of its ports\n");
}

static void the_ports_of_one_card_share_its_link(void **state)
{
	(void)state;
	put_bridge("pci0000:10/0000:10:01.0");
	put_hca("pci0000:10/0000:10:01.0/0000:11:00.0", "mlx5_0");
	put_hca("pci0000:10/0000:10:01.0/0000:11:00.1", "mlx5_1");
	put(CLASS "mlx5_0/ports/1/rate", "200 Gb/sec (4X HDR)\n");
	put(CLASS "mlx5_1/ports/1/rate", "200 Gb/sec (4X HDR)\n");
	says("host.pcie", "info mlx5_0: its PCIe link (0000:11:00.0) is 16 GT/s x16 at the most: "
	                  "about 221 of the 400 Gb/s of its ports\n");
}

static void a_link_that_is_not_told_is_not_evaluated(void **state)
{
	(void)state;
	put_hca("pci0000:10/0000:10:01.0", "mlx5_0");
	put_pci_value("pci0000:10/0000:10:01.0", "current_link_speed", "Unknown\n");
	put_pci_value("pci0000:10/0000:10:01.0", "current_link_width", "0\n");
	says("host.pcie", "");
}

static void errors_of_the_window_are_told(void **state)
{
	struct ibc_host *before, *host;

	(void)state;
	put_hca("pci0000:10/0000:10:01.0", "mlx5_0");
	put_pci_value("pci0000:10/0000:10:01.0", "aer_dev_correctable",
	              "RxErr 0\nBadTLP 3\nTOTAL_ERR_COR 3\n");
	before = read_whole(NULL);
	put_pci_value("pci0000:10/0000:10:01.0", "aer_dev_correctable",
	              "RxErr 0\nBadTLP 8\nTOTAL_ERR_COR 8\n");
	host = read_whole(before);
	says_over(before, host, NULL, "host.pcie",
	          "warning mlx5_0: its PCIe link (0000:10:01.0) had 5 corrected and 0 uncorrected "
	          "errors\n");
	says_over(host, host, NULL, "host.pcie", "");
	ibc_host_free(before);
	ibc_host_free(host);
}

/* ---- host.acs ------------------------------------------------------------------------- */

static void put_gpu_and_hca(void)
{
	put_switch();
	put_hca(BELOW_A, "mlx5_0");
	put_gpu(BELOW_B);
}

static void a_switch_that_redirects_is_told(void **state)
{
	(void)state;
	put_gpu_and_hca();
	put_config(PORT_A, 0x5936, 0x1d);
	put_config(PORT_B, 0x5936, 0x1d);
	says("host.acs", "warning 0000:11:00.0: this PCIe switch sends traffic between GPU and HCA "
	                 "to the CPU and back: ACS redirects at 0000:12:00.0, 0000:12:01.0\n");
	put(CLASS "mlx5_0/hca_type", "MT4131\n");
	says("host.acs", "info 0000:11:00.0: this PCIe switch sends traffic between GPU and HCA to "
	                 "the CPU and back: ACS redirects at 0000:12:00.0, 0000:12:01.0\n");
}

static void a_switch_without_redirection_is_fine(void **state)
{
	(void)state;
	put_gpu_and_hca();
	put_config(PORT_A, 0x5936, 0x11);
	put_config(PORT_B, 0x5936, -1);
	says("host.acs", "");
}

static void access_control_that_only_root_may_read_is_unknown(void **state)
{
	(void)state;
	put_gpu_and_hca();
	put_config(PORT_A, 0x5936, 0);
	says(
	    "host.acs",
	    "unknown 0000:11:00.0: cannot check whether this PCIe switch sends traffic between GPU "
	    "and HCA to the CPU: only root can read the configuration space of 0000:12:01.0\n");
}

/* ---- host.gpu-affinity ------------------------------------------------------------------- */

static void a_gpu_with_a_port_of_its_own_is_fine(void **state)
{
	(void)state;
	put_gpu_and_hca();
	says("host.gpu-affinity", "");
}

/* As in a capture where all of them are said to be one card. */
static void many_devices_of_one_function_have_room(void **state)
{
	struct ibc_host *host = mk_host();

	(void)state;
	mk_pci(host, "0000:13:00.0", "mlx5_core");
	mk_pci(host, "0000:14:00.0", "nvidia")->kind = IBC_PCI_GPU;
	for (int i = 0; i < 4000; i++) {
		struct ibc_rdma_device *device = mk_device(host, "mlx5_0");

		device->pci = "0000:13:00.0";
		mk_port(device)->phys_state = IBC_PHYS_LINKUP;
	}
	expect_host(NULL, host, "host.gpu-affinity", "");
}

static void two_gpus_at_one_port_share_it(void **state)
{
	(void)state;
	put_gpu_and_hca();
	put_bridge(PORT_C);
	put_gpu(BELOW_C);
	says("host.gpu-affinity",
	     "warning 0000:15:00.0: this GPU has no port of its own: it shares "
	     "1 port with 0000:14:00.0\n");
}

/* Two ports for two GPUs are enough, whoever takes which. */
static void gpus_that_have_as_many_ports_share_none(void **state)
{
	(void)state;
	put_gpu_and_hca();
	put_bridge(PORT_C);
	put_gpu(BELOW_C);
	put_bridge(UPSTREAM "/0000:12:03.0");
	put_hca(UPSTREAM "/0000:12:03.0/0000:16:00.0", "mlx5_1");
	says("host.gpu-affinity", "");
	put(CLASS "mlx5_1/ports/1/state", "1: DOWN\n");
	says("host.gpu-affinity",
	     "warning 0000:15:00.0: this GPU has no port of its own: it shares "
	     "1 port with 0000:14:00.0\n");
}

static void a_gpu_far_from_any_port_is_told(void **state)
{
	(void)state;
	put_gpu_and_hca();
	put_bridge(FAR_PORT);
	put_gpu(FAR);
	put_pci_value(FAR, "numa_node", "1\n");
	says("host.gpu-affinity",
	     "warning 0000:81:00.0: the nearest active port to this GPU is SYS "
	     "away: at another NUMA node\n");
}

static void hosts_without_pcie_switches_are_built_so(void **state)
{
	(void)state;
	put_hca("pci0000:10/0000:10:01.0", "mlx5_0");
	put_gpu("pci0000:10/0000:10:02.0");
	says("host.gpu-affinity", "info 0000:10:02.0: the nearest active port to this GPU is PHB "
	                          "away: through the CPU\n");
}

static void the_tree_of_a_virtual_machine_is_not_evaluated(void **state)
{
	(void)state;
	put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n");
	put_hca("pci0000:10/0000:10:01.0", "mlx5_0");
	put_gpu("pci0000:10/0000:10:02.0");
	says("host.gpu-affinity", "");
}

/* ---- host.gpudirect ------------------------------------------------------------------------- */

#define GPUDIRECT_OFF                                                                              \
	"warning this host: GPUDirect RDMA is off: nvidia_peermem is not loaded and dma-buf "      \
	"cannot be used\n"

static void without_peermem_and_dmabuf_gpudirect_is_off(void **state)
{
	(void)state;
	put_gpu_and_hca();
	put("sys/module/nvidia/version", "550.54.15\n");
	put("proc/sys/kernel/osrelease", "5.4.0-42\n");
	says("host.gpudirect", GPUDIRECT_OFF);
	put("proc/sys/kernel/osrelease", "6.8.0-31\n");
	says("host.gpudirect", GPUDIRECT_OFF);
	put("proc/driver/nvidia/version",
	    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15\n");
	says("host.gpudirect", "");
}

static void peermem_makes_gpudirect(void **state)
{
	(void)state;
	put_gpu_and_hca();
	put("sys/module/nvidia_peermem/version", "550.54.15\n");
	says("host.gpudirect", "");
}

static void modules_that_cannot_be_listed_make_it_unknown(void **state)
{
	(void)state;
	put_gpu_and_hca();
	says("host.gpudirect",
	     "unknown this host: cannot check GPUDirect RDMA: /sys/module could not be read\n");
}

static void an_iommu_that_translates_is_told(void **state)
{
	char group[PATH_MAX];

	(void)state;
	put_gpu_and_hca();
	put("sys/module/nvidia_peermem/version", "550.54.15\n");
	put("sys/kernel/iommu_groups/7/type", "DMA-FQ\n");
	snprintf(group, sizeof(group), "%s", below_root("sys/kernel/iommu_groups/7"));
	put_link(DEVICES BELOW_A "/iommu_group", group);
	says("host.gpudirect",
	     "warning this host: the IOMMU translates the DMA of GPUs or HCAs: 0000:13:00.0\n");
	put("sys/kernel/iommu_groups/7/type", "identity\n");
	says("host.gpudirect", "");
}

/* ---- memory ------------------------------------------------------------------------------- */

static void without_memory_there_is_no_host_and_no_report(void **state)
{
	const struct ibc_host_opts opts = { .root = root, .parts = EVERY_PART };
	struct ibc_host *host = NULL;
	int rc = -ENOMEM;

	(void)state;
	put_gpu_and_hca();
	put("sys/module/nvidia/version", "550.54.15\n");
	put("etc/os-release", "PRETTY_NAME=\"Debian\"\n");
	for (unsigned int n = 1; rc; n++) {
		assert_true(n < 100000);
		alloc_fail_at(n);
		rc = ibc_host_read(&opts, &host, NULL);
		alloc_fail_at(0);
		assert_true(!rc || rc == -ENOMEM);
	}
	ibc_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_tree_is_read_from_the_adapter_to_the_root),
		TEST(registers_are_found_in_configuration_space),
		TEST(a_short_configuration_space_tells_nothing),
		TEST(a_pipe_in_a_captured_tree_holds_nobody_up),
		TEST(links_that_are_not_told_are_zero),
		TEST(without_links_nothing_is_near_or_far),
		TEST(nearness_is_told_as_nvidia_smi_does),
		TEST(what_a_link_carries),
		TEST(a_whole_link_is_fine),
		TEST(a_link_below_what_both_ends_can_do_is_told),
		TEST(a_link_farther_up_is_told_as_well),
		TEST(a_slot_that_can_do_no_more_is_a_note),
		TEST(the_ports_of_one_card_share_its_link),
		TEST(a_link_that_is_not_told_is_not_evaluated),
		TEST(errors_of_the_window_are_told),
		TEST(a_switch_that_redirects_is_told),
		TEST(a_switch_without_redirection_is_fine),
		TEST(access_control_that_only_root_may_read_is_unknown),
		TEST(a_gpu_with_a_port_of_its_own_is_fine),
		cmocka_unit_test(many_devices_of_one_function_have_room),
		TEST(two_gpus_at_one_port_share_it),
		TEST(gpus_that_have_as_many_ports_share_none),
		TEST(a_gpu_far_from_any_port_is_told),
		TEST(hosts_without_pcie_switches_are_built_so),
		TEST(the_tree_of_a_virtual_machine_is_not_evaluated),
		TEST(without_peermem_and_dmabuf_gpudirect_is_off),
		TEST(peermem_makes_gpudirect),
		TEST(modules_that_cannot_be_listed_make_it_unknown),
		TEST(an_iommu_that_translates_is_told),
		TEST(without_memory_there_is_no_host_and_no_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
