/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKDCB_H
#define MKDCB_H

/* Answers of the kernel about Data Center Bridging, attribute by attribute. */
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include <libmnl/libmnl.h>

#define DCB_BYTES       1024
#define DCB_TRUST_TABLE 11 /* of Linux 6.2 */

/* One without attributes in buf, which is cleared. */
static inline struct nlmsghdr *mk_dcb(char buf[DCB_BYTES])
{
	struct nlmsghdr *nlh;
	struct dcbmsg *dcb;

	memset(buf, 0, DCB_BYTES);
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_GETDCB;
	dcb = mnl_nlmsg_put_extra_header(nlh, sizeof(*dcb));
	dcb->cmd = DCB_CMD_IEEE_GET;
	mnl_attr_put_strz(nlh, DCB_ATTR_IFNAME, "ens1f0");
	return nlh;
}

static inline void mk_dcb_pfc(struct nlmsghdr *nlh, uint16_t type, uint8_t priorities)
{
	const struct ieee_pfc pfc = { .pfc_cap = 8, .pfc_en = priorities };

	mnl_attr_put(nlh, type, sizeof(pfc), &pfc);
}

static inline void mk_dcb_app(struct nlmsghdr *nlh, uint8_t selector, uint16_t protocol,
                              uint8_t priority)
{
	const struct dcb_app app = { selector, priority, protocol };

	mnl_attr_put(nlh, DCB_ATTR_IEEE_APP, sizeof(app), &app);
}

/* Flow control on 3 here and on 4 there, DSCP 26 and 48 mapped, 50 % for class 3. */
static inline struct nlmsghdr *mk_dcb_whole(char buf[DCB_BYTES])
{
	struct nlmsghdr *nlh = mk_dcb(buf);
	struct nlattr *ieee = mnl_attr_nest_start(nlh, DCB_ATTR_IEEE), *apps;
	struct ieee_ets ets = { .ets_cap = 8, .tc_tx_bw = { 50, 0, 0, 50 } };

	for (uint8_t i = 0; i < IEEE_8021QAZ_MAX_TCS; i++)
		ets.prio_tc[i] = i;
	mnl_attr_put(nlh, DCB_ATTR_IEEE_ETS, sizeof(ets), &ets);
	mk_dcb_pfc(nlh, DCB_ATTR_IEEE_PFC, 1 << 3);
	apps = mnl_attr_nest_start(nlh, DCB_ATTR_IEEE_APP_TABLE);
	mk_dcb_app(nlh, IEEE_8021QAZ_APP_SEL_DSCP, 26, 3);
	mk_dcb_app(nlh, IEEE_8021QAZ_APP_SEL_DSCP, 48, 6);
	mnl_attr_nest_end(nlh, apps);
	mk_dcb_pfc(nlh, DCB_ATTR_IEEE_PEER_PFC, 1 << 4);
	mnl_attr_nest_end(nlh, ieee);
	mnl_attr_put_u8(nlh, DCB_ATTR_DCBX, DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE);
	return nlh;
}

#endif
