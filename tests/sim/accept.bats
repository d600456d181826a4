# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016,SC2030,SC2031,SC2034
# The acceptance of a cluster: hours that pass as fast as their sweeps are done (clock.c).  While
# the file "skip" is not there its clock is the real one, and nothing happens between two sweeps.

load helper.bash

# begin ARGS...: in the background, as JSON: report.json, report.err, $pid
begin()
{
	: >skip
	CLOCK=${clock:-$(date +%s)} SKIP=$PWD/skip \
		LD_PRELOAD="${IBCHECK%/*}/tests/sim/clock.so:$LD_PRELOAD" \
		"$IBCHECK" accept --expect plan.net --interval 5m --state state -f json "$@" \
		>report.json 2>report.err 3>&- &
	pid=$!
}

# ends: $status
ends()
{
	status=0
	wait "$pid" || status=$?
}

# watched: seconds so far
watched()
{
	sed -n 's/^watched_seconds = \([0-9]*\).*/\1/p' state/acceptance 2>/dev/null
}

# until_watched SECONDS: and then time stands still
until_watched()
{
	local end=$((SECONDS + 100)) seen

	: >skip
	until seen=$(watched) && [ "${seen:-0}" -ge "$1" ]; do
		if ! kill -0 "$pid" || [ $SECONDS -ge $end ]; then
			echo "watched $seen of $1 s"
			cat report.err
			return 1
		fi
		sleep 0.05
	done
	rm skip
	sleep 1 # a sweep that was under way has ended
}

# later SECONDS: after the last sweep, the next one begins
later()
{
	clock=$(($(sed -n 's/^last = \([0-9]*\).*/\1/p' state/acceptance) + $1))
}

# rcv_errors NAME PORT NUMBER
rcv_errors()
{
	console "PerformanceSet \"$(id_of "$1")\"[$2] PortCounters.PortRcvErrors=$3" >/dev/null
}

# passed: checks whose faults came and went
passed()
{
	jq -c '[.findings[] | select(.check == "accept.passed") | .facts.fault] | unique' report.json
}
export -f begin ends watched until_watched later rcv_errors passed

# ---- clean, and with faults -----------------------------------------------------------------

clean()
{
	cp "$NETFILE" plan.net
	begin --for 8h
	ends
	expect_status 0
	expect_faults '[]'
	expect '[.verdict, .summary.asked_seconds, .summary.cables_as_planned]' '["ok",28800,24]'
	expect '.summary.watched_seconds >= 28800 and .summary.sweeps >= 97'
	expect '[.tables.unwatched, .tables.incidents]' '[[],[]]'
	expect_findings accept.uncovered 1 # the simulator has no physical layer
	grep -q 'watched .* of 8 h, .* sweeps; the last: ok; ends about ' report.err
	[ "$(wc -l <report.err)" -le 12 ]
	[ ! -e state/acceptance ]
	[ "$("$IBCHECK" history --state state/accept-* -f json | jq '.tables.incidents | length')" = 0 ]
}
export -f clean

@test "a clean cluster is accepted, after all of the time" {
	sim --sm=keep two-level-small clean
}

faulty()
{
	cp "$TOP/topologies/two-level-small.net" plan.net
	port leaf02 1 width 1
	begin --for 8h
	until_watched 3600
	rcv_errors leaf03 1 3
	until_watched 4500
	rcv_errors leaf03 1 5
	: >skip
	ends
	expect_status 2
	expect '[.cases[] | select(.check == "topo.swapped") | .severity]' '["critical"]'
	expect '[.findings[] | select(.check == "port.width")] | length' 1
	# 5 in 8 hours are too few to be told of at the end, and were seen
	expect '[.findings[] | select(.check == "counters.rcv-errors")]' '[]'
	[ "$(passed)" = '["counters.rcv-errors"]' ]
	expect '.findings[] | select(.check == "accept.passed") |
		[.severity, .subject.kind, (.message | test("^counters.rcv-errors: .* not at the end$"))]' \
		'["warning","cable",true]'
	expect '[.tables.incidents[] | select(.check == "counters.rcv-errors") | .state]' '["ended"]'
}
export -f faulty

@test "a swap, a narrow link, and errors that began after an hour and stopped" {
	sim --sm=keep two-level-small+swapped faulty
}

# ---- stopped, and gone on with ---------------------------------------------------------------

resumed()
{
	cp "$NETFILE" plan.net
	begin --for 2h
	until_watched 1800
	rcv_errors leaf01 1 1
	until_watched 2400
	kill -KILL "$pid"
	ends
	later 600
	# not with anything else
	begin --for 4h
	ends
	expect_status 3
	grep -q 'is not over, and was for 2 h: .*--restart' report.err
	echo '# the same cables' >>plan.net
	begin --for 2h
	ends
	expect_status 3
	grep -q 'plan was another one, or has been changed' report.err
	cp "$NETFILE" plan.net
	# a second stop, which says how it goes on
	begin --for 2h
	until_watched 4000
	kill -TERM "$pid"
	ends
	expect_status 3
	grep -q 'stopped, after .* of 2 h: the same command goes on with what is in state' report.err
	[ ! -s report.json ]
	later 1200
	begin --for 2h
	ends
	expect_status 1
	[ "$(passed)" = '["counters.rcv-errors"]' ]
	expect '.summary.watched_seconds >= 7200'
	expect '[.tables.unwatched[] | [.why, .seconds >= 600]]' \
		'[["it did not run",true],["it did not run",true]]'
	expect '[.findings[] | select(.check == "accept.uncovered") | .severity] | unique' '["info"]'
	expect '[.findings[] | select(.message | test("was stopped for .* which was added at the end"))] |
		length' 1
}
export -f resumed

@test "killed or stopped, it goes on, with what it has seen" {
	sim --sm=keep two-level-small resumed
}

at_once()
{
	cp "$NETFILE" plan.net
	begin --for 2h
	until_watched 600
	first=$pid
	begin --for 2h
	ends
	expect_status 3
	grep -q 'another ibcheck accept runs in state' report.err
	kill -KILL "$first"
	! wait "$first" || return 1
	# what it kept is damaged: that is said, and --restart helps
	echo 'watched_seconds = many' >>state/acceptance
	begin --for 2h
	ends
	expect_status 3
	grep -q 'state/acceptance: line .*: watched_seconds is not a number: many' report.err
	begin --for 10m --restart
	ends
	expect_status 0
	expect '.tables.unwatched' '[]'
}
export -f at_once

@test "one at a time, and begun anew only if asked to" {
	sim --sm=keep two-level-small at_once
}

other_fabric()
{
	begin --for 2h
	ends
	expect_status 3
	grep -q 'state/acceptance is of another fabric: 2 of its 22 nodes are here; --restart' report.err
}
begun()
{
	cp "$NETFILE" plan.net
	begin --for 2h
	until_watched 600
	kill -KILL "$pid"
	ends
}
export -f other_fabric begun

@test "another fabric is not gone on with" {
	sim --sm=keep two-level-small begun
	sim --sm=keep back-to-back other_fabric
}

# ---- what goes away ----------------------------------------------------------------------------

manager_gone()
{
	cp "$NETFILE" plan.net
	begin --for 2h
	until_watched 1800
	kill -KILL "$OPENSM_PID"
	: >skip
	ends
	expect_status 2
	expect '[.findings[] | select(.check == "sm.none")] | length' 1
	expect '.tables.incidents[] | select(.check == "sm.none") | .state' '"open"'
}
export -f manager_gone

@test "a manager that went away is still away at the end" {
	sim --sm=keep two-level-small manager_gone
}

fabric_gone()
{
	local kept

	cp "$NETFILE" plan.net
	begin --for 2h
	until_watched 1800
	# what a sweep finds cannot be kept: nobody would know of it in the end
	kept=$(echo state/accept-*)
	mv "$kept" away
	: >"$kept"
	: >skip
	sleep 2
	rm skip
	sleep 1
	rm -r "$kept"
	mv away "$kept"
	: >skip
	ends
	expect_status 3
	expect '[.verdict, .summary.sweeps_failed > 0]' '["unknown",true]'
	expect '.summary.watched_seconds < 7200'
	expect '[.findings[] | select(.check == "accept.uncovered" and .severity == "unknown") | .message |
		test("^the fabric was not watched for .*: what it found could not be kept")]' '[true]'
	expect '.tables.unwatched | length > 0'
}
export -f fabric_gone

@test "time in which no sweep counted is not watched: the verdict is unknown" {
	sim --sm=keep two-level-small fabric_gone
}

cut_off()
{
	cp "$NETFILE" plan.net
	begin --for 2h
	until_watched 1800
	console "Unlink \"$SIM_HOST\"" >/dev/null # its own cable
	until_watched 2700
	console "Relink \"$SIM_HOST\"" >/dev/null
	sleep 5
	: >skip
	ends
	[ "$status" != 0 ]
	passed | grep -q topo.missing-node
	expect '.summary.cables_as_planned' 24
}
export -f cut_off

@test "the fabric that was out of reach for a while was not well" {
	sim --sm=keep two-level-small cut_off
}

# ---- what cannot be asked for -------------------------------------------------------------------

refused()
{
	local text=$1

	shift
	run -3 "$IBCHECK" accept "$@"
	[[ $output == *"$text"* ]] || {
		echo "$output"
		return 1
	}
}

@test "what tells nothing is refused before anything is asked" {
	cp "$TOP/topologies/two-level-small.net" plan.net
	refused 'accept needs the plan' --for 8h
	refused 'accept needs the time to watch for: --for 8h' --expect plan.net
	refused 'cannot open missing.net' --expect missing.net --for 8h
	for bad in 0 10y -1 8x 100d; do
		refused '--for: ' --expect plan.net --for "$bad"
	done
	refused '--for 5 s is too short: at least 60 s' --expect plan.net --for 5s
	refused 'is longer than --for' --expect plan.net --for 1h --interval 2h
	refused 'plan.net does not change' --expect plan.net --for 1h --source plan.net
	refused '--record is for all' --expect plan.net --for 1h --record x.pcap
	refused 'cannot make none/there' --expect plan.net --for 1h --state none/there
	[ "$(ls)" = plan.net ]
}
