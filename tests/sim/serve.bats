#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Conditions are evaluated where they are waited for, as often as that takes.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034
# "ibcheck serve" over a simulated fabric, and over files: what clients get, whatever happens.

bats_require_minimum_version 1.5.0

load helper.bash
load serve.bash

setup()
{
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	IBCHECK=${IBCHECK:-$TOP/build/ibcheck}
	fixture=$TOP/tests/golden/fixtures/counted.snap
	export TOP IBCHECK
	command -v curl >/dev/null || skip "curl is missing: install curl"
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown()
{
	[ -z "${server:-}" ] || ! kill -9 "$server" 2>/dev/null || wait "$server" 2>/dev/null || true
}

# ---- a fabric that changes ---------------------------------------------------------------

# shows FILTER: what jq makes of the last report is true
shows()
{
	get report.json | jq -e "$1" >/dev/null
}

pulled_and_plugged()
{
	serve --state state
	comes 'shows ".summary.nodes == $(all_nodes)"'
	get report.html | grep -q '<html'
	[ "$(get healthz | head -n 1)" = ok ]
	up=$(get metrics | grep -c '^infiniband_switch_port_up{.*} 1')
	console "Unlink \"$(id_of leaf01)\"[1]"
	comes '[ "$(get metrics | grep -c "^infiniband_switch_port_up{.*} 1")" -lt "$up" ]'
	comes 'shows ".cases | map(select(.state == \"new\" or .state == \"open\")) | length > 0"'
	console "ReLink \"$(id_of leaf01)\"[1]"
	comes '[ "$(get metrics | grep -c "^infiniband_switch_port_up{.*} 1")" = "$up" ]'
	console "PerformanceSet \"$(id_of leaf01)\"[2] PortCounters.SymbolErrorCounter=77"
	comes 'get metrics | grep -q "^infiniband_switch_port_symbol_error_total{.*port=\"2\"} 77"'
	comes 'get history.html | grep -q "leaf"'
	get thing.html?thing=leaf01 | grep -q '<html'
	end_server
	"$IBCHECK" history --state state -f json | jq -e '.tables.incidents | length > 0' >/dev/null
}

@test "a cable that is pulled shows within a sweep, in metrics, report and history" {
	export -f pulled_and_plugged shows
	sim --sm=keep two-level-small pulled_and_plugged
}

@test "the other pages have the verdict of the last run, and its time; cases lead to their past" {
	serve --source "$TOP/tests/golden/fixtures/faults.snap" --state state --interval 600
	comes '[ "$(status_of history.html)" = 200 ]'
	get report.html >page.html
	link=$(sed -n 's/.*<a href="\(thing.html?thing=[0-9a-f]*\)">history.*/\1/p' page.html | head -n 1)
	get "$link" | grep -q "id=\"table-incidents\""
	for page in history.html top.html 'thing.html?thing=leaf01'; do
		comes 'get "$page" -f >page.html' # a thing not twice a second
		grep -q '<header class="banner critical">' page.html
		grep -q '<p class="sum">last run: CRITICAL, 20..-..-.. ..:..:.. UTC, all' page.html
		run grep -e 'banner ok' -e 'no findings' -e 'class="tiles"' page.html
		[ "$status" = 1 ]
	done
	end_server
}

vanished()
{
	serve
	comes '[ "$(status_of healthz)" = 200 ]'
	nodes=$(get metrics | sed -n 's/^ibcheck_size{.*item="nodes"} //p')
	console 'Unlink "'"$SIM_HOST"'"'
	comes '[ "$(get metrics | sed -n "s/^ibcheck_size{.*item=\"nodes\"} //p")" != "$nodes" ] ||
		[ "$(metric ibcheck_serve_last_round_failed)" = 1 ]'
	end_server
}

@test "a fabric that vanishes is told, and does not end the server" {
	export -f vanished
	sim two-level-small vanished
}

# This host alone is a fabric of its own for the memory: what it had of the other stays, and what
# it had alone ends with that.
gone_for_an_hour()
{
	local leaf early late

	leaf=$(id_of leaf01)
	by_rounds --state state
	comes '[ "$(status_of healthz)" = 200 ]'
	console "PerformanceSet \"$leaf\"[2] PortCounters.SymbolErrorCounter=7"
	pass 2
	get report.json | jq -e '.verdict == "ok" or .verdict == "warning"' >/dev/null
	console "Unlink \"$SIM_HOST\""
	pass 20
	early=$(memory)
	console "PerformanceSet \"$leaf\"[2] PortCounters.SymbolErrorCounter=60"
	pass 100
	late=$(memory)
	echo "memory: $early kB, $late kB"
	[ $((late - early)) -lt 3000 ]
	[ "$(get report.json | jq .summary.switches)" = 0 ]
	[ "$(get report.json | jq -c '[.cases[] | select(.state == "open").check]')" = '["sm.none","port.physical"]' ]
	console "ReLink \"$SIM_HOST\""
	comes 'pass 1; shows ".summary.nodes == $(all_nodes)"'
	[ "$(metric ibcheck_serve_rounds_failed_total)" = 0 ]
	get metrics >scrape
	grep -q "^infiniband_switch_port_symbol_error_total{.*port=\"2\"} 60" scrape
	pass 2
	end_server
	"$IBCHECK" history --state state -f json >report.json
	expect '[.tables.incidents[] | select(.check == "sm.none" or .check == "port.physical") | [.check, .times, .state]] | unique' \
		'[["port.physical",1,"ended"],["sm.none",1,"ended"]]'
	# what was counted meanwhile is neither lost nor told twice
	"$IBCHECK" history --state state leaf01/2 -f json >report.json
	expect '[.tables.incidents[] | select(.check != "counters.totals") | [.check, .times, .state]]' \
		'[["counters.symbol",2,"ended"]]'
	expect '[.tables.error_hours[].amount] | add' 60
}

@test "a fabric that is gone for an hour" {
	export -f gone_for_an_hour shows expect
	sim --sm=keep two-level-small gone_for_an_hour
}

# A day has 2,880 rounds; DAY_ROUNDS: so many, all the time with errors, and with a cable that goes and comes.
day()
{
	local leaf early late step
	local steps=$((${DAY_ROUNDS:-96} / 12))

	leaf=$(id_of leaf01)
	by_rounds --state state
	comes '[ "$(status_of healthz)" = 200 ]'
	pass 40
	early=$(memory)
	for ((step = 1; step <= steps; step++)); do
		console "PerformanceSet \"$leaf\"[2] PortCounters.SymbolErrorCounter=$((step * 7))" >/dev/null
		[ $((step % 8)) != 3 ] || console "Unlink \"$leaf\"[3]"
		[ $((step % 8)) != 5 ] || console "ReLink \"$leaf\"[3]"
		pass 12
	done
	late=$(memory)
	echo "memory: $early kB, $late kB after $((steps * 12)) rounds"
	[ $((late - early)) -lt 5000 ]
	[ "$(metric ibcheck_serve_rounds_failed_total)" = 0 ]
	end_server
	"$IBCHECK" history --state state leaf01/2 -f json >report.json
	expect '[.tables.error_hours[].amount] | add' $((steps * 7))
}

@test "a day of samples takes no more memory than its beginning" {
	export -f day expect
	sim --sm=keep --timeout=3000 two-level-small day
}

@test "a fabric that cannot be read for an hour" {
	cp "$fixture" now.snap
	by_rounds --state state --source now.snap
	comes '[ "$(status_of healthz)" = 200 ]'
	pass 2
	"$IBCHECK" history --state state -f json | jq -S '[.tables.incidents[] | [.check, .began, .times]]' >before
	mv now.snap gone.snap
	pass 20
	early=$(memory)
	pass 100
	late=$(memory)
	echo "memory: $early kB, $late kB"
	[ $((late - early)) -lt 3000 ]
	[ "$(metric ibcheck_serve_rounds_failed_total)" -ge 118 ]
	[ "$(grep -c now.snap serve.log)" = 1 ]
	[ "$(jq -n "$(metric ibcheck_serve_sample_age_seconds) > 3500")" = true ]
	mv gone.snap now.snap
	pass 2
	[ "$(status_of healthz)" = 200 ]
	end_server
	"$IBCHECK" history --state state -f json | jq -S '[.tables.incidents[] | [.check, .began, .times]]' >after
	cmp before after
}

# ---- without a fabric to sweep ----------------------------------------------------------------

@test "while sweeps fail, the last sample stays with its age, and health says why" {
	cp "$fixture" now.snap
	serve --source now.snap
	comes '[ "$(status_of metrics)" = 200 ]'
	mv now.snap gone.snap
	comes '[ "$(metric ibcheck_serve_last_round_failed)" = 1 ]'
	[ "$(status_of healthz)" = 503 ]
	get healthz | grep -q 'failing: .*now.snap'
	get metrics | grep -q '^infiniband_switch_port_up'
	age=$(metric ibcheck_serve_sample_age_seconds)
	comes '[ "$(jq -n "$(metric ibcheck_serve_sample_age_seconds) > $age")" = true ]'
	[ "$(grep -c now.snap serve.log)" = 1 ] # once, not every round
	mv gone.snap now.snap
	comes '[ "$(status_of healthz)" = 200 ]'
	[ "$(metric ibcheck_serve_last_round_failed)" = 0 ]
	end_server
}

@test "metrics are the same compressed and not, but for the age" {
	serve --source "$fixture"
	comes '[ "$(status_of metrics)" = 200 ]'
	get metrics -H 'Accept-Encoding: gzip' | gzip -dc | grep -v ^ibcheck_serve >compressed
	get metrics | grep -v ^ibcheck_serve >plain
	# of two samples only times may differ
	sed -i 's/^\(ibcheck_\(last_run\|run_duration\).*\) .*/\1/' compressed plain
	cmp compressed plain
	end_server
}

@test "GET only, of what there is, by names that are ours" {
	serve --source "$fixture"
	comes '[ "$(status_of metrics)" = 200 ]'
	[ "$(status_of metrics -X POST -d x=1)" = 405 ]
	[ "$(status_of metrics -X DELETE)" = 405 ]
	[ "$(status_of nothing)" = 404 ]
	[ "$(status_of ../../etc/passwd --path-as-is)" = 404 ]
	[ "$(status_of report.json -H 'Host: evil.example')" = 421 ]
	[ "$(status_of '')" = 200 ]
	[ "$(status_of history.html)" = 503 ] # there is no --state
	[ "$(status_of thing.html?thing=leaf01)" = 404 ]
	end_server
}

@test "events tell of samples as they come" {
	serve --source "$fixture"
	comes '[ "$(status_of metrics)" = 200 ]'
	curl -sSN --noproxy '*' --max-time 3 "${url}events" >events || true
	[ "$(grep -c '^data: ' events)" -gt 2 ]
	sed -n 's/^data: //p' events | jq -e '.failed == false' >/dev/null
	end_server
}

# ---- what may go wrong at the start --------------------------------------------------------------

# refuses PATTERN ARGS...: it does not start, and says why
refuses()
{
	run -3 timeout 100 "$IBCHECK" serve --source "$fixture" "${@:2}"
	[[ $output =~ $1 ]] || {
		echo "$output"
		return 1
	}
}

@test "a port in use, an address of others, a second server of one memory are refused" {
	serve --source "$fixture" --state state
	comes '[ "$(status_of metrics)" = 200 ]'
	used=${url#http://}
	refuses 'cannot listen on .*Address already in use' --listen "${used%/}"
	refuses 'without a password' --listen 0.0.0.0:0
	refuses 'is not ADDRESS:PORT' --listen localhost
	refuses 'is not ADDRESS:PORT' --listen 127.0.0.1:65536
	refuses 'state is held by another ibcheck serve' --listen 127.0.0.1:0 --state state
	refuses 'cannot make' --listen 127.0.0.1:0 --state /proc/none/state
	refuses 'serve has paths' --listen 127.0.0.1:0 -f json
	refuses 'writes no file' --listen 127.0.0.1:0 -o x
	end_server
}

@test "the library of the web server is loaded by who serves, and by nobody else" {
	run ! grep -E 'microhttpd|gnutls' <(ldd "$IBCHECK")
	mkdir broken old
	echo "no library" >broken/libmicrohttpd.so.12
	cc -shared -x c /dev/null -o old/libmicrohttpd.so.12
	LD_LIBRARY_PATH=broken refuses 'install the package libmicrohttpd12 .*libmicrohttpd.so.12' --listen 127.0.0.1:0
	LD_LIBRARY_PATH=old refuses 'install the package libmicrohttpd12 .*MHD_' --listen 127.0.0.1:0
	LD_LIBRARY_PATH=broken run "$IBCHECK" ports --source "$fixture"
	[ "$status" -lt 3 ]
}

@test "a plan that is not there ends it at once" {
	run -3 timeout 100 "$IBCHECK" serve --source "$fixture" --listen 127.0.0.1:0 --expect none.csv
	[[ $output == *none.csv* ]]
}

# ---- signals ----------------------------------------------------------------------------------------

@test "SIGHUP reads the configuration again, and a mistake in it changes nothing" {
	printf '[port.state]\nenabled = yes\n' >conf
	serve --source "$fixture" --config conf
	comes '[ "$(status_of report.json)" = 200 ]'
	get metrics | grep -q 'ibcheck_check_findings{.*check="port.state"'
	printf '[port.state]\nenabled = no\n' >conf
	kill -HUP "$server"
	comes '! get metrics | grep -q "ibcheck_check_findings{.*check=\"port.state\""'
	grep -q 'the configuration was read again' serve.log
	printf '[port.state]\nenabled = perhaps\n' >conf
	kill -HUP "$server"
	comes 'grep -q "conf: line 2" serve.log'
	[ "$(status_of healthz)" = 200 ]
	end_server
}

# configure LINE...: the file conf, with all that serve needs, and these lines of [all]
configure()
{
	cat >conf <<-END
		[common]
		source = $TOP/tests/golden/fixtures/topo/three-faults.net
		state = $PWD/${state:-state}
		[serve]
		listen = ${listen:-127.0.0.1:0}
		interval = ${interval:-0.3}
		[all]
		$(printf '%s\n' "$@")
	END
}

# finds CHECK: the last report has findings of it
finds()
{
	get report.json | jq -e --arg check "$1" 'any(.findings[]; .check == $check)' >/dev/null
}

@test "all of its options may stand in the configuration, and SIGHUP takes them anew" {
	configure 'checks = topo,port' "expect = $TOP/tests/golden/fixtures/topo/plan.net"
	serve_as_asked --config conf
	comes '[ "$(status_of report.json)" = 200 ]'
	finds topo.swapped
	[ "$(metric ibcheck_serve_interval_seconds)" = 0.3 ]
	[ -e state ]
	interval=0.2 configure 'checks = port'
	kill -HUP "$server"
	comes '! finds topo.swapped'
	[ "$(metric ibcheck_serve_interval_seconds)" = 0.2 ]
	grep -q 'the configuration was read again' serve.log
	run ! grep -q 'until the next start' serve.log
	# a plan that is not there, like any mistake, changes nothing
	configure 'checks = topo' "expect = none.csv"
	kill -HUP "$server"
	comes 'grep -q "cannot open none.csv" serve.log'
	[ "$(status_of healthz)" = 200 ]
	[ "$(metric ibcheck_serve_interval_seconds)" = 0.2 ]
	end_server
}

@test "where it listens and its memory stay until the next start, and it says so" {
	configure 'checks = port'
	serve_as_asked --config conf
	comes '[ "$(status_of report.json)" = 200 ]'
	listen=127.0.0.1:1 state=other configure 'checks = port'
	kill -HUP "$server"
	comes 'grep -q -- "--listen stays as it was until the next start" serve.log'
	comes 'grep -q -- "--state stays as it was until the next start" serve.log'
	rounds=$(metric ibcheck_serve_rounds_total)
	comes '[ "$(metric ibcheck_serve_rounds_total)" -gt $((rounds + 2)) ]'
	[ ! -e other ]
	end_server
}

@test "the command line goes before the configuration, also after SIGHUP" {
	interval=1h listen=127.0.0.1:1 configure 'checks = port' 'expect = none.csv'
	serve --config conf --source "$fixture" --expect "$fixture" --checks topo
	comes '[ "$(status_of report.json)" = 200 ]'
	kill -HUP "$server"
	comes 'grep -q "the configuration was read again" serve.log'
	rounds=$(metric ibcheck_serve_rounds_total)
	comes '[ "$(metric ibcheck_serve_rounds_total)" -gt $((rounds + 2)) ]'
	[ "$(get report.json | jq -r '.meta.source.file')" = "$fixture" ]
	get metrics | grep -q 'ibcheck_check_findings{.*check="topo'
	run ! grep -q 'until the next start' serve.log
	end_server
}

@test "SIGTERM ends it at once, also with clients that wait" {
	serve --source "$fixture" --state state
	comes '[ "$(status_of metrics)" = 200 ]'
	curl -sN --noproxy '*' --max-time 60 "${url}events" >events &
	client=$!
	comes '[ -s events ]'
	end_server
	wait "$client" || true
	"$IBCHECK" history --state state >/dev/null
}

@test "a state directory is free again once its server has ended, or was killed" {
	serve --source "$fixture" --state state
	comes '[ "$(status_of metrics)" = 200 ]'
	kill -9 "$server"
	wait "$server" || true
	serve --source "$fixture" --state state
	comes '[ "$(status_of metrics)" = 200 ]'
	get report.json | jq -e '[.findings[] | select(.check == "state.memory")] == []' >/dev/null
	end_server
}

# ---- a service manager -----------------------------------------------------------------------------

@test "a socket that is handed over is served, and only one that listens" {
	command -v systemd-socket-activate >/dev/null || skip "install systemd"
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	systemd-socket-activate -l "127.0.0.1:$port" "$IBCHECK" serve --source "$fixture" \
		--listen 127.0.0.1:1 >serve.out 2>serve.log 3>&- &
	server=$!
	url=http://127.0.0.1:$port/
	comes '[ "$(status_of metrics 2>/dev/null)" = 200 ]'
	get metrics | grep -q '^infiniband_switch_port_up'
	end_server
	LISTEN_FDS=1 LISTEN_PID=$$ run -3 timeout 100 bash -c 'LISTEN_PID=$BASHPID; exec "$IBCHECK" serve \
		--source "$0" 3</dev/null' "$fixture"
	[[ $output == *'does not listen'* ]]
}

@test "the service manager hears of readiness, life, samples and the end" {
	cat >listen.py <<-'END'
		import socket
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind("notify")
		with open("said", "ab", buffering=0) as out:
		    while True:
		        out.write(s.recv(4096) + b"\n")
	END
	python3 listen.py 3>&- &
	listener=$!
	comes '[ -S notify ]'
	NOTIFY_SOCKET=$PWD/notify WATCHDOG_USEC=200000 serve --source "$fixture"
	comes 'grep -q READY=1 said && grep -q WATCHDOG=1 said && grep -q STATUS= said'
	end_server
	comes 'grep -q STOPPING=1 said'
	kill "$listener"
}

@test "the example units are taken by systemd" {
	command -v systemd-analyze >/dev/null || skip "install systemd"
	cp "$TOP"/examples/ibcheck-serve.* .
	sed -i -e "s|^ExecStart=ibcheck |ExecStart=$IBCHECK |" -e '/^Documentation=/d' ibcheck-serve.*
	systemd-analyze verify ./ibcheck-serve.service ./ibcheck-serve.socket >verdict 2>&1 || true
	run ! grep ibcheck-serve verdict
}

# ---- clients that mean ill -----------------------------------------------------------------------

@test "slow, huge, pipelined and a thousand clients delay neither sweeps nor others" {
	serve --source synth:fattree:leaves=16,spines=8,hosts=16
	comes '[ "$(status_of metrics)" = 200 ]'
	address=${url#http://}
	address=${address%/}
	python3 "$TOP/tests/sim/clients.py" "${address%:*}" "${address#*:}" >clients.out 2>clients.err 3>&- &
	clients=$!
	comes 'grep -q ready clients.out || ! kill -0 $clients 2>/dev/null'
	cat clients.err
	kill -0 "$clients"
	rounds=$(metric ibcheck_serve_rounds_total)
	comes '[ "$(metric ibcheck_serve_rounds_total)" -gt $((rounds + 5)) ]'
	[ "$(status_of healthz)" = 200 ]
	for _ in {1..20}; do
		get metrics >scrape
		[ "$(tail -n 1 scrape)" = "ibcheck_serve_rounds_failed_total 0" ]
	done
	kill "$clients"
	wait "$clients" || true
	end_server
}

@test "a hundred scrapes at once are all whole" {
	serve --source synth:fattree:leaves=16,spines=8,hosts=16
	comes '[ "$(status_of metrics)" = 200 ]'
	for i in {1..100}; do
		get metrics -o "scrape.$i" &
		scrapes[i]=$!
	done
	wait "${scrapes[@]}"
	for i in {1..100}; do
		[ "$(tail -n 1 "scrape.$i")" = "ibcheck_serve_rounds_failed_total 0" ]
	done
	end_server
}
