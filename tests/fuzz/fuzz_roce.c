/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A RoCE port whose files hold what the input says, one line each, and whose driver answers
 * about DCB what is left of it: it is read, and judged.
 */
#include <assert.h>
#include <linux/dcbnl.h>
#include <stdio.h>

#include <libmnl/libmnl.h>

#include <ibcheck/check.h>

#include "host/net/dcb.h"
#include "tree.h"

#define DEVICE "sys/class/infiniband/mlx5_0"
#define PORT   DEVICE "/ports/1"
#define NET    "sys/class/net/ens1f0"
#define CM     "sys/kernel/config/rdma_cm/mlx5_0/ports/1"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first are fixed; the input has a line for each of the others. */
static const char *const fixed[][2] = { { PORT "/link_layer", "Ethernet\n" },
	                                { PORT "/state", "4: ACTIVE\n" },
	                                { PORT "/phys_state", "5: LinkUp\n" },
	                                { PORT "/rate", "100 Gb/sec (4X EDR)\n" },
	                                { NET "/type", "1\n" } };
static const char *const files[] = { PORT "/gids/0",
	                             PORT "/gid_attrs/types/0",
	                             PORT "/gid_attrs/ndevs/0",
	                             PORT "/hw_counters/out_of_sequence",
	                             DEVICE "/node_type",
	                             DEVICE "/tc/1/traffic_class",
	                             CM "/default_roce_mode",
	                             CM "/default_roce_tos",
	                             DEVICE "/device/net/ens1f0/dev_port",
	                             NET "/mtu",
	                             NET "/ecn/roce_np/enable/0",
	                             NET "/ecn/roce_rp/enable/0" };

static void make_dirs(const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), "%s", file);
	for (char *slash = path; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdirat(root_fd, path, 0755);
		*slash = '/';
	}
}

/* Those above a file that hold nothing else any more. */
static void remove_dirs(const char *file)
{
	char path[128], *slash;

	snprintf(path, sizeof(path), "%s", file);
	while ((slash = strrchr(path, '/'))) {
		*slash = '\0';
		unlinkat(root_fd, path, AT_REMOVEDIR);
	}
}

static void remove_root(void)
{
	for (size_t i = 0; i < COUNT(fixed); i++)
		unlinkat(root_fd, fixed[i][0], 0);
	for (size_t i = 0; i < COUNT(files); i++)
		unlinkat(root_fd, files[i], 0);
	for (size_t i = 0; i < COUNT(fixed); i++)
		remove_dirs(fixed[i][0]);
	for (size_t i = 0; i < COUNT(files); i++)
		remove_dirs(files[i]);
	rmdir(root);
}

static void make_root(void)
{
	open_root();
	for (size_t i = 0; i < COUNT(files); i++)
		make_dirs(files[i]);
	for (size_t i = 0; i < COUNT(fixed); i++) {
		make_dirs(fixed[i][0]);
		put(fixed[i][0], fixed[i][1], strlen(fixed[i][1]));
	}
	atexit(remove_root);
}

#define ANSWER_MAX 4096

/* What the kernel would send, with these attributes. */
static void answer(struct ibc_host *host, struct ibc_ethernet *e, const uint8_t *data, size_t size)
{
	static char buf[ANSWER_MAX + 64];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);

	mnl_nlmsg_put_extra_header(nlh, sizeof(struct dcbmsg));
	size = size < ANSWER_MAX ? size : ANSWER_MAX;
	memcpy(mnl_nlmsg_get_payload_tail(nlh), data, size);
	nlh->nlmsg_len += (uint32_t)size;
	dcb_take(host, nlh, e);
	assert(e->num_apps <= size / sizeof(struct nlattr));
}

static void evaluate(const struct ibc_host *host)
{
	const struct ibc_input in = { .host = host, .host_before = host };
	struct ibc_report *rep;

	assert(ibc_report_new(&rep, NULL) == 0);
	assert(ibc_check_run(&in, "roce", rep, NULL) == 0);
	assert(ibc_report_finish(rep, NULL) == 0);
	ibc_report_free(rep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ibc_host_opts opts = {
		.root = root, .parts = ibc_check_parts(ibc_check_select("roce", NULL))
	};
	struct ibc_host *host;

	if (root_fd < 0)
		make_root();
	put_lines(files, COUNT(files), &data, &size);
	assert(ibc_host_read(&opts, &host, NULL) == 0);
	if (host->ethernet.n)
		answer(host, host->ethernet.items[0], data, size);
	evaluate(host);
	ibc_host_free(host);
	return 0;
}
