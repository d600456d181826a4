/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_SOURCE_H
#define IBCHECK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

#pragma GCC visibility push(default)

struct ibc_host;
struct ibc_recording;
struct ibc_trace;
struct keys;
struct source_again;

/**
 * DOC: sources
 *
 * A source makes a fabric: from the wire, from a file, from a formula.  One
 * specification makes one subnet ("umad:all": as many as there are subnets):
 *
 *   umad			the local port given by the options, or the first active one
 *   umad:CA[:PORT]		this local port
 *   umad:all			every active local port whose subnet is not swept yet
 *   synth:SHAPE:KEY=N,...	a fabric made by formula: fattree, torus, hyperx,
 *				dragonfly, dragonfly-plus
 *   anything else		a file (plain, gzip, zstd); its format is recognized by its
 *				content: a snapshot, ibnetdiscover or iblinkinfo output, a list of
 *				cables in CSV, a .topo of ibutils and UFM, ibdiagnet2.db_csv,
 *				a trace (<ibcheck/capture.h>), which is swept again
 *
 * The keys of a fat-tree: leaves=, spines= (of a pod), hosts= (of a leaf),
 * cables= (of a leaf and a spine; 1); for three levels levels=3, pods= and
 * uplinks= (of a spine, each to another core); rails= (leaves of a group, to
 * each of which every host of the group has an HCA; 1), radix= (ports of every
 * switch; as many as are used), speed= (EDR), seed= (shuffles GUIDs and LIDs).
 * Of the others, beside hosts=, cables=, radix=, speed= and seed=: size= (4x4x3) of
 * a torus and a HyperX; groups=, links= (of a switch to other groups), switches= (of
 * a group) of a dragonfly; groups=, leaves=, spines= (of a group), links= (of a
 * spine) of a dragonfly+.
 */

/**
 * struct ibc_progress - called a few times a second while a sweep runs
 *
 * Return: go on; false: stop asking, as at the deadline.
 */
typedef bool (*ibc_progress_fn)(void *ctx, uint64_t answered, uint64_t open, size_t nodes);

/**
 * struct ibc_complaint - one thing that is wrong in a file that people write
 * @line, @column: from 1; 0: it is the file as a whole
 * @sentence: without a full stop
 * @note: nothing is wrong: it says what was passed over
 */
struct ibc_complaint {
	const char *file, *sentence;
	unsigned long line, column;
	bool note;
};
/* Called for each; unless all are notes, the load fails when the file has been read. */
typedef void (*ibc_complain_fn)(void *ctx, const struct ibc_complaint *complaint);

/**
 * struct ibc_source_opts - how to sweep; start from IBC_SOURCE_OPTS_INIT
 * @ca, @ca_port:   local device and port for "umad"; NULL and 0: the first active one
 * @timeout_ms:	    the last wait for an answer, in ms; the shorter waits before it are cut to it
 * @m_key:	    sent with every SMP to a port of which @key_files have no key
 * @vs_key:	    V_Key sent with queries of NVIDIA's vendor class, likewise, to a device
 * @needs:	    attributes wanted beyond the topology itself
 * @window:	    MADs in flight at the most
 * @per_device:	    MADs in flight to one device at the start; adapts
 * @deadline_seconds: stop asking after so long; 0: never
 * @directed_only:  never use LID routes, but for counters: there is no other way to them
 * @node_name_map:  file of names by node GUID, or NULL
 * @tables:	    file of forwarding tables, for the only subnet, in place of its own; or NULL:
 *		    text of dump_lfts, of ibroute, or of OpenSM's dumps
 * @paths:	    file of service levels of paths, likewise: "0x<node GUID of the sender>
 *		    <DLID> <SL>" a line
 * @sm_key:	    sent with queries to subnet administration: some answers are for those
 *		    only who know it
 * @progress:	    may be NULL
 * @complain:	    may be NULL: then only the first is reported, in the error
 * @trace:	    gets how queries go, and what is learned from them; or NULL
 * @key_files:	    directory of a subnet manager's guid2mkey, neighbors and guid2vskey, for live
 *		    sources; or NULL
 * @record:	    where every MAD goes that is sent or received (<ibcheck/capture.h>); or NULL
 * @run:	    of a trace: which sweep of the command that recorded it, from 1; 0: the first
 * @clear:	    for ibc_counters_clear(), which sets it; all else ignores it
 * @no_counters:    the counters that a snapshot holds are read, and not kept: the fabric is half
 *		    as large, and cannot be written as a snapshot
 * @physical:	    the attributes of IBC_ATTRS_PHYSICAL in @needs are read, of a live fabric; else
 *		    they are not wanted
 * @phy, @num_phy:  files of ibdiagnet about the physical layer, ibdiagnet2.cables, .db_csv
 *and .net_dump_ext: they add what was not read from the devices
 * @join_plans:	    lists of cables that name the same switch are one subnet
 * @keys, @again:   the library's own
 */
struct ibc_source_opts {
	const char *ca;
	unsigned int ca_port;
	unsigned int timeout_ms;
	uint64_t m_key, vs_key;
	struct ibc_attrs needs;
	unsigned int window;
	unsigned int per_device;
	double deadline_seconds;
	bool directed_only;
	const char *node_name_map;
	ibc_progress_fn progress;
	void *progress_ctx;
	ibc_complain_fn complain;
	void *complain_ctx;
	const struct ibc_trace *trace;
	uint32_t clear;
	const char *tables, *paths;
	uint64_t sm_key;
	struct ibc_recording *record;
	unsigned int run;
	const char *key_files;
	const struct keys *keys;
	bool no_counters;
	struct source_again *again;
	bool physical;
	const char *const *phy;
	size_t num_phy;
	bool join_plans;
};
#define IBC_SOURCE_OPTS_INIT                                                                       \
	((struct ibc_source_opts){ .timeout_ms = 1000, .window = 128, .per_device = 4 })

/**
 * ibc_fabric_load() - make a fabric from one or more specifications
 * @specs: @n specifications, each a subnet
 * @opts: how, or NULL for the defaults
 * @out: the fabric, to be freed with ibc_fabric_free()
 * @err: what failed
 *
 * Silence of the fabric is no failure: it is recorded in the fabric.
 *
 * Return: 0; -EINVAL a specification, file or file content is wrong; -ENODEV
 * no usable local port; -EACCES not allowed to; another negative errno for
 * what the system refused.
 */
int ibc_fabric_load(const char *const *specs, size_t n, const struct ibc_source_opts *opts,
                    struct ibc_fabric **out, struct ibc_error *err);

/**
 * struct ibc_down - ports without a link whose counters are read, too: what was counted before
 * @ports: @num_ports of switches, sorted by GUID, then number: only these
 * @all: all of switches; @alone: and of no port that has a link
 */
struct ibc_down {
	const struct ibc_port_id *ports;
	size_t num_ports;
	bool all, alone;
};

/**
 * ibc_fabric_load_down() - ibc_fabric_load(), with counters of ports that are down
 * @down: which of them
 *
 * Without it counters are read where there is a link.  What a port that is down has counted nothing
 * of is left out: it never had a link since they were cleared.  Return: as above.
 */
int ibc_fabric_load_down(const char *const *specs, size_t n, const struct ibc_source_opts *opts,
                         const struct ibc_down *down, struct ibc_fabric **out,
                         struct ibc_error *err);

/* What ibc_counters_clear() sets to 0: the errors with PortXmitWait, bytes and packets. */
enum ibc_clear { IBC_CLEAR_ERRORS = 1 << 0, IBC_CLEAR_DATA = 1 << 1 };

/**
 * ibc_counters_clear() - read the counters of every port, then set them to 0
 * @specs, @n, @opts, @out, @err: as for ibc_fabric_load(); only live sources
 * @what: set of enum ibc_clear
 *
 * This and the next are the only calls that change anything in a fabric: they take from all who
 * count what they have counted so far.  @out has what that was, but for what
 * came between reading and clearing.  Only what was read is cleared.  To know
 * whether it was, sweep again.
 *
 * Return: as ibc_fabric_load(); -EINVAL for a source that is not live.
 */
int ibc_counters_clear(const char *const *specs, size_t n, const struct ibc_source_opts *opts,
                       unsigned int what, struct ibc_fabric **out, struct ibc_error *err);

/**
 * ibc_counters_clear_ports() - the same, but set to 0 only those of some ports
 * @ports: @num_ports of a fabric that was swept before, by ibc_fabric_find() say: each with the
 *	   number of its port
 *
 * A port is recognised by the GUID of its node and its number.  Return: as above.
 */
int ibc_counters_clear_ports(const char *const *specs, size_t n, const struct ibc_source_opts *opts,
                             unsigned int what, const struct ibc_place *ports, size_t num_ports,
                             struct ibc_fabric **out, struct ibc_error *err);

/**
 * ibc_fabric_from_host() - this host's own InfiniBand ports as a fabric without cables
 *
 * Return: 0, or -ENODEV when the host has no InfiniBand port.
 */
int ibc_fabric_from_host(const struct ibc_host *host, struct ibc_fabric **out,
                         struct ibc_error *err);

/**
 * ibc_fabric_format() - the format that the name of a file asks for
 * @path: "fabric.net.gz"
 *
 * Return: for ibc_fabric_write(): "netdiscover" for names in .net, "cables" for
 * those in .csv, "topo" for those in .topo, else "snapshot", with ".gz" or ".zst"
 * behind it if the name ends so.  Static.
 */
const char *ibc_fabric_format(const char *path);

/**
 * ibc_fabric_write() - write a fabric
 * @fab: the fabric
 * @format: "snapshot" (JSON lines; keeps all); "netdiscover" (ibnetdiscover text),
 *	    "cables" (a list in CSV) or "topo" (a .topo of ibutils and UFM), which
 *	    keep what those formats have, of one subnet only; with ".gz" or ".zst"
 *	    behind it compressed
 * @out: open for writing; its error flag is for the caller to look at
 *
 * Return: 0, -EINVAL for an unknown format or a fabric it cannot hold, -EIO.
 */
int ibc_fabric_write(const struct ibc_fabric *fab, const char *format, FILE *out,
                     struct ibc_error *err);
/* of a snapshot: what is new in an old place; a new key keeps it */
#define IBC_SNAPSHOT_SCHEMA 1

#pragma GCC visibility pop

#endif
