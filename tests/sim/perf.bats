# SPDX-License-Identifier: BSD-2-Clause
# ibcheck-perf-run on hosts that share this machine: plans are real, and so is the way two
# programs find each other; what measures is tests/sim/perftest.
# shellcheck disable=SC2030,SC2031 # each test is a process, and starts its own hosts
load helper

setup()
{
	cd "$BATS_TEST_TMPDIR" || return 1
	run_perf=$TOP/cmd/jobs/ibcheck-perf-run
	started=()
	more=()
	mkdir bin
	ln -s "$TOP/tests/sim/perftest" bin/ib_write_bw
	ln -s "$TOP/tests/sim/perftest" bin/ib_write_lat
}

# devices HOST NAME...: InfiniBand, at 400 Gb/s behind 16 lanes of the fifth generation
devices()
{
	local dir host=$1

	shift
	for name in "$@"; do
		dir=$host/sys/class/infiniband/$name
		mkdir -p "$dir/ports/1" "$dir/device"
		echo InfiniBand >"$dir/ports/1/link_layer"
		echo '4: ACTIVE' >"$dir/ports/1/state"
		echo '400 Gb/sec (4X NDR)' >"$dir/ports/1/rate"
		echo '32.0 GT/s PCIe' >"$dir/device/current_link_speed"
		echo 16 >"$dir/device/current_link_width"
		echo 0 >"$dir/device/local_cpulist"
	done
}

# start HOST [OPTIONS]: in the background, with STUB as it is
start()
{
	local host=$1

	shift
	HOST=$host PATH=$PWD/bin:$PATH "$run_perf" --wait "${WAIT:-120}" --host "$host" --root "$host" \
		"$@" plan "${more[@]}" >"$host.out" 2>"$host.err" 3>&- &
	started+=($!)
}

finish()
{
	for pid in "${started[@]}"; do
		wait "$pid" || return
	done
	started=()
}

# plan HOSTS [OPTIONS]: a second for each measurement
plan()
{
	"$IBCHECK" perf plan --seconds 1 "$@" -o plan
}

# ends HOST TEXT...: how its measurements ended, in their order
ends()
{
	local host=$1 expected found

	shift
	expected=$(printf '%s\n' "$@")
	found=$(sed -n 's/^# ibcheck-perf end //p' "$host.out")
	[ "$found" = "$expected" ] && return
	cat "$host.out" "$host.err"
	return 1
}

@test "five hosts of two rails measure three rounds, and each result has its frame" {
	plan 'n[1-5]'
	for i in 1 2 3 4 5; do
		devices n$i mlx5_0 mlx5_0b mlx5_1
		# an NVSwitch bridge is no rail
		printf '\x90\x0e\0VA\x0bSMDL=SW_MNG\x78' >n$i/sys/class/infiniband/mlx5_0b/device/vpd
		start n$i
	done
	finish
	# each of six pairs by two rails, and by both ends
	[ "$(cat n*.out | grep -c '^# ibcheck-perf end ok')" = 24 ]
	[ "$(cat n*.out | grep -c '^# ibcheck-perf 1 .* test ib_write_bw$')" = 12 ]
	[ "$(cat n*.out | grep -c '^# ibcheck-perf 1 .* role server$')" = 12 ]
	[ "$(cat n*.out | grep -c ' 395\.12 ')" = 24 ]
	cat n*.err
	[ ! -s n1.err ]
	read -r _ server client _ < <(grep -v '^#' plan)
	grep -x "# ibcheck-perf 1 round 1 server $server client $client rail 1 device mlx5_1/1 rate 400 pcie 504 plan [0-9]* test ib_write_bw" "$client.out"
	# rounds in order, rails in order
	[ "$(sed -n 's/^# ibcheck-perf 1 round \([0-9]*\) .* rail \([0-9]*\) .*/\1 \2/p' "$client.out" |
		sort -c -n 2>&1)" = '' ]
}

@test "a partner who never comes costs its wait, and the others go on" {
	# of n0 and n9 nothing comes, as server and as client, for as long as n1 and n4 then have
	# for n2 and n5
	printf '%s\n' '# mode ring seconds 1' '1 n1 n9 0' '1 n0 n4 0' '2 n1 n2 0' '2 n4 n5 0' >plan
	for i in 1 2 4 5; do
		devices n$i mlx5_0
		WAIT=$((i % 3 == 1 ? 20 : 120)) start n$i
	done
	finish
	ends n1 no-partner ok
	ends n4 no-partner ok
	ends n2 ok
	ends n5 ok
	grep -q '^# ibcheck-perf 1 round 1 server n0 client n4 ' n4.out
}

@test "a client who comes late meets its server" {
	plan n1,n2
	devices n1 mlx5_0
	devices n2 mlx5_0
	start n1
	sleep 4
	start n2
	finish
	ends n1 ok
	ends n2 ok
}

@test "a server who comes late is asked again" {
	plan n1,n2
	devices n1 mlx5_0
	devices n2 mlx5_0
	start n2
	sleep 4
	start n1
	finish
	ends n1 ok
	ends n2 ok
}

@test "what fails before the first packet is a set-up that failed, later it is a failure" {
	plan n1,n2
	devices n1 mlx5_0
	devices n2 mlx5_0
	STUB=mr start n1
	start n2
	finish
	ends n1 setup
	ends n2 setup
	grep -q "Couldn't allocate MR" n1.out
	STUB="break" start n1
	start n2
	finish
	ends n1 'failed 1'
	ends n2 'failed 1'
}

@test "no device, a port that is down, no program: none of them is slow" {
	plan n1,n2
	devices n1 mlx5_0
	mkdir n2
	WAIT=2 start n1
	WAIT=2 start n2
	finish
	ends n1 no-partner
	ends n2 setup
	grep -qx '# ibcheck-perf 1 round 1 server n1 client n2 rail 0 device - rate - pcie - plan [0-9]* test ib_write_bw' n2.out
	devices n2 mlx5_0
	echo '1: DOWN' >n2/sys/class/infiniband/mlx5_0/ports/1/state
	WAIT=2 start n2
	finish
	ends n2 setup
	grep -qx 'mlx5_0:1: 1: DOWN' n2.out
	echo '4: ACTIVE' >n2/sys/class/infiniband/mlx5_0/ports/1/state
	WAIT=2 start n2 --test ib_read_bw
	finish
	ends n2 setup # there is no such program, or it finds no such device
}

@test "a run that is ended takes its programs with it, and prints nothing that is not whole" {
	local own

	plan n1,n2
	devices n1 mlx5_0 mlx5_1
	start n1
	# a server of each rail
	until [ "$(pgrep -fc "python3 $PWD/bin/ib_write_bw")" = 2 ]; do
		sleep 0.2
	done
	own=$(pgrep -f "python3 $PWD/bin/ib_write_bw")
	kill "${started[0]}"
	wait "${started[0]}" || [ $? = 143 ]
	started=()
	for pid in $own; do
		while [ -e "/proc/$pid" ]; do
			sleep 0.2
		done
	done
	[ ! -s n1.out ]
	# its ports are free: the next run has them
	devices n2 mlx5_0 mlx5_1
	start n1
	start n2
	finish
	ends n2 ok ok
}

@test "the HCAs of one host with each other" {
	plan n1 --mode self --rails 4 --rounds 1
	devices n1 mlx5_0 mlx5_1 mlx5_2 mlx5_3
	start n1
	finish
	ends n1 ok ok ok ok
	grep -q '^# ibcheck-perf 1 round 1 server n1 client n1 rail 0-3 device mlx5_3/1 .* test ib_write_bw$' n1.out
	grep -q '^# ibcheck-perf 1 round 1 server n1 client n1 rail 0-3 device mlx5_0/1 .* role server$' n1.out
}

@test "clients of one server have a port each, and say how many they are" {
	plan 'n[1-4]' --mode incast --rounds 1
	for i in 1 2 3 4; do
		devices n$i mlx5_0
		start n$i
	done
	finish
	[ "$(cat n*.out | grep -c 'end ok')" = 6 ]
	[ "$(cat n*.out | grep -c 'test ib_write_bw clients 3$')" = 3 ]
	[ "$(cat n*.out | grep -c 'test ib_write_bw role server clients 3$')" = 3 ]
}

@test "devices by name, latency, and arguments of the test itself" {
	plan n1,n2
	devices n1 mlx5_0 mlx5_9
	devices n2 mlx5_0 mlx5_3
	more=(-q 1)
	start n1 --devices mlx5_9:1 --test ib_write_lat
	start n2 --devices mlx5_3 --test ib_write_lat
	finish
	grep -q 'rail 0 device mlx5_3/1 .* test ib_write_lat$' n2.out
	ends n2 ok
	grep -q '^ 8 ' n2.out
}

@test "a host finds itself by its name, short or long, or by its rank" {
	plan n1.site,n2.site
	mkdir n1
	echo >>plan # an empty line is no host
	run -3 "$run_perf" --host n3 plan
	[ "$output" = "ibcheck-perf-run: n3 is not in the plan" ]
	for who in 'SLURMD_NODENAME=n2' 'SLURMD_NODENAME=n2.site' 'SLURMD_NODENAME=x SLURM_PROCID=1' \
		'SLURMD_NODENAME=x PMI_RANK=1' 'SLURMD_NODENAME=x JOB_COMPLETION_INDEX=1'; do
		# shellcheck disable=SC2086 # they are words
		env $who "$run_perf" --root n1 --wait 0 <plan >out
		grep -q 'client n2.site rail 0 device - ' out
	done
}

@test "what cannot be a plan or an option is refused" {
	for bad in '1 n1 n2' 'x n1 n2 0' '0 n1 n2 0' '1 n1 n2 0-' '1 n1 n2 -1' '1 n1 n2 all 5'; do
		echo "$bad" >plan
		status=0
		"$run_perf" --host n1 plan 2>err >out || status=$?
		[ $status = 3 ]
		[ ! -s out ]
		grep -qF "line 1 of the plan is not ROUND SERVER CLIENT RAIL: $bad" err
	done
	# a name that perftest would take for an option
	for bad in '1 --help n1 0' '1 n1 -h 0'; do
		echo "$bad" >plan
		run -3 "$run_perf" --host n1 plan
		[[ $output == *"no host is called that: $bad"* ]]
	done
	for bad in '--wait x' '--test rm' '--wat 1' '--wait'; do
		# shellcheck disable=SC2086 # they are words
		run -3 "$run_perf" $bad
	done
	run -3 "$run_perf" missing
}

# ---- as sites start it ---------------------------------------------------------------------

# agent HOST [named]: what runs on a host that is only a name here
write_agent()
{
	cat >agent <<EOT
#!/bin/bash
export HOST=\$1 PATH=$PWD/bin:\$PATH
exec "$run_perf" --wait 20 --root "$PWD/\$1" \${2:+--host "\$1"} "$PWD/plan"
EOT
	chmod +x agent
}

@test "under ClusterShell, a fan-out of all hosts" {
	command -v clush >/dev/null || skip 'clush is not installed'
	plan 'n[1-6]'
	for i in 1 2 3 4 5 6; do
		devices n$i mlx5_0
	done
	write_agent
	clush -R exec -f 6 -w 'n[1-6]' "$PWD/agent %h named" >results 3>&-
	[ "$(grep -c ': # ibcheck-perf end ok$' results)" = 18 ]
	! grep -v '^n[1-6]: ' results || return 1
}

# Slurm names the hosts, as slurmd calls itself
launched()
{
	timeout 120 srun -l --kill-on-bad-exit=0 --immediate=60 -N 4 --ntasks-per-node=1 \
		bash -c "exec $PWD/agent \$SLURMD_NODENAME" >results
}

@test "under srun, one task a node: its output is cut and labelled, and is whole again" {
	plan 'n[001-004]'
	for i in 1 2 3 4; do
		devices n00$i mlx5_0
	done
	write_agent
	export -f launched
	run "$TOP/tests/sim/slurm" 4 bash -eu -c launched
	echo "$output"
	[ "$status" -ne 77 ] || skip "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^[0-3]: # ibcheck-perf end ok$' results)" = 12 ]
	[ "$(grep -c '^[0-3]: # ibcheck-perf 1 .* test ib_write_bw$' results)" = 6 ]
}
