/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A sweep while it runs: the devices found so far, and the queries to them.
 * discover.c drives it by its table of parts; sweep.c is what they share.  devices.c learns
 * of devices and ports, counters.c of counters, firmware.c of firmware, sminfo.c of subnet
 * managers, forwarding.c of tables, and so on; query.c finds the way to a device, block_read.c
 * reads what has many blocks, models.c asks one device of a model for all of them.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/source.h>

#include "base/hash.h"
#include "base/trace.h"
#include "engine/engine.h"
#include "fabric/build.h"
#include "wire/smp.h"

#define UNICAST_LID_MAX 0xbfff /* multicast LIDs begin above */
/*
 * More than so many ports no subnet is believed to have: a full fat-tree of three levels has six
 * for each of its hosts, which with its switches have a LID each; three times those are enough
 * for what is cabled in part.
 */
#define SWEEP_PORTS_MAX (1 << 20)

struct ar_partial;
struct ar_read;
struct sa_client;
struct model;
struct phy_target;
struct target;

/* A way to send that a fabric, or a simulator, may refuse. */
enum trust { UNTRIED, TRYING, TRUSTED, REFUSED };
enum addressing { DIRECTED, BY_LID, COMBINED };

/* A device while it is explored: what the model has no room for. */
struct device {
	struct ibc_node *node;
	struct device *next;          /* all of them, newest first */
	UT_hash_handle hh;            /* by node */
	struct ibc_port *behind;      /* through which it was found; NULL: the start */
	struct engine_device sma;     /* queries to it */
	struct engine_device through; /* probes through it */
	struct engine_device vendor;  /* queries to the vendor's management */
	struct engine_device ext;     /* the vendor's to its SMA, which may know all but these */
	struct engine_device speeds;  /* PortInfo again, for extended speeds: likewise */
	struct model *model;          /* NULL: not yet known */
	struct manager *managers;     /* of its ports */
	struct target *target;        /* where its counters are read; NULL: not yet */
	struct phy_target *phy;       /* where its registers are read; NULL: they are not */
	uint16_t lid;                 /* 0: none, or not to be used */
	bool lid_used;
	uint8_t first; /* the port asked first: its PortInfo has the LID */
	uint8_t hops;
	uint8_t path[]; /* the port to leave by, hop by hop */
};

struct sweep {
	const struct ibc_source_opts *opts;
	struct fabric_build *b;
	struct ibc_subnet *subnet;
	struct transport *transport;
	struct engine *engine;
	struct arena *scratch;
	struct ibc_error *err;
	struct query *spare;
	struct fabric_forwarding *forwarding; /* NULL: no LFT was asked for yet */
	struct ar_read *ar_reads;             /* artables.c */
	struct ar_partial *spare_partial;
	struct engine_device start; /* of the query that starts it all */
	struct device *devices, *by_node;
	struct device **by_lid;       /* UNICAST_LID_MAX + 1 */
	struct device *claimed_twice; /* in by_lid: of a LID that two devices claim */
	struct model *models;         /* hashed */
	struct manager *managers;
	struct mft *mfts;
	struct sa_client *sa; /* NULL: not asked */
	uint64_t own_guid;    /* of the port it starts at; 0: not known */
	size_t num_nodes, num_ports;
	uint64_t start_ns;     /* by the clock of the transport ... */
	double start_fraction; /* ... and in seconds after the subnet's time */
	const struct sweep_part *parts;
	size_t num_parts;
	struct ibc_attrs needs;
	uint16_t own_lid; /* 0: directed routes only */
	enum trust trust[COMBINED + 1];
	bool lid_conflict, directed_only;
	bool endless;                      /* this cannot be one subnet: the sweep is to end */
	const struct ibc_port *endless_at; /* the port it was seen at ... */
	struct node_info
	    led_to;       /* ... and what was behind it when that was asked again; or zeros */
	bool asks_once;   /* no PortInfo again, as in the trace that is replayed */
	bool is_replay;   /* what is not answered may not have been asked then */
	bool handed_over; /* another subnet manager than before */
	bool counting;    /* what can be put off is asked for as ports turn up */
};

struct query {
	struct engine_ask ask;
	struct sweep *sweep;
	struct blocks *blocks; /* that it is a block of, or NULL */
	struct device *dev; /* who is asked; of a probe: the switch it leaves by; NULL: the start */
	const struct handler *handler;
	struct query *next_spare;
	uint32_t modifier, block;
	uint8_t port; /* that is asked for; of a probe: the port it leaves by */
	uint8_t addressing, first_addressing;
	bool redirected;
};

/*
 * What can be asked.  learn() puts an answer into the model; false if it makes no
 * sense.  missed(), if not NULL, is called when none came.
 */
struct handler {
	uint16_t attribute;
	enum ibc_attr attr; /* NONE: what becomes of it is not noted */
	bool through;       /* asked through a port: of what is behind it */
	bool of_port;       /* or of a node */
	bool at_port;       /* answered only by that port of a channel adapter itself */
	bool (*learn)(struct query *q, const uint8_t *data);
	void (*missed)(struct query *q, enum answer outcome);
};

/*
 * struct sweep_part - who asks for some attributes, and when
 * @of: it has a turn if any of them is wanted; none: always
 * @put_off: at_node() and at_port() wait, in a sweep that trusts no LID before it knows all
 * @at_node: a device is known, and its LID
 * @at_port: a port is known, and its LID; may come again
 * @step: once all that was asked before has an outcome
 * @finish: at the end, in any case
 */
struct sweep_part {
	struct ibc_attrs of;
	bool put_off;
	void (*at_node)(struct sweep *s, struct device *dev);
	void (*at_port)(struct sweep *s, struct device *dev, struct ibc_port *port);
	void (*step)(struct sweep *s);
	void (*finish)(struct sweep *s);
};
extern const struct sweep_part sweep_parts[];
extern const size_t sweep_num_parts;

/* Of a port, of which in a sweep little more is known than where it is. */
#define TRACE_PORT(s, topic, port, format, ...)                                                    \
	TRACE((s)->opts->trace, (topic), "0x%016" PRIx64 "/%u " format, (port)->node->guid,        \
	      (port)->num, __VA_ARGS__)

/* ---- sweep.c -------------------------------------------------------------- */

/* By the clock of the transport. */
uint64_t sweep_now_ns(const struct sweep *s);
/* What the sweeps have taken so far: of other subnets, and of this one. */
double sweep_spent_seconds(const struct sweep *s);
/*
 * The deadline is one for all subnets, and for what is swept again; 0: none.  What is
 * past counts as the last moment.
 */
uint64_t sweep_left_ns(const struct sweep *s);
/* Does the deadline leave so much time, and some to ask? */
bool sweep_has_time(const struct sweep *s, uint64_t ns);
bool sweep_wants(const struct sweep *s, const struct sweep_part *part);
/* n elements, zeroed: until the sweep ends, or as long as the fabric.  Without memory it ends. */
void *sweep_alloc(struct sweep *s, size_t n, size_t size);
void *sweep_keep(struct sweep *s, size_t n, size_t size);
/* Gives each part its turn. */
void sweep_at_node(struct sweep *s, struct device *dev);
void sweep_at_port(struct sweep *s, struct device *dev, struct ibc_port *port);

/* ---- devices.c ------------------------------------------------------------ */

/* Of the device at the start, where there is no site. */
extern const struct handler handler_node_info;

/* ---- query.c ----------------------------------------------------------- */

struct ibc_port *port_of(const struct query *q);
/* The M_Key of the port that a query arrives at, by the key files; false: they have none. */
bool m_key_of(const struct query *q, uint64_t *m_key);
/* The GUID of that port a device is asked at; of a switch that of its port 0. */
uint64_t port_guid_of(const struct device *dev);
struct device *dev_of(const struct sweep *s, const struct ibc_node *node);
/* The LID a port is asked at for general services: a switch has one for all; 0: there is no way. */
uint16_t gsi_lid(const struct sweep *s, const struct device *dev, const struct ibc_port *port);

/* It is not sent yet. */
struct query *query_new(struct sweep *s, struct device *dev, const struct handler *handler,
                        unsigned int port);
void query_free(struct query *q);
/* Of any outcome but ENGINE_NOT_ASKED. */
enum answer answer_of(enum engine_outcome outcome);
/* Learns from the attribute in data, notes what became of the query, and frees it. */
void query_end(struct query *q, enum engine_outcome outcome, const uint8_t *data);

/* By SMP; the device is what limits it. */
void query_send(struct query *q, struct engine_device *device);
/* The same at once.  port is 0 for what is asked of a node; the port to leave by for a probe. */
void query_ask(struct sweep *s, struct device *dev, const struct handler *handler,
               unsigned int port);

/* ---- block_read.c -------------------------------------------------------------- */

/*
 * struct series - a table of one device that is read block by block; zeroed but for:
 * @device: what limits it; not that of others, for who is silent on a table may know more
 * @modifier: of a block; NULL: its number
 * @end: blocks; learn() may lower it
 * @ended: the last was answered, or the rest will not be; false: now there are more; may be NULL
 *
 * Whether the table was answered is noted when it ends: it was if all blocks were.
 */
struct blocks {
	struct device *dev;
	const struct handler *handler;
	struct engine_device *device;
	uint32_t (*modifier)(const struct blocks *blocks, unsigned int block);
	bool (*ended)(struct sweep *s, struct blocks *blocks);
	unsigned int end;
	uint8_t port;
	/* its own */
	unsigned int next, open, in_vain;
	unsigned int outcomes[ANSWERS];
};

/* Asks for what may be asked for next, the first time for the first blocks. */
void blocks_go_on(struct sweep *s, struct blocks *blocks);
/* One of its blocks was answered, or not; or could not be asked any more. */
void blocks_known(struct sweep *s, struct blocks *blocks, enum answer outcome);
void blocks_cut(struct sweep *s, struct blocks *blocks);
/* What became of its blocks so far, by the worst. */
enum answer blocks_outcome(const struct blocks *blocks);

/* ---- sminfo.c --------------------------------------------------------------- */

/* If it is the port of a subnet manager; once its PortInfo is known. */
void sm_port(struct sweep *s, struct device *dev, struct ibc_port *port);
/*
 * Steps of the sweep: who was not asked yet; the origin, whom it takes its orders from
 * now; all again, but for those that have shown progress; time for these others.
 */
void sm_ask_rest(struct sweep *s);
void sm_ask_origin(struct sweep *s);
void sm_ask_again(struct sweep *s);
void sm_wait(struct sweep *s);
void sm_wait_longer(struct sweep *s);
/* Does another one govern than at the beginning? */
bool sm_handed_over(const struct sweep *s);

/* ---- forwarding.c, multicast.c, partitions.c, sl2vl.c, arbitration.c ----------------------- */

/* Steps of the sweep, once all devices are known. */
void forwarding_ask(struct sweep *s);
/* Of one device; and the largest LID that it has an entry for. */
void forwarding_again(struct sweep *s, struct device *dev);
unsigned int forwarding_top(const struct ibc_node *node);
void multicast_ask(struct sweep *s);
void partitions_ask(struct sweep *s);
void sl2vl_ask(struct sweep *s);
void hca_sl2vl_ask(struct sweep *s);
void arbitration_ask(struct sweep *s);
/* Multicast tables, into the model. */
void multicast_finish(struct sweep *s);

/* ---- sa.c, paths.c ----------------------------------------------------------- */

/*
 * Steps of the sweep: ClassPortInfo, while nothing else is asked; members, and a sample
 * of paths; the other paths, if they are not all alike.
 */
void sa_ask_class_info(struct sweep *s);
void sa_ask_records(struct sweep *s);
void sa_ask_paths(struct sweep *s);
void sa_ask_services_again(struct sweep *s);
void sa_finish(struct sweep *s);

/* ---- counters.c ------------------------------------------------------------ */

/*
 * All there is to ask of a port with a link, or one of opts->again->down, once its PortInfo and its
 * node's LID are known.
 */
void count_port(struct sweep *s, struct device *dev, struct ibc_port *port);
/* Devices of a kind share what one of them answered. */
void count_finish(struct sweep *s);

/* struct count_place - where a port's counters are, and what its device can */
struct count_place {
	struct engine_device *device;
	struct mad_addr moved_to; /* instead of lid; dlid 0: not moved */
	uint64_t caps;
	uint16_t lid;
};

/* Before count_finish(); false: they were not read. */
bool count_place(const struct sweep *s, const struct device *dev, const struct ibc_port *port,
                 struct count_place *out);

/* ---- alive.c --------------------------------------------------------------- */

/* A step: do those that did not answer to their M_Key answer what needs none? */
void alive_ask(struct sweep *s);

/* ---- firmware.c ------------------------------------------------------------ */

/* Once its first PortInfo was answered, which has the LID. */
void firmware_ask(struct sweep *s, struct device *dev);
/* Devices of a kind share what none of them has. */
void firmware_finish(struct sweep *s);
/* The V_Key of a device; false: the key files have none. */
bool v_key_of(const struct sweep *s, const struct device *dev, uint64_t *v_key);

/* ---- virtual.c, smpinfo.c --------------------------------------------------------- */

/* Steps: virtual ports of those ports that say they may have some; what routers are set to. */
void vports_ask(struct sweep *s);
void routers_ask(struct sweep *s);

/* ---- smpinfo.c ------------------------------------ */

/* The vendor's GeneralInfo of subnet management: what a device knows there. */
void smp_info_at_node(struct sweep *s, struct device *dev);
/* Asks for an attribute that it reports to know; modifier: of a port its number. */
void smp_vendor_ask(struct sweep *s, struct device *dev, const struct handler *handler,
                    uint32_t modifier);
/* Steps, once it is known who knows them: AdaptiveRoutingInfo; ExtendedPortInfo of all ports. */
void ar_ask(struct sweep *s);
void ext_port_ask(struct sweep *s);
/* Planes: GeneralInfo of HCAs that may have some; ExtendedNodeInfo of all that know it. */
void planes_at_node(struct sweep *s, struct device *dev);
void ext_node_ask(struct sweep *s);

/* ---- artables.c -------------------------------------------------------------------- */

/*
 * Steps, once LFTs and AdaptiveRoutingInfo are known: private LFTs; adaptive tables; of those
 * that do not agree with the LFT, that again; and the adaptive tables again.
 */
void ar_private_ask(struct sweep *s);
void ar_tables_ask(struct sweep *s);
void ar_static_again(struct sweep *s);
void ar_tables_again(struct sweep *s);
void ar_tables_finish(struct sweep *s);

/* ---- phy.c, phyfinish.c ---------------------------------------------------------- */

/* A step, once GeneralInfo and PortInfo were answered: all of the physical layer. */
void phy_ask(struct sweep *s);
/* Data of devices that answered for other ports are discarded. */
void phy_finish(struct sweep *s);
/* Of the port that is asked, to be filled. */
struct ibc_phy *phy_of(const struct query *q);

/* ---- phynumbers.c ---------------------------------------------------------------- */

/* Are the answers of a device's registers those for the ports that were asked for? */
enum numbering { NUMBERING_UNTESTED, NUMBERING_RIGHT, NUMBERING_WRONG };
enum numbering phy_numbering(const struct ibc_node *node);

/* ---- clear.c --------------------------------------------------------------- */

/* Asks for all counters to be cleared that opts->clear wants, and that were read. */
void clear_all(struct sweep *s);
