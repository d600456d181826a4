# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with the tests
# What the tests of a live host share: two network namespaces with fake IPoIB between
# them, and processes in these that move real bytes; all of it ends with the test.
# tests/host/run keeps the rest of the host out of sight.

bats_require_minimum_version 1.5.0

TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
IBCHECK=${IBCHECK:-$TOP/build/ibcheck}
HOST_TOOLS=${HOST_TOOLS:-$TOP/build/tests/host}
NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups)

setup()
{
	cd "$BATS_TEST_TMPDIR" || return 1
	started=()
}

teardown()
{
	local pid

	for pid in "${started[@]}"; do
		# it leads a group, if it came so far
		kill -KILL -- "$pid" "-$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
}

# start NAME COMMAND...: waits until it says that it is ready, in NAME.out; $pid is its own
start()
{
	local name=$1 end=$((SECONDS + 300))

	shift
	: >"$name.out" # else what another of this name said could stand there a moment longer
	setsid "$@" >"$name.out" 2>"$name.err" 3>&- </dev/null &
	pid=$!
	started+=("$pid")
	while [ $SECONDS -lt $end ]; do
		[ ! -s "$name.out" ] || return 0
		kill -0 "$pid" || break
		sleep 0.02
	done
	echo "$name did not start:"
	cat "$name.err"
	return 1
}

# wire [MTU]: makes the two namespaces; $here and $there are how to enter them
wire()
{
	start wire "$HOST_TOOLS/wire" "$@"
	read -r here there <wire.out
}

# serve PORT [COMMAND...] and send ARGUMENTS: the two ends, in $there and $here
serve()
{
	start "serve$1" nsenter --net="$there" "${@:2}" "$HOST_TOOLS/flow" serve "$1"
	server=$pid
}

send()
{
	start send nsenter --net="$here" "${as[@]}" "$HOST_TOOLS/flow" send "$@"
	sender=$pid
}

# look [COMMAND...]: what the library reads, in the file seen
look()
{
	"$@" "$HOST_TOOLS/look" >seen
}

# inode_of FILE: of the namespace that it enters
inode_of()
{
	stat -L -c %i "$1"
}

# saw PATTERN [NUMBER]: so many lines are like that (1)
saw()
{
	local n

	n=$(grep -cE "^$1\$" seen) || :
	[ "$n" = "${2:-1}" ] && return
	echo "expected ${2:-1} lines like: $1, found: $n"
	head -n 60 seen
	return 1
}
