# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # variables of tests/vm/guest
# NFS and NVMe over Fabrics, over TCP on the fake IPoIB and over RDMA, both ends of it in
# this kernel.  No program of nfs-utils or nvme-cli has a part in it.

own=/proc/self/ns/net
target=/sys/kernel/config/nvmet

# serve_nfs NETNS CLIENT [LISTENER]: what mountd would answer is told beforehand, for good
serve_nfs()
{
	local forever=2147483647 rpc=/proc/net/rpc nfsd=/run/nfsd.$2

	mkdir "$nfsd"
	nsenter --net="$1" mount -t nfsd nfsd "$nfsd"
	tell "$1" $rpc/auth.unix.ip/channel "nfsd $2 $forever all"
	# by number 0, which is the root (1: FSID_NUM)
	tell "$1" $rpc/nfsd.fh/channel "all 1 \\x00000000 $forever /run/export"
	# NFSEXP_FSID, NFSEXP_NOSUBTREECHECK, NFSEXP_INSECURE_PORT
	tell "$1" $rpc/nfsd.export/channel "all /run/export $forever $((0x2402)) 0 0 0"
	# version 4 needs no rpcbind; nothing is opened until the grace period is over
	echo -3 >"$nfsd/versions"
	echo 10 >"$nfsd/nfsv4gracetime"
	echo 1 >"$nfsd/threads"
	[ -z "$3" ] || echo "$3" >"$nfsd/portlist"
}

# serve_nvme NETNS PORT TRANSPORT ADDRESS FAMILY
serve_nvme()
{
	local system=$target/subsystems/$3 port=$target/ports/$2

	cp export/file "$3.img"
	mkdir "$system" "$system/namespaces/1" "$port"
	echo 1 >"$system/attr_allow_any_host"
	echo -n "/run/$3.img" >"$system/namespaces/1/device_path"
	echo 1 >"$system/namespaces/1/buffered_io"
	echo 1 >"$system/namespaces/1/enable"
	echo "$5" >"$port/addr_adrfam"
	echo "$3" >"$port/addr_trtype"
	echo "$4" >"$port/addr_traddr"
	echo 4420 >"$port/addr_trsvcid"
	nsenter --net="$1" ln -s "$system" "$port/subsystems/"
}

serve_storage()
{
	mkdir export
	head -c 1M /dev/urandom >export/file
	mount -t configfs configfs /sys/kernel/config
	{
		serve_nfs "$there" 10.99.0.1
		serve_nfs $own 10.99.0.9 "rdma 20049"
		serve_nvme "$there" 1 tcp fd00:99::2 ipv6
		serve_nvme $own 2 rdma 10.99.0.9 ipv4
	} >serve.log 2>&1
}

# mount_nfs NETNS TRANSPORT SERVER CLIENT PORT
mount_nfs()
{
	local how=vers=4.2,sec=sys,proto=$2,port=$5,addr=$3,clientaddr=$4

	mkdir -p "$2"
	nsenter --net="$1" timeout 60 mount -i -t nfs4 -o "$how" "$3:/" "/run/$2" &&
		timeout 60 cmp "$2/file" export/file
}

# controller TRANSPORT: its name
controller()
{
	basename "$(dirname "$(grep -lx "$1" /sys/class/nvme/*/transport)")"
}

# connect_nvme NETNS TRANSPORT SERVER
connect_nvme()
{
	local id=00000000-0000-0000-0000-000000000001
	local who=hostnqn=nqn.2014-08.org.nvmexpress:uuid:$id,hostid=$id

	tell "$1" /dev/nvme-fabrics \
		"nqn=$2,transport=$2,traddr=$3,trsvcid=4420,nr_io_queues=1,$who" || return
	disk=$(controller "$2")
	until_true test -b "/dev/${disk}n1" && timeout 60 cmp "/dev/${disk}n1" export/file
}

# What is told of storage alone, in a network namespace without processes.
test_storage()
{
	local disk

	mount_nfs "$here" tcp 10.99.0.2 10.99.0.1 2049 >seen 2>&1
	is "NFS by TCP over IPoIB is mounted"
	mount_nfs $own rdma 10.99.0.9 10.99.0.9 20049 >seen 2>&1 &&
		grep -A 20 ' mounted on /run/rdma ' /proc/self/mountstats >seen &&
		saw '\s*xprt:\s*rdma .*'
	is "NFS by RDMA is mounted"
	connect_nvme $own rdma 10.99.0.9 >seen 2>&1
	is "NVMe by RDMA is connected"
	connect_nvme "$here" tcp fd00:99::2 >seen 2>&1
	is "NVMe by TCP over IPoIB is connected, by IPv6"

	mkdir -p netns
	touch netns/storage
	mount --bind "$here" netns/storage
	report ipoib --interval 1s
	claim "storage is found by TCP over IPoIB, and not by RDMA in the same subnet" \
		"\$status == 1 and (found(\"ipoib.storage\") | map(.subject.node_desc) | sort ==
		[\"/run/tcp\", \"$disk\"])"
	claim "it is found in a network namespace that has no process" \
		'found("ipoib.storage") | length == 2 and all(.severity == "warning" and
		.facts.transport == "tcp" and
		(.message | contains("over TCP on ib0 in /run/netns/storage")))'
	claim "the bytes that each has moved are told" \
		'found("ipoib.storage") | map(.facts.bytes) | length == 2 and all(. >= 1048576)'
	claim "the way to RDMA is told" 'found("ipoib.storage") | map(.advice) |
		any(contains("proto=rdma,port=20049")) and any(contains("nvme connect -t rdma"))'
	claim "sockets of the kernel are nobody's job" \
		'.tables.workloads | map(select(.workload == "the kernel itself") |
		[.job, .queue_pairs, .verdict]) == [[null, 0, "ok"]]'
	claim "and no fallback" 'found("ipoib.fallback") == []'
	judge
}
