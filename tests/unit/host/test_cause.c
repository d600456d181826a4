/* SPDX-License-Identifier: BSD-2-Clause */
/* Why RDMA was of no use to a job: each cause that is known, injected alone. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mkcause.h"

/* ---- what is injected: into the first rank, or the host -------------------------------- */

static struct ibc_rdma_port *port_of(struct ibc_host *h)
{
	return mk_port(h->devices.items[0]);
}

static void little_locked_memory(struct ibc_host *h, struct ibc_process *p)
{
	(void)h;
	add_trouble(p, LOCKED);
}

static void locked_memory_of_the_daemon(struct ibc_host *h, struct ibc_process *p)
{
	add_trouble(p, LOCKED);
	p->daemon = mk_process(h, 900, "slurmd");
}

static void closed_devices(struct ibc_host *h, struct ibc_process *p)
{
	(void)h;
	add_trouble(p, FORBIDDEN);
}

static void container_without_devices(struct ibc_host *h, struct ibc_process *p)
{
	(void)h;
	add_trouble(p, CONTAINER);
}

static void no_devices(struct ibc_host *h, struct ibc_process *p)
{
	(void)h;
	add_trouble(p, NO_UVERBS);
}

static void no_uverbs_module(struct ibc_host *h, struct ibc_process *p)
{
	mk_fact(h, "kernel", "modules", "listed");
	add_trouble(p, NO_UVERBS);
}

static void no_device_of_the_adapter(struct ibc_host *h, struct ibc_process *p)
{
	(void)p;
	h->devices.n = 0;
	mk_pci(h, "0000:17:00.0", "mlx5_core");
}

static void no_driver_of_the_adapter(struct ibc_host *h, struct ibc_process *p)
{
	(void)p;
	h->devices.n = 0;
	mk_pci(h, "0000:17:00.0", "");
}

static void no_rdma_in_the_adapter(struct ibc_host *h, struct ibc_process *p)
{
	no_device_of_the_adapter(h, p);
	mk_fact(h, "module mlx5_ib", "loaded", "yes");
	mk_fact(h, "0000:17:00.0", "enable_rdma", "off");
}

static void no_word_of_the_adapter(struct ibc_host *h, struct ibc_process *p)
{
	no_device_of_the_adapter(h, p);
	mk_fact(h, "module mlx5_ib", "loaded", "yes");
	mk_fact(h, "0000:17:00.0", "enable_rdma", "on");
}

static const char *const nothing[] = { NULL }, *const others[] = { "rxe", NULL },
			 *const newer[] = { "libmlx5-rdmav57.so", NULL };

static void no_provider(struct ibc_host *h, struct ibc_process *p)
{
	mk_verbs(h, p)->providers = others;
}

static void provider_of_another_abi(struct ibc_host *h, struct ibc_process *p)
{
	struct ibc_verbs *verbs = mk_verbs(h, p);

	verbs->providers = nothing;
	verbs->strangers = newer;
}

static void provider_that_is_not_configured(struct ibc_host *h, struct ibc_process *p)
{
	mk_verbs(h, p)->drivers = others;
}

static void no_libibverbs(struct ibc_host *h, struct ibc_process *p)
{
	mk_verbs(h, p)->library = "";
	p->verbs_library = "";
}

static void two_libibverbs(struct ibc_host *h, struct ibc_process *p)
{
	mk_verbs(h, p);
	p->verbs_other = "/conda/lib/libibverbs.so.1";
}

static void two_libibverbs_in_a_job(struct ibc_host *h, struct ibc_process *p)
{
	mk_verbs(h, p);
	((struct ibc_process *)h->processes.items[1])->verbs_library = "/ofed/libibverbs.so.1";
}

static void abi_of_the_kernel(struct ibc_host *h, struct ibc_process *p)
{
	(void)p;
	mk_fact(h, "verbs", "abi_version", "7");
}

static void abi_of_the_driver(struct ibc_host *h, struct ibc_process *p)
{
	(void)p;
	mk_fact(h, "verbs", "abi_version", "6");
	mk_fact(h, "mlx5_0", "uverbs_abi", "2");
}

static void port_down(struct ibc_host *h, struct ibc_process *p)
{
	(void)p;
	port_of(h)->state = IBC_STATE_DOWN;
}

static void no_subnet_manager(struct ibc_host *h, struct ibc_process *p)
{
	(void)p;
	port_of(h)->state = IBC_STATE_INIT;
	port_of(h)->lid = port_of(h)->sm_lid = 0;
}

static void no_lid(struct ibc_host *h, struct ibc_process *p)
{
	(void)p;
	port_of(h)->lid = 0;
}

static void limited_member(struct ibc_host *h, struct ibc_process *p)
{
	static const uint16_t pkeys[] = { 0x7fff, 0x8001 };

	(void)p;
	port_of(h)->pkeys = pkeys;
	port_of(h)->num_pkeys = 2;
}

static void no_gid(struct ibc_host *h, struct ibc_process *p)
{
	static const struct ibc_gid local = { .raw = { 0xfe, 0x80, [15] = 1 } };

	(void)p;
	port_of(h)->infiniband = false;
	port_of(h)->gids = &local;
	port_of(h)->num_gids = 1;
}

static void no_roce(struct ibc_host *h, struct ibc_process *p)
{
	(void)p;
	port_of(h)->infiniband = false;
	((struct ibc_rdma_device *)h->devices.items[0])->pci = "0000:17:00.0";
	mk_fact(h, "0000:17:00.0", "enable_roce", "off");
}

static void exclusive_namespaces(struct ibc_host *h, struct ibc_process *p)
{
	struct ibc_netns *ns = host_new(h, &h->netns, sizeof(*ns));

	assert_non_null(ns);
	*ns = (struct ibc_netns){ .inode = 2, .path = "/proc/100/ns/net" };
	mk_fact(h, "rdma", "netns_mode", "exclusive");
	p->netns = 1;
}

/* ---- each ------------------------------------------------------------------------------- */

static const struct cause causes[] = {
	{ little_locked_memory, "PID 100 is allowed to lock only 8192 kB of memory",
	  "Raise the limit of locked memory to unlimited" },
	{ locked_memory_of_the_daemon,
	  "PID 100 is allowed to lock only 8192 kB of memory, like slurmd, which started it",
	  "Set LimitMEMLOCK=infinity in the systemd unit of slurmd and restart it" },
	{ closed_devices, "PID 100 is not allowed to open any of the 1 /dev/infiniband/uverbs*",
	  "Make /dev/infiniband/uverbs* and rdma_cm readable and writable" },
	{ container_without_devices, "PID 100 is in a container without /dev/infiniband",
	  "Give the container the devices: --device /dev/infiniband" },
	{ no_devices, "this host has no /dev/infiniband/uverbs*", "modprobe ib_uverbs" },
	{ no_uverbs_module, "ib_uverbs is not loaded, so no program can open a device",
	  "modprobe ib_uverbs" },
	{ no_device_of_the_adapter,
	  "the HCA 0000:17:00.0 is not an RDMA device: mlx5_ib is not loaded", "modprobe mlx5_ib" },
	{ no_driver_of_the_adapter, "the HCA 0000:17:00.0 is not an RDMA device: it has no driver",
	  "modprobe mlx5_ib" },
	{ no_rdma_in_the_adapter,
	  "the HCA 0000:17:00.0 is not an RDMA device: RDMA is disabled in it (devlink: "
	  "enable_rdma)",
	  "devlink dev param set pci/ADDRESS name enable_rdma value true" },
	{ no_word_of_the_adapter, "the HCA 0000:17:00.0 is not an RDMA device",
	  "See the messages of mlx5_ib in the kernel log" },
	{ no_provider,
	  "libibverbs of PID 100 (/usr/lib64/libibverbs.so.1.14.44.0) finds no "
	  "libmlx5-rdmav34.so in /usr/lib64/libibverbs",
	  "Install the providers that belong to this libibverbs" },
	{ provider_of_another_abi,
	  "libibverbs of PID 100 (/usr/lib64/libibverbs.so.1.14.44.0) needs libmlx5-rdmav34.so, "
	  "but /usr/lib64/libibverbs has libmlx5-rdmav57.so",
	  "Install the providers that belong to this libibverbs" },
	{ provider_that_is_not_configured,
	  "libibverbs of PID 100 (/usr/lib64/libibverbs.so.1.14.44.0) does not load the provider "
	  "mlx5: no file in /etc/libibverbs.d names it",
	  "Install the providers that belong to this libibverbs" },
	{ no_libibverbs, "PID 100 finds no libibverbs.so.1", "Install rdma-core's libraries" },
	{ two_libibverbs,
	  "PID 100 has loaded two libibverbs, /usr/lib64/libibverbs.so.1.14.44.0 and "
	  "/conda/lib/libibverbs.so.1",
	  "Make all its libraries use the same one" },
	{ two_libibverbs_in_a_job,
	  "PID 100 uses /usr/lib64/libibverbs.so.1.14.44.0, and PID 101 of the same job "
	  "/ofed/libibverbs.so.1",
	  "Start all MPI ranks with the same libibverbs" },
	{ abi_of_the_kernel,
	  "the kernel uses version 7 of the verbs ABI, which libibverbs does not support",
	  "Install rdma-core and drivers that belong together" },
	{ abi_of_the_driver,
	  "the driver of mlx5_0 uses version 2 of the verbs ABI, which libibverbs does not support",
	  "Install rdma-core and drivers that belong together" },
	{ port_down, "no port of an RDMA device can be used: mlx5_0/1 is not Active",
	  "Run ibcheck host" },
	{ no_subnet_manager,
	  "no port of an RDMA device can be used: mlx5_0/1 waits for a subnet manager to make it "
	  "Active",
	  "Check that a subnet manager runs" },
	{ no_lid, "no port of an RDMA device can be used: mlx5_0/1 has no LID",
	  "Check that a subnet manager runs" },
	{ limited_member,
	  "no port of an RDMA device can be used: mlx5_0/1 is a limited member of its first "
	  "partition and reaches only full members",
	  "Make the host a full member" },
	{ no_gid,
	  "no port of an RDMA device can be used: mlx5_0/1 has no GID of a routable address",
	  "Give the interface of the port an address" },
	{ no_roce,
	  "no port of an RDMA device can be used: mlx5_0/1 has RoCE disabled (devlink: "
	  "enable_roce)",
	  "devlink dev param set pci/ADDRESS name enable_roce value true" },
	{ exclusive_namespaces,
	  "PID 100 is in another network namespace than the RDMA devices, each of which belongs to "
	  "one namespace (rdma system: netns exclusive)",
	  "Move its device there" },
};

static void every_cause_is_named(void **state)
{
	(void)state;
	expect_named(causes, sizeof(causes) / sizeof(causes[0]));
}

/* ---- what is none ------------------------------------------------------------------------ */

static void nothing_at_all(struct ibc_host *h, struct ibc_process *p)
{
	(void)h, (void)p;
}

static void a_libibverbs_that_finds_all(struct ibc_host *h, struct ibc_process *p)
{
	mk_verbs(h, p);
}

/* It costs bandwidth, and nobody falls back for it. */
static void no_gpudirect(struct ibc_host *h, struct ibc_process *p)
{
	(void)p;
	mk_pci(h, "0000:18:00.0", "nvidia")->kind = IBC_PCI_GPU;
	mk_fact(h, "kernel", "modules", "listed");
	mk_fact(h, "module ib_uverbs", "loaded", "yes");
	mk_fact(h, "module rdma_ucm", "loaded", "yes");
}

static void another_port_that_lacks_nothing(struct ibc_host *h, struct ibc_process *p)
{
	no_subnet_manager(h, p);
	mk_device(h, "mlx5_1");
}

/* It is an Ethernet's. */
static void roce_that_an_infiniband_port_has_not(struct ibc_host *h, struct ibc_process *p)
{
	no_roce(h, p);
	port_of(h)->infiniband = true;
}

static void an_adapter_of_a_virtual_machine(struct ibc_host *h, struct ibc_process *p)
{
	no_device_of_the_adapter(h, p);
	((struct ibc_pci *)h->pci.items[0])->driver = "vfio-pci";
}

static void a_provider_that_a_variable_names(struct ibc_host *h, struct ibc_process *p)
{
	provider_that_is_not_configured(h, p);
	mk_setting(h, p, "RDMAV_DRIVERS", "mlx5", IBC_EFFECT_NONE);
}

static void a_provider_of_a_device_that_nobody_knows(struct ibc_host *h, struct ibc_process *p)
{
	no_provider(h, p);
	((struct ibc_rdma_device *)h->devices.items[0])->driver = "of_tomorrow";
}

static void a_lid_that_was_not_read(struct ibc_host *h, struct ibc_process *p)
{
	no_lid(h, p);
	note_unread(h, "/sys/class/infiniband/mlx5_0/ports/1/lid", EIO);
}

static void a_state_that_was_not_read(struct ibc_host *h, struct ibc_process *p)
{
	(void)p;
	port_of(h)->state = IBC_STATE_UNKNOWN;
}

static void gids_that_were_not_read(struct ibc_host *h, struct ibc_process *p)
{
	no_gid(h, p);
	port_of(h)->num_gids = 0;
	note_unread(h, "/sys/class/infiniband/mlx5_0/ports/1/gids", EIO);
}

static void a_namespace_that_shares_devices(struct ibc_host *h, struct ibc_process *p)
{
	exclusive_namespaces(h, p);
	((struct ibc_host_fact *)h->facts.items[0])->value = "shared";
}

static void a_root_that_was_not_read(struct ibc_host *h, struct ibc_process *p)
{
	container_without_devices(h, p);
	p->unread = IBC_PROCESS_ROOT;
}

static void limits_that_were_not_read(struct ibc_host *h, struct ibc_process *p)
{
	little_locked_memory(h, p);
	p->unread = IBC_PROCESS_LIMITS;
}

/* Each driver counts its own versions: one of tomorrow may be at 1. */
static void an_abi_of_a_driver_that_nobody_knows(struct ibc_host *h, struct ibc_process *p)
{
	(void)p;
	((struct ibc_rdma_device *)h->devices.items[0])->driver = "of_tomorrow";
	mk_fact(h, "mlx5_0", "uverbs_abi", "1");
}

static void an_abi_of_one_driver_of_two(struct ibc_host *h, struct ibc_process *p)
{
	abi_of_the_driver(h, p);
	mk_device(h, "mlx5_1");
}

static void what_is_no_cause_is_not_named(void **state)
{
	static void (*const none[])(struct ibc_host * h, struct ibc_process * p) = {
		nothing_at_all,
		a_libibverbs_that_finds_all,
		no_gpudirect,
		another_port_that_lacks_nothing,
		roce_that_an_infiniband_port_has_not,
		an_adapter_of_a_virtual_machine,
		a_provider_that_a_variable_names,
		a_provider_of_a_device_that_nobody_knows,
		a_lid_that_was_not_read,
		a_state_that_was_not_read,
		gids_that_were_not_read,
		a_namespace_that_shares_devices,
		a_root_that_was_not_read,
		limits_that_were_not_read,
		an_abi_of_a_driver_that_nobody_knows,
		an_abi_of_one_driver_of_two,
	};

	(void)state;
	expect_none(none, sizeof(none) / sizeof(none[0]));
}

static void a_launcher_that_may_lock_little_blames_no_ranks_that_work(void **state)
{
	struct scene s = { "", MPI, "slurm", 4, 4, 0.1, 3000, .qps = 8, .files = 1 };
	struct ibc_host *now = host_of(&s, SECONDS);
	struct ibc_process *launcher = now->processes.items[0];
	struct told t;

	(void)state;
	launcher->qps = launcher->verbs_files = 0;
	launcher->memlock_bytes = 64 << 10;
	t = told_of(host_of(&s, 0), now, NULL);
	assert_null(t.all[0].cause.what);
	assert_int_equal(t.all[0].verdict, FALLBACK_OK);
	forget(&t);
}

static void of_several_ports_the_one_that_lacks_least_is_named(void **state)
{
	struct ibc_host *now = host_of(&fallen, SECONDS);
	struct told t;

	(void)state;
	port_down(now, NULL);
	mk_port(mk_device(now, "mlx5_1"))->state = IBC_STATE_INIT;
	mk_port(mk_device(now, "mlx5_2"))->state = IBC_STATE_DOWN;
	t = told_of(host_of(&fallen, 0), now, NULL);
	assert_string_equal(t.all[0].cause.what, "no port of an RDMA device can be used: mlx5_1/1 "
	                                         "waits for a subnet manager to make it Active");
	forget(&t);
}

static void a_container_is_mended_in_the_container(void **state)
{
	struct ibc_host *now = host_of(&fallen, SECONDS);
	struct ibc_process *p = now->processes.items[0];
	struct told t;

	(void)state;
	no_provider(now, p);
	p->own_root = true;
	t = told_of(host_of(&fallen, 0), now, NULL);
	assert_string_equal(t.all[0].cause.remedy,
	                    "Install libibverbs and its providers in the container, both of one "
	                    "release (rdma-core, or OFED's)");
	forget(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cause_is_named),
		cmocka_unit_test(what_is_no_cause_is_not_named),
		cmocka_unit_test(a_launcher_that_may_lock_little_blames_no_ranks_that_work),
		cmocka_unit_test(of_several_ports_the_one_that_lacks_least_is_named),
		cmocka_unit_test(a_container_is_mended_in_the_container),
	};

	return cmocka_run_group_tests_name("cause", tests, NULL, NULL);
}
