/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modules in the cages of this host's adapters: their memory as the driver reads it, by
 * ETHTOOL_MSG_MODULE_EEPROM_GET of the interfaces on them, for which one must be root (Linux
 * Documentation/networking/ethtool-netlink.rst).  Below another root it is a file for each
 * interface, in which its pages follow each other: what "ethtool -m" wrote.
 */
#include "host/modules.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <string.h>

#include "host/host.h"
#include "host/net/netlink.h"

#define EEPROM_PATH "netlink: ETHTOOL_MSG_MODULE_EEPROM_GET"
#define SAVED_PATH  "/ethtool"
#define I2C_ADDRESS 0x50 /* of all modules that SFF-8636 and CMIS describe */

int module_on_page(const struct nlmsghdr *message, void *ctx)
{
	const struct nlattr *attr[ETHTOOL_A_MODULE_EEPROM_DATA + 1];
	struct module_page *page = ctx;

	netlink_parse(message, sizeof(struct genlmsghdr), attr, ETHTOOL_A_MODULE_EEPROM_DATA);
	page->read = attr_copy(attr[ETHTOOL_A_MODULE_EEPROM_DATA], page->bytes,
	                       sizeof(page->bytes));
	return MNL_CB_OK;
}

/* 0 or errno of the first page that was not read. */
static int ask_pages(struct mnl_socket *socket, uint16_t family, unsigned int ifindex,
                     struct eeprom *e)
{
	char buf[NETLINK_REQUEST_BYTES];
	struct nlmsghdr *request;
	struct nlattr *nest;
	int error, failed = 0;

	for (unsigned int i = 0; i < EEPROM_PAGES && (i <= EEPROM_UPPER || !failed); i++) {
		struct module_page page = { .read = false };
		int number = eeprom_number(e, i);

		if (number < 0)
			continue;
		request = netlink_generic(buf, family, NLM_F_ACK, ETHTOOL_MSG_MODULE_EEPROM_GET);
		nest = mnl_attr_nest_start(request, ETHTOOL_A_MODULE_EEPROM_HEADER);
		mnl_attr_put_u32(request, ETHTOOL_A_HEADER_DEV_INDEX, ifindex);
		mnl_attr_nest_end(request, nest);
		mnl_attr_put_u32(request, ETHTOOL_A_MODULE_EEPROM_OFFSET,
		                 i == EEPROM_LOWER ? 0 : EEPROM_PAGE_BYTES);
		mnl_attr_put_u32(request, ETHTOOL_A_MODULE_EEPROM_LENGTH, EEPROM_PAGE_BYTES);
		mnl_attr_put_u8(request, ETHTOOL_A_MODULE_EEPROM_PAGE, (uint8_t)number);
		mnl_attr_put_u8(request, ETHTOOL_A_MODULE_EEPROM_BANK, 0);
		mnl_attr_put_u8(request, ETHTOOL_A_MODULE_EEPROM_I2C_ADDRESS, I2C_ADDRESS);
		error = netlink_ask(socket, request, module_on_page, &page);
		failed = failed ? failed : error;
		e->read[i] = page.read;
		memcpy(e->page[i], page.bytes, sizeof(page.bytes));
	}
	return failed;
}

/* What is cut off was not read. */
static void load_pages(struct ibc_host *host, const char *name, struct eeprom *e)
{
	struct dir dir = open_path(host, SAVED_PATH, true);
	uint8_t bytes[EEPROM_PAGES * EEPROM_PAGE_BYTES];
	ssize_t n = dir.fd < 0 ? 0 : read_some(&dir, name, bytes, sizeof(bytes)), at = 0;

	if (n < 0 && errno != ENOENT)
		note_unread(host, path_of(host, &dir, name), errno);
	for (unsigned int i = 0; i < EEPROM_PAGES && at + EEPROM_PAGE_BYTES <= n; i++) {
		if (eeprom_number(e, i) < 0)
			continue;
		e->read[i] = true;
		memcpy(e->page[i], bytes + at, EEPROM_PAGE_BYTES);
		at += EEPROM_PAGE_BYTES;
	}
	close_dir(&dir);
}

/* Of several interfaces on one port the first that has it. */
static void read_module(struct ibc_host *host, const struct dir *net, const char *name,
                        struct ibc_rdma_device *device)
{
	struct dir dir = open_dir(host, net, name);
	const char *index = read_text(host, &dir, "ifindex", true);
	const char *dev_port = read_text(host, &dir, "dev_port", true);
	uint32_t ifindex = 0, num = 0;
	struct ibc_module *module;
	struct ibc_rdma_port *port = NULL;
	struct eeprom e = { 0 };
	int error = 0;

	close_dir(&dir);
	if ((index && !parse_u32(index, &ifindex)) || (dev_port && !parse_u32(dev_port, &num)))
		return;
	for (size_t i = 0; i < device->num_ports; i++)
		if (device->ports[i].num == num + 1) /* dev_port begins with 0 */
			port = (struct ibc_rdma_port *)&device->ports[i];
	if (!port || port->module)
		return;
	if (!host->ethtool)
		load_pages(host, name, &e);
	else if (ifindex)
		error = ask_pages(host->ethtool, host->ethtool_family, ifindex, &e);
	/* who is not root learns so once; what has no module, or does not say, is no fault */
	if (error == EPERM || error == EACCES)
		host->modules_denied = true;
	else if (error && error != EOPNOTSUPP && error != EINVAL && error != EIO && error != ENODEV)
		note_unread_once(host, EEPROM_PATH, error);
	module = host_array(host, 1, sizeof(*module));
	if (module && eeprom_module(host, &e, module))
		port->module = module;
}

void host_read_modules(struct ibc_host *host)
{
	struct mnl_socket *socket = host->live ? netlink_open(NETLINK_GENERIC) : NULL;
	bool ready = !host->live;

	if (socket)
		ready = !netlink_family(socket, ETHTOOL_GENL_NAME, &host->ethtool_family) &&
		        host->ethtool_family;
	host->ethtool = socket;
	if (ready)
		each_beside(host, "net", read_module);
	host->ethtool = NULL;
	if (socket)
		mnl_socket_close(socket);
}
