# SPDX-License-Identifier: BSD-2-Clause
# The topologies in the simulator: whole and healthy, or broken as they say.

load helper.bash

# Every node and cable of the file is there, and nothing is found.
is_whole_and_healthy()
{
	sweep ports
	expect .summary.nodes "$(grep -cE '^(Switch|Ca)' "$NETFILE")"
	expect .summary.links "$(($(grep -c '^\[' "$NETFILE") / 2))"
	expect .coverage.complete
	expect .findings '[]'
	expect_status 0
}
export -f is_whole_and_healthy

@test "every topology that names no fault is whole and healthy" {
	for net in "$TOP"/topologies/*.net; do
		name=$(basename "$net" .net)
		case $name in
		*+*) ;;
		*) sim "$name" is_whole_and_healthy ;;
		esac
	done
}

finds_slow_links()
{
	sweep ports
	expect '[.findings[] | [.check, .subject.node_desc, .subject.peer_desc]]' \
		"$(jq -nc '[["port.rate-odd", "leaf04", "node0014 mlx5_0"],
			["port.speed", "leaf03", "spine01"],
			["port.width", "leaf02", "spine02"]]')"
	expect .coverage.complete
	expect_status 1
}
export -f finds_slow_links

@test "two-level-small+slow-links: each of the three is found, and nothing else" {
	sim two-level-small+slow-links finds_slow_links
}

# ---- networks that are no trees ------------------------------------------------------

# routed WORDS LOOPS: it is named, every pair arrives, and of host traffic there are so many findings of
# rings and no other fault.
routed()
{
	sweep routes
	expect '.tables.routes[0] | .pairs == .routed and .pairs > 0'
	expect '[.findings[] | select(.check == "routes.credit-loop" and .severity == "critical")] |
		length' "$2"
	expect_faults "$([ "$2" = 0 ] && echo '[]' || echo '["routes.credit-loop"]')"
	named "$1"
}
# named WORDS: and nothing else is said of it
named()
{
	sweep fattree
	expect '[.findings[] | [.check, .severity, .message]]' \
		"$(jq -nc --arg words "$1" '[["fattree.family", "info", "is not a fat-tree: " + $words]]')"
	expect_status 0
}
export -f routed named

# by ENGINES NET WORDS LOOPS; arguments of an engine after it, with ~ for blanks
by()
{
	local engine

	for engine in $1; do
		echo "$2 by $engine"
		sim --sm=keep --sm-args="-R ${engine//\~/ }" "$2" routed "$3" "$4"
	done
}

@test "a torus: rings by minhop, updn and dor are one finding, lash, nue and dfsssp have none" {
	by 'minhop updn dor' torus-5x5 '25 switches in a torus of 5x5' 1
	by 'lash nue dfsssp' torus-5x5 '25 switches in a torus of 5x5' 0
}

all_rings()
{
	sweep routes
	expect '.findings[] | select(.check == "routes.credit-loop") | .facts | [.rings, .channels]' \
		'[20,100]'
}
export -f all_rings

@test "a torus: dor closes all of its rings, torus-2QoS none" {
	sim --sm=keep --sm-args='-R dor' torus-5x5 all_rings
	printf '%s\n' 'torus 5 5 1' 'xp_link 0x0200000000000010 0x0200000000000060' \
		'yp_link 0x0200000000000010 0x0200000000000020' >torus.conf
	by "torus-2QoS~-Q~--torus_config~$PWD/torus.conf" torus-5x5 '25 switches in a torus of 5x5' 0
}

@test "a HyperX and a dragonfly: minhop and updn have a ring, lash, nue and dfsssp have none" {
	by 'minhop updn' hyperx-4x4 '16 switches in a HyperX of 4x4' 1
	by 'lash nue dfsssp' hyperx-4x4 '16 switches in a HyperX of 4x4' 0
	by 'minhop updn' dragonfly-9x4 \
		'a dragonfly of 9 groups of 4 switches, 36 of 36 pairs of groups joined' 1
	by 'lash nue dfsssp' dragonfly-9x4 \
		'a dragonfly of 9 groups of 4 switches, 36 of 36 pairs of groups joined' 0
}

@test "a dragonfly+ is no fat-tree, and has no ring of hosts by any engine" {
	by 'minhop updn lash dfsssp' dragonfly-plus-5x8 \
		'a dragonfly+ of 5 groups of 8 switches in two tiers, 10 of 10 pairs of groups joined' 0
}

# nue loads links as it likes: routes.imbalance may tell of it.
arrives_without_ring()
{
	sweep routes
	expect '.tables.routes[0] | .pairs == .routed and .pairs > 0'
	expect '[.findings[] | select(.severity == "critical" or .severity == "unknown") | .check]' '[]'
}
export -f arrives_without_ring

@test "a dragonfly+ by nue: every pair arrives, and hosts have no ring" {
	sim --sm=keep --sm-args='-R nue' dragonfly-plus-5x8 arrives_without_ring
}

@test "a cable that is missing, and two that are exchanged, change no name and are not blamed" {
	sim torus-5x5+missing-cable named '25 switches in a torus of 5x5'
	sim hyperx-4x4+swapped named '16 switches in a HyperX of 4x4'
}

# The ports of a host lead into two planes, each with a subnet manager: neither sweep sees the other
# plane, and both together are two subnets of the same hosts.
two_planes()
{
	local plane

	still_manager second leaf01-p2
	"$IBCHECK" snapshot --routes -o p1.snap
	SIM_HOST=leaf02-p2 "$IBCHECK" snapshot --routes -o p2.snap
	for plane in 1 2; do
		sweep all --routes --checks -sm.sa-slow,-sm.no-standby --source "p$plane.snap"
		expect '[.findings[].check]' '[]'
		expect '.summary | [.switches, .hosts, .subnets]' '[6,8,1]'
	done
	sweep all --routes --checks -sm.sa-slow,-sm.no-standby --source p1.snap --source p2.snap
	expect '[.findings[].check]' '[]'
	expect '.summary | [.switches, .hosts, .subnets]' '[12,8,2]'
	sweep routes --source p1.snap --source p2.snap
	expect '.tables.routes | map(.pairs > 0 and .pairs == .routed)' '[true,true]'
}
export -f two_planes

@test "two planes, each with a subnet manager of its own" {
	"$IBCHECK" snapshot --source synth:fattree:leaves=4,spines=2,hosts=2,planes=2,speed=EDR -o planes.net
	sim --sm=keep "$PWD/planes.net" two_planes
}
