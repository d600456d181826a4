# SPDX-License-Identifier: BSD-2-Clause
# A month of cron: a run of "all --state" every six hours, on a clock of its own (clock.c), with
# faults, clears, restarts, a switch that is replaced, and runs that end badly.  The history
# has what was injected, and nothing else.  MONTH_DAYS: so many.

load helper.bash
export MONTH_DAYS=${MONTH_DAYS:-8}

# ---- runs ------------------------------------------------------------------------

# at_time COMMAND...: on the clock of the month
at_time()
{
	LD_PRELOAD="${IBCHECK%/*}/tests/sim/clock.so:$LD_PRELOAD" CLOCK=$(cat clock) "$@"
}

when()
{
	date -u -d "@$(cat clock)" +%FT%TZ
}

later()
{
	echo $(($(cat clock) + 6 * 3600)) >clock
}

# check_all [COMMAND...]: a run of cron; report.json and $status.  How fast the SA answers here
# depends on what else the machine does.
check_all()
{
	status=0
	at_time "$@" "$IBCHECK" all --checks -sm.sa-slow --expect plan.net --state state -f json \
		2>report.err >report.json || status=$?
}

# cron: the next one, of which nothing is lost
cron()
{
	later
	check_all
	expect_findings state.memory 0
}

# cable LINE: says it to ibsim, and waits until opensm has routed anew.  Before that, what ibcheck
# sends by LID is lost on the way, and the switches count it: errors that no day injects.
cable()
{
	local end=$((SECONDS + 300)) seen size

	seen=$(wc -l <"$OPENSM_LOG")
	console "$1" >/dev/null
	until tail -n +$((seen + 1)) "$OPENSM_LOG" | sed -n '/Link state change/,$p' |
		grep -q 'SUBNET UP' && [ "$(wc -l <"$OPENSM_LOG")" = "${size:-}" ]; do
		[ $SECONDS -lt $end ] || return 1
		size=$(wc -l <"$OPENSM_LOG")
		sleep 0.3
	done
}

# settled CHECKS: waits until these are all faults
settled()
{
	local end=$((SECONDS + 300))

	until sweep all --expect plan.net --routes --checks port,topo,routes &&
		[ "$(faults)" = "$1" ]; do
		[ $SECONDS -lt $end ] || expect_faults "$1"
		sleep 0.1
	done
}
export -f at_time when later check_all cron cable settled

# ---- what is injected, and what is to be remembered ----------------------------------

# count NAME PORT FIELD MORE: errors; 0 from now on, where MORE is "clear"
count()
{
	local key="$1|$2|$3" now=0

	[ "$4" = clear ] || now=$(($(value "$key") + $4))
	console "PerformanceSet \"$(id_of "$1")\"[$2] PortCounters.$3=$now" >/dev/null
	echo "$key|$now" >>values
	[ "$4" = clear ] || echo "$1/$2 $3 $4" >>errors
}

# value KEY: the last one of it
value()
{
	grep -sF "$1|" values | tail -n 1 | grep -o '[0-9]*$' || echo 0
}

# incident CHECK SUBJECT BEGAN ENDED [TIMES]
incident()
{
	jq -nc --args '$ARGS.positional' "$1" "$2" "$3" "$4" "${5:-1}" >>incidents
}

pull()
{
	cable "Unlink \"$(id_of "$1")\"[$2]"
}

plug()
{
	cable "Link \"$(id_of "$1")\"[$2] \"$(id_of "$3")\"[$4]"
	settled '[]'
}
export -f count value incident pull plug

# ---- days ----------------------------------------------------------------------------

quiet_day()
{
	cron
	cron
	cron
	cron
}

# A host loses its cable twice: that is one incident.
flapping_day()
{
	local began

	pull leaf03 2
	cron
	began=$(when)
	plug leaf03 2 'node0010 mlx5_0' 1
	cron
	pull leaf03 2
	cron
	plug leaf03 2 'node0010 mlx5_0' 1
	cron
	incident topo.missing-node 'node0010 mlx5_0' "$began" "$(when)" 2
}

# Errors of one interval are an incident of one run.
noisy_day()
{
	local began

	count leaf01 5 SymbolErrorCounter 112
	cron
	began=$(when)
	cron
	incident counters.symbol 'leaf01/5 - spine01/1' "$began" "$(when)"
	cron
	cron
}

# Somebody clears, and more errors come: at least those are told.
cleared_day()
{
	local began

	cron
	count leaf01 5 SymbolErrorCounter clear
	count leaf01 5 SymbolErrorCounter 40
	cron
	began=$(when)
	cron
	incident counters.symbol 'leaf01/5 - spine01/1' "$began" "$(when)"
	cron
}

# A host restarts: it counts from 0 again, and its leaf saw the link go down: no fault.
restart_day()
{
	count 'node0007 mlx5_0' 1 PortXmitDiscards clear
	count leaf02 3 LinkDownedCounter 1
	cron
	cron
	cron
	cron
}

# A run is killed when it is about to ask for counters: the next one tells of both intervals.
killed_day()
{
	local began

	cron
	count leaf02 1 PortRcvErrors 3
	later
	# shellcheck disable=SC2016 # expanded there
	check_all env BETWEEN_CLASS=4 BETWEEN='kill -KILL $PPID' \
		LD_PRELOAD="${IBCHECK%/*}/tests/sim/between.so:${IBCHECK%/*}/tests/sim/clock.so:$LD_PRELOAD"
	[ "$status" -eq 137 ]
	count leaf02 1 PortRcvErrors 20
	cron
	began=$(when)
	cron
	incident counters.rcv-errors 'leaf02/1 - node0005 mlx5_0/1' "$began" "$(when)"
}

# The disk is full: that run says so, and the next one tells of both intervals.
full_day()
{
	local began

	cron
	count leaf04 4 SymbolErrorCounter 30
	later
	check_all bash -c 'trap "" XFSZ; (ulimit -f 4; exec "$@") | cat' bash
	expect_findings state.memory 1
	count leaf04 4 SymbolErrorCounter 12
	cron
	began=$(when)
	cron
	incident counters.symbol 'leaf04/4 - node0016 mlx5_0/1' "$began" "$(when)"
}

# Two at once: one waits for the other, or gives way to it; no error is told twice.
double_day()
{
	local began first ended

	cron
	count leaf01 6 SymbolErrorCounter 70
	later
	began=$(when)
	at_time "$IBCHECK" all --checks -sm.sa-slow --expect plan.net --state state -f json >first.json &
	first=$!
	check_all
	wait $first || true
	mv report.json second.json
	ended=$began
	cron
	jq -se '[.[].findings[] | select(.check == "state.memory")] == []' first.json second.json \
		>/dev/null || ended=$(when)
	incident counters.symbol 'leaf01/6 - spine02/1' "$began" "$ended"
	cron
}

some_days()
{
	local day

	for ((day = $1; day < $2; day++)); do
		case $((day % 8)) in
		0) quiet_day ;;
		1) flapping_day ;;
		2) noisy_day ;;
		3) killed_day ;;
		4) restart_day ;;
		5) full_day ;;
		6) cleared_day ;;
		7) double_day ;;
		esac
	done
}
export -f some_days

# ---- the month ------------------------------------------------------------------------

first_half()
{
	settled '[]'
	cron
	some_days 0 $((MONTH_DAYS / 2))
	pull leaf03 6
	settled '["topo.missing-cable"]'
	cron
	when >broken
}

# The switch at the far end of that cable was replaced; the others go on counting.
second_half()
{
	local name port field now seen

	# by the run before: a run is six hours after it
	seen=$(date -u -d "@$(($(cat clock) - 6 * 3600))" +%FT%TZ)
	pull leaf03 6
	settled '["topo.missing-cable"]'
	sort -u -t'|' -k1,3 <(tac values) >last
	while IFS='|' read -r name port field now; do
		[ "$name" = spine02 ] ||
			console "PerformanceSet \"$(id_of "$name")\"[$port] PortCounters.$field=$now" >/dev/null
	done <last
	cron
	plug leaf03 6 spine02 3
	cron
	# it leads the missing cable of the plan, and began when it was last seen
	incident gone.cable 'leaf03/6 - spine02/3' "$seen" "$(when)"
	some_days $((MONTH_DAYS / 2)) "$MONTH_DAYS"
}
export -f first_half second_half quiet_day flapping_day noisy_day cleared_day restart_day \
	killed_day full_day double_day

# same EXPECTED FOUND: sorted, times by the hour: a run takes a moment
same()
{
	diff <(sed -E 's/:[0-9]{2}:[0-9]{2}Z/h/g' "$1" | sort) \
		<(sed -E 's/:[0-9]{2}:[0-9]{2}Z/h/g' "$2" | sort)
}

@test "a month of runs: the history has what was injected, and nothing else" {
	cp "$TOP/topologies/two-level-small.net" plan.net
	echo 1800000000 >clock
	sim --sm=keep plan.net first_half
	sed -i 's/0200000000000060/0200000000000a60/g; s/200000000000060/200000000000a60/g' plan.net
	sim --sm=keep plan.net second_half

	at_time "$IBCHECK" history --state state --since 60d -f json >history.json
	jq -c '.tables.incidents[] | select(.check != "counters.totals") |
		[.check, .subject, .began, .ended, "\(.times)"]' history.json >found
	same incidents found
	at_time "$IBCHECK" history '*' --state state --since 60d -f json >all.json
	jq -r '.tables.error_hours | group_by([.subject, .counter])[] |
		"\(.[0].subject) \(.[0].counter) \(map(.amount) | add)"' all.json >found
	awk '{ n[$1 " " $2] += $3 } END { for (i in n) print i, n[i] }' errors >sums
	same sums found
	at_time "$IBCHECK" history --state state --since 60d spine02 -f json >spine.json
	[ "$(jq '[.tables.events[] | select(.event == "replaced")] | length' spine.json)" -eq 1 ]
}
