/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranks that may not use what their host has: the connection manager, control groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mkcause.h"

#define VERBS_OF_OFI (OFI | IBC_PROGRAM_RDMACM)
#define GROUP        "/slurm/job_4711"

/* ---- the connection manager --------------------------------------------------------------- */

static void no_ucm_module(struct ibc_host *h, struct ibc_process *p)
{
	mk_fact(h, "kernel", "modules", "listed");
	mk_fact(h, "module ib_uverbs", "loaded", "yes");
	p->program = VERBS_OF_OFI;
	p->manager = IBC_ACCESS_MISSING;
}

static void no_manager(struct ibc_host *h, struct ibc_process *p)
{
	no_ucm_module(h, p);
	mk_fact(h, "module rdma_ucm", "loaded", "yes");
}

static void container_without_manager(struct ibc_host *h, struct ibc_process *p)
{
	no_manager(h, p);
	p->own_root = true;
}

static void closed_manager(struct ibc_host *h, struct ibc_process *p)
{
	(void)h;
	p->program = VERBS_OF_OFI;
	p->manager = IBC_ACCESS_FORBIDDEN;
}

/* ---- its control group --------------------------------------------------------------------- */

/* The host has two, and the process may open one. */
static void give_first(struct ibc_host *h, struct ibc_process *p)
{
	static const char *const first[] = { "uverbs0", NULL };

	mk_device(h, "mlx5_1")->uverbs = "uverbs1";
	p->devices = first;
}

/* Of the group of the job, or of one that its path begins like. */
static struct ibc_rdma_limit *add_limit(struct ibc_host *h, struct ibc_process *p, uint64_t max,
                                        uint64_t used)
{
	struct ibc_rdma_limit *limit = host_new(h, &h->rdma_limits, sizeof(*limit));

	assert_non_null(limit);
	*limit = (struct ibc_rdma_limit){ .group = GROUP,
		                          .device = "mlx5_0",
		                          .resource = "hca_object",
		                          .path = "/sys/fs/cgroup" GROUP "/rdma.max",
		                          .max = max,
		                          .used = used };
	p->rdma_group = GROUP;
	return limit;
}

static void no_handle(struct ibc_host *h, struct ibc_process *p)
{
	add_limit(h, p, 0, 0)->resource = "hca_handle";
}

static void no_object_is_left(struct ibc_host *h, struct ibc_process *p)
{
	add_limit(h, p, 500, 500);
}

static void no_object_is_left_of_a_group_above(struct ibc_host *h, struct ibc_process *p)
{
	no_object_is_left(h, p);
	p->rdma_group = GROUP "/step_0/task_3";
	p->verbs_files = 1;
}

static void no_object_is_left_of_the_root(struct ibc_host *h, struct ibc_process *p)
{
	add_limit(h, p, 500, 501)->group = "";
}

/* ---- one device of two ----------------------------------------------------------------------- */

/* It was given the first; the other is the host's, and lacks nothing. */
static void only_a_port_that_is_down(struct ibc_host *h, struct ibc_process *p)
{
	give_first(h, p);
	mk_port(h->devices.items[0])->state = IBC_STATE_DOWN;
}

static void only_a_device_without_provider(struct ibc_host *h, struct ibc_process *p)
{
	give_first(h, p);
	((struct ibc_rdma_device *)h->devices.items[0])->driver = "bnxt_en";
	mk_verbs(h, p);
}

static void only_a_device_whose_objects_are_spent(struct ibc_host *h, struct ibc_process *p)
{
	give_first(h, p);
	no_object_is_left(h, p);
}

#define NO_VERBS "so libfabric cannot use verbs"
#define MAX      "/sys/fs/cgroup" GROUP "/rdma.max limits its control group to "

static const struct cause causes[] = {
	{ no_ucm_module, "rdma_ucm is not loaded, " NO_VERBS, "modprobe rdma_ucm" },
	{ no_manager, "this host has no /dev/infiniband/rdma_cm, " NO_VERBS, "modprobe rdma_ucm" },
	{ container_without_manager,
	  "PID 100 is in a container without /dev/infiniband/rdma_cm, " NO_VERBS,
	  "Give the container all of /dev/infiniband: --device /dev/infiniband" },
	{ closed_manager, "PID 100 is not allowed to open /dev/infiniband/rdma_cm, " NO_VERBS,
	  "Make /dev/infiniband/rdma_cm readable and writable for its user" },
	{ no_handle, "PID 100 gets no hca_handle of mlx5_0: " MAX "0, and 0 are in use",
	  "Raise hca_handle of mlx5_0 in that file to max" },
	{ no_object_is_left, "PID 100 gets no hca_object of mlx5_0: " MAX "500, and 500 are in use",
	  "Raise hca_object of mlx5_0 in that file to max" },
	{ no_object_is_left_of_a_group_above,
	  "PID 100 gets no hca_object of mlx5_0: " MAX "500, and 500 are in use",
	  "Raise hca_object of mlx5_0" },
	{ no_object_is_left_of_the_root,
	  "PID 100 gets no hca_object of mlx5_0: " MAX "500, and 501 are in use",
	  "Raise hca_object of mlx5_0" },
	{ only_a_port_that_is_down,
	  "no port of the devices that PID 100 is allowed to open can be used: mlx5_0/1 is not "
	  "Active",
	  "Run ibcheck host" },
	{ only_a_device_without_provider,
	  "libibverbs of PID 100 (/usr/lib64/libibverbs.so.1.14.44.0) finds no "
	  "libbnxt_re-rdmav34.so in /usr/lib64/libibverbs",
	  "Install the providers that belong to this libibverbs" },
	{ only_a_device_whose_objects_are_spent,
	  "PID 100 gets no hca_object of mlx5_0: " MAX "500, and 500 are in use",
	  "Raise hca_object of mlx5_0" },
};

static void every_cause_is_named(void **state)
{
	(void)state;
	expect_named(causes, sizeof(causes) / sizeof(causes[0]));
}

/* ---- what is none --------------------------------------------------------------------------- */

static void a_manager_that_nobody_needs(struct ibc_host *h, struct ibc_process *p)
{
	closed_manager(h, p);
	p->program = MPI;
}

static void a_libfabric_without_verbs(struct ibc_host *h, struct ibc_process *p)
{
	closed_manager(h, p);
	p->program = OFI;
}

/* Its module for the manager is mapped in each rank, and only servers use it. */
static void an_ucx_that_could_use_the_manager(struct ibc_host *h, struct ibc_process *p)
{
	no_manager(h, p);
	p->program |= IBC_PROGRAM_UCX;
}

static void an_nccl_beside_libfabric(struct ibc_host *h, struct ibc_process *p)
{
	closed_manager(h, p);
	p->program |= IBC_PROGRAM_NCCL;
}

static void a_module_that_is_built_in(struct ibc_host *h, struct ibc_process *p)
{
	no_ucm_module(h, p);
	p->manager = IBC_ACCESS_OPEN;
}

static void modules_that_were_not_listed(struct ibc_host *h, struct ibc_process *p)
{
	(void)h;
	p->program = VERBS_OF_OFI;
}

static void a_dev_that_was_not_read(struct ibc_host *h, struct ibc_process *p)
{
	no_ucm_module(h, p);
	p->devices_seen = p->devices_usable = 0;
	p->unread = IBC_PROCESS_ROOT;
}

static void objects_that_are_left(struct ibc_host *h, struct ibc_process *p)
{
	add_limit(h, p, 500, 499);
}

static void a_limit_of_another_group(struct ibc_host *h, struct ibc_process *p)
{
	no_object_is_left(h, p);
	p->rdma_group = GROUP "2/step_0";
}

static void a_limit_of_a_group_below(struct ibc_host *h, struct ibc_process *p)
{
	no_object_is_left(h, p);
	p->rdma_group = "/slurm";
}

static void a_limit_of_one_device_of_two(struct ibc_host *h, struct ibc_process *p)
{
	no_handle(h, p);
	mk_device(h, "mlx5_1");
}

/* The one handle is its own. */
static void a_device_that_it_has_open(struct ibc_host *h, struct ibc_process *p)
{
	add_limit(h, p, 1, 1)->resource = "hca_handle";
	p->verbs_files = 1;
}

static void a_port_of_a_device_that_is_not_its_own(struct ibc_host *h, struct ibc_process *p)
{
	give_first(h, p);
	mk_port(h->devices.items[1])->state = IBC_STATE_DOWN;
}

/* Nobody told which file is whose. */
static void a_device_without_a_file(struct ibc_host *h, struct ibc_process *p)
{
	only_a_port_that_is_down(h, p);
	((struct ibc_rdma_device *)h->devices.items[1])->uverbs = "";
}

static void what_is_no_cause_is_not_named(void **state)
{
	static void (*const none[])(struct ibc_host * h, struct ibc_process * p) = {
		a_manager_that_nobody_needs,
		a_libfabric_without_verbs,
		an_ucx_that_could_use_the_manager,
		an_nccl_beside_libfabric,
		a_module_that_is_built_in,
		modules_that_were_not_listed,
		a_dev_that_was_not_read,
		objects_that_are_left,
		a_limit_of_another_group,
		a_limit_of_a_group_below,
		a_limit_of_one_device_of_two,
		a_device_that_it_has_open,
		a_port_of_a_device_that_is_not_its_own,
		a_device_without_a_file,
	};

	(void)state;
	expect_none(none, sizeof(none) / sizeof(none[0]));
}

static void a_job_with_queue_pairs_has_no_cause(void **state)
{
	struct scene s = fallen;

	(void)state;
	s.qps = 8;
	s.files = 1;
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		struct ibc_host *now = host_of(&s, SECONDS);
		struct told t;

		causes[i].inject(now, now->processes.items[0]);
		t = told_of(host_of(&s, 0), now, NULL);
		assert_null(t.all[0].cause.what);
		forget(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cause_is_named),
		cmocka_unit_test(what_is_no_cause_is_not_named),
		cmocka_unit_test(a_job_with_queue_pairs_has_no_cause),
	};

	return cmocka_run_group_tests_name("cause_access", tests, NULL, NULL);
}
