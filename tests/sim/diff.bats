# SPDX-License-Identifier: BSD-2-Clause
# What has changed since a snapshot: each change is found, and nothing else.

load helper.bash

# The sweep that all else is compared with; 3: not all of it was answered.
remember()
{
	"$IBCHECK" -q snapshot -o before.snap
}

# diff [OPTIONS]: what differs now
diff_now()
{
	sweep diff before.snap "$@"
}

# The findings that count, as "check subject"
findings()
{
	jq -r '.findings[] | select(.severity != "info") |
		[.check, .subject.node_desc, .subject.port, .subject.peer_desc,
		 .subject.peer_port] | map(values | tostring) | join(" ")' report.json
}

expect_changes()
{
	local found

	found=$(findings)
	[ "$found" = "$1" ] && return
	printf 'expected:\n%s\nfound:\n%s\n' "$1" "$found"
	return 1
}
export -f remember diff_now findings expect_changes

equal()
{
	remember
	diff_now
	expect_status 0
	expect .verdict '"ok"'
	expect_changes ""
	expect '.tables.changes | length' 0
	sweep diff umad
	expect_status 0
	sweep diff before.snap umad:ibsim0:1 --only nodes,links,speed,lid,firmware
	expect_status 0
}
export -f equal

@test "nothing has changed: exit status 0, against a snapshot and against the fabric" {
	sim two-level-small equal
	sim ft-36x18 equal
}

unplugged()
{
	remember
	console "Unlink \"$(id_of leaf01)\"[5]"
	diff_now
	expect_status 1
	expect_changes "diff.links leaf01 5 spine01 1"
	expect '.findings[] | select(.check == "diff.links") | .message | startswith("is gone: ")'
	expect '[.tables.changes[].change]' '["cable_gone"]'
	# the subnet manager is no more: nobody brings it up again
	console "ReLink \"$(id_of leaf01)\"[5]"
	diff_now
	expect_changes "diff.links leaf01 5 spine01 1"
	expect '[.tables.changes[] | [.change, .before, .after]]' '[["state","Active","Init"]]'
}
export -f unplugged

@test "a cable that was pulled is one finding, and so is its state when it is back" {
	sim two-level-small unplugged
}

slower()
{
	remember
	port leaf02 1 width 1
	diff_now
	expect_status 1
	expect_changes "diff.speed leaf02 1 node0005 mlx5_0 1"
	expect '[.tables.changes[].before]' '["4x EDR (100 Gb/s)"]'
	diff_now --only nodes,links,firmware
	expect_status 0
	expect_changes ""
}
export -f slower

@test "a cable that trained narrower is one finding, of diff.speed" {
	sim two-level-small slower
}

host_gone()
{
	remember
	console "Unlink \"$(id_of 'node0016 mlx5_0')\"[1]"
	diff_now
	expect_status 1
	expect_changes "diff.nodes node0016 mlx5_0"
	expect '.findings[] | select(.check == "diff.nodes") | .facts.hosts_cut_off' 1
	"$IBCHECK" -q snapshot -o after.snap
	sweep diff after.snap before.snap
	expect_status 1
	expect_changes "diff.nodes node0016 mlx5_0"
	expect '[.tables.changes[].change]' '["node_new","cable_new"]'
}
export -f host_gone

@test "a host that went, or came, is one finding" {
	sim two-level-small host_gone
}

silent_now()
{
	remember
	console "Error \"$(id_of 'node0016 mlx5_0')\" 100"
	diff_now
	expect_status 3
	expect '.tables.changes | length' 0
	expect_findings diff.unchecked 1
	expect_findings port.silent 1
}
export -f silent_now

@test "a host that is silent now is unknown, and not gone" {
	sim two-level-small silent_now
}

silent_before()
{
	console "Error \"$(id_of leaf03)\" 100"
	"$IBCHECK" -q snapshot -o before.snap >/dev/null || [ $? -eq 3 ]
	console "Error \"$(id_of leaf03)\" 0"
	diff_now
	expect_status 3
	expect '.tables.changes | length' 0
	expect '[.findings[] | select(.severity == "warning")] | length' 0
}
export -f silent_before

@test "a switch that was silent, and its hosts, are unknown and not new" {
	sim two-level-small silent_before
}

other_subnet()
{
	remember
	cp before.snap "$1"
}
export -f other_subnet

@test "a snapshot of another fabric is refused in one line" {
	sim two-level-small other_subnet "$PWD/here.snap"
	sim back-to-back other_subnet "$PWD/there.snap"
	run -3 "$IBCHECK" diff here.snap there.snap
	[ "${#lines[@]}" -eq 1 ]
	[[ ${lines[0]} == *"another fabric"* ]]
}
