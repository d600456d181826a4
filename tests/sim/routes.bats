# SPDX-License-Identifier: BSD-2-Clause
# What opensm's engines write into the switches, and what is made of it.

load helper.bash

# faults: the checks that found more than a note, each once
faults()
{
	jq -c '[.findings[] | select(.severity == "critical" or .severity == "warning") | .check] |
		unique' report.json
}
expect_faults()
{
	local found

	found=$(faults)
	[ "$found" = "$1" ] && return
	echo "expected: $1, found: $found"
	jq -c '.findings[]' report.json | cut -c -600
	return 1
}
export -f faults expect_faults

# Every pair arrives, and nobody is accused.
clean()
{
	sweep routes --bisections 10 --shifts 10
	expect '.tables.routes[0] | .pairs > 0 and .pairs == .routed'
	expect '.tables.routes[0].unknown' 0
	expect_faults '[]'
}
export -f clean

@test "tables of minhop in a tree of 702 nodes raise no alarm" {
	sim --sm-args='-R minhop' ft-36x18 clean
}

@test "tables of updn in a tree of 702 nodes raise no alarm" {
	sim --sm-args='-R updn' ft-36x18 clean
}

@test "tables of ftree in a tree of 702 nodes raise no alarm" {
	sim --sm-args='-R ftree' ft-36x18 clean
}

@test "tables of dfsssp in a tree of 702 nodes raise no alarm" {
	sim --sm-args='-R dfsssp' ft-36x18 clean
}

@test "tables of lash in a tree raise no alarm" {
	sim --sm-args='-R lash' two-level-small clean
}

# Four switches in a ring, two hosts on each.
ring()
{
	for i in 0 1 2 3; do
		printf 'switchguid=0x%x\nSwitch 4 "s%d"\n[1] "h%d"[1]\n[2] "h%d"[1]\n' \
			$((0x1000 + i)) $i $((2 * i)) $((2 * i + 1))
		printf '[3] "s%d"[4]\n[4] "s%d"[3]\n\n' $(((i + 1) % 4)) $(((i + 3) % 4))
	done
	for i in 0 1 2 3 4 5 6 7; do
		printf 'Hca 1 "h%d"\n[1] "s%d"[%d]\n\n' "$i" $((i / 2)) $((i % 2 + 1))
	done
}

deadlocks()
{
	sweep routes
	expect_faults '["routes.credit-loop"]'
	expect '.findings[] | select(.check == "routes.credit-loop" and .severity == "critical") |
		.facts.hops' 4
}
does_not()
{
	sweep routes
	expect_faults '[]'
}
export -f deadlocks does_not

@test "a ring of four switches can deadlock with minhop, and not with updn" {
	ring >ring.net
	echo 0x1000 >roots
	sim --sm-args='-R minhop' "$PWD/ring.net" deadlocks
	sim --sm-args="-R updn -a $PWD/roots" "$PWD/ring.net" does_not
}

# The tables as opensm wrote them; dump DIR
dump()
{
	cp "$OSM_TMP_DIR/opensm-lfts.dump" "$1/good.lfts"
	cp "$OSM_TMP_DIR/opensm.fdbs" "$1/good.fdbs"
	dump_fts >"$1/good.fts"
	"$IBCHECK" snapshot --routes -o "$1/fabric.snap" >/dev/null || true
}

# broken SWITCH LID PORT: good.lfts, but this switch sends the LID there; -: nowhere
broken()
{
	awk -v switch="('$1')" -v lid="$2" -v port="$3" '
		/^Unicast/ { here = index($0, switch) }
		here && $1 == lid { if (port == "-") next; $2 = port }
		{ print }'
}

breaks()
{
	sweep routes
	expect_faults "[\"$1\"]"
	expect_findings "$1" 1
}
export -f dump broken breaks

@test "tables broken through opensm are told by their cause" {
	sim --sm-args='-R updn -D 0x43' two-level-small dump "$PWD"
	broken spine01 0x0013 001 <good.lfts >loop.lfts
	sim --sm-args="-R file -U $PWD/loop.lfts" two-level-small breaks routes.loop
	broken leaf04 0x0013 002 <good.lfts >elsewhere.lfts
	sim --sm-args="-R file -U $PWD/elsewhere.lfts" two-level-small breaks routes.dead-end
}

# file FILE CHECK: the same without opensm
file()
{
	sweep routes --source fabric.snap --tables "$1"
	[ "$2" = '[]' ] || expect_findings "$(jq -r '.[0]' <<<"$2")" 1
	expect_faults "$2"
}

@test "tables of files, broken, are told by their cause" {
	sim --sm-args='-R updn -D 0x43' two-level-small dump "$PWD"
	for f in good.lfts good.fdbs good.fts; do
		file $f '[]'
	done
	broken spine01 0x0013 001 <good.lfts >a.lfts
	file a.lfts '["routes.loop"]'
	broken leaf04 0x0013 002 <good.lfts >a.lfts
	file a.lfts '["routes.dead-end"]'
	broken spine01 0x0013 - <good.lfts >a.lfts
	file a.lfts '["routes.unreachable"]'
	broken leaf01 0x0013 005 <good.lfts | broken spine01 0x0013 002 |
		broken leaf02 0x0013 006 >a.lfts
	file a.lfts '[]'
	expect_findings routes.longer 1
}

pulled()
{
	console 'Unlink "'"$(id_of leaf01)"'"[5]'
	sweep routes
	expect_faults '["routes.stale"]'
	expect '[.findings[] | select(.check == "routes.stale") | .facts.pairs > 0] | all'
}
export -f pulled

@test "a cable that is pulled leaves entries behind" {
	sim two-level-small pulled
}

# The nodes and ports of every path, as ibtracert and as ours.
theirs()
{
	ibtracert -n "$1" "$2" | sed -n 's/^\[\([0-9]*\)\] -> {\(0x[0-9a-f]*\)}.*/\1 \2/p'
}
ours()
{
	jq -r '.tables.path[] | select(.direction == "there") | "\(.port) \(.peer_guid)"'
}
traces_alike()
{
	local lids a b n=0

	"$IBCHECK" snapshot --routes -o fabric.snap >/dev/null || true
	"$IBCHECK" ports --source fabric.snap -H -f json >ports.json || true
	mapfile -t lids < <(jq -r '.tables.ports[] | .lid' ports.json)
	for a in "${lids[@]}"; do
		for b in "${lids[@]}"; do
			[ "$a" -lt "$b" ] || continue
			"$IBCHECK" routes --source fabric.snap --path "$a" "$b" -f json |
				ours >ours
			theirs "$a" "$b" >theirs
			[ "$(cut -d ' ' -f 1 ours)" = "$(cut -d ' ' -f 1 theirs)" ] ||
				{ echo "$a to $b:"; paste ours theirs; return 1; }
			n=$((n + 1))
		done
	done
	[ $n -eq 120 ]
}
export -f theirs ours traces_alike

@test "every path is that of ibtracert, hop by hop" {
	sim two-level-small traces_alike
}
