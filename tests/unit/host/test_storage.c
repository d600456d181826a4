/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounts and devices whose data cross a network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "host/host.h"
#include "mkproc.h"

#define NFS                                                                                        \
	"41 30 0:52 / /mnt/a\\040b rw,relatime shared:7 - nfs4 10.99.0.1:/export "                 \
	"rw,vers=4.2,proto=tcp,timeo=600,clientaddr=10.99.0.2,local_lock=none,addr=10.99.0.1\n"

static struct ibc_host *read_storage(void)
{
	const struct ibc_host_opts opts = { .root = root, .parts = IBC_HOST_STORAGE };
	struct ibc_host *host;

	assert_int_equal(ibc_host_read(&opts, &host, NULL), 0);
	return host;
}

static void put_mounts(const char *lines)
{
	put("proc/1/mountinfo", lines);
	put_link("proc/1/ns/mnt", "mnt:[1]");
}

static void mounts_are_told_by_type_and_options(void **state)
{
	static const struct {
		const char *line, *kind, *name, *server, *transport;
		bool heuristic;
	} cases[] = {
		{ NFS, "nfs", "/mnt/a b", "10.99.0.1:/export", "tcp", false },
		{ "41 30 0:52 / /n rw - nfs s:/e rw,proto=tcp6,addr=fe80::1\n", "nfs", "/n", "s:/e",
		  "tcp", false },
		{ "41 30 0:52 / /n rw - nfs4 s:/e rw,proto=rdma,port=20049,addr=10.0.0.1\n", "nfs",
		  "/n", "s:/e", "rdma", false },
		{ "41 30 0:52 / /s rw - cifs //s/e rw,addr=10.0.0.1\n", "smb", "/s", "//s/e", "tcp",
		  true },
		{ "41 30 0:52 / /s rw - smb3 //s/e rw,rdma,addr=10.0.0.1\n", "smb", "/s", "//s/e",
		  "rdma", true },
		{ "41 30 0:52 / /l rw - lustre 10.0.0.1@o2ib1:10.0.0.2@o2ib1:/fs rw\n", "lustre",
		  "/l", "10.0.0.1@o2ib1:10.0.0.2@o2ib1:/fs", "o2ib", false },
		{ "41 30 0:52 / /l rw - lustre 10.0.0.1@tcp:/fs rw\n", "lustre", "/l",
		  "10.0.0.1@tcp:/fs", "tcp", false },
		{ "41 30 0:52 / /c rw - ceph 10.0.0.1:6789,10.0.0.2:6789:/ rw\n", "ceph", "/c",
		  "10.0.0.1:6789,10.0.0.2:6789:/", "tcp", false },
		{ "41 30 0:52 / /g rw - gpfs fs1 rw\n", "gpfs", "/g", "fs1", "", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ibc_storage *storage;
		struct ibc_host *host;

		put_mounts(cases[i].line);
		host = read_storage();
		storage = ibc_host_storage(host, 0);
		assert_non_null(storage);
		assert_string_equal(storage->kind, cases[i].kind);
		assert_string_equal(storage->name, cases[i].name);
		assert_string_equal(storage->server, cases[i].server);
		assert_string_equal(storage->transport, cases[i].transport);
		assert_int_equal(storage->heuristic, cases[i].heuristic);
		assert_null(storage->netdev);
		assert_false(storage->bytes_known);
		assert_null(ibc_host_storage(host, 1));
		ibc_host_free(host);
	}
}

static void what_is_no_mount_over_a_network_is_left_out(void **state)
{
	static const char *const lines[] = {
		"30 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
		"30 1 0:9 / /run/netns/x rw - nsfs nsfs rw\n",
		"41 30 0:52 / /n rw - nfs\n",
		"41 30 - nfs s rw\n",
		" - \n - - - -\n",
		"",
		"\\\\\\0\001",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ibc_host *host;

		put_mounts(lines[i]);
		host = read_storage();
		assert_null(ibc_host_storage(host, 0));
		assert_null(ibc_host_unread(host, 0));
		ibc_host_free(host);
	}
}

static void one_file_system_in_many_namespaces_is_one(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_mounts(NFS);
	put("proc/2/mountinfo", NFS "50 1 0:99 / /other rw - nfs4 s:/o rw,proto=rdma\n");
	put_link("proc/2/ns/mnt", "mnt:[2]");
	put("proc/3/mountinfo", "51 1 0:98 / /hidden rw - nfs4 s:/h rw,proto=rdma\n");
	put_link("proc/3/ns/mnt", "mnt:[2]");
	host = read_storage();
	assert_string_equal(ibc_host_storage(host, 0)->name, "/mnt/a b");
	assert_string_equal(ibc_host_storage(host, 0)->path, below_root("proc/1/mountinfo"));
	assert_string_equal(ibc_host_storage(host, 1)->name, "/other");
	assert_null(ibc_host_storage(host, 2));
	ibc_host_free(host);
}

static void nfs_has_the_bytes_that_crossed_the_network(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_mounts(NFS);
	put("proc/1/mountstats",
	    "device rootfs mounted on / with fstype rootfs\n"
	    "device 10.99.0.1:/export mounted on /mnt/a\\040b with fstype nfs4 statvers=1.1\n"
	    "\topts:\trw\n\tbytes:\t1 2 3 4 1000 500 7 8\n"
	    "\txprt:\ttcp 0 0 1\n"
	    "device other:/x mounted on /x with fstype nfs4 statvers=1.1\n"
	    "\tbytes:\t1 2 3 4 5 6 7 8\n");
	host = read_storage();
	assert_true(ibc_host_storage(host, 0)->bytes_known);
	assert_int_equal(ibc_host_storage(host, 0)->bytes, 1500);
	ibc_host_free(host);
}

static void nfs_has_the_requests_of_all_its_connections(void **state)
{
	const struct ibc_storage *s;
	struct ibc_host *host;

	(void)state;
	put_mounts(NFS "42 30 0:53 / /r rw - nfs s:/e rw,vers=3,proto=rdma,addr=10.0.0.1\n"
	               "43 30 0:54 / /u rw - nfs s:/u rw,proto=udp,addr=10.0.0.1\n");
	put("proc/1/mountstats",
	    "device 10.99.0.1:/export mounted on /mnt/a\\040b with fstype nfs4 statvers=1.1\n"
	    "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
	    "\txprt:\ttcp 800 1 2 0 -1 100 99 0 700 30 16 8 60\n"
	    "\txprt:\ttcp 801 1 1 0 0 200 199 0 800 40 16 9 70\n"
	    "\tper-op statistics\n"
	    "\t        NULL: 1 1 0 44 24 5 6 11 0\n"
	    "\t        READ: 300 300 0 1 2 7000 900 7900 0\n"
	    "\t       WRITE: 3 3 0 1 2 x 900 7900 0\n"
	    "device s:/e mounted on /r with fstype nfs statvers=1.1\n"
	    "\tbytes:\t1 2 3 4 5 6 7 8\n"
	    "\txprt:\trdma 0 0 1 0 3 10 10 0 90 11 1 2 3 4 5 6 7 8 9 10\n"
	    "device s:/u mounted on /u with fstype nfs statvers=1.1\n"
	    "\txprt:\tudp 0 0 1 0 3 10 10 0 90 11\n"
	    "\txprt:\ttcp 0 0 1\n");
	host = read_storage();
	s = ibc_host_storage(host, 0);
	assert_string_equal(s->name, "/mnt/a b");
	assert_string_equal(s->version, "4.2");
	assert_true(s->rpc_known);
	assert_int_equal(s->rpc.connections, 2);
	assert_int_equal(s->rpc.connects, 3);
	assert_int_equal(s->rpc.sent, 300);
	assert_int_equal(s->rpc.backlog, 70);
	assert_int_equal(s->rpc.sending, 17);
	assert_int_equal(s->rpc.queue_ms, 7005);
	assert_int_equal(s->rpc.rtt_ms, 906);
	s = ibc_host_storage(host, 1);
	assert_string_equal(s->version, "3");
	assert_int_equal(s->rpc.sent, 10);
	assert_int_equal(s->rpc.backlog, 11);
	assert_int_equal(s->rpc.sending, 0);
	assert_int_equal(s->rpc.queue_ms, 0);
	s = ibc_host_storage(host, 2);
	assert_string_equal(s->version, "");
	assert_false(s->rpc_known);
	ibc_host_free(host);
}

/* How many requests wait is then not known, and that is not nothing. */
static void statistics_that_cannot_be_read_are_unread(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_mounts(NFS);
	make_dirs("proc/1/mountstats/x"); /* no file, so that root fails as well */
	host = read_storage();
	assert_false(ibc_host_storage(host, 0)->rpc_known);
	assert_string_equal(ibc_host_unread(host, 0)->path, "/proc/*/mountstats");
	ibc_host_free(host);
}

static void nvme_over_fabrics_is_told_with_its_bytes(void **state)
{
	const struct ibc_storage *storage;
	struct ibc_host *host;

	(void)state;
	make_dirs("proc/1/x");
	put("sys/class/nvme/nvme0/transport", "pcie\n");
	put("sys/class/nvme/nvme1/transport", "tcp\n");
	put("sys/class/nvme/nvme1/subsysnqn", "nqn.2026-01.org:one\n");
	put("sys/class/nvme/nvme1/address", "traddr=10.99.0.1,trsvcid=4420,src_addr=10.99.0.2\n");
	put("sys/class/nvme/nvme1/nvme1n1/stat", "   10 0 100 5 20 0 300 5 0 5 10\n");
	put("sys/class/nvme/nvme2/transport", "rdma\n");
	host = read_storage();
	storage = ibc_host_storage(host, 0);
	assert_string_equal(storage->name, "nvme1");
	assert_string_equal(storage->transport, "tcp");
	assert_string_equal(storage->server, "nqn.2026-01.org:one");
	assert_true(storage->remote.v4);
	assert_int_equal(storage->remote.raw[15], 1);
	assert_int_equal(storage->bytes, 400 * 512);
	assert_string_equal(ibc_host_storage(host, 1)->transport, "rdma");
	assert_false(ibc_host_storage(host, 1)->bytes_known);
	assert_null(ibc_host_storage(host, 2));
	ibc_host_free(host);
}

static void iscsi_and_iser_are_told_by_their_drivers(void **state)
{
	struct ibc_host *host;

	(void)state;
	make_dirs("proc/1/x");
	put("sys/devices/platform/host6/session1/connection1:0/address", "10.0.0.1\n");
	put("sys/devices/platform/host7/session2/connection2:0/persistent_address", "10.0.0.2\n");
	put_link("sys/class/iscsi_connection/connection1:0",
	         "../../devices/platform/host6/session1/connection1:0");
	put_link("sys/class/iscsi_connection/connection2:0",
	         "../../devices/platform/host7/session2/connection2:0");
	put("sys/class/scsi_host/host6/proc_name", "iscsi_tcp\n");
	put("sys/class/scsi_host/host7/proc_name", "iscsi_iser\n");
	host = read_storage();
	assert_string_equal(ibc_host_storage(host, 0)->transport, "tcp");
	assert_string_equal(ibc_host_storage(host, 0)->server, "10.0.0.1");
	assert_string_equal(ibc_host_storage(host, 1)->transport, "rdma");
	assert_true(ibc_host_storage(host, 1)->heuristic);
	ibc_host_free(host);
}

static void servers_of_lustre_and_beegfs_are_told_by_their_clients(void **state)
{
	struct ibc_host *host;

	(void)state;
	put("proc/fs/lustre/osc/fs-OST0000-osc-1/ost_conn_uuid", "10.0.0.5@tcp\n");
	put("proc/fs/lustre/osc/fs-OST0001-osc-1/ost_conn_uuid", "10.0.0.5@tcp\n");
	put("proc/fs/lustre/mdc/fs-MDT0000-mdc-1/mds_conn_uuid", "10.0.0.6@o2ib\n");
	put("proc/fs/beegfs/1-ABC-node1/storage_nodes",
	    "stor1 [ID: 1]\n   Connections: TCP: 4 (10.0.0.7:8003);\n"
	    "stor2 [ID: 2]\n   Connections: RDMA: 8 (10.0.0.8:8003);\n"
	    "stor3 [ID: 3]\n   Connections: <none>\n");
	host = read_storage();
	assert_string_equal(ibc_host_storage(host, 0)->name, "stor1");
	assert_string_equal(ibc_host_storage(host, 0)->transport, "tcp");
	assert_int_equal(ibc_host_storage(host, 0)->remote.raw[15], 7);
	assert_string_equal(ibc_host_storage(host, 1)->transport, "rdma");
	assert_string_equal(ibc_host_storage(host, 2)->transport, "o2ib");
	assert_string_equal(ibc_host_storage(host, 3)->transport, "tcp");
	assert_null(ibc_host_storage(host, 4));
	ibc_host_free(host);
}

/* A captured tree has no addresses: they are put in by hand, and the storage read then. */
static void the_interface_is_by_own_address_or_by_subnet(void **state)
{
	static const struct {
		const char *options;
		bool reached;
	} cases[] = {
		{ "clientaddr=10.99.0.2,addr=172.16.0.1", true },
		{ "clientaddr=192.168.1.1,addr=10.99.0.1", false },
		{ "addr=10.99.0.200", true },
		{ "addr=10.99.1.1", false },
		{ "addr=fe80::1", false },
		{ "addr=nonsense", false },
		{ "addr=", false },
	};

	(void)state;
	put("sys/class/net/ib0/type", "32\n");
	put("sys/class/net/ib0/mtu", "2044\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ibc_host_opts opts = { .root = root, .parts = IBC_HOST_NETDEVS };
		struct ibc_address own = { .prefix = 24, .v4 = true };
		struct ibc_netdev *dev;
		struct ibc_host *host;
		char line[256];

		inet_pton(AF_INET6, "::ffff:10.99.0.2", own.raw);
		snprintf(line, sizeof(line), "41 30 0:52 / /n rw - nfs4 s:/e rw,proto=tcp,%s\n",
		         cases[i].options);
		put_mounts(line);
		assert_int_equal(ibc_host_read(&opts, &host, NULL), 0);
		dev = (struct ibc_netdev *)ibc_host_netdev(host, 0);
		dev->addresses = &own;
		dev->num_addresses = 1;
		host_read_storage(host);
		assert_ptr_equal(ibc_host_storage(host, 0)->netdev, cases[i].reached ? dev : NULL);
		ibc_host_free(host);
	}
}

/* A zombie has no mounts, and so none that could not be read. */
static void a_process_that_has_ended_lacks_nothing(void **state)
{
	const struct ibc_host_opts opts = { .parts = IBC_HOST_STORAGE };
	struct ibc_host *host;
	siginfo_t info;
	pid_t child = fork();

	(void)state;
	if (!child)
		_exit(0);
	assert_true(child > 0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(ibc_host_read(&opts, &host, NULL), 0);
	assert_int_not_equal(unread_of(host, "/mountinfo"), EINVAL);
	ibc_host_free(host);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void running_out_of_memory_is_an_error_wherever_it_happens(void **state)
{
	struct ibc_host *host;

	(void)state;
	put_mounts(NFS);
	put("sys/class/nvme/nvme1/transport", "tcp\n");
	put("sys/class/nvme/nvme1/nvme1n1/stat", "   10 0 100 5 20 0 300 5 0 5 10\n");
	put("sys/class/iscsi_connection/connection1:0/address", "10.0.0.1\n");
	put("proc/fs/lustre/osc/fs-OST0000-osc-1/ost_conn_uuid", "10.0.0.5@tcp\n");
	put("proc/fs/beegfs/1-A/meta_nodes", "m [ID: 1]\n Connections: TCP: 4 (10.0.0.7:8003)\n");
	host = read_failing(IBC_HOST_STORAGE, NULL);
	ibc_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mounts_are_told_by_type_and_options),
		TEST(what_is_no_mount_over_a_network_is_left_out),
		TEST(one_file_system_in_many_namespaces_is_one),
		TEST(nfs_has_the_bytes_that_crossed_the_network),
		TEST(nfs_has_the_requests_of_all_its_connections),
		TEST(statistics_that_cannot_be_read_are_unread),
		TEST(nvme_over_fabrics_is_told_with_its_bytes),
		TEST(iscsi_and_iser_are_told_by_their_drivers),
		TEST(servers_of_lustre_and_beegfs_are_told_by_their_clients),
		TEST(the_interface_is_by_own_address_or_by_subnet),
		cmocka_unit_test(a_process_that_has_ended_lacks_nothing),
		TEST(running_out_of_memory_is_an_error_wherever_it_happens),
	};

	return cmocka_run_group_tests_name("storage", tests, NULL, NULL);
}
