/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads this host as the checks of it do, and prints what it saw, a line each. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/host.h>

static const char *text_of(const struct ibc_address *address, char text[INET6_ADDRSTRLEN])
{
	const uint8_t *raw = address->raw;

	if (address->v4)
		return inet_ntop(AF_INET, raw + 12, text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, raw, text, INET6_ADDRSTRLEN);
}

static void show_interfaces(const struct ibc_host *host)
{
	const struct ibc_netns *ns;
	const struct ibc_netdev *dev;
	char text[INET6_ADDRSTRLEN];

	for (size_t i = 0; (ns = ibc_host_netns(host, i)); i++)
		printf("netns %" PRIu64 " path %s own %d error %d\n", ns->inode, ns->path, ns->own,
		       ns->error);
	for (size_t i = 0; (dev = ibc_host_netdev(host, i)); i++) {
		ns = ibc_host_netns(host, dev->netns);
		printf("netdev %s netns %" PRIu64 " ipoib %d up %d mtu %u driver %s sent %" PRIu64
		       " received %" PRIu64 "\n",
		       dev->name, ns->inode, dev->ipoib, dev->up, dev->mtu, dev->driver,
		       dev->tx_bytes, dev->rx_bytes);
		for (size_t k = 0; k < dev->num_addresses; k++)
			printf("address %s/%u netdev %s netns %" PRIu64 "\n",
			       text_of(&dev->addresses[k], text), dev->addresses[k].prefix,
			       dev->name, ns->inode);
	}
}

static void show_sockets(const struct ibc_host *host)
{
	char local[INET6_ADDRSTRLEN], remote[INET6_ADDRSTRLEN];
	const struct ibc_socket *s;

	for (size_t i = 0; (s = ibc_host_socket(host, i)); i++)
		printf("socket %s:%u %s:%u pid %d uid %u sent %" PRIu64 " received %" PRIu64
		       " pmtu %u unread %d\n",
		       text_of(&s->local, local), s->local_port, text_of(&s->remote, remote),
		       s->remote_port, s->pid, s->uid, s->sent, s->received, s->pmtu,
		       s->owner_unread);
}

static void show_owners(const struct ibc_host *host)
{
	const struct ibc_process *p;
	const struct ibc_unread *unread;

	for (size_t i = 0; (p = ibc_host_process(host, i)); i++)
		printf("process %d comm %s qps %u verbs %u pinned %" PRIu64 " memory %" PRIu64 "\n",
		       p->pid, p->comm, p->qps, p->verbs_files, p->pinned_bytes, p->memory_bytes);
	for (size_t i = 0; (unread = ibc_host_unread(host, i)); i++)
		printf("unread %s: %s\n", unread->path, strerror(unread->error));
}

int main(void)
{
	struct ibc_host_opts opts = { .parts = IBC_HOST_NETDEVS | IBC_HOST_SOCKETS |
		                               IBC_HOST_PROCESSES };
	struct ibc_error err;
	struct ibc_host *host;

	if (ibc_host_read(&opts, &host, &err)) {
		fprintf(stderr, "look: %s\n", err.text);
		return 1;
	}
	show_interfaces(host);
	show_sockets(host);
	show_owners(host);
	ibc_host_free(host);
	return 0;
}
