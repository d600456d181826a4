# SPDX-License-Identifier: BSD-2-Clause
# Conditions are evaluated where they are waited for, as often as that takes.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034
# shellcheck shell=bash
# An "ibcheck serve" of a test: on a port that was free, ended with the test.

# serve ARGS...: $server, and $url once it listens; what it says is in serve.log
serve()
{
	serve_as_asked --listen 127.0.0.1:0 --interval 0.3 "$@"
}

# the same with nothing but ARGS
serve_as_asked()
{
	"$IBCHECK" serve "$@" >serve.out 2>serve.log 3>&- &
	server=$!
	comes 'grep -q "serving at" serve.log || ! kill -0 $server 2>/dev/null'
	url=$(sed -n 's/.*serving at //p' serve.log)
	[ -n "$url" ] || {
		cat serve.log
		return 1
	}
}

# by_rounds ARGS...: the same on a clock that goes on by itself between rounds, while there is the
# file "skip"
by_rounds()
{
	SKIP=$PWD/skip LD_PRELOAD="${IBCHECK%/*}/tests/sim/clock.so${LD_PRELOAD:+:$LD_PRELOAD}" \
		serve_as_asked --listen 127.0.0.1:0 "$@"
}

# pass NUMBER: so many rounds, of 30 s each
pass()
{
	local end=$(($(metric ibcheck_serve_rounds_total) + $1))

	touch skip
	comes "[ \"\$(metric ibcheck_serve_rounds_total 2>/dev/null || echo 0)\" -ge $end ]"
	rm skip
}

# memory: of the server, in kB
memory()
{
	awk '/^VmRSS/ { print $2 }' "/proc/$server/status"
}

# comes CONDITION: waits until this is true
comes()
{
	local end=$((SECONDS + 300))

	until eval "$1"; do
		[ $SECONDS -lt $end ] || {
			echo "did not come: $1"
			[ ! -e serve.log ] || cat serve.log
			return 1
		}
		sleep 0.05
	done
}

# get PATH [CURL-OPTION...]
get()
{
	curl -sS --noproxy '*' --max-time 60 "${@:2}" "$url$1"
}

# status_of PATH [CURL-OPTION...]
status_of()
{
	get "$1" -o /dev/null -w '%{http_code}' "${@:2}"
}

# metric NAME: its only value
metric()
{
	get metrics | sed -n "s/^$1\({[^}]*}\)\? //p"
}

# ended STATUS: the server has ended by itself, with this status
ended()
{
	local status=0

	wait "$server" || status=$?
	[ "$status" = "$1" ] || {
		echo "exit status $status"
		cat serve.log
		return 1
	}
}

end_server()
{
	kill "$server"
	ended 0
}

export -f serve serve_as_asked by_rounds pass memory comes get status_of metric ended end_server
