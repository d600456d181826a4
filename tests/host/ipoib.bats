# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # each test is a shell of its own
# ibcheck ipoib over jobs that really move bytes.  Both ends of a job are here, so that
# both belong to it; two ends of other programs are two programs.

load helper.bash

MEGABYTES=200
RANK=(env SLURM_JOB_ID=4711 OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8)

# job ARGUMENTS: both ends of a job, of which $as is what they are started by
job()
{
	wire
	serve 5001 "${as[@]}"
	send "$@" 10.99.0.2 5001
}

# check_ipoib [ARGUMENTS...]: in report.json, its exit status in $status
check_ipoib()
{
	status=0
	"${by[@]}" "$IBCHECK" ipoib --interval 2s -f json "$@" >report.json 2>report.err ||
		status=$?
	"$TOP/tests/validate-report" report.json || [ $? = 77 ]
}

# expect FILTER [VALUE]: what jq makes of the report is true, or VALUE
expect()
{
	local found

	found=$(jq -c "$1" report.json) || :
	[ "$found" = "${2:-true}" ] && return
	echo "expected: $1 to be ${2:-true}, found: $found; exit status $status"
	cat report.err
	jq -c '.verdict, .findings[], .tables.workloads[]' report.json | cut -c -1500
	return 1
}

# mine CHECK: findings of it about workloads of this test
mine()
{
	echo "[.findings[] | select(.check == \"$1\" and
		(.facts.pid == $sender or .facts.pid == $server))]"
}

@test "a job that NCCL_IB_DISABLE forces to TCP is a fallback, and the variable is named" {
	as=("${RANK[@]}" NCCL_IB_DISABLE=1)
	job -i 40 -r $MEGABYTES
	check_ipoib
	expect "$(mine ipoib.fallback) | map(.severity)" '["critical"]'
	expect "$(mine ipoib.fallback)[0].subject.node_desc" '"job 4711 (slurm)"'
	expect "$(mine ipoib.fallback)[0].message | contains(\"NCCL_IB_DISABLE=1 (environ) forces TCP\")"
	expect "$(mine ipoib.fallback)[0].advice | contains(\"NCCL_IB_DISABLE\")"
	expect "$(mine ipoib.fallback)[0].facts | [.verdict, .term_traffic, .term_setting]" \
		'["confirmed",4,2]'
	expect "$(mine ipoib.at-risk) | length" 0
	[ "$status" = 2 ]
}

@test "the same job without traffic is at risk" {
	as=("${RANK[@]}" NCCL_IB_DISABLE=1)
	job -i 40
	check_ipoib
	expect "$(mine ipoib.fallback) | length" 0
	expect "$(mine ipoib.at-risk) | map(.severity)" '["warning"]'
	expect "$(mine ipoib.at-risk)[0].message | contains(\"NCCL_IB_DISABLE=1\")"
	[ "$status" = 1 ]
}

@test "a healthy job with forty bootstrap sockets is ok" {
	as=("${RANK[@]}" NCCL_SOCKET_IFNAME=ib0)
	head -c 8192 /dev/zero >libnccl.so.2
	head -c 8192 /dev/zero >libmpi.so.40
	job -i 40 -m libnccl.so.2 -m libmpi.so.40
	check_ipoib
	expect '[.findings[] | select(.check == "ipoib.fallback" or .check == "ipoib.at-risk")]' '[]'
	expect '[.tables.workloads[] | select(.job == "4711") | .sockets, .verdict]' '[80,"ok"]'
	expect .verdict '"ok"'
	[ "$status" = 0 ]
}

@test "traffic of a program that nothing is known of is no proof" {
	job -r $MEGABYTES
	check_ipoib
	expect '[.tables.workloads[] | select(.workload | startswith("flow, PID ")) |
		.score, .verdict]' '[2,"ok",2,"ok"]'
	expect '[.findings[] | select(.check == "ipoib.fallback")]' '[]'
	[ "$status" = 0 ]
}

@test "what the allow list names is meant" {
	as=("${RANK[@]}" NCCL_IB_DISABLE=1)
	printf '[ipoib.fallback]\nallow = comm:rsync, job:4711\n' >ibcheck.conf
	job -r $MEGABYTES
	check_ipoib --config ibcheck.conf
	expect '[.tables.workloads[] | select(.job == "4711") | .score, .verdict]' '[5,"ok"]'
	expect "$(mine ipoib.fallback)" '[]'
	expect "$(mine ipoib.at-risk)" '[]'
	[ "$status" = 0 ]
}

@test "libraries that are mapped tell that it is a job" {
	head -c 8192 /dev/zero >libnccl.so.2
	job -m libnccl.so.2 -r $MEGABYTES
	check_ipoib
	expect "[.findings[] | select(.facts.pid == $sender)] | map(.severity)" '["warning"]'
	expect "[.findings[] | select(.facts.pid == $sender)][0].facts |
		[.verdict, .term_traffic, .term_no_rdma]" '["likely",4,2]'
}

@test "where there is no RDMA device, the limit of locked memory is not the cause" {
	[ -z "$(ls -A /sys/class/infiniband 2>/dev/null)" ] || skip "this host has RDMA devices"
	"${NOBODY[@]}" "$HOST_TOOLS/look" >/dev/null || skip "nobody may not run the program here"
	as=(prlimit --memlock=65536:65536 "${NOBODY[@]}" "${RANK[@]}")
	job -r $MEGABYTES
	check_ipoib
	expect "$(mine ipoib.fallback) | map(.severity)" '["warning"]'
	expect "$(mine ipoib.fallback)[0].facts | [.term_traffic, .term_cause, .cause]" '[4,0,null]'
}

@test "a variable outside the table is never shown" {
	as=("${RANK[@]}" NCCL_IB_DISABLE=1 SECRET_TOKEN=hunter2)
	job -r $MEGABYTES
	check_ipoib -v
	[ "$status" = 2 ]
	run ! grep -E "hunter2|SECRET_TOKEN" report.json
}

@test "without privilege it is unknown, and that is said" {
	"${NOBODY[@]}" "$IBCHECK" --version || skip "nobody may not run the program here"
	as=("${RANK[@]}" NCCL_IB_DISABLE=1)
	job -r $MEGABYTES
	by=(nsenter --net="$here" "${NOBODY[@]}")
	check_ipoib
	expect .verdict '"unknown"'
	expect '[.findings[] | select(.check == "ipoib.fallback" and .severity == "unknown" and
		(.message | contains("could not be read")))] | length > 0'
	expect '[.tables.unread[].path] | contains(["/proc/*/fd", "/proc/*/ns/net"])'
	expect '[.findings[] | select(.severity == "critical" or .severity == "warning")]' '[]'
	[ "$status" = 3 ]
}

@test "processes of others, while one's own are seen, are unknown only where it matters" {
	"${NOBODY[@]}" "$IBCHECK" --version || skip "nobody may not run the program here"
	as=("${NOBODY[@]}" "${RANK[@]}" UCX_TLS=tcp)
	job -r $MEGABYTES
	by=(nsenter --net="$here" "${NOBODY[@]}")
	check_ipoib
	expect "[.findings[] | select(.check == \"ipoib.fallback\" and .facts.pid == $sender) |
		.severity]" '["critical"]'
	expect '[.findings[] | select(.check == "ipoib.fallback" and .severity == "unknown")] |
		length > 0'
}
