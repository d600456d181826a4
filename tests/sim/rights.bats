#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2154 # set by what is loaded
# Root runs ibcheck where others can write: who shares a state directory, or can create the file of
# --output first, gains nothing by it.  RIGHTS_ROUNDS: how often a member races with a run (20).

load helper

MEMBER=54321 # a user, and the group of the state: nobody has them
ROUNDS=${RIGHTS_ROUNDS:-20}

setup()
{
	[ "$(id -u)" = 0 ] || skip "needs root"
	top=$(mktemp -d /tmp/rights.XXXXXX)
	chmod 755 "$top"
	cd "$top" || return 1
	mkdir -m 700 safe safe/dir
	mkdir -m 755 open open/dir
	echo "the secret of root" >safe/key
	echo "of root, and read by all" >open/file
	mkdir mine
	echo "of the member" >mine/file
	chown -R $MEMBER:$MEMBER mine
	mkdir state out
	chgrp $MEMBER state out
	chmod 2770 state out
	"$IBCHECK" snapshot --source synth:fattree:leaves=2,spines=2,hosts=2 -o safe/snap
	outside >before
	mv before safe
}

teardown()
{
	[ -z "${member:-}" ] || kill -9 "$member" 2>/dev/null || true
	[ -z "${top:-}" ] || rm -rf "$top"
}

# outside: all that must stay as it is
outside()
{
	find safe open mine ! -path safe/before -printf '%p %y %m %U:%G %n %l\n' | sort
	sha256sum safe/key safe/snap open/file mine/file
}

as_member()
{
	PATH=/usr/bin:/bin setpriv --reuid=$MEMBER --regid=$MEMBER --clear-groups "$@"
}

# run_root STATUS-PATTERN ARGS...: within the time that a run may take; said and $status
run_root()
{
	local pattern=$1

	shift
	status=0
	timeout 60 "$IBCHECK" "$@" >said 2>&1 </dev/null || status=$?
	[[ $status =~ ^($pattern)$ ]] || {
		echo "status $status of: $*"
		cat said
		return 1
	}
}

# Of mine/file the count of names may differ while a member has a hard link to it.
nothing_gained()
{
	diff <(sed '/^mine\/file /s/ [0-9]* $/ N /' safe/before) <(outside | sed '/^mine\/file /s/ [0-9]* $/ N /')
	[ -z "$(find . -type f -perm /6000 -user 0 -print)" ]
	run ! grep -rs "secret of root" said out state
}

# ---- what is planted before a run -------------------------------------------------------------------

@test "a file of another user gives its mode to none of root's" {
	for mode in 6777 4755 2777; do
		as_member sh -c "umask 0; : >out/report; chmod $mode out/report"
		run_root 0 all --source safe/snap -o out/report
		[ "$(stat -c '%u %a' out/report)" = "0 644" ]
		rm out/report
	done
	install -m 4711 /dev/null out/report
	run_root 0 all --source safe/snap -o out/report
	[ "$(stat -c %a out/report)" = 711 ]
	nothing_gained
}

@test "output goes through no link of another user" {
	for victim in safe/key safe/new open/file open/dir/new; do
		as_member ln -s "$top/$victim" out/report
		run_root 3 all --source safe/snap -o out/report
		grep -q "link of another user" said
		run_root 3 snapshot --source safe/snap -o out/report
		rm out/report
	done
	as_member ln -s "$top/open/dir" out/folder
	run_root 3 all --source safe/snap -o out/folder/report
	nothing_gained
	# root's own link stays one
	touch out/real
	ln -s real out/link
	run_root 0 all --source safe/snap -o out/link
	[ -s out/real ] && [ -L out/link ]
	run_root 0 all --source safe/snap -o /dev/stdout
	grep -q "checks passed" said
}

@test "a pipe of another user keeps no output waiting" {
	as_member mkfifo out/report
	run_root 3 all --source safe/snap -o out/report
	grep -q "pipe of another user" said
}

@test "the file of known faults is read and written through no link and no pipe of others" {
	for command in "known list" "known add --node node0001 --for 2h --reason reboot" \
		"known remove node0001" "all --source safe/snap"; do
		for kind in "ln -s $top/safe/key" "ln -s $top/open/file" "ln $top/mine/file" mkfifo; do
			as_member sh -c "$kind out/known"
			# shellcheck disable=SC2086
			run_root 3 $command --known out/known
			grep -Eq "link of another user|it has another name|it is no file" said
			rm out/known
		done
	done
	nothing_gained
	# what the shell of root passes on is no pipe of others
	run_root 0 known list --known <(echo 'port.state node0001 2099-12-31 root ordered')
	grep -q ordered said
}

@test "a file that is not whole yet is read by nobody else" {
	LD_PRELOAD=$(dirname "$IBCHECK")/tests/sim/meanwhile.so MEANWHILE_NAME=fsync MEANWHILE_AT=1 \
		MEANWHILE="stat -c %a out/known.new >>modes" \
		"$IBCHECK" known add --node node0001 --for 2h --reason reboot --known out/known
	[ "$(cat modes)" = 600 ]
	[ "$(stat -c %a out/known)" = 644 ]
}

@test "a journal that names a file of root removes nothing" {
	run_root 0 all --source safe/snap --state state
	for victim in safe/key open/file; do
		python3 - "$BATS_TEST_DIRNAME/member" "$top/$victim" >journal <<-'END'
			import sys
			text = open(sys.argv[1]).read()
			names = {}
			exec("import struct\n" + text[text.index("MAGIC ="):text.index("def write")], names)
			sys.stdout.buffer.write(names["journal"](sys.argv[2]))
		END
		cp journal "$(echo state/*/)history.db-journal"
		chown $MEMBER "$(echo state/*/)history.db-journal"
		run_root 3 all --source safe/snap --state state
		grep -q "journal that ibcheck does not leave" said
		run_root 0 all --source safe/snap --state state
	done
	nothing_gained
}

@test "a directory in the place of a fabric's is not followed" {
	run_root 0 all --source safe/snap --state state
	fabric=$(basename state/*)
	as_member sh -c "mv state/$fabric state/.was; ln -s $top/open/dir state/$fabric"
	run_root 3 all --source safe/snap --state state
	run_root 3 history --state state
	nothing_gained
}

@test "history removes no file that a link leads to" {
	run_root 0 all --source safe/snap --state state
	fabric=$(basename state/*)
	as_member sh -c "mv state/$fabric state/.was; ln -s $top/open state/$fabric"
	touch open/fabric open/lock
	outside >safe/before
	run_root 3 history --state state forget "$fabric"
	nothing_gained
}

@test "an acceptance is neither read nor written through a link" {
	as_member ln -s "$top/safe/key" state/acceptance
	run_root 3 accept --source safe/snap --state state --for 1s
	nothing_gained
}

@test "a fleet reads no link that it finds" {
	mkdir reports
	ln -s "$top/safe/key" reports/node0001.json
	run_root 3 fleet reports
	grep -q "it is a link" said
	nothing_gained
}

@test "measurements are read through no link that is found, and from no pipe" {
	mkdir measured
	printf 'round,a,b,rail,value,unit\n1,n1,n2,0,100,Gb/s\n' >measured/good.csv
	ln -s "$top/safe/key" measured/node0001.txt
	as_member mkfifo mine/pipe
	mv mine/pipe measured/pipe
	run_root '[0123]' perf judge measured
	grep -q "node0001.txt: it is a link" said
	nothing_gained
	# a pipe that is put in the place of a file between two steps
	LD_PRELOAD=$(dirname "$IBCHECK")/tests/sim/meanwhile.so MEANWHILE_NAME=good.csv MEANWHILE_AT=1 \
		MEANWHILE="rm -f measured/good.csv; mkfifo measured/good.csv" run_root '[0123]' perf judge measured
}

@test "a donation that waits to be read again is no other file" {
	cp "$TOP/tests/traces/"*.pcap* . 2>/dev/null || skip "no trace"
	trace=$(find . -maxdepth 1 -name '*.pcap*' | sort | head -n 1)
	for kind in "mkfifo out/donated.new" "ln -s $top/safe/key out/donated.new" "cp mine/file out/donated.new"; do
		for step in $(seq 12); do
			find out -mindepth 1 -delete
			rm -f taken
			LD_PRELOAD=$(dirname "$IBCHECK")/tests/sim/meanwhile.so MEANWHILE_NAME=donated.new \
				MEANWHILE_AT=$step MEANWHILE="rm -f out/donated.new; $kind; : >taken" \
				run_root '[0123]' trace --donate out/donated "$trace"
			nothing_gained
			[ -e taken ] || break
		done
		[ "$step" -gt 1 ]
	done
}

@test "first runs at once wait for each other" {
	for i in 1 2 3 4 5 6; do
		"$IBCHECK" all --source safe/snap --state state >"said.$i" 2>&1 &
		pids[i]=$!
	done
	for i in 1 2 3 4 5 6; do
		wait "${pids[i]}" || { cat "said.$i"; false; }
	done
	[ "$(find state -mindepth 1 -maxdepth 1 | wc -l)" = 1 ]
}

@test "an environment with many homes is no harm to a hook" {
	printf '#!/bin/sh\nenv >%s/environment\n' "$top" >hook
	chmod +x hook
	run -3 python3 - "$IBCHECK" "$TOP/tests/golden/fixtures/counted-later.snap" "$top/hook" <<-'END'
		import ctypes, sys
		libc = ctypes.CDLL(None)
		args = [sys.argv[1], "all", "--source", sys.argv[2], "--state", "state", "--hook", sys.argv[3]]
		sys.stdout.flush()
		array = lambda words: (ctypes.c_char_p * (len(words) + 1))(*[w.encode() for w in words], None)
		libc.execve(sys.argv[1].encode(), array(args), array(["HOME=/root%d" % i for i in range(300)]))
	END
	[ "$(grep -c ^HOME= environment)" = 1 ]
}

# ---- keys -------------------------------------------------------------------------------------------

holds_keys()
{
	"$IBCHECK" watch leaf01 -y 0x1234 -f json >/dev/null 2>&1 &
	local pid=$!

	soon grep -q "Max core file size *0 *0 " "/proc/$pid/limits"
	# what cannot be dumped is root's, whoever runs it
	[ "$(stat -c %u "/proc/$pid/environ")" = 0 ]
	kill $pid
}
export -f holds_keys soon

@test "a run that has keys leaves no core" {
	(ulimit -c unlimited && sim two-level-small holds_keys)
}

# ---- capabilities -----------------------------------------------------------------------------------

# A pipe as input: the command waits, and can be looked at.
@test "what reads files of others has no capability but for files" {
	mkfifo pipe
	for command in "fleet pipe" "trace pipe" "all --source pipe" "topo --check pipe" "perf judge --plan pipe pipe"; do
		# shellcheck disable=SC2086
		"$IBCHECK" $command >/dev/null 2>&1 &
		pid=$!
		soon grep -q "^CapEff:.0000000000000012$" /proc/$pid/status || { echo "$command"; false; }
		kill $pid
	done
}

# ---- races ------------------------------------------------------------------------------------------

@test "who races with root gains nothing" {
	for round in $(seq "$ROUNDS"); do
		find state out -mindepth 1 -delete
		"$IBCHECK" all --source safe/snap --state state >/dev/null
		PATH=/usr/bin:/bin setpriv --reuid=$MEMBER --regid=$MEMBER --clear-groups \
			python3 - "$top" "$round" <"$BATS_TEST_DIRNAME/member" >begun 2>&1 3>&- &
		member=$!
		soon grep -q begun begun || { cat begun; false; }
		case $((round % 5)) in
		0) run_root '[0123]' history --state state ;;
		1) run_root '[0123]' all --source safe/snap --state state -o out/report ;;
		2) run_root '[0123]' all --source safe/snap --state state ;;
		3) run_root '[0123]' topo --source safe/snap --plan-csv out/plan.csv safe/snap ;;
		4) run_root '[0123]' fattree --source safe/snap --svg out/picture.svg ;;
		esac
		kill -9 "$member"
		wait "$member" 2>/dev/null || true
		member=
		nothing_gained || { echo "round $round"; false; }
	done
}

# A turn of the member: what is planted, and at the next turn what was there before.
take_turns()
{
	while read -r _ <ask; do
		as_member sh -c "if [ -e out/.aside ]; then rm -rf out/$1; mv out/.aside out/$1
			else mv out/$1 out/.aside; $2 out/$1; fi" 2>/dev/null
		echo >answer
	done
}

# in_turns NAME FUNCTION COMMAND...: at each pair of steps on that file in turn, until there is none
in_turns()
{
	local name=$1 prepare=$2 step

	for step in $(seq 40); do
		find out -mindepth 1 -delete
		$prepare
		rm -f taken
		LD_PRELOAD=$(dirname "$IBCHECK")/tests/sim/meanwhile.so MEANWHILE_NAME=$name \
			MEANWHILE_AT=$step MEANWHILE="echo >ask; read -r _ <answer; : >taken" \
			run_root '[0123]' "${@:3}"
		nothing_gained || { echo "step $step of ${*:3}"; return 1; }
		[ -e taken ] && continue
		[ "$step" -gt 1 ]
		return
	done
	return 1
}

a_file()
{
	as_member sh -c "echo 'port.state node0001 2099-12-31 member ordered' >out/$name"
}

a_socket()
{
	as_member python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "out/$name"
}

@test "who exchanges a file between any two steps gains nothing, and keeps nobody waiting" {
	mkfifo ask answer
	chmod 666 ask answer
	for kind in "ln -s $top/safe/key" "ln -s $top/open/file" "ln -s $top/safe/new" mkfifo "ln $top/mine/file"; do
		name=known
		take_turns known "$kind" 3>&- &
		member=$!
		in_turns known a_file known add --node node0002 --for 2h --reason reboot --known out/known
		in_turns known a_file all --source safe/snap --known out/known
		kill -9 $member
		name=report
		take_turns report "$kind" 3>&- &
		member=$!
		in_turns report a_file all --source safe/snap -o out/report
		in_turns report a_socket snapshot --source safe/snap -o out/report
		kill -9 $member
	done
}

@test "who exchanges a work order or a picture between any two steps gains nothing" {
	mkfifo ask answer
	chmod 666 ask answer
	for kind in "ln -s $top/safe/key" "ln -s $top/safe/new" mkfifo "ln $top/mine/file"; do
		for name in plan.csv picture.svg; do
			take_turns $name "$kind" 3>&- &
			member=$!
			case $name in
			plan.csv) in_turns $name a_file topo --source safe/snap --plan-csv out/plan.csv safe/snap ;;
			*) in_turns $name a_file fattree --source safe/snap --svg out/picture.svg ;;
			esac
			kill -9 $member
		done
	done
}

# a repair that was started: as root, into what members can write
a_repair()
{
	"$IBCHECK" repair start leaf01/1 --source safe/snap --state out >/dev/null
}

@test "who exchanges a repair, or a fabric's directory, between any two steps gains nothing" {
	mkfifo ask answer
	chmod 666 ask answer
	fabric=fe80000000000000-0200000000000010
	repair=$fabric/repair.0200000000000010-1-0200000000000050-1.start.zst
	for path in "$repair" "$fabric"; do
		for kind in "ln -s $top/safe/key" "ln -s $top/safe/dir" "ln -s $top/safe/new" mkfifo "ln $top/mine/file"; do
			take_turns "$path" "$kind" 3>&- &
			member=$!
			in_turns "${path##*/}" a_repair repair start leaf01/1 --source safe/snap --state out
			in_turns "${path##*/}" a_repair repair check leaf01/1 --source safe/snap --state out
			kill -9 $member
		done
	done
}

# live_in_turns COMMAND...: the same of a live sweep; its file is $planted
live_in_turns()
{
	local step

	for step in $(seq 40); do
		find out -mindepth 1 -delete
		rm -f taken
		status=0
		LD_PRELOAD=${clock:+$clock:}$LD_PRELOAD:$(dirname "$IBCHECK")/tests/sim/meanwhile.so \
			MEANWHILE_NAME=$planted MEANWHILE_AT=$step \
			MEANWHILE="echo >ask; read -r _ <answer; : >taken" \
			timeout 60 "$IBCHECK" "$@" >>said 2>&1 </dev/null || status=$?
		[ $status -le 3 ] || { echo "step $step: status $status"; cat said; return 1; }
		[ -e taken ] || break
	done
	[ "$step" -gt 1 ]
}
export -f live_in_turns

# of_all_kinds PATH COMMAND...: live_in_turns with all that a member can plant there
of_all_kinds()
{
	local path=$1

	[ -e ask ] || mkfifo -m 666 ask answer
	export planted=${path##*/}
	for kind in "ln -s $top/safe/key" "ln -s $top/safe/dir" "ln -s $top/safe/new" mkfifo "ln $top/mine/file"; do
		take_turns "$path" "$kind" 3>&- &
		member=$!
		: >said
		sim two-level-small live_in_turns "${@:2}"
		nothing_gained
		kill -9 $member
	done
}

@test "who exchanges a trace between any two steps of its sweep gains nothing" {
	of_all_kinds trace.pcap ports --record out/trace.pcap
}

@test "who exchanges the file or the directory of an acceptance between any two steps gains nothing" {
	: >skip # its minute passes at once
	export SKIP=$PWD/skip CLOCK=1790000000 clock
	clock=$(dirname "$IBCHECK")/tests/sim/clock.so
	for file in acceptance "accept-$(date -u -d @$CLOCK +%FT%H%M%SZ)"; do
		of_all_kinds "$file" accept --expect "$TOP/topologies/two-level-small.net" --for 60s \
			--interval 60 --checks -sm.sa-slow --state out
	done
}

@test "who cuts off what SQLite maps ends no run" {
	for file in history.db-shm sweep.1 sweep.2; do
		for step in $(seq 12); do
			find state -mindepth 1 -delete
			"$IBCHECK" all --source safe/snap --state state >/dev/null
			rm -f taken
			LD_PRELOAD=$(dirname "$IBCHECK")/tests/sim/meanwhile.so MEANWHILE_NAME=$file MEANWHILE_AT=$step \
				MEANWHILE="truncate -s 0 state/*/history.db-shm; : >taken" \
				run_root '[0123]' all --source safe/snap --state state --hook true
			[ -e taken ] || break
		done
		[ "$step" -gt 1 ] || { echo "no step on $file"; false; }
	done
	nothing_gained
}
