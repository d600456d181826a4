/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which firmware a device runs and which it has stored, the health its driver sees, and
 * whether RDMA is turned off in it, from the kernel's devlink (Linux include/uapi/linux/
 * devlink.h; Documentation/networking/devlink/devlink-info.rst, devlink-health.rst,
 * devlink-params.rst).  Only physical functions have it.
 */
#include "host/net/devlink.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <string.h>

#include "host/host.h"
#include "host/net/netlink.h"

#define INFO_PATH     "netlink: DEVLINK_CMD_INFO_GET"
#define REPORTER_PATH "netlink: DEVLINK_CMD_HEALTH_REPORTER_GET"
#define PARAM_PATH    "netlink: DEVLINK_CMD_PARAM_GET"

#define REPORTER_HEALTHY 0 /* enum devlink_health_reporter_state, of the kernel alone */

/* "0000:17:00.0"; NULL for what is not on PCI. */
static const char *subject_of(struct ibc_host *host, const struct nlattr *const *attr)
{
	if (strcmp(attr_clean(host, attr[DEVLINK_ATTR_BUS_NAME]), "pci") != 0)
		return NULL;
	return attr_clean(host, attr[DEVLINK_ATTR_DEV_NAME]);
}

/* ---- versions ------------------------------------------------------------------- */

static const struct {
	uint16_t type;
	const char *prefix;
} versions[] = {
	{ DEVLINK_ATTR_INFO_VERSION_FIXED, "fixed" },
	{ DEVLINK_ATTR_INFO_VERSION_RUNNING, "running" },
	{ DEVLINK_ATTR_INFO_VERSION_STORED, "stored" },
};

int devlink_on_info(const struct nlmsghdr *message, void *ctx)
{
	const struct nlattr *attr[DEVLINK_ATTR_DEV_NAME + 1], *entry;
	const struct nlattr *of[DEVLINK_ATTR_INFO_VERSION_VALUE + 1];
	struct ibc_host *host = ctx;
	const char *subject;

	netlink_parse(message, sizeof(struct genlmsghdr), attr, DEVLINK_ATTR_DEV_NAME);
	subject = subject_of(host, attr);
	if (!subject)
		return MNL_CB_OK;
	mnl_attr_for_each(entry, message, sizeof(struct genlmsghdr))
	{
		for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
			if (mnl_attr_get_type(entry) != versions[i].type)
				continue;
			netlink_parse_nested(entry, of, DEVLINK_ATTR_INFO_VERSION_VALUE);
			note_fact(host, subject,
			          host_text(host, "%s %s", versions[i].prefix,
			                    attr_clean(host, of[DEVLINK_ATTR_INFO_VERSION_NAME])),
			          attr_clean(host, of[DEVLINK_ATTR_INFO_VERSION_VALUE]), INFO_PATH);
		}
	}
	return MNL_CB_OK;
}

/* ---- health --------------------------------------------------------------------- */

int devlink_on_reporter(const struct nlmsghdr *message, void *ctx)
{
	const struct nlattr *attr[DEVLINK_ATTR_HEALTH_REPORTER + 1];
	const struct nlattr *of[DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT + 1];
	struct ibc_host *host = ctx;
	const char *subject, *name;

	netlink_parse(message, sizeof(struct genlmsghdr), attr, DEVLINK_ATTR_HEALTH_REPORTER);
	subject = subject_of(host, attr);
	netlink_parse_nested(attr[DEVLINK_ATTR_HEALTH_REPORTER], of, ARRAY_SIZE(of) - 1);
	if (!subject || !of[DEVLINK_ATTR_HEALTH_REPORTER_NAME])
		return MNL_CB_OK;
	name = attr_clean(host, of[DEVLINK_ATTR_HEALTH_REPORTER_NAME]);
	note_fact(host, subject, host_text(host, "health %s", name),
	          attr_u8(of[DEVLINK_ATTR_HEALTH_REPORTER_STATE]) == REPORTER_HEALTHY ? "healthy"
	                                                                              : "error",
	          REPORTER_PATH);
	note_fact(host, subject, host_text(host, "health %s errors", name),
	          host_text(host, "%" PRIu64, attr_u64(of[DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT])),
	          REPORTER_PATH);
	return MNL_CB_OK;
}

/* ---- parameters ------------------------------------------------------------------ */

/* Without the one there is no RDMA device, without the other no RoCE. */
static const char *const params[] = { "enable_rdma", "enable_roce" };

/* True is a flag that is there.  What the driver was started with counts. */
int devlink_on_param(const struct nlmsghdr *message, void *ctx)
{
	const struct nlattr *attr[DEVLINK_ATTR_PARAM + 1],
	    *value[DEVLINK_ATTR_PARAM_VALUE_CMODE + 1];
	const struct nlattr *of[DEVLINK_ATTR_PARAM_VALUES_LIST + 1], *entry;
	struct ibc_host *host = ctx;
	const char *subject;

	netlink_parse(message, sizeof(struct genlmsghdr), attr, DEVLINK_ATTR_PARAM);
	subject = subject_of(host, attr);
	netlink_parse_nested(attr[DEVLINK_ATTR_PARAM], of, ARRAY_SIZE(of) - 1);
	if (!subject || !of[DEVLINK_ATTR_PARAM_NAME] || !of[DEVLINK_ATTR_PARAM_VALUES_LIST])
		return MNL_CB_OK;
	mnl_attr_for_each_nested(entry, of[DEVLINK_ATTR_PARAM_VALUES_LIST])
	{
		netlink_parse_nested(entry, value, ARRAY_SIZE(value) - 1);
		if (value[DEVLINK_ATTR_PARAM_VALUE_CMODE] &&
		    attr_u8(value[DEVLINK_ATTR_PARAM_VALUE_CMODE]) ==
		        DEVLINK_PARAM_CMODE_DRIVERINIT)
			note_fact(host, subject, attr_clean(host, of[DEVLINK_ATTR_PARAM_NAME]),
			          value[DEVLINK_ATTR_PARAM_VALUE_DATA] ? "on" : "off", PARAM_PATH);
	}
	return MNL_CB_OK;
}

/* ---- asking ---------------------------------------------------------------------- */

/* One by one: for all of them a driver may have to ask the firmware. */
static void ask_params(struct ibc_host *host, struct mnl_socket *socket, uint16_t family)
{
	const struct ibc_pci *pci;

	for (size_t i = 0; (pci = ibc_host_pci(host, i)); i++)
		for (size_t k = 0; k < ARRAY_SIZE(params); k++) {
			char buf[NETLINK_REQUEST_BYTES];
			struct nlmsghdr *request = netlink_generic(buf, family, NLM_F_ACK,
			                                           DEVLINK_CMD_PARAM_GET);
			int error;

			if (pci->kind != IBC_PCI_HCA || pci->vf_of || !*pci->driver)
				continue;
			mnl_attr_put_strz(request, DEVLINK_ATTR_BUS_NAME, "pci");
			mnl_attr_put_strz(request, DEVLINK_ATTR_DEV_NAME, pci->name);
			mnl_attr_put_strz(request, DEVLINK_ATTR_PARAM_NAME, params[k]);
			error = netlink_ask(socket, request, devlink_on_param, host);
			/* EINVAL: its driver has no such parameter */
			if (error && error != EINVAL && error != ENODEV && error != EOPNOTSUPP)
				note_unread_once(host, PARAM_PATH, error);
		}
}

void host_read_devlink(struct ibc_host *host)
{
	static const struct {
		uint8_t command;
		mnl_cb_t each;
		const char *path;
	} dumps[] = {
		{ DEVLINK_CMD_INFO_GET, devlink_on_info, INFO_PATH },
		{ DEVLINK_CMD_HEALTH_REPORTER_GET, devlink_on_reporter, REPORTER_PATH },
	};
	struct mnl_socket *socket = host->live ? netlink_open(NETLINK_GENERIC) : NULL;
	char buf[NETLINK_REQUEST_BYTES];
	uint16_t family = 0;
	bool known;

	if (!socket)
		return;
	known = !netlink_family(socket, DEVLINK_GENL_NAME, &family) && family;
	for (size_t i = 0; known && i < ARRAY_SIZE(dumps); i++) {
		int error = netlink_ask(socket,
		                        netlink_generic(buf, family, NLM_F_DUMP, dumps[i].command),
		                        dumps[i].each, host);

		if (error && error != EOPNOTSUPP)
			note_unread(host, dumps[i].path, error);
	}
	if (known)
		ask_params(host, socket, family);
	mnl_socket_close(socket);
}
