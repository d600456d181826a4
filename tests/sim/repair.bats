#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Before and after the work on a cable: an error counter that rises or stays, a link that is pulled
# and comes back.

load helper.bash

# count NUMBER: symbol errors at leaf01/3
count()
{
	console "PerformanceSet \"$(id_of leaf01)\"[3] PortCounters.SymbolErrorCounter=$1" >/dev/null
}

# repair WORD ID VERDICT STATUS: report.json
repair()
{
	sweep repair "$1" "$2" --state state --config conf
	[ "$status" = "$4" ]
	[ -z "$3" ] || expect '[.findings[] | .check, .facts.verdict]' "[\"repair.link\",\"$3\"]"
}

# mended ID: checks until it is, which takes a second
mended()
{
	local end=$((SECONDS + 300))

	until sweep repair check "$1" --state state --config conf && [ "$status" = 0 ]; do
		[ "$SECONDS" -lt "$end" ]
	done
	expect '.findings[0].facts.verdict' '"mended"'
}
export -f count repair mended

errors()
{
	local id

	# 3.2 of what the limit allows pass in a third of a second
	printf '[counters.symbol]\nwarning = 36000\ncritical = 72000\n' >conf
	sweep counters --state state
	count 400
	sweep counters --state state --config conf
	id=$(jq -r '.cases[] | select(.check == "counters.symbol").id' report.json)
	repair check "$id" '' 3
	grep -q "no repair of $id was started: ibcheck repair start $id" report.err
	repair start "$id" '' 3 # no light, no serial number
	[ -n "$(find state -name 'repair.*.start.zst')" ]
	# errors since the start may be older than the work
	count 20000
	repair check "$id" wait 3
	expect '.findings[0].facts.wait_seconds > 0.3 and .findings[0].facts.fault == "counters.symbol"'
	count 50000
	repair check "$id" '' 2
	expect '.findings[0].facts.verdict | IN("same", "worse")'
	count 0
	repair check "$id" wait 3
	mended "$id"
	# pulled, and back
	console "Unlink \"$(id_of leaf01)\"[3]" >/dev/null
	repair check "$id" worse 2
	expect '.findings[0].message' '"worse: leaf01/3 has no link"'
	console "Link \"$(id_of leaf01)\"[3] \"$(id_of "node0003 mlx5_0")\"[1]" >/dev/null
	# no manager has configured it yet: nothing answers over its LID, which is no answer of 0
	repair check "$id" unknown 3
	"$IBCHECK" repair --state state -f json >report.json
	expect '[.tables.repairs[] | .name, .peer]' '["leaf01/3","node0003 mlx5_0/1"]'
}
export -f errors

@test "a link is mended when errors stay away, the same when they go on, worse without a link" {
	sim two-level-small errors
}

a_port()
{
	: >conf
	repair start leaf02/1 '' 3
	expect '[.tables.identity[].name] | length' 2
	repair check leaf02/1 wait 3
	repair check leaf02 '' 3
	repair start 0123abcd '' 3
	repair begin leaf02/1 '' 3
}
export -f a_port

@test "a port has all claims of links, and what is no link is refused" {
	sim two-level-small a_port
}
