# SPDX-License-Identifier: BSD-2-Clause
# Multicast groups with real members: the trees that opensm writes, and what is found when
# they are broken behind its back.

load helper.bash

SIM_TOOLS=${IBCHECK%/*}/tests/sim
export SIM_TOOLS

# resweep PID: has the manager sweep, and waits until it is done
resweep()
{
	local before end=$((SECONDS + 300))

	before=$(grep -c 'SUBNET UP' sm/log)
	kill -HUP "$1"
	until [ "$(grep -c 'SUBNET UP' sm/log)" -gt "$before" ]; do
		[ $SECONDS -lt $end ]
		sleep 0.1
	done
}

# A group of three hosts below three leaves, as many members as ibsim carries in an answer.
# Without subnet administration's own group: it would be the fourth.
has_members()
{
	local sm

	printf 'Default=0x7fff:ALL=full;\n' >partitions.conf
	still_manager sm 'node0001 mlx5_0' 'ipoib_mcgroup_creation_validation FALSE' \
		-P "$PWD/partitions.conf"
	sm=$!
	for host in 'node0001 mlx5_0' 'node0006 mlx5_0' 'node0011 mlx5_0'; do
		SIM_HOST=$host "$SIM_TOOLS/join" 1
	done
	# after each request it writes all tables, once more than is to be seen; what came before
	# the first of these sweeps is done before the second
	resweep "$sm"
	resweep "$sm"
}

judge()
{
	sweep routes --checks routes.multicast --sm-key 1 -t 20000 # it is asked while it is busy
}

grows()
{
	judge
	expect_faults '[]'
	expect_status 0
	expect '.tables.multicast_groups | map([.mlid, .switches, .hosts, .members])' \
		'[[49152,4,3,3]]'
}

# branch SWITCH PORT on|off
branch()
{
	"$SIM_TOOLS/branch" "$(lid_of "$1")" 0xc000 "$2" "$3"
}

# What is found, as "fault node port", and nothing else
finds()
{
	judge
	expect '[.findings[] | "\(.facts.fault) \(.subject.node_desc) \(.subject.port)"] | sort' "$1"
}
export -f resweep has_members judge grows branch finds

is_shown()
{
	has_members
	grows
	sweep routes --multicast 0xc000
	expect '[.tables.tree[] | "\(.out) > \(.to) \(.back)"]' "$(jq -c . <<<'
		["leaf01/1 > node0001 mlx5_0/1 null", "leaf01/5 > spine01/1 true",
		"leaf02/2 > node0006 mlx5_0/1 null", "leaf02/5 > spine01/2 true",
		"leaf03/3 > node0011 mlx5_0/1 null", "leaf03/5 > spine01/3 true",
		"spine01/1 > leaf01/5 true", "spine01/2 > leaf02/5 true",
		"spine01/3 > leaf03/5 true"]')"
	expect_status 0
}
export -f is_shown

@test "three members have a tree, which is shown, and nothing is said of it" {
	sim --no-sm two-level-small is_shown
}

breaks()
{
	has_members
	grows
	# a member that its leaf does not send to
	branch leaf02 2 off
	finds '["missing leaf02 2"]'
	branch leaf02 2 on
	# a spine sends where nobody takes part
	branch spine01 4 on
	finds '["one_sided spine01 4"]'
	branch spine01 4 off
	# a second way between two leaves
	branch leaf01 6 on
	branch leaf02 6 on
	branch spine02 1 on
	branch spine02 2 on
	finds '["cycle leaf02 6"]'
	branch leaf01 6 off
	branch leaf02 6 off
	branch spine02 1 off
	branch spine02 2 off
	# a leaf with a member is cut off
	branch leaf03 5 off
	branch spine01 3 off
	finds '["cut leaf03 null"]'
	branch leaf03 5 on
	branch spine01 3 on
	# and so it is when the cable is gone
	console 'Unlink "'"$(id_of leaf03)"'"[5]'
	finds '["cut leaf03 null","down leaf03 5"]'
}
export -f breaks

@test "a tree that is broken is told by what breaks it" {
	sim --no-sm two-level-small breaks
}
