/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of ports: in which order, which of them findings name, and whether more was read of any. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ports.h"

/* ---- the ports that findings name --------------------------------------------- */

static void name_end(struct named *named, const struct ibc_end *end)
{
	if (end->has_guid && end->has_port)
		named->keys[named->n++] = (struct port_key){ end->guid, end->port };
}

static int by_port(const void *a, const void *b)
{
	const struct port_key *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->port > y->port) - (x->port < y->port);
}

int named_all(struct named *named, const struct ibc_report *rep, struct ibc_error *err)
{
	const struct ibc_finding *f;
	size_t room = 0;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		room += 2 * (1 + f->num_related);
	named->keys = calloc(room + 1, sizeof(*named->keys));
	if (!named->keys)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		name_end(named, &f->subject.near);
		name_end(named, &f->subject.far);
		for (size_t j = 0; j < f->num_related; j++) {
			name_end(named, &f->related[j].subject.near);
			name_end(named, &f->related[j].subject.far);
		}
	}
	qsort(named->keys, named->n, sizeof(*named->keys), by_port);
	return 0;
}

bool named_has(const struct named *named, const struct ibc_port *p)
{
	struct port_key key = { p->node->guid, p->num };

	return named->n && bsearch(&key, named->keys, named->n, sizeof(key), by_port);
}

/* ---- all of them, in order ---------------------------------------------------------- */

/* "leaf2" before "leaf10", switches first: people look for a heading by eye. */
static int by_type_and_name(const void *va, const void *vz)
{
	const struct ibc_place *a = va, *z = vz;
	bool ca = a->node->type == IBC_NODE_CA;
	int order = (int)a->node->subnet->index - (int)z->node->subnet->index;

	if (!order && ca != (z->node->type == IBC_NODE_CA))
		return ca ? 1 : -1;
	if (!order)
		order = strverscmp(a->node->label, z->node->label);
	return order ? order : (int)a->port - (int)z->port;
}

int ports_each(const struct app *app, each_port_fn *each, void *ctx, struct ibc_error *err)
{
	size_t n = app->places ? app->num_places : ibc_fabric_count(app->fabric).nodes;
	struct ibc_place *places = calloc(n + 1, sizeof(*places));
	const struct ibc_port *p;

	if (!places)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		places[i] = app->places ? app->places[i]
		                        : (struct ibc_place){ ibc_fabric_node(app->fabric, i), 0 };
	qsort(places, n, sizeof(*places), by_type_and_name);
	for (size_t i = 0; i < n; i++) {
		unsigned int last = places[i].port ? places[i].port : places[i].node->num_ports;

		for (unsigned int num = places[i].port; num <= last; num++)
			if ((p = ibc_node_port(places[i].node, num)))
				each(p, ctx);
	}
	free(places);
	return 0;
}

bool cables_known(const struct ibc_fabric *fab)
{
	const struct ibc_port *port;

	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++)
		if (port->extra->phy || port->extra->module)
			return true;
	return false;
}
