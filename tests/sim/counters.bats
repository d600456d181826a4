# SPDX-License-Identifier: BSD-2-Clause
# Each check of counters is raised by its counter, and by nothing else.

load helper.bash

# between OPERATION...: compares the sweeps before and after
between()
{
	rm -rf state
	sweep counters --state state
	expect_status 0
	"$@"
	sweep counters --state state
}

# count NAME PORT FIELD VALUE
count()
{
	console "PerformanceSet \"$(id_of "$1")\"[$2] PortCounters.$3=$4" >/dev/null
}

# raises CHECKS OPERATION...: these, separated by blanks, and no other but notes
raises()
{
	between "${@:2}"
	expect '[.findings[] | select(.severity != "info") | .check] | unique | join(" ")' "\"$1\""
	expect '[.findings[].subject | (.node_desc == "leaf01" or .peer_desc == "leaf01")] | all'
}

# What is set stays set: every counter has a port of its own.
each()
{
	raises counters.symbol count leaf01 1 SymbolErrorCounter 500
	raises counters.recovery count leaf01 2 LinkErrorRecoveryCounter 1
	raises counters.rcv-errors count leaf01 3 PortRcvErrors 5
	raises counters.remote-physical count leaf01 4 PortRcvRemotePhysicalErrors 5
	raises counters.downed count leaf01 1 LinkDownedCounter 1
	raises counters.flap count leaf01 2 LinkDownedCounter 9
	raises counters.discards count leaf01 3 PortXmitDiscards 500
	raises counters.constraint count leaf01 4 PortXmitConstraintErrors 1
	raises counters.integrity count leaf01 1 LocalLinkIntegrityErrors 1
	raises counters.overrun count leaf01 2 ExcessiveBufferOverrunErrors 1
	raises counters.vl15 count leaf01 3 VL15Dropped 500
	# packets that go back where they came from are no fault
	raises '' count leaf01 1 PortRcvSwitchRelayErrors 500
	raises 'counters.saturated counters.symbol' count leaf01 4 SymbolErrorCounter 65535
}
export -f between count raises each

@test "each check of counters is raised by its counter and by nothing else" {
	sim two-level-small each
}

# The first switch of its type is asked for ClassPortInfo, and not for more if it is silent.
dead_leaf()
{
	console "Error \"$(id_of leaf01)\" 100 1" >/dev/null
	sweep counters --totals
	expect_findings counters.silent 1
	expect '[.findings[] | select(.check == "counters.silent")][0].subject.node_desc' '"leaf01"'
	expect .coverage.complete false
	# its ports are there, and not as if they had counted nothing
	expect '[.tables.counters[] | select(.node_desc == "leaf01" and .port > 0) | .symbol_error] | unique' '[null]'
	expect_status 3
}
export -f dead_leaf

@test "a leaf that does not tell its counters is named, and unknown" {
	sim two-level-small dead_leaf
}

unmanaged()
{
	sweep counters --totals
	expect_findings counters.silent 1
	expect '[.findings[] | select(.check == "counters.silent")][0].subject.kind' '"fabric"'
	expect_status 3
}
export -f unmanaged

@test "without a subnet manager nobody tells counters, and one finding says so" {
	sim --no-sm two-level-small unmanaged
}

lanes()
{
	local node

	node=$(id_of leaf01)
	sweep counters --state state --vl
	console "PerformanceSet \"$node\"[2] PortVLXmitWaitCounters.PortVLXmitWaitCounters3=77" >/dev/null
	console "PerformanceSet \"$node\"[2] PortVLXmitWaitCounters.PortVLXmitWaitCounters4=65535" >/dev/null
	sweep counters --state state --vl
	expect '[.tables.vls[] | [.node_desc, .port, .vl, .transmit_wait, .at_least]]' \
		'[["leaf01",2,3,77,false],["leaf01",2,4,65535,true]]'
}
export -f lanes

@test "the virtual lanes that waited are told" {
	sim two-level-small lanes
}

# ---- clearing ----------------------------------------------------------------------

cleared()
{
	count leaf01 1 SymbolErrorCounter 65535
	count leaf02 3 PortRcvErrors 5
	console "PerformanceSet \"$(id_of leaf02)\"[3] PortRcvErrorDetails.PortLocalPhysicalErrors=5" >/dev/null
	sweep counters --clear errors
	expect_status 0
	expect_findings counters.cleared 1
	expect '.findings[] | select(.check == "counters.cleared") | .facts' \
		'{"symbol_error":65535,"receive_errors":5,"local_physical_errors":5}'
	expect '[.tables.links[].errors] | add' 65540
	sweep counters --totals
	expect_status 0
	expect '.tables.links | length' 0
	# nothing but what was asked for: data count on
	expect '[.tables.counters[].transmit_data_bytes // empty] | add > 0'
}
export -f cleared

@test "errors are cleared, and what is lost is said" {
	sim two-level-small cleared
}

# The Sets that left are in the trace: those of the performance class, by LID and port.
named()
{
	local name

	count leaf01 1 SymbolErrorCounter 77
	count leaf02 2 SymbolErrorCounter 99
	count leaf02 3 PortRcvErrors 5
	for name in nowhere 'leaf*' 'leaf0?/1' 'leaf01/77' leaf0; do
		sweep counters --clear errors leaf01/1 "$name"
		expect_status 3
		perfquery "$(lid_of leaf01)" 1 | grep -q 'SymbolErrorCounter:\.*77'
	done
	for name in "--node leaf01" "--severity critical"; do
		# shellcheck disable=SC2086 # split on purpose
		sweep counters --clear errors $name
		expect_status 3
		grep -q "only filters what is shown" report.err
	done
	perfquery "$(lid_of leaf01)" 1 | grep -q 'SymbolErrorCounter:\.*77'
	sweep counters leaf01/1
	expect_status 3

	"$IBCHECK" all --state state >/dev/null || true
	sweep counters --clear errors leaf02/2 --state state --record clear.pcap
	expect_status 0
	expect_findings counters.cleared 1
	expect '.findings[] | select(.check == "counters.cleared") | .message |
		test("counters of 1 of 1 ports were cleared")'
	expect '.findings[] | select(.check == "counters.cleared") | .facts' '{"symbol_error":99}'
	perfquery "$(lid_of leaf02)" 2 | grep -q 'SymbolErrorCounter:\.*0$'
	perfquery "$(lid_of leaf02)" 3 | grep -q 'PortRcvErrors:\.*5$'
	perfquery "$(lid_of leaf01)" 1 | grep -q 'SymbolErrorCounter:\.*77'
	"$TOP/tests/sim/sets" clear.pcap >sets
	[ "$(sort -u sets)" = "$(lid_of leaf02) 2" ]
	# the memory goes on: of the others nothing was taken, and nothing is counted twice
	count leaf01 1 SymbolErrorCounter 78
	sweep counters --state state
	expect '[.tables.links[] | [.node_desc, .port, .errors]]' '[["leaf01",1,1]]'

	# a node is all its ports, which is said first
	sweep counters --clear errors leaf02
	expect_status 0
	grep -q "clears all [0-9]* ports of leaf02" report.err
	perfquery "$(lid_of leaf02)" 3 | grep -q 'PortRcvErrors:\.*0$'
	perfquery "$(lid_of leaf01)" 1 | grep -q 'SymbolErrorCounter:\.*78'
}
export -f named

@test "what is named is cleared, and nothing else is sent" {
	sim two-level-small named
}

# ibsim clears PortXmitPkts in the place of PortRcvPkts
kept()
{
	sweep counters --clear data
	expect_status 3
	expect_findings counters.cleared 2
	expect '[.findings[] | select(.check == "counters.cleared" and .severity == "unknown")][0].message |
		test("PortRcvPkts")'
}
export -f kept

@test "a device that says it cleared, and did not, is found out" {
	sim two-level-small kept
}

# All else only reads, whatever it finds.
unchanged()
{
	local command

	count leaf01 1 SymbolErrorCounter 65535
	for command in all ports "counters --totals" "counters -s state" "counters -s state"; do
		# shellcheck disable=SC2086 # split on purpose
		sweep $command
	done
	perfquery "$(lid_of leaf01)" 1 | grep -q 'SymbolErrorCounter:\.*65535'
}
export -f unchanged

@test "nothing else clears a counter" {
	sim two-level-small unchanged
}

# What a port counted before it went down is in the case of its cable, and in what shows such ports.
dead_port()
{
	local said='the counters of leaf01/5 had SymbolErrorCounter 5000, LinkDownedCounter 5 before that'

	sweep all --checks gone,counters.totals --state state
	count leaf01 5 SymbolErrorCounter 5000
	count leaf01 5 LinkDownedCounter 5
	console "Unlink \"$(id_of leaf01)\"[5]" >/dev/null
	for _ in first later; do
		sweep all --checks gone,counters.totals --state state
		expect "[.findings[] | select(.check == \"gone.cable\") | .message | contains(\"$said\")]" '[true]'
		expect '[.findings[] | select(.check == "gone.cable") | .facts.counted, .facts.peer_counted]' \
			'["SymbolErrorCounter 5000, LinkDownedCounter 5",null]'
		expect '[.cases[].check]' '["gone.cable"]'
	done
	sweep all --checks topo,counters.totals --expect "$TOP/topologies/two-level-small.csv" --state state
	expect "[.findings[] | select(.check == \"topo.missing-cable\") | .message | contains(\"$said\")]" '[true]'
	sweep ports --down
	expect '[.tables.links[] | [.node_desc, .port, (.counted | test("SymbolErrorCounter 5000, "))]]' '[["leaf01",5,true]]'
	sweep counters --down
	expect '[.tables.links[] | [.node_desc, .port, (.counted | test("SymbolErrorCounter 5000, "))]]' '[["leaf01",5,true]]'
	sweep show leaf01/5
	expect '[.tables.counters[] | [.port, .symbol_error]]' '[[5,5000]]'
	# without a memory, and unasked, nothing is read where there is no link
	sweep counters --totals
	expect '[.tables.counters[] | select(.node_desc == "leaf01" and .port == 5) | .symbol_error]' '[null]'
}
export -f dead_port

@test "what a dead port counted before is evidence" {
	sim two-level-small dead_port
}
