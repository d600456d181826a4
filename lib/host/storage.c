/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A storage and where its server is.  The interface is the IPoIB one that has the local address,
 * where that is known, else the one in whose subnet the server is.
 */
#include <arpa/inet.h>
#include <string.h>

#include "base/str.h"
#include "host/net/netdev.h"
#include "host/storage.h"

/* ---- addresses ------------------------------------------------------------------- */

static bool parse_address(const char *text, size_t n, struct ibc_address *out)
{
	char copy[INET6_ADDRSTRLEN];
	uint8_t raw[16];

	if (!n || !str_cut(copy, sizeof(copy), text, n))
		return false;
	if (inet_pton(AF_INET, copy, raw) == 1)
		return address_of(AF_INET, raw, out);
	return inet_pton(AF_INET6, copy, raw) == 1 && address_of(AF_INET6, raw, out);
}

/* Of 16 bytes, where IPv4 has 96 bits before its own. */
static bool in_subnet(const struct ibc_address *own, const struct ibc_address *other)
{
	unsigned int bits = own->prefix + (own->v4 ? 96U : 0U);
	unsigned int whole = bits / 8, rest = bits % 8;

	/* a single address, or everything, is no subnet */
	if (own->v4 != other->v4 || !own->prefix || bits > 128)
		return false;
	if (memcmp(own->raw, other->raw, whole) != 0)
		return false;
	return !rest || (own->raw[whole] ^ other->raw[whole]) >> (8 - rest) == 0;
}

static const struct ibc_netdev *find_netdev(const struct ibc_host *host,
                                            const struct ibc_address *address, bool by_subnet)
{
	const struct ibc_netdev *dev;

	for (size_t i = 0; (dev = ibc_host_netdev(host, i)); i++)
		for (size_t j = 0; dev->ipoib && j < dev->num_addresses; j++)
			if (by_subnet ? in_subnet(&dev->addresses[j], address)
			              : !memcmp(dev->addresses[j].raw, address->raw,
			                        sizeof(address->raw)))
				return dev;
	return NULL;
}

const char *storage_option(const char *options, const char *name, size_t *n)
{
	size_t length = strlen(name);

	for (const char *o = options; *o; o += strcspn(o, ","), o += *o == ',') {
		*n = strcspn(o, ",");
		if (*n >= length && !strncmp(o, name, length)) {
			*n -= length;
			return o + length;
		}
	}
	*n = 0;
	return NULL;
}

struct storage *storage_new(struct ibc_host *host, const char *kind, const char *name,
                            const char *path)
{
	struct storage *storage = host_new(host, &host->storage, sizeof(*storage));

	storage->id = "";
	storage->seen = (struct ibc_storage){ .kind = kind,
		                              .name = name,
		                              .server = "",
		                              .transport = "",
		                              .path = path,
		                              .version = "" };
	return storage;
}

void storage_reach(struct ibc_host *host, struct ibc_storage *storage, const char *remote,
                   size_t remote_n, const char *local, size_t local_n)
{
	struct ibc_address address;

	if (parse_address(remote, remote_n, &storage->remote))
		storage->netdev = find_netdev(host, &storage->remote, true);
	if (parse_address(local, local_n, &address))
		storage->netdev = find_netdev(host, &address, false);
}

/* "10.0.0.1@o2ib1": an address, and the driver and number of its network */
void storage_nid(struct ibc_host *host, struct ibc_storage *storage, const char *nid)
{
	size_t address = strcspn(nid, "@:,"), net;

	if (nid[address] != '@')
		return;
	net = strcspn(nid + address + 1, ":,/ \n");
	/* the number of the network says nothing of the transport; "o2ib" ends in no digit */
	while (net && strchr("0123456789", nid[address + net]))
		net--;
	storage->transport = text_clean(host, nid + address + 1, net);
	storage_reach(host, storage, nid, address, NULL, 0);
}
