# SPDX-License-Identifier: BSD-2-Clause
# Tables that are broken, by what breaks them; and every path, held against ibtracert.

load helper.bash

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

# What opensm makes of a file, it writes as it is.
through_opensm()
{
	sim --sm-args="-R file -U $PWD/$1" two-level-small "${@:2}"
}

dump_of_tree()
{
	sim --sm-args='-R updn -D 0x43' two-level-small dump "$PWD"
}
export -f dump broken breaks

@test "tables broken through opensm are told by their cause" {
	dump_of_tree
	broken spine01 0x0013 001 <good.lfts >loop.lfts
	through_opensm loop.lfts breaks routes.loop
	broken leaf04 0x0013 002 <good.lfts >elsewhere.lfts
	through_opensm elsewhere.lfts breaks routes.dead-end
	broken spine01 0x0013 - <good.lfts >nowhere.lfts
	through_opensm nowhere.lfts breaks routes.unreachable
	sed "/('leaf01'):/,/dumped/s/ 006 / 005 /" good.lfts >uneven.lfts
	through_opensm uneven.lfts breaks routes.imbalance
}

# from leaf01 to node0013 by way of leaf02
detour()
{
	sweep routes
	expect_faults '[]'
	expect '.findings[] | select(.check == "routes.longer") | .facts | [.pairs, .hops, .shortest]' \
		'[8,5,3]'
}
export -f detour

@test "detours through opensm are noted" {
	dump_of_tree
	broken leaf01 0x0013 005 <good.lfts | broken spine01 0x0013 002 |
		broken leaf02 0x0013 006 >detour.lfts
	through_opensm detour.lfts detour
}

# once NAME ARGUMENT...: opensm configures the fabric anew
once()
{
	manager "$1" "$SIM_HOST" '' -o "${@:2}"
	wait $!
}

# opensm writes tables of before a cable was pulled, and a host was.
outdated()
{
	console 'Unlink "'"$(id_of leaf01)"'"[5]'
	once cable -R file -U "$1"
	sweep routes
	expect_faults '["routes.stale"]'
	expect '[.findings[] | select(.check == "routes.stale") |
		[.subject.node_desc, .subject.port, .facts.pairs]] | sort' \
		'[["leaf01",5,24],["spine01",1,24]]'
}
left_behind()
{
	console 'Unlink "'"$(id_of 'node0005 mlx5_0')"'"[1]'
	once host -R file -U "$1"
	sweep routes
	expect_faults '["routes.stale"]'
	expect '.findings[] | select(.check == "routes.stale") |
		[.severity, .facts.first_lid, .facts.switches]' '["warning",11,6]'
}
export -f once outdated left_behind

@test "tables of another day, through opensm, have entries for what is gone" {
	dump_of_tree
	sim --no-sm two-level-small outdated "$PWD/good.lfts"
	sim two-level-small left_behind "$PWD/good.lfts"
}

# file FILE CHECK: the same without opensm
file()
{
	sweep routes --source fabric.snap --tables "$1"
	[ "$2" = '[]' ] || expect_findings "$(jq -r '.[0]' <<<"$2")" 1
	expect_faults "$2"
}

@test "tables of files, broken, are told by their cause" {
	dump_of_tree
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
	sed "/('leaf01'):/,/dumped/s/ 006 / 005 /" good.lfts >a.lfts
	file a.lfts '["routes.imbalance"]'
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

# Each way as lines: where it begins, and every hop as port, GUID of the node, port of that.
theirs()
{
	# of a host, the last of a way, it tells the GUID of the port first, and then that of the node
	ibtracert -n -t 20000 --ports-file "$1" | awk '
	{ is_hop = /^\[/; gsub(/[][{}]|->/, " ") }
	/^From/ { print $1, $2; hops = 0 }
	/^To/ { print out, $2, port }
	is_hop && hops++ { print out, guid, port }
	is_hop { out = $1; guid = $2; port = $3 }'
}
ours()
{
	while read -r a b; do
		"$IBCHECK" routes --source fabric.snap --path "$a" "$b" -f json
	done <"$1" | jq -r '.tables.path | ([.[] | select(.direction == "there")],
		[.[] | select(.direction == "back")]) | "From \(.[0].node_guid)",
		(.[] | "\(.port) \(.peer_guid) \(.peer_port)")'
}

# 500 pairs, there and back
traces_alike()
{
	"$IBCHECK" snapshot --routes -o fabric.snap >/dev/null || true
	"$IBCHECK" ports --source fabric.snap -H -f json | jq -r '.tables.ports[].lid' >lids || true
	awk 'BEGIN { srand(1) }
	{ lid[NR] = $1 }
	END {
		while (n < 500) {
			a = lid[1 + int(rand() * NR)]
			b = lid[1 + int(rand() * NR)]
			if (a != b && ++n)
				print a, b
		}
	}' lids >pairs
	awk '{ print; print $2, $1 }' pairs >both
	theirs both >theirs.txt
	[ "$(grep -c From theirs.txt)" = 1000 ]
	ours pairs | diff theirs.txt -
}
export -f theirs ours traces_alike

@test "a thousand paths in three levels are those of ibtracert, hop by hop" {
	"$IBCHECK" snapshot -o tree.net \
		--source synth:fattree:levels=3,pods=4,leaves=4,spines=2,uplinks=2,hosts=4 >/dev/null
	sim --timeout=500 tree.net traces_alike
}
