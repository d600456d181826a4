/* SPDX-License-Identifier: BSD-2-Clause */
/* What was read of a host: its lists, while they grow and when they are looked at. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "host/host.h"

/* ---- lists ---------------------------------------------------------------- */

void *host_array(struct ibc_host *host, size_t n, size_t size)
{
	void *array = arena_array(host->arena, n ? n : 1, size);

	host->out_of_memory |= !array;
	return array;
}

void *host_new(struct ibc_host *host, struct host_list *list, size_t size)
{
	void *item = host_array(host, 1, size);

	if (item && grow(&list->items, list->n, &list->room, sizeof(*list->items)))
		return list->items[list->n++] = item;
	host->out_of_memory = true;
	assert(size <= sizeof(host->spare));
	return memset(host->spare, 0, size);
}

void host_sort(struct host_list *list, int (*compare)(const void *, const void *))
{
	if (list->n)
		qsort(list->items, list->n, sizeof(*list->items), compare);
}

void *host_find(const struct host_list *list, const void *key,
                int (*compare)(const void *, const void *))
{
	void **found = list->n ? bsearch(key, list->items, list->n, sizeof(*list->items), compare)
	                       : NULL;

	return found ? *found : NULL;
}

static const void *at(const struct host_list *list, size_t i)
{
	return i < list->n ? list->items[i] : NULL;
}

void ibc_host_free(struct ibc_host *host)
{
	if (!host)
		return;
	struct host_list *lists[] = { &host->unread,      &host->facts,      &host->devices,
		                      &host->bridges,     &host->netns,      &host->netdevs,
		                      &host->sockets,     &host->storage,    &host->processes,
		                      &host->log_lines,   &host->pci,        &host->ethernet,
		                      &host->vfs,         &host->verbs,      &host->denied,
		                      &host->rdma_limits, &host->rdma_groups };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		free(lists[i]->items);
	arena_free(host->arena);
	free(host);
}

/* ---- looking at it ------------------------------------------------------------ */

#define GET(function, type, member)                                                                \
	type function(const struct ibc_host *host)                                                 \
	{                                                                                          \
		return host->member;                                                               \
	}

GET(ibc_host_seconds, double, seconds)
GET(ibc_host_parts, uint32_t, opts.parts)
GET(ibc_host_modules_denied, bool, modules_denied)
GET(ibc_host_is_privileged, bool, privileged)
GET(ibc_host_name, const char *, name)

#define LIST(function, type, list)                                                                 \
	const struct type *function(const struct ibc_host *host, size_t i)                         \
	{                                                                                          \
		return at(&host->list, i);                                                         \
	}

LIST(ibc_host_unread, ibc_unread, unread)
LIST(ibc_host_fact, ibc_host_fact, facts)
LIST(ibc_host_device, ibc_rdma_device, devices)
LIST(ibc_host_bridge, ibc_rdma_device, bridges)
LIST(ibc_host_netns, ibc_netns, netns)
LIST(ibc_host_netdev, ibc_netdev, netdevs)
LIST(ibc_host_socket, ibc_socket, sockets)
LIST(ibc_host_log_line, ibc_log_line, log_lines)
LIST(ibc_host_process, ibc_process, processes)
LIST(ibc_host_storage, ibc_storage, storage)
LIST(ibc_host_ethernet, ibc_ethernet, ethernet)
LIST(ibc_host_pci, ibc_pci, pci)
LIST(ibc_host_vf, ibc_vf, vfs)
LIST(ibc_host_rdma_limit, ibc_rdma_limit, rdma_limits)

const char *ibc_unread_reason(const struct ibc_unread *unread)
{
	if (unread->error == EBADMSG)
		return "it holds what no kernel writes";
	if (unread->error == E2BIG)
		return "it holds more than is read";
	return strerror(unread->error);
}

/* Facts of one subject side by side, as they were read. */
static int by_subject(const void *a, const void *b)
{
	const struct ibc_host_fact *x = *(void *const *)a, *y = *(void *const *)b;
	int order = strverscmp(x->subject, y->subject);

	return order ? order : strcmp(x->key, y->key);
}

void host_sort_facts(struct ibc_host *host)
{
	host_sort(&host->facts, by_subject);
}

static int fact_by_key(const void *key, const void *item)
{
	return by_subject(&key, item);
}

const struct ibc_host_fact *ibc_host_fact_of(const struct ibc_host *host, const char *subject,
                                             const char *key)
{
	const struct ibc_host_fact wanted = { .subject = subject, .key = key };

	return host_find(&host->facts, &wanted, fact_by_key);
}

const struct ibc_rdma_device *ibc_host_device_by_name(const struct ibc_host *host, const char *name)
{
	const struct ibc_rdma_device *device;

	for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
		if (!strcmp(device->name, name))
			return device;
	return NULL;
}

/* Namespaces come and go, and with them their places in the list. */
static uint64_t namespace_of(const struct ibc_host *host, const struct ibc_netdev *dev)
{
	const struct ibc_netns *ns = ibc_host_netns(host, dev->netns);

	return ns ? ns->inode : 0;
}

const struct ibc_netdev *ibc_host_netdev_before(const struct ibc_host *before,
                                                const struct ibc_host *now,
                                                const struct ibc_netdev *dev)
{
	const struct ibc_netdev *was;

	for (size_t i = 0; before && (was = ibc_host_netdev(before, i)); i++)
		if (was->ifindex == dev->ifindex &&
		    (dev->ifindex || !strcmp(was->name, dev->name)) &&
		    namespace_of(before, was) == namespace_of(now, dev))
			return was;
	return NULL;
}

static bool is_older(const struct ibc_rpc *was, const struct ibc_rpc *now)
{
	return was->connections == now->connections && was->sent < now->sent &&
	       was->connects <= now->connects && was->backlog <= now->backlog &&
	       was->sending <= now->sending && was->queue_ms <= now->queue_ms &&
	       was->rtt_ms <= now->rtt_ms;
}

struct ibc_storage_window ibc_storage_window(const struct ibc_host *before,
                                             const struct ibc_host *now,
                                             const struct ibc_storage *storage)
{
	struct ibc_storage_window w = { NAN, NAN, NAN, NAN };
	double seconds = before ? now->seconds - before->seconds : 0, by_sent;
	const struct ibc_rpc *rpc = &storage->rpc;
	const struct ibc_storage *was = NULL;

	for (size_t i = 0; before && (was = ibc_host_storage(before, i)); i++)
		if (!strcmp(was->kind, storage->kind) && !strcmp(was->name, storage->name) &&
		    !strcmp(was->server, storage->server))
			break;
	if (!was || seconds <= 0)
		return w;
	if (storage->bytes_known && was->bytes_known && storage->bytes >= was->bytes)
		w.bytes_per_second = (double)(storage->bytes - was->bytes) / seconds;
	if (!storage->rpc_known || !was->rpc_known || !is_older(&was->rpc, rpc))
		return w;
	by_sent = rpc->connections / (double)(rpc->sent - was->rpc.sent);
	w.no_slot = (double)(rpc->backlog - was->rpc.backlog) * by_sent;
	/* Little's law: how many there are is how many come, times how long each stays */
	w.in_flight = (double)(rpc->rtt_ms - was->rpc.rtt_ms) / 1000 / seconds;
	if (rpc->connects == was->rpc.connects) /* else they waited for that */
		w.held_back = fmax(0, (double)(rpc->queue_ms - was->rpc.queue_ms) / 1000 / seconds -
		                          (double)(rpc->sending - was->rpc.sending) * by_sent);
	return w;
}

static int by_pid(const void *key, const void *item)
{
	int pid = *(const int *)key;
	const struct ibc_process *process = *(void *const *)item;

	return (pid > process->pid) - (pid < process->pid);
}

const struct ibc_process *ibc_host_process_by_pid(const struct ibc_host *host, int pid)
{
	return host_find(&host->processes, &pid, by_pid);
}

const struct ibc_pci *ibc_host_pci_by_name(const struct ibc_host *host, const char *name)
{
	const struct ibc_pci *pci;

	for (size_t i = 0; (pci = ibc_host_pci(host, i)); i++)
		if (!strcmp(pci->name, name))
			return pci;
	return NULL;
}

const struct ibc_setting *ibc_host_setting(const struct ibc_host *host, size_t i)
{
	return i < host->num_settings ? &host->settings[i] : NULL;
}
