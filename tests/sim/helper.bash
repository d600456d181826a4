# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What the simulated tests share.  Each test has a directory of its own, and a
# function of it runs inside a fabric:
#
#	sim [OPTIONS of tests/sim/fabric] TOPOLOGY FUNCTION [ARGS...]
#
# where TOPOLOGY is one of topologies/, or a file.  Whatever it starts in there cannot hold
# up bats, which waits until nobody has its output (3) open.

bats_require_minimum_version 1.5.0

TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
export TOP
export IBCHECK=${IBCHECK:-$TOP/build/ibcheck}
export PATH=$PATH:/usr/sbin:/sbin

setup()
{
	cd "$BATS_TEST_TMPDIR" || return 1
}

sim()
{
	local options=() topology

	while [[ $1 == --* ]]; do
		options+=("$1")
		shift
	done
	topology=$1
	[ -e "$topology" ] || topology=$TOP/topologies/$1.net
	shift
	"$TOP/tests/sim/fabric" --timeout 1000 "${options[@]}" "$topology" -- \
		bash -eu -c '"$@"' bash "$@" 3>&-
}

# soon COMMAND...: waits until it succeeds; five minutes are for what hangs
soon()
{
	local end=$((SECONDS + 300))

	until "$@"; do
		[ $SECONDS -lt $end ] || {
			echo "never: $*"
			! declare -F in_vain >/dev/null || in_vain
			return 1
		} 2>&1
		sleep 0.1
	done
}

# ibcheck as JSON: report.json, report.err and $status
sweep()
{
	status=0
	"$IBCHECK" "$@" -f json >report.json 2>report.err || status=$?
}

# expect FILTER [VALUE]: what jq makes of the report is true, or VALUE
expect()
{
	local found

	found=$(jq -c "$1" report.json) || true
	[ "$found" = "${2:-true}" ] && return
	echo "expected: $1 to be ${2:-true}, found: $found"
	cat report.err
	jq -c '.verdict, .summary, .coverage, .findings[]' report.json | cut -c -1000 | head -n 30
	return 1
}

# expect_findings CHECK NUMBER
expect_findings()
{
	expect "[.findings[] | select(.check == \"$1\")] | length" "$2"
}

expect_status()
{
	[ "$status" = "$1" ] && return
	echo "expected: exit status $1, found: $status"
	cat report.err
	jq -c '.verdict, .summary, .findings[]' report.json | cut -c -1000 | head -n 30
	return 1
}

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

# console LINE: to ibsim
console()
{
	"$TOP/tests/sim/console" "$1"
}

# id_of NAME: how the netlist calls the node of this description
id_of()
{
	awk -v name="$1" -F'"' '/^(Switch|Ca|Hca)/ && ($4 == name || $2 == name) { print $2; exit }' \
		"$NETFILE"
}

# lid_of NAME: of the switch of this description
lid_of()
{
	ibswitches | sed -n "s/.*\"$1\".* lid \([0-9]*\) .*/\1/p"
}

# port NAME NUMBER OPERATION...: ibportstate on a port of a switch
port()
{
	ibportstate "$(lid_of "$1")" "${@:2}" >/dev/null
}

# number of nodes and switches there should be
all_nodes()
{
	grep -cE '^(Switch|Ca|Hca|Rt)' "$NETFILE"
}

all_switches()
{
	grep -c ^Switch "$NETFILE"
}

# manager NAME NODE [LINE [ARGUMENT...]]: one more opensm, on this node, with a line of
# configuration; all it writes is in the directory NAME.  It ends with the fabric.
manager()
{
	mkdir "$1"
	printf '%s\n' "${3:-}" >"$1/conf"
	(cd "$1" && SIM_HOST=$2 OSM_TMP_DIR=$PWD OSM_CACHE_DIR=$PWD \
		exec opensm -F conf -f "$PWD/log" -d2 "${@:4}") >/dev/null 2>&1 &
}

# says NAME TEXT: waits until that manager has written this into its log
says()
{
	timeout --foreground 300 bash -c 'until grep -qs "$2" "$1/log"; do sleep 0.1; done' says "$@"
}

# still_manager NAME NODE [LINE [ARGUMENT...]]: the same, which has configured what it sees, and
# from then on looks at nothing that changes
still_manager()
{
	manager "$1" "$2" $'sweep_interval 0\nsweep_on_trap FALSE\n'"${3:-}" "${@:4}"
	says "$1" 'SUBNET UP'
}

export -f sweep expect expect_findings faults expect_faults expect_status console id_of lid_of port \
	all_nodes all_switches manager says still_manager
