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
