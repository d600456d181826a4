# SPDX-License-Identifier: BSD-2-Clause
# What ibcheck says that OpenSM's ftree engine would do, and what opensm logs that it did.

load helper.bash

# Does opensm route with ftree, and does ibcheck say so?
agrees()
{
	local refused=0

	sweep fattree
	grep -q 'ftree tables configured' "$OPENSM_LOG" || refused=1
	expect_findings fattree.opensm-ftree "$refused"
	echo "$refused" >refused
}
export -f agrees

# refused TOPOLOGY...: by opensm, as ibcheck says; accepted: neither
refused()
{
	local net

	for net; do
		sim --sm-args='-R ftree' "$net" agrees
		[ "$(cat refused)" = 1 ] || { echo "$net: opensm took it"; return 1; }
	done
}
accepted()
{
	local net

	for net; do
		sim --sm-args='-R ftree' "$net" agrees
		[ "$(cat refused)" = 0 ] || { echo "$net: opensm refused it"; return 1; }
	done
}

# without NET NAME PORT...: the netlist, and those cables of the node gone
without()
{
	local id net=$TOP/topologies/$1.net

	id=$(awk -v name="$2" -F'"' '$4 == name { print $2; exit }' "$net")
	awk -v id="$id" -v ports=" ${*:3} " '
		/^(Switch|Ca|Rt)/ { split($0, f, "\""); here = f[2] }
		/^\[/ {
			split($0, f, /[][]/)
			split($0, q, "\"")
			near = here == id && index(ports, " " f[2] " ")
			far = q[2] == id && match(q[3], /[0-9]+/) &&
				index(ports, " " substr(q[3], RSTART, RLENGTH) " ")
			if (near || far)
				next
		}
		{ print }' "$net" >"$BATS_TEST_TMPDIR/broken.net"
	echo "$BATS_TEST_TMPDIR/broken.net"
}

# moved NET NAME PORT NAME PORT: the host at the first socket is at the second instead
moved()
{
	local net=$TOP/topologies/$1.net

	awk -v from="$2" -v from_port="$3" -v to="$4" -v to_port="$5" '
		function desc(    f) { split($0, f, "\""); return f[4] }
		NR == FNR {
			if (/^(Switch|Ca|Rt)/) {
				split($0, f, "\"")
				here = f[2]
				if (desc() == from)
					from_id = here
				if (desc() == to)
					to_id = here
			}
			if (here == from_id && index($0, "[" from_port "]") == 1)
				line = $0
			next
		}
		/^(Switch|Ca|Rt)/ { split($0, f, "\""); here = f[2] }
		here == from_id && index($0, "[" from_port "]") == 1 { next }
		{
			sub("\"" from_id "\"\\[" from_port "\\]", "\"" to_id "\"[" to_port "]")
			print
		}
		/^Switch/ && here == to_id {
			sub(/^\[[0-9]+\]/, "[" to_port "]", line)
			print line
		}' "$net" "$net" >"$BATS_TEST_TMPDIR/moved.net"
	echo "$BATS_TEST_TMPDIR/moved.net"
}

@test "clean trees are accepted" {
	accepted two-level-small three-level dual-rail half-populated oversubscribed-2to1
}

@test "what is wrong with hosts, or slow, is no matter" {
	accepted two-level-small+missing-host two-level-small+slow-links three-level+narrow \
		oversubscribed-2to1+slow oversubscribed-2to1+exchanged-leaves
}

@test "a spine less is a smaller tree" {
	accepted ft-36x18+missing-spine
}

@test "exchanged uplinks are refused" {
	refused two-level-small+swapped two-level-small+rotated ft-36x18+swapped
}

@test "a missing uplink is refused, of leaf and of spine" {
	refused two-level-small+missing-cable
	refused "$(without three-level spine03 3)" "$(without three-level leaf05 4)"
}

@test "a thinner trunk is refused" {
	refused "$(without half-populated leaf01 9)" "$(without half-populated leaf03 7)"
}

@test "cables that double, or join leaves, are refused for what is missing elsewhere" {
	refused half-populated+miswired half-populated+leaf-leaf
}

@test "cables at other ports are accepted, a cable more is not" {
	accepted half-populated+wrong-port
	refused half-populated+unexpected-cable
}

@test "a host on a spine is refused, and named" {
	net=$(moved half-populated leaf01 1 spine02 12)
	refused "$net"
	expect '[.findings[] | select(.check == "fattree.opensm-ftree") | .related[]
		| .node_desc, .port]' '["spine02",12]'
}
