# SPDX-License-Identifier: BSD-2-Clause
# One fault is one case in "all --expect --routes".  Many more, and any two of them, are in
# tests/unit/sweep/test_faults.c.

load helper.bash

# one_case CHECK WORDS: all that is wrong is one case, and its sentence or remedy has these.
# opensm has ended by then, and what it would have answered is not looked at.
one_case()
{
	sweep all --expect "$TOP/topologies/two-level-small.net" --routes \
		--checks -sm,-routes.credit-loop,-routes.multicast
	expect '[.cases[] | select(.severity != "info") | .check]' "[\"$1\"]"
	expect ".cases[] | select(.severity != \"info\") | .message + .advice | contains(\"$2\")"
}
export -f one_case

silent_spine()
{
	console "Error \"$(id_of spine02)\" 100"
	one_case port.silent spine02
	expect_status 3
}
export -f silent_spine

@test "a silent spine is one case, which names it" {
	sim two-level-small silent_spine
}

# hung_spine CHECKS [OPTION]: all is asked, over LIDs too, and is cases of these checks
hung_spine()
{
	console "Error \"$(id_of spine02)\" 100"
	sweep all "${@:2}"
	expect '[.cases[] | select(.severity != "info") | .check] | unique' "$1"
	expect '[.findings[] | select(.check == "counters.silent" or .check == "sm.sa-silent")] | length > 1'
	expect '.verdict' '"unknown"'
	expect_status 3
}
export -f hung_spine

@test "a hung spine is one case, with all that no LID-routed query reaches over it" {
	sim --sm=keep two-level-small hung_spine '["port.silent"]' --routes
}

# Half of the ways to the other leaf switches lead over it, and all answers may; none to a host at
# leaf04, which is that of this one.
hung_unread()
{
	local silent='.findings[] | select(.check == "counters.silent")'

	hung_spine '["counters.silent","port.silent","sm.sa-silent"]'
	expect "[$silent | .advice | startswith(\"May follow from what is behind leaf01/\")] | all"
	console "Error \"$(id_of 'node0014 mlx5_0')\" 100 18" # PortCounters
	sweep all
	expect "[$silent | select(.subject.node_desc == \"node0014 mlx5_0\") | .advice | test(\"reset\")] == [true]"
}
export -f hung_unread

@test "where no tables were read, nothing is said to be behind a hung spine, and nothing is reset for it" {
	sim --sm=keep two-level-small hung_unread
}

pulled_uplink()
{
	console "Unlink \"$(id_of leaf03)\"[6]"
	one_case topo.missing-cable 'Connect leaf03/6 to spine02/3'
}
export -f pulled_uplink

@test "a pulled uplink is one case, with its routes and what ftree would do" {
	sim two-level-small pulled_uplink
}

narrow_link()
{
	port leaf02 1 width 1
	one_case port.width 'enable 4x there again'
}
export -f narrow_link

@test "a link that one end limits is one case, whatever the plan says of its width" {
	sim two-level-small narrow_link
}

unplugged_host()
{
	console "Unlink \"$(id_of 'node0016 mlx5_0')\"[1]"
	one_case topo.missing-node 'powered and running'
}
export -f unplugged_host

@test "an unplugged host is one case" {
	sim two-level-small unplugged_host
}
