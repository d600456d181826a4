/* SPDX-License-Identifier: BSD-2-Clause */

/* The transport over libibumad, with a libibumad of our own under it. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <infiniband/umad.h>

#include "base/arena.h"
#include "transport/transport.h"

/* ---- what the system is like -------------------------------------------------- */

static struct {
	const char *ca, *link_layer;
	int port;
	unsigned int state;
} ports[8];
static int num_ports;

static struct {
	bool module;      /* ib_umad is loaded */
	int init_errno;   /* umad_init() fails */
	int open_errno;   /* umad_open_port() fails */
	bool no_path;     /* umad_get_issm_path() fails */
	int refuse_class; /* umad_register() fails for it */
	int send_errno;
	int registered, unregistered, closed;
	/* what the next umad_recv() says */
	int recv_rc, recv_length, recv_status, polls, poll_rc;
	uint8_t recv_mad[512];
	/* what was sent */
	struct ib_user_mad sent;
	uint8_t sent_mad[MAD_SIZE];
	int sent_agent, sent_timeout, sent_retries;
} sys;

static void add_port(const char *ca, int port, const char *link_layer, unsigned int state)
{
	ports[num_ports].ca = ca;
	ports[num_ports].port = port;
	ports[num_ports].link_layer = link_layer;
	ports[num_ports++].state = state;
}

static int reset(void **state)
{
	(void)state;
	num_ports = 0;
	memset(&sys, 0, sizeof(sys));
	sys.module = true;
	sys.recv_rc = -EAGAIN;
	alloc_fail_at(0);
	return 0;
}

/* ---- libibumad ------------------------------------------------------------------- */

int umad_init(void)
{
	errno = sys.init_errno;
	return sys.init_errno ? -1 : 0;
}

int umad_done(void)
{
	return 0;
}

/* Without /sys/class/infiniband it invents a device. */
int umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max)
{
	int n = 0;

	if (!num_ports)
		strcpy(cas[n++], "mthca0");
	for (int i = 0; i < num_ports && n < max; i++)
		if (i == 0 || strcmp(ports[i].ca, ports[i - 1].ca))
			strcpy(cas[n++], ports[i].ca);
	return n;
}

int umad_get_ca(const char *name, umad_ca_t *ca)
{
	memset(ca, 0, sizeof(*ca));
	for (int i = 0; i < num_ports; i++) {
		umad_port_t *port;

		if (strcmp(ports[i].ca, name))
			continue;
		strcpy(ca->ca_name, name);
		ca->node_guid = htobe64(0x1000);
		port = ca->ports[ports[i].port] = calloc(1, sizeof(*port));
		assert_non_null(port);
		port->portnum = ports[i].port;
		port->state = ports[i].state;
		port->base_lid = 100 + (unsigned int)ports[i].port;
		port->port_guid = htobe64(0x1000 + (uint64_t)ports[i].port);
		port->gid_prefix = htobe64(0xfe80000000000000);
		strcpy(port->link_layer, ports[i].link_layer);
	}
	return ca->ca_name[0] ? 0 : -ENODEV;
}

int umad_release_ca(umad_ca_t *ca)
{
	for (size_t i = 0; i < UMAD_CA_MAX_PORTS; i++)
		free(ca->ports[i]);
	return 0;
}

int umad_open_port(const char *ca_name, int portnum)
{
	(void)ca_name;
	(void)portnum;
	errno = sys.open_errno;
	return sys.open_errno ? -EIO : 42;
}

int umad_close_port(int fd)
{
	assert_int_equal(fd, 42);
	sys.closed++;
	return 0;
}

int umad_get_issm_path(const char *ca_name, int portnum, char path[], int max)
{
	(void)ca_name;
	(void)portnum;
	if (sys.no_path)
		return -EINVAL;
	snprintf(path, (size_t)max, "/dev/infiniband/issm3");
	return 0;
}

int umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version,
                  long method_mask[16 / sizeof(long)])
{
	assert_int_equal(fd, 42);
	assert_int_equal(mgmt_version, 1);
	assert_int_equal(rmpp_version, mgmt_class == 0x03);
	assert_null(method_mask);
	errno = EPERM;
	if (mgmt_class == sys.refuse_class)
		return -EPERM;
	return sys.registered++;
}

int umad_unregister(int fd, int agent)
{
	(void)fd;
	(void)agent;
	sys.unregistered++;
	return 0;
}

int umad_send(int fd, int agent, void *umad, int length, int timeout_ms, int retries)
{
	assert_int_equal(fd, 42);
	assert_int_equal(length, MAD_SIZE);
	memcpy(&sys.sent, umad, sizeof(sys.sent));
	memcpy(sys.sent_mad, umad_get_mad(umad), MAD_SIZE);
	sys.sent_agent = agent;
	sys.sent_timeout = timeout_ms;
	sys.sent_retries = retries;
	errno = sys.send_errno;
	return sys.send_errno ? -EIO : 0;
}

int umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
	int room = *length;

	assert_int_equal(fd, 42);
	assert_int_equal(timeout_ms, 0);
	if (sys.recv_rc < 0)
		return sys.recv_rc;
	*length = sys.recv_length;
	if (sys.recv_length > room)
		return -ENOSPC;
	memcpy(umad_get_mad(umad), sys.recv_mad, sys.recv_length > 0 ? (size_t)sys.recv_length : 0);
	((struct ib_user_mad *)umad)->status = (uint32_t)sys.recv_status;
	sys.recv_rc = -EAGAIN;
	return 0;
}

int umad_poll(int fd, int timeout_ms)
{
	assert_int_equal(fd, 42);
	sys.polls++;
	sys.recv_rc = sys.poll_rc ? sys.recv_rc : 0;
	sys.sent_timeout = timeout_ms;
	return sys.poll_rc;
}

/* The files that are looked for by hand: VPD of a device "mlx5_b..." is that of a bridge. */
int open(const char *path, int flags, ...)
{
	static const char vpd[] = "\x90\x0e\0VA\x0bSMDL=SW_MNG\x78";
	int ends[2];

	(void)flags;
	errno = ENOENT;
	if (strstr(path, "/vpd")) {
		if (!strstr(path, "/sys/class/infiniband/mlx5_b"))
			return -1;
		assert_int_equal(pipe(ends), 0);
		assert_int_equal(write(ends[1], vpd, sizeof(vpd) - 1), sizeof(vpd) - 1);
		close(ends[1]);
		return ends[0];
	}
	assert_string_equal(path, "/sys/class/infiniband_mad/abi_version");
	return sys.module ? dup(0) : -1;
}

/* ---- which port ---------------------------------------------------------------------- */

static struct ibc_error err;

static int open_it(const char *ca, unsigned int port, struct transport_port *info)
{
	struct transport *t = NULL;
	int rc = transport_umad_open(ca, port, &t, info, &err);

	if (rc == 0)
		t->ops->close(t);
	else
		assert_null(t);
	return rc;
}

static void expect_refusal(const char *ca, unsigned int port, int rc, const char *sentence)
{
	struct transport_port info;

	assert_int_equal(open_it(ca, port, &info), rc);
	assert_string_equal(err.text, sentence);
}

static void an_active_port_is_taken_before_one_that_is_only_up(void **state)
{
	struct transport_port info;

	(void)state;
	add_port("mlx5_0", 1, "Ethernet", 4);
	add_port("mlx5_1", 1, "InfiniBand", 1);
	add_port("mlx5_1", 2, "InfiniBand", 2);
	add_port("mlx5_2", 1, "InfiniBand", 4);
	assert_int_equal(open_it(NULL, 0, &info), 0);
	assert_string_equal(info.ca, "mlx5_2");
	assert_int_equal(info.port, 1);
	assert_int_equal(info.lid, 101);
	assert_int_equal(info.state, 4);
	assert_true(info.node_guid == 0x1000);
	assert_true(info.guid == 0x1001);
	assert_true(info.subnet_prefix == 0xfe80000000000000);
	assert_int_equal(open_it("mlx5_1", 0, &info), 0);
	assert_int_equal(info.port, 2);
	assert_int_equal(open_it(NULL, 2, &info), 0);
	assert_string_equal(info.ca, "mlx5_1");
}

static void the_port_0_of_a_switch_will_do(void **state)
{
	struct transport_port info;

	(void)state;
	add_port("ibsim0", 0, "IB", 4);
	assert_int_equal(open_it(NULL, 0, &info), 0);
	assert_int_equal(info.port, 0);
	assert_int_equal(sys.registered, 2);
	assert_int_equal(sys.unregistered, 2);
	assert_int_equal(sys.closed, 1);
}

static void a_host_without_hca_is_told_so(void **state)
{
	(void)state;
	expect_refusal(
	    NULL, 0, -ENODEV,
	    "this host has no InfiniBand device: if an HCA is installed, load its driver (for "
	    "NVIDIA: modprobe mlx5_ib); ibstat lists the devices that the system knows");
}

static void an_unknown_device_or_port_is_told_with_those_there_are(void **state)
{
	(void)state;
	add_port("mlx5_0", 1, "InfiniBand", 4);
	add_port("mlx5_1", 1, "InfiniBand", 4);
	expect_refusal("mlx4_0", 0, -ENODEV,
	               "there is no InfiniBand device mlx4_0 here; this host has mlx5_0 port 1, "
	               "mlx5_1 port 1");
	expect_refusal(
	    "mlx5_0", 2, -ENODEV,
	    "there is no mlx5_0 port 2 here; this host has mlx5_0 port 1, mlx5_1 port 1");
	expect_refusal(
	    NULL, 3, -ENODEV,
	    "no InfiniBand device here has a port 3; this host has mlx5_0 port 1, mlx5_1 "
	    "port 1");
}

static void an_ethernet_port_is_told_so(void **state)
{
	(void)state;
	add_port("mlx5_0", 1, "InfiniBand", 4);
	add_port("mlx5_2", 1, "Ethernet", 4);
	expect_refusal(
	    "mlx5_2", 1, -ENODEV,
	    "mlx5_2 port 1 is an Ethernet port: a sweep needs a port whose link layer is "
	    "InfiniBand");
}

static void a_port_without_link_is_told_so(void **state)
{
	(void)state;
	add_port("mlx5_0", 1, "InfiniBand", 1);
	add_port("mlx5_1", 1, "Ethernet", 4);
	expect_refusal(
	    NULL, 0, -ENODEV,
	    "no link to sweep from: mlx5_0 port 1 is Down, mlx5_1 port 1 is an Ethernet port; "
	    "plug in the cable, or choose another port with -C and -P");
}

static void a_long_list_is_cut_not_overrun(void **state)
{
	static char names[8][UMAD_CA_NAME_LEN];
	struct transport_port info;

	(void)state;
	for (int i = 0; i < 8; i++) {
		memset(names[i], 'a' + i, sizeof(names[i]) - 1);
		add_port(names[i], 1, "InfiniBand", 1);
	}
	assert_int_equal(open_it(NULL, 0, &info), -ENODEV);
	assert_non_null(strstr(err.text, "aaaa"));
	assert_null(strstr(err.text, "hhhh"));
	assert_non_null(strstr(err.text, "plug in the cable"));
}

static void all_ports_with_a_link_are_listed(void **state)
{
	struct transport_port *list;
	size_t n;

	(void)state;
	assert_int_equal(transport_umad_ports(&list, &n, &err), -ENODEV);
	assert_null(list);
	add_port("mlx5_0", 1, "InfiniBand", 4);
	add_port("mlx5_0", 2, "InfiniBand", 1);
	add_port("mlx5_1", 1, "Ethernet", 4);
	add_port("mlx5_2", 1, "InfiniBand", 2);
	assert_int_equal(transport_umad_ports(&list, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_string_equal(list[0].ca, "mlx5_0");
	assert_string_equal(list[1].ca, "mlx5_2");
	free(list);
}

/* Beside it the subnet is that of the NVSwitches. */
static void no_sweep_starts_from_an_nvswitch_bridge_unless_named(void **state)
{
	struct transport_port info, *list;
	size_t n;

	(void)state;
	add_port("mlx5_b0", 1, "InfiniBand", 4);
	expect_refusal(NULL, 0, -ENODEV,
	               "no link to sweep from: mlx5_b0 port 1 is an NVSwitch bridge; plug in the "
	               "cable, or choose another port with -C and -P");
	expect_refusal(NULL, 1, -ENODEV,
	               "no link to sweep from: mlx5_b0 port 1 is an NVSwitch bridge; plug in the "
	               "cable, or choose another port with -C and -P");
	add_port("mlx5_1", 1, "InfiniBand", 2);
	add_port("mlx5_b2", 1, "InfiniBand", 4);
	assert_int_equal(open_it(NULL, 0, &info), 0);
	assert_string_equal(info.ca, "mlx5_1");
	assert_int_equal(open_it("mlx5_b2", 0, &info), 0);
	assert_string_equal(info.ca, "mlx5_b2");
	assert_int_equal(transport_umad_ports(&list, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_string_equal(list[0].ca, "mlx5_1");
	free(list);
}

/* ---- opening ---------------------------------------------------------------------- */

static void a_missing_module_is_told_with_its_remedy(void **state)
{
	(void)state;
	add_port("mlx5_0", 1, "InfiniBand", 4);
	sys.module = false;
	expect_refusal(NULL, 0, -ENOENT,
	               "the kernel module ib_umad is not loaded (no "
	               "/sys/class/infiniband_mad/abi_version): modprobe ib_umad");
}

static void a_missing_right_is_told_with_its_remedy(void **state)
{
	(void)state;
	add_port("mlx5_0", 1, "InfiniBand", 4);
	sys.open_errno = EACCES;
	expect_refusal(NULL, 0, -EACCES,
	               "cannot open /dev/infiniband/umad3: Permission denied: run as root, or join "
	               "the group that owns it");
	sys.open_errno = EPERM;
	sys.no_path = true;
	expect_refusal(NULL, 0, -EACCES,
	               "cannot open the umad device of mlx5_0 port 1: Operation not permitted: run "
	               "as root, or join the group that owns it");
}

static void a_missing_device_file_is_told_with_its_remedy(void **state)
{
	(void)state;
	add_port("mlx5_0", 1, "InfiniBand", 4);
	sys.open_errno = ENOENT;
	expect_refusal(NULL, 0, -ENOENT,
	               "cannot open /dev/infiniband/umad3: No such file or directory: modprobe "
	               "ib_umad; in a container, pass the device to it");
	sys.open_errno = EMFILE;
	expect_refusal(NULL, 0, -EMFILE, "cannot open /dev/infiniband/umad3: Too many open files");
}

static void a_refused_registration_is_told(void **state)
{
	(void)state;
	add_port("mlx5_0", 1, "InfiniBand", 4);
	sys.refuse_class = 0x81;
	expect_refusal(NULL, 0, -EACCES,
	               "cannot register for subnet management on mlx5_0 port 1: Operation not "
	               "permitted: run as root");
	assert_int_equal(sys.closed, 1);
	sys.init_errno = EIO;
	expect_refusal(NULL, 0, -EIO, "cannot use libibumad: Input/output error");
	assert_int_equal(sys.closed, 1);
}

static void no_memory_is_told(void **state)
{
	struct transport_port info, *list;
	size_t n;

	(void)state;
	add_port("mlx5_0", 1, "InfiniBand", 4);
	for (unsigned long i = 1; i <= 2; i++) {
		alloc_fail_at(i);
		assert_int_equal(open_it(NULL, 0, &info), -ENOMEM);
		alloc_fail_at(i);
		assert_int_equal(transport_umad_ports(&list, &n, &err), -ENOMEM);
		assert_int_equal(n, 0);
		free(list);
	}
}

/* ---- carrying ------------------------------------------------------------------------ */

static struct transport *opened(void)
{
	struct transport_port info;
	struct transport *t;

	if (!num_ports)
		add_port("mlx5_0", 1, "InfiniBand", 4);
	assert_int_equal(transport_umad_open(NULL, 0, &t, &info, &err), 0);
	return t;
}

static void a_mad_is_sent_as_addressed(void **state)
{
	const struct mad_addr to = {
		.dlid = 0x1234, .qpn = 1, .qkey = 0x80010000, .sl = 3, .pkey_index = 2
	};
	uint8_t mad[MAD_SIZE] = { 1, 0x01, 1, 1 };
	struct transport *t = opened();

	(void)state;
	mad[255] = 0xaa;
	assert_int_equal(t->ops->send(t, &to, mad, 250), 0);
	assert_int_equal(be16toh(sys.sent.addr.lid), 0x1234);
	assert_int_equal(be32toh(sys.sent.addr.qpn), 1);
	assert_int_equal(be32toh(sys.sent.addr.qkey), 0x80010000);
	assert_int_equal(sys.sent.addr.sl, 3);
	assert_int_equal(sys.sent.addr.grh_present, 0);
	assert_memory_equal(sys.sent_mad, mad, MAD_SIZE);
	assert_int_equal(sys.sent_timeout, 250);
	assert_int_equal(sys.sent_retries, 0);
	assert_int_equal(sys.sent_agent, 0);
	mad[1] = 0x81;
	assert_int_equal(t->ops->send(t, &to, mad, 250), 0);
	assert_int_equal(sys.sent_agent, 1);
	t->ops->close(t);
}

static void another_class_is_registered_when_it_is_first_sent(void **state)
{
	const struct mad_addr to = { .dlid = 7, .qpn = 1 };
	uint8_t mad[MAD_SIZE] = { 1, 0x04, 1, 1 };
	struct transport *t = opened();

	(void)state;
	assert_int_equal(sys.registered, 2);
	assert_int_equal(t->ops->send(t, &to, mad, 20), 0);
	assert_int_equal(t->ops->send(t, &to, mad, 20), 0);
	assert_int_equal(sys.registered, 3);
	assert_int_equal(sys.sent_agent, 2);
	sys.refuse_class = mad[1] = 0x03;
	assert_int_equal(t->ops->send(t, &to, mad, 20), -EPERM);
	t->ops->close(t);
	assert_int_equal(sys.unregistered, 3);
}

static void a_failed_send_says_why(void **state)
{
	const struct mad_addr to = { .dlid = 7 };
	const uint8_t mad[MAD_SIZE] = { 1, 0x01, 1, 1 };
	struct transport *t = opened();

	(void)state;
	sys.send_errno = EINVAL;
	assert_int_equal(t->ops->send(t, &to, mad, 20), -EINVAL);
	t->ops->close(t);
}

static void an_arrival_is_taken_without_polling(void **state)
{
	struct transport *t = opened();
	struct mad_in in;

	(void)state;
	sys.recv_rc = 0;
	sys.recv_length = MAD_SIZE;
	sys.recv_mad[255] = 0x77;
	assert_int_equal(t->ops->recv(t, &in, 1000), 1);
	assert_int_equal(in.length, MAD_SIZE);
	assert_int_equal(in.status, 0);
	assert_int_equal(in.mad[255], 0x77);
	assert_int_equal(sys.polls, 0);
	assert_int_equal(t->ops->recv(t, &in, 0), 0);
	assert_int_equal(sys.polls, 0);
	t->ops->close(t);
}

static void poll_waits_only_when_there_is_nothing(void **state)
{
	struct transport *t = opened();
	struct mad_in in;

	(void)state;
	sys.recv_length = MAD_SIZE;
	assert_int_equal(t->ops->recv(t, &in, 1500000), 1);
	assert_int_equal(sys.polls, 1);
	assert_int_equal(sys.sent_timeout, 2);
	sys.poll_rc = -ETIMEDOUT;
	assert_int_equal(t->ops->recv(t, &in, UINT64_MAX), 0);
	assert_int_equal(sys.polls, 2);
	t->ops->close(t);
}

static void a_mad_that_timed_out_comes_back_as_a_header(void **state)
{
	struct transport *t = opened();
	struct mad_in in;

	(void)state;
	sys.recv_rc = 0;
	sys.recv_length = 24;
	sys.recv_status = ETIMEDOUT;
	assert_int_equal(t->ops->recv(t, &in, 0), 1);
	assert_int_equal(in.length, 24);
	assert_int_equal(in.status, ETIMEDOUT);
	t->ops->close(t);
}

static void what_is_too_large_is_taken_all_the_same(void **state)
{
	struct transport *t = opened();
	struct mad_in in;

	(void)state;
	sys.recv_rc = 0;
	sys.recv_length = 500;
	sys.recv_mad[0] = 0x99;
	assert_int_equal(t->ops->recv(t, &in, 0), 1);
	assert_int_equal(in.length, 500);
	assert_int_equal(in.mad[0], 0x99);
	assert_memory_equal(in.whole, sys.recv_mad, 500);
	sys.recv_rc = 0;
	alloc_fail_at(1);
	assert_int_equal(t->ops->recv(t, &in, 0), -ENOMEM);
	alloc_fail_at(0);
	sys.recv_length = 1 << 27;
	assert_int_equal(t->ops->recv(t, &in, 0), -EIO);
	t->ops->close(t);
}

static void a_broken_device_is_told_from_an_empty_one(void **state)
{
	struct transport *t = opened();
	struct mad_in in;

	(void)state;
	sys.recv_rc = -EINTR;
	assert_int_equal(t->ops->recv(t, &in, 0), 0);
	sys.recv_rc = -EIO;
	assert_int_equal(t->ops->recv(t, &in, 1000), -EIO);
	assert_int_equal(sys.polls, 0);
	t->ops->close(t);
}

static void the_clock_does_not_go_back(void **state)
{
	struct transport *t = opened();
	uint64_t before = t->ops->now_ns(t);

	(void)state;
	assert_true(before > 0);
	assert_true(t->ops->now_ns(t) >= before);
	t->ops->close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_active_port_is_taken_before_one_that_is_only_up, reset),
		cmocka_unit_test_setup(the_port_0_of_a_switch_will_do, reset),
		cmocka_unit_test_setup(a_host_without_hca_is_told_so, reset),
		cmocka_unit_test_setup(an_unknown_device_or_port_is_told_with_those_there_are,
		                       reset),
		cmocka_unit_test_setup(an_ethernet_port_is_told_so, reset),
		cmocka_unit_test_setup(a_port_without_link_is_told_so, reset),
		cmocka_unit_test_setup(a_long_list_is_cut_not_overrun, reset),
		cmocka_unit_test_setup(all_ports_with_a_link_are_listed, reset),
		cmocka_unit_test_setup(no_sweep_starts_from_an_nvswitch_bridge_unless_named, reset),
		cmocka_unit_test_setup(a_missing_module_is_told_with_its_remedy, reset),
		cmocka_unit_test_setup(a_missing_right_is_told_with_its_remedy, reset),
		cmocka_unit_test_setup(a_missing_device_file_is_told_with_its_remedy, reset),
		cmocka_unit_test_setup(a_refused_registration_is_told, reset),
		cmocka_unit_test_setup(no_memory_is_told, reset),
		cmocka_unit_test_setup(a_mad_is_sent_as_addressed, reset),
		cmocka_unit_test_setup(another_class_is_registered_when_it_is_first_sent, reset),
		cmocka_unit_test_setup(a_failed_send_says_why, reset),
		cmocka_unit_test_setup(an_arrival_is_taken_without_polling, reset),
		cmocka_unit_test_setup(poll_waits_only_when_there_is_nothing, reset),
		cmocka_unit_test_setup(a_mad_that_timed_out_comes_back_as_a_header, reset),
		cmocka_unit_test_setup(what_is_too_large_is_taken_all_the_same, reset),
		cmocka_unit_test_setup(a_broken_device_is_told_from_an_empty_one, reset),
		cmocka_unit_test_setup(the_clock_does_not_go_back, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
