# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # variables of tests/vm/guest
# Ranks that see the device and may not use it: control groups of version 2, and the
# connection manager, for libfabric.

none=/sys/fs/cgroup/unified/job_4722
full=/sys/fs/cgroup/unified/job_4723

# As systemd has version 2 beside version 1.
make_groups()
{
	mount -t tmpfs none /sys/fs/cgroup
	mkdir /sys/fs/cgroup/unified
	mount -t cgroup2 none /sys/fs/cgroup/unified
	echo +rdma >/sys/fs/cgroup/unified/cgroup.subtree_control
	mkdir $none $full
	echo "rxe0 hca_handle=0" >$none/rdma.max
}

# before a command: in the group of this directory
# shellcheck disable=SC2016 # of the shell in there
inside=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"')

# opens FILE COMMAND...: so started, a program can
opens()
{
	"${@:2}" bash -c ': <>"$0"' "$1" 2>/dev/null
}

# As much as the job that uses RDMA has is all there is.
fill()
{
	local objects

	read -r _ _ objects <$full/rdma.current
	echo "rxe0 ${objects%%[!a-z0-9_=]*}" >$full/rdma.max
}

start_kept_jobs()
{
	! "${inside[@]}" $none timeout 100 ib_write_bw -d rxe0 >none.log 2>&1 &&
		grep -q "Couldn't get context for the device" none.log
	is "a program gets no handle where its control group has none"
	chmod 0600 /dev/infiniband/rdma_cm
	! opens /dev/infiniband/rdma_cm "${nobody[@]}"
	is "a program does not open a connection manager that is closed to it"

	quiet 4722 "${inside[@]}" $none
	fill
	quiet 4723 "${inside[@]}" $full
	# of libfabric only the name matters
	cp -L /usr/lib/x86_64-linux-gnu/libmnl.so.0 "$tools"/libfabric.so.1
	quiet 4724 "${nobody[@]}" env \
		"LD_PRELOAD=$tools/libfabric.so.1:/usr/lib/x86_64-linux-gnu/librdmacm.so.1"
}

claim_kept()
{
	claim_risk "a rank whose control group has no handle is at risk" 4722 \
		"gets no hca_handle of rxe0: $none/rdma.max limits its control group to 0"
	claim_risk "a rank whose control group has no object left is at risk" 4723 \
		"gets no hca_object of rxe0: $full/rdma.max limits its control group"
	claim_risk "a rank of libfabric without the connection manager is at risk" 4724 \
		"is not allowed to open /dev/infiniband/rdma_cm, so libfabric cannot use verbs"
}
