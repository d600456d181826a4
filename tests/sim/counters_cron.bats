# SPDX-License-Identifier: BSD-2-Clause
# Counters as cron reads them: run after run, each compared with the one before.

load helper.bash

# count NAME PORT FIELD=VALUE...: sets counters of a port in the simulator
count()
{
	local node field

	node=$(id_of "$1")
	for field in "${@:3}"; do
		console "PerformanceSet \"$node\"[$2] $field" >/dev/null
	done
}

# run_once: one run of cron
run_once()
{
	sweep counters --state state "$@"
}

# counted NAME PORT: counters of one end of a link that moved, as text
counted()
{
	jq -r --arg port "$1/$2: " '[.tables.links[].counted | split("; ")[] |
		select(startswith($port)) | ltrimstr($port)] | join(" ")' report.json
}

# expect_counted NAME PORT TEXT
expect_counted()
{
	[ "$(counted "$1" "$2")" = "$3" ] && return
	echo "expected: $1/$2 counted $3, found: $(counted "$1" "$2")"
	jq -c '.findings[]' report.json
	return 1
}

# expect_quiet: no link counted anything
expect_quiet()
{
	expect '.tables.links | length' 0
	expect_status 0
}
export -f count run_once counted expect_counted expect_quiet

# ---- ten runs --------------------------------------------------------------------

# A run that is killed when it is about to ask for counters (class 4).
killed_run()
{
	local status=0

	# shellcheck disable=SC2016 # expanded there
	BETWEEN_CLASS=4 BETWEEN='kill -KILL $PPID' \
		LD_PRELOAD="${IBCHECK%/*}/tests/sim/between.so:$LD_PRELOAD" \
		"$IBCHECK" counters --state state >killed.out 2>&1 || status=$?
	[ "$status" -eq 137 ]
}

ten_runs()
{
	local before

	count leaf01 5 PortCounters.SymbolErrorCounter=100
	count 'node0007 mlx5_0' 1 PortCounters.SymbolErrorCounter=6
	# 1: the first sample; what was counted before it is no news
	run_once
	expect_findings counters.state 1
	expect '.findings[] | select(.check == "counters.state") | .severity' '"info"'
	# 2: nothing happens
	run_once
	expect_quiet
	# 3: errors on one end
	count leaf01 5 PortCounters.SymbolErrorCounter=112
	run_once
	expect_counted leaf01 5 'SymbolErrorCounter 12'
	# 4: told once, not again
	run_once
	expect_quiet
	# 5: errors, but the run is killed
	count leaf02 1 PortCounters.PortRcvErrors=3
	before=$(cksum state/*/sweep.*)
	killed_run
	[ "$(cksum state/*/sweep.*)" = "$before" ]
	# 6: the next one tells of both intervals
	count leaf02 1 PortCounters.LinkDownedCounter=1
	run_once
	expect_counted leaf02 1 'PortRcvErrors 3, LinkDownedCounter 1'
	# 7: somebody clears, and more errors come: at least those
	perfquery -R "$(lid_of leaf01)" 5 >/dev/null
	count leaf01 5 PortCounters.SymbolErrorCounter=4
	run_once
	expect_counted leaf01 5 'SymbolErrorCounter >=4'
	# 8: a host restarts: it counts from 0 again, its leaf saw the link go down
	perfquery -R "$("$IBCHECK" ports --node 'node0007 mlx5_0' -f json | jq '.tables.ports[0].lid')" \
		1 >/dev/null
	count leaf02 3 PortCounters.LinkDownedCounter=1
	run_once
	expect_counted leaf02 3 'LinkDownedCounter 1'
	expect '[.findings[] | select(.check == "counters.downed") | .severity]' '["info"]'
	expect_status 0
	# 9: somebody else holds the state; the next run tells of what this one could not
	count leaf01 5 PortCounters.SymbolErrorCounter=9
	exec 8>>"$(echo state/*/lock)"
	flock 8
	run_once
	exec 8>&-
	expect_findings state.memory 1
	expect '.findings[] | select(.check == "state.memory") | .message | test("in use")'
	expect_status 3
	# 10
	run_once
	expect_counted leaf01 5 'SymbolErrorCounter 5'
	expect '[.tables.links[].errors] | add' 5
}
export -f killed_run ten_runs

@test "ten runs of cron, with a kill, a clear, a restart and a lock between them, lose no interval" {
	sim two-level-small ten_runs
}

# ---- a node is replaced ---------------------------------------------------------------

before_repair()
{
	count 'node0005 mlx5_0' 1 PortCounters.SymbolErrorCounter=50
	run_once
}

after_repair()
{
	# the new device has counted, too, but nobody knows since when
	count 'node0005 mlx5_0' 1 PortCounters.SymbolErrorCounter=20
	count leaf02 1 PortCounters.PortRcvErrors=2
	run_once
	expect_counted 'node0005 mlx5_0' 1 ''
	expect_counted leaf02 1 'PortRcvErrors 2'
	expect '[.tables.deltas[] | select(.fresh) | .node_desc]' '["node0005 mlx5_0"]'
	# and from then on it is one like any other
	count 'node0005 mlx5_0' 1 PortCounters.SymbolErrorCounter=21
	run_once
	expect_counted 'node0005 mlx5_0' 1 'SymbolErrorCounter 1'
}
export -f before_repair after_repair

@test "a device that was replaced starts afresh, its neighbour goes on" {
	local old

	old=$(sed -n 's/^caguid=0x\(.*\)/\1/p' "$TOP/topologies/two-level-small.net" | sed -n 5p)
	sim two-level-small before_repair
	sed "s/$old/00ff0000000000aa/g" "$TOP/topologies/two-level-small.net" >repaired.net
	sim repaired.net after_repair
}

# ---- what the state can be ---------------------------------------------------------------

other_fabric()
{
	local part

	run_once
	part=$(echo state/*)
	sed 's/0x0200/0x0a00/' "$part/fabric" >other
	mv other "$part/fabric"
	run_once
	expect '.findings[] | select(.check == "counters.state") | .message | test("first sample")'
	expect_status 0
	[ "$(find state -name fabric | wc -l)" -eq 2 ]
	run_once
	expect_findings counters.state 0
}
export -f other_fabric

@test "the state of another fabric is left alone" {
	sim two-level-small other_fabric
}

# ---- reading --------------------------------------------------------------------------------

# All the while errors are counted: some of them between the sweeps, whenever these are.
interval()
{
	local n=0 pid

	"$IBCHECK" counters --interval 2 -f json >report.json &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		count leaf03 2 PortCounters.PortRcvErrors=$((++n))
	done
	wait $pid || true
	[[ $(counted leaf03 2) =~ ^PortRcvErrors\ [1-9][0-9]*$ ]]
	expect '.tables.links[0].seconds > 1.9'
}
export -f interval

@test "two sweeps in one run tell what was counted between them" {
	sim two-level-small interval
}

labels()
{
	run_once
	count leaf01 1 PortCounters.PortXmitDiscards=8 PortXmitDiscardDetails.PortInactiveDiscards=8 \
		PortCounters.PortRcvErrors=5 PortRcvErrorDetails.PortLocalPhysicalErrors=5
	run_once
	expect '.tables.deltas[] | select(.node_desc == "leaf01" and .port == 1) |
		[.inactive_discards, .local_physical_errors]' '[8,5]'
}
export -f labels

@test "details of discards and of receive errors are not exchanged" {
	sim two-level-small labels
}

clamp()
{
	count leaf01 1 PortCounters.PortXmitDiscards=300
	count leaf01 2 PortCounters.PortXmitDiscards=300
	sweep counters --totals --checks counters.state
	expect '[.tables.links[].errors] | add' 600
}
export -f clamp

@test "every port is asked for itself, so that no sum is cut off" {
	sim two-level-small clamp
}
