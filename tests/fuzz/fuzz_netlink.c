/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of the kernel about RDMA resources, devlink and DCB: the first byte of the input
 * says whose it is, the rest comes after the header of a message.  Whatever it holds, a host
 * is left that holds together.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "host/net/dcb.h"
#include "host/net/devlink.h"
#include "host/process/resources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_dcb(const struct nlmsghdr *message, void *ctx)
{
	struct ibc_ethernet ethernet = { .netdev = NULL };

	dcb_take(ctx, message, &ethernet);
	assert(!ethernet.num_apps || ethernet.apps);
	return MNL_CB_OK;
}

static const mnl_cb_t decoders[] = {
	resources_on_entry, resources_on_system, devlink_on_info, devlink_on_reporter, on_dcb,
};

/* The kernel's messages end at a multiple of four bytes. */
static struct nlmsghdr *message_of(const uint8_t *data, size_t size)
{
	struct nlmsghdr *message = calloc(1, MNL_NLMSG_HDRLEN + MNL_ALIGN(size));

	assert(message);
	message->nlmsg_len = (uint32_t)(MNL_NLMSG_HDRLEN + size);
	if (size)
		memcpy((char *)message + MNL_NLMSG_HDRLEN, data, size);
	return message;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ibc_host_fact *fact;
	const struct ibc_process *process;
	struct nlmsghdr *message;
	struct ibc_host *host;
	int last = 0;

	if (!size)
		return 0;
	/* a directory without anything of a host */
	assert(ibc_host_read(&(struct ibc_host_opts){ .root = "/dev" }, &host, NULL) == 0);
	message = message_of(data + 1, size - 1);
	decoders[data[0] % ARRAY_SIZE(decoders)](message, host);
	free(message);
	assert(!host->out_of_memory);
	for (size_t i = 0; (fact = ibc_host_fact(host, i)); i++)
		assert(*fact->key && fact->subject && fact->value && *fact->path);
	for (size_t i = 0; (process = ibc_host_process(host, i)); last = process->pid, i++)
		assert(process->pid > last);
	ibc_host_free(host);
	return 0;
}
