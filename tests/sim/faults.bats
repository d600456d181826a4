# SPDX-License-Identifier: BSD-2-Clause
# Faults, made in the simulator and found by their check's id; and what the
# peers of infiniband-diags make of the same fabric.

load helper.bash

# ---- no subnet manager ---------------------------------------------------------

unmanaged()
{
	sweep ports
	expect_findings port.state 1
	expect '[.findings[] | select(.check == "port.state")][0].subject.kind' '"fabric"'
	expect .verdict '"critical"'
	expect_status 2
	expect .summary.nodes "$(grep -cE '^(Switch|Ca)' "$NETFILE")"
}
export -f unmanaged

@test "without a subnet manager the whole fabric is swept, and one finding says so" {
	sim --no-sm two-level-small unmanaged
	sim --no-sm back-to-back unmanaged
}

unmanaged_peers()
{
	ibqueryerrors >peer.out 2>&1
	sweep all
	[ "$status" -ne 0 ]
}
export -f unmanaged_peers

@test "peer: ibqueryerrors without a subnet manager checks nothing and exits 0" {
	sim --no-sm two-level-small unmanaged_peers
}

# ---- silence -------------------------------------------------------------------

# silent NAME: its device does not answer, its cables are up
silent()
{
	console "Error \"$(id_of "$1")\" 100"
	sweep all
	expect_findings port.silent 1
	expect '.coverage.complete' false
	expect '[.coverage.attributes[].timed_out] | add > 0'
	expect_status 3
}
export -f silent

silent_host()
{
	local name

	name=$(awk -F'"' '/^Ca/ { name = $4 } END { print name }' "$NETFILE")
	silent "$name"
	# its neighbour is named, and the sweep goes on
	expect '[.findings[] | select(.check == "port.silent")][0] | tostring | contains("leaf")'
	expect .summary.switches "$(grep -c ^Switch "$NETFILE")"
	iblinkinfo >peer.out 2>peer.err
	! grep -q "\"$name\"" peer.out
	ibnetdiscover >peer.out 2>peer.err
	! grep -q "\"$name\"" peer.out
}
export -f silent_host

@test "peers: a host that does not answer is gone from iblinkinfo and ibnetdiscover, exit 0" {
	sim two-level-small silent_host
}

silent_switch()
{
	silent spine02
	iblinkinfo >peer.out 2>peer.err
	! grep -q spine02 peer.out
}
export -f silent_switch

@test "peer: a switch that does not answer is gone from iblinkinfo, exit 0" {
	sim two-level-small silent_switch
}

silent_ports()
{
	console "Error \"$(id_of leaf02)\"[3] 100 21"
	sweep ports
	expect_findings port.silent 1
	expect_status 3
}
export -f silent_ports

# ---- ports ---------------------------------------------------------------------

disabled()
{
	ibportstate "$(lid_of leaf01)" 5 disable
	sweep ports
	expect_findings port.physical 1
	expect '[.findings[] | select(.check == "port.physical")][0].subject | [.node_desc, .port] | contains(["leaf01"])'
	[ "$status" -eq 1 ]
}
export -f disabled

@test "a port that was switched off is port.physical" {
	sim two-level-small disabled
}

narrow()
{
	ibportstate "$(lid_of leaf01)" 5 width 1
	sweep ports
	expect_findings port.width 1
	[ "$status" -ne 0 ]
}
export -f narrow

@test "a cable held at 1x is port.width" {
	sim two-level-small narrow
}

slow()
{
	ibportstate "$(lid_of leaf01)" 5 espeed 1
	sweep ports
	expect_findings port.speed 1
	[ "$status" -ne 0 ]
}
export -f slow

@test "a cable held below its speed is port.speed" {
	sim two-level-small slow
}

# ---- identities ----------------------------------------------------------------

same_lid()
{
	local lid

	lid=$(lid_of leaf02)
	console "Baselid \"$(id_of leaf01)\"[0] $lid"
	sweep ports
	# never the answers of one taken for those of the other
	expect .summary.nodes "$(grep -cE '^(Switch|Ca)' "$NETFILE")"
	expect .coverage.complete
}
export -f same_lid

@test "two switches with one LID are both asked" {
	sim two-level-small same_lid
}

same_guid()
{
	local id guid

	id=$(id_of leaf02)
	guid=$(smpquery nodeinfo "$(lid_of leaf02)" | sed -n 's/^Guid:\.*//p')
	console "Guid \"$(id_of leaf01)\" $guid"
	sweep ports
	expect_findings port.guid 1
	[ "$status" -ne 0 ]
}
export -f same_guid

@test "two switches with one GUID are port.guid" {
	sim two-level-small same_guid
}

# ---- not whole -----------------------------------------------------------------

too_short()
{
	sweep ports --deadline 0.001
	expect_status 3
	expect .coverage.complete false
}
export -f too_short

@test "a sweep cut off by its deadline is unknown" {
	sim ft-36x18 too_short
}

nowhere()
{
	status=0
	"$IBCHECK" ports -o missing/report >out 2>err || status=$?
	[ "$status" -eq 3 ]
	grep -q missing err
	status=0
	"$IBCHECK" ports >/dev/full 2>err || status=$?
	[ "$status" -eq 3 ]
	grep -q 'No space left' err
	status=0
	"$IBCHECK" snapshot -o /dev/full 2>err || status=$?
	[ "$status" -eq 3 ]
	[ -z "$(find . -name 'report*')" ]
}
export -f nowhere

@test "a report that cannot be written is unknown, and nothing half is left" {
	sim two-level-small nowhere
}
