/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux include/uapi/linux/dcbnl.h. */
#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

#include "host/net/dcb.h"
#include "host/net/netlink.h"

/* DCB_ATTR_DCB_APP_TRUST_TABLE, of Linux 6.2: not in the headers of every system */
#define IEEE_APP_TRUST_TABLE 11

struct dcb_reader {
	struct ibc_host *host;
	struct ibc_ethernet *out;
};

static bool take_pfc(const struct nlattr *attr, uint8_t *priorities, uint8_t *classes)
{
	struct ieee_pfc pfc;

	if (!attr_copy(attr, &pfc, sizeof(pfc)))
		return false;
	*priorities = pfc.pfc_en;
	*classes = pfc.pfc_cap;
	return true;
}

void dcb_take(struct ibc_host *host, const struct nlmsghdr *message, struct ibc_ethernet *out)
{
	const struct nlattr *top[DCB_ATTR_DCBX + 1], *attr[IEEE_APP_TRUST_TABLE + 1], *entry;
	const struct nlattr *trust, *table;
	struct ibc_dcb_app *apps;
	uint8_t peer_classes;
	struct ieee_ets ets;
	struct dcb_app app;
	size_t n = 0;

	netlink_parse(message, sizeof(struct dcbmsg), top, DCB_ATTR_DCBX);
	netlink_parse_nested(top[DCB_ATTR_IEEE], attr, IEEE_APP_TRUST_TABLE);
	out->dcbx = attr_u8(top[DCB_ATTR_DCBX]);
	if (attr_copy(attr[DCB_ATTR_IEEE_ETS], &ets, sizeof(ets))) {
		memcpy(out->bandwidth, ets.tc_tx_bw, sizeof(out->bandwidth));
		memcpy(out->class_of, ets.prio_tc, sizeof(out->class_of));
	}
	out->dcb_known = take_pfc(attr[DCB_ATTR_IEEE_PFC], &out->pfc, &out->classes);
	out->peer_known = take_pfc(attr[DCB_ATTR_IEEE_PEER_PFC], &out->peer_pfc, &peer_classes);
	table = attr[DCB_ATTR_IEEE_APP_TABLE];
	if (table) {
		mnl_attr_for_each_nested(entry, table) n++;
		out->num_apps = 0;
		out->apps = apps = host_array(host, n, sizeof(*apps));
		mnl_attr_for_each_nested(entry, table)
		{
			if (apps && attr_copy(entry, &app, sizeof(app)))
				apps[out->num_apps++] = (struct ibc_dcb_app){ app.selector,
					                                      app.priority,
					                                      app.protocol };
		}
	}
	/*
	 * Drivers that can list what they trust do so.  The others trust the DSCP once there is an
	 * entry for one, as mlx5 does (drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c).
	 */
	trust = attr[IEEE_APP_TRUST_TABLE];
	out->trusts_dscp = false;
	for (size_t i = 0; !trust && i < out->num_apps; i++)
		out->trusts_dscp |= out->apps[i].selector == IBC_DCB_DSCP;
	if (!trust)
		return;
	mnl_attr_for_each_nested(entry, trust) out->trusts_dscp |= attr_u8(entry) == IBC_DCB_DSCP;
}

static int on_answer(const struct nlmsghdr *message, void *ctx)
{
	const struct dcb_reader *r = ctx;

	if (mnl_nlmsg_get_payload_len(message) >= sizeof(struct dcbmsg))
		dcb_take(r->host, message, r->out);
	return MNL_CB_OK;
}

int dcb_read(struct ibc_host *host, struct mnl_socket *route, const char *name,
             struct ibc_ethernet *out)
{
	struct dcb_reader r = { host, out };
	char buf[NETLINK_REQUEST_BYTES];
	void *extra;
	struct nlmsghdr *request;

	if (strlen(name) >= IFNAMSIZ)
		return ENODEV;
	/* acknowledged, so that the answer has an end */
	request = netlink_request(buf, RTM_GETDCB, NLM_F_ACK, sizeof(struct dcbmsg), &extra);
	*(struct dcbmsg *)extra = (struct dcbmsg){ .dcb_family = AF_UNSPEC,
		                                   .cmd = DCB_CMD_IEEE_GET };
	mnl_attr_put_strz(request, DCB_ATTR_IFNAME, name);
	return netlink_ask(route, request, on_answer, &r);
}
