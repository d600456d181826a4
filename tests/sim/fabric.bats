# SPDX-License-Identifier: BSD-2-Clause
# tests/sim/fabric itself: people use it in their own CI.

load helper.bash

# One switch and two hosts, as short as ibsim takes them; and a place of our own
# for what must not be left.
net()
{
	export TMPDIR=$PWD/tmp
	mkdir -p "$TMPDIR"
	cat >pair.net <<-EOF
	Switch 4 "S-1" # "sw"
	[1] "H-1"[2]
	[2] "H-2"[1]

	Ca 2 "H-1" # "one"
	[2] "S-1"[1]

	Ca 1 "H-2" # "two"
	[1] "S-1"[2]
	EOF
}

# Its time is limited from outside, and nothing that is left of it holds up bats (3).
fabric()
{
	timeout -k 20 300 "$TOP/tests/sim/fabric" "$@" 3>&-
}

teardown()
{
	local pids

	mapfile -t pids < <(jobs -pr)
	[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}"
	wait
}

nothing_left()
{
	[ -z "$(find . -name 'sys-*')" ]
	[ -z "$(ls "$TMPDIR")" ]
}

@test "the command's exit status is passed on" {
	net
	run -7 fabric --no-sm pair.net -- sh -c 'exit 7'
	run -127 fabric --no-sm pair.net -- ./no-such-command
}

@test "root writes nothing where others could have put a link" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	net
	mkdir shared
	chmod 777 shared
	cd shared
	run -125 fabric ../pair.net -- true
	[[ $output == *"change to a directory of your own"* ]]
	[ -z "$(ls -A)" ]
}

@test "the command has its standard input" {
	net
	run -0 fabric --no-sm pair.net -- cat <<<'hello'
	[ "$output" = hello ]
}

@test "the first adapter cabled on port 1 is the default place to be" {
	net
	run -0 fabric pair.net -- sh -c 'echo $SIM_HOST'
	[ "$output" = H-2 ]
}

@test "opensm brings the fabric up, or leaves it alone" {
	net
	run -0 fabric pair.net -- ibstat
	[[ $output == *'State: Active'* ]]
	run -0 fabric --no-sm pair.net -- ibstat
	[[ $output == *'State: Initializing'* ]]
}

@test "a subnet manager that is kept answers" {
	net
	run -0 fabric --sm=keep pair.net -- sminfo
	[[ $output == *SMINFO_MASTER* ]]
}

@test "a subnet manager that is kept outlives queries of performance management" {
	# shellcheck disable=SC2016 # expanded there
	local queries='perfquery -x 1 1 >perf && sleep 1 && kill -0 "$OPENSM_PID" && sminfo'

	net
	sed -i 's/^Ca 2 "H-1"/Ca 1 "H-3" # "three"\n[1] "S-1"[3]\n\n&/; s/^\[2\] "H-2".*/&\n[3] "H-3"[1]/' \
		pair.net
	run -0 fabric --sm=keep pair.net -- sh -c "$queries"
	[[ $output == *SMINFO_MASTER* ]]
	run -0 fabric --sm=keep --host three pair.net -- sh -c "$queries"
	[[ $output == *SMINFO_MASTER* ]]
}

@test "the console takes faults, and says what it does not take" {
	net
	run -0 fabric pair.net -- sh -c '
		ibhosts | wc -l
		"$TOP/tests/sim/console" "Unlink \"S-1\"[1]" &&
		ibhosts | wc -l'
	[ "$output" = $'2\n1' ]
	run -1 fabric pair.net -- "$TOP/tests/sim/console" 'Unlink "S-9"[2]'
	[[ $output == *'not found'* ]]
}

@test "a command that takes too long is ended" {
	net
	run -124 fabric --no-sm --timeout 1 pair.net -- sleep 60
	nothing_left
}

@test "what a command leaves behind is ended with it, if its time is limited" {
	net
	# whoever waits for the end of its output waits no longer
	run -0 fabric --no-sm --timeout 60 pair.net -- sh -c 'trap "" TERM; sleep 600 & echo started'
	[ "$output" = started ]
	nothing_left
}

@test "nothing is left after a signal" {
	local pid status=0

	net
	"$TOP/tests/sim/fabric" --sm=keep --keep logs pair.net -- sh -c 'echo >up; exec sleep 300' 3>&- &
	pid=$!
	until [ -e up ]; do
		kill -0 "$pid"
		sleep 0.02
	done
	kill "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	nothing_left
	run ! grep -lsz "$PWD/logs" /proc/[0-9]*/cmdline
}

@test "several run side by side" {
	local pids=() i

	net
	for i in 1 2 3 4; do
		timeout 300 "$TOP/tests/sim/fabric" --sm=keep pair.net -- ibnetdiscover \
			>"$i" 3>&- &
		pids+=($!)
	done
	for i in 1 2 3 4; do
		wait "${pids[i - 1]}"
		[ "$(grep -c ^Ca "$i")" -eq 2 ]
	done
}

@test "a fabric that cannot be started is status 125 and a sentence" {
	net
	run -125 fabric pair.net
	[[ $output == *'expected NETFILE -- COMMAND'* ]]
	run -125 fabric missing.net -- true
	[[ $output == *'missing.net: cannot be read'* ]]
	run -125 fabric /dev/null -- true
	[[ $output == *'no node in it'* ]]
	echo 'Switch 4 "S-1"' >torn.net
	echo '[9] "H-1"[1]' >>torn.net
	run -125 fabric torn.net -- true
	[[ $output == *'ibsim did not start'* ]]
	run -125 fabric --host nobody pair.net -- true
	[[ $output == *'is there such a node'* ]]
	run -125 fabric --timeout soon pair.net -- true
	[[ $output == *'not a number'* ]]
}

@test "make builds what a simulated fabric preloads" {
	make -C "$TOP" -n -B all >made
	grep -q 'tests/sim/roomy\.so' made
	grep -q 'tests/sim/stray\.so' made
}
