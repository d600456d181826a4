/* SPDX-License-Identifier: BSD-2-Clause */
/* What a switch says of adaptive routing, in a snapshot. */
#include <errno.h>

#include <ibcheck/fabric.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/jsonread.h"
#include "base/jsonwrite.h"
#include "source/fields.h"

static const struct field ar_fields[] = {
	{ "flags", offsetof(struct ibc_ar_info, flags), FIELD_U32 },
	{ "group_cap", offsetof(struct ibc_ar_info, group_cap), FIELD_U16 },
	{ "group_top", offsetof(struct ibc_ar_info, group_top), FIELD_U16 },
	{ "group_tables", offsetof(struct ibc_ar_info, group_tables), FIELD_U8 },
	{ "sub_groups", offsetof(struct ibc_ar_info, sub_groups), FIELD_U8 },
	{ "sub_groups_cap", offsetof(struct ibc_ar_info, sub_groups_cap), FIELD_U8 },
	{ "sl_mask", offsetof(struct ibc_ar_info, sl_mask), FIELD_U16 },
	{ "transports_off", offsetof(struct ibc_ar_info, transports_off), FIELD_U8 },
	{ "ageing_us", offsetof(struct ibc_ar_info, ageing_us), FIELD_U32 },
	{ "hbf_sl_mask", offsetof(struct ibc_ar_info, hbf_sl_mask), FIELD_U16 },
	{ NULL, 0, 0 },
};

void ar_put(struct json_out *o, const struct ibc_node *node)
{
	if (!node->ar)
		return;
	json_key(o, "adaptive_routing");
	json_open(o, '{');
	fields_put(o, ar_fields, node->ar);
	json_close(o, '}');
}

int ar_get(const struct json_item *from, struct ibc_node *node, struct arena *a,
           struct ibc_error *err)
{
	struct ibc_ar_info *info = from ? arena_alloc(a, sizeof(*info)) : NULL;

	if (!from != !ibc_node_has(node, IBC_ATTR_AR_INFO))
		return fail(err, -EINVAL, "AdaptiveRoutingInfo was%s answered, but is%s here",
		            from ? " not" : "", from ? "" : " missing");
	if (from && !info)
		return fail_nomem(err);
	node->ar = info;
	return from ? fields_get(from, ar_fields, info, NULL, a, err) : 0;
}
