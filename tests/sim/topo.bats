# SPDX-License-Identifier: BSD-2-Clause
# The fabric against its plan: each faulty twin of topologies/ yields its finding and
# nothing else, whether the plan knows GUIDs (.net) or names alone (.csv).

load helper.bash

# finds_only PLAN STATUS [CHECK...]: these are all the findings there are
finds_only()
{
	local plan=$TOP/topologies/$1 exit=$2 checks='[]'

	shift 2
	[ $# -eq 0 ] || checks=$(printf '%s\n' "$@" | jq -Rnc '[inputs]')
	sweep topo "$plan"
	expect '[.findings[].check]' "$checks"
	expect_status "$exit"
}
export -f finds_only

# both NAME STATUS [CHECK...]: whichever form the plan has
both()
{
	finds_only "$1.net" "${@:2}"
	expect .coverage.complete
	finds_only "$1.csv" "${@:2}"
	expect .coverage.complete
}
export -f both

# The finding is about these: [name, port, name of the peer, its port].
about()
{
	expect '.findings[0].subject | [.node_desc, .port, .peer_desc, .peer_port]' "$1"
}
export -f about

# What the steps to mend it say, by a filter for jq.
steps()
{
	expect "[.tables.plan[] | $1]" "$2"
}
export -f steps

@test "what is built as planned gives no finding" {
	for net in "$TOP"/topologies/*.net; do
		name=$(basename "$net" .net)
		[[ $name == *+* ]] || sim "$name" both "$name" 0
	done
}

# ---- cables --------------------------------------------------------------------

# one_swap NAME MOVES CABLES
one_swap()
{
	both "$1" 2 topo.swapped
	expect .findings[0].facts.moves "$2"
	steps .action "$(jq -nc "[range($2) | \"exchange\"]")"
	# beside the one it is about, the others as found, and all as planned
	expect '[.findings[0].related[] | select(.role == "found" or .role == "planned")] |
		length' "$((2 * $3 - 1))"
}
export -f one_swap

@test "two cables exchanged are one swap and one step" {
	sim two-level-small+swapped one_swap two-level-small 1 2
	sim dual-rail+swapped one_swap dual-rail 1 2
	sim ft-36x18+swapped one_swap ft-36x18 1 2
}

@test "three cables rotated are one finding and two steps" {
	sim two-level-small+rotated one_swap two-level-small 2 3
}

missing_cable()
{
	both two-level-small 2 topo.missing-cable
	about '["leaf04",6,"spine02",4]'
	steps .action '["connect"]'
}
export -f missing_cable

@test "a cable that is not there is missing" {
	sim two-level-small+missing-cable missing_cable
}

unexpected_cable()
{
	both half-populated 1 topo.unexpected-cable
	about '["leaf01",9,"spine02",9]'
	steps .action '["remove"]'
}
export -f unexpected_cable

@test "a cable that nobody planned is unexpected" {
	sim half-populated+unexpected-cable unexpected_cable
}

# one_move CHECK STATUS SUBJECT TO
one_move()
{
	both half-populated "$2" "$1"
	about "$3"
	steps '[.action, .to_desc, .to_port]' "[[\"move\",$4]]"
}
export -f one_move

@test "an uplink on the wrong spine, or on a leaf, is miswired, and one move" {
	sim half-populated+miswired one_move topo.miswired 2 \
		'["leaf02",7,"spine01",9]' '"spine02",3'
	sim half-populated+leaf-leaf one_move topo.miswired 2 \
		'["leaf03",8,"leaf04",9]' '"spine02",6'
}

@test "an uplink of the right switches in another port is a wrong port" {
	sim half-populated+wrong-port one_move topo.wrong-port 1 \
		'["leaf01",5,"spine01",9]' '"spine01",1'
}

slow()
{
	both oversubscribed-2to1 1 topo.slow
	about '["leaf04",10,"spine01",8]'
}
export -f slow

narrow()
{
	both three-level 1 topo.narrow
	about '["spine03",3,"core001",2]'
}
export -f narrow

slow_links()
{
	both two-level-small 1 topo.narrow topo.slow topo.slow
}
export -f slow_links

@test "cables below the plan are slow or narrow" {
	sim oversubscribed-2to1+slow slow
	sim three-level+narrow narrow
	sim two-level-small+slow-links slow_links
}

# ---- nodes ---------------------------------------------------------------------

# missing NAME NODE
missing()
{
	both "$1" 2 topo.missing-node
	expect .findings[0].subject.node_desc "\"$2\""
}
export -f missing

@test "a spine or a host that is not there is one finding, not its cables" {
	sim ft-36x18+missing-spine missing ft-36x18 spine07
	sim two-level-small+missing-host missing two-level-small 'node0011 mlx5_0'
}

replaced_hca()
{
	finds_only dual-rail.net 1 topo.replaced-node
	expect .findings[0].subject.node_guid '"0x0200000000009990"'
	# a plan by names cannot tell one HCA of the name from the other
	finds_only dual-rail.csv 0
}
export -f replaced_hca

@test "another HCA in the place of one is replaced hardware, where the plan knows GUIDs" {
	sim dual-rail+replaced-hca replaced_hca
}

renamed_node()
{
	both two-level-small 1 topo.renamed-node
	expect .findings[0].subject.node_desc '"leaf-03"'
}
export -f renamed_node

@test "a leaf of another name in its place is renamed" {
	sim two-level-small+renamed-node renamed_node
}

exchanged_leaves()
{
	both oversubscribed-2to1 2 topo.exchanged-nodes
	steps .action '["exchange"]'
}
export -f exchanged_leaves

@test "two leaves in each other's place are one finding, not their cables" {
	sim oversubscribed-2to1+exchanged-leaves exchanged_leaves
}

# ---- silence, and ports that are down -------------------------------------------

silent_leaf()
{
	console "Error \"$(id_of leaf02)\" 100"
	for plan in two-level-small.net two-level-small.csv; do
		finds_only $plan 3 topo.unchecked
		expect .coverage.complete false
		expect '.findings[0].facts.expected | test("leaf02") and test("node0005 mlx5_0")'
		expect '.findings[0].message | test("null") | not'
		expect '.summary | [.cables_planned, .cables_as_planned, .cables_unchecked]' \
			'[24,18,6]'
	done
}
export -f silent_leaf

@test "what lies behind a silent leaf is unchecked, not missing" {
	sim two-level-small silent_leaf
}

# A cable of the plan came loose.
down()
{
	expect '[.findings[].check]' '["topo.missing-cable"]'
	about '["leaf01",5,"spine01",1]'
	expect '.findings[0].facts | [.phys_state, .peer_phys_state]' '["polling","polling"]'
	expect '.findings[0].message | test("Polling")'
	expect_status 2
}
export -f down

unlinked()
{
	console "Unlink \"$(id_of leaf01)\"[5]"
	for plan in "$TOP"/topologies/two-level-small.{net,csv}; do
		sweep topo "$plan"
		down
		# no manager routes around the cable, so counters behind it cannot be read
		sweep all --expect "$plan" --checks -fattree,-sm,-sharp,-counters
		down
	done
}
export -f unlinked

@test "a planned cable that is down is missing, with what both its ports say; all --expect tells" {
	sim two-level-small unlinked
}

# ---- a peer ----------------------------------------------------------------------

# A plan that ibtopodiff knows the systems of, and what is built after it.
pair()
{
	cat >pair.topo <<-EOF
	MT23108 H-1
	   P1 -4x-2.5G-> MT23108 H-2 P1

	MT23108 H-2
	   P1 -4x-2.5G-> MT23108 H-1 P1
	EOF
	cat >pair.net <<-EOF
	Ca 2 "H-1"
	[1] "H-2"[1]

	Ca 2 "H-2"
	[1] "H-1"[1]
	EOF
}

peer_diff()
{
	local peer=0

	ibtopodiff -t pair.topo -d "$OSM_TMP_DIR/opensm-subnet.lst" -e >peer.out 2>&1 || peer=$?
	[ "$peer" -ge 128 ] # a signal
	sweep topo pair.topo
	expect .findings '[]'
	expect_status 0
}
export -f peer_diff

@test "peer: ibtopodiff crashes on a plan that topo reads and finds as built" {
	command -v ibtopodiff >/dev/null || skip "ibtopodiff is not installed: package ibutils"
	pair
	sim pair.net peer_diff
}

@test "plans of ibutils for older systems are sound" {
	local plans=$TOP/../shared/data/ibutils-topo

	[ -d "$plans" ] || skip "no captures in $plans"
	for plan in FullGnu RhinoBased512 gnu-based-32 network; do
		sweep topo --check "$plans/$plan.topo"
		expect_status 0
	done
}
