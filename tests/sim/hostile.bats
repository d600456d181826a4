# SPDX-License-Identifier: BSD-2-Clause
# Fabrics that change while they are swept, runs that are ended while they write, and nothing
# but queries.  HOSTILE_RUNS: so many of each.

load helper.bash
export HOSTILE_RUNS=${HOSTILE_RUNS:-4}

# ---- only queries ----------------------------------------------------------------

witnessed()
{
	export WITNESS=$PWD/witness
	sweep all --checks -topo
	"$IBCHECK" counters --clear errors >/dev/null || true
	"$IBCHECK" sm >/dev/null || true
	cat witness
	# sweeps before and after clearing are of one run
	awk '{ if ($1 < 20 || ($2 > 0) != (NR == 2)) exit 1 } END { exit NR != 3 }' witness

	ln -s "$(command -v ibportstate)" ibcheck
	! ./ibcheck "$(lid_of leaf01)" 5 disable >out 2>err || return 1
	grep -q 'witness: method 0x02 of class 0x01 is no query' err
}
export -f witnessed

@test "whatever is no query is stopped, and only counters --clear sets anything" {
	sim two-level-small witnessed
}

# ---- a fabric that changes -------------------------------------------------------

# Pulls the cable and plugs it again, until it is told to stop.
flap()
{
	until [ -e stop ]; do
		console "Unlink \"$(id_of leaf01)\"[5]" || true
		sleep "0.0$((RANDOM % 10))"
		console "Link \"$(id_of leaf01)\"[5] \"$(id_of spine01)\"[1]" || true
		sleep "0.0$((RANDOM % 10))"
	done >/dev/null 2>&1
}

# Nothing is told but of the two switches of that cable; and its manager is busy.
flapping()
{
	local i

	flap &
	for ((i = 0; i < HOSTILE_RUNS; i++)); do
		sweep all --checks -sm
		expect '[.findings[] | select(.severity == "critical" or .severity == "warning") |
			select([.subject.node_desc, .subject.peer_desc, .related[].node_desc] |
				any(. == "leaf01" or . == "spine01") | not)] | length' 0
	done
	touch stop
	wait
}
export -f flap flapping

@test "a cable that flaps during sweeps: no other is blamed" {
	sim --sm=keep two-level-small flapping
}

# ---- runs that are ended -----------------------------------------------------------

# ended SIGNAL COMMAND...: at some time
ended()
{
	local pid

	"$IBCHECK" "${@:2}" >/dev/null 2>&1 &
	pid=$!
	sleep "0.$(printf '%03d' $((RANDOM % 250)))"
	kill "-$1" $pid 2>/dev/null || true
	wait $pid 2>/dev/null || true
	! kill -0 $pid 2>/dev/null || return 1
}

# What is there is whole, and a run that nobody ends finds it of use.
whole()
{
	local ended_with=0

	[ ! -e report.json ] || jq -e .verdict report.json >/dev/null
	"$IBCHECK" counters --source "$1" --state state -f json >after.json 2>err || ended_with=$?
	[ $ended_with -le 2 ] || jq -e '[.findings[].message] | all(test("damaged") | not)' after.json
	[ -z "$(find . -name 'state.damaged*' -o -name state.new)" ]
}

@test "a run that is ended by a signal leaves no partial file" {
	local signal i big=synth:fattree:leaves=40,spines=10,hosts=20

	"$IBCHECK" snapshot --source $big -o big.snap >/dev/null || true
	for signal in INT TERM HUP PIPE KILL; do
		for ((i = 0; i < HOSTILE_RUNS; i++)); do
			ended $signal counters --source big.snap --state state -o report.json -f json
			[ $signal = KILL ] || [ -z "$(find . -name 'report.json.*')" ]
			whole big.snap
		done
	done
	# what SIGKILL left the next run takes up
	touch report.json.new
	"$IBCHECK" counters --totals --source big.snap -o report.json -f json || true
	[ -z "$(find . -name 'report.json.*')" ]
	jq -e .verdict report.json >/dev/null
}

killed_live()
{
	local signal

	for signal in INT TERM KILL; do
		ended $signal all --record ended.pcap
	done
	sweep ports
	expect_status 0
}
export -f ended killed_live

@test "a sweep that is ended disturbs nobody" {
	sim two-level-small killed_live
}

@test "a reader that has seen enough ends the run without a word" {
	"$IBCHECK" ports --source synth:fattree:leaves=40,spines=10,hosts=20 -f json 2>err |
		head -c 100 >/dev/null
	[ ! -s err ]
}
