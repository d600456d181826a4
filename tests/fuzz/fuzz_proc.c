/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process whose files hold what the input says, one after the other with a byte 0xff
 * between them, and the configuration and the log of its libraries: it gets a record, or it
 * is gone, and nothing gets in that is not of the table of variables.
 */
#include <assert.h>
#include <errno.h>

#include <ibcheck/host.h>

#include "host/process/variables.h"
#include "tree.h"

#define PID 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const dirs[] = { "proc",        "proc/100",         "proc/100/fd",
	                            "proc/100/ns", "proc/fs",          "proc/fs/beegfs",
	                            "etc",         "proc/fs/beegfs/1", "sys",
	                            "sys/fs",      "sys/fs/cgroup",    "sys/fs/cgroup/unified",
	                            "dev",         "dev/infiniband" };
static const char *const files[] = { "proc/100/environ",
	                             "proc/100/cmdline",
	                             "proc/100/limits",
	                             "proc/100/mountinfo",
	                             "etc/nccl.conf",
	                             "proc/100/maps",
	                             "proc/100/cgroup",
	                             "proc/100/status",
	                             "proc/100/mountstats",
	                             "log",
	                             "proc/fs/beegfs/1/storage_nodes",
	                             "sys/fs/cgroup/unified/rdma.max",
	                             "sys/fs/cgroup/rdma.max",
	                             "sys/fs/cgroup/rdma.current",
	                             "proc/100/stat" };
/* these are there, and hold nothing */
static const char *const empty[] = { "sys/fs/cgroup/cgroup.procs",
	                             "sys/fs/cgroup/unified/cgroup.procs", "dev/infiniband/uverbs0",
	                             "dev/infiniband/rdma_cm" };
static const char *const links[][2] = { { "proc/100/root", "/" },
	                                { "proc/100/fd/3", "/dev/infiniband/uverbs0" } };
/* what the last of the files holds where the input ends before */
static const char stat_text[] = "100 (rank) S 1 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5\n";

static char log_path[64];

static void remove_root(void)
{
	for (size_t i = 0; i < COUNT(files); i++)
		unlinkat(root_fd, files[i], 0);
	for (size_t i = 0; i < COUNT(empty); i++)
		unlinkat(root_fd, empty[i], 0);
	for (size_t i = 0; i < COUNT(links); i++)
		unlinkat(root_fd, links[i][0], 0);
	for (size_t i = COUNT(dirs); i-- > 0;)
		unlinkat(root_fd, dirs[i], AT_REMOVEDIR);
	rmdir(root);
}

static void make_root(void)
{
	open_root();
	strcat(strcpy(log_path, root), "/log");
	for (size_t i = 0; i < COUNT(dirs); i++)
		assert(mkdirat(root_fd, dirs[i], 0755) == 0);
	for (size_t i = 0; i < COUNT(links); i++)
		assert(symlinkat(links[i][1], root_fd, links[i][0]) == 0);
	for (size_t i = 0; i < COUNT(empty); i++)
		put(empty[i], "", 0);
	atexit(remove_root);
}

static void put_all(const uint8_t *data, size_t size)
{
	put("proc/100/stat", stat_text, sizeof(stat_text) - 1);
	for (size_t i = 0; i < COUNT(files); i++) {
		const uint8_t *end = size ? memchr(data, 0xff, size) : NULL;
		size_t n = end ? (size_t)(end - data) : size;

		if (size || i + 1 < COUNT(files))
			put(files[i], data, n);
		data += n + (end != NULL);
		size -= n + (end != NULL);
	}
}

static void look_at(const struct ibc_setting *setting)
{
	assert(variable_of(setting->name, strlen(setting->name)));
	assert(strlen(setting->value) <= 3 * 1024 && *setting->where);
	assert(setting->effect <= IBC_EFFECT_REQUIRES_RDMA);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const logs[] = { log_path };
	const struct ibc_host_opts opts = { .root = root,
		                            .parts = IBC_HOST_PROCESSES | IBC_HOST_STORAGE,
		                            .logs = logs,
		                            .num_logs = 1 };
	const struct ibc_process *process;
	struct ibc_host *host;

	if (root_fd < 0)
		make_root();
	put_all(data, size);
	assert(ibc_host_read(&opts, &host, NULL) == 0);
	process = ibc_host_process(host, 0);
	assert(!process || (process->pid == PID && process->verbs_files));
	for (size_t i = 0; process && i < process->num_settings; i++)
		look_at(&process->settings[i]);
	assert(!process || process->devices_usable <= 1);
	for (size_t i = 0; ibc_host_rdma_limit(host, i); i++)
		assert(ibc_host_rdma_limit(host, i)->device &&
		       *ibc_host_rdma_limit(host, i)->resource);
	for (size_t i = 0; ibc_host_setting(host, i); i++)
		look_at(ibc_host_setting(host, i));
	for (size_t i = 0; ibc_host_storage(host, i); i++)
		assert(*ibc_host_storage(host, i)->kind && ibc_host_storage(host, i)->server);
	for (size_t i = 0; ibc_host_log_line(host, i); i++)
		assert(*ibc_host_log_line(host, i)->text);
	ibc_host_free(host);
	return 0;
}
