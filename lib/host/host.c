/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the parts of a host that are asked for, and hands them out. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "host/host.h"
#include "host/netns.h"

#define HOST_NAME_MAX_BYTES 256 /* more than HOST_NAME_MAX of Linux, 64 */

/* In this order: a part may look at those above it. */
static const struct {
	uint32_t bit;
	void (*read)(struct ibc_host *host);
} parts[] = {
	{ IBC_HOST_RDMA, host_read_rdma },
	{ IBC_HOST_COUNTERS, host_read_counters },
	{ IBC_HOST_GIDS, host_read_gids },
	{ IBC_HOST_NETDEVS, host_read_netdevs },
	{ IBC_HOST_SOCKETS, host_read_sockets },
	{ IBC_HOST_SOCKETS | IBC_HOST_PROCESSES, host_read_fds },
	{ IBC_HOST_PROCESSES, host_read_resources },
	{ IBC_HOST_PROCESSES, host_read_processes },
	{ IBC_HOST_PROCESSES, host_read_logs },
	{ IBC_HOST_PROCESSES | IBC_HOST_STACK, host_read_settings },
	{ IBC_HOST_STORAGE, host_read_storage },
	{ IBC_HOST_PCI, host_read_pci },
	{ IBC_HOST_PCI, host_read_vfs },
	{ IBC_HOST_STACK, host_read_devlink },
	{ IBC_HOST_STACK, host_read_stack },
	{ IBC_HOST_STACK, host_read_userland },
	{ IBC_HOST_ETHERNET, host_read_ethernet },
};

/* ---- lists ---------------------------------------------------------------- */

void *host_array(struct ibc_host *host, size_t n, size_t size)
{
	void *array = arena_array(host->arena, n ? n : 1, size);

	host->out_of_memory |= !array;
	return array;
}

static bool has_room(struct ibc_host *host, struct host_list *list)
{
	size_t room = list->room ? 2 * list->room : 16;
	void **more;

	if (list->n < list->room)
		return true;
	more = xrealloc(list->items, room, sizeof(*more));
	host->out_of_memory |= !more;
	if (!more)
		return false;
	list->items = more;
	list->room = room;
	return true;
}

void *host_new(struct ibc_host *host, struct host_list *list, size_t size)
{
	void *item = has_room(host, list) ? host_array(host, 1, size) : NULL;

	if (item)
		list->items[list->n++] = item;
	return item;
}

void host_sort(struct host_list *list, int (*compare)(const void *, const void *))
{
	if (list->n)
		qsort(list->items, list->n, sizeof(*list->items), compare);
}

static const void *at(const struct host_list *list, size_t i)
{
	return i < list->n ? list->items[i] : NULL;
}

/* ---- reading ---------------------------------------------------------------- */

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void read_name(struct ibc_host *host)
{
	char name[HOST_NAME_MAX_BYTES] = "";
	const char *text = NULL;
	struct dir etc;

	if (host->live) {
		if (!gethostname(name, sizeof(name) - 1))
			text = host_text(host, "%s", name);
	} else {
		etc = open_path(host, "/etc", true);
		if (etc.fd >= 0)
			text = read_text(host, &etc, "hostname", true);
		close_dir(&etc);
	}
	host->name = text ? text : "";
}

/* Facts of one subject side by side, as they were read. */
static int by_subject(const void *a, const void *b)
{
	const struct ibc_host_fact *x = *(void *const *)a, *y = *(void *const *)b;
	int order = strverscmp(x->subject, y->subject);

	return order ? order : strcmp(x->key, y->key);
}

static void read_parts(struct ibc_host *host)
{
	read_name(host);
	for (size_t i = 0; i < COUNT(parts); i++)
		if (host->opts.parts & parts[i].bit)
			parts[i].read(host);
	host_close_netns(host);
	host_sort(&host->facts, by_subject);
	host->opts.before = NULL; /* it may be gone before this reading */
}

/* NULL when out of memory. */
static struct ibc_host *new_host(const struct ibc_host_opts *opts)
{
	const char *root = opts->root ? opts->root : "";
	size_t length = strlen(root);
	struct ibc_host *host = xalloc(sizeof(*host));

	if (!host)
		return NULL;
	while (length && root[length - 1] == '/')
		length--;
	host->opts = *opts;
	host->opts.parts |= IBC_HOST_RDMA;
	if (opts->parts & (IBC_HOST_SOCKETS | IBC_HOST_ETHERNET))
		host->opts.parts |= IBC_HOST_NETDEVS;
	if (opts->parts & IBC_HOST_ETHERNET)
		host->opts.parts |= IBC_HOST_GIDS;
	host->seconds = seconds_now();
	host->live = length == 0;
	host->privileged = geteuid() == 0;
	host->arena = arena_new();
	host->root = host->arena ? arena_strndup(host->arena, root, length) : NULL;
	host->out_of_memory = !host->root;
	return host;
}

int ibc_host_read(const struct ibc_host_opts *opts, struct ibc_host **out, struct ibc_error *err)
{
	static const struct ibc_host_opts defaults;
	const char *dir;
	struct ibc_host *host;
	int fd;

	opts = opts ? opts : &defaults;
	dir = opts->root ? opts->root : "/";
	fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(err, -ENOENT, "cannot read the host below \"%s\": %s", dir,
		            strerror(errno));
	close(fd);
	host = new_host(opts);
	if (host && !host->out_of_memory)
		read_parts(host);
	if (!host || host->out_of_memory) {
		ibc_host_free(host);
		return fail_nomem(err);
	}
	*out = host;
	return 0;
}

void ibc_host_free(struct ibc_host *host)
{
	if (!host)
		return;
	struct host_list *lists[] = { &host->unread,     &host->facts,     &host->devices,
		                      &host->netns,      &host->netdevs,   &host->sockets,
		                      &host->storage,    &host->processes, &host->log_lines,
		                      &host->pci,        &host->ethernet,  &host->vfs,
		                      &host->verbs,      &host->denied,    &host->rdma_limits,
		                      &host->rdma_groups };

	for (size_t i = 0; i < COUNT(lists); i++)
		free(lists[i]->items);
	arena_free(host->arena);
	free(host);
}

/* ---- looking at it ------------------------------------------------------------ */

double ibc_host_seconds(const struct ibc_host *host)
{
	return host->seconds;
}

uint32_t ibc_host_parts(const struct ibc_host *host)
{
	return host->opts.parts;
}

bool ibc_host_is_privileged(const struct ibc_host *host)
{
	return host->privileged;
}

const char *ibc_host_name(const struct ibc_host *host)
{
	return host->name;
}

const struct ibc_unread *ibc_host_unread(const struct ibc_host *host, size_t i)
{
	return at(&host->unread, i);
}

const char *ibc_unread_reason(const struct ibc_unread *unread)
{
	if (unread->error == EBADMSG)
		return "it holds what no kernel writes";
	if (unread->error == E2BIG)
		return "it holds more than is read";
	return strerror(unread->error);
}

const struct ibc_host_fact *ibc_host_fact(const struct ibc_host *host, size_t i)
{
	return at(&host->facts, i);
}

static int fact_by_key(const void *key, const void *item)
{
	return by_subject(&key, item);
}

const struct ibc_host_fact *ibc_host_fact_of(const struct ibc_host *host, const char *subject,
                                             const char *key)
{
	const struct ibc_host_fact wanted = { .subject = subject, .key = key };
	const struct host_list *list = &host->facts;
	void *const *found = list->n ? bsearch(&wanted, list->items, list->n, sizeof(*list->items),
	                                       fact_by_key)
	                             : NULL;

	return found ? *found : NULL;
}

const struct ibc_rdma_device *ibc_host_device(const struct ibc_host *host, size_t i)
{
	return at(&host->devices, i);
}

const struct ibc_rdma_device *ibc_host_device_by_name(const struct ibc_host *host, const char *name)
{
	const struct ibc_rdma_device *device;

	for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
		if (!strcmp(device->name, name))
			return device;
	return NULL;
}

const struct ibc_netns *ibc_host_netns(const struct ibc_host *host, size_t i)
{
	return at(&host->netns, i);
}

const struct ibc_netdev *ibc_host_netdev(const struct ibc_host *host, size_t i)
{
	return at(&host->netdevs, i);
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

const struct ibc_socket *ibc_host_socket(const struct ibc_host *host, size_t i)
{
	return at(&host->sockets, i);
}

const struct ibc_log_line *ibc_host_log_line(const struct ibc_host *host, size_t i)
{
	return at(&host->log_lines, i);
}

const struct ibc_process *ibc_host_process(const struct ibc_host *host, size_t i)
{
	return at(&host->processes, i);
}

static int by_pid(const void *key, const void *item)
{
	int pid = *(const int *)key;
	const struct ibc_process *process = *(void *const *)item;

	return (pid > process->pid) - (pid < process->pid);
}

const struct ibc_process *ibc_host_process_by_pid(const struct ibc_host *host, int pid)
{
	const struct host_list *list = &host->processes;
	void *const *found = list->n
	                         ? bsearch(&pid, list->items, list->n, sizeof(*list->items), by_pid)
	                         : NULL;

	return found ? *found : NULL;
}

const struct ibc_storage *ibc_host_storage(const struct ibc_host *host, size_t i)
{
	return at(&host->storage, i);
}

const struct ibc_ethernet *ibc_host_ethernet(const struct ibc_host *host, size_t i)
{
	return at(&host->ethernet, i);
}

const struct ibc_pci *ibc_host_pci(const struct ibc_host *host, size_t i)
{
	return at(&host->pci, i);
}

const struct ibc_pci *ibc_host_pci_by_name(const struct ibc_host *host, const char *name)
{
	const struct ibc_pci *pci;

	for (size_t i = 0; (pci = ibc_host_pci(host, i)); i++)
		if (!strcmp(pci->name, name))
			return pci;
	return NULL;
}

const struct ibc_vf *ibc_host_vf(const struct ibc_host *host, size_t i)
{
	return at(&host->vfs, i);
}

const struct ibc_rdma_limit *ibc_host_rdma_limit(const struct ibc_host *host, size_t i)
{
	return at(&host->rdma_limits, i);
}

const struct ibc_setting *ibc_host_setting(const struct ibc_host *host, size_t i)
{
	return i < host->num_settings ? &host->settings[i] : NULL;
}
