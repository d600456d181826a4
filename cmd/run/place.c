/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports and nodes by what people call them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/names.h>

#include "cmd.h"

/* Of a node where packets for it go: port 0 of a switch, else its first port with a LID here. */
const struct ibc_port *port_of_place(const struct ibc_place *place)
{
	const struct ibc_node *node = place->node;

	if (place->port || node->type == IBC_NODE_SWITCH)
		return ibc_node_port(node, place->port);
	for (unsigned int i = 1; i <= node->num_ports; i++)
		if (node->ports[i].lid && ibc_port_is_here(&node->ports[i]))
			return &node->ports[i];
	return ibc_node_port(node, 1);
}

const char *place_name(const struct ibc_port *port, char text[IBC_PLACE_TEXT])
{
	if (!port)
		return strcpy(text, "-");
	return ibc_place_text((struct ibc_place){ port->node, port->num }, text, IBC_PLACE_TEXT);
}

int place_find(const struct ibc_fabric *fab, const char *text, const struct ibc_port **out,
               struct ibc_error *err)
{
	struct ibc_place *places;
	size_t n;
	int rc = ibc_fabric_find(fab, text, &places, &n, err);

	if (rc)
		return rc;
	*out = port_of_place(&places[0]);
	for (size_t i = 0; i < n; i++) { /* of a host the first port that packets reach */
		const struct ibc_port *port = port_of_place(&places[i]);

		if (port && port->lid && ibc_port_is_here(port)) {
			*out = port;
			break;
		}
	}
	free(places);
	return *out ? 0 : cmd_fail(err, -EINVAL, "%s has no port", text);
}

static int by_label(const void *va, const void *vz)
{
	const struct ibc_place *a = va, *z = vz;

	return strverscmp(a->node->label, z->node->label);
}

int app_place(struct app *app, const char *text, struct ibc_error *err)
{
	struct ibc_place *found, *all;
	size_t n;
	int rc = ibc_fabric_find(app->fabric, text, &found, &n, err);

	if (rc)
		return rc;
	all = reallocarray(app->places, app->num_places + n, sizeof(*all));
	if (all) {
		qsort(found, n, sizeof(*found), by_label);
		memcpy(all + app->num_places, found, n * sizeof(*all));
		app->places = all;
		app->num_places += n;
	}
	free(found);
	return all ? 0 : cmd_fail(err, -ENOMEM, "out of memory");
}
