/* SPDX-License-Identifier: BSD-2-Clause */
/* The virtual ports of a port, and what a router is set to, in a snapshot. */
#include <errno.h>

#include <ibcheck/fabric.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "base/jsonwrite.h"
#include "source/fields.h"

static const struct field vports_fields[] = {
	{ "cap", offsetof(struct ibc_vports, cap), FIELD_U16 },
	{ "top", offsetof(struct ibc_vports, top), FIELD_U16 },
	{ "enabled", offsetof(struct ibc_vports, enabled), FIELD_BOOL },
	{ NULL, 0, 0 },
};

static const struct field vport_fields[] = {
	{ "index", offsetof(struct ibc_vport, index), FIELD_U16 },
	{ "guid", offsetof(struct ibc_vport, guid), FIELD_HEX },
	{ "lid", offsetof(struct ibc_vport, lid), FIELD_U16 },
	{ "lid_index", offsetof(struct ibc_vport, lid_index), FIELD_U16 },
	{ "state", offsetof(struct ibc_vport, state), FIELD_U8 },
	{ "lid_required", offsetof(struct ibc_vport, lid_required), FIELD_BOOL },
	{ NULL, 0, 0 },
};

static const struct field router_fields[] = {
	{ "global_first", offsetof(struct ibc_router, global.first), FIELD_U32 },
	{ "global_last", offsetof(struct ibc_router, global.last), FIELD_U32 },
	{ "local_first", offsetof(struct ibc_router, local.first), FIELD_U32 },
	{ "local_last", offsetof(struct ibc_router, local.last), FIELD_U32 },
	{ "adjacent_top", offsetof(struct ibc_router, adjacent_top), FIELD_U8 },
	{ "adjacent_cap", offsetof(struct ibc_router, adjacent_cap), FIELD_U8 },
	{ NULL, 0, 0 },
};

/* ---- writing ------------------------------------------------------------- */

void vports_put(struct json_out *o, const struct ibc_port *port)
{
	const struct ibc_vports *v = port->vports;

	if (!v)
		return;
	json_key(o, "vports");
	json_open(o, '{');
	fields_put(o, vports_fields, v);
	json_key(o, "list");
	json_open(o, '[');
	for (size_t i = 0; i < v->num_vports; i++) {
		json_open(o, '{');
		fields_put(o, vport_fields, &v->vports[i]);
		json_close(o, '}');
	}
	json_close(o, ']');
	json_close(o, '}');
}

void node_router_put(struct json_out *o, const struct ibc_node *node)
{
	if (!node->router)
		return;
	json_key(o, "router");
	json_open(o, '{');
	fields_put(o, router_fields, node->router);
	json_close(o, '}');
}

/* ---- reading ------------------------------------------------------------- */

static int get_list(const struct json_item *list, struct ibc_vports *v, struct arena *a,
                    struct ibc_error *err)
{
	struct ibc_vport *vports = arena_array(a, json_size(list) + 1, sizeof(*vports));
	int rc = 0;

	if (!vports)
		return fail_nomem(err);
	v->vports = vports;
	if (!json_is(list, JSON_LIST))
		return fail(err, -EINVAL, "invalid value of \"vports\"");
	for (const struct json_item *at = list + 1; rc == 0 && at != json_behind(list);
	     at = json_behind(at)) {
		struct ibc_vport *to = &vports[v->num_vports];

		rc = fields_get(at, vport_fields, to, NULL, a, err);
		if (rc == 0 && to->state > IBC_STATE_ACTIVE)
			rc = fail(err, -EINVAL, "invalid value of \"state\"");
		if (rc == 0 && v->num_vports++ && to->index <= to[-1].index)
			rc = fail(err, -EINVAL, "the virtual ports are not in order");
	}
	return rc;
}

/* Some of them may be there although not all were answered. */
int vports_get(const struct json_item *from, struct ibc_port *port, struct arena *a,
               struct ibc_error *err)
{
	struct field_other list[] = { { "list", NULL }, { NULL, NULL } };
	struct ibc_vports *v = from ? arena_alloc(a, sizeof(*v)) : NULL;
	int rc;

	if (!from && ibc_port_has(port, IBC_ATTR_VPORTS))
		return fail(err, -EINVAL, "VPortInfo was answered, but is missing here");
	if (!from)
		return 0;
	if (!v)
		return fail_nomem(err);
	port->vports = v;
	rc = fields_get(from, vports_fields, v, list, a, err);
	return rc ? rc : get_list(list[0].value, v, a, err);
}

int node_router_get(const struct json_item *from, struct ibc_node *node, struct arena *a,
                    struct ibc_error *err)
{
	struct ibc_router *router = from ? arena_alloc(a, sizeof(*router)) : NULL;

	if (!from != !ibc_node_has(node, IBC_ATTR_ROUTER_INFO))
		return fail(err, -EINVAL, "RouterInfo was%s answered, but is%s here",
		            from ? " not" : "", from ? "" : " missing");
	if (from && !router)
		return fail_nomem(err);
	node->router = router;
	return from ? fields_get(from, router_fields, router, NULL, a, err) : 0;
}
