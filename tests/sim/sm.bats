# SPDX-License-Identifier: BSD-2-Clause
# Subnet managers: one, two, ended, killed and stopped while they govern.

load helper.bash

SECOND='node0002 mlx5_0'

# How soon it answers depends on this machine, and is no matter of these tests.
sweep_sm()
{
	sweep sm --checks -sm.sa-slow
}

# all that is found by these checks, as "id severity"
found()
{
	expect '[.findings[] | select(.check | startswith("sm.")) | "\(.check) \(.severity)"] | sort' \
		"$(jq -c . <<<"$1")"
}

# settles SET: the same of a fabric in which one manager follows another, when that is done
settles()
{
	for _ in {1..400}; do
		sweep_sm
		found "$1" >/dev/null && return
		sleep 0.2
	done
	found "$1"
}
export -f sweep_sm found settles

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
	found '["sm.no-standby info"]'
	expect '.findings[0].subject.node_desc' '"node0001 mlx5_0"'
	expect_status 0
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
	kill -STOP "$STANDBY_PID" # else it could be faster than the sweep
	kill -KILL "$OPENSM_PID"
	sweep_sm
	kill -CONT "$STANDBY_PID"
	# the simulator takes a moment to see that the process is gone
	expect '[.findings[] | select(.severity == "critical") | .check] |
		. == ["sm.none"] or . == ["sm.stalled"]'
	expect_status 2
	settles '["sm.no-standby info"]'
	expect '[.tables.managers[] | [.node_desc, .state]]' '[["node0002 mlx5_0","master"]]'
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
	# on a busy machine the standby may be late as well
	expect '.findings[] | select(.check == "sm.stalled" and .severity == "critical") |
		.subject.node_desc' '"node0001 mlx5_0"'
	expect_status 2
}
export -f stopped

@test "a master that hangs is told from one that works" {
	sim --standby="$SECOND" two-level-small stopped
}

# With a third opensm, of the standby's priority
three()
{
	rm -rf third
	manager third 'node0003 mlx5_0' 'sm_priority 5'
	says third 'STANDBY state'
	sweep_sm
	found '[]'
	expect '[.tables.managers[].state] | sort' '["master","standby","standby"]'
	kill -KILL "$OPENSM_PID"
	# of the two that are left, both of priority 5, the lower GUID is master
	settles '["sm.priority info"]'
	expect '[.tables.managers[].state] | sort' '["master","standby"]'
	expect '.findings[0].subject.node_desc' '"node0002 mlx5_0"'
}
export -f three

@test "of three managers the next takes over, and a tie is noted" {
	# OpenSM 3.3.23 was once seen to stay in Discovering for good when two take over together
	sim --standby="$SECOND" two-level-small three || sim --standby="$SECOND" two-level-small three
}

# during COMMAND SWEEP...: runs the command when all ports have answered, and before the end
during()
{
	{ echo unset BETWEEN && declare -f && echo "$1"; } >between
	BETWEEN='bash between' LD_PRELOAD="${IBCHECK%/*}/tests/sim/between.so:$LD_PRELOAD" "${@:2}"
}

# falls PID LOG: a master is killed, once, and who writes that log takes over
falls()
{
	local before

	[ ! -e fallen ] || return 0
	touch fallen
	before=$(grep -c 'SUBNET UP' "$2")
	kill -KILL "$1"
	until [ "$(grep -c 'SUBNET UP' "$2")" -gt "$before" ]; do
		sleep 0.1
	done
}
export -f during falls

hands_over()
{
	export STANDBY_LOG=${OPENSM_LOG%/*}/standby.log
	# shellcheck disable=SC2016 # expanded there
	during 'falls "$OPENSM_PID" "$STANDBY_LOG"' sweep_sm
	found '["sm.handover info","sm.no-standby info"]'
	expect '.findings[] | select(.check == "sm.handover") | .facts.handovers' 1
	expect '.coverage.complete'
	expect_status 0
}
export -f hands_over

@test "a master that changes during the sweep is noted, and all is asked again" {
	sim --standby="$SECOND" two-level-small hands_over
}

# When it is asked again, the second falls too, and a third is begun.
fall_both()
{
	if [ ! -e fallen ]; then
		falls "$OPENSM_PID" "$STANDBY_LOG"
		return
	fi
	kill -KILL "$STANDBY_PID"
	manager third 'node0003 mlx5_0'
	says third 'SUBNET UP'
}
export -f fall_both

hands_over_twice()
{
	export STANDBY_LOG=${OPENSM_LOG%/*}/standby.log
	during fall_both sweep_sm
	expect '.findings[] | select(.check == "sm.handover") | [.severity, .facts.handovers]' \
		'["unknown",2]'
	expect_findings sm.multiple 0
}
export -f hands_over_twice

@test "a master that changes again leaves unknown whose fabric it is" {
	sim --standby="$SECOND" two-level-small hands_over_twice
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

# Two switches with two hosts each, and a cable between them.
halves()
{
	printf 'Switch 4 "S1"\n[1] "A1"[1]\n[2] "A2"[1]\n[4] "S2"[4]\n\n'
	printf 'Switch 4 "S2"\n[1] "B1"[1]\n[2] "B2"[1]\n[4] "S1"[4]\n\n'
	printf 'Hca 1 "A1"\n[1] "S1"[1]\n\nHca 1 "A2"\n[1] "S1"[2]\n\n'
	printf 'Hca 1 "B1"\n[1] "S2"[1]\n\nHca 1 "B2"\n[1] "S2"[2]\n\n'
}

# Each half has a master of its own when the cable between them comes back.
two_masters()
{
	console 'Unlink "S1"[4]'
	still_manager a A1
	still_manager b B1
	console 'Relink "S1"[4]'
	sweep_sm
	expect '[.tables.managers[] | [.node_desc, .state, .at]] | sort' \
		'[["A1","master","S1/1"],["B1","master","S2/1"]]'
	expect '.findings[] | select(.check == "sm.multiple") | .facts.masters' 2
	expect '[.findings[] | select(.check == "sm.multiple") | .related[].node_desc] | sort' \
		'["A1","B1"]'
	expect '.findings[] | select(.check == "sm.pending") | .subject |
		[.kind, .node_desc, .port, .peer_desc, .peer_port]' '["cable","S1",4,"S2",4]'
	expect_status 2
}

# A1 and B1 have LID 1, the switches 2, A2 and B2 have 3.
joined()
{
	two_masters
	found '["sm.lid critical","sm.lid critical","sm.lid critical","sm.multiple critical",
		"sm.pending critical"]'
	expect '[.findings[] | select(.check == "sm.lid") | [.subject.node_desc, .facts.lid,
		.related[0].node_desc]] | sort' '[["A1",1,"B1"],["A2",3,"B2"],["S1",2,"S2"]]'
}

# Of one subnet that was cut all have other LIDs, and those behind the cut another master.
parted()
{
	two_masters
	found '["sm.lid-disagrees warning","sm.multiple critical","sm.pending critical"]'
	expect '.findings[] | select(.check == "sm.lid-disagrees") | [.facts.aspect, .facts.ports,
		(.related[] | select(.role == "cause") | .node_desc)]' '["sm_lid",3,"B1"]'
	sweep routes --checks routes.unreachable,routes.stale
	expect '[.findings[] | [.check, .subject.node_desc, .facts.switches, .facts.hosts,
		.facts.pairs]]' '[["routes.unreachable","S2",1,2,8]]'
}
export -f two_masters joined parted

@test "two subnets that a cable joins have two masters, and share their LIDs" {
	halves >halves.net
	sim --no-sm halves.net joined
}

@test "a subnet that was cut and heals has two masters, and ports that obey the one or the other" {
	halves >halves.net
	sim --sm halves.net parted
}
