/* SPDX-License-Identifier: BSD-2-Clause */
/* A host on which every check of hosts finds something, while memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkstack.h"

#define ROOT   "pci0000:10/0000:10:01.0"
#define UP     ROOT "/0000:11:00.0"
#define PORT_A UP "/0000:12:00.0"
#define PORT_B UP "/0000:12:01.0"
#define HCA    PORT_A "/0000:13:00.0"
#define GPU    PORT_B "/0000:15:00.0"
#define IDLE   "pci0000:20/0000:20:01.0"
#define FAR    "pci0000:80/0000:80:01.0"
#define SEQ    CLASS "mlx5_0/ports/1/hw_counters/packet_seq_err"

static void put_adapters(void)
{
	put_bridge(ROOT);
	put_bridge(UP);
	put_bridge(PORT_A);
	put_bridge(PORT_B);
	put_hca(HCA, "mlx5_0");
	put_gpu(GPU);
	put_gpu(FAR);
	put_pci(IDLE, "0x020700\n", "0x15b3\n");
	put_config(PORT_A, 0x5936, 0x1d);
	put_config(PORT_B, 0x5936, 0x1d);
	put_pci_value(HCA, "current_link_speed", "8.0 GT/s PCIe\n");
	put_pci_value(FAR, "numa_node", "1\n");
	put(CLASS "mlx5_0/node_desc", "node99 mlx5_0\n");
	put(SEQ, "1\n");
	put_pci_value(HCA, "sriov_numvfs", "1\n");
	put(DEVICES HCA "/sriov/0/node", "00:00:00:00:00:00:00:00\n");
	put(DEVICES HCA "/sriov/0/port", "00:00:00:00:00:00:00:00\n");
	put_device("mlx5_1");
	put(CLASS "mlx5_1/ports/1/state", "1: DOWN\n");
	put(CLASS "mlx5_1/fw_ver", "12.28.2000\n");
}

static void put_software(void)
{
	put("etc/hostname", "node01\n");
	put("sys/module/mlx_compat/refcnt", "1\n");
	put("sys/module/mlx5_core/srcversion", "533BB7E5866E52F63B9ACCB\n");
	put("sys/module/nvidia/version", "550.54.15\n");
	put("var/lib/dpkg/status", "Package: libibverbs1\nVersion: 44.0-2\n");
	put("proc/sys/kernel/numa_balancing", "1\n");
	put("sys/devices/system/node/online", "0-1\n");
	put("sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
	put("proc/90/stat", "90 (slurmd) S 1 90 90 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5\n");
	put("proc/90/limits", "Max locked memory 65536 65536 bytes\n");
}

/* The report that there is at last, after each allocation has failed once. */
static struct ibc_report *check_failing(const struct ibc_input *in, const char *selection,
                                        unsigned long *n)
{
	struct ibc_report *rep;
	int rc;

	for (;;) {
		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		alloc_fail_at(++*n);
		rc = ibc_check_run(in, selection, rep, NULL);
		rc = rc ? rc : ibc_report_finish(rep, NULL);
		alloc_fail_at(0);
		if (!rc)
			return rep;
		assert_int_equal(rc, -ENOMEM);
		ibc_report_free(rep);
	}
}

static bool is_found(const struct ibc_report *rep, const char *check)
{
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		if (!strcmp(f->check, check))
			return true;
	return false;
}

static struct ibc_config *expecting(void)
{
	struct ibc_config *config;

	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "host.port-count", "expect", "2", NULL), 0);
	assert_int_equal(ibc_config_set(config, "host.rate", "expect", "200", NULL), 0);
	return config;
}

static void no_reading_and_no_check_of_a_host_survives_on_luck(void **state)
{
	struct ibc_input in = { .config = expecting() };
	struct ibc_host *before, *now;
	unsigned long checks = 0;
	const struct ibc_check *check;
	struct ibc_report *rep;

	(void)state;
	put_adapters();
	put_software();
	before = read_failing(EVERY_PART, NULL);
	put(SEQ, "9\n");
	now = read_failing(EVERY_PART, before);
	in.host = now;
	in.host_before = before;
	rep = check_failing(&in, "host", &checks);
	assert_true(checks > 50);
	for (size_t i = 0; (check = ibc_check_at(i)); i++)
		if (check->host_parts && !strncmp(check->id, "host.", 5) &&
		    !is_found(rep, check->id))
			fail_msg("%s finds nothing", check->id);
	ibc_report_free(rep);
	ibc_host_free(before);
	ibc_host_free(now);
	ibc_config_free((struct ibc_config *)in.config);
}

/* Netlink, namespaces, sockets: of this host as it runs. */
static void no_reading_of_a_live_host_survives_on_luck(void **state)
{
	const struct ibc_host_opts opts = { .parts = UINT32_MAX };
	struct ibc_host *host = NULL;
	unsigned long n = 1;
	int rc;

	(void)state;
	do {
		alloc_fail_at(n);
		rc = ibc_host_read(&opts, &host, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
		n += 1 + n / 16; /* each of the first, then some */
	} while (rc);
	ibc_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_reading_and_no_check_of_a_host_survives_on_luck),
		cmocka_unit_test(no_reading_of_a_live_host_survives_on_luck),
	};

	return cmocka_run_group_tests_name("host_memory", tests, NULL, NULL);
}
