/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of how IPoIB interfaces are set up, and of storage that uses them. */
#include <arpa/inet.h>
#include <string.h>

#include "check/groups.h"
#include "check/ipoib/workloads.h"
#include "check/limits.h"
#include "check/phy/phy.h"
#include "check/settings.h"

#define MTU_2K 2044 /* an InfiniBand MTU without the 4 bytes of IPoIB (RFC 4391) */
#define MTU_4K 4092 /* likewise of 4096 */

#define FULL_MEMBER 0x8000 /* of a P_Key (IBA 10.9.3) */

static const char *name_of(struct ibc_sink *out, const struct ibc_host *host,
                           const struct ibc_netdev *dev)
{
	const struct ibc_netns *ns = ibc_host_netns(host, dev->netns);

	return !ns || ns->own ? dev->name : sink_text(out, "%s in %s", dev->name, ns->path);
}

static const char *address_text(struct ibc_sink *out, const struct ibc_address *address)
{
	char text[INET6_ADDRSTRLEN];

	if (address->v4)
		inet_ntop(AF_INET, address->raw + 12, text, sizeof(text));
	else
		inet_ntop(AF_INET6, address->raw, text, sizeof(text));
	return sink_text(out, "%s", text);
}

static bool is_link_local(const struct ibc_address *a)
{
	return !a->v4 && a->raw[0] == 0xfe && (a->raw[1] & 0xc0) == 0x80;
}

/* ---- ipoib.config ------------------------------------------------------------------ */

/* The interface itself always shows the P_Key with the bit of full members. */
static bool is_limited_member(const struct ibc_netdev *dev)
{
	const struct ibc_rdma_port *port = netdev_port(dev);
	bool limited = false;

	for (size_t i = 0; port && i < port->num_pkeys; i++) {
		if (port->pkeys[i] == (dev->pkey | FULL_MEMBER))
			return false;
		limited |= port->pkeys[i] == (dev->pkey & ~FULL_MEMBER);
	}
	return limited;
}

static bool is_same_subnet(const struct ibc_netdev *a, const struct ibc_netdev *b)
{
	for (size_t i = 0; i < a->num_addresses; i++) {
		for (size_t k = 0; k < b->num_addresses; k++) {
			const struct ibc_address *x = &a->addresses[i], *y = &b->addresses[k];

			if (x->v4 == y->v4 && x->prefix == y->prefix && !is_link_local(x) &&
			    address_is_within(x, y))
				return true;
		}
	}
	return false;
}

/* The next pair of IPoIB interfaces that see the same subnet: they should be alike. */
static bool next_pair(const struct ibc_host *host, size_t *i, size_t *k,
                      const struct ibc_netdev *of[2])
{
	for (; (of[0] = ibc_host_netdev(host, *i)); ++*i, *k = *i)
		while (of[0]->ipoib && (of[1] = ibc_host_netdev(host, ++*k)))
			if (of[1]->ipoib && is_same_subnet(of[0], of[1]))
				return true;
	return false;
}

static const char *ipoib_mode_text(const struct ibc_netdev *dev)
{
	return dev->mode == IBC_IPOIB_CONNECTED ? "connected" : "datagram";
}

/* What keeps an interface from being used, or makes two of one subnet unlike. */
static void check_config(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_netdev *dev, *of[2];

	for (size_t i = 0; (dev = ibc_host_netdev(in->host, i)); i++) {
		const struct ibc_rdma_port *port = netdev_port(dev);
		const char *name = name_of(out, in->host, dev);
		bool routable = false;

		if (!dev->ipoib)
			continue;
		for (size_t k = 0; k < dev->num_addresses; k++)
			routable |= !is_link_local(&dev->addresses[k]);
		if (dev->up && !dev->carrier && port && port->state == IBC_STATE_ACTIVE) {
			sink_own_port(out, name,
			              "is up without a carrier although its port is Active: it "
			              "could not join the broadcast group");
			sink_advise(
			    out,
			    "Check rate, MTU and P_Key of the group in the partitions of the "
			    "subnet manager: a port slower than the rate of the group cannot join");
		}
		if (dev->carrier && *dev->master == '\0' && !routable && dev->num_addresses) {
			sink_as(out, IBC_INFO);
			sink_own_port(out, name,
			              "has no address: the RDMA connection manager cannot use it");
		}
		if (is_limited_member(dev)) {
			sink_own_port(out, name,
			              "is a limited member of its partition (P_Key 0x%04x): it "
			              "reaches only full members",
			              dev->pkey & ~FULL_MEMBER);
			sink_advise(out, "Make the host a full member in the partitions of the "
			                 "subnet manager, unless this is intended");
		}
	}
	for (size_t i = 0, k = 0; next_pair(in->host, &i, &k, of);) {
		if (!of[0]->mode || !of[1]->mode || of[0]->mode == of[1]->mode)
			continue;
		sink_own_port(out, name_of(out, in->host, of[0]),
		              "is in %s mode, %s on the same subnet in %s mode",
		              ipoib_mode_text(of[0]), name_of(out, in->host, of[1]),
		              ipoib_mode_text(of[1]));
		sink_advise(out,
		            "Set one mode for the subnet; Enhanced IPoIB has only datagram mode");
	}
}

/* ---- ipoib.mtu --------------------------------------------------------------------------- */

/* Packets of one interface that another cannot take are lost, or cut in pieces. */
static void check_mtu(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_netdev *dev, *of[2];

	for (size_t i = 0; (dev = ibc_host_netdev(in->host, i)); i++) {
		if (!dev->ipoib || dev->mode != IBC_IPOIB_DATAGRAM || dev->mtu == MTU_2K ||
		    dev->mtu == MTU_4K)
			continue;
		sink_own_port(out, name_of(out, in->host, dev),
		              "has an MTU of %u in datagram mode, where it must be %u or %u",
		              dev->mtu, MTU_2K, MTU_4K);
		sink_advise(out,
		            "Set it to the MTU of the broadcast group: %u, or %u with mtu=5 in the "
		            "partitions of the subnet manager",
		            MTU_2K, MTU_4K);
		sink_fact(out, "mtu_bytes", ibc_u64(dev->mtu));
	}
	for (size_t i = 0, k = 0; next_pair(in->host, &i, &k, of);) {
		if (of[0]->mtu == of[1]->mtu || of[0]->mode != of[1]->mode)
			continue;
		sink_own_port(out, name_of(out, in->host, of[0]),
		              "has an MTU of %u, %s on the same subnet %u", of[0]->mtu,
		              name_of(out, in->host, of[1]), of[1]->mtu);
		sink_advise(out, "Set the same MTU on all interfaces of the subnet");
	}
}

/* ---- ipoib.duplicate-address ---------------------------------------------------------------- */

/* Two that answer for one address take turns at losing each other's connections. */
static void check_duplicate(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_netdev *of[2];

	for (size_t i = 0, k = 0; next_pair(in->host, &i, &k, of);)
		for (size_t n = 0; n < of[0]->num_addresses * of[1]->num_addresses; n++) {
			const struct ibc_address *a = &of[0]->addresses[n / of[1]->num_addresses];
			const struct ibc_address *b = &of[1]->addresses[n % of[1]->num_addresses];

			if (memcmp(a->raw, b->raw, sizeof(a->raw)) != 0 || is_link_local(a))
				continue;
			sink_own_port(out, name_of(out, in->host, of[0]),
			              "has the address %s, and so has %s", address_text(out, a),
			              name_of(out, in->host, of[1]));
			sink_advise(out, "Give each interface an address of its own");
		}
}

/* ---- ipoib.storage ------------------------------------------------------------------------ */

/* Storage over IPoIB works, and takes processors and bandwidth that RDMA leaves. */
static void check_storage(const struct ibc_input *in, struct ibc_sink *out)
{
	static const char *const remedies[][2] = {
		{ "nfs", "mount it with proto=rdma,port=20049" },
		{ "nvme", "connect it with nvme connect -t rdma" },
		{ "lustre", "give its network an o2ib NID" },
		{ "beegfs", "set connUseRDMA = true" },
		{ "smb", "mount it with the option rdma" },
		{ "iscsi", "log in with the transport iser" },
	};
	const char *allow = config_allow(in->config, out->check);
	const struct ibc_storage *s;

	for (size_t i = 0; (s = ibc_host_storage(in->host, i)); i++) {
		const char *remedy = "use its RDMA transport";

		if (!s->netdev || strcmp(s->transport, "tcp") != 0 ||
		    allow_names(allow, "mount", s->name) || allow_names(allow, "kind", s->kind) ||
		    allow_names_address(allow, &s->remote))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(remedies); k++)
			if (!strcmp(remedies[k][0], s->kind))
				remedy = remedies[k][1];
		sink_host(out, s->name, "uses %s over TCP on %s, from %s", s->kind,
		          name_of(out, in->host, s->netdev), s->server);
		sink_advise(
		    out, "To use RDMA, %s. If TCP is intended, put it on the allow list (mount:%s)",
		    remedy, s->name);
		sink_fact(out, "transport", ibc_str(s->transport));
		sink_fact(out, "bytes", s->bytes_known ? ibc_u64(s->bytes) : ibc_none());
		sink_fact(out, "path", ibc_str(s->path));
	}
}

/* ---- ipoib.nfs-slots ---------------------------------------------------------------------- */

/*
 * A request waits for an RPC slot only while all are in use: where each that is sent leaves
 * another one waiting, on average, they are used up for most of the time.  A guess: bursts of
 * write-back stay below it over 10 s.
 */
#define WAITING 1

#define MOUNTSTATS "/mountstats"

static const char rpc_slot[] = "an RPC slot of the client";

/* NFS has sessions since 4.1. */
static bool has_session(const struct ibc_storage *s)
{
	return !strncmp(s->version, "4.", 2) && strcmp(s->version, "4.0") != 0;
}

/*
 * struct waits - requests of a mount that wait: @requests, on average, for @what
 * @severity: IBC_OK: few do, or it is not known how many, or for what
 */
struct waits {
	const struct ibc_storage *mount;
	struct ibc_storage_window window;
	enum ibc_severity severity;
	const char *what;
	double requests;
};

static struct waits waits_of(const struct ibc_input *in, struct ibc_sink *out,
                             const struct ibc_storage *s)
{
	struct waits w = { .mount = s,
		           .window = ibc_storage_window(in->host_before, in->host, s),
		           .what = rpc_slot };
	bool rdma = !strcmp(s->transport, "rdma");

	w.requests = w.window.no_slot;
	w.severity = reached(out, in, NULL, w.requests);
	if (w.severity != IBC_OK || (!rdma && !has_session(s)))
		return w;
	w.what = !rdma            ? "a slot of the session"
	         : has_session(s) ? "a slot of the session, or a credit of the server"
	                          : "a credit of the server";
	w.requests = w.window.held_back;
	w.severity = reached(out, in, NULL, w.requests);
	return w;
}

/* Mounts of one server share connections and session. */
static bool is_shared(const struct ibc_storage *a, const struct ibc_storage *b)
{
	return (a->remote.v4 || a->remote.raw[0]) && !strcmp(a->transport, b->transport) &&
	       !memcmp(a->remote.raw, b->remote.raw, sizeof(a->remote.raw)) &&
	       !strcmp(a->version, b->version);
}

/* The worst of those that share with a mount; IBC_OK also if it is not the first of them. */
static struct waits worst_of(const struct ibc_input *in, struct ibc_sink *out, size_t mount)
{
	const struct ibc_storage *s = ibc_host_storage(in->host, mount), *other;
	struct waits worst = waits_of(in, out, s);

	for (size_t i = 0; (other = ibc_host_storage(in->host, i)); i++) {
		struct waits its;

		if (i == mount || !is_shared(s, other))
			continue;
		if (i < mount)
			return (struct waits){ .severity = IBC_OK };
		its = waits_of(in, out, other);
		if (its.severity > worst.severity ||
		    (its.severity == worst.severity && its.requests > worst.requests))
			worst = its;
	}
	return worst;
}

/*
 * The link is nearly idle, and files are slow all the same.  What mounts share is one fault, which
 * has the name of the first whichever of them wait.
 */
static void check_slots(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_storage *s;
	bool unread = false;

	for (size_t i = 0; (s = ibc_host_storage(in->host, i)); i++) {
		struct waits w = worst_of(in, out, i);

		unread |= !strcmp(s->kind, "nfs") && !s->rpc_known;
		if (w.severity == IBC_OK)
			continue;
		sink_as(out, w.severity);
		sink_host(out, s->name,
		          "on average %.1f requests to %s%s wait for %s, while %.1f are in flight",
		          w.requests, s->server,
		          w.mount == s ? ""
		                       : sink_text(out, " of %s, which shares its connections,",
		                                   w.mount->name),
		          w.what, w.window.in_flight);
		if (w.what != rpc_slot)
			sink_advise(out, "Raise the %s of the server; nconnect adds none",
			            has_session(s) ? "session slots" : "RDMA credits");
		else if (!strcmp(s->transport, "rdma"))
			sink_advise(out, "Raise sunrpc.rdma_slot_table_entries, and the RDMA "
			                 "credits of the server, and mount it again");
		else
			sink_advise(out, "Raise sunrpc.tcp_max_slot_table_entries, or mount it "
			                 "with nconnect, which adds connections with slots");
		sink_fact(out, "server", ibc_str(s->server));
		sink_fact(out, "transport", ibc_str(s->transport));
		sink_fact(out, "mount", ibc_str(w.mount->name));
		sink_fact(out, "no_slot", ibc_real(w.window.no_slot));
		sink_fact(out, "held_back",
		          isnan(w.window.held_back) ? ibc_none() : ibc_real(w.window.held_back));
		sink_fact(out, "in_flight", ibc_real(w.window.in_flight));
		sink_fact(out, "path", ibc_str(w.mount->path));
	}
	if (unread && unread_like(in->host, MOUNTSTATS))
		report_unread(in, out, IBC_SUBJECT_HOST, host_name(in),
		              "how many requests of NFS wait for slots", MOUNTSTATS);
}

/* ---- the table ---------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_ipoib_config[] = {
	CHECK("ipoib.config", "IPoIB interfaces that cannot be used or are inconsistent",
	      IBC_WARNING, check_config, .parts = IBC_HOST_NETDEVS | IBC_HOST_GIDS),
	CHECK("ipoib.mtu", "IPoIB interfaces with an odd MTU", IBC_WARNING, check_mtu,
	      .parts = IBC_HOST_NETDEVS),
	CHECK("ipoib.duplicate-address", "one address on two IPoIB interfaces", IBC_WARNING,
	      check_duplicate, .parts = IBC_HOST_NETDEVS),
	CHECK("ipoib.storage", "storage over TCP on IPoIB", IBC_WARNING, check_storage,
	      .parts = IBC_HOST_NETDEVS | IBC_HOST_STORAGE, .allows = true),
	CHECK("ipoib.nfs-slots", "NFS mounts whose requests wait for a slot", IBC_WARNING,
	      check_slots, .parts = IBC_HOST_STORAGE, .inputs = IBC_IN_HOST_BEFORE,
	      .limits = { WAITING, NEVER, .unit = "of requests that wait, on average",
	                  .whole = true }),
	{ 0 },
};
