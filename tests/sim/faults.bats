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
	expect .coverage.complete
	expect .summary.nodes "$(all_nodes)"
}
export -f unmanaged

@test "without a subnet manager the whole fabric is swept, and one finding says so" {
	sim --no-sm two-level-small unmanaged
	sim --no-sm back-to-back unmanaged
}

unmanaged_peer()
{
	ibqueryerrors >peer.out 2>&1
	sweep all --checks -sm
	expect_status 2
}
export -f unmanaged_peer

@test "peer: ibqueryerrors without a subnet manager checks nothing and exits 0" {
	sim --no-sm two-level-small unmanaged_peer
}

# ---- silence -------------------------------------------------------------------

# silent NAME QUESTIONS: its device does not answer, its cables are up
silent()
{
	console "Error \"$(id_of "$1")\" 100"
	sweep all --checks port
	expect_findings port.silent 1
	expect .coverage.complete false
	expect '[.coverage.attributes[].timed_out] | add' "$2"
	expect_status 3
}
export -f silent

silent_host()
{
	silent 'node0016 mlx5_0' 1
	# its neighbour is named, and the sweep goes on
	expect '[.findings[] | select(.check == "port.silent")][0].subject | [.node_desc, .port]' \
		'["leaf04",4]'
	expect .summary.nodes "$(($(all_nodes) - 1))"
	iblinkinfo >peer.out 2>peer.err
	[ "$(grep -c node0016 peer.out)" -eq 0 ]
	ibnetdiscover >peer.out 2>peer.err
	[ "$(grep -c node0016 peer.out)" -eq 0 ]
}
export -f silent_host

@test "peers: a host that does not answer is gone from iblinkinfo and ibnetdiscover, exit 0" {
	sim two-level-small silent_host
}

silent_switch()
{
	# a question a cable to it, and one finding
	silent spine02 4
	expect '[.findings[] | select(.check == "port.silent")][0].related | length' 3
	expect .summary.switches "$(($(all_switches) - 1))"
	iblinkinfo >peer.out 2>peer.err
	[ "$(grep -c spine02 peer.out)" -eq 0 ]
}
export -f silent_switch

@test "peer: a switch that does not answer is gone from iblinkinfo, exit 0" {
	sim two-level-small silent_switch
}

mute()
{
	# PortInfo alone
	console "Error \"$(id_of leaf02)\" 100 21"
	sweep ports
	expect_findings port.silent 1
	expect '[.findings[] | select(.check == "port.silent")][0].subject | [.kind, .node_guid]' \
		'["node","0x0200000000000020"]'
	expect_status 3
	iblinkinfo >peer.out 2>peer.err
}
export -f mute

@test "a switch that answers all but PortInfo is unknown, not ok" {
	sim two-level-small mute
}

flaky()
{
	console "Error \"$(id_of leaf03)\" 10"
	sweep ports
	expect .coverage.complete
	expect .summary.nodes "$(all_nodes)"
	expect '.coverage.mads.retried > 0'
	expect_status 0
}
export -f flaky

@test "a switch that loses a tenth of its answers is asked again" {
	sim two-level-small flaky
}

# ---- ports ---------------------------------------------------------------------

disabled()
{
	port leaf01 5 disable
	sweep ports
	expect_findings port.physical 1
	expect '[.findings[] | select(.check == "port.physical")][0].subject | [.node_desc, .port]' \
		'["leaf01",5]'
	# ibsim leaves the far end LinkUp, and lets nothing through
	expect_findings port.silent 1
	expect_status 3
}
export -f disabled

@test "a port that was switched off is port.physical" {
	sim two-level-small disabled
}

down()
{
	port leaf01 5 down
	sweep ports
	expect_findings port.state 1
	expect '[.findings[] | select(.check == "port.state")][0].subject | [.kind, .node_desc, .port, .peer_desc]' \
		'["cable","leaf01",5,"spine01"]'
	expect_status 2
	iblinkinfo >peer.out
}
export -f down

@test "a cable that came up again without a subnet manager is port.state" {
	sim two-level-small down
}

# Four dual-port adapters on one switch.
dual_ports()
{
	local i

	echo 'Switch 8 "S-1" # "sw"'
	for i in 1 2 3 4; do
		echo "[$i] \"H-$i\"[1]"
		echo "[$((i + 4))] \"H-$i\"[2]"
	done
	for i in 1 2 3 4; do
		printf '\nCa 2 "H-%d" # "host%d mlx5_0"\n' $i $i
		echo "[1] \"S-1\"[$i]"
		echo "[2] \"S-1\"[$((i + 4))]"
	done
}

unplugged()
{
	console 'Unlink "H-3"[2]'
	sweep ports
	expect_findings port.physical 1
	expect '[.findings[] | select(.check == "port.physical")][0].subject | [.node_desc, .port]' \
		'["host3 mlx5_0",2]'
	expect_status 1
}
export -f unplugged

@test "an adapter's port that is down while those of its siblings are up is port.physical" {
	dual_ports >dual.net
	sim dual.net unplugged
}

narrow()
{
	port leaf02 1 width 1
	sweep ports
	expect_findings port.width 1
	expect '[.findings[] | select(.check == "port.width")][0].subject | [.node_desc, .port, .peer_desc]' \
		'["leaf02",1,"node0005 mlx5_0"]'
	# one fault, one finding
	expect '.findings | length' 1
	expect_status 1
}
export -f narrow

@test "a host's cable at 1x is port.width" {
	sim two-level-small narrow
}

slow()
{
	port leaf02 1 espeed 1
	sweep ports
	expect_findings port.speed 1
	expect '.findings | length' 1
	expect_status 1
}
export -f slow

@test "a host's cable below its speed is port.speed" {
	sim two-level-small slow
}

pulled()
{
	console "Unlink \"$(id_of leaf03)\"[6]"
	sweep fattree --checks fattree.missing-uplink
	expect '[.findings[] | [.check, .severity, .subject.node_desc, .subject.port,
		.subject.peer_desc, .subject.peer_port]]' \
		'[["fattree.missing-uplink","critical","leaf03",6,"spine02",3]]'
}
export -f pulled

@test "two-level-small: an uplink that is pulled is named with both ports" {
	sim two-level-small pulled
}

slow_by_plan()
{
	sweep ports
	expect '[.findings[] | select(.check | test("port.(speed|width|rate-odd)"))] | length > 0'
}
export -f slow_by_plan

@test "two-level-small+slow-links: its slow links are found" {
	sim two-level-small+slow-links slow_by_plan
}

# ---- identities ----------------------------------------------------------------

same_lid()
{
	console "Baselid \"$(id_of leaf01)\"[0] $(lid_of leaf02)"
	sweep ports
	# never the answers of one taken for those of the other
	expect .summary.nodes "$(all_nodes)"
	expect .coverage.complete
	expect '[.tables.ports[].node_desc] | unique | length' "$(all_nodes)"
}
export -f same_lid

@test "two switches with one LID are both asked" {
	sim two-level-small same_lid
}

same_guid()
{
	local guid

	guid=$(smpquery nodeinfo "$(lid_of leaf02)" | sed -n 's/^Guid:\.*//p')
	console "Guid \"$(id_of leaf01)\" $guid"
	sweep ports
	expect_findings port.guid 1
	expect_status 2
}
export -f same_guid

@test "two switches with one GUID are port.guid" {
	sim two-level-small same_guid
}

# ---- not whole -----------------------------------------------------------------

cut_short()
{
	local seconds

	for seconds in 0.001 0.005 0.01; do
		LD_PRELOAD="${IBCHECK%/*}/tests/sim/drain.so:$LD_PRELOAD" \
			sweep ports --deadline "$seconds"
		expect_status 3
		expect .coverage.complete false
	done
}
export -f cut_short

@test "a sweep cut short by its deadline is unknown" {
	sim ft-36x18 cut_short
}

# fails COMMAND...: with status 3 and a sentence
fails()
{
	status=0
	"$@" 2>err || status=$?
	[ "$status" -eq 3 ]
	[ "$(grep -c '^ibcheck: ' err)" -eq 1 ]
}
export -f fails

unwritable()
{
	fails "$IBCHECK" ports -o missing/report
	grep -q missing/report err
	fails "$IBCHECK" ports >/dev/full
	fails "$IBCHECK" ports -f json >/dev/full
	fails "$IBCHECK" snapshot -o /dev/full
	fails "$IBCHECK" snapshot -o missing/sweep.json.zst
	[ -z "$(find . -name '*report*' -o -name 'sweep.*')" ]
}
export -f unwritable

@test "a report that cannot be written is unknown, and nothing half is left" {
	sim two-level-small unwritable
}

no_port()
{
	fails "$IBCHECK" ports -C mlx5_9
	grep -q mlx5_9 err
}
export -f no_port

@test "a local device that is not there is named" {
	sim two-level-small no_port
}
