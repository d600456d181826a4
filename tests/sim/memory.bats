# SPDX-License-Identifier: BSD-2-Clause
# What a run leaves behind, and what is shown of it: a clear, a case, a thing over time, a hook.

load helper.bash

# count NUMBER: symbol errors at leaf01/3
count()
{
	console "PerformanceSet \"$(id_of leaf01)\"[3] PortCounters.SymbolErrorCounter=$1" >/dev/null
}

# history [ARGS...]: report.json
history()
{
	"$IBCHECK" history "$@" --state state -f json >report.json
}
export -f count history

cleared()
{
	sweep counters --state state
	count 40
	sweep counters --clear errors --state state
	expect '.tables.links | [length, ([.[].errors] | add)]' '[1,40]'
	count 7
	sweep counters --state state
	expect '[.findings[] | select(.check == "counters.symbol").facts.count]' '[7]'
	history leaf01/3
	expect '[.tables.counted[] | select(.counter == "SymbolErrorCounter")] | [.[].total, .[].at_least]' \
		'[47,false]'
	history top
	expect '.tables.worn_cables | [length, .[0].cable, .[0].errors]' \
		'[1,"leaf01/3 - node0003 mlx5_0/1",47]'
}
export -f cleared

@test "what is counted before a clear and after it is remembered, each once" {
	sim two-level-small cleared
}

# cron: with what a crontab has; report.json
cron()
{
	sweep all --checks port,topo,routes --expect plan.snap --routes --state state --hook ./hook
}

pulled()
{
	local id

	printf '#!/bin/sh\ncat >got\n' >hook
	chmod +x hook
	"$IBCHECK" snapshot -o plan.snap
	cron
	rm -f got # without a manager some is unknown
	console "Unlink \"$(id_of leaf03)\"[5]" >/dev/null
	cron
	id=$(jq -r '.cases[] | select(.check == "topo.missing-cable") | .id' report.json)
	# what the hook got is what the report has
	expect '.cases[] | select(.check == "topo.missing-cable") | .state' '"new"'
	[ "$(jq -c '[.reports[].cases[] | select(.state == "new") | .id]' got)" = \
		"$(jq -c '[.cases[] | select(.state == "new") | .id]' report.json)" ]
	rm got
	cron
	[ ! -e got ]
	# with all that follows from it
	"$IBCHECK" show "$id" --expect plan.snap --routes >shown || true
	grep -q "^CRITICAL  topo.missing-cable  leaf03/5 - spine01/3  \[$id\]" shown
	grep -q '^ *follows   routes.stale leaf03/5' shown
	history "$id"
	expect '[.tables.incidents[] | .check, .state]' '["topo.missing-cable","open"]'
	console "Link \"$(id_of leaf03)\"[5] \"$(id_of spine01)\"[3]" >/dev/null
	cron
	jq -e '[.reports[].cases[] | select(.state == "gone").id] == ["'"$id"'"]' got
}
export -f cron pulled

@test "a cable that is pulled is told to the hook once, shown whole, and told again when it is back" {
	sim two-level-small pulled
}

routes_kept()
{
	sweep all --state state
	sweep ports --state state
	[ "$(find state -name 'kept.*.zst' | wc -l)" = 1 ]
	# whoever reads no tables keeps the cabling, and the next one that does, both
	console "Unlink \"$(id_of leaf03)\"[5]" >/dev/null
	sweep ports --state state
	[ "$(find state -name 'kept.*.zst' | wc -l)" = 2 ]
	sweep all --state state
	sweep all --state state
	[ "$(find state -name 'kept.*.zst' | wc -l)" = 3 ]
	for file in state/*/kept.*.zst; do
		zstd -dc "$file" | grep -c '"table":"lft"' || true
	done >tables
	[ "$(sort -n tables | head -1)" = 0 ]
	[ "$(grep -vc '^0$' tables)" = 2 ]
	sweep routes --source "$(ls -t state/*/kept.*.zst | head -1)"
	expect '[.findings[].check] | index("routes.stale") != null'
}
export -f routes_kept

@test "sweeps are kept with their routes at a change of cabling" {
	sim two-level-small routes_kept
}
