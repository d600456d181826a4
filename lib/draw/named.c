/* SPDX-License-Identifier: BSD-2-Clause */
#include "draw/named.h"

static bool is_grave(const struct ibc_finding *f)
{
	return f->severity >= IBC_WARNING && !f->follows && !(f->known && !f->known->expired);
}

void named_each(const struct ibc_report *rep,
                void (*visit)(void *ctx, const struct ibc_finding *f,
                              const struct ibc_subject *subject),
                void *ctx)
{
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		if (!is_grave(f))
			continue;
		visit(ctx, f, &f->subject);
		for (size_t k = 0; k < f->num_related; k++)
			if (f->related[k].role == IBC_ROLE_FOUND ||
			    f->related[k].role == IBC_ROLE_PLANNED)
				visit(ctx, f, &f->related[k].subject);
	}
}

const struct ibc_node *named_end_node(const struct ibc_fabric *fab, const struct ibc_end *end)
{
	return end->has_guid ? ibc_fabric_node_by_guid(fab, end->guid) : NULL;
}

bool named_is_there(const struct ibc_node *near, const struct ibc_subject *cable,
                    const struct ibc_node *far)
{
	const struct ibc_port *port = cable->near.has_port ? ibc_node_port(near, cable->near.port)
	                                                   : NULL;

	return port && port->peer && port->peer->node == far &&
	       (!cable->far.has_port || port->peer->num == cable->far.port);
}
