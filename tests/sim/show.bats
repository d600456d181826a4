# SPDX-License-Identifier: BSD-2-Clause
# One thing of a live fabric, whole: what opensm and the counters have of it.

load helper.bash

live()
{
	local n=0 pairs pid

	sweep show leaf01/3
	expect '.tables.identity[0] | .node == "leaf01" and .tier == "leaf"'
	expect '.tables.identity[0].sm_route_by' '"linear forwarding tables"'
	expect '.tables.identity[0].sm_route_end' '"arrives"'
	expect '[.tables.ends[] | .end]' '["near","far"]'
	expect '[.tables.ends[] | .state == "active" and .phys_state == "linkup"] | all'
	expect '.tables.activity[0] | .errors == "none" and .new_errors == null'
	expect '.tables.dependents[0] | .has_routes and .pairs_routed > 0'

	# what a cable carries is what both of its ends send
	pairs=$(jq '.tables.dependents[0].pairs_routed' report.json)
	sweep routes --using leaf01/3
	expect '.tables.using | length' "$pairs"

	# all the while errors are counted: some of them between the sweeps, whenever these are
	"$IBCHECK" show leaf01/3 --interval 2 -f json >report.json &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		console "PerformanceSet \"$(id_of leaf01)\"[3] PortCounters.PortRcvErrors=$((++n))" \
			>/dev/null
	done
	wait $pid || true
	expect '.tables.activity[0].new_errors | test("^PortRcvErrors [1-9][0-9]*$")'
	expect '.tables.activity[0] | .interval_seconds > 1.9'
	expect '.tables.activity[0] | .util_percent != null'
	expect '.tables.deltas[0].receive_errors > 0'
}
export -f live

@test "show has the routes of opensm, and what was counted between two sweeps" {
	sim two-level-small live
}

# All of the leaf's hosts, and no more.
leaf()
{
	local hosts

	sweep show leaf01
	hosts=$(jq -r '.tables.dependents[0].cut_off' report.json)
	expect '.tables.dependents[0] | .hosts_cut_off > 0 and .pairs_cut_off > 0'
	printf '7 %s\n' "$hosts" >squeue
	sweep show leaf01 --jobs squeue
	expect '.tables.jobs | length' 1
	expect '.tables.jobs[0].cut_off' "\"$hosts\""
	sweep whatif leaf01
	expect '.tables.dependents[0].cut_off' "\"$hosts\""
}
export -f leaf

@test "without a leaf its hosts are cut off, and the jobs on them" {
	sim two-level-small leaf
}
