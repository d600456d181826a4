# SPDX-License-Identifier: BSD-2-Clause
# Counters as a sweep reads them, and a snapshot keeps them.

load helper.bash

# set_counters NAME PORT ATTRIBUTE FIELD=VALUE...
set_counters()
{
	local field

	for field in "${@:4}"; do
		console "PerformanceSet \"$(id_of "$1")\"[$2] $3.$field" >/dev/null
	done
}

# keep: one sweep, as counters.snap
keep()
{
	sweep snapshot -o counters.snap
}

# kept NAME PORT KEY...: their values, separated by blanks
kept()
{
	jq -r --arg name "$1" --argjson port "$2" 'select(.desc == $name) | .ports[] |
		select(.num == $port) | .counters.values |
		[.[$ARGS.positional[]] | tostring] | join(" ")' \
		counters.snap --args -- "${@:3}"
}

# expect_kept VALUES NAME PORT KEY...
expect_kept()
{
	local found

	found=$(kept "${@:2}")
	[ "$found" = "$1" ] && return
	echo "expected: ${*:2}: $1, found: $found"
	return 1
}

# asked ATTRIBUTE: how many questions, and how many without an answer
asked()
{
	expect "[.coverage.attributes[] | select(.attribute == \"$1\") | .asked, .timed_out]" "$2"
}
export -f set_counters keep kept expect_kept asked

values()
{
	local data

	set_counters leaf01 2 PortCounters SymbolErrorCounter=1 LinkErrorRecoveryCounter=2 \
		LinkDownedCounter=3 PortRcvRemotePhysicalErrors=5 PortRcvSwitchRelayErrors=6 \
		PortXmitConstraintErrors=8 PortRcvConstraintErrors=9 LocalLinkIntegrityErrors=10 \
		ExcessiveBufferOverrunErrors=11 VL15Dropped=12 PortXmitWait=13
	set_counters leaf01 3 PortCountersExtended PortXmitData=1099511627776 \
		PortUnicastXmitPkts=78 PortMultiCastXmitPkts=79
	keep
	expect_status 0
	expect .coverage.complete
	expect_kept '1 2 3 5 6 8 9 10 11 12 13' leaf01 2 symbol_error link_error_recovery \
		link_downed receive_remote_physical_errors receive_switch_relay_errors \
		transmit_constraint_errors receive_constraint_errors local_link_integrity_errors \
		excessive_buffer_overrun_errors vl15_dropped transmit_wait
	expect_kept '78 79' leaf01 3 unicast_transmit_packets multicast_transmit_packets
	# words of four bytes; the sweep itself is traffic
	data=$(kept leaf01 3 transmit_data_bytes)
	[ "$data" -ge 4398046511104 ] && [ "$data" -lt 4398047000000 ]
	# two ends a cable, and details of none
	asked PortCounters '[48,0]'
	asked PortCountersExtended '[48,0]'
	expect '[.coverage.attributes[].attribute | select(endswith("Details"))]' '[]'
}
export -f values

@test "every counter is read as it was set, data as bytes" {
	sim two-level-small values
}

details()
{
	set_counters leaf01 2 PortCounters PortRcvErrors=5 PortXmitDiscards=7
	set_counters leaf01 2 PortRcvErrorDetails PortLocalPhysicalErrors=5
	set_counters leaf01 2 PortXmitDiscardDetails PortInactiveDiscards=7
	keep
	expect_kept '5 5 0' leaf01 2 receive_errors local_physical_errors looping_errors
	expect_kept '7 7 0' leaf01 2 transmit_discards inactive_discards \
		switch_hoq_lifetime_limit_discards
	asked PortRcvErrorDetails '[1,0]'
	asked PortXmitDiscardDetails '[1,0]'
	ibqueryerrors --skip-sl --details >peer.out 2>peer.err || true
	grep -q 'PortXmitDiscards == 7.*PortLocalPhysicalErrors == 7' peer.out
}
export -f details

@test "peer: ibqueryerrors names the details of discards as those of errors" {
	sim two-level-small details
}

saturated()
{
	set_counters leaf01 2 PortCounters SymbolErrorCounter=65535 LinkDownedCounter=254
	keep
	[ "$(jq -c 'select(.desc == "leaf01") | .ports[] | select(.num == 2) |
		.counters.saturated' counters.snap)" = '["symbol_error"]' ]
}
export -f saturated

@test "a counter at its end is known to be there" {
	sim two-level-small saturated
}

# PortCountersExtended is 29; no other question has that number
silent_pma()
{
	console "Error \"$(id_of leaf01)\" 100 29" >/dev/null
	keep
	expect_status 3
	expect .coverage.complete false
	asked PortCountersExtended '[48,6]'
	asked PortInfo '[54,0]'
}
export -f silent_pma

@test "counters that do not come leave a sweep incomplete" {
	sim two-level-small silent_pma
}

unmanaged()
{
	keep
	expect_status 3
	asked PortCounters '[48,48]'
	# nothing was sent in vain
	expect '.coverage.mads | [.timed_out, .sent - .retried - .answered]' '[0,0]'
}
export -f unmanaged

@test "without a subnet manager no counter is asked for in vain, and none is taken for read" {
	sim --no-sm two-level-small unmanaged
}
