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
		"$IBCHECK" accept --checks -sm.sa-slow --expect plan.net --interval 5m --state state -f json "$@" \
		>report.json 2>report.err 3>&- &
	pid=$!
}

# ends: $status
ends()
{
	status=0
	wait "$pid" || status=$?
}

# so_far NUMBER: of the file
so_far()
{
	sed -n "s/^$1 = \([0-9]*\).*/\1/p" state/acceptance 2>/dev/null
}

# until_watched SECONDS [NUMBER]: or another number of the file; and then time stands still
until_watched()
{
	local end=$((SECONDS + 300)) seen

	: >skip
	until seen=$(so_far "${2:-watched_seconds}") && [ "${seen:-0}" -ge "$1" ]; do
		if ! kill -0 "$pid" || [ $SECONDS -ge $end ]; then
			echo "${2:-watched_seconds} $seen of $1"
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
	clock=$(($(so_far last) + $1))
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
export -f begin ends so_far until_watched later rcv_errors passed

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
	grep -q 'its plan or its checks were others, or have been changed' report.err
	cp "$NETFILE" plan.net
	for checks in -counters -cable.alarm:bias; do
		begin --for 2h --checks "$checks"
		ends
		expect_status 3
		grep -q 'its plan or its checks were others, or have been changed' report.err
	done
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
	cp state/acceptance kept
	for bad in many 1e300 -1 nan; do
		(cat kept && echo "watched_seconds = $bad") >state/acceptance
		begin --for 2h
		ends
		expect_status 3
		grep -q "state/acceptance: line .*: watched_seconds is not a number: $bad" report.err
	done
	(cat kept && echo 'unwatched = 5 99999999999999999 too late') >state/acceptance
	begin --for 2h
	ends
	expect_status 3
	grep -q 'unwatched is not two times and a reason' report.err
	# what was lost has no reason any more, and is told of
	(cat kept && echo 'lost_seconds = 7100') >state/acceptance
	begin --for 2h
	ends
	expect_status 3
	expect '.findings[] | select(.check == "accept.uncovered" and .severity == "unknown") | .message |
		test("not watched for 1.972 h: why is not known")'
	begin --for 8h
	until_watched 600
	kill -KILL "$pid"
	ends
	rm -r state/accept-*
	begin --for 8h
	ends
	expect_status 3
	grep -q 'cannot go on, --restart begins again: cannot open .*first.snap.zst' report.err
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
	grep -q 'is of another fabric, or most of it is down: 2 of its 22 nodes are here; --restart' report.err
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
	# it leads: no manager is master because this one is gone
	expect '.tables.incidents[] | select(.check == "gone.manager") | .state' '"open"'
}
export -f manager_gone

@test "a manager that went away is still away at the end" {
	sim --sm=keep two-level-small manager_gone
}

not_kept()
{
	local kept

	cp "$NETFILE" plan.net
	begin --for 2h
	until_watched 1800
	# what a sweep finds cannot be kept: nobody would know of it in the end
	kept=$(echo state/accept-*)
	mv "$kept" away
	: >"$kept"
	until_watched 3 failed
	# told at once, and not lost with the process
	grep -q 'the last: findings were not kept: ' report.err
	kill -KILL "$pid"
	ends
	rm "$kept"
	mv away "$kept"
	later 600
	begin --for 2h
	ends
	expect_status 3
	expect '[.verdict, .summary.sweeps_failed >= 3]' '["unknown",true]'
	expect '.summary.watched_seconds < 7200'
	expect '[.findings[] | select(.check == "accept.uncovered" and .severity == "unknown") | .message |
		test("^the fabric was not watched for .*: findings were not kept: ")]' '[true]'
	expect '.tables.unwatched | map([.why[:24], .seconds >= 600])' \
		'[["findings were not kept: ",true],["it did not run",true]]'
}
export -f not_kept

@test "time in which no sweep counted is not watched: the verdict is unknown" {
	sim --sm=keep two-level-small not_kept
}

never_kept()
{
	cp "$NETFILE" plan.net
	trap '' XFSZ
	ulimit -f 30 # kB: the first sweep fits, the memory does not
	begin --for 8h
	ends
	expect_status 3
	grep -q '^ibcheck: findings were not kept: .*/history.db: ' report.err
	[ "$(wc -l <report.err)" = 1 ]
}
export -f never_kept

@test "what can keep nothing at the beginning is not tried for hours" {
	sim --sm=keep two-level-small never_kept
}

forgotten()
{
	cp "$NETFILE" plan.net
	printf '[common]\nretention = 2h\n' >conf
	begin --config conf --for 2d --interval 1h
	until_watched 9000
	rcv_errors leaf03 1 17
	: >skip
	ends
	[ "$(passed)" = '["counters.rcv-errors"]' ]
	expect '[.tables.incidents[] | select(.check == "counters.rcv-errors") | .state]' '["ended"]'
}
export -f forgotten

@test "no retention makes it forget before its end" {
	sim --sm=keep two-level-small forgotten
}

halted()
{
	cp "$NETFILE" plan.net
	begin --for 5m --interval 4
	until_watched 10
	# between two sweeps: one that is under way takes longer, and that is all
	for try in 1 2 3 4 5; do
		kill -STOP "$pid"
		sleep 9
		kill -CONT "$pid"
		sleep 3
		! grep -q 'it did not run' state/acceptance || break
	done
	: >skip
	ends
	expect_status 0
	expect '.summary.watched_seconds >= 300'
	expect '[.tables.unwatched[] | .why] | unique' '["it did not run"]'
	expect '[.tables.unwatched[].seconds] | add >= 8'
}
export -f halted

@test "while the process is stopped nothing is watched" {
	sim --sm=keep two-level-small halted
}

plan_edited()
{
	cp "$TOP/topologies/two-level-small.csv" plan.net
	begin --for 1h
	until_watched 600
	echo 'leaf01,999,' >>plan.net
	: >skip
	ends
	expect_status 3
	grep -q 'the plan or the list of checks is another than when it began: put it back, and the same command goes on' report.err
	cp "$TOP/topologies/two-level-small.csv" plan.net
	later 60
	begin --for 1h
	ends
	expect_status 0
}
export -f plan_edited

@test "a plan that is edited meanwhile is no plan" {
	sim --sm=keep two-level-small plan_edited
}

cut_off()
{
	cp "$NETFILE" plan.net
	begin --for 2h
	until_watched 1800
	console "Unlink \"$SIM_HOST\"" >/dev/null # its own cable
	until_watched 2700
	console "Relink \"$SIM_HOST\"" >/dev/null
	timeout 300 bash -c 'until "$IBCHECK" topo plan.net; do sleep 0.1; done' >/dev/null
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
	mkfifo pipe
	refused 'pipe is no file: a plan is read for each sweep' --expect pipe --for 1h
	rm pipe
	refused '--record is for all' --expect plan.net --for 1h --record x.pcap
	refused 'cannot make none/there' --expect plan.net --for 1h --state none/there
	[ "$(ls)" = plan.net ]
}
