# SPDX-License-Identifier: BSD-2-Clause
# Several windows of time in one run.

load helper.bash

# count NAME PORT FIELD=VALUE
count()
{
	console "PerformanceSet \"$(id_of "$1")\"[$2] PortCounters.$3" >/dev/null
}

# start ARGS...: in the background, until it waits between two sweeps; $pid
start()
{
	local mask=0

	"$IBCHECK" "$@" -f json >report.json 2>report.err &
	pid=$!
	# it waits once it catches SIGTERM, the 15th bit
	until ((0x$mask & 1 << 14)); do
		sleep 0.05
		mask=$(sed -n 's/^SigCgt:\t//p' /proc/$pid/status)
	done
}

# ends: $status
ends()
{
	status=0
	wait "$pid" || status=$?
}
export -f count start ends

one_of_three()
{
	start counters --interval 3 --count 3
	count leaf03 2 PortRcvErrors=12
	ends
	expect_status 2
	expect_findings counters.rcv-errors 1
	expect '[.findings[] | select(.check == "counters.rcv-errors").facts |
		[.count, .windows, .windows_with]]' '[[12,3,1]]'
	expect '.tables.windows | [length, ([.[].errors] | add), ([.[].ports_unread] | add)]' '[3,12,0]'
	expect '[.tables.windows[].seconds > 2.9] | all'
	expect '[.tables.deltas[].interval_seconds > 8.9] | all'
}
export -f one_of_three

@test "an error in one window of three is a fault of the run" {
	sim two-level-small one_of_three
}

signal()
{
	start all --interval 600 --count 5
	count leaf03 2 PortRcvErrors=12
	kill -TERM "$pid"
	ends
	expect_status 2
	expect_findings counters.rcv-errors 1
	expect '[.findings[] | select(.check == "counters.state") | .severity]' '["unknown"]'
	expect '.tables.windows | length' 1
	expect '.summary.nodes' 22

	start counters --interval 600
	kill -TERM "$pid"
	ends
	expect_status 3
	expect_findings counters.state 1
}
export -f signal

@test "a signal ends the waiting, and what was seen is reported as unknown or worse" {
	sim two-level-small signal
}

# What was counted between two runs is in no window.
state()
{
	sweep counters --state state
	count leaf03 2 PortRcvErrors=12
	sweep all --state state --interval 0.5 --count 2
	expect '[.findings[] | select(.check == "counters.rcv-errors").facts |
		[.count, .windows, .windows_with]]' '[[12,2,0]]'
	"$IBCHECK" history --state state -f json >report.json
	expect '[.tables.incidents[] | select(.check == "counters.rcv-errors")] | length' 1
	sweep all --state state --interval 0.5 --count 2
	expect_findings counters.rcv-errors 0
}
export -f state

@test "with a state directory errors count from the last run on, and once" {
	sim two-level-small state
}

configured()
{
	printf '[common]\ninterval = 0.2\ncount = 2\n' >ibcheck.conf
	sweep counters --config ibcheck.conf
	expect '.tables.windows | length' 2
	sweep counters --config ibcheck.conf --count 3
	expect '.tables.windows | length' 3
	"$IBCHECK" snapshot -o one.snap
	sweep all --config ibcheck.conf --source one.snap
	expect '.tables.windows' null
	sweep all --config ibcheck.conf --checks port
	expect '.tables.windows' null
	sweep all --interval 0.2 --checks port
	expect '[.tables.windows[].ports] == [48]'
	sweep counters --config ibcheck.conf --since one.snap
	expect '.tables.windows' null
	expect '.tables.deltas | length > 0'
}
export -f configured

@test "the configuration asks live sweeps for windows, and nothing else" {
	sim two-level-small configured
}
