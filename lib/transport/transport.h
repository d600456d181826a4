/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What carries MADs.  A transport moves bytes and never interprets them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>

#include "base/mad.h"

/* What arrived. */
struct mad_in {
	uint8_t mad[MAD_SIZE];
	size_t length;        /* bytes that arrived; may be less than MAD_SIZE, or more */
	int status;           /* 0: an answer; else the errno of a send that failed, mad
	                         holds at least the 24-byte header of what was sent */
	const uint8_t *whole; /* what is longer than MAD_SIZE, all of it, until the next
	                         recv; else NULL */
};

struct transport {
	const struct transport_ops *ops;
};

struct transport_ops {
	/*
	 * Never blocks.  The transport gives up on an answer after timeout_ms and
	 * may then say so (mad_in.status ETIMEDOUT), or not.  0, or negative errno:
	 * -EAGAIN and -ENOMEM: no room just now; -EIO, -ENODEV and -EBADF: the
	 * transport is broken; another: this MAD cannot be sent.
	 */
	int (*send)(struct transport *t, const struct mad_addr *to, const uint8_t mad[MAD_SIZE],
	            unsigned int timeout_ms);
	/*
	 * Takes one arrival; waits up to wait_ns for it (0: only looks).
	 * 1: *in is filled; 0: nothing; negative errno: the transport is broken.
	 */
	int (*recv)(struct transport *t, struct mad_in *in, uint64_t wait_ns);
	/* Monotonic clock of this transport. */
	uint64_t (*now_ns)(struct transport *t);
	void (*close)(struct transport *t);
};

/*
 * What the system says of the port a transport was opened on; of a trace, what it said when
 * that was recorded, where (host) and when (wall_ns, since 1970), else "" and 0.
 */
struct transport_port {
	char ca[32];
	unsigned int port;
	uint64_t node_guid, guid, subnet_prefix;
	unsigned int lid, state; /* enum ibc_port_state */
	char host[65];
	uint64_t wall_ns;
	bool asks_once; /* of a trace: in it no PortInfo was asked for extended speeds */
	bool is_replay; /* what it does not answer may not have been asked then */
};

/*
 * umad.c: libibumad.  ca NULL and port 0: the first active InfiniBand port, else the first that is
 * up, of no NVSwitch bridge.  Errors: -ENODEV, -EACCES, -ENOENT (ib_umad is not loaded), each with
 * the sentence an operator needs.
 */
int transport_umad_open(const char *ca, unsigned int port, struct transport **out,
                        struct transport_port *info, struct ibc_error *err);

/* All local InfiniBand ports with a link, of no NVSwitch bridge; *n of them, freed with free(). */
int transport_umad_ports(struct transport_port **out, size_t *n, struct ibc_error *err);

/*
 * struct transport_event - a MAD that passed a transport
 * @to: where a query goes; NULL: it arrived
 * @bytes, @length: the MAD, whole; after a time-out the header of the query
 * @status: as of struct mad_in
 * @now_ns: by the clock of the transport
 */
struct transport_event {
	const struct mad_addr *to;
	const uint8_t *bytes;
	size_t length;
	int status;
	uint64_t now_ns;
};

/*
 * record.c: around another transport, which it closes; tap() sees every MAD that was sent and
 * every arrival.  Its clock stands still between arrivals: what the sweep computes meanwhile
 * takes no time, in the recording as when it is replayed.
 */
int transport_record(struct transport *under,
                     void (*tap)(void *ctx, const struct transport_event *event), void *ctx,
                     struct transport **out, struct ibc_error *err);

/*
 * replay.c: no wire, and time that passes only in recv().  answer() gives what becomes of a
 * query, to arrive after after_ns; false: it stays without an answer.  Where the host had
 * stalled and took it when its time was over, it is @in_time if the query was not sent anew
 * before: then recv() waits for it as long.  late_ns() corrects a wait that ended now: how
 * much longer it took when it was recorded.
 */
struct replay_fate {
	uint64_t after_ns;
	bool in_time;
};

struct replay_ops {
	bool (*answer)(void *ctx, const struct mad_addr *to, const uint8_t mad[MAD_SIZE],
	               struct mad_in *in, struct replay_fate *fate);
	uint64_t (*late_ns)(void *ctx, uint64_t now_ns);
};
int transport_replay(const struct replay_ops *ops, void *ctx, struct transport **out,
                     struct ibc_error *err);
