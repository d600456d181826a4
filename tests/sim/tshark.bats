# SPDX-License-Identifier: BSD-2-Clause
# An oracle: Wireshark's dissector reads our traces, and the same in the attributes as we do.

load helper.bash

setup()
{
	cd "$BATS_TEST_TMPDIR" || return 1
	command -v tshark >/dev/null || skip "tshark is not installed"
}

# same TRACE ATTRIBUTE...: of a trace that is there
same()
{
	local attribute

	zstd -qdc "$TOP/tests/traces/$1.pcap.zst" >"$1.pcap"
	"$IBCHECK" snapshot --routes --source "$1.pcap" -o "$1.snap" >/dev/null || true
	for attribute in "${@:2}"; do
		"$TOP/tests/sim/dissected" "$1.pcap" "$1.snap" "$attribute"
	done
}

@test "tshark opens the traces, and no packet is malformed" {
	for trace in "$TOP"/tests/traces/*.zst; do
		zstd -qdc "$trace" >trace.pcap
		[ -z "$(tshark -r trace.pcap -Y _ws.malformed 2>/dev/null)" ]
		tshark -r trace.pcap 2>/dev/null | grep -q 'SubnGetResp(NodeInfo)'
	done
}

@test "tshark counts the MADs that ibcheck trace counts" {
	zstd -qdc "$TOP/tests/traces/sm.pcap.zst" >trace.pcap
	"$IBCHECK" trace trace.pcap -f json >report.json
	# tshark sees the record of a time-out as one more query
	expect "[.tables.mad_kinds[] | select(.method == \"GetResp\") | .mads] | add" \
		"$(tshark -r trace.pcap -Y 'infiniband.mad.method == 0x81' 2>/dev/null | wc -l)"
	expect '.tables.trace[0].queries' \
		"$(tshark -r trace.pcap -Y 'infiniband.mad.method in {1, 0x12} && erf.flags.dse == 0' \
			2>/dev/null | wc -l)"
}

@test "NodeInfo, NodeDescription, SwitchInfo and PortInfo as tshark reads them" {
	same routes NodeInfo NodeDescription SwitchInfo PortInfo
}

@test "LinearForwardingTable as tshark reads it" {
	same routes LinearForwardingTable
}

@test "MulticastForwardingTable, SLtoVLMappingTable and VLArbitrationTable as tshark reads them" {
	same groups MulticastForwardingTable SLtoVLMappingTable VLArbitrationTable
	same routes SLtoVLMappingTable VLArbitrationTable
}

@test "subnet administration: ClassPortInfo, PathRecord and MCMemberRecord as tshark reads them" {
	same groups ClassPortInfo PathRecord MCMemberRecord
	same routes ClassPortInfo PathRecord MCMemberRecord
}

@test "subnet administration: ServiceRecord as tshark reads it" {
	same sharp ServiceRecord
}

@test "SMInfo and P_KeyTable as tshark reads them" {
	same sm SMInfo P_KeyTable
}

@test "ClassPortInfo of counters, PortCounters and PortCountersExtended as tshark reads them" {
	same counters ClassPortInfo PortCounters PortCountersExtended
}
