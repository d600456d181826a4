# SPDX-License-Identifier: BSD-2-Clause
# Scenarios of tests/sim/fabric: faults at their times; and ibcheck-sim as it is installed.

load helper.bash

# fabric OPTIONS... -- COMMAND...: in the small tree, with the file s as scenario
fabric()
{
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	timeout -k 20 1100 "$TOP/tests/sim/fabric" --timeout 1000 --scenario s "${options[@]}" \
		"$TOP/topologies/two-level-small.net" "$@" 3>&-
}

# awaits FILTER COMMAND...: sweeps until the report says so
awaits()
{
	local end=$((SECONDS + 300))

	until sweep "${@:2}"; jq -e "$1" report.json >/dev/null; do
		[ $SECONDS -lt $end ] || { expect "$1"; return 1; }
		sleep 0.05
	done
}

# warns CHECK PLACE: jq's, of a finding
warns()
{
	echo "any(.findings[]; .check == \"$1\" and \"\(.subject.node_desc)/\(.subject.port)\" == \"$2\")"
}
export -f awaits warns

# refused LINES MESSAGE [OPTIONS of fabric]: nothing is started
refused()
{
	printf '# a comment\n%s\n' "$1" >s
	run -125 fabric "${@:3}" -- touch started
	[[ $output == *"s:$(wc -l <s): $2"* ]] || { echo "$1: $output"; return 1; }
	[ ! -e started ]
}

degraded()
{
	awaits "$(warns port.width leaf02/1)" ports
	expect "$(warns port.speed leaf03/5)"
	awaits '[.tables.counters[].receive_errors] | max == 519' counters --errors-only
	awaits "$(warns topo.missing-cable leaf01/6)" topo "$TOP/topologies/two-level-small.csv"
	# plugged in again, from its other end; no subnet manager has seen it yet
	awaits "$(warns port.state leaf01/5)" ports
	echo seen
}

silenced()
{
	awaits '.coverage.complete | not' ports
}
export -f degraded silenced

@test "the faults of a scenario happen, and are printed" {
	cat >s <<-EOF
	# a morning
	0s      speed  leaf03/5 FDR
	0s      errors node0003 mlx5_0/1 PortRcvErrors 519   # of an HCA
	100ms   width  leaf02/1 1x

	0.2s    unlink leaf01/6
	0.3s	unlink leaf01/5
	0m1s    relink spine01/1
	EOF
	run -0 fabric -- bash -eu -c degraded
	[ "$output" = "$(sed '/^#/d; /^$/d; s/ *#.*//; s/[ \t][ \t]*/ /g; s/^/fabric: /' s)"$'\nseen' ]
}

@test "a node of a scenario loses what it is sent" {
	echo '0s lose leaf04 100' >s
	run -0 fabric -- bash -eu -c silenced
}

@test "each line is verified before anything starts" {
	refused 'soon unlink leaf01/5' '"soon" is not a time'
	refused '1 unlink leaf01/5' '"1" is not a time'
	refused '1s unplug leaf01/5' '"unplug" is no fault; those are unlink, relink, errors'
	refused '1s' '"" is no fault'
	refused '1s unlink' 'unlink takes PORT or NODE'
	refused '1s unlink leaf09/5' 'no node of '
	refused '1s unlink node0003/1' 'no node of '
	refused '1s unlink leaf01/7' 'leaf01 has ports 1 to 6, no 7'
	refused $'2s unlink leaf01/5\n1s unlink leaf01/6' '1s is before the line above'
	refused $'2s unlink leaf01/5\n3s unlink spine01/1' 'spine01/1 is unlinked already'
	refused $'2s unlink leaf01/5\n3s relink leaf01/6' 'leaf01/6: no line above unlinks it'
	refused '1s errors leaf01 PortRcvErrors 5' '"leaf01" is a node; a port is NODE/NUMBER'
	refused '1s errors leaf01/1 PortRcvErrs 5' 'ibsim has no counter "PortRcvErrs"'
	refused '1s errors leaf01/1 PortRcvErrors 65536' 'PortRcvErrors is a number of 0 to 65535'
	refused '1s errors leaf01/1 LinkDownedCounter -1' 'LinkDownedCounter is a number of 0 to 255'
	refused '1s lose leaf01 101' 'lose takes a percentage'
	refused '1s width leaf01/1 2x' 'width is one of 1x 4x 12x'
	refused '1s width leaf01/1 12x' 'leaf01/1 has 4x, which can be held to no more'
	refused '1s width leaf01/1 1x' 'width needs ports that a subnet manager has configured' --no-sm
	refused '1s speed leaf01/1 HDR' 'speed is one of SDR DDR QDR FDR EDR'
	refused '1s speed leaf01/1 QDR' 'leaf01/1 runs at EDR: ibsim can hold it to FDR EDR only'
	refused '1s sm-down' 'sm-down needs a subnet manager that is kept'
	refused '1s quit now' 'quit takes nothing after it'
	refused $'1s quit\n2s lose leaf01 5' 'a line above ends COMMAND'
	# all of them at once
	printf '1s unlink leaf09/1\n1s sm-up\n' >s
	run -125 fabric -- touch started
	[ "${#lines[@]}" -eq 2 ]
	echo '# nothing' >s
	run -125 fabric -- touch started
	[[ $output == *'no fault in it' ]]
	rm s
	run -125 fabric -- touch started
	[[ $output == *'s: cannot be read' ]]
	[ ! -e started ]
}

@test "names are those that ibcheck prints, and of two of one name none" {
	cat >pair.net <<-EOF
	Switch 9 "S-1" # "MF0;sw a:MQM8700/U1"
	[1] "H-1"[1] # "twin" lid 1 4xQDR
	[2] "H-2"[1]
	[3] "S-3"[1]

	Ca 1 "H-1" # "twin"
	[1] "S-1"[1]

	Ca 2 "H-2" # "twin"
	[1] "S-1"[2]
	[2] "S-3"[2]

	Switch 2 "S-3" # "MF0;core:CS7500/L05/U1"
	[1] "S-1"[3]
	[2] "H-2"[2]
	EOF
	printf '0s unlink %s\n' 'core L05/U1/1' 'sw a/1' H-2/1 >s
	run -0 timeout 1100 "$TOP/tests/sim/fabric" --scenario s pair.net -- \
		sh -c 'until ! "$SIM_CONSOLE" Dump | grep -q "\"S-1\"\[2\]"; do sleep 0.1; done; "$SIM_CONSOLE" Dump' 3>&-
	[ "$(grep -c '"[SH]-[0-9]"\[' <<<"$output")" -eq 2 ] || { echo "$output"; return 1; }
	printf '0s unlink twin/1\n0s width sw a/2 1x\n0s width H-2/2 1x\n' >s
	run -125 timeout 1100 "$TOP/tests/sim/fabric" --scenario s pair.net -- true
	[[ ${lines[0]} == 's:1: several nodes are called "twin"'* ]]
	[[ ${lines[1]} == *'pair.net does not give the rate of sw a/2'* ]]
	[[ ${lines[2]} == *'only port 1 of an HCA can be held'* ]]
}

@test "ibsim has each counter of the manual" {
	local counters

	counters=$(sed -n '/^\.Ss Counters/,/^\.Sh/p' "$TOP/man/ibcheck-sim.1" |
		grep -oE '[A-Z][A-Za-z0-9]+[,;.]' | tr -d ',;.')
	[ "$(wc -l <<<"$counters")" -ge 27 ]
	# shellcheck disable=SC2086
	printf '0s errors leaf01/2 %s 15\n' $counters >s # split on purpose
	echo '0s unlink leaf01' >>s
	run -0 fabric --no-sm -- sh -c '
		while "$SIM_CONSOLE" "Dump \"S-0200000000000010\"" | grep -q "\[1\].*LinkUp"; do sleep 0.1; done'
	[ "$(grep -c '^fabric: 0s errors' <<<"$output")" -eq "$(wc -l <<<"$counters")" ]
	[[ $output != *failed* ]]
}

@test "a fault that cannot be injected ends the command" {
	printf '0s unlink leaf01/1\n1s unlink leaf01/2\n9s lose leaf01 1\n' >s
	run -125 fabric -- sh -c '"$SIM_CONSOLE" "Unlink \"S-0200000000000010\"[2]"; exec sleep 100'
	[[ $output == *'s:2: 1s unlink leaf01/2: failed: '*'is not linked' ]]
}

@test "what did not happen before the command ended is counted" {
	printf '0s unlink leaf01/1\n10m unlink leaf01/2\n1h lose leaf01 1\n' >s
	run -7 fabric -- sh -c '
		while "$SIM_CONSOLE" "Dump \"S-0200000000000010\"" | grep -q "H-0200000000000070"; do sleep 0.1; done
		exit 7'
	[[ $output == *'COMMAND ended before 2 of the 3 faults of s' ]]
}

@test "the end of a scenario is that of the command, in its own manner" {
	printf '200ms quit\n' >s
	run -0 fabric --no-sm -- sh -c 'trap "exit 0" TERM; while :; do sleep 0.1; done'
	run -143 fabric --no-sm -- sleep 100
}

@test "a subnet manager that a scenario stops is followed by its standby" {
	printf '0s sm-down\n' >s
	run -0 fabric --standby "node0002 mlx5_0" -- bash -eu -c \
		'awaits ".tables.managers | map([.node_desc, .state]) == [[\"node0002 mlx5_0\", \"master\"]]" sm'
}

by_hand()
{
	local fabric=$TOP/tests/sim/fabric

	"$fabric" --fault 'unlink leaf02/5'
	sweep topo "$TOP/topologies/two-level-small.csv"
	expect_findings topo.missing-cable 1
	run_refused() { if "$fabric" --fault "$1"; then return 1; else [ $? -eq 125 ]; fi; }
	run_refused 'unlink leaf02/5'
	run_refused 'unlink leaf02/50'
	run_refused 'sm-down'
	run_refused quit
	"$fabric" --fault 'relink leaf02/5'
	sweep topo "$TOP/topologies/two-level-small.csv"
	expect_findings topo.missing-cable 0
}
export -f by_hand

@test "a command injects faults by hand" {
	sim two-level-small by_hand
	run -125 "$TOP/tests/sim/fabric" --fault 'unlink leaf02/5'
	[[ $output == *'not in a simulated fabric'* ]]
}

@test "killed, it leaves no process" {
	local fabric end=$((SECONDS + 300))

	"$TOP/tests/sim/fabric" --sm=keep --standby spine01 --keep logs "$TOP/topologies/two-level-small.net" -- \
		sh -c 'cat /proc/$PPID/task/$PPID/children >started; exec sleep 1000' 3>&- &
	fabric=$!
	until [ -s started ]; do
		kill -0 $fabric && [ $SECONDS -lt $end ]
		sleep 0.1
	done
	[ "$(wc -w <started)" = 4 ]
	kill -KILL $fabric
	for child in $(<started); do
		while kill -0 "$child"; do
			[ $SECONDS -lt $end ]
			sleep 0.1
		done
	done
}

# whoever may write there could put a library of his own there
@test "one that is installed takes no library from where it runs" {
	make -s -C "$TOP" O="${O:-build}" PREFIX="$PWD/usr" install-sim
	mkdir -p build/tests/sim
	cp usr/libexec/ibcheck-sim/stray.so build/tests/sim/witness.so
	run -0 env -u O usr/bin/ibcheck-sim --no-sm --timeout 120 "$TOP/topologies/two-level-small.net" -- \
		sh -c 'tr "\0" "\n" </proc/$$/environ' 3>&-
	[[ $output == *LD_PRELOAD=* && $output != *witness.so* ]]
}

@test "the examples for CI check a plan, and report what is wrong with it" {
	local file commands

	make -s -C "$TOP" O="${O:-build}" PREFIX="$PWD/usr" install-sim
	ln -s "$IBCHECK" usr/bin/ibcheck
	PATH=$PWD/usr/bin:$PATH
	for file in github gitlab-ci; do
		cp "$TOP/topologies/two-level-small.csv" plan.csv
		# all but what installs packages
		commands=$(sed -nE 's/^ +- (run: )?(ibcheck.*)/\2/p' "$TOP/examples/ibcheck.$file.yml")
		[ "$(wc -l <<<"$commands")" = 2 ]
		run -0 bash -euc "$commands" 3>&-
		grep -q '<testsuites .* tests="[1-9][0-9]*" failures="0" errors="0"' report.xml
		# two cables are exchanged: it can come to a standstill
		sed -i -e 's/^leaf01,5,spine01,1/leaf01,5,spine02,3/; t' \
			-e 's/^leaf03,6,spine02,3/leaf03,6,spine01,1/' plan.csv
		run -2 bash -euc "$commands" 3>&-
		grep -q '<failure .*is in a ring of .* buffers on VL 0' report.xml
	done
}

@test "ibcheck-sim is whole where it is installed" {
	make -s -C "$TOP" O="${O:-build}" PREFIX="$PWD/usr" install-sim
	printf '0s unlink leaf01/5\n' >s
	run -0 env -u O usr/bin/ibcheck-sim --timeout 120 --scenario s --keep logs \
		"$TOP/topologies/two-level-small.net" -- sh -c '
		while "$SIM_CONSOLE" "Dump \"S-0200000000000010\"" | grep -q "S-0200000000000050"; do sleep 0.1; done
		tr "\0" "\n" </proc/$$/environ' 3>&-
	[[ $output == *'ibcheck-sim: 0s unlink leaf01/5'* ]]
	[[ $output == *"LD_PRELOAD=$PWD/usr/libexec/ibcheck-sim/roomy.so:$PWD/usr/libexec/ibcheck-sim/stray.so:"* ]]
	grep -q 'unlink leaf01/5' logs/scenario
	make -s -C "$TOP" O="${O:-build}" PREFIX="$PWD/usr" uninstall
	[ -z "$(find usr ! -type d)" ]
}

@test "a port is a number, not a text" {
	echo '0s unlink leaf01/5' >s
	run -0 "$TOP/tests/sim/fabric" --no-sm --scenario s "$TOP/topologies/half-populated.net" -- true
	echo '0s unlink leaf01/17' >s
	run -125 "$TOP/tests/sim/fabric" --no-sm --scenario s "$TOP/topologies/half-populated.net" -- true
	[[ $output == *'leaf01 has ports 1 to 16, no 17'* ]]
}
