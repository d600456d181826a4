/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_HOST_H
#define IBCHECK_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/phy.h>
#include <ibcheck/types.h>

#pragma GCC visibility push(default)

/**
 * DOC: what this host's kernel says
 *
 * A struct ibc_host is read once from sysfs, procfs and netlink, and never
 * changes.  Files are read below one root directory, so that a captured tree is
 * a host; netlink is asked only where the root is "/".  What could not be read
 * is in it too, with the reason.  A window of time is two of them.
 *
 * Text is "" where it is not known, numbers say what stands for that.  All is
 * borrowed from the host, valid until ibc_host_free().
 */

/* ---- reading ---------------------------------------------------------------- */

/* What to read, a bit each. */
enum ibc_host_part {
	IBC_HOST_RDMA = 1 << 0,      /* devices and ports; always read */
	IBC_HOST_COUNTERS = 1 << 1,  /* of ports: counters/ and hw_counters/ */
	IBC_HOST_GIDS = 1 << 2,      /* GID tables, P_Key tables */
	IBC_HOST_NETDEVS = 1 << 3,   /* interfaces of every network namespace */
	IBC_HOST_SOCKETS = 1 << 4,   /* TCP sockets on IPoIB, in every network namespace */
	IBC_HOST_PROCESSES = 1 << 5, /* who owns such sockets or RDMA resources, and the daemons
	                                that start jobs */
	IBC_HOST_STORAGE = 1 << 6,   /* mounts and block devices over a network */
	IBC_HOST_PCI = 1 << 7,       /* adapters, GPUs, and the bridges above them */
	IBC_HOST_STACK = 1 << 8,     /* kernel, modules, libraries, devices' files */
	IBC_HOST_ETHERNET = 1 << 9,  /* of RoCE: DCB, ECN, pause, statistics of the driver */
};

/**
 * struct ibc_host_opts - how to read a host; zero: RDMA devices below "/"
 * @root: directory in the place of "/", or NULL
 * @parts: set of enum ibc_host_part
 * @pid: only this process and its children, or 0
 * @job: only processes of this job, or NULL
 * @logs: @num_logs files or patterns of files to look for decisive lines in, with
 *	 IBC_HOST_PROCESSES; they are not below @root, and what is no file is not read
 * @before: an earlier reading, or NULL: a file that the driver refused there (EINVAL) is
 *	    not read again, for each time the kernel's log is written to; needed for this
 *	    call only
 */
struct ibc_host_opts {
	const char *root;
	uint32_t parts;
	int pid;
	const char *job;
	const char *const *logs;
	size_t num_logs;
	const struct ibc_host *before;
};

struct ibc_host;

/**
 * ibc_host_read() - read this host
 * @opts: what, or NULL
 * @out: to be freed with ibc_host_free()
 *
 * A host without RDMA devices is no failure; nothing on the host is changed.
 *
 * Return: 0, -ENOENT when the root is no directory, -ENOMEM.
 */
int ibc_host_read(const struct ibc_host_opts *opts, struct ibc_host **out, struct ibc_error *err);
void ibc_host_free(struct ibc_host *host);

/* When it was read: seconds of a clock that only goes forward. */
double ibc_host_seconds(const struct ibc_host *host);
/* The parts that were read, and whether with the right to see other users' processes. */
uint32_t ibc_host_parts(const struct ibc_host *host);
bool ibc_host_is_privileged(const struct ibc_host *host);
/* IBC_HOST_STACK: there are cages, and the kernel did not let us read what is in them. */
bool ibc_host_modules_denied(const struct ibc_host *host);
/* gethostname(), or etc/hostname below another root. */
const char *ibc_host_name(const struct ibc_host *host);

/*
 * struct ibc_unread - a file or directory that should be there and could not be read
 * @error: errno; EBADMSG: it was read, and its content is not what the kernel writes
 */
struct ibc_unread {
	const char *path;
	int error;
};
const struct ibc_unread *ibc_host_unread(const struct ibc_host *host, size_t i);
/* Its error in words. */
const char *ibc_unread_reason(const struct ibc_unread *unread);

/**
 * struct ibc_host_fact - one thing that was read, as text, for comparing hosts
 * @subject: what it is of: "mlx5_0", "mlx5_0/1", "0000:17:00.0", "ib0", "kernel"
 * @key: lower case; a unit ends it
 * @path: where it was read; for netlink "netlink: RTM_GETLINK"
 */
struct ibc_host_fact {
	const char *subject, *key, *value, *path;
};
/* In the order of subject, then key. */
const struct ibc_host_fact *ibc_host_fact(const struct ibc_host *host, size_t i);
/* By its names; NULL: not read, or there is no such thing. */
const struct ibc_host_fact *ibc_host_fact_of(const struct ibc_host *host, const char *subject,
                                             const char *key);

/* ---- RDMA devices ----------------------------------------------------------- */

/* struct ibc_named - a counter by the kernel's name; it is known if it is there */
struct ibc_named {
	const char *name;
	uint64_t value;
};

/* struct ibc_gid - gids/N with gid_attrs/; empty slots are left out */
struct ibc_gid {
	unsigned int index;
	uint8_t raw[16];
	bool roce_v2;       /* gid_attrs/types */
	const char *type;   /* as the kernel spells it: "RoCE v2", "IB/RoCE v1" */
	const char *netdev; /* gid_attrs/ndevs */
};

/*
 * struct ibc_rdma_port - /sys/class/infiniband/DEV/ports/N
 *
 * Of a port that is not LinkUp the kernel has some @width and @speed all the
 * same.  Of an Ethernet port @lid to @subnet_prefix are not read.
 */
struct ibc_rdma_port {
	unsigned int num;
	bool infiniband;    /* link_layer; true if that is unread; false: Ethernet */
	uint8_t state;      /* enum ibc_port_state; UNKNOWN: unread */
	uint8_t phys_state; /* enum ibc_phys_state */
	uint8_t width;      /* enum ibc_width, from "rate" */
	uint16_t speed;     /* enum ibc_speed, from "rate" */
	double rate_gbps;   /* the number in "rate"; 0: unread */
	uint32_t lid, sm_lid, cap_mask;
	uint8_t lmc, sm_sl;
	uint64_t guid; /* from gids/0; 0: unread */
	uint64_t subnet_prefix;
	const char *link_layer; /* as the kernel spells it; "" : unread */
	/* IBC_HOST_COUNTERS: data as the kernel has it, in words of four bytes */
	const struct ibc_named *counters, *hw_counters;
	size_t num_counters, num_hw_counters;
	/* IBC_HOST_GIDS */
	const struct ibc_gid *gids;
	const uint16_t *pkeys; /* those that are not 0, by index */
	size_t num_gids, num_pkeys;
	const struct ibc_module *module; /* IBC_HOST_STACK, to root; NULL: none, or not read */
	const char *umad;                /* IBC_HOST_STACK: "umad0"; "": no device for MADs */
};

/* struct ibc_rdma_device - /sys/class/infiniband/DEV; text is "" where unread */
struct ibc_rdma_device {
	const char *name, *node_desc, *hca_type, *fw_ver, *hw_rev, *board_id;
	uint64_t node_guid, sys_image_guid;
	uint8_t type; /* enum ibc_node_type, from node_type */
	const struct ibc_rdma_port *ports;
	size_t num_ports;
	const char *pci;    /* "0000:17:00.0"; "": not on PCI */
	const char *driver; /* "mlx5_core" */
	const char *uverbs; /* "uverbs0"; "": no character device for programs */
	/* IBC_HOST_STACK: of hwmon, by chip and number */
	const struct ibc_sensor *sensors;
	size_t num_sensors;
};
/* In order of name ("mlx5_2" before "mlx5_10"); NULL past the last one. */
const struct ibc_rdma_device *ibc_host_device(const struct ibc_host *host, size_t i);
const struct ibc_rdma_device *ibc_host_device_by_name(const struct ibc_host *host,
                                                      const char *name);
/*
 * Likewise the NVSwitch bridges, which are none of the devices above: mlx5 devices with InfiniBand
 * ports through which NVSwitches are managed, by "SMDL=SW_MNG" in their VPD.  Nothing is read of
 * them beyond IBC_HOST_RDMA.  One whose VPD cannot be read is a device above; with IBC_HOST_PCI,
 * and where there is an NVIDIA GPU, that is noted as unread.
 */
const struct ibc_rdma_device *ibc_host_bridge(const struct ibc_host *host, size_t i);

/* ---- interfaces, sockets ----------------------------------------------------- */

/*
 * struct ibc_netns - a network namespace
 * @path: how it was found: "/proc/1/ns/net", "/run/netns/blue"
 * @error: 0, or why it could not be entered, or what is in it not be read
 */
struct ibc_netns {
	uint64_t inode;
	const char *path;
	bool own;
	int error;
};
const struct ibc_netns *ibc_host_netns(const struct ibc_host *host, size_t i);

struct ibc_address {
	uint8_t raw[16]; /* IPv4 as ::ffff:a.b.c.d */
	uint8_t prefix;  /* of the address as it is written: 24 of 10.0.0.0/24 */
	bool v4;
};

enum ibc_ipoib_mode { IBC_IPOIB_UNKNOWN, IBC_IPOIB_DATAGRAM, IBC_IPOIB_CONNECTED };

/*
 * struct ibc_netdev - an interface
 * @netns: index in ibc_host_netns()
 * @ipoib: its hardware type is InfiniBand (ARPHRD_INFINIBAND, 32), or it is a bond of such
 * @enhanced: its driver is Enhanced IPoIB: datagram by design
 * @device, @port: the RDMA port it sits on, by GID, PCI device or GID table; NULL, 0
 * @pkey: 0: not known;  @parent: of a child interface, or ""
 * @group: link-layer broadcast address, the broadcast group's MGID in bytes 4..19; zeros: not known
 * @known: the statistics were read
 */
struct ibc_netdev {
	const char *name, *driver, *kind, *parent, *operstate;
	const char *master; /* the bond it belongs to, or "" */
	unsigned int netns, ifindex, mtu;
	bool ipoib, enhanced, carrier, up, known;
	uint8_t mode; /* enum ibc_ipoib_mode */
	uint16_t pkey;
	uint8_t gid[16], group[20];
	const struct ibc_rdma_device *device;
	unsigned int port;
	const struct ibc_address *addresses;
	size_t num_addresses;
	uint64_t tx_bytes, rx_bytes, tx_packets, rx_packets;
};
/* By namespace, then name. */
const struct ibc_netdev *ibc_host_netdev(const struct ibc_host *host, size_t i);
/*
 * What an interface of @now was in an earlier reading, which may be NULL: that of its index and
 * namespace, whatever its name was (captured files without indexes: of its name); or NULL.
 */
const struct ibc_netdev *ibc_host_netdev_before(const struct ibc_host *before,
                                                const struct ibc_host *now,
                                                const struct ibc_netdev *dev);

/*
 * struct ibc_socket - a TCP socket that sends over an IPoIB interface
 * @netdev: that has its local address; where it moved much, that the route to its peer says
 * @uid: of who made it;  @cgroup: id of the control group it was made in; 0: not known
 * @pid: its owner; of several that share it the lowest; 0: none: the kernel's own, or
 *	 @owner_unread: it may be of a process whose descriptors were not readable
 * @sent, @received: bytes since it was connected, acknowledged and received (tcp_info)
 */
struct ibc_socket {
	uint64_t inode, sent, received, cgroup;
	unsigned int netns, uid;
	int pid;
	bool owner_unread;
	const struct ibc_netdev *netdev;
	struct ibc_address local, remote;
	uint16_t local_port, remote_port;
	uint32_t rtt_us, pmtu;
};
/* By inode. */
const struct ibc_socket *ibc_host_socket(const struct ibc_host *host, size_t i);

/* ---- Ethernet under RoCE ---------------------------------------------------- */

#define IBC_PRIORITIES 8

#define IBC_DCB_ETHERTYPE 1
#define IBC_DCB_DSCP      5

/*
 * struct ibc_dcb_app - traffic of @protocol gets @priority
 * @selector: what @protocol is: IBC_DCB_DSCP, or IBC_DCB_ETHERTYPE, of which 0 is all else
 */
struct ibc_dcb_app {
	uint8_t selector, priority;
	uint16_t protocol;
};

/*
 * struct ibc_ethernet - what makes an Ethernet port of an RDMA device lossless, or not
 * @netdev: its interface, of a bond each of its members; NULL: not known
 * @gid: the one to send from: RoCE v2 with the IPv4 address of an interface of our own
 *	 network namespace, or else what comes nearest; NULL: there is none
 * @rdma_mtu: what the MTU of the interface leaves to RDMA; 0: nothing, or not known
 * @software: the device is made by the kernel (rxe) on top of an interface of any kind
 * @pfc, @peer_pfc: priorities with flow control, a bit each, here and as DCBX heard of the
 *	  peer; read with @dcb_known, @peer_known
 * @asked: the driver was asked, by netlink and ethtool: not below another root
 * @dcb_error: why DCB is not known though it was asked; EOPNOTSUPP: the driver has none
 * @classes: how many can have it
 * @trusts_dscp: the DSCP of a packet decides on its priority, else its VLAN tag; read
 *	  with @dcb_known
 * @dcbx: DCB_CAP_DCBX_* bits: 1 by the host, 2 by a daemon, 4 CEE, 8 IEEE; 0: not known
 * @bandwidth: percent by traffic class;  @class_of: class by priority
 * @pause_rx, @pause_tx: global pause, with @pause_known
 * @ecn_np, @ecn_rp: priorities whose notification and reaction point is on, with @ecn_known
 * @traffic_class: that the driver gives all connections of the port; -1: not known, or none
 * @cm_mode, @cm_tos: what the RDMA connection manager sends with: "RoCE v2", and a type of
 *	  service; "", -1: not known, the defaults
 * @statistics: of the driver, those of pause, discards and errors; rising counts
 */
struct ibc_ethernet {
	const struct ibc_rdma_device *device;
	unsigned int port;
	const struct ibc_netdev *netdev;
	const struct ibc_gid *gid;
	unsigned int rdma_mtu;
	bool software, asked, dcb_known, peer_known, trusts_dscp, pause_known, ecn_known;
	bool pause_rx, pause_tx;
	uint8_t pfc, peer_pfc, classes, dcbx, ecn_np, ecn_rp;
	uint8_t bandwidth[IBC_PRIORITIES], class_of[IBC_PRIORITIES];
	int dcb_error, traffic_class, cm_tos;
	const char *cm_mode;
	const struct ibc_dcb_app *apps;
	const struct ibc_named *statistics;
	size_t num_apps, num_statistics;
};
/* Of every port that speaks RoCE, in the order of devices and ports. */
const struct ibc_ethernet *ibc_host_ethernet(const struct ibc_host *host, size_t i);

/* ---- processes ----------------------------------------------------------------- */

/* What a setting does to the transport, as the library that reads it documents. */
enum ibc_effect {
	IBC_EFFECT_NONE,
	IBC_EFFECT_FORCES_TCP,
	IBC_EFFECT_ALLOWS_TCP,    /* falls back to it without a word */
	IBC_EFFECT_REQUIRES_RDMA, /* fails instead */
};

/*
 * struct ibc_setting - a variable, or its like on a command line or in a file
 * @where: "environ", "cmdline", "/etc/nccl.conf:3"
 * @meaning: what the variable is for, in a few words
 *
 * Only variables of the table in ibcheck-ipoib(8) are ever read into one; of
 * several with one name the one that its library prefers.
 */
struct ibc_setting {
	const char *name, *value, *where, *meaning;
	uint8_t effect; /* enum ibc_effect */
};

/* What is mapped or named that shows what kind of program it is, a bit each. */
enum ibc_program {
	IBC_PROGRAM_MPI = 1 << 0, /* a rank, by its environment or libraries */
	IBC_PROGRAM_NCCL = 1 << 1,
	IBC_PROGRAM_UCX = 1 << 2,
	IBC_PROGRAM_OFI = 1 << 3,
	IBC_PROGRAM_VERBS = 1 << 4,  /* libibverbs is mapped */
	IBC_PROGRAM_BYPASS = 1 << 5, /* libvma, libxlio, librspreload: TCP that is none */
	IBC_PROGRAM_DAEMON = 1 << 6, /* starts jobs: slurmd, sshd, containerd, ... */
	IBC_PROGRAM_RDMACM = 1 << 7, /* librdmacm is mapped */
};

/* What a process gets of a device file. */
enum ibc_access {
	IBC_ACCESS_MISSING,   /* it sees no such device */
	IBC_ACCESS_FORBIDDEN, /* its mode is not for this process */
	IBC_ACCESS_OPEN,
};

/* What of a process could not be read, a bit each. */
enum ibc_process_part {
	IBC_PROCESS_FDS = 1 << 0,
	IBC_PROCESS_ENVIRON = 1 << 1,
	IBC_PROCESS_MAPS = 1 << 2,
	IBC_PROCESS_LIMITS = 1 << 3,
	IBC_PROCESS_STATUS = 1 << 4,
	IBC_PROCESS_ROOT = 1 << 5, /* its view of /dev/infiniband */
};

#define IBC_UNLIMITED UINT64_MAX

/*
 * struct ibc_log_line - a decisive line in a log (only logs that were named are read)
 * @line: its number; 0: in the end of a log that is too long to be read whole
 * @tcp: it shows TCP; else RDMA
 * @pid: whose it is, by a line with this host's name; 0: not known
 */
struct ibc_log_line {
	const char *path, *text;
	unsigned long line;
	bool tcp;
	int pid;
};
const struct ibc_log_line *ibc_host_log_line(const struct ibc_host *host, size_t i);

/*
 * struct ibc_verbs - libibverbs as a process finds it, and what that would load for it
 * @library: its file; "": none is mapped, and there is none where systems have it
 * @abi: what ends the names of the providers that it takes: "rdmav34"
 * @directory, @config: where it looks for them, and which to look for
 * @drivers: the providers that a file in @config names
 * @providers: those that are in @directory;  @strangers: files there for another libibverbs
 *
 * Lists end with NULL, and are NULL without a @library.  Where it looks is read from the
 * library itself.
 */
struct ibc_verbs {
	const char *library, *abi, *directory, *config;
	const char *const *drivers, *const *providers, *const *strangers;
};

/*
 * struct ibc_process - one that has sockets on IPoIB or RDMA resources, or starts jobs
 * @start: in clock ticks since boot: a PID with another start is another process
 * @job: id of the batch job, container or process group; @job_kind: "slurm", "pbs", "lsf",
 *	 "sge", "kubernetes", "docker", "podman", "containerd", "crio", "pmix", "pgrp"
 * @qps: connected ones in RTS (RC, XRC, DC);  @ud_qps: the others in RTS
 * @verbs_files: open /dev/infiniband/uverbs*, and mappings of them
 * @memory_bytes: registered (MRs);  @pinned_bytes: VmPin
 * @memlock_bytes: the soft limit, or IBC_UNLIMITED;  @memlock_exempt: has CAP_IPC_LOCK
 * @own_root: it sees another /dev or /dev/infiniband than we do (a container)
 * @verbs_library: the libibverbs that it has mapped, or "";  @verbs_other: another one
 * @verbs: what that would load; of ranks and of who has it mapped; NULL: not known
 * @devices_seen, @devices_usable: /dev/infiniband/uverbs* it sees, and may open
 * @devices: names of the usable ones ("uverbs0"), up to a NULL; NULL: not known
 * @manager: enum ibc_access, to /dev/infiniband/rdma_cm
 * @rdma_group: its control group of version 2, "/system.slice/job"
 * @daemon: nearest ancestor that starts jobs, or NULL
 * @unread: set of enum ibc_process_part
 */
struct ibc_process {
	int pid, ppid;
	uint64_t start;
	unsigned int uid, netns;
	const char *comm, *exe, *cgroup, *job, *job_kind;
	const char *verbs_library, *verbs_other, *rdma_group;
	const struct ibc_verbs *verbs;
	const char *const *devices;
	uint32_t program, unread;
	unsigned int qps, ud_qps, verbs_files, devices_seen, devices_usable;
	uint8_t manager;
	bool qps_unread, own_root, memlock_exempt;
	uint64_t memory_bytes, pinned_bytes, memlock_bytes;
	const struct ibc_setting *settings;
	size_t num_settings;
	const struct ibc_process *daemon;
};
/* By PID. */
const struct ibc_process *ibc_host_process(const struct ibc_host *host, size_t i);
const struct ibc_process *ibc_host_process_by_pid(const struct ibc_host *host, int pid);

/*
 * struct ibc_rdma_limit - a limit of the RDMA controller, of a group that ranks are in
 * @group: its path, without an end "/": "" is the root; it holds for all groups below
 * @resource: "hca_handle": devices opened; "hca_object": queue pairs, regions and the like
 * @used: by all in the group; 0 where that is not known
 * @path: the file with the limit
 */
struct ibc_rdma_limit {
	const char *group, *device, *resource, *path;
	uint64_t max, used;
};
const struct ibc_rdma_limit *ibc_host_rdma_limit(const struct ibc_host *host, size_t i);

/* IBC_HOST_PROCESSES, IBC_HOST_STACK: in files that every program of this host reads. */
const struct ibc_setting *ibc_host_setting(const struct ibc_host *host, size_t i);

/* ---- storage ------------------------------------------------------------------- */

/*
 * struct ibc_rpc - requests of an NFS mount over TCP or RDMA so far
 * @connections: that the mounts of one server share;  @sent, @connects: by all of them
 * @backlog, @sending: for each sent, how many others waited at its connection for an RPC slot,
 *	 and for their turn to be written (TCP)
 * @queue_ms, @rtt_ms: for each answered one of this mount, how long it had waited until it was
 *	 sent, for whatever, and then for the answer
 */
struct ibc_rpc {
	unsigned int connections;
	uint64_t sent, connects, backlog, sending, queue_ms, rtt_ms;
};

/*
 * struct ibc_storage - a mount or device whose data cross a network
 * @kind: "nfs", "nvme", "lustre", "beegfs", "smb", "iscsi", "gpfs", "ceph"
 * @name: the mount point, or the device
 * @transport: "tcp", "rdma", "o2ib"; "": not known
 * @remote: address of the server; all zero: not known
 * @netdev: the IPoIB interface with the address it is reached from; where that is not
 *	 known, the one in whose subnet the server is; or NULL
 * @bytes: read and written so far, as far as @bytes_known
 * @heuristic: the transport is guessed by a rule of thumb
 * @version: of the protocol of NFS: "4.2"; "": not known
 * @rpc: as far as @rpc_known
 */
struct ibc_storage {
	const char *kind, *name, *server, *transport, *path;
	struct ibc_address remote;
	const struct ibc_netdev *netdev;
	uint64_t bytes;
	bool bytes_known, heuristic, rpc_known;
	const char *version;
	struct ibc_rpc rpc;
};
const struct ibc_storage *ibc_host_storage(const struct ibc_host *host, size_t i);

/*
 * struct ibc_storage_window - a storage in a window of time; NaN: not known, or nothing was sent
 * @in_flight: requests that were sent and not answered, on average
 * @no_slot: requests that waited for an RPC slot, on average, when another was sent
 * @held_back: requests that were not sent, on average, for another reason than their turn to be
 *	 written: a slot, a credit; not known where a connection was made meanwhile
 */
struct ibc_storage_window {
	double bytes_per_second, in_flight, no_slot, held_back;
};
/* Of a storage of @now; @before is an earlier reading, or NULL. */
struct ibc_storage_window ibc_storage_window(const struct ibc_host *before,
                                             const struct ibc_host *now,
                                             const struct ibc_storage *storage);

/* ---- PCI ------------------------------------------------------------------------ */

enum ibc_pci_kind { IBC_PCI_OTHER, IBC_PCI_HCA, IBC_PCI_GPU, IBC_PCI_BRIDGE };

/*
 * struct ibc_pci - a PCI function: an adapter, a GPU, or a bridge above one
 * @up: the bridge above it, or NULL at the root
 * @root: the host bridge it is below, "pci0000:16"; "": its place in the tree is not known
 * @gts, @lanes: the trained link, and the most it can do; 0: not known (virtual, no PCIe)
 * @numa: -1: not known
 * @acs, @device_control: registers; valid with @config_read (root only)
 * @iommu: type of its group: "identity", "DMA", "DMA-FQ"; "": none
 * @vf_of: of a virtual function the physical one
 */
struct ibc_pci {
	const char *name, *driver, *iommu, *root;
	const struct ibc_pci *up, *vf_of;
	uint16_t vendor, device;
	uint32_t class_code;
	uint8_t kind; /* enum ibc_pci_kind */
	double gts, max_gts;
	unsigned int lanes, max_lanes;
	int numa;
	bool config_read, has_acs;
	uint16_t acs, device_control;
	unsigned int vfs, vfs_total;
	uint64_t aer_correctable, aer_nonfatal, aer_fatal;
};
/* By name. */
const struct ibc_pci *ibc_host_pci(const struct ibc_host *host, size_t i);
const struct ibc_pci *ibc_host_pci_by_name(const struct ibc_host *host, const char *name);

/* How data get from one function to another, as nvidia-smi and NCCL call it; nearer is less. */
enum ibc_nearness {
	IBC_NEAR_UNKNOWN = 0,
	IBC_NEAR_PIX = 1,  /* through one PCIe switch */
	IBC_NEAR_PXB = 2,  /* through several, below one root port */
	IBC_NEAR_PHB = 3,  /* through a host bridge, which is the CPU */
	IBC_NEAR_NODE = 4, /* between host bridges of one NUMA node */
	IBC_NEAR_SYS = 5,  /* between NUMA nodes */
};
enum ibc_nearness ibc_pci_nearness(const struct ibc_pci *a, const struct ibc_pci *b);
const struct ibc_word *ibc_nearness_word(enum ibc_nearness nearness);
/* The lowest bridge above both, or NULL. */
const struct ibc_pci *ibc_pci_common(const struct ibc_pci *a, const struct ibc_pci *b);
/* What a link carries each way after encoding, in Gb/s; 0: not known. */
double ibc_pci_gbps(double gts, unsigned int lanes);

/*
 * struct ibc_vf - a virtual function of an InfiniBand adapter, as its physical function has it
 * @pf: the physical function on PCI
 * @policy: "auto", "enable", "disable", or in NVIDIA's words "Follow", "Up", "Down"; "": not known
 * @guids_known: 0 is then no GUID, else not known
 */
struct ibc_vf {
	const char *pf, *policy, *path;
	unsigned int index;
	uint64_t node_guid, port_guid;
	bool guids_known;
};
/* By physical function, then index. */
const struct ibc_vf *ibc_host_vf(const struct ibc_host *host, size_t i);

#pragma GCC visibility pop

#endif
