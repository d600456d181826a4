# SPDX-License-Identifier: BSD-2-Clause
# The fabric live: events as lines and as JSON lines, and the screen, in a real terminal.

load helper.bash

# The simulator's libumad2sim would not let tmux start.  Each terminal has a server of its own:
# one that is ending still takes who comes, and fails him.
terminal()
{
	SHELL=/bin/bash env -u LD_PRELOAD tmux -S "$PWD/tmux${closed:-0}" -f /dev/null "$@"
}

# opens ARGS...: a watch on a screen of 100 x 30
opens()
{
	terminal new-session -d -x 100 -y 30 "(echo \$BASHPID >watching; exec env LC_ALL=C.UTF-8 \
		TERM=screen-256color LD_PRELOAD='$LD_PRELOAD' '$IBCHECK' watch $* 2>complaints)
		echo \$? >ended; sleep 60"
}

screen()
{
	terminal capture-pane -p
}

# what soon() shows of a test in which it waited in vain
in_vain()
{
	screen || true
	tail -n 20 lines.* || true
}

# shows PATTERN: it is on the screen, soon
shows()
{
	soon eval "screen | grep -qE -- '$1'"
}

# closes: the terminal, with what is in it
closes()
{
	terminal kill-server
	closed=$((${closed:-0} + 1))
}

# starts NAME ARGS...: lines in lines.NAME, complaints in err.NAME; $pid
starts()
{
	local name=$1

	shift
	"$IBCHECK" watch "$@" >"lines.$name" 2>"err.$name" &
	pid=$!
}

# has NAME PATTERN: the line is there, soon
has()
{
	soon grep -qE -- "$2" "lines.$1"
}

# halts PID: between two rounds, when it sleeps as sleep does
halts()
{
	local asleep

	sleep 60 &
	soon grep -q nanosleep "/proc/$!/wchan"
	asleep=$(cut -d ' ' -f 1 "/proc/$!/syscall")
	kill $!
	until kill -STOP "$1" && sleep 0.1 && grep -q "^$asleep " "/proc/$1/syscall"; do
		kill -CONT "$1"
		sleep 0.03
	done
}

# ends PID: on SIGTERM; $status
ends()
{
	kill -TERM "$1"
	status=0
	wait "$1" || status=$?
}
export -f terminal opens screen in_vain soon shows closes starts has halts ends

setup_file()
{
	command -v tmux >/dev/null || skip "tmux is missing"
}

reseat()
{
	local leaf

	leaf=$(id_of leaf03)
	starts text -i 0.5
	text=$pid
	starts json -i 0.5 -f json leaf03
	json=$pid
	starts other -i 0.5 leaf01
	other=$pid
	has text 'OK: 6 switches'
	has json '"event":"start"'
	has other 'OK: 6 switches'
	console "Unlink \"$leaf\"[5]" >/dev/null
	has text '^..:..:.. leaf03/5 LinkUp -> Polling, was to spine01/3$'
	console "ReLink \"$leaf\"[5]" >/dev/null
	has text 'leaf03/5 Polling -> LinkUp( \(.*\))?, 4x EDR, to spine01/3$'
	console "PerformanceSet \"$leaf\"[2] PortCounters.PortRcvErrors=12" >/dev/null
	has text 'leaf03/2 PortRcvErrors 12$'
	has text 'CRITICAL counters.rcv-errors leaf03/2 - .* \[[0-9a-f]{8}\]$'
	has text 'leaf03/5 no errors for 20 s'
	has json '"event":"quiet"'
	ends "$text"
	[ "$status" = 2 ]
	ends "$json"
	ends "$other"
	[ ! -s err.text ]
	# a cable is told once, and what is elsewhere not at all
	[ "$(grep -cE 'LinkUp -> Polling' lines.text)" = 1 ]
	[ "$(wc -l <lines.other)" = 1 ]
	mv lines.json lines.jsonl
	"$TOP/tests/validate-report" lines.jsonl
	jq -se 'map(select(.event == "state" and .is.phys_state == "polling"))[0] |
		.port == 5 and .peer_port == 3 and .was.state == "active"' lines.jsonl
	jq -se 'map(select(.event == "errors"))[0].errors == 12' lines.jsonl
}
export -f reseat

@test "a reseated cable, as lines and as JSON lines, and quiet once it has no errors" {
	sim --sm=keep two-level-small reseat
}

on_screen()
{
	local leaf

	leaf=$(id_of leaf03)
	opens -i 0.5 leaf03
	shows '^..:..:.. leaf03 OK; fabric OK: 0 critical, 0 warnings; every 0.5 s'
	shows 'leaf03/6 - spine02/3'
	console "Unlink \"$leaf\"[5]" >/dev/null
	terminal resize-window -x 80 -y 24 # whole there, too
	shows '^leaf03/5 - was spine01/3 .* Polling'
	shows '^leaf03/5 - spine01/3: is missing' # the place first
	terminal resize-window -x 100 -y 30
	shows '^..:..:.. leaf03/5 LinkUp -> Polling, was to spine01/3'
	console "ReLink \"$leaf\"[5]" >/dev/null
	shows '^leaf03/5 - spine01/3 .* 4x EDR'
	shows 'to spine01/3, no errors for [0-9]+ s'
	console "PerformanceSet \"$leaf\"[6] PortCounters.PortRcvErrors=12" >/dev/null
	shows '^leaf03/6 - spine02/3 .* 12 '
	terminal send-keys s # by errors a second, then errors: the worst is first
	terminal send-keys Home Space
	shows 'FROZEN'
	terminal send-keys Space z
	shows 'errors and flaps start from 0 here'
	shows 'WARNING: 0 critical' # but for its total, what was counted before is no fault now
	terminal send-keys / spine02 Enter
	shows '^/spine02'
	! screen | grep -q 'leaf03/5 - spine01/3' || return 1
	terminal resize-window -x 20 -y 5
	shows '^/spine02'
	terminal resize-window -x 100 -y 30
	shows 'leaf03/6 - spine02/3'
	terminal send-keys q
	soon test -s ended
	closes
	[ "$(cat ended)" = 1 ]
	[ ! -s complaints ]
}
export -f on_screen

@test "one switch on a screen: cables, keys, a small terminal and back" {
	sim --sm=keep two-level-small on_screen
}

vanishes()
{
	starts text -i 0.5
	has text 'OK: 6 switches'
	# its own cable, between two sweeps: one that it is pulled in finds single devices silent first
	halts "$pid"
	console "Unlink \"$SIM_HOST\"" >/dev/null
	kill -CONT "$pid"
	has text 'leaf04 is gone, with 6 cables and 20 nodes behind it$'
	halts "$pid"
	console "ReLink \"$SIM_HOST\"" >/dev/null
	kill -CONT "$pid"
	has text 'leaf04 is there, with 6 cables and 20 nodes behind it$'
	ends "$pid"
	[ "$(grep -c 'is gone' lines.text)" = 1 ]
}
export -f vanishes

@test "a fabric that vanishes does not end it" {
	sim --sm=keep two-level-small vanishes
}

refused()
{
	status=0
	"$IBCHECK" watch leaf99 >out 2>err || status=$?
	[ "$status" = 3 ]
	[ ! -s out ]
	grep -q 'leaf99' err
	status=0
	"$IBCHECK" watch --expect none.csv >out 2>err || status=$?
	[ "$status" = 3 ]
	grep -q none.csv err
	status=0
	"$IBCHECK" watch -f csv >out 2>err || status=$?
	[ "$status" = 3 ]
	"$IBCHECK" watch -i 0.5 --count 3 -o lines || true
	[ "$(wc -l <lines)" = 1 ]
	# a reader that goes away ends it
	"$IBCHECK" watch -i 0.1 -f json | head -n 1 | jq -e '.event == "start"'
	# as does a signal, in the screen as well
	opens -i 0.5
	shows 'OK: 0 critical'
	kill -TERM "$(cat watching)"
	soon test -s ended
	closes
}
export -f refused

@test "what is wrong from the start ends it, and so do a reader that goes and a signal" {
	sim --sm=keep two-level-small refused
}

remembers()
{
	"$IBCHECK" watch -i 0.5 --count 3 --state state >lines 2>err || true
	[ ! -s err ]
	! grep -q counters.state lines || return 1 # no run is in the way of the next
	"$IBCHECK" history --state state -f json >report.json
	expect '.verdict' '"ok"'
	# the configuration, with its interval for two sweeps, is read; a mistake in it ends the start
	printf '[common]\ninterval = 600\nstate = state\n' >ibcheck.conf
	"$IBCHECK" watch -i 0.5 --count 2 --config ibcheck.conf >lines
	printf 'nonsense\n' >ibcheck.conf
	status=0
	"$IBCHECK" watch --config ibcheck.conf 2>err || status=$?
	[ "$status" = 3 ]
	grep -q 'line 1' err
}
export -f remembers

@test "with a state directory every sweep is a run, and the configuration holds" {
	sim --sm=keep two-level-small remembers
}

hostile()
{
	opens -i 0.5
	shows 'leaf01/1 - '
	! screen | LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f]' || return 1
	shows 'evil'
	terminal send-keys q
	soon test -s ended
	closes
}
export -f hostile

@test "names with escapes stay names" {
	sed 's/"node0003 mlx5_0"/"evil\x1b[2J\x07 mlx5_0"/' "$TOP/topologies/two-level-small.net" >evil.net
	sim --sm=keep "$PWD/evil.net" hostile
}

rereads()
{
	: >conf
	starts text -i 0.5 --config conf
	has text 'OK: 6 switches'
	printf '[counters.rcv-errors]\nenabled = perhaps\n' >conf
	kill -HUP "$pid"
	has text 'the configuration stays as it was: conf: line 2'
	printf '[counters.rcv-errors]\nenabled = no\n' >conf
	kill -HUP "$pid"
	has text 'the configuration was read again; '
	console "PerformanceSet \"$(id_of leaf03)\"[2] PortCounters.PortRcvErrors=12" >/dev/null
	has text 'leaf03/2 PortRcvErrors 12$'
	! grep -qE '(WARNING|CRITICAL) counters.rcv-errors' lines.text || false
	# what a start refuses, and what goes on with the old one
	printf '[common]\nformat = csv\n' >conf
	kill -HUP "$pid"
	has text 'stays as it was: watch writes text or json, not csv'
	# another thing to look at, one that is not there, and an end
	printf '[all]\nnode = leaf01\n[watch]\ninterval = 600\n' >conf
	kill -HUP "$pid"
	soon eval '[ "$(grep -c "was read again; format and output" lines.text)" = 2 ]'
	console "PerformanceSet \"$(id_of leaf03)\"[1] PortCounters.PortRcvErrors=13" >/dev/null
	console "PerformanceSet \"$(id_of leaf01)\"[1] PortCounters.PortRcvErrors=14" >/dev/null
	printf '[all]\nnode = leaf01\n[watch]\ninterval = 0.5\n' >conf
	kill -HUP "$pid"
	has text 'leaf01/1 PortRcvErrors 14$'
	! grep -q 'leaf03/1 PortRcvErrors' lines.text || false
	printf '[all]\nnode = leaf99\n' >conf
	kill -HUP "$pid"
	has text 'was read again; but .*leaf99'
	printf '[watch]\ncount = 1\n' >conf
	kill -HUP "$pid"
	wait "$pid" || true
	[ ! -s err.text ]
	# with the terminal it ends
	opens -i 0.5
	shows 'WARNING: 0 critical'
	kill -HUP "$(cat watching)"
	shows 'the configuration was read again'
	closes
	soon eval '! kill -0 "$(cat watching)" 2>/dev/null'
}
export -f rereads

@test "SIGHUP reads the configuration again, but that of a terminal that closes ends it" {
	sim --sm=keep two-level-small rereads
}

# rereads_thing: a thing on the command line, and another one in the file
rereads_thing()
{
	: >conf
	starts text -i 0.5 --config conf leaf01
	has text ': 6 switches'
	printf '[all]\nnode = leaf03\n' >conf
	kill -HUP "$pid"
	has text 'stays as it was: name what to watch, or --node, not both'
	kill "$pid"
	wait "$pid" || true
	[ ! -s err.text ]
}
export -f rereads_thing

@test "SIGHUP refuses what the start refuses" {
	sim --sm=keep two-level-small rereads_thing
}

# reseats: as an administrator sees it who is on the phone with the technician at leaf03
reseats()
{
	local leaf right

	leaf=$(id_of leaf03)
	right=$(id_of 'node0010 mlx5_0')
	opens -i 0.5 leaf03
	starts text -i 0.5 leaf03
	text=$pid
	shows 'leaf03/5 - spine01/3'
	has text 'OK: 6 switches'

	# cables are pulled: the rows say what is to be plugged in again
	console "Unlink \"$leaf\"[6]" >/dev/null
	shows '^leaf03/6 - was spine02/3 .* Polling'
	has text 'leaf03/6 LinkUp -> Polling, was to spine02/3$'
	console "Unlink \"$leaf\"[1]" >/dev/null
	shows '^leaf03/1 - was node0009 mlx5_0/1 .* Polling'
	has text '(node0009 mlx5_0|0x0*2.*) is gone: leaf03/1 LinkUp -> Polling$'
	console "Unlink \"$leaf\"[2]" >/dev/null
	has text '(node0010 mlx5_0|0x0*2.*) is gone: leaf03/2 LinkUp -> Polling$'

	# one comes back in the wrong port
	console "Link \"$leaf\"[1] \"$right\"[1]" >/dev/null
	shows 'leaf03/1 - node0010 mlx5_0/1'
	has text 'node0010 mlx5_0 is there: leaf03/1 Polling -> LinkUp.*; before: leaf03/1 to node0009 mlx5_0/1, 4x EDR$'

	# out again, and into its own: there is nothing to say, but that it has no errors; on a busy
	# machine it was pulled before it said its name
	console "Unlink \"$leaf\"[1]" >/dev/null
	shows '^leaf03/1 - was node0009 .* Polling'
	has text '(node0010 mlx5_0|0x0*2.*) is gone: leaf03/1 LinkUp -> Polling$'
	console "Link \"$leaf\"[2] \"$right\"[1]" >/dev/null
	has text 'node0010 mlx5_0 is there: leaf03/2 Polling -> LinkUp[^;]*$'
	shows 'leaf03/2 Polling -> LinkUp.*, no errors for [0-9]+ s'

	console "ReLink \"$leaf\"[6]" >/dev/null
	has text 'leaf03/6 Polling -> LinkUp.*, 4x EDR, to spine02/3$'

	# one comes back with one lane; the simulator's come up with four, so that nobody looks meanwhile
	console "Unlink \"$leaf\"[3]" >/dev/null
	shows '^leaf03/3 - was node0011 .* Polling'
	has text '(node0011 mlx5_0|0x0*2.*) is gone: leaf03/3'
	terminal send-keys Space
	shows FROZEN
	halts "$text"
	console "ReLink \"$leaf\"[3]" >/dev/null
	soon port leaf03 3 width 1
	# it is enabled at once, and active when the subnet manager has seen to the port
	soon eval 'ibportstate "$(lid_of leaf03)" 3 | grep -q "LinkWidthActive:.*1X"' 2>/dev/null
	kill -CONT "$text"
	terminal send-keys Space
	has text 'node0011 mlx5_0 is there: leaf03/3 Polling -> LinkUp.*, 1x EDR; before: leaf03/3 to node0011 mlx5_0/1, 4x EDR$'
	shows '^leaf03/3 - node0011 .* 1x EDR'

	# and one never does: that stays on the screen when the others are quiet
	has text 'leaf03/2 no errors for 20 s$'
	has text 'leaf03/6 no errors for 20 s$'
	shows '^leaf03/1 - was node0009 mlx5_0/1 .* Polling'
	! grep -q 'leaf03/1 no errors' lines.text || return 1
	terminal send-keys q
	soon test -s ended
	closes
	ends "$text"
	[ ! -s err.text ]
	[ ! -s complaints ]
}
export -f reseats

@test "a technician reseats cables: into a wrong port, with a lost lane, and one never" {
	sim --sm=keep two-level-small reseats
}

wide()
{
	opens -i 0.5
	shows 'leaf01/3 - 計算機三号 mlx5_0/1'
	terminal resize-window -x 47 -y 10
	shows '^leaf01/[0-9] - '
	terminal resize-window -x 20 -y 5
	shows '^..:..:.. (OK|WARNING)'
	terminal resize-window -x 100 -y 30
	shows 'leaf01/3 - 計算機三号 mlx5_0/1'
	terminal send-keys q
	soon test -s ended
	closes
	[ ! -s complaints ]
	# a terminal that can do nothing gets lines
	terminal new-session -d -x 100 -y 30 "env TERM=dumb LD_PRELOAD='$LD_PRELOAD' '$IBCHECK' \
		watch -i 0.5 --count 2; sleep 60"
	shows '^..:..:.. OK: 6 switches'
	closes
}
export -f wide

@test "wide names, small terminals, and one that can do nothing" {
	sed 's/"node0003 mlx5_0"/"計算機三号 mlx5_0"/' "$TOP/topologies/two-level-small.net" >wide.net
	sim --sm=keep "$PWD/wide.net" wide
}

# by_minutes: starts JSON lines on a clock that goes on by a minute a round
by_minutes()
{
	: >skip
	SKIP=$PWD/skip LD_PRELOAD="${IBCHECK%/*}/tests/sim/clock.so:$LD_PRELOAD" \
		"$IBCHECK" watch -i 60 -f json >lines.json 2>err.json &
	pid=$!
	has json '"event":"start"'
}

# clock: that of the watch, by a line that it writes whatever the fabric does
clock()
{
	local n

	n=$(grep -c '"event":"settings"' lines.json) || true
	kill -HUP "$pid"
	soon eval "[ \$(grep -c '\"event\":\"settings\"' lines.json) -gt $n ]" >&2 || return 1
	jq -s 'map(select(.event == "settings"))[-1].time | fromdate' lines.json
}

# until_time TIME: of the watch
until_time()
{
	soon eval "[ \"\$(clock)\" -ge $1 ]"
}

# between COMMAND...: runs while no round does
between()
{
	rm skip
	clock >/dev/null
	"$@" >/dev/null
	: >skip
}

# an_hour: goes by; its memory then, in KB, is in $after, and that of ten minutes is in $before
an_hour()
{
	local from

	from=$(clock)
	until_time $((from + 600))
	before=$(awk '/VmRSS/ { print $2 }' "/proc/$pid/status")
	until_time $((from + 3600))
	after=$(awk '/VmRSS/ { print $2 }' "/proc/$pid/status")
}
export -f by_minutes clock until_time between an_hour

port_gone()
{
	local leaf

	leaf=$(id_of leaf03)
	console "PerformanceSet \"$leaf\"[5] PortCounters.SymbolErrorCounter=500" >/dev/null
	by_minutes
	between console "Unlink \"$leaf\"[5]"
	has json 'leaf03/5 LinkUp -> Polling, was to spine01/3'
	an_hour
	[ "$after" -lt $((before + 4096)) ]
	# the switch was restarted, is called by another LID, and another manager has the fabric
	console "PerformanceSet \"$leaf\"[5] PortCounters.SymbolErrorCounter=0" >/dev/null
	console "Baselid \"$leaf\"[0] 400" >/dev/null
	manager second "$(id_of 'node0001 mlx5_0')" 'sm_priority 15'
	says second 'SUBNET UP'
	between console "ReLink \"$leaf\"[5]"
	has json 'leaf03/5 Polling -> LinkUp( \(.*\))?, 4x EDR, to spine01/3'
	has json 'leaf03/5 no errors for 20 s'
	ends "$pid"
	# once each, whatever goes on for an hour
	jq -se 'map(select(.event == "state" and .port == 5 and .was.phys_state == "linkup")) | length == 1' lines.json
	jq -se 'map(select(.event == "node_gone" or .event == "node_silent" or .event == "node_new")) == []' lines.json
	jq -se 'map(select(.event == "errors")) == []' lines.json
	jq -se 'map(select(.event == "flap")) == []' lines.json
}
export -f port_gone

@test "a port that is gone for an hour comes back without news that are none" {
	sim --sm=keep two-level-small port_gone
}

fabric_gone()
{
	by_minutes
	between console "Unlink \"$SIM_HOST\""
	has json 'leaf04 is gone, with 6 cables'
	an_hour
	[ "$after" -lt $((before + 4096)) ]
	console "PerformanceSet \"$(id_of leaf03)\"[5] PortCounters.SymbolErrorCounter=500" >/dev/null
	between console "ReLink \"$SIM_HOST\""
	has json 'leaf04 is there, with 6 cables'
	clock >/dev/null
	ends "$pid"
	jq -se 'map(select(.event == "node_gone" or .event == "node_silent")) | length == 1' lines.json
	jq -se 'map(select(.event == "node_new")) | length == 1' lines.json
	# what was counted while nobody looked is of no round
	jq -se 'map(select(.event == "errors")) == []' lines.json
	jq -se 'map(select(.event == "flap")) == []' lines.json
}
export -f fabric_gone

@test "a fabric that is gone for an hour comes back whole, as one event" {
	sim --sm=keep two-level-small fabric_gone
}

stopped()
{
	terminal new-session -d -x 100 -y 30 "env PS1='ready> ' bash --norc -i"
	shows 'ready>'
	terminal send-keys " LC_ALL=C.UTF-8 TERM=vt100 LD_PRELOAD='$LD_PRELOAD' '$IBCHECK' watch -i 0.5" Enter
	shows '^..:..:.. OK: 0 critical' # vt100 has no colours
	terminal send-keys C-z
	shows 'Stopped'
	terminal send-keys fg Enter
	shows '^..:..:.. OK: 0 critical'
	shows 'leaf01/1 - '
	console "Unlink \"$(id_of leaf03)\"[5]" >/dev/null
	# the case: its event leaves a short screen when a busy machine adds others
	shows 'leaf03/5 - spine01/3: is missing'
	terminal send-keys q
	shows '^ready>'
	terminal send-keys 'echo "end $?"' Enter
	shows 'end [0-3]$'
	closes
}
export -f stopped

@test "Ctrl-Z and fg, on a terminal without colours" {
	sim --sm=keep two-level-small stopped
}
