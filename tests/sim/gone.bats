# SPDX-License-Identifier: BSD-2-Clause
# What a state directory has seen and a sweep does not: live, with a hook, and for Nagios.  Any order of
# such things, at any interval of cron, is in tests/gone.

load helper.bash
# with no subnet manager between the sweeps; and what devices of ibsim do not have
export CHECKS=-sm,-sharp,-port.state,-counters,-fabric.firmware,-fabric.psid

# later SECONDS: the clock of this test is so much later (clock.c)
later()
{
	CLOCK=$((${CLOCK:-$(date +%s)} + $1))
	export CLOCK LD_PRELOAD="${IBCHECK%/*}/tests/sim/clock.so:${LD_PRELOAD#*clock.so:}"
}

# cron [ARGS...]: report.json, $status, and what the hook got in got.N
cron()
{
	later 60
	printf '#!/bin/sh\ncat >"$(mktemp got.XXXXXX)"\n' >hook
	chmod +x hook
	sweep all --checks "$CHECKS" --state state --hook ./hook "$@"
}

# hooks NUMBER: how often it was called since it was asked
hooks()
{
	local files=(got.*)

	[ -e "${files[0]}" ] || files=()
	[ ${#files[@]} = "$1" ] || {
		echo "the hook was called ${#files[@]} times"
		return 1
	}
	rm -f got.*
}

# expect_gone SUBJECTS: cases of gone.* that count, as "check node"
expect_gone()
{
	expect '[.cases[] | select((.check | startswith("gone.")) and .state != "gone" and
		(.severity == "critical" or .severity == "warning")) | .check + " " + .subject.node_desc] | sort' "$1"
}

unlink()
{
	console "Unlink \"$(id_of "$1")\"${2:+[$2]}" >/dev/null
}

relink()
{
	console "ReLink \"$(id_of "$1")\"${2:+[$2]}" >/dev/null
}
export -f later cron hooks expect_gone unlink relink

leaf_dies()
{
	local id rc

	cron
	expect_status 0
	hooks 0
	unlink leaf02
	later 60
	rc=0
	"$IBCHECK" all --checks "$CHECKS" --state state --hook ./hook --changes >changes || rc=$?
	[ "$rc" = 2 ]
	grep -q '^CRITICAL.* gone.switch  *leaf02' changes
	hooks 1
	cron
	expect_status 2
	hooks 0
	expect_gone '["gone.switch leaf02"]'
	expect '[.cases[] | select(.severity == "critical" or .severity == "warning")] | length' 1
	# what lies behind it follows, and names it
	expect '[.findings[] | select(.check == "gone.host") |
		.related | any(.role == "cause" and .subject.node_desc == "leaf02" or .node_desc == "leaf02")] |
		length == 4 and all'
	id=$(jq -r '.cases[] | select(.check == "gone.switch") | .id' report.json)
	later 60
	rc=0
	"$IBCHECK" all --checks "$CHECKS" --state state -f nagios >plugin || rc=$?
	[ "$rc" = 2 ]
	grep -q '^IBCHECK CRITICAL' plugin
	grep -q leaf02 plugin
	relink leaf02
	cron
	hooks 1
	expect '[.cases[] | select(.state == "gone") | .id]' "[\"$id\"]"
	expect_gone '[]'
	cron
	expect_status 0
	hooks 0
}
export -f leaf_dies

@test "a leaf that dies is critical, told once with all behind it, and told when it is back" {
	sim two-level-small leaf_dies
}

moved()
{
	cron
	unlink leaf03 5
	cron
	expect_status 2
	expect_gone '["gone.cable leaf03"]'
	hooks 1
	unlink leaf04 5
	console "Link \"$(id_of leaf03)\"[5] \"$(id_of spine01)\"[4]" >/dev/null
	console "Link \"$(id_of leaf04)\"[5] \"$(id_of spine01)\"[3]" >/dev/null
	cron
	# elsewhere is not gone: one case or one for each plug, and nothing of two cables without a link
	expect '[.cases[] | select(.severity == "critical" or .severity == "warning")] | length | . == 1 or . == 2'
	expect '[.cases[] | select(.check == "gone.cable" and .state != "gone") | .message | test("moved|exchanged")] | all'
	unlink leaf03 5
	unlink leaf04 5
	console "Link \"$(id_of leaf03)\"[5] \"$(id_of spine01)\"[3]" >/dev/null
	console "Link \"$(id_of leaf04)\"[5] \"$(id_of spine01)\"[4]" >/dev/null
	cron
	expect_status 0
}
export -f moved

@test "a cable that is unplugged is critical; plugged elsewhere it is moved, and not gone" {
	sim two-level-small moved
}

host_away()
{
	cron
	unlink 'node0016 mlx5_0'
	cron
	expect_status 0
	later 7200
	relink 'node0016 mlx5_0'
	cron
	unlink 'node0016 mlx5_0'
	cron
	expect_status 0
	hooks 0
	later 3600
	cron
	expect '.cases[] | select(.check == "gone.host") | [.state, .severity, (.subject.node_desc | test("^node0016"))]' \
		'["new","warning",true]'
	hooks 1
}
export -f host_away

@test "a host that is away is silent for an hour, and then told" {
	sim two-level-small host_away
}

master_behind()
{
	export CHECKS=-sharp,-port.state,-counters,-fabric.firmware,-fabric.psid,-sm.sa-slow
	cron
	unlink leaf01
	cron
	expect_status 2
	expect_gone '["gone.switch leaf01"]'
	expect '[.cases[] | select(.severity == "critical" or .severity == "warning") | .check]' '["gone.switch"]'
	expect '.cases[] | select(.check == "gone.switch") | .message + .advice | test("manager") and test("node0001")'
}
export -f master_behind

@test "of a dead leaf that carries the subnet manager the leaf leads" {
	sim --sm=keep two-level-small master_behind
}

step_by_step()
{
	cron
	for port in 5 6; do
		unlink leaf02 "$port"
		cron
		expect_status 2
		expect '[.cases[] | select(.state == "gone")] | length' 0
	done
	expect_gone '["gone.switch leaf02"]'
}
export -f step_by_step

@test "a leaf that is unplugged step by step stays critical to the end" {
	sim two-level-small step_by_step
}

# from NODE STATE [ARGS...]: cron of another host
from()
{
	later 60
	SIM_HOST=$(id_of "$1") sweep all --checks "$CHECKS" --state "$2" "${@:3}"
}

island()
{
	from 'node0002 mlx5_0' inside
	from 'node0016 mlx5_0' outside
	unlink leaf01 5
	unlink leaf01 6
	from 'node0002 mlx5_0' inside
	expect '.verdict == "critical" or .verdict == "unknown"'
	expect '[.cases[] | select(.check | startswith("gone.")) | select(.severity != "unknown") | .check]' '["gone.cut"]'
	expect '[.cases[] | select(.state == "gone")]' '[]'
	from 'node0016 mlx5_0' outside
	expect_status 2
	expect_gone '["gone.switch leaf01"]'
	relink leaf01 5
	relink leaf01 6
	from 'node0002 mlx5_0' inside
	expect_gone '[]'
	expect '[.cases[] | select(.state == "new" or .state == "back")]' '[]'
	from 'node0016 mlx5_0' outside
	expect_gone '[]'
	expect_status 0
}
export -f from island

@test "an island is a cut when it is seen from within, and a leaf that is gone from without" {
	sim two-level-small island
}

retired()
{
	cron
	unlink leaf04
	cron
	expect_gone '["gone.switch leaf04"]'
	later 60
	printf 'retired leaf04 %s jo sold\n' "$(date -d "@$((CLOCK + 60))" +%FT%H:%M)" >known
	cron --known known
	expect_status 0
	expect_gone '[]'
	relink leaf04
	cron --known known
	expect_status 0
	later 3600 # after the minute at which it was retired
	cron --known known
	unlink leaf04
	cron --known known
	expect_status 2
	expect_gone '["gone.switch leaf04"]'
}
export -f retired

@test "a leaf that is retired is quiet with all behind it, and expected again once it was seen" {
	sim two-level-small retired
}

all_retired()
{
	cron
	unlink leaf04
	unlink leaf02 5
	cron
	expect_gone '["gone.cable leaf02","gone.switch leaf04"]'
	later 60
	# what is missing now, listed first
	"$IBCHECK" known retire --gone --yes --reason 'sold' --known known --state state >listed
	grep -q leaf04 listed
	grep -q 'leaf02/5' listed
	grep -q '^retired ' known
	cron --known known
	expect_gone '[]'
	expect '[.cases[] | select((.state == "new" or .state == "back") and .known == null)]' '[]'
	relink leaf04
	relink leaf02 5
	later 3600
	cron --known known
	unlink leaf04
	cron --known known
	expect_gone '["gone.switch leaf04"]'
}
export -f all_retired

@test "all that is missing is retired by one command" {
	sim two-level-small all_retired
}
