# SPDX-License-Identifier: BSD-2-Clause
# Subnet managers: one, two, ended, killed and stopped while they govern.

load helper.bash

SECOND='node0002 mlx5_0'

# How soon it answers depends on this machine, and is no matter of these tests.
sweep_sm()
{
	sweep sm --checks -sm.sa-slow
}

# sweep_until STATES: until the managers have these, and did not change meanwhile
sweep_until()
{
	for _ in {1..100}; do
		sweep_sm
		jq -e "([.tables.managers[].state] | sort == $1) and
			all(.findings[]; .check != \"sm.handover\")" report.json >/dev/null && return
		sleep 0.2
	done
	echo "managers are not $1"
	return 1
}

# all that is found by these checks, as "id severity"
found()
{
	expect '[.findings[] | select(.check | startswith("sm.")) | "\(.check) \(.severity)"] | sort' \
		"$1"
}
export -f sweep_sm sweep_until found

well()
{
	sweep_sm
	found '[]'
	expect_status 0
	expect .coverage.complete
	expect '[.tables.managers[] | [.node_desc, .state, .priority, .alive]] | sort' \
		'[["node0001 mlx5_0","master",10,true],["node0002 mlx5_0","standby",5,true]]'
	expect '.tables.subnet_administration[0].answered'
	expect '.tables.subnet_administration[0].latency_us > 0'
}
export -f well

@test "a master and a standby are well" {
	sim --standby="$SECOND" two-level-small well
}

alone()
{
	sweep_sm
	found '["sm.no-standby warning"]'
	expect '.findings[0].subject.node_desc' '"node0001 mlx5_0"'
	expect_status 1
}
export -f alone

@test "a master alone has nobody to follow it" {
	sim --sm=keep two-level-small alone
}

ended()
{
	sweep_sm
	found '["sm.none critical","sm.sa-silent info"]'
	expect_status 2
}
export -f ended

@test "when the only manager has ended nobody governs" {
	sim --sm two-level-small ended
}

killed()
{
	kill -KILL "$OPENSM_PID"
	sweep_sm
	# the simulator takes a moment to see that the process is gone
	expect '[.findings[] | select(.severity == "critical") | .check] |
		. == ["sm.none"] or . == ["sm.stalled"]'
	expect_status 2
	sweep_until '["master"]'
	found '["sm.no-standby warning"]'
	expect '.tables.managers[0].node_desc' '"node0002 mlx5_0"'
}
export -f killed

@test "a master that is killed is missed, and then its standby governs" {
	sim --standby="$SECOND" two-level-small killed
}

stopped()
{
	kill -STOP "$OPENSM_PID"
	sweep_sm || true
	kill -CONT "$OPENSM_PID"
	expect '.findings[] | select(.check == "sm.stalled") | [.subject.node_desc, .severity]' \
		'["node0001 mlx5_0","critical"]'
	expect_status 2
}
export -f stopped

@test "a master that hangs is told from one that works" {
	sim --standby="$SECOND" two-level-small stopped
}

# With a third opensm, of the standby's priority
three()
{
	local third

	mkdir third
	echo "sm_priority 5" >third.conf
	(cd third && SIM_HOST='node0003 mlx5_0' OSM_TMP_DIR=$PWD OSM_CACHE_DIR=$PWD \
		exec opensm -F ../third.conf -f "$PWD/log" -d2) >/dev/null 2>&1 &
	third=$!
	# shellcheck disable=SC2064 # its process is known now
	trap "kill $third" EXIT
	timeout 60 bash -c 'until grep -qs "STANDBY state" third/log; do sleep 0.1; done'
	sweep_sm
	found '[]'
	expect '[.tables.managers[].state] | sort' '["master","standby","standby"]'
	kill -KILL "$OPENSM_PID"
	sweep_until '["master", "standby"]'
	# of the two that are left, both of priority 5, the lower GUID is master
	found '["sm.priority info"]'
	expect '.findings[0].subject.node_desc' '"node0002 mlx5_0"'
}
export -f three

@test "of three managers the next takes over, and a tie is noted" {
	sim --standby="$SECOND" two-level-small three
}

duplicate()
{
	sweep all --checks sm.lid
	expect_status 0
}
export -f duplicate

@test "the LIDs that opensm gives are all different" {
	sim --sm-args='-l 1' two-level-small duplicate
}

# host01 has a port in each of two subnets of three LIDs, each with a manager of its own
two_subnets()
{
	mkdir -p second
	: >second.conf
	SIM_HOST=H-3 OSM_TMP_DIR=second OSM_CACHE_DIR=second opensm -o -F second.conf \
		-f second.log -d2 </dev/null >second.out 2>&1
	grep -q 'SUBNET UP' second.log
	sweep sm
	expect_findings sm.lid 0
	expect_findings sm.lid-disagrees 0
	sweep counters --totals
	expect .coverage.complete
	expect_status 0
}
export -f two_subnets

@test "a port in another subnet has its LID there, not here" {
	cat >two-subnets.net <<-'EOF'
		Switch	4 "S-1"		# "leaf01"
		[1]	"H-1"[1]
		[2]	"H-2"[1]

		Switch	4 "S-2"		# "leaf02"
		[1]	"H-1"[2]
		[2]	"H-3"[1]

		Ca	2 "H-1"		# "host01 mlx4_0"
		[1]	"S-1"[1]
		[2]	"S-2"[1]

		Ca	1 "H-2"		# "host02 mlx4_0"
		[1]	"S-1"[2]

		Ca	1 "H-3"		# "host03 mlx4_0"
		[1]	"S-2"[2]
	EOF
	sim two-subnets.net two_subnets
}
