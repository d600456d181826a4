/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <limits.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/umad.h>

#include "base/arena.h"
#include "base/error.h"
#include "transport/ports.h"
#include "transport/transport.h"

#define ABI_VERSION_FILE IB_UMAD_ABI_DIR "/" IB_UMAD_ABI_FILE
#define DEVICE_FORMAT    "/dev/infiniband/umad%u"
#define LARGE_MAX        (1 << 26) /* bytes: a million records; no answer to us is so long */
#define NO_AGENT         (-1)      /* as umad_register() fails */

enum { CLASS_SMP = 0x01, CLASS_SA = 0x03, CLASS_SMP_DIRECTED = 0x81 };

struct umad {
	struct transport base;
	int fd;
	int agent[256]; /* by management class */
	void *large;    /* the last that was longer than a MAD, or NULL */
	alignas(8) uint8_t out[sizeof(struct ib_user_mad) + MAD_SIZE];
	alignas(8) uint8_t in[sizeof(struct ib_user_mad) + MAD_SIZE];
};

/* ---- carrying --------------------------------------------------------------------- */

/*
 * An agent a management class, registered when the class is first spoken.  Answers of
 * subnet administration may be many MADs, which the kernel puts together (RMPP).
 */
static int agent_of(struct umad *u, uint8_t mgmt_class, uint8_t class_version)
{
	int *agent = &u->agent[mgmt_class];

	if (*agent == NO_AGENT)
		*agent = umad_register(u->fd, mgmt_class, class_version, mgmt_class == CLASS_SA,
		                       NULL);
	if (*agent < 0)
		*agent = NO_AGENT;
	return *agent;
}

static int umad_transport_send(struct transport *t, const struct mad_addr *to,
                               const uint8_t mad[MAD_SIZE], unsigned int timeout_ms)
{
	struct umad *u = (struct umad *)t;
	int agent = agent_of(u, mad[1], mad[2]);

	if (agent == NO_AGENT)
		return -EPERM;
	umad_set_grh(u->out, NULL);
	umad_set_addr(u->out, to->dlid, (int)to->qpn, to->sl, (int)to->qkey);
	umad_set_pkey(u->out, to->pkey_index);
	memcpy(umad_get_mad(u->out), mad, MAD_SIZE);
	if (umad_send(u->fd, agent, u->out, MAD_SIZE, (int)timeout_ms, 0) < 0)
		return errno ? -errno : -EIO;
	return 0;
}

static void take_mad(struct mad_in *in, void *umad, int length)
{
	in->status = umad_status(umad);
	in->length = length < 0 ? 0 : (size_t)length;
	in->whole = in->length > MAD_SIZE ? umad_get_mad(umad) : NULL;
	memcpy(in->mad, umad_get_mad(umad), in->whole ? MAD_SIZE : in->length);
}

/* The kernel keeps what does not fit, before all that follows it: it must be taken. */
static int receive_large(struct umad *u, struct mad_in *in, int length)
{
	int rc;

	if (length <= MAD_SIZE || length > LARGE_MAX)
		return -EIO;
	u->large = xalloc(sizeof(struct ib_user_mad) + (size_t)length);
	if (!u->large)
		return -ENOMEM;
	rc = umad_recv(u->fd, u->large, &length, 0);
	if (rc >= 0)
		take_mad(in, u->large, length);
	return rc < 0 ? rc : 1;
}

static int receive_mad(struct umad *u, struct mad_in *in)
{
	int length = MAD_SIZE, rc;

	free(u->large);
	u->large = NULL;
	rc = umad_recv(u->fd, u->in, &length, 0);
	if (rc == -ENOSPC)
		return receive_large(u, in, length);
	if (rc == -EAGAIN || rc == -EINTR)
		return 0;
	if (rc < 0)
		return rc;
	take_mad(in, u->in, length);
	return 1;
}

static int umad_transport_recv(struct transport *t, struct mad_in *in, uint64_t wait_ns)
{
	uint64_t ms = wait_ns / 1000000 + (wait_ns % 1000000 != 0);
	struct umad *u = (struct umad *)t;
	int rc = receive_mad(u, in);

	if (rc != 0 || wait_ns == 0)
		return rc;
	/* should poll itself fail, the next receive says why */
	if (umad_poll(u->fd, ms > INT_MAX ? INT_MAX : (int)ms) < 0)
		return 0;
	return receive_mad(u, in);
}

static uint64_t umad_transport_now_ns(struct transport *t)
{
	struct timespec now;

	(void)t;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void umad_transport_close(struct transport *t)
{
	struct umad *u = (struct umad *)t;

	for (size_t i = 0; i < 256; i++)
		if (u->agent[i] != NO_AGENT)
			umad_unregister(u->fd, u->agent[i]);
	umad_close_port(u->fd);
	umad_done();
	free(u->large);
	free(u);
}

static const struct transport_ops umad_ops = {
	.send = umad_transport_send,
	.recv = umad_transport_recv,
	.now_ns = umad_transport_now_ns,
	.close = umad_transport_close,
};

/* ---- opening ----------------------------------------------------------------------- */

static int cannot_open(const struct transport_port *at, int reason, struct ibc_error *err)
{
	char path[64], issm[PATH_MAX];
	unsigned int number;

	/* libibumad names the sister device of the same number only */
	if (umad_get_issm_path(at->ca, (int)at->port, issm, sizeof(issm)) == 0 &&
	    sscanf(issm, "/dev/infiniband/issm%u", &number) == 1)
		snprintf(path, sizeof(path), DEVICE_FORMAT, number);
	else
		snprintf(path, sizeof(path), "the umad device of %s port %u", at->ca, at->port);
	if (reason == EACCES || reason == EPERM)
		return fail(err, -EACCES,
		            "cannot open %s: %s: run as root, or join the group that owns it", path,
		            strerror(reason));
	if (reason == ENOENT || reason == ENXIO)
		return fail(
		    err, -ENOENT,
		    "cannot open %s: %s: modprobe ib_umad; in a container, pass the device to it",
		    path, strerror(reason));
	return fail(err, -reason, "cannot open %s: %s", path, strerror(reason));
}

static int open_port(struct umad *u, const struct transport_port *at, struct ibc_error *err)
{
	if (umad_init() < 0)
		return fail(err, -EIO, "cannot use libibumad: %s", strerror(errno));
	errno = 0;
	u->fd = umad_open_port(at->ca, (int)at->port);
	if (u->fd < 0)
		return cannot_open(at, errno ? errno : -u->fd, err);
	if (agent_of(u, CLASS_SMP, 1) != NO_AGENT && agent_of(u, CLASS_SMP_DIRECTED, 1) != NO_AGENT)
		return 0;
	return fail(err, -EACCES,
	            "cannot register for subnet management on %s port %u: %s: run as root", at->ca,
	            at->port, strerror(errno));
}

int transport_umad_open(const char *ca, unsigned int port, struct transport **out,
                        struct transport_port *info, struct ibc_error *err)
{
	const struct local_port *chosen;
	struct local_port *ports;
	struct umad *u;
	size_t n;
	int rc = local_ports(&ports, &n, err), fd;

	*out = NULL;
	if (rc == 0)
		rc = local_port_choose(ports, n, ca, port, &chosen, err);
	if (rc == 0)
		*info = chosen->at;
	free(ports);
	if (rc)
		return rc;
	/*
	 * Looked for here because libibumad complains of its absence on stderr.  With open(),
	 * which is what a simulator under libibumad replaces.
	 */
	fd = open(ABI_VERSION_FILE, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(err, -ENOENT,
		            "the kernel module ib_umad is not loaded (no %s): modprobe ib_umad",
		            ABI_VERSION_FILE);
	close(fd);
	u = xalloc(sizeof(*u));
	if (!u)
		return fail_nomem(err);
	u->base.ops = &umad_ops;
	u->fd = -1;
	for (size_t i = 0; i < 256; i++)
		u->agent[i] = NO_AGENT;
	rc = open_port(u, info, err);
	if (rc == 0) {
		*out = &u->base;
		return 0;
	}
	if (u->fd >= 0)
		umad_transport_close(&u->base);
	else
		free(u);
	return rc;
}

int transport_umad_ports(struct transport_port **out, size_t *n, struct ibc_error *err)
{
	struct local_port *ports;
	size_t all;
	int rc = local_ports(&ports, &all, err);

	*n = 0;
	*out = rc ? NULL : xalloc(all * sizeof(**out));
	if (rc == 0 && !*out)
		rc = fail_nomem(err);
	for (size_t i = 0; rc == 0 && i < all; i++)
		if (local_port_has_link(&ports[i]) && !local_port_is_of_bridge(&ports[i]))
			(*out)[(*n)++] = ports[i].at;
	free(ports);
	return rc;
}
