# SPDX-License-Identifier: BSD-2-Clause
# doc/coming-from.md: what infiniband-diags and ibutils say of a fabric with a fault, and what is said
# of it here: the same port, the same value.  The blocks of that page are recorded by
# UPDATE=1 bats tests/sim/coming.bats -f recorded

load helper.bash

PAGE=$TOP/doc/coming-from.md
export PAGE COLUMNS=100
# another host than opensm ran on: in ibsim it would get the queries for counters
QUIET='node0009 mlx5_0'
export QUIET

# ours FILTER: lines of the report, as jq makes them; theirs: of standard input; both are sorted
ours()
{
	jq -r "$1" report.json | sort >ours
}
theirs()
{
	sort >theirs
}
same()
{
	[ -s theirs ] || { echo "they say nothing" && return 1; }
	diff theirs ours
}

fault()
{
	"$TOP/tests/sim/fabric" --fault "$1"
}

# theirs, without what umad2sim says
they()
{
	"$@" 2>/dev/null
}
export -f ours theirs same fault they

# ---- ports and cables ------------------------------------------------------------------

down()
{
	fault 'unlink leaf01/5'
	they iblinkinfo -d | awk '/^Switch:/ { sub(/:$/, "", $3); name = $3 } / Down\// { print name "/" $2 + 0 }' |
		sed 's/\[$//' | theirs
	sweep ports --down
	expect_status 2
	ours '.tables.ports[] | "\(.node_desc)/\(.port)"'
	same
}
export -f down

@test "ports that are down: iblinkinfo -d and ports --down" {
	sim two-level-small down
}

slow()
{
	fault 'width leaf03/2 1x'
	they iblinkinfo -l | sed -n 's/^0x\([0-9a-f]*\) .* \([0-9]*\)\[  *\] ==( 1X .*==> .*"\(.*\)" .*/0x\1 \2 \3/p' |
		grep -v ' leaf03$' | theirs
	sweep ports
	expect_status 1
	ours '.findings[] | select(.check == "port.width").subject |
		"\(.node_guid) \(.port) \(.peer_desc)"'
	same
}
export -f slow

@test "a port at 1x: iblinkinfo -l and ports" {
	sim two-level-small slow
}

devices()
{
	{ they ibhosts && they ibswitches; } | sed 's/^\([A-Z]\)[a-z]*[^:]*: *\(0x[0-9a-f]*\) .* "\(.*\)".*/\2 \3/' | theirs
	sweep ports
	ours '[.tables.ports[] | "\(.node_guid) \(.node_desc)"] | unique[]'
	same
	they ibswitches | sed 's/.*"\(.*\)".* lid \([0-9]*\) .*/\1 \2/' | theirs
	sweep ports --switches
	ours '[.tables.ports[] | "\(.node_desc) \(.lid)"] | unique[]'
	same
	they ibhosts | sed 's/.*"\(.*\)".*/\1/' | theirs
	sweep ports --hcas
	ours '[.tables.ports[].node_desc] | unique[]'
	same
	# the topology, line by line
	links() { sed -n 's/^\(\[.*\]\)[^#]*\(# .*\)/\1 \2/p; s/^\(Switch\|Ca\)\t.*/&/p' "$1"; }
	they ibnetdiscover >theirs.net
	"$IBCHECK" -q snapshot -o ours.net
	links theirs.net | theirs
	links ours.net | sort >ours
	same
}
export -f devices

@test "nodes, LIDs and cables: ibhosts, ibswitches, ibnetdiscover and ports, snapshot" {
	sim two-level-small devices
}

# ---- counters ----------------------------------------------------------------------------

errors()
{
	local status=0

	export SIM_HOST=$QUIET
	fault 'errors leaf02/1 SymbolErrorCounter 300'
	fault 'errors node0007 mlx5_0/1 PortRcvErrors 12'
	they ibqueryerrors --skip-sl >errors || status=$?
	[ "$status" = 1 ]
	awk '/ port [0-9]+: / {
		for (i = 5; i < NF; i += 3)
			print $2, $4 + 0, substr($i, 2), $(i + 2) + 0
	}' errors | sed 's/^0x0*/0x/' | theirs
	sweep counters --totals
	expect_status 1
	ours '.tables.counters[] | . as $port |
		{ SymbolErrorCounter: .symbol_error, PortRcvErrors: .receive_errors } | to_entries[] |
		select(.value > 0) | "\($port.node_guid) \($port.port) \(.key) \(.value)"'
	# theirs is the GUID of the port, of an HCA one more than that of the node here
	sed -i 's/^0x0*/0x/; s/^\(0x[0-9a-f]*d\)0 /\11 /' ours
	same
	# perfquery of the port
	they perfquery "$(lid_of leaf02)" 1 | sed -n 's/^SymbolErrorCounter:\.*//p' | theirs
	sweep show leaf02/1
	ours '.tables.activity[] | .errors | capture("SymbolErrorCounter (?<n>[0-9]+)").n'
	same
	# cleared here, it is clear there
	sweep counters --clear errors
	expect_status 0
	they ibqueryerrors --skip-sl | grep 'ports checked, 0 ports have errors'
}
export -f errors

@test "errors of ports: ibqueryerrors, perfquery and counters, show" {
	sim two-level-small errors
}

details()
{
	export SIM_HOST=$QUIET
	console "PerformanceSet \"$(id_of leaf02)\"[1] PortCounters.PortXmitDiscards=7"
	console "PerformanceSet \"$(id_of leaf02)\"[1] PortXmitDiscardDetails.PortInactiveDiscards=7"
	# PortInactiveDiscards under another name
	they ibqueryerrors --skip-sl --details | grep -F '[PortLocalPhysicalErrors == 7]'
	sweep counters --totals
	expect '[.tables.counters[] | select(.inactive_discards > 0) | [.node_desc, .port, .inactive_discards,
		.local_physical_errors]]' '[["leaf02",1,7,null]]'
}
export -f details

@test "the details of discards have their own names here" {
	sim two-level-small details
}

# ---- one thing ----------------------------------------------------------------------------

thing()
{
	local lid

	export SIM_HOST=$QUIET
	for lid in 3 5 17; do
		{
			they smpquery nodedesc "$lid" | sed 's/.*\.//'
			they smpquery nodeinfo "$lid" | sed -n 's/^Guid:\.*//p'
			they ibaddr "$lid" | sed -n 's/.* LID start \(0x[0-9a-f]*\) .*/\1/p' | xargs printf '%d\n'
		} | theirs
		sweep show "$lid"
		ours '.tables.identity[0] | .node_desc, .node_guid, .lid'
		same
	done
	fault 'width leaf03/2 1x'
	they ibportstate "$(lid_of leaf03)" 2 query |
		sed -n 's/^Link\(State\|WidthActive\):\.*//p' | tr X x | head -n 2 | theirs
	sweep show leaf03/2
	ours '.tables.ends[0] | (.state | (.[0:1] | ascii_upcase) + .[1:]), .width'
	same
}
export -f thing

@test "a LID, a GUID, a port: smpquery, ibaddr, ibportstate and show" {
	sim two-level-small thing
}

local_port()
{
	they ibstat | sed -n 's/^\tNode GUID: //p; s/^\t\tState: //p; s/^\t\tRate: //p; s/^\t\tSM lid: //p' | theirs
	sweep ports --local
	ours '.tables.local_ports[0] | .node_guid, (.state | .[0:1] | ascii_upcase) + .state[1:], .rate_gbps, .sm_lid'
	same
}
export -f local_port

@test "the ports of this host: ibstat and ports --local" {
	sim two-level-small local_port
}

# ---- paths and the subnet manager ---------------------------------------------------------

path()
{
	they ibtracert 7 15 | sed -n 's/^\[\([0-9]*\)\] -> .*\[\([0-9]*\)\] lid .* "\(.*\)"$/\1 \3\/\2/p' | theirs
	sweep routes --path 7 15
	expect_status 0
	ours '.tables.path[] | select(.direction == "there") | "\(.port) \(.in)"'
	same
	# who sends through a cable: to these destinations
	they ibfindnodesusing -R "$(id_of leaf01 | sed s/S-/0x/)" 5 | sed -n '2s/ mlx5_0/\n/gp' |
		sed 's/^ *//; /^$/d' | theirs
	sweep routes --using leaf01/5
	ours '[.tables.using[] | select(.out == "leaf01/5") | .to] | unique[] | split(" ")[0]'
	same
}
export -f path

@test "a path, and who uses a cable: ibtracert, ibfindnodesusing and routes" {
	sim --sm=keep two-level-small path
}

master()
{
	they sminfo | sed 's/.* sm lid \([0-9]*\) sm guid 0x\([0-9a-f]*\), .* priority \([0-9]*\) state . SMINFO_\(.*\)/\1 \2 \3 \L\4/' | theirs
	sweep sm
	expect_status 0
	ours '.tables.managers[] | "\(.lid) \(.guid[3:]) \(.priority) \(.state)"'
	same
}
export -f master

@test "the master: sminfo and sm" {
	sim --sm=keep two-level-small master
}

tables()
{
	they dump_lfts >lfts
	sweep routes --tables lfts
	expect '.tables.routes[0] | [.pairs, .routed]' '[240,240]'
	they dump_fts >lfts
	sweep routes --tables lfts
	expect '.tables.routes[0] | [.pairs, .routed]' '[240,240]'
}
export -f tables

@test "forwarding tables as dump_lfts and dump_fts print them are read" {
	sim --sm=keep two-level-small tables
}

# ---- what changed ------------------------------------------------------------------------------

changed()
{
	they ibnetdiscover --cache before.cache >before.net
	"$IBCHECK" -q snapshot -o before.snap
	fault 'unlink leaf03/6'
	# they end with 0, as iblinkinfo does
	they iblinkinfo --diff before.cache >/dev/null
	they ibnetdiscover --diff before.cache | awk -F'"' '/^Switch/ { name = $4 } /^< \[/ { split($1, port, /[][]/); print name "/" port[2] }' |
		theirs
	sweep diff before.snap
	expect_status 1
	ours '.findings[] | select(.check == "diff.links").subject | select(.kind == "cable") |
		"\(.node_desc)/\(.port)", "\(.peer_desc)/\(.peer_port)"'
	same
	# the text of ibnetdiscover is an earlier sweep as well
	sweep diff before.net
	ours '.findings[] | select(.check == "diff.links").subject | select(.kind == "cable") |
		"\(.node_desc)/\(.port)", "\(.peer_desc)/\(.peer_port)"'
	same
}
export -f changed

@test "a cable that is gone: ibnetdiscover --diff and diff" {
	sim two-level-small changed
}

silent()
{
	fault 'lose node0016 mlx5_0 100'
	they ibnetdiscover >net
	they iblinkinfo -l >links
	[ "$(cat net links | grep -c node0016)" = 0 ]
	sweep ports
	expect_status 3
	expect '[.findings[] | select(.check == "port.silent").subject | [.node_desc, .port]]' '[["leaf04",4]]'
}
export -f silent

@test "a host that does not answer: missing there, exit 0; unknown here, exit 3" {
	sim two-level-small silent
}

# ---- ibutils ------------------------------------------------------------------------------------

credits()
{
	local dump=${OPENSM_LOG%/*}/opensm status=0

	ibdmchk -s "$dump/opensm-subnet.lst" -f "$dump/opensm.fdbs" -m "$dump/opensm.mcfdbs" -e >checked 2>&1 || status=$?
	[ "$status" = 139 ]
	grep 'no credit loops found' checked
	sweep routes --tables "$dump/opensm.fdbs"
	expect_findings routes.credit-loop 0
	expect '.tables.routes[0].routed' 240
}
export -f credits

@test "ibutils: ibdmchk on the dumps of OpenSM, which it does not survive" {
	command -v ibdmchk >/dev/null || skip "ibutils is not installed"
	sim --sm=keep --sm-args='-D 0x43' two-level-small credits
}

# ---- the page -------------------------------------------------------------------------------------

# The output of a block: its commands, each followed by what it prints.  Times and places are constant,
# and packets that a dead port discarded are left out: it may have none.
shown()
{
	local line

	they ibnetdiscover --cache before.cache >/dev/null
	"$IBCHECK" -q snapshot -o before.snap 2>/dev/null || true
	[ -z "$1" ] || fault "${1# }" >/dev/null
	mkdir -p bin
	ln -sf "$IBCHECK" bin/ibcheck
	export PATH=$PWD/bin:$PATH SIM_HOST=$QUIET
	while IFS= read -r line; do
		[[ $line == '$ '* ]] || continue
		printf '%s\n' "$line"
		bash -c "${line#'$ '}" 2>/dev/null </dev/null | sed -E \
			-e '/^ports$/d' -e '/^counters of both ends/,/^$/d' \
			-e '/^[0-9-]{10} [0-9:]{8} UTC on [^ ,]+$/d' -e 's/swept in [0-9.]+ s/swept in 0.05 s/' \
			-e 's/swept [0-9-]{10} [0-9:]{8} UTC on [^ ,]+/swept 2026-01-31 12:00:00 UTC on head01/' -e 's/ +$//'
	done <block
}
export -f shown

# recorded: the page, with what its blocks print now
recorded()
{
	local line fabric='' in=''

	while IFS= read -r line; do
		case $in:$line in
		:'<!-- recorded in '*)
			fabric=${line#'<!-- recorded in '}
			fabric=${fabric%' -->'}
			printf '%s\n' "$line"
			;;
		:'```console')
			printf '%s\n' "$line"
			[ -z "$fabric" ] || { in=1 && : >block; }
			;;
		1:'```')
			sim "${fabric%%:*}" shown "${fabric#*:}" || return 1
			printf '%s\n' "$line"
			in='' fabric=''
			;;
		1:*) printf '%s\n' "$line" >>block ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$PAGE"
}

@test "the recorded pairs of the page are what both print" {
	[ "$(grep -c '^<!-- recorded in ' "$PAGE")" -ge 3 ]
	recorded >page
	if [ -n "${UPDATE:-}" ]; then
		cat page >"$PAGE"
	else
		diff -u "$PAGE" page
	fi
}

# answers COMMAND PATTERN STATUS [OPTIONS]: on the first screen of the page, and its output has the answer
answers()
{
	local text=${1/1m/3s} status=0

	fold -sw 100 "$PAGE" | head -n 40 | tr '\n' ' ' | tr -s ' ' | grep -qF -- "\`$1\`" ||
		{ echo "not on the first screen: $1" && return 1; }
	text=${text/interval 5s --count 12/interval 1s --count 2}
	bash -c "$text ${4:-}" >out 2>&1 </dev/null || status=$?
	# shellcheck disable=SC2053 # a pattern
	[[ $status == $3 ]] && grep -qE -- "$2" out && return
	echo "$1: exit status $status, expected $3, and: $2"
	cat out
	return 1
}

# rising PORT COUNTER STEP COMMAND...: the counter rises all the while, and so between the sweeps
rising()
{
	local n=0 end pid

	end="\"$(id_of "${1%/*}")\"[${1#*/}]"
	"${@:4}" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		console "PerformanceSet $end PortCounters.$2=$((n += $3))" >/dev/null
	done
	wait $pid
}

ours_first()
{
	mkdir -p bin
	ln -sf "$IBCHECK" bin/ibcheck
	export PATH=$PWD/bin:$PATH
}
export -f answers rising ours_first

ten_well()
{
	ours_first
	answers 'ibcheck routes --path node0001 node0016' '^there +1 +node0001 mlx5_0/1 +leaf01/1' 0
	answers 'ibcheck sm' '^OK: .*master node0001 mlx5_0/1 .*1 standby' 0
	answers 'ibcheck show 17' '^name +node0011 mlx5_0' 0
	answers 'ibcheck show leaf03/5' '^near +leaf03/5 .*EDR.* spine01/3' 0
}

# ibsim has neither registers nor versions of firmware: of files
ten_files()
{
	local fixtures=$TOP/tests/golden/fixtures

	ours_first
	answers 'ibcheck cables leaf02/5' '^CRITICAL  cable.no-light  leaf02/5' 2 "--source $fixtures/phy-later.snap"
	grep -q '^SERIAL ' out
	answers 'ibcheck cables' '^CRITICAL  cable.no-light  leaf02/5' 2 "--source $fixtures/phy-later.snap"
	answers 'ibcheck all --checks fabric.firmware' 'run older firmware than most: node\[07-08,20\]' 3 \
		"--source $fixtures/uniform.db_csv"
}

# without a subnet manager, which would repair some of this
ten_faults()
{
	ours_first
	export SIM_HOST=$QUIET
	answers 'ibcheck sm' '^CRITICAL  sm.none ' 2
	ibcheck -q snapshot -o monday.snap.zst
	ibcheck -q topo --write plan.csv
	fault 'errors leaf02/1 SymbolErrorCounter 300'
	answers 'ibcheck counters --totals' '^WARNING   counters.totals +leaf02/1' 1
	answers 'ibcheck counters --clear errors' 'SymbolErrorCounter 300' 0
	rising leaf03/2 PortRcvErrors 100 \
		answers 'ibcheck counters --interval 1m' 'leaf03/2.*PortRcvErrors [1-9]' "[12]"
	answers 'ibcheck counters --interval 5s --count 12' '^waiting by tier' 0
	fault 'unlink leaf01/5'
	fault 'width leaf03/2 1x'
	answers 'ibcheck all' '^CRITICAL  fattree.missing-uplink  leaf01/5 - spine01/1' 2
	answers 'ibcheck fattree' '^CRITICAL  fattree.missing-uplink  leaf01/5 - spine01/1' 2
	answers 'ibcheck ports --down' '^CRITICAL  fattree.missing-uplink  leaf01/5 - spine01/1' 2
	answers 'ibcheck topo plan.csv' '^CRITICAL  topo.missing-cable  leaf01/5 - spine01/1' 2
	answers 'ibcheck ports' '^WARNING   port.width +leaf03/2' 2
	answers 'ibcheck diff monday.snap.zst' '^WARNING   diff.links +leaf01/5' 1
	answers 'ibcheck routes' '^CRITICAL  routes.stale +leaf01/5' 2
}

# a ring of switches, routed without a thought of credits
ten_loop()
{
	ours_first
	answers 'ibcheck routes' '^CRITICAL  routes.credit-loop ' 2
}
export -f ten_well ten_files ten_faults ten_loop

@test "the questions of the first screen: each command is there, and names its fault" {
	sim --standby='node0002 mlx5_0' two-level-small ten_well
	sim two-level-small ten_faults
	ten_files
	sim --sm-args='-R minhop' torus-5x5 ten_loop
}

# ---- all commands ------------------------------------------------------------------------------------

# commands: each in a code span of a table of the two pages, with names and files in place of words in
# capitals; those that stay until they are ended are in watch.bats and serve.bats
commands()
{
	local known

	known=$("$IBCHECK" --help | awk '/^common options/ { exit } /^  [a-z]/ { printf "%s ", $1 }')
	grep -hoE '^\|.*' "$PAGE" "$TOP/doc/checklists.md" | cut -d'|' -f3- | grep -oE '`[^`]+`' | tr -d '`' |
		sed -E 's/^ibcheck //; s/NAME/leaf01/; s,/PORT,/5,; s/FROM TO/node0001 node0016/; s/MLID/0xc000/
			s/--source FILE --tables FILE/--source fabric.net --tables opensm-lfts.dump/; s/^(snapshot -o )FILE/\1fabric/
			s/FILE\.topo/plan.topo/; s/-ID/-counters.congestion/; s/--interval [0-9]+[ms]/--interval 1s/; s/--count 12/--count 2/' |
		awk -v known=" $known" 'index(known, " " $1 " ") && !/^(serve|watch|accept)/' | sort -u
}

all_commands()
{
	local command failed=0

	mkdir -p bin var/lib/ibcheck reports opt/ufm/log
	ln -sf "$IBCHECK" bin/ibcheck
	export PATH=$PWD/bin:$PATH SIM_HOST=$QUIET
	ibcheck -q snapshot -o monday.snap.zst --record sweep.pcap.gz
	for plan in cables.csv plan.csv plan.topo master.topo; do ibcheck -q topo --write "$plan"; done
	ibcheck -q topo --slurm -o topology.conf
	they ibnetdiscover >fabric.net
	they dump_lfts >opensm-lfts.dump
	cp "$TOP/tests/golden/show/json/jobs" jobs
	cp "$TOP/tests/golden/fixtures/opinions/unhealthy.dump" opt/ufm/log/opensm-unhealthy-ports.dump
	# shellcheck disable=SC1091
	(. "$TOP/tests/golden/fixtures/measured" && measured 1 n7 n8 120.10 200 126) >results
	printf '[all]\nrate = 400\n' >policy.ini
	ibcheck host -f json -o reports/a.json || true
	echo 'node0001:1:2 [0] NCCL INFO NET/Socket : Using [0]ib0:10.0.0.1<0>' >nccl.log
	while IFS= read -r command; do
		command=${command//\/var\/lib/var\/lib}
		command=${command//\/opt\//opt/}
		bash -c "ibcheck $command" >out 2>err </dev/null || [ $? -le 3 ] || failed=1
		# ibsim begins without multicast groups
		! grep '^ibcheck: ' err | grep -v 'there is no such group' >complaint || {
			echo "ibcheck $command: $(cat complaint)"
			failed=1
		}
	done <"$1"
	return $failed
}
export -f all_commands

@test "every command of the two pages runs" {
	commands >list
	[ "$(wc -l <list)" -gt 60 ]
	sim two-level-small all_commands "$PWD/list"
}
