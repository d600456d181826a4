/* SPDX-License-Identifier: BSD-2-Clause */

/* The live source: local ports, each swept into a subnet of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "fabric/build.h"
#include "source/capture.h"
#include "source/source.h"
#include "transport/transport.h"

static int sweep_port(const char *ca, unsigned int port, const char *spec,
                      const struct ibc_source_opts *opts, struct fabric_build *b,
                      struct ibc_error *err)
{
	struct transport_port from;
	struct transport *t;
	int rc = transport_umad_open(ca, port, &t, &from, err);

	if (rc)
		return rc;
	if (opts->record)
		rc = recording_wrap(opts->record, &from, opts->again ? opts->again->pass : 0, &t,
		                    err);
	if (rc == 0)
		rc = discover_subnet(t, &from, spec, opts, b, err);
	t->ops->close(t);
	return rc;
}

/* Did one of the subnets so far meet this local port as part of its subnet? */
static bool is_swept(struct fabric_build *b, const struct transport_port *local)
{
	const struct ibc_subnet *subnet;
	const struct ibc_port *port;
	const struct ibc_node *node;

	for (size_t i = 0; (subnet = fabric_build_subnet_at(b, i)); i++) {
		node = fabric_build_find(b, subnet, local->node_guid);
		port = node ? ibc_node_port(node, local->port) : NULL;
		if (port && ibc_port_is_here(port))
			return true;
	}
	return false;
}

/* "umad", "umad:CA", "umad:CA:PORT"; what the specification leaves open the options say. */
int source_umad(const char *spec, const struct ibc_source_opts *opts, struct fabric_build *b,
                struct ibc_error *err)
{
	const char *ca = strchr(spec, ':'), *colon;
	uint64_t port = opts->ca_port;
	char name[sizeof(((struct transport_port *)0)->ca)];

	if (!ca)
		return sweep_port(opts->ca, opts->ca_port, spec, opts, b, err);
	if (strcmp(++ca, "all") == 0) {
		struct transport_port *ports;
		size_t n;
		int rc = transport_umad_ports(&ports, &n, err);

		for (size_t i = 0; rc == 0 && i < n; i++)
			if (ports[i].state == IBC_STATE_ACTIVE && !is_swept(b, &ports[i]))
				rc = sweep_port(ports[i].ca, ports[i].port, spec, opts, b, err);
		if (rc == 0 && !fabric_build_subnet_at(b, 0))
			rc = fail(err, -ENODEV, "umad:all: no local InfiniBand port is Active");
		free(ports);
		return rc;
	}
	colon = strchrnul(ca, ':');
	if (colon == ca || !str_cut(name, sizeof(name), ca, (size_t)(colon - ca)) ||
	    (*colon && str_u64(colon + 1, 1, 254, &port)))
		return fail(err, -EINVAL, "%s: expected umad, umad:CA, umad:CA:PORT or umad:all",
		            spec);
	return sweep_port(name, (unsigned int)port, spec, opts, b, err);
}
