# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # variables of tests/vm/guest
# A job over RDMA, and jobs that use TCP over the fake IPoIB at the same time, each for a
# reason of its own.

write_bw()
{
	exec stdbuf -oL ib_write_bw -d rxe0 -x 1 -D 1000 -s 4096 -F "$@" >>bw.log 2>&1
}

# In a control group that has it alone, for now
write_bw_inside()
{
	echo $BASHPID >"$full"/cgroup.procs
	write_bw "$@"
}

has_queue_pairs()
{
	"$tools"/look >seen && saw "process $client comm .* qps [1-9].*"
}

# the port that perftest listens on
listens()
{
	grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6
}

test_rdma_job()
{
	write_bw &
	far=$!
	until_true listens
	write_bw_inside 192.0.2.1 &
	client=$!
	until_true has_queue_pairs
	is "the job has queue pairs in RTS"
	saw "process $client .* verbs [1-9].*"
	is "it holds a uverbs device open"
	saw "process $client .* pinned [1-9][0-9]{3,} .*"
	is "it has pinned memory"
	saw "process $client .* memory [1-9][0-9]{3,}"
	is "it has registered memory"
	saw "process $far comm .* verbs [1-9] pinned [1-9].*"
	is "the other end holds RDMA resources as well"
	report roce --interval 1s
	claim "its packets are counted at the port" \
		'.tables.roce_counts[] | select(.counter == "sent_pkts") | .added > 0'
	judge
	grep -q 'Mtu *: 1024' bw.log
	is "they are as large as the port says"
	# it keeps what it has, and leaves the processors to the others
	kill -STOP $client
}

# job NUMBER NETNS COMMAND...: a rank of it; $pid is its own
job()
{
	start "job$1" nsenter --net="$2" \
		env SLURM_JOB_ID="$1" OMPI_COMM_WORLD_RANK=3 "${@:3}"
}

# quiet NUMBER [COMMAND...]: a job that has a socket and does not use it
quiet()
{
	job "$1" "$here" "${@:2}" "$tools"/flow send -i 1 10.99.0.2 5001
}

# finds_none COMMAND...: perftest, started by it, finds no device
finds_none()
{
	! "$@" ib_write_bw -d rxe0 >view.log 2>&1 &&
		grep -q 'Unable to find the Infiniband/RoCE device' view.log
}

# blind NUMBER MOUNTS: a job whose ranks see these, and perftest, if it finds a device there
blind()
{
	quiet "$1" "${view[@]}" "$2"
	finds_none "${view[@]}" "$2" || sighted+=("$2")
}

start_quiet_jobs()
{
	local sighted=()

	quiet 4712 prlimit --memlock=65536:65536 "${nobody[@]}"
	quiet 4713 "${view[@]}" 'mount -t tmpfs none /dev/infiniband &&
		mknod -m 0600 /dev/infiniband/uverbs0 c 231 192' "${nobody[@]}"
	quiet 4714 "${view[@]}" 'mount -t tmpfs none /dev'
	blind 4715 'mount -t tmpfs none /dev/infiniband'
	blind 4716 'mount -t tmpfs none /etc/libibverbs.d'
	quiet 4717 "${view[@]}" "mount -t tmpfs none $providers"
	blind 4718 "mount -t tmpfs none $providers && touch $providers/librxe-rdmav17.so"
	[ ${#sighted[@]} = 0 ]
	is "a program finds no device without its file, its provider, or what names that"
}

start_busy_jobs()
{
	job 4711 "$here" NCCL_IB_DISABLE=1 "$tools"/flow send -r 5 10.99.0.2 5001
	busy=$pid
	echo "node01:$pid:$pid [0] NCCL INFO Using network Socket" >nccl.log
	job 4719 "$here" UCX_TLS=tcp "$tools"/flow send -r 1 fd00:99::2 5001
	busy+=" $pid"
}

# claim_risk SENTENCE JOB WORDS: it is found to be at risk, for that reason
claim_risk()
{
	claim "$1" "found(\"ipoib.at-risk\") |
		map(select(.subject.node_desc == \"job $2 (slurm)\")) |
		length == 1 and (.[0].message | contains(\"$3\"))"
}

claim_risks()
{
	claim_risk "a rank that may lock too little memory is at risk" 4712 \
		"is allowed to lock only 64 kB of memory"
	claim_risk "a rank that may not open the device it sees is at risk" 4713 \
		"is not allowed to open any of the 1 /dev/infiniband/uverbs*"
	claim_risk "a rank in a container without the devices is at risk" 4714 \
		"is in a container without /dev/infiniband"
	claim_risk "a rank that they are hidden from is at risk" 4715 \
		"is in a container without /dev/infiniband"
	claim_risk "a rank whose libibverbs is told of no provider is at risk" 4716 \
		"does not load the provider rxe: no file in /etc/libibverbs.d names it"
	claim_risk "a rank whose libibverbs finds no provider is at risk" 4717 \
		".so in $providers"
	claim_risk "a rank whose provider is for another libibverbs is at risk" 4718 \
		"$providers has librxe-rdmav17.so"
}

test_jobs()
{
	make_groups
	test_rdma_job
	start_quiet_jobs
	start_kept_jobs
	start_busy_jobs
	# how fast an emulated processor is proves nothing: the log decides
	report ipoib --interval 2s --log nccl.log
	# shellcheck disable=SC2086 # they are several
	kill $busy $far
	kill -KILL "$client"
	claim "a job that is forced to TCP is the one fallback" '$status == 2 and
		(found("ipoib.fallback") | length == 1 and (.[0] |
		.severity == "critical" and .facts.verdict == "confirmed" and
		.subject.node_desc == "job 4711 (slurm)" and .facts.term_log == 3 and
		.facts.ipoib_bytes > 1000000 and (.message | contains("NCCL_IB_DISABLE=1"))))'
	claim "it has no queue pairs" '[.tables.workloads[] | select(.job == "4711") |
		.queue_pairs] == [0]'
	claim_risk "a job by IPv6 is seen as well" 4719 UCX_TLS=tcp
	claim "and its bytes are counted" '.tables.workloads[] | select(.job == "4719") |
		.sockets == 1 and .ipoib_bytes_per_second > 0'
	claim "a server that is started by hand is of no job" \
		"[.tables.workloads[] | select(.workload == \"flow, PID $server\") |
		.job, .job_kind] == [null, null]"
	claim_risks
	claim_kept
	claim "the job that uses RDMA is none" \
		"[.findings[] | select(.facts.pid == $client or .facts.pid == $far)] == []"
	claim "storage is told beside them" 'found("ipoib.storage") | length == 2'
	judge
}

# Between the two ends of the fake IPoIB is no connection but such as only wait (06).
has_no_connection()
{
	local end

	for end in "$here" "$there"; do
		nsenter --net="$end" awk 'FNR > 1 && $4 != "06" { left = 1 } END { exit left }' \
			/proc/net/tcp /proc/net/tcp6 || return
	done
}

# While each network namespace has its own RDMA devices, which is set before there are others
test_exclusive()
{
	rdma system set netns exclusive
	make_ipoib
	quiet 4720
	report ipoib --interval 1s
	finds_none nsenter --net="$here"
	is "a program in a network namespace without the devices finds none"
	claim_risk "a rank in there is at risk" 4720 \
		"is in another network namespace than the RDMA devices"
	judge
	# what is connected keeps a namespace, and ends only while there are packets
	kill "$pid" "$server"
	wait "$pid" "$server"
	until_true has_no_connection
	kill "$wire"
	until_true rdma system set netns shared
}

# The last one: connections by RDMA are lost.
test_no_port()
{
	ip addr flush dev v0 scope global
	report ipoib --interval 1s
	claim_risk "a port without a routed address is told before what ranks see" 4715 \
		"rxe0/1 has no GID of a routable address"
	judge
	ip link set v0 down
	report ipoib --interval 1s
	claim_risk "a port that is down is told before what ranks see" 4715 "rxe0/1 is not Active"
	judge
}
